// One triangle against many: the wide float filter first, the exact test for what it leaves open.
//
// Triangles are made relative to corner 0 of the one, in double, scaled by a power of two so that
// the one is about 1 large, and rounded to float: each number is then off by 2^-24 of itself, the
// rounding of the difference in double being 2^-29 of that. Scaling may underflow in double where
// coordinates are below 2^-900; those pairs go the exact way.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/branches.h"
#include "geometry/fpu.h"
#include "geometry/kernels.h"
#include "geometry/rounding.h"
#include "geometry/triangle.h"

#define ROUNDING (0x1p-24f * 1.001f)
#define SMALLEST 0x1p-900
#define GREATEST 0x1p900

extern const gz_triangle_kernels gz_triangle_kernels_scalar;
#if !defined(GZ_SCALAR_ONLY)
extern const gz_triangle_kernels gz_triangle_kernels_baseline, gz_triangle_kernels_avx2,
    gz_triangle_kernels_avx512;
#endif

const gz_triangle_kernels *gz_triangle_kernels_for(graze_simd simd)
{
#if !defined(GZ_SCALAR_ONLY)
    if (simd == GRAZE_SIMD_AVX512)
        return &gz_triangle_kernels_avx512;
    if (simd == GRAZE_SIMD_AVX2)
        return &gz_triangle_kernels_avx2;
    if (simd == GRAZE_SIMD_BASELINE)
        return &gz_triangle_kernels_baseline;
#endif
    (void)simd;
    return &gz_triangle_kernels_scalar;
}

// Fills `one` and sets the scale; false if the triangle is too large, too small or a point.
static bool prepare(const graze_triangle *a, gz_triangle1 *one, double *scale)
{
    double relative[2][3], largest = 0;
    for (int i = 0; i < 2; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            relative[i][axis] = a->corner[i + 1][axis] - a->corner[0][axis];
            largest = fmax(largest, fabs(relative[i][axis]));
        }
    if (!(largest >= SMALLEST && largest <= GREATEST))
        return false;
    int exponent;
    (void)frexp(largest, &exponent);
    *scale = ldexp(1, -exponent);
    for (int axis = 0; axis < 3; ++axis) {
        one->corner1[axis] = (float)(relative[0][axis] * *scale);
        one->corner2[axis] = (float)(relative[1][axis] * *scale);
    }
    one->error = ROUNDING; // coordinates are at most 1
    one->error_relative = ROUNDING;
    one->error_absolute = FLT_MIN; // where float itself underflows
    return true;
}

// Lanes beyond `count` repeat the last triangle. What overflows float becomes an infinity, and the
// kernel leaves such lanes unsure.
static void gather(const graze_triangle *a, double scale, const graze_triangle *b, uint32_t count,
                   gz_triangles16 *block)
{
    const double *origin = a->corner[0];
    for (uint32_t lane = 0; lane < 16; ++lane) {
        const graze_triangle *t = &b[lane < count ? lane : count - 1];
        for (int corner = 0; corner < 3; ++corner)
            for (int axis = 0; axis < 3; ++axis)
                block->v[corner][axis][lane] =
                    (float)((t->corner[corner][axis] - origin[axis]) * scale);
    }
}

static uint32_t settle_unsure(const graze_triangle *a, const graze_triangle *b, uint32_t count,
                              gz_lanes lanes, double tolerance)
{
    uint32_t yes = lanes.yes;
    uint32_t unsure = ~(lanes.yes | lanes.no);
    if (count < 32)
        unsure &= (UINT32_C(1) << count) - 1;
    for (; unsure != 0; unsure &= unsure - 1) {
        int lane = __builtin_ctz(unsure);
        gz_took(GZ_BRANCH_BATCH_UNSURE);
        yes |= (uint32_t)gz_triangle_within(a, &b[lane], tolerance) << lane;
    }
    return count < 32 ? yes & ((UINT32_C(1) << count) - 1) : yes;
}

static uint32_t within_block(const gz_triangle_kernels *kernels, const gz_triangle1 *one,
                             double scale, const graze_triangle *a, const graze_triangle *b,
                             uint32_t count, double tolerance)
{
    gz_triangles16 block;
    gather(a, scale, b, count, &block);
    gz_lanes lanes = kernels->meet16(one, &block);
    if (tolerance > 0) {
        lanes.no = 0; // not meeting is not enough
        if (lanes.yes != 0xffffu) {
            gz_lanes closer = kernels->within16(one, &block, gz_round_down(tolerance * scale),
                                                gz_round_up(tolerance * scale));
            lanes.yes |= closer.yes;
            lanes.no = closer.no & ~lanes.yes;
        }
    }
    return settle_unsure(a, b, count, lanes, tolerance);
}

static void within_many(graze_context *context, const graze_triangle *a, const graze_triangle *b,
                        uint64_t count, double tolerance, uint32_t *bits)
{
    gz_fpu_state state = gz_fpu_enter();
    const gz_triangle_kernels *kernels = gz_triangle_kernels_for(graze_context_simd(context));
    gz_triangle1 one;
    double scale = 1;
    bool prepared = prepare(a, &one, &scale);
    for (uint64_t first = 0; first < count; first += 16) {
        uint32_t part = count - first < 16 ? (uint32_t)(count - first) : 16;
        uint32_t found = prepared
                             ? within_block(kernels, &one, scale, a, b + first, part, tolerance)
                             : settle_unsure(a, b + first, part, (gz_lanes){0, 0}, tolerance);
        if (first % 32 == 0)
            bits[first / 32] = found;
        else
            bits[first / 32] |= found << 16;
    }
    gz_fpu_leave(state);
}

void graze_triangle_meet_many(graze_context *context, const graze_triangle *a,
                              const graze_triangle *b, uint64_t count, uint32_t *bits)
{
    within_many(context, a, b, count, 0, bits);
}

void graze_triangle_within_many(graze_context *context, const graze_triangle *a,
                                const graze_triangle *b, uint64_t count, double tolerance,
                                uint32_t *bits)
{
    within_many(context, a, b, count, tolerance, bits);
}
