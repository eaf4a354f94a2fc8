// Takers of plain lines. See line_takers.h. Compiled once for each SIMD width.
//
// Each line is looked at once, 64 bytes at a time, and the way through it has no branches that
// depend on digits. A taker moves its cursor only behind a whole line, so that leaving early is
// always safe.
#include "mesh/read/line_takers.h"

#include <string.h>

#include "mesh/read/number_scan.h"

#define GLUE(name, width)          name##_##width
#define GLUE_EXPANDED(name, width) GLUE(name, width)
#define KERNEL(name)               GLUE_EXPANDED(name, GZ_WIDTH)

_Static_assert(GZ_SCAN_AHEAD <= GZ_SOURCE_SLACK, "scans look no further than the slack");

static inline bool is_gap(uint8_t byte) { return byte == ' ' || byte == '\t'; }

// Behind a gap of at least one byte.
static inline bool pass_gap(gz_scan *scan)
{
    if (!is_gap(*gz_scan_place(scan)))
        return false;
    do
        gz_scan_pass(scan);
    while (is_gap(*gz_scan_place(scan)));
    return true;
}

// Behind the line's end; NULL if something else is there.
static inline const uint8_t *pass_line_end(const uint8_t *at)
{
    while (is_gap(*at))
        ++at;
    at += *at == '\r';
    return *at == '\n' ? at + 1 : NULL;
}

// `at` is behind the last number: the rest of the line begins with a gap, or there is none.
static inline const uint8_t *pass_rest(const gz_line_rest *rest, const uint8_t *at)
{
    for (uint32_t i = 0; i < rest->words; ++i) {
        if (!is_gap(*at))
            return NULL;
        while (is_gap(*at))
            ++at;
        if (*at <= ' ' || *at == '#')
            return NULL;
        while (*at > ' ')
            ++at;
    }
    if (rest->anything && is_gap(*at))
        while (*at >= ' ' || *at == '\t')
            ++at;
    return pass_line_end(at);
}

// The same; mostly there is nothing.
static inline __attribute__((always_inline)) const uint8_t *
pass_common_rest(const gz_line_rest *rest, const uint8_t *at)
{
    return *at == '\n' && rest->words == 0 ? at + 1 : pass_rest(rest, at);
}

// Adds to *signs.
static inline __attribute__((always_inline)) bool
take_common_number(gz_scan *scan, bool narrow, void *out, int axis, uint64_t *signs)
{
    gz_scan_decimal decimal;
    if (!gz_scan_take_common(scan, &decimal))
        return false;
    *signs += decimal.negative;
    return narrow ? gz_scan_to_float(&decimal, (float *)out + axis)
                  : gz_scan_to_double(&decimal, (double *)out + axis);
}

static inline bool pass_blank(gz_scan *scan)
{
    scan->other &= scan->other - 1;
    return scan->text[scan->next++] == ' ' && scan->next < 64;
}

// Three numbers of the common form, one blank between them. Behind the last; NULL if they are not.
// Written out, since a loop takes longer.
static inline __attribute__((always_inline)) const uint8_t *
take_common_vertex(const uint8_t *at, bool narrow, void *out)
{
    gz_scan scan = gz_scan_without_signs(at);
    uint64_t signs = 0;
    if (!take_common_number(&scan, narrow, out, 0, &signs) || !pass_blank(&scan) ||
        !take_common_number(&scan, narrow, out, 1, &signs) || !pass_blank(&scan) ||
        !take_common_number(&scan, narrow, out, 2, &signs) || scan.next >= 64)
        return NULL;
    uint64_t all_signs = scan.minus & ~(~UINT64_C(0) << scan.next);
    return (uint64_t)__builtin_popcountll(all_signs) == signs ? gz_scan_place(&scan) : NULL;
}

static __attribute__((noinline)) const uint8_t *
take_any_vertex(const gz_line_rest *rest, const uint8_t *at, bool narrow, void *out)
{
    while (is_gap(*at))
        ++at;
    gz_scan scan = gz_scan_at(at);
    for (int axis = 0; axis < 3; ++axis) {
        if (axis != 0 && !pass_gap(&scan))
            return NULL;
        if (!(narrow ? gz_scan_float(&scan, (float *)out + axis)
                     : gz_scan_double(&scan, (double *)out + axis)))
            return NULL;
    }
    return pass_rest(rest, gz_scan_place(&scan));
}

static inline __attribute__((always_inline)) const uint8_t *
take_vertex(const gz_line_rest *rest, const uint8_t *at, bool narrow, void *out)
{
    const uint8_t *end = take_common_vertex(at, narrow, out);
    if (end == NULL || *end > ' ')
        return take_any_vertex(rest, at, narrow, out);
    return pass_common_rest(rest, end);
}

static uint64_t take_vertex_lines_wide(const void *form, const uint8_t **at, const uint8_t *end,
                                       uint64_t most, void *items)
{
    double(*out)[3] = items;
    uint64_t count = 0;
    const uint8_t *next = *at;
    for (; count < most && next < end; ++count, *at = next) {
        next = take_vertex(form, next, false, out[count]);
        if (next == NULL)
            break;
    }
    return count;
}

static uint64_t take_vertex_lines_narrow(const void *form, const uint8_t **at, const uint8_t *end,
                                         uint64_t most, void *items)
{
    float(*out)[3] = items;
    uint64_t count = 0;
    const uint8_t *next = *at;
    for (; count < most && next < end; ++count, *at = next) {
        next = take_vertex(form, next, true, out[count]);
        if (next == NULL)
            break;
    }
    return count;
}

static __attribute__((noinline)) const uint8_t *
take_any_triangle(const gz_triangle_lines *form, const uint8_t *at, uint64_t out[3])
{
    while (is_gap(*at))
        ++at;
    if (*at != '3')
        return NULL;
    gz_scan scan = gz_scan_at(at + 1);
    for (int i = 0; i < 3; ++i)
        if (!pass_gap(&scan) || !gz_scan_index(&scan, &out[i]) || out[i] >= form->vertex_count)
            return NULL;
    return pass_rest(&form->rest, gz_scan_place(&scan));
}

// "3 a b c", or another first byte, one blank between them, 1 to 8 digits in each. `largest` is
// what numbers may be.
static inline __attribute__((always_inline)) const uint8_t *
take_common_triangle(const uint8_t *at, char first, uint32_t largest, uint32_t out[3])
{
    if (at[0] != (uint8_t)first || at[1] != ' ')
        return NULL;
    uint64_t other = gz_scan_at(at).other & ~UINT64_C(1); // without the first byte
    const uint8_t *starts[3];
    uint64_t counts[3], start = 2;
    for (int i = 0; i < 3; ++i) {
        other &= other - 1; // the blank in front
        uint64_t end = gz_lowest_bit(other);
        starts[i] = at + start;
        counts[i] = end - start;
        start = end + 1;
        if (counts[i] - 1 >= 8 || (i < 2 && at[end] != ' '))
            return NULL;
    }
    return gz_three_numbers(starts, counts, largest, out) ? at + start - 1 : NULL;
}

static inline uint32_t largest_number(const gz_triangle_lines *form)
{
    return form->vertex_count - 1 < UINT32_MAX ? (uint32_t)(form->vertex_count - 1) : UINT32_MAX;
}

static inline __attribute__((always_inline)) uint64_t
take_triangles(const gz_triangle_lines *form, const uint8_t **at, const uint8_t *end, uint64_t most,
               bool narrow, void *items)
{
    if (form->vertex_count == 0)
        return 0;
    uint32_t largest = largest_number(form);
    uint64_t count = 0;
    const uint8_t *next = *at;
    for (; count < most && next < end; ++count, *at = next) {
        uint32_t small[3] = {0};
        uint64_t wide[3];
        const uint8_t *behind = take_common_triangle(
            next, '3', largest, narrow ? (uint32_t *)items + 3 * count : small);
        if (behind != NULL) {
            next = pass_common_rest(&form->rest, behind);
            for (int i = 0; i < 3 && !narrow; ++i)
                ((uint64_t *)items)[3 * count + (uint64_t)i] = small[i];
        } else {
            next = take_any_triangle(form, next, wide);
            for (int i = 0; i < 3 && next != NULL; ++i)
                if (narrow)
                    ((uint32_t *)items)[3 * count + (uint64_t)i] = (uint32_t)wide[i];
                else
                    ((uint64_t *)items)[3 * count + (uint64_t)i] = wide[i];
        }
        if (next == NULL)
            break;
    }
    return count;
}

static uint64_t take_triangle_lines(const void *form, const uint8_t **at, const uint8_t *end,
                                    uint64_t most, void *items)
{
    return take_triangles(form, at, end, most, false, items);
}

static uint64_t take_triangle_lines_narrow(const void *form, const uint8_t **at, const uint8_t *end,
                                           uint64_t most, void *items)
{
    return take_triangles(form, at, end, most, true, items);
}

// Vertices of OBJ. A line that goes on behind the third number is not plain.
static uint64_t take_obj_vertices(const void *form, const uint8_t **at, const uint8_t *end,
                                  uint64_t most, void *items)
{
    static const gz_line_rest nothing = {0};
    (void)form;
    double(*out)[3] = items;
    uint64_t count = 0;
    const uint8_t *next = *at;
    for (; count < most && next < end; ++count, *at = next) {
        if (next[0] != 'v' || !is_gap(next[1]))
            break;
        next = take_vertex(&nothing, next + 2, false, out[count]);
        if (next == NULL)
            break;
    }
    return count;
}

static inline bool is_digit(uint8_t byte) { return (uint8_t)(byte - '0') <= 9; }

// A vertex number with what may be attached to it: /d, /d/d or //d. Behind it; NULL if it is
// something else.
static inline const uint8_t *take_obj_corner(const uint8_t *at, uint64_t vertex_count,
                                             uint64_t *vertex)
{
    uint64_t number = 0;
    const uint8_t *start = at;
    for (; at < start + 12 && is_digit(*at); ++at)
        number = 10 * number + (uint64_t)(*at - '0');
    if (at == start || is_digit(*at) || number == 0 || number > vertex_count)
        return NULL;
    *vertex = number - 1;
    for (int slashes = 0; slashes < 2 && *at == '/'; ++slashes) {
        ++at;
        while (is_digit(*at))
            ++at;
    }
    return at;
}

static __attribute__((noinline)) const uint8_t *
take_any_obj_triangle(const gz_triangle_lines *form, const uint8_t *at, uint64_t out[3])
{
    if (*at++ != 'f')
        return NULL;
    for (int i = 0; i < 3; ++i) {
        if (!is_gap(*at))
            return NULL;
        while (is_gap(*at))
            ++at;
        at = take_obj_corner(at, form->vertex_count, &out[i]);
        if (at == NULL)
            return NULL;
    }
    return pass_line_end(at);
}

static inline __attribute__((always_inline)) uint64_t
take_obj_triangles(const gz_triangle_lines *form, const uint8_t **at, const uint8_t *end,
                   uint64_t most, bool narrow, void *items)
{
    uint32_t largest = form->vertex_count < UINT32_MAX ? (uint32_t)form->vertex_count : UINT32_MAX;
    uint64_t count = 0;
    const uint8_t *next = *at;
    for (; count < most && next < end; ++count, *at = next) {
        uint32_t small[3] = {0};
        uint64_t wide[3];
        const uint8_t *behind = take_common_triangle(next, 'f', largest, small);
        if (behind != NULL && *behind == '\n' && small[0] != 0 && small[1] != 0 && small[2] != 0) {
            next = behind + 1;
            for (int i = 0; i < 3; ++i)
                wide[i] = (uint64_t)small[i] - 1;
        } else {
            next = take_any_obj_triangle(form, next, wide);
        }
        if (next == NULL)
            break;
        for (uint64_t i = 0; i < 3; ++i)
            if (narrow)
                ((uint32_t *)items)[3 * count + i] = (uint32_t)wide[i];
            else
                ((uint64_t *)items)[3 * count + i] = wide[i];
    }
    return count;
}

static uint64_t take_obj_triangle_lines(const void *form, const uint8_t **at, const uint8_t *end,
                                        uint64_t most, void *items)
{
    return take_obj_triangles(form, at, end, most, false, items);
}

static uint64_t take_obj_triangle_lines_narrow(const void *form, const uint8_t **at,
                                               const uint8_t *end, uint64_t most, void *items)
{
    return take_obj_triangles(form, at, end, most, true, items);
}

static inline bool is_space(uint8_t byte) { return byte == ' ' || (uint8_t)(byte - '\t') < 5; }

// Behind a word and the white space that must follow it; NULL if another word is there.
static inline const uint8_t *pass_word(const uint8_t *at, const char *word, size_t length)
{
    if (memcmp(at, word, length) != 0 || !is_space(at[length]))
        return NULL;
    at += length + 1;
    while (is_space(*at))
        ++at;
    return at;
}
#define PASS_WORD(at, word) pass_word(at, word, sizeof(word) - 1)

// Eight bytes at `at` are these. Words of another length overlap.
static inline bool is_text(const uint8_t *at, const char text[8])
{
    return memcmp(at, text, 8) == 0;
}

// The same with a blank between them and the end of the line behind. NULL if it is another form.
static inline const uint8_t *pass_common_normal(const uint8_t *at)
{
    uint64_t blanks = gz_blanks_of(at), later = blanks & (blanks - 1);
    uint64_t first = gz_lowest_bit(blanks), second = gz_lowest_bit(later);
    uint64_t third = gz_lowest_bit(later & (later - 1));
    if (first == 0 || first + 1 >= second || second + 1 >= third || third == 64 || at[0] >= 'A' ||
        at[first + 1] >= 'A' || at[second + 1] >= 'A' || at[first] != ' ' || at[second] != ' ' ||
        at[third] != '\n')
        return NULL;
    return at + third + 1;
}

static inline __attribute__((always_inline)) const uint8_t *pass_indent(const uint8_t *at)
{
    while (*at == ' ')
        ++at;
    return at;
}

// "vertex", three numbers and the end of the line.
static inline __attribute__((always_inline)) const uint8_t *take_common_corner(const uint8_t *at,
                                                                               double out[3])
{
    at = pass_indent(at);
    if (memcmp(at, "vertex ", 7) != 0)
        return NULL;
    at = take_common_vertex(at + 7, false, out);
    return at != NULL && *at == '\n' ? at + 1 : NULL;
}

// The form that most programs write: one blank between words, blanks in front of lines, and no
// other form of space. NULL if it is another form.
static inline __attribute__((always_inline)) const uint8_t *take_common_facet(const uint8_t *at,
                                                                              double out[9])
{
    at = pass_indent(at);
    if (!is_text(at, "facet no") || !is_text(at + 5, " normal "))
        return NULL;
    at = pass_common_normal(at + 13);
    if (at == NULL)
        return NULL;
    at = pass_indent(at);
    if (!is_text(at, "outer lo") || !is_text(at + 3, "er loop\n"))
        return NULL;
    at += 11;
    for (int corner = 0; corner < 3; ++corner) {
        at = take_common_corner(at, out + 3 * corner);
        if (at == NULL)
            return NULL;
    }
    at = pass_indent(at);
    if (!is_text(at, "endloop\n"))
        return NULL;
    at = pass_indent(at + 8);
    return is_text(at, "endfacet") && at[8] == '\n' ? at + 9 : NULL;
}

// Three words that begin as numbers do, whatever they are: so they are none of the format's words.
// They are found all at once if they lie within 64 bytes.
static inline const uint8_t *pass_normal(const uint8_t *at)
{
    uint64_t blanks = gz_blanks_of(at);
    for (int axis = 0; axis < 3; ++axis) {
        if (*at <= ' ' || *at >= 'A')
            return NULL;
        if (blanks == 0)
            blanks = gz_blanks_of(at); // behind the word's first byte: none of it is left out
        if (blanks == 0)
            return NULL;
        uint32_t length = (uint32_t)__builtin_ctzll(blanks);
        at += length;
        if (!is_space(*at))
            return NULL;
        blanks = length < 63 ? blanks >> (length + 1) : 0;
        ++at;
        while (is_space(*at)) {
            blanks >>= 1;
            ++at;
        }
    }
    return at;
}

static __attribute__((noinline)) const uint8_t *take_any_facet(const uint8_t *at, double out[9])
{
    while (is_space(*at))
        ++at;
    if ((at = PASS_WORD(at, "facet")) == NULL || (at = PASS_WORD(at, "normal")) == NULL ||
        (at = pass_normal(at)) == NULL || (at = PASS_WORD(at, "outer")) == NULL ||
        (at = PASS_WORD(at, "loop")) == NULL)
        return NULL;
    static const gz_line_rest nothing = {0};
    for (int corner = 0; corner < 3; ++corner, out += 3) {
        at = PASS_WORD(at, "vertex");
        if (at == NULL || (at = take_vertex(&nothing, at, false, out)) == NULL)
            return NULL;
        while (is_space(*at))
            ++at;
    }
    at = PASS_WORD(at, "endloop");
    return at != NULL ? PASS_WORD(at, "endfacet") : NULL;
}

static uint64_t take_stl_facets(const void *form, const uint8_t **at, const uint8_t *end,
                                uint64_t most, void *items)
{
    (void)form;
    double(*out)[9] = items;
    uint64_t count = 0;
    const uint8_t *next = *at;
    for (; count < most && next < end; ++count, *at = next) {
        const uint8_t *behind = take_common_facet(next, out[count]);
        next = behind != NULL ? behind : take_any_facet(next, out[count]);
        if (next == NULL)
            break;
    }
    return count;
}

static uint64_t count_bytes(const uint8_t *start, const uint8_t *end, uint8_t byte)
{
    uint64_t count = 0;
    for (; end - start >= 64; start += 64)
        count += (uint32_t)__builtin_popcountll(gz_equal_bytes(start, byte));
    for (; start < end; ++start)
        count += *start == byte;
    return count;
}

const gz_line_takers KERNEL(gz_line_takers) = {
    .wide_vertices = take_vertex_lines_wide,
    .narrow_vertices = take_vertex_lines_narrow,
    .triangles = take_triangle_lines,
    .narrow_triangles = take_triangle_lines_narrow,
    .obj_vertices = take_obj_vertices,
    .obj_triangles = take_obj_triangle_lines,
    .narrow_obj_triangles = take_obj_triangle_lines_narrow,
    .facets = take_stl_facets,
    .count_bytes = count_bytes,
};
