// Relief: gradient noise in space, a few octaves of it, the same bits on every machine.
#ifndef GRAZE_GENERATORS_REFINE_RELIEF_H
#define GRAZE_GENERATORS_REFINE_RELIEF_H

#include <stdint.h>

typedef struct refine_relief {
    uint64_t seed;
    double height;      // as a part of the length of edges nearby
    double centre[3];   // where the lattice of the noise starts
    double mean_length; // of all edges: the longest wave is twice as long
    double cuts;        // an edge is cut into so many parts: waves shorter than two are left out
    int octaves;
} refine_relief;

// Noise in about -1 to 1 that repeats nowhere near, waves about 1 long; 0 beyond 2^40.
double refine_noise(uint64_t seed, const double at[3]);

// How far a point moves along its normal, where edges are about `length` long.
double refine_relief_at(const refine_relief *relief, const double at[3], double length);

#endif
