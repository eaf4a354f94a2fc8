// Questions with an error: every original pair within the tolerance is covered by a contact, every
// contact is as close to the originals as is promised, verdicts and distances are true; and answers
// are the same whatever way they are asked.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/knobs.h"
#include "both_ways.h"
#include "graze/error.h"
#include "lod_checks.h"

static uint64_t find_pair(const graze_answer *answer, graze_pair pair)
{
    uint64_t low = 0, high = answer->pair_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        graze_pair at = answer->pairs[middle];
        if (at.a < pair.a || (at.a == pair.a && at.b < pair.b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Behind contacts: original pairs that are in contact, and all of them behind some.
static void check_behind(const lod_scene *s, const graze_answer *exact, const graze_answer *got,
                         graze_query *third)
{
    uint8_t *seen = test_malloc(exact->pair_count + 1);
    memset(seen, 0, exact->pair_count + 1);
    for (uint64_t i = 0; i < got->pair_count; ++i) {
        graze_collide_def def = graze_collide_def_default();
        graze_answer behind;
        def.collect = GRAZE_COLLECT_PAIRS;
        def.tolerance = s->tolerance;
        assert_int_equal(graze_query_behind(third, lod_side(s, 0), lod_side(s, 1),
                                            &got->contacts[i], &def, &behind),
                         GRAZE_OK);
        for (uint64_t k = 0; k < behind.pair_count; ++k) {
            uint64_t at = find_pair(exact, behind.pairs[k]);
            assert_true(at < exact->pair_count && exact->pairs[at].a == behind.pairs[k].a &&
                        exact->pairs[at].b == behind.pairs[k].b);
            seen[at] = 1;
        }
    }
    for (uint64_t i = 0; i < exact->pair_count; ++i)
        assert_int_equal(seen[i], 1);
    test_free(seen);
}

static graze_contact *copy_contacts(const graze_answer *answer)
{
    uint64_t bytes = answer->pair_count * sizeof(graze_contact);
    graze_contact *copy = test_malloc(bytes + 1);
    if (bytes != 0)
        memcpy(copy, answer->contacts, bytes);
    return copy;
}

static int by_other(const void *x, const void *y)
{
    const graze_contact *c = x, *d = y;
    if (c->pair.b != d->pair.b)
        return c->pair.b < d->pair.b ? -1 : 1;
    return c->pair.a < d->pair.a ? -1 : c->pair.a > d->pair.a;
}

// The same the other way round, and on threads.
static void check_same(const lod_scene *s, const graze_answer *want)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer got;
    graze_contact *contacts = copy_contacts(want);
    uint64_t count = want->pair_count;
    graze_verdict verdict = want->verdict;
    def.tolerance = s->tolerance;
    def.error = s->error;
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.use_threads = 1;
    assert_int_equal(graze_query_collide(s->query, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    assert_true(got.pair_count == count && got.verdict == verdict && got.complete == 1);
    assert_memory_equal(got.contacts, contacts, count * sizeof *contacts);
    def.use_threads = 0;
    assert_int_equal(graze_query_collide(s->query, lod_side(s, 1), lod_side(s, 0), &def, &got),
                     GRAZE_OK);
    assert_true(got.pair_count == count && got.verdict == verdict);
    qsort(contacts, count, sizeof *contacts, by_other);
    for (uint64_t i = 0; i < count; ++i) {
        const graze_contact *c = &contacts[i], *d = &got.contacts[i];
        assert_true(c->pair.a == d->pair.b && c->pair.b == d->pair.a && c->depth == d->depth);
        assert_memory_equal(c->point_a, d->point_b, sizeof c->point_a);
        assert_memory_equal(c->point_b, d->point_a, sizeof c->point_a);
        assert_true(c->cover_a == d->cover_b && c->cover_b == d->cover_a && c->error == d->error);
        for (int axis = 0; axis < 3; ++axis)
            assert_true(c->normal[axis] == -d->normal[axis]);
    }
    test_free(contacts);
    def.collect = GRAZE_COLLECT_COUNT;
    assert_int_equal(graze_query_collide(s->query, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    assert_true(got.pair_count == count && got.verdict == verdict);
    def.collect = GRAZE_COLLECT_VERDICT;
    assert_int_equal(graze_query_collide(s->query, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    if (verdict != GRAZE_WITHIN_ERROR)
        assert_int_equal(got.verdict, verdict);
}

static void check_distance(const lod_scene *s)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance exact, got, other;
    assert_int_equal(graze_query_distance(s->exact, graze_at(s->a->exact, &s->pose_a),
                                          graze_at(s->b->exact, &s->pose_b), &def, &exact),
                     GRAZE_OK);
    def.error = s->error;
    assert_int_equal(graze_query_distance(s->query, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    assert_true(got.least <= exact.distance && exact.distance <= got.distance);
    assert_true(got.distance - got.least <= s->error * LOD_LOOSE + 1e-12);
    assert_int_equal(got.verdict, GRAZE_CONTACT);
    assert_int_equal(graze_query_distance(s->query, lod_side(s, 1), lod_side(s, 0), &def, &other),
                     GRAZE_OK);
    assert_true(got.least == other.least && got.distance == other.distance);
    assert_true(got.pair.a == other.pair.b && got.pair.b == other.pair.a);
    def.limit = exact.distance / 2;
    assert_int_equal(graze_query_distance(s->query, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    assert_true(got.least <= exact.distance && exact.distance <= got.distance);
    if (exact.distance > 0)
        assert_true(got.verdict == GRAZE_APART || got.verdict == GRAZE_WITHIN_ERROR);
}

static void check_scene(const lod_scene *s, test_random *random)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer exact, got;
    def.tolerance = s->tolerance;
    def.collect = GRAZE_COLLECT_CONTACTS;
    assert_int_equal(graze_query_collide(s->exact, graze_at(s->a->exact, &s->pose_a),
                                         graze_at(s->b->exact, &s->pose_b), &def, &exact),
                     GRAZE_OK);
    def.error = s->error;
    assert_int_equal(graze_query_collide(s->query, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    assert_true(got.complete == 1 && got.error == s->error);
    lod_check_complete(s, &exact, &got, random);
    lod_check_bounded(s, &got, random);
    lod_check_verdict(s, got.verdict, &exact);
    check_same(s, &got);
    check_distance(s);
}

// Poses from apart to deep, tolerances and errors from tiny to larger than the bodies.
static void check_bodies(const body *a, const body *b, graze_query *query, graze_query *exact,
                         uint32_t count, test_random *random)
{
    for (uint32_t i = 0; i < count; ++i) {
        double size = fmin(a->size, b->size);
        lod_scene s = {.a = a, .b = b, .query = query, .exact = exact, .way = (int)(i % WAYS)};
        s.pose_a = bodies_pose(random, size);
        s.pose_b = bodies_pose(random, size);
        for (int axis = 0; axis < 3; ++axis)
            s.pose_b.translation[axis] =
                s.pose_a.translation[axis] + size * (2 * test_unit(random) - 1);
        s.error = size * ldexp(1 + test_unit(random), -(int)(test_next(random) % 14));
        s.tolerance =
            test_next(random) % 3 == 0 ? 0 : size * ldexp(0.1, -(int)(test_next(random) % 8));
        check_scene(&s, random);
    }
}

static void check_kinds(uint64_t seed, int kind_a, int kind_b, graze_precision precision,
                        uint32_t count)
{
    test_random random = {.state = seed};
    graze_context *context = both_ways_context(1 + (uint32_t)(seed % 3), seed % 2 == 0 ? 2 : 64,
                                               8 + (uint32_t)(seed % 5) * 8);
    graze_query *query = NULL, *exact = NULL;
    body a, b;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &exact), GRAZE_OK);
    body_make(context, kind_a, precision, 700, &a);
    body_make(context, kind_b, precision, 500, &b);
    check_bodies(&a, &b, query, exact, count, &random);
    body_free(&a);
    body_free(&b);
    graze_query_free(query);
    graze_query_free(exact);
    test_context_done(context);
}

static void never_misses(void **state)
{
    (void)state;
    for (int a = 0; a < BODY_KINDS; ++a)
        for (int b = a; b < (TEST_THREAD_SANITIZER ? a + 1 : BODY_KINDS); ++b)
            check_kinds((uint64_t)(a * 10 + b), a, b,
                        (a + b) % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64,
                        (uint32_t)TEST_CHANCES(40));
}

// The functions of error.h, around a body.
typedef struct all_errors {
    graze_view_error view;
    graze_speed_error speed;
    graze_size_error size;
    graze_box objects[2];
    graze_error_function *functions[3];
    void *users[3];
    graze_least_error least;
    lod_place_error own;
} all_errors;

static void set_errors(all_errors *e, const lod_scene *s, test_random *random)
{
    double size = s->a->size;
    *e = (all_errors){.view = {.pixel = 0.05 * test_unit(random), .pixels = 1},
                      .speed = {.seconds = 0.05 * test_unit(random), .least = 1e-4},
                      .size = {.part = 0.2 * test_unit(random), .count = 2, .most = 0.1 * size},
                      .own = {.slope = 0.1 * test_unit(random)}};
    for (int axis = 0; axis < 3; ++axis) {
        double at = s->pose_a.translation[axis];
        e->view.eye[axis] = at + size * (test_unit(random) - 0.5);
        e->own.point[axis] = at;
        e->speed.center[axis] = at;
        e->speed.velocity[axis] = test_unit(random) - 0.5;
        e->speed.spin[axis] = 2 * (test_unit(random) - 0.5);
        for (int k = 0; k < 2; ++k) {
            e->objects[k].min[axis] = at + size * (test_unit(random) - 0.6);
            e->objects[k].max[axis] = e->objects[k].min[axis] + size * test_unit(random) / 4;
        }
    }
    e->size.objects = e->objects;
    e->functions[0] = graze_error_by_view;
    e->functions[1] = graze_error_by_speed;
    e->functions[2] = graze_error_by_size;
    e->users[0] = &e->view;
    e->users[1] = &e->speed;
    e->users[2] = &e->size;
    e->least = (graze_least_error){e->functions, e->users, 3};
}

enum { ERROR_KINDS = 6 };
static const char *const error_names[ERROR_KINDS] = {"anything",  "a slope", "the view",
                                                     "the speed", "a size",  "the least"};

static void set_function(all_errors *e, int kind, graze_collide_def *def)
{
    e->own.odd = kind == 0;
    def->error_function = kind < 2   ? lod_error_by_place
                          : kind < 5 ? e->functions[kind - 2]
                                     : graze_error_by_least;
    def->error_user = kind < 2 ? (void *)&e->own : kind < 5 ? e->users[kind - 2] : &e->least;
}

static double error_at_point(const graze_collide_def *def, const double p[3])
{
    graze_box at = lod_box_at(p);
    return def->error_function(def->error_user, &at);
}

// @param coarse  counts answers, of each kind, that were not exact.
static void check_places(const body *a, const body *b, graze_query *query, graze_query *exact,
                         test_random *random, uint64_t coarse[ERROR_KINDS])
{
    for (int i = 0; i < 4 * ERROR_KINDS; ++i) {
        lod_scene s = {
            .a = a, .b = b, .query = query, .exact = exact, .way = i % WAYS, .error = 1e9};
        int kind = i / WAYS % ERROR_KINDS;
        s.pose_a = bodies_pose(random, 0.4 * a->size);
        s.pose_b = bodies_pose(random, 0.4 * a->size);
        s.tolerance = i % 2 == 0 ? 0 : 0.02 * a->size;
        all_errors e;
        set_errors(&e, &s, random);
        graze_collide_def def = graze_collide_def_default();
        graze_answer want, got;
        def.tolerance = s.tolerance;
        def.collect = GRAZE_COLLECT_CONTACTS;
        assert_int_equal(graze_query_collide(exact, graze_at(a->exact, &s.pose_a),
                                             graze_at(b->exact, &s.pose_b), &def, &want),
                         GRAZE_OK);
        set_function(&e, kind, &def);
        assert_int_equal(graze_query_collide(query, lod_side(&s, 0), lod_side(&s, 1), &def, &got),
                         GRAZE_OK);
        assert_true(got.complete == 1 && (kind > 1 || e.own.calls > 0));
        s.error = got.error;
        lod_check_complete(&s, &want, &got, random);
        lod_check_bounded(&s, &got, random);
        lod_check_verdict(&s, got.verdict, &want);
        coarse[kind] += got.error > 0;
        for (uint64_t k = 0; k < got.pair_count && kind != 0; ++k) {
            const graze_contact *c = &got.contacts[k];
            double most = error_at_point(&def, c->point_a) + error_at_point(&def, c->point_b);
            if (!(c->error <= (s.way == 2 ? most / 2 : most) * LOD_LOOSE + 1e-9))
                fail_msg("%s: an error of %g, where %g is allowed", error_names[kind], c->error,
                         most);
        }
    }
}

static void errors_by_place(void **state)
{
    (void)state;
    test_random random = {.state = 5};
    graze_context *context = both_ways_context(1, 16, 16);
    graze_query *query = NULL, *exact = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &exact), GRAZE_OK);
    uint64_t coarse[ERROR_KINDS] = {0};
    for (int kind = 0; kind < BODY_KINDS; ++kind) {
        body a, b;
        body_make(context, kind, GRAZE_FLOAT32, 900, &a);
        body_make(context, (kind + 1) % BODY_KINDS, GRAZE_FLOAT32, 600, &b);
        check_places(&a, &b, query, exact, &random, coarse);
        body_free(&a);
        body_free(&b);
    }
    for (int kind = 0; kind < ERROR_KINDS; ++kind)
        assert_true(coarse[kind] > BODY_KINDS);
    graze_query_free(query);
    graze_query_free(exact);
    test_context_done(context);
}

static void pairs_behind_contacts(void **state)
{
    (void)state;
    test_random random = {.state = 6};
    graze_context *context = both_ways_context(1, 16, 16);
    graze_query *query[3];
    for (int i = 0; i < 3; ++i)
        assert_int_equal(graze_query_create(context, &query[i]), GRAZE_OK);
    body a, b;
    body_make(context, 0, GRAZE_FLOAT32, 900, &a);
    body_make(context, 3, GRAZE_FLOAT32, 600, &b);
    uint64_t contacts = 0;
    for (int i = 0; i < 12; ++i) {
        lod_scene s = {.a = &a, .b = &b, .way = i % WAYS, .error = ldexp(0.2, -(i % 5))};
        s.pose_a = bodies_pose(&random, 0.3);
        s.pose_b = bodies_pose(&random, 0.3);
        s.tolerance = i % 2 == 0 ? 0 : 0.02;
        graze_collide_def def = graze_collide_def_default();
        graze_answer exact, got;
        def.tolerance = s.tolerance;
        def.collect = GRAZE_COLLECT_PAIRS;
        assert_int_equal(graze_query_collide(query[0], graze_at(a.exact, &s.pose_a),
                                             graze_at(b.exact, &s.pose_b), &def, &exact),
                         GRAZE_OK);
        def.collect = GRAZE_COLLECT_CONTACTS;
        def.error = s.error;
        assert_int_equal(
            graze_query_collide(query[1], lod_side(&s, 0), lod_side(&s, 1), &def, &got), GRAZE_OK);
        check_behind(&s, &exact, &got, query[2]);
        contacts += got.pair_count;
    }
    assert_true(contacts > 100);
    for (int i = 0; i < 3; ++i)
        graze_query_free(query[i]);
    body_free(&a);
    body_free(&b);
    test_context_done(context);
}

// Small steps, now and then a large one, a rest, other errors and tolerances: answers with a front
// are those without, for exact ones of models, too.
static void fronts_change_nothing(void **state)
{
    (void)state;
    graze_context *context = both_ways_context(1, 4, 32);
    graze_query *query[2];
    graze_front *front = NULL;
    body a, b;
    test_random random = {.state = 8};
    for (int i = 0; i < 2; ++i)
        assert_int_equal(graze_query_create(context, &query[i]), GRAZE_OK);
    assert_int_equal(graze_front_create(context, &front), GRAZE_OK);
    body_make(context, 0, GRAZE_FLOAT32, 2500, &a);
    body_make(context, 2, GRAZE_FLOAT64, 1500, &b);
    graze_pose pose = bodies_pose(&random, 0.5), spin = bodies_pose(&random, 0);
    uint64_t tests[2] = {0, 0}, contacts = 0;
    for (uint32_t i = 0; i < TEST_CHANCES(400); ++i) {
        lod_scene s = {.a = &a, .b = &b, .way = (int)(i / 100 % WAYS)};
        graze_collide_def def = graze_collide_def_default();
        graze_answer want, got;
        double step = i % 37 == 0 ? 0.3 : i % 11 == 0 ? 0 : 1e-5;
        if (i % 97 == 0)
            pose = bodies_pose(&random, 0.5);
        for (int axis = 0; axis < 3; ++axis)
            pose.translation[axis] += step * (test_unit(&random) - 0.5);
        s.pose_a = spin;
        s.pose_b = pose;
        def.error = i / 20 % 3 == 0 ? 0 : ldexp(0.1, -(int)(i / 60 % 4));
        def.tolerance = i / 50 % 2 == 0 ? 0 : 0.01;
        def.collect = i % 2 == 0 ? GRAZE_COLLECT_CONTACTS : GRAZE_COLLECT_PAIRS;
        assert_int_equal(
            graze_query_collide(query[0], lod_side(&s, 0), lod_side(&s, 1), &def, &want), GRAZE_OK);
        def.front = front;
        assert_int_equal(
            graze_query_collide(query[1], lod_side(&s, 0), lod_side(&s, 1), &def, &got), GRAZE_OK);
        assert_true(got.verdict == want.verdict && got.pair_count == want.pair_count);
        assert_memory_equal(got.pairs, want.pairs, got.pair_count * sizeof *got.pairs);
        if (i % 2 == 0)
            assert_memory_equal(got.contacts, want.contacts, got.pair_count * sizeof *got.contacts);
        tests[0] += want.counters.box_tests;
        tests[1] += got.counters.box_tests;
        contacts += got.pair_count;
    }
    assert_true(contacts > 1000);
    assert_true(tests[1] < tests[0]);
    graze_front_free(front);
    for (int i = 0; i < 2; ++i)
        graze_query_free(query[i]);
    body_free(&a);
    body_free(&b);
    test_context_done(context);
}

// A body against itself, and two meshes in memory: these have no levels, so the answer is exact.
static void meshes_are_exact(void **state)
{
    (void)state;
    graze_context *context = both_ways_context(1, 2, 16);
    graze_query *query = NULL;
    body a;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    body_make(context, 0, GRAZE_FLOAT32, 600, &a);
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    graze_answer want, got;
    graze_pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .translation = {0.1, 0, 0}};
    assert_int_equal(
        graze_query_collide(query, graze_at(a.exact, NULL), graze_at(a.exact, &pose), &def, &want),
        GRAZE_OK);
    uint64_t count = want.pair_count;
    def.error = 0.1;
    assert_int_equal(
        graze_query_collide(query, graze_at(a.exact, NULL), graze_at(a.exact, &pose), &def, &got),
        GRAZE_OK);
    assert_true(count > 0 && got.pair_count == count && got.error == 0);
    assert_true(got.verdict == GRAZE_CONTACT && got.cut_a == a.t.count);
    graze_query_free(query);
    body_free(&a);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_misses),          cmocka_unit_test(errors_by_place),
        cmocka_unit_test(pairs_behind_contacts), cmocka_unit_test(fronts_change_nothing),
        cmocka_unit_test(meshes_are_exact),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
