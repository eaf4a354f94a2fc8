// Which reader a file gets: by what the caller says, by content, by name.
#include "test.h"

#include <fenv.h>
#include <stdlib.h>

#include "base/context.h"
#include "record.h"

#define PLY                                                                                        \
    "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"                \
    "property float z\nend_header\n1 2 3\n"
#define STL                                                                                        \
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"          \
    "endloop\nendfacet\nendsolid a\n"
#define OBJ  "# made by hand\nmtllib x.mtl\no a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
#define OFF  "OFF\n3 1 0\n0 0 0 1 0 0 0 1 0\n3 0 1 2\n"
#define GLTF " {\"asset\": {\"version\": \"2.0\"}}"

static graze_format format_of(graze_context *context, const char *name, const void *bytes,
                              size_t count, graze_format asked)
{
    record r = {0};
    graze_status status = record_read(context, name, bytes, count, asked, &r);
    graze_format format = status == GRAZE_OK ? r.header.format : GRAZE_FORMAT_UNKNOWN;
    record_free(&r);
    return format;
}

static void content_comes_before_the_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        graze_format format;
    } cases[] = {
        {PLY, GRAZE_FORMAT_PLY},
        {STL, GRAZE_FORMAT_STL},
        {OBJ, GRAZE_FORMAT_OBJ},
        {OFF, GRAZE_FORMAT_OFF},
        {GLTF, GRAZE_FORMAT_GLTF},
        {"\n\n# c\n" OFF, GRAZE_FORMAT_OFF},
        {"\xef\xbb\xbf" OBJ, GRAZE_FORMAT_OBJ},
    };
    static const char *const names[] = {"x",     "x.ply", "x.stl",    "x.obj",
                                        "x.off", "x.glb", "x.ply.gz", "x.xyz"};
    graze_context *context = test_context(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
            if (format_of(context, names[k], cases[i].text, strlen(cases[i].text), 0) !=
                cases[i].format)
                fail_msg("content %zu as %s: %s", i, names[k], test_last_error);
    uint8_t binary[84 + 50] = {[80] = 1};
    assert_int_equal(format_of(context, "x.ply", binary, sizeof binary, 0), GRAZE_FORMAT_STL);
    memcpy(binary, "solid ", 6); // as some exporters begin their binary files
    assert_int_equal(format_of(context, "x", binary, sizeof binary, 0), GRAZE_FORMAT_STL);
    test_context_done(context);
}

static void the_name_decides_where_content_does_not(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        graze_format format;
    } cases[] = {
        {"x.obj", "# nothing but a comment\n", GRAZE_FORMAT_OBJ},
        {"x.OBJ", "\n", GRAZE_FORMAT_OBJ},
        {"x.off", "1 0 0\n1 2 3\n", GRAZE_FORMAT_OFF},
        {"x.Off.zst", "1 0 0\n1 2 3\n", GRAZE_FORMAT_OFF},
    };
    graze_context *context = test_context(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        if (format_of(context, cases[i].name, cases[i].text, strlen(cases[i].text), 0) !=
            cases[i].format)
            fail_msg("%s: %s", cases[i].name, test_last_error);
    test_context_done(context);
}

static void the_caller_decides_first(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    assert_int_equal(format_of(context, "x.ply", OFF, strlen(OFF), GRAZE_FORMAT_PLY), 0);
    assert_string_equal(test_last_error,
                        "x.ply: byte 0: a PLY file begins with a line that says \"ply\"");
    assert_int_equal(format_of(context, "x.ply", OFF, strlen(OFF), GRAZE_FORMAT_OFF),
                     GRAZE_FORMAT_OFF);
    test_context_done(context);
}

static void what_nobody_knows_is_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    record r = {0};
    graze_status status = record_read(context, "x.unknown", "???", 3, 0, &r);
    assert_true(status == GRAZE_ERROR_UNSUPPORTED || status == GRAZE_ERROR_FORMAT);
    assert_memory_equal(test_last_error, "x.unknown: ", 11);
    record_free(&r);
    assert_int_equal(record_read(context, "x", NULL, 0, 0, &r), GRAZE_ERROR_FORMAT);
    assert_string_equal(test_last_error, "x: byte 0: the file is empty");
    test_context_done(context);
}

static void formats_have_names(void **state)
{
    (void)state;
    assert_string_equal(graze_format_text(GRAZE_FORMAT_PLY), "PLY");
    for (int i = -1; i < 10; ++i)
        assert_non_null(graze_format_text((graze_format)i));
}

// Numbers are rounded to nearest whatever the caller has set, and the caller's setting comes back.
static void the_rounding_mode_does_not_matter(void **state)
{
    (void)state;
    static const char text[] = "OFF\n1 0 0\n0.1 3.3 1e-5\n";
    static const double expected[] = {0.1, 3.3, 1e-5};
    graze_context *context = test_context(NULL);
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; ++i) {
        record r = {0};
        assert_int_equal(fesetround(modes[i]), 0);
        graze_status status = record_read_text(context, "x.off", text, &r);
        int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(status, GRAZE_OK);
        assert_int_equal(mode, modes[i]);
        record_check_vertices(&r, 1, expected);
        record_free(&r);
    }
    test_context_done(context);
}

// Files of graze's own are known by what all of them begin with; what each is, the layers say that
// make them.
static void own_files_are_no_meshes(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const char *const names[] = {"x", "x.ply", "x.obj.gz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        for (const char *kind = "MSZ"; *kind != '\0'; ++kind) {
            uint8_t bytes[400] = "graze\n";
            char sentence[100];
            bytes[6] = (uint8_t)*kind;
            record r = {0};
            assert_int_equal(record_read(context, names[i], bytes, sizeof bytes, 0, &r),
                             GRAZE_ERROR_FORMAT);
            snprintf(sentence, sizeof sentence,
                     "%s: byte 0: this is a file that graze made for itself, not a mesh", names[i]);
            assert_string_equal(test_last_error, sentence);
            record_free(&r);
        }
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_comes_before_the_name),
        cmocka_unit_test(the_name_decides_where_content_does_not),
        cmocka_unit_test(the_caller_decides_first),
        cmocka_unit_test(what_nobody_knows_is_refused),
        cmocka_unit_test(own_files_are_no_meshes),
        cmocka_unit_test(formats_have_names),
        cmocka_unit_test(the_rounding_mode_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
