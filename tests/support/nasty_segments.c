// Pairs of which one or both are segments or points. See nasty.h.
#include "nasty_tools.h"

// A segment through three whole points.
static void make_segment(test_random *random, const double *p, const double *u, int64_t radius,
                         graze_triangle *out)
{
    for (int i = 0; i < 3; ++i)
        along(out->corner[i], p, (double)whole(random, -radius, radius), u);
}
void segment_and_triangle(test_random *random, nasty_pair *pair)
{
    coplanar_nested(random, pair);
    double x[3], u[3];
    copy(x, pair->b.corner[0]);
    if (chance(random, 3)) // in the plane
        subtract(u, pair->b.corner[1], x);
    else
        whole_direction(random, 50, u);
    if (chance(random, 4)) // beside it
        along(x, x, 1.0, (double[3]){1, 0, 0});
    make_segment(random, x, u, 3, &pair->b);
}
void segments_cross(test_random *random, nasty_pair *pair)
{
    double x[3], u[3], v[3];
    whole_point(random, 1000, x);
    whole_direction(random, 50, u);
    whole_direction(random, 50, v);
    make_segment(random, x, u, 3, &pair->a);
    if (chance(random, 4))
        along(x, x, 1.0, (double[3]){0, 1, 0});
    make_segment(random, x, v, 3, &pair->b);
}
void segments_on_one_line(test_random *random, nasty_pair *pair)
{
    double x[3], u[3];
    whole_point(random, 1000, x);
    whole_direction(random, 50, u);
    make_segment(random, x, u, 4, &pair->a);
    along(x, x, (double)whole(random, 0, 8), u);
    make_segment(random, x, u, 4, &pair->b);
}
static void make_point(const double *x, graze_triangle *out)
{
    for (int i = 0; i < 3; ++i)
        copy(out->corner[i], x);
}
void point_and_triangle(test_random *random, nasty_pair *pair)
{
    coplanar_nested(random, pair);
    double x[3];
    copy(x, pair->b.corner[0]);
    if (chance(random, 3))
        along(x, x, 1.0, (double[3]){0, 0, 1});
    make_point(x, &pair->b);
}
void point_and_segment(test_random *random, nasty_pair *pair)
{
    double x[3], u[3];
    whole_point(random, 1000, x);
    whole_direction(random, 50, u);
    make_segment(random, x, u, 4, &pair->a);
    along(x, x, (double)whole(random, -4, 4), u);
    if (chance(random, 4))
        along(x, x, 1.0, (double[3]){0, 0, 1});
    make_point(x, &pair->b);
}
void points(test_random *random, nasty_pair *pair)
{
    double x[3];
    uniform_point(random, 1.0, x);
    make_point(x, &pair->a);
    int axis = (int)whole(random, 0, 2);
    if (chance(random, 2))
        x[axis] += uniform(random, -1e-15, 1e-15);
    make_point(x, &pair->b);
}
// Corners on one line but for rounding: thin, or a segment, as chance will have it.
void nearly_segment(test_random *random, nasty_pair *pair)
{
    any_triangle(random, &pair->a);
    any_triangle(random, &pair->b);
    double u[3];
    subtract(u, pair->b.corner[1], pair->b.corner[0]);
    along(pair->b.corner[2], pair->b.corner[0], uniform(random, -0.5, 1.5), u);
}
