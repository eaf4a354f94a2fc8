// Segments against shapes, as other questions ask about them.
#ifndef GZ_RAY_H
#define GZ_RAY_H

#include <stdbool.h>

#include "query/parts_visit.h"

typedef struct gz_ray_wish {
    const graze_shape *shape;
    const graze_pose *pose;
    const double *start, *end;
    bool counted;      // else the first triangle is all that is looked for
    bool only_clean;   // only count, and stop at the first triangle that is not simply pierced
    gz_visits *visits; // of shapes of many parts
    int side;          // of them
    const struct gz_lod_question *lod; // the shape is a LOD cut, on its first side; NULL: it is not
} gz_ray_wish;

// Expects the state of geometry/fpu.h. The counters of `out` grow.
graze_status gz_ray_run(graze_context *context, const gz_ray_wish *wish, graze_ray *out);

// GRAZE_ERROR_ARGUMENT, with a sentence, unless all three coordinates can be asked about.
graze_status gz_point_check(const graze_query *query, const char *who, const double point[3]);

#endif
