// Walks a whole tree and checks the rules of tree.h. For tests and damaged files, not for speed.
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "boxtree/tree.h"

typedef struct check {
    const gz_tree *tree;
    const graze_mesh_view *view;
    uint8_t *seen; // a triangle each
    bool valid;
} check;

typedef struct extent {
    double low[3], high[3]; // in the units of the rows
} extent;

static bool equal_triangles(const graze_triangle *a, const graze_triangle *b)
{
    uint64_t x[9], y[9]; // bit for bit
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (int i = 0; i < 9; ++i)
        if (x[i] != y[i])
            return false;
    return true;
}

static void check_triangle(check *c, uint32_t leaf, uint32_t slot, const extent *box)
{
    const gz_tree *tree = c->tree;
    uint64_t place = (uint64_t)gz_tree_leaf_first(tree, leaf) + slot;
    if (place >= tree->triangle_count || tree->order[place] >= tree->triangle_count) {
        c->valid = false;
        return;
    }
    uint32_t number = tree->order[place];
    graze_triangle kept, given;
    gz_tree_triangle(tree, leaf, slot, &kept);
    for (uint32_t k = 0; k < 3; ++k)
        graze_mesh_view_corner(c->view, number, k, given.corner[k]);
    if (c->seen[number]++ != 0 || !equal_triangles(&kept, &given))
        c->valid = false;
    for (int k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            double x = (kept.corner[k][axis] - tree->origin[axis]) * tree->scale;
            if (!(x >= box->low[axis] && x <= box->high[axis]))
                c->valid = false;
        }
}

static void check_child(check *c, uint32_t child, const extent *box, uint32_t depth)
{
    const gz_tree *tree = c->tree;
    if (depth > GZ_TREE_DEPTH || !c->valid) {
        c->valid = false;
        return;
    }
    if ((child & GZ_IS_LEAF) != 0) {
        uint32_t leaf = child & ~GZ_IS_LEAF;
        if (leaf >= tree->leaf_count || gz_tree_leaf_count(tree, leaf) > GZ_LEAF) {
            c->valid = false;
            return;
        }
        for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot)
            check_triangle(c, leaf, slot, box);
        return;
    }
    if (child >= tree->node_count) {
        c->valid = false;
        return;
    }
    float room[3][GZ_ROWS] __attribute__((aligned(64)));
    const gz_links *links = gz_tree_links(tree, child);
    const float(*row)[GZ_ROWS] = gz_tree_rows(tree, child, room);
    for (uint32_t i = 0; i < links->child_count && c->valid; ++i) {
        extent inner;
        for (int axis = 0; axis < 3; ++axis) {
            inner.low[axis] = (double)row[axis][GZ_ROW_LOW(i)];
            inner.high[axis] = -(double)row[axis][GZ_ROW_HIGH(i)];
            if (!(inner.low[axis] >= box->low[axis] && inner.high[axis] <= box->high[axis]))
                c->valid = false;
        }
        check_child(c, links->child[i], &inner, depth + 1);
    }
}

bool gz_tree_valid(const gz_tree *tree, const graze_mesh_view *view)
{
    if (tree->triangle_count != view->triangle_count)
        return false;
    if (tree->triangle_count == 0)
        return true;
    check c = {.tree = tree, .view = view, .valid = true};
    c.seen = gz_allocate(tree->context, tree->triangle_count);
    if (c.seen == NULL)
        return false;
    memset(c.seen, 0, (size_t)tree->triangle_count);
    extent all;
    for (int axis = 0; axis < 3; ++axis) {
        all.low[axis] = -2;
        all.high[axis] = 2;
    }
    check_child(&c, 0, &all, 0);
    for (uint64_t t = 0; t < tree->triangle_count; ++t)
        if (c.seen[t] != 1)
            c.valid = false;
    gz_release(tree->context, c.seen, tree->triangle_count);
    return c.valid;
}
