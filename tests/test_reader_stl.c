// STL as it is met: binary and ASCII, tidy and not, and what is broken in a clear sentence.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "reading.h"

static test_input stl(const void *bytes, uint64_t byte_count)
{
    return (test_input){"x.stl", GRAZE_FORMAT_STL, bytes, byte_count};
}

static void read_stl(const void *bytes, uint64_t byte_count, record *out)
{
    test_input input = stl(bytes, byte_count);
    read_good(&input, out);
    assert_int_equal(out->vertex_count, 3 * out->triangle_count);
}

static void check_bad(const void *bytes, uint64_t byte_count, const char *sentence)
{
    test_input input = stl(bytes, byte_count);
    check_refused(&input, sentence);
}

static void check_bad_text(const char *text, const char *sentence)
{
    check_bad(text, strlen(text), sentence);
}

// A binary file of `triangles` triangles whose header promises `count`, with `more` bytes behind.
typedef struct binary_file {
    uint8_t bytes[84 + 50 * 40 + 100];
    uint64_t byte_count;
} binary_file;

static float coordinate(uint32_t triangle, uint32_t i)
{
    return (float)triangle + 0.1f * (float)(i + 1);
}

static binary_file make_binary(const char *header, uint32_t triangles, uint32_t count,
                               uint32_t more)
{
    binary_file file = {.byte_count = 84 + 50 * (uint64_t)triangles + more};
    assert_true(file.byte_count <= sizeof file.bytes);
    memcpy(file.bytes, header, strlen(header));
    memcpy(file.bytes + 80, &count, 4);
    for (uint32_t t = 0; t < triangles; ++t)
        for (uint32_t i = 0; i < 9; ++i) {
            float value = coordinate(t, i);
            memcpy(file.bytes + 84 + 50 * t + 12 + 4 * i, &value, 4);
        }
    return file;
}

static void check_triangles(const record *data, uint32_t triangles)
{
    assert_int_equal(data->triangle_count, triangles);
    for (uint32_t t = 0; t < triangles; ++t)
        for (uint32_t i = 0; i < 9; ++i)
            assert_true(record_corner(data, t, i / 3)[i % 3] == (double)coordinate(t, i));
}

static void binary_is_read(void **state)
{
    (void)state;
    for (uint32_t triangles = 0; triangles <= 40; ++triangles) {
        binary_file file = make_binary("  made by hand  ", triangles, triangles, 0);
        record data = {0};
        read_stl(file.bytes, file.byte_count, &data);
        check_triangles(&data, triangles);
        assert_int_equal(data.header.precision, GRAZE_FLOAT32);
        assert_string_equal(data.encoding, "binary little-endian");
        assert_int_equal(data.header.triangle_count_hint, triangles);
        assert_int_equal(data.object_count, 1);
        assert_string_equal(data.objects[0].name, "made by hand");
        assert_int_equal(data.objects[0].object.triangle_count, triangles);
        assert_string_equal(test_warnings,
                            triangles == 0 ? "x.stl: the mesh is empty: no vertices, no triangles\n"
                                           : "");
        record_free(&data);
    }
}

// Headers and the names they give.
static void binary_headers_name_the_object(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"solid", "solid"},
        {"solid model", "model"},
        {"SOLID  model ", "model"},
        {"solidarity", "solidarity"},
        {"COLOR=\x01\x02\x03\xff", ""},
        {"tab\there", ""},
        {"\xef\xbb\xbf mark", "\xef\xbb\xbf mark"},
        {"Geh\xe4use", "Geh\xc3\xa4use"}, // Latin-1
        {"Geh\xc3\xa4use", "Geh\xc3\xa4use"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "12345678901234567890123456789012345678901234567890123456789012345678901234567890"},
        {"solid x\nfacet normal 0 0 0", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        binary_file file = make_binary(cases[i][0], 2, 2, 0);
        record data = {0};
        read_stl(file.bytes, file.byte_count, &data);
        check_triangles(&data, 2);
        assert_string_equal(data.objects[0].name, cases[i][1]);
        record_free(&data);
    }
}

// Where the size says nothing, zeros and words tell text from binary.
static void text_is_told_from_binary(void **state)
{
    (void)state;
    record data = {0};
    binary_file file = make_binary("solid x\nfacet normal 0 0 0", 2, 2, 5);
    read_stl(file.bytes, file.byte_count, &data);
    check_triangles(&data, 2);
    assert_int_equal(data.header.precision, GRAZE_FLOAT32);
    record_free(&data);
    static const char marked[] = "solid a\x01z and a name that makes the header longer than 84 "
                                 "bytes, as binary files have it\n"
                                 "facet vertex 1 2 3 vertex 4 5 6 vertex 7 8 9 endsolid\x1a";
    read_stl(marked, sizeof marked - 2, &data);
    assert_int_equal(data.header.precision, GRAZE_FLOAT64);
    assert_int_equal(data.triangle_count, 1);
    record_free(&data);
    check_bad_text("solid with a name that makes the header longer than 84 bytes, as binary files "
                   "have it\nbut then it goes on like no STL at all\n",
                   "x.stl: byte 86: expected \"facet\" or \"endsolid\", found \"but\"");
}

static void wrong_counts_are_noticed(void **state)
{
    (void)state;
    record data = {0};
    binary_file file = make_binary("", 5, 7, 0);
    check_bad(file.bytes, file.byte_count,
              "x.stl: byte 80: the header gives the number of triangles as 7, but the file ends at "
              "byte 334, after 5");
    file = make_binary("", 5, 5, 0);
    check_bad(file.bytes, file.byte_count - 1,
              "x.stl: byte 80: the header gives the number of triangles as 5, but the file ends at "
              "byte 333, after 4");
    file = make_binary("", 5, UINT32_MAX, 0);
    check_bad(file.bytes, file.byte_count,
              "x.stl: byte 80: the header gives the number of triangles as 4294967295, but the "
              "file ends at byte 334, after 5");
    file = make_binary("", 5, 3, 0);
    read_stl(file.bytes, file.byte_count, &data);
    check_triangles(&data, 3);
    assert_int_equal(test_warning_count, 1);
    assert_string_equal(test_last_warning, "x.stl: byte 234: after the triangles that the header "
                                           "counts (3), more bytes follow; they are left out");
    record_free(&data);
    file = make_binary("", 5, 5, 1);
    read_stl(file.bytes, file.byte_count, &data);
    check_triangles(&data, 5);
    assert_int_equal(test_warning_count, 1);
    record_free(&data);

    file = make_binary("", 5, 0, 0);
    read_stl(file.bytes, file.byte_count, &data);
    check_triangles(&data, 5);
    assert_string_equal(test_last_warning,
                        "x.stl: byte 80: the header gives the number of triangles as 0, but the "
                        "file has room for exactly 5, which are read");
    assert_int_equal(test_warning_count, 1);
    record_free(&data);
    file = make_binary("", 5, 0, 7);
    read_stl(file.bytes, file.byte_count, &data);
    check_triangles(&data, 0);
    assert_string_equal(test_warnings,
                        "x.stl: byte 84: after the triangles that the header counts (0), more "
                        "bytes follow; they are left out\n"
                        "x.stl: the mesh is empty: no vertices, no triangles\n");
    record_free(&data);
}

// Cut anywhere, a file is refused, except where what is left is whole.
static void truncation_is_noticed_everywhere(void **state)
{
    (void)state;
    static const char text[] =
        "solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 "
        "0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a b\n";
    binary_file file = make_binary("binary", 3, 3, 0);
    for (uint64_t length = 0; length < file.byte_count; ++length) {
        graze_context *context = counting_context();
        record out = {0};
        assert_int_equal(record_read(context, "x.stl", file.bytes, length, GRAZE_FORMAT_STL, &out),
                         GRAZE_ERROR_FORMAT);
        assert_non_null(strstr(test_last_error, "x.stl: byte "));
        record_free(&out);
        test_context_done(context);
    }
    size_t whole = (size_t)(strstr(text, "endsolid") + strlen("endsolid") - text);
    for (size_t length = 0; length < sizeof text; ++length) {
        graze_context *context = counting_context();
        record out = {0};
        graze_status status = record_read(context, "x.stl", text, length, GRAZE_FORMAT_STL, &out);
        assert_int_equal(status, length < whole ? GRAZE_ERROR_FORMAT : GRAZE_OK);
        if (status != GRAZE_OK)
            assert_non_null(strstr(test_last_error, "x.stl: byte "));
        record_free(&out);
        test_context_done(context);
    }
}

static void ascii_is_read(void **state)
{
    (void)state;
    static const char text[] =
        "\xef\xbb\xbf\n solid  left half \r\n"
        "  facet normal 0 0 1\r\n    outer loop\r\n      vertex 0 0 0\r\n"
        "      vertex 1e0 0.0 -0\r\n      vertex 1. .1 +2.5E-1\r\n    endloop\r\n  endfacet\r\n"
        "endsolid left half\r\n"
        "SOLID\n"
        "FACET NORMAL nan nan nan OUTER LOOP VERTEX 1 2 3 VERTEX 4 5 6 VERTEX 7 8 9 ENDLOOP "
        "ENDFACET\n"
        "Facet\nvertex 0.1 1d2 123456789012345678901234567890 vertex\v4\f5\t6\rvertex 7 8 "
        "1.7976931348623157e308 facet normal 0 0\nouter loop vertex 0 0 0 vertex 1 1 1 vertex 2 2 "
        "2 endfacet endsolid whatever it is called\n"
        "solid empty\nendsolid\n"
        "solid one line facet normal 0 0 0 outer loop vertex 1 1 1 vertex 2 2 2 vertex 3 3 4 "
        "endloop endfacet endsolid";
    record data = {0};
    read_stl(text, sizeof text - 1, &data);
    assert_int_equal(test_warning_count, 0);
    assert_int_equal(data.header.precision, GRAZE_FLOAT64);
    assert_string_equal(data.encoding, "ASCII");
    assert_int_equal(data.triangle_count, 5);
    assert_int_equal(data.object_count, 3); // the empty one vanishes
    assert_string_equal(data.objects[0].name, "left half");
    assert_string_equal(data.objects[1].name, "");
    assert_string_equal(data.objects[2].name, "one line");
    assert_int_equal(data.objects[1].object.triangle_count, 3);
    static const double expected[5][9] = {
        {0, 0, 0, 1, 0, 0, 1, 0.1, 0.25},
        {1, 2, 3, 4, 5, 6, 7, 8, 9},
        {0.1, 100, 123456789012345678901234567890.0, 4, 5, 6, 7, 8, 1.7976931348623157e308},
        {0, 0, 0, 1, 1, 1, 2, 2, 2},
        {1, 1, 1, 2, 2, 2, 3, 3, 4},
    };
    for (uint64_t t = 0; t < 5; ++t)
        for (uint32_t i = 0; i < 9; ++i)
            assert_true(record_corner(&data, t, i / 3)[i % 3] == expected[t][i]);
    record_free(&data);
}

static void nonfinite_triangles_are_dropped(void **state)
{
    (void)state;
    static const char text[] =
        "solid\nfacet normal 0 0 0 vertex 0 0 0 vertex inf 0 0 vertex 1 1 1\n"
        "facet normal 0 0 0 vertex 0 0 0 vertex 1e999 0 nan vertex 1 1 1\n"
        "facet normal 0 0 0 vertex 0 0 0 vertex 2 0 0 vertex 1 1 1\n"
        "endsolid";
    graze_context *context = counting_context();
    record data = {0};
    assert_int_equal(record_read(context, "x.stl", text, sizeof text - 1, GRAZE_FORMAT_STL, &data),
                     GRAZE_OK);
    assert_int_equal(data.triangle_count, 1);
    assert_int_equal(data.losses.nonfinite_vertices, 2);
    assert_int_equal(data.losses.nonfinite_triangles, 2);
    record_free(&data);
    test_context_done(context);
}

static void nonsense_gets_a_sentence(void **state)
{
    (void)state;
    check_bad_text("x", "x.stl: byte 0: expected \"solid\", found \"x\"");
    check_bad_text("solidity\nfacet normal",
                   "x.stl: byte 0: expected \"solid\", found \"solidity\"");
    check_bad_text(" \n ", "x.stl: byte 3: expected \"solid\", but the file ends here");
    check_bad_text("\x01x", "x.stl: byte 2: the file ends here, but binary STL takes at least 84 "
                            "bytes");
    check_bad_text("solid x\nvertex 1 2 3\n",
                   "x.stl: byte 8: expected \"facet\" or \"endsolid\", found \"vertex\"");
    check_bad_text("solid x\n", "x.stl: byte 8: expected \"facet\" or \"endsolid\", but the file "
                                "ends here");
    check_bad_text("solid x\nendsolid x\ngarbage",
                   "x.stl: byte 19: expected \"solid\" or the end of the file, found \"garbage\"");
    check_bad_text("solid x\nfacet normal 0 0 1\nendfacet\n",
                   "x.stl: byte 27: expected \"outer loop\", found \"endfacet\"");
    check_bad_text("solid x\nfacet normal 0 0 1 1 1 1 1 1 1 1 1 outer loop",
                   "x.stl: byte 35: expected \"outer loop\", found \"1\"");
    check_bad_text("solid x\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 endloop",
                   "x.stl: byte 64: expected \"vertex\": a facet has three of them, found "
                   "\"endloop\"");
    check_bad_text("solid x\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 "
                   "vertex 0 1 0 endloop",
                   "x.stl: byte 77: expected \"facet\" or \"endsolid\", found \"vertex\"");
    check_bad_text("solid x\nfacet normal 0 0 1 outer loop vertex 0 zero 0",
                   "x.stl: byte 47: expected a number, found \"zero\"");
    check_bad_text("solid x\nfacet normal 0 0 1 outer loop vertex 0 1,5 0",
                   "x.stl: byte 47: expected a number, found \"1,5\"");
    check_bad_text("solid x\nfacet normal 0 0 1 outer loop vertex 0 1",
                   "x.stl: byte 48: expected a number, but the file ends here");
    check_bad_text("solid x\nfacet normal 0 0 1 outer loop vertex 0 \x01\xff 0",
                   "x.stl: byte 47: expected a number, found \"??\"");
    char text[8192];
    snprintf(text, sizeof text, "solid %05000d\nendsolid", 1);
    check_bad_text(text, "x.stl: byte 4102: a name is longer than 4096 bytes");
    snprintf(text, sizeof text, "solid\nfacet vertex 0 %0100dx 0", 1);
    check_bad_text(text, "x.stl: byte 21: expected a number, found "
                         "\"0000000000000000000000000000000000000000...\"");
}

// A number of any length is a number, wherever the window ends.
static void long_tokens_cross_windows(void **state)
{
    (void)state;
    static const char start[] = "solid x\nfacet normal 0 0 1 outer loop vertex ";
    static const char end[] = " 2 3 vertex 4 5 6 vertex 7 8 9 endloop endfacet endsolid x";
    size_t size = 900000;
    char *text = malloc(size + sizeof start + sizeof end);
    assert_non_null(text);
    for (size_t pad = 0; pad < 2; ++pad) { // blanks, then digits
        size_t at = sizeof start - 1;
        memcpy(text, start, at);
        memset(text + at, pad == 0 ? ' ' : '0', size);
        at += size;
        text[at - 1] = '5';
        memcpy(text + at, end, sizeof end - 1);
        at += sizeof end - 1;
        record data = {0};
        read_stl(text, at, &data);
        assert_int_equal(data.triangle_count, 1);
        assert_true(record_corner(&data, 0, 0)[0] == 5);
        record_free(&data);
    }
    free(text);
    // Longer than the window is too long.
    static const size_t digits = 3000000;
    text = malloc(digits + sizeof start + 1);
    assert_non_null(text);
    memcpy(text, start, sizeof start - 1);
    memset(text + sizeof start - 1, '1', digits);
    check_bad(text, sizeof start - 1 + digits,
              "x.stl: byte 45: expected a number, found "
              "\"1111111111111111111111111111111111111111...\"");
    free(text);
}

// Many triangles with a step of every size over the ends of the windows.
static char *make_long_text(uint32_t triangles, size_t *length)
{
    char *text = malloc((size_t)triangles * 320 + 100);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "solid long\n");
    for (uint32_t t = 0; t < triangles; ++t) {
        at += (size_t)sprintf(text + at, "facet normal 0 0 1\n%*souter loop\n", (int)(t % 37), "");
        for (uint32_t i = 0; i < 3; ++i)
            at += (size_t)sprintf(text + at, "  vertex %u.5 -%u %ue-3\n", t, i, t * 3 + i);
        at += (size_t)sprintf(text + at, "endloop\nendfacet\n");
    }
    at += (size_t)sprintf(text + at, "endsolid long\n");
    *length = at;
    return text;
}

static void windows_do_not_show(void **state)
{
    (void)state;
    const uint32_t triangles = 20000;
    size_t length = 0;
    char *text = make_long_text(triangles, &length);
    assert_true(length > (1u << 21));
    record data = {0};
    read_stl(text, length, &data);
    assert_int_equal(data.triangle_count, triangles);
    for (uint32_t t = 0; t < triangles; ++t)
        for (uint32_t i = 0; i < 3; ++i) {
            const double *corner = record_corner(&data, t, i);
            assert_true(corner[0] == t + 0.5 && corner[1] == -(double)i);
            assert_true(corner[2] == (double)(t * 3 + i) / 1000);
        }
    record_free(&data);
    free(text);
}

static void every_failure_leaves_nothing(void **state)
{
    (void)state;
    size_t length = 0;
    char *text = make_long_text(9000, &length);
    binary_file file = make_binary("binary", 40, 40, 0);
    check_faults(&(test_input){"x.stl", GRAZE_FORMAT_STL, text, length}, 8);
    check_faults(&(test_input){"x.stl", GRAZE_FORMAT_STL, file.bytes, file.byte_count}, 3);
    free(text);
}

static void broken_files_are_refused(void **state)
{
    (void)state;
    check_corpus(TEST_CORPUS "/stl", GRAZE_FORMAT_STL, 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_is_read),
        cmocka_unit_test(binary_headers_name_the_object),
        cmocka_unit_test(text_is_told_from_binary),
        cmocka_unit_test(wrong_counts_are_noticed),
        cmocka_unit_test(truncation_is_noticed_everywhere),
        cmocka_unit_test(ascii_is_read),
        cmocka_unit_test(nonfinite_triangles_are_dropped),
        cmocka_unit_test(nonsense_gets_a_sentence),
        cmocka_unit_test(long_tokens_cross_windows),
        cmocka_unit_test(windows_do_not_show),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(every_failure_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
