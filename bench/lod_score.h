// What an engine of bench_lod answered along a path, and the line of CSV that it makes.
#ifndef GRAZE_BENCH_LOD_SCORE_H
#define GRAZE_BENCH_LOD_SCORE_H

#include "graze/query.h"
#include "lod_paths.h"

// A path, and what the exact engine in memory says about it.
typedef struct lod_scene {
    const char *name;
    lod_path path;
    bool known;                // the two below
    uint64_t pairs[LOD_POSES]; // in contact
    double seconds[LOD_POSES]; // that this took
    uint64_t triangle_count;   // of the larger body
    double width;              // of the smaller one
} lod_scene;

// The answers of one engine, in the order in which they were given.
typedef struct lod_score {
    const char *engine, *walk;
    double percent; // of the width: the error asked for
    uint32_t count;
    uint32_t pose[LOD_POSES];
    double seconds[LOD_POSES];
    double contacts, triangle_tests, part_pairs, page_loads; // sums
    double cut_a, cut_b;                                     // the same
    double error, worst_error;                               // reached: the sum, and the largest
    double processor;                                        // seconds, of all
    double resident_mib, cache_mib;                          // at most
    uint64_t wrong;
} lod_score;

void lod_score_print_head(void);
void lod_score_print(const lod_scene *scene, const lod_score *score);

#endif
