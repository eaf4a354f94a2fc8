// Pairs are sorted by a and then by b, and merged: few and many, spread out or with the same a,
// with numbers up to the largest.
#include "test.h"

#include <stdlib.h>

#include "boxtree/pair_sort.h"

enum { MOST = 5000 };

static int compare(const void *x, const void *y)
{
    const graze_pair *p = x, *q = y;
    return p->a != q->a ? (p->a < q->a ? -1 : 1) : p->b != q->b ? (p->b < q->b ? -1 : 1) : 0;
}

static void try_sort(test_random *random, uint64_t count, uint64_t limit_a, uint64_t limit_b,
                     uint64_t favoured)
{
    static graze_pair pairs[MOST], spare[MOST], want[MOST];
    for (uint64_t i = 0; i < count; ++i) {
        pairs[i] = (graze_pair){.a = (uint32_t)(test_next(random) % limit_a),
                                .b = (uint32_t)(test_next(random) % limit_b)};
        if (i % 10 < favoured) // many with one triangle, the largest
            pairs[i].a = (uint32_t)(limit_a - 1);
    }
    memcpy(want, pairs, count * sizeof *pairs);
    qsort(want, count, sizeof *want, compare);
    const graze_pair *sorted = gz_pairs_sort(pairs, spare, count, limit_a, limit_b);
    assert_true(sorted == pairs || sorted == spare);
    for (uint64_t i = 0; i < count; ++i)
        assert_int_equal(compare(&sorted[i], &want[i]), 0);
}

static void pairs_are_sorted(void **state)
{
    (void)state;
    test_random random = {9};
    static const uint64_t counts[] = {0, 1, 2, 63, 64, 65, 200, 1000, MOST};
    static const uint64_t limits[] = {1, 2, 60, 2048, 2049, 100000, UINT64_C(1) << 31};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
        for (size_t a = 0; a < sizeof limits / sizeof *limits; ++a)
            for (size_t b = 0; b < sizeof limits / sizeof *limits; ++b)
                for (uint64_t favoured = 0; favoured <= 10; favoured += 5)
                    try_sort(&random, counts[c], limits[a], limits[b], favoured);
}

// Two lists, sorted, of which one is often much shorter: merged, they are all of them, sorted.
static void lists_are_merged(void **state)
{
    (void)state;
    static graze_pair pairs[MOST], spare[MOST], out[MOST], want[MOST];
    test_random random = {10};
    for (int round = 0; round < 300; ++round) {
        uint64_t count = test_next(&random) % 500, few = test_next(&random) % (count + 1);
        uint64_t limit = round % 2 == 0 ? 20 : 1000000;
        for (uint64_t i = 0; i < count; ++i)
            pairs[i] = (graze_pair){.a = (uint32_t)(test_next(&random) % limit),
                                    .b = (uint32_t)(test_next(&random) % limit)};
        memcpy(want, pairs, count * sizeof *pairs);
        qsort(want, count, sizeof *want, compare);
        qsort(pairs, few, sizeof *pairs, compare);
        qsort(pairs + few, count - few, sizeof *pairs, compare);
        memcpy(spare, pairs, few * sizeof *pairs);
        gz_pairs_merge(pairs + few, count - few, spare, few, out);
        for (uint64_t i = 0; i < count; ++i)
            assert_int_equal(compare(&out[i], &want[i]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_sorted),
                                       cmocka_unit_test(lists_are_merged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
