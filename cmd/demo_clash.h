// A part of graze demo: a clash check of a small plant.
#ifndef GRAZE_CMD_DEMO_CLASH_H
#define GRAZE_CMD_DEMO_CLASH_H

#include <stdbool.h>

#include "graze/base.h"

// Writes a plant to `path`, checks it, prints the worst clashes, and compares with what was
// planted: *right becomes false where something is missing.
graze_status demo_clash(graze_context *context, const char *path, bool *right);

#endif
