// Blocks that remember their size in front of their content. See foreign.h.
#include "base/foreign.h"

#include "base/memory.h"

#define HEAD_BYTES 64 // keeps the content aligned as gz_allocate aligns

void *gz_foreign_allocate(graze_context *context, uint64_t bytes)
{
    uint64_t whole = 0;
    unsigned char *block = gz_add(bytes, HEAD_BYTES, &whole) ? gz_allocate(context, whole) : NULL;
    if (block == NULL)
        return NULL;
    *(uint64_t *)(void *)block = whole;
    return block + HEAD_BYTES;
}

void gz_foreign_release(graze_context *context, void *block)
{
    if (block == NULL)
        return;
    unsigned char *start = (unsigned char *)block - HEAD_BYTES;
    gz_release(context, start, *(uint64_t *)(void *)start);
}
