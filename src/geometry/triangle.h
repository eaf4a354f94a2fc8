// The triangle tests as the library itself calls them: graze/geometry.h without the guard of fpu.h.
#ifndef GZ_TRIANGLE_H
#define GZ_TRIANGLE_H

#include <stdbool.h>

#include "graze/geometry.h"

int gz_triangle_meet(const graze_triangle *a, const graze_triangle *b);
int gz_triangle_within(const graze_triangle *a, const graze_triangle *b, double tolerance);
void gz_triangle_intersect(const graze_triangle *a, const graze_triangle *b,
                           graze_intersection *out);
void gz_triangle_closest(const graze_triangle *a, const graze_triangle *b, graze_closest *out);
// The same for two that share no point. `toward`, unless NULL, is the direction from A's closest
// point to B's: the exact one, scaled so that the largest coordinate is about 1, each rounded once.
// It knows nothing of where in the world the two are; a difference of rounded points does.
void gz_triangle_closest_apart(const graze_triangle *a, const graze_triangle *b, graze_closest *out,
                               double toward[3]);

// Bounds of the distance in double, a few hundred ulps apart; 0 and infinity where it cannot tell.
void gz_triangle_bounds(const graze_triangle *a, const graze_triangle *b, double *low,
                        double *high);
// True if corner *i of a and corner *j of b are proved, in double, to be the closest points: both
// lie at the ends of the slab between the triangles along the line that joins them.
bool gz_triangle_corners_closest(const graze_triangle *a, const graze_triangle *b, int *i, int *j);
// -1, 0 or 1: are a and b closer than, as close as, or farther than c and d? Exact. None may meet.
int gz_triangle_compare(const graze_triangle *a, const graze_triangle *b, const graze_triangle *c,
                        const graze_triangle *d);

#endif
