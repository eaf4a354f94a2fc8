// A box with up to two corners cut off by planes: the points that it is spanned by.
#ifndef GZ_BOX_CUT_H
#define GZ_BOX_CUT_H

#include <stdbool.h>

#include "graze/geometry.h"

#define GZ_CUT_POINTS 48 // six faces, of up to six corners; room for rounding

// What is left has normal . x <= height.
typedef struct gz_half_space {
    double normal[3], height;
} gz_half_space;

// Fills in the corners of what is left of the box, to rounding; some may come twice. Returns how
// many there are: 0 if nothing is left.
int gz_box_cut(const graze_box *box, const gz_half_space *planes, int plane_count,
               double points[GZ_CUT_POINTS][3]);

#endif
