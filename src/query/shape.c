// Shapes: what a mesh becomes before it can be asked. See graze/shape.h.
#include "query/shape_tree.h"

#include <inttypes.h>

#include "base/context.h"
#include "base/memory.h"
#include "boxtree/tree_file.h"
#include "boxtree/tree_plan.h"
#include "geometry/fpu.h"
#include "graze/model.h"
#include "mesh/view.h"
#include "query/closed.h"
#include "query/hold.h"

static graze_status build_tree(const graze_mesh_view *view, const graze_shape_def *def,
                               graze_shape *shape)
{
    if (def->build != GRAZE_BUILD_LAZY || def->layout == GRAZE_LAYOUT_COMPACT ||
        view->triangle_count == 0)
        return gz_tree_build(shape->context, view, def, &shape->tree);
    graze_status status = gz_plan_frame(shape->context, view, &shape->tree);
    if (status == GRAZE_OK)
        status = gz_lazy_create(shape->context, view, &shape->tree, &shape->lazy);
    return status;
}

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
    if (def->build > GRAZE_BUILD_LAZY)
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
    status = build_tree(view, def, made);
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
    status = gz_shape_whole(shape, &tree);
    if (status != GRAZE_OK)
        return status;
    if (shape->lazy != NULL)
        gz_lazy_take(shape->lazy, &shape->tree);
    shape->lazy = NULL;
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
    const gz_tree *tree = NULL;
    graze_status status = gz_shape_whole(shape, &tree);
    return status == GRAZE_OK ? gz_tree_save(tree, path) : status;
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
    gz_lazy_free(shape->lazy);
    gz_tree_free(&shape->tree);
    gz_release(shape->context, shape, sizeof *shape);
}

graze_shape_info graze_shape_get_info(const graze_shape *shape)
{
    const gz_lazy_state *state = shape->lazy == NULL ? NULL : gz_lazy_hold(shape->lazy);
    const gz_tree *tree = state == NULL ? &shape->tree : &state->tree;
    uint64_t tree_bytes = state != NULL          ? gz_lazy_bytes(shape->lazy)
                          : shape->model != NULL ? graze_model_get_info(shape->model).resident_bytes
                                                 : gz_tree_bytes(tree) - sizeof *tree;
    graze_shape_info info = {
        .triangle_count = tree->triangle_count,
        .precision = tree->precision,
        .layout = tree->layout,
        .depth = tree->depth,
        .node_count = tree->node_count,
        .leaf_count = tree->leaf_count,
        .byte_count = sizeof *shape + tree_bytes + gz_shape_pieces_bytes(shape),
        .box = tree->box,
        .closed = gz_shape_known_closed(shape),
    };
    if (state != NULL)
        gz_lazy_drop(shape->lazy, state);
    return info;
}
