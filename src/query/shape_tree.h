// A shape: a tree over triangles. See graze/shape.h.
#ifndef GZ_SHAPE_TREE_H
#define GZ_SHAPE_TREE_H

#include <stdatomic.h>

#include "boxtree/tree.h"
#include "graze/shape.h"

// What is found out when it is first asked for: the only part of a shape that changes.
typedef struct gz_shape_found {
    _Atomic(struct gz_pieces *) pieces; // of closed.h
} gz_shape_found;

struct graze_shape {
    graze_context *context;
    gz_tree tree;
    gz_shape_found own;
    gz_shape_found *found; // the own one, which may change where the shape is const
};

#endif
