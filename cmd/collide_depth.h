// What collide --depth asks and prints: how deep two closed shapes are in each other.
#ifndef GRAZE_CMD_COLLIDE_DEPTH_H
#define GRAZE_CMD_COLLIDE_DEPTH_H

#include "two_shapes.h"

// The def that the command line asks for.
graze_penetration_def depth_def(const cmd_arguments *arguments);

// The exit code that it stands for: found, not found, or stopped early.
int depth_code(const graze_penetration *depth);

void print_depth(const two_shapes *two, const graze_penetration *depth); // lines of their own
void print_depth_column(const graze_penetration *depth); // "  depth 0.2 to 0.21", within a row
void put_depth(cmd_json *json, const graze_penetration *depth);

#endif
