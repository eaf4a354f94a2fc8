// One triangle against sixteen, in float, with proofs: each lane is settled or left unsure.
#ifndef GZ_KERNELS_H
#define GZ_KERNELS_H

#include <stdint.h>

#include "graze/base.h"

// Sixteen triangles, lane by lane. Coordinates are relative to corner 0 of the one triangle.
typedef struct gz_triangles16 {
    float v[3][3][16]; // corner, axis, lane
} __attribute__((aligned(64))) gz_triangles16;
_Static_assert(sizeof(gz_triangles16) == 576, "nine rows of a cache line each");

// Corners 1 and 2 of the one triangle, relative to its corner 0, scaled so that the largest
// coordinate is near 1. What is known of the numbers: each coordinate of this triangle is off by at
// most `error`, each coordinate x of the sixteen by at most error_relative * |x| + error_absolute.
// Lanes whose coordinates exceed 2^30 are left unsure.
typedef struct gz_triangle1 {
    float corner1[3], corner2[3];
    float error, error_relative, error_absolute;
} gz_triangle1;

// Two sets of lanes, disjoint. In neither: unsure.
typedef struct gz_lanes {
    uint32_t yes, no;
} gz_lanes;

typedef struct gz_triangle_kernels {
    // Do they share a point?
    gz_lanes (*meet16)(const gz_triangle1 *a, const gz_triangles16 *b);
    // Are they within the tolerance? The true tolerance lies between the two.
    gz_lanes (*within16)(const gz_triangle1 *a, const gz_triangles16 *b, float tolerance_low,
                         float tolerance_high);
} gz_triangle_kernels;

const gz_triangle_kernels *gz_triangle_kernels_for(graze_simd simd);

#endif
