// The context, its allocator, lists and parallel loops.
#include "test.h"

#include <math.h>
#include <stdatomic.h>

#include "base/big_block.h"
#include "base/context.h"
#include "base/heap.h"
#include "base/memory.h"
#include "base/threads.h"

static void limit_holds(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.memory_byte_limit = 10000;
    graze_context *context = test_context(&def);
    assert_null(gz_allocate(context, 20000));
    void *block = gz_allocate(context, 5000);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 64, 0);
    assert_null(gz_resize(context, block, 5000, 10001));
    void *grown = gz_resize(context, block, 5000, 9000);
    assert_non_null(grown);
    assert_true(graze_context_memory(context).peak_bytes <= 10000);
    gz_release(context, grown, 9000);
    test_context_done(context);
}

static void products_do_not_wrap(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    assert_null(gz_allocate_array(context, UINT64_MAX / 2, 3));
    assert_null(gz_allocate_array(context, UINT64_C(1) << 62, 2)); // fits, but nobody has it
    test_context_done(context);
}

static void resize_keeps_content(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    GZ_LIST(uint64_t) list = {0};
    for (uint64_t i = 0; i < 300000; ++i) {
        uint64_t *slot = gz_list_push(context, &list, 1);
        assert_non_null(slot);
        *slot = i;
        assert_int_equal((uintptr_t)list.items % 64, 0);
    }
    gz_list_trim(context, &list);
    for (uint64_t i = 0; i < list.count; ++i)
        assert_int_equal(list.items[i], i);
    gz_list_free(context, &list);
    test_context_done(context);
}

// A list whose items have another size than those before is a mistake that ends the program.
static void push_other_size(void)
{
    graze_context *context = test_context(NULL);
    GZ_LIST(uint64_t) list = {0};
    GZ_LIST(uint32_t) other = {0};
    assert_non_null(gz_list_push(context, &list, 1));
    other.list = list.list;
    (void)gz_list_push(context, &other, 1);
}
static void push_no_size(void)
{
    graze_context *context = test_context(NULL);
    gz_list unsized = {0};
    (void)gz_items_push(context, &unsized, 1);
}
static void push_past_capacity(void)
{
    graze_context *context = test_context(NULL);
    GZ_LIST(uint64_t) list = {0};
    assert_non_null(gz_list_push(context, &list, 1));
    list.count = list.capacity + 1;
    (void)gz_list_push(context, &list, 1);
}
static void append_own_items(void)
{
    graze_context *context = test_context(NULL);
    GZ_LIST(uint64_t) list = {0};
    uint64_t *items = gz_list_push(context, &list, 4);
    assert_non_null(items);
    (void)gz_list_append(context, &list, items + 1, 2);
}
static void lists_know_their_item_size(void **state)
{
    (void)state;
    test_dies(push_other_size, "item_bytes == item_bytes");
    test_dies(push_no_size, "item_bytes != 0");
    test_dies(push_past_capacity, "count <= list->capacity");
    test_dies(append_own_items, "from >= own");
    graze_context *context = test_context(NULL);
    gz_list list = gz_list_of(12);
    static const char items[36] = "as many bytes as three of them have";
    assert_true(gz_items_append(context, &list, items, 3));
    assert_int_equal(list.count, 3);
    assert_memory_equal(list.items, items, sizeof items);
    gz_items_free(context, &list);
    assert_int_equal(list.item_bytes, 12);
    GZ_LIST(double[3]) points = {0};
    assert_true(gz_list_append(context, &points, points.items, 0));
    double(*point)[3] = gz_list_push(context, &points, 2);
    assert_int_equal(points.item_bytes, 24);
    assert_ptr_equal(point + 2, points.items + points.count);
    gz_list_free(context, &points);
    test_context_done(context);
}

// Items come out in order, however pushes and pops mix; what is given back has what was put in.
typedef struct waiting {
    float key;
    uint32_t number;
} waiting;
GZ_HEAP(least, waiting, key, <)
GZ_HEAP(most, waiting, key, >)

static void pop_nothing(void)
{
    graze_context *context = test_context(NULL);
    GZ_LIST(waiting) heap = {0};
    waiting first = {0};
    assert_true(least_push(context, GZ_ITEMS(&heap), &first));
    least_pop(GZ_ITEMS(&heap), &first);
    least_pop(GZ_ITEMS(&heap), &first);
}

static void heaps_give_the_first(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    test_dies(pop_nothing, "count != 0");
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = {seed};
        GZ_LIST(waiting) up = {0}, down = {0};
        bool there[400] = {false};
        float key[400];
        uint32_t pushed = 0, left = 0;
        while (pushed < 400 || left != 0) {
            if (pushed < 400 && (left == 0 || test_next(&random) % 5 < 3)) {
                key[pushed] = (float)(test_next(&random) % (1 + seed * 10)); // many are equal
                waiting w = {key[pushed], pushed};
                assert_true(least_push(context, GZ_ITEMS(&up), &w));
                w.key = -w.key;
                assert_true(most_push(context, GZ_ITEMS(&down), &w));
                there[pushed++] = true;
                ++left;
                continue;
            }
            float least = HUGE_VALF;
            for (uint32_t i = 0; i < pushed; ++i)
                least = there[i] && key[i] < least ? key[i] : least;
            waiting a, b;
            least_pop(GZ_ITEMS(&up), &a);
            most_pop(GZ_ITEMS(&down), &b);
            assert_true(a.key == least && there[a.number] && key[a.number] == least);
            assert_true(b.key == -least && b.number == a.number); // the same order of equal ones
            there[a.number] = false;
            --left;
        }
        assert_int_equal(up.count, 0);
        gz_list_free(context, &up);
        gz_list_free(context, &down);
    }
    test_context_done(context);
}

// Two blocks grow in turns, so that each is in the way of the other, through both kinds of blocks.
static void big_blocks_keep_content(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {
        1000000,  GZ_BIG_BLOCK_LEAST - 8, GZ_BIG_BLOCK_LEAST,     5000000, 9000008, 33333336,
        20000000, GZ_BIG_BLOCK_LEAST,     GZ_BIG_BLOCK_LEAST - 8, 16};
    graze_context *context = test_context(NULL);
    uint64_t before = graze_context_memory(context).current_bytes;
    uint64_t *blocks[2] = {gz_allocate(context, 8), gz_allocate(context, 8)};
    uint64_t bytes = 8, kept = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        for (uint64_t k = 0; k < 2; ++k) {
            blocks[k] = gz_resize(context, blocks[k], bytes, sizes[i]);
            assert_non_null(blocks[k]);
            assert_int_equal((uintptr_t)blocks[k] % 64, 0);
            kept = kept < sizes[i] / 8 ? kept : sizes[i] / 8;
            for (uint64_t j = 0; j < kept; ++j)
                if (blocks[k][j] != 2 * j + k)
                    fail_msg("step %d: block %d lost word %d", (int)i, (int)k, (int)j);
            for (uint64_t j = kept; j < sizes[i] / 8; ++j)
                blocks[k][j] = 2 * j + k;
        }
        kept = sizes[i] / 8;
        bytes = sizes[i];
        assert_int_equal(graze_context_memory(context).current_bytes, before + 2 * bytes);
    }
    gz_release(context, blocks[0], bytes);
    gz_release(context, blocks[1], bytes);
    test_context_done(context);
}

static void defs_are_checked(void **state)
{
    (void)state;
    graze_context *context = NULL;
    graze_context_def def = graze_context_def_default();
    def.struct_size = 0;
    assert_int_equal(graze_context_create(&def, &context), GRAZE_ERROR_ARGUMENT);
    def.struct_size = sizeof def + 8;
    assert_int_equal(graze_context_create(&def, &context), GRAZE_ERROR_ARGUMENT);
    def = graze_context_def_default();
    def.allocator.release = gz_system_allocator().release;
    assert_int_equal(graze_context_create(&def, &context), GRAZE_ERROR_ARGUMENT);
    assert_null(context);
}

static void add_index(void *data, uint32_t index)
{
    atomic_fetch_add((_Atomic uint64_t *)data, index);
}

static void loops_visit_each_index_once(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 8; ++threads) {
        graze_context_def def = graze_context_def_default();
        def.thread_count = threads;
        graze_context *context = test_context(&def);
        for (uint32_t count = 0; count < 200; ++count) {
            _Atomic uint64_t sum = 0;
            gz_parallel(context, count, add_index, (void *)&sum);
            assert_int_equal(sum, count == 0 ? 0 : (uint64_t)count * (count - 1) / 2);
        }
        test_context_done(context);
    }
}

static void arena_gives_back_by_value(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    gz_arena arena = gz_arena_over(bytes, sizeof bytes);
    gz_arena copy = arena;
    assert_non_null(gz_arena_array(&copy, uint64_t, 100));
    assert_null(gz_arena_array(&copy, uint64_t, 100));
    assert_non_null(gz_arena_array(&arena, uint64_t, 100));
    assert_null(gz_arena_take(&arena, UINT64_MAX, 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_give_the_first),       cmocka_unit_test(limit_holds),
        cmocka_unit_test(products_do_not_wrap),       cmocka_unit_test(resize_keeps_content),
        cmocka_unit_test(lists_know_their_item_size), cmocka_unit_test(big_blocks_keep_content),
        cmocka_unit_test(defs_are_checked),           cmocka_unit_test(loops_visit_each_index_once),
        cmocka_unit_test(arena_gives_back_by_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
