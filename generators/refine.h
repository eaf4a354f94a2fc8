// Makes a mesh finer: each triangle becomes k * k, on a smooth surface through the vertices, with
// relief upon it that gets finer with k. So that scans of a million triangles become ones of many
// millions, which are as uneven as real ones. The same bits on every machine.
//
// Vertices at equal places become one. What was closed stays closed: points on an edge belong to
// the edge, and all its triangles use them. Triangles with two corners at one place stay out.
// Only the mesh and tables of its places and edges are in memory, never the result.
#ifndef GRAZE_GENERATORS_REFINE_H
#define GRAZE_GENERATORS_REFINE_H

#include "graze/mesh.h"

#define GENERATOR_REFINE_TRIANGLES (UINT64_C(1) << 40) // the most that may come out
#define GENERATOR_REFINE_RELIEF    0.1                 // what is usual

typedef struct generator_refine_def {
    uint64_t factor;            // about as many for each triangle: k is its root, rounded; 0: 4
    uint64_t triangle_count;    // or about as many in all; 0: see factor
    uint64_t seed;              // of the relief
    double relief;              // its height as a part of the length of edges nearby; may be 0
    graze_precision precision;  // of the result; 0: that of the mesh
    uint64_t memory_byte_limit; // of the tables; 0: none
} generator_refine_def;

// Streams the finer mesh, all vertices before the first triangle. Objects keep their names; none of
// them may be placed or share its triangles (see graze_mesh_flatten).
// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (relief is negative or not finite, more than 2^40
//         triangles), GRAZE_ERROR_MEMORY, GRAZE_ERROR_FORMAT (no triangle with three places),
//         GRAZE_ERROR_UNSUPPORTED (more than 2^32 edges, or coordinates so large that the
//         precision does not hold what comes out), or what the sink said.
graze_status generator_refine_stream(const graze_mesh_view *view, const generator_refine_def *def,
                                     const graze_mesh_sink *sink);

#endif
