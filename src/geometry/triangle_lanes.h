// Pairs of triangles side by side, a pair a lane, in float, with proofs: each lane is settled or
// left unsure. For *_kernels.c files, which are compiled once for each SIMD width.
//
// Meeting. Let A have corners 0, a1, a2 and edges u_i, and let a lane hold B with corners b_j and
// edges v_j. Two triangles meet exactly if an edge of one meets the other one. The line of edge i
// of A and the closed triangle B: with O_ij = det(u_i, b_j - a_i, v_j), the three O_i0, O_i1, O_i2
// are in proportion to the barycentric coordinates of a common point, so if they have both signs,
// line and triangle are apart; and if they have one sign, strictly, and the ends of the edge lie
// strictly on both sides of B, the edge pierces it. So signs of 15 determinants, each certain or
// not, prove "yes" or "no" or leave the lane unsure. No lane is shuffled, no branch is taken. The
// O_ij come from the moments m_j = b_j x v_j: O_0j = a1.m_j, O_2j = -a2.m_j, and as the u_i add up
// to nothing, O_1j = (a2.m_j - a1.m_j) + (D_j+1 - D_j) with D_j = det(a1, a2, b_j).
//
// Error bounds. e = 2^-24. Let U, R, V and W bound the coordinates of a1 and a2, of the b_j, of the
// edges v_j, and of the differences b_j - a_i; and du, dr, dv, dw how far these are off in truth,
// their own rounding included. A sum such as U + du is written U'. A determinant of numbers that
// are at most 1 is at most 4; so is the sum of the sizes of the coordinates of x cross y. If its
// rows are off, it is off by the sum of three determinants, each of which has one row that is
// nothing but error. Rounding: a coordinate of x cross y is off by a rounding of each of its two
// products, and by one of its own: by 6 and 4 in all three together. They are multiplied, rounded,
// and summed up, rounded twice: 4 + 8. So x . (y cross z) is off by 22 e X Y Z more, at most.
//   D:  4 (2 du U' R' + dr U' U') + 22 e U' U' R'          corners of B against the plane of A
//   E:  4 (2 dv V' W' + dw V' V') + 22 e V' V' W'          corners of A against the plane of B
//   O:  4 (du V' R' + dr U' V' + dv U' R') + 22 e U' V' R' rows 0 and 2
//   O1: 2 O + 2 D + 16 e U' R' (U' + V')                   row 1: three more roundings
// A search finds triangles for which float is off by 0.53, 0.30, 0.43 and 0.34 of these, and such
// that touch for which it is 0.29, 0.12 and 0.17 of the first three (tests/test_lane_bounds.c). The
// bounds are computed in float themselves, with about 20 roundings, and taken 1.01 times. What
// underflow can do is far below 2^-100 (1 + W)^2, as W is below 2^30, which is asked.
#ifndef GZ_TRIANGLE_LANES_H
#define GZ_TRIANGLE_LANES_H

#include "base/simd.h"
#include "geometry/kernels.h"

#define EPSILON 0x1p-24f
#define SAFETY  1.01f
#define FAR     0x1p30f
#define TINY    0x1p-100f

typedef gz_fw f;
typedef gz_mw m;

typedef struct vector {
    f x, y, z;
} vector;

static inline f add(f a, f b) { return gz_fw_add(a, b); }
static inline f sub(f a, f b) { return gz_fw_sub(a, b); }
static inline f mul(f a, f b) { return gz_fw_mul(a, b); }
static inline f all(float x) { return gz_fw_all(x); }
static inline f min2(f a, f b) { return gz_fw_min(a, b); }
static inline f max2(f a, f b) { return gz_fw_max(a, b); }
static inline m less(f a, f b) { return gz_fw_less(a, b); }
static inline m both(m a, m b) { return gz_mw_and(a, b); }
static inline m either(m a, m b) { return gz_mw_or(a, b); }
static inline f negate(f a) { return sub(all(0), a); }

static inline vector spread(const float v[3]) { return (vector){all(v[0]), all(v[1]), all(v[2])}; }
static inline vector minus(vector a, vector b)
{
    return (vector){sub(a.x, b.x), sub(a.y, b.y), sub(a.z, b.z)};
}
static inline vector cross(vector a, vector b)
{
    return (vector){sub(mul(a.y, b.z), mul(a.z, b.y)), sub(mul(a.z, b.x), mul(a.x, b.z)),
                    sub(mul(a.x, b.y), mul(a.y, b.x))};
}
static inline f dot(vector a, vector b)
{
    return add(add(mul(a.x, b.x), mul(a.y, b.y)), mul(a.z, b.z));
}
static inline f largest3(vector a, vector b, vector c)
{
    f x = gz_fw_max_abs(gz_fw_max_abs(a.x, b.x), c.x);
    f y = gz_fw_max_abs(gz_fw_max_abs(a.y, b.y), c.y);
    f z = gz_fw_max_abs(gz_fw_max_abs(a.z, b.z), c.z);
    return max2(max2(x, y), z);
}

// The sizes and errors that all bounds are made of. Sizes are those of the truth: U' and so on.
typedef struct sizes {
    f u, r, v, w, du, dr, dv, dw;
} sizes;

// What is known of the input: each coordinate of A is off by at most `a`, each coordinate x of B by
// at most b_relative * |x| + b_absolute.
typedef struct lane_errors {
    f a, b_relative, b_absolute;
} lane_errors;

static inline sizes measure(lane_errors error, vector a1, vector a2, const vector b[3],
                            const vector v[3])
{
    sizes s;
    f u = largest3(a1, a2, a2), r = largest3(b[0], b[1], b[2]), w = add(r, u);
    f edge = largest3(v[0], v[1], v[2]);
    s.du = error.a;
    s.dr = add(mul(error.b_relative, r), error.b_absolute);
    s.dv = add(add(s.dr, s.dr), mul(all(EPSILON), edge));
    s.dw = add(add(s.dr, s.du), mul(all(EPSILON), w));
    s.u = add(u, s.du);
    s.r = add(r, s.dr);
    s.v = add(edge, s.dv);
    s.w = add(w, s.dw);
    return s;
}

// Lanes in which some numbers are certainly positive, and certainly negative, by a bit each. Bits
// rather than masks: they are put together beside the arithmetic and not in its way. A NaN is
// neither.
typedef struct sides {
    uint32_t above[3], below[3];
} sides;

static inline sides sides_of(f x, f y, f z, f bound_x, f bound_y, f bound_z)
{
    f below_x = negate(bound_x), below_y = negate(bound_y), below_z = negate(bound_z);
    return (sides){
        {gz_mw_bits(less(bound_x, x)), gz_mw_bits(less(bound_y, y)), gz_mw_bits(less(bound_z, z))},
        {gz_mw_bits(less(x, below_x)), gz_mw_bits(less(y, below_y)), gz_mw_bits(less(z, below_z))}};
}

static inline uint32_t all_three(const uint32_t bits[3]) { return bits[0] & bits[1] & bits[2]; }
static inline uint32_t any_of_three(const uint32_t bits[3]) { return bits[0] | bits[1] | bits[2]; }
static inline uint32_t one_side(const sides *s)
{
    return all_three(s->above) | all_three(s->below);
}
static inline uint32_t both_sides(const sides *s)
{
    return any_of_three(s->above) & any_of_three(s->below);
}

// Edges of one triangle, whose corners are on these sides of the other's plane, against the other
// triangle, whose three determinants for each edge have the signs o.
static inline void settle_edges(const sides *h, const sides o[3], uint32_t *yes, uint32_t *no)
{
    for (int i = 0; i < 3; ++i) {
        int k = (i + 1) % 3;
        uint32_t across = (h->above[i] & h->below[k]) | (h->below[i] & h->above[k]);
        uint32_t same = (h->above[i] & h->above[k]) | (h->below[i] & h->below[k]);
        *yes |= across & one_side(&o[i]);
        *no &= same | both_sides(&o[i]);
    }
}

// Bounds of errors of determinants, as above, put together with few operations.
typedef struct determinant_errors {
    f d, e, o, o1;
} determinant_errors;

static inline determinant_errors bound_errors(const sizes *s)
{
    f tiny = add(all(1), s->w), rounding = all(5.5f * EPSILON), factor = all(4 * SAFETY);
    f guard = mul(all(TINY), mul(tiny, tiny));
    f uv = mul(s->u, s->v), ur = mul(s->u, s->r);
    f du = mul(rounding, s->u), dv = mul(rounding, s->v);
    f d = add(mul(add(add(s->du, s->du), du), s->r), mul(s->dr, s->u));
    f e = add(mul(add(add(s->dv, s->dv), dv), s->w), mul(s->dw, s->v));
    f o = add(mul(add(s->du, du), mul(s->v, s->r)), add(mul(s->dr, uv), mul(s->dv, ur)));
    determinant_errors out;
    out.d = add(mul(mul(factor, s->u), d), guard);
    out.e = add(mul(mul(factor, s->v), e), guard);
    out.o = add(mul(factor, o), guard);
    f more = mul(mul(all(16 * SAFETY * EPSILON), ur), add(s->u, s->v));
    out.o1 = add(mul(all(2 * SAFETY), add(out.o, out.d)), more);
    return out;
}

static inline f longest3(vector a, vector b, vector c)
{
    return gz_fw_sqrt(max2(max2(dot(a, a), dot(b, b)), dot(c, c)));
}

// What is certain although B moves, if none of its points goes farther than r, the reach. With n
// and m the normals of A and B as they are computed from u and v, each as long as it may be in
// truth:
//   D: |n| r      so a corner of B is more than r from the plane of A
//   E: |m| r      so a corner of A is more than r from the plane of B
//   O: |u| |v| r  so two edges, and the lines along them, are more than r apart
// Let all points of B go straight to where they are in the end. A segment that pierces a triangle
// does so until one of its ends meets the triangle, or the segment meets an edge of it: whether it
// passes through an even or an odd number of times stays the same. Things that are more than r
// apart do not meet. So "yes" lasts, however B turns. "No" lasts because edges and triangles that
// cannot meet are more than r apart: ends on one side of a plane are that far from what is on the
// plane; and a line that misses a triangle, seen along the line, passes the line of one of its
// edges on the outside by |O| / |u| |v|, or more.
static inline void add_motion(f reach, const sizes *s, vector a1, vector a2, const vector edge[3],
                              vector normal_a, vector normal_b, determinant_errors *bound)
{
    f more_u = add(s->du, mul(all(EPSILON), s->u)); // twice that in a2 - a1
    f u = add(longest3(a1, a2, minus(a2, a1)), mul(all(4), more_u));
    f v = add(longest3(edge[0], edge[1], edge[2]), mul(all(2), s->dv));
    f more_n = mul(add(mul(all(8), s->du), mul(all(16 * EPSILON), s->u)), s->u);
    f more_m = mul(add(mul(all(8), s->dv), mul(all(16 * EPSILON), s->v)), s->v);
    f n_a = add(gz_fw_sqrt(dot(normal_a, normal_a)), more_n);
    f m_b = add(gz_fw_sqrt(dot(normal_b, normal_b)), more_m);
    f more = mul(reach, all(SAFETY)), across = mul(mul(u, v), more);
    bound->d = add(bound->d, mul(n_a, more));
    bound->e = add(bound->e, mul(m_b, more));
    bound->o = add(bound->o, across);
    bound->o1 = add(bound->o1, across);
}

// A has corners 0, a1, a2; everything is relative to its corner 0. If there is a reach, an answer
// is true as long as no point of B has moved farther than that.
static inline gz_lanes meet_lanes(vector a1, vector a2, const vector corner[3], lane_errors error,
                                  const f *reach)
{
    vector edge[3] = {minus(corner[1], corner[0]), minus(corner[2], corner[1]),
                      minus(corner[0], corner[2])};
    sizes s = measure(error, a1, a2, corner, edge);
    determinant_errors bound = bound_errors(&s);
    uint32_t near = gz_mw_bits(less(s.w, all(FAR)));

    vector normal = cross(a1, a2), normal_b = cross(edge[0], edge[1]);
    if (reach != NULL)
        add_motion(*reach, &s, a1, a2, edge, normal, normal_b, &bound);
    f d[3] = {dot(normal, corner[0]), dot(normal, corner[1]), dot(normal, corner[2])};
    sides of_b = sides_of(d[0], d[1], d[2], bound.d, bound.d, bound.d);
    uint32_t apart = one_side(&of_b);
    if ((apart & near) == near)
        return (gz_lanes){0, near};

    sides of_a = sides_of(negate(dot(normal_b, corner[0])), dot(normal_b, minus(a1, corner[0])),
                          dot(normal_b, minus(a2, corner[0])), bound.e, bound.e, bound.e);
    apart |= one_side(&of_a);

    sides rows[3], columns[3]; // of determinants: edge of A, edge of B
    for (int j = 0; j < 3; ++j) {
        vector moment = cross(corner[j], edge[j]);
        f p = dot(a1, moment), q = dot(a2, moment);
        f between = add(sub(q, p), sub(d[(j + 1) % 3], d[j]));
        columns[j] = sides_of(p, between, negate(q), bound.o, bound.o1, bound.o);
        for (int i = 0; i < 3; ++i) {
            rows[i].above[j] = columns[j].above[i];
            rows[i].below[j] = columns[j].below[i];
        }
    }
    uint32_t yes = 0, no = ~UINT32_C(0);
    settle_edges(&of_a, rows, &yes, &no);
    settle_edges(&of_b, columns, &yes, &no);
    return (gz_lanes){yes & near, (apart | no) & near};
}

// Within a tolerance. The points found by the search may be anything: the bounds are a certificate,
// as triangle_distance.c explains, with e = 2^-24 in place of 2^-53. Input is off by e M and a bit
// (error fields, at most 1.01 e M), so its constants are taken a quarter larger.
#define POINT_ERROR (160 * EPSILON)
#define DOT_ERROR   (8 * EPSILON)

typedef struct closest {
    vector p, q;
    f square;
} closest;

static inline vector along(vector p, vector d, f t)
{
    return (vector){add(p.x, mul(d.x, t)), add(p.y, mul(d.y, t)), add(p.z, mul(d.z, t))};
}
// NaN, from dividing nothing by nothing, becomes 1: minimum and maximum give their second operand.
static inline f clamp(f t) { return max2(min2(t, all(1)), all(0)); }

static inline vector select3(m lanes, vector yes, vector no)
{
    return (vector){gz_fw_select(lanes, yes.x, no.x), gz_fw_select(lanes, yes.y, no.y),
                    gz_fw_select(lanes, yes.z, no.z)};
}

static inline void offer(closest *best, vector p, vector q, m lanes)
{
    vector w = minus(q, p);
    f square = dot(w, w);
    m better = both(less(square, best->square), lanes);
    best->p = select3(better, p, best->p);
    best->q = select3(better, q, best->q);
    best->square = gz_fw_select(better, square, best->square);
}

// Closest points of two segments: on the lines, clamped to the first segment, then to the second,
// then once more to the first. Where one is a point, dividing gives NaN or infinity and the clamp
// brings it back to an end.
static inline void offer_edges(closest *best, vector p, vector d1, vector q, vector d2, m every)
{
    vector r = minus(p, q);
    f a = dot(d1, d1), e = dot(d2, d2), f2 = dot(d2, r), c = dot(d1, r), b = dot(d1, d2);
    f s = clamp(gz_fw_div(sub(mul(b, f2), mul(c, e)), sub(mul(a, e), mul(b, b))));
    f t = clamp(gz_fw_div(add(mul(b, s), f2), e));
    s = clamp(gz_fw_div(sub(mul(b, t), c), a));
    offer(best, along(p, d1, s), along(q, d2, t), every);
}

static inline void offer_foot(closest *best, vector p, const vector face[3], int flip)
{
    vector u = minus(face[1], face[0]), v = minus(face[2], face[0]), w = minus(p, face[0]);
    f uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v);
    f whole = sub(mul(uu, vv), mul(uv, uv));
    f s = gz_fw_div(sub(mul(vv, wu), mul(uv, wv)), whole);
    f t = gz_fw_div(sub(mul(uu, wv), mul(uv, wu)), whole);
    m inside = both(both(less(all(0), s), less(all(0), t)), less(add(s, t), all(1)));
    vector foot = along(along(face[0], u, s), v, t);
    if (flip)
        offer(best, foot, p, inside);
    else
        offer(best, p, foot, inside);
}

// What the two have in common with a tolerance: a direction, and slabs along it.
typedef struct separation {
    vector w; // the direction, from A to B
    f length; // of the direction, rounded up
    f slab;   // a lower bound of the distance times |w|
    f high;   // an upper bound of the distance
    m near;   // lanes in which nothing overflows
} separation;

// Inputs are off by at most 1.01 e times the largest coordinate.
static inline separation separate_lanes(const vector va[3], const vector vb[3])
{
    m every = less(all(0), all(1));
    closest best = {va[0], vb[0], all(__builtin_inff())};
    for (int i = 0; i < 3; ++i) {
        vector edge_a = minus(va[(i + 1) % 3], va[i]);
        for (int j = 0; j < 3; ++j)
            offer_edges(&best, va[i], edge_a, vb[j], minus(vb[(j + 1) % 3], vb[j]), every);
        offer_foot(&best, va[i], vb, 0);
        offer_foot(&best, vb[i], va, 1);
    }
    vector w = minus(best.q, best.p);
    f reach = max2(largest3(va[0], va[1], va[2]), largest3(vb[0], vb[1], vb[2]));
    f length = mul(gz_fw_sqrt(dot(w, w)), all(1 + 8 * EPSILON));
    f sum = add(add(gz_fw_abs(w.x), gz_fw_abs(w.y)), gz_fw_abs(w.z));
    f top = max2(max2(dot(w, va[0]), dot(w, va[1])), dot(w, va[2]));
    f bottom = min2(min2(dot(w, vb[0]), dot(w, vb[1])), dot(w, vb[2]));
    f slab = sub(sub(bottom, top), mul(mul(all(2 * DOT_ERROR), reach), sum));
    f high = mul(add(length, mul(all(POINT_ERROR), reach)), all(1 + 8 * EPSILON));
    return (separation){w, length, slab, high, less(reach, all(FAR))};
}

static inline gz_lanes within_lanes(const vector va[3], const vector vb[3], f tolerance_low,
                                    f tolerance_high)
{
    separation s = separate_lanes(va, vb);
    // Compared without dividing: low > tolerance if slab > tolerance * length, rounded up.
    f needed = mul(mul(tolerance_high, s.length), all(1 + 8 * EPSILON));
    m yes = both(less(s.high, tolerance_low), s.near);
    m no = both(both(less(needed, s.slab), s.near), less(all(0x1p-50f), s.length));
    return (gz_lanes){gz_mw_bits(yes), gz_mw_bits(no)};
}

// Bounds of the distance: 0 and infinity where floats cannot tell; and the direction from A to B.
static inline vector distance_lanes(const vector va[3], const vector vb[3], f *low, f *high)
{
    separation s = separate_lanes(va, vb);
    f quotient = mul(gz_fw_div(s.slab, s.length), all(1 - 8 * EPSILON));
    m known = both(both(s.near, less(all(0x1p-50f), s.length)), less(all(0), quotient));
    *low = gz_fw_select(known, quotient, all(0));
    *high = gz_fw_select(s.near, s.high, all(__builtin_inff()));
    return s.w;
}

#endif
