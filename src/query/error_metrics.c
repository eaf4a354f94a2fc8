// Errors by place. See graze/error.h.
#include "graze/error.h"

#include <math.h>
#include <stdbool.h>

double graze_error_by_view(void *user, const graze_box *box)
{
    const graze_view_error *view = user;
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double before = box->min[axis] - view->eye[axis], after = view->eye[axis] - box->max[axis];
        double d = fmax(fmax(before, after), 0);
        sum += d * d;
    }
    return view->pixels * view->pixel * sqrt(sum);
}

// How far a line and a point of a box are apart at least, where they do not meet: the closest point
// is then on an edge. A line along `way`, which has length 1.
static double line_to_edges(const double point[3], const double way[3], const graze_box *box)
{
    double least = HUGE_VAL;
    for (int edge = 0; edge < 12; ++edge) {
        int axis = edge / 4, next = (axis + 1) % 3, last = (axis + 2) % 3;
        double from[3]; // from the line's point to the edge's beginning, then its part across
        from[axis] = box->min[axis] - point[axis];
        from[next] = (edge % 2 == 0 ? box->min : box->max)[next] - point[next];
        from[last] = (edge / 2 % 2 == 0 ? box->min : box->max)[last] - point[last];
        double along = from[0] * way[0] + from[1] * way[1] + from[2] * way[2];
        double across[3], step = 0, sum = 0;
        for (int i = 0; i < 3; ++i) {
            from[i] -= along * way[i];
            across[i] = (i == axis ? 1 : 0) - way[axis] * way[i];
            step -= from[i] * across[i];
        }
        double square = 1 - way[axis] * way[axis]; // of `across`
        double length = box->max[axis] - box->min[axis];
        step = square > 0 ? fmin(fmax(step / square, 0), length) : 0;
        for (int i = 0; i < 3; ++i) {
            double d = from[i] + step * across[i];
            sum += d * d;
        }
        least = fmin(least, sqrt(sum));
    }
    return least;
}

static double line_to_box(const double point[3], const double way[3], const graze_box *box)
{
    double from = -HUGE_VAL, to = HUGE_VAL;
    for (int axis = 0; axis < 3; ++axis) {
        double low = box->min[axis] - point[axis], high = box->max[axis] - point[axis];
        if (way[axis] == 0 && (low > 0 || high < 0))
            return line_to_edges(point, way, box);
        if (way[axis] == 0)
            continue;
        double one = low / way[axis], other = high / way[axis];
        from = fmax(from, fmin(one, other));
        to = fmin(to, fmax(one, other));
    }
    return from <= to ? 0 : line_to_edges(point, way, box);
}

// A motion is a screw: along an axis, with the part of the velocity along the spin, and around it.
// So the slowest point of a box is the one that is closest to the axis.
double graze_error_by_speed(void *user, const graze_box *box)
{
    const graze_speed_error *speed = user;
    const double *v = speed->velocity, *w = speed->spin;
    double spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    double slowest = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (spin > 0) {
        double way[3], axis[3], along = 0;
        for (int i = 0; i < 3; ++i) {
            int next = (i + 1) % 3, last = (i + 2) % 3;
            way[i] = w[i] / spin;
            axis[i] =
                speed->center[i] + (w[next] / spin * v[last] - w[last] / spin * v[next]) / spin;
        }
        for (int i = 0; i < 3; ++i)
            along += way[i] * v[i];
        slowest = hypot(along, spin * line_to_box(axis, way, box));
    }
    return fmax(speed->least, speed->seconds * slowest);
}

double graze_error_by_size(void *user, const graze_box *box)
{
    const graze_size_error *size = user;
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < size->count; ++i) {
        const graze_box *object = &size->objects[i];
        double longest = 0;
        bool there = true;
        for (int axis = 0; axis < 3; ++axis) {
            there =
                there && box->min[axis] <= object->max[axis] && object->min[axis] <= box->max[axis];
            longest = fmax(longest, object->max[axis] - object->min[axis]);
        }
        least = there ? fmin(least, longest) : least;
    }
    return least < HUGE_VAL ? fmin(size->part * least, size->most) : size->most;
}

double graze_error_by_least(void *user, const graze_box *box)
{
    const graze_least_error *all = user;
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < all->count; ++i)
        least = fmin(least, all->functions[i](all->users[i], box));
    return least;
}
