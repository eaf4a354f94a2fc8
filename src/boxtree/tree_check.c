// Walks a whole tree and checks the rules of tree.h: for tests, and for trees from files, which
// nobody vouches for. Whatever the numbers in it, the walk stays inside the arrays and ends.
//
// A tree that passes gives the answers that its triangles have: all that a walk goes by, to leave
// something out or to call something found, is held against the vertices themselves, in the numbers
// that the walk decodes. Boxes of nodes hold the vertices of all leaves below, at every level. So
// do slabs of leaves, the boxes of leaves and their centers. Lanes that are not used repeat one
// that is, since kernels look at all of them. Every vertex of a leaf is one of a triangle in it:
// two vertices may prove a contact. Sums are allowed their rounding, so that what is held is held
// exactly.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "boxtree/tree_leaf.h"
#include "geometry/fpu.h"
#include "geometry/vector.h"

#define ROW_LIMIT 1.02    // rows are about 1; a compact root's grid may reach a little farther
#define ROUNDING  0x1p-50 // more than the rounding of a height: eight products and sums
#define TINY      0x1p-900
#define TOO_LARGE 0x1p127 // of a tree whose boxes nobody asks: floats do not hold its leaves

typedef struct check {
    const gz_tree *tree;
    const graze_mesh_view *view; // NULL: nothing to compare with
    uint8_t *seen;               // a triangle each
    uint64_t nodes, leaves;      // visited
    graze_box box;
    double row_limit;
    bool valid;
} check;

// In the units of rows, rounded outward.
typedef struct extent {
    double low[3], high[3];
} extent;

// The vertices of a leaf; lanes that are not used repeat the first.
typedef double lanes[3][GZ_LEAF];

static const extent nothing = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

static extent everything(const check *c)
{
    extent all;
    for (int axis = 0; axis < 3; ++axis) {
        all.low[axis] = -c->row_limit;
        all.high[axis] = c->row_limit;
    }
    return all;
}

static bool holds(const extent *outer, const extent *inner)
{
    bool all = true;
    for (int axis = 0; axis < 3; ++axis)
        all &= inner->low[axis] >= outer->low[axis] && inner->high[axis] <= outer->high[axis];
    return all;
}

static void join(extent *sum, const extent *more)
{
    for (int axis = 0; axis < 3; ++axis) {
        sum->low[axis] = more->low[axis] < sum->low[axis] ? more->low[axis] : sum->low[axis];
        sum->high[axis] = more->high[axis] > sum->high[axis] ? more->high[axis] : sum->high[axis];
    }
}

// --- Triangles

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

static bool is_of_view(const check *c, uint32_t leaf, uint32_t slot, uint32_t number)
{
    graze_triangle kept, given;
    gz_tree_triangle(c->tree, leaf, slot, &kept);
    for (uint32_t k = 0; k < 3; ++k)
        graze_mesh_view_corner(c->view, number, k, given.corner[k]);
    return equal_triangles(&kept, &given);
}

// The triangles of a leaf: each is there for the first time.
static bool numbers_are_sound(check *c, uint32_t leaf, uint32_t count)
{
    const gz_tree *tree = c->tree;
    const uint32_t *order = tree->order + gz_tree_leaf_first(tree, leaf);
    for (uint32_t slot = 0; slot < count; ++slot) {
        if (order[slot] >= tree->triangle_count || c->seen[order[slot]]++ != 0 ||
            (c->view != NULL && !is_of_view(c, leaf, slot, order[slot])))
            return false;
    }
    return true;
}

// --- Leaves

// No number leads out of the leaf, every vertex is a corner, and what is not used repeats the
// first.
static bool corners_are_sound(const gz_leaf_head *head)
{
    uint32_t used = 0, sound = 1;
    for (uint32_t k = 0; k < 3; ++k)
        for (uint32_t t = 0; t < GZ_LEAF; ++t) {
            uint32_t v = gz_leaf_corner(head, k, t);
            used |= UINT32_C(1) << v;
            sound &= t < head->triangle_count || v == gz_leaf_corner(head, k, 0);
        }
    return sound != 0 && used == (UINT32_C(1) << head->vertex_count) - 1;
}

static bool repeats_first(const gz_leaf32 *leaf)
{
    uint32_t bits[3][GZ_LEAF], other = 0;
    memcpy(bits, leaf->vertex, sizeof bits);
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t v = leaf->head.vertex_count; v < GZ_LEAF; ++v)
            other |= bits[axis][v] ^ bits[axis][0];
    return other == 0;
}

static bool read_fast(const gz_tree *tree, uint32_t leaf, lanes at)
{
    const gz_leaf_head *head = gz_tree_head(tree, leaf);
    const gz_leaf_store store = gz_tree_store(tree);
    if (head->vertex_count < 1 || head->vertex_count > GZ_LEAF || !corners_are_sound(head))
        return false;
    if (tree->precision == GRAZE_FLOAT64) {
        uint64_t first = ((const gz_leaf64 *)tree->leaves)[leaf].first_vertex;
        if (first > tree->vertex_count ||
            head->vertex_count + GZ_LOOSE_VERTICES > tree->vertex_count - first)
            return false;
    } else if (!repeats_first(&((const gz_leaf32 *)tree->leaves)[leaf])) {
        return false;
    }
    gz_leaf_positions(&store, leaf, at);
    return true;
}

static bool read_small(const gz_tree *tree, uint32_t leaf, lanes at)
{
    const gz_small_leaf *small = &((const gz_small_leaf *)tree->leaves)[leaf];
    uint32_t used = 0;
    if (small->vertex_count < 1 || small->vertex_count > GZ_LEAF ||
        small->own_count > small->vertex_count ||
        (uint64_t)small->first_own + small->own_count > tree->vertex_count ||
        (uint64_t)small->first_other + (small->vertex_count - small->own_count) > tree->other_count)
        return false;
    for (uint32_t t = 0; t < small->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            used |= UINT32_C(1) << (tree->corners[small->first + t] >> 4 * k & 15);
    if (used != (UINT32_C(1) << small->vertex_count) - 1)
        return false;
    for (uint32_t v = 0; v < GZ_LEAF; ++v) {
        uint64_t number = gz_small_leaf_vertex(tree, small, v < small->vertex_count ? v : 0);
        if (number >= tree->vertex_count)
            return false;
        for (uint32_t axis = 0; axis < 3; ++axis)
            at[axis][v] = tree->precision == GRAZE_FLOAT32
                              ? (double)((const float *)tree->vertices)[3 * number + axis]
                              : ((const double *)tree->vertices)[3 * number + axis];
    }
    return true;
}

// What the leaf spans. Rounding keeps order, so that the ends are enough. False if a coordinate is
// not finite.
static bool measure(check *c, const lanes at, extent *out)
{
    const gz_tree *tree = c->tree;
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double low, high, origin = tree->origin[axis], scale = tree->scale;
        for (int v = 0; v < GZ_LEAF; ++v)
            sum += at[axis][v] * 0; // NaN, if one is not finite
        gz_span(at[axis], &low, &high);
        c->box.min[axis] = low < c->box.min[axis] ? low : c->box.min[axis];
        c->box.max[axis] = high > c->box.max[axis] ? high : c->box.max[axis];
        double below = (low - origin) * scale, above = (high - origin) * scale;
        out->low[axis] = below - (ROUNDING * fabs(below) + TINY);
        out->high[axis] = above + (ROUNDING * fabs(above) + TINY);
    }
    return sum == 0;
}

// What the head of a fast leaf says of its vertices. Halves are not much larger than they must be,
// since coordinates are scaled by them.
static bool head_is_sound(const gz_tree *tree, uint32_t leaf, const lanes at)
{
    const gz_leaf_head *head = gz_tree_head(tree, leaf);
    bool narrow = tree->precision == GRAZE_FLOAT32;
    double height[GZ_LEAF] = {0}, low, high, size = 0;
    int64_t square = 0;
    bool sound = true;
    for (int axis = 0; axis < 3; ++axis) {
        double center = narrow ? (double)head->center[axis]
                               : ((const gz_leaf64 *)tree->leaves)[leaf].center[axis];
        double half = (double)gz_leaf_half(head, axis), most = 0;
        double normal = (double)((float)head->normal[axis] * GZ_NORMAL_UNIT);
        for (int v = 0; v < GZ_LEAF; ++v) {
            double way = at[axis][v] - center, length = fabs(way);
            height[v] += normal * way;
            most = length > most ? length : most;
        }
        sound &= most * (1 + ROUNDING) <= half && isfinite(center);
        sound &= half <= 2 * tree->half[axis] + 1e-40 || tree->half[axis] >= TOO_LARGE;
        size += half;
        square += (int64_t)head->normal[axis] * head->normal[axis];
    }
    gz_span(height, &low, &high);
    return sound && square <= INT64_C(32767) * 32767 &&
           low - ROUNDING * size >= (double)head->slab_low &&
           high + ROUNDING * size <= (double)head->slab_high;
}

// The slab of a fast leaf in its parent: every vertex is in it.
static bool slab_is_sound(const gz_tree *tree, const gz_node *parent, uint32_t lane, const lanes at)
{
    int32_t x = parent->normal[0][lane], y = parent->normal[1][lane], z = parent->normal[2][lane];
    double height[GZ_LEAF], low, high;
    for (int v = 0; v < GZ_LEAF; ++v) {
        double p[3] = {at[0][v], at[1][v], at[2][v]};
        height[v] = gz_slab_height(parent, lane, p, tree->origin, tree->scale);
    }
    gz_span(height, &low, &high);
    return x * x + y * y + z * z <= 127 * 127 &&
           low - ROUNDING >= (double)parent->slab[GZ_ROW_LOW(lane)] &&
           high + ROUNDING <= -(double)parent->slab[GZ_ROW_HIGH(lane)];
}

static bool leaf_is_sound(check *c, uint32_t node, uint32_t lane, uint32_t leaf, extent *out)
{
    const gz_tree *tree = c->tree;
    bool fast = tree->layout == GRAZE_LAYOUT_FAST;
    uint32_t count = leaf < tree->leaf_count ? gz_tree_leaf_count(tree, leaf) : 0;
    lanes at;
    c->leaves++;
    if (count < 1 || count > GZ_LEAF ||
        (uint64_t)gz_tree_leaf_first(tree, leaf) + count > tree->triangle_count ||
        !(fast ? read_fast(tree, leaf, at) : read_small(tree, leaf, at)) ||
        !numbers_are_sound(c, leaf, count) || !measure(c, (const double(*)[GZ_LEAF])at, out))
        return false;
    return !fast || (head_is_sound(tree, leaf, (const double(*)[GZ_LEAF])at) &&
                     slab_is_sound(tree, &((const gz_node *)tree->nodes)[node], lane,
                                   (const double(*)[GZ_LEAF])at));
}

// --- Nodes

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

// Lanes without a child repeat the first, and only leaves have slabs: others stop nobody.
static bool lanes_are_sound(const gz_tree *tree, uint32_t node, const float row[3][GZ_ROWS])
{
    const gz_links *links = gz_tree_links(tree, node);
    const gz_node *fast = &((const gz_node *)tree->nodes)[node];
    bool sound = true;
    for (uint32_t i = links->child_count; i < GZ_WIDE; ++i)
        for (int axis = 0; axis < 3; ++axis)
            sound &= row[axis][GZ_ROW_LOW(i)] == row[axis][GZ_ROW_LOW(0)] &&
                     row[axis][GZ_ROW_HIGH(i)] == row[axis][GZ_ROW_HIGH(0)];
    for (uint32_t i = 0; i < GZ_WIDE && tree->layout == GRAZE_LAYOUT_FAST; ++i)
        sound &= (links->leaves >> i & 1) != 0 ||
                 (fast->normal[0][i] == 0 && fast->normal[1][i] == 0 && fast->normal[2][i] == 0 &&
                  fast->slab[GZ_ROW_LOW(i)] == 0 && fast->slab[GZ_ROW_HIGH(i)] == 0);
    return sound;
}

static extent box_of_lane(const float row[3][GZ_ROWS], uint32_t lane)
{
    extent box;
    for (int axis = 0; axis < 3; ++axis) {
        box.low[axis] = (double)row[axis][GZ_ROW_LOW(lane)];
        box.high[axis] = -(double)row[axis][GZ_ROW_HIGH(lane)];
    }
    return box;
}

// Children of a node come behind it, so no way leads back; and no walk visits more nodes than
// there are. On a compact tree a child's box may reach over its parent's, by its own rounding; what
// is in it does not.
static bool node_is_sound(check *c, uint32_t node, const extent *box, uint32_t depth, extent *out)
{
    const gz_tree *tree = c->tree;
    if (depth > GZ_TREE_DEPTH || node >= tree->node_count || ++c->nodes > tree->node_count ||
        !grid_is_sound(tree, node) || !links_are_sound(gz_tree_links(tree, node)))
        return false;
    float room[3][GZ_ROWS] __attribute__((aligned(64)));
    const gz_links *links = gz_tree_links(tree, node);
    const float(*row)[GZ_ROWS] = gz_tree_rows(tree, node, room);
    const extent all = everything(c), *outer = tree->layout == GRAZE_LAYOUT_FAST ? box : &all;
    if (!lanes_are_sound(tree, node, row))
        return false;
    *out = nothing;
    for (uint32_t i = 0; i < links->child_count; ++i) {
        extent inner = box_of_lane(row, i), inside;
        uint32_t child = links->child[i];
        if (!holds(outer, &inner))
            return false;
        if ((child & GZ_IS_LEAF) != 0
                ? !leaf_is_sound(c, node, i, child & ~GZ_IS_LEAF, &inside)
                : child <= node || !node_is_sound(c, child, &inner, depth + 1, &inside))
            return false;
        if (!holds(&inner, &inside))
            return false;
        join(out, &inside);
    }
    return true;
}

// --- The whole

// The frame is the one that is made of the box of all triangles, and that is the one that is named.
static bool frame_is_sound(const check *c)
{
    const gz_tree *tree = c->tree;
    gz_tree own = {.context = NULL};
    gz_tree_set_frame(&own, &c->box);
    bool sound = tree->scale == own.scale && tree->grain >= 0 && isfinite(tree->grain) &&
                 tree->depth <= GZ_TREE_DEPTH;
    for (int axis = 0; axis < 3; ++axis)
        sound &= tree->origin[axis] == own.origin[axis] && tree->half[axis] == own.half[axis] &&
                 c->box.min[axis] == tree->box.min[axis] && c->box.max[axis] == tree->box.max[axis];
    return sound;
}

// Every node and every leaf was visited, and so every triangle was seen.
static bool tree_is_sound(check *c)
{
    const gz_tree *tree = c->tree;
    // Where no power of two makes a tree so small as 1, rows are larger.
    bool small = gz_largest3(tree->half) * tree->scale <= 1;
    c->row_limit = ROW_LIMIT * (small ? 1 : (double)GZ_ROW_MOST);
    extent all = everything(c), inside;
    bool sound = node_is_sound(c, 0, &all, 0, &inside) && frame_is_sound(c) &&
                 c->nodes == tree->node_count && c->leaves == tree->leaf_count;
    for (uint64_t t = 0; t < tree->triangle_count; ++t)
        sound &= c->seen[t] == 1;
    return sound;
}

// @param seen  as many zeros as there are triangles.
static bool check_all(const gz_tree *tree, const graze_mesh_view *view, uint8_t *seen)
{
    if (view != NULL && tree->triangle_count != view->triangle_count)
        return false;
    if (tree->triangle_count == 0)
        return tree->node_count == 0 && tree->leaf_count == 0;
    check c = {.tree = tree, .view = view, .box = graze_box_empty(), .seen = seen};
    gz_fpu_state state = gz_fpu_enter();
    bool sound = tree_is_sound(&c);
    gz_fpu_leave(state);
    return sound;
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
