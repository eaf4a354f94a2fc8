// Shapes whose tree grows where it is asked about. See lazy_shape.h, and tree_lazy.h for the tree.
#include "query/lazy_shape.h"

#include "base/context.h"
#include "boxtree/tree_builder.h"
#include "query/closed.h"

static graze_status grow_whole(const graze_shape *shape, const gz_tree **tree)
{
    graze_status status = gz_lazy_grow(shape->lazy, NULL);
    *tree = status == GRAZE_OK ? gz_lazy_whole(shape->lazy) : NULL;
    return status;
}

static uint64_t lazy_bytes(const graze_shape *shape) { return gz_lazy_bytes(shape->lazy); }

static void free_lazy(graze_shape *shape)
{
    gz_lazy_free(shape->lazy);
    gz_tree_free(&shape->tree);
}

const gz_shape_kind gz_shape_of_lazy = {
    .whole = grow_whole,
    .find_components = gz_tree_components,
    .bytes = lazy_bytes,
    .free = free_lazy,
};

graze_status gz_shape_begin_lazy(const graze_mesh_view *view, graze_shape *shape)
{
    graze_status status = gz_tree_builder_frame(shape->context, view, &shape->tree);
    if (status == GRAZE_OK)
        status = gz_lazy_create(shape->context, view, &shape->tree, &shape->lazy);
    return status;
}

void gz_shape_end_lazy(graze_shape *shape)
{
    if (shape->lazy == NULL)
        return;
    gz_lazy_take(shape->lazy, &shape->tree);
    shape->lazy = NULL;
    shape->kind = &gz_shape_of_tree;
}

void gz_shape_pin_present(const graze_shape *shape, gz_tree_pins *pins)
{
    pins->shape[0] = shape;
    pins->state[0] = shape->lazy == NULL ? NULL : gz_lazy_pin(shape->lazy);
    pins->tree[0] = shape->lazy == NULL ? &shape->tree : &pins->state[0]->tree;
}
