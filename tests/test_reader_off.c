// OFF: all prefixes, text and binary; what is broken gets its sentence.
#include "test.h"

#include "base/context.h"
#include "reading.h"

static const double square[] = {0, 0, 0.5, 1, 0, 0.5, 1, 1, 0.5, 0, 1, 0.5};
static const uint64_t halves[] = {0, 1, 2, 0, 2, 3};

static void prefixes_and_comments(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "OFF\n4 1 0\n0 0 .5\n1 0 .5\n1 1 .5\n0 1 .5\n4 0 1 2 3\n",
        "OFF 4 1 0\n0 0 .5\n1 0 .5\n1 1 .5\n0 1 .5\n4 0 1 2 3\n",
        "OFF\n4 1\n0 0 .5\n1 0 .5\n1 1 .5\n0 1 .5\n4 0 1 2 3",
        "OFF\n4\n1\n0\n0 0 .5 1 0 .5 1 1 .5 0 1 .5\n4 0 1 2 3",
        "4 1 0\n0 0 .5\n1 0 .5\n1 1 .5\n0 1 .5\n4 0 1 2 3\n",
        "# first\n\nOFF # here\n# there\n4 1 0 # counts\n0 0 .5 # a\n1 0 .5\n#\n1 1 .5\n0 1 .5\n"
        "# faces\n4 0 1 2 3 # end\n# over",
        "OFF\r\n4 1 0\r\n0 0 .5\r\n1 0 .5\r\n1 1 .5\r\n0 1 .5\r\n4 0 1 2 3 255 0 0\r\n",
        "COFF\n4 1 0\n0 0 .5 255 0 0 255\n1 0 .5 1 2 3\n1 1 .5 1 2 3 4\n0 1 .5 9\n"
        "4 0 1 2 3 0.5 0.5 0.5 1\n",
        "NOFF\n4 1 0\n0 0 .5 0 0 1\n1 0 .5 0 0 1\n1 1 .5 0 0 1\n0 1 .5 0 0 1\n4 0 1 2 3\n",
        "CNOFF\n4 1 0\n0 0 .5 0 0 1 1 1 1\n1 0 .5 0 0 1 9\n1 1 .5 0 0 1 9\n0 1 .5 0 0 1\n"
        "4 0 1 2 3\n",
        "STOFF\n4 1 0\n0 0 .5 8 9\n1 0 .5 8 9\n1 1 .5 8 9\n0 1 .5 8 9\n4 0 1 2 3 7\n",
        "STCNOFF\n4 1 0\n0 0 .5 a\n1 0 .5 b c\n1 1 .5\n0 1 .5 d\n4 0 1 2 3 7\n",
        "nOFF 3\n4 1 0\n0 0 .5\n1 0 .5\n1 1 .5\n0 1 .5\n4 0 1 2 3\n",
        "\xef\xbb\xbfOFF\n4 1 0\n0 0 .5\n1 0 .5\n1 1 .5\n0 1 .5\n4 0 1 2 3\n",
    };
    graze_context *context = test_context(NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        record r = {0};
        graze_status status = record_read_text(context, "x.off", texts[i], &r);
        if (status != GRAZE_OK)
            fail_msg("text %zu: %s", i, test_last_error);
        assert_int_equal(r.header.format, GRAZE_FORMAT_OFF);
        assert_int_equal(r.header.precision, GRAZE_FLOAT64);
        assert_string_equal(r.encoding, "ASCII");
        record_check_vertices(&r, 4, square);
        record_check_triangles(&r, 2, halves);
        assert_int_equal(r.losses.polygons, 1);
        assert_int_equal(r.object_count, 1);
        record_free(&r);
    }
    test_context_done(context);
}

static size_t put_big(uint8_t *out, uint32_t bits)
{
    for (int i = 0; i < 4; ++i)
        out[i] = (uint8_t)(bits >> (24 - 8 * i));
    return 4;
}

static size_t put_float(uint8_t *out, double value)
{
    float narrow = (float)value;
    uint32_t bits = 0;
    memcpy(&bits, &narrow, 4);
    return put_big(out, bits);
}

// The square in binary, with what the prefixes ask for.
static size_t make_binary(uint8_t *out, const char *keyword, const char *line_end, int extra)
{
    size_t count = (size_t)sprintf((char *)out, "%s BINARY%s", keyword, line_end);
    if (strchr(keyword, 'n') != NULL)
        count += put_big(out + count, 3);
    count += put_big(out + count, 4);
    count += put_big(out + count, 2);
    count += put_big(out + count, 0);
    for (int i = 0; i < 4; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            count += put_float(out + count, square[3 * i + axis]);
        for (int k = 0; k < extra; ++k)
            count += put_float(out + count, 77);
    }
    for (int i = 0; i < 2; ++i) {
        count += put_big(out + count, 3);
        for (int k = 0; k < 3; ++k)
            count += put_big(out + count, (uint32_t)halves[3 * i + k]);
        count += put_big(out + count, i == 0 ? 4 : 0);
        for (int k = 0; k < 4 && i == 0; ++k)
            count += put_float(out + count, 0.5);
    }
    return count;
}

static void binary_files(void **state)
{
    (void)state;
    static const struct {
        const char *keyword, *line_end;
        int extra;
    } cases[] = {{"OFF", "\n", 0},   {"OFF", "\r\n", 0}, {"NOFF", "\n", 3},    {"COFF", "\n", 4},
                 {"STOFF", "\n", 2}, {"CNOFF", "\n", 7}, {"STCNOFF", "\n", 9}, {"nOFF", "\n", 0}};
    graze_context *context = test_context(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        uint8_t bytes[1000];
        size_t count = make_binary(bytes, cases[i].keyword, cases[i].line_end, cases[i].extra);
        record r = {0};
        assert_int_equal(record_read(context, "x", bytes, count, 0, &r), GRAZE_OK);
        assert_int_equal(r.header.precision, GRAZE_FLOAT32);
        assert_string_equal(r.encoding, "binary");
        record_check_vertices(&r, 4, square);
        record_check_triangles(&r, 2, halves);
        record_free(&r);
        for (size_t cut = 0; cut < count; ++cut) {
            assert_int_equal(record_read(context, "x", bytes, cut, GRAZE_FORMAT_OFF, &r),
                             GRAZE_ERROR_FORMAT);
            record_free(&r);
        }
    }
    test_context_done(context);
}

static void broken_files_get_their_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } broken[] = {
        {"\n", "byte 1: expected the word OFF, but the file ends here"},
        {"OFT\n", "byte 0: expected the word OFF, found \"OFT\""},
        {"OFFS 1 2 3\n", "byte 0: expected the word OFF, found \"OFFS\""},
        {"OFF\n", "byte 4: expected the number of vertices, but the file ends here"},
        {"OFF\nx", "byte 4: expected the number of vertices, found \"x\""},
        {"OFF\n-4 1 0\n", "byte 6: the number of vertices is -4"},
        {"OFF\n4 -1 0\n", "byte 8: the number of faces is -1"},
        {"OFF\n4", "byte 5: expected the number of faces, but the file ends here"},
        {"OFF\n4 1 z", "byte 8: expected the number of edges, found \"z\""},
        {"OFF\n9223372036854775808 1 0",
         "byte 4: expected the number of vertices, found \"9223372036854775808\""},
        {"OFF\n9223372036854775807 1 0\n1 2 3\n",
         "byte 34: expected a coordinate, but the file ends here"},
        {"4OFF\n1 0 0\n1 2 3 1\n", "byte 4: vertices have 4 coordinates; only 3 are read"},
        {"nOFF 2\n1 0 0\n1 2\n", "byte 6: vertices have 2 coordinates; only 3 are read"},
        {"4nOFF\n3\n1 0 0\n1 2\n", "byte 7: vertices have 4 coordinates; only 3 are read"},
        {"nOFF x\n", "byte 5: expected a number of dimensions, found \"x\""},
        {"OFF\n1 0 0\n1 b 3\n", "byte 12: expected a coordinate, found \"b\""},
        {"NOFF\n1 0 0\n1 2 3 0 0", "byte 20: expected a number, but the file ends here"},
        {"OFF\n1 1 0\n1 2 3\n", "byte 16: expected a number of corners, but the file ends here"},
        {"OFF\n1 1 0\n1 2 3\nq", "byte 16: expected a number of corners, found \"q\""},
        {"OFF\n1 1 0\n1 2 3\n-3 0 0 0", "byte 16: a face has -3 corners"},
        {"OFF\n1 1 0\n1 2 3\n5000000 0 0 0",
         "byte 16: a face has 5000000 corners; up to 4194304 are read"},
        {"OFF\n1 1 0\n1 2 3\n3 0 0", "byte 21: expected a vertex number, but the file ends here"},
        {"OFF\n1 1 0\n1 2 3\n3 0 0 1", "byte 16: triangle names vertex 1, but there are only 1"},
        {"OFF\n1 1 0\n1 2 3\n3 0 0 -1", "byte 16: triangle names vertex -1"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; ++i) {
        graze_context *context = test_context(NULL);
        record r = {0};
        graze_status status = record_read(context, "x.off", broken[i].text, strlen(broken[i].text),
                                          GRAZE_FORMAT_OFF, &r);
        char expected[300];
        snprintf(expected, sizeof expected, "x.off: %s", broken[i].sentence);
        assert_string_equal(test_last_error, expected);
        assert_true(status == GRAZE_ERROR_FORMAT || status == GRAZE_ERROR_UNSUPPORTED);
        record_free(&r);
        test_context_done(context);
    }
}

// What fuzzing starts from and has found: each refused file gets one sentence.
static void the_corpus_gets_its_sentences(void **state)
{
    (void)state;
    check_corpus(TEST_CORPUS "/off", GRAZE_FORMAT_OFF, 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_and_comments),
        cmocka_unit_test(binary_files),
        cmocka_unit_test(broken_files_get_their_sentence),
        cmocka_unit_test(the_corpus_gets_its_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
