// The part of graze demo about models: answers with an error, in a time, and along a path.
#ifndef GRAZE_CMD_DEMO_ERRORS_H
#define GRAZE_CMD_DEMO_ERRORS_H

#include "session.h"

typedef struct demo_models {
    cmd_session *session;
    const cmd_arguments *arguments; // of the demo
    char *mesh[2];                  // paths. There already: a knot and a ring
    char *model[2];                 // to be written, and so the two below
    char *poses, *page;
    bool keep; // files will stay
} demo_models;

// Prints the answers. *right becomes false where one is not what has been promised. Returns an exit
// code.
int demo_errors(const demo_models *models, bool *right);

#endif
