// How are two surfaces in contact, as coarsely as is allowed? See graze/contact_detail.h. Two
// details are walked in clod/; where one is missing, the question goes to the shapes.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/def.h"
#include "clod/detail_pairs.h"
#include "geometry/fpu.h"
#include "geometry/pose.h"
#include "query/query_scratch.h"

#define WHO "graze_query_detail"

void gz_details_free(graze_query *query)
{
    gz_detail_run_free(query->details);
    if (query->details != NULL)
        gz_release(query->context, query->details, sizeof *query->details);
    query->details = NULL;
}

void gz_detail_front_end(graze_front *front)
{
    gz_detail_front_free(front->context, front->details);
    if (front->details != NULL)
        gz_release(front->context, front->details, sizeof *front->details);
    front->details = NULL;
}

// --- What is asked

static const graze_pose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static bool may_overflow(const graze_contact_detail *detail, const graze_pose *pose)
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
        sum += fmax(fabs(detail->box.min[axis]), fabs(detail->box.max[axis])) +
               fabs(pose->translation[axis]);
    return !(sum < 0x1p300);
}

// A shape that is there has as many triangles as its detail; more is not known of it.
static graze_status check_side(const graze_query *query, graze_detailed *side)
{
    side->pose = side->pose == NULL ? &still : side->pose;
    if (side->shape == NULL && side->detail == NULL)
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       WHO ": a side has neither a shape nor a detail");
    if (side->shape != NULL && side->detail != NULL &&
        gz_shape_triangle_count(side->shape) != side->detail->triangle_count)
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       WHO ": a shape of %llu triangles has a detail of %u: they are not of one "
                           "mesh",
                       (unsigned long long)gz_shape_triangle_count(side->shape),
                       side->detail->triangle_count);
    if (!gz_pose_sound(side->pose))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       WHO ": a pose is not a rotation and a translation");
    if (side->detail != NULL && may_overflow(side->detail, side->pose))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       WHO ": posed coordinates might overflow");
    return GRAZE_OK;
}

static graze_status check(const graze_query *query, graze_detailed *a, graze_detailed *b,
                          const graze_detail_collide_def *def)
{
    if (!(def->tolerance >= 0 && def->tolerance < HUGE_VAL))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       WHO ": a tolerance is a finite length, and not negative");
    if (!(def->error_part >= 0 && def->error_part < HUGE_VAL))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       WHO ": an error is negative or not finite");
    graze_status status = gz_question_limits(query, WHO, def->error, def->time_limit);
    if (status == GRAZE_OK)
        status = check_side(query, a);
    return status == GRAZE_OK ? check_side(query, b) : status;
}

// The least of what is allowed everywhere; 0: exact, unless a function says how much.
static double error_of(const graze_detailed *a, const graze_detailed *b,
                       const graze_detail_collide_def *def)
{
    double radius[2];
    for (int i = 0; i < 2; ++i) {
        const graze_detailed *side = i == 0 ? a : b;
        graze_box box =
            side->detail != NULL ? side->detail->box : graze_shape_get_info(side->shape).box;
        double size[3];
        for (int axis = 0; axis < 3; ++axis)
            size[axis] = box.max[axis] - box.min[axis];
        radius[i] = side->detail != NULL
                        ? side->detail->radius
                        : sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]) / 2;
    }
    double part = def->error_part * fmin(radius[0], radius[1]);
    if (def->error_part > 0 && (def->error == 0 || part < def->error))
        return part;
    return def->error;
}

// --- By details

static gz_detail_run *run_of(graze_query *query)
{
    if (query->details == NULL) {
        query->details = gz_allocate(query->context, sizeof *query->details);
        if (query->details != NULL)
            *query->details = (gz_detail_run){.context = query->context};
    }
    return query->details;
}

static gz_detail_front *front_of(graze_front *front)
{
    if (front->details == NULL) {
        front->details = gz_allocate(front->context, sizeof *front->details);
        if (front->details != NULL)
            *front->details = (gz_detail_front){0};
    }
    return front->details;
}

static graze_status ask_details(graze_query *query, const graze_detailed *a,
                                const graze_detailed *b, const graze_detail_collide_def *def,
                                graze_detail_answer *answer)
{
    gz_detail_run *run = run_of(query);
    gz_detail_wish wish = {.detail = {a->detail, b->detail},
                           .pose = {a->pose, b->pose},
                           .tolerance = def->tolerance,
                           .error = error_of(a, b, def),
                           .error_function = def->error_function,
                           .error_user = def->error_user,
                           .work_limit = def->work_limit};
    if (def->time_limit > 0)
        wish.deadline = gz_clock_ns() + (uint64_t)(fmin(def->time_limit, 1e9) * 1e9);
    wish.front = def->front != NULL ? front_of(def->front) : NULL;
    if (run == NULL || (def->front != NULL && wish.front == NULL))
        return gz_fail(query->context, GRAZE_ERROR_MEMORY, WHO ": out of memory");
    gz_fpu_state state = gz_fpu_enter();
    graze_status status = gz_detail_walk(run, &wish);
    gz_fpu_leave(state);
    if (status != GRAZE_OK)
        return status;
    answer->engine = GRAZE_ENGINE_CONTACT_DETAIL;
    answer->complete = 1;
    answer->reached = !run->stopped;
    answer->contact_count = run->contacts.count;
    answer->contacts = run->contacts.count != 0 ? run->contacts.items : NULL;
    answer->work = run->work;
    answer->counters = run->counters;
    answer->verdict = run->contacts.count == 0 ? GRAZE_APART
                      : run->proved            ? GRAZE_CONTACT
                      : run->stopped           ? GRAZE_UNDECIDED
                                               : GRAZE_WITHIN_ERROR;
    return GRAZE_OK;
}

// --- By shapes

static void take_contact(const graze_contact *from, graze_detail_contact *to)
{
    *to = (graze_detail_contact){.depth = from->depth,
                                 .deviation = from->error,
                                 .error = from->error,
                                 .cover_a = from->cover_a,
                                 .cover_b = from->cover_b,
                                 .hull_a = from->pair.a,
                                 .hull_b = from->pair.b};
    memcpy(to->point_a, from->point_a, sizeof to->point_a);
    memcpy(to->point_b, from->point_b, sizeof to->point_b);
    memcpy(to->normal, from->normal, sizeof to->normal);
}

static graze_status ask_shapes(graze_query *query, const graze_detailed *a, const graze_detailed *b,
                               const graze_detail_collide_def *def, graze_detail_answer *answer)
{
    if (a->shape == NULL || b->shape == NULL)
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       WHO ": where one side has no detail, both need a shape");
    graze_collide_def asked = graze_collide_def_default();
    asked.collect = GRAZE_COLLECT_CONTACTS;
    asked.tolerance = def->tolerance;
    asked.error = error_of(a, b, def);
    asked.error_function = def->error_function;
    asked.error_user = def->error_user;
    asked.work_limit = def->work_limit;
    asked.time_limit = def->time_limit;
    asked.front = def->front;
    graze_answer found;
    graze_status status = graze_query_collide(query, graze_at(a->shape, a->pose),
                                              graze_at(b->shape, b->pose), &asked, &found);
    if (status != GRAZE_OK)
        return status;
    gz_detail_run *run = run_of(query);
    uint64_t count = found.contacts != NULL ? found.pair_count : 0;
    if (run != NULL)
        run->contacts.count = 0;
    graze_detail_contact *room =
        run == NULL ? NULL : gz_list_push(query->context, &run->contacts, count);
    if (count != 0 && room == NULL)
        return gz_fail(query->context, GRAZE_ERROR_MEMORY, WHO ": out of memory");
    for (uint64_t i = 0; i < count; ++i)
        take_contact(&found.contacts[i], &room[i]);
    answer->engine = found.error > 0 ? GRAZE_ENGINE_LOD : GRAZE_ENGINE_EXACT;
    answer->verdict = found.verdict;
    answer->complete = found.complete;
    answer->reached = found.complete;
    answer->contact_count = count;
    answer->contacts = count != 0 ? room : NULL;
    answer->work = found.counters.work;
    answer->counters.triangle_tests = found.counters.triangle_tests;
    return GRAZE_OK;
}

graze_status graze_query_detail(graze_query *query, const graze_detailed *a,
                                const graze_detailed *b, const graze_detail_collide_def *given,
                                graze_detail_answer *answer)
{
    if (query == NULL || a == NULL || b == NULL || answer == NULL)
        return gz_fail_null(query == NULL ? NULL : query->context, WHO);
    *answer = (graze_detail_answer){.verdict = GRAZE_UNDECIDED};
    graze_detail_collide_def room = graze_detail_collide_def_default();
    const graze_detail_collide_def *def =
        gz_def_known(query->context, WHO, given, &room, sizeof room);
    graze_detailed sides[2] = {*a, *b};
    graze_status status =
        def == NULL ? GRAZE_ERROR_ARGUMENT : check(query, &sides[0], &sides[1], def);
    if (status != GRAZE_OK)
        return status;
    if (a->detail != NULL && b->detail != NULL)
        return ask_details(query, &sides[0], &sides[1], def, answer);
    return ask_shapes(query, &sides[0], &sides[1], def, answer);
}
