// Vertices by number. See positions.h. The cache is four-way associative: a block may lie in one of
// four slots, and replaces the one that was used longest ago.
#include "mesh/inspect/positions.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"

#define WAYS             4u
#define MOST_BLOCK_SHIFT 10u

static uint64_t block_bytes(const gz_positions *positions)
{
    return (uint64_t)positions->vertex_bytes << positions->block_shift;
}

gz_positions gz_positions_make(graze_context *context, graze_precision precision,
                               uint64_t memory_bytes, uint64_t cache_bytes)
{
    gz_positions made = {.spill = gz_spill_make(context, memory_bytes)};
    made.vertex_bytes = precision == GRAZE_FLOAT32 ? 12 : 24;
    made.cache_bytes = cache_bytes;
    while (made.block_shift < MOST_BLOCK_SHIFT && 16 * block_bytes(&made) <= cache_bytes / 2)
        made.block_shift++;
    return made;
}

static void free_cache(gz_positions *positions)
{
    graze_context *context = positions->spill.context;
    gz_release(context, positions->slots, positions->slot_count * block_bytes(positions));
    GZ_FREE_ARRAY(context, positions->tags, positions->slot_count);
    GZ_FREE_ARRAY(context, positions->used_at, positions->slot_count);
    positions->slots = NULL;
    positions->tags = positions->used_at = NULL;
    positions->slot_count = 0;
}

void gz_positions_free(gz_positions *positions)
{
    if (positions->spill.context == NULL)
        return;
    free_cache(positions);
    gz_spill_free(&positions->spill);
    *positions = (gz_positions){0};
}

graze_status gz_positions_append(gz_positions *positions, const void *vertices, uint64_t count)
{
    return gz_spill_append(&positions->spill, vertices, count * positions->vertex_bytes);
}

uint64_t gz_positions_count(const gz_positions *positions)
{
    return positions->spill.byte_count / positions->vertex_bytes;
}

static graze_status make_cache(gz_positions *positions)
{
    graze_context *context = positions->spill.context;
    uint64_t slot_bytes = block_bytes(positions) + 2 * sizeof(uint64_t);
    positions->slot_count = WAYS; // a power of two: finding a slot takes no division
    while (2 * positions->slot_count * slot_bytes <= positions->cache_bytes)
        positions->slot_count *= 2;
    positions->slots = gz_allocate_array(context, positions->slot_count, block_bytes(positions));
    positions->tags = GZ_NEW_ARRAY(context, uint64_t, positions->slot_count);
    positions->used_at = GZ_NEW_ARRAY(context, uint64_t, positions->slot_count);
    if (positions->slots == NULL || positions->tags == NULL || positions->used_at == NULL) {
        free_cache(positions);
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory: no room to look up vertices");
    }
    memset(positions->tags, 0, (size_t)(positions->slot_count * sizeof *positions->tags));
    memset(positions->used_at, 0, (size_t)(positions->slot_count * sizeof *positions->used_at));
    return GRAZE_OK;
}

// The slot that holds a block, or the one to put it in.
static uint64_t slot_of(const gz_positions *positions, uint64_t block)
{
    uint64_t first = block * WAYS & (positions->slot_count - 1), oldest = first;
    for (uint64_t slot = first; slot < first + WAYS; ++slot) {
        if (positions->tags[slot] == block + 1)
            return slot;
        if (positions->used_at[slot] < positions->used_at[oldest])
            oldest = slot;
    }
    return oldest;
}

static graze_status get_cached(gz_positions *positions, uint64_t vertex, double out[3])
{
    if (positions->slot_count == 0) {
        graze_status status = make_cache(positions);
        if (status != GRAZE_OK)
            return status;
    }
    uint64_t block = vertex >> positions->block_shift;
    uint64_t slot = slot_of(positions, block);
    uint8_t *at = positions->slots + slot * block_bytes(positions);
    if (positions->tags[slot] != block + 1) {
        positions->tags[slot] = 0; // until it is read
        graze_status status = gz_spill_read(&positions->spill, block * block_bytes(positions), at,
                                            block_bytes(positions));
        if (status != GRAZE_OK)
            return status;
        positions->tags[slot] = block + 1;
        positions->load_count++;
    }
    positions->used_at[slot] = ++positions->clock;
    uint64_t place = vertex - (block << positions->block_shift);
    gz_position_widen(at + place * positions->vertex_bytes, positions->vertex_bytes, out);
    return GRAZE_OK;
}

graze_status gz_positions_get(gz_positions *positions, uint64_t vertex, double out[3])
{
    const gz_spill *spill = &positions->spill;
    uint64_t offset = vertex * positions->vertex_bytes;
    GZ_ASSERT(offset < spill->byte_count);
    if (offset >= spill->file_bytes) {
        gz_position_widen(spill->memory + (offset - spill->file_bytes), positions->vertex_bytes,
                          out);
        return GRAZE_OK;
    }
    uint64_t block_end = ((vertex >> positions->block_shift) + 1) * block_bytes(positions);
    if (block_end <= spill->byte_count)
        return get_cached(positions, vertex, out);
    uint8_t bytes[24]; // the last block is still growing
    graze_status status = gz_spill_read(spill, offset, bytes, positions->vertex_bytes);
    if (status == GRAZE_OK)
        gz_position_widen(bytes, positions->vertex_bytes, out);
    return status;
}
