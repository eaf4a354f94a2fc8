// Works out LOD cuts by place, each from the one before. See lod_place.h.
//
// "Coherence-Based Front Computation" of "Fast Collision Detection between Massive Models using
// Dynamic Simplification" (Yoon, Salomon, Lin and Manocha, 2004), for one cut of a model instead of
// a front of pairs. Which groups are open is asked anew each time: those above a cut are fewer than
// the clusters in it, and what was open before says nothing about an error that may be anything.
#include "model/lod_place.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

_Static_assert(GZ_GROUP_STEPS < GZ_LOD_GROUP_COLLAPSED, "a step is a byte");
enum { NOT_SEEN = 255 };

// Who asks for a cut.
typedef struct asking {
    gz_lod_place *place;
    const graze_model *model;
    bool with_steps;
    gz_lod_share *share;
    void *user;
} asking;

static bool is_top(const graze_model *model, uint32_t group)
{
    const gz_group_entry *entry = &model->groups[group];
    for (uint32_t i = 0; i < entry->cluster_count; ++i)
        if (model->consumers[entry->first_cluster + i] == UINT32_MAX)
            return true;
    return false;
}

static bool begin(gz_lod_place *place, graze_model *model)
{
    graze_context *context = model->context;
    uint32_t count = model->header.group_count;
    if (place->serial == model->serial)
        return true;
    gz_lod_place_free(place);
    *place = (gz_lod_place){.context = context, .serial = model->serial, .group_count = count};
    place->tops = GZ_NEW_ARRAY(context, uint32_t, count + 1);
    place->open = GZ_NEW_ARRAY(context, uint32_t, count + 1);
    place->fit = GZ_NEW_ARRAY(context, uint8_t, count + 1);
    place->share = GZ_NEW_ARRAY(context, double, count + 1);
    place->state = GZ_NEW_ARRAY(context, uint8_t, count + 1);
    place->before = GZ_NEW_ARRAY(context, uint8_t, count + 1);
    if (place->tops == NULL || place->open == NULL || place->fit == NULL || place->share == NULL ||
        place->state == NULL || place->before == NULL)
        return false;
    for (uint32_t g = 0; g < count; ++g)
        if (is_top(model, g))
            place->tops[place->top_count++] = g;
    return true;
}

static void open_group(gz_lod_place *place, uint32_t group)
{
    if (place->state[group] == GZ_LOD_GROUP_OPEN)
        return;
    place->state[group] = GZ_LOD_GROUP_OPEN;
    place->open[place->open_count++] = group;
}

// Bounds ascend from step to step.
static uint32_t steps_that_fit(const asking *ask, uint32_t group)
{
    const gz_group_entry *entry = &ask->model->groups[group];
    double share = ask->share(ask->user, ask->model, group);
    ask->place->share[group] = share;
    uint32_t fit = entry->step_count;
    while (fit != 0 && !(gz_lod_error(&entry->steps[fit - 1]) <= share))
        --fit;
    return ask->with_steps || fit == entry->step_count ? fit : 0;
}

static void look_at(const asking *ask, uint32_t group)
{
    gz_lod_place *place = ask->place;
    if (place->fit[group] != NOT_SEEN)
        return;
    place->fit[group] = (uint8_t)steps_that_fit(ask, group);
    place->looks++;
    if (place->fit[group] < ask->model->groups[group].step_count)
        open_group(place, group);
}

static uint32_t producer_of(const graze_model *model, const gz_group_entry *group, uint32_t member)
{
    return model->producers[model->members[group->first_member + member]];
}

// Of an open group: its members may be in the cut, and what it became is not.
static void look_around(const asking *ask, uint32_t group)
{
    const graze_model *model = ask->model;
    const gz_group_entry *entry = &model->groups[group];
    for (uint32_t i = 0; i < entry->member_count; ++i)
        if (producer_of(model, entry, i) != UINT32_MAX)
            look_at(ask, producer_of(model, entry, i));
    for (uint32_t i = 0; i < entry->cluster_count; ++i)
        if (model->consumers[entry->first_cluster + i] != UINT32_MAX)
            open_group(ask->place, model->consumers[entry->first_cluster + i]);
}

static bool members_are_there(const gz_lod_place *place, const graze_model *model, uint32_t group)
{
    const gz_group_entry *entry = &model->groups[group];
    for (uint32_t i = 0; i < entry->member_count; ++i) {
        uint32_t producer = producer_of(model, entry, i);
        if (producer != UINT32_MAX && place->state[producer] != GZ_LOD_GROUP_COLLAPSED)
            return false;
    }
    return true;
}

// What each group is. An open one whose members are there was looked at: nothing below opened it.
static void find_states(const asking *ask)
{
    gz_lod_place *place = ask->place;
    place->open_count = 0;
    place->looks = 0;
    memset(place->state, GZ_LOD_GROUP_COLLAPSED, place->group_count);
    memset(place->fit, NOT_SEEN, place->group_count);
    for (uint32_t i = 0; i < place->top_count; ++i)
        look_at(ask, place->tops[i]);
    for (uint32_t i = 0; i < place->open_count; ++i)
        look_around(ask, place->open[i]);
    for (uint32_t i = 0; i < place->open_count; ++i) {
        uint32_t group = place->open[i];
        if (place->fit[group] != NOT_SEEN && members_are_there(place, ask->model, group))
            place->state[group] = place->fit[group];
    }
}

static bool cluster_is_in(const graze_model *model, const uint8_t *state, uint32_t cluster)
{
    uint32_t producer = model->producers[cluster], consumer = model->consumers[cluster];
    return (producer == UINT32_MAX || state[producer] == GZ_LOD_GROUP_COLLAPSED) &&
           (consumer == UINT32_MAX || state[consumer] == GZ_LOD_GROUP_OPEN);
}

static bool group_is_in(const uint8_t *state, uint32_t group)
{
    return state[group] != GZ_LOD_GROUP_OPEN && state[group] != GZ_LOD_GROUP_COLLAPSED;
}

static bool add_part(graze_context *context, gz_lod_part_list *list, gz_lod_part part)
{
    gz_lod_part *to = gz_list_push(context, list, 1);
    if (to != NULL)
        *to = part;
    return to != NULL;
}

static bool add_cluster(gz_lod_place *place, const graze_model *model, uint32_t cluster)
{
    bool was = cluster_is_in(model, place->before, cluster);
    bool is = cluster_is_in(model, place->state, cluster);
    return was == is || add_part(place->context, is ? &place->come : &place->gone,
                                 gz_lod_part_cluster(model, cluster));
}

static bool add_group(gz_lod_place *place, const graze_model *model, uint32_t group)
{
    bool room = true;
    if (group_is_in(place->before, group))
        room = add_part(place->context, &place->gone,
                        gz_lod_part_group(model, group, place->before[group] - 1u));
    if (room && group_is_in(place->state, group))
        room = add_part(place->context, &place->come,
                        gz_lod_part_group(model, group, place->state[group] - 1u));
    return room;
}

// What a group that changed takes out of the cut and brings into it. A cluster between two groups
// that did is for the one that it is a member of.
static bool list_changes(gz_lod_place *place, const graze_model *model, uint32_t group)
{
    const gz_group_entry *entry = &model->groups[group];
    bool room = add_group(place, model, group);
    for (uint32_t i = 0; i < entry->member_count && room; ++i)
        room = add_cluster(place, model, model->members[entry->first_member + i]);
    for (uint32_t i = 0; i < entry->cluster_count && room; ++i) {
        uint32_t cluster = entry->first_cluster + i, consumer = model->consumers[cluster];
        if (consumer == UINT32_MAX || place->state[consumer] == place->before[consumer])
            room = add_cluster(place, model, cluster);
    }
    return room;
}

static bool follow(gz_lod_place *place, const graze_model *model)
{
    bool room = true;
    place->gone.count = place->come.count = 0;
    for (uint32_t g = 0; g < place->group_count && room; ++g)
        if (place->state[g] != place->before[g])
            room = list_changes(place, model, g);
    if (room && place->gone.count + place->come.count != 0)
        room = gz_lod_cut_change(place->cut, &place->gone, &place->come);
    return room;
}

// The first cut has everything to come.
static bool make(gz_lod_place *place, graze_model *model)
{
    uint32_t all = model->header.cluster_count + model->header.coarse_count;
    bool room = true;
    place->gone.count = place->come.count = 0;
    place->cut = gz_lod_cut_make(model, NAN);
    for (uint32_t c = 0; c < all && room; ++c)
        if (cluster_is_in(model, place->state, c))
            room = add_part(place->context, &place->come, gz_lod_part_cluster(model, c));
    for (uint32_t g = 0; g < place->group_count && room; ++g)
        if (group_is_in(place->state, g))
            room = add_part(place->context, &place->come,
                            gz_lod_part_group(model, g, place->state[g] - 1u));
    return room && place->cut != NULL && gz_lod_cut_change(place->cut, &place->gone, &place->come);
}

bool gz_lod_place_cut(gz_lod_place *place, graze_model *model, bool with_steps, gz_lod_share *share,
                      void *user)
{
    bool room = begin(place, model);
    if (room) {
        find_states(&(asking){place, model, with_steps, share, user});
        room = place->cut != NULL ? follow(place, model) : make(place, model);
    }
    if (room) {
        memcpy(place->before, place->state, place->group_count);
        return true;
    }
    gz_fail(model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a level of detail",
            model->path);
    gz_lod_place_free(place);
    return false;
}

// Whether what a step asks for is within a part of the share of its group.
static bool fits_part(const gz_lod_place *place, uint32_t group, uint32_t step, double part)
{
    const gz_group_entry *entry = &place->cut->model->groups[group];
    return place->fit[group] != NOT_SEEN &&
           gz_lod_error(&entry->steps[step]) <= part * place->share[group];
}

uint32_t gz_lod_place_next(const gz_lod_place *place, uint32_t part, gz_page_key keys[2])
{
    graze_model *model = place->cut->model;
    const gz_lod_part *p = &place->cut->parts[part];
    uint32_t coarser = p->group, coarser_step = p->step + 1, finer = p->group, count = 0;
    uint32_t finer_step = p->step - 1; // UINT32_MAX: its members
    if (p->cluster != UINT32_MAX) {
        coarser = model->consumers[p->cluster];
        coarser_step = 0;
        finer = model->producers[p->cluster];
        finer_step = finer != UINT32_MAX ? model->groups[finer].step_count - 2 : UINT32_MAX;
    }
    // The last step of a group is clusters.
    if (coarser != UINT32_MAX && coarser_step + 1 < model->groups[coarser].step_count &&
        members_are_there(place, model, coarser) && fits_part(place, coarser, coarser_step, 1.1))
        keys[count++] = gz_group_key(model, coarser, coarser_step);
    if (finer != UINT32_MAX && finer_step != UINT32_MAX && place->fit[finer] != NOT_SEEN &&
        !fits_part(place, finer, finer_step + 1, 0.9))
        keys[count++] = gz_group_key(model, finer, finer_step);
    return count;
}

void gz_lod_place_free(gz_lod_place *place)
{
    graze_context *context = place->context;
    if (context == NULL)
        return;
    uint32_t count = place->group_count + 1;
    GZ_FREE_ARRAY(context, place->tops, count);
    GZ_FREE_ARRAY(context, place->open, count);
    GZ_FREE_ARRAY(context, place->fit, count);
    GZ_FREE_ARRAY(context, place->share, count);
    GZ_FREE_ARRAY(context, place->state, count);
    GZ_FREE_ARRAY(context, place->before, count);
    gz_list_free(context, &place->gone);
    gz_list_free(context, &place->come);
    gz_lod_cut_free(context, place->cut);
    *place = (gz_lod_place){0};
}
