// From a mesh as a file has it to one that shapes can be made from.
#ifndef GRAZE_CMD_LAY_OUT_H
#define GRAZE_CMD_LAY_OUT_H

#include "graze/mesh.h"

// Objects are placed, instances get triangles of their own, coordinates are multiplied. Afterwards
// objects are in the order of their triangles. A mesh that needs none of it stays what it is; else
// another one takes its place.
graze_status lay_out(graze_context *context, graze_mesh **mesh, double scale);

#endif
