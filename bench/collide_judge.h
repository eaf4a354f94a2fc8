// Compares the pairs of triangles that two engines found. Where they differ, rational arithmetic
// says who is right: the referee of the tests, which shares nothing with graze.
#ifndef GRAZE_BENCH_COLLIDE_JUDGE_H
#define GRAZE_BENCH_COLLIDE_JUDGE_H

#include "oracle.h"
#include "peers/collider.h"

typedef struct pair_list {
    collider_pair *pairs; // sorted by a, then b
    uint64_t count;
} pair_list;

void pair_list_sort(pair_list *list);

typedef struct pair_verdict {
    uint64_t different; // pairs that are in one list only
    uint64_t judged;    // of these: by the referee, who takes the first few only
    uint64_t refuted;   // of these: the first list is the wrong one
} pair_verdict;

pair_verdict pair_list_judge(oracle *referee, const collider_mesh *a, const collider_mesh *b,
                             const collider_pose *pose, const pair_list *ours,
                             const pair_list *theirs);

#endif
