// The easy way to a shape is the right one: any file, and objects where they stand.
#include "test.h"

#include "models.h"
#include "shapes.h"

// A square of two triangles that stands at two places, 10 apart: one range, two objects.
static const float positions[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};

static graze_mesh_view two_squares(graze_object objects[2])
{
    for (int i = 0; i < 2; ++i) {
        objects[i] = (graze_object){
            .name = i == 0 ? "here" : "there", .group = "", .triangle_count = 2, .placed = 1};
        for (int axis = 0; axis < 3; ++axis)
            objects[i].matrix[5 * axis] = 1;
        objects[i].matrix[3] = 10 * i;
    }
    return (graze_mesh_view){.precision = GRAZE_FLOAT32,
                             .vertex_count = 4,
                             .triangle_count = 2,
                             .object_count = 2,
                             .positions = positions,
                             .corners = corners,
                             .objects = objects};
}

static void check_two_squares(graze_context *context, graze_shape *shape)
{
    graze_query *query = NULL;
    graze_ray ray;
    const double start[3] = {10.7, 0.2, -1}, end[3] = {10.7, 0.2, 1};
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_shape_info info = graze_shape_get_info(shape);
    assert_int_equal(info.triangle_count, 4);
    assert_true(info.box.min[0] == 0 && info.box.max[0] == 11);
    assert_int_equal(graze_query_ray(query, graze_at(shape, NULL), start, end, NULL, &ray),
                     GRAZE_OK);
    assert_true(ray.hit && ray.triangle == 2); // of the second object
    graze_query_free(query);
}

static void placed_objects_stand_where_they_are(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_object objects[2];
    graze_mesh_view view = two_squares(objects);
    for (int build = GRAZE_BUILD_BEST; build <= GRAZE_BUILD_LAZY; ++build) {
        graze_shape *shape = NULL;
        graze_shape_def def = graze_shape_def_default();
        def.build = (graze_build)build;
        assert_int_equal(graze_shape_create(context, &view, &def, &shape), GRAZE_OK);
        check_two_squares(context, shape);
        assert_int_equal(graze_shape_refit(shape, &view, NULL), GRAZE_OK);
        check_two_squares(context, shape);
        graze_shape_free(shape);
    }
    test_context_done(context);
}

static void any_file_is_read(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_object objects[2];
    graze_mesh_view view = two_squares(objects);
    char glb[MODEL_PATH_BYTES], model[MODEL_PATH_BYTES], saved[MODEL_PATH_BYTES];
    models_write(&view, models_path(glb, "squares.glb"));
    models_path(saved, "squares.shape");
    assert_int_equal(graze_model_build(context, glb, models_path(model, "squares.graze"), NULL),
                     GRAZE_OK);
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_read(context, glb, NULL, &shape), GRAZE_OK);
    check_two_squares(context, shape);
    assert_int_equal(graze_shape_save(shape, saved), GRAZE_OK);
    graze_shape_free(shape);
    assert_int_equal(graze_shape_read(context, model, NULL, &shape), GRAZE_OK);
    check_two_squares(context, shape);
    graze_shape_free(shape); // and the model with it
    assert_int_equal(graze_shape_read(context, saved, NULL, &shape), GRAZE_OK);
    check_two_squares(context, shape);
    graze_shape_free(shape);
    remove(glb);
    remove(model);
    remove(saved);
    assert_int_equal(graze_shape_read(context, glb, NULL, &shape), GRAZE_ERROR_IO);
    assert_null(shape);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placed_objects_stand_where_they_are),
        cmocka_unit_test(any_file_is_read),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
