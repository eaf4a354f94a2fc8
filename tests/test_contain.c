// Closedness, points inside shapes, and shapes inside shapes. The referee works on bodies made of
// tetrahedra on a coarse grid, where doubles are exact and most ways out meet edges and corners:
// a point is inside the body if it is inside an odd number of them. Scenes are compared with the
// solid angle that their triangles fill.
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>

#include "asked_shapes.h"
#include "oracle.h"
#include "shapes.h"

enum { BODIES = 8, TRIANGLES = 4 * BODIES };

typedef struct body {
    double corner[BODIES][4][3];
    uint32_t count;
    double position[3 * 3 * TRIANGLES];
    uint32_t corners[3 * TRIANGLES];
    graze_mesh_view view;
} body;

static void copy(const double p[3], double out[3]) { memcpy(out, p, 3 * sizeof *out); }

// Tetrahedra whose corners are whole multiples of `step` around places that are whole multiples of
// `spread`, flat ones included.
static void make_body(test_random *random, body *b, uint32_t count, double step, double spread)
{
    static const int face[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    b->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        double place[3];
        for (int k = 0; k < 3; ++k)
            place[k] = spread * ((double)(test_next(random) % 5) - 2);
        for (int k = 0; k < 12; ++k)
            b->corner[i][k / 3][k % 3] =
                place[k % 3] + step * ((double)(test_next(random) % 5) - 2);
    }
    for (uint32_t t = 0; t < 4 * count; ++t)
        for (uint32_t k = 0; k < 3; ++k) { // each turned about and over as chance has it
            copy(b->corner[t / 4][face[t % 4][k]], &b->position[9 * t + 3 * k]);
            b->corners[3 * t + k] = 3 * t + k;
        }
    for (uint32_t t = 0; t < 4 * count; ++t)
        if (test_next(random) % 2 == 0) {
            b->corners[3 * t] = 3 * t + 1;
            b->corners[3 * t + 1] = 3 * t;
        }
    for (uint32_t i = 0; i < 36 * count; ++i)
        if (b->position[i] == 0 && test_next(random) % 2 == 0)
            b->position[i] = -0.0;
    b->view = (graze_mesh_view){.precision = GRAZE_FLOAT64,
                                .vertex_count = 12 * (uint64_t)count,
                                .triangle_count = 4 * (uint64_t)count,
                                .positions = b->position,
                                .corners = b->corners};
}

// Exact for numbers with few digits.
static double volume(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static bool in_tetrahedron(double (*const t)[3], const double p[3])
{
    double all = volume(t[0], t[1], t[2], t[3]);
    return all * volume(p, t[1], t[2], t[3]) > 0 && all * volume(t[0], p, t[2], t[3]) > 0 &&
           all * volume(t[0], t[1], p, t[3]) > 0 && all * volume(t[0], t[1], t[2], p) > 0;
}

static graze_triangle triangle_of(const body *b, uint32_t t)
{
    graze_triangle out;
    for (uint32_t k = 0; k < 3; ++k)
        copy(&b->position[3 * b->corners[3 * t + k]], out.corner[k]);
    return out;
}

static bool they_meet(oracle *o, const graze_triangle *a, const graze_triangle *b)
{
    oracle_load(o, a, b);
    oracle_closest(o);
    return oracle_meet(o);
}

static bool is_inside(body *b, const double p[3])
{
    bool inside = false;
    for (uint32_t i = 0; i < b->count; ++i)
        inside ^= in_tetrahedron(b->corner[i], p);
    return inside;
}

static graze_place place_of(oracle *o, body *b, const double p[3])
{
    graze_triangle point;
    for (int k = 0; k < 3; ++k)
        copy(p, point.corner[k]);
    for (uint32_t t = 0; t < b->view.triangle_count; ++t) {
        graze_triangle face = triangle_of(b, t);
        if (they_meet(o, &point, &face))
            return GRAZE_PLACE_SURFACE;
    }
    return is_inside(b, p) ? GRAZE_PLACE_INSIDE : GRAZE_PLACE_OUTSIDE;
}

static graze_shape *shape_of(graze_context *context, const graze_mesh_view *view, bool compact)
{
    graze_shape *shape = NULL;
    graze_shape_def def = graze_shape_def_default();
    def.layout = compact ? GRAZE_LAYOUT_COMPACT : GRAZE_LAYOUT_FAST;
    assert_int_equal(graze_shape_create(context, view, &def, &shape), GRAZE_OK);
    return shape;
}

static void points_equal_referee(void **state)
{
    (void)state;
    static body b;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    oracle *o = oracle_create();
    const graze_pose still = graze_pose_identity();
    graze_pose turned = {.rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1}, .translation = {8, 16, -4}};
    uint64_t found[4] = {0};
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        test_random random = {seed};
        make_body(&random, &b, 1 + (uint32_t)(seed % BODIES), 1, 0);
        graze_shape *shape = shape_of(context, &b.view, seed % 2 == 0);
        for (int k = 0; k < 60; ++k) {
            double p[3], world[3];
            for (int i = 0; i < 3; ++i)
                p[i] = (double)(test_next(&random) % 11) / 4 - 1.25;
            graze_pose pose = k % 2 == 0 ? still : turned;
            graze_pose_apply(&pose, p, world);
            graze_place place, want = place_of(o, &b, p);
            assert_int_equal(graze_query_inside(query, graze_at(shape, &pose), world, &place),
                             GRAZE_OK);
            if (place != want)
                fail_msg("seed %llu: %g %g %g is %d, not %d", (unsigned long long)seed, p[0], p[1],
                         p[2], (int)place, (int)want);
            found[want]++;
        }
        graze_shape_free(shape);
    }
    assert_true(found[1] > 1000 && found[2] > 500 && found[3] > 500);
    oracle_destroy(o);
    graze_query_free(query);
    test_context_done(context);
}

static bool same_point(const double *p, const double *q)
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// Counts the triangles of each edge, the slow way.
static bool is_closed(const body *b)
{
    uint64_t count = 3 * b->view.triangle_count;
    for (uint64_t i = 0; i < count; ++i) {
        const double *p = &b->position[3 * b->corners[i]];
        const double *q = &b->position[3 * b->corners[i / 3 * 3 + (i + 1) % 3]];
        uint64_t same = 0;
        for (uint64_t k = 0; k < count; ++k) {
            const double *r = &b->position[3 * b->corners[k]];
            const double *s = &b->position[3 * b->corners[k / 3 * 3 + (k + 1) % 3]];
            same +=
                (same_point(p, r) && same_point(q, s)) || (same_point(p, s) && same_point(q, r));
        }
        if (!same_point(p, q) && same % 2 != 0)
            return false;
    }
    return true;
}

static void closedness_is_counted(void **state)
{
    (void)state;
    static body b;
    graze_context *context = test_context(NULL);
    uint64_t closed_count = 0, open_count = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        test_random random = {seed};
        make_body(&random, &b, 1 + (uint32_t)(seed % BODIES), 1, 0);
        b.view.triangle_count -= seed % 3; // one or two missing; flat ones are not missed
        graze_shape *shape = shape_of(context, &b.view, seed % 2 == 0);
        assert_int_equal(graze_shape_get_info(shape).closed, GRAZE_NOT_ASKED);
        uint32_t closed = 7;
        for (int again = 0; again < 2; ++again) {
            assert_int_equal(graze_shape_closed(shape, &closed), GRAZE_OK);
            if (closed != is_closed(&b))
                fail_msg("seed %llu: closed %u", (unsigned long long)seed, closed);
        }
        assert_int_equal(graze_shape_get_info(shape).closed, closed ? GRAZE_YES : GRAZE_NO);
        *(closed ? &closed_count : &open_count) += 1;
        graze_shape_free(shape);
    }
    assert_true(closed_count > 100 && open_count > 100);
    test_context_done(context);
}

static bool any_meet(oracle *o, const body *a, const body *b)
{
    for (uint32_t i = 0; i < a->view.triangle_count; ++i)
        for (uint32_t k = 0; k < b->view.triangle_count; ++k) {
            graze_triangle t = triangle_of(a, i), u = triangle_of(b, k);
            if (they_meet(o, &t, &u))
                return true;
        }
    return false;
}

// 0 none, 1 some, 2 all of the corners of a are inside b.
static int share_of(const body *a, body *b)
{
    uint64_t in = 0, count = 3 * a->view.triangle_count;
    for (uint64_t i = 0; i < count; ++i)
        in += is_inside(b, &a->position[3 * i]);
    return in == 0 ? 0 : in == count ? 2 : 1;
}

static graze_nesting nesting_of(oracle *o, body *a, body *b)
{
    if (any_meet(o, a, b))
        return GRAZE_NESTING_TOUCHING;
    int a_in_b = share_of(a, b), b_in_a = share_of(b, a);
    return a_in_b == 2                  ? GRAZE_NESTING_A_IN_B
           : b_in_a == 2                ? GRAZE_NESTING_B_IN_A
           : a_in_b == 1 || b_in_a == 1 ? GRAZE_NESTING_PARTLY
                                        : GRAZE_NESTING_NONE;
}

static void nesting_equals_referee(void **state)
{
    (void)state;
    static body a, b;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    oracle *o = oracle_create();
    const graze_pose still = graze_pose_identity();
    uint64_t found[6] = {0};
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        test_random random = {seed};
        make_body(&random, &a, 1 + (uint32_t)(seed % 3), 0.03125, 0.25);
        make_body(&random, &b, 1 + (uint32_t)(test_next(&random) % 3), 1, 0);
        graze_shape *shape_a = shape_of(context, &a.view, seed % 2 == 0);
        graze_shape *shape_b = shape_of(context, &b.view, seed % 3 == 0);
        graze_containment got;
        graze_nesting want = nesting_of(o, &a, &b);
        assert_int_equal(
            graze_query_contain(query, graze_at(shape_a, &still), graze_at(shape_b, &still), &got),
            GRAZE_OK);
        if (got.nesting != want || !got.closed_a || !got.closed_b)
            fail_msg("seed %llu: %d, not %d", (unsigned long long)seed, (int)got.nesting,
                     (int)want);
        found[want]++;
        assert_int_equal(
            graze_query_contain(query, graze_at(shape_b, &still), graze_at(shape_a, &still), &got),
            GRAZE_OK);
        graze_nesting swapped = want == GRAZE_NESTING_A_IN_B ? GRAZE_NESTING_B_IN_A : want;
        assert_int_equal(got.nesting, swapped);
        graze_shape_free(shape_a);
        graze_shape_free(shape_b);
    }
    assert_true(found[GRAZE_NESTING_NONE] > 200 && found[GRAZE_NESTING_A_IN_B] > 100);
    assert_true(found[GRAZE_NESTING_PARTLY] > 100 && found[GRAZE_NESTING_TOUCHING] > 200);
    oracle_destroy(o);
    graze_query_free(query);
    test_context_done(context);
}

static graze_mesh *scene(graze_context *context, const char *kind, uint64_t count, double size)
{
    graze_mesh *mesh = NULL;
    generator_shape_def def = {.kind = kind, .triangle_count = count, .size = size};
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    return mesh;
}

// How often the surface goes around a point.
static long double turns(const graze_mesh_view *view, const double p[3])
{
    const float *position = view->positions;
    const uint32_t *corners = view->corners;
    long double sum = 0;
    for (uint64_t t = 0; t < view->triangle_count; ++t) {
        long double v[3][3], length[3];
        for (int k = 0; k < 3; ++k) {
            const float *at = &position[3 * (uint64_t)corners[3 * t + k]];
            for (int i = 0; i < 3; ++i)
                v[k][i] = (long double)at[i] - (long double)p[i];
            length[k] = sqrtl(v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]);
        }
        long double det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                          v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                          v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        long double dots[3];
        for (int k = 0; k < 3; ++k)
            dots[k] = v[k][0] * v[(k + 1) % 3][0] + v[k][1] * v[(k + 1) % 3][1] +
                      v[k][2] * v[(k + 1) % 3][2];
        sum += atan2l(det, length[0] * length[1] * length[2] + dots[0] * length[2] +
                               dots[1] * length[0] + dots[2] * length[1]);
    }
    return sum / (2 * acosl(-1));
}

static void scenes_have_their_insides(void **state)
{
    (void)state;
    static const char *const kinds[] = {"sphere",   "torus", "knot", "box",
                                        "cylinder", "cone",  "gear", "plates"};
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    const graze_pose still = graze_pose_identity();
    uint64_t inside = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        graze_mesh *mesh = scene(context, kinds[k], 6000, 1);
        graze_mesh_view view = graze_mesh_get(mesh);
        graze_shape *shape = shape_of(context, &view, k % 2 == 0);
        uint32_t closed = 0;
        assert_int_equal(graze_shape_closed(shape, &closed), GRAZE_OK);
        assert_int_equal(closed, 1);
        test_random random = {k};
        for (int i = 0; i < 40; ++i) {
            double p[3];
            for (int axis = 0; axis < 3; ++axis)
                p[axis] = test_unit(&random) - 0.5;
            graze_place place;
            assert_int_equal(graze_query_inside(query, graze_at(shape, &still), p, &place),
                             GRAZE_OK);
            bool odd = lroundl(fabsl(turns(&view, p))) % 2 != 0;
            assert_int_equal(place, odd ? GRAZE_PLACE_INSIDE : GRAZE_PLACE_OUTSIDE);
            inside += odd;
        }
        graze_shape_free(shape);
        graze_mesh_free(mesh);
    }
    assert_true(inside > 40);
    graze_query_free(query);
    test_context_done(context);
}

// A small one inside a large one, and one that is open: known cases, asked by threads at once.
typedef struct nest {
    graze_context *context;
    graze_shape *small, *large, *sheet, *nothing;
} nest;

static graze_nesting ask(const nest *n, const graze_shape *a, const graze_shape *b, double shift)
{
    graze_query *query = NULL;
    graze_containment got = {0};
    graze_pose still = graze_pose_identity(), moved = still;
    moved.translation[0] = shift;
    if (graze_query_create(n->context, &query) != GRAZE_OK ||
        graze_query_contain(query, graze_at(a, &still), graze_at(b, &moved), &got) != GRAZE_OK)
        got.nesting = (graze_nesting)99;
    graze_query_free(query);
    return got.nesting;
}

static void *ask_known(void *data)
{
    const nest *n = data;
    bool right = ask(n, n->small, n->large, 0) == GRAZE_NESTING_A_IN_B &&
                 ask(n, n->large, n->small, 0) == GRAZE_NESTING_B_IN_A &&
                 ask(n, n->small, n->large, 5) == GRAZE_NESTING_NONE &&
                 ask(n, n->small, n->large, 1.5) == GRAZE_NESTING_TOUCHING &&
                 ask(n, n->sheet, n->large, 0) == GRAZE_NESTING_A_IN_B &&
                 ask(n, n->sheet, n->large, 9) == GRAZE_NESTING_NONE &&
                 ask(n, n->sheet, n->sheet, 0.001) == GRAZE_NESTING_TOUCHING &&
                 ask(n, n->nothing, n->large, 0) == GRAZE_NESTING_NONE &&
                 ask(n, n->large, n->nothing, 0) == GRAZE_NESTING_NONE;
    return right ? data : NULL;
}

static void threads_may_ask_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    graze_context *context = test_context(NULL);
    graze_mesh *mesh[3] = {scene(context, "sphere", 500, 1), scene(context, "sphere", 3000, 3),
                           scene(context, "grid", 200, 0.25)};
    graze_mesh_view view[3], empty = {.precision = GRAZE_FLOAT32};
    for (int i = 0; i < 3; ++i)
        view[i] = graze_mesh_get(mesh[i]);
    nest n = {context, shape_of(context, &view[0], false), shape_of(context, &view[1], true),
              shape_of(context, &view[2], false), shape_of(context, &empty, false)};
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&thread[i], NULL, ask_known, &n), 0);
    for (int i = 0; i < THREADS; ++i) {
        void *right = NULL;
        assert_int_equal(pthread_join(thread[i], &right), 0);
        assert_non_null(right);
    }
    graze_pose still = graze_pose_identity();
    graze_query *query = NULL;
    graze_place place;
    double in_sheet_box[3] = {0.01, 0.01, 0}, above[3] = {0.01, 0.01, 1};
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_inside(query, graze_at(n.sheet, &still), in_sheet_box, &place),
                     GRAZE_OK);
    assert_int_equal(place, GRAZE_PLACE_SURFACE);
    assert_int_equal(graze_query_inside(query, graze_at(n.sheet, &still), above, &place), GRAZE_OK);
    assert_int_equal(place, GRAZE_PLACE_OUTSIDE);
    above[1] = (double)NAN;
    assert_int_equal(graze_query_inside(query, graze_at(n.sheet, &still), above, &place),
                     GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_query_inside(query, graze_at(NULL, &still), above, &place),
                     GRAZE_ERROR_ARGUMENT);
    graze_query_free(query);
    graze_shape_free(n.small);
    graze_shape_free(n.large);
    graze_shape_free(n.sheet);
    graze_shape_free(n.nothing);
    for (int i = 0; i < 3; ++i)
        graze_mesh_free(mesh[i]);
    test_context_done(context);
}

// An open shape holds nothing for certain.
static void open_shapes_are_not_guessed_at(void **state)
{
    (void)state;
    static body b;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    test_random random = {1};
    make_body(&random, &b, 1, 1, 0);
    static const double corner[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    static const int face[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    for (uint32_t i = 0; i < 12; ++i)
        copy(corner[face[i / 3][i % 3]], &b.position[3 * b.corners[i]]);
    b.view.triangle_count = 3;
    graze_shape *bowl = shape_of(context, &b.view, false);
    graze_mesh *mesh = scene(context, "sphere", 100, 0.25);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_shape *ball = shape_of(context, &view, false);
    graze_pose still = graze_pose_identity(), moved = still;
    for (int i = 0; i < 3; ++i)
        moved.translation[i] = 0.75;
    graze_containment got;
    assert_int_equal(
        graze_query_contain(query, graze_at(bowl, &still), graze_at(ball, &moved), &got), GRAZE_OK);
    assert_true(got.nesting == GRAZE_NESTING_UNKNOWN && !got.closed_a && got.closed_b);
    graze_place place;
    assert_int_equal(graze_query_inside(query, graze_at(bowl, &still), moved.translation, &place),
                     GRAZE_OK);
    assert_int_equal(place, GRAZE_PLACE_UNKNOWN);
    graze_shape_free(ball);
    graze_shape_free(bowl);
    graze_mesh_free(mesh);
    graze_query_free(query);
    test_context_done(context);
}

static graze_status ask_what_is_inside(const asked_shapes *shapes, graze_query *query)
{
    graze_containment got;
    graze_status status = graze_query_contain(query, graze_at(shapes->a, &shapes->pose_a),
                                              graze_at(shapes->b, &shapes->pose_b), &got);
    if (status == GRAZE_OK)
        assert_int_equal(got.nesting, GRAZE_NESTING_B_IN_A);
    return status;
}

static void failing_leaves_nothing_behind(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh *mesh[2] = {scene(context, "sphere", 5000, 3), scene(context, "box", 600, 1)};
    graze_mesh_view view[2] = {graze_mesh_get(mesh[0]), graze_mesh_get(mesh[1])};
    asked_shapes shapes = {.view_a = &view[0],
                           .view_b = &view[1],
                           .pose_a = graze_pose_identity(),
                           .pose_b = graze_pose_identity(),
                           .ask = ask_what_is_inside};
    shapes.pose_b.translation[0] = 0.01;
    assert_true(asked_shapes_fail(&shapes) > 15);
    graze_mesh_free(mesh[0]);
    graze_mesh_free(mesh[1]);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_equal_referee),
        cmocka_unit_test(closedness_is_counted),
        cmocka_unit_test(nesting_equals_referee),
        cmocka_unit_test(scenes_have_their_insides),
        cmocka_unit_test(threads_may_ask_at_once),
        cmocka_unit_test(open_shapes_are_not_guessed_at),
        cmocka_unit_test(failing_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
