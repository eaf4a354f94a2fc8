// Do two triangles share a point? Decided by signs of orientations; no point is constructed.
//
// Two triangles whose planes cross meet the common line in an interval each; whether these overlap
// is told by two orientations of four corners (the idea of Guigue and Devillers). Let p be the
// corner of A that is alone on its side of the plane of B: strictly, with q and r on the other side
// or in the plane; or in the plane, with q and r strictly on one side. One of these always exists,
// and in both cases the lines pq and pr cross the plane of B in one point each, also where a corner
// lies in it. The two points on the common line where pq of A and pq of B arrive are the same
// exactly if the four corners are coplanar, so the sign of their orientation tells the order, and
// zero is touching. What is left, one plane or a triangle without area, goes feature by feature.
#include "geometry/triangle.h"

#include <stdbool.h>

#include "geometry/branches.h"
#include "geometry/features.h"
#include "geometry/fpu.h"
#include "geometry/predicates.h"

// The corner that is alone and its side, by the three signs as digits of base 3. Signs are as good
// as random, and a table has no branches.
typedef struct lone_corner {
    signed char corner, side;
} lone_corner;

static lone_corner find_lone(const int sign[3])
{
    static const lone_corner table[27] = {
        [0] = {0, 0},   // - - -, never asked for
        [1] = {2, 1},   // - - 0
        [2] = {2, 1},   // - - +
        [3] = {1, 1},   // - 0 -
        [4] = {0, -1},  // - 0 0
        [5] = {2, 1},   // - 0 +
        [6] = {1, 1},   // - + -
        [7] = {1, 1},   // - + 0
        [8] = {0, -1},  // - + +
        [9] = {0, 1},   // 0 - -
        [10] = {1, -1}, // 0 - 0
        [11] = {2, 1},  // 0 - +
        [12] = {2, -1}, // 0 0 -
        [13] = {0, 0},  // 0 0 0, never asked for
        [14] = {2, 1},  // 0 0 +
        [15] = {1, 1},  // 0 + -
        [16] = {1, 1},  // 0 + 0
        [17] = {0, -1}, // 0 + +
        [18] = {0, 1},  // + - -
        [19] = {0, 1},  // + - 0
        [20] = {1, -1}, // + - +
        [21] = {0, 1},  // + 0 -
        [22] = {0, 1},  // + 0 0
        [23] = {1, -1}, // + 0 +
        [24] = {2, -1}, // + + -
        [25] = {2, -1}, // + + 0
        [26] = {0, 0},  // + + +, never asked for
    };
    return table[9 * (sign[0] + 1) + 3 * (sign[1] + 1) + sign[2] + 1];
}

static bool intervals_overlap(const graze_triangle *a, const int sign_a[3], const graze_triangle *b,
                              const int sign_b[3])
{
    static const int next[5] = {0, 1, 2, 0, 1};
    lone_corner lone_a = find_lone(sign_a), lone_b = find_lone(sign_b);
    int i = lone_a.corner, j = lone_b.corner;
    // Turn each plane over, if need be, so that the other's lone corner is on its positive side.
    // Then the interval of A runs from pq to pr, and that of B from pr to pq.
    int turn_a = lone_b.side < 0, turn_b = lone_a.side < 0;
    const double *p1 = a->corner[i], *q1 = a->corner[next[i + 1 + turn_a]],
                 *r1 = a->corner[next[i + 2 - turn_a]];
    const double *p2 = b->corner[j], *q2 = b->corner[next[j + 1 + turn_b]],
                 *r2 = b->corner[next[j + 2 - turn_b]];
    return gz_orient3d(p1, q1, p2, q2) <= 0 && gz_orient3d(p1, r1, p2, r2) >= 0;
}

static bool all_equal(const int sign[3], int value)
{
    return sign[0] == value && sign[1] == value && sign[2] == value;
}

static inline double least(const graze_triangle *t, int axis)
{
    double low = t->corner[0][axis] < t->corner[1][axis] ? t->corner[0][axis] : t->corner[1][axis];
    return low < t->corner[2][axis] ? low : t->corner[2][axis];
}

static inline double greatest(const graze_triangle *t, int axis)
{
    double high = t->corner[0][axis] > t->corner[1][axis] ? t->corner[0][axis] : t->corner[1][axis];
    return high > t->corner[2][axis] ? high : t->corner[2][axis];
}

static void count_flat(const gz_simplex *a, const gz_simplex *b)
{
    if (a->dimension < 2)
        gz_took(a->dimension == 0 ? GZ_BRANCH_POINT_A : GZ_BRANCH_SEGMENT_A);
    if (b->dimension < 2)
        gz_took(b->dimension == 0 ? GZ_BRANCH_POINT_B : GZ_BRANCH_SEGMENT_B);
}

static __attribute__((noinline)) int meet_by_features(const graze_triangle *a,
                                                      const graze_triangle *b)
{
    gz_took(GZ_BRANCH_MEET_BY_FEATURES);
    gz_simplex piece_a = gz_simplex_of(a), piece_b = gz_simplex_of(b);
    count_flat(&piece_a, &piece_b);
    gz_corner corners[GZ_CORNERS_MOST];
    return gz_common_corners(&piece_a, &piece_b, 1, corners);
}

int gz_triangle_meet(const graze_triangle *a, const graze_triangle *b)
{
    int apart = 0;
    for (int axis = 0; axis < 3; ++axis) {
        apart |= greatest(a, axis) < least(b, axis);
        apart |= greatest(b, axis) < least(a, axis);
    }
    if (apart != 0)
        return 0;
    int sign_a[3], sign_b[3];
    gz_orient3d_three(a, b, sign_b);
    if (all_equal(sign_b, 1) || all_equal(sign_b, -1))
        return 0;
    gz_orient3d_three(b, a, sign_a);
    if (all_equal(sign_a, 1) || all_equal(sign_a, -1))
        return 0;
    // All zero: the other one lies in this plane, or this one has no plane.
    if (all_equal(sign_a, 0) || all_equal(sign_b, 0))
        return meet_by_features(a, b);
    gz_took(GZ_BRANCH_MEET_BY_SIGNS);
    return intervals_overlap(a, sign_a, b, sign_b);
}

int graze_triangle_meet(const graze_triangle *a, const graze_triangle *b)
{
    gz_fpu_state state = gz_fpu_enter();
    int meet = gz_triangle_meet(a, b);
    gz_fpu_leave(state);
    return meet;
}
