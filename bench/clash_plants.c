// Makes and opens plants. See clash_plants.h.
#include "clash_plants.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "plant.h"
#include "reading_cost.h"

static graze_status write_plant(graze_context *context, uint64_t triangle_count,
                                uint64_t object_count, const char *path)
{
    generator_plant_def def = {.triangle_count = triangle_count, .object_count = object_count};
    generator_plant *plant = NULL;
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    graze_mesh_write_def order = graze_mesh_write_def_default();
    order.order = GRAZE_ORDER_VERTICES_FIRST;
    graze_status status = generator_plant_open(&def, &plant);
    if (status == GRAZE_OK)
        status = graze_mesh_writer_open(context, path, &order, &sink, &writer);
    if (status == GRAZE_OK)
        status = generator_plant_stream(plant, &sink);
    if (status == GRAZE_OK)
        status = graze_mesh_writer_commit(writer);
    else
        graze_mesh_writer_abandon(writer);
    generator_plant_close(plant);
    return status;
}

// Builds it, and writes the line about that beside it.
static graze_status build(graze_context *context, const char *mesh, const char *note,
                          clash_plant *plant)
{
    graze_scene_source source = {.path = mesh};
    graze_scene_build_def def = graze_scene_build_def_default();
    def.no_levels = 1;
    reading cost;
    reading_forget_peak();
    reading_begin(&cost);
    graze_status status = graze_scene_build(context, &source, 1, plant->scene, &def);
    reading_end(&cost);
    FILE *file = status == GRAZE_OK ? fopen(note, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%.2f s, %.2f s of processors, %.1f MiB at most, %.1f MiB resident\n",
                cost.seconds, cost.processor_seconds,
                (double)graze_context_memory(context).peak_bytes / 1048576,
                (double)cost.peak_bytes / 1048576);
        fclose(file);
    }
    return status;
}

// What is to be known of a scene. False if it is not there, or of another version of the format.
static bool look_at(const char *note, clash_plant *plant)
{
    clash_opened o = {NULL, NULL};
    clash_room room = {.cache_bytes = 0};
    char line[256] = "";
    FILE *file = access(plant->scene, R_OK) == 0 ? fopen(note, "r") : NULL;
    if (file == NULL)
        return false;
    bool good =
        fgets(line, sizeof line, file) != NULL && clash_plant_open(plant, &room, &o) == GRAZE_OK;
    fclose(file);
    if (good) {
        graze_scene_info info = graze_scene_get_info(o.scene);
        plant->triangle_count = info.triangle_count;
        plant->object_count = info.object_count;
        plant->tree_bytes = CLASH_TRIANGLE_BYTES * (double)info.stored_count;
        line[strcspn(line, "\n")] = 0;
        snprintf(plant->built, CLASH_NAME,
                 "%llu triangles, %llu objects, %llu shapes, %.2f bytes a triangle, %s",
                 (unsigned long long)info.triangle_count, (unsigned long long)info.object_count,
                 (unsigned long long)info.shape_count,
                 (double)info.file_bytes / (double)info.triangle_count, line);
    }
    clash_plant_close(&o);
    return good;
}

bool clash_plant_make(const char *folder, uint64_t triangle_count, uint64_t object_count,
                      clash_plant *plant)
{
    char mesh[CLASH_NAME], note[CLASH_NAME], name[64];
    *plant = (clash_plant){.triangle_count = 0};
    snprintf(name, sizeof name, "clash_plant_%llu_%llu", (unsigned long long)triangle_count,
             (unsigned long long)object_count);
    snprintf(plant->scene, CLASH_NAME, "%.900s/%s.graze", folder, name);
    snprintf(mesh, CLASH_NAME, "%.900s/%s.glb", folder, name);
    snprintf(note, CLASH_NAME, "%.900s/%s.txt", folder, name);
    if (look_at(note, plant))
        return true;
    graze_context *context = NULL;
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = write_plant(context, triangle_count, object_count, mesh);
    if (status == GRAZE_OK)
        status = build(context, mesh, note, plant);
    bool good = status == GRAZE_OK && look_at(note, plant);
    if (!good)
        fprintf(stderr, "bench_clash: %s could not be made: %s\n", plant->scene,
                context == NULL ? "out of memory" : graze_context_error(context));
    unlink(mesh);
    graze_context_destroy(context);
    return good;
}

// --- Opening

// As `graze clash --memory` and `graze path --memory` divide it: code, stacks and what the C
// library keeps of freed memory come first, a quarter of the rest is for lists.
static void divide(const clash_room *room, graze_context_def *def)
{
    def->cache_byte_limit = room->cache_bytes;
    if (room->memory_bytes == 0)
        return;
    uint64_t before = (UINT64_C(5) << 20) + room->memory_bytes / 16;
    def->memory_byte_limit = room->memory_bytes - before;
    if (room->cache_bytes == 0)
        def->cache_byte_limit = def->memory_byte_limit / 4 * 3;
}

graze_status clash_plant_open(const clash_plant *plant, const clash_room *room, clash_opened *o)
{
    *o = (clash_opened){NULL, NULL};
    graze_context_def def = graze_context_def_default();
    graze_scene_source source = {.path = plant->scene};
    def.thread_count = room->threads;
    divide(room, &def);
    graze_status status = graze_context_create(&def, &o->context);
    if (status != GRAZE_OK)
        return status;
    gz_knobs_for(o->context)->direct_reads = room->direct;
    gz_knobs_for(o->context)->clash_order = room->order;
    status = graze_scene_create(o->context, &o->scene);
    return status == GRAZE_OK ? graze_scene_add_source(o->scene, &source, NULL) : status;
}

void clash_plant_close(clash_opened *o)
{
    graze_scene_free(o->scene);
    graze_context_destroy(o->context);
    *o = (clash_opened){NULL, NULL};
}
