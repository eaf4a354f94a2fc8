// Pages of every kind through the cache: what is pinned is what the page has, in the memory that
// was allowed.
#include "test.h"

#include "base/context.h"
#include "model/group_load.h"
#include "models.h"
#include "shapes.h"

#define LIMIT (UINT64_C(24) << 20)

static char path[MODEL_PATH_BYTES];

static int enter(void **state)
{
    char mesh[MODEL_PATH_BYTES];
    if (models_enter(state) != 0)
        return 1;
    models_make("terrain", TEST_SANITIZED ? 12000 : 60000, GRAZE_FLOAT32,
                models_path(mesh, "m.ply"));
    graze_context *context = test_context(NULL);
    graze_status status = graze_model_build(context, mesh, models_path(path, "m.graze"), NULL);
    test_context_done(context);
    remove(mesh);
    return status != GRAZE_OK;
}

static int leave(void **state)
{
    remove(path);
    return models_leave(state);
}

static graze_model *open_model(uint64_t cache_bytes)
{
    graze_context_def def = graze_context_def_default();
    def.cache_byte_limit = cache_bytes;
    graze_model *model = NULL;
    assert_int_equal(graze_model_open(test_context(&def), path, &model), GRAZE_OK);
    return model;
}

static void close_model(graze_model *model)
{
    graze_context *context = model->context;
    graze_model_free(model);
    test_context_done(context);
}

// Triangle i of the page is in the tree under the number i, or that of `numbers`, bit for bit.
static void check_tree(const gz_tree *tree, const uint32_t *numbers, const gz_surface *s)
{
    assert_int_equal(tree->triangle_count, s->triangle_count);
    uint64_t seen = 0;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot, ++seen) {
            graze_triangle t;
            gz_tree_triangle(tree, leaf, slot, &t);
            uint32_t i = tree->order[gz_tree_leaf_first(tree, leaf) + slot];
            if (numbers != NULL) {
                uint32_t k = 0;
                while (k < s->triangle_count && numbers[k] != i)
                    ++k;
                i = k;
            }
            assert_true(i < s->triangle_count);
            for (int c = 0; c < 3; ++c)
                assert_memory_equal(t.corner[c], s->position[s->corner[i][c]], sizeof t.corner[c]);
        }
    assert_int_equal(seen, s->triangle_count);
}

static void clusters_of_all_levels(void **state)
{
    (void)state;
    graze_model *model = open_model(LIMIT);
    gz_cache_reservation *reservation = gz_cache_reserve(model->cache);
    uint32_t count = model->header.cluster_count + model->header.coarse_count;
    assert_true(model->header.coarse_count > 10);
    for (uint32_t i = 0; i < count; ++i) {
        const gz_tree *tree = NULL;
        gz_group_loader loader;
        gz_surface surface;
        gz_group_loader_init(model, &loader);
        assert_int_equal(gz_group_load_cluster(&loader, reservation, i, &surface), GRAZE_OK);
        assert_int_equal(gz_cache_pin(reservation, gz_cluster_key(model, i), &tree), GRAZE_OK);
        check_tree(tree, gz_cache_cluster(reservation)->number, &surface);
        gz_cache_unpin(reservation, tree);
        gz_group_loader_free(&loader);
    }
    gz_cache_release(reservation);
    close_model(model);
}

static void groups_at_their_steps(void **state)
{
    (void)state;
    graze_model *model = open_model(LIMIT);
    uint64_t before = graze_context_memory(model->context).current_bytes, steps = 0;
    gz_cache_reservation *reservation = gz_cache_reserve_for_groups(model->cache);
    for (int round = 0; round < 2; ++round)
        for (uint32_t g = 0; g < model->header.group_count; ++g)
            for (uint32_t step = 0; step < model->groups[g].step_count; ++step, ++steps) {
                const gz_tree *tree = NULL;
                assert_int_equal(gz_cache_pin(reservation, gz_group_key(model, g, step), &tree),
                                 GRAZE_OK);
                assert_int_equal(tree->triangle_count, model->groups[g].steps[step].triangle_count);
                gz_cache_unpin(reservation, tree);
            }
    assert_true(steps > 20);
    // The promise: all that the cache and its users take is within the limit.
    assert_true(graze_context_memory(model->context).peak_bytes - before <= LIMIT);
    graze_cache_use use = graze_model_cache_use(model);
    assert_true(use.hits != 0 && use.loads != 0);
    gz_group_loader loader;
    gz_group_loader_init(model, &loader);
    for (uint32_t g = 0; g < model->header.group_count; g += 3) {
        uint32_t step = g % model->groups[g].step_count;
        gz_surface surface;
        const gz_tree *tree = NULL;
        assert_int_equal(gz_group_load_step(&loader, reservation, g, (int)step, &surface),
                         GRAZE_OK);
        assert_int_equal(gz_cache_pin(reservation, gz_group_key(model, g, step), &tree), GRAZE_OK);
        check_tree(tree, NULL, &surface);
        gz_cache_unpin(reservation, tree);
    }
    gz_group_loader_free(&loader);
    gz_cache_release(reservation);
    close_model(model);
}

// Kinds and steps are told apart, and what is pinned twice is there once.
static void keys_are_told_apart(void **state)
{
    (void)state;
    graze_model *model = open_model(LIMIT), *same = NULL;
    assert_int_equal(graze_model_open(model->context, path, &same), GRAZE_OK);
    gz_cache_reservation *reservation = gz_cache_reserve_for_groups(model->cache);
    const gz_page_key keys[] = {gz_cluster_key(model, 0), gz_cluster_key(model, 1),
                                gz_cluster_key(same, 0), gz_group_key(model, 0, 0),
                                gz_group_key(model, 1, 0)};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
            const gz_tree *a = NULL, *b = NULL;
            assert_int_equal(gz_cache_pin(reservation, keys[i], &a), GRAZE_OK);
            assert_int_equal(gz_cache_pin(reservation, keys[k], &b), GRAZE_OK);
            assert_int_equal(a == b, i == k);
            gz_cache_unpin(reservation, a);
            gz_cache_unpin(reservation, b);
        }
    assert_int_equal(graze_model_cache_use(model).hits, 2 * 25 - 5); // each was made once
    gz_cache_release(reservation);
    graze_model_free(same);
    close_model(model);
}

// The least limit is enough for clusters, and too small for groups, which is said.
static void small_caches(void **state)
{
    (void)state;
    graze_model *model = open_model(GZ_CACHE_RESERVED_BYTES);
    assert_null(gz_cache_reserve_for_groups(model->cache));
    assert_non_null(strstr(test_last_error, "too small for groups"));
    graze_model_report report;
    assert_int_equal(graze_model_check(model, &report), GRAZE_OK); // one reservation will do
    assert_int_equal(report.pages_damaged, 0);
    close_model(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_of_all_levels),
        cmocka_unit_test(groups_at_their_steps),
        cmocka_unit_test(keys_are_told_apart),
        cmocka_unit_test(small_caches),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
