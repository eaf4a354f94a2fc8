// Streams a model as a mesh that is as coarse as an error allows, or as questions take it. See
// graze/model.h. What questions take is made by lod_cut.c; the first kind of cut is made here:
//
// A group is collapsed if both bounds of its last step are within the error. Bounds ascend from a
// group to those that what it became belongs to, so all that a collapsed group is made from is
// collapsed, too. The LOD cut consists of what is there and is not collapsed further: clusters, and
// where all members of a group are there, its coarsest step within the error. Groups keep the
// vertices that they share, so there are no cracks.
#include <inttypes.h>
#include <math.h>

#include "base/context.h"
#include "base/def.h"
#include "base/threads.h"
#include "model/group_load.h"
#include "model/lod_cut.h"

typedef struct lod_cut {
    graze_model *model;
    const graze_mesh_sink *sink;
    double error;
    const graze_model_cut_def *def; // of a cut of questions, else NULL
    const gz_lod_cut *parts;        // the same
    gz_group_loader loader;
    gz_index_list number;         // of vertices of the surface at hand in the stream
    gz_point_list positions;      // vertices on their way
    GZ_LIST(uint64_t[3]) corners; // triangles on their way
    graze_model_detail detail;
    uint64_t vertex_count;
} lod_cut;

static bool within(const lod_cut *cut, const gz_group_step *step)
{
    return (double)step->forward <= cut->error && (double)step->backward <= cut->error;
}

static bool is_collapsed(const lod_cut *cut, uint32_t group)
{
    if (group == UINT32_MAX)
        return false;
    const gz_group_entry *entry = &cut->model->groups[group];
    return within(cut, &entry->steps[entry->step_count - 1]);
}

// Whether a cluster is there: an original one, or what a collapsed group became.
static bool is_there(const lod_cut *cut, uint32_t cluster)
{
    uint32_t producer = cut->model->producers[cluster];
    return producer == UINT32_MAX || is_collapsed(cut, producer);
}

static bool all_there(const lod_cut *cut, const gz_group_entry *group)
{
    for (uint32_t i = 0; i < group->member_count; ++i)
        if (!is_there(cut, cut->model->members[group->first_member + i]))
            return false;
    return true;
}

static void note_bounds(lod_cut *cut, const gz_group_step *step)
{
    cut->detail.forward = fmax(cut->detail.forward, (double)step->forward);
    cut->detail.backward = fmax(cut->detail.backward, (double)step->backward);
}

static graze_status out_of_memory(const lod_cut *cut)
{
    return gz_fail(cut->model->context, GRAZE_ERROR_MEMORY,
                   "%s: out of memory for a level of detail", cut->model->path);
}

// Vertices that triangles name, in the order in which they do.
static graze_status pass_vertices(lod_cut *cut, const gz_surface *surface)
{
    const uint32_t *corner = surface->corner[0];
    uint32_t *number = cut->number.items, count = 0;
    bool narrow = cut->model->header.precision == GRAZE_FLOAT32;
    float(*floats)[3] = (void *)cut->positions.items;
    double(*doubles)[3] = cut->positions.items;
    for (uint32_t v = 0; v < surface->vertex_count; ++v)
        number[v] = UINT32_MAX;
    for (uint32_t i = 0; i < 3 * surface->triangle_count; ++i) {
        uint32_t v = corner[i];
        if (number[v] != UINT32_MAX)
            continue;
        for (int axis = 0; axis < 3; ++axis)
            if (narrow)
                floats[count][axis] = (float)surface->position[v][axis]; // as it was
            else
                doubles[count][axis] = surface->position[v][axis];
        number[v] = count++;
    }
    cut->vertex_count += count;
    return cut->sink->vertices == NULL
               ? GRAZE_OK
               : cut->sink->vertices(cut->sink->user, cut->positions.items, count);
}

static graze_status pass_surface(lod_cut *cut, const gz_surface *surface)
{
    graze_context *context = cut->model->context;
    uint64_t first = cut->vertex_count;
    cut->corners.count = cut->number.count = cut->positions.count = 0;
    uint64_t(*corners)[3] = gz_list_push(context, &cut->corners, surface->triangle_count);
    if (corners == NULL || gz_list_push(context, &cut->number, surface->vertex_count) == NULL ||
        gz_list_push(context, &cut->positions, surface->vertex_count) == NULL)
        return out_of_memory(cut);
    graze_status status = pass_vertices(cut, surface);
    const uint32_t *number = cut->number.items;
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            corners[t][c] = first + number[surface->corner[t][c]];
    if (status == GRAZE_OK && cut->sink->triangles != NULL)
        status = cut->sink->triangles(cut->sink->user, corners[0], surface->triangle_count);
    cut->detail.triangle_count += surface->triangle_count;
    return status;
}

// A group whose members are all there, and that is not collapsed.
static graze_status pass_group(lod_cut *cut, uint32_t group)
{
    const gz_group_entry *entry = &cut->model->groups[group];
    int step = -1;
    gz_surface surface;
    while ((uint32_t)(step + 1) < entry->step_count && within(cut, &entry->steps[step + 1]))
        ++step;
    gz_cache_reservation *reservation = gz_cache_reserve(cut->model->cache);
    if (reservation == NULL)
        return GRAZE_ERROR_MEMORY;
    graze_status status = gz_group_load_step(&cut->loader, reservation, group, step, &surface);
    gz_cache_release(reservation);
    if (step >= 0)
        note_bounds(cut, &entry->steps[step]);
    return status == GRAZE_OK ? pass_surface(cut, &surface) : status;
}

// As it is in the file.
static graze_status pass_whole(lod_cut *cut, uint32_t cluster)
{
    const graze_model *model = cut->model;
    uint32_t producer = model->producers[cluster];
    gz_surface surface;
    gz_cache_reservation *reservation = gz_cache_reserve(model->cache);
    if (reservation == NULL)
        return GRAZE_ERROR_MEMORY;
    graze_status status = gz_group_load_cluster(&cut->loader, reservation, cluster, &surface);
    gz_cache_release(reservation);
    if (producer != UINT32_MAX)
        note_bounds(cut, &model->groups[producer].steps[model->groups[producer].step_count - 1]);
    return status == GRAZE_OK ? pass_surface(cut, &surface) : status;
}

static graze_status pass_cluster(lod_cut *cut, uint32_t cluster)
{
    const graze_model *model = cut->model;
    uint32_t consumer = model->consumers[cluster], producer = model->producers[cluster];
    if (!is_there(cut, cluster) || is_collapsed(cut, consumer))
        return GRAZE_OK;
    if (consumer == UINT32_MAX || !all_there(cut, &model->groups[consumer]))
        return pass_whole(cut, cluster);
    if (producer != UINT32_MAX)
        note_bounds(cut, &model->groups[producer].steps[model->groups[producer].step_count - 1]);
    bool first = model->members[model->groups[consumer].first_member] == cluster;
    return first ? pass_group(cut, consumer) : GRAZE_OK; // once for all its members
}

static uint32_t level_of(const graze_model *model, uint32_t cluster)
{
    uint32_t level = 0;
    GZ_ASSERT(cluster < model->header.cluster_count + model->header.coarse_count);
    while (cluster - model->levels[level].first_cluster >= model->levels[level].cluster_count)
        ++level;
    return level;
}

static graze_status pass_part(lod_cut *cut, uint32_t part)
{
    uint32_t cluster = cut->parts->parts[part].cluster;
    graze_status status = GRAZE_OK;
    if (cut->def->level != NULL)
        status = cut->def->level(cut->sink->user, level_of(cut->model, cluster));
    return status == GRAZE_OK ? pass_whole(cut, cluster) : status;
}

static graze_status pass_all(lod_cut *cut)
{
    const gz_model_header *h = &cut->model->header;
    uint32_t all = cut->parts != NULL ? cut->parts->part_count : h->cluster_count + h->coarse_count;
    graze_mesh_header header = {.format = GRAZE_FORMAT_UNKNOWN,
                                .precision = (graze_precision)h->precision,
                                .metres_per_unit = h->metres_per_unit,
                                .encoding = "model"};
    graze_status status =
        cut->sink->begin == NULL ? GRAZE_OK : cut->sink->begin(cut->sink->user, &header);
    for (uint32_t c = 0; c < all && status == GRAZE_OK; ++c) {
        status = cut->parts != NULL ? pass_part(cut, c) : pass_cluster(cut, c);
        if (status == GRAZE_OK)
            status = gz_checkpoint(cut->model->context, "unpacking", "clusters", c, all);
    }
    graze_object object = {
        .name = "", .group = "", .triangle_count = cut->detail.triangle_count, .matrix = {0}};
    for (int axis = 0; axis < 3; ++axis)
        object.matrix[5 * axis] = 1;
    if (status == GRAZE_OK && cut->sink->object != NULL)
        status = cut->sink->object(cut->sink->user, &object);
    graze_mesh_losses losses = graze_model_get_info(cut->model).losses;
    if (status == GRAZE_OK && cut->sink->end != NULL)
        status = cut->sink->end(cut->sink->user, &losses);
    return status;
}

static graze_status stream(lod_cut *cut, graze_model_detail *detail)
{
    graze_context *context = cut->model->context;
    gz_group_loader_init(cut->model, &cut->loader);
    graze_status status = pass_all(cut);
    if (detail != NULL)
        *detail = cut->detail;
    gz_group_loader_free(&cut->loader);
    gz_list_free(context, &cut->number);
    gz_list_free(context, &cut->positions);
    gz_list_free(context, &cut->corners);
    return status;
}

graze_status graze_model_stream_coarse(graze_model *model, double error,
                                       const graze_mesh_sink *sink, graze_model_detail *detail)
{
    if (model == NULL || sink == NULL)
        return gz_fail_null(model == NULL ? NULL : model->context, "graze_model_stream_coarse");
    if (!(error >= 0))
        return gz_fail(model->context, GRAZE_ERROR_ARGUMENT,
                       "the error of a level of detail is a number from 0 up");
    lod_cut cut = {.model = model, .sink = sink, .error = error};
    return stream(&cut, detail);
}

// Answers at an error of 0 take no cut, but the original clusters: no group fits a share below 0.
graze_status graze_model_stream_cut(graze_model *model, const graze_model_cut_def *given,
                                    const graze_mesh_sink *sink, graze_model_detail *detail)
{
    if (model == NULL || sink == NULL)
        return gz_fail_null(model == NULL ? NULL : model->context, "graze_model_stream_cut");
    graze_model_cut_def room = graze_model_cut_def_default();
    const graze_model_cut_def *def =
        gz_def_known(model->context, "graze_model_stream_cut", given, &room, sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    if (!(def->error >= 0))
        return gz_fail(model->context, GRAZE_ERROR_ARGUMENT,
                       "the error of an answer is a number from 0 up");
    double share = def->alone != 0 ? def->error : def->error / 2;
    gz_lod_cut *parts = gz_lod_cut_take(model, def->error > 0 ? share : -1.0);
    if (parts == NULL)
        return GRAZE_ERROR_MEMORY;
    lod_cut cut = {.model = model, .sink = sink, .def = def, .parts = parts};
    graze_status status = stream(&cut, detail);
    gz_lod_cut_give(parts);
    return status;
}

uint32_t graze_model_level_count(const graze_model *model) { return model->header.level_count; }

graze_model_level graze_model_get_level(const graze_model *model, uint32_t level)
{
    graze_model_level out = {0};
    if (level >= model->header.level_count)
        return out;
    const gz_level_entry *entry = &model->levels[level];
    out.triangle_count = entry->triangle_count;
    out.cluster_count = entry->cluster_count;
    for (uint32_t i = 0; level != 0 && i < entry[-1].group_count; ++i) {
        const gz_group_entry *group = &model->groups[entry[-1].first_group + i];
        const gz_group_step *last = &group->steps[group->step_count - 1];
        out.forward = fmax(out.forward, (double)last->forward);
        out.backward = fmax(out.backward, (double)last->backward);
    }
    return out;
}
