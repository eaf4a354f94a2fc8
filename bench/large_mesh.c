// Writes large meshes. See large_mesh.h.
#include "large_mesh.h"

#include <stdio.h>
#include <unistd.h>

#include "graze/graze.h"
#include "refine.h"
#include "shapes.h"

enum { LONGEST = 4096 };

static bool find_dragon(const char *models, char path[LONGEST])
{
    if (models == NULL)
        return false;
    int length = snprintf(path, LONGEST, "%s/dragon_vrip.ply.gz", models);
    return length > 0 && length < LONGEST && access(path, R_OK) == 0;
}

bool large_mesh_is_dragon(const char *models)
{
    char path[LONGEST];
    return find_dragon(models, path);
}

static graze_status stream(graze_context *context, const char *models, uint64_t triangle_count,
                           const graze_mesh_sink *sink)
{
    char path[LONGEST];
    if (!find_dragon(models, path)) {
        generator_shape_def def = {.kind = "terrain", .triangle_count = triangle_count, .size = 2};
        return generator_shape_stream(&def, sink);
    }
    graze_mesh *mesh = NULL;
    generator_refine_def def = {.triangle_count = triangle_count,
                                .relief = GENERATOR_REFINE_RELIEF};
    graze_status status = graze_mesh_read(context, path, NULL, &mesh);
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        status = generator_refine_stream(&view, &def, sink);
    }
    graze_mesh_free(mesh);
    return status;
}

bool large_mesh_write(const char *models, uint64_t triangle_count, const char *path)
{
    graze_context *context = NULL;
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    graze_mesh_write_def order = graze_mesh_write_def_default();
    order.order = GRAZE_ORDER_VERTICES_FIRST;
    bool good = graze_context_create(NULL, &context) == GRAZE_OK &&
                graze_mesh_writer_open(context, path, &order, &sink, &writer) == GRAZE_OK &&
                stream(context, models, triangle_count, &sink) == GRAZE_OK &&
                graze_mesh_writer_commit(writer) == GRAZE_OK;
    graze_context_destroy(context);
    if (!good)
        fprintf(stderr, "%s: a mesh of %llu triangles could not be written\n", path,
                (unsigned long long)triangle_count);
    return good;
}
