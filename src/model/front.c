// Streams a model as a mesh that is as coarse as an error allows. See graze/model.h.
//
// A group is collapsed if both bounds of its last step are within the error. Bounds ascend from a
// group to those that what it became belongs to, so all that a collapsed group is made from is
// collapsed, too. The front consists of what is there and is not collapsed further: clusters, and
// where all members of a group are there, its coarsest step within the error. Groups keep the
// vertices that they share, so there are no cracks.
#include <inttypes.h>
#include <math.h>

#include "base/context.h"
#include "base/threads.h"
#include "model/group_load.h"

typedef struct front {
    graze_model *model;
    const graze_mesh_sink *sink;
    double error;
    gz_group_loader loader;
    gz_list number;    // uint32_t, of vertices of the surface at hand in the stream
    gz_list positions; // bytes, vertices on their way
    gz_list corners;   // uint64_t[3], triangles on their way
    graze_model_detail detail;
    uint64_t vertex_count;
} front;

static bool within(const front *f, const gz_group_step *step)
{
    return (double)step->forward <= f->error && (double)step->backward <= f->error;
}

static bool is_collapsed(const front *f, uint32_t group)
{
    if (group == UINT32_MAX)
        return false;
    const gz_group_entry *entry = &f->model->groups[group];
    return within(f, &entry->steps[entry->step_count - 1]);
}

// Whether a cluster is there: an original one, or what a collapsed group became.
static bool is_there(const front *f, uint32_t cluster)
{
    uint32_t producer = f->model->producers[cluster];
    return producer == UINT32_MAX || is_collapsed(f, producer);
}

static bool all_there(const front *f, const gz_group_entry *group)
{
    for (uint32_t i = 0; i < group->member_count; ++i)
        if (!is_there(f, f->model->members[group->first_member + i]))
            return false;
    return true;
}

static void note_bounds(front *f, const gz_group_step *step)
{
    f->detail.forward = fmax(f->detail.forward, (double)step->forward);
    f->detail.backward = fmax(f->detail.backward, (double)step->backward);
}

static graze_status out_of_memory(const front *f)
{
    return gz_fail(f->model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a level of detail",
                   f->model->path);
}

// Vertices that triangles name, in the order in which they do.
static graze_status pass_vertices(front *f, const gz_surface *surface)
{
    const uint32_t *corner = surface->corner[0];
    uint32_t *number = f->number.items, count = 0;
    bool narrow = f->model->header.precision == GRAZE_FLOAT32;
    float(*floats)[3] = f->positions.items;
    double(*doubles)[3] = f->positions.items;
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
    f->vertex_count += count;
    return f->sink->vertices == NULL ? GRAZE_OK
                                     : f->sink->vertices(f->sink->user, f->positions.items, count);
}

static graze_status pass_surface(front *f, const gz_surface *surface)
{
    graze_context *context = f->model->context;
    uint64_t first = f->vertex_count;
    f->corners.count = f->number.count = f->positions.count = 0;
    uint64_t(*corners)[3] =
        gz_list_push(context, &f->corners, sizeof *corners, surface->triangle_count);
    if (corners == NULL ||
        gz_list_push(context, &f->number, sizeof(uint32_t), surface->vertex_count) == NULL ||
        gz_list_push(context, &f->positions, sizeof(double[3]), surface->vertex_count) == NULL)
        return out_of_memory(f);
    graze_status status = pass_vertices(f, surface);
    const uint32_t *number = f->number.items;
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            corners[t][c] = first + number[surface->corner[t][c]];
    if (status == GRAZE_OK && f->sink->triangles != NULL)
        status = f->sink->triangles(f->sink->user, corners[0], surface->triangle_count);
    f->detail.triangle_count += surface->triangle_count;
    return status;
}

// A group whose members are all there, and that is not collapsed.
static graze_status pass_group(front *f, uint32_t group)
{
    const gz_group_entry *entry = &f->model->groups[group];
    int step = -1;
    gz_surface surface;
    while ((uint32_t)(step + 1) < entry->step_count && within(f, &entry->steps[step + 1]))
        ++step;
    graze_status status = gz_group_load_step(&f->loader, group, step, &surface);
    if (step >= 0)
        note_bounds(f, &entry->steps[step]);
    return status == GRAZE_OK ? pass_surface(f, &surface) : status;
}

static graze_status pass_cluster(front *f, uint32_t cluster)
{
    const graze_model *model = f->model;
    uint32_t consumer = model->consumers[cluster], producer = model->producers[cluster];
    if (!is_there(f, cluster) || is_collapsed(f, consumer))
        return GRAZE_OK;
    if (producer != UINT32_MAX)
        note_bounds(f, &model->groups[producer].steps[model->groups[producer].step_count - 1]);
    if (consumer != UINT32_MAX && all_there(f, &model->groups[consumer])) {
        bool first = model->members[model->groups[consumer].first_member] == cluster;
        return first ? pass_group(f, consumer) : GRAZE_OK; // once for all its members
    }
    gz_surface surface;
    graze_status status = gz_group_load_cluster(&f->loader, cluster, &surface);
    return status == GRAZE_OK ? pass_surface(f, &surface) : status;
}

static graze_status pass_all(front *f)
{
    const gz_model_header *h = &f->model->header;
    uint32_t all = h->cluster_count + h->coarse_count;
    graze_mesh_header header = {.format = GRAZE_FORMAT_UNKNOWN,
                                .precision = (graze_precision)h->precision,
                                .metres_per_unit = h->metres_per_unit,
                                .encoding = "model"};
    graze_status status =
        f->sink->begin == NULL ? GRAZE_OK : f->sink->begin(f->sink->user, &header);
    for (uint32_t c = 0; c < all && status == GRAZE_OK; ++c) {
        status = pass_cluster(f, c);
        if (status == GRAZE_OK)
            status = gz_checkpoint(f->model->context, "unpacking", "clusters", c, all);
    }
    graze_object object = {
        .name = "", .group = "", .triangle_count = f->detail.triangle_count, .matrix = {0}};
    for (int axis = 0; axis < 3; ++axis)
        object.matrix[5 * axis] = 1;
    if (status == GRAZE_OK && f->sink->object != NULL)
        status = f->sink->object(f->sink->user, &object);
    graze_mesh_losses losses = graze_model_get_info(f->model).losses;
    if (status == GRAZE_OK && f->sink->end != NULL)
        status = f->sink->end(f->sink->user, &losses);
    return status;
}

graze_status graze_model_stream_coarse(graze_model *model, double error,
                                       const graze_mesh_sink *sink, graze_model_detail *detail)
{
    if (model == NULL || sink == NULL)
        return GRAZE_ERROR_ARGUMENT;
    if (!(error >= 0))
        return gz_fail(model->context, GRAZE_ERROR_ARGUMENT,
                       "the error of a level of detail is a number from 0 up");
    front f = {.model = model, .sink = sink, .error = error};
    graze_status status = gz_group_loader_init(model, &f.loader);
    if (status == GRAZE_OK)
        status = pass_all(&f);
    if (detail != NULL)
        *detail = f.detail;
    gz_group_loader_free(&f.loader);
    gz_list_free(model->context, &f.number, sizeof(uint32_t));
    gz_list_free(model->context, &f.positions, sizeof(double[3]));
    gz_list_free(model->context, &f.corners, sizeof(uint64_t[3]));
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
