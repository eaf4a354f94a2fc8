// A BVH over boxes of objects and their pieces: eight to a node, packed, without pointers. Boxes
// lie in the order of median cuts across the longest side; box j of a level holds the boxes 8j to
// 8j + 7 of the level below. For the overlap graph and for moving boxes; it knows numbers only.
//
// Bounds are double and as given, so a hit is a fact: the closed boxes share a point. Places that
// are empty have NaN for bounds, which no comparison finds.
#ifndef GZ_NODE_BVH_H
#define GZ_NODE_BVH_H

#include <stdbool.h>

#include "base/memory.h"
#include "graze/geometry.h"

#define GZ_NODE_WIDE   8u
#define GZ_NODE_LEVELS 11 // 8^11 is more than there can be

typedef struct gz_node_block {
    double low[3][GZ_NODE_WIDE], high[3][GZ_NODE_WIDE];
} gz_node_block;

typedef struct gz_node_bvh {
    uint32_t count;       // boxes: those that were not empty
    uint32_t *number;     // of the box at a place
    uint32_t level_count; // 0: there is nothing; the last one has eight boxes at most
    uint32_t size[GZ_NODE_LEVELS];
    gz_node_block *level[GZ_NODE_LEVELS]; // level 0 has the boxes
    uint64_t block_count;                 // of all levels, which lie one behind the other
} gz_node_bvh;

// Empty boxes are left out. No bound is NaN. False when out of memory.
bool gz_node_bvh_make(graze_context *context, const graze_box *boxes, uint32_t box_count,
                      gz_node_bvh *bvh);
void gz_node_bvh_free(graze_context *context, gz_node_bvh *bvh); // it can be used again

// The box at a place is not there any more.
void gz_node_bvh_clear(gz_node_bvh *bvh, uint32_t place);

// Calls visit with each place from `first` on whose box shares a point with `box`, in no order that
// means anything, until it says false. Returns what the last call said.
typedef bool gz_node_visit(void *user, uint32_t place);
bool gz_node_bvh_find(const gz_node_bvh *bvh, const graze_box *box, uint32_t first,
                      gz_node_visit *visit, void *user);

static inline bool gz_box_is_empty(const graze_box *box)
{
    return box->min[0] > box->max[0] || box->min[1] > box->max[1] || box->min[2] > box->max[2];
}
static inline bool gz_box_is_ordered(const graze_box *box) // no bound is NaN
{
    bool ordered = true;
    for (int axis = 0; axis < 3; ++axis)
        ordered = ordered && box->min[axis] == box->min[axis] && box->max[axis] == box->max[axis];
    return ordered;
}
// Do two closed boxes share a point? Exact, like graze_box_overlap.
static inline bool gz_boxes_meet(const graze_box *a, const graze_box *b)
{
    bool apart = false;
    for (int axis = 0; axis < 3; ++axis)
        apart |= (a->max[axis] < b->min[axis]) | (b->max[axis] < a->min[axis]);
    return !apart;
}

#endif
