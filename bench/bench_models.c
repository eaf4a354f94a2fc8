// What models cost that do not fit into memory: the size of the cache against time and bytes read.
//   bench_models [--triangles N] [--quick]
// A terrain of N triangles, 30 million unless told otherwise, and a turbine of 1.7 million are
// built into model files and asked for all pairs along a path on which they are in contact. For
// each size of the cache the path is walked twice: with the pages out of the system's memory, as
// far as it lets us, and again.
//
// Prints CSV, one line for each size of the cache and walk. Columns:
//   cache_mib          the limit
//   walk               cold or warm
//   poses, pairs       on the path; pairs are the mean of a pose
//   microseconds       mean time of a pose, by the clock
//   loads, megabytes   clusters that were read in this walk, and bytes of their pages
//   hits               clusters that were there
//   peak_mib           of all memory that the context held, at most
//   wrong              poses with another number of pairs than in the first walk
// Lines that begin with "build" tell triangles, seconds, bytes a triangle and peak MiB of a build.
// The exit code is 1 if some answer differs.
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graze/graze.h"
#include "option_words.h"
#include "shapes.h"
#include "stopwatch.h"

enum { POSES = 4 };

typedef struct settings {
    uint32_t triangles; // of the large one
    bool quick;
    char folder[64];
} settings;

typedef struct two_models {
    char path[2][96];
    uint64_t pairs[POSES]; // as first found
    bool known;
} two_models;

static bool build_model(const settings *set, const char *kind, uint64_t triangles, char path[96])
{
    graze_context *context = NULL;
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    graze_mesh_write_def order = graze_mesh_write_def_default();
    scene_shape_def def = {.kind = kind, .triangle_count = triangles, .size = 2};
    char mesh[96];
    snprintf(mesh, sizeof mesh, "%s/%s.ply", set->folder, kind);
    snprintf(path, 96, "%s/%s.graze", set->folder, kind);
    order.order = GRAZE_ORDER_VERTICES_FIRST;
    bool good = graze_context_create(NULL, &context) == GRAZE_OK &&
                graze_mesh_writer_open(context, mesh, &order, &sink, &writer) == GRAZE_OK &&
                scene_shape_stream(&def, &sink) == GRAZE_OK;
    good = good && graze_mesh_writer_commit(writer) == GRAZE_OK;
    graze_context_destroy(context);
    context = NULL;
    double start = seconds_of(CLOCK_MONOTONIC);
    graze_model *model = NULL;
    good = good && graze_context_create(NULL, &context) == GRAZE_OK &&
           graze_model_build(context, mesh, path, NULL) == GRAZE_OK &&
           graze_model_open(context, path, &model) == GRAZE_OK;
    if (good) {
        graze_model_info info = graze_model_get_info(model);
        printf("# build %s: %llu triangles, %.2f s, %.2f bytes a triangle, %.1f MiB at most\n",
               kind, (unsigned long long)info.triangle_count, seconds_of(CLOCK_MONOTONIC) - start,
               (double)info.file_bytes / (double)info.triangle_count,
               (double)graze_context_memory(context).peak_bytes / 1048576);
    }
    graze_model_free(model);
    graze_context_destroy(context);
    unlink(mesh);
    return good;
}

// Asks the system to forget what it has of a file.
static void forget_pages(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    fdatasync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
}

static graze_pose pose_at(int index)
{
    static const double axis[3] = {0.36, 0.48, 0.8};
    double translation[3] = {0.3 + 0.02 * index, 0.1, 0.05};
    graze_pose pose;
    graze_pose_from_axis(axis, 0.4 + 0.01 * index, translation, &pose);
    return pose;
}

static bool walk_path(graze_context *context, graze_model *model, const graze_shape *a,
                      const graze_shape *b, two_models *two, uint64_t mib, const char *name,
                      uint32_t *wrong_sum)
{
    graze_query *query = NULL;
    graze_pose home = graze_pose_identity();
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    graze_cache_use before = graze_model_cache_use(model);
    uint32_t wrong = 0;
    double pairs = 0, start = seconds_of(CLOCK_MONOTONIC);
    bool good = graze_query_create(context, &query) == GRAZE_OK;
    for (int i = 0; i < POSES && good; ++i) {
        graze_pose pose = pose_at(i);
        graze_answer answer;
        good = graze_query_collide(query, a, &home, b, &pose, &def, &answer) == GRAZE_OK;
        if (!good)
            break;
        wrong += two->known && two->pairs[i] != answer.pair_count;
        two->pairs[i] = two->known ? two->pairs[i] : answer.pair_count;
        pairs += (double)answer.pair_count / POSES;
    }
    two->known = true;
    double seconds = seconds_of(CLOCK_MONOTONIC) - start;
    graze_cache_use after = graze_model_cache_use(model);
    if (good)
        printf("%llu,%s,%d,%.1f,%.1f,%llu,%.2f,%llu,%.2f,%u\n", (unsigned long long)mib, name,
               POSES, pairs, seconds * 1e6 / POSES,
               (unsigned long long)(after.loads - before.loads),
               (double)(after.bytes_read - before.bytes_read) / 1e6,
               (unsigned long long)(after.hits - before.hits),
               (double)graze_context_memory(context).peak_bytes / 1048576, wrong);
    fflush(stdout);
    *wrong_sum += wrong;
    graze_query_free(query);
    return good;
}

static bool run_size(two_models *two, uint64_t mib, uint32_t *wrong)
{
    graze_context_def def = graze_context_def_default();
    def.cache_byte_limit = mib << 20;
    def.thread_count = 1;
    graze_context *context = NULL;
    graze_model *model[2] = {NULL, NULL};
    graze_shape *shape[2] = {NULL, NULL};
    bool good = graze_context_create(&def, &context) == GRAZE_OK;
    for (int i = 0; i < 2 && good; ++i) {
        forget_pages(two->path[i]);
        good = graze_model_open(context, two->path[i], &model[i]) == GRAZE_OK &&
               graze_shape_from_model(model[i], &shape[i]) == GRAZE_OK;
    }
    good = good && walk_path(context, model[0], shape[0], shape[1], two, mib, "cold", wrong) &&
           walk_path(context, model[0], shape[0], shape[1], two, mib, "warm", wrong);
    for (int i = 0; i < 2; ++i) {
        graze_shape_free(shape[i]);
        graze_model_free(model[i]);
    }
    graze_context_destroy(context);
    return good;
}

int main(int count, char **words)
{
    settings set = {.triangles = 30000000, .folder = "/tmp/graze_bench_XXXXXX"};
    const option_word options[] = {
        {.word = "--triangles", .number = &set.triangles},
        {.word = "--quick", .flag = &set.quick},
        {.word = NULL},
    };
    if (!take_option_words(count, words, options)) {
        fprintf(stderr, "usage: bench_models [--triangles N] [--quick]\n");
        return 2;
    }
    if (set.quick && !has_option_word(count, words, "--triangles"))
        set.triangles = 40000;
    const char *large = getenv("TMPDIR");
    if (large != NULL)
        snprintf(set.folder, sizeof set.folder, "%.40s/graze_bench_XXXXXX", large);
    if (mkdtemp(set.folder) == NULL) {
        perror(set.folder);
        return 1;
    }
    two_models two = {0};
    uint32_t wrong = 0;
    bool good = build_model(&set, "terrain", set.triangles, two.path[0]) &&
                build_model(&set, "turbine", set.quick ? 20000 : 1700000, two.path[1]);
    printf("cache_mib,walk,poses,pairs,microseconds,loads,megabytes,hits,peak_mib,wrong\n");
    for (uint64_t mib = set.quick ? 2 : 8; mib <= (set.quick ? 4u : 512u) && good;
         mib *= set.quick ? 2 : 4)
        good = run_size(&two, mib, &wrong);
    for (int i = 0; i < 2; ++i)
        unlink(two.path[i]);
    rmdir(set.folder);
    if (!good)
        fprintf(stderr, "bench_models: a model could not be built or asked\n");
    return !good || wrong != 0;
}
