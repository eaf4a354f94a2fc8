// The runner of the checks: blocks of pairs, handed out to threads. See check.h.
#include "check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/cpu.h"

enum { BLOCK = 1000 };

typedef struct run {
    const check_plan *plan;
    uint64_t seed;
    int first_kind, kind_count;
    uint64_t pairs;
    _Atomic uint64_t next;
    pthread_mutex_t lock; // guards what follows
    check_state total;
    const char *wrong; // the first failure
    int wrong_kind;
    uint64_t wrong_index;
} run;

uint64_t check_affordable(uint64_t pairs)
{
#if TEST_SANITIZED || !defined(__OPTIMIZE__)
    return pairs / 10;
#else
    return pairs;
#endif
}

void check_print_pair(const nasty_pair *pair)
{
    const graze_triangle *triangles[] = {&pair->a, &pair->b};
    for (int side = 0; side < 2; ++side) {
        print_message("  graze_triangle %c = {{", "ab"[side]);
        for (int i = 0; i < 3; ++i)
            print_message("%s{%a, %a, %a}", i == 0 ? "" : ", ", triangles[side]->corner[i][0],
                          triangles[side]->corner[i][1], triangles[side]->corner[i][2]);
        print_message("}};\n");
    }
    print_message("  tolerance %a\n", pair->tolerance);
}

graze_triangle check_renumbered(const graze_triangle *triangle, uint64_t order)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    graze_triangle out;
    for (int i = 0; i < 3; ++i)
        memcpy(out.corner[i], triangle->corner[orders[order % 6][i]], sizeof out.corner[i]);
    return out;
}

double check_distance_near(const oracle *o)
{
    if (mpz_sgn(o->numerator) == 0)
        return 0.0;
    long size = (long)mpz_sizeinbase(o->numerator, 2) - (long)mpz_sizeinbase(o->denominator, 2);
    long half = size / 2;
    double root = sqrt(exact_round(o->numerator, o->denominator, -2 * half));
    return ldexp(root, (int)(half + o->exponent));
}

void check_know_distance(check_state *state)
{
    if (state->distance_known)
        return;
    oracle_closest(state->oracle);
    state->distance_known = true;
    state->met += oracle_meet(state->oracle);
}

check_signs check_signs_now(void)
{
    uint64_t longs =
        gz_branch_count[GZ_BRANCH_ORIENT2D_EXACT] + gz_branch_count[GZ_BRANCH_ORIENT3D_EXACT];
    return (check_signs){gz_exact_signs() + gz_branch_count[GZ_BRANCH_MEET_BY_FEATURES], longs};
}

void check_note_signs(check_state *state, check_signs before)
{
    check_signs now = check_signs_now();
    state->needed_exact |= now.exact > before.exact;
    state->needed_long |= now.longs > before.longs;
}

// Runs all checks of the plan on one pair.
static const char *check_pair(const run *r, check_state *state, int kind, uint64_t index)
{
    nasty_pair pair;
    nasty_make(r->seed, kind, index, &pair);
    oracle_load(state->oracle, &pair.a, &pair.b);
    state->number = index;
    state->distance_known = false;
    state->needed_exact = state->needed_long = false;
    ++state->pairs;
    const char *wrong = NULL;
    for (int i = 0; i < 4 && wrong == NULL; ++i)
        if (r->plan->checks[i] != NULL)
            wrong = r->plan->checks[i](state, &pair);
    state->exact += state->needed_exact;
    state->longs += state->needed_long;
    return wrong;
}

static void add_totals(check_state *total, const check_state *part)
{
    total->pairs += part->pairs;
    total->met += part->met;
    total->exact += part->exact;
    total->longs += part->longs;
    for (int i = 0; i < GZ_BRANCH_COUNT; ++i)
        total->branch[i] += part->branch[i];
}

static void *work(void *data)
{
    run *r = data;
    check_state state = {.oracle = oracle_create()};
    uint64_t before[GZ_BRANCH_COUNT];
    memcpy(before, gz_branch_count, sizeof before);
    for (;;) {
        uint64_t begin = atomic_fetch_add(&r->next, BLOCK);
        if (begin >= r->pairs)
            break;
        uint64_t end = begin + BLOCK < r->pairs ? begin + BLOCK : r->pairs;
        for (uint64_t i = begin; i < end; ++i) {
            int kind = r->first_kind + (int)(i % (uint64_t)r->kind_count);
            uint64_t index = i / (uint64_t)r->kind_count;
            const char *wrong = check_pair(r, &state, kind, index);
            if (wrong == NULL)
                continue;
            pthread_mutex_lock(&r->lock);
            if (r->wrong == NULL) {
                r->wrong = wrong;
                r->wrong_kind = kind;
                r->wrong_index = index;
            }
            pthread_mutex_unlock(&r->lock);
            atomic_store(&r->next, r->pairs); // nobody goes on
            break;
        }
    }
    for (int i = 0; i < GZ_BRANCH_COUNT; ++i)
        state.branch[i] = gz_branch_count[i] - before[i];
    pthread_mutex_lock(&r->lock);
    add_totals(&r->total, &state);
    pthread_mutex_unlock(&r->lock);
    oracle_destroy(state.oracle);
    return NULL;
}

static void report_wrong(const run *r)
{
    nasty_pair pair;
    nasty_make(r->seed, r->wrong_kind, r->wrong_index, &pair);
    print_message("%s: %s is wrong; GRAZE_EXACT_REPLAY=%llu:%d:%llu (%s)\n", r->plan->name,
                  r->wrong, (unsigned long long)r->seed, r->wrong_kind,
                  (unsigned long long)r->wrong_index, nasty_kind_name(r->wrong_kind));
    check_print_pair(&pair);
    fail();
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole;
}

// Runs `pairs` pairs of the kinds.
static void run_kinds(const check_plan *plan, const char *sort, int first_kind, int kind_count,
                      uint64_t pairs, bool demanding, check_state *total)
{
    run r = {.plan = plan, .first_kind = first_kind, .kind_count = kind_count};
    r.seed = from_environment("GRAZE_EXACT_SEED", 1);
    uint64_t batch = plan->batch == 0 ? 1 : plan->batch;
    pairs = check_affordable(pairs * batch) / from_environment("GRAZE_EXACT_PART", 1);
    r.pairs = from_environment("GRAZE_EXACT_PAIRS", pairs) / batch;
    pthread_mutex_init(&r.lock, NULL);
    double begin = seconds_now();
    unsigned count = plan->threads != 0 ? plan->threads : gz_cpu_count();
    if (count == 1) {
        work(&r);
    } else {
        pthread_t threads[64];
        count = count < 64 ? count : 64;
        for (unsigned i = 0; i < count; ++i)
            if (pthread_create(&threads[i], NULL, work, &r) != 0)
                fail_msg("no thread");
        for (unsigned i = 0; i < count; ++i)
            pthread_join(threads[i], NULL);
    }
    pthread_mutex_destroy(&r.lock);
    if (r.wrong != NULL)
        report_wrong(&r);
    const check_state *t = &r.total;
    print_message("%s: %llu %s pairs right, %.1f %% meet, %.1f %% in integers, %.1f %% in long "
                  "ones, %.1f s\n",
                  plan->name, (unsigned long long)t->pairs, sort, percent(t->met, t->pairs),
                  percent(t->exact, t->pairs), percent(t->longs, t->pairs), seconds_now() - begin);
    assert_int_equal(t->pairs, r.pairs);
    if (demanding && (percent(t->exact, t->pairs) < 100 * plan->exact_share ||
                      percent(t->longs, t->pairs) < 100 * plan->long_share))
        fail_msg("too few pairs need the exact path");
    if (total != NULL)
        add_totals(total, &r.total);
}

// One pair, as named by the environment.
static void replay(const check_plan *plan, const char *text)
{
    unsigned long long seed = 0, index = 0;
    int kind = 0;
    if (sscanf(text, "%llu:%d:%llu", &seed, &kind, &index) != 3 || kind < 0 ||
        kind >= nasty_kind_count())
        fail_msg("GRAZE_EXACT_REPLAY is not seed:kind:index");
    run r = {.plan = plan, .seed = seed};
    check_state state = {.oracle = oracle_create()};
    r.wrong = check_pair(&r, &state, kind, index);
    r.wrong_kind = kind;
    r.wrong_index = index;
    oracle_destroy(state.oracle);
    if (r.wrong != NULL)
        report_wrong(&r);
}

void check_run(const check_plan *plan, check_state *total)
{
    const char *text = getenv("GRAZE_EXACT_REPLAY");
    if (text != NULL) {
        replay(plan, text);
        return;
    }
    int random_kinds = nasty_random_count();
    if (plan->random_pairs > 0)
        run_kinds(plan, "random", 0, random_kinds, plan->random_pairs, false, total);
    if (plan->nasty_pairs > 0)
        run_kinds(plan, "nasty", random_kinds, nasty_kind_count() - random_kinds, plan->nasty_pairs,
                  true, total);
}

void check_branches(const uint64_t *taken, const gz_branch *but)
{
    int missing = 0;
    for (int i = 0; i < GZ_BRANCH_COUNT; ++i) {
        bool excused = false;
        for (const gz_branch *b = but; b != NULL && *b != GZ_BRANCH_COUNT; ++b)
            excused = excused || (int)*b == i;
        print_message("%14llu  %s%s\n", (unsigned long long)taken[i], gz_branch_name((gz_branch)i),
                      taken[i] == 0 && !excused ? "  <- never taken" : "");
        missing += taken[i] == 0 && !excused;
    }
    assert_int_equal(missing, 0);
}
