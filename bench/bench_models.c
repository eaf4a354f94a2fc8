// What models cost that do not fit into memory: the size of the cache against time and reads.
//   bench_models [--models FOLDER] [--triangles N] [--quick]
// The Stanford dragon, made finer until it has N triangles, 31 million unless told otherwise, and a
// turbine of 1.7 million are built into model files and asked for all pairs along a path on which
// they are in contact. Where there is no dragon in the folder, a terrain takes its place. For each
// size of the cache the path is walked with nothing in memory at first:
//   direct   reads go past the system's memory (O_DIRECT), and pages are read when they are needed
//   cold     the same, and pages are read ahead of time
//   warm     the system has the files in its memory, and pages are read ahead of time
// Each walk is a process of its own. Cold ones are left out where the disk cannot read directly.
//
// Prints CSV, one line for each size of the cache and walk. Columns:
//   cache_mib          the limit
//   walk               see above
//   poses, pairs       on the path; pairs are the mean of a pose
//   microseconds       mean time of a pose, by the clock
//   processor          the same, of the processor
//   loads              clusters that were read and made ready
//   reads, megabytes   of the files
//   stalls             times that somebody waited for a page
//   hits               clusters that were there
//   context_mib        of all memory that the context held, at most
//   resident_mib       of the process, at most
//   wrong              poses with another number of pairs than in the first walk
// Lines that begin with "# build" tell triangles, seconds, bytes a triangle and peak MiB of a
// build. The exit code is 1 if some answer differs.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "graze/graze.h"
#include "large_mesh.h"
#include "option_words.h"
#include "shapes.h"
#include "stopwatch.h"

enum { POSES = 10, CANNOT = 77 };

typedef struct walk {
    const char *name;
    bool direct;
    bool late; // pages are not read ahead of time
} walk;

// What the processes share.
typedef struct bench {
    const char *models;
    uint32_t triangles; // of the large one
    bool quick, dragon;
    char folder[64], path[2][96];
    uint64_t pairs[POSES]; // as first found
    bool known;
    uint32_t wrong;
    uint64_t mib; // of this walk
    walk walk;
} bench;

// The size of the turbine, so that the two fit together.
static double size_of_part(const bench *b) { return b->dragon ? 0.15 : 2; }

static bool write_turbine(const bench *b, const char *path)
{
    graze_context *context = NULL;
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    generator_shape_def part = {
        .kind = "turbine", .triangle_count = b->quick ? 20000 : 1700000, .size = size_of_part(b)};
    bool good = graze_context_create(NULL, &context) == GRAZE_OK &&
                graze_mesh_writer_open(context, path, NULL, &sink, &writer) == GRAZE_OK &&
                generator_shape_stream(&part, &sink) == GRAZE_OK &&
                graze_mesh_writer_commit(writer) == GRAZE_OK;
    graze_context_destroy(context);
    return good;
}

static bool build_model(bench *b, bool large)
{
    const char *name = !large ? "turbine" : b->dragon ? "dragon" : "terrain";
    char mesh[96], *path = b->path[large ? 0 : 1];
    snprintf(mesh, sizeof mesh, "%s/mesh.ply", b->folder);
    if (!(large ? large_mesh_write(b->models, b->triangles, mesh) : write_turbine(b, mesh)))
        return false;
    graze_context *context = NULL;
    graze_model *model = NULL;
    double start = seconds_of(CLOCK_MONOTONIC);
    bool good = graze_context_create(NULL, &context) == GRAZE_OK &&
                graze_model_build(context, mesh, path, NULL) == GRAZE_OK &&
                graze_model_open(context, path, &model) == GRAZE_OK;
    if (good) {
        graze_model_info info = graze_model_get_info(model);
        printf("# build %s: %llu triangles, %.2f s, %.2f bytes a triangle, %.1f MiB at most\n",
               name, (unsigned long long)info.triangle_count, seconds_of(CLOCK_MONOTONIC) - start,
               (double)info.file_bytes / (double)info.triangle_count,
               (double)graze_context_memory(context).peak_bytes / 1048576);
    }
    graze_model_free(model);
    graze_context_destroy(context);
    unlink(mesh);
    return good;
}

static int build_both(bench *b) { return build_model(b, true) && build_model(b, false) ? 0 : 1; }

static graze_pose pose_at(const bench *b, int index)
{
    static const double axis[3] = {0.36, 0.48, 0.8};
    double through[3] = {-0.07 + 0.008 * index, 0.12, 0.002 * index};
    double over[3] = {0.3 + 0.02 * index, 0.1, 0.05};
    graze_pose pose;
    graze_pose_from_axis(axis, 0.4 + 0.02 * index, b->dragon ? through : over, &pose);
    return pose;
}

static bool walk_path(bench *b, graze_context *context, graze_model *model, const graze_shape *a,
                      const graze_shape *other)
{
    graze_query *query = NULL;
    graze_pose home = graze_pose_identity();
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    uint32_t wrong = 0;
    double pairs = 0, start = seconds_of(CLOCK_MONOTONIC), processor = processor_seconds();
    bool good = graze_query_create(context, &query) == GRAZE_OK;
    for (int i = 0; i < POSES && good; ++i) {
        graze_pose pose = pose_at(b, i);
        graze_answer answer;
        good = graze_query_collide(query, graze_at(a, &home), graze_at(other, &pose), &def,
                                   &answer) == GRAZE_OK;
        if (!good)
            break;
        wrong += b->known && b->pairs[i] != answer.pair_count;
        b->pairs[i] = b->known ? b->pairs[i] : answer.pair_count;
        pairs += (double)answer.pair_count / POSES;
    }
    double seconds = seconds_of(CLOCK_MONOTONIC) - start;
    graze_cache_use use = graze_model_cache_use(model);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    if (good)
        printf("%llu,%s,%d,%.1f,%.1f,%.1f,%llu,%llu,%.2f,%llu,%llu,%.2f,%.2f,%u\n",
               (unsigned long long)b->mib, b->walk.name, POSES, pairs, seconds * 1e6 / POSES,
               (processor_seconds() - processor) * 1e6 / POSES, (unsigned long long)use.loads,
               (unsigned long long)use.reads, (double)use.bytes_read / 1e6,
               (unsigned long long)use.stalls, (unsigned long long)use.hits,
               (double)graze_context_memory(context).peak_bytes / 1048576,
               (double)used.ru_maxrss / 1024, wrong);
    b->known = true;
    b->wrong += wrong;
    graze_query_free(query);
    return good;
}

static int walk_once(bench *b)
{
    graze_context_def def = graze_context_def_default();
    def.cache_byte_limit = b->mib << 20;
    def.thread_count = 1;
    graze_context *context = NULL;
    graze_model *model[2] = {NULL, NULL};
    graze_shape *shape[2] = {NULL, NULL};
    bool good = graze_context_create(&def, &context) == GRAZE_OK;
    if (good) {
        gz_knobs_for(context)->direct_reads = b->walk.direct;
        gz_knobs_for(context)->read_late = b->walk.late;
    }
    graze_status status = GRAZE_OK;
    for (int i = 0; i < 2 && good; ++i) {
        status = graze_model_open(context, b->path[i], &model[i]);
        good = status == GRAZE_OK && graze_shape_from_model(model[i], &shape[i]) == GRAZE_OK;
    }
    bool direct_fails = b->walk.direct && status == GRAZE_ERROR_IO;
    good = good && walk_path(b, context, model[0], shape[0], shape[1]);
    for (int i = 0; i < 2; ++i) {
        graze_shape_free(shape[i]);
        graze_model_free(model[i]);
    }
    graze_context_destroy(context);
    return good ? 0 : direct_fails ? CANNOT : 1;
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
        return 1;
    return WEXITSTATUS(status);
}

static bool run_sizes(bench *b)
{
    static const walk walks[] = {
        {"direct", true, true}, {"cold", true, false}, {"warm", false, false}};
    printf("cache_mib,walk,poses,pairs,microseconds,processor,loads,reads,megabytes,stalls,hits,"
           "context_mib,resident_mib,wrong\n");
    for (b->mib = b->quick ? 2 : 8; b->mib <= (b->quick ? 4u : 512u); b->mib *= 2)
        for (int i = 0; i < 3; ++i) {
            b->walk = walks[i];
            int result = in_child(b, walk_once);
            if (result != 0 && result != CANNOT)
                return false;
        }
    return true;
}

int main(int count, char **words)
{
    bench *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) {
        perror("bench_models");
        return 1;
    }
    b->triangles = 31000000;
    const option_word options[] = {
        {.word = "--models", .text = &b->models},
        {.word = "--triangles", .number = &b->triangles},
        {.word = "--quick", .flag = &b->quick},
        {.word = NULL},
    };
    if (!take_option_words(count, words, options)) {
        fprintf(stderr, "usage: bench_models [--models FOLDER] [--triangles N] [--quick]\n");
        return 2;
    }
    if (b->quick && !has_option_word(count, words, "--triangles"))
        b->triangles = 40000;
    b->dragon = large_mesh_is_dragon(b->models);
    const char *large = getenv("TMPDIR");
    snprintf(b->folder, sizeof b->folder, "%.40s/graze_bench_XXXXXX",
             large != NULL ? large : "/tmp");
    if (mkdtemp(b->folder) == NULL) {
        perror(b->folder);
        return 1;
    }
    for (int i = 0; i < 2; ++i)
        snprintf(b->path[i], sizeof b->path[i], "%s/%d.graze", b->folder, i);
    bool good = in_child(b, build_both) == 0 && run_sizes(b);
    for (int i = 0; i < 2; ++i)
        unlink(b->path[i]);
    rmdir(b->folder);
    if (!good)
        fprintf(stderr, "bench_models: a model could not be built or asked\n");
    return !good || b->wrong != 0;
}
