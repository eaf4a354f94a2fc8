// Where a body is at a moment of a step, and how far it may get.
#ifndef GZ_COURSE_H
#define GZ_COURSE_H

#include "sim/world.h"

// @param time  seconds into the step, not before its course begins.
void gz_course_at(const gz_body *body, double time, double center[3], double turn[4]);
graze_pose gz_course_pose(const gz_body *body, double time);
// The pose of a body between steps.
graze_pose gz_body_pose(const gz_body *body);
void gz_course_velocity(const gz_body *body, double time, double velocity[3], double momentum[3]);

// The speed at which its centre moves, drift included.
void gz_course_speed(const gz_body *body, double time, double speed[3]);

// No point of a body moves by more from one moment to another.
double gz_course_reach(const gz_body *body, double from, double to);
// No two points of two bodies come nearer to each other by more.
double gz_course_closing(const gz_body *a, const gz_body *b, double from, double to);

// The spin of a body with this angular momentum, in the world.
void gz_spin_of(const gz_body *body, const double turn[4], const double momentum[3],
                double spin[3]);
// The even spin that takes a free body through so much time: that of the middle of its way, so that
// energy does not drift.
void gz_spin_through(const gz_body *body, const double turn[4], const double momentum[3],
                     double time, double spin[3]);

// The body stands still for the rest of the step.
void gz_course_hold(gz_body *body, double time);

#endif
