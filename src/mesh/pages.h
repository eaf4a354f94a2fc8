// Small reads anywhere in a spill, with the pages of its file that were last read kept at hand.
#ifndef GZ_PAGES_H
#define GZ_PAGES_H

#include "base/spill.h"

// Zero is empty. Serves one spill, which may grow meanwhile.
typedef struct gz_pages {
    uint8_t *bytes;    // NULL before the first read from a file
    uint64_t *numbers; // of the pages, UINT64_MAX where there is none
} gz_pages;

void gz_pages_free(graze_context *context, gz_pages *pages);
graze_status gz_pages_read(gz_pages *pages, const gz_spill *spill, uint64_t offset, void *out,
                           uint64_t byte_count);

#endif
