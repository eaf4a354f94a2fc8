// OBJ as it is met, and what is broken in a clear sentence.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "reading.h"

static test_input obj(const void *bytes, uint64_t byte_count)
{
    return (test_input){"x.obj", GRAZE_FORMAT_OBJ, bytes, byte_count};
}

static void read_obj(const char *text, uint64_t byte_count, record *out)
{
    test_input input = obj(text, byte_count);
    read_good(&input, out);
    assert_int_equal(out->header.precision, GRAZE_FLOAT64);
    assert_string_equal(out->encoding, "ASCII");
}

static void check_bad(const char *text, uint64_t byte_count, const char *sentence)
{
    test_input input = obj(text, byte_count);
    check_refused(&input, sentence);
}

static void check_bad_text(const char *text, const char *sentence)
{
    check_bad(text, strlen(text), sentence);
}

// Reads the text and compares the corners of all triangles, counted from 1.
static void check_triangles(const char *text, uint64_t triangle_count, const uint64_t *corners,
                            record *out)
{
    read_obj(text, strlen(text), out);
    assert_int_equal(out->triangle_count, triangle_count);
    for (uint64_t i = 0; i < 3 * triangle_count; ++i)
        assert_int_equal(out->corners[i] + 1, corners[i]);
}

#define END           "# end of file\n" // without it there is a warning
#define FOUR_VERTICES "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void vertices_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "\xef\xbb\xbf# comment\n"
        "v 1 2 3\r\n"
        "  v\t0.1 \t-2.5e-1  1d2 \n"
        "v 1. .5 +7 2.0 # weight\n"
        "v 1 2 3 0.5 0.5 0.5\r"
        "v 1 2 \\\n 4\\\r\n\n"
        "v \\\n\\\n1 2 5#tight\n"
        "v 123456789012345678901234567890 5e-324 1.7976931348623157e308\n" END;
    static const double expected[7][3] = {
        {1, 2, 3},
        {0.1, -0.25, 100},
        {1, 0.5, 7},
        {1, 2, 3},
        {1, 2, 4},
        {1, 2, 5},
        {123456789012345678901234567890.0, 5e-324, 1.7976931348623157e308},
    };
    record data = {0};
    read_obj(text, sizeof text - 1, &data);
    assert_int_equal(data.vertex_count, 7);
    assert_memory_equal(data.positions, expected, sizeof expected);
    assert_string_equal(test_warnings,
                        "x.obj: there are no triangles: this is a cloud of 7 points\n");
    record_free(&data);
}

static void faces_are_read(void **state)
{
    (void)state;
    record data = {0};
    check_triangles(FOUR_VERTICES
                    "f 1 2 3\nf 1/1 2/2 3/3\nf 1//1 2//2 3//3\nf 1/1/1 2/2/2 3/3/3\n"
                    "f -4 -3 -2\nf -1/-1/-1 -2//-1 -3/-2\nf 1/ 2/ 3/\nf +1 +2 +3#\n"
                    "fo 2 3 4\nf 00000000000000000000001 2 3\nf 1 \\\n2 \\\r\n3\nf 2 3\\\n 4\n" END,
                    12, (uint64_t[]){1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 3, 2,
                                     1, 2, 3, 1, 2, 3, 2, 3, 4, 1, 2, 3, 1, 2, 3, 2, 3, 4},
                    &data);
    assert_int_equal(test_warning_count, 0);
    record_free(&data);
    // Negative numbers count from where the face stands.
    check_triangles("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -3 -2 -1\n", 2,
                    (uint64_t[]){1, 2, 3, 2, 3, 4}, &data);
    record_free(&data);
    // Faces may come before their vertices.
    check_triangles("f 1 2 3\nf 2 3 4\n" FOUR_VERTICES "f 1 2 4\n", 3,
                    (uint64_t[]){1, 2, 3, 2, 3, 4, 1, 2, 4}, &data);
    record_free(&data);
}

static void polygons_are_cut(void **state)
{
    (void)state;
    record data = {0};
    check_triangles(FOUR_VERTICES "f 1 2 3\nf 1 2 3 4\nf 2 3 4\n", 4,
                    (uint64_t[]){1, 2, 3, 1, 2, 3, 1, 3, 4, 2, 3, 4}, &data);
    assert_int_equal(data.losses.polygons, 1);
    record_free(&data);
    check_triangles(FOUR_VERTICES "f\nf 1\nf 1 2\nf 1 2 3\n", 1, (uint64_t[]){1, 2, 3}, &data);
    assert_int_equal(data.losses.empty_polygons, 3);
    record_free(&data);
}

static void other_statements_are_passed_over(void **state)
{
    (void)state;
    record data = {0};
    check_triangles("mtllib a.mtl b.mtl\nvt 0 0\nvt 0.5 \\\n0.5\nvn 0 0 1\nvp 0 0\n" FOUR_VERTICES
                    "usemtl red\ns off\ns 1\nl 1 2\np 1\nl 1 2 \\\n3 4\ncstype bezier\ndeg 3 3\n"
                    "curv 0 1 1 2 3 4\nsurf 0 1 0 1 1 2 3 4\nparm u 0 1\nend\n"
                    "# f 1 2 3 \\\nf 1 2 3\n#\n##\n\n \t \n" END,
                    1, (uint64_t[]){1, 2, 3}, &data);
    assert_int_equal(data.losses.other_primitives, 5);
    assert_string_equal(test_warnings, "x.obj: left out: 5 points and lines\n");
    record_free(&data);
    check_triangles(FOUR_VERTICES "bogus 1 2\nf 1 2 3\nbogus\nstrange \\\n" END, 1,
                    (uint64_t[]){1, 2, 3}, &data);
    assert_int_equal(test_warning_count, 1);
    assert_string_equal(test_last_warning,
                        "x.obj: byte 32: passing over the unknown statement \"bogus\"");
    record_free(&data);
    check_triangles("call other.obj 1 2\n" FOUR_VERTICES "f 1 2 3\n" END, 1, (uint64_t[]){1, 2, 3},
                    &data);
    assert_int_equal(test_warning_count, 1);
    assert_string_equal(test_last_warning, "x.obj: byte 0: other files are not read by \"call\"");
    record_free(&data);
}

static void check_objects(const char *text, uint64_t count, const char *const (*names)[2])
{
    record data = {0};
    read_obj(text, strlen(text), &data);
    assert_int_equal(data.object_count, count);
    uint64_t next = 0;
    for (uint64_t i = 0; i < count; ++i) {
        assert_string_equal(data.objects[i].name, names[i][0]);
        assert_string_equal(data.objects[i].group, names[i][1]);
        assert_int_equal(data.objects[i].object.first_triangle, next);
        next += data.objects[i].object.triangle_count;
    }
    assert_int_equal(next, data.triangle_count);
    record_free(&data);
}

static void objects_and_groups_are_kept(void **state)
{
    (void)state;
    check_objects(FOUR_VERTICES "f 1 2 3\nf 2 3 4\n", 1, (const char *const[][2]){{"", ""}});
    check_objects(FOUR_VERTICES, 1, (const char *const[][2]){{"", ""}});
    check_objects("o  a  b \n" FOUR_VERTICES
                  "f 1 2 3\no c#1\r\nf 2 3 4\nf 1 2 3\no empty\no\nf 1 3 "
                  "4\n",
                  3, (const char *const[][2]){{"a  b", ""}, {"c#1", ""}, {"", ""}});
    check_objects(FOUR_VERTICES "f 1 2 3\ng x y\nf 2 3 4\ng x y\nf 2 3 4\ng\nf 1 2 3\n", 4,
                  (const char *const[][2]){{"", ""}, {"x y", ""}, {"x y", ""}, {"", ""}});
    check_objects(FOUR_VERTICES
                  "g early\nf 1 2 3\no house\nf 1 2 3\ng door\nf 2 3 4\ng \\\n win\\\n"
                  "dow\nf 1 2 3\no tree\ng leaf\nf 1 2 4\n",
                  5,
                  (const char *const[][2]){{"early", ""},
                                           {"house", ""},
                                           {"door", "house"},
                                           {"win dow", "house"},
                                           {"leaf", "tree"}});
    check_objects("o Geh\xe4use\n" FOUR_VERTICES "f 1 2 3\n", 1,
                  (const char *const[][2]){{"Geh\xc3\xa4use", ""}});
}

static void nonfinite_triangles_are_dropped(void **state)
{
    (void)state;
    record data = {0};
    check_triangles(FOUR_VERTICES "v nan 0 0\nv 0 -inf 1e400\nf 1 2 5\nf 6 1 2\nf 1 2 3\n", 1,
                    (uint64_t[]){1, 2, 3}, &data);
    assert_int_equal(data.losses.nonfinite_vertices, 2);
    assert_int_equal(data.losses.nonfinite_triangles, 2);
    record_free(&data);
}

static void nonsense_gets_a_sentence(void **state)
{
    (void)state;
    check_bad_text("v 1 2\n", "x.obj: byte 5: a vertex has three coordinates, but this one has "
                              "only 2");
    check_bad_text("v", "x.obj: byte 1: a vertex has three coordinates, but this one has only 0");
    check_bad_text("v 1 2 # 3\n", "x.obj: byte 6: a vertex has three coordinates, but this one has "
                                  "only 2");
    check_bad_text("v 1 two 3\n", "x.obj: byte 4: expected a number, found \"two\"");
    check_bad_text("v 1,0 2,0 3,0\n", "x.obj: byte 2: expected a number, found \"1,0\"");
    check_bad("v 1 \0002 3\n", 9, "x.obj: byte 4: expected a number, found \"?2\"");
    check_bad_text(FOUR_VERTICES "f 0 1 2\n",
                   "x.obj: byte 34: vertex numbers start at 1, not at 0");
    check_bad_text(FOUR_VERTICES "f 1 2 -5\n", "x.obj: byte 38: vertex -5 counts back before the "
                                               "first: only 4 came before");
    check_bad_text("f -9223372036854775808 1 2\n",
                   "x.obj: byte 2: vertex -9223372036854775808 counts back before the first: only "
                   "0 came before");
    check_bad_text("f 99999999999999999999 1 2\n",
                   "x.obj: byte 2: expected a corner of a face, such as 3 or 3/1/2, found "
                   "\"99999999999999999999\"");
    check_bad_text(FOUR_VERTICES "f 1 2 x\n",
                   "x.obj: byte 38: expected a corner of a face, such as "
                   "3 or 3/1/2, found \"x\"");
    check_bad_text(FOUR_VERTICES "f 1 2 3/a\n", "x.obj: byte 38: expected a corner of a face, such "
                                                "as 3 or 3/1/2, found \"3/a\"");
    check_bad_text(FOUR_VERTICES "f 1 2 3/1/1/1\n",
                   "x.obj: byte 38: expected a corner of a face, such as 3 or 3/1/2, found "
                   "\"3/1/1/1\"");
    check_bad_text(FOUR_VERTICES "f 1 2 3.5\n", "x.obj: byte 38: expected a corner of a face, such "
                                                "as 3 or 3/1/2, found \"3.5\"");
    check_bad_text("\x01\x02\x03", "x.obj: byte 0: expected an OBJ statement, found \"?\"");
    check_bad("v 1 2 3\n\0\0", 10, "x.obj: byte 8: expected an OBJ statement, found \"?\"");
    check_bad("\xfe\xff\0v\0 ", 6,
              "x.obj: byte 0: the text is UTF-16; only UTF-8 and ASCII are read");
    check_bad_text("dear reader\nthis is a letter\n",
                   "x.obj: byte 29: the file ends here without a single OBJ statement");
    char text[8192];
    snprintf(text, sizeof text, "o %05000d\n", 1);
    check_bad_text(text, "x.obj: byte 4098: a name is longer than 4096 bytes");
}

// A face whose vertex never comes is told with its own place, not with that of its batch.
static void missing_vertices_are_told(void **state)
{
    (void)state;
    graze_context *context = counting_context();
    record data = {0};
    static const char text[] = FOUR_VERTICES "f 1 2 3\nf 1 2 3\nf 1 2 5\n";
    assert_int_equal(record_read(context, "x.obj", text, sizeof text - 1, GRAZE_FORMAT_OBJ, &data),
                     GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "x.obj: byte 48: triangle names vertex 5, but"));
    record_free(&data);
    test_context_done(context);
}

// A text of a few windows with every kind of line break and long lines, cut at every sort of place.
static char *make_long_text(uint32_t count, size_t *length)
{
    char *text = malloc((size_t)count * 160 + 3000000);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "# ");
    memset(text + at, '#', 1500000); // a comment longer than the window
    at += 1500000;
    at += (size_t)sprintf(text + at, "\\\n");
    for (uint32_t i = 0; i < count; ++i) {
        static const char *const ends[] = {"\n", "\r\n", " # colour\n", "\r", " \\\n 1 1 1\n"};
        at += (size_t)sprintf(text + at, "v %u.5 -%u%s%ue-3%s", i, i, i % 7 == 0 ? " \\\n" : " ",
                              i * 3, ends[i % 5]);
        at += (size_t)sprintf(text + at, "vt 0.5 0.25 \\%s0\n", i % 2 == 0 ? "\n" : "\r\n");
        if (i >= 2)
            at += (size_t)sprintf(text + at, "f %u/1 %u \\\n-1//%s", i - 1, i, ends[i % 4]);
    }
    *length = at;
    return text;
}

static void windows_do_not_show(void **state)
{
    (void)state;
    const uint32_t count = 30000;
    size_t length = 0;
    char *text = make_long_text(count, &length);
    record data = {0};
    read_obj(text, length, &data);
    assert_int_equal(data.vertex_count, count);
    assert_int_equal(data.triangle_count, count - 2);
    for (uint32_t i = 0; i < count; ++i) {
        const double *at = data.positions + 3 * (size_t)i;
        assert_true(at[0] == i + 0.5 && at[1] == -(double)i && at[2] == (double)(i * 3) / 1000);
    }
    for (uint64_t t = 0; t < data.triangle_count; ++t)
        for (uint64_t i = 0; i < 3; ++i)
            assert_int_equal(data.corners[3 * t + i], t + i);
    record_free(&data);
    free(text);
}

// Slides a continued line over the end of the first window, byte by byte.
static void line_ends_may_be_cut_by_windows(void **state)
{
    (void)state;
    static const char end[] = "\\\r\n0 0\nv 1 2 3\n" END;
    const size_t lead = (1u << 18) - 1500;
    char *text = malloc(lead + 5000);
    assert_non_null(text);
    memset(text, '#', lead);
    memcpy(text + lead - 4, "\nvt ", 4);
    for (size_t digits = 1450; digits < 1520; ++digits) {
        memset(text + lead, '0', digits);
        memcpy(text + lead + digits, end, sizeof end - 1);
        record data = {0};
        read_obj(text, lead + digits + sizeof end - 1, &data);
        assert_int_equal(data.vertex_count, 1);
        assert_string_equal(test_warnings,
                            "x.obj: there are no triangles: this is a cloud of 1 point\n");
        record_free(&data);
    }
    free(text);
}

// One face with a line longer than the window.
static void faces_may_be_long(void **state)
{
    (void)state;
    const uint32_t corners = 200000;
    char *text = malloc(64 + (size_t)corners * 70);
    assert_non_null(text);
    size_t at = 0;
    for (uint32_t i = 0; i < corners; ++i) {
        double angle = 6.283185307179586 * i / corners;
        at += (size_t)sprintf(text + at, "v %.9f %.9f 0\n", cos(angle), sin(angle));
    }
    at += (size_t)sprintf(text + at, "f");
    for (uint32_t i = 0; i < corners; ++i)
        at += (size_t)sprintf(text + at, " %u//1", i + 1);
    record data = {0};
    read_obj(text, at, &data);
    assert_int_equal(data.triangle_count, corners - 2);
    record_free(&data);
    free(text);
}

static void every_failure_leaves_nothing(void **state)
{
    (void)state;
    size_t length = 0;
    char *text = make_long_text(9000, &length);
    length += (size_t)sprintf(text + length, "\no last\ng one\nf 1 2 3 4 5\nf 9001 1 2\nv 0 0 0\n");
    check_faults(&(test_input){"x.obj", GRAZE_FORMAT_OBJ, text, length}, 10);
    free(text);
}

static void broken_files_are_refused(void **state)
{
    (void)state;
    check_corpus(TEST_CORPUS "/obj", GRAZE_FORMAT_OBJ, 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_are_read),
        cmocka_unit_test(faces_are_read),
        cmocka_unit_test(polygons_are_cut),
        cmocka_unit_test(other_statements_are_passed_over),
        cmocka_unit_test(objects_and_groups_are_kept),
        cmocka_unit_test(nonfinite_triangles_are_dropped),
        cmocka_unit_test(nonsense_gets_a_sentence),
        cmocka_unit_test(missing_vertices_are_told),
        cmocka_unit_test(windows_do_not_show),
        cmocka_unit_test(line_ends_may_be_cut_by_windows),
        cmocka_unit_test(faces_may_be_long),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(every_failure_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
