// Which error a pair of bodies is asked at. See levels_of_pair.h.
//
// A pair that becomes slower, say, should be asked more finely. By the coarse level the two are
// apart at two moments, by the fine one they are in contact at both: a search for the time at which
// they met would never end (Otaduy and Lin, "CLODs: Dual Hierarchies for Multiresolution Collision
// Detection", section 5.3). As there, the time is found by interpolation between how far the one
// has them apart at first and how deep the other has them in each other at last; they collide then,
// and go on at the old level, until the new one has them apart as well.
#include "sim/levels_of_pair.h"

#include <math.h>

#include "geometry/vector.h"
#include "sim/ask.h"
#include "sim/course.h"

#define LARGEST     0.05 // of a body: errors are not larger
#define LEAST_TIMED 1e-5 // of the smaller body: errors that time may ask for
#define MOST_TIMED  0.02
#define PLENTY      0.2 // of the time

// Errors are powers of two, so that each has its LOD cuts made once.
static double rounded_down(double error)
{
    int exponent;
    if (!(error > 0))
        return 0;
    (void)frexp(error, &exponent);
    return ldexp(1, exponent - 1);
}

static double longest_side(const graze_box *box)
{
    double longest = 0;
    for (int axis = 0; axis < 3; ++axis)
        longest = fmax(longest, box->max[axis] - box->min[axis]);
    return longest;
}

double gz_level_most(const graze_sim *sim, const gz_body *body)
{
    double most = LARGEST * longest_side(&body->box);
    if (sim->def.engine != GRAZE_SIM_LOD)
        return 0;
    bool alone = sim->def.time_limit == 0 && sim->def.error > 0;
    return alone ? fmin(most, sim->def.error) : most;
}

// How fast points of the two move past each other at most.
static double speed_between(const gz_body *a, const gz_body *b)
{
    double speed[3], spin[2][3] = {{0}};
    gz_subtract3(b->velocity, a->velocity, speed);
    if (gz_body_moves(a))
        gz_spin_of(a, a->turn, a->momentum, spin[0]);
    if (gz_body_moves(b))
        gz_spin_of(b, b->turn, b->momentum, spin[1]);
    return gz_length3(speed) + gz_length3(spin[0]) * a->radius + gz_length3(spin[1]) * b->radius;
}

static graze_box common_box(const graze_sim *sim, const gz_body *a, const gz_body *b)
{
    graze_pose pose_a = gz_body_pose(a), pose_b = gz_body_pose(b);
    graze_box box_a = graze_box_posed(&a->box, &pose_a), box_b = graze_box_posed(&b->box, &pose_b);
    graze_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = fmax(box_a.min[axis], box_b.min[axis]) - sim->slop;
        box.max[axis] = fmin(box_a.max[axis], box_b.max[axis]) + sim->slop;
        if (box.min[axis] > box.max[axis]) // they are apart: what lies between
            box.min[axis] = box.max[axis] = 0.5 * box.min[axis] + 0.5 * box.max[axis];
    }
    return box;
}

// In time: coarser where a question took too long, and finer again where there is plenty of it, but
// not finer than is asked for, nor than makes a difference.
static double timed_error(const graze_sim *sim, const gz_near_pair *pair, double error)
{
    const gz_body *a = &sim->bodies.items[pair->a], *b = &sim->bodies.items[pair->b];
    double size = fmin(longest_side(&a->box), longest_side(&b->box));
    double least = fmax(error, LEAST_TIMED * size), most = fmax(error, MOST_TIMED * size);
    double now = pair->seen ? pair->error : most;
    if (pair->slowest > sim->def.time_limit)
        now = 2 * now;
    else if (pair->slowest < PLENTY * sim->def.time_limit)
        now = 0.5 * now;
    return fmin(fmax(now, least), most);
}

// The least that anybody allows. What only moves and sizes say does not go below the least error.
static double wanted_error(const graze_sim *sim, const gz_near_pair *pair)
{
    const graze_sim_def *def = &sim->def;
    const gz_body *a = &sim->bodies.items[pair->a], *b = &sim->bodies.items[pair->b];
    double error = HUGE_VAL, soft = HUGE_VAL;
    if (def->engine == GRAZE_SIM_EXACT)
        return 0;
    if (def->error_by_speed > 0)
        soft = fmin(soft, def->error_by_speed * speed_between(a, b));
    if (def->error_by_size > 0)
        soft = fmin(soft, def->error_by_size * fmin(longest_side(&a->box), longest_side(&b->box)));
    if (soft < HUGE_VAL)
        error = fmax(soft, def->least_error);
    if (def->error_function != NULL) {
        graze_box box = common_box(sim, a, b);
        error = fmin(error, def->error_function(def->error_user, &box));
    }
    if (def->error > 0)
        error = fmin(error, def->error);
    if (!(error < HUGE_VAL))
        error = def->error;
    error = fmin(error, LARGEST * fmin(longest_side(&a->box), longest_side(&b->box)));
    if (def->time_limit > 0)
        error = timed_error(sim, pair, error);
    return error == def->error ? error : rounded_down(error);
}

graze_status gz_level_choose(gz_asker *asker, gz_near_pair *pair)
{
    const graze_sim *sim = asker->sim;
    double wanted = wanted_error(sim, pair), before = pair->error, least;
    bool seen = pair->seen;
    pair->wanted = wanted;
    pair->seen = true; // an error of 0 comes first: the two may be near already
    if (wanted == before)
        return GRAZE_OK;
    double enough = (GZ_FLOOR + GZ_BAND) * sim->slop;
    pair->error = wanted;
    graze_status status = gz_ask_separation(asker, pair, 0, enough, &least);
    if (status != GRAZE_OK || least >= enough) {
        asker->switch_count += seen;
        return status;
    }
    pair->error = before;
    asker->late_count++;
    return GRAZE_OK;
}

graze_status gz_level_meet(gz_asker *asker, gz_near_pair *pair)
{
    const graze_sim *sim = asker->sim;
    double active = pair->error, floor = GZ_FLOOR * sim->slop, step = sim->def.step;
    double first, last;
    pair->switching = false;
    if (pair->passing || pair->wanted == active)
        return GRAZE_OK;
    pair->error = pair->wanted;
    graze_status status = gz_ask_separation(asker, pair, step, floor, &last);
    pair->error = active;
    if (status != GRAZE_OK || last >= floor)
        return status;
    status = gz_ask_separation(asker, pair, 0, sim->slop, &first);
    if (status != GRAZE_OK)
        return status;
    double apart = fmax(0, fmin(first, sim->slop) - floor), deep = floor - last;
    double time = step * apart / (apart + deep);
    if (time < pair->safe || !pair->hit) {
        pair->safe = fmin(time, pair->safe);
        pair->hit = pair->switching = true;
    }
    return GRAZE_OK;
}
