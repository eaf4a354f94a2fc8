// A shape: a tree over triangles. See graze/shape.h.
#ifndef GZ_SHAPE_TREE_H
#define GZ_SHAPE_TREE_H

#include <stdatomic.h>

#include "boxtree/tree_lazy.h"
#include "graze/shape.h"

// What is found out when it is first asked for: the only part of a shape that changes.
typedef struct gz_shape_found {
    _Atomic(struct gz_pieces *) pieces; // of closed.h
} gz_shape_found;

struct graze_shape {
    graze_context *context;
    gz_tree tree;              // of a lazy one the frame only: what is known from the beginning
    gz_lazy *lazy;             // NULL where the tree is whole
    struct graze_model *model; // not NULL: the tree is a frame only, and the triangles are there
    gz_shape_found own;
    gz_shape_found *found; // the own one, which may change where the shape is const
};

static inline bool gz_shape_is_paged(const graze_shape *shape) { return shape->model != NULL; }

// Fails with a sentence: the shape is over a model, of which not all triangles are at hand.
graze_status gz_shape_refuse_model(const graze_shape *shape);

// The whole tree, NULL while some of it is missing. Of a shape whose closedness is known it is
// never missing.
static inline const gz_tree *gz_shape_tree(const graze_shape *shape)
{
    return shape->lazy == NULL ? &shape->tree : gz_lazy_whole(shape->lazy);
}

#endif
