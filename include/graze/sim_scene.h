/// @file sim_scene.h  Simulations from a JSON file: bodies, materials, gravity and how to look at
/// it. docs/manual.md says what may stand in one.
///
/// Lifetime:    graze_sim_scene_read -> graze_sim_scene_start -> the simulation ends ->
///              graze_sim_scene_free. Shapes belong to the scene.
/// Concurrency: a scene is for one thread at a time.
/// Units:       as in graze/sim.h: files and the scene have one unit of length.
#ifndef GRAZE_SIM_SCENE_H
#define GRAZE_SIM_SCENE_H

#include "graze/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct graze_sim_scene graze_sim_scene;

/// What a file says about all of it; programs may change it before they start.
typedef struct graze_sim_setting {
    graze_sim_def def;
    double duration;         ///< seconds; 1 unless the file says more
    uint32_t has_view;       ///< 1: what follows was given
    char view[16];           ///< "front", "corner" and so on, as graze picture has them
    graze_box sees;          ///< what is looked at
    graze_view_error camera; ///< of the metric by view; pixel is 0 where the file has no camera
    uint32_t body_count;
} graze_sim_setting;

/// Reads the file and all shapes that it names, relative to its folder. A file that several bodies
/// have is read once.
/// @return GRAZE_OK, GRAZE_ERROR_IO, GRAZE_ERROR_FORMAT (with the byte of the first error),
///         GRAZE_ERROR_MEMORY, or as graze_shape_read.
GRAZE_API graze_status graze_sim_scene_read(graze_context *context, const char *path,
                                            graze_sim_scene **scene);
GRAZE_API void graze_sim_scene_free(graze_sim_scene *scene); ///< Accepts NULL.

GRAZE_API graze_sim_setting graze_sim_scene_get(const graze_sim_scene *scene);
/// The file of a body's shape. NULL: there is no such body.
GRAZE_API const char *graze_sim_scene_file(const graze_sim_scene *scene, uint32_t body);

/// @param def  NULL: that of the file.
/// @return as graze_sim_create, graze_sim_add and graze_sim_set_material.
GRAZE_API graze_status graze_sim_scene_start(graze_sim_scene *scene, const graze_sim_def *def,
                                             graze_sim **sim);

#ifdef __cplusplus
}
#endif
#endif
