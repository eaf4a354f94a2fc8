// What the two halves of building a scene file have in common: reading meshes into bodies
// (scene_read.c), and putting bodies and objects into a file (scene_build.c).
#ifndef GZ_SCENE_BUILD_H
#define GZ_SCENE_BUILD_H

#include "scene/scene_bodies.h"

typedef GZ_LIST(gz_scene_body) gz_scene_body_list;
typedef GZ_LIST(gz_scene_entry) gz_scene_entry_list;

typedef struct gz_scene_build {
    graze_context *context;
    uint64_t memory_bytes;
    bool no_levels;
    const graze_mesh_read_def *read;
    gz_output *store;            // bodies, as they were made
    gz_scene_body_list bodies;   // where they are in the store
    gz_scene_entry_list objects; // of all meshes, in order
    gz_byte_list texts;
    uint32_t last_group, last_group_end; // in the texts
    double metres_per_unit;
    const char *unit_path; // who said so
    graze_mesh_losses losses;
} gz_scene_build;

// Reads a mesh: its objects come behind those that are there, and their bodies into the store.
graze_status gz_scene_read_mesh(gz_scene_build *build, const gz_scene_mesh *mesh);

#endif
