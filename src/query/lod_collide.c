// Which leaves of two LOD cuts are in contact? See lod_collide.h.
//
// LodCollide of "Fast Collision Detection between Massive Models using Dynamic Simplification"
// (Yoon, Salomon, Lin and Manocha, 2004), with bounds that hold: the cuts are asked for what is
// within the tolerance and the forward bounds of both leaves. docs/guarantees.md has the proof.
#include "query/lod_collide.h"

#include <float.h>
#include <math.h>

#include "base/context.h"

static int compare_numbers(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; ++i)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_sums(const gz_model_header *a, const gz_model_header *b)
{
    if (a->own != b->own)
        return a->own < b->own ? -1 : 1;
    return a->list_sum < b->list_sum ? -1 : a->list_sum > b->list_sum;
}

// An order of posed shapes by what they are: which comes first does not depend on who is asked.
static int compare_sides(graze_posed posed_a, graze_posed posed_b)
{
    const graze_shape *a = posed_a.shape, *b = posed_b.shape;
    const graze_box *box_a = &a->tree.box, *box_b = &b->tree.box;
    if (a->tree.triangle_count != b->tree.triangle_count)
        return a->tree.triangle_count > b->tree.triangle_count ? -1 : 1;
    if (gz_shape_is_paged(a) != gz_shape_is_paged(b))
        return gz_shape_is_paged(a) ? -1 : 1;
    int order = compare_numbers(box_a->min, box_b->min, 3);
    if (order == 0)
        order = compare_numbers(box_a->max, box_b->max, 3);
    if (order == 0)
        order = compare_numbers(posed_a.pose->translation, posed_b.pose->translation, 3);
    if (order == 0)
        order = compare_numbers(posed_a.pose->rotation, posed_b.pose->rotation, 9);
    if (order == 0 && gz_shape_is_paged(a)) // its checksums tell models apart that look alike
        order = compare_sums(&a->model->header, &b->model->header);
    return order;
}

// The share of an error at a group: that of its box in the world.
typedef struct share_at {
    const gz_lod_error_def *error;
    const graze_pose *pose;
    bool both; // sides take half of it each
} share_at;

// The box of a group, in the world. What has no end is as large as numbers are.
static graze_box box_of(const graze_model *model, uint32_t group, const graze_pose *pose)
{
    const gz_group_box *box = &model->groups[group].box;
    double center[3], middle[3];
    graze_box out;
    for (int axis = 0; axis < 3; ++axis)
        center[axis] = (double)box->center[axis] + model->origin[axis];
    graze_pose_apply(pose, center, middle);
    for (int axis = 0; axis < 3; ++axis) {
        double half = 0;
        for (int i = 0; i < 3; ++i)
            half += fabs(pose->rotation[3 * axis] * (double)box->axis[i][0] +
                         pose->rotation[3 * axis + 1] * (double)box->axis[i][1] +
                         pose->rotation[3 * axis + 2] * (double)box->axis[i][2]) *
                    (double)box->half[i];
        half = half * (1 + 1e-9) + 1e-12 * fabs(middle[axis]);
        bool finite = half < DBL_MAX;
        out.min[axis] = finite ? middle[axis] - half : -DBL_MAX;
        out.max[axis] = finite ? middle[axis] + half : DBL_MAX;
    }
    return out;
}

// What is no error, not even 0, is none.
static double share_of(void *user, const graze_model *model, uint32_t group)
{
    const share_at *at = user;
    graze_box box = box_of(model, group, at->pose);
    double error = at->error->function(at->error->user, &box);
    if (at->error->error > 0)
        error = fmin(error, at->error->error);
    return error > 0 ? (at->both ? error / 2 : error) : -1;
}

static gz_lod_cut *take_cut(graze_query *query, int side, const graze_model *model,
                            const share_at *at)
{
    graze_model *of = (graze_model *)(uintptr_t)model; // its cuts are kept with it
    if (at->error->function == NULL)
        return gz_lod_cut_take(of, at->both ? at->error->error / 2 : at->error->error);
    gz_lod_place *place = &query->places[side];
    // In time, groups at a step are not there.
    bool with_steps = query->budget == NULL && !at->error->no_steps;
    return gz_lod_place_cut(place, of, with_steps, share_of, (void *)(uintptr_t)at) ? place->cut
                                                                                    : NULL;
}

// Which parts a cut has does not depend on the cache, so one that is too small is a failure.
static graze_status check_cache(const gz_lod_cut *cut)
{
    const gz_cache *cache = cut->model->cache;
    if (cut->group_count == 0 || gz_cache_takes_groups(cache))
        return GRAZE_OK;
    return gz_fail(cut->model->context, GRAZE_ERROR_MEMORY,
                   "%s: a cache of %llu bytes is too small for groups of clusters at steps; they "
                   "take 14 MiB, and no_steps asks without",
                   cut->model->path, (unsigned long long)gz_cache_limit(cache));
}

graze_status gz_lod_sides_set(graze_query *query, graze_posed a, graze_posed b,
                              const gz_lod_error_def *error, double tolerance, gz_lod_sides *sides)
{
    bool swapped = compare_sides(a, b) > 0;
    *sides = (gz_lod_sides){
        .question = {.error = error->error, .tolerance = tolerance, .swapped = swapped},
        .posed = {swapped ? b : a, swapped ? a : b},
        .by_place = error->function != NULL};
    bool both = gz_shape_is_paged(a.shape) && gz_shape_is_paged(b.shape);
    for (int i = 0; i < 2; ++i) {
        const graze_shape *shape = sides->posed[i].shape;
        if (!gz_shape_is_paged(shape))
            continue;
        share_at at = {.error = error, .pose = sides->posed[i].pose, .both = both};
        sides->cut[i] = take_cut(query, i, shape->model, &at);
        if (sides->cut[i] == NULL)
            return GRAZE_ERROR_MEMORY;
        graze_status status = check_cache(sides->cut[i]);
        if (status != GRAZE_OK)
            return status;
        sides->question.cut[i] = sides->cut[i];
        gz_cut_shape_set(shape, sides->cut[i], &sides->shape[i]);
        sides->posed[i].shape = &sides->shape[i];
        sides->question.reached += sides->cut[i]->error;
    }
    if (sides->by_place) // what boxes alone say is then for what was reached
        sides->question.error = sides->question.reached;
    gz_lod_question_set(&sides->question, sides->posed);
    return GRAZE_OK;
}

void gz_lod_sides_end(gz_lod_sides *sides)
{
    if (sides->by_place)
        return;
    gz_lod_cut_give(sides->cut[0]);
    gz_lod_cut_give(sides->cut[1]);
}

graze_status gz_lod_collide(graze_query *query, graze_posed a, graze_posed b,
                            const graze_collide_def *def, graze_answer *answer)
{
    gz_lod_sides sides;
    const gz_lod_error_def error = {.error = def->error,
                                    .function = def->error_function,
                                    .user = def->error_user,
                                    .no_steps = def->no_steps != 0};
    graze_status status = gz_lod_sides_set(query, a, b, &error, def->tolerance, &sides);
    if (status == GRAZE_OK)
        status = gz_parts_collide_lod(query, sides.posed[0], sides.posed[1], def, &sides.question,
                                      answer);
    if (status == GRAZE_OK) {
        bool swapped = sides.question.swapped;
        answer->error = sides.by_place ? sides.question.reached : def->error;
        answer->cut_a = gz_shape_triangle_count(sides.posed[swapped ? 1 : 0].shape);
        answer->cut_b = gz_shape_triangle_count(sides.posed[swapped ? 0 : 1].shape);
    }
    gz_lod_sides_end(&sides);
    return status;
}
