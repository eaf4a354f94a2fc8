// The surface that deviations are measured against: its triangles in a small tree of boxes, and the
// distance of a point from it.
//
// Coordinates in here are (x - center) / unit, where the unit is a power of two and the target lies
// between -1 and 1. They are rounded once, by 2^-53 of themselves. `reach` is 1, or the largest
// coordinate of what is asked about, if that is larger; it is below 2^60. A margin of 2^-47 reach
// is more than a vertex of either surface, and with it every point of its triangles, is moved by
// this rounding (2^-52 reach), and the rounding in one distance (2^-49 reach, see
// gz_target_distance).
//
// Triangles are sorted along a space-filling curve, eight of them make a node, eight nodes make a
// node of the next level, up to one root.
#ifndef GZ_DEVIATION_TARGET_H
#define GZ_DEVIATION_TARGET_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/simd.h"
#include "simplify/deviation.h"

enum { GZ_TARGET_WIDE = 8, GZ_TARGET_LEVELS = 10 };

// Boxes of eight triangles or nodes; unused lanes are far away. Floats are rounded to nearest: who
// looks at them allows for that.
typedef union gz_target_node {
    struct {
        float low[3][GZ_TARGET_WIDE], high[3][GZ_TARGET_WIDE];
    };
    struct {
        gz_f4 low4[3][2], high4[3][2];
    };
} __attribute__((aligned(64))) gz_target_node;

typedef struct gz_target_triangle {
    double corner[3][3];
} gz_target_triangle;

typedef struct gz_target {
    graze_context *context;
    double center[3], unit;
    double half_center[3], scale; // half the center, and 2 / unit
    uint32_t triangle_count;
    uint32_t level_count, level_first[GZ_TARGET_LEVELS], level_nodes[GZ_TARGET_LEVELS];
    GZ_LIST(gz_target_triangle) triangles; // sorted
    GZ_LIST(gz_target_node) nodes;         // those over triangles first, the root last
    gz_byte_list open;      // bit k, the edge from corner k to the next has an odd number of
                            // triangles; first by the triangles' own order, then sorted
    GZ_LIST(uint64_t) keys; // for sorting; the upper half as scratch
    gz_index_list stars;
    GZ_LIST(uint64_t) ends; // and stars: edges of a surface, see gz_target_find_open
    double reach;           // of what is asked about
    uint64_t searches;
    uint64_t steps; // of searches: nodes that were opened, and triangles that were measured
} gz_target;

typedef struct gz_nearby {
    double distance; // within the margin not below the true one
    uint32_t triangle;
} gz_nearby;

// Numbers of triangles of any surface in the lower half of keys, those near each other together.
// The result is among the keys and ends with the next call. NULL: no memory, nothing said.
const uint64_t *gz_target_sort(gz_target *target, const gz_surface *surface);
// Sets `open`, in the surface's own order. Then ends[stars[v]] up to ends[stars[v + 1]] are the
// edges of triangles from vertex v to those of larger number: that number, 32 bits, the triangle
// and, 2 bits, which of its edges it is. False: no memory.
bool gz_target_find_open(gz_target *target, const gz_surface *surface);

graze_status gz_target_set(gz_target *target, const gz_surface *surface);
void gz_target_free(gz_target *target);

// The largest coordinate of a box of the caller in the target's coordinates; may be infinite.
double gz_target_reach(const gz_target *target, const graze_box *box);

// Sentences for a surface that is none; its box, empty without triangles.
graze_status gz_surface_check(graze_context *context, const gz_surface *surface, graze_box *box);

// The distance from p of a point of the triangle, the nearest but for rounding.
double gz_target_distance(const gz_target_triangle *triangle, const double p[3]);
// The nearest triangle; `hint` is one that may well be near. The target is not empty.
gz_nearby gz_target_nearest(gz_target *target, const double p[3], uint32_t hint);
// Not above the true distance of p, and hardly below it, where `distance` is what gz_target_nearest
// found.
double gz_target_at_least(gz_target *target, const double p[3], double distance);

// A point of the caller in the target's coordinates. Halves are exact, but for subnormals, and
// their differences cannot overflow.
static inline void gz_target_corner(const gz_target *target, const double position[3],
                                    double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = (position[i] * 0.5 - target->half_center[i]) * target->scale;
}
static inline void gz_target_corners(const gz_target *target, const gz_surface *surface, uint32_t t,
                                     double out[3][3])
{
    for (int k = 0; k < 3; ++k)
        gz_target_corner(target, surface->position[surface->corner[t][k]], out[k]);
}

static inline double gz_target_margin(const gz_target *target) { return 0x1p-47 * target->reach; }

// The same float four times.
static inline gz_f4 gz_target_all(float x) { return (gz_f4){x, x, x, x}; }

#endif
