// A model of a cache: what an order of edges costs to load. An edge needs both of its nodes at
// once. Room for them is made by evicting others: those used longest ago (LRU), or, since the order
// is known, those whose next use comes last (Belady, who leaves out what is never used again). Two
// nodes that are larger than the cache are held beyond its size for as long as the edge takes, and
// until room is needed: pages of models are finer than nodes.
//
// The same next uses are what a real cache wants to be told: gz_next_uses.
#ifndef GZ_CACHE_MODEL_H
#define GZ_CACHE_MODEL_H

#include "scene/overlap_graph.h"

typedef struct gz_order_loads {
    uint64_t load_count; // nodes
    uint64_t load_bytes;
    uint64_t peak_bytes; // held at once: more than the cache has only where one edge needs it
} gz_order_loads;

// `order` has numbers of edges of the graph.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status gz_cache_model_lru(graze_context *context, const gz_overlap_graph *graph,
                                const uint32_t *order, uint32_t order_count, uint64_t cache_bytes,
                                gz_order_loads *loads);
graze_status gz_cache_model_belady(graze_context *context, const gz_overlap_graph *graph,
                                   const uint32_t *order, uint32_t order_count,
                                   uint64_t cache_bytes, gz_order_loads *loads);

#define GZ_NO_USE UINT32_MAX

// next[2 * i] and next[2 * i + 1]: the place in the order, behind i, that needs node a (node b) of
// the edge at place i again; GZ_NO_USE: none does. `next` has room for two numbers an edge.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status gz_next_uses(graze_context *context, const gz_overlap_graph *graph,
                          const uint32_t *order, uint32_t order_count, uint32_t *next);

#endif
