// Convex patches of a surface: parts of it that lie on their own convex hulls, whose hulls stay
// behind the surface. After Ehmann and Lin, "Accurate and Fast Proximity Queries Between Polyhedra
// Using Convex Surface Decomposition", 2001.
//   locally   every corner of a patch is below the planes of all its triangles, or in them;
//   globally  no other triangle of the surface reaches into the patch's hull, and no triangle of
//             the patch into another one's.
// Both to a tolerance: a patch may be a little hollow. What hulls miss by this is measured later.
#ifndef GZ_CONVEX_PATCHES_H
#define GZ_CONVEX_PATCHES_H

#include "clod/hull_surface.h"
#include "clod/patch_grid.h"

typedef struct gz_convex_patch {
    uint32_t first_triangle, triangle_count; // a chain, in which there may be vanished ones
    uint32_t first_node, last_node;          // a chain of nodes of the level below
    uint32_t made;                           // its node of the level that is being made
    bool live, changed;                      // since its last node was made
    graze_box box;
} gz_convex_patch;

typedef GZ_LIST(double[4]) gz_plane_list;

// One or two patches, laid out to be looked at.
typedef struct gz_outline {
    gz_index_list triangles, vertices;
    gz_point_list points; // of the vertices
    gz_plane_list planes; // of the triangles
    double hull[3 * 264]; // the points, drawn together a little; see hull_distance.h
    uint32_t hull_count;  // 0: there are too many
    graze_box box;
} gz_outline;

#define GZ_OUTLINE_POINTS 260u // vertices of a patch, at most

typedef struct gz_patches {
    graze_context *context;
    gz_hull_surface *surface;
    gz_convex_patch *patch; // as many as triangles
    uint32_t count, live_count;
    uint32_t *next_triangle; // of a triangle in its patch
    gz_patch_grid triangles, hulls;
    double tolerance;
    bool out_of_memory; // set by whoever runs out of it; what is said then is of no use
    gz_outline outline; // scratch, as is all that follows
    gz_index_list near, near_hulls, neighbours;
    uint32_t *vertex_stamp, *triangle_stamp, *patch_stamp, stamp;
} gz_patches;

bool gz_patches_begin(gz_patches *patches, gz_hull_surface *surface);
void gz_patches_free(gz_patches *patches);

// Fills the grids anew with what is there.
bool gz_patches_sort(gz_patches *patches);

// Cuts the surface: patches of at most so many triangles, from each triangle that has none yet to
// its neighbours and theirs.
graze_status gz_patches_cut(gz_patches *patches, uint32_t triangle_most);

// Lays out one patch, or two as one if the second is not GZ_NO_PATCH.
void gz_patches_outline(gz_patches *patches, uint32_t first, uint32_t second);
// Of what is laid out: does it keep the first rule? And the second: its hull against all triangles
// that are in neither of the two patches?
bool gz_outline_convex(const gz_patches *patches);
bool gz_outline_behind(gz_patches *patches, uint32_t first, uint32_t second);
// Makes the hull of what is laid out; gz_outline_behind does it, too.
void gz_outline_draw(gz_patches *patches);
// Does this triangle reach into that hull?
bool gz_outline_is_entered(const gz_patches *patches, uint32_t triangle);

// Joins the patch with neighbours as long as that makes valid patches of at most so many triangles.
void gz_patches_join_around(gz_patches *patches, uint32_t patch, uint32_t triangle_most,
                            uint32_t *next_node);
// What becomes of a patch that has no triangle left: another one gets its nodes.
void gz_patches_give(gz_patches *patches, uint32_t from, uint32_t to, uint32_t *next_node);

// The box of its triangles, and the entries in the grids for it and the triangles listed.
bool gz_patches_moved(gz_patches *patches, uint32_t patch);
graze_box gz_surface_box(const gz_hull_surface *surface, uint32_t triangle);

#endif
