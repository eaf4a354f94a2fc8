// Small shapes that tests, demos, benches and the command make, the same bits on every machine.
// They use only operations that IEEE 754 rounds in one way: + - * / and the square root.
#ifndef GRAZE_GENERATORS_SHAPES_H
#define GRAZE_GENERATORS_SHAPES_H

#include "graze/mesh.h"

typedef struct generator_shape_def {
    const char *kind;          // see generator_shape_kinds
    uint64_t triangle_count;   // about this many; each kind rounds to what it can make; 0: some
    uint64_t seed;             // for kinds with chance in them
    double size;               // edge of the cube that holds the shape, centred at the origin; 0: 1
    graze_precision precision; // 0: GRAZE_FLOAT32
    double metres_per_unit;    // for the header; 0: unknown
} generator_shape_def;

#define GENERATOR_SHAPE_TRIANGLES (UINT64_C(1) << 40) // the largest count that may be asked for

// Names and one line of explanation each; ends with a NULL name.
typedef struct generator_shape_kind {
    const char *name, *about;
} generator_shape_kind;
extern const generator_shape_kind generator_shape_kinds[];

// Streams the shape into a sink, in bounded memory. The counts in the header are exact. All
// vertices come before the first triangle, except where generator_shape_is_soup.
// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT for an unknown kind, a count above 2^40, or a size that is
//         negative or not finite; or what the sink said.
graze_status generator_shape_stream(const generator_shape_def *def, const graze_mesh_sink *sink);

// 1 for kinds whose triangle i has the vertices 3i, 3i + 1 and 3i + 2, streamed in this order.
int generator_shape_is_soup(const char *kind);

// Makes it in memory.
graze_status generator_shape_make(graze_context *context, const generator_shape_def *def,
                                  graze_mesh **mesh);

#endif
