// Recipes of trees: what is made by one keeps the rules and is the tree that it was taken from; one
// that belongs to no tree is refused. For shapes, soups and nasty meshes, in both precisions; with
// random changes and failing memory.
#include "test.h"

#include <stdlib.h>

#include "base/context.h"
#include "boxtree/tree_leaf.h"
#include "boxtree/tree_recipe.h"
#include "faults.h"
#include "patches.h"
#include "soups.h"

enum { MOST = 3000 };

typedef struct kept {
    uint16_t leaf[MOST];
    uint8_t step[GZ_RECIPE_STEPS(MOST)];
    uint32_t step_count;
} kept;

static gz_recipe recipe_of(const kept *k) { return (gz_recipe){k->leaf, k->step, k->step_count}; }

static gz_tree build(graze_context *context, const graze_mesh_view *view)
{
    gz_tree tree;
    graze_shape_def def = graze_shape_def_default();
    assert_int_equal(gz_tree_build(context, view, &def, &tree), GRAZE_OK);
    return tree;
}

static kept *keep(const gz_tree *tree)
{
    kept *k = test_malloc(sizeof *k);
    assert_true(tree->triangle_count <= MOST);
    k->step_count = gz_recipe_write(tree, k->leaf, k->step);
    assert_true(k->step_count == tree->node_count + tree->leaf_count);
    assert_true(k->step_count <= GZ_RECIPE_STEPS(tree->triangle_count));
    return k;
}

// Leaves have the same triangles, in the order of their numbers; nodes the same children.
static void compare(const gz_tree *built, const gz_tree *made)
{
    assert_int_equal(made->node_count, built->node_count);
    assert_int_equal(made->leaf_count, built->leaf_count);
    assert_true(made->depth >= built->depth && made->depth <= GZ_TREE_DEPTH);
    assert_true(made->serial != built->serial);
    assert_memory_equal(&made->box, &built->box, sizeof made->box);
    for (uint32_t n = 0; n < made->node_count; ++n) {
        const gz_links *a = gz_tree_links(built, n), *b = gz_tree_links(made, n);
        assert_int_equal(a->child_count, b->child_count);
        assert_int_equal(a->leaves, b->leaves);
        assert_memory_equal(a->child, b->child, a->child_count * sizeof *a->child);
    }
    for (uint32_t l = 0; l < made->leaf_count; ++l) {
        uint32_t first = gz_tree_leaf_first(made, l), count = gz_tree_leaf_count(made, l);
        assert_int_equal(first, gz_tree_leaf_first(built, l));
        assert_int_equal(count, gz_tree_leaf_count(built, l));
        assert_int_equal(gz_tree_head(made, l)->vertex_count, gz_tree_head(built, l)->vertex_count);
        for (uint32_t i = first; i < first + count; ++i) {
            uint32_t found = 0;
            for (uint32_t k = first; k < first + count; ++k)
                found += built->order[k] == made->order[i];
            assert_int_equal(found, 1);
            assert_true(i == first || made->order[i] > made->order[i - 1]);
        }
    }
}

static void try_view(graze_context *context, const graze_mesh_view *view)
{
    gz_tree built = build(context, view), made;
    kept *k = keep(&built);
    gz_recipe recipe = recipe_of(k);
    assert_int_equal(gz_recipe_follow(context, view, &recipe, &made), GRAZE_OK);
    assert_int_equal(gz_tree_check(&made, view), GRAZE_OK);
    compare(&built, &made);
    gz_tree_free(&made);
    gz_tree_free(&built);
    test_free(k);
}

static void trees_come_back(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const char *const shapes[] = {"knot", "gear", "plates", "terrain", "needles", "soup"};
    static const uint32_t counts[] = {1, 2, 20, 400, 2500};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s)
        for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n)
            for (uint32_t precision = 4; precision <= 8; precision += 4) {
                patch p = patch_shape(shapes[s], counts[n]);
                float *narrow = test_malloc(3 * p.vertex_count * sizeof *narrow);
                for (uint32_t i = 0; i < 3 * p.vertex_count; ++i)
                    narrow[i] = (float)p.position[i / 3][i % 3];
                graze_mesh_view view = {.precision = (graze_precision)precision,
                                        .vertex_count = p.vertex_count,
                                        .triangle_count = p.triangle_count,
                                        .positions = precision == GRAZE_FLOAT32
                                                         ? (const void *)narrow
                                                         : (const void *)p.position,
                                        .corners = &p.corner[0][0]};
                if (p.triangle_count <= MOST)
                    try_view(context, &view);
                test_free(narrow);
                patch_free(&p);
            }
    static soup_case c;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        soup_case_make(&c, seed, SOUP_TRIANGLES);
        try_view(context, &c.a.view);
        try_view(context, &c.b.view);
    }
    test_context_done(context);
}

// --- What is no recipe

static void refuse(graze_context *context, const graze_mesh_view *view, const kept *k)
{
    gz_tree tree;
    gz_recipe recipe = recipe_of(k);
    assert_int_equal(gz_recipe_follow(context, view, &recipe, &tree), GRAZE_ERROR_FORMAT);
}

// A row of triangles without common vertices.
static soup *row_of(uint32_t count, bool fan)
{
    soup *s = test_malloc(sizeof *s);
    for (uint32_t t = 0; t < count; ++t)
        for (uint32_t i = 0; i < 3; ++i) {
            double at[3] = {t + i / 3.0, i == 1, i == 2};
            memcpy(&s->position[3 * (3 * t + i)], at, sizeof at);
            s->corner[3 * t + i] = fan ? i : 3 * t + i;
        }
    s->view = (graze_mesh_view){.precision = GRAZE_FLOAT64,
                                .vertex_count = 3 * count,
                                .triangle_count = count,
                                .positions = s->position,
                                .corners = s->corner};
    return s;
}

static kept steps(const char *digits, uint32_t per_leaf)
{
    kept k = {.step_count = (uint32_t)strlen(digits)};
    for (uint32_t i = 0; i < k.step_count; ++i)
        k.step[i] = (uint8_t)(digits[i] - '0');
    for (uint32_t t = 0; t < SOUP_TRIANGLES; ++t)
        k.leaf[t] = (uint16_t)(t / per_leaf);
    return k;
}

static void what_is_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_tree tree;
    static const struct {
        const char *steps;
        uint32_t per_leaf, triangles;
        bool sound;
    } rows[] = {
        {"10", 4, 4, true},        {"200", 2, 4, true},    {"20200", 2, 6, true},
        {"20200", 4, 9, true},     {"", 4, 4, false},      {"0", 4, 4, false},
        {"1", 4, 4, false},        {"100", 4, 4, false},   {"20", 2, 4, false},
        {"2000", 2, 4, false},     {"900", 2, 4, false},   {"110", 4, 4, false},
        {"2010", 2, 4, false},     {"300", 2, 4, false},   {"200", 1, 4, false},
        {"200", 4, 4, false},      {"10", 6, 6, false},    {"8000000", 1, 8, false},
        {"800000000", 1, 8, true}, {"20200", 2, 4, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        soup *s = row_of(rows[i].triangles, false);
        kept k = steps(rows[i].steps, rows[i].per_leaf);
        gz_recipe recipe = recipe_of(&k);
        if (rows[i].sound) {
            assert_int_equal(gz_recipe_follow(context, &s->view, &recipe, &tree), GRAZE_OK);
            assert_int_equal(gz_tree_check(&tree, &s->view), GRAZE_OK);
            gz_tree_free(&tree);
        } else {
            refuse(context, &s->view, &k);
        }
        test_free(s);
    }
    // Seventeen triangles on three vertices; then sixteen.
    kept all = steps("10", 20);
    soup *s = row_of(17, true);
    refuse(context, &s->view, &all);
    s->view.triangle_count = 16;
    gz_recipe recipe = recipe_of(&all);
    assert_int_equal(gz_recipe_follow(context, &s->view, &recipe, &tree), GRAZE_OK);
    gz_tree_free(&tree);
    s->view.triangle_count = 0;
    assert_int_equal(gz_recipe_follow(context, &s->view, &recipe, &tree), GRAZE_OK);
    gz_tree_free(&tree);
    test_free(s);
    // A chain of nodes, as deep as may be, and deeper.
    s = row_of(150, false);
    for (uint32_t depth = 100; depth < 149; ++depth) {
        kept chain = {.step_count = 2 * depth + 1};
        for (uint32_t i = 0; i < depth; ++i)
            chain.step[2 * i] = 2;
        for (uint32_t t = 0; t < 150; ++t)
            chain.leaf[t] = (uint16_t)(t < depth ? t : depth);
        s->view.triangle_count = depth + 1;
        recipe = recipe_of(&chain);
        graze_status status = gz_recipe_follow(context, &s->view, &recipe, &tree);
        assert_int_equal(status, depth < GZ_TREE_DEPTH ? GRAZE_OK : GRAZE_ERROR_FORMAT);
        if (status == GRAZE_OK) {
            assert_int_equal(gz_tree_check(&tree, &s->view), GRAZE_OK);
            gz_tree_free(&tree);
        }
    }
    test_free(s);
    test_context_done(context);
}

// Whatever changes, what comes out is a tree of all triangles, or nothing.
static void random_changes(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static soup_case c;
    test_random random = {77};
    uint32_t sound = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        soup_case_make(&c, seed, SOUP_TRIANGLES);
        gz_tree built = build(context, &c.a.view), tree;
        kept *k = keep(&built);
        for (int n = 0; n < 50; ++n) {
            kept changed = *k;
            uint32_t which = (uint32_t)(test_next(&random) % 3);
            uint32_t at = (uint32_t)(test_next(&random) % k->step_count);
            uint32_t t = (uint32_t)(test_next(&random) % built.triangle_count);
            if (which == 0)
                changed.step[at] = (uint8_t)(test_next(&random) % 10);
            else if (which == 1)
                changed.step_count = at;
            changed.leaf[t] = which == 2 ? (uint16_t)(test_next(&random) % (built.leaf_count + 1))
                                         : changed.leaf[t];
            gz_recipe recipe = recipe_of(&changed);
            graze_status status = gz_recipe_follow(context, &c.a.view, &recipe, &tree);
            assert_true(status == GRAZE_OK || status == GRAZE_ERROR_FORMAT);
            sound += status == GRAZE_OK;
            refused += status != GRAZE_OK;
            if (status == GRAZE_OK) {
                assert_int_equal(gz_tree_check(&tree, &c.a.view), GRAZE_OK);
                gz_tree_free(&tree);
            }
        }
        gz_tree_free(&built);
        test_free(k);
    }
    assert_true(sound > 100 && refused > 1000);
    test_context_done(context);
}

static graze_status run_follow(graze_context *context, void *data)
{
    const soup *s = data;
    gz_tree tree;
    kept k = steps("20200", 4);
    gz_recipe recipe = recipe_of(&k);
    graze_status status = gz_recipe_follow(context, &s->view, &recipe, &tree);
    if (status == GRAZE_OK)
        gz_tree_free(&tree);
    return status;
}

static void failing_memory(void **state)
{
    (void)state;
    soup *s = row_of(12, false);
    assert_true(test_all_faults(run_follow, s, 1) >= 4);
    test_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_come_back),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(random_changes),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
