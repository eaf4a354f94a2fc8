// What tests of deviations have in common: a query to measure with, distances that share nothing
// with the library, and checks of bounds by samples.
#ifndef GZ_TEST_DEVIATIONS_H
#define GZ_TEST_DEVIATIONS_H

#include <stdbool.h>

#include "coarsen.h"
#include "test.h"

#define DEVIATION_GAP 0.05

typedef struct deviation_bench {
    graze_context *context;
    gz_deviation_query *query;
} deviation_bench;

deviation_bench deviation_open(graze_simd simd);
void deviation_close(deviation_bench *b);
gz_deviation deviation_measure(deviation_bench *b, const patch *from, const patch *to, double gap,
                               double floor);

// No sample is beyond the bound, and where the lower one is attained it is true. So many samples
// of each triangle.
void deviation_check_samples(deviation_bench *b, const patch *from, const patch *to,
                             const gz_deviation *d, int count, uint64_t seed);
void deviation_check_value(const gz_deviation *d, double truth, double gap);
bool deviation_gap_reached(const gz_deviation *d, double gap, double floor);

long double patch_distance_to_triangle(const patch *p, uint32_t t, const double point[3]);
double patch_distance_to(const patch *p, const double point[3]);
void patch_sample(const patch *p, uint32_t t, double u, double v, double out[3]);
double patch_size(const patch *p); // the most that a coordinate differs from the first corner's
patch patch_of_one(const double v[3][3]);
// Any triangles: slivers, points, doubled ones, all sizes, in one plane now and then.
patch patch_of_chance(test_random *random, uint32_t triangle_count);

#endif
