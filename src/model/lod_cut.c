// Works out LOD cuts, and keeps the last few of a model. See lod_cut.h.
#include "model/lod_cut.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "geometry/rounding.h"
#include "model/morton.h"

// A part on the curve through space: all bytes count, so the order is one and the same.
typedef struct curve_record {
    uint8_t place[8], id[4], index[4]; // big-endian
} curve_record;
_Static_assert(sizeof(curve_record) == 16, "no gaps");

float gz_lod_bound(float bound)
{
    uint32_t bits;
    memcpy(&bits, &bound, sizeof bits);
    bits = (bits + 0xffff) & 0xffff0000u;
    memcpy(&bound, &bits, sizeof bits);
    return bound;
}

double gz_lod_error(const gz_group_step *step)
{
    double sum = (double)gz_lod_bound(step->forward) + (double)step->backward;
    return sum > 0 ? gz_step_up64(sum) : sum;
}

static const gz_group_step *last_step(const graze_model *model, uint32_t group)
{
    return &model->groups[group].steps[model->groups[group].step_count - 1];
}

// The box of a part, from the model's origin. A group's steps only move vertices onto others, so it
// is where its members are.
static void box_of(const graze_model *model, const gz_lod_part *part, float low[3], float high[3])
{
    const gz_cluster_entry *clusters = model->clusters;
    const uint32_t *members = &part->cluster;
    uint32_t count = 1;
    if (part->cluster == UINT32_MAX) {
        members = model->members + model->groups[part->group].first_member;
        count = model->groups[part->group].member_count;
    }
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = clusters[members[0]].low[axis];
        high[axis] = clusters[members[0]].high[axis];
        for (uint32_t i = 1; i < count; ++i) {
            low[axis] = fminf(low[axis], clusters[members[i]].low[axis]);
            high[axis] = fmaxf(high[axis], clusters[members[i]].high[axis]);
        }
    }
}

static uint64_t place_of(const graze_model *model, const gz_lod_part *part)
{
    const graze_box *whole = &model->boxes.whole;
    float low[3], high[3];
    double middle[3], size = 0;
    box_of(model, part, low, high);
    for (int axis = 0; axis < 3; ++axis)
        size = fmax(size, whole->max[axis] - whole->min[axis]);
    for (int axis = 0; axis < 3; ++axis) {
        double at = 0.5 * (double)low[axis] + 0.5 * (double)high[axis];
        middle[axis] = (at + (model->origin[axis] - whole->min[axis])) / size;
    }
    return gz_morton_place(middle);
}

gz_lod_part gz_lod_part_cluster(const graze_model *model, uint32_t cluster)
{
    gz_lod_part part = {.cluster = cluster, .group = UINT32_MAX};
    uint32_t producer = model->producers[cluster];
    if (producer != UINT32_MAX) {
        part.forward = gz_lod_bound(last_step(model, producer)->forward);
        part.backward = last_step(model, producer)->backward;
    }
    part.place = place_of(model, &part);
    return part;
}

gz_lod_part gz_lod_part_group(const graze_model *model, uint32_t group, uint32_t step)
{
    GZ_ASSERT(step < model->groups[group].step_count);
    const gz_group_step *at = &model->groups[group].steps[step];
    gz_lod_part part = {.cluster = UINT32_MAX,
                        .group = group,
                        .step = step,
                        .forward = gz_lod_bound(at->forward),
                        .backward = at->backward};
    part.place = place_of(model, &part);
    return part;
}

// Of all parts there can be: clusters, then groups.
static uint32_t id_of(const graze_model *model, const gz_lod_part *part)
{
    if (part->cluster != UINT32_MAX)
        return part->cluster;
    return model->header.cluster_count + model->header.coarse_count + part->group;
}

// Whether a part is before another on the curve.
static bool is_before(const graze_model *model, const gz_lod_part *a, const gz_lod_part *b)
{
    return a->place != b->place ? a->place < b->place : id_of(model, a) < id_of(model, b);
}

static uint32_t triangles_of(const graze_model *model, const gz_lod_part *part)
{
    return part->cluster != UINT32_MAX
               ? model->clusters[part->cluster].triangle_count
               : model->groups[part->group].steps[part->step].triangle_count;
}

static double error_of(const gz_lod_part *part)
{
    double sum = (double)part->forward + (double)part->backward;
    return sum > 0 ? gz_step_up64(sum) : sum;
}

// Puts parts in the order of the curve.
static bool sort_parts(const graze_model *model, gz_lod_part_list *list)
{
    graze_context *context = model->context;
    uint64_t count = list->count;
    if (count < 2)
        return true;
    curve_record *records = GZ_NEW_ARRAY(context, curve_record, count);
    gz_lod_part *from = GZ_NEW_ARRAY(context, gz_lod_part, count), *parts = list->items;
    bool room = records != NULL && from != NULL;
    if (room) {
        memcpy(from, parts, (size_t)count * sizeof *from);
        for (uint64_t i = 0; i < count; ++i) {
            gz_put_number(records[i].place, from[i].place, 8);
            gz_put_number(records[i].id, id_of(model, &from[i]), 4);
            gz_put_number(records[i].index, i, 4);
        }
        gz_sort_records(NULL, records, count, sizeof *records, 0, (gz_arena){0});
        for (uint64_t i = 0; i < count; ++i)
            parts[i] = from[gz_get_number(records[i].index, 4)];
    }
    GZ_FREE_ARRAY(context, records, count);
    GZ_FREE_ARRAY(context, from, count);
    return room;
}

// Where parts of a cut are others than before: from the first of them to behind the last one.
typedef struct changed_range {
    uint32_t first, end;
} changed_range;

static void note_change(changed_range *changed, uint32_t at, uint32_t end)
{
    changed->first = at < changed->first ? at : changed->first;
    changed->end = end > changed->end ? end : changed->end;
}

// The parts of a cut without those that are gone and with those that come, all in the order of the
// curve.
static changed_range merge_parts(const gz_lod_cut *cut, const gz_lod_part_list *gone_list,
                                 const gz_lod_part_list *come_list, gz_lod_part *to)
{
    const graze_model *model = cut->model;
    const gz_lod_part *old = cut->parts, *gone = gone_list->items, *come = come_list->items;
    changed_range changed = {UINT32_MAX, 0};
    uint64_t old_count = old != NULL ? cut->part_count : 0, i = 0, gone_at = 0, come_at = 0;
    uint32_t at = 0;
    while (i < old_count || come_at < come_list->count) {
        bool left = i < old_count, more = come_at < come_list->count;
        if (left && gone_at < gone_list->count &&
            id_of(model, &old[i]) == id_of(model, &gone[gone_at])) {
            note_change(&changed, at, at);
            ++i;
            ++gone_at;
        } else if (left && (!more || is_before(model, &old[i], &come[come_at]))) {
            to[at++] = old[i++];
        } else {
            note_change(&changed, at, at + 1);
            to[at++] = come[come_at++];
        }
    }
    GZ_ASSERT(gone_at == gone_list->count);
    return changed;
}

// What is said of all parts together.
static void sum_up(gz_lod_cut *cut)
{
    const graze_model *model = cut->model;
    cut->triangle_count = cut->group_count = 0;
    cut->least_backward = HUGE_VALF;
    cut->error = 0;
    for (uint32_t i = 0; i < cut->part_count; ++i) {
        gz_lod_part *part = &cut->parts[i];
        part->first = (uint32_t)cut->triangle_count;
        cut->triangle_count += triangles_of(model, part);
        cut->group_count += part->cluster == UINT32_MAX;
        cut->least_backward = fminf(cut->least_backward, part->backward);
        cut->error = fmax(cut->error, error_of(part));
    }
}

// Boxes of some parts.
static void set_boxes(gz_lod_cut *cut, changed_range range)
{
    for (uint32_t i = range.first; i < range.end; ++i) {
        double by = (double)cut->parts[i].forward;
        float low[3], high[3];
        box_of(cut->model, &cut->parts[i], low, high);
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = gz_round_down((double)low[axis] - by);
            high[axis] = gz_round_up((double)high[axis] + by);
        }
        gz_part_boxes_set(&cut->boxes, i, low, high);
    }
    gz_part_boxes_join(&cut->boxes, range.first, range.end);
}

static graze_box whole_of(const gz_lod_cut *cut)
{
    graze_box whole = cut->model->boxes.whole;
    for (int axis = 0; axis < 3; ++axis) { // clusters of coarser levels are within its error of it
        whole.min[axis] = fmax(gz_step_down64(whole.min[axis] - 2 * cut->error), -DBL_MAX);
        whole.max[axis] = fmin(gz_step_up64(whole.max[axis] + 2 * cut->error), DBL_MAX);
    }
    return whole;
}

bool gz_lod_cut_change(gz_lod_cut *cut, gz_lod_part_list *gone, gz_lod_part_list *come)
{
    const graze_model *model = cut->model;
    graze_context *context = model->context;
    uint32_t count = (uint32_t)(cut->part_count - gone->count + come->count);
    gz_lod_part *parts = GZ_NEW_ARRAY(context, gz_lod_part, count);
    gz_part_boxes boxes = {0};
    bool moved = count != cut->part_count || cut->boxes.block_count == 0;
    bool room = (parts != NULL || count == 0) && sort_parts(model, gone) && sort_parts(model, come);
    if (room && moved)
        room = gz_part_boxes_make(context, model->origin, &model->boxes.whole, count, &boxes);
    if (!room) {
        GZ_FREE_ARRAY(context, parts, count);
        return false;
    }
    changed_range changed = merge_parts(cut, gone, come, parts);
    GZ_FREE_ARRAY(context, cut->parts, cut->part_count);
    cut->parts = parts;
    cut->part_count = count;
    sum_up(cut);
    if (moved) { // boxes stand eight by eight, so that all behind the first one change
        changed.first = gz_part_boxes_copy(&boxes, &cut->boxes, changed.first);
        changed.end = count;
        gz_part_boxes_free(context, &cut->boxes);
        cut->boxes = boxes;
    }
    cut->boxes.whole = whole_of(cut);
    if (changed.first < changed.end)
        set_boxes(cut, changed);
    return true;
}

void gz_lod_cut_free(graze_context *context, gz_lod_cut *cut)
{
    if (cut == NULL)
        return;
    GZ_FREE_ARRAY(context, cut->parts, cut->part_count);
    gz_part_boxes_free(context, &cut->boxes);
    gz_release(context, cut, sizeof *cut);
}

gz_lod_cut *gz_lod_cut_make(graze_model *model, double share)
{
    gz_lod_cut *cut = gz_allocate(model->context, sizeof *cut);
    if (cut != NULL)
        *cut = (gz_lod_cut){.model = model, .share = share};
    return cut;
}

static bool is_collapsed(const graze_model *model, uint32_t group, double share)
{
    return group != UINT32_MAX && gz_lod_error(last_step(model, group)) <= share;
}

// The cut at a share that is the same everywhere.
static gz_lod_cut *make_cut(graze_model *model, double share)
{
    graze_context *context = model->context;
    uint32_t all = model->header.cluster_count + model->header.coarse_count;
    gz_lod_part_list none = {0}, list = {0};
    gz_lod_cut *cut = gz_lod_cut_make(model, share);
    bool room = cut != NULL;
    for (uint32_t c = 0; c < all && room; ++c) {
        uint32_t producer = model->producers[c];
        bool there = producer == UINT32_MAX || is_collapsed(model, producer, share);
        if (!there || is_collapsed(model, model->consumers[c], share))
            continue;
        gz_lod_part *to = gz_list_push(context, &list, 1);
        room = to != NULL;
        if (room)
            *to = gz_lod_part_cluster(model, c);
    }
    room = room && gz_lod_cut_change(cut, &none, &list);
    gz_list_free(context, &list);
    if (room)
        return cut;
    gz_lod_cut_free(context, cut);
    return NULL;
}

// With the lock held: a place for a cut, that of the one that was not asked for the longest time.
// NULL: all are in use.
static gz_lod_cut **find_place(gz_lod_cuts *cuts)
{
    gz_lod_cut **oldest = NULL;
    for (int i = 0; i < GZ_LOD_CUTS_KEPT; ++i) {
        gz_lod_cut **at = &cuts->kept[i];
        if (*at == NULL)
            return at;
        if ((*at)->users == 0 && (oldest == NULL || (*at)->turn < (*oldest)->turn))
            oldest = at;
    }
    if (oldest != NULL) {
        gz_lod_cut_free((*oldest)->model->context, *oldest);
        *oldest = NULL;
    }
    return oldest;
}

// With the lock held: the cut at a share, if it is kept.
static gz_lod_cut *find_kept(const gz_lod_cuts *cuts, double share)
{
    for (int i = 0; i < GZ_LOD_CUTS_KEPT; ++i)
        if (cuts->kept[i] != NULL && cuts->kept[i]->share == share)
            return cuts->kept[i];
    return NULL;
}

// With the lock held, which is given up meanwhile, since others have little time. Who made the same
// in the meantime was first.
static gz_lod_cut *make_kept(graze_model *model, double share)
{
    gz_lod_cuts *cuts = model->cuts;
    pthread_mutex_unlock(&cuts->lock);
    gz_lod_cut *made = make_cut(model, share);
    pthread_mutex_lock(&cuts->lock);
    gz_lod_cut *cut = find_kept(cuts, share);
    if (cut != NULL && made != NULL)
        gz_lod_cut_free(model->context, made);
    if (cut != NULL || made == NULL)
        return cut;
    gz_lod_cut **place = find_place(cuts);
    if (place != NULL)
        *place = made;
    return made;
}

gz_lod_cut *gz_lod_cut_take(graze_model *model, double share)
{
    gz_lod_cuts *cuts = model->cuts;
    pthread_mutex_lock(&cuts->lock);
    gz_lod_cut *cut = find_kept(cuts, share);
    if (cut == NULL)
        cut = make_kept(model, share);
    if (cut != NULL) {
        cut->users++;
        cut->turn = ++cuts->turn;
    }
    pthread_mutex_unlock(&cuts->lock);
    if (cut == NULL)
        gz_fail(model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a level of detail",
                model->path);
    return cut;
}

void gz_lod_cut_give(gz_lod_cut *cut)
{
    if (cut == NULL)
        return;
    gz_lod_cuts *cuts = cut->model->cuts;
    bool kept = false;
    pthread_mutex_lock(&cuts->lock);
    cut->users--;
    for (int i = 0; i < GZ_LOD_CUTS_KEPT; ++i)
        kept |= cuts->kept[i] == cut;
    if (!kept && cut->users == 0)
        gz_lod_cut_free(cut->model->context, cut);
    pthread_mutex_unlock(&cuts->lock);
}

bool gz_lod_cuts_make(graze_model *model)
{
    model->cuts = gz_allocate(model->context, sizeof *model->cuts);
    if (model->cuts == NULL)
        return false;
    *model->cuts = (gz_lod_cuts){0};
    pthread_mutex_init(&model->cuts->lock, NULL);
    return true;
}

void gz_lod_cuts_free(graze_model *model)
{
    if (model->cuts == NULL)
        return;
    for (int i = 0; i < GZ_LOD_CUTS_KEPT; ++i) {
        GZ_ASSERT(model->cuts->kept[i] == NULL || model->cuts->kept[i]->users == 0);
        if (model->cuts->kept[i] != NULL)
            gz_lod_cut_free(model->context, model->cuts->kept[i]);
    }
    pthread_mutex_destroy(&model->cuts->lock);
    gz_release(model->context, model->cuts, sizeof *model->cuts);
    model->cuts = NULL;
}

uint64_t gz_lod_cuts_bytes(const graze_model *model)
{
    uint64_t sum = sizeof *model->cuts;
    pthread_mutex_lock(&model->cuts->lock);
    for (int i = 0; i < GZ_LOD_CUTS_KEPT; ++i) {
        const gz_lod_cut *cut = model->cuts->kept[i];
        if (cut != NULL)
            sum += sizeof *cut + cut->part_count * sizeof *cut->parts +
                   gz_part_boxes_bytes(&cut->boxes);
    }
    pthread_mutex_unlock(&model->cuts->lock);
    return sum;
}
