// graze_query_distance against the oracle: the distance, the true closest pair, and its points, for
// every SIMD width and both ways round; its limits; and comparisons of distances in extreme cases.
#include "test.h"

#include <math.h>

#include "asked_shapes.h"
#include "geometry/triangle.h"
#include "oracle.h"
#include "shapes.h"
#include "soups.h"

static graze_shape *shape_of(graze_context *context, const soup *s)
{
    static int turn = 0;
    graze_shape *shape = NULL;
    graze_shape_def def = graze_shape_def_default();
    def.layout = ++turn % 3 == 0 ? GRAZE_LAYOUT_COMPACT : GRAZE_LAYOUT_FAST;
    assert_int_equal(graze_shape_create(context, &s->view, &def, &shape), GRAZE_OK);
    return shape;
}

static bool same(graze_pair p, graze_pair q) { return p.a == q.a && p.b == q.b; }

// Moves b away by so many sizes of the case, so that most do not touch.
static void part_case(soup_case *c, double sizes)
{
    double size = 0;
    for (uint32_t i = 0; i < 3 * (uint32_t)c->a.view.vertex_count; ++i)
        size = fmax(size, fabs(c->a.position[i]));
    c->pose_b.translation[c->seed % 3] += sizes * size;
}

static double between(const double p[3], const double q[3])
{
    double scale = 0, sum = 0;
    for (int i = 0; i < 3; ++i)
        scale = fmax(scale, fabs(p[i] - q[i]));
    if (scale == 0)
        return 0;
    for (int i = 0; i < 3; ++i)
        sum += (p[i] - q[i]) / scale * ((p[i] - q[i]) / scale);
    return scale * sqrt(sum);
}

static void ask(graze_context *context, const soup_case *c, graze_distance *answer)
{
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_shape *a = shape_of(context, &c->a), *b = shape_of(context, &c->b);
    graze_distance swapped, value;
    assert_int_equal(
        graze_query_distance(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b), NULL, answer),
        GRAZE_OK);
    assert_int_equal(graze_query_distance(query, graze_at(b, &c->pose_b), graze_at(a, &c->pose_a),
                                          NULL, &swapped),
                     GRAZE_OK);
    assert_true(swapped.distance == answer->distance && swapped.verdict == answer->verdict);
    graze_distance_def def = graze_distance_def_default();
    def.value_only = 1;
    assert_int_equal(
        graze_query_distance(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b), &def, &value),
        GRAZE_OK);
    assert_true(value.distance == answer->distance);

    def.limit = answer->distance * 1.01;
    assert_int_equal(
        graze_query_distance(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b), &def, &value),
        GRAZE_OK);
    assert_true(value.verdict == GRAZE_CONTACT && value.distance == answer->distance);
    if (answer->distance > 1e-300) {
        def.limit = answer->distance * 0.99;
        assert_int_equal(graze_query_distance(query, graze_at(a, &c->pose_a),
                                              graze_at(b, &c->pose_b), &def, &value),
                         GRAZE_OK);
        assert_int_equal(value.verdict, GRAZE_APART);
    }
    graze_shape_free(a);
    graze_shape_free(b);
    graze_query_free(query);
}

static void distances_equal_oracle(void **state)
{
    (void)state;
    static soup_case c;
    for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd) {
        graze_context *context = test_context_of_width((graze_simd)simd);
        if (context == NULL)
            continue;
        int apart = 0;
        for (uint64_t seed = 3001; seed <= 3000 + TEST_CHANCES(60); ++seed) {
            soup_case_make(&c, seed, 40);
            part_case(&c, (double)(seed % 4) * 0.9);
            graze_distance answer;
            ask(context, &c, &answer);
            graze_pair closest = soup_case_closest(&c, answer.distance);
            if (answer.verdict != GRAZE_CONTACT || !same(closest, answer.pair))
                fail_msg("seed %llu: %u and %u instead of %u and %u", (unsigned long long)seed,
                         answer.pair.a, answer.pair.b, closest.a, closest.b);
            double size = fmax(fabs(answer.point_a[0]), fabs(answer.point_b[1])) + answer.distance;
            assert_true(fabs(between(answer.point_a, answer.point_b) - answer.distance) <=
                        1e-9 * size);
            apart += answer.distance > 0;
        }
        assert_true(apart > TEST_CHANCES(20));
        test_context_done(context);
    }
}

// One shape is 2^20 to 2^80 times as large as the other: farther than floats reach from its leaves.
static void tiny_beside_large(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 3101; seed <= 3100 + TEST_CHANCES(60); ++seed) {
        soup_case_make(&c, seed, 25);
        if (seed % 25 == 0)
            continue; // absurd already
        for (uint64_t i = 0; i < 3 * c.a.view.vertex_count; ++i) {
            c.a.position[i] = ldexp(c.a.position[i], -20 - (int)(seed % 61));
            c.a.narrow[i] = ldexpf(c.a.narrow[i], -20 - (int)(seed % 61));
        }
        graze_distance answer;
        ask(context, &c, &answer);
        graze_pair closest = soup_case_closest(&c, answer.distance);
        if (!same(closest, answer.pair))
            fail_msg("seed %llu: %u and %u instead of %u and %u", (unsigned long long)seed,
                     answer.pair.a, answer.pair.b, closest.a, closest.b);
    }
    test_context_done(context);
}

// A shape of generators/, whose surface is smooth: there the search looks deep into trees.
static graze_mesh *scene(graze_context *context, const char *kind, uint32_t triangles)
{
    generator_shape_def def = {.kind = kind, .triangle_count = triangles};
    graze_mesh *mesh = NULL;
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    return mesh;
}

static void triangle_in_world(const graze_mesh_view *view, uint64_t number, const graze_pose *pose,
                              graze_triangle *out)
{
    for (uint32_t k = 0; k < 3; ++k) {
        graze_mesh_view_corner(view, number, k, out->corner[k]);
        graze_pose_apply(pose, out->corner[k], out->corner[k]);
    }
}

// Bounds on the distance from all pairs, each bounded in double.
static void bound_all_pairs(const graze_mesh_view *a, const graze_mesh_view *b,
                            const graze_pose *pose_b, double *low, double *high)
{
    const graze_pose still = graze_pose_identity();
    *low = *high = (double)INFINITY;
    for (uint64_t i = 0; i < a->triangle_count; ++i) {
        graze_triangle s, t;
        triangle_in_world(a, i, &still, &s);
        for (uint64_t j = 0; j < b->triangle_count; ++j) {
            double least, most;
            triangle_in_world(b, j, pose_b, &t);
            gz_triangle_bounds(&s, &t, &least, &most);
            *low = fmin(*low, least);
            *high = fmin(*high, most);
        }
    }
}

static void deep_trees_equal_all_pairs(void **state)
{
    (void)state;
    static const char *const kinds[] = {"sphere", "knot", "torus", "gear"};
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    test_random random = {7};
    for (int turn = 0; turn < 16; ++turn) {
        graze_mesh *mesh[2] = {scene(context, kinds[turn % 4], 900),
                               scene(context, kinds[turn / 4], 900)};
        graze_mesh_view view[2] = {graze_mesh_get(mesh[0]), graze_mesh_get(mesh[1])};
        graze_shape *shape[2] = {NULL, NULL};
        for (int i = 0; i < 2; ++i) {
            graze_shape_def def = graze_shape_def_default();
            def.layout = (turn + i) % 3 == 0 ? GRAZE_LAYOUT_COMPACT : GRAZE_LAYOUT_FAST;
            assert_int_equal(graze_shape_create(context, &view[i], &def, &shape[i]), GRAZE_OK);
        }
        graze_pose still = graze_pose_identity(), pose = soup_pose(&random, 0);
        pose.translation[turn % 3] = soup_between(&random, 2.2, 4);
        graze_distance answer;
        double low, high;
        assert_int_equal(graze_query_distance(query, graze_at(shape[0], &still),
                                              graze_at(shape[1], &pose), NULL, &answer),
                         GRAZE_OK);
        bound_all_pairs(&view[0], &view[1], &pose, &low, &high);
        if (!(answer.distance >= low && answer.distance <= high && low > 0))
            fail_msg("turn %d: %.17g is not from %.17g to %.17g", turn, answer.distance, low, high);
        for (int i = 0; i < 2; ++i) {
            graze_shape_free(shape[i]);
            graze_mesh_free(mesh[i]);
        }
    }
    graze_query_free(query);
    test_context_done(context);
}

static void work_limits_never_pretend(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    int undecided = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        soup_case_make(&c, seed, 100);
        part_case(&c, (double)(seed % 4));
        graze_shape *a = shape_of(context, &c.a), *b = shape_of(context, &c.b);
        graze_distance whole, part = {.verdict = GRAZE_UNDECIDED};
        assert_int_equal(graze_query_distance(query, graze_at(a, &c.pose_a), graze_at(b, &c.pose_b),
                                              NULL, &whole),
                         GRAZE_OK);
        graze_distance_def def = graze_distance_def_default();
        for (def.work_limit = 1; part.verdict == GRAZE_UNDECIDED; def.work_limit *= 2) {
            assert_int_equal(graze_query_distance(query, graze_at(a, &c.pose_a),
                                                  graze_at(b, &c.pose_b), &def, &part),
                             GRAZE_OK);
            assert_true(part.distance >= whole.distance && part.least <= whole.distance);
            undecided += part.verdict == GRAZE_UNDECIDED;
        }
        assert_true(part.distance == whole.distance && same(part.pair, whole.pair));
        graze_shape_free(a);
        graze_shape_free(b);
    }
    assert_true(undecided > 20);
    graze_query_free(query);
    test_context_done(context);
}

// Triangles whose coordinates have all exponents there are make the longest numbers.
static void comparing_has_room(void **state)
{
    (void)state;
    test_random random = {7};
    oracle *o = oracle_create();
    mpq_t square[2];
    mpq_inits(square[0], square[1], NULL);
    int compared = 0;
    for (int round = 0; round < 300; ++round) {
        graze_triangle t[4];
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 9; ++k)
                t[i].corner[k / 3][k % 3] =
                    ldexp(test_unit(&random) - 0.5, (int)(test_next(&random) % 2000) - 1000);
        if (graze_triangle_meet(&t[0], &t[1]) || graze_triangle_meet(&t[2], &t[3]))
            continue;
        for (int i = 0; i < 2; ++i) {
            oracle_load(o, &t[2 * i], &t[2 * i + 1]);
            oracle_closest(o);
            mpz_set(mpq_numref(square[i]), o->numerator);
            mpz_set(mpq_denref(square[i]), o->denominator);
            mpq_canonicalize(square[i]);
            if (o->exponent >= 0)
                mpq_mul_2exp(square[i], square[i], 2 * (unsigned long)o->exponent);
            else
                mpq_div_2exp(square[i], square[i], 2 * (unsigned long)-o->exponent);
        }
        int order = mpq_cmp(square[0], square[1]);
        assert_int_equal(gz_triangle_compare(&t[0], &t[1], &t[2], &t[3]),
                         (order > 0) - (order < 0));
        assert_int_equal(gz_triangle_compare(&t[0], &t[1], &t[0], &t[1]), 0);
        ++compared;
    }
    assert_true(compared > 100);
    mpq_clears(square[0], square[1], NULL);
    oracle_destroy(o);
}

static graze_status ask_for_distance(const asked_shapes *shapes, graze_query *query)
{
    graze_distance answer;
    return graze_query_distance(query, graze_at(shapes->a, &shapes->pose_a),
                                graze_at(shapes->b, &shapes->pose_b), NULL, &answer);
}

static void failing_leaves_nothing_behind(void **state)
{
    (void)state;
    static soup_case c;
    soup_case_make(&c, 8, 150);
    part_case(&c, 3);
    graze_shape_def compact = graze_shape_def_default();
    compact.layout = GRAZE_LAYOUT_COMPACT;
    asked_shapes shapes = {.view_a = &c.a.view,
                           .view_b = &c.b.view,
                           .def_a = &compact,
                           .pose_a = c.pose_a,
                           .pose_b = c.pose_b,
                           .ask = ask_for_distance};
    assert_true(asked_shapes_fail(&shapes) > 10);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static soup s;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    test_random random = {1};
    soup_make(&random, &s, 20, 1, 0, false);
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_shape *shape = shape_of(context, &s), *nothing = NULL;
    graze_mesh_view empty = {.precision = GRAZE_FLOAT32};
    assert_int_equal(graze_shape_create(context, &empty, NULL, &nothing), GRAZE_OK);
    graze_pose still = graze_pose_identity();
    graze_distance_def def = graze_distance_def_default();
    graze_distance answer;
    assert_int_equal(graze_query_distance(query, graze_at(shape, &still), graze_at(nothing, &still),
                                          &def, &answer),
                     GRAZE_OK);
    assert_true(answer.verdict == GRAZE_APART && answer.distance == (double)INFINITY);
    def.limit = -1;
    assert_int_equal(graze_query_distance(query, graze_at(shape, &still), graze_at(shape, &still),
                                          &def, &answer),
                     GRAZE_ERROR_ARGUMENT);
    def.limit = (double)NAN;
    assert_int_equal(graze_query_distance(query, graze_at(shape, &still), graze_at(shape, &still),
                                          &def, &answer),
                     GRAZE_ERROR_ARGUMENT);
    def = (graze_distance_def){0};
    assert_int_equal(graze_query_distance(query, graze_at(shape, &still), graze_at(shape, &still),
                                          &def, &answer),
                     GRAZE_ERROR_ARGUMENT);
    graze_shape_free(shape);
    graze_shape_free(nothing);
    graze_query_free(query);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_trees_equal_all_pairs),
        cmocka_unit_test(distances_equal_oracle),
        cmocka_unit_test(work_limits_never_pretend),
        cmocka_unit_test(comparing_has_room),
        cmocka_unit_test(failing_leaves_nothing_behind),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(tiny_beside_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
