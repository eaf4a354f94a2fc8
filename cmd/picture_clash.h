// A picture of one clash: its two objects in colours, the rest grey, the contact marked.
#ifndef GRAZE_CMD_PICTURE_CLASH_H
#define GRAZE_CMD_PICTURE_CLASH_H

#include "arguments.h"
#include "raster.h"

// What the command line says of a picture.
typedef struct picture_frame {
    raster_view view;
    bool z_up;
    uint32_t width; // of the picture
} picture_frame;

// Draws the clash that --clash names, of the list that graze clash prints with the same options,
// into the file of --output. Returns the exit code.
int draw_clash(const cmd_arguments *arguments, const picture_frame *frame);

#endif
