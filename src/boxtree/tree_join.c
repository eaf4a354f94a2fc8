// Puts the subtrees of a builder together: one array of nodes, one of leaves. See tree_builder.h.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "boxtree/tree_builder.h"
#include "boxtree/tree_leaf.h"

uint64_t gz_leaf_bytes(graze_precision precision)
{
    return precision == GRAZE_FLOAT32 ? sizeof(gz_leaf32) : sizeof(gz_leaf64);
}

void gz_node_fill(gz_node *node, const gz_range *children, uint32_t count)
{
    memset(node, 0, sizeof *node);
    node->links.child_count = (uint8_t)count;
    for (uint32_t i = 0; i < GZ_WIDE; ++i) {
        const gz_range *child = &children[i < count ? i : 0];
        for (int axis = 0; axis < 3; ++axis) {
            node->row[axis][GZ_ROW_LOW(i)] = child->low[axis];
            node->row[axis][GZ_ROW_HIGH(i)] = -child->high[axis];
        }
    }
}

void gz_node_set_child(const gz_tree_builder *builder, const gz_leaf_store *store, gz_node *node,
                       uint32_t index, uint32_t child)
{
    double at[3][GZ_LEAF];
    node->links.child[index] = child;
    if ((child & GZ_IS_LEAF) == 0)
        return;
    uint32_t leaf = child & ~GZ_IS_LEAF;
    node->links.leaves |= (uint8_t)(1u << index);
    gz_leaf_positions(store, leaf, at);
    gz_node_set_slab(node, index, gz_store_head(store, leaf), (const double(*)[GZ_LEAF])at,
                     builder->origin, builder->scale);
}

void gz_subtree_clear(gz_subtree *subtree)
{
    graze_context *context = subtree->builder->context;
    gz_list_free(context, &subtree->nodes);
    gz_items_free(context, &subtree->leaves);
    gz_list_free(context, &subtree->vertices);
    subtree->grown = false;
}

void gz_tree_builder_end_places(gz_tree_builder *builder)
{
    if (builder->places != NULL)
        GZ_FREE_ARRAY(builder->context, builder->places, builder->view->triangle_count);
    builder->places = NULL;
}

void gz_tree_builder_free(gz_tree_builder *builder)
{
    gz_subtree *subtrees = builder->subtrees.items;
    for (uint64_t i = 0; i < builder->subtrees.count; ++i)
        gz_subtree_clear(&subtrees[i]);
    gz_list_free(builder->context, &builder->subtrees);
    gz_list_free(builder->context, &builder->nodes);
    gz_tree_builder_end_places(builder);
    gz_list_free(builder->context, &builder->cuts);
    if (builder->references != NULL)
        GZ_FREE_ARRAY(builder->context, builder->references, builder->view->triangle_count);
    builder->references = NULL;
}

// How far children move, from one beginning to another; below nothing, it wraps around.
static uint32_t shifted(uint32_t child, uint32_t nodes, uint32_t leaves)
{
    return (child & GZ_IS_LEAF) != 0 ? child + leaves : child + nodes;
}

// What a subtree has, and where that counts from.
static gz_stretch stretch_of(const gz_subtree *subtree)
{
    if (subtree->joined)
        return subtree->at;
    if (subtree->grown)
        return (gz_stretch){.node_count = (uint32_t)subtree->nodes.count,
                            .leaf_count = (uint32_t)subtree->leaves.count,
                            .vertex_count = subtree->vertices.count,
                            .root = subtree->root};
    return (gz_stretch){.node_count = 1};
}

static void place_vertices(const gz_subtree *subtree, const gz_stretch *from, const gz_tree *last,
                           gz_tree *tree, const gz_stretch *to)
{
    const double *source = subtree->joined ? (const double *)last->vertices + 3 * from->first_vertex
                                           : (const double *)subtree->vertices.items;
    memcpy((double *)tree->vertices + 3 * to->first_vertex, source,
           (size_t)from->vertex_count * sizeof(double[3]));
    gz_leaf64 *leaves = (gz_leaf64 *)tree->leaves + to->first_leaf;
    for (uint32_t i = 0; i < to->leaf_count; ++i)
        leaves[i].first_vertex += to->first_vertex - from->first_vertex;
}

// Writes a subtree to the tree, where `to` begins.
static void place_subtree(const gz_subtree *subtree, uint32_t number, const gz_tree *last,
                          gz_tree *tree, gz_stretch *to)
{
    gz_stretch from = stretch_of(subtree);
    uint32_t nodes = to->first_node - from.first_node, leaves = to->first_leaf - from.first_leaf;
    gz_node *out = (gz_node *)tree->nodes + to->first_node;
    to->node_count = from.node_count;
    to->leaf_count = from.leaf_count;
    to->vertex_count = from.vertex_count;
    to->root = shifted(from.root, nodes, leaves);
    if (!subtree->joined && !subtree->grown) {
        gz_node_fill(out, &subtree->from, 1);
        out->links.child_count = 0;
        out->links.child[0] = number;
        return;
    }
    const gz_node *in = subtree->joined ? (const gz_node *)last->nodes + from.first_node
                                        : (const gz_node *)subtree->nodes.items;
    for (uint32_t i = 0; i < from.node_count; ++i) {
        out[i] = in[i];
        for (uint32_t k = 0; k < out[i].links.child_count; ++k)
            out[i].links.child[k] = shifted(in[i].links.child[k], nodes, leaves);
    }
    uint64_t bytes = gz_leaf_bytes(tree->precision);
    const char *source = subtree->joined ? (const char *)last->leaves + from.first_leaf * bytes
                                         : (const char *)subtree->leaves.items;
    if (from.leaf_count != 0)
        memcpy((char *)tree->leaves + to->first_leaf * bytes, source,
               (size_t)(from.leaf_count * bytes));
    if (from.vertex_count != 0)
        place_vertices(subtree, &from, last, tree, to);
}

static void place_top(const gz_tree_builder *builder, const gz_stretch *places, gz_tree *tree)
{
    gz_node *nodes = tree->nodes;
    gz_leaf_store store = gz_tree_store(tree);
    for (uint64_t i = 0; i < builder->nodes.count; ++i) {
        nodes[i] = ((const gz_node *)builder->nodes.items)[i];
        for (uint32_t k = 0; k < nodes[i].links.child_count; ++k)
            if ((nodes[i].links.child[k] & GZ_IS_SUBTREE) != 0)
                gz_node_set_child(builder, &store, &nodes[i], k,
                                  places[nodes[i].links.child[k] & ~GZ_IS_SUBTREE].root);
    }
    if (builder->nodes.count == 0 && (places[0].root & GZ_IS_LEAF) != 0) { // the only leaf
        gz_node_fill(&nodes[0], &((const gz_subtree *)builder->subtrees.items)[0].from, 1);
        gz_node_set_child(builder, &store, &nodes[0], 0, places[0].root);
    }
}

graze_status gz_tree_make_vertices(gz_tree *tree, uint64_t count)
{
    count += GZ_LOOSE_VERTICES;
    double *vertices = gz_allocate_array(tree->context, count, sizeof(double[3]));
    if (vertices == NULL)
        return GRAZE_ERROR_MEMORY;
    memset(vertices + 3 * (count - GZ_LOOSE_VERTICES), 0, GZ_LOOSE_VERTICES * sizeof(double[3]));
    tree->vertices = vertices;
    tree->vertex_count = count;
    return GRAZE_OK;
}

static graze_status make_room(const gz_tree_builder *builder, gz_tree *tree)
{
    const gz_subtree *subtrees = builder->subtrees.items;
    uint64_t nodes = builder->nodes.count, leaves = 0, vertices = 0;
    for (uint64_t i = 0; i < builder->subtrees.count; ++i) {
        gz_stretch from = stretch_of(&subtrees[i]);
        nodes += from.node_count;
        leaves += from.leaf_count;
        vertices += from.vertex_count;
        tree->depth = subtrees[i].depth > tree->depth ? subtrees[i].depth : tree->depth;
    }
    GZ_ASSERT(nodes < GZ_IS_SUBTREE && leaves < GZ_IS_LEAF);
    if (nodes == 0)
        nodes = 1; // a root over the only leaf
    tree->nodes = GZ_NEW_ARRAY(builder->context, gz_node, nodes);
    tree->leaves = gz_allocate_array(builder->context, leaves, gz_leaf_bytes(tree->precision));
    tree->node_count = (uint32_t)nodes;
    tree->leaf_count = (uint32_t)leaves;
    if (tree->nodes == NULL || (tree->leaves == NULL && leaves != 0))
        return GRAZE_ERROR_MEMORY;
    return tree->precision == GRAZE_FLOAT64 ? gz_tree_make_vertices(tree, vertices) : GRAZE_OK;
}

graze_status gz_tree_builder_join(gz_tree_builder *builder, const gz_tree *last, gz_tree *tree)
{
    gz_subtree *subtrees = builder->subtrees.items;
    gz_stretch *places = GZ_NEW_ARRAY(builder->context, gz_stretch, builder->subtrees.count);
    if (places == NULL)
        return GRAZE_ERROR_MEMORY;
    graze_status status = make_room(builder, tree);
    uint32_t node = (uint32_t)builder->nodes.count, leaf = 0;
    uint64_t vertex = 0;
    for (uint64_t i = 0; i < builder->subtrees.count && status == GRAZE_OK; ++i) {
        places[i].first_node = node;
        places[i].first_leaf = leaf;
        places[i].first_vertex = vertex;
        place_subtree(&subtrees[i], (uint32_t)i, last, tree, &places[i]);
        node += places[i].node_count;
        leaf += places[i].leaf_count;
        vertex += places[i].vertex_count;
        subtrees[i].at = places[i];
        subtrees[i].joined |= subtrees[i].grown;
        gz_subtree_clear(&subtrees[i]);
    }
    if (status == GRAZE_OK)
        place_top(builder, places, tree);
    GZ_FREE_ARRAY(builder->context, places, builder->subtrees.count);
    return status;
}

graze_status gz_tree_made(gz_tree *tree, const graze_mesh_view *view, graze_status status)
{
    GZ_VALIDATE(status != GRAZE_OK || gz_tree_is_sound(tree, view));
    graze_context *context = tree->context;
    uint64_t count = tree->triangle_count;
    if (status != GRAZE_OK)
        gz_tree_free(tree);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(context, status, "out of memory for the tree of %llu triangles",
                       (unsigned long long)count);
    return status;
}

double gz_tree_mean_size(const gz_tree *tree)
{
    gz_leaf_store store = gz_tree_store(tree);
    double sum = 0;
    for (uint32_t i = 0; i < tree->leaf_count; ++i) {
        double at[3][GZ_LEAF], low, high;
        gz_leaf_positions(&store, i, at);
        gz_span(at[i % 3], &low, &high);
        sum += (high / 2 - low / 2) / tree->leaf_count;
    }
    return sum < HUGE_VAL ? sum : 0;
}
