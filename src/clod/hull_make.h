// From points to their convex hull: which of them are its corners, and its faces as triangles. By
// qhull; points in a plane, on a line or in one place, which qhull refuses, are ours.
#ifndef GZ_HULL_MAKE_H
#define GZ_HULL_MAKE_H

#include <stdio.h>

#include "base/memory.h"

// Scratch and result; zero, but for the context, is an empty one. One thread at a time.
typedef struct gz_hull_maker {
    graze_context *context;
    gz_index_list vertices; // numbers of points, ascending
    gz_corner_list faces;   // numbers of points, turning left as seen from outside; a flat hull has
                            // its polygon twice, a segment or a point has one without area;
                            // none: qhull knows no way, and all points are vertices
    gz_index_list ring;     // scratch
    FILE *silence;          // where qhull's messages go
} gz_hull_maker;

void gz_hull_maker_free(gz_hull_maker *maker);

// Points may be left out that are within about a millionth of the hull's size of it: who needs to
// know how far that is measures it.
// @return false when out of memory.
bool gz_hull_make(gz_hull_maker *maker, const double (*points)[3], uint32_t count);

#endif
