// The PLY reader: ASCII and both binary encodings, elements and properties in any order.
//
// Elements are read one after the other as the header lists them. Those whose items all have the
// same size, and faces that are one list of vertex numbers, have loops of their own, which look at
// the window directly and keep up with the disk; everything else goes through one careful loop that
// takes one value at a time.
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/context.h"
#include "mesh/read/corners.h"
#include "mesh/read/line_takers.h"
#include "mesh/read/ply_header.h"
#include "mesh/read/reader.h"
#include "mesh/read/tokens.h"

#define BATCH 1024u

typedef struct ply {
    gz_source *source;
    gz_stream *stream;
    gz_ply_header header;
    const gz_ply_property *properties;
    graze_precision precision;
    bool big_endian;
    gz_corners corners;
} ply;

// Values in binary files.

static inline uint64_t load_bits(gz_ply_type type, const uint8_t *at, bool big_endian)
{
    switch (gz_ply_type_bytes(type)) {
    case 1: return *at;
    case 2: return big_endian ? (uint64_t)at[0] << 8 | at[1] : (uint64_t)at[1] << 8 | at[0];
    case 4: return gz_get_u32(at, big_endian);
    default: return gz_get_u64(at, big_endian);
    }
}

static inline double load_value(gz_ply_type type, const uint8_t *at, bool big_endian)
{
    uint64_t bits = load_bits(type, at, big_endian);
    uint32_t four = (uint32_t)bits;
    float narrow = 0;
    double wide = 0;
    switch (type) {
    case GZ_PLY_INT8: return (int8_t)bits;
    case GZ_PLY_INT16: return (int16_t)bits;
    case GZ_PLY_INT32: return (int32_t)bits;
    case GZ_PLY_UINT8:
    case GZ_PLY_UINT16:
    case GZ_PLY_UINT32: return (double)bits;
    case GZ_PLY_FLOAT32: memcpy(&narrow, &four, 4); return (double)narrow;
    case GZ_PLY_FLOAT64: memcpy(&wide, &bits, 8); return wide;
    }
    return 0;
}

static graze_status fail_end(ply *p, const char *what)
{
    return gz_source_fail(p->source, p->source->limit, "the file ends where %s should be", what);
}

// One integer: a list's length or a vertex number. Types are the file's choice, so that a length
// may be a float; what counts is that the value is an integer.
static graze_status next_integer(ply *p, gz_ply_type type, const char *what, int64_t *value)
{
    gz_source *source = p->source;
    if (p->header.encoding == GZ_PLY_ASCII) {
        graze_status status = gz_token_next(source, false);
        return status == GRAZE_OK ? gz_token_integer(source, what, value) : status;
    }
    uint32_t bytes = gz_ply_type_bytes(type);
    graze_status status = gz_source_need(source, bytes);
    if (status != GRAZE_OK)
        return status;
    if (gz_source_left(source) < bytes)
        return fail_end(p, what);
    double wide = load_value(type, source->cursor, p->big_endian);
    if (!(wide >= -0x1p53 && wide <= 0x1p53) || wide != (double)(int64_t)wide)
        return gz_source_fail(source, source->cursor, "expected %s, found %g", what, wide);
    *value = (int64_t)wide;
    source->cursor += bytes;
    return GRAZE_OK;
}

static graze_status next_length(ply *p, const gz_ply_property *property, int64_t *length)
{
    return next_integer(p, property->count_type, "the length of a list", length);
}

static graze_status skip_values(ply *p, gz_ply_type type, uint64_t count)
{
    if (p->header.encoding != GZ_PLY_ASCII) {
        uint64_t bytes = 0;
        if (!gz_mul(count, gz_ply_type_bytes(type), &bytes))
            bytes = UINT64_MAX; // further than any file reaches
        return gz_source_skip(p->source, bytes);
    }
    graze_status status = GRAZE_OK;
    for (; count != 0 && status == GRAZE_OK; --count) {
        status = gz_token_next(p->source, false);
        if (status == GRAZE_OK)
            status = gz_token_skip(p->source, "a value");
    }
    return status;
}

static graze_status skip_property(ply *p, const gz_ply_property *property)
{
    int64_t length = 1;
    if (property->list) {
        graze_status status = next_length(p, property, &length);
        if (status == GRAZE_OK && length < 0)
            status = gz_source_fail(p->source, p->source->cursor, "a list has the length %" PRId64,
                                    length);
        if (status != GRAZE_OK)
            return status;
    }
    return skip_values(p, property->type, (uint64_t)length);
}

// Vertices.

static graze_status next_coordinate(ply *p, const gz_ply_property *property, void *out, int axis)
{
    gz_source *source = p->source;
    bool narrow = p->precision == GRAZE_FLOAT32;
    if (p->header.encoding == GZ_PLY_ASCII) {
        graze_status status = gz_token_next(source, false);
        if (status != GRAZE_OK)
            return status;
        return narrow ? gz_token_float(source, "a coordinate", (float *)out + axis)
                      : gz_token_double(source, "a coordinate", (double *)out + axis);
    }
    uint32_t bytes = gz_ply_type_bytes(property->type);
    graze_status status = gz_source_need(source, bytes);
    if (status != GRAZE_OK)
        return status;
    if (gz_source_left(source) < bytes)
        return fail_end(p, "a coordinate");
    double value = load_value(property->type, source->cursor, p->big_endian);
    source->cursor += bytes;
    if (narrow)
        ((float *)out)[axis] = (float)value;
    else
        ((double *)out)[axis] = value;
    return GRAZE_OK;
}

static graze_status pass_vertices(void *user, const void *positions, uint64_t count)
{
    return gz_stream_finite_vertices(((ply *)user)->stream, positions, count);
}

// Plain lines of text: x, y and z, then one word for each other property.
static bool has_plain_vertices(const ply *p, const gz_ply_element *element)
{
    const gz_ply_property *first = p->properties + element->first_property;
    return p->header.encoding == GZ_PLY_ASCII && !element->has_list &&
           element->property_count >= 3 && first[0].role == GZ_PLY_X && first[1].role == GZ_PLY_Y &&
           first[2].role == GZ_PLY_Z;
}

static graze_status read_vertex(ply *p, const gz_ply_element *element)
{
    double position[3];
    const gz_ply_property *first = p->properties + element->first_property;
    graze_status status = GRAZE_OK;
    for (uint32_t k = 0; k < element->property_count && status == GRAZE_OK; ++k)
        status = first[k].role <= GZ_PLY_Z
                     ? next_coordinate(p, &first[k], position, (int)first[k].role)
                     : skip_property(p, &first[k]);
    return status == GRAZE_OK ? gz_stream_vertices(p->stream, position, 1) : status;
}

// Text, and vertices with lists.
static graze_status read_vertices_one_by_one(ply *p, const gz_ply_element *element)
{
    bool narrow = p->precision == GRAZE_FLOAT32, plain = has_plain_vertices(p, element);
    const gz_line_takers *takers = gz_line_takers_of(p->source->context);
    gz_line_rest rest = {element->property_count - (plain ? 3 : 0), false};
    gz_line_taker *take = narrow ? takers->narrow_vertices : takers->wide_vertices;
    gz_lines lines = {
        .source = p->source,
        .stream = p->stream,
        .take = take,
        .form = &rest,
        .item_bytes = 3 * (uint32_t)p->precision,
        .pass = pass_vertices,
        .user = p,
        .take_to_room = take,
        .room_item_bytes = 3 * (uint32_t)p->precision,
        .vertices = 1,
        .mark = '\n',
        .marks_per_item = 1,
    };
    graze_status status = GRAZE_OK;
    for (uint64_t left = element->count; left != 0 && status == GRAZE_OK;) {
        uint64_t taken = 0;
        if (plain)
            status = gz_lines_take(&lines, left, &taken);
        left -= taken;
        if (status != GRAZE_OK || left == 0)
            break;
        status = read_vertex(p, element);
        --left;
    }
    gz_lines_free(&lines);
    return status;
}

// One coordinate of `count` items `stride` bytes apart, to every third place of `out`. The type is
// a constant in each case, so that each is a loop of its own.
#define COLUMN(type, result)                                                                       \
    case type:                                                                                     \
        for (uint32_t i = 0; i < count; ++i)                                                       \
            out[3 * (size_t)i] = (result)load_value(type, from + (size_t)i * stride, big_endian);  \
        break
static void load_column_wide(gz_ply_type type, const uint8_t *from, uint32_t stride, uint32_t count,
                             bool big_endian, double *out)
{
    switch (type) {
        COLUMN(GZ_PLY_INT8, double);
        COLUMN(GZ_PLY_UINT8, double);
        COLUMN(GZ_PLY_INT16, double);
        COLUMN(GZ_PLY_UINT16, double);
        COLUMN(GZ_PLY_INT32, double);
        COLUMN(GZ_PLY_UINT32, double);
        COLUMN(GZ_PLY_FLOAT32, double);
        COLUMN(GZ_PLY_FLOAT64, double);
    }
}

// Floats are moved as bits: a detour through double would quiet signalling NaNs.
static void load_column_narrow(gz_ply_type type, const uint8_t *from, uint32_t stride,
                               uint32_t count, bool big_endian, float *out)
{
    switch (type) {
        COLUMN(GZ_PLY_INT8, float);
        COLUMN(GZ_PLY_UINT8, float);
        COLUMN(GZ_PLY_INT16, float);
        COLUMN(GZ_PLY_UINT16, float);
    default:
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t bits =
                (uint32_t)load_bits(GZ_PLY_FLOAT32, from + (size_t)i * stride, big_endian);
            memcpy(out + 3 * (size_t)i, &bits, sizeof bits);
        }
    }
}

typedef struct vertex_layout {
    gz_ply_type type[3];
    uint32_t offset[3]; // in the item
    bool plain;         // three floats in a row, as this machine has them
} vertex_layout;

static vertex_layout lay_out_vertex(const ply *p, const gz_ply_element *element)
{
    vertex_layout layout = {0};
    uint32_t offset = 0;
    for (uint32_t k = 0; k < element->property_count; ++k) {
        const gz_ply_property *property = &p->properties[element->first_property + k];
        if (property->role <= GZ_PLY_Z) {
            layout.type[property->role] = property->type;
            layout.offset[property->role] = offset;
        }
        offset += gz_ply_type_bytes(property->type);
    }
    layout.plain = p->big_endian == GZ_HOST_BIG_ENDIAN && layout.type[0] == GZ_PLY_FLOAT32 &&
                   layout.type[1] == GZ_PLY_FLOAT32 && layout.type[2] == GZ_PLY_FLOAT32 &&
                   layout.offset[1] == layout.offset[0] + 4 &&
                   layout.offset[2] == layout.offset[0] + 8;
    return layout;
}

static void load_vertices(const ply *p, const vertex_layout *layout, uint32_t stride,
                          uint32_t count, void *out)
{
    const uint8_t *from = p->source->cursor;
    if (layout->plain) {
        for (uint32_t i = 0; i < count; ++i)
            memcpy((float *)out + 3 * (size_t)i, from + (size_t)i * stride + layout->offset[0], 12);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const uint8_t *first = from + layout->offset[axis];
        if (p->precision == GRAZE_FLOAT32)
            load_column_narrow(layout->type[axis], first, stride, count, p->big_endian,
                               (float *)out + axis);
        else
            load_column_wide(layout->type[axis], first, stride, count, p->big_endian,
                             (double *)out + axis);
    }
}

// Binary vertices of one size: as many as the window holds, a batch at a time.
static graze_status read_vertices_in_rows(ply *p, const gz_ply_element *element)
{
    double buffer[BATCH * 3];
    gz_source *source = p->source;
    vertex_layout layout = lay_out_vertex(p, element);
    uint32_t stride = element->item_bytes;
    for (uint64_t done = 0; done < element->count;) {
        graze_status status = gz_source_need(source, stride);
        if (status != GRAZE_OK)
            return status;
        uint64_t count = gz_source_left(source) / stride;
        if (count == 0)
            return gz_source_fail(source, source->limit,
                                  "the file ends in vertex %" PRIu64 " of %" PRIu64, done + 1,
                                  element->count);
        if (count > element->count - done)
            count = element->count - done;
        if (count > BATCH)
            count = BATCH;
        const void *positions = buffer;
        if (layout.plain && stride == 12)
            positions = source->cursor;
        else
            load_vertices(p, &layout, stride, (uint32_t)count, buffer);
        source->cursor += count * stride;
        status = gz_stream_vertices(p->stream, positions, count);
        if (status != GRAZE_OK)
            return status;
        done += count;
    }
    return GRAZE_OK;
}

// Faces.

static graze_status gather_face(ply *p, const gz_ply_property *property, uint64_t offset)
{
    int64_t length = 0;
    graze_status status = next_length(p, property, &length);
    if (status == GRAZE_OK)
        status = gz_corners_start(&p->corners, length, offset);
    for (; length != 0 && status == GRAZE_OK; --length) {
        int64_t number = 0;
        status = next_integer(p, property->type, "a vertex number", &number);
        if (status == GRAZE_OK)
            status = gz_corners_add(&p->corners, number);
    }
    return status;
}

static graze_status read_face(ply *p, const gz_ply_element *element)
{
    const gz_ply_property *first = p->properties + element->first_property;
    graze_status status = GRAZE_OK;
    if (p->header.encoding == GZ_PLY_ASCII)
        status = gz_token_next(p->source, false);
    uint64_t offset = gz_source_offset(p->source, p->source->cursor);
    bool found = false;
    for (uint32_t k = 0; k < element->property_count && status == GRAZE_OK; ++k) {
        if (first[k].role == GZ_PLY_INDICES) {
            status = gather_face(p, &first[k], offset);
            found = true;
        } else {
            status = skip_property(p, &first[k]);
        }
    }
    if (status != GRAZE_OK || !found)
        return status;
    return gz_corners_pass(&p->corners, p->stream);
}

// A face that is one list of 32-bit vertex numbers, with values of fixed size around it.
typedef struct face_layout {
    uint32_t before, after;
    uint32_t length_bytes; // of the list's length; 0: this is not such a face
    bool is_signed;
} face_layout;

static face_layout lay_out_face(const ply *p, const gz_ply_element *element)
{
    face_layout layout = {0};
    if (p->header.encoding == GZ_PLY_ASCII)
        return layout;
    for (uint32_t k = 0; k < element->property_count; ++k) {
        const gz_ply_property *property = &p->properties[element->first_property + k];
        uint32_t bytes = gz_ply_type_bytes(property->type);
        if (!property->list) {
            *(layout.length_bytes == 0 ? &layout.before : &layout.after) += bytes;
            continue;
        }
        bool known = property->role == GZ_PLY_INDICES && layout.length_bytes == 0 &&
                     property->count_type <= GZ_PLY_UINT32 &&
                     (property->type == GZ_PLY_INT32 || property->type == GZ_PLY_UINT32);
        if (!known)
            return (face_layout){0};
        layout.length_bytes = gz_ply_type_bytes(property->count_type);
        layout.is_signed = property->type == GZ_PLY_INT32;
    }
    return layout;
}

// Takes triangles from the window until another kind of face comes, at most `most`. *all gets the
// bits of all their numbers. Inlined with constants for the common layouts.
static inline __attribute__((always_inline)) uint32_t
take_triangles(const uint8_t *at, uint64_t most, uint32_t before, uint32_t after,
               gz_ply_type length_type, bool big_endian, uint64_t *corners, uint32_t *all)
{
    uint32_t length_bytes = gz_ply_type_bytes(length_type);
    uint32_t stride = before + length_bytes + 12 + after;
    uint32_t bits = 0, count = 0;
    for (; count < most; ++count, at += stride) {
        if (load_bits(length_type, at + before, big_endian) != 3)
            break;
        const uint8_t *numbers = at + before + length_bytes;
        uint32_t a = (uint32_t)load_bits(GZ_PLY_UINT32, numbers, big_endian);
        uint32_t b = (uint32_t)load_bits(GZ_PLY_UINT32, numbers + 4, big_endian);
        uint32_t c = (uint32_t)load_bits(GZ_PLY_UINT32, numbers + 8, big_endian);
        bits |= a | b | c;
        corners[3 * (size_t)count] = a;
        corners[3 * (size_t)count + 1] = b;
        corners[3 * (size_t)count + 2] = c;
    }
    *all = bits;
    return count;
}

static uint32_t take_run(const ply *p, const face_layout *layout, uint64_t most, uint64_t *corners,
                         uint32_t *all)
{
    const uint8_t *at = p->source->cursor;
    uint32_t before = layout->before, after = layout->after;
    gz_ply_type type = layout->length_bytes == 1   ? GZ_PLY_UINT8
                       : layout->length_bytes == 2 ? GZ_PLY_UINT16
                                                   : GZ_PLY_UINT32;
    if (type == GZ_PLY_UINT8 && before == 0 && after == 0 && !p->big_endian)
        return take_triangles(at, most, 0, 0, GZ_PLY_UINT8, false, corners, all);
    if (type == GZ_PLY_UINT8)
        return take_triangles(at, most, before, after, GZ_PLY_UINT8, p->big_endian, corners, all);
    return take_triangles(at, most, before, after, type, p->big_endian, corners, all);
}

static graze_status pass_run(ply *p, const face_layout *layout, const uint64_t *corners,
                             uint32_t count, uint32_t stride, uint32_t all)
{
    gz_source *source = p->source;
    uint64_t offset = gz_source_offset(source, source->cursor);
    for (uint32_t i = 0; i < 3 * count && layout->is_signed && all > INT32_MAX; ++i)
        if (corners[i] > INT32_MAX)
            return gz_corners_negative(source, offset + (uint64_t)(i / 3) * stride,
                                       (int32_t)corners[i]);
    source->cursor += (size_t)count * stride;
    return gz_stream_triangle_run(p->stream, corners, count, offset, stride);
}

// Binary faces: runs of triangles from the window, other faces one by one.
static graze_status read_binary_faces(ply *p, const gz_ply_element *element)
{
    uint64_t corners[BATCH * 3];
    gz_source *source = p->source;
    face_layout layout = lay_out_face(p, element);
    uint32_t stride = layout.before + layout.length_bytes + 12 + layout.after;
    graze_status status = GRAZE_OK;
    for (uint64_t done = 0; done < element->count && status == GRAZE_OK;) {
        uint32_t count = 0, all = 0;
        if (layout.length_bytes != 0) {
            status = gz_source_need(source, stride);
            if (status != GRAZE_OK)
                return status;
            uint64_t most = gz_source_left(source) / stride;
            most = most < BATCH ? most : BATCH;
            most = most < element->count - done ? most : element->count - done;
            count = take_run(p, &layout, most, corners, &all);
        }
        status =
            count != 0 ? pass_run(p, &layout, corners, count, stride, all) : read_face(p, element);
        done += count != 0 ? count : 1;
    }
    return status;
}

static graze_status pass_triangles(void *user, const void *corners, uint64_t count)
{
    gz_stream *stream = ((ply *)user)->stream;
    return gz_stream_bounded_triangles(stream, corners, count, gz_stream_vertex_count(stream));
}

// Plain lines of text: triangles that name vertices which are there, then one word for each other
// property.
static graze_status read_text_faces(ply *p, const gz_ply_element *element)
{
    const gz_ply_property *first = p->properties + element->first_property;
    bool plain = first[0].role == GZ_PLY_INDICES;
    for (uint32_t k = 1; k < element->property_count; ++k)
        plain = plain && !first[k].list;
    gz_triangle_lines form = {gz_stream_vertex_count(p->stream),
                              {element->property_count - 1, false}};
    const gz_line_takers *takers = gz_line_takers_of(p->source->context);
    gz_lines lines = {
        .source = p->source,
        .stream = p->stream,
        .take = takers->triangles,
        .form = &form,
        .item_bytes = sizeof(uint64_t[3]),
        .pass = pass_triangles,
        .user = p,
        .take_to_room = takers->narrow_triangles,
        .room_item_bytes = sizeof(uint32_t[3]),
        .triangles = 1,
        .bound = form.vertex_count,
        .mark = '\n',
        .marks_per_item = 1,
    };
    graze_status status = GRAZE_OK;
    for (uint64_t left = element->count; left != 0 && status == GRAZE_OK;) {
        uint64_t taken = 0;
        if (plain)
            status = gz_lines_take(&lines, left, &taken);
        left -= taken;
        if (status != GRAZE_OK || left == 0)
            break;
        status = read_face(p, element);
        --left;
    }
    gz_lines_free(&lines);
    return status;
}

static graze_status read_faces(ply *p, const gz_ply_element *element)
{
    return p->header.encoding == GZ_PLY_ASCII ? read_text_faces(p, element)
                                              : read_binary_faces(p, element);
}

// Strips.

// A strip's next vertex number makes a triangle with the two before; every other one is turned
// over, so that all face the same way. -1 (in unsigned types: the largest) begins a new strip.
// Triangles that name a vertex twice only stitch strips together.
static graze_status read_strip(ply *p, const gz_ply_property *property)
{
    gz_source *source = p->source;
    int64_t length = 0;
    graze_status status = next_length(p, property, &length);
    if (status == GRAZE_OK && length < 0)
        status = gz_source_fail(source, source->cursor, "a strip has the length %" PRId64, length);
    uint64_t three[3] = {0}, since_start = 0;
    static const int64_t restarts[] = {-1, UINT8_MAX, -1, UINT16_MAX, -1, UINT32_MAX, -1, -1};
    int64_t restart = restarts[property->type];
    for (; length != 0 && status == GRAZE_OK; --length) {
        int64_t number = 0;
        uint64_t offset = gz_source_offset(source, source->cursor);
        status = next_integer(p, property->type, "a vertex number", &number);
        if (status != GRAZE_OK)
            break;
        if (number == restart || number == -1) {
            since_start = 0;
            continue;
        }
        if (number < 0)
            return gz_corners_negative(source, offset, number);
        three[0] = three[1];
        three[1] = three[2];
        three[2] = (uint64_t)number;
        if (++since_start < 3 || three[0] == three[1] || three[1] == three[2] ||
            three[0] == three[2])
            continue;
        bool turned = since_start % 2 == 0;
        uint64_t corners[3] = {three[turned], three[!turned], three[2]};
        status = gz_stream_triangles(p->stream, corners, 1, offset);
    }
    return status;
}

static graze_status read_strips(ply *p, const gz_ply_element *element)
{
    const gz_ply_property *first = p->properties + element->first_property;
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < element->count && status == GRAZE_OK; ++i)
        for (uint32_t k = 0; k < element->property_count && status == GRAZE_OK; ++k)
            status = first[k].role == GZ_PLY_INDICES ? read_strip(p, &first[k])
                                                     : skip_property(p, &first[k]);
    return status;
}

// Elements.

static graze_status skip_element(ply *p, const gz_ply_element *element)
{
    const gz_ply_property *first = p->properties + element->first_property;
    if (p->header.encoding != GZ_PLY_ASCII && !element->has_list) {
        uint64_t bytes = 0;
        if (!gz_mul(element->count, element->item_bytes, &bytes))
            bytes = UINT64_MAX;
        return gz_source_skip(p->source, bytes);
    }
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < element->count && status == GRAZE_OK; ++i)
        for (uint32_t k = 0; k < element->property_count && status == GRAZE_OK; ++k)
            status = skip_property(p, &first[k]);
    return status;
}

static bool has_indices(const ply *p, const gz_ply_element *element)
{
    for (uint32_t k = 0; k < element->property_count; ++k)
        if (p->properties[element->first_property + k].role == GZ_PLY_INDICES)
            return true;
    return false;
}

static graze_status read_element(ply *p, const gz_ply_element *element)
{
    graze_status status = GRAZE_OK;
    if (element->property_count == 0)
        return GRAZE_OK; // items of nothing
    switch (element->role) {
    case GZ_PLY_VERTICES:
        status = p->header.encoding != GZ_PLY_ASCII && !element->has_list
                     ? read_vertices_in_rows(p, element)
                     : read_vertices_one_by_one(p, element);
        return status == GRAZE_OK ? gz_stream_vertices_done(p->stream) : status;
    case GZ_PLY_FACES:
    case GZ_PLY_STRIPS:
        if (has_indices(p, element))
            return element->role == GZ_PLY_FACES ? read_faces(p, element) : read_strips(p, element);
        gz_log(p->source->context, GRAZE_LOG_WARNING,
               "%s: element \"%s\" has no vertex numbers and is left out", p->source->path,
               element->name);
        break;
    case GZ_PLY_EDGES: gz_stream_count_other(p->stream, element->count); break;
    case GZ_PLY_REST: break;
    }
    return skip_element(p, element);
}

// Float holds x, y and z exactly if each is a float or an integer of 16 bits at most.
static graze_precision precision_of(const ply *p, const gz_ply_element *element)
{
    for (uint32_t k = 0; k < element->property_count; ++k) {
        const gz_ply_property *property = &p->properties[element->first_property + k];
        if (property->role <= GZ_PLY_Z && property->type > GZ_PLY_UINT16 &&
            property->type != GZ_PLY_FLOAT32)
            return GRAZE_FLOAT64;
    }
    return GRAZE_FLOAT32;
}

static graze_status begin(ply *p, const graze_mesh_read_def *def)
{
    static const char *const encodings[] = {"ASCII", "binary little-endian", "binary big-endian"};
    char encoding[GZ_ENCODING_BYTES];
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_PLY,
        .precision = GRAZE_FLOAT32,
        .metres_per_unit = def->metres_per_unit,
        .encoding = gz_encoding_text(p->source, encodings[p->header.encoding], encoding),
    };
    const gz_ply_element *elements = p->header.elements.items;
    for (uint64_t i = 0; i < p->header.elements.count; ++i) {
        if (elements[i].role == GZ_PLY_VERTICES) {
            header.precision = precision_of(p, &elements[i]);
            header.vertex_count_hint = elements[i].count;
        } else if (elements[i].role == GZ_PLY_FACES) {
            header.triangle_count_hint = elements[i].count;
        }
    }
    p->precision = header.precision;
    p->big_endian = p->header.encoding == GZ_PLY_BIG;
    return gz_stream_begin(p->stream, &header, true);
}

// What follows the last element is told, but does no harm.
static graze_status check_end(ply *p)
{
    gz_source *source = p->source;
    graze_status status = p->header.encoding == GZ_PLY_ASCII ? gz_token_next(source, false)
                                                             : gz_source_need(source, 1);
    if (status == GRAZE_OK && gz_source_left(source) != 0)
        gz_log(source->context, GRAZE_LOG_WARNING,
               "%s: byte %" PRIu64 ": more data follow the last element and are left out",
               source->path, gz_source_offset(source, source->cursor));
    else if (status == GRAZE_OK && p->header.encoding == GZ_PLY_ASCII)
        gz_text_warn_of_open_line(source, true);
    return status;
}

graze_status gz_read_ply(gz_source *source, const graze_mesh_read_def *def, gz_stream *stream)
{
    ply p = {.source = source, .stream = stream, .corners = gz_corners_make(source)};
    graze_status status = gz_text_start(source);
    if (status == GRAZE_OK)
        status = gz_ply_header_read(source, &p.header);
    p.properties = p.header.properties.items;
    if (status == GRAZE_OK)
        status = begin(&p, def);
    const gz_ply_element *elements = p.header.elements.items;
    for (uint64_t i = 0; i < p.header.elements.count && status == GRAZE_OK; ++i)
        status = read_element(&p, &elements[i]);
    if (status == GRAZE_OK)
        status = check_end(&p);
    if (status == GRAZE_OK)
        status = gz_stream_end(stream);
    gz_corners_free(&p.corners);
    gz_ply_header_free(source->context, &p.header);
    return status;
}
