// Shapes: what a mesh becomes before it can be asked. See graze/shape.h.
#include <inttypes.h>

#include "base/context.h"
#include "base/def.h"
#include "base/file.h"
#include "base/memory.h"
#include "boxtree/tree_file.h"
#include "geometry/fpu.h"
#include "graze/model.h"
#include "mesh/view.h"
#include "query/closed.h"
#include "query/lazy_shape.h"

graze_shape *gz_shape_make(graze_context *context, const gz_shape_kind *kind, const char *who)
{
    graze_shape *made = gz_allocate(context, sizeof *made);
    if (made == NULL) {
        gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", who);
        return NULL;
    }
    *made = (graze_shape){.context = context, .kind = kind, .found = &made->own};
    return made;
}

// --- Shapes that are one tree

static graze_status own_tree(const graze_shape *shape, const gz_tree **tree)
{
    *tree = &shape->tree;
    return GRAZE_OK;
}

static uint64_t tree_bytes(const graze_shape *shape)
{
    return gz_tree_bytes(&shape->tree) - sizeof shape->tree;
}

static void free_tree(graze_shape *shape) { gz_tree_free(&shape->tree); }

const gz_shape_kind gz_shape_of_tree = {
    .whole = own_tree,
    .find_components = gz_tree_components,
    .bytes = tree_bytes,
    .free = free_tree,
};

// --- Making shapes

static graze_status check_def(graze_context *context, const char *who, const graze_shape_def *def)
{
    if (def->build > GRAZE_BUILD_LAZY)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: no way to build is %d", who,
                       (int)def->build);
    if (def->layout != GRAZE_LAYOUT_FAST && def->layout != GRAZE_LAYOUT_COMPACT)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: no layout is %d", who, (int)def->layout);
    return GRAZE_OK;
}

static graze_status make_of_view(graze_context *context, const char *who,
                                 const graze_mesh_view *view, const graze_shape_def *def,
                                 graze_shape **shape)
{
    bool lazy = def->build == GRAZE_BUILD_LAZY && def->layout != GRAZE_LAYOUT_COMPACT &&
                view->triangle_count != 0;
    graze_shape *made = gz_shape_make(context, lazy ? &gz_shape_of_lazy : &gz_shape_of_tree, who);
    if (made == NULL)
        return GRAZE_ERROR_MEMORY;
    graze_status status =
        lazy ? gz_shape_begin_lazy(view, made) : gz_tree_build(context, view, def, &made->tree);
    if (status == GRAZE_OK)
        *shape = made;
    else
        gz_release(context, made, sizeof *made);
    return status;
}

// The mesh in the world, where objects of the view are placed, or share triangles; else NULL.
static graze_status place_objects(graze_context *context, const graze_mesh_view *view,
                                  graze_mesh **placed)
{
    *placed = NULL;
    return gz_view_is_plain(view) ? GRAZE_OK : graze_mesh_flatten(context, view, placed);
}

graze_status graze_shape_create(graze_context *context, const graze_mesh_view *view,
                                const graze_shape_def *given, graze_shape **shape)
{
    const char *who = "graze_shape_create";
    if (shape != NULL)
        *shape = NULL;
    if (context == NULL || view == NULL || shape == NULL)
        return gz_fail_null(context, who);
    graze_shape_def room = graze_shape_def_default();
    const graze_shape_def *def = gz_def_known(context, who, given, &room, sizeof room);
    graze_status status = def == NULL ? GRAZE_ERROR_ARGUMENT : check_def(context, who, def);
    if (status == GRAZE_OK)
        status = gz_view_check(context, who, view);
    graze_mesh *placed = NULL;
    if (status == GRAZE_OK)
        status = place_objects(context, view, &placed);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view in_world = placed == NULL ? *view : graze_mesh_get(placed);
    status = make_of_view(context, who, &in_world, def, shape);
    graze_mesh_free(placed);
    return status;
}

static graze_status read_mesh(graze_context *context, const char *path, const graze_shape_def *def,
                              graze_shape **shape)
{
    graze_mesh *mesh = NULL;
    graze_status status = graze_mesh_read(context, path, NULL, &mesh);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(mesh);
    status = graze_shape_create(context, &view, def, shape);
    graze_mesh_free(mesh);
    return status;
}

static graze_status read_model(graze_context *context, const char *path, graze_shape **shape)
{
    graze_model *model = NULL;
    graze_status status = graze_model_open(context, path, &model);
    if (status == GRAZE_OK)
        status = graze_shape_from_model(model, shape);
    if (status == GRAZE_OK)
        (*shape)->owns_model = true;
    else
        graze_model_free(model);
    return status;
}

graze_status graze_shape_read(graze_context *context, const char *path, const graze_shape_def *def,
                              graze_shape **shape)
{
    if (shape != NULL)
        *shape = NULL;
    if (context == NULL || path == NULL || shape == NULL)
        return gz_fail_null(context, "graze_shape_read");
    if (graze_model_recognise(path))
        return read_model(context, path, shape);
    if (gz_tree_recognise(path))
        return graze_shape_load(context, path, shape);
    if (gz_file_begins(path, GZ_SCENE_MAGIC, sizeof GZ_SCENE_MAGIC))
        return gz_fail(context, GRAZE_ERROR_FORMAT,
                       "%s: this is a scene, which keeps many objects apart, not a shape", path);
    return read_mesh(context, path, def, shape);
}

static graze_status refit(graze_shape *shape, const graze_mesh_view *view, double *looseness)
{
    const char *who = "graze_shape_refit";
    const gz_tree *tree = &shape->tree;
    if (view->triangle_count != tree->triangle_count)
        return gz_fail(shape->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the shape has %" PRIu64 " triangles, the mesh %" PRIu64, who,
                       tree->triangle_count, view->triangle_count);
    if (view->precision != tree->precision)
        return gz_fail(shape->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the shape has coordinates of %d bytes, the mesh of %d", who,
                       (int)tree->precision, (int)view->precision);
    graze_status status = shape->kind->whole(shape, &tree);
    if (status != GRAZE_OK)
        return status;
    gz_shape_end_lazy(shape);
    gz_fpu_state state = gz_fpu_enter();
    status = gz_tree_refit(&shape->tree, view, looseness);
    gz_fpu_leave(state);
    if (status == GRAZE_OK)
        gz_shape_free_components(shape);
    return status;
}

graze_status graze_shape_refit(graze_shape *shape, const graze_mesh_view *view, double *looseness)
{
    const char *who = "graze_shape_refit";
    double ignored;
    if (shape == NULL || view == NULL)
        return gz_fail_null(shape == NULL ? NULL : shape->context, who);
    graze_mesh *placed = NULL;
    graze_status status = gz_view_check(shape->context, who, view);
    if (status == GRAZE_OK)
        status = place_objects(shape->context, view, &placed);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view in_world = placed == NULL ? *view : graze_mesh_get(placed);
    status = refit(shape, &in_world, looseness == NULL ? &ignored : looseness);
    graze_mesh_free(placed);
    return status;
}

graze_status graze_shape_save(const graze_shape *shape, const char *path)
{
    if (shape == NULL || path == NULL)
        return gz_fail_null(shape == NULL ? NULL : shape->context, "graze_shape_save");
    const gz_tree *tree = NULL;
    graze_status status = shape->kind->whole(shape, &tree);
    return status == GRAZE_OK ? gz_tree_save(tree, path) : status;
}

graze_status graze_shape_load(graze_context *context, const char *path, graze_shape **shape)
{
    if (shape != NULL)
        *shape = NULL;
    if (context == NULL || path == NULL || shape == NULL)
        return gz_fail_null(context, "graze_shape_load");
    graze_shape *made = gz_shape_make(context, &gz_shape_of_tree, "graze_shape_load");
    if (made == NULL)
        return GRAZE_ERROR_MEMORY;
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
    gz_shape_free_components(shape);
    shape->kind->free(shape);
    gz_release(shape->context, shape, sizeof *shape);
}

graze_shape_info graze_shape_get_info(const graze_shape *shape)
{
    gz_tree_pins pins = {0};
    gz_shape_pin_present(shape, &pins);
    const gz_tree *tree = pins.tree[0];
    graze_shape_info info = {
        .triangle_count = tree->triangle_count,
        .precision = tree->precision,
        .layout = tree->layout,
        .depth = tree->depth,
        .node_count = tree->node_count,
        .leaf_count = tree->leaf_count,
        .byte_count = sizeof *shape + shape->kind->bytes(shape) + gz_shape_components_bytes(shape),
        .box = tree->box,
        .closed = gz_shape_known_closed(shape),
    };
    gz_pin_end(&pins);
    return info;
}
