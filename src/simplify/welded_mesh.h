// A welded mesh: vertices at the same place are one, and -0 is 0. Triangles that only share bits of
// coordinates share vertices here, and can be simplified.
//
// Vertices are numbered in the order in which they are placed.
#ifndef GZ_WELDED_MESH_H
#define GZ_WELDED_MESH_H

#include "base/memory.h"

// Memory is kept for the next mesh. Zero, but for the context, is an empty one.
typedef struct gz_welded_mesh {
    graze_context *context;
    gz_point_list positions;
    gz_corner_list corners;
    gz_index_list slots; // places of vertices by the hash of their position
} gz_welded_mesh;

void gz_welded_mesh_free(gz_welded_mesh *mesh);

// Empties it. `vertex_room`: no more vertices than this will be placed. False when out of memory.
bool gz_welded_mesh_begin(gz_welded_mesh *mesh, uint64_t vertex_room);

// The vertex at a place, which is a new one if there was none. UINT32_MAX: out of memory.
uint32_t gz_welded_mesh_place(gz_welded_mesh *mesh, const double position[3]);
// The vertex at a place, UINT32_MAX if there is none.
uint32_t gz_welded_mesh_find(const gz_welded_mesh *mesh, const double position[3]);

static inline const double (*gz_welded_positions(const gz_welded_mesh *mesh))[3]
{
    return mesh->positions.items;
}
static inline const uint32_t (*gz_welded_corners(const gz_welded_mesh *mesh))[3]
{
    return mesh->corners.items;
}

#endif
