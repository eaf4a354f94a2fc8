// What building models costs as they grow, and how tight the bounds of their levels are.
//   bench_builds [--models FOLDER] [--memory MIB] [--most TRIANGLES] [--quick]
// The Stanford dragon, and the same made finer by 4, 9, 16, 36 and 64 times, up to 60 million
// triangles or as many as are allowed, is built into models in 512 MiB or what is said, on all
// threads, each in a process of its own. Where there is no dragon in the folder, a terrain takes
// its place.
//
// Prints CSV, one line for each mesh. Columns:
//   build_mesh           its name
//   triangles, levels    how many it has
//   root                 triangles of the coarsest level
//   seconds              by the clock
//   processor            of all threads
//   bytes_a_triangle     of the file, everything included
//   context_mib          memory that the context held at most
//   resident_mib         of the process, at most
//   open_ms, open_mib    to open the model: time by the clock, the least of five, and memory
//   forward_median, forward_95, backward_median, backward_95
//                        bounds of steps against the truth, see tests/support/tightness.h, from a
//                        second build; empty for meshes of more than 300,000 triangles, where that
//                        would take more memory than is allowed
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
#include "tightness.h"

enum { MOST_COMPARED = 300000 };

typedef struct bench {
    const char *models;
    uint32_t memory, most;
    bool quick;
    char folder[64], mesh[96], model[96], tight[96];
} bench;

static graze_model *build(const bench *b, bool long_regions, const char *path,
                          graze_context **context)
{
    graze_model *model = NULL;
    graze_model_build_def def = graze_model_build_def_default();
    def.memory_bytes = (uint64_t)b->memory << 20;
    if (graze_context_create(NULL, context) != GRAZE_OK)
        return NULL;
    gz_knobs_for((*context))->long_regions = long_regions;
    if (graze_model_build(*context, b->mesh, path, &def) != GRAZE_OK ||
        graze_model_open(*context, path, &model) != GRAZE_OK)
        return NULL;
    return model;
}

static bool print_tightness(const bench *b, graze_model *usual)
{
    graze_context *context = NULL;
    graze_model *tight = build(b, true, b->tight, &context);
    bool good = tight != NULL;
    for (int backward = 0; backward < 2 && good; ++backward) {
        tightness t;
        good = tightness_compare(usual, tight, backward == 1, &t);
        if (good)
            printf(",%.3f,%.3f", tightness_part(&t, 0.5), tightness_part(&t, 0.95));
        free(t.ratio);
    }
    graze_model_free(tight);
    graze_context_destroy(context);
    unlink(b->tight);
    return good;
}

// What opening takes, in a context of its own.
static bool print_opening(const char *path)
{
    double least = 0, mib = 0;
    for (int i = 0; i < 5; ++i) {
        graze_context *context = NULL;
        graze_model *model = NULL;
        if (graze_context_create(NULL, &context) != GRAZE_OK)
            return false;
        double start = seconds_of(CLOCK_MONOTONIC);
        graze_status status = graze_model_open(context, path, &model);
        double seconds = seconds_of(CLOCK_MONOTONIC) - start;
        least = i == 0 || seconds < least ? seconds : least;
        mib = (double)graze_context_memory(context).current_bytes / 1048576;
        graze_model_free(model);
        graze_context_destroy(context);
        if (status != GRAZE_OK)
            return false;
    }
    printf(",%.2f,%.2f", 1000 * least, mib);
    return true;
}

static bool measure(const bench *b, const char *name)
{
    graze_context *context = NULL;
    double start = seconds_of(CLOCK_MONOTONIC), processor = processor_seconds();
    graze_model *model = build(b, false, b->model, &context);
    double seconds = seconds_of(CLOCK_MONOTONIC) - start;
    processor = processor_seconds() - processor;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    bool good = model != NULL;
    if (good) {
        graze_model_info info = graze_model_get_info(model);
        uint32_t levels = graze_model_level_count(model);
        graze_model_level root = graze_model_get_level(model, levels - 1);
        printf("%s,%llu,%u,%llu,%.2f,%.2f,%.3f,%.1f,%.1f", name,
               (unsigned long long)info.triangle_count, levels,
               (unsigned long long)root.triangle_count, seconds, processor,
               (double)info.file_bytes / (double)info.triangle_count,
               (double)graze_context_memory(context).peak_bytes / 1048576,
               (double)used.ru_maxrss / 1024);
        good = print_opening(b->model);
        if (info.triangle_count > MOST_COMPARED)
            printf(",,,,");
        else
            good = good && print_tightness(b, model);
        printf("\n");
    }
    graze_model_free(model);
    graze_context_destroy(context);
    unlink(b->model);
    return good;
}

static bool write_shape(const bench *b, const char *kind, uint64_t triangle_count)
{
    graze_context *context = NULL;
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    generator_shape_def def = {.kind = kind, .triangle_count = triangle_count, .size = 2};
    bool good = graze_context_create(NULL, &context) == GRAZE_OK &&
                graze_mesh_writer_open(context, b->mesh, NULL, &sink, &writer) == GRAZE_OK &&
                generator_shape_stream(&def, &sink) == GRAZE_OK &&
                graze_mesh_writer_commit(writer) == GRAZE_OK;
    graze_context_destroy(context);
    return good;
}

// In a process of its own, so that its memory is what it needs. Without a kind: the large mesh.
static bool run(const bench *b, const char *kind, uint64_t triangle_count)
{
    bool written = kind != NULL ? write_shape(b, kind, triangle_count)
                                : large_mesh_write(b->models, triangle_count, b->mesh);
    const char *large = large_mesh_is_dragon(b->models) ? "dragon" : "terrain";
    int status = 1;
    fflush(stdout);
    pid_t child = written ? fork() : -1;
    if (child == 0) {
        bool good = measure(b, kind != NULL ? kind : large);
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    bool good = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    unlink(b->mesh);
    return good;
}

static bool run_all(const bench *b)
{
    static const char *const kinds[] = {"terrain", "knot", "gear", "plates", "soup"};
    static const uint32_t factors[] = {1, 4, 9, 16, 36, 64};
    printf("build_mesh,triangles,levels,root,seconds,processor,bytes_a_triangle,context_mib,"
           "resident_mib,open_ms,open_mib,forward_median,forward_95,backward_median,backward_95\n");
    for (int i = 0; i < 5; ++i)
        if (!run(b, kinds[i], b->quick ? 4000 : 100000))
            return false;
    for (int i = 0; i < 6; ++i) {
        uint64_t count = (b->quick ? UINT64_C(5000) : UINT64_C(871414)) * factors[i];
        if (count <= b->most && !run(b, NULL, count))
            return false;
    }
    return true;
}

int main(int count, char **words)
{
    bench b = {.memory = 512, .most = 60000000};
    const option_word options[] = {
        {.word = "--models", .text = &b.models},
        {.word = "--memory", .number = &b.memory},
        {.word = "--most", .number = &b.most},
        {.word = "--quick", .flag = &b.quick},
        {.word = NULL},
    };
    if (!take_option_words(count, words, options)) {
        fprintf(stderr, "usage: bench_builds [--models FOLDER] [--memory MIB] [--most TRIANGLES] "
                        "[--quick]\n");
        return 2;
    }
    if (b.quick && !has_option_word(count, words, "--most"))
        b.most = 20000;
    if (b.quick)
        b.models = NULL;
    const char *large = getenv("TMPDIR");
    snprintf(b.folder, sizeof b.folder, "%.40s/graze_bench_XXXXXX", large != NULL ? large : "/tmp");
    if (mkdtemp(b.folder) == NULL) {
        perror(b.folder);
        return 1;
    }
    snprintf(b.mesh, sizeof b.mesh, "%s/mesh.ply", b.folder);
    snprintf(b.model, sizeof b.model, "%s/usual.graze", b.folder);
    snprintf(b.tight, sizeof b.tight, "%s/tight.graze", b.folder);
    bool good = run_all(&b);
    rmdir(b.folder);
    if (!good)
        fprintf(stderr, "bench_builds: a model could not be built\n");
    return good ? 0 : 1;
}
