// Loads of a cache: the same as those of twins that look through everything each time.
#include "test.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "graph_soup.h"
#include "scene/cache_model.h"

// The next place from `from` on that needs a node.
static uint32_t next_need(const gz_overlap_graph *g, const uint32_t *order, uint32_t from,
                          uint32_t node)
{
    for (uint32_t i = from; i < g->edge_count; ++i)
        if (g->edges[order[i]].a == node || g->edges[order[i]].b == node)
            return i;
    return GZ_NO_USE;
}

// Who goes: LRU looks back, b of an edge being newer than a; Belady ahead, and at the larger number
// of two that are needed at once.
static uint32_t choose_victim(const gz_overlap_graph *g, const uint32_t *order, uint32_t now,
                              const bool *held, const uint64_t *used, bool belady)
{
    uint32_t victim = UINT32_MAX;
    uint64_t worst = 0;
    for (uint32_t i = 0; i < g->node_count; ++i) {
        if (!held[i] || i == g->edges[order[now]].a || i == g->edges[order[now]].b)
            continue;
        uint64_t badness =
            belady ? (uint64_t)next_need(g, order, now, i) << 32 | i : UINT64_MAX - used[i];
        if (victim == UINT32_MAX || badness > worst) {
            victim = i;
            worst = badness;
        }
    }
    return victim;
}

static gz_order_loads twin(const gz_overlap_graph *g, const uint32_t *order, uint64_t cache_bytes,
                           bool belady)
{
    gz_order_loads loads = {0};
    bool *held = calloc(g->node_count + 1, sizeof *held);
    uint64_t *used = calloc(g->node_count + 1, sizeof *used), held_bytes = 0;
    for (uint32_t i = 0; i < g->edge_count; ++i) {
        uint32_t both[2] = {g->edges[order[i]].a, g->edges[order[i]].b};
        for (int k = 0; k < 2; ++k) {
            uint64_t missing = 0;
            for (int m = 0; m < 2; ++m)
                missing += held[both[m]] ? 0 : g->bytes[both[m]];
            while (held_bytes + missing > cache_bytes) {
                uint32_t victim = choose_victim(g, order, i, held, used, belady);
                if (victim == UINT32_MAX)
                    break;
                held[victim] = false;
                held_bytes -= g->bytes[victim];
            }
            used[both[k]] = 2 * (uint64_t)i + (uint64_t)k + 1;
            if (held[both[k]])
                continue;
            held[both[k]] = true;
            ++loads.load_count;
            loads.load_bytes += g->bytes[both[k]];
            held_bytes += g->bytes[both[k]];
            if (held_bytes > loads.peak_bytes)
                loads.peak_bytes = held_bytes;
        }
        for (int k = 0; k < 2 && belady; ++k)
            if (next_need(g, order, i + 1, both[k]) == GZ_NO_USE) {
                held[both[k]] = false;
                held_bytes -= g->bytes[both[k]];
            }
    }
    free(held);
    free(used);
    return loads;
}

static void check_loads(graze_context *context, const gz_overlap_graph *g, const uint32_t *order,
                        uint64_t cache_bytes, uint64_t seed)
{
    for (int belady = 0; belady < 2; ++belady) {
        gz_order_loads loads, truth = twin(g, order, cache_bytes, belady != 0);
        graze_status status = (belady != 0 ? gz_cache_model_belady : gz_cache_model_lru)(
            context, g, order, g->edge_count, cache_bytes, &loads);
        assert_int_equal(status, GRAZE_OK);
        if (loads.load_count != truth.load_count || loads.load_bytes != truth.load_bytes ||
            loads.peak_bytes != truth.peak_bytes)
            fail_msg("seed %d: %s: %d loads of %d bytes, should be %d of %d", (int)seed,
                     belady != 0 ? "Belady" : "LRU", (int)loads.load_count, (int)loads.load_bytes,
                     (int)truth.load_count, (int)truth.load_bytes);
    }
}

static void check_next(graze_context *context, const gz_overlap_graph *g, const uint32_t *order)
{
    uint32_t *next = malloc((2 * (size_t)g->edge_count + 1) * sizeof *next);
    assert_int_equal(gz_next_uses(context, g, order, g->edge_count, next), GRAZE_OK);
    for (uint32_t i = 0; i < g->edge_count; ++i) {
        assert_int_equal(next[2 * i], next_need(g, order, i + 1, g->edges[order[i]].a));
        assert_int_equal(next[2 * i + 1], next_need(g, order, i + 1, g->edges[order[i]].b));
    }
    free(next);
}

static void equals_the_twin(void **state)
{
    graze_context *context = *state;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(600); ++seed) {
        test_random random = {.state = seed};
        gz_overlap_graph g = graph_soup_make(context, &random, (uint32_t)(seed % GRAPH_SOUP_KINDS),
                                             (uint32_t)(test_next(&random) % 25));
        uint32_t *order = graph_soup_order(&random, &g);
        uint64_t total = graph_soup_bytes(&g);
        static const double parts[] = {0, 0.01, 0.1, 0.3, 0.6, 1, 2};
        check_loads(context, &g, order, (uint64_t)((double)total * parts[seed % 7]), seed);
        check_next(context, &g, order);
        free(order);
        gz_overlap_graph_free(context, &g);
    }
}

// With room for all, each node that has an edge is loaded once.
static void room_for_all(void **state)
{
    graze_context *context = *state;
    for (uint32_t kind = 0; kind < GRAPH_SOUP_KINDS; ++kind) {
        test_random random = {.state = kind};
        gz_overlap_graph g = graph_soup_make(context, &random, kind, 60);
        uint32_t *order = graph_soup_order(&random, &g);
        uint64_t bytes = 0, count = 0;
        for (uint32_t i = 0; i < g.node_count; ++i)
            if (gz_overlap_valence(&g, i) != 0) {
                bytes += g.bytes[i];
                ++count;
            }
        gz_order_loads l, b;
        assert_int_equal(gz_cache_model_lru(context, &g, order, g.edge_count, bytes, &l), GRAZE_OK);
        assert_int_equal(gz_cache_model_belady(context, &g, order, g.edge_count, bytes, &b),
                         GRAZE_OK);
        assert_true(l.load_bytes == bytes && b.load_bytes == bytes);
        assert_true(l.load_count == count && b.load_count == count && l.peak_bytes == bytes);
        free(order);
        gz_overlap_graph_free(context, &g);
    }
}

static void memory_that_fails(void **state)
{
    (void)state;
    bool made = false;
    for (int64_t n = 0; !made; ++n) {
        graze_context *context = test_context(NULL);
        test_random random = {.state = 1};
        gz_overlap_graph g = graph_soup_make(context, &random, 0, 60);
        uint32_t *order = graph_soup_order(&random, &g);
        gz_order_loads loads;
        atomic_store(&gz_knobs_for(context)->allocations_left, n);
        graze_status status = gz_cache_model_lru(context, &g, order, g.edge_count, 1000, &loads);
        if (status == GRAZE_OK)
            status = gz_cache_model_belady(context, &g, order, g.edge_count, 1000, &loads);
        made = atomic_exchange(&gz_knobs_for(context)->allocations_left, -1) >= 0;
        assert_true(status == GRAZE_OK || (!made && status == GRAZE_ERROR_MEMORY));
        free(order);
        gz_overlap_graph_free(context, &g);
        test_context_done(context);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equals_the_twin, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(room_for_all, test_context_enter, test_context_leave),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
