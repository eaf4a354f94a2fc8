// Sequences that outgrow memory. See spill.h.
#include "base/spill.h"

#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/file.h"
#include "base/memory.h"

#define TAIL_BYTES (1u << 20) // gathered before each write, once the spill is on disk

gz_spill gz_spill_make(graze_context *context, uint64_t memory_limit)
{
    return (gz_spill){.context = context, .memory_limit = memory_limit, .descriptor = -1};
}

void gz_spill_free(gz_spill *spill)
{
    if (spill->context == NULL)
        return;
    if (spill->descriptor >= 0)
        close(spill->descriptor);
    gz_release(spill->context, spill->memory, spill->capacity);
    *spill = (gz_spill){.descriptor = -1};
}

static bool set_capacity(gz_spill *spill, uint64_t capacity)
{
    uint8_t *memory = gz_resize(spill->context, spill->memory, spill->capacity, capacity);
    if (memory == NULL)
        return false;
    spill->memory = memory;
    spill->capacity = capacity;
    return true;
}

// Makes room for `needed` bytes in memory, half as much again if the share allows it.
static bool grow(gz_spill *spill, uint64_t needed)
{
    if (needed <= spill->capacity)
        return true;
    if (needed > spill->memory_limit)
        return false;
    uint64_t generous = spill->capacity + spill->capacity / 2 + 4096;
    if (generous > spill->memory_limit)
        generous = spill->memory_limit;
    return (generous >= needed && set_capacity(spill, generous)) || set_capacity(spill, needed);
}

static graze_status write_memory(gz_spill *spill)
{
    GZ_ASSERT(spill->file_bytes <= spill->byte_count);
    uint64_t bytes = spill->byte_count - spill->file_bytes;
    GZ_ASSERT(bytes <= spill->capacity);
    if (spill->descriptor < 0) {
        graze_status status = gz_temporary_file(spill->context, &spill->descriptor);
        if (status != GRAZE_OK)
            return status;
    }
    graze_status status = gz_temporary_write(spill->context, spill->descriptor, spill->file_bytes,
                                             spill->memory, bytes);
    if (status == GRAZE_OK)
        spill->file_bytes += bytes;
    return status;
}

// Puts all that is in memory into the file, and keeps a small buffer for what follows.
static graze_status move_to_file(gz_spill *spill)
{
    uint64_t tail = spill->memory_limit < TAIL_BYTES ? spill->memory_limit : TAIL_BYTES;
    if (spill->byte_count != spill->file_bytes) {
        graze_status status = write_memory(spill);
        if (status != GRAZE_OK)
            return status;
    }
    if (spill->capacity > tail)
        (void)set_capacity(spill, tail); // a refused shrink keeps the larger buffer
    if (spill->capacity == 0 && !set_capacity(spill, tail))
        return gz_fail(spill->context, GRAZE_ERROR_MEMORY,
                       "out of memory: no room for a buffer before a temporary file");
    return GRAZE_OK;
}

graze_status gz_spill_append(gz_spill *spill, const void *bytes, uint64_t byte_count)
{
    const uint8_t *next = bytes;
    while (byte_count != 0) {
        uint64_t used = spill->byte_count - spill->file_bytes;
        GZ_ASSERT(used <= spill->capacity);
        bool in_memory = spill->descriptor < 0;
        uint64_t room = spill->capacity - used;
        if (room < byte_count && in_memory && grow(spill, used + byte_count))
            room = spill->capacity - used;
        if (room == 0 || (room < byte_count && in_memory)) {
            graze_status status = move_to_file(spill);
            if (status != GRAZE_OK)
                return status;
            room = spill->capacity - (spill->byte_count - spill->file_bytes);
        }
        uint64_t part = byte_count < room ? byte_count : room;
        memcpy(spill->memory + (spill->byte_count - spill->file_bytes), next, (size_t)part);
        spill->byte_count += part;
        next += part;
        byte_count -= part;
    }
    return GRAZE_OK;
}

// How much of a stretch lies in the file.
static uint64_t filed_part(const gz_spill *spill, uint64_t offset, uint64_t byte_count)
{
    GZ_ASSERT(offset <= spill->byte_count && byte_count <= spill->byte_count - offset);
    if (offset >= spill->file_bytes)
        return 0;
    uint64_t filed = spill->file_bytes - offset;
    return filed < byte_count ? filed : byte_count;
}

graze_status gz_spill_read(const gz_spill *spill, uint64_t offset, void *out, uint64_t byte_count)
{
    uint64_t filed = filed_part(spill, offset, byte_count);
    if (filed != 0) {
        graze_status status =
            gz_temporary_read(spill->context, spill->descriptor, offset, out, filed);
        if (status != GRAZE_OK)
            return status;
    }
    if (filed != byte_count)
        memcpy((uint8_t *)out + filed, spill->memory + (offset + filed - spill->file_bytes),
               (size_t)(byte_count - filed));
    return GRAZE_OK;
}

graze_status gz_spill_overwrite(gz_spill *spill, uint64_t offset, const void *bytes,
                                uint64_t byte_count)
{
    uint64_t filed = filed_part(spill, offset, byte_count);
    if (filed != 0) {
        graze_status status =
            gz_temporary_write(spill->context, spill->descriptor, offset, bytes, filed);
        if (status != GRAZE_OK)
            return status;
    }
    if (filed != byte_count)
        memcpy(spill->memory + (offset + filed - spill->file_bytes), (const uint8_t *)bytes + filed,
               (size_t)(byte_count - filed));
    return GRAZE_OK;
}

graze_status gz_spill_cursor_open(gz_spill *spill, uint32_t record_bytes, uint64_t window_bytes,
                                  gz_spill_cursor *cursor)
{
    *cursor = (gz_spill_cursor){.spill = spill, .record_bytes = record_bytes};
    cursor->end = spill->byte_count;
    cursor->window_bytes = window_bytes < record_bytes ? record_bytes : window_bytes;
    cursor->window_bytes -= cursor->window_bytes % record_bytes;
    GZ_ASSERT(cursor->end % record_bytes == 0);
    if (!gz_spill_on_disk(spill))
        return GRAZE_OK;
    cursor->window = gz_allocate(spill->context, cursor->window_bytes);
    if (cursor->window == NULL)
        return gz_fail(spill->context, GRAZE_ERROR_MEMORY,
                       "out of memory: no room for a window on a temporary file");
    return GRAZE_OK;
}

graze_status gz_spill_cursor_next(gz_spill_cursor *cursor)
{
    uint64_t left = cursor->end - cursor->offset;
    uint64_t bytes = left < cursor->window_bytes ? left : cursor->window_bytes;
    GZ_ASSERT(cursor->offset <= cursor->end && cursor->end <= cursor->spill->byte_count);
    cursor->record_count = bytes / cursor->record_bytes;
    graze_status status = GRAZE_OK;
    if (cursor->window == NULL) {
        cursor->records = bytes == 0 ? NULL : cursor->spill->memory + cursor->offset;
    } else {
        cursor->records = cursor->window;
        status = gz_spill_read(cursor->spill, cursor->offset, cursor->window, bytes);
    }
    cursor->offset += bytes;
    return status;
}

graze_status gz_spill_cursor_put_back(gz_spill_cursor *cursor)
{
    if (cursor->window == NULL)
        return GRAZE_OK;
    uint64_t bytes = cursor->record_count * cursor->record_bytes;
    GZ_ASSERT(bytes <= cursor->offset);
    return gz_spill_overwrite(cursor->spill, cursor->offset - bytes, cursor->window, bytes);
}

void gz_spill_cursor_close(gz_spill_cursor *cursor)
{
    if (cursor->window != NULL)
        gz_release(cursor->spill->context, cursor->window, cursor->window_bytes);
    *cursor = (gz_spill_cursor){0};
}
