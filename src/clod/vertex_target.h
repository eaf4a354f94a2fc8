// Where the vertex of a collapsed edge goes: to the place of least quadric error, then to where the
// surface is smoothest, then to the nearest place that keeps the patches convex.
#ifndef GZ_VERTEX_TARGET_H
#define GZ_VERTEX_TARGET_H

#include "clod/convex_patches.h"
#include "simplify/quadric.h"

// The triangles around a vertex that came of two, which lie in the same place for the time being.
typedef struct gz_vertex_star {
    uint32_t vertex[2];
    gz_index_list triangles;
} gz_vertex_star;

// Corners of a triangle of the star: the one behind the vertex, and the one before it.
static inline void gz_star_corners(const gz_hull_surface *surface, const gz_vertex_star *star,
                                   uint32_t triangle, uint32_t *next, uint32_t *last)
{
    const uint32_t *c = surface->corner[triangle];
    int k = 0;
    while (c[k] != star->vertex[0] && c[k] != star->vertex[1])
        ++k;
    *next = c[(k + 1) % 3];
    *last = c[(k + 2) % 3];
}

// The least of a quadric; where that is not one place, near `middle`.
void gz_target_of_quadric(const gz_quadric *quadric, const double middle[3], double out[3]);

// The place where second-order divided differences over the edges around are least, after Guskov,
// Sweldens and Schröder, "Multiresolution Signal Processing for Meshes", 1999, with weights of
// where the vertex is now.
void gz_target_smooth(const gz_hull_surface *surface, const gz_vertex_star *star, double out[3]);

// Half-spaces that the vertex must be in.
typedef struct gz_target_space {
    double normal[3], limit;
    double pull[3]; // scratch of gz_target_project
} gz_target_space;
typedef GZ_LIST(gz_target_space) gz_target_space_list;

// Appends what keeps the patch convex that is laid out, some of whose triangles are in the star: a
// condition is linear in the place of one vertex. False when out of memory.
bool gz_target_constrain(const gz_patches *patches, const gz_vertex_star *star,
                         gz_target_space_list *out);
// The nearest place in all half-spaces; nearly, and elsewhere if there is none.
void gz_target_project(gz_target_space_list *spaces, double place[3]);

#endif
