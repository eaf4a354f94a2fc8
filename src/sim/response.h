// What contacts do to bodies: the impulses of a collision, those that carry what rests, and the
// courses that follow.
#ifndef GZ_RESPONSE_H
#define GZ_RESPONSE_H

#include "sim/world.h"

// Some bodies at a moment of the step, and the pairs between them whose touches take part.
typedef struct gz_encounter {
    double time;           // seconds into the step
    const uint32_t *pairs; // numbers, ascending
    uint64_t pair_count;
    const uint32_t *bodies; // all that are in these pairs, ascending; there may be more
    uint64_t body_count;
    const bool *free; // of bodies: false for those that keep their courses, as if nothing could
                      // stop them. NULL: all are free
} gz_encounter;

// Collisions: velocities and momenta are those after them, and courses begin anew, without a change
// so far, for all bodies whose `moved` is set: before the call, or by it.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status gz_response_collide(graze_sim *sim, const gz_encounter *meeting, bool *moved);
// The rest of the step, for bodies that are free and whose courses begin at this moment.
graze_status gz_response_carry(graze_sim *sim, const gz_encounter *meeting);
void gz_response_free(graze_sim *sim);

#endif
