// The files of a sequence, in order: as named, and those in folders.
#ifndef GRAZE_CMD_FRAME_LIST_H
#define GRAZE_CMD_FRAME_LIST_H

#include "session.h"

typedef struct frame_list {
    char **paths;
    uint32_t count, room;
} frame_list;

// A folder stands for the mesh files in it, in the order of their names, in which 10 comes after 9.
// Says what is wrong and returns the exit code; 0 is good. Ends with free_frame_list either way.
int take_frame_list(cmd_session *session, const cmd_arguments *arguments, frame_list *list);
void free_frame_list(frame_list *list);

#endif
