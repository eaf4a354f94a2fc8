// Simulations: their bodies, and what is told about them. See graze/sim.h; steps are in sim_step.c.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "geometry/pose.h"
#include "geometry/vector.h"
#include "query/shape_parts.h"
#include "scene/sweep.h"
#include "sim/course.h"
#include "sim/mass.h"
#include "sim/near.h"
#include "sim/path.h"
#include "sim/response.h"
#include "sim/rotation.h"
#include "sim/world.h"

// Not NaN, and at least 0.
static bool is_amount(double x) { return x >= 0 && x < HUGE_VAL; }

static bool sum_is_finite(const double v[3]) { return isfinite(v[0] + v[1] + v[2]); }

static graze_status check_def(graze_context *context, const char *who, const graze_sim_def *def)
{
    const char *wrong = NULL;
    if (!sum_is_finite(def->gravity))
        wrong = "gravity is finite";
    else if (!(def->step > 0 && def->step < HUGE_VAL))
        wrong = "a step takes more than 0 seconds";
    else if (!is_amount(def->slop))
        wrong = "the slop is a length, and not negative";
    else if (!(def->restitution >= 0 && def->restitution <= 1))
        wrong = "restitution is from 0 to 1";
    else if (!is_amount(def->friction))
        wrong = "friction is finite, and not negative";
    else if (!isfinite(def->rest_speed))
        wrong = "the rest speed is finite";
    else if (def->engine > GRAZE_SIM_DETAIL)
        wrong = "there is no such engine";
    else if (!is_amount(def->error) || !is_amount(def->error_by_speed) ||
             !is_amount(def->error_by_size) || !is_amount(def->least_error))
        wrong = "errors are finite, and not negative";
    else if (!is_amount(def->time_limit))
        wrong = "a time limit is finite, and not negative";
    if (wrong != NULL)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: %s", who, wrong);
    return GRAZE_OK;
}

static graze_status make_askers(graze_sim *sim)
{
    uint32_t count = sim->context->def.thread_count;
    graze_status status = GRAZE_OK;
    sim->askers = GZ_NEW_ARRAY(sim->context, gz_asker, count);
    if (sim->askers == NULL)
        return gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for a simulation");
    sim->asker_count = count;
    memset(sim->askers, 0, count * sizeof *sim->askers);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        sim->askers[i].sim = sim;
        status = graze_query_create(sim->context, &sim->askers[i].query);
    }
    return status;
}

graze_status graze_sim_create(graze_context *context, const graze_sim_def *given, graze_sim **sim)
{
    static const char who[] = "graze_sim_create";
    if (sim != NULL)
        *sim = NULL;
    if (context == NULL || sim == NULL)
        return gz_fail_null(context, who);
    graze_sim_def room = graze_sim_def_default();
    const graze_sim_def *def = gz_def_known(context, who, given, &room, sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_status status = check_def(context, who, def);
    if (status != GRAZE_OK)
        return status;
    graze_sim *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", who);
    *made = (graze_sim){.context = context, .def = *def, .slop = def->slop};
    if (made->def.iterations == 0)
        made->def.iterations = 200;
    if (made->def.event_limit == 0)
        made->def.event_limit = 24;
    made->rest_speed =
        def->rest_speed >= 0 ? def->rest_speed : 3 * gz_length3(def->gravity) * def->step;
    status = gz_sweep_create(context, 0, &made->sweep);
    if (status == GRAZE_OK)
        status = make_askers(made);
    if (status == GRAZE_OK)
        *sim = made;
    else
        graze_sim_free(made);
    return status;
}

void graze_sim_free(graze_sim *sim)
{
    if (sim == NULL)
        return;
    graze_context *context = sim->context;
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        gz_body *body = &sim->bodies.items[i];
        gz_string_free(context, body->name);
        if (body->path != NULL)
            GZ_FREE_ARRAY(context, body->path, body->path_count);
    }
    for (uint32_t i = 0; i < sim->asker_count; ++i) {
        gz_asker *asker = &sim->askers[i];
        graze_query_free(asker->query);
        gz_list_free(context, &asker->touches);
        gz_list_free(context, &asker->triangles);
        gz_list_free(context, &asker->found);
    }
    if (sim->askers != NULL)
        GZ_FREE_ARRAY(context, sim->askers, sim->asker_count);
    gz_response_free(sim);
    gz_sweep_free(sim->sweep);
    gz_list_free(context, &sim->bodies);
    gz_list_free(context, &sim->materials);
    gz_list_free(context, &sim->owner);
    gz_list_free(context, &sim->pairs);
    gz_list_free(context, &sim->spare);
    gz_list_free(context, &sim->places);
    gz_list_free(context, &sim->chosen[0]);
    gz_list_free(context, &sim->chosen[1]);
    gz_list_free(context, &sim->flags);
    gz_list_free(context, &sim->contacts);
    gz_release(context, sim, sizeof *sim);
}

// --- Bodies

static graze_status refuse(const graze_sim *sim, const char *name, const char *wrong)
{
    return gz_fail(sim->context, GRAZE_ERROR_ARGUMENT, "body %s: %s", name, wrong);
}

static graze_status check_body(const graze_sim *sim, const graze_body_def *def, const char *name)
{
    if (def->kind > GRAZE_BODY_ON_PATH)
        return refuse(sim, name, "there is no such kind of body");
    if (def->shape->context != sim->context)
        return refuse(sim, name, "its shape is of another context");
    if (graze_shape_get_info(def->shape).triangle_count == 0)
        return refuse(sim, name, "its shape has no triangles");
    if (!gz_pose_sound(&def->pose))
        return refuse(sim, name, "its pose is not a rotation and a translation of finite numbers");
    if (!sum_is_finite(def->velocity) || !sum_is_finite(def->spin))
        return refuse(sim, name, "its velocity or spin is not finite");
    if (def->material >= GZ_MATERIALS)
        return refuse(sim, name, "materials are numbers below 64");
    return def->kind == GRAZE_BODY_ON_PATH ? gz_path_check(sim->context, name, def) : GRAZE_OK;
}

static graze_status find_mass(const graze_sim *sim, const graze_body_def *def, const char *name,
                              graze_mass *mass)
{
    if (def->mass != NULL) {
        *mass = *def->mass;
        if (!gz_mass_sound(mass))
            return refuse(sim, name,
                          "its mass is not above 0, or its inertia is none that a body can have");
        return GRAZE_OK;
    }
    if (!(def->density > 0 && def->density < HUGE_VAL))
        return refuse(sim, name, "its density is not above 0");
    graze_status status = graze_mass_of_shape(def->shape, def->density, mass);
    if (status == GRAZE_ERROR_ARGUMENT)
        return refuse(sim, name,
                      "its shape is not closed, or its triangles do not face one way, so its mass "
                      "is not known: give it");
    return status;
}

typedef struct farthest {
    double from[3], square;
} farthest;

static void look_how_far(void *data, const graze_triangle *t)
{
    farthest *f = data;
    for (int i = 0; i < 3; ++i) {
        double arm[3];
        gz_subtract3(t->corner[i], f->from, arm);
        f->square = fmax(f->square, gz_dot3(arm, arm));
    }
}

// Of a model the corners of its box will do: its pages are not read for it.
static graze_status find_radius(gz_body *body)
{
    farthest f = {.square = 0};
    graze_status status = GRAZE_OK;
    memcpy(f.from, body->middle, sizeof f.from);
    if (gz_shape_is_paged(body->shape)) {
        graze_triangle corners;
        for (int k = 0; k < 8; ++k) {
            for (int axis = 0; axis < 3; ++axis)
                corners.corner[0][axis] =
                    (k >> axis & 1) != 0 ? body->box.max[axis] : body->box.min[axis];
            memcpy(corners.corner[1], corners.corner[0], sizeof corners.corner[0]);
            memcpy(corners.corner[2], corners.corner[0], sizeof corners.corner[0]);
            look_how_far(&f, &corners);
        }
    } else {
        status = gz_shape_walk(body->shape, look_how_far, &f);
    }
    body->radius = sqrt(f.square) * (1 + 1e-12);
    return status;
}

static void set_turn(gz_body *body, const graze_pose *pose)
{
    double middle[3], matrix[9];
    gz_turn_of_matrix(pose->rotation, body->turn);
    gz_turn_matrix(body->turn, matrix);
    gz_matrix_times(matrix, body->middle, middle);
    for (int i = 0; i < 3; ++i)
        body->center[i] = pose->translation[i] + middle[i];
}

static void set_spin(gz_body *body, const double spin[3])
{
    double matrix[9], inertia[9];
    gz_turn_matrix(body->turn, matrix);
    gz_matrix_turned(matrix, body->inertia, inertia);
    gz_matrix_times(inertia, spin, body->momentum);
}

static graze_status make_body(graze_sim *sim, const graze_body_def *def, const char *name,
                              gz_body *body)
{
    graze_mass mass;
    graze_status status = GRAZE_OK;
    *body = (gz_body){.kind = def->kind,
                      .shape = def->shape,
                      .detail = def->detail,
                      .material = def->material,
                      .box = graze_shape_get_info(def->shape).box,
                      .gap = HUGE_VAL};
    if (gz_body_moves(body)) {
        status = find_mass(sim, def, name, &mass);
        if (status != GRAZE_OK)
            return status;
        body->mass = mass.mass;
        body->inverse_mass = 1 / mass.mass;
        memcpy(body->middle, mass.center, sizeof body->middle);
        gz_mass_matrix(&mass, body->inertia);
        gz_matrix_inverse(body->inertia, body->inverse_inertia);
        memcpy(body->velocity, def->velocity, sizeof body->velocity);
    }
    status = find_radius(body);
    if (status != GRAZE_OK)
        return status;
    set_turn(body, &def->pose);
    if (gz_body_moves(body))
        set_spin(body, def->spin);
    body->name = gz_string_copy(sim->context, name);
    if (body->name == NULL)
        return gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for bodies");
    if (body->kind == GRAZE_BODY_ON_PATH) {
        status = gz_path_copy(sim->context, def, body);
        if (status == GRAZE_OK)
            gz_path_place(body);
    }
    return status;
}

static void free_body(graze_sim *sim, gz_body *body)
{
    gz_string_free(sim->context, body->name);
    if (body->path != NULL)
        GZ_FREE_ARRAY(sim->context, body->path, body->path_count);
}

graze_status graze_sim_add(graze_sim *sim, const graze_body_def *given, uint32_t *number)
{
    static const char who[] = "graze_sim_add";
    char count_text[16];
    gz_body body;
    if (sim == NULL || given == NULL)
        return gz_fail_null(sim == NULL ? NULL : sim->context, who);
    graze_body_def room = graze_body_def_default();
    const graze_body_def *def = gz_def_known(sim->context, who, given, &room, sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    if (def->shape == NULL)
        return gz_fail_null(sim->context, who);
    snprintf(count_text, sizeof count_text, "%u", (unsigned)sim->bodies.count);
    const char *name = def->name != NULL ? def->name : count_text;
    graze_status status = check_body(sim, def, name);
    if (status != GRAZE_OK)
        return status;
    if (sim->bodies.count >= UINT32_MAX - 1)
        return refuse(sim, name, "there are too many bodies");
    status = make_body(sim, def, name, &body);
    gz_body *place = status == GRAZE_OK ? gz_list_push(sim->context, &sim->bodies, 1) : NULL;
    if (status == GRAZE_OK && place == NULL)
        status = gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for bodies");
    if (status == GRAZE_OK) {
        *place = body;
        status = gz_near_add(sim, (uint32_t)sim->bodies.count - 1);
        sim->bodies.count -= status != GRAZE_OK;
    }
    if (status != GRAZE_OK) {
        free_body(sim, &body);
        return status;
    }
    sim->begun = sim->looked = false;
    if (number != NULL)
        *number = (uint32_t)sim->bodies.count - 1;
    return GRAZE_OK;
}

graze_status graze_sim_set_material(graze_sim *sim, uint32_t a, uint32_t b, double restitution,
                                    double friction)
{
    if (sim == NULL)
        return gz_fail_null(NULL, "graze_sim_set_material");
    if (a >= GZ_MATERIALS || b >= GZ_MATERIALS || !(restitution >= 0 && restitution <= 1) ||
        !is_amount(friction))
        return gz_fail(sim->context, GRAZE_ERROR_ARGUMENT,
                       "graze_sim_set_material: restitution is from 0 to 1, friction is finite and "
                       "not negative, and materials are numbers below 64");
    gz_material_pair pair = {a < b ? a : b, a < b ? b : a, restitution, friction};
    for (uint64_t i = 0; i < sim->materials.count; ++i)
        if (sim->materials.items[i].a == pair.a && sim->materials.items[i].b == pair.b) {
            sim->materials.items[i] = pair;
            return GRAZE_OK;
        }
    if (!gz_list_append(sim->context, &sim->materials, &pair, 1))
        return gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for materials");
    return GRAZE_OK;
}

// --- What is told

uint32_t graze_sim_body_count(const graze_sim *sim)
{
    return sim == NULL ? 0 : (uint32_t)sim->bodies.count;
}

static const gz_body *body_of(const graze_sim *sim, uint32_t body)
{
    return sim != NULL && body < sim->bodies.count ? &sim->bodies.items[body] : NULL;
}

const char *graze_sim_body_name(const graze_sim *sim, uint32_t body)
{
    const gz_body *b = body_of(sim, body);
    return b == NULL ? "" : b->name;
}

const graze_shape *graze_sim_body_shape(const graze_sim *sim, uint32_t body)
{
    const gz_body *b = body_of(sim, body);
    return b == NULL ? NULL : b->shape;
}

graze_body_kind graze_sim_body_kind(const graze_sim *sim, uint32_t body)
{
    const gz_body *b = body_of(sim, body);
    return b == NULL ? GRAZE_BODY_STATIC : b->kind;
}

graze_status graze_sim_get_body(const graze_sim *sim, uint32_t number, graze_body_state *state)
{
    const gz_body *body = body_of(sim, number);
    if (sim == NULL || state == NULL)
        return gz_fail_null(sim == NULL ? NULL : sim->context, "graze_sim_get_body");
    if (body == NULL)
        return gz_fail(sim->context, GRAZE_ERROR_ARGUMENT, "there is no body %u", (unsigned)number);
    *state = (graze_body_state){.pose = gz_body_pose(body),
                                .contact_count = body->contact_count,
                                .held = body->held,
                                .gap = body->gap,
                                .query_seconds = body->query_seconds};
    memcpy(state->position, body->center, sizeof body->center);
    memcpy(state->quaternion, body->turn, sizeof body->turn);
    memcpy(state->velocity, body->velocity, sizeof body->velocity);
    if (gz_body_moves(body)) {
        memcpy(state->momentum, body->momentum, sizeof body->momentum);
        gz_spin_of(body, body->turn, body->momentum, state->spin);
    }
    if (body->kind == GRAZE_BODY_ON_PATH)
        state->late = sim->time - body->clock;
    return GRAZE_OK;
}

graze_status graze_sim_place(graze_sim *sim, uint32_t number, const graze_body_state *state)
{
    if (sim == NULL || state == NULL)
        return gz_fail_null(sim == NULL ? NULL : sim->context, "graze_sim_place");
    if (number >= sim->bodies.count)
        return gz_fail(sim->context, GRAZE_ERROR_ARGUMENT, "there is no body %u", (unsigned)number);
    gz_body *body = &sim->bodies.items[number];
    const double *q = state->quaternion;
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!sum_is_finite(state->position) || !sum_is_finite(state->velocity) ||
        !sum_is_finite(state->spin) || !(fabs(square - 1) <= 1e-6))
        return refuse(sim, body->name,
                      "it cannot be placed: a number is not finite, or the "
                      "quaternion is not of length 1");
    memcpy(body->center, state->position, sizeof body->center);
    memcpy(body->turn, state->quaternion, sizeof body->turn); // in every bit, as it was recorded
    if (gz_body_moves(body)) {
        memcpy(body->velocity, state->velocity, sizeof body->velocity);
        set_spin(body, state->spin);
    }
    sim->looked = false;
    return GRAZE_OK;
}

double graze_sim_energy(const graze_sim *sim)
{
    double energy = 0;
    for (uint64_t i = 0; sim != NULL && i < sim->bodies.count; ++i) {
        const gz_body *body = &sim->bodies.items[i];
        double spin[3];
        if (!gz_body_moves(body))
            continue;
        gz_spin_of(body, body->turn, body->momentum, spin);
        energy += 0.5 * body->mass * gz_dot3(body->velocity, body->velocity) +
                  0.5 * gz_dot3(spin, body->momentum) -
                  body->mass * gz_dot3(sim->def.gravity, body->center);
    }
    return energy;
}

graze_status graze_sim_get_contacts(graze_sim *sim, const graze_sim_contact **contacts,
                                    uint64_t *count)
{
    if (sim == NULL || contacts == NULL || count == NULL)
        return gz_fail_null(sim == NULL ? NULL : sim->context, "graze_sim_get_contacts");
    sim->contacts.count = 0;
    for (uint64_t i = 0; i < sim->pairs.count && sim->looked; ++i) {
        const gz_near_pair *pair = &sim->pairs.items[i];
        const gz_touch *touches = sim->askers[pair->list].touches.items;
        graze_sim_contact *made = gz_list_push(sim->context, &sim->contacts, pair->count);
        if (made == NULL && pair->count != 0)
            return gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for contacts");
        for (uint64_t k = 0; k < pair->count; ++k) {
            const gz_touch *touch = &touches[pair->first + k];
            made[k] = (graze_sim_contact){.a = pair->a, .b = pair->b, .gap = touch->gap};
            memcpy(made[k].point_a, touch->point[0], sizeof touch->point[0]);
            memcpy(made[k].point_b, touch->point[1], sizeof touch->point[1]);
            memcpy(made[k].normal, touch->normal, sizeof touch->normal);
        }
    }
    *contacts = sim->contacts.items;
    *count = sim->contacts.count;
    return GRAZE_OK;
}
