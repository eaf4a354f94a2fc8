// Segments against a shape: which triangle comes first, and how many are there? See graze/query.h.
//
// The segment is brought into the frame of the tree and compared with boxes that are wide enough
// for all that rounding can do; triangles are posed into the world and compared exactly. Boxes are
// visited in the order in which the segment enters them, and left out once a triangle was met
// before that.
//
// How wide: a point p of the segment that is in a posed triangle is R x + T, rounded, with x in the
// box. Then transposed(R) (p - T) is off x by 3e-9 |x|, since R is a rotation to 1e-9, and by a few
// roundings of coordinates of the world; comparing it is off by a few roundings of its own.
#include "query/ray.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "base/threads.h"
#include "geometry/fpu.h"
#include "geometry/segment.h"
#include "geometry/vector.h"
#include "query/lod_ray.h"
#include "query/tree_pins.h"

#define PATIENCE     65536 // triangles between two looks at the cancel callback
#define STACK        (GZ_TREE_DEPTH * (GZ_WIDE - 1) + GZ_WIDE)
#define LARGEST      0x1p1022
#define MODERATE     0x1p500
#define NOT_ROTATION 1e-8
#define ROUNDING     0x1p-48
#define LATER        0x1p-40 // of the way: what comes near a triangle is said to do so so much too soon

typedef struct entry {
    double enters; // not later than this
    uint32_t child;
} entry;

// The segment in the frame of a tree.
typedef struct line {
    double start[3], way[3]; // in the units of rows
    double margin;
    bool sound; // false: numbers are too large for margins; every box is visited
} line;

typedef struct cast {
    graze_context *context;
    const gz_ray_wish *wish;
    const gz_tree *tree;
    line line;
    uint8_t *wanted; // subtrees of a lazy tree that were missing on the way
    bool missing;    // there is one
    uint32_t part;   // of a LOD cut
    double rounding; // of its bounds; 0: the part is original
    graze_triangle first;
    graze_ray *out;
    entry stack[STACK];
    uint32_t count;
} cast;

static void to_rows(const gz_ray_wish *wish, const gz_tree *tree, const double world[3],
                    double out[3])
{
    const double *r = wish->pose->rotation, *shift = wish->pose->translation;
    for (int i = 0; i < 3; ++i) {
        double local = 0;
        for (int k = 0; k < 3; ++k)
            local += r[3 * k + i] * (world[k] - shift[k]);
        out[i] = (local - tree->origin[i]) * tree->scale;
    }
}

static line line_of(const gz_ray_wish *wish, const gz_tree *tree)
{
    line l;
    double end[3];
    const double *shift = wish->pose->translation;
    double shape = gz_largest3(tree->origin) + gz_largest3(tree->half);
    double world = shape + gz_largest3(shift) + gz_largest3(wish->start) + gz_largest3(wish->end);
    to_rows(wish, tree, wish->start, l.start);
    to_rows(wish, tree, wish->end, end);
    for (int i = 0; i < 3; ++i)
        l.way[i] = end[i] - l.start[i];
    l.margin = (NOT_ROTATION * shape + ROUNDING * world) * tree->scale +
               ROUNDING * (1 + gz_largest3(l.start) + gz_largest3(end));
    l.sound = world < MODERATE && world > 1 / MODERATE && l.margin < MODERATE;
    return l;
}

// Where the segment enters a box at the earliest; a large number if it does not.
static double enters(const line *l, const double low_end[3], const double high_end[3])
{
    double from = 0, to = 1;
    for (int axis = 0; axis < 3 && l->sound; ++axis) {
        double low = low_end[axis] - l->margin - l->start[axis];
        double high = high_end[axis] + l->margin - l->start[axis];
        if (l->way[axis] == 0) {
            if (low > 0 || high < 0)
                return HUGE_VAL;
            continue;
        }
        double near = low / l->way[axis], far = high / l->way[axis];
        from = fmax(from, fmin(near, far));
        to = fmin(to, fmax(near, far));
    }
    return from <= to ? from : HUGE_VAL;
}

static double enters_lane(const cast *c, const float (*rows)[GZ_ROWS], int lane)
{
    double low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = (double)rows[axis][GZ_ROW_LOW(lane)];
        high[axis] = -(double)rows[axis][GZ_ROW_HIGH(lane)];
    }
    return enters(&c->line, low, high);
}

// Everything that begins later is beyond the first triangle; or does not matter, since the way is
// not a clean one. No slack is needed: what is met at t is in a box that begins before t by its
// margin, which is at least 2^-48 of the way from start to end. Rounding t, and where the box
// begins, is less than six times 2^-53 of it.
static double horizon(const cast *c)
{
    if (c->wish->only_clean && c->out->unclean_count != 0)
        return -1;
    if (!c->out->hit || c->wish->counted)
        return 2;
    return c->wish->lod == NULL ? c->out->t : c->out->t + LATER;
}

static void open_node(cast *c, uint32_t node)
{
    float room[3][GZ_ROWS] __attribute__((aligned(64)));
    const gz_links *links = gz_tree_links(c->tree, node);
    const float(*rows)[GZ_ROWS] = gz_tree_rows(c->tree, node, room);
    double limit = horizon(c);
    uint32_t bottom = c->count;
    if (links->child_count == 0 && c->wanted != NULL) {
        c->wanted[links->child[0]] = 1;
        c->missing = true;
    }
    c->out->counters.box_tests += links->child_count;
    for (int lane = 0; lane < links->child_count; ++lane) {
        entry e = {enters_lane(c, rows, lane), links->child[lane]};
        if (e.enters > limit)
            continue;
        uint32_t k = c->count++;
        GZ_ASSERT(k < STACK);
        for (; k > bottom && c->stack[k - 1].enters < e.enters; --k)
            c->stack[k] = c->stack[k - 1];
        c->stack[k] = e;
    }
}

static bool boxes_apart(const cast *c, const graze_triangle *t)
{
    for (int i = 0; i < 3; ++i) {
        double p = c->wish->start[i], q = c->wish->end[i];
        double x = t->corner[0][i], y = t->corner[1][i], z = t->corner[2][i];
        if (fmax(p, q) < fmin(x, fmin(y, z)) || fmin(p, q) > fmax(x, fmax(y, z)))
            return true;
    }
    return false;
}

static void take(cast *c, uint32_t number, const graze_triangle *t)
{
    graze_ray *out = c->out;
    const double *start = c->wish->start, *end = c->wish->end;
    double at, point[3];
    gz_segment_first(start, end, t, &at, point);
    if (out->hit && at > out->t)
        return;
    if (out->hit && at == out->t) { // to rounding
        int order = gz_segment_compare(start, end, t, &c->first);
        if (order > 0 || (order == 0 && number > out->triangle))
            return;
    }
    out->hit = 1;
    out->triangle = number;
    out->t = at;
    for (int i = 0; i < 3; ++i)
        out->point[i] = point[i];
    c->first = *t;
}

// Of a LOD cut: a triangle that stands for what is within `spread` of it, or for itself. Of those
// that are met or come near at the same place, those that are met go first, then smaller numbers:
// which is the first does not depend on the order in which they are looked at.
static void take_near(cast *c, uint32_t slot, const graze_triangle *t, double spread)
{
    graze_ray *out = c->out;
    const gz_lod_part *part = &c->wish->lod->cut[0]->parts[c->part];
    const double *start = c->wish->start, *end = c->wish->end;
    double at, off = 0, point[3];
    bool met = c->rounding == 0;
    if (met ? gz_segment_meet(start, end, t) == GZ_SEGMENT_MISSES
            : !gz_segment_near(start, end, t, spread + c->rounding, &at, &off))
        return;
    if (met)
        gz_segment_first(start, end, t, &at, point);
    else
        gz_segment_point(start, end, at, point);
    out->hit_count++;
    uint32_t number = part->first + slot;
    bool was_met = out->verdict == GRAZE_CONTACT;
    if (out->hit && (at > out->t || (at == out->t && (was_met && !met))))
        return;
    if (out->hit && at == out->t && was_met == met && number > out->triangle)
        return;
    out->hit = 1;
    out->triangle = number;
    out->t = at;
    memcpy(out->point, point, sizeof point);
    out->verdict = met ? GRAZE_CONTACT : GRAZE_WITHIN_ERROR;
    out->error = met ? 0 : (spread + (double)part->backward + c->rounding + off) * (1 + 0x1p-50);
}

// Whether a triangle is farther from the segment than `reach`, by their boxes.
static bool boxes_far(const cast *c, const graze_triangle *t, double reach)
{
    // more than gz_segment_near adds
    double slack = reach + ROUNDING * (gz_largest3(c->wish->start) + gz_largest3(c->wish->end));
    for (int i = 0; i < 3; ++i) {
        double p = c->wish->start[i], q = c->wish->end[i];
        double x = t->corner[0][i], y = t->corner[1][i], z = t->corner[2][i];
        if (fmax(p, q) + slack < fmin(x, fmin(y, z)) || fmin(p, q) - slack > fmax(x, fmax(y, z)))
            return true;
    }
    return false;
}

static void open_lod_leaf(cast *c, uint32_t leaf)
{
    const gz_tree *tree = c->tree;
    double spread = tree->spread > 0 ? (double)gz_leaf_spread(gz_tree_head(tree, leaf)) : 0;
    uint32_t count = gz_tree_leaf_count(tree, leaf), first = gz_tree_leaf_first(tree, leaf);
    for (uint32_t slot = 0; slot < count; ++slot) {
        graze_triangle t;
        gz_tree_triangle(tree, leaf, slot, &t);
        for (int i = 0; i < 3; ++i)
            graze_pose_apply(c->wish->pose, t.corner[i], t.corner[i]);
        c->out->counters.triangle_tests++;
        if (boxes_far(c, &t, 2 * (spread + c->rounding)))
            continue;
        c->out->counters.exact_tests++;
        take_near(c, first + slot, &t, spread);
    }
}

static void open_leaf(cast *c, uint32_t leaf)
{
    const gz_tree *tree = c->tree;
    uint32_t count = gz_tree_leaf_count(tree, leaf), first = gz_tree_leaf_first(tree, leaf);
    if (c->wish->lod != NULL) {
        open_lod_leaf(c, leaf);
        return;
    }
    for (uint32_t slot = 0; slot < count; ++slot) {
        graze_triangle t;
        gz_tree_triangle(tree, leaf, slot, &t);
        for (int i = 0; i < 3; ++i)
            graze_pose_apply(c->wish->pose, t.corner[i], t.corner[i]);
        c->out->counters.triangle_tests++;
        if (boxes_apart(c, &t))
            continue;
        c->out->counters.exact_tests++;
        gz_segment_meeting meeting = gz_segment_meet(c->wish->start, c->wish->end, &t);
        if (meeting == GZ_SEGMENT_MISSES)
            continue;
        if (!c->wish->only_clean)
            take(c, tree->order[first + slot], &t);
        c->out->hit_count++;
        c->out->unclean_count += meeting == GZ_SEGMENT_TOUCHES;
    }
}

static graze_status walk(cast *c)
{
    uint64_t due = PATIENCE;
    open_node(c, 0);
    while (c->count != 0) {
        entry e = c->stack[--c->count];
        if (e.enters > horizon(c))
            continue;
        if ((e.child & GZ_IS_LEAF) == 0) {
            open_node(c, e.child);
            continue;
        }
        open_leaf(c, e.child & ~GZ_IS_LEAF);
        if (c->out->counters.triangle_tests < due)
            continue;
        due = c->out->counters.triangle_tests + PATIENCE;
        if (gz_checkpoint(c->context, "casting", "triangles", c->out->counters.triangle_tests, 0) !=
            GRAZE_OK)
            return GRAZE_ERROR_CANCELLED;
    }
    return GRAZE_OK;
}

static graze_status ask_tree(void *data, const gz_tree *tree)
{
    cast *c = data;
    c->tree = tree;
    c->line = line_of(c->wish, tree);
    if (c->wish->lod != NULL) {
        c->part = c->wish->visits->pins.part[c->wish->side];
        c->rounding = gz_lod_one_rounding(c->wish->lod, c->part);
        c->line.margin += c->rounding * tree->scale * (1 + ROUNDING);
    }
    return walk(c);
}

static cast begin(graze_context *context, const gz_ray_wish *wish, graze_ray *out)
{
    *out = (graze_ray){.counters = out->counters};
    return (cast){.context = context, .wish = wish, .out = out};
}

static void end(const cast *c, const graze_counters *before)
{
    graze_ray *out = c->out;
    out->counters.work += 1 + 2 * (out->counters.box_tests - before->box_tests) +
                          16 * (out->counters.triangle_tests - before->triangle_tests) +
                          128 * (out->counters.exact_tests - before->exact_tests);
    if (c->wish->lod == NULL || !out->hit)
        out->verdict = out->hit ? GRAZE_CONTACT : GRAZE_APART;
    if (!c->wish->counted)
        out->hit_count = out->unclean_count = 0;
}

static graze_status run(graze_context *context, const gz_ray_wish *wish, const gz_tree *tree,
                        uint8_t *wanted, bool *missing, graze_ray *out)
{
    graze_counters before = out->counters;
    cast c = begin(context, wish, out);
    c.wanted = wanted;
    graze_status status = tree->triangle_count != 0 ? ask_tree(&c, tree) : GRAZE_OK;
    end(&c, &before);
    *missing = c.missing;
    return status;
}

// The parts of a shape, one after the other, as if they were of one tree.
typedef struct parts_cast {
    cast part; // comes first: it is asked about the trees of parts
    line line; // in the frame of the shape
    const gz_tree *frame;
} parts_cast;

static double enters_box(void *data, const gz_middle *box)
{
    parts_cast *p = data;
    double low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        double middle = box->origin[axis] - p->frame->origin[axis];
        low[axis] = (middle - box->half[axis]) * p->frame->scale;
        high[axis] = (middle + box->half[axis]) * p->frame->scale;
    }
    p->part.out->counters.box_tests++;
    return enters(&p->line, low, high);
}

static double parts_horizon(const void *data) { return horizon(data); }

static graze_status run_parts(graze_context *context, const gz_ray_wish *wish, graze_ray *out)
{
    const graze_shape *shape = wish->shape;
    graze_counters before = out->counters;
    parts_cast p = {.part = begin(context, wish, out),
                    .line = line_of(wish, &shape->tree),
                    .frame = &shape->tree};
    gz_visitor visitor = {&p, enters_box, parts_horizon, ask_tree};
    graze_status status = GRAZE_OK;
    if (wish->lod != NULL)
        p.line.margin += wish->lod->rounding[0] * shape->tree.scale * (1 + ROUNDING);
    if (gz_shape_triangle_count(shape) != 0)
        status = gz_parts_visit(wish->visits, wish->side, &visitor);
    end(&p.part, &before);
    return status;
}

// Again and again until nothing was missing on the way.
static graze_status run_lazily(graze_context *context, const gz_ray_wish *wish, graze_ray *out)
{
    gz_lazy *lazy = wish->shape->lazy;
    uint64_t subtrees = gz_lazy_subtree_count(lazy);
    uint8_t *wanted = gz_allocate(context, subtrees);
    if (wanted == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for the subtrees of a shape");
    graze_status status = GRAZE_OK;
    bool missing = true;
    while (status == GRAZE_OK && missing) {
        const gz_lazy_state *state = gz_lazy_pin(lazy);
        memset(wanted, 0, (size_t)subtrees);
        status = run(context, wish, &state->tree, wanted, &missing, out);
        gz_lazy_unpin(lazy, state);
        if (status == GRAZE_OK && missing)
            status = gz_lazy_grow(lazy, wanted);
    }
    gz_release(context, wanted, subtrees);
    return status;
}

graze_status gz_ray_run(graze_context *context, const gz_ray_wish *wish, graze_ray *out)
{
    bool none;
    if (gz_shape_is_paged(wish->shape))
        return run_parts(context, wish, out);
    const gz_tree *tree = gz_whole_now(wish->shape);
    return tree != NULL ? run(context, wish, tree, NULL, &none, out)
                        : run_lazily(context, wish, out);
}

graze_status gz_point_check(const graze_query *query, const char *who, const double point[3])
{
    for (int i = 0; i < 3; ++i)
        if (point == NULL || !(fabs(point[i]) < LARGEST))
            return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                           "%s: a point is NULL, not finite or too far away", who);
    return GRAZE_OK;
}

graze_status graze_query_ray(graze_query *query, graze_posed posed, const double start[3],
                             const double end[3], const graze_ray_def *given, graze_ray *out)
{
    const char *who = "graze_query_ray";
    if (query == NULL || out == NULL)
        return gz_fail_null(query == NULL ? NULL : query->context, who);
    *out = (graze_ray){0};
    graze_ray_def room = graze_ray_def_default();
    const graze_ray_def *def = gz_def_known(query->context, who, given, &room, sizeof room);
    graze_status status =
        def == NULL ? GRAZE_ERROR_ARGUMENT : gz_question_check(query, who, &posed, &posed);
    if (status == GRAZE_OK)
        status = gz_point_check(query, who, start);
    if (status == GRAZE_OK)
        status = gz_point_check(query, who, end);
    if (status == GRAZE_OK)
        status = gz_question_limits(query, who, def->error, 0);
    if (status != GRAZE_OK)
        return status;
    gz_lod_one one = {.cut = NULL};
    bool coarse = def->error > 0 && gz_shape_is_paged(posed.shape);
    if (coarse && !gz_lod_one_set(posed, def->error, &one))
        return GRAZE_ERROR_MEMORY;
    const graze_shape *shape = coarse ? &one.shape : posed.shape;
    gz_visits visits;
    gz_visits_begin(&visits, shape, shape);
    gz_fpu_state state = gz_fpu_enter();
    status = gz_ray_run(query->context,
                        &(gz_ray_wish){.shape = shape,
                                       .pose = posed.pose,
                                       .start = start,
                                       .end = end,
                                       .counted = def->count_all != 0,
                                       .visits = &visits,
                                       .lod = coarse ? &one.question : NULL},
                        out);
    gz_fpu_leave(state);
    gz_visits_end(&visits);
    gz_lod_one_end(&one);
    return status;
}
