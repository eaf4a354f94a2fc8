// A sink that keeps what it gets: a mesh in memory.
#ifndef GZ_COLLECT_H
#define GZ_COLLECT_H

#include "graze/mesh.h"

// An empty mesh, and a sink that fills it; give the mesh back with graze_mesh_free. The path is for
// messages and lives as long as the sink. `file_bytes` limits how far the header's counts are
// believed: as far as a file of this length can hold them; 0 means not at all.
graze_status gz_mesh_collect(graze_context *context, const char *path, uint64_t file_bytes,
                             graze_mesh **mesh, graze_mesh_sink *sink);

#endif
