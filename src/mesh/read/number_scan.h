// Numbers in a row, read with little waiting: the bytes of a line are looked at 64 at a time,
// digits are taken eight at a time, and one multiplication rounds nearly every decimal. What is not
// of the common form goes to number.h; the results have the same bits in any case.
//
// Rule: GZ_SCAN_AHEAD bytes behind a number's first may be read.
#ifndef GZ_NUMBER_SCAN_H
#define GZ_NUMBER_SCAN_H

#include "base/simd_bytes.h"
#include "mesh/number.h"
#include "mesh/number_powers.h"

#define GZ_SCAN_AHEAD 64u

// 64 bytes of text. Bits below `next` are cleared in the set, which holds all but digits.
typedef struct gz_scan {
    const uint8_t *text;
    uint64_t other, minus;
    uint64_t next; // where the next number should begin
} gz_scan;

static inline gz_scan gz_scan_at(const uint8_t *text)
{
    gz_byte_sets sets = gz_byte_sets_of(text);
    return (gz_scan){text, sets.other, sets.minus, 0};
}

static inline gz_scan gz_scan_without_signs(const uint8_t *text)
{
    gz_byte_sets sets = gz_byte_sets_of(text);
    return (gz_scan){text, sets.other & ~sets.minus, sets.minus, 0};
}

static inline const uint8_t *gz_scan_place(const gz_scan *scan) { return scan->text + scan->next; }

// digits * 10^exponent as the number of `precision` bits that is nearest, as its bits. `bias` is
// that of the format, for a mantissa taken as an integer. False if it is too near to the middle of
// two numbers to be told from it: the power has only 64 bits here, which makes the product too
// small by less than 2 in its upper half, and by less than 4 when its top bit is brought to the
// top. The digits are not 0; the result must not be subnormal or infinite.
static inline __attribute__((always_inline)) bool
gz_scan_round(uint64_t digits, int32_t exponent, uint32_t precision, int32_t bias, uint64_t *bits)
{
    int32_t zeros = __builtin_clzll(digits);
    uint64_t power = gz_powers_of_ten[exponent - GZ_POWER_FIRST].high;
    uint64_t high = gz_multiply(power, digits << zeros).high;
    uint64_t top = high >> 63, full = high << (1 - top);
    uint32_t drop = 64 - precision;
    uint64_t half = UINT64_C(1) << (drop - 1);
    int32_t last = (int32_t)(drop + top) + 127 + gz_power_exponent(exponent) - zeros;
    *bits = ((uint64_t)(last + bias - 1) << (precision - 1)) + (((full >> (drop - 1)) + 1) >> 1);
    return (full & (2 * half - 1)) - (half - 3) > 3;
}

// A decimal: sign, up to 8 digits, a point, up to 16 digits, 19 together; an exponent.
typedef struct gz_scan_decimal {
    uint64_t digits;
    int32_t exponent;
    uint64_t negative; // 0 or 1
} gz_scan_decimal;

// The exponent whose mark is at `next`, if it has at most three digits.
static inline bool gz_scan_exponent(gz_scan *scan, int32_t *exponent)
{
    const uint8_t *at = gz_scan_place(scan) + 1;
    bool negative = *at == '-';
    at += negative || *at == '+';
    const uint8_t *first = at;
    int32_t value = 0;
    for (; at < first + 4 && (uint8_t)(*at - '0') < 10; ++at)
        value = 10 * value + (*at - '0');
    uint32_t end = (uint32_t)(at - scan->text);
    if (at == first || at == first + 4 || end >= 64)
        return false;
    *exponent += negative ? -value : value;
    scan->other &= ~UINT64_C(0) << end;
    scan->next = end;
    return true;
}

// False if the number is not of this form, or not within the 64 bytes; the scan is then useless.
static inline __attribute__((always_inline)) bool gz_scan_take_decimal(gz_scan *scan,
                                                                       gz_scan_decimal *out)
{
    uint64_t start = scan->next;
    uint64_t sign = scan->minus & UINT64_C(1) << start;
    uint64_t other = scan->other ^ sign;
    out->negative = sign != 0;
    start += sign != 0;
    if (other == 0)
        return false;
    uint64_t point = (uint64_t)__builtin_ctzll(other), end = point;
    uint64_t whole = point - start, fraction = 0;
    if (whole > 8)
        return false;
    out->digits = gz_eight_digits(scan->text + start, (uint32_t)whole);
    if (scan->text[point] == '.') {
        other &= other - 1;
        if (other == 0)
            return false;
        end = (uint64_t)__builtin_ctzll(other);
        fraction = end - point - 1;
        if (fraction > 16 || whole + fraction > 19)
            return false;
        out->digits = out->digits * gz_small_powers[fraction] +
                      gz_sixteen_digits(scan->text + point + 1, (uint32_t)fraction);
    }
    if (whole + fraction == 0)
        return false;
    out->exponent = -(int32_t)fraction;
    scan->other = other;
    scan->next = end;
    uint8_t mark = scan->text[end] | 0x20;
    return (mark != 'e' && mark != 'd') || gz_scan_exponent(scan, &out->exponent);
}

// The form that most numbers have: sign, 1 to 8 digits, then perhaps a point and 1 to 16 digits, 19
// together. Takes half of the steps of gz_scan_take_decimal. False if it is another form, or not
// within the 64 bytes; the scan is then useless.
//
// The scan is one of gz_scan_without_signs: so the place of a number does not wait for the sign of
// the one before. Signs anywhere else than in front pass as digits, and what follows the number may
// be an exponent: both are for the caller to look at.
static inline __attribute__((always_inline)) bool gz_scan_take_common(gz_scan *scan,
                                                                      gz_scan_decimal *out)
{
    const uint8_t *text = scan->text;
    uint64_t start = scan->next;
    uint64_t other = scan->other;
    out->negative = scan->minus >> start & 1;
    start += out->negative;
    uint64_t point = gz_lowest_bit(other), end = point, fraction = 0;
    if (text[point] == '.') {
        other &= other - 1;
        end = gz_lowest_bit(other);
        fraction = end - point - 1;
        if (fraction - 1 >= 16)
            return false;
    }
    uint64_t whole = point - start;
    if (whole - 1 >= 8 || whole + fraction > 19)
        return false;
    out->digits = gz_decimal_digits(text + start, whole, text + point + 1, fraction);
    out->exponent = -(int32_t)fraction;
    scan->other = other;
    scan->next = end;
    return true;
}

// digits / 10^-exponent with one division, which rounds correctly if both are exact doubles. Asks
// the exponent first, which in one file is mostly the same.
static inline bool gz_scan_divide(const gz_scan_decimal *decimal, double *value)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    if (decimal->exponent < -8 || decimal->exponent > 0 || decimal->digits >> 53 != 0)
        return false;
    *value = (double)(int64_t)decimal->digits / powers[-decimal->exponent];
    return true;
}

// The number at `text`, any other way. False if there is none, or none that is finite.
bool gz_scan_long_double(gz_scan *scan, const uint8_t *text, double *value);
bool gz_scan_long_float(gz_scan *scan, const uint8_t *text, float *value);

// The decimal rounded. False if that takes more than one multiplication.
static inline __attribute__((always_inline)) bool gz_scan_to_double(const gz_scan_decimal *decimal,
                                                                    double *value)
{
    uint64_t bits = 0;
    if (gz_scan_divide(decimal, value))
        memcpy(&bits, value, sizeof bits);
    else if (decimal->digits == 0 || decimal->exponent < -300 || decimal->exponent > 280 ||
             !gz_scan_round(decimal->digits, decimal->exponent, 53, 1075, &bits))
        return false;
    bits |= decimal->negative << 63;
    memcpy(value, &bits, sizeof bits);
    return true;
}

static inline __attribute__((always_inline)) bool gz_scan_to_float(const gz_scan_decimal *decimal,
                                                                   float *value)
{
    double wide = 0;
    uint64_t bits = 0;
    // The quotient D / 10^k is rounded twice, which could matter only if it is not the middle
    // M * 2^-j of two floats but rounds to it as a double. Then |D * 2^j - M * 10^k| is at least 1
    // and at most 2^-54 * D * 2^j; but D * 2^j is about M * 10^k, which with 25 bits in M and
    // k <= 8 is below 2^52. (For negative j alike, with D below 2^53.)
    if (gz_scan_divide(decimal, &wide)) {
        float rounded = (float)wide;
        uint32_t narrow = 0;
        memcpy(&narrow, &rounded, sizeof narrow);
        bits = narrow;
    } else if (decimal->digits == 0 || decimal->exponent < -37 || decimal->exponent > 19 ||
               !gz_scan_round(decimal->digits, decimal->exponent, 24, 150, &bits)) {
        return false;
    }
    uint32_t narrow = (uint32_t)bits | (uint32_t)decimal->negative << 31;
    memcpy(value, &narrow, sizeof narrow);
    return true;
}

// The number at the scan's place. False if there is no finite one. Afterwards the scan is behind
// it.
static inline __attribute__((always_inline)) bool gz_scan_double(gz_scan *scan, double *value)
{
    gz_scan moved = *scan;
    gz_scan_decimal decimal;
    if (!gz_scan_take_decimal(&moved, &decimal) || !gz_scan_to_double(&decimal, value))
        return gz_scan_long_double(scan, gz_scan_place(scan), value);
    *scan = moved;
    return true;
}

static inline __attribute__((always_inline)) bool gz_scan_float(gz_scan *scan, float *value)
{
    gz_scan moved = *scan;
    gz_scan_decimal decimal;
    if (!gz_scan_take_decimal(&moved, &decimal) || !gz_scan_to_float(&decimal, value))
        return gz_scan_long_float(scan, gz_scan_place(scan), value);
    *scan = moved;
    return true;
}

// An integer of 1 to 16 digits without a sign; false if there is none.
static inline bool gz_scan_index(gz_scan *scan, uint64_t *value)
{
    if (scan->other == 0) // it does not end within the 64 bytes
        *scan = gz_scan_at(gz_scan_place(scan));
    uint64_t end = gz_lowest_bit(scan->other);
    uint32_t count = (uint32_t)(end - scan->next);
    const uint8_t *at = gz_scan_place(scan);
    if (count - 1 < 8)
        *value = gz_eight_digits(at, count);
    else if (count != 0 && count <= 16)
        *value = gz_sixteen_digits(at, count);
    else
        return false;
    scan->next = end;
    return true;
}

// Passes over the byte at the scan's place, which is not a digit.
static inline void gz_scan_pass(gz_scan *scan)
{
    scan->other &= scan->other - 1;
    if (++scan->next == 64)
        *scan = gz_scan_at(gz_scan_place(scan));
}

#endif
