// Scenes that deform, break and fold, frame by frame: the environments of the CULLIDE paper, and a
// cloth. Each frame is a function of the scene, its number and the seed: any can be made alone, in
// any order, and has the same bits on every machine. Objects are arrays of their own, as
// graze_cull_frame takes them; nothing says what becomes of them in the next frame.
#ifndef GRAZE_GENERATORS_FRAMES_H
#define GRAZE_GENERATORS_FRAMES_H

#include "graze/mesh.h"

#define GENERATOR_FRAMES_OBJECTS   UINT64_C(1000000)   // the most that may be asked for
#define GENERATOR_FRAMES_TRIANGLES (UINT64_C(1) << 30) // the same, of all objects together

typedef struct generator_frames_def {
    const char *scene; // see generator_frames_scenes
    // The story of models, breaking and cloth takes so many frames; 0: 500. Cylinders and tori move
    // on for ever, the same way each frame.
    uint32_t frame_count;
    uint64_t object_count;   // cylinders and tori; breaking: pieces in the end; 0: as in the paper
    uint64_t triangle_count; // about; of each cylinder or torus, of the larger model, of the cloth;
                             // 0: as in the paper
    double density; // cylinders and tori: the part of the unit cube that they fill; 0: the paper's
    uint64_t seed;
} generator_frames_def;

// Names and one line of explanation each; ends with a NULL name.
typedef struct generator_frames_scene {
    const char *name, *about;
} generator_frames_scene;
extern const generator_frames_scene generator_frames_scenes[];

typedef struct generator_frames generator_frames;

// One frame. Its arrays end with the next one.
typedef struct generator_frame {
    uint32_t object_count;
    const graze_mesh_view *objects;        // in float, each with vertices of its own
    const char *const *names;              // one for each, and no two the same
    uint64_t vertex_count, triangle_count; // of all objects
} generator_frame;

// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (an unknown scene, counts above the most, objects where
//         the scene has a fixed number, a density outside 0 to 1), GRAZE_ERROR_MEMORY.
graze_status generator_frames_open(const generator_frames_def *def, generator_frames **frames);
void generator_frames_close(generator_frames *frames); // accepts NULL

// Makes a frame. Takes memory only where it is larger than all before.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status generator_frames_at(generator_frames *frames, uint32_t number, generator_frame *frame);

// Streams a frame: all vertices before the first triangle, objects with their names, exact counts
// in the header.
graze_status generator_frame_stream(const generator_frame *frame, const graze_mesh_sink *sink);
// Copies it into one mesh of named objects.
graze_status generator_frame_make(graze_context *context, const generator_frame *frame,
                                  graze_mesh **mesh);

#endif
