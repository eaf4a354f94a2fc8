// Names of the files of a sequence, one a frame: numbers in a folder, or where a name has %d.
#ifndef GRAZE_CMD_FRAME_NAMES_H
#define GRAZE_CMD_FRAME_NAMES_H

#include "session.h"

#define FRAME_PATH_BYTES 4096

typedef struct frame_names {
    char pattern[FRAME_PATH_BYTES]; // what is before and behind the number, each a string
    const char *behind;
    int digits;                    // at least so many, with zeros before; 0: as many as it takes
    bool has_numbers;              // false: one file, whose name has no number
    char folder[FRAME_PATH_BYTES]; // that may have to be made; "" where it must be there already
} frame_names;

// Takes --output apart: a folder (it is one, ends in "/" or has no ending), a name with %d or %04d,
// or one file. Files in a folder have four digits, or as many as the highest number, and the ending
// of --format. Says what is wrong and returns the exit code; 0 is good.
int take_frame_names(const cmd_arguments *arguments, uint32_t highest, frame_names *names);

// The path of a frame. False: it is too long.
bool frame_path(const frame_names *names, uint32_t number, char out[FRAME_PATH_BYTES]);

#endif
