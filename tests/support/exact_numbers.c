// The parts of exact_numbers.h that are worth a file: in from double, and out to double.
#include "exact_numbers.h"

#include <math.h>
#include <string.h>

void exact_vector_init(exact_vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpz_init2(v->c[i], 512);
}

void exact_vector_clear(exact_vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpz_clear(v->c[i]);
}

void exact_point_init(exact_point *p)
{
    exact_vector_init(&p->x);
    mpz_init2(p->w, 512);
}

void exact_point_clear(exact_point *p)
{
    exact_vector_clear(&p->x);
    mpz_clear(p->w);
}

int64_t exact_split(double x, long *exponent)
{
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52) & 0x7ff;
    if (biased != 0)
        mantissa |= UINT64_C(1) << 52;
    if (mantissa == 0) {
        *exponent = INT32_MAX;
        return 0;
    }
    int zeros = __builtin_ctzll(mantissa);
    *exponent = (biased != 0 ? biased : 1) - 1075 + zeros;
    mantissa >>= zeros;
    return bits >> 63 != 0 ? -(int64_t)mantissa : (int64_t)mantissa;
}

static void set_int64(mpz_t out, int64_t value)
{
    if (sizeof(long) >= sizeof(int64_t)) {
        mpz_set_si(out, (long)value);
        return;
    }
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    mpz_set_ui(out, (unsigned long)(magnitude >> 32));
    mpz_mul_2exp(out, out, 32);
    mpz_add_ui(out, out, (unsigned long)(magnitude & 0xffffffffu));
    if (value < 0)
        mpz_neg(out, out);
}

void exact_set(mpz_t out, double x, long exponent)
{
    long own = 0;
    int64_t mantissa = exact_split(x, &own);
    set_int64(out, mantissa);
    if (mantissa != 0 && own != exponent)
        mpz_mul_2exp(out, out, (mp_bitcnt_t)(own - exponent));
}

// Divides |numerator| * 2^shift by the denominator: a whole quotient, and on which side of a half
// the rest lies (-1, 0, 1), or -2 if there is none.
static int divide(mpz_t quotient, const mpz_t numerator, const mpz_t denominator, long shift)
{
    mpz_t top, bottom, rest;
    mpz_init(top);
    mpz_init(bottom);
    mpz_init(rest);
    mpz_abs(top, numerator);
    mpz_set(bottom, denominator);
    if (shift >= 0)
        mpz_mul_2exp(top, top, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(bottom, bottom, (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(quotient, rest, top, bottom);
    int side = -2;
    if (mpz_sgn(rest) != 0) {
        mpz_mul_2exp(rest, rest, 1);
        int order = mpz_cmp(rest, bottom);
        side = (order > 0) - (order < 0);
    }
    mpz_clear(top);
    mpz_clear(bottom);
    mpz_clear(rest);
    return side;
}

double exact_round(const mpz_t numerator, const mpz_t denominator, long exponent)
{
    if (mpz_sgn(numerator) == 0)
        return 0.0;
    // The value lies between 2^(size - 1) and 2^(size + 1).
    long size =
        (long)mpz_sizeinbase(numerator, 2) - (long)mpz_sizeinbase(denominator, 2) + exponent;
    long last = size - 53; // exponent of the last place
    if (last < -1074)
        last = -1074;
    mpz_t quotient;
    mpz_init(quotient);
    int side = divide(quotient, numerator, denominator, exponent - last);
    if (mpz_sizeinbase(quotient, 2) > 53) {
        ++last;
        side = divide(quotient, numerator, denominator, exponent - last);
    }
    if (side == 1 || (side == 0 && mpz_odd_p(quotient)))
        mpz_add_ui(quotient, quotient, 1);
    double magnitude = last > 2000 ? INFINITY : ldexp(mpz_get_d(quotient), (int)last);
    mpz_clear(quotient);
    return mpz_sgn(numerator) < 0 ? -magnitude : magnitude;
}

int exact_compare_square(double t, const mpz_t numerator, const mpz_t denominator, long exponent)
{
    long own = 0;
    int64_t mantissa = exact_split(t, &own);
    if (mantissa == 0 || mpz_sgn(numerator) == 0)
        return (mantissa != 0) - mpz_sgn(numerator);
    mpz_t left, right;
    mpz_init(left);
    mpz_init(right);
    set_int64(left, mantissa);
    mpz_mul(left, left, left);
    mpz_mul(left, left, denominator);
    mpz_set(right, numerator);
    long shift = 2 * (own - exponent);
    if (shift >= 0)
        mpz_mul_2exp(left, left, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(right, right, (mp_bitcnt_t)-shift);
    int order = mpz_cmp(left, right);
    mpz_clear(left);
    mpz_clear(right);
    return (order > 0) - (order < 0);
}
