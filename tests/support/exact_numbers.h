// Doubles as whole numbers, vectors and points of them, and the way back: the arithmetic of the
// referee. Built on GMP alone, nothing here rounds but exact_round, and that one says how.
#ifndef EXACT_NUMBERS_H
#define EXACT_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include <gmp.h>

typedef struct exact_vector {
    mpz_t c[3];
} exact_vector;

// The point x / w, with w > 0.
typedef struct exact_point {
    exact_vector x;
    mpz_t w;
} exact_point;

void exact_vector_init(exact_vector *v);
void exact_vector_clear(exact_vector *v);
void exact_point_init(exact_point *p);
void exact_point_clear(exact_point *p);

// x = mantissa * 2^exponent with an odd mantissa. Zero has mantissa 0 and exponent INT32_MAX, which
// is the neutral element when looking for the least exponent.
int64_t exact_split(double x, long *exponent);
// out = x * 2^-exponent, which must be a whole number.
void exact_set(mpz_t out, double x, long exponent);

// The double nearest to numerator / denominator * 2^exponent: ties to even, gradual underflow,
// infinity where it overflows. The denominator is positive.
double exact_round(const mpz_t numerator, const mpz_t denominator, long exponent);

// The sign of t^2 - numerator / denominator * 4^exponent, for finite t.
int exact_compare_square(double t, const mpz_t numerator, const mpz_t denominator, long exponent);

static inline void exact_copy(exact_vector *out, const exact_vector *a)
{
    for (int i = 0; i < 3; ++i)
        mpz_set(out->c[i], a->c[i]);
}
static inline void exact_subtract(exact_vector *out, const exact_vector *a, const exact_vector *b)
{
    for (int i = 0; i < 3; ++i)
        mpz_sub(out->c[i], a->c[i], b->c[i]);
}
static inline void exact_negate(exact_vector *a)
{
    for (int i = 0; i < 3; ++i)
        mpz_neg(a->c[i], a->c[i]);
}
// out = s * a
static inline void exact_scale(exact_vector *out, const mpz_t s, const exact_vector *a)
{
    for (int i = 0; i < 3; ++i)
        mpz_mul(out->c[i], s, a->c[i]);
}
// out += s * a
static inline void exact_add_scaled(exact_vector *out, const mpz_t s, const exact_vector *a)
{
    for (int i = 0; i < 3; ++i)
        mpz_addmul(out->c[i], s, a->c[i]);
}
// out -= s * a
static inline void exact_subtract_scaled(exact_vector *out, const mpz_t s, const exact_vector *a)
{
    for (int i = 0; i < 3; ++i)
        mpz_submul(out->c[i], s, a->c[i]);
}
static inline void exact_dot(mpz_t out, const exact_vector *a, const exact_vector *b)
{
    mpz_mul(out, a->c[0], b->c[0]);
    mpz_addmul(out, a->c[1], b->c[1]);
    mpz_addmul(out, a->c[2], b->c[2]);
}
// `out` is neither a nor b.
static inline void exact_cross(exact_vector *out, const exact_vector *a, const exact_vector *b)
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        mpz_mul(out->c[i], a->c[j], b->c[k]);
        mpz_submul(out->c[i], a->c[k], b->c[j]);
    }
}
static inline bool exact_is_zero(const exact_vector *a)
{
    return mpz_sgn(a->c[0]) == 0 && mpz_sgn(a->c[1]) == 0 && mpz_sgn(a->c[2]) == 0;
}
static inline bool exact_equal(const exact_vector *a, const exact_vector *b)
{
    return mpz_cmp(a->c[0], b->c[0]) == 0 && mpz_cmp(a->c[1], b->c[1]) == 0 &&
           mpz_cmp(a->c[2], b->c[2]) == 0;
}

#endif
