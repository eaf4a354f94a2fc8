// The oriented box of a group: it holds the mesh of the group's members and, since collapses only
// move vertices onto others, every step; and all original points that belong to the group. With it
// goes how far it reaches beyond the surface.
#ifndef GZ_GROUP_BOX_H
#define GZ_GROUP_BOX_H

#include "model/model_file.h"
#include "simplify/deviation.h"

typedef struct gz_group_box_def {
    const double (*position)[3]; // of the members' mesh, not none
    uint32_t count;
    const double *origin;      // of boxes
    float forward;             // original points of the group are within this of the mesh
    gz_deviation_query *query; // with a surface as target,
    float backward;            // which is within this of the original one
    double floor;              // for measuring
} gz_group_box_def;

graze_status gz_group_box_make(const gz_group_box_def *def, gz_group_box *out);

// Whether a point is in the box, which is a little larger than what it must hold.
bool gz_group_box_contains(const gz_group_box *box, const double origin[3], const double point[3]);

// The box for the geometry, its center relative to the origin.
graze_obb gz_group_box_obb(const gz_group_box *box);

#endif
