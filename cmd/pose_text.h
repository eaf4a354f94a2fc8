// Poses as people write them: a shift, a turn, or a matrix.
#ifndef GRAZE_CMD_POSE_TEXT_H
#define GRAZE_CMD_POSE_TEXT_H

#include <stdbool.h>

#include "graze/geometry.h"

#define POSE_REASON_BYTES 256

// "x y z / ANGLE about ax ay az" turns about the axis through the origin, then shifts; either half
// may be left out. Or twelve numbers: the rows of a 3x4 matrix. Lengths are in units of
// `metres_per_unit` or carry one of their own, which fails and sets *unit_unknown where
// metres_per_unit is 0. False: `reason` says why, in half a sentence.
bool parse_pose(const char *text, double metres_per_unit, graze_pose *pose, bool *unit_unknown,
                char reason[POSE_REASON_BYTES]);

// From the rows of a 3x4 matrix. False if its rotation is none; the reason says how far off it is.
bool pose_of_matrix(const double matrix[12], graze_pose *pose, char reason[POSE_REASON_BYTES]);

#endif
