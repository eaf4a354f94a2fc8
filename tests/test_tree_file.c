// Saved shapes: they come back as they were; files that are cut off, damaged or made up are refused
// with a sentence, or are shapes like any other.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "boxtree/tree_file.h"
#include "boxtree/tree_pairs.h"
#include "faults.h"
#include "soups.h"

static char path[] = "/tmp/graze-test-tree-XXXXXX";

// A saved tree of some soup, as bytes.
static uint8_t *save_soup(graze_context *context, uint64_t seed, graze_layout layout,
                          uint64_t *count)
{
    static soup_case c;
    soup_case_make(&c, seed, 80);
    gz_tree tree;
    graze_shape_def def = graze_shape_def_default();
    def.layout = layout;
    assert_int_equal(gz_tree_build(context, &c.a.view, &def, &tree), GRAZE_OK);
    assert_int_equal(gz_tree_save(&tree, path), GRAZE_OK);
    gz_tree_free(&tree);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *count = (uint64_t)ftell(file);
    rewind(file);
    uint8_t *bytes = test_malloc(*count);
    assert_int_equal(fread(bytes, 1, *count, file), *count);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static uint64_t ask(gz_pair_query *query, const gz_tree *a, const gz_tree *b)
{
    graze_pose pose_a = graze_pose_identity(), pose_b = pose_a;
    gz_pair_wish wish = gz_pair_wish_all(a, &pose_a, b, &pose_b);
    assert_int_equal(gz_pair_query_run(query, &wish), GRAZE_OK);
    return query->counters.contacts;
}

static void saved_shapes_come_back(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_pair_query query;
    gz_pair_query_init(&query, context);
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        static soup_case c;
        soup_case_make(&c, seed, 80);
        gz_tree made, loaded;
        graze_shape_def def = graze_shape_def_default();
        def.layout = (graze_layout)(seed % 2);
        assert_int_equal(gz_tree_build(context, &c.a.view, &def, &made), GRAZE_OK);
        assert_int_equal(gz_tree_save(&made, path), GRAZE_OK);
        assert_int_equal(gz_tree_load(context, path, &loaded), GRAZE_OK);
        assert_true(gz_tree_check(&loaded, &c.a.view) == GRAZE_OK);
        assert_int_equal(ask(&query, &made, &made), ask(&query, &loaded, &made));
        assert_true(loaded.serial != made.serial);
        gz_tree_free(&made);
        gz_tree_free(&loaded);
    }
    gz_pair_query_free(&query);
    test_context_done(context);
}

static void shapes_can_be_saved(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    graze_shape *made = NULL, *loaded = NULL;
    soup_case_make(&c, 2, 80);
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_shape_create(context, &c.a.view, NULL, &made), GRAZE_OK);
    assert_int_equal(graze_shape_save(made, path), GRAZE_OK);
    assert_int_equal(graze_shape_load(context, path, &loaded), GRAZE_OK);
    uint32_t closed[2];
    assert_int_equal(graze_shape_closed(made, &closed[0]), GRAZE_OK);
    assert_int_equal(graze_shape_closed(loaded, &closed[1]), GRAZE_OK);
    assert_int_equal(closed[0], closed[1]);
    graze_answer answer;
    assert_int_equal(graze_query_collide(query, graze_at(loaded, &c.pose_a),
                                         graze_at(made, &c.pose_a), NULL, &answer),
                     GRAZE_OK);
    assert_int_equal(answer.verdict, GRAZE_CONTACT);
    graze_shape_free(made);
    graze_shape_free(loaded);
    assert_int_equal(graze_shape_load(context, "/nowhere/at/all", &loaded), GRAZE_ERROR_IO);
    assert_null(loaded);
    assert_int_equal(graze_shape_save(NULL, path), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_shape_load(context, NULL, &loaded), GRAZE_ERROR_ARGUMENT);
    graze_query_free(query);
    test_context_done(context);
}

static void parts_of_files_are_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int layout = 0; layout < 2; ++layout) {
        uint64_t count = 0;
        uint8_t *bytes = save_soup(context, 3, (graze_layout)layout, &count);
        gz_tree tree;
        for (uint64_t cut = 0; cut < count; cut += cut < 300 ? 1 : 37) {
            assert_int_equal(gz_tree_load_memory(context, "cut", bytes, cut, &tree),
                             GRAZE_ERROR_FORMAT);
            assert_non_null(strstr(test_last_error, "cut: byte "));
        }
        for (uint64_t at = 0; at < count; at += at < 300 ? 1 : 13) {
            bytes[at] ^= 0x10;
            graze_status status = gz_tree_load_memory(context, "bad", bytes, count, &tree);
            if (status == GRAZE_OK) // what pads the arrays says nothing
                gz_tree_free(&tree);
            else
                assert_true(status == GRAZE_ERROR_FORMAT || status == GRAZE_ERROR_UNSUPPORTED);
            assert_true(status != GRAZE_OK || at >= 184);
            bytes[at] ^= 0x10;
        }
        test_free(bytes);
    }
    test_context_done(context);
}

// A shape that another version wrote is recognised, whatever the rest of it means.
static void other_versions_are_named(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    uint64_t count = 0;
    uint8_t *bytes = save_soup(context, 3, GRAZE_LAYOUT_FAST, &count);
    memset(bytes + 12, 0xff, 200);
    for (uint8_t version = 0; version < GZ_SHAPE_VERSION + 3; ++version) {
        char sentence[100];
        gz_tree tree;
        snprintf(sentence, sizeof sentence, "old: byte 8: the shape is of version %d, and",
                 version);
        bytes[8] = version;
        bool known = version == GZ_SHAPE_VERSION;
        assert_int_equal(gz_tree_load_memory(context, "old", bytes, count, &tree),
                         known ? GRAZE_ERROR_FORMAT : GRAZE_ERROR_UNSUPPORTED);
        assert_true((strstr(test_last_error, sentence) == NULL) == known);
    }
    test_free(bytes);
    test_context_done(context);
}

// With the checksums put right only the rules of the tree stand between a file and a wrong answer.
static void made_up_shapes_are_refused_or_sound(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_pair_query query;
    gz_pair_query_init(&query, context);
    uint64_t loaded = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        uint64_t count = 0;
        uint8_t *bytes = save_soup(context, seed, (graze_layout)(seed % 2), &count);
        uint8_t *copy = test_malloc(count);
        test_random random = {seed};
        for (int round = 0; round < 1500; ++round) {
            memcpy(copy, bytes, count);
            uint64_t changes = 1 + test_next(&random) % 3;
            for (uint64_t i = 0; i < changes; ++i) {
                uint64_t at = 8 + test_next(&random) % (round % 3 == 0 ? 200 : count - 8);
                copy[at] = test_next(&random) % 3 == 0 ? (uint8_t)test_next(&random)
                                                       : (uint8_t)(copy[at] ^ 1u << round % 8);
            }
            gz_tree_file_seal(copy, count);
            gz_tree tree;
            if (gz_tree_load_memory(context, "made up", copy, count, &tree) != GRAZE_OK) {
                ++refused;
                continue;
            }
            ++loaded;
            ask(&query, &tree, &tree);
            gz_tree_free(&tree);
        }
        test_free(copy);
        test_free(bytes);
    }
    print_message("%llu refused, %llu sound\n", (unsigned long long)refused,
                  (unsigned long long)loaded);
    assert_true(refused > 1000 && loaded > 100);
    gz_pair_query_free(&query);
    test_context_done(context);
}

static gz_tree tree_of_soup(graze_context *context, soup_case *c, bool doubles)
{
    graze_shape_def def = graze_shape_def_default();
    gz_tree tree;
    soup_case_make(c, 5, 80);
    if (doubles) {
        c->a.view.positions = c->a.position;
        c->a.view.precision = GRAZE_FLOAT64;
    }
    assert_int_equal(gz_tree_build(context, &c->a.view, &def, &tree), GRAZE_OK);
    assert_true(tree.leaf_count > 1);
    return tree;
}

// Whatever is done to the slab of one child, its leaf is no longer in it, or it is not a slab.
static void wrong_slabs_are_refused(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    gz_tree tree = tree_of_soup(context, &c, false);
    for (uint32_t node = 0; node < tree.node_count; ++node)
        for (uint32_t lane = 0; lane < gz_tree_links(&tree, node)->child_count; ++lane) {
            gz_node *at = &((gz_node *)tree.nodes)[node], kept = *at;
            const float changes[] = {1e-3f, NAN, HUGE_VALF};
            for (int i = 0; i < 6; ++i) {
                at->slab[i < 3 ? GZ_ROW_LOW(lane) : GZ_ROW_HIGH(lane)] += changes[i % 3];
                assert_int_equal(gz_tree_check(&tree, &c.a.view), GRAZE_ERROR_FORMAT);
                *at = kept;
            }
            for (int axis = 0; axis < 3; ++axis)
                at->normal[axis][lane] = 100; // of length 1.36
            at->slab[GZ_ROW_LOW(lane)] = at->slab[GZ_ROW_HIGH(lane)] = -9;
            assert_int_equal(gz_tree_check(&tree, &c.a.view), GRAZE_ERROR_FORMAT);
            *at = kept;
        }
    assert_int_equal(gz_tree_check(&tree, &c.a.view), GRAZE_OK);
    gz_tree_free(&tree);
    test_context_done(context);
}

// Nothing is read beyond the vertices of a tree of doubles, the loose ones included.
static void vertices_that_are_not_there(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    gz_tree tree = tree_of_soup(context, &c, true);
    gz_leaf64 *leaves = tree.leaves;
    for (uint32_t leaf = 0; leaf < tree.leaf_count; ++leaf) {
        gz_leaf64 kept = leaves[leaf];
        uint64_t beyond = tree.vertex_count - kept.head.vertex_count - GZ_LOOSE_VERTICES + 1;
        const uint64_t wrong[] = {beyond, tree.vertex_count, tree.vertex_count + 1, UINT64_MAX / 3,
                                  UINT64_MAX};
        for (int i = 0; i < 5; ++i) {
            leaves[leaf].first_vertex = wrong[i];
            assert_int_equal(gz_tree_check(&tree, NULL), GRAZE_ERROR_FORMAT);
        }
        leaves[leaf] = kept;
    }
    uint64_t count = tree.vertex_count;
    tree.vertex_count -= 1;
    assert_int_equal(gz_tree_check(&tree, NULL), GRAZE_ERROR_FORMAT);
    tree.vertex_count = count;
    assert_int_equal(gz_tree_check(&tree, &c.a.view), GRAZE_OK);
    gz_tree_free(&tree);
    test_context_done(context);
}

static graze_status save_and_load(graze_context *context, void *data)
{
    const soup_case *c = data;
    gz_tree made, loaded;
    graze_shape_def def = graze_shape_def_default();
    def.layout = GRAZE_LAYOUT_COMPACT;
    graze_status status = gz_tree_build(context, &c->a.view, &def, &made);
    if (status != GRAZE_OK)
        return status;
    status = gz_tree_save(&made, path);
    if (status == GRAZE_OK)
        status = gz_tree_load(context, path, &loaded);
    if (status == GRAZE_OK)
        gz_tree_free(&loaded);
    gz_tree_free(&made);
    return status;
}

static void failing_leaves_nothing_behind(void **state)
{
    (void)state;
    static soup_case c;
    soup_case_make(&c, 4, 80);
    assert_true(test_all_faults(save_and_load, &c, 1) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(saved_shapes_come_back),
        cmocka_unit_test(shapes_can_be_saved),
        cmocka_unit_test(wrong_slabs_are_refused),
        cmocka_unit_test(vertices_that_are_not_there),
        cmocka_unit_test(parts_of_files_are_refused),
        cmocka_unit_test(made_up_shapes_are_refused_or_sound),
        cmocka_unit_test(failing_leaves_nothing_behind),
    };
    int descriptor = mkstemp(path);
    if (descriptor >= 0)
        close(descriptor);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    return failed;
}
