// What graze cull and graze picture --pcs share: from options to a culler and what it is asked.
#ifndef GRAZE_CMD_CULL_ASK_H
#define GRAZE_CMD_CULL_ASK_H

#include "graze/cull.h"
#include "session.h"

// Each says what is wrong and returns the exit code; 0 is good.
int check_cull_options(const cmd_arguments *arguments);
int open_culler(cmd_session *session, const cmd_arguments *arguments, graze_cull **cull);
// Of a frame in this unit; 0: it is not known.
int take_cull_tolerance(const cmd_arguments *arguments, double metres_per_unit,
                        graze_cull_frame_def *def);

// All but the tolerance.
graze_cull_frame_def cull_question(const cmd_arguments *arguments, graze_collect collect);

#endif
