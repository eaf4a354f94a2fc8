// Views: whether one keeps the rules of mesh.h, and where its objects put their triangles.
#ifndef GZ_VIEW_H
#define GZ_VIEW_H

#include <stdbool.h>

#include "graze/mesh.h"

// Logs "<who>: <what is wrong>" and returns GRAZE_ERROR_ARGUMENT unless all of this holds: arrays
// are there and no longer than memory, vertices number at most 2^32, corners name vertices, objects
// have names, lie within the triangles, cover all of them and overlap only where they are equal
// (instances), and matrices are finite. GRAZE_ERROR_MEMORY is possible too.
graze_status gz_view_check(graze_context *context, const char *who, const graze_mesh_view *view);

// Whether no object is placed and none shares its triangles: the view is what stands in the world.
bool gz_view_is_plain(const graze_mesh_view *view);

// Object `index` of the view. A view without objects has one, nameless, of all triangles.
uint64_t gz_view_object_count(const graze_mesh_view *view);
graze_object gz_view_object(const graze_mesh_view *view, uint64_t index);

// matrix * (x, y, z, 1) by one fixed sequence of double operations, the same bits everywhere:
// ((m0 * x + m1 * y) + m2 * z) + m3 for each row. `point` is moved in place.
static inline void gz_place(const double matrix[12], double point[3])
{
    double x = point[0], y = point[1], z = point[2];
    for (int axis = 0; axis < 3; ++axis) {
        const double *row = matrix + 4 * axis;
        point[axis] = ((row[0] * x + row[1] * y) + row[2] * z) + row[3];
    }
}

#endif
