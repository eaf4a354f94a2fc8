// What a tree is like, without its numbers: which triangles share leaves, and which leaves and
// nodes share nodes. With that, a tree is made much sooner than it is found, and it takes a byte or
// two a triangle to keep.
#ifndef GZ_TREE_RECIPE_H
#define GZ_TREE_RECIPE_H

#include "boxtree/tree.h"

typedef struct gz_recipe {
    const uint16_t *leaf; // of each triangle; leaves count from 0 in the order of the walk
    const uint8_t *step;  // of a depth-first walk: how many children a node has, 0 for a leaf
    uint32_t step_count;
} gz_recipe;

// No tree has more steps.
#define GZ_RECIPE_STEPS(triangle_count) (2 * (triangle_count))

// Writes the recipe of a tree of the fast layout, of up to 65,536 triangles with the numbers that
// they have in their mesh. Returns the number of steps.
uint32_t gz_recipe_write(const gz_tree *tree, uint16_t *leaf, uint8_t *step);

// As gz_tree_build. GRAZE_ERROR_FORMAT, without a sentence, if there is no such tree.
graze_status gz_recipe_follow(graze_context *context, const graze_mesh_view *view,
                              const gz_recipe *recipe, gz_tree *tree);

#endif
