// Blocks that are mappings of their own. See big_block.h.
//
// A block starts at a multiple of 2 MiB: only such stretches can have large pages, and only between
// such places do large pages move without being taken apart. The mapping ends with the block's last
// small page, so that the rest of a block costs no large page.
#include "base/big_block.h"

#if GZ_HAS_BIG_BLOCKS

#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE ((size_t)1 << 21)

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static char *next_large_page(char *at)
{
    return at + (LARGE_PAGE - (uintptr_t)at % LARGE_PAGE) % LARGE_PAGE;
}

// Addresses for `bytes` (whole pages) from a multiple of 2 MiB on; NULL if there are none.
static void *reserve_place(size_t bytes, int protection)
{
    size_t all = bytes + LARGE_PAGE;
    char *start = mmap(NULL, all, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    char *place = next_large_page(start);
    if (place != start)
        munmap(start, (size_t)(place - start));
    munmap(place + bytes, (size_t)(start + all - (place + bytes)));
    return place;
}

void *gz_big_block_make(size_t bytes)
{
    if (bytes > PTRDIFF_MAX - 2 * LARGE_PAGE)
        return NULL;
    void *place = reserve_place(whole_pages(bytes), PROT_READ | PROT_WRITE);
    if (place != NULL)
        madvise(place, whole_pages(bytes), MADV_HUGEPAGE); // where refused, small pages do as well
    return place;
}

void *gz_big_block_resize(void *block, size_t old_bytes, size_t new_bytes)
{
    if (new_bytes > PTRDIFF_MAX - 2 * LARGE_PAGE)
        return NULL;
    size_t old_length = whole_pages(old_bytes), new_length = whole_pages(new_bytes);
    if (mremap(block, old_length, new_length, 0) != MAP_FAILED)
        return block;
    void *place = reserve_place(new_length, PROT_NONE);
    if (place == NULL)
        return NULL;
    if (mremap(block, old_length, new_length, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
        munmap(place, new_length);
        return NULL;
    }
    return place;
}

void gz_big_block_free(void *block, size_t bytes) { munmap(block, whole_pages(bytes)); }

#endif
