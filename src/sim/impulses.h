// Impulses at contacts: what makes velocities such that nothing goes into anything, with Coulomb's
// friction.
#ifndef GZ_IMPULSES_H
#define GZ_IMPULSES_H

#include <stdint.h>

// A body as impulses see it.
typedef struct gz_pushed {
    double inverse_mass;       // 0: nothing moves it
    double inverse_inertia[9]; // in the world
    double velocity[3], spin[3];
} gz_pushed;

typedef struct gz_push {
    uint32_t body[2];  // numbers of gz_pushed
    double arm[2][3];  // from the centres to the contact
    double axis[3][3]; // the normal, from body 0 to body 1, and two directions across it
    double target;     // the two are to part with this speed at least: below 0, they may approach
    double friction;
    double impulse[3]; // along the axes; what solving finds
    // Made by solving: what an impulse along the normal, and across it, does to the speed.
    double give, across[3];  // xx, xy, yy
    double spin_of[2][3][3]; // what one along an axis does to the spins
} gz_push;

// The speed along an axis at which body 1 leaves body 0 there.
double gz_push_speed(const gz_push *push, int axis, const gz_pushed *bodies);

void gz_push_set_normal(gz_push *push, const double normal[3]); // and the directions across it

// Finds impulses, in the order of the contacts, to and fro, until they stay what they are or
// `rounds` have gone by. Begins at none. Velocities and spins are what they make of them.
// @param friction  0: contacts are smooth.
void gz_impulses_find(gz_push *pushes, uint64_t count, gz_pushed *bodies, uint32_t rounds,
                      int friction);

#endif
