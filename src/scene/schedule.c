// Orders of edges. See schedule.h.
#include "scene/schedule.h"

#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"
#include "scene/local_graph.h"

static graze_status no_memory(graze_context *context, const gz_overlap_graph *graph)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "no memory to order %" PRIu32 " edges",
                   graph->edge_count);
}

// Links of a subgraph as records that sort by what the traversal wants: node, descending valence of
// the neighbour, its number, and the place of the edge.
#define LINK_BYTES 16
// Nodes: descending valence, number, and the local number.
#define NODE_BYTES 12

typedef struct walker {
    graze_context *context;
    const gz_overlap_graph *graph;
    gz_local_graph local;
    uint8_t (*links)[LINK_BYTES];
    uint8_t (*nodes)[NODE_BYTES];
    uint32_t *queue; // of local nodes
    uint8_t *seen;   // local nodes
    uint8_t *done;   // edges, by place
    uint32_t *out;   // the next place of the order
} walker;

static bool begin_walker(walker *w)
{
    uint64_t nodes = w->graph->node_count, edges = w->graph->edge_count;
    w->links = gz_allocate_array(w->context, 2 * edges, sizeof *w->links);
    w->nodes = gz_allocate_array(w->context, nodes, sizeof *w->nodes);
    w->queue = GZ_NEW_ARRAY(w->context, uint32_t, nodes);
    w->seen = GZ_NEW_ARRAY(w->context, uint8_t, nodes);
    w->done = GZ_NEW_ARRAY(w->context, uint8_t, edges);
    return gz_local_graph_make(w->context, w->graph, &w->local) && w->links != NULL &&
           w->nodes != NULL && w->queue != NULL && w->seen != NULL && w->done != NULL;
}

static void end_walker(walker *w)
{
    uint64_t nodes = w->graph->node_count, edges = w->graph->edge_count;
    GZ_FREE_ARRAY(w->context, w->links, 2 * edges);
    GZ_FREE_ARRAY(w->context, w->nodes, nodes);
    GZ_FREE_ARRAY(w->context, w->queue, nodes);
    GZ_FREE_ARRAY(w->context, w->seen, nodes);
    GZ_FREE_ARRAY(w->context, w->done, edges);
    gz_local_graph_free(w->context, &w->local);
}

static void sort_subgraph(walker *w)
{
    const gz_local_graph *local = &w->local;
    for (uint32_t i = 0; i < local->node_count; ++i) {
        gz_put_number(w->nodes[i], UINT32_MAX - gz_local_valence(local, i), 4);
        gz_put_number(w->nodes[i] + 4, local->nodes[i], 4);
        gz_put_number(w->nodes[i] + 8, i, 4);
        for (uint64_t k = local->first[i]; k < local->first[i + 1]; ++k) {
            uint32_t other = local->links[k].node;
            gz_put_number(w->links[k], i, 4);
            gz_put_number(w->links[k] + 4, UINT32_MAX - gz_local_valence(local, other), 4);
            gz_put_number(w->links[k] + 8, local->nodes[other], 4);
            gz_put_number(w->links[k] + 12, local->links[k].edge, 4);
        }
    }
    gz_sort_records(w->context, w->nodes, local->node_count, NODE_BYTES, 0, gz_arena_over(NULL, 0));
    gz_sort_records(w->context, w->links, 2 * (uint64_t)local->edge_count, LINK_BYTES, 0,
                    gz_arena_over(NULL, 0));
}

// Does the edge of a sorted link, unless it is done. Returns the neighbour.
static uint32_t do_link(walker *w, const uint32_t *edges, uint64_t link)
{
    uint32_t place = (uint32_t)gz_get_number(w->links[link] + 12, 4);
    if (!w->done[place]) {
        w->done[place] = 1;
        *w->out++ = edges[place];
    }
    return w->local.local[gz_get_number(w->links[link] + 8, 4)];
}

static void walk_breadth_first(walker *w, const uint32_t *edges, uint32_t root)
{
    uint32_t head = 0, tail = 0;
    w->seen[root] = 1;
    w->queue[tail++] = root;
    while (head < tail) {
        uint32_t node = w->queue[head++];
        for (uint64_t k = w->local.first[node]; k < w->local.first[node + 1]; ++k) {
            uint32_t other = do_link(w, edges, k);
            if (!w->seen[other]) {
                w->seen[other] = 1;
                w->queue[tail++] = other;
            }
        }
    }
}

// Edges within the core, then the others one at a time, each with all its edges: they lead into the
// core.
static void walk_core(walker *w, const uint32_t *edges, const uint32_t *core, uint32_t core_count)
{
    const gz_local_graph *local = &w->local;
    for (uint32_t i = 0; i < core_count; ++i) {
        GZ_ASSERT(gz_local_of(local, core[i]) != UINT32_MAX);
        w->seen[local->local[core[i]]] = 1;
    }
    for (uint32_t i = 0; i < core_count; ++i) {
        uint32_t at = local->local[core[i]];
        for (uint64_t k = local->first[at]; k < local->first[at + 1]; ++k)
            if (w->seen[local->local[gz_get_number(w->links[k] + 8, 4)]])
                do_link(w, edges, k);
    }
    for (uint32_t i = 0; i < local->node_count; ++i) {
        uint32_t at = (uint32_t)gz_get_number(w->nodes[i] + 8, 4);
        for (uint64_t k = local->first[at]; !w->seen[at] && k < local->first[at + 1]; ++k)
            do_link(w, edges, k);
    }
}

static void walk_subgraph(walker *w, const gz_partition *partition, const gz_subgraph *subgraph)
{
    const uint32_t *edges = &partition->edges[subgraph->first], *before = w->out;
    gz_local_graph_take(&w->local, edges, subgraph->edge_count);
    memset(w->seen, 0, w->local.node_count);
    memset(w->done, 0, subgraph->edge_count);
    sort_subgraph(w);
    if (subgraph->core_count != 0)
        walk_core(w, edges, &partition->cores[subgraph->first_core], subgraph->core_count);
    for (uint32_t i = 0; i < w->local.node_count && subgraph->core_count == 0; ++i) {
        uint32_t at = (uint32_t)gz_get_number(w->nodes[i] + 8, 4);
        if (!w->seen[at])
            walk_breadth_first(w, edges, at);
    }
    GZ_ASSERT((uint64_t)(w->out - before) == subgraph->edge_count);
}

static bool begin_schedule(graze_context *context, const gz_overlap_graph *graph,
                           uint32_t subgraph_count, gz_schedule *schedule)
{
    *schedule = (gz_schedule){.edge_count = graph->edge_count, .subgraph_count = subgraph_count};
    schedule->edges = GZ_NEW_ARRAY(context, uint32_t, graph->edge_count);
    schedule->first = GZ_NEW_ARRAY(context, uint32_t, (uint64_t)subgraph_count + 1);
    return (schedule->edges != NULL || graph->edge_count == 0) && schedule->first != NULL;
}

graze_status gz_schedule_of_partition(graze_context *context, const gz_overlap_graph *graph,
                                      const gz_partition *partition, gz_schedule *schedule)
{
    walker w = {.context = context, .graph = graph};
    GZ_ASSERT(partition->edge_count == graph->edge_count);
    bool made = begin_schedule(context, graph, partition->subgraph_count, schedule) &&
                (graph->edge_count == 0 || begin_walker(&w));
    w.out = schedule->edges;
    for (uint32_t i = 0; i < partition->subgraph_count && made; ++i) {
        schedule->first[i] = partition->subgraphs[i].first;
        GZ_ASSERT(w.out == &schedule->edges[schedule->first[i]]);
        walk_subgraph(&w, partition, &partition->subgraphs[i]);
    }
    end_walker(&w);
    if (!made) {
        gz_schedule_free(context, schedule);
        return no_memory(context, graph);
    }
    schedule->first[partition->subgraph_count] = graph->edge_count;
    return GRAZE_OK;
}

void gz_schedule_free(graze_context *context, gz_schedule *schedule)
{
    GZ_FREE_ARRAY(context, schedule->edges, schedule->edge_count);
    GZ_FREE_ARRAY(context, schedule->first, (uint64_t)schedule->subgraph_count + 1);
    *schedule = (gz_schedule){0};
}

// Cuts an order where the nodes since the last cut do not fit the cache any more. Returns how many
// subgraphs there are; `first` may be NULL. `last_seen` has a number for each node.
static uint32_t cut_order(const gz_overlap_graph *graph, const uint32_t *order,
                          uint64_t cache_bytes, uint32_t *last_seen, uint32_t *first)
{
    uint32_t count = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < graph->node_count; ++i)
        last_seen[i] = 0;
    for (uint32_t i = 0; i < graph->edge_count; ++i) {
        const gz_overlap_edge *edge = &graph->edges[order[i]];
        uint64_t more = (last_seen[edge->a] != count ? graph->bytes[edge->a] : 0) +
                        (last_seen[edge->b] != count ? graph->bytes[edge->b] : 0);
        if (count == 0 || bytes + more > cache_bytes) {
            if (first != NULL)
                first[count] = i;
            ++count;
            bytes = 0;
            more = graph->bytes[edge->a] + graph->bytes[edge->b];
        }
        bytes += more;
        last_seen[edge->a] = last_seen[edge->b] = count;
    }
    if (first != NULL)
        first[count] = graph->edge_count;
    return count;
}

static bool make_uncut(graze_context *context, const gz_overlap_graph *graph, gz_order_kind kind,
                       uint64_t cache_bytes, uint32_t *order, uint32_t *last_seen,
                       gz_schedule *schedule)
{
    if (order == NULL || last_seen == NULL)
        return false;
    for (uint32_t i = 0; i < graph->edge_count; ++i)
        order[i] = i;
    if (kind == GZ_ORDER_GREEDY && !gz_order_greedily(context, graph, cache_bytes, order))
        return false;
    uint32_t count = cut_order(graph, order, cache_bytes, last_seen, NULL);
    if (!begin_schedule(context, graph, count, schedule))
        return false;
    memcpy(schedule->edges, order, (size_t)graph->edge_count * sizeof *order);
    cut_order(graph, order, cache_bytes, last_seen, schedule->first);
    return true;
}

graze_status gz_schedule_make(graze_context *context, const gz_overlap_graph *graph,
                              gz_order_kind kind, uint64_t cache_bytes, gz_schedule *schedule)
{
    graze_status status = GRAZE_OK;
    *schedule = (gz_schedule){0};
    GZ_ASSERT(cache_bytes != 0);
    if (kind == GZ_ORDER_BREADTH || graph->edge_count == 0) {
        gz_partition partition;
        status = gz_partition_make(context, graph, cache_bytes, NULL, &partition);
        if (status == GRAZE_OK)
            status = gz_schedule_of_partition(context, graph, &partition, schedule);
        gz_partition_free(context, &partition);
        return status;
    }
    uint32_t *order = GZ_NEW_ARRAY(context, uint32_t, graph->edge_count);
    uint32_t *last_seen = GZ_NEW_ARRAY(context, uint32_t, graph->node_count);
    if (!make_uncut(context, graph, kind, cache_bytes, order, last_seen, schedule)) {
        gz_schedule_free(context, schedule);
        status = no_memory(context, graph);
    }
    GZ_FREE_ARRAY(context, order, graph->edge_count);
    GZ_FREE_ARRAY(context, last_seen, graph->node_count);
    return status;
}

// The heaviest edge of a pair: its bytes, and its place in the order.
typedef struct heaviest {
    uint64_t bytes;
    uint32_t place;
} heaviest;

graze_status gz_schedule_pairs(graze_context *context, const gz_overlap_graph *graph,
                               const gz_object_pairs *pairs, const gz_schedule *schedule,
                               uint32_t *order)
{
    GZ_ASSERT(pairs->edge_count == schedule->edge_count);
    if (pairs->pair_count == 0)
        return GRAZE_OK;
    heaviest *of_pair = GZ_NEW_ARRAY(context, heaviest, pairs->pair_count);
    if (of_pair == NULL)
        return no_memory(context, graph);
    for (uint32_t i = 0; i < pairs->pair_count; ++i)
        of_pair[i] = (heaviest){.place = UINT32_MAX};
    for (uint32_t i = 0; i < schedule->edge_count; ++i) {
        const gz_overlap_edge *edge = &graph->edges[schedule->edges[i]];
        uint64_t bytes = graph->bytes[edge->a] + graph->bytes[edge->b];
        heaviest *h = &of_pair[pairs->of_edge[schedule->edges[i]]];
        if (h->place == UINT32_MAX || bytes > h->bytes)
            *h = (heaviest){bytes, i};
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < schedule->edge_count; ++i) {
        uint32_t pair = pairs->of_edge[schedule->edges[i]];
        if (of_pair[pair].place == i)
            order[count++] = pair;
    }
    GZ_ASSERT(count == pairs->pair_count);
    GZ_FREE_ARRAY(context, of_pair, pairs->pair_count);
    return GRAZE_OK;
}
