// Writes and follows recipes. See tree_recipe.h.
//
// Nothing in a recipe can make a wrong tree: boxes are made around the vertices that leaves have,
// and what is no tree of all triangles is refused.
#include "boxtree/tree_recipe.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "boxtree/tree_builder.h"
#include "boxtree/tree_leaf.h"

// --- Writing

static uint32_t write_steps(const gz_tree *tree, uint32_t node, uint8_t *step, uint32_t count)
{
    const gz_links *links = gz_tree_links(tree, node);
    step[count++] = links->child_count;
    for (uint32_t i = 0; i < links->child_count; ++i) {
        if ((links->child[i] & GZ_IS_LEAF) != 0)
            step[count++] = 0;
        else
            count = write_steps(tree, links->child[i], step, count);
    }
    return count;
}

uint32_t gz_recipe_write(const gz_tree *tree, uint16_t *leaf, uint8_t *step)
{
    for (uint32_t l = 0; l < tree->leaf_count; ++l) {
        uint32_t first = gz_tree_leaf_first(tree, l), count = gz_tree_leaf_count(tree, l);
        for (uint32_t i = first; i < first + count; ++i)
            leaf[tree->order[i]] = (uint16_t)l;
    }
    return write_steps(tree, 0, step, 0);
}

// --- Following

// Where a walk is: the nodes above, and how many of their children are still to come.
typedef struct walk {
    uint32_t node[GZ_TREE_DEPTH];
    uint8_t left[GZ_TREE_DEPTH];
    uint32_t level;
} walk;

static bool enter(walk *w, uint32_t node, uint32_t child_count)
{
    if (w->level == GZ_TREE_DEPTH - 1)
        return false;
    w->node[w->level] = node;
    w->left[w->level++] = (uint8_t)child_count;
    return true;
}

// After a child that is a leaf, or a node that is through.
static void leave(walk *w)
{
    while (w->level != 0 && --w->left[w->level - 1] == 0)
        w->level--;
}

// Are the steps those of one tree? A node has two children or more, unless there is only one leaf.
static bool count_steps(const gz_recipe *recipe, uint64_t triangle_count, gz_tree *tree)
{
    walk w = {.level = 0};
    const uint8_t *step = recipe->step;
    if (recipe->step_count < 2 || recipe->step_count > GZ_RECIPE_STEPS(triangle_count) ||
        step[0] == 0)
        return false;
    for (uint32_t i = 0; i < recipe->step_count; ++i) {
        if (i != 0 && w.level == 0)
            return false;
        if (step[i] > GZ_WIDE || (step[i] == 1 && recipe->step_count != 2))
            return false;
        if (step[i] != 0) {
            if (!enter(&w, tree->node_count++, step[i]))
                return false;
            continue;
        }
        tree->leaf_count++;
        tree->depth = w.level + 1 > tree->depth ? w.level + 1 : tree->depth;
        leave(&w);
    }
    return w.level == 0 && tree->leaf_count <= triangle_count;
}

static void link_nodes(const gz_recipe *recipe, gz_tree *tree)
{
    walk w = {.level = 0};
    gz_node *nodes = tree->nodes;
    uint32_t node = 0, leaf = 0;
    memset(nodes, 0, tree->node_count * sizeof *nodes);
    for (uint32_t i = 0; i < recipe->step_count; ++i) {
        uint32_t child_count = recipe->step[i];
        if (w.level != 0) {
            gz_links *links = &nodes[w.node[w.level - 1]].links;
            uint32_t lane = links->child_count - (uint32_t)w.left[w.level - 1];
            links->child[lane] = child_count != 0 ? node : GZ_IS_LEAF | leaf;
            links->leaves |= (uint8_t)((uint32_t)(child_count == 0) << lane);
        }
        if (child_count != 0) {
            nodes[node].links.child_count = (uint8_t)child_count;
            (void)enter(&w, node++, child_count);
        } else {
            leaf++;
            leave(&w);
        }
    }
}

// Sorts the triangles by leaves, which begin where `first` says.
static bool place_triangles(const graze_mesh_view *view, const gz_recipe *recipe, uint32_t *first,
                            const gz_tree *tree)
{
    uint32_t count = (uint32_t)view->triangle_count, sum = 0;
    memset(first, 0, (tree->leaf_count + 1) * sizeof *first);
    for (uint32_t t = 0; t < count; ++t) {
        if (recipe->leaf[t] >= tree->leaf_count)
            return false;
        first[recipe->leaf[t]]++;
    }
    for (uint32_t leaf = 0; leaf <= tree->leaf_count; ++leaf) {
        uint32_t mine = first[leaf];
        if (leaf < tree->leaf_count && (mine == 0 || mine > GZ_LEAF))
            return false;
        first[leaf] = sum;
        sum += mine;
    }
    for (uint32_t t = 0; t < count; ++t)
        tree->order[first[recipe->leaf[t]]++] = t;
    for (uint32_t leaf = tree->leaf_count; leaf-- > 0;)
        first[leaf + 1] = first[leaf];
    first[0] = 0;
    return true;
}

// Leaves of doubles have room for as many vertices as they may have, and give back the rest.
static graze_status make_room(const uint32_t *first, gz_tree *tree)
{
    uint64_t most = 0;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf) {
        uint32_t corners = 3 * (first[leaf + 1] - first[leaf]);
        most += corners < GZ_LEAF ? corners : GZ_LEAF;
    }
    return tree->precision == GRAZE_FLOAT64 ? gz_tree_make_vertices(tree, most) : GRAZE_OK;
}
static void give_back(gz_tree *tree, uint64_t vertex_count)
{
    uint64_t count = vertex_count + GZ_LOOSE_VERTICES;
    double *less = gz_resize_array(tree->context, tree->vertices, tree->vertex_count, count,
                                   sizeof(double[3]));
    if (less == NULL)
        return;
    memset(less + 3 * vertex_count, 0, GZ_LOOSE_VERTICES * sizeof(double[3]));
    tree->vertices = less;
    tree->vertex_count = count;
}

static graze_status make_leaves(const graze_mesh_view *view, const uint32_t *first, gz_tree *tree)
{
    uint64_t vertex_count = 0;
    graze_status status = make_room(first, tree);
    if (status != GRAZE_OK)
        return status;
    gz_leaf_store store = gz_tree_store(tree);
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf) {
        gz_leaf_list list;
        gz_leaf_vertices v;
        uint32_t count = first[leaf + 1] - first[leaf];
        if (!gz_leaf_collect(view, tree->order + first[leaf], count, &list))
            return GRAZE_ERROR_FORMAT;
        gz_leaf_read(view, &list, &v);
        gz_leaf_fill(&store, leaf, vertex_count, first[leaf], count, &v);
        vertex_count += list.count;
    }
    if (tree->precision == GRAZE_FLOAT64)
        give_back(tree, vertex_count);
    return GRAZE_OK;
}

static graze_status follow(graze_context *context, const graze_mesh_view *view,
                           const gz_recipe *recipe, gz_tree *tree)
{
    if (view->triangle_count > UINT16_MAX + 1u ||
        !count_steps(recipe, view->triangle_count, tree)) {
        tree->node_count = tree->leaf_count = 0;
        return GRAZE_ERROR_FORMAT;
    }
    uint32_t *first = GZ_NEW_ARRAY(context, uint32_t, tree->leaf_count + 1);
    tree->order = GZ_NEW_ARRAY(context, uint32_t, view->triangle_count);
    tree->nodes = GZ_NEW_ARRAY(context, gz_node, tree->node_count);
    tree->leaves = gz_allocate_array(context, tree->leaf_count, gz_leaf_bytes(view->precision));
    graze_status status = GRAZE_ERROR_MEMORY;
    if (first != NULL && tree->order != NULL && tree->nodes != NULL && tree->leaves != NULL) {
        link_nodes(recipe, tree);
        status = place_triangles(view, recipe, first, tree) ? make_leaves(view, first, tree)
                                                            : GRAZE_ERROR_FORMAT;
    }
    if (first != NULL)
        GZ_FREE_ARRAY(context, first, tree->leaf_count + 1);
    return status;
}

graze_status gz_recipe_follow(graze_context *context, const graze_mesh_view *view,
                              const gz_recipe *recipe, gz_tree *tree)
{
    graze_status status = gz_tree_builder_frame(context, view, tree);
    if (status != GRAZE_OK || view->triangle_count == 0)
        return status;
    status = follow(context, view, recipe, tree);
    if (status == GRAZE_OK) {
        gz_tree_bound(tree);
        tree->grain = gz_tree_mean_size(tree);
    }
    return gz_tree_made(tree, view, status);
}
