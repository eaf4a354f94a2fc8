// What reading a mesh left out, as every command tells it.
#ifndef GRAZE_CMD_LOSSES_H
#define GRAZE_CMD_LOSSES_H

#include "graze/model.h"
#include "json_out.h"
#include "session.h"

// An object of counts.
void put_losses(cmd_json *json, const char *key, const graze_mesh_losses *losses);
// True if triangles, faces, points or lines are missing; a polygon that was cut is not.
bool is_anything_lost(const graze_mesh_losses *losses);

// Warns of what a model's mesh had lost when it was built, and of a model without triangles. Of a
// mesh the library does so when it is read.
void warn_of_model(const cmd_session *session, const char *path, const graze_model *model);

#endif
