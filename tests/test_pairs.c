// Two boxtrees against brute force: every pair of triangles, posed one by one and asked exactly.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "boxtree/tree_pairs.h"
#include "shapes.h"

static double between(test_random *random, double low, double high)
{
    return low + (high - low) * test_unit(random);
}

// A soup or a patch of a surface, in float or double, with degenerate and repeated triangles.
typedef struct soup {
    graze_mesh_view view;
    double position[3 * 600];
    float narrow[3 * 600];
    uint32_t corner[3 * 200];
} soup;

static void make_soup(test_random *random, soup *s, uint32_t triangle_count, double scale,
                      double offset, bool narrow)
{
    uint32_t vertex_count = triangle_count * (test_next(random) % 2 == 0 ? 3 : 1) + 2;
    bool grid = test_next(random) % 2 == 0; // many coincidences
    for (uint32_t i = 0; i < 3 * vertex_count; ++i) {
        double x = grid ? (double)(test_next(random) % 5) - 2 : between(random, -2, 2);
        s->position[i] = offset + scale * x;
        s->narrow[i] = (float)s->position[i];
    }
    for (uint32_t t = 0; t < triangle_count; ++t) {
        uint32_t start = (uint32_t)(test_next(random) % vertex_count);
        for (uint32_t k = 0; k < 3; ++k)
            s->corner[3 * t + k] = test_next(random) % 16 == 0
                                       ? start
                                       : (start + (uint32_t)(test_next(random) % 7)) % vertex_count;
    }
    s->view = (graze_mesh_view){.precision = narrow ? GRAZE_FLOAT32 : GRAZE_FLOAT64,
                                .vertex_count = vertex_count,
                                .triangle_count = triangle_count,
                                .positions = narrow ? (const void *)s->narrow : s->position,
                                .corners = s->corner};
}

static graze_pose make_pose(test_random *random, double reach)
{
    graze_pose pose;
    const double turn[4] = {between(random, -1, 1), between(random, -1, 1), between(random, -1, 1),
                            between(random, -1, 1)};
    const double still[4] = {0, 0, 0, 1};
    const double shift[3] = {between(random, -reach, reach), between(random, -reach, reach),
                             between(random, -reach, reach)};
    const double none[3] = {0, 0, 0};
    bool upright = test_next(random) % 3 == 0;
    graze_pose_from_quaternion(upright ? still : turn, upright ? none : shift, &pose);
    return pose;
}

static int by_numbers(const void *left, const void *right)
{
    const gz_pair *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static graze_triangle posed(const graze_mesh_view *view, uint64_t t, const graze_pose *pose)
{
    graze_triangle out;
    for (uint32_t k = 0; k < 3; ++k) {
        graze_mesh_view_corner(view, t, k, out.corner[k]);
        graze_pose_apply(pose, out.corner[k], out.corner[k]);
    }
    return out;
}

static uint64_t check_pairs(gz_pair_query *query, const soup *a, const graze_pose *pose_a,
                            const soup *b, const graze_pose *pose_b, uint64_t seed)
{
    gz_pair *found = query->pairs.items;
    uint64_t count = query->pairs.count, next = 0;
    if (count != 0)
        qsort(found, (size_t)count, sizeof *found, by_numbers);
    for (uint32_t i = 0; i < a->view.triangle_count; ++i) {
        graze_triangle ta = posed(&a->view, i, pose_a);
        for (uint32_t j = 0; j < b->view.triangle_count; ++j) {
            graze_triangle tb = posed(&b->view, j, pose_b);
            bool listed = next < count && found[next].a == i && found[next].b == j;
            if (graze_triangle_meet(&ta, &tb) != (int)listed)
                fail_msg("seed %llu: triangles %u and %u: listed %d", (unsigned long long)seed, i,
                         j, listed);
            next += listed;
        }
    }
    if (next != count)
        fail_msg("seed %llu: %llu pairs too many", (unsigned long long)seed,
                 (unsigned long long)(count - next));
    return count;
}

static void pairs_equal_brute_force(void **state)
{
    (void)state;
    static soup a, b;
    uint64_t total = 0;
    for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd) {
        graze_context_def def = graze_context_def_default();
        def.simd = (graze_simd)simd;
        graze_context *probe = NULL;
        if (graze_context_create(&def, &probe) != GRAZE_OK)
            continue; // this machine does not have it
        graze_context_destroy(probe);
        graze_context *context = test_context(&def);
        gz_pair_query query;
        gz_pair_query_init(&query, context);
        for (uint64_t seed = 1; seed <= 150; ++seed) {
            test_random random = {seed};
            double scale = seed % 5 == 0 ? ldexp(1, (int)(test_next(&random) % 160) - 80) : 1;
            if (seed % 25 == 0) // beyond what floats can hold
                scale = seed % 50 == 0 ? 0x1p600 : 0x1p-600;
            double offset = seed % 7 == 0 ? 1000 * scale : 0;
            uint32_t most = seed % 3 == 0 ? 30 : 150;
            make_soup(&random, &a, 1 + (uint32_t)(test_next(&random) % most), scale, offset,
                      seed % 25 != 0 && test_next(&random) % 2 == 0);
            make_soup(&random, &b, 1 + (uint32_t)(test_next(&random) % most),
                      scale * (seed % 4 == 0 ? 0.05 : 1), offset,
                      seed % 25 != 0 && test_next(&random) % 2 == 0);
            graze_pose pose_a = make_pose(&random, scale), pose_b = make_pose(&random, scale);
            if (offset != 0)
                pose_b = pose_a;
            gz_tree tree_a, tree_b;
            assert_int_equal(gz_tree_build(context, &a.view, &tree_a), GRAZE_OK);
            assert_int_equal(gz_tree_build(context, &b.view, &tree_b), GRAZE_OK);
            assert_true(gz_tree_valid(&tree_a, &a.view) && gz_tree_valid(&tree_b, &b.view));
            assert_int_equal(gz_pair_query_run(&query, &tree_a, &pose_a, &tree_b, &pose_b),
                             GRAZE_OK);
            total += check_pairs(&query, &a, &pose_a, &b, &pose_b, seed);
            gz_tree_free(&tree_a);
            gz_tree_free(&tree_b);
        }
        gz_pair_query_free(&query);
        test_context_done(context);
    }
    assert_true(total > 10000);
}

static void nasty_builds_end(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    enum { COUNT = 5000 };
    float *position = test_malloc(sizeof(float) * 9 * COUNT);
    uint32_t *corner = test_malloc(sizeof(uint32_t) * 3 * COUNT);
    for (int kind = 0; kind < 4; ++kind) {
        for (uint32_t t = 0; t < COUNT; ++t)
            for (uint32_t k = 0; k < 9; ++k) {
                float x = (float)(k % 4); // all the same
                if (kind == 1)
                    x = k % 3 == 0 ? (float)t + (float)(k / 3) : 0; // all on one line
                if (kind == 2 && t != 0)
                    x *= 1e-6f; // one huge among tiny ones
                if (kind == 3)
                    x = ldexpf((float)(k + 1), (int)(t % 250) - 125); // each on its own scale
                position[9 * t + k] = x;
                corner[3 * t + k / 3] = 3 * t + k / 3;
            }
        graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                                .vertex_count = 3 * COUNT,
                                .triangle_count = COUNT,
                                .positions = position,
                                .corners = corner};
        gz_tree tree;
        assert_int_equal(gz_tree_build(context, &view, &tree), GRAZE_OK);
        assert_true(gz_tree_valid(&tree, &view));
        gz_tree_free(&tree);
    }
    test_free(position);
    test_free(corner);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_equal_brute_force),
        cmocka_unit_test(nasty_builds_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
