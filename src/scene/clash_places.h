// The places where two objects meet: one that runs along twice is at two places.
#ifndef GZ_CLASH_PLACES_H
#define GZ_CLASH_PLACES_H

#include <stdint.h>

#include "graze/geometry.h"

#define GZ_PLACES_MOST 16u

// Boxes that are apart by more than half of the longer diagonal of any two, and by more than
// `near`. Zero is none.
typedef struct gz_places {
    graze_box box[GZ_PLACES_MOST];
    uint32_t count;
    double near; // such as how thick a wall is: what goes through it meets it twice at one place
} gz_places;

// Adds what is in contact; where it is near a place, or there is no room for one more, it becomes a
// part of the nearest. What comes out depends on the order in which boxes come.
void gz_places_add(gz_places *places, const graze_box *more);
// Joins what has grown together. To be called when all were added.
void gz_places_settle(gz_places *places);

#endif
