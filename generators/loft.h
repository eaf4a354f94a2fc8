// A loft: rings of points one behind the other, with skin between them and both ends shut. Pipes,
// beams, tanks and blades are all lofts, and each is closed. Vertices are numbered ring by ring.
//
// Rules: the rings go forward along an axis, and the points of a ring go around it as the fingers
// of the right hand do when the thumb shows forward; then all triangles face outward.
#ifndef GRAZE_GENERATORS_LOFT_H
#define GRAZE_GENERATORS_LOFT_H

#include <stdint.h>

typedef enum loft_end {
    LOFT_FLAT,   // the first and the last ring are filled: by `cap`, or else like a fan
    LOFT_POLES,  // one more vertex before the first ring and one behind the last
    LOFT_WRAPPED // the last ring is joined to the first, as in a torus
} loft_end;

typedef struct shape_loft {
    uint64_t rings, points; // each at least 1 and 3; two rings where they are flat
    loft_end end;
    const uint8_t (*cap)[3]; // points - 2 triangles of a ring that is not convex; NULL: a fan
} shape_loft;

uint64_t loft_vertex_count(const shape_loft *loft);
uint64_t loft_triangle_count(const shape_loft *loft);
void loft_triangle(const shape_loft *loft, uint64_t index, uint64_t corners[3]);

#endif
