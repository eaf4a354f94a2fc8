// Two boxtrees in poses: pairs of triangles against the oracle, for every SIMD width; and builds
// of nasty input, which must end.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "boxtree/tree_pairs.h"
#include "shapes.h"
#include "soups.h"

static void run_case(graze_context *context, gz_pair_query *query, const soup_case *c)
{
    gz_tree a, b;
    graze_shape_def def = graze_shape_def_default();
    def.layout = (graze_layout)(c->seed / 2 % 2);
    assert_int_equal(gz_tree_build(context, &c->a.view, &def, &a), GRAZE_OK);
    def.build = (graze_build)(c->seed % 2);
    def.layout = (graze_layout)(c->seed / 4 % 2);
    assert_int_equal(gz_tree_build(context, &c->b.view, &def, &b), GRAZE_OK);
    assert_true(gz_tree_check(&a, &c->a.view) == GRAZE_OK &&
                gz_tree_check(&b, &c->b.view) == GRAZE_OK);
    gz_pair_wish wish = gz_pair_wish_all(&a, &c->pose_a, &b, &c->pose_b);
    wish.tolerance = c->tolerance;
    assert_int_equal(gz_pair_query_run(query, &wish), GRAZE_OK);
    soup_case_check(c, query->pairs.items, query->pairs.count, false);
    assert_int_equal(query->counters.contacts, c->contacts);
    gz_tree_free(&a);
    gz_tree_free(&b);
}

static void pairs_equal_oracle(void **state)
{
    (void)state;
    static soup_case c;
    uint64_t total = 0;
    graze_context *contexts[8] = {NULL};
    gz_pair_query queries[8];
    for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd) {
        graze_context_def def = graze_context_def_default();
        def.simd = (graze_simd)simd;
        graze_context *probe = NULL;
        if (graze_context_create(&def, &probe) != GRAZE_OK)
            continue; // this machine does not have it
        graze_context_destroy(probe);
        contexts[simd] = test_context(&def);
        gz_pair_query_init(&queries[simd], contexts[simd]);
    }
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        soup_case_make(&c, seed, 100);
        soup_case_solve(&c);
        total += c.contacts;
        for (int simd = 0; simd < 8; ++simd)
            if (contexts[simd] != NULL)
                run_case(contexts[simd], &queries[simd], &c);
    }
    for (int simd = 0; simd < 8; ++simd)
        if (contexts[simd] != NULL) {
            gz_pair_query_free(&queries[simd]);
            test_context_done(contexts[simd]);
        }
    print_message("%llu contacts\n", (unsigned long long)total);
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
        for (int way = 0; way < 4; ++way) {
            gz_tree tree;
            graze_shape_def def = graze_shape_def_default();
            def.build = (graze_build)(way % 2);
            def.layout = (graze_layout)(way / 2);
            assert_int_equal(gz_tree_build(context, &view, &def, &tree), GRAZE_OK);
            assert_true(gz_tree_check(&tree, &view) == GRAZE_OK);
            gz_tree_free(&tree);
        }
    }
    test_free(position);
    test_free(corner);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_equal_oracle),
        cmocka_unit_test(nasty_builds_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
