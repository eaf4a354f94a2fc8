// How far two bodies may go on their courses before they come too near.
#ifndef GZ_WAY_H
#define GZ_WAY_H

#include "sim/world.h"

// Sets pair->safe, so that from `from` to then the two stay apart by the floor, GZ_FLOOR of the
// slop, which is proved; pair->hit says that it is before `to`, and that they are close then.
graze_status gz_way_clear(gz_asker *asker, gz_near_pair *pair, double from, double to);

#endif
