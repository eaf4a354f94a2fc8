// A flat mesh in memory: matrices applied, instances copied, by the rules of flat.h.
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "mesh/collect.h"
#include "mesh/flat.h"
#include "mesh/matrix.h"
#include "mesh/view.h"

#define BATCH 512u // vertices or triangles, on the stack

static graze_status go_on(const gz_flat *flat, uint64_t done)
{
    return gz_checkpoint(flat->context, "placing", "items", done,
                         flat->vertex_count + flat->triangle_count);
}

static graze_status copy_vertices(gz_flat *flat, const graze_mesh_sink *sink)
{
    gz_flat_walk walk;
    double positions[3 * BATCH]; // room for floats, too
    uint64_t count = 0, done = 0;
    gz_flat_start(flat, &walk);
    for (;;) {
        graze_status status = gz_flat_vertices(flat, &walk, positions, BATCH, &count);
        if (status == GRAZE_OK)
            status = go_on(flat, done += count);
        if (status == GRAZE_OK && count != 0)
            status = sink->vertices(sink->user, positions, count);
        if (status != GRAZE_OK || count == 0)
            return status;
    }
}

static graze_status copy_object(gz_flat *flat, gz_flat_walk *walk, const graze_mesh_sink *sink,
                                uint64_t *done)
{
    uint64_t corners[3 * BATCH], count = 0;
    graze_status status = GRAZE_OK;
    graze_object object = walk->object;
    object.first_triangle = *done;
    object.placed = 0;
    memcpy(object.matrix, gz_matrix_identity, sizeof object.matrix);
    while (status == GRAZE_OK && (count = gz_flat_corners(flat, walk, corners, BATCH)) != 0) {
        status = go_on(flat, flat->vertex_count + (*done += count));
        if (status == GRAZE_OK)
            status = sink->triangles(sink->user, corners, count);
    }
    return status == GRAZE_OK ? sink->object(sink->user, &object) : status;
}

static graze_status copy_objects(gz_flat *flat, const graze_mesh_sink *sink)
{
    gz_flat_walk walk;
    uint64_t done = 0;
    graze_status status = GRAZE_OK;
    gz_flat_start(flat, &walk);
    while (status == GRAZE_OK && gz_flat_next_object(flat, &walk))
        status = copy_object(flat, &walk, sink, &done);
    return status;
}

static graze_status copy_flat(gz_flat *flat, const graze_mesh_sink *sink)
{
    const graze_mesh_header header = {
        .precision = flat->precision,
        .metres_per_unit = flat->view->metres_per_unit,
        .vertex_count_hint = flat->vertex_count,
        .triangle_count_hint = flat->triangle_count,
        .encoding = "",
    };
    graze_status status = sink->begin(sink->user, &header);
    if (status == GRAZE_OK)
        status = copy_vertices(flat, sink);
    if (status == GRAZE_OK)
        status = copy_objects(flat, sink);
    return status;
}

graze_status graze_mesh_flatten(graze_context *context, const graze_mesh_view *view,
                                graze_mesh **mesh)
{
    static const char who[] = "graze_mesh_flatten";
    if (mesh != NULL)
        *mesh = NULL;
    if (context == NULL || view == NULL || mesh == NULL)
        return gz_fail_null(context, "graze_mesh_flatten");
    graze_status status = gz_view_check(context, who, view);
    if (status != GRAZE_OK)
        return status;
    gz_flat flat;
    status = gz_flat_open(context, who, view, true, &flat);
    if (status != GRAZE_OK)
        return status;
    graze_mesh *made = NULL;
    graze_mesh_sink sink;
    status = gz_mesh_collect(context, who, UINT64_MAX, &made, &sink); // the counts are true
    if (status == GRAZE_OK)
        status = copy_flat(&flat, &sink);
    gz_flat_close(&flat);
    if (status != GRAZE_OK)
        graze_mesh_free(made);
    else
        *mesh = made;
    return status;
}
