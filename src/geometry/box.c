// Boxes along the axes. Whatever is computed rounds outward: a box may be too large by a few ulps,
// never too small; a distance may be too small, never too large.
#include <float.h>
#include <math.h>

#include "geometry/fpu.h"
#include "geometry/rounding.h"
#include "graze/geometry.h"

#define UNIT 0x1p-53

graze_box graze_box_empty(void)
{
    return (graze_box){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

graze_box graze_box_of_points(const double (*points)[3], uint64_t count)
{
    graze_box box = graze_box_empty();
    for (uint64_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            double x = points[i][axis];
            box.min[axis] = x < box.min[axis] ? x : box.min[axis];
            box.max[axis] = x > box.max[axis] ? x : box.max[axis];
        }
    return box;
}

graze_box graze_box_join(const graze_box *a, const graze_box *b)
{
    graze_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = a->min[axis] < b->min[axis] ? a->min[axis] : b->min[axis];
        box.max[axis] = a->max[axis] > b->max[axis] ? a->max[axis] : b->max[axis];
    }
    return box;
}

static int is_empty(const graze_box *box)
{
    return box->min[0] > box->max[0] || box->min[1] > box->max[1] || box->min[2] > box->max[2];
}

graze_box graze_box_grow(const graze_box *a, double length)
{
    if (is_empty(a) || length == 0)
        return *a;
    gz_fpu_state state = gz_fpu_enter();
    graze_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = gz_step_down64(a->min[axis] - length);
        box.max[axis] = gz_step_up64(a->max[axis] + length);
    }
    gz_fpu_leave(state);
    return box;
}

// An end of the image is a sum of three products and a shift: six roundings of numbers below
// `size`, in this computation and again in graze_pose_apply, and subnormal products. 16 units hold
// both.
graze_box graze_box_posed(const graze_box *box, const graze_pose *pose)
{
    if (is_empty(box))
        return *box;
    gz_fpu_state state = gz_fpu_enter();
    graze_box out;
    for (int i = 0; i < 3; ++i) {
        const double *row = &pose->rotation[3 * i];
        double low = pose->translation[i], high = pose->translation[i];
        double size = fabs(pose->translation[i]);
        for (int k = 0; k < 3; ++k) {
            double p = row[k] * box->min[k], q = row[k] * box->max[k];
            low += p < q ? p : q;
            high += p < q ? q : p;
            size += fabs(p) > fabs(q) ? fabs(p) : fabs(q);
        }
        double slack = 16 * UNIT * size + 16 * DBL_TRUE_MIN;
        out.min[i] = low - slack;
        out.max[i] = high + slack;
        if (!(size <= DBL_MAX)) { // overflow: nothing is known of this axis
            out.min[i] = -HUGE_VAL;
            out.max[i] = HUGE_VAL;
        }
    }
    gz_fpu_leave(state);
    return out;
}

int graze_box_overlap(const graze_box *a, const graze_box *b)
{
    for (int axis = 0; axis < 3; ++axis)
        if (!(a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis]))
            return 0;
    return !is_empty(a) && !is_empty(b);
}

double graze_box_distance(const graze_box *a, const graze_box *b)
{
    if (is_empty(a) || is_empty(b))
        return HUGE_VAL;
    gz_fpu_state state = gz_fpu_enter();
    double gap[3], largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        gap[axis] = fmax(0, fmax(b->min[axis] - a->max[axis], a->min[axis] - b->max[axis]));
        gap[axis] = fmin(gap[axis], DBL_MAX); // a gap that overflows is at least this
        largest = fmax(largest, gap[axis]);
    }
    double distance = 0;
    if (largest > 0) { // divided by the largest gap, nothing overflows or vanishes that matters
        double square = 0;
        for (int axis = 0; axis < 3; ++axis)
            square += (gap[axis] / largest) * (gap[axis] / largest);
        distance = fmin(largest * sqrt(square), DBL_MAX);
        distance = gz_step_down64(distance * (1 - 8 * UNIT));
    }
    gz_fpu_leave(state);
    return distance;
}
