// From objects to pairs in an order. See clash_plan.h.
//
// Which pairs are asked is decided by the boxes of whole objects, and by the rules: what is inside
// a hollow object is near none of its pieces. Pieces decide about the order only: objects that take
// much of the cache are cut into stretches of neighbouring clusters, each a node of its own, and a
// pair is asked where the heaviest two of its pieces meet. Pairs without such pieces come last.
#include "scene/clash_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "model/page_cache.h"
#include "query/part_pages.h"
#include "scene/schedule.h"

#define PIECE_SHARE  10u // of the cache: larger objects are cut, as in the paper
#define PIECES_MOST  4096u
#define NARROW_BYTES 34u // a triangle in the cache, of float coordinates
#define WIDE_BYTES   46u // the same of double

typedef struct planning {
    graze_scene *scene;
    graze_context *context;
    gz_clash_plan *plan;
    uint64_t cache_bytes;
    GZ_LIST(gz_overlap_node) nodes;
    gz_overlap_graph whole, graph; // of objects; of pieces
    gz_object_pairs pairs;         // of objects, behind the edges of pieces
    gz_schedule schedule;
    uint32_t *order;
    uint8_t *asked; // for each pair behind pieces, and for each of the objects' graph
} planning;

static graze_status out_of_memory(const planning *p)
{
    return gz_fail(p->context, GRAZE_ERROR_MEMORY, "out of memory for the pairs of a clash check");
}

static uint64_t bytes_of(const gz_scene_slot *slot)
{
    return slot->triangle_count * (slot->wide ? WIDE_BYTES : NARROW_BYTES);
}

static bool list_slots(planning *p)
{
    gz_clash_plan *plan = p->plan;
    const gz_scene_slot *slots = p->scene->slots.items;
    plan->object_count = (uint32_t)p->scene->object_count;
    plan->slots = GZ_NEW_ARRAY(p->context, uint32_t, plan->object_count);
    if (plan->slots == NULL)
        return plan->object_count == 0;
    uint32_t count = 0;
    for (uint32_t at = p->scene->first1; at != 0; at = slots[at - 1].after1)
        plan->slots[count++] = at - 1;
    GZ_ASSERT(count == plan->object_count);
    return true;
}

static const gz_scene_slot *object_at(const planning *p, uint32_t object)
{
    return &p->scene->slots.items[p->plan->slots[object]];
}

// --- Nodes

static graze_status add_whole(planning *p, uint32_t object)
{
    const gz_scene_slot *slot = object_at(p, object);
    gz_overlap_node *node = gz_list_push(p->context, &p->nodes, 1);
    if (node == NULL)
        return out_of_memory(p);
    *node = (gz_overlap_node){slot->box, bytes_of(slot), object};
    return GRAZE_OK;
}

static graze_status add_pieces(planning *p, uint32_t object)
{
    const gz_scene_slot *slot = object_at(p, object);
    uint64_t bytes = bytes_of(slot), piece = p->cache_bytes / PIECE_SHARE;
    if (bytes <= piece)
        return add_whole(p, object);
    const graze_shape *shape;
    gz_part_stretch *stretches = GZ_NEW_ARRAY(p->context, gz_part_stretch, PIECES_MOST);
    if (stretches == NULL)
        return out_of_memory(p);
    graze_status status = gz_scene_pin_slot(p->scene, slot, &shape);
    if (status == GRAZE_OK) {
        uint64_t triangles = piece / (bytes / slot->triangle_count);
        uint32_t count = gz_part_stretches(shape, triangles, stretches, PIECES_MOST);
        gz_overlap_node *nodes = gz_list_push(p->context, &p->nodes, count);
        if (nodes == NULL)
            status = out_of_memory(p);
        for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i)
            nodes[i] = (gz_overlap_node){
                graze_box_posed(&stretches[i].box, &slot->pose),
                stretches[i].triangle_count * (bytes / slot->triangle_count), object};
        gz_scene_unpin_slot(p->scene, slot);
    }
    GZ_FREE_ARRAY(p->context, stretches, PIECES_MOST);
    return status;
}

// --- Edges

// The pairs of objects that are asked, in the order of their numbers, become the plan's.
static graze_status choose_pairs(planning *p, const gz_rules_applied *rules)
{
    gz_clash_plan *plan = p->plan;
    uint32_t count = p->whole.edge_count;
    plan->box_pairs = count;
    plan->pairs = GZ_NEW_ARRAY(p->context, gz_clash_pair, count);
    plan->pair_room = plan->pairs == NULL ? 0 : count;
    if (plan->pairs == NULL && count != 0)
        return out_of_memory(p);
    for (uint32_t i = 0; i < count; ++i) {
        gz_overlap_edge edge = p->whole.edges[i]; // nodes are objects
        if (gz_rules_pair(rules, edge.a, edge.b).asked)
            plan->pairs[plan->pair_count++] = (gz_clash_pair){edge.a, edge.b};
    }
    return GRAZE_OK;
}

// The number of a pair in the plan; UINT32_MAX if it is not asked.
static uint32_t find_pair(const gz_clash_plan *plan, uint32_t a, uint32_t b)
{
    uint32_t low = 0, high = plan->pair_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        gz_clash_pair at = plan->pairs[middle];
        if (at.a < a || (at.a == a && at.b < b))
            low = middle + 1;
        else
            high = middle;
    }
    bool there = low < plan->pair_count && plan->pairs[low].a == a && plan->pairs[low].b == b;
    return there ? low : UINT32_MAX;
}

// Edges between pieces of objects that are asked about each other, without those of others.
static graze_status thin_out(planning *p)
{
    gz_overlap_graph all = p->graph;
    uint32_t kept = 0;
    graze_status status = GRAZE_OK;
    gz_overlap_edge *edges = GZ_NEW_ARRAY(p->context, gz_overlap_edge, all.edge_count);
    if (edges == NULL && all.edge_count != 0)
        return out_of_memory(p);
    for (uint32_t i = 0; i < all.edge_count; ++i) {
        uint32_t a = all.object[all.edges[i].a], b = all.object[all.edges[i].b];
        if (find_pair(p->plan, a < b ? a : b, a < b ? b : a) != UINT32_MAX)
            edges[kept++] = all.edges[i];
    }
    if (kept != all.edge_count) {
        gz_overlap_graph thin = {0};
        status = gz_overlap_graph_of_edges(p->context, all.bytes, all.object, all.node_count, edges,
                                           kept, &thin);
        gz_overlap_graph_free(p->context, &p->graph);
        p->graph = thin;
    }
    GZ_FREE_ARRAY(p->context, edges, all.edge_count);
    return status;
}

// --- Order

static graze_status sort_pairs(planning *p)
{
    gz_clash_plan *plan = p->plan;
    uint32_t count = plan->pair_count, done = 0, room = p->pairs.pair_count;
    gz_clash_pair *sorted = GZ_NEW_ARRAY(p->context, gz_clash_pair, plan->pair_room);
    p->order = GZ_NEW_ARRAY(p->context, uint32_t, room);
    p->asked = GZ_NEW_ARRAY(p->context, uint8_t, count);
    graze_status status = GRAZE_OK;
    if (sorted == NULL || (p->order == NULL && room != 0) || (p->asked == NULL && count != 0))
        status = out_of_memory(p);
    if (status == GRAZE_OK)
        status = gz_schedule_pairs(p->context, &p->graph, &p->pairs, &p->schedule, p->order);
    if (status == GRAZE_OK && count != 0)
        memset(p->asked, 0, count);
    for (uint32_t i = 0; i < room && status == GRAZE_OK; ++i) {
        gz_overlap_edge pair = p->pairs.pairs[p->order[i]];
        uint32_t number = find_pair(plan, pair.a, pair.b);
        GZ_ASSERT(number != UINT32_MAX && p->asked[number] == 0);
        p->asked[number] = 1;
        sorted[done++] = plan->pairs[number];
    }
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i)
        if (p->asked[i] == 0)
            sorted[done++] = plan->pairs[i];
    GZ_ASSERT(status != GRAZE_OK || done == count);
    GZ_FREE_ARRAY(p->context, p->order, room);
    GZ_FREE_ARRAY(p->context, p->asked, count);
    if (status != GRAZE_OK) {
        GZ_FREE_ARRAY(p->context, sorted, plan->pair_room);
        return status;
    }
    GZ_FREE_ARRAY(p->context, plan->pairs, plan->pair_room);
    plan->pairs = sorted;
    return GRAZE_OK;
}

static graze_status order_pairs(planning *p, double reach)
{
    graze_status status = GRAZE_OK;
    p->nodes.count = 0;
    for (uint32_t i = 0; i < p->plan->object_count && status == GRAZE_OK; ++i)
        status = add_pieces(p, i);
    if (status == GRAZE_OK)
        status = gz_overlap_graph_make(p->context, p->nodes.items, (uint32_t)p->nodes.count, reach,
                                       0, &p->graph);
    if (status == GRAZE_OK)
        status = thin_out(p);
    if (status == GRAZE_OK)
        status = gz_object_pairs_make(p->context, &p->graph, &p->pairs);
    if (status == GRAZE_OK)
        status =
            gz_schedule_make(p->context, &p->graph, p->plan->order, p->cache_bytes, &p->schedule);
    p->plan->partition_count = p->schedule.subgraph_count;
    return status == GRAZE_OK ? sort_pairs(p) : status;
}

graze_status gz_clash_plan_make(graze_scene *scene, const gz_rules_applied *rules,
                                gz_order_kind order, gz_clash_plan *plan)
{
    *plan = (gz_clash_plan){.order = order};
    uint64_t limit = scene->context->def.cache_byte_limit;
    limit = limit == 0 ? GZ_CACHE_DEFAULT_BYTES : limit;
    planning p = {
        .scene = scene, .context = scene->context, .plan = plan, .cache_bytes = limit * 4 / 5};
    double reach = gz_rules_reach(rules);
    graze_status status = GRAZE_OK;
    if (scene->object_count > UINT32_MAX - 1)
        status = gz_fail(scene->context, GRAZE_ERROR_UNSUPPORTED,
                         "a clash check takes fewer than 2^32 objects");
    if (status == GRAZE_OK && !list_slots(&p))
        status = out_of_memory(&p);
    for (uint32_t i = 0; i < plan->object_count && status == GRAZE_OK; ++i)
        status = add_whole(&p, i);
    if (status == GRAZE_OK)
        status =
            gz_overlap_graph_make(p.context, p.nodes.items, plan->object_count, reach, 0, &p.whole);
    if (status == GRAZE_OK)
        status = choose_pairs(&p, rules);
    gz_overlap_graph_free(p.context, &p.whole);
    if (status == GRAZE_OK && plan->pair_count != 0)
        status = order_pairs(&p, reach);
    gz_overlap_graph_free(p.context, &p.graph);
    gz_object_pairs_free(p.context, &p.pairs);
    gz_schedule_free(p.context, &p.schedule);
    gz_list_free(p.context, &p.nodes);
    if (status != GRAZE_OK)
        gz_clash_plan_free(p.context, plan);
    return status;
}

void gz_clash_plan_free(graze_context *context, gz_clash_plan *plan)
{
    GZ_FREE_ARRAY(context, plan->slots, plan->object_count);
    GZ_FREE_ARRAY(context, plan->pairs, plan->pair_room);
    *plan = (gz_clash_plan){0};
}
