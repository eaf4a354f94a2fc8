// Two trees in poses of their own that share no point: how far apart are they, and where?
#ifndef GZ_TREE_DISTANCE_H
#define GZ_TREE_DISTANCE_H

#include "base/memory.h"
#include "boxtree/tree_frames.h"
#include "boxtree/tree_pairs.h"

// Two triangles that may be the closest, by places in the trees.
typedef struct gz_close_pair {
    double least; // the distance is at least this, in A's model units
    uint32_t leaf_a, leaf_b;
    uint32_t slot_a, slot_b;
} gz_close_pair;

// How high the children of a node reach along a direction, as far as that is known.
#define GZ_HEIGHT_BITS 11
typedef struct gz_height_row {
    uint64_t number;      // of the direction; 0: nothing is known
    uint32_t node, known; // a bit for each child
    float height[GZ_WIDE];
} gz_height_row;

typedef struct gz_distance_query {
    gz_frames frames;
    double limit;        // in the world; farther pairs are not looked for
    double most;         // the smallest distance is at most this, in A's model units
    double direction[3]; // from A to B at the closest pair so far, in A's model frame: of length 1,
                         // or nothing at first
    uint64_t direction_number;             // no other direction of the query has or had it
    GZ_LIST(gz_height_row) heights;        // twice 2^GZ_HEIGHT_BITS: of nodes of A, and of B
    GZ_LIST(struct gz_waiting_nodes) heap; // of pairs of nodes, the kernel's
    GZ_LIST(gz_close_pair) candidates;
    uint64_t work_limit;
    gz_pair_counters counters; // contacts: exact distances
    graze_context *context;
    graze_status status;
    bool stopped; // by the work limit or the status
    uint64_t work_due;
    graze_triangle closest_a, closest_b; // of the closest pair, in the world, if one was found
    double least_open; // when stopped: nothing is closer than this, in A's model units
} gz_distance_query;

void gz_distance_query_init(gz_distance_query *query, graze_context *context);
void gz_distance_query_free(gz_distance_query *query);

// Sets everything in `out` but its counters. The trees are not empty and share no point.
graze_status gz_distance_query_run(gz_distance_query *query, const gz_tree *a,
                                   const graze_pose *pose_a, const gz_tree *b,
                                   const graze_pose *pose_b, graze_distance *out);

// For the kernels.
bool gz_distance_go_on(gz_distance_query *query);
bool gz_distance_keep(gz_distance_query *query, gz_close_pair pair);

// Fills the candidates, among which the closest pair is, and sets `most`.
typedef void gz_distance_kernel(gz_distance_query *query);

#endif
