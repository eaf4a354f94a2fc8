// Shapes over models: one part for each cluster. See graze/model.h.
#include "base/context.h"
#include "base/memory.h"
#include "boxtree/tree_leaf.h"
#include "query/closed.h"

static gz_page_key page_of(const graze_shape *shape, uint32_t part)
{
    return gz_cluster_key(shape->model, part);
}

static graze_status refuse_whole(const graze_shape *shape, const gz_tree **tree)
{
    *tree = NULL;
    return gz_fail(shape->context, GRAZE_ERROR_UNSUPPORTED,
                   "%s is a model, which is neither saved nor refitted as shapes in memory are: "
                   "export it to a mesh first",
                   shape->model->path);
}

static uint64_t resident_bytes(const graze_shape *shape)
{
    return graze_model_get_info(shape->model).resident_bytes;
}

static void close_model(graze_shape *shape)
{
    if (shape->owns_model)
        graze_model_free(shape->model);
}

const gz_shape_kind gz_shape_of_model = {
    .page = page_of,
    .whole = refuse_whole,
    .find_components = gz_model_components,
    .bytes = resident_bytes,
    .free = close_model,
};

graze_status graze_shape_from_model(graze_model *model, graze_shape **shape)
{
    if (shape != NULL)
        *shape = NULL;
    if (model == NULL || shape == NULL)
        return gz_fail_null(model == NULL ? NULL : model->context, "graze_shape_from_model");
    graze_shape *made = gz_shape_make(model->context, &gz_shape_of_model, "graze_shape_from_model");
    if (made == NULL)
        return GRAZE_ERROR_MEMORY;
    made->model = model;
    made->boxes = &model->boxes;
    made->tree = (gz_tree){.context = model->context,
                           .precision = (graze_precision)model->header.precision,
                           .triangle_count = model->header.triangle_count,
                           .serial = atomic_fetch_add(&model->context->serial, 1) + 1,
                           .box = graze_model_get_info(model).box};
    if (made->tree.triangle_count != 0) { // the frame that the mesh's tree would have
        graze_box box = made->tree.box;
        gz_tree_set_frame(&made->tree, &box);
    }
    *shape = made;
    return GRAZE_OK;
}
