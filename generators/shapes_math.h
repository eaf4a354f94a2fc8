// Arithmetic that gives the same bits everywhere: hashes of integers, sine and cosine of fractions
// of a turn by polynomials, integer roots.
#ifndef GRAZE_GENERATORS_SHAPES_MATH_H
#define GRAZE_GENERATORS_SHAPES_MATH_H

#include <math.h>
#include <stdint.h>

#define SHAPE_PI 3.14159265358979323846

// The mixer of splitmix64.
static inline uint64_t shape_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t shape_hash(uint64_t seed, uint64_t index)
{
    return shape_mix(shape_mix(seed + 0x9e3779b97f4a7c15u) + 0x9e3779b97f4a7c15u * (index + 1));
}

// A number in [0, 1) with 53 random bits.
static inline double shape_unit(uint64_t seed, uint64_t index)
{
    return (double)(shape_hash(seed, index) >> 11) * 0x1p-53;
}

// Sine and cosine of k / n turns, for k < n < 2^60. Symmetric: equal angles from the axes and
// diagonals give equal bits. Taylor's series, far enough for the eighth of a turn that is left.
static inline void shape_turn(uint64_t k, uint64_t n, double *sine, double *cosine)
{
    uint64_t octant = 8 * k / n;
    uint64_t rest = 8 * k - octant * n;
    double part = (double)(octant % 2 == 0 ? rest : n - rest) / (double)n;
    double x = part * (SHAPE_PI / 4), square = x * x, s = 1.0, c = 1.0;
    for (int power = 18; power >= 2; power -= 2) {
        s = 1.0 - s * (square * (1.0 / (double)(power * (power + 1))));
        c = 1.0 - c * (square * (1.0 / (double)(power * (power - 1))));
    }
    s *= x;
    double across = octant % 4 == 1 || octant % 4 == 2 ? c : s; // |sine|
    double along = octant % 4 == 1 || octant % 4 == 2 ? s : c;  // |cosine|
    *sine = octant < 4 ? across : -across;
    *cosine = octant < 2 || octant > 5 ? along : -along;
}

// The largest integer whose square is at most `value`, for values below 2^52.
static inline uint64_t shape_root(uint64_t value)
{
    uint64_t root = (uint64_t)sqrt((double)value);
    while (root * root > value)
        --root;
    while ((root + 1) * (root + 1) <= value)
        ++root;
    return root;
}

// The integer nearest to the square root of count / unit, and at least `least`.
static inline uint64_t shape_side(uint64_t count, uint64_t unit, uint64_t least)
{
    uint64_t side = shape_root(count / unit);
    if (side * side + side + 1 <= count / unit)
        ++side;
    return side > least ? side : least;
}

#endif
