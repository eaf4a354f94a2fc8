// The radix sort against the C library's, for every record size in use and for nasty keys.
#include "test.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/sort.h"

static size_t compared_bytes;

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, compared_bytes); }

typedef enum key_kind { UNIFORM, FEW_VALUES, COUNTING, LAST_BYTE, ALL_EQUAL, KEY_KINDS } key_kind;

static void fill(uint8_t *records, uint64_t count, uint32_t size, key_kind kind,
                 test_random *random)
{
    for (uint64_t i = 0; i < count; ++i)
        for (uint32_t b = 0; b < size; ++b) {
            uint8_t *byte = records + i * size + b;
            uint64_t chance = test_next(random);
            switch (kind) {
            case UNIFORM: *byte = (uint8_t)chance; break;
            case FEW_VALUES: *byte = chance % 11 == 0 ? 255 : (uint8_t)(chance >> 32 & 1); break;
            case COUNTING:
                *byte = b + 4 >= size ? (uint8_t)((count - i) >> 8 * (size - 1 - b)) : 0;
                break;
            case LAST_BYTE: *byte = b + 1 == size ? (uint8_t)chance : 7; break;
            default: *byte = 200; break;
            }
        }
}

static void check_sort(graze_context *context, uint64_t count, uint32_t size, key_kind kind,
                       uint64_t seed)
{
    test_random random = {seed};
    uint8_t *records = malloc((size_t)(count * size) + 1),
            *expected = malloc((size_t)(count * size) + 1);
    fill(records, count, size, kind, &random);
    memcpy(expected, records, (size_t)(count * size));
    compared_bytes = size;
    qsort(expected, (size_t)count, size, by_bytes);
    uint64_t scratch_bytes = count * size * (seed % 4) / 3; // none, a third, two thirds, all
    uint8_t *scratch = malloc((size_t)scratch_bytes + 1);
    gz_sort_records(context, records, count, size, kind == LAST_BYTE ? size - 1 : 0,
                    gz_arena_over(scratch, scratch_bytes));
    free(scratch);
    if (memcmp(records, expected, (size_t)(count * size)) != 0)
        fail_msg("wrong order: %u bytes, kind %d, seed %llu", size, (int)kind,
                 (unsigned long long)seed);
    free(records);
    free(expected);
}

static void order_is_that_of_memcmp(void **state)
{
    (void)state;
    test_of_one_thread();
    static const uint32_t sizes[] = {8, 9, 10, 11, 13, 15, 16, 17, 24, 29, 33, 120, 128};
    for (uint64_t seed = 1; seed <= 5; ++seed)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
            for (int kind = 0; kind < KEY_KINDS; ++kind) {
                test_random random = {seed * 1000 + s};
                check_sort(NULL, test_next(&random) % 1500, sizes[s], (key_kind)kind, seed);
            }
    for (uint64_t count = 0; count < 90; ++count)
        check_sort(NULL, count, 17, UNIFORM, count);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (uint32_t threads = TEST_SANITIZED ? 3 : 1; threads <= 3; ++threads) {
        graze_context_def def = graze_context_def_default();
        def.thread_count = threads;
        graze_context *context = test_context(&def);
        for (int kind = 0; kind < KEY_KINDS; ++kind)
            for (uint64_t seed = 0; seed < (TEST_SANITIZED ? 2 : 4); ++seed)
                check_sort(context, 150000, 10, (key_kind)kind, seed);
        test_context_done(context);
    }
}

static void numbers_keep_their_order(void **state)
{
    (void)state;
    uint8_t a[8], b[8];
    test_random random = {3};
    for (int i = 0; i < 10000; ++i) {
        uint32_t bytes = 1 + (uint32_t)(test_next(&random) % 8);
        uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
        uint64_t x = test_next(&random) & mask, y = test_next(&random) & mask;
        gz_put_number(a, x, bytes);
        gz_put_number(b, y, bytes);
        assert_int_equal(gz_get_number(a, bytes), x);
        assert_int_equal(memcmp(a, b, bytes) < 0, x < y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_that_of_memcmp),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(numbers_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
