// The broad phase. See near.h.
//
// A body's box holds all of it until the step ends, with some room for speeds that it has not yet.
// So a collision within the step seldom needs a look at all boxes again.
#include "sim/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "geometry/vector.h"
#include "scene/sweep.h"
#include "sim/course.h"
#include "sim/levels_of_pair.h"

#define ROOM 1.5 // boxes are for ways that are longer by this

// Levels of detail may be in contact where the originals are not yet.
static graze_box box_for(const graze_sim *sim, const gz_body *body, const graze_pose *pose,
                         double way)
{
    graze_box box = graze_box_posed(&body->box, pose);
    return graze_box_grow(&box, way + sim->slop + gz_level_most(sim, body));
}

static bool holds(const graze_box *outer, const graze_box *inner)
{
    for (int axis = 0; axis < 3; ++axis)
        if (!(outer->min[axis] <= inner->min[axis] && inner->max[axis] <= outer->max[axis]))
            return false;
    return true;
}

graze_status gz_near_add(graze_sim *sim, uint32_t number)
{
    gz_body *body = &sim->bodies.items[number];
    graze_pose pose = gz_body_pose(body);
    body->boxed = box_for(sim, body, &pose, 0);
    graze_status status =
        gz_sweep_add(sim->sweep, &body->boxed, body->kind != GRAZE_BODY_STATIC, &body->swept);
    while (status == GRAZE_OK && sim->owner.count <= body->swept) {
        uint32_t nobody = UINT32_MAX;
        if (!gz_list_append(sim->context, &sim->owner, &nobody, 1)) {
            gz_sweep_remove(sim->sweep, body->swept);
            return gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for bodies");
        }
    }
    if (status == GRAZE_OK)
        sim->owner.items[body->swept] = number;
    return status;
}

static int compare_pairs(const void *left, const void *right)
{
    const gz_near_pair *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static bool add_pairs_of(graze_sim *sim, uint32_t number)
{
    const gz_body *body = &sim->bodies.items[number];
    uint32_t count;
    const uint32_t *boxes = gz_sweep_overlaps(sim->sweep, body->swept, &count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t other = sim->owner.items[boxes[i]];
        const gz_body *met = &sim->bodies.items[other];
        bool twice = met->kind != GRAZE_BODY_STATIC && other < number; // it told before
        if (twice || (!gz_body_moves(body) && !gz_body_moves(met)))
            continue;
        gz_near_pair *pair = gz_list_push(sim->context, &sim->spare, 1);
        if (pair == NULL)
            return false;
        *pair = (gz_near_pair){.a = number < other ? number : other,
                               .b = number < other ? other : number,
                               .fresh = true,
                               .gap = HUGE_VAL,
                               .asked = -1};
    }
    return true;
}

// What was known of pairs that stay near is kept.
static graze_status list_pairs(graze_sim *sim)
{
    graze_status status = gz_sweep_step(sim->sweep, NULL);
    if (status != GRAZE_OK)
        return status;
    sim->spare.count = 0;
    for (uint32_t i = 0; i < sim->bodies.count; ++i)
        if (sim->bodies.items[i].kind != GRAZE_BODY_STATIC && !add_pairs_of(sim, i))
            return gz_fail(sim->context, GRAZE_ERROR_MEMORY, "out of memory for pairs of bodies");
    gz_near_pair *made = sim->spare.items;
    if (sim->spare.count != 0)
        qsort(made, (size_t)sim->spare.count, sizeof *made, compare_pairs);
    for (uint64_t i = 0, k = 0; i < sim->spare.count && k < sim->pairs.count;) {
        int order = compare_pairs(&made[i], &sim->pairs.items[k]);
        if (order == 0)
            made[i] = sim->pairs.items[k];
        i += order <= 0;
        k += order >= 0;
    }
    gz_near_list old = sim->pairs;
    sim->pairs = sim->spare;
    sim->spare = old;
    return GRAZE_OK;
}

graze_status gz_near_find(graze_sim *sim)
{
    double step = sim->def.step, fall = gz_length3(sim->def.gravity) * step * step;
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        gz_body *body = &sim->bodies.items[i];
        double spin[3] = {0}, way = 0;
        if (body->kind == GRAZE_BODY_STATIC && sim->begun)
            continue;
        if (gz_body_moves(body)) {
            gz_spin_of(body, body->turn, body->momentum, spin);
            way = gz_length3(body->velocity) * step + fall + gz_length3(spin) * body->radius * step;
        }
        graze_pose pose = gz_body_pose(body);
        body->boxed = box_for(sim, body, &pose, ROOM * way);
        gz_sweep_move(sim->sweep, body->swept, &body->boxed);
    }
    return list_pairs(sim);
}

graze_status gz_near_widen(graze_sim *sim, double time)
{
    bool widened = false;
    for (uint64_t i = 0; i < sim->bodies.count; ++i) {
        gz_body *body = &sim->bodies.items[i];
        if (body->kind == GRAZE_BODY_STATIC)
            continue;
        double way = gz_course_reach(body, time, sim->def.step);
        graze_pose pose = gz_course_pose(body, time);
        graze_box needed = box_for(sim, body, &pose, way);
        if (holds(&body->boxed, &needed))
            continue;
        needed = box_for(sim, body, &pose, ROOM * way);
        body->boxed = graze_box_join(&body->boxed, &needed);
        gz_sweep_move(sim->sweep, body->swept, &body->boxed);
        widened = true;
    }
    return widened ? list_pairs(sim) : GRAZE_OK;
}
