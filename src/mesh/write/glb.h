// What the two halves of the GLB writer share: writer_glb.c plans and writes the binary data,
// glb_json.c describes it.
//
// The plan. Objects that show the same triangles are instances of one part. Parts whose vertices
// interleave share a block: a range of the view's vertices that goes to the file as it is, and
// whose accessor counts from 0. So vertices are written once, and separate objects do not carry
// those of others. Vertices that no range covers are left out.
#ifndef GZ_GLB_H
#define GZ_GLB_H

#include <stdbool.h>

#include "base/memory.h"
#include "graze/mesh.h"

#define GZ_GLB_NONE UINT32_MAX

typedef struct gz_glb_block {
    uint64_t first, count; // vertices of the view
    bool moved;            // coordinates are written relative to `centre`
    bool finite;           // some are, so that there are bounds
    double centre[3];
    float min[3], max[3]; // as written
    uint64_t byte_offset; // in the buffer view of positions
} gz_glb_block;

typedef struct gz_glb_part {
    uint64_t first_triangle, triangle_count;
    uint32_t low, high; // vertices in use
    uint32_t block;
    bool narrow;          // indices of 2 bytes, else 4
    uint64_t byte_offset; // in the buffer view of such indices
} gz_glb_part;

typedef struct gz_glb {
    graze_context *context;
    const char *path;
    const graze_mesh_view *view;
    uint64_t object_count;
    uint32_t *part_of; // object -> part; GZ_GLB_NONE where it has no triangles
    gz_glb_part *parts;
    gz_glb_block *blocks;
    uint32_t part_count, block_count;
    uint64_t position_bytes, wide_bytes, narrow_bytes; // the three buffer views, in this order
    uint64_t binary_bytes;                             // all of them, padded
    GZ_LIST(char) json;                                // characters, padded
} gz_glb;

graze_status gz_glb_out_of_memory(gz_glb *glb);
// Fills glb->json from the rest.
graze_status gz_glb_describe(gz_glb *glb);

#endif
