// A query: the scratch that questions about two shapes need, and the answer's lists.
#ifndef GZ_QUERY_SCRATCH_H
#define GZ_QUERY_SCRATCH_H

#include "base/memory.h"
#include "boxtree/tree_distance.h"
#include "boxtree/tree_pairs.h"
#include "graze/query.h"
#include "query/shape_tree.h"

struct graze_query {
    graze_context *context;
    gz_pair_query pairs;
    gz_distance_query distance;
    gz_list sorted; // graze_pair, for sorting
};

// GRAZE_ERROR_ARGUMENT, with a sentence, unless shapes and poses can be asked about: rotations are
// rotations, and no posed coordinate overflows.
graze_status gz_question_check(const graze_query *query, const char *who, const graze_shape *a,
                               const graze_pose *pose_a, const graze_shape *b,
                               const graze_pose *pose_b);

graze_counters gz_question_counters(const gz_pair_counters *c);

#endif
