// What is in contact between two steps. See look.h.
#include "sim/look.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "geometry/vector.h"
#include "sim/ask.h"
#include "sim/course.h"
#include "sim/levels_of_pair.h"
#include "sim/near.h"

#define SLOP_PART   1e-3 // of the smallest radius of a body that moves
#define APART_TURNS 64   // of moving bodies that touch apart
#define APART_MOST  4    // slops that a body is moved by at most

// --- All pairs, on all threads

typedef struct pair_work {
    graze_sim *sim;
    gz_pair_task *task;
} pair_work;

// Every asker takes each so manieth pair: which thread asks makes no difference to what is found.
static void work_some(void *data, uint32_t index)
{
    const pair_work *work = data;
    graze_sim *sim = work->sim;
    gz_asker *asker = &sim->askers[index];
    asker->status = GRAZE_OK;
    for (uint64_t i = index; i < sim->pairs.count && asker->status == GRAZE_OK;
         i += sim->asker_count)
        asker->status = work->task(asker, &sim->pairs.items[i]);
}

graze_status gz_look_at_pairs(graze_sim *sim, gz_pair_task *task)
{
    pair_work work = {sim, task};
    gz_parallel(sim->context, sim->asker_count, work_some, &work);
    for (uint32_t i = 0; i < sim->asker_count; ++i)
        if (sim->askers[i].status != GRAZE_OK)
            return sim->askers[i].status;
    return GRAZE_OK;
}

void gz_look_begin_courses(graze_sim *sim)
{
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        gz_body *body = &sim->bodies.items[i];
        body->course = (gz_course){.begin = 0};
        memcpy(body->course.center, body->center, sizeof body->center);
        memcpy(body->course.turn, body->turn, sizeof body->turn);
    }
}

// --- The start

static graze_status begin_slop(graze_sim *sim)
{
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        const gz_body *body = &sim->bodies.items[i];
        if (gz_body_moves(body))
            least = fmin(least, body->radius);
    }
    sim->slop = sim->def.slop;
    if (!(sim->slop > 0))
        sim->slop = least < HUGE_VAL && least > 0 ? SLOP_PART * least : SLOP_PART;
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        const gz_body *body = &sim->bodies.items[i];
        if (gz_largest3(body->center) + body->radius > 1e9 * sim->slop)
            return gz_fail(
                sim->context, GRAZE_ERROR_ARGUMENT,
                "body %s: it is so far from the origin, or so large, that a slop of %g is "
                "lost in rounding",
                body->name, sim->slop);
    }
    return GRAZE_OK;
}

// The contact of a pair that is the deepest.
static graze_status deepest(gz_asker *asker, const gz_near_pair *pair, graze_contact *worst)
{
    const graze_sim *sim = asker->sim;
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    graze_pose pose[2] = {gz_body_pose(&sim->bodies.items[pair->a]),
                          gz_body_pose(&sim->bodies.items[pair->b])};
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.tolerance = GZ_REST * sim->slop;
    graze_status status =
        graze_query_collide(asker->query, graze_at(sim->bodies.items[pair->a].shape, &pose[0]),
                            graze_at(sim->bodies.items[pair->b].shape, &pose[1]), &def, &answer);
    *worst = (graze_contact){.depth = -HUGE_VAL};
    for (uint64_t i = 0; status == GRAZE_OK && i < answer.pair_count; ++i)
        if (answer.contacts[i].depth > worst->depth)
            *worst = answer.contacts[i];
    return status;
}

// Moves the two apart by what the contact lacks.
static bool part(graze_sim *sim, const gz_near_pair *pair, const graze_contact *worst)
{
    double lack = worst->depth + GZ_REST * sim->slop * (1 + 1e-6);
    gz_body *bodies[2] = {&sim->bodies.items[pair->a], &sim->bodies.items[pair->b]};
    double share[2] = {gz_body_moves(bodies[0]) ? 1 : 0, gz_body_moves(bodies[1]) ? 1 : 0};
    double all = share[0] + share[1];
    if (worst->depth > sim->slop || !(lack > 0))
        return false;
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3; ++i)
            bodies[side]->center[i] +=
                (side == 0 ? -1 : 1) * lack * share[side] / all * worst->normal[i];
    return true;
}

static graze_status is_apart(gz_asker *asker, const gz_near_pair *pair, bool *apart)
{
    const graze_sim *sim = asker->sim;
    graze_distance_def def = graze_distance_def_default();
    graze_distance distance;
    graze_pose pose[2] = {gz_body_pose(&sim->bodies.items[pair->a]),
                          gz_body_pose(&sim->bodies.items[pair->b])};
    def.limit = (GZ_FLOOR + GZ_BAND) * sim->slop;
    def.value_only = 1;
    graze_status status =
        graze_query_distance(asker->query, graze_at(sim->bodies.items[pair->a].shape, &pose[0]),
                             graze_at(sim->bodies.items[pair->b].shape, &pose[1]), &def, &distance);
    *apart = status == GRAZE_OK && distance.verdict == GRAZE_APART;
    return status;
}

// Bodies that were made to touch each other, such as a box on a floor, are moved a little apart.
static graze_status part_all(graze_sim *sim)
{
    gz_asker *asker = &sim->askers[0];
    bool moved = true;
    for (int turn = 0; turn < APART_TURNS && moved; ++turn) {
        moved = false;
        for (uint64_t i = 0; i < sim->pairs.count; ++i) {
            const gz_near_pair *pair = &sim->pairs.items[i];
            graze_contact worst;
            bool apart;
            graze_status status = is_apart(asker, pair, &apart);
            if (status == GRAZE_OK && !apart)
                status = deepest(asker, pair, &worst);
            if (status != GRAZE_OK)
                return status;
            moved = (!apart && part(sim, pair, &worst)) || moved;
        }
    }
    return GRAZE_OK;
}

static graze_status refuse_overlap(graze_sim *sim, gz_near_pair *pair)
{
    graze_contact worst;
    graze_status status = deepest(&sim->askers[0], pair, &worst);
    if (status != GRAZE_OK)
        return status;
    return gz_fail(sim->context, GRAZE_ERROR_ARGUMENT,
                   "bodies %s and %s are in each other at the start, near %g %g %g",
                   sim->bodies.items[pair->a].name, sim->bodies.items[pair->b].name,
                   worst.point_a[0], worst.point_a[1], worst.point_a[2]);
}

static graze_status check_overlaps(graze_sim *sim)
{
    for (uint64_t i = 0; i < sim->pairs.count; ++i) {
        gz_near_pair *pair = &sim->pairs.items[i];
        bool apart;
        graze_status status = is_apart(&sim->askers[0], pair, &apart);
        if (status == GRAZE_OK && !apart && sim->def.may_overlap == 0)
            status = refuse_overlap(sim, pair);
        if (status != GRAZE_OK)
            return status;
        pair->passing = !apart;
    }
    return GRAZE_OK;
}

// A failure puts bodies back where they were given.
static graze_status begin(graze_sim *sim)
{
    graze_status status = begin_slop(sim);
    gz_body_place *places = NULL;
    if (status != GRAZE_OK)
        return status;
    sim->places.count = 0;
    places = gz_list_push(sim->context, &sim->places, sim->bodies.count);
    if (places == NULL && sim->bodies.count != 0)
        return gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for bodies");
    for (uint64_t i = 0; places != NULL && i < sim->bodies.count; ++i)
        memcpy(places[i].center, sim->bodies.items[i].center, sizeof places[i].center);
    sim->pairs.count = 0;
    status = gz_near_find(sim);
    if (status == GRAZE_OK)
        status = part_all(sim);
    if (status == GRAZE_OK)
        status = gz_near_find(sim);
    if (status == GRAZE_OK)
        status = check_overlaps(sim);
    for (uint64_t i = 0; places != NULL && i < sim->bodies.count && status != GRAZE_OK; ++i)
        memcpy(sim->bodies.items[i].center, places[i].center, sizeof places[i].center);
    sim->begun = status == GRAZE_OK;
    return status;
}

// --- Between steps

static graze_status look_at(gz_asker *asker, gz_near_pair *pair)
{
    graze_status status = GRAZE_OK;
    double least;
    pair->seconds = 0;
    pair->count = 0;
    pair->gap = HUGE_VAL;
    pair->asked = -1;
    if (pair->passing) { // have they parted?
        status = gz_ask_separation(asker, pair, 0, GZ_REST * asker->sim->slop, &least);
        pair->passing = status == GRAZE_OK && !(least >= GZ_REST * asker->sim->slop);
    }
    if (status == GRAZE_OK && !pair->passing)
        status = gz_level_choose(asker, pair);
    pair->slowest = 0;
    if (status == GRAZE_OK && !pair->passing)
        status = gz_ask_touches(asker, pair, 0);
    return status;
}

static void tell_of_pair(graze_sim *sim, const gz_near_pair *pair)
{
    gz_body *bodies[2] = {&sim->bodies.items[pair->a], &sim->bodies.items[pair->b]};
    graze_sim_report *r = &sim->report;
    r->passing_count += pair->passing;
    r->contact_count += pair->count;
    r->gap = fmin(r->gap, pair->gap);
    r->error = fmax(r->error, pair->error);
    for (int side = 0; side < 2; ++side) {
        bodies[side]->contact_count += (uint32_t)pair->count;
        bodies[side]->gap = fmin(bodies[side]->gap, pair->gap);
        bodies[side]->query_seconds += pair->seconds;
    }
}

static void tell(graze_sim *sim)
{
    graze_sim_report *r = &sim->report;
    r->step = sim->step_count;
    r->time = sim->time;
    r->slop = sim->slop;
    r->wanted_gap = GZ_FLOOR * sim->slop;
    r->near_count = sim->pairs.count;
    r->contact_count = 0;
    r->passing_count = 0;
    r->error = 0;
    r->gap = HUGE_VAL;
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        gz_body *body = &sim->bodies.items[i];
        body->contact_count = 0;
        body->gap = HUGE_VAL;
        body->query_seconds = 0;
    }
    for (uint64_t i = 0; i < sim->pairs.count; ++i)
        tell_of_pair(sim, &sim->pairs.items[i]);
    for (uint32_t i = 0; i < sim->asker_count; ++i) {
        gz_asker *asker = &sim->askers[i];
        r->query_count += asker->query_count;
        r->query_seconds += asker->seconds;
        r->longest_query = fmax(r->longest_query, asker->longest);
        r->switch_count += asker->switch_count;
        r->late_switch_count += asker->late_count;
        asker->query_count = asker->switch_count = asker->late_count = 0;
        asker->seconds = asker->longest = 0;
    }
}

graze_status gz_look(graze_sim *sim)
{
    graze_status status = sim->begun ? GRAZE_OK : begin(sim);
    if (status == GRAZE_OK)
        status = gz_near_find(sim);
    if (status != GRAZE_OK)
        return status;
    gz_look_begin_courses(sim);
    for (uint32_t i = 0; i < sim->asker_count; ++i)
        sim->askers[i].touches.count = 0;
    status = gz_look_at_pairs(sim, look_at);
    if (status != GRAZE_OK)
        return status;
    tell(sim);
    sim->looked = true;
    return GRAZE_OK;
}
