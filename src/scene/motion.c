// Things that move through a scene (Wilson et al., sections 4.4 and 4.5). See graze/motion.h.
//
// Every object of the scene has a box in a sweep (sweep.h), which keeps what each mover may be in
// contact with. What changed in the scene since the last step is replayed from its list of changes,
// or found by looking at all of it where that list is too short.
//
// Rules: tracked[i] is about slot i of the scene. An object that is tracked has the number of its
// box in the sweep, and owner[number] is its slot.
#include "graze/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "base/heap.h"
#include "geometry/rounding.h"
#include "query/part_pages.h"
#include "query/query_scratch.h"
#include "scene/clash_pair.h"
#include "scene/scene_store.h"
#include "scene/sweep.h"

#define PAGES_AHEAD 256u // wanted at a time

typedef struct tracked {
    uint32_t generation; // of the object; 0: the slot is not tracked
    uint32_t box;        // in the sweep
    bool floating;
} tracked;

typedef struct mover {
    graze_object_id id;
    double middle[3]; // of its box, at the last step
    bool moved;       // it is known
    uint32_t nearest; // slot of what was nearest last; UINT32_MAX: none
} mover;

// An object whose box is so far away.
typedef struct gz_far_object {
    double gap;
    uint32_t slot;
} far_object;

GZ_HEAP(near_heap, far_object, gap, <)

struct graze_motion {
    graze_scene *scene;
    graze_context *context;
    graze_motion_def def;
    gz_sweep *sweep;
    graze_query *query;
    uint64_t seen;    // changes of the scene
    bool look_at_all; // at all slots, whatever changed
    GZ_LIST(tracked) tracked;
    gz_index_list owner;
    GZ_LIST(mover) movers;
    GZ_LIST(graze_motion_contact) contacts;
    GZ_LIST(graze_motion_nearest) nearest;
    GZ_LIST(far_object) heap;
    gz_index_list met;
    gz_page_key pages[PAGES_AHEAD];
};

static graze_status out_of_memory(const graze_motion *motion)
{
    return gz_fail(motion->context, GRAZE_ERROR_MEMORY, "out of memory for things that move");
}

static graze_status check_def(graze_context *context, const char *who, const graze_motion_def *def)
{
    if (!(def->tolerance >= 0 && isfinite(def->tolerance)) || !(def->distance >= 0) ||
        !isfinite(def->touch) || !(def->look_ahead >= 0 && isfinite(def->look_ahead)))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: tolerance, distance and look_ahead are not negative, and only the "
                       "distance may be infinite",
                       who);
    return GRAZE_OK;
}

graze_status graze_motion_create(graze_scene *scene, const graze_motion_def *given,
                                 graze_motion **motion)
{
    static const char who[] = "graze_motion_create";
    if (motion != NULL)
        *motion = NULL;
    if (scene == NULL || motion == NULL)
        return gz_fail_null(scene == NULL ? NULL : scene->context, who);
    graze_motion_def room = graze_motion_def_default();
    const graze_motion_def *def = gz_def_known(scene->context, who, given, &room, sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_status status = check_def(scene->context, who, def);
    if (status != GRAZE_OK)
        return status;
    graze_motion *made = gz_allocate(scene->context, sizeof *made);
    if (made == NULL)
        return gz_fail(scene->context, GRAZE_ERROR_MEMORY, "%s: out of memory", who);
    *made = (graze_motion){.scene = scene, .context = scene->context, .def = *def};
    if (def->touch < 0)
        made->def.touch = gz_scene_touch(scene);
    double reach = fmax(def->tolerance, def->kinds != 0 ? made->def.touch : 0);
    status = gz_sweep_create(scene->context, reach, &made->sweep);
    if (status == GRAZE_OK)
        status = graze_query_create(scene->context, &made->query);
    if (status == GRAZE_OK)
        *motion = made;
    else
        graze_motion_free(made);
    return status;
}

void graze_motion_free(graze_motion *motion)
{
    if (motion == NULL)
        return;
    graze_context *context = motion->context;
    gz_sweep_free(motion->sweep);
    graze_query_free(motion->query);
    gz_list_free(context, &motion->tracked);
    gz_list_free(context, &motion->owner);
    gz_list_free(context, &motion->movers);
    gz_list_free(context, &motion->contacts);
    gz_list_free(context, &motion->nearest);
    gz_list_free(context, &motion->heap);
    gz_list_free(context, &motion->met);
    gz_release(context, motion, sizeof *motion);
}

// --- Following the scene

static bool is_mover(const graze_motion *motion, graze_object_id id)
{
    for (uint64_t i = 0; i < motion->movers.count; ++i)
        if (motion->movers.items[i].id.index1 == id.index1 &&
            motion->movers.items[i].id.generation == id.generation)
            return true;
    return false;
}

static graze_status track(graze_motion *motion, uint32_t index)
{
    const gz_scene_slot *slot = &motion->scene->slots.items[index];
    tracked *t = &motion->tracked.items[index];
    t->floating = is_mover(motion, gz_scene_id(motion->scene, index + 1));
    graze_status status = gz_sweep_add(motion->sweep, &slot->box, t->floating, &t->box);
    if (status != GRAZE_OK)
        return status;
    t->generation = slot->generation;
    while (motion->owner.count <= t->box) {
        uint32_t *more = gz_list_push(motion->context, &motion->owner, 1);
        if (more == NULL) {
            gz_sweep_remove(motion->sweep, t->box);
            *t = (tracked){0};
            return out_of_memory(motion);
        }
        *more = UINT32_MAX;
    }
    motion->owner.items[t->box] = index;
    return GRAZE_OK;
}

static void untrack(graze_motion *motion, uint32_t index)
{
    tracked *t = &motion->tracked.items[index];
    if (t->generation != 0)
        gz_sweep_remove(motion->sweep, t->box);
    *t = (tracked){0};
}

// An object that became a mover, or is none any more, gets another box. One that is not tracked as
// it is now will be at the next step.
static graze_status track_again(graze_motion *motion, graze_object_id id)
{
    uint32_t index = id.index1 - 1;
    if (index >= motion->tracked.count || motion->tracked.items[index].generation != id.generation)
        return GRAZE_OK;
    untrack(motion, index);
    if (gz_scene_slot_of(motion->scene, id) == NULL)
        return GRAZE_OK;
    graze_status status = track(motion, index);
    motion->look_at_all |= status != GRAZE_OK;
    return status;
}

static graze_status follow_slot(graze_motion *motion, uint32_t index)
{
    const gz_scene_slot *slot = &motion->scene->slots.items[index];
    tracked *t = &motion->tracked.items[index];
    if (t->generation != 0 && (!slot->taken || t->generation != slot->generation))
        untrack(motion, index);
    if (!slot->taken)
        return GRAZE_OK;
    if (t->generation == 0)
        return track(motion, index);
    gz_sweep_move(motion->sweep, t->box, &slot->box);
    return GRAZE_OK;
}

static graze_status follow_scene(graze_motion *motion)
{
    const graze_scene *scene = motion->scene;
    uint64_t before = motion->tracked.count, now = scene->slots.count;
    graze_status status = GRAZE_OK;
    if (now > before) {
        tracked *more = gz_list_push(motion->context, &motion->tracked, now - before);
        if (more == NULL)
            return out_of_memory(motion);
        memset(more, 0, (size_t)(now - before) * sizeof *more);
    }
    if (motion->look_at_all || scene->change_count - motion->seen > GZ_SCENE_CHANGES) {
        for (uint64_t i = 0; i < now && status == GRAZE_OK; ++i)
            status = follow_slot(motion, (uint32_t)i);
    } else {
        for (uint64_t n = motion->seen; n < scene->change_count && status == GRAZE_OK; ++n)
            status = follow_slot(motion, scene->changes[n % GZ_SCENE_CHANGES]);
    }
    if (status != GRAZE_OK) // the next step goes through all of it again
        return status;
    motion->look_at_all = false;
    motion->seen = scene->change_count;
    return GRAZE_OK;
}

// --- Movers

// In the order of the scene. Those that are not in it any more stand anywhere.
static void sort_last_mover(graze_motion *motion, uint64_t turn)
{
    for (uint64_t i = motion->movers.count - 1; i > 0; --i) {
        mover *m = &motion->movers.items[i];
        const gz_scene_slot *before = gz_scene_slot_of(motion->scene, m[-1].id);
        if (before != NULL && before->turn < turn)
            break;
        mover swap = m[0];
        m[0] = m[-1];
        m[-1] = swap;
    }
}

graze_status graze_motion_add(graze_motion *motion, graze_object_id id)
{
    static const char who[] = "graze_motion_add";
    if (motion == NULL)
        return gz_fail_null(NULL, who);
    const gz_scene_slot *slot = gz_scene_slot_of(motion->scene, id);
    if (slot == NULL || is_mover(motion, id))
        return gz_fail(motion->context, GRAZE_ERROR_ARGUMENT,
                       slot == NULL ? "%s: there is no object of this id, or not any more"
                                    : "%s: this object is a mover already",
                       who);
    mover *made = gz_list_push(motion->context, &motion->movers, 1);
    if (made == NULL)
        return out_of_memory(motion);
    *made = (mover){.id = id, .nearest = UINT32_MAX};
    graze_status status = track_again(motion, id);
    if (status != GRAZE_OK) {
        motion->movers.count--;
        return status;
    }
    sort_last_mover(motion, slot->turn);
    return GRAZE_OK;
}

graze_status graze_motion_remove(graze_motion *motion, graze_object_id id)
{
    static const char who[] = "graze_motion_remove";
    if (motion == NULL)
        return gz_fail_null(NULL, who);
    for (uint64_t i = 0; i < motion->movers.count; ++i) {
        mover *m = &motion->movers.items[i], gone = *m;
        size_t behind = (size_t)(motion->movers.count - i - 1) * sizeof *m;
        if (m->id.index1 != id.index1 || m->id.generation != id.generation)
            continue;
        memmove(m, m + 1, behind);
        motion->movers.count--;
        graze_status status = track_again(motion, id);
        if (status != GRAZE_OK) {
            memmove(m + 1, m, behind);
            *m = gone;
            motion->movers.count++;
        }
        return status;
    }
    return gz_fail(motion->context, GRAZE_ERROR_ARGUMENT, "%s: this object is no mover", who);
}

// --- Contacts

typedef struct pinned {
    const gz_scene_slot *slot;
    const graze_shape *shape;
} pinned;

static graze_status pin(graze_motion *motion, uint32_t index, pinned *out)
{
    out->slot = &motion->scene->slots.items[index];
    return gz_scene_pin_slot(motion->scene, out->slot, &out->shape);
}

static graze_posed posed(const pinned *p) { return graze_at(p->shape, &p->slot->pose); }

static graze_status classify(graze_motion *motion, const pinned *a, const pinned *b,
                             graze_clash *clash, bool *contact)
{
    gz_clash_side sides[2];
    const pinned *both[2] = {a, b};
    for (int i = 0; i < 2; ++i)
        sides[i] = (gz_clash_side){.at = posed(both[i]),
                                   .box = both[i]->slot->box,
                                   .hash = both[i]->slot->hash,
                                   .triangle_count = both[i]->slot->triangle_count};
    gz_clash_limits limits = {.touch = motion->def.touch,
                              .clearance = motion->def.tolerance,
                              .depth_error = 0.05,
                              .list_touching = true};
    graze_status status = gz_clash_classify(motion->query, &sides[0], &sides[1], &limits, clash);
    *contact = clash->kind != GRAZE_CLASH_NONE;
    return status;
}

static graze_status meet(graze_motion *motion, const pinned *a, const pinned *b,
                         graze_counters *counters, bool *contact)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.tolerance = motion->def.tolerance;
    graze_status status = graze_query_collide(motion->query, posed(a), posed(b), &def, &answer);
    if (status == GRAZE_OK) {
        gz_counters_add(counters, &answer.counters);
        *contact = answer.verdict == GRAZE_CONTACT;
    }
    return status;
}

static graze_status ask_pair(graze_motion *motion, const pinned *a, uint32_t other,
                             graze_counters *counters)
{
    pinned b;
    bool contact = false;
    graze_clash clash = {.rule = UINT32_MAX};
    graze_status status = pin(motion, other, &b);
    if (status != GRAZE_OK)
        return status;
    status = motion->def.kinds != 0 ? classify(motion, a, &b, &clash, &contact)
                                    : meet(motion, a, &b, counters, &contact);
    gz_scene_unpin_slot(motion->scene, b.slot);
    if (status != GRAZE_OK || !contact)
        return status;
    graze_motion_contact *made = gz_list_push(motion->context, &motion->contacts, 1);
    if (made == NULL)
        return out_of_memory(motion);
    uint32_t index = (uint32_t)(a->slot - motion->scene->slots.items);
    clash.a = gz_scene_id(motion->scene, index + 1);
    clash.b = gz_scene_id(motion->scene, other + 1);
    clash.rule = UINT32_MAX;
    *made = (graze_motion_contact){clash.a, clash.b, clash};
    return GRAZE_OK;
}

// Of two movers the first one asks.
static bool is_asked(const graze_motion *motion, uint32_t slot, uint32_t other)
{
    const gz_scene_slot *slots = motion->scene->slots.items;
    return !motion->tracked.items[other].floating || slots[slot].turn < slots[other].turn;
}

// Those of a mover by the other object; there are few.
static void sort_contacts(graze_motion *motion, uint64_t first)
{
    const gz_scene_slot *slots = motion->scene->slots.items;
    graze_motion_contact *items = motion->contacts.items;
    for (uint64_t i = first + 1; i < motion->contacts.count; ++i)
        for (uint64_t k = i; k > first && slots[items[k].other.index1 - 1].turn <
                                              slots[items[k - 1].other.index1 - 1].turn;
             --k) {
            graze_motion_contact swap = items[k];
            items[k] = items[k - 1];
            items[k - 1] = swap;
        }
}

static graze_status ask_mover(graze_motion *motion, const mover *m, graze_motion_answer *answer)
{
    uint32_t slot = m->id.index1 - 1, count;
    uint64_t first = motion->contacts.count;
    pinned a;
    const uint32_t *boxes =
        gz_sweep_overlaps(motion->sweep, motion->tracked.items[slot].box, &count);
    graze_status status = pin(motion, slot, &a);
    if (status != GRAZE_OK)
        return status;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        uint32_t other = motion->owner.items[boxes[i]];
        if (!is_asked(motion, slot, other))
            continue;
        answer->near_count++;
        status = ask_pair(motion, &a, other, &answer->counters);
    }
    gz_scene_unpin_slot(motion->scene, a.slot);
    sort_contacts(motion, first);
    return status;
}

// --- Distances

static graze_status try_nearest(graze_motion *motion, const pinned *a, uint32_t other, double limit,
                                graze_motion_nearest *best, graze_counters *counters)
{
    pinned b;
    graze_distance_def def = graze_distance_def_default();
    graze_distance found;
    def.limit = limit;
    graze_status status = pin(motion, other, &b);
    if (status != GRAZE_OK)
        return status;
    status = graze_query_distance(motion->query, posed(a), posed(&b), &def, &found);
    const gz_scene_slot *before = gz_scene_slot_of(motion->scene, best->other);
    if (status == GRAZE_OK) {
        gz_counters_add(counters, &found.counters);
        bool closer = found.distance < best->distance.distance ||
                      (found.distance == best->distance.distance &&
                       (before == NULL || b.slot->turn < before->turn));
        if (found.verdict == GRAZE_CONTACT && closer) {
            best->other = gz_scene_id(motion->scene, other + 1);
            best->distance = found;
        }
    }
    gz_scene_unpin_slot(motion->scene, b.slot);
    return status;
}

static bool list_far_objects(graze_motion *motion, uint32_t slot)
{
    const gz_scene_slot *slots = motion->scene->slots.items;
    motion->heap.count = 0;
    for (uint32_t at = motion->scene->first1; at != 0; at = slots[at - 1].after1) {
        if (at - 1 == slot || slots[at - 1].triangle_count == 0)
            continue;
        double gap = graze_box_distance(&slots[slot].box, &slots[at - 1].box);
        far_object object = {gap, at - 1};
        if (gap <= motion->def.distance &&
            !near_heap_push(motion->context, GZ_ITEMS(&motion->heap), &object))
            return false;
    }
    return true;
}

// Distances are within an ulp of the true ones: all that are told as this one are within that.
static double with_ties(double distance) { return gz_step_up64(gz_step_up64(distance)); }

// The nearest of all objects: those whose boxes are nearest first, what was nearest last before
// them. Of equally near ones the first of the scene.
static graze_status find_nearest(graze_motion *motion, mover *m, graze_counters *counters)
{
    uint32_t slot = m->id.index1 - 1;
    const gz_scene_slot *slots = motion->scene->slots.items;
    graze_motion_nearest best = {.mover = m->id, .distance = {.verdict = GRAZE_APART}};
    best.distance.distance = best.distance.least = HUGE_VAL;
    graze_motion_nearest *made = gz_list_push(motion->context, &motion->nearest, 1);
    if (made == NULL || !list_far_objects(motion, slot))
        return out_of_memory(motion);
    pinned a;
    graze_status status = slots[slot].triangle_count == 0 ? GRAZE_OK : pin(motion, slot, &a);
    if (status != GRAZE_OK || slots[slot].triangle_count == 0) {
        *made = best;
        return status;
    }
    double limit = motion->def.distance;
    if (m->nearest < motion->scene->slots.count && slots[m->nearest].taken && m->nearest != slot)
        status = try_nearest(motion, &a, m->nearest, limit, &best, counters);
    while (status == GRAZE_OK && motion->heap.count != 0) {
        far_object next;
        near_heap_pop(GZ_ITEMS(&motion->heap), &next);
        limit = fmin(motion->def.distance, with_ties(best.distance.distance));
        if (next.gap > limit)
            break;
        if (next.slot != m->nearest)
            status = try_nearest(motion, &a, next.slot, limit, &best, counters);
    }
    gz_scene_unpin_slot(motion->scene, a.slot);
    m->nearest = best.other.index1 == 0 ? UINT32_MAX : best.other.index1 - 1;
    *made = best;
    return status;
}

// --- Looking ahead

// Pages of what a mover meets if it goes on as in the last step, in the box that it sweeps.
static graze_status look_ahead(graze_motion *motion, mover *m, uint32_t *page_count)
{
    const gz_scene_slot *slots = motion->scene->slots.items, *slot = &slots[m->id.index1 - 1];
    double velocity[3];
    bool known = m->moved, still = true;
    if (slot->triangle_count == 0)
        return GRAZE_OK;
    graze_box swept = slot->box;
    for (int axis = 0; axis < 3; ++axis) {
        double middle = 0.5 * slot->box.min[axis] + 0.5 * slot->box.max[axis];
        velocity[axis] = middle - m->middle[axis];
        still &= velocity[axis] == 0;
        m->middle[axis] = middle;
        double way = velocity[axis] * motion->def.look_ahead;
        swept.min[axis] += fmin(way, 0);
        swept.max[axis] += fmax(way, 0);
    }
    m->moved = true;
    if (!known || still || motion->context->cache == NULL)
        return GRAZE_OK;
    for (int axis = 0; axis < 3; ++axis)
        if (!isfinite(swept.min[axis]) || !isfinite(swept.max[axis]))
            return GRAZE_OK;
    motion->met.count = 0;
    graze_status status = gz_sweep_ahead(motion->sweep, motion->tracked.items[m->id.index1 - 1].box,
                                         velocity, motion->def.look_ahead, &motion->met);
    for (uint64_t i = 0; i < motion->met.count && status == GRAZE_OK && *page_count < PAGES_AHEAD;
         ++i) {
        pinned other;
        uint32_t index = motion->owner.items[motion->met.items[i]];
        if (&slots[index] == slot)
            continue;
        status = pin(motion, index, &other);
        if (status != GRAZE_OK)
            break;
        *page_count +=
            gz_part_pages_near(other.shape, &other.slot->pose, &swept, motion->def.tolerance,
                               motion->pages + *page_count, PAGES_AHEAD - *page_count);
        gz_scene_unpin_slot(motion->scene, other.slot);
    }
    return status;
}

graze_status graze_motion_step(graze_motion *motion, graze_motion_answer *answer)
{
    static const char who[] = "graze_motion_step";
    if (motion == NULL || answer == NULL)
        return gz_fail_null(motion == NULL ? NULL : motion->context, who);
    *answer = (graze_motion_answer){0};
    for (uint64_t i = 0; i < motion->movers.count; ++i)
        if (gz_scene_slot_of(motion->scene, motion->movers.items[i].id) == NULL)
            return gz_fail(motion->context, GRAZE_ERROR_ARGUMENT,
                           "%s: a mover was removed from the scene, but not from the motion", who);
    graze_status status = follow_scene(motion);
    if (status == GRAZE_OK)
        status = gz_sweep_step(motion->sweep, NULL);
    motion->contacts.count = motion->nearest.count = 0;
    uint32_t page_count = 0;
    for (uint64_t i = 0; i < motion->movers.count && status == GRAZE_OK; ++i) {
        mover *m = &motion->movers.items[i];
        status = ask_mover(motion, m, answer);
        if (status == GRAZE_OK && motion->def.distance > 0)
            status = find_nearest(motion, m, &answer->counters);
        if (status == GRAZE_OK && motion->def.look_ahead > 0)
            status = look_ahead(motion, m, &page_count);
    }
    if (status == GRAZE_OK && page_count != 0)
        gz_cache_want(motion->context->cache, motion->pages, page_count);
    if (status != GRAZE_OK)
        return status;
    answer->contacts = motion->contacts.items;
    answer->contact_count = motion->contacts.count;
    answer->nearest = motion->nearest.items;
    answer->nearest_count = motion->nearest.count;
    return GRAZE_OK;
}
