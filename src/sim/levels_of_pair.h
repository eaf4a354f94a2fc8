// Which error a pair of bodies is asked at, from step to step.
#ifndef GZ_LEVELS_OF_PAIR_H
#define GZ_LEVELS_OF_PAIR_H

#include "sim/world.h"

// Between steps. The error that is wanted becomes the active one where the two are apart by it,
// too.
graze_status gz_level_choose(gz_asker *asker, gz_near_pair *pair);

#endif
