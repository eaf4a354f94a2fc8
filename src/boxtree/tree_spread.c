// Makes the leaves of a tree stand for more than their triangles. See gz_tree_spread in tree.h.
#include <math.h>

#include "base/assertion.h"
#include "boxtree/tree_leaf.h"

// Rows are wider than what they hold, see tree_frames.c, and rotations are such to 1e-9.
#define LOOSE 1e-6

// Rounded up to the upper half of a float.
static uint16_t upper_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0xffff) >> 16);
}

// Makes one lane of a row, whose high ends are negated, wider on both sides.
static void widen(float row[GZ_ROWS], uint32_t lane, double by)
{
    row[GZ_ROW_LOW(lane)] = gz_round_down((double)row[GZ_ROW_LOW(lane)] - by);
    row[GZ_ROW_HIGH(lane)] = gz_round_down((double)row[GZ_ROW_HIGH(lane)] - by);
}

// The box of a child becomes what holds all boxes of its own children.
static void hold(gz_node *node, uint32_t lane, const gz_node *child)
{
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t i = 0; i < child->links.child_count; ++i) {
            float *low = &node->row[axis][GZ_ROW_LOW(lane)];
            float *high = &node->row[axis][GZ_ROW_HIGH(lane)];
            *low = fminf(*low, child->row[axis][GZ_ROW_LOW(i)]);
            *high = fminf(*high, child->row[axis][GZ_ROW_HIGH(i)]);
        }
}

// Lanes that are not used repeat the first.
static void repeat_first(gz_node *node)
{
    for (uint32_t lane = node->links.child_count; lane < GZ_WIDE; ++lane)
        for (int axis = 0; axis < 3; ++axis) {
            node->row[axis][GZ_ROW_LOW(lane)] = node->row[axis][GZ_ROW_LOW(0)];
            node->row[axis][GZ_ROW_HIGH(lane)] = node->row[axis][GZ_ROW_HIGH(0)];
        }
}

static void widen_node(const gz_tree *tree, gz_node *node, const gz_leaf_store *store)
{
    const gz_node *nodes = tree->nodes;
    for (uint32_t lane = 0; lane < node->links.child_count; ++lane) {
        uint32_t child = node->links.child[lane];
        if ((child & GZ_IS_LEAF) == 0) {
            hold(node, lane, &nodes[child]);
            continue;
        }
        const gz_leaf_head *head = gz_store_head(store, child & ~GZ_IS_LEAF);
        double by = (double)gz_leaf_spread(head) * tree->scale * (1 + LOOSE);
        for (int axis = 0; axis < 3; ++axis)
            widen(node->row[axis], lane, by);
        widen(node->slab, lane, by); // its normal is not longer than 1
    }
    repeat_first(node);
}

// Rows are to be about 1. Where they will be larger, the unit becomes larger before: what is left
// of a tiny tree in it may be too small for floats.
static void rescale(gz_tree *tree)
{
    gz_node *nodes = tree->nodes;
    double size = fmax(tree->half[0], fmax(tree->half[1], tree->half[2])) * tree->scale;
    if (!(size > 1))
        return;
    int exponent;
    (void)frexp(size, &exponent);
    double factor = ldexp(1, -exponent);
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        for (int k = 0; k < 3 * GZ_ROWS; ++k) {
            float *end = &nodes[i].row[k / GZ_ROWS][k % GZ_ROWS];
            *end = gz_round_down((double)*end * factor);
        }
        for (int k = 0; k < GZ_ROWS; ++k)
            nodes[i].slab[k] = gz_round_down((double)nodes[i].slab[k] * factor);
    }
    tree->scale *= factor;
}

void gz_tree_spread(gz_tree *tree, const float *spread)
{
    GZ_ASSERT(tree->layout == GRAZE_LAYOUT_FAST && tree->spread == 0);
    gz_leaf_store store = gz_tree_store(tree);
    gz_node *nodes = tree->nodes;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf) {
        gz_leaf_head *head = gz_store_head(&store, leaf);
        head->spread = upper_half(spread[leaf]);
        tree->spread = fmax(tree->spread, (double)gz_leaf_spread(head));
    }
    if (!(tree->spread > 0))
        return;
    for (int axis = 0; axis < 3; ++axis)
        tree->half[axis] = gz_step_up64(tree->half[axis] + tree->spread);
    rescale(tree);
    for (uint32_t i = tree->node_count; i-- > 0;) // children come after their parents
        widen_node(tree, &nodes[i], &store);
}
