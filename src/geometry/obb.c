// Oriented bounding boxes (OBB): boxes along axes of their own. Overlap is told by 15 separating
// axes.
//
// Rounding. The extent of a box along any direction L is the sum of half[i] |axis[i] . L|, whatever
// the axes are; being orthonormal only makes boxes tight, no proof here needs it. A projection
// has fewer than 16 roundings of numbers below its `size`, the sum of the absolute values of all
// that goes into it; 32 units of that are added on the safe side.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/fpu.h"
#include "geometry/rounding.h"
#include "geometry/vector.h"
#include "graze/geometry.h"

#define UNIT             0x1p-53
#define PROJECTION_ERROR (32 * UNIT)
#define JACOBI_SWEEPS    12
#define DESCENT_STEPS    64

static double size_of_dot(const double a[3], const double b[3])
{
    return fabs(a[0] * b[0]) + fabs(a[1] * b[1]) + fabs(a[2] * b[2]);
}

// Turns the symmetric matrix m to diagonal form; the rows of v become its axes.
static void jacobi(double m[3][3], double v[3][3])
{
    for (int sweep = 0; sweep < JACOBI_SWEEPS; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (m[p][q] == 0)
                    continue;
                double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; ++k) {
                    double kp = m[k][p], kq = m[k][q];
                    m[k][p] = c * kp - s * kq;
                    m[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; ++k) {
                    double pk = m[p][k], qk = m[q][k], vp = v[p][k], vq = v[q][k];
                    m[p][k] = c * pk - s * qk;
                    m[q][k] = s * pk + c * qk;
                    v[p][k] = c * vp - s * vq;
                    v[q][k] = s * vp + c * vq;
                }
            }
}

// Makes the axes orthonormal to rounding again; false if they are no basis.
static int orthonormalise(double axis[3][3])
{
    for (int i = 0; i < 2; ++i) {
        if (i == 1) {
            double along = gz_dot3(axis[0], axis[1]);
            for (int k = 0; k < 3; ++k)
                axis[1][k] -= along * axis[0][k];
        }
        double length = gz_length3(axis[i]);
        if (!(length > 0.5 && length < 2))
            return 0;
        for (int k = 0; k < 3; ++k)
            axis[i][k] /= length;
    }
    gz_cross3(axis[0], axis[1], axis[2]);
    return 1;
}

// The box along given axes. Points are taken relative to a corner of their own, so that far from
// the origin no digits are lost. |R^-1 - R^T| of nearly orthonormal axes is a few units as well.
static graze_obb fit(const double (*points)[3], uint64_t count, double axis[3][3])
{
    graze_obb obb;
    memcpy(obb.axis, axis, sizeof obb.axis);
    const double *origin = points[0];
    double low[3] = {0}, high[3] = {0}, reach = 0;
    for (uint64_t i = 0; i < count; ++i) {
        double p[3] = {points[i][0] - origin[0], points[i][1] - origin[1],
                       points[i][2] - origin[2]};
        reach = fmax(reach, fabs(p[0]) + fabs(p[1]) + fabs(p[2]));
        for (int k = 0; k < 3; ++k) {
            double t = gz_dot3(axis[k], p);
            low[k] = fmin(low[k], t);
            high[k] = fmax(high[k], t);
        }
    }
    double middle[3];
    for (int k = 0; k < 3; ++k)
        middle[k] = low[k] / 2 + high[k] / 2;
    for (int k = 0; k < 3; ++k) {
        obb.center[k] =
            origin[k] + (axis[0][k] * middle[0] + axis[1][k] * middle[1] + axis[2][k] * middle[2]);
        reach = fmax(reach, fabs(obb.center[k]) * 0x1p-1);
    }
    for (int k = 0; k < 3; ++k) {
        double half = fmax(high[k] - middle[k], middle[k] - low[k]);
        obb.half[k] = half + 4 * PROJECTION_ERROR * reach + DBL_MIN;
    }
    return obb;
}

static double area(const graze_obb *obb)
{
    return obb->half[0] * obb->half[1] + obb->half[1] * obb->half[2] + obb->half[2] * obb->half[0];
}

graze_status graze_obb_of_points(const double (*points)[3], uint64_t count, graze_obb *out)
{
    if (count == 0 || points == NULL || out == NULL)
        return gz_fail(NULL, GRAZE_ERROR_ARGUMENT, "graze_obb_of_points: there are no points");
    graze_box box = graze_box_of_points(points, count);
    double size = 0;
    for (int k = 0; k < 3; ++k) {
        if (!(box.min[k] >= -DBL_MAX && box.max[k] <= DBL_MAX &&
              box.max[k] - box.min[k] < 0x1p1000))
            return gz_fail(NULL, GRAZE_ERROR_ARGUMENT,
                           "graze_obb_of_points: points are not finite, or too far apart");
        size = fmax(size, box.max[k] - box.min[k]);
    }
    gz_fpu_state state = gz_fpu_enter();
    double upright[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    *out = fit(points, count, upright);
    if (size > 0x1p-900) {
        double mean[3] = {0}, m[3][3] = {{0}}, v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (uint64_t i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k)
                mean[k] += (points[i][k] - box.min[k]) / size / (double)count;
        for (uint64_t i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    m[k][l] += ((points[i][k] - box.min[k]) / size - mean[k]) *
                               ((points[i][l] - box.min[l]) / size - mean[l]);
        jacobi(m, v);
        if (orthonormalise(v)) {
            graze_obb turned = fit(points, count, v);
            if (area(&turned) < area(out))
                *out = turned;
        }
    }
    gz_fpu_leave(state);
    return GRAZE_OK;
}

graze_obb graze_obb_of_box(const graze_box *box)
{
    graze_obb obb = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    gz_fpu_state state = gz_fpu_enter();
    for (int k = 0; k < 3; ++k) {
        double low = box->min[k], high = box->max[k];
        obb.center[k] = low / 2 + high / 2;
        obb.half[k] = gz_step_up64(fmax(fmax(high - obb.center[k], obb.center[k] - low), 0));
    }
    gz_fpu_leave(state);
    return obb;
}

graze_obb graze_obb_posed(const graze_obb *obb, const graze_pose *pose)
{
    graze_obb out;
    gz_fpu_state state = gz_fpu_enter();
    graze_pose turn = {.translation = {0}};
    memcpy(turn.rotation, pose->rotation, sizeof turn.rotation);
    graze_pose_apply(pose, obb->center, out.center);
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        graze_pose_apply(&turn, obb->axis[i], out.axis[i]);
        double reach = fabs(pose->translation[i]) + obb->half[0] + obb->half[1] + obb->half[2];
        size = fmax(size, reach + size_of_dot(&pose->rotation[3 * i], obb->center));
    }
    for (int k = 0; k < 3; ++k)
        out.half[k] = obb->half[k] + 4 * PROJECTION_ERROR * size + DBL_MIN;
    gz_fpu_leave(state);
    return out;
}

// The gap between the boxes along a direction, at most the true one; not positive: none is proved.
static double gap_along(const graze_obb *a, const graze_obb *b, const double between[3],
                        const double direction[3])
{
    double apart = fabs(gz_dot3(between, direction));
    double size = size_of_dot(a->center, direction) + size_of_dot(b->center, direction);
    double reach = 0;
    for (int i = 0; i < 3; ++i) {
        reach += a->half[i] * fabs(gz_dot3(a->axis[i], direction));
        reach += b->half[i] * fabs(gz_dot3(b->axis[i], direction));
        size += a->half[i] * size_of_dot(a->axis[i], direction);
        size += b->half[i] * size_of_dot(b->axis[i], direction);
    }
    return apart - reach - PROJECTION_ERROR * size - DBL_MIN;
}

static void centre_to_centre(const graze_obb *a, const graze_obb *b, double between[3])
{
    for (int k = 0; k < 3; ++k)
        between[k] = b->center[k] - a->center[k];
}

// Direction number 0 to 14 of the separating axes: faces of a, faces of b, pairs of edges.
static void separating_axis(const graze_obb *a, const graze_obb *b, int number, double out[3])
{
    if (number < 3)
        memcpy(out, a->axis[number], 3 * sizeof *out);
    else if (number < 6)
        memcpy(out, b->axis[number - 3], 3 * sizeof *out);
    else
        gz_cross3(a->axis[(number - 6) / 3], b->axis[(number - 6) % 3], out);
}

int graze_obb_overlap(const graze_obb *a, const graze_obb *b)
{
    gz_fpu_state state = gz_fpu_enter();
    double between[3], direction[3];
    centre_to_centre(a, b, between);
    int overlap = 1;
    for (int number = 0; number < 15 && overlap; ++number) {
        separating_axis(a, b, number, direction);
        overlap = !(gap_along(a, b, between, direction) > 0);
    }
    gz_fpu_leave(state);
    return overlap;
}

// The vector from the closest point of a to that of b, found by moving one coordinate at a time.
// It only has to be a good direction: the gap along it is a proof whatever it is.
static void descend(const graze_obb *a, const graze_obb *b, const double between[3], double w[3])
{
    double t[6] = {0};
    memcpy(w, between, 3 * sizeof *w);
    for (int step = 0; step < DESCENT_STEPS; ++step)
        for (int i = 0; i < 6; ++i) {
            const double *axis = i < 3 ? a->axis[i] : b->axis[i - 3];
            double half = i < 3 ? a->half[i] : b->half[i - 3], sign = i < 3 ? -1 : 1;
            double best = t[i] - sign * gz_dot3(w, axis) / gz_dot3(axis, axis);
            double moved = fmax(-half, fmin(half, best)) - t[i];
            t[i] += moved;
            for (int k = 0; k < 3; ++k)
                w[k] += sign * moved * axis[k];
        }
}

double graze_obb_distance(const graze_obb *a, const graze_obb *b)
{
    gz_fpu_state state = gz_fpu_enter();
    double between[3], direction[3], best = 0;
    centre_to_centre(a, b, between);
    for (int number = 0; number < 16; ++number) {
        if (number < 15)
            separating_axis(a, b, number, direction);
        else
            descend(a, b, between, direction);
        double length = gz_length3(direction) * (1 + 8 * UNIT);
        double gap = gap_along(a, b, between, direction) / length * (1 - 8 * UNIT);
        if (length > 0x1p-500 && gap > best) // shorter ones are no direction
            best = gap;
    }
    gz_fpu_leave(state);
    return best;
}
