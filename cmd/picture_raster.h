// The options of graze picture that say how much is seen, and from where.
#ifndef GRAZE_CMD_PICTURE_RASTER_H
#define GRAZE_CMD_PICTURE_RASTER_H

#include "graze/geometry.h"
#include "raster.h"
#include "session.h"

// Makes room for a picture of what is in the box, which may be empty. Says what is wrong and
// returns the exit code; 0 is good.
int open_picture_raster(cmd_session *session, const cmd_arguments *arguments, const graze_box *box,
                        raster *r);

#endif
