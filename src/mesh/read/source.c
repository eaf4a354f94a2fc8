// Fills the window of a source: straight from the file, or through zlib or zstd. See source.h.
//
// A refill moves what the reader has left to the front and reads a modest piece behind it, so that
// the piece is still in the processor's cache when the reader looks at it. Packed files are read
// into a second buffer of the same modest size; members and frames that follow each other are one
// text, as the gzip and zstd commands have it.
//
// Where bytes are fetched ahead, they go to a second window with space in front: what the reader
// has left in the first is put there, and the two change places.
#include "mesh/read/source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <zlib.h>
#define ZSTD_STATIC_LINKING_ONLY // for the allocator and the limit on the window
#include <zstd.h>
#include <zstd_errors.h>

#include "base/bytes.h"
#include "base/context.h"
#include "base/foreign.h"
#include "base/memory.h"
#include "base/threads.h"

#define PIECE_BYTES          (1u << 18)
#define WINDOW_CAPACITY      (GZ_SOURCE_WINDOW + PIECE_BYTES)
#define SPACE_IN_FRONT       (1u << 16)          // of what is fetched ahead: most items are shorter
#define UNCHECKED_BYTES      (UINT64_C(1) << 28) // growth is not looked at below this
#define LARGEST_ZSTD_WINDOW  27                  // log2: what the zstd command accepts unasked
#define GZIP_HEADER_EXPECTED (15 + 16)           // window bits; 16 means gzip, not bare zlib

#define WINDOW_BYTES (WINDOW_CAPACITY + GZ_SOURCE_SLACK)

typedef enum packing { PLAIN, GZIP, ZSTD } packing;

typedef struct gz_unpacker {
    gz_source source; // what the reader sees
    gz_file *file;
    packing packing;
    bool inside;       // a member or frame has begun and not ended
    bool packed_ended; // the file has no more bytes
    uint64_t expansion_limit;
    uint64_t unpacked_bytes;
    uint8_t *packed; // PIECE_BYTES, only for packed files
    uint32_t packed_next, packed_end;
    uint64_t packed_offset; // of packed[0] in the file
    z_stream gzip;
    ZSTD_DStream *zstd;
    uint8_t *here, *there; // the window in use, and the one for bytes ahead; NULL if there is none
    bool has_ahead;        // `there` holds bytes ahead, or how fetching them ended
    bool ahead_ended;
    graze_status ahead_status;
    uint32_t ahead_start, ahead_end; // where they lie in `there`
    uint8_t *second;                 // WINDOW_BYTES, or NULL
    uint8_t first[WINDOW_BYTES];
} gz_unpacker;

static graze_status out_of_memory(gz_unpacker *unpacker)
{
    return gz_fail(unpacker->source.context, GRAZE_ERROR_MEMORY,
                   "%s: out of memory while opening the file", unpacker->source.path);
}

// The sentence names the place in the packed file: what is damaged can be looked at there.
static graze_status fail_packed(gz_unpacker *unpacker, const char *sentence, const char *detail)
{
    uint64_t offset = unpacker->packed_offset + unpacker->packed_next;
    return gz_fail(unpacker->source.context, GRAZE_ERROR_FORMAT,
                   "%s: byte %" PRIu64 " of the packed file: %s%s%s", unpacker->source.path, offset,
                   sentence, detail[0] != '\0' ? ": " : "", detail);
}

static void *zlib_allocate(void *context, unsigned count, unsigned item_bytes)
{
    return gz_foreign_allocate(context, (uint64_t)count * item_bytes);
}

static void *zstd_allocate(void *context, size_t bytes)
{
    return gz_foreign_allocate(context, bytes);
}

static void release(void *context, void *block) { gz_foreign_release(context, block); }

static graze_status open_gzip(gz_unpacker *unpacker)
{
    unpacker->gzip = (z_stream){
        .zalloc = zlib_allocate,
        .zfree = release,
        .opaque = unpacker->source.context,
    };
    if (inflateInit2(&unpacker->gzip, GZIP_HEADER_EXPECTED) != Z_OK)
        return out_of_memory(unpacker);
    unpacker->packing = GZIP;
    unpacker->source.packing = "gzip";
    return GRAZE_OK;
}

static graze_status open_zstd(gz_unpacker *unpacker)
{
    ZSTD_customMem memory = {zstd_allocate, release, unpacker->source.context};
    unpacker->zstd = ZSTD_createDStream_advanced(memory);
    if (unpacker->zstd == NULL || ZSTD_isError(ZSTD_DCtx_setParameter(
                                      unpacker->zstd, ZSTD_d_windowLogMax, LARGEST_ZSTD_WINDOW)))
        return out_of_memory(unpacker);
    unpacker->packing = ZSTD;
    unpacker->source.packing = "zstd";
    return GRAZE_OK;
}

static bool looks_like_gzip(const uint8_t *bytes, uint64_t count)
{
    return count >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

// Frames, and the frames to be skipped that parallel packers put in front.
static bool looks_like_zstd(const uint8_t *bytes, uint64_t count)
{
    if (count < 4)
        return false;
    uint32_t magic = gz_get_u32(bytes, false);
    return magic == ZSTD_MAGICNUMBER ||
           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

// The first piece lies in the window. If it is packed, it moves to the buffer for packed bytes.
static graze_status choose_packing(gz_unpacker *unpacker, uint64_t first_bytes)
{
    const uint8_t *first = unpacker->here;
    graze_status status = GRAZE_OK;
    if (looks_like_gzip(first, first_bytes))
        status = open_gzip(unpacker);
    else if (looks_like_zstd(first, first_bytes))
        status = open_zstd(unpacker);
    if (status != GRAZE_OK)
        return status;
    if (unpacker->packing == PLAIN) {
        unpacker->source.limit = unpacker->here + first_bytes;
        unpacker->source.ended = unpacker->packed_ended;
        unpacker->source.byte_count = unpacker->file->byte_count;
    } else {
        unpacker->packed = gz_allocate(unpacker->source.context, PIECE_BYTES);
        if (unpacker->packed == NULL)
            return out_of_memory(unpacker);
        memcpy(unpacker->packed, first, (size_t)first_bytes);
        unpacker->packed_end = (uint32_t)first_bytes;
    }
    memset(unpacker->here + (unpacker->source.limit - unpacker->source.window), 0, GZ_SOURCE_SLACK);
    return GRAZE_OK;
}

graze_status gz_source_open(gz_file *file, uint64_t expansion_limit, gz_source **source)
{
    *source = NULL;
    gz_unpacker *made = gz_allocate(file->context, sizeof *made);
    if (made == NULL)
        return gz_fail(file->context, GRAZE_ERROR_MEMORY,
                       "%s: out of memory while opening the file", file->path);
    memset(made, 0, offsetof(gz_unpacker, first));
    made->here = made->first;
    made->source = (gz_source){
        .cursor = made->here,
        .limit = made->here,
        .context = file->context,
        .path = file->path,
        .packing = "",
        .window = made->here,
        .unpacker = made,
    };
    made->file = file;
    made->expansion_limit = expansion_limit;
    uint64_t got = 0;
    graze_status status = gz_file_read_next(file, made->here, PIECE_BYTES, &got);
    made->packed_ended = got < PIECE_BYTES;
    if (status == GRAZE_OK)
        status = choose_packing(made, got);
    if (status != GRAZE_OK) {
        gz_source_close(&made->source);
        return status;
    }
    *source = &made->source;
    return GRAZE_OK;
}

void gz_source_close(gz_source *source)
{
    if (source == NULL)
        return;
    gz_unpacker *unpacker = source->unpacker;
    if (unpacker->packing == GZIP)
        inflateEnd(&unpacker->gzip);
    ZSTD_freeDStream(unpacker->zstd); // accepts NULL
    gz_release(source->context, unpacker->packed, PIECE_BYTES);
    gz_release(source->context, unpacker->second, WINDOW_BYTES);
    gz_release(source->context, unpacker, sizeof *unpacker);
}

static graze_status fill_plain(gz_unpacker *unpacker, uint8_t *out, uint32_t bytes, uint32_t *got,
                               bool *ended)
{
    uint64_t count = 0;
    graze_status status = gz_file_read_next(unpacker->file, out, bytes, &count);
    *got = (uint32_t)count;
    *ended = count < bytes;
    return status;
}

static graze_status fill_packed_buffer(gz_unpacker *unpacker)
{
    uint64_t got = 0;
    graze_status status = gz_file_read_next(unpacker->file, unpacker->packed, PIECE_BYTES, &got);
    unpacker->packed_offset += unpacker->packed_end;
    unpacker->packed_next = 0;
    unpacker->packed_end = (uint32_t)got;
    unpacker->packed_ended = got < PIECE_BYTES;
    return status;
}

// Between two gzip members: zeros are padding, as tapes and some tools leave it; anything else but
// another member means that something is lost, so it is not passed over.
static graze_status start_gzip_member(gz_unpacker *unpacker)
{
    while (unpacker->packed_next < unpacker->packed_end &&
           unpacker->packed[unpacker->packed_next] == 0)
        unpacker->packed_next++;
    if (unpacker->packed_next == unpacker->packed_end)
        return GRAZE_OK;
    if (unpacker->packed[unpacker->packed_next] != 0x1f)
        return fail_packed(unpacker, "what follows the gzip data is not gzip data", "");
    if (inflateReset(&unpacker->gzip) != Z_OK)
        return fail_packed(unpacker, "the gzip data is damaged", "");
    unpacker->inside = true;
    return GRAZE_OK;
}

// One call of zlib: from the packed buffer to `out`.
static graze_status inflate_some(gz_unpacker *unpacker, uint8_t *out, uint32_t bytes, uint32_t *got)
{
    if (!unpacker->inside) {
        graze_status status = start_gzip_member(unpacker);
        if (status != GRAZE_OK || !unpacker->inside)
            return status;
    }
    z_stream *gzip = &unpacker->gzip;
    gzip->next_in = unpacker->packed + unpacker->packed_next;
    gzip->avail_in = unpacker->packed_end - unpacker->packed_next;
    gzip->next_out = out;
    gzip->avail_out = bytes;
    int result = inflate(gzip, Z_NO_FLUSH);
    unpacker->packed_next = unpacker->packed_end - gzip->avail_in;
    *got = bytes - gzip->avail_out;
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: return GRAZE_OK; // no progress: more input is fetched, or its end noticed
    case Z_STREAM_END: unpacker->inside = false; return GRAZE_OK;
    case Z_MEM_ERROR: return out_of_memory(unpacker);
    default:
        return fail_packed(unpacker, "the gzip data is damaged",
                           gzip->msg != NULL ? gzip->msg : "");
    }
}

// One call of zstd: from the packed buffer to `out`.
static graze_status unzstd_some(gz_unpacker *unpacker, uint8_t *out, uint32_t bytes, uint32_t *got)
{
    if (!unpacker->inside && unpacker->packed_next == unpacker->packed_end)
        return GRAZE_OK; // asked now, zstd would start a frame that nobody promised
    ZSTD_inBuffer in = {unpacker->packed, unpacker->packed_end, unpacker->packed_next};
    ZSTD_outBuffer to = {out, bytes, 0};
    size_t result = ZSTD_decompressStream(unpacker->zstd, &to, &in);
    unpacker->packed_next = (uint32_t)in.pos;
    *got = (uint32_t)to.pos;
    if (!ZSTD_isError(result)) {
        unpacker->inside = result != 0;
        return GRAZE_OK;
    }
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return out_of_memory(unpacker);
    return fail_packed(unpacker, "the zstd data is damaged, here or further on",
                       ZSTD_getErrorName(result));
}

static graze_status check_growth(gz_unpacker *unpacker)
{
    uint64_t packed = unpacker->packed_offset + unpacker->packed_next;
    uint64_t allowed = 0;
    if (!gz_mul(packed, unpacker->expansion_limit, &allowed))
        allowed = UINT64_MAX;
    if (unpacker->unpacked_bytes <= UNCHECKED_BYTES || unpacker->unpacked_bytes <= allowed)
        return GRAZE_OK;
    return gz_fail(unpacker->source.context, GRAZE_ERROR_FORMAT,
                   "%s: byte %" PRIu64 " of the packed file: it grows to more than %" PRIu64
                   " times its size, which is the limit set for reading",
                   unpacker->source.path, packed, unpacker->expansion_limit);
}

// At least one byte, unless the data ends here.
static graze_status fill_packed(gz_unpacker *unpacker, uint8_t *out, uint32_t bytes, uint32_t *got,
                                bool *ended)
{
    *got = 0;
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && *got == 0) {
        // An unpacker may hold back output when the window was full, so it is asked before the
        // file's end is taken for the end of the data.
        uint32_t before = unpacker->packed_next;
        if (unpacker->packing == GZIP)
            status = inflate_some(unpacker, out, bytes, got);
        else
            status = unzstd_some(unpacker, out, bytes, got);
        if (status != GRAZE_OK || *got != 0 || unpacker->packed_next != before)
            continue;
        if (unpacker->packed_next < unpacker->packed_end) {
            status = fail_packed(unpacker, "the packed data is damaged", "");
        } else if (!unpacker->packed_ended) {
            status = fill_packed_buffer(unpacker);
        } else if (unpacker->inside) {
            status = fail_packed(unpacker, "the file ends in the middle of the packed data", "");
        } else {
            *ended = true;
            break;
        }
    }
    unpacker->unpacked_bytes += *got;
    return status == GRAZE_OK ? check_growth(unpacker) : status;
}

// Fills a window from byte *end on up to `target`, or to the end of the data.
static graze_status fill(gz_unpacker *unpacker, uint8_t *window, uint32_t *end, uint32_t target,
                         bool *ended)
{
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && *end < target && !*ended) {
        uint32_t got = 0;
        if (unpacker->packing == PLAIN)
            status = fill_plain(unpacker, window + *end, target - *end, &got, ended);
        else
            status = fill_packed(unpacker, window + *end, target - *end, &got, ended);
        *end += got;
    }
    memset(window + *end, 0, GZ_SOURCE_SLACK);
    return status;
}

bool gz_source_prepare_ahead(gz_source *source)
{
    gz_unpacker *unpacker = source->unpacker;
    if (source->ended || unpacker->has_ahead)
        return false;
    if (unpacker->second == NULL)
        unpacker->there = unpacker->second = gz_allocate(source->context, WINDOW_BYTES);
    return unpacker->second != NULL;
}

void gz_source_fetch_ahead(gz_source *source, const uint8_t **start, const uint8_t **limit)
{
    gz_unpacker *unpacker = source->unpacker;
    GZ_ASSERT(!unpacker->has_ahead);
    unpacker->has_ahead = true;
    unpacker->ahead_ended = false;
    unpacker->ahead_start = unpacker->ahead_end = SPACE_IN_FRONT;
    unpacker->ahead_status = fill(unpacker, unpacker->there, &unpacker->ahead_end, WINDOW_CAPACITY,
                                  &unpacker->ahead_ended);
    *start = unpacker->there + unpacker->ahead_start;
    *limit = unpacker->there + unpacker->ahead_end;
}

// The window is about to begin at the cursor.
static void remember_before(gz_source *source)
{
    if (source->cursor > source->window)
        source->before = source->cursor[-1];
}

static void move_to_front(gz_source *source)
{
    uint64_t left = gz_source_left(source);
    remember_before(source);
    uint8_t *front = source->unpacker->here;
    source->window_offset = gz_source_offset(source, source->cursor);
    if (source->cursor != front)
        memmove(front, source->cursor, (size_t)left);
    source->window = source->cursor = front;
    source->limit = front + left;
}

// What is left goes in front of the bytes ahead, and the windows change places.
static void change_windows(gz_source *source)
{
    gz_unpacker *unpacker = source->unpacker;
    uint64_t left = gz_source_left(source);
    uint8_t *start = unpacker->there + unpacker->ahead_start - left;
    remember_before(source);
    source->window_offset = gz_source_offset(source, source->cursor);
    memcpy(start, source->cursor, (size_t)left);
    source->window = source->cursor = start;
    source->limit = unpacker->there + unpacker->ahead_end;
    unpacker->there = unpacker->here;
    unpacker->here = unpacker->there == unpacker->first ? unpacker->second : unpacker->first;
    unpacker->ahead_start = unpacker->ahead_end;
}

// Too much is left for that: as many of the bytes ahead as there is room for come behind it.
static void append_ahead(gz_source *source)
{
    gz_unpacker *unpacker = source->unpacker;
    move_to_front(source);
    uint32_t left = (uint32_t)gz_source_left(source);
    uint32_t fetched = unpacker->ahead_end - unpacker->ahead_start;
    uint32_t count = fetched < WINDOW_CAPACITY - left ? fetched : WINDOW_CAPACITY - left;
    memcpy(unpacker->here + left, unpacker->there + unpacker->ahead_start, count);
    memset(unpacker->here + left + count, 0, GZ_SOURCE_SLACK);
    source->limit += count;
    unpacker->ahead_start += count;
}

// At least GZ_SOURCE_WINDOW bytes are then there, or all that were fetched.
static graze_status take_ahead(gz_source *source)
{
    gz_unpacker *unpacker = source->unpacker;
    if (gz_source_left(source) <= unpacker->ahead_start)
        change_windows(source);
    else
        append_ahead(source);
    if (unpacker->ahead_start != unpacker->ahead_end)
        return GRAZE_OK;
    unpacker->has_ahead = false;
    source->ended = unpacker->ahead_ended;
    return unpacker->ahead_status;
}

static graze_status read_on(gz_source *source, uint32_t bytes)
{
    gz_unpacker *unpacker = source->unpacker;
    move_to_front(source);
    uint32_t end = (uint32_t)gz_source_left(source);
    uint32_t target = bytes - end < PIECE_BYTES ? end + PIECE_BYTES : bytes;
    graze_status status = fill(unpacker, unpacker->here, &end, target, &source->ended);
    source->limit = unpacker->here + end;
    return status;
}

graze_status gz_source_need(gz_source *source, uint32_t bytes)
{
    GZ_ASSERT(bytes <= GZ_SOURCE_WINDOW);
    if (gz_source_left(source) >= bytes || source->ended)
        return GRAZE_OK;
    gz_unpacker *unpacker = source->unpacker;
    graze_status status = unpacker->has_ahead ? take_ahead(source) : GRAZE_OK;
    if (status == GRAZE_OK && gz_source_left(source) < bytes && !source->ended)
        status = read_on(source, bytes);
    if (status == GRAZE_OK)
        status = gz_checkpoint(source->context, "reading", "bytes", unpacker->file->cursor,
                               unpacker->file->byte_count);
    return status;
}

graze_status gz_source_skip(gz_source *source, uint64_t bytes)
{
    for (;;) {
        uint64_t left = gz_source_left(source);
        uint64_t step = bytes < left ? bytes : left;
        source->cursor += step;
        bytes -= step;
        if (bytes == 0)
            return GRAZE_OK;
        if (source->ended)
            return gz_source_fail(source, source->cursor,
                                  "the file ends here, but %" PRIu64 " more bytes were promised",
                                  bytes);
        graze_status status = gz_source_need(source, 1);
        if (status != GRAZE_OK)
            return status;
    }
}

graze_status gz_source_finish(gz_source *source)
{
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && source->packing[0] != '\0' && !source->ended) {
        source->cursor = source->limit;
        status = gz_source_need(source, 1);
    }
    return status;
}

graze_status(gz_source_fail)(gz_source *source, const uint8_t *at, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return gz_fail(source->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s", source->path,
                   gz_source_offset(source, at), sentence);
}
