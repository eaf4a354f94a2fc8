// Decimal to binary, correctly rounded. See number.h; printing is in number_print.c.
//
// Nearly all numbers have at most 19 digits. Those are an integer w times a power of ten:
//   1. Small w and small powers are exact as doubles, so one IEEE operation rounds correctly
//      (Clinger 1990).
//   2. Else w is multiplied by a 128-bit power (the idea of Eisel and Lemire, 2021). The power is a
//      little too small, so the true product lies in a known interval. If both of its ends round to
//      the same number, that is the answer.
//   3. Else, and it happens only next to the middle between two numbers, the decimal is compared
//      with that middle in integers of any length.
// Digits behind the 19th widen the interval of step 2, and are all looked at in step 3.
#include "mesh/number.h"

#include <stddef.h>
#include <string.h>

#include "base/context.h"
#include "mesh/number_powers.h"

#define WORD_DIGITS    19  // digits that always fit into 64 bits
#define EXACT_DIGITS   768 // the middle of two doubles never has more significant ones
#define EXPONENT_LIMIT INT64_C(100000000000000000)

// A floating-point format: value = mantissa * 2^exponent, mantissa of `precision` bits.
typedef struct format {
    int32_t precision;
    int32_t least_exponent; // of the last bit of subnormals
    uint64_t infinity;      // its bits
} format;
static const format binary64 = {53, -1074, UINT64_C(0x7ff) << 52};
static const format binary32 = {24, -149, UINT64_C(0xff) << 23};

// What the text says: digits * 10^exponent, a little more if `truncated`.
typedef struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool negative;
    bool truncated;             // digits behind the 19th were left out, and not all are 0
    const uint8_t *significant; // first digit that is not 0, if truncated
    const uint8_t *end;         // of the digits
    int64_t leading_exponent;   // of that digit
} decimal;

static bool is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

// True, and *text moved on, if it begins with the word in any case.
static bool take_word(const uint8_t **text, const char *word)
{
    const uint8_t *at = *text;
    for (; *word != '\0'; ++word, ++at)
        if ((*at | 0x20) != *word)
            return false;
    *text = at;
    return true;
}

// Infinities and NaNs, as bits of a double.
static const uint8_t *scan_word(const uint8_t *text, uint64_t *bits)
{
    if (take_word(&text, "inf")) {
        take_word(&text, "inity");
        *bits = binary64.infinity;
        return text;
    }
    if (!take_word(&text, "nan"))
        return NULL;
    *bits = binary64.infinity | UINT64_C(1) << 51;
    if (*text == '(') {
        const uint8_t *at = text + 1;
        while (is_digit(*at) || (uint8_t)((*at | 0x20) - 'a') < 26 || *at == '_')
            ++at;
        if (*at == ')')
            text = at + 1;
    }
    return text;
}

// The exponent behind the digits, if there is one.
static const uint8_t *scan_exponent(const uint8_t *text, int64_t *exponent)
{
    *exponent = 0;
    uint8_t mark = *text | 0x20;
    if (mark != 'e' && mark != 'd')
        return text;
    const uint8_t *at = text + 1;
    bool negative = *at == '-';
    at += negative || *at == '+';
    if (!is_digit(*at))
        return text;
    int64_t value = 0;
    for (; is_digit(*at); ++at)
        if (value < EXPONENT_LIMIT)
            value = value * 10 + (*at - '0');
    *exponent = negative ? -value : value;
    return at;
}

// More than 19 digits between `first` and `end`, zeros in front included: takes the first 19
// significant ones. `fraction` is where the digits behind the point begin.
static void take_leading_digits(const uint8_t *first, const uint8_t *end, const uint8_t *fraction,
                                decimal *out)
{
    while (first < end && (*first == '0' || *first == '.'))
        ++first;
    uint64_t digits = 0;
    int count = 0;
    const uint8_t *at = first;
    for (; at < end && count < WORD_DIGITS; ++at)
        if (*at != '.') {
            digits = digits * 10 + (uint64_t)(*at - '0');
            ++count;
        }
    // The exponent of the last digit taken, which is at - 1, or in front of a point there.
    int64_t exponent = at > fraction ? -(int64_t)(at - fraction) : 0;
    if (at < fraction)
        exponent = (int64_t)(fraction - at) - (fraction[-1] == '.');
    out->digits = digits;
    out->exponent += exponent;
    out->significant = first;
    out->end = end;
    out->leading_exponent = out->exponent + count - 1;
    for (; at < end && !out->truncated; ++at)
        out->truncated = *at != '0' && *at != '.';
}

// @return the byte behind the number, or NULL.
static const uint8_t *scan_decimal(const uint8_t *text, decimal *out)
{
    uint64_t digits = 0;
    const uint8_t *first = text;
    for (; is_digit(*text); ++text)
        digits = digits * 10 + (uint64_t)(*text - '0'); // wraps harmlessly: see below
    ptrdiff_t digit_count = text - first;
    const uint8_t *fraction = text;
    if (*text == '.') {
        fraction = ++text;
        for (; is_digit(*text); ++text)
            digits = digits * 10 + (uint64_t)(*text - '0');
        digit_count += text - fraction;
    }
    if (digit_count == 0)
        return NULL;
    const uint8_t *end = text;
    text = scan_exponent(text, &out->exponent);
    out->truncated = false;
    if (digit_count <= WORD_DIGITS) {
        out->digits = digits;
        out->exponent -= end - fraction;
    } else {
        take_leading_digits(first, end, fraction, out);
    }
    return text;
}

// The number nearest to value * 2^exponent, ties to even; `more` says that the value is larger by
// less than 1. Gives the bits without a sign.
static uint64_t round_to(const format *to, gz_power value, int32_t exponent, bool more)
{
    if (value.high == 0 && value.low == 0)
        return 0;
    int32_t zeros = value.high != 0 ? __builtin_clzll(value.high) : 64 + __builtin_clzll(value.low);
    int32_t shift = 128 - zeros - to->precision;
    int32_t last = exponent + shift; // exponent of the result's last bit
    if (last < to->least_exponent) {
        shift += to->least_exponent - last;
        last = to->least_exponent;
    }
    GZ_ASSERT(shift > 64); // precision is below 64, and values have more than 64 bits
    if (shift > 128)
        return 0;
    // The result's bits are above `shift`; all below 64 can only say more or exactly.
    more = more || value.low != 0;
    int32_t drop = shift - 64;
    uint64_t mantissa = drop < 64 ? value.high >> drop : 0;
    uint64_t rest = drop < 64 ? value.high & ((UINT64_C(1) << drop) - 1) : value.high;
    uint64_t half = UINT64_C(1) << (drop - 1);
    if (rest > half || (rest == half && (more || (mantissa & 1) != 0)))
        ++mantissa;
    // Adding carries into the exponent by itself, and a mantissa below 2^52 makes a subnormal.
    if (last - to->least_exponent > 2046)
        return to->infinity;
    uint64_t bits = mantissa + ((uint64_t)(last - to->least_exponent) << (to->precision - 1));
    return bits < to->infinity ? bits : to->infinity;
}

// Integers of any length that is needed here: 769 digits times a power of two, or 54 bits times
// 5^1110, are below 2^2700.
#define BIG_LIMBS 96
typedef struct big {
    uint32_t limb[BIG_LIMBS]; // least first
    uint32_t count;           // the last limb in use is not 0
} big;

static void big_multiply_add(big *number, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (uint32_t i = 0; i < number->count; ++i) {
        carry += (uint64_t)number->limb[i] * factor;
        number->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        GZ_ASSERT(number->count < BIG_LIMBS);
        number->limb[number->count++] = (uint32_t)carry;
    }
}

static void big_multiply_power_of_five(big *number, uint64_t power)
{
    for (; power >= 13; power -= 13)
        big_multiply_add(number, 1220703125, 0); // 5^13
    for (; power > 0; --power)
        big_multiply_add(number, 5, 0);
}

static void big_shift_left(big *number, uint64_t bits)
{
    uint32_t limbs = (uint32_t)(bits / 32);
    big_multiply_add(number, (uint32_t)1 << (bits % 32), 0);
    if (limbs == 0 || number->count == 0)
        return;
    GZ_ASSERT(number->count + (uint64_t)limbs <= BIG_LIMBS);
    memmove(number->limb + limbs, number->limb, number->count * sizeof(uint32_t));
    memset(number->limb, 0, limbs * sizeof(uint32_t));
    number->count += limbs;
}

static int big_compare(const big *a, const big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static big big_of(uint64_t value)
{
    big number = {.limb = {(uint32_t)value, (uint32_t)(value >> 32)}};
    number.count = value >> 32 != 0 ? 2 : value != 0;
    return number;
}

// All digits of a truncated decimal; *exponent gets that of the last. What is behind the 768th can
// only say "a little more", and one digit says that as well.
static big big_of_digits(const decimal *from, int64_t *exponent)
{
    big number = {.count = 0};
    int64_t count = 0;
    const uint8_t *at = from->significant;
    for (; at < from->end && count < EXACT_DIGITS; ++at)
        if (*at != '.') {
            big_multiply_add(&number, 10, (uint32_t)(*at - '0'));
            ++count;
        }
    while (at < from->end && (*at == '0' || *at == '.'))
        ++at;
    if (at < from->end) {
        big_multiply_add(&number, 10, 1);
        ++count;
    }
    *exponent = from->leading_exponent - (count - 1);
    return number;
}

// The decimal is at least `below` and at most the next number above: which is nearer?
static uint64_t round_exactly(const decimal *from, const format *to, uint64_t below)
{
    int64_t exponent = from->exponent;
    big number = from->truncated ? big_of_digits(from, &exponent) : big_of(from->digits);
    // The middle is (2 m + 1) * 2^(e - 1).
    uint64_t hidden = UINT64_C(1) << (to->precision - 1);
    uint64_t mantissa = below & (hidden - 1);
    int64_t binary = to->least_exponent - 1;
    if (below >= hidden) {
        binary += (int64_t)(below >> (to->precision - 1)) - 1;
        mantissa |= hidden;
    }
    big middle = big_of(2 * mantissa + 1);
    // Both times the same powers of five and two, so that both are integers.
    if (exponent > 0)
        big_multiply_power_of_five(&number, (uint64_t)exponent);
    else
        big_multiply_power_of_five(&middle, (uint64_t)-exponent);
    if (exponent > binary)
        big_shift_left(&number, (uint64_t)(exponent - binary));
    else
        big_shift_left(&middle, (uint64_t)(binary - exponent));
    int order = big_compare(&number, &middle);
    bool up = order > 0 || (order == 0 && (mantissa & 1) != 0);
    return below + up;
}

static uint64_t to_binary(const decimal *from, const format *to)
{
    if (from->digits == 0 || from->exponent < GZ_POWER_FIRST)
        return 0;
    if (from->exponent > 308)
        return to->infinity;
    int32_t q = (int32_t)from->exponent;
    int32_t zeros = __builtin_clzll(from->digits);
    uint64_t rest = 0;
    gz_power product =
        gz_multiply_power(gz_powers_of_ten[q - GZ_POWER_FIRST], from->digits << zeros, &rest);
    int32_t exponent = gz_power_exponent(q) + 64 - zeros;
    bool exact = q >= 0 && q <= GZ_POWER_EXACT && !from->truncated;
    uint64_t below = round_to(to, product, exponent, exact && rest != 0);
    if (exact)
        return below;
    // The power is less than 1 too small and the product was cut: less than 2 together. Digits
    // left out count as one more in the last that was taken.
    gz_power above = {product.high, product.low + 2};
    above.high += above.low < 2;
    if (from->truncated)
        above.high += UINT64_C(1) << zeros;
    // It wraps only if the product is within 2^-59 of a power of two: then it decides nothing.
    bool settled = above.high >= product.high && round_to(to, above, exponent, false) == below;
    return settled ? below : round_exactly(from, to, below);
}

static const double small_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// True if one operation on exact doubles gives the correctly rounded double.
static inline bool round_at_once(const decimal *from, double *value)
{
    if (from->truncated || from->digits > UINT64_C(1) << 53 || from->exponent < -22 ||
        from->exponent > 22)
        return false;
    double digits = (double)from->digits;
    *value = from->exponent < 0 ? digits / small_powers[-from->exponent]
                                : digits * small_powers[from->exponent];
    return true;
}

static inline double double_of(uint64_t bits)
{
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const uint8_t *gz_parse_double(const uint8_t *text, double *value)
{
    decimal read;
    read.negative = *text == '-';
    text += read.negative || *text == '+';
    const uint8_t *end = scan_decimal(text, &read);
    uint64_t bits = 0;
    if (end != NULL && round_at_once(&read, value)) {
        if (read.negative)
            *value = -*value;
        return end;
    }
    if (end != NULL)
        bits = to_binary(&read, &binary64);
    else
        end = scan_word(text, &bits);
    if (end != NULL)
        *value = double_of(bits | (uint64_t)read.negative << 63);
    return end;
}

// A double that is correctly rounded from the decimal may be rounded again, to float, unless it is
// exactly the middle of two floats: there the decimal itself must decide. What comes here is 0 or
// from 1e-22 to 2^53 * 1e22, within the range of normal floats.
static inline bool narrow(double value, float *out)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    *out = (float)value;
    return (bits & 0x1fffffff) != 0x10000000;
}

const uint8_t *gz_parse_float(const uint8_t *text, float *value)
{
    decimal read;
    read.negative = *text == '-';
    text += read.negative || *text == '+';
    const uint8_t *end = scan_decimal(text, &read);
    double wide = 0;
    if (end != NULL && round_at_once(&read, &wide) && narrow(wide, value)) {
        if (read.negative)
            *value = -*value;
        return end;
    }
    uint64_t bits = 0;
    if (end != NULL) {
        bits = to_binary(&read, &binary32);
    } else {
        end = scan_word(text, &bits);
        bits = (bits >> 29 & UINT64_C(0x7fffff)) | (bits != 0 ? binary32.infinity : 0);
    }
    uint32_t narrow_bits = (uint32_t)bits | (uint32_t)read.negative << 31;
    if (end != NULL)
        memcpy(value, &narrow_bits, sizeof *value);
    return end;
}

const uint8_t *gz_parse_int64(const uint8_t *text, int64_t *value)
{
    bool negative = *text == '-';
    text += negative || *text == '+';
    if (!is_digit(*text))
        return NULL;
    uint64_t number = 0;
    const uint8_t *safe = text + 18; // so many digits cannot overflow
    for (; is_digit(*text) && text < safe; ++text)
        number = number * 10 + (uint64_t)(*text - '0');
    uint64_t limit = (uint64_t)INT64_MAX + negative;
    for (; is_digit(*text); ++text) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (number > (limit - digit) / 10)
            return NULL;
        number = number * 10 + digit;
    }
    *value = (int64_t)(negative ? 0 - number : number);
    return text;
}
