// How anything is posed: always by these operations, in this order. For who has entered the FPU
// state already (fpu.h); graze_pose_apply is for all others.
#ifndef GZ_POSE_H
#define GZ_POSE_H

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

#endif
