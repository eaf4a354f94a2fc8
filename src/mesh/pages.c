// Pages of a spill. See pages.h.
#include "mesh/pages.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"

#define PAGE_BYTES UINT64_C(16384)
#define PAGE_COUNT UINT64_C(64) // a page's number modulo this is its place

void gz_pages_free(graze_context *context, gz_pages *pages)
{
    gz_release(context, pages->bytes, PAGE_COUNT * PAGE_BYTES);
    GZ_FREE_ARRAY(context, pages->numbers, PAGE_COUNT);
    *pages = (gz_pages){0};
}

static graze_status make_pages(gz_pages *pages, graze_context *context)
{
    pages->bytes = gz_allocate(context, PAGE_COUNT * PAGE_BYTES);
    pages->numbers = GZ_NEW_ARRAY(context, uint64_t, PAGE_COUNT);
    if (pages->bytes == NULL || pages->numbers == NULL) {
        gz_pages_free(context, pages);
        return gz_fail(context, GRAZE_ERROR_MEMORY,
                       "out of memory: no room to read back a temporary file");
    }
    memset(pages->numbers, 0xff, PAGE_COUNT * sizeof *pages->numbers);
    return GRAZE_OK;
}

static graze_status fetch_page(gz_pages *pages, const gz_spill *spill, uint64_t number,
                               const uint8_t **page)
{
    graze_status status = GRAZE_OK;
    if (pages->bytes == NULL)
        status = make_pages(pages, spill->context);
    if (status != GRAZE_OK)
        return status;
    uint64_t place = number % PAGE_COUNT;
    uint8_t *at = pages->bytes + place * PAGE_BYTES;
    *page = at;
    if (pages->numbers[place] == number)
        return GRAZE_OK;
    pages->numbers[place] = UINT64_MAX;
    status = gz_spill_read(spill, number * PAGE_BYTES, at, PAGE_BYTES);
    if (status == GRAZE_OK)
        pages->numbers[place] = number;
    return status;
}

graze_status gz_pages_read(gz_pages *pages, const gz_spill *spill, uint64_t offset, void *out,
                           uint64_t byte_count)
{
    uint8_t *to = out;
    // Whole pages in the file never change; what lies behind them is in memory, or soon will not be
    // half a page any more.
    while (byte_count != 0 && offset / PAGE_BYTES < spill->file_bytes / PAGE_BYTES) {
        const uint8_t *page = NULL;
        graze_status status = fetch_page(pages, spill, offset / PAGE_BYTES, &page);
        if (status != GRAZE_OK)
            return status;
        uint64_t within = offset % PAGE_BYTES;
        uint64_t step = byte_count < PAGE_BYTES - within ? byte_count : PAGE_BYTES - within;
        memcpy(to, page + within, (size_t)step);
        to += step;
        offset += step;
        byte_count -= step;
    }
    return byte_count != 0 ? gz_spill_read(spill, offset, to, byte_count) : GRAZE_OK;
}
