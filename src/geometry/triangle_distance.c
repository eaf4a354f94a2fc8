// How far apart are two triangles? First in double, with a certificate; then exactly.
//
// The certificate. Whatever points p of A and q of B a double computation finds, |p - q| is an
// upper bound of the distance; and whatever direction w = q - p comes out, the slab between the two
// triangles along w is a lower one: d >= (min w.b - max w.a) / |w|. Both bounds carry the rounding
// of a few dot products only, not of the search that found the points, and for convex sets they
// agree at the optimum. Let u = 2^-53 and M the largest coordinate after subtracting corner 0 of A
// (each such difference is off by u M at most).
//   A point on an edge, v + s (v' - v) with 0 <= s <= 1, or in a face: 5 to 20 roundings of numbers
//   up to 3 M: below 32 u M a coordinate. So |w| is off by at most sqrt(3) (64 + 2) u M < 128 u M.
//   A dot product w.v: 4 roundings, |w.v| <= M |w|_1: below 5 u M |w|_1; the slab has two of them.
//
// The exact distance is the least over all pairs of features whose closest points lie inside both:
// 9 vertex-vertex, 18 vertex-edge, 6 vertex-face, 9 edge-edge. Each is a fraction of integers.
// Feature pairs that the slab proves to be too far are passed over.
#include <math.h>
#include <stdbool.h>

#include "base/context.h"
#include "geometry/branches.h"
#include "geometry/exact.h"
#include "geometry/fpu.h"
#include "geometry/triangle.h"

#define UNIT        0x1p-53
#define POINT_ERROR (128 * UNIT)
#define DOT_ERROR   (6 * UNIT)
#define SAFE_HIGH   0x1p200 // beyond these, products of four might overflow or vanish
#define SAFE_LOW    0x1p-200
#define SPACE_LIMBS 16384 // the longest numbers compare two fractions: degree 10, 340 limbs

typedef struct vector {
    double x, y, z;
} vector;

static inline vector minus(vector a, vector b) { return (vector){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vector along(vector p, vector d, double t)
{
    return (vector){p.x + d.x * t, p.y + d.y * t, p.z + d.z * t};
}
static inline double greater(double a, double b) { return a > b ? a : b; }
static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double clamp(double t) { return t < 0 ? 0 : t > 1 ? 1 : t; }

typedef struct bounds {
    double low, high;  // of the distance; low is NaN or negative if nothing is known
    double a[3], b[3]; // heights of the corners along w
    double slack;      // error of a difference of two heights
    double length;     // |w|, rounded down
    bool usable;
} bounds;

typedef struct closest_so_far {
    vector p, q;
    double square;
} closest_so_far;

static inline void offer(closest_so_far *best, vector p, vector q)
{
    vector w = minus(q, p);
    double square = dot(w, w);
    if (square < best->square)
        *best = (closest_so_far){p, q, square};
}

// True if these two edges hold the closest points of the triangles: both third corners lie beyond
// the planes through the points found.
static bool offer_edges(closest_so_far *best, const vector a[3], int i, const vector b[3], int j)
{
    vector p = a[i], q = b[j];
    vector d1 = minus(a[(i + 1) % 3], p), d2 = minus(b[(j + 1) % 3], q), r = minus(p, q);
    double d11 = dot(d1, d1), d22 = dot(d2, d2), d12 = dot(d1, d2);
    double r1 = dot(d1, r), r2 = dot(d2, r);
    double denominator = d11 * d22 - d12 * d12;
    double s = denominator > 0 ? clamp((d12 * r2 - r1 * d22) / denominator) : 0;
    double t = d22 > 0 ? (d12 * s + r2) / d22 : 0;
    if (!(t >= 0 && t <= 1)) {
        t = clamp(t);
        s = d11 > 0 ? clamp((d12 * t - r1) / d11) : 0;
    }
    vector from = along(p, d1, s), to = along(q, d2, t), w = minus(to, from);
    offer(best, from, to);
    return dot(w, minus(a[(i + 2) % 3], from)) <= 0 && dot(w, minus(b[(j + 2) % 3], to)) >= 0;
}

// The foot of p in the face, if it is inside. `flip`: p is a corner of B.
static void offer_foot(closest_so_far *best, vector p, const vector face[3], bool flip)
{
    vector u = minus(face[1], face[0]), v = minus(face[2], face[0]), w = minus(p, face[0]);
    double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v);
    double denominator = uu * vv - uv * uv;
    double s = (vv * wu - uv * wv) / denominator, t = (uu * wv - uv * wu) / denominator;
    if (!(denominator > 0 && s >= 0 && t >= 0 && s + t <= 1))
        return;
    vector foot = along(along(face[0], u, s), v, t);
    if (flip)
        offer(best, foot, p);
    else
        offer(best, p, foot);
}

static bounds find_bounds(const graze_triangle *a, const graze_triangle *b)
{
    bounds result = {.usable = false};
    const double *origin = a->corner[0];
    vector va[3], vb[3];
    double largest = 0;
    for (int i = 0; i < 3; ++i) {
        const double *p = a->corner[i], *q = b->corner[i];
        va[i] = (vector){p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]};
        vb[i] = (vector){q[0] - origin[0], q[1] - origin[1], q[2] - origin[2]};
        largest = greater(largest, greater(fabs(va[i].x), greater(fabs(va[i].y), fabs(va[i].z))));
        largest = greater(largest, greater(fabs(vb[i].x), greater(fabs(vb[i].y), fabs(vb[i].z))));
    }
    if (!(largest >= SAFE_LOW && largest <= SAFE_HIGH))
        return result;

    closest_so_far best = {.square = HUGE_VAL};
    bool found = false;
    for (int i = 0; i < 9 && !found; ++i)
        found = offer_edges(&best, va, i / 3, vb, i % 3);
    for (int i = 0; i < 3 && !found; ++i) {
        offer_foot(&best, va[i], vb, false);
        offer_foot(&best, vb[i], va, true);
    }
    vector w = minus(best.q, best.p);
    double length = sqrt(best.square), sum = fabs(w.x) + fabs(w.y) + fabs(w.z);
    double highest_a = -HUGE_VAL, lowest_b = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        result.a[i] = dot(w, va[i]);
        result.b[i] = dot(w, vb[i]);
        highest_a = greater(highest_a, result.a[i]);
        lowest_b = lesser(lowest_b, result.b[i]);
    }
    result.slack = 2 * DOT_ERROR * largest * sum;
    result.length = length * (1 + 4 * UNIT);
    result.low = (lowest_b - highest_a - result.slack) / result.length * (1 - 4 * UNIT);
    result.high = result.length + POINT_ERROR * largest;
    result.usable = length > SAFE_LOW * SAFE_LOW;
    return result;
}

// The exact side.

typedef struct exact_pair {
    gz_big3 a[3], b[3];
    int exponent;
} exact_pair;

// Two features, by corner numbers: a vertex, an edge from it to the next corner, or the face.
typedef struct feature_pair {
    int a_size, a, b_size, b; // size: 1 vertex, 2 edge, 3 face
} feature_pair;

// The square of the distance is numerator / denominator * 2^(2 exponent).
typedef struct fraction {
    gz_big numerator, denominator;
} fraction;

static bool inside(gz_big value, gz_big limit) // 0 < value < limit
{
    return value.sign > 0 && gz_big_compare(value, limit) < 0;
}

static const uint64_t one_limb[1] = {1};
static const gz_big one = {one_limb, 1, 1};

static bool vertex_vertex(gz_space *space, gz_big3 p, gz_big3 q, fraction *out)
{
    gz_took(GZ_BRANCH_VERTEX_VERTEX);
    gz_big3 w = gz_big3_sub(space, q, p);
    *out = (fraction){gz_big3_dot(space, w, w), one};
    return true;
}

static bool vertex_edge(gz_space *space, gz_big3 p, gz_big3 from, gz_big3 to, fraction *out)
{
    gz_took(GZ_BRANCH_VERTEX_EDGE);
    gz_big3 u = gz_big3_sub(space, to, from), w = gz_big3_sub(space, p, from);
    gz_big uu = gz_big3_dot(space, u, u);
    if (!inside(gz_big3_dot(space, w, u), uu))
        return false;
    gz_big3 n = gz_big3_cross(space, w, u);
    *out = (fraction){gz_big3_dot(space, n, n), uu};
    return true;
}

static gz_big3 normal_of(gz_space *space, const gz_big3 face[3])
{
    return gz_big3_cross(space, gz_big3_sub(space, face[1], face[0]),
                         gz_big3_sub(space, face[2], face[0]));
}

static bool vertex_face(gz_space *space, gz_big3 p, const gz_big3 face[3], fraction *out)
{
    gz_took(GZ_BRANCH_VERTEX_FACE);
    gz_big3 n = normal_of(space, face);
    for (int i = 0; i < 3; ++i) {
        gz_big3 edge = gz_big3_sub(space, face[(i + 1) % 3], face[i]);
        gz_big3 w = gz_big3_sub(space, p, face[i]);
        if (gz_big3_dot(space, gz_big3_cross(space, edge, w), n).sign <= 0)
            return false; // also where the face has no area
    }
    gz_big height = gz_big3_dot(space, n, gz_big3_sub(space, p, face[0]));
    *out = (fraction){gz_big_mul(space, height, height), gz_big3_dot(space, n, n)};
    return true;
}

static bool edge_edge(gz_space *space, const gz_big3 p[2], const gz_big3 q[2], fraction *out)
{
    gz_took(GZ_BRANCH_EDGE_EDGE);
    gz_big3 u = gz_big3_sub(space, p[1], p[0]), v = gz_big3_sub(space, q[1], q[0]);
    gz_big3 w = gz_big3_sub(space, q[0], p[0]), n = gz_big3_cross(space, u, v);
    gz_big nn = gz_big3_dot(space, n, n);
    if (!inside(gz_big3_dot(space, gz_big3_cross(space, w, v), n), nn) ||
        !inside(gz_big3_dot(space, gz_big3_cross(space, w, u), n), nn))
        return false;
    gz_big gap = gz_big3_dot(space, w, n);
    *out = (fraction){gz_big_mul(space, gap, gap), nn};
    return true;
}

// False if the closest points of the two features are not inside both: others have them then.
static bool distance_of(gz_space *space, const exact_pair *pair, feature_pair f, fraction *out)
{
    const gz_big3 *a = pair->a, *b = pair->b;
    gz_big3 edge_a[2] = {a[f.a], a[(f.a + 1) % 3]}, edge_b[2] = {b[f.b], b[(f.b + 1) % 3]};
    if (f.a_size == 1 && f.b_size == 1)
        return vertex_vertex(space, a[f.a], b[f.b], out);
    if (f.a_size == 1 && f.b_size == 2)
        return vertex_edge(space, a[f.a], edge_b[0], edge_b[1], out);
    if (f.a_size == 2 && f.b_size == 1)
        return vertex_edge(space, b[f.b], edge_a[0], edge_a[1], out);
    if (f.a_size == 1 && f.b_size == 3)
        return vertex_face(space, a[f.a], b, out);
    if (f.a_size == 3 && f.b_size == 1)
        return vertex_face(space, b[f.b], a, out);
    return edge_edge(space, edge_a, edge_b, out);
}

#define FEATURE_PAIRS 42

// In a fixed order, vertices first; the order settles ties.
static void list_features(feature_pair list[FEATURE_PAIRS])
{
    static const int sizes[6][2] = {{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 1}, {2, 2}};
    int count = 0;
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < (sizes[k][0] == 3 ? 1 : 3); ++i)
            for (int j = 0; j < (sizes[k][1] == 3 ? 1 : 3); ++j)
                list[count++] = (feature_pair){sizes[k][0], i, sizes[k][1], j};
}

// Proved to be farther apart than `limit`?
static bool beyond(const bounds *known, feature_pair f, double limit)
{
    if (!known->usable)
        return false;
    double top_a = -HUGE_VAL, bottom_b = HUGE_VAL;
    for (int k = 0; k < f.a_size; ++k)
        top_a = greater(top_a, known->a[(f.a + k) % 3]);
    for (int k = 0; k < f.b_size; ++k)
        bottom_b = lesser(bottom_b, known->b[(f.b + k) % 3]);
    return bottom_b - top_a - known->slack > limit * known->length * (1 + 8 * UNIT);
}

static exact_pair make_pair(gz_space *space, const graze_triangle *a, const graze_triangle *b,
                            int exponent)
{
    exact_pair pair;
    exponent = gz_common_exponent(&a->corner[0][0], 9, exponent);
    pair.exponent = gz_common_exponent(&b->corner[0][0], 9, exponent);
    for (int i = 0; i < 3; ++i) {
        pair.a[i] = gz_big3_of_doubles(space, a->corner[i], pair.exponent);
        pair.b[i] = gz_big3_of_doubles(space, b->corner[i], pair.exponent);
    }
    return pair;
}

static __attribute__((noinline)) int within_exact(const graze_triangle *a, const graze_triangle *b,
                                                  double tolerance, const bounds *known)
{
    gz_took(GZ_BRANCH_WITHIN_EXACT);
    GZ_SPACE_ON_STACK(space, SPACE_LIMBS);
    exact_pair pair = make_pair(&space, a, b, gz_common_exponent(&tolerance, 1, GZ_NO_EXPONENT));
    gz_big limit = gz_big_of_double(&space, tolerance, pair.exponent);
    limit = gz_big_mul(&space, limit, limit);
    feature_pair list[FEATURE_PAIRS];
    list_features(list);
    for (int i = 0; i < FEATURE_PAIRS; ++i) {
        gz_space scratch = space;
        fraction square;
        if (!beyond(known, list[i], tolerance) && distance_of(&scratch, &pair, list[i], &square) &&
            gz_big_compare(square.numerator, gz_big_mul(&scratch, limit, square.denominator)) <= 0)
            return 1;
    }
    return 0;
}

// A gap along one axis that is too wide. Exact: rounding keeps order, and the tolerance is a
// double.
static bool boxes_beyond(const graze_triangle *a, const graze_triangle *b, double tolerance)
{
    for (int axis = 0; axis < 3; ++axis) {
        double low_a = HUGE_VAL, high_a = -HUGE_VAL, low_b = HUGE_VAL, high_b = -HUGE_VAL;
        for (int i = 0; i < 3; ++i) {
            double x = a->corner[i][axis], y = b->corner[i][axis];
            low_a = x < low_a ? x : low_a;
            high_a = x > high_a ? x : high_a;
            low_b = y < low_b ? y : low_b;
            high_b = y > high_b ? y : high_b;
        }
        if (low_b - high_a > tolerance || low_a - high_b > tolerance)
            return true;
    }
    return false;
}

int gz_triangle_within(const graze_triangle *a, const graze_triangle *b, double tolerance)
{
    if (boxes_beyond(a, b, tolerance))
        return 0;
    if (gz_triangle_meet(a, b))
        return 1;
    if (tolerance == 0)
        return 0;
    bounds known = find_bounds(a, b);
    if (known.usable && known.low > tolerance)
        return 0;
    if (known.usable && known.high <= tolerance)
        return 1;
    return within_exact(a, b, tolerance, &known);
}

// Where the two features are closest, on A's side; B's is the same with roles swapped.
static gz_big_point foot_on(gz_space *space, const gz_big3 mine[3], int size, int index,
                            const gz_big3 other[3], int other_size, int other_index)
{
    gz_big3 from = mine[index], to = mine[(index + 1) % 3], p = other[other_index];
    if (size == 1)
        return (gz_big_point){from, one};
    if (size == 3) { // p - n (n . (p - face)) / n . n
        gz_big3 n = normal_of(space, mine);
        gz_big nn = gz_big3_dot(space, n, n);
        gz_big height = gz_big3_dot(space, n, gz_big3_sub(space, p, mine[0]));
        return (gz_big_point){
            gz_big3_sub(space, gz_big3_scale(space, p, nn), gz_big3_scale(space, n, height)), nn};
    }
    gz_big3 u = gz_big3_sub(space, to, from), w = gz_big3_sub(space, p, from);
    gz_big part = gz_big3_dot(space, w, u), whole = gz_big3_dot(space, u, u);
    if (other_size == 2) {
        gz_big3 v = gz_big3_sub(space, other[(other_index + 1) % 3], p);
        gz_big3 n = gz_big3_cross(space, u, v);
        whole = gz_big3_dot(space, n, n);
        part = gz_big3_dot(space, gz_big3_cross(space, w, v), n);
    }
    // from + u part / whole, written as the zero of a value that runs from part to part - whole.
    return gz_big_point_between(space, from, part, to, gz_big_sub(space, part, whole));
}

// Within one ulp also where the square would not fit a double: halve the exponent by hand.
static double root_of(gz_space space, fraction square, int exponent)
{
    int log2 = gz_big_bits(square.numerator) - gz_big_bits(square.denominator) + 2 * exponent;
    int half = log2 / 2;
    double reduced =
        gz_big_ratio(space, square.numerator, square.denominator, 2 * exponent - 2 * half);
    return ldexp(sqrt(reduced), half);
}

// The square of the distance, in one of two halves of the space, and the features that have it.
typedef struct exact_square {
    fraction square;
    feature_pair features;
    gz_space rest; // what the square does not use: the other half
} exact_square;

static exact_square square_of(gz_space space, const exact_pair *pair, const bounds *known)
{
    feature_pair list[FEATURE_PAIRS];
    list_features(list);
    // The best so far and its rival live in two halves of the space; they change places.
    uint64_t half = (uint64_t)(space.end - space.next) / 2;
    gz_space spaces[2] = {{space.next, space.next + half}, {space.next + half, space.end}};
    gz_space used[2] = {spaces[0], spaces[1]};
    int best = -1, rival = 0;
    fraction squares[2];
    for (int i = 0; i < FEATURE_PAIRS; ++i) {
        used[rival] = spaces[rival];
        if (beyond(known, list[i], known->high) ||
            !distance_of(&used[rival], pair, list[i], &squares[rival]))
            continue;
        if (best >= 0) {
            gz_space scratch = used[rival];
            gz_big mine =
                gz_big_mul(&scratch, squares[rival].numerator, squares[1 - rival].denominator);
            gz_big yours =
                gz_big_mul(&scratch, squares[1 - rival].numerator, squares[rival].denominator);
            if (gz_big_compare(mine, yours) >= 0)
                continue;
        }
        best = i;
        rival = 1 - rival;
    }
    return (exact_square){squares[1 - rival], list[best], spaces[rival]};
}

// From corner p to the closest point of an edge, times a positive number.
static gz_big3 toward_edge(gz_space *space, gz_big3 p, gz_big3 from, gz_big3 to)
{
    gz_big3 u = gz_big3_sub(space, to, from), w = gz_big3_sub(space, from, p);
    gz_big3 across = gz_big3_scale(space, w, gz_big3_dot(space, u, u));
    return gz_big3_sub(space, across, gz_big3_scale(space, u, gz_big3_dot(space, w, u)));
}

// From A's closest point to B's, times a positive number: of degree 3 at most, and without the
// points. The two features share no point.
static gz_big3 toward_of(gz_space *space, const exact_pair *pair, feature_pair f)
{
    const gz_big3 *a = pair->a, *b = pair->b;
    gz_big3 w = gz_big3_sub(space, b[f.b], a[f.a]), n;
    if (f.a_size == 1 && f.b_size == 1)
        return w;
    if (f.a_size == 1 && f.b_size == 2)
        return toward_edge(space, a[f.a], b[f.b], b[(f.b + 1) % 3]);
    if (f.a_size == 2 && f.b_size == 1) {
        n = toward_edge(space, b[f.b], a[f.a], a[(f.a + 1) % 3]);
        return (gz_big3){gz_big_negate(n.x), gz_big_negate(n.y), gz_big_negate(n.z)};
    }
    if (f.a_size == 2)
        n = gz_big3_cross(space, gz_big3_sub(space, a[(f.a + 1) % 3], a[f.a]),
                          gz_big3_sub(space, b[(f.b + 1) % 3], b[f.b]));
    else
        n = normal_of(space, f.a_size == 3 ? a : b);
    if (gz_big3_dot(space, w, n).sign > 0)
        return n;
    return (gz_big3){gz_big_negate(n.x), gz_big_negate(n.y), gz_big_negate(n.z)};
}

// Each coordinate rounded once, after the power of two that makes the largest about 1.
static void round_direction(gz_space space, gz_big3 direction, double out[3])
{
    const gz_big part[3] = {direction.x, direction.y, direction.z};
    int bits = 0;
    for (int axis = 0; axis < 3; ++axis)
        bits = gz_big_bits(part[axis]) > bits ? gz_big_bits(part[axis]) : bits;
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = gz_big_ratio(space, part[axis], one, -bits);
}

void gz_triangle_closest_apart(const graze_triangle *a, const graze_triangle *b, graze_closest *out,
                               double toward[3])
{
    bounds known = find_bounds(a, b);
    GZ_SPACE_ON_STACK(space, SPACE_LIMBS);
    exact_pair pair = make_pair(&space, a, b, GZ_NO_EXPONENT);
    exact_square found = square_of(space, &pair, &known);
    gz_space scratch = found.rest;
    fraction square = found.square;
    out->distance_squared =
        gz_big_ratio(scratch, square.numerator, square.denominator, 2 * pair.exponent);
    out->distance = root_of(scratch, square, pair.exponent);
    feature_pair f = found.features;
    gz_big_point point = foot_on(&scratch, pair.a, f.a_size, f.a, pair.b, f.b_size, f.b);
    gz_big_point_round(scratch, &point, pair.exponent, out->point_a);
    scratch = found.rest;
    point = foot_on(&scratch, pair.b, f.b_size, f.b, pair.a, f.a_size, f.a);
    gz_big_point_round(scratch, &point, pair.exponent, out->point_b);
    if (toward == NULL)
        return;
    scratch = found.rest;
    gz_big3 direction = toward_of(&scratch, &pair, f);
    round_direction(scratch, direction, toward);
}

void gz_triangle_closest(const graze_triangle *a, const graze_triangle *b, graze_closest *out)
{
    if (!gz_triangle_meet(a, b)) {
        gz_triangle_closest_apart(a, b, out, NULL);
        return;
    }
    graze_intersection common;
    gz_triangle_intersect(a, b, &common);
    *out = (graze_closest){.distance = 0};
    for (int axis = 0; axis < 3; ++axis)
        out->point_a[axis] = out->point_b[axis] = common.point[0][axis];
}

void gz_triangle_bounds(const graze_triangle *a, const graze_triangle *b, double *low, double *high)
{
    bounds known = find_bounds(a, b);
    *low = known.usable && known.low > 0 ? known.low : 0;
    *high = known.usable ? known.high : HUGE_VAL;
}

// Is w . (v - base) above zero, or below for sign -1? A difference is off by u of itself, w too,
// and the sum of three products by 3 u: below 8 u of the sum of their magnitudes.
static bool is_beyond(const double w[3], const double v[3], const double base[3], int sign)
{
    double sum = 0, size = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double term = w[axis] * (v[axis] - base[axis]);
        sum += term;
        size += fabs(term);
    }
    return size < SAFE_HIGH && size > SAFE_LOW && sum * sign > 8 * UNIT * size;
}

bool gz_triangle_corners_closest(const graze_triangle *a, const graze_triangle *b, int *i, int *j)
{
    double least = HUGE_VAL, w[3] = {0, 0, 0};
    for (int k = 0; k < 9; ++k) {
        const double *p = a->corner[k / 3], *q = b->corner[k % 3];
        double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square < least) {
            least = square;
            *i = k / 3;
            *j = k % 3;
            for (int axis = 0; axis < 3; ++axis)
                w[axis] = d[axis];
        }
    }
    if (least == HUGE_VAL)
        return false;
    for (int k = 1; k < 3; ++k)
        if (!is_beyond(w, a->corner[(*i + k) % 3], a->corner[*i], -1) ||
            !is_beyond(w, b->corner[(*j + k) % 3], b->corner[*j], 1))
            return false;
    return true;
}

int gz_triangle_compare(const graze_triangle *a, const graze_triangle *b, const graze_triangle *c,
                        const graze_triangle *d)
{
    GZ_SPACE_ON_STACK(space, 3 * SPACE_LIMBS);
    int exponent = gz_common_exponent(&a->corner[0][0], 9, GZ_NO_EXPONENT);
    exponent = gz_common_exponent(&b->corner[0][0], 9, exponent);
    exact_pair second = make_pair(&space, c, d, exponent);
    exact_pair first = make_pair(&space, a, b, second.exponent);
    GZ_ASSERT(first.exponent == second.exponent);
    uint64_t third = (uint64_t)(space.end - space.next) / 3;
    bounds known = find_bounds(a, b);
    fraction x = square_of((gz_space){space.next, space.next + third}, &first, &known).square;
    known = find_bounds(c, d);
    fraction y =
        square_of((gz_space){space.next + third, space.next + 2 * third}, &second, &known).square;
    gz_space scratch = {space.next + 2 * third, space.end};
    gz_big mine = gz_big_mul(&scratch, x.numerator, y.denominator);
    gz_big yours = gz_big_mul(&scratch, y.numerator, x.denominator);
    return gz_big_compare(mine, yours);
}

int graze_triangle_within(const graze_triangle *a, const graze_triangle *b, double tolerance)
{
    gz_fpu_state state = gz_fpu_enter();
    int within = gz_triangle_within(a, b, tolerance);
    gz_fpu_leave(state);
    return within;
}

void graze_triangle_closest(const graze_triangle *a, const graze_triangle *b, graze_closest *out)
{
    gz_fpu_state state = gz_fpu_enter();
    gz_triangle_closest(a, b, out);
    gz_fpu_leave(state);
}
