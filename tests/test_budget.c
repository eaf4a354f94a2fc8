// Questions with a time limit: what they answer is true, and is the answer of a question with the
// error that they say; they end in time, wait for no page, and get better when asked again.
#include "test.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/knobs.h"
#include "bodies.h"
#include "both_ways.h"

typedef struct pair_of_bodies {
    graze_context *context;
    graze_query *query, *other;
    body a, b;
} pair_of_bodies;

static void open_pair(pair_of_bodies *p, uint64_t cache_mib, int kind_a, int kind_b)
{
    p->context = both_ways_context(2, cache_mib, 32);
    assert_int_equal(graze_query_create(p->context, &p->query), GRAZE_OK);
    assert_int_equal(graze_query_create(p->context, &p->other), GRAZE_OK);
    body_make(p->context, kind_a, GRAZE_FLOAT32, 3000, &p->a);
    body_make(p->context, kind_b, GRAZE_FLOAT32, 2000, &p->b);
}

static void close_pair(pair_of_bodies *p)
{
    graze_query_free(p->query);
    graze_query_free(p->other);
    body_free(&p->a);
    body_free(&p->b);
    test_context_done(p->context);
}

static void check_same(const graze_answer *got, const graze_answer *want)
{
    assert_true(got->verdict == want->verdict && got->pair_count == want->pair_count);
    assert_true(got->complete == 1 && want->complete == 1);
    assert_true(got->cut_a == want->cut_a && got->cut_b == want->cut_b);
    if (got->pair_count != 0 && got->contacts != NULL)
        assert_memory_equal(got->contacts, want->contacts, got->pair_count * sizeof *got->contacts);
}

// Any time, from none at all to plenty: the answer can be asked for again by its error, and is true
// at least where it says something.
static void answers_can_be_asked_again(void **state)
{
    (void)state;
    pair_of_bodies p;
    test_random random = {.state = 11};
    uint32_t finished = 0, coarse = 0, undecided = 0;
    open_pair(&p, 16, 0, 2);
    for (uint32_t i = 0; i < TEST_CHANCES(300); ++i) {
        graze_pose pose = bodies_pose(&random, p.a.size / 2);
        graze_collide_def def = graze_collide_def_default();
        graze_answer got, want;
        def.collect = i % 4 == 3 ? GRAZE_COLLECT_VERDICT : GRAZE_COLLECT_CONTACTS;
        def.tolerance = i % 3 == 0 ? 0.01 : 0;
        def.time_limit = ldexp(1e-6, (int)(test_next(&random) % 20));
        def.error = i % 2 == 0 ? 0 : 0.01;
        graze_posed a = graze_at(i % 5 == 0 ? p.a.exact : p.a.paged, NULL);
        graze_posed b = graze_at(p.b.paged, &pose);
        assert_int_equal(graze_query_collide(p.query, a, b, &def, &got), GRAZE_OK);
        assert_true(got.error >= def.error);
        if (got.error == HUGE_VAL) {
            assert_true(got.verdict == GRAZE_UNDECIDED && got.complete == 0);
            ++undecided;
            continue;
        }
        finished += got.error == def.error;
        coarse += got.error > def.error;
        def.time_limit = 0;
        def.error = got.error;
        assert_int_equal(graze_query_collide(p.other, a, b, &def, &want), GRAZE_OK);
        if (def.collect == GRAZE_COLLECT_CONTACTS)
            check_same(&got, &want);
        else
            assert_int_equal(got.verdict, want.verdict);
    }
    assert_true(finished > 0 && coarse + undecided > 0);
    close_pair(&p);
}

static void distances_are_true(void **state)
{
    (void)state;
    pair_of_bodies p;
    test_random random = {.state = 12};
    open_pair(&p, 16, 1, 6);
    double widest = 0, narrowest = HUGE_VAL;
    for (uint32_t i = 0; i < TEST_CHANCES(200); ++i) {
        graze_pose pose = bodies_pose(&random, p.a.size * 1.5);
        graze_distance_def def = graze_distance_def_default();
        graze_distance got, exact;
        assert_int_equal(graze_query_distance(p.other, graze_at(p.a.exact, NULL),
                                              graze_at(p.b.exact, &pose), &def, &exact),
                         GRAZE_OK);
        def.time_limit = ldexp(1e-6, (int)(test_next(&random) % 20));
        assert_int_equal(graze_query_distance(p.query, graze_at(p.a.paged, NULL),
                                              graze_at(p.b.paged, &pose), &def, &got),
                         GRAZE_OK);
        assert_true(got.least <= exact.distance && exact.distance <= got.distance);
        if (got.verdict == GRAZE_UNDECIDED)
            continue;
        widest = fmax(widest, got.distance - got.least);
        narrowest = fmin(narrowest, got.distance - got.least);
    }
    assert_true(narrowest < 1e-6);
    close_pair(&p);
}

// The clusters of cuts above the ladder's limit are not there at first, and are loaded meanwhile.
static void gets_better(void **state)
{
    (void)state;
    pair_of_bodies p;
    open_pair(&p, 64, 0, 2);
    graze_pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .translation = {0.2, 0.1, 0.3}};
    graze_collide_def def = graze_collide_def_default();
    graze_answer first, got;
    def.collect = GRAZE_COLLECT_PAIRS;
    def.time_limit = 20;
    graze_posed a = graze_at(p.a.paged, NULL), b = graze_at(p.b.paged, &pose);
    assert_int_equal(graze_query_prepare(p.query, a, b, &def), GRAZE_OK);
    assert_int_equal(graze_query_collide(p.query, a, b, &def, &first), GRAZE_OK);
    assert_true(first.error < HUGE_VAL && first.complete == 1);
    assert_int_equal(first.counters.page_loads, 0);
    got = first;
    for (int turn = 0; turn < 2000 && got.error > 0; ++turn) {
        assert_int_equal(graze_query_collide(p.query, a, b, &def, &got), GRAZE_OK);
        assert_int_equal(got.counters.page_loads, 0);
        usleep(1000);
    }
    assert_true(got.error == 0 && got.verdict == GRAZE_CONTACT);
    close_pair(&p);
}

// A cache of the least size has no room for what stays: answers are still true.
static void little_cache(void **state)
{
    (void)state;
    pair_of_bodies p;
    open_pair(&p, 2, 0, 2);
    graze_collide_def def = graze_collide_def_default();
    def.time_limit = 1e-3;
    test_random random = {.state = 13};
    for (int i = 0; i < 20; ++i) {
        graze_pose pose = bodies_pose(&random, p.a.size);
        graze_answer got, exact;
        graze_collide_def plain = graze_collide_def_default();
        assert_int_equal(graze_query_collide(p.query, graze_at(p.a.paged, NULL),
                                             graze_at(p.b.paged, &pose), &def, &got),
                         GRAZE_OK);
        assert_int_equal(graze_query_collide(p.other, graze_at(p.a.exact, NULL),
                                             graze_at(p.b.exact, &pose), &plain, &exact),
                         GRAZE_OK);
        if (exact.verdict == GRAZE_CONTACT)
            assert_true(got.verdict != GRAZE_APART);
        else
            assert_true(got.verdict != GRAZE_CONTACT);
    }
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_can_be_asked_again),
        cmocka_unit_test(distances_are_true),
        cmocka_unit_test(gets_better),
        cmocka_unit_test(little_cache),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
