// Takers of plain lines. See line_takers.h. Compiled once for each SIMD width.
//
// Each line is looked at once, 64 bytes at a time, and the way through it has no branches that
// depend on digits. A taker moves its cursor only behind a whole line, so that leaving early is
// always safe.
#include "mesh/line_takers.h"

#include <string.h>

#include "mesh/number_scan.h"

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

static inline __attribute__((always_inline)) const uint8_t *
take_vertex(const gz_line_rest *rest, const uint8_t *at, bool narrow, void *out)
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

static inline __attribute__((always_inline)) const uint8_t *
take_triangle(const gz_triangle_lines *form, const uint8_t *at, uint64_t out[3])
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

static uint64_t take_triangle_lines(const void *form, const uint8_t **at, const uint8_t *end,
                                    uint64_t most, void *items)
{
    uint64_t(*out)[3] = items;
    uint64_t count = 0;
    const uint8_t *next = *at;
    for (; count < most && next < end; ++count, *at = next) {
        next = take_triangle(form, next, out[count]);
        if (next == NULL)
            break;
    }
    return count;
}

static uint64_t take_triangle_lines_narrow(const void *form, const uint8_t **at, const uint8_t *end,
                                           uint64_t most, void *items)
{
    uint32_t(*out)[3] = items;
    uint64_t count = 0;
    const uint8_t *next = *at;
    for (; count < most && next < end; ++count, *at = next) {
        uint64_t corners[3];
        next = take_triangle(form, next, corners);
        if (next == NULL)
            break;
        for (int i = 0; i < 3; ++i)
            out[count][i] = (uint32_t)corners[i];
    }
    return count;
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

static inline const uint8_t *take_facet(const uint8_t *at, double out[9])
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
        next = take_facet(next, out[count]);
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
    .facets = take_stl_facets,
    .count_bytes = count_bytes,
};
