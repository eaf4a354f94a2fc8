// The checksum of saved shapes and models. See checksum.h. XXH3 is compiled in: the library needs
// nothing of it at run time.
#include "base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t gz_checksum(uint64_t seed, const void *bytes, uint64_t byte_count)
{
    return XXH3_64bits_withSeed(bytes, (size_t)byte_count, seed);
}
