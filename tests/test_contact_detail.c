// Contact details: built, and asked along paths of poses, against the exact engine.
#include <math.h>
#include <stdlib.h>

#include "shapes.h"
#include "test.h"

typedef struct body {
    graze_mesh *mesh;
    graze_shape *shape;
    graze_contact_detail *detail;
} body;

static body make_body(graze_context *context, const char *kind, uint64_t count, uint64_t seed,
                      const graze_contact_detail_def *def)
{
    body b = {0};
    generator_shape_def shape = {.kind = kind, .triangle_count = count, .seed = seed};
    assert_int_equal(generator_shape_make(context, &shape, &b.mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(b.mesh);
    assert_int_equal(graze_shape_create(context, &view, NULL, &b.shape), GRAZE_OK);
    assert_int_equal(graze_contact_detail_build(context, &view, def, &b.detail), GRAZE_OK);
    return b;
}

static void free_body(body *b)
{
    graze_contact_detail_free(b->detail);
    graze_shape_free(b->shape);
    graze_mesh_free(b->mesh);
}

static graze_detailed side(const body *b, const graze_pose *pose)
{
    return (graze_detailed){b->shape, b->detail, pose};
}

static graze_pose random_pose(test_random *random, double reach)
{
    double axis[3] = {test_unit(random) - 0.5, test_unit(random) - 0.5, test_unit(random) - 0.5};
    double shift[3];
    for (int i = 0; i < 3; ++i)
        shift[i] = reach * (2 * test_unit(random) - 1);
    graze_pose pose;
    assert_int_equal(graze_pose_from_axis(axis, 6.3 * test_unit(random), shift, &pose), GRAZE_OK);
    return pose;
}

static void exact_answers_are_exact(void **state)
{
    graze_context *context = *state;
    static const char *const kinds[] = {"sphere", "box", "torus", "cup", "spoon", "digit", "gear"};
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    test_random random = {1};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        body a = make_body(context, kinds[i], 800, i, NULL);
        body b = make_body(context, kinds[(i + 1) % 7], 700, i, NULL);
        for (int turn = 0; turn < TEST_CHANCES(100); ++turn) {
            graze_pose pose_a = random_pose(&random, 0.2), pose_b = random_pose(&random, 0.7);
            graze_collide_def exact = graze_collide_def_default();
            graze_detail_collide_def def = graze_detail_collide_def_default();
            exact.tolerance = def.tolerance = turn % 3 == 0 ? 0 : 0.03 * test_unit(&random);
            graze_answer truth;
            graze_detail_answer answer;
            graze_detailed sa = side(&a, &pose_a), sb = side(&b, &pose_b);
            assert_int_equal(graze_query_collide(query, graze_at(a.shape, &pose_a),
                                                 graze_at(b.shape, &pose_b), &exact, &truth),
                             GRAZE_OK);
            assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &answer), GRAZE_OK);
            assert_int_equal(truth.verdict, answer.verdict);
            assert_int_equal(answer.engine, GRAZE_ENGINE_CONTACT_DETAIL);
        }
        free_body(&a);
        free_body(&b);
    }
    graze_query_free(query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(exact_answers_are_exact, test_context_enter,
                                        test_context_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
