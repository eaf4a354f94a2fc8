// Rays with an error: what the exact ray meets is never missed, nothing is met before the place
// that is told, and at that place the model is as near as is said.
#include "test.h"

#include <math.h>
#include <stdbool.h>

#include "bodies.h"
#include "both_ways.h"

#define LOOSE (1 + 1e-9)

typedef struct tally {
    uint64_t apart, within, contact, met, near_misses;
} tally;

static void segment_of(const body *b, const graze_pose *pose, test_random *random, double start[3],
                       double end[3])
{
    int kind = (int)(test_next(random) % 5);
    for (int axis = 0; axis < 3; ++axis) {
        start[axis] = b->size * (2 * test_unit(random) - 1);
        end[axis] = b->size * (2 * test_unit(random) - 1);
        if (kind == 1) // as long as somebody looks who does not know how far
            end[axis] *= 100;
    }
    if (kind == 2) // along an axis
        end[0] = start[0], end[1] = start[1];
    if (kind == 3) { // past a corner of a triangle, or right through it
        const double *corner = b->t.corner[test_next(random) % b->t.count][test_next(random) % 3];
        double by = test_next(random) % 3 == 0 ? 0 : 0.01 * b->size * test_unit(random);
        for (int axis = 0; axis < 3; ++axis)
            end[axis] = 2 * corner[axis] - start[axis] + by;
    }
    if (kind == 4) // short
        for (int axis = 0; axis < 3; ++axis)
            end[axis] = start[axis] + 0.1 * end[axis];
    for (int i = 0; i < 2; ++i) {
        double *p = i == 0 ? start : end;
        graze_pose_apply(pose, p, p);
    }
}

static double from_body(const body *b, const graze_pose *pose, const double point[3])
{
    double local[3], moved[3];
    for (int axis = 0; axis < 3; ++axis)
        moved[axis] = point[axis] - pose->translation[axis];
    for (int axis = 0; axis < 3; ++axis)
        local[axis] = pose->rotation[axis] * moved[0] + pose->rotation[3 + axis] * moved[1] +
                      pose->rotation[6 + axis] * moved[2];
    return triangles_distance(&b->t, local);
}

static void check_ray(const body *b, const graze_pose *pose, graze_query *query, graze_query *other,
                      test_random *random, tally *sum)
{
    double start[3], end[3];
    graze_ray_def def = graze_ray_def_default();
    graze_ray exact, got, again;
    segment_of(b, pose, random, start, end);
    assert_int_equal(graze_query_ray(other, graze_at(b->exact, pose), start, end, &def, &exact),
                     GRAZE_OK);
    def.error = b->size * ldexp(1 + test_unit(random), -2 - (int)(test_next(random) % 14));
    assert_int_equal(graze_query_ray(query, graze_at(b->paged, pose), start, end, &def, &got),
                     GRAZE_OK);
    if (exact.hit && !got.hit)
        fail_msg("a ray that meets triangle %u is missed", exact.triangle);
    if (exact.hit && !(got.t <= exact.t))
        fail_msg("met at %.17g, before %.17g", exact.t, got.t);
    assert_true(got.hit == (got.verdict != GRAZE_APART) && got.verdict != GRAZE_UNDECIDED);
    if (got.verdict == GRAZE_CONTACT)
        assert_true(exact.hit && exact.t == got.t && got.error == 0);
    if (got.hit) {
        assert_true(got.t >= 0 && got.t <= 1 && got.error <= def.error * LOOSE + 1e-9 * b->size);
        double far = from_body(b, pose, got.point);
        if (!(far <= got.error * LOOSE + 1e-9 * b->size))
            fail_msg("the model is %g from the point, not %g", far, got.error);
        for (int axis = 0; axis < 3; ++axis)
            assert_true(fabs(got.point[axis] - start[axis] - got.t * (end[axis] - start[axis])) <
                        1e-9 * b->size);
    }
    sum->apart += got.verdict == GRAZE_APART;
    sum->within += got.verdict == GRAZE_WITHIN_ERROR;
    sum->contact += got.verdict == GRAZE_CONTACT;
    sum->met += exact.hit != 0;
    sum->near_misses += got.hit && !exact.hit;
    def.count_all = 1; // looks at all of them, in another order
    assert_int_equal(graze_query_ray(other, graze_at(b->paged, pose), start, end, &def, &again),
                     GRAZE_OK);
    assert_true(again.hit == got.hit && again.t == got.t && again.triangle == got.triangle);
    assert_true(again.verdict == got.verdict && again.error == got.error);
    assert_true((again.hit_count != 0) == (got.hit != 0) && again.hit_count >= got.hit);
}

static void never_misses(void **state)
{
    (void)state;
    tally sum = {0};
    for (int kind = 0; kind < BODY_KINDS; ++kind) {
        test_random random = {.state = 40 + (uint64_t)kind};
        graze_context *context =
            both_ways_context(1, kind % 2 == 0 ? 2 : 64, 8 + 8 * (uint32_t)(kind % 4));
        graze_query *query = NULL, *other = NULL;
        body b;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        assert_int_equal(graze_query_create(context, &other), GRAZE_OK);
        body_make(context, kind, kind % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64, 900, &b);
        for (uint64_t i = 0; i < TEST_CHANCES(600); ++i) {
            graze_pose pose = bodies_pose(&random, b.size);
            check_ray(&b, &pose, query, other, &random, &sum);
        }
        body_free(&b);
        graze_query_free(query);
        graze_query_free(other);
        test_context_done(context);
    }
    assert_true(sum.apart > 100 && sum.within > 100 && sum.contact > 20 && sum.met > 100);
    assert_true(sum.near_misses < sum.within / 2 + 500);
}

// Far from the origin, where what the world rounds away is more than bounds and errors.
static void far_away(void **state)
{
    (void)state;
    graze_context *context = both_ways_context(1, 64, 16);
    graze_query *query = NULL, *other = NULL;
    body b;
    tally sum = {0};
    test_random random = {.state = 55};
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &other), GRAZE_OK);
    body_make(context, 0, GRAZE_FLOAT64, 900, &b);
    for (uint64_t i = 0; i < TEST_CHANCES(400); ++i) {
        graze_pose pose = bodies_pose(&random, b.size);
        double start[3], end[3], far = ldexp(1, 10 + (int)(test_next(&random) % 34));
        graze_ray_def def = graze_ray_def_default();
        graze_ray exact, got;
        for (int axis = 0; axis < 3; ++axis)
            pose.translation[axis] += far;
        segment_of(&b, &pose, &random, start, end);
        assert_int_equal(graze_query_ray(other, graze_at(b.exact, &pose), start, end, &def, &exact),
                         GRAZE_OK);
        def.error = b.size * ldexp(1, -2 - (int)(test_next(&random) % 14));
        assert_int_equal(graze_query_ray(query, graze_at(b.paged, &pose), start, end, &def, &got),
                         GRAZE_OK);
        assert_true(!exact.hit || (got.hit && got.t <= exact.t));
        if (got.verdict == GRAZE_CONTACT)
            assert_true(exact.hit && exact.t == got.t);
        sum.met += exact.hit != 0;
    }
    assert_true(sum.met > TEST_CHANCES(400) / 10);
    body_free(&b);
    graze_query_free(query);
    graze_query_free(other);
    test_context_done(context);
}

// A flat body far from its own origin, brought back by its pose: corners are rounded on the way,
// each on its own, and what was flat is rough. Rays end in corners that its levels do not have.
static void rough_corners(void **state)
{
    (void)state;
    graze_context *context = both_ways_context(1, 64, 16);
    graze_query *query = NULL;
    test_random random = {.state = 56};
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    for (int power = 20; power < 44; power += 4) {
        const double move[3] = {ldexp(1, power), ldexp(0.7, power), -ldexp(0.6, power)};
        triangles t = {0};
        graze_shape *paged = NULL;
        triangles_add_shape(&t, "box", 1200, 2, move);
        graze_model *model = triangles_model(context, &t, GRAZE_FLOAT64, NULL);
        assert_int_equal(graze_shape_from_model(model, &paged), GRAZE_OK);
        uint64_t within = 0;
        for (uint64_t i = 0; i < TEST_CHANCES(300); ++i) {
            graze_pose pose = bodies_pose(&random, 0);
            double moved[3], start[3], end[3];
            graze_pose_apply(&pose, move, moved);
            for (int axis = 0; axis < 3; ++axis)
                pose.translation[axis] = -moved[axis];
            graze_pose_apply(&pose, t.corner[test_next(&random) % t.count][i % 3], end);
            for (int axis = 0; axis < 3; ++axis)
                start[axis] = 1.5 * end[axis] + 0.1 * test_unit(&random);
            graze_ray_def def = graze_ray_def_default();
            graze_ray got;
            assert_int_equal(graze_query_ray(query, graze_at(paged, &pose), start, end, &def, &got),
                             GRAZE_OK);
            assert_true(got.hit == 1);
            double exact = got.t;
            def.error = 1e-6;
            assert_int_equal(graze_query_ray(query, graze_at(paged, &pose), start, end, &def, &got),
                             GRAZE_OK);
            if (!got.hit || got.t > exact)
                fail_msg("power %d: a corner is missed", power);
            within += got.verdict == GRAZE_WITHIN_ERROR;
        }
        assert_true(within > 0);
        graze_shape_free(paged);
        graze_model_free(model);
        triangles_free(&t);
    }
    graze_query_free(query);
    test_context_done(context);
}

// Meshes in memory have no levels; an error that no level fits leaves the model as it is; and an
// error that is none is refused.
static void exact_where_it_must(void **state)
{
    (void)state;
    graze_context *context = both_ways_context(1, 16, 16);
    graze_query *query = NULL;
    body b;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    body_make(context, 0, GRAZE_FLOAT32, 900, &b);
    const double start[3] = {-3, 0.1, 0.2}, end[3] = {3, -0.1, 0.1};
    graze_ray_def def = graze_ray_def_default();
    graze_ray want, got;
    assert_int_equal(graze_query_ray(query, graze_at(b.exact, NULL), start, end, &def, &want),
                     GRAZE_OK);
    assert_true(want.hit == 1 && want.verdict == GRAZE_CONTACT && want.error == 0);
    def.error = 0.1;
    assert_int_equal(graze_query_ray(query, graze_at(b.exact, NULL), start, end, &def, &got),
                     GRAZE_OK);
    assert_true(got.t == want.t && got.triangle == want.triangle && got.verdict == GRAZE_CONTACT);
    def.error = 1e-300;
    assert_int_equal(graze_query_ray(query, graze_at(b.paged, NULL), start, end, &def, &got),
                     GRAZE_OK);
    assert_true(got.t == want.t && got.verdict == GRAZE_CONTACT && got.error == 0);
    assert_memory_equal(got.point, want.point, sizeof got.point);
    const double bad[] = {-1, NAN, HUGE_VAL};
    for (int i = 0; i < 3; ++i) {
        def.error = bad[i];
        assert_int_equal(graze_query_ray(query, graze_at(b.paged, NULL), start, end, &def, &got),
                         GRAZE_ERROR_ARGUMENT);
    }
    body_free(&b);
    graze_query_free(query);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_misses),
        cmocka_unit_test(far_away),
        cmocka_unit_test(rough_corners),
        cmocka_unit_test(exact_where_it_must),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
