// PLY: every encoding, type and order of elements reads alike; what is broken gets its sentence.
#include "test.h"

#include <stdlib.h>

#include "base/context.h"
#include "reading.h"

// A file under construction. Values go in as text or as bytes, whichever the encoding wants.
typedef struct maker {
    int encoding; // 0 ASCII, 1 little-endian, 2 big-endian
    char *bytes;
    size_t count, capacity;
} maker;

static void put_bytes(maker *m, const void *bytes, size_t count)
{
    if (m->count + count + 1 > m->capacity) { // in steps: sanitizers copy each time
        m->capacity = 2 * (m->count + count + 1);
        m->bytes = realloc(m->bytes, m->capacity);
    }
    memcpy(m->bytes + m->count, bytes, count);
    m->count += count;
    m->bytes[m->count] = '\0';
}

static void put_text(maker *m, const char *text) { put_bytes(m, text, strlen(text)); }

static void put_format(maker *m)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    put_text(m, "ply\nformat ");
    put_text(m, names[m->encoding]);
    put_text(m, " 1.0\ncomment made by a test\nobj_info nothing\n");
}

static const char *const type_names[] = {"char", "uchar", "short", "ushort",
                                         "int",  "uint",  "float", "double"};
static const char *const other_names[] = {"int8",  "uint8",  "int16",   "uint16",
                                          "int32", "uint32", "float32", "float64"};

static void put_value(maker *m, int type, double value)
{
    if (m->encoding == 0) {
        char text[64];
        snprintf(text, sizeof text, "%.17g ", value);
        put_text(m, text);
        return;
    }
    static const int sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    uint8_t bytes[8];
    int64_t whole = type < 6 ? (int64_t)value : 0;
    float narrow = (float)value;
    memcpy(bytes,
           type < 6    ? (void *)&whole
           : type == 6 ? (void *)&narrow
                       : (void *)&value,
           type == 6 ? 4 : 8);
    for (int i = 0; i < sizes[type]; ++i)
        put_bytes(m, &bytes[m->encoding == 1 ? i : sizes[type] - 1 - i], 1);
}

static const double tetrahedron[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint64_t sides[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

// All combinations of types, in all encodings, with lists and values around what we want.
static void every_type_reads_alike(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int combination = 0; combination < 3 * 8 * 8 * 8; ++combination) {
        maker m = {.encoding = combination % 3};
        int x = combination / 3 % 8, index = combination / 24 % 8, length = combination / 192;
        int z = (x + length) % 8;
        char line[200];
        put_format(&m);
        snprintf(line, sizeof line,
                 "element before 2\nproperty list %s %s junk\nproperty %s more\n"
                 "element vertex 4\n%sproperty %s x\nproperty %s y\nproperty uchar red\n"
                 "property %s z\n",
                 type_names[length], type_names[index], other_names[z],
                 combination % 5 == 0 ? "property list uchar short extra\n" : "", other_names[x],
                 type_names[x], type_names[z]);
        put_text(&m, line);
        snprintf(line, sizeof line,
                 "element face 4\nproperty short flags\nproperty list %s %s vertex_ind%s\n"
                 "property double area\nend_header\n",
                 type_names[length], other_names[index], combination % 2 ? "ex" : "ices");
        put_text(&m, line);
        for (int i = 0; i < 2; ++i) {
            put_value(&m, length, i + 1);
            for (int k = 0; k <= i; ++k)
                put_value(&m, index, 7);
            put_value(&m, z, 5);
        }
        for (int i = 0; i < 4; ++i) {
            if (combination % 5 == 0) {
                put_value(&m, 1, i);
                for (int k = 0; k < i; ++k)
                    put_value(&m, 2, -3);
            }
            put_value(&m, x, tetrahedron[3 * i]);
            put_value(&m, x, tetrahedron[3 * i + 1]);
            put_value(&m, 1, 255);
            put_value(&m, z, tetrahedron[3 * i + 2]);
        }
        for (int i = 0; i < 4; ++i) {
            put_value(&m, 2, -1);
            put_value(&m, length, 3);
            for (int k = 0; k < 3; ++k)
                put_value(&m, index, (double)sides[3 * i + k]);
            put_value(&m, 7, 0.5);
        }
        record r = {0};
        graze_status status = record_read(context, "x.ply", m.bytes, m.count, 0, &r);
        if (status != GRAZE_OK)
            fail_msg("combination %d: %s", combination, test_last_error);
        assert_string_equal(test_last_error, "");
        record_check_vertices(&r, 4, tetrahedron);
        record_check_triangles(&r, 4, sides);
        bool narrow = (x < 4 || x == 6) && (z < 4 || z == 6);
        assert_int_equal(r.header.precision, narrow ? GRAZE_FLOAT32 : GRAZE_FLOAT64);
        assert_int_equal(r.header.format, GRAZE_FORMAT_PLY);
        static const char *const encodings[] = {"ASCII", "binary little-endian",
                                                "binary big-endian"};
        assert_string_equal(r.encoding, encodings[m.encoding]);
        assert_int_equal(r.header.vertex_count_hint, 4);
        assert_int_equal(r.header.triangle_count_hint, 4);
        assert_int_equal(r.object_count, 1);
        assert_string_equal(r.objects[0].name, "");
        record_free(&r);
        free(m.bytes);
    }
    test_context_done(context);
}

// Enough for several windows; faces before or after the vertices; triangles and polygons mixed.
static void large_files_in_any_order(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    enum { COUNT = 60000 };
    for (int variant = 0; variant < 24; ++variant) {
        maker m = {.encoding = variant % 3};
        bool faces_first = variant / 3 % 2, extra = variant / 6 % 2, mixed = variant / 12;
        put_format(&m);
        const char *parts[] = {
            extra ? "element vertex 60000\nproperty float x\nproperty float y\nproperty float z\n"
                    "property int tag\n"
                  : "element vertex 60000\nproperty float x\nproperty float y\nproperty float z\n",
            "element face 60000\nproperty list uchar int vertex_indices\n"};
        put_text(&m, parts[faces_first]);
        put_text(&m, parts[!faces_first]);
        put_text(&m, "end_header\n");
        for (int part = 0; part < 2; ++part)
            for (int i = 0; i < COUNT; ++i)
                if ((part == 0) != faces_first) {
                    put_value(&m, 6, i % 300);
                    put_value(&m, 6, i / 300);
                    put_value(&m, 6, 0.5);
                    if (extra)
                        put_value(&m, 4, -i);
                } else {
                    int corners = mixed && i % 7 == 0 ? 4 : 3;
                    int v = i * 13 % (COUNT - 400);
                    int quad[4] = {v, v + 1, v + 301, v + 300};
                    put_value(&m, 1, corners);
                    for (int k = 0; k < corners; ++k)
                        put_value(&m, 4, quad[k]);
                }
        record r = {.without_position = variant % 2};
        assert_int_equal(record_read(context, "x.ply", m.bytes, m.count, 0, &r), GRAZE_OK);
        assert_string_equal(test_last_error, "");
        assert_int_equal(r.vertex_count, COUNT);
        for (int i = 0; i < COUNT; ++i)
            assert_true(r.positions[3 * i] == i % 300 && r.positions[3 * i + 1] == i / 300 &&
                        r.positions[3 * i + 2] == 0.5);
        uint64_t triangle = 0;
        for (int i = 0; i < COUNT; ++i) {
            uint64_t v = (uint64_t)i * 13 % (COUNT - 400);
            uint64_t quad[4] = {v, v + 1, v + 301, v + 300};
            assert_memory_equal(&r.corners[3 * triangle], quad, 24);
            triangle++;
            if (mixed && i % 7 == 0) {
                // From 0 to 2, unless the quad wraps around the end of a row.
                assert_int_equal(r.corners[3 * triangle + 2], quad[3]);
                triangle++;
            }
        }
        assert_int_equal(r.triangle_count, triangle);
        record_free(&r);
        free(m.bytes);
    }
    test_context_done(context);
}

static void strips_turn_every_other_triangle(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    const double vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0};
    const double strip[] = {0, 1, 2, 3, -1, 2, 3, 4, 5, -1, -1, 0, 1, -1, 0, 1, 1, 2};
    const uint64_t expected[] = {0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5};
    for (int variant = 0; variant < 6; ++variant) {
        maker m = {.encoding = variant % 3};
        bool is_unsigned = variant >= 3;
        put_format(&m);
        put_text(&m, "element vertex 6\nproperty float x\nproperty float y\nproperty float z\n"
                     "element tristrips 1\nproperty list int ");
        put_text(&m, is_unsigned ? "uchar" : "int");
        put_text(&m, " vertex_indices\nend_header\n");
        for (int i = 0; i < 18; ++i)
            put_value(&m, 6, vertices[i]);
        put_value(&m, 4, 18);
        for (int i = 0; i < 18; ++i)
            put_value(&m, is_unsigned ? 1 : 4, is_unsigned && strip[i] < 0 ? 255 : strip[i]);
        record r = {0};
        assert_int_equal(record_read(context, "x.ply", m.bytes, m.count, 0, &r), GRAZE_OK);
        record_check_triangles(&r, 4, expected);
        record_free(&r);
        free(m.bytes);
    }
    test_context_done(context);
}

#define XYZ    "property float x\nproperty float y\nproperty float z\n"
#define ASCII  "ply\nformat ascii 1.0\n"
#define LITTLE "ply\nformat binary_little_endian 1.0\n"

#define EMPTY  "x.ply: the mesh is empty: no vertices, no triangles\n"
#define POINT  "x.ply: there are no triangles: this is a cloud of 1 point\n"
#define POINTS "x.ply: there are no triangles: this is a cloud of 3 points\n"

static void odd_but_good_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t vertices, triangles;
        const char *warning;
    } cases[] = {
        {ASCII "element vertex 0\n" XYZ "end_header\n", 0, 0, EMPTY},
        {ASCII "end_header\n", 0, 0, EMPTY},
        {ASCII "element vertex 1\n" XYZ "end_header\n1 2 3", 1, 0,
         "x.ply: byte 105: the last line has no end: the file may have been cut off here\n" POINT},
        {"ply\r\nformat ascii 1.0\r\nelement vertex 1\r\nproperty float x\r\nproperty float y\r\n"
         "property float z\r\nend_header\r\n1 2 3\r\n",
         1, 0, POINT},
        {"ply\rformat ascii 1.0\relement vertex 1\rproperty float x\rproperty float y\r"
         "property float z\rend_header\r1 2 3\r",
         1, 0, POINT},
        {"\xef\xbb\xbf" ASCII "element vertex 1\n" XYZ "end_header\n1 2 3\n", 1, 0, POINT},
        {ASCII "\n  \ncomment\ncomment  spaced   out\nelement  vertex\t1\n" XYZ
               "end_header\n\n\n 1\n2\n\t3\n\n",
         1, 0, POINT},
        {ASCII "element vertex 3\n" XYZ "element face 3\nproperty list uchar int vertex_indices\n"
               "end_header\n0 0 0 1 0 0 0 1 0\n3 0 1 2\n2 0 1\n0\n",
         3, 1,
         "x.ply: left out: 2 faces with fewer than three corners; the others are numbered "
         "without a gap\n"},
        {ASCII "element vertex 3\n" XYZ "element face 1\nproperty list uchar int vertex_indices\n"
               "end_header\n0 0 0 1 0 0 0 1 0\n3 0.0 1e0 2.\n",
         3, 1, ""},
        {ASCII "element vertex 3\n" XYZ "element face 1\nproperty list uchar int vertex_indices\n"
               "end_header\n0 0 0 1 0 nan 0 1 inf\n3 0 1 2\n",
         3, 0,
         "x.ply: left out: 1 triangle with a corner that is not finite; the others are numbered "
         "without a gap\n" POINTS},
        {ASCII "element vertex 1\n" XYZ "end_header\n1 2 3 4\n", 1, 0,
         "x.ply: byte 106: more data follow the last element and are left out\n" POINT},
        {ASCII "element vertex 3\n" XYZ "element face 2\nproperty uchar a\nelement edge 2\n"
               "property int vertex1\nproperty int vertex2\nend_header\n"
               "0 0 0 1 0 0 0 1 0\n1 2\n0 1 1 2\n",
         3, 0,
         "x.ply: element \"face\" has no vertex numbers and is left out\n"
         "x.ply: left out: 2 points and lines\n" POINTS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        graze_context *context = counting_context();
        record r = {0};
        graze_status status = record_read_text(context, "x.ply", cases[i].text, &r);
        if (status != GRAZE_OK)
            fail_msg("case %zu: %s", i, test_last_error);
        assert_int_equal(r.vertex_count, cases[i].vertices);
        assert_int_equal(r.triangle_count, cases[i].triangles);
        assert_int_equal(r.object_count, 1);
        assert_string_equal(test_warnings, cases[i].warning);
        if (i == 7)
            assert_int_equal(r.losses.empty_polygons, 2);
        if (i == 11)
            assert_int_equal(r.losses.other_primitives, 2);
        record_free(&r);
        test_context_done(context);
    }
}

#define FACES "element face 1\nproperty list uchar int vertex_indices\n"
#define THREE ASCII "element vertex 3\n" XYZ FACES "end_header\n0 0 0 1 0 0 0 1 0\n"

static const struct {
    const char *text;
    const char *sentence;
} broken[] = {
    {"ply", "byte 3: the file ends in the header"},
    {"ply\n", "byte 4: the file ends in the header"},
    {"ply2\n", "byte 0: a PLY file begins with a line that says \"ply\""},
    {"ply\nend_header\n", "byte 15: the header has no line that says \"format\""},
    {"ply\nformat ascii\n", "byte 4: \"format\" must be followed by an encoding and a version"},
    {"ply\nformat text 1.0\n", "byte 11: \"text\" is not an encoding of PLY"},
    {"ply\nformat ascii 2.0\n", "byte 17: \"2.0\" is not a version of PLY that is known: 1.0 is"},
    {ASCII "elements\n", "byte 21: \"elements\" is not a word that begins a line of a PLY header"},
    {ASCII "element vertex\n", "byte 21: \"element\" must be followed by a name and a count"},
    {ASCII "element vertex -5\n", "byte 36: \"-5\" is not a count from 0 to 18446744073709551615"},
    {ASCII "element vertex 18446744073709551616\n",
     "byte 36: \"18446744073709551616\" is not a count from 0 to 18446744073709551615"},
    {ASCII "element vertex 1\nelement vertex 1\n", "byte 46: \"vertex\" comes twice"},
    {ASCII "property float x\n", "byte 21: \"property\" comes before the first element"},
    {ASCII "element vertex 1\nproperty float\n", "byte 38: \"property\" must be followed by a type "
                                                 "and a name, or by list, two types and a name"},
    {ASCII "element vertex 1\nproperty list float x\n",
     "byte 38: \"property\" must be followed by a type and a name, or by list, two types and a "
     "name"},
    {ASCII "element vertex 1\nproperty half x\n", "byte 47: \"half\" is not a type of PLY"},
    {ASCII "element vertex 1\nproperty list uchar float x\n", "byte 64: \"x\" must not be a list"},
    {ASCII "element face 1\nproperty int vertex_indices\n",
     "byte 49: \"vertex_indices\" must be a list"},
    {ASCII "element vertex 1\nproperty float x\nproperty float x\n", "byte 70: \"x\" comes twice"},
    {ASCII "element vertex 1\nproperty float x\nproperty float y\nend_header\n",
     "byte 83: the vertices lack one of the properties x, y and z"},
    {ASCII "element vertex 2\n" XYZ "end_header\n1 2 3 4 5",
     "byte 109: expected a coordinate, but the file ends here"},
    {ASCII "element vertex 1\n" XYZ "end_header\n1 two 3\n",
     "byte 102: expected a coordinate, found \"two\""},
    {ASCII "element vertex 1\n" XYZ "end_header\n1 2x 3\n",
     "byte 102: expected a coordinate, found \"2x\""},
    {ASCII "element vertex 18446744073709551615\n" XYZ "end_header\n1 2 3\n",
     "byte 125: expected a coordinate, but the file ends here"},
    {THREE "3 0 1 3\n", "byte 172: triangle names vertex 3, but there are only 3"},
    {THREE "4 0 1 2 7\n", "byte 172: triangle names vertex 7, but there are only 3"},
    {THREE "3 0 -1 2\n", "byte 172: triangle names vertex -1"},
    {THREE "3 0 1 99999999999999999999\n",
     "byte 178: expected a vertex number, found \"99999999999999999999\""},
    {THREE "3 0 1 1.5\n", "byte 178: expected a vertex number, found \"1.5\""},
    {THREE "-3 0 1 2\n", "byte 172: a face has -3 corners"},
    {THREE "x 0 1 2\n", "byte 172: expected the length of a list, found \"x\""},
    {THREE "3 0 1", "byte 177: expected a vertex number, but the file ends here"},
    {THREE "4294967295 0 1 2\n", "byte 172: a face has 4294967295 corners; up to 4194304 are read"},
    {THREE "", "byte 172: expected the length of a list, but the file ends here"},
    {LITTLE "element vertex 9\n" XYZ "end_header\n0123456789abXYZ",
     "byte 130: the file ends in vertex 2 of 9"},
    {LITTLE "element face 1\nproperty list int double vertex_indices\nend_header\n\x03\x01\x01",
     "byte 105: the file ends where the length of a list should be"},
    {LITTLE "element face 1\nproperty list char int vertex_indices\nend_header\n\xfd",
     "byte 100: a face has -3 corners"},
    {LITTLE "element face 1\nproperty list char int vertex_indices\nend_header\n\x03"
            "aaaabbbb",
     "byte 109: the file ends where a vertex number should be"},
    {ASCII "element junk 1\nproperty list int int a\nend_header\n9007199254740992 7 \x02 8",
     "byte 90: expected a value, found \"?\""},
    {LITTLE "element junk 1\nproperty list char int a\nend_header\n\xfd",
     "byte 88: a list has the length -3"},
    {LITTLE "element tristrips 1\nproperty list char int vertex_indices\nend_header\n\xfd",
     "byte 106: a strip has the length -3"},
    {ASCII "element tristrips 1\nproperty list char int vertex_indices\nend_header\n3 0 1 -2",
     "byte 95: triangle names vertex -2"},
    {LITTLE "element junk 5\nproperty double a\nend_header\n12345678",
     "byte 88: the file ends here, but 32 more bytes were promised"},
    {LITTLE "element junk 18446744073709551615\nproperty double a\nend_header\n12345678",
     "byte 107: the file ends here, but 18446744073709551607 more bytes were promised"},
};

static void broken_files_get_their_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; ++i) {
        graze_context *context = test_context(NULL);
        record r = {0};
        graze_status status = record_read(context, "x.ply", broken[i].text, strlen(broken[i].text),
                                          GRAZE_FORMAT_PLY, &r);
        char expected[300];
        snprintf(expected, sizeof expected, "x.ply: %s", broken[i].sentence);
        assert_string_equal(test_last_error, expected);
        assert_true(status == GRAZE_ERROR_FORMAT || status == GRAZE_ERROR_UNSUPPORTED);
        assert_int_equal(r.ended, 0);
        assert_true(graze_context_memory(context).peak_bytes < 2 << 20);
        record_free(&r);
        test_context_done(context);
    }
}

static void endless_tokens_and_lines_get_their_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *start, *sentence;
        char filler;
    } cases[] = {
        {ASCII "comment ", "x.ply: byte 21: a line of the header is longer than 65536 bytes", 'x'},
        {ASCII "element vertex 1\n" XYZ "end_header\n",
         "x.ply: byte 100: a coordinate is longer than 1048576 bytes", '1'},
        {THREE, "x.ply: byte 172: the length of a list is longer than 1048576 bytes", '0'},
        {THREE "3 0 1 ", "x.ply: byte 178: a vertex number is longer than 1048576 bytes", '0'},
    };
    size_t count = 5000000;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        graze_context *context = test_context(NULL);
        char *text = malloc(count);
        memset(text, cases[i].filler, count);
        memcpy(text, cases[i].start, strlen(cases[i].start));
        record r = {0};
        assert_int_equal(record_read(context, "x.ply", text, count, GRAZE_FORMAT_PLY, &r),
                         GRAZE_ERROR_FORMAT);
        assert_string_equal(test_last_error, cases[i].sentence);
        record_free(&r);
        free(text);
        test_context_done(context);
    }
}

// A value that nobody wants may be as long as it likes, and white space too.
static void long_junk_is_skipped(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int blanks = 0; blanks < 2; ++blanks) {
        maker m = {0};
        put_text(&m, ASCII "element vertex 1\n" XYZ "property float w\nelement face 0\n"
                           "property list uchar int vertex_indices\nend_header\n1 2 3 ");
        size_t start = m.count;
        char *filler = malloc(3000001);
        memset(filler, blanks ? ' ' : '7', 3000000);
        filler[3000000] = '\0';
        put_text(&m, filler);
        put_text(&m, blanks ? "9\n" : "\n");
        assert_true(start != 0);
        record r = {0};
        assert_int_equal(record_read(context, "x.ply", m.bytes, m.count, 0, &r), GRAZE_OK);
        record_check_vertices(&r, 1, (const double[]){1, 2, 3});
        assert_string_equal(test_last_error,
                            "x.ply: there are no triangles: this is a cloud of 1 point");
        record_free(&r);
        free(filler);
        free(m.bytes);
    }
    test_context_done(context);
}

// A wrong number in the middle of a long row of triangles is named with its own place.
static void the_wrong_triangle_is_named(void **state)
{
    (void)state;
    for (int variant = 0; variant < 12; ++variant) {
        graze_context *context = test_context(NULL);
        maker m = {.encoding = 1 + variant % 2};
        bool faces_first = variant / 2 % 2, negative = variant / 4 == 1, tags = variant / 4 == 2;
        const char *vertices = "element vertex 3\n" XYZ;
        const char *faces = tags ? "element face 3000\nproperty short tag\nproperty list uint int "
                                   "vertex_indices\nproperty char tag2\n"
                                 : "element face 3000\nproperty list uchar int vertex_indices\n";
        put_format(&m);
        put_text(&m, faces_first ? faces : vertices);
        put_text(&m, faces_first ? vertices : faces);
        put_text(&m, "end_header\n");
        size_t wrong = 0;
        for (int part = 0; part < 2; ++part) {
            for (int i = 0; i < 9 && (part == 0) != faces_first; ++i)
                put_value(&m, 6, i);
            for (int i = 0; i < 3000 && (part == 0) == faces_first; ++i) {
                if (i == 2345)
                    wrong = m.count;
                if (tags)
                    put_value(&m, 2, 7);
                put_value(&m, tags ? 5 : 1, 3);
                for (int k = 0; k < 3; ++k)
                    put_value(&m, 4, i == 2345 && k == 1 ? (negative ? -7 : 7) : k);
                if (tags)
                    put_value(&m, 0, 7);
            }
        }
        record r = {0};
        assert_int_equal(record_read(context, "x.ply", m.bytes, m.count, 0, &r),
                         GRAZE_ERROR_FORMAT);
        char expected[100];
        snprintf(expected, sizeof expected, "x.ply: byte %zu: triangle names vertex %s", wrong,
                 negative ? "-7" : "7, but there are only 3");
        assert_string_equal(test_last_error, expected);
        record_free(&r);
        free(m.bytes);
        test_context_done(context);
    }
}

// The first byte of the data may be a line feed.
static void data_may_look_like_a_line_end(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int ending = 0; ending < 3; ++ending) {
        static const char *const endings[] = {"\n", "\r\n", "\r"};
        static const char *const lines[] = {"ply",
                                            "format binary_little_endian 1.0",
                                            "element vertex 1",
                                            "property uchar x",
                                            "property uchar y",
                                            "property uchar z",
                                            "end_header"};
        maker m = {0};
        for (int i = 0; i < 7; ++i) {
            put_text(&m, lines[i]);
            put_text(&m, endings[ending]);
        }
        put_text(&m, "\n\r\n");
        record r = {0};
        assert_int_equal(record_read(context, "x.ply", m.bytes, m.count, 0, &r), GRAZE_OK);
        record_check_vertices(&r, 1, (const double[]){10, 13, 10});
        record_free(&r);
        free(m.bytes);
    }
    test_context_done(context);
}

// Binary files cut short anywhere never read as whole ones.
static void every_truncation_is_noticed(void **state)
{
    (void)state;
    for (int encoding = 0; encoding < 3; ++encoding) {
        graze_context *context = test_context(NULL);
        maker m = {.encoding = encoding};
        put_format(&m);
        put_text(&m, "element vertex 4\n" XYZ
                     "element face 4\nproperty list uchar int vertex_indices\nend_header\n");
        for (int i = 0; i < 12; ++i)
            put_value(&m, 6, tetrahedron[i]);
        for (int i = 0; i < 12; ++i) {
            if (i % 3 == 0)
                put_value(&m, 1, 3);
            put_value(&m, 4, (double)sides[i]);
        }
        size_t whole = m.count - (encoding == 0); // the last blank does not count
        for (size_t count = 0; count < whole; ++count) {
            record r = {0};
            assert_int_equal(record_read(context, "x.ply", m.bytes, count, GRAZE_FORMAT_PLY, &r),
                             GRAZE_ERROR_FORMAT);
            record_free(&r);
        }
        free(m.bytes);
        test_context_done(context);
    }
}

// What fuzzing starts from and has found: each refused file gets one sentence.
static void the_corpus_gets_its_sentences(void **state)
{
    (void)state;
    check_corpus(TEST_CORPUS "/ply", GRAZE_FORMAT_PLY, 55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_reads_alike),
        cmocka_unit_test(large_files_in_any_order),
        cmocka_unit_test(strips_turn_every_other_triangle),
        cmocka_unit_test(odd_but_good_files),
        cmocka_unit_test(broken_files_get_their_sentence),
        cmocka_unit_test(endless_tokens_and_lines_get_their_sentence),
        cmocka_unit_test(long_junk_is_skipped),
        cmocka_unit_test(the_wrong_triangle_is_named),
        cmocka_unit_test(data_may_look_like_a_line_end),
        cmocka_unit_test(every_truncation_is_noticed),
        cmocka_unit_test(the_corpus_gets_its_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
