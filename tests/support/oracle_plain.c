// The second opinion: see oracle_plain.h.
#include "oracle_plain.h"

#include <stdlib.h>

void plain_vector_init(plain_vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpq_init(v->c[i]);
}

void plain_vector_clear(plain_vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpq_clear(v->c[i]);
}

static void copy(plain_vector *out, const plain_vector *a)
{
    for (int i = 0; i < 3; ++i)
        mpq_set(out->c[i], a->c[i]);
}

static void subtract(plain_vector *out, const plain_vector *a, const plain_vector *b)
{
    for (int i = 0; i < 3; ++i)
        mpq_sub(out->c[i], a->c[i], b->c[i]);
}

// out = a + s * b
static void along(plain_vector *out, const plain_vector *a, const mpq_t s, const plain_vector *b)
{
    mpq_t product;
    mpq_init(product);
    for (int i = 0; i < 3; ++i) {
        mpq_mul(product, s, b->c[i]);
        mpq_add(out->c[i], a->c[i], product);
    }
    mpq_clear(product);
}

static void dot(mpq_t out, const plain_vector *a, const plain_vector *b)
{
    mpq_t product, sum;
    mpq_init(product);
    mpq_init(sum);
    for (int i = 0; i < 3; ++i) {
        mpq_mul(product, a->c[i], b->c[i]);
        mpq_add(sum, sum, product);
    }
    mpq_swap(out, sum);
    mpq_clear(product);
    mpq_clear(sum);
}

static void cross(plain_vector *out, const plain_vector *a, const plain_vector *b)
{
    mpq_t left, right;
    mpq_init(left);
    mpq_init(right);
    for (int i = 0; i < 3; ++i) {
        mpq_mul(left, a->c[(i + 1) % 3], b->c[(i + 2) % 3]);
        mpq_mul(right, a->c[(i + 2) % 3], b->c[(i + 1) % 3]);
        mpq_sub(out->c[i], left, right);
    }
    mpq_clear(left);
    mpq_clear(right);
}

static bool is_zero(const plain_vector *a)
{
    return mpq_sgn(a->c[0]) == 0 && mpq_sgn(a->c[1]) == 0 && mpq_sgn(a->c[2]) == 0;
}

static bool equal(const plain_vector *a, const plain_vector *b)
{
    return mpq_equal(a->c[0], b->c[0]) && mpq_equal(a->c[1], b->c[1]) &&
           mpq_equal(a->c[2], b->c[2]);
}

// Corners, edges (corner i to i + 1; may be zero) and normal (may be zero).
typedef struct plain_triangle {
    plain_vector corner[3], edge[3], normal;
} plain_triangle;

static void load(plain_triangle *out, const graze_triangle *given)
{
    for (int i = 0; i < 3; ++i) {
        plain_vector_init(&out->corner[i]);
        plain_vector_init(&out->edge[i]);
        for (int axis = 0; axis < 3; ++axis)
            mpq_set_d(out->corner[i].c[axis], given->corner[i][axis]);
    }
    for (int i = 0; i < 3; ++i)
        subtract(&out->edge[i], &out->corner[(i + 1) % 3], &out->corner[i]);
    plain_vector_init(&out->normal);
    cross(&out->normal, &out->edge[0], &out->edge[1]);
}

static void unload(plain_triangle *t)
{
    for (int i = 0; i < 3; ++i) {
        plain_vector_clear(&t->corner[i]);
        plain_vector_clear(&t->edge[i]);
    }
    plain_vector_clear(&t->normal);
}

// ---- meeting ----

// All of b lies beyond all of a in this direction, or the other way round.
static bool separates(const plain_triangle *a, const plain_triangle *b, const plain_vector *w)
{
    mpq_t level_a[3], level_b[3];
    bool beyond = true, before = true;
    for (int i = 0; i < 3; ++i) {
        mpq_init(level_a[i]);
        mpq_init(level_b[i]);
        dot(level_a[i], w, &a->corner[i]);
        dot(level_b[i], w, &b->corner[i]);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            beyond = beyond && mpq_cmp(level_b[j], level_a[i]) > 0;
            before = before && mpq_cmp(level_b[j], level_a[i]) < 0;
        }
    }
    for (int i = 0; i < 3; ++i) {
        mpq_clear(level_a[i]);
        mpq_clear(level_b[i]);
    }
    return beyond || before;
}

// The part of d that is perpendicular to u, times u.u.
static void perpendicular(plain_vector *out, const plain_vector *d, const plain_vector *u)
{
    plain_vector moment;
    plain_vector_init(&moment);
    cross(&moment, d, u);
    cross(out, u, &moment);
    plain_vector_clear(&moment);
}

// If they are apart, the vector between closest points separates them. With the points inside of
// their smallest faces it is perpendicular to both faces, and up to its length it is one of: the
// difference of two corners; the part of a difference perpendicular to an edge; the cross product
// of two edges; a normal. (Parallel edges: slide to the end of one, then it is the second kind.)
bool plain_meet(const graze_triangle *given_a, const graze_triangle *given_b)
{
    plain_triangle a, b;
    load(&a, given_a);
    load(&b, given_b);
    plain_vector d, w;
    plain_vector_init(&d);
    plain_vector_init(&w);
    bool apart = separates(&a, &b, &a.normal) || separates(&a, &b, &b.normal);
    for (int i = 0; i < 3 && !apart; ++i) {
        for (int j = 0; j < 3 && !apart; ++j) {
            cross(&w, &a.edge[i], &b.edge[j]);
            apart = separates(&a, &b, &w);
            subtract(&d, &b.corner[j], &a.corner[i]);
            apart = apart || separates(&a, &b, &d);
            for (int k = 0; k < 3 && !apart; ++k) {
                perpendicular(&w, &d, &a.edge[k]);
                apart = separates(&a, &b, &w);
                perpendicular(&w, &d, &b.edge[k]);
                apart = apart || separates(&a, &b, &w);
            }
        }
    }
    plain_vector_clear(&d);
    plain_vector_clear(&w);
    unload(&a);
    unload(&b);
    return !apart;
}

// ---- distance ----

static void keep_least(mpq_t least, const plain_vector *from, const plain_vector *to)
{
    plain_vector d;
    plain_vector_init(&d);
    mpq_t square;
    mpq_init(square);
    subtract(&d, to, from);
    dot(square, &d, &d);
    if (mpq_sgn(least) < 0 || mpq_cmp(square, least) < 0)
        mpq_set(least, square);
    mpq_clear(square);
    plain_vector_clear(&d);
}

static bool between_0_and_1(const mpq_t s) { return mpq_sgn(s) >= 0 && mpq_cmp_ui(s, 1, 1) <= 0; }

// With the foot of p on the edge, if it is there.
static void vertex_edge(mpq_t least, const plain_vector *p, const plain_triangle *t, int j)
{
    if (is_zero(&t->edge[j]))
        return;
    plain_vector d, foot;
    plain_vector_init(&d);
    plain_vector_init(&foot);
    mpq_t s, uu;
    mpq_init(s);
    mpq_init(uu);
    subtract(&d, p, &t->corner[j]);
    dot(s, &d, &t->edge[j]);
    dot(uu, &t->edge[j], &t->edge[j]);
    mpq_div(s, s, uu);
    if (between_0_and_1(s)) {
        along(&foot, &t->corner[j], s, &t->edge[j]);
        keep_least(least, p, &foot);
    }
    mpq_clear(s);
    mpq_clear(uu);
    plain_vector_clear(&d);
    plain_vector_clear(&foot);
}

// For a point in the plane of a triangle with area: inside, if it is left of no edge's other side.
static bool inside(const plain_triangle *t, const plain_vector *p)
{
    plain_vector d, side;
    plain_vector_init(&d);
    plain_vector_init(&side);
    mpq_t sign;
    mpq_init(sign);
    bool in = true;
    for (int k = 0; k < 3 && in; ++k) {
        subtract(&d, p, &t->corner[k]);
        cross(&side, &t->edge[k], &d);
        dot(sign, &side, &t->normal);
        in = mpq_sgn(sign) >= 0;
    }
    mpq_clear(sign);
    plain_vector_clear(&d);
    plain_vector_clear(&side);
    return in;
}

// With the point of the line p + s u that is in the plane of t, if it is inside of t and s between
// 0 and 1 (`whole_line` lifts that): the foot of a vertex, or where an edge passes through.
static void line_face(mpq_t least, const plain_vector *p, const plain_vector *u, bool whole_line,
                      const plain_triangle *t)
{
    plain_vector d, x;
    plain_vector_init(&d);
    plain_vector_init(&x);
    mpq_t s, slope;
    mpq_init(s);
    mpq_init(slope);
    dot(slope, u, &t->normal);
    if (mpq_sgn(slope) != 0) {
        subtract(&d, &t->corner[0], p);
        dot(s, &d, &t->normal);
        mpq_div(s, s, slope);
        along(&x, p, s, u);
        if ((whole_line || between_0_and_1(s)) && inside(t, &x))
            keep_least(least, whole_line ? p : &x, &x);
    }
    mpq_clear(s);
    mpq_clear(slope);
    plain_vector_clear(&d);
    plain_vector_clear(&x);
}

// Solves the two equations that the connection is perpendicular to both edges, by Cramer's rule.
static void edge_edge(mpq_t least, const plain_triangle *a, int i, const plain_triangle *b, int j)
{
    const plain_vector *u = &a->edge[i], *v = &b->edge[j];
    plain_vector d, p, q;
    mpq_t uu, uv, vv, du, dv, det, s, t;
    plain_vector_init(&d);
    plain_vector_init(&p);
    plain_vector_init(&q);
    mpq_inits(uu, uv, vv, du, dv, det, s, t, NULL);
    subtract(&d, &b->corner[j], &a->corner[i]);
    dot(uu, u, u);
    dot(uv, u, v);
    dot(vv, v, v);
    dot(du, &d, u);
    dot(dv, &d, v);
    mpq_mul(s, uu, vv);
    mpq_mul(t, uv, uv);
    mpq_sub(det, s, t);
    if (mpq_sgn(det) != 0) {
        mpq_mul(s, du, vv); // s = (du vv - dv uv) / det
        mpq_mul(t, dv, uv);
        mpq_sub(s, s, t);
        mpq_div(s, s, det);
        mpq_mul(t, du, uv); // t = (du uv - dv uu) / det
        mpq_mul(p.c[0], dv, uu);
        mpq_sub(t, t, p.c[0]);
        mpq_div(t, t, det);
        if (between_0_and_1(s) && between_0_and_1(t)) {
            along(&p, &a->corner[i], s, u);
            along(&q, &b->corner[j], t, v);
            keep_least(least, &p, &q);
        }
    }
    mpq_clears(uu, uv, vv, du, dv, det, s, t, NULL);
    plain_vector_clear(&d);
    plain_vector_clear(&p);
    plain_vector_clear(&q);
}

void plain_distance_squared(const graze_triangle *given_a, const graze_triangle *given_b, mpq_t out)
{
    plain_triangle a, b;
    load(&a, given_a);
    load(&b, given_b);
    mpq_set_si(out, -1, 1);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            keep_least(out, &a.corner[i], &b.corner[j]);
            vertex_edge(out, &a.corner[i], &b, j);
            vertex_edge(out, &b.corner[j], &a, i);
            edge_edge(out, &a, i, &b, j);
        }
        line_face(out, &a.corner[i], &b.normal, true, &b);
        line_face(out, &b.corner[i], &a.normal, true, &a);
        line_face(out, &a.corner[i], &a.edge[i], false, &b);
        line_face(out, &b.corner[i], &b.edge[i], false, &a);
    }
    unload(&a);
    unload(&b);
}

// ---- intersection ----

void plain_polygon_init(plain_polygon *p)
{
    p->count = 0;
    for (int i = 0; i < PLAIN_CORNERS_MAX; ++i)
        plain_vector_init(&p->corner[i]);
}

void plain_polygon_clear(plain_polygon *p)
{
    for (int i = 0; i < PLAIN_CORNERS_MAX; ++i)
        plain_vector_clear(&p->corner[i]);
}

static void push(plain_polygon *p, const plain_vector *corner)
{
    for (int i = 0; i < p->count; ++i)
        if (equal(&p->corner[i], corner))
            return;
    if (p->count == PLAIN_CORNERS_MAX)
        abort();
    copy(&p->corner[p->count++], corner);
}

void plain_polygon_clip(plain_polygon *p, const plain_vector *normal, const mpq_t level)
{
    plain_polygon out;
    plain_polygon_init(&out);
    mpq_t height, next_height, s;
    mpq_inits(height, next_height, s, NULL);
    plain_vector d;
    plain_vector_init(&d);
    for (int i = 0; i < p->count; ++i) {
        const plain_vector *here = &p->corner[i], *next = &p->corner[(i + 1) % p->count];
        dot(height, normal, here);
        mpq_sub(height, height, level);
        dot(next_height, normal, next);
        mpq_sub(next_height, next_height, level);
        if (mpq_sgn(height) >= 0)
            push(&out, here);
        if (mpq_sgn(height) * mpq_sgn(next_height) < 0) {
            mpq_sub(s, height, next_height);
            mpq_div(s, height, s);
            subtract(&d, next, here);
            along(&d, here, s, &d);
            push(&out, &d);
        }
    }
    plain_polygon swapped = *p;
    *p = out;
    mpq_clears(height, next_height, s, NULL);
    plain_vector_clear(&d);
    plain_polygon_clear(&swapped);
}

// Keeps what lies on the plane through x.
static void clip_to_plane(plain_polygon *p, plain_vector *normal, const plain_vector *x)
{
    mpq_t level;
    mpq_init(level);
    for (int side = 0; side < 2; ++side) {
        dot(level, normal, x);
        plain_polygon_clip(p, normal, level);
        for (int i = 0; i < 3; ++i)
            mpq_neg(normal->c[i], normal->c[i]);
    }
    mpq_clear(level);
}

// Keeps what lies on the line of b, or on its point if the edge is zero, between the ends.
static void clip_to_edge(plain_polygon *p, const plain_triangle *b, int edge)
{
    plain_vector w, axis;
    plain_vector_init(&w);
    plain_vector_init(&axis);
    mpq_t level;
    mpq_init(level);
    const plain_vector *u = &b->edge[edge], *from = &b->corner[edge];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            mpq_set_ui(axis.c[k], k == i, 1);
        cross(&w, &axis, u);
        clip_to_plane(p, is_zero(u) ? &axis : &w, from);
    }
    dot(level, u, from);
    plain_polygon_clip(p, u, level);
    for (int k = 0; k < 3; ++k)
        mpq_neg(w.c[k], u->c[k]);
    dot(level, &w, &b->corner[(edge + 1) % 3]);
    plain_polygon_clip(p, &w, level);
    mpq_clear(level);
    plain_vector_clear(&w);
    plain_vector_clear(&axis);
}

static void clip_to_triangle(plain_polygon *p, plain_triangle *b)
{
    plain_vector inward;
    plain_vector_init(&inward);
    mpq_t level;
    mpq_init(level);
    clip_to_plane(p, &b->normal, &b->corner[0]);
    for (int k = 0; k < 3; ++k) {
        cross(&inward, &b->normal, &b->edge[k]);
        dot(level, &inward, &b->corner[k]);
        plain_polygon_clip(p, &inward, level);
    }
    mpq_clear(level);
    plain_vector_clear(&inward);
}

// Is corner i on the segment between two others? Corners are distinct.
static bool between_others(const plain_polygon *p, int i)
{
    plain_vector d, e, w;
    plain_vector_init(&d);
    plain_vector_init(&e);
    plain_vector_init(&w);
    mpq_t sign;
    mpq_init(sign);
    bool found = false;
    for (int j = 0; j < p->count && !found; ++j) {
        for (int k = 0; k < j && !found; ++k) {
            if (j == i || k == i)
                continue;
            subtract(&d, &p->corner[j], &p->corner[i]);
            subtract(&e, &p->corner[k], &p->corner[i]);
            cross(&w, &d, &e);
            dot(sign, &d, &e);
            found = is_zero(&w) && mpq_sgn(sign) < 0;
        }
    }
    mpq_clear(sign);
    plain_vector_clear(&d);
    plain_vector_clear(&e);
    plain_vector_clear(&w);
    return found;
}

void plain_intersect(const graze_triangle *given_a, const graze_triangle *given_b,
                     plain_polygon *out)
{
    plain_triangle a, b;
    load(&a, given_a);
    load(&b, given_b);
    out->count = 0;
    for (int i = 0; i < 3; ++i)
        push(out, &a.corner[i]);
    if (!is_zero(&b.normal)) {
        clip_to_triangle(out, &b);
    } else {
        int longest = 0;
        mpq_t square, most;
        mpq_inits(square, most, NULL);
        for (int i = 0; i < 3; ++i) {
            dot(square, &b.edge[i], &b.edge[i]);
            if (mpq_cmp(square, most) > 0) {
                mpq_set(most, square);
                longest = i;
            }
        }
        mpq_clears(square, most, NULL);
        clip_to_edge(out, &b, longest);
    }
    for (int i = out->count - 1; i >= 0; --i) {
        if (!between_others(out, i))
            continue;
        for (int k = i; k + 1 < out->count; ++k)
            copy(&out->corner[k], &out->corner[k + 1]);
        --out->count;
    }
    unload(&a);
    unload(&b);
}
