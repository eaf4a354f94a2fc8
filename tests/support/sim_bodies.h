// Bodies for tests of simulations, and how far they really are from each other.
#ifndef GZ_TEST_SIM_BODIES_H
#define GZ_TEST_SIM_BODIES_H

#include "test.h"

// A box with these sides around the origin, of 12 triangles in double.
graze_shape *sim_box(graze_context *context, double x, double y, double z);
// A ball of about so many triangles, of this radius; its corners are on the sphere.
graze_shape *sim_ball(graze_context *context, uint64_t triangle_count, double radius);

graze_pose sim_at(double x, double y, double z);
uint32_t sim_add_static(graze_sim *sim, const graze_shape *shape, const graze_pose *pose);
uint32_t sim_add_moving(graze_sim *sim, const graze_shape *shape, const graze_pose *pose,
                        const double velocity[3], const double spin[3]);
graze_body_state sim_state(const graze_sim *sim, uint32_t body);
graze_sim_report sim_steps(graze_sim *sim, uint32_t count); // the last report

// The least distance between any two bodies, at least one of which moves, by the exact engine.
double sim_least_gap(graze_context *context, const graze_sim *sim);

// A checksum over all that moves, in every bit.
uint64_t sim_hash(const graze_sim *sim);

#endif
