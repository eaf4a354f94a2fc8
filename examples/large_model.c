// A model: a mesh of any size in a file, asked in a few megabytes of memory.
//   large_model [FILE]
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "graze/graze.h"

// Once: from a mesh file to a model file, in 64 MiB of memory.
static graze_status build(graze_context *context, const char *mesh, const char *path)
{
    graze_model_build_def def = graze_model_build_def_default();
    def.memory_bytes = UINT64_C(64) << 20;
    return graze_model_build(context, mesh, path, &def);
}

// From then on: shapes over the model are asked like any others.
static graze_status ask(graze_context *context, graze_model *model)
{
    graze_shape *shape = NULL;
    graze_query *query = NULL;
    graze_status status = graze_shape_from_model(model, &shape);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);
    graze_pose pose_a = graze_pose_identity(), pose_b = graze_pose_identity();
    pose_b.translation[2] = 0.25;
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_COUNT;
    graze_answer answer;
    if (status == GRAZE_OK)
        status = graze_query_collide(query, graze_at(shape, &pose_a), graze_at(shape, &pose_b),
                                     &def, &answer);
    if (status == GRAZE_OK) {
        graze_cache_use use = graze_model_cache_use(model);
        printf("%llu pairs in contact; clusters in memory within the limit: %s\n",
               (unsigned long long)answer.pair_count,
               use.peak_bytes <= use.limit_bytes ? "yes" : "no");
    }
    graze_query_free(query);
    graze_shape_free(shape);
    return status;
}

int main(int count, char **words)
{
    graze_context_def def = graze_context_def_default();
    def.cache_byte_limit = UINT64_C(4) << 20; // for clusters of all models
    graze_context *context = NULL;
    graze_model *model = NULL;
    char path[] = "/tmp/large_model_XXXXXX";
    int file = mkstemp(path);
    graze_status status = file < 0 ? GRAZE_ERROR_IO : graze_context_create(&def, &context);
    if (status == GRAZE_OK)
        status = build(context, count > 1 ? words[1] : "pyramid.ply", path);
    if (status == GRAZE_OK)
        status = graze_model_open(context, path, &model);
    if (status == GRAZE_OK) {
        graze_model_info info = graze_model_get_info(model);
        printf("%llu triangles in %llu clusters\n", (unsigned long long)info.triangle_count,
               (unsigned long long)info.cluster_count);
        status = ask(context, model);
    }
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    graze_model_free(model);
    graze_context_destroy(context);
    if (status != GRAZE_OK)
        fprintf(stderr, "%s\n", graze_status_text(status));
    return status != GRAZE_OK;
}
