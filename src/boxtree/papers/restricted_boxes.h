// Two restricted boxes in poses of their own: are they apart? The axes of one question, in numbers
// that do not change during the walk, and the tests on them.
//
// A candidate axis is a direction on which both boxes cast an interval. Axes 0 to 2 are those of A,
// measured in A's units; 3 to 5 those of B, in B's units; 6 to 14 the cross products of one of A's
// and one of B's, in A's units. A box's intervals are "ends", as in restricted.h: low ends and
// negated high ends. A plane that cuts the box by a distance c moves one end of each interval, by c
// times a gain: `moves` says by how much, and which. On the box's own axes all but one gain are 0.
//
// Rounding. The argument is in restricted_boxes.c; what it comes to is that two boxes are apart if
// a sum of two ends is greater than the axis's margin.
#ifndef GZ_RESTRICTED_BOXES_H
#define GZ_RESTRICTED_BOXES_H

#include "boxtree/papers/restricted.h"

#define GZ_AXES_ALIGNED 3
#define GZ_AXES_LITE    6
#define GZ_AXES         15

// What a cut does to the ends of all intervals.
typedef struct gz_moves {
    double gain[GZ_AXES]; // not negative
    uint8_t end[GZ_AXES]; // 0 or 1
} gz_moves;

typedef double gz_ends[GZ_AXES][2];

typedef struct gz_axes {
    double margin[GZ_AXES];
    gz_moves a[6], b[6]; // by cut
    gz_ends root_a, root_b;
    float table[3][3][GZ_STEPS]; // axis of B that is cut, axis of A, place of the step
    bool sound;                  // false: numbers out of range; compare all pairs
} gz_axes;

void gz_axes_set(gz_axes *axes, gz_box_test test, const gz_plain_query *query,
                 const gz_restricted *a, const gz_restricted *b);

// The ends of a child of A: `axis_count` is a constant where this is inlined.
static inline void gz_move_a(const gz_moves *m, gz_restricted_cut cut, float plane, int axis_count,
                             gz_ends ends)
{
    double c = (double)plane;
    ends[cut / 2][cut % 2] += c;
    for (int s = 3; s < axis_count; ++s)
        ends[s][m->end[s]] += c * m->gain[s];
}

static inline void gz_move_b(const gz_axes *axes, const gz_moves *m, gz_restricted_cut cut,
                             float plane, int axis_count, bool table, gz_ends ends)
{
    double c = (double)plane;
    if (table) {
        uint32_t place = gz_step_place(plane);
        for (int s = 0; s < 3; ++s)
            ends[s][m->end[s]] += (double)axes->table[cut / 2][s][place];
    } else {
        for (int s = 0; s < 3; ++s)
            ends[s][m->end[s]] += c * m->gain[s];
    }
    if (axis_count > 3)
        ends[3 + cut / 2][cut % 2] += c;
    for (int s = 6; s < axis_count; ++s)
        ends[s][m->end[s]] += c * m->gain[s];
}

static inline bool gz_end_apart(const gz_axes *axes, int s, int end, const double (*one)[2],
                                const double (*other)[2])
{
    return one[s][end] + other[s][1 - end] > axes->margin[s];
}

// Only ends that moved are compared: the others are where they were when the parents overlapped.
static inline bool gz_moved_apart_a(const gz_axes *axes, const gz_moves *m, gz_restricted_cut cut,
                                    int axis_count, const double (*a)[2], const double (*b)[2])
{
    if (gz_end_apart(axes, (int)cut / 2, cut % 2, a, b))
        return true;
    for (int s = 3; s < axis_count; ++s)
        if (gz_end_apart(axes, s, m->end[s], a, b))
            return true;
    return false;
}

static inline bool gz_moved_apart_b(const gz_axes *axes, const gz_moves *m, gz_restricted_cut cut,
                                    int axis_count, const double (*a)[2], const double (*b)[2])
{
    for (int s = 0; s < 3; ++s)
        if (gz_end_apart(axes, s, m->end[s], b, a))
            return true;
    if (axis_count > 3 && gz_end_apart(axes, 3 + (int)cut / 2, cut % 2, b, a))
        return true;
    for (int s = 6; s < axis_count; ++s)
        if (gz_end_apart(axes, s, m->end[s], b, a))
            return true;
    return false;
}

#endif
