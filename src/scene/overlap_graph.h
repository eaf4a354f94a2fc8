// The overlap graph (Wilson et al., section 4.1): objects, or pieces of them, are nodes, and an
// edge joins two whose boxes, each grown by half of a margin, share a point. What is nearer than
// the margin has an edge; growing rounds outward. Nodes of one object have no edge between them.
//
// The paper sorts intervals along an axis. Long pipes make that quadratic; here sorted middles make
// a BVH (node_bvh.h), and each box asks it for those behind it. Costs about a microsecond a box and
// some ten nanoseconds an edge, on all threads.
#ifndef GZ_OVERLAP_GRAPH_H
#define GZ_OVERLAP_GRAPH_H

#include "base/memory.h"
#include "graze/geometry.h"

typedef struct gz_overlap_node {
    graze_box box; // no bound is NaN; an empty one has no edges
    uint64_t bytes;
    uint32_t object;
} gz_overlap_node;

typedef struct gz_overlap_edge {
    uint32_t a, b; // nodes, a < b
} gz_overlap_edge;

// From a node to another one.
typedef struct gz_overlap_link {
    uint32_t node, edge;
} gz_overlap_link;

typedef struct gz_overlap_graph {
    uint32_t node_count, edge_count;
    uint64_t *bytes;        // of each node
    uint32_t *object;       // of each node
    gz_overlap_edge *edges; // sorted by a, then b
    uint64_t *first;        // link of each node, and one behind the last
    gz_overlap_link *links; // of a node: by the number of the other one
} gz_overlap_graph;

// The same graph for any number of threads.
// @param margin      finite, not negative.
// @param most_edges  more are an error; 0: UINT32_MAX.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY, GRAZE_ERROR_UNSUPPORTED (too many edges),
//         GRAZE_ERROR_CANCELLED. On failure the graph is empty.
graze_status gz_overlap_graph_make(graze_context *context, const gz_overlap_node *nodes,
                                   uint32_t node_count, double margin, uint32_t most_edges,
                                   gz_overlap_graph *graph);
// The same from edges that are known: any order, no loops, each once. For tests, and for graphs
// that rules have thinned out.
graze_status gz_overlap_graph_of_edges(graze_context *context, const uint64_t *bytes,
                                       const uint32_t *objects, uint32_t node_count,
                                       const gz_overlap_edge *edges, uint32_t edge_count,
                                       gz_overlap_graph *graph);
void gz_overlap_graph_free(graze_context *context, gz_overlap_graph *graph); // can be used again

static inline uint32_t gz_overlap_valence(const gz_overlap_graph *graph, uint32_t node)
{
    return (uint32_t)(graph->first[node + 1] - graph->first[node]);
}

// Pairs of objects behind the edges, each once.
typedef struct gz_object_pairs {
    uint32_t pair_count, edge_count;
    gz_overlap_edge *pairs; // objects, a < b, sorted
    uint32_t *of_edge;      // pair of each edge
} gz_object_pairs;

// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status gz_object_pairs_make(graze_context *context, const gz_overlap_graph *graph,
                                  gz_object_pairs *pairs);
void gz_object_pairs_free(graze_context *context, gz_object_pairs *pairs);

#endif
