// Overlap graphs by chance. See graph_soup.h.
#include "graph_soup.h"

#include <math.h>
#include <stdlib.h>

static bool has_edge(test_random *random, uint32_t kind, uint32_t count, uint32_t a, uint32_t b)
{
    uint32_t side = (uint32_t)ceil(sqrt(count));
    switch (kind) {
    case 1: return true;
    case 2: return a == 0;
    case 3: return b == a + 1;
    case 4: return b == a + side || (b == a + 1 && b % side != 0);
    case 5: return a < 3 && b >= 3;
    case 6: return false;
    case 7: return (a < count / 2) == (b < count / 2);
    default: return test_next(random) % (count + 1) < 4;
    }
}

gz_overlap_graph graph_soup_make(graze_context *context, test_random *random, uint32_t kind,
                                 uint32_t count)
{
    uint64_t *bytes = calloc(count + 1, sizeof *bytes);
    uint32_t *objects = calloc(count + 1, sizeof *objects), edge_count = 0;
    gz_overlap_edge *edges = malloc(((size_t)count * (count + 1) / 2 + 1) * sizeof *edges);
    for (uint32_t a = 0; a < count; ++a) {
        bytes[a] = 1 + test_next(random) % 100;
        if (kind == 8)
            bytes[a] = test_next(random) % 3 == 0 ? 0 : test_next(random) % 5 == 0 ? 5000 : 10;
        objects[a] = a;
        for (uint32_t b = a + 1; b < count; ++b)
            if (has_edge(random, kind, count, a, b))
                edges[edge_count++] = (gz_overlap_edge){a, b};
    }
    gz_overlap_graph graph;
    assert_int_equal(
        gz_overlap_graph_of_edges(context, bytes, objects, count, edges, edge_count, &graph),
        GRAZE_OK);
    free(bytes);
    free(objects);
    free(edges);
    return graph;
}

uint32_t *graph_soup_order(test_random *random, const gz_overlap_graph *graph)
{
    uint32_t *order = malloc(((size_t)graph->edge_count + 1) * sizeof *order);
    for (uint32_t i = 0; i < graph->edge_count; ++i) {
        uint32_t k = (uint32_t)(test_next(random) % (i + 1));
        order[i] = i;
        order[i] = order[k];
        order[k] = i;
    }
    return order;
}

uint64_t graph_soup_bytes(const gz_overlap_graph *graph)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < graph->node_count; ++i)
        sum += graph->bytes[i];
    return sum;
}
