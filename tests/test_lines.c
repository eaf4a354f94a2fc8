// Plain lines against the careful way: the same vertices, triangles, objects, losses and sentences,
// whatever the text. And the numbers in them against gz_parse_double and gz_parse_float.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "faults.h"
#include "mesh/collect.h"
#include "mesh/number.h"
#include "mesh/read/line_takers.h"
#include "mesh/read/reader.h"
#include "reading.h"

static const graze_simd widths[] = {GRAZE_SIMD_SCALAR, GRAZE_SIMD_BASELINE, GRAZE_SIMD_AVX2,
                                    GRAZE_SIMD_AVX512};
#define WIDTHS (sizeof widths / sizeof *widths)

static graze_context *context_of(uint32_t thread_count)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = thread_count;
    return test_context(&def);
}

// Numbers.

static bool is_finite_float(const char *word)
{
    float value = 0;
    return gz_parse_float((const uint8_t *)word, &value) != NULL && isfinite(value);
}

// "a b c\n": each as the careful parsers have it, and taken at all if `plain`.
static void check_line(const gz_line_takers *takers, const char *format, const char *a,
                       const char *b, const char *c, bool plain, uint64_t seed)
{
    uint8_t text[400] = {0};
    int length = snprintf((char *)text, 300, format, a, b, c);
    const char *const words[3] = {a, b, c};
    const gz_line_rest rest = {0};
    double wide[3] = {0};
    float narrow[3] = {0};
    const uint8_t *at = text, *narrow_at = text;
    uint64_t count = takers->wide_vertices(&rest, &at, text + length, 1, wide);
    uint64_t narrow_count = takers->narrow_vertices(&rest, &narrow_at, text + length, 1, narrow);
    bool same = count == narrow_count && at == narrow_at;
    if (count == 1 && !(is_finite_float(a) && is_finite_float(b) && is_finite_float(c)))
        same = narrow_count == 0 && narrow_at == text;
    if (!same || (plain && count != 1))
        fail_msg("seed %d: \"%s\" is taken %d and %d times", (int)seed, text, (int)count,
                 (int)narrow_count);
    if (count == 0)
        assert_ptr_equal(at, text);
    else
        assert_ptr_equal(at, text + length);
    for (int k = 0; k < 3 && count != 0; ++k) {
        assert_true(isfinite(wide[k]) && (narrow_count == 0 || isfinite(narrow[k])));
        double expected = 0;
        float expected_narrow = 0;
        gz_parse_double((const uint8_t *)words[k], &expected);
        gz_parse_float((const uint8_t *)words[k], &expected_narrow);
        if (memcmp(&expected, &wide[k], sizeof expected) != 0 ||
            (narrow_count != 0 &&
             memcmp(&expected_narrow, &narrow[k], sizeof expected_narrow) != 0))
            fail_msg("seed %d: \"%s\" reads as %a and %a, not %a and %a", (int)seed, words[k],
                     wide[k], (double)narrow[k], expected, (double)expected_narrow);
    }
}

// With one blank between them, which most files have, and with more.
static void check_numbers(const gz_line_takers *takers, const char *a, const char *b, const char *c,
                          bool plain, uint64_t seed)
{
    check_line(takers, "%s %s %s\n", a, b, c, plain, seed);
    check_line(takers, "%s %s  %s\r\n", a, b, c, plain, seed);
}

static void random_digits(test_random *random, char **out, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        *(*out)++ = (char)('0' + test_next(random) % 10);
}

// Forms that files have; now and then one that no file should have.
static void random_number(test_random *random, char *out)
{
    uint64_t kind = test_next(random) % 16;
    double value = (test_unit(random) - 0.5) * 2000;
    if (kind < 3) {
        *gz_print_double(out, kind == 0 ? value : (double)(float)value) = '\0';
    } else if (kind == 3) {
        *gz_print_float(out, (float)value) = '\0';
    } else if (kind < 7) {
        static const char *const formats[] = {"%.9g", "%e", "%f"};
        snprintf(out, 60, formats[kind - 4], value);
    } else if (kind == 7) {
        static const char *const odd[] = {"nan",   "-inf",     "+1",         ".5",
                                          "-.5",   "5.",       "-",          ".",
                                          "1e",    "1-2",      "--1",        "1e400",
                                          "0x10",  "1_0",      "-0",         "0.0",
                                          "1e-5x", "16777217", "16777217.0", "9007199254740993",
                                          "-1.e3"};
        strcpy(out, odd[test_next(random) % (sizeof odd / sizeof *odd)]);
    } else { // digits of any number, with or without a point and an exponent
        if (test_next(random) % 2 == 0)
            *out++ = '-';
        random_digits(random, &out, (uint32_t)(test_next(random) % (kind < 14 ? 9 : 20)));
        if (test_next(random) % 4 != 0)
            *out++ = '.';
        random_digits(random, &out, (uint32_t)(test_next(random) % (kind < 14 ? 18 : 30)));
        if (test_next(random) % 4 == 0)
            out += snprintf(out, 10, "%c%d", "eEdD"[test_next(random) % 4],
                            (int)(test_next(random) % 700) - 350);
        *out = '\0';
    }
}

static void numbers_are_the_same(void **state)
{
    (void)state;
    test_of_one_thread();
    for (size_t w = 0; w < WIDTHS; ++w) {
        graze_context *context = test_context_of_width(widths[w]);
        if (context == NULL)
            continue;
        const gz_line_takers *takers = gz_line_takers_of(context);
        for (uint64_t seed = 1; seed <= TEST_CHANCES(60000); ++seed) {
            test_random random = {seed};
            char words[3][80];
            for (int k = 0; k < 3; ++k)
                random_number(&random, words[k]);
            check_numbers(takers, words[0], words[1], words[2], false, seed);
        }
        test_context_done(context);
    }
}

// Next to the middle between two numbers, above and below, in doubles and in floats.
static void middles_are_the_same(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = context_of(1);
    const gz_line_takers *takers = gz_line_takers_of(context);
    for (uint64_t seed = 1; seed <= TEST_CHANCES(20000); ++seed) {
        test_random random = {seed};
        uint64_t digits = (UINT64_C(1) << 53) + (test_next(&random) >> 12) * 2 + 1;
        uint32_t narrow = (1u << 24) + (uint32_t)(test_next(&random) >> 41) * 2 + 1;
        char words[3][60];
        snprintf(words[0], 60, "%llu.%llu", (unsigned long long)(digits / 100000000 % 100000000),
                 (unsigned long long)(digits % 100000000));
        snprintf(words[1], 60, "%u", narrow);
        snprintf(words[2], 60, "%u.%.*s", narrow, (int)(seed % 9), "00000001");
        check_numbers(takers, words[0], words[1], words[2], true, seed);
        // Halves of odd numbers are middles of floats, with a point.
        snprintf(words[1], 60, "%u.5", narrow / 2 - 4000000);
        check_numbers(takers, words[1], words[2], words[1], true, seed);
    }
    test_context_done(context);
}

// How many of one line, with four vertices before it.
static uint64_t take_obj_line(const gz_line_takers *takers, const char *line, uint64_t corners[3])
{
    uint8_t text[200] = {0};
    strcpy((char *)text, line);
    gz_triangle_lines form = {4, {0, false}};
    const uint8_t *at = text, *narrow_at = text;
    uint32_t narrow[3] = {0};
    uint64_t count = takers->obj_triangles(&form, &at, text + strlen(line), 1, corners);
    assert_int_equal(
        takers->narrow_obj_triangles(&form, &narrow_at, text + strlen(line), 1, narrow), count);
    assert_ptr_equal(at, narrow_at);
    assert_ptr_equal(at, text + (count != 0 ? strlen(line) : 0));
    for (int i = 0; i < 3 && count != 0; ++i)
        assert_int_equal(narrow[i], corners[i]);
    return count;
}

static void check_obj_forms(const gz_line_takers *takers)
{
    static const char *const taken[] = {"f 4 1 3\n",      "f 4 1 3 \r\n",
                                        "f\t4  1 3\n",    "f 4/7 1/0 3/12\n",
                                        "f 4//7 1// 3\n", "f 4/1/2 1/1/1 3/9/\n"};
    static const char *const left[] = {
        "f 0 1 3\n",   "f 4 0 3\n",  "f 4 1 0\n",   "f 5 1 3\n",       "f 4 1 5\n", "f 5/1 1 3\n",
        "f 0/1 1 3\n", "f -1 1 3\n", "f 4 1 3 2\n", "f 4/1/2/3 1 3\n", "f 4 1\n",   "f4 1 3\n",
        "f 4 1 3\\\n", "f 4 1 3x\n", "v 4 1 3\n",   "f 4 1 3"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; ++i) {
        uint64_t corners[3] = {0};
        if (take_obj_line(takers, taken[i], corners) != 1 || corners[0] != 3 || corners[1] != 0 ||
            corners[2] != 2)
            fail_msg("\"%s\" is not taken as it should be", taken[i]);
    }
    for (size_t i = 0; i < sizeof left / sizeof *left; ++i) {
        uint64_t corners[3] = {0};
        if (take_obj_line(takers, left[i], corners) != 0)
            fail_msg("\"%s\" is taken", left[i]);
    }
}

static void common_forms_are_taken(void **state)
{
    (void)state;
    test_of_one_thread();
    for (size_t w = 0; w < WIDTHS; ++w) {
        graze_context *context = test_context_of_width(widths[w]);
        if (context == NULL)
            continue;
        const gz_line_takers *takers = gz_line_takers_of(context);
        check_numbers(takers, "-493.5205", "0", "23.145226", true, 0);
        // Signs in the wrong place are not passed over, wherever they are.
        check_numbers(takers, "1-2", "1.5", "2.5", false, 0);
        check_numbers(takers, "1.5", "25.-125", "2.5", false, 0);
        check_numbers(takers, "1.5", "-2.5", "7.2-5", false, 0);
        check_numbers(takers, "1.5", "-2.5", "-7-5", false, 0);
        check_numbers(takers, "-17.627120971679688", "-498.06201171875", "1e-05", true, 0);
        check_numbers(takers, "1.234560e+01", "-1.234560E-01", "123456789012345678901234", true, 0);
        static const char *const facets =
            " facet normal 0 -0.5 1e3\n  outer loop\r\n   vertex 1 2 3\n  vertex 4 5 6\n"
            "vertex 7 8 9.5\nendloop\nendfacet\nfacet normal 1 1 1\nouter loop";
        uint8_t text[400] = {0};
        strcpy((char *)text, facets);
        double corners[9] = {0};
        const uint8_t *at = text;
        assert_int_equal(takers->facets(NULL, &at, text + strlen(facets), 5, corners), 1);
        for (int i = 0; i < 9; ++i)
            assert_true(corners[i] == i + 1 + (i == 8 ? 0.5 : 0));
        assert_int_equal(memcmp(at, "facet normal 1", 14), 0);
        static const char *const lines = "3 0 12345678 123456789\n3 1 2 7 \r\n3 5 4 3 1 1\n3 1 2 9";
        strcpy((char *)text, lines);
        uint64_t triangles[9] = {0};
        gz_triangle_lines form = {123456790, {0, false}};
        at = text;
        assert_int_equal(takers->triangles(&form, &at, text + strlen(lines), 3, triangles), 2);
        form.rest.anything = true;
        assert_int_equal(takers->triangles(&form, &at, text + strlen(lines), 3, triangles), 1);
        assert_int_equal(triangles[0] * 100 + triangles[1] * 10 + triangles[2], 543);
        form.vertex_count = 123456789;
        at = text;
        assert_int_equal(takers->triangles(&form, &at, text + strlen(lines), 3, triangles), 0);
        check_obj_forms(takers);
        test_context_done(context);
    }
}

// Files.

static bool same_bytes(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool same_records(const record *a, const record *b)
{
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count ||
        a->object_count != b->object_count || a->ended != b->ended ||
        !same_bytes(a->positions, b->positions, (size_t)a->vertex_count * sizeof(double[3])) ||
        !same_bytes(a->corners, b->corners, (size_t)a->triangle_count * sizeof(uint64_t[3])) ||
        memcmp(&a->losses, &b->losses, sizeof a->losses) != 0)
        return false;
    for (uint64_t i = 0; i < a->object_count; ++i)
        if (strcmp(a->objects[i].name, b->objects[i].name) != 0 ||
            a->objects[i].object.first_triangle != b->objects[i].object.first_triangle ||
            a->objects[i].object.triangle_count != b->objects[i].object.triangle_count)
            return false;
    return true;
}

typedef struct outcome {
    graze_status status;
    char sentence[2048];
    record record;
} outcome;

typedef enum way { CAREFUL, STREAM, MESH } way;

static void record_mesh(const graze_mesh *mesh, record *r)
{
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_mesh_header header = {.precision = view.precision, .encoding = ""};
    graze_mesh_losses losses = graze_mesh_get_losses(mesh);
    graze_mesh_sink sink = record_sink(r);
    assert_int_equal(sink.begin(r, &header), GRAZE_OK);
    if (view.vertex_count != 0)
        assert_int_equal(sink.vertices(r, view.positions, view.vertex_count), GRAZE_OK);
    uint64_t *corners = malloc((3 * view.triangle_count + 1) * sizeof *corners);
    assert_non_null(corners);
    for (uint64_t i = 0; i < 3 * view.triangle_count; ++i)
        corners[i] = view.corners[i];
    if (view.triangle_count != 0)
        assert_int_equal(sink.triangles(r, corners, view.triangle_count), GRAZE_OK);
    free(corners);
    for (uint64_t i = 0; i < view.object_count; ++i)
        assert_int_equal(sink.object(r, &view.objects[i]), GRAZE_OK);
    assert_int_equal(sink.end(r, &losses), GRAZE_OK);
}

// Into a mesh, as graze_mesh_read does it with a file.
static graze_status read_mesh(graze_context *context, const char *text, size_t length,
                              graze_format format, record *r)
{
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.format = format;
    gz_file file;
    gz_file_open_memory(context, "x", text, length, &file);
    graze_mesh *mesh = NULL;
    graze_mesh_sink sink;
    graze_status status = gz_mesh_collect(context, "x", length, &mesh, &sink);
    if (status == GRAZE_OK)
        status = gz_mesh_stream_file(&file, &def, &sink);
    if (status == GRAZE_OK)
        record_mesh(mesh, r);
    graze_mesh_free(mesh);
    gz_file_close(&file);
    return status;
}

static graze_status read_way(graze_context *context, const char *text, size_t length,
                             graze_format format, way how, record *r)
{
    *r = (record){0};
    gz_knobs_for(context)->careful_only = how == CAREFUL;
    return how == MESH ? read_mesh(context, text, length, format, r)
                       : record_read(context, "x", text, length, format, r);
}

static void read_text(const char *text, size_t length, graze_format format, uint32_t thread_count,
                      way how, outcome *out)
{
    graze_context *context = context_of(thread_count);
    out->status = read_way(context, text, length, format, how, &out->record);
    strcpy(out->sentence, test_last_error);
    test_context_done(context);
}

// What a failing stream has passed on before depends on batches, so only good ones are compared.
static void check_threads(const char *text, size_t length, graze_format format, const char *what,
                          uint64_t number, uint32_t least_threads)
{
    outcome careful;
    read_text(text, length, format, 1, CAREFUL, &careful);
    for (uint32_t kind = least_threads > 1 ? 2 : 0; kind < 4; ++kind) {
        uint32_t thread_count = kind < 2 ? 1 : 3;
        outcome fast;
        read_text(text, length, format, thread_count, kind % 2 == 0 ? STREAM : MESH, &fast);
        if (fast.status != careful.status || strcmp(fast.sentence, careful.sentence) != 0)
            fail_msg("%s %d, %d threads: \"%s\" (%d), but carefully \"%s\" (%d)", what, (int)number,
                     (int)thread_count, fast.sentence, (int)fast.status, careful.sentence,
                     (int)careful.status);
        if (careful.status == GRAZE_OK && !same_records(&fast.record, &careful.record))
            fail_msg("%s %d, %d threads: another mesh than carefully", what, (int)number,
                     (int)thread_count);
        record_free(&fast.record);
    }
    record_free(&careful.record);
}

static void check_text(const char *text, size_t length, graze_format format, const char *what,
                       uint64_t number)
{
    check_threads(text, length, format, what, number, TEST_THREAD_SANITIZER ? 3 : 1);
}

// Of the places where texts are cut or changed; a prime.
enum { STRIDE = TEST_THREAD_SANITIZER ? 7 : 1 };

typedef struct sample {
    const char *name;
    graze_format format;
    const char *text;
} sample;

#define PLY_START "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
static const sample samples[] = {
    {"ply", GRAZE_FORMAT_PLY,
     PLY_START "property float z\nelement face 3\nproperty list uchar int vertex_indices\n"
               "end_header\n0 0 0\n1.5 0 -2e1\n1 1 0 \r\n0 1 0\n3 0 1 2\n3 0 2 3 \n4 0 1 2 3\n"},
    {"ply with more", GRAZE_FORMAT_PLY,
     PLY_START "property double z\nproperty uchar red\nproperty uchar green\nelement face 2\n"
               "property list uchar int vertex_indices\nproperty int flags\nend_header\n"
               "0 0 0 1 2\n1 0 0 3 4\n1 1 0 #5 6\n0 1 nan 7\n 8\n3 0 1 2 7\n3 0\n2 3 9\n"},
    {"off", GRAZE_FORMAT_OFF,
     "OFF # x\n4 3 0\n0 0 0\n1 0 0 # y\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3 255 0 0\n3 1 2 3 # z\n"},
    {"coff", GRAZE_FORMAT_OFF,
     "COFF\n3 2 0\n0 0 0 1 1 1 1\n1 0 0 0 0 0 1\n1 1 0\n3 0 1 2 0.5 0.5 0.5\n3 2 1 0\n"},
    {"noff", GRAZE_FORMAT_OFF, "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n3 0 1 2\n"},
    {"noff with a comment", GRAZE_FORMAT_OFF,
     "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 # a normal\n0 0 1\n1 1 0 0 0 1\n3 0 1 2\n"},
    {"obj", GRAZE_FORMAT_OBJ,
     "o a\nv 0 0 0\nv 1.5 0 -2e1\nv 1 1 0 \r\nv\t0 1 0\n\nv 0 1 0 # five\nf 1 2 3\nf 1 3 4\n"
     "f 1/1/1 2//7 3/4 \nf -1 -2 -3\nfo 1 2 3 4\ng b\nf 1 2 \\\n5\nv 1 2 \\\n3\nf 6 1 2\n"},
    {"stl with two loops", GRAZE_FORMAT_STL,
     "solid\nfacet normal 0 outer loop outer loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
     "endloop\nendfacet\nendsolid\n"},
    {"stl", GRAZE_FORMAT_STL,
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
     "endfacet\n facet normal 0.5 nan 1\n  outer loop\n   vertex 0 0 1e0\n   vertex 1 0 1\n"
     "   vertex 0 1 1\n  endloop\n endfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 2\n"
     "vertex 1 0 2\nvertex 0 1 2\nendloop\nendfacet\nendsolid a\nsolid b\nendsolid\n"},
};
#define SAMPLES    (sizeof samples / sizeof *samples)
#define OBJ_SAMPLE (SAMPLES - 3)

static void every_truncation_is_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; ++i)
        for (size_t length = 1; length <= strlen(samples[i].text); length += STRIDE)
            check_text(samples[i].text, length, samples[i].format, samples[i].name, length);
}

static void every_changed_byte_is_the_same(void **state)
{
    (void)state;
    static const char bytes[] = "9 \n\r\t-.#e/\"o\x80";
    for (size_t i = 0; i < SAMPLES; ++i) {
        char *text = strdup(samples[i].text);
        size_t length = strlen(text);
        for (size_t place = 0; place < length; place += STRIDE) {
            text[place] = bytes[(place * 7 + i) % (sizeof bytes)]; // the zero byte, too
            check_text(text, length, samples[i].format, samples[i].name, place);
            text[place] = bytes[(place * 5 + i + 3) % (sizeof bytes)];
            check_text(text, length, samples[i].format, samples[i].name, place);
            text[place] = samples[i].text[place];
        }
        free(text);
    }
}

// Texts longer than several windows, with something odd now and then.

typedef struct text_buffer {
    char *bytes;
    size_t length;
} text_buffer;

static void add(text_buffer *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text_buffer *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->length += (size_t)vsprintf(text->bytes + text->length, format, arguments);
    va_end(arguments);
}

static const char *odd(test_random *random, uint64_t rate, const char *usual, const char *other)
{
    return rate != 0 && test_next(random) % rate == 0 ? other : usual;
}

static void add_vertex(text_buffer *text, test_random *random, uint64_t rate, const char *gap)
{
    for (int axis = 0; axis < 3; ++axis) {
        char word[80];
        random_number(random, word);
        double value = 0;
        const uint8_t *end = gz_parse_double((const uint8_t *)word, &value);
        bool good = end != NULL && *end == '\0';
        good = good && (rate != 0 || fabs(value) < 1e30); // what is not finite is odd as well
        add(text, "%s%s", odd(random, rate, " ", gap), good ? word : "0.25");
    }
}

static void add_face(text_buffer *text, test_random *random, uint64_t vertices, uint64_t rate)
{
    uint64_t corners = rate != 0 && test_next(random) % rate == 0 ? 4 : 3;
    add(text, "%llu", (unsigned long long)corners);
    for (uint64_t i = 0; i < corners; ++i)
        add(text, "%s%llu", odd(random, rate, " ", "  "),
            (unsigned long long)(test_next(random) % vertices));
}

// Numbers count from 1, backwards, or have something attached.
static void add_obj_face(text_buffer *text, test_random *random, uint64_t vertices, uint64_t rate)
{
    uint64_t corners = rate != 0 && test_next(random) % rate == 0 ? 4 : 3;
    bool attached = test_next(random) % 4 == 0;
    add(text, "f");
    for (uint64_t i = 0; i < corners; ++i) {
        long long number = 1 + (long long)(test_next(random) % vertices);
        if (rate != 0 && test_next(random) % rate == 0)
            number = -number;
        add(text, "%s%lld%s", odd(random, rate, " ", "\t \\\n"), number,
            attached ? odd(random, rate, "/12/3", "//") : "");
    }
}

#define LARGE_VERTICES 70000u
#define LARGE_FACES    70000u

static text_buffer large_obj(uint64_t seed, uint64_t rate)
{
    test_random random = {seed};
    text_buffer text = {malloc(16000000), 0};
    assert_non_null(text.bytes);
    for (uint32_t i = 0; i < LARGE_VERTICES; ++i) {
        add(&text, "v");
        add_vertex(&text, &random, rate, "\t \\\r\n");
        add(&text, "%s", odd(&random, rate, "\n", " 1 # weight\r\nvn 0 0 1\n\n"));
    }
    for (uint32_t i = 0; i < LARGE_FACES; ++i) {
        add_obj_face(&text, &random, LARGE_VERTICES, rate);
        add(&text, "%s%s", odd(&random, rate, "\n", " #\nv 1 2 3\n"),
            odd(&random, 100 * rate, "", " o next\n"));
    }
    return text;
}

static text_buffer large_text(const sample *kind, uint64_t seed, uint64_t rate)
{
    if (kind->format == GRAZE_FORMAT_OBJ)
        return large_obj(seed, rate);
    test_random random = {seed};
    text_buffer text = {malloc(16000000), 0};
    assert_non_null(text.bytes);
    if (kind->format == GRAZE_FORMAT_STL) {
        add(&text, "solid\n");
        for (uint32_t i = 0; i < LARGE_FACES / 3; ++i) {
            add(&text, "%s normal 0 0 1\n%s", odd(&random, rate, "facet", "FACET"),
                odd(&random, rate, "outer loop\n", ""));
            for (int corner = 0; corner < 3; ++corner) {
                add(&text, "vertex");
                add_vertex(&text, &random, rate, "\t \n");
                add(&text, "\n");
            }
            add(&text, "endloop\nendfacet\n%s",
                odd(&random, 8 * rate, "", "endsolid x\nsolid another\n"));
        }
        add(&text, "endsolid\n");
        return text;
    }
    // With a fourth number in vertices, faces look like more of them.
    bool fourth = kind->format == GRAZE_FORMAT_PLY && seed % 2 == 0;
    if (kind->format == GRAZE_FORMAT_OFF)
        add(&text, "OFF\n%u %u 0\n", LARGE_VERTICES, LARGE_FACES);
    else
        add(&text,
            "ply\nformat ascii 1.0\nelement vertex %u\nproperty %s x\nproperty float y\nproperty "
            "float z\n%selement face %u\nproperty list uchar int vertex_indices\nend_header\n",
            LARGE_VERTICES, seed % 2 == 0 ? "float" : "double", fourth ? "property int n\n" : "",
            LARGE_FACES);
    for (uint32_t i = 0; i < LARGE_VERTICES; ++i) {
        add_vertex(&text, &random, rate, "\t \n");
        add(&text, "%s%s", fourth ? " 7" : "", odd(&random, rate, "\n", "\r\n\n"));
    }
    for (uint32_t i = 0; i < LARGE_FACES; ++i) {
        add_face(&text, &random, LARGE_VERTICES, rate);
        add(&text, "%s", odd(&random, rate, "\n", " \n\n"));
    }
    return text;
}

static void large_files_are_the_same(void **state)
{
    (void)state;
    static const size_t kinds[] = {0, 2, OBJ_SAMPLE, SAMPLES - 1};
    static const uint64_t rates[] = {400, 3, 30000, 0};
    const size_t rate_count = TEST_SANITIZED ? 1 : 4;
    for (size_t k = 0; k < 4; k += TEST_THREAD_SANITIZER ? 2 : 1)
        for (size_t r = 0; r < rate_count; ++r) {
            const sample *kind = &samples[kinds[k]];
            uint64_t seed = 10 * k + r + 2;
            text_buffer text = large_text(kind, seed, rates[r]);
            assert_true(text.length > 3000000);
            check_text(text.bytes, text.length, kind->format, kind->name, seed);
            // Broken somewhere behind the first windows.
            test_random random = {seed};
            size_t place = text.length / 2 + (size_t)(test_next(&random) % (text.length / 3));
            text.bytes[place] = '?';
            check_threads(text.bytes, text.length, kind->format, kind->name, seed, 3);
            check_threads(text.bytes, place, kind->format, kind->name, seed, 3);
            free(text.bytes);
        }
}

// Nobody would notice by the result if plain lines were read carefully again, only by the time.
static void regular_files_are_taken_as_plain(void **state)
{
    (void)state;
    static const size_t kinds[] = {0, 2, OBJ_SAMPLE, SAMPLES - 1};
    for (size_t k = 0; k < 4; ++k)
        for (uint32_t thread_count = TEST_SANITIZED ? 2 : 1; thread_count <= 2; ++thread_count)
            for (way how = STREAM; how <= MESH; ++how) {
                const sample *kind = &samples[kinds[k]];
                text_buffer text = large_text(kind, k + 1, 0);
                graze_context *context = context_of(thread_count);
                uint64_t items = LARGE_VERTICES + LARGE_FACES;
                if (kind->format == GRAZE_FORMAT_STL)
                    items = LARGE_FACES / 3;
                record r;
                assert_int_equal(read_way(context, text.bytes, text.length, kind->format, how, &r),
                                 GRAZE_OK);
                record_free(&r);
                uint64_t plain = atomic_load(&gz_knobs_for(context)->plain_items);
                if (plain > items || plain + 10 < items)
                    fail_msg("%s, %d threads: %d of %d items came as plain lines", kind->name,
                             (int)thread_count, (int)plain, (int)items);
                test_context_done(context);
                free(text.bytes);
            }
}

// Binary STL: some windows of triangles, of which now and then one is not finite.
static void binary_items_are_the_same(void **state)
{
    (void)state;
    enum { COUNT = 60000, BYTES = 84 + 50 * COUNT };
    static const uint64_t rates[] = {0, 20000, 500, 3};
    uint8_t *bytes = malloc(BYTES);
    assert_non_null(bytes);
    for (size_t r = 0; r < 4; ++r) {
        test_random random = {r + 1};
        memset(bytes, 0, BYTES);
        bytes[80] = COUNT & 255;
        bytes[81] = COUNT >> 8;
        for (uint64_t i = 0; i < 12 * (uint64_t)COUNT; ++i) {
            float value = (float)test_unit(&random);
            if (rates[r] != 0 && test_next(&random) % (12 * rates[r]) == 0)
                value = i % 2 == 0 ? NAN : -INFINITY;
            memcpy(bytes + 84 + i / 12 * 50 + i % 12 * 4, &value, sizeof value);
        }
        const char *text = (const char *)bytes;
        check_text(text, BYTES, GRAZE_FORMAT_STL, "binary stl", r);
        check_threads(text, BYTES - 49, GRAZE_FORMAT_STL, "cut binary stl", r, 3);
        graze_context *context = context_of(2);
        record mesh;
        assert_int_equal(read_way(context, text, BYTES, GRAZE_FORMAT_STL, MESH, &mesh), GRAZE_OK);
        record_free(&mesh);
        if (rates[r] == 0)
            assert_int_equal(atomic_load(&gz_knobs_for(context)->plain_items), COUNT);
        test_context_done(context);
    }
    free(bytes);
}

// Every allocation and every read fails once, with all threads at work.
static graze_status read_once(graze_context *context, way how, const text_buffer *text)
{
    record r = {0};
    graze_status status = read_way(context, text->bytes, text->length, GRAZE_FORMAT_PLY, how, &r);
    if (status == GRAZE_OK)
        assert_int_equal(r.vertex_count, LARGE_VERTICES);
    record_free(&r);
    return status;
}

static graze_status stream_once(graze_context *context, void *data)
{
    return read_once(context, STREAM, data);
}

static graze_status mesh_once(graze_context *context, void *data)
{
    return read_once(context, MESH, data);
}

static void faults_leave_nothing(void **state)
{
    (void)state;
    text_buffer text = large_text(&samples[0], 2, 30000);
    uint64_t step = TEST_THREAD_SANITIZER ? 4 : 1;
    assert_true(test_all_faults(stream_once, &text, step) >= 8);
    assert_true(test_all_faults(mesh_once, &text, step) >= 8);
    free(text.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_the_same),
        cmocka_unit_test(middles_are_the_same),
        cmocka_unit_test(common_forms_are_taken),
        cmocka_unit_test(every_truncation_is_the_same),
        cmocka_unit_test(every_changed_byte_is_the_same),
        cmocka_unit_test(large_files_are_the_same),
        cmocka_unit_test(regular_files_are_taken_as_plain),
        cmocka_unit_test(binary_items_are_the_same),
        cmocka_unit_test(faults_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
