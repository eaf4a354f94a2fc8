// Which error a pair of bodies is asked at, from step to step.
#ifndef GZ_LEVELS_OF_PAIR_H
#define GZ_LEVELS_OF_PAIR_H

#include "sim/world.h"

// No pair with this body is asked at a larger error.
double gz_level_most(const graze_sim *sim, const gz_body *body);

// Between steps. The error that is wanted becomes the active one where the two are apart by it,
// too.
graze_status gz_level_choose(gz_asker *asker, gz_near_pair *pair);

// Within a step, behind gz_way_clear, of a pair that has to stay at the old error for now. If the
// two will be too near by the wanted one, their way ends where it looks as if they came to be.
graze_status gz_level_meet(gz_asker *asker, gz_near_pair *pair);

#endif
