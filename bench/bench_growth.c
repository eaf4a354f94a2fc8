// How building and asking grow with the number of triangles, on one thread.
//   bench_growth [--shape NAME] [--from N] [--to N] [--poses N] [--quick]
// One shape of `graze make` at sizes from N to N triangles, each about 3.16 times the one before;
// it meets itself in a cube of size 2, the centres 0.4 apart (contact) and 2.1 apart (none),
// tumbling as in bench_collide.
//
// Prints CSV, one line for each size. Columns:
//   best_ms, quick_ms   processor time to build, with care and quickly
//   bytes_per_triangle, compact_bytes_per_triangle   of the shape, its triangles included
//   all_us, pairs       mean processor time for all pairs, and how many there are
//   first_us            for a first contact
//   distance_us         for the distance, where there is no contact
// The exit code is 1 if something failed.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collide_models.h"
#include "graze/graze.h"
#include "option_words.h"
#include "stopwatch.h"

typedef struct settings {
    const char *shape;
    double from, to;
    uint32_t pose_count;
    bool quick;
} settings;

// What was found for one size.
typedef struct row {
    double best, quick;
    double bytes, compact_bytes;
    double all, first, distance;
    double pairs;
} row;

static graze_shape *build(graze_context *context, const graze_mesh_view *view, graze_build care,
                          graze_layout layout, double *seconds, double *bytes)
{
    graze_shape_def def = graze_shape_def_default();
    def.build = care;
    def.layout = layout;
    graze_shape *shape = NULL;
    double start = processor_seconds();
    if (graze_shape_create(context, view, &def, &shape) != GRAZE_OK)
        return NULL;
    *seconds = processor_seconds() - start;
    *bytes = (double)graze_shape_get_info(shape).byte_count / (double)view->triangle_count;
    return shape;
}

static graze_pose pose_of(double distance, uint32_t index, uint32_t count)
{
    collider_pose pose = collide_pose(distance, index, count);
    return collider_graze_pose(&pose);
}

// The first round warms the query up.
static bool ask(const settings *set, graze_query *query, const graze_shape *shape, row *out)
{
    graze_pose home = graze_pose_identity();
    graze_collide_def all = graze_collide_def_default(), first = graze_collide_def_default();
    graze_distance_def far = graze_distance_def_default();
    all.collect = GRAZE_COLLECT_PAIRS;
    bool good = true;
    for (int round = 0; round < 2; ++round) {
        out->all = out->first = out->distance = out->pairs = 0;
        for (uint32_t i = 0; i < set->pose_count && good; ++i) {
            graze_pose near = pose_of(0.4, i, set->pose_count);
            graze_pose apart = pose_of(2.1, i, set->pose_count);
            graze_answer answer;
            graze_distance distance;
            double start = processor_seconds();
            good = graze_query_collide(query, graze_at(shape, &home), graze_at(shape, &near), &all,
                                       &answer) == GRAZE_OK;
            out->all += processor_seconds() - start;
            out->pairs += good ? (double)answer.pair_count : 0;
            start = processor_seconds();
            good = good && graze_query_collide(query, graze_at(shape, &home),
                                               graze_at(shape, &near), &first, &answer) == GRAZE_OK;
            out->first += processor_seconds() - start;
            start = processor_seconds();
            good =
                good && graze_query_distance(query, graze_at(shape, &home), graze_at(shape, &apart),
                                             &far, &distance) == GRAZE_OK;
            out->distance += processor_seconds() - start;
        }
    }
    double mean = 1.0 / set->pose_count;
    out->all *= mean * 1e6;
    out->first *= mean * 1e6;
    out->distance *= mean * 1e6;
    out->pairs *= mean;
    return good;
}

static bool measure(const settings *set, graze_context *context, const graze_mesh_view *view,
                    row *out)
{
    double unused;
    graze_query *query = NULL;
    graze_shape *shape =
        build(context, view, GRAZE_BUILD_QUICK, GRAZE_LAYOUT_FAST, &out->quick, &unused);
    graze_shape_free(shape);
    shape =
        build(context, view, GRAZE_BUILD_BEST, GRAZE_LAYOUT_COMPACT, &unused, &out->compact_bytes);
    graze_shape_free(shape);
    shape = build(context, view, GRAZE_BUILD_BEST, GRAZE_LAYOUT_FAST, &out->best, &out->bytes);
    bool good = shape != NULL && graze_query_create(context, &query) == GRAZE_OK &&
                ask(set, query, shape, out);
    graze_query_free(query);
    graze_shape_free(shape);
    return good;
}

static bool measure_size(const settings *set, graze_context *context, double size)
{
    collide_model model;
    model_def def = {set->shape, (uint32_t)size};
    if (!collide_model_make(context, NULL, &def, 0, &model))
        return false;
    graze_mesh_view view = collider_mesh_view(&model.mesh);
    row r = {0};
    bool good = measure(set, context, &view, &r);
    if (good)
        printf("%s,%llu,%.3f,%.3f,%.2f,%.2f,%.3f,%.1f,%.3f,%.3f\n", set->shape,
               (unsigned long long)view.triangle_count, r.best * 1e3, r.quick * 1e3, r.bytes,
               r.compact_bytes, r.all, r.pairs, r.first, r.distance);
    fflush(stdout);
    collide_model_free(&model);
    return good;
}

static bool parse(int count, char **words, settings *out)
{
    if (has_option_word(count, words, "--quick")) {
        out->from = 1000;
        out->to = 4000;
        out->pose_count = 2;
    }
    const option_word options[] = {
        {"--shape", .text = &out->shape}, {"--from", .real = &out->from},
        {"--to", .real = &out->to},       {"--poses", .number = &out->pose_count},
        {"--quick", .flag = &out->quick}, {.word = NULL},
    };
    return take_option_words(count, words, options) && out->from >= 100 && out->to < 1e9 &&
           out->pose_count != 0;
}

int main(int count, char **words)
{
    settings set = {.shape = "knot", .from = 10000, .to = 31700000, .pose_count = 16};
    if (!parse(count, words, &set)) {
        fputs("usage: bench_growth [--shape NAME] [--from N] [--to N] [--poses N] [--quick]\n",
              stderr);
        return 2;
    }
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *context = NULL;
    if (graze_context_create(&def, &context) != GRAZE_OK)
        return 1;
    puts("growth_shape,triangles,best_ms,quick_ms,bytes_per_triangle,compact_bytes_per_triangle,"
         "all_us,pairs,first_us,distance_us");
    bool good = true;
    for (double size = set.from; size <= set.to * 1.01; size *= 3.16227766) {
        fprintf(stderr, "bench_growth: %.0f triangles\n", size);
        good = measure_size(&set, context, size) && good;
    }
    graze_context_destroy(context);
    return !good;
}
