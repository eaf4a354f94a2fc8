// An avatar that walks through the plant of bench_clash (Wilson et al., figures 10 and 11).
#ifndef GRAZE_BENCH_CLASH_WALKS_H
#define GRAZE_BENCH_CLASH_WALKS_H

#include "clash_plants.h"
#include "graze/motion.h"

enum { CLASH_STEPS = 2000 };

typedef struct clash_walk {
    const char *question; // as printed
    graze_motion_def def;
    bool direct;
    uint32_t steps;
    uint64_t memory_bytes;
} clash_walk;

typedef struct clash_walked {
    double mean, median, p99, most; // microseconds of a step
    double processor;               // the same, of the processor: the mean
    graze_cache_use use;            // since the first step
    uint64_t page_loads;            // that questions had to wait for or make themselves
    uint64_t near_pairs, contacts;  // of all steps
    uint64_t triangle_tests;
    double nearest;        // the mean distance, where it is asked for
    uint64_t sum;          // of all answers
    uint64_t avatar_count; // triangles
    double resident_mib;
} clash_walked;

// Along the aisles, row after row and floor after floor, swaying towards the equipment and up to
// the trays and pipes.
graze_status clash_walk_take(const clash_plant *plant, const clash_walk *walk, clash_walked *out);

#endif
