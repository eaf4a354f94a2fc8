// Contacts: points against the oracle, normals and depths against their definition, by brute force
// over directions; swapped, on threads, for many poses; and cases whose answer is known.
#include "test.h"

#include <math.h>

#include "asked_shapes.h"
#include "oracle.h"
#include "soups.h"

static graze_shape *shape_of(graze_context *context, const graze_mesh_view *view, bool compact)
{
    graze_shape *shape = NULL;
    graze_shape_def def = graze_shape_def_default();
    def.layout = compact ? GRAZE_LAYOUT_COMPACT : GRAZE_LAYOUT_FAST;
    assert_int_equal(graze_shape_create(context, view, &def, &shape), GRAZE_OK);
    return shape;
}

static graze_collide_def contacts_def(double tolerance)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.tolerance = tolerance;
    return def;
}

static long double along(const long double n[3], const double p[3], const double origin[3])
{
    long double sum = 0;
    for (int i = 0; i < 3; ++i)
        sum += n[i] * ((long double)p[i] - (long double)origin[i]);
    return sum;
}

// How far b must move along n.
static long double way_out(const graze_triangle *a, const graze_triangle *b, const long double n[3])
{
    long double most = -HUGE_VALL, least = HUGE_VALL;
    for (int i = 0; i < 3; ++i) {
        most = fmaxl(most, along(n, a->corner[i], a->corner[0]));
        least = fminl(least, along(n, b->corner[i], a->corner[0]));
    }
    return most - least;
}

static long double size_of(const graze_triangle *a, const graze_triangle *b)
{
    long double size = 0;
    for (int i = 0; i < 3; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            long double origin = (long double)a->corner[0][axis];
            size = fmaxl(size, fabsl((long double)a->corner[i][axis] - origin));
            size = fmaxl(size, fabsl((long double)b->corner[i][axis] - origin));
        }
    return size;
}

// Fails if the direction, made a unit vector, or its reverse leads out sooner than the depth.
static void check_direction(const graze_triangle *a, const graze_triangle *b,
                            const long double direction[3], long double depth, uint64_t seed)
{
    long double length = sqrtl(direction[0] * direction[0] + direction[1] * direction[1] +
                               direction[2] * direction[2]);
    if (!(length > 1e-9L))
        return;
    for (int sign = -1; sign <= 1; sign += 2) {
        long double n[3];
        for (int i = 0; i < 3; ++i)
            n[i] = sign * direction[i] / length;
        if (way_out(a, b, n) < depth - 1e-10L * size_of(a, b))
            fail_msg("seed %llu: there is a shorter way out than %Lg", (unsigned long long)seed,
                     depth);
    }
}

static void check_shortest(test_random *random, const graze_triangle *a, const graze_triangle *b,
                           long double depth, uint64_t seed)
{
    long double size = size_of(a, b), edge[6][3], n[3];
    for (int i = 0; i < 6; ++i) {
        const graze_triangle *t = i < 3 ? a : b;
        for (int axis = 0; axis < 3; ++axis)
            edge[i][axis] = size == 0 ? 0
                                      : ((long double)t->corner[(i + 1) % 3][axis] -
                                         (long double)t->corner[i % 3][axis]) /
                                            size;
    }
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < i; ++j) {
            for (int axis = 0; axis < 3; ++axis) {
                int y = (axis + 1) % 3, z = (axis + 2) % 3;
                n[axis] = edge[i][y] * edge[j][z] - edge[i][z] * edge[j][y];
            }
            check_direction(a, b, n, depth, seed);
        }
    for (int k = 0; k < 20; ++k) {
        for (int axis = 0; axis < 3; ++axis)
            n[axis] = (long double)soup_between(random, -1, 1);
        check_direction(a, b, n, depth, seed);
    }
}

static graze_triangle point_triangle(const double p[3])
{
    graze_triangle t;
    for (int i = 0; i < 3; ++i)
        memcpy(t.corner[i], p, sizeof t.corner[i]);
    return t;
}

static double largest_of(const graze_triangle *t)
{
    double largest = 0;
    for (int i = 0; i < 9; ++i)
        largest = fmax(largest, fabs(t->corner[i / 3][i % 3]));
    return largest;
}

// The point is the mean of the true corners, each rounded.
static void check_middle(oracle *o, const graze_contact *contact, double largest, uint64_t seed)
{
    oracle_intersect(o);
    assert_true(o->corner_count > 0);
    for (int axis = 0; axis < 3; ++axis) {
        long double sum = 0;
        for (int i = 0; i < o->corner_count; ++i)
            sum += (long double)exact_round(o->intersection[i].x.c[axis], o->intersection[i].w,
                                            o->exponent);
        long double mean = sum / o->corner_count;
        if (fabsl(mean - (long double)contact->point_a[axis]) > 1e-15L * (long double)largest ||
            contact->point_a[axis] != contact->point_b[axis])
            fail_msg("seed %llu: not the middle of what is shared", (unsigned long long)seed);
    }
}

static void check_on(oracle *o, const double point[3], const graze_triangle *t, double largest)
{
    graze_triangle p = point_triangle(point);
    oracle_load(o, &p, t);
    oracle_closest(o);
    assert_true(oracle_within(o, 1e-15 * largest));
}

static void check_contact(oracle *o, test_random *random, const graze_contact *contact,
                          const graze_triangle *a, const graze_triangle *b, uint64_t seed)
{
    double largest = fmax(largest_of(a), largest_of(b));
    long double n[3], square = 0, size = size_of(a, b), depth = (long double)contact->depth;
    for (int i = 0; i < 3; ++i) {
        n[i] = (long double)contact->normal[i];
        square += n[i] * n[i];
    }
    assert_true(fabsl(square - 1) < 1e-15L);
    oracle_load(o, a, b);
    oracle_closest(o);
    bool meet = oracle_meet(o);
    if (meet != (contact->depth >= 0))
        fail_msg("seed %llu: depth %g", (unsigned long long)seed, contact->depth);
    if (fabsl(way_out(a, b, n) - depth) > 1e-12L * size)
        fail_msg("seed %llu: the depth is %Lg, but the way out is %Lg", (unsigned long long)seed,
                 depth, way_out(a, b, n));
    check_shortest(random, a, b, depth, seed);
    if (meet) {
        check_middle(o, contact, largest, seed);
    } else {
        double d = -contact->depth;
        assert_true(!oracle_within(o, nextafter(d, 0)) || d == 0);
        assert_true(oracle_within(o, nextafter(d, HUGE_VAL)));
        check_on(o, contact->point_a, a, largest);
        check_on(o, contact->point_b, b, largest);
    }
}

static bool same_triangle(const graze_triangle *a, const graze_triangle *b)
{
    for (int i = 0; i < 9; ++i)
        if (a->corner[i / 3][i % 3] != b->corner[i / 3][i % 3])
            return false;
    return true;
}

static void check_swapped(const graze_contact *contact, const graze_contact *other, bool same)
{
    assert_true(contact->pair.a == other->pair.b && contact->pair.b == other->pair.a);
    assert_true(contact->depth == other->depth);
    for (int i = 0; i < 3; ++i) {
        assert_true(contact->point_a[i] == other->point_b[i]);
        assert_true(contact->point_b[i] == other->point_a[i]);
        assert_true(contact->normal[i] == (same ? 1 : -1) * other->normal[i]);
    }
}

static const graze_contact *find(const graze_answer *answer, graze_pair pair)
{
    for (uint64_t i = 0; i < answer->pair_count; ++i)
        if (answer->pairs[i].a == pair.a && answer->pairs[i].b == pair.b)
            return &answer->contacts[i];
    fail_msg("triangles %u and %u are not listed", pair.a, pair.b);
    return NULL;
}

static void soups_keep_the_definition(void **state)
{
    (void)state;
    static soup_case c;
    graze_context_def threads = graze_context_def_default();
    threads.thread_count = 3;
    graze_context *context = test_context(&threads);
    graze_query *query = NULL, *other_query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &other_query), GRAZE_OK);
    oracle *o = oracle_create();
    uint64_t meeting = 0, apart = 0, deep = 0;
    for (uint64_t seed = 3001; seed <= 3120; ++seed) {
        soup_case_make(&c, seed, 30);
        soup_case_solve(&c);
        test_random random = {seed};
        graze_shape *a = shape_of(context, &c.a.view, seed % 2 == 0);
        graze_shape *b = shape_of(context, &c.b.view, seed % 3 == 0);
        graze_collide_def def = contacts_def(c.tolerance);
        graze_answer answer, other;
        def.use_threads = seed % 4 == 0;
        assert_int_equal(graze_query_collide(query, graze_at(a, &c.pose_a), graze_at(b, &c.pose_b),
                                             &def, &answer),
                         GRAZE_OK);
        def.use_threads = seed % 4 == 1;
        assert_int_equal(graze_query_collide(other_query, graze_at(b, &c.pose_b),
                                             graze_at(a, &c.pose_a), &def, &other),
                         GRAZE_OK);
        soup_case_check(&c, answer.pairs, answer.pair_count, false);
        for (uint64_t i = 0; i < answer.pair_count; ++i) {
            graze_pair pair = answer.pairs[i];
            const graze_contact *contact = &answer.contacts[i];
            assert_memory_equal(&contact->pair, &pair, sizeof pair);
            assert_true(i == 0 || answer.pairs[i - 1].a < pair.a ||
                        (answer.pairs[i - 1].a == pair.a && answer.pairs[i - 1].b < pair.b));
            graze_triangle t = soup_triangle(&c.a, pair.a, &c.pose_a);
            graze_triangle u = soup_triangle(&c.b, pair.b, &c.pose_b);
            check_contact(o, &random, contact, &t, &u, seed);
            check_swapped(contact, find(&other, (graze_pair){pair.b, pair.a}),
                          same_triangle(&t, &u));
            meeting += contact->depth >= 0;
            apart += contact->depth < 0;
            deep += contact->depth > 0;
        }
        graze_shape_free(a);
        graze_shape_free(b);
    }
    assert_true(meeting > 500 && apart > 500 && deep > 200);
    oracle_destroy(o);
    graze_query_free(other_query);
    graze_query_free(query);
    test_context_done(context);
}

typedef struct known {
    const char *what;
    double a[9], b[9], tolerance;
    double point_a[3], point_b[3], normal[3], depth;
} known;

static const known cases[] = {
    {"an edge reaches half a unit through a face",
     {-4, -4, 0, 4, -4, 0, 0, 4, 0},
     {0, -1, -0.5, 0, 1, -0.5, 0, 0, 5},
     0,
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 1},
     0.5},
    {"a corner touches a face from below",
     {-4, -4, 0, 4, -4, 0, 0, 4, 0},
     {0, 0, 0, 1, 0, -1, 0, 1, -1},
     0,
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, -1},
     0},
    {"in one plane, turned to each other: along a's normal",
     {0, 0, 0, 2, 0, 0, 0, 2, 0},
     {0, 0, 0, 0, 2, 0, 2, 0, 0},
     0,
     {2 / 3., 2 / 3., 0},
     {2 / 3., 2 / 3., 0},
     {0, 0, 1},
     0},
    {"the same, both turned over",
     {0, 0, 0, 0, 2, 0, 2, 0, 0},
     {0, 0, 0, 2, 0, 0, 0, 2, 0},
     0,
     {2 / 3., 2 / 3., 0},
     {2 / 3., 2 / 3., 0},
     {0, 0, -1},
     0},
    {"a common edge, like a roof's",
     {0, 0, 0, 4, 0, 0, 0, 3, 0},
     {0, 0, 0, 0, 0, 3, 4, 0, 0},
     0,
     {2, 0, 0},
     {2, 0, 0},
     {0, -0.70710678118654752, 0.70710678118654752},
     0},
    {"the same, apart by rounding: as if they touched",
     {0, 0, 0, 4, 0, 0, 0, 3, 0},
     {0, -0x1p-46, 0, 0, -0x1p-46, 3, 4, -0x1p-46, 0},
     1,
     {0, 0, 0},
     {0, -0x1p-46, 0},
     {0, -0.70710678118654752, 0.70710678118654752},
     -0x1p-46},
    {"the same, apart by more",
     {0, 0, 0, 4, 0, 0, 0, 3, 0},
     {0, -0x1p-36, 0, 0, -0x1p-36, 3, 4, -0x1p-36, 0},
     1,
     {0, 0, 0},
     {0, -0x1p-36, 0},
     {0, -1, 0},
     -0x1p-36},
    {"apart, face above face",
     {0, 0, 0, 2, 0, 0, 0, 2, 0},
     {0.5, 0.5, 0.25, 9, 0, 9, 0, 9, 9},
     1,
     {0.5, 0.5, 0},
     {0.5, 0.5, 0.25},
     {0, 0, 1},
     -0.25},
    {"apart, corner from corner",
     {0, 0, 0, -2, 0, 0, 0, -2, 0},
     {3, 4, 0, 9, 4, 0, 3, 9, 0},
     5,
     {0, 0, 0},
     {3, 4, 0},
     {0.6, 0.8, 0},
     -5},
    {"segments that cross",
     {-1, 0, 0, 1, 0, 0, 1, 0, 0},
     {0, -1, 0, 0, 1, 0, 0, 1, 0},
     0,
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 1},
     0},
    {"a point in a face",
     {-1, -1, 0, 1, -1, 0, 0, 2, 0},
     {0, 0, 0, 0, 0, 0, 0, 0, 0},
     0,
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 1},
     0},
};

static graze_contact ask_two(graze_query *query, const double a[9], const double b[9],
                             double tolerance)
{
    const uint32_t corners[3] = {0, 1, 2};
    graze_pose still = graze_pose_identity();
    graze_context_def one = graze_context_def_default();
    one.thread_count = 1;
    graze_context *context = test_context(&one);
    graze_shape *shape[2];
    for (int side = 0; side < 2; ++side) {
        graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                                .vertex_count = 3,
                                .triangle_count = 1,
                                .positions = side == 0 ? a : b,
                                .corners = corners};
        shape[side] = shape_of(context, &view, false);
    }
    graze_collide_def def = contacts_def(tolerance);
    graze_answer answer;
    assert_int_equal(graze_query_collide(query, graze_at(shape[0], &still),
                                         graze_at(shape[1], &still), &def, &answer),
                     GRAZE_OK);
    assert_int_equal(answer.pair_count, 1);
    graze_contact contact = answer.contacts[0];
    graze_shape_free(shape[0]);
    graze_shape_free(shape[1]);
    test_context_done(context);
    return contact;
}

static void known_cases_come_out(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const known *c = &cases[k];
        graze_contact got = ask_two(query, c->a, c->b, c->tolerance);
        double off = fabs(got.depth - c->depth);
        for (int i = 0; i < 3; ++i) {
            off = fmax(off, fabs(got.point_a[i] - c->point_a[i]));
            off = fmax(off, fabs(got.point_b[i] - c->point_b[i]));
            off = fmax(off, fabs(got.normal[i] - c->normal[i]));
        }
        if (!(off <= 1e-15))
            fail_msg("%s: at %g %g %g, normal %g %g %g, depth %g", c->what, got.point_a[0],
                     got.point_a[1], got.point_a[2], got.normal[0], got.normal[1], got.normal[2],
                     got.depth);
    }
    graze_query_free(query);
    test_context_done(context);
}

// What has no area still gets a unit normal, across what is shared.
static void nothing_is_too_flat(void **state)
{
    (void)state;
    static const double point[9] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    static const double along_x[9] = {0, 2, 3, 5, 2, 3, 4, 2, 3};
    static const double part[9] = {2, 2, 3, 1, 2, 3, 9, 2, 3};
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    graze_contact got[4] = {
        ask_two(query, point, point, 0),
        ask_two(query, along_x, point, 0),
        ask_two(query, along_x, part, 0),
        ask_two(query, along_x, along_x, 0),
    };
    for (int k = 0; k < 4; ++k) {
        const double *n = got[k].normal;
        assert_true(got[k].depth == 0);
        assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-15);
        assert_true(k == 0 || n[0] == 0);
    }
    assert_true(got[2].point_a[0] == 3 && got[3].point_a[0] == 2.5);
    graze_query_free(query);
    test_context_done(context);
}

// Big lists, sorted by more than one pass, on threads and for many poses: the same bits.
static void lists_are_the_same_everyhow(void **state)
{
    (void)state;
    enum { POSES = 40 };
    static soup_case c;
    static graze_pose poses[POSES];
    static graze_answer answers[POSES];
    graze_context_def threads = graze_context_def_default();
    threads.thread_count = 3;
    graze_context *context = test_context(&threads);
    graze_query *many = NULL, *single = NULL;
    assert_int_equal(graze_query_create(context, &many), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &single), GRAZE_OK);
    soup_case_make(&c, 1, SOUP_TRIANGLES);
    graze_shape *a = shape_of(context, &c.a.view, true), *b = shape_of(context, &c.b.view, false);
    test_random random = {17};
    for (int i = 0; i < POSES; ++i)
        poses[i] = soup_pose(&random, 3);
    graze_collide_def def = contacts_def(0.2);
    assert_int_equal(
        graze_query_collide_many(many, graze_at(a, NULL), b, poses, POSES, &def, answers),
        GRAZE_OK);
    const graze_pose still = graze_pose_identity();
    uint64_t contacts = 0;
    for (int i = 0; i < POSES; ++i) {
        graze_answer answer;
        def.use_threads = i % 2 == 0;
        assert_int_equal(
            graze_query_collide(single, graze_at(a, &still), graze_at(b, &poses[i]), &def, &answer),
            GRAZE_OK);
        assert_int_equal(answer.pair_count, answers[i].pair_count);
        contacts += answer.pair_count;
        if (answer.pair_count == 0)
            continue;
        assert_memory_equal(answer.pairs, answers[i].pairs,
                            answer.pair_count * sizeof *answer.pairs);
        assert_memory_equal(answer.contacts, answers[i].contacts,
                            answer.pair_count * sizeof *answer.contacts);
    }
    assert_true(contacts > 10000);
    def.collect = (graze_collect)4;
    graze_answer answer;
    assert_int_equal(
        graze_query_collide(single, graze_at(a, &still), graze_at(b, &still), &def, &answer),
        GRAZE_ERROR_ARGUMENT);
    graze_shape_free(a);
    graze_shape_free(b);
    graze_query_free(single);
    graze_query_free(many);
    test_context_done(context);
}

static graze_status ask_for_contacts(const asked_shapes *shapes, graze_query *query)
{
    graze_collide_def def = contacts_def(0);
    graze_answer answer;
    graze_status status = graze_query_collide(query, graze_at(shapes->a, &shapes->pose_a),
                                              graze_at(shapes->b, &shapes->pose_b), &def, &answer);
    if (status == GRAZE_OK)
        status = graze_query_collide_many(query, graze_at(shapes->a, NULL), shapes->b,
                                          &shapes->pose_b, 1, &def, &answer);
    return status;
}

static void failing_leaves_nothing_behind(void **state)
{
    (void)state;
    static soup_case c;
    soup_case_make(&c, 8, 60);
    asked_shapes shapes = {.view_a = &c.a.view,
                           .view_b = &c.b.view,
                           .pose_a = c.pose_a,
                           .pose_b = c.pose_b,
                           .ask = ask_for_contacts};
    assert_true(asked_shapes_fail(&shapes) > 15);
}

static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    soup_case_make(&c, 2, 100);
    graze_shape *a = shape_of(context, &c.a.view, true), *b = shape_of(context, &c.b.view, false);
    graze_collide_def def = contacts_def(0);
    graze_answer answer;
    uint64_t peak = 0;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(graze_query_collide(query, graze_at(a, &c.pose_a), graze_at(b, &c.pose_b),
                                             &def, &answer),
                         GRAZE_OK);
        assert_true(answer.pair_count > 50);
        assert_true(i == 0 || graze_context_memory(context).peak_bytes == peak);
        peak = graze_context_memory(context).peak_bytes;
    }
    graze_shape_free(a);
    graze_shape_free(b);
    graze_query_free(query);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_keep_the_definition),
        cmocka_unit_test(known_cases_come_out),
        cmocka_unit_test(nothing_is_too_flat),
        cmocka_unit_test(lists_are_the_same_everyhow),
        cmocka_unit_test(failing_leaves_nothing_behind),
        cmocka_unit_test(warm_queries_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
