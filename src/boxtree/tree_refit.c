// Gives a tree new vertices and leaves it otherwise as it is. See tree.h.
//
// First everything is looked at that might be wrong, and memory is taken; nothing has changed yet.
// Then leaves and the boxes around them are made anew, on all threads; then the other boxes, from
// the last node to the first, since children stand behind their parents; then the grids of a
// compact tree, again on all threads. Each leaf is read and written once, in the order of memory;
// vertices of the mesh are read as the leaves need them, which is about that order, too.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/threads.h"
#include "boxtree/tree_leaf.h"

#define SHARES 64   // about equal parts of the leaves or nodes, for the threads to take
#define FEW    1024 // leaves: no more than one thread's work

// What is found in one part of the leaves.
typedef struct share {
    graze_box box;
    double size; // sum of half sizes, along one axis each
    bool finite;
    bool torn;      // a triangle has no longer the vertex that it has in common with another one
    uint32_t where; // that triangle
} share;

typedef float rows[3][GZ_ROWS];

typedef struct refit {
    gz_tree *tree;
    const graze_mesh_view *view;
    void *vertices; // compact: the new ones, the tree's own so far
    rows *boxes;    // compact: boxes of nodes, before they go onto grids
    uint32_t share_count;
    share shares[SHARES];
} refit;

static uint32_t share_begin(const refit *r, uint32_t count, uint32_t index)
{
    return (uint32_t)((uint64_t)count * index / r->share_count);
}

static inline void position_of(const void *positions, graze_precision precision, uint64_t vertex,
                               double out[3])
{
    for (uint32_t axis = 0; axis < 3; ++axis)
        out[axis] = precision == GRAZE_FLOAT32
                        ? (double)((const float *)positions)[3 * vertex + axis]
                        : ((const double *)positions)[3 * vertex + axis];
}

static inline void new_position(const refit *r, uint32_t vertex, double out[3])
{
    position_of(r->view->positions, r->tree->precision, vertex, out);
}

static bool same_place(const refit *r, uint32_t vertex, uint32_t other)
{
    double p[3], q[3];
    new_position(r, vertex, p);
    new_position(r, other, q);
    return gz_same_bits(p, q);
}

// The corners of the triangles of a leaf, by vertices of the leaf and by those of the mesh.
typedef struct leaf_corners {
    uint32_t triangle_count;
    uint8_t slot[GZ_LEAF][3];
    uint32_t number[GZ_LEAF][3];
} leaf_corners;

static inline void read_corners(const refit *r, uint32_t leaf, leaf_corners *c)
{
    const gz_tree *tree = r->tree;
    const uint32_t *order = tree->order + gz_tree_leaf_first(tree, leaf);
    c->triangle_count = gz_tree_leaf_count(tree, leaf);
    uint32_t t = 0;
    do // there is always one
        memcpy(c->number[t], r->view->corners + 3 * (uint64_t)order[t], sizeof c->number[t]);
    while (++t < c->triangle_count);
    if (tree->layout == GRAZE_LAYOUT_FAST) {
        const gz_leaf_head *head = gz_tree_head(tree, leaf);
        for (t = 0; t < c->triangle_count; ++t)
            for (uint32_t k = 0; k < 3; ++k)
                c->slot[t][k] = (uint8_t)gz_leaf_corner(head, k, t);
        return;
    }
    const uint16_t *corners = tree->corners + gz_tree_leaf_first(tree, leaf);
    for (t = 0; t < c->triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            c->slot[t][k] = (uint8_t)(corners[t] >> 4 * k & 15);
}

// For each vertex of a leaf one of the mesh. Those that no triangle uses, in trees from files, are
// like the first corner.
static inline void pick_numbers(const leaf_corners *c, uint32_t numbers[GZ_LEAF])
{
    for (uint32_t slot = 0; slot < GZ_LEAF; ++slot)
        numbers[slot] = c->number[0][0];
    for (uint32_t t = 0; t < c->triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            numbers[c->slot[t][k]] = c->number[t][k];
}

// Do all triangles of a leaf agree about its vertices? Numbers nearly always tell.
static bool corners_agree(const refit *r, const leaf_corners *c, const uint32_t numbers[GZ_LEAF],
                          share *s)
{
    uint32_t differ = 0;
    for (uint32_t t = 0; t < c->triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            differ |= numbers[c->slot[t][k]] ^ c->number[t][k];
    for (uint32_t i = 0; differ != 0 && i < 3 * c->triangle_count; ++i)
        if (!same_place(r, numbers[c->slot[i / 3][i % 3]], c->number[i / 3][i % 3])) {
            s->where = c->number[i / 3][i % 3];
            return false;
        }
    return true;
}

static inline void gather(const refit *r, const uint32_t numbers[GZ_LEAF], double at[3][GZ_LEAF])
{
    for (uint32_t i = 0; i < GZ_LEAF; ++i) {
        double p[3];
        new_position(r, numbers[i], p);
        for (int axis = 0; axis < 3; ++axis)
            at[axis][i] = p[axis];
    }
}

static void look_at_leaf(refit *r, uint32_t leaf, share *s)
{
    gz_tree *tree = r->tree;
    leaf_corners corners;
    uint32_t numbers[GZ_LEAF];
    read_corners(r, leaf, &corners);
    pick_numbers(&corners, numbers);
    s->torn = !corners_agree(r, &corners, numbers, s);
    double at[3][GZ_LEAF], low[3], high[3];
    gather(r, numbers, at);
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < GZ_LEAF; ++i)
            s->finite &= at[axis][i] - at[axis][i] == 0;
        gz_span(at[axis], &low[axis], &high[axis]);
        s->box.min[axis] = low[axis] < s->box.min[axis] ? low[axis] : s->box.min[axis];
        s->box.max[axis] = high[axis] > s->box.max[axis] ? high[axis] : s->box.max[axis];
    }
    s->size += (high[leaf % 3] / 2 - low[leaf % 3] / 2) / tree->leaf_count;
    if (tree->layout == GRAZE_LAYOUT_FAST)
        return;
    const gz_small_leaf *small = &((const gz_small_leaf *)tree->leaves)[leaf];
    uint64_t bytes = 3 * (uint64_t)tree->precision;
    for (uint32_t v = 0; v < small->own_count; ++v)
        memcpy((char *)r->vertices + (small->first_own + v) * bytes,
               (const char *)r->view->positions + numbers[v] * bytes, (size_t)bytes);
}

static void look(void *data, uint32_t index)
{
    refit *r = data;
    share *s = &r->shares[index];
    uint32_t count = r->tree->leaf_count, end = share_begin(r, count, index + 1);
    *s = (share){.box = graze_box_empty(), .finite = true};
    for (uint32_t leaf = share_begin(r, count, index); leaf < end && !s->torn; ++leaf)
        look_at_leaf(r, leaf, s);
}

// In a compact tree, leaves share vertices: do they still?
static void compare_shared(void *data, uint32_t index)
{
    refit *r = data;
    share *s = &r->shares[index];
    const gz_tree *tree = r->tree;
    uint32_t end = share_begin(r, tree->leaf_count, index + 1);
    for (uint32_t leaf = share_begin(r, tree->leaf_count, index); leaf < end && !s->torn; ++leaf) {
        const gz_small_leaf *small = &((const gz_small_leaf *)tree->leaves)[leaf];
        leaf_corners corners;
        uint32_t numbers[GZ_LEAF];
        read_corners(r, leaf, &corners);
        pick_numbers(&corners, numbers);
        for (uint32_t v = small->own_count; v < small->vertex_count; ++v) {
            double p[3], q[3];
            new_position(r, numbers[v], p);
            position_of(r->vertices, tree->precision, gz_small_leaf_vertex(tree, small, v), q);
            if (!gz_same_bits(p, q)) {
                s->torn = true;
                s->where = numbers[v];
            }
        }
    }
}

static graze_status look_at_all(refit *r)
{
    gz_tree *tree = r->tree;
    gz_parallel(tree->context, r->share_count, look, r);
    bool finite = true, torn = false;
    for (uint32_t i = 0; i < r->share_count; ++i) {
        finite &= r->shares[i].finite;
        torn |= r->shares[i].torn;
    }
    if (!finite)
        return gz_fail(tree->context, GRAZE_ERROR_ARGUMENT,
                       "a tree cannot be refitted: a coordinate is infinite or not a number");
    if (!torn && tree->layout == GRAZE_LAYOUT_COMPACT)
        gz_parallel(tree->context, r->share_count, compare_shared, r);
    for (uint32_t i = 0; i < r->share_count; ++i)
        if (r->shares[i].torn)
            return gz_fail(tree->context, GRAZE_ERROR_ARGUMENT,
                           "a tree cannot be refitted: vertex %u has parted from others that were "
                           "in the same place when the tree was built",
                           r->shares[i].where);
    return gz_checkpoint(tree->context, "refitting", "triangles", 0, tree->triangle_count);
}

static void refill_leaf(const refit *r, uint32_t leaf)
{
    gz_tree *tree = r->tree;
    const gz_leaf_head *head = gz_tree_head(tree, leaf);
    leaf_corners corners;
    uint32_t numbers[GZ_LEAF];
    gz_leaf_vertices v;
    read_corners(r, leaf, &corners);
    pick_numbers(&corners, numbers);
    gather(r, numbers, v.position);
    for (uint32_t t = 0; t < corners.triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            v.corner[k][t] = corners.slot[t][k];
    v.count = head->vertex_count;
    gz_leaf_store store = gz_tree_store(tree);
    uint64_t first_vertex =
        tree->precision == GRAZE_FLOAT64 ? ((const gz_leaf64 *)tree->leaves)[leaf].first_vertex : 0;
    gz_leaf_fill(&store, leaf, first_vertex, head->first, head->triangle_count, &v);
}

// A leaf's vertices in the tree; lanes that are not used repeat the first.
static void vertices_of(const gz_tree *tree, uint32_t leaf, double at[3][GZ_LEAF])
{
    if (tree->layout == GRAZE_LAYOUT_COMPACT) {
        const gz_small_leaf *small = &((const gz_small_leaf *)tree->leaves)[leaf];
        for (uint32_t i = 0; i < GZ_LEAF; ++i) {
            uint32_t v = gz_small_leaf_vertex(tree, small, i < small->vertex_count ? i : 0);
            double p[3];
            position_of(tree->vertices, tree->precision, v, p);
            for (int axis = 0; axis < 3; ++axis)
                at[axis][i] = p[axis];
        }
    } else {
        gz_leaf_store store = gz_tree_store(tree);
        gz_leaf_positions(&store, leaf, at);
    }
}

static float (*boxes_of(const refit *r, uint32_t node))[GZ_ROWS]
{
    return r->boxes != NULL ? r->boxes[node] : ((gz_node *)r->tree->nodes)[node].row;
}

// A leaf's box and slab in one lane of its parent.
static void bound_leaf(const refit *r, uint32_t leaf, uint32_t node, uint32_t lane)
{
    const gz_tree *tree = r->tree;
    float(*row)[GZ_ROWS] = boxes_of(r, node);
    double at[3][GZ_LEAF], low, high;
    vertices_of(tree, leaf, at);
    if (tree->layout == GRAZE_LAYOUT_FAST)
        gz_node_set_slab(&((gz_node *)tree->nodes)[node], lane, gz_tree_head(tree, leaf),
                         (const double(*)[GZ_LEAF])at, tree->origin, tree->scale);
    for (int axis = 0; axis < 3; ++axis) {
        gz_span(at[axis], &low, &high);
        row[axis][GZ_ROW_LOW(lane)] = gz_row_below(low, tree->origin[axis], tree->scale);
        row[axis][GZ_ROW_HIGH(lane)] = -gz_row_above(high, tree->origin[axis], tree->scale);
    }
}

// And the leaves themselves, if there are new vertices for them.
static void bound_leaves(void *data, uint32_t index)
{
    refit *r = data;
    uint32_t end = share_begin(r, r->tree->node_count, index + 1);
    for (uint32_t node = share_begin(r, r->tree->node_count, index); node < end; ++node) {
        const gz_links *links = gz_tree_links(r->tree, node);
        for (uint32_t i = 0; i < links->child_count; ++i) {
            uint32_t leaf = links->child[i] & ~GZ_IS_LEAF;
            if ((links->child[i] & GZ_IS_LEAF) == 0)
                continue;
            if (r->view != NULL && r->tree->layout == GRAZE_LAYOUT_FAST)
                refill_leaf(r, leaf);
            bound_leaf(r, leaf, node, i);
        }
    }
}

// The boxes around nodes, in their parents; and lanes that are not used repeat the first.
static void join_boxes(const refit *r)
{
    for (uint32_t node = r->tree->node_count; node-- > 0;) {
        const gz_links *links = gz_tree_links(r->tree, node);
        float(*row)[GZ_ROWS] = boxes_of(r, node);
        for (uint32_t i = 0; i < links->child_count; ++i) {
            if ((links->child[i] & GZ_IS_LEAF) != 0)
                continue;
            float(*inner)[GZ_ROWS] = boxes_of(r, links->child[i]);
            for (int axis = 0; axis < 3; ++axis)
                for (uint32_t end = 0; end < GZ_ROWS; end += GZ_WIDE) {
                    float least = inner[axis][end];
                    for (uint32_t k = 1; k < GZ_WIDE; ++k)
                        least = inner[axis][end + k] < least ? inner[axis][end + k] : least;
                    row[axis][end + i] = least;
                }
        }
        for (uint32_t i = links->child_count; i < GZ_WIDE; ++i)
            for (int axis = 0; axis < 3; ++axis) {
                row[axis][GZ_ROW_LOW(i)] = row[axis][GZ_ROW_LOW(0)];
                row[axis][GZ_ROW_HIGH(i)] = row[axis][GZ_ROW_HIGH(0)];
            }
    }
}

void gz_tree_bound(gz_tree *tree)
{
    refit r = {.tree = tree, .share_count = 1};
    bound_leaves(&r, 0);
    join_boxes(&r);
}

static void fit_grids(void *data, uint32_t index)
{
    refit *r = data;
    uint32_t end = share_begin(r, r->tree->node_count, index + 1);
    for (uint32_t node = share_begin(r, r->tree->node_count, index); node < end; ++node)
        gz_small_node_fit(&((gz_small_node *)r->tree->nodes)[node],
                          (const float(*)[GZ_ROWS])r->boxes[node]);
}

// How many boxes a small thing in the box of the whole tree meets, on the average: the sum of their
// areas over that of the whole. 0 where that has none.
static double box_cost(const gz_tree *tree)
{
    double sum = 0, whole = 0;
    for (uint32_t node = 0; node < tree->node_count; ++node) {
        float room[3][GZ_ROWS] __attribute__((aligned(64)));
        const float(*row)[GZ_ROWS] = gz_tree_rows(tree, node, room);
        double low[3] = {2, 2, 2}, high[3] = {-2, -2, -2};
        for (uint32_t i = 0; i < gz_tree_links(tree, node)->child_count; ++i) {
            double d[3];
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = fmin(low[axis], (double)row[axis][GZ_ROW_LOW(i)]);
                high[axis] = fmax(high[axis], -(double)row[axis][GZ_ROW_HIGH(i)]);
                d[axis] = -(double)row[axis][GZ_ROW_HIGH(i)] - (double)row[axis][GZ_ROW_LOW(i)];
            }
            sum += d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
        }
        if (node == 0)
            whole = (high[0] - low[0]) * (high[1] - low[1]) +
                    (high[1] - low[1]) * (high[2] - low[2]) +
                    (high[2] - low[2]) * (high[0] - low[0]);
    }
    return whole > 0 ? sum / whole : 0;
}

// What cannot fail any more.
static void refit_all(refit *r)
{
    gz_tree *tree = r->tree;
    graze_box box = graze_box_empty();
    double size = 0;
    for (uint32_t i = 0; i < r->share_count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = fmin(box.min[axis], r->shares[i].box.min[axis]);
            box.max[axis] = fmax(box.max[axis], r->shares[i].box.max[axis]);
        }
        size += r->shares[i].size;
    }
    gz_tree_set_frame(tree, &box);
    tree->grain = size < HUGE_VAL ? size : 0;
    if (tree->layout == GRAZE_LAYOUT_COMPACT) {
        void *old = tree->vertices;
        tree->vertices = r->vertices;
        r->vertices = old;
    }
    gz_parallel(tree->context, r->share_count, bound_leaves, r);
    join_boxes(r);
    if (tree->layout == GRAZE_LAYOUT_COMPACT)
        gz_parallel(tree->context, r->share_count, fit_grids, r);
}

graze_status gz_tree_refit(gz_tree *tree, const graze_mesh_view *view, double *looseness)
{
    graze_context *context = tree->context;
    *looseness = 1;
    if (tree->triangle_count == 0)
        return GRAZE_OK;
    refit r = {.tree = tree, .view = view, .share_count = tree->leaf_count < FEW ? 1 : SHARES};
    bool compact = tree->layout == GRAZE_LAYOUT_COMPACT;
    uint64_t vertex_bytes = tree->vertex_count * 3 * (uint64_t)tree->precision;
    if (compact) {
        r.vertices = gz_allocate(context, vertex_bytes);
        r.boxes = GZ_NEW_ARRAY(context, rows, tree->node_count);
    }
    graze_status status = GRAZE_ERROR_MEMORY;
    if (compact && (r.vertices == NULL || r.boxes == NULL))
        gz_fail(context, status, "out of memory for the new vertices of a tree");
    else {
        if (compact)
            memcpy(r.vertices, tree->vertices, (size_t)vertex_bytes);
        status = look_at_all(&r);
    }
    if (status == GRAZE_OK) {
        if (tree->built_cost == 0)
            tree->built_cost = box_cost(tree);
        refit_all(&r);
        GZ_VALIDATE(gz_tree_is_sound(tree, view));
        tree->serial = atomic_fetch_add(&context->serial, 1) + 1;
        double cost = box_cost(tree);
        *looseness = cost > 0 && tree->built_cost > 0 ? cost / tree->built_cost : 1;
    }
    gz_release(context, r.vertices, vertex_bytes);
    if (r.boxes != NULL)
        GZ_FREE_ARRAY(context, r.boxes, tree->node_count);
    return status;
}
