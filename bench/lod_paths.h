// The poses of bench_lod: a stays where it was made, b moves. The same on every machine, up to
// rounding of sines.
#ifndef GRAZE_BENCH_LOD_PATHS_H
#define GRAZE_BENCH_LOD_PATHS_H

#include <stdbool.h>

#include "graze/query.h"

enum { LOD_POSES = 4096 }; // at most

typedef struct lod_path {
    uint32_t count;
    graze_pose pose[LOD_POSES]; // of b
} lod_path;

// Two shapes in memory, and a query to ask them by.
typedef struct lod_pair {
    graze_query *query;
    const graze_shape *a, *b;
} lod_pair;

// From touching to half inside: b comes from some directions, each time turned otherwise, and goes
// from the first contact on half of the width of the smaller body deep.
bool lod_path_deep(const lod_pair *pair, uint32_t directions, uint32_t depths, lod_path *path);
// b falls on a, bounces with spin, comes to rest, and falls again when it has slid off. A step is a
// thousandth of a second. Where a step would lead into a, it ends at the first contact.
bool lod_path_bounce(const lod_pair *pair, uint32_t count, lod_path *path);
// A closed curve through the box of a, b turning as it flies.
void lod_path_flight(const graze_box *a, const graze_box *b, uint32_t count, lod_path *path);
// Small steps of equal length from a pose on, turning as much besides.
void lod_path_steps(const graze_pose *start, double length, uint32_t count, lod_path *path);

#endif
