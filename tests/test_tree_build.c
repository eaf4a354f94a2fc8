// Building: large meshes, whose first cuts are made on a grid, hostile ones, and the references
// that are cut. What trees answer is tested in test_pairs.c and elsewhere.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "boxtree/tree_leaf.h"
#include "boxtree/tree_reference.h"
#include "pair_scenes.h"

enum { SIDE = 260, LARGE = 2 * SIDE * SIDE, CORNERS = (SIDE + 1) * (SIDE + 1) };

// A hilly square, of 135,200 triangles.
typedef struct hills {
    graze_mesh_view view;
    float narrow[CORNERS][3];
    double wide[CORNERS][3];
    uint32_t corner[LARGE][3];
} hills;

static hills *make_hills(graze_precision precision)
{
    hills *h = test_malloc(sizeof *h);
    for (uint32_t v = 0; v < CORNERS; ++v) {
        double x = v % (SIDE + 1), y = v / (SIDE + 1); // NOLINT(bugprone-integer-division): a row
        double at[3] = {x / 7, y / 9, 4 * sin(x / 31) * cos(y / 23) + sin(x / 5 + y / 3) / 8};
        for (int axis = 0; axis < 3; ++axis) {
            h->wide[v][axis] = at[axis];
            h->narrow[v][axis] = (float)at[axis];
        }
    }
    for (uint32_t t = 0; t < LARGE; ++t) {
        uint32_t first = t / 2 / SIDE * (SIDE + 1) + t / 2 % SIDE;
        uint32_t corner[2][3] = {{first, first + 1, first + SIDE + 1},
                                 {first + 1, first + SIDE + 2, first + SIDE + 1}};
        memcpy(h->corner[t * UINT32_C(7919) % LARGE], corner[t % 2], sizeof corner[0]);
    }
    h->view = (graze_mesh_view){.precision = precision,
                                .vertex_count = CORNERS,
                                .triangle_count = LARGE,
                                .positions = precision == GRAZE_FLOAT32 ? (const void *)h->narrow
                                                                        : (const void *)h->wide,
                                .corners = h->corner[0]};
    return h;
}

static graze_context *context_of(uint32_t threads)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = threads;
    return test_context(&def);
}

static bool same_tree(const gz_tree *a, const gz_tree *b)
{
    uint64_t leaf = a->precision == GRAZE_FLOAT32 ? sizeof(gz_leaf32) : sizeof(gz_leaf64);
    return a->node_count == b->node_count && a->leaf_count == b->leaf_count &&
           a->vertex_count == b->vertex_count &&
           (a->vertex_count == 0 ||
            memcmp(a->vertices, b->vertices, a->vertex_count * sizeof(double[3])) == 0) &&
           memcmp(a->nodes, b->nodes, a->node_count * sizeof(gz_node)) == 0 &&
           memcmp(a->leaves, b->leaves, a->leaf_count * leaf) == 0 &&
           memcmp(a->order, b->order, a->triangle_count * sizeof *a->order) == 0;
}

// Whatever the number of threads.
static void large_trees_keep_their_rules(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way += TEST_SANITIZED ? 3 : 1) {
        hills *h = make_hills(way % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64);
        graze_shape_def def = graze_shape_def_default();
        def.build = (graze_build)(way / 2);
        graze_context *contexts[2] = {context_of(1), context_of(3)};
        gz_tree trees[2];
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(gz_tree_build(contexts[i], &h->view, &def, &trees[i]), GRAZE_OK);
            assert_int_equal(gz_tree_check(&trees[i], &h->view), GRAZE_OK);
        }
        assert_true(same_tree(&trees[0], &trees[1]));
        // Most nodes are full: six children each, on the average.
        assert_true(trees[0].leaf_count + trees[0].node_count >= 6 * trees[0].node_count);
        for (int i = 0; i < 2; ++i) {
            gz_tree_free(&trees[i]);
            test_context_done(contexts[i]);
        }
        test_free(h);
    }
}

static bool holds(const gz_range *r, const gz_reference *x)
{
    for (int axis = 0; axis < 3; ++axis) {
        float middle = x->low[axis] + x->high[axis];
        if (x->low[axis] < r->low[axis] || x->high[axis] > r->high[axis] ||
            middle < r->least[axis] || middle > r->most[axis])
            return false;
    }
    return true;
}

// Each range that was cut on the grid holds what its two sides do, and its bounds are theirs.
static void the_grid_cuts_large_meshes(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    hills *h = make_hills(GRAZE_FLOAT32);
    gz_tree frame;
    gz_tree_builder plan = {.context = context, .view = &h->view};
    assert_int_equal(gz_tree_builder_frame(context, &h->view, &frame), GRAZE_OK);
    assert_int_equal(gz_tree_builder_make(&plan, &frame), GRAZE_OK);
    assert_true(plan.cuts.count > 1);
    bool *seen = test_calloc(LARGE, sizeof *seen);
    for (uint32_t i = 0; i < LARGE; ++i) {
        assert_false(seen[gz_reference_number(&plan.references[i])]);
        seen[gz_reference_number(&plan.references[i])] = true;
    }
    for (uint64_t i = 0; i < plan.cuts.count; ++i) {
        const gz_grid_cut *cut = (const gz_grid_cut *)plan.cuts.items + i;
        assert_int_equal(cut->lower.first + cut->lower.count, cut->upper.first);
        for (int side = 0; side < 2; ++side) {
            const gz_range *r = side == 0 ? &cut->lower : &cut->upper;
            gz_range found = {.first = r->first, .count = r->count};
            gz_range_bound(plan.references, &found);
            assert_true(r->count != 0);
            for (uint32_t k = 0; k < r->count; ++k)
                assert_true(holds(r, &plan.references[r->first + k]));
            for (int axis = 0; axis < 3; ++axis) {
                assert_true(found.low[axis] == r->low[axis] && found.high[axis] == r->high[axis]);
                assert_true(found.least[axis] == r->least[axis] &&
                            found.most[axis] == r->most[axis]);
            }
        }
    }
    test_free(seen);
    gz_tree_builder_free(&plan);
    test_free(h);
    test_context_done(context);
}

static void hostile_meshes_are_cut(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    float *position = test_malloc(sizeof(float) * 9 * LARGE);
    uint32_t *corner = test_malloc(sizeof(uint32_t) * 3 * LARGE);
    for (uint32_t i = 0; i < 3 * LARGE; ++i)
        corner[i] = i;
    for (int kind = 0; kind < SCENE_NASTY_KINDS; ++kind) {
        pair_scene_nasty(kind, LARGE, position);
        graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                                .vertex_count = UINT64_C(3) * LARGE,
                                .triangle_count = LARGE,
                                .positions = position,
                                .corners = corner};
        graze_shape_def def = graze_shape_def_default();
        gz_tree tree;
        assert_int_equal(gz_tree_build(context, &view, &def, &tree), GRAZE_OK);
        assert_int_equal(gz_tree_check(&tree, &view), GRAZE_OK);
        gz_tree_free(&tree);
    }
    test_free(position);
    test_free(corner);
    test_context_done(context);
}

// All of those before there are parts, and some of these.
static void memory_runs_out_over_the_grid(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = context_of(1);
    hills *h = make_hills(GRAZE_FLOAT32);
    graze_shape_def def = graze_shape_def_default();
    uint64_t before = graze_context_memory(context).current_bytes;
    int failures = 0;
    for (int64_t allocations = 0; allocations < 40; allocations += TEST_SANITIZED ? 3 : 1) {
        gz_tree tree;
        gz_knobs_for(context)->allocations_left = allocations;
        graze_status status = gz_tree_build(context, &h->view, &def, &tree);
        if (status == GRAZE_OK) // a list took less than it wanted
            gz_tree_free(&tree);
        else
            assert_int_equal(status, GRAZE_ERROR_MEMORY);
        failures += status != GRAZE_OK;
        assert_int_equal(graze_context_memory(context).current_bytes, before);
    }
    assert_true(failures >= (TEST_SANITIZED ? 2 : 5));
    gz_knobs_for(context)->allocations_left = -1;
    test_free(h);
    test_context_done(context);
}

static bool same_float(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

// As tree_leaf.h has it for one coordinate: zeros of both signs, neighbours of zero, far and near.
static void references_are_rounded_outward(void **state)
{
    (void)state;
    test_random random = {20};
    for (int round = 0; round < 20000; ++round) {
        double *position = test_malloc(9 * sizeof *position);
        float *narrow = test_malloc(9 * sizeof *narrow);
        uint32_t corner[3] = {(uint32_t)(test_next(&random) % 3),
                              (uint32_t)(test_next(&random) % 3), 2};
        double origin[3], scale = ldexp(1, (int)(test_next(&random) % 5) - 2);
        for (int i = 0; i < 9; ++i) {
            int exponent = (int)(test_next(&random) % 8) * -50;
            double x = ldexp(test_unit(&random) - 0.5, exponent % 152);
            x = test_next(&random) % 8 == 0 ? (x < 0 ? -0.0 : 0.0) : x;
            position[i] = x;
            narrow[i] = (float)x;
            origin[i % 3] = test_next(&random) % 2 == 0 ? 0 : x + ldexp(x, -30);
        }
        for (int wide = 0; wide < 2; ++wide) {
            graze_mesh_view view = {.precision = wide ? GRAZE_FLOAT64 : GRAZE_FLOAT32,
                                    .vertex_count = 3,
                                    .triangle_count = 1,
                                    .positions = wide ? (const void *)position : narrow,
                                    .corners = corner};
            gz_reference r = gz_make_reference(&view, 0, origin, scale);
            assert_int_equal(gz_reference_number(&r), 0);
            for (int axis = 0; axis < 3; ++axis) {
                double low = HUGE_VAL, high = -HUGE_VAL;
                for (uint32_t k = 0; k < 3; ++k) {
                    double p[3];
                    graze_mesh_view_corner(&view, 0, k, p);
                    low = fmin(low, p[axis]);
                    high = fmax(high, p[axis]);
                }
                assert_true(same_float(r.low[axis], gz_row_below(low, origin[axis], scale)) &&
                            same_float(r.high[axis], gz_row_above(high, origin[axis], scale)));
            }
        }
        test_free(position);
        test_free(narrow);
    }
}

// Only where a triangle has them.
static void odd_coordinates_are_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    const double odd[] = {NAN, HUGE_VAL, -HUGE_VAL};
    for (int way = 0; way < 3 * 2 * 12; ++way) {
        double position[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 2, 2};
        float narrow[12];
        uint32_t corner[6] = {0, 1, 2, 2, 1, 0};
        position[way / 6] = odd[way % 3];
        for (int i = 0; i < 12; ++i)
            narrow[i] = (float)position[i];
        bool wide = way / 3 % 2 != 0;
        graze_mesh_view view = {.precision = wide ? GRAZE_FLOAT64 : GRAZE_FLOAT32,
                                .vertex_count = 4,
                                .triangle_count = 2,
                                .positions = wide ? (const void *)position : narrow,
                                .corners = corner};
        graze_shape_def def = graze_shape_def_default();
        gz_tree tree;
        bool used = way / 6 < 9;
        assert_int_equal(gz_tree_build(context, &view, &def, &tree),
                         used ? GRAZE_ERROR_ARGUMENT : GRAZE_OK);
        if (used)
            continue;
        assert_int_equal(gz_tree_check(&tree, &view), GRAZE_OK);
        assert_true(tree.box.min[0] == 0 && tree.box.max[0] == 1 && tree.box.max[2] == 0);
        gz_tree_free(&tree);
    }
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_trees_keep_their_rules),
        cmocka_unit_test(the_grid_cuts_large_meshes),
        cmocka_unit_test(hostile_meshes_are_cut),
        cmocka_unit_test(memory_runs_out_over_the_grid),
        cmocka_unit_test(references_are_rounded_outward),
        cmocka_unit_test(odd_coordinates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
