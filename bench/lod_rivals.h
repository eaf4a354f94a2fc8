// Rivals as bench_lod asks them: for all pairs of the original triangles, since they have no
// errors.
#ifndef GRAZE_BENCH_LOD_RIVALS_H
#define GRAZE_BENCH_LOD_RIVALS_H

#include <stdbool.h>

#include "graze/geometry.h"

uint32_t lod_rival_count(void); // those that are linked
const char *lod_rival_name(uint32_t rival);
// Would the two meshes fit into the memory that is free?
bool lod_rival_fits(uint64_t triangle_count);

typedef struct lod_rival lod_rival;
// Reads two meshes and builds. NULL after a sentence on stderr.
lod_rival *lod_rival_open(uint32_t rival, const char *path_a, const char *path_b);
// How many pairs the rival finds in a pose of b.
double lod_rival_ask(const lod_rival *opened, const graze_pose *pose);

#endif
