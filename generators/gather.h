// Gathers in memory what a generator streams.
#ifndef GRAZE_GENERATORS_GATHER_H
#define GRAZE_GENERATORS_GATHER_H

#include "graze/mesh.h"

// Streams something into a sink, with exact counts in the header.
typedef graze_status generator_stream(const void *what, const graze_mesh_sink *sink);

graze_status generator_gather(graze_context *context, generator_stream *stream, const void *what,
                              graze_mesh **mesh);

#endif
