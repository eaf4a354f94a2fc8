// A mesh as a shape in memory and as one over a model: what is asked of both must be the same.
#ifndef GZ_TEST_BOTH_WAYS_H
#define GZ_TEST_BOTH_WAYS_H

#include "models.h"

enum { WAYS = 3 }; // a model and a mesh, a mesh and a model, two models

typedef struct both_ways {
    graze_model *model;
    graze_shape *in_memory, *paged;
} both_ways;

// A context with a cache of so many MiB, 2 being the least, that builds clusters of so many
// triangles; 0: as is good.
graze_context *both_ways_context(uint32_t threads, uint64_t cache_mib, uint32_t cluster_limit);

// The model's files are gone when it is open.
both_ways both_ways_make(graze_context *context, const graze_mesh_view *view);
void both_ways_free(both_ways *both);

// The first or the second of two shapes.
const graze_shape *both_ways_side(const both_ways *both, int way, int which);

#endif
