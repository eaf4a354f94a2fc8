// A source: the bytes of a file from front to back, unpacked if it is gzip or zstd, through one
// window of fixed size. Readers look at the window directly; nothing is copied byte by byte.
//
// Rules: cursor <= limit. Bytes from cursor to limit are there. At least GZ_SOURCE_SLACK zero bytes
// follow limit, so that a scanner may look a little past it and find the end of any number or
// word. Moving the window (gz_source_need) ends all pointers into it.
#ifndef GZ_SOURCE_H
#define GZ_SOURCE_H

#include <stdbool.h>

#include "base/file.h"

#define GZ_SOURCE_WINDOW (1u << 20) // the most that gz_source_need can promise
#define GZ_SOURCE_SLACK  64u

typedef struct gz_source {
    const uint8_t *cursor; // the reader moves it forward itself
    const uint8_t *limit;
    bool ended; // nothing comes after limit
    graze_context *context;
    const char *path;
    const char *packing;    // "", "gzip" or "zstd"
    uint64_t window_offset; // of the window's first byte in the unpacked data
    const uint8_t *window;
    uint8_t before;               // the byte in front of the window; 0 if there is none
    uint64_t byte_count;          // of the unpacked data where it is known, for plain files; else 0
    struct gz_unpacker *unpacker; // private
} gz_source;

// The file stays the caller's, is read from its start, and outlives the source.
graze_status gz_source_open(gz_file *file, uint64_t expansion_limit, gz_source **source);
void gz_source_close(gz_source *source); // accepts NULL

// Afterwards at least `bytes` (at most GZ_SOURCE_WINDOW) bytes are there, or all that are left.
// Also the place where progress is reported and cancelling is noticed.
graze_status gz_source_need(gz_source *source, uint32_t bytes);

// Fetching bytes ahead, beside others who look at the window: on any thread, while nobody calls
// gz_source_need. How it ended is what the gz_source_need says that comes to these bytes. First
// gz_source_prepare_ahead, on the reader's thread: false if there is nothing to fetch, or no memory
// for it. The bytes are then between *start and *limit, with zeros behind them, and stay in their
// place if the reader has at most a few KB left when it comes to them.
bool gz_source_prepare_ahead(gz_source *source);
void gz_source_fetch_ahead(gz_source *source, const uint8_t **start, const uint8_t **limit);

static inline uint64_t gz_source_left(const gz_source *source)
{
    return (uint64_t)(source->limit - source->cursor);
}

// Offset of `at` (a pointer into the window) in the unpacked data.
static inline uint64_t gz_source_offset(const gz_source *source, const uint8_t *at)
{
    return source->window_offset + (uint64_t)(at - source->window);
}

// The last byte before limit, whether it is still in the window or not; 0 if there is none.
static inline uint8_t gz_source_last_byte(const gz_source *source)
{
    return source->limit > source->window ? source->limit[-1] : source->before;
}

// Skips forward, through as many windows as it takes. An end before that is GRAZE_ERROR_FORMAT.
graze_status gz_source_skip(gz_source *source, uint64_t bytes);

// A packed file is read to its end, so that damage behind the last byte in use (and a wrong
// checksum) is noticed; a plain one is left alone.
graze_status gz_source_finish(gz_source *source);

// Logs "<path>: byte <offset of at>: <sentence>" and returns GRAZE_ERROR_FORMAT.
graze_status gz_source_fail(gz_source *source, const uint8_t *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__
#define gz_source_fail(...) (gz_source_fail(__VA_ARGS__), GRAZE_ERROR_FORMAT)
#endif

#endif
