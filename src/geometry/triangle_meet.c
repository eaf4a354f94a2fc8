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

// The corner that is alone, and its side: 1 or -1.
static int lone_corner(const int sign[3], int *side)
{
    int positive = 0, negative = 0;
    for (int i = 0; i < 3; ++i) {
        positive += sign[i] > 0;
        negative += sign[i] < 0;
    }
    int wanted = 0; // the lone corner's sign
    if (positive == 1)
        wanted = *side = 1;
    else if (negative == 1)
        wanted = *side = -1;
    else
        *side = positive == 2 ? -1 : 1; // it lies in the plane, the others on the far side
    return sign[0] == wanted ? 0 : sign[1] == wanted ? 1 : 2;
}

static bool intervals_overlap(const graze_triangle *a, const int sign_a[3], const graze_triangle *b,
                              const int sign_b[3])
{
    int side_a, side_b;
    int i = lone_corner(sign_a, &side_a), j = lone_corner(sign_b, &side_b);
    const double *p1 = a->corner[i], *q1 = a->corner[(i + 1) % 3], *r1 = a->corner[(i + 2) % 3];
    const double *p2 = b->corner[j], *q2 = b->corner[(j + 1) % 3], *r2 = b->corner[(j + 2) % 3];
    // Turn each plane over, if need be, so that the other's lone corner is on its positive side.
    // Then the interval of A runs from pq to pr, and that of B from pr to pq.
    if (side_b < 0) {
        const double *swap = q1;
        q1 = r1;
        r1 = swap;
    }
    if (side_a < 0) {
        const double *swap = q2;
        q2 = r2;
        r2 = swap;
    }
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

static void count_flat(const gz_piece *a, const gz_piece *b)
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
    gz_piece piece_a = gz_piece_of(a), piece_b = gz_piece_of(b);
    count_flat(&piece_a, &piece_b);
    gz_corner corners[GZ_CORNERS_MOST];
    return gz_common_corners(&piece_a, &piece_b, 1, corners);
}

int gz_triangle_meet(const graze_triangle *a, const graze_triangle *b)
{
    for (int axis = 0; axis < 3; ++axis)
        if (greatest(a, axis) < least(b, axis) || greatest(b, axis) < least(a, axis))
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
