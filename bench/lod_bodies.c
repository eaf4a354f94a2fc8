// Makes bodies. See lod_bodies.h.
#include "lod_bodies.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graze/graze.h"
#include "plant.h"
#include "refine.h"
#include "shapes.h"
#include "stopwatch.h"

#define FLYER_SCALE  16 // a power of two: coordinates keep their bits
#define TURBINE_SIZE 0.15
#define KNOT_SIZE    0.2
#define DRAGON_COUNT 871306 // without triangles that have two corners at one place

static const char *const kinds[] = {"refined", "smooth", "turbine", "plant", "flyer"};

bool lod_store_open(const char *models, bool quick, lod_store *store)
{
    *store = (lod_store){.first_count = quick ? 2000 : 200000};
    int length;
    if (models != NULL) {
        length = snprintf(store->folder, LOD_NAME, "%s", models);
        snprintf(store->dragon, LOD_NAME, "%.900s/dragon_vrip.ply.gz", models);
        if (access(store->dragon, R_OK) != 0)
            store->dragon[0] = 0;
        else
            store->first_count = DRAGON_COUNT;
    } else {
        const char *large = getenv("TMPDIR");
        length = snprintf(store->folder, LOD_NAME, "%s/graze_bench_XXXXXX",
                          large != NULL ? large : "/tmp");
        if (length > 0 && length < LOD_NAME && mkdtemp(store->folder) == NULL)
            length = -1;
    }
    if (length > 0 && length < LOD_NAME / 2)
        return true;
    perror(store->folder);
    return false;
}

void lod_store_close(const lod_store *store, bool kept)
{
    DIR *folder = kept ? NULL : opendir(store->folder);
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        char path[LOD_NAME + 300];
        snprintf(path, sizeof path, "%s/%s", store->folder, e->d_name);
        if (strncmp(e->d_name, "lod_", 4) == 0)
            unlink(path);
    }
    if (folder != NULL)
        closedir(folder);
    if (!kept)
        rmdir(store->folder);
}

// The dragon, or the knot.
static graze_status read_first(const lod_store *store, graze_context *context, graze_mesh **mesh)
{
    if (store->dragon[0] != 0)
        return graze_mesh_read(context, store->dragon, NULL, mesh);
    generator_shape_def def = {
        .kind = "knot", .triangle_count = store->first_count, .size = KNOT_SIZE};
    return generator_shape_make(context, &def, mesh);
}

static graze_status stream_refined(const lod_store *store, graze_context *context, lod_kind kind,
                                   uint64_t refinement, const graze_mesh_sink *sink)
{
    graze_mesh *mesh = NULL;
    generator_refine_def def = {.factor = refinement * refinement,
                                .relief = kind == LOD_SMOOTH ? 0 : GENERATOR_REFINE_RELIEF};
    graze_status status = read_first(store, context, &mesh);
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        status = generator_refine_stream(&view, &def, sink);
    }
    graze_mesh_free(mesh);
    return status;
}

static graze_status stream_plant(uint64_t triangle_count, const graze_mesh_sink *sink)
{
    generator_plant_def def = {.triangle_count = triangle_count};
    generator_plant *plant = NULL;
    graze_status status = generator_plant_open(&def, &plant);
    if (status == GRAZE_OK)
        status = generator_plant_stream(plant, sink);
    generator_plant_close(plant);
    return status;
}

static graze_status stream(const lod_store *store, graze_context *context, lod_kind kind,
                           uint64_t size, const graze_mesh_sink *sink)
{
    if (kind == LOD_PLANT)
        return stream_plant(size, sink);
    if (kind != LOD_TURBINE)
        return stream_refined(store, context, kind, size, sink);
    generator_shape_def def = {.kind = "turbine", .triangle_count = size, .size = TURBINE_SIZE};
    return generator_shape_stream(&def, sink);
}

// Coordinates of the dragon and the knot are float.
static graze_status write_flyer(const lod_store *store, graze_context *context, const char *path)
{
    graze_mesh *mesh = NULL;
    graze_status status = read_first(store, context, &mesh);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(mesh);
    float *larger = malloc(3 * view.vertex_count * sizeof *larger);
    if (larger == NULL || view.precision != GRAZE_FLOAT32)
        status = GRAZE_ERROR_MEMORY;
    for (uint64_t i = 0; i < 3 * view.vertex_count && status == GRAZE_OK; ++i)
        larger[i] = FLYER_SCALE * ((const float *)view.positions)[i];
    view.positions = larger;
    if (status == GRAZE_OK)
        status = graze_mesh_write(context, &view, path, NULL);
    free(larger);
    graze_mesh_free(mesh);
    return status;
}

static graze_status write_mesh(const lod_store *store, graze_context *context, lod_kind kind,
                               uint64_t size, const char *path)
{
    if (kind == LOD_FLYER)
        return write_flyer(store, context, path);
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    graze_mesh_write_def order = graze_mesh_write_def_default();
    order.order = GRAZE_ORDER_VERTICES_FIRST;
    graze_status status = graze_mesh_writer_open(context, path, &order, &sink, &writer);
    if (status == GRAZE_OK)
        status = stream(store, context, kind, size, &sink);
    if (status == GRAZE_OK)
        return graze_mesh_writer_commit(writer);
    graze_mesh_writer_abandon(writer);
    return status;
}

// What is needed to know of a model. False if it is not there, or of another version of the format.
static bool look_at_model(graze_context *context, lod_body *body)
{
    graze_model *model = NULL;
    if (access(body->model, R_OK) != 0 ||
        graze_model_open(context, body->model, &model) != GRAZE_OK)
        return false;
    graze_model_info info = graze_model_get_info(model);
    body->triangle_count = info.triangle_count;
    body->box = info.box;
    body->width = 0;
    for (int axis = 0; axis < 3; ++axis)
        body->width = fmax(body->width, info.box.max[axis] - info.box.min[axis]);
    graze_model_free(model);
    return true;
}

static bool make(const lod_store *store, graze_context *context, lod_kind kind, uint64_t size,
                 lod_body *body)
{
    graze_status status = GRAZE_OK;
    if (access(body->mesh, R_OK) != 0)
        status = write_mesh(store, context, kind, size, body->mesh);
    if (status == GRAZE_OK && look_at_model(context, body))
        return true;
    double start = seconds_of(CLOCK_MONOTONIC);
    if (status == GRAZE_OK)
        status = graze_model_build(context, body->mesh, body->model, NULL);
    if (status == GRAZE_OK && look_at_model(context, body)) {
        fprintf(stderr, "bench_lod: built %s: %llu triangles, %.1f s\n", body->model,
                (unsigned long long)body->triangle_count, seconds_of(CLOCK_MONOTONIC) - start);
        return true;
    }
    fprintf(stderr, "bench_lod: %s could not be made: %s\n", body->model,
            graze_context_error(context));
    return false;
}

uint32_t lod_refinement(const lod_store *store, uint64_t triangle_count)
{
    double root = round(sqrt((double)triangle_count / store->first_count));
    return root > 1 ? (uint32_t)root : 1;
}

bool lod_body_make(const lod_store *store, lod_kind kind, uint64_t size, lod_body *body)
{
    char name[64];
    *body = (lod_body){0};
    const char *first = store->dragon[0] != 0 ? "dragon_" : "knot_";
    snprintf(name, sizeof name, "lod_%s%s_%llu",
             kind == LOD_TURBINE || kind == LOD_PLANT ? "" : first, kinds[kind],
             (unsigned long long)size);
    snprintf(body->mesh, LOD_NAME, "%.900s/%s.ply", store->folder, name);
    snprintf(body->model, LOD_NAME, "%.900s/%s.graze", store->folder, name);
    graze_context *context = NULL;
    bool good =
        graze_context_create(NULL, &context) == GRAZE_OK && make(store, context, kind, size, body);
    graze_context_destroy(context);
    return good;
}
