// How deep are two closed shapes in each other? See graze/query.h.
//
// Write s(p) for how deep a point is in a shape: its distance from the surface, negative outside.
// The depth is the largest s of either shape at points that are inside both. Space is cut into
// cells, boxes along the axes of the world, and the most promising is cut further, until none
// promises more than what was found, give or take the error: branch and bound, with both bounds
// proved. What a cell promises is the least of:
//   s at its middle and the way from there to its corners, since s changes no faster than a point
//   moves; nothing, if s is so negative that all of the cell is outside;
//   the largest distance of its corners from any one triangle of the shape, distance being convex;
//   the same for any mean of the distances from two triangles, which the smaller one is not above:
//   this is what counts halfway between two walls.
// Where a surface passes through, only the corners of what is left of the cell count, once the part
// has been cut off that is beyond all triangles in it: if one point there is outside, all are.
//
// With a deviation, distances are asked of LOD cuts, and bounds are wider by theirs: they hold for
// the originals. Where a point is, inside or outside, is always asked of the originals. A cut is
// closed where they are, and as near as it says, but it need not have the same inside: where two
// sheets are closer to each other than the error, one may take the other's place.
//
// Rules: a cell in the heap promises more than is good enough; a heap's parent promises at least
// what its children do; all points inside both shapes are in a cell of the heap, or in one of those
// that were dropped, which promised at most `dropped`.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "base/heap.h"
#include "base/threads.h"
#include "geometry/fpu.h"
#include "geometry/vector.h"
#include "query/box_cut.h"
#include "query/contain.h"
#include "query/lod_ray.h"
#include "query/nearest.h"
#include "query/penetration.h"
#include "query/shards.h"
#include "query/wedge.h"

static const char name[] = "graze_query_penetration";

#define PATIENCE 64      // cells between two looks at the cancel callback
#define FINEST   0x1p-48 // relative to coordinates: above all roundings of cells, and far below cells
#define BLUR     16      // of the finest: bounds closer than this are not looked for
#define MEANS    8       // weights of two triangles that are tried
#define STEPS    12      // of a climb
#define COARSE   2       // cells that are larger, in units of what is enough, may show a touch
#define LARGER   1.25    // a ball around a cell in which more is known

// What the middle of a cell sees of a shape.
typedef struct sight {
    double low, high; // its distance
    graze_place place;
    double way[3];          // to the nearest point
    graze_triangle nearest; // in the frame of the model
} sight;

typedef struct gz_depth_cell {
    double promise; // no point of it that is inside both shapes is deeper
    graze_box box;
    sight sight[2];
} cell;

typedef struct dive {
    graze_query *query;
    gz_solid solid[2];
    gz_field field[2];
    const graze_penetration_def *def;
    uint64_t cell_limit;
    double finest;       // cells of this size are not cut: distances are not known any better
    double low, dropped; // found; see above
    double point[3], way[3];
    int side; // whose surface is `low` away
    graze_status status;
} dive;

static double length_of(const double v[3]) { return gz_length3(v) * (1 + 0x1p-50); }

// --- The heap

GZ_HEAP(heap, cell, promise, >)

static double good_enough(const dive *d)
{
    return fmax(d->low * (1 + d->def->error) + d->def->deviation, d->def->floor);
}

// No cell below this is cut: it is good enough, or rounding allows no better.
static double least_promise(const dive *d)
{
    return fmax(good_enough(d), d->low + BLUR * d->finest);
}

static void push(dive *d, const cell *c)
{
    if (c->promise <= least_promise(d)) {
        d->dropped = fmax(d->dropped, c->promise);
        return;
    }
    if (d->status != GRAZE_OK)
        return;
    if (!heap_push(d->query->context, GZ_ITEMS(&d->query->cells), c))
        d->status = gz_fail(d->query->context, GRAZE_ERROR_MEMORY,
                            "graze_query_penetration: out of memory");
}

// --- What a point sees

// A point that is closer to `before` than the surface is on the same side.
static void look(dive *d, int side, const double point[3], const sight *before, double moved,
                 sight *out)
{
    gz_nearest near;
    graze_place place = GRAZE_PLACE_UNKNOWN;
    gz_nearest_find(&d->field[side], point, before != NULL ? &before->nearest : NULL, &near);
    if (before != NULL && before->low > moved)
        place = before->place;
    if (place == GRAZE_PLACE_UNKNOWN) {
        graze_status status = gz_place_point(&d->solid[side], point, &place);
        if (d->status == GRAZE_OK)
            d->status = status;
    }
    *out = (sight){near.low, near.high, place, {0}, near.triangle};
    memcpy(out->way, near.way, sizeof out->way);
}

// How deep it may be at most; on the surface, or where nobody knows, as deep as inside.
static double most_of(const sight *s)
{
    return s->place == GRAZE_PLACE_OUTSIDE ? -s->low : s->high;
}

static bool is_inside_both(const sight s[2])
{
    return s[0].place == GRAZE_PLACE_INSIDE && s[1].place == GRAZE_PLACE_INSIDE;
}

static bool take(dive *d, const double point[3], const sight s[2])
{
    int side = s[1].low > s[0].low;
    if (!is_inside_both(s) || s[side].low <= d->low)
        return false;
    d->low = s[side].low;
    d->side = side;
    memcpy(d->point, point, sizeof d->point);
    memcpy(d->way, s[side].way, sizeof d->way);
    return true;
}

// From a point that is the deepest so far to deeper ones, away from the nearest wall. A step that
// is shorter than both distances stays inside both.
static void climb(dive *d, const double from[3], const sight seen[2])
{
    double point[3] = {from[0], from[1], from[2]};
    sight here[2] = {seen[0], seen[1]};
    for (int step = 0; step < STEPS && take(d, point, here) && d->status == GRAZE_OK; ++step) {
        const double *way = d->way;
        double length = length_of(way), reach = 0.99 * fmin(here[0].low, here[1].low);
        if (!(length > 0 && reach > d->finest))
            return;
        for (int i = 0; i < 3; ++i)
            point[i] -= way[i] / length * reach;
        for (int side = 0; side < 2; ++side) {
            sight next;
            look(d, side, point, &here[side], reach + d->finest, &next);
            here[side] = next;
        }
    }
}

// --- What a cell promises

// The smallest bound that any mean of two triangles' distances gives, at the corners of the cell.
static double bound_by_means(double distance[][GZ_CUT_POINTS], int triangle_count, int point_count)
{
    double best = HUGE_VAL;
    for (int i = 0; i < triangle_count; ++i)
        for (int k = 0; k <= i; ++k)
            for (int weight = i == k ? MEANS : 1; weight <= MEANS; ++weight) {
                double t = (double)weight / MEANS, most = -HUGE_VAL;
                for (int p = 0; p < point_count; ++p)
                    most = fmax(most, t * distance[i][p] + (1 - t) * distance[k][p]);
                best = fmin(best, most);
            }
    return best * (1 + 0x1p-50);
}

static double bound_of_side(dive *d, int side, double points[][3], int point_count,
                            const graze_triangle *const *triangles, int triangle_count)
{
    double distance[3][GZ_CUT_POINTS];
    for (int p = 0; p < point_count; ++p) {
        double local[3];
        gz_field_local(&d->field[side], points[p], local);
        for (int i = 0; i < triangle_count; ++i)
            distance[i][p] = gz_field_farthest(&d->field[side], local, triangles[i]);
    }
    return bound_by_means(distance, triangle_count, point_count);
}

// The direction in which the shape ends, as far as the middle of a cell can tell. On a surface it
// is that of the triangle's normal, or the other way round.
static bool find_outward(const dive *d, int side, const sight *s, double radius, double sign,
                         double out[3])
{
    double length = length_of(s->way);
    memcpy(out, s->way, sizeof s->way);
    if (!(length > 1e-6 * radius)) {
        gz_field_normal(&d->field[side], &s->nearest, out);
        length = length_of(out);
    } else {
        sign = s->place == GRAZE_PLACE_INSIDE ? sign : -sign;
    }
    for (int i = 0; i < 3; ++i)
        out[i] *= sign / length;
    return length > 0;
}

// The half space that all of the shape in a cell is in, if there is one: beyond all triangles, with
// nothing of the shape there. This is known of a ball somewhat larger than the cell.
static bool find_plane_along(dive *d, int side, const cell *c, const double middle[3],
                             double radius, gz_half_space *plane)
{
    double beyond[3], extent = 0, base = 0;
    for (int i = 0; i < 3; ++i) {
        beyond[i] = middle[i] + (LARGER - 0.05) * radius * plane->normal[i];
        extent += fabs(plane->normal[i]) * (c->box.max[i] - c->box.min[i]) / 2;
        base += plane->normal[i] * middle[i];
    }
    double worth = fmax(0.9 * extent, (LARGER - 1) * radius);
    double height = gz_field_height(&d->field[side], middle, LARGER * radius, plane->normal, worth);
    graze_place place = GRAZE_PLACE_UNKNOWN;
    if (height >= worth)
        return false;
    graze_status status = gz_place_point(&d->solid[side], beyond, &place);
    if (d->status == GRAZE_OK)
        d->status = status;
    plane->height = base + height + d->finest;
    return place == GRAZE_PLACE_OUTSIDE;
}

static bool find_plane(dive *d, int side, const cell *c, const double middle[3], double radius,
                       double sign, gz_half_space *plane)
{
    return find_outward(d, side, &c->sight[side], radius, sign, plane->normal) &&
           find_plane_along(d, side, c, middle, radius, plane);
}

// Whoever leaves a shape by the shortest way to the plane meets its surface no later. The way must
// end in the ball that the plane is known for.
static double bound_by_plane(const gz_half_space *plane, double points[][3], int point_count,
                             double radius)
{
    double most = 0;
    for (int p = 0; p < point_count; ++p)
        most = fmax(most, plane->height - gz_dot3(plane->normal, points[p]));
    return most <= (LARGER - 1) * radius ? most : HUGE_VAL;
}

// The distance from the triangle that is nearest to the middle, from the one nearest to the
// parent's and, well inside, from one across: nearest to a point away from the first.
static double bound_by_triangles(dive *d, int side, const cell *c, const cell *parent,
                                 const double middle[3], double radius, double points[][3],
                                 int point_count)
{
    const sight *s = &c->sight[side];
    const graze_triangle *triangles[3] = {&s->nearest};
    int count = 1;
    gz_nearest across;
    if (parent != NULL)
        triangles[count++] = &parent->sight[side].nearest;
    if (s->low > radius) {
        double beyond[3], length = length_of(s->way);
        for (int i = 0; i < 3; ++i)
            beyond[i] = middle[i] - s->way[i] / length * radius;
        gz_nearest_find(&d->field[side], beyond, &s->nearest, &across);
        triangles[count++] = &across.triangle;
    }
    return bound_of_side(d, side, points, point_count, triangles, count);
}

// What the corners promise of a cell that planes have cut, one of each shape or none.
static double promise_of_cut(dive *d, const cell *c, const cell *parent, const double middle[3],
                             double radius, const gz_half_space *const plane_of[2])
{
    double points[GZ_CUT_POINTS][3], promise = 0;
    gz_half_space planes[2];
    int plane_count = 0;
    for (int side = 0; side < 2; ++side)
        if (plane_of[side] != NULL)
            planes[plane_count++] = *plane_of[side];
    int point_count = gz_box_cut(&c->box, planes, plane_count, points);
    for (int side = 0; side < 2 && point_count != 0; ++side) {
        double most = most_of(&c->sight[side]) + radius;
        if (plane_of[side] != NULL)
            most = fmin(most, bound_by_plane(plane_of[side], points, point_count, radius));
        if (most > good_enough(d))
            most = fmin(
                most, bound_by_triangles(d, side, c, parent, middle, radius, points, point_count));
        promise = fmax(promise, most + d->finest);
    }
    return promise;
}

// The plane of one shape, turned round, may be one of the other: it parts them, or nearly.
static double promise_between(dive *d, const cell *c, const cell *parent, const double middle[3],
                              double radius, const gz_half_space *const plane_of[2])
{
    double promise = HUGE_VAL;
    for (int side = 0; side < 2 && promise > good_enough(d); ++side) {
        const gz_half_space *own = plane_of[side];
        gz_half_space other;
        if (own == NULL)
            continue;
        for (int i = 0; i < 3; ++i)
            other.normal[i] = -own->normal[i];
        if (!find_plane_along(d, 1 - side, c, middle, radius, &other))
            continue;
        const gz_half_space *both[2] = {own, own};
        both[1 - side] = &other;
        promise = fmin(promise, promise_of_cut(d, c, parent, middle, radius, both));
    }
    return promise;
}

static double promise_of_shards(dive *d, const graze_box *box, const double middle[3],
                                double radius)
{
    double bound;
    gz_wedge_ball ball = {.field = d->field,
                          .solid = d->solid,
                          .middle = {middle[0], middle[1], middle[2]},
                          .radius = LARGER * radius,
                          .inner = radius,
                          .finest = d->finest};
    graze_status status = gz_shards_bound(d->query, &ball, box, good_enough(d), &bound);
    if (d->status == GRAZE_OK)
        d->status = status;
    return bound + d->finest;
}

static double promise_of_wedges(dive *d, const double middle[3], double radius)
{
    double promise = HUGE_VAL;
    gz_wedge_ball ball = {.field = d->field,
                          .solid = d->solid,
                          .middle = {middle[0], middle[1], middle[2]},
                          .radius = LARGER * radius,
                          .inner = radius,
                          .finest = d->finest};
    for (int side = 0; side < 2 && promise > good_enough(d); ++side) {
        double bound;
        graze_status status = gz_wedge_bound(&ball, side, &bound);
        if (d->status == GRAZE_OK)
            d->status = status;
        promise = fmin(promise, bound + d->finest);
    }
    return promise;
}

static double sharper_promise(dive *d, const cell *c, const cell *parent, const double middle[3],
                              double radius)
{
    gz_half_space planes[2];
    const gz_half_space *plane_of[2] = {NULL, NULL};
    for (int side = 0; side < 2; ++side)
        if (c->sight[side].low < radius &&
            (find_plane(d, side, c, middle, radius, 1, &planes[side]) ||
             (c->sight[side].low == 0 &&
              find_plane(d, side, c, middle, radius, -1, &planes[side]))))
            plane_of[side] = &planes[side];
    double promise = promise_of_cut(d, c, parent, middle, radius, plane_of);
    // What follows tells shapes that touch: both surfaces are here, and the cell is large beside
    // what is enough. Of shapes that are deep in each other all of this would fail.
    double coarse = COARSE * good_enough(d);
    if (radius < coarse || c->sight[0].low > radius || c->sight[1].low > radius)
        return promise;
    if (promise > good_enough(d))
        promise = fmin(promise, promise_between(d, c, parent, middle, radius, plane_of));
    if (promise > good_enough(d))
        promise = fmin(promise, promise_of_wedges(d, middle, radius));
    if (promise > good_enough(d))
        promise = fmin(promise, promise_of_shards(d, &c->box, middle, radius));
    return promise;
}

static void judge(dive *d, const graze_box *box, const cell *parent, const double moved)
{
    cell c = {.box = *box};
    double middle[3], corner[3];
    for (int i = 0; i < 3; ++i) {
        middle[i] = box->min[i] / 2 + box->max[i] / 2;
        corner[i] = fmax(box->max[i] - middle[i], middle[i] - box->min[i]);
    }
    double radius = length_of(corner);
    for (int side = 0; side < 2; ++side) {
        look(d, side, middle, parent != NULL ? &parent->sight[side] : NULL, moved, &c.sight[side]);
        double most = most_of(&c.sight[side]) + radius + d->finest;
        if (most <= 0)
            return;
        c.promise = fmax(c.promise, most);
    }
    climb(d, middle, c.sight);
    if (c.promise > good_enough(d))
        c.promise = fmin(c.promise, sharper_promise(d, &c, parent, middle, radius));
    if (parent != NULL)
        c.promise = fmin(c.promise, parent->promise);
    if (radius > d->finest)
        push(d, &c);
    else
        d->dropped = fmax(d->dropped, c.promise);
}

// In two, across the longest side.
static void cut(dive *d, const cell *c)
{
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (c->box.max[i] - c->box.min[i] > c->box.max[axis] - c->box.min[axis])
            axis = i;
    double middle = c->box.min[axis] / 2 + c->box.max[axis] / 2;
    double moved = (c->box.max[axis] - c->box.min[axis]) / 4 + d->finest;
    graze_box low = c->box, high = c->box;
    low.max[axis] = high.min[axis] = middle;
    judge(d, &low, c, moved);
    judge(d, &high, c, moved);
}

static bool is_out_of_work(const dive *d)
{
    return d->def->work_limit != 0 && d->solid[0].counters->work >= d->def->work_limit;
}

// Returns the upper bound.
static double search(dive *d, const graze_box *box)
{
    const gz_depth_heap *heap = &d->query->cells;
    uint64_t cells = 0;
    judge(d, box, NULL, 0);
    while (heap->count != 0 && d->status == GRAZE_OK && !is_out_of_work(d) &&
           cells < d->cell_limit) {
        cell top;
        if (((const cell *)heap->items)->promise <= least_promise(d))
            break;
        heap_pop(GZ_ITEMS(&d->query->cells), &top);
        cut(d, &top);
        if (++cells % PATIENCE == 0 && d->status == GRAZE_OK)
            d->status =
                gz_checkpoint(d->query->context, "sounding", "cells", cells, cells + heap->count);
    }
    double high = fmax(d->low, d->dropped);
    return heap->count != 0 ? fmax(high, ((const cell *)heap->items)->promise) : high;
}

// --- The question

void gz_penetration_free(graze_query *query)
{
    gz_list_free(query->context, &query->cells);
    gz_list_free(query->context, &query->shards);
}

// The cuts that distances are asked of. With bounds h and g, a distance is known to h + g, both of
// the deepest point that is found and of the one that there is: bounds of the depth may stay 2 (h +
// g) apart. That is half of the deviation; the other half lets the search end.
typedef struct depth_cuts {
    gz_lod_one one[2]; // without a cut: distances are asked of the shape
    gz_visits visits;  // of both; they go on where those of the shapes end, and the other way round
} depth_cuts;

#define DEPTH_SHARE 4 // a part of the deviation that h + g may be

static graze_status take_cuts(const gz_solid solid[2], double deviation, gz_visits *shapes,
                              depth_cuts *cuts)
{
    const graze_shape *shape[2];
    *cuts = (depth_cuts){.one = {{.cut = NULL}}};
    for (int side = 0; side < 2; ++side) {
        shape[side] = solid[side].shape;
        if (!(deviation > 0) || !gz_shape_is_paged(shape[side]))
            continue;
        graze_posed posed = graze_at(shape[side], solid[side].pose);
        if (!gz_lod_one_set(posed, deviation / DEPTH_SHARE, &cuts->one[side]))
            return GRAZE_ERROR_MEMORY;
        shape[side] = &cuts->one[side].shape;
    }
    gz_visits_begin(&cuts->visits, shape[0], shape[1]);
    cuts->visits.rival = shapes;
    shapes->rival = &cuts->visits;
    return GRAZE_OK;
}

static void give_cuts(depth_cuts *cuts)
{
    gz_visits_end(&cuts->visits);
    gz_lod_one_end(&cuts->one[0]);
    gz_lod_one_end(&cuts->one[1]);
}

static double diagonal(const graze_box *box)
{
    double size[3];
    for (int i = 0; i < 3; ++i)
        size[i] = box->max[i] - box->min[i];
    return length_of(size);
}

static graze_status measure(graze_query *query, const gz_solid solid[2], depth_cuts *cuts,
                            const graze_penetration_def *asked, uint64_t cell_limit,
                            graze_penetration *out)
{
    graze_penetration_def def = *asked;
    dive d = {.query = query, .solid = {solid[0], solid[1]}, .def = &def, .cell_limit = cell_limit};
    graze_box common;
    double reach = 0;
    for (int i = 0; i < 3; ++i) {
        common.min[i] = fmax(solid[0].box.min[i], solid[1].box.min[i]);
        common.max[i] = fmin(solid[0].box.max[i], solid[1].box.max[i]);
        reach = fmax(reach, fmax(fabs(common.min[i]), fabs(common.max[i])));
    }
    if (def.floor == 0)
        def.floor =
            GRAZE_PENETRATION_FLOOR * fmin(diagonal(&solid[0].box), diagonal(&solid[1].box));
    // Points are asked about in balls around cells, and on ways out of the box.
    graze_box near = graze_box_grow(&common, 2 * diagonal(&common));
    for (int side = 0; side < 2; ++side) {
        d.field[side] = gz_field_of(&solid[side], &near, &d.status);
        if (cuts->one[side].cut != NULL)
            gz_field_coarsen(&d.field[side], cuts->one[side].cut, &cuts->visits, side);
    }
    if (!d.field[0].sound || !d.field[1].sound) {
        out->high = HUGE_VAL;
        return GRAZE_OK;
    }
    d.finest = fmax(FINEST * reach, fmax(d.field[0].margin, d.field[1].margin));
    query->cells.count = 0;
    double high = search(&d, &common);
    out->low = d.low;
    out->high = high;
    out->holder = (uint32_t)d.side;
    for (int i = 0; i < 3; ++i) {
        out->point[i] = d.point[i];
        out->surface[i] = d.point[i] + d.way[i];
    }
    if (high <= good_enough(&d))
        out->verdict = d.low > 0 ? GRAZE_CONTACT : GRAZE_WITHIN_ERROR;
    return d.status;
}

static graze_status check(const graze_query *query, const graze_penetration_def *def)
{
    if (!(def->error >= 0 && def->floor >= 0 && def->error < HUGE_VAL && def->floor < HUGE_VAL))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       "%s: an error or a floor is negative or not finite", name);
    if (!(def->deviation >= 0 && def->deviation < HUGE_VAL))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       "%s: a deviation is negative or not finite", name);
    return GRAZE_OK;
}

// An order of the two shapes that has nothing to do with who was named first, nor, if anything
// tells them apart, with who was made first: both ways round every step is the same.
static bool is_first(graze_posed a, graze_posed b)
{
    const graze_box *box_a = &a.shape->tree.box, *box_b = &b.shape->tree.box;
    uint64_t count_a = gz_shape_triangle_count(a.shape), count_b = gz_shape_triangle_count(b.shape);
    if (count_a != count_b)
        return count_a < count_b;
    for (int i = 0; i < 18; ++i) {
        const double *x = i < 9    ? &a.pose->rotation[i]
                          : i < 12 ? &a.pose->translation[i - 9]
                          : i < 15 ? &box_a->min[i - 12]
                                   : &box_a->max[i - 15];
        const double *y = i < 9    ? &b.pose->rotation[i]
                          : i < 12 ? &b.pose->translation[i - 9]
                          : i < 15 ? &box_b->min[i - 12]
                                   : &box_b->max[i - 15];
        if (*x != *y)
            return *x < *y;
    }
    return a.shape->tree.serial <= b.shape->tree.serial;
}

static graze_status answer(graze_query *query, graze_posed a, graze_posed b,
                           const graze_penetration_def *def, uint64_t cell_limit,
                           graze_penetration *out)
{
    bool swapped = !is_first(a, b);
    graze_containment nesting;
    graze_status status = graze_query_contain(query, swapped ? b : a, swapped ? a : b, &nesting);
    if (status != GRAZE_OK)
        return status;
    out->counters = nesting.counters;
    out->closed_a = swapped ? nesting.closed_b : nesting.closed_a;
    out->closed_b = swapped ? nesting.closed_a : nesting.closed_b;
    out->defined = out->closed_a && out->closed_b;
    if (!out->defined) {
        out->high = HUGE_VAL;
        return GRAZE_OK;
    }
    out->verdict = GRAZE_APART;
    if (nesting.nesting == GRAZE_NESTING_NONE)
        return GRAZE_OK;
    out->verdict = GRAZE_UNDECIDED;
    gz_fpu_state state = gz_fpu_enter();
    gz_visits visits;
    gz_visits_begin(&visits, a.shape, b.shape);
    gz_solid solid[2];
    solid[swapped ? 1 : 0] = gz_solid_of(query, a, &out->counters, &visits, 0);
    solid[swapped ? 0 : 1] = gz_solid_of(query, b, &out->counters, &visits, 1);
    depth_cuts cuts;
    status = take_cuts(solid, def->deviation, &visits, &cuts);
    if (status == GRAZE_OK)
        status = measure(query, solid, &cuts, def, cell_limit, out);
    give_cuts(&cuts);
    if (swapped)
        out->holder = 1 - out->holder;
    gz_fpu_leave(state);
    gz_visits_end(&visits);
    return status;
}

graze_status gz_penetration_limited(graze_query *query, graze_posed a, graze_posed b,
                                    const graze_penetration_def *given, uint64_t cell_limit,
                                    graze_penetration *out)
{
    if (query == NULL || out == NULL)
        return gz_fail_null(query == NULL ? NULL : query->context, name);
    *out = (graze_penetration){0};
    graze_penetration_def room = graze_penetration_def_default();
    const graze_penetration_def *def =
        gz_def_known(query->context, name, given, &room, sizeof room);
    graze_status status = def == NULL ? GRAZE_ERROR_ARGUMENT : check(query, def);
    if (status == GRAZE_OK)
        status = gz_question_check(query, name, &a, &b);
    return status == GRAZE_OK ? answer(query, a, b, def, cell_limit, out) : status;
}

graze_status graze_query_penetration(graze_query *query, graze_posed a, graze_posed b,
                                     const graze_penetration_def *def, graze_penetration *out)
{
    return gz_penetration_limited(query, a, b, def, UINT64_MAX, out);
}
