// Shapes in memory and over models. See both_ways.h.
#include "both_ways.h"

#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"

graze_context *both_ways_context(uint32_t threads, uint64_t cache_mib, uint32_t cluster_limit)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = threads;
    def.cache_byte_limit = cache_mib << 20;
    graze_context *context = test_context(&def);
    gz_knobs_for(context)->cluster_limit = cluster_limit;
    return context;
}

static graze_model *model_of(graze_context *context, const graze_mesh_view *view)
{
    static int turn = 0;
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES], name[32];
    snprintf(name, sizeof name, "%d.ply", ++turn);
    models_path(mesh, name);
    snprintf(name, sizeof name, "%d.graze", turn);
    models_path(path, name);
    graze_model *model = NULL;
    graze_model_build_def def = graze_model_build_def_default();
    def.no_levels = 1; // which play no part
    assert_int_equal(graze_mesh_write(context, view, mesh, NULL), GRAZE_OK);
    assert_int_equal(graze_model_build(context, mesh, path, &def), GRAZE_OK);
    assert_int_equal(graze_model_open(context, path, &model), GRAZE_OK);
    unlink(mesh);
    unlink(path); // an open model needs no name
    return model;
}

both_ways both_ways_make(graze_context *context, const graze_mesh_view *view)
{
    both_ways made = {.model = model_of(context, view)};
    assert_int_equal(graze_shape_create(context, view, NULL, &made.in_memory), GRAZE_OK);
    assert_int_equal(graze_shape_from_model(made.model, &made.paged), GRAZE_OK);
    return made;
}

void both_ways_free(both_ways *both)
{
    graze_shape_free(both->in_memory);
    graze_shape_free(both->paged);
    graze_model_free(both->model);
}

const graze_shape *both_ways_side(const both_ways *both, int way, int which)
{
    return way == 2 || way == which ? both->paged : both->in_memory;
}
