// Finds impulses at contacts. See impulses.h.
//
// Each contact in turn gets what it lacks, as if it were the only one (projected Gauss-Seidel; in
// this field: sequential impulses). An impulse along the normal only pushes. Those across it are
// found for both directions at once, and are cut to the circle that friction allows, so that no
// direction is better than another.
#include "sim/impulses.h"

#include <math.h>
#include <string.h>

#include "geometry/vector.h"
#include "sim/rotation.h"

#define STEADY 1e-13 // what changes by less than this part of the largest stays

static double speed_at(const gz_pushed *b, const double arm[3], const double axis[3])
{
    double turning[3];
    gz_cross3(b->spin, arm, turning);
    return gz_dot3(b->velocity, axis) + gz_dot3(turning, axis);
}

double gz_push_speed(const gz_push *push, int axis, const gz_pushed *bodies)
{
    return speed_at(&bodies[push->body[1]], push->arm[1], push->axis[axis]) -
           speed_at(&bodies[push->body[0]], push->arm[0], push->axis[axis]);
}

void gz_push_set_normal(gz_push *push, const double normal[3])
{
    int least = 0;
    double other[3] = {0};
    for (int i = 1; i < 3; ++i)
        least = fabs(normal[i]) < fabs(normal[least]) ? i : least;
    other[least] = 1;
    memcpy(push->axis[0], normal, sizeof push->axis[0]);
    gz_cross3(normal, other, push->axis[1]);
    double length = gz_length3(push->axis[1]);
    for (int i = 0; i < 3; ++i)
        push->axis[1][i] /= length;
    gz_cross3(normal, push->axis[1], push->axis[2]);
}

// What an impulse along axis i does to the speed along axis j.
static double give_of(const gz_push *p, const gz_pushed *bodies, int i, int j)
{
    double give = 0;
    for (int side = 0; side < 2; ++side) {
        double arm[3];
        gz_cross3(p->arm[side], p->axis[j], arm);
        give += gz_dot3(arm, p->spin_of[side][i]);
        if (i == j)
            give += bodies[p->body[side]].inverse_mass;
    }
    return give;
}

static void prepare(gz_push *p, const gz_pushed *bodies)
{
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3; ++i) {
            double arm[3];
            gz_cross3(p->arm[side], p->axis[i], arm);
            gz_matrix_times(bodies[p->body[side]].inverse_inertia, arm, p->spin_of[side][i]);
        }
    p->give = give_of(p, bodies, 0, 0);
    p->across[0] = give_of(p, bodies, 1, 1);
    p->across[1] = give_of(p, bodies, 1, 2);
    p->across[2] = give_of(p, bodies, 2, 2);
    p->impulse[0] = p->impulse[1] = p->impulse[2] = 0;
}

static void apply(const gz_push *p, int axis, double impulse, gz_pushed *bodies)
{
    for (int side = 0; side < 2; ++side) {
        gz_pushed *b = &bodies[p->body[side]];
        double signed_impulse = side == 0 ? -impulse : impulse;
        for (int i = 0; i < 3; ++i) {
            b->velocity[i] += signed_impulse * b->inverse_mass * p->axis[axis][i];
            b->spin[i] += signed_impulse * p->spin_of[side][axis][i];
        }
    }
}

// Returns how much the impulse changed.
static double push_along(gz_push *p, gz_pushed *bodies)
{
    double before = p->impulse[0];
    double wanted = before + (p->target - gz_push_speed(p, 0, bodies)) / p->give;
    p->impulse[0] = wanted > 0 ? wanted : 0;
    apply(p, 0, p->impulse[0] - before, bodies);
    return fabs(p->impulse[0] - before);
}

// What stops all sliding, if friction can. Else Coulomb's law: as much as it can, against the way
// in which the two slide. That is where a step along this way, cut to the circle, leads nowhere
// else; cutting what would stop them points askew, since a body gives more in one direction than in
// another.
static double rub_across(gz_push *p, gz_pushed *bodies)
{
    double most = p->friction * p->impulse[0], before[2] = {p->impulse[1], p->impulse[2]};
    double u = gz_push_speed(p, 1, bodies), v = gz_push_speed(p, 2, bodies);
    double determinant = p->across[0] * p->across[2] - p->across[1] * p->across[1];
    double wanted[2] = {before[0] - (p->across[2] * u - p->across[1] * v) / determinant,
                        before[1] - (p->across[0] * v - p->across[1] * u) / determinant};
    double length = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]), part = 1;
    if (length > most) {
        double half = 0.5 * (p->across[0] - p->across[2]);
        double give =
            0.5 * (p->across[0] + p->across[2]) + sqrt(half * half + p->across[1] * p->across[1]);
        wanted[0] = before[0] - u / give;
        wanted[1] = before[1] - v / give;
        length = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
        part = length > most ? most / length : 1;
    }
    double change = 0;
    for (int i = 0; i < 2; ++i) {
        p->impulse[1 + i] = part * wanted[i];
        double more = p->impulse[1 + i] - before[i];
        apply(p, 1 + i, more, bodies);
        change = fmax(change, fabs(more));
    }
    return change;
}

void gz_impulses_find(gz_push *pushes, uint64_t count, gz_pushed *bodies, uint32_t rounds,
                      int friction)
{
    for (uint64_t i = 0; i < count; ++i)
        prepare(&pushes[i], bodies);
    for (uint32_t round = 0; round < rounds; ++round) {
        double change = 0, largest = 0;
        for (uint64_t i = 0; i < count; ++i) {
            gz_push *p = &pushes[round % 2 == 0 ? i : count - 1 - i];
            change = fmax(change, push_along(p, bodies));
            if (friction && p->friction > 0)
                change = fmax(change, rub_across(p, bodies));
            largest = fmax(largest, p->impulse[0]);
        }
        if (change <= STEADY * largest)
            break;
    }
}
