// Overlap graphs: the same edges as all pairs give, nothing within the margin is missed, each pair
// of objects once, the same for all threads.
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "box_soup.h"
#include "scene/node_bvh.h"
#include "scene/overlap_graph.h"

enum { MOST_NODES = 2000 };
static gz_overlap_node nodes[MOST_NODES];

static void make_nodes(uint64_t seed, uint32_t kind, uint32_t count, uint32_t objects)
{
    test_random random = {.state = seed};
    for (uint32_t i = 0; i < count; ++i) {
        nodes[i].box = box_soup_next(&random, kind, i);
        nodes[i].bytes = test_next(&random) % 1000;
        nodes[i].object = objects == 0 ? i : (uint32_t)(test_next(&random) % objects);
    }
}

// How the ends of two boxes lie, for numbers whose sums long double holds: the definition.
static bool near_by_definition(const graze_box *a, const graze_box *b, double margin)
{
    if (gz_box_is_empty(a) || gz_box_is_empty(b))
        return false;
    for (int axis = 0; axis < 3; ++axis)
        if ((long double)a->max[axis] + margin < b->min[axis] ||
            (long double)b->max[axis] + margin < a->min[axis])
            return false;
    return true;
}

static bool near_when_grown(const graze_box *a, const graze_box *b, double margin)
{
    graze_box p = graze_box_grow(a, 0.5 * margin), q = graze_box_grow(b, 0.5 * margin);
    return !gz_box_is_empty(a) && !gz_box_is_empty(b) && graze_box_overlap(&p, &q);
}

static void check_links(const gz_overlap_graph *g)
{
    assert_int_equal(g->first[0], 0);
    assert_int_equal(g->first[g->node_count], 2 * (uint64_t)g->edge_count);
    for (uint32_t i = 0; i < g->node_count; ++i)
        for (uint64_t k = g->first[i]; k < g->first[i + 1]; ++k) {
            const gz_overlap_edge *edge = &g->edges[g->links[k].edge];
            uint32_t other = g->links[k].node;
            assert_true(edge->a == (i < other ? i : other) && edge->b == (i < other ? other : i));
            assert_true(k == g->first[i] || g->links[k - 1].node < other);
        }
}

static void check_graph(const gz_overlap_graph *g, uint32_t count, double margin, uint64_t seed)
{
    uint32_t at = 0;
    assert_int_equal(g->node_count, count);
    for (uint32_t a = 0; a < count; ++a) {
        assert_true(g->bytes[a] == nodes[a].bytes && g->object[a] == nodes[a].object);
        for (uint32_t b = a + 1; b < count; ++b) {
            bool other = nodes[a].object != nodes[b].object;
            bool edge = at < g->edge_count && g->edges[at].a == a && g->edges[at].b == b;
            if (edge != (other && near_when_grown(&nodes[a].box, &nodes[b].box, margin)))
                fail_msg("seed %d: pair %u %u", (int)seed, a, b);
            if (!edge && other && near_by_definition(&nodes[a].box, &nodes[b].box, margin))
                fail_msg("seed %d: pair %u %u is missed", (int)seed, a, b);
            at += edge;
        }
    }
    assert_int_equal(at, g->edge_count);
    check_links(g);
}

static void equals_all_pairs(void **state)
{
    graze_context *context = *state;
    static const double margins[] = {0, 0.01, 1, 0.1, 1e300};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(450); ++seed) {
        test_random random = {.state = ~seed};
        uint32_t kind = (uint32_t)(seed % BOX_SOUP_KINDS);
        uint32_t count = (uint32_t)(test_next(&random) % (seed % 16 == 0 ? 700 : 90));
        double margin = margins[test_next(&random) % 5];
        make_nodes(seed, kind, count, (uint32_t)(test_next(&random) % 3) * 10);
        gz_overlap_graph graph;
        assert_int_equal(gz_overlap_graph_make(context, nodes, count, margin, 0, &graph), GRAZE_OK);
        check_graph(&graph, count, margin, seed);
        gz_overlap_graph_free(context, &graph);
    }
}

// Margins whose half is no number, and gaps of exactly the margin.
static void smallest_margins(void **state)
{
    graze_context *context = *state;
    for (uint32_t k = 1; k <= 5; ++k) {
        double margin = k * DBL_TRUE_MIN;
        gz_overlap_node two[2] = {{.box = {{0, 0, 0}, {0, 0, 0}}, .object = 0},
                                  {.box = {{margin, 0, 0}, {1, 0, 0}}, .object = 1}};
        gz_overlap_graph graph;
        assert_int_equal(gz_overlap_graph_make(context, two, 2, margin, 0, &graph), GRAZE_OK);
        assert_int_equal(graph.edge_count, 1);
        gz_overlap_graph_free(context, &graph);
        two[1].box.min[0] = 1;
        assert_int_equal(gz_overlap_graph_make(context, two, 2, margin, 0, &graph), GRAZE_OK);
        assert_int_equal(graph.edge_count, 0);
        gz_overlap_graph_free(context, &graph);
    }
}

// Sizes at which a level of the BVH is full, or has one box more.
static void every_size(void **state)
{
    graze_context *context = *state;
    static const uint32_t sizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 72, 511, 512, 513, 520, 1025};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        for (uint32_t kind = 0; kind < BOX_SOUP_KINDS; kind += TEST_SANITIZED ? 4 : 1) {
            make_nodes(sizes[i], kind, sizes[i], 0);
            gz_overlap_graph graph;
            assert_int_equal(gz_overlap_graph_make(context, nodes, sizes[i], 0, 0, &graph),
                             GRAZE_OK);
            check_graph(&graph, sizes[i], 0, sizes[i]);
            gz_overlap_graph_free(context, &graph);
        }
}

static void check_equal(const gz_overlap_graph *g, const gz_overlap_graph *h)
{
    assert_int_equal(g->edge_count, h->edge_count);
    assert_memory_equal(g->edges, h->edges, g->edge_count * sizeof *g->edges);
    assert_memory_equal(g->links, h->links, 2 * g->edge_count * sizeof *g->links);
}

static void same_for_all_threads(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *one = test_context(&def);
    def.thread_count = 4;
    graze_context *four = test_context(&def);
    for (uint32_t kind = 0; kind < BOX_SOUP_KINDS; ++kind) {
        if (kind == 2)
            continue; // two million edges
        make_nodes(kind, kind, MOST_NODES, 0);
        gz_overlap_graph g, h;
        assert_int_equal(gz_overlap_graph_make(one, nodes, MOST_NODES, 0.001, 0, &g), GRAZE_OK);
        assert_int_equal(gz_overlap_graph_make(four, nodes, MOST_NODES, 0.001, 0, &h), GRAZE_OK);
        check_equal(&g, &h);
        gz_overlap_graph_free(one, &g);
        gz_overlap_graph_free(four, &h);
    }
    test_context_done(four);
    test_context_done(one);
}

static void from_known_edges(void **state)
{
    graze_context *context = *state;
    make_nodes(3, 0, 300, 40);
    gz_overlap_graph g, h;
    assert_int_equal(gz_overlap_graph_make(context, nodes, 300, 0.1, 0, &g), GRAZE_OK);
    assert_true(g.edge_count > 100);
    gz_overlap_edge *edges = malloc(g.edge_count * sizeof *edges);
    for (uint32_t i = 0; i < g.edge_count; ++i) // in another order
        edges[i] = g.edges[(i * UINT64_C(7919) + 5) % g.edge_count];
    assert_true(g.edge_count % 7919 != 0);
    assert_int_equal(
        gz_overlap_graph_of_edges(context, g.bytes, g.object, 300, edges, g.edge_count, &h),
        GRAZE_OK);
    check_equal(&g, &h);
    free(edges);
    gz_overlap_graph_free(context, &g);
    gz_overlap_graph_free(context, &h);
}

static void pairs_of_objects(void **state)
{
    graze_context *context = *state;
    enum { OBJECTS = 30 };
    for (uint64_t seed = 1; seed <= TEST_CHANCES(60); ++seed) {
        uint32_t count = (uint32_t)(seed * 5 % 200);
        bool near[OBJECTS][OBJECTS] = {{false}};
        make_nodes(seed, (uint32_t)(seed % BOX_SOUP_KINDS), count, OBJECTS);
        gz_overlap_graph graph;
        gz_object_pairs pairs;
        assert_int_equal(gz_overlap_graph_make(context, nodes, count, 0, 0, &graph), GRAZE_OK);
        assert_int_equal(gz_object_pairs_make(context, &graph, &pairs), GRAZE_OK);
        for (uint32_t i = 0; i < graph.edge_count; ++i) {
            uint32_t a = nodes[graph.edges[i].a].object, b = nodes[graph.edges[i].b].object;
            const gz_overlap_edge *pair = &pairs.pairs[pairs.of_edge[i]];
            assert_true(pairs.of_edge[i] < pairs.pair_count);
            assert_true(pair->a == (a < b ? a : b) && pair->b == (a < b ? b : a));
            near[pair->a][pair->b] = true;
        }
        uint32_t at = 0;
        for (uint32_t a = 0; a < OBJECTS; ++a)
            for (uint32_t b = 0; b < OBJECTS; ++b)
                if (near[a][b]) {
                    assert_true(pairs.pairs[at].a == a && pairs.pairs[at].b == b);
                    ++at;
                }
        assert_int_equal(at, pairs.pair_count);
        gz_object_pairs_free(context, &pairs);
        gz_overlap_graph_free(context, &graph);
    }
}

static void too_many_edges(void **state)
{
    graze_context *context = *state;
    make_nodes(1, 2, 100, 0);
    gz_overlap_graph graph;
    assert_int_equal(gz_overlap_graph_make(context, nodes, 100, 0, 4949, &graph),
                     GRAZE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(test_last_error, "more than 4949 pairs of boxes"));
    assert_true(graph.edges == NULL && graph.node_count == 0);
    assert_int_equal(gz_overlap_graph_make(context, nodes, 100, 0, 4950, &graph), GRAZE_OK);
    assert_int_equal(graph.edge_count, 4950);
    gz_overlap_graph_free(context, &graph);
}

static int always(void *user)
{
    (void)user;
    return 1;
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.cancel = always;
    graze_context *context = test_context(&def);
    gz_overlap_graph graph;
    make_nodes(1, 0, 100, 0);
    assert_int_equal(gz_overlap_graph_make(context, nodes, 100, 0, 0, &graph),
                     GRAZE_ERROR_CANCELLED);
    test_context_done(context);
}

static void memory_that_fails(void **state)
{
    (void)state;
    bool made = false;
    make_nodes(5, 1, 600, 100);
    for (int64_t n = 0; !made; ++n) {
        graze_context *context = test_context(NULL);
        gz_overlap_graph graph;
        gz_object_pairs pairs = {0};
        atomic_store(&gz_knobs_for(context)->allocations_left, n);
        graze_status status = gz_overlap_graph_make(context, nodes, 600, 0, 0, &graph);
        if (status == GRAZE_OK)
            status = gz_object_pairs_make(context, &graph, &pairs);
        made = atomic_load(&gz_knobs_for(context)->allocations_left) >= 0;
        assert_true(status == GRAZE_OK || (!made && status == GRAZE_ERROR_MEMORY));
        if (status != GRAZE_OK)
            assert_non_null(strstr(test_last_error, "no memory"));
        gz_object_pairs_free(context, &pairs);
        gz_overlap_graph_free(context, &graph);
        test_context_done(context);
        assert_true(n < 200);
    }
}

static void make_of_nan(void)
{
    gz_node_bvh bvh;
    graze_box box = {{0, 0, 0}, {1, NAN, 1}};
    graze_context *context = test_context(NULL);
    gz_node_bvh_make(context, &box, 1, &bvh);
}

static void nan_is_a_mistake(void **state)
{
    (void)state;
    test_dies(make_of_nan, "gz_box_is_ordered");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equals_all_pairs, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(smallest_margins, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(every_size, test_context_enter, test_context_leave),
        cmocka_unit_test(same_for_all_threads),
        cmocka_unit_test_setup_teardown(from_known_edges, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(pairs_of_objects, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(too_many_edges, test_context_enter, test_context_leave),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(memory_that_fails),
        cmocka_unit_test(nan_is_a_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
