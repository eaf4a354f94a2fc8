// A mesh as large as is asked for, in a file: the Stanford dragon made finer, or, where that is not
// there, a terrain.
#ifndef GRAZE_BENCH_LARGE_MESH_H
#define GRAZE_BENCH_LARGE_MESH_H

#include <stdbool.h>
#include <stdint.h>

// Is the dragon in the folder, which may be NULL?
bool large_mesh_is_dragon(const char *models);
// Writes about so many triangles. False: that failed, and why was said.
bool large_mesh_write(const char *models, uint64_t triangle_count, const char *path);

#endif
