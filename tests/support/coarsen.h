// Surfaces for tests of deviations: a relief over a grid, and a plain way to simplify any surface
// by half-edge collapses, so that vertices of the coarse one are among those of the fine one.
#ifndef GZ_COARSEN_H
#define GZ_COARSEN_H

#include "simplify/deviation.h"
#include "test.h"

typedef struct patch {
    double (*position)[3];
    uint32_t (*corner)[3];
    uint32_t vertex_count, triangle_count;
} patch;

patch patch_make(uint32_t vertex_count, uint32_t triangle_count); // with room for these
void patch_free(patch *p);
gz_surface patch_surface(const patch *p);
// A square of side 1 with n * n * 2 triangles and hills of this height.
patch patch_relief(uint32_t n, double height, uint64_t seed);
// About `triangle_count` triangles are left, if that is possible without moving the border or
// folding over. The positions are those of the fine one.
patch patch_coarsen(const patch *fine, uint32_t triangle_count);

#endif
