// Spreads: each point that a surface stands for is as near as it should be to some part of the
// target, by brute force and in long double. For simplified shapes, soups, surfaces without area,
// doubled, of odd sizes, with extras, little patience, all SIMD widths and failing memory; and what
// is near is told to be near.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "deviations.h"
#include "faults.h"
#include "patches.h"

#define PATIENCE UINT64_C(10000000)

typedef struct question {
    uint64_t seed;
    patch fine, coarse;
    uint32_t *part, part_count;
    float *extra; // or NULL
    double floor;
    bool tired; // no patience is left when spreads are found
    // And the answer.
    double known, *spread;
} question;

static question ask(patch fine, patch coarse, uint64_t seed)
{
    question q = {.seed = seed, .fine = fine, .coarse = coarse};
    test_random random = {seed};
    q.part_count = seed % 7 == 6 ? coarse.triangle_count + 1 : 1 + (uint32_t)(seed * 5 % 23);
    q.part = seed % 3 != 0 ? patch_own_by_grid(&coarse, q.part_count)
                           : patch_own_by_chance(&coarse, q.part_count, &random);
    q.spread = test_malloc(q.part_count * sizeof *q.spread);
    if (seed % 5 > 1) {
        double size = patch_largest(&fine) * pow(10, -1 - (double)(seed % 4));
        q.extra = test_malloc(sizeof *q.extra * (fine.triangle_count + 1));
        for (uint32_t t = 0; t < fine.triangle_count; ++t)
            q.extra[t] = (float)fmin(size * test_unit(&random), 0x1p120);
    }
    return q;
}

static void free_question(question *q)
{
    patch_free(&q->fine);
    patch_free(&q->coarse);
    free(q->part);
    test_free(q->spread);
    if (q->extra != NULL)
        test_free(q->extra);
}

static graze_status answer(gz_deviation_query *query, question *q)
{
    gz_surface to = patch_surface(&q->coarse), from = patch_surface(&q->fine);
    gz_deviation d;
    from.extra = q->extra;
    graze_status status = gz_deviation_set_target(query, &to);
    if (status == GRAZE_OK)
        status = gz_deviation_from(query, &from, 0.05, q->floor, &d);
    if (status != GRAZE_OK)
        return status;
    q->known = d.high;
    gz_spread spread = {&to, q->part, q->part_count, q->known, q->floor};
    if (q->tired)
        gz_deviation_set_patience(query, 0, 0);
    status = gz_deviation_spread(query, &from, &spread, q->spread);
    gz_deviation_set_patience(query, PATIENCE, 0);
    return status;
}

// Every point is within what the extra leaves of the spread of some part of a triangle of it.
static bool holds(const question *q, uint32_t t, const long double point[3], long double slack,
                  uint32_t *hint)
{
    long double extra = q->extra == NULL ? 0 : (long double)q->extra[t];
    for (uint32_t k = 0; k < q->coarse.triangle_count; ++k) {
        uint32_t n = (*hint + k) % q->coarse.triangle_count;
        long double most = (long double)q->spread[q->part[n]] - extra + slack;
        if (most >= 0 && patch_distance(&q->coarse, n, point) <= most) {
            *hint = n;
            return true;
        }
    }
    return false;
}

// Rounding is inside; what this arithmetic of our own is off by is below 2^-50 of coordinates.
static void check(const question *q, uint32_t samples)
{
    test_random random = {q->seed + 77};
    uint32_t hint = 0;
    long double slack =
        0x1p-50L * (long double)fmax(patch_largest(&q->fine), patch_largest(&q->coarse));
    for (uint32_t p = 0; p < q->part_count; ++p)
        assert_true(q->spread[p] >= 0 && q->spread[p] <= q->known);
    for (uint32_t t = 0; t < q->fine.triangle_count; ++t)
        for (uint32_t n = 0; n < samples; ++n) {
            long double point[3];
            patch_point(&q->fine, t, n, &random, point);
            if (!holds(q, t, point, slack, &hint))
                fail_msg("seed %d: a point of triangle %u is in the spread of no part",
                         (int)q->seed, t);
        }
}

static void answer_and_check(gz_deviation_query *query, question *q, uint32_t samples)
{
    assert_int_equal(answer(query, q), GRAZE_OK);
    check(q, samples);
    free_question(q);
}

static void shapes(void **state)
{
    (void)state;
    static const char *const kinds[] = {"sphere", "torus", "knot", "gear", "terrain", "plates"};
    static const graze_simd widths[] = {GRAZE_SIMD_SCALAR, GRAZE_SIMD_BEST};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(18); ++seed) {
        deviation_bench b = deviation_open(widths[seed / 6 % 2]);
        patch fine = patch_shape(kinds[seed % 6], 300);
        question q = ask(fine, patch_simplify(&fine, 60 + (uint32_t)(seed * 17 % 200)), seed);
        q.floor = seed % 2 == 0 ? 0 : 1e-7;
        answer_and_check(b.query, &q, 12);
        deviation_close(&b);
    }
}

static void soups(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    for (uint64_t seed = 1; seed <= TEST_CHANCES(600); ++seed) {
        test_random random = {seed};
        patch fine = patch_of_chance(&random, 1 + (uint32_t)(test_next(&random) % 40));
        patch coarse = patch_of_chance(&random, 1 + (uint32_t)(test_next(&random) % 40));
        if (seed % 4 == 0) { // a part of the fine one
            patch_free(&coarse);
            coarse = patch_copy(&fine);
            coarse.triangle_count = (fine.triangle_count + 1) / 2;
        }
        question q = ask(fine, coarse, seed);
        gz_deviation_set_patience(b.query, seed % 5 == 0 ? 1 : PATIENCE, 0);
        q.tired = seed % 3 == 0;
        answer_and_check(b.query, &q, 20);
    }
    deviation_close(&b);
}

static void degenerate_and_doubled(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    for (uint64_t seed = 1; seed <= TEST_CHANCES(12); ++seed) {
        test_random random = {seed};
        patch base = patch_relief(8, 0.1, seed), half = patch_simplify(&base, 40);
        patch fine = patch_join(&base, &base), coarse = patch_join(&half, &half);
        for (uint32_t t = 0; t < fine.triangle_count && seed % 2 == 0; ++t)
            fine.corner[t][2] = fine.corner[t][test_next(&random) % 2];
        for (uint32_t t = 0; t < coarse.triangle_count && seed % 4 > 1; ++t)
            coarse.corner[t][test_next(&random) % 3] = coarse.corner[t][0];
        question q = ask(fine, coarse, seed);
        answer_and_check(b.query, &q, 9);
        patch_free(&base);
        patch_free(&half);
    }
    deviation_close(&b);
}

static void odd_sizes(void **state)
{
    (void)state;
    static const double sizes[8][3] = {
        {30, 1, 0},       {1e-3, 1, 0},        {1, 1e-5, 0},        {0x1p500, 0x1p500, 0},
        {0x1p-500, 1, 1}, {0x1p40, 1, 0x1p41}, {0x1p70, 1, 0x1p80}, {0x1p-40, 1, 0x1p-9}};
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    for (uint64_t seed = 0; seed < (TEST_SANITIZED ? 8 : 32); ++seed) {
        const double *size = sizes[seed % 8], shift[3] = {size[2], size[2], 0},
                     middle[3] = {-0.3 * size[0], -0.4 * size[0], 0}, zero[3] = {0, 0, 0};
        patch fine = patch_relief(5, 0.05, seed + 1), coarse = patch_relief(6, 0.1, seed + 1);
        patch_transform(&fine, size[0], middle);
        patch_transform(&coarse, size[1], zero);
        patch_transform(&fine, 1, shift);
        question q = ask(fine, coarse, seed);
        answer_and_check(b.query, &q, 12);
    }
    deviation_close(&b);
}

// Without a third of the target: known is large there, and small for parts elsewhere.
static void far_in_one_place(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch fine = patch_relief(24, 0.01, 4), coarse = patch_copy(&fine);
    uint32_t kept = 0;
    for (uint32_t t = 0; t < fine.triangle_count; ++t)
        if (fine.position[fine.corner[t][0]][0] < 0.66)
            memcpy(coarse.corner[kept++], fine.corner[t], sizeof *fine.corner);
    coarse.triangle_count = kept;
    question q = ask(fine, coarse, 5); // by chance, no extras
    q.part_count = 4;
    free(q.part);
    test_free(q.spread);
    q.part = patch_own_by_grid(&coarse, kept);
    q.spread = test_malloc(4 * sizeof *q.spread);
    for (uint32_t t = 0; t < kept; ++t)
        q.part[t] = (uint32_t)(coarse.position[coarse.corner[t][0]][0] / 0.17);
    assert_int_equal(answer(b.query, &q), GRAZE_OK);
    check(&q, 9);
    assert_true(q.known > 0.25 && q.spread[3] > 0.25);
    for (int p = 0; p < 3; ++p)
        assert_true(q.spread[p] < 1e-6 + q.known / 16);
    free_question(&q);
    deviation_close(&b);
}

static void of_nothing(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch fine = patch_relief(3, 0.1, 1), coarse = patch_copy(&fine);
    fine.triangle_count = 0;
    question q = ask(fine, coarse, 6);
    assert_int_equal(answer(b.query, &q), GRAZE_OK);
    for (uint32_t p = 0; p < q.part_count; ++p)
        assert_true(q.spread[p] == 0);
    free_question(&q);
    deviation_close(&b);
}

static graze_status try_with_faults(graze_context *context, void *data)
{
    question *q = data;
    gz_deviation_query *query = NULL;
    graze_status status = gz_deviation_query_create(context, &query);
    if (status == GRAZE_OK)
        status = answer(query, q);
    gz_deviation_query_destroy(query);
    return status;
}

static void failing_memory(void **state)
{
    (void)state;
    patch fine = patch_relief(6, 0.1, 2);
    question q = ask(fine, patch_simplify(&fine, 30), 2);
    assert_true(test_all_faults(try_with_faults, &q, 1) > 5);
    check(&q, 6);
    free_question(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),           cmocka_unit_test(soups),
        cmocka_unit_test(odd_sizes),        cmocka_unit_test(degenerate_and_doubled),
        cmocka_unit_test(far_in_one_place), cmocka_unit_test(of_nothing),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
