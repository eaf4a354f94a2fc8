// Deviations of boxes, in any pose: known cases, and chance against samples of the box.
#include "test.h"

#include <math.h>

#include "deviations.h"

static void known_boxes(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    const double v[3][3] = {{-100, -100, 0}, {100, -100, 0}, {0, 100, 0}};
    patch plane = patch_of_one(v);
    gz_surface s = patch_surface(&plane);
    assert_int_equal(gz_deviation_set_target(b.query, &s), GRAZE_OK);
    graze_obb box = {{0, 0, 1}, {{0.6, 0, 0.8}, {0, 1, 0}, {-0.8, 0, 0.6}}, {1, 2, 3}};
    gz_deviation d;
    assert_int_equal(gz_deviation_box(b.query, &box, 0.01, 0, &d), GRAZE_OK);
    deviation_check_value(&d, 1 + 0.8 + 1.8, 0.01);
    box = (graze_obb){{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 2, 0}};
    assert_int_equal(gz_deviation_box(b.query, &box, 0.01, 0, &d), GRAZE_OK);
    assert_true(d.low == 0 && d.high < 1e-10);
    box = (graze_obb){{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0x1p100, 0, 0}};
    assert_int_equal(gz_deviation_box(b.query, &box, 0.01, 0, &d), GRAZE_OK);
    deviation_check_value(&d, 0x1p100, 1e-10);
    box.half[1] = -1;
    assert_int_equal(gz_deviation_box(b.query, &box, 0.01, 0, &d), GRAZE_ERROR_ARGUMENT);
    box.half[1] = NAN;
    assert_int_equal(gz_deviation_box(b.query, &box, 0.01, 0, &d), GRAZE_ERROR_ARGUMENT);
    s.triangle_count = 0;
    box.half[1] = 1;
    assert_int_equal(gz_deviation_set_target(b.query, &s), GRAZE_OK);
    assert_int_equal(gz_deviation_box(b.query, &box, 0.01, 0, &d), GRAZE_OK);
    assert_true(isinf(d.high));
    patch_free(&plane);
    deviation_close(&b);
}

static void random_boxes(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    for (uint64_t seed = 1; seed <= TEST_CHANCES(60); ++seed) {
        test_random random = {seed};
        patch to = seed % 2 == 0 ? patch_of_chance(&random, 1 + (uint32_t)(seed % 30))
                                 : patch_relief(8, 0.2, seed);
        gz_surface s = patch_surface(&to);
        graze_obb box;
        double turn[3] = {test_unit(&random), test_unit(&random), 1}, zero[3] = {0, 0, 0}, p[3];
        graze_pose pose;
        assert_int_equal(graze_pose_from_axis(turn, 6 * test_unit(&random), zero, &pose), GRAZE_OK);
        for (int i = 0; i < 3; ++i) {
            box.center[i] = test_unit(&random);
            box.half[i] = test_unit(&random) * (seed % 3 == 0 ? 0.1 : 1);
            memcpy(box.axis[i], pose.rotation + 3 * i, 24);
        }
        gz_deviation d;
        assert_int_equal(gz_deviation_set_target(b.query, &s), GRAZE_OK);
        assert_int_equal(gz_deviation_box(b.query, &box, DEVIATION_GAP, 0, &d), GRAZE_OK);
        assert_true(deviation_gap_reached(&d, DEVIATION_GAP, 0));
        for (int n = 0; n < 400; ++n) {
            memcpy(p, box.center, sizeof p);
            for (int k = 0; k < 3; ++k) {
                double part = n < 8 ? (n >> k & 1) * 2 - 1 : test_unit(&random) * 2 - 1;
                for (int i = 0; i < 3; ++i)
                    p[i] += box.axis[k][i] * box.half[k] * part;
            }
            if (patch_distance_to(&to, p) > d.high + 1e-14)
                fail_msg("seed %llu: a point of the box is beyond", (unsigned long long)seed);
        }
        assert_true(gz_deviation_witness(b.query, p) && patch_distance_to(&to, p) >= d.low - 1e-14);
        for (int k = 0; k < 3; ++k) {
            double along = 0;
            for (int i = 0; i < 3; ++i)
                along += (p[i] - box.center[i]) * box.axis[k][i];
            assert_true(fabs(along) <= box.half[k] + 1e-14);
        }
        patch_free(&to);
    }
    deviation_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_boxes),
        cmocka_unit_test(random_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
