// Defs of older programs: they end sooner, and what stands behind them in memory is not theirs.
#include "test.h"

#include <math.h>

#include <stdlib.h>

#include "models.h"
#include "shapes.h"

// A copy that ends after `size` bytes, with 0xff behind it up to the end of the present def.
static void *older(const void *def, uint32_t bytes, uint32_t size)
{
    uint8_t *copy = malloc(bytes);
    assert_non_null(copy);
    memset(copy, 0xff, bytes);
    memcpy(copy, def, size);
    memcpy(copy, &size, sizeof size);
    return copy;
}

// Where members end: the sizes that structs have had, or may have had, before the next was added.
#define END(type, member) (uint32_t)(offsetof(type, member) + sizeof(((type *)0)->member))

typedef struct asked {
    graze_context *context;
    graze_shape *a, *b;
    graze_query *query;
} asked;

static void open_asked(asked *q)
{
    generator_shape_def def = {.kind = "gear", .triangle_count = 2000, .size = 2};
    graze_mesh *mesh = NULL;
    q->context = test_context(NULL);
    assert_int_equal(generator_shape_make(q->context, &def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_int_equal(graze_shape_create(q->context, &view, NULL, &q->a), GRAZE_OK);
    assert_int_equal(graze_shape_create(q->context, &view, NULL, &q->b), GRAZE_OK);
    assert_int_equal(graze_query_create(q->context, &q->query), GRAZE_OK);
    graze_mesh_free(mesh);
}

static void close_asked(asked *q)
{
    graze_query_free(q->query);
    graze_shape_free(q->a);
    graze_shape_free(q->b);
    test_context_done(q->context);
}

static graze_pose moved_by(double x)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = 0.21;
    return pose;
}

static void collide_of_any_age(void **state)
{
    (void)state;
    asked q;
    open_asked(&q);
    const uint32_t sizes[] = {
        END(graze_collide_def, collect),     END(graze_collide_def, tolerance),
        END(graze_collide_def, pair_limit),  END(graze_collide_def, work_limit),
        END(graze_collide_def, use_threads), END(graze_collide_def, any_order),
        END(graze_collide_def, front),       END(graze_collide_def, error),
        END(graze_collide_def, time_limit),  END(graze_collide_def, error_function),
        sizeof(graze_collide_def),
    };
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    graze_pose pose = moved_by(0.3);
    graze_answer answer;
    assert_int_equal(
        graze_query_collide(q.query, graze_at(q.a, NULL), graze_at(q.b, &pose), &def, &answer),
        GRAZE_OK);
    uint64_t count = answer.pair_count;
    graze_pair *pairs = malloc(count * sizeof *pairs);
    assert_true(count > 100 && pairs != NULL);
    memcpy(pairs, answer.pairs, count * sizeof *pairs);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        graze_collide_def *old = older(&def, sizeof def, sizes[i]);
        assert_int_equal(
            graze_query_collide(q.query, graze_at(q.a, NULL), graze_at(q.b, &pose), old, &answer),
            GRAZE_OK);
        assert_int_equal(answer.pair_count, count);
        assert_memory_equal(answer.pairs, pairs, count * sizeof *pairs); // sorted, too
        graze_answer many;
        assert_int_equal(
            graze_query_collide_many(q.query, graze_at(q.a, NULL), q.b, &pose, 1, old, &many),
            GRAZE_OK);
        assert_memory_equal(many.pairs, pairs, count * sizeof *pairs);
        free(old);
    }
    free(pairs);
    close_asked(&q);
}

static void other_questions_of_any_age(void **state)
{
    (void)state;
    asked q;
    open_asked(&q);
    graze_pose pose = moved_by(5);
    graze_distance_def distance_def = graze_distance_def_default();
    graze_distance want, got;
    assert_int_equal(
        graze_query_distance(q.query, graze_at(q.a, NULL), graze_at(q.b, &pose), NULL, &want),
        GRAZE_OK);
    const uint32_t distance_sizes[] = {sizeof(uint32_t),
                                       END(graze_distance_def, limit),
                                       END(graze_distance_def, work_limit),
                                       END(graze_distance_def, value_only),
                                       END(graze_distance_def, error),
                                       sizeof(graze_distance_def)};
    for (size_t i = 0; i < sizeof distance_sizes / sizeof *distance_sizes; ++i) {
        graze_distance_def *old = older(&distance_def, sizeof distance_def, distance_sizes[i]);
        assert_int_equal(
            graze_query_distance(q.query, graze_at(q.a, NULL), graze_at(q.b, &pose), old, &got),
            GRAZE_OK);
        assert_true(got.distance == want.distance && got.pair.a == want.pair.a &&
                    got.pair.b == want.pair.b);
        free(old);
    }
    pose = moved_by(0.3);
    graze_penetration_def depth_def = graze_penetration_def_default();
    graze_penetration deep, depth;
    assert_int_equal(
        graze_query_penetration(q.query, graze_at(q.a, NULL), graze_at(q.b, &pose), NULL, &deep),
        GRAZE_OK);
    const uint32_t depth_sizes[] = {sizeof(uint32_t), END(graze_penetration_def, error),
                                    END(graze_penetration_def, floor)};
    for (size_t i = 0; i < sizeof depth_sizes / sizeof *depth_sizes; ++i) {
        graze_penetration_def *old = older(&depth_def, sizeof depth_def, depth_sizes[i]);
        assert_int_equal(graze_query_penetration(q.query, graze_at(q.a, NULL), graze_at(q.b, &pose),
                                                 old, &depth),
                         GRAZE_OK);
        assert_true(depth.low == deep.low && depth.high == deep.high);
        free(old);
    }
    graze_ray_def ray_def = graze_ray_def_default();
    graze_ray_def *old = older(&ray_def, sizeof ray_def, sizeof(uint32_t));
    graze_ray ray;
    const double start[3] = {0.3, 0.3, -9}, end[3] = {0.3, 0.3, 9};
    assert_int_equal(graze_query_ray(q.query, graze_at(q.a, NULL), start, end, old, &ray),
                     GRAZE_OK);
    assert_int_equal(ray.hit_count, 0); // nobody asked for it
    free(old);
    close_asked(&q);
}

static void makers_of_any_age(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char mesh[MODEL_PATH_BYTES], model[MODEL_PATH_BYTES];
    models_make("torus", 600, GRAZE_FLOAT32, models_path(mesh, "old.ply"));
    models_path(model, "old.graze");
    graze_model_build_def build = graze_model_build_def_default();
    const uint32_t build_sizes[] = {sizeof(uint32_t), END(graze_model_build_def, memory_bytes),
                                    END(graze_model_build_def, read), sizeof build};
    for (size_t i = 0; i < sizeof build_sizes / sizeof *build_sizes; ++i) {
        graze_model_build_def *old = older(&build, sizeof build, build_sizes[i]);
        assert_int_equal(graze_model_build(context, mesh, model, old), GRAZE_OK);
        free(old);
    }
    graze_shape_def shape_def = graze_shape_def_default();
    const uint32_t shape_sizes[] = {sizeof(uint32_t), END(graze_shape_def, build),
                                    sizeof shape_def};
    for (size_t i = 0; i < sizeof shape_sizes / sizeof *shape_sizes; ++i) {
        graze_shape_def *old = older(&shape_def, sizeof shape_def, shape_sizes[i]);
        graze_shape *shape = NULL;
        assert_int_equal(graze_shape_read(context, mesh, old, &shape), GRAZE_OK);
        assert_int_equal(graze_shape_get_info(shape).layout, GRAZE_LAYOUT_FAST);
        graze_shape_free(shape);
        free(old);
    }
    graze_inspect_def inspect = graze_inspect_def_default();
    graze_inspect_def *old = older(&inspect, sizeof inspect, END(graze_inspect_def, counts_only));
    graze_mesh_report *report = NULL;
    assert_int_equal(graze_mesh_inspect(context, mesh, old, &report), GRAZE_OK);
    graze_mesh_report_free(context, report);
    free(old);
    remove(mesh);
    remove(model);
    test_context_done(context);
}

// Not made by its default function, or newer than the library: refused with a sentence.
static void no_def_of_ours(void **state)
{
    (void)state;
    asked q;
    open_asked(&q);
    graze_answer answer;
    graze_collide_def def = graze_collide_def_default();
    for (int newer = 0; newer < 2; ++newer) {
        def.struct_size = newer ? (uint32_t)sizeof def + 8 : 0;
        assert_int_equal(
            graze_query_collide(q.query, graze_at(q.a, NULL), graze_at(q.b, NULL), &def, &answer),
            GRAZE_ERROR_ARGUMENT);
        assert_non_null(
            strstr(test_last_error, newer ? "newer version" : "struct_size is not set"));
    }
    close_asked(&q);
}

// An error or a time that is none.
static void errors_and_budgets_are_checked(void **state)
{
    (void)state;
    asked q;
    open_asked(&q);
    graze_answer answer;
    graze_distance distance;
    const double wrong[] = {-1, HUGE_VAL, NAN};
    for (int i = 0; i < 3; ++i) {
        graze_collide_def def = graze_collide_def_default();
        graze_distance_def distance_def = graze_distance_def_default();
        def.error = distance_def.error = wrong[i];
        assert_int_equal(
            graze_query_collide(q.query, graze_at(q.a, NULL), graze_at(q.b, NULL), &def, &answer),
            GRAZE_ERROR_ARGUMENT);
        assert_non_null(strstr(test_last_error, "an error or a time limit"));
        assert_int_equal(graze_query_distance(q.query, graze_at(q.a, NULL), graze_at(q.b, NULL),
                                              &distance_def, &distance),
                         GRAZE_ERROR_ARGUMENT);
        def.error = 0;
        def.time_limit = i == 1 ? -HUGE_VAL : wrong[i];
        assert_int_equal(
            graze_query_collide(q.query, graze_at(q.a, NULL), graze_at(q.b, NULL), &def, &answer),
            GRAZE_ERROR_ARGUMENT);
    }
    close_asked(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collide_of_any_age),
        cmocka_unit_test(other_questions_of_any_age),
        cmocka_unit_test(makers_of_any_age),
        cmocka_unit_test(no_def_of_ours),
        cmocka_unit_test(errors_and_budgets_are_checked),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
