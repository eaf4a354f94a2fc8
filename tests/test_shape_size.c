// What shapes take, beside the bare mesh, in both layouts; what they refuse; and that a
// failing allocation leaves nothing behind.
#include "test.h"

#include "faults.h"
#include "shapes.h"

static graze_mesh *make(graze_context *context, const char *kind, uint64_t triangle_count)
{
    generator_shape_def def = {.kind = kind, .triangle_count = triangle_count, .seed = 1};
    graze_mesh *mesh = NULL;
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    return mesh;
}

static double bytes_beyond(graze_context *context, const graze_mesh_view *view, graze_layout layout)
{
    graze_shape_def def = graze_shape_def_default();
    def.layout = layout;
    graze_shape *shape = NULL;
    uint64_t before = graze_context_memory(context).current_bytes;
    assert_int_equal(graze_shape_create(context, view, &def, &shape), GRAZE_OK);
    uint64_t taken = graze_context_memory(context).current_bytes - before;
    graze_shape_info info = graze_shape_get_info(shape);
    assert_int_equal(info.triangle_count, view->triangle_count);
    assert_int_equal(info.layout, layout);
    assert_true(info.byte_count <= taken && info.byte_count + 4096 > taken);
    graze_shape_free(shape);
    double bare = (double)(view->vertex_count * 3 * (uint64_t)view->precision +
                           view->triangle_count * sizeof(uint32_t[3]));
    return ((double)taken - bare) / (double)view->triangle_count;
}

// The promise of the header: at most 20 and 6 bytes a triangle beyond vertices and indices, in both
// precisions.
static void shapes_are_small(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    const char *kinds[] = {"sphere", "torus", "knot", "terrain"};
    for (int i = 0; i < (TEST_SANITIZED ? 1 : 4); ++i) {
        graze_mesh *mesh = make(context, kinds[i], 200000);
        graze_mesh_view view = graze_mesh_get(mesh);
        double fast = bytes_beyond(context, &view, GRAZE_LAYOUT_FAST);
        double compact = bytes_beyond(context, &view, GRAZE_LAYOUT_COMPACT);
        double *wide = test_malloc(view.vertex_count * sizeof(double[3]));
        for (uint64_t k = 0; k < 3 * view.vertex_count; ++k)
            wide[k] = (double)((const float *)view.positions)[k];
        view.positions = wide;
        view.precision = GRAZE_FLOAT64;
        double fast_wide = bytes_beyond(context, &view, GRAZE_LAYOUT_FAST);
        double compact_wide = bytes_beyond(context, &view, GRAZE_LAYOUT_COMPACT);
        print_message("%s: %.2f and %.2f bytes a triangle beyond the mesh; doubles %.2f and %.2f\n",
                      kinds[i], fast, compact, fast_wide, compact_wide);
        assert_true(fast <= 20 && compact <= 6 && fast_wide <= 20 && compact_wide <= 6);
        test_free(wide);
        graze_mesh_free(mesh);
    }
    test_context_done(context);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = make(context, "sphere", 100);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_shape *shape = NULL;
    graze_shape_def def = graze_shape_def_default();
    assert_int_equal(graze_shape_create(NULL, &view, &def, &shape), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_shape_create(context, NULL, &def, &shape), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_shape_create(context, &view, &def, NULL), GRAZE_ERROR_ARGUMENT);
    def.layout = (graze_layout)7;
    assert_int_equal(graze_shape_create(context, &view, &def, &shape), GRAZE_ERROR_ARGUMENT);
    def = graze_shape_def_default();
    def.build = (graze_build)7;
    assert_int_equal(graze_shape_create(context, &view, &def, &shape), GRAZE_ERROR_ARGUMENT);
    def = (graze_shape_def){0};
    assert_int_equal(graze_shape_create(context, &view, &def, &shape), GRAZE_ERROR_ARGUMENT);
    assert_null(shape);
    graze_shape_free(NULL);
    graze_mesh_free(mesh);
    test_context_done(context);
}

static graze_status build(graze_context *context, void *data)
{
    graze_shape_def def = graze_shape_def_default();
    def.layout = GRAZE_LAYOUT_COMPACT;
    graze_shape *shape = NULL;
    graze_status status = graze_shape_create(context, data, &def, &shape);
    graze_shape_free(shape);
    return status;
}

static void failing_leaves_nothing_behind(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = make(context, "terrain", 30000); // several tasks
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_true(test_all_faults(build, &view, TEST_SANITIZED ? 5 : 1) > (TEST_SANITIZED ? 8 : 20));
    graze_mesh_free(mesh);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_small),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(failing_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
