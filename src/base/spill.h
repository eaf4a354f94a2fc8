// A spill: a sequence of bytes that grows at its end. It lives in memory up to its share and moves
// to a file without a name beyond that; whoever reads it back does not see the difference.
//
// Rules: the first file_bytes bytes are in the file, the others in memory. While descriptor is
// negative, file_bytes is 0 and all is in memory. capacity never exceeds memory_limit.
#ifndef GZ_SPILL_H
#define GZ_SPILL_H

#include <stdbool.h>

#include "graze/base.h"

#define GZ_SPILL_LEAST_BYTES 64u // the smallest share; 64 KiB and more make sense

typedef struct gz_spill {
    graze_context *context; // NULL: never made, or freed
    uint64_t memory_limit;
    uint64_t byte_count;
    uint64_t file_bytes;
    uint8_t *memory;
    uint64_t capacity;
    int descriptor;
} gz_spill;

gz_spill gz_spill_make(graze_context *context, uint64_t memory_limit);
void gz_spill_free(gz_spill *spill); // accepts a zero one

static inline bool gz_spill_on_disk(const gz_spill *spill) { return spill->file_bytes != 0; }

graze_status gz_spill_append(gz_spill *spill, const void *bytes, uint64_t byte_count);
// Any stretch of what was appended; concurrent reads are fine.
graze_status gz_spill_read(const gz_spill *spill, uint64_t offset, void *out, uint64_t byte_count);
graze_status gz_spill_overwrite(gz_spill *spill, uint64_t offset, const void *bytes,
                                uint64_t byte_count);

// Reads a spill of equal records from front to back, some at a time. The records handed out last
// may be changed and put back.
typedef struct gz_spill_cursor {
    gz_spill *spill;
    uint32_t record_bytes;
    uint64_t offset; // behind the records handed out last
    uint64_t end;    // of the spill when the cursor was opened
    uint8_t *window; // holds what comes from the file; NULL while all is in memory
    uint64_t window_bytes;
    uint8_t *records; // handed out last
    uint64_t record_count;
} gz_spill_cursor;

// The spill must not grow while a cursor is open.
graze_status gz_spill_cursor_open(gz_spill *spill, uint32_t record_bytes, uint64_t window_bytes,
                                  gz_spill_cursor *cursor);
// At the end cursor->record_count is 0. Pointers end with the next call.
graze_status gz_spill_cursor_next(gz_spill_cursor *cursor);
graze_status gz_spill_cursor_put_back(gz_spill_cursor *cursor);
void gz_spill_cursor_close(gz_spill_cursor *cursor); // accepts a zero one

#endif
