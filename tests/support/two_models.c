// Opens two models and asks them. See two_models.h.
#include "two_models.h"

#include <unistd.h>

void two_models_write(const char *kind, uint64_t triangles, char path[MODEL_PATH_BYTES])
{
    char mesh[MODEL_PATH_BYTES], name[64];
    snprintf(name, sizeof name, "%s.ply", kind);
    models_make(kind, triangles, GRAZE_FLOAT32, models_path(mesh, name));
    snprintf(name, sizeof name, "%s.graze", kind);
    graze_context *context = test_context(NULL);
    graze_model_build_def def = graze_model_build_def_default();
    def.no_levels = 1;
    assert_int_equal(graze_model_build(context, mesh, models_path(path, name), &def), GRAZE_OK);
    test_context_done(context);
    unlink(mesh);
}

graze_status two_models_open(graze_context *context, const char *a, const char *b, two_models *out)
{
    const char *path[2] = {a, b};
    *out = (two_models){0};
    graze_status status = graze_query_create(context, &out->query);
    for (int i = 0; i < 2 && status == GRAZE_OK; ++i) {
        status = graze_model_open(context, path[i], &out->model[i]);
        if (status == GRAZE_OK)
            status = graze_shape_from_model(out->model[i], &out->shape[i]);
    }
    return status;
}

void two_models_close(two_models *two)
{
    graze_query_free(two->query);
    for (int i = 0; i < 2; ++i) {
        graze_shape_free(two->shape[i]);
        graze_model_free(two->model[i]);
    }
}

graze_status two_models_count(const two_models *two, bool threads, uint64_t *count)
{
    graze_pose still = graze_pose_identity(), moved = still;
    moved.translation[0] = 0.01;
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_COUNT;
    def.use_threads = threads;
    graze_answer answer;
    graze_status status = graze_query_collide(two->query, graze_at(two->shape[0], &still),
                                              graze_at(two->shape[1], &moved), &def, &answer);
    *count = answer.pair_count;
    return status;
}
