// The greedy order of edges. A cache of M bytes is played through: it holds nodes that still have
// edges to do, and whenever two nodes with an edge are held, the edge is done. A node without edges
// leaves at once. What is left to decide is which node comes next, of the neighbours of those held,
// and which ones give way.
//
// A node that is held with r edges left is worth the r-th part of its bytes to whoever does one of
// them: it comes nearer to leaving. The next node is the one with the least of
//     own bytes that will wait  -  worth of the edges that it does
// where the part of its own edges that cannot be done yet makes its bytes wait. Those used longest
// ago give way, but the new one's neighbours last. On plants this loads each object about once
// where the cache is a twentieth of all, and half as often as the paper's order where it is less.
//
// Worths are brought up to date when r has changed by a quarter, or is small. So the whole order
// costs about the number of edges times its logarithm.
#include <string.h>

#include "scene/schedule.h"
#include "simplify/vertex_queue.h"

#define FEW_EDGES 8u // a worth is exact from here on

typedef struct player {
    const gz_overlap_graph *graph;
    uint64_t cache_bytes, held_bytes;
    gz_overlap_link *links;  // those left of each node come first in its stretch
    uint32_t *left;          // edges left of each node
    uint32_t *at;            // of each edge: place in the stretch of a, and in that of b
    uint32_t *near_count;    // of nodes not held: edges to nodes that are
    double *gain;            // of nodes not held: the worth of these edges
    double *worth;           // of nodes held: of each edge left
    uint32_t *worth_left;    // how many were left when that was computed
    uint32_t *newer, *older; // ring of nodes held, the head behind the last node; alone: not held
    uint32_t *mark;          // of nodes: neighbours of the one that comes next have its number
    gz_vertex_queue queue;   // neighbours of nodes held
    uint32_t *seeds;         // nodes, small surroundings first
    uint32_t *out;
} player;

static bool is_held(const player *p, uint32_t node) { return p->newer[node] != node; }

static void ring_cut(player *p, uint32_t node)
{
    p->older[p->newer[node]] = p->older[node];
    p->newer[p->older[node]] = p->newer[node];
    p->newer[node] = p->older[node] = node;
}
static void ring_add(player *p, uint32_t node)
{
    uint32_t head = p->graph->node_count;
    p->older[node] = p->older[head];
    p->newer[node] = head;
    p->newer[p->older[node]] = node;
    p->older[head] = node;
}

// Costs of the queue are not negative; this keeps the order of scores.
static float cost_of(const player *p, uint32_t node)
{
    double waits = 1 - (double)p->near_count[node] / p->left[node];
    double score = (double)p->graph->bytes[node] * waits - p->gain[node];
    return score < 0 ? (float)(1 / (1 - score)) : (float)(1 + score);
}

static void requeue(player *p, uint32_t node)
{
    if (p->near_count[node] != 0) {
        gz_queue_set(&p->queue, node, cost_of(p, node));
    } else {
        p->gain[node] = 0; // what sums have rounded
        gz_queue_remove(&p->queue, node);
    }
}

// Tells the neighbours that are left what an edge of a held node is worth.
static void tell_worth(player *p, uint32_t node, double worth, int32_t more)
{
    const gz_overlap_link *links = &p->links[p->graph->first[node]];
    double difference = worth - p->worth[node];
    p->worth[node] = worth;
    p->worth_left[node] = p->left[node];
    for (uint32_t i = 0; i < p->left[node]; ++i) {
        uint32_t other = links[i].node;
        GZ_ASSERT(!is_held(p, other));
        p->gain[other] += difference;
        p->near_count[other] += (uint32_t)more;
        requeue(p, other);
    }
}

static void drop_link(player *p, uint32_t node, uint32_t edge)
{
    const gz_overlap_edge *edges = p->graph->edges;
    gz_overlap_link *links = &p->links[p->graph->first[node]];
    uint32_t *at = &p->at[2 * (uint64_t)edge + (edges[edge].b == node)];
    gz_overlap_link last = links[--p->left[node]];
    GZ_ASSERT(links[*at].edge == edge);
    links[*at] = last;
    p->at[2 * (uint64_t)last.edge + (edges[last.edge].b == node)] = *at;
}

static void evict(player *p, uint32_t node)
{
    ring_cut(p, node);
    p->held_bytes -= p->graph->bytes[node];
    tell_worth(p, node, 0, -1);
    p->near_count[node] = 0; // of its edges that are left, none leads to a held one
    p->gain[node] = 0;
}

// The oldest go, neighbours of the new one only where others do not suffice, and never the last of
// these.
static void make_room(player *p, uint32_t node)
{
    const gz_overlap_link *links = &p->links[p->graph->first[node]];
    uint64_t own = p->graph->bytes[node];
    for (uint32_t i = 0; i < p->left[node] && p->held_bytes + own > p->cache_bytes; ++i)
        p->mark[links[i].node] = node;
    uint32_t head = p->graph->node_count;
    for (int spare_neighbours = 1; spare_neighbours >= 0; --spare_neighbours)
        for (uint32_t old = p->newer[head], next = 0;
             old != head && p->held_bytes + own > p->cache_bytes; old = next) {
            next = p->newer[old];
            bool neighbour = p->mark[old] == node;
            if (!neighbour || (spare_neighbours == 0 && p->near_count[node] > 1))
                evict(p, old);
        }
}

// Does all edges between a new node and those held.
static void do_edges(player *p, uint32_t node)
{
    const gz_overlap_link *links = &p->links[p->graph->first[node]];
    for (uint32_t i = 0; i < p->left[node];) {
        gz_overlap_link link = links[i];
        uint32_t other = link.node;
        if (!is_held(p, other)) {
            ++i;
            continue;
        }
        *p->out++ = link.edge;
        drop_link(p, node, link.edge);
        drop_link(p, other, link.edge);
        ring_cut(p, other);
        if (p->left[other] == 0) {
            p->held_bytes -= p->graph->bytes[other];
            continue;
        }
        ring_add(p, other);
        if (p->left[other] <= FEW_EDGES || p->left[other] <= p->worth_left[other] / 4 * 3)
            tell_worth(p, other, (double)p->graph->bytes[other] / p->left[other], 0);
    }
}

static void load(player *p, uint32_t node)
{
    GZ_ASSERT(!is_held(p, node) && p->left[node] != 0);
    gz_queue_remove(&p->queue, node);
    make_room(p, node);
    gz_queue_remove(&p->queue, node); // giving way has put it there again
    do_edges(p, node);
    p->near_count[node] = 0;
    p->gain[node] = 0;
    if (p->left[node] == 0)
        return;
    ring_add(p, node);
    p->held_bytes += p->graph->bytes[node];
    p->worth[node] = 0;
    tell_worth(p, node, (double)p->graph->bytes[node] / p->left[node], 1);
}

static bool begin_player(graze_context *context, player *p)
{
    uint64_t nodes = p->graph->node_count, edges = p->graph->edge_count;
    p->links = GZ_NEW_ARRAY(context, gz_overlap_link, 2 * edges);
    p->at = GZ_NEW_ARRAY(context, uint32_t, 2 * edges);
    p->left = GZ_NEW_ARRAY(context, uint32_t, nodes);
    p->near_count = GZ_NEW_ARRAY(context, uint32_t, nodes);
    p->gain = GZ_NEW_ARRAY(context, double, nodes);
    p->worth = GZ_NEW_ARRAY(context, double, nodes);
    p->worth_left = GZ_NEW_ARRAY(context, uint32_t, nodes);
    p->newer = GZ_NEW_ARRAY(context, uint32_t, nodes + 1);
    p->older = GZ_NEW_ARRAY(context, uint32_t, nodes + 1);
    p->mark = GZ_NEW_ARRAY(context, uint32_t, nodes);
    p->queue.entry = GZ_NEW_ARRAY(context, uint64_t, nodes);
    p->queue.place = GZ_NEW_ARRAY(context, uint32_t, nodes);
    p->seeds = GZ_NEW_ARRAY(context, uint32_t, nodes);
    return p->links != NULL && p->at != NULL && p->left != NULL && p->near_count != NULL &&
           p->gain != NULL && p->worth != NULL && p->worth_left != NULL && p->newer != NULL &&
           p->older != NULL && p->mark != NULL && p->queue.entry != NULL &&
           p->queue.place != NULL && p->seeds != NULL;
}

static void end_player(graze_context *context, player *p)
{
    uint64_t nodes = p->graph->node_count, edges = p->graph->edge_count;
    GZ_FREE_ARRAY(context, p->links, 2 * edges);
    GZ_FREE_ARRAY(context, p->at, 2 * edges);
    GZ_FREE_ARRAY(context, p->left, nodes);
    GZ_FREE_ARRAY(context, p->near_count, nodes);
    GZ_FREE_ARRAY(context, p->gain, nodes);
    GZ_FREE_ARRAY(context, p->worth, nodes);
    GZ_FREE_ARRAY(context, p->worth_left, nodes);
    GZ_FREE_ARRAY(context, p->newer, nodes + 1);
    GZ_FREE_ARRAY(context, p->older, nodes + 1);
    GZ_FREE_ARRAY(context, p->mark, nodes);
    GZ_FREE_ARRAY(context, p->queue.entry, nodes);
    GZ_FREE_ARRAY(context, p->queue.place, nodes);
    GZ_FREE_ARRAY(context, p->seeds, nodes);
}

static void set_out(player *p)
{
    const gz_overlap_graph *graph = p->graph;
    memcpy(p->links, graph->links, 2 * (size_t)graph->edge_count * sizeof *p->links);
    for (uint32_t i = 0; i <= graph->node_count; ++i)
        p->newer[i] = p->older[i] = i;
    for (uint32_t i = 0; i < graph->node_count; ++i) {
        p->left[i] = gz_overlap_valence(graph, i);
        p->near_count[i] = p->worth_left[i] = 0;
        p->gain[i] = p->worth[i] = 0;
        p->mark[i] = UINT32_MAX;
        p->queue.place[i] = GZ_QUEUE_NOWHERE;
        for (uint64_t k = graph->first[i]; k < graph->first[i + 1]; ++k) {
            uint32_t edge = graph->links[k].edge;
            p->at[2 * (uint64_t)edge + (graph->edges[edge].b == i)] =
                (uint32_t)(k - graph->first[i]);
        }
    }
}

// Where components begin: a node that is small together with its neighbours. The queue sorts them
// before it has anything else to do.
static void sort_seeds(player *p)
{
    const gz_overlap_graph *graph = p->graph;
    for (uint32_t i = 0; i < graph->node_count; ++i) {
        double bytes = (double)graph->bytes[i];
        for (uint64_t k = graph->first[i]; k < graph->first[i + 1]; ++k)
            bytes += (double)graph->bytes[graph->links[k].node];
        gz_queue_add(&p->queue, i, (float)bytes);
    }
    gz_queue_sort(&p->queue);
    for (uint32_t i = 0; i < graph->node_count; ++i) {
        p->seeds[i] = gz_queue_vertex(p->queue.entry[0]);
        gz_queue_remove(&p->queue, p->seeds[i]);
    }
}

bool gz_order_greedily(graze_context *context, const gz_overlap_graph *graph, uint64_t cache_bytes,
                       uint32_t *order)
{
    player p = {.graph = graph, .cache_bytes = cache_bytes, .out = order};
    bool made = graph->edge_count == 0 || begin_player(context, &p);
    if (made && graph->edge_count != 0) {
        set_out(&p);
        sort_seeds(&p);
        for (uint32_t seed = 0; p.out < order + graph->edge_count;) {
            if (p.queue.count != 0) {
                load(&p, gz_queue_vertex(p.queue.entry[0]));
                continue;
            }
            while (p.left[p.seeds[seed]] == 0)
                ++seed;
            load(&p, p.seeds[seed]);
        }
        GZ_ASSERT(p.newer[graph->node_count] == graph->node_count); // nothing is held any more
    }
    end_player(context, &p);
    return made;
}
