// Reads STL, binary and ASCII. See stl.h for the bytes.
//
// Vertices are not welded: each triangle brings three of its own, in the order of the file. Binary
// coordinates are floats; those in text have no type and become doubles. ASCII files may hold
// several solids, each an object. Normals and attributes are passed over.
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/context.h"
#include "base/memory.h"
#include "mesh/read/line_takers.h"
#include "mesh/read/reader.h"
#include "mesh/read/text.h"
#include "mesh/stl.h"

#define BATCH       1024u      // triangles
#define LOOK_BYTES  (1u << 16) // how far to look for what is not text
#define FACET_WORDS 8u         // at most so many between "facet" and its loop

typedef struct stl_reader {
    gz_source *source;
    gz_stream *stream;
    const graze_mesh_read_def *def;
    uint64_t count; // triangles in the batch
    gz_lines lines;
    uint64_t corners[3 * BATCH];
    union {
        float floats[9 * BATCH];
        double doubles[9 * BATCH];
    } positions;
} stl_reader;

static graze_status begin(stl_reader *reader, graze_precision precision, const char *encoding,
                          uint64_t triangle_count)
{
    char text[GZ_ENCODING_BYTES];
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_STL,
        .precision = precision,
        .metres_per_unit = reader->def->metres_per_unit,
        .vertex_count_hint = 3 * triangle_count,
        .triangle_count_hint = triangle_count,
        .encoding = gz_encoding_text(reader->source, encoding, text),
    };
    return gz_stream_begin(reader->stream, &header, false);
}

// Passes on triangles, at most BATCH.
static graze_status pass(stl_reader *reader, const void *positions, uint64_t count, bool finite)
{
    gz_stream *stream = reader->stream;
    uint64_t first = gz_stream_vertex_count(stream);
    for (uint64_t i = 0; i < 3 * count; ++i)
        reader->corners[i] = first + i;
    graze_status status = finite ? gz_stream_finite_vertices(stream, positions, 3 * count)
                                 : gz_stream_vertices(stream, positions, 3 * count);
    if (status != GRAZE_OK)
        return status;
    return gz_stream_bounded_triangles(stream, reader->corners, count, first + 3 * count);
}

static graze_status flush(stl_reader *reader)
{
    uint64_t count = reader->count;
    reader->count = 0;
    return count != 0 ? pass(reader, &reader->positions, count, false) : GRAZE_OK;
}

// How long the file is; 0 if that is not known yet.
static uint64_t known_bytes(const gz_source *source)
{
    return source->ended ? gz_source_offset(source, source->limit) : source->byte_count;
}

// Header text is a name if all of it is printable up to the zeros. Some programs start it with
// "solid", as in text files.
static void name_of_header(const uint8_t *header, char name[GZ_NAME_BYTES + 1])
{
    size_t length = 0;
    while (length < GZ_STL_HEADER_BYTES && header[length] >= ' ' && header[length] != 0x7f)
        ++length;
    bool printable = length == GZ_STL_HEADER_BYTES || header[length] == 0;
    size_t first = strncasecmp((const char *)header, "solid ", 6) == 0 ? 6 : 0;
    gz_text_clean_name(header + first, printable ? length - first : 0, name);
}

// The count that the header gives, or another one where it cannot be meant.
static graze_status check_count(gz_source *source, uint64_t *count)
{
    uint64_t bytes = known_bytes(source);
    if (bytes == 0) // packed: the end will show
        return GRAZE_OK;
    uint64_t there = (bytes - GZ_STL_START_BYTES) / GZ_STL_TRIANGLE_BYTES;
    if (*count > there)
        return gz_source_fail(source, source->cursor + GZ_STL_HEADER_BYTES,
                              "the header gives the number of triangles as %" PRIu64
                              ", but the file ends at byte %" PRIu64 ", after %" PRIu64,
                              *count, bytes, there);
    if (*count == 0 && there != 0 && GZ_STL_START_BYTES + there * GZ_STL_TRIANGLE_BYTES == bytes) {
        gz_log(source->context, GRAZE_LOG_WARNING,
               "%s: byte %u: the header gives the number of triangles as 0, but the file has "
               "room for exactly %" PRIu64 ", which are read",
               source->path, GZ_STL_HEADER_BYTES, there);
        *count = there;
    }
    return GRAZE_OK;
}

static graze_status warn_of_more(gz_source *source, uint64_t count)
{
    graze_status status = gz_source_need(source, 1);
    if (status == GRAZE_OK && gz_source_left(source) != 0)
        gz_log(source->context, GRAZE_LOG_WARNING,
               "%s: byte %" PRIu64 ": after the triangles that the header counts (%" PRIu64
               "), more bytes follow; they are left out",
               source->path, gz_source_offset(source, source->cursor), count);
    return status;
}

// The corners of a triangle as they stand in the file. True if they are finite.
static inline bool load_triangle(const uint8_t *at, float out[9])
{
    uint32_t bits[9], infinite = 0;
    for (int k = 0; k < 9; ++k) {
        bits[k] = gz_get_u32(at + GZ_STL_NORMAL_BYTES + 4 * k, false);
        infinite |= (bits[k] & 0x7f800000u) == 0x7f800000u;
    }
    memcpy(out, bits, sizeof bits);
    return infinite == 0;
}

// Reads each byte of the window once; the corners of a triangle go straight to the batch.
static void take_triangles(stl_reader *reader, uint64_t count)
{
    gz_source *source = reader->source;
    for (uint64_t i = 0; i < count; ++i, source->cursor += GZ_STL_TRIANGLE_BYTES)
        (void)load_triangle(source->cursor, reader->positions.floats + 9 * i);
    reader->count = count;
}

// The same for finite ones as a taker of lines.h.
static uint64_t take_finite_triangles(const void *form, const uint8_t **at, const uint8_t *end,
                                      uint64_t most, void *items)
{
    (void)form;
    float(*out)[9] = items;
    uint64_t count = 0;
    for (const uint8_t *next = *at; count < most && (uint64_t)(end - next) >= GZ_STL_TRIANGLE_BYTES;
         ++count) {
        if (!load_triangle(next, out[count]))
            break;
        next += GZ_STL_TRIANGLE_BYTES;
        *at = next;
    }
    return count;
}

static graze_status read_binary_triangles(stl_reader *reader, uint64_t count)
{
    gz_source *source = reader->source;
    uint64_t left = count;
    while (left != 0) {
        uint64_t taken = 0;
        graze_status status = GRAZE_OK;
        if (gz_stream_has_rooms(reader->stream)) // else it is quicker without
            status = gz_lines_take(&reader->lines, left, &taken);
        left -= taken;
        if (status != GRAZE_OK)
            return status;
        if (left == 0)
            break;
        status = gz_source_need(source, GZ_STL_TRIANGLE_BYTES);
        if (status != GRAZE_OK)
            return status;
        uint64_t there = gz_source_left(source) / GZ_STL_TRIANGLE_BYTES;
        if (there == 0)
            return gz_source_fail(source, source->limit,
                                  "the file ends here, after %" PRIu64 " of the %" PRIu64
                                  " triangles that its header counts",
                                  count - left, count);
        there = there < left ? there : left;
        there = there < BATCH ? there : BATCH;
        take_triangles(reader, there);
        left -= there;
        status = flush(reader);
        if (status != GRAZE_OK)
            return status;
    }
    return warn_of_more(source, count);
}

static graze_status read_binary(stl_reader *reader)
{
    gz_source *source = reader->source;
    if (gz_source_left(source) < GZ_STL_START_BYTES)
        return gz_source_fail(source, source->limit,
                              "the file ends here, but binary STL takes at least %u bytes",
                              GZ_STL_START_BYTES);
    uint64_t count = gz_get_u32(source->cursor + GZ_STL_HEADER_BYTES, false);
    char name[GZ_NAME_BYTES + 1];
    name_of_header(source->cursor, name);
    graze_status status = check_count(source, &count);
    source->cursor += GZ_STL_START_BYTES;
    if (status == GRAZE_OK)
        status = begin(reader, GRAZE_FLOAT32, "binary little-endian", count);
    if (status == GRAZE_OK)
        status = gz_stream_start_object(reader->stream, name, "");
    if (status == GRAZE_OK)
        status = read_binary_triangles(reader, count);
    return status;
}

static bool is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// Moves to the next word and has it whole in the window, or to the end.
static inline graze_status next_word(gz_source *source)
{
    for (;;) {
        while (is_space(*source->cursor))
            source->cursor++;
        if (gz_source_left(source) >= GZ_TEXT_AHEAD || source->ended)
            return GRAZE_OK;
        graze_status status = gz_source_need(source, GZ_TEXT_AHEAD);
        if (status != GRAZE_OK)
            return status;
    }
}

static inline bool take_word(gz_source *source, const char *word, size_t length)
{
    if (!gz_stl_word(source->cursor, word, length))
        return false;
    source->cursor += length;
    return true;
}

// From behind "facet" to the first "vertex". The normal is passed over, whatever it is: some
// programs write fewer numbers, or none.
static graze_status read_facet_start(gz_source *source)
{
    for (uint32_t words = 0;; ++words) {
        graze_status status = next_word(source);
        if (status != GRAZE_OK || gz_stl_word(source->cursor, "vertex", 6))
            return status;
        if (take_word(source, "outer", 5)) {
            status = next_word(source);
            (void)take_word(source, "loop", 4);
            return status;
        }
        if (words == FACET_WORDS || gz_stl_word(source->cursor, "facet", 5) ||
            gz_stl_word(source->cursor, "endfacet", 8))
            break;
        while (*source->cursor > ' ')
            source->cursor++;
    }
    return gz_text_expected(source, "\"outer loop\"");
}

static graze_status read_vertex(gz_source *source, double *out)
{
    graze_status status = next_word(source);
    if (status == GRAZE_OK && !take_word(source, "vertex", 6))
        return gz_text_expected(source, "\"vertex\": a facet has three of them");
    for (int axis = 0; axis < 3 && status == GRAZE_OK; ++axis) {
        status = next_word(source);
        if (status == GRAZE_OK)
            status = gz_text_double(source, &out[axis]);
    }
    return status;
}

static graze_status read_facet(stl_reader *reader)
{
    gz_source *source = reader->source;
    double *out = reader->positions.doubles + 9 * reader->count;
    graze_status status = read_facet_start(source);
    for (int corner = 0; corner < 3 && status == GRAZE_OK; ++corner)
        status = read_vertex(source, out + 3 * corner);
    // Files without these two words exist, and nothing is lost by taking them.
    if (status == GRAZE_OK)
        status = next_word(source);
    if (status == GRAZE_OK && take_word(source, "endloop", 7))
        status = next_word(source);
    if (status == GRAZE_OK)
        (void)take_word(source, "endfacet", 8);
    if (status == GRAZE_OK && ++reader->count == BATCH)
        status = flush(reader);
    return status;
}

static graze_status skip_line(gz_source *source)
{
    graze_status status = GRAZE_OK;
    while ((status = gz_text_fill(source)) == GRAZE_OK && !gz_text_ended(source)) {
        const uint8_t *end = source->cursor;
        while (end < source->limit && *end != '\n' && *end != '\r')
            ++end;
        source->cursor = end;
        if (end < source->limit)
            break;
    }
    return status;
}

// From behind "solid" to behind the line of its "endsolid".
static graze_status read_solid(stl_reader *reader)
{
    gz_source *source = reader->source;
    char name[GZ_NAME_BYTES + 1];
    graze_status status = gz_text_name(source, false, gz_stl_facet_starts, name);
    if (status == GRAZE_OK)
        status = gz_stream_start_object(reader->stream, name, "");
    while (status == GRAZE_OK) {
        uint64_t taken = 0;
        status = gz_lines_take(&reader->lines, UINT64_MAX, &taken);
        if (status == GRAZE_OK)
            status = next_word(source);
        if (status != GRAZE_OK)
            break;
        if (take_word(source, "facet", 5)) {
            status = read_facet(reader);
        } else if (take_word(source, "endsolid", 8)) {
            status = skip_line(source);
            break;
        } else {
            status = gz_text_expected(source, "\"facet\" or \"endsolid\"");
        }
    }
    return status == GRAZE_OK ? flush(reader) : status;
}

static graze_status read_ascii(stl_reader *reader)
{
    gz_source *source = reader->source;
    graze_status status = gz_text_start(source);
    if (status == GRAZE_OK)
        status = begin(reader, GRAZE_FLOAT64, "ASCII", 0);
    for (bool first = true; status == GRAZE_OK; first = false) {
        status = next_word(source);
        if (status != GRAZE_OK || (gz_text_ended(source) && !first))
            break;
        if (take_word(source, "solid", 5))
            status = read_solid(reader);
        else
            status =
                gz_text_expected(source, first ? "\"solid\"" : "\"solid\" or the end of the file");
    }
    return status;
}

// Does it start with "solid", and go on in the second line as ASCII STL does?
static bool starts_as_ascii(const uint8_t *text, const uint8_t *end)
{
    if (!gz_stl_word(text, "solid", 5))
        return false;
    while (text < end && *text != '\n' && *text != '\r')
        ++text;
    while (text < end && is_space(*text))
        ++text;
    return text < end && (gz_stl_word(text, "facet", 5) || gz_stl_word(text, "endsolid", 8));
}

static bool is_text(const uint8_t *bytes, const uint8_t *end)
{
    for (; bytes < end; ++bytes)
        if ((*bytes < ' ' && !is_space(*bytes)) || *bytes == 0x7f)
            return false;
    return true;
}

// ASCII files begin with "solid", but so do some binary ones. A size that fits the count settles
// it: in text the count would be made of characters, and ask for 7 GB and more. Then zeros, which
// every header that is padded and every count below 2^24 has. Only then what the text says.
static bool is_ascii(gz_source *source)
{
    const uint8_t *text = source->cursor;
    uint64_t left = gz_source_left(source);
    const uint8_t *end = text + (left < LOOK_BYTES ? left : LOOK_BYTES);
    if (left >= GZ_STL_START_BYTES) {
        uint64_t count = gz_get_u32(text + GZ_STL_HEADER_BYTES, false);
        if (GZ_STL_START_BYTES + count * GZ_STL_TRIANGLE_BYTES == known_bytes(source) ||
            memchr(text, 0, GZ_STL_START_BYTES) != NULL)
            return false;
    }
    if (memcmp(text, GZ_TEXT_MARK, strlen(GZ_TEXT_MARK)) == 0)
        text += strlen(GZ_TEXT_MARK);
    while (text < end && is_space(*text))
        ++text;
    return starts_as_ascii(text, end) || is_text(text, end);
}

static graze_status flush_batch(void *user) { return flush(user); }

// Takes any number of triangles, which are finite.
static graze_status pass_taken(void *user, const void *positions, uint64_t count)
{
    stl_reader *reader = user;
    graze_status status = GRAZE_OK;
    const uint8_t *from = positions;
    while (count != 0 && status == GRAZE_OK) {
        uint64_t step = count < BATCH ? count : BATCH;
        status = pass(reader, from, step, true);
        from += step * reader->lines.item_bytes;
        count -= step;
    }
    return status;
}

static void set_up_lines(stl_reader *reader, bool ascii)
{
    gz_line_taker *take =
        ascii ? gz_line_takers_of(reader->source->context)->facets : take_finite_triangles;
    uint32_t item_bytes = ascii ? sizeof(double[9]) : sizeof(float[9]);
    reader->lines = (gz_lines){
        .source = reader->source,
        .stream = reader->stream,
        .take = take,
        .item_bytes = item_bytes,
        .pass = pass_taken,
        .user = reader,
        .take_to_room = take,
        .room_item_bytes = item_bytes,
        .vertices = 3,
        .triangles = 1,
        .flush = flush_batch,
    };
    if (ascii) {
        reader->lines.first_word = "facet";
        reader->lines.mark = 'x'; // of "vertex"; no other word of the format has one
        reader->lines.marks_per_item = 3;
    } else {
        reader->lines.stride = GZ_STL_TRIANGLE_BYTES;
        reader->lines.marks_per_item = 1;
    }
}

graze_status gz_read_stl(gz_source *source, const graze_mesh_read_def *def, gz_stream *stream)
{
    graze_status status = gz_source_need(source, LOOK_BYTES);
    if (status != GRAZE_OK)
        return status;
    stl_reader *reader = gz_allocate(source->context, sizeof *reader);
    if (reader == NULL)
        return gz_fail(source->context, GRAZE_ERROR_MEMORY, "%s: out of memory", source->path);
    reader->source = source;
    reader->stream = stream;
    reader->def = def;
    reader->count = 0;
    bool ascii = is_ascii(source);
    set_up_lines(reader, ascii);
    status = ascii ? read_ascii(reader) : read_binary(reader);
    if (status == GRAZE_OK)
        status = gz_stream_end(stream);
    gz_lines_free(&reader->lines);
    gz_release(source->context, reader, sizeof *reader);
    return status;
}
