// Refining: closed stays closed, the surface is smooth, the relief is as high as asked for, the
// same bits everywhere, in the memory that is allowed.
#include <math.h>

#include "capture.h"
#include "refine.h"
#include "refine_relief.h"
#include "shapes.h"
#include "shapes_math.h"
#include "test.h"

static graze_mesh *shape_of(graze_context *context, const char *kind, uint64_t count,
                            graze_precision precision)
{
    graze_mesh *mesh = NULL;
    generator_shape_def def = {
        .kind = kind, .triangle_count = count, .size = 2.0, .precision = precision};
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    return mesh;
}

static capture refined(const graze_mesh_view *view, const generator_refine_def *def)
{
    capture c = {0};
    graze_mesh_sink sink = capture_sink(&c);
    assert_int_equal(generator_refine_stream(view, def, &sink), GRAZE_OK);
    capture_check(&c);
    return c;
}

// The same triangles with three vertices each, as in an STL file.
typedef struct exploded {
    double positions[9 * 4096];
    uint32_t corners[3 * 4096];
    graze_mesh_view view;
} exploded;

static void explode(const graze_mesh_view *view, exploded *e)
{
    assert_true(view->triangle_count <= 4096);
    for (uint64_t t = 0; t < view->triangle_count; ++t)
        for (uint32_t i = 0; i < 3; ++i) {
            graze_mesh_view_corner(view, t, i, &e->positions[9 * t + 3 * i]);
            e->corners[3 * t + i] = (uint32_t)(3 * t + i);
        }
    e->view = *view;
    e->view.precision = GRAZE_FLOAT64;
    e->view.vertex_count = 3 * view->triangle_count;
    e->view.positions = e->positions;
    e->view.corners = e->corners;
}

static void closed_stays_closed(void **state)
{
    static const char *const kinds[] = {"sphere", "torus", "gear", "plates", "box", "turbine"};
    static exploded e;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        for (uint64_t cuts = 1; cuts <= 7; ++cuts) {
            graze_mesh *mesh =
                shape_of(*state, kinds[i], 700, cuts % 2 == 0 ? GRAZE_FLOAT64 : GRAZE_FLOAT32);
            graze_mesh_view view = graze_mesh_get(mesh);
            generator_refine_def def = {.factor = cuts * cuts, .relief = 0.1, .seed = cuts};
            capture c = refined(&view, &def);
            capture_check_closed(&c, 0, c.triangle_count);
            assert_true(c.triangle_count == view.triangle_count * cuts * cuts);
            assert_true(c.header.precision == view.precision);
            assert_true(c.object_count == view.object_count);
            assert_true(2 * c.vertex_count - c.triangle_count ==
                        2 * view.vertex_count - view.triangle_count); // Euler's number
            explode(&view, &e); // float coordinates are doubles, too: the same vertices come out
            def.precision = view.precision;
            capture d = refined(&e.view, &def);
            capture_check_closed(&d, 0, d.triangle_count);
            assert_true(d.hash == c.hash);
            capture_free(&c);
            capture_free(&d);
            graze_mesh_free(mesh);
        }
}

// A coarse ball without relief becomes a round one: the patches are much nearer to it than the
// triangles were.
static void the_surface_is_smooth(void **state)
{
    graze_mesh *mesh = shape_of(*state, "sphere", 320, GRAZE_FLOAT64);
    graze_mesh_view view = graze_mesh_get(mesh);
    generator_refine_def def = {.factor = 64};
    capture c = refined(&view, &def);
    double worst = 0.0;
    for (uint64_t i = 0; i < c.vertex_count; ++i) {
        const double *p = &c.positions[3 * i];
        worst = fmax(worst, fabs(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 1.0));
    }
    assert_true(worst < 3e-3); // of the triangles: 0.02
    assert_true(fabs(capture_volume(&c, 0, c.triangle_count) / (4.0 / 3.0 * SHAPE_PI) - 1) < 2e-3);
    capture_free(&c);
    graze_mesh_free(mesh);
}

static void the_relief_is_as_high_as_asked_for(void **state)
{
    graze_mesh *mesh = shape_of(*state, "sphere", 1280, GRAZE_FLOAT64);
    graze_mesh_view view = graze_mesh_get(mesh);
    generator_refine_def def = {.factor = 100};
    capture smooth = refined(&view, &def);
    for (int i = 1; i <= 3; ++i) {
        def.relief = 0.05 * i;
        capture c = refined(&view, &def);
        double highest = 0.0, sum = 0.0, edge = 0.14; // about
        for (uint64_t v = 0; v < c.vertex_count; ++v) {
            double square = 0.0;
            for (uint64_t axis = 0; axis < 3; ++axis) {
                double way = c.positions[3 * v + axis] - smooth.positions[3 * v + axis];
                square += way * way;
            }
            highest = fmax(highest, sqrt(square));
            sum += square;
        }
        double height = def.relief * edge, usual = sqrt(sum / (double)c.vertex_count);
        assert_true(highest > 0.5 * height && highest < 2.5 * height);
        assert_true(usual > 0.15 * height && usual < 0.7 * height);
        capture_free(&c);
    }
    capture_free(&smooth);
    graze_mesh_free(mesh);
}

static void noise_is_smooth_and_bounded(void **state)
{
    (void)state;
    double most = 0.0;
    for (uint64_t i = 0; i < 20000; ++i) {
        double at[3], near[3];
        for (uint64_t axis = 0; axis < 3; ++axis) {
            at[axis] = 40.0 * shape_unit(5, 3 * i + axis) - 20.0;
            near[axis] = at[axis] + 1e-6;
        }
        double value = refine_noise(1, at);
        most = fmax(most, fabs(value));
        assert_true(fabs(value - refine_noise(1, near)) < 2e-5);
        assert_true(value != refine_noise(2, at));
        for (int axis = 0; axis < 3; ++axis)
            at[axis] = floor(at[axis]);
        assert_true(refine_noise(1, at) == 0.0);
    }
    assert_true(most > 0.6 && most < 1.3);
    const double far[3] = {1e300, 0.5, -1e300}, never[3] = {NAN, 0.5, 0.5};
    assert_true(refine_noise(1, far) == 0.0 && refine_noise(1, never) == 0.0);
}

// Triangles that are none, objects with and without any, vertices that nobody uses, -0 and 0.
static void what_is_no_triangle_stays_out(void **state)
{
    (void)state;
    static const double positions[] = {0,    0, 0,    1, 0, 0, 0, 1,   0,
                                       -0.0, 0, -0.0, 1, 1, 0, 9, NAN, 9};
    static const uint32_t corners[] = {0, 1, 2, 0, 3, 1, 3, 3, 3, 2, 1, 4};
    static const graze_object objects[] = {
        {.name = "one", .group = "g", .first_triangle = 0, .triangle_count = 1},
        {.name = "none", .group = "g", .first_triangle = 1, .triangle_count = 2},
        {.name = "two", .group = "g/h", .first_triangle = 3, .triangle_count = 1}};
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .metres_per_unit = 0.001,
                            .vertex_count = 6,
                            .triangle_count = 4,
                            .object_count = 3,
                            .positions = positions,
                            .corners = corners,
                            .objects = objects};
    generator_refine_def def = {.triangle_count = 18, .precision = GRAZE_FLOAT32};
    capture c = refined(&view, &def);
    assert_true(c.header.precision == GRAZE_FLOAT32 && c.header.metres_per_unit == 0.001);
    assert_int_equal(c.triangle_count, 18);
    assert_int_equal(c.vertex_count, 16);
    assert_int_equal(c.object_count, 2);
    assert_string_equal(c.objects[0].name, "one");
    assert_string_equal(c.objects[1].name, "two");
    assert_string_equal(c.objects[1].group, "g/h");
    assert_int_equal(c.objects[1].first_triangle, 9);
    assert_int_equal(c.objects[1].triangle_count, 9);
    for (uint64_t i = 0; i < c.vertex_count; ++i) // it was flat
        assert_true(c.positions[3 * i + 2] == 0.0);
    capture_free(&c);
}

static graze_status refuse(void *user, const void *positions, uint64_t count)
{
    (void)positions;
    *(uint64_t *)user += count;
    return *(uint64_t *)user > 5000 ? GRAZE_ERROR_SPACE : GRAZE_OK;
}

static void bad_wishes_are_refused(void **state)
{
    graze_mesh *mesh = shape_of(*state, "box", 12, GRAZE_FLOAT32);
    graze_mesh_view view = graze_mesh_get(mesh), none = view, far = view;
    uint64_t seen = 0;
    graze_mesh_sink sink = {.user = &seen, .vertices = refuse};
    none.triangle_count = 0;
    none.object_count = 0;
    static float positions[24];
    far.positions = positions;
    for (int i = 0; i < 24; ++i)
        positions[i] = ((const float *)view.positions)[i] * 3.4e38f;
    const struct {
        const graze_mesh_view *view;
        generator_refine_def def;
        graze_status status;
    } wishes[] = {{&view, {.relief = -1.0}, GRAZE_ERROR_ARGUMENT},
                  {&view, {.relief = NAN}, GRAZE_ERROR_ARGUMENT},
                  {&view, {.relief = INFINITY}, GRAZE_ERROR_ARGUMENT},
                  {&view, {.factor = UINT64_C(1) << 41}, GRAZE_ERROR_ARGUMENT},
                  {&view, {.factor = UINT64_C(1) << 40}, GRAZE_ERROR_ARGUMENT},
                  {&view, {.triangle_count = UINT64_MAX}, GRAZE_ERROR_ARGUMENT},
                  {&none, {.factor = 4}, GRAZE_ERROR_FORMAT},
                  {&far, {.factor = 16}, GRAZE_ERROR_UNSUPPORTED},
                  {&view, {.factor = 1000000}, GRAZE_ERROR_SPACE}};
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; ++i)
        assert_int_equal(generator_refine_stream(wishes[i].view, &wishes[i].def, &sink),
                         wishes[i].status);
    assert_true(seen < 10000);
    graze_mesh_free(mesh);
}

// With every limit it either works or says that memory is short.
static void memory_is_limited(void **state)
{
    graze_mesh *mesh = shape_of(*state, "torus", 600, GRAZE_FLOAT32);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_mesh_sink sink = {0};
    uint64_t enough = 0;
    for (uint64_t limit = 1; enough == 0; limit += 997) {
        generator_refine_def def = {.factor = 25, .memory_byte_limit = limit};
        graze_status status = generator_refine_stream(&view, &def, &sink);
        assert_true(status == GRAZE_OK || status == GRAZE_ERROR_MEMORY);
        if (status == GRAZE_OK)
            enough = limit;
    }
    assert_true(enough > 20 * view.triangle_count && enough < 120 * view.triangle_count);
    graze_mesh_free(mesh);
}

static void bits_never_change(void **state)
{
    static const struct {
        const char *kind;
        uint64_t hash;
    } golden[] = {{"sphere", 0x211ae052c82eb0f3},
                  {"knot", 0x3535e7edcffe7379},
                  {"terrain", 0x232d5cc1fb9d2e90},
                  {"soup", 0xc539c0e92f8184dc}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; ++i) {
        graze_mesh *mesh = shape_of(*state, golden[i].kind, 500, GRAZE_FLOAT32);
        graze_mesh_view view = graze_mesh_get(mesh);
        generator_refine_def def = {.factor = 16, .relief = 0.1, .seed = 7};
        capture c = refined(&view, &def);
        def.precision = GRAZE_FLOAT64;
        capture d = refined(&view, &def);
        uint64_t hash = c.hash ^ shape_mix(d.hash);
        if (hash != golden[i].hash)
            print_error("{\"%s\", 0x%016llx}\n", golden[i].kind, (unsigned long long)hash);
        wrong += hash != golden[i].hash;
        capture_free(&c);
        capture_free(&d);
        graze_mesh_free(mesh);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(closed_stays_closed, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(the_surface_is_smooth, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(the_relief_is_as_high_as_asked_for, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(noise_is_smooth_and_bounded),
        cmocka_unit_test(what_is_no_triangle_stays_out),
        cmocka_unit_test_setup_teardown(bad_wishes_are_refused, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(memory_is_limited, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(bits_never_change, test_context_enter, test_context_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
