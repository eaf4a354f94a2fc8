// The restricted boxtree in all its variants: valid trees, the true pairs, builds that end.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "boxtree/papers/restricted.h"
#include "boxtree/tree_pairs.h"
#include "faults.h"
#include "pair_scenes.h"

enum { DEFS = 32 };

static gz_restricted_def def_of(uint32_t bits)
{
    return (gz_restricted_def){
        .layout = bits & 1 ? GZ_PLANES_IN_PARENT : GZ_PLANE_IN_CHILD,
        .growth = bits & 2 ? GZ_GROW_RUNNING : GZ_GROW_FROM_SEEDS,
        .longest_axis = (bits & 4) != 0,
        .perpendicular = (bits & 8) != 0,
        .stepped = (bits & 16) != 0,
    };
}

// A tree of A of every kind, each against B's tree of another kind, with every test.
static uint64_t check_scene(graze_context *context, uint64_t seed, int kind)
{
    pair_scene *s = pair_scene_make(seed, kind);
    gz_restricted_query query;
    gz_restricted_query_init(&query, context);
    uint64_t fewest = UINT64_MAX;
    for (uint32_t bits = 0; bits < DEFS; ++bits) {
        gz_restricted_def def_a = def_of(bits), def_b = def_of((bits * 11 + (uint32_t)seed) % DEFS);
        gz_restricted a, b;
        assert_int_equal(gz_restricted_build(context, &s->a.view, &def_a, &a), GRAZE_OK);
        assert_int_equal(gz_restricted_build(context, &s->b.view, &def_b, &b), GRAZE_OK);
        assert_true(gz_restricted_valid(&a));
        assert_true(gz_restricted_valid(&b));
        for (int test = 0; test < GZ_TEST_COUNT; ++test)
            for (int lifted = 0; lifted < 2; ++lifted) {
                char label[160];
                snprintf(label, sizeof label, "seed %llu, %s, tree %u, test %d, lifted %d",
                         (unsigned long long)seed, pair_scene_kind_name(kind), bits, test, lifted);
                query.test = (gz_box_test)test;
                query.lifted = lifted != 0;
                assert_int_equal(gz_restricted_query_run(&query, &a, &s->pose_a, &b, &s->pose_b),
                                 GRAZE_OK);
                const gz_plain_counters *counters = &query.plain.counters;
                assert_int_equal(counters->contacts, query.plain.pairs.count);
                assert_true(counters->exact_tests <= counters->triangle_tests);
                if (counters->triangle_tests < fewest)
                    fewest = counters->triangle_tests;
                pair_scene_check(s, query.plain.pairs.items, query.plain.pairs.count, label);
            }
        gz_restricted_free(&a);
        gz_restricted_free(&b);
    }
    gz_restricted_query_free(&query);
    uint64_t contacts = s->pair_count;
    // Boxes must be worth their while where triangles are many and small.
    if (kind == 1 && fewest * 4 > s->a.view.triangle_count * s->b.view.triangle_count)
        fail_msg("seed %llu: %llu triangle tests", (unsigned long long)seed,
                 (unsigned long long)fewest);
    pair_scene_free(s);
    return contacts;
}

static void pairs_are_those_of_the_oracle(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int kind = 0; kind < pair_scene_kinds(); ++kind) {
        uint64_t contacts = 0;
        for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 2 : 6); ++seed)
            contacts += check_scene(context, seed, kind);
        if (contacts == 0 && !TEST_SANITIZED)
            fail_msg("no contacts in scenes of kind %s", pair_scene_kind_name(kind));
    }
    test_context_done(context);
}

static void pairs_are_those_of_the_wide_tree(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int kind = 0; kind < pair_scene_kinds(); ++kind)
        for (uint64_t seed = 100; seed < 104; ++seed) {
            pair_scene *s = pair_scene_make(seed, kind);
            gz_tree a, b;
            graze_shape_def def = graze_shape_def_default();
            assert_int_equal(gz_tree_build(context, &s->a.view, &def, &a), GRAZE_OK);
            assert_int_equal(gz_tree_build(context, &s->b.view, &def, &b), GRAZE_OK);
            gz_pair_query query;
            gz_pair_query_init(&query, context);
            gz_pair_wish wish = gz_pair_wish_all(&a, &s->pose_a, &b, &s->pose_b);
            assert_int_equal(gz_pair_query_run(&query, &wish), GRAZE_OK);
            pair_scene_check(s, query.pairs.items, query.pairs.count, pair_scene_kind_name(kind));
            gz_pair_query_free(&query);
            gz_tree_free(&a);
            gz_tree_free(&b);
            pair_scene_free(s);
        }
    test_context_done(context);
}

// A triangle whose box is given; the tree over it alone has this box.
static void box_triangle(test_random *random, double position[9])
{
    for (int axis = 0; axis < 3; ++axis) {
        double low = 2 * test_unit(random) - 1, length = test_unit(random) * test_unit(random);
        position[axis] = position[3 + axis] = low;
        position[6 + axis] = low + length;
    }
}

static graze_obb obb_of_triangle(const double position[9], const graze_pose *pose)
{
    graze_box box = {.min = {position[0], position[1], position[2]},
                     .max = {position[6], position[7], position[8]}};
    graze_obb obb = graze_obb_of_box(&box);
    return graze_obb_posed(&obb, pose);
}

// On single boxes, the separating axes are as good as those of graze_obb_overlap, which knows
// nothing of trees, and the lesser tests err on the safe side only, but not always.
static void box_tests_tell_the_truth(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_restricted_query query;
    gz_restricted_query_init(&query, context);
    uint32_t corner[3] = {0, 1, 2};
    uint64_t apart[GZ_TEST_COUNT] = {0};
    test_random random = {77};
    for (int round = 0; round < 4000; ++round) {
        double position[2][9];
        graze_pose pose[2];
        graze_mesh_view view[2];
        gz_restricted tree[2];
        for (int i = 0; i < 2; ++i) {
            box_triangle(&random, position[i]);
            double turn[4], shift[3] = {0, 0, 0};
            for (int k = 0; k < 4; ++k)
                turn[k] = test_unit(&random) - 0.5;
            assert_int_equal(graze_pose_from_quaternion(turn, shift, &pose[i]), GRAZE_OK);
            view[i] = (graze_mesh_view){.precision = GRAZE_FLOAT64,
                                        .vertex_count = 3,
                                        .triangle_count = 1,
                                        .positions = position[i],
                                        .corners = corner};
            assert_int_equal(gz_restricted_build(context, &view[i], NULL, &tree[i]), GRAZE_OK);
        }
        graze_obb a = obb_of_triangle(position[0], &pose[0]);
        graze_obb b = obb_of_triangle(position[1], &pose[1]);
        bool overlap = graze_obb_overlap(&a, &b) != 0;
        for (int test = 0; test < GZ_TEST_COUNT; ++test) {
            query.test = (gz_box_test)test;
            assert_int_equal(
                gz_restricted_query_run(&query, &tree[0], &pose[0], &tree[1], &pose[1]), GRAZE_OK);
            bool tested = query.plain.counters.triangle_tests != 0;
            apart[test] += !tested;
            if (test == GZ_TEST_SAT ? tested != overlap : overlap && !tested)
                fail_msg("round %d, test %d: overlap %d", round, test, overlap);
        }
        gz_restricted_free(&tree[0]);
        gz_restricted_free(&tree[1]);
    }
    assert_true(apart[GZ_TEST_ALIGNED] > 1000);
    assert_int_equal(apart[GZ_TEST_ALIGNED], apart[GZ_TEST_TABLE]);
    assert_true(apart[GZ_TEST_LITE] > apart[GZ_TEST_ALIGNED]);
    assert_true(apart[GZ_TEST_SAT] > apart[GZ_TEST_LITE]);
    gz_restricted_query_free(&query);
    test_context_done(context);
}

typedef struct leaf_boxes {
    double corner[SCENE_TRIANGLES][8][3]; // of the leaf with this triangle, in the world
} leaf_boxes;

static void collect_leaves(const gz_restricted *tree, const graze_pose *pose, gz_node_ref node,
                           const double box[3][2], leaf_boxes *out)
{
    uint32_t word = gz_restricted_word(tree, node);
    if ((word & GZ_NODE_LEAF) != 0) {
        for (int k = 0; k < 8; ++k) {
            double p[3];
            for (int axis = 0; axis < 3; ++axis)
                p[axis] = ((k >> axis & 1) != 0 ? -box[axis][1] : box[axis][0]) / tree->scale;
            graze_pose_apply(pose, p, out->corner[word & GZ_NODE_PAIR][k]);
        }
        return;
    }
    gz_children children = gz_restricted_children(tree, node);
    for (int i = 0; i < 2; ++i) {
        double inner[3][2];
        memcpy(inner, box, sizeof inner);
        inner[children.cut[i] / 2][children.cut[i] % 2] += (double)children.plane[i];
        collect_leaves(tree, pose, children.node[i], (const double(*)[2])inner, out);
    }
}

static bool corners_apart(const double (*a)[3], const double (*b)[3], const double axis[3])
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int k = 0; k < 16; ++k) {
        const double *p = k < 8 ? a[k] : b[k - 8];
        double height = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
        low[k / 8] = fmin(low[k / 8], height);
        high[k / 8] = fmax(high[k / 8], height);
    }
    return high[0] < low[1] || high[1] < low[0];
}

// Column `axis` of a rotation: where the model's axis points in the world.
static void column_of(const graze_pose *pose, int axis, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = pose->rotation[3 * i + axis];
}

static uint64_t count_overlaps(const pair_scene *s, const leaf_boxes *a, const leaf_boxes *b,
                               int axis_count)
{
    double axes[15][3];
    for (int i = 0; i < 3; ++i) {
        column_of(&s->pose_a, i, axes[i]);
        column_of(&s->pose_b, i, axes[3 + i]);
    }
    for (int k = 6; k < 15; ++k) {
        const double *p = axes[(k - 6) / 3], *q = axes[3 + (k - 6) % 3];
        for (int i = 0; i < 3; ++i)
            axes[k][i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
    }
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->a.view.triangle_count; ++i)
        for (uint32_t j = 0; j < s->b.view.triangle_count; ++j) {
            bool apart = false;
            for (int k = 0; k < axis_count && !apart; ++k)
                apart = corners_apart((const double(*)[3])a->corner[i],
                                      (const double(*)[3])b->corner[j], axes[k]);
            count += !apart;
        }
    return count;
}

// As boxes lie in their parents', a walk that compares ends that moved, and no others, arrives at
// exactly the pairs of leaves that no axis separates.
static void walks_miss_no_axis(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    leaf_boxes *boxes = test_malloc(2 * sizeof *boxes);
    gz_restricted_query query;
    gz_restricted_query_init(&query, context);
    for (uint32_t bits = 0; bits < DEFS; ++bits) {
        pair_scene *s = pair_scene_make(200 + bits, 1);
        gz_restricted_def def = def_of(bits);
        gz_restricted a, b;
        assert_int_equal(gz_restricted_build(context, &s->a.view, &def, &a), GRAZE_OK);
        assert_int_equal(gz_restricted_build(context, &s->b.view, &def, &b), GRAZE_OK);
        collect_leaves(&a, &s->pose_a, gz_restricted_root(&a), (const double(*)[2])a.root, boxes);
        collect_leaves(&b, &s->pose_b, gz_restricted_root(&b), (const double(*)[2])b.root,
                       boxes + 1);
        for (int test = 0; test < GZ_TEST_COUNT; ++test) {
            if (test == GZ_TEST_TABLE && !def.stepped)
                continue; // looser than its planes
            int axis_count = test == GZ_TEST_SAT ? 15 : test == GZ_TEST_LITE ? 6 : 3;
            query.test = (gz_box_test)test;
            query.lifted = bits % 3 == 0;
            assert_int_equal(gz_restricted_query_run(&query, &a, &s->pose_a, &b, &s->pose_b),
                             GRAZE_OK);
            uint64_t expected = count_overlaps(s, boxes, boxes + 1, axis_count);
            if (query.plain.counters.triangle_tests != expected)
                fail_msg("tree %u, test %d: %llu pairs of leaves instead of %llu", bits, test,
                         (unsigned long long)query.plain.counters.triangle_tests,
                         (unsigned long long)expected);
        }
        gz_restricted_free(&a);
        gz_restricted_free(&b);
        pair_scene_free(s);
    }
    gz_restricted_query_free(&query);
    test_free(boxes);
    test_context_done(context);
}

static void nasty_builds_end(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    enum { COUNT = TEST_CHANCES(5000) };
    float *position = test_malloc(sizeof(float) * 9 * COUNT);
    uint32_t *corner = test_malloc(sizeof(uint32_t) * 3 * COUNT);
    for (uint32_t i = 0; i < 3 * COUNT; ++i)
        corner[i] = i;
    for (int kind = 0; kind < SCENE_NASTY_KINDS; ++kind) {
        pair_scene_nasty(kind, COUNT, position);
        graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                                .vertex_count = 3 * COUNT,
                                .triangle_count = COUNT,
                                .positions = position,
                                .corners = corner};
        for (uint32_t bits = 0; bits < DEFS; ++bits) {
            gz_restricted_def def = def_of(bits);
            gz_restricted tree;
            assert_int_equal(gz_restricted_build(context, &view, &def, &tree), GRAZE_OK);
            assert_true(gz_restricted_valid(&tree));
            assert_true(tree.depth <= GZ_RESTRICTED_DEPTH);
            uint64_t bytes = def.layout == GZ_PLANE_IN_CHILD ? 16 : 24;
            assert_int_equal(gz_restricted_bytes(&tree), bytes * COUNT + sizeof tree);
            gz_restricted_free(&tree);
        }
    }
    test_free(position);
    test_free(corner);
    test_context_done(context);
}

static void nothing_and_too_much(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh_view none = {.precision = GRAZE_FLOAT32};
    gz_restricted tree;
    assert_int_equal(gz_restricted_build(context, &none, NULL, &tree), GRAZE_OK);
    assert_true(gz_restricted_valid(&tree));
    gz_restricted_query query;
    gz_restricted_query_init(&query, context);
    graze_pose still = graze_pose_identity();
    assert_int_equal(gz_restricted_query_run(&query, &tree, &still, &tree, &still), GRAZE_OK);
    assert_int_equal(query.plain.pairs.count, 0);
    gz_restricted_query_free(&query);
    gz_restricted_free(&tree);
    graze_mesh_view many = {.triangle_count = GZ_RESTRICTED_TRIANGLES + UINT64_C(1)};
    assert_int_equal(gz_restricted_build(context, &many, NULL, &tree), GRAZE_ERROR_UNSUPPORTED);
    test_context_done(context);
}

static graze_status build_and_ask(graze_context *context, void *data)
{
    const pair_scene *s = data;
    gz_restricted a = {0}, b = {0};
    gz_restricted_query query;
    gz_restricted_query_init(&query, context);
    graze_status status = gz_restricted_build(context, &s->a.view, NULL, &a);
    if (status == GRAZE_OK)
        status = gz_restricted_build(context, &s->b.view, NULL, &b);
    if (status == GRAZE_OK)
        status = gz_restricted_query_run(&query, &a, &s->pose_a, &b, &s->pose_b);
    gz_restricted_query_free(&query);
    gz_restricted_free(&a);
    gz_restricted_free(&b);
    return status;
}

static void faults_leak_nothing(void **state)
{
    (void)state;
    pair_scene *s = pair_scene_make(1, 5);
    assert_true(s->pair_count > 20);
    assert_true(test_all_faults(build_and_ask, s, 1) > 8);
    pair_scene_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_the_oracle),
        cmocka_unit_test(pairs_are_those_of_the_wide_tree),
        cmocka_unit_test(box_tests_tell_the_truth),
        cmocka_unit_test(walks_miss_no_axis),
        cmocka_unit_test(nasty_builds_end),
        cmocka_unit_test(nothing_and_too_much),
        cmocka_unit_test(faults_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
