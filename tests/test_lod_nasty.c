// Questions with an error where they are hard to answer: poses far from the origin, sizes at the
// ends of what numbers hold, models of next to nothing, shapes that look alike, limits, failures,
// and many errors and threads at once.
#include "test.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/knobs.h"
#include "bodies.h"
#include "both_ways.h"
#include "model/lod_cut.h"

// Two shapes with an error, and the same ones exactly.
typedef struct pair_of {
    const graze_shape *coarse[2], *exact[2];
    graze_pose pose[2];
    double tolerance, error;
} pair_of;

static graze_posed at(const pair_of *p, int which, bool exact)
{
    return graze_at(exact ? p->exact[which] : p->coarse[which], &p->pose[which]);
}

static double apart(const double p[3], const double q[3])
{
    double most = fmax(fabs(p[0] - q[0]), fmax(fabs(p[1] - q[1]), fabs(p[2] - q[2])));
    if (!(most > 0))
        return 0;
    return most * sqrt(pow((p[0] - q[0]) / most, 2) + pow((p[1] - q[1]) / most, 2) +
                       pow((p[2] - q[2]) / most, 2));
}

// Some roundings of the coordinates of a point.
static double rounding_at(const double p[3])
{
    return 8 * DBL_EPSILON * (fabs(p[0]) + fabs(p[1]) + fabs(p[2]));
}

static bool is_covered(const graze_answer *answer, const graze_contact *c)
{
    for (uint64_t i = 0; i < answer->pair_count; ++i) {
        const graze_contact *by = &answer->contacts[i];
        if (apart(by->point_a, c->point_a) <= by->cover_a + rounding_at(c->point_a) &&
            apart(by->point_b, c->point_b) <= by->cover_b + rounding_at(c->point_b))
            return true;
    }
    return false;
}

static void check_distance(graze_query *query, graze_query *exact, const pair_of *p)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance want, got, other;
    assert_int_equal(graze_query_distance(exact, at(p, 0, true), at(p, 1, true), &def, &want),
                     GRAZE_OK);
    def.error = p->error;
    assert_int_equal(graze_query_distance(query, at(p, 0, false), at(p, 1, false), &def, &got),
                     GRAZE_OK);
    if (!(got.least <= want.distance * (1 + 2 * DBL_EPSILON) &&
          want.distance <= got.distance * (1 + 2 * DBL_EPSILON)))
        fail_msg("a distance of %.17g is not from %.17g to %.17g, error %g", want.distance,
                 got.least, got.distance, p->error);
    assert_int_equal(graze_query_distance(query, at(p, 1, false), at(p, 0, false), &def, &other),
                     GRAZE_OK);
    assert_true(got.least == other.least && got.distance == other.distance);
    if (p->coarse[0] != p->coarse[1]) // else nothing tells which is which
        assert_true(got.pair.a == other.pair.b && got.pair.b == other.pair.a);
}

// Nothing is missed, nothing pretended. Returns how many contacts there are.
static uint64_t check_pair(graze_query *query, graze_query *exact, const pair_of *p)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer want, got;
    def.tolerance = p->tolerance;
    def.collect = GRAZE_COLLECT_CONTACTS;
    assert_int_equal(graze_query_collide(exact, at(p, 0, true), at(p, 1, true), &def, &want),
                     GRAZE_OK);
    def.error = p->error;
    assert_int_equal(graze_query_collide(query, at(p, 0, false), at(p, 1, false), &def, &got),
                     GRAZE_OK);
    uint64_t count = got.pair_count;
    assert_int_equal(got.complete, 1);
    for (uint64_t i = 0; i < want.pair_count; ++i)
        if (!is_covered(&got, &want.contacts[i]))
            fail_msg("contact %llu of %u and %u is not covered, error %g", (unsigned long long)i,
                     want.contacts[i].pair.a, want.contacts[i].pair.b, p->error);
    if (got.verdict == GRAZE_APART || got.verdict == GRAZE_UNDECIDED)
        assert_true(want.pair_count == 0 && got.verdict == GRAZE_APART);
    if (got.verdict == GRAZE_CONTACT)
        assert_true(want.pair_count != 0);
    assert_true((got.verdict == GRAZE_APART) == (count == 0));
    def.collect = GRAZE_COLLECT_VERDICT;
    assert_int_equal(graze_query_collide(query, at(p, 0, false), at(p, 1, false), &def, &got),
                     GRAZE_OK);
    if (got.verdict == GRAZE_CONTACT)
        assert_true(want.pair_count != 0);
    assert_true(want.pair_count == 0 || got.verdict != GRAZE_APART);
    check_distance(query, exact, p);
    return count;
}

static graze_shape *shape_of_triangles(graze_context *context, const triangles *t)
{
    uint32_t *corners = test_malloc((3 * t->count + 1) * sizeof *corners);
    for (uint64_t i = 0; i < 3 * t->count; ++i)
        corners[i] = (uint32_t)i;
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = 3 * t->count,
                            .triangle_count = t->count,
                            .positions = t->corner,
                            .corners = corners};
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    test_free(corners);
    return shape;
}

// Points at corners of a body where the world has them.
static graze_shape *posed_corners(graze_context *context, const body *b, const graze_pose *pose,
                                  uint64_t each, const double by[3])
{
    triangles t = {0};
    for (uint64_t i = 0; i < b->t.count; i += each) {
        double corner[3][3];
        graze_pose_apply(pose, b->t.corner[i][i % 3], corner[0]);
        for (int axis = 0; axis < 3; ++axis)
            corner[0][axis] += by[axis];
        memcpy(corner[1], corner[0], sizeof corner[0]);
        memcpy(corner[2], corner[0], sizeof corner[0]);
        triangles_add(&t, (const double(*)[3])corner);
    }
    graze_shape *shape = shape_of_triangles(context, &t);
    triangles_free(&t);
    return shape;
}

static const graze_pose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const double nowhere[3] = {0, 0, 0};

// Far from the origin posed corners are rounded, each on its own: what was flat is rough, and
// corners that a level has not any more stick out of it. Points at such corners touch the original.
static void far_poses(void **state)
{
    (void)state;
    test_of_one_thread();
    const int kinds[] = {7, 5, 0, 4};
    const double far[] = {1e6, 1e9, 1e12, 1e14};
    graze_context *context = both_ways_context(1, 2, 24);
    graze_query *query = NULL, *exact = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &exact), GRAZE_OK);
    test_random random = {.state = 5};
    for (int k = 0; k < 4; ++k) {
        body b;
        body_make(context, kinds[k], k % 2 == 0 ? GRAZE_FLOAT64 : GRAZE_FLOAT32, 600, &b);
        for (int i = 0; i < 16; ++i) {
            pair_of p = {.coarse = {b.paged, NULL}, .exact = {b.exact, NULL}};
            p.pose[0] = bodies_pose(&random, far[i / 4] * b.size);
            p.pose[1] = still;
            p.error = b.size * ldexp(1, -2 * (i % 4) - 1);
            // At the corners, or so far off that they are apart.
            double by[3] = {0, 0, 0};
            by[2] = i % 2 == 0 ? 0 : 2 * b.size;
            graze_shape *points = posed_corners(context, &b, &p.pose[0], 7, by);
            p.coarse[1] = p.exact[1] = points;
            check_pair(query, exact, &p);
            graze_shape_free(points);
        }
        body_free(&b);
    }
    graze_query_free(query);
    graze_query_free(exact);
    test_context_done(context);
}

// A model that is far from its own origin, and is brought back by its pose: coordinates of the
// world are small, and off by much.
static void far_models(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = both_ways_context(1, 2, 24);
    graze_query *query = NULL, *exact = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &exact), GRAZE_OK);
    test_random random = {.state = 9};
    for (int k = 0; k < 6; ++k) {
        double far = k < 3 ? 1e10 : 1e13;
        triangles t = {0};
        const double move[3] = {far, -far / 3, far / 7};
        triangles_add_shape(&t, k % 2 == 0 ? "grid" : "box", 500, 2, nowhere);
        for (uint64_t i = 0; i < 9 * t.count; ++i)
            t.corner[i / 9][i / 3 % 3][i % 3] += move[i % 3];
        graze_model_build_def def = graze_model_build_def_default();
        body b = {.t = t, .model = triangles_model(context, &t, GRAZE_FLOAT64, &def), .size = 2};
        b.exact = shape_of_triangles(context, &t);
        assert_int_equal(graze_shape_from_model(b.model, &b.paged), GRAZE_OK);
        for (int i = 0; i < 12; ++i) {
            pair_of p = {.coarse = {b.paged, NULL}, .exact = {b.exact, NULL}};
            double there[3];
            p.pose[0] = bodies_pose(&random, 0);
            graze_pose_apply(&p.pose[0], move, there);
            for (int axis = 0; axis < 3; ++axis)
                p.pose[0].translation[axis] = -there[axis];
            p.pose[1] = still;
            p.error = 2 * ldexp(1, -(i % 12));
            graze_shape *points = posed_corners(context, &b, &p.pose[0], 5, nowhere);
            p.coarse[1] = p.exact[1] = points;
            check_pair(query, exact, &p);
            graze_shape_free(points);
        }
        body_free(&b);
    }
    graze_query_free(query);
    graze_query_free(exact);
    test_context_done(context);
}

// A body made larger or smaller, as a model of doubles or of floats.
static void scaled_body(graze_context *context, int kind, graze_precision precision, uint64_t count,
                        double scale, body *b)
{
    body_make(context, kind, GRAZE_FLOAT64, count, b);
    graze_model_build_def def = graze_model_build_def_default();
    triangles t = b->t;
    for (uint64_t i = 0; i < 9 * t.count; ++i) {
        double *x = &t.corner[i / 9][i / 3 % 3][i % 3];
        *x = precision == GRAZE_FLOAT32 ? (double)(float)(*x * scale) : *x * scale;
    }
    graze_shape_free(b->exact);
    graze_shape_free(b->paged);
    graze_model_free(b->model);
    b->exact = shape_of_triangles(context, &t);
    b->model = triangles_model(context, &t, precision, &def);
    assert_int_equal(graze_shape_from_model(b->model, &b->paged), GRAZE_OK);
    b->size *= scale;
}

static void extreme_scales(void **state)
{
    (void)state;
    test_of_one_thread();
    const double scales[] = {1e-30, 1e30, 1e-36, 1e36, 1e-43, 1e-60, 1e60, 1e-150, 1e140, 1e-300};
    const int kinds[] = {0, 1, 3, 4, 5};
    uint64_t contacts = 0;
    test_random random = {.state = 3};
    for (int k = 0; k < 10; ++k) {
        graze_precision precision = k < 5 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        graze_context *context = both_ways_context(1, 2, 16);
        graze_query *query = NULL, *exact = NULL;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        assert_int_equal(graze_query_create(context, &exact), GRAZE_OK);
        body a, b;
        uint64_t count = k < 4 ? 400 : 24; // beyond floats all pairs are tested exactly
        scaled_body(context, kinds[k % 5], precision, count, scales[k], &a);
        scaled_body(context, kinds[(k + 2) % 5], precision, count, scales[k], &b);
        for (uint64_t i = 0; i < (k < 4 ? TEST_CHANCES(20) : 6); ++i) {
            pair_of p = {.coarse = {i % 3 == 1 ? a.exact : a.paged, i % 3 == 2 ? b.exact : b.paged},
                         .exact = {a.exact, b.exact}};
            p.pose[0] = bodies_pose(&random, a.size);
            p.pose[1] = bodies_pose(&random, a.size);
            for (int axis = 0; axis < 3; ++axis)
                p.pose[1].translation[axis] =
                    p.pose[0].translation[axis] + a.size * (test_unit(&random) - 0.5);
            p.error = a.size * ldexp(1, -(int)(i % 8));
            p.tolerance = i % 2 == 0 ? 0 : a.size * ldexp(0.1, -(int)(i % 5));
            contacts += check_pair(query, exact, &p);
        }
        body_free(&a);
        body_free(&b);
        graze_query_free(query);
        graze_query_free(exact);
        test_context_done(context);
    }
    assert_true(contacts > 100);
}

// A list of contacts that stays.
typedef struct kept {
    graze_contact *contacts;
    uint64_t count;
    graze_verdict verdict;
    graze_distance distance;
} kept;

static graze_collide_def def_of(const pair_of *p)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.tolerance = p->tolerance;
    def.error = p->error;
    return def;
}

static graze_status ask(graze_query *query, const pair_of *p, kept *out)
{
    graze_collide_def def = def_of(p);
    graze_distance_def distance = graze_distance_def_default();
    graze_answer got;
    distance.error = p->error;
    *out = (kept){0};
    graze_status status = graze_query_collide(query, at(p, 0, false), at(p, 1, false), &def, &got);
    if (status != GRAZE_OK)
        return status;
    out->contacts = test_malloc(got.pair_count * sizeof(graze_contact) + 1);
    out->count = got.pair_count;
    out->verdict = got.verdict;
    if (out->count != 0)
        memcpy(out->contacts, got.contacts, out->count * sizeof(graze_contact));
    return graze_query_distance(query, at(p, 0, false), at(p, 1, false), &distance, &out->distance);
}

static bool is_same(const kept *x, const kept *y)
{
    const graze_distance *d = &x->distance, *e = &y->distance;
    return x->count == y->count && x->verdict == y->verdict && d->least == e->least &&
           d->distance == e->distance && d->pair.a == e->pair.a && d->pair.b == e->pair.b &&
           (x->count == 0 ||
            memcmp(x->contacts, y->contacts, x->count * sizeof(graze_contact)) == 0);
}

static void kept_free(kept *k) { test_free(k->contacts); }

static bool is_listed(const kept *k, const graze_contact *c)
{
    for (uint64_t i = 0; i < k->count; ++i)
        if (memcmp(&k->contacts[i], c, sizeof *c) == 0)
            return true;
    return false;
}

static bool is_mirrored(const kept *k, const graze_contact *c)
{
    graze_contact m = *c;
    m.pair = (graze_pair){c->pair.b, c->pair.a};
    memcpy(m.point_a, c->point_b, sizeof m.point_a);
    memcpy(m.point_b, c->point_a, sizeof m.point_b);
    for (int axis = 0; axis < 3; ++axis)
        m.normal[axis] = -c->normal[axis];
    m.cover_a = c->cover_b;
    m.cover_b = c->cover_a;
    return is_listed(k, &m);
}

// Two models with the same box and number of triangles, in the same pose: one is the other in a
// mirror. Nothing but what is in them tells which comes first.
static void lookalikes(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = both_ways_context(1, 2, 16);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_model_build_def def = graze_model_build_def_default();
    body a;
    body_make(context, 0, GRAZE_FLOAT64, 800, &a);
    for (uint64_t i = 0; i < 3 * a.t.count; ++i)
        for (int axis = 0; axis < 2; ++axis)
            a.t.corner[i / 3][i % 3][axis] *= -1; // its box need not be the same: a and b are made
    triangles both[2] = {{0}, {0}};
    for (int side = 0; side < 2; ++side)
        for (uint64_t i = 0; i < a.t.count; ++i) {
            double corner[3][3];
            memcpy(corner, a.t.corner[i], sizeof corner);
            for (int k = 0; k < 3 && side == 1; ++k) {
                double x = corner[k][0];
                corner[k][0] = corner[k][1];
                corner[k][1] = x;
            }
            triangles_add(&both[side], (const double(*)[3])corner);
        }
    for (int side = 0; side < 2; ++side) // corners that make both boxes the same
        for (int end = -1; end <= 1; end += 2) {
            const double tip[3][3] = {{2 * end, 2 * end, 2 * end},
                                      {2 * end, 2 * end, 1.9 * end},
                                      {2 * end, 2 * end, 2 * end}};
            triangles_add(&both[side], tip);
        }
    graze_model *model[2];
    graze_shape *shape[2] = {NULL, NULL};
    for (int side = 0; side < 2; ++side) {
        model[side] = triangles_model(context, &both[side], GRAZE_FLOAT64, &def);
        assert_int_equal(graze_shape_from_model(model[side], &shape[side]), GRAZE_OK);
        triangles_free(&both[side]);
    }
    uint64_t contacts = 0;
    for (int i = 0; i < 8; ++i) {
        pair_of p = {.coarse = {shape[0], shape[1]}, .error = ldexp(1, -i)};
        pair_of q = {.coarse = {shape[1], shape[0]}, .error = p.error};
        p.pose[0] = p.pose[1] = q.pose[0] = q.pose[1] = still;
        kept x, y;
        assert_int_equal(ask(query, &p, &x), GRAZE_OK);
        assert_int_equal(ask(query, &q, &y), GRAZE_OK);
        assert_true(x.count == y.count && x.verdict == y.verdict);
        for (uint64_t k = 0; k < x.count; ++k)
            assert_true(is_mirrored(&y, &x.contacts[k]));
        assert_true(x.distance.least == y.distance.least);
        assert_true(x.distance.distance == y.distance.distance);
        contacts += x.count;
        kept_free(&x);
        kept_free(&y);
    }
    assert_true(contacts > 100);
    for (int side = 0; side < 2; ++side) {
        graze_shape_free(shape[side]);
        graze_model_free(model[side]);
    }
    body_free(&a);
    graze_query_free(query);
    test_context_done(context);
}

// With limits: what is listed is in the whole list, too, and nothing that is not known is said.
static void check_limited(graze_query *query, const pair_of *p, const kept *whole, uint64_t pairs,
                          uint64_t work)
{
    graze_collide_def def = def_of(p);
    graze_answer got;
    def.pair_limit = pairs;
    def.work_limit = work;
    assert_int_equal(graze_query_collide(query, at(p, 0, false), at(p, 1, false), &def, &got),
                     GRAZE_OK);
    assert_true(pairs == 0 || got.pair_count <= pairs);
    assert_true(got.complete == 0 || got.pair_count == whole->count);
    assert_true(got.complete == 1 || work != 0 || got.pair_count == pairs);
    for (uint64_t i = 0; i < got.pair_count; ++i)
        assert_true(is_listed(whole, &got.contacts[i]));
    assert_true(got.verdict != GRAZE_CONTACT || whole->verdict == GRAZE_CONTACT);
    assert_true(got.verdict != GRAZE_APART || whole->count == 0);
    assert_true(got.verdict != GRAZE_WITHIN_ERROR || got.pair_count != 0);
    graze_contact *again = test_malloc(got.pair_count * sizeof *again + 1);
    uint64_t count = got.pair_count;
    if (count != 0)
        memcpy(again, got.contacts, count * sizeof *again);
    assert_int_equal(graze_query_collide(query, at(p, 0, false), at(p, 1, false), &def, &got),
                     GRAZE_OK);
    assert_true(got.pair_count == count);
    if (count != 0)
        assert_memory_equal(got.contacts, again, count * sizeof *again);
    test_free(again);
    def.collect = GRAZE_COLLECT_VERDICT;
    assert_int_equal(graze_query_collide(query, at(p, 0, false), at(p, 1, false), &def, &got),
                     GRAZE_OK);
    assert_true(got.verdict != GRAZE_APART || whole->count == 0);
    assert_true(whole->count != 0 || got.verdict == GRAZE_APART || got.verdict == GRAZE_UNDECIDED);
    assert_true(got.verdict != GRAZE_UNDECIDED || work != 0);
    graze_distance_def distance = graze_distance_def_default();
    graze_distance d;
    distance.error = p->error;
    distance.work_limit = work;
    assert_int_equal(graze_query_distance(query, at(p, 0, false), at(p, 1, false), &distance, &d),
                     GRAZE_OK);
    assert_true(d.least <= whole->distance.distance && d.distance >= whole->distance.least);
    assert_true(d.verdict == GRAZE_UNDECIDED ? work != 0 : d.least == whole->distance.least);
}

static void limits_are_honest(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = both_ways_context(1, 2, 16);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    body a, b;
    body_make(context, 0, GRAZE_FLOAT32, 700, &a);
    body_make(context, 1, GRAZE_FLOAT64, 500, &b);
    test_random random = {.state = 21};
    uint64_t contacts = 0;
    for (int i = 0; i < 12; ++i) {
        pair_of p = {.coarse = {i % 3 == 1 ? a.exact : a.paged, i % 3 == 2 ? b.exact : b.paged},
                     .error = ldexp(1, -i / 2),
                     .tolerance = i % 2 == 0 ? 0 : 0.01};
        p.pose[0] = bodies_pose(&random, 1);
        p.pose[1] = bodies_pose(&random, 1);
        kept whole;
        assert_int_equal(ask(query, &p, &whole), GRAZE_OK);
        contacts += whole.count;
        for (uint64_t limit = 1; limit <= 64; limit += 1 + limit / 3)
            check_limited(query, &p, &whole, limit, 0);
        if (whole.count != 0)
            check_limited(query, &p, &whole, whole.count, 0);
        for (uint64_t limit = 1; limit < 4000000; limit += 100 + limit)
            check_limited(query, &p, &whole, limit % 3 == 0 ? limit : 0, limit);
        kept_free(&whole);
    }
    assert_true(contacts > 100);
    body_free(&a);
    body_free(&b);
    graze_query_free(query);
    test_context_done(context);
}

// A shape of few triangles, as a model with or without levels.
static graze_shape *small_model(graze_context *context, const triangles *t, int no_levels,
                                graze_model **model)
{
    graze_model_build_def def = graze_model_build_def_default();
    graze_shape *shape = NULL;
    def.no_levels = no_levels;
    *model = triangles_model(context, t, GRAZE_FLOAT64, &def);
    assert_int_equal(graze_shape_from_model(*model, &shape), GRAZE_OK);
    return shape;
}

// None, one, points, and no levels.
static void next_to_nothing(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = both_ways_context(1, 2, 8);
    graze_query *query = NULL, *exact = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &exact), GRAZE_OK);
    test_random random = {.state = 17};
    const double one[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    enum { KINDS = 5 };
    triangles t[KINDS] = {{0}};
    triangles_add(&t[1], one);
    for (int i = 0; i < 40; ++i) { // points, many of them one and the same
        double corner[3][3];
        for (int k = 0; k < 9; ++k)
            corner[k / 3][k % 3] = i < 20 ? 0.25 : k < 3 ? test_unit(&random) : corner[0][k % 3];
        triangles_add(&t[2], (const double(*)[3])corner);
    }
    triangles_add_shape(&t[3], "sphere", 300, 1, nowhere);
    triangles_add_shape(&t[4], "sphere", 300, 1, nowhere);
    graze_model *model[KINDS];
    graze_shape *paged[KINDS], *whole[KINDS];
    for (int k = 0; k < KINDS; ++k) {
        paged[k] = small_model(context, &t[k], k == 4, &model[k]);
        whole[k] = shape_of_triangles(context, &t[k]);
    }
    for (int i = 0; i < KINDS * KINDS * 12; ++i) {
        int a = i % KINDS, b = i / KINDS % KINDS, turn = i / KINDS / KINDS;
        pair_of p = {
            .coarse = {turn % 3 == 1 ? whole[a] : paged[a], turn % 3 == 2 ? whole[b] : paged[b]},
            .exact = {whole[a], whole[b]},
            .error = ldexp(4, -turn),
            .tolerance = turn % 2 == 0 ? 0 : 0.1};
        p.pose[0] = bodies_pose(&random, 0.3);
        p.pose[1] = bodies_pose(&random, 0.3);
        check_pair(query, exact, &p);
        p.pose[0] = p.pose[1] = still;
        check_pair(query, exact, &p);
    }
    for (int k = 0; k < KINDS; ++k) {
        graze_shape_free(paged[k]);
        graze_shape_free(whole[k]);
        graze_model_free(model[k]);
        triangles_free(&t[k]);
    }
    graze_query_free(query);
    graze_query_free(exact);
    test_context_done(context);
}

// Far apart, with an error that is small against the distance: the interval is not wider.
static void narrow_intervals(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = both_ways_context(1, 2, 16);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    body a, b;
    body_make(context, 0, GRAZE_FLOAT32, 500, &a);
    body_make(context, 1, GRAZE_FLOAT64, 500, &b);
    for (int i = 0; i < 40; ++i) {
        graze_distance_def def = graze_distance_def_default();
        graze_distance got;
        graze_pose pose = still;
        pose.translation[0] = ldexp(3, i % 8);
        def.error = ldexp(1, -i);
        assert_int_equal(graze_query_distance(query, graze_at(a.paged, NULL),
                                              graze_at(b.paged, &pose), &def, &got),
                         GRAZE_OK);
        if (!(got.distance - got.least <= def.error + 0x1p-44 * pose.translation[0]))
            fail_msg("error %g: from %.17g to %.17g", def.error, got.least, got.distance);
    }
    body_free(&a);
    body_free(&b);
    graze_query_free(query);
    test_context_done(context);
}

// Two models in files, that several contexts can open.
typedef struct files {
    char path[2][MODEL_PATH_BYTES];
    pair_of p;
    kept want;
} files;

static void write_models(files *f, uint64_t count)
{
    const char *kinds[2] = {"sphere", "gear"};
    for (int i = 0; i < 2; ++i) {
        char mesh[MODEL_PATH_BYTES], name[32];
        snprintf(name, sizeof name, "lod%d.graze", i);
        models_path(f->path[i], name);
        models_make(kinds[i], count, GRAZE_FLOAT32, models_path(mesh, "lod.ply"));
        graze_context *context = both_ways_context(1, 2, 16);
        assert_int_equal(graze_model_build(context, mesh, f->path[i], NULL), GRAZE_OK);
        test_context_done(context);
        unlink(mesh);
    }
    f->p = (pair_of){.error = 0.05, .tolerance = 0.01, .pose = {still, still}};
    f->p.pose[1].translation[0] = 0.4;
}

static void remove_models(files *f)
{
    unlink(f->path[0]);
    unlink(f->path[1]);
}

// Opens both, asks, and closes them. A question that failed is asked again.
static graze_status open_and_ask(graze_context *context, void *data)
{
    files *f = data;
    graze_model *model[2] = {NULL, NULL};
    graze_shape *shape[2] = {NULL, NULL};
    graze_query *query = NULL;
    kept got = {0};
    graze_status status = graze_query_create(context, &query);
    pair_of p = f->p;
    for (int i = 0; i < 2; ++i) {
        if (status == GRAZE_OK)
            status = graze_model_open(context, f->path[i], &model[i]);
        if (status == GRAZE_OK)
            status = graze_shape_from_model(model[i], &shape[i]);
        p.coarse[i] = shape[i];
    }
    if (status == GRAZE_OK) {
        status = ask(query, &p, &got);
        if (status == GRAZE_OK && f->want.contacts != NULL)
            assert_true(is_same(&got, &f->want));
        if (status != GRAZE_OK) { // the one fault is over
            assert_true(test_last_error[0] != '\0' || status == GRAZE_ERROR_CANCELLED);
            kept_free(&got);
            graze_status second = ask(query, &p, &got);
            if (status != GRAZE_ERROR_CANCELLED) {
                assert_int_equal(second, GRAZE_OK);
                assert_true(is_same(&got, &f->want));
            }
        }
    }
    if (f->want.contacts == NULL)
        f->want = got;
    else
        kept_free(&got);
    for (int i = 0; i < 2; ++i) {
        graze_shape_free(shape[i]);
        graze_model_free(model[i]);
    }
    graze_query_free(query);
    return status;
}

static void failing_leaves_nothing(void **state)
{
    (void)state;
    test_of_one_thread();
    static files f;
    f = (files){0};
    write_models(&f, 1500);
    for (int reads = 0; reads < 2; ++reads)
        for (int64_t n = -1;; n = n < 40 ? n + 1 : n + 1 + n / 16) {
            graze_context *context = both_ways_context(1, 2, 16);
            _Atomic int64_t *left = reads != 0 ? &gz_knobs_for(context)->reads_left
                                               : &gz_knobs_for(context)->allocations_left;
            gz_knobs_for(context)->read_late = reads != 0;
            atomic_store(left, n);
            graze_status status = open_and_ask(context, &f);
            bool failed = n >= 0 && atomic_load(left) < 0;
            atomic_store(left, -1);
            test_context_done(context);
            assert_true(failed || status == GRAZE_OK);
            if (n >= 0 && !failed)
                break;
        }
    assert_true(f.want.count > 20);
    kept_free(&f.want);
    remove_models(&f);
}

static int cancel_after(void *user) { return (*(int64_t *)user)-- <= 0; }

static void cancelling_leaves_nothing(void **state)
{
    (void)state;
    test_of_one_thread();
    static files f;
    f = (files){0};
    write_models(&f, 1500);
    graze_context *plain = test_context(NULL);
    assert_int_equal(open_and_ask(plain, &f), GRAZE_OK);
    test_context_done(plain);
    graze_status status = GRAZE_ERROR_CANCELLED;
    int rounds = 0;
    for (int64_t patience = 0; status == GRAZE_ERROR_CANCELLED; ++patience, ++rounds) {
        int64_t left = patience;
        graze_context_def def = graze_context_def_default();
        def.user = &left;
        def.cancel = cancel_after;
        graze_context *context = test_context(&def);
        status = open_and_ask(context, &f);
        test_context_done(context);
    }
    assert_int_equal(status, GRAZE_OK);
    assert_true(rounds > 4);
    kept_free(&f.want);
    remove_models(&f);
}

// The same bits for every SIMD width, small and large caches, one thread and more, and whatever was
// asked before.
static void the_same_everywhere(void **state)
{
    (void)state;
    static files f;
    f = (files){0};
    write_models(&f, 1500);
    for (int turn = 0; turn < 6; ++turn) {
        f.p.error = ldexp(0.5, -2 * turn);
        f.p.tolerance = turn % 2 == 0 ? 0 : 0.01;
        for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd) {
            graze_context *context = test_context_of_width((graze_simd)simd);
            if (context == NULL)
                continue;
            assert_int_equal(open_and_ask(context, &f), GRAZE_OK);
            test_context_done(context);
        }
        graze_context *context = both_ways_context(3, 64, 0);
        assert_int_equal(open_and_ask(context, &f), GRAZE_OK);
        test_context_done(context);
        kept_free(&f.want);
        f.want = (kept){0};
    }
    remove_models(&f);
}

enum { ASKERS = 6, ERRORS = GZ_LOD_CUTS_KEPT + 8 };

typedef struct asker {
    graze_context *context;
    pair_of p;
    const kept *want;
    uint64_t seed;
    uint32_t rounds, wrong;
    pthread_t thread;
} asker;

static double error_at(uint32_t i) { return 0.4 * pow(0.85, (double)i); }

static void *ask_around(void *data)
{
    asker *k = data;
    graze_query *query = NULL;
    test_random random = {.state = k->seed};
    k->wrong = graze_query_create(k->context, &query) != GRAZE_OK;
    for (uint32_t i = 0; i < k->rounds && k->wrong == 0; ++i) {
        uint32_t which = (uint32_t)(test_next(&random) % ERRORS);
        kept got;
        k->p.error = error_at(which);
        k->wrong += ask(query, &k->p, &got) != GRAZE_OK || !is_same(&got, &k->want[which]);
        kept_free(&got);
    }
    graze_query_free(query);
    return NULL;
}

// More threads at more errors than cuts are kept, and cuts in use that find no place.
static void many_errors_at_once(void **state)
{
    (void)state;
    static files f;
    static kept want[ERRORS];
    f = (files){0};
    write_models(&f, 800);
    graze_context *context = both_ways_context(1, 2, 0);
    graze_query *query = NULL;
    graze_model *model[2];
    graze_shape *shape[2];
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(graze_model_open(context, f.path[i], &model[i]), GRAZE_OK);
        assert_int_equal(graze_shape_from_model(model[i], &shape[i]), GRAZE_OK);
        f.p.coarse[i] = shape[i];
    }
    for (uint32_t i = 0; i < ERRORS; ++i) {
        f.p.error = error_at(i);
        assert_int_equal(ask(query, &f.p, &want[i]), GRAZE_OK);
    }
    gz_lod_cut *held[GZ_LOD_CUTS_KEPT + 2];
    for (int i = 0; i < GZ_LOD_CUTS_KEPT + 2; ++i) {
        held[i] = gz_lod_cut_take(model[0], 0.3 * pow(0.9, i));
        assert_non_null(held[i]);
    }
    asker askers[ASKERS];
    for (uint32_t turn = 0; turn < 2; ++turn) { // with all places taken, then with none
        for (uint32_t i = 0; i < ASKERS; ++i) {
            askers[i] = (asker){.context = context,
                                .p = f.p,
                                .want = want,
                                .seed = i + 10 * turn,
                                .rounds = (uint32_t)TEST_CHANCES(40)};
            assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_around, &askers[i]), 0);
        }
        for (uint32_t i = 0; i < ASKERS; ++i) {
            pthread_join(askers[i].thread, NULL);
            assert_int_equal(askers[i].wrong, 0);
        }
        for (int i = 0; i < GZ_LOD_CUTS_KEPT + 2 && turn == 0; ++i)
            gz_lod_cut_give(held[i]);
    }
    for (uint32_t i = 0; i < ERRORS; ++i)
        kept_free(&want[i]);
    for (int i = 0; i < 2; ++i) {
        graze_shape_free(shape[i]);
        graze_model_free(model[i]);
    }
    graze_query_free(query);
    test_context_done(context);
    remove_models(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_poses),
        cmocka_unit_test(far_models),
        cmocka_unit_test(extreme_scales),
        cmocka_unit_test(lookalikes),
        cmocka_unit_test(limits_are_honest),
        cmocka_unit_test(next_to_nothing),
        cmocka_unit_test(narrow_intervals),
        cmocka_unit_test(failing_leaves_nothing),
        cmocka_unit_test(cancelling_leaves_nothing),
        cmocka_unit_test(the_same_everywhere),
        cmocka_unit_test(many_errors_at_once),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
