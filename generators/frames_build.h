// What the scenes of frames.h are made with: room for the objects of a frame, grids of triangles,
// turns and shifts. Only operations that IEEE 754 rounds in one way.
#ifndef GRAZE_GENERATORS_FRAMES_BUILD_H
#define GRAZE_GENERATORS_FRAMES_BUILD_H

#include <stdbool.h>

#include "frames.h"
#include "shapes_math.h"

#define FRAME_NAME 24

typedef struct frame_object {
    uint64_t first_vertex, vertex_count, first_triangle, triangle_count;
    char name[FRAME_NAME];
} frame_object;

struct generator_frames {
    generator_frames_def def; // with all defaults filled in
    const struct frame_scene *scene;
    void *story; // what the scene keeps from frame to frame, constant after it was opened

    // The frame that was made last. Arrays only grow.
    float *positions;
    uint32_t *corners; // of each object from 0
    frame_object *objects;
    graze_mesh_view *views;
    const char **names;
    uint64_t vertex_count, triangle_count, object_count;
    uint64_t vertex_room, triangle_room, object_room, view_room;
};

// A scene: defaults, what it prepares, and its frames.
typedef struct frame_scene {
    uint64_t object_count, triangle_count; // the paper's; objects 0: they are not to be chosen
    double density;                        // 0: the same
    graze_status (*open)(generator_frames *frames); // may be NULL; failing, it leaves no story
    graze_status (*make)(generator_frames *frames, uint32_t number);
    void (*close)(void *story); // may be NULL
} frame_scene;

extern const frame_scene frame_scene_cylinders, frame_scene_tori, frame_scene_models,
    frame_scene_breaking, frame_scene_cloth;

// Adds an object called "name number", or "name" if the number is 0. Its vertices and corners are
// to be filled in before the next one is added.
graze_status frame_add(generator_frames *frames, const char *name, uint64_t number,
                       uint64_t vertex_count, uint64_t triangle_count, float **positions,
                       uint32_t **corners);

// Rows times columns quads of two triangles. Vertex (row, column) is row * (columns + 1) + column,
// and has one less in a direction that is wrapped.
uint64_t frame_grid_vertices(uint64_t rows, uint64_t columns, bool wrap_rows, bool wrap_columns);
void frame_grid_corners(uint64_t rows, uint64_t columns, bool wrap_rows, bool wrap_columns,
                        uint32_t *corners);

// Where something is: x becomes turn * x + shift.
typedef struct frame_pose {
    double turn[3][3], shift[3];
} frame_pose;

frame_pose frame_pose_identity(void);
// A turn about an axis through `centre`, drawn by chance, and then a shift.
frame_pose frame_pose_about(uint64_t seed, double turns, const double centre[3],
                            const double shift[3]);
frame_pose frame_pose_after(const frame_pose *second, const frame_pose *first);
void frame_pose_apply(const frame_pose *pose, const double point[3], float out[3]);

// How far a story of `frames` has come, from 0 to 1. Past its last frame it stays at 1.
double frame_time(const generator_frames *frames, uint32_t number);
double frame_cube_root(double value); // of a number from 0 to 1
double frame_sine(double turns);      // of any number of turns below 2^30
void frame_sine_cosine(double turns, double *sine, double *cosine);

#endif
