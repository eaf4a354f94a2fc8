// What refining needs to know of a mesh: which vertices are one place, which edges there are, and
// for each place a normal and a length. See refine.h.
#ifndef GRAZE_GENERATORS_REFINE_TABLES_H
#define GRAZE_GENERATORS_REFINE_TABLES_H

#include "graze/mesh.h"

// Rules: a triangle here has three different places. Its side i joins its corners i and i + 1. An
// edge joins two places, the lower number first, and there is one only for every two.
typedef struct refine_tables {
    const graze_mesh_view *view;
    uint64_t triangle_count;
    uint64_t *object_triangles; // of each object of the view, how many are here; they come in order
    uint64_t object_count;      // at least 1
    uint32_t place_count, edge_count;
    uint32_t *corner;    // three places for each triangle
    uint32_t *side;      // three edges for each triangle
    uint32_t *vertex;    // for each place, a vertex of the view that is there
    double *normal;      // three for each place: of length 1, or 0 where triangles have no area
    double *length;      // for each place: the mean length of its edges
    uint32_t (*edge)[2]; // two places for each edge
    double mean_length;  // of all edges
    uint64_t bytes_left; // of memory that may be taken
} refine_tables;

// Fills tables whose view and bytes_left are set and whose rest is zero.
graze_status refine_tables_make(refine_tables *tables);
void refine_tables_free(refine_tables *tables); // accepts zero ones

void refine_place(const refine_tables *tables, uint32_t place, double out[3]);

// Memory that counts, all zero; NULL if there is none. Given back by free().
void *refine_allocate(refine_tables *tables, uint64_t count, uint64_t size);

#endif
