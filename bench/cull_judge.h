// Compares the pairs of triangles that two engines found in a frame. Where they differ, rational
// arithmetic says who is right: the referee of the tests, which shares nothing with graze.
#ifndef GRAZE_BENCH_CULL_JUDGE_H
#define GRAZE_BENCH_CULL_JUDGE_H

#include <stdbool.h>

#include "oracle.h"
#include "peers/deformer.h"

typedef struct deform_pairs {
    deform_pair *pairs; // sorted by objects, then triangles
    uint64_t count, room;
} deform_pairs;

// Takes what an engine found in its last frame.
// @return false if memory ran out.
bool deform_pairs_take(deform_pairs *pairs, const deformer *from, void *opened, uint64_t count);

typedef struct deform_verdict {
    uint64_t missed, surplus; // pairs that are in the known list only, and in the other one only
    uint64_t refuted;         // of the first few: the known list is the wrong one
} deform_verdict;

// @param all_common  false: pairs with a common corner are passed over in both.
deform_verdict deform_pairs_judge(oracle *referee, const deform_frame *frame,
                                  const deform_pairs *known, const deform_pairs *found,
                                  bool all_common);

#endif
