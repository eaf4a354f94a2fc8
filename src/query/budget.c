// Goes down the ladder of errors while there is time. See budget.h.
#include "query/budget.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/def.h"
#include "model/lod_ladder.h"
#include "query/lod_collide.h"

// Rungs are asked by queries of their own, by turns: the lists of the last one that was finished
// stay while the next is asked.
struct gz_budget_scratch {
    graze_query *rung[2];
    gz_budget budget;
};

// A question on its way down.
typedef struct descent {
    graze_query *query;
    struct gz_budget_scratch *scratch;
    graze_posed a, b;
    double error, floor;  // of this rung, and the one that is asked for
    bool with_exact;      // after the originals as they are in the cuts, the exact answer
    bool by_place;        // cuts are those of this question alone
    uint64_t start;       // of this rung
    uint64_t first_loads; // of pages, before the first rung
    int turn;
} descent;

void gz_budget_miss(gz_budget *budget, gz_page_key key)
{
    const uint32_t slot_count = 2 * GZ_LOADER_KEYS;
    uint64_t hash = (key.model->serial * 31 + key.number) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(hash >> 40) % slot_count;
    budget->missing = true;
    for (; budget->slots[slot] != 0; slot = (slot + 1) % slot_count) {
        const gz_page_key *known = &budget->keys[budget->slots[slot] - 1];
        if (known->model == key.model && known->number == key.number)
            return;
    }
    budget->miss_count++;
    if (budget->key_count == GZ_LOADER_KEYS)
        return;
    budget->keys[budget->key_count++] = key;
    budget->slots[slot] = (uint16_t)budget->key_count;
}

bool gz_budget_is_late(gz_budget *budget)
{
    budget->late = budget->late || gz_clock_ns() >= budget->deadline;
    return budget->late;
}

static struct gz_budget_scratch *make_scratch(graze_query *query)
{
    if (query->budgets != NULL)
        return query->budgets;
    struct gz_budget_scratch *made = gz_allocate(query->context, sizeof *made);
    if (made == NULL) {
        gz_fail(query->context, GRAZE_ERROR_MEMORY, "out of memory for a time limit");
        return NULL;
    }
    *made = (struct gz_budget_scratch){0};
    query->budgets = made;
    for (int i = 0; i < 2; ++i) {
        if (graze_query_create(query->context, &made->rung[i]) != GRAZE_OK)
            return NULL;
        made->rung[i]->number = query->number;
        made->rung[i]->budget = &made->budget;
    }
    return made;
}

void gz_budget_free(graze_query *query)
{
    if (query->budgets == NULL)
        return;
    graze_query_free(query->budgets->rung[0]);
    graze_query_free(query->budgets->rung[1]);
    gz_release(query->context, query->budgets, sizeof *query->budgets);
    query->budgets = NULL;
}

static uint64_t deadline_of(uint64_t now, double seconds)
{
    double most = 1e9 * 86400 * 365;
    return now + (uint64_t)fmin(1e9 * seconds, most);
}

// A ladder begins where its model is the coarsest. The other one's may begin above: these cuts,
// too.
static graze_status prepare_above(graze_model *model, int top)
{
    for (int rung = gz_ladder_top(model) + 1; rung <= top; ++rung) {
        gz_lod_cut *cut = gz_lod_cut_take(model, ldexp(1, rung));
        if (cut == NULL)
            return GRAZE_ERROR_MEMORY;
        gz_lod_cut_give(cut);
    }
    return GRAZE_OK;
}

static graze_status prepare_models(graze_posed a, graze_posed b, uint64_t *page_loads)
{
    graze_model *models[2] = {gz_shape_is_paged(a.shape) ? a.shape->model : NULL,
                              gz_shape_is_paged(b.shape) ? b.shape->model : NULL};
    graze_status status = GRAZE_OK;
    for (int i = 0; i < 2 && status == GRAZE_OK; ++i)
        if (models[i] != NULL)
            status = gz_ladder_prepare(models[i], page_loads);
    for (int i = 0; i < 2 && status == GRAZE_OK && models[0] != NULL && models[1] != NULL; ++i)
        status = prepare_above(models[i], gz_ladder_top(models[1 - i]));
    return status;
}

// The ladder of one shape while the time runs: another thread prepares it, and we wait as long as
// there is time. Where there is no such thread, or it failed, we do it, and fail with a sentence.
static graze_status prepare_in_time(descent *d, graze_posed posed, bool *ready)
{
    if (!gz_shape_is_paged(posed.shape) ||
        gz_ladder_get_state(posed.shape->model) == GZ_LADDER_READY)
        return GRAZE_OK;
    graze_model *model = posed.shape->model;
    if (gz_ladder_get_state(model) == GZ_LADDER_FAILED ||
        !gz_cache_want_cut(model->cache, model, 0))
        return gz_ladder_prepare(model, &d->first_loads);
    gz_cache_await_cuts(model->cache, model, d->scratch->budget.deadline);
    *ready = *ready && gz_ladder_get_state(model) == GZ_LADDER_READY;
    return gz_ladder_get_state(model) == GZ_LADDER_FAILED
               ? gz_ladder_prepare(model, &d->first_loads)
               : GRAZE_OK;
}

// The error of the coarsest rung; 0 if nothing has levels of detail.
static double top_error(graze_posed a, graze_posed b)
{
    bool paged_a = gz_shape_is_paged(a.shape), paged_b = gz_shape_is_paged(b.shape);
    if (!paged_a && !paged_b)
        return 0;
    int top = INT32_MIN;
    if (paged_a)
        top = gz_ladder_top(a.shape->model);
    if (paged_b)
        top = gz_ladder_top(b.shape->model) > top ? gz_ladder_top(b.shape->model) : top;
    return ldexp(1, paged_a && paged_b ? top + 1 : top);
}

// Whether a cut is there while there is time: another thread works it out, and we wait as long as
// that. Where there is no such thread, it will be worked out when it is asked.
static bool has_cut(const descent *d, const graze_shape *shape, double share)
{
    if (!gz_shape_is_paged(shape) || gz_ladder_has(shape->model, share))
        return true;
    if (!gz_cache_want_cut(shape->model->cache, shape->model, share))
        return true;
    gz_cache_await_cuts(shape->model->cache, shape->model, d->scratch->budget.deadline);
    return gz_ladder_has(shape->model, share);
}

// The same for both cuts of this rung.
static bool has_cuts(const descent *d)
{
    bool both = gz_shape_is_paged(d->a.shape) && gz_shape_is_paged(d->b.shape);
    double share = both ? d->error / 2 : d->error;
    return d->error == 0 || d->by_place ||
           (has_cut(d, d->a.shape, share) && has_cut(d, d->b.shape, share));
}

// @param more  whether there is a rung to be asked.
static graze_status begin(descent *d, double seconds, bool *more)
{
    *more = false;
    uint64_t now = gz_clock_ns();
    d->scratch = make_scratch(d->query);
    if (d->scratch == NULL)
        return GRAZE_ERROR_MEMORY;
    d->scratch->budget.deadline = deadline_of(now, seconds);
    d->scratch->budget.key_count = 0;
    d->scratch->budget.miss_count = 0;
    memset(d->scratch->budget.slots, 0, sizeof d->scratch->budget.slots);
    bool ready = true;
    graze_status status = prepare_in_time(d, d->a, &ready);
    if (status == GRAZE_OK)
        status = prepare_in_time(d, d->b, &ready);
    if (status != GRAZE_OK || !ready)
        return status;
    d->error = fmax(top_error(d->a, d->b), d->floor);
    *more = has_cuts(d);
    return GRAZE_OK;
}

// A query for the next rung.
static graze_query *next_rung(descent *d)
{
    d->turn = !d->turn;
    d->start = gz_clock_ns();
    d->scratch->budget.late = d->scratch->budget.missing = false;
    return d->scratch->rung[d->turn];
}

// After a rung: whether it is finished.
static bool is_finished(const descent *d)
{
    return !d->scratch->budget.late && !d->scratch->budget.missing;
}

// Whether both cuts at an error are the originals.
static graze_status is_original(const descent *d, bool *original)
{
    gz_lod_sides sides;
    const gz_lod_error_def error = {.error = d->error};
    graze_status status = gz_lod_sides_set(d->query, d->a, d->b, &error, 0, &sides);
    *original = true;
    for (int i = 0; i < 2 && status == GRAZE_OK; ++i)
        *original = *original && (sides.cut[i] == NULL || !(sides.cut[i]->error > 0));
    gz_lod_sides_end(&sides);
    return status;
}

// The error of the next rung. False: there is none, or no time for it, since it takes longer than
// the one before.
static graze_status step_down(descent *d, bool *more)
{
    uint64_t now = gz_clock_ns(), deadline = d->scratch->budget.deadline;
    bool original = false;
    *more = d->error > d->floor && now < deadline && now - d->start < deadline - now;
    graze_status status = *more ? is_original(d, &original) : GRAZE_OK;
    *more = *more && (!original || (d->with_exact && d->floor == 0));
    d->error = fmax(original ? 0 : d->error / 2, d->floor);
    *more = *more && status == GRAZE_OK && has_cuts(d);
    return status;
}

// What was missing is loaded until it is asked for again.
static void end(const descent *d)
{
    gz_budget *budget = &d->scratch->budget;
    if (budget->key_count != 0)
        gz_cache_want(d->query->context->cache, budget->keys, budget->key_count);
}

graze_status graze_query_prepare(graze_query *query, graze_posed a, graze_posed b,
                                 const graze_collide_def *given)
{
    const char *who = "graze_query_prepare";
    if (query == NULL)
        return gz_fail_null(NULL, who);
    graze_collide_def room = graze_collide_def_default();
    const graze_collide_def *def = gz_def_known(query->context, who, given, &room, sizeof room);
    graze_status status =
        def == NULL ? GRAZE_ERROR_ARGUMENT : gz_question_check(query, who, &a, &b);
    uint64_t page_loads = 0;
    if (status == GRAZE_OK)
        status = gz_question_limits(query, who, def->error, def->time_limit);
    if (status == GRAZE_OK && def->time_limit > 0)
        status = prepare_models(a, b, &page_loads);
    if (status != GRAZE_OK)
        return status;
    const gz_lod_error_def error = {.error = def->error};
    if (!gz_lod_is_asked(a, b, &error))
        return GRAZE_OK;
    gz_lod_sides sides;
    status = gz_lod_sides_set(query, a, b, &error, def->tolerance, &sides);
    gz_lod_sides_end(&sides);
    return status;
}

graze_status gz_budget_collide(graze_query *query, graze_posed a, graze_posed b,
                               const graze_collide_def *def, graze_answer *answer)
{
    descent d = {.query = query,
                 .a = a,
                 .b = b,
                 .floor = def->error,
                 .with_exact = true,
                 .by_place = def->error_function != NULL};
    graze_collide_def rung = *def;
    graze_counters counters = {0};
    bool more;
    graze_status status = begin(&d, def->time_limit, &more);
    counters.page_loads = d.first_loads;
    *answer = (graze_answer){.error = HUGE_VAL};
    rung.time_limit = 0;
    rung.use_threads = 0;
    rung.front = NULL;
    while (more) {
        graze_answer got;
        rung.error = d.error;
        status = graze_query_collide(next_rung(&d), a, b, &rung, &got);
        if (status != GRAZE_OK)
            break;
        gz_counters_add(&counters, &got.counters);
        bool sure = got.verdict == GRAZE_CONTACT && def->collect == GRAZE_COLLECT_VERDICT;
        if (is_finished(&d) || sure || (d.error == 0 && answer->error == HUGE_VAL)) {
            *answer = got;
            answer->error = def->error_function == NULL ? d.error : got.error;
        }
        if (!is_finished(&d) || sure)
            break;
        status = step_down(&d, &more);
    }
    if (status == GRAZE_OK)
        end(&d);
    answer->counters = counters;
    answer->counters.page_misses = d.scratch == NULL ? 0 : d.scratch->budget.miss_count;
    return status;
}

graze_status gz_budget_distance(graze_query *query, graze_posed a, graze_posed b,
                                const graze_distance_def *def, graze_distance *out)
{
    descent d = {.query = query, .a = a, .b = b, .floor = def->error};
    graze_distance_def rung = *def;
    graze_counters counters = {0};
    bool any = false, more;
    graze_status status = begin(&d, def->time_limit, &more);
    counters.page_loads = d.first_loads;
    *out = (graze_distance){.distance = HUGE_VAL};
    rung.time_limit = 0;
    if (rung.work_limit == 0 && status == GRAZE_OK && d.error == 0) // work is about nanoseconds
        rung.work_limit = (uint64_t)fmax(1, 1e9 * fmin(def->time_limit, 1e9));
    while (more) {
        graze_distance got;
        rung.error = d.error;
        status = graze_query_distance(next_rung(&d), a, b, &rung, &got);
        if (status != GRAZE_OK)
            break;
        gz_counters_add(&counters, &got.counters);
        if (is_finished(&d) || !any)
            *out = got;
        any = true;
        if (!is_finished(&d))
            break;
        status = step_down(&d, &more);
    }
    if (status == GRAZE_OK)
        end(&d);
    out->counters = counters;
    out->counters.page_misses = d.scratch == NULL ? 0 : d.scratch->budget.miss_count;
    return status;
}
