// What a front saves in coherent motion, and what a second thread saves in one big question.
//   bench_motion [--models FOLDER] [--steps N] [--quick]
// Two equal objects in a cube of size 2. One of them moves and turns by small steps, there and
// back; all pairs are asked for at each step, with and without keeping a front, and compared. Then
// all pairs are asked for in some deep poses, on one thread and on two. FOLDER, or else the
// environment variable GRAZE_MODELS, holds the files of the dragon.
//
// Prints CSV, one line for each scene and step (or number of threads). Columns:
//   kind           front or threads
//   value          the length of a step, which turns as much besides; the number of threads
//   questions      how many were asked
//   plain_us, us   mean time of a question without and with it: of the processor for fronts, by the
//                  clock for threads
//   pairs          mean number of pairs
//   wrong          questions with another answer
// The exit code is 1 if some answer differs.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collide_models.h"
#include "graze/graze.h"
#include "option_words.h"
#include "stopwatch.h"

#define ROUNDS  3
#define THREADS 2

typedef struct settings {
    const char *folder;
    uint32_t step_count;
    bool quick;
} settings;

static const collide_scene scenes[] = {
    {"knot-20k", {"knot", 20000}, {NULL, 0}, 1000},
    {"gear-200k", {"gear", 200000}, {NULL, 0}, 0},
    {"dragon-48k", {"dragon_vrip_res3.ply.gz", 0}, {NULL, 0}, 0},
    {"dragon-871k", {"dragon_vrip.ply.gz", 0}, {NULL, 0}, 0},
    {NULL, {NULL, 0}, {NULL, 0}, 0},
};

static const double steps[] = {1e-6, 1e-5, 1e-4, 1e-3};

typedef struct line {
    const char *scene, *kind;
    double value, plain, with, pairs;
    uint32_t questions, wrong;
} line;

static void print_line(const line *l)
{
    printf("%s,%s,%g,%u,%.3f,%.3f,%.1f,%u\n", l->scene, l->kind, l->value, l->questions, l->plain,
           l->with, l->pairs, l->wrong);
    fflush(stdout);
}

// Lists come sorted, so that equal answers are equal bytes.
static bool same(const graze_answer *answer, const graze_pair *pairs, uint64_t count)
{
    return answer->pair_count == count &&
           (count == 0 || memcmp(answer->pairs, pairs, count * sizeof *pairs) == 0);
}

// Along x, turning about an oblique axis as far; there and back.
static graze_pose pose_at(double step, uint32_t index, uint32_t count)
{
    static const double axis[3] = {0.36, 0.48, 0.8};
    uint32_t steps_there = index < count / 2 ? index : count - 1 - index;
    double moved = step * steps_there, translation[3] = {0.4 + moved, 0.01, 0.02};
    graze_pose pose;
    graze_pose_from_axis(axis, 0.7 + moved, translation, &pose);
    return pose;
}

// Both queries take turns, so that both find the caches as the other left them.
static bool run_steps(const settings *set, graze_context *context, const graze_shape *shape,
                      line *out)
{
    graze_query *plain = NULL, *coherent = NULL;
    graze_front *front = NULL;
    graze_pose home = graze_pose_identity();
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    bool good = graze_query_create(context, &plain) == GRAZE_OK &&
                graze_query_create(context, &coherent) == GRAZE_OK &&
                graze_front_create(context, &front) == GRAZE_OK;
    for (uint32_t i = 0; i < set->step_count && good; ++i) {
        graze_pose pose = pose_at(out->value, i, set->step_count);
        graze_answer answer, kept;
        double start = processor_seconds();
        def.front = NULL;
        good = graze_query_collide(plain, graze_at(shape, &home), graze_at(shape, &pose), &def,
                                   &answer) == GRAZE_OK;
        double middle = processor_seconds();
        def.front = front;
        good = good && graze_query_collide(coherent, graze_at(shape, &home), graze_at(shape, &pose),
                                           &def, &kept) == GRAZE_OK;
        out->with += (processor_seconds() - middle) * 1e6 / set->step_count;
        out->plain += (middle - start) * 1e6 / set->step_count;
        if (!good)
            break;
        out->wrong += !same(&kept, answer.pairs, answer.pair_count);
        out->pairs += (double)answer.pair_count / set->step_count;
    }
    out->questions = set->step_count;
    graze_query_free(plain);
    graze_front_free(front);
    graze_query_free(coherent);
    return good;
}

// The fastest of some rounds for each pose.
static bool run_threads(const settings *set, graze_context *context, const graze_shape *shape,
                        line *out)
{
    enum { POSES = 8 };
    graze_query *query = NULL;
    graze_pose home = graze_pose_identity();
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    if (graze_query_create(context, &query) != GRAZE_OK)
        return false;
    bool good = true;
    for (uint32_t i = 0; i < POSES && good; ++i) {
        graze_pose pose = pose_at(0.05, i, 2 * POSES);
        double best[2] = {1e9, 1e9};
        uint64_t found[2] = {0, 0};
        for (int round = 0; round < (set->quick ? 1 : ROUNDS) && good; ++round)
            for (uint32_t shared = 0; shared < 2 && good; ++shared) {
                graze_answer answer;
                def.use_threads = shared;
                double start = seconds_of(CLOCK_MONOTONIC);
                good = graze_query_collide(query, graze_at(shape, &home), graze_at(shape, &pose),
                                           &def, &answer) == GRAZE_OK;
                double seconds = seconds_of(CLOCK_MONOTONIC) - start;
                best[shared] = seconds < best[shared] ? seconds : best[shared];
                found[shared] = good ? answer.pair_count : 0;
            }
        out->plain += best[0] * 1e6 / POSES;
        out->with += best[1] * 1e6 / POSES;
        out->pairs += (double)found[0] / POSES;
        out->wrong += found[0] != found[1];
    }
    out->questions = POSES;
    graze_query_free(query);
    return good;
}

// A scene whose file is missing is left out.
static bool run_scene(const settings *set, graze_context *context, const collide_scene *scene)
{
    collide_model model;
    if (!collide_model_make(context, set->folder, &scene->a, set->quick ? scene->quick : 0, &model))
        return true;
    fprintf(stderr, "bench_motion: %s\n", scene->name);
    graze_mesh_view view = collider_mesh_view(&model.mesh);
    graze_shape *shape = NULL;
    bool good = graze_shape_create(context, &view, NULL, &shape) == GRAZE_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && good; ++i) {
        line l = {.scene = scene->name, .kind = "front", .value = steps[i]};
        good = run_steps(set, context, shape, &l) && l.wrong == 0;
        print_line(&l);
    }
    if (good) {
        line l = {.scene = scene->name, .kind = "threads", .value = THREADS};
        good = run_threads(set, context, shape, &l) && l.wrong == 0;
        print_line(&l);
    }
    graze_shape_free(shape);
    collide_model_free(&model);
    return good;
}

static bool parse(int count, char **words, settings *out)
{
    if (has_option_word(count, words, "--quick"))
        out->step_count = 40;
    const option_word options[] = {
        {"--models", .text = &out->folder},
        {"--steps", .number = &out->step_count},
        {"--quick", .flag = &out->quick},
        {.word = NULL},
    };
    return take_option_words(count, words, options) && out->step_count != 0;
}

int main(int count, char **words)
{
    settings set = {.folder = getenv("GRAZE_MODELS"), .step_count = 5000};
    if (!parse(count, words, &set)) {
        fputs("usage: bench_motion [--models FOLDER] [--steps N] [--quick]\n", stderr);
        return 2;
    }
    graze_context_def def = graze_context_def_default();
    def.thread_count = THREADS;
    graze_context *context = NULL;
    if (graze_context_create(&def, &context) != GRAZE_OK)
        return 1;
    puts("motion_scene,kind,value,questions,plain_us,us,pairs,wrong");
    bool good = true;
    for (const collide_scene *scene = scenes; scene->name != NULL; ++scene)
        if (!set.quick || scene->quick != 0)
            good = run_scene(&set, context, scene) && good;
    graze_context_destroy(context);
    return !good;
}
