// Makes oriented boxes of groups. See group_box.h.
//
// Rounding. Axes are stored as floats, so the matrix A of the three is off from an orthogonal one
// by less than 2^-22 in norm, and its inverse from its transpose by less than 2^-21. The
// coordinates t of a point q relative to the center are A^-1 q; computed are the products of q with
// the axes, which differ from them by less than 2^-21 |q| and roundings of double arithmetic. SLACK
// is more than that. A point within r of q has coordinates within r (1 + 2^-20) of its.
#include "model/group_box.h"

#include <math.h>

#include "geometry/rounding.h"

#define SLACK 0x1p-19 // of the size of the box, in its half sides
#define GAP   0.1     // see gz_deviation_from

// All space: for coordinates that floats do not reach.
static gz_group_box everything(void)
{
    gz_group_box box = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .reach = HUGE_VALF};
    for (int i = 0; i < 3; ++i)
        box.half[i] = HUGE_VALF;
    return box;
}

// The coordinates of a point by the box's axes; returns the largest of it relative to the center.
static double coordinates(const gz_group_box *box, const double origin[3], const double point[3],
                          double t[3])
{
    double q[3], size = 0;
    for (int k = 0; k < 3; ++k) {
        q[k] = point[k] - origin[k] - (double)box->center[k];
        size = fmax(size, fabs(q[k]));
    }
    for (int i = 0; i < 3; ++i)
        t[i] = (double)box->axis[i][0] * q[0] + (double)box->axis[i][1] * q[1] +
               (double)box->axis[i][2] * q[2];
    return size;
}

bool gz_group_box_contains(const gz_group_box *box, const double origin[3], const double point[3])
{
    double t[3];
    coordinates(box, origin, point, t);
    for (int i = 0; i < 3; ++i)
        if (!(fabs(t[i]) <= (double)box->half[i]))
            return false;
    return true;
}

graze_obb gz_group_box_obb(const gz_group_box *box)
{
    graze_obb obb;
    for (int i = 0; i < 3; ++i) {
        obb.center[i] = (double)box->center[i];
        obb.half[i] = (double)box->half[i];
        for (int k = 0; k < 3; ++k)
            obb.axis[i][k] = (double)box->axis[i][k];
    }
    return obb;
}

// Sets half sides, and returns whether floats hold them.
static bool set_sides(const gz_group_box_def *def, gz_group_box *box)
{
    double most[3] = {0, 0, 0}, size = 0, far = 0, t[3];
    for (uint32_t v = 0; v < def->count; ++v) {
        size = fmax(size, coordinates(box, def->origin, def->position[v], t));
        for (int i = 0; i < 3; ++i) {
            most[i] = fmax(most[i], fabs(t[i]));
            far = fmax(far, fabs(def->position[v][i]));
        }
    }
    for (int i = 0; i < 3; ++i)
        far = fmax(far, fabs(def->origin[i]));
    double more = (double)def->forward * (1 + 0x1p-18) + SLACK * size + 0x1p-48 * far;
    bool finite = true;
    for (int i = 0; i < 3; ++i) {
        box->half[i] = gz_round_up(most[i] + more);
        finite = finite && isfinite(box->half[i]) && isfinite(box->center[i]);
    }
    return finite;
}

graze_status gz_group_box_make(const gz_group_box_def *def, gz_group_box *out)
{
    graze_obb obb;
    gz_deviation reach;
    *out = everything();
    if (graze_obb_of_points(def->position, def->count, &obb) != GRAZE_OK)
        return GRAZE_OK;
    gz_group_box box = {.reach = HUGE_VALF};
    for (int i = 0; i < 3; ++i) {
        box.center[i] = (float)(obb.center[i] - def->origin[i]);
        for (int k = 0; k < 3; ++k)
            box.axis[i][k] = (float)obb.axis[i][k];
    }
    if (!set_sides(def, &box))
        return GRAZE_OK;
    obb = gz_group_box_obb(&box);
    double off = 0;
    for (int i = 0; i < 3; ++i) {
        obb.center[i] += def->origin[i];
        off += 0x1p-50 * (fabs(obb.center[i]) + fabs(def->origin[i]));
    }
    graze_status status = gz_deviation_box(def->query, &obb, GAP, def->floor, &reach);
    if (status == GRAZE_OK) {
        box.reach = gz_round_up(reach.high + (double)def->backward + off);
        *out = box;
    }
    return status;
}
