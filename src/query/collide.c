// Which triangles of two shapes are in contact? See graze/query.h.
#include <math.h>

#include "base/context.h"
#include "base/def.h"
#include "boxtree/pair_sort.h"
#include "geometry/fpu.h"
#include "query/budget.h"
#include "query/contacts.h"
#include "query/lod_collide.h"
#include "query/part_pins.h"
#include "query/query_scratch.h"
#include "query/tree_pins.h"

static graze_status check(const graze_query *query, graze_posed *a, graze_posed *b,
                          const graze_collide_def *def)
{
    const char *who = "graze_query_collide";
    if (!(def->tolerance >= 0 && def->tolerance < HUGE_VAL))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       "%s: a tolerance is a finite length, and not negative", who);
    if (def->collect > GRAZE_COLLECT_CONTACTS)
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT, "%s: nothing to collect is called %d",
                       who, (int)def->collect);
    graze_status status = gz_question_limits(query, who, def->error, def->time_limit);
    return status == GRAZE_OK ? gz_question_check(query, who, a, b) : status;
}

static graze_verdict verdict_of(const gz_pair_query *pairs)
{
    if (pairs->counters.contacts != 0)
        return GRAZE_CONTACT;
    return pairs->stopped ? GRAZE_UNDECIDED : GRAZE_APART;
}

static graze_status out_of_memory(const graze_query *query)
{
    return gz_fail(query->context, GRAZE_ERROR_MEMORY,
                   "graze_query_collide: out of memory after %llu pairs",
                   (unsigned long long)query->pairs.counters.contacts);
}

static graze_status sort_pairs(graze_query *query, const gz_pair_wish *wish, graze_answer *answer)
{
    gz_front *front = query->pairs.front;
    uint64_t count = query->pairs.pairs.count;
    uint64_t sure = query->pairs.with_sure ? front->sure_pairs.count : 0;
    gz_pair_list *spare = sure != 0 ? &front->spare : &query->sorted;
    if (!gz_list_reserve(query->context, spare, count) ||
        !gz_list_reserve(query->context, &query->sorted, count + sure))
        return GRAZE_ERROR_MEMORY;
    answer->pairs = gz_pairs_sort(query->pairs.pairs.items, spare->items, count,
                                  wish->a->triangle_count, wish->b->triangle_count);
    if (sure != 0) {
        gz_pairs_merge(front->sure_pairs.items, sure, answer->pairs, count, query->sorted.items);
        answer->pairs = query->sorted.items;
    }
    return GRAZE_OK;
}

// Two trees that a glance proves to be apart need nothing else, not even the floating-point state.
static bool are_apart(const graze_query *query, const gz_tree_pins *pins, graze_posed a,
                      graze_posed b, double tolerance, gz_glance *near)
{
    return pins->tree[0]->triangle_count == 0 || pins->tree[1]->triangle_count == 0 ||
           !gz_trees_near(graze_context_simd(query->context), pins->tree[0], a.pose, pins->tree[1],
                          b.pose, tolerance, near);
}

static void answer_apart(graze_answer *answer)
{
    const gz_pair_counters none = {0};
    answer->verdict = GRAZE_APART;
    answer->complete = 1;
    answer->counters = gz_question_counters(&none);
}

// The pins last until the places of triangles in the trees are not needed any more.
static graze_status collide(graze_query *query, const gz_tree_pins *pins, graze_posed a,
                            graze_posed b, const gz_glance *near, const graze_collide_def *def,
                            graze_answer *answer)
{
    gz_pair_wish wish = gz_pair_wish_all(pins->tree[0], a.pose, pins->tree[1], b.pose);
    wish.near = near;
    wish.tolerance = def->tolerance;
    wish.listed = def->collect >= GRAZE_COLLECT_PAIRS;
    wish.placed = def->collect == GRAZE_COLLECT_CONTACTS;
    wish.shared = def->use_threads != 0;
    if (def->work_limit != 0)
        wish.work_limit = def->work_limit;
    if (query->budget != NULL)
        wish.deadline = query->budget->deadline;
    if (def->pair_limit != 0)
        wish.pair_limit = def->pair_limit;
    if (def->collect == GRAZE_COLLECT_VERDICT)
        wish.pair_limit = 1;
    bool fronted =
        def->front != NULL && wish.pair_limit == UINT64_MAX && wish.work_limit == UINT64_MAX;
    query->pairs.front = fronted ? gz_front_of(def->front, query->number) : NULL;
    graze_status status = !fronted                     ? gz_pair_query_run(&query->pairs, &wish)
                          : query->pairs.front != NULL ? gz_front_run(&query->pairs, &wish)
                                                       : GRAZE_ERROR_MEMORY;
    if (status == GRAZE_OK && wish.placed)
        status = gz_contacts_list(query, answer);
    else if (status == GRAZE_OK && wish.listed && def->any_order != 0 && !query->pairs.with_sure)
        answer->pairs = query->pairs.pairs.items;
    else if (status == GRAZE_OK && wish.listed)
        status = sort_pairs(query, &wish, answer);
    if (status == GRAZE_ERROR_MEMORY)
        return out_of_memory(query);
    if (status != GRAZE_OK)
        return status;
    answer->verdict = verdict_of(&query->pairs);
    answer->complete = !query->pairs.stopped;
    if (query->budget != NULL)
        query->budget->late |= query->pairs.late;
    answer->pair_count = query->pairs.counters.contacts;
    answer->counters = gz_question_counters(&query->pairs.counters);
    return GRAZE_OK;
}

static graze_status ask(graze_query *query, graze_posed a, graze_posed b,
                        const graze_collide_def *def, graze_answer *answer)
{
    graze_status status = check(query, &a, &b, def);
    if (status != GRAZE_OK)
        return status;
    if (def->time_limit > 0)
        return gz_budget_collide(query, a, b, def, answer);
    const gz_lod_error_def error = {.error = def->error, .function = def->error_function};
    if (gz_lod_is_asked(a, b, &error))
        return gz_lod_collide(query, a, b, def, answer);
    answer->cut_a = gz_shape_triangle_count(a.shape);
    answer->cut_b = gz_shape_triangle_count(b.shape);
    if (gz_shape_is_paged(a.shape) || gz_shape_is_paged(b.shape))
        return gz_parts_collide(query, a, b, def, answer);
    gz_tree_pins pins = {0};
    gz_glance near;
    status = gz_pin_near(&pins, a, b, def->tolerance);
    if (status == GRAZE_OK && are_apart(query, &pins, a, b, def->tolerance, &near)) {
        answer_apart(answer);
    } else if (status == GRAZE_OK) {
        gz_fpu_state state = gz_fpu_enter();
        status = collide(query, &pins, a, b, &near, def, answer);
        gz_fpu_leave(state);
    }
    gz_pin_end(&pins);
    return status;
}

graze_status graze_query_collide(graze_query *query, graze_posed a, graze_posed b,
                                 const graze_collide_def *given, graze_answer *answer)
{
    if (query == NULL || answer == NULL)
        return gz_fail_null(query == NULL ? NULL : query->context, "graze_query_collide");
    *answer = (graze_answer){0};
    graze_collide_def room = graze_collide_def_default();
    const graze_collide_def *def =
        gz_def_known(query->context, "graze_query_collide", given, &room, sizeof room);
    return def == NULL ? GRAZE_ERROR_ARGUMENT : ask(query, a, b, def, answer);
}
