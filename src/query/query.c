// Queries come and go; and what every question is checked for. See graze/query.h.
#include "query/query_scratch.h"

#include <math.h>

#include "base/context.h"
#include "geometry/pose.h"
#include "query/contacts.h"

graze_status graze_query_create(graze_context *context, graze_query **query)
{
    if (query != NULL)
        *query = NULL;
    if (context == NULL || query == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_query *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "graze_query_create: out of memory");
    *made = (graze_query){.context = context};
    gz_pair_query_init(&made->pairs, context);
    made->pairs.front = &made->front;
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
    gz_front_free(context, &query->front);
    gz_distance_query_free(&query->distance);
    gz_list_free(context, &query->sorted);
    gz_contacts_free(query);
    gz_penetration_free(query);
    gz_paged_free(query);
    gz_paged_distance_free(query);
    gz_release(context, query, sizeof *query);
}

// A posed coordinate is at most the sum of three terms and the translation. NaN counts as too much.
static bool may_overflow(const graze_shape *shape, const graze_pose *pose)
{
    const graze_box *box = &shape->tree.box;
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = fabs(box->min[axis]), high = fabs(box->max[axis]);
        sum += (low > high ? low : high) + fabs(pose->translation[axis]);
    }
    return shape->tree.triangle_count != 0 && !(sum < 0x1.8p1022);
}

graze_status gz_question_check(const graze_query *query, const char *who, const graze_shape *a,
                               const graze_pose *pose_a, const graze_shape *b,
                               const graze_pose *pose_b)
{
    if (a == NULL || pose_a == NULL || b == NULL || pose_b == NULL)
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT, "%s: a shape or a pose is NULL", who);
    if ((a->model != NULL && a->context != query->context) ||
        (b->model != NULL && b->context != query->context))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       "%s: a model is asked by queries of its own context", who);
    if (!gz_pose_sound(pose_a) || !gz_pose_sound(pose_b))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       "%s: a pose is not a rotation and a translation", who);
    if (may_overflow(a, pose_a) || may_overflow(b, pose_b))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT, "%s: posed coordinates might overflow",
                       who);
    return GRAZE_OK;
}
