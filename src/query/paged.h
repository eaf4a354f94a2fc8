// Questions about shapes over models, cluster by cluster.
//
// A shape is some parts, each with a box and a tree: the clusters of a model, or one part that is a
// shape's own tree. Pairs of parts whose boxes are near each other are asked one after the other,
// and what they answer is put together. Trees of clusters are held only while they are asked.
#ifndef GZ_PAGED_H
#define GZ_PAGED_H

#include "model/page_cache.h"
#include "query/query_scratch.h"

// One of the two shapes.
typedef struct gz_paged_side {
    graze_model *model;  // NULL: a tree
    const gz_tree *tree; // of a shape that has one
    const graze_pose *pose;
    uint64_t triangle_count;
} gz_paged_side;

// A box over parts: of the tree over a model's clusters, whose level 0 has the parts themselves.
typedef struct gz_paged_node {
    uint32_t level, index;
} gz_paged_node;

typedef struct gz_paged_pair {
    uint32_t a, b; // parts
} gz_paged_pair;

// Fails, with a sentence, where a lazy tree cannot be built.
graze_status gz_paged_side_set(const graze_shape *shape, const graze_pose *pose,
                               gz_paged_side *side);

gz_paged_node gz_paged_root(const gz_paged_side *side);
gz_middle gz_paged_middle(const gz_paged_side *side, gz_paged_node node);
// The boxes below a node above level 0: `count` from `first` on, one level down.
uint32_t gz_paged_below(const gz_paged_side *side, gz_paged_node node, gz_paged_node *first);

// How far a box and all boxes of leaves of a tree, or two boxes over parts, are apart at least.
double gz_tree_gap(const gz_tree *tree, const graze_pose *pose, const gz_middle *box,
                   const graze_pose *box_pose);
double gz_paged_gap(const gz_paged_side *a, gz_paged_node node_a, const gz_paged_side *b,
                    gz_paged_node node_b);

// The trees of a pair of parts, held from one pair to the next where they are the same.
typedef struct gz_paged_hold {
    gz_cache_seat *seat; // NULL: no model has been asked yet
    const gz_paged_side *side[2];
    const gz_tree *tree[2];
    uint32_t part[2];
} gz_paged_hold;

// A hold that is zero but for the sides is one of nothing. It ends with gz_paged_hold_end.
graze_status gz_paged_hold_pair(gz_paged_hold *hold, gz_paged_pair pair);
graze_status gz_paged_hold_part(gz_paged_hold *hold, int side, uint32_t part); // of one side only
void gz_paged_hold_end(gz_paged_hold *hold);

graze_status gz_paged_collide(graze_query *query, const graze_shape *a, const graze_pose *pose_a,
                              const graze_shape *b, const graze_pose *pose_b,
                              const graze_collide_def *def, graze_answer *answer);

// Of all pairs that share a point the first by numbers, with its triangles in the world.
typedef struct gz_paged_first {
    bool found;
    graze_pair pair;
    graze_triangle a, b;
} gz_paged_first;
// Fills in all of the answer but the lists. GRAZE_ERROR_MEMORY is said without a sentence.
graze_status gz_paged_find_first(graze_query *query, const graze_shape *a, const graze_pose *pose_a,
                                 const graze_shape *b, const graze_pose *pose_b,
                                 uint64_t work_limit, gz_paged_first *first, graze_answer *answer);

graze_status gz_paged_distance(graze_query *query, const graze_shape *a, const graze_pose *pose_a,
                               const graze_shape *b, const graze_pose *pose_b,
                               const graze_distance_def *def, graze_distance *out);

#endif
