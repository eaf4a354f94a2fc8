// A sink that keeps what it gets: a mesh in memory.
#ifndef GZ_COLLECT_H
#define GZ_COLLECT_H

#include "graze/mesh.h"

// An empty mesh, and a sink that fills it; give the mesh back with graze_mesh_free. The path is for
// messages and lives as long as the sink. `file_bytes` limits how far the header's counts are
// believed: as far as a file of this length can hold them; 0 means not at all.
graze_status gz_mesh_collect(graze_context *context, const char *path, uint64_t file_bytes,
                             graze_mesh **mesh, graze_mesh_sink *sink);

// The mesh that a sink fills; NULL if the sink is of another kind.
graze_mesh *gz_mesh_of_sink(const graze_mesh_sink *sink);

// Room for more vertices or triangles at the end. The caller fills it, on any number of threads,
// before anything else happens to the mesh, and gives back what it did not fill. NULL if it cannot
// be had.
void *gz_mesh_vertex_room(graze_mesh *mesh, uint64_t count);
uint32_t *gz_mesh_triangle_room(graze_mesh *mesh, uint64_t count);
void gz_mesh_give_back(graze_mesh *mesh, uint64_t vertex_count, uint64_t triangle_count);

#endif
