// Asks the model of a cache. See clash_loads.h.
#include "clash_loads.h"

#include <stdlib.h>

#include "base/context.h"
#include "clash_plants.h"
#include "query/part_pages.h"
#include "scene/cache_model.h"
#include "scene/clash_plan.h"

enum { PIECE_SHARE = 10, PIECES_MOST = 4096 };

typedef struct pieces {
    graze_scene *scene;
    graze_context *context;
    GZ_LIST(gz_overlap_node) nodes;
    gz_overlap_graph graph;
    gz_object_pairs pairs;
} pieces;

static graze_status add_object(pieces *p, const gz_scene_slot *slot, uint32_t object,
                               uint64_t triangles)
{
    gz_part_stretch *stretches = malloc(PIECES_MOST * sizeof *stretches);
    const graze_shape *shape = NULL;
    uint32_t count = 1;
    graze_status status = stretches == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
    if (status == GRAZE_OK)
        stretches[0] = (gz_part_stretch){slot->box, slot->triangle_count};
    if (status == GRAZE_OK && slot->triangle_count > triangles) {
        status = gz_scene_pin_slot(p->scene, slot, &shape);
        if (status == GRAZE_OK) {
            count = gz_part_stretches(shape, triangles, stretches, PIECES_MOST);
            for (uint32_t i = 0; i < count; ++i)
                stretches[i].box = graze_box_posed(&stretches[i].box, &slot->pose);
            gz_scene_unpin_slot(p->scene, slot);
        }
    }
    gz_overlap_node *nodes = status == GRAZE_OK ? gz_list_push(p->context, &p->nodes, count) : NULL;
    for (uint32_t i = 0; i < count && nodes != NULL; ++i)
        nodes[i] = (gz_overlap_node){
            stretches[i].box,
            (uint64_t)(CLASH_TRIANGLE_BYTES * (double)stretches[i].triangle_count), object};
    free(stretches);
    return status == GRAZE_OK && nodes == NULL ? GRAZE_ERROR_MEMORY : status;
}

static int compare_pairs(const gz_overlap_edge *pair, gz_clash_pair asked)
{
    if (pair->a != asked.a)
        return pair->a < asked.a ? -1 : 1;
    return pair->b < asked.b ? -1 : pair->b > asked.b;
}

// The number of a pair of objects behind the graph; UINT32_MAX if no pieces of them are near.
static uint32_t find(const gz_object_pairs *pairs, gz_clash_pair asked)
{
    uint32_t low = 0, high = pairs->pair_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_pairs(&pairs->pairs[middle], asked);
        if (order == 0)
            return middle;
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return UINT32_MAX;
}

// Edges in the order in which the plan has their pairs.
static uint32_t *order_edges(const pieces *p, const gz_clash_plan *plan, uint32_t *count)
{
    uint32_t edges = p->graph.edge_count, pair_count = p->pairs.pair_count;
    uint32_t *first = calloc(pair_count + 1, sizeof *first);
    uint32_t *of_pair = calloc(edges + 1, sizeof *of_pair);
    uint32_t *order = malloc((edges + 1) * sizeof *order);
    *count = 0;
    if (first != NULL && of_pair != NULL && order != NULL) {
        for (uint32_t i = 0; i < edges; ++i)
            first[p->pairs.of_edge[i] + 1]++;
        for (uint32_t i = 0; i < pair_count; ++i)
            first[i + 1] += first[i];
        for (uint32_t i = edges; i-- > 0;)
            of_pair[--first[p->pairs.of_edge[i] + 1]] = i;
        // Now first[i + 1] is where pair i begins.
        for (uint32_t i = 0; i < plan->pair_count; ++i) {
            uint32_t pair = find(&p->pairs, plan->pairs[i]);
            if (pair == UINT32_MAX)
                continue;
            uint32_t end = pair + 1 < pair_count ? first[pair + 2] : edges;
            for (uint32_t k = first[pair + 1]; k < end; ++k)
                order[(*count)++] = of_pair[k];
        }
    } else {
        free(order);
        order = NULL;
    }
    free(first);
    free(of_pair);
    return order;
}

static graze_status ask_model(const pieces *p, const gz_clash_plan *plan, uint64_t cache_bytes,
                              clash_loads *loads)
{
    gz_order_loads lru, belady;
    double all = 0;
    uint32_t count, *order = order_edges(p, plan, &count);
    for (uint32_t i = 0; i < p->graph.node_count; ++i)
        all += (double)p->graph.bytes[i];
    graze_status status = order == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
    if (status == GRAZE_OK)
        status = gz_cache_model_lru(p->context, &p->graph, order, count, cache_bytes, &lru);
    if (status == GRAZE_OK)
        status = gz_cache_model_belady(p->context, &p->graph, order, count, cache_bytes, &belady);
    if (status == GRAZE_OK)
        *loads = (clash_loads){(double)lru.load_bytes / all, (double)belady.load_bytes / all};
    free(order);
    return status;
}

graze_status clash_loads_of(graze_scene *scene, const graze_clash_def *def, uint32_t order,
                            uint64_t cache_bytes, clash_loads *loads)
{
    pieces p = {.scene = scene, .context = scene->context};
    gz_rules_applied *rules = NULL;
    gz_clash_plan plan = {.slots = NULL};
    uint64_t triangles = (uint64_t)((double)cache_bytes / PIECE_SHARE / CLASH_TRIANGLE_BYTES);
    *loads = (clash_loads){0, 0};
    graze_status status = gz_rules_apply(def->rules, scene, def, &rules);
    if (status == GRAZE_OK)
        status = gz_clash_plan_make(scene, rules, (gz_order_kind)order, &plan);
    for (uint32_t i = 0; i < plan.object_count && status == GRAZE_OK; ++i)
        status = add_object(&p, &scene->slots.items[plan.slots[i]], i, triangles);
    if (status == GRAZE_OK)
        status = gz_overlap_graph_make(p.context, p.nodes.items, (uint32_t)p.nodes.count,
                                       gz_rules_reach(rules), 0, &p.graph);
    if (status == GRAZE_OK)
        status = gz_object_pairs_make(p.context, &p.graph, &p.pairs);
    if (status == GRAZE_OK)
        status = ask_model(&p, &plan, cache_bytes, loads);
    gz_object_pairs_free(p.context, &p.pairs);
    gz_overlap_graph_free(p.context, &p.graph);
    gz_list_free(p.context, &p.nodes);
    gz_clash_plan_free(p.context, &plan);
    gz_rules_applied_free(rules);
    return status;
}
