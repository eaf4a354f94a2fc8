// Packs bytes with zstd. See sections.h.
#include "model/sections.h"

#define ZSTD_STATIC_LINKING_ONLY // for the allocator
#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/foreign.h"

#define LEVEL      1
#define SIZE_BYTES 4u

static void *zstd_allocate(void *context, size_t bytes)
{
    return gz_foreign_allocate(context, bytes);
}

static void zstd_release(void *context, void *block) { gz_foreign_release(context, block); }

bool gz_section_packer_init(graze_context *context, gz_section_packer *packer)
{
    *packer = (gz_section_packer){context, NULL};
    packer->zstd = ZSTD_createCCtx_advanced((ZSTD_customMem){zstd_allocate, zstd_release, context});
    return packer->zstd != NULL;
}

void gz_section_packer_free(gz_section_packer *packer)
{
    ZSTD_freeCCtx(packer->zstd);
    *packer = (gz_section_packer){0};
}

bool gz_section_unpacker_init(graze_context *context, gz_section_unpacker *unpacker)
{
    *unpacker = (gz_section_unpacker){context, NULL};
    unpacker->zstd =
        ZSTD_createDCtx_advanced((ZSTD_customMem){zstd_allocate, zstd_release, context});
    return unpacker->zstd != NULL;
}

void gz_section_unpacker_free(gz_section_unpacker *unpacker)
{
    ZSTD_freeDCtx(unpacker->zstd);
    *unpacker = (gz_section_unpacker){0};
}

bool gz_section_append(gz_section_packer *packer, gz_byte_list *out, const void *bytes,
                       uint64_t byte_count)
{
    uint64_t start = out->count, room = ZSTD_compressBound((size_t)byte_count) + SIZE_BYTES;
    uint8_t *to = gz_list_push(packer->context, out, room);
    if (to == NULL)
        return false;
    size_t packed = ZSTD_compressCCtx(packer->zstd, to + SIZE_BYTES, (size_t)(room - SIZE_BYTES),
                                      bytes, (size_t)byte_count, LEVEL);
    if (ZSTD_isError(packed)) // there is room, so it is memory
        return false;
    if (packed >= byte_count) {
        packed = (size_t)byte_count;
        if (packed != 0)
            memcpy(to + SIZE_BYTES, bytes, packed);
    }
    gz_put_u32(to, (uint32_t)packed, false);
    out->count = start + SIZE_BYTES + packed;
    return true;
}

bool gz_section_append_plain(gz_section_packer *packer, gz_byte_list *out, const void *bytes,
                             uint64_t byte_count)
{
    uint8_t *to = gz_list_push(packer->context, out, byte_count + SIZE_BYTES);
    if (to == NULL)
        return false;
    gz_put_u32(to, (uint32_t)byte_count, false);
    if (byte_count != 0)
        memcpy(to + SIZE_BYTES, bytes, (size_t)byte_count);
    return true;
}

bool gz_section_read(gz_section_unpacker *unpacker, gz_section_reader *from, void *out,
                     uint64_t byte_count)
{
    if ((uint64_t)(from->end - from->next) < SIZE_BYTES)
        return false;
    uint64_t packed = gz_get_u32(from->next, false);
    const uint8_t *bytes = from->next + SIZE_BYTES;
    if (packed > byte_count || packed > (uint64_t)(from->end - bytes))
        return false;
    from->next = bytes + packed;
    if (packed == byte_count) {
        if (packed != 0)
            memcpy(out, bytes, (size_t)packed);
        return true;
    }
    size_t got =
        ZSTD_decompressDCtx(unpacker->zstd, out, (size_t)byte_count, bytes, (size_t)packed);
    return !ZSTD_isError(got) && got == byte_count;
}
