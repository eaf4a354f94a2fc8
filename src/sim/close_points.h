// Closest points of parts of triangles, in plain double arithmetic: within some 1e-15 of the size.
// What is proved with them holds for any points and directions, see way.c; they are only to be
// good.
#ifndef GZ_CLOSE_POINTS_H
#define GZ_CLOSE_POINTS_H

#include <stdbool.h>

#include "graze/geometry.h"

// The point of a triangle that is nearest to p.
void gz_nearest_in_triangle(const graze_triangle *t, const double p[3], double out[3]);
// The points of two segments that are nearest to each other. False where both are parallel, or lie
// at an end: other parts of the triangles have these.
bool gz_segments_cross(const double a[3], const double b[3], const double c[3], const double d[3],
                       double on_ab[3], double on_cd[3]);
// The nearest points of two triangles that are apart, and their distance.
double gz_triangles_nearest(const graze_triangle *a, const graze_triangle *b, double on_a[3],
                            double on_b[3]);

static inline double gz_point_distance(const double p[3], const double q[3])
{
    double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return __builtin_sqrt(x * x + y * y + z * z);
}

#endif
