// Checks of the path that a command is about to write, before anything is touched.
#ifndef GRAZE_CMD_WRITTEN_PATH_H
#define GRAZE_CMD_WRITTEN_PATH_H

#include "session.h"

// Each says what is wrong and returns the exit code; 0 is good.

// The path is not the file that is read, whatever the names of the two are. "-" is standard input.
int check_not_read(const cmd_arguments *arguments, const char *path, const char *read);
// The same for two files that are written.
int check_not_both(const cmd_arguments *arguments, const char *path, const char *other);
// The path ends as files of its kind do, such as ".png"; `what` is what is written.
int check_ending(const cmd_arguments *arguments, const char *path, const char *what,
                 const char *ending);
// What is read is a mesh, and neither a model nor a scene.
int check_is_no_model(cmd_session *session, const char *read);

#endif
