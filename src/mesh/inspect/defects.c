// Welding, edges and parts, one after the other. See defects.h.
#include "mesh/inspect/defects.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/context.h"
#include "mesh/inspect/edges.h"
#include "mesh/inspect/parts.h"
#include "mesh/inspect/triples.h"
#include "mesh/inspect/weld.h"

// Turns vertex numbers into places. *on_disk is raised if that took a file.
static graze_status weld(graze_context *context, const gz_defects_def *def,
                         graze_mesh_findings *findings, uint64_t *place_limit, bool *on_disk)
{
    const gz_inspect_plan *plan = def->plan;
    uint64_t vertices = def->vertex_count;
    gz_sorter_def order = {.memory_bytes = plan->repeats, .fan_bits = plan->fan_bits};
    order.zero_bits = gz_index_zero_bits(vertices);
    gz_sorter *repeats = NULL;
    graze_status status = gz_weld_repeats(context, def->keys, &order, &repeats);
    *on_disk = def->on_disk || gz_sorter_on_disk(def->keys);
    gz_sorter_close(def->keys);
    *place_limit = vertices;
    if (status == GRAZE_OK && def->soup) {
        findings->distinct_vertices = gz_found(vertices - gz_sorter_count(repeats), *on_disk);
        status = gz_weld_soup(context, repeats, vertices, plan->map, def->corners, place_limit);
    } else if (status == GRAZE_OK) {
        status = gz_weld_shared(context, repeats, vertices, plan->map, def->corners, plan->window);
    }
    *on_disk = *on_disk || (repeats != NULL && gz_sorter_on_disk(repeats)) ||
               gz_spill_on_disk(def->corners);
    gz_sorter_close(repeats);
    return status;
}

static graze_status match_edges(graze_context *context, const gz_defects_def *def,
                                graze_mesh_findings *findings, uint64_t place_limit,
                                gz_spill *marks, bool *on_disk)
{
    gz_edges_def edges = {
        .corners = def->corners,
        .place_limit = place_limit,
        .marks = marks,
        .triangle_bytes = def->plan->triangles,
        .edge_bytes = def->plan->edges,
        .fan_bits = def->plan->fan_bits,
        .window_bytes = def->plan->window,
    };
    gz_edges_result result;
    graze_status status = gz_edges_count(context, &edges, &result);
    if (status != GRAZE_OK)
        return status;
    *on_disk = *on_disk || result.on_disk;
    findings->duplicate_triangles = gz_found(result.duplicates, *on_disk);
    findings->open_edges = gz_found(result.open, *on_disk);
    findings->nonmanifold_edges = gz_found(result.nonmanifold, *on_disk);
    findings->misoriented_edges = gz_found(result.misoriented, *on_disk);
    return GRAZE_OK;
}

static graze_status join_parts(graze_context *context, const gz_defects_def *def,
                               graze_mesh_findings *findings, uint64_t place_limit, gz_spill *marks,
                               bool on_disk)
{
    const gz_inspect_plan *plan = def->plan;
    gz_parts_def parts = {
        .corners = def->corners,
        .place_limit = place_limit,
        .marks = marks,
        // What the corners do not hold in memory is free for the forest.
        .memory_bytes = plan->forest + (plan->corners - def->corners->capacity),
        .link_bytes = plan->links,
        .window_bytes = plan->window,
    };
    gz_parts_result result;
    graze_status status = gz_parts_count(context, &parts, &result);
    if (status != GRAZE_OK)
        return status;
    on_disk = on_disk || result.on_disk;
    if (def->soup)
        GZ_ASSERT(result.places == findings->distinct_vertices.count);
    else
        findings->distinct_vertices = gz_found(result.places, on_disk);
    findings->parts = gz_found(result.parts, on_disk);
    findings->closed_parts = gz_found(result.closed_parts, on_disk);
    return GRAZE_OK;
}

graze_status gz_defects_find(graze_context *context, const gz_defects_def *def,
                             graze_mesh_findings *findings, bool *found, char why[128])
{
    uint64_t place_limit = 0, most = def->plan->place_limit;
    bool on_disk = false;
    graze_status status = weld(context, def, findings, &place_limit, &on_disk);
    *found = place_limit <= most;
    if (status == GRAZE_OK && !*found) {
        snprintf(why, 128, "there may be %" PRIu64 " different vertices, more than %" PRIu64,
                 place_limit, most);
        return GRAZE_OK;
    }
    gz_spill marks = gz_spill_make(context, def->plan->marks);
    if (status == GRAZE_OK)
        status = match_edges(context, def, findings, place_limit, &marks, &on_disk);
    if (status == GRAZE_OK)
        status = join_parts(context, def, findings, place_limit, &marks, on_disk);
    gz_spill_free(&marks);
    return status;
}
