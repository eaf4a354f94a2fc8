// graze_query_distance_many: what graze_query_distance gives, pose by pose, for any number of
// threads; limits, cancelling, memory.
#include "test.h"

#include <stdatomic.h>

#include "asked_shapes.h"
#include "soups.h"

enum { POSES = 203 };

typedef struct shape_pair {
    graze_context *context;
    graze_query *many, *single;
    graze_shape *a, *b;
    graze_pose poses[POSES];
} shape_pair;

// Some of the poses touch, and some are apart.
static void open_pair(shape_pair *p, const graze_context_def *def, const soup_case *c)
{
    p->context = test_context(def);
    assert_int_equal(graze_query_create(p->context, &p->many), GRAZE_OK);
    assert_int_equal(graze_query_create(p->context, &p->single), GRAZE_OK);
    assert_int_equal(graze_shape_create(p->context, &c->a.view, NULL, &p->a), GRAZE_OK);
    assert_int_equal(graze_shape_create(p->context, &c->b.view, NULL, &p->b), GRAZE_OK);
    test_random random = {5};
    for (int i = 0; i < POSES; ++i)
        p->poses[i] = soup_pose(&random, 12);
}

static void close_pair(shape_pair *p)
{
    graze_shape_free(p->a);
    graze_shape_free(p->b);
    graze_query_free(p->many);
    graze_query_free(p->single);
    test_context_done(p->context);
}

static bool same_point(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static bool same(const graze_distance *p, const graze_distance *q)
{
    return p->verdict == q->verdict && p->distance == q->distance && p->least == q->least &&
           p->pair.a == q->pair.a && p->pair.b == q->pair.b && same_point(p->point_a, q->point_a) &&
           same_point(p->point_b, q->point_b) &&
           memcmp(&p->counters, &q->counters, sizeof p->counters) == 0;
}

// Adds up how many of each verdict there are.
static void check_many(const shape_pair *p, const graze_distance_def *def, int verdicts[4],
                       int *touching)
{
    static graze_distance distances[POSES];
    const graze_pose still = graze_pose_identity();
    memset(distances, 0xff, sizeof distances);
    assert_int_equal(graze_query_distance_many(p->many, graze_at(p->a, NULL), p->b, p->poses, POSES,
                                               def, distances),
                     GRAZE_OK);
    for (int i = 0; i < POSES; ++i) {
        graze_distance one;
        assert_int_equal(graze_query_distance(p->single, graze_at(p->a, &still),
                                              graze_at(p->b, &p->poses[i]), def, &one),
                         GRAZE_OK);
        if (!same(&one, &distances[i]))
            fail_msg("pose %d: %.17g instead of %.17g", i, distances[i].distance, one.distance);
        verdicts[one.verdict]++;
        *touching += one.distance == 0;
    }
}

static void equal_single_ones(void **state)
{
    (void)state;
    static soup_case c;
    static shape_pair p;
    soup_case_make(&c, 1, 150);
    int verdicts[4] = {0}, touching = 0;
    for (uint32_t threads = 1; threads <= 4; ++threads) {
        graze_context_def context_def = graze_context_def_default();
        context_def.thread_count = threads;
        open_pair(&p, &context_def, &c);
        check_many(&p, NULL, verdicts, &touching);
        graze_distance_def def = graze_distance_def_default();
        def.limit = 1;
        check_many(&p, &def, verdicts, &touching);
        def.value_only = 1;
        check_many(&p, &def, verdicts, &touching);
        def = graze_distance_def_default();
        def.work_limit = 500 * threads;
        check_many(&p, &def, verdicts, &touching);
        close_pair(&p);
    }
    assert_true(verdicts[GRAZE_CONTACT] > 100 && verdicts[GRAZE_APART] > 100);
    assert_true(verdicts[GRAZE_UNDECIDED] > 100 && touching > 20);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static soup_case c;
    static shape_pair p;
    static graze_distance distances[POSES];
    soup_case_make(&c, 1, 50);
    open_pair(&p, NULL, &c);
    graze_query *q = p.many;
    assert_int_equal(graze_query_distance_many(q, graze_at(p.a, NULL), p.b, NULL, 0, NULL, NULL),
                     GRAZE_OK);
    assert_int_equal(
        graze_query_distance_many(NULL, graze_at(p.a, NULL), p.b, p.poses, 1, NULL, distances),
        GRAZE_ERROR_ARGUMENT);
    assert_int_equal(
        graze_query_distance_many(q, graze_at(p.a, NULL), p.b, NULL, 1, NULL, distances),
        GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_query_distance_many(q, graze_at(p.a, NULL), p.b, p.poses, 1, NULL, NULL),
                     GRAZE_ERROR_ARGUMENT);
    assert_int_equal(
        graze_query_distance_many(q, graze_at(p.a, NULL), NULL, p.poses, 1, NULL, distances),
        GRAZE_ERROR_ARGUMENT);
    graze_distance_def def = {0};
    assert_int_equal(
        graze_query_distance_many(q, graze_at(p.a, NULL), p.b, p.poses, 1, &def, distances),
        GRAZE_ERROR_ARGUMENT);
    graze_pose kept = p.poses[150];
    p.poses[150].rotation[0] = 7;
    assert_int_equal(
        graze_query_distance_many(q, graze_at(p.a, NULL), p.b, p.poses, POSES, NULL, distances),
        GRAZE_ERROR_ARGUMENT);
    p.poses[150] = kept; // a failure leaves nothing behind, also where some have nothing to do
    assert_int_equal(graze_query_distance_many(q, graze_at(p.a, NULL), p.b, NULL, 0, NULL, NULL),
                     GRAZE_OK);
    assert_int_equal(
        graze_query_distance_many(q, graze_at(p.a, NULL), p.b, p.poses, POSES, NULL, distances),
        GRAZE_OK);
    close_pair(&p);
}

static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    static soup_case c;
    static shape_pair p;
    static graze_distance distances[POSES];
    graze_context_def alone = graze_context_def_default();
    alone.thread_count = 1;
    soup_case_make(&c, 2, 150);
    open_pair(&p, &alone, &c);
    graze_memory_use use[2];
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(graze_query_distance_many(p.many, graze_at(p.a, NULL), p.b, p.poses, POSES,
                                                   NULL, distances),
                         GRAZE_OK);
        use[i] = graze_context_memory(p.context);
    }
    assert_int_equal(use[0].current_bytes, use[1].current_bytes);
    assert_int_equal(use[0].peak_bytes, use[1].peak_bytes);
    close_pair(&p);
}

static graze_status ask_in_some_poses(const asked_shapes *shapes, graze_query *query)
{
    graze_pose poses[40];
    graze_distance distances[40];
    for (int i = 0; i < 40; ++i) {
        poses[i] = shapes->pose_b;
        poses[i].translation[0] += 0.25 * i;
    }
    return graze_query_distance_many(query, graze_at(shapes->a, NULL), shapes->b, poses, 40, NULL,
                                     distances);
}

static void failing_leaves_nothing_behind(void **state)
{
    (void)state;
    static soup_case c;
    soup_case_make(&c, 8, 60);
    asked_shapes shapes = {.view_a = &c.a.view,
                           .view_b = &c.b.view,
                           .pose_b = graze_pose_identity(),
                           .ask = ask_in_some_poses};
    assert_true(asked_shapes_fail(&shapes) > 12);
}

// Threads ask whether to go on as well.
static _Atomic int countdown;
static int cancel_at_zero(void *user)
{
    (void)user;
    return atomic_fetch_sub(&countdown, 1) == 1;
}

static void it_can_be_stopped_anywhere(void **state)
{
    (void)state;
    static soup_case c;
    static shape_pair p;
    static graze_distance distances[POSES];
    soup_case_make(&c, 1, 100);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        graze_context_def def = graze_context_def_default();
        def.cancel = cancel_at_zero;
        def.thread_count = threads;
        atomic_store(&countdown, 0);
        open_pair(&p, &def, &c);
        graze_status status = GRAZE_ERROR_CANCELLED;
        int tries = 0;
        for (int at = 1; status == GRAZE_ERROR_CANCELLED; ++at, ++tries) {
            atomic_store(&countdown, at);
            status = graze_query_distance_many(p.many, graze_at(p.a, NULL), p.b, p.poses, POSES,
                                               NULL, distances);
        }
        assert_int_equal(status, GRAZE_OK);
        assert_true(tries > 10);
        int verdicts[4] = {0}, touching = 0;
        atomic_store(&countdown, 0);
        check_many(&p, NULL, verdicts, &touching);
        close_pair(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_single_ones),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(warm_queries_allocate_nothing),
        cmocka_unit_test(failing_leaves_nothing_behind),
        cmocka_unit_test(it_can_be_stopped_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
