// Exact numbers: integers of any length, which is all that exact geometry needs. A double is an
// integer times a power of two; over all coordinates of one question the smallest such power is
// taken out, and what is left are integers. Every predicate is a homogeneous polynomial, so taking
// out a power does not change its sign.
//
// Length: two finite doubles differ by at most 2098 binary places, so a coordinate has at most 33
// limbs and a polynomial of degree k at most 33 k and a few. Ordinary input has one or two limbs,
// and an exact orientation then costs about as much as an expansion would, without its rules about
// overflow and underflow.
//
// Values are immutable and live in a space on the caller's stack, which is given up as a whole.
#ifndef GZ_EXACT_H
#define GZ_EXACT_H

#include <stdbool.h>
#include <stdint.h>

// Sign and magnitude: sign is -1, 0 or 1; the highest limb is not zero; zero has no limbs.
typedef struct gz_big {
    const uint64_t *limb; // lowest first
    uint32_t count;
    int32_t sign;
} gz_big;

// Where values are made. Running out of it is a bug of ours: each user declares enough for the
// longest numbers there are, and a test with the extreme exponents shows it.
typedef struct gz_space {
    uint64_t *next, *end;
} gz_space;

#define GZ_SPACE_ON_STACK(name, limbs)                                                             \
    uint64_t name##_limbs[limbs];                                                                  \
    gz_space name = {name##_limbs, name##_limbs + (limbs)}

// The least exponent e, at most so_far, such that all values are integers times 2^e.
int gz_common_exponent(const double *values, uint32_t count, int so_far);
#define GZ_NO_EXPONENT INT32_MAX // what to begin with
// value / 2^exponent, which must be an integer.
gz_big gz_big_of_double(gz_space *space, double value, int exponent);

gz_big gz_big_add(gz_space *space, gz_big a, gz_big b);
gz_big gz_big_sub(gz_space *space, gz_big a, gz_big b);
gz_big gz_big_mul(gz_space *space, gz_big a, gz_big b);
static inline gz_big gz_big_negate(gz_big a) { return (gz_big){a.limb, a.count, -a.sign}; }
int gz_big_compare(gz_big a, gz_big b); // -1, 0, 1
int gz_big_bits(gz_big a);              // places of the magnitude; 0 for zero

// numerator / denominator * 2^exponent, rounded to nearest, ties to even; subnormals, underflow to
// zero and overflow to infinity as IEEE 754 has them. The denominator is not zero.
double gz_big_ratio(gz_space space, gz_big numerator, gz_big denominator, int exponent);

// Vectors of exact numbers.
typedef struct gz_big3 {
    gz_big x, y, z;
} gz_big3;

gz_big3 gz_big3_of_doubles(gz_space *space, const double value[3], int exponent);
gz_big3 gz_big3_sub(gz_space *space, gz_big3 a, gz_big3 b);
gz_big3 gz_big3_cross(gz_space *space, gz_big3 a, gz_big3 b);
gz_big gz_big3_dot(gz_space *space, gz_big3 a, gz_big3 b);
gz_big3 gz_big3_scale(gz_space *space, gz_big3 a, gz_big factor);

// A point whose coordinates are fractions with one denominator, which is positive.
typedef struct gz_big_point {
    gz_big3 numerator;
    gz_big denominator;
} gz_big_point;

// Each coordinate times 2^exponent, rounded as gz_big_ratio does.
void gz_big_point_round(gz_space space, const gz_big_point *point, int exponent, double out[3]);
// The point between p and q where a value that is `at_p` there and `at_q` here, of the other sign,
// is zero: (p at_q - q at_p) / (at_q - at_p).
gz_big_point gz_big_point_between(gz_space *space, gz_big3 p, gz_big at_p, gz_big3 q, gz_big at_q);

#endif
