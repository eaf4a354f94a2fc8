// Asks rivals. See lod_rivals.h. They live in processes of their own, and are never given back.
#include "lod_rivals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graze/graze.h"
#include "peers/collider.h"

#define BYTES_EACH 300 // a triangle, while FCL builds

struct lod_rival {
    const collider *collider;
    void *object[2], *joined;
};

static const collider_list *const lists[] = {
#if defined(COLLIDER_BULLET)
    &colliders_bullet,
#endif
#if defined(COLLIDER_FCL)
    &colliders_fcl,
#endif
    NULL,
};

uint32_t lod_rival_count(void) { return sizeof lists / sizeof *lists - 1; }

// The first of each is its fastest.
const char *lod_rival_name(uint32_t rival) { return lists[rival]->colliders[0].engine; }

bool lod_rival_fits(uint64_t triangle_count)
{
    uint64_t kibibytes = 0;
    char line[256];
    FILE *memory = fopen("/proc/meminfo", "r");
    while (memory != NULL && fgets(line, sizeof line, memory) != NULL)
        if (sscanf(line, "MemAvailable: %" SCNu64, &kibibytes) == 1)
            break;
    if (memory != NULL)
        fclose(memory);
    return triangle_count * BYTES_EACH < kibibytes * 1024;
}

// Coordinates are float in all meshes of this benchmark. The mesh stays: some read it.
static void *build(const collider *c, graze_context *context, const char *path)
{
    graze_mesh *mesh = NULL;
    if (graze_mesh_read(context, path, NULL, &mesh) != GRAZE_OK)
        return NULL;
    graze_mesh_view view = graze_mesh_get(mesh);
    collider_mesh same = {.vertices = view.positions,
                          .corners = (const uint32_t(*)[3])(const void *)view.corners,
                          .vertex_count = (uint32_t)view.vertex_count,
                          .triangle_count = (uint32_t)view.triangle_count};
    void *object = view.precision == GRAZE_FLOAT32 ? c->build(&same) : NULL;
    if (!c->needs_mesh)
        graze_mesh_free(mesh);
    return object;
}

lod_rival *lod_rival_open(uint32_t rival, const char *path_a, const char *path_b)
{
    graze_context *context = NULL;
    lod_rival *opened = calloc(1, sizeof *opened);
    if (opened == NULL || graze_context_create(NULL, &context) != GRAZE_OK) {
        free(opened);
        return NULL;
    }
    opened->collider = &lists[rival]->colliders[0];
    opened->object[0] = build(opened->collider, context, path_a);
    opened->object[1] = build(opened->collider, context, path_b);
    if (opened->object[0] != NULL && opened->object[1] != NULL)
        opened->joined = opened->collider->join(opened->object[0], opened->object[1]);
    if (opened->joined != NULL)
        return opened;
    fprintf(stderr, "bench_lod: %s could not build %s and %s\n", opened->collider->engine, path_a,
            path_b);
    free(opened);
    return NULL;
}

double lod_rival_ask(const lod_rival *opened, const graze_pose *pose)
{
    collider_pose same;
    memcpy(same.rotation, pose->rotation, sizeof same.rotation);
    memcpy(same.translation, pose->translation, sizeof same.translation);
    if (opened->collider->place != NULL)
        opened->collider->place(opened->joined, &same);
    return opened->collider->ask[COLLIDER_ALL](opened->joined, &same, 0);
}
