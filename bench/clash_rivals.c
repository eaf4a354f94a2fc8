// Asks graze and its rivals which objects of a plant collide. See clash_rivals.h.
#include "clash_rivals.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/threads.h"
#include "peers/crowd.h"
#include "plant.h"
#include "reading_cost.h"
#include "scene/clash_plan.h"

// The plant in memory, an object at a time: vertices are those of the plant, corners count from the
// first vertex of the object.
typedef struct objects {
    graze_context *context; // of the generator alone
    graze_mesh *mesh;
    uint32_t *corners;
    collider_mesh *each;
    uint32_t count;
} objects;

typedef struct asking {
    const clash_rivalry *rivalry;
    bool all_threads;
    clash_pairs *found;
    clash_engine_cost *cost;
    graze_context *context; // of who asks
    graze_scene *scene;
    objects objects;
    double ready_mib; // resident before anything was built
    // Verdicts
    gz_rules_applied *rules;
    gz_clash_plan plan;
    _Atomic uint32_t next;
    _Atomic uint64_t pair_count;
    _Atomic int failed;
    uint32_t *number; // of a scene's object, in the generator
} asking;

static double resident_mib(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%*u %llu", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

// --- The plant in memory

static graze_status open_generator(const clash_rivalry *r, generator_plant **plant)
{
    generator_plant_def def = {.triangle_count = r->triangle_count,
                               .object_count = r->object_count};
    return generator_plant_open(&def, plant);
}

static void cut_object(objects *o, const graze_mesh_view *view, uint32_t number)
{
    const graze_object *object = &view->objects[number];
    const uint32_t *from = view->corners + 3 * object->first_triangle;
    uint32_t *to = o->corners + 3 * object->first_triangle, low = UINT32_MAX, high = 0;
    for (uint64_t i = 0; i < 3 * object->triangle_count; ++i) {
        low = from[i] < low ? from[i] : low;
        high = from[i] > high ? from[i] : high;
    }
    for (uint64_t i = 0; i < 3 * object->triangle_count; ++i)
        to[i] = from[i] - low;
    o->each[number] =
        (collider_mesh){.vertices = (const float(*)[3])view->positions + low,
                        .corners = (const uint32_t(*)[3])(const void *)to,
                        .vertex_count = object->triangle_count == 0 ? 0 : high - low + 1,
                        .triangle_count = (uint32_t)object->triangle_count};
}

static graze_status make_objects(const clash_rivalry *r, objects *o)
{
    generator_plant *plant = NULL;
    graze_status status = graze_context_create(NULL, &o->context);
    if (status == GRAZE_OK)
        status = open_generator(r, &plant);
    if (status == GRAZE_OK)
        status = generator_plant_make(o->context, plant, &o->mesh);
    generator_plant_close(plant);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(o->mesh);
    o->count = (uint32_t)view.object_count;
    o->corners = malloc(3 * view.triangle_count * sizeof *o->corners);
    o->each = malloc(view.object_count * sizeof *o->each);
    if (o->corners == NULL || o->each == NULL)
        return GRAZE_ERROR_MEMORY;
    for (uint32_t i = 0; i < o->count; ++i)
        cut_object(o, &view, i);
    return GRAZE_OK;
}

static void free_objects(objects *o)
{
    free(o->each);
    free(o->corners);
    graze_mesh_free(o->mesh);
    graze_context_destroy(o->context);
    *o = (objects){.context = NULL};
}

// --- Pairs

static int compare_pairs(const void *x, const void *y)
{
    const collider_pair *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static void sort_pairs(clash_pairs *pairs)
{
    for (uint64_t i = 0; i < pairs->count; ++i) {
        collider_pair *p = &pairs->pair[i];
        if (p->a > p->b)
            *p = (collider_pair){p->b, p->a};
    }
    qsort(pairs->pair, pairs->count, sizeof *pairs->pair, compare_pairs);
}

static void compare(const clash_pairs *found, const clash_pairs *known, clash_engine_cost *cost)
{
    uint64_t i = 0, k = 0;
    while (i < found->count || k < known->count) {
        int order = i == found->count   ? 1
                    : k == known->count ? -1
                                        : compare_pairs(&found->pair[i], &known->pair[k]);
        cost->surplus += order < 0;
        cost->missed += order > 0;
        i += order <= 0;
        k += order >= 0;
    }
}

static void add_pair(asking *a, uint32_t one, uint32_t other)
{
    uint64_t at = atomic_fetch_add(&a->pair_count, 1);
    if (at < CLASH_PAIRS)
        a->found->pair[at] = (collider_pair){a->number[one], a->number[other]};
}

// --- Scenes

static graze_status add_shapes(asking *a)
{
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < a->objects.count && status == GRAZE_OK; ++i) {
        const collider_mesh *mesh = &a->objects.each[i];
        graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                                .metres_per_unit = 1,
                                .vertex_count = mesh->vertex_count,
                                .triangle_count = mesh->triangle_count,
                                .positions = mesh->vertices,
                                .corners = (const uint32_t *)mesh->corners};
        graze_shape *shape = NULL; // it stays until the process ends
        graze_object_def def = graze_object_def_default();
        status = graze_shape_create(a->context, &view, NULL, &shape);
        def.shape = shape;
        if (status == GRAZE_OK)
            status = graze_scene_add(a->scene, &def, NULL);
        a->number[i] = i;
    }
    return status;
}

typedef struct named {
    char path[2 * GENERATOR_PLANT_NAME];
    uint32_t number;
} named;

static int compare_named(const void *a, const void *b)
{
    return strcmp(((const named *)a)->path, ((const named *)b)->path);
}

// The scene file may have the objects in another order.
static graze_status number_objects(asking *a)
{
    generator_plant *plant = NULL;
    graze_status status = open_generator(a->rivalry, &plant);
    uint64_t count = status == GRAZE_OK ? generator_plant_object_count(plant) : 0;
    named *names = calloc(count + 1, sizeof *names);
    graze_object_id id = {0, 0};
    for (uint64_t i = 0; i < count && names != NULL; ++i) {
        char name[GENERATOR_PLANT_NAME], group[GENERATOR_PLANT_NAME];
        generator_plant_name(plant, i, name, group);
        snprintf(names[i].path, sizeof names[i].path, "%s/%s", group, name);
        names[i].number = (uint32_t)i;
    }
    if (names == NULL)
        status = GRAZE_ERROR_MEMORY;
    else
        qsort(names, count, sizeof *names, compare_named);
    for (uint64_t i = 0; i < count && status == GRAZE_OK; ++i) {
        graze_scene_object object;
        named key;
        id = graze_scene_next(a->scene, id);
        status = graze_scene_get(a->scene, id, &object);
        if (status != GRAZE_OK)
            break;
        snprintf(key.path, sizeof key.path, "%s", object.path);
        const named *found = bsearch(&key, names, count, sizeof *names, compare_named);
        if (found == NULL)
            status = GRAZE_ERROR_FORMAT;
        else
            a->number[i] = found->number;
    }
    free(names);
    generator_plant_close(plant);
    return status;
}

static graze_status open_scene(asking *a, bool in_memory)
{
    double tree_bytes = a->rivalry->plant.tree_bytes;
    clash_room room = {.cache_bytes = (UINT64_C(64) << 20) + (uint64_t)(2 * tree_bytes),
                       .threads = a->all_threads ? 0 : 1};
    clash_opened o = {NULL, NULL};
    a->number = calloc(a->rivalry->plant.object_count + 1, sizeof *a->number);
    if (a->number == NULL)
        return GRAZE_ERROR_MEMORY;
    graze_status status = GRAZE_OK;
    if (in_memory)
        status = make_objects(a->rivalry, &a->objects);
    a->ready_mib = resident_mib();
    double start = seconds_of(CLOCK_MONOTONIC), processor = processor_seconds();
    if (in_memory) {
        graze_context_def def = graze_context_def_default();
        def.thread_count = room.threads;
        if (status == GRAZE_OK)
            status = graze_context_create(&def, &o.context);
        if (status == GRAZE_OK)
            status = graze_scene_create(o.context, &o.scene);
    } else {
        status = clash_plant_open(&a->rivalry->plant, &room, &o);
    }
    a->context = o.context;
    a->scene = o.scene;
    if (status == GRAZE_OK)
        status = in_memory ? add_shapes(a) : number_objects(a);
    a->cost->build = seconds_of(CLOCK_MONOTONIC) - start;
    a->cost->build_processor = processor_seconds() - processor;
    free_objects(&a->objects); // shapes have copies
    return status;
}

// --- Verdicts

static void work(void *data, uint32_t worker)
{
    asking *a = data;
    graze_query *query = NULL;
    const gz_scene_slot *slots = a->scene->slots.items;
    graze_collide_def def = graze_collide_def_default();
    (void)worker;
    graze_status status = graze_query_create(a->context, &query);
    for (;;) {
        uint32_t i = atomic_fetch_add(&a->next, 1);
        if (status != GRAZE_OK || i >= a->plan.pair_count)
            break;
        gz_clash_pair pair = a->plan.pairs[i];
        const gz_scene_slot *one = &slots[a->plan.slots[pair.a]];
        const gz_scene_slot *other = &slots[a->plan.slots[pair.b]];
        const graze_shape *shape[2] = {NULL, NULL};
        graze_answer answer;
        status = gz_scene_pin_slot(a->scene, one, &shape[0]);
        if (status != GRAZE_OK)
            break;
        status = gz_scene_pin_slot(a->scene, other, &shape[1]);
        if (status == GRAZE_OK) {
            status = graze_query_collide(query, graze_at(shape[0], &one->pose),
                                         graze_at(shape[1], &other->pose), &def, &answer);
            gz_scene_unpin_slot(a->scene, other);
        }
        gz_scene_unpin_slot(a->scene, one);
        if (status == GRAZE_OK && answer.verdict == GRAZE_CONTACT)
            add_pair(a, pair.a, pair.b);
    }
    graze_query_free(query);
    if (status != GRAZE_OK)
        atomic_store(&a->failed, 1);
}

// All pairs of objects that share a point: boxes, then triangles.
static graze_status ask_verdicts(asking *a)
{
    graze_clash_def def = graze_clash_def_default();
    def.touch = 0;
    atomic_store(&a->next, 0);
    atomic_store(&a->pair_count, 0);
    graze_status status = gz_rules_apply(NULL, a->scene, &def, &a->rules);
    if (status == GRAZE_OK)
        status = gz_clash_plan_make(a->scene, a->rules, GZ_ORDER_NUMBER, &a->plan);
    if (status == GRAZE_OK)
        gz_parallel(a->context, a->context->def.thread_count, work, a);
    gz_clash_plan_free(a->context, &a->plan);
    gz_rules_applied_free(a->rules);
    a->rules = NULL;
    return status == GRAZE_OK && atomic_load(&a->failed) ? GRAZE_ERROR_IO : status;
}

// --- Whole checks

// Of a pair that is listed, objects are told by their ids; a scene that nothing was removed from
// has them in order.
static graze_status take_clash(void *user, const graze_clash *clash)
{
    asking *a = user;
    add_pair(a, clash->a.index1 - 1, clash->b.index1 - 1);
    return GRAZE_OK;
}

static graze_status ask_clashes(asking *a)
{
    graze_clash_def def = graze_clash_def_default();
    def.list_touching = 1;
    atomic_store(&a->pair_count, 0);
    return graze_scene_clash(a->scene, &def, take_clash, a, NULL);
}

// --- Rivals

static graze_status run_crowd(asking *a, const crowd *rival)
{
    graze_status status = make_objects(a->rivalry, &a->objects);
    if (status != GRAZE_OK)
        return status;
    a->ready_mib = resident_mib();
    double start = seconds_of(CLOCK_MONOTONIC), processor = processor_seconds();
    void *many = rival->build(a->objects.each, a->objects.count);
    a->cost->build = seconds_of(CLOCK_MONOTONIC) - start;
    a->cost->build_processor = processor_seconds() - processor;
    if (many == NULL)
        return GRAZE_ERROR_MEMORY;
    a->cost->built_mib = resident_mib() - a->ready_mib;
    reading_forget_peak();
    start = seconds_of(CLOCK_MONOTONIC);
    processor = processor_seconds();
    uint64_t count = rival->ask(many, a->found->pair, CLASH_PAIRS);
    a->cost->seconds = seconds_of(CLOCK_MONOTONIC) - start;
    a->cost->processor = processor_seconds() - processor;
    a->cost->resident_mib = (double)reading_peak() / 1048576;
    a->cost->threads = 1;
    atomic_store(&a->pair_count, count);
    rival->drop(many);
    free_objects(&a->objects);
    return GRAZE_OK;
}

// --- All of them

typedef struct way_to_ask {
    clash_engine about;
    bool in_memory, again; // again: the second time counts
    graze_status (*ask)(asking *a);
} way_to_ask;

static const way_to_ask ways[] = {
    {{"graze", "verdicts in memory", true, false}, true, false, ask_verdicts},
    {{"graze", "verdicts in memory on all threads", true, true}, true, false, ask_verdicts},
    {{"graze", "verdicts of a scene file", true, false}, false, false, ask_verdicts},
    {{"graze", "verdicts of a scene file in the cache", true, false}, false, true, ask_verdicts},
    {{"graze", "clash check of a scene file", true, false}, false, false, ask_clashes},
    {{"graze", "clash check in the cache", true, false}, false, true, ask_clashes},
    {{"graze", "clash check in the cache on all threads", true, true}, false, true, ask_clashes},
};
enum { WAYS = sizeof ways / sizeof *ways };

#if defined(CROWD_FCL)
static const crowd_list *const rivals = &crowds_fcl;
#else
static const crowd_list nobody = {NULL, 0};
static const crowd_list *const rivals = &nobody;
#endif

uint32_t clash_engine_count(void) { return WAYS + rivals->count; }

clash_engine clash_engine_about(uint32_t engine)
{
    if (engine < WAYS)
        return ways[engine].about;
    const crowd *rival = &rivals->crowds[engine - WAYS];
    return (clash_engine){rival->engine, rival->setting, false, false};
}

static graze_status run_way(asking *a, const way_to_ask *way)
{
    graze_status status = open_scene(a, way->in_memory);
    if (status == GRAZE_OK && way->again)
        status = way->ask(a);
    if (status != GRAZE_OK)
        return status;
    a->cost->built_mib = resident_mib() - a->ready_mib;
    reading_forget_peak();
    double start = seconds_of(CLOCK_MONOTONIC), processor = processor_seconds();
    status = way->ask(a);
    a->cost->seconds = seconds_of(CLOCK_MONOTONIC) - start;
    a->cost->processor = processor_seconds() - processor;
    a->cost->resident_mib = (double)reading_peak() / 1048576;
    a->cost->threads = a->context->def.thread_count;
    return status;
}

bool clash_engine_run(const clash_rivalry *r, uint32_t engine, clash_pairs *known,
                      clash_engine_cost *cost)
{
    asking a = {.rivalry = r, .cost = cost};
    *cost = (clash_engine_cost){.threads = 1};
    a.found = engine == 0 ? known : calloc(1, sizeof *a.found);
    graze_status status = a.found == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
    if (status == GRAZE_OK && engine < WAYS) {
        a.all_threads = ways[engine].about.all_threads;
        status = run_way(&a, &ways[engine]);
    } else if (status == GRAZE_OK) {
        status = run_crowd(&a, &rivals->crowds[engine - WAYS]);
    }
    if (status == GRAZE_OK) {
        cost->pairs = atomic_load(&a.pair_count);
        a.found->count = cost->pairs < CLASH_PAIRS ? cost->pairs : CLASH_PAIRS;
        sort_pairs(a.found);
        compare(a.found, known, cost);
    } else {
        fprintf(stderr, "bench_clash: %s, %s: %s\n", clash_engine_about(engine).name,
                clash_engine_about(engine).setting,
                a.context != NULL ? graze_context_error(a.context) : "failed");
    }
    // The process ends now; shapes and scenes are not given back.
    free_objects(&a.objects);
    free(a.number);
    if (a.found != known)
        free(a.found);
    return status == GRAZE_OK;
}
