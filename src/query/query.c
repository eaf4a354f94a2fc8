// Queries come and go; and what every question is checked for. See graze/query.h.
#include "query/query_scratch.h"

#include <math.h>

#include "base/context.h"
#include "geometry/pose.h"
#include "query/budget.h"
#include "query/contacts.h"

graze_status graze_query_create(graze_context *context, graze_query **query)
{
    if (query != NULL)
        *query = NULL;
    if (context == NULL || query == NULL)
        return gz_fail_null(context, "graze_query_create");
    graze_query *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "graze_query_create: out of memory");
    *made = (graze_query){.context = context};
    gz_pair_query_init(&made->pairs, context);
    gz_distance_query_init(&made->distance, context);
    *query = made;
    return GRAZE_OK;
}

void graze_query_free(graze_query *query)
{
    if (query == NULL)
        return;
    graze_context *context = query->context;
    gz_query_free_workers(query);
    gz_pair_query_free(&query->pairs);
    gz_distance_query_free(&query->distance);
    gz_list_free(context, &query->sorted);
    gz_contacts_free(query);
    gz_penetration_free(query);
    gz_budget_free(query);
    gz_lod_place_free(&query->places[0]);
    gz_lod_place_free(&query->places[1]);
    gz_parts_free(query);
    gz_parts_distance_free(query);
    gz_details_free(query);
    gz_release(context, query, sizeof *query);
}

static bool might_overflow(const graze_shape *shape, const graze_pose *pose)
{
    const gz_tree *tree = &shape->tree;
    return tree->triangle_count != 0 && gz_pose_might_overflow(pose, tree->box.min, tree->box.max);
}

static const graze_pose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

graze_status gz_question_check(const graze_query *query, const char *who, graze_posed *a,
                               graze_posed *b)
{
    graze_context *context = query->context;
    if (a->shape == NULL || b->shape == NULL)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: a shape is NULL", who);
    if ((gz_shape_is_paged(a->shape) && a->shape->context != context) ||
        (gz_shape_is_paged(b->shape) && b->shape->context != context))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: a model is asked by queries of its own context", who);
    a->pose = a->pose == NULL ? &still : a->pose;
    b->pose = b->pose == NULL ? &still : b->pose;
    if (!gz_pose_sound(a->pose) || !gz_pose_sound(b->pose))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: a pose is not a rotation and a translation", who);
    if (might_overflow(a->shape, a->pose) || might_overflow(b->shape, b->pose))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: posed coordinates might overflow", who);
    return GRAZE_OK;
}

graze_status gz_question_limits(const graze_query *query, const char *who, double error,
                                double time_limit)
{
    if (!(error >= 0 && error < HUGE_VAL && time_limit >= 0))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       "%s: an error or a time limit is negative or not finite", who);
    return GRAZE_OK;
}

graze_status graze_front_create(graze_context *context, graze_front **front)
{
    if (front != NULL)
        *front = NULL;
    if (context == NULL || front == NULL)
        return gz_fail_null(context, "graze_front_create");
    graze_front *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "graze_front_create: out of memory");
    *made = (graze_front){.context = context};
    *front = made;
    return GRAZE_OK;
}

void graze_front_free(graze_front *front)
{
    if (front == NULL)
        return;
    gz_front *fronts = front->fronts.items;
    for (uint64_t i = 0; i < front->fronts.count; ++i)
        gz_front_free(front->context, &fronts[i]);
    gz_list_free(front->context, &front->fronts);
    gz_part_fronts *parts = front->parts.items;
    for (uint64_t i = 0; i < front->parts.count; ++i)
        gz_part_fronts_free(front->context, &parts[i]);
    gz_list_free(front->context, &front->parts);
    gz_detail_front_end(front);
    gz_release(front->context, front, sizeof *front);
}

gz_front *gz_front_of(graze_front *front, uint32_t worker)
{
    while (front->fronts.count <= worker) {
        gz_front *made = gz_list_push(front->context, &front->fronts, 1);
        if (made == NULL) {
            gz_fail(front->context, GRAZE_ERROR_MEMORY, "out of memory for a front");
            return NULL;
        }
        *made = (gz_front){0};
    }
    return (gz_front *)front->fronts.items + worker;
}

gz_part_fronts *gz_part_fronts_of(graze_front *front, uint32_t worker)
{
    while (front->parts.count <= worker) {
        gz_part_fronts *made = gz_list_push(front->context, &front->parts, 1);
        if (made == NULL) {
            gz_fail(front->context, GRAZE_ERROR_MEMORY, "out of memory for a front");
            return NULL;
        }
        *made = (gz_part_fronts){0};
    }
    return (gz_part_fronts *)front->parts.items + worker;
}
