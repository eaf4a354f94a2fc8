// A glance at two trees: what it leaves out has no contact, whatever the width; and it does leave
// out much of what is not there.
#include "test.h"

#include <math.h>
#include <string.h>

#include "boxtree/tree_pairs.h"
#include "shapes.h"
#include "soups.h"

typedef struct tally {
    uint64_t apart, in_contact, lanes_left_out;
} tally;

// The child of the root below which a leaf is.
static uint32_t lane_of(const gz_tree *tree, uint32_t leaf)
{
    uint32_t lane = 0;
    const gz_links *links = gz_tree_links(tree, 0);
    for (uint32_t i = 1; i < links->child_count; ++i) { // depth first: leaves are in order
        uint32_t child = links->child[i];
        while ((child & GZ_IS_LEAF) == 0)
            child = gz_tree_links(tree, child)->child[0];
        if ((child & ~GZ_IS_LEAF) <= leaf)
            lane = i;
    }
    return lane;
}

static uint32_t lanes_of(const gz_tree *tree)
{
    return (UINT32_C(1) << gz_tree_links(tree, 0)->child_count) - 1;
}

// All pairs, found without a glance, against what it says.
static void check_glance(gz_pair_query *query, const gz_tree *a, const graze_pose *pose_a,
                         const gz_tree *b, const graze_pose *pose_b, double tolerance, tally *sum)
{
    gz_glance all = {lanes_of(a), lanes_of(b)}, seen = all;
    bool near = gz_trees_near(GRAZE_SIMD_SCALAR, a, pose_a, b, pose_b, tolerance, &seen);
    for (int simd = GRAZE_SIMD_SCALAR + 1; simd <= (int)graze_context_simd(query->context);
         ++simd) {
        gz_glance again = all;
        assert_int_equal(gz_trees_near((graze_simd)simd, a, pose_a, b, pose_b, tolerance, &again),
                         near);
        assert_true(!near || (again.a == seen.a && again.b == seen.b));
    }
    gz_pair_wish wish = gz_pair_wish_all(a, pose_a, b, pose_b);
    wish.tolerance = tolerance;
    wish.near = &all;
    wish.placed = true;
    assert_int_equal(gz_pair_query_run(query, &wish), GRAZE_OK);
    assert_true(near || query->counters.contacts == 0);
    const gz_pair_place *places = query->places.items;
    for (uint64_t i = 0; i < query->places.count; ++i) {
        assert_true(seen.a >> lane_of(a, places[i].leaf_a) & 1);
        assert_true(seen.b >> lane_of(b, places[i].leaf_b) & 1);
    }
    sum->apart += !near;
    sum->in_contact += query->counters.contacts != 0;
    if (near)
        sum->lanes_left_out += (uint64_t)__builtin_popcount((all.a & ~seen.a) | (all.b & ~seen.b));
}

// Soups of all kinds and sizes, as they come.
static void soups_keep_their_contacts(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    gz_pair_query query;
    tally sum = {0};
    gz_pair_query_init(&query, context);
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        gz_tree a, b;
        graze_shape_def def = graze_shape_def_default();
        soup_case_make(&c, seed, 100);
        def.layout = (graze_layout)(seed % 2);
        assert_int_equal(gz_tree_build(context, &c.a.view, &def, &a), GRAZE_OK);
        assert_int_equal(gz_tree_build(context, &c.b.view, &def, &b), GRAZE_OK);
        check_glance(&query, &a, &c.pose_a, &b, &c.pose_b, c.tolerance, &sum);
        gz_tree_free(&a);
        gz_tree_free(&b);
    }
    assert_true(sum.in_contact > 100);
    gz_pair_query_free(&query);
    test_context_done(context);
}

// Two soups whose middles go apart until they hardly touch, at all sizes and places.
static void close_ones_are_told_apart(void **state)
{
    (void)state;
    static soup soups[2];
    graze_context *context = test_context(NULL);
    gz_pair_query query;
    tally sum = {0};
    test_random random = {7};
    const graze_shape_def def = graze_shape_def_default();
    gz_pair_query_init(&query, context);
    for (int round = 0; round < 60; ++round) {
        gz_tree trees[2];
        double scale = round % 3 == 0 ? ldexp(1, (int)(test_next(&random) % 120) - 60) : 1;
        double offset = round % 5 == 0 ? 3000 * scale : 0;
        for (int i = 0; i < 2; ++i) {
            soup_make(&random, &soups[i], 180, i == round / 4 % 2 ? scale : scale / (1 + round % 4),
                      offset, round % 2 == 0);
            assert_int_equal(gz_tree_build(context, &soups[i].view, &def, &trees[i]), GRAZE_OK);
        }
        for (int step = 0; step < 30; ++step) {
            graze_pose pose[2] = {soup_pose(&random, scale), soup_pose(&random, scale)};
            double way[3], middle[2][3], length = 0;
            for (int k = 0; k < 3; ++k) {
                way[k] = soup_between(&random, -1, 1);
                length += way[k] * way[k];
            }
            for (int i = 0; i < 2; ++i)
                graze_pose_apply(&pose[i], trees[i].origin, middle[i]);
            double reach = soup_between(&random, 1, 7) * scale / sqrt(length);
            for (int k = 0; k < 3; ++k) // B's middle is that far from A's
                pose[1].translation[k] += middle[0][k] - middle[1][k] + reach * way[k];
            check_glance(&query, &trees[0], &pose[0], &trees[1], &pose[1],
                         step % 3 == 0 ? 0.1 * scale : 0, &sum);
        }
        gz_tree_free(&trees[0]);
        gz_tree_free(&trees[1]);
    }
    print_message("%llu apart, %llu in contact, %llu children left out\n",
                  (unsigned long long)sum.apart, (unsigned long long)sum.in_contact,
                  (unsigned long long)sum.lanes_left_out);
    assert_true(sum.apart > 300 && sum.in_contact > 300 && sum.lanes_left_out > 1000);
    gz_pair_query_free(&query);
    test_context_done(context);
}

// Two equal boxes that share a face, an edge or a corner, and one upon itself.
static void touching_boxes_are_near(void **state)
{
    (void)state;
    static const float corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    static const uint32_t triangles[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 5, 7}, {4, 7, 6},
                                              {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                              {0, 2, 6}, {0, 6, 4}, {1, 3, 7}, {1, 7, 5}};
    const graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                                  .vertex_count = 8,
                                  .triangle_count = 12,
                                  .positions = corners,
                                  .corners = triangles[0]};
    graze_context *context = test_context(NULL);
    const graze_shape_def def = graze_shape_def_default();
    gz_tree box;
    gz_pair_query query;
    tally sum = {0};
    gz_pair_query_init(&query, context);
    assert_int_equal(gz_tree_build(context, &view, &def, &box), GRAZE_OK);
    for (int way = 0; way < 27; ++way) {
        graze_pose fixed = graze_pose_identity(), moved = fixed;
        for (int k = 0; k < 3; ++k) {
            fixed.translation[k] = 100 * way;
            moved.translation[k] = fixed.translation[k] + 2 * ((k == 0   ? way
                                                                : k == 1 ? way / 3
                                                                         : way / 9) %
                                                                   3 -
                                                               1);
        }
        check_glance(&query, &box, &fixed, &box, &moved, 0, &sum);
    }
    assert_int_equal(sum.in_contact, 27);
    gz_tree_free(&box);
    gz_pair_query_free(&query);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_keep_their_contacts),
        cmocka_unit_test(close_ones_are_told_apart),
        cmocka_unit_test(touching_boxes_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
