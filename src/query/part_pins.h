// Pins the trees of parts, one of each of two shapes, while a question asks them.
#ifndef GZ_PART_PINS_H
#define GZ_PART_PINS_H

#include "query/query_scratch.h"

// One of two shapes in a question.
typedef struct gz_side {
    const graze_shape *shape;
    const graze_pose *pose;
    const gz_tree *tree; // of a shape of one part; NULL: there are many
} gz_side;

typedef struct gz_part_pair {
    uint32_t a, b; // parts
} gz_part_pair;

// Fails, with a sentence, where a tree that grows cannot be grown whole.
graze_status gz_side_set(graze_posed posed, gz_side *side);

// How far a box and all boxes of leaves of a tree, or two boxes over parts, are apart at least.
double gz_tree_gap(const gz_tree *tree, const graze_pose *pose, const gz_middle *box,
                   const graze_pose *box_pose);
double gz_parts_gap(const gz_side *a, gz_part_node node_a, const gz_side *b, gz_part_node node_b);
// The tree of one part is no single box: if one of two parts is that, how far its leaves are from
// the other at least; else 0.
double gz_parts_leaf_gap(const gz_side *a, gz_part_node node_a, const gz_side *b,
                         gz_part_node node_b);

// The pinned trees of a pair of parts. They stay from one pair to the next where they are the same.
typedef struct gz_part_pins {
    gz_cache_reservation *reservation; // NULL: no page has been pinned yet
    const gz_side *side[2];
    const gz_tree *tree[2];
    uint32_t part[2];
    struct gz_budget *budget; // NULL: pages may be waited for
    uint64_t loads;           // pages that were not in the cache, when it ends
    uint64_t loads_before;    // by others, through the reservation
} gz_part_pins;

// Pins that are zero but for the sides are pins of nothing. They end with gz_parts_unpin. With a
// budget, a tree that is not there is NULL, and the budget knows.
graze_status gz_parts_pin_pair(gz_part_pins *pins, gz_part_pair pair);
graze_status gz_parts_pin(gz_part_pins *pins, int side, uint32_t part); // of one side only
void gz_parts_unpin(gz_part_pins *pins);
// Pages that were not in the cache so far.
static inline uint64_t gz_parts_loads(const gz_part_pins *pins)
{
    return pins->reservation == NULL
               ? pins->loads
               : pins->loads + gz_cache_loads(pins->reservation) - pins->loads_before;
}

// --- Questions about shapes of which one has many parts

graze_status gz_parts_collide(graze_query *query, graze_posed a, graze_posed b,
                              const graze_collide_def *def, graze_answer *answer);

// Of all pairs that share a point the first by numbers, with its triangles in the world.
typedef struct gz_first_pair {
    bool found;
    graze_pair pair;
    graze_triangle a, b;
} gz_first_pair;
// Fills in all of the answer but the lists. GRAZE_ERROR_MEMORY is said without a sentence.
graze_status gz_parts_find_first(graze_query *query, graze_posed a, graze_posed b,
                                 uint64_t work_limit, gz_first_pair *first, graze_answer *answer);

// Fills in all of the answer but the lists. GRAZE_ERROR_MEMORY is said without a sentence.
graze_status gz_parts_show(graze_query *query, graze_posed a, graze_posed b, double tolerance,
                           const gz_pair_visitor *visitor, graze_answer *answer);

graze_status gz_parts_distance(graze_query *query, graze_posed a, graze_posed b,
                               const graze_distance_def *def, graze_distance *out);

#endif
