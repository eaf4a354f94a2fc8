// From pairs of triangles that are near to points at which bodies push each other.
#ifndef GZ_TOUCHES_H
#define GZ_TOUCHES_H

#include "sim/world.h"

#define GZ_TOUCHES_MOST 24u // of a pair of bodies

// Takes asker->triangles, pairs that are within `reach` of each other, and appends the touches that
// they make to asker->touches.
// @return GRAZE_OK, or GRAZE_ERROR_MEMORY without a sentence.
graze_status gz_touches_make(gz_asker *asker, double reach);

// The same for touches that stand in asker->found already: few of them, spread over all.
graze_status gz_touches_thin(gz_asker *asker);

#endif
