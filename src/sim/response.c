// What contacts do to bodies. See response.h.
//
// First collisions. What meets faster than the rest speed parts with its restitution; what meets
// more slowly just stops (micro-collisions: bodies at rest are stopped over and over, with nothing
// given back). No collision may make energy: where restitution and friction together would, as can
// be with several contacts at once, less is given back.
//
// Then the rest of the step. Gravity pulls for that time, and impulses carry what it would pull
// into something else. A body's velocity changes evenly from the one to the other, which is exact
// for free flight and for sliding alike. Friction has its part in both.
//
// Last, what is nearer than it should rest is moved away, slowly, by a drift that is no velocity
// and so gives nobody any energy.
#include "sim/response.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/vector.h"
#include "sim/course.h"
#include "sim/impulses.h"
#include "sim/rotation.h"

#define APPROACH 0.5  // of what a gap has too much is closed in a step
#define PART     0.25 // of what it has too little is made good
#define SHORTEST 1e-3 // parts of a step: less time makes no larger speeds
#define STOPPED  1e-6 // of the rest speed: what approaches no faster does not
#define BLENDS   24

struct gz_impulse_room {
    GZ_LIST(gz_push) pushes;
    GZ_LIST(gz_push) kept; // impulses of the collision, while others are tried
    GZ_LIST(gz_pushed) bodies;
    GZ_LIST(gz_pushed) before;
    GZ_LIST(gz_pushed) held;       // as they stand after the collision
    GZ_LIST(double[2][3]) changes; // of velocity and momentum, for each body
    GZ_LIST(double) gaps;          // of the pushes
    GZ_LIST(double) restitutions;
};

void gz_response_free(graze_sim *sim)
{
    struct gz_impulse_room *room = sim->room;
    graze_context *context = sim->context;
    if (room == NULL)
        return;
    gz_list_free(context, &room->pushes);
    gz_list_free(context, &room->kept);
    gz_list_free(context, &room->bodies);
    gz_list_free(context, &room->before);
    gz_list_free(context, &room->held);
    gz_list_free(context, &room->changes);
    gz_list_free(context, &room->gaps);
    gz_list_free(context, &room->restitutions);
    gz_release(context, room, sizeof *room);
    sim->room = NULL;
}

static bool ready_room(graze_sim *sim)
{
    if (sim->room == NULL) {
        sim->room = gz_allocate(sim->context, sizeof *sim->room);
        if (sim->room != NULL)
            *sim->room = (struct gz_impulse_room){0};
    }
    struct gz_impulse_room *room = sim->room;
    if (room == NULL)
        return false;
    room->pushes.count = room->kept.count = room->bodies.count = room->before.count = 0;
    room->held.count = room->changes.count = room->gaps.count = room->restitutions.count = 0;
    return true;
}

// --- Bodies and contacts as impulses see them

static bool is_free(const gz_encounter *meeting, uint64_t i)
{
    return meeting->free == NULL || meeting->free[i];
}

static bool add_bodies(graze_sim *sim, const gz_encounter *meeting)
{
    struct gz_impulse_room *room = sim->room;
    gz_pushed *pushed = gz_list_push(sim->context, &room->bodies, meeting->body_count);
    if (pushed == NULL)
        return meeting->body_count == 0;
    for (uint64_t i = 0; i < meeting->body_count; ++i) {
        const gz_body *body = &sim->bodies.items[meeting->bodies[i]];
        double center[3], turn[4], momentum[3], matrix[9];
        pushed[i] = (gz_pushed){.inverse_mass = 0};
        if (body->kind == GRAZE_BODY_STATIC)
            continue;
        if (body->kind == GRAZE_BODY_ON_PATH) {
            gz_course_speed(body, meeting->time, pushed[i].velocity);
            memcpy(pushed[i].spin, body->course.spin, sizeof pushed[i].spin);
            continue;
        }
        if (!is_free(meeting, i)) {
            gz_course_at(body, meeting->time, center, turn);
            gz_course_velocity(body, meeting->time, pushed[i].velocity, momentum);
            gz_spin_of(body, turn, momentum, pushed[i].spin);
            continue;
        }
        pushed[i].inverse_mass = body->inverse_mass;
        gz_course_at(body, meeting->time, center, turn);
        gz_course_velocity(body, meeting->time, pushed[i].velocity, momentum);
        gz_turn_matrix(turn, matrix);
        gz_matrix_turned(matrix, body->inverse_inertia, pushed[i].inverse_inertia);
        gz_matrix_times(pushed[i].inverse_inertia, momentum, pushed[i].spin);
    }
    return gz_list_append(sim->context, &room->before, pushed, meeting->body_count);
}

static uint32_t place_of(const gz_encounter *meeting, uint32_t body)
{
    uint64_t low = 0, high = meeting->body_count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (meeting->bodies[middle] <= body)
            low = middle;
        else
            high = middle;
    }
    GZ_ASSERT(meeting->bodies[low] == body);
    return (uint32_t)low;
}

static void find_material(const graze_sim *sim, uint32_t a, uint32_t b, double *restitution,
                          double *friction)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    *restitution = sim->def.restitution;
    *friction = sim->def.friction;
    for (uint64_t i = 0; i < sim->materials.count; ++i) {
        const gz_material_pair *m = &sim->materials.items[i];
        if (m->a != low || m->b != high)
            continue;
        *restitution = m->restitution;
        *friction = m->friction;
    }
}

static void place_push(const graze_sim *sim, const gz_encounter *meeting, const gz_near_pair *pair,
                       const gz_touch *touch, gz_push *push)
{
    const uint32_t numbers[2] = {pair->a, pair->b};
    *push = (gz_push){.target = 0};
    gz_push_set_normal(push, touch->normal);
    for (int side = 0; side < 2; ++side) {
        double center[3], turn[4];
        push->body[side] = place_of(meeting, numbers[side]);
        gz_course_at(&sim->bodies.items[numbers[side]], meeting->time, center, turn);
        for (int i = 0; i < 3; ++i) // the middle between both, for a torque of nothing
            push->arm[side][i] = 0.5 * (touch->point[0][i] + touch->point[1][i]) - center[i];
    }
}

static bool add_pushes(graze_sim *sim, const gz_encounter *meeting)
{
    struct gz_impulse_room *room = sim->room;
    for (uint64_t i = 0; i < meeting->pair_count; ++i) {
        const gz_near_pair *pair = &sim->pairs.items[meeting->pairs[i]];
        const gz_touch *touches = sim->askers[pair->list].touches.items;
        double restitution, friction;
        if (pair->passing || pair->count == 0)
            continue;
        find_material(sim, sim->bodies.items[pair->a].material, sim->bodies.items[pair->b].material,
                      &restitution, &friction);
        gz_push *pushes = gz_list_push(sim->context, &room->pushes, pair->count);
        double *gaps = gz_list_push(sim->context, &room->gaps, pair->count);
        double *shares = gz_list_push(sim->context, &room->restitutions, pair->count);
        if (pushes == NULL || gaps == NULL || shares == NULL)
            return false;
        for (uint64_t k = 0; k < pair->count; ++k) {
            place_push(sim, meeting, pair, &touches[pair->first + k], &pushes[k]);
            pushes[k].friction = friction;
            gaps[k] = touches[pair->first + k].gap;
            shares[k] = restitution;
        }
    }
    return true;
}

// --- Collisions

// How fast bodies may approach at a contact: as fast as leads to where they rest.
static double approach_of(const graze_sim *sim, double gap, double time)
{
    double most = gap - GZ_REST * sim->slop;
    return most > 0 ? APPROACH * most / fmax(time, SHORTEST * sim->def.step) : 0;
}

static double energy_of(const graze_sim *sim, const gz_pushed *bodies, const gz_encounter *meeting)
{
    double energy = 0;
    for (uint64_t i = 0; i < meeting->body_count; ++i) {
        const gz_body *body = &sim->bodies.items[meeting->bodies[i]];
        if (!gz_body_moves(body))
            continue;
        // With angular momentum from the spin, in the world.
        double center[3], turn[4], matrix[9], inertia[9], momentum[3];
        gz_course_at(body, meeting->time, center, turn);
        gz_turn_matrix(turn, matrix);
        gz_matrix_turned(matrix, body->inertia, inertia);
        gz_matrix_times(inertia, bodies[i].spin, momentum);
        energy += 0.5 * body->mass * gz_dot3(bodies[i].velocity, bodies[i].velocity) +
                  0.5 * gz_dot3(bodies[i].spin, momentum);
    }
    return energy;
}

// Moves velocities, and impulses, to a place between two outcomes of the same collision.
static void blend(struct gz_impulse_room *room, double part)
{
    for (uint64_t i = 0; i < room->bodies.count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            gz_pushed *to = &room->bodies.items[i];
            const gz_pushed *soft = &room->held.items[i];
            to->velocity[axis] =
                soft->velocity[axis] + part * (to->velocity[axis] - soft->velocity[axis]);
            to->spin[axis] = soft->spin[axis] + part * (to->spin[axis] - soft->spin[axis]);
        }
    for (uint64_t i = 0; i < room->pushes.count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            double soft = room->kept.items[i].impulse[axis];
            room->pushes.items[i].impulse[axis] =
                soft + part * (room->pushes.items[i].impulse[axis] - soft);
        }
}

// The collision gave back too much: energy is a square in between, so halving finds the place.
static bool give_less(graze_sim *sim, const gz_encounter *meeting, double most)
{
    struct gz_impulse_room *room = sim->room;
    uint64_t count = room->bodies.count;
    gz_pushed *hard = GZ_NEW_ARRAY(sim->context, gz_pushed, 2 * count);
    gz_push *pushes = GZ_NEW_ARRAY(sim->context, gz_push, room->pushes.count);
    double low = 0, high = 1;
    if (hard != NULL && pushes != NULL) {
        memcpy(hard, room->bodies.items, (size_t)count * sizeof *hard);
        memcpy(pushes, room->pushes.items, (size_t)room->pushes.count * sizeof *pushes);
        for (int i = 0; i < BLENDS; ++i) {
            double part = 0.5 * (low + high);
            blend(room, part);
            if (energy_of(sim, room->bodies.items, meeting) <= most)
                low = part;
            else
                high = part;
            memcpy(room->bodies.items, hard, (size_t)count * sizeof *hard);
            memcpy(room->pushes.items, pushes, (size_t)room->pushes.count * sizeof *pushes);
        }
        blend(room, low);
    }
    bool made = hard != NULL && pushes != NULL;
    if (hard != NULL)
        GZ_FREE_ARRAY(sim->context, hard, 2 * count);
    if (pushes != NULL)
        GZ_FREE_ARRAY(sim->context, pushes, room->pushes.count);
    return made;
}

static bool meets_path(const graze_sim *sim, const gz_encounter *meeting)
{
    for (uint64_t i = 0; i < meeting->body_count; ++i)
        if (sim->bodies.items[meeting->bodies[i]].kind == GRAZE_BODY_ON_PATH)
            return true;
    return false;
}

// Sets targets for a collision; true if there is one. What bounces parts with its restitution,
// unless `soft`.
static bool set_collision(graze_sim *sim, double left, bool soft, bool *bounces)
{
    struct gz_impulse_room *room = sim->room;
    bool collides = false;
    for (uint64_t i = 0; i < room->pushes.count; ++i) {
        gz_push *push = &room->pushes.items[i];
        double speed = -gz_push_speed(push, 0, room->before.items);
        double allowed = approach_of(sim, room->gaps.items[i], left);
        push->target = -allowed;
        if (speed <= allowed + STOPPED * sim->rest_speed)
            continue;
        collides = true;
        push->target = 0;
        if (speed > sim->rest_speed && room->restitutions.items[i] > 0) {
            *bounces = true;
            push->target = soft ? 0 : room->restitutions.items[i] * speed;
        }
    }
    return collides;
}

static bool collide(graze_sim *sim, const gz_encounter *meeting, double left, bool *collided)
{
    struct gz_impulse_room *room = sim->room;
    bool bounces = false;
    *collided = set_collision(sim, left, false, &bounces);
    if (!*collided)
        return true;
    gz_push *pushes = room->pushes.items;
    gz_pushed *bodies = room->bodies.items;
    uint64_t count = room->pushes.count;
    gz_impulses_find(pushes, count, bodies, sim->def.iterations, 1);
    if (!bounces || meets_path(sim, meeting))
        return true;
    double most = energy_of(sim, room->before.items, meeting) * (1 + 1e-12);
    if (energy_of(sim, bodies, meeting) <= most)
        return true;
    // The same without giving back, and then as much as energy allows.
    gz_pushed *held = gz_list_push(sim->context, &room->held, room->bodies.count);
    gz_push *kept = gz_list_push(sim->context, &room->kept, count);
    if (held == NULL || kept == NULL)
        return false;
    memcpy(held, room->before.items, (size_t)room->bodies.count * sizeof *held);
    set_collision(sim, left, true, &bounces);
    memcpy(kept, pushes, (size_t)count * sizeof *kept);
    gz_impulses_find(kept, count, held, sim->def.iterations, 1);
    return give_less(sim, meeting, most);
}

// --- The rest of the step

// What the impulses add up to, for each body.
static bool sum_up(graze_sim *sim, const gz_encounter *meeting)
{
    struct gz_impulse_room *room = sim->room;
    room->changes.count = 0;
    double(*changes)[2][3] = gz_list_push(sim->context, &room->changes, meeting->body_count);
    if (changes == NULL)
        return meeting->body_count == 0;
    memset(changes, 0, (size_t)meeting->body_count * sizeof *changes);
    for (uint64_t i = 0; i < room->pushes.count; ++i) {
        const gz_push *push = &room->pushes.items[i];
        double impulse[3], torque[3];
        for (int axis = 0; axis < 3; ++axis)
            impulse[axis] = push->impulse[0] * push->axis[0][axis] +
                            push->impulse[1] * push->axis[1][axis] +
                            push->impulse[2] * push->axis[2][axis];
        for (int side = 0; side < 2; ++side) {
            double sign = side == 0 ? -1 : 1, (*change)[3] = changes[push->body[side]];
            gz_cross3(push->arm[side], impulse, torque);
            for (int axis = 0; axis < 3; ++axis) {
                change[0][axis] +=
                    sign * impulse[axis] * room->bodies.items[push->body[side]].inverse_mass;
                change[1][axis] += sign * torque[axis];
            }
        }
    }
    return true;
}

// Velocities and momenta change by what impulses sum up to, which keeps the momentum of all.
static void begin_courses(graze_sim *sim, const gz_encounter *meeting, const bool *moved)
{
    const struct gz_impulse_room *room = sim->room;
    for (uint64_t i = 0; i < meeting->body_count; ++i) {
        gz_body *body = &sim->bodies.items[meeting->bodies[i]];
        gz_course c = {.begin = meeting->time};
        if (!gz_body_moves(body) || !moved[i])
            continue;
        gz_course_at(body, meeting->time, c.center, c.turn);
        gz_course_velocity(body, meeting->time, c.velocity, c.momentum);
        for (int axis = 0; axis < 3 && room->changes.count != 0; ++axis) {
            c.velocity[axis] += room->changes.items[i][0][axis];
            c.momentum[axis] += room->changes.items[i][1][axis];
        }
        for (int axis = 0; axis < 3 && body->held; ++axis) // it has its impulse, and stays
            c.drift[axis] = -c.velocity[axis];
        body->course = c;
    }
}

static void carry(graze_sim *sim, const gz_encounter *meeting, double left)
{
    struct gz_impulse_room *room = sim->room;
    for (uint64_t i = 0; i < meeting->body_count; ++i) {
        const gz_body *body = &sim->bodies.items[meeting->bodies[i]];
        gz_pushed *pushed = &room->bodies.items[i];
        if (!gz_body_moves(body) || !is_free(meeting, i))
            continue;
        for (int axis = 0; axis < 3; ++axis)
            pushed->velocity[axis] = body->course.velocity[axis] + sim->def.gravity[axis] * left;
        gz_matrix_times(pushed->inverse_inertia, body->course.momentum, pushed->spin);
    }
    for (uint64_t i = 0; i < room->pushes.count; ++i)
        room->pushes.items[i].target = -approach_of(sim, room->gaps.items[i], left);
    gz_impulses_find(room->pushes.items, room->pushes.count, room->bodies.items,
                     sim->def.iterations, 1);
}

static void add_changes(graze_sim *sim, const gz_encounter *meeting, double left)
{
    const struct gz_impulse_room *room = sim->room;
    for (uint64_t i = 0; i < meeting->body_count; ++i) {
        gz_body *body = &sim->bodies.items[meeting->bodies[i]];
        if (!gz_body_moves(body) || body->held || !is_free(meeting, i))
            continue;
        for (int axis = 0; axis < 3; ++axis) {
            body->course.change[axis] =
                sim->def.gravity[axis] + room->changes.items[i][0][axis] / left;
            body->course.torque[axis] = room->changes.items[i][1][axis] / left;
        }
    }
}

// Pushes what is too near apart, and turns bodies on their ways.
static void set_drifts(graze_sim *sim, const gz_encounter *meeting, double left)
{
    struct gz_impulse_room *room = sim->room;
    double rest = GZ_REST * sim->slop;
    bool needed = false;
    for (uint64_t i = 0; i < meeting->body_count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            room->bodies.items[i].velocity[axis] = room->bodies.items[i].spin[axis] = 0;
    for (uint64_t i = 0; i < room->pushes.count; ++i) {
        double lack = rest - room->gaps.items[i];
        room->pushes.items[i].target =
            lack > 0 ? PART * lack / sim->def.step : -approach_of(sim, room->gaps.items[i], left);
        needed = needed || lack > 0;
    }
    if (needed)
        gz_impulses_find(room->pushes.items, room->pushes.count, room->bodies.items,
                         sim->def.iterations, 0);
    for (uint64_t i = 0; i < meeting->body_count; ++i) {
        gz_body *body = &sim->bodies.items[meeting->bodies[i]];
        const gz_pushed *pushed = &room->bodies.items[i];
        gz_course *c = &body->course;
        double momentum[3];
        if (!gz_body_moves(body) || body->held || !is_free(meeting, i))
            continue;
        for (int axis = 0; axis < 3; ++axis)
            momentum[axis] = c->momentum[axis] + 0.5 * c->torque[axis] * left;
        gz_spin_through(body, c->turn, momentum, left, c->spin);
        for (int axis = 0; axis < 3; ++axis) {
            c->drift[axis] = pushed->velocity[axis];
            c->spin[axis] += pushed->spin[axis];
        }
    }
}

static graze_status no_memory(const graze_sim *sim)
{
    return gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for contacts of bodies");
}

graze_status gz_response_collide(graze_sim *sim, const gz_encounter *meeting, bool *moved)
{
    bool collided = false;
    if (!ready_room(sim) || !add_bodies(sim, meeting) || !add_pushes(sim, meeting) ||
        !collide(sim, meeting, sim->def.step - meeting->time, &collided) ||
        (collided && !sum_up(sim, meeting)))
        return no_memory(sim);
    for (uint64_t i = 0; i < meeting->body_count && collided; ++i)
        for (int k = 0; k < 6 && gz_body_moves(&sim->bodies.items[meeting->bodies[i]]); ++k)
            moved[i] = moved[i] || sim->room->changes.items[i][k / 3][k % 3] != 0;
    begin_courses(sim, meeting, moved);
    return GRAZE_OK;
}

graze_status gz_response_carry(graze_sim *sim, const gz_encounter *meeting)
{
    double left = sim->def.step - meeting->time;
    if (!(left > 0))
        return GRAZE_OK;
    if (!ready_room(sim) || !add_bodies(sim, meeting) || !add_pushes(sim, meeting))
        return no_memory(sim);
    carry(sim, meeting, left);
    if (!sum_up(sim, meeting))
        return no_memory(sim);
    add_changes(sim, meeting, left);
    set_drifts(sim, meeting, left);
    return GRAZE_OK;
}
