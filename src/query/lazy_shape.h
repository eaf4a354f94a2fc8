// Shapes whose tree grows where it is asked about, as shape.c makes and ends them.
#ifndef GZ_LAZY_SHAPE_H
#define GZ_LAZY_SHAPE_H

#include "query/tree_pins.h"

// Begins the tree of a shape of kind gz_shape_of_lazy.
graze_status gz_shape_begin_lazy(const graze_mesh_view *view, graze_shape *shape);
// A shape whose whole tree is there becomes one of kind gz_shape_of_tree; others stay as they are.
void gz_shape_end_lazy(graze_shape *shape);
// Pins what is there of a shape, as the first of two.
void gz_shape_pin_present(const graze_shape *shape, gz_tree_pins *pins);

#endif
