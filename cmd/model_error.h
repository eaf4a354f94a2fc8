// What --error means for a model.
#ifndef GRAZE_CMD_MODEL_ERROR_H
#define GRAZE_CMD_MODEL_ERROR_H

#include "arguments.h"
#include "graze/model.h"

// The longest side of its box.
double model_size(const graze_model *model);
// The error in the unit of the model. Returns an exit code: its unit may not be known.
int find_model_error(const cmd_arguments *arguments, const graze_model *model, double *error);

#endif
