// Groups of edges that fit a cache. See partition.h.
#include "scene/partition.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"
#include "scene/cache_model.h"
#include "scene/local_graph.h"
#include "scene/metis_guard.h"
#include "scene/schedule.h"
#include "simplify/union_find.h"

#define KEY_BYTES  12      // valence, number in the overlap graph, local number
#define MANY_EDGES 200000u // one setting must do for as many

// A stretch of edges that waits.
typedef struct stretch {
    uint32_t first, count;
    bool connected; // it is one component
    bool valence;   // if it does not fit: nodes of high valence are next, else METIS
} stretch;

typedef struct work {
    graze_context *context;
    const gz_overlap_graph *graph;
    uint64_t cache_bytes;
    gz_partition_setting setting;
    uint32_t *edges, *spare;    // numbers of all edges; stretches are sorted in place
    uint32_t *group;            // of each edge of a stretch, by place: where it is to go
    uint32_t *mark;             // of each local node
    uint8_t (*keys)[KEY_BYTES]; // of each local node, for sorting
    gz_local_graph local;       // the stretch that is worked on
    GZ_LIST(stretch) waiting;
    GZ_LIST(gz_subgraph) subgraphs;
    gz_index_list cores;
    gz_index_list starts; // of groups
} work;

static graze_status no_memory(const work *w)
{
    return gz_fail(w->context, GRAZE_ERROR_MEMORY,
                   "no memory to cut an overlap graph of %" PRIu32 " nodes and %" PRIu32 " edges",
                   w->graph->node_count, w->graph->edge_count);
}

static bool begin_work(work *w)
{
    uint64_t nodes = w->graph->node_count, edges = w->graph->edge_count;
    w->edges = GZ_NEW_ARRAY(w->context, uint32_t, edges);
    w->spare = GZ_NEW_ARRAY(w->context, uint32_t, edges);
    w->group = GZ_NEW_ARRAY(w->context, uint32_t, edges);
    w->mark = GZ_NEW_ARRAY(w->context, uint32_t, nodes);
    w->keys = gz_allocate_array(w->context, nodes, sizeof *w->keys);
    return gz_local_graph_make(w->context, w->graph, &w->local) && w->edges != NULL &&
           w->spare != NULL && w->group != NULL && w->mark != NULL && w->keys != NULL;
}

static void end_work(work *w)
{
    uint64_t nodes = w->graph->node_count, edges = w->graph->edge_count;
    GZ_FREE_ARRAY(w->context, w->edges, edges);
    GZ_FREE_ARRAY(w->context, w->spare, edges);
    GZ_FREE_ARRAY(w->context, w->group, edges);
    GZ_FREE_ARRAY(w->context, w->mark, nodes);
    GZ_FREE_ARRAY(w->context, w->keys, nodes);
    gz_local_graph_free(w->context, &w->local);
    gz_list_free(w->context, &w->waiting);
    gz_list_free(w->context, &w->subgraphs);
    gz_list_free(w->context, &w->cores);
    gz_list_free(w->context, &w->starts);
}

// Brings the edges of a stretch into the order of their groups, and keeps their order in each.
// starts[g] is where group g begins, starts[group_count] where the last one ends.
static bool deal_edges(work *w, const stretch *s, uint32_t group_count)
{
    w->starts.count = 0;
    uint32_t *starts = gz_list_push(w->context, &w->starts, (uint64_t)group_count + 1);
    if (starts == NULL)
        return false;
    memset(starts, 0, ((size_t)group_count + 1) * sizeof *starts);
    for (uint32_t i = 0; i < s->count; ++i)
        ++starts[w->group[i]];
    uint32_t end = s->first;
    for (uint32_t g = 0; g <= group_count; ++g)
        starts[g] = end += g < group_count ? starts[g] : 0;
    GZ_ASSERT(end == s->first + s->count);
    memcpy(w->spare, &w->edges[s->first], (size_t)s->count * sizeof *w->spare);
    for (uint32_t i = s->count; i-- != 0;)
        w->edges[--starts[w->group[i]]] = w->spare[i];
    return true;
}

// Groups wait, the first on top; those without edges do not.
static bool push_groups(work *w, uint32_t first_group, uint32_t group_count, stretch like)
{
    for (uint32_t g = group_count; g-- > first_group;) {
        like.first = w->starts.items[g];
        like.count = w->starts.items[g + 1] - like.first;
        if (like.count != 0 && !gz_list_append(w->context, &w->waiting, &like, 1))
            return false;
    }
    return true;
}

static bool push_subgraph(work *w, uint32_t first, uint32_t count, uint32_t core_count,
                          uint64_t bytes)
{
    gz_subgraph subgraph = {.first = first,
                            .edge_count = count,
                            .first_core = (uint32_t)w->cores.count - core_count,
                            .core_count = core_count,
                            .bytes = bytes};
    return gz_list_append(w->context, &w->subgraphs, &subgraph, 1);
}

// Part, or component, that the node a of an edge of the stretch is in.
static uint32_t mark_of_a(const work *w, const stretch *s, uint32_t place)
{
    return w->mark[w->local.local[w->graph->edges[w->edges[s->first + place]].a]];
}
static uint32_t mark_of_b(const work *w, const stretch *s, uint32_t place)
{
    return w->mark[w->local.local[w->graph->edges[w->edges[s->first + place]].b]];
}

// Numbers the components of the local graph and returns how many there are.
static uint32_t mark_components(work *w)
{
    const gz_local_graph *local = &w->local;
    for (uint32_t i = 0; i < local->node_count; ++i)
        w->mark[i] = i;
    for (uint32_t i = 0; i < local->node_count; ++i)
        for (uint64_t k = local->first[i]; k < local->first[i + 1]; ++k)
            gz_union_join(w->mark, i, local->links[k].node);
    for (uint32_t i = 0; i < local->node_count; ++i)
        w->mark[i] = gz_union_root(w->mark, i);
    uint32_t count = 0;
    for (uint32_t i = 0; i < local->node_count; ++i) // roots have smaller numbers than the others
        w->mark[i] = w->mark[i] == i ? count++ : w->mark[w->mark[i]];
    return count;
}

static bool split_components(work *w, const stretch *s, uint32_t component_count)
{
    for (uint32_t i = 0; i < s->count; ++i)
        w->group[i] = mark_of_a(w, s, i);
    return deal_edges(w, s, component_count) &&
           push_groups(w, 0, component_count, (stretch){.connected = true, .valence = s->valence});
}

// Local nodes by valence, the highest first, equal ones by their number.
static void sort_by_valence(work *w)
{
    const gz_local_graph *local = &w->local;
    for (uint32_t i = 0; i < local->node_count; ++i) {
        gz_put_number(w->keys[i], UINT32_MAX - gz_local_valence(local, i), 4);
        gz_put_number(w->keys[i] + 4, local->nodes[i], 4);
        gz_put_number(w->keys[i] + 8, i, 4);
    }
    gz_sort_records(w->context, w->keys, local->node_count, KEY_BYTES, 0, gz_arena_over(NULL, 0));
}

static uint64_t largest_neighbour(const work *w, uint32_t at)
{
    const gz_local_graph *local = &w->local;
    uint64_t largest = 0;
    for (uint64_t k = local->first[at]; k < local->first[at + 1]; ++k) {
        uint64_t bytes = w->graph->bytes[local->nodes[local->links[k].node]];
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

// Marks nodes of high valence that fit the cache together with any neighbour: the first one, whose
// edges all fit, and others of at least twice the mean valence. Returns the bytes that they need.
static bool choose_core(work *w, uint32_t *core_count, uint64_t *bytes)
{
    const gz_local_graph *local = &w->local;
    uint64_t core_bytes = 0, other_bytes = 0;
    double core_most = w->setting.core * (double)w->cache_bytes;
    memset(w->mark, 0, (size_t)local->node_count * sizeof *w->mark);
    sort_by_valence(w);
    *core_count = 0;
    for (uint32_t i = 0; i < local->node_count; ++i) {
        uint32_t at = (uint32_t)gz_get_number(w->keys[i] + 8, 4);
        uint64_t own = w->graph->bytes[local->nodes[at]], other = largest_neighbour(w, at);
        if (i != 0 && (uint64_t)gz_local_valence(local, at) * local->node_count <
                          4 * (uint64_t)local->edge_count)
            break;
        other = other > other_bytes ? other : other_bytes;
        if (i != 0 &&
            (core_bytes + own + other > w->cache_bytes || (double)(core_bytes + own) > core_most))
            continue;
        GZ_ASSERT(core_bytes + own + other <= w->cache_bytes);
        core_bytes += own;
        other_bytes = other;
        w->mark[at] = 1;
        ++*core_count;
        if (!gz_list_append(w->context, &w->cores, &local->nodes[at], 1))
            return false;
    }
    *bytes = core_bytes + other_bytes;
    return true;
}

static bool take_out_core(work *w, const stretch *s)
{
    uint32_t core_count = 0;
    uint64_t bytes = 0;
    if (!choose_core(w, &core_count, &bytes))
        return false;
    for (uint32_t i = 0; i < s->count; ++i)
        w->group[i] = (mark_of_a(w, s, i) | mark_of_b(w, s, i)) != 0 ? 0 : 1;
    if (!deal_edges(w, s, 2))
        return false;
    GZ_ASSERT(w->starts.items[1] > s->first); // so there is less left
    return push_subgraph(w, s->first, w->starts.items[1] - s->first, core_count, bytes) &&
           push_groups(w, 1, 2, (stretch){.valence = false});
}

// The local graph as METIS wants it. Bytes are divided such that sums stay small.
typedef struct metis_arrays {
    int32_t *first, *neighbour, *weight, *cost, *part;
} metis_arrays;

static uint64_t smaller_bytes(const work *w, uint32_t a, uint32_t b)
{
    uint64_t x = w->graph->bytes[w->local.nodes[a]], y = w->graph->bytes[w->local.nodes[b]];
    return x < y ? x : y;
}

// An edge that is cut makes the smaller of its nodes load again.
static void fill_metis(const work *w, const metis_arrays *m)
{
    const gz_local_graph *local = &w->local;
    uint64_t link_count = 2 * (uint64_t)local->edge_count;
    double weight_scale = 0x1p29 / (double)local->bytes, cost_sum = 1;
    for (uint32_t i = 0; i < local->node_count; ++i)
        for (uint64_t k = local->first[i]; k < local->first[i + 1]; ++k)
            cost_sum += (double)smaller_bytes(w, i, local->links[k].node);
    double cost_scale = 0x1p29 / cost_sum;
    for (uint32_t i = 0; i < local->node_count; ++i) {
        double bytes = (double)w->graph->bytes[local->nodes[i]];
        m->first[i] = (int32_t)local->first[i];
        m->weight[i] = 1 + (int32_t)(weight_scale * bytes);
        for (uint64_t k = local->first[i]; k < local->first[i + 1]; ++k) {
            m->neighbour[k] = (int32_t)local->links[k].node;
            m->cost[k] =
                1 + (int32_t)(cost_scale * (double)smaller_bytes(w, i, local->links[k].node));
        }
    }
    m->first[local->node_count] = (int32_t)link_count;
}

static graze_status ask_metis(work *w, double share)
{
    uint64_t nodes = w->local.node_count, links = 2 * (uint64_t)w->local.edge_count;
    metis_arrays m = {.first = GZ_NEW_ARRAY(w->context, int32_t, nodes + 1),
                      .neighbour = GZ_NEW_ARRAY(w->context, int32_t, links),
                      .weight = GZ_NEW_ARRAY(w->context, int32_t, nodes),
                      .cost = GZ_NEW_ARRAY(w->context, int32_t, links),
                      .part = GZ_NEW_ARRAY(w->context, int32_t, nodes)};
    graze_status status = GRAZE_OK;
    if (m.first == NULL || m.neighbour == NULL || m.weight == NULL || m.cost == NULL ||
        m.part == NULL)
        status = no_memory(w);
    if (status == GRAZE_OK) {
        fill_metis(w, &m);
        gz_metis_graph graph = {.node_count = (uint32_t)nodes,
                                .first = m.first,
                                .neighbour = m.neighbour,
                                .weight = m.weight,
                                .cost = m.cost};
        status = gz_metis_bisect(w->context, &graph, share, m.part);
    }
    for (uint32_t i = 0; i < nodes && status == GRAZE_OK; ++i)
        w->mark[i] = (uint32_t)m.part[i];
    GZ_FREE_ARRAY(w->context, m.first, nodes + 1);
    GZ_FREE_ARRAY(w->context, m.neighbour, links);
    GZ_FREE_ARRAY(w->context, m.weight, nodes);
    GZ_FREE_ARRAY(w->context, m.cost, links);
    GZ_FREE_ARRAY(w->context, m.part, nodes);
    return status;
}

// Two parts and, behind them, the cut graph. Parts that do not fit are cut again; the cut graph
// goes on with nodes of high valence. Where all nodes are in one part, so does that.
static graze_status cut_in_two(work *w, const stretch *s, double part_count)
{
    double half = floor(0.5 * part_count);
    graze_status status = ask_metis(w, half / part_count);
    if (status != GRAZE_OK)
        return status;
    bool both[2] = {false, false};
    for (uint32_t i = 0; i < w->local.node_count; ++i)
        both[w->mark[i]] = true;
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t a = mark_of_a(w, s, i), b = mark_of_b(w, s, i);
        w->group[i] = a == b ? a : 2;
    }
    bool made = deal_edges(w, s, 3) && push_groups(w, 2, 3, (stretch){.valence = true}) &&
                push_groups(w, 0, 2, (stretch){.valence = !both[0] || !both[1]});
    return made ? GRAZE_OK : no_memory(w);
}

// Where a node has more neighbours than there is room for in its part and another one, parts leave
// nearly all edges between them: METIS would take long for nothing.
static bool worth_cutting(const work *w, double part_count)
{
    uint64_t nodes = w->local.node_count, links = 2 * (uint64_t)w->local.edge_count;
    return gz_metis_can(nodes, links) &&
           (double)links * part_count <= 2.0 * (double)nodes * (double)nodes;
}

static graze_status work_on(work *w, const stretch *s)
{
    gz_local_graph_take(&w->local, &w->edges[s->first], s->count);
    if (!s->connected) {
        uint32_t component_count = mark_components(w);
        if (component_count > 1)
            return split_components(w, s, component_count) ? GRAZE_OK : no_memory(w);
    }
    if (w->local.bytes <= w->cache_bytes)
        return push_subgraph(w, s->first, s->count, 0, w->local.bytes) ? GRAZE_OK : no_memory(w);
    double part_count = ceil((double)w->local.bytes / (w->setting.fill * (double)w->cache_bytes));
    part_count = fmax(part_count, 2);
    if (!s->valence && worth_cutting(w, part_count))
        return cut_in_two(w, s, part_count);
    return take_out_core(w, s) ? GRAZE_OK : no_memory(w);
}

static uint32_t heavier_node(const gz_overlap_graph *graph, uint32_t edge)
{
    uint32_t a = graph->edges[edge].a, b = graph->edges[edge].b;
    return graph->bytes[b] > graph->bytes[a] ? b : a;
}

// Edges that do not fit come first, by their heavier node: a subgraph for each of these, which is
// its core.
static bool take_heavy(work *w, uint32_t *heavy_count)
{
    uint32_t edge_count = w->graph->edge_count, count = 0, last = 0;
    GZ_LIST(uint8_t[8]) heavy = {0};
    bool made = true;
    for (uint32_t e = 0; e < edge_count && made; ++e) {
        const gz_overlap_edge *edge = &w->graph->edges[e];
        uint64_t sum = w->graph->bytes[edge->a] + w->graph->bytes[edge->b];
        if (sum <= w->cache_bytes) {
            w->edges[edge_count - ++last] = e;
            continue;
        }
        uint8_t(*key)[8] = gz_list_push(w->context, &heavy, 1);
        made = key != NULL;
        if (made)
            gz_put_number(*key, (uint64_t)heavier_node(w->graph, e) << 32 | e, 8);
    }
    count = (uint32_t)heavy.count;
    for (uint32_t i = count, k = edge_count; i < k;) { // the others were put in from the end
        uint32_t e = w->edges[i];
        w->edges[i++] = w->edges[--k];
        w->edges[k] = e;
    }
    gz_sort_records(w->context, heavy.items, count, 8, 0, gz_arena_over(NULL, 0));
    for (uint32_t i = 0, end = 0; i < count && made; i = end) {
        uint32_t core = (uint32_t)gz_get_number(heavy.items[i], 4);
        uint64_t bytes = 0;
        for (; end < count && gz_get_number(heavy.items[end], 4) == core; ++end) {
            const gz_overlap_edge *edge = &w->graph->edges[gz_get_number(heavy.items[end] + 4, 4)];
            uint64_t sum = w->graph->bytes[edge->a] + w->graph->bytes[edge->b];
            bytes = sum > bytes ? sum : bytes;
            w->edges[end] = (uint32_t)gz_get_number(heavy.items[end] + 4, 4);
        }
        made = gz_list_append(w->context, &w->cores, &core, 1) &&
               push_subgraph(w, i, end - i, 1, bytes);
    }
    gz_list_free(w->context, &heavy);
    *heavy_count = count;
    return made;
}

static graze_status cut_all(work *w)
{
    uint32_t heavy_count = 0;
    stretch all = {.valence = true};
    bool made = begin_work(w) && take_heavy(w, &heavy_count);
    all.first = heavy_count;
    all.count = made ? w->graph->edge_count - heavy_count : 0;
    if (made && all.count != 0)
        made = gz_list_append(w->context, &w->waiting, &all, 1);
    graze_status status = made ? GRAZE_OK : no_memory(w);
    while (status == GRAZE_OK && w->waiting.count != 0) {
        stretch s = w->waiting.items[--w->waiting.count];
        status = work_on(w, &s);
        if (status == GRAZE_OK) // what comes next on the stack lies behind
            status = gz_checkpoint(w->context, "cutting the overlap graph", "edges", s.first,
                                   w->graph->edge_count);
    }
    return status;
}

static graze_status make_one(graze_context *context, const gz_overlap_graph *graph,
                             uint64_t cache_bytes, const gz_partition_setting *setting,
                             gz_partition *out)
{
    work w = {.context = context, .graph = graph, .cache_bytes = cache_bytes, .setting = *setting};
    *out = (gz_partition){0};
    graze_status status = cut_all(&w);
    if (status == GRAZE_OK) {
        gz_list_trim(context, &w.subgraphs);
        gz_list_trim(context, &w.cores);
        if (w.subgraphs.capacity != w.subgraphs.count || w.cores.capacity != w.cores.count)
            status = no_memory(&w); // a block that does not shrink would be given back wrongly
    }
    if (status == GRAZE_OK) {
        *out = (gz_partition){.edge_count = graph->edge_count,
                              .subgraph_count = (uint32_t)w.subgraphs.count,
                              .core_count = (uint32_t)w.cores.count,
                              .edges = w.edges,
                              .subgraphs = w.subgraphs.items,
                              .cores = w.cores.items};
        w.edges = NULL;
        w.subgraphs.items = NULL;
        w.subgraphs.count = w.subgraphs.capacity = 0;
        w.cores.items = NULL;
        w.cores.count = w.cores.capacity = 0;
    }
    end_work(&w);
    return status;
}

// What a partition loads, in the order of the paper, from an LRU cache.
static graze_status loads_of(graze_context *context, const gz_overlap_graph *graph,
                             uint64_t cache_bytes, const gz_partition *partition, uint64_t *bytes)
{
    gz_schedule schedule;
    gz_order_loads loads = {0};
    graze_status status = gz_schedule_of_partition(context, graph, partition, &schedule);
    if (status == GRAZE_OK)
        status = gz_cache_model_lru(context, graph, schedule.edges, schedule.edge_count,
                                    cache_bytes, &loads);
    gz_schedule_free(context, &schedule);
    *bytes = loads.load_bytes;
    return status;
}

graze_status gz_partition_make(graze_context *context, const gz_overlap_graph *graph,
                               uint64_t cache_bytes, const gz_partition_setting *setting,
                               gz_partition *partition)
{
    static const gz_partition_setting settings[] = {{0.9, 1}, {0.6, 1}, {0.3, 0.5}, {0.9, 0}};
    uint32_t count = graph->edge_count > MANY_EDGES ? 1 : sizeof settings / sizeof *settings;
    GZ_ASSERT(cache_bytes != 0);
    *partition = (gz_partition){0};
    if (graph->edge_count == 0)
        return GRAZE_OK;
    if (setting != NULL || count == 1)
        return make_one(context, graph, cache_bytes, setting != NULL ? setting : settings,
                        partition);
    uint64_t least = UINT64_MAX;
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        gz_partition other;
        uint64_t bytes = 0;
        status = make_one(context, graph, cache_bytes, &settings[i], &other);
        if (status == GRAZE_OK)
            status = loads_of(context, graph, cache_bytes, &other, &bytes);
        if (status == GRAZE_OK && bytes < least) {
            gz_partition worse = *partition;
            least = bytes;
            *partition = other;
            other = worse;
        }
        gz_partition_free(context, &other);
        if (status == GRAZE_OK && partition->subgraph_count == 1)
            break; // all fits: no other is better
    }
    if (status != GRAZE_OK)
        gz_partition_free(context, partition);
    return status;
}

void gz_partition_free(graze_context *context, gz_partition *partition)
{
    GZ_FREE_ARRAY(context, partition->edges, partition->edge_count);
    GZ_FREE_ARRAY(context, partition->subgraphs, partition->subgraph_count);
    GZ_FREE_ARRAY(context, partition->cores, partition->core_count);
    *partition = (gz_partition){0};
}
