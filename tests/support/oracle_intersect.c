// The exact corners of what two hulls have in common, and of the set of all closest points.
//
// Let p be an extreme point of the intersection of a and b, and F and G the smallest faces that
// hold it. If the affine hulls of F and G had a line in common, p would be the middle of a segment
// within both, hence not extreme. So p is a vertex of one hull that lies in the other, or the one
// point where two edges cross, or where an edge passes through a triangle. (Two planes have a line
// in common or are one.)
//
// The other way round each such point is extreme. A vertex of a in b is extreme in a already. Let a
// segment in both hulls have p, in the inside of face F of a and G of b, as its middle: then it
// lies within F and within G, which have only p in common.
//
// So the corners are these points, each once.
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>

static bool same_point(oracle *o, const exact_point *a, const exact_point *b)
{
    for (int i = 0; i < 3; ++i) {
        mpz_mul(o->s1, a->x.c[i], b->w);
        mpz_mul(o->s2, b->x.c[i], a->w);
        if (mpz_cmp(o->s1, o->s2) != 0)
            return false;
    }
    return true;
}

// Adds p + s / unit * u unless it is there already.
static void add_corner(oracle *o, const exact_vector *p, const mpz_t unit, const mpz_t s,
                       const exact_vector *u)
{
    exact_point *next = &o->intersection[o->corner_count];
    mpz_set(next->w, unit);
    exact_scale(&next->x, unit, p);
    if (u != NULL)
        exact_add_scaled(&next->x, s, u);
    for (int i = 0; i < o->corner_count; ++i)
        if (same_point(o, &o->intersection[i], next))
            return;
    if (++o->corner_count > ORACLE_CORNERS_MAX) {
        fprintf(stderr, "oracle: an intersection with more than six corners\n");
        abort();
    }
}

static bool holds(oracle *o, const oracle_hull *hull, const exact_vector *p)
{
    exact_subtract(&o->t0, p, hull->vertex[0]);
    if (hull->count == 1)
        return exact_is_zero(&o->t0);
    if (hull->count == 2) {
        exact_cross(&o->t1, &o->t0, &hull->edge[0]);
        if (!exact_is_zero(&o->t1))
            return false;
        exact_dot(o->s0, &o->t0, &hull->edge[0]);
        exact_dot(o->s1, &hull->edge[0], &hull->edge[0]);
        return mpz_sgn(o->s0) >= 0 && mpz_cmp(o->s0, o->s1) <= 0;
    }
    exact_dot(o->s0, &o->t0, &hull->normal);
    return mpz_sgn(o->s0) == 0 && oracle_foot_inside(o, p, hull);
}

// On which side of the line from i to j, seen against the normal n, is k?
static int turn(oracle *o, int i, int j, int k, const exact_vector *n)
{
    const exact_point *p = &o->intersection[i], *q = &o->intersection[j], *r = &o->intersection[k];
    exact_scale(&o->t0, p->w, &q->x);
    exact_subtract_scaled(&o->t0, q->w, &p->x);
    exact_scale(&o->t1, p->w, &r->x);
    exact_subtract_scaled(&o->t1, r->w, &p->x);
    exact_cross(&o->t2, &o->t0, &o->t1);
    exact_dot(o->s0, &o->t2, n);
    return mpz_sgn(o->s0);
}

// Puts the corners of a polygon in order: after each comes the one that has all others to its left.
static void order_corners(oracle *o, const exact_vector *normal)
{
    for (int i = 0; i + 2 < o->corner_count; ++i) {
        for (int j = i + 1; j < o->corner_count; ++j) {
            bool all_left = true;
            for (int k = 0; k < o->corner_count && all_left; ++k)
                all_left = k == i || k == j || turn(o, i, j, k, normal) > 0;
            if (all_left) {
                exact_point swapped = o->intersection[i + 1];
                o->intersection[i + 1] = o->intersection[j];
                o->intersection[j] = swapped;
                break;
            }
        }
    }
}

void oracle_hulls_intersect(oracle *o, const oracle_hull *a, const oracle_hull *b)
{
    o->corner_count = 0;
    mpz_set_ui(o->s4, 1);
    for (int i = 0; i < a->count; ++i)
        if (holds(o, b, a->vertex[i]))
            add_corner(o, a->vertex[i], o->s4, o->s4, NULL);
    for (int j = 0; j < b->count; ++j)
        if (holds(o, a, b->vertex[j]))
            add_corner(o, b->vertex[j], o->s4, o->s4, NULL);
    for (int i = 0; i < a->edge_count; ++i)
        for (int j = 0; j < b->edge_count; ++j)
            if (oracle_edges_cross(o, a, i, b, j) && mpz_sgn(o->s0) == 0)
                add_corner(o, a->vertex[i], o->unit, o->parameter[0], &a->edge[i]);
    for (int i = 0; i < a->edge_count && b->count == 3; ++i)
        if (oracle_edge_pierces(o, a, i, b))
            add_corner(o, a->vertex[i], o->unit, o->parameter[0], &a->edge[i]);
    for (int j = 0; j < b->edge_count && a->count == 3; ++j)
        if (oracle_edge_pierces(o, b, j, a))
            add_corner(o, b->vertex[j], o->unit, o->parameter[0], &b->edge[j]);
    if (o->corner_count >= 3)
        order_corners(o, &a->normal);
}

void oracle_intersect(oracle *o) { oracle_hulls_intersect(o, &o->hull[0], &o->hull[1]); }

// Collects the vertices of hull `side` that are extreme in the direction: the face that holds all
// closest points of that hull. Where the two meet the direction is zero, and that is the whole.
static void extreme_face(oracle *o, int side)
{
    const oracle_hull *hull = &o->hull[side];
    oracle_hull *face = &o->face[side];
    int count = 0;
    for (int i = 0; i < hull->count; ++i) {
        exact_dot(o->s0, &o->direction, hull->vertex[i]);
        int order = count == 0 ? 0 : mpz_cmp(o->s0, o->s1) * (side == 0 ? 1 : -1);
        if (order > 0)
            count = 0;
        if (order < 0)
            continue;
        mpz_set(o->s1, o->s0);
        face->vertex[count++] = hull->vertex[i];
    }
    oracle_hull_finish(face, count);
}

// Scales the face of a by w, that of b too, and moves the latter by -w (q - p).
static void move_faces(oracle *o)
{
    for (int side = 0; side < 2; ++side) {
        oracle_hull *face = &o->face[side];
        for (int i = 0; i < face->count; ++i) {
            exact_vector *moved = &o->moved[side][i];
            exact_scale(moved, o->closest[0].w, face->vertex[i]);
            if (side == 1) {
                exact_subtract(moved, moved, &o->closest[1].x);
                mpz_set_ui(o->s0, 1);
                exact_add_scaled(moved, o->s0, &o->closest[0].x);
            }
            face->vertex[i] = moved;
        }
        oracle_hull_finish(face, face->count);
    }
}

// A closest pair differs by the one vector q - p, so the points of a in closest pairs are those
// that the face of a and the face of b moved by p - q have in common.
void oracle_closest_set(oracle *o)
{
    oracle_points(o);
    extreme_face(o, 0);
    extreme_face(o, 1);
    bool unique = o->face[0].count == 1 || o->face[1].count == 1;
    if (o->face[0].count == 2 && o->face[1].count == 2) {
        exact_cross(&o->t0, &o->face[0].edge[0], &o->face[1].edge[0]);
        unique = !exact_is_zero(&o->t0) && !oracle_meet(o);
    }
    if (unique) {
        o->corner_count = 1;
        exact_copy(&o->intersection[0].x, &o->closest[0].x);
        mpz_set(o->intersection[0].w, o->closest[0].w);
        return;
    }
    if (oracle_meet(o)) {
        oracle_hulls_intersect(o, &o->face[0], &o->face[1]);
        return;
    }
    move_faces(o);
    oracle_hulls_intersect(o, &o->face[0], &o->face[1]);
    for (int i = 0; i < o->corner_count; ++i)
        mpz_mul(o->intersection[i].w, o->intersection[i].w, o->closest[0].w);
}
