// The part of graze demo about whole meshes: two shapes meet, and two cubes just touch.
#ifndef GRAZE_CMD_DEMO_MESHES_H
#define GRAZE_CMD_DEMO_MESHES_H

#include <stdbool.h>

#include "graze/base.h"

// Prints the answers. *right becomes false where one is not what is known beforehand.
graze_status demo_meshes(graze_context *context, bool *right);

#endif
