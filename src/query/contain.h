// Where a point is, as other questions ask about it.
#ifndef GZ_CONTAIN_H
#define GZ_CONTAIN_H

#include "query/parts_visit.h"

// A shape in a pose, to be asked about points.
typedef struct gz_solid {
    graze_context *context;
    const graze_shape *shape;
    const graze_pose *pose;
    graze_box box;            // in the world
    graze_counters *counters; // of the question
    gz_visits *visits;        // of the question, too
    int side;                 // of them: which of the two this is
} gz_solid;

gz_solid gz_solid_of(const graze_query *query, graze_posed posed, graze_counters *counters,
                     gz_visits *visits, int side);
// How do two shapes lie that are known to share no point? As graze_query_contain, whose checks were
// made. If something is inside, `inner` is a point of it, in the world.
graze_status gz_nesting_apart(graze_query *query, graze_posed a, graze_posed b,
                              graze_containment *out, double inner[3]);
// Expects the state of geometry/fpu.h.
graze_status gz_place_point(const gz_solid *p, const double point[3], graze_place *place);
// The same for a point that is known not to be on the surface.
graze_status gz_place_free_point(const gz_solid *p, const double point[3], graze_place *place);

#endif
