// Distances and closest points before the oracle. See check.h.
//
// Where the closest pair is unique each coordinate must be the nearest double. Where it is not, the
// points said must be the roundings of some closest pair: the set of true closest points of a, cut
// down to those that round to point_a and whose partners round to point_b, must not be empty.
#include <math.h>

#include "check.h"
#include "oracle_plain.h"

// True if the squared distance is between the squares of the doubles before and after `said`.
static bool within_one_ulp(const oracle *o, double said)
{
    if (!(said >= 0))
        return false;
    if (said == 0 || oracle_meet(o))
        return said == 0 &&
               (oracle_meet(o) ||
                exact_compare_square(0x1p-1074, o->numerator, o->denominator, o->exponent) >= 0);
    double below = nextafter(said, 0.0), above = nextafter(said, INFINITY);
    if (exact_compare_square(below, o->numerator, o->denominator, o->exponent) > 0)
        return false;
    if (said > 0x1.fffffffffffffp1023)
        return true;
    if (above > 0x1.fffffffffffffp1023) // then compare with 2^1024, in units twice as large
        return exact_compare_square(0x1p1023, o->numerator, o->denominator, o->exponent - 1) >= 0;
    return exact_compare_square(above, o->numerator, o->denominator, o->exponent) >= 0;
}

// x / w * 2^exponent, rounded.
static void round_vector(const oracle *o, const exact_vector *x, const mpz_t w, double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = exact_round(x->c[axis], w, o->exponent);
}

static bool same_point(const double *p, const double *q)
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// Are the points said the roundings of corner i of the closest set, and of its partner?
static bool is_corner(oracle *o, int i, const graze_closest *said)
{
    const exact_point *p = &o->intersection[i];
    double a[3], b[3];
    round_vector(o, &p->x, p->w, a);
    if (!same_point(a, said->point_a))
        return false;
    // Partner: x / w + (q - p) / v = (x v + (q - p) w) / (w v).
    exact_subtract(&o->t0, &o->closest[1].x, &o->closest[0].x);
    exact_scale(&o->t1, o->closest[0].w, &p->x);
    exact_add_scaled(&o->t1, p->w, &o->t0);
    mpz_mul(o->s0, p->w, o->closest[0].w);
    round_vector(o, &o->t1, o->s0, b);
    return same_point(b, said->point_b);
}

// out = x / w * 2^exponent
static void fraction(const oracle *o, const mpz_t x, const mpz_t w, mpq_t out)
{
    mpq_set_num(out, x);
    mpq_set_den(out, w);
    mpq_canonicalize(out);
    if (o->exponent >= 0)
        mpq_mul_2exp(out, out, (mp_bitcnt_t)o->exponent);
    else
        mpq_div_2exp(out, out, (mp_bitcnt_t)-o->exponent);
}

// Cuts the polygon down to the points whose coordinate, plus `shift`, rounds to x.
static void keep_rounding_to(plain_polygon *polygon, int axis, double x, const mpq_t shift)
{
    plain_vector normal;
    plain_vector_init(&normal);
    mpq_t level, other;
    mpq_inits(level, other, NULL);
    for (int side = -1; side <= 1; side += 2) {
        double neighbour = nextafter(x, side > 0 ? -INFINITY : INFINITY);
        if (isinf(neighbour))
            continue; // all that is finite lies on this side
        mpq_set_d(level, x);
        mpq_set_d(other, neighbour);
        mpq_add(level, level, other);
        mpq_div_2exp(level, level, 1);
        mpq_sub(level, level, shift);
        if (side < 0)
            mpq_neg(level, level);
        mpq_set_si(normal.c[axis], side, 1);
        plain_polygon_clip(polygon, &normal, level);
    }
    mpq_clears(level, other, NULL);
    plain_vector_clear(&normal);
}

// The slow way: is there any closest pair that rounds to what was said?
static bool is_some_pair(oracle *o, const graze_closest *said)
{
    plain_polygon polygon;
    plain_polygon_init(&polygon);
    mpq_t shift, none;
    mpq_inits(shift, none, NULL);
    polygon.count = o->corner_count;
    for (int i = 0; i < o->corner_count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            fraction(o, o->intersection[i].x.c[axis], o->intersection[i].w,
                     polygon.corner[i].c[axis]);
    exact_subtract(&o->t0, &o->closest[1].x, &o->closest[0].x);
    for (int axis = 0; axis < 3; ++axis) {
        keep_rounding_to(&polygon, axis, said->point_a[axis], none);
        fraction(o, o->t0.c[axis], o->closest[0].w, shift);
        keep_rounding_to(&polygon, axis, said->point_b[axis], shift);
    }
    bool found = polygon.count > 0;
    mpq_clears(shift, none, NULL);
    plain_polygon_clear(&polygon);
    return found;
}

static bool points_right(oracle *o, const graze_closest *said)
{
    for (int axis = 0; axis < 3; ++axis)
        if (!isfinite(said->point_a[axis]) || !isfinite(said->point_b[axis]))
            return false;
    if (oracle_meet(o) && !same_point(said->point_a, said->point_b))
        return false;
    oracle_closest_set(o);
    for (int i = 0; i < o->corner_count; ++i)
        if (is_corner(o, i, said))
            return true;
    return o->corner_count > 1 && is_some_pair(o, said);
}

static bool same_bits(double x, double y) { return memcmp(&x, &y, sizeof x) == 0; }

const char *check_closest(check_state *state, const nasty_pair *pair)
{
    oracle *o = state->oracle;
    check_know_distance(state);
    graze_closest said;
    memset(&said, 0x55, sizeof said);
    graze_triangle_closest(&pair->a, &pair->b, &said);
    double squared = exact_round(o->numerator, o->denominator, 2 * o->exponent);
    if (!same_bits(said.distance_squared, squared))
        return "distance_squared";
    if (!within_one_ulp(o, said.distance))
        return "distance";
    if (!points_right(o, &said))
        return "a closest point";
    graze_triangle a = check_renumbered(&pair->a, state->number);
    graze_triangle b = check_renumbered(&pair->b, state->number / 6);
    graze_closest swapped;
    graze_triangle_closest(&b, &a, &swapped);
    if (!same_bits(swapped.distance_squared, said.distance_squared) ||
        !same_bits(swapped.distance, said.distance))
        return "distance, swapped and renumbered,";
    return NULL;
}
