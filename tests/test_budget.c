// Questions with a time limit: what they answer is true, and is the answer of a question with the
// error that they say; they load no page, wait for nobody who does beyond their time, and get
// better when asked again. Times are not measured: another thread rests meanwhile, and they end all
// the same; or they are counted in pages.
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

// Asks until nothing is left to be had, and each time without loading a page.
static graze_answer ask_until(pair_of_bodies *p, graze_posed a, graze_posed b,
                              const graze_collide_def *def, double error)
{
    graze_answer got = {.error = HUGE_VAL};
    for (int turn = 0; turn < 2000 && got.error > error; ++turn) {
        assert_int_equal(graze_query_collide(p->query, a, b, def, &got), GRAZE_OK);
        assert_int_equal(got.counters.page_loads, 0);
        if (got.error > error)
            usleep(1000);
    }
    return got;
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

// Cold: who loads pages rests, so that all but the coarsest levels are missing. Each question tells
// how many pages were, loads none, and is as coarse as that makes it; then they come, and none is
// missing.
static void cold_questions_tell(void **state)
{
    (void)state;
    pair_of_bodies p;
    p.context = both_ways_context(2, 10, 128);
    assert_int_equal(graze_query_create(p.context, &p.query), GRAZE_OK);
    assert_int_equal(graze_query_create(p.context, &p.other), GRAZE_OK);
    body_make(p.context, 0, GRAZE_FLOAT32, 60000, &p.a); // more than what stays in the cache
    body_make(p.context, 2, GRAZE_FLOAT32, 2000, &p.b);
    graze_pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .translation = {0.2, 0.1, 0.3}};
    graze_posed a = graze_at(p.a.paged, NULL), b = graze_at(p.b.paged, &pose);
    graze_collide_def def = graze_collide_def_default();
    graze_distance_def distance_def = graze_distance_def_default();
    graze_answer got;
    graze_distance distance;
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.time_limit = distance_def.time_limit = 60;
    assert_int_equal(graze_query_prepare(p.query, a, b, &def), GRAZE_OK);
    gz_knobs_for(p.context)->hold_loader = true;
    uint64_t loads = graze_model_cache_use(p.a.model).loads, misses = 0;
    for (int turn = 0; turn < 3; ++turn) {
        assert_int_equal(graze_query_collide(p.query, a, b, &def, &got), GRAZE_OK);
        assert_true(got.error > 0 && got.error < HUGE_VAL && got.complete == 1);
        assert_true(got.counters.page_misses > 0 && got.counters.page_loads == 0);
        assert_true(turn == 0 || got.counters.page_misses == misses);
        misses = got.counters.page_misses;
    }
    // No page counts twice: they are not more than the model has near b, let alone in all.
    assert_true(misses <= graze_model_get_info(p.a.model).page_count);
    assert_int_equal(graze_query_distance(p.query, a, b, &distance_def, &distance), GRAZE_OK);
    assert_int_equal(distance.counters.page_loads, 0);
    assert_int_equal(graze_model_cache_use(p.a.model).loads, loads);
    gz_knobs_for(p.context)->hold_loader = false;
    got = ask_until(&p, a, b, &def, 0);
    assert_true(got.error == 0 && got.counters.page_misses == 0);
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

// Defs that are none, or that no question would take.
static void prepares_good_defs_only(void **state)
{
    (void)state;
    pair_of_bodies p;
    open_pair(&p, 16, 0, 2);
    graze_posed a = graze_at(p.a.paged, NULL), b = graze_at(p.b.paged, NULL);
    graze_collide_def def = graze_collide_def_default();
    def.struct_size = 0;
    assert_int_equal(graze_query_prepare(p.query, a, b, &def), GRAZE_ERROR_ARGUMENT);
    def.struct_size = (uint32_t)sizeof def + 8;
    assert_int_equal(graze_query_prepare(p.query, a, b, &def), GRAZE_ERROR_ARGUMENT);
    def = graze_collide_def_default();
    def.error = -1;
    assert_int_equal(graze_query_prepare(p.query, a, b, &def), GRAZE_ERROR_ARGUMENT);
    def.error = NAN;
    assert_int_equal(graze_query_prepare(p.query, a, b, &def), GRAZE_ERROR_ARGUMENT);
    def.error = 0.1;
    def.time_limit = -1;
    assert_int_equal(graze_query_prepare(p.query, a, b, &def), GRAZE_ERROR_ARGUMENT);
    def.time_limit = 1;
    assert_int_equal(graze_query_prepare(p.query, a, graze_at(NULL, NULL), &def),
                     GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_query_prepare(NULL, a, b, &def), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_query_prepare(p.query, a, b, NULL), GRAZE_OK);
    assert_int_equal(graze_query_prepare(p.query, a, b, &def), GRAZE_OK);
    close_pair(&p);
}

// Nothing was prepared, and who does it rests: the first questions end without an answer. Then it
// goes to work, and there is one.
static void first_question_waits_for_nobody(void **state)
{
    (void)state;
    pair_of_bodies p;
    open_pair(&p, 64, 0, 2);
    graze_pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .translation = {0.2, 0.1, 0.3}};
    graze_posed a = graze_at(p.a.paged, NULL), b = graze_at(p.b.paged, &pose);
    graze_collide_def def = graze_collide_def_default();
    graze_distance_def distance_def = graze_distance_def_default();
    graze_answer got;
    graze_distance distance;
    gz_knobs_for(p.context)->hold_loader = true;
    uint64_t loads = graze_model_cache_use(p.a.model).loads;
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.time_limit = distance_def.time_limit = 1e-3;
    for (int turn = 0; turn < 5; ++turn) {
        assert_int_equal(graze_query_collide(p.query, a, b, &def, &got), GRAZE_OK);
        assert_true(got.verdict == GRAZE_UNDECIDED && got.error == HUGE_VAL && got.complete == 0);
        assert_int_equal(graze_query_distance(p.query, a, b, &distance_def, &distance), GRAZE_OK);
        assert_true(distance.verdict == GRAZE_UNDECIDED && distance.least == 0 &&
                    distance.distance == HUGE_VAL);
    }
    assert_int_equal(graze_model_cache_use(p.a.model).loads, loads);
    gz_knobs_for(p.context)->hold_loader = false;
    def.time_limit = 20;
    got = ask_until(&p, a, b, &def, 0);
    assert_true(got.error == 0 && got.verdict == GRAZE_CONTACT && got.complete == 1);
    close_pair(&p);
}

// A power of two as an error, at which the models are still coarser than they are.
static double coarse_power(pair_of_bodies *p, graze_posed a, graze_posed b)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer got;
    for (def.error = 1; def.error > 1e-6; def.error /= 2) {
        assert_int_equal(graze_query_collide(p->other, a, b, &def, &got), GRAZE_OK);
        if (got.cut_a < p->a.t.count && 2 * got.cut_a > p->a.t.count)
            return def.error;
    }
    fail_msg("no such error");
    return 0;
}

// An error that is no power of two has a cut of its own, which another thread works out. If that
// rests, the answer is that of the power above it.
static void last_cut_is_waited_for_in_time(void **state)
{
    (void)state;
    pair_of_bodies p;
    open_pair(&p, 64, 0, 2);
    graze_pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .translation = {0.2, 0.1, 0.3}};
    graze_posed a = graze_at(p.a.paged, NULL), b = graze_at(p.b.paged, &pose);
    graze_collide_def def = graze_collide_def_default();
    graze_answer got;
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.time_limit = 20;
    assert_int_equal(graze_query_prepare(p.query, a, b, &def), GRAZE_OK);
    (void)ask_until(&p, a, b, &def, 0); // all pages are there
    double power = coarse_power(&p, a, b);
    gz_knobs_for(p.context)->hold_loader = true;
    def.error = 0.75 * power;
    def.time_limit = 0.5;
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(graze_query_collide(p.query, a, b, &def, &got), GRAZE_OK);
        assert_true(got.error >= power);
    }
    def.time_limit = 20;
    gz_knobs_for(p.context)->hold_loader = false;
    got = ask_until(&p, a, b, &def, def.error);
    assert_true(got.error == def.error);
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_can_be_asked_again),
        cmocka_unit_test(distances_are_true),
        cmocka_unit_test(gets_better),
        cmocka_unit_test(prepares_good_defs_only),
        cmocka_unit_test(first_question_waits_for_nobody),
        cmocka_unit_test(cold_questions_tell),
        cmocka_unit_test(last_cut_is_waited_for_in_time),
        cmocka_unit_test(little_cache),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
