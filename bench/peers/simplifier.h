// What rivals of our simplifier do: fewer triangles over the same vertices.
#ifndef GRAZE_BENCH_SIMPLIFIER_H
#define GRAZE_BENCH_SIMPLIFIER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Writes the triangles that are left, no more than `target` where that can be done, to `out`, which
// has room for all. Returns how many.
uint32_t simplify_by_meshoptimizer(const float (*vertices)[3], uint32_t vertex_count,
                                   const uint32_t (*corners)[3], uint32_t triangle_count,
                                   uint32_t target, uint32_t (*out)[3]);

#ifdef __cplusplus
}
#endif

#endif
