// Intersections, their corners and order, against the oracle.
#include "check.h"

static void intersections_are_exact(void **state)
{
    (void)state;
    check_plan plan = {.name = "intersect",
                       .checks = {check_intersect},
                       .random_pairs = 100000,
                       .nasty_pairs = 100000,
                       .exact_share = 0.0};
    check_run(&plan, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intersections_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
