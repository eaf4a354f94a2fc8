// Shapes: what a mesh becomes before it can be asked. See graze/shape.h.
#include "query/shape_tree.h"

#include <inttypes.h>

#include "base/context.h"
#include "base/memory.h"
#include "boxtree/tree_file.h"
#include "geometry/fpu.h"
#include "mesh/view.h"
#include "query/closed.h"

graze_status graze_shape_create(graze_context *context, const graze_mesh_view *view,
                                const graze_shape_def *def, graze_shape **shape)
{
    if (shape != NULL)
        *shape = NULL;
    if (context == NULL || view == NULL || shape == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_shape_def defaults = graze_shape_def_default();
    def = def == NULL ? &defaults : def;
    if (!GZ_DEF_SOUND(def, graze_shape_def))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "graze_shape_create: the def's struct_size is not set");
    if (def->build != GRAZE_BUILD_BEST && def->build != GRAZE_BUILD_QUICK)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "graze_shape_create: no way to build is %d",
                       (int)def->build);
    if (def->layout != GRAZE_LAYOUT_FAST && def->layout != GRAZE_LAYOUT_COMPACT)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "graze_shape_create: no layout is %d",
                       (int)def->layout);
    graze_status status = gz_view_check(context, "graze_shape_create", view);
    if (status != GRAZE_OK)
        return status;
    graze_shape *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "graze_shape_create: out of memory");
    *made = (graze_shape){.context = context, .found = &made->own};
    status = gz_tree_build(context, view, def, &made->tree);
    if (status != GRAZE_OK) {
        gz_release(context, made, sizeof *made);
        return status;
    }
    *shape = made;
    return GRAZE_OK;
}

graze_status graze_shape_refit(graze_shape *shape, const graze_mesh_view *view, double *looseness)
{
    const char *who = "graze_shape_refit";
    double ignored;
    if (shape == NULL || view == NULL)
        return GRAZE_ERROR_ARGUMENT;
    const gz_tree *tree = &shape->tree;
    graze_status status = gz_view_check(shape->context, who, view);
    if (status != GRAZE_OK)
        return status;
    if (view->triangle_count != tree->triangle_count)
        return gz_fail(shape->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the shape has %" PRIu64 " triangles, the mesh %" PRIu64, who,
                       tree->triangle_count, view->triangle_count);
    if (view->precision != tree->precision)
        return gz_fail(shape->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the shape has coordinates of %d bytes, the mesh of %d", who,
                       (int)tree->precision, (int)view->precision);
    gz_fpu_state state = gz_fpu_enter();
    status = gz_tree_refit(&shape->tree, view, looseness == NULL ? &ignored : looseness);
    gz_fpu_leave(state);
    if (status == GRAZE_OK)
        gz_shape_free_pieces(shape);
    return status;
}

graze_status graze_shape_save(const graze_shape *shape, const char *path)
{
    if (shape == NULL || path == NULL)
        return GRAZE_ERROR_ARGUMENT;
    return gz_tree_save(&shape->tree, path);
}

graze_status graze_shape_load(graze_context *context, const char *path, graze_shape **shape)
{
    if (shape != NULL)
        *shape = NULL;
    if (context == NULL || path == NULL || shape == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_shape *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "graze_shape_load: out of memory");
    *made = (graze_shape){.context = context, .found = &made->own};
    graze_status status = gz_tree_load(context, path, &made->tree);
    if (status != GRAZE_OK)
        gz_release(context, made, sizeof *made);
    else
        *shape = made;
    return status;
}

void graze_shape_free(graze_shape *shape)
{
    if (shape == NULL)
        return;
    gz_shape_free_pieces(shape);
    gz_tree_free(&shape->tree);
    gz_release(shape->context, shape, sizeof *shape);
}

graze_shape_info graze_shape_get_info(const graze_shape *shape)
{
    return (graze_shape_info){
        .triangle_count = shape->tree.triangle_count,
        .precision = shape->tree.precision,
        .layout = shape->tree.layout,
        .depth = shape->tree.depth,
        .node_count = shape->tree.node_count,
        .leaf_count = shape->tree.leaf_count,
        .byte_count = sizeof *shape - sizeof shape->tree + gz_tree_bytes(&shape->tree) +
                      gz_shape_pieces_bytes(shape),
        .box = shape->tree.box,
        .closed = gz_shape_known_closed(shape),
    };
}
