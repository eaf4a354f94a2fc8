// Errors by place. See graze/error.h.
#include "graze/error.h"

#include <math.h>

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

// Of no point of the box is the speed less than that of its middle, less what the spin makes of
// half its diagonal.
double graze_error_by_speed(void *user, const graze_box *box)
{
    const graze_speed_error *speed = user;
    double from[3], half = 0, spin = 0, sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        from[axis] = 0.5 * box->min[axis] + 0.5 * box->max[axis] - speed->center[axis];
        double side = 0.5 * box->max[axis] - 0.5 * box->min[axis];
        half += side * side;
        spin += speed->spin[axis] * speed->spin[axis];
    }
    for (int axis = 0; axis < 3; ++axis) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        double v =
            speed->velocity[axis] + speed->spin[next] * from[last] - speed->spin[last] * from[next];
        sum += v * v;
    }
    double least = sqrt(sum) - sqrt(spin) * sqrt(half);
    return fmax(speed->least, speed->seconds * fmax(least, 0));
}

double graze_error_by_least(void *user, const graze_box *box)
{
    const graze_least_error *all = user;
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < all->count; ++i)
        least = fmin(least, all->functions[i](all->users[i], box));
    return least;
}
