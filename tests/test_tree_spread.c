// Trees whose leaves stand for more than their triangles: which leaves are in contact, against all
// pairs of triangles; for every SIMD width, and for spreads from nothing to far more than the tree.
#include "test.h"

#include <math.h>

#include "boxtree/tree_distance.h"
#include "boxtree/tree_pairs.h"
#include "geometry/triangle.h"

enum { TRIANGLES = 120, LEAVES_MOST = 128 };

typedef struct sample {
    double corner[TRIANGLES][3][3];
    float narrow[TRIANGLES][3][3];
    uint32_t corners[3 * TRIANGLES];
    float spread[LEAVES_MOST];
    graze_mesh_view view;
} sample;

// Triangles of any size up to `size`; some are edges or points.
static void make_sample(sample *s, graze_precision precision, double size, test_random *random)
{
    uint32_t count = 1 + (uint32_t)(test_next(random) % TRIANGLES);
    for (uint32_t i = 0; i < count; ++i) {
        double own = ldexp(size, -(int)(test_next(random) % 12));
        for (int k = 0; k < 9; ++k) {
            int corner = k / 3, axis = k % 3;
            if (corner > 0 && test_next(random) % 16 == 0)
                s->corner[i][corner][axis] = s->corner[i][corner - 1][axis];
            else
                s->corner[i][corner][axis] = own * (2 * test_unit(random) - 1);
            s->narrow[i][corner][axis] = (float)s->corner[i][corner][axis];
        }
    }
    for (uint32_t i = 0; i < 3 * count; ++i)
        s->corners[i] = i;
    s->view = (graze_mesh_view){.precision = precision,
                                .vertex_count = 3 * (uint64_t)count,
                                .triangle_count = count,
                                .positions = precision == GRAZE_FLOAT32 ? (const void *)s->narrow
                                                                        : (const void *)s->corner,
                                .corners = s->corners};
}

static void make_spread(sample *s, double most, test_random *random)
{
    for (int i = 0; i < LEAVES_MOST; ++i)
        s->spread[i] = test_next(random) % 4 == 0
                           ? 0
                           : (float)ldexp(most * test_unit(random), -(int)(test_next(random) % 20));
}

// How far apart triangles of two leaves may be, and whether some are so near, by what was given.
static bool leaves_near(const gz_pair_query *query, const sample *a, uint32_t leaf_a,
                        const sample *b, uint32_t leaf_b, double tolerance, graze_pair *first)
{
    const gz_frames *f = &query->frames;
    double most = tolerance + (double)a->spread[leaf_a] + (double)b->spread[leaf_b];
    for (uint32_t l = 0; l < gz_tree_leaf_count(f->b, leaf_b); ++l)
        for (uint32_t k = 0; k < gz_tree_leaf_count(f->a, leaf_a); ++k) {
            graze_triangle t, u;
            gz_frames_triangles(f, leaf_a, k, leaf_b, l, &t, &u);
            if (gz_triangle_within(&t, &u, most) == 0)
                continue;
            *first = gz_frames_pair(f, leaf_a, k, leaf_b, l);
            return true;
        }
    return false;
}

// The first pair of two leaves that are at most so far apart.
static bool find_first(const gz_frames *f, uint32_t leaf_a, uint32_t leaf_b, double most,
                       gz_pair_place *out)
{
    for (uint32_t l = 0; l < gz_tree_leaf_count(f->b, leaf_b); ++l)
        for (uint32_t k = 0; k < gz_tree_leaf_count(f->a, leaf_a); ++k) {
            graze_triangle t, u;
            gz_frames_triangles(f, leaf_a, k, leaf_b, l, &t, &u);
            *out = (gz_pair_place){leaf_a, leaf_b, k, l};
            if (gz_triangle_within(&t, &u, most) != 0)
                return true;
        }
    return false;
}

// What is found is near enough, by spreads as they are rounded, and is the first of its leaves: of
// those that share a point, if there are any.
static void check_found(const gz_pair_query *query, const gz_pair_place *place, graze_pair pair)
{
    const gz_frames *f = &query->frames;
    double most = gz_pair_tolerance(query, place->leaf_a, place->leaf_b);
    gz_pair_place first;
    assert_true(find_first(f, place->leaf_a, place->leaf_b, 0, &first) ||
                find_first(f, place->leaf_a, place->leaf_b, most, &first));
    assert_true(first.slot_a == place->slot_a && first.slot_b == place->slot_b);
    graze_pair own = gz_frames_pair(f, place->leaf_a, place->slot_a, place->leaf_b, place->slot_b);
    assert_true(own.a == pair.a && own.b == pair.b);
}

// All leaves that are near by the given spreads are found, each once; returns how many there are.
static uint64_t check_pairs(const gz_pair_query *query, const sample *a, const sample *b,
                            double tolerance, uint64_t seed)
{
    static bool found[LEAVES_MOST][LEAVES_MOST];
    const gz_frames *f = &query->frames;
    const gz_pair_place *places = query->places.items;
    const graze_pair *pairs = query->pairs.items;
    memset(found, 0, sizeof found);
    for (uint64_t i = 0; i < query->places.count; ++i) {
        bool *at = &found[places[i].leaf_a][places[i].leaf_b];
        assert_false(*at);
        *at = true;
        check_found(query, &places[i], pairs[i]);
    }
    for (uint32_t i = 0; i < f->a->leaf_count; ++i)
        for (uint32_t j = 0; j < f->b->leaf_count; ++j) {
            graze_pair first;
            if (!found[i][j] && leaves_near(query, a, i, b, j, tolerance, &first))
                fail_msg("seed %llu: leaves %u and %u: triangles %u and %u are missed",
                         (unsigned long long)seed, i, j, first.a, first.b);
        }
    return query->places.count;
}

static graze_pose turned(test_random *random, const double at[3])
{
    double q[4], sum = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_unit(random) - 0.5;
        sum += q[i] * q[i];
    }
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(sum);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (graze_pose){
        .rotation = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
        .translation = {at[0], at[1], at[2]}};
}

// The sizes of two trees, and how large spreads are.
typedef struct sizes {
    double a, b, spread_a, spread_b, tolerance;
} sizes;

// Spreads have no part in distances: these are of the triangles.
static void check_distance(graze_context *context, const gz_frames *f, uint64_t seed)
{
    gz_distance_query query;
    graze_distance got;
    gz_distance_query_init(&query, context);
    assert_int_equal(gz_distance_query_run(&query, f->a, &f->pose_a, f->b, &f->pose_b, &got),
                     GRAZE_OK);
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < f->a->leaf_count; ++i)
        for (uint32_t j = 0; j < f->b->leaf_count; ++j)
            for (uint32_t k = 0; k < gz_tree_leaf_count(f->a, i); ++k)
                for (uint32_t l = 0; l < gz_tree_leaf_count(f->b, j); ++l) {
                    graze_triangle t, u;
                    graze_closest closest;
                    gz_frames_triangles(f, i, k, j, l, &t, &u);
                    double low, high;
                    gz_triangle_bounds(&t, &u, &low, &high);
                    if (low > least)
                        continue;
                    gz_triangle_closest(&t, &u, &closest);
                    least = fmin(least, closest.distance);
                }
    if (least > 0 && got.distance != least) // triangles that share points are not looked for
        fail_msg("seed %llu: a distance of %g, not %g", (unsigned long long)seed, least,
                 got.distance);
    gz_distance_query_free(&query);
}

static graze_precision precision_for(double size)
{
    return size < 1e-44 || size > 1e38 ? GRAZE_FLOAT64 : GRAZE_FLOAT32;
}

static uint64_t run_case(gz_pair_query *query, graze_context *context, const sizes *z,
                         uint64_t seed)
{
    static sample a, b;
    test_random random = {.state = seed};
    graze_shape_def def = graze_shape_def_default();
    gz_tree tree_a, tree_b;
    make_sample(&a, seed % 2 == 0 ? precision_for(z->a) : GRAZE_FLOAT64, z->a, &random);
    make_sample(&b, seed % 3 == 0 ? precision_for(z->b) : GRAZE_FLOAT64, z->b, &random);
    make_spread(&a, z->spread_a, &random);
    make_spread(&b, z->spread_b, &random);
    assert_int_equal(gz_tree_build(context, &a.view, &def, &tree_a), GRAZE_OK);
    assert_int_equal(gz_tree_build(context, &b.view, &def, &tree_b), GRAZE_OK);
    assert_true(tree_a.leaf_count <= LEAVES_MOST && tree_b.leaf_count <= LEAVES_MOST);
    gz_tree_spread(&tree_a, a.spread);
    gz_tree_spread(&tree_b, b.spread);
    double far = 2 * (z->a + z->b + z->spread_a + z->spread_b + z->tolerance);
    far = ldexp(far * test_unit(&random), -(int)(test_next(&random) % 4));
    double at[3], none[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis)
        at[axis] = far * (test_unit(&random) - 0.5);
    graze_pose pose_a = turned(&random, none), pose_b = turned(&random, at);
    gz_pair_wish wish = gz_pair_wish_all(&tree_a, &pose_a, &tree_b, &pose_b);
    wish.tolerance = z->tolerance;
    wish.one_each = wish.placed = true;
    gz_frames_set(&query->frames, &tree_a, &pose_a, &tree_b, &pose_b, z->tolerance);
    assert_int_equal(gz_pair_query_run(query, &wish), GRAZE_OK);
    uint64_t count = check_pairs(query, &a, &b, z->tolerance, seed);
    wish.one_each = wish.placed = false; // one of all: whether there is any
    wish.pair_limit = 1;
    assert_int_equal(gz_pair_query_run(query, &wish), GRAZE_OK);
    assert_true((query->counters.contacts != 0) == (count != 0));
    if (seed % 5 == 1 && query->frames.sound)
        check_distance(context, &query->frames, seed);
    gz_tree_free(&tree_a);
    gz_tree_free(&tree_b);
    return count;
}

static uint64_t run_sizes(const sizes *z, uint64_t first, uint64_t cases)
{
    uint64_t count = 0;
    for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd) {
        graze_context *context = test_context_of_width((graze_simd)simd);
        if (context == NULL)
            continue;
        gz_pair_query query;
        gz_pair_query_init(&query, context);
        for (uint64_t i = 0; i < cases; ++i)
            count += run_case(&query, context, z, first + i);
        gz_pair_query_free(&query);
        test_context_done(context);
    }
    return count;
}

static void no_leaf_is_missed(void **state)
{
    (void)state;
    const sizes all[] = {{1, 1, 0.05, 0.05, 0},  {1, 1, 0.01, 0, 0},      {1, 1, 0.001, 0.3, 0.01},
                         {1, 0.01, 3, 0.02, 0},  {1, 1e-4, 0.01, 0.5, 0}, {1e-3, 1, 40, 0, 0.1},
                         {1e-6, 1e-6, 1, 1, 0},  {1e6, 1, 1e3, 1e3, 0},   {1e-9, 1, 0, 0.3, 0},
                         {1e-20, 1e-18, 1, 1, 0}};
    uint64_t count = 0;
    for (uint64_t i = 0; i < sizeof all / sizeof *all; ++i)
        count += run_sizes(&all[i], 1 + 1000 * i, TEST_CHANCES(30));
    assert_true(count > 0);
}

// Sizes at the ends of what floats hold, and beyond.
static void extreme_sizes(void **state)
{
    (void)state;
    const sizes all[] = {{1e-37, 1, 1, 0, 0},         {1e-37, 1e-37, 1e30, 1e30, 0},
                         {1e30, 1e30, 1e29, 1e28, 0}, {1e-30, 1e-30, 1e-31, 1e-30, 0},
                         {1e-36, 1e30, 1e30, 0, 0},   {1e-44, 1e-44, 1e-30, 1e-40, 0},
                         {1e-44, 1, 1e10, 1, 0},      {1e30, 1e-40, 1e38, 1e-38, 1e20}};
    uint64_t count = 0;
    for (uint64_t i = 0; i < sizeof all / sizeof *all; ++i)
        count += run_sizes(&all[i], 1 + 1000 * i, TEST_CHANCES(10));
    assert_true(count > 0);
}

// Doubles that floats do not hold: spreads are floats all the same.
static void beyond_floats(void **state)
{
    (void)state;
    const sizes all[] = {
        {1e-200, 1e-200, 1, 1, 0}, {1e-300, 1, 1, 1e-3, 0}, {1e-60, 1e-60, 1e-30, 1e-30, 0},
        {0, 0, 1, 1, 0},           {0, 1, 1e-3, 1, 0},      {1e60, 1e60, 1e38, 1e38, 1e58}};
    uint64_t count = 0;
    for (uint64_t i = 0; i < sizeof all / sizeof *all; ++i)
        count += run_sizes(&all[i], 1 + 1000 * i, TEST_CHANCES(10));
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_leaf_is_missed),
        cmocka_unit_test(extreme_sizes),
        cmocka_unit_test(beyond_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
