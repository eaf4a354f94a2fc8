// How deep two shapes can be in each other inside a ball, where one of them is convex there.
#ifndef GZ_WEDGE_H
#define GZ_WEDGE_H

#include "query/nearest.h"

// Two shapes in a ball.
typedef struct gz_wedge_ball {
    const gz_field *field; // of both
    const gz_solid *solid; // of both
    double middle[3];
    double radius; // of the ball
    double inner;  // of a smaller one: points in there are asked about
    double finest; // what cannot be told apart
} gz_wedge_ball;

// No point of the inner ball that is inside both shapes is deeper in either of them than this;
// infinity if that cannot be told in this way. `convex` is the shape that is to be convex.
graze_status gz_wedge_bound(const gz_wedge_ball *ball, int convex, double *bound);

#endif
