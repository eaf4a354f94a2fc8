// Reads PLY headers. See ply_header.h.
//
// A header is lines of words. The first line tells how lines end in this file: in binary files the
// first byte of data may look like half a line end.
#include "mesh/read/ply_header.h"

#include <string.h>

#include "base/context.h"

#define LONGEST_LINE    65536u
#define MOST_WORDS      5 // "property list uchar int vertex_indices"
#define MOST_PROPERTIES 4096u
#define MOST_ELEMENTS   256u

typedef struct word {
    const uint8_t *start;
    uint32_t length;
} word;

typedef struct line {
    word words[MOST_WORDS];
    uint32_t word_count; // may be more than are kept
} line;

typedef enum line_ending { UNKNOWN, LF, CRLF, CR } line_ending;

typedef struct header_reader {
    gz_source *source;
    gz_ply_header *header;
    line_ending ending;
} header_reader;

static bool is(word w, const char *text)
{
    return strlen(text) == w.length && memcmp(w.start, text, w.length) == 0;
}

// A sentence about a word; words that are not text are shown as far as they are.
static graze_status fail_word(header_reader *reader, word w, const char *sentence)
{
    char shown[48];
    uint32_t length = 0;
    for (; length < w.length && length < sizeof shown - 1; ++length)
        shown[length] = w.start[length] < 0x7f ? (char)w.start[length] : '?';
    shown[length] = '\0';
    return gz_source_fail(reader->source, w.start, "\"%s\" %s", shown, sentence);
}

// The whole line is in the window afterwards; *end is where its text ends.
static graze_status fetch_line(gz_source *source, const uint8_t **end)
{
    uint32_t want = 256, seen = 0;
    for (;;) {
        graze_status status = gz_source_need(source, want);
        if (status != GRAZE_OK)
            return status;
        const uint8_t *at = source->cursor + seen;
        uint64_t left = gz_source_left(source);
        const uint8_t *stop = source->cursor + (left < LONGEST_LINE ? left : LONGEST_LINE);
        while (at < stop && *at != '\n' && *at != '\r')
            ++at;
        // A return may be followed by a line feed, so that must be there as well.
        if (at < stop && (*at == '\n' || at + 1 < source->limit || source->ended)) {
            *end = at;
            return GRAZE_OK;
        }
        if (source->ended)
            return gz_source_fail(source, source->limit, "the file ends in the header");
        if (at == source->cursor + LONGEST_LINE)
            return gz_source_fail(source, source->cursor,
                                  "a line of the header is longer than %u bytes", LONGEST_LINE);
        seen = (uint32_t)(at - source->cursor);
        want = 2 * want < LONGEST_LINE + 1 ? 2 * want : LONGEST_LINE + 1;
    }
}

static const uint8_t *pass_line_end(header_reader *reader, const uint8_t *at)
{
    bool both = at[0] == '\r' && at[1] == '\n';
    if (reader->ending == UNKNOWN)
        reader->ending = both ? CRLF : at[0] == '\r' ? CR : LF;
    return at + (both && reader->ending != CR ? 2 : 1);
}

// Splits the next line into words and moves behind it. The words stay until the next call.
static graze_status next_line(header_reader *reader, line *out)
{
    gz_source *source = reader->source;
    const uint8_t *end = NULL;
    graze_status status = fetch_line(source, &end);
    if (status != GRAZE_OK)
        return status;
    out->word_count = 0;
    const uint8_t *at = source->cursor;
    while (at < end) {
        while (at < end && (*at == ' ' || *at == '\t'))
            ++at;
        const uint8_t *start = at;
        while (at < end && *at != ' ' && *at != '\t')
            ++at;
        if (at == start)
            break;
        if (out->word_count < MOST_WORDS)
            out->words[out->word_count] = (word){start, (uint32_t)(at - start)};
        out->word_count++;
    }
    source->cursor = pass_line_end(reader, end);
    return GRAZE_OK;
}

static graze_status read_format(header_reader *reader, const line *l)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    if (l->word_count != 3)
        return fail_word(reader, l->words[0], "must be followed by an encoding and a version");
    if (!is(l->words[2], "1.0"))
        return fail_word(reader, l->words[2], "is not a version of PLY that is known: 1.0 is");
    for (int i = 0; i < 3; ++i)
        if (is(l->words[1], names[i])) {
            reader->header->encoding = (gz_ply_encoding)i;
            return GRAZE_OK;
        }
    return fail_word(reader, l->words[1], "is not an encoding of PLY");
}

static bool parse_count(word w, uint64_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < w.length; ++i) {
        uint8_t digit = (uint8_t)(w.start[i] - '0');
        if (digit > 9 || !gz_mul(*count, 10, count) || !gz_add(*count, digit, count))
            return false;
    }
    return w.length != 0;
}

static gz_ply_element_role role_of_element(word name)
{
    if (is(name, "vertex"))
        return GZ_PLY_VERTICES;
    if (is(name, "face"))
        return GZ_PLY_FACES;
    if (is(name, "tristrips"))
        return GZ_PLY_STRIPS;
    return is(name, "edge") ? GZ_PLY_EDGES : GZ_PLY_REST;
}

static graze_status out_of_memory(header_reader *reader)
{
    return gz_fail(reader->source->context, GRAZE_ERROR_MEMORY, "%s: out of memory for the header",
                   reader->source->path);
}

static graze_status read_element(header_reader *reader, const line *l)
{
    gz_ply_header *header = reader->header;
    if (l->word_count != 3)
        return fail_word(reader, l->words[0], "must be followed by a name and a count");
    gz_ply_element element = {.role = role_of_element(l->words[1])};
    word name = l->words[1];
    uint32_t length = name.length < GZ_PLY_NAME_BYTES ? name.length : GZ_PLY_NAME_BYTES - 1;
    memcpy(element.name, name.start, length);
    if (!parse_count(l->words[2], &element.count))
        return fail_word(reader, l->words[2], "is not a count from 0 to 18446744073709551615");
    const gz_ply_element *elements = header->elements.items;
    for (uint64_t i = 0; i < header->elements.count; ++i)
        if (elements[i].role == GZ_PLY_VERTICES && element.role == GZ_PLY_VERTICES)
            return fail_word(reader, name, "comes twice");
    if (header->elements.count == MOST_ELEMENTS)
        return fail_word(reader, name, "is one element too many: 256 are read");
    element.first_property = (uint32_t)header->properties.count;
    gz_ply_element *slot = gz_list_push(reader->source->context, &header->elements, 1);
    if (slot == NULL)
        return out_of_memory(reader);
    *slot = element;
    return GRAZE_OK;
}

static graze_status read_type(header_reader *reader, word w, gz_ply_type *type)
{
    static const char *const names[][2] = {
        {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
        {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"},
    };
    for (int i = 0; i < 8; ++i)
        if (is(w, names[i][0]) || is(w, names[i][1])) {
            *type = (gz_ply_type)i;
            return GRAZE_OK;
        }
    return fail_word(reader, w, "is not a type of PLY");
}

static gz_ply_property_role role_of_property(gz_ply_element_role element, word name)
{
    if (element == GZ_PLY_VERTICES) {
        for (int axis = 0; axis < 3; ++axis)
            if (name.length == 1 && name.start[0] == 'x' + axis)
                return (gz_ply_property_role)(GZ_PLY_X + axis);
    } else if (element == GZ_PLY_FACES || element == GZ_PLY_STRIPS) {
        if (is(name, "vertex_indices") || is(name, "vertex_index"))
            return GZ_PLY_INDICES;
    }
    return GZ_PLY_OTHER;
}

// What has a role comes once, as a list exactly if it is one of vertex numbers.
static graze_status check_role(header_reader *reader, const gz_ply_element *element,
                               const gz_ply_property *property, word name)
{
    if (property->role == GZ_PLY_OTHER)
        return GRAZE_OK;
    if (property->list != (property->role == GZ_PLY_INDICES))
        return fail_word(reader, name, property->list ? "must not be a list" : "must be a list");
    const gz_ply_property *properties = reader->header->properties.items;
    for (uint32_t i = 0; i < element->property_count; ++i)
        if (properties[element->first_property + i].role == property->role)
            return fail_word(reader, name, "comes twice");
    return GRAZE_OK;
}

static graze_status read_property(header_reader *reader, const line *l)
{
    gz_ply_header *header = reader->header;
    if (header->elements.count == 0)
        return fail_word(reader, l->words[0], "comes before the first element");
    gz_ply_element *element = (gz_ply_element *)header->elements.items + header->elements.count - 1;
    gz_ply_property property = {.list = l->word_count >= 2 && is(l->words[1], "list")};
    if (l->word_count != (property.list ? 5 : 3))
        return fail_word(reader, l->words[0],
                         "must be followed by a type and a name, or by list, two types and a name");
    word name = l->words[l->word_count - 1];
    property.role = role_of_property(element->role, name);
    graze_status status = GRAZE_OK;
    if (property.list)
        status = read_type(reader, l->words[2], &property.count_type);
    if (status == GRAZE_OK)
        status = read_type(reader, l->words[l->word_count - 2], &property.type);
    if (status == GRAZE_OK)
        status = check_role(reader, element, &property, name);
    if (status != GRAZE_OK)
        return status;
    if (header->properties.count == MOST_PROPERTIES)
        return fail_word(reader, name, "is one property too many: 4096 are read");
    gz_ply_property *slot = gz_list_push(reader->source->context, &header->properties, 1);
    if (slot == NULL)
        return out_of_memory(reader);
    *slot = property;
    element->property_count++;
    element->has_list = element->has_list || property.list;
    element->item_bytes += property.list ? 0 : gz_ply_type_bytes(property.type);
    return GRAZE_OK;
}

// Every vertex has a place, or the file is of no use.
static graze_status check_vertices(header_reader *reader)
{
    const gz_ply_header *header = reader->header;
    const gz_ply_element *elements = header->elements.items;
    const gz_ply_property *properties = header->properties.items;
    for (uint64_t i = 0; i < header->elements.count; ++i) {
        uint32_t axes = 0;
        for (uint32_t k = 0; k < elements[i].property_count; ++k)
            axes += properties[elements[i].first_property + k].role <= GZ_PLY_Z;
        if (elements[i].role == GZ_PLY_VERTICES && axes != 3)
            return gz_source_fail(reader->source, reader->source->cursor,
                                  "the vertices lack one of the properties x, y and z");
    }
    return GRAZE_OK;
}

static graze_status read_lines(header_reader *reader)
{
    line l;
    graze_status status = next_line(reader, &l);
    if (status == GRAZE_OK && (l.word_count != 1 || !is(l.words[0], "ply")))
        return gz_source_fail(reader->source, reader->source->window,
                              "a PLY file begins with a line that says \"ply\"");
    bool format_known = false;
    while (status == GRAZE_OK) {
        status = next_line(reader, &l);
        if (status != GRAZE_OK)
            return status;
        word first = l.words[0];
        if (l.word_count == 0 || is(first, "comment") || is(first, "obj_info"))
            continue;
        if (is(first, "end_header"))
            break;
        if (is(first, "format")) {
            status = read_format(reader, &l);
            format_known = true;
        } else if (is(first, "element")) {
            status = read_element(reader, &l);
        } else if (is(first, "property")) {
            status = read_property(reader, &l);
        } else {
            status = fail_word(reader, first, "is not a word that begins a line of a PLY header");
        }
    }
    if (status == GRAZE_OK && !format_known)
        status = gz_source_fail(reader->source, reader->source->cursor,
                                "the header has no line that says \"format\"");
    return status;
}

graze_status gz_ply_header_read(gz_source *source, gz_ply_header *header)
{
    *header = (gz_ply_header){0};
    header_reader reader = {source, header, UNKNOWN};
    graze_status status = read_lines(&reader);
    return status == GRAZE_OK ? check_vertices(&reader) : status;
}

void gz_ply_header_free(graze_context *context, gz_ply_header *header)
{
    gz_list_free(context, &header->elements);
    gz_list_free(context, &header->properties);
}
