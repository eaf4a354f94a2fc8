// Poses and boxes: what is called safe is compared with exact arithmetic or with many points.
#include "test.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdbool.h>

#include "geometry/rounding.h"

static double between(test_random *random, double low, double high)
{
    return low + (high - low) * test_unit(random);
}

static graze_pose random_pose(test_random *random, double reach)
{
    graze_pose pose;
    const double quaternion[4] = {between(random, -1, 1), between(random, -1, 1),
                                  between(random, -1, 1), between(random, -1, 1)};
    const double translation[3] = {between(random, -reach, reach), between(random, -reach, reach),
                                   between(random, -reach, reach)};
    assert_int_equal(graze_pose_from_quaternion(quaternion, translation, &pose), GRAZE_OK);
    return pose;
}

// Bit for bit what the C library has, where it is slower; and the nearest float on its side.
static bool same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}
static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}
static void check_steps(float x, double y)
{
    assert_true(same_float(gz_step_down(x), nextafterf(x, -HUGE_VALF)));
    assert_true(same_float(gz_step_up(x), nextafterf(x, HUGE_VALF)));
    assert_true(same_double(gz_step_down64(y), nextafter(y, -HUGE_VAL)));
    assert_true(same_double(gz_step_up64(y), nextafter(y, HUGE_VAL)));
    if (isnan(y))
        return;
    float low = gz_round_down(y), high = gz_round_up(y);
    assert_true((double)low <= y && y <= (double)high);
    assert_true(low == high || nextafterf(low, HUGE_VALF) == high);
}
static void steps_are_those_of_the_library(void **state)
{
    (void)state;
    static const double special[] = {0.0,
                                     -0.0,
                                     HUGE_VAL,
                                     -HUGE_VAL,
                                     NAN,
                                     FLT_MAX,
                                     -FLT_MAX,
                                     FLT_MIN,
                                     -FLT_MIN,
                                     0x1p-149,
                                     -0x1p-149,
                                     0x1p-150,
                                     0x1p127,
                                     1.0,
                                     -1.0,
                                     DBL_MAX,
                                     -DBL_MAX,
                                     DBL_MIN,
                                     -DBL_MIN,
                                     0x1p-1074,
                                     -0x1p-1074,
                                     1 + 0x1p-24,
                                     0x1p128,
                                     1e300,
                                     -1e300,
                                     0x1.ffffffp127,
                                     -0x1.ffffffp127};
    for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
        check_steps((float)special[i], special[i]);
    test_random random = {7};
    for (int i = 0; i < 200000; ++i) {
        uint64_t bits = test_next(&random);
        uint32_t half = (uint32_t)(bits >> 16);
        float x;
        double y;
        memcpy(&x, &half, sizeof x);
        memcpy(&y, &bits, sizeof y);
        check_steps(x, y);
        check_steps(x, isnan(x) ? 0 : (double)x * (1 + test_unit(&random) * 0x1p-22));
    }
}

static void poses_are_rotations(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; ++seed) {
        test_random random = {seed};
        graze_pose a = random_pose(&random, 100), b = random_pose(&random, 100);
        assert_int_equal(graze_pose_check(&a), GRAZE_OK);
        graze_pose both = graze_pose_compose(&a, &b), back = graze_pose_inverse(&a);
        assert_int_equal(graze_pose_check(&both), GRAZE_OK);
        const double p[3] = {between(&random, -1, 1), between(&random, -1, 1), 0.25};
        double q[3], r[3], s[3];
        graze_pose_apply(&b, p, q);
        graze_pose_apply(&a, q, r);
        graze_pose_apply(&both, p, s);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(r[k] - s[k]) < 1e-12);
        graze_pose_apply(&back, r, s);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(q[k] - s[k]) < 1e-12);
    }
}

static void quarter_turn_about_z(void **state)
{
    (void)state;
    const double axis[3] = {0, 0, 1e-300}, shift[3] = {1, 2, 3}, x[3] = {1, 0, 0};
    graze_pose pose;
    assert_int_equal(graze_pose_from_axis(axis, acos(-1.0) / 2, shift, &pose), GRAZE_OK);
    double y[3];
    graze_pose_apply(&pose, x, y);
    assert_true(fabs(y[0] - 1) < 1e-15 && fabs(y[1] - 3) < 1e-15 && y[2] == 3);
}

static void bad_poses_are_refused(void **state)
{
    (void)state;
    graze_pose pose = graze_pose_identity();
    pose.rotation[0] = -1; // a mirror
    assert_int_equal(graze_pose_check(&pose), GRAZE_ERROR_ARGUMENT);
    pose.rotation[0] = 1.001;
    assert_int_equal(graze_pose_check(&pose), GRAZE_ERROR_ARGUMENT);
    pose = graze_pose_identity();
    pose.translation[1] = NAN;
    assert_int_equal(graze_pose_check(&pose), GRAZE_ERROR_ARGUMENT);
    const double none[3] = {0, 0, 0};
    assert_int_equal(graze_pose_from_axis(none, 1, none, &pose), GRAZE_ERROR_ARGUMENT);
    const double infinite[4] = {0, 0, INFINITY, 1};
    assert_int_equal(graze_pose_from_quaternion(infinite, none, &pose), GRAZE_ERROR_ARGUMENT);
}

// Is the exact image of a point, and the one that graze_pose_apply rounds, in the box?
static void check_in_box(const graze_box *box, const graze_pose *pose, const double p[3],
                         uint64_t seed)
{
    double world[3];
    graze_pose_apply(pose, p, world);
    mpq_t sum, factor, term;
    mpq_inits(sum, factor, term, NULL);
    for (int i = 0; i < 3; ++i) {
        mpq_set_d(sum, pose->translation[i]);
        for (int k = 0; k < 3; ++k) {
            mpq_set_d(factor, pose->rotation[3 * i + k]);
            mpq_set_d(term, p[k]);
            mpq_mul(term, term, factor);
            mpq_add(sum, sum, term);
        }
        mpq_set_d(factor, box->min[i]);
        mpq_set_d(term, box->max[i]);
        if (mpq_cmp(sum, factor) < 0 || mpq_cmp(sum, term) > 0 || world[i] < box->min[i] ||
            world[i] > box->max[i])
            fail_msg("seed %llu", (unsigned long long)seed);
    }
    mpq_clears(sum, factor, term, NULL);
}

static graze_box random_box(test_random *random, double scale, double offset)
{
    double points[2][3];
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
            points[i][k] = offset + between(random, -scale, scale);
    return graze_box_of_points((const double(*)[3])points, 2);
}

static void posed_boxes_hold_their_points(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        test_random random = {seed};
        double scale = ldexp(1, (int)(test_next(&random) % 200) - 100);
        graze_box box = random_box(&random, scale, seed % 2 == 0 ? 0 : 1e6 * scale);
        graze_pose pose = random_pose(&random, seed % 3 == 0 ? 0 : 1000 * scale);
        graze_box image = graze_box_posed(&box, &pose);
        for (int corner = 0; corner < 8; ++corner) {
            const double p[3] = {(corner & 1) != 0 ? box.max[0] : box.min[0],
                                 (corner & 2) != 0 ? box.max[1] : box.min[1],
                                 (corner & 4) != 0 ? box.max[2] : box.min[2]};
            check_in_box(&image, &pose, p, seed);
        }
    }
}

// distance <= true distance <= distance (1 + 1e-14), by exact squares.
static void check_distance(const graze_box *a, const graze_box *b, uint64_t seed)
{
    double distance = graze_box_distance(a, b);
    mpq_t square, gap, other;
    mpq_inits(square, gap, other, NULL);
    for (int k = 0; k < 3; ++k) {
        double from = a->max[k] < b->min[k] ? a->max[k] : b->max[k];
        double to = a->max[k] < b->min[k] ? b->min[k] : a->min[k];
        if (from >= to)
            continue;
        mpq_set_d(gap, to);
        mpq_set_d(other, from);
        mpq_sub(gap, gap, other);
        mpq_mul(gap, gap, gap);
        mpq_add(square, square, gap);
    }
    mpq_set_d(gap, distance);
    mpq_mul(gap, gap, gap);
    if (mpq_cmp(gap, square) > 0)
        fail_msg("seed %llu: too large", (unsigned long long)seed);
    mpq_set_d(gap, distance * (1 + 1e-14) + DBL_TRUE_MIN);
    mpq_mul(gap, gap, gap);
    if (mpq_cmp(gap, square) < 0)
        fail_msg("seed %llu: too small", (unsigned long long)seed);
    assert_int_equal(graze_box_overlap(a, b), mpq_sgn(square) == 0);
    mpq_clears(square, gap, other, NULL);
}

static void box_distance_is_a_tight_lower_bound(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20000; ++seed) {
        test_random random = {seed};
        double scale = ldexp(1, (int)(test_next(&random) % 1900) - 1000);
        graze_box a = random_box(&random, scale, 0), b = random_box(&random, scale, scale);
        check_distance(&a, &b, seed);
        if (seed % 4 == 0) { // touching faces
            b.min[0] = a.max[0];
            b.max[0] = b.min[0] + scale;
            check_distance(&a, &b, seed);
        }
    }
    graze_box empty = graze_box_empty(), point = {{1, 1, 1}, {1, 1, 1}};
    assert_true(isinf(graze_box_distance(&empty, &point)));
    assert_int_equal(graze_box_overlap(&empty, &point), 0);
    assert_int_equal(graze_box_overlap(&point, &point), 1);
}

// t = R^-1 (p - c) by Cramer's rule, exactly; |t_i| <= half_i?
static void check_in_obb(const graze_obb *obb, const double p[3], uint64_t seed)
{
    mpq_t m[3][3], v[3], det, part, term;
    mpq_inits(det, part, term, NULL);
    for (int i = 0; i < 3; ++i) {
        mpq_init(v[i]);
        mpq_set_d(v[i], p[i]);
        mpq_set_d(term, obb->center[i]);
        mpq_sub(v[i], v[i], term);
        for (int k = 0; k < 3; ++k) {
            mpq_init(m[i][k]);
            mpq_set_d(m[i][k], obb->axis[k][i]); // column k is axis k
        }
    }
    for (int which = -1; which < 3; ++which) { // -1: the determinant itself
        mpq_set_ui(part, 0, 1);
        for (int a = 0; a < 3; ++a)
            for (int turn = 1; turn <= 2; ++turn) {
                int b = (a + turn) % 3, c = (a + 3 - turn) % 3; // rows of columns 0, 1, 2
                mpq_t *x = which == 0 ? &v[a] : &m[a][0];
                mpq_t *y = which == 1 ? &v[b] : &m[b][1];
                mpq_t *z = which == 2 ? &v[c] : &m[c][2];
                mpq_mul(term, *x, *y);
                mpq_mul(term, term, *z);
                if (turn == 1)
                    mpq_add(part, part, term);
                else
                    mpq_sub(part, part, term);
            }
        if (which < 0) {
            mpq_set(det, part);
            continue;
        }
        mpq_div(part, part, det);
        mpq_abs(part, part);
        mpq_set_d(term, obb->half[which]);
        if (mpq_cmp(part, term) > 0)
            fail_msg("seed %llu: outside", (unsigned long long)seed);
    }
    for (int i = 0; i < 3; ++i) {
        mpq_clear(v[i]);
        for (int k = 0; k < 3; ++k)
            mpq_clear(m[i][k]);
    }
    mpq_clears(det, part, term, NULL);
}

static void obb_holds_its_points_and_is_tight(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        test_random random = {seed};
        graze_pose pose = random_pose(&random, seed % 2 == 0 ? 1e5 : 0);
        double points[40][3];
        for (int i = 0; i < 40; ++i) {
            const double p[3] = {between(&random, -5, 5), between(&random, -1, 1),
                                 seed % 5 == 0 ? 0 : between(&random, -0.1, 0.1)};
            graze_pose_apply(&pose, p, points[i]);
        }
        graze_obb obb;
        assert_int_equal(graze_obb_of_points((const double(*)[3])points, 40, &obb), GRAZE_OK);
        for (int i = 0; i < 40; ++i)
            check_in_obb(&obb, points[i], seed);
        assert_true(
            obb.half[0] * obb.half[1] + obb.half[1] * obb.half[2] + obb.half[2] * obb.half[0] < 8);
        graze_pose second = random_pose(&random, 10);
        graze_obb moved = graze_obb_posed(&obb, &second);
        for (int i = 0; i < 40; ++i) {
            double world[3];
            graze_pose_apply(&second, points[i], world);
            check_in_obb(&moved, world, seed);
        }
    }
}

static void obb_overlap_misses_nothing(void **state)
{
    (void)state;
    uint64_t overlapping = 0, apart = 0;
    for (uint64_t seed = 1; seed <= 20000; ++seed) {
        test_random random = {seed};
        graze_obb box[2];
        for (int i = 0; i < 2; ++i) {
            graze_pose pose = random_pose(&random, 0.8);
            graze_box local = random_box(&random, 1, 0);
            graze_obb upright = graze_obb_of_box(&local);
            box[i] = graze_obb_posed(&upright, &pose);
        }
        int overlap = graze_obb_overlap(&box[0], &box[1]);
        double distance = graze_obb_distance(&box[0], &box[1]), nearest = HUGE_VAL;
        assert_int_equal(overlap, graze_obb_overlap(&box[1], &box[0]));
        assert_true(overlap == 0 || distance == 0);
        double point[2][3];
        for (int round = 0; round < 40; ++round) {
            for (int i = 0; i < 2; ++i)
                for (int k = 0; k < 3; ++k)
                    point[i][k] = box[i].center[k];
            for (int i = 0; i < 2; ++i)
                for (int axis = 0; axis < 3; ++axis) {
                    double t = between(&random, -1, 1) * box[i].half[axis];
                    if (round % 2 == 0)
                        t = t < 0 ? -box[i].half[axis] : box[i].half[axis];
                    for (int k = 0; k < 3; ++k)
                        point[i][k] += t * box[i].axis[axis][k];
                }
            double x = point[0][0] - point[1][0], y = point[0][1] - point[1][1],
                   z = point[0][2] - point[1][2];
            nearest = fmin(nearest, sqrt(x * x + y * y + z * z));
        }
        if (distance > nearest * (1 + 1e-12))
            fail_msg("seed %llu: %g is more than %g", (unsigned long long)seed, distance, nearest);
        overlapping += (uint64_t)overlap;
        apart += distance > 0;
    }
    assert_true(overlapping > 3000 && apart > 3000);
}

static void obb_distance_is_tight(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; ++seed) { // upright boxes know their true distance
        test_random random = {seed};
        graze_box a = random_box(&random, 1, 0), b = random_box(&random, 1, 2);
        graze_pose pose = random_pose(&random, 10);
        graze_obb first = graze_obb_of_box(&a), second = graze_obb_of_box(&b);
        first = graze_obb_posed(&first, &pose);
        second = graze_obb_posed(&second, &pose);
        double expected = graze_box_distance(&a, &b);
        double found = graze_obb_distance(&first, &second);
        if (found > expected * (1 + 1e-12) || found < expected * (1 - 1e-9) - 1e-12)
            fail_msg("seed %llu: %g instead of %g", (unsigned long long)seed, found, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_the_library),
        cmocka_unit_test(poses_are_rotations),
        cmocka_unit_test(quarter_turn_about_z),
        cmocka_unit_test(bad_poses_are_refused),
        cmocka_unit_test(posed_boxes_hold_their_points),
        cmocka_unit_test(box_distance_is_a_tight_lower_bound),
        cmocka_unit_test(obb_holds_its_points_and_is_tight),
        cmocka_unit_test(obb_overlap_misses_nothing),
        cmocka_unit_test(obb_distance_is_tight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
