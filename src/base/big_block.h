// Big blocks straight from the system, in pages of 2 MiB where it gives them: a mesh of 100 MB then
// costs 50 page faults instead of 25,000, and growing moves pages instead of bytes.
#ifndef GZ_BIG_BLOCK_H
#define GZ_BIG_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#define GZ_BIG_BLOCK_LEAST (UINT64_C(1) << 21) // a large page; smaller blocks are malloc's

// 32 bits have no addresses to spare, and the address sanitizer watches only what malloc gave.
#if defined(__linux__) && UINTPTR_MAX > 0xffffffffu && !defined(__SANITIZE_ADDRESS__)
#define GZ_HAS_BIG_BLOCKS 1
#else
#define GZ_HAS_BIG_BLOCKS 0
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef GZ_HAS_BIG_BLOCKS
#define GZ_HAS_BIG_BLOCKS 0
#endif
#endif

#if GZ_HAS_BIG_BLOCKS
// Each size is at least GZ_BIG_BLOCK_LEAST. NULL when there is no memory; the old block then stays.
void *gz_big_block_make(size_t bytes);
void *gz_big_block_resize(void *block, size_t old_bytes, size_t new_bytes);
void gz_big_block_free(void *block, size_t bytes);
#endif

#endif
