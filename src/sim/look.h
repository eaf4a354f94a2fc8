// What is in contact where bodies are between two steps, and whether they may begin as they are.
#ifndef GZ_LOOK_H
#define GZ_LOOK_H

#include "sim/world.h"

// Courses of all bodies that stand still where they are.
void gz_look_begin_courses(graze_sim *sim);
// Finds pairs that are near, chooses their errors, asks for their touches, and tells of them in
// sim->report. The first time it also looks whether bodies are in each other, and moves those that
// only touch a little apart.
graze_status gz_look(graze_sim *sim);

// Runs one of these for every pair, on all threads.
typedef graze_status gz_pair_task(gz_asker *asker, gz_near_pair *pair);
graze_status gz_look_at_pairs(graze_sim *sim, gz_pair_task *task);

#endif
