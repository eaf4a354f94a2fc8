// A segment and a triangle: do they share a point, and which is the first one on the way from start
// to end? Exact for all finite doubles, like everything in graze/geometry.h. A segment whose ends
// are equal is a point, a triangle without area the segment or point that it looks like.
// Not for callers outside the library: they expect the floating-point state of fpu.h.
#ifndef GZ_SEGMENT_H
#define GZ_SEGMENT_H

#include "graze/geometry.h"

typedef enum gz_segment_meeting {
    GZ_SEGMENT_MISSES,
    GZ_SEGMENT_PIERCES, // the inside of the face, from one side to the other, and no more
    GZ_SEGMENT_TOUCHES  // in any other way: a border, an end of the segment, along the face
} gz_segment_meeting;

gz_segment_meeting gz_segment_meet(const double start[3], const double end[3],
                                   const graze_triangle *triangle);

// The first common point of two that meet: start + t (end - start). Both rounded once, to nearest.
void gz_segment_first(const double start[3], const double end[3], const graze_triangle *triangle,
                      double *t, double point[3]);

// -1, 0, 1: is a met before, together with, or after b? Both are met.
int gz_segment_compare(const double start[3], const double end[3], const graze_triangle *a,
                       const graze_triangle *b);

#endif
