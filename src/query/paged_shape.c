// Shapes over models. See graze/model.h.
#include <stdbool.h>

#include "base/context.h"
#include "base/memory.h"
#include "boxtree/tree_leaf.h"
#include "model/model_file.h"
#include "query/shape_tree.h"

graze_status graze_shape_from_model(graze_model *model, graze_shape **shape)
{
    if (shape != NULL)
        *shape = NULL;
    if (model == NULL || shape == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_shape *made = gz_allocate(model->context, sizeof *made);
    if (made == NULL)
        return gz_fail(model->context, GRAZE_ERROR_MEMORY, "graze_shape_from_model: out of memory");
    *made = (graze_shape){.context = model->context, .model = model, .found = &made->own};
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

graze_status gz_shape_refuse_model(const graze_shape *shape)
{
    return gz_fail(shape->context, GRAZE_ERROR_UNSUPPORTED,
                   "%s is a model, which is neither saved nor refitted as shapes in memory are: "
                   "export it to a mesh first",
                   shape->model->path);
}
