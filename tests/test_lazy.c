// Shapes that are built lazily: the answers of the oracle and of shapes that are whole, whatever
// was asked before, from many threads at once, and after failures; nothing is built that is far
// away.
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "query/query_scratch.h"
#include "shapes.h"
#include "soups.h"

static graze_shape *shape_of(graze_context *context, const graze_mesh_view *view, graze_build build)
{
    graze_shape *shape = NULL;
    graze_shape_def def = graze_shape_def_default();
    def.build = build;
    assert_int_equal(graze_shape_create(context, view, &def, &shape), GRAZE_OK);
    return shape;
}

// A context whose lazy shapes have many parts, however small they are.
static graze_context *context_of_parts(uint32_t thread_count)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = thread_count;
    graze_context *context = test_context(&def);
    gz_knobs_for(context)->subtree_limit = GZ_LEAF;
    return context;
}

static void check_pairs(graze_query *query, const soup_case *c, const graze_shape *a,
                        const graze_shape *b, uint32_t threads)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.tolerance = c->tolerance;
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.use_threads = threads;
    assert_int_equal(
        graze_query_collide(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b), &def, &answer),
        GRAZE_OK);
    soup_case_check(c, answer.pairs, answer.pair_count, false);
    assert_true(answer.complete && answer.pair_count == c->contacts);
}

static void check_verdict(graze_query *query, const soup_case *c, const graze_shape *a,
                          const graze_shape *b)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.tolerance = c->tolerance;
    assert_int_equal(
        graze_query_collide(query, graze_at(b, &c->pose_b), graze_at(a, &c->pose_a), &def, &answer),
        GRAZE_OK);
    assert_int_equal(answer.verdict, c->contacts != 0 ? GRAZE_CONTACT : GRAZE_APART);
}

static bool same_distance(const graze_distance *x, const graze_distance *y)
{
    return x->distance == y->distance && x->pair.a == y->pair.a && x->pair.b == y->pair.b;
}

static void check_distance(graze_query *query, const soup_case *c, const graze_shape *a,
                           const graze_shape *b, const graze_distance *truth, double limit)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance distance;
    assert_int_equal(graze_query_distance(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b),
                                          &def, &distance),
                     GRAZE_OK);
    assert_true(same_distance(&distance, truth));
    def.limit = limit * distance.distance;
    graze_distance limited;
    assert_int_equal(graze_query_distance(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b),
                                          &def, &limited),
                     GRAZE_OK);
    if (distance.distance > 1e-300)
        assert_int_equal(limited.verdict, limit > 1 ? GRAZE_CONTACT : GRAZE_APART);
    if (limited.verdict == GRAZE_CONTACT)
        assert_true(limited.distance == distance.distance);
}

// With a limit: what is there is not enough to tell.
static void check_limit_first(graze_query *query, const soup_case *c, const graze_shape *a,
                              const graze_shape *b, const graze_distance *truth)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance limited;
    def.limit = truth->distance * 1.5;
    assert_int_equal(graze_query_distance(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b),
                                          &def, &limited),
                     GRAZE_OK);
    assert_int_equal(limited.verdict, GRAZE_CONTACT);
    assert_true(same_distance(&limited, truth));
}

static void check_rays(graze_query *query, const graze_shape *lazy, const graze_shape *whole,
                       const graze_pose *pose, double size, test_random *random)
{
    for (int i = 0; i < 3; ++i) {
        double start[3], end[3];
        for (int axis = 0; axis < 3; ++axis) {
            start[axis] = pose->translation[axis] + soup_between(random, -2, 2) * size;
            end[axis] = pose->translation[axis] + soup_between(random, -2, 2) * size;
        }
        graze_ray_def def = graze_ray_def_default();
        def.count_all = i == 2;
        graze_ray x, y;
        assert_int_equal(graze_query_ray(query, graze_at(lazy, pose), start, end, &def, &x),
                         GRAZE_OK);
        assert_int_equal(graze_query_ray(query, graze_at(whole, pose), start, end, &def, &y),
                         GRAZE_OK);
        assert_true(x.hit == y.hit && x.hit_count == y.hit_count && x.triangle == y.triangle);
        assert_true(!x.hit || x.t == y.t);
    }
}

static double size_of(const soup *s)
{
    double size = 0x1p-1000;
    for (uint64_t i = 0; i < 3 * s->view.vertex_count; ++i)
        size = fmax(size, fabs(s->position[i]));
    return size;
}

static int by_first(const void *x, const void *y)
{
    const double *p = x, *q = y;
    return (p[0] > q[0]) - (p[0] < q[0]);
}

// Vertices by x: triangles, which have neighbours for corners, are then small along it, and so are
// parts.
static void sort_soup(soup *s)
{
    qsort(s->position, s->view.vertex_count, 3 * sizeof *s->position, by_first);
    for (uint64_t i = 0; i < 3 * s->view.vertex_count; ++i)
        s->narrow[i] = (float)s->position[i];
}

static void answers_equal_oracle(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = context_of_parts(3);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    uint64_t partial = 0, contacts = 0;
    for (uint64_t seed = 1; seed <= 96; ++seed) {
        soup_case_make(&c, seed, 64);
        if (seed % 4 != 0) {
            sort_soup(&c.a);
            sort_soup(&c.b);
        }
        if (seed % 2 == 0)
            c.pose_b.translation[0] += size_of(&c.a);
        soup_case_solve(&c);
        test_random random = {seed};
        graze_shape *whole = shape_of(context, &c.a.view, GRAZE_BUILD_BEST);
        graze_shape *other = shape_of(context, &c.b.view, GRAZE_BUILD_BEST);
        graze_distance truth;
        assert_int_equal(graze_query_distance(query, graze_at(whole, &c.pose_a),
                                              graze_at(other, &c.pose_b), NULL, &truth),
                         GRAZE_OK);
        graze_pair closest = soup_case_closest(&c, truth.distance);
        assert_true(closest.a == truth.pair.a && closest.b == truth.pair.b);
        for (int first = 0; first < 5; ++first) {
            graze_shape *a = shape_of(context, &c.a.view, GRAZE_BUILD_LAZY);
            graze_shape *b =
                shape_of(context, &c.b.view, seed % 3 == 0 ? GRAZE_BUILD_BEST : GRAZE_BUILD_LAZY);
            for (int k = 0; k < 5; ++k) {
                switch ((first + k) % 5) {
                case 0: check_verdict(query, &c, a, b); break;
                case 1: check_pairs(query, &c, a, b, (uint32_t)(seed % 2)); break;
                case 2: check_distance(query, &c, a, b, &truth, seed % 4 < 2 ? 1.25 : 0.75); break;
                case 3: check_rays(query, a, whole, &c.pose_a, size_of(&c.a), &random); break;
                default: check_limit_first(query, &c, a, b, &truth); break;
                }
                partial += gz_lazy_whole(a->lazy) == NULL;
            }
            graze_shape_free(a);
            graze_shape_free(b);
        }
        contacts += c.contacts;
        graze_shape_free(whole);
        graze_shape_free(other);
    }
    print_message("%llu times a shape was not whole, %llu contacts\n", (unsigned long long)partial,
                  (unsigned long long)contacts);
    assert_true(partial > 50 && contacts > 1000);
    graze_query_free(query);
    test_context_done(context);
}

static graze_mesh *mesh_of(graze_context *context, const char *kind, uint64_t count)
{
    generator_shape_def def = {.kind = kind, .triangle_count = count, .seed = 3, .size = 2};
    graze_mesh *mesh = NULL;
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    return mesh;
}

// What is built is what is near, and the memory is what the shape says.
static void little_is_built(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = mesh_of(context, "sphere", 100000);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_shape *whole = shape_of(context, &view, GRAZE_BUILD_BEST);
    graze_pose pose = graze_pose_identity(), still = pose;
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    uint64_t before = graze_context_memory(context).current_bytes;
    graze_shape *lazy = shape_of(context, &view, GRAZE_BUILD_LAZY);
    uint64_t taken = graze_context_memory(context).current_bytes - before;
    uint32_t parts = gz_lazy_subtree_count(lazy->lazy);
    uint64_t leaves = 0, seen = 0;
    for (int step = 0; step < 12; ++step) {
        pose.translation[0] = 2.1 - 0.2 * step;
        graze_answer x, y;
        graze_query *other = NULL;
        before = graze_context_memory(context).current_bytes;
        assert_int_equal(graze_query_create(context, &other), GRAZE_OK);
        assert_int_equal(
            graze_query_collide(other, graze_at(lazy, &still), graze_at(whole, &pose), &def, &x),
            GRAZE_OK);
        uint64_t asked = graze_context_memory(context).current_bytes;
        assert_int_equal(
            graze_query_collide(query, graze_at(whole, &still), graze_at(whole, &pose), &def, &y),
            GRAZE_OK);
        assert_int_equal(x.pair_count, y.pair_count);
        if (x.pair_count != 0)
            assert_memory_equal(x.pairs, y.pairs, x.pair_count * sizeof *x.pairs);
        taken += asked - before;
        before = graze_context_memory(context).current_bytes;
        graze_query_free(other);
        taken -= before - graze_context_memory(context).current_bytes;
        graze_shape_info info = graze_shape_get_info(lazy);
        assert_int_equal(info.byte_count, taken);
        assert_true(info.leaf_count >= leaves);
        if (step == 0)
            assert_int_equal(info.leaf_count, 0); // apart
        seen += info.leaf_count != leaves;
        leaves = info.leaf_count;
        assert_int_equal(info.triangle_count, view.triangle_count);
    }
    print_message("%u parts, built in %llu steps\n", parts, (unsigned long long)seen);
    assert_true(seen > 3 && parts > 16);
    graze_query_free(query);
    graze_shape_free(whole);
    graze_shape_free(lazy);
    graze_mesh_free(mesh);
    test_context_done(context);
}

enum { ASKERS = 4, QUESTIONS = 24 };

typedef struct asker {
    graze_context *context;
    const graze_shape *a, *b;
    graze_pose poses[QUESTIONS];
    uint64_t pairs[QUESTIONS];
    double distance[QUESTIONS];
    uint64_t first;
} asker;

static void *ask_many(void *data)
{
    asker *me = data;
    graze_query *query = NULL;
    graze_pose still = graze_pose_identity();
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_COUNT;
    if (graze_query_create(me->context, &query) != GRAZE_OK)
        return NULL;
    for (uint64_t k = 0; k < QUESTIONS; ++k) {
        uint64_t i = (k + me->first) % QUESTIONS;
        graze_answer answer;
        graze_distance distance;
        graze_ray ray;
        const double there[3] = {3, 2, 1};
        graze_shape_info info = graze_shape_get_info(me->a);
        if (graze_query_collide(query, graze_at(me->a, &still), graze_at(me->b, &me->poses[i]),
                                &def, &answer) != GRAZE_OK ||
            graze_query_ray(query, graze_at(me->b, &me->poses[i]), still.translation, there, NULL,
                            &ray) != GRAZE_OK ||
            graze_query_distance(query, graze_at(me->a, &still), graze_at(me->b, &me->poses[i]),
                                 NULL, &distance) != GRAZE_OK ||
            info.byte_count == 0)
            break;
        me->pairs[i] = answer.pair_count + (ray.hit ? 1000000 + ray.triangle : 0);
        me->distance[i] = distance.distance;
    }
    graze_query_free(query);
    return NULL;
}

static graze_pose any_pose(test_random *random)
{
    double axis[3], shift[3];
    graze_pose pose;
    for (int i = 0; i < 3; ++i) {
        axis[i] = soup_between(random, 0.1, 1);
        shift[i] = soup_between(random, -1.5, 1.5);
    }
    assert_int_equal(graze_pose_from_axis(axis, soup_between(random, 0.1, 3), shift, &pose),
                     GRAZE_OK);
    return pose;
}

static void many_threads_ask_at_once(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_knobs_for(context)->subtree_limit = 150;
    graze_mesh *mesh = mesh_of(context, "knot", 4000);
    graze_mesh_view view = graze_mesh_get(mesh);
    static asker askers[ASKERS + 1];
    for (int round = 0; round < 6; ++round) {
        graze_shape *whole = shape_of(context, &view, GRAZE_BUILD_BEST);
        graze_shape *a = shape_of(context, &view, GRAZE_BUILD_LAZY);
        graze_shape *b = shape_of(context, &view, GRAZE_BUILD_LAZY);
        pthread_t threads[ASKERS];
        test_random random = {(uint64_t)round};
        for (int i = 0; i <= ASKERS; ++i) {
            askers[i] = (asker){.context = context, .a = a, .b = b, .first = (uint64_t)i * 5};
            for (int k = 0; k < QUESTIONS; ++k)
                askers[i].poses[k] = i == 0 ? any_pose(&random) : askers[0].poses[k];
        }
        askers[ASKERS].a = askers[ASKERS].b = whole;
        ask_many(&askers[ASKERS]);
        for (int i = 0; i < ASKERS; ++i)
            assert_int_equal(pthread_create(&threads[i], NULL, ask_many, &askers[i]), 0);
        for (int i = 0; i < ASKERS; ++i)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (int i = 0; i < ASKERS; ++i) {
            assert_memory_equal(askers[i].pairs, askers[ASKERS].pairs, sizeof askers[i].pairs);
            assert_memory_equal(askers[i].distance, askers[ASKERS].distance,
                                sizeof askers[i].distance);
        }
        graze_shape_free(whole);
        graze_shape_free(a);
        graze_shape_free(b);
    }
    graze_mesh_free(mesh);
    test_context_done(context);
}

// Poses along a path, with and without a front; all at once; and whole shapes.
static void paths_equal_those_of_whole_shapes(void **state)
{
    (void)state;
    graze_context_def threads = graze_context_def_default();
    threads.thread_count = 3;
    graze_context *context = test_context(&threads);
    gz_knobs_for(context)->subtree_limit = 100;
    graze_mesh *mesh = mesh_of(context, "gear", 3000);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_shape *whole = shape_of(context, &view, GRAZE_BUILD_BEST);
    graze_shape *a = shape_of(context, &view, GRAZE_BUILD_LAZY);
    graze_shape *b = shape_of(context, &view, GRAZE_BUILD_LAZY);
    graze_query *kept = NULL, *fresh = NULL;
    graze_front *front = NULL;
    assert_int_equal(graze_query_create(context, &kept), GRAZE_OK);
    assert_int_equal(graze_front_create(context, &front), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &fresh), GRAZE_OK);
    enum { STEPS = 400 };
    static graze_pose poses[STEPS];
    static uint64_t counts[STEPS];
    static graze_answer answers[STEPS];
    graze_pose still = graze_pose_identity();
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    uint64_t contacts = 0;
    graze_pose tilted; // faces that lie on each other take their time
    const double axis[3] = {1, 2, 3};
    assert_int_equal(graze_pose_from_axis(axis, 0.3, still.translation, &tilted), GRAZE_OK);
    for (int i = 0; i < STEPS; ++i) {
        poses[i] = tilted;
        poses[i].translation[0] = 2 - 2e-3 * (i - i % 40) - 1e-4 * (i % 40);
        poses[i].translation[1] = 0.3;
        graze_answer x, y;
        def.front = front;
        assert_int_equal(
            graze_query_collide(kept, graze_at(a, &still), graze_at(b, &poses[i]), &def, &x),
            GRAZE_OK);
        def.front = NULL;
        assert_int_equal(graze_query_collide(fresh, graze_at(whole, &still),
                                             graze_at(whole, &poses[i]), &def, &y),
                         GRAZE_OK);
        assert_int_equal(x.pair_count, y.pair_count);
        if (x.pair_count != 0)
            assert_memory_equal(x.pairs, y.pairs, x.pair_count * sizeof *x.pairs);
        counts[i] = x.pair_count;
        contacts += x.pair_count;
    }
    assert_true(gz_front_of(front, 0)->uses > 50 && contacts > 1000);
    assert_null(gz_lazy_whole(a->lazy));
    graze_shape *again = shape_of(context, &view, GRAZE_BUILD_LAZY);
    assert_int_equal(
        graze_query_collide_many(fresh, graze_at(again, NULL), again, poses, STEPS, &def, answers),
        GRAZE_OK);
    for (int i = 0; i < STEPS; ++i)
        assert_int_equal(answers[i].pair_count, counts[i]);
    graze_shape_free(again);
    graze_front_free(front);
    graze_query_free(kept);
    graze_query_free(fresh);
    graze_shape_free(a);
    graze_shape_free(b);
    graze_shape_free(whole);
    graze_mesh_free(mesh);
    test_context_done(context);
}

static void what_needs_all_builds_it(void **state)
{
    (void)state;
    char path[] = "/tmp/graze-test-lazy-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    graze_context *context = test_context(NULL);
    gz_knobs_for(context)->subtree_limit = 100;
    graze_mesh *mesh = mesh_of(context, "sphere", 3000), *large = NULL;
    generator_shape_def def = {.kind = "sphere", .triangle_count = 2000, .size = 5};
    assert_int_equal(generator_shape_make(context, &def, &large), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh), large_view = graze_mesh_get(large);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);

    graze_shape *lazy = shape_of(context, &view, GRAZE_BUILD_LAZY), *loaded = NULL;
    assert_int_equal(graze_shape_save(lazy, path), GRAZE_OK);
    assert_int_equal(graze_shape_load(context, path, &loaded), GRAZE_OK);
    assert_int_equal(gz_tree_check(&loaded->tree, &view), GRAZE_OK);
    assert_int_equal(gz_tree_check(gz_lazy_whole(lazy->lazy), &view), GRAZE_OK);
    graze_shape_free(loaded);
    graze_shape_free(lazy);

    lazy = shape_of(context, &view, GRAZE_BUILD_LAZY);
    uint32_t closed = 0;
    assert_int_equal(graze_shape_closed(lazy, &closed), GRAZE_OK);
    assert_int_equal(closed, 1);
    graze_shape_free(lazy);

    lazy = shape_of(context, &view, GRAZE_BUILD_LAZY);
    graze_shape *outer = shape_of(context, &large_view, GRAZE_BUILD_LAZY);
    graze_pose still = graze_pose_identity();
    graze_containment contained;
    assert_int_equal(
        graze_query_contain(query, graze_at(lazy, &still), graze_at(outer, &still), &contained),
        GRAZE_OK);
    assert_int_equal(contained.nesting, GRAZE_NESTING_A_IN_B);
    graze_shape_free(lazy);
    graze_shape_free(outer);

    lazy = shape_of(context, &view, GRAZE_BUILD_LAZY);
    outer = shape_of(context, &large_view, GRAZE_BUILD_LAZY);
    graze_penetration deep;
    assert_int_equal(graze_query_penetration(query, graze_at(lazy, &still), graze_at(outer, &still),
                                             NULL, &deep),
                     GRAZE_OK);
    assert_true(deep.defined && deep.low > 2.3 && deep.high < 2.6);
    graze_shape_free(lazy);
    graze_shape_free(outer);

    double *wide = test_malloc(view.vertex_count * sizeof(double[3]));
    for (uint64_t i = 0; i < 3 * view.vertex_count; ++i)
        wide[i] = (double)((const float *)view.positions)[i] * 1.0000001;
    for (int doubles = 0; doubles < 2; ++doubles) {
        graze_mesh_view same = view;
        same.precision = doubles ? GRAZE_FLOAT64 : GRAZE_FLOAT32;
        same.positions = doubles ? (const void *)wide : view.positions;
        lazy = shape_of(context, &same, GRAZE_BUILD_LAZY);
        double looseness = 0;
        assert_int_equal(graze_shape_refit(lazy, &same, &looseness), GRAZE_OK);
        assert_true(looseness == 1);
        assert_int_equal(gz_tree_check(&lazy->tree, &same), GRAZE_OK);
        graze_shape_free(lazy);
    }
    test_free(wide);

    graze_query_free(query);
    graze_mesh_free(mesh);
    graze_mesh_free(large);
    test_context_done(context);
    unlink(path);
}

// One question of every kind; the first status that is not GRAZE_OK.
static graze_status ask_all(graze_context *context, const graze_shape *a, const graze_shape *b,
                            uint64_t *pairs, double *distance)
{
    graze_query *query = NULL;
    graze_pose pose = graze_pose_identity(), still = pose;
    const double there[3] = {3, 0.5, 0.5};
    graze_answer answer = {0};
    graze_distance closest = {0};
    graze_ray ray;
    pose.translation[0] = 1.3;
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_COUNT;
    graze_status status = graze_query_create(context, &query);
    if (status == GRAZE_OK)
        status = graze_query_ray(query, graze_at(a, &still), still.translation, there, NULL, &ray);
    if (status == GRAZE_OK)
        status = graze_query_collide(query, graze_at(a, &still), graze_at(b, &pose), &def, &answer);
    pose.translation[0] = 2.5;
    if (status == GRAZE_OK)
        status =
            graze_query_distance(query, graze_at(a, &still), graze_at(b, &pose), NULL, &closest);
    graze_query_free(query);
    *pairs = answer.pair_count;
    *distance = closest.distance;
    return status;
}

static void failing_leaves_shapes_usable(void **state)
{
    (void)state;
    graze_context *maker = test_context(NULL);
    graze_mesh *mesh = mesh_of(maker, "torus", 400);
    graze_mesh_view view = graze_mesh_get(mesh);
    bool reached = true;
    uint64_t pairs = 0, failures = 0;
    double distance = 0;
    graze_shape *whole = shape_of(maker, &view, GRAZE_BUILD_BEST);
    assert_int_equal(ask_all(maker, whole, whole, &pairs, &distance), GRAZE_OK);
    assert_true(pairs > 10 && distance > 0.1);
    for (int64_t n = 0; reached; ++n) {
        graze_context *context = context_of_parts(1);
        graze_shape *a = NULL, *b = NULL;
        graze_shape_def def = graze_shape_def_default();
        def.build = GRAZE_BUILD_LAZY;
        uint64_t count = 0;
        double apart = 0;
        atomic_store(&gz_knobs_for(context)->allocations_left, n);
        graze_status status = graze_shape_create(context, &view, &def, &a);
        if (status == GRAZE_OK)
            status = graze_shape_create(context, &view, &def, &b);
        if (status == GRAZE_OK)
            status = ask_all(context, a, b, &count, &apart);
        reached = atomic_load(&gz_knobs_for(context)->allocations_left) < 0;
        atomic_store(&gz_knobs_for(context)->allocations_left, -1);
        assert_true(status == GRAZE_OK || status == GRAZE_ERROR_MEMORY);
        assert_true(status == GRAZE_OK || test_last_error[0] != '\0');
        failures += status != GRAZE_OK;
        if (b != NULL) {
            assert_int_equal(ask_all(context, a, b, &count, &apart), GRAZE_OK);
            assert_true(count == pairs && apart == distance);
            uint32_t closed = 0; // every triangle is there once
            assert_int_equal(graze_shape_closed(a, &closed), GRAZE_OK);
            assert_int_equal(closed, 1);
            assert_int_equal(gz_tree_check(gz_lazy_whole(a->lazy), &view), GRAZE_OK);
        }
        graze_shape_free(a);
        graze_shape_free(b);
        test_context_done(context);
    }
    print_message("%llu failures\n", (unsigned long long)failures);
    assert_true(failures > 40);
    graze_shape_free(whole);
    graze_mesh_free(mesh);
    test_context_done(maker);
}

typedef struct patience {
    int asked, until;
} patience;

static int tired(void *user)
{
    patience *p = user;
    return ++p->asked == p->until;
}

static void cancelling_leaves_shapes_usable(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *maker = test_context(NULL);
    graze_mesh *mesh = mesh_of(maker, "torus", 400);
    graze_mesh_view view = graze_mesh_get(mesh);
    uint64_t pairs = 0, count = 0;
    double distance = 0, apart = 0;
    graze_shape *whole = shape_of(maker, &view, GRAZE_BUILD_BEST);
    assert_int_equal(ask_all(maker, whole, whole, &pairs, &distance), GRAZE_OK);
    graze_status status = GRAZE_ERROR_CANCELLED;
    int tries = 0;
    for (; status == GRAZE_ERROR_CANCELLED; ++tries) {
        patience p = {.until = tries + 1000};
        graze_context_def def = graze_context_def_default();
        def.thread_count = 1;
        def.user = &p;
        def.cancel = tired;
        graze_context *context = NULL;
        assert_int_equal(graze_context_create(&def, &context), GRAZE_OK);
        gz_knobs_for(context)->subtree_limit = GZ_LEAF;
        graze_shape *a = shape_of(context, &view, GRAZE_BUILD_LAZY);
        graze_shape *b = shape_of(context, &view, GRAZE_BUILD_LAZY);
        p.until = p.asked + tries + 1;
        status = ask_all(context, a, b, &count, &apart);
        p.until = 0;
        assert_int_equal(ask_all(context, a, b, &count, &apart), GRAZE_OK);
        assert_true(count == pairs && apart == distance);
        graze_shape_free(a);
        graze_shape_free(b);
        test_context_done(context);
    }
    assert_int_equal(status, GRAZE_OK);
    assert_true(tries > 10);
    graze_shape_free(whole);
    graze_mesh_free(mesh);
    test_context_done(maker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_oracle),
        cmocka_unit_test(little_is_built),
        cmocka_unit_test(many_threads_ask_at_once),
        cmocka_unit_test(paths_equal_those_of_whole_shapes),
        cmocka_unit_test(what_needs_all_builds_it),
        cmocka_unit_test(failing_leaves_shapes_usable),
        cmocka_unit_test(cancelling_leaves_shapes_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
