// Outward rounding: the next float or double, and the float at most or at least a double. As
// nextafterf and nextafter, bit for bit, but inline. Infinities in the direction and NaN stay.
#ifndef GZ_ROUNDING_H
#define GZ_ROUNDING_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float gz_step_down(float x)
{
    int32_t bits;
    if (!(x > -HUGE_VALF))
        return x;
    memcpy(&bits, &x, sizeof bits);
    bits = x == 0 ? (int32_t)0x80000001u : bits + (bits < 0 ? 1 : -1);
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline float gz_step_up(float x) { return -gz_step_down(-x); }

static inline double gz_step_down64(double x)
{
    int64_t bits;
    if (!(x > -HUGE_VAL))
        return x;
    memcpy(&bits, &x, sizeof bits);
    bits = x == 0 ? (int64_t)0x8000000000000001u : bits + (bits < 0 ? 1 : -1);
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline double gz_step_up64(double x) { return -gz_step_down64(-x); }

// Floats at most, and at least, x.
static inline float gz_round_down(double x)
{
    float y = (float)x;
    return (double)y > x ? gz_step_down(y) : y;
}
static inline float gz_round_up(double x)
{
    float y = (float)x;
    return (double)y < x ? gz_step_up(y) : y;
}

#endif
