// Batches of a flat mesh on their way to a packer. See batches.h.
#include "mesh/write/batches.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/threads.h"

struct gz_batch {
    double positions[3 * GZ_BATCH_ITEMS]; // or floats
    uint64_t corners[3 * GZ_BATCH_ITEMS];
    uint8_t out[GZ_BATCH_ITEMS * GZ_BATCH_ITEM_BYTES];
};

graze_status gz_batches_open(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                             gz_batches *batches)
{
    const char *path = gz_packer_path(packer);
    *batches = (gz_batches){.packer = packer, .context = context};
    graze_status status = gz_flat_open(context, path, view, true, &batches->flat);
    if (status != GRAZE_OK)
        return status;
    batches->batch = gz_allocate(context, sizeof *batches->batch);
    if (batches->batch == NULL) {
        gz_flat_close(&batches->flat);
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
    }
    return GRAZE_OK;
}

void gz_batches_close(gz_batches *batches)
{
    gz_release(batches->context, batches->batch, sizeof *batches->batch);
    gz_flat_close(&batches->flat);
}

static graze_status write_out(gz_batches *batches, const uint8_t *end, uint64_t count)
{
    graze_status status = gz_packer_write(batches->packer, batches->batch->out,
                                          (uint64_t)(end - batches->batch->out));
    batches->done += count;
    if (status == GRAZE_OK)
        status = gz_checkpoint(batches->context, "writing", "elements", batches->done,
                               batches->flat.vertex_count + batches->flat.triangle_count);
    return status;
}

graze_status gz_batches_vertices(gz_batches *batches, gz_put_vertex *put, const void *user)
{
    gz_flat_walk walk;
    gz_flat_start(&batches->flat, &walk);
    const double *wide = batches->batch->positions;
    const float *narrow = (const float *)wide;
    bool floats = batches->flat.precision == GRAZE_FLOAT32;
    graze_status status = GRAZE_OK;
    uint64_t count = 0;
    do {
        status = gz_flat_vertices(&batches->flat, &walk, batches->batch->positions, GZ_BATCH_ITEMS,
                                  &count);
        uint8_t *out = batches->batch->out;
        for (uint64_t i = 0; i < count; ++i) {
            double position[3];
            for (uint64_t axis = 0; axis < 3; ++axis)
                position[axis] = floats ? (double)narrow[3 * i + axis] : wide[3 * i + axis];
            out = put(user, out, position);
        }
        if (status == GRAZE_OK)
            status = write_out(batches, out, count);
    } while (status == GRAZE_OK && count != 0);
    return status;
}

graze_status gz_batches_triangles(gz_batches *batches, gz_flat_walk *walk, gz_put_triangle *put,
                                  const void *user)
{
    uint64_t *corners = batches->batch->corners;
    graze_status status = GRAZE_OK;
    uint64_t count = 0;
    do {
        count = gz_flat_corners(&batches->flat, walk, corners, GZ_BATCH_ITEMS);
        uint8_t *out = batches->batch->out;
        for (uint64_t i = 0; i < count; ++i)
            out = put(user, out, corners + 3 * i);
        status = write_out(batches, out, count);
    } while (status == GRAZE_OK && count != 0);
    return status;
}
