// The checksum of saved shapes and models. See checksum.h, and docs/format.md for what it computes.
#include "base/checksum.h"

#include "base/bytes.h"

uint64_t gz_checksum(uint64_t seed, const void *bytes, uint64_t byte_count)
{
    const uint8_t *next = bytes;
    uint64_t hash = seed ^ byte_count * UINT64_C(0xff51afd7ed558ccd);
    for (; byte_count >= 8; next += 8, byte_count -= 8) {
        hash = (hash ^ gz_get_u64(next, false)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (; byte_count > 0; ++next, --byte_count)
        hash = (hash ^ *next) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}
