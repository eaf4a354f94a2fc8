// Three doubles as a vector. Sums run from the first coordinate to the last, so that every caller
// gets the same bits; errors are the callers' to bound.
#ifndef GZ_VECTOR_H
#define GZ_VECTOR_H

#include <math.h>

static inline double gz_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// `out` is neither a nor b.
static inline void gz_cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void gz_subtract3(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] - b[i];
}

static inline double gz_length3(const double v[3]) { return sqrt(gz_dot3(v, v)); }

// The largest size of a coordinate, none of which is NaN. Not with fmax, which is a call.
static inline double gz_largest3(const double v[3])
{
    double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
    double most = x > y ? x : y;
    return most > z ? most : z;
}

#endif
