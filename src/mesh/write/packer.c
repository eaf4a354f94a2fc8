// Bytes on their way to a file: as they are, or through zlib or zstd. See writer.h.
// The name alone decides: .gz packs with gzip, .zst with zstd. The same bytes in give the same
// bytes out: no time and no name goes into the gzip header.
#define ZSTD_STATIC_LINKING_ONLY // for the allocator

#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#include "base/context.h"
#include "base/foreign.h"
#include "base/memory.h"
#include "mesh/write/writer.h"

#define PACKED_BYTES (1u << 17)
// Meshes pack only a little better at higher levels, and take several times as long.
#define GZIP_LEVEL   4
#define ZSTD_LEVEL   3
#define GZIP_WRAPPER (15 + 16) // largest window, gzip header and trailer
#define GZIP_MEMORY  8

struct gz_packer {
    graze_context *context;
    gz_output *output;
    char *path;
    gz_packing packing;
    z_stream gzip;
    ZSTD_CCtx *zstd;
    uint8_t packed[PACKED_BYTES];
};

static bool ends_in(const char *path, size_t length, const char *extension)
{
    size_t bytes = strlen(extension);
    return length > bytes && strncasecmp(path + length - bytes, extension, bytes) == 0;
}

gz_packing gz_packing_of(const char *path, size_t *bare_length)
{
    size_t length = strlen(path);
    gz_packing packing = GZ_PACKING_NONE;
    if (ends_in(path, length, ".gz")) {
        packing = GZ_PACKING_GZIP;
        length -= 3;
    } else if (ends_in(path, length, ".zst")) {
        packing = GZ_PACKING_ZSTD;
        length -= 4;
    }
    *bare_length = length;
    return packing;
}

static void *gzip_allocate(void *context, unsigned items, unsigned item_bytes)
{
    return gz_foreign_allocate(context, (uint64_t)items * item_bytes);
}

static void *zstd_allocate(void *context, size_t bytes)
{
    return gz_foreign_allocate(context, bytes);
}

static void give_back(void *context, void *block) { gz_foreign_release(context, block); }

static void free_packer(gz_packer *packer)
{
    if (packer->packing == GZ_PACKING_GZIP)
        deflateEnd(&packer->gzip);
    ZSTD_freeCCtx(packer->zstd);
    gz_string_free(packer->context, packer->path);
    gz_release(packer->context, packer, sizeof *packer);
}

static graze_status out_of_memory(graze_context *context, const char *path)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory for compressing", path);
}

static graze_status start_packing(gz_packer *packer, gz_packing packing)
{
    graze_context *context = packer->context;
    if (packing == GZ_PACKING_GZIP) {
        packer->gzip =
            (z_stream){.zalloc = gzip_allocate, .zfree = give_back, .opaque = packer->context};
        if (deflateInit2(&packer->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WRAPPER, GZIP_MEMORY,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            return out_of_memory(context, packer->path);
    } else if (packing == GZ_PACKING_ZSTD) {
        packer->zstd =
            ZSTD_createCCtx_advanced((ZSTD_customMem){zstd_allocate, give_back, context});
        if (packer->zstd == NULL ||
            ZSTD_isError(
                ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
            ZSTD_isError(ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1)))
            return out_of_memory(context, packer->path);
    }
    packer->packing = packing;
    return GRAZE_OK;
}

graze_status gz_packer_open(graze_context *context, const char *path, gz_packer **packer)
{
    *packer = NULL;
    gz_packer *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
    made->context = context;
    made->output = NULL;
    made->packing = GZ_PACKING_NONE;
    made->zstd = NULL;
    made->path = gz_string_copy(context, path);
    size_t bare_length = 0;
    graze_status status = GRAZE_OK;
    if (made->path == NULL)
        status = gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
    if (status == GRAZE_OK)
        status = start_packing(made, gz_packing_of(path, &bare_length));
    if (status == GRAZE_OK)
        status = gz_output_create(context, path, &made->output);
    if (status != GRAZE_OK) {
        free_packer(made);
        return status;
    }
    *packer = made;
    return GRAZE_OK;
}

const char *gz_packer_path(const gz_packer *packer) { return packer->path; }

static graze_status write_gzip(gz_packer *packer, const uint8_t *bytes, uint64_t byte_count,
                               int flush)
{
    graze_status status = GRAZE_OK;
    int result = Z_OK;
    do {
        unsigned part = byte_count < (1u << 30) ? (unsigned)byte_count : 1u << 30;
        packer->gzip.next_in = (Bytef *)(uintptr_t)bytes; // zlib only reads there
        packer->gzip.avail_in = part;
        bytes += part;
        byte_count -= part;
        do {
            packer->gzip.next_out = packer->packed;
            packer->gzip.avail_out = PACKED_BYTES;
            result = deflate(&packer->gzip, byte_count == 0 ? flush : Z_NO_FLUSH);
            GZ_ASSERT(result != Z_STREAM_ERROR);
            status = gz_output_write(packer->output, packer->packed,
                                     PACKED_BYTES - packer->gzip.avail_out);
        } while (status == GRAZE_OK && packer->gzip.avail_out == 0 && result != Z_STREAM_END);
    } while (status == GRAZE_OK && byte_count != 0);
    return status;
}

static graze_status write_zstd(gz_packer *packer, const uint8_t *bytes, uint64_t byte_count,
                               ZSTD_EndDirective flush)
{
    ZSTD_inBuffer in = {bytes, (size_t)byte_count, 0};
    graze_status status = GRAZE_OK;
    size_t left = 0;
    do {
        ZSTD_outBuffer out = {packer->packed, PACKED_BYTES, 0};
        left = ZSTD_compressStream2(packer->zstd, &out, &in, flush);
        if (ZSTD_isError(left)) // its buffers are made at the first call
            return out_of_memory(packer->context, packer->path);
        status = gz_output_write(packer->output, packer->packed, out.pos);
    } while (status == GRAZE_OK && (in.pos < in.size || (flush == ZSTD_e_end && left != 0)));
    return status;
}

graze_status gz_packer_write(gz_packer *packer, const void *bytes, uint64_t byte_count)
{
    if (byte_count == 0)
        return GRAZE_OK;
    if (packer->packing == GZ_PACKING_GZIP)
        return write_gzip(packer, bytes, byte_count, Z_NO_FLUSH);
    if (packer->packing == GZ_PACKING_ZSTD)
        return write_zstd(packer, bytes, byte_count, ZSTD_e_continue);
    return gz_output_write(packer->output, bytes, byte_count);
}

graze_status gz_packer_commit(gz_packer *packer)
{
    graze_status status = GRAZE_OK;
    if (packer->packing == GZ_PACKING_GZIP)
        status = write_gzip(packer, NULL, 0, Z_FINISH);
    else if (packer->packing == GZ_PACKING_ZSTD)
        status = write_zstd(packer, NULL, 0, ZSTD_e_end);
    if (status == GRAZE_OK)
        status = gz_output_commit(packer->output);
    else
        gz_output_abandon(packer->output);
    free_packer(packer);
    return status;
}

void gz_packer_abandon(gz_packer *packer)
{
    if (packer == NULL)
        return;
    gz_output_abandon(packer->output);
    free_packer(packer);
}
