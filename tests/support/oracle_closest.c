// The exact distance of a loaded pair, with proof.
//
// Which faces can hold the closest points? Take a closest pair (p, q), with F and G the smallest
// faces (vertex, edge, triangle) that hold p and q, and choose the pair so that dim F + dim G is
// least. Then no direction is common to both: else p and q could slide along it together until one
// leaves its face over the rim, into a smaller one. So F and G are: vertex and anything, two edges
// that are not parallel, or an edge and a triangle that it passes through; in each case the closest
// points of the two affine hulls are unique, and given by formulas without square roots. (Two
// triangles always have a common direction.) The list of these pairs of faces is short, at most 48,
// and one of them holds a closest pair.
//
// When is a pair proved to be closest? Let p in a and q in b, w = c (q - p) with c > 0, and w.x <=
// w.p for all vertices x of a, w.y >= w.q for all vertices y of b. Then the same holds for all
// points of the hulls, and |y - x| >= w.(y - x) / |w| >= w.(q - p) / |w| = |q - p|. If q = p,
// nothing needs to be shown. For convex sets a closest pair always has this property, so the search
// succeeds for some pair of faces; that it does not would be a bug here, and aborts.
//
// Doubles only choose the order in which pairs of faces are tried.
#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A pair of faces: dimension of each, number of each within its hull, and the guessed distance.
typedef struct candidate {
    double guess;
    int dimension[2], index[2];
} candidate;

enum { CANDIDATES_MAX = 48 };

// The direction, from the level of p in a to the level of q in b, proves the distance.
static bool proved(oracle *o, const exact_vector *p, const exact_vector *q)
{
    exact_dot(o->s1, &o->direction, p);
    for (int i = 0; i < o->hull[0].count; ++i) {
        exact_dot(o->s2, &o->direction, o->hull[0].vertex[i]);
        if (mpz_cmp(o->s2, o->s1) > 0)
            return false;
    }
    exact_dot(o->s1, &o->direction, q);
    for (int i = 0; i < o->hull[1].count; ++i) {
        exact_dot(o->s2, &o->direction, o->hull[1].vertex[i]);
        if (mpz_cmp(o->s2, o->s1) < 0)
            return false;
    }
    return true;
}

static bool try_vertices(oracle *o, int i, int j)
{
    const exact_vector *p = o->hull[0].vertex[i], *q = o->hull[1].vertex[j];
    exact_subtract(&o->direction, q, p);
    mpz_set_ui(o->denominator, 1);
    exact_dot(o->numerator, &o->direction, &o->direction);
    return proved(o, p, q);
}

// The vertex is in hull `side`. parameter[0] / unit is the place on the edge.
static bool try_vertex_edge(oracle *o, int side, int i, int j)
{
    const exact_vector *p = o->hull[side].vertex[i], *q = o->hull[1 - side].vertex[j];
    const exact_vector *u = &o->hull[1 - side].edge[j];
    exact_subtract(&o->t0, p, q);
    exact_dot(o->parameter[0], &o->t0, u);
    exact_dot(o->unit, u, u);
    if (mpz_sgn(o->parameter[0]) < 0 || mpz_cmp(o->parameter[0], o->unit) > 0)
        return false;
    exact_scale(&o->direction, o->unit, &o->t0);
    exact_subtract_scaled(&o->direction, o->parameter[0], u); // from the foot to the vertex
    exact_dot(o->numerator, &o->t0, &o->t0);
    mpz_mul(o->numerator, o->numerator, o->unit);
    mpz_submul(o->numerator, o->parameter[0], o->parameter[0]);
    mpz_set(o->denominator, o->unit);
    if (side == 1)
        return proved(o, q, p); // the foot has the level of q
    exact_negate(&o->direction);
    return proved(o, p, q);
}

// The vertex is in hull `side`. parameter[0] / unit times the normal leads from foot to vertex.
static bool try_vertex_face(oracle *o, int side, int i)
{
    const oracle_hull *face = &o->hull[1 - side];
    const exact_vector *p = o->hull[side].vertex[i], *q = face->vertex[0];
    if (!oracle_foot_inside(o, p, face))
        return false;
    exact_subtract(&o->t0, p, q);
    exact_dot(o->parameter[0], &o->t0, &face->normal);
    exact_dot(o->unit, &face->normal, &face->normal);
    mpz_mul(o->numerator, o->parameter[0], o->parameter[0]);
    mpz_set(o->denominator, o->unit);
    mpz_set_si(o->s0, (side == 1 ? 1 : -1) * mpz_sgn(o->parameter[0]));
    exact_scale(&o->direction, o->s0, &face->normal);
    return side == 1 ? proved(o, q, p) : proved(o, p, q);
}

static bool try_edges(oracle *o, int i, int j)
{
    if (!oracle_edges_cross(o, &o->hull[0], i, &o->hull[1], j))
        return false;
    mpz_mul(o->numerator, o->s0, o->s0);
    mpz_set(o->denominator, o->unit);
    mpz_set_si(o->s3, mpz_sgn(o->s0));
    exact_scale(&o->direction, o->s3, &o->t0);
    return proved(o, o->hull[0].vertex[i], o->hull[1].vertex[j]);
}

// The edge is in hull `side`.
static bool try_edge_face(oracle *o, int side, int i)
{
    if (!oracle_edge_pierces(o, &o->hull[side], i, &o->hull[1 - side]))
        return false;
    mpz_set_ui(o->numerator, 0);
    mpz_set_ui(o->denominator, 1);
    exact_subtract(&o->direction, o->hull[0].vertex[0], o->hull[0].vertex[0]);
    return true;
}

static bool try_candidate(oracle *o, const candidate *c)
{
    int side = c->dimension[0] < c->dimension[1] ? 0 : 1; // of the smaller face
    switch (c->dimension[0] + 3 * c->dimension[1]) {
    case 0: return try_vertices(o, c->index[0], c->index[1]);
    case 1:
    case 3: return try_vertex_edge(o, side, c->index[side], c->index[1 - side]);
    case 2:
    case 6: return try_vertex_face(o, side, c->index[side]);
    case 4: return try_edges(o, c->index[0], c->index[1]);
    default: return try_edge_face(o, side, c->index[side]);
    }
}

// ---- guessing, in doubles; nothing below decides anything ----

typedef struct guess_hull {
    double vertex[3][3], edge[3][3], normal[3];
} guess_hull;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double *out, const double *a, const double *b)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void guess_load(const oracle *o, guess_hull out[2])
{
    double greatest = 0.0;
    for (int i = 0; i < 18; ++i)
        greatest = fmax(greatest, fabs(o->given[i / 9].corner[i / 3 % 3][i % 3]));
    int shift = greatest > 1e-50 && greatest < 1e50 ? 0 : -ilogb(greatest > 0 ? greatest : 1);
    for (int side = 0; side < 2; ++side) {
        const oracle_hull *hull = &o->hull[side];
        guess_hull *g = &out[side];
        for (int i = 0; i < 3; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                int vertex = hull->corner[i < hull->count ? i : 0];
                double x = o->given[side].corner[vertex][axis];
                g->vertex[i][axis] = shift == 0 ? x : scalbn(x, shift);
            }
        }
        for (int i = 0; i < 3; ++i)
            for (int axis = 0; axis < 3; ++axis)
                g->edge[i][axis] = g->vertex[(i + 1) % 3][axis] - g->vertex[i][axis];
        cross(g->normal, g->edge[0], g->edge[1]);
    }
}

static void difference(double *out, const double *a, const double *b)
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = a[axis] - b[axis];
}

static double guess_vertex_edge(const double *p, const guess_hull *g, int j)
{
    double d[3];
    difference(d, p, g->vertex[j]);
    double uu = dot(g->edge[j], g->edge[j]), t = dot(d, g->edge[j]);
    if (!(t >= 0 && t <= uu && uu > 0))
        return INFINITY;
    for (int axis = 0; axis < 3; ++axis)
        d[axis] -= t / uu * g->edge[j][axis];
    return dot(d, d);
}

static double guess_vertex_face(const double *p, const guess_hull *g)
{
    double d[3], inward[3];
    for (int k = 0; k < 3; ++k) {
        difference(d, p, g->vertex[k]);
        cross(inward, g->normal, g->edge[k]);
        if (!(dot(d, inward) >= 0))
            return INFINITY;
    }
    double h = dot(d, g->normal);
    return h * h / dot(g->normal, g->normal);
}

static double guess_edges(const guess_hull *a, int i, const guess_hull *b, int j)
{
    double n[3], d[3], moment[3];
    cross(n, a->edge[i], b->edge[j]);
    difference(d, b->vertex[j], a->vertex[i]);
    double nn = dot(n, n);
    cross(moment, d, b->edge[j]);
    double s = dot(moment, n);
    cross(moment, d, a->edge[i]);
    double t = dot(moment, n), h = dot(n, d);
    return s >= 0 && s <= nn && t >= 0 && t <= nn && nn > 0 ? h * h / nn : INFINITY;
}

static double guess_edge_face(const guess_hull *a, int i, const guess_hull *b)
{
    double d0[3], d1[3], inward[3];
    difference(d0, a->vertex[i], b->vertex[0]);
    difference(d1, a->vertex[(i + 1) % 3], b->vertex[0]);
    double h0 = dot(d0, b->normal), h1 = dot(d1, b->normal);
    if (!((h0 > 0) != (h1 > 0)))
        return INFINITY;
    for (int k = 0; k < 3; ++k) {
        difference(d0, a->vertex[i], b->vertex[k]);
        for (int axis = 0; axis < 3; ++axis)
            d0[axis] += h0 / (h0 - h1) * a->edge[i][axis];
        cross(inward, b->normal, b->edge[k]);
        if (!(dot(d0, inward) >= 0))
            return INFINITY;
    }
    return 0.0;
}

static candidate *add(candidate *next, double guess, int da, int i, int db, int j)
{
    *next = (candidate){isnan(guess) ? INFINITY : guess, {da, db}, {i, j}};
    return next + 1;
}

// All pairs of faces, the cheap ones first.
static int list_candidates(const oracle *o, candidate *list)
{
    guess_hull g[2];
    guess_load(o, g);
    const oracle_hull *a = &o->hull[0], *b = &o->hull[1];
    candidate *next = list;
    for (int i = 0; i < a->count; ++i) {
        for (int j = 0; j < b->count; ++j) {
            double d[3];
            difference(d, g[0].vertex[i], g[1].vertex[j]);
            next = add(next, dot(d, d), 0, i, 0, j);
        }
    }
    for (int i = 0; i < a->count; ++i)
        for (int j = 0; j < b->edge_count; ++j)
            next = add(next, guess_vertex_edge(g[0].vertex[i], &g[1], j), 0, i, 1, j);
    for (int i = 0; i < a->edge_count; ++i)
        for (int j = 0; j < b->count; ++j)
            next = add(next, guess_vertex_edge(g[1].vertex[j], &g[0], i), 1, i, 0, j);
    for (int i = 0; i < a->count && b->count == 3; ++i)
        next = add(next, guess_vertex_face(g[0].vertex[i], &g[1]), 0, i, 2, 0);
    for (int j = 0; j < b->count && a->count == 3; ++j)
        next = add(next, guess_vertex_face(g[1].vertex[j], &g[0]), 2, 0, 0, j);
    for (int i = 0; i < a->edge_count; ++i)
        for (int j = 0; j < b->edge_count; ++j)
            next = add(next, guess_edges(&g[0], i, &g[1], j), 1, i, 1, j);
    for (int i = 0; i < a->edge_count && b->count == 3; ++i)
        next = add(next, guess_edge_face(&g[0], i, &g[1]), 1, i, 2, 0);
    for (int j = 0; j < b->edge_count && a->count == 3; ++j)
        next = add(next, guess_edge_face(&g[1], j, &g[0]), 2, 0, 1, j);
    return (int)(next - list);
}

void oracle_closest(oracle *o)
{
    candidate list[CANDIDATES_MAX];
    int count = list_candidates(o, list);
    ++o->proofs;
    while (count > 0) {
        int best = 0;
        for (int i = 1; i < count; ++i)
            if (list[i].guess < list[best].guess)
                best = i;
        ++o->guesses;
        if (try_candidate(o, &list[best])) {
            mpz_set(o->place_unit, o->unit);
            for (int side = 0; side < 2; ++side) {
                mpz_set(o->place[side], o->parameter[side]);
                o->dimension[side] = list[best].dimension[side];
                o->index[side] = list[best].index[side];
            }
            return;
        }
        --count;
        for (int i = best; i < count; ++i) // keeps the order, cheap ones first
            list[i] = list[i + 1];
    }
    fprintf(stderr, "oracle: no pair of faces is closest\n");
    abort();
}

// ---- the points themselves ----

// out = (p * unit + s * u) / unit
static void set_along(exact_point *out, const exact_vector *p, const mpz_t unit, const mpz_t s,
                      const exact_vector *u)
{
    mpz_set(out->w, unit);
    exact_scale(&out->x, unit, p);
    exact_add_scaled(&out->x, s, u);
}

void oracle_points(oracle *o)
{
    int side = o->dimension[0] < o->dimension[1] ? 0 : 1; // of the smaller face
    const oracle_hull *small = &o->hull[side], *large = &o->hull[1 - side];
    int i = o->index[side], j = o->index[1 - side];
    exact_point *p = &o->closest[side], *q = &o->closest[1 - side];
    mpz_set_ui(o->s0, 0);
    switch (o->dimension[0] + 3 * o->dimension[1]) {
    case 0:
        mpz_set_ui(o->s1, 1);
        set_along(p, small->vertex[i], o->s1, o->s0, small->vertex[i]);
        set_along(q, large->vertex[j], o->s1, o->s0, large->vertex[j]);
        break;
    case 1:
    case 3:
        set_along(p, small->vertex[i], o->place_unit, o->s0, small->vertex[i]);
        set_along(q, large->vertex[j], o->place_unit, o->place[0], &large->edge[j]);
        break;
    case 2:
    case 6:
        mpz_neg(o->s1, o->place[0]);
        set_along(p, small->vertex[i], o->place_unit, o->s0, small->vertex[i]);
        set_along(q, small->vertex[i], o->place_unit, o->s1, &large->normal);
        break;
    case 4:
        set_along(&o->closest[0], o->hull[0].vertex[o->index[0]], o->place_unit, o->place[0],
                  &o->hull[0].edge[o->index[0]]);
        set_along(&o->closest[1], o->hull[1].vertex[o->index[1]], o->place_unit, o->place[1],
                  &o->hull[1].edge[o->index[1]]);
        break;
    default:
        set_along(p, small->vertex[i], o->place_unit, o->place[0], &small->edge[i]);
        set_along(q, small->vertex[i], o->place_unit, o->place[0], &small->edge[i]);
        break;
    }
}
