// From a mesh as a file has it to a shape.
#ifndef GRAZE_CMD_LAY_OUT_H
#define GRAZE_CMD_LAY_OUT_H

#include "arguments.h"
#include "graze/shape.h"

// Objects are placed, instances get triangles of their own, coordinates are multiplied. Afterwards
// objects are in the order of their triangles. A mesh that needs none of it stays what it is; else
// another one takes its place.
graze_status lay_out(graze_context *context, graze_mesh **mesh, double scale);

// As --layout wants it.
graze_shape_def shape_def_of(const cmd_arguments *arguments);

#endif
