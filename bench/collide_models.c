// Reads or makes the objects of bench_collide. See collide_models.h.
#include "collide_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

// The dragon is the Stanford one, in the three finest of its four sizes.
const collide_scene collide_scenes[] = {
    {"dragon-871k", {"dragon_vrip.ply.gz", 0}, {NULL, 0}, 0},
    {"dragon-203k", {"dragon_vrip_res2.ply.gz", 0}, {NULL, 0}, 0},
    {"dragon-48k", {"dragon_vrip_res3.ply.gz", 0}, {NULL, 0}, 0},
    {"gear-200k", {"gear", 200000}, {NULL, 0}, 2000},
    {"plates-100k", {"plates", 100000}, {NULL, 0}, 3000},
    {"dragon-and-gear", {"dragon_vrip_res2.ply.gz", 0}, {"gear", 200000}, 0},
    {"knot-and-gear", {"knot", 200000}, {"gear", 50000}, 1000},
    {NULL, {NULL, 0}, {NULL, 0}, 0}};

static graze_status open_mesh(graze_context *context, const char *folder, const model_def *def,
                              uint32_t quick, graze_mesh **mesh)
{
    if (def->triangle_count != 0) {
        generator_shape_def shape = {.kind = def->name,
                                     .triangle_count = quick != 0 ? quick : def->triangle_count};
        return generator_shape_make(context, &shape, mesh);
    }
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, def->name);
    if (length < 0 || (size_t)length >= sizeof path)
        return GRAZE_ERROR_ARGUMENT;
    return graze_mesh_read(context, path, NULL, mesh);
}

static void find_box(const graze_mesh_view *view, double low[3], double high[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = INFINITY;
        high[axis] = -INFINITY;
    }
    for (uint64_t i = 0; i < 3 * view->triangle_count; ++i) {
        double p[3];
        graze_mesh_view_corner(view, i / 3, (uint32_t)(i % 3), p);
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = fmin(low[axis], p[axis]);
            high[axis] = fmax(high[axis], p[axis]);
        }
    }
}

static int fill(const graze_mesh_view *view, collide_model *model)
{
    model->vertices = malloc(view->vertex_count * sizeof *model->vertices);
    model->corners = malloc(view->triangle_count * sizeof *model->corners);
    if (model->vertices == NULL || model->corners == NULL)
        return 0;
    double low[3], high[3], longest = 0;
    find_box(view, low, high);
    for (int axis = 0; axis < 3; ++axis)
        longest = fmax(longest, high[axis] - low[axis]);
    memcpy(model->corners, view->corners, view->triangle_count * sizeof *model->corners);
    memset(model->vertices, 0, view->vertex_count * sizeof *model->vertices);
    for (uint64_t i = 0; i < 3 * view->triangle_count; ++i) {
        double p[3];
        graze_mesh_view_corner(view, i / 3, (uint32_t)(i % 3), p);
        for (int axis = 0; axis < 3; ++axis)
            model->vertices[view->corners[i]][axis] =
                (float)((p[axis] - (low[axis] + high[axis]) / 2) * (2 / longest));
    }
    model->mesh = (collider_mesh){.vertices = (const float(*)[3])model->vertices,
                                  .corners = (const uint32_t(*)[3])model->corners,
                                  .vertex_count = (uint32_t)view->vertex_count,
                                  .triangle_count = (uint32_t)view->triangle_count};
    return 1;
}

int collide_model_make(graze_context *context, const char *folder, const model_def *def,
                       uint32_t quick, collide_model *model)
{
    *model = (collide_model){0};
    if (def->triangle_count == 0 && folder == NULL) {
        fprintf(stderr, "bench_collide: without --models FOLDER, scenes with %s are left out\n",
                def->name);
        return 0;
    }
    graze_mesh *mesh = NULL;
    graze_status status = open_mesh(context, folder, def, quick, &mesh);
    if (status != GRAZE_OK) {
        fprintf(stderr, "bench_collide: %s cannot be had: %s\n", def->name,
                graze_status_text(status));
        return 0;
    }
    graze_mesh_view view = graze_mesh_get(mesh);
    int good = fill(&view, model);
    graze_mesh_free(mesh);
    if (!good) {
        fprintf(stderr, "bench_collide: no memory for %s\n", def->name);
        collide_model_free(model);
    }
    return good;
}

void collide_model_free(collide_model *model)
{
    free(model->vertices);
    free(model->corners);
    *model = (collide_model){0};
}

graze_mesh_view collider_mesh_view(const collider_mesh *mesh)
{
    return (graze_mesh_view){.precision = GRAZE_FLOAT32,
                             .vertex_count = mesh->vertex_count,
                             .triangle_count = mesh->triangle_count,
                             .positions = mesh->vertices,
                             .corners = mesh->corners[0]};
}

// The bits of the number in the opposite order: 0, 4, 2, 6, 1, 5, 3, 7 for a count of 8.
static uint32_t spread(uint32_t index, uint32_t count)
{
    uint32_t spread = 0;
    for (uint32_t bit = 1; bit < count; bit *= 2) {
        spread = 2 * spread + (index & 1);
        index /= 2;
    }
    return spread;
}

collider_pose collide_pose(double distance, uint32_t index, uint32_t count)
{
    double angle = 2 * 3.14159265358979323846 * (spread(index, count) + 0.5) / count;
    double c = cos(angle), s = sin(angle);
    // About z first, then about x.
    return (collider_pose){.rotation = {c, -s, 0, c * s, c * c, -s, s * s, s * c, c},
                           .translation = {distance, 0, 0}};
}
