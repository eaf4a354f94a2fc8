// A contact detail: the dual hierarchy of convex hulls. See graze/contact_detail.h, and
// docs/internals.md for the words.
//
// Nodes lie level by level from the root, which is node 0; the children of a node lie side by side,
// behind it. Leaves are the convex patches of the original surface; each has a stretch of the
// original triangles, and so has every node: those of its leaves. What answers rest on:
//   - no point of the triangles of a node is farther than `stray` from its hull, the convex hull of
//     its stored points, in the detail's frame;
//   - no such point is farther than `radius` from its `center`, nor is any of the hull.
// Both hold with all rounding, but for that of the frame: a coordinate less the detail's center is
// rounded once. The rest of a node is measured and well meant: it decides how far a walk goes and
// what it reports, not whether it is right.
#ifndef GZ_DETAIL_H
#define GZ_DETAIL_H

#include <stdbool.h>

#include "base/memory.h"
#include "clod/hull_distance.h"
#include "graze/contact_detail.h"

#define GZ_DETAIL_NONE  UINT32_MAX
#define GZ_DETAIL_ABOVE UINT32_MAX // the level of a node above the coarsest surface

typedef struct gz_detail_node {
    double center[3], radius;
    double stray;      // h of the paper, with respect to the original
    double spread;     // no point of the hull's faces is farther from the node's triangles
    double thickness;  // of the hull along some direction
    double deviation;  // s of the paper; infinite above the coarsest surface
    double resolution; // r of the paper: one over the mean length of its patch's edges
    double weight;     // s / r^2; 0 for leaves, infinite above the coarsest surface
    double area;       // the largest of its points' areas
    uint32_t first_point, point_count; // of `points`, in threes; a multiple of GZ_HULL_LANES
    uint32_t first_normal, normal_count;
    uint32_t first_child, child_count; // none: a leaf
    uint32_t first_triangle, triangle_count;
    uint32_t level, unused;
} gz_detail_node;
_Static_assert(sizeof(gz_detail_node) == 128, "as in docs/format.md");

// A plane before a hull: no point of the hull is beyond `reach` along the direction.
typedef struct gz_detail_plane {
    double normal[3], reach;
} gz_detail_plane;

struct graze_contact_detail {
    graze_context *context;
    uint64_t serial;
    graze_precision precision;
    bool closed;
    double center[3]; // of the frame
    double radius;    // of a ball about the center that holds all
    graze_box box;    // of the original
    uint32_t level_count, depth;
    uint32_t vertex_count, triangle_count, node_count;
    uint32_t point_count, plane_count; // points as stored, fillers included
    gz_detail_node *nodes;
    double *points; // of each node all x, all y, all z
    double *areas;  // of each point: about how much surface is in contact where it is
    gz_detail_plane *planes;
    void *positions;        // of the vertices, as they were: floats or doubles
    uint32_t (*corners)[3]; // of the triangles, in the order of the leaves
    uint32_t *numbers;      // of the triangles, in the view
    graze_detail_level levels[GRAZE_DETAIL_LEVELS];
};

static inline gz_hull gz_detail_hull(const graze_contact_detail *detail, const gz_detail_node *node)
{
    return (gz_hull){detail->points + 3 * (uint64_t)node->first_point, node->point_count};
}

// A vertex as it was read, and in the detail's frame.
static inline void gz_detail_position(const graze_contact_detail *detail, uint32_t vertex,
                                      double out[3])
{
    for (uint64_t i = 0; i < 3; ++i)
        out[i] = detail->precision == GRAZE_FLOAT32
                     ? (double)((const float *)detail->positions)[3 * (uint64_t)vertex + i]
                     : ((const double *)detail->positions)[3 * (uint64_t)vertex + i];
}
static inline void gz_detail_local(const graze_contact_detail *detail, uint32_t vertex,
                                   double out[3])
{
    gz_detail_position(detail, vertex, out);
    for (int i = 0; i < 3; ++i)
        out[i] -= detail->center[i];
}

// The arrays of a detail, each with its bytes, in the order of the file.
enum { GZ_DETAIL_PARTS = 7 };
typedef struct gz_detail_part {
    void **bytes;
    uint64_t byte_count;
} gz_detail_part;
void gz_detail_parts(graze_contact_detail *detail, gz_detail_part parts[GZ_DETAIL_PARTS]);

// Whether all that answers rest on holds; for files. GRAZE_ERROR_FORMAT if it does not, without a
// sentence, or GRAZE_ERROR_MEMORY; GRAZE_ERROR_CANCELLED with one.
graze_status gz_detail_check(const graze_contact_detail *detail);

#endif
