// Makes poses. See lod_paths.h.
#include "lod_paths.h"

#include <math.h>
#include <string.h>

#define PI           3.14159265358979323846
#define GOLDEN       2.39996322972865332 // an angle whose multiples are spread evenly
#define MARCH        64                  // steps from afar to the centre
#define HALVINGS     30
#define STEP_SECONDS 1e-3
#define GRAVITY      9.81
#define RESTITUTION  0.4

static void centre_of(const graze_box *box, double centre[3])
{
    for (int axis = 0; axis < 3; ++axis)
        centre[axis] = 0.5 * (box->min[axis] + box->max[axis]);
}

static double width_of(const graze_box *box)
{
    double width = 0;
    for (int axis = 0; axis < 3; ++axis)
        width = fmax(width, box->max[axis] - box->min[axis]);
    return width;
}

static double half_diagonal(const graze_box *box)
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
        sum += (box->max[axis] - box->min[axis]) * (box->max[axis] - box->min[axis]);
    return sqrt(sum) / 2;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// Turned by a quaternion (x, y, z, w) about its centre, which comes to a place.
static graze_pose pose_about(const double centre[3], const double turn[4], const double place[3])
{
    graze_pose pose;
    double moved[3];
    graze_pose_from_quaternion(turn, NULL, &pose);
    graze_pose_apply(&pose, centre, moved);
    for (int axis = 0; axis < 3; ++axis)
        pose.translation[axis] = place[axis] - moved[axis];
    return pose;
}

// The exact verdict. False in *good: it could not be had.
static bool touch(const lod_pair *pair, const graze_pose *pose, bool *good)
{
    graze_answer answer;
    *good = *good && graze_query_collide(pair->query, graze_at(pair->a, NULL),
                                         graze_at(pair->b, pose), NULL, &answer) == GRAZE_OK;
    return *good && answer.verdict == GRAZE_CONTACT;
}

// A way on which b comes to the centre of a.
typedef struct approach {
    double from[3], centre_b[3];
    double direction[3], turn[4];
} approach;

static graze_pose pose_on(const approach *way, double far)
{
    double place[3];
    for (int axis = 0; axis < 3; ++axis)
        place[axis] = way->from[axis] + far * way->direction[axis];
    return pose_about(way->centre_b, way->turn, place);
}

// How far from the centre of a the first contact is, and just beyond it; 0 where there is none.
static double first_contact(const lod_pair *pair, const approach *way, bool *good)
{
    graze_box a = graze_shape_get_info(pair->a).box, b = graze_shape_get_info(pair->b).box;
    double afar = half_diagonal(&a) + half_diagonal(&b), apart = afar, near = 0;
    for (int i = 1; i <= MARCH; ++i) {
        near = afar * (MARCH - i) / MARCH;
        graze_pose pose = pose_on(way, near);
        if (touch(pair, &pose, good) || !*good)
            break;
        apart = near;
    }
    for (int i = 0; i < HALVINGS && apart > near; ++i) {
        double middle = 0.5 * (apart + near);
        graze_pose pose = pose_on(way, middle);
        if (touch(pair, &pose, good))
            near = middle;
        else
            apart = middle;
    }
    return near;
}

// Way number i of so many, and a turn of its own.
static approach approach_of(const lod_pair *pair, uint32_t i, uint32_t count)
{
    approach way;
    graze_box a = graze_shape_get_info(pair->a).box, b = graze_shape_get_info(pair->b).box;
    centre_of(&a, way.from);
    centre_of(&b, way.centre_b);
    double up = 1 - (2.0 * i + 1) / count, flat = sqrt(1 - up * up), angle = GOLDEN * i;
    way.direction[0] = flat * cos(angle);
    way.direction[1] = flat * sin(angle);
    way.direction[2] = up;
    double half = 0.5 * (1 + 1.7 * i);
    way.turn[0] = 0.36 * sin(half);
    way.turn[1] = 0.48 * sin(half);
    way.turn[2] = 0.8 * sin(half);
    way.turn[3] = cos(half);
    return way;
}

bool lod_path_deep(const lod_pair *pair, uint32_t directions, uint32_t depths, lod_path *path)
{
    graze_box a = graze_shape_get_info(pair->a).box, b = graze_shape_get_info(pair->b).box;
    double deepest = 0.5 * fmin(width_of(&a), width_of(&b));
    bool good = true;
    path->count = 0;
    for (uint32_t i = 0; i < directions && good; ++i) {
        approach way = approach_of(pair, i, directions);
        double start = first_contact(pair, &way, &good);
        for (uint32_t k = 0; k < depths && path->count < LOD_POSES; ++k)
            path->pose[path->count++] = pose_on(&way, start - deepest * k / (depths - 1));
    }
    return good;
}

typedef struct flying_body {
    double place[3], turn[4]; // of its centre
    double speed[3], spin[3];
} flying_body;

static flying_body advance(const flying_body *from, double seconds)
{
    flying_body to = *from;
    const double *w = from->spin, *q = from->turn;
    for (int axis = 0; axis < 3; ++axis)
        to.place[axis] += seconds * from->speed[axis];
    to.turn[0] += 0.5 * seconds * (w[0] * q[3] + w[1] * q[2] - w[2] * q[1]);
    to.turn[1] += 0.5 * seconds * (w[1] * q[3] + w[2] * q[0] - w[0] * q[2]);
    to.turn[2] += 0.5 * seconds * (w[2] * q[3] + w[0] * q[1] - w[1] * q[0]);
    to.turn[3] -= 0.5 * seconds * (w[0] * q[0] + w[1] * q[1] + w[2] * q[2]);
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i)
        to.turn[i] /= length;
    return to;
}

// Where the two touch, on the mean, and which way leads out of a.
static bool find_contact(const lod_pair *pair, const graze_pose *pose, double point[3],
                         double normal[3])
{
    graze_answer answer;
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.pair_limit = 64;
    if (graze_query_collide(pair->query, graze_at(pair->a, NULL), graze_at(pair->b, pose), &def,
                            &answer) != GRAZE_OK ||
        answer.pair_count == 0)
        return false;
    memset(point, 0, 3 * sizeof *point);
    memset(normal, 0, 3 * sizeof *normal);
    for (uint64_t i = 0; i < answer.pair_count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            point[axis] += answer.contacts[i].point_a[axis] / (double)answer.pair_count;
            normal[axis] += answer.contacts[i].normal[axis];
        }
    return true;
}

// A ball's impulse at the contact. Where triangles do not say which way leads out, it is the way
// that the body came. Some of the motion is lost, so that it comes to rest.
static void bounce_off(flying_body *body, const double point[3], double normal[3], double radius)
{
    double arm[3], swing[3], lever[3], inertia = 0.4 * radius * radius;
    for (int axis = 0; axis < 3; ++axis)
        arm[axis] = point[axis] - body->place[axis];
    cross(body->spin, arm, swing);
    for (int axis = 0; axis < 3; ++axis)
        swing[axis] += body->speed[axis];
    double length = sqrt(dot(normal, normal));
    if (!(length > 0.1) || dot(swing, normal) >= 0) {
        for (int axis = 0; axis < 3; ++axis)
            normal[axis] = -swing[axis];
        length = sqrt(dot(normal, normal));
    }
    for (int axis = 0; axis < 3 && length > 0; ++axis)
        normal[axis] /= length;
    cross(arm, normal, lever);
    double push = -(1 + RESTITUTION) * dot(swing, normal) / (1 + dot(lever, lever) / inertia);
    for (int axis = 0; axis < 3; ++axis) {
        body->speed[axis] = 0.99 * (body->speed[axis] + push * normal[axis]);
        body->spin[axis] = 0.97 * (body->spin[axis] + push * lever[axis] / inertia);
    }
}

// A fall begins a quarter of the width above the first contact.
static flying_body begin_fall(const lod_pair *pair, uint32_t number, bool *good)
{
    approach way = approach_of(pair, number, 64);
    double slope = 0.15 * number;
    way.direction[0] = 0.1 * sin(slope);
    way.direction[1] = 0.1 * cos(slope);
    way.direction[2] = 1;
    graze_box box = graze_shape_get_info(pair->a).box;
    double high = first_contact(pair, &way, good) + 0.25 * width_of(&box);
    flying_body body = {.spin = {2, 3 * sin(slope), 1}};
    memcpy(body.turn, way.turn, sizeof body.turn);
    for (int axis = 0; axis < 3; ++axis)
        body.place[axis] = way.from[axis] + high * way.direction[axis];
    return body;
}

// One step; its pose is the last one that was tried and touches, or where the step leads to.
static bool step_fall(const lod_pair *pair, flying_body *body, graze_pose *pose)
{
    graze_box box = graze_shape_get_info(pair->b).box;
    double centre[3], point[3], normal[3], apart = 0, near = 1;
    bool good = true;
    centre_of(&box, centre);
    body->speed[2] -= GRAVITY * STEP_SECONDS;
    flying_body to = advance(body, STEP_SECONDS);
    *pose = pose_about(centre, to.turn, to.place);
    if (!touch(pair, pose, &good)) {
        *body = to;
        return good;
    }
    for (int i = 0; i < 10 && good; ++i) {
        double middle = 0.5 * (apart + near);
        to = advance(body, middle * STEP_SECONDS);
        graze_pose tried = pose_about(centre, to.turn, to.place);
        if (touch(pair, &tried, &good)) {
            near = middle;
            *pose = tried;
        } else {
            apart = middle;
        }
    }
    *body = advance(body, apart * STEP_SECONDS);
    if (!good || !find_contact(pair, pose, point, normal))
        return false;
    bounce_off(body, point, normal, half_diagonal(&box) / 2);
    return true;
}

bool lod_path_bounce(const lod_pair *pair, uint32_t count, lod_path *path)
{
    graze_box a = graze_shape_get_info(pair->a).box, b = graze_shape_get_info(pair->b).box;
    double lost = a.min[2] - half_diagonal(&b);
    bool good = true;
    uint32_t falls = 0;
    flying_body body = begin_fall(pair, falls++, &good);
    for (path->count = 0; path->count < count && path->count < LOD_POSES && good; ++path->count) {
        if (body.place[2] < lost)
            body = begin_fall(pair, falls++, &good);
        good = good && step_fall(pair, &body, &path->pose[path->count]);
    }
    return good;
}

// Points of the flight, as parts of the box.
static const double points[][3] = {
    {0.05, 0.30, 0.12}, {0.30, 0.55, 0.08}, {0.55, 0.70, 0.16}, {0.70, 0.90, 0.30},
    {0.85, 0.80, 0.45}, {0.92, 0.62, 0.35}, {0.80, 0.50, 0.22}, {0.60, 0.40, 0.30},
    {0.45, 0.62, 0.50}, {0.30, 0.80, 0.38}, {0.15, 0.60, 0.25}, {0.10, 0.15, 0.20},
};
enum { POINTS = sizeof points / sizeof *points };

// Catmull and Rom's curve, and where it leads.
static double curve_at(int axis, double at, double *slope)
{
    int i = (int)at;
    double t = at - i, p[4];
    for (int k = 0; k < 4; ++k)
        p[k] = points[(i + k + POINTS - 1) % POINTS][axis];
    double c1 = p[2] - p[0], c2 = 2 * p[0] - 5 * p[1] + 4 * p[2] - p[3];
    double c3 = 3 * (p[1] - p[2]) + p[3] - p[0];
    *slope = 0.5 * (c1 + 2 * c2 * t + 3 * c3 * t * t);
    return 0.5 * (2 * p[1] + t * (c1 + t * (c2 + t * c3)));
}

void lod_path_flight(const graze_box *a, const graze_box *b, uint32_t count, lod_path *path)
{
    double centre[3];
    centre_of(b, centre);
    path->count = count < LOD_POSES ? count : LOD_POSES;
    for (uint32_t i = 0; i < path->count; ++i) {
        double place[3], slope[3], at = (double)POINTS * i / path->count;
        for (int axis = 0; axis < 3; ++axis) {
            double side = a->max[axis] - a->min[axis];
            place[axis] = a->min[axis] + side * curve_at(axis, at, &slope[axis]);
            slope[axis] *= side;
        }
        double yaw = atan2(slope[1], slope[0]) / 2, roll = 0.4 * sin(4 * PI * i / path->count);
        double turn[4] = {cos(yaw) * sin(roll), sin(yaw) * sin(roll), sin(yaw) * cos(roll),
                          cos(yaw) * cos(roll)};
        path->pose[i] = pose_about(centre, turn, place);
    }
}

void lod_path_steps(const graze_pose *start, double length, uint32_t count, lod_path *path)
{
    static const double axis[3] = {0.36, 0.48, 0.8}, way[3] = {0.48, 0.6, -0.64};
    path->count = count < LOD_POSES ? count : LOD_POSES;
    for (uint32_t i = 0; i < path->count; ++i) {
        graze_pose turn;
        graze_pose_from_axis(axis, length * i, NULL, &turn);
        path->pose[i] = graze_pose_compose(start, &turn);
        for (int k = 0; k < 3; ++k)
            path->pose[i].translation[k] = start->translation[k] + length * i * way[k];
    }
}
