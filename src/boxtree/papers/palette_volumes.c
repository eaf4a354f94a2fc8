// The simple volumes of the palette: spheres, and boxes along the axes. See palette.h.
#include <math.h>

#include "boxtree/papers/palette.h"

#define UNIT 0x1p-53

const gz_volume_kind *const gz_volume_kinds[] = {
    &gz_volume_sphere, &gz_volume_aabb, &gz_volume_obb, &gz_volume_dop24, NULL,
};

// B's point in A's frame.
static void turn_point(const gz_palette_frame *frame, const double point[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = frame->ratio * gz_dot3(&frame->matrix[3 * i], point) + frame->shift[i];
}

static void find_box(const double (*points)[3], uint64_t count, double low[3], double high[3])
{
    for (int axis = 0; axis < 3; ++axis)
        low[axis] = high[axis] = points[0][axis];
    for (uint64_t i = 1; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            double x = points[i][axis];
            low[axis] = x < low[axis] ? x : low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
}

// Spheres. The centre is that of the box: not the smallest sphere, but close, and simple.
typedef struct sphere {
    float center[3], radius;
} sphere;

static double distance_squared(const float center[3], const double p[3])
{
    double off[3];
    for (int axis = 0; axis < 3; ++axis)
        off[axis] = p[axis] - (double)center[axis];
    return gz_dot3(off, off);
}

static void fit_sphere(const double (*points)[3], uint64_t count, void *volume)
{
    sphere *s = volume;
    double low[3], high[3], square = 0;
    find_box(points, count, low, high);
    for (int axis = 0; axis < 3; ++axis)
        s->center[axis] = (float)((low[axis] + high[axis]) / 2);
    for (uint64_t i = 0; i < count; ++i)
        square = fmax(square, distance_squared(s->center, points[i]));
    s->radius = gz_round_up(sqrt(square) * (1 + 8 * UNIT) + 0x1p-500);
}

static bool sphere_holds(const void *volume, const double p[3])
{
    const sphere *s = volume;
    return distance_squared(s->center, p) <= (double)s->radius * (double)s->radius;
}

static void turn_sphere(const gz_palette_frame *frame, const void *b, double *turned)
{
    const sphere *s = b;
    const double center[3] = {(double)s->center[0], (double)s->center[1], (double)s->center[2]};
    turn_point(frame, center, turned);
    turned[3] = frame->ratio * (double)s->radius * (1 + 1e-8); // the matrix may stretch a little
}

// The margin is for each coordinate; a distance may be off by sqrt(3) times that.
static bool spheres_apart(const gz_palette_frame *frame, const void *a, const double *turned)
{
    const sphere *s = a;
    double reach = (double)s->radius + turned[3] + 2 * frame->margin;
    return distance_squared(s->center, turned) > reach * reach;
}

const gz_volume_kind gz_volume_sphere = {
    .name = "sphere",
    .bytes = sizeof(sphere),
    .fit = fit_sphere,
    .holds = sphere_holds,
    .turn = turn_sphere,
    .apart = spheres_apart,
};

// Boxes along the axes of their own model; six axes are tried, those of both frames.
typedef struct aabb {
    float low[3], high[3];
} aabb;

static void fit_aabb(const double (*points)[3], uint64_t count, void *volume)
{
    aabb *box = volume;
    double low[3], high[3];
    find_box(points, count, low, high);
    for (int axis = 0; axis < 3; ++axis) {
        box->low[axis] = gz_round_down(low[axis]);
        box->high[axis] = gz_round_up(high[axis]);
    }
}

static bool aabb_holds(const void *volume, const double p[3])
{
    const aabb *box = volume;
    for (int axis = 0; axis < 3; ++axis)
        if (!((double)box->low[axis] <= p[axis] && p[axis] <= (double)box->high[axis]))
            return false;
    return true;
}

static void centre_and_half(const aabb *box, double center[3], double half[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        center[axis] = ((double)box->low[axis] + (double)box->high[axis]) / 2;
        half[axis] = ((double)box->high[axis] - (double)box->low[axis]) / 2;
    }
}

// Turned: the centre, the half lengths along A's axes, the half lengths along B's.
static void turn_aabb(const gz_palette_frame *frame, const void *b, double *turned)
{
    double center[3], half[3];
    centre_and_half(b, center, half);
    turn_point(frame, center, turned);
    for (int i = 0; i < 3; ++i) {
        const double *row = &frame->matrix[3 * i];
        turned[3 + i] = frame->ratio *
                        (fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2]);
        turned[6 + i] = frame->ratio * half[i];
    }
}

// Along B's axes, errors of three coordinates come together.
static bool aabbs_apart(const gz_palette_frame *frame, const void *a, const double *turned)
{
    double center[3], half[3], off[3];
    centre_and_half(a, center, half);
    for (int i = 0; i < 3; ++i) {
        off[i] = turned[i] - center[i];
        if (fabs(off[i]) > half[i] + turned[3 + i] + frame->margin)
            return true;
    }
    for (int i = 0; i < 3; ++i) {
        const double *row = &frame->back[3 * i];
        double reach = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
        if (fabs(gz_dot3(row, off)) > reach + turned[6 + i] + 4 * frame->margin)
            return true;
    }
    return false;
}

const gz_volume_kind gz_volume_aabb = {
    .name = "AABB",
    .bytes = sizeof(aabb),
    .fit = fit_aabb,
    .holds = aabb_holds,
    .turn = turn_aabb,
    .apart = aabbs_apart,
};
