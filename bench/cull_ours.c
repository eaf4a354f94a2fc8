// graze's culling as bench_cull asks it: the engine for the CPU on one thread and on two, and the
// one for OpenGL in its three ways. See peers/deformer.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graze/cull.h"
#include "graze/graze.h"
#include "peers/deformer.h"

enum { ON_CPU, BY_QUERIES, BATCHED, BY_ZFAIL };

typedef struct engine {
    uint32_t choice;
    graze_context *context;
    graze_cull *cull;
    graze_mesh_view *views;
    uint32_t count, room;
    int self;
    graze_cull_answer answer;
} engine;

static void close_engine(void *opened)
{
    engine *e = opened;
    graze_cull_free(e->cull);
    graze_context_destroy(e->context);
    free(e->views);
    free(e);
}

static void *open_engine(const deformer *of, uint32_t resolution)
{
    engine *e = calloc(1, sizeof *e);
    graze_context_def context_def = graze_context_def_default();
    graze_cull_def def = graze_cull_def_default();
    if (e == NULL)
        return NULL;
    e->choice = of->choice;
    context_def.thread_count = of->threads;
    def.engine = of->choice == ON_CPU ? GRAZE_CULL_CPU : GRAZE_CULL_OPENGL;
    def.passes = of->choice == BATCHED    ? GRAZE_CULL_BATCHED
                 : of->choice == BY_ZFAIL ? GRAZE_CULL_ZFAIL
                                          : GRAZE_CULL_QUERIES;
    def.resolution = resolution;
    if (graze_context_create(&context_def, &e->context) == GRAZE_OK &&
        graze_cull_create(e->context, &def, &e->cull) == GRAZE_OK)
        return e;
    close_engine(e);
    return NULL;
}

static void take(void *opened, const deform_frame *frame)
{
    engine *e = opened;
    e->count = frame->object_count;
    e->self = frame->self;
    if (e->count > e->room) {
        free(e->views);
        e->views = malloc(e->count * sizeof *e->views);
        if (e->views == NULL)
            abort();
        e->room = e->count;
    }
    for (uint32_t i = 0; i < e->count; ++i) {
        const collider_mesh *mesh = &frame->objects[i];
        e->views[i] = (graze_mesh_view){.precision = GRAZE_FLOAT32,
                                        .metres_per_unit = 1,
                                        .vertex_count = mesh->vertex_count,
                                        .triangle_count = mesh->triangle_count,
                                        .positions = mesh->vertices,
                                        .corners = (const uint32_t *)mesh->corners};
    }
}

static double ask(void *opened)
{
    engine *e = opened;
    graze_cull_frame_def def = graze_cull_frame_def_default();
    def.self = (uint32_t)e->self;
    if (graze_cull_frame(e->cull, e->views, e->count, &def, &e->answer) != GRAZE_OK) {
        fprintf(stderr, "bench_cull: %s\n", graze_context_error(e->context));
        return -1;
    }
    // Where there is no OpenGL, the CPU has answered.
    if ((e->answer.engine == GRAZE_CULL_CPU) != (e->choice == ON_CPU) || !e->answer.complete)
        return -1;
    return (double)e->answer.pair_count;
}

static void list(void *opened, deform_pair *pairs)
{
    const engine *e = opened;
    for (uint64_t k = 0; k < e->answer.object_pair_count; ++k) {
        const graze_cull_objects *two = &e->answer.objects[k];
        for (uint64_t i = two->first_pair; i < two->first_pair + two->pair_count; ++i)
            *pairs++ = (deform_pair){two->a, two->b, e->answer.pairs[i].a, e->answer.pairs[i].b};
    }
}

static void count(void *opened, deform_counters *counters)
{
    const engine *e = opened;
    const graze_cull_counters *c = &e->answer.counters;
    *counters = (deform_counters){c->objects_left,
                                  c->groups_left,
                                  c->triangles_left,
                                  c->rounds,
                                  c->triangle_tests,
                                  c->exact_tests,
                                  graze_context_memory(e->context).peak_bytes};
}

#define OF_CULLING(name, thread_count, way)                                                        \
    {                                                                                              \
        .engine = "graze", .setting = name, .threads = thread_count, .choice = way,                \
        .all_common = 1, .open = open_engine, .close = close_engine, .take = take, .ask = ask,     \
        .list = list, .count = count                                                               \
    }

static const deformer engines[] = {
    OF_CULLING("CPU", 1, ON_CPU),
    OF_CULLING("CPU on two threads", 2, ON_CPU),
    OF_CULLING("OpenGL queries", 1, BY_QUERIES),
    OF_CULLING("OpenGL batched", 1, BATCHED),
    OF_CULLING("OpenGL z-fail", 1, BY_ZFAIL),
};

const deformer_list deformers_cull = {engines, sizeof engines / sizeof *engines};
