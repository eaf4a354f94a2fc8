// The mesh of a group: what some clusters of one level are together. Vertices at the same place are
// one, and -0 is 0; so neighbours that only share bits of coordinates in the file share vertices
// here, and can be simplified.
//
// Vertices are numbered in the order in which the clusters name them. Who adds the same clusters in
// the same order gets the same numbers; the collapses of a group in a file rely on that.
#ifndef GZ_GROUP_MESH_H
#define GZ_GROUP_MESH_H

#include "model/cluster.h"

// Memory is kept for the next group. Zero, but for the context, is an empty one.
typedef struct gz_group_mesh {
    graze_context *context;
    gz_list positions; // double[3]
    gz_list corners;   // uint32_t[3]
    gz_list slots;     // uint32_t, places of vertices by the hash of their position
} gz_group_mesh;

void gz_group_mesh_free(gz_group_mesh *mesh);

// Empties it. `vertex_room`: no more vertices than this will be added. False when out of memory.
bool gz_group_mesh_begin(gz_group_mesh *mesh, uint64_t vertex_room);
bool gz_group_mesh_add(gz_group_mesh *mesh, const gz_cluster *cluster);

static inline const double (*gz_group_positions(const gz_group_mesh *mesh))[3]
{
    return mesh->positions.items;
}
static inline const uint32_t (*gz_group_corners(const gz_group_mesh *mesh))[3]
{
    return mesh->corners.items;
}

// The vertex at a place, which is a new one if there was none. UINT32_MAX: out of memory.
uint32_t gz_group_mesh_place(gz_group_mesh *mesh, const double position[3]);
// The vertex at a place, UINT32_MAX if there is none.
uint32_t gz_group_mesh_find(const gz_group_mesh *mesh, const double position[3]);

// A vertex of a cluster as a group sees it.
static inline void gz_group_position(const gz_cluster *cluster, uint32_t vertex, double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] =
            (cluster->precision == GRAZE_FLOAT32 ? (double)cluster->position.narrow[vertex][axis]
                                                 : cluster->position.wide[vertex][axis]) +
            0.0; // -0 becomes 0
}

#endif
