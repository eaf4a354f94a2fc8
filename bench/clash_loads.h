// What the order of a clash check would load into a cache that knows nothing but pieces of objects:
// the model of scene/cache_model.h, for bench_clash.
#ifndef GRAZE_BENCH_CLASH_LOADS_H
#define GRAZE_BENCH_CLASH_LOADS_H

#include "graze/clash.h"

// How often a triangle is loaded, on the mean.
typedef struct clash_loads {
    double lru, belady;
} clash_loads;

// Pieces are those of the plan: objects larger than a tenth of the cache are cut, and the edges of
// a pair of objects are gone through one after the other.
graze_status clash_loads_of(graze_scene *scene, const graze_clash_def *def, uint32_t order,
                            uint64_t cache_bytes, clash_loads *loads);

#endif
