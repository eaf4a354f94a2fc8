// Simplifies a group. See group_work.h.
#include "model/group_work.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/context.h"
#include "geometry/rounding.h"
#include "model/group_box.h"

#define GAP 0.05 // bounds are measured so much too large at most, see gz_deviation_from
// For measuring, see gz_deviation_set_patience.
#define PATIENCE      UINT64_C(10000)
#define PATIENCE_EACH UINT64_C(300)
#define PATIENCE_BACK                                                                              \
    UINT64_C(1000)   // for each, on the way back: one group without a bound holds up all above
#define SUSPICIOUS 4 // times as far from the original surface as the finer mesh is
// Below this part of half the model's size, nobody cares how small a bound is.
#define FLOOR 0x1p-21

bool gz_group_work_init(const gz_levels *levels, gz_group_work *work)
{
    graze_context *context = levels->context;
    *work = (gz_group_work){.levels = levels,
                            .records = gz_list_of(gz_soup_record_bytes(levels->precision))};
    work->mesh.context = work->simplifier.context = context;
    gz_group_region_init(levels, &work->region);
    work->cut = gz_allocate(context, sizeof *work->cut);
    work->cluster = gz_allocate(context, sizeof *work->cluster);
    if (!gz_page_reader_init(context, &work->reader) ||
        !gz_page_writer_init(context, &work->writer) || work->cut == NULL ||
        work->cluster == NULL || gz_deviation_query_create(context, &work->to_coarse) != GRAZE_OK ||
        gz_deviation_query_create(context, &work->to_fine) != GRAZE_OK)
        return false;
    gz_deviation_set_patience(work->to_coarse, PATIENCE, PATIENCE_EACH);
    gz_deviation_set_patience(work->to_fine, PATIENCE, PATIENCE_BACK);
    return true;
}

void gz_group_work_free(gz_group_work *work)
{
    if (work->levels == NULL)
        return;
    graze_context *context = work->levels->context;
    gz_group_region_free(&work->region);
    gz_list_free(context, &work->locks);
    gz_list_free(context, &work->entries);
    gz_list_free(context, &work->pages);
    gz_list_free(context, &work->rims);
    gz_welded_mesh_free(&work->mesh);
    gz_list_free(context, &work->extras);
    gz_list_free(context, &work->locked);
    gz_list_free(context, &work->collapses);
    gz_list_free(context, &work->states);
    gz_list_free(context, &work->place);
    gz_list_free(context, &work->corner);
    gz_list_free(context, &work->kept);
    gz_items_free(context, &work->records);
    gz_list_free(context, &work->parts);
    gz_list_free(context, &work->own_corners);
    gz_list_free(context, &work->spreads);
    gz_simplifier_free(&work->simplifier);
    gz_deviation_query_destroy(work->to_coarse);
    gz_deviation_query_destroy(work->to_fine);
    gz_release(context, work->cut, sizeof *work->cut);
    gz_release(context, work->cluster, sizeof *work->cluster);
    gz_page_reader_free(&work->reader);
    gz_page_writer_free(&work->writer);
    gz_list_free(context, &work->page);
    *work = (gz_group_work){0};
}

static graze_status out_of_memory(const gz_group_work *work)
{
    return gz_fail(work->levels->context, GRAZE_ERROR_MEMORY,
                   "out of memory for a group of clusters");
}

// How far what triangles of a member stand for may be from them. Original ones have no spreads.
static bool note_extras(gz_group_work *work, uint32_t member)
{
    const gz_cluster *cluster = work->cluster;
    float spread[GZ_CLUSTER_TRIANGLES];
    float *extra = gz_list_push(work->levels->context, &work->extras, cluster->triangle_count);
    if (extra == NULL)
        return false;
    gz_cluster_spreads(cluster, ((const gz_bounds *)work->levels->bounds.items)[member].forward,
                       spread);
    for (uint32_t i = 0; i < cluster->triangle_count; ++i)
        extra[i] = cluster->spread_count == 0 ? 0 : spread[cluster->leaf[i]];
    return true;
}

static graze_status read_member(gz_group_work *work, uint32_t member)
{
    const gz_levels *l = work->levels;
    const gz_cluster_entry *entry = (const gz_cluster_entry *)l->clusters.items + member;
    uint64_t offset = ((const uint64_t *)l->offsets.items)[member];
    work->page.count = 0;
    if (!gz_list_reserve(l->context, &work->page, entry->byte_count))
        return out_of_memory(work);
    graze_status status = gz_output_read(l->output, offset, work->page.items, entry->byte_count);
    if (status != GRAZE_OK)
        return status;
    const char *wrong = gz_cluster_read(work->page.items, entry->byte_count, member, l->precision,
                                        l->triangle_count, &work->reader, work->cluster);
    if (wrong != NULL)
        return gz_fail(l->context, GRAZE_ERROR_IO,
                       "a page that was just written reads back differently: %s", wrong);
    return gz_group_mesh_add(&work->mesh, work->cluster) && note_extras(work, member)
               ? GRAZE_OK
               : out_of_memory(work);
}

static graze_status read_members(gz_group_work *work)
{
    const gz_cluster_entry *entries = work->levels->clusters.items;
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < work->member_count; ++i)
        vertices += entries[work->members[i]].vertex_count;
    work->extras.count = 0;
    if (!gz_welded_mesh_begin(&work->mesh, vertices))
        return out_of_memory(work);
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < work->member_count && status == GRAZE_OK; ++i)
        status = read_member(work, work->members[i]);
    return status;
}

static bool lock_seams(gz_group_work *work)
{
    const double(*locks)[3] = work->locks.items;
    work->locked.count = 0;
    uint8_t *locked =
        gz_list_push(work->levels->context, &work->locked, work->mesh.positions.count);
    if (locked == NULL)
        return false;
    memset(locked, 0, (size_t)work->mesh.positions.count);
    for (uint64_t i = 0; i < work->locks.count; ++i) {
        uint32_t vertex = gz_welded_mesh_find(&work->mesh, locks[i]);
        GZ_ASSERT(vertex != UINT32_MAX);
        locked[vertex] = 1;
    }
    return true;
}

static gz_patch patch_of(const gz_group_work *work)
{
    return (gz_patch){.position = gz_welded_positions(&work->mesh),
                      .corner = gz_welded_corners(&work->mesh),
                      .locked = work->locked.items,
                      .vertex_count = (uint32_t)work->mesh.positions.count,
                      .triangle_count = (uint32_t)work->mesh.corners.count};
}

static graze_status simplify(gz_group_work *work)
{
    work->collapses.count = work->states.count = 0;
    if (!lock_seams(work))
        return out_of_memory(work);
    gz_patch patch = patch_of(work);
    graze_status status = gz_simplify(&work->simplifier, &patch, patch.triangle_count / 2,
                                      &work->collapses, &work->states);
    const gz_collapse_state *states = work->states.items;
    while (work->states.count != 0 && states[work->states.count - 1].triangle_count == 0)
        work->collapses.count = --work->states.count; // something must be left
    return status;
}

// The mesh after some collapses, in `corner`.
static bool apply(gz_group_work *work, uint32_t collapse_count, gz_surface *out)
{
    graze_context *context = work->levels->context;
    gz_patch patch = patch_of(work);
    work->place.count = work->corner.count = work->kept.count = 0;
    uint32_t *place = gz_list_push(context, &work->place, patch.vertex_count);
    uint32_t(*corner)[3] = gz_list_push(context, &work->corner, patch.triangle_count);
    uint32_t *kept = gz_list_push(context, &work->kept, patch.triangle_count);
    if (place == NULL || corner == NULL || kept == NULL)
        return false;
    uint32_t count =
        gz_group_mesh_collapse(&patch, work->collapses.items, collapse_count, place, corner, kept);
    *out = (gz_surface){.position = patch.position,
                        .corner = (const uint32_t(*)[3])corner,
                        .vertex_count = patch.vertex_count,
                        .triangle_count = count};
    return true;
}

// The bounds of what the group's members are, which nothing coarser goes below.
static gz_bounds member_bounds(const gz_group_work *work)
{
    const gz_bounds *bounds = work->levels->bounds.items;
    gz_bounds most = {0, 0};
    for (uint32_t i = 0; i < work->member_count; ++i) {
        gz_bounds b = bounds[work->members[i]];
        most.forward = b.forward > most.forward ? b.forward : most.forward;
        most.backward = b.backward > most.backward ? b.backward : most.backward;
    }
    return most;
}

static gz_surface mesh_of(const gz_group_work *work)
{
    return (gz_surface){.position = gz_welded_positions(&work->mesh),
                        .corner = gz_welded_corners(&work->mesh),
                        .vertex_count = (uint32_t)work->mesh.positions.count,
                        .triangle_count = (uint32_t)work->mesh.corners.count};
}

static double floor_of(const gz_group_work *work) { return work->levels->half_size * FLOOR; }

// The way back, against the group's own mesh: what it stands for may be far from some of it, where
// surfaces lie on each other.
static graze_status measure_members(gz_group_work *work, const gz_surface *coarse, double *backward)
{
    gz_surface mesh = mesh_of(work), target = gz_region_target(&work->region.region);
    gz_deviation deviation;
    graze_status status = gz_deviation_set_target(work->to_fine, &mesh);
    if (status == GRAZE_OK)
        status = gz_deviation_from(work->to_fine, coarse, GAP, floor_of(work), &deviation);
    if (status == GRAZE_OK)
        *backward = fmin(*backward, deviation.high + (double)member_bounds(work).backward);
    return status == GRAZE_OK ? gz_deviation_set_target(work->to_fine, &target) : status;
}

static graze_status measure(gz_group_work *work, const gz_surface *coarse, bool last,
                            gz_group_step *step)
{
    gz_surface own = gz_region_own(&work->region.region);
    gz_deviation forward, backward;
    gz_bounds members = member_bounds(work);
    graze_status status = gz_deviation_set_target(work->to_coarse, coarse);
    if (status == GRAZE_OK)
        status = gz_deviation_from(work->to_coarse, &own, GAP, floor_of(work), &forward);
    if (status == GRAZE_OK)
        status = gz_deviation_from(work->to_fine, coarse, GAP, floor_of(work), &backward);
    if (status != GRAZE_OK)
        return status;
    backward.high += (double)work->region.backward;
    if (backward.high > SUSPICIOUS * (double)members.backward && members.backward > 0)
        status = measure_members(work, coarse, &backward.high);
    if (status == GRAZE_OK && last) {
        double known = forward.high;
        gz_deal deal = {.to = coarse,
                        .known = known,
                        .sight = fmin(fmax(known, backward.high), 4 * known),
                        .floor = floor_of(work)};
        status =
            gz_group_region_deal(&work->region, work->to_coarse, &deal, work->cut, &forward.high);
    }
    step->forward = fmaxf(gz_round_up(forward.high), members.forward);
    step->backward = fmaxf(gz_round_up(backward.high), members.backward);
    return status;
}

// The box of the group, when the last step is the target.
static graze_status make_box(gz_group_work *work, const gz_group_step *last)
{
    gz_group_box_def def = {.position = gz_welded_positions(&work->mesh),
                            .count = (uint32_t)work->mesh.positions.count,
                            .origin = work->levels->origin,
                            .forward = member_bounds(work).forward,
                            .query = work->to_coarse,
                            .backward = last->backward,
                            .floor = floor_of(work)};
    return gz_group_box_make(&def, &work->entry.box);
}

// How many collapses bring the mesh to so many triangles.
static uint32_t collapses_for(const gz_group_work *work, uint32_t triangle_count)
{
    const gz_collapse_state *states = work->states.items;
    uint32_t low = 0, high = (uint32_t)work->states.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (states[middle].triangle_count > triangle_count)
            low = middle + 1;
        else
            high = middle;
    }
    return low < work->states.count ? low + 1 : low;
}

static graze_status make_steps(gz_group_work *work)
{
    // Parts of the triangles; the last is what it is.
    static const double part[] = {0.79, 0.63, 0};
    const int step_count = sizeof part / sizeof *part;
    _Static_assert(sizeof part / sizeof *part <= GZ_GROUP_STEPS, "there is room");
    gz_group_entry *entry = &work->entry;
    uint32_t all = (uint32_t)work->collapses.count, before = 0;
    gz_surface fine = gz_region_target(&work->region.region);
    graze_status status = gz_deviation_set_target(work->to_fine, &fine);
    for (int i = 0; i < step_count && status == GRAZE_OK; ++i) {
        bool last = i == step_count - 1;
        uint32_t count =
            last ? all : collapses_for(work, (uint32_t)(part[i] * entry->triangle_count));
        if (!last && (count == before || count >= all))
            continue;
        before = count;
        gz_surface coarse;
        if (!apply(work, count, &coarse))
            return out_of_memory(work);
        gz_group_step step = {.collapse_count = count, .triangle_count = coarse.triangle_count};
        status = measure(work, &coarse, last, &step);
        if (entry->step_count != 0) {
            const gz_group_step *finer = &entry->steps[entry->step_count - 1];
            step.forward = fmaxf(step.forward, finer->forward);
            step.backward = fmaxf(step.backward, finer->backward);
        }
        entry->steps[entry->step_count++] = step;
        if (last && status == GRAZE_OK)
            status = make_box(work, &step);
        if (last && status == GRAZE_OK)
            status = gz_group_region_keep(&work->region, work->cut->cluster_count);
    }
    return status;
}

// Triangles of the coarsest mesh as records, for cutting them into clusters.
static bool list_records(gz_group_work *work, const gz_surface *coarse, uint32_t record_bytes)
{
    uint32_t size = (uint32_t)work->levels->precision;
    work->records.count = 0;
    uint8_t *record = gz_items_push(work->levels->context, &work->records, coarse->triangle_count);
    if (record == NULL)
        return false;
    for (uint32_t i = 0; i < coarse->triangle_count; ++i, record += record_bytes) {
        memset(record, 0, GZ_SOUP_KEY_BYTES);
        for (uint32_t k = 0; k < 9; ++k) {
            double wide = coarse->position[coarse->corner[i][k / 3]][k % 3];
            float narrow = (float)wide; // exact where it is used
            if (work->levels->precision == GRAZE_FLOAT32)
                memcpy(record + GZ_SOUP_KEY_BYTES + k * size, &narrow, size);
            else
                memcpy(record + GZ_SOUP_KEY_BYTES + k * size, &wide, size);
        }
    }
    return true;
}

// Gathers a cluster of the coarsest mesh, with its recipe.
static graze_status make_cluster(gz_group_work *work, uint32_t number)
{
    const uint8_t *records[GZ_CLUSTER_TRIANGLES];
    uint32_t record_bytes = gz_soup_record_bytes(work->levels->precision);
    uint32_t first = work->cut->first[number], count = work->cut->first[number + 1] - first;
    for (uint32_t i = 0; i < count; ++i) {
        uint8_t *record = (uint8_t *)work->records.items +
                          (uint64_t)work->cut->order[0][first + i] * record_bytes;
        gz_put_u32(record + GZ_SOUP_CURVE_BYTES, i, true);
        records[i] = record;
    }
    gz_cluster_gather(work->cluster, work->levels->precision, records, count);
    return gz_cluster_keep_recipe(work->levels->context, work->cluster);
}

// The spreads of some parts of the coarsest mesh, in `spreads`.
// @param coarse  with triangles whose parts are in `parts`.
static graze_status spread(gz_group_work *work, const gz_surface *coarse, const gz_surface *from,
                           uint32_t part_count)
{
    const gz_group_entry *entry = &work->entry;
    gz_spread s = {.to = coarse,
                   .part = work->parts.items,
                   .part_count = part_count,
                   .known = (double)entry->steps[entry->step_count - 1].forward,
                   .floor = floor_of(work)};
    work->spreads.count = 0;
    double *out = gz_list_push(work->levels->context, &work->spreads, part_count);
    if (out == NULL)
        return out_of_memory(work);
    graze_status status = gz_deviation_set_target(work->to_coarse, coarse);
    return status == GRAZE_OK ? gz_deviation_spread(work->to_coarse, from, &s, out) : status;
}

// The spreads of the leaves of a cluster, for what is its share.
static graze_status spread_cluster(gz_group_work *work, const gz_surface *coarse, uint32_t number)
{
    graze_context *context = work->levels->context;
    const uint32_t *order = work->cut->order[0] + work->cut->first[number];
    uint32_t count = work->cluster->triangle_count;
    work->parts.count = work->own_corners.count = 0;
    uint32_t *part = gz_list_push(context, &work->parts, count);
    uint32_t(*corner)[3] = gz_list_push(context, &work->own_corners, count);
    if (part == NULL || corner == NULL)
        return out_of_memory(work);
    for (uint32_t i = 0; i < count; ++i) {
        part[i] = work->cluster->leaf[i];
        memcpy(corner[i], coarse->corner[order[i]], sizeof corner[i]);
    }
    gz_surface mine = *coarse, from = gz_region_own(&work->region.regions[number]);
    mine.corner = (const uint32_t(*)[3])corner;
    mine.triangle_count = count;
    return spread(work, &mine, &from, gz_cluster_leaf_count(work->cluster));
}

// The spreads of the leaves of all clusters, where nothing was dealt out: for all that the group
// stands for, whichever cluster is near.
static graze_status spread_group(gz_group_work *work, const gz_surface *coarse)
{
    graze_context *context = work->levels->context;
    graze_status status = GRAZE_OK;
    uint32_t leaves = 0;
    work->parts.count = 0;
    uint32_t *part = gz_list_push(context, &work->parts, coarse->triangle_count);
    if (part == NULL)
        return out_of_memory(work);
    for (uint32_t c = 0; c < work->cut->cluster_count && status == GRAZE_OK; ++c) {
        const uint32_t *order = work->cut->order[0] + work->cut->first[c];
        status = make_cluster(work, c);
        for (uint32_t i = 0; status == GRAZE_OK && i < work->cluster->triangle_count; ++i)
            part[order[i]] = leaves + work->cluster->leaf[i];
        leaves += status == GRAZE_OK ? gz_cluster_leaf_count(work->cluster) : 0;
    }
    gz_surface from = gz_region_own(&work->region.region);
    return status == GRAZE_OK ? spread(work, coarse, &from, leaves) : status;
}

static graze_status write_cluster(gz_group_work *work, uint32_t number)
{
    graze_context *context = work->levels->context;
    uint64_t start = work->pages.count;
    gz_cluster_entry *entry = gz_list_push(context, &work->entries, 1);
    if (entry == NULL || !gz_cluster_write(work->cluster, 0, &work->writer, &work->pages) ||
        !gz_seams_find(context, work->cluster, number, &work->rims))
        return out_of_memory(work);
    *entry = gz_cluster_entry_make(work->cluster, work->levels->origin);
    entry->byte_count = (uint32_t)(work->pages.count - start);
    return GRAZE_OK;
}

// Pages of the clusters, when steps are made, and what the clusters stand for is dealt out.
static graze_status write_clusters(gz_group_work *work)
{
    bool dealt = !work->region.shares.crowded;
    gz_surface coarse;
    graze_status status = GRAZE_OK;
    uint32_t leaves = 0;
    float forward = work->entry.steps[work->entry.step_count - 1].forward;
    if (!apply(work, (uint32_t)work->collapses.count, &coarse))
        return out_of_memory(work);
    if (!dealt)
        status = spread_group(work, &coarse);
    for (uint32_t c = 0; c < work->cut->cluster_count && status == GRAZE_OK; ++c) {
        status = make_cluster(work, c);
        if (status == GRAZE_OK && dealt)
            status = spread_cluster(work, &coarse, c);
        if (status != GRAZE_OK)
            break;
        const double *spreads = work->spreads.items;
        gz_cluster_keep_spreads(work->cluster, forward, spreads + (dealt ? 0 : leaves));
        leaves += work->cluster->spread_count;
        status = write_cluster(work, c);
    }
    return status;
}

static graze_status make_pages(gz_group_work *work)
{
    work->pages.count = work->entries.count = work->rims.count = 0;
    if (!gz_group_page_write(&work->writer.packer, work->collapses.items,
                             (uint32_t)work->collapses.count, &work->pages))
        return out_of_memory(work);
    work->entry.byte_count = (uint32_t)work->pages.count;
    return write_clusters(work);
}

// Cuts the coarsest mesh into clusters.
static graze_status cut_mesh(gz_group_work *work)
{
    const gz_levels *l = work->levels;
    gz_surface coarse;
    if (!apply(work, (uint32_t)work->collapses.count, &coarse) ||
        !list_records(work, &coarse, gz_soup_record_bytes(l->precision)))
        return out_of_memory(work);
    gz_bucket bucket = {work->records.items, coarse.triangle_count};
    gz_bucket_split(&bucket, l->precision, l->cluster_limit, work->cut);
    work->entry.cluster_count = work->cut->cluster_count;
    return GRAZE_OK;
}

void gz_group_work_run(gz_group_work *work)
{
    work->status = read_members(work);
    work->entry = (gz_group_entry){.member_count = work->member_count,
                                   .vertex_count = (uint32_t)work->mesh.positions.count,
                                   .triangle_count = (uint32_t)work->mesh.corners.count};
    if (work->status == GRAZE_OK)
        work->status = gz_group_region_load(&work->region, work->members, work->member_count,
                                            &work->mesh, work->extras.items);
    if (work->status == GRAZE_OK)
        work->status = simplify(work);
    if (work->status == GRAZE_OK)
        work->status = cut_mesh(work);
    if (work->status == GRAZE_OK)
        work->status = make_steps(work);
    if (work->status == GRAZE_OK)
        work->status =
            make_pages(work); // after the steps: it needs to know what clusters stand for
}
