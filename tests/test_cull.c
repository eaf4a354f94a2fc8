// graze_cull_frame: pairs, counts, verdicts and contacts against the oracle, for all widths and
// numbers of threads; its limits; and what it refuses.
#include "test.h"

#include <math.h>

#include "frame_soups.h"

static graze_cull *make_cull(graze_context *context)
{
    graze_cull *cull = NULL;
    assert_int_equal(graze_cull_create(context, NULL, &cull), GRAZE_OK);
    return cull;
}

static graze_cull_answer ask(graze_cull *cull, const frame_case *c, graze_cull_frame_def def)
{
    graze_cull_answer answer;
    assert_int_equal(graze_cull_frame(cull, c->views, c->object_count, &def, &answer), GRAZE_OK);
    assert_int_equal(answer.refused_count, 0);
    return answer;
}

static void ask_all_ways(graze_cull *cull, const frame_case *c)
{
    graze_cull_frame_def def = graze_cull_frame_def_default();
    def.tolerance = c->tolerance;
    for (uint32_t way = 0; way < 3; ++way) {
        def.self = way != 0;
        def.only_self = way == 2;
        def.collect = GRAZE_COLLECT_PAIRS;
        graze_cull_answer answer = ask(cull, c, def);
        frame_case_check(c, &answer, def.self, def.only_self);
        uint64_t pairs = answer.pair_count, objects = answer.object_pair_count;

        def.collect = GRAZE_COLLECT_CONTACTS;
        answer = ask(cull, c, def);
        frame_case_check(c, &answer, def.self, def.only_self);

        def.collect = GRAZE_COLLECT_COUNT;
        answer = ask(cull, c, def);
        assert_true(answer.pair_count == pairs && answer.pairs == NULL && answer.complete);
        assert_int_equal(answer.object_pair_count, objects);

        def.collect = GRAZE_COLLECT_VERDICT;
        answer = ask(cull, c, def);
        assert_true(answer.pair_count == objects && answer.object_pair_count == objects);
        assert_int_equal(answer.verdict, objects != 0 ? GRAZE_CONTACT : GRAZE_APART);
    }
}

static void answers_are_those_of_the_oracle(void **state)
{
    (void)state;
    static frame_case c;
    graze_context *contexts[3] = {NULL};
    graze_cull *culls[3];
    for (int i = 0; i < 3; ++i) {
        graze_context_def def = graze_context_def_default();
        def.thread_count = (uint32_t)i + 1;
        contexts[i] = test_context(&def);
        culls[i] = make_cull(contexts[i]);
    }
    uint64_t contacts[2] = {0, 0};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(200); ++seed) {
        frame_case_make(&c, seed, seed % 4 == 0 ? FRAME_TRIANGLES : 12);
        frame_case_solve(&c);
        ask_all_ways(culls[seed % 3], &c);
        contacts[0] += c.contacts[0];
        contacts[1] += c.contacts[1];
    }
    assert_true(contacts[0] > 1000 && contacts[1] > 1000);
    for (int i = 0; i < 3; ++i) {
        graze_cull_free(culls[i]);
        test_context_done(contexts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
