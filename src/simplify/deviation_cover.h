// Is a triangle covered? The cheap way to bound the distance of a whole triangle T from a surface
// of many triangles, neighbours together, without cutting T: if all lines across T meet the surface
// within the height H, no point of T is farther from it than H.
//
// The proof. Seen in the coordinates of T (u and v along two edges, 1 - u - v, and the height h),
// let Q be the points over T, a little shrunk, not higher or lower than H. Take all triangles of
// the surface that meet Q, and let none of them leave Q through its top or bottom. Count mod 2 how
// many of them are over a point of T. That number can only change at the projection of an edge in Q
// that an odd number of triangles of the surface share: an open edge. (All triangles at an edge
// that meets Q meet Q, too, and so are counted.) So if no open edge meets Q, the number is the same
// everywhere, and if it is odd at one point, every point of the shrunk T is covered. Neither
// manifolds nor orientation are needed; an edge is shared if its two vertices have the same
// numbers.
//
// Rounding. Coordinates u, v and h of a vertex are computed in float, by the same operations for
// all triangles that share it; take what comes out as the vertex. That moves the surface near T by
// at most `error` below, and nothing else: what is decided about the moved surface is decided with
// comparisons, or with margins where sums are rounded again. Kernels are the same in all widths.
#ifndef GZ_DEVIATION_COVER_H
#define GZ_DEVIATION_COVER_H

#include "simplify/deviation_target.h"

enum { GZ_COVER_MOST = 512, GZ_COVER_MIXED = 16, GZ_COVER_LANES = 16 };

// The coordinates of T: three factors and a constant each, as functions of a point.
typedef struct gz_cover_frame {
    float u[4], v[4], h[4];
    float shrink;          // T is shrunk to u, v and 1 - u - v of at least this
    float height;          // H
    float fine;            // corners above this, at most H, are worth a closer look
    float at[2];           // u and v of the point where triangles are counted
    float low[3], high[3]; // no triangle meets Q outside this box, in the target's coordinates
} gz_cover_frame;

// What is found about a triangle. Mixed are those that may meet Q and whose corners are not all
// within `fine`: most of them are settled together, and the others need a closer look. Their
// numbers are by corner; what is behind the last of them was left by others.
typedef struct gz_cover_result {
    float u[3][GZ_COVER_MIXED], v[3][GZ_COVER_MIXED], w[3][GZ_COVER_MIXED], h[3][GZ_COVER_MIXED];
    float high[GZ_COVER_MIXED]; // heights over T are not above this; for those that are counted
    uint32_t mixed_count;
    uint32_t inside, doubtful;     // of mixed, by bits: over the point; cannot be told
    uint32_t settled, beside;      // of mixed, by bits: within H; not over T
    uint32_t counted;              // of mixed, by bits: in Q; where all of T is covered
    uint16_t lane[GZ_COVER_MIXED]; // of mixed, in the set
    uint16_t meeting[GZ_COVER_MOST / GZ_COVER_LANES]; // by bits: others that may meet Q
    float height;  // the largest of the corners of others that may meet Q
    uint32_t over; // others over the point
    bool open;     // an open edge may meet Q, or there are too many mixed: give up
    bool unsure;   // whether the point is covered by others cannot be told
} __attribute__((aligned(64))) gz_cover_result;

// Triangles of the surface near a group of triangles, in floats relative to the group's center.
typedef struct gz_cover_set {
    float corner[3][3][GZ_COVER_MOST]; // corner, axis; unused lanes repeat the last one
    uint16_t open[3][GZ_COVER_MOST / GZ_COVER_LANES]; // the edge from corner k to the next is open
    uint32_t number[GZ_COVER_MOST];                   // in the target
    // Boxes of the blocks of lanes in the target's coordinates, wide enough for all rounding.
    float low[GZ_COVER_MOST / GZ_COVER_LANES][3], high[GZ_COVER_MOST / GZ_COVER_LANES][3];
    uint32_t count;
    double center[3], size; // and the largest coordinate
    gz_cover_result result; // of the last triangle that was asked about
} __attribute__((aligned(64))) gz_cover_set;

// Gathers the triangles of the target that come within `goal` of a group. False: too many.
bool gz_cover_gather(const gz_target *target, const graze_box *group, double goal,
                     gz_cover_set *set);
// The height below which all of the triangle is covered, all errors included, if that is at most
// `goal`; negative if it cannot be told.
double gz_cover_height(const gz_target *target, gz_cover_set *set, const double v[3][3],
                       double goal);
// The same, for each triangle of the set that takes part: lanes `meeting` of the result have no
// more than its `height`, counted ones their `high`, and all of them `lost`. No point of the
// triangle is farther from all of them than that.
// @param fine  up to this part of the goal, heights need not be told apart.
// @return whether it is covered.
bool gz_cover_heights(const gz_target *target, gz_cover_set *set, const double v[3][3], double goal,
                      double fine, double *lost);

// The triangle of a set, which is not empty, that is nearest to a point, but for rounding: a hint.
uint32_t gz_cover_nearest(const gz_target *target, const gz_cover_set *set, const double p[3]);

typedef void gz_cover_kernel(const gz_cover_set *set, const gz_cover_frame *frame,
                             gz_cover_result *out);
gz_cover_kernel gz_cover_kernel_scalar, gz_cover_kernel_baseline, gz_cover_kernel_avx2,
    gz_cover_kernel_avx512;
typedef uint32_t gz_near_kernel(const gz_cover_set *set, const float p[3]); // a lane
gz_near_kernel gz_near_kernel_scalar, gz_near_kernel_baseline, gz_near_kernel_avx2,
    gz_near_kernel_avx512;

#endif
