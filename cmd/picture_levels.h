// A picture of two models where they meet: what takes part in an answer with an error, coloured by
// level of detail.
#ifndef GRAZE_CMD_PICTURE_LEVELS_H
#define GRAZE_CMD_PICTURE_LEVELS_H

#include "picture_raster.h"

// Draws both operands at the error of --error into the file of --output. Returns the exit code.
int draw_levels(const cmd_arguments *arguments, const picture_frame *frame);

#endif
