// What the writers of vertices and triangles by number (PLY, OBJ) share: a flat mesh goes through
// one buffer, batch by batch, with progress. A writer only says how an item becomes bytes.
#ifndef GZ_BATCHES_H
#define GZ_BATCHES_H

#include "mesh/flat.h"
#include "mesh/number.h"
#include "mesh/write/writer.h"

#define GZ_BATCH_ITEMS      1024u
#define GZ_BATCH_ITEM_BYTES (3u * (GZ_NUMBER_BYTES + 1u) + 4u) // the longest vertex or triangle

typedef struct gz_batches {
    gz_packer *packer;
    graze_context *context;
    gz_flat flat;
    uint64_t done; // vertices and triangles
    struct gz_batch *batch;
} gz_batches;

// Writes one item at `out` and returns the byte behind it.
typedef uint8_t *gz_put_vertex(const void *user, uint8_t *out, const double position[3]);
typedef uint8_t *gz_put_triangle(const void *user, uint8_t *out, const uint64_t corners[3]);

graze_status gz_batches_open(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                             gz_batches *batches);
void gz_batches_close(gz_batches *batches);

// All vertices, widened to double (which floats come back from as they were).
graze_status gz_batches_vertices(gz_batches *batches, gz_put_vertex *put, const void *user);
// All triangles of the walk's object.
graze_status gz_batches_triangles(gz_batches *batches, gz_flat_walk *walk, gz_put_triangle *put,
                                  const void *user);

#endif
