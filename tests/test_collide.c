// graze_query_collide: lists, counts and verdicts against the oracle, asked both ways round; its
// limits; and what it refuses.
#include "test.h"

#include <math.h>

#include "asked_shapes.h"
#include "soups.h"

static graze_shape *shape_of(graze_context *context, const soup *s)
{
    static int turn = 0;
    graze_shape *shape = NULL;
    graze_shape_def def = graze_shape_def_default();
    def.layout = ++turn % 3 == 0 ? GRAZE_LAYOUT_COMPACT : GRAZE_LAYOUT_FAST;
    assert_int_equal(graze_shape_create(context, &s->view, &def, &shape), GRAZE_OK);
    return shape;
}

static bool in_order(const graze_answer *answer)
{
    for (uint64_t i = 1; i < answer->pair_count; ++i) {
        graze_pair p = answer->pairs[i - 1], q = answer->pairs[i];
        if (p.a > q.a || (p.a == q.a && p.b >= q.b))
            return false;
    }
    return true;
}

static void ask_all_ways(graze_query *query, graze_front *front, const soup_case *c,
                         const graze_shape *a, const graze_shape *b, bool swapped)
{
    const graze_pose *pose_a = swapped ? &c->pose_b : &c->pose_a;
    const graze_pose *pose_b = swapped ? &c->pose_a : &c->pose_b;
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.tolerance = c->tolerance;
    graze_verdict verdict = c->contacts != 0 ? GRAZE_CONTACT : GRAZE_APART;

    def.collect = GRAZE_COLLECT_PAIRS;
    assert_int_equal(
        graze_query_collide(query, graze_at(a, pose_a), graze_at(b, pose_b), &def, &answer),
        GRAZE_OK);
    soup_case_check(c, answer.pairs, answer.pair_count, swapped);
    assert_true(in_order(&answer) && answer.complete && answer.verdict == verdict);

    def.use_threads = 1;
    assert_int_equal(
        graze_query_collide(query, graze_at(a, pose_a), graze_at(b, pose_b), &def, &answer),
        GRAZE_OK);
    soup_case_check(c, answer.pairs, answer.pair_count, swapped);
    assert_true(in_order(&answer) && answer.complete && answer.verdict == verdict);
    def.any_order = 1;
    for (uint32_t way = 0; way < 4; ++way) {
        def.use_threads = way % 2;
        def.front = way / 2 != 0 ? front : NULL;
        assert_int_equal(
            graze_query_collide(query, graze_at(a, pose_a), graze_at(b, pose_b), &def, &answer),
            GRAZE_OK);
        soup_case_check(c, answer.pairs, answer.pair_count, swapped);
        assert_true(answer.complete && answer.verdict == verdict);
    }
    def.any_order = def.use_threads = 0;
    def.front = NULL;

    def.collect = GRAZE_COLLECT_COUNT;
    assert_int_equal(
        graze_query_collide(query, graze_at(a, pose_a), graze_at(b, pose_b), &def, &answer),
        GRAZE_OK);
    assert_true(answer.pair_count == c->contacts && answer.complete && answer.pairs == NULL);

    def.collect = GRAZE_COLLECT_VERDICT;
    assert_int_equal(
        graze_query_collide(query, graze_at(a, pose_a), graze_at(b, pose_b), &def, &answer),
        GRAZE_OK);
    assert_true(answer.verdict == verdict && answer.pair_count == (c->contacts != 0));

    def.collect = GRAZE_COLLECT_PAIRS;
    for (def.pair_limit = 1; def.pair_limit < c->contacts + 2;
         def.pair_limit += 1 + c->contacts / 5) {
        assert_int_equal(
            graze_query_collide(query, graze_at(a, pose_a), graze_at(b, pose_b), &def, &answer),
            GRAZE_OK);
        bool more = c->contacts > def.pair_limit;
        assert_int_equal(answer.pair_count, more ? def.pair_limit : c->contacts);
        assert_true(in_order(&answer) && !(more && answer.complete));
    }
}

// A query that was never asked before has no memory yet.
static void ask_fresh(graze_context *context, const soup_case *c, const graze_shape *a,
                      const graze_shape *b)
{
    graze_query *query = NULL;
    graze_answer answer;
    graze_collide_def def = graze_collide_def_default();
    def.tolerance = c->tolerance;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(
        graze_query_collide(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b), &def, &answer),
        GRAZE_OK);
    assert_int_equal(answer.verdict, c->contacts != 0 ? GRAZE_CONTACT : GRAZE_APART);
    graze_query_free(query);
}

static void answers_equal_oracle(void **state)
{
    (void)state;
    static soup_case c;
    graze_context_def threads = graze_context_def_default();
    threads.thread_count = 3;
    graze_context *context = test_context(&threads);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_front *front = NULL;
    assert_int_equal(graze_front_create(context, &front), GRAZE_OK);
    for (uint64_t seed = 1001; seed <= 1150; ++seed) {
        soup_case_make(&c, seed, 60);
        soup_case_solve(&c);
        graze_shape *a = shape_of(context, &c.a), *b = shape_of(context, &c.b);
        ask_fresh(context, &c, a, b);
        ask_all_ways(query, front, &c, a, b, false);
        ask_all_ways(query, front, &c, b, a, true);
        graze_shape_free(a);
        graze_shape_free(b);
    }
    graze_front_free(front);
    graze_query_free(query);
    test_context_done(context);
}

// Rotations that are as far from one as they may be, far from the origin, and a tolerance that is
// the distance of two triangles, rounded up.
static void rotations_may_be_off(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_front *front = NULL;
    assert_int_equal(graze_front_create(context, &front), GRAZE_OK);
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        static const double offsets[] = {0, 1e6, -1e3}, gaps[] = {1, 0, 1000, 1e5};
        test_random random = {seed};
        double offset = offsets[seed % 3], gap = gaps[seed % 4];
        soup_make(&random, &c.a, 1 + (uint32_t)(test_next(&random) % 40), 1, offset, false);
        soup_make(&random, &c.b, 1 + (uint32_t)(test_next(&random) % 40), 1, offset, false);
        c.seed = seed;
        c.pose_a = soup_pose(&random, 1);
        soup_bend(&c.pose_a, test_next(&random) % 4);
        c.pose_b = c.pose_a;
        c.pose_b.translation[seed % 3] += gap;
        soup_bend(&c.pose_b, offset == 0 && c.pose_a.rotation[0] == 1 ? test_next(&random) % 4 : 0);
        graze_triangle a = soup_triangle(&c.a, 0, &c.pose_a), b = soup_triangle(&c.b, 0, &c.pose_b);
        graze_closest closest;
        graze_triangle_closest(&a, &b, &closest);
        c.tolerance = gap == 0 ? 0 : nextafter(closest.distance, HUGE_VAL);
        soup_case_solve(&c);
        assert_true(gap == 0 || c.contacts != 0);
        graze_shape *shape_a = shape_of(context, &c.a), *shape_b = shape_of(context, &c.b);
        ask_all_ways(query, front, &c, shape_a, shape_b, false);
        ask_all_ways(query, front, &c, shape_b, shape_a, true);
        graze_shape_free(shape_a);
        graze_shape_free(shape_b);
    }
    graze_front_free(front);
    graze_query_free(query);
    test_context_done(context);
}

// Many poses at once give what each gives alone, with lists that stay.
static void many_poses_equal_single_ones(void **state)
{
    (void)state;
    enum { POSES = 203 };
    static soup_case c;
    static graze_pose poses[POSES];
    static graze_answer answers[POSES];
    graze_context_def threads = graze_context_def_default();
    threads.thread_count = 4;
    graze_context *context = test_context(&threads);
    graze_query *query = NULL, *single = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &single), GRAZE_OK);
    soup_case_make(&c, 1, 150);
    graze_shape *a = shape_of(context, &c.a), *b = shape_of(context, &c.b);
    test_random random = {5};
    for (int i = 0; i < POSES; ++i)
        poses[i] = soup_pose(&random, 4);
    graze_collide_def def = graze_collide_def_default();
    const graze_pose still = graze_pose_identity();
    uint64_t contacts = 0;
    for (int round = 0; round < 3; ++round) {
        def.collect = (graze_collect)(2 - round);
        assert_int_equal(
            graze_query_collide_many(query, graze_at(a, NULL), b, poses, POSES, &def, answers),
            GRAZE_OK);
        for (int i = 0; i < POSES; ++i) {
            graze_answer answer;
            assert_int_equal(graze_query_collide(single, graze_at(a, &still),
                                                 graze_at(b, &poses[i]), &def, &answer),
                             GRAZE_OK);
            assert_int_equal(answer.pair_count, answers[i].pair_count);
            assert_int_equal(answer.verdict, answers[i].verdict);
            assert_int_equal(answer.counters.work, answers[i].counters.work);
            if (round == 0 && answer.pair_count != 0)
                assert_memory_equal(answer.pairs, answers[i].pairs,
                                    answer.pair_count * sizeof(graze_pair));
            contacts += answer.pair_count;
        }
    }
    assert_true(contacts > 1000);
    poses[150].rotation[0] = 7;
    assert_int_equal(
        graze_query_collide_many(query, graze_at(a, NULL), b, poses, POSES, &def, answers),
        GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_query_collide_many(query, graze_at(a, NULL), b, NULL, 0, &def, NULL),
                     GRAZE_OK);
    graze_shape_free(a);
    graze_shape_free(b);
    graze_query_free(single);
    graze_query_free(query);
    test_context_done(context);
}

// With any limit of work the answer is either right or undecided, and enough work decides it.
static void limits_never_pretend(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    uint64_t undecided = 0, partial = 0;
    for (uint64_t seed = 2001; seed <= 2020; ++seed) {
        soup_case_make(&c, seed, 60);
        soup_case_solve(&c);
        graze_shape *a = shape_of(context, &c.a), *b = shape_of(context, &c.b);
        graze_collide_def def = graze_collide_def_default();
        def.tolerance = c.tolerance;
        def.collect = GRAZE_COLLECT_PAIRS;
        graze_answer answer = {0};
        for (def.work_limit = 1; !answer.complete; def.work_limit *= 2) {
            assert_int_equal(graze_query_collide(query, graze_at(a, &c.pose_a),
                                                 graze_at(b, &c.pose_b), &def, &answer),
                             GRAZE_OK);
            assert_true(in_order(&answer));
            if (answer.verdict == GRAZE_APART)
                assert_true(answer.complete && c.contacts == 0);
            if (answer.verdict == GRAZE_CONTACT)
                assert_true(c.contacts != 0 && answer.pair_count <= c.contacts);
            undecided += answer.verdict == GRAZE_UNDECIDED;
            partial += !answer.complete && answer.pair_count != 0;
        }
        soup_case_check(&c, answer.pairs, answer.pair_count, false);
        graze_shape_free(a);
        graze_shape_free(b);
    }
    assert_true(undecided > 20 && partial > 0);
    graze_query_free(query);
    test_context_done(context);
}

static graze_status ask(graze_query *query, const graze_shape *shape, double turn, double shift,
                        double tolerance)
{
    graze_pose pose = graze_pose_identity(), still = pose;
    pose.rotation[0] = turn;
    pose.translation[0] = shift;
    graze_collide_def def = graze_collide_def_default();
    def.tolerance = tolerance;
    graze_answer answer;
    return graze_query_collide(query, graze_at(shape, &pose), graze_at(shape, &still), &def,
                               &answer);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static soup s;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    test_random random = {1};
    soup_make(&random, &s, 20, 1, 0, false);
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_shape *shape = shape_of(context, &s);
    assert_int_equal(ask(query, shape, 1, 0, 0), GRAZE_OK);
    assert_int_equal(ask(query, shape, 1.1, 0, 0), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(ask(query, shape, 1, (double)NAN, 0), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(ask(query, shape, 1, 1.7e308, 0), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(ask(query, shape, 1, 0, -1), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(ask(query, shape, 1, 0, (double)INFINITY), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(ask(query, NULL, 1, 0, 0), GRAZE_ERROR_ARGUMENT);
    graze_shape *none = NULL;
    s.position[3 * s.corner[4] + 1] = (double)NAN;
    assert_int_equal(graze_shape_create(context, &s.view, NULL, &none), GRAZE_ERROR_ARGUMENT);
    assert_null(none);
    s.position[3 * s.corner[4] + 1] = 0;
    s.corner[7] = 1000000;
    assert_int_equal(graze_shape_create(context, &s.view, NULL, &none), GRAZE_ERROR_ARGUMENT);
    graze_shape_free(shape);
    graze_query_free(query);
    test_context_done(context);
}

static void nothing_touches_nothing(void **state)
{
    (void)state;
    static soup s;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    test_random random = {1};
    soup_make(&random, &s, 20, 1, 0, false);
    graze_mesh_view empty = {.precision = GRAZE_FLOAT32};
    graze_shape *nothing = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_shape_create(context, &empty, NULL, &nothing), GRAZE_OK);
    graze_shape *shape = shape_of(context, &s);
    graze_pose still = graze_pose_identity();
    graze_answer answer;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(graze_query_collide(query, graze_at(i == 0 ? shape : nothing, &still),
                                             graze_at(i == 1 ? shape : nothing, &still), NULL,
                                             &answer),
                         GRAZE_OK);
        assert_true(answer.verdict == GRAZE_APART && answer.complete);
    }
    graze_shape_free(shape);
    graze_shape_free(nothing);
    graze_query_free(query);
    test_context_done(context);
}

static graze_status ask_for_pairs(const asked_shapes *shapes, graze_query *query)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    graze_answer answer;
    return graze_query_collide(query, graze_at(shapes->a, &shapes->pose_a),
                               graze_at(shapes->b, &shapes->pose_b), &def, &answer);
}

static void failing_leaves_nothing_behind(void **state)
{
    (void)state;
    static soup_case c;
    soup_case_make(&c, 8, 150);
    graze_shape_def compact = graze_shape_def_default();
    compact.layout = GRAZE_LAYOUT_COMPACT;
    asked_shapes shapes = {.view_a = &c.a.view,
                           .view_b = &c.b.view,
                           .def_a = &compact,
                           .pose_a = c.pose_a,
                           .pose_b = c.pose_b,
                           .ask = ask_for_pairs};
    assert_true(asked_shapes_fail(&shapes) > 10);
}

static void ask_each_kind(graze_query *query, const soup_case *c, const graze_shape *a,
                          const graze_shape *b)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    for (int collect = GRAZE_COLLECT_VERDICT; collect <= GRAZE_COLLECT_PAIRS; ++collect) {
        def.collect = (graze_collect)collect;
        assert_int_equal(graze_query_collide(query, graze_at(a, &c->pose_a),
                                             graze_at(b, &c->pose_b), &def, &answer),
                         GRAZE_OK);
    }
}

// A second question like the first takes no memory.
static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    soup_case_make(&c, 2, 150);
    graze_shape *a = shape_of(context, &c.a), *b = shape_of(context, &c.b);
    ask_each_kind(query, &c, a, b);
    graze_memory_use before = graze_context_memory(context);
    ask_each_kind(query, &c, a, b);
    graze_memory_use after = graze_context_memory(context);
    assert_int_equal(before.current_bytes, after.current_bytes);
    assert_int_equal(before.peak_bytes, after.peak_bytes);
    graze_shape_free(a);
    graze_shape_free(b);
    graze_query_free(query);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_oracle),
        cmocka_unit_test(rotations_may_be_off),
        cmocka_unit_test(many_poses_equal_single_ones),
        cmocka_unit_test(limits_never_pretend),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(nothing_touches_nothing),
        cmocka_unit_test(failing_leaves_nothing_behind),
        cmocka_unit_test(warm_queries_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
