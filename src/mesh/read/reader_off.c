// The OFF reader: text and binary, with the prefixes that say what vertices carry besides their
// place.
//
//   [ST][C][N][4][n]OFF [BINARY]   ST: 2 texture coordinates, C: a colour, N: 3 for a normal,
//                                  4: homogeneous, n: a number of dimensions follows
//   vertices faces edges           edges means nothing, and some files leave it out
//   x y z [normal] [colour] [texture]
//   n v1 ... vn [colour]           to the end of the line
//
// Text is a row of tokens with comments from # to the end of the line. How many numbers a colour
// has varies, so colours are passed over by line. Binary numbers are big-endian: 32-bit integers
// and floats; a colour of a vertex has 4, one of a face as many as its integer says.
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/context.h"
#include "mesh/read/corners.h"
#include "mesh/read/line_takers.h"
#include "mesh/read/reader.h"
#include "mesh/read/tokens.h"

#define BATCH 1024u

typedef struct off {
    gz_source *source;
    gz_stream *stream;
    bool texture, colour, normal, homogeneous, dimensions; // what the prefixes say
    bool binary;
    int64_t vertex_count, face_count;
    gz_corners corners;
} off;

static graze_status next_text_integer(off *o, const char *what, int64_t *value)
{
    graze_status status = gz_token_next(o->source, true);
    return status == GRAZE_OK ? gz_token_integer(o->source, what, value) : status;
}

static graze_status next_binary_integer(off *o, const char *what, int64_t *value)
{
    gz_source *source = o->source;
    graze_status status = gz_source_need(source, 4);
    if (status != GRAZE_OK)
        return status;
    if (gz_source_left(source) < 4)
        return gz_source_fail(source, source->limit, "the file ends where %s should be", what);
    *value = (int32_t)gz_get_u32(source->cursor, true);
    source->cursor += 4;
    return GRAZE_OK;
}

static graze_status next_integer(off *o, const char *what, int64_t *value)
{
    return o->binary ? next_binary_integer(o, what, value) : next_text_integer(o, what, value);
}

// "BINARY" may follow the keyword; the data then begin with the next line.
static graze_status read_encoding(off *o)
{
    gz_source *source = o->source;
    const uint8_t *at = source->cursor;
    while (*at == ' ' || *at == '\t')
        ++at;
    if (memcmp(at, "BINARY", 6) != 0 || at[6] > ' ')
        return GRAZE_OK;
    o->binary = true;
    source->cursor = at + 6;
    graze_status status = gz_token_skip_line(source);
    if (status == GRAZE_OK)
        status = gz_source_need(source, 2);
    if (status == GRAZE_OK && gz_source_left(source) != 0)
        source->cursor += source->cursor[0] == '\r' && source->cursor[1] == '\n' ? 2 : 1;
    return status;
}

// The keyword is optional in text: a file may begin with its counts.
static graze_status read_keyword(off *o)
{
    gz_source *source = o->source;
    graze_status status = gz_token_next(source, true);
    const uint8_t *at = source->cursor;
    if (status != GRAZE_OK)
        return status;
    bool number = *at >= '0' && *at <= '9';
    o->texture = at[0] == 'S' && at[1] == 'T';
    at += o->texture ? 2 : 0;
    o->colour = *at == 'C';
    at += o->colour;
    o->normal = *at == 'N';
    at += o->normal;
    o->homogeneous = *at == '4';
    at += o->homogeneous;
    o->dimensions = *at == 'n';
    at += o->dimensions;
    if (memcmp(at, "OFF", 3) != 0 || (at[3] > ' ' && at[3] != '#')) {
        o->homogeneous = o->dimensions = false; // a count may begin with a 4
        return number ? GRAZE_OK : gz_text_expected(source, "the word OFF");
    }
    source->cursor = at + 3;
    return read_encoding(o);
}

static graze_status check_dimensions(off *o)
{
    int64_t count = 3;
    graze_status status = GRAZE_OK;
    if (o->dimensions)
        status = next_integer(o, "a number of dimensions", &count);
    count += o->homogeneous;
    if (status == GRAZE_OK && count != 3)
        status =
            gz_fail(o->source->context, GRAZE_ERROR_UNSUPPORTED,
                    "%s: byte %" PRIu64 ": vertices have %" PRId64 " coordinates; only 3 are read",
                    o->source->path, gz_source_offset(o->source, o->source->cursor), count);
    return status;
}

static graze_status next_count(off *o, const char *what, int64_t *count)
{
    graze_status status = next_integer(o, what, count);
    if (status == GRAZE_OK && *count < 0)
        status = gz_source_fail(o->source, o->source->cursor, "%s is %" PRId64, what, *count);
    return status;
}

// True if the line has nothing more. Looks no further than a line of counts reaches.
static bool line_is_over(const gz_source *source)
{
    const uint8_t *at = source->cursor;
    while (*at == ' ' || *at == '\t')
        ++at;
    return *at == '\n' || *at == '\r' || *at == '#' || at == source->limit;
}

// Some files leave out the number of edges. That is seen by the end of the line, if the two counts
// before it were on one line.
static graze_status read_counts(off *o)
{
    int64_t edges = 0;
    graze_status status = next_count(o, "the number of vertices", &o->vertex_count);
    bool one_line = !o->binary && !line_is_over(o->source);
    if (status == GRAZE_OK)
        status = next_count(o, "the number of faces", &o->face_count);
    if (status == GRAZE_OK && !(one_line && line_is_over(o->source)))
        status = next_integer(o, "the number of edges", &edges);
    return status;
}

static graze_status begin(off *o, const graze_mesh_read_def *def)
{
    char encoding[GZ_ENCODING_BYTES];
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_OFF,
        .precision = o->binary ? GRAZE_FLOAT32 : GRAZE_FLOAT64,
        .metres_per_unit = def->metres_per_unit,
        .vertex_count_hint = (uint64_t)o->vertex_count,
        .triangle_count_hint = (uint64_t)o->face_count,
        .encoding = gz_encoding_text(o->source, o->binary ? "binary" : "ASCII", encoding),
    };
    return gz_stream_begin(o->stream, &header, true);
}

static graze_status skip_tokens(gz_source *source, int count)
{
    graze_status status = GRAZE_OK;
    for (; count > 0 && status == GRAZE_OK; --count) {
        status = gz_token_next(source, true);
        if (status == GRAZE_OK)
            status = gz_token_skip(source, "a number");
    }
    return status;
}

static graze_status next_text_vertex(off *o, double position[3])
{
    gz_source *source = o->source;
    for (int axis = 0; axis < 3; ++axis) {
        graze_status status = gz_token_next(source, true);
        if (status == GRAZE_OK)
            status = gz_token_double(source, "a coordinate", &position[axis]);
        if (status != GRAZE_OK)
            return status;
    }
    if (o->colour)
        return gz_token_skip_line(source);
    return skip_tokens(source, (o->normal ? 3 : 0) + (o->texture ? 2 : 0));
}

static graze_status pass_vertices(void *user, const void *positions, uint64_t count)
{
    return gz_stream_finite_vertices(((off *)user)->stream, positions, count);
}

static graze_status read_text_vertices(off *o)
{
    gz_line_rest rest = {(o->normal ? 3u : 0) + (o->texture ? 2u : 0), false};
    if (o->colour)
        rest = (gz_line_rest){0, true};
    gz_line_taker *take = gz_line_takers_of(o->source->context)->wide_vertices;
    gz_lines lines = {.source = o->source,
                      .stream = o->stream,
                      .take = take,
                      .form = &rest,
                      .item_bytes = sizeof(double[3]),
                      .pass = pass_vertices,
                      .user = o,
                      .take_to_room = take,
                      .room_item_bytes = sizeof(double[3]),
                      .vertices = 1,
                      .mark = '\n',
                      .marks_per_item = 1};
    graze_status status = GRAZE_OK;
    for (uint64_t left = (uint64_t)o->vertex_count; left != 0 && status == GRAZE_OK;) {
        uint64_t taken = 0;
        status = gz_lines_take(&lines, left, &taken);
        left -= taken;
        if (status != GRAZE_OK || left == 0)
            break;
        double position[3];
        status = next_text_vertex(o, position);
        if (status == GRAZE_OK)
            status = gz_stream_vertices(o->stream, position, 1);
        --left;
    }
    gz_lines_free(&lines);
    return status;
}

static graze_status read_binary_vertices(off *o)
{
    float positions[BATCH][3];
    gz_source *source = o->source;
    uint32_t stride = 12 + (o->normal ? 12 : 0) + (o->colour ? 16 : 0) + (o->texture ? 8 : 0);
    graze_status status = GRAZE_OK;
    for (int64_t done = 0; done < o->vertex_count && status == GRAZE_OK;) {
        status = gz_source_need(source, stride);
        if (status != GRAZE_OK)
            return status;
        int64_t count = (int64_t)(gz_source_left(source) / stride);
        if (count == 0)
            return gz_source_fail(source, source->limit,
                                  "the file ends in vertex %" PRId64 " of %" PRId64, done + 1,
                                  o->vertex_count);
        if (count > o->vertex_count - done)
            count = o->vertex_count - done;
        if (count > BATCH)
            count = BATCH;
        for (int64_t i = 0; i < count; ++i, source->cursor += stride)
            for (int axis = 0; axis < 3; ++axis) {
                uint32_t bits = gz_get_u32(source->cursor + 4 * axis, true);
                memcpy(&positions[i][axis], &bits, sizeof bits);
            }
        status = gz_stream_vertices(o->stream, positions, (uint64_t)count);
        done += count;
    }
    return status;
}

static graze_status read_face(off *o)
{
    gz_source *source = o->source;
    graze_status status = o->binary ? GRAZE_OK : gz_token_next(source, true);
    uint64_t offset = gz_source_offset(source, source->cursor);
    int64_t length = 0, colours = 0;
    if (status == GRAZE_OK)
        status = next_integer(o, "a number of corners", &length);
    if (status == GRAZE_OK)
        status = gz_corners_start(&o->corners, length, offset);
    for (; length > 0 && status == GRAZE_OK; --length) {
        int64_t number = 0;
        status = next_integer(o, "a vertex number", &number);
        if (status == GRAZE_OK)
            status = gz_corners_add(&o->corners, number);
    }
    if (status == GRAZE_OK)
        status = gz_corners_pass(&o->corners, o->stream);
    if (status != GRAZE_OK)
        return status;
    if (!o->binary)
        return gz_token_skip_line(source); // the colour
    status = next_count(o, "the number of colour components", &colours);
    return status == GRAZE_OK ? gz_source_skip(source, 4 * (uint64_t)colours) : status;
}

static graze_status pass_triangles(void *user, const void *corners, uint64_t count)
{
    off *o = user;
    return gz_stream_bounded_triangles(o->stream, corners, count, (uint64_t)o->vertex_count);
}

static graze_status read_faces(off *o)
{
    gz_triangle_lines form = {(uint64_t)o->vertex_count, {0, true}};
    const gz_line_takers *takers = gz_line_takers_of(o->source->context);
    gz_lines lines = {.source = o->source,
                      .stream = o->stream,
                      .take = takers->triangles,
                      .form = &form,
                      .item_bytes = sizeof(uint64_t[3]),
                      .pass = pass_triangles,
                      .user = o,
                      .take_to_room = takers->narrow_triangles,
                      .room_item_bytes = sizeof(uint32_t[3]),
                      .triangles = 1,
                      .bound = form.vertex_count,
                      .mark = '\n',
                      .marks_per_item = 1};
    graze_status status = GRAZE_OK;
    for (uint64_t left = (uint64_t)o->face_count; left != 0 && status == GRAZE_OK;) {
        uint64_t taken = 0;
        if (!o->binary)
            status = gz_lines_take(&lines, left, &taken);
        left -= taken;
        if (status != GRAZE_OK || left == 0)
            break;
        status = read_face(o);
        --left;
    }
    gz_lines_free(&lines);
    return status;
}

// What follows the last face is told, but does no harm.
static graze_status check_end(off *o)
{
    gz_source *source = o->source;
    graze_status status = o->binary ? gz_source_need(source, 1) : gz_token_next(source, true);
    if (status == GRAZE_OK && gz_source_left(source) != 0)
        gz_log(source->context, GRAZE_LOG_WARNING,
               "%s: byte %" PRIu64 ": more data follow the last face and are left out",
               source->path, gz_source_offset(source, source->cursor));
    else if (status == GRAZE_OK && !o->binary)
        gz_text_warn_of_open_line(source, true);
    return status;
}

static graze_status read_header(off *o)
{
    graze_status status = gz_text_start(o->source);
    if (status == GRAZE_OK)
        status = read_keyword(o);
    if (status == GRAZE_OK)
        status = check_dimensions(o);
    return status == GRAZE_OK ? read_counts(o) : status;
}

graze_status gz_read_off(gz_source *source, const graze_mesh_read_def *def, gz_stream *stream)
{
    off o = {.source = source, .stream = stream, .corners = gz_corners_make(source)};
    graze_status status = read_header(&o);
    if (status == GRAZE_OK)
        status = begin(&o, def);
    if (status == GRAZE_OK)
        status = o.binary ? read_binary_vertices(&o) : read_text_vertices(&o);
    if (status == GRAZE_OK)
        status = gz_stream_vertices_done(stream);
    if (status == GRAZE_OK)
        status = read_faces(&o);
    if (status == GRAZE_OK)
        status = check_end(&o);
    if (status == GRAZE_OK)
        status = gz_stream_end(stream);
    gz_corners_free(&o.corners);
    return status;
}
