// Partitions: each edge in one subgraph, each subgraph fits, the same again and for all threads;
// and METIS leaves no trace.
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "graph_soup.h"
#include "scene/metis_guard.h"
#include "scene/partition.h"

typedef struct sums {
    uint8_t *in, *core; // nodes
    uint64_t all, of_core, largest_other;
    bool too_heavy; // an edge that does not fit by itself
} sums;

static sums add_up(const gz_overlap_graph *g, const gz_partition *p, const gz_subgraph *s,
                   uint64_t cache_bytes)
{
    sums t = {.in = calloc(g->node_count, 1), .core = calloc(g->node_count, 1)};
    for (uint32_t i = 0; i < s->core_count; ++i) {
        uint32_t node = p->cores[s->first_core + i];
        assert_true(node < g->node_count && !t.core[node]);
        t.core[node] = 1;
        t.of_core += g->bytes[node];
    }
    for (uint32_t i = s->first; i < s->first + s->edge_count; ++i) {
        const gz_overlap_edge *edge = &g->edges[p->edges[i]];
        uint32_t both[2] = {edge->a, edge->b};
        t.too_heavy |= g->bytes[edge->a] + g->bytes[edge->b] > cache_bytes;
        assert_true(s->core_count == 0 || t.core[edge->a] || t.core[edge->b]);
        for (int k = 0; k < 2; ++k) {
            if (!t.in[both[k]])
                t.all += g->bytes[both[k]];
            t.in[both[k]] = 1;
            if (!t.core[both[k]] && g->bytes[both[k]] > t.largest_other)
                t.largest_other = g->bytes[both[k]];
        }
    }
    return t;
}

// Is there a way from node to node along its edges? Spreads from the first one.
static bool is_connected(const gz_overlap_graph *g, const gz_partition *p, const gz_subgraph *s)
{
    uint8_t *reached = calloc(g->node_count, 1);
    bool more = true, all = true;
    reached[g->edges[p->edges[s->first]].a] = 1;
    while (more) {
        more = false;
        for (uint32_t i = s->first; i < s->first + s->edge_count; ++i) {
            const gz_overlap_edge *edge = &g->edges[p->edges[i]];
            more |= reached[edge->a] != reached[edge->b];
            reached[edge->a] = reached[edge->b] = reached[edge->a] | reached[edge->b];
        }
    }
    for (uint32_t i = s->first; i < s->first + s->edge_count; ++i)
        all = all && reached[g->edges[p->edges[i]].a];
    free(reached);
    return all;
}

static void check_partition(const gz_overlap_graph *g, const gz_partition *p, uint64_t cache_bytes)
{
    uint32_t at = 0, core = 0;
    uint8_t *seen = calloc((size_t)g->edge_count + 1, 1);
    assert_int_equal(p->edge_count, g->edge_count);
    for (uint32_t i = 0; i < g->edge_count; ++i) {
        assert_true(p->edges[i] < g->edge_count && !seen[p->edges[i]]);
        seen[p->edges[i]] = 1;
    }
    free(seen);
    for (uint32_t i = 0; i < p->subgraph_count; ++i) {
        const gz_subgraph *s = &p->subgraphs[i];
        assert_true(s->first == at && s->edge_count != 0 && s->first_core == core);
        at += s->edge_count;
        core += s->core_count;
        sums t = add_up(g, p, s, cache_bytes);
        if (s->core_count == 0)
            assert_true(s->bytes == t.all && t.all <= cache_bytes && is_connected(g, p, s));
        else if (!t.too_heavy)
            assert_true(t.of_core + t.largest_other <= s->bytes && s->bytes <= cache_bytes);
        else
            assert_true(s->core_count == 1 && s->bytes == t.of_core + t.largest_other);
        free(t.in);
        free(t.core);
    }
    assert_true(at == g->edge_count && core == p->core_count);
}

// METIS prints where it is asked badly. Nothing may come out between these two.
static int hide_stdout(FILE *hidden)
{
    fflush(stdout);
    int shown = dup(STDOUT_FILENO);
    dup2(fileno(hidden), STDOUT_FILENO);
    return shown;
}
static void show_stdout(FILE *hidden, int shown)
{
    fflush(stdout);
    dup2(shown, STDOUT_FILENO);
    close(shown);
    assert_int_equal(lseek(fileno(hidden), 0, SEEK_END), 0);
}

static void every_edge_in_one(void **state)
{
    FILE *hidden = tmpfile();
    graze_context *context = *state;
    static const double parts[] = {0.001, 0.01, 0.05, 0.1, 0.3, 0.6, 1};
    static const gz_partition_setting settings[] = {{0.9, 0.5}, {0.01, 0}, {1, 1}};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(250); ++seed) {
        test_random random = {.state = seed};
        gz_overlap_graph g =
            graph_soup_make(context, &random, (uint32_t)(seed % GRAPH_SOUP_KINDS),
                            (uint32_t)(test_next(&random) % (seed % 20 == 0 ? 300 : 60)));
        uint64_t bytes = 1 + (uint64_t)((double)graph_soup_bytes(&g) * parts[seed % 7]);
        gz_partition p;
        int shown = hide_stdout(hidden);
        graze_status status =
            gz_partition_make(context, &g, bytes, seed % 4 == 3 ? NULL : &settings[seed % 4], &p);
        show_stdout(hidden, shown);
        assert_int_equal(status, GRAZE_OK);
        check_partition(&g, &p, bytes);
        gz_partition_free(context, &p);
        gz_overlap_graph_free(context, &g);
    }
    fclose(hidden);
}

// What fits is one subgraph for each component.
static void what_fits_stays_together(void **state)
{
    graze_context *context = *state;
    static const uint32_t components[GRAPH_SOUP_KINDS] = {0, 1, 1, 1, 1, 1, 0, 2, 0};
    for (uint32_t kind = 1; kind < 8; ++kind) {
        test_random random = {.state = kind};
        gz_overlap_graph g = graph_soup_make(context, &random, kind, 81);
        gz_partition p;
        assert_int_equal(gz_partition_make(context, &g, graph_soup_bytes(&g), NULL, &p), GRAZE_OK);
        assert_true(p.subgraph_count == components[kind] && p.core_count == 0);
        gz_partition_free(context, &p);
        gz_overlap_graph_free(context, &g);
    }
}

// A star that does not fit: its middle stays, and the others come one at a time.
static void a_star_is_one_subgraph(void **state)
{
    graze_context *context = *state;
    test_random random = {.state = 1};
    gz_overlap_graph g = graph_soup_make(context, &random, 2, 1000);
    gz_partition p;
    assert_int_equal(gz_partition_make(context, &g, 200, NULL, &p), GRAZE_OK);
    assert_true(p.subgraph_count == 1 && p.core_count == 1 && p.cores[0] == 0);
    check_partition(&g, &p, 200);
    gz_partition_free(context, &p);
    gz_overlap_graph_free(context, &g);
}

static void check_equal(const gz_partition *p, const gz_partition *q)
{
    assert_int_equal(p->subgraph_count, q->subgraph_count);
    assert_int_equal(p->core_count, q->core_count);
    assert_memory_equal(p->edges, q->edges, p->edge_count * sizeof *p->edges);
    assert_memory_equal(p->subgraphs, q->subgraphs, p->subgraph_count * sizeof *p->subgraphs);
    assert_memory_equal(p->cores, q->cores, p->core_count * sizeof *p->cores);
}

// METIS is asked about this many nodes, and its parts are the same whatever rand() was seeded with.
static void always_the_same(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *one = test_context(&def);
    def.thread_count = 4;
    graze_context *four = test_context(&def);
    for (uint32_t kind = 0; kind < GRAPH_SOUP_KINDS; kind += 4) {
        test_random random = {.state = 77};
        gz_overlap_graph g = graph_soup_make(one, &random, kind, 1600);
        uint64_t bytes = graph_soup_bytes(&g) / 30;
        gz_partition p, q;
        srand(1);
        assert_int_equal(gz_partition_make(one, &g, bytes, NULL, &p), GRAZE_OK);
        srand(12345);
        assert_int_equal(gz_partition_make(four, &g, bytes, NULL, &q), GRAZE_OK);
        check_partition(&g, &p, bytes);
        check_equal(&p, &q);
        gz_partition_free(one, &p);
        gz_partition_free(four, &q);
        gz_overlap_graph_free(one, &g);
    }
    test_context_done(four);
    test_context_done(one);
}

static void on_signal(int number, siginfo_t *info, void *more)
{
    (void)number;
    (void)info;
    (void)more;
}

// A path of 64 nodes, cut in two.
static void part_path(graze_context *context, int32_t *part)
{
    enum { NODES = 64 };
    int32_t first[NODES + 1], neighbour[2 * NODES], weight[NODES], cost[2 * NODES], links = 0;
    for (int32_t i = 0; i < NODES; ++i) {
        first[i] = links;
        weight[i] = 1;
        for (int32_t k = i - 1; k <= i + 1; k += 2)
            if (k >= 0 && k < NODES) {
                cost[links] = 1;
                neighbour[links++] = k;
            }
    }
    first[NODES] = links;
    gz_metis_graph graph = {NODES, first, neighbour, weight, cost};
    assert_int_equal(gz_metis_bisect(context, &graph, 0.25, part), GRAZE_OK);
}

static void metis_leaves_no_trace(void **state)
{
    graze_context *context = *state;
    int32_t part[64], again[64], cuts = 0;
    struct sigaction before, after, ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigaction(SIGTERM, &ours, &before);
    srand(99);
    int expected[2] = {rand(), rand()};
    srand(99);
    assert_int_equal(rand(), expected[0]);
    part_path(context, part);
    assert_int_equal(rand(), expected[1]);
    part_path(context, again);
    assert_memory_equal(part, again, sizeof part);
    sigaction(SIGTERM, &before, &after);
    assert_true(after.sa_sigaction == on_signal && (after.sa_flags & SA_SIGINFO) != 0);
    for (int i = 1; i < 64; ++i)
        cuts += part[i] != part[i - 1];
    assert_int_equal(cuts, 1);
}

static void what_metis_can(void **state)
{
    (void)state;
    assert_false(gz_metis_can(0, 0));
    assert_false(gz_metis_can(1, 0));
    assert_true(gz_metis_can(2, 2));
    assert_false(gz_metis_can(UINT32_MAX, 200));
    assert_false(gz_metis_can(100, UINT32_MAX));
}

static gz_metis_graph square(void)
{
    static const int32_t first[5] = {0, 2, 4, 6, 8}, neighbour[8] = {1, 3, 0, 2, 1, 3, 0, 2};
    static const int32_t weight[4] = {1, 1, 1, 1}, cost[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    return (gz_metis_graph){4, first, neighbour, weight, cost};
}

static void ask_about_one_node(void)
{
    int32_t part[4];
    gz_metis_graph graph = square();
    graph.node_count = 1;
    gz_metis_bisect(test_context(NULL), &graph, 0.5, part);
}
static void ask_for_nothing(void)
{
    int32_t part[4];
    gz_metis_graph graph = square();
    gz_metis_bisect(test_context(NULL), &graph, 0, part);
}
static void ask_about_strangers(void)
{
    static const int32_t neighbour[8] = {1, 3, 0, 2, 1, 4, 0, 2};
    int32_t part[4];
    gz_metis_graph graph = square();
    graph.neighbour = neighbour;
    gz_metis_bisect(test_context(NULL), &graph, 0.5, part);
}

static void what_metis_does_not_check(void **state)
{
    (void)state;
    test_dies(ask_about_one_node, "gz_metis_can");
    test_dies(ask_for_nothing, "share > 0");
    test_dies(ask_about_strangers, "< graph->node_count");
}

static void memory_that_fails(void **state)
{
    (void)state;
    bool made = false;
    for (int64_t n = 0; !made; ++n) {
        graze_context *context = test_context(NULL);
        test_random random = {.state = 1};
        gz_overlap_graph g = graph_soup_make(context, &random, 0, 120);
        uint64_t bytes = graph_soup_bytes(&g) / 4;
        gz_partition p;
        atomic_store(&gz_knobs_for(context)->allocations_left, n);
        graze_status status = gz_partition_make(context, &g, bytes, NULL, &p);
        made = atomic_exchange(&gz_knobs_for(context)->allocations_left, -1) >= 0;
        assert_true(status == GRAZE_OK || (!made && status == GRAZE_ERROR_MEMORY));
        if (status == GRAZE_OK)
            check_partition(&g, &p, bytes);
        else
            assert_true(p.edges == NULL && p.subgraph_count == 0);
        gz_partition_free(context, &p);
        gz_overlap_graph_free(context, &g);
        test_context_done(context);
        assert_true(n < 5000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_edge_in_one, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(what_fits_stays_together, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(a_star_is_one_subgraph, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(always_the_same),
        cmocka_unit_test_setup_teardown(metis_leaves_no_trace, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(what_metis_can),
        cmocka_unit_test(what_metis_does_not_check),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
