// Deviations of surfaces whose triangles have an extra: no sample with its extra is beyond the
// bound, the value is attained, and known cases.
#include "test.h"

#include <math.h>

#include "deviations.h"

static gz_deviation measure_extra(deviation_bench *b, const patch *from, const float *extra,
                                  const patch *to, double gap)
{
    gz_surface s = patch_surface(from), t = patch_surface(to);
    gz_deviation d = {-1, -1};
    s.extra = extra;
    assert_int_equal(gz_deviation_set_target(b->query, &t), GRAZE_OK);
    assert_int_equal(gz_deviation_from(b->query, &s, gap, 0, &d), GRAZE_OK);
    assert_true(d.low >= 0 && d.low <= d.high);
    return d;
}

// No sample with the extra of its triangle is beyond the bound, and the witness with the extra of a
// triangle that it is on is not below the lower one.
static void check_extra(deviation_bench *b, const patch *from, const float *extra, const patch *to,
                        const gz_deviation *d, uint64_t seed)
{
    test_random random = {seed};
    double point[3], slack = 1e-13 * (1 + patch_size(from)), best = -1;
    bool witness = gz_deviation_witness(b->query, point) != 0;
    double distance = patch_distance_to(to, point);
    for (uint32_t t = 0; t < from->triangle_count; ++t)
        if (patch_distance_to_triangle(from, t, point) <= slack)
            best = fmax(best, distance + (double)extra[t]);
    if (witness ? best < d->low - slack : d->low != 0)
        fail_msg("seed %llu: the point for %.17g has %.17g", (unsigned long long)seed, d->low,
                 best);
    for (uint32_t t = 0; t < from->triangle_count; ++t)
        for (int n = 0; n < 12; ++n) {
            double u = test_unit(&random), v = test_unit(&random) * (1 - u);
            if (n < 3)
                u = n == 1, v = n == 2;
            patch_sample(from, t, u, v, point);
            double sum = patch_distance_to(to, point) + (double)extra[t];
            if (sum > d->high + slack)
                fail_msg("seed %llu: triangle %u has %.17g, beyond %.17g", (unsigned long long)seed,
                         t, sum, d->high);
        }
}

static void random_extras(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    float extra[8192];
    uint32_t reached = 0, all = TEST_CHANCES(60);
    for (uint64_t seed = 1; seed <= all; ++seed) {
        test_random random = {seed};
        patch from = seed % 2 == 0 ? patch_of_chance(&random, 30) : patch_relief(14, 0.1, seed);
        patch to = seed % 2 == 0 ? patch_of_chance(&random, 30)
                                 : patch_coarsen(&from, from.triangle_count / 2);
        double most = (double)(float)pow(10, -(double)(seed % 5)), gap = seed % 3 == 0 ? 0.01 : 0.1;
        for (uint32_t t = 0; t < from.triangle_count; ++t)
            extra[t] = seed % 7 == 0 ? (float)most : (float)(most * test_unit(&random));
        gz_deviation d = measure_extra(&b, &from, extra, &to, gap);
        check_extra(&b, &from, extra, &to, &d, seed);
        reached += deviation_gap_reached(&d, gap, 0);
        gz_deviation plain = deviation_measure(&b, &from, &to, 0.01, 0);
        assert_true(d.high >= plain.low && d.low <= plain.high + most);
        if (seed % 7 == 0) // the same for all
            assert_true(d.high >= plain.low + (double)extra[0] &&
                        d.low <= plain.high + (double)extra[0]);
        patch_free(&from);
        patch_free(&to);
    }
    if (reached * 100 < all * 99)
        fail_msg("the gap was reached in %u of %u cases", reached, all);
    deviation_close(&b);
}

// What is far has no extra, what has one is near: the sums are local. And the extra of a surface
// that is next to nothing in size, or next to nothing itself.
static void known_extras(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch plane = patch_relief(20, 0, 1), raised = patch_relief(20, 0, 1);
    float extra[800];
    for (uint32_t v = 0; v < raised.vertex_count; ++v)
        raised.position[v][2] = raised.position[v][0] < 0.45 ? 0.25 : 0.03125;
    for (uint32_t t = 0; t < raised.triangle_count; ++t) {
        bool near = true;
        for (int k = 0; k < 3; ++k)
            near = near && raised.position[raised.corner[t][k]][2] < 0.1;
        extra[t] = near ? 0.125f : 0;
    }
    gz_deviation d = measure_extra(&b, &raised, extra, &plane, 1e-6);
    deviation_check_value(&d, 0.25, 1e-6);
    for (uint32_t t = 0; t < raised.triangle_count; ++t)
        extra[t] *= 4;
    d = measure_extra(&b, &raised, extra, &plane, 1e-6);
    deviation_check_value(&d, 0.53125, 1e-6);
    extra[0] = 0x1p100f; // as good as infinite, on a triangle at 0.25
    d = measure_extra(&b, &raised, extra, &plane, 1e-6);
    deviation_check_value(&d, 0x1p100, 1e-6);
    extra[0] = -1e-30f;
    gz_surface s = patch_surface(&raised);
    s.extra = extra;
    assert_int_equal(gz_deviation_from(b.query, &s, DEVIATION_GAP, 0, &d), GRAZE_ERROR_ARGUMENT);
    assert_string_equal(test_last_error, "the extra of triangle 0 of a surface is below 0");
    extra[0] = NAN;
    assert_int_equal(gz_deviation_from(b.query, &s, DEVIATION_GAP, 0, &d), GRAZE_ERROR_ARGUMENT);
    patch_free(&plane);
    patch_free(&raised);
    deviation_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_extras),
        cmocka_unit_test(known_extras),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
