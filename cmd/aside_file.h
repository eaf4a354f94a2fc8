// A file that the command writes itself, aside, so that its path holds what it held before or the
// whole new file. Until then it is `.NAME.graze-part` beside it; one that a killed process left is
// used again by the next one that writes the same path.
#ifndef GRAZE_CMD_ASIDE_FILE_H
#define GRAZE_CMD_ASIDE_FILE_H

#include <stdio.h>

typedef struct aside_file {
    FILE *file;
    const char *path;
    char *aside;
} aside_file;

// Each returns 0, or an errno; then nothing is left of the file.
int aside_open(aside_file *file, const char *path);
int aside_commit(aside_file *file);
void aside_abandon(aside_file *file);

#endif
