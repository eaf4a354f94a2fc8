// Distances of convex hulls, against the exact distances of their faces; and hulls of flat, thin
// and tiny sets of points.
#include <math.h>

#include "clod/hull_distance.h"
#include "clod/hull_make.h"
#include "test.h"

#define MOST 40

typedef struct test_hull {
    double point[MOST][3];
    double stored[3 * MOST];
    uint32_t count;
    gz_hull hull;
} test_hull;

// Flat ones, needles, doubled points and balls.
static void make_hull(test_random *random, test_hull *h, double reach)
{
    double size[3], middle[3];
    h->count = 1 + (uint32_t)(test_next(random) % 30);
    for (int i = 0; i < 3; ++i) {
        size[i] = test_next(random) % 4 == 0 ? 0 : pow(10, -3 * test_unit(random));
        middle[i] = reach * (2 * test_unit(random) - 1);
    }
    for (uint32_t k = 0; k < h->count; ++k)
        for (int i = 0; i < 3; ++i)
            h->point[k][i] = test_next(random) % 7 == 0 && k > 0
                                 ? h->point[k - 1][i]
                                 : middle[i] + size[i] * (test_unit(random) - 0.5);
    uint32_t padded = (h->count + GZ_HULL_LANES - 1) / GZ_HULL_LANES * GZ_HULL_LANES;
    for (uint32_t k = 0; k < padded; ++k)
        for (uint32_t i = 0; i < 3; ++i)
            h->stored[i * padded + k] = h->point[k < h->count ? k : h->count - 1][i];
    h->hull = (gz_hull){h->stored, padded};
}

static graze_triangle face_of(const test_hull *h, const uint32_t face[3], const gz_hull_map *map)
{
    graze_triangle t;
    for (int k = 0; k < 3; ++k) {
        if (map != NULL)
            gz_hull_map_apply(map, h->point[face[k]], t.corner[k]);
        else
            memcpy(t.corner[k], h->point[face[k]], sizeof t.corner[k]);
    }
    return t;
}

static void distances_are_those_of_the_faces(void **state)
{
    graze_context *context = *state;
    test_random random = {7};
    gz_hull_maker maker[2] = {{.context = context}, {.context = context}};
    for (int turn = 0; turn < TEST_CHANCES(1500); ++turn) {
        test_hull a, b;
        graze_pose pose;
        gz_hull_map map;
        gz_hull_answer answer;
        make_hull(&random, &a, 0.3);
        make_hull(&random, &b, 0.8);
        double axis[3] = {test_unit(&random), test_unit(&random), 0.1};
        double shift[3] = {test_unit(&random) - 0.5, 0, test_unit(&random) - 0.5};
        assert_int_equal(graze_pose_from_axis(axis, 6 * test_unit(&random), shift, &pose),
                         GRAZE_OK);
        memcpy(map.rotation, pose.rotation, sizeof map.rotation);
        memcpy(map.translation, pose.translation, sizeof map.translation);
        assert_true(gz_hull_make(&maker[0], (const double(*)[3])a.point, a.count));
        assert_true(gz_hull_make(&maker[1], (const double(*)[3])b.point, b.count));
        double truth = HUGE_VAL;
        for (uint64_t i = 0; i < maker[0].faces.count; ++i)
            for (uint64_t j = 0; j < maker[1].faces.count; ++j) {
                graze_triangle t = face_of(&a, maker[0].faces.items[i], NULL);
                graze_triangle u = face_of(&b, maker[1].faces.items[j], &map);
                graze_closest closest;
                graze_triangle_closest(&t, &u, &closest);
                truth = fmin(truth, closest.distance);
            }
        gz_hull_distance(&a.hull, &b.hull, &map, HUGE_VAL, &answer);
        // Where one hull is in the other, the faces are apart and the hulls are not.
        if (answer.high > 0 && (answer.low < truth - 1e-6 || answer.high > truth + 1e-6))
            fail_msg("turn %d: %.17g to %.17g, the faces say %.17g", turn, answer.low, answer.high,
                     truth);
        if (answer.high == 0)
            assert_true(answer.low <= 1e-15);
        if (answer.low > 0) {
            assert_true(answer.low <= truth + 1e-12);
            assert_true(gz_hull_gap(&a.hull, &b.hull, &map, answer.axis) > answer.low - 1e-12);
        }
    }
    gz_hull_maker_free(&maker[0]);
    gz_hull_maker_free(&maker[1]);
}

// No point is farther from the hull of the corners than what is left out.
static void hulls_hold_their_points(void **state)
{
    graze_context *context = *state;
    test_random random = {3};
    gz_hull_maker maker = {.context = context};
    for (int turn = 0; turn < TEST_CHANCES(1500); ++turn) {
        test_hull h, corners;
        make_hull(&random, &h, 0.5);
        assert_true(gz_hull_make(&maker, (const double(*)[3])h.point, h.count));
        assert_in_range(maker.vertices.count, 1, h.count);
        for (uint64_t i = 1; i < maker.vertices.count; ++i)
            assert_true(maker.vertices.items[i - 1] < maker.vertices.items[i]);
        uint32_t count = (uint32_t)maker.vertices.count, padded = (count + 3) / 4 * 4;
        for (uint32_t k = 0; k < padded; ++k)
            for (uint32_t i = 0; i < 3; ++i)
                corners.stored[i * padded + k] =
                    h.point[maker.vertices.items[k < count ? k : count - 1]][i];
        corners.hull = (gz_hull){corners.stored, padded};
        for (uint32_t k = 0; k < h.count; ++k)
            assert_true(gz_hull_reach(&corners.hull, h.point[k], 1) < 1e-6);
    }
    gz_hull_maker_free(&maker);
}

// A point inside is not said to be far: what is inside strays by rounding only.
static void reaches_are_bounds(void **state)
{
    (void)state;
    test_random random = {5};
    for (int turn = 0; turn < TEST_CHANCES(3000); ++turn) {
        test_hull h;
        make_hull(&random, &h, 0.5);
        double weights = 0, weight[MOST], point[3] = {0, 0, 0};
        for (uint32_t k = 0; k < h.count; ++k)
            weights += weight[k] = test_unit(&random) + 1e-3;
        for (uint32_t k = 0; k < h.count; ++k)
            for (int i = 0; i < 3; ++i)
                point[i] += weight[k] / weights * h.point[k][i];
        assert_true(gz_hull_reach(&h.hull, point, 2) < 1e-6);
        double out = 1 + test_unit(&random), reach = 0, up[3] = {0, 0, 1};
        gz_hull_support(&h.hull, up, &reach);
        point[2] = reach + out;
        assert_true(gz_hull_reach(&h.hull, point, 4) >= out * (1 - 1e-12));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(distances_are_those_of_the_faces, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(hulls_hold_their_points, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(reaches_are_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
