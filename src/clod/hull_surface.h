// A surface that is cut into convex patches, and gets coarser: triangles, which of them a vertex
// has, and which a patch has. All coordinates are those of a detail's frame.
//
// A corner is 3 * triangle + 0, 1 or 2. The corners at a vertex are a chain, and so are the
// triangles of a patch; those of triangles that have vanished are taken out when a chain is walked
// by who changes it, and skipped by who only looks.
#ifndef GZ_HULL_SURFACE_H
#define GZ_HULL_SURFACE_H

#include <stdbool.h>

#include "base/memory.h"
#include "graze/mesh.h"

#define GZ_NO_CORNER UINT32_MAX
#define GZ_NO_PATCH  UINT32_MAX

typedef struct gz_hull_surface {
    graze_context *context;
    uint32_t vertex_count, triangle_count; // as many as there were at the beginning
    uint32_t live_triangles;
    double (*position)[3];
    double (*normal)[4]; // of triangles: length 1, and the plane's distance along it
    uint32_t (*corner)[3];
    uint32_t *first_corner; // of a vertex
    uint32_t *next_corner;  // of a corner
    uint32_t *patch;        // of a triangle; GZ_NO_PATCH: it has vanished, or not got one yet
    bool *gone;             // of a triangle
    bool *border;           // of a vertex: an edge there has one triangle
    bool closed;
    double radius;
} gz_hull_surface;

// Of a flat view that was checked. Positions are taken less the center.
// @return GRAZE_ERROR_UNSUPPORTED, with a sentence, where it is no oriented 2-manifold.
graze_status gz_hull_surface_make(graze_context *context, const graze_mesh_view *view,
                                  const double center[3], gz_hull_surface *surface);
void gz_hull_surface_free(gz_hull_surface *surface);

// The plane of a triangle from its corners; false if it has no area to speak of.
bool gz_hull_surface_aim(gz_hull_surface *surface, uint32_t triangle);
// The same for corners anywhere, of length 1.
bool gz_hull_plane(const double a[3], const double b[3], const double c[3], double plane[4]);

// The triangle across the edge from corner `edge` to the next one; UINT32_MAX: none.
uint32_t gz_hull_surface_across(const gz_hull_surface *surface, uint32_t triangle, int edge);

static inline double gz_plane_height(const double plane[4], const double p[3])
{
    return plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] - plane[3];
}

#endif
