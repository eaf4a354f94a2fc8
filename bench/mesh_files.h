// The files that bench_readers reads: one landscape, written in each format, about as large as
// asked.
#ifndef GRAZE_BENCH_MESH_FILES_H
#define GRAZE_BENCH_MESH_FILES_H

#include "graze/mesh.h"

typedef struct mesh_file {
    const char *name;   // in the folder
    uint32_t ascii;     // text, in formats that have both
    uint32_t big;       // big-endian
    uint32_t is_packed; // assimp does not read these
} mesh_file;

extern const mesh_file mesh_files[]; // ends with a NULL name

typedef struct made_file {
    uint64_t file_bytes, unpacked_bytes;
    uint64_t triangle_count;
} made_file;

// Writes the file of about so many bytes (unpacked) at the path.
graze_status mesh_file_make(graze_context *context, const mesh_file *file, const char *path,
                            uint64_t bytes, made_file *out);

#endif
