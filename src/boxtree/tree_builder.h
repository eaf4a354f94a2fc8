// A tree on its way: the nodes at the top, and the subtrees below them that are grown on their own,
// on several threads or when they are needed. What was grown is joined to the flat arrays of a
// gz_tree.
#ifndef GZ_TREE_BUILDER_H
#define GZ_TREE_BUILDER_H

#include <stdatomic.h>

#include "base/memory.h"
#include "base/simd.h"
#include "boxtree/tree_leaf.h"

// A triangle on its way down: its box relative to the origin, rounded outward, and its number.
typedef struct gz_reference {
    gz_f4 low; // the fourth float holds the bits of the number
    gz_f4 high;
} gz_reference;

typedef struct gz_range {
    gz_f4 low, high;   // of the boxes
    gz_f4 least, most; // of twice the middles of the boxes
    uint32_t first, count;
    uint32_t depth; // in halvings
    uint32_t cut;   // number of the cut that is made of it already, plus one; 0: none
    uint32_t leaf;  // where its vertices are, if it is
    bool whole;     // one
} gz_range;

// Where something is in the arrays of a tree, or of a subtree.
typedef struct gz_stretch {
    uint32_t first_node, node_count, first_leaf, leaf_count;
    uint64_t first_vertex, vertex_count; // of doubles only
    uint32_t root;                       // a child value
} gz_stretch;

// The two sides of a range that was cut on a grid, before there were references.
typedef struct gz_grid_cut {
    gz_range lower, upper;
} gz_grid_cut;

// What is grown on its own. Children of its nodes count from its own beginning.
typedef struct gz_subtree {
    struct gz_tree_builder *builder;
    gz_range from;
    GZ_LIST(gz_node) nodes;        // as it was grown, until it is joined
    gz_list leaves;                // the same, as the precision says
    gz_point_list vertices;        // of leaves, if they are doubles
    GZ_LIST(struct gz_twig) twigs; // while it is
    uint32_t depth, root;
    graze_status status;
    bool grown;
    bool joined;
    gz_stretch at; // in the tree that it was joined to last
} gz_subtree;

typedef struct gz_tree_builder {
    graze_context *context;
    const graze_mesh_view *view;
    gz_reference *references; // one for each triangle; those of a subtree stand together
    double origin[3], scale;
    uint64_t subtree_limit;    // triangles
    bool quick;                // cuts, above the subtrees and in them
    GZ_LIST(gz_grid_cut) cuts; // of the largest ranges
    uint32_t *places;          // of references, by the triangles' numbers, if not the same
    GZ_LIST(gz_node) nodes;    // those at the top, with subtrees for children
    GZ_LIST(gz_subtree) subtrees;
    atomic_flag asking;    // a thread asks whether to go on
    atomic_bool cancelled; // and one of them heard no
    _Atomic uint64_t done; // triangles in finished subtrees
} gz_tree_builder;

// Sets the frame of a tree without triangles yet. GRAZE_ERROR_UNSUPPORTED if there are too many,
// GRAZE_ERROR_ARGUMENT if a coordinate is not finite.
graze_status gz_tree_builder_frame(graze_context *context, const graze_mesh_view *view,
                                   gz_tree *tree);

// Cuts the triangles of the view, which stays, down to subtrees. The frame is the tree's.
graze_status gz_tree_builder_make(gz_tree_builder *builder, const gz_tree *frame);
void gz_tree_builder_free(gz_tree_builder *builder);

// Sets subtree->status; what is grown so far goes where that is an error. Any threads may grow
// different subtrees.
void gz_tree_builder_grow(gz_tree_builder *builder, uint32_t subtree);

// Writes the numbers of a grown subtree's triangles to their places.
void gz_tree_builder_order(const gz_tree_builder *builder, uint32_t subtree, uint32_t *order);

// Fills in nodes, leaves and depth. Parts come as they were grown, or from the tree that they were
// joined to last. In place of others stands a node without children, whose first child tells which
// subtree it is: it may be walked into like any other. If memory runs out, nothing changes but
// `tree`, which is to be freed.
graze_status gz_tree_builder_join(gz_tree_builder *builder, const gz_tree *last, gz_tree *tree);

// What a tree is returned with: if it is not good, nothing is left of it, and want of memory is
// told.
graze_status gz_tree_made(gz_tree *tree, const graze_mesh_view *view, graze_status status);

// How large leaves are on the average; 0 where they are too large for floats.
double gz_tree_mean_size(const gz_tree *tree);

// Below so many triangles cuts are tried along all axes.
#define GZ_FEW 250

static inline float gz_half_area(gz_f4 low, gz_f4 high)
{
    gz_f4 d = high - low;
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

// For tree_build.c: the bounds of a range by its references; and a range cut in two, whose
// references change places.
void gz_range_bound(const gz_reference *references, gz_range *range);
void gz_cut(const gz_tree_builder *builder, const gz_range *whole, gz_range *lower,
            gz_range *upper);

// For tree_build.c: makes the first cuts of a large mesh on a grid, sets the places, and the range
// of all triangles.
graze_status gz_grid_make(gz_tree_builder *builder, gz_range *all);
void gz_tree_builder_end_places(gz_tree_builder *builder); // when there are references

// For tree_build.c and tree_join.c.
uint64_t gz_leaf_bytes(graze_precision precision);
void gz_node_fill(gz_node *node, const gz_range *children, uint32_t count);
void gz_node_set_child(const gz_tree_builder *builder, const gz_leaf_store *store, gz_node *node,
                       uint32_t index, uint32_t child);
void gz_subtree_clear(gz_subtree *subtree); // lets go of what was grown
#define GZ_IS_SUBTREE 0x40000000u // in a child of a node at the top: the rest is a subtree's number

#endif
