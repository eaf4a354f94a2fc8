// How far does a solid box reach beyond a surface? See deviation.h.
//
// The box is cut into cells, the one that promises most first. A cell has no point farther from the
// target than its middle is and half its diagonal; nor than the farthest of its corners is from the
// triangle nearest to its middle, since that distance is convex. Middles and corners of the box are
// points of it, so their distances bound the value from below. Places in the box are fractions of
// its half sizes with few digits, which are exact; that points are rounded when they are made of
// them moves them by less than the margin.
#include "simplify/deviation_query.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/heap.h"

#define MOST_CELLS 65536

typedef struct gz_gap_cell {
    double high;               // no point is farther
    double middle[3], half[3]; // parts of the box, which goes from -1 to 1
    uint32_t near;             // the triangle nearest to the middle
} cell;

// The box in the target's coordinates: center and the way from there to the middle of three sides.
typedef struct solid {
    double center[3], side[3][3], length[3];
} solid;

void gz_deviation_free_cells(gz_deviation_query *query)
{
    gz_list_free(query->context, &query->cells);
}

static void point_in(const solid *box, const double place[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = box->center[i] + (place[0] * box->side[0][i] + place[1] * box->side[1][i] +
                                   place[2] * box->side[2][i]);
}

static void corner_place(const double middle[3], const double half[3], int corner, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = (corner >> i & 1) != 0 ? middle[i] + half[i] : middle[i] - half[i];
}

// Looks at the middle of a cell and bounds the distances in it.
static void bound_cell(gz_deviation_query *query, const solid *box, cell *c)
{
    const gz_target_triangle *triangles = query->target.triangles.items;
    double margin = gz_target_margin(&query->target);
    double middle[3], place[3], p[3], most = 0, radius = 0;
    point_in(box, c->middle, middle);
    gz_nearby near = gz_deviation_look(query, middle, c->near, 2 * margin);
    c->near = near.triangle;
    for (int corner = 0; corner < 8; ++corner) {
        double square = 0;
        corner_place(c->middle, c->half, corner, place);
        point_in(box, place, p);
        for (int i = 0; i < 3; ++i)
            square += (p[i] - middle[i]) * (p[i] - middle[i]);
        radius = fmax(radius, square);
        most = fmax(most, gz_target_distance(triangles + c->near, p));
    }
    c->high = fmin(c->high, fmin(most, near.distance + sqrt(radius)) + 3 * margin);
}

// --- A heap of cells, the largest bound first

GZ_HEAP(heap, cell, high, >)

static graze_status push(gz_deviation_query *query, const cell *new)
{
    if (!heap_push(query->context, GZ_ITEMS(&query->cells), new))
        return gz_fail(query->context, GRAZE_ERROR_MEMORY, "no memory for the deviation of a box");
    return GRAZE_OK;
}

static graze_status settle_or_push(gz_deviation_query *query, const solid *box, cell *c)
{
    bound_cell(query, box, c);
    if (c->high > gz_deviation_goal(query))
        return push(query, c);
    gz_deviation_settle(query, c->high);
    return GRAZE_OK;
}

static graze_status split(gz_deviation_query *query, const solid *box, const cell *parent)
{
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (parent->half[i] * box->length[i] > parent->half[axis] * box->length[axis])
            axis = i;
    graze_status status = GRAZE_OK;
    for (int side = -1; side <= 1 && status == GRAZE_OK; side += 2) {
        cell child = *parent;
        child.half[axis] *= 0.5;
        child.middle[axis] += side * child.half[axis];
        status = settle_or_push(query, box, &child);
    }
    query->counts.pieces += 2;
    return status;
}

static graze_status search(gz_deviation_query *query, const solid *box)
{
    cell whole = {.high = HUGE_VAL, .half = {1, 1, 1}};
    double p[3], place[3], margin = gz_target_margin(&query->target);
    for (int corner = 0; corner < 8; ++corner) {
        corner_place(whole.middle, whole.half, corner, place);
        point_in(box, place, p);
        whole.near = gz_deviation_look(query, p, whole.near, 2 * margin).triangle;
    }
    query->cells.count = 0;
    graze_status status = settle_or_push(query, box, &whole);
    while (status == GRAZE_OK && query->cells.count != 0) {
        cell top;
        heap_pop(GZ_ITEMS(&query->cells), &top);
        if (top.high <= gz_deviation_goal(query)) { // and so are all others
            gz_deviation_settle(query, top.high);
            break;
        }
        if (query->work_left == 0) {
            gz_deviation_settle(query, top.high);
            query->counts.given_up++;
            break;
        }
        query->work_left--;
        status = split(query, box, &top);
    }
    return status;
}

// --- The question

static graze_status check_box(const gz_deviation_query *query, const graze_obb *box)
{
    double strange = 0, least = 0;
    for (int i = 0; i < 3; ++i) {
        strange += box->center[i] * 0 + box->half[i] * 0;
        least = fmin(least, box->half[i]);
        for (int k = 0; k < 3; ++k)
            strange += box->axis[i][k] * 0;
    }
    if (strange == 0 && least >= 0)
        return GRAZE_OK;
    return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                   "a box has a number that is not finite, or a half size below 0");
}

// False if sizes are so different that the target is as good as a point.
static bool place_box(const gz_deviation_query *query, const graze_obb *box, solid *out,
                      double *reach)
{
    const gz_target *target = &query->target;
    gz_target_corner(target, box->center, out->center);
    *reach = 0;
    for (int k = 0; k < 3; ++k) {
        double square = 0;
        for (int i = 0; i < 3; ++i) {
            out->side[k][i] = box->axis[k][i] * box->half[k] / target->unit;
            square += out->side[k][i] * out->side[k][i];
        }
        out->length[k] = sqrt(square);
    }
    for (int i = 0; i < 3; ++i)
        *reach = fmax(*reach, fabs(out->center[i]) + fabs(out->side[0][i]) + fabs(out->side[1][i]) +
                                  fabs(out->side[2][i]));
    return *reach < GZ_DEVIATION_HUGE;
}

static void far_corners(gz_deviation_query *query, const graze_obb *box)
{
    double center[3], halfway[3];
    gz_deviation_halfway(query, box->center, center);
    for (int n = 0; n < 8; ++n) {
        for (int i = 0; i < 3; ++i) {
            halfway[i] = center[i];
            for (int k = 0; k < 3; ++k) {
                double side = box->axis[k][i] * (box->half[k] * 0.5);
                halfway[i] += (n >> k & 1) != 0 ? side : -side;
            }
        }
        gz_deviation_far_point(query, halfway, 0);
    }
}

graze_status gz_deviation_box(gz_deviation_query *query, const graze_obb *box, double gap,
                              double floor, gz_deviation *out)
{
    solid placed;
    double reach;
    graze_status status = gz_deviation_check(query, gap, floor);
    if (status == GRAZE_OK)
        status = check_box(query, box);
    if (status != GRAZE_OK)
        return status;
    gz_deviation_begin(query, 1, gap, floor);
    if (query->target.triangle_count == 0) {
        *out = (gz_deviation){HUGE_VAL, HUGE_VAL};
        return GRAZE_OK;
    }
    if (!place_box(query, box, &placed, &reach)) {
        far_corners(query, box);
        gz_deviation_end_far(query, out);
        return GRAZE_OK;
    }
    gz_deviation_begin(query, reach, gap, floor);
    query->work_left = MOST_CELLS;
    status = search(query, &placed);
    if (status == GRAZE_OK)
        gz_deviation_end(query, out);
    return status;
}
