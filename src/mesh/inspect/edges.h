// Edges and duplicates: every edge is met once, with all triangles that have it.
#ifndef GZ_EDGES_H
#define GZ_EDGES_H

#include "base/spill.h"
#include "graze/base.h"

typedef struct gz_edges_def {
    gz_spill *corners; // places, below place_limit, which is at most 2^32
    uint64_t place_limit;
    gz_spill *marks; // receives gz_part_mark for one end of each edge that is not closed
    uint64_t triangle_bytes, edge_bytes; // memory for two sorters
    uint32_t fan_bits;
    uint64_t window_bytes; // for reading corners
} gz_edges_def;

typedef struct gz_edges_result {
    uint64_t duplicates, open, nonmanifold, misoriented;
    bool on_disk;
} gz_edges_result;

graze_status gz_edges_count(graze_context *context, const gz_edges_def *def,
                            gz_edges_result *result);

#endif
