// How far two bodies may go before they come too near. See way.h.
//
// Conservative advancement: two bodies that are d apart, and come nearer by at most c(t) in a time
// t, are safe as long as c(t) is not above d less the floor. Then one asks again. Near each other
// this takes many small steps where bodies slide along each other, since c knows no directions. So
// when a step would not lead far, all pairs of triangles are listed that may come too near until
// the end of the way, or of a part of it; those that are not listed are safe. Each pair is taken
// along by itself: triangles are convex, so a plane between the two that parts them by g shows that
// they are apart by g, and only motion across that plane counts.
//
// Every bound holds at any moment of the way. That the last one ends a little early is no harm:
// what follows is a collision a little early, or another look.
#include "sim/way.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/vector.h"
#include "sim/ask.h"
#include "sim/close_points.h"
#include "sim/course.h"
#include "sim/rotation.h"

#define ROUNDS         64     // of asking the engine, for one way
#define PLANES         40     // for one pair of triangles
#define MOST_TRIANGLES 4096u  // pairs of them that are taken along
#define FAR            0.3    // a step that leads through this part of the way is good enough
#define SHORT          1e-6   // a step that leads through less of the time of a step is none
#define SLACK          1e-12  // of lengths: they have some ten roundings of 2^-53 each
#define ROUNDED        1e-10  // of the floor: what is lower by less is at it
#define SHARE          0.9999 // of what a bound allows is used

// Seconds until `most` is used up at a speed, which may be negative, and a change of it, from 0 up.
static double time_for(double most, double speed, double change)
{
    if (!(most >= 0))
        return 0;
    double root = sqrt(speed * speed + 2 * change * most);
    if (speed < 0) // first it becomes more
        return change > 0 ? SHARE * (root - speed) / change : HUGE_VAL;
    return root + speed > 0 ? SHARE * 2 * most / (root + speed) : HUGE_VAL;
}

// What coordinates of the two are rounded by.
static double rounding_of(const gz_body *a, const gz_body *b)
{
    const double *p = a->course.center, *q = b->course.center;
    return SLACK * (gz_largest3(p) + gz_largest3(q) + a->radius + b->radius);
}

// Seconds until two bodies that are `apart` may have come down to the floor.
static double time_of_bodies(const gz_body *a, const gz_body *b, double from, double apart)
{
    double speed_a[3], speed_b[3], speed[3], change[3];
    gz_course_speed(a, from, speed_a);
    gz_course_speed(b, from, speed_b);
    gz_subtract3(speed_b, speed_a, speed);
    gz_subtract3(b->course.change, a->course.change, change);
    double turning =
        gz_length3(a->course.spin) * a->radius + gz_length3(b->course.spin) * b->radius;
    return time_for(apart, gz_length3(speed) + turning, gz_length3(change));
}

// --- Pairs of triangles

// A triangle on its way: its corners now and later.
typedef struct moving {
    const gz_body *body;
    double arm[3][3]; // of corners, from the centre, when the list was made
    double turn[4];   // of the body then
    graze_triangle now;
    double center[3];
} moving;

static void begin_moving(moving *m, const gz_body *body, double time, const graze_triangle *t)
{
    m->body = body;
    gz_course_at(body, time, m->center, m->turn);
    m->now = *t;
    for (int i = 0; i < 3; ++i)
        gz_subtract3(t->corner[i], m->center, m->arm[i]);
}

static void move_on(moving *m, double begun, double time)
{
    double turn[4], change[4], matrix[9];
    double back[4] = {-m->turn[0], -m->turn[1], -m->turn[2], m->turn[3]};
    if (m->body->kind == GRAZE_BODY_STATIC || time == begun)
        return;
    gz_course_at(m->body, time, m->center, turn);
    gz_turn_multiply(turn, back, change);
    gz_turn_matrix(change, matrix);
    for (int i = 0; i < 3; ++i) {
        double arm[3];
        gz_matrix_times(matrix, m->arm[i], arm);
        for (int axis = 0; axis < 3; ++axis)
            m->now.corner[i][axis] = m->center[axis] + arm[axis];
    }
}

// How the corners of a triangle lie and move along a direction, and how much more than evenly.
typedef struct heights {
    double height[3], speed[3];
    double bend; // of the way, half an acceleration
} heights;

static heights heights_of(const moving *m, const double n[3], double time)
{
    heights h = {.bend = 0};
    const gz_course *c = &m->body->course;
    double speed[3] = {0}, longest = 0;
    bool fixed = m->body->kind == GRAZE_BODY_STATIC;
    if (!fixed)
        gz_course_speed(m->body, time, speed);
    for (int i = 0; i < 3; ++i) {
        double arm[3], turning[3];
        gz_subtract3(m->now.corner[i], m->center, arm);
        gz_cross3(c->spin, arm, turning);
        h.height[i] = gz_dot3(n, m->now.corner[i]);
        h.speed[i] = fixed ? 0 : gz_dot3(n, speed) + gz_dot3(n, turning);
        longest = fmax(longest, gz_length3(arm));
    }
    if (!fixed)
        h.bend = 0.5 * (fabs(gz_dot3(n, c->change)) + gz_dot3(c->spin, c->spin) * longest);
    return h;
}

// Seconds until the triangles may be within `floor` along a direction from a to b.
static double time_across(const moving *a, const moving *b, const double n[3], double time,
                          double floor)
{
    heights low = heights_of(a, n, time), high = heights_of(b, n, time);
    double least = HUGE_VAL, bend = low.bend + high.bend;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double gap = high.height[j] - low.height[i] - floor;
            if (gap < 0 && gap >= -ROUNDED * floor) // it may recede from there
                gap = 0;
            double closing = low.speed[i] - high.speed[j];
            // gap - closing t - bend t^2 >= 0
            least = fmin(least, time_for(gap, closing, 2 * bend));
        }
    return least;
}

// Takes two triangles along from `from` to `to` at most. Returns when they may come below the
// floor, or `to`.
static double take_along(moving *a, moving *b, double from, double to, double floor,
                         double shortest)
{
    double at = from;
    for (int i = 0; i < PLANES; ++i) {
        double p[3], q[3], n[3];
        move_on(a, from, at);
        move_on(b, from, at);
        double gap = gz_triangles_nearest(&a->now, &b->now, p, q);
        if (!(gap > 0))
            return at;
        for (int axis = 0; axis < 3; ++axis)
            n[axis] = (q[axis] - p[axis]) / gap;
        double step = time_across(a, b, n, at, floor);
        if (step >= to - at)
            return to;
        at += step;
        if (step < shortest)
            return at;
    }
    return at;
}

static double take_all_along(const gz_asker *asker, const gz_near_pair *pair, double from,
                             double to, double floor)
{
    const graze_sim *sim = asker->sim;
    const gz_body *bodies = sim->bodies.items;
    double soonest = to;
    for (uint64_t i = 0; i < asker->triangles.count; i += 2) {
        moving a, b;
        begin_moving(&a, &bodies[pair->a], from, &asker->triangles.items[i]);
        begin_moving(&b, &bodies[pair->b], from, &asker->triangles.items[i + 1]);
        soonest = fmin(soonest, take_along(&a, &b, from, soonest, floor + asker->offset,
                                           SHORT * sim->def.step));
    }
    return soonest;
}

// --- Two bodies

// Goes on by triangles, from *at, as far as lists are short enough. *at stays where nothing is
// known.
static graze_status go_by_triangles(gz_asker *asker, gz_near_pair *pair, double *at, double to,
                                    double floor, bool *blocked)
{
    const gz_body *a = &asker->sim->bodies.items[pair->a], *b = &asker->sim->bodies.items[pair->b];
    graze_status status = GRAZE_OK;
    double until = to;
    *blocked = false;
    for (int halving = 0; halving < 8 && status == GRAZE_OK; ++halving) {
        bool complete;
        double reach = floor + gz_course_closing(a, b, *at, until);
        status = gz_ask_triangles(asker, pair, *at, reach, MOST_TRIANGLES, &complete);
        if (status != GRAZE_OK || complete) {
            double end = status == GRAZE_OK ? take_all_along(asker, pair, *at, until, floor) : *at;
            *blocked = end < until;
            *at = end;
            return status;
        }
        until = *at + 0.25 * (until - *at);
    }
    return status;
}

graze_status gz_way_clear(gz_asker *asker, gz_near_pair *pair, double from, double to)
{
    const graze_sim *sim = asker->sim;
    const gz_body *a = &sim->bodies.items[pair->a], *b = &sim->bodies.items[pair->b];
    double floor = GZ_FLOOR * sim->slop * (1 + ROUNDED) + rounding_of(a, b), stop = floor,
           at = from, least;
    double shortest = SHORT * sim->def.step;
    bool by_triangles = gz_engine_of(sim, pair)->triangles != NULL, blocked;
    graze_status status = GRAZE_OK;
    pair->hit = false;
    for (int round = 0; round < ROUNDS; ++round) {
        pair->safe = to;
        double closing = gz_course_closing(a, b, at, to);
        if (pair->passing || closing == 0 || at >= to)
            return GRAZE_OK;
        double band = GZ_BAND * sim->slop;
        status = gz_ask_separation(asker, pair, at, floor + band + closing, &least);
        if (status != GRAZE_OK || least - floor - band > closing)
            return status;
        if (round == 0)
            stop = floor + 0.5 * fmax(0, fmin(least - floor, band));
        double step = time_of_bodies(a, b, at, least - stop), before = at;
        if (step >= FAR * (to - at) || !by_triangles) {
            at = fmin(at + step, to);
            if (step < shortest)
                break;
            continue;
        }
        status = go_by_triangles(asker, pair, &at, to, stop, &blocked);
        if (status != GRAZE_OK)
            return status;
        if (blocked)
            break;
        at = at > before ? at : fmin(at + step, to); // too many triangles
        if (at - before < shortest)
            break;
    }
    pair->safe = at;
    pair->hit = at < to;
    return GRAZE_OK;
}
