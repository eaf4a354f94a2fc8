// The external sorter against the C library's sort, for tiny and ample memory and skewed keys.
#include "test.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/sorter.h"
#include "faults.h"

typedef struct trial {
    gz_sorter_def def;
    uint64_t count, seed;
    int skew;      // which keys; see fill
    uint8_t *keys; // expected, sorted
    bool went_to_disk;
} trial;

static size_t compared_bytes;

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, compared_bytes); }

static void fill(const trial *t, uint8_t *records)
{
    test_random random = {t->seed};
    uint32_t size = t->def.record_bytes;
    uint64_t mask = UINT64_MAX >> t->def.zero_bits;
    for (uint64_t i = 0; i < t->count; ++i) {
        uint64_t chance = test_next(&random);
        uint64_t key = t->skew == 0   ? chance
                       : t->skew == 1 ? chance % 3 * (mask / 2)
                       : t->skew == 2 ? i / 4
                       : t->skew == 3 ? (chance % 10 == 0 ? chance : 77) // most are alike
                                      : 12345;
        memset(records + i * size, 0, size);
        gz_put_number(records + i * size, key & mask, 8);
        if (size > 8 && t->skew != 4)
            records[i * size + size - 1] = (uint8_t)(chance >> 40) & 1;
    }
}

static graze_status run_trial(graze_context *context, void *data)
{
    trial *t = data;
    uint32_t size = t->def.record_bytes;
    uint8_t *records = malloc((size_t)(t->count * size) + 1);
    fill(t, records);
    uint64_t before = graze_context_memory(context).current_bytes;
    gz_sorter *sorter = NULL;
    graze_status status = gz_sorter_open(context, &t->def, &sorter);
    test_random random = {t->seed + 77};
    for (uint64_t done = 0; done < t->count && status == GRAZE_OK;) {
        uint64_t piece = test_next(&random) % 300;
        if (piece > t->count - done)
            piece = t->count - done;
        status = gz_sorter_push(sorter, records + done * size, piece);
        done += piece;
    }
    const uint8_t *next = NULL;
    uint64_t next_count = 0, seen = 0;
    while (status == GRAZE_OK &&
           (status = gz_sorter_next(sorter, &next, &next_count)) == GRAZE_OK && next_count != 0) {
        assert_true(next_count <= t->count - seen);
        if (memcmp(next, t->keys + seen * size, (size_t)(next_count * size)) != 0)
            fail_msg("wrong order at %llu, seed %llu, skew %d", (unsigned long long)seen,
                     (unsigned long long)t->seed, t->skew);
        seen += next_count;
    }
    if (status == GRAZE_OK) {
        assert_int_equal(seen, t->count);
        assert_int_equal(gz_sorter_count(sorter), t->count);
        t->went_to_disk = gz_sorter_on_disk(sorter);
        // Levels are bookkeeping beyond the share: 6 KiB for each bit of the key at worst.
        assert_true(graze_context_memory(context).peak_bytes - before <=
                    t->def.memory_bytes + 20000 + UINT64_C(7000) * 8 * size);
    }
    gz_sorter_close(sorter);
    free(records);
    return status;
}

static void prepare(trial *t)
{
    uint32_t size = t->def.record_bytes;
    t->keys = malloc((size_t)(t->count * size) + 1);
    fill(t, t->keys);
    compared_bytes = size;
    qsort(t->keys, (size_t)t->count, size, by_bytes);
}

static void order_is_that_of_memcmp(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {8, 9, 13, 17, 40, 121};
    int disk = 0, memory = 0;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(150); ++seed) {
        test_random random = {seed};
        trial t = {.seed = seed, .skew = (int)(seed % 5)};
        t.def.record_bytes = sizes[test_next(&random) % 6];
        t.def.zero_bits = (uint32_t)(test_next(&random) % 20);
        t.def.fan_bits = 1 + (uint32_t)(test_next(&random) % 8);
        t.def.stage = "sorting";
        t.count = test_next(&random) % 6000;
        uint64_t least = gz_sorter_least_memory(t.def.record_bytes, t.def.fan_bits);
        uint64_t all = t.count * t.def.record_bytes;
        t.def.memory_bytes = test_next(&random) % 3 == 0
                                 ? least + all * 2
                                 : least + test_next(&random) % (all / 4 + 1);
        prepare(&t);
        graze_context_def def = graze_context_def_default();
        def.thread_count = 1 + (uint32_t)(seed % 3);
        graze_context *context = test_context(&def);
        assert_int_equal(run_trial(context, &t), GRAZE_OK);
        test_context_done(context);
        disk += t.went_to_disk;
        memory += !t.went_to_disk;
        free(t.keys);
    }
    assert_true(disk > TEST_CHANCES(30) && memory > TEST_CHANCES(30));
}

// Blocks of a page and more are given back to the file system after reading.
static void pages_are_given_back(void **state)
{
    (void)state;
    trial t = {.count = 300000, .seed = 4, .def = {.record_bytes = 10, .stage = "sorting"}};
    t.def.memory_bytes = 257 * 4096;
    prepare(&t);
    graze_context *context = test_context(NULL);
    assert_int_equal(run_trial(context, &t), GRAZE_OK);
    assert_true(t.went_to_disk);
    test_context_done(context);
    free(t.keys);
}

static void faults_leave_nothing(void **state)
{
    (void)state;
    for (int skew = 0; skew < 5; skew += 2) {
        trial t = {.count = 300, .seed = 11, .skew = skew};
        t.def = (gz_sorter_def){.record_bytes = 9, .fan_bits = 2, .stage = "sorting"};
        t.def.memory_bytes = 1000;
        prepare(&t);
        assert_true(test_all_faults(run_trial, &t, 1) > 20);
        free(t.keys);
    }
}

static int cancel_at_once(void *user)
{
    (void)user;
    return 1;
}

static void cancelling_ends_it(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.cancel = cancel_at_once;
    trial t = {.count = 700, .seed = 11};
    t.def = (gz_sorter_def){.record_bytes = 9, .fan_bits = 2, .stage = "sorting"};
    for (t.def.memory_bytes = 2000; t.def.memory_bytes < 100000; t.def.memory_bytes *= 30) {
        prepare(&t);
        graze_context *context = test_context(&def);
        assert_int_equal(run_trial(context, &t), GRAZE_ERROR_CANCELLED);
        test_context_done(context);
        free(t.keys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_that_of_memcmp),
        cmocka_unit_test(pages_are_given_back),
        cmocka_unit_test(faults_leave_nothing),
        cmocka_unit_test(cancelling_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
