// Triangles in a spill: three numbers below 2^40 in 15 bytes. First the vertex numbers of the file,
// then, once vertices in the same place were found to be one, the numbers of places.
#ifndef GZ_TRIPLES_H
#define GZ_TRIPLES_H

#include <stdint.h>
#include <string.h>

#define GZ_INDEX_BYTES  5u // of a vertex or corner number, in spills and in sort keys
#define GZ_INDEX_LIMIT  (UINT64_C(1) << 40)
#define GZ_TRIPLE_BYTES 15u // of a triangle

static inline void gz_triple_put(uint8_t *out, const uint64_t corners[3])
{
    uint32_t low[3] = {(uint32_t)corners[0], (uint32_t)corners[1], (uint32_t)corners[2]};
    memcpy(out, low, sizeof low);
    for (int i = 0; i < 3; ++i)
        out[12 + i] = (uint8_t)(corners[i] >> 32);
}

static inline void gz_triple_get(const uint8_t *in, uint64_t corners[3])
{
    uint32_t low[3];
    memcpy(low, in, sizeof low);
    for (int i = 0; i < 3; ++i)
        corners[i] = (uint64_t)in[12 + i] << 32 | low[i];
}

// Leading zero bits of an index that is below `limit`, as a sort key.
static inline uint32_t gz_index_zero_bits(uint64_t limit)
{
    uint32_t bits = limit <= 1 ? 1 : 64 - (uint32_t)__builtin_clzll(limit - 1);
    return 8 * GZ_INDEX_BYTES - bits;
}

#endif
