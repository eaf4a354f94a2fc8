// A hierarchy in the making: nodes in the order in which they come about, and of each what it will
// be measured by. Arrays of points and planes are already those of the detail.
#ifndef GZ_DETAIL_DRAFT_H
#define GZ_DETAIL_DRAFT_H

#include "clod/convex_patches.h"
#include "clod/detail.h"
#include "clod/hull_make.h"

typedef struct gz_draft_node {
    gz_detail_node node; // as far as it is known
    uint32_t first_child, next_sibling;
    // The patch: points, and triangles with numbers among them; faces of the hull likewise. None of
    // all this above the coarsest surface.
    uint32_t first_patch_point, patch_point_count;
    uint32_t first_patch_triangle, patch_triangle_count;
    uint32_t first_face, face_count;
    uint32_t first_original; // of a leaf: its triangles among `originals`
} gz_draft_node;

typedef struct gz_draft {
    graze_context *context;
    GZ_LIST(gz_draft_node) nodes;
    GZ_LIST(double) points, areas;   // of the detail
    GZ_LIST(gz_detail_plane) planes; // of the detail
    gz_index_list hull_vertices;     // of each stored point: its number in the patch
    gz_point_list patch_points;
    gz_corner_list patch_triangles, faces;
    gz_index_list originals;                 // triangles of leaves
    gz_point_list level_corners;             // of the triangles of coarser surfaces, level by level
    uint64_t level_end[GRAZE_DETAIL_LEVELS]; // of each level, the end of its triangles
    gz_hull_maker maker;
} gz_draft;

void gz_draft_free(gz_draft *draft);

// A node for what is laid out in the patches; it has no children yet. UINT32_MAX: out of memory.
uint32_t gz_draft_patch(gz_draft *draft, const gz_patches *patches, uint32_t level);
// Makes a node the first child.
void gz_draft_adopt(gz_draft *draft, uint32_t parent, uint32_t child);

// Joins nodes two by two up to one root, whose number it gives; UINT32_MAX: out of memory. Sorts
// the list.
uint32_t gz_draft_join(gz_draft *draft, uint32_t *tops, uint32_t count);

// Hands all over to the detail, measured. The detail has the frame and the vertices already.
graze_status gz_draft_finish(gz_draft *draft, const gz_hull_surface *original, uint32_t root,
                             graze_contact_detail *detail);

#endif
