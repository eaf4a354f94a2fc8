// Questions about models: they give the answers that the oracle and shapes in memory give, for
// meshes against models and models against models, in a cache of the least size, on one and on
// several threads; and nothing is left where memory or reading fails.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "both_ways.h"
#include "model/model_file.h"
#include "soups.h"
#include "two_models.h"

static void check_lists(const graze_answer *got, const graze_answer *want)
{
    assert_int_equal(got->verdict, want->verdict);
    assert_int_equal(got->complete, 1);
    assert_int_equal(got->pair_count, want->pair_count);
    if (want->pair_count == 0)
        return;
    if (want->pairs != NULL)
        assert_memory_equal(got->pairs, want->pairs, want->pair_count * sizeof *got->pairs);
    if (want->contacts != NULL)
        assert_memory_equal(got->contacts, want->contacts,
                            want->pair_count * sizeof *got->contacts);
}

// Every kind of list, at the case's tolerance.
static void compare_collide(graze_query *query, graze_query *other, const both_ways *a,
                            const both_ways *b, const soup_case *c)
{
    graze_collide_def def = graze_collide_def_default();
    def.tolerance = c->tolerance;
    for (int collect = 0; collect <= GRAZE_COLLECT_CONTACTS; ++collect) {
        def.collect = (graze_collect)collect;
        def.use_threads = 0;
        graze_answer want, got;
        assert_int_equal(graze_query_collide(other, graze_at(a->in_memory, &c->pose_a),
                                             graze_at(b->in_memory, &c->pose_b), &def, &want),
                         GRAZE_OK);
        def.use_threads = (uint32_t)(c->seed % 2);
        for (int way = 0; way < WAYS; ++way) {
            assert_int_equal(
                graze_query_collide(query, graze_at(both_ways_side(a, way, 0), &c->pose_a),
                                    graze_at(both_ways_side(b, way, 1), &c->pose_b), &def, &got),
                GRAZE_OK);
            if (collect == GRAZE_COLLECT_VERDICT)
                assert_int_equal(got.verdict, want.verdict);
            else
                check_lists(&got, &want);
        }
    }
}

static void compare_distance(graze_query *query, graze_query *other, const both_ways *a,
                             const both_ways *b, const soup_case *c)
{
    graze_distance_def def = graze_distance_def_default();
    for (int turn = 0; turn < 3; ++turn) {
        graze_distance want, got;
        def.value_only = turn == 2;
        assert_int_equal(graze_query_distance(other, graze_at(a->in_memory, &c->pose_a),
                                              graze_at(b->in_memory, &c->pose_b), &def, &want),
                         GRAZE_OK);
        for (int way = 0; way < WAYS; ++way) {
            assert_int_equal(
                graze_query_distance(query, graze_at(both_ways_side(a, way, 0), &c->pose_a),
                                     graze_at(both_ways_side(b, way, 1), &c->pose_b), &def, &got),
                GRAZE_OK);
            assert_int_equal(got.verdict, want.verdict);
            assert_true(got.distance == want.distance && got.least == want.least);
            if (turn == 2 || got.distance == HUGE_VAL)
                continue;
            assert_int_equal(got.pair.a, want.pair.a);
            assert_int_equal(got.pair.b, want.pair.b);
            assert_memory_equal(got.point_a, want.point_a, sizeof got.point_a);
            assert_memory_equal(got.point_b, want.point_b, sizeof got.point_b);
        }
        def.limit = want.distance * (turn == 0 ? 1 : 0.5); // exactly reached, then missed
    }
}

static void compare_seed(uint64_t seed, bool apart)
{
    soup_case *c = calloc(1, sizeof *c);
    soup_case_make(c, seed, 150);
    if (apart)
        for (int axis = 0; axis < 3; ++axis)
            c->pose_b.translation[axis] +=
                ldexp(fabs(c->a.position[0]) + fabs(c->b.position[0]), (int)(seed % 3));
    graze_context *context =
        both_ways_context(1 + (uint32_t)(seed % 3), 2, 1 + (uint32_t)(seed % 23));
    graze_query *query = NULL, *other = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &other), GRAZE_OK);
    both_ways a = both_ways_make(context, &c->a.view), b = both_ways_make(context, &c->b.view);
    compare_collide(query, other, &a, &b, c);
    compare_distance(query, other, &a, &b, c);
    both_ways_free(&a);
    both_ways_free(&b);
    graze_query_free(query);
    graze_query_free(other);
    test_context_done(context);
    free(c);
}

static void test_soups(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(36); ++seed)
        compare_seed(seed, false);
}

static void test_soups_apart(void **state)
{
    (void)state;
    for (uint64_t seed = 1000; seed < 1000 + TEST_CHANCES(24); ++seed)
        compare_seed(seed, true);
}

// All that the context holds stays within the cache's limit, beside what open models and the query
// hold: for every size, with the same answer; and small ones read more.
static void test_limit_holds(void **state)
{
    (void)state;
    char a[MODEL_PATH_BYTES], b[MODEL_PATH_BYTES];
    two_models_write("terrain", 100000, a); // in contact nearly everywhere
    two_models_write("grid", 100000, b);
    uint64_t first = 0, loads = UINT64_MAX;
    for (uint64_t mib = 2; mib <= 16; mib *= TEST_SANITIZED ? 8 : 2) {
        graze_context_def def = graze_context_def_default();
        def.cache_byte_limit = mib << 20;
        def.thread_count = 4;
        graze_context *context = test_context(&def);
        two_models two;
        assert_int_equal(two_models_open(context, a, b, &two), GRAZE_OK);
        uint64_t open = graze_context_memory(context).current_bytes, count = 0;
        for (int turn = 0; turn < 4; ++turn) {
            assert_int_equal(two_models_count(&two, turn % 2 != 0, &count), GRAZE_OK);
            assert_true(count > 1000 && (first == 0 || count == first));
            first = count;
        }
        graze_cache_use use = graze_model_cache_use(two.model[0]);
        assert_true(use.limit_bytes == mib << 20 && use.peak_bytes <= use.limit_bytes);
        assert_true(use.loads <= loads && use.bytes_read > 0);
        loads = use.loads;
        uint64_t scratch = 4 * (UINT64_C(512) << 10); // of four pair queries
        assert_true(graze_context_memory(context).peak_bytes <= open + use.limit_bytes + scratch);
        two_models_close(&two);
        test_context_done(context);
    }
    unlink(a);
    unlink(b);
}

// What a question asked last is what the next one asks first, so that a cache that is too small for
// all of it is of use.
static void test_turning_around(void **state)
{
    (void)state;
    test_of_one_thread();
    char a[MODEL_PATH_BYTES], b[MODEL_PATH_BYTES];
    two_models_write("terrain", 100000, a);
    two_models_write("grid", 100000, b);
    graze_context_def def = graze_context_def_default();
    def.cache_byte_limit = UINT64_C(5) << 20;
    def.thread_count = 1;
    graze_context *context = test_context(&def);
    two_models two;
    assert_int_equal(two_models_open(context, a, b, &two), GRAZE_OK);
    uint64_t loads[4] = {0}, count = 0;
    for (int turn = 0; turn < 4; ++turn) {
        uint64_t before = graze_model_cache_use(two.model[0]).loads;
        assert_int_equal(two_models_count(&two, false, &count), GRAZE_OK);
        loads[turn] = graze_model_cache_use(two.model[0]).loads - before;
    }
    assert_true(loads[1] > 0 && loads[1] <= loads[0] * 4 / 5);
    assert_true(loads[2] <= loads[0] * 4 / 5 && loads[3] <= loads[0] * 4 / 5);
    two_models_close(&two);
    test_context_done(context);
    unlink(a);
    unlink(b);
}

// Every box over clusters holds those below it.
static void test_boxes_hold(void **state)
{
    (void)state;
    char a[MODEL_PATH_BYTES];
    two_models_write("sphere", 90000, a);
    graze_context *context = test_context(NULL);
    graze_model *model = NULL;
    assert_int_equal(graze_model_open(context, a, &model), GRAZE_OK);
    const gz_part_boxes *tree = &model->boxes;
    assert_true(tree->level_count == 4 && tree->count[3] == 1);
    for (uint32_t level = 0; level < 3; ++level)
        for (uint32_t i = 0; i < tree->count[level]; ++i) {
            gz_middle in = gz_part_boxes_middle(&model->boxes, level, i);
            gz_middle out = gz_part_boxes_middle(&model->boxes, level + 1, i / 8);
            for (int axis = 0; axis < 3; ++axis)
                assert_true(fabs(in.origin[axis] - out.origin[axis]) + in.half[axis] <=
                            out.half[axis] * (1 + 1e-12));
        }
    graze_model_free(model);
    test_context_done(context);
    unlink(a);
}

static void test_little_cache_is_refused(void **state)
{
    (void)state;
    char a[MODEL_PATH_BYTES];
    two_models_write("cone", 100, a);
    graze_context_def def = graze_context_def_default();
    def.cache_byte_limit = 1 << 20;
    graze_context *context = test_context(&def);
    graze_model *model = NULL;
    assert_int_equal(graze_model_open(context, a, &model), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "at least 2 MiB"));
    test_context_done(context);
    unlink(a);
}

// The n-th allocation, or the n-th read, fails: nothing is left, and a later try gives the answer.
static void test_failing(void **state)
{
    (void)state;
    char a[MODEL_PATH_BYTES], b[MODEL_PATH_BYTES];
    two_models_write("sphere", 3000, a);
    two_models_write("torus", 3000, b);
    for (int reads = 0; reads < 2; ++reads)
        for (int64_t n = 0;; ++n) {
            graze_context *context = both_ways_context(1, 2, 0);
            _Atomic int64_t *left = reads != 0 ? &gz_knobs_for(context)->reads_left
                                               : &gz_knobs_for(context)->allocations_left;
            two_models two;
            uint64_t count = 0, again = 0;
            atomic_store(left, n);
            graze_status status = two_models_open(context, a, b, &two);
            bool open = status == GRAZE_OK;
            if (open)
                status = two_models_count(&two, false, &count);
            bool failed = atomic_load(left) < 0;
            atomic_store(left, -1);
            assert_true(failed ? true : status == GRAZE_OK);
            if (status != GRAZE_OK)
                assert_true(test_last_error[0] != '\0');
            if (open && status != GRAZE_OK) {
                assert_int_equal(two_models_count(&two, false, &again), GRAZE_OK);
                assert_true(again > 0);
            }
            two_models_close(&two);
            test_context_done(context);
            if (!failed)
                break;
        }
    unlink(a);
    unlink(b);
}

static void test_what_models_do_not_answer(void **state)
{
    (void)state;
    char a[MODEL_PATH_BYTES];
    two_models_write("cone", 300, a);
    graze_context *context = both_ways_context(1, 2, 0), *other = test_context(NULL);
    two_models two;
    assert_int_equal(two_models_open(context, a, a, &two), GRAZE_OK);
    assert_int_equal(graze_shape_save(two.shape[0], "x"), GRAZE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(test_last_error, "export it to a mesh first"));
    graze_query *foreign = NULL;
    graze_pose still = graze_pose_identity();
    double here[3] = {0, 0, 0};
    graze_place place;
    assert_int_equal(graze_query_create(other, &foreign), GRAZE_OK);
    assert_int_equal(graze_query_inside(foreign, graze_at(two.shape[0], &still), here, &place),
                     GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "of its own context"));
    graze_query_free(foreign);
    two_models_close(&two);
    test_context_done(other);
    test_context_done(context);
    unlink(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups),       cmocka_unit_test(test_soups_apart),
        cmocka_unit_test(test_limit_holds), cmocka_unit_test(test_turning_around),
        cmocka_unit_test(test_boxes_hold),  cmocka_unit_test(test_little_cache_is_refused),
        cmocka_unit_test(test_failing),     cmocka_unit_test(test_what_models_do_not_answer),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
