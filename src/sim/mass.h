// What keeps bodies going, and the triangles that it is summed up from.
#ifndef GZ_MASS_H
#define GZ_MASS_H

#include <stdbool.h>

#include "graze/sim.h"

typedef void gz_triangle_taker(void *data, const graze_triangle *triangle);

// Hands out all triangles of a shape, in an order of its own; of a model, page by page.
graze_status gz_shape_walk(const graze_shape *shape, gz_triangle_taker *take, void *data);

void gz_mass_matrix(const graze_mass *mass, double matrix[9]);
// False unless a body may have it.
bool gz_mass_sound(const graze_mass *mass);

#endif
