// Who watches the referee: the oracle against a second one that works in fractions and by other
// methods, and both against answers known beforehand.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "nasty.h"
#include "oracle.h"
#include "oracle_plain.h"

enum { SEED = 1 };

static void fail_pair(const char *what, int kind, uint64_t index)
{
    fail_msg("%s: seed %d kind %d (%s) index %llu", what, SEED, kind, nasty_kind_name(kind),
             (unsigned long long)index);
}

static bool same_corner(const oracle *o, const exact_point *p, const plain_vector *q)
{
    bool same = true;
    mpq_t x;
    mpq_init(x);
    for (int axis = 0; axis < 3 && same; ++axis) {
        mpq_set_num(x, p->x.c[axis]);
        mpq_set_den(x, p->w);
        mpq_canonicalize(x);
        if (o->exponent >= 0)
            mpq_mul_2exp(x, x, (mp_bitcnt_t)o->exponent);
        else
            mpq_div_2exp(x, x, (mp_bitcnt_t)-o->exponent);
        same = mpq_equal(x, q->c[axis]);
    }
    mpq_clear(x);
    return same;
}

static bool same_intersection(const oracle *o, const plain_polygon *polygon)
{
    if (o->corner_count != polygon->count)
        return false;
    for (int i = 0; i < polygon->count; ++i) {
        bool found = false;
        for (int j = 0; j < polygon->count && !found; ++j)
            found = same_corner(o, &o->intersection[i], &polygon->corner[j]);
        if (!found)
            return false;
    }
    return true;
}

static bool same_distance(const oracle *o, const mpq_t squared)
{
    mpq_t own;
    mpq_init(own);
    mpq_set_num(own, o->numerator);
    mpq_set_den(own, o->denominator);
    mpq_canonicalize(own);
    if (o->exponent >= 0)
        mpq_mul_2exp(own, own, (mp_bitcnt_t)(2 * o->exponent));
    else
        mpq_div_2exp(own, own, (mp_bitcnt_t)(-2 * o->exponent));
    bool same = mpq_equal(own, squared);
    mpq_clear(own);
    return same;
}

// The closest points really are that far apart.
static bool points_fit(oracle *o)
{
    mpz_t square, right;
    mpz_inits(square, right, NULL);
    exact_vector d;
    exact_vector_init(&d);
    exact_subtract(&d, &o->closest[1].x, &o->closest[0].x);
    exact_dot(square, &d, &d);
    mpz_mul(square, square, o->denominator);
    mpz_mul(right, o->closest[0].w, o->closest[1].w);
    mpz_mul(right, right, o->numerator);
    bool fit = mpz_cmp(square, right) == 0 && mpz_cmp(o->closest[0].w, o->closest[1].w) == 0;
    exact_vector_clear(&d);
    mpz_clears(square, right, NULL);
    return fit;
}

// The closest pairs are those that the plain one finds when b is moved onto a, for distances whose
// vector is a double: there a and the moved b have the closest set in common, or at least all of
// it.
static void oracles_agree(void **state)
{
    (void)state;
    oracle *o = oracle_create();
    plain_polygon polygon;
    plain_polygon_init(&polygon);
    mpq_t squared;
    mpq_init(squared);
    uint64_t met = 0, pairs = 0;
    for (int kind = 0; kind < nasty_kind_count(); ++kind) {
        for (uint64_t index = 0; index < TEST_CHANCES(100); ++index) {
            nasty_pair pair;
            nasty_make(SEED, kind, index, &pair);
            oracle_load(o, &pair.a, &pair.b);
            oracle_closest(o);
            plain_distance_squared(&pair.a, &pair.b, squared);
            if (!same_distance(o, squared))
                fail_pair("distance", kind, index);
            if (oracle_meet(o) != plain_meet(&pair.a, &pair.b))
                fail_pair("meet", kind, index);
            oracle_closest_set(o);
            if (!points_fit(o) || o->corner_count == 0)
                fail_pair("points", kind, index);
            oracle_intersect(o);
            plain_intersect(&pair.a, &pair.b, &polygon);
            if (!same_intersection(o, &polygon) || oracle_meet(o) != (polygon.count > 0))
                fail_pair("intersection", kind, index);
            met += oracle_meet(o);
            ++pairs;
        }
    }
    print_message("%llu of %llu pairs meet\n", (unsigned long long)met, (unsigned long long)pairs);
    assert_true(met > pairs / 4 && met < pairs * 3 / 4);
    mpq_clear(squared);
    plain_polygon_clear(&polygon);
    oracle_destroy(o);
}

typedef struct known_pair {
    graze_triangle a, b;
    double squared;      // the distance
    int corners;         // of the intersection
    int closest_corners; // of the set of closest points
    int dimension_a, dimension_b;
} known_pair;

static void known_answers(void **state)
{
    (void)state;
    const graze_triangle unit = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    const known_pair pairs[] = {
        {unit, {{{0, 0, 3}, {4, 0, 3}, {0, 4, 3}}}, 9, 0, 3, 2, 2},
        {unit, unit, 0, 3, 3, 2, 2},
        {unit, {{{4, 0, 0}, {0, 4, 0}, {4, 4, 0}}}, 0, 2, 2, 2, 2},
        {unit, {{{1, 1, -1}, {1, 1, 1}, {9, 9, 9}}}, 0, 2, 2, 2, 2},
        {unit, {{{1, 1, 2}, {1, 1, 2}, {1, 1, 2}}}, 4, 0, 1, 2, 0},
        {unit, {{{1, 1, 2}, {2, 1, 2}, {9, 1, 2}}}, 4, 0, 2, 2, 1},
        {unit, {{{-1, 1, 0}, {3, 5, 0}, {3, -3, 0}}}, 0, 5, 5, 2, 2},
        {unit, {{{3, 3, 0}, {3, -1, 0}, {-1, 3, 0}}}, 0, 6, 6, 2, 2},
        {unit, {{{7, 4, 0}, {8, 4, 0}, {7, 9, 0}}}, 24.5, 0, 1, 2, 2},
        {{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}}, {{{1, -1, 5}, {1, 1, 5}, {1, 0, 5}}}, 25, 0, 1, 1, 1},
        {{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}}, {{{1, 0, 5}, {7, 0, 5}, {3, 0, 5}}}, 25, 0, 2, 1, 1},
    };
    oracle *o = oracle_create();
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        oracle_load(o, &pairs[i].a, &pairs[i].b);
        oracle_closest(o);
        assert_true(exact_round(o->numerator, o->denominator, 2 * o->exponent) == pairs[i].squared);
        oracle_closest_set(o);
        assert_int_equal(o->corner_count, pairs[i].closest_corners);
        oracle_intersect(o);
        assert_int_equal(o->corner_count, pairs[i].corners);
        assert_int_equal(oracle_dimension(o, 0), pairs[i].dimension_a);
        assert_int_equal(oracle_dimension(o, 1), pairs[i].dimension_b);
    }
    oracle_destroy(o);
}

// The processor divides doubles with correct rounding too; powers of two take the quotient
// anywhere.
static void rounding_is_the_nearest(void **state)
{
    (void)state;
    test_random random = {3};
    mpz_t top, bottom;
    mpz_inits(top, bottom, NULL);
    for (int i = 0; i < 20000; ++i) {
        double x = (double)(test_next(&random) >> 11), y = 1.0 + (double)(test_next(&random) >> 40);
        if (i % 4 == 0)
            y = 2.0; // ties
        mpz_set_d(top, x);
        mpz_set_d(bottom, y);
        assert_true(exact_round(top, bottom, 0) == x / y);
        mpz_neg(top, top);
        assert_true(exact_round(top, bottom, 0) == -x / y);
        mpz_set_d(top, x);
        mpz_set_ui(bottom, 1);
        int down = 1074 + (int)(test_next(&random) % 55), up = 970 + (int)(test_next(&random) % 5);
        assert_true(exact_round(top, bottom, -down) == ldexp(x, -down));
        assert_true(exact_round(top, bottom, up) == ldexp(x, up));
        long exponent = 0;
        int64_t mantissa = exact_split(-x, &exponent);
        assert_true(x == 0 || ldexp((double)mantissa, (int)exponent) == -x);
        mpz_mul(top, top, top);
        assert_int_equal(exact_compare_square(x, top, bottom, 0), 0);
        assert_int_equal(exact_compare_square(nextafter(x, INFINITY), top, bottom, 0), 1);
        assert_int_equal(exact_compare_square(ldexp(x, -400), top, bottom, -400), 0);
        assert_int_equal(exact_compare_square(ldexp(x, -401), top, bottom, -400), -(x > 0));
    }
    mpz_clears(top, bottom, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_is_the_nearest),
        cmocka_unit_test(known_answers),
        cmocka_unit_test(oracles_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
