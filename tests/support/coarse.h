// Levels of detail in tests: triangles of a mesh, of a front or of a level; whether they are
// closed; and how far samples of some are from others, by plain arithmetic and brute force.
#ifndef GZ_COARSE_H
#define GZ_COARSE_H

#include <stdbool.h>

#include "models.h"

// A list of triangles.
typedef struct triangles {
    double (*corner)[3][3];
    uint64_t count, room;
} triangles;

void triangles_add(triangles *to, const double corner[3][3]);
void triangles_add_view(triangles *to, const graze_mesh_view *view);
void triangles_add_shape(triangles *to, const char *kind, uint64_t count, double size,
                         const double move[3]);
void triangles_free(triangles *t); // leaves an empty list

// Builds and opens the model, with clusters of a few triangles if the context says so.
graze_model *triangles_model(graze_context *context, const triangles *from,
                             graze_precision precision, const graze_model_build_def *def);

// What graze_model_stream_coarse gives, appended; checks what it promises of its stream.
graze_model_detail coarse_stream(graze_model *model, double error, triangles *out);
// All clusters of a level, appended.
void coarse_level(graze_model *model, uint32_t level, triangles *out);

// Edges that an odd number of triangles has; equal positions are one, and -0 is 0.
uint64_t triangles_open_edges(const triangles *t);

// Samples: corners, midpoints of edges, and `random` points of each triangle. The first one of
// `from` that is farther than `bound` from all triangles of `to`, a little for rounding aside.
// Returns false if there is none.
bool triangles_beyond(const triangles *from, const triangles *to, double bound, uint32_t random,
                      double point[3]);
double triangles_distance(const triangles *to, const double point[3]);

#endif
