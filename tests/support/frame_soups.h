// A frame of small soups, and the truth about all pairs of its triangles, of two objects and of
// one, decided by the oracle: with nothing of the library in between.
#ifndef GZ_FRAME_SOUPS_H
#define GZ_FRAME_SOUPS_H

#include "oracle.h"
#include "soups.h"

enum { FRAME_OBJECTS = 7, FRAME_TRIANGLES = 40 };

typedef struct frame_case {
    uint64_t seed;
    soup soups[FRAME_OBJECTS];
    graze_mesh_view views[FRAME_OBJECTS];
    uint32_t object_count;
    double tolerance;
    uint64_t contacts[2]; // of different objects, and of one
    bool contact[FRAME_OBJECTS][FRAME_OBJECTS][FRAME_TRIANGLES][FRAME_TRIANGLES];
} frame_case;

// Varied by the seed: numbers, sizes, precisions, scales to 2^600, far from the origin, on a grid.
void frame_case_make(frame_case *c, uint64_t seed, uint32_t most);
void frame_case_solve(frame_case *c);
// The rule of cull.h for two triangles of one object, and else whether they are within the
// tolerance.
bool frame_in_contact(oracle *o, const graze_triangle *a, const graze_triangle *b, bool one_object,
                      double tolerance);
// Fails the test unless the answer's pairs are exactly those in contact, in order.
void frame_case_check(const frame_case *c, const graze_cull_answer *answer, bool self,
                      bool only_self);

#endif
