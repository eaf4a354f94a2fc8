// Accessors: typed elements in buffers, dense, strided or sparse. See gltf.h.
//
// Reading is in order and in pieces. A piece of a dense accessor is one read; a strided one is
// gathered from a larger read; replaced elements of a sparse one arrive in a second, sorted stream
// that is merged in as the elements pass.
#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "mesh/gltf/gltf.h"

enum { BYTE = 5120, UBYTE = 5121, SHORT = 5122, USHORT = 5123, UINT = 5125, FLOAT = 5126 };

static uint32_t bytes_of_component(uint64_t type)
{
    switch (type) {
    case BYTE:
    case UBYTE: return 1;
    case SHORT:
    case USHORT: return 2;
    case UINT:
    case FLOAT: return 4;
    default: return 0;
    }
}

static uint32_t components_of_type(const gz_json *json, uint32_t token)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    for (uint32_t i = 0; i < 4; ++i)
        if (gz_json_equals(json, token, types[i]))
            return i + 1;
    return 0;
}

// Finds `count` elements of `element_bytes` bytes in the buffer view that `object` names, at the
// byteOffset that it adds. Every sum is checked before it is made.
static graze_status open_span(gz_gltf *gltf, uint32_t object, uint32_t view, uint32_t element_bytes,
                              uint64_t count, gz_gltf_span *span)
{
    const gz_json *json = &gltf->json;
    uint32_t token = gltf->buffer_views.tokens[view], buffer = GZ_GLTF_NONE;
    uint64_t view_offset = 0, view_bytes = 0, stride = element_bytes, offset = 0;
    graze_status status =
        gz_gltf_index(gltf, token, "buffer", "buffer", gltf->buffer_count, &buffer);
    if (status == GRAZE_OK && buffer == GZ_GLTF_NONE)
        status = gz_json_fail(json, token, "buffer view %" PRIu32 " names no buffer", view);
    if (status == GRAZE_OK)
        status = gz_gltf_buffer_check(gltf, buffer);
    if (status == GRAZE_OK)
        status = gz_gltf_uint(gltf, token, "byteOffset", INT64_MAX, &view_offset);
    if (status == GRAZE_OK)
        status = gz_gltf_require_uint(gltf, token, "byteLength", INT64_MAX, &view_bytes);
    if (status == GRAZE_OK)
        status = gz_gltf_uint(gltf, token, "byteStride", 252, &stride);
    if (status == GRAZE_OK)
        status = gz_gltf_uint(gltf, object, "byteOffset", INT64_MAX, &offset);
    if (status != GRAZE_OK)
        return status;
    uint64_t buffer_bytes = gltf->buffers[buffer].byte_count;
    if (view_offset > buffer_bytes || view_bytes > buffer_bytes - view_offset)
        return gz_json_fail(json, token,
                            "buffer view %" PRIu32 " takes %" PRIu64 " bytes from byte %" PRIu64
                            " on, but buffer %" PRIu32 " has only %" PRIu64,
                            view, view_bytes, view_offset, buffer, buffer_bytes);
    if (stride < element_bytes)
        return gz_json_fail(json, token,
                            "buffer view %" PRIu32 " has a byteStride of %" PRIu64
                            ", but its elements take %" PRIu32 " bytes",
                            view, stride, element_bytes);
    uint64_t needed = 0;
    if (count != 0 && (!gz_mul(count - 1, stride, &needed) || !gz_add(needed, offset, &needed) ||
                       !gz_add(needed, element_bytes, &needed) || needed > view_bytes))
        return gz_json_fail(json, object,
                            "%" PRIu64 " elements, %" PRIu64 " bytes apart from byte %" PRIu64
                            " on, do not fit into the %" PRIu64 " bytes of buffer view %" PRIu32,
                            count, stride, offset, view_bytes, view);
    *span = (gz_gltf_span){buffer, (uint32_t)stride, view_offset + offset};
    return GRAZE_OK;
}

static graze_status require_span(gz_gltf *gltf, uint32_t object, uint32_t element_bytes,
                                 uint64_t count, gz_gltf_span *span)
{
    uint32_t view = GZ_GLTF_NONE;
    graze_status status =
        gz_gltf_index(gltf, object, "bufferView", "buffer view", gltf->buffer_views.count, &view);
    if (status == GRAZE_OK && view == GZ_GLTF_NONE)
        status = gz_json_fail(&gltf->json, object, "a bufferView is missing here");
    if (status == GRAZE_OK)
        status = open_span(gltf, object, view, element_bytes, count, span);
    return status;
}

static graze_status open_sparse(gz_gltf *gltf, uint32_t sparse, gz_gltf_accessor *accessor)
{
    const gz_json *json = &gltf->json;
    uint32_t indices = gz_json_member(json, sparse, "indices");
    uint32_t values = gz_json_member(json, sparse, "values");
    if (gz_json_kind_of(json, indices) != GZ_JSON_OBJECT ||
        gz_json_kind_of(json, values) != GZ_JSON_OBJECT)
        return gz_json_fail(json, sparse, "a sparse accessor without indices and values");
    uint64_t type = 0;
    graze_status status =
        gz_gltf_require_uint(gltf, sparse, "count", accessor->count, &accessor->sparse_count);
    if (status == GRAZE_OK)
        status = gz_gltf_require_uint(gltf, indices, "componentType", UINT32_MAX, &type);
    if (status != GRAZE_OK)
        return status;
    if (type != UBYTE && type != USHORT && type != UINT)
        return gz_json_fail(json, indices, "indices cannot have the componentType %" PRIu64, type);
    accessor->sparse_index_bytes = bytes_of_component(type);
    status = require_span(gltf, indices, accessor->sparse_index_bytes, accessor->sparse_count,
                          &accessor->sparse_indices);
    if (status == GRAZE_OK)
        status = require_span(gltf, values, accessor->element_bytes, accessor->sparse_count,
                              &accessor->sparse_values);
    return status;
}

static graze_status read_layout(gz_gltf *gltf, gz_gltf_accessor *accessor)
{
    const gz_json *json = &gltf->json;
    uint32_t token = accessor->token;
    uint64_t type = 0;
    graze_status status = gz_gltf_require_uint(gltf, token, "componentType", UINT32_MAX, &type);
    if (status == GRAZE_OK)
        status = gz_gltf_require_uint(gltf, token, "count", INT64_MAX, &accessor->count);
    if (status != GRAZE_OK)
        return status;
    accessor->component_type = (uint32_t)type;
    accessor->component_bytes = bytes_of_component(type);
    if (accessor->component_bytes == 0)
        return gz_json_fail(json, token,
                            "accessor %" PRIu32 " has an unknown componentType, %" PRIu64,
                            accessor->index, type);
    accessor->components = components_of_type(json, gz_json_member(json, token, "type"));
    if (accessor->components == 0)
        return gz_json_fail(json, token, "accessor %" PRIu32 " is neither scalar nor vector",
                            accessor->index);
    accessor->element_bytes = accessor->components * accessor->component_bytes;
    accessor->normalized =
        gz_json_kind_of(json, gz_json_member(json, token, "normalized")) == GZ_JSON_TRUE;
    return GRAZE_OK;
}

graze_status gz_gltf_accessor_open(gz_gltf *gltf, uint32_t index, gz_gltf_accessor *accessor)
{
    uint32_t token = gltf->accessors.tokens[index], view = GZ_GLTF_NONE;
    *accessor = (gz_gltf_accessor){
        .index = index,
        .token = token,
        .span.buffer = GZ_GLTF_NONE,
    };
    graze_status status = read_layout(gltf, accessor);
    if (status == GRAZE_OK)
        status = gz_gltf_index(gltf, token, "bufferView", "buffer view", gltf->buffer_views.count,
                               &view);
    if (status == GRAZE_OK && view != GZ_GLTF_NONE)
        status =
            open_span(gltf, token, view, accessor->element_bytes, accessor->count, &accessor->span);
    uint32_t sparse = gz_json_member(&gltf->json, token, "sparse");
    if (status == GRAZE_OK && sparse != GZ_JSON_NONE)
        status = open_sparse(gltf, sparse, accessor);
    return status;
}

void gz_gltf_cursor_start(gz_gltf_cursor *cursor, const gz_gltf_accessor *accessor)
{
    cursor->accessor = accessor;
    cursor->next = cursor->sparse_next = 0;
    cursor->sparse_at = cursor->sparse_held = 0;
    cursor->sparse_last = -1;
}

// Elements `first` to `first + count` of a span, packed. Strides reach 252, elements 16 bytes.
static graze_status read_span(gz_gltf *gltf, const gz_gltf_span *span, uint32_t element_bytes,
                              uint64_t first, uint32_t count, uint8_t *out)
{
    uint64_t offset = span->offset + first * span->stride;
    if (span->stride == element_bytes)
        return gz_gltf_buffer_read(gltf, span->buffer, offset, out,
                                   (uint64_t)count * element_bytes);
    uint32_t most = GZ_GLTF_PIECE_BYTES / span->stride;
    while (count != 0) {
        uint32_t now = count < most ? count : most;
        uint64_t bytes = (uint64_t)(now - 1) * span->stride + element_bytes;
        graze_status status = gz_gltf_buffer_read(gltf, span->buffer, offset, gltf->piece, bytes);
        if (status != GRAZE_OK)
            return status;
        for (uint32_t i = 0; i < now; ++i, out += element_bytes)
            memcpy(out, gltf->piece + (uint64_t)i * span->stride, element_bytes);
        offset += (uint64_t)now * span->stride;
        count -= now;
    }
    return GRAZE_OK;
}

static uint32_t widen(const uint8_t *bytes, uint32_t size)
{
    uint32_t value = 0;
    memcpy(&value, bytes, size); // little-endian
    return value;
}

// Fetches the next replaced elements and checks that their numbers rise and are in range.
static graze_status fetch_sparse(gz_gltf *gltf, gz_gltf_cursor *cursor)
{
    const gz_gltf_accessor *accessor = cursor->accessor;
    uint64_t left = accessor->sparse_count - cursor->sparse_next;
    uint32_t count = left < GZ_GLTF_SPARSE_PIECE ? (uint32_t)left : GZ_GLTF_SPARSE_PIECE;
    uint8_t raw[GZ_GLTF_SPARSE_PIECE * 4];
    const gz_gltf_span *indices = &accessor->sparse_indices;
    graze_status status =
        read_span(gltf, indices, accessor->sparse_index_bytes, cursor->sparse_next, count, raw);
    if (status == GRAZE_OK)
        status = read_span(gltf, &accessor->sparse_values, accessor->element_bytes,
                           cursor->sparse_next, count, cursor->sparse_value);
    if (status != GRAZE_OK)
        return status;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t index =
            widen(raw + i * accessor->sparse_index_bytes, accessor->sparse_index_bytes);
        if (index <= cursor->sparse_last || index >= accessor->count)
            return gz_gltf_buffer_fail(
                gltf, indices->buffer,
                indices->offset + (cursor->sparse_next + i) * indices->stride,
                index >= accessor->count
                    ? "sparse accessor %" PRIu32 " replaces element %" PRIu32 " of %" PRIu64
                    : "sparse accessor %" PRIu32 " replaces element %" PRIu32 " (of %" PRIu64
                      ") behind a later one",
                accessor->index, index, accessor->count);
        cursor->sparse_index[i] = index;
        cursor->sparse_last = index;
    }
    cursor->sparse_next += count;
    cursor->sparse_held = count;
    cursor->sparse_at = 0;
    return GRAZE_OK;
}

// Puts the replaced elements among the `count` ones from cursor->next on into their places.
static graze_status merge_sparse(gz_gltf *gltf, gz_gltf_cursor *cursor, uint32_t count,
                                 uint8_t *out)
{
    const gz_gltf_accessor *accessor = cursor->accessor;
    uint32_t size = accessor->element_bytes;
    for (;;) {
        if (cursor->sparse_at == cursor->sparse_held) {
            if (cursor->sparse_next == accessor->sparse_count)
                return GRAZE_OK;
            graze_status status = fetch_sparse(gltf, cursor);
            if (status != GRAZE_OK)
                return status;
        }
        uint64_t index = cursor->sparse_index[cursor->sparse_at];
        if (index >= cursor->next + count)
            return GRAZE_OK;
        memcpy(out + (index - cursor->next) * size, cursor->sparse_value + cursor->sparse_at * size,
               size);
        cursor->sparse_at++;
    }
}

graze_status gz_gltf_cursor_read(gz_gltf *gltf, gz_gltf_cursor *cursor, uint32_t count,
                                 uint8_t *out)
{
    const gz_gltf_accessor *accessor = cursor->accessor;
    GZ_ASSERT(count <= GZ_GLTF_BATCH && count <= accessor->count - cursor->next);
    uint64_t bytes = (uint64_t)count * accessor->element_bytes;
    graze_status status =
        gz_checkpoint(gltf->context, "reading", "bytes", gltf->done_bytes, gltf->planned_bytes);
    if (status != GRAZE_OK)
        return status;
    if (accessor->span.buffer == GZ_GLTF_NONE)
        memset(out, 0, (size_t)bytes);
    else
        status =
            read_span(gltf, &accessor->span, accessor->element_bytes, cursor->next, count, out);
    if (status == GRAZE_OK && accessor->sparse_count != 0)
        status = merge_sparse(gltf, cursor, count, out);
    cursor->next += count;
    gltf->done_bytes += bytes;
    return status;
}

// The division is done once and correctly rounded, as the formulas of glTF have it; the lowest
// value would come out below -1 and is held there.
static float normal(int32_t value, int32_t largest)
{
    float result = (float)value / (float)largest;
    return result < -1.0f ? -1.0f : result;
}

void gz_gltf_to_float(const gz_gltf_accessor *accessor, const uint8_t *elements, uint64_t count,
                      float *out)
{
    uint64_t total = count * accessor->components;
    if (accessor->component_type == FLOAT) {
        memcpy(out, elements, (size_t)(total * sizeof *out));
        return;
    }
    for (uint64_t i = 0; i < total; ++i) {
        const uint8_t *at = elements + i * accessor->component_bytes;
        int32_t value = (int32_t)widen(at, accessor->component_bytes), largest = 0;
        switch (accessor->component_type) {
        case BYTE:
            value = (int8_t)value;
            largest = INT8_MAX;
            break;
        case UBYTE: largest = UINT8_MAX; break;
        case SHORT:
            value = (int16_t)value;
            largest = INT16_MAX;
            break;
        default: largest = UINT16_MAX; break;
        }
        out[i] = accessor->normalized ? normal(value, largest) : (float)value;
    }
}
