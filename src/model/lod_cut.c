// Works out LOD cuts, and keeps the last few of a model. See lod_cut.h.
#include "model/lod_cut.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "geometry/rounding.h"
#include "model/morton.h"

typedef GZ_LIST(gz_lod_part) part_list;

// A part on the curve through space: all bytes count, so the order is one and the same.
typedef struct curve_record {
    uint8_t place[8], part[4]; // big-endian
} curve_record;
_Static_assert(sizeof(curve_record) == 12, "no gaps");

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

// Which groups are collapsed: by a share that is the same for all, or by a byte each.
typedef struct sieve {
    double share;
    const uint8_t *collapsed; // NULL: by the share
} sieve;

static bool is_collapsed(const graze_model *model, uint32_t group, const sieve *by)
{
    if (group == UINT32_MAX)
        return false;
    return by->collapsed != NULL ? by->collapsed[group] != 0
                                 : gz_lod_error(last_step(model, group)) <= by->share;
}

static bool list_parts(gz_lod_cut *cut, const sieve *by, part_list *list)
{
    const graze_model *model = cut->model;
    uint32_t all = model->header.cluster_count + model->header.coarse_count;
    cut->least_backward = HUGE_VALF;
    for (uint32_t c = 0; c < all; ++c) {
        uint32_t producer = model->producers[c];
        bool there = producer == UINT32_MAX || is_collapsed(model, producer, by);
        if (!there || is_collapsed(model, model->consumers[c], by))
            continue;
        gz_lod_part part = {.cluster = c};
        if (producer != UINT32_MAX) {
            const gz_group_step *step = last_step(model, producer);
            part.forward = gz_lod_bound(step->forward);
            part.backward = step->backward;
            cut->error = fmax(cut->error, gz_lod_error(step));
        }
        cut->least_backward = fminf(cut->least_backward, part.backward);
        gz_lod_part *to = gz_list_push(model->context, list, 1);
        if (to == NULL)
            return false;
        *to = part;
    }
    return true;
}

static uint64_t place_of(const gz_lod_cut *cut, const gz_cluster_entry *entry)
{
    const graze_box *whole = &cut->model->boxes.whole;
    const double *origin = cut->model->origin;
    double middle[3], size = 0;
    for (int axis = 0; axis < 3; ++axis)
        size = fmax(size, whole->max[axis] - whole->min[axis]);
    for (int axis = 0; axis < 3; ++axis) {
        double at = 0.5 * (double)entry->low[axis] + 0.5 * (double)entry->high[axis];
        middle[axis] = (at + (origin[axis] - whole->min[axis])) / size;
    }
    return gz_morton_place(middle);
}

// Parts in the order of a curve through space, and the numbers of their triangles.
static bool order_parts(gz_lod_cut *cut, const part_list *list)
{
    graze_context *context = cut->model->context;
    const gz_lod_part *from = list->items;
    uint32_t count = cut->part_count;
    if (count == 0)
        return true;
    curve_record *records = GZ_NEW_ARRAY(context, curve_record, count);
    cut->parts = GZ_NEW_ARRAY(context, gz_lod_part, count);
    if (records == NULL || cut->parts == NULL) {
        GZ_FREE_ARRAY(context, records, count);
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        gz_put_number(records[i].place, place_of(cut, &cut->model->clusters[from[i].cluster]), 8);
        gz_put_number(records[i].part, i, 4);
    }
    gz_sort_records(NULL, records, count, sizeof *records, 0, (gz_arena){0});
    for (uint32_t i = 0; i < count; ++i) {
        gz_lod_part *part = &cut->parts[i];
        *part = from[gz_get_number(records[i].part, 4)];
        part->first = (uint32_t)cut->triangle_count;
        cut->triangle_count += cut->model->clusters[part->cluster].triangle_count;
    }
    GZ_FREE_ARRAY(context, records, count);
    return true;
}

static bool make_boxes(gz_lod_cut *cut)
{
    const graze_model *model = cut->model;
    graze_box whole = model->boxes.whole;
    for (int axis = 0; axis < 3; ++axis) { // clusters of coarser levels are within its error of it
        whole.min[axis] = fmax(gz_step_down64(whole.min[axis] - 2 * cut->error), -DBL_MAX);
        whole.max[axis] = fmin(gz_step_up64(whole.max[axis] + 2 * cut->error), DBL_MAX);
    }
    if (!gz_part_boxes_make(model->context, model->origin, &whole, cut->part_count, &cut->boxes))
        return false;
    for (uint32_t i = 0; i < cut->part_count; ++i) {
        const gz_cluster_entry *entry = &model->clusters[cut->parts[i].cluster];
        double by = (double)cut->parts[i].forward;
        float low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = gz_round_down((double)entry->low[axis] - by);
            high[axis] = gz_round_up((double)entry->high[axis] + by);
        }
        gz_part_boxes_set(&cut->boxes, i, low, high);
    }
    gz_part_boxes_join(&cut->boxes);
    return true;
}

// The model may be gone.
static void free_cut(graze_context *context, gz_lod_cut *cut)
{
    GZ_FREE_ARRAY(context, cut->parts, cut->part_count);
    gz_part_boxes_free(context, &cut->boxes);
    gz_release(context, cut, sizeof *cut);
}

static gz_lod_cut *make_cut(graze_model *model, const sieve *by)
{
    graze_context *context = model->context;
    gz_lod_cut *cut = gz_allocate(context, sizeof *cut);
    if (cut == NULL)
        return NULL;
    *cut = (gz_lod_cut){.model = model, .share = by->share};
    part_list list = {0};
    bool made = list_parts(cut, by, &list);
    cut->part_count = (uint32_t)list.count;
    made = made && order_parts(cut, &list) && make_boxes(cut);
    gz_list_free(context, &list);
    if (made)
        return cut;
    free_cut(context, cut);
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
        free_cut((*oldest)->model->context, *oldest);
        *oldest = NULL;
    }
    return oldest;
}

// Making one with the lock held keeps others from making the same.
gz_lod_cut *gz_lod_cut_take(graze_model *model, double share)
{
    gz_lod_cuts *cuts = model->cuts;
    gz_lod_cut *cut = NULL;
    pthread_mutex_lock(&cuts->lock);
    for (int i = 0; i < GZ_LOD_CUTS_KEPT && cut == NULL; ++i)
        if (cuts->kept[i] != NULL && cuts->kept[i]->share == share)
            cut = cuts->kept[i];
    if (cut == NULL) {
        cut = make_cut(model, &(sieve){.share = share});
        gz_lod_cut **place = cut == NULL ? NULL : find_place(cuts);
        if (place != NULL)
            *place = cut;
    }
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
        free_cut(cut->model->context, cut);
    pthread_mutex_unlock(&cuts->lock);
}

static bool place_begin(gz_lod_place *place, graze_model *model)
{
    graze_context *context = model->context;
    uint32_t count = model->header.group_count;
    if (place->serial == model->serial)
        return true;
    gz_lod_place_free(place);
    *place = (gz_lod_place){.context = context, .serial = model->serial, .group_count = count};
    place->collapsed = GZ_NEW_ARRAY(context, uint8_t, count + 1);
    place->before = GZ_NEW_ARRAY(context, uint8_t, count + 1);
    return place->collapsed != NULL && place->before != NULL;
}

static bool all_collapsed(const graze_model *model, uint32_t group, const uint8_t *collapsed)
{
    const gz_group_entry *entry = &model->groups[group];
    for (uint32_t i = 0; i < entry->member_count; ++i) {
        uint32_t producer = model->producers[model->members[entry->first_member + i]];
        if (producer != UINT32_MAX && collapsed[producer] == 0)
            return false;
    }
    return true;
}

// Groups stand in the file in the order of levels, so what a group is made from comes before it.
bool gz_lod_place_cut(gz_lod_place *place, graze_model *model, gz_lod_share *share, void *user)
{
    bool made = place_begin(place, model);
    for (uint32_t g = 0; made && g < place->group_count; ++g)
        place->collapsed[g] = all_collapsed(model, g, place->collapsed) &&
                              gz_lod_error(last_step(model, g)) <= share(user, model, g);
    if (made && place->cut != NULL &&
        memcmp(place->collapsed, place->before, place->group_count) == 0)
        return true;
    if (place->cut != NULL)
        free_cut(place->context, place->cut);
    place->cut =
        made ? make_cut(model, &(sieve){.share = NAN, .collapsed = place->collapsed}) : NULL;
    if (place->cut == NULL) {
        gz_fail(model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a level of detail",
                model->path);
        gz_lod_place_free(place);
        return false;
    }
    memcpy(place->before, place->collapsed, place->group_count);
    return true;
}

void gz_lod_place_free(gz_lod_place *place)
{
    graze_context *context = place->context;
    if (context == NULL)
        return;
    GZ_FREE_ARRAY(context, place->collapsed, place->group_count + 1);
    GZ_FREE_ARRAY(context, place->before, place->group_count + 1);
    if (place->cut != NULL)
        free_cut(context, place->cut);
    *place = (gz_lod_place){0};
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
            free_cut(model->context, model->cuts->kept[i]);
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
