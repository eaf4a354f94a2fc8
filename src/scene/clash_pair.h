// What two objects are to each other: apart, too near, touching, in each other.
#ifndef GZ_CLASH_PAIR_H
#define GZ_CLASH_PAIR_H

#include <stdbool.h>

#include "graze/clash.h"
#include "scene/clash_places.h"

typedef struct gz_clash_side {
    graze_posed at;
    graze_box box; // in the world, rounded outward
    uint64_t hash; // of the triangles in their own frame; 0: not known
    uint64_t triangle_count;
} gz_clash_side;

typedef struct gz_clash_limits {
    double touch, clearance; // finite, and not negative
    double depth_error;      // depths are known to this part of them
    bool list_touching;      // else of a pair that touches nothing but the kind is wanted
} gz_clash_limits;

// Fills in all but the objects and the rule. The kind is GRAZE_CLASH_NONE if there is nothing to
// tell. Asked the other way round, the points are swapped, `inner` is the other one, and all else
// is the same, in every bit.
//
// Depths: those of graze_query_penetration. A depth that is not proved to be at most touch counts
// as an overlap: it may be less than touch by a part in 512. So does one that the search gives up
// on, after a number of steps that is always the same; then the bounds are far apart. A shape that
// is not closed but contained has no depth, and both bounds are 0. So has one that has some parts
// inside the other and some not: if it is not closed, that is a crossing of length 0.
// @return as graze_query_collide.
graze_status gz_clash_classify(graze_query *query, const gz_clash_side *a, const gz_clash_side *b,
                               const gz_clash_limits *limits, graze_clash *out);
// The same, and the places where they meet: one at least where a region is told, else none.
graze_status gz_clash_classify_places(graze_query *query, const gz_clash_side *a,
                                      const gz_clash_side *b, const gz_clash_limits *limits,
                                      graze_clash *out, gz_places *places);

#endif
