// Builds a boxtree top-down: binned surface-area splits, gathered eight at a time. See tree.h.
//
// Above, the largest child of a node is cut until there are eight. Near the leaves that would leave
// many nodes with two or three children: there all is cut in two, down to leaves, before the best
// way to gather them is chosen.
//
// Memory: 32 bytes a triangle while it builds, moved about in place, and four more at the beginning
// if there are many. The first cuts of those are made on a grid (tree_grid.c); then each level is
// two passes over memory (tree_cut.c) that stays in the cache from some ten thousand triangles on.
#include <float.h>
#include <string.h>

#include "base/context.h"
#include "base/knobs.h"
#include "base/threads.h"
#include "boxtree/tree_leaf.h"
#include "boxtree/tree_reference.h"

#define SUBTREE_SHARE 64 // subtrees smaller than this share of the mesh are built on their own
#define SUBTREE_LEAST 4096
#define GRID_LEAST    100000 // triangles: below, it takes as long as it spares
#define TWIG_MOST     1024   // triangles: more hardly change a thing
#define NODE_COST     1e-6f  // of one without extent; the whole tree is about 1 wide

// Tells how far the building is, and asks whether to go on: one thread at a time, so that the log
// gets one sentence. Trees of one subtree, of which there may be many at a time, are made without
// asking.
static graze_status go_on(gz_tree_builder *b)
{
    if (b->view->triangle_count > b->subtree_limit && !atomic_flag_test_and_set(&b->asking)) {
        if (!b->cancelled && gz_checkpoint(b->context, "building", "triangles", b->done,
                                           b->view->triangle_count) != GRAZE_OK)
            b->cancelled = true;
        atomic_flag_clear(&b->asking);
    }
    return b->cancelled ? GRAZE_ERROR_CANCELLED : GRAZE_OK;
}

static void make_references(void *data, uint32_t chunk)
{
    gz_tree_builder *b = data;
    const graze_mesh_view *view = b->view;
    uint64_t first = (uint64_t)chunk * SUBTREE_LEAST;
    uint64_t end =
        first + SUBTREE_LEAST < view->triangle_count ? first + SUBTREE_LEAST : view->triangle_count;
    for (uint64_t t = first; t < end; ++t)
        b->references[b->places == NULL ? t : b->places[t]] =
            gz_make_reference(view, t, b->origin, b->scale);
}

// False if there are too many triangles, or vertices, for a leaf.
static bool collect_vertices(const gz_tree_builder *b, const gz_range *r, gz_leaf_list *out)
{
    uint32_t triangle[GZ_LEAF];
    GZ_ASSERT(r->count != 0);
    if (r->count > GZ_LEAF)
        return false;
    for (uint32_t t = 0; t < r->count; ++t)
        triangle[t] = gz_reference_number(&b->references[r->first + t]);
    return gz_leaf_collect(b->view, triangle, r->count, out);
}

static gz_leaf_store part_store(const gz_subtree *s)
{
    return (gz_leaf_store){s->builder->view->precision, s->leaves.items,
                           (double *)s->vertices.items};
}

static graze_status make_leaf(gz_subtree *s, const gz_range *r, const gz_leaf_list *list,
                              uint32_t *child)
{
    graze_context *context = s->builder->context;
    const graze_mesh_view *view = s->builder->view;
    uint32_t leaf = (uint32_t)s->leaves.count;
    uint64_t first_vertex = s->vertices.count;
    gz_leaf_vertices v;
    *child = GZ_IS_LEAF | leaf;
    if (gz_items_push(context, &s->leaves, 1) == NULL ||
        (view->precision == GRAZE_FLOAT64 &&
         gz_list_push(context, &s->vertices, list->count) == NULL))
        return GRAZE_ERROR_MEMORY;
    gz_leaf_read(view, list, &v);
    gz_leaf_store store = part_store(s);
    gz_leaf_fill(&store, leaf, first_vertex, r->first, r->count, &v);
    return GRAZE_OK;
}

// Opens the largest child until there are eight, or only leaves. Those that are known to be leaves
// have their number in `leaves`.
static uint32_t gather_children(const gz_tree_builder *b, const gz_range *whole,
                                gz_range children[GZ_WIDE], gz_leaf_list leaves[GZ_WIDE])
{
    uint32_t count = 1, leaf_count = 0;
    children[0] = *whole;
    children[0].whole = false;
    while (count < GZ_WIDE) {
        int largest = -1;
        float area = -1;
        for (uint32_t i = 0; i < count; ++i) {
            float mine = gz_half_area(children[i].low, children[i].high);
            if (!children[i].whole && !(mine <= area)) {
                area = mine;
                largest = (int)i;
            }
        }
        if (largest < 0)
            break;
        if (collect_vertices(b, &children[largest], &leaves[leaf_count])) {
            children[largest].whole = true;
            children[largest].leaf = leaf_count++;
            continue;
        }
        gz_range lower, upper;
        gz_cut(b, &children[largest], &lower, &upper);
        for (uint32_t i = count; i > (uint32_t)largest + 1; --i) // keep them in order
            children[i] = children[i - 1];
        children[largest] = lower;
        children[largest + 1] = upper;
        count++;
    }
    return count;
}

static graze_status make_node(gz_subtree *s, const gz_range *children, uint32_t count,
                              uint32_t *number)
{
    *number = (uint32_t)s->nodes.count;
    gz_node *node = gz_list_push(s->builder->context, &s->nodes, 1);
    if (node == NULL)
        return GRAZE_ERROR_MEMORY;
    gz_node_fill(node, children, count);
    return GRAZE_OK;
}

static void set_child(gz_subtree *s, uint32_t node, uint32_t index, uint32_t child)
{
    gz_leaf_store store = part_store(s);
    gz_node_set_child(s->builder, &store, (gz_node *)s->nodes.items + node, index, child);
}

static graze_status grow(gz_subtree *s, const gz_range *r, const gz_leaf_list *known,
                         uint32_t depth, uint32_t *child);

static graze_status grow_node(gz_subtree *s, const gz_range *r, uint32_t depth, uint32_t *child)
{
    gz_range children[GZ_WIDE];
    gz_leaf_list leaves[GZ_WIDE];
    uint32_t count = gather_children(s->builder, r, children, leaves);
    graze_status status = make_node(s, children, count, child);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        uint32_t made = 0;
        status = grow(s, &children[i], children[i].whole ? &leaves[children[i].leaf] : NULL,
                      depth + 1, &made);
        if (status == GRAZE_OK)
            set_child(s, *child, i, made);
    }
    return status;
}

// A range of few triangles, cut in two down to leaves, and how nodes are best made of these. What a
// node costs is how wide it is: so many others come near it, where surfaces cross.
typedef struct gz_twig {
    gz_range range;
    gz_leaf_list leaf;
    uint32_t half[2];           // numbers of twigs; 0: it is a leaf
    float cost[GZ_WIDE + 1];    // of nodes, if it may become so many children of a node
    uint8_t share[GZ_WIDE + 1]; // how many of them its lower half may become. 0: it is one child
} twig;

static twig *twig_at(const gz_subtree *s, uint32_t number)
{
    return (twig *)s->twigs.items + number;
}

// As one child, it is a leaf or a node with up to eight, and share[1] is for these.
static void weigh_twig(const gz_subtree *s, twig *t)
{
    memset(t->cost, 0, sizeof t->cost);
    memset(t->share, 0, sizeof t->share);
    if (t->half[0] == 0)
        return;
    const twig *lower = twig_at(s, t->half[0]), *upper = twig_at(s, t->half[1]);
    for (uint32_t room = 2; room <= GZ_WIDE; ++room) {
        t->cost[room] = FLT_MAX;
        t->share[room] = 1; // where no sum is below that
        for (uint32_t k = 1; k < room; ++k) {
            float cost = lower->cost[k] + upper->cost[room - k];
            if (cost < t->cost[room]) {
                t->cost[room] = cost;
                t->share[room] = (uint8_t)k;
            }
        }
    }
    gz_f4 extent = t->range.high - t->range.low;
    t->cost[1] = t->cost[GZ_WIDE] + extent[0] + extent[1] + extent[2] + NODE_COST;
    t->share[1] = t->share[GZ_WIDE];
    for (uint32_t room = 2; room <= GZ_WIDE; ++room)
        if (!(t->cost[room] < t->cost[1])) {
            t->cost[room] = t->cost[1];
            t->share[room] = 0;
        }
}

static graze_status make_twig(gz_subtree *s, const gz_range *r, uint32_t *number)
{
    *number = (uint32_t)s->twigs.count;
    twig *t = gz_list_push(s->builder->context, &s->twigs, 1);
    if (t == NULL)
        return GRAZE_ERROR_MEMORY;
    graze_status status = GRAZE_OK;
    t->range = *r;
    t->half[0] = t->half[1] = 0;
    if (!collect_vertices(s->builder, r, &t->leaf)) {
        gz_range half[2];
        uint32_t made[2] = {0, 0};
        gz_cut(s->builder, r, &half[0], &half[1]);
        for (int i = 0; i < 2 && status == GRAZE_OK; ++i)
            status = make_twig(s, &half[i], &made[i]);
        t = twig_at(s, *number); // the list may have moved
        memcpy(t->half, made, sizeof made);
    }
    if (status == GRAZE_OK)
        weigh_twig(s, t);
    return status;
}

// Lists, in order, what a twig becomes if it may be so many children. Returns how many it is.
static uint32_t list_twigs(const gz_subtree *s, uint32_t number, uint32_t room, uint32_t *list)
{
    const twig *t = twig_at(s, number);
    if (room == 1 || t->share[room] == 0) {
        *list = number;
        return 1;
    }
    uint32_t count = list_twigs(s, t->half[0], t->share[room], list);
    return count + list_twigs(s, t->half[1], room - t->share[room], list + count);
}

static graze_status grow_twig(gz_subtree *s, uint32_t number, uint32_t depth, uint32_t *child)
{
    const twig *t = twig_at(s, number);
    s->depth = depth > s->depth ? depth : s->depth;
    if (t->half[0] == 0)
        return make_leaf(s, &t->range, &t->leaf, child);
    uint32_t list[GZ_WIDE];
    uint32_t count = list_twigs(s, t->half[0], t->share[1], list);
    count += list_twigs(s, t->half[1], GZ_WIDE - t->share[1], list + count);
    GZ_ASSERT(count >= 2 && count <= GZ_WIDE);
    gz_range children[GZ_WIDE];
    for (uint32_t i = 0; i < count; ++i)
        children[i] = twig_at(s, list[i])->range;
    graze_status status = make_node(s, children, count, child);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        uint32_t made = 0;
        status = grow_twig(s, list[i], depth + 1, &made);
        if (status == GRAZE_OK)
            set_child(s, *child, i, made);
    }
    return status;
}

static graze_status grow(gz_subtree *s, const gz_range *r, const gz_leaf_list *known,
                         uint32_t depth, uint32_t *child)
{
    s->depth = depth > s->depth ? depth : s->depth;
    if (known != NULL)
        return make_leaf(s, r, known, child);
    if (r->count > TWIG_MOST)
        return grow_node(s, r, depth, child);
    uint32_t root = 0;
    s->twigs.count = 0;
    graze_status status = make_twig(s, r, &root);
    return status == GRAZE_OK ? grow_twig(s, root, depth, child) : status;
}

// The tree above the subtrees is made first, on one thread.
static graze_status build_child(gz_tree_builder *p, const gz_range *r, uint32_t depth,
                                uint32_t *child)
{
    if (r->count <= p->subtree_limit) {
        *child = GZ_IS_SUBTREE | (uint32_t)p->subtrees.count;
        gz_subtree *subtree = gz_list_push(p->context, &p->subtrees, 1);
        if (subtree == NULL)
            return GRAZE_ERROR_MEMORY;
        *subtree = (gz_subtree){.builder = p,
                                .from = *r,
                                .leaves = gz_list_of(gz_leaf_bytes(p->view->precision)),
                                .depth = depth};
        return GRAZE_OK;
    }
    graze_status status = go_on(p);
    if (status != GRAZE_OK)
        return status;
    gz_range children[GZ_WIDE];
    gz_leaf_list leaves[GZ_WIDE];
    uint32_t count = gather_children(p, r, children, leaves);
    uint32_t number = (uint32_t)p->nodes.count;
    gz_node *node = gz_list_push(p->context, &p->nodes, 1);
    if (node == NULL)
        return GRAZE_ERROR_MEMORY;
    gz_node_fill(node, children, count);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        uint32_t made = 0;
        status = build_child(p, &children[i], depth + 1, &made);
        ((gz_node *)p->nodes.items)[number].links.child[i] = made;
    }
    *child = number;
    return status;
}

graze_status gz_tree_builder_make(gz_tree_builder *builder, const gz_tree *frame)
{
    uint32_t count = (uint32_t)builder->view->triangle_count, root = 0;
    memcpy(builder->origin, frame->origin, sizeof builder->origin);
    builder->scale = frame->scale;
    atomic_flag_clear(&builder->asking);
    builder->subtree_limit = count / SUBTREE_SHARE;
    if (builder->subtree_limit < SUBTREE_LEAST)
        builder->subtree_limit = SUBTREE_LEAST;
    if (GZ_KNOB(builder->context, subtree_limit) != 0)
        builder->subtree_limit = GZ_KNOB(builder->context, subtree_limit);
    builder->references = GZ_NEW_ARRAY(builder->context, gz_reference, count);
    if (builder->references == NULL)
        return GRAZE_ERROR_MEMORY;
    gz_range all = {.first = 0, .count = count};
    for (int axis = 0; axis < 3; ++axis) {
        all.high[axis] = (float)(frame->half[axis] * frame->scale);
        all.low[axis] = -all.high[axis];
    }
    all.least = 2 * all.low;
    all.most = 2 * all.high;
    graze_status status = count < GRID_LEAST ? GRAZE_OK : gz_grid_make(builder, &all);
    if (status != GRAZE_OK)
        return status;
    gz_parallel(builder->context, (count + SUBTREE_LEAST - 1) / SUBTREE_LEAST, make_references,
                builder);
    if (count < GRID_LEAST)
        gz_range_bound(builder->references, &all);
    status = build_child(builder, &all, 1, &root);
    gz_tree_builder_end_places(builder);
    return status;
}

void gz_tree_builder_grow(gz_tree_builder *builder, uint32_t number)
{
    gz_subtree *subtree = (gz_subtree *)builder->subtrees.items + number;
    subtree->status = go_on(builder);
    if (subtree->status == GRAZE_OK)
        subtree->status = grow(subtree, &subtree->from, NULL, subtree->depth, &subtree->root);
    gz_list_free(builder->context, &subtree->twigs);
    subtree->grown = subtree->status == GRAZE_OK;
    if (!subtree->grown)
        gz_subtree_clear(subtree);
    builder->done += subtree->from.count;
}

void gz_tree_builder_order(const gz_tree_builder *builder, uint32_t number, uint32_t *order)
{
    const gz_range *from = &((const gz_subtree *)builder->subtrees.items)[number].from;
    for (uint32_t i = from->first; i < from->first + from->count; ++i)
        order[i] = gz_reference_number(&builder->references[i]);
}

// Finds what holds all triangles. False if a coordinate is not finite: nothing times it is not a
// number, and neither is a sum that this gets into.
static bool find_box(const graze_mesh_view *view, graze_box *box)
{
    gz_point4 low = gz_vertex_at(view, view->corners[0]), high = low, odd = {{0, 0}, {0, 0}};
    for (uint64_t t = 0; t < view->triangle_count; ++t) {
        const uint32_t *corner = view->corners + 3 * t;
        gz_point4 p = gz_vertex_at(view, corner[0]), q = gz_vertex_at(view, corner[1]);
        gz_point4 r = gz_vertex_at(view, corner[2]);
        low = gz_point4_min(gz_point4_min(gz_point4_min(r, q), p), low);
        high = gz_point4_max(gz_point4_max(gz_point4_max(r, q), p), high);
        odd.xy += p.xy * 0 + q.xy * 0 + r.xy * 0;
        odd.z += p.z * 0 + q.z * 0 + r.z * 0;
    }
    *box = (graze_box){.min = {low.xy[0], low.xy[1], low.z[0]},
                       .max = {high.xy[0], high.xy[1], high.z[0]}};
    return odd.xy[0] == 0 && odd.xy[1] == 0 && odd.z[0] == 0;
}

graze_status gz_tree_builder_frame(graze_context *context, const graze_mesh_view *view,
                                   gz_tree *tree)
{
    *tree = (gz_tree){.context = context,
                      .precision = view->precision,
                      .triangle_count = view->triangle_count,
                      .serial = atomic_fetch_add(&context->serial, 1) + 1,
                      .box = graze_box_empty()};
    if (view->triangle_count == 0)
        return GRAZE_OK;
    if (view->triangle_count >= GZ_IS_LEAF)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "a tree in memory holds at most 2147483647 triangles");
    graze_box box = graze_box_empty();
    if (!find_box(view, &box))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "a tree cannot be made: a coordinate is infinite or not a number");
    gz_tree_set_frame(tree, &box);
    return GRAZE_OK;
}

static void grow_one(void *data, uint32_t index) { gz_tree_builder_grow(data, index); }

static graze_status build_all(gz_tree_builder *builder, gz_tree *tree)
{
    graze_status status = gz_tree_builder_make(builder, tree);
    if (status != GRAZE_OK)
        return status;
    gz_parallel(builder->context, (uint32_t)builder->subtrees.count, grow_one, builder);
    for (uint64_t i = 0; i < builder->subtrees.count && status == GRAZE_OK; ++i)
        status = ((gz_subtree *)builder->subtrees.items)[i].status;
    if (status == GRAZE_OK)
        status = gz_tree_builder_join(builder, NULL, tree);
    for (uint64_t i = 0; i < builder->subtrees.count && status == GRAZE_OK; ++i)
        gz_tree_builder_order(builder, (uint32_t)i, tree->order);
    return status;
}

graze_status gz_tree_build(graze_context *context, const graze_mesh_view *view,
                           const graze_shape_def *def, gz_tree *tree)
{
    graze_status status = gz_tree_builder_frame(context, view, tree);
    if (status != GRAZE_OK || view->triangle_count == 0)
        return status;
    gz_tree_builder builder = {
        .context = context, .view = view, .quick = def->build == GRAZE_BUILD_QUICK};
    tree->order = GZ_NEW_ARRAY(context, uint32_t, view->triangle_count);
    status = tree->order == NULL ? GRAZE_ERROR_MEMORY : build_all(&builder, tree);
    gz_tree_builder_free(&builder);
    if (status == GRAZE_OK)
        tree->grain = gz_tree_mean_size(tree);
    if (status == GRAZE_OK && def->layout == GRAZE_LAYOUT_COMPACT)
        status = gz_tree_compact(tree, view);
    return gz_tree_made(tree, view, status);
}
