// Fronts of pairs of parts: what one pair of shapes of many parts remembers.
#ifndef GZ_PART_FRONTS_H
#define GZ_PART_FRONTS_H

#include "boxtree/tree_front.h"

typedef struct gz_part_front {
    uint32_t a, b; // which clusters, whatever cut they are part of; 0 for a mesh
    uint64_t turn; // of the question that used it last
    struct gz_part_front *next;
    gz_front front;
} gz_part_front;

// From zeros on.
typedef struct gz_part_fronts {
    uint64_t shape_a, shape_b; // serial numbers of models, or of trees
    gz_part_front **slots;
    uint64_t slot_count, count;
    uint64_t turn;
} gz_part_fronts;

// A question about two shapes begins: fronts of others, and those that were not used for a while,
// are let go.
void gz_part_fronts_begin(graze_context *context, gz_part_fronts *fronts, uint64_t shape_a,
                          uint64_t shape_b);
// The front of two clusters, which is there from then on. NULL when out of memory: then it is asked
// without.
gz_front *gz_part_fronts_find(graze_context *context, gz_part_fronts *fronts, uint32_t a,
                              uint32_t b);
void gz_part_fronts_free(graze_context *context, gz_part_fronts *fronts);

#endif
