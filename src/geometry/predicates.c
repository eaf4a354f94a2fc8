// The filters and what stands behind them. See predicates.h.
//
// Error bound of the filters. Let u = 2^-53. A difference of two doubles is exact up to a factor
// (1 + u); so is each product, unless it underflows, and each sum. A term of the 3x3 determinant is
// a product of three differences (3 factors), made by two multiplications (2), and goes through one
// subtraction and two additions (3): (1 + u)^8 - 1 < 8.01 u. With P the sum of the absolute values
// of all six terms, itself computed with factors of that kind, |error| <= 8.01 u P <= 16 u P with
// room for the rounding of P. In the plane: 2 + 1 + 1 factors, taken as 8 u P.
//
// Underflow: a product of two differences may be off by 2^-1075 beside its relative error; it is
// multiplied by a third difference, at most M in size; the last products may be off as well. Six of
// one and three of the other kind stay below 2^-1070 (1 + M). We take 2^-1000, a normal number:
// subnormal operands cost a hundred cycles each.
//
// Overflow: P or M is then infinite or NaN, the comparison is false, and the exact path decides.
#include "geometry/predicates.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "geometry/branches.h"
#include "geometry/exact.h"
#include "geometry/fpu.h"

#define FILTER_3D       (16 * 0x1p-53)
#define FILTER_2D       (8 * 0x1p-53)
#define UNDERFLOW_GUARD 0x1p-1000

// 12 coordinates of 33 limbs, 9 differences, 6 products of 67, 3 determinants, 3 products of 101.
#define SPACE_ORIENT3D 2048
#define SPACE_ORIENT2D 1024

// Coordinates that lie within 61 binary places of each other are 64-bit integers over a common
// power of two, and so is nearly all that people model. Then a 2x2 determinant of differences fits
// in 128 bits and a 3x3 one in 192, which is several times faster than integers of any length.
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

// All values as integers below 2^61 in size; false if they do not fit.
static bool small_integers(const double *values, int count, int64_t *out)
{
    int lowest = GZ_NO_EXPONENT, highest = -GZ_NO_EXPONENT;
    int64_t mantissa[12];
    int exponent[12];
    for (int i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        int biased = (int)(bits >> 52 & 0x7ff);
        int64_t m = (int64_t)(bits & 0xfffffffffffffu);
        if (biased == 0 && m != 0)
            return false; // subnormal: leave it to the long integers
        mantissa[i] = 0;
        exponent[i] = 0;
        if (biased == 0)
            continue;
        m |= INT64_C(1) << 52;
        int zeros = __builtin_ctzll((uint64_t)m);
        mantissa[i] = (bits >> 63) != 0 ? -(m >> zeros) : m >> zeros;
        exponent[i] = biased + zeros;
        lowest = exponent[i] < lowest ? exponent[i] : lowest;
        highest = biased + 53 > highest ? biased + 53 : highest;
    }
    if (highest > lowest && highest - lowest > 61) // not so where all values are 0
        return false;
    for (int i = 0; i < count; ++i) // a product, because a negative number may not be shifted
        out[i] = mantissa[i] == 0 ? 0 : mantissa[i] * (INT64_C(1) << (exponent[i] - lowest));
    return true;
}

static int sign_of(wide x) { return (x > 0) - (x < 0); }

static wide small_determinant(int64_t a, int64_t b, int64_t c, int64_t d) // a d - b c
{
    return (wide)a * d - (wide)b * c;
}

// An integer of 192 bits, in two's complement.
typedef struct longer {
    unsigned_wide low;
    int64_t high;
} longer;

static longer times(wide a, int64_t b)
{
    bool negative = (a < 0) != (b < 0);
    unsigned_wide x = a < 0 ? -(unsigned_wide)a : (unsigned_wide)a;
    uint64_t y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    unsigned_wide low = (unsigned_wide)(uint64_t)x * y;
    unsigned_wide high = (unsigned_wide)(uint64_t)(x >> 64) * y + (uint64_t)(low >> 64);
    longer out = {high << 64 | (uint64_t)low, (int64_t)(uint64_t)(high >> 64)};
    if (negative) {
        out.low = -out.low;
        out.high = ~out.high + (out.low == 0);
    }
    return out;
}

static longer plus(longer a, longer b)
{
    longer out = {a.low + b.low, 0};
    out.high = (int64_t)((uint64_t)a.high + (uint64_t)b.high + (uint64_t)(out.low < a.low));
    return out;
}

static bool orient3d_small(const double a[3], const double b[3], const double c[3],
                           const double d[3], int *sign)
{
    double values[12];
    int64_t n[12];
    memcpy(values, a, 3 * sizeof *values);
    memcpy(values + 3, b, 3 * sizeof *values);
    memcpy(values + 6, c, 3 * sizeof *values);
    memcpy(values + 9, d, 3 * sizeof *values);
    if (!small_integers(values, 12, n))
        return false;
    for (int i = 0; i < 9; ++i)
        n[i] -= n[9 + i % 3];
    longer sum = times(small_determinant(n[4], n[5], n[7], n[8]), n[0]);
    sum = plus(sum, times(small_determinant(n[5], n[3], n[8], n[6]), n[1]));
    sum = plus(sum, times(small_determinant(n[3], n[4], n[6], n[7]), n[2]));
    *sign = sum.high < 0 ? -1 : sum.high > 0 || sum.low != 0;
    return true;
}

static bool orient2d_small(const double p[6], int *sign)
{
    int64_t n[6];
    if (!small_integers(p, 6, n))
        return false;
    *sign = sign_of(small_determinant(n[2] - n[0], n[3] - n[1], n[4] - n[0], n[5] - n[1]));
    return true;
}
#else
static bool orient3d_small(const double a[3], const double b[3], const double c[3],
                           const double d[3], int *sign)
{
    (void)a, (void)b, (void)c, (void)d, (void)sign;
    return false;
}
static bool orient2d_small(const double p[6], int *sign)
{
    (void)p, (void)sign;
    return false;
}
#endif

static __attribute__((noinline)) int orient3d_exact(const double a[3], const double b[3],
                                                    const double c[3], const double d[3])
{
    int small;
    if (orient3d_small(a, b, c, d, &small)) {
        gz_took(GZ_BRANCH_ORIENT3D_SMALL);
        return small;
    }
    gz_took(GZ_BRANCH_ORIENT3D_EXACT);
    GZ_SPACE_ON_STACK(space, SPACE_ORIENT3D);
    int exponent = gz_common_exponent(a, 3, GZ_NO_EXPONENT);
    exponent = gz_common_exponent(b, 3, exponent);
    exponent = gz_common_exponent(c, 3, exponent);
    exponent = gz_common_exponent(d, 3, exponent);
    gz_big3 origin = gz_big3_of_doubles(&space, d, exponent);
    gz_big3 ad = gz_big3_sub(&space, gz_big3_of_doubles(&space, a, exponent), origin);
    gz_big3 bd = gz_big3_sub(&space, gz_big3_of_doubles(&space, b, exponent), origin);
    gz_big3 cd = gz_big3_sub(&space, gz_big3_of_doubles(&space, c, exponent), origin);
    return gz_big3_dot(&space, ad, gz_big3_cross(&space, bd, cd)).sign;
}

int gz_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double adx = a[0] - d[0], ady = a[1] - d[1], adz = a[2] - d[2];
    double bdx = b[0] - d[0], bdy = b[1] - d[1], bdz = b[2] - d[2];
    double cdx = c[0] - d[0], cdy = c[1] - d[1], cdz = c[2] - d[2];
    double bxcy = bdx * cdy, cxby = cdx * bdy;
    double cxay = cdx * ady, axcy = adx * cdy;
    double axby = adx * bdy, bxay = bdx * ady;
    double det = adz * (bxcy - cxby) + bdz * (cxay - axcy) + cdz * (axby - bxay);
    double az = fabs(adz), bz = fabs(bdz), cz = fabs(cdz);
    double permanent = az * (fabs(bxcy) + fabs(cxby)) + bz * (fabs(cxay) + fabs(axcy)) +
                       cz * (fabs(axby) + fabs(bxay));
    double bound = FILTER_3D * permanent + UNDERFLOW_GUARD * (1.0 + (az + bz + cz));
    int sign = (det > bound) - (-det > bound);
    return __builtin_expect(sign != 0, 1) ? sign : orient3d_exact(a, b, c, d);
}

// The normal is computed once, from corner a; a term of n . (a - d) has the same factors as above:
// three differences, two products, one subtraction, two additions.
void gz_orient3d_three(const graze_triangle *plane, const graze_triangle *triangle, int sign[3])
{
    const double *a = plane->corner[0], *b = plane->corner[1], *c = plane->corner[2];
    double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
    double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
    double yz = uy * vz, zy = uz * vy, zx = uz * vx, xz = ux * vz, xy = ux * vy, yx = uy * vx;
    double nx = yz - zy, ny = zx - xz, nz = xy - yx;
    double px = fabs(yz) + fabs(zy), py = fabs(zx) + fabs(xz), pz = fabs(xy) + fabs(yx);
    int unsure = 0; // signs are as good as random: no branch but this one
    for (int i = 0; i < 3; ++i) {
        const double *d = triangle->corner[i];
        double dx = a[0] - d[0], dy = a[1] - d[1], dz = a[2] - d[2];
        double det = nx * dx + ny * dy + nz * dz;
        double sx = fabs(dx), sy = fabs(dy), sz = fabs(dz);
        double permanent = px * sx + py * sy + pz * sz;
        double bound = FILTER_3D * permanent + UNDERFLOW_GUARD * (1.0 + (sx + sy + sz));
        sign[i] = (det > bound) - (-det > bound);
        unsure |= (sign[i] == 0) << i;
    }
    if (__builtin_expect(unsure != 0, 0))
        for (int i = 0; i < 3; ++i)
            if ((unsure >> i & 1) != 0)
                sign[i] = orient3d_exact(a, b, c, triangle->corner[i]);
}

static __attribute__((noinline)) int orient2d_exact(const double p[6]) // ax ay bx by cx cy
{
    int small;
    if (orient2d_small(p, &small)) {
        gz_took(GZ_BRANCH_ORIENT2D_SMALL);
        return small;
    }
    gz_took(GZ_BRANCH_ORIENT2D_EXACT);
    GZ_SPACE_ON_STACK(space, SPACE_ORIENT2D);
    int exponent = gz_common_exponent(p, 6, GZ_NO_EXPONENT);
    gz_big q[6];
    for (int i = 0; i < 6; ++i)
        q[i] = gz_big_of_double(&space, p[i], exponent);
    gz_big ux = gz_big_sub(&space, q[2], q[0]), uy = gz_big_sub(&space, q[3], q[1]);
    gz_big vx = gz_big_sub(&space, q[4], q[0]), vy = gz_big_sub(&space, q[5], q[1]);
    gz_big left = gz_big_mul(&space, ux, vy), right = gz_big_mul(&space, uy, vx);
    return gz_big_compare(left, right);
}

static int orient2d(double ax, double ay, double bx, double by, double cx, double cy)
{
    double left = (bx - ax) * (cy - ay), right = (by - ay) * (cx - ax);
    double det = left - right;
    double bound = FILTER_2D * (fabs(left) + fabs(right)) + UNDERFLOW_GUARD;
    int sign = (det > bound) - (-det > bound);
    if (__builtin_expect(sign != 0, 1))
        return sign;
    const double p[6] = {ax, ay, bx, by, cx, cy};
    return orient2d_exact(p);
}

int gz_orient2d_along(int axis, const double a[3], const double b[3], const double c[3])
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    return orient2d(a[x], a[y], b[x], b[y], c[x], c[y]);
}

int gz_collinear(const double a[3], const double b[3], const double c[3])
{
    return gz_orient2d_along(0, a, b, c) == 0 && gz_orient2d_along(1, a, b, c) == 0 &&
           gz_orient2d_along(2, a, b, c) == 0;
}

int graze_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    gz_fpu_state state = gz_fpu_enter();
    int sign = gz_orient3d(a, b, c, d);
    gz_fpu_leave(state);
    return sign;
}

int graze_orient2d(const double a[2], const double b[2], const double c[2])
{
    gz_fpu_state state = gz_fpu_enter();
    int sign = orient2d(a[0], a[1], b[0], b[1], c[0], c[1]);
    gz_fpu_leave(state);
    return sign;
}
