// What a frame of objects costs that deform, break and fold: which triangles meet?
//   bench_cull [--part scenes,objects,triangles,resolution] [--scene NAME] [--engine NAME]
//              [--frames N] [--rounds N] [--limit MS] [--resolution N] [--alone] [--quick]
// Engines get the same frames, made by generators/frames.h, and take turns frame by frame. Nothing
// is said about what becomes of the objects, but that rivals that fit their trees again learn
// whether the triangles are the same. Frames are taken from the whole of a scene's 500, in runs of
// four that follow each other. All of an engine's work on a frame is timed; copying it to where an
// engine likes its data is not. Whoever works on one thread is pinned to one core, with its driver.
// An engine that takes longer than the limit for a frame, 3000 ms unless told otherwise, is left
// out of the rest of the scene, and a line that begins with "# gave up" says so; "# cannot" names
// one that this machine does not have, or that fails. --engine picks those whose name or setting
// contains the word; --alone leaves out the engines of others, and --quick all but a handful of
// small frames as well.
//
// scenes:      the environments of the CULLIDE paper, and a cloth against itself
// objects:     cylinders of 200 triangles, 100 to 10,000 of them (its figure 2)
// triangles:   100 cylinders of 200 triangles and more, 1.5 % of the room (its figure 3)
// resolution:  the first scene on OpenGL with views of 16 to 2048 pixels (its figure 4)
//
// Columns:
//   scene, objects, triangles   of the first frame; triangles of all objects
//   engine, setting, threads
//   resolution         of OpenGL; 0 for others
//   frames, round      how many were measured; which time
//   ms                 a frame, the mean: of the processor, which others on the machine disturb
//                      least, with what OpenGL's driver draws on it; of two threads by the clock
//   median .. max_ms   of frames, by the same
//   wall_ms            the mean by the clock, which is all that counts where a GPU draws
//   paper_ms           what the paper says, on a GeForce FX 5800 and a Pentium 4; 0: nothing
//   pairs              found in a frame, the mean
//   missed, surplus    pairs of all frames, beside those of graze's exact query in trees. Of a
//   cloth,
//                      others than graze pass over triangles with a common corner, and so does this
//   wrong              graze: both together; others: 0. Where lists differ, rational arithmetic
//                      judges the first 50 differences of a frame: 1 for each that refutes the
//                      query
//   objects_left .. exact_tests   counters of graze_cull_answer, the mean; 0 for others
//   context_mib        graze: what the context allocated, at most
// The exit code is 1 if graze is wrong anywhere.
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cull_judge.h"
#include "frames.h"
#include "option_words.h"
#include "stopwatch.h"

enum { FRAMES = 500, IN_A_RUN = 4, OPENGL_FRAMES = 2, MOST_FRAMES = 512, MOST_ENTRANTS = 24 };

typedef struct environment {
    const char *part, *name, *scene;
    uint64_t objects, triangles; // 0: as in the paper
    double density, paper_ms;
    int self;
    uint32_t frames, resolution; // resolution 0: what --resolution says
} environment;

static const environment environments[] = {
    {"scenes", "cylinders", "cylinders", 0, 0, 0, 4, 0, 100, 0},
    {"scenes", "six tori", "tori", 6, 0, 0, 8, 0, 20, 0},
    {"scenes", "ten tori", "tori", 10, 0, 0, 8, 0, 20, 0},
    {"scenes", "models", "models", 0, 0, 0, 40, 0, 20, 0},
    {"scenes", "breaking", "breaking", 0, 0, 0, 35, 0, 20, 0},
    {"scenes", "cloth", "cloth", 0, 0, 0, 0, 1, 12, 0},
    {"objects", "100", "cylinders", 100, 200, 0, 0, 0, 20, 0},
    {"objects", "200", "cylinders", 200, 200, 0, 0, 0, 20, 0},
    {"objects", "500", "cylinders", 500, 200, 0, 0, 0, 12, 0},
    {"objects", "1000", "cylinders", 1000, 200, 0, 0, 0, 8, 0},
    {"objects", "2000", "cylinders", 2000, 200, 0, 0, 0, 8, 0},
    {"objects", "5000", "cylinders", 5000, 200, 0, 0, 0, 4, 0},
    {"objects", "10000", "cylinders", 10000, 200, 0, 0, 0, 4, 0},
    {"triangles", "200", "cylinders", 100, 200, 0.015, 0, 0, 20, 0},
    {"triangles", "500", "cylinders", 100, 500, 0.015, 0, 0, 20, 0},
    {"triangles", "1000", "cylinders", 100, 1000, 0.015, 0, 0, 12, 0},
    {"triangles", "2000", "cylinders", 100, 2000, 0.015, 0, 0, 12, 0},
    {"triangles", "5000", "cylinders", 100, 5000, 0.015, 0, 0, 8, 0},
    {"triangles", "10000", "cylinders", 100, 10000, 0.015, 0, 0, 4, 0},
    {"resolution", "16", "cylinders", 0, 0, 0, 0, 0, 8, 16},
    {"resolution", "64", "cylinders", 0, 0, 0, 0, 0, 8, 64},
    {"resolution", "200", "cylinders", 0, 0, 0, 0, 0, 8, 200},
    {"resolution", "400", "cylinders", 0, 0, 0, 0, 0, 8, 400},
    {"resolution", "800", "cylinders", 0, 0, 0, 4, 0, 8, 800},
    {"resolution", "1200", "cylinders", 0, 0, 0, 0, 0, 8, 1200},
    {"resolution", "2048", "cylinders", 0, 0, 0, 0, 0, 4, 2048},
};
static const environment quick_environments[] = {
    {"scenes", "cylinders", "cylinders", 12, 60, 0.2, 4, 0, 4, 0},
    {"scenes", "tori", "tori", 4, 300, 0.2, 8, 0, 4, 0},
    {"scenes", "breaking", "breaking", 0, 2000, 0, 35, 0, 4, 0},
    {"scenes", "cloth", "cloth", 0, 1500, 0, 0, 1, 12, 0},
    {"resolution", "16", "cylinders", 12, 60, 0.2, 0, 0, 2, 16},
};

// One engine in one scene.
typedef struct entrant {
    const deformer *deformer;
    void *opened;             // NULL: it takes no part any more
    bool absent;              // and never did
    bool only_knows;          // it is there to judge others
    double cost[MOST_FRAMES]; // of frames, in milliseconds
    double wall;              // all frames together
    uint64_t pairs;           // of the round
    deform_verdict verdict;   // of the first round
    deform_counters counted;  // sums of the round
    uint32_t frames;          // of the round
} entrant;

typedef struct bench {
    const char *parts, *scene, *engine;
    uint32_t frames, rounds, limit, resolution;
    bool alone, quick;
    cpu_set_t all_cores, one_core;
    uint32_t core_count;
    oracle *referee;
    entrant entrants[MOST_ENTRANTS];
    uint32_t entrant_count;
    const deformer *cannot[MOST_ENTRANTS + 1];  // that was said of these
    const deformer *gave_up[MOST_ENTRANTS + 1]; // in the present part
    deform_pairs known, found;
    uint64_t wrong;
    // The present scene.
    const environment *at;
    uint32_t resolution_now, frame_count;
    uint64_t first_objects, first_triangles;
    // The present frame, and the triangles of the one before.
    deform_frame frame;
    collider_mesh *meshes;
    uint32_t mesh_room;
    uint32_t *corners, *object_triangles;
    uint64_t corner_room;
    uint32_t known_objects;
} bench;

// --- Cores

static void choose_cores(bench *b)
{
    CPU_ZERO(&b->one_core);
    if (sched_getaffinity(0, sizeof b->all_cores, &b->all_cores) != 0)
        return;
    b->core_count = (uint32_t)CPU_COUNT(&b->all_cores);
    for (int core = CPU_SETSIZE - 1; core >= 0; --core)
        if (CPU_ISSET(core, &b->all_cores)) {
            CPU_SET(core, &b->one_core);
            return;
        }
}

// Threads that an engine makes stay where it was made.
static void place(const bench *b, const deformer *engine)
{
    if (b->core_count > 1)
        sched_setaffinity(0, sizeof b->all_cores,
                          engine->threads > 1 ? &b->all_cores : &b->one_core);
}

// --- Entrants

static bool on_opengl(const deformer *d) { return strstr(d->setting, "OpenGL") != NULL; }

static bool is_in(const deformer *const *list, const deformer *d)
{
    while (*list != NULL && *list != d)
        ++list;
    return *list != NULL;
}
// False if it was there already.
static bool note(const deformer **list, const deformer *d)
{
    while (*list != NULL && *list != d)
        ++list;
    bool added = *list == NULL;
    *list = d;
    return added;
}

static bool by_clock(const deformer *d) { return d->threads > 1; }

static bool takes_part(const bench *b, const deformer *d, bool of_others)
{
    bool figure_four = strcmp(b->at->part, "resolution") == 0;
    if ((of_others && b->alone) || d->threads > b->core_count || (figure_four && !on_opengl(d)) ||
        (b->at->self && on_opengl(d)) || is_in(b->gave_up, d))
        return false;
    return b->engine == NULL || strstr(d->engine, b->engine) != NULL ||
           strstr(d->setting, b->engine) != NULL;
}

static void enter(bench *b, const deformer *d)
{
    entrant *e = &b->entrants[b->entrant_count++];
    *e = (entrant){.deformer = d};
    place(b, d);
    e->opened = d->open(d, b->resolution_now);
    e->absent = e->opened == NULL;
}

static void leave(entrant *e)
{
    if (e->opened != NULL)
        e->deformer->close(e->opened);
    e->opened = NULL;
}

// The query in trees knows the truth, so it is always there, and the first.
static void enter_all(bench *b)
{
    const deformer_list *ours[] = {&deformers_trees, &deformers_cull};
    const deformer_list *others[] = {
#if defined(DEFORMER_EMBREE)
        &deformers_embree,
#endif
#if defined(DEFORMER_FCL)
        &deformers_fcl,
#endif
#if defined(DEFORMER_BULLET)
        &deformers_bullet,
#endif
        NULL
    };
    b->entrant_count = 0;
    for (int l = 0; l < 2; ++l)
        for (uint32_t i = 0; i < ours[l]->count; ++i)
            if ((l == 0 && i == 0) || takes_part(b, &ours[l]->deformers[i], false))
                enter(b, &ours[l]->deformers[i]);
    b->entrants[0].only_knows = !takes_part(b, b->entrants[0].deformer, false);
    for (int l = 0; others[l] != NULL; ++l)
        for (uint32_t i = 0; i < others[l]->count; ++i)
            if (takes_part(b, &others[l]->deformers[i], true))
                enter(b, &others[l]->deformers[i]);
}

// --- Frames

static void *room_for(void *array, uint64_t count, size_t item_bytes)
{
    free(array);
    array = malloc((size_t)count * item_bytes);
    if (array == NULL) {
        fprintf(stderr, "bench_cull: out of memory\n");
        exit(1);
    }
    return array;
}

static bool same_triangles(const bench *b, const generator_frame *made)
{
    const uint32_t *corners = b->corners;
    if (b->known_objects != made->object_count)
        return false;
    for (uint32_t i = 0; i < made->object_count; ++i) {
        uint64_t count = made->objects[i].triangle_count;
        if (b->object_triangles[i] != count ||
            memcmp(corners, made->objects[i].corners, 3 * count * sizeof *corners) != 0)
            return false;
        corners += 3 * count;
    }
    return true;
}

static void remember_triangles(bench *b, const generator_frame *made)
{
    if (3 * made->triangle_count > b->corner_room) {
        b->corner_room = 6 * made->triangle_count;
        b->corners = room_for(b->corners, b->corner_room, sizeof *b->corners);
    }
    uint32_t *corners = b->corners;
    b->known_objects = made->object_count;
    for (uint32_t i = 0; i < made->object_count; ++i) {
        uint64_t count = made->objects[i].triangle_count;
        b->object_triangles[i] = (uint32_t)count;
        memcpy(corners, made->objects[i].corners, 3 * count * sizeof *corners);
        corners += 3 * count;
    }
}

static void set_frame(bench *b, const generator_frame *made)
{
    bool same = same_triangles(b, made);
    if (made->object_count > b->mesh_room) {
        b->mesh_room = 2 * made->object_count;
        b->meshes = room_for(b->meshes, b->mesh_room, sizeof *b->meshes);
        b->object_triangles = room_for(b->object_triangles, b->mesh_room, sizeof(uint32_t));
    }
    if (!same)
        remember_triangles(b, made);
    for (uint32_t i = 0; i < made->object_count; ++i) {
        const graze_mesh_view *view = &made->objects[i];
        b->meshes[i] = (collider_mesh){.vertices = (const float(*)[3])view->positions,
                                       .corners = (const uint32_t(*)[3])(const void *)view->corners,
                                       .vertex_count = (uint32_t)view->vertex_count,
                                       .triangle_count = (uint32_t)view->triangle_count};
    }
    b->frame = (deform_frame){b->meshes, made->object_count, b->at->self, same};
}

// --- Measuring

static void add_counters(entrant *e)
{
    deform_counters c;
    if (e->deformer->count == NULL)
        return;
    e->deformer->count(e->opened, &c);
    e->counted.objects_left += c.objects_left;
    e->counted.groups_left += c.groups_left;
    e->counted.triangles_left += c.triangles_left;
    e->counted.rounds += c.rounds;
    e->counted.triangle_tests += c.triangle_tests;
    e->counted.exact_tests += c.exact_tests;
    e->counted.context_bytes = c.context_bytes;
}

static bool judge(bench *b, entrant *e, uint64_t count)
{
    bool knows = e == b->entrants;
    deform_pairs *list = knows ? &b->known : &b->found;
    if (!deform_pairs_take(list, e->deformer, e->opened, count))
        return false;
    if (knows)
        return true;
    deform_verdict v =
        deform_pairs_judge(b->referee, &b->frame, &b->known, list, e->deformer->all_common);
    e->verdict.missed += v.missed;
    e->verdict.surplus += v.surplus;
    e->verdict.refuted += v.refuted;
    return true;
}

// Once for each.
static void say_cannot(bench *b, const entrant *e)
{
    if (note(b->cannot, e->deformer))
        printf("# cannot: %s %s\n", e->deformer->engine, e->deformer->setting);
}

static void give_up(bench *b, entrant *e, double wall)
{
    printf("# gave up: %s %s with %s of %s, after %.0f ms\n", e->deformer->engine,
           e->deformer->setting, b->at->name, b->at->part, wall);
    note(b->gave_up, e->deformer);
    leave(e);
}

// OpenGL gets no more. Stories begin and end with objects that are apart.
static bool is_in_the_middle(const bench *b, uint32_t number)
{
    uint32_t first = b->frame_count > OPENGL_FRAMES ? (b->frame_count - OPENGL_FRAMES) / 2 : 0;
    return number >= first && number < first + OPENGL_FRAMES;
}

static bool ask(bench *b, entrant *e, uint32_t number, bool first_round)
{
    if (e->absent)
        say_cannot(b, e);
    if (e->opened == NULL)
        return e != b->entrants;
    if ((!first_round && (e->only_knows || on_opengl(e->deformer))) ||
        (on_opengl(e->deformer) && !is_in_the_middle(b, number)))
        return true;
    uint32_t slot = e->frames++;
    place(b, e->deformer);
    e->deformer->take(e->opened, &b->frame);
    double wall = seconds_of(CLOCK_MONOTONIC), processor = processor_seconds();
    double count = e->deformer->ask(e->opened);
    processor = 1000 * (processor_seconds() - processor);
    wall = 1000 * (seconds_of(CLOCK_MONOTONIC) - wall);
    e->cost[slot] = by_clock(e->deformer) ? wall : processor;
    e->wall += wall;
    if (count < 0) {
        say_cannot(b, e);
        leave(e);
        return e != b->entrants;
    }
    e->pairs += (uint64_t)count;
    add_counters(e);
    bool good = !first_round || judge(b, e, (uint64_t)count);
    if (wall > b->limit && e != b->entrants)
        give_up(b, e, wall);
    return good;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double mean(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += values[i];
    return sum / count;
}

static void print_row(bench *b, entrant *e, uint32_t round)
{
    uint32_t frames = e->frames;
    const deformer *d = e->deformer;
    const deform_counters *c = &e->counted;
    double n = frames, cost = mean(e->cost, frames);
    uint64_t wrong = e->verdict.refuted;
    if (d->all_common)
        wrong += e->verdict.missed + e->verdict.surplus;
    b->wrong += wrong;
    qsort(e->cost, frames, sizeof *e->cost, compare_times);
    printf("%s,%s,%llu,%llu,%s,%s,%u,%u,%u,%u,%.3f,%.3f,%.3f,%.3f,%.3f,%g,%.1f,%llu,%llu,%llu,",
           b->at->part, b->at->name, (unsigned long long)b->first_objects,
           (unsigned long long)b->first_triangles, d->engine, d->setting, d->threads,
           on_opengl(d) ? b->resolution_now : 0, frames, round, cost, e->cost[frames / 2],
           e->cost[(95 * (frames - 1) + 99) / 100], e->cost[frames - 1], e->wall / n,
           b->at->paper_ms, (double)e->pairs / n, (unsigned long long)e->verdict.missed,
           (unsigned long long)e->verdict.surplus, (unsigned long long)wrong);
    printf("%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.2f\n", (double)c->objects_left / n,
           (double)c->groups_left / n, (double)c->triangles_left / n, (double)c->rounds / n,
           (double)c->triangle_tests / n, (double)c->exact_tests / n,
           (double)c->context_bytes / 1048576);
}

// Frames come in runs that begin at equal distances; all of a short one.
static uint32_t frame_number(uint32_t i, uint32_t frames)
{
    uint32_t runs = (frames + IN_A_RUN - 1) / IN_A_RUN;
    return (i / IN_A_RUN) * (FRAMES / runs) + FRAMES / (2 * runs) + i % IN_A_RUN;
}

static bool run_round(bench *b, generator_frames *frames, uint32_t count, uint32_t round)
{
    for (uint32_t k = 0; k < b->entrant_count; ++k) {
        b->entrants[k].pairs = 0;
        b->entrants[k].wall = 0;
        b->entrants[k].frames = 0;
        b->entrants[k].counted = (deform_counters){0};
    }
    for (uint32_t i = 0; i < count; ++i) {
        generator_frame made;
        if (generator_frames_at(frames, frame_number(i, count), &made) != GRAZE_OK)
            return false;
        set_frame(b, &made);
        if (i == 0 && round == 1) {
            b->first_objects = made.object_count;
            b->first_triangles = made.triangle_count;
        }
        for (uint32_t k = 0; k < b->entrant_count; ++k)
            if (!ask(b, &b->entrants[k], i, round == 1))
                return false;
    }
    for (uint32_t k = 0; k < b->entrant_count; ++k)
        if (b->entrants[k].opened != NULL && !b->entrants[k].only_knows &&
            b->entrants[k].frames > 0)
            print_row(b, &b->entrants[k], round);
    fflush(stdout);
    return true;
}

static bool run_environment(bench *b, const environment *at)
{
    generator_frames_def def = {.scene = at->scene,
                                .frame_count = FRAMES,
                                .object_count = at->objects,
                                .triangle_count = at->triangles,
                                .density = at->density};
    generator_frames *frames = NULL;
    uint32_t count = b->frames != 0 && b->frames <= MOST_FRAMES ? b->frames : at->frames;
    if (b->at == NULL || strcmp(b->at->part, at->part) != 0)
        memset(b->gave_up, 0, sizeof b->gave_up);
    b->at = at;
    b->frame_count = count;
    b->resolution_now = at->resolution != 0 ? at->resolution : b->resolution;
    b->known_objects = 0;
    if (generator_frames_open(&def, &frames) != GRAZE_OK)
        return false;
    enter_all(b);
    bool good = b->entrants[0].opened != NULL;
    for (uint32_t round = 1; round <= b->rounds && good; ++round)
        good = run_round(b, frames, count, round);
    for (uint32_t k = 0; k < b->entrant_count; ++k)
        leave(&b->entrants[k]);
    generator_frames_close(frames);
    if (!good)
        fprintf(stderr, "bench_cull: %s of %s could not be measured\n", at->name, at->part);
    return good;
}

// --- The whole

static bool run_all(bench *b)
{
    const environment *list = b->quick ? quick_environments : environments;
    size_t count = b->quick ? sizeof quick_environments / sizeof *quick_environments
                            : sizeof environments / sizeof *environments;
    bool good = true;
    printf("cull_part,scene,objects,triangles,engine,setting,threads,resolution,frames,round,ms,"
           "median_ms,p95_ms,max_ms,wall_ms,paper_ms,pairs,missed,surplus,wrong,objects_left,"
           "groups_left,triangles_left,rounds,triangle_tests,exact_tests,context_mib\n");
    for (size_t i = 0; i < count && good; ++i)
        if ((b->parts == NULL || strstr(b->parts, list[i].part) != NULL) &&
            (b->scene == NULL || strcmp(b->scene, list[i].name) == 0))
            good = run_environment(b, &list[i]);
    return good;
}

static bool take_options(bench *b, int count, char **words)
{
    const option_word options[] = {
        {.word = "--part", .text = &b->parts},
        {.word = "--scene", .text = &b->scene},
        {.word = "--engine", .text = &b->engine},
        {.word = "--frames", .number = &b->frames},
        {.word = "--rounds", .number = &b->rounds},
        {.word = "--limit", .number = &b->limit},
        {.word = "--resolution", .number = &b->resolution},
        {.word = "--alone", .flag = &b->alone},
        {.word = "--quick", .flag = &b->quick},
        {.word = NULL},
    };
    bool quick = has_option_word(count, words, "--quick");
    b->rounds = quick ? 1 : 3;
    b->limit = quick ? 60000 : 10000;
    b->resolution = quick ? 64 : 800;
    return take_option_words(count, words, options);
}

int main(int count, char **words)
{
    bench *b = calloc(1, sizeof *b);
    if (b == NULL || !take_options(b, count, words)) {
        fprintf(stderr, "usage: bench_cull [--part scenes,objects,triangles,resolution] "
                        "[--scene NAME] [--engine NAME] [--frames N] [--rounds N] [--limit MS] "
                        "[--resolution N] [--alone] [--quick]\n");
        return 2;
    }
    b->alone = b->alone || b->quick;
    // Mesa's driver has threads of its own, which must not take turns on one core.
    setenv("LP_NUM_THREADS", "1", 0);
    choose_cores(b);
    b->referee = oracle_create();
    bool good = b->referee != NULL && run_all(b);
    uint64_t wrong = b->wrong;
    oracle_destroy(b->referee);
    free(b->known.pairs);
    free(b->found.pairs);
    free(b->meshes);
    free(b->corners);
    free(b->object_triangles);
    free(b);
    return !good || wrong != 0;
}
