// Reads groups of models. See group_load.h.
#include "model/group_load.h"

#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "model/group_box.h"
#include "model/group_page.h"

void gz_group_loader_init(graze_model *model, gz_group_loader *loader)
{
    *loader = (gz_group_loader){.model = model, .mesh = {.context = model->context}};
}

void gz_group_loader_free(gz_group_loader *loader)
{
    if (loader->model == NULL)
        return;
    graze_context *context = loader->model->context;
    gz_welded_mesh_free(&loader->mesh);
    gz_list_free(context, &loader->collapses);
    gz_list_free(context, &loader->place);
    gz_list_free(context, &loader->corner);
    gz_list_free(context, &loader->kept);
    gz_list_free(context, &loader->narrow);
    *loader = (gz_group_loader){0};
}

static graze_status out_of_memory(const gz_group_loader *loader)
{
    return gz_fail(loader->model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a group",
                   loader->model->path);
}

static graze_status group_fails(const gz_group_loader *loader, uint32_t group, const char *wrong)
{
    const graze_model *model = loader->model;
    return gz_fail(model->context, GRAZE_ERROR_FORMAT,
                   "%s: byte %" PRIu64 ": group %" PRIu32 ": %s", model->path,
                   model->file.base + model->group_offsets[group], group, wrong);
}

graze_status gz_group_load_page(gz_group_loader *loader, gz_cache_reservation *reservation,
                                uint32_t group)
{
    const gz_group_entry *entry = &loader->model->groups[group];
    const uint8_t *bytes = NULL;
    loader->collapses.count = 0;
    graze_status status = gz_cache_read_group(reservation, loader->model, group, &bytes);
    if (status != GRAZE_OK)
        return status;
    const char *wrong =
        gz_group_page_read(&gz_cache_reader(reservation)->unpacker, bytes, entry->byte_count, group,
                           entry->steps[entry->step_count - 1].collapse_count, entry->vertex_count,
                           &loader->collapses);
    if (wrong == NULL)
        return GRAZE_OK;
    return wrong[0] == '\0' ? out_of_memory(loader) : group_fails(loader, group, wrong);
}

static graze_status add_cluster(gz_group_loader *loader, gz_cache_reservation *reservation,
                                uint32_t number)
{
    gz_cluster *cluster = gz_cache_cluster(reservation);
    graze_status status = gz_cache_read_cluster(reservation, loader->model, number, cluster, NULL);
    if (status == GRAZE_OK && !gz_group_mesh_add(&loader->mesh, cluster))
        status = out_of_memory(loader);
    return status;
}

static graze_status load_members(gz_group_loader *loader, gz_cache_reservation *reservation,
                                 uint32_t group)
{
    const graze_model *model = loader->model;
    const gz_group_entry *entry = &model->groups[group];
    const uint32_t *members = model->members + entry->first_member;
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < entry->member_count; ++i)
        vertices += model->clusters[members[i]].vertex_count;
    graze_status status =
        gz_welded_mesh_begin(&loader->mesh, vertices) ? GRAZE_OK : out_of_memory(loader);
    for (uint32_t i = 0; i < entry->member_count && status == GRAZE_OK; ++i)
        status = add_cluster(loader, reservation, members[i]);
    if (status == GRAZE_OK && loader->mesh.positions.count != entry->vertex_count)
        status =
            group_fails(loader, group, "its clusters have another number of vertices together");
    return status;
}

static gz_surface surface_of(const gz_group_loader *loader)
{
    return (gz_surface){.position = gz_welded_positions(&loader->mesh),
                        .corner = gz_welded_corners(&loader->mesh),
                        .vertex_count = (uint32_t)loader->mesh.positions.count,
                        .triangle_count = (uint32_t)loader->mesh.corners.count};
}

static graze_status collapse(gz_group_loader *loader, const gz_group_step *step, gz_surface *out)
{
    graze_context *context = loader->model->context;
    gz_patch patch = {.position = out->position,
                      .corner = out->corner,
                      .vertex_count = out->vertex_count,
                      .triangle_count = out->triangle_count};
    GZ_ASSERT(step->collapse_count <= loader->collapses.count);
    loader->place.count = loader->corner.count = loader->kept.count = 0;
    uint32_t *place = gz_list_push(context, &loader->place, patch.vertex_count);
    uint32_t(*corner)[3] = gz_list_push(context, &loader->corner, patch.triangle_count);
    uint32_t *kept = gz_list_push(context, &loader->kept, patch.triangle_count);
    if (place == NULL || corner == NULL || kept == NULL)
        return out_of_memory(loader);
    out->triangle_count = gz_group_mesh_collapse(&patch, loader->collapses.items,
                                                 step->collapse_count, place, corner, kept);
    out->corner = (const uint32_t(*)[3])corner;
    return GRAZE_OK;
}

// The mesh of the members, which is at hand with the collapses, after a step.
static graze_status take_step(gz_group_loader *loader, uint32_t group, uint32_t step,
                              gz_surface *out)
{
    GZ_ASSERT(step < loader->model->groups[group].step_count);
    const gz_group_step *wanted = &loader->model->groups[group].steps[step];
    *out = surface_of(loader);
    graze_status status = collapse(loader, wanted, out);
    if (status == GRAZE_OK && out->triangle_count != wanted->triangle_count)
        status = group_fails(loader, group, "a step has another number of triangles than it says");
    return status;
}

graze_status gz_group_load_step(gz_group_loader *loader, gz_cache_reservation *reservation,
                                uint32_t group, int step, gz_surface *out)
{
    graze_status status = load_members(loader, reservation, group);
    if (status == GRAZE_OK)
        *out = surface_of(loader);
    if (step < 0 || status != GRAZE_OK)
        return status;
    status = gz_group_load_page(loader, reservation, group);
    return status == GRAZE_OK ? take_step(loader, group, (uint32_t)step, out) : status;
}

static graze_status check_box(const gz_group_loader *loader, uint32_t group)
{
    const graze_model *model = loader->model;
    const double(*position)[3] = gz_welded_positions(&loader->mesh);
    double origin[3];
    gz_model_origin(&model->header, origin);
    for (uint64_t v = 0; v < loader->mesh.positions.count; ++v)
        if (!gz_group_box_contains(&model->groups[group].box, origin, position[v]))
            return gz_fail(model->context, GRAZE_ERROR_FORMAT, "%s: group %u is not in its box",
                           model->path, group);
    return GRAZE_OK;
}

// Positions in the precision of the model are as they were: steps only move vertices onto others.
static const void *positions_of(gz_group_loader *loader, const gz_surface *surface)
{
    if (loader->model->header.precision != GRAZE_FLOAT32)
        return surface->position;
    loader->narrow.count = 0;
    float(*narrow)[3] =
        gz_list_push(loader->model->context, &loader->narrow, surface->vertex_count);
    for (uint32_t v = 0; narrow != NULL && v < surface->vertex_count; ++v)
        for (int axis = 0; axis < 3; ++axis)
            narrow[v][axis] = (float)surface->position[v][axis];
    return narrow;
}

graze_status gz_group_load_tree(gz_group_loader *loader, gz_cache_reservation *reservation,
                                uint32_t group, uint32_t step, gz_tree *tree)
{
    gz_surface surface;
    graze_status status = gz_group_load_step(loader, reservation, group, (int)step, &surface);
    if (status != GRAZE_OK)
        return status;
    const void *positions = positions_of(loader, &surface);
    if (positions == NULL)
        return out_of_memory(loader);
    graze_mesh_view view = {.precision = (graze_precision)loader->model->header.precision,
                            .vertex_count = surface.vertex_count,
                            .triangle_count = surface.triangle_count,
                            .positions = positions,
                            .corners = surface.corner[0]};
    graze_shape_def def = graze_shape_def_default();
    return gz_tree_build(loader->model->context, &view, &def, tree);
}

graze_status gz_group_load_check(gz_group_loader *loader, gz_cache_reservation *reservation,
                                 uint32_t group)
{
    gz_surface surface;
    graze_status status = load_members(loader, reservation, group);
    if (status == GRAZE_OK)
        status = check_box(loader, group);
    if (status == GRAZE_OK)
        status = gz_group_load_page(loader, reservation, group);
    for (uint32_t i = 0; i < loader->model->groups[group].step_count && status == GRAZE_OK; ++i)
        status = take_step(loader, group, i, &surface);
    return status;
}

graze_status gz_group_load_cluster(gz_group_loader *loader, gz_cache_reservation *reservation,
                                   uint32_t cluster, gz_surface *out)
{
    graze_status status =
        gz_welded_mesh_begin(&loader->mesh, loader->model->clusters[cluster].vertex_count)
            ? add_cluster(loader, reservation, cluster)
            : out_of_memory(loader);
    if (status == GRAZE_OK)
        *out = surface_of(loader);
    return status;
}
