// A file of poses, read line by line in bounded memory: the rows of a 3x4 or 4x4 matrix, or a
// position and a quaternion, x y z and qx qy qz qw; perhaps with a label before them. "#" begins a
// comment; lines without words are skipped.
#ifndef GRAZE_CMD_POSE_PATH_H
#define GRAZE_CMD_POSE_PATH_H

#include "graze/geometry.h"
#include "session.h"

#define POSE_LINE_BYTES 65536 // a longer line is refused

typedef struct pose_path {
    cmd_session *session;
    const char *name; // for messages
    int file;
    bool ended;
    uint64_t line, offset; // of the line that begins at `next`: its number from 1, and its byte
    uint64_t mended_count; // poses that were no rotations, but nearly
    uint64_t farthest_line;
    double farthest;  // by how much the worst of them was off, on that line
    char *next, *end; // within the bytes: what has been read, and not been looked at
    char bytes[POSE_LINE_BYTES + 1];
} pose_path;

typedef struct path_pose {
    graze_pose pose;
    uint64_t line;
    const char *label; // NULL: none; ends with the next one that is waited for
} path_pose;

// "-" is standard input. Says what is wrong and returns the exit code; 0 is good.
int pose_path_open(pose_path *path, cmd_session *session, const char *name);
// The next pose; *found is false at the end, and without `wait` also where none has been read yet.
// Says what is wrong and returns the exit code.
int pose_path_next(pose_path *path, bool wait, path_pose *pose, bool *found);
void pose_path_close(pose_path *path);

#endif
