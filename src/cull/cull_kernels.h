// What is compiled once for each SIMD width: the bounds of vertices, boxes against boxes, and
// sixteen pairs of triangles at once.
#ifndef GZ_CULL_KERNELS_H
#define GZ_CULL_KERNELS_H

#include "cull/cull_state.h"

// Sixteen pairs of triangles: corners 1 and 2 of A, and all of B, relative to corner 0 of A.
typedef struct gz_cull_lanes16 {
    float a[2][3][16], b[3][3][16]; // corner, axis, lane
} __attribute__((aligned(64))) gz_cull_lanes16;

typedef struct gz_cull_kernels {
    // Of `count` points of three floats each: their box; false if one is not finite.
    bool (*bounds)(const float *points, uint64_t count, float low[3], float high[3]);
    // The box of those that overlap the region, and of the region's part that they can reach.
    // Returns how many they are.
    uint64_t (*shrink)(const gz_cull_row *rows, uint32_t row_count, const gz_cull_box *region,
                       gz_cull_box *out);
    // All pairs of triangles of a worker's task whose boxes overlap, to its buffer.
    void (*join)(gz_cull_worker *worker);
    // Do they share a point? Equal: lanes in which a corner of the one may be one of the other.
    gz_lanes (*meet)(const gz_cull_lanes16 *pairs, uint32_t *equal);
    // In which lanes is it proved that they share no more than that? `edges`: lanes with two in
    // common. Coordinates are at most 2^18.
    uint32_t (*spread_out)(const gz_cull_fans16 *fans, uint32_t edges);
    // Are they within a tolerance that lies between the two?
    gz_lanes (*within)(const gz_cull_lanes16 *pairs, float tolerance_low, float tolerance_high);
} gz_cull_kernels;

const gz_cull_kernels *gz_cull_kernels_for(graze_simd simd);

#endif
