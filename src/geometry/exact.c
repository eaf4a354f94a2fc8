// Schoolbook arithmetic on limbs. Numbers are short, so nothing cleverer pays. See exact.h.
#include "geometry/exact.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/branches.h"

#define WIDE_LIMBS 4

static const gz_big zero = {0};

static uint64_t *take(gz_space *space, uint32_t count)
{
    GZ_ASSERT(count <= (uint64_t)(space->end - space->next));
    uint64_t *limbs = space->next;
    space->next += count;
    return limbs;
}

// Drops high zero limbs and gives back their room.
static gz_big finish(gz_space *space, uint64_t *limb, uint32_t count, int32_t sign)
{
    while (count != 0 && limb[count - 1] == 0)
        count--;
    space->next = limb + count;
    return count == 0 ? zero : (gz_big){limb, count, sign};
}

// value = mantissa * 2^exponent with an odd mantissa; zero has GZ_NO_EXPONENT.
static uint64_t split(double value, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & 0xfffffffffffffu;
    if (biased == 0)
        biased = 1;
    else
        mantissa |= UINT64_C(1) << 52;
    if (mantissa == 0) {
        *exponent = GZ_NO_EXPONENT;
        return 0;
    }
    int zeros = __builtin_ctzll(mantissa);
    *exponent = biased - 1075 + zeros;
    return mantissa >> zeros;
}

int gz_common_exponent(const double *values, uint32_t count, int so_far)
{
    for (uint32_t i = 0; i < count; ++i) {
        int exponent;
        split(values[i], &exponent);
        if (exponent < so_far)
            so_far = exponent;
    }
    return so_far;
}

gz_big gz_big_of_double(gz_space *space, double value, int exponent)
{
    int own;
    uint64_t mantissa = split(value, &own);
    if (mantissa == 0)
        return zero;
    GZ_ASSERT(own >= exponent);
    uint32_t shift = (uint32_t)(own - exponent);
    uint32_t low = shift / 64, bits = shift % 64;
    uint64_t *limb = take(space, low + 2);
    memset(limb, 0, low * sizeof *limb);
    limb[low] = mantissa << bits;
    limb[low + 1] = bits == 0 ? 0 : mantissa >> (64 - bits);
    return finish(space, limb, low + 2, value < 0 ? -1 : 1);
}

static int compare_limbs(const uint64_t *a, const uint64_t *b, uint32_t count)
{
    for (uint32_t i = count; i-- != 0;)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_magnitude(gz_big a, gz_big b)
{
    if (a.count != b.count)
        return a.count < b.count ? -1 : 1;
    return compare_limbs(a.limb, b.limb, a.count);
}

int gz_big_compare(gz_big a, gz_big b)
{
    if (a.sign != b.sign)
        return a.sign < b.sign ? -1 : 1;
    return a.sign * compare_magnitude(a, b);
}

// |a| + |b| with a at least as long as b.
static gz_big add_magnitude(gz_space *space, gz_big a, gz_big b, int32_t sign)
{
    uint64_t *limb = take(space, a.count + 1);
    uint64_t carry = 0;
    for (uint32_t i = 0; i < a.count; ++i) {
        uint64_t other = i < b.count ? b.limb[i] : 0;
        uint64_t sum = a.limb[i] + other;
        uint64_t total = sum + carry;
        carry = (uint64_t)((sum < other) | (total < sum));
        limb[i] = total;
    }
    limb[a.count] = carry;
    return finish(space, limb, a.count + 1, sign);
}

// a -= b in place, with a >= b, over `count` limbs of each.
static void subtract(uint64_t *out, const uint64_t *a, const uint64_t *b, uint32_t b_count,
                     uint32_t count)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t mine = a[i], other = i < b_count ? b[i] : 0;
        uint64_t difference = mine - other;
        out[i] = difference - borrow;
        borrow = (uint64_t)((mine < other) | (difference < borrow));
    }
}

// |a| - |b| with |a| >= |b|.
static gz_big sub_magnitude(gz_space *space, gz_big a, gz_big b, int32_t sign)
{
    uint64_t *limb = take(space, a.count);
    subtract(limb, a.limb, b.limb, b.count, a.count);
    return finish(space, limb, a.count, sign);
}

gz_big gz_big_add(gz_space *space, gz_big a, gz_big b)
{
    if (a.sign == 0)
        return b;
    if (b.sign == 0)
        return a;
    if (a.sign == b.sign)
        return a.count >= b.count ? add_magnitude(space, a, b, a.sign)
                                  : add_magnitude(space, b, a, a.sign);
    int order = compare_magnitude(a, b);
    if (order == 0)
        return zero;
    return order > 0 ? sub_magnitude(space, a, b, a.sign) : sub_magnitude(space, b, a, b.sign);
}

gz_big gz_big_sub(gz_space *space, gz_big a, gz_big b)
{
    return gz_big_add(space, a, gz_big_negate(b));
}

// The low limb of a * b + c + d, and the high one in *high; cannot overflow.
static inline uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t *high)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b + c + d;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32);
    uint64_t other = a0 * b1 + (uint32_t)middle;
    uint64_t top = a1 * b1 + (middle >> 32) + (other >> 32);
    uint64_t result = other << 32 | (uint32_t)low;
    result += c;
    top += result < c;
    result += d;
    top += result < d;
    *high = top;
    return result;
#endif
}

gz_big gz_big_mul(gz_space *space, gz_big a, gz_big b)
{
    if (a.sign == 0 || b.sign == 0)
        return zero;
    uint32_t count = a.count + b.count;
    if (count > WIDE_LIMBS)
        gz_took(GZ_BRANCH_WIDE_NUMBERS);
    uint64_t *limb = take(space, count);
    uint64_t carry = 0;
    for (uint32_t j = 0; j < b.count; ++j)
        limb[j] = multiply_add(a.limb[0], b.limb[j], carry, 0, &carry);
    limb[b.count] = carry;
    for (uint32_t i = 1; i < a.count; ++i) {
        carry = 0;
        for (uint32_t j = 0; j < b.count && a.limb[i] != 0; ++j) // long numbers are mostly zeros
            limb[i + j] = multiply_add(a.limb[i], b.limb[j], limb[i + j], carry, &carry);
        limb[i + b.count] = carry;
    }
    return finish(space, limb, count, a.sign * b.sign);
}

int gz_big_bits(gz_big a)
{
    return a.count == 0 ? 0 : (int)a.count * 64 - __builtin_clzll(a.limb[a.count - 1]);
}

// a * 2^shift into `count` limbs, which are enough.
static void shift_left(uint64_t *out, uint32_t count, gz_big a, uint32_t shift)
{
    uint32_t low = shift / 64, bits = shift % 64;
    memset(out, 0, count * sizeof *out);
    for (uint32_t i = 0; i < a.count; ++i) {
        out[i + low] |= a.limb[i] << bits;
        if (bits != 0)
            out[i + low + 1] = a.limb[i] >> (64 - bits);
    }
}

// (high * 2^64 + low) / divisor with high < divisor, so that the quotient fits.
static uint64_t divide_two_limbs(uint64_t high, uint64_t low, uint64_t divisor)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)high << 64 | low) / divisor);
#else
    uint64_t quotient = 0;
    for (int i = 0; i < 64; ++i) {
        bool carry = high >> 63 != 0;
        high = high << 1 | low >> 63;
        low <<= 1;
        quotient <<= 1;
        if (carry || high >= divisor) {
            high -= divisor;
            quotient |= 1;
        }
    }
    return quotient;
#endif
}

// One digit of long division (Knuth's algorithm D). The dividend has one limb more than the
// divisor, whose highest bit is set, and is less than 2^64 times it; the remainder stays in its
// place. The estimate from the leading limbs is at most 2 too large.
static uint64_t divide_digit(uint64_t *dividend, const uint64_t *divisor, uint32_t count)
{
    uint64_t lead = divisor[count - 1];
    uint64_t digit = dividend[count] >= lead
                         ? UINT64_MAX
                         : divide_two_limbs(dividend[count], dividend[count - 1], lead);
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t high;
        uint64_t low = multiply_add(digit, divisor[i], borrow, 0, &high);
        borrow = high + (uint64_t)(dividend[i] < low);
        dividend[i] -= low;
    }
    bool negative = dividend[count] < borrow;
    dividend[count] -= borrow;
    while (negative) { // take back one divisor at a time
        digit--;
        uint64_t carry = 0;
        for (uint32_t i = 0; i < count; ++i) {
            uint64_t sum = dividend[i] + divisor[i];
            uint64_t total = sum + carry;
            carry = (uint64_t)((sum < divisor[i]) | (total < sum));
            dividend[i] = total;
        }
        dividend[count] += carry;
        negative = dividend[count] != 0; // back at or above zero once the carry has cleared it
    }
    return digit;
}

// Packs a quotient q * 2^exponent, with 2^63 <= q and everything below it summed up in `rest`.
// One rounding only: places below a subnormal's last are cut off before it.
static double round_quotient(uint64_t q, bool rest, int exponent)
{
    int top = exponent + 63; // of the leading bit
    if (top > 1023) {
        gz_took(GZ_BRANCH_ROUND_OVERFLOW);
        return HUGE_VAL;
    }
    int drop = 11; // keep 53 bits
    if (top < -1022) {
        gz_took(GZ_BRANCH_ROUND_SUBNORMAL);
        drop += -1022 - top;
        if (drop > 64)
            return 0.0; // below half of the smallest subnormal
    }
    uint64_t kept = drop == 64 ? 0 : q >> drop;
    uint64_t half = UINT64_C(1) << (drop - 1);
    uint64_t below = drop == 64 ? q : q & ((half << 1) - 1);
    if (below > half || (below == half && (rest || (kept & 1) != 0)))
        kept++;
    double result = ldexp((double)kept, exponent + drop); // exact: kept has at most 53 bits
    if (isinf(result))
        gz_took(GZ_BRANCH_ROUND_OVERFLOW);
    return result;
}

double gz_big_ratio(gz_space space, gz_big numerator, gz_big denominator, int exponent)
{
    if (numerator.sign == 0)
        return 0.0;
    // Line both up so that divisor <= dividend / 2^63 < 2 divisor: the quotient is one limb then,
    // with its highest bit set, and what is left below it only matters for being there or not.
    int lead = gz_big_bits(numerator) - gz_big_bits(denominator);
    int shift = lead > 0 ? lead : 0; // of the denominator against the numerator
    uint32_t count = (uint32_t)(gz_big_bits(denominator) + shift + 63) / 64;
    uint32_t pad = count * 64 - (uint32_t)(gz_big_bits(denominator) + shift);
    uint64_t *divisor = take(&space, count + 1), *dividend = take(&space, count + 2);
    shift_left(divisor, count + 1, denominator, (uint32_t)shift + pad);
    shift_left(dividend, count + 2, numerator, (uint32_t)(shift - lead) + pad);
    int place = lead - 63; // the last bit of q weighs 2^place
    uint32_t up = 63;
    if (compare_limbs(dividend, divisor, count) < 0) {
        place--;
        up = 64;
    }
    shift_left(dividend, count + 2, numerator, (uint32_t)(shift - lead) + pad + up);
    uint64_t q = divide_digit(dividend, divisor, count);
    bool remainder = false;
    for (uint32_t i = 0; i < count; ++i)
        remainder |= dividend[i] != 0;
    double magnitude = round_quotient(q, remainder, place + exponent);
    return numerator.sign * denominator.sign < 0 ? -magnitude : magnitude;
}

gz_big3 gz_big3_of_doubles(gz_space *space, const double value[3], int exponent)
{
    gz_big3 v;
    v.x = gz_big_of_double(space, value[0], exponent);
    v.y = gz_big_of_double(space, value[1], exponent);
    v.z = gz_big_of_double(space, value[2], exponent);
    return v;
}

gz_big3 gz_big3_sub(gz_space *space, gz_big3 a, gz_big3 b)
{
    gz_big3 v;
    v.x = gz_big_sub(space, a.x, b.x);
    v.y = gz_big_sub(space, a.y, b.y);
    v.z = gz_big_sub(space, a.z, b.z);
    return v;
}

static gz_big determinant(gz_space *space, gz_big a, gz_big b, gz_big c, gz_big d) // a d - b c
{
    gz_big ad = gz_big_mul(space, a, d);
    gz_big bc = gz_big_mul(space, b, c);
    return gz_big_sub(space, ad, bc);
}

gz_big3 gz_big3_cross(gz_space *space, gz_big3 a, gz_big3 b)
{
    gz_big3 v;
    v.x = determinant(space, a.y, a.z, b.y, b.z);
    v.y = determinant(space, a.z, a.x, b.z, b.x);
    v.z = determinant(space, a.x, a.y, b.x, b.y);
    return v;
}

gz_big gz_big3_dot(gz_space *space, gz_big3 a, gz_big3 b)
{
    gz_big x = gz_big_mul(space, a.x, b.x);
    gz_big y = gz_big_mul(space, a.y, b.y);
    gz_big z = gz_big_mul(space, a.z, b.z);
    return gz_big_add(space, gz_big_add(space, x, y), z);
}

gz_big3 gz_big3_scale(gz_space *space, gz_big3 a, gz_big factor)
{
    gz_big3 v;
    v.x = gz_big_mul(space, a.x, factor);
    v.y = gz_big_mul(space, a.y, factor);
    v.z = gz_big_mul(space, a.z, factor);
    return v;
}

void gz_big_point_round(gz_space space, const gz_big_point *point, int exponent, double out[3])
{
    out[0] = gz_big_ratio(space, point->numerator.x, point->denominator, exponent);
    out[1] = gz_big_ratio(space, point->numerator.y, point->denominator, exponent);
    out[2] = gz_big_ratio(space, point->numerator.z, point->denominator, exponent);
}

gz_big_point gz_big_point_between(gz_space *space, gz_big3 p, gz_big at_p, gz_big3 q, gz_big at_q)
{
    gz_big_point point;
    point.numerator =
        gz_big3_sub(space, gz_big3_scale(space, p, at_q), gz_big3_scale(space, q, at_p));
    point.denominator = gz_big_sub(space, at_q, at_p);
    if (point.denominator.sign < 0) {
        point.denominator = gz_big_negate(point.denominator);
        point.numerator.x = gz_big_negate(point.numerator.x);
        point.numerator.y = gz_big_negate(point.numerator.y);
        point.numerator.z = gz_big_negate(point.numerator.z);
    }
    return point;
}
