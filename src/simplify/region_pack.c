// Regions as bytes, to be put aside while others are worked on. See regions.h.
//
// offset size  what, little-endian
//      0    4  vertices
//      4    4  triangles: parts, whole ones and those around
//      8    4  parts
//     12    4  whole triangles
//     16       positions, in the model's precision
//              corners: how many vertices ago their vertex was new, 0 where it is new; seven bits a
//              byte, low ones first, the eighth says that more follow
//              extras: runs of equal ones; how many, as above, and the number, 4 bytes
#include "simplify/regions.h"

#include <string.h>

#include "base/bytes.h"
#include "base/context.h"

#define HEAD_BYTES       16u
#define MOST_CODE_BYTES  5u                        // of 32 bits, seven a byte
#define MOST_PIECE_BYTES (5 * MOST_CODE_BYTES + 4) // with a run of its own

// --- Packing

static uint8_t *put_code(uint8_t *to, uint32_t code)
{
    for (; code >= 128; code >>= 7)
        *to++ = (uint8_t)(code | 128);
    *to++ = (uint8_t)code;
    return to;
}

static uint8_t *put_positions(uint8_t *to, const gz_surface *all, graze_precision precision)
{
    for (uint32_t v = 0; v < all->vertex_count; ++v)
        for (int i = 0; i < 3; ++i)
            to = precision == GRAZE_FLOAT32 ? gz_put_float(to, (float)all->position[v][i], false)
                                            : gz_put_double(to, all->position[v][i], false);
    return to;
}

// Numbers that count on where they are new.
static uint8_t *put_numbers(uint8_t *to, const uint32_t *number, uint64_t count, uint32_t *seen)
{
    for (uint64_t i = 0; i < count; ++i) {
        GZ_ASSERT(number[i] <= *seen);
        to = put_code(to, *seen - number[i]);
        *seen += number[i] == *seen;
    }
    return to;
}

static uint8_t *put_extras(uint8_t *to, const gz_extra_list *extras)
{
    const float *extra = extras->items;
    for (uint64_t t = 0, next; t < extras->count; t = next) {
        for (next = t + 1; next < extras->count && extra[next] == extra[t];)
            next++;
        to = gz_put_float(put_code(to, (uint32_t)(next - t)), extra[t], false);
    }
    return to;
}

bool gz_region_pack(graze_context *context, const gz_region *region, graze_precision precision,
                    gz_byte_list *bytes)
{
    gz_surface all = gz_region_own(region);
    uint64_t triangles = region->corners.count;
    uint32_t vertices = 0;
    uint64_t most = HEAD_BYTES + (uint64_t)all.vertex_count * 3 * (uint64_t)precision +
                    triangles * MOST_PIECE_BYTES;
    if (!gz_add(most, bytes->count, &most) || !gz_list_reserve(context, bytes, most))
        return false;
    uint8_t *to = (uint8_t *)bytes->items + bytes->count;
    to = gz_put_u32(to, all.vertex_count, false);
    to = gz_put_u32(to, (uint32_t)triangles, false);
    to = gz_put_u32(to, region->part_count, false);
    to = gz_put_u32(to, region->whole_count, false);
    to = put_positions(to, &all, precision);
    to = put_numbers(to, (const uint32_t *)region->corners.items, 3 * triangles, &vertices);
    to = put_extras(to, &region->extras);
    GZ_ASSERT(vertices == all.vertex_count);
    bytes->count = (uint64_t)(to - (uint8_t *)bytes->items);
    return true;
}

// --- Unpacking

typedef struct unread {
    const uint8_t *next, *end;
} unread;

static uint64_t bytes_left(const unread *from) { return (uint64_t)(from->end - from->next); }

static bool get_code(unread *from, uint32_t *code)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 7 * MOST_CODE_BYTES; shift += 7) {
        if (from->next == from->end)
            return false;
        value |= (uint64_t)(*from->next & 127u) << shift;
        if ((*from->next++ & 128u) == 0) {
            *code = (uint32_t)value;
            return value <= UINT32_MAX;
        }
    }
    return false;
}

static float get_float(unread *from)
{
    float value = gz_get_float(from->next, false);
    from->next += 4;
    return value;
}

static double get_double(unread *from)
{
    double value = gz_get_double(from->next, false);
    from->next += 8;
    return value;
}

// The bytes are there: the counts have been compared with how many there are.
static bool get_positions(unread *from, graze_precision precision, gz_point_list *positions)
{
    double *to = (double *)positions->items, strange = 0;
    for (uint64_t i = 0; i < 3 * positions->count; ++i) {
        to[i] = precision == GRAZE_FLOAT32 ? (double)get_float(from) : get_double(from);
        strange += to[i] * 0; // becomes NaN where one is not finite
    }
    return strange == 0;
}

static bool get_numbers(unread *from, uint64_t count, uint32_t end, uint32_t *to)
{
    uint32_t seen = 0;
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t code;
        if (!get_code(from, &code) || code > seen)
            return false;
        to[i] = seen - code;
        seen += code == 0;
        if (seen > end)
            return false;
    }
    return seen == end;
}

static bool get_extras(unread *from, gz_extra_list *extras)
{
    float *to = extras->items;
    for (uint64_t t = 0; t < extras->count;) {
        uint32_t run;
        if (!get_code(from, &run) || run == 0 || run > extras->count - t || bytes_left(from) < 4)
            return false;
        float extra = get_float(from);
        if (!(extra >= 0))
            return false;
        for (uint32_t k = 0; k < run; ++k)
            to[t++] = extra;
    }
    return from->next == from->end;
}

static graze_status read_region(graze_context *context, unread *from, graze_precision precision,
                                gz_region *region)
{
    static const char damaged[] = "bytes that were put aside are no region";
    if (bytes_left(from) < HEAD_BYTES)
        return gz_fail(context, GRAZE_ERROR_FORMAT, damaged);
    uint32_t head[4];
    for (int k = 0; k < 4; ++k)
        head[k] = gz_get_u32(from->next + 4 * k, false);
    from->next += HEAD_BYTES;
    uint32_t vertices = head[0], triangles = head[1], parts = head[2], wholes = head[3];
    if (bytes_left(from) < (uint64_t)vertices * 3 * (uint64_t)precision + (uint64_t)triangles * 3 ||
        parts > triangles || wholes > triangles - parts)
        return gz_fail(context, GRAZE_ERROR_FORMAT, damaged);
    region->part_count = parts;
    region->whole_count = wholes;
    if ((vertices != 0 && gz_list_push(context, &region->positions, vertices) == NULL) ||
        (triangles != 0 && gz_list_push(context, &region->corners, triangles) == NULL) ||
        (parts + wholes != 0 && gz_list_push(context, &region->extras, parts + wholes) == NULL))
        return gz_fail(context, GRAZE_ERROR_MEMORY, "no memory for a region of %u triangles",
                       triangles);
    if (!get_positions(from, precision, &region->positions) ||
        !get_numbers(from, 3 * (uint64_t)triangles, vertices, (uint32_t *)region->corners.items) ||
        !get_extras(from, &region->extras))
        return gz_fail(context, GRAZE_ERROR_FORMAT, damaged);
    return GRAZE_OK;
}

graze_status gz_region_unpack(graze_context *context, const uint8_t *bytes, uint64_t byte_count,
                              graze_precision precision, gz_region *region)
{
    unread from = {bytes, bytes + byte_count};
    gz_region_clear(region);
    graze_status status = read_region(context, &from, precision, region);
    if (status != GRAZE_OK)
        gz_region_clear(region);
    return status;
}
