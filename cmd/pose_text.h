// Poses as people write them: a shift, a turn, or a matrix.
#ifndef GRAZE_CMD_POSE_TEXT_H
#define GRAZE_CMD_POSE_TEXT_H

#include <stdbool.h>

#include "graze/geometry.h"

#define POSE_REASON_BYTES 256

// What a text turned out to be.
typedef struct pose_reading {
    graze_pose pose;
    double miss;       // by how much a matrix was no rotation; 0: it is used as it stands
    bool unit_unknown; // a length carries a unit, and that of the world is not known
    char reason[POSE_REASON_BYTES]; // why it is no pose, in half a sentence
} pose_reading;

// "x y z / ANGLE about ax ay az" turns about the axis through the origin, then shifts; either half
// may be left out. Or twelve numbers: the rows of a 3x4 matrix. Lengths are in units of
// `metres_per_unit` or carry one of their own, which fails and sets unit_unknown where
// metres_per_unit is 0. False if it is no pose.
bool parse_pose(const char *text, double metres_per_unit, pose_reading *reading);

// From the rows of a 3x4 matrix. The library wants rotations to 1e-9, and files have four to seven
// digits: for a matrix that is nearly a rotation stands the nearest one, and `miss` says so. False
// if it is not even nearly one.
bool pose_of_matrix(const double matrix[12], pose_reading *reading);
// From a position and a quaternion, x y z w, the same way.
bool pose_of_quaternion(const double position[3], const double quaternion[4],
                        pose_reading *reading);

#endif
