// Moving boxes among static ones. See sweep.h.
#include "scene/sweep.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "geometry/rounding.h"
#include "scene/node_bvh.h"

#define NOWHERE      UINT32_MAX
#define LOOSE_FEW    32u  // static boxes outside of the BVH do not matter
#define FAT_MOTION   4.0  // a fat box is larger by so many steps
#define FAT_SIZE     0.05 // or by this part of its longest side
#define AXIS_UNKNOWN 3

typedef enum slot_state {
    SLOT_FREE = 0,
    SLOT_STATIC,
    SLOT_FLOATING,
    SLOT_WAS_STATIC,  // removed, but the next step has not told yet
    SLOT_WAS_FLOATING // the same
} slot_state;

typedef struct slot {
    graze_box box; // grown
    slot_state state;
    // Static: in the BVH, or else in the list of loose ones. Floating: its floater, and nothing.
    uint32_t place, loose;
} slot;

typedef struct floater {
    uint32_t id;
    bool known;    // candidates are all static boxes that overlap the fat box
    bool had_last; // there is a box of the last step
    graze_box fat, last;
    gz_index_list candidates; // ascending
    gz_index_list overlaps;   // ascending
    gz_index_list next;       // what will be the overlaps
} floater;

struct gz_sweep {
    graze_context *context;
    double half_margin;
    GZ_LIST(slot) slots;
    gz_index_list free_slots; // room for all
    gz_index_list removed;    // since the last step; room for all
    uint32_t static_count;
    gz_node_bvh bvh;        // of static boxes; those that left or moved are cleared
    uint32_t cleared_count; // of these
    gz_index_list loose;    // static boxes that are not in the BVH; room for all
    GZ_LIST(floater) floaters;
    gz_index_list order; // of floaters, along the axis
    int axis;
    GZ_LIST(gz_sweep_pair) began, ended;
};

static graze_status no_memory(const gz_sweep *sweep)
{
    return gz_fail(sweep->context, GRAZE_ERROR_MEMORY, "no memory to follow %u boxes",
                   (unsigned)sweep->slots.count);
}

graze_status gz_sweep_create(graze_context *context, double margin, gz_sweep **out)
{
    GZ_ASSERT(margin >= 0 && margin < HUGE_VAL);
    *out = GZ_NEW_ARRAY(context, gz_sweep, 1);
    if (*out == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "no memory to follow boxes");
    double half = 0.5 * margin;
    half = 2 * half < margin ? gz_step_up64(half) : half; // subnormal
    **out = (gz_sweep){.context = context, .half_margin = half, .axis = AXIS_UNKNOWN};
    return GRAZE_OK;
}

static void free_floater(gz_sweep *sweep, floater *f)
{
    gz_list_free(sweep->context, &f->candidates);
    gz_list_free(sweep->context, &f->overlaps);
    gz_list_free(sweep->context, &f->next);
}

void gz_sweep_free(gz_sweep *sweep)
{
    if (sweep == NULL)
        return;
    graze_context *context = sweep->context;
    for (uint64_t i = 0; i < sweep->floaters.count; ++i)
        free_floater(sweep, &sweep->floaters.items[i]);
    gz_list_free(context, &sweep->floaters);
    gz_list_free(context, &sweep->slots);
    gz_list_free(context, &sweep->free_slots);
    gz_list_free(context, &sweep->removed);
    gz_list_free(context, &sweep->loose);
    gz_list_free(context, &sweep->order);
    gz_list_free(context, &sweep->began);
    gz_list_free(context, &sweep->ended);
    gz_node_bvh_free(context, &sweep->bvh);
    GZ_FREE_ARRAY(context, sweep, 1);
}

static slot *slot_of(const gz_sweep *sweep, uint32_t id)
{
    GZ_ASSERT(id < sweep->slots.count);
    slot *s = &sweep->slots.items[id];
    GZ_ASSERT(s->state == SLOT_STATIC || s->state == SLOT_FLOATING);
    return s;
}

// A static box comes to a place or leaves it: those floating near have to ask again.
static void forget_near(gz_sweep *sweep, const graze_box *box)
{
    for (uint64_t i = 0; i < sweep->floaters.count; ++i) {
        floater *f = &sweep->floaters.items[i];
        f->known = f->known && !gz_boxes_meet(&f->fat, box);
    }
}

static void put_loose(gz_sweep *sweep, uint32_t id)
{
    slot *s = &sweep->slots.items[id];
    s->place = NOWHERE;
    s->loose = (uint32_t)sweep->loose.count;
    GZ_ASSERT(sweep->loose.count < sweep->loose.capacity);
    sweep->loose.items[sweep->loose.count++] = id;
    forget_near(sweep, &s->box);
}

static void take_static(gz_sweep *sweep, uint32_t id)
{
    slot *s = &sweep->slots.items[id];
    forget_near(sweep, &s->box);
    if (s->place != NOWHERE) {
        gz_node_bvh_clear(&sweep->bvh, s->place);
        ++sweep->cleared_count;
    } else if (s->loose != NOWHERE) {
        uint32_t last = sweep->loose.items[--sweep->loose.count];
        sweep->loose.items[s->loose] = last;
        sweep->slots.items[last].loose = s->loose;
    }
    s->place = s->loose = NOWHERE;
}

// Room for what may not fail later, then a slot.
static bool reserve_slot(gz_sweep *sweep, uint32_t *id)
{
    graze_context *context = sweep->context;
    if (sweep->free_slots.count == 0) {
        if (sweep->slots.count >= NOWHERE - 1)
            return false;
        slot *s = gz_list_push(context, &sweep->slots, 1);
        if (s == NULL)
            return false;
        *s = (slot){.place = NOWHERE, .loose = NOWHERE};
        uint32_t last = (uint32_t)sweep->slots.count - 1;
        if (!gz_list_append(context, &sweep->free_slots, &last, 1)) {
            --sweep->slots.count;
            return false;
        }
    }
    *id = sweep->free_slots.items[sweep->free_slots.count - 1];
    return gz_list_reserve(context, &sweep->free_slots, sweep->slots.capacity) &&
           gz_list_reserve(context, &sweep->removed, sweep->slots.capacity) &&
           gz_list_reserve(context, &sweep->loose, sweep->slots.capacity);
}

graze_status gz_sweep_add(gz_sweep *sweep, const graze_box *box, bool floating, uint32_t *id)
{
    GZ_ASSERT(gz_box_is_ordered(box));
    bool made = reserve_slot(sweep, id);
    if (made && floating) {
        made = gz_list_reserve(sweep->context, &sweep->order, sweep->floaters.count + 1);
        floater *f = made ? gz_list_push(sweep->context, &sweep->floaters, 1) : NULL;
        made = f != NULL;
        if (made)
            *f = (floater){.id = *id};
    }
    if (!made)
        return no_memory(sweep);
    --sweep->free_slots.count;
    slot *s = &sweep->slots.items[*id];
    GZ_ASSERT(s->state == SLOT_FREE);
    *s = (slot){.box = graze_box_grow(box, sweep->half_margin),
                .state = floating ? SLOT_FLOATING : SLOT_STATIC,
                .place = NOWHERE,
                .loose = NOWHERE};
    if (floating) {
        s->place = (uint32_t)sweep->floaters.count - 1;
        sweep->axis = AXIS_UNKNOWN;
    } else {
        ++sweep->static_count;
        put_loose(sweep, *id);
    }
    return GRAZE_OK;
}

void gz_sweep_remove(gz_sweep *sweep, uint32_t id)
{
    slot *s = slot_of(sweep, id);
    if (s->state == SLOT_STATIC) {
        take_static(sweep, id);
        --sweep->static_count;
        s->state = SLOT_WAS_STATIC;
    } else {
        s->state = SLOT_WAS_FLOATING;
    }
    s->box = graze_box_empty();
    GZ_ASSERT(sweep->removed.count < sweep->removed.capacity);
    sweep->removed.items[sweep->removed.count++] = id;
}

void gz_sweep_move(gz_sweep *sweep, uint32_t id, const graze_box *box)
{
    GZ_ASSERT(gz_box_is_ordered(box));
    slot *s = slot_of(sweep, id);
    bool is_static = s->state == SLOT_STATIC;
    if (is_static)
        take_static(sweep, id);
    s->box = graze_box_grow(box, sweep->half_margin);
    if (is_static)
        put_loose(sweep, id);
}

// All static boxes into a new BVH, if many are not in it.
static bool renew_bvh(gz_sweep *sweep)
{
    uint64_t few = LOOSE_FEW + sweep->static_count / 8;
    if (sweep->loose.count <= few && sweep->cleared_count <= few)
        return true;
    uint32_t count = (uint32_t)sweep->slots.count;
    graze_box *boxes = GZ_NEW_ARRAY(sweep->context, graze_box, count);
    gz_node_bvh bvh = {0};
    bool made = boxes != NULL;
    for (uint32_t i = 0; i < count && made; ++i)
        boxes[i] = sweep->slots.items[i].state == SLOT_STATIC ? sweep->slots.items[i].box
                                                              : graze_box_empty();
    made = made && gz_node_bvh_make(sweep->context, boxes, count, &bvh);
    if (made) {
        gz_node_bvh_free(sweep->context, &sweep->bvh);
        sweep->bvh = bvh;
        sweep->cleared_count = 0;
        for (uint64_t i = 0; i < sweep->loose.count; ++i)
            sweep->slots.items[sweep->loose.items[i]].loose = NOWHERE;
        sweep->loose.count = 0;
        for (uint32_t i = 0; i < count; ++i) // empty ones are nowhere
            if (sweep->slots.items[i].state == SLOT_STATIC)
                sweep->slots.items[i].place = NOWHERE;
        for (uint32_t i = 0; i < bvh.count; ++i)
            sweep->slots.items[bvh.number[i]].place = i;
    }
    GZ_FREE_ARRAY(sweep->context, boxes, count);
    return made;
}

typedef struct finder {
    const gz_sweep *sweep;
    gz_index_list *list;
} finder;

static bool add_found(void *user, uint32_t place)
{
    finder *f = user;
    return gz_list_append(f->sweep->context, f->list, &f->sweep->bvh.number[place], 1);
}

// Appends all static boxes that meet a box.
static bool find_static(const gz_sweep *sweep, const graze_box *box, gz_index_list *list)
{
    finder f = {.sweep = sweep, .list = list};
    if (!gz_node_bvh_find(&sweep->bvh, box, 0, add_found, &f))
        return false;
    for (uint64_t i = 0; i < sweep->loose.count; ++i) {
        uint32_t id = sweep->loose.items[i];
        const graze_box *other = &sweep->slots.items[id].box;
        if (!gz_box_is_empty(other) && gz_boxes_meet(box, other) &&
            !gz_list_append(sweep->context, list, &id, 1))
            return false;
    }
    return true;
}

// Heapsort: in place, and never slow.
static void sift(uint32_t *numbers, uint64_t at, uint64_t count)
{
    uint32_t number = numbers[at];
    for (uint64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && numbers[child + 1] > numbers[child];
        if (numbers[child] <= number)
            break;
        numbers[at] = numbers[child];
        at = child;
    }
    numbers[at] = number;
}

static void sort_numbers(uint32_t *numbers, uint64_t count)
{
    bool sorted = true;
    for (uint64_t i = 1; i < count; ++i)
        sorted = sorted && numbers[i - 1] <= numbers[i];
    for (uint64_t i = sorted ? 0 : count / 2; i-- != 0;)
        sift(numbers, i, count);
    for (uint64_t end = sorted ? 0 : count; end-- > 1;) {
        uint32_t last = numbers[0];
        numbers[0] = numbers[end];
        numbers[end] = last;
        sift(numbers, 0, end);
    }
}

static bool box_holds(const graze_box *outer, const graze_box *inner)
{
    bool holds = true;
    for (int axis = 0; axis < 3; ++axis)
        holds =
            holds && outer->min[axis] <= inner->min[axis] && inner->max[axis] <= outer->max[axis];
    return holds;
}

// How much larger than a box its fat one is to be. Infinite boxes need none.
static double fat_length(const floater *f, const graze_box *box)
{
    double size = 0, motion = 0;
    for (int axis = 0; axis < 3; ++axis) {
        size = fmax(size, box->max[axis] - box->min[axis]);
        if (f->had_last)
            motion = fmax(motion, fmax(fabs(box->min[axis] - f->last.min[axis]),
                                       fabs(box->max[axis] - f->last.max[axis])));
    }
    double length = fmax(FAT_MOTION * motion, FAT_SIZE * size);
    return length < 0.25 * DBL_MAX ? length : 0;
}

// The static boxes that a floating one overlaps, into its next list.
static bool list_static(gz_sweep *sweep, floater *f)
{
    const graze_box *box = &sweep->slots.items[f->id].box;
    f->next.count = 0;
    if (gz_box_is_empty(box))
        return true;
    if (!f->known || !box_holds(&f->fat, box)) {
        f->known = false;
        f->fat = graze_box_grow(box, fat_length(f, box));
        f->candidates.count = 0;
        if (!find_static(sweep, &f->fat, &f->candidates))
            return false;
        sort_numbers(f->candidates.items, f->candidates.count);
        f->known = true;
    }
    for (uint64_t i = 0; i < f->candidates.count; ++i) {
        uint32_t id = f->candidates.items[i];
        GZ_ASSERT(sweep->slots.items[id].state == SLOT_STATIC);
        if (gz_boxes_meet(box, &sweep->slots.items[id].box) &&
            !gz_list_append(sweep->context, &f->next, &id, 1))
            return false;
    }
    return true;
}

static const graze_box *floater_box(const gz_sweep *sweep, uint32_t index)
{
    return &sweep->slots.items[sweep->floaters.items[index].id].box;
}

// Along which axis floating boxes are spread the most.
static int widest_axis(const gz_sweep *sweep)
{
    graze_box all = graze_box_empty();
    for (uint32_t i = 0; i < sweep->floaters.count; ++i) {
        const graze_box *box = floater_box(sweep, i);
        for (int axis = 0; axis < 3 && !gz_box_is_empty(box); ++axis) {
            all.min[axis] = fmin(all.min[axis], box->min[axis]);
            all.max[axis] = fmax(all.max[axis], box->min[axis]);
        }
    }
    int widest = 0;
    for (int axis = 1; axis < 3; ++axis)
        if (0.5 * all.max[axis] - 0.5 * all.min[axis] >
            0.5 * all.max[widest] - 0.5 * all.min[widest])
            widest = axis;
    return widest;
}

// A new order of floating boxes by where they begin along the axis.
static bool renew_order(gz_sweep *sweep)
{
    enum { KEY_BYTES = 12 };
    uint32_t count = (uint32_t)sweep->floaters.count;
    int axis = widest_axis(sweep);
    uint8_t(*keys)[KEY_BYTES] = gz_allocate_array(sweep->context, count, KEY_BYTES);
    if (keys == NULL && count != 0)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        double x = floater_box(sweep, i)->min[axis] + 0.0;
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        bits = (bits >> 63) != 0 ? ~bits : bits | UINT64_C(1) << 63;
        gz_put_number(keys[i], bits, 8);
        gz_put_number(keys[i] + 8, i, 4);
    }
    gz_sort_records(sweep->context, keys, count, KEY_BYTES, 0, gz_arena_over(NULL, 0));
    GZ_ASSERT(sweep->order.capacity >= count);
    sweep->order.count = count;
    for (uint32_t i = 0; i < count; ++i)
        sweep->order.items[i] = (uint32_t)gz_get_number(keys[i] + 8, 4);
    sweep->axis = axis;
    GZ_FREE_ARRAY(sweep->context, keys, count);
    return true;
}

// Boxes have moved a little, so few change places.
static void repair_order(gz_sweep *sweep)
{
    uint32_t *order = sweep->order.items;
    for (uint64_t i = 1; i < sweep->order.count; ++i) {
        uint32_t moved = order[i];
        double x = floater_box(sweep, moved)->min[sweep->axis];
        uint64_t at = i;
        for (; at > 0 && floater_box(sweep, order[at - 1])->min[sweep->axis] > x; --at)
            order[at] = order[at - 1];
        order[at] = moved;
    }
}

// Pairs of floating boxes, into the next lists of both.
static bool list_floating(gz_sweep *sweep)
{
    const uint32_t *order = sweep->order.items;
    for (uint64_t i = 0; i < sweep->order.count; ++i) {
        floater *f = &sweep->floaters.items[order[i]];
        const graze_box *box = &sweep->slots.items[f->id].box;
        if (gz_box_is_empty(box))
            continue;
        for (uint64_t k = i + 1; k < sweep->order.count; ++k) {
            floater *g = &sweep->floaters.items[order[k]];
            const graze_box *other = &sweep->slots.items[g->id].box;
            if (other->min[sweep->axis] > box->max[sweep->axis])
                break;
            if (gz_box_is_empty(other) || !gz_boxes_meet(box, other))
                continue;
            if (!gz_list_append(sweep->context, &f->next, &g->id, 1) ||
                !gz_list_append(sweep->context, &g->next, &f->id, 1))
                return false;
        }
    }
    return true;
}

// Of two floating boxes, the one with the smaller number tells.
static bool tells(const gz_sweep *sweep, uint32_t a, uint32_t b)
{
    slot_state state = sweep->slots.items[b].state;
    return a < b || (state != SLOT_FLOATING && state != SLOT_WAS_FLOATING);
}

static bool compare_lists(gz_sweep *sweep, const floater *f)
{
    const gz_index_list *old = &f->overlaps, *new = &f->next;
    for (uint64_t i = 0, k = 0; i < old->count || k < new->count;) {
        bool ends = k == new->count || (i < old->count && old->items[i] < new->items[k]);
        bool begins = i == old->count || (k < new->count &&new->items[k] < old->items[i]);
        gz_sweep_pair pair = {f->id, begins ? new->items[k] : old->items[i]};
        if (ends && tells(sweep, pair.a, pair.b) &&
            !gz_list_append(sweep->context, &sweep->ended, &pair, 1))
            return false;
        if (begins && tells(sweep, pair.a, pair.b) &&
            !gz_list_append(sweep->context, &sweep->began, &pair, 1))
            return false;
        i += !begins;
        k += !ends;
    }
    return true;
}

// What cannot fail: new lists take the place of old ones, and what was removed is forgotten.
static void accept_lists(gz_sweep *sweep)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sweep->floaters.count; ++i) {
        floater f = sweep->floaters.items[i];
        slot *s = &sweep->slots.items[f.id];
        if (s->state == SLOT_WAS_FLOATING) {
            free_floater(sweep, &f);
            sweep->axis = AXIS_UNKNOWN;
            continue;
        }
        gz_index_list old = f.overlaps;
        f.overlaps = f.next;
        f.next = old;
        f.last = s->box;
        f.had_last = !gz_box_is_empty(&s->box);
        s->place = kept;
        sweep->floaters.items[kept++] = f;
    }
    sweep->floaters.count = kept;
}

static void free_removed(gz_sweep *sweep)
{
    for (uint64_t i = 0; i < sweep->removed.count; ++i) {
        sweep->slots.items[sweep->removed.items[i]] = (slot){.place = NOWHERE, .loose = NOWHERE};
        GZ_ASSERT(sweep->free_slots.count < sweep->free_slots.capacity);
        sweep->free_slots.items[sweep->free_slots.count++] = sweep->removed.items[i];
    }
    sweep->removed.count = 0;
}

static bool make_lists(gz_sweep *sweep)
{
    sweep->began.count = sweep->ended.count = 0;
    if (!renew_bvh(sweep))
        return false;
    for (uint64_t i = 0; i < sweep->floaters.count; ++i)
        if (!list_static(sweep, &sweep->floaters.items[i]))
            return false;
    if (sweep->axis == AXIS_UNKNOWN && !renew_order(sweep))
        return false;
    repair_order(sweep);
    if (!list_floating(sweep))
        return false;
    for (uint64_t i = 0; i < sweep->floaters.count; ++i) {
        floater *f = &sweep->floaters.items[i];
        sort_numbers(f->next.items, f->next.count);
        if (!compare_lists(sweep, f))
            return false;
    }
    return true;
}

// By a, then b. Floaters come in an order that removals have changed.
static void sort_pairs(graze_context *context, gz_sweep_pair *pairs, uint64_t count)
{
    if (count < 2)
        return;
    for (uint64_t i = 0; i < count; ++i)
        gz_put_number((uint8_t *)&pairs[i], (uint64_t)pairs[i].a << 32 | pairs[i].b, 8);
    gz_sort_records(context, pairs, count, sizeof *pairs, 0, gz_arena_over(NULL, 0));
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t key = gz_get_number((const uint8_t *)&pairs[i], 8);
        pairs[i] = (gz_sweep_pair){(uint32_t)(key >> 32), (uint32_t)key};
    }
}

graze_status gz_sweep_step(gz_sweep *sweep, gz_sweep_changes *changes)
{
    if (changes != NULL)
        *changes = (gz_sweep_changes){0};
    if (!make_lists(sweep))
        return no_memory(sweep);
    accept_lists(sweep);
    free_removed(sweep);
    sort_pairs(sweep->context, sweep->began.items, sweep->began.count);
    sort_pairs(sweep->context, sweep->ended.items, sweep->ended.count);
    if (changes != NULL)
        *changes = (gz_sweep_changes){.began = sweep->began.items,
                                      .ended = sweep->ended.items,
                                      .began_count = sweep->began.count,
                                      .ended_count = sweep->ended.count};
    return GRAZE_OK;
}

const uint32_t *gz_sweep_overlaps(const gz_sweep *sweep, uint32_t id, uint32_t *count)
{
    const slot *s = slot_of(sweep, id);
    GZ_ASSERT(s->state == SLOT_FLOATING);
    const floater *f = &sweep->floaters.items[s->place];
    GZ_ASSERT(f->id == id);
    *count = (uint32_t)f->overlaps.count;
    return f->overlaps.items;
}

// Around a box at both ends of its way, and so along all of it. The product is off by half an ulp,
// and so is the sum.
static graze_box stretch_box(const graze_box *box, const double velocity[3], double time)
{
    graze_box all = *box;
    for (int axis = 0; axis < 3; ++axis) {
        double way = velocity[axis] * time;
        all.min[axis] = fmin(box->min[axis], gz_step_down64(box->min[axis] + gz_step_down64(way)));
        all.max[axis] = fmax(box->max[axis], gz_step_up64(box->max[axis] + gz_step_up64(way)));
    }
    return all;
}

graze_status gz_sweep_ahead(gz_sweep *sweep, uint32_t id, const double velocity[3], double time,
                            gz_index_list *met)
{
    const slot *s = slot_of(sweep, id);
    uint64_t first = met->count;
    GZ_ASSERT(isfinite(time));
    for (int axis = 0; axis < 3; ++axis)
        GZ_ASSERT(isfinite(velocity[axis]));
    if (gz_box_is_empty(&s->box))
        return GRAZE_OK;
    graze_box box = stretch_box(&s->box, velocity, time);
    bool made = find_static(sweep, &box, met);
    for (uint32_t i = 0; i < sweep->floaters.count && made; ++i) {
        uint32_t other = sweep->floaters.items[i].id;
        const graze_box *other_box = &sweep->slots.items[other].box;
        if (!gz_box_is_empty(other_box) && gz_boxes_meet(&box, other_box))
            made = gz_list_append(sweep->context, met, &other, 1);
    }
    if (!made) {
        met->count = first;
        return no_memory(sweep);
    }
    if (met->count > first)
        sort_numbers(met->items + first, met->count - first);
    for (uint64_t i = first; i < met->count; ++i)
        if (met->items[i] == id) { // it meets itself
            memmove(&met->items[i], &met->items[i + 1],
                    (size_t)(met->count - i - 1) * sizeof *met->items);
            --met->count;
            break;
        }
    return GRAZE_OK;
}
