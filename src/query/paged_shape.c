// Shapes over models. See graze/model.h.
#include <stdbool.h>

#include "base/context.h"
#include "base/memory.h"
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
    made->tree.context = model->context;
    made->tree.precision = (graze_precision)model->header.precision;
    made->tree.triangle_count = model->header.triangle_count;
    made->tree.box = graze_model_get_info(model).box;
    *shape = made;
    return GRAZE_OK;
}

graze_status gz_shape_refuse_model(const graze_shape *shape, const char *who)
{
    if (shape == NULL || shape->model == NULL)
        return GRAZE_OK;
    return gz_fail(shape->context, GRAZE_ERROR_UNSUPPORTED,
                   "%s needs all triangles of a shape at once, and %s is a model: export it to a "
                   "mesh first",
                   who, shape->model->path);
}
