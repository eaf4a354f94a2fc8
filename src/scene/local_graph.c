// A part of an overlap graph. See local_graph.h.
#include "scene/local_graph.h"

#include <string.h>

bool gz_local_graph_make(graze_context *context, const gz_overlap_graph *graph,
                         gz_local_graph *local)
{
    *local = (gz_local_graph){.graph = graph};
    uint64_t nodes = graph->node_count, links = 2 * (uint64_t)graph->edge_count;
    if (graph->edge_count == 0)
        return true;
    local->nodes = GZ_NEW_ARRAY(context, uint32_t, nodes);
    local->local = GZ_NEW_ARRAY(context, uint32_t, nodes);
    local->first = GZ_NEW_ARRAY(context, uint64_t, nodes + 1);
    local->links = GZ_NEW_ARRAY(context, gz_overlap_link, links);
    if (local->nodes == NULL || local->local == NULL || local->first == NULL ||
        local->links == NULL) {
        gz_local_graph_free(context, local);
        return false;
    }
    memset(local->local, 0, (size_t)nodes * sizeof *local->local);
    return true;
}

void gz_local_graph_free(graze_context *context, gz_local_graph *local)
{
    if (local->graph != NULL) {
        uint64_t nodes = local->graph->node_count, links = 2 * (uint64_t)local->graph->edge_count;
        GZ_FREE_ARRAY(context, local->nodes, nodes);
        GZ_FREE_ARRAY(context, local->local, nodes);
        GZ_FREE_ARRAY(context, local->first, nodes + 1);
        GZ_FREE_ARRAY(context, local->links, links);
    }
    *local = (gz_local_graph){0};
}

static uint32_t number_node(gz_local_graph *local, uint32_t node)
{
    uint32_t at = gz_local_of(local, node);
    if (at == UINT32_MAX) {
        at = local->node_count++;
        local->nodes[at] = node;
        local->local[node] = at;
        local->first[at] = 0;
        local->bytes += local->graph->bytes[node];
    }
    ++local->first[at];
    return at;
}

void gz_local_graph_take(gz_local_graph *local, const uint32_t *edges, uint32_t edge_count)
{
    const gz_overlap_edge *all = local->graph->edges;
    GZ_ASSERT(edge_count <= local->graph->edge_count);
    local->node_count = 0;
    local->edge_count = edge_count;
    local->bytes = 0;
    if (edge_count == 0)
        return;
    for (uint32_t i = 0; i < edge_count; ++i) {
        GZ_ASSERT(edges[i] < local->graph->edge_count);
        number_node(local, all[edges[i]].a);
        number_node(local, all[edges[i]].b);
    }
    uint64_t end = 0; // first[] has counts, then ends, then beginnings
    for (uint32_t i = 0; i < local->node_count; ++i)
        local->first[i] = end += local->first[i];
    local->first[local->node_count] = end;
    GZ_ASSERT(end == 2 * (uint64_t)edge_count);
    for (uint32_t i = edge_count; i-- != 0;) {
        uint32_t a = local->local[all[edges[i]].a], b = local->local[all[edges[i]].b];
        local->links[--local->first[a]] = (gz_overlap_link){b, i};
        local->links[--local->first[b]] = (gz_overlap_link){a, i};
    }
}
