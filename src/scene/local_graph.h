// Some edges of an overlap graph as a graph of their own, with small numbers for its nodes. Made
// again and again, in memory that is taken once for the largest.
#ifndef GZ_LOCAL_GRAPH_H
#define GZ_LOCAL_GRAPH_H

#include <stdbool.h>

#include "scene/overlap_graph.h"

typedef struct gz_local_graph {
    const gz_overlap_graph *graph;
    uint32_t node_count, edge_count;
    uint64_t bytes;         // of all nodes
    uint32_t *nodes;        // numbers in the overlap graph, in the order in which edges have them
    uint32_t *local;        // of nodes of the overlap graph; garbage for others: see gz_local_of
    uint64_t *first;        // link of each node, and one behind the last
    gz_overlap_link *links; // to local nodes, by edges as they were given: their places
} gz_local_graph;

// Room for any edges of the graph. False when out of memory.
bool gz_local_graph_make(graze_context *context, const gz_overlap_graph *graph,
                         gz_local_graph *local);
void gz_local_graph_free(graze_context *context, gz_local_graph *local);

// Numbers of edges, each once.
void gz_local_graph_take(gz_local_graph *local, const uint32_t *edges, uint32_t edge_count);

// UINT32_MAX: it is not one of its nodes.
static inline uint32_t gz_local_of(const gz_local_graph *local, uint32_t node)
{
    uint32_t at = local->local[node];
    return at < local->node_count && local->nodes[at] == node ? at : UINT32_MAX;
}
static inline uint32_t gz_local_valence(const gz_local_graph *local, uint32_t at)
{
    return (uint32_t)(local->first[at + 1] - local->first[at]);
}

#endif
