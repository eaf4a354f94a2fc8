// Rigid placements. See graze/geometry.h, and pose.h for how anything is posed.
#include <math.h>

#include "base/context.h"
#include "geometry/fpu.h"
#include "geometry/pose.h"
#include "graze/geometry.h"

static int all_finite(const double *values, int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            return 0;
    return 1;
}

graze_pose graze_pose_identity(void)
{
    return (graze_pose){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

// The length may be anything from 1e-308 to 1e308, so it is scaled before it is squared.
static int normalise(double *v, int count)
{
    double largest = 0;
    for (int i = 0; i < count; ++i)
        largest = fmax(largest, fabs(v[i]));
    if (largest == 0 || !all_finite(v, count))
        return 0;
    int exponent;
    (void)frexp(largest, &exponent);
    double square = 0;
    for (int i = 0; i < count; ++i) {
        v[i] = ldexp(v[i], -exponent);
        square += v[i] * v[i];
    }
    double length = sqrt(square);
    for (int i = 0; i < count; ++i)
        v[i] /= length;
    return 1;
}

static graze_status refuse(const char *sentence)
{
    return gz_fail(NULL, GRAZE_ERROR_ARGUMENT, "%s", sentence);
}

graze_status graze_pose_from_quaternion(const double quaternion[4], const double translation[3],
                                        graze_pose *pose)
{
    const double *t = translation == NULL ? (const double[3]){0, 0, 0} : translation;
    if (quaternion == NULL || pose == NULL)
        return refuse("graze_pose_from_quaternion: an argument is NULL");
    double q[4] = {quaternion[0], quaternion[1], quaternion[2], quaternion[3]};
    if (!normalise(q, 4) || !all_finite(t, 3))
        return refuse(
            "graze_pose_from_quaternion: a number is not finite, or all of the quaternion "
            "is 0");
    double x = q[0], y = q[1], z = q[2], w = q[3];
    *pose = (graze_pose){
        .rotation = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
                     2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                     2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)},
        .translation = {t[0], t[1], t[2]},
    };
    return GRAZE_OK;
}

graze_status graze_pose_from_axis(const double axis[3], double angle, const double translation[3],
                                  graze_pose *pose)
{
    if (axis == NULL || pose == NULL)
        return refuse("graze_pose_from_axis: an argument is NULL");
    double v[3] = {axis[0], axis[1], axis[2]};
    if (!normalise(v, 3) || !isfinite(angle))
        return refuse("graze_pose_from_axis: a number is not finite, or all of the axis is 0");
    double s = sin(angle / 2);
    const double quaternion[4] = {v[0] * s, v[1] * s, v[2] * s, cos(angle / 2)};
    return graze_pose_from_quaternion(quaternion, translation, pose);
}

graze_status graze_pose_check(const graze_pose *pose)
{
    if (pose == NULL)
        return refuse("graze_pose_check: the pose is NULL");
    return gz_pose_sound(pose)
               ? GRAZE_OK
               : refuse("graze_pose_check: the pose is not a rotation and a translation");
}

void graze_pose_apply(const graze_pose *pose, const double local[3], double world[3])
{
    gz_fpu_state state = gz_fpu_enter();
    gz_pose_apply(pose, local, world);
    gz_fpu_leave(state);
}

graze_pose graze_pose_compose(const graze_pose *outer, const graze_pose *inner)
{
    graze_pose pose;
    const double *r = inner->rotation;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            pose.rotation[3 * i + j] =
                gz_row_times(&outer->rotation[3 * i], r[j], r[3 + j], r[6 + j]);
    graze_pose_apply(outer, inner->translation, pose.translation);
    return pose;
}

graze_pose graze_pose_inverse(const graze_pose *pose)
{
    graze_pose inverse;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            inverse.rotation[3 * i + j] = pose->rotation[3 * j + i];
    const double *t = pose->translation;
    for (int i = 0; i < 3; ++i)
        inverse.translation[i] = -gz_row_times(&inverse.rotation[3 * i], t[0], t[1], t[2]);
    return inverse;
}
