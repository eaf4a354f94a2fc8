// Localised subgraphs (Wilson et al., section 4.2): the edges of an overlap graph in groups whose
// nodes fit a cache of M bytes together, so that a group loads each of its nodes once.
//
// Connected components that fit are such groups. In others, nodes of high valence are taken out
// first: they stay in the cache while their neighbours come one at a time, and their edges are
// done. METIS cuts what is left into parts; edges between parts are a graph of their own, the cut
// graph. The two take turns on what does not fit yet, until all does. Nodes with an edge that does
// not fit by itself come before all that, each with such neighbours one at a time.
//
// Every edge is in one subgraph. Taking out a node always settles an edge, so this ends.
#ifndef GZ_PARTITION_H
#define GZ_PARTITION_H

#include "scene/overlap_graph.h"

typedef struct gz_subgraph {
    uint32_t first, edge_count; // stretch of the partition's edges
    uint32_t first_core, core_count;
    // Without a core: all its nodes. With one: the core, and the largest of the others.
    uint64_t bytes;
} gz_subgraph;

typedef struct gz_partition {
    uint32_t edge_count, subgraph_count, core_count;
    uint32_t *edges; // numbers of all edges, subgraph by subgraph
    gz_subgraph *subgraphs;
    uint32_t *cores; // nodes that stay while the others of their subgraph come one at a time
} gz_partition;

typedef struct gz_partition_setting {
    double fill; // of the cache, by parts; METIS makes some larger
    double core; // of the cache, at most, for nodes that are taken out; one node always may be
} gz_partition_setting;

// The same for any number of threads. A setting of NULL tries several and keeps the one that loads
// the least, in the order of the paper from an LRU cache; one only, where there are many edges.
// @param cache_bytes  1 or more; subgraphs without a core fit it, and those with one, but where a
//                     single edge does not.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY, GRAZE_ERROR_CANCELLED. On failure it is empty.
graze_status gz_partition_make(graze_context *context, const gz_overlap_graph *graph,
                               uint64_t cache_bytes, const gz_partition_setting *setting,
                               gz_partition *partition);
void gz_partition_free(graze_context *context, gz_partition *partition);

#endif
