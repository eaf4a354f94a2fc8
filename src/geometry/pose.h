// How anything is posed: always by these operations, in this order. For who has entered the FPU
// state already (fpu.h); graze_pose_apply is for all others.
#ifndef GZ_POSE_H
#define GZ_POSE_H

#include <math.h>
#include <stdbool.h>

#include "graze/geometry.h"

static inline double gz_row_times(const double row[3], const double x, const double y,
                                  const double z)
{
    return (row[0] * x + row[1] * y) + row[2] * z;
}

// `world` may be `local`.
static inline void gz_pose_apply(const graze_pose *pose, const double local[3], double world[3])
{
    double x = local[0], y = local[1], z = local[2];
    for (int i = 0; i < 3; ++i)
        world[i] = gz_row_times(&pose->rotation[3 * i], x, y, z) + pose->translation[i];
}

#define GZ_ORTHONORMAL_TO 1e-9

// Asked in every question, so it sums up what is off: an infinity or a NaN in the rotation makes
// the product of its row with itself one, and a translation less itself is nothing if it is finite.
// No sum is below its terms, and that of a sound pose is far below the limit.
static inline bool gz_pose_sound(const graze_pose *pose)
{
    const double *r = pose->rotation, *t = pose->translation;
    double off[6], sum = (t[0] - t[0]) + (t[1] - t[1]) + (t[2] - t[2]);
    int count = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            double dot =
                r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] + r[3 * i + 2] * r[3 * j + 2];
            off[count] = fabs(dot - (i == j ? 1 : 0));
            sum += off[count++];
        }
    double determinant = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                         r[2] * (r[3] * r[7] - r[4] * r[6]);
    if (__builtin_expect(!(determinant > 0) || !(sum < HUGE_VAL), 0))
        return false;
    if (__builtin_expect(sum <= GZ_ORTHONORMAL_TO, 1))
        return true;
    for (int k = 0; k < 6; ++k)
        if (off[k] > GZ_ORTHONORMAL_TO)
            return false;
    return true;
}

// Might coordinates between `low` and `high` leave the range of double when posed? A posed one is
// at most the sum of three terms and the translation. NaN counts as too much.
static inline bool gz_pose_might_overflow(const graze_pose *pose, const double low[3],
                                          const double high[3])
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double near = fabs(low[axis]), far = fabs(high[axis]);
        sum += (near > far ? near : far) + fabs(pose->translation[axis]);
    }
    return !(sum < 0x1.8p1022);
}

#endif
