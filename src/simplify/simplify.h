// The simplifier of one component of a mesh in memory: a patch of some thousand triangles, with
// vertices that must stay because others see them too.
//
// It works by half-edge collapses: a vertex is moved onto another one, and the triangles that
// thereby have two equal corners vanish. So each coarser mesh uses a subset of the vertices, and a
// mesh in which every edge belongs to an even number of triangles stays such a mesh. The order of
// collapses follows an estimate of how far the surface moves: collapse_cost.h says how.
//
// Everything is allowed: edges of one or of many triangles, loose triangles, any orientation,
// triangles that lie on each other or have no area. Vertices of different connected components that
// are near each other may be moved onto each other as well, when their distance is no more than
// what other collapses would cost; so a heap of small components gets coarse, too. The result is
// the same on every machine, for only + - * / and the square root are used, and ties go by number.
#ifndef GZ_SIMPLIFY_H
#define GZ_SIMPLIFY_H

#include "base/memory.h"

// Equal positions must be one vertex already. Vertices may be without a triangle. A triangle with
// two equal corners counts as vanished from the start.
typedef struct gz_patch {
    const double (*position)[3];
    const uint32_t (*corner)[3];
    const uint8_t *locked; // 1: the vertex must stay; others may be moved onto it. NULL: none
    uint32_t vertex_count, triangle_count;
} gz_patch;

typedef struct gz_collapse {
    uint32_t from, to; // `from` is moved onto `to`, and is no vertex of the mesh any more
} gz_collapse;
typedef GZ_LIST(gz_collapse) gz_collapse_list;

// The mesh after a collapse.
typedef struct gz_collapse_state {
    double deviation; // an estimate, not a bound; never less than that of the step before
    uint32_t triangle_count;
} gz_collapse_state;
typedef GZ_LIST(gz_collapse_state) gz_collapse_state_list;

// Scratch that is used again: no allocation when it was as large once. One thread each.
typedef struct gz_simplifier {
    graze_context *context;
    gz_byte_list bytes;
} gz_simplifier;

void gz_simplifier_free(gz_simplifier *simplifier);

// Appends collapses and, for each, the state after it, until there are no more than
// `target_triangles`, or nothing is left that may be moved: the last state says how far it got.
// With a target of 0 all goes that is not held by locked vertices.
// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (a corner is no vertex, or a coordinate that is used is
//         not finite), GRAZE_ERROR_MEMORY; the lists are as before then.
graze_status gz_simplify(gz_simplifier *simplifier, const gz_patch *patch,
                         uint32_t target_triangles, gz_collapse_list *collapses,
                         gz_collapse_state_list *states);

// The mesh after the first `count` collapses. Receives where each vertex is now (vertex_count
// numbers), the corners of the triangles that are left, and their numbers in the patch, in order;
// both have room for the patch's triangles. Returns how many are left. Takes linear time.
uint32_t gz_collapse_apply(const gz_patch *patch, const gz_collapse *collapses, uint64_t count,
                           uint32_t *place, uint32_t (*corner)[3], uint32_t *triangle);

#endif
