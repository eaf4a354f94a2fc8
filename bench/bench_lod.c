// What answers with an error cost, beside exact ones: collisions of large models at their levels of
// detail.
//   bench_lod [--models FOLDER] [--triangles N] [--scene NAME,NAME] [--make] [--alone] [--quick]
// Bodies are the Stanford dragon made finer until it has N triangles, 31 million unless told
// otherwise, with relief and without, a turbine of 1.7 million, and a plant of 12.8 million with
// the dragon as it is. Their meshes and models are kept in FOLDER, or where GRAZE_MODELS says, and
// made where they are not there; --make does only that. Without either they are temporary. Where
// there is no dragon, a knot takes its place. --alone leaves rivals out. Scenes:
//   deep     the finer dragon against the turbine in 200 poses from touching to half inside
//   smooth   the same without relief
//   sweep    some of these poses, from a small error to a large one
//   bounce   the finer dragon falls on the turbine, in 4,000 steps of a thousandth of a second
//   steps    steps of 0.0025 % of the width in contact, with and without a front
//   flight   the dragon through the plant, on a closed path of 2,000 steps
//   growth, growth-smooth   some deep poses at several sizes of the dragon, at the same errors
// Engines, asked for all pairs, and with an error for all contacts of leaves, on one thread:
//   memory   exact, all triangles in memory
//   disk     exact, of the model, in a cache of 96 MiB
//   error    the model with an error, in the same cache
//   budget   the same, with a time limit of a millisecond; left out where there is none
//   memory-front, error-front   with a front
// and rivals, where they are installed and fit into memory. Each is a process of its own. Walks:
//   warm     the poses one after the other, after a walk of at most two seconds along the same ones
//   cold     before each pose the models are opened and their cuts made anew, and reads go past the
//            system's memory
// Slow engines and cold walks take each ninth pose or fewer, so that compare means with memory_ms,
// which is of the same poses. An engine stops after a minute.
//
// Prints CSV, one line for each scene, engine, walk, size and error. Columns:
//   triangles               of the larger body; in growth, of the dragon
//   eps_percent             the error asked for, as a part of the width of the smaller body, which
//                           is the longest side of its box
//   poses                   that were asked
//   mean_ms .. max_ms       of a pose, by the clock; processor_ms: the mean, of the processor
//   memory_ms               the mean time of the engine `memory` for the same poses
//   contacts, exact_pairs   of a pose, on the mean: what the engine found, and how many pairs of
//                           original triangles are in contact
//   contacts_per_pair, us_per_contact
//   cut_a, cut_b            triangles of the LOD cuts
//   triangle_tests, part_pairs, page_loads  of a pose, on the mean
//   resident_mib            of the process while it asked, at most; cache_mib: of it, the cache
//   error_percent, worst_error_percent      reached: the mean and the most
//   apart_, light_, deep_   poses without contact, with fewer than 100 exact pairs, with more; and
//                           the mean milliseconds of each
//   wrong                   poses that have a contact and are said to have none, or the other way;
//                           of exact engines, poses with another number of pairs than in memory;
//                           of rivals, poses with a contact in which they find none
// The exit code is 1 if graze is wrong.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "graze/graze.h"
#include "lod_bodies.h"
#include "lod_rivals.h"
#include "lod_score.h"
#include "option_words.h"
#include "reading_cost.h"
#include "stopwatch.h"

#define CACHE_BYTES   (UINT64_C(96) << 20)
#define WARM_SECONDS  2
#define MOST_SECONDS  60
#define RIVAL_SECONDS 20  // of asking
#define RIVAL_LIMIT   300 // seconds of all
enum { CANNOT = 77, SCENES = 4 };
// Each so many-th pose of a deep path. Its ways have 20 depths each, so that no stride has a factor
// in common with 20: a sample has all depths in it.
enum { DEEP_STRIDE = 9, SWEEP_STRIDE = 17, GROWTH_STRIDE = 7, RIVAL_STRIDE = 43 };
enum { DEEP, BOUNCE, STEPS, FLIGHT }; // numbers of scenes

typedef struct engine {
    const char *name;
    double percent; // 0: exact
    bool in_memory, cold, with_front, is_rival;
    double time_limit;
    uint32_t stride; // each so many-th pose
} engine;

// What the processes share.
typedef struct bench {
    const char *models, *only;
    uint32_t triangles;
    bool quick, make_only, alone;
    lod_store store;
    lod_body body[2];
    lod_scene scene[SCENES];
    lod_score score; // of the present engine
    uint64_t wrong;
    // What the present process is to do.
    lod_kind kind;
    uint64_t size;
    int slot; // of the bodies
    lod_scene *at;
    engine engine;
    uint32_t rival;
    bool poses_only;
} bench;

typedef struct opened {
    graze_context *context;
    graze_model *model[2];
    graze_shape *shape[2];
    graze_query *query;
    graze_front *front;
} opened;

// Names that were given are separated by commas.
static bool wanted(const bench *b, const char *scene)
{
    size_t length = strlen(scene);
    const char *at = b->only;
    while (at != NULL && *at != 0) {
        size_t given = strcspn(at, ",");
        if (given == length && strncmp(at, scene, length) == 0)
            return true;
        at += given + (at[given] != 0);
    }
    return b->only == NULL;
}

static void close_shapes(opened *o)
{
    for (int i = 0; i < 2; ++i) {
        graze_shape_free(o->shape[i]);
        graze_model_free(o->model[i]);
        o->shape[i] = NULL;
        o->model[i] = NULL;
    }
}

static graze_status open_shapes(const bench *b, opened *o)
{
    graze_status status = GRAZE_OK;
    for (int i = 0; i < 2 && status == GRAZE_OK; ++i) {
        if (b->engine.in_memory) {
            status = graze_shape_read(o->context, b->body[i].mesh, NULL, &o->shape[i]);
            continue;
        }
        status = graze_model_open(o->context, b->body[i].model, &o->model[i]);
        if (status == GRAZE_OK)
            status = graze_shape_from_model(o->model[i], &o->shape[i]);
    }
    return status;
}

static graze_status open_all(const bench *b, opened *o)
{
    graze_context_def def = graze_context_def_default();
    def.cache_byte_limit = CACHE_BYTES;
    def.thread_count = 1;
    *o = (opened){0};
    graze_status status = graze_context_create(&def, &o->context);
    if (status != GRAZE_OK)
        return status;
    gz_knobs_for(o->context)->direct_reads = b->engine.cold;
    status = open_shapes(b, o);
    if (status == GRAZE_OK)
        status = graze_query_create(o->context, &o->query);
    if (status == GRAZE_OK && b->engine.with_front)
        status = graze_front_create(o->context, &o->front);
    return status;
}

static int close_all(const bench *b, opened *o, graze_status status)
{
    bool cannot = (b->engine.cold && status == GRAZE_ERROR_IO) ||
                  (b->engine.time_limit > 0 && status == GRAZE_ERROR_UNSUPPORTED);
    if (status != GRAZE_OK)
        fprintf(stderr, "bench_lod: %s, %s%s: %s\n", b->at->name, b->engine.name,
                cannot ? " is left out" : "", graze_context_error(o->context));
    graze_query_free(o->query);
    graze_front_free(o->front);
    close_shapes(o);
    graze_context_destroy(o->context);
    return cannot ? CANNOT : status != GRAZE_OK;
}

static graze_status ask(const bench *b, const opened *o, uint32_t pose, graze_answer *answer)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    def.error = b->engine.percent / 100 * b->at->width;
    def.time_limit = b->engine.time_limit;
    def.front = o->front;
    return graze_query_collide(o->query, graze_at(o->shape[0], NULL),
                               graze_at(o->shape[1], &b->at->path.pose[pose]), &def, answer);
}

// Never apart where there is a contact; never a proved contact where there is none.
static bool is_wrong(const bench *b, uint32_t pose, const graze_answer *answer)
{
    if (!b->at->known)
        return false;
    uint64_t exact = b->at->pairs[pose];
    if (b->engine.is_rival)
        return exact != 0 && answer->pair_count == 0;
    if (b->engine.percent == 0)
        return answer->pair_count != exact;
    bool apart = answer->verdict == GRAZE_APART || (answer->complete && answer->pair_count == 0);
    return exact != 0 ? apart : answer->verdict == GRAZE_CONTACT;
}

static void keep(bench *b, uint32_t pose, double seconds, const graze_answer *answer)
{
    lod_score *s = &b->score;
    s->pose[s->count] = pose;
    s->seconds[s->count++] = seconds;
    s->contacts += (double)answer->pair_count;
    s->triangle_tests += (double)answer->counters.triangle_tests;
    s->part_pairs += (double)answer->counters.part_pairs;
    s->page_loads += (double)answer->counters.page_loads;
    s->cut_a += (double)answer->cut_a;
    s->cut_b += (double)answer->cut_b;
    s->error += answer->error;
    s->worst_error = answer->error > s->worst_error ? answer->error : s->worst_error;
    s->wrong += is_wrong(b, pose, answer);
    if (b->engine.in_memory && !b->engine.with_front) {
        b->at->pairs[pose] = answer->pair_count;
        b->at->seconds[pose] = seconds;
    }
}

static graze_status walk(bench *b, opened *o, bool timed)
{
    graze_status status = GRAZE_OK;
    double begin = seconds_of(CLOCK_MONOTONIC), limit = timed ? MOST_SECONDS : WARM_SECONDS;
    for (uint32_t i = 0; i < b->at->path.count && status == GRAZE_OK; i += b->engine.stride) {
        graze_answer answer;
        if (b->engine.cold) {
            close_shapes(o);
            status = open_shapes(b, o);
        }
        double processor = processor_seconds(), start = seconds_of(CLOCK_MONOTONIC);
        if (status == GRAZE_OK)
            status = ask(b, o, i, &answer);
        double end = seconds_of(CLOCK_MONOTONIC);
        if (status == GRAZE_OK && timed) {
            b->score.processor += processor_seconds() - processor;
            keep(b, i, end - start, &answer);
        }
        if (end - begin > limit && !b->engine.in_memory)
            break;
    }
    return status;
}

// The present scene by the present engine, which is open.
static graze_status walk_scene(bench *b, opened *o)
{
    b->score = (lod_score){.engine = b->engine.name,
                           .walk = b->engine.cold ? "cold" : "warm",
                           .percent = b->engine.percent};
    graze_status status = GRAZE_OK;
    if (!b->engine.cold && !b->engine.in_memory)
        status = walk(b, o, false);
    reading_forget_peak(); // from here on the most memory is that of asking
    if (status == GRAZE_OK)
        status = walk(b, o, true);
    if (status != GRAZE_OK)
        return status;
    if (b->engine.in_memory)
        b->at->known = true;
    else
        b->score.cache_mib = (double)graze_model_cache_use(o->model[0]).peak_bytes / 1048576;
    b->score.resident_mib = (double)reading_peak() / 1048576;
    lod_score_print(b->at, &b->score);
    b->wrong += b->score.wrong;
    return status;
}

static int run_engine(bench *b)
{
    opened o;
    graze_status status = open_all(b, &o);
    if (status == GRAZE_OK)
        status = walk_scene(b, &o);
    return close_all(b, &o, status);
}

// In a process of its own, so that its memory is what it needs.
static int in_child(bench *b, int (*call)(bench *b))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int result = call(b);
        fflush(stdout);
        _exit(result);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

// False if something failed that should not.
static bool run(bench *b, lod_scene *scene, engine e)
{
    b->at = scene;
    b->engine = e;
    b->engine.stride = e.stride != 0 ? e.stride : 1;
    int result = in_child(b, run_engine);
    return result == 0 || result == CANNOT;
}

static int make_body(bench *b)
{
    return !lod_body_make(&b->store, b->kind, b->size, &b->body[b->slot]);
}

static bool make(bench *b, int slot, lod_kind kind, uint64_t size)
{
    b->slot = slot;
    b->kind = kind;
    b->size = size;
    return in_child(b, make_body) == 0;
}

static void name_scene(bench *b, int number, const char *name)
{
    lod_scene *scene = &b->scene[number];
    const lod_body *body = b->body;
    scene->name = name;
    scene->known = false;
    scene->path.count = 0;
    scene->width = body[0].width < body[1].width ? body[0].width : body[1].width;
    scene->triangle_count = body[0].triangle_count > body[1].triangle_count
                                ? body[0].triangle_count
                                : body[1].triangle_count;
}

// The exact engine in memory makes the poses of the scenes that have a name, and walks them.
static bool make_paths(bench *b, const opened *o)
{
    lod_pair pair = {o->query, o->shape[0], o->shape[1]};
    lod_scene *s = b->scene;
    bool good = true;
    if (s[DEEP].name != NULL)
        good = lod_path_deep(&pair, 10, b->quick ? 5 : 20, &s[DEEP].path);
    if (s[STEPS].name != NULL)
        lod_path_steps(&s[DEEP].path.pose[2], 2.5e-5 * s[STEPS].width, b->quick ? 20 : 500,
                       &s[STEPS].path);
    if (s[BOUNCE].name != NULL)
        good = good && lod_path_bounce(&pair, b->quick ? 200 : 4000, &s[BOUNCE].path);
    if (s[FLIGHT].name != NULL)
        lod_path_flight(&b->body[0].box, &b->body[1].box, b->quick ? 50 : 2000, &s[FLIGHT].path);
    return good;
}

static int run_memory(bench *b)
{
    opened o;
    b->engine = (engine){.name = "memory", .in_memory = true, .stride = 1};
    b->at = b->scene;
    graze_status status = open_all(b, &o);
    if (status == GRAZE_OK && !make_paths(b, &o))
        status = GRAZE_ERROR_ARGUMENT;
    for (int i = 0; i < SCENES && status == GRAZE_OK && !b->poses_only; ++i)
        if (b->scene[i].name != NULL) {
            b->at = &b->scene[i];
            status = walk_scene(b, &o);
        }
    return close_all(b, &o, status);
}

static bool run_exact(bench *b, bool poses_only)
{
    b->poses_only = poses_only;
    return in_child(b, run_memory) == 0;
}

// A few poses from all along the path.
static void walk_rival(bench *b, const lod_rival *rival, uint32_t stride)
{
    const lod_path *path = &b->at->path;
    double begin = seconds_of(CLOCK_MONOTONIC), end = begin;
    b->score = (lod_score){.engine = b->engine.name, .walk = "warm"};
    reading_forget_peak(); // from here on the most memory is that of asking
    for (uint32_t i = stride / 4; i < path->count && end - begin < RIVAL_SECONDS; i += stride) {
        double processor = processor_seconds(), start = seconds_of(CLOCK_MONOTONIC);
        graze_answer answer = {.pair_count = (uint64_t)lod_rival_ask(rival, &path->pose[i])};
        end = seconds_of(CLOCK_MONOTONIC);
        b->score.processor += processor_seconds() - processor;
        keep(b, i, end - start, &answer);
    }
    b->score.resident_mib = (double)reading_peak() / 1048576;
    lod_score_print(b->at, &b->score);
}

static int run_rival(bench *b)
{
    alarm(RIVAL_LIMIT);
    lod_rival *rival = lod_rival_open(b->rival, b->body[0].mesh, b->body[1].mesh);
    b->engine = (engine){.name = lod_rival_name(b->rival), .is_rival = true};
    for (int i = 0; i < SCENES && rival != NULL; ++i)
        if (b->scene[i].name != NULL && i != STEPS) {
            b->at = &b->scene[i];
            walk_rival(b, rival, i == DEEP ? RIVAL_STRIDE : b->scene[i].path.count / 20);
        }
    return rival == NULL;
}

// Whatever becomes of them, the rest goes on.
static void run_rivals(bench *b)
{
    uint64_t triangles = b->body[0].triangle_count + b->body[1].triangle_count;
    for (b->rival = 0; b->rival < lod_rival_count() && !b->alone; ++b->rival)
        if (!lod_rival_fits(triangles) || in_child(b, run_rival) != 0)
            fprintf(stderr, "bench_lod: %s is left out: no memory, or not done in %d seconds\n",
                    lod_rival_name(b->rival), RIVAL_LIMIT);
}

// The model along a scene: exact, at an error, and in a given time; warm and cold.
static bool run_errors(bench *b, lod_scene *scene, const double *percents, int count,
                       uint32_t stride)
{
    bool good = run(b, scene, (engine){.name = "disk", .stride = stride}) &&
                run(b, scene, (engine){.name = "disk", .stride = stride, .cold = true});
    for (int i = 0; i < count && good; ++i)
        good =
            run(b, scene, (engine){.name = "error", .percent = percents[i]}) &&
            run(b, scene,
                (engine){.name = "error", .percent = percents[i], .stride = stride, .cold = true});
    return good && run(b, scene, (engine){.name = "budget", .percent = 0.04, .time_limit = 1e-3});
}

static bool run_sweep(bench *b, lod_scene *scene)
{
    static const double percents[] = {0.005, 0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 1, 2, 5};
    const char *name = scene->name;
    uint32_t stride = b->quick ? 4 : SWEEP_STRIDE;
    scene->name = "sweep";
    bool good = run(b, scene, (engine){.name = "disk", .stride = stride});
    for (size_t i = 0; i < sizeof percents / sizeof *percents && good; ++i)
        good = run(b, scene, (engine){.name = "error", .percent = percents[i], .stride = stride});
    scene->name = name;
    return good;
}

static bool run_steps(bench *b, lod_scene *scene)
{
    return run(b, scene, (engine){.name = "memory-front", .in_memory = true, .with_front = true}) &&
           run(b, scene, (engine){.name = "error", .percent = 0.04}) &&
           run(b, scene, (engine){.name = "error-front", .percent = 0.04, .with_front = true});
}

static void forget_scenes(bench *b)
{
    for (int i = 0; i < SCENES; ++i)
        b->scene[i].name = NULL;
}

static uint64_t turbine_size(const bench *b) { return b->quick ? 20000 : 1700000; }

// What happens to the turbine and the finer dragon, but for growth.
static bool run_turbine(bench *b, lod_kind kind)
{
    static const double percents[] = {0.04, 0.4, 1};
    bool smooth = kind == LOD_SMOOTH;
    bool deep = wanted(b, smooth ? "smooth" : "deep"), sweep = !smooth && wanted(b, "sweep");
    bool bounce = !smooth && wanted(b, "bounce"), steps = !smooth && wanted(b, "steps");
    if (!deep && !sweep && !bounce && !steps)
        return true;
    if (!make(b, 0, LOD_TURBINE, turbine_size(b)) ||
        !make(b, 1, kind, lod_refinement(&b->store, b->triangles)))
        return false;
    if (b->make_only)
        return true;
    forget_scenes(b);
    if (deep || sweep || steps)
        name_scene(b, DEEP, smooth ? "smooth" : "deep");
    if (bounce)
        name_scene(b, BOUNCE, "bounce");
    if (steps)
        name_scene(b, STEPS, "steps");
    bool good = run_exact(b, false);
    good =
        good && (!deep || run_errors(b, &b->scene[DEEP], percents, 3, b->quick ? 2 : DEEP_STRIDE));
    good = good && (!sweep || run_sweep(b, &b->scene[DEEP]));
    good = good && (!bounce || run_errors(b, &b->scene[BOUNCE], percents, 1, 20));
    good = good && (!steps || run_steps(b, &b->scene[STEPS]));
    if (good && !smooth && (deep || bounce))
        run_rivals(b);
    return good;
}

static bool run_flight(bench *b)
{
    static const double percent = 0.04;
    if (!wanted(b, "flight"))
        return true;
    // As many for the plant as suit the size of the dragon.
    uint64_t size = (uint64_t)(12.8e6 * b->triangles / 31e6);
    if (!make(b, 0, LOD_PLANT, size) || !make(b, 1, LOD_FLYER, 1))
        return false;
    if (b->make_only)
        return true;
    forget_scenes(b);
    name_scene(b, FLIGHT, "flight");
    bool good =
        run_exact(b, false) && run_errors(b, &b->scene[FLIGHT], &percent, 1, b->quick ? 5 : 20);
    if (good)
        run_rivals(b);
    return good;
}

// The same poses and errors for all sizes, those of the first.
static bool run_growth(bench *b, lod_kind kind)
{
    static const double percents[] = {0.04, 0.4};
    const char *name = kind == LOD_SMOOTH ? "growth-smooth" : "growth";
    uint32_t last = lod_refinement(&b->store, b->triangles), known = 0;
    if (!wanted(b, name))
        return true;
    const uint32_t sizes[] = {1, 2, 3, last};
    forget_scenes(b);
    for (int i = 0; i < 4; ++i) {
        if (sizes[i] > last || sizes[i] == known)
            continue;
        if (!make(b, 0, LOD_TURBINE, turbine_size(b)) || !make(b, 1, kind, sizes[i]))
            return false;
        lod_scene *scene = &b->scene[DEEP];
        uint32_t count = scene->path.count;
        double width = scene->width;
        name_scene(b, DEEP, name);
        scene->triangle_count = b->body[1].triangle_count;
        if (known == 0 && !b->make_only && !run_exact(b, true))
            return false;
        if (known != 0) {
            scene->path.count = count;
            scene->width = width;
        }
        known = sizes[i];
        for (int k = 0; k < 2 && !b->make_only; ++k)
            if (!run(b, scene,
                     (engine){.name = "error", .percent = percents[k], .stride = GROWTH_STRIDE}))
                return false;
    }
    return true;
}

static bool run_all(bench *b)
{
    lod_score_print_head();
    return run_turbine(b, LOD_REFINED) && run_turbine(b, LOD_SMOOTH) && run_flight(b) &&
           run_growth(b, LOD_REFINED) && run_growth(b, LOD_SMOOTH);
}

int main(int count, char **words)
{
    bench *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) {
        perror("bench_lod");
        return 1;
    }
    const option_word options[] = {
        {.word = "--models", .text = &b->models},
        {.word = "--triangles", .number = &b->triangles},
        {.word = "--scene", .text = &b->only},
        {.word = "--make", .flag = &b->make_only},
        {.word = "--alone", .flag = &b->alone},
        {.word = "--quick", .flag = &b->quick},
        {.word = NULL},
    };
    b->triangles = has_option_word(count, words, "--quick") ? 32000 : 31000000;
    if (!take_option_words(count, words, options)) {
        fprintf(stderr, "usage: bench_lod [--models FOLDER] [--triangles N] [--scene NAME,NAME] "
                        "[--make] [--alone] [--quick]\n");
        return 2;
    }
    if (b->models == NULL && !b->quick)
        b->models = getenv("GRAZE_MODELS");
    if (!lod_store_open(b->models, b->quick, &b->store))
        return 1;
    bool good = run_all(b);
    lod_store_close(&b->store, b->models != NULL);
    if (!good)
        fprintf(stderr, "bench_lod: a model could not be built or asked\n");
    fprintf(stderr, "bench_lod: %llu answers of graze are wrong\n", (unsigned long long)b->wrong);
    return !good || b->wrong != 0;
}
