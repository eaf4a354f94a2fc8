// Small shapes that tests, demos, benches and the command make, the same bits on every machine.
#ifndef GRAZE_SCENES_SHAPES_H
#define GRAZE_SCENES_SHAPES_H

#include "graze/mesh.h"

typedef struct graze_shape_def {
    const char *kind;        // see graze_shape_kinds
    uint64_t triangle_count; // about this many; each kind rounds to what it can make
    uint64_t seed;           // for kinds with chance in them
    double size;             // edge of the cube that holds the shape, centred at the origin
} graze_shape_def;

// Names and one line of explanation each; ends with a NULL name.
typedef struct graze_shape_kind {
    const char *name, *about;
} graze_shape_kind;
extern const graze_shape_kind graze_shape_kinds[];

// Streams the shape into a sink, in bounded memory.
// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT for an unknown kind, or what the sink said.
graze_status graze_shape_stream(const graze_shape_def *def, const graze_mesh_sink *sink);

// Makes it in memory.
graze_status graze_shape_make(graze_context *context, const graze_shape_def *def,
                              graze_mesh **mesh);

#endif
