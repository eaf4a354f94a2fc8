// Walks a whole tree and checks the rules of tree.h: for tests, and for trees from files, which
// nobody vouches for. Whatever the numbers in it, the walk stays inside the arrays and ends.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "boxtree/tree_leaf.h"

#define ROW_LIMIT 1.02 // rows are about 1; a compact root's grid may reach a little farther

typedef struct check {
    const gz_tree *tree;
    const graze_mesh_view *view; // NULL: nothing to compare with
    uint8_t *seen;               // a triangle each
    uint64_t visits;
    graze_box box;
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
    uint32_t number = tree->order[gz_tree_leaf_first(tree, leaf) + slot];
    graze_triangle kept, given;
    gz_tree_triangle(tree, leaf, slot, &kept);
    if (number >= tree->triangle_count || c->seen[number]++ != 0) {
        c->valid = false;
        return;
    }
    for (uint32_t k = 0; k < 3 && c->view != NULL; ++k)
        graze_mesh_view_corner(c->view, number, k, given.corner[k]);
    if (c->view != NULL && !equal_triangles(&kept, &given))
        c->valid = false;
    for (int k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            double p = kept.corner[k][axis], x = (p - tree->origin[axis]) * tree->scale;
            c->valid &= isfinite(p) && x >= box->low[axis] && x <= box->high[axis] &&
                        fabs(p - tree->origin[axis]) <= tree->half[axis];
            c->box.min[axis] = fmin(c->box.min[axis], p);
            c->box.max[axis] = fmax(c->box.max[axis], p);
        }
}

// The head of a fast leaf: no number leads out of the leaf, and no vertex is beyond the bounds.
static bool head_is_sound(const gz_tree *tree, uint32_t leaf)
{
    const gz_leaf_head *head = gz_tree_head(tree, leaf);
    const gz_leaf_store store = gz_tree_store(tree);
    bool narrow = tree->precision == GRAZE_FLOAT32;
    const gz_leaf64 *large = narrow ? NULL : &((const gz_leaf64 *)tree->leaves)[leaf];
    bool sound = head->vertex_count >= 1 && head->vertex_count <= GZ_LEAF;
    if (!narrow &&
        (large->first_vertex > tree->vertex_count ||
         head->vertex_count + GZ_LOOSE_VERTICES > tree->vertex_count - large->first_vertex))
        return false;
    if (!sound)
        return false;
    for (uint32_t k = 0; k < 3; ++k)
        for (uint32_t t = 0; t < GZ_LEAF; ++t)
            sound &= gz_leaf_corner(head, k, t) < head->vertex_count;
    double at[3][GZ_LEAF];
    gz_leaf_positions(&store, leaf, at);
    for (int v = 0; v < GZ_LEAF; ++v) {
        double height = 0;
        for (int axis = 0; axis < 3; ++axis) {
            double center = narrow ? (double)head->center[axis] : large->center[axis];
            double p = at[axis][v];
            sound &= fabs(p - center) <= (double)gz_leaf_half(head, axis);
            height += (double)((float)head->normal[axis] * GZ_NORMAL_UNIT) * (p - center);
        }
        sound &= height >= (double)head->slab_low && height <= (double)head->slab_high;
    }
    return sound;
}

static bool small_leaf_is_sound(const gz_tree *tree, uint32_t leaf)
{
    const gz_small_leaf *small = &((const gz_small_leaf *)tree->leaves)[leaf];
    if (small->vertex_count < 1 || small->vertex_count > GZ_LEAF ||
        small->own_count > small->vertex_count ||
        (uint64_t)small->first_own + small->own_count > tree->vertex_count ||
        (uint64_t)small->first_other + (small->vertex_count - small->own_count) > tree->other_count)
        return false;
    for (uint32_t v = 0; v < small->vertex_count; ++v)
        if (gz_small_leaf_vertex(tree, small, v) >= tree->vertex_count)
            return false;
    for (uint32_t t = 0; t < small->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            if ((tree->corners[small->first + t] >> 4 * k & 15) >= small->vertex_count)
                return false;
    return true;
}

// The slab of a fast leaf in its parent: every vertex is in it.
static bool slab_is_sound(const gz_tree *tree, uint32_t node, uint32_t lane, uint32_t leaf)
{
    const gz_node *parent = &((const gz_node *)tree->nodes)[node];
    double at[3][GZ_LEAF];
    int32_t x = parent->normal[0][lane], y = parent->normal[1][lane], z = parent->normal[2][lane];
    bool sound = x * x + y * y + z * z <= 127 * 127;
    gz_leaf_store store = gz_tree_store(tree);
    gz_leaf_positions(&store, leaf, at);
    for (int v = 0; v < GZ_LEAF; ++v) {
        double p[3] = {at[0][v], at[1][v], at[2][v]};
        double height = gz_slab_height(parent, lane, p, tree->origin, tree->scale);
        sound &= height >= (double)parent->slab[GZ_ROW_LOW(lane)] &&
                 height <= -(double)parent->slab[GZ_ROW_HIGH(lane)];
    }
    return sound;
}

// Slabs of other lanes stop nobody.
static bool slab_is_empty(const gz_node *node, uint32_t lane)
{
    return node->normal[0][lane] == 0 && node->normal[1][lane] == 0 && node->normal[2][lane] == 0 &&
           node->slab[GZ_ROW_LOW(lane)] == 0 && node->slab[GZ_ROW_HIGH(lane)] == 0;
}

static void check_leaf(check *c, uint32_t leaf, const extent *box)
{
    const gz_tree *tree = c->tree;
    uint32_t count = leaf < tree->leaf_count ? gz_tree_leaf_count(tree, leaf) : 0;
    if (count < 1 || count > GZ_LEAF ||
        (uint64_t)gz_tree_leaf_first(tree, leaf) + count > tree->triangle_count ||
        !(tree->layout == GRAZE_LAYOUT_FAST ? head_is_sound(tree, leaf)
                                            : small_leaf_is_sound(tree, leaf))) {
        c->valid = false;
        return;
    }
    for (uint32_t slot = 0; slot < count; ++slot)
        check_triangle(c, leaf, slot, box);
}

static bool links_are_sound(const gz_links *links)
{
    uint32_t leaves = 0;
    if (links->child_count < 1 || links->child_count > GZ_WIDE)
        return false;
    for (uint32_t i = 0; i < links->child_count; ++i)
        leaves |= (links->child[i] >> 31) << i;
    return leaves == links->leaves;
}

static bool grid_is_sound(const gz_tree *tree, uint32_t node)
{
    if (tree->layout == GRAZE_LAYOUT_FAST)
        return true;
    const int8_t *exponent = ((const gz_small_node *)tree->nodes)[node].exponent;
    return exponent[0] >= -126 && exponent[1] >= -126 && exponent[2] >= -126;
}

// What holds all rows.
static extent whole_of(void)
{
    extent all;
    for (int axis = 0; axis < 3; ++axis) {
        all.low[axis] = -ROW_LIMIT;
        all.high[axis] = ROW_LIMIT;
    }
    return all;
}

static void check_child(check *c, uint32_t child, const extent *box, uint32_t depth);

// Children of a node come behind it, so no way leads back; and no walk visits more nodes than
// there are. On a compact tree a child's box may reach over its parent's, by its own rounding.
static void check_node(check *c, uint32_t node, const extent *box, uint32_t depth)
{
    const gz_tree *tree = c->tree;
    if (node >= tree->node_count || ++c->visits > tree->node_count || !grid_is_sound(tree, node) ||
        !links_are_sound(gz_tree_links(tree, node))) {
        c->valid = false;
        return;
    }
    float room[3][GZ_ROWS] __attribute__((aligned(64)));
    const gz_links *links = gz_tree_links(tree, node);
    const float(*row)[GZ_ROWS] = gz_tree_rows(tree, node, room);
    const extent all = whole_of(), *outer = tree->layout == GRAZE_LAYOUT_FAST ? box : &all;
    for (uint32_t i = 0; i < links->child_count && c->valid; ++i) {
        extent inner;
        for (int axis = 0; axis < 3; ++axis) {
            inner.low[axis] = (double)row[axis][GZ_ROW_LOW(i)];
            inner.high[axis] = -(double)row[axis][GZ_ROW_HIGH(i)];
            c->valid &=
                inner.low[axis] >= outer->low[axis] && inner.high[axis] <= outer->high[axis];
        }
        if ((links->child[i] & GZ_IS_LEAF) == 0 && links->child[i] <= node)
            c->valid = false;
        check_child(c, links->child[i], &inner, depth + 1);
        if (c->valid && tree->layout == GRAZE_LAYOUT_FAST)
            c->valid = (links->child[i] & GZ_IS_LEAF) != 0
                           ? slab_is_sound(tree, node, i, links->child[i] & ~GZ_IS_LEAF)
                           : slab_is_empty(&((const gz_node *)tree->nodes)[node], i);
    }
}

static void check_child(check *c, uint32_t child, const extent *box, uint32_t depth)
{
    if (depth > GZ_TREE_DEPTH || !c->valid)
        c->valid = false;
    else if ((child & GZ_IS_LEAF) != 0)
        check_leaf(c, child & ~GZ_IS_LEAF, box);
    else
        check_node(c, child, box, depth);
}

static bool frame_is_sound(const gz_tree *tree)
{
    int exponent;
    bool sound = tree->scale > 0 && isfinite(tree->scale) && frexp(tree->scale, &exponent) == 0.5 &&
                 tree->grain >= 0 && isfinite(tree->grain) && tree->depth <= GZ_TREE_DEPTH;
    for (int axis = 0; axis < 3; ++axis)
        sound &= isfinite(tree->origin[axis]) && isfinite(tree->half[axis]);
    return sound;
}

// @param seen  as many zeros as there are triangles.
static bool check_all(const gz_tree *tree, const graze_mesh_view *view, uint8_t *seen)
{
    if (view != NULL && tree->triangle_count != view->triangle_count)
        return false;
    if (tree->triangle_count == 0)
        return tree->node_count == 0 && tree->leaf_count == 0;
    check c = {.tree = tree,
               .view = view,
               .seen = seen,
               .valid = frame_is_sound(tree),
               .box = graze_box_empty()};
    extent all = whole_of();
    check_child(&c, 0, &all, 0);
    for (uint64_t t = 0; t < tree->triangle_count; ++t)
        if (c.seen[t] != 1)
            c.valid = false;
    for (int axis = 0; axis < 3; ++axis)
        c.valid &= c.box.min[axis] == tree->box.min[axis] && c.box.max[axis] == tree->box.max[axis];
    return c.valid;
}

graze_status gz_tree_check(const gz_tree *tree, const graze_mesh_view *view)
{
    uint8_t *seen = gz_allocate(tree->context, tree->triangle_count);
    if (seen == NULL && tree->triangle_count != 0)
        return GRAZE_ERROR_MEMORY;
    if (seen != NULL)
        memset(seen, 0, (size_t)tree->triangle_count);
    bool valid = check_all(tree, view, seen);
    gz_release(tree->context, seen, tree->triangle_count);
    return valid ? GRAZE_OK : GRAZE_ERROR_FORMAT;
}

bool gz_tree_is_sound(const gz_tree *tree, const graze_mesh_view *view)
{
    uint8_t *seen = gz_uncounted(tree->triangle_count + 1);
    bool sound = seen == NULL || check_all(tree, view, seen);
    gz_uncounted_free(seen);
    return sound;
}
