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
    wish.pair_limit = 1;
    assert_int_equal(gz_pair_query_run(query, &wish), GRAZE_OK);
    assert_int_equal(query->pairs.count, c->contacts != 0);
    if (query->pairs.count != 0)
        assert_true(c->contact[((graze_pair *)query->pairs.items)->a]
                              [((graze_pair *)query->pairs.items)->b]);
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
        contexts[simd] = test_context_of_width((graze_simd)simd);
        if (contexts[simd] != NULL)
            gz_pair_query_init(&queries[simd], contexts[simd]);
    }
    for (uint64_t seed = 1; seed <= TEST_CHANCES(150); ++seed) {
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
    assert_true(total > TEST_CHANCES(10000));
}

static void on_every_width(void (*ask)(graze_context *context))
{
    for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd) {
        graze_context *context = test_context_of_width((graze_simd)simd);
        if (context == NULL)
            continue;
        ask(context);
        test_context_done(context);
    }
}

// Tiny triangles all over a cube, so that two lots of them have about one contact.
enum { LOOSE = 1500 };
typedef struct loose {
    graze_mesh_view view;
    float position[LOOSE][3][3];
    uint32_t corner[LOOSE][3];
} loose;

static void make_loose(test_random *random, loose *l)
{
    for (uint32_t i = 0; i < 3 * LOOSE; ++i) {
        l->corner[i / 3][i % 3] = i;
        for (int axis = 0; axis < 3; ++axis)
            l->position[i / 3][i % 3][axis] =
                (float)(i % 3 == 0 ? soup_between(random, -0.5, 0.5)
                                   : (double)l->position[i / 3][0][axis] +
                                         soup_between(random, -0.014, 0.014));
    }
    l->view = (graze_mesh_view){.precision = GRAZE_FLOAT32,
                                .vertex_count = UINT64_C(3) * LOOSE,
                                .triangle_count = LOOSE,
                                .positions = l->position,
                                .corners = l->corner[0]};
}

// The only contact, far down in both trees, is found, or none; whatever the layouts.
static void ask_first(graze_context *context)
{
    uint64_t counts[2] = {0, 0}; // without a contact, and with
    static loose soups[2];
    test_random random = {5};
    gz_pair_query query;
    gz_tree trees[2][2]; // soup, layout
    gz_pair_query_init(&query, context);
    for (int i = 0; i < 4; ++i) {
        graze_shape_def def = graze_shape_def_default();
        def.layout = (graze_layout)(i % 2);
        if (i % 2 == 0)
            make_loose(&random, &soups[i / 2]);
        assert_int_equal(gz_tree_build(context, &soups[i / 2].view, &def, &trees[i / 2][i % 2]),
                         GRAZE_OK);
    }
    for (int round = 0; round < 400; ++round) {
        graze_pose pose[2] = {soup_pose(&random, 0.5), soup_pose(&random, 0.5)};
        gz_pair_wish wish =
            gz_pair_wish_all(&trees[0][round % 2], &pose[0], &trees[1][round / 2 % 2], &pose[1]);
        wish.tolerance = round % 5 == 0 ? 0.001 : 0;
        assert_int_equal(gz_pair_query_run(&query, &wish), GRAZE_OK);
        bool any = query.counters.contacts != 0;
        wish.pair_limit = 1;
        assert_int_equal(gz_pair_query_run(&query, &wish), GRAZE_OK);
        assert_int_equal(query.counters.contacts, any);
        counts[any]++;
    }
    assert_true(counts[0] > 100 && counts[1] > 100);
    for (int i = 0; i < 4; ++i)
        gz_tree_free(&trees[i / 2][i % 2]);
    gz_pair_query_free(&query);
}

static void the_only_contact_is_found(void **state)
{
    (void)state;
    on_every_width(ask_first);
}

// Two triangles with their closest vertices just so far apart, along an axis.
static void make_apart(test_random *random, double apart, int axis, double position[2][3][3])
{
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i) {
                double out = k == 0 ? 0 : soup_between(random, 0.5, 1) * apart;
                position[side][k][(axis + i) % 3] =
                    i != 0 ? (k == 0 ? 0 : soup_between(random, -1, 1) * apart)
                           : (side == 0 ? -out : apart + out);
            }
}

static void ask_apart(graze_context *context)
{
    const double factor[] = {1 - 1e-5, 1 - 1e-6, 1 - 2e-7, 1 - 1e-8, 1 - 0x1p-53,
                             1,        1 + 1e-8, 1 + 2e-7, 1 + 1e-6, 1 + 1e-5};
    const uint32_t corner[3] = {0, 1, 2};
    test_random random = {7};
    gz_pair_query query;
    gz_pair_query_init(&query, context);
    for (int round = 0; round < 200; ++round) {
        double apart = soup_between(&random, 1, 2) * ldexp(1, round % 40 - 20), position[2][3][3];
        gz_tree trees[2];
        make_apart(&random, apart, round % 3, position);
        for (int side = 0; side < 2; ++side) {
            graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                                    .vertex_count = 3,
                                    .triangle_count = 1,
                                    .positions = position[side],
                                    .corners = corner};
            graze_shape_def def = graze_shape_def_default();
            def.layout = (graze_layout)(round / 3 % 2);
            assert_int_equal(gz_tree_build(context, &view, &def, &trees[side]), GRAZE_OK);
        }
        graze_pose pose = graze_pose_identity();
        for (size_t i = 0; i < sizeof factor / sizeof *factor; ++i) {
            gz_pair_wish wish = gz_pair_wish_all(&trees[0], &pose, &trees[1], &pose);
            wish.tolerance = apart * factor[i];
            wish.pair_limit = i % 2 == 0 || round % 2 == 0 ? 1 : UINT64_MAX;
            assert_int_equal(gz_pair_query_run(&query, &wish), GRAZE_OK);
            assert_int_equal(query.counters.contacts, factor[i] >= 1);
        }
        gz_tree_free(&trees[0]);
        gz_tree_free(&trees[1]);
    }
    gz_pair_query_free(&query);
}

static void tolerances_are_kept_to_the_last_bit(void **state)
{
    (void)state;
    on_every_width(ask_apart);
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
        cmocka_unit_test(the_only_contact_is_found),
        cmocka_unit_test(tolerances_are_kept_to_the_last_bit),
        cmocka_unit_test(nasty_builds_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
