// Bodies that go along a path of poses, whatever they meet.
#ifndef GZ_SIM_PATH_H
#define GZ_SIM_PATH_H

#include "sim/world.h"

// GRAZE_ERROR_ARGUMENT, with a sentence, unless the path can be gone along.
graze_status gz_path_check(graze_context *context, const char *name, const graze_body_def *def);
graze_status gz_path_copy(graze_context *context, const graze_body_def *def, gz_body *body);
// Puts a body where its clock says.
void gz_path_place(gz_body *body);
// Its course through a step of so many seconds.
void gz_path_begin(gz_body *body, double seconds);

#endif
