// Distances and closest points against the oracle.
#include "check.h"

static void closest_points_are_exact(void **state)
{
    (void)state;
    check_plan plan = {.name = "distance",
                       .checks = {check_closest},
                       .random_pairs = 100000,
                       .nasty_pairs = 100000,
                       .exact_share = 0.0};
    check_run(&plan, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_points_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
