// What walks whole structures finds what is broken in them; debug builds end there (GZ_VALIDATE),
// and others do not walk.
#include "test.h"

#include <pthread.h>
#include <unistd.h>

#include "base/context.h"
#include "boxtree/tree_builder.h"
#include "model/levels.h"
#include "model/page_cache.h"
#include "soups.h"
#include "two_models.h"

#ifdef GZ_VALIDATING
enum { VALIDATING = 1 };
#else
enum { VALIDATING = 0 };
#endif

// In a debug build the function ends in GZ_VALIDATE; in others it returns.
static void ends_in_debug(void (*function)(void), const char *condition)
{
    if (VALIDATING)
        test_dies(function, condition);
    else
        function();
}

// --- Trees

static void make_tree(graze_context *context, soup_case *c, graze_layout layout, gz_tree *tree)
{
    graze_shape_def def = graze_shape_def_default();
    def.layout = layout;
    soup_case_make(c, 5, 200);
    assert_int_equal(gz_tree_build(context, &c->a.view, &def, tree), GRAZE_OK);
    assert_true(gz_tree_is_sound(tree, &c->a.view) && gz_tree_is_sound(tree, NULL));
}

static void broken_tree_is_made(void)
{
    static soup_case c;
    graze_context *context = test_context(NULL);
    gz_tree tree;
    make_tree(context, &c, GRAZE_LAYOUT_FAST, &tree);
    tree.order[0] = tree.order[1];
    assert_int_equal(gz_tree_made(&tree, &c.a.view, GRAZE_OK), GRAZE_OK);
    gz_tree_free(&tree);
    test_context_done(context);
}

static void broken_tree_is_refitted(void)
{
    static soup_case c;
    graze_context *context = test_context(NULL);
    gz_tree tree;
    double looseness;
    make_tree(context, &c, GRAZE_LAYOUT_COMPACT, &tree);
    tree.depth = GZ_TREE_DEPTH + 1;
    assert_int_equal(gz_tree_refit(&tree, &c.a.view, &looseness), GRAZE_OK);
    gz_tree_free(&tree);
    test_context_done(context);
}

static void broken_trees_are_found(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    gz_tree tree;
    make_tree(context, &c, GRAZE_LAYOUT_FAST, &tree);
    gz_node *root = tree.nodes;
    uint32_t number = tree.order[0];
    tree.order[0] = tree.order[1];
    assert_false(gz_tree_is_sound(&tree, NULL));
    tree.order[0] = number;
    float low = root->row[0][GZ_ROW_LOW(0)];
    root->row[0][GZ_ROW_LOW(0)] = -root->row[0][GZ_ROW_HIGH(0)];
    assert_false(gz_tree_is_sound(&tree, NULL));
    root->row[0][GZ_ROW_LOW(0)] = low;
    graze_box box = tree.box;
    tree.box.max[1] += 1;
    assert_false(gz_tree_is_sound(&tree, NULL));
    tree.box = box;
    gz_links links = root->links;
    root->links.child[0] = 0; // itself
    root->links.leaves &= 0xfe;
    assert_false(gz_tree_is_sound(&tree, NULL));
    root->links = links;
    uint64_t bytes = graze_context_memory(context).peak_bytes;
    assert_true(gz_tree_is_sound(&tree, &c.a.view));
    assert_int_equal(graze_context_memory(context).peak_bytes, bytes); // takes none of its memory
    gz_tree_free(&tree);
    test_context_done(context);
    ends_in_debug(broken_tree_is_made, "gz_tree_is_sound");
    ends_in_debug(broken_tree_is_refitted, "gz_tree_is_sound");
}

// --- The page cache

static char terrain[MODEL_PATH_BYTES];

static void pin_beside_a_broken_tree(void)
{
    graze_context *context = test_context(NULL);
    graze_model *model = NULL;
    const gz_tree *tree = NULL, *other = NULL;
    assert_int_equal(graze_model_open(context, terrain, &model), GRAZE_OK);
    gz_cache_reservation *reservation = gz_cache_reserve(model->cache);
    assert_int_equal(gz_cache_pin(reservation, gz_cluster_key(model, 0), &tree), GRAZE_OK);
    assert_true(gz_cache_is_sound(model->cache));
    ((gz_tree *)(uintptr_t)tree)->leaf_count++;
    assert_false(gz_cache_is_sound(model->cache));
    assert_int_equal(gz_cache_pin(reservation, gz_cluster_key(model, 1), &other), GRAZE_OK);
    ((gz_tree *)(uintptr_t)tree)->leaf_count--;
    assert_true(gz_cache_is_sound(model->cache));
    gz_cache_unpin(reservation, tree);
    gz_cache_unpin(reservation, other);
    gz_cache_release(reservation);
    graze_model_free(model);
    test_context_done(context);
}

static void unpin_twice(void)
{
    graze_context *context = test_context(NULL);
    graze_model *model = NULL;
    const gz_tree *tree = NULL;
    assert_int_equal(graze_model_open(context, terrain, &model), GRAZE_OK);
    gz_cache_reservation *reservation = gz_cache_reserve(model->cache);
    assert_int_equal(gz_cache_pin(reservation, gz_cluster_key(model, 0), &tree), GRAZE_OK);
    gz_cache_unpin(reservation, tree);
    gz_cache_unpin(reservation, tree);
}

static void pin_beyond_the_end(void)
{
    graze_context *context = test_context(NULL);
    graze_model *model = NULL;
    const gz_tree *tree = NULL;
    assert_int_equal(graze_model_open(context, terrain, &model), GRAZE_OK);
    gz_cache_reservation *reservation = gz_cache_reserve(model->cache);
    gz_cache_pin(reservation,
                 gz_cluster_key(model, model->header.cluster_count + model->header.coarse_count),
                 &tree);
}

static void broken_caches_are_found(void **state)
{
    (void)state;
    ends_in_debug(pin_beside_a_broken_tree, "gz_cache_is_sound");
    test_dies(unpin_twice, "pins != 0");
    test_dies(pin_beyond_the_end, "key.number <");
}

static void broken_fetches_are_found(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t change = PTHREAD_COND_INITIALIZER;
    gz_fetch *fetch = test_malloc(sizeof *fetch);
    gz_fetch_init(fetch, context, &lock, &change, 1000000);
    assert_true(gz_fetch_is_sound(fetch));
    fetch->bytes = 1;
    assert_false(gz_fetch_is_sound(fetch));
    fetch->bytes = 0;
    fetch->active = 1;
    assert_false(gz_fetch_is_sound(fetch));
    fetch->active = 0;
    fetch->runs[7].users = 1;
    assert_false(gz_fetch_is_sound(fetch));
    fetch->runs[7].users = 0;
    assert_true(gz_fetch_is_sound(fetch));
    gz_fetch_end(fetch);
    test_free(fetch);
    test_context_done(context);
}

// --- Lists of a model

// Two groups of two clusters each become a cluster each.
static gz_levels lists_of_six(gz_cluster_entry clusters[6], gz_level_entry levels[2],
                              gz_group_entry groups[2], uint32_t members[4])
{
    gz_levels l = {.clusters = {.items = clusters, .count = 6},
                   .levels = {.items = levels, .count = 2},
                   .groups = {.items = groups, .count = 2},
                   .members = {.items = members, .count = 4}};
    memset(clusters, 0, 6 * sizeof *clusters);
    memset(groups, 0, 2 * sizeof *groups);
    levels[0] = (gz_level_entry){.cluster_count = 4, .group_count = 2};
    levels[1] = (gz_level_entry){.first_cluster = 4, .cluster_count = 2, .first_group = 2};
    for (uint32_t g = 0; g < 2; ++g) {
        groups[g].first_member = 2 * g;
        groups[g].member_count = 2;
        groups[g].first_cluster = 4 + g;
        groups[g].cluster_count = 1;
    }
    for (uint32_t i = 0; i < 4; ++i)
        members[i] = i;
    return l;
}

static void overlaps_of_lists_are_found(void **state)
{
    (void)state;
    gz_cluster_entry clusters[6];
    gz_level_entry levels[2];
    gz_group_entry groups[2];
    uint32_t members[4];
    gz_levels l = lists_of_six(clusters, levels, groups, members);
    assert_true(gz_levels_are_sound(&l));
    uint32_t *numbers[] = {
        &levels[0].first_cluster, &levels[1].first_cluster, &levels[0].cluster_count,
        &levels[1].cluster_count, &levels[1].first_group,   &levels[0].group_count,
        &levels[1].group_count,   &groups[0].first_member,  &groups[1].first_member,
        &groups[1].member_count,  &groups[0].first_cluster, &groups[1].first_cluster,
        &groups[0].cluster_count, &groups[1].cluster_count};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        for (int by = -1; by <= 1; by += 2) { // a gap, or an overlap
            *numbers[i] += (uint32_t)by;
            if (gz_levels_are_sound(&l))
                fail_msg("number %d and %d are fine", (int)i, by);
            *numbers[i] -= (uint32_t)by;
        }
    members[3] = 4; // of another level
    assert_false(gz_levels_are_sound(&l));
    members[3] = 3;
    assert_true(gz_levels_are_sound(&l));
}

static int set_up(void **state)
{
    if (models_enter(state) != 0)
        return 1;
    two_models_write("terrain", 6000, terrain);
    return 0;
}

static int tear_down(void **state)
{
    unlink(terrain);
    return models_leave(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_trees_are_found),
        cmocka_unit_test(broken_caches_are_found),
        cmocka_unit_test(broken_fetches_are_found),
        cmocka_unit_test(overlaps_of_lists_are_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
