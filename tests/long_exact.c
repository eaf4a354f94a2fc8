// All of the triangle geometry against the oracle: ten million random and ten million nasty pairs
// for signs, meeting and tolerances; two million each for distances, closest points and
// intersections, which cost ten times as much; and the batched forms. Every branch of the exact
// path is taken.
#include "check.h"

static void all_is_exact(void **state)
{
    (void)state;
    check_state total = {0};
    check_contexts_open();
    const check_plan plans[] = {
        {.name = "predicates, meet, within",
         .checks = {check_predicates, check_meet},
         .random_pairs = 10000000,
         .nasty_pairs = 10000000,
         .exact_share = 0.4,
         .long_share = 0.2},
        {.name = "closest, intersect",
         .checks = {check_closest, check_intersect},
         .random_pairs = 2000000,
         .nasty_pairs = 2000000},
        {.name = "many",
         .checks = {check_many},
         .batch = 20,
         .random_pairs = 100000,
         .nasty_pairs = 100000},
    };
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; ++i)
        check_run(&plans[i], &total);
    check_contexts_close();
    check_branches(total.branch, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
