// Scene files: one file that keeps many objects apart. Objects with equal triangles share a body,
// which is a model of its own.
//
// Lifetime:    gz_scene_file_build writes a file; gz_scene_file_open -> gz_scene_file_free. All
// that
//              was pinned is unpinned before that.
// Concurrency: any number of threads may use an open file at once.
#ifndef GZ_SCENE_FILE_H
#define GZ_SCENE_FILE_H

#include <stdbool.h>

#include "graze/scene.h"

typedef struct gz_scene_file gz_scene_file;

// A mesh file: plain ones, so folders and manifests are expanded by the caller.
typedef struct gz_scene_mesh {
    const char *path, *group; // the latter goes before the groups of its objects; may be NULL
    const graze_pose *pose;   // of all of it; NULL: as it is
    double metres_per_unit;   // where the file does not say; 0: what the definition says
} gz_scene_mesh;

typedef struct gz_body_info {
    uint64_t triangle_count, hash, file_bytes;
    uint64_t component_count; // see query/closed.h
    uint32_t cluster_count;
    graze_box box; // in its own frame; empty if it has no triangles
    bool closed;
    graze_precision precision;
} gz_body_info;

typedef struct gz_file_object { // texts belong to the file
    const char *name, *group;
    uint32_t body;
    graze_pose pose;
} gz_file_object;

// @param def  NULL for the defaults.
graze_status gz_scene_file_build(graze_context *context, const gz_scene_mesh *meshes,
                                 uint32_t count, const char *path,
                                 const graze_scene_build_def *def);
// The same in a file without a name in the context's temporary folder, opened. It is gone when it
// is freed, or with the process.
graze_status gz_scene_file_build_temporary(graze_context *context, const gz_scene_mesh *meshes,
                                           uint32_t count, const graze_scene_build_def *def,
                                           gz_scene_file **file);

// Reads the directory, and checks it.
graze_status gz_scene_file_open(graze_context *context, const char *path, gz_scene_file **file);
// From bytes in memory, which stay while it is open; called `name` in messages.
graze_status gz_scene_file_open_memory(graze_context *context, const char *name, const void *bytes,
                                       uint64_t byte_count, gz_scene_file **file);
void gz_scene_file_free(gz_scene_file *file); // accepts NULL

typedef struct gz_scene_file_info {
    uint32_t version, object_count, body_count;
    uint64_t stored_count; // triangles of all bodies
    double metres_per_unit;
    graze_mesh_losses losses;
    uint64_t file_bytes;
    uint64_t resident_bytes; // of the directory and of all that is open now
    uint64_t read_count;     // of opening bodies: a bundle of small ones is one
} gz_scene_file_info;
gz_scene_file_info gz_scene_file_get_info(gz_scene_file *file);
const char *gz_scene_file_path(const gz_scene_file *file);

gz_file_object gz_scene_file_object(const gz_scene_file *file, uint32_t number);
gz_body_info gz_scene_file_body(const gz_scene_file *file, uint32_t number);

// The shape of a body, in its own frame, until it is unpinned as often as it was pinned. It is
// opened if need be. Whether it is closed, and its components, are known.
graze_status gz_scene_file_pin(gz_scene_file *file, uint32_t body, const graze_shape **shape);
void gz_scene_file_unpin(gz_scene_file *file, uint32_t body);
// Bodies that nobody has pinned stay open while all that is open takes no more than so many bytes;
// the least recently used closes first. At first a quarter of the context's cache, and 4 MiB at
// least.
void gz_scene_file_limit(gz_scene_file *file, uint64_t open_bytes);

// Of a pinned body: its clusters, which are the parts of its shape, and their boxes in its own
// frame, rounded outward.
uint32_t gz_scene_file_cluster_count(const gz_scene_file *file, uint32_t body);
graze_box gz_scene_file_cluster_box(const gz_scene_file *file, uint32_t body, uint32_t cluster);
// The model of a pinned body, for pages.
graze_model *gz_scene_file_model(const gz_scene_file *file, uint32_t body);

// Reads all of it and checks what can be: directory, models and all their pages, and that hashes,
// closedness and components are those of the triangles. Logs each body that is not sound.
// @param damaged  receives the number of these; NULL if not wanted.
graze_status gz_scene_file_check(gz_scene_file *file, uint32_t *damaged);

// For tests: gives a changed file the checksums that belong to it, but for those of bodies.
void gz_scene_file_seal(uint8_t *bytes, uint64_t byte_count);

#endif
