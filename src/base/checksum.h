// One checksum for all files that we write: XXH3, 64 bits, with a seed.
#ifndef GZ_CHECKSUM_H
#define GZ_CHECKSUM_H

#include <stdint.h>

// Checks what is stored, not who stored it: any length, the same on every machine. The sum of
// several stretches of bytes is that of the last one, with the sum of those before it as seed.
uint64_t gz_checksum(uint64_t seed, const void *bytes, uint64_t byte_count);

#endif
