// What graze make makes besides shapes. Each returns the exit code.
#ifndef GRAZE_CMD_MAKE_SCENE_H
#define GRAZE_CMD_MAKE_SCENE_H

#include "arguments.h"

int make_refine(const cmd_arguments *arguments);
int make_plant(const cmd_arguments *arguments);
int make_frames(const cmd_arguments *arguments);

#endif
