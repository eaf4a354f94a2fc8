// How bodies move within a step. See course.h.
#include "sim/course.h"

#include "sim/rotation.h"

// Lengths here have some ten roundings each; bounds are larger by this part.
#define SLACK 1e-12
// How often the spin in the middle of a way is found again from itself.
#define MIDDLE_ROUNDS 4

void gz_course_at(const gz_body *body, double time, double center[3], double turn[4])
{
    const gz_course *c = &body->course;
    double t = time - c->begin;
    for (int i = 0; i < 3; ++i)
        center[i] =
            c->center[i] + ((c->velocity[i] + c->drift[i]) * t + 0.5 * c->change[i] * t * t);
    gz_turn_by(c->spin, t, c->turn, turn);
}

static graze_pose pose_of(const gz_body *body, const double center[3], const double turn[4])
{
    graze_pose pose;
    double middle[3];
    gz_turn_matrix(turn, pose.rotation);
    gz_matrix_times(pose.rotation, body->middle, middle);
    gz_subtract3(center, middle, pose.translation);
    return pose;
}

graze_pose gz_course_pose(const gz_body *body, double time)
{
    double center[3], turn[4];
    if (body->kind == GRAZE_BODY_STATIC) // from the same numbers in every step
        return gz_body_pose(body);
    gz_course_at(body, time, center, turn);
    return pose_of(body, center, turn);
}

graze_pose gz_body_pose(const gz_body *body) { return pose_of(body, body->center, body->turn); }

void gz_course_velocity(const gz_body *body, double time, double velocity[3], double momentum[3])
{
    const gz_course *c = &body->course;
    double t = time - c->begin;
    for (int i = 0; i < 3; ++i) {
        velocity[i] = c->velocity[i] + c->change[i] * t;
        momentum[i] = c->momentum[i] + c->torque[i] * t;
    }
}

void gz_course_speed(const gz_body *body, double time, double speed[3])
{
    const gz_course *c = &body->course;
    for (int i = 0; i < 3; ++i)
        speed[i] = c->velocity[i] + c->drift[i] + c->change[i] * (time - c->begin);
}

double gz_course_reach(const gz_body *body, double from, double to)
{
    double speed[3], t = to - from;
    if (body->kind == GRAZE_BODY_STATIC)
        return 0;
    gz_course_speed(body, from, speed);
    return (gz_length3(speed) * t + 0.5 * gz_length3(body->course.change) * t * t +
            gz_length3(body->course.spin) * body->radius * t) *
           (1 + SLACK);
}

double gz_course_closing(const gz_body *a, const gz_body *b, double from, double to)
{
    double speed_a[3], speed_b[3], speed[3], change[3], t = to - from;
    gz_course_speed(a, from, speed_a);
    gz_course_speed(b, from, speed_b);
    gz_subtract3(speed_b, speed_a, speed);
    gz_subtract3(b->course.change, a->course.change, change);
    double turning =
        gz_length3(a->course.spin) * a->radius + gz_length3(b->course.spin) * b->radius;
    return (gz_length3(speed) * t + 0.5 * gz_length3(change) * t * t + turning * t) * (1 + SLACK);
}

void gz_spin_of(const gz_body *body, const double turn[4], const double momentum[3], double spin[3])
{
    double matrix[9], local[3], turning[3];
    gz_turn_matrix(turn, matrix);
    gz_matrix_times_transposed(matrix, momentum, local);
    gz_matrix_times(body->inverse_inertia, local, turning);
    gz_matrix_times(matrix, turning, spin);
}

// The midpoint rule: it is the same forward and backward in time, so that errors of the energy come
// and go. Angular momentum is what is kept, and so cannot drift at all.
void gz_spin_through(const gz_body *body, const double turn[4], const double momentum[3],
                     double time, double spin[3])
{
    gz_spin_of(body, turn, momentum, spin);
    for (int round = 0; round < MIDDLE_ROUNDS; ++round) {
        double middle[4];
        gz_turn_by(spin, 0.5 * time, turn, middle);
        gz_spin_of(body, middle, momentum, spin);
    }
}

void gz_course_hold(gz_body *body, double time)
{
    gz_course *c = &body->course;
    double center[3], turn[4], velocity[3], momentum[3];
    gz_course_at(body, time, center, turn);
    gz_course_velocity(body, time, velocity, momentum);
    *c = (gz_course){.begin = time};
    memcpy(c->center, center, sizeof center);
    memcpy(c->turn, turn, sizeof turn);
    memcpy(c->momentum, momentum, sizeof momentum);
    // It goes on with its velocity in the next step: here it is a drift that undoes it.
    for (int i = 0; i < 3; ++i) {
        c->velocity[i] = velocity[i];
        c->drift[i] = -velocity[i];
    }
    body->held = true;
    body->held_from = time;
}
