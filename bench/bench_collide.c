// How two meshes touch, on one thread: graze beside the engines of others, all on the same poses in
// the same run, all lists of pairs compared.
//   bench_collide [--models FOLDER] [--poses N] [--rounds N] [--milliseconds N] [--scene NAME]
//                 [--engine TEXT] [--question all|first|distance|within] [--quick]
// The procedure is that of the paper on restricted boxtrees, section 5: two objects, mostly equal,
// scaled to fit a cube of size 2; the distance of their centres goes from 0 to 2.4 in steps of 0.2;
// at each one of them tumbles about z and x, a full turn. FOLDER holds the files of the dragon
// (bench/fetch); the environment variable GRAZE_MODELS may name it instead. Engines are chosen by a
// part of their name and setting. --poses is a power of two.
//
// Engines take turns at each distance. One that needs more than the milliseconds gets only the
// first few of the poses, at least one, and no second round; its rival's time is then that for the
// same poses. Prints CSV, one line for each scene, question, engine, distance and round. Columns:
//   poses, microseconds   how many were asked; the mean of their processor times
//   graze_microseconds    of graze's first setting, for the same question and the same poses
//   pairs                 found in these poses together; for other questions: answers of yes
//   wrong                 pairs that graze's first setting found and this engine did not, and those
//                         that it found in addition; for other questions: answers of yes or no that
//                         differ from what graze's pairs say
//   worst                 largest error of a distance, of those that graze says
// Lines with the question `build` have no distance, and others have no
//   build_ms              processor time of making object A
//   bytes_per_triangle    of it: all that must stay in memory to be asked, a mesh included
// A pose is asked once a round, but where this takes less than 20 microseconds it is asked many
// times in a row. Where lists of pairs differ, the first few differences
// are judged by rational arithmetic. The exit code is 1 if graze is wrong in one of them, or in a
// yes or no.
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collide_judge.h"
#include "collide_models.h"
#include "option_words.h"
#include "stopwatch.h"

#define DISTANCES    13
#define STEP         0.2
#define TOLERANCE    0.02 // 1 % of the size
#define SHORT        20e-6
#define LOOP_SECONDS 200e-6
enum { ENGINES_MAX = 32, POSES_MAX = 256 };

typedef struct settings {
    const char *folder, *scene, *engine, *question; // NULL: none; all
    uint32_t pose_count, round_count;
    double milliseconds;
    bool quick;
} settings;

static const char *const questions[COLLIDER_QUESTIONS] = {"all", "first", "distance", "within"};

static const collider_list *const lists[] = {
    &colliders_graze,
#if defined(COLLIDER_EMBREE)
    &colliders_embree,
#endif
#if defined(COLLIDER_OPCODE)
    &colliders_opcode,
#endif
#if defined(COLLIDER_BULLET)
    &colliders_bullet,
#endif
#if defined(COLLIDER_FCL)
    &colliders_fcl,
#endif
#if defined(COLLIDER_CGAL)
    &colliders_cgal,
#endif
};

// What an engine made of a scene.
typedef struct entrant {
    const collider *collider;
    bool ours, is_reference;
    void *object[2], *joined;
    uint32_t pose_count; // that it can do in the time, at the present distance and question
} entrant;

// What the first engine, graze, said at the present distance.
typedef struct reference {
    pair_list found[POSES_MAX];
    double distance[POSES_MAX];
    double seconds[POSES_MAX]; // for the present question; 0 where it was not asked
} reference;

// What is being asked at the moment.
typedef struct moment {
    const settings *set;
    const collide_scene *scene;
    const collider_mesh *mesh[2];
    oracle *referee;
    collider_question question;
    double distance;
    uint32_t round;
    reference *truth;
} moment;

// Of one engine, over some poses.
typedef struct score {
    double seconds, graze_seconds, worst;
    uint64_t positive, wrong;
    uint64_t refuted; // pairs in which graze is wrong
} score;

static uint64_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

// The pairs of the last answer. Without memory there are none, which shows as wrong.
static pair_list fetch_pairs(const entrant *e, uint64_t count)
{
    pair_list set = {malloc((count + 1) * sizeof *set.pairs), count};
    if (set.pairs == NULL)
        return (pair_list){NULL, 0};
    e->collider->list(e->joined, set.pairs);
    pair_list_sort(&set);
    return set;
}

static double time_asks(const entrant *e, collider_question question, const collider_pose *pose,
                        uint32_t count, double *answer)
{
    double (*ask)(void *, const collider_pose *, double) = e->collider->ask[question];
    double start = processor_seconds();
    for (uint32_t i = 0; i < count; ++i)
        *answer = ask(e->joined, pose, TOLERANCE);
    return (processor_seconds() - start) / count;
}

// Seconds for one pose, asked once, as the next pose finds the caches. Only where it takes no more
// than a look at the clock, once the caches hold what it needs, the mean of many counts.
static double time_pose(const entrant *e, collider_question question, const collider_pose *pose,
                        double *answer)
{
    if (e->collider->place != NULL)
        e->collider->place(e->joined, pose);
    double first = time_asks(e, question, pose, 1, answer);
    if (first > 10 * SHORT)
        return first;
    double again = time_asks(e, question, pose, 1, answer);
    if (again > SHORT)
        return first;
    return time_asks(e, question, pose, (uint32_t)(LOOP_SECONDS / fmax(again, SHORT / 50)), answer);
}

// Holds lists of pairs against each other; the reference keeps its own.
static void judge_pairs(const moment *m, const entrant *e, uint32_t pose, uint64_t count,
                        score *sum)
{
    pair_list found = fetch_pairs(e, count), *truth = &m->truth->found[pose];
    if (e->is_reference) {
        free(truth->pairs);
        *truth = found;
        return;
    }
    collider_pose at = collide_pose(m->distance, pose, m->set->pose_count);
    pair_verdict verdict = pair_list_judge(m->referee, m->mesh[0], m->mesh[1], &at, truth, &found);
    free(found.pairs);
    sum->wrong += verdict.different;
    sum->refuted += verdict.refuted;
}

// Is a yes or no wrong? Whether they are within a tolerance is known from a distance only.
static bool is_wrong(const moment *m, uint32_t pose, bool yes)
{
    if (m->question != COLLIDER_WITHIN)
        return yes != (m->truth->found[pose].count != 0);
    double distance = m->truth->distance[pose];
    return distance >= 0 && yes != (distance <= TOLERANCE);
}

static void judge(const moment *m, const entrant *e, uint32_t pose, double answer, score *sum)
{
    if (m->question == COLLIDER_ALL) {
        sum->positive += (uint64_t)answer;
        judge_pairs(m, e, pose, (uint64_t)answer, sum);
        return;
    }
    double *distance = &m->truth->distance[pose];
    if (m->question == COLLIDER_DISTANCE && e->is_reference)
        *distance = answer;
    if (m->question == COLLIDER_DISTANCE && *distance >= 0)
        sum->worst = fmax(sum->worst, fabs(answer - *distance));
    bool yes = m->question == COLLIDER_DISTANCE ? answer <= 0 : answer != 0;
    sum->positive += yes;
    sum->wrong += is_wrong(m, pose, yes);
}

static void print_score(const moment *m, const entrant *e, const score *sum)
{
    printf("%s,%s,%s,%s,%.1f,%u,%u,%.3f,", m->scene->name, questions[m->question],
           e->collider->engine, e->collider->setting, m->distance, m->round, e->pose_count,
           sum->seconds * 1e6 / e->pose_count);
    if (sum->graze_seconds > 0)
        printf("%.3f", sum->graze_seconds * 1e6 / e->pose_count);
    printf(",%llu,%llu,", (unsigned long long)sum->positive, (unsigned long long)sum->wrong);
    if (m->question == COLLIDER_DISTANCE && sum->worst > 0)
        printf("%.3g", sum->worst);
    printf(",,\n");
    fflush(stdout);
}

// One engine's turn: as many of the poses as fit into the time. Returns how many it got wrong.
static uint64_t take_turn(const moment *m, entrant *e)
{
    double seconds = m->set->milliseconds * 1e-3;
    uint32_t limit = m->round == 1 ? m->set->pose_count : e->pose_count, i = 0;
    if (limit == 0)
        return 0;
    score sum = {0};
    for (; i < limit && (m->round > 1 || e->is_reference || sum.seconds < seconds); ++i) {
        collider_pose pose = collide_pose(m->distance, i, m->set->pose_count);
        double answer, time = time_pose(e, m->question, &pose, &answer);
        if (e->is_reference)
            m->truth->seconds[i] = time;
        sum.seconds += time;
        sum.graze_seconds += m->truth->seconds[i];
        judge(m, e, i, answer, &sum);
    }
    e->pose_count = i;
    print_score(m, e, &sum);
    if (sum.seconds > 2 * seconds)
        e->pose_count = 0; // once is enough
    return sum.refuted + (e->ours ? sum.wrong : 0);
}

static bool is_wanted(const settings *set, const collider *c)
{
    char full_name[128];
    snprintf(full_name, sizeof full_name, "%s, %s", c->engine, c->setting);
    return set->engine == NULL || strstr(full_name, set->engine) != NULL;
}

// Makes object A with the clock running, and B.
static bool enter(const collide_scene *scene, const collide_model models[2], entrant *e)
{
    const collider *c = e->collider;
    const collider_mesh *mesh = &models[0].mesh;
    uint64_t bytes = allocated();
    double start = processor_seconds();
    e->object[0] = c->build(mesh);
    double seconds = processor_seconds() - start;
    bytes = allocated() - bytes;
    if (e->object[0] == NULL)
        return false;
    if (c->bytes != NULL)
        bytes = c->bytes(e->object[0], bytes);
    if (c->needs_mesh)
        bytes += mesh->vertex_count * sizeof *mesh->vertices +
                 mesh->triangle_count * sizeof *mesh->corners;
    printf("%s,build,%s,%s,,1,,,,,,,%.3f,%.1f\n", scene->name, c->engine, c->setting, seconds * 1e3,
           (double)bytes / mesh->triangle_count);
    e->object[1] = scene->b.name == NULL ? e->object[0] : c->build(&models[1].mesh);
    e->joined = e->object[1] != NULL ? c->join(e->object[0], e->object[1]) : NULL;
    return e->joined != NULL;
}

static void leave(const entrant *e)
{
    if (e->joined != NULL)
        e->collider->part(e->joined);
    if (e->object[1] != NULL && e->object[1] != e->object[0])
        e->collider->drop(e->object[1]);
    if (e->object[0] != NULL)
        e->collider->drop(e->object[0]);
}

// The first one is graze, whose answers are the reference, whatever is chosen.
static uint32_t enter_all(const settings *set, const collide_scene *scene,
                          const collide_model models[2], entrant *entrants)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        for (uint32_t k = 0; k < lists[i]->count && count < ENGINES_MAX; ++k) {
            entrant e = {.collider = &lists[i]->colliders[k],
                         .ours = i == 0,
                         .is_reference = i == 0 && k == 0};
            if (!e.is_reference && !is_wanted(set, e.collider))
                continue;
            if (enter(scene, models, &e)) {
                entrants[count++] = e;
                continue;
            }
            fprintf(stderr, "bench_collide: %s: %s, %s is left out: it did not build\n",
                    scene->name, e.collider->engine, e.collider->setting);
            leave(&e);
        }
    return count;
}

static uint64_t run_question(moment *m, entrant *entrants, uint32_t count)
{
    uint64_t wrong = 0;
    memset(m->truth->seconds, 0, sizeof m->truth->seconds);
    for (m->round = 1; m->round <= m->set->round_count; ++m->round)
        for (uint32_t i = 0; i < count; ++i)
            if (entrants[i].collider->ask[m->question] != NULL)
                wrong += take_turn(m, &entrants[i]);
    return wrong;
}

static uint64_t run_distances(const settings *set, const collide_scene *scene,
                              const collide_model models[2], entrant *entrants, uint32_t count)
{
    uint64_t wrong = 0;
    moment m = {.set = set, .scene = scene, .truth = calloc(1, sizeof *m.truth)};
    m.mesh[0] = &models[0].mesh;
    m.mesh[1] = &models[scene->b.name != NULL].mesh;
    m.referee = oracle_create();
    if (m.truth == NULL || m.referee == NULL)
        return 1;
    for (uint32_t step = 0; step < DISTANCES; ++step) {
        m.distance = step * STEP;
        for (uint32_t i = 0; i < POSES_MAX; ++i)
            m.truth->distance[i] = -1;
        // All pairs come first, then distances: other answers are judged by them.
        for (uint32_t q = 0; q < COLLIDER_QUESTIONS; ++q) {
            m.question = (collider_question)q;
            if (q == COLLIDER_ALL || set->question == NULL ||
                strcmp(set->question, questions[q]) == 0)
                wrong += run_question(&m, entrants, count);
        }
    }
    for (uint32_t i = 0; i < POSES_MAX; ++i)
        free(m.truth->found[i].pairs);
    free(m.truth);
    oracle_destroy(m.referee);
    return wrong;
}

// False if graze was wrong. A scene whose files are missing is left out.
static bool run_scene(const settings *set, graze_context *context, const collide_scene *scene)
{
    collide_model models[2] = {0};
    uint32_t quick = set->quick ? scene->quick : 0, count = 0;
    uint64_t wrong = 0;
    entrant entrants[ENGINES_MAX];
    if (collide_model_make(context, set->folder, &scene->a, quick, &models[0]) &&
        (scene->b.name == NULL ||
         collide_model_make(context, set->folder, &scene->b, quick, &models[1]))) {
        fprintf(stderr, "bench_collide: %s\n", scene->name);
        count = enter_all(set, scene, models, entrants);
        wrong = run_distances(set, scene, models, entrants, count);
    }
    for (uint32_t i = 0; i < count; ++i)
        leave(&entrants[i]);
    collide_model_free(&models[0]);
    collide_model_free(&models[1]);
    if (wrong != 0)
        fprintf(stderr, "bench_collide: %s: graze was wrong\n", scene->name);
    return wrong == 0;
}

static bool parse(int count, char **words, settings *out)
{
    if (has_option_word(count, words, "--quick")) {
        out->pose_count = 2;
        out->round_count = 1;
    }
    const option_word options[] = {
        {"--models", .text = &out->folder},
        {"--poses", .number = &out->pose_count},
        {"--rounds", .number = &out->round_count},
        {"--milliseconds", .real = &out->milliseconds},
        {"--scene", .text = &out->scene},
        {"--engine", .text = &out->engine},
        {"--question", .text = &out->question},
        {"--quick", .flag = &out->quick},
        {.word = NULL},
    };
    if (!take_option_words(count, words, options))
        return false;
    uint32_t poses = out->pose_count;
    return poses > 0 && poses <= POSES_MAX && (poses & (poses - 1)) == 0;
}

int main(int count, char **words)
{
    settings set = {
        .folder = getenv("GRAZE_MODELS"), .pose_count = 16, .round_count = 2, .milliseconds = 150};
    if (!parse(count, words, &set)) {
        fprintf(stderr, "usage: bench_collide [--models FOLDER] [--poses N] [--rounds N] "
                        "[--milliseconds N] [--scene NAME] [--engine TEXT] "
                        "[--question all|first|distance|within] [--quick]\n");
        return 2;
    }
    graze_context *context = NULL;
    if (graze_context_create(NULL, &context) != GRAZE_OK)
        return 1;
    printf("scene,question,engine,setting,distance,round,poses,microseconds,graze_microseconds,"
           "pairs,wrong,worst,build_ms,bytes_per_triangle\n");
    bool good = true;
    for (const collide_scene *scene = collide_scenes; scene->name != NULL; ++scene)
        if ((set.scene == NULL || strcmp(set.scene, scene->name) == 0) &&
            (!set.quick || scene->quick != 0))
            good = run_scene(&set, context, scene) && good;
    graze_context_destroy(context);
    return good ? 0 : 1;
}
