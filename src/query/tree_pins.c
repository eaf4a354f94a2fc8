// Finds out what a question can have to do with, and has it built. See tree_pins.h.
//
// Subtrees of one shape are compared with subtrees of the other, box by box. There are about a
// hundred of each, and only pairs count of which one is missing; subtrees that are far from the
// whole of the other shape are out at once.
#include "query/tree_pins.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "geometry/fpu.h"

enum { FEW = GZ_WIDE * GZ_WIDE }; // boxes of a shape that is not lazy: those below the root's

// Holds a box in the world, with room for all rounding and for what a rotation may be off.
typedef struct ball {
    double center[3], radius;
} ball;

// One of the two shapes.
typedef struct side {
    gz_lazy *lazy; // NULL: nothing is missing
    const graze_pose *pose;
    gz_middle whole;
    const gz_middle *boxes;
    const uint8_t *grown; // NULL: all are
    uint8_t *wanted;
    ball *balls;
    uint32_t count;
    gz_middle room[FEW];
} side;

static void add_lane(side *s, const gz_tree *tree, const float (*row)[GZ_ROWS], uint32_t lane)
{
    float low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = row[axis][GZ_ROW_LOW(lane)];
        high[axis] = -row[axis][GZ_ROW_HIGH(lane)];
    }
    s->room[s->count++] = gz_rows_middle(tree, low, high);
}

static void list_boxes(side *s, const gz_tree *tree)
{
    float room[3][GZ_ROWS] __attribute__((aligned(64)));
    float inner_room[3][GZ_ROWS] __attribute__((aligned(64)));
    const gz_links *links = gz_tree_links(tree, 0);
    const float(*row)[GZ_ROWS] = gz_tree_rows(tree, 0, room);
    for (uint32_t i = 0; i < links->child_count; ++i) {
        if ((links->child[i] & GZ_IS_LEAF) != 0) {
            add_lane(s, tree, row, i);
            continue;
        }
        const float(*inner)[GZ_ROWS] = gz_tree_rows(tree, links->child[i], inner_room);
        for (uint32_t k = 0; k < gz_tree_links(tree, links->child[i])->child_count; ++k)
            add_lane(s, tree, inner, k);
    }
    s->boxes = s->room;
}

static void set_side(side *s, const gz_tree_pins *pins, int which, const graze_pose *pose)
{
    const gz_lazy_state *state = pins->state[which];
    s->pose = pose;
    s->whole = gz_tree_middle(pins->tree[which]);
    s->lazy = NULL;
    s->grown = NULL;
    s->wanted = NULL;
    s->balls = NULL;
    s->count = 0;
    if (state == NULL || state->complete) {
        list_boxes(s, pins->tree[which]);
        return;
    }
    s->lazy = pins->shape[which]->lazy;
    s->boxes = gz_lazy_boxes(s->lazy);
    s->grown = state->grown;
    s->count = gz_lazy_subtree_count(s->lazy);
}

static void set_balls(side *s)
{
    for (uint32_t i = 0; i < s->count; ++i) {
        const gz_middle *box = &s->boxes[i];
        double size = 0;
        graze_pose_apply(s->pose, box->origin, s->balls[i].center);
        for (int axis = 0; axis < 3; ++axis)
            size += fabs(box->origin[axis]) + fabs(s->pose->translation[axis]);
        s->balls[i].radius = sqrt(box->half[0] * box->half[0] + box->half[1] * box->half[1] +
                                  box->half[2] * box->half[2]) *
                                 (1 + 1e-6) +
                             0x1p-44 * size;
    }
}

// With an infinity or a NaN nothing is far.
static bool balls_far(const ball *a, const ball *b, double tolerance)
{
    double reach = (a->radius + b->radius + tolerance) * (1 + 1e-6), square = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double d = a->center[axis] - b->center[axis];
        square += d * d;
    }
    return square > reach * reach && square < 0x1p1000 && reach > 0x1p-500;
}

static bool is_there(const side *s, uint32_t subtree)
{
    return s->lazy == NULL || s->grown[subtree] != 0 || s->wanted[subtree] != 0;
}

// Marks what is missing and not proved to be far. Returns whether there is something.
static bool want_near(side *a, side *b, double tolerance)
{
    bool any = false;
    for (uint32_t i = 0; i < a->count; ++i) {
        if (gz_boxes_far(&a->boxes[i], a->pose, &b->whole, b->pose, tolerance))
            continue;
        for (uint32_t j = 0; j < b->count; ++j) {
            if (is_there(a, i) && is_there(b, j))
                continue;
            if (balls_far(&a->balls[i], &b->balls[j], tolerance) ||
                gz_boxes_far(&a->boxes[i], a->pose, &b->boxes[j], b->pose, tolerance))
                continue;
            any = true;
            if (a->wanted != NULL)
                a->wanted[i] = 1;
            if (b->wanted != NULL)
                b->wanted[j] = 1;
        }
    }
    return any;
}

static uint32_t closest_subtree(const side *s, const double to[3])
{
    uint32_t best = 0;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < s->count; ++i) {
        double p[3];
        graze_pose_apply(s->pose, s->boxes[i].origin, p);
        double apart = fabs(p[0] - to[0]) + fabs(p[1] - to[1]) + fabs(p[2] - to[2]);
        if (apart < least) {
            least = apart;
            best = i;
        }
    }
    return best;
}

static bool has_some(const side *s)
{
    for (uint32_t i = 0; i < s->count; ++i)
        if (is_there(s, i))
            return true;
    return false;
}

// Marks, where nothing is there, the subtree whose middle is closest to that of the other shape.
static bool want_some(side *a, side *b)
{
    bool any = false;
    for (int turn = 0; turn < 2; ++turn) {
        side *s = turn == 0 ? a : b, *other = turn == 0 ? b : a;
        double p[3];
        if (s->wanted == NULL || has_some(s))
            continue;
        graze_pose_apply(other->pose, other->whole.origin, p);
        s->wanted[closest_subtree(s, p)] = 1;
        any = true;
    }
    return any;
}

static void take(gz_tree_pins *pins, const graze_shape *a, const graze_shape *b)
{
    gz_pin_end(pins);
    pins->shape[0] = a;
    pins->shape[1] = b;
    for (int i = 0; i < 2; ++i) {
        const graze_shape *shape = pins->shape[i];
        pins->state[i] = shape->lazy == NULL ? NULL : gz_lazy_pin(shape->lazy);
        pins->tree[i] = shape->lazy == NULL ? &shape->tree : &pins->state[i]->tree;
    }
}

static graze_status grow_wanted(gz_tree_pins *pins, const graze_pose *pose_a,
                                const graze_pose *pose_b, double tolerance)
{
    graze_context *context = pins->shape[0]->context;
    side a, b;
    set_side(&a, pins, 0, pose_a);
    set_side(&b, pins, 1, pose_b);
    uint64_t count = (uint64_t)a.count + b.count, bytes = count * (sizeof(ball) + 1);
    a.balls = gz_allocate(context, bytes);
    if (a.balls == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for the subtrees of two shapes");
    b.balls = a.balls + a.count;
    uint8_t *wanted = (uint8_t *)(a.balls + count);
    memset(wanted, 0, (size_t)count);
    set_balls(&a);
    set_balls(&b);
    a.wanted = a.lazy == NULL ? NULL : wanted;
    b.wanted = b.lazy == NULL ? NULL : wanted + a.count;
    bool any = tolerance < 0 ? want_some(&a, &b) : want_near(&a, &b, tolerance);
    graze_status status = GRAZE_OK;
    if (any && a.lazy != NULL)
        status = gz_lazy_grow(a.lazy, a.wanted);
    if (any && b.lazy != NULL && status == GRAZE_OK)
        status = gz_lazy_grow(b.lazy, b.wanted);
    gz_release(context, a.balls, bytes);
    if (any && status == GRAZE_OK)
        take(pins, pins->shape[0], pins->shape[1]);
    return status;
}

graze_status gz_pin_grown(gz_tree_pins *pins, graze_posed a, graze_posed b, double tolerance)
{
    take(pins, a.shape, b.shape);
    if (gz_pin_is_whole(pins) || gz_shape_triangle_count(a.shape) == 0 ||
        gz_shape_triangle_count(b.shape) == 0)
        return GRAZE_OK;
    gz_fpu_state state = gz_fpu_enter();
    graze_status status = grow_wanted(pins, a.pose, b.pose, tolerance);
    gz_fpu_leave(state);
    return status;
}

void gz_unpin_grown(gz_tree_pins *pins)
{
    for (int i = 0; i < 2; ++i) {
        if (pins->state[i] != NULL)
            gz_lazy_unpin(pins->shape[i]->lazy, pins->state[i]);
        pins->state[i] = NULL;
    }
}
