// Signs of determinants against the oracle: a million random and a million nasty pairs.
#include "check.h"

static void predicates_are_exact(void **state)
{
    (void)state;
    check_plan plan = {.name = "predicates",
                       .checks = {check_predicates},
                       .random_pairs = 1000000,
                       .nasty_pairs = 1000000,
                       .exact_share = 0.4,
                       .long_share = 0.2};
    check_run(&plan, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicates_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
