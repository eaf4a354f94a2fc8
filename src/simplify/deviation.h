// How far does one surface stray from another? Bounds of the directed Hausdorff distance: the
// largest, over all points of the triangles of one surface, of the distance to the other. They hold
// for every point, not for samples, and all rounding is inside them (section 4.2 of "Fast Collision
// Detection between Massive Models using Dynamic Simplification", Yoon, Salomon, Lin and Manocha,
// 2004, asks for such bounds; its 8.3 complains that they are loose).
//
// Surfaces are triangles in memory, of any topology: soups, triangles without area, doubled ones.
// Vertices that no triangle names are not looked at.
#ifndef GZ_DEVIATION_H
#define GZ_DEVIATION_H

#include <stdint.h>

#include "base/memory.h"
#include "graze/geometry.h"
#include "graze/mesh.h"

typedef struct gz_surface {
    const double (*position)[3];
    const uint32_t (*corner)[3];
    uint32_t vertex_count, triangle_count;
    // How far what a triangle stands for may be from it, for each triangle; NULL: 0. Where
    // distances from a surface to another are asked for, this is added; a target does not use it.
    const float *extra;
} gz_surface;

// The true value is not below `low` and not above `high`.
typedef struct gz_deviation {
    double low, high;
} gz_deviation;

#define GZ_DEVIATION_TRIANGLES (UINT32_C(1) << 27) // at most, in a surface

// The scratch and the surface that is measured against. For one thread at a time. Nothing is
// allocated when surfaces are not larger than those before.
typedef struct gz_deviation_query gz_deviation_query;

graze_status gz_deviation_query_create(graze_context *context, gz_deviation_query **query);
void gz_deviation_query_destroy(gz_deviation_query *query); // accepts NULL

// How much an answer may take before its gap is given up: steps of searches, of some ten
// nanoseconds each, in all and for each triangle that is asked about. There is a lot by default;
// normal surfaces take less than a hundred a triangle, heaps of large triangles any number.
void gz_deviation_set_patience(gz_deviation_query *query, uint64_t fixed, uint64_t each);

// Takes over what it needs of `to`; the arrays may end with the call.
// @return GRAZE_ERROR_ARGUMENT for a corner that is no vertex or is not finite, or too many
//         triangles; GRAZE_ERROR_MEMORY. After a failure the target is empty.
graze_status gz_deviation_set_target(gz_deviation_query *query, const gz_surface *to);

// The largest distance of a point of `from` from the target, with the extra of its triangle, so
// that high <= (1 + gap) * low or high <= floor. A floor far above rounding is good for speed: a
// millionth of the size of the surfaces, say. Without one, bounds do not come closer than rounding
// allows: about 1e-13 of the size. Where the gap takes too much work, the bounds are wider, and
// still true; see gz_deviation_counts. Of nothing, the deviation is 0; from nothing, it is
// infinite.
// @return as gz_deviation_set_target; also GRAZE_ERROR_ARGUMENT for a gap or floor below 0.
graze_status gz_deviation_from(gz_deviation_query *query, const gz_surface *from, double gap,
                               double floor, gz_deviation *out);

// Deals a surface out to owners of the target's triangles, each part of it to one that is near.
typedef struct gz_share {
    uint32_t triangle, owner;
    uint32_t first, count; // corners of the part, a convex polygon; count 0: the whole triangle
    float extra;           // no point that the part stands for is farther from it
} gz_share;
typedef GZ_LIST(gz_share) gz_share_list;
typedef struct gz_sight {
    uint32_t triangle, owner;
} gz_sight;
typedef GZ_LIST(gz_sight) gz_sight_list;
typedef struct gz_shares {
    gz_share_list shares; // those of a triangle together
    gz_point_list corners;
    gz_sight_list sights; // an owner of something within a distance of the triangle
    bool crowded; // there were too many to keep: nothing is dealt out, all of this is of no use
} gz_shares;
typedef struct gz_deal {
    const gz_surface *to;  // the target
    const uint32_t *owner; // of its triangles
    double known;          // `high` of gz_deviation_from
    double sight;          // the distance for sights
    double floor;
    uint64_t most;             // corners, and sights, to keep: a few more may be there
    graze_precision precision; // to which corners are rounded
} gz_deal;
// All parts of a triangle cover it, but for what their extra says. Sights are those of triangles
// that see several owners, about as far as asked for.
// @param shares  zero or used before.
// @param most    receives how far what parts stand for, their triangle with its extra, may be from
//                the triangles of their owners: what is known, hardly increased.
// @return as gz_deviation_from.
graze_status gz_deviation_deal(gz_deviation_query *query, const gz_surface *from,
                               const gz_deal *deal, gz_shares *shares, double *most);
// Appends the sights of triangles of another surface, those that see one owner included, with their
// numbers from `first` on. After gz_deviation_deal.
graze_status gz_deviation_see(gz_deviation_query *query, const gz_surface *from,
                              const gz_deal *deal, uint32_t first, gz_shares *shares);

// How far each part of the target is answerable: every point that `from` stands for is within the
// spread of some part of a triangle of that part.
typedef struct gz_spread {
    const gz_surface *to; // the target
    const uint32_t *part; // of its triangles
    uint32_t part_count;
    double known; // no point that `from` stands for is farther from the target
    double floor; // below this, nobody cares
} gz_spread;
// @param out  receives the spread of each part: at most what is known, 0 where nothing needs it.
// @return as gz_deviation_from.
graze_status gz_deviation_spread(gz_deviation_query *query, const gz_surface *from,
                                 const gz_spread *spread, double *out);

// gz_deviation_from for all points of a solid box. Its axes need not be perpendicular or of length
// 1: the points are center + sum of axis[i] * t[i] with |t[i]| <= half[i].
graze_status gz_deviation_box(gz_deviation_query *query, const graze_obb *box, double gap,
                              double floor, gz_deviation *out);

// The point that has the distance `low`, with the extra, of the last answer, to rounding. 0 if low
// is 0.
int gz_deviation_witness(const gz_deviation_query *query, double point[3]);

// What the last answer took, for tests and benches.
typedef struct gz_deviation_counts {
    uint64_t covered;  // triangles of `from` that were settled by coverage, see deviation_cover.h
    uint64_t refined;  // triangles that were cut
    uint64_t pieces;   // and into what
    uint64_t searches; // for the nearest triangle of a point
    uint64_t given_up; // pieces at a limit of work or depth: the gap may not be reached
} gz_deviation_counts;

gz_deviation_counts gz_deviation_counted(const gz_deviation_query *query);

#endif
