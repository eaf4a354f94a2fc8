// Reads OBJ: vertices, faces, objects and groups; the rest is passed over or counted.
//
// Coordinates have no type here and become doubles. `o` starts an object; a `g` within it starts
// one of its own name with the `o` as its group; where there are only `g`, they are the objects. A
// backslash at the end of a line makes the next line part of it, except in comments. Lines may be
// of any length: nothing is kept of them but the corners of a face.
//
// The format knows no counts and no end, so that a file which was cut off behind a line looks
// whole. Many programs, and ours, write "# end of file" in the last line; without it a warning is
// given.
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/memory.h"
#include "mesh/read/line_takers.h"
#include "mesh/read/reader.h"
#include "mesh/read/text.h"

#define BATCH      1024u
#define WORD_BYTES 16u // all statements known are shorter

typedef struct obj_reader {
    gz_source *source;
    gz_stream *stream;
    uint64_t vertex_count; // all so far, those in the batch included
    uint64_t batch_vertices, batch_triangles;
    uint64_t batch_offset;         // in the file, of the batch's first triangle
    GZ_LIST(uint64_t) corners;     // of the face at hand
    char above[GZ_NAME_BYTES + 1]; // name of the last `o`
    bool any_known, warned_unknown, warned_call;
    bool end_marked;                       // by the last line so far that is not empty
    gz_lines vertex_lines, triangle_lines; // plain ones
    gz_triangle_lines triangle_form;
    double positions[3 * BATCH];
    uint64_t triangles[3 * BATCH];
} obj_reader;

static graze_status flush_vertices(obj_reader *reader)
{
    uint64_t count = reader->batch_vertices;
    reader->batch_vertices = 0;
    return count != 0 ? gz_stream_vertices(reader->stream, reader->positions, count) : GRAZE_OK;
}

// Vertices go first: triangles in the batch may name them.
static graze_status flush(obj_reader *reader)
{
    graze_status status = flush_vertices(reader);
    uint64_t count = reader->batch_triangles;
    reader->batch_triangles = 0;
    if (status == GRAZE_OK && count != 0)
        status =
            gz_stream_triangles(reader->stream, reader->triangles, count, reader->batch_offset);
    return status;
}

static bool is_line_end(uint8_t byte) { return byte == '\n' || byte == '\r'; }

// Passes over blanks and continued line ends, and has the next word whole in the window. Where the
// statement goes on, the cursor is then at a byte above ' ' that is not '#'.
static inline graze_status skip_blanks(gz_source *source)
{
    for (;;) {
        while (*source->cursor == ' ' || *source->cursor == '\t')
            source->cursor++;
        graze_status status = gz_text_fill(source);
        if (status != GRAZE_OK)
            return status;
        const uint8_t *at = source->cursor;
        if (*at == '\\' && is_line_end(at[1]))
            source->cursor += at[1] == '\r' && at[2] == '\n' ? 3 : 2;
        else if (*at != ' ' && *at != '\t')
            return GRAZE_OK;
    }
}

static inline bool statement_ends(const gz_source *source)
{
    uint8_t byte = *source->cursor;
    return is_line_end(byte) || byte == '#' || gz_text_ended(source);
}

// To the end of the line at or behind the cursor, or to the limit of the window.
static const uint8_t *find_line_end(const gz_source *source)
{
    const uint8_t *start = source->cursor, *end = source->limit;
    const uint8_t *feed = memchr(start, '\n', (size_t)(end - start));
    if (feed != NULL)
        end = feed;
    const uint8_t *other = memchr(start, '\r', (size_t)(end - start)); // very old files have these
    return other != NULL ? other : end;
}

// Behind the end of the line. `continues`: as far as backslashes take it.
static graze_status skip_line(gz_source *source, bool continues)
{
    for (;;) {
        const uint8_t *end = find_line_end(source);
        bool backslash = continues && end > source->cursor && end[-1] == '\\';
        // A line end may have two bytes, and a backslash may be the window's last.
        if (end + 1 >= source->limit && !source->ended) {
            source->cursor = end - backslash;
            graze_status status = gz_source_need(source, GZ_TEXT_AHEAD);
            if (status != GRAZE_OK)
                return status;
            continue;
        }
        source->cursor = end;
        if (end == source->limit)
            return GRAZE_OK;
        source->cursor += end[0] == '\r' && end[1] == '\n' ? 2 : 1;
        if (!backslash)
            return GRAZE_OK;
    }
}

// What follows the third coordinate (a weight, a colour) is passed over.
static graze_status read_vertex(obj_reader *reader)
{
    gz_source *source = reader->source;
    double *out = reader->positions + 3 * reader->batch_vertices;
    graze_status status = skip_blanks(source);
    for (int axis = 0; axis < 3 && status == GRAZE_OK; ++axis) {
        if (statement_ends(source))
            return gz_source_fail(source, source->cursor,
                                  "a vertex has three coordinates, but this one has only %d", axis);
        status = gz_text_double(source, &out[axis]);
        if (status == GRAZE_OK)
            status = skip_blanks(source);
    }
    if (status == GRAZE_OK)
        status = skip_line(source, true);
    reader->vertex_count++;
    if (status == GRAZE_OK && ++reader->batch_vertices == BATCH)
        status = flush_vertices(reader);
    return status;
}

static inline bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

// Passes over the number of a texture coordinate or normal.
static const uint8_t *skip_integer(const uint8_t *at)
{
    at += *at == '-' || *at == '+';
    while (is_digit(*at))
        ++at;
    return at;
}

// Vertex numbers count from 1, or backwards from the last vertex so far, which is -1.
static graze_status number_of_vertex(obj_reader *reader, int64_t number, uint64_t *vertex)
{
    gz_source *source = reader->source;
    if (number > 0) {
        *vertex = (uint64_t)number - 1;
        return GRAZE_OK;
    }
    if (number == 0)
        return gz_source_fail(source, source->cursor, "vertex numbers start at 1, not at 0");
    uint64_t back = 0 - (uint64_t)number;
    if (back > reader->vertex_count)
        return gz_source_fail(source, source->cursor,
                              "vertex %" PRIi64 " counts back before the first: only %" PRIu64
                              " came before",
                              number, reader->vertex_count);
    *vertex = reader->vertex_count - back;
    return GRAZE_OK;
}

// a, a/b, a//c or a/b/c at the cursor: only a matters. Most numbers are short and positive.
static inline graze_status read_corner(obj_reader *reader, uint64_t *vertex)
{
    gz_source *source = reader->source;
    const uint8_t *at = source->cursor;
    int64_t number = 0;
    for (uint32_t digits = 0; digits < 17 && is_digit(*at); ++digits)
        number = 10 * number + (*at++ - '0');
    if (at == source->cursor || is_digit(*at))
        at = gz_parse_int64(source->cursor, &number);
    for (int slashes = 0; at != NULL && *at == '/' && slashes < 2; ++slashes)
        at = skip_integer(at + 1);
    if (at == NULL || (*at > ' ' && *at != '\\' && *at != '#') ||
        (at == source->limit && !source->ended))
        return gz_text_expected(source, "a corner of a face, such as 3 or 3/1/2");
    graze_status status = number_of_vertex(reader, number, vertex);
    source->cursor = at;
    return status;
}

// Triangles whose vertices are there go in batches; the rest one by one, so that a vertex that
// never comes is reported with the place of its face.
static graze_status take_face(obj_reader *reader, uint64_t offset)
{
    const uint64_t *corners = reader->corners.items;
    uint64_t count = reader->corners.count;
    if (count == 3 && corners[0] < reader->vertex_count && corners[1] < reader->vertex_count &&
        corners[2] < reader->vertex_count) {
        if (reader->batch_triangles == 0)
            reader->batch_offset = offset;
        memcpy(reader->triangles + 3 * reader->batch_triangles, corners, 3 * sizeof *corners);
        return ++reader->batch_triangles == BATCH ? flush(reader) : GRAZE_OK;
    }
    graze_status status = flush(reader);
    if (status == GRAZE_OK)
        status = gz_stream_face(reader->stream, corners, count, offset);
    return status;
}

static graze_status read_face(obj_reader *reader, uint64_t offset)
{
    gz_source *source = reader->source;
    reader->corners.count = 0;
    graze_status status = GRAZE_OK;
    while ((status = skip_blanks(source)) == GRAZE_OK && !statement_ends(source)) {
        uint64_t *corner = gz_list_push(source->context, &reader->corners, 1);
        if (corner == NULL)
            return gz_fail(source->context, GRAZE_ERROR_MEMORY,
                           "%s: byte %" PRIu64 ": out of memory for a face of %" PRIu64 " corners",
                           source->path, offset, reader->corners.count);
        status = read_corner(reader, corner);
        if (status != GRAZE_OK)
            return status;
    }
    if (status == GRAZE_OK && reader->corners.count < 3 && gz_text_ended(source))
        return gz_source_fail(source, source->cursor,
                              "the file ends in the middle of a face: a face has three corners at "
                              "least");
    if (status == GRAZE_OK)
        status = take_face(reader, offset);
    return status == GRAZE_OK ? skip_line(source, false) : status;
}

// `o` or `g`.
static graze_status read_object(obj_reader *reader, bool group)
{
    char name[GZ_NAME_BYTES + 1];
    graze_status status = gz_text_name(reader->source, true, NULL, name);
    if (status == GRAZE_OK)
        status = flush(reader);
    if (status == GRAZE_OK)
        status = gz_stream_start_object(reader->stream, name, group ? reader->above : "");
    if (!group)
        memcpy(reader->above, name, strlen(name) + 1);
    return status;
}

// The statements of the format, by what becomes of them.
static const char *const counted_words[] = {"l",   "p",   "curv", "curv2", "surf",
                                            "bzp", "bsp", "cdc",  "cdp"};
static const char *const passed_words[] = {
    "vt",       "vn",       "vp",        "s",      "usemtl", "mtllib",     "mg",     "bevel",
    "c_interp", "d_interp", "lod",       "maplib", "usemap", "shadow_obj", "cstype", "deg",
    "bmat",     "step",     "trace_obj", "ctech",  "stech",  "parm",       "trim",   "hole",
    "scrv",     "sp",       "end",       "con",    "res",    "csh",
};

static bool is_listed(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}
#define LISTED(word, list) is_listed(word, list, sizeof(list) / sizeof(list)[0])

static void warn_once(gz_source *source, bool *warned, const uint8_t *at, const char *what,
                      const char *word)
{
    if (!*warned)
        gz_log(source->context, GRAZE_LOG_WARNING, "%s: byte %" PRIu64 ": %s \"%s\"", source->path,
               gz_source_offset(source, at), what, word);
    *warned = true;
}

// A statement other than a vertex, a face or a comment.
static graze_status read_statement(obj_reader *reader)
{
    gz_source *source = reader->source;
    const uint8_t *start = source->cursor;
    char word[WORD_BYTES + 1];
    size_t length = 0;
    while (length < WORD_BYTES && start[length] > ' ' && start[length] < 0x7f &&
           start[length] != '\\') {
        word[length] = (char)start[length];
        ++length;
    }
    word[length] = '\0';
    if (length == 0)
        return gz_text_expected(source, "an OBJ statement");
    bool known = true;
    if (strcmp(word, "o") == 0 || strcmp(word, "g") == 0) {
        source->cursor += length;
        reader->any_known = true;
        return read_object(reader, word[0] == 'g');
    }
    if (LISTED(word, counted_words)) {
        gz_stream_count_other(reader->stream, 1);
    } else if (strcmp(word, "call") == 0) {
        warn_once(source, &reader->warned_call, start, "other files are not read by", word);
    } else if (!LISTED(word, passed_words)) {
        known = false;
        warn_once(source, &reader->warned_unknown, start, "passing over the unknown statement",
                  word);
    }
    reader->any_known |= known;
    return skip_line(source, known);
}

// Is the comment at the cursor one that programs write behind everything else?
static bool is_end_mark(const gz_source *source)
{
    static const char *const marks[] = {"end of file", "eof", "end"};
    const uint8_t *start = source->cursor + 1, *end = start;
    while (*end != '\0' && !is_line_end(*end))
        ++end; // the slack is zeros
    while (start < end && (*start == ' ' || *start == '\t'))
        ++start;
    while (start < end && (end[-1] == ' ' || end[-1] == '\t'))
        --end;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i)
        if (strlen(marks[i]) == (size_t)(end - start) &&
            strncasecmp((const char *)start, marks[i], (size_t)(end - start)) == 0)
            return true;
    return false;
}

static graze_status read_line(obj_reader *reader)
{
    gz_source *source = reader->source;
    const uint8_t *at = source->cursor;
    if (is_line_end(*at))
        return skip_line(source, false);
    reader->end_marked = *at == '#' && is_end_mark(source);
    bool vertex = at[0] == 'v', face = at[0] == 'f';
    size_t length = face && at[1] == 'o' ? 2 : 1; // an old way to write faces
    if ((vertex || face) && (at[length] <= ' ' || at[length] == '\\')) {
        uint64_t offset = gz_source_offset(source, at);
        source->cursor += length;
        reader->any_known = true;
        return vertex ? read_vertex(reader) : read_face(reader, offset);
    }
    if (*at == '#')
        return skip_line(source, false);
    return read_statement(reader);
}

// Plain lines, many at a time.

static graze_status flush_before(void *user) { return flush(user); }

static graze_status pass_vertices(void *user, const void *positions, uint64_t count)
{
    obj_reader *reader = user;
    graze_status status = flush(reader);
    return status == GRAZE_OK ? gz_stream_finite_vertices(reader->stream, positions, count)
                              : status;
}

static graze_status pass_triangles(void *user, const void *corners, uint64_t count)
{
    obj_reader *reader = user;
    graze_status status = flush(reader);
    return status == GRAZE_OK ? gz_stream_triangles(reader->stream, corners, count, 0) : status;
}

static void set_up_lines(obj_reader *reader)
{
    const gz_line_takers *takers = gz_line_takers_of(reader->source->context);
    gz_lines common = {.source = reader->source,
                       .stream = reader->stream,
                       .item_bytes = 24,
                       .user = reader,
                       .flush = flush_before,
                       .mark = '\n',
                       .marks_per_item = 1};
    reader->vertex_lines = common;
    reader->vertex_lines.take = reader->vertex_lines.take_to_room = takers->obj_vertices;
    reader->vertex_lines.room_item_bytes = sizeof(double[3]);
    reader->vertex_lines.pass = pass_vertices;
    reader->vertex_lines.vertices = 1;
    reader->triangle_lines = common;
    reader->triangle_lines.take = takers->obj_triangles;
    reader->triangle_lines.take_to_room = takers->narrow_obj_triangles;
    reader->triangle_lines.room_item_bytes = sizeof(uint32_t[3]);
    reader->triangle_lines.pass = pass_triangles;
    reader->triangle_lines.form = &reader->triangle_form;
    reader->triangle_lines.triangles = 1;
}

// Takes plain vertices, or plain triangles, if such a line is at the cursor.
static graze_status take_plain(obj_reader *reader, uint64_t *taken)
{
    const uint8_t *at = reader->source->cursor;
    *taken = 0;
    if (at[1] != ' ' && at[1] != '\t')
        return GRAZE_OK;
    graze_status status = GRAZE_OK;
    if (at[0] == 'v') {
        status = gz_lines_take(&reader->vertex_lines, UINT64_MAX, taken);
        reader->vertex_count += *taken;
    } else if (at[0] == 'f') {
        reader->triangle_form.vertex_count = reader->triangle_lines.bound = reader->vertex_count;
        status = gz_lines_take(&reader->triangle_lines, UINT64_MAX, taken);
    }
    reader->any_known |= *taken != 0;
    reader->end_marked &= *taken == 0;
    return status;
}

// Warns of what may be missing at the end.
static void check_end(const obj_reader *reader)
{
    gz_source *source = reader->source;
    uint8_t last = gz_source_last_byte(source);
    if (reader->end_marked)
        return;
    if (is_line_end(last))
        gz_log(source->context, GRAZE_LOG_WARNING,
               "%s: OBJ files do not say where they end: if lines are missing at the end, nothing "
               "shows it",
               source->path);
    else
        gz_text_warn_of_open_line(source, false);
}

static graze_status read_lines(obj_reader *reader)
{
    gz_source *source = reader->source;
    graze_status status = GRAZE_OK;
    while ((status = skip_blanks(source)) == GRAZE_OK && !gz_text_ended(source)) {
        uint64_t taken = 0;
        status = take_plain(reader, &taken);
        if (status == GRAZE_OK && taken == 0)
            status = read_line(reader);
        if (status != GRAZE_OK)
            return status;
    }
    if (status == GRAZE_OK && reader->warned_unknown && !reader->any_known)
        return gz_source_fail(source, source->cursor,
                              "the file ends here without a single OBJ statement");
    return status == GRAZE_OK ? flush(reader) : status;
}

graze_status gz_read_obj(gz_source *source, const graze_mesh_read_def *def, gz_stream *stream)
{
    obj_reader *reader = gz_allocate(source->context, sizeof *reader);
    if (reader == NULL)
        return gz_fail(source->context, GRAZE_ERROR_MEMORY, "%s: out of memory", source->path);
    memset(reader, 0, offsetof(obj_reader, positions));
    reader->source = source;
    reader->stream = stream;
    set_up_lines(reader);
    char encoding[GZ_ENCODING_BYTES];
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_OBJ,
        .precision = GRAZE_FLOAT64,
        .metres_per_unit = def->metres_per_unit,
        .encoding = gz_encoding_text(source, "ASCII", encoding),
    };
    graze_status status = gz_text_start(source);
    if (status == GRAZE_OK)
        status = gz_stream_begin(stream, &header, true);
    if (status == GRAZE_OK)
        status = read_lines(reader);
    if (status == GRAZE_OK)
        status = gz_stream_end(stream);
    if (status == GRAZE_OK)
        check_end(reader);
    gz_lines_free(&reader->vertex_lines);
    gz_lines_free(&reader->triangle_lines);
    gz_list_free(source->context, &reader->corners);
    gz_release(source->context, reader, sizeof *reader);
    return status;
}
