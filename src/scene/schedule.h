// In which order the edges of an overlap graph are looked at, so that little is loaded twice.
//
// GZ_ORDER_NUMBER   as they are numbered: what no order costs
// GZ_ORDER_BREADTH  the paper's (Wilson et al., section 4.3): subgraph by subgraph (partition.h),
//                   each from the node of highest valence, breadth-first, neighbours by descending
//                   valence; a core's neighbours one at a time
// GZ_ORDER_GREEDY   ours: the next node to come is the one that brings the most nodes nearest to
//                   being done with, for the bytes that it keeps waiting itself; see
//                   schedule_greedy.c
//
// An order is a pure function of graph, cache size and kind.
#ifndef GZ_SCHEDULE_H
#define GZ_SCHEDULE_H

#include "scene/partition.h"

typedef enum gz_order_kind {
    GZ_ORDER_NUMBER = 0,
    GZ_ORDER_BREADTH = 1,
    GZ_ORDER_GREEDY = 2
} gz_order_kind;

typedef struct gz_schedule {
    uint32_t edge_count, subgraph_count;
    uint32_t *edges; // all of them, in order
    uint32_t *first; // of each subgraph, and one behind the last; without METIS a subgraph is as
                     // much of the order as fits the cache together
} gz_schedule;

// @param cache_bytes  1 or more.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY, GRAZE_ERROR_CANCELLED. On failure it is empty.
graze_status gz_schedule_make(graze_context *context, const gz_overlap_graph *graph,
                              gz_order_kind kind, uint64_t cache_bytes, gz_schedule *schedule);
// The paper's order for subgraphs that are known.
graze_status gz_schedule_of_partition(graze_context *context, const gz_overlap_graph *graph,
                                      const gz_partition *partition, gz_schedule *schedule);
void gz_schedule_free(graze_context *context, gz_schedule *schedule);

// `order` receives all edges of the graph. False when out of memory.
bool gz_order_greedily(graze_context *context, const gz_overlap_graph *graph, uint64_t cache_bytes,
                       uint32_t *order);

// Pairs of objects in the order of a schedule: each where the heaviest of its edges is, the first
// of these if there are several. `order` has room for pair_count numbers of pairs.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status gz_schedule_pairs(graze_context *context, const gz_overlap_graph *graph,
                               const gz_object_pairs *pairs, const gz_schedule *schedule,
                               uint32_t *order);

#endif
