// The triangle tests as the library itself calls them: graze/geometry.h without the guard of fpu.h.
#ifndef GZ_TRIANGLE_H
#define GZ_TRIANGLE_H

#include "graze/geometry.h"

int gz_triangle_meet(const graze_triangle *a, const graze_triangle *b);
int gz_triangle_within(const graze_triangle *a, const graze_triangle *b, double tolerance);
void gz_triangle_intersect(const graze_triangle *a, const graze_triangle *b,
                           graze_intersection *out);
void gz_triangle_closest(const graze_triangle *a, const graze_triangle *b, graze_closest *out);

#endif
