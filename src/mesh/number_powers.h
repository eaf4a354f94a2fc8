// Powers of ten for the conversion of numbers in text. 10^q = f * 2^e with f in [2^127, 2^128):
// the table has floor(f), which is exact for q from 0 to GZ_POWER_EXACT and else less than 1 too
// small; gz_power_exponent gives e.
#ifndef GZ_NUMBER_POWERS_H
#define GZ_NUMBER_POWERS_H

#include <stdint.h>

#define GZ_POWER_FIRST (-342) // below this, 19 digits are less than half of the least double
#define GZ_POWER_LAST  324    // printing the least double multiplies with it
#define GZ_POWER_EXACT 55

typedef struct gz_power {
    uint64_t high, low;
} gz_power;
extern const gz_power gz_powers_of_ten[GZ_POWER_LAST - GZ_POWER_FIRST + 1];

// floor(q * log2(10)) for |q| <= 1233; the shift is of a negative number, which our compilers do
// arithmetically.
static inline int32_t gz_log2_of_ten(int32_t q) { return (q * 1741647) >> 19; }
static inline int32_t gz_power_exponent(int32_t q) { return gz_log2_of_ten(q) - 127; }

// All 128 bits of a product.
static inline gz_power gz_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)a * b;
    return (gz_power){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (uint32_t)middle;
    return (gz_power){a1 * b1 + (middle >> 32) + (other >> 32), a * b};
#endif
}

// The upper 128 bits of the 192-bit product of a power and a factor; *rest gets the lower 64.
static inline gz_power gz_multiply_power(gz_power power, uint64_t factor, uint64_t *rest)
{
    gz_power high = gz_multiply(power.high, factor);
    gz_power low = gz_multiply(power.low, factor);
    *rest = low.low;
    uint64_t sum = high.low + low.high;
    return (gz_power){high.high + (sum < high.low), sum};
}

#endif
