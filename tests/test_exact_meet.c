// Meeting and tolerances against the oracle: a million random and a million nasty pairs.
#include "check.h"

static void meeting_is_exact(void **state)
{
    (void)state;
    check_plan plan = {.name = "meet",
                       .checks = {check_meet},
                       .random_pairs = 1000000,
                       .nasty_pairs = 1000000,
                       .exact_share = 0.4,
                       .long_share = 0.2};
    check_run(&plan, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meeting_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
