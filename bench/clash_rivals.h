// Which objects of a plant collide? graze and its rivals, for bench_clash.
#ifndef GRAZE_BENCH_CLASH_RIVALS_H
#define GRAZE_BENCH_CLASH_RIVALS_H

#include "clash_plants.h"
#include "peers/collider.h"

enum { CLASH_PAIRS = 1 << 20 }; // more are not told

// Pairs of objects by their numbers in the generator, a < b, sorted.
typedef struct clash_pairs {
    uint64_t count;
    collider_pair pair[CLASH_PAIRS];
} clash_pairs;

// The plant, as a scene file and as its generator is asked for it.
typedef struct clash_rivalry {
    clash_plant plant;
    uint64_t triangle_count, object_count;
} clash_rivalry;

typedef struct clash_engine {
    const char *name, *setting;
    bool is_graze, all_threads;
} clash_engine;

typedef struct clash_engine_cost {
    uint32_t threads;
    double build, build_processor, seconds,
        processor;                   // building, and asking; the latter of the processors, too
    double built_mib, resident_mib;  // memory that it holds when built; while it asks, at most
    uint64_t pairs, missed, surplus; // beside those that are known
} clash_engine_cost;

// The first one knows the truth: its pairs are what others are held against.
uint32_t clash_engine_count(void);
clash_engine clash_engine_about(uint32_t engine);

// In this process, which should be a new one.
// @param known  of the first engine: receives its pairs. Of others: read.
// @return false after a sentence on stderr.
bool clash_engine_run(const clash_rivalry *r, uint32_t engine, clash_pairs *known,
                      clash_engine_cost *cost);

#endif
