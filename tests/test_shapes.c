// The shapes: exact counts, sound surfaces, the same bits everywhere.
#include <math.h>
#include <stdbool.h>

#include "capture.h"
#include "shapes.h"
#include "shapes_math.h"
#include "test.h"

static capture take(const generator_shape_def *def)
{
    capture c = {.soup = generator_shape_is_soup(def->kind) != 0};
    graze_mesh_sink sink = capture_sink(&c);
    assert_int_equal(generator_shape_stream(def, &sink), GRAZE_OK);
    capture_check(&c);
    return c;
}

static double volume_of(const capture *c) { return capture_volume(c, 0, c->triangle_count); }

static void every_shape_keeps_its_promises(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 2, 37, 500, 4000, 60000};
    for (const generator_shape_kind *kind = generator_shape_kinds; kind->name != NULL; ++kind)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
            generator_shape_def def = {
                .kind = kind->name, .triangle_count = counts[i], .size = 4.0, .seed = i};
            def.precision = i % 2 == 0 ? GRAZE_FLOAT64 : GRAZE_FLOAT32;
            capture c = take(&def);
            bool nasty = strcmp(kind->name, "nasty") == 0;
            for (uint64_t v = 0; v < 3 * c.vertex_count; ++v)
                assert_true(fabs(c.positions[v]) <= 2.0 + 1e-5 || (nasty && isnan(c.positions[v])));
            if (strstr(kind->about, "closed") != NULL) {
                capture_check_closed(&c, 0, c.triangle_count);
                for (uint64_t o = 0; o < c.object_count; ++o) // none is inside out
                    assert_true(capture_volume(&c, c.objects[o].first_triangle,
                                               c.objects[o].triangle_count) > 0.0);
            }
            if (counts[i] >= 4000 && !nasty)
                assert_true(c.triangle_count > counts[i] / 2 && c.triangle_count < 2 * counts[i]);
            capture_free(&c);
        }
}

static void every_digit_is_closed(void **state)
{
    (void)state;
    for (uint64_t digit = 0; digit < 10; ++digit)
        for (uint64_t n = 1; n <= 5; ++n) {
            generator_shape_def def = {
                .kind = "digit", .seed = digit, .triangle_count = 90 * n * n};
            capture c = take(&def);
            capture_check_closed(&c, 0, c.triangle_count);
            assert_true(volume_of(&c) > 0.0);
            capture_free(&c);
        }
}

// Where no count is asked for: those of the paper about contact levels of detail.
static void usual_counts_are_those_of_the_paper(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        uint64_t count;
    } known[] = {{"cup", 64000},    {"spoon", 86016}, {"wrinkled", 32000},
                 {"spiral", 32160}, {"bowl", 12288},  {"sphere", 5120}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        capture c = take(&(generator_shape_def){.kind = known[i].kind});
        assert_int_equal(c.triangle_count, known[i].count);
        capture_free(&c);
    }
}

static void volumes_are_those_of_the_books(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        double volume;
    } known[] = {{"sphere", SHAPE_PI / 6}, // with diameter or edge 1
                 {"box", 1.0},
                 {"cylinder", SHAPE_PI / 4},
                 {"cone", SHAPE_PI / 12},
                 {"torus", 2 * SHAPE_PI * SHAPE_PI * 0.35 * 0.15 * 0.15}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        generator_shape_def def = {.kind = known[i].kind, .triangle_count = 200000};
        capture c = take(&def);
        assert_true(fabs(volume_of(&c) / known[i].volume - 1.0) < 0.002);
        capture_free(&c);
    }
}

static void turns_equal_the_library_functions(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 400; ++n)
        for (uint64_t k = 0; k < n; ++k) {
            double s = 0.0, c = 0.0, angle = 2 * SHAPE_PI * (double)k / (double)n;
            shape_turn(k, n, &s, &c);
            assert_true(fabs(s - sin(angle)) < 2e-15 && fabs(c - cos(angle)) < 2e-15);
        }
}

static void bits_never_change(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        uint64_t hash;
    } golden[] = {
        {"sphere", 0x929b525864f00738},   {"torus", 0x3d4f8411a19bbaa1},
        {"knot", 0x9ea6137615519f3b},     {"box", 0xd688483502795a1b},
        {"cylinder", 0x3bc1f4bf36fb17f5}, {"cone", 0x7676d5dff2f5de2d},
        {"gear", 0x6fd0125e58a056f0},     {"plates", 0x5497bd67b833cbe9},
        {"turbine", 0xdf00a1190b5977f2},  {"cup", 0x0eef0a11ccfe30c0},
        {"spoon", 0x11ce42e42581bd81},    {"wrinkled", 0xd09e90115c5a124a},
        {"spiral", 0x06116830adaa48fc},   {"bowl", 0x909151ae59c9201f},
        {"digit", 0x68b301e4447a2f4e},    {"grid", 0x2d4722f8810d3dc2},
        {"terrain", 0xb97c09bc00ba495d},  {"soup", 0xc497d24b1013e4c1},
        {"needles", 0x876b0d2b91d7c7f0},  {"nasty", 0xe4b26a515ca9bc81},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; ++i) {
        generator_shape_def def = {.kind = golden[i].kind, .triangle_count = 3000, .seed = 7};
        capture c = take(&def);
        def.precision = GRAZE_FLOAT64;
        def.size = 12.5;
        capture d = take(&def);
        uint64_t hash = c.hash ^ shape_mix(d.hash);
        if (hash != golden[i].hash)
            print_error("%s: 0x%016llx\n", golden[i].kind, (unsigned long long)hash);
        wrong += hash != golden[i].hash;
        capture_free(&c);
        capture_free(&d);
    }
    assert_int_equal(wrong, 0);
    assert_null(generator_shape_kinds[sizeof golden / sizeof *golden].name);
}

static graze_status refuse(void *user, const uint64_t *corners, uint64_t count)
{
    (void)corners;
    *(uint64_t *)user += count;
    return *(uint64_t *)user > 5000 ? GRAZE_ERROR_SPACE : GRAZE_OK;
}

static void bad_wishes_and_refusals_are_handed_on(void **state)
{
    (void)state;
    uint64_t seen = 0;
    graze_mesh_sink sink = {.user = &seen, .triangles = refuse};
    assert_int_equal(generator_shape_stream(&(generator_shape_def){.kind = "cube"}, &sink),
                     GRAZE_ERROR_ARGUMENT);
    assert_int_equal(
        generator_shape_stream(&(generator_shape_def){.kind = "box", .size = -1.0}, &sink),
        GRAZE_ERROR_ARGUMENT);
    assert_int_equal(
        generator_shape_stream(&(generator_shape_def){.kind = "box", .triangle_count = UINT64_MAX},
                               &sink),
        GRAZE_ERROR_ARGUMENT);
    assert_int_equal(generator_shape_stream(
                         &(generator_shape_def){.kind = "soup", .triangle_count = 1u << 30}, &sink),
                     GRAZE_ERROR_SPACE);
    assert_true(seen < 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_keeps_its_promises),
        cmocka_unit_test(every_digit_is_closed),
        cmocka_unit_test(usual_counts_are_those_of_the_paper),
        cmocka_unit_test(volumes_are_those_of_the_books),
        cmocka_unit_test(turns_equal_the_library_functions),
        cmocka_unit_test(bits_never_change),
        cmocka_unit_test(bad_wishes_and_refusals_are_handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
