// Welding: which vertices lie in the same place? Coordinates are compared bit for bit, with -0 as
// +0. A place is named by its first vertex, or by a dense number in order of the first vertices.
#ifndef GZ_WELD_H
#define GZ_WELD_H

#include "base/sorter.h"
#include "base/spill.h"
#include "graze/mesh.h"

// A sort key for a position with the number of its vertex behind it: equal positions have equal
// keys and different ones different keys, and the first bytes look random.
uint32_t gz_weld_key_bytes(graze_precision precision); // with the vertex number
void gz_weld_key(uint8_t *key, const void *position, graze_precision precision, uint64_t vertex);

// Drains a sorter of keys and opens another, which holds a pair for every vertex whose place was
// taken by an earlier one: (vertex, first vertex of the place), GZ_INDEX_BYTES each.
graze_status gz_weld_repeats(graze_context *context, gz_sorter *keys, const gz_sorter_def *def,
                             gz_sorter **repeats);

// Both turn the corners of triangles into places. *place_limit is above every place's number.
// Soups: corner i is vertex i; the triangles are appended to `corners`. Places are numbered densely
// if memory_bytes suffice for a bitmap of the vertices, else they keep their first vertex's number.
graze_status gz_weld_soup(graze_context *context, gz_sorter *repeats, uint64_t vertex_count,
                          uint64_t memory_bytes, gz_spill *corners, uint64_t *place_limit);
// Shared vertices: the triangles in `corners` are changed. Places keep their first vertex's number.
// Takes as many passes over the triangles as parts of the map fit into memory. Vertex numbers are
// below 2^32.
graze_status gz_weld_shared(graze_context *context, gz_sorter *repeats, uint64_t vertex_count,
                            uint64_t memory_bytes, gz_spill *corners, uint64_t window_bytes);

#endif
