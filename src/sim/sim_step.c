// A step. See graze/sim.h, and docs/internals.md for how it goes.
//
// All bodies get courses for the whole step from what is in contact at its beginning. Then each
// pair is asked how far it may go. The first two that come too near end their courses at that
// moment, collide, and begin new ones, with all that touch them; until no two come too near any
// more. What meets others too often in one step stands still for the rest of it, so that there is
// an end.
//
// The order is fixed: by time, then by the numbers of bodies. Threads only answer questions.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "geometry/vector.h"
#include "sim/ask.h"
#include "sim/course.h"
#include "sim/levels_of_pair.h"
#include "sim/look.h"
#include "sim/near.h"
#include "sim/path.h"
#include "sim/response.h"
#include "sim/way.h"

#define PATH_PATIENCE 16 // a body on a path may be met so much more often

static graze_status out_of_memory(const graze_sim *sim)
{
    return gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for a step of bodies");
}

// --- The whole step, for all bodies

static bool keep_places(graze_sim *sim)
{
    sim->places.count = 0;
    gz_body_place *places = gz_list_push(sim->context, &sim->places, sim->bodies.count);
    if (places == NULL)
        return sim->bodies.count == 0;
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        const gz_body *body = &sim->bodies.items[i];
        memcpy(places[i].center, body->center, sizeof body->center);
        memcpy(places[i].turn, body->turn, sizeof body->turn);
        memcpy(places[i].velocity, body->velocity, sizeof body->velocity);
        memcpy(places[i].momentum, body->momentum, sizeof body->momentum);
        places[i].clock = body->clock;
    }
    return true;
}

static void put_back(graze_sim *sim)
{
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        gz_body *body = &sim->bodies.items[i];
        const gz_body_place *place = &sim->places.items[i];
        memcpy(body->center, place->center, sizeof body->center);
        memcpy(body->turn, place->turn, sizeof body->turn);
        memcpy(body->velocity, place->velocity, sizeof body->velocity);
        memcpy(body->momentum, place->momentum, sizeof body->momentum);
        body->clock = place->clock;
    }
}

static void begin_courses(graze_sim *sim)
{
    gz_look_begin_courses(sim);
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        gz_body *body = &sim->bodies.items[i];
        body->events = 0;
        body->held = false;
        if (body->kind == GRAZE_BODY_ON_PATH)
            gz_path_begin(body, sim->def.step);
        if (gz_body_moves(body)) {
            memcpy(body->course.velocity, body->velocity, sizeof body->velocity);
            memcpy(body->course.momentum, body->momentum, sizeof body->momentum);
        }
    }
}

// All bodies and all pairs.
static graze_status choose_all(graze_sim *sim, gz_encounter *meeting)
{
    gz_index_list *pairs = &sim->chosen[0], *bodies = &sim->chosen[1];
    pairs->count = bodies->count = 0;
    uint32_t *p = gz_list_push(sim->context, pairs, sim->pairs.count);
    uint32_t *b = gz_list_push(sim->context, bodies, sim->bodies.count);
    sim->flags.count = 0;
    bool *f = gz_list_push(sim->context, &sim->flags, sim->bodies.count);
    if ((p == NULL && sim->pairs.count != 0) ||
        ((b == NULL || f == NULL) && sim->bodies.count != 0))
        return out_of_memory(sim);
    for (uint32_t i = 0; i < sim->pairs.count; ++i)
        p[i] = i;
    for (uint32_t i = 0; i < sim->bodies.count; ++i) {
        b[i] = i;
        f[i] = true;
    }
    *meeting = (gz_encounter){
        .pairs = p, .pair_count = sim->pairs.count, .bodies = b, .body_count = sim->bodies.count};
    return GRAZE_OK;
}

static graze_status clear_whole_way(gz_asker *asker, gz_near_pair *pair)
{
    pair->fresh = false;
    graze_status status = gz_way_clear(asker, pair, 0, asker->sim->def.step);
    return status == GRAZE_OK ? gz_level_meet(asker, pair) : status;
}

static graze_status begin_step(graze_sim *sim)
{
    gz_encounter meeting;
    begin_courses(sim);
    graze_status status = choose_all(sim, &meeting);
    if (status == GRAZE_OK)
        status = gz_response_collide(sim, &meeting, sim->flags.items);
    if (status == GRAZE_OK)
        status = gz_response_carry(sim, &meeting);
    if (status == GRAZE_OK)
        status = gz_near_widen(sim, 0);
    if (status == GRAZE_OK)
        status = gz_look_at_pairs(sim, clear_whole_way);
    return status;
}

// --- One collision within it

static bool has_body(const gz_index_list *bodies, uint32_t body, uint64_t *place)
{
    uint64_t low = 0, high = bodies->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (bodies->items[middle] < body)
            low = middle + 1;
        else
            high = middle;
    }
    *place = low;
    return low < bodies->count && bodies->items[low] == body;
}

// Adds a body to the ascending list, with its flag.
static bool add_body(graze_sim *sim, uint32_t body, bool flag)
{
    gz_index_list *bodies = &sim->chosen[1];
    uint64_t place;
    if (has_body(bodies, body, &place)) {
        sim->flags.items[place] = sim->flags.items[place] || flag;
        return true;
    }
    if (gz_list_push(sim->context, bodies, 1) == NULL)
        return false;
    if (gz_list_push(sim->context, &sim->flags, 1) == NULL) {
        bodies->count--;
        return false;
    }
    uint64_t behind = bodies->count - 1 - place;
    memmove(&bodies->items[place + 1], &bodies->items[place],
            (size_t)behind * sizeof *bodies->items);
    memmove(&sim->flags.items[place + 1], &sim->flags.items[place],
            (size_t)behind * sizeof *sim->flags.items);
    bodies->items[place] = body;
    sim->flags.items[place] = flag;
    return true;
}

static bool are_far(const graze_sim *sim, const gz_near_pair *pair, double time)
{
    const gz_body *a = &sim->bodies.items[pair->a], *b = &sim->bodies.items[pair->b];
    graze_pose pose_a = gz_course_pose(a, time), pose_b = gz_course_pose(b, time);
    graze_box box_a = graze_box_posed(&a->box, &pose_a), box_b = graze_box_posed(&b->box, &pose_b);
    double error = 2 * fmax(pair->error, pair->wanted); // of the levels, both ways
    return graze_box_distance(&box_a, &box_b) > sim->slop + error;
}

// Brings the touches of a pair up to the moment.
static graze_status refresh(graze_sim *sim, gz_near_pair *pair, double time)
{
    if (pair->passing || pair->asked == time)
        return GRAZE_OK;
    if (are_far(sim, pair, time)) {
        pair->count = 0;
        pair->asked = time;
        return GRAZE_OK;
    }
    double active = pair->error;
    if (pair->switching)
        pair->error = pair->wanted;
    graze_status status = gz_ask_touches(&sim->askers[0], pair, time);
    pair->error = active;
    pair->switching = false;
    return status;
}

// Lists the pairs in contact of all bodies whose flags are set, and the bodies in them, whose flags
// are not set if they are new.
static graze_status choose_touching(graze_sim *sim, double time, gz_encounter *meeting)
{
    gz_index_list *pairs = &sim->chosen[0], *bodies = &sim->chosen[1];
    graze_status status = GRAZE_OK;
    uint64_t place;
    pairs->count = 0;
    for (uint32_t i = 0; i < sim->pairs.count && status == GRAZE_OK; ++i) {
        gz_near_pair *pair = &sim->pairs.items[i];
        bool a = has_body(bodies, pair->a, &place) && sim->flags.items[place];
        bool b = has_body(bodies, pair->b, &place) && sim->flags.items[place];
        if (!a && !b)
            continue;
        status = refresh(sim, pair, time);
        if (status != GRAZE_OK || pair->count == 0 || pair->passing)
            continue;
        if (!gz_list_append(sim->context, pairs, &i, 1))
            status = out_of_memory(sim);
    }
    for (uint64_t i = 0; i < pairs->count && status == GRAZE_OK; ++i) {
        const gz_near_pair *pair = &sim->pairs.items[pairs->items[i]];
        if (!add_body(sim, pair->a, false) || !add_body(sim, pair->b, false))
            status = out_of_memory(sim);
    }
    *meeting = (gz_encounter){.time = time,
                              .pairs = pairs->items,
                              .pair_count = pairs->count,
                              .bodies = bodies->items,
                              .body_count = bodies->count};
    return status;
}

static bool cannot_move(const gz_body *body)
{
    return body->kind == GRAZE_BODY_STATIC || body->held;
}

// What was met too often stands still. A body on a path waits for one that does, and for one that
// is pressed against something else over and over.
static void count_event(graze_sim *sim, const gz_near_pair *pair)
{
    gz_body *both[2] = {&sim->bodies.items[pair->a], &sim->bodies.items[pair->b]};
    for (int side = 0; side < 2; ++side)
        if (gz_body_moves(both[side]) && ++both[side]->events > sim->def.event_limit &&
            !both[side]->held)
            gz_course_hold(both[side], pair->safe);
    for (int side = 0; side < 2; ++side)
        if (both[side]->kind == GRAZE_BODY_ON_PATH && !both[side]->held &&
            (cannot_move(both[1 - side]) ||
             ++both[side]->events > PATH_PATIENCE * sim->def.event_limit))
            gz_course_hold(both[side], pair->safe);
}

static graze_status collide_at(graze_sim *sim, gz_near_pair *pair)
{
    gz_encounter meeting;
    double time = pair->safe;
    sim->report.event_count++;
    count_event(sim, pair);
    sim->chosen[1].count = sim->flags.count = 0;
    if (!add_body(sim, pair->a, gz_body_moves(&sim->bodies.items[pair->a])) ||
        !add_body(sim, pair->b, gz_body_moves(&sim->bodies.items[pair->b])))
        return out_of_memory(sim);
    graze_status status = choose_touching(sim, time, &meeting);
    if (status == GRAZE_OK)
        status = gz_response_collide(sim, &meeting, sim->flags.items);
    if (status == GRAZE_OK) // what was set in motion pushes its own neighbours
        status = choose_touching(sim, time, &meeting);
    meeting.free = sim->flags.items;
    if (status == GRAZE_OK)
        status = gz_response_carry(sim, &meeting);
    if (status == GRAZE_OK)
        status = gz_near_widen(sim, time);
    return status;
}

// Ways of bodies that have new courses, and of pairs that became near.
static graze_status clear_ways(graze_sim *sim, double time)
{
    graze_status status = GRAZE_OK;
    uint64_t place;
    for (uint64_t i = 0; i < sim->pairs.count && status == GRAZE_OK; ++i) {
        gz_near_pair *pair = &sim->pairs.items[i];
        bool a = has_body(&sim->chosen[1], pair->a, &place) && sim->flags.items[place];
        bool b = has_body(&sim->chosen[1], pair->b, &place) && sim->flags.items[place];
        if (!a && !b && !pair->fresh)
            continue;
        pair->fresh = false;
        status = gz_way_clear(&sim->askers[0], pair, time, sim->def.step);
    }
    return status;
}

static gz_near_pair *first_hit(const graze_sim *sim)
{
    gz_near_pair *first = NULL;
    for (uint64_t i = 0; i < sim->pairs.count; ++i) {
        gz_near_pair *pair = &sim->pairs.items[i];
        if (pair->hit && (first == NULL || pair->safe < first->safe))
            first = pair;
    }
    return first;
}

static graze_status run_collisions(graze_sim *sim)
{
    gz_near_pair *pair;
    while ((pair = first_hit(sim)) != NULL) {
        double time = pair->safe;
        graze_status status = gz_checkpoint(sim->context, "stepping", "steps", sim->step_count, 0);
        if (status == GRAZE_OK)
            status = collide_at(sim, pair);
        if (status == GRAZE_OK)
            status = clear_ways(sim, time);
        if (status != GRAZE_OK)
            return status;
    }
    return GRAZE_OK;
}

// --- Its end

static void end_courses(graze_sim *sim)
{
    double step = sim->def.step;
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        gz_body *body = &sim->bodies.items[i];
        if (body->kind == GRAZE_BODY_STATIC)
            continue;
        double velocity[3], momentum[3];
        gz_course_velocity(body, step, velocity, momentum);
        gz_course_at(body, step, body->center, body->turn);
        if (gz_body_moves(body)) {
            memcpy(body->velocity, velocity, sizeof velocity);
            memcpy(body->momentum, momentum, sizeof momentum);
        } else {
            body->clock += body->held ? body->held_from : step;
        }
        sim->report.held_count += body->held;
    }
}

graze_status graze_sim_look(graze_sim *sim, graze_sim_report *report)
{
    graze_status status = GRAZE_OK;
    if (sim == NULL)
        return gz_fail_null(NULL, "graze_sim_look");
    if (!sim->looked) {
        sim->report = (graze_sim_report){0};
        status = gz_look(sim);
    }
    if (status == GRAZE_OK && report != NULL)
        *report = sim->report;
    return status;
}

graze_status graze_sim_step(graze_sim *sim, graze_sim_report *report)
{
    if (sim == NULL)
        return gz_fail_null(NULL, "graze_sim_step");
    graze_status status = graze_sim_look(sim, NULL);
    if (status != GRAZE_OK)
        return status;
    sim->report = (graze_sim_report){0};
    if (!keep_places(sim))
        return out_of_memory(sim);
    status = begin_step(sim);
    if (status == GRAZE_OK)
        status = run_collisions(sim);
    sim->looked = false;
    if (status != GRAZE_OK) // nothing has moved yet
        return status;
    end_courses(sim);
    sim->step_count++;
    sim->time = (double)sim->step_count * sim->def.step;
    status = gz_look(sim);
    if (status != GRAZE_OK) {
        put_back(sim);
        sim->step_count--;
        sim->time = (double)sim->step_count * sim->def.step;
        return status;
    }
    if (report != NULL)
        *report = sim->report;
    return GRAZE_OK;
}
