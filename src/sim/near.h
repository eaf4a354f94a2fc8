// Which bodies are near each other: the broad phase.
#ifndef GZ_NEAR_H
#define GZ_NEAR_H

#include "sim/world.h"

// Gives a new body its box.
graze_status gz_near_add(graze_sim *sim, uint32_t body);
// Between steps: finds all pairs that may come near in the next step, by the speeds that bodies
// have.
graze_status gz_near_find(graze_sim *sim);
// Within a step, at a moment of it: makes sure that pairs are known for all that bodies may reach
// until its end. Numbers of pairs may change; those that are new are fresh.
graze_status gz_near_widen(graze_sim *sim, double time);

#endif
