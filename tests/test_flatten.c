// Meshes laid out flat: every instance's triangles placed in the world.
#include "test.h"

#include <stdbool.h>

#include "faults.h"

#define VERTICES  12
#define TRIANGLES 2000

// A soup with objects out of order, instances and empty objects, placed or not.
typedef struct scene {
    float positions[3 * VERTICES];
    uint32_t corners[3 * TRIANGLES];
    graze_object objects[24];
    graze_mesh_view view;
} scene;

static double any_number(test_random *random) { return 20 * test_unit(random) - 10; }

static void add_object(scene *s, test_random *random, uint64_t first, uint64_t count, bool placed)
{
    graze_object object = {.name = "thing",
                           .group = "all",
                           .first_triangle = first,
                           .triangle_count = count,
                           .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    object.placed = placed;
    for (int i = 0; i < 12 && placed; ++i)
        object.matrix[i] = any_number(random);
    s->objects[s->view.object_count++] = object;
}

static void make_scene(scene *s, uint64_t seed, bool placing, bool sharing)
{
    test_random random = {seed};
    memset(s, 0, sizeof *s);
    s->view = (graze_mesh_view){.precision = GRAZE_FLOAT32,
                                .metres_per_unit = 0.01,
                                .vertex_count = VERTICES,
                                .triangle_count = TRIANGLES,
                                .positions = s->positions,
                                .corners = s->corners,
                                .objects = s->objects};
    for (int i = 0; i < 3 * VERTICES; ++i)
        s->positions[i] = (float)any_number(&random);
    for (int i = 0; i < 3 * TRIANGLES; ++i)
        s->corners[i] = (uint32_t)(test_next(&random) % VERTICES);
    for (uint64_t end = TRIANGLES; end > 0;) { // from the back: not in the order of triangles
        uint64_t count = 1 + test_next(&random) % 800;
        count = count < end ? count : end;
        uint64_t copies = sharing ? 1 + test_next(&random) % 3 : 1;
        for (uint64_t i = 0; i < copies && s->view.object_count < 20; ++i)
            add_object(s, &random, end - count, count, placing && test_next(&random) % 2 == 0);
        if (s->view.object_count >= 20)
            add_object(s, &random, 0, end - count, false);
        end = s->view.object_count >= 20 ? 0 : end - count;
    }
    add_object(s, &random, 5, 0, false);
}

static void place(const graze_object *object, double p[3])
{
    const double *m = object->matrix;
    double x = p[0], y = p[1], z = p[2];
    for (int i = 0; i < 3 && object->placed != 0; ++i, m += 4)
        p[i] = ((m[0] * x + m[1] * y) + m[2] * z) + m[3];
}

static void check_flat(const scene *s, const graze_mesh_view *flat, uint64_t seed)
{
    uint64_t triangle = 0;
    assert_int_equal(flat->object_count, s->view.object_count);
    assert_true(flat->metres_per_unit == 0.01);
    for (uint64_t o = 0; o < flat->object_count; ++o) {
        const graze_object *object = &s->view.objects[o];
        assert_int_equal(flat->objects[o].first_triangle, triangle);
        assert_int_equal(flat->objects[o].triangle_count, object->triangle_count);
        assert_int_equal(flat->objects[o].placed, 0);
        assert_true(flat->objects[o].matrix[0] == 1 && flat->objects[o].matrix[3] == 0);
        assert_string_equal(flat->objects[o].name, "thing");
        assert_string_equal(flat->objects[o].group, "all");
        for (uint64_t t = 0; t < object->triangle_count; ++t, ++triangle)
            for (uint32_t corner = 0; corner < 3; ++corner) {
                double expected[3], found[3];
                graze_mesh_view_corner(&s->view, object->first_triangle + t, corner, expected);
                place(object, expected);
                graze_mesh_view_corner(flat, triangle, corner, found);
                if (memcmp(expected, found, sizeof found) != 0)
                    fail_msg("seed %d: triangle %d of object %d", (int)seed, (int)t, (int)o);
            }
    }
    assert_int_equal(flat->triangle_count, triangle);
}

static void every_instance_stands_in_its_place(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        scene s;
        bool placing = seed % 2 == 0, sharing = seed % 4 < 2;
        graze_context *context = test_context(NULL);
        graze_mesh *mesh = NULL;
        make_scene(&s, seed, placing, sharing);
        assert_int_equal(graze_mesh_flatten(context, &s.view, &mesh), GRAZE_OK);
        graze_mesh_view flat = graze_mesh_get(mesh);
        check_flat(&s, &flat, seed);
        assert_int_equal(flat.precision, placing ? GRAZE_FLOAT64 : GRAZE_FLOAT32);
        if (!placing && !sharing) { // vertices stay as they were
            assert_int_equal(flat.vertex_count, VERTICES);
            assert_memory_equal(flat.positions, s.positions, sizeof s.positions);
        }
        graze_mesh_free(mesh);
        test_context_done(context);
    }
}

static void a_view_without_objects_is_one(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = NULL;
    graze_mesh_view empty = {.precision = GRAZE_FLOAT64};
    assert_int_equal(graze_mesh_flatten(context, &empty, &mesh), GRAZE_OK);
    graze_mesh_view flat = graze_mesh_get(mesh);
    assert_int_equal(flat.object_count, 1);
    assert_int_equal(flat.triangle_count, 0);
    assert_int_equal(flat.precision, GRAZE_FLOAT64);
    graze_mesh_free(mesh);
    test_context_done(context);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = NULL;
    scene s;
    make_scene(&s, 2, true, true);
    assert_int_equal(graze_mesh_flatten(NULL, &s.view, &mesh), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_mesh_flatten(context, NULL, &mesh), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_mesh_flatten(context, &s.view, NULL), GRAZE_ERROR_ARGUMENT);
    s.corners[7] = VERTICES;
    assert_int_equal(graze_mesh_flatten(context, &s.view, &mesh), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "graze_mesh_flatten: triangle 2"));
    s.corners[7] = 0;
    s.objects[0].placed = 1;
    s.objects[0].matrix[0] = s.objects[0].matrix[1] = 1e308;
    assert_int_equal(graze_mesh_flatten(context, &s.view, &mesh), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "out of the range of double"));
    assert_null(mesh);
    test_context_done(context);
}

static int always(void *user)
{
    (void)user;
    return 1;
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.cancel = always;
    graze_context *context = test_context(&def);
    graze_mesh *mesh = NULL;
    scene s;
    make_scene(&s, 3, true, true);
    assert_int_equal(graze_mesh_flatten(context, &s.view, &mesh), GRAZE_ERROR_CANCELLED);
    test_context_done(context);
}

static graze_status flatten_once(graze_context *context, void *data)
{
    graze_mesh *mesh = NULL;
    graze_status status = graze_mesh_flatten(context, &((scene *)data)->view, &mesh);
    graze_mesh_free(mesh);
    return status;
}

static void no_fault_leaks(void **state)
{
    (void)state;
    scene s;
    make_scene(&s, 2, true, true);
    assert_true(test_all_faults(flatten_once, &s, 1) >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instance_stands_in_its_place),
        cmocka_unit_test(a_view_without_objects_is_one),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(no_fault_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
