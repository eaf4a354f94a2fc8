// Builds a tree with volumes of any kind, from the top: triangles are parted at the mean of their
// middles, along the axis on which these vary most. See palette.h.
//
// The build ends whatever the triangles are: below PARTED_DEPTH levels, or where all middles are
// the same, they are cut into equal halves as they lie.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "boxtree/papers/palette.h"
#include "geometry/fpu.h"

#define PARTED_DEPTH 64 // 30 levels of halves come on top
_Static_assert(PARTED_DEPTH + 31 <= GZ_PALETTE_DEPTH, "halves must fit");

typedef struct corners {
    double point[3][3];
} corners;

typedef struct build {
    gz_palette *tree;
    corners *triangles;
    uint32_t *numbers;
    uint32_t pair_count; // so far; pair 0 is the root's
} build;

static double middle(const corners *t, int axis) // three times that
{
    return t->point[0][axis] + t->point[1][axis] + t->point[2][axis];
}

static void swap(build *b, uint32_t i, uint32_t j)
{
    corners t = b->triangles[i];
    b->triangles[i] = b->triangles[j];
    b->triangles[j] = t;
    uint32_t number = b->numbers[i];
    b->numbers[i] = b->numbers[j];
    b->numbers[j] = number;
}

// Brings some triangles to the front; returns how many.
static uint32_t part(build *b, uint32_t first, uint32_t count, uint32_t depth)
{
    double mean[3] = {0}, square[3] = {0};
    for (uint32_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            mean[axis] += middle(&b->triangles[first + i], axis) / count;
    for (uint32_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            double off = middle(&b->triangles[first + i], axis) - mean[axis];
            square[axis] += off * off;
        }
    int axis = square[1] > square[0] ? 1 : 0;
    axis = square[2] > square[axis] ? 2 : axis;
    uint32_t front = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (middle(&b->triangles[first + i], axis) < mean[axis])
            swap(b, first + front++, first + i);
    return depth >= PARTED_DEPTH || front == 0 || front == count ? count / 2 : front;
}

static void build_node(build *b, uint32_t slot, uint32_t first, uint32_t count, uint32_t depth)
{
    gz_palette *tree = b->tree;
    unsigned char *node = tree->nodes + slot * gz_palette_node_bytes(tree);
    tree->depth = depth > tree->depth ? depth : tree->depth;
    tree->kind->fit((const double(*)[3])b->triangles[first].point, 3 * (uint64_t)count,
                    node + sizeof(uint32_t));
    uint32_t link = GZ_PALETTE_LEAF | b->numbers[first];
    if (count > 1) {
        uint32_t front = part(b, first, count, depth);
        link = ++b->pair_count;
        build_node(b, 2 * link, first, front, depth + 1);
        build_node(b, 2 * link + 1, first + front, count - front, depth + 1);
    }
    memcpy(node, &link, sizeof link);
}

static void place_triangles(build *b)
{
    gz_palette *tree = b->tree;
    graze_box box = graze_box_empty();
    tree->reach = gz_mesh_reach(tree->view);
    for (uint32_t t = 0; t < tree->triangle_count; ++t)
        for (uint32_t corner = 0; corner < 3; ++corner) {
            double *p = b->triangles[t].point[corner];
            graze_mesh_view_corner(tree->view, t, corner, p);
            for (int axis = 0; axis < 3; ++axis) {
                box.min[axis] = fmin(box.min[axis], p[axis]);
                box.max[axis] = fmax(box.max[axis], p[axis]);
            }
        }
    double size = 0;
    for (int axis = 0; axis < 3; ++axis) {
        tree->origin[axis] = box.min[axis] / 2 + box.max[axis] / 2;
        size = fmax(size, box.max[axis] - tree->origin[axis]);
        size = fmax(size, tree->origin[axis] - box.min[axis]);
    }
    tree->scale = gz_unit_scale(size);
    for (uint32_t t = 0; t < tree->triangle_count; ++t) {
        b->numbers[t] = t;
        for (int corner = 0; corner < 3; ++corner)
            gz_palette_place(tree, b->triangles[t].point[corner], b->triangles[t].point[corner]);
    }
}

static uint64_t all_bytes(const gz_palette *tree)
{
    return 2 * tree->triangle_count * gz_palette_node_bytes(tree);
}

graze_status gz_palette_build(graze_context *context, const graze_mesh_view *view,
                              const gz_volume_kind *kind, gz_palette *tree)
{
    uint64_t count = view->triangle_count;
    *tree = (gz_palette){.context = context, .view = view, .kind = kind};
    if (count > GZ_PALETTE_TRIANGLES)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED, "a tree of %ss holds at most %u triangles",
                       kind->name, GZ_PALETTE_TRIANGLES);
    tree->triangle_count = (uint32_t)count;
    if (count == 0)
        return GRAZE_OK;
    build b = {.tree = tree};
    tree->nodes = gz_allocate(context, all_bytes(tree));
    b.triangles = GZ_NEW_ARRAY(context, corners, count);
    b.numbers = GZ_NEW_ARRAY(context, uint32_t, count);
    bool ready = tree->nodes != NULL && b.triangles != NULL && b.numbers != NULL;
    if (ready) {
        gz_fpu_state state = gz_fpu_enter();
        place_triangles(&b);
        build_node(&b, 0, 0, tree->triangle_count, 1);
        gz_fpu_leave(state);
    }
    GZ_FREE_ARRAY(context, b.triangles, count);
    GZ_FREE_ARRAY(context, b.numbers, count);
    if (ready)
        return GRAZE_OK;
    gz_palette_free(tree);
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for the tree of %llu triangles",
                   (unsigned long long)count);
}

void gz_palette_free(gz_palette *tree)
{
    if (tree->context == NULL)
        return;
    gz_release(tree->context, tree->nodes, all_bytes(tree));
    *tree = (gz_palette){0};
}

uint64_t gz_palette_bytes(const gz_palette *tree) { return sizeof *tree + all_bytes(tree); }

typedef struct check {
    const gz_palette *tree;
    uint8_t *seen; // a triangle each
    bool valid;
} check;

// Slots from the root down to the present node.
static void check_leaf(check *c, uint32_t number, const uint32_t *path, uint32_t depth)
{
    const gz_palette *tree = c->tree;
    if (number >= tree->triangle_count || c->seen[number]++ != 0) {
        c->valid = false;
        return;
    }
    for (uint32_t corner = 0; corner < 3; ++corner) {
        double p[3];
        graze_mesh_view_corner(tree->view, number, corner, p);
        gz_palette_place(tree, p, p);
        for (uint32_t i = 0; i < depth; ++i)
            if (!tree->kind->holds(gz_palette_volume(tree, path[i]), p))
                c->valid = false;
    }
}

static void check_node(check *c, uint32_t slot, uint32_t *path, uint32_t depth)
{
    if (depth >= GZ_PALETTE_DEPTH || depth >= c->tree->depth || !c->valid) {
        c->valid = false;
        return;
    }
    path[depth] = slot;
    uint32_t link = gz_palette_link(c->tree, slot);
    if ((link & GZ_PALETTE_LEAF) != 0) {
        check_leaf(c, link & ~GZ_PALETTE_LEAF, path, depth + 1);
        return;
    }
    check_node(c, 2 * link, path, depth + 1);
    check_node(c, 2 * link + 1, path, depth + 1);
}

bool gz_palette_valid(const gz_palette *tree)
{
    uint64_t count = tree->triangle_count;
    if (count == 0)
        return true;
    check c = {.tree = tree, .valid = true};
    c.seen = GZ_NEW_ARRAY(tree->context, uint8_t, count);
    if (c.seen == NULL)
        return false;
    memset(c.seen, 0, (size_t)count);
    uint32_t path[GZ_PALETTE_DEPTH];
    check_node(&c, 0, path, 0);
    for (uint64_t i = 0; i < count; ++i)
        if (c.seen[i] != 1)
            c.valid = false;
    GZ_FREE_ARRAY(tree->context, c.seen, count);
    return c.valid;
}
