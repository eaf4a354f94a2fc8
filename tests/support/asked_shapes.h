// A question about two shapes, asked with the 1st allocation failing, then the 2nd, until it gets
// its answer.
#ifndef GZ_ASKED_SHAPES_H
#define GZ_ASKED_SHAPES_H

#include "test.h"

typedef struct asked_shapes asked_shapes;
struct asked_shapes {
    const graze_mesh_view *view_a, *view_b;
    const graze_shape_def *def_a, *def_b; // NULL for the defaults
    graze_pose pose_a, pose_b;
    graze_status (*ask)(const asked_shapes *shapes, graze_query *query);
    graze_shape *a, *b; // made before each `ask`, and freed after it
};

// Creates shapes and a query, asks, and frees them, as test_all_faults says. Returns the number of
// faults tried.
uint64_t asked_shapes_fail(asked_shapes *shapes);

#endif
