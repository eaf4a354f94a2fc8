// A bound of depth where a convex piece of one shape touches another. See wedge.h.
//
// Write S for the shape that is convex in the ball, O for the other. Take planes of triangles of S
// such that all its triangles in the ball are below: n.x <= h. What is above such a plane, in the
// ball, is free of the surface, so one point that is outside S tells that all of it is. So in the
// ball S lies in the wedge of all points with n.x <= h for each of these planes.
//
// Let every triangle of O in the ball be above n.x = h - e for one of the planes at least. The
// points of the ball with n.x < h - e for all planes, the shrunken wedge, make up a convex set that
// is free of the surface of O; so one point of it that is outside O tells that all of it is. Now a
// point of the inner ball that is inside both shapes is in the wedge, but not in the shrunken one:
//   it is within e of one of the planes, and so no deeper in S than e;
//   a step of e / c along u leads to the shrunken wedge, if n.u <= -c for all planes: it is no
//   deeper in O than e / c.
// Both ways must not leave the ball, which is why it is larger than the inner one.
//
// This is what tells that a pipe in the bore of a flange, or a block in a corner, only touches: no
// single plane parts the two.
#include "query/wedge.h"

#include <math.h>

#include "geometry/vector.h"

#define TRIANGLES 48   // of a shape in the ball
#define PLANES    8    // of a wedge
#define SLOPE     0.25 // the least c: sharper wedges are not looked at
#define PARALLEL  1e-12
#define REACH     0.95 // of the radius: where points are asked about

typedef struct wedge {
    gz_seen_triangle triangle[2][TRIANGLES]; // of S and O
    uint32_t count[2];
    double slack[2];
    double normal[PLANES][3], height[PLANES]; // from the middle
    int plane_count;
    double inward[3], slope; // u and c
} wedge;

static bool unit_normal(const gz_seen_triangle *t, double out[3])
{
    double e[3], f[3];
    gz_subtract3(t->corner[1], t->corner[0], e);
    gz_subtract3(t->corner[2], t->corner[0], f);
    gz_cross3(e, f, out);
    double length = gz_length3(out);
    if (!(length > 0))
        return false;
    for (int i = 0; i < 3; ++i)
        out[i] /= length;
    return true;
}

static double highest_corner(const gz_seen_triangle *t, const double normal[3])
{
    double height = -HUGE_VAL;
    for (int k = 0; k < 3; ++k)
        height = fmax(height, gz_dot3(normal, t->corner[k]));
    return height;
}

static double lowest_corner(const gz_seen_triangle *t, const double normal[3])
{
    double height = HUGE_VAL;
    for (int k = 0; k < 3; ++k)
        height = fmin(height, gz_dot3(normal, t->corner[k]));
    return height;
}

static bool is_known(const wedge *w, const double normal[3])
{
    for (int i = 0; i < w->plane_count; ++i)
        if (gz_dot3(w->normal[i], normal) > 1 - PARALLEL)
            return true;
    return false;
}

static graze_status place_at(const gz_wedge_ball *ball, int side, const double way[3],
                             graze_place *place)
{
    double point[3];
    for (int i = 0; i < 3; ++i)
        point[i] = ball->middle[i] + REACH * ball->radius * way[i];
    return gz_place_point(&ball->solid[side], point, place);
}

// Adds the plane of a triangle if all of S is below it. False: too many planes, or a failure.
static bool add_plane(const gz_wedge_ball *ball, int convex, wedge *w, const gz_seen_triangle *t,
                      double sign, graze_status *status)
{
    double normal[3], height = -HUGE_VAL;
    graze_place place = GRAZE_PLACE_UNKNOWN;
    if (!unit_normal(t, normal))
        return true;
    for (int i = 0; i < 3; ++i)
        normal[i] *= sign;
    if (is_known(w, normal))
        return true;
    double own = highest_corner(t, normal), most = own + (ball->radius - ball->inner) / 8;
    for (uint32_t k = 0; k < w->count[0] && height <= most; ++k)
        height = fmax(height, highest_corner(&w->triangle[0][k], normal));
    height += w->slack[0] + ball->finest;
    if (height > most || height >= 0.9 * REACH * ball->radius)
        return true;
    *status = place_at(ball, convex, normal, &place);
    if (*status != GRAZE_OK || place != GRAZE_PLACE_OUTSIDE)
        return *status == GRAZE_OK;
    if (w->plane_count == PLANES)
        return false;
    for (int i = 0; i < 3; ++i)
        w->normal[w->plane_count][i] = normal[i];
    w->height[w->plane_count++] = height;
    return true;
}

static bool find_inward(wedge *w)
{
    double sum[3] = {0};
    for (int k = 0; k < w->plane_count; ++k)
        for (int i = 0; i < 3; ++i)
            sum[i] -= w->normal[k][i];
    double length = gz_length3(sum);
    if (!(length > SLOPE))
        return false;
    for (int i = 0; i < 3; ++i)
        w->inward[i] = sum[i] / length;
    w->slope = 1;
    for (int k = 0; k < w->plane_count; ++k)
        w->slope = fmin(w->slope, -gz_dot3(w->normal[k], w->inward));
    return w->slope >= SLOPE;
}

// How far triangles of O reach below the planes: each below all of them.
static double reach_of(const wedge *w)
{
    double most = 0;
    for (uint32_t k = 0; k < w->count[1]; ++k) {
        double least = HUGE_VAL;
        for (int i = 0; i < w->plane_count; ++i)
            least = fmin(least, w->height[i] - lowest_corner(&w->triangle[1][k], w->normal[i]));
        most = fmax(most, least);
    }
    return most + w->slack[1];
}

// Whether the point far inward is in the shrunken wedge.
static bool is_deep(const gz_wedge_ball *ball, const wedge *w, double reach)
{
    for (int i = 0; i < w->plane_count; ++i)
        if (REACH * ball->radius * gz_dot3(w->normal[i], w->inward) >=
            w->height[i] - reach - 4 * ball->finest)
            return false;
    return true;
}

graze_status gz_wedge_bound(const gz_wedge_ball *ball, int convex, double *bound)
{
    wedge w;
    graze_status status = GRAZE_OK;
    graze_place place = GRAZE_PLACE_UNKNOWN;
    *bound = HUGE_VAL;
    w.plane_count = 0;
    for (int k = 0; k < 2; ++k) {
        w.count[k] = gz_field_gather(&ball->field[k == 0 ? convex : 1 - convex], ball->middle,
                                     ball->radius, w.triangle[k], TRIANGLES, &w.slack[k]);
        if (w.count[k] > TRIANGLES || w.count[k] == 0)
            return GRAZE_OK;
    }
    for (uint32_t k = 0; k < w.count[0]; ++k)
        if (!add_plane(ball, convex, &w, &w.triangle[0][k], 1, &status) ||
            !add_plane(ball, convex, &w, &w.triangle[0][k], -1, &status))
            return status;
    if (w.plane_count == 0 || !find_inward(&w))
        return GRAZE_OK;
    double reach = reach_of(&w), step = reach / w.slope * (1 + 0x1p-40) + 4 * ball->finest;
    if (step > ball->radius - ball->inner || !is_deep(ball, &w, reach))
        return GRAZE_OK;
    status = place_at(ball, 1 - convex, w.inward, &place);
    if (status == GRAZE_OK && place == GRAZE_PLACE_OUTSIDE)
        *bound = step;
    return status;
}
