// The options of graze picture that say how much is seen, and from where.
#ifndef GRAZE_CMD_PICTURE_RASTER_H
#define GRAZE_CMD_PICTURE_RASTER_H

#include "graze/geometry.h"
#include "raster.h"
#include "session.h"

// What the command line says of a picture.
typedef struct picture_frame {
    raster_view view;
    bool z_up;
    uint32_t width; // of the picture
} picture_frame;

// The view is `usual` if none is given. Says what is wrong and returns the exit code; 0 is good.
int read_picture_frame(const cmd_arguments *arguments, raster_view usual, picture_frame *frame);

// Makes room for a picture of what is in the box, which may be empty. Says what is wrong and
// returns the exit code; 0 is good.
int open_picture_raster(cmd_session *session, const cmd_arguments *arguments, const graze_box *box,
                        raster *r);

#endif
