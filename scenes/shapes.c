// The small shapes. See shapes.h.
#include "shapes.h"

const graze_shape_kind graze_shape_kinds[] = {{NULL, NULL}};
