// Goes down the ladder of errors while there is time. See budget.h.
#include "query/budget.h"

#include <math.h>

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
    double error, floor; // of this rung, and the one that is asked for
    bool with_exact;     // after the originals as they are in the cuts, the exact answer
    uint64_t start;      // of this rung
    int turn;
} descent;

void gz_budget_miss(gz_budget *budget, gz_page_key key)
{
    budget->missing = true;
    if (budget->key_count < GZ_LOADER_KEYS)
        budget->keys[budget->key_count++] = key;
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

static graze_status prepare_models(graze_posed a, graze_posed b)
{
    graze_status status = GRAZE_OK;
    if (gz_shape_is_paged(a.shape))
        status = gz_ladder_prepare(a.shape->model);
    if (status == GRAZE_OK && gz_shape_is_paged(b.shape))
        status = gz_ladder_prepare(b.shape->model);
    return status;
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

static graze_status begin(descent *d, double seconds)
{
    uint64_t now = gz_clock_ns();
    d->scratch = make_scratch(d->query);
    if (d->scratch == NULL)
        return GRAZE_ERROR_MEMORY;
    d->scratch->budget.deadline = deadline_of(now, seconds);
    d->scratch->budget.key_count = 0;
    graze_status status = prepare_models(d->a, d->b);
    if (status != GRAZE_OK)
        return status;
    d->error = fmax(top_error(d->a, d->b), d->floor);
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
    if (status == GRAZE_OK && def->time_limit > 0)
        status = prepare_models(a, b);
    const gz_lod_error_def error = {.error = def->error};
    if (status != GRAZE_OK || !gz_lod_is_asked(a, b, &error))
        return status;
    gz_lod_sides sides;
    status = gz_lod_sides_set(query, a, b, &error, def->tolerance, &sides);
    gz_lod_sides_end(&sides);
    return status;
}

graze_status gz_budget_collide(graze_query *query, graze_posed a, graze_posed b,
                               const graze_collide_def *def, graze_answer *answer)
{
    descent d = {.query = query, .a = a, .b = b, .floor = def->error, .with_exact = true};
    graze_collide_def rung = *def;
    graze_counters counters = {0};
    graze_status status = begin(&d, def->time_limit);
    *answer = (graze_answer){.error = HUGE_VAL};
    rung.time_limit = 0;
    rung.use_threads = 0;
    rung.front = NULL;
    for (bool more = status == GRAZE_OK; more;) {
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
        more = more && status == GRAZE_OK;
    }
    if (status == GRAZE_OK)
        end(&d);
    answer->counters = counters;
    return status;
}

graze_status gz_budget_distance(graze_query *query, graze_posed a, graze_posed b,
                                const graze_distance_def *def, graze_distance *out)
{
    descent d = {.query = query, .a = a, .b = b, .floor = def->error};
    graze_distance_def rung = *def;
    graze_counters counters = {0};
    bool any = false;
    graze_status status = begin(&d, def->time_limit);
    *out = (graze_distance){.distance = HUGE_VAL};
    rung.time_limit = 0;
    if (rung.work_limit == 0 && status == GRAZE_OK && d.error == 0) // work is about nanoseconds
        rung.work_limit = (uint64_t)fmax(1, 1e9 * fmin(def->time_limit, 1e9));
    for (bool more = status == GRAZE_OK; more;) {
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
        more = more && status == GRAZE_OK;
    }
    if (status == GRAZE_OK)
        end(&d);
    out->counters = counters;
    return status;
}
