// The batched triangle tests give the answers of the single ones, on every SIMD width.
#include "check.h"

#include <stdlib.h>

static int open_contexts(void **state)
{
    (void)state;
    check_contexts_open();
    return check_context_count() > 0 ? 0 : -1;
}

static int close_contexts(void **state)
{
    (void)state;
    check_contexts_close();
    return 0;
}

static void small_batches(void **state)
{
    (void)state;
    print_message("%d SIMD widths\n", check_context_count());
    check_plan plan = {.name = "many",
                       .checks = {check_many},
                       .batch = 20,
                       .random_pairs = 5000,
                       .nasty_pairs = 10000};
    check_run(&plan, NULL);
}

// One call for very many: random ones, so that most are settled without doubt.
static void one_large_batch(void **state)
{
    (void)state;
    enum { COUNT = 100003 };
    graze_triangle *b = malloc(COUNT * sizeof *b);
    uint32_t *bits = malloc((COUNT / 32 + 1) * sizeof *bits);
    assert_non_null(b);
    assert_non_null(bits);
    nasty_pair pair = {0};
    for (uint64_t i = 0; i < COUNT; ++i) {
        nasty_make(1, (int)(i % (uint64_t)nasty_random_count()), i, &pair);
        b[i] = pair.b;
    }
    nasty_make(1, 0, COUNT, &pair);
    for (int w = 0; w < check_context_count(); ++w) {
        graze_context *context = check_context(w);
        uint32_t met = 0;
        graze_triangle_meet_many(context, &pair.a, b, COUNT, bits);
        for (uint32_t i = 0; i < COUNT; ++i) {
            uint32_t bit = bits[i / 32] >> i % 32 & 1u;
            assert_int_equal(bit, graze_triangle_meet(&pair.a, &b[i]));
            met += bit;
        }
        assert_int_equal(bits[COUNT / 32] >> COUNT % 32, 0);
        assert_true(met > COUNT / 50);
        graze_triangle_within_many(context, &pair.a, b, COUNT, 0.1, bits);
        for (uint32_t i = 0; i < COUNT; ++i)
            assert_int_equal(bits[i / 32] >> i % 32 & 1u,
                             graze_triangle_within(&pair.a, &b[i], 0.1));
        assert_int_equal(bits[COUNT / 32] >> COUNT % 32, 0);
    }
    free(bits);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_batches),
        cmocka_unit_test(one_large_batch),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
