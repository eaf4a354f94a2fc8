// Groups of clusters: every cluster is in one, their sizes are near each other, neighbours stay
// together, and cuts move from level to level.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "model/grouping.h"

enum { MOST_CLUSTERS = 3000 };
static float center[MOST_CLUSTERS][3];

static uint32_t group_size(const gz_grouping *grouping, uint32_t group)
{
    return grouping->first[group + 1] - grouping->first[group];
}

// Every cluster once, ascending in each group, and sizes as promised.
static void check_grouping(const gz_grouping *grouping, uint32_t count, uint32_t most)
{
    static uint8_t seen[MOST_CLUSTERS];
    memset(seen, 0, sizeof seen);
    assert_int_equal(grouping->cluster_count, count);
    assert_true((grouping->group_count == 0) == (count == 0));
    if (count == 0)
        return;
    assert_int_equal(grouping->first[0], 0);
    assert_int_equal(grouping->first[grouping->group_count], count);
    for (uint32_t g = 0; g < grouping->group_count; ++g) {
        uint32_t size = group_size(grouping, g);
        assert_in_range(size, count < most / 2 ? count : most / 2, most);
        for (uint32_t i = grouping->first[g]; i < grouping->first[g + 1]; ++i) {
            assert_true(grouping->member[i] < count && !seen[grouping->member[i]]);
            assert_true(i == grouping->first[g] || grouping->member[i] > grouping->member[i - 1]);
            seen[grouping->member[i]] = 1;
        }
    }
}

static gz_grouping make_checked(graze_context *context, uint32_t count, uint32_t level,
                                uint32_t most)
{
    gz_grouping grouping;
    assert_true(
        gz_grouping_make(context, (const float(*)[3])center, count, level, most, &grouping));
    check_grouping(&grouping, count, most);
    return grouping;
}

static void place_randomly(uint64_t seed, uint32_t count, uint32_t places)
{
    test_random random = {.state = seed};
    for (uint32_t i = 0; i < 3 * count; ++i)
        center[i / 3][i % 3] = (float)(test_next(&random) % places) - 0.5f * (float)places;
}

static void every_cluster_is_in_one_group(void **state)
{
    (void)state;
    static const uint32_t mosts[] = {2, 3, 4, 7, 16, 32, 64};
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        test_random random = {.state = ~seed};
        uint32_t count = (uint32_t)(test_next(&random) % (seed % 8 == 0 ? MOST_CLUSTERS : 150));
        place_randomly(seed, count, seed % 3 == 0 ? 3 : 100000);
        gz_grouping grouping = make_checked(context, count, (uint32_t)(seed % 9), mosts[seed % 7]);
        gz_grouping_free(context, &grouping);
    }
    test_context_done(context);
}

// Places that have no order, or all the same one.
static void odd_places(void **state)
{
    (void)state;
    static const float odd[] = {0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, 3e38f, -3e38f, 1e-45f};
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        test_random random = {.state = seed};
        for (uint32_t i = 0; i < 3 * 500; ++i)
            center[i / 3][i % 3] = odd[test_next(&random) % (1 + seed % 7)];
        gz_grouping grouping = make_checked(context, 500, (uint32_t)(seed % 4), 16);
        gz_grouping_free(context, &grouping);
    }
    for (int k = 0; k < 7; ++k) { // all at one place: by number
        for (uint32_t i = 0; i < 3 * 500; ++i)
            center[i / 3][i % 3] = odd[k];
        gz_grouping grouping = make_checked(context, 500, 0, 16);
        for (uint32_t i = 0; i < 500; ++i)
            assert_int_equal(grouping.member[i], i);
        gz_grouping_free(context, &grouping);
    }
    test_context_done(context);
}

// -0 and 0 are one place.
static void zeros_are_equal(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint32_t i = 0; i < 100; ++i) {
        center[i][0] = i % 2 == 0 ? 0.0f : -0.0f;
        center[i][1] = center[i][2] = 5;
    }
    gz_grouping grouping = make_checked(context, 100, 0, 16);
    for (uint32_t i = 0; i < 100; ++i)
        assert_int_equal(grouping.member[i], i);
    gz_grouping_free(context, &grouping);
    test_context_done(context);
}

// Clusters along a line, in any order: each group is a stretch of it.
static void neighbours_stay_together(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t count = 1000;
        memset(center, 0, sizeof center);
        for (uint32_t i = 0; i < count; ++i)
            center[i][axis] = (float)(i * 377 % count) - 500; // a permutation: 377 is coprime
        gz_grouping grouping = make_checked(context, count, (uint32_t)axis, 16);
        for (uint32_t g = 0; g < grouping.group_count; ++g) {
            float low = HUGE_VALF, high = -HUGE_VALF;
            for (uint32_t i = grouping.first[g]; i < grouping.first[g + 1]; ++i) {
                low = fminf(low, center[grouping.member[i]][axis]);
                high = fmaxf(high, center[grouping.member[i]][axis]);
            }
            assert_true(high - low == (float)(group_size(&grouping, g) - 1));
        }
        gz_grouping_free(context, &grouping);
    }
    test_context_done(context);
}

// Of the places along a line where a level is cut, few are cut on the next one, too.
static void cuts_move(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const uint32_t counts[] = {64, 100, 256, 999, 1024, 2500};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k)
        for (uint32_t level = 0; level < 8; ++level) {
            memset(center, 0, sizeof center);
            for (uint32_t i = 0; i < counts[k]; ++i)
                center[i][1] = (float)i;
            gz_grouping a = make_checked(context, counts[k], level, 16);
            gz_grouping b = make_checked(context, counts[k], level + 1, 16);
            uint32_t both = 0;
            for (uint32_t i = 1, j = 1; i < a.group_count && j < b.group_count;) {
                both += a.first[i] == b.first[j];
                if (a.first[i] < b.first[j])
                    ++i;
                else
                    ++j;
            }
            if (2 * both > a.group_count)
                fail_msg("%d clusters, level %d: %d of %d cuts are where they were", (int)counts[k],
                         (int)level, (int)both, (int)a.group_count - 1);
            gz_grouping_free(context, &a);
            gz_grouping_free(context, &b);
        }
    test_context_done(context);
}

static void it_is_always_the_same(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *one = test_context(&def);
    def.thread_count = 4;
    graze_context *four = test_context(&def);
    place_randomly(5, MOST_CLUSTERS, 50);
    for (uint32_t level = 0; level < 5; ++level) {
        gz_grouping a = make_checked(one, MOST_CLUSTERS, level, 16);
        gz_grouping b = make_checked(four, MOST_CLUSTERS, level, 16);
        assert_int_equal(a.group_count, b.group_count);
        assert_memory_equal(a.member, b.member, MOST_CLUSTERS * sizeof *a.member);
        assert_memory_equal(a.first, b.first, (a.group_count + 1) * sizeof *a.first);
        gz_grouping_free(one, &a);
        gz_grouping_free(four, &b);
    }
    test_context_done(four);
    test_context_done(one);
}

static void memory_that_fails(void **state)
{
    (void)state;
    place_randomly(9, 300, 1000);
    bool made = false;
    for (int64_t n = 0; !made; ++n) {
        graze_context *context = test_context(NULL);
        gz_grouping grouping;
        atomic_store(&gz_knobs_for(context)->allocations_left, n);
        made = gz_grouping_make(context, (const float(*)[3])center, 300, 1, 16, &grouping);
        assert_int_equal(made, atomic_load(&gz_knobs_for(context)->allocations_left) >= 0);
        if (!made)
            assert_true(grouping.member == NULL && grouping.first == NULL);
        gz_grouping_free(context, &grouping);
        test_context_done(context);
        assert_true(n < 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cluster_is_in_one_group),
        cmocka_unit_test(odd_places),
        cmocka_unit_test(zeros_are_equal),
        cmocka_unit_test(neighbours_stay_together),
        cmocka_unit_test(cuts_move),
        cmocka_unit_test(it_is_always_the_same),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
