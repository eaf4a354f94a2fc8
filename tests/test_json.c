// The JSON parser: what it takes, what it refuses and where, and that no allocation can hurt it.
#include "test.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/json.h"
#include "base/knobs.h"

static graze_status parse(graze_context *context, const char *text, gz_json *json)
{
    return gz_json_parse(context, "t.json", 0, text, strlen(text), json);
}

static void takes(graze_context *context, const char *text)
{
    gz_json json;
    test_last_error[0] = '\0';
    if (parse(context, text, &json) != GRAZE_OK)
        fail_msg("%s: %s", text, test_last_error);
    assert_true(json.token_count != 0);
    assert_int_equal(json.tokens[0].next, json.token_count);
    gz_json_free(&json);
}

static void refuses(graze_context *context, const char *text, const char *sentence)
{
    gz_json json;
    test_last_error[0] = '\0';
    assert_int_equal(parse(context, text, &json), GRAZE_ERROR_FORMAT);
    assert_string_equal(test_last_error, sentence);
    assert_int_equal(json.token_count, 0);
}

static void valid_texts_are_taken(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const char *const texts[] = {
        "0",
        "-0",
        "12.50e+2",
        "1E-7",
        "\"\"",
        "null",
        " true ",
        "false",
        "[]",
        "{}",
        "\t[\r\n]",
        "[[],{},[{}]]",
        "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"a\":3}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD834\\uDd1e\"",
        "\"\xc3\xa9 \xe2\x82\xac \xf0\x9d\x84\x9e \xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf\"",
        "\xef\xbb\xbf{}",
        "\"seven67\"",
        "\"exactly8\"",
        "\"abcdefghijklmnopqrstuvwxyz\x7f ~\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        takes(context, texts[i]);
    test_context_done(context);
}

static void broken_texts_are_refused_with_their_place(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
#define ENDS(at) "t.json: byte " at ": the JSON text ends in the middle"
    static const char *const cases[][2] = {
        {"", ENDS("0")},
        {"  ", ENDS("2")},
        {"[", ENDS("1")},
        {"[1", ENDS("2")},
        {"[1,", ENDS("3")},
        {"{\"a\"", ENDS("4")},
        {"{\"a\":", ENDS("5")},
        {"{\"a\":1,", ENDS("7")},
        {"\"abc", ENDS("4")},
        {"\"abc\\", ENDS("5")},
        {"-", ENDS("1")},
        {"1.", ENDS("2")},
        {"1e", ENDS("2")},
        {"1e+", ENDS("3")},
        {"tru", "t.json: byte 0: a JSON value is missing"},
        {"nulL", "t.json: byte 0: a JSON value is missing"},
        {"NaN", "t.json: byte 0: a JSON value is missing"},
        {"Infinity", "t.json: byte 0: a JSON value is missing"},
        {"+1", "t.json: byte 0: a JSON value is missing"},
        {".5", "t.json: byte 0: a JSON value is missing"},
        {"// no", "t.json: byte 0: a JSON value is missing"},
        {"[1,]", "t.json: byte 3: a JSON value is missing"},
        {"[,1]", "t.json: byte 1: a JSON value is missing"},
        {"01", "t.json: byte 1: a number with a leading zero"},
        {"-01", "t.json: byte 2: a number with a leading zero"},
        {"-x", "t.json: byte 1: a digit is missing in a number"},
        {"[1.]", "t.json: byte 3: a digit is missing behind a decimal point"},
        {"[1e]", "t.json: byte 3: a digit is missing in an exponent"},
        {"[1 2]", "t.json: byte 3: a comma or a closing bracket is missing"},
        {"[1}", "t.json: byte 2: a comma or a closing bracket is missing"},
        {"{\"a\":1]", "t.json: byte 6: a comma or a closing brace is missing"},
        {"{a:1}", "t.json: byte 1: a key in quotes is missing"},
        {"{\"a\":1,}", "t.json: byte 7: a key in quotes is missing"},
        {"{1:1}", "t.json: byte 1: a key in quotes is missing"},
        {"{\"a\" 1}", "t.json: byte 5: a colon is missing behind a key"},
        {"{\"a\":}", "t.json: byte 5: a JSON value is missing"},
        {"1 1", "t.json: byte 2: something follows the end of the JSON text"},
        {"{}]", "t.json: byte 2: something follows the end of the JSON text"},
        {"\"\n\"", "t.json: byte 1: a control character inside a string"},
        {"\"0123456789\x1f\"", "t.json: byte 11: a control character inside a string"},
        {"\"\\x\"", "t.json: byte 2: not an escape that JSON knows"},
        {"\"\\u12g4\"", "t.json: byte 2: not an escape that JSON knows"},
        {"\"\\ud800\"", "t.json: byte 2: not an escape that JSON knows"},
        {"\"\\udc00\"", "t.json: byte 2: not an escape that JSON knows"},
        {"\"\\ud800\\ud800\"", "t.json: byte 2: not an escape that JSON knows"},
        {"\"\\ud800\\n\"", "t.json: byte 2: not an escape that JSON knows"},
        {"\"\xc0\xaf\"", "t.json: byte 1: not UTF-8"},
        {"\"\xe0\x80\xaf\"", "t.json: byte 1: not UTF-8"},
        {"\"\xed\xa0\x80\"", "t.json: byte 1: not UTF-8"},
        {"\"\xf4\x90\x80\x80\"", "t.json: byte 1: not UTF-8"},
        {"\"\xf5\x80\x80\x80\"", "t.json: byte 1: not UTF-8"},
        {"\"1234567\x80\"", "t.json: byte 8: not UTF-8"},
        {"\"\xc3\"", "t.json: byte 1: not UTF-8"},
        {"\"\xc3", "t.json: byte 1: not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuses(context, cases[i][0], cases[i][1]);
    gz_json json;
    assert_int_equal(gz_json_parse(context, "t.json", 100, "[1\0]", 4, &json), GRAZE_ERROR_FORMAT);
    assert_string_equal(test_last_error,
                        "t.json: byte 102: a comma or a closing bracket is missing");
    test_context_done(context);
}

static void nesting_has_an_end(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static char text[1000001];
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    text[128] = '\0';
    takes(context, text);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    text[130] = '\0';
    refuses(context, text, "t.json: byte 64: more than 64 levels of JSON inside each other");
    memset(text, '[', sizeof text - 1);
    refuses(context, text, "t.json: byte 64: more than 64 levels of JSON inside each other");
    test_context_done(context);
}

static void members_and_items_are_found(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_json json;
    assert_int_equal(parse(context,
                           "{\"x\":[10,[20,21],30],\"n\\u0061me\":\"a\\u0000\\n\xc3\xa9\\u20ac\","
                           "\"x2\":{\"x\":4},\"d\":1,\"d\":2}",
                           &json),
                     GRAZE_OK);
    uint32_t x = gz_json_member(&json, 0, "x");
    assert_int_equal(gz_json_count(&json, x), 3);
    uint32_t item = gz_json_first(&json, x);
    item = gz_json_after(&json, x, item);
    assert_int_equal(gz_json_kind_of(&json, item), GZ_JSON_ARRAY);
    item = gz_json_after(&json, x, item);
    uint64_t value = 0;
    assert_true(gz_json_uint(&json, item, 100, &value));
    assert_int_equal(value, 30);
    assert_int_equal(gz_json_after(&json, x, item), GZ_JSON_NONE);
    assert_true(gz_json_uint(&json, gz_json_member(&json, 0, "d"), 9, &value));
    assert_int_equal(value, 2);
    assert_int_equal(gz_json_member(&json, 0, "y"), GZ_JSON_NONE);
    assert_int_equal(gz_json_member(&json, x, "x"), GZ_JSON_NONE);
    assert_int_equal(gz_json_member(&json, GZ_JSON_NONE, "x"), GZ_JSON_NONE);
    assert_int_equal(gz_json_first(&json, item), GZ_JSON_NONE);

    uint32_t name = gz_json_member(&json, 0, "name");
    assert_true(gz_json_equals(&json, name, "a\xef\xbf\xbd\n\xc3\xa9\xe2\x82\xac"));
    assert_false(gz_json_equals(&json, name, "a\xef\xbf\xbd\n\xc3\xa9\xe2\x82"));
    assert_false(gz_json_equals(&json, name, "a\xef\xbf\xbd\n\xc3\xa9\xe2\x82\xac."));
    assert_false(gz_json_equals(&json, x, ""));
    char *copy = gz_json_copy(&json, name);
    assert_string_equal(copy, "a\xef\xbf\xbd\n\xc3\xa9\xe2\x82\xac");
    gz_string_free(context, copy);
    assert_int_equal(gz_json_fail(&json, name, "no %d", 7), GRAZE_ERROR_FORMAT);
    assert_string_equal(test_last_error, "t.json: byte 33: no 7");
    gz_json_free(&json);
    test_context_done(context);
}

static void strings_decode_in_place(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char text[] = "[\"a\\/b\\ud834\\udd1ec\",5]";
    gz_json json;
    assert_int_equal(parse(context, text, &json), GRAZE_OK);
    assert_int_equal(gz_json_decode(&json, 1, text + json.tokens[1].start), 8);
    assert_string_equal(text + 2, "a/b\xf0\x9d\x84\x9e"
                                  "c");
    gz_json_free(&json);
    test_context_done(context);
}

static void whole_numbers_are_exact(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const struct {
        const char *text;
        uint64_t limit, value;
        bool whole;
    } cases[] = {
        {"0", 0, 0, true},
        {"-0", 0, 0, true},
        {"-0.0e5", 0, 0, true},
        {"0e99999999999999999999", 0, 0, true},
        {"1", 0, 0, false},
        {"-1", 9, 0, false},
        {"18446744073709551615", UINT64_MAX, UINT64_MAX, true},
        {"18446744073709551616", UINT64_MAX, 0, false},
        {"18446744073709551615000e-3", UINT64_MAX, UINT64_MAX, true},
        {"1.0", 9, 1, true},
        {"1.5", 9, 0, false},
        {"1.5e1", 99, 15, true},
        {"10.50e1", 999, 105, true},
        {"1e2", 100, 100, true},
        {"1e2", 99, 0, false},
        {"1000e-3", 9, 1, true},
        {"1000e-4", 9, 0, false},
        {"0.00020e4", 9, 2, true},
        {"1e400", UINT64_MAX, 0, false},
        {"1e-400", UINT64_MAX, 0, false},
        {"1e99999999999999999999", UINT64_MAX, 0, false},
        {"1e-99999999999999999999", UINT64_MAX, 0, false},
        {"\"1\"", 9, 0, false},
        {"true", 9, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        gz_json json;
        assert_int_equal(parse(context, cases[i].text, &json), GRAZE_OK);
        uint64_t value = 0;
        bool whole = gz_json_uint(&json, 0, cases[i].limit, &value);
        if (whole != cases[i].whole || (whole && value != cases[i].value))
            fail_msg("%s", cases[i].text);
        gz_json_free(&json);
    }
    test_context_done(context);
}

// A random value is written twice: as JSON with random blanks and escapes, and in a plain form that
// the tokens are printed in as well.
typedef struct text_pair {
    char json[200000], plain[200000];
    size_t json_length, plain_length;
    test_random random;
} text_pair;

static void put(text_pair *pair, const char *json, const char *plain)
{
    pair->json_length += (size_t)sprintf(pair->json + pair->json_length, "%s", json);
    pair->plain_length += (size_t)sprintf(pair->plain + pair->plain_length, "%s", plain);
}

static void put_blank(text_pair *pair)
{
    static const char *const blanks[] = {"", "", " ", "\n\t", "\r"};
    put(pair, blanks[test_next(&pair->random) % 5], "");
}

static void put_string(text_pair *pair)
{
    static const char *const pieces[][2] = {
        {"x", "x"},
        {"\\u0041", "A"},
        {"\\n", "\n"},
        {"\xc3\xa9", "\xc3\xa9"},
        {"\\uD83D\\uDE00", "\xf0\x9f\x98\x80"},
        {"long plain text", "long plain text"},
        {"\\\"", "\""},
    };
    put(pair, "\"", "'");
    for (uint64_t count = test_next(&pair->random) % 6; count != 0; --count) {
        uint64_t piece = test_next(&pair->random) % (sizeof pieces / sizeof *pieces);
        put(pair, pieces[piece][0], pieces[piece][1]);
    }
    put(pair, "\"", "'");
}

static void put_value(text_pair *pair, uint32_t depth)
{
    static const char *const words[] = {"null", "true", "false", "-12.5e3", "7"};
    put_blank(pair);
    uint64_t kind = test_next(&pair->random) % (depth < 6 ? 4 : 2);
    if (kind == 0) {
        const char *word = words[test_next(&pair->random) % 5];
        put(pair, word, word);
    } else if (kind == 1) {
        put_string(pair);
    } else {
        put(pair, kind == 2 ? "[" : "{", kind == 2 ? "[" : "{");
        uint64_t count = test_next(&pair->random) % 4;
        for (uint64_t i = 0; i < count; ++i) {
            if (i != 0)
                put(pair, ",", "");
            if (kind == 3) {
                put_blank(pair);
                put_string(pair);
                put_blank(pair);
                put(pair, ":", "");
            }
            put_value(pair, depth + 1);
        }
        put_blank(pair);
        put(pair, kind == 2 ? "]" : "}", kind == 2 ? "]" : "}");
    }
    put_blank(pair);
}

static char *print_tokens(const gz_json *json, uint32_t token, char *out)
{
    const gz_json_token *t = &json->tokens[token];
    gz_json_kind kind = gz_json_kind_of(json, token);
    if (kind == GZ_JSON_STRING) {
        *out++ = '\'';
        out += gz_json_decode(json, token, out);
        *out++ = '\'';
    } else if (kind == GZ_JSON_ARRAY || kind == GZ_JSON_OBJECT) {
        *out++ = kind == GZ_JSON_ARRAY ? '[' : '{';
        for (uint32_t item = gz_json_first(json, token); item != GZ_JSON_NONE;
             item = gz_json_after(json, token, item))
            out = print_tokens(json, item, out);
        *out++ = kind == GZ_JSON_ARRAY ? ']' : '}';
    } else {
        memcpy(out, json->text + t->start, t->end - t->start);
        out += t->end - t->start;
    }
    *out = '\0';
    return out;
}

static void random_texts_come_back(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static text_pair pair;
    static char printed[200000];
    for (uint64_t seed = 1; seed <= 2000; ++seed) {
        pair.json_length = pair.plain_length = 0;
        pair.random.state = seed;
        put_value(&pair, 0);
        gz_json json;
        if (parse(context, pair.json, &json) != GRAZE_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, test_last_error);
        print_tokens(&json, 0, printed);
        if (strcmp(printed, pair.plain) != 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, pair.json);
        gz_json_free(&json);
        // Cut anywhere it is refused, unless that took only blanks or the end of a bare number.
        size_t cut = pair.json_length != 0 ? test_next(&pair.random) % pair.json_length : 0;
        pair.json[cut] = '\0';
        if (parse(context, pair.json, &json) == GRAZE_OK) {
            print_tokens(&json, 0, printed);
            assert_true(gz_json_kind_of(&json, 0) == GZ_JSON_NUMBER ||
                        strcmp(printed, pair.plain) == 0);
            gz_json_free(&json);
        }
    }
    test_context_done(context);
}

// Lists try a second time for less, so that one failure may be survived; a limit fails both.
static void memory_may_run_out(void **state)
{
    (void)state;
    static char text[4000] = "[0";
    for (int i = 0; i < 900; ++i)
        strcat(text, ",[]");
    strcat(text, "]");
    uint64_t refused = 0;
    for (uint64_t limit = 1000; limit < 60000; limit += 500) {
        graze_context_def def = graze_context_def_default();
        def.memory_byte_limit = limit;
        graze_context *context = test_context(&def);
        gz_json json;
        graze_status status = parse(context, text, &json);
        if (status == GRAZE_OK)
            gz_json_free(&json);
        else
            assert_int_equal(status, GRAZE_ERROR_MEMORY);
        refused += status != GRAZE_OK;
        assert_int_equal(graze_context_memory(context).block_count, 1);
        test_context_done(context);
    }
    assert_in_range(refused, 10, 100);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int64_t n = 0;; ++n) {
        atomic_store(&gz_knobs_for(context)->allocations_left, n);
        gz_json json;
        char *copy = NULL;
        if (parse(context, "[\"a\",2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]", &json) ==
            GRAZE_OK) {
            copy = gz_json_copy(&json, 1);
            gz_string_free(context, copy);
            gz_json_free(&json);
        }
        assert_int_equal(graze_context_memory(context).block_count, 1);
        bool survived = atomic_exchange(&gz_knobs_for(context)->allocations_left, -1) >= 0;
        assert_true(!survived || (copy != NULL && n >= 4));
        if (survived)
            break;
    }
    test_context_done(context);
}

// The corpus of the fuzz target: its files say by their names what becomes of them.
#define CORPUS TEST_CORPUS "/json/"

static void the_corpus_is_answered(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    struct dirent **files = NULL;
    int count = scandir(CORPUS, &files, NULL, alphasort), known = 0;
    assert_true(count > 2);
    for (int i = 0; i < count; ++i) {
        char path[1000];
        static char text[100000];
        snprintf(path, sizeof path, CORPUS "%s", files[i]->d_name);
        bool good = strncmp(files[i]->d_name, "good-", 5) == 0;
        if (good || strncmp(files[i]->d_name, "broken-", 7) == 0) {
            FILE *file = fopen(path, "rb");
            assert_non_null(file);
            size_t bytes = fread(text, 1, sizeof text - 1, file);
            text[bytes] = '\0';
            fclose(file);
            gz_json json;
            test_last_error[0] = '\0';
            graze_status status = gz_json_parse(context, "t.json", 0, text, bytes, &json);
            if (status != (good ? GRAZE_OK : GRAZE_ERROR_FORMAT) ||
                (!good && strncmp(test_last_error, "t.json: byte ", 13) != 0))
                fail_msg("%s: status %d, %s", path, (int)status, test_last_error);
            if (good)
                gz_json_free(&json);
            ++known;
        }
        free(files[i]);
    }
    free(files);
    assert_true(known >= 50);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_texts_are_taken),
        cmocka_unit_test(broken_texts_are_refused_with_their_place),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(members_and_items_are_found),
        cmocka_unit_test(strings_decode_in_place),
        cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(random_texts_come_back),
        cmocka_unit_test(the_corpus_is_answered),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
