// See lay_out.h.
#include "lay_out.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_flat(const graze_mesh_view *view)
{
    uint64_t triangle = 0;
    for (uint64_t i = 0; i < view->object_count; ++i) {
        if (view->objects[i].placed != 0 || view->objects[i].first_triangle != triangle)
            return false;
        triangle += view->objects[i].triangle_count;
    }
    return true;
}

// Every object's placement is preceded by what brings b to the unit of a.
static void scale_objects(graze_object *objects, uint64_t count, double scale)
{
    for (uint64_t i = 0; i < count; ++i) {
        for (int entry = 0; entry < 12; ++entry)
            objects[i].matrix[entry] *= scale;
        objects[i].placed = 1;
    }
}

graze_status lay_out(graze_context *context, graze_mesh **mesh, double scale)
{
    graze_mesh_view view = graze_mesh_get(*mesh);
    graze_object *scaled = NULL;
    graze_mesh *flat = NULL;
    if (scale == 1.0 && is_flat(&view))
        return GRAZE_OK;
    if (scale != 1.0) {
        scaled = malloc((size_t)view.object_count * sizeof *scaled + 1);
        if (scaled == NULL)
            return GRAZE_ERROR_MEMORY;
        memcpy(scaled, view.objects, (size_t)view.object_count * sizeof *scaled);
        scale_objects(scaled, view.object_count, scale);
        view.objects = scaled;
    }
    graze_status status = graze_mesh_flatten(context, &view, &flat);
    free(scaled);
    if (status == GRAZE_OK) {
        graze_mesh_free(*mesh);
        *mesh = flat;
    }
    return status;
}

graze_shape_def shape_def_of(const cmd_arguments *arguments)
{
    graze_shape_def def = graze_shape_def_default();
    const char *layout = arguments->text[OPTION_LAYOUT];
    if (layout != NULL && strcmp(layout, "compact") == 0)
        def.layout = GRAZE_LAYOUT_COMPACT;
    return def;
}
