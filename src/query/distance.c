// How far apart are two shapes? See graze/query.h.
//
// First: do they share a point? If so, the distance is nothing, and the pair is the first of all
// that do. If not, the search in boxtree/tree_distance.c finds the closest ones.
#include <math.h>

#include "base/context.h"
#include "base/def.h"
#include "geometry/fpu.h"
#include "geometry/rounding.h"
#include "geometry/triangle.h"
#include "query/budget.h"
#include "query/lod_collide.h"
#include "query/query_scratch.h"
#include "query/tree_pins.h"

typedef struct question {
    graze_query *query;
    graze_posed a, b;
    const graze_distance_def *def;
    gz_tree_pins pins;
} question;

static graze_status check(question *q)
{
    const char *who = "graze_query_distance";
    if (!(q->def->limit >= 0))
        return gz_fail(q->query->context, GRAZE_ERROR_ARGUMENT,
                       "%s: a limit is a length, and not negative", who);
    graze_status status = gz_question_limits(q->query, who, q->def->error, q->def->time_limit);
    return status == GRAZE_OK ? gz_question_check(q->query, who, &q->a, &q->b) : status;
}

static void add_counters(graze_counters *sum, const gz_pair_counters *c)
{
    graze_counters more = gz_question_counters(c);
    gz_counters_add(sum, &more);
}

// What may still be done after some work has been.
static uint64_t work_left(const question *q, const graze_distance *out)
{
    if (q->def->work_limit == 0)
        return UINT64_MAX;
    return q->def->work_limit > out->counters.work ? q->def->work_limit - out->counters.work : 1;
}

static graze_status ask_pairs(const question *q, uint64_t pair_limit, graze_distance *out)
{
    gz_pair_wish wish = gz_pair_wish_all(q->pins.tree[0], q->a.pose, q->pins.tree[1], q->b.pose);
    wish.pair_limit = pair_limit;
    wish.placed = true;
    wish.work_limit = work_left(q, out);
    graze_status status = gz_pair_query_run(&q->query->pairs, &wish);
    add_counters(&out->counters, &q->query->pairs.counters);
    return status;
}

// The first of the pairs that share a point, and where.
static void take_first(const gz_pair_query *found, graze_distance *out)
{
    const graze_pair *pairs = found->pairs.items;
    uint64_t first = 0;
    for (uint64_t i = 1; i < found->pairs.count; ++i)
        if (gz_pair_before(pairs[i], pairs[first]))
            first = i;
    gz_pair_place place = ((const gz_pair_place *)found->places.items)[first];
    graze_triangle a, b;
    graze_closest closest;
    gz_frames_triangles(&found->frames, place.leaf_a, place.slot_a, place.leaf_b, place.slot_b, &a,
                        &b);
    gz_triangle_closest(&a, &b, &closest);
    out->pair = pairs[first];
    for (int axis = 0; axis < 3; ++axis) {
        out->point_a[axis] = closest.point_a[axis];
        out->point_b[axis] = closest.point_b[axis];
    }
}

static graze_status search(const question *q, graze_distance *out)
{
    gz_distance_query *search = &q->query->distance;
    search->limit = q->def->limit;
    search->work_limit = work_left(q, out);
    graze_status status =
        gz_distance_query_run(search, q->pins.tree[0], q->a.pose, q->pins.tree[1], q->b.pose, out);
    add_counters(&out->counters, &search->counters);
    return status;
}

// The closest of all pairs, where some of the trees may be missing. The closest of what is there is
// not closer than the closest of all; what may be as close as that is built, and then it is found.
static graze_status search_lazily(question *q, graze_distance *out)
{
    graze_status status = gz_pin_some(&q->pins, q->a, q->b);
    if (status == GRAZE_OK)
        status = search(q, out);
    if (status != GRAZE_OK || gz_pin_is_whole(&q->pins))
        return status;
    uint64_t serials[2] = {q->pins.tree[0]->serial, q->pins.tree[1]->serial};
    double reach = fmin(q->def->limit, gz_step_up64(out->distance));
    status = gz_pin_near(&q->pins, q->a, q->b, reach);
    if (status == GRAZE_OK &&
        (serials[0] != q->pins.tree[0]->serial || serials[1] != q->pins.tree[1]->serial))
        status = search(q, out);
    return status;
}

static graze_status answer(question *q, graze_distance *out)
{
    const gz_pair_query *found = &q->query->pairs;
    graze_status status = ask_pairs(q, 1, out);
    if (status != GRAZE_OK)
        return status;
    if (found->counters.contacts == 0 && found->stopped) { // by the work limit
        *out = (graze_distance){.distance = HUGE_VAL, .counters = out->counters};
        return GRAZE_OK;
    }
    if (found->counters.contacts == 0)
        return search_lazily(q, out);
    if (!q->def->value_only) {
        status = ask_pairs(q, UINT64_MAX, out);
        if (status != GRAZE_OK)
            return status;
    }
    out->distance = out->least = 0;
    out->verdict = found->counters.contacts != 0 && (q->def->value_only || !found->stopped)
                       ? GRAZE_CONTACT
                       : GRAZE_UNDECIDED;
    if (found->pairs.count != 0)
        take_first(found, out);
    return GRAZE_OK;
}

// All that may touch. With a limit of work nobody knows where the search will be cut short, and
// what it can say of the rest; so then there is nothing missing.
static graze_status pin_first(question *q)
{
    const gz_tree *unused;
    graze_status status = GRAZE_OK;
    if (q->def->work_limit != 0)
        status = q->a.shape->kind->whole(q->a.shape, &unused);
    if (q->def->work_limit != 0 && status == GRAZE_OK)
        status = q->b.shape->kind->whole(q->b.shape, &unused);
    if (status == GRAZE_OK)
        status = gz_pin_near(&q->pins, q->a, q->b, 0);
    return status;
}

graze_status graze_query_distance(graze_query *query, graze_posed a, graze_posed b,
                                  const graze_distance_def *given, graze_distance *out)
{
    const char *who = "graze_query_distance";
    if (query == NULL || out == NULL)
        return gz_fail_null(query == NULL ? NULL : query->context, who);
    *out = (graze_distance){0};
    graze_distance_def room = graze_distance_def_default();
    question q = {.query = query, .a = a, .b = b};
    q.def = gz_def_known(query->context, who, given, &room, sizeof room);
    graze_status status = q.def == NULL ? GRAZE_ERROR_ARGUMENT : check(&q);
    if (status != GRAZE_OK)
        return status;
    if (gz_shape_triangle_count(a.shape) == 0 || gz_shape_triangle_count(b.shape) == 0) {
        *out =
            (graze_distance){.verdict = GRAZE_APART, .distance = HUGE_VAL, .least = q.def->limit};
        return GRAZE_OK;
    }
    if (q.def->time_limit > 0)
        return gz_budget_distance(query, q.a, q.b, q.def, out);
    if (gz_lod_is_asked(q.a, q.b, &(gz_lod_error_def){.error = q.def->error}))
        return gz_lod_distance(query, q.a, q.b, q.def, out);
    if (gz_shape_is_paged(a.shape) || gz_shape_is_paged(b.shape))
        return gz_parts_distance(query, q.a, q.b, q.def, out);
    status = pin_first(&q);
    if (status == GRAZE_OK) {
        gz_fpu_state state = gz_fpu_enter();
        status = answer(&q, out);
        gz_fpu_leave(state);
    }
    gz_pin_end(&q.pins);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(query->context, status, "graze_query_distance: out of memory");
    return status;
}
