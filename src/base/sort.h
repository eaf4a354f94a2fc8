// Sorting records of fixed size by their bytes, first byte first, as memcmp orders them. All bytes
// of a record are its key, so the result is one and the same for every algorithm and thread count.
// Numbers in a record are stored big-endian, so that the order of bytes is that of the numbers.
#ifndef GZ_SORT_H
#define GZ_SORT_H

#include "base/memory.h"

#define GZ_SORT_LEAST_BYTES 8u   // records are at least this long
#define GZ_SORT_MOST_BYTES  128u // and at most this long

// The first `equal_bytes` bytes are known to be the same in all records. `context` lends its
// threads; NULL sorts on the calling thread alone. Scratch makes it faster and may be empty; twice
// as fast where it is as large as the records.
void gz_sort_records(graze_context *context, void *records, uint64_t count, uint32_t record_bytes,
                     uint32_t equal_bytes, gz_arena scratch);

// Part `index` of `count` equal ones of an arena.
static inline gz_arena gz_arena_part(gz_arena whole, uint32_t index, uint32_t count)
{
    uint64_t part_bytes = (uint64_t)(whole.end - whole.next) / count;
    return gz_arena_over(whole.next + index * part_bytes, part_bytes);
}

// Big-endian numbers of 1 to 8 bytes.
static inline void gz_put_number(uint8_t *out, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = bytes; i-- != 0; value >>= 8)
        out[i] = (uint8_t)value;
}

static inline uint64_t gz_get_number(const uint8_t *in, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; ++i)
        value = value << 8 | in[i];
    return value;
}

#endif
