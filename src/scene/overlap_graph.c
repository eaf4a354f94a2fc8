// Which boxes are near each other. See overlap_graph.h.
#include "scene/overlap_graph.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"
#include "geometry/rounding.h"
#include "scene/node_bvh.h"

#define CHUNK_BOXES 512u // asked by one task
#define WAVE_CHUNKS 256u // tasks between two looks at whether to go on

typedef GZ_LIST(gz_overlap_edge) edge_list;

typedef struct join {
    graze_context *context;
    const gz_overlap_node *nodes;
    const graze_box *boxes; // grown
    gz_node_bvh bvh;
    uint32_t first_chunk;
    edge_list lists[WAVE_CHUNKS]; // one a task, joined in order
    bool failed[WAVE_CHUNKS];
} join;

typedef struct asker {
    join *join;
    edge_list *list;
    uint32_t node;
} asker;

static bool add_edge(void *user, uint32_t place)
{
    asker *ask = user;
    uint32_t a = ask->node, b = ask->join->bvh.number[place];
    if (ask->join->nodes[a].object == ask->join->nodes[b].object)
        return true;
    gz_overlap_edge *edge = gz_list_push(ask->join->context, ask->list, 1);
    if (edge == NULL)
        return false;
    *edge = a < b ? (gz_overlap_edge){a, b} : (gz_overlap_edge){b, a};
    return true;
}

// Each box asks for those that lie behind it in the BVH, so that no pair is found twice.
static void ask_chunk(void *data, uint32_t index)
{
    join *j = data;
    asker ask = {.join = j, .list = &j->lists[index]};
    uint64_t first = ((uint64_t)j->first_chunk + index) * CHUNK_BOXES, end = first + CHUNK_BOXES;
    for (uint64_t place = first; place < end && place < j->bvh.count; ++place) {
        ask.node = j->bvh.number[place];
        if (!gz_node_bvh_find(&j->bvh, &j->boxes[ask.node], (uint32_t)place + 1, add_edge, &ask)) {
            j->failed[index] = true;
            return;
        }
    }
}

static graze_status take_wave(join *j, uint32_t chunk_count, uint32_t most_edges, edge_list *all)
{
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < chunk_count; ++i) {
        edge_list *list = &j->lists[i];
        if (status == GRAZE_OK && !j->failed[i] && list->count > most_edges - all->count)
            status = gz_fail(j->context, GRAZE_ERROR_UNSUPPORTED,
                             "overlap graph: more than %" PRIu32 " pairs of boxes are near each "
                             "other",
                             most_edges);
        if (status == GRAZE_OK &&
            (j->failed[i] || !gz_list_append(j->context, all, list->items, list->count)))
            status = gz_fail(j->context, GRAZE_ERROR_MEMORY,
                             "overlap graph: no memory for more than %" PRIu64
                             " pairs of boxes near each other",
                             all->count);
        gz_list_free(j->context, list);
        j->failed[i] = false;
    }
    return status;
}

static graze_status find_edges(join *j, uint32_t most_edges, edge_list *all)
{
    uint32_t chunk_count = j->bvh.count / CHUNK_BOXES + (j->bvh.count % CHUNK_BOXES != 0);
    graze_status status = GRAZE_OK;
    for (; j->first_chunk < chunk_count && status == GRAZE_OK; j->first_chunk += WAVE_CHUNKS) {
        uint32_t left = chunk_count - j->first_chunk;
        uint32_t count = left < WAVE_CHUNKS ? left : WAVE_CHUNKS;
        gz_parallel(j->context, count, ask_chunk, j);
        status = take_wave(j, count, most_edges, all);
        if (status == GRAZE_OK)
            status = gz_checkpoint(j->context, "comparing boxes", "boxes",
                                   (uint64_t)j->first_chunk * CHUNK_BOXES, j->bvh.count);
    }
    return status;
}

// By a, then b.
static bool sort_edges(graze_context *context, gz_overlap_edge *edges, uint64_t count)
{
    uint64_t bytes = count * sizeof *edges;
    void *scratch = gz_allocate(context, bytes);
    if (scratch == NULL && bytes != 0)
        return false;
    for (uint64_t i = 0; i < count; ++i)
        gz_put_number((uint8_t *)&edges[i], (uint64_t)edges[i].a << 32 | edges[i].b, 8);
    gz_sort_records(context, edges, count, 8, 0, gz_arena_over(scratch, bytes));
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t key = gz_get_number((const uint8_t *)&edges[i], 8);
        edges[i] = (gz_overlap_edge){(uint32_t)(key >> 32), (uint32_t)key};
    }
    gz_release(context, scratch, bytes);
    return true;
}

// Edges are sorted, so the links of each node come by the number of the other: first those from b
// to smaller ones, then those from a to larger ones.
static void link_nodes(gz_overlap_graph *g)
{
    uint64_t *first = g->first;
    memset(first, 0, ((size_t)g->node_count + 1) * sizeof *first);
    for (uint32_t e = 0; e < g->edge_count; ++e) {
        GZ_ASSERT(g->edges[e].a < g->edges[e].b && g->edges[e].b < g->node_count);
        GZ_ASSERT(e == 0 || g->edges[e - 1].a < g->edges[e].a ||
                  (g->edges[e - 1].a == g->edges[e].a && g->edges[e - 1].b < g->edges[e].b));
        ++first[g->edges[e].a];
        ++first[g->edges[e].b];
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= g->node_count; ++i) {
        uint64_t count = i < g->node_count ? first[i] : 0;
        first[i] = sum;
        sum += count;
    }
    for (uint32_t e = 0; e < g->edge_count; ++e)
        g->links[first[g->edges[e].b]++] = (gz_overlap_link){g->edges[e].a, e};
    for (uint32_t e = 0; e < g->edge_count; ++e)
        g->links[first[g->edges[e].a]++] = (gz_overlap_link){g->edges[e].b, e};
    for (uint32_t i = g->node_count; i > 0; --i)
        first[i] = first[i - 1];
    first[0] = 0;
}

// Takes over the edges.
static graze_status finish_graph(graze_context *context, edge_list *edges, gz_overlap_graph *g)
{
    g->edge_count = (uint32_t)edges->count;
    gz_list_trim(context, edges);
    bool made = edges->capacity == edges->count; // trimming may fail
    g->first = GZ_NEW_ARRAY(context, uint64_t, (uint64_t)g->node_count + 1);
    g->links = GZ_NEW_ARRAY(context, gz_overlap_link, 2 * (uint64_t)g->edge_count);
    made = made && g->first != NULL && (g->links != NULL || g->edge_count == 0) &&
           sort_edges(context, edges->items, edges->count);
    if (made) {
        g->edges = edges->items;
        edges->items = NULL;
        edges->count = edges->capacity = 0;
        link_nodes(g);
        return GRAZE_OK;
    }
    return gz_fail(context, GRAZE_ERROR_MEMORY,
                   "overlap graph: no memory for %" PRIu32 " nodes and %" PRIu32 " edges",
                   g->node_count, g->edge_count);
}

static graze_status begin_graph(graze_context *context, uint32_t node_count, gz_overlap_graph *g)
{
    *g = (gz_overlap_graph){.node_count = node_count};
    g->bytes = GZ_NEW_ARRAY(context, uint64_t, node_count);
    g->object = GZ_NEW_ARRAY(context, uint32_t, node_count);
    if (node_count != 0 && (g->bytes == NULL || g->object == NULL))
        return gz_fail(context, GRAZE_ERROR_MEMORY,
                       "overlap graph: no memory for %" PRIu32 " nodes", node_count);
    return GRAZE_OK;
}

static graze_status join_boxes(join *j, uint32_t node_count, double margin, uint32_t most_edges,
                               edge_list *edges)
{
    graze_status status = GRAZE_OK;
    double half = 0.5 * margin;
    half = 2 * half < margin ? gz_step_up64(half) : half; // subnormal
    graze_box *boxes = GZ_NEW_ARRAY(j->context, graze_box, node_count);
    bool made = boxes != NULL || node_count == 0;
    if (made) {
        for (uint32_t i = 0; i < node_count; ++i)
            boxes[i] = graze_box_grow(&j->nodes[i].box, half);
        j->boxes = boxes;
        made = gz_node_bvh_make(j->context, boxes, node_count, &j->bvh);
    }
    if (made)
        status = find_edges(j, most_edges, edges);
    else
        status = gz_fail(j->context, GRAZE_ERROR_MEMORY,
                         "overlap graph: no memory for %" PRIu32 " boxes", node_count);
    gz_node_bvh_free(j->context, &j->bvh);
    GZ_FREE_ARRAY(j->context, boxes, node_count);
    return status;
}

graze_status gz_overlap_graph_make(graze_context *context, const gz_overlap_node *nodes,
                                   uint32_t node_count, double margin, uint32_t most_edges,
                                   gz_overlap_graph *graph)
{
    GZ_ASSERT(margin >= 0 && margin < HUGE_VAL);
    edge_list edges = {0};
    graze_status status = begin_graph(context, node_count, graph);
    join *j = GZ_NEW_ARRAY(context, join, 1); // too large for a stack
    if (status == GRAZE_OK && j == NULL)
        status = gz_fail(context, GRAZE_ERROR_MEMORY, "overlap graph: no memory to compare boxes");
    if (status == GRAZE_OK) {
        for (uint32_t i = 0; i < node_count; ++i) {
            graph->bytes[i] = nodes[i].bytes;
            graph->object[i] = nodes[i].object;
        }
        memset(j, 0, sizeof *j);
        j->context = context;
        j->nodes = nodes;
        status =
            join_boxes(j, node_count, margin, most_edges != 0 ? most_edges : UINT32_MAX, &edges);
    }
    GZ_FREE_ARRAY(context, j, 1);
    if (status == GRAZE_OK)
        status = finish_graph(context, &edges, graph);
    gz_list_free(context, &edges);
    if (status != GRAZE_OK)
        gz_overlap_graph_free(context, graph);
    return status;
}

graze_status gz_overlap_graph_of_edges(graze_context *context, const uint64_t *bytes,
                                       const uint32_t *objects, uint32_t node_count,
                                       const gz_overlap_edge *edges, uint32_t edge_count,
                                       gz_overlap_graph *graph)
{
    edge_list copy = {0};
    graze_status status = begin_graph(context, node_count, graph);
    if (status == GRAZE_OK && !gz_list_append(context, &copy, edges, edge_count))
        status = gz_fail(context, GRAZE_ERROR_MEMORY,
                         "overlap graph: no memory for %" PRIu32 " edges", edge_count);
    if (status == GRAZE_OK) {
        for (uint32_t i = 0; i < node_count; ++i) {
            graph->bytes[i] = bytes[i];
            graph->object[i] = objects[i];
        }
        status = finish_graph(context, &copy, graph);
    }
    gz_list_free(context, &copy);
    if (status != GRAZE_OK)
        gz_overlap_graph_free(context, graph);
    return status;
}

void gz_overlap_graph_free(graze_context *context, gz_overlap_graph *graph)
{
    GZ_FREE_ARRAY(context, graph->bytes, graph->node_count);
    GZ_FREE_ARRAY(context, graph->object, graph->node_count);
    GZ_FREE_ARRAY(context, graph->edges, graph->edge_count);
    GZ_FREE_ARRAY(context, graph->first, (uint64_t)graph->node_count + 1);
    GZ_FREE_ARRAY(context, graph->links, 2 * (uint64_t)graph->edge_count);
    *graph = (gz_overlap_graph){0};
}

// Objects of an edge and its number, as a record that sorts by them.
#define PAIR_BYTES 12

static void number_pairs(const gz_overlap_graph *graph, const uint8_t *records,
                         gz_object_pairs *pairs)
{
    for (uint32_t i = 0; i < graph->edge_count; ++i) {
        const uint8_t *record = &records[(uint64_t)i * PAIR_BYTES];
        gz_overlap_edge pair = {(uint32_t)gz_get_number(record, 4),
                                (uint32_t)gz_get_number(record + 4, 4)};
        const gz_overlap_edge *last = &pairs->pairs[pairs->pair_count - (pairs->pair_count != 0)];
        if (pairs->pair_count == 0 || last->a != pair.a || last->b != pair.b)
            pairs->pairs[pairs->pair_count++] = pair;
        pairs->of_edge[gz_get_number(record + 8, 4)] = pairs->pair_count - 1;
    }
}

graze_status gz_object_pairs_make(graze_context *context, const gz_overlap_graph *graph,
                                  gz_object_pairs *pairs)
{
    uint64_t edge_count = graph->edge_count;
    *pairs = (gz_object_pairs){.edge_count = graph->edge_count};
    if (edge_count == 0)
        return GRAZE_OK;
    pairs->pairs = GZ_NEW_ARRAY(context, gz_overlap_edge, edge_count);
    pairs->of_edge = GZ_NEW_ARRAY(context, uint32_t, edge_count);
    uint8_t *records = gz_allocate_array(context, edge_count, PAIR_BYTES);
    bool made = pairs->pairs != NULL && pairs->of_edge != NULL && records != NULL;
    if (made) {
        for (uint32_t e = 0; e < edge_count; ++e) {
            uint32_t a = graph->object[graph->edges[e].a], b = graph->object[graph->edges[e].b];
            GZ_ASSERT(a != b);
            uint8_t *record = &records[(uint64_t)e * PAIR_BYTES];
            gz_put_number(record, a < b ? a : b, 4);
            gz_put_number(record + 4, a < b ? b : a, 4);
            gz_put_number(record + 8, e, 4);
        }
        gz_sort_records(context, records, edge_count, PAIR_BYTES, 0, gz_arena_over(NULL, 0));
        number_pairs(graph, records, pairs);
    }
    gz_release(context, records, edge_count * PAIR_BYTES);
    if (made)
        return GRAZE_OK;
    gz_object_pairs_free(context, pairs);
    return gz_fail(context, GRAZE_ERROR_MEMORY,
                   "overlap graph: no memory for the objects of %" PRIu32 " edges",
                   graph->edge_count);
}

void gz_object_pairs_free(graze_context *context, gz_object_pairs *pairs)
{
    GZ_FREE_ARRAY(context, pairs->pairs, pairs->edge_count);
    GZ_FREE_ARRAY(context, pairs->of_edge, pairs->edge_count);
    *pairs = (gz_object_pairs){0};
}
