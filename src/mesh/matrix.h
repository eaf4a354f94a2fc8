// Placements as graze_object has them: 3 rows of 4 doubles. Every sum is made in one fixed order,
// so that the same tree gives the same bits everywhere.
#ifndef GZ_MATRIX_H
#define GZ_MATRIX_H

#include <stdbool.h>

#include "graze/mesh.h"

extern const double gz_matrix_identity[12];

// out = outer * inner. False if a number overflows.
bool gz_matrix_product(const double outer[12], const double inner[12], double out[12]);
// Translation * rotation * scale. The rotation, a quaternion x y z w, is brought to length 1; false
// if it has none.
bool gz_matrix_compose(const double translation[3], const double rotation[4], const double scale[3],
                       double out[12]);
// Sets `placed` by the matrix, which becomes the identity to the bit where it is one.
void gz_matrix_settle(graze_object *object);

#endif
