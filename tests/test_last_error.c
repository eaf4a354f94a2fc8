// Every failure comes with a sentence, also for programs without a log.
#include "test.h"

#include <pthread.h>
#include <unistd.h>

#include "base/context.h"
#include "base/threads.h"

static graze_context *context; // without a log

static void says(graze_status status, const graze_context *of, const char *word)
{
    assert_int_not_equal(status, GRAZE_OK);
    const char *sentence = graze_context_error(of);
    if (strstr(sentence, word) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", sentence, word);
    gz_fail(context, GRAZE_ERROR_IO, "something else"); // so that the next one is new
    gz_fail(NULL, GRAZE_ERROR_IO, "something else");
}

static void null_arguments(void **state)
{
    (void)state;
    graze_mesh *mesh = NULL;
    graze_shape *shape = NULL;
    graze_query *query = NULL, *made = NULL;
    graze_front *front = NULL;
    graze_model *model = NULL;
    graze_answer answer;
    graze_distance distance;
    graze_penetration depth;
    graze_containment nesting;
    graze_place place;
    graze_ray ray;
    const double point[3] = {0, 0, 0};
    says(graze_mesh_read(context, NULL, NULL, &mesh), context, "graze_mesh_read");
    says(graze_mesh_read(context, "x", NULL, NULL), context, "graze_mesh_read");
    says(graze_mesh_read(NULL, "x", NULL, &mesh), NULL, "graze_mesh_read");
    says(graze_mesh_inspect(context, NULL, NULL, NULL), context, "graze_mesh_inspect");
    says(graze_mesh_flatten(context, NULL, &mesh), context, "graze_mesh_flatten");
    says(graze_mesh_create(context, NULL, &mesh), context, "graze_mesh_create");
    says(graze_shape_create(context, NULL, NULL, &shape), context, "graze_shape_create");
    says(graze_shape_create(context, NULL, NULL, NULL), context, "graze_shape_create");
    says(graze_shape_read(context, NULL, NULL, &shape), context, "graze_shape_read");
    says(graze_shape_load(context, NULL, &shape), context, "graze_shape_load");
    says(graze_shape_save(NULL, "x"), NULL, "graze_shape_save");
    says(graze_shape_refit(NULL, NULL, NULL), NULL, "graze_shape_refit");
    says(graze_shape_closed(NULL, NULL), NULL, "graze_shape_closed");
    says(graze_shape_from_model(NULL, &shape), NULL, "graze_shape_from_model");
    says(graze_model_open(context, NULL, &model), context, "graze_model_open");
    says(graze_model_build(context, NULL, NULL, NULL), context, "graze_model_build");
    says(graze_query_create(context, NULL), context, "graze_query_create");
    says(graze_query_create(NULL, &made), NULL, "graze_query_create");
    says(graze_front_create(context, NULL), context, "graze_front_create");
    says(graze_front_create(NULL, &front), NULL, "graze_front_create");
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_posed nothing = graze_at(NULL, NULL);
    says(graze_query_collide(query, nothing, nothing, NULL, &answer), context, "a shape is NULL");
    says(graze_query_collide(query, nothing, nothing, NULL, NULL), context, "graze_query_collide");
    says(graze_query_collide(NULL, nothing, nothing, NULL, &answer), NULL, "graze_query_collide");
    says(graze_query_collide_many(query, nothing, NULL, NULL, 1, NULL, &answer), context,
         "graze_query_collide_many");
    says(graze_query_distance(query, nothing, nothing, NULL, NULL), context,
         "graze_query_distance");
    says(graze_query_distance_many(query, nothing, NULL, NULL, 1, NULL, &distance), context,
         "graze_query_distance_many");
    says(graze_query_penetration(query, nothing, nothing, NULL, &depth), context,
         "a shape is NULL");
    says(graze_query_contain(query, nothing, nothing, &nesting), context, "a shape is NULL");
    says(graze_query_inside(query, nothing, point, &place), context, "a shape is NULL");
    says(graze_query_ray(query, nothing, point, point, NULL, &ray), context, "a shape is NULL");
    graze_query_free(query);
}

static void points_and_poses(void **state)
{
    (void)state;
    const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t corners[3] = {0, 1, 2};
    const double axis[3] = {0, 0, 1}, nowhere[3] = {0, 0, 0}, quaternion[4] = {0, 0, 0, 1};
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = 3,
                            .triangle_count = 1,
                            .positions = positions,
                            .corners = corners};
    graze_shape *shape = NULL;
    graze_query *query = NULL;
    graze_ray ray;
    graze_place place;
    graze_pose pose;
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    says(graze_query_ray(query, graze_at(shape, NULL), NULL, axis, NULL, &ray), context, "point");
    says(graze_query_inside(query, graze_at(shape, NULL), NULL, &place), context, "point");
    assert_int_equal(graze_pose_from_axis(axis, 1, NULL, &pose), GRAZE_OK); // no translation
    assert_true(pose.translation[0] == 0 && graze_pose_check(&pose) == GRAZE_OK);
    assert_int_equal(graze_pose_from_quaternion(quaternion, NULL, &pose), GRAZE_OK);
    says(graze_pose_from_axis(nowhere, 1, NULL, &pose), NULL, "graze_pose_from_axis");
    says(graze_pose_from_axis(NULL, 1, NULL, &pose), NULL, "graze_pose_from_axis");
    says(graze_pose_from_axis(axis, 1, NULL, NULL), NULL, "graze_pose_from_axis");
    says(graze_pose_from_quaternion(NULL, NULL, &pose), NULL, "graze_pose_from_quaternion");
    says(graze_pose_check(NULL), NULL, "graze_pose_check");
    pose.rotation[0] = 7;
    says(graze_pose_check(&pose), NULL, "rotation");
    graze_query_free(query);
    graze_shape_free(shape);
}

static void contexts_that_are_refused(void **state)
{
    (void)state;
    graze_context *made = NULL;
    graze_context_def def = {0};
    says(graze_context_create(&def, &made), NULL, "struct_size");
    says(graze_context_create(NULL, NULL), NULL, "graze_context_create");
    def = graze_context_def_default();
    def.simd = (graze_simd)99;
    says(graze_context_create(&def, &made), NULL, "SIMD");
    def = graze_context_def_default();
    def.allocator.release = (void (*)(void *, void *, uint64_t))(uintptr_t)1;
    says(graze_context_create(&def, &made), NULL, "allocator");
    assert_null(made);
}

static void fail_one(void *data, uint32_t index)
{
    (void)data;
    if (index == 1)
        gz_fail(context, GRAZE_ERROR_IO, "task %u went wrong", index);
    else
        usleep(1000);
}

// What a worker says reaches the thread that began the loop, and no other thread.
static void *other_thread(void *data)
{
    (void)data;
    assert_string_equal(graze_context_error(context), "");
    return NULL;
}

static void sentences_of_threads(void **state)
{
    (void)state;
    for (int round = 0; round < 20; ++round) {
        gz_fail(context, GRAZE_ERROR_IO, "before");
        gz_parallel(context, 8, fail_one, NULL);
        assert_string_equal(graze_context_error(context), "task 1 went wrong");
    }
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
    pthread_join(thread, NULL);
}

int main(void)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = 3;
    if (graze_context_create(&def, &context) != GRAZE_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_arguments),
        cmocka_unit_test(points_and_poses),
        cmocka_unit_test(contexts_that_are_refused),
        cmocka_unit_test(sentences_of_threads),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    graze_context_destroy(context);
    return failed;
}
