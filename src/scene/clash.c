// Clash checks of scenes: which pairs are asked, in which order, by whom. See graze/clash.h.
//
// The way: objects -> boxes -> overlap graph -> pairs that the rules ask for -> an order in which
// neighbours follow each other (schedule.h) -> workers, which take pairs as they come and classify
// them (clash_pair.h) -> a list, the worst first (clash_list.h). What a pair is does not depend on
// the others, so the list is the same for any order and any number of workers. Who keeps a record
// of a check watches it (clash_watch.h), and settles pairs of which he knows what they are.
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "base/knobs.h"
#include "base/threads.h"
#include "scene/clash_list.h"
#include "scene/clash_pair.h"
#include "scene/clash_plan.h"
#include "scene/clash_rules.h"
#include "scene/clash_watch.h"
#include "scene/scene_store.h"

static const char who[] = "graze_scene_clash";

#define LIST_BYTES (UINT64_C(4) << 20) // of clashes in memory
#define RUN        4                   // pairs that a worker takes at once

typedef struct worker {
    graze_query *query;
    graze_status status;
} worker;

typedef struct check {
    graze_scene *scene;
    graze_context *context;
    const graze_clash_def *def;
    const gz_clash_watch *watch; // NULL: nobody does
    gz_rules_applied *rules;
    gz_clash_plan plan;
    uint64_t asked_count; // pairs of the plan before some were settled
    gz_clash_list list;
    worker *workers;
    uint32_t worker_count;
    _Atomic uint32_t next;
    _Atomic uint64_t touching; // that are not listed
    _Atomic bool failed;
} check;

static gz_clash_side side_of(const gz_scene_slot *slot, const graze_shape *shape)
{
    return (gz_clash_side){.at = graze_at(shape, &slot->pose),
                           .box = slot->box,
                           .hash = slot->hash,
                           .triangle_count = slot->triangle_count};
}

static graze_status keep(check *c, const gz_rule_limits *limits, gz_clash_pair pair,
                         graze_clash *clash)
{
    if (clash->kind == GRAZE_CLASH_NONE || (limits->ignored_kinds >> clash->kind & 1) != 0)
        return GRAZE_OK;
    if (clash->kind == GRAZE_CLASH_TOUCHING && c->def->list_touching == 0) {
        atomic_fetch_add(&c->touching, 1);
        return GRAZE_OK;
    }
    clash->a = gz_scene_id(c->scene, c->plan.slots[pair.a] + 1);
    clash->b = gz_scene_id(c->scene, c->plan.slots[pair.b] + 1);
    clash->rule = limits->rule;
    return gz_clash_list_add(&c->list, clash, pair.a, pair.b);
}

static graze_status classify(check *c, graze_query *query, gz_clash_pair pair)
{
    const gz_scene_slot *slots = c->scene->slots.items;
    const gz_scene_slot *a = &slots[c->plan.slots[pair.a]], *b = &slots[c->plan.slots[pair.b]];
    const graze_shape *shape_a, *shape_b = NULL;
    gz_rule_limits limits = gz_rules_pair(c->rules, pair.a, pair.b);
    GZ_ASSERT(limits.asked);
    graze_status status = gz_scene_pin_slot(c->scene, a, &shape_a);
    if (status != GRAZE_OK)
        return status;
    status = gz_scene_pin_slot(c->scene, b, &shape_b);
    if (status == GRAZE_OK) {
        gz_clash_side side_a = side_of(a, shape_a), side_b = side_of(b, shape_b);
        gz_clash_limits lengths = {.touch = limits.touch,
                                   .clearance = limits.clearance,
                                   .depth_error = c->def->depth_error,
                                   .list_touching = c->def->list_touching != 0};
        graze_clash clash;
        gz_places places;
        status = gz_clash_classify_places(query, &side_a, &side_b, &lengths, &clash, &places);
        if (status == GRAZE_OK && c->watch != NULL)
            status = c->watch->found(c->watch->user, pair, &limits, &clash, &places);
        if (status == GRAZE_OK)
            status = keep(c, &limits, pair, &clash);
        gz_scene_unpin_slot(c->scene, b);
    }
    gz_scene_unpin_slot(c->scene, a);
    return status;
}

// Pairs that the watch knows leave the plan; the others stay in their order.
static graze_status settle(check *c)
{
    gz_clash_plan *plan = &c->plan;
    uint32_t kept = 0;
    graze_status status = c->watch->begin(c->watch->user, plan, c->rules);
    for (uint32_t i = 0; i < plan->pair_count && status == GRAZE_OK; ++i) {
        gz_rule_limits limits = gz_rules_pair(c->rules, plan->pairs[i].a, plan->pairs[i].b);
        graze_clash clash;
        bool known = false;
        status = c->watch->settle(c->watch->user, plan->pairs[i], &limits, &clash, &known);
        if (status == GRAZE_OK && known)
            status = keep(c, &limits, plan->pairs[i], &clash);
        else
            plan->pairs[kept++] = plan->pairs[i];
    }
    if (status == GRAZE_OK)
        plan->pair_count = kept;
    return status;
}

static void work(void *data, uint32_t number)
{
    check *c = data;
    worker *w = &c->workers[number];
    while (!atomic_load(&c->failed)) {
        uint32_t first = atomic_fetch_add(&c->next, RUN);
        if (first >= c->plan.pair_count)
            return;
        uint32_t end = c->plan.pair_count - first < RUN ? c->plan.pair_count : first + RUN;
        w->status = gz_checkpoint(c->context, "checking", "pairs", first, c->plan.pair_count);
        for (uint32_t i = first; i < end && w->status == GRAZE_OK; ++i)
            w->status = classify(c, w->query, c->plan.pairs[i]);
        if (w->status != GRAZE_OK)
            atomic_store(&c->failed, true);
    }
}

static graze_status make_workers(check *c)
{
    c->worker_count = c->context->def.thread_count;
    c->workers = GZ_NEW_ARRAY(c->context, worker, c->worker_count);
    if (c->workers == NULL)
        return gz_fail(c->context, GRAZE_ERROR_MEMORY, "%s: out of memory", who);
    memset(c->workers, 0, c->worker_count * sizeof *c->workers);
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < c->worker_count && status == GRAZE_OK; ++i)
        status = graze_query_create(c->context, &c->workers[i].query);
    return status;
}

static void free_workers(check *c)
{
    for (uint32_t i = 0; c->workers != NULL && i < c->worker_count; ++i)
        graze_query_free(c->workers[i].query);
    GZ_FREE_ARRAY(c->context, c->workers, c->worker_count);
}

static graze_status run(check *c)
{
    graze_status status = make_workers(c);
    if (status != GRAZE_OK)
        return status;
    gz_parallel(c->context, c->worker_count, work, c);
    for (uint32_t i = 0; i < c->worker_count && status == GRAZE_OK; ++i)
        status = c->workers[i].status;
    return status;
}

static void sum_up(const check *c, const graze_cache_use *before, graze_clash_totals *totals)
{
    graze_cache_use after = graze_scene_cache_use(c->scene);
    *totals = (graze_clash_totals){
        .touch = gz_rules_touch(c->rules),
        .object_count = c->scene->object_count,
        .box_pairs = c->plan.box_pairs,
        .asked_pairs = c->asked_count,
        .partition_count = c->plan.partition_count,
        .triangles_loaded = after.triangles - before->triangles,
        .triangles_stored = graze_scene_get_info(c->scene).stored_count,
        .bytes_read = after.bytes_read - before->bytes_read,
    };
    memcpy(totals->counts, c->list.counts, sizeof totals->counts);
    totals->counts[GRAZE_CLASH_TOUCHING] += atomic_load(&c->touching);
}

static graze_status check_lengths(graze_context *context, const graze_clash_def *def)
{
    if (!isfinite(def->touch) || !(def->clearance >= 0 && isfinite(def->clearance)))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: touch and clearance are lengths, finite and not negative", who);
    if (!(def->depth_error > 0 && def->depth_error <= 1))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: the error of depths is a part of them, above 0 and at most 1", who);
    return GRAZE_OK;
}

static gz_order_kind order_for(graze_context *context)
{
    uint32_t asked = GZ_KNOB(context, clash_order);
    return asked == 0 ? GZ_ORDER_GREEDY : (gz_order_kind)(asked - 1);
}

graze_status graze_scene_clash(graze_scene *scene, const graze_clash_def *given,
                               graze_clash_report *report, void *user, graze_clash_totals *totals)
{
    if (scene == NULL || report == NULL)
        return gz_fail_null(scene == NULL ? NULL : scene->context, who);
    graze_clash_def room = graze_clash_def_default();
    const graze_clash_def *def = gz_def_known(scene->context, who, given, &room, sizeof room);
    return def == NULL ? GRAZE_ERROR_ARGUMENT
                       : gz_scene_clash_watched(scene, def, NULL, report, user, totals);
}

graze_status gz_scene_clash_watched(graze_scene *scene, const graze_clash_def *def,
                                    const gz_clash_watch *watch, graze_clash_report *report,
                                    void *user, graze_clash_totals *totals)
{
    check c = {.scene = scene, .context = scene->context, .def = def, .watch = watch};
    graze_cache_use before = graze_scene_cache_use(scene);
    graze_status status = check_lengths(scene->context, def);
    if (status == GRAZE_OK)
        status = gz_rules_apply(def->rules, scene, def, &c.rules);
    if (status == GRAZE_OK)
        status = gz_clash_plan_make(scene, c.rules, order_for(scene->context), &c.plan);
    c.asked_count = c.plan.pair_count;
    if (status == GRAZE_OK)
        status = gz_clash_list_open(scene->context, LIST_BYTES, &c.list);
    if (status == GRAZE_OK && watch != NULL)
        status = settle(&c);
    if (status == GRAZE_OK)
        status = run(&c);
    if (status == GRAZE_OK && watch != NULL)
        status = watch->end(watch->user);
    if (status == GRAZE_OK && report != NULL)
        status = gz_clash_list_report(&c.list, report, user);
    if (status == GRAZE_OK && totals != NULL)
        sum_up(&c, &before, totals);
    free_workers(&c);
    gz_clash_list_close(&c.list);
    gz_clash_plan_free(scene->context, &c.plan);
    gz_rules_applied_free(c.rules);
    return status;
}
