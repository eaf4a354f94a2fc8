// A picture of one clash: its two objects in colours, the rest grey, the contact marked.
#ifndef GRAZE_CMD_PICTURE_CLASH_H
#define GRAZE_CMD_PICTURE_CLASH_H

#include "picture_raster.h"

// Draws the clash that --clash names, of the list that graze clash prints with the same options,
// into the file of --output. Returns the exit code.
int draw_clash(const cmd_arguments *arguments, const picture_frame *frame);

#endif
