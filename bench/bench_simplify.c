// How fast meshes are halved: the inner loop of building models.
//   bench_simplify [--models FOLDER] [--quick]
// Meshes of about as many triangles as the groups of a model have, and the Stanford dragon if it is
// in the folder, are simplified to half of their triangles. Nothing of it is proved: bounds are
// found afterwards.
//
// Prints CSV, one line for each mesh and engine. Columns:
//   simplify_mesh  its name
//   engine         graze, or a rival
//   triangles      before
//   left           and after
//   microseconds   of the processor, the least of some rounds
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "collide_models.h"
#include "graze/graze.h"
#include "option_words.h"
#include "peers/simplifier.h"
#include "simplify/simplify.h"
#include "stopwatch.h"

typedef struct halving {
    graze_context *context;
    const collide_model *model;
    double (*position)[3];
    gz_simplifier simplifier;
    gz_collapse_list collapses;
    gz_collapse_state_list states;
    uint32_t *place, *triangle, (*corner)[3];
} halving;

static const model_def meshes[] = {
    {"terrain", 16000},
    {"knot", 16000},
    {"gear", 16000},
    {"plates", 16000},
    {"dragon_vrip_res3.ply.gz", 0},
    {"dragon_vrip_res2.ply.gz", 0},
};

// How many are left; UINT32_MAX: it failed.
static uint32_t halve(halving *h)
{
    const collider_mesh *m = &h->model->mesh;
    gz_patch patch = {(const double(*)[3])h->position, (const uint32_t(*)[3])h->model->corners,
                      NULL, m->vertex_count, m->triangle_count};
    h->collapses.count = h->states.count = 0;
    if (gz_simplify(&h->simplifier, &patch, m->triangle_count / 2, &h->collapses, &h->states) !=
        GRAZE_OK)
        return UINT32_MAX;
    return gz_collapse_apply(&patch, h->collapses.items, h->collapses.count, h->place, h->corner,
                             h->triangle);
}

static uint32_t halve_by_rival(halving *h)
{
#ifdef SIMPLIFIER_MESHOPTIMIZER
    const collider_mesh *m = &h->model->mesh;
    return simplify_by_meshoptimizer(h->model->vertices, m->vertex_count, h->model->corners,
                                     m->triangle_count, m->triangle_count / 2, h->corner);
#else
    (void)h;
    return UINT32_MAX;
#endif
}

static bool measure(halving *h, const char *name, const char *engine, uint32_t (*run)(halving *),
                    int rounds)
{
    double least = 0;
    uint32_t left = 0;
    for (int i = 0; i < rounds; ++i) {
        double start = processor_seconds();
        left = run(h);
        double seconds = processor_seconds() - start;
        least = i == 0 || seconds < least ? seconds : least;
        if (left == UINT32_MAX)
            return false;
    }
    printf("%s,%s,%u,%u,%.1f\n", name, engine, h->model->mesh.triangle_count, left, 1e6 * least);
    return true;
}

static bool try_mesh(graze_context *context, const char *folder, const model_def *def, bool quick)
{
    collide_model model;
    if (!collide_model_make(context, folder, def, quick ? 1000 : 0, &model))
        return false;
    uint32_t vertices = model.mesh.vertex_count, triangles = model.mesh.triangle_count;
    halving h = {.context = context, .model = &model, .simplifier = {.context = context}};
    h.position = malloc(vertices * sizeof *h.position);
    h.place = malloc(vertices * sizeof *h.place);
    h.triangle = malloc(triangles * sizeof *h.triangle);
    h.corner = malloc(triangles * sizeof *h.corner);
    bool good = h.position != NULL && h.place != NULL && h.triangle != NULL && h.corner != NULL;
    for (uint32_t i = 0; good && i < 3 * vertices; ++i)
        h.position[i / 3][i % 3] = (double)model.vertices[i / 3][i % 3];
    int rounds = quick ? 1 : 9;
    good = good && measure(&h, def->name, "graze", halve, rounds);
    if (good)
        (void)measure(&h, def->name, "meshoptimizer", halve_by_rival, rounds);
    gz_list_free(context, &h.collapses);
    gz_list_free(context, &h.states);
    gz_simplifier_free(&h.simplifier);
    free(h.position);
    free(h.place);
    free(h.triangle);
    free(h.corner);
    collide_model_free(&model);
    return good;
}

int main(int count, char **words)
{
    const char *folder = getenv("GRAZE_MODELS");
    bool quick = false;
    const option_word options[] = {
        {.word = "--models", .text = &folder},
        {.word = "--quick", .flag = &quick},
        {0},
    };
    graze_context *context = NULL;
    if (!take_option_words(count, words, options)) {
        fprintf(stderr, "usage: bench_simplify [--models FOLDER] [--quick]\n");
        return 2;
    }
    bool good = graze_context_create(NULL, &context) == GRAZE_OK;
    printf("simplify_mesh,engine,triangles,left,microseconds\n");
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes && good; ++i)
        if (meshes[i].triangle_count != 0 || (folder != NULL && !quick))
            good = try_mesh(context, folder, &meshes[i], quick);
    graze_context_destroy(context);
    return good ? 0 : 1;
}
