// The tree with exchangeable volumes, with each of them: valid trees, the true pairs, builds that
// end.
#include "test.h"

#include "boxtree/papers/palette.h"
#include "faults.h"
#include "pair_scenes.h"

static uint64_t check_scene(graze_context *context, gz_palette_query *query,
                            const gz_volume_kind *kind, const pair_scene *s, const char *scene)
{
    char label[160];
    snprintf(label, sizeof label, "%s, %s", kind->name, scene);
    gz_palette a, b;
    assert_int_equal(gz_palette_build(context, &s->a.view, kind, &a), GRAZE_OK);
    assert_int_equal(gz_palette_build(context, &s->b.view, kind, &b), GRAZE_OK);
    if (!gz_palette_valid(&a) || !gz_palette_valid(&b))
        fail_msg("%s: not valid", label);
    assert_int_equal(gz_palette_query_run(query, &a, &s->pose_a, &b, &s->pose_b), GRAZE_OK);
    const gz_plain_counters *counters = &query->plain.counters;
    assert_int_equal(counters->contacts, query->plain.pairs.count);
    assert_true(counters->exact_tests <= counters->triangle_tests);
    pair_scene_check(s, query->plain.pairs.items, query->plain.pairs.count, label);
    gz_palette_free(&a);
    gz_palette_free(&b);
    return counters->triangle_tests;
}

static void pairs_are_those_of_the_oracle(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_palette_query query;
    gz_palette_query_init(&query, context);
    uint64_t small[16] = {0}, small_pairs = 0;
    for (int scene = 0; scene < pair_scene_kinds(); ++scene)
        for (uint64_t seed = 1; seed <= 12; ++seed) {
            pair_scene *s = pair_scene_make(seed, scene);
            char label[100];
            snprintf(label, sizeof label, "seed %llu, %s", (unsigned long long)seed,
                     pair_scene_kind_name(scene));
            for (int k = 0; gz_volume_kinds[k] != NULL; ++k) {
                uint64_t tests = check_scene(context, &query, gz_volume_kinds[k], s, label);
                if (scene == 1) {
                    small[k] += tests;
                    small_pairs += s->a.view.triangle_count * s->b.view.triangle_count;
                }
            }
            pair_scene_free(s);
        }
    // Volumes must be worth their while where triangles are many and small, each as it should.
    enum { SPHERE, AABB, OBB, DOP };
    assert_true(small[SPHERE] * 100 < small_pairs);
    assert_true(small[AABB] * 4 < small[SPHERE] * 3);
    assert_true(small[OBB] * 4 < small[AABB] * 3);
    assert_true(small[DOP] * 4 < small[AABB] * 3);
    gz_palette_query_free(&query);
    test_context_done(context);
}

static void nasty_builds_end(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    enum { COUNT = 2000 };
    float *position = test_malloc(sizeof(float) * 9 * COUNT);
    uint32_t *corner = test_malloc(sizeof(uint32_t) * 3 * COUNT);
    for (uint32_t i = 0; i < 3 * COUNT; ++i)
        corner[i] = i;
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = 3 * COUNT,
                            .triangle_count = COUNT,
                            .positions = position,
                            .corners = corner};
    static const uint64_t node_bytes[] = {20, 28, 64, 100}; // the paper's 16, 28, 64 and 100
    for (int nasty = 0; nasty < SCENE_NASTY_KINDS; ++nasty) {
        pair_scene_nasty(nasty, COUNT, position);
        for (int k = 0; gz_volume_kinds[k] != NULL; ++k) {
            gz_palette tree;
            assert_int_equal(gz_palette_build(context, &view, gz_volume_kinds[k], &tree), GRAZE_OK);
            assert_true(gz_palette_valid(&tree));
            assert_int_equal(gz_palette_bytes(&tree), 2 * COUNT * node_bytes[k] + sizeof tree);
            gz_palette_free(&tree);
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
    gz_palette tree;
    assert_int_equal(gz_palette_build(context, &none, &gz_volume_obb, &tree), GRAZE_OK);
    assert_true(gz_palette_valid(&tree));
    gz_palette_query query;
    gz_palette_query_init(&query, context);
    graze_pose still = graze_pose_identity();
    assert_int_equal(gz_palette_query_run(&query, &tree, &still, &tree, &still), GRAZE_OK);
    assert_int_equal(query.plain.pairs.count, 0);
    gz_palette_query_free(&query);
    gz_palette_free(&tree);
    graze_mesh_view many = {.triangle_count = GZ_PALETTE_TRIANGLES + UINT64_C(1)};
    assert_int_equal(gz_palette_build(context, &many, &gz_volume_obb, &tree),
                     GRAZE_ERROR_UNSUPPORTED);
    test_context_done(context);
}

static graze_status build_and_ask(graze_context *context, void *data)
{
    const pair_scene *s = data;
    gz_palette a = {0}, b = {0};
    gz_palette_query query;
    gz_palette_query_init(&query, context);
    graze_status status = gz_palette_build(context, &s->a.view, &gz_volume_dop24, &a);
    if (status == GRAZE_OK)
        status = gz_palette_build(context, &s->b.view, &gz_volume_dop24, &b);
    if (status == GRAZE_OK)
        status = gz_palette_query_run(&query, &a, &s->pose_a, &b, &s->pose_b);
    gz_palette_query_free(&query);
    gz_palette_free(&a);
    gz_palette_free(&b);
    return status;
}

static void faults_leak_nothing(void **state)
{
    (void)state;
    pair_scene *s = pair_scene_make(1, 5);
    assert_true(s->pair_count > 20);
    assert_true(test_all_faults(build_and_ask, s, 1) > 6);
    pair_scene_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_the_oracle),
        cmocka_unit_test(nasty_builds_end),
        cmocka_unit_test(nothing_and_too_much),
        cmocka_unit_test(faults_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
