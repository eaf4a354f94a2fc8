// The positions of all vertices of a stream, in order: in memory, or in a spill behind a small
// cache of blocks. Meshes mostly name vertices near each other, so the cache serves most of them.
#ifndef GZ_POSITIONS_H
#define GZ_POSITIONS_H

#include "base/spill.h"
#include "graze/mesh.h"

typedef struct gz_positions {
    gz_spill spill;
    uint32_t vertex_bytes; // 12 or 24
    uint64_t cache_bytes;  // the share
    uint32_t block_shift;  // a block has 2^block_shift vertices
    uint64_t slot_count;   // of the cache; 0 until something must be read from the file
    uint8_t *slots;        // slot_count blocks
    uint64_t *tags;        // block number plus one; 0 is an empty slot
    uint64_t *used_at;     // clock of the last use of each slot
    uint64_t clock;
    uint64_t load_count; // blocks read from the file so far
} gz_positions;

gz_positions gz_positions_make(graze_context *context, graze_precision precision,
                               uint64_t memory_bytes, uint64_t cache_bytes);
void gz_positions_free(gz_positions *positions); // accepts a zero one

graze_status gz_positions_append(gz_positions *positions, const void *vertices, uint64_t count);
uint64_t gz_positions_count(const gz_positions *positions);
graze_status gz_positions_get(gz_positions *positions, uint64_t vertex, double out[3]);

// A vertex as it lies in memory, float or double, widened to double.
static inline void gz_position_widen(const uint8_t *vertex, uint32_t vertex_bytes, double out[3])
{
    if (vertex_bytes == 24) {
        __builtin_memcpy(out, vertex, 24);
        return;
    }
    float narrow[3];
    __builtin_memcpy(narrow, vertex, 12);
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = (double)narrow[axis];
}

#endif
