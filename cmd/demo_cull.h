// A part of graze demo: things that deform and break, culled frame by frame.
#ifndef GRAZE_CMD_DEMO_CULL_H
#define GRAZE_CMD_DEMO_CULL_H

#include <stdbool.h>

#include "graze/base.h"

// Each frame is also asked pair by pair: *right becomes false where the answers differ.
graze_status demo_cull(graze_context *context, bool *right);

#endif
