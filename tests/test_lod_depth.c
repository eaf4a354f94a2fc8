// Penetration depth with a deviation: bounds hold for the originals, and are as close as promised,
// also where the insides of levels of detail are not those of the originals.
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "bodies.h"
#include "both_ways.h"
#include "query/lod_ray.h"
#include "query/nearest.h"

#define LOOSE (1 + 1e-9)

enum { CLOSED_KINDS = 8 };

// Closed ones: a scan, a gear, a torus with hairs, doubled walls, dust, a knot; a wall of two
// spheres that is thinner than most deviations; and a box in a box, each of which has its own wall.
static void make_closed(graze_context *context, int kind, body *out)
{
    static const int kinds[] = {0, 1, 4, 5, 6, 8};
    const double nowhere[3] = {0, 0, 0};
    if (kind < 6) {
        body_make(context, kinds[kind], GRAZE_FLOAT32, 700, out);
        return;
    }
    *out = (body){.size = 2};
    for (int i = 0; i < (kind == 6 ? 2 : 4); ++i)
        triangles_add_shape(&out->t, kind == 6 ? "sphere" : "box", kind == 6 ? 500 : 200,
                            2 - 0.06 * i, nowhere);
    out->model = triangles_model(context, &out->t, GRAZE_FLOAT64, NULL);
    assert_int_equal(graze_shape_from_model(out->model, &out->paged), GRAZE_OK);
    assert_int_equal(graze_shape_from_model(out->model, &out->exact), GRAZE_OK);
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

static void check_witness(graze_query *query, const body *const of[2], const graze_pose pose[2],
                          const graze_penetration *got, double deviation)
{
    const body *holder = of[got->holder];
    double far = from_body(holder, &pose[got->holder], got->point);
    if (!(far >= got->low * (1 - 1e-9)))
        fail_msg("the holder is %g from the point, not %g", far, got->low);
    assert_true(from_body(holder, &pose[got->holder], got->surface) <= deviation * LOOSE + 1e-9);
    for (int i = 0; i < 2; ++i) {
        graze_place place;
        assert_int_equal(
            graze_query_inside(query, graze_at(of[i]->exact, &pose[i]), got->point, &place),
            GRAZE_OK);
        assert_int_equal(place, GRAZE_PLACE_INSIDE);
    }
}

typedef struct tally {
    uint64_t deep, shallow, apart, work[2];
} tally;

static void check_pair(const body *a, const body *b, graze_query *query, int way,
                       test_random *random, tally *sum)
{
    const body *const of[2] = {a, b};
    double size = fmin(a->size, b->size);
    graze_pose pose[2] = {bodies_pose(random, 0.3 * size), bodies_pose(random, 0.3 * size)};
    graze_penetration_def def = graze_penetration_def_default();
    graze_penetration exact, got, other;
    def.error = 0.05;
    def.work_limit = 20000000;
    assert_int_equal(graze_query_penetration(query, graze_at(a->exact, &pose[0]),
                                             graze_at(b->exact, &pose[1]), &def, &exact),
                     GRAZE_OK);
    assert_true(exact.defined == 1);
    def.deviation = size * ldexp(1, -1 - (int)(test_next(random) % 8));
    graze_posed side[2] = {graze_at(way == 1 ? a->exact : a->paged, &pose[0]),
                           graze_at(way == 0 ? b->exact : b->paged, &pose[1])};
    assert_int_equal(graze_query_penetration(query, side[0], side[1], &def, &got), GRAZE_OK);
    assert_int_equal(graze_query_penetration(query, side[1], side[0], &def, &other), GRAZE_OK);
    assert_true(got.low == other.low && got.high == other.high && got.verdict == other.verdict);
    assert_true(got.low >= 0 && got.low <= got.high && got.defined == 1);
    if (!(got.low <= exact.high && exact.low <= got.high))
        fail_msg("from %g to %g, and not from %g to %g", exact.low, exact.high, got.low, got.high);
    assert_true((got.verdict == GRAZE_APART) == (exact.verdict == GRAZE_APART));
    double diagonal = 2 * 2 * size;
    if (got.verdict == GRAZE_CONTACT || got.verdict == GRAZE_WITHIN_ERROR)
        assert_true(got.high <= fmax((1 + def.error) * got.low + def.deviation, 1e-3 * diagonal));
    if (got.low > 0)
        check_witness(query, of, pose, &got, def.deviation);
    sum->deep += got.low > 0;
    sum->shallow += got.verdict == GRAZE_WITHIN_ERROR;
    sum->apart += got.verdict == GRAZE_APART;
    sum->work[0] += exact.counters.work;
    sum->work[1] += got.counters.work;
}

static void holds_the_true_depth(void **state)
{
    (void)state;
    tally sum = {0};
    for (int kind = 0; kind < CLOSED_KINDS; ++kind) {
        test_random random = {.state = 60 + (uint64_t)kind};
        graze_context *context = both_ways_context(1, kind % 2 == 0 ? 2 : 64, 16);
        graze_query *query = NULL;
        body a, b;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        make_closed(context, kind, &a);
        make_closed(context, (kind + 3) % CLOSED_KINDS, &b);
        for (uint32_t i = 0; i < TEST_CHANCES(6); ++i)
            check_pair(&a, &b, query, (int)(i % WAYS), &random, &sum);
        body_free(&a);
        body_free(&b);
        graze_query_free(query);
        test_context_done(context);
    }
    assert_true(sum.deep > 0);
    if (TEST_SANITIZED) // too few to tell more
        return;
    assert_true(sum.deep > 15 && sum.shallow > 3);
    assert_true(sum.work[1] < sum.work[0]);
}

static void to_world(const graze_pose *pose, const double corner[3][3], const double weight[3],
                     double out[3])
{
    double p[3];
    for (int axis = 0; axis < 3; ++axis)
        p[axis] =
            weight[0] * corner[0][axis] + weight[1] * corner[1][axis] + weight[2] * corner[2][axis];
    graze_pose_apply(pose, p, out);
}

// No point of the original in the ball is higher than the field says.
static void check_height(const body *b, const gz_field *field, const double point[3],
                         test_random *random)
{
    double radius = b->size * ldexp(1, -(int)(test_next(random) % 5)), direction[3], length = 0;
    for (int axis = 0; axis < 3; ++axis) {
        direction[axis] = test_unit(random) - 0.5;
        length += direction[axis] * direction[axis];
    }
    for (int axis = 0; axis < 3; ++axis)
        direction[axis] /= sqrt(length);
    double got = gz_field_height(field, point, radius, direction, HUGE_VAL), most = -HUGE_VAL;
    for (uint64_t i = 0; i < b->t.count; ++i)
        for (int k = 0; k < 4; ++k) {
            const double weight[3] = {k == 0   ? 1
                                      : k == 3 ? 0.25
                                               : 0,
                                      k == 1   ? 1
                                      : k == 3 ? 0.5
                                               : 0,
                                      k == 2   ? 1
                                      : k == 3 ? 0.25
                                               : 0};
            double p[3], height = 0;
            to_world(field->pose, (const double(*)[3])b->t.corner[i], weight, p);
            for (int axis = 0; axis < 3; ++axis) {
                p[axis] -= point[axis];
                height += p[axis] * direction[axis];
            }
            if (hypot(hypot(p[0], p[1]), p[2]) <= radius)
                most = fmax(most, height);
        }
    if (most > got + 1e-9)
        fail_msg("a point is %g high, and not above %g", most, got);
}

enum { GATHERED = 4096 };
static gz_seen_triangle gathered[GATHERED];

// Points of the original in the ball are as near to triangles that are gathered as the slack says.
static void check_gathered(const body *b, const gz_field *field, const double point[3],
                           test_random *random)
{
    double radius = b->size * ldexp(1, -1 - (int)(test_next(random) % 4)), slack;
    uint32_t count = gz_field_gather(field, point, radius, gathered, GATHERED, &slack);
    assert_true(count <= GATHERED);
    for (uint64_t i = test_next(random) % 8; i < b->t.count; i += 8) {
        double p[3], u = test_unit(random) / 2, v = test_unit(random) / 2, least = HUGE_VAL;
        to_world(field->pose, (const double(*)[3])b->t.corner[i], (const double[]){1 - u - v, u, v},
                 p);
        for (int axis = 0; axis < 3; ++axis)
            p[axis] -= point[axis];
        if (hypot(hypot(p[0], p[1]), p[2]) > radius)
            continue;
        graze_triangle dot = {{{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}}};
        for (uint32_t k = 0; k < count && least > slack; ++k) {
            graze_triangle t;
            graze_closest near;
            memcpy(t.corner, gathered[k].corner, sizeof t.corner);
            graze_triangle_closest(&dot, &t, &near);
            least = fmin(least, near.distance);
        }
        if (!(least <= slack * LOOSE + 1e-9))
            fail_msg("a point is %g from all triangles, and not %g", least, slack);
    }
}

// Distances, heights and triangles that are asked of a cut are about its original.
static void fields_are_of_the_original(void **state)
{
    (void)state;
    for (int kind = 0; kind < CLOSED_KINDS; ++kind) {
        test_random random = {.state = 80 + (uint64_t)kind};
        graze_context *context = both_ways_context(1, 64, 16);
        graze_query *query = NULL;
        body b;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        make_closed(context, kind, &b);
        for (uint32_t turn = 0; turn < TEST_CHANCES(20); ++turn) {
            graze_pose pose = bodies_pose(&random, b.size);
            graze_posed posed = graze_at(b.paged, &pose);
            graze_counters counters = {0};
            graze_status status = GRAZE_OK;
            gz_visits visits;
            gz_lod_one one;
            assert_true(gz_lod_one_set(posed, b.size * ldexp(1, -1 - (int)(turn % 8)), &one));
            gz_visits_begin(&visits, &one.shape, &one.shape);
            gz_solid solid = gz_solid_of(query, posed, &counters, &visits, 0);
            graze_box around; // points are asked about in here
            for (int axis = 0; axis < 3; ++axis) {
                around.min[axis] = pose.translation[axis] - 3 * b.size;
                around.max[axis] = pose.translation[axis] + 3 * b.size;
            }
            gz_field field = gz_field_of(&solid, &around, &status);
            gz_field_coarsen(&field, one.cut, &visits, 0);
            for (int i = 0; i < 20; ++i) {
                double point[3];
                gz_nearest near;
                for (int axis = 0; axis < 3; ++axis)
                    point[axis] = pose.translation[axis] + b.size * (2 * test_unit(&random) - 1);
                if (i % 2 == 0) // on the surface
                    to_world(&pose, (const double(*)[3])b.t.corner[test_next(&random) % b.t.count],
                             (const double[]){0.5, 0.25, 0.25}, point);
                gz_nearest_find(&field, point, NULL, &near);
                double far = from_body(&b, &pose, point);
                if (!(near.low <= far + 1e-9 && far <= near.high + 1e-9))
                    fail_msg("%g is not from %g to %g", far, near.low, near.high);
                check_height(&b, &field, point, &random);
                if (i % 4 == 0)
                    check_gathered(&b, &field, point, &random);
            }
            assert_int_equal(status, GRAZE_OK);
            gz_visits_end(&visits);
            gz_lod_one_end(&one);
        }
        body_free(&b);
        graze_query_free(query);
        test_context_done(context);
    }
}

static void refuses(void **state)
{
    (void)state;
    graze_context *context = both_ways_context(1, 16, 16);
    graze_query *query = NULL;
    body a;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    body_make(context, 0, GRAZE_FLOAT32, 300, &a);
    graze_penetration_def def = graze_penetration_def_default();
    graze_penetration got;
    const double bad[] = {-1, NAN, HUGE_VAL};
    for (int i = 0; i < 3; ++i) {
        def.deviation = bad[i];
        assert_int_equal(graze_query_penetration(query, graze_at(a.paged, NULL),
                                                 graze_at(a.paged, NULL), &def, &got),
                         GRAZE_ERROR_ARGUMENT);
    }
    body_free(&a);
    graze_query_free(query);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_of_the_original),
        cmocka_unit_test(holds_the_true_depth),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
