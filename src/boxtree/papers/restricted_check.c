// Walks a whole restricted boxtree and checks the rules of restricted.h. For tests, not for speed.
#include <string.h>

#include "base/memory.h"
#include "boxtree/papers/restricted.h"

typedef struct check {
    const gz_restricted *tree;
    uint8_t *seen; // a triangle each
    bool valid;
} check;

static void check_triangle(check *c, uint32_t number, const double box[3][2])
{
    const gz_restricted *tree = c->tree;
    if (number >= tree->triangle_count || c->seen[number]++ != 0) {
        c->valid = false;
        return;
    }
    for (uint32_t corner = 0; corner < 3; ++corner) {
        double p[3];
        graze_mesh_view_corner(tree->view, number, corner, p);
        for (int axis = 0; axis < 3; ++axis) {
            double x = p[axis] * tree->scale;
            if (!(box[axis][0] <= x && x <= -box[axis][1] && x >= -1 && x <= 1))
                c->valid = false;
        }
    }
}

static void check_node(check *c, gz_node_ref node, const double box[3][2], uint32_t depth)
{
    uint32_t word = gz_restricted_word(c->tree, node);
    if (depth > c->tree->depth || depth > GZ_RESTRICTED_DEPTH) {
        c->valid = false;
        return;
    }
    if ((word & GZ_NODE_LEAF) != 0) {
        check_triangle(c, word & GZ_NODE_PAIR, box);
        return;
    }
    gz_children children = gz_restricted_children(c->tree, node);
    for (int i = 0; i < 2 && c->valid; ++i) {
        double inner[3][2];
        memcpy(inner, box, sizeof inner);
        inner[children.cut[i] / 2][children.cut[i] % 2] += (double)children.plane[i];
        if (!(children.plane[i] >= 0 && children.plane[i] <= 2))
            c->valid = false;
        check_node(c, children.node[i], (const double(*)[2])inner, depth + 1);
    }
}

bool gz_restricted_valid(const gz_restricted *tree)
{
    if (tree->triangle_count == 0)
        return true;
    check c = {.tree = tree, .valid = true};
    c.seen = GZ_NEW_ARRAY(tree->context, uint8_t, tree->triangle_count);
    if (c.seen == NULL)
        return false;
    memset(c.seen, 0, tree->triangle_count);
    check_node(&c, gz_restricted_root(tree), tree->root, 1);
    for (uint32_t i = 0; i < tree->triangle_count; ++i)
        if (c.seen[i] != 1)
            c.valid = false;
    GZ_FREE_ARRAY(tree->context, c.seen, tree->triangle_count);
    return c.valid;
}
