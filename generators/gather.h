// Gathers in memory what a generator streams.
#ifndef GRAZE_SCENES_GATHER_H
#define GRAZE_SCENES_GATHER_H

#include "graze/mesh.h"

// Streams something into a sink, with exact counts in the header.
typedef graze_status scene_stream(const void *what, const graze_mesh_sink *sink);

graze_status scene_gather(graze_context *context, scene_stream *stream, const void *what,
                          graze_mesh **mesh);

#endif
