// A shape: a tree over triangles. See graze/shape.h.
#ifndef GZ_SHAPE_TREE_H
#define GZ_SHAPE_TREE_H

#include "boxtree/tree.h"
#include "graze/shape.h"

struct graze_shape {
    graze_context *context;
    gz_tree tree;
};

#endif
