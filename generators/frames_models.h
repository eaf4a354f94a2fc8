// The hare and the serpent, at rest, and how the hare falls. Used by the scenes models and
// breaking.
#ifndef GRAZE_GENERATORS_FRAMES_MODELS_H
#define GRAZE_GENERATORS_FRAMES_MODELS_H

#include "frames_build.h"

typedef struct frame_models {
    uint64_t hare_vertices, hare_triangles;
    double *hare;
    uint32_t *hare_corners;
    uint64_t rows, columns; // of the serpent: along it, and around
    double *serpent;        // (rows + 1) * columns vertices
} frame_models;

graze_status frame_models_make(const generator_frames *frames, frame_models *models);
void frame_models_free(frame_models *models);

// The story goes from 0 to 1. The hare starts above the serpent and ends below it.
double frame_hare_height(double time);
double frame_hare_time(double height); // when it is there; 0 if that was before the start
graze_status frame_add_hare(generator_frames *frames, const frame_models *models, double time);

#endif
