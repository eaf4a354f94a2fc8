/// @file geometry.h  Two triangles: do they meet, where, and how far apart are they? Boxes and
/// poses.
///
/// A triangle is the closed convex hull of its three corners: with corners on one line it is the
/// segment or the point that it looks like. Every answer below is exact for every finite double,
/// overflow and underflow included, as if computed without rounding; constructed numbers (points,
/// distances) are the exact ones rounded once, to the nearest double.
///
/// Lifetime:    plain data, no owners.
/// Concurrency: pure functions; any thread may call any of them. A caller that changed the rounding
///              mode or flushes subnormals to zero gets the same answers.
/// Units:       lengths are model units, angles are radians.
#ifndef GRAZE_GEOMETRY_H
#define GRAZE_GEOMETRY_H

#include "graze/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct graze_triangle {
    double corner[3][3]; ///< corner, axis; all finite
} graze_triangle;

/// On which side of the plane through a, b, c lies d? 1: below (a, b, c look clockwise from d), so
/// that the determinant of (a - d, b - d, c - d) is positive; 0: in the plane; -1: the other side.
GRAZE_API int graze_orient3d(const double a[3], const double b[3], const double c[3],
                             const double d[3]);

/// 1 if a, b, c turn left in the plane, 0 if they are on one line, -1 if they turn right.
GRAZE_API int graze_orient2d(const double a[2], const double b[2], const double c[2]);

/// 0, 1 or 2: is the triangle a point, a segment, or a triangle with area?
GRAZE_API int graze_triangle_dimension(const graze_triangle *a);

/// 1 if the two share a point, else 0.
GRAZE_API int graze_triangle_meet(const graze_triangle *a, const graze_triangle *b);

/// 1 if the two have points at most `tolerance` apart, else 0. The tolerance is finite and not
/// negative; 0 makes this graze_triangle_meet.
GRAZE_API int graze_triangle_within(const graze_triangle *a, const graze_triangle *b,
                                    double tolerance);

/// What two triangles have in common: nothing, a point, a segment or a convex polygon. Corners are
/// the exact ones, each coordinate rounded to the nearest double, in order around the polygon
/// (counter-clockwise as seen against the normal of a) and distinct before rounding.
typedef struct graze_intersection {
    uint32_t point_count; ///< 0 none, 1 point, 2 segment, 3 to 6 polygon
    uint32_t coplanar;    ///< 1: both have area and lie in one plane
    double point[6][3];
} graze_intersection;

GRAZE_API void graze_triangle_intersect(const graze_triangle *a, const graze_triangle *b,
                                        graze_intersection *out);

/// The distance and a pair of points that have it.
typedef struct graze_closest {
    double distance_squared; ///< the exact one rounded to nearest; infinity where it overflows
    double distance;         ///< within 1 ulp of the exact one, overflow and underflow included
    double point_a[3];       ///< of the true closest pair, each coordinate rounded to nearest
    double point_b[3];
} graze_closest;

/// Where several pairs are equally close, which one is given depends on the two triangles only.
GRAZE_API void graze_triangle_closest(const graze_triangle *a, const graze_triangle *b,
                                      graze_closest *out);

/// One against many: bit i % 32 of word i / 32 of `bits` is graze_triangle_meet(a, b + i). Unused
/// bits of the last word are 0. Uses the context's SIMD width; the answer does not depend on it.
GRAZE_API void graze_triangle_meet_many(graze_context *context, const graze_triangle *a,
                                        const graze_triangle *b, uint64_t count, uint32_t *bits);
/// The same for graze_triangle_within.
GRAZE_API void graze_triangle_within_many(graze_context *context, const graze_triangle *a,
                                          const graze_triangle *b, uint64_t count, double tolerance,
                                          uint32_t *bits);

/// A rigid placement: world = rotation * local + translation.
typedef struct graze_pose {
    double rotation[9]; ///< three rows
    double translation[3];
} graze_pose;

GRAZE_API graze_pose graze_pose_identity(void);
/// A turn about an axis of any length but 0 through the origin.
/// @param translation  NULL for none.
/// @return GRAZE_ERROR_ARGUMENT for a zero or non-finite axis or angle; graze_context_error(NULL)
/// has
///         the sentence.
GRAZE_API graze_status graze_pose_from_axis(const double axis[3], double angle,
                                            const double translation[3], graze_pose *pose);
/// From the quaternion (x, y, z, w), of any length but 0.
GRAZE_API graze_status graze_pose_from_quaternion(const double quaternion[4],
                                                  const double translation[3], graze_pose *pose);
/// GRAZE_OK if all is finite and the rotation is one: its rows are orthonormal to 1e-9 and
/// right-handed. Else GRAZE_ERROR_ARGUMENT.
GRAZE_API graze_status graze_pose_check(const graze_pose *pose);
/// World of `outer` after `inner`.
GRAZE_API graze_pose graze_pose_compose(const graze_pose *outer, const graze_pose *inner);
GRAZE_API graze_pose graze_pose_inverse(const graze_pose *pose);
/// One fixed sequence of double operations, so that posing gives the same bits everywhere:
/// ((r0 * x + r1 * y) + r2 * z) + t, each operation rounded to nearest.
GRAZE_API void graze_pose_apply(const graze_pose *pose, const double local[3], double world[3]);

/// Closed box along the axes; empty if min > max on some axis.
typedef struct graze_box {
    double min[3], max[3];
} graze_box;

GRAZE_API graze_box graze_box_empty(void);
GRAZE_API graze_box graze_box_of_points(const double (*points)[3], uint64_t count);
GRAZE_API graze_box graze_box_join(const graze_box *a, const graze_box *b);
/// Grown by a length on all sides, rounded outward. Empty stays empty.
GRAZE_API graze_box graze_box_grow(const graze_box *a, double length);
/// Holds every posed point of the box, rounding included.
GRAZE_API graze_box graze_box_posed(const graze_box *box, const graze_pose *pose);
/// 1 if they share a point: exact.
GRAZE_API int graze_box_overlap(const graze_box *a, const graze_box *b);
/// At most the true distance, and tight to a few ulps; 0 if they overlap, infinity if one is empty.
GRAZE_API double graze_box_distance(const graze_box *a, const graze_box *b);

/// Closed box along axes of its own: centre + sum of axis[i] * t[i], |t[i]| <= half[i].
typedef struct graze_obb {
    double center[3];
    double axis[3][3]; ///< orthonormal to rounding
    double half[3];    ///< not negative
} graze_obb;

/// A tight box that holds all points, rounding included. count may not be 0.
GRAZE_API graze_status graze_obb_of_points(const double (*points)[3], uint64_t count,
                                           graze_obb *out);
GRAZE_API graze_obb graze_obb_of_box(const graze_box *box);
GRAZE_API graze_obb graze_obb_posed(const graze_obb *obb, const graze_pose *pose);
/// 0 only if they are proved to be apart; 1 may be said of boxes a few ulps apart.
GRAZE_API int graze_obb_overlap(const graze_obb *a, const graze_obb *b);
/// At most the true distance; 0 if they overlap.
GRAZE_API double graze_obb_distance(const graze_obb *a, const graze_obb *b);

#ifdef __cplusplus
}
#endif
#endif
