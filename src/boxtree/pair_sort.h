// Pairs in order: by the first number, then by the second.
#ifndef GZ_PAIR_SORT_H
#define GZ_PAIR_SORT_H

#include <stdint.h>

#include "graze/query.h"

// Sorts `pairs`, with room for as many in `spare`. Returns where the sorted ones are: one of the
// two. Numbers of a are below limit_a, those of b below limit_b.
graze_pair *gz_pairs_sort(graze_pair *pairs, graze_pair *spare, uint64_t count, uint64_t limit_a,
                          uint64_t limit_b);

// Two sorted lists as one.
void gz_pairs_merge(const graze_pair *many, uint64_t many_count, const graze_pair *few,
                    uint64_t few_count, graze_pair *out);

#endif
