// Pairs of triangles a second on one thread: graze beside the tests of other libraries, all on the
// same pairs in the same run, all answers compared with rational arithmetic.
//   bench_triangles [--pairs N] [--rounds N] [--passes N] [--question meet|within] [--scene NAME]
//                   [--engine TEXT]
// Engines are chosen by a part of their name and width, such as "many, avx2". Prints CSV, one line
// for each question, scene, engine and round. Columns:
//   groups           how many different first triangles the pairs have
//   ns_per_pair      of the fastest pass of `best_of`, in processor time of the thread
//   positive, wrong  answers that were yes; answers that differ from the true one
//   unsure           pairs that the wide float filter passed on (graze)
//   exact_fallbacks  predicates and comparisons that needed exact arithmetic (graze)
// The exit code is 1 if graze itself gave a wrong answer.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/branches.h"
#include "pairs.h"
#include "peers/peer.h"
#include "stopwatch.h"

#define ENOUGH_SECONDS 0.05 // a slow engine gets fewer passes in a round
enum { ENGINES_MAX = 64 };

typedef struct settings {
    uint32_t pair_count, round_count, pass_count;
    const char *question, *scene, *engine; // NULL: all
} settings;

static const peer_list *const lists[] = {
    &peers_graze,
#if defined(PEER_INTERVAL)
    &peers_interval,
#endif
#if defined(PEER_OPCODE)
    &peers_opcode,
#endif
#if defined(PEER_BULLET)
    &peers_bullet,
#endif
#if defined(PEER_FCL)
    &peers_fcl,
#endif
#if defined(PEER_CGAL)
    &peers_cgal,
#endif
};

// An engine that has the pairs of a scene before it.
typedef struct entrant {
    const peer *peer;
    void *prepared;
    bool ours;
} entrant;

static uint64_t exact_count(void)
{
    return gz_exact_signs() + gz_branch_count[GZ_BRANCH_WITHIN_EXACT];
}

static const char *question_of(const peer *engine)
{
    return engine->answers_distance ? "within" : "meet";
}

// Counts bits of a, or of a ^ b where that is given, outside of the excluded ones.
static uint32_t count_bits(const uint32_t *a, const uint32_t *b, const uint32_t *excluded,
                           uint32_t words)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < words; ++i) {
        uint32_t word = a[i] ^ (b != NULL ? b[i] : 0);
        count += (uint32_t)__builtin_popcount(word & ~(excluded != NULL ? excluded[i] : 0));
    }
    return count;
}

// Runs one engine for one round and prints its line. Returns how many answers were wrong.
static uint32_t run_round(const entrant *e, const settings *set, const char *scene,
                          const pair_list *list, uint32_t round, uint32_t *answers)
{
    uint32_t words = list->group_word[list->pairs.group_count];
    memset(answers, 0xff, words * sizeof *answers); // whoever leaves a word out is found out
    double best = 0, spent = 0;
    uint64_t unsure = 0, exact = 0;
    uint32_t pass = 0;
    for (; pass < set->pass_count && spent < ENOUGH_SECONDS; ++pass) {
        unsure = gz_branch_count[GZ_BRANCH_BATCH_UNSURE];
        exact = exact_count();
        double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        e->peer->run(e->prepared, answers);
        double seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
        best = pass == 0 || seconds < best ? seconds : best;
        spent += seconds;
    }
    unsure = gz_branch_count[GZ_BRANCH_BATCH_UNSURE] - unsure;
    exact = exact_count() - exact;
    const uint32_t *open = e->peer->unsure != NULL ? e->peer->unsure(e->prepared) : NULL;
    if (open != NULL)
        unsure = count_bits(open, NULL, NULL, words);
    const uint32_t *truth = e->peer->answers_distance ? list->within : list->meet;
    uint32_t wrong = count_bits(answers, truth, open, words);
    printf("%s,%s,%s,%s,%u,%u,%u,%.2f,%u,%u,%u,", question_of(e->peer), scene, e->peer->engine,
           e->peer->width, list->pairs.pair_count, list->pairs.group_count, round,
           best * 1e9 / list->pairs.pair_count, pass, count_bits(answers, NULL, NULL, words),
           wrong);
    if (e->ours)
        printf("%llu,%llu\n", (unsigned long long)unsure, (unsigned long long)exact);
    else
        printf(",\n");
    fflush(stdout);
    return wrong;
}

static uint32_t enter(const settings *set, const peer_pairs *pairs, entrant *entrants)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        for (uint32_t k = 0; k < lists[i]->count && count < ENGINES_MAX; ++k) {
            const peer *engine = &lists[i]->peers[k];
            char full_name[64];
            snprintf(full_name, sizeof full_name, "%s, %s", engine->engine, engine->width);
            if ((set->engine != NULL && strstr(full_name, set->engine) == NULL) ||
                (set->question != NULL && strcmp(set->question, question_of(engine)) != 0))
                continue;
            entrant e = {engine, engine->prepare(pairs), lists[i] == &peers_graze};
            if (e.prepared != NULL)
                entrants[count++] = e;
        }
    return count;
}

// Engines take turns within a round, so that a disturbance hits all alike.
static bool run_scene(const settings *set, const pair_set *scene)
{
    pair_list list;
    if (!pair_list_make(scene->name, set->pair_count, &list)) {
        fprintf(stderr, "bench_triangles: no memory for the scene %s\n", scene->name);
        return false;
    }
    list.pairs.tolerance = scene->tolerance;
    uint32_t words = list.group_word[list.pairs.group_count];
    uint32_t *answers = malloc(words * sizeof *answers);
    entrant entrants[ENGINES_MAX];
    uint32_t count = answers != NULL ? enter(set, &list.pairs, entrants) : 0, wrong = 0;
    for (uint32_t round = 1; round <= set->round_count; ++round)
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t found = run_round(&entrants[i], set, scene->name, &list, round, answers);
            wrong += entrants[i].ours ? found : 0;
        }
    for (uint32_t i = 0; i < count; ++i)
        entrants[i].peer->finish(entrants[i].prepared);
    free(answers);
    pair_list_free(&list);
    if (wrong != 0)
        fprintf(stderr, "bench_triangles: %s: graze was wrong\n", scene->name);
    return wrong == 0 && count != 0;
}

static bool parse(int count, char **words, settings *out)
{
    for (int i = 1; i + 1 < count; i += 2) {
        const char *word = words[i], *value = words[i + 1];
        if (strcmp(word, "--pairs") == 0)
            out->pair_count = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(word, "--rounds") == 0)
            out->round_count = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(word, "--passes") == 0)
            out->pass_count = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(word, "--question") == 0)
            out->question = value;
        else if (strcmp(word, "--scene") == 0)
            out->scene = value;
        else if (strcmp(word, "--engine") == 0)
            out->engine = value;
        else
            return false;
    }
    return count % 2 == 1 && out->pair_count > 0 && out->pair_count <= 1u << 24 &&
           out->pass_count > 0;
}

int main(int count, char **words)
{
    settings set = {.pair_count = 1u << 15, .round_count = 5, .pass_count = 3};
    if (!parse(count, words, &set)) {
        fprintf(stderr, "usage: bench_triangles [--pairs N] [--rounds N] [--passes N] "
                        "[--question meet|within] [--scene NAME] [--engine TEXT]\n");
        return 2;
    }
    printf("question,scene,engine,width,pairs,groups,round,ns_per_pair,best_of,positive,wrong,"
           "unsure,exact_fallbacks\n");
    bool good = true;
    for (const pair_set *scene = pair_sets; scene->name != NULL; ++scene)
        if (set.scene == NULL || strcmp(set.scene, scene->name) == 0)
            good = run_scene(&set, scene) && good;
    return good ? 0 : 1;
}
