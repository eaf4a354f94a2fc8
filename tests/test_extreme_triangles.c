// The longest numbers there are: coordinates of all exponents in one pair. The exact path must have
// room for them (running out is an assertion), and what it says must not contradict itself. A true
// distance may be as small as 1e-600 here, and rounds to zero.
#include "test.h"

#include <float.h>
#include <math.h>

static double any_double(test_random *random)
{
    static const double ends[] = {DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, -DBL_TRUE_MIN, 0, 1};
    uint64_t choice = test_next(random) % 12;
    if (choice < 6)
        return ends[choice];
    double value;
    do {
        uint64_t bits = test_next(random); // any exponent
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static graze_triangle any_triangle(test_random *random)
{
    graze_triangle t;
    for (int corner = 0; corner < 3; ++corner)
        for (int axis = 0; axis < 3; ++axis)
            t.corner[corner][axis] = any_double(random);
    return t;
}

static void check_pair(const graze_triangle *a, const graze_triangle *b, double tolerance,
                       uint64_t seed)
{
    int meet = graze_triangle_meet(a, b);
    graze_intersection common;
    graze_triangle_intersect(a, b, &common);
    graze_closest closest;
    graze_triangle_closest(a, b, &closest);
    int within = graze_triangle_within(a, b, tolerance);
    if (meet != (common.point_count > 0) || meet != graze_triangle_meet(b, a) ||
        (meet && closest.distance != 0) || (meet && !within) || isnan(closest.distance) ||
        within != graze_triangle_within(b, a, tolerance))
        fail_msg("seed %llu", (unsigned long long)seed);
}

static void all_exponents_in_one_pair(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(4000); ++seed) {
        test_random random = {seed};
        graze_triangle a = any_triangle(&random), b = any_triangle(&random);
        if (seed % 2 == 0) // a shared corner, so that half of them meet
            memcpy(b.corner[0], a.corner[1], sizeof b.corner[0]);
        check_pair(&a, &b, fabs(any_double(&random)), seed);
    }
}

// Every coordinate is as long as can be: all 53 bits at the top, and one unit of the last place
// somewhere, so that each integer has 33 limbs.
static void longest_numbers_fit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        test_random random = {seed};
        graze_triangle pair[2];
        for (int t = 0; t < 2; ++t)
            for (int corner = 0; corner < 3; ++corner)
                for (int axis = 0; axis < 3; ++axis) {
                    double value = DBL_MAX * (0.5 + 0.5 * test_unit(&random));
                    pair[t].corner[corner][axis] = test_next(&random) % 2 == 0 ? value : -value;
                }
        if (seed % 2 == 0) // all in the plane z = 1e-320: coplanar, with long cross products
            for (int t = 0; t < 2; ++t)
                for (int corner = 0; corner < 3; ++corner)
                    pair[t].corner[corner][2] = 1e-320;
        pair[0].corner[seed % 3][seed / 3 % 3] = DBL_TRUE_MIN;
        check_pair(&pair[0], &pair[1], DBL_MAX * test_unit(&random), seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_exponents_in_one_pair),
        cmocka_unit_test(longest_numbers_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
