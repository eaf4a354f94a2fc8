// The contact of two triangles: its points, the normal and the depth. See graze/query.h.
//
// Points come from exact arithmetic. Normal and depth are about the convex sets A and B that the
// two triangles are: along a unit vector n, B must move by
//     overlap(n) = max of n·a over A - min of n·b over B
// until a plane across n parts the two, and the least overlap of all n is the depth, its n the
// normal. For sets that are apart it is minus their distance. The least is taken by one of a few
// directions: a normal of a triangle, or one across an edge of each; where the two are apart, also
// the line between their closest points; where they lie on a line or in a point, directions across
// it. The mean of a's normal and b's reversed is tried, too, to settle ties. Any direction is
// honest: one that is not the best is a longer way out, but a way out. So rounding does no harm,
// and no case is special. Triangles that are apart by more than rounding have one direction only,
// that of the line between their closest points, and nothing is tried.
//
// Nothing of this depends on where in the world the triangles are. A difference of two coordinates
// is off by 2^-53 of itself, so that all roundings here are some of the size, which is the largest
// difference. Only closest points are rounded in the world: the line between them comes from exact
// arithmetic instead.
//
// The two triangles are first put in an order of their own, so that swapping them swaps the answer,
// in every bit.
#include "geometry/contact.h"

#include <math.h>
#include <string.h>

#include "geometry/triangle.h"
#include "geometry/vector.h"

#define SLACK     0x1p-42 // overlaps that differ by less, in units of the size, are equally good
#define AXES_MOST 22
#define USELESS   0x1p-90 // shorter vectors, in squared units of the size, have no direction

// Two triangles relative to a corner of the first, divided by a power of two that makes the largest
// coordinate about 1; and directions to try.
typedef struct local_pair {
    double corner[2][3][3];
    double edge[2][3][3]; // edge i runs from corner i to corner i + 1
    int exponent;
    double outward[3]; // the sum of a's normal and of b's reversed: what decides between equals
    double axis[AXES_MOST][3]; // of length 1
    int axis_count;
} local_pair;

static void add_axis(local_pair *p, const double direction[3])
{
    double square = gz_dot3(direction, direction);
    if (!(square > USELESS))
        return;
    double length = sqrt(square);
    for (int i = 0; i < 3; ++i)
        p->axis[p->axis_count][i] = direction[i] / length;
    p->axis_count++;
}

static bool reaches_far(const graze_triangle *t)
{
    for (int i = 0; i < 3; ++i)
        if (gz_largest3(t->corner[i]) >= 0x1p1022)
            return true;
    return false;
}

static void place(local_pair *p, const graze_triangle *a, const graze_triangle *b)
{
    // Where differences might overflow they are taken of quarters.
    double part = reaches_far(a) || reaches_far(b) ? 0.25 : 1, largest = 0;
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3; ++i) {
            const double *from = (side == 0 ? a : b)->corner[i];
            double *corner = p->corner[side][i];
            for (int axis = 0; axis < 3; ++axis)
                corner[axis] = from[axis] * part - a->corner[0][axis] * part;
            double most = gz_largest3(corner);
            largest = most > largest ? most : largest;
        }
    frexp(largest, &p->exponent);
    // In two steps, since 2^-exponent may be too large for a double.
    double half = ldexp(1, -p->exponent / 2), rest = ldexp(1, -p->exponent - -p->exponent / 2);
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3; ++i)
            for (int axis = 0; axis < 3; ++axis)
                p->corner[side][i][axis] = p->corner[side][i][axis] * half * rest;
    p->exponent += part == 1 ? 0 : 2;
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3; ++i)
            gz_subtract3(p->corner[side][(i + 1) % 3], p->corner[side][i], p->edge[side][i]);
}

static const double *longest_edge(const local_pair *p, int side)
{
    const double *best = p->edge[side][0];
    for (int i = 1; i < 3; ++i)
        if (gz_dot3(p->edge[side][i], p->edge[side][i]) > gz_dot3(best, best))
            best = p->edge[side][i];
    return best;
}

// The normals first: where several directions are equally good, a normal is what people expect.
static void gather_axes(local_pair *p, const double between[3])
{
    static const double world[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double direction[3];
    p->axis_count = 0;
    for (int side = 0; side < 2; ++side) {
        int before = p->axis_count;
        gz_cross3(p->edge[side][0], p->edge[side][1], direction);
        add_axis(p, direction);
        for (int i = 0; i < 3 && p->axis_count != before; ++i)
            p->outward[i] += side == 0 ? p->axis[before][i] : -p->axis[before][i];
    }
    add_axis(p, p->outward);
    add_axis(p, between);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            gz_cross3(p->edge[0][i], p->edge[1][j], direction);
            add_axis(p, direction);
        }
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3; ++i) {
            gz_cross3(longest_edge(p, side), world[i], direction);
            add_axis(p, direction);
        }
    for (int i = 0; i < 3; ++i)
        add_axis(p, world[i]);
}

// The overlap along an axis, or against it.
static double overlap(const local_pair *p, const double axis[3], double sign)
{
    double most_a = -HUGE_VAL, least_b = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        most_a = fmax(most_a, sign * gz_dot3(axis, p->corner[0][i]));
        least_b = fmin(least_b, sign * gz_dot3(axis, p->corner[1][i]));
    }
    return most_a - least_b;
}

// The shortest way out, of equal ones the one that goes along the normals.
static double choose_normal(const local_pair *p, double normal[3])
{
    double overlaps[2][AXES_MOST], least = HUGE_VAL;
    for (int against = 0; against < 2; ++against)
        for (int k = 0; k < p->axis_count; ++k) {
            overlaps[against][k] = overlap(p, p->axis[k], against ? -1 : 1);
            least = fmin(least, overlaps[against][k]);
        }
    double best = -HUGE_VAL, depth = 0;
    for (int k = 0; k < p->axis_count; ++k)
        for (int against = 0; against < 2; ++against) {
            double sign = against ? -1 : 1, merit = sign * gz_dot3(p->axis[k], p->outward);
            if (overlaps[against][k] > least + SLACK || merit < best + SLACK)
                continue;
            best = merit;
            depth = overlaps[against][k];
            for (int i = 0; i < 3; ++i)
                normal[i] = sign * p->axis[k][i];
        }
    return depth;
}

static int compare_triples(const double p[3], const double q[3])
{
    for (int i = 0; i < 3; ++i)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static int compare_triangles(const graze_triangle *a, const graze_triangle *b)
{
    int order = 0;
    for (int i = 0; i < 3 && order == 0; ++i)
        order = compare_triples(a->corner[i], b->corner[i]);
    return order;
}

// The mean of the corners, summed in an order that does not depend on where the list begins.
static void middle_of(graze_intersection *common, double out[3])
{
    for (uint32_t i = 1; i < common->point_count; ++i)
        for (uint32_t k = i; k > 0; --k) {
            double *p = common->point[k - 1], *q = common->point[k], held[3];
            if (compare_triples(p, q) <= 0)
                break;
            memcpy(held, p, sizeof held);
            memcpy(p, q, sizeof held);
            memcpy(q, held, sizeof held);
        }
    if (common->point_count == 1) {
        memcpy(out, common->point[0], sizeof common->point[0]);
        return;
    }
    const double *first = common->point[0];
    for (int axis = 0; axis < 3; ++axis) {
        double eighth = 0; // of the sum of differences, which might overflow
        for (uint32_t i = 1; i < common->point_count; ++i)
            eighth += common->point[i][axis] / 8 - first[axis] / 8;
        out[axis] = first[axis] + eighth * (8.0 / common->point_count);
    }
}

// For a that comes before b.
static void contact_in_order(const graze_triangle *a, const graze_triangle *b, graze_contact *out)
{
    graze_intersection common;
    local_pair p = {0};
    double between[3] = {0};
    place(&p, a, b);
    gz_triangle_intersect(a, b, &common);
    if (common.point_count != 0) {
        middle_of(&common, out->point_a);
        memcpy(out->point_b, out->point_a, sizeof out->point_b);
        gather_axes(&p, between);
        out->depth = fmax(ldexp(choose_normal(&p, out->normal), p.exponent), 0);
        return;
    }
    graze_closest closest;
    gz_triangle_closest_apart(a, b, &closest, between);
    memcpy(out->point_a, closest.point_a, sizeof out->point_a);
    memcpy(out->point_b, closest.point_b, sizeof out->point_b);
    out->depth = -closest.distance;
    if (closest.distance > ldexp(SLACK, p.exponent)) {
        double length = gz_length3(between);
        for (int i = 0; i < 3; ++i)
            out->normal[i] = between[i] / length;
        return;
    }
    gather_axes(&p, between); // as if they touched: rounding of poses makes no other normal
    choose_normal(&p, out->normal);
}

void gz_contact_of(const graze_triangle *a, const graze_triangle *b, graze_contact *out)
{
    out->error = out->cover_a = out->cover_b = 0;
    if (compare_triangles(a, b) <= 0) {
        contact_in_order(a, b, out);
        return;
    }
    graze_contact other = {.pair = out->pair};
    contact_in_order(b, a, &other);
    *out = other;
    for (int i = 0; i < 3; ++i) {
        out->point_a[i] = other.point_b[i];
        out->point_b[i] = other.point_a[i];
        out->normal[i] = -other.normal[i];
    }
}
