// What an order of edges costs to load. See cache_model.h.
#include "scene/cache_model.h"

#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/heap.h"

static graze_status no_memory(graze_context *context, const gz_overlap_graph *graph)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY,
                   "no memory to foresee loads of %" PRIu32 " nodes along %" PRIu32 " edges",
                   graph->node_count, graph->edge_count);
}

static void count_load(gz_order_loads *loads, uint64_t *held_bytes, uint64_t bytes)
{
    ++loads->load_count;
    loads->load_bytes += bytes;
    *held_bytes += bytes;
    if (*held_bytes > loads->peak_bytes)
        loads->peak_bytes = *held_bytes;
}

// LRU: nodes that are held form a ring, the one used last before the head, the oldest behind it.
typedef struct ring {
    uint32_t *newer, *older; // of each node, and of the head behind the last
    uint32_t head;
} ring;

static void ring_cut(ring *r, uint32_t node)
{
    r->older[r->newer[node]] = r->older[node];
    r->newer[r->older[node]] = r->newer[node];
    r->newer[node] = r->older[node] = node; // alone: not held
}

static void ring_add(ring *r, uint32_t node)
{
    r->older[node] = r->older[r->head];
    r->newer[node] = r->head;
    r->newer[r->older[node]] = node;
    r->older[r->head] = node;
}

static void run_lru(const gz_overlap_graph *graph, const uint32_t *order, uint32_t order_count,
                    uint64_t cache_bytes, ring *r, gz_order_loads *loads)
{
    uint64_t held_bytes = 0;
    for (uint32_t i = 0; i < order_count; ++i) {
        GZ_ASSERT(order[i] < graph->edge_count);
        const gz_overlap_edge *edge = &graph->edges[order[i]];
        const uint32_t both[2] = {edge->a, edge->b};
        uint64_t new_bytes = 0;
        bool missing[2];
        for (int k = 0; k < 2; ++k) { // to the front: so they are the last to be evicted
            missing[k] = r->newer[both[k]] == both[k];
            new_bytes += missing[k] ? graph->bytes[both[k]] : 0;
            ring_cut(r, both[k]);
            ring_add(r, both[k]);
        }
        for (uint32_t old = r->newer[r->head];
             held_bytes + new_bytes > cache_bytes && old != both[0] && old != both[1];
             old = r->newer[r->head]) {
            held_bytes -= graph->bytes[old];
            ring_cut(r, old);
        }
        for (int k = 0; k < 2; ++k)
            if (missing[k])
                count_load(loads, &held_bytes, graph->bytes[both[k]]);
    }
}

graze_status gz_cache_model_lru(graze_context *context, const gz_overlap_graph *graph,
                                const uint32_t *order, uint32_t order_count, uint64_t cache_bytes,
                                gz_order_loads *loads)
{
    *loads = (gz_order_loads){0};
    uint64_t count = (uint64_t)graph->node_count + 1;
    ring r = {.newer = GZ_NEW_ARRAY(context, uint32_t, count),
              .older = GZ_NEW_ARRAY(context, uint32_t, count),
              .head = graph->node_count};
    bool made = r.newer != NULL && r.older != NULL;
    if (made) {
        for (uint32_t i = 0; i < count; ++i)
            r.newer[i] = r.older[i] = i;
        run_lru(graph, order, order_count, cache_bytes, &r, loads);
    }
    GZ_FREE_ARRAY(context, r.newer, count);
    GZ_FREE_ARRAY(context, r.older, count);
    return made ? GRAZE_OK : no_memory(context, graph);
}

graze_status gz_next_uses(graze_context *context, const gz_overlap_graph *graph,
                          const uint32_t *order, uint32_t order_count, uint32_t *next)
{
    uint32_t *coming = GZ_NEW_ARRAY(context, uint32_t, graph->node_count);
    if (coming == NULL && graph->node_count != 0)
        return no_memory(context, graph);
    for (uint32_t i = 0; i < graph->node_count; ++i)
        coming[i] = GZ_NO_USE;
    for (uint32_t i = order_count; i-- != 0;) {
        GZ_ASSERT(order[i] < graph->edge_count);
        const gz_overlap_edge *edge = &graph->edges[order[i]];
        next[2 * (uint64_t)i] = coming[edge->a];
        next[2 * (uint64_t)i + 1] = coming[edge->b];
        coming[edge->a] = coming[edge->b] = i;
    }
    GZ_FREE_ARRAY(context, coming, graph->node_count);
    return GRAZE_OK;
}

// Belady. A heap has what is held by next use, the last first; what was used meanwhile is still in
// there under an earlier use, and dropped when it comes up. Uses are places of edges, so two nodes
// may have the same one: the larger number goes first.
typedef struct farthest {
    uint64_t use_and_node;
} farthest;
GZ_HEAP(farthest, farthest, use_and_node, >)

typedef struct belady {
    graze_context *context;
    const gz_overlap_graph *graph;
    uint64_t cache_bytes, held_bytes;
    uint32_t *next;  // of gz_next_uses
    uint32_t *until; // next use of a node that is held; GZ_NO_USE: it is not held
    GZ_LIST(farthest) heap;
} belady;

// False: nothing is left that the edge does not need.
static bool evict_one(belady *b, const uint32_t both[2], uint32_t now)
{
    while (b->heap.count != 0) {
        farthest top;
        farthest_pop(&b->heap.list, &top);
        uint32_t node = (uint32_t)top.use_and_node, use = (uint32_t)(top.use_and_node >> 32);
        if (b->until[node] != use)
            continue; // evicted or used since
        if (node == both[0] || node == both[1]) {
            GZ_ASSERT(use == now); // nothing is used earlier, so no other is left
            continue;              // this edge pushes it again
        }
        b->until[node] = GZ_NO_USE;
        b->held_bytes -= b->graph->bytes[node];
        return true;
    }
    return false;
}

static bool take_edge(belady *b, const uint32_t both[2], uint32_t now, gz_order_loads *loads)
{
    uint64_t new_bytes = 0;
    bool missing[2];
    for (int k = 0; k < 2; ++k) {
        missing[k] = b->until[both[k]] == GZ_NO_USE;
        GZ_ASSERT(missing[k] || b->until[both[k]] == now);
        new_bytes += missing[k] ? b->graph->bytes[both[k]] : 0;
    }
    while (b->held_bytes + new_bytes > b->cache_bytes)
        if (!evict_one(b, both, now))
            break;
    for (int k = 0; k < 2; ++k)
        if (missing[k])
            count_load(loads, &b->held_bytes, b->graph->bytes[both[k]]);
    for (int k = 0; k < 2; ++k) {
        uint32_t use = b->next[2 * (uint64_t)now + k];
        b->until[both[k]] = use;
        farthest entry = {(uint64_t)use << 32 | both[k]};
        if (use == GZ_NO_USE)
            b->held_bytes -= b->graph->bytes[both[k]]; // never again
        else if (!farthest_push(b->context, &b->heap.list, &entry))
            return false;
    }
    return true;
}

graze_status gz_cache_model_belady(graze_context *context, const gz_overlap_graph *graph,
                                   const uint32_t *order, uint32_t order_count,
                                   uint64_t cache_bytes, gz_order_loads *loads)
{
    *loads = (gz_order_loads){0};
    belady b = {.context = context, .graph = graph, .cache_bytes = cache_bytes};
    b.heap.list = gz_list_of(sizeof(farthest));
    b.next = GZ_NEW_ARRAY(context, uint32_t, 2 * (uint64_t)order_count);
    b.until = GZ_NEW_ARRAY(context, uint32_t, graph->node_count);
    bool made = (b.next != NULL && b.until != NULL) || order_count == 0;
    graze_status status = made ? GRAZE_OK : no_memory(context, graph);
    if (status == GRAZE_OK && order_count != 0) {
        status = gz_next_uses(context, graph, order, order_count, b.next);
        for (uint32_t i = 0; i < graph->node_count; ++i)
            b.until[i] = GZ_NO_USE;
    }
    for (uint32_t i = 0; i < order_count && status == GRAZE_OK; ++i) {
        const gz_overlap_edge *edge = &graph->edges[order[i]];
        if (!take_edge(&b, (const uint32_t[2]){edge->a, edge->b}, i, loads))
            status = no_memory(context, graph);
    }
    GZ_FREE_ARRAY(context, b.next, 2 * (uint64_t)order_count);
    GZ_FREE_ARRAY(context, b.until, graph->node_count);
    gz_list_free(context, &b.heap);
    return status;
}
