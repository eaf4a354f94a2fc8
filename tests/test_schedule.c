// Orders: each edge once, the paper's traversal as the paper tells it, subgraphs that fit, pairs of
// objects where their heaviest edge is, and few loads where few are possible.
#include "test.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "graph_soup.h"
#include "scene/cache_model.h"
#include "scene/schedule.h"

static void check_each_once(const gz_overlap_graph *g, const gz_schedule *s)
{
    uint8_t *seen = calloc((size_t)g->edge_count + 1, 1);
    assert_int_equal(s->edge_count, g->edge_count);
    for (uint32_t i = 0; i < s->edge_count; ++i) {
        assert_true(s->edges[i] < g->edge_count && !seen[s->edges[i]]);
        seen[s->edges[i]] = 1;
    }
    free(seen);
    assert_int_equal(s->first[s->subgraph_count], g->edge_count);
    for (uint32_t i = 0; i < s->subgraph_count; ++i)
        assert_true(s->first[i] < s->first[i + 1]);
    assert_true(s->subgraph_count == 0 || s->first[0] == 0);
}

// A stretch of the order fits the cache, or is one edge; with the next edge it would not fit.
static void check_stretches(const gz_overlap_graph *g, const gz_schedule *s, uint64_t cache_bytes)
{
    for (uint32_t i = 0; i < s->subgraph_count; ++i) {
        uint8_t *seen = calloc(g->node_count, 1);
        uint64_t bytes = 0;
        for (uint32_t k = s->first[i]; k <= s->first[i + 1] && k < s->edge_count; ++k) {
            const gz_overlap_edge *edge = &g->edges[s->edges[k]];
            bytes +=
                (seen[edge->a] ? 0 : g->bytes[edge->a]) + (seen[edge->b] ? 0 : g->bytes[edge->b]);
            seen[edge->a] = seen[edge->b] = 1;
            if (k == s->first[i + 1])
                assert_true(bytes > cache_bytes);
            else
                assert_true(bytes <= cache_bytes || k == s->first[i]);
        }
        free(seen);
    }
}

static void each_edge_once(void **state)
{
    graze_context *context = *state;
    static const double parts[] = {0.001, 0.02, 0.1, 0.3, 0.6, 1, 2};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(250); ++seed) {
        test_random random = {.state = seed};
        gz_overlap_graph g =
            graph_soup_make(context, &random, (uint32_t)(seed % GRAPH_SOUP_KINDS),
                            (uint32_t)(test_next(&random) % (seed % 20 == 0 ? 200 : 50)));
        uint64_t bytes = 1 + (uint64_t)((double)graph_soup_bytes(&g) * parts[seed % 7]);
        for (int kind = GZ_ORDER_NUMBER; kind <= GZ_ORDER_GREEDY; ++kind) {
            gz_schedule s, again;
            assert_int_equal(gz_schedule_make(context, &g, (gz_order_kind)kind, bytes, &s),
                             GRAZE_OK);
            assert_int_equal(gz_schedule_make(context, &g, (gz_order_kind)kind, bytes, &again),
                             GRAZE_OK);
            check_each_once(&g, &s);
            if (kind != GZ_ORDER_BREADTH)
                check_stretches(&g, &s, bytes);
            assert_int_equal(s.subgraph_count, again.subgraph_count);
            if (g.edge_count != 0)
                assert_memory_equal(s.edges, again.edges, s.edge_count * sizeof *s.edges);
            gz_schedule_free(context, &s);
            gz_schedule_free(context, &again);
        }
        gz_overlap_graph_free(context, &g);
    }
}

// The traversal of section 4.3 over some edges, told slowly.
typedef struct slow_walk {
    const gz_overlap_graph *g;
    const uint32_t *edges;
    uint32_t edge_count;
    uint32_t *valence;
    uint8_t *seen, *done;
    uint32_t *out, out_count;
} slow_walk;

static bool comes_before(const slow_walk *w, uint32_t x, uint32_t y)
{
    return w->valence[x] != w->valence[y] ? w->valence[x] > w->valence[y] : x < y;
}

static uint32_t other_end(const slow_walk *w, uint32_t place, uint32_t node)
{
    const gz_overlap_edge *edge = &w->g->edges[w->edges[place]];
    return edge->a == node ? edge->b : edge->b == node ? edge->a : UINT32_MAX;
}

// Does the edges of a node that are left, neighbours by valence, and queues neighbours not seen.
static void slow_visit(slow_walk *w, uint32_t node, uint32_t *queue, uint32_t *tail)
{
    uint8_t *visited = calloc((size_t)w->edge_count + 1, 1);
    for (;;) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < w->edge_count; ++i) {
            uint32_t other = other_end(w, i, node);
            if (other != UINT32_MAX && !visited[i] &&
                (best == UINT32_MAX || comes_before(w, other, other_end(w, best, node))))
                best = i;
        }
        if (best == UINT32_MAX)
            break;
        visited[best] = 1;
        uint32_t other = other_end(w, best, node);
        if (!w->done[best])
            w->out[w->out_count++] = w->edges[best];
        w->done[best] = 1;
        if (!w->seen[other])
            queue[(*tail)++] = other;
        w->seen[other] = 1;
    }
    free(visited);
}

static void walk_slowly(slow_walk *w)
{
    uint32_t nodes = w->g->node_count;
    uint32_t *queue = calloc(nodes + 1, sizeof *queue);
    for (uint32_t i = 0; i < w->edge_count; ++i) {
        ++w->valence[w->g->edges[w->edges[i]].a];
        ++w->valence[w->g->edges[w->edges[i]].b];
    }
    while (w->out_count < w->edge_count) {
        uint32_t head = 0, tail = 0, root = UINT32_MAX;
        for (uint32_t i = 0; i < nodes; ++i)
            if (!w->seen[i] && (root == UINT32_MAX || comes_before(w, i, root)))
                root = i;
        w->seen[root] = 1;
        queue[tail++] = root;
        while (head < tail)
            slow_visit(w, queue[head++], queue, &tail);
    }
    free(queue);
}

static void check_walk(const gz_overlap_graph *g, const gz_partition *p, const gz_subgraph *s,
                       const uint32_t *order)
{
    slow_walk w = {.g = g,
                   .edges = &p->edges[s->first],
                   .edge_count = s->edge_count,
                   .valence = calloc(g->node_count, sizeof(uint32_t)),
                   .seen = calloc(g->node_count, 1),
                   .done = calloc((size_t)s->edge_count + 1, 1),
                   .out = calloc((size_t)s->edge_count + 1, sizeof(uint32_t))};
    walk_slowly(&w);
    assert_memory_equal(w.out, order, s->edge_count * sizeof *order);
    free(w.valence);
    free(w.seen);
    free(w.done);
    free(w.out);
}

// Others than the core come one at a time: once another one has come, they do not come again.
static void check_core(const gz_overlap_graph *g, const gz_partition *p, const gz_subgraph *s,
                       const uint32_t *order)
{
    uint8_t *core = calloc(g->node_count, 1), *gone = calloc(g->node_count, 1);
    uint32_t now = UINT32_MAX;
    for (uint32_t i = 0; i < s->core_count; ++i)
        core[p->cores[s->first_core + i]] = 1;
    for (uint32_t i = 0; i < s->edge_count; ++i) {
        const gz_overlap_edge *edge = &g->edges[order[i]];
        uint32_t other = core[edge->a] ? edge->b : edge->a;
        if (core[edge->a] && core[edge->b]) {
            assert_true(now == UINT32_MAX);
            continue;
        }
        if (other != now && now != UINT32_MAX)
            gone[now] = 1;
        assert_false(gone[other]);
        now = other;
    }
    free(core);
    free(gone);
}

static void the_papers_traversal(void **state)
{
    graze_context *context = *state;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(120); ++seed) {
        test_random random = {.state = seed};
        gz_overlap_graph g = graph_soup_make(context, &random, (uint32_t)(seed % GRAPH_SOUP_KINDS),
                                             (uint32_t)(test_next(&random) % 40));
        uint64_t bytes = 1 + graph_soup_bytes(&g) / (1 + seed % 5);
        gz_partition p;
        gz_schedule s;
        assert_int_equal(gz_partition_make(context, &g, bytes, NULL, &p), GRAZE_OK);
        assert_int_equal(gz_schedule_of_partition(context, &g, &p, &s), GRAZE_OK);
        check_each_once(&g, &s);
        assert_int_equal(s.subgraph_count, p.subgraph_count);
        for (uint32_t i = 0; i < p.subgraph_count; ++i) {
            const gz_subgraph *sub = &p.subgraphs[i];
            assert_int_equal(s.first[i], sub->first);
            (sub->core_count == 0 ? check_walk : check_core)(&g, &p, sub, &s.edges[sub->first]);
        }
        gz_schedule_free(context, &s);
        gz_partition_free(context, &p);
        gz_overlap_graph_free(context, &g);
    }
}

static gz_order_loads loads_of(graze_context *context, const gz_overlap_graph *g,
                               gz_order_kind kind, uint64_t cache_bytes)
{
    gz_schedule s;
    gz_order_loads loads;
    assert_int_equal(gz_schedule_make(context, g, kind, cache_bytes, &s), GRAZE_OK);
    assert_int_equal(gz_cache_model_belady(context, g, s.edges, s.edge_count, cache_bytes, &loads),
                     GRAZE_OK);
    gz_schedule_free(context, &s);
    return loads;
}

// Where every node can be loaded once, it is: chains and stars with room for two, a grid with room
// for its side and some more. Where it cannot, ours loads less than none does.
static void few_loads(void **state)
{
    graze_context *context = *state;
    test_random random = {.state = 5};
    for (uint32_t kind = 2; kind <= 3; ++kind) {
        gz_overlap_graph g = graph_soup_make(context, &random, kind, 500);
        assert_int_equal(loads_of(context, &g, GZ_ORDER_GREEDY, 201).load_count, 500);
        assert_int_equal(loads_of(context, &g, GZ_ORDER_BREADTH, graph_soup_bytes(&g)).load_count,
                         500);
        gz_overlap_graph_free(context, &g);
    }
    gz_overlap_graph grid = graph_soup_make(context, &random, 4, 40 * 40);
    uint64_t total = graph_soup_bytes(&grid);
    assert_true(loads_of(context, &grid, GZ_ORDER_GREEDY, total / 20).load_bytes <=
                total + total / 20);
    gz_overlap_graph_free(context, &grid);
    gz_overlap_graph sparse = graph_soup_make(context, &random, 0, 2000);
    uint64_t bytes = graph_soup_bytes(&sparse) / 20;
    assert_true(loads_of(context, &sparse, GZ_ORDER_GREEDY, bytes).load_bytes <
                loads_of(context, &sparse, GZ_ORDER_NUMBER, bytes).load_bytes);
    gz_overlap_graph_free(context, &sparse);
}

// A star of very many, whose middle is worth ever more to each of them, must not take quadratic
// time.
static void a_large_star(void **state)
{
    graze_context *context = *state;
    enum { LEAVES = TEST_SANITIZED ? 20000 : 300000 };
    uint64_t *bytes = malloc((LEAVES + 1) * sizeof *bytes);
    uint32_t *objects = malloc((LEAVES + 1) * sizeof *objects);
    gz_overlap_edge *edges = malloc(LEAVES * sizeof *edges);
    for (uint32_t i = 0; i <= LEAVES; ++i) {
        bytes[i] = 10;
        objects[i] = i;
        if (i != LEAVES)
            edges[i] = (gz_overlap_edge){0, i + 1};
    }
    gz_overlap_graph g;
    assert_int_equal(
        gz_overlap_graph_of_edges(context, bytes, objects, LEAVES + 1, edges, LEAVES, &g),
        GRAZE_OK);
    assert_int_equal(loads_of(context, &g, GZ_ORDER_GREEDY, 25).load_count, LEAVES + 1);
    gz_overlap_graph_free(context, &g);
    free(bytes);
    free(objects);
    free(edges);
}

static void pairs_are_where_their_heaviest_edge_is(void **state)
{
    graze_context *context = *state;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = {.state = seed};
        gz_overlap_graph g = graph_soup_make(context, &random, 1, 2 + (uint32_t)(seed % 20));
        for (uint32_t i = 0; i < g.node_count; ++i) {   // bytes from few, so that some are equal
            g.object[i] = i % 2 == 0 ? i % 6 : 100 + i; // pieces
            g.bytes[i] = 1 + i % 3;
        }
        uint32_t kept = 0;
        for (uint32_t i = 0; i < g.edge_count; ++i) // no edges within an object
            if (g.object[g.edges[i].a] != g.object[g.edges[i].b])
                g.edges[kept++] = g.edges[i];
        gz_overlap_graph h;
        assert_int_equal(
            gz_overlap_graph_of_edges(context, g.bytes, g.object, g.node_count, g.edges, kept, &h),
            GRAZE_OK);
        gz_object_pairs pairs;
        gz_schedule s;
        assert_int_equal(gz_object_pairs_make(context, &h, &pairs), GRAZE_OK);
        assert_int_equal(gz_schedule_make(context, &h, GZ_ORDER_GREEDY, 8, &s), GRAZE_OK);
        uint32_t *order = calloc((size_t)pairs.pair_count + 1, sizeof *order), at = 0;
        assert_int_equal(gz_schedule_pairs(context, &h, &pairs, &s, order), GRAZE_OK);
        for (uint32_t i = 0; i < s.edge_count; ++i) {
            uint32_t pair = pairs.of_edge[s.edges[i]];
            bool here = true;
            for (uint32_t k = 0; k < s.edge_count; ++k) {
                const gz_overlap_edge *e = &h.edges[s.edges[i]], *f = &h.edges[s.edges[k]];
                uint64_t own = h.bytes[e->a] + h.bytes[e->b], other = h.bytes[f->a] + h.bytes[f->b];
                if (pairs.of_edge[s.edges[k]] == pair && (other > own || (other == own && k < i)))
                    here = false;
            }
            if (here)
                assert_int_equal(order[at++], pair);
        }
        assert_int_equal(at, pairs.pair_count);
        free(order);
        gz_schedule_free(context, &s);
        gz_object_pairs_free(context, &pairs);
        gz_overlap_graph_free(context, &h);
        gz_overlap_graph_free(context, &g);
    }
}

static void memory_that_fails(void **state)
{
    (void)state;
    for (int kind = GZ_ORDER_NUMBER; kind <= GZ_ORDER_GREEDY; ++kind) {
        bool made = false;
        for (int64_t n = 0; !made; ++n) {
            graze_context *context = test_context(NULL);
            test_random random = {.state = 1};
            gz_overlap_graph g = graph_soup_make(context, &random, 0, 80);
            gz_schedule s;
            atomic_store(&gz_knobs_for(context)->allocations_left, n);
            graze_status status = gz_schedule_make(context, &g, (gz_order_kind)kind, 1500, &s);
            made = atomic_exchange(&gz_knobs_for(context)->allocations_left, -1) >= 0;
            assert_true(status == GRAZE_OK || (!made && status == GRAZE_ERROR_MEMORY));
            if (status == GRAZE_OK)
                check_each_once(&g, &s);
            else
                assert_true(s.edges == NULL && s.edge_count == 0);
            gz_schedule_free(context, &s);
            gz_overlap_graph_free(context, &g);
            test_context_done(context);
            assert_true(n < 5000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_edge_once, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(the_papers_traversal, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(few_loads, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(a_large_star, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(pairs_are_where_their_heaviest_edge_is, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
