// A body: triangles as a shape in memory, exact, and as one over a model with levels of detail in
// clusters of a few triangles.
#ifndef GZ_TEST_BODIES_H
#define GZ_TEST_BODIES_H

#include "coarse.h"

typedef struct body {
    triangles t;
    graze_model *model;
    graze_shape *exact, *paged;
    double size; // the longest side of its box
} body;

enum { BODY_KINDS = 9 };
// One of several kinds: scans with relief, CAD, loose soups, hairs, doubled walls, tiny parts far
// from each other. The context says how large clusters are.
void body_make(graze_context *context, int kind, graze_precision precision, uint64_t triangle_count,
               body *out);
void body_free(body *b);

graze_pose bodies_pose(test_random *random, double reach); // any rotation; moved by up to that

#endif
