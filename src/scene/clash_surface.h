// Where two surfaces meet, and whether they pierce each other by more than touch.
#ifndef GZ_CLASH_SURFACE_H
#define GZ_CLASH_SURFACE_H

#include <stdbool.h>

#include "graze/query.h"
#include "scene/clash_places.h"

// Do two surfaces pierce each other by more than touch? Not if no two triangles cross; nor if each
// place where some do is parted by a shift of `touch`, along the shortest way out of the two
// triangles that cross there. What cannot be told counts as yes. The order of the two may matter in
// cases that are hard to tell: callers have one of their own.
// @return as graze_query_collide.
graze_status gz_surfaces_pierce(graze_query *query, graze_posed a, graze_posed b, double touch,
                                bool *pierce);

// Where two surfaces are at most a tolerance apart, from a bounded number of pairs of triangles.
typedef struct gz_meeting {
    graze_box box;    // empty if no pair was seen
    gz_places places; // boxes of places apart
    bool whole;       // all pairs were seen
    double point[3];  // of the first pair, if the tolerance is 0: a common point
    double length;    // the same: of the segments in which triangles cross from side to side
} gz_meeting;
graze_status gz_surfaces_meet(graze_query *query, graze_posed a, graze_posed b, double tolerance,
                              gz_meeting *out);

#endif
