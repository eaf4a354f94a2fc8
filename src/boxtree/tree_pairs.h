// Two trees in poses of their own: which triangles share a point?
#ifndef GZ_TREE_PAIRS_H
#define GZ_TREE_PAIRS_H

#include "base/memory.h"
#include "boxtree/tree.h"

// Numbers of two triangles, of A's mesh and of B's.
typedef struct gz_pair {
    uint32_t a, b;
} gz_pair;

typedef struct gz_pair_counters {
    uint64_t node_pairs;     // a node against a node: 64 boxes
    uint64_t leaf_pairs;     // leaves that were taken apart
    uint64_t box_pairs;      // triangles whose boxes were compared
    uint64_t triangle_pairs; // that went through the float test
    uint64_t exact_pairs;    // that it left to the exact one
    uint64_t contacts;
} gz_pair_counters;

// One question, set up in double once. Floats are in the units of A's rows.
typedef struct gz_pair_query {
    const gz_tree *a, *b;
    graze_pose pose_a, pose_b;
    double matrix[9], shift[3];        // from B's model frame to A's
    double error;                      // of a posed and transformed coordinate, in A's model units
    float forth[9], back[9];           // from B's rows to A's and back
    float forth_low[3], forth_high[3]; // shift - margin, -shift - margin
    float back_low[3], back_high[3];
    bool sound; // false: too large or too small for floats; every pair is compared exactly

    graze_context *context;
    gz_list scratch; // bytes
    gz_list pairs;   // gz_pair
    gz_pair_counters counters;
    graze_status status;
} gz_pair_query;

void gz_pair_query_init(gz_pair_query *query, graze_context *context);
void gz_pair_query_free(gz_pair_query *query);
// Fills query->pairs and query->counters; pairs come in an order that depends on the trees only.
graze_status gz_pair_query_run(gz_pair_query *query, const gz_tree *a, const graze_pose *pose_a,
                               const gz_tree *b, const graze_pose *pose_b);

// For the kernels: the exact answer for two triangles, and a contact to keep.
bool gz_pair_meets(const gz_pair_query *query, uint32_t leaf_a, uint32_t slot_a, uint32_t leaf_b,
                   uint32_t slot_b);
bool gz_pair_keep(gz_pair_query *query, uint32_t leaf_a, uint32_t slot_a, uint32_t leaf_b,
                  uint32_t slot_b); // false when out of memory, which the query's status says

typedef void gz_pair_kernel(gz_pair_query *query);
#endif
