// Binary to the shortest decimal that reads back as the same bits. See number.h.
//
// The way is Giulietti's (Schubfach, 2020): scale the number and the ends of the interval that
// rounds to it by one power of ten, such that the interval is between 2 and 20 long; then the
// shortest decimal in it is one of four candidates. All ends are kept as "floor, or floor with a
// mark for more", which decides every comparison exactly with a 128-bit power.
#include "mesh/number.h"

#include <string.h>

#include "mesh/number_powers.h"

#define LEAST_PLAIN_EXPONENT (-5) // 0.00001 is written plain, 0.000001 as 1e-6
#define MOST_PLAIN_EXPONENT  16

// digits * 10^exponent
typedef struct shortest {
    uint64_t digits;
    int32_t exponent;
} shortest;

// Bits above the point of power * factor / 2^64, the last one set if anything is below it.
static uint64_t scale(gz_power power, uint64_t factor)
{
    uint64_t rest = 0;
    gz_power product = gz_multiply_power(power, factor, &rest);
    return product.high | (product.low > 1);
}

// The value is mantissa * 2^exponent; `lopsided`: the number below is only half as far away as the
// one above, as at powers of two.
static shortest find_shortest(uint64_t mantissa, int32_t exponent, bool lopsided)
{
    bool even = (mantissa & 1) == 0; // ends of the interval round to even numbers only
    int32_t k = (exponent * 1262611 - (lopsided ? 524031 : 0)) >> 22; // floor(log10(length))
    int32_t shift = exponent + gz_log2_of_ten(-k) + 1;
    gz_power power = gz_powers_of_ten[-k - GZ_POWER_FIRST];
    if (-k < 0 || -k > GZ_POWER_EXACT)
        power = (gz_power){power.high + (power.low == UINT64_MAX), power.low + 1}; // not too small
    // Quarters, so that the middles to both neighbours are integers.
    uint64_t lower = scale(power, (4 * mantissa - 2 + lopsided) << shift) + !even;
    uint64_t value = scale(power, (4 * mantissa) << shift);
    uint64_t upper = scale(power, (4 * mantissa + 2) << shift) - !even;
    uint64_t floor = value / 4;
    if (floor >= 10) {
        uint64_t tens = floor / 10;
        bool down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
        if (down != up)
            return (shortest){tens + up, k + 1};
    }
    bool down = lower <= 4 * floor, up = 4 * floor + 4 <= upper;
    if (down == up) { // both or none: the nearer one
        uint64_t middle = 4 * floor + 2;
        up = value > middle || (value == middle && (floor & 1) != 0);
    }
    return (shortest){floor + up, k};
}

char *gz_print_uint64(char *out, uint64_t value)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

static char *print_word(char *out, const char *word)
{
    size_t length = strlen(word);
    memcpy(out, word, length);
    return out + length;
}

static char *print_zeros(char *out, int32_t count)
{
    for (; count > 0; --count)
        *out++ = '0';
    return out;
}

static char *print_decimal(char *out, shortest number)
{
    while (number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    char digits[20];
    int32_t count = (int32_t)(gz_print_uint64(digits, number.digits) - digits);
    int32_t leading = number.exponent + count - 1; // exponent of the first digit
    if (leading < LEAST_PLAIN_EXPONENT || leading > MOST_PLAIN_EXPONENT) {
        *out++ = digits[0];
        if (count > 1) {
            *out++ = '.';
            memcpy(out, digits + 1, (size_t)count - 1);
            out += count - 1;
        }
        *out++ = 'e';
        if (leading < 0)
            *out++ = '-';
        return gz_print_uint64(out, (uint64_t)(leading < 0 ? -leading : leading));
    }
    if (leading < 0) {
        out = print_zeros(print_word(out, "0."), -leading - 1);
        memcpy(out, digits, (size_t)count);
        return out + count;
    }
    int32_t whole = leading + 1 < count ? leading + 1 : count; // digits in front of the point
    memcpy(out, digits, (size_t)whole);
    out = print_zeros(out + whole, leading + 1 - whole);
    if (whole < count) {
        *out++ = '.';
        memcpy(out, digits + whole, (size_t)(count - whole));
        out += count - whole;
    }
    return out;
}

// Bits of a format whose mantissa has `stored` bits, the sign taken away.
static char *print_bits(char *out, uint64_t bits, int32_t stored, int32_t least_exponent,
                        uint64_t infinity)
{
    if (bits >= infinity)
        return print_word(out, bits == infinity ? "inf" : "nan");
    if (bits == 0)
        return print_word(out, "0");
    uint64_t hidden = UINT64_C(1) << stored;
    uint64_t mantissa = bits & (hidden - 1);
    int32_t biased = (int32_t)(bits >> stored);
    bool lopsided = mantissa == 0 && biased > 1;
    if (biased == 0)
        return print_decimal(out, find_shortest(mantissa, least_exponent, false));
    mantissa |= hidden;
    int32_t exponent = least_exponent + biased - 1;
    // Integers below 2^53 have no shorter form than their own digits.
    if (exponent <= 0 && exponent >= -stored && (mantissa & ((UINT64_C(1) << -exponent) - 1)) == 0)
        return print_decimal(out, (shortest){mantissa >> -exponent, 0});
    return print_decimal(out, find_shortest(mantissa, exponent, lopsided));
}

char *gz_print_double(char *out, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    uint64_t sign = UINT64_C(1) << 63;
    if ((bits & sign) != 0)
        *out++ = '-';
    return print_bits(out, bits & ~sign, 52, -1074, UINT64_C(0x7ff) << 52);
}

char *gz_print_float(char *out, float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = UINT32_C(1) << 31;
    if ((bits & sign) != 0)
        *out++ = '-';
    return print_bits(out, bits & ~sign, 23, -149, UINT64_C(0xff) << 23);
}
