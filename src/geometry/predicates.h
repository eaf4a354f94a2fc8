// Orientation signs, exact for all finite doubles: a filter in double, then exact numbers.
// Not for callers outside the library: they expect the floating-point state of fpu.h.
#ifndef GZ_PREDICATES_H
#define GZ_PREDICATES_H

#include "graze/geometry.h"

// Sign of det(a - d, b - d, c - d).
int gz_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

// Sign of the orientation of the three points after dropping coordinate `axis`: of the points
// (y, z), (z, x) or (x, y). This is the sign of that component of (b - a) x (c - a).
int gz_orient2d_along(int axis, const double a[3], const double b[3], const double c[3]);

// sign[i]: the side of the plane of `plane` on which corner i of `triangle` lies, as gz_orient3d
// tells it. Shares the normal between the three.
void gz_orient3d_three(const graze_triangle *plane, const graze_triangle *triangle, int sign[3]);

// 1 if a, b, c are on one line.
int gz_collinear(const double a[3], const double b[3], const double c[3]);

#endif
