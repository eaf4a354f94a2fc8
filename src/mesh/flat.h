// A flat mesh: a checked view as formats without placement write it. Matrices are applied, and
// instances become copies with vertices of their own. Nothing is copied in memory: the mesh comes
// in batches, first all vertices, then the corners object by object.
//
// Rules: where no object is placed and none shares its triangles, vertices keep their order, their
// numbers and their precision. Else each object brings the vertices it uses, in the order of their
// first use, and one placed object makes all coordinates double. That costs 8 bytes a vertex.
#ifndef GZ_FLAT_H
#define GZ_FLAT_H

#include <stdbool.h>

#include "graze/mesh.h"

typedef struct gz_flat {
    graze_context *context;
    const char *path; // for messages
    const graze_mesh_view *view;
    graze_precision precision;
    uint64_t vertex_count, triangle_count; // as written
    bool plain;                            // all stays as it is
    // Not plain: a vertex's number as written last, plus one; 0 if not written yet. Numbers grow,
    // so that those of the object at hand are the ones above the object's first.
    uint64_t *numbers;
} gz_flat;

// How far a walk over the mesh has come.
typedef struct gz_flat_walk {
    uint64_t next_object;
    graze_object object;
    uint64_t corner;       // of the object, the next one
    uint64_t first_number; // of the object's vertices
    uint64_t next_number;
} gz_flat_walk;

// The view outlives the flat mesh. Without `vertices` only gz_flat_next_object and gz_flat_corner
// may be called, and vertex_count is not known.
graze_status gz_flat_open(graze_context *context, const char *path, const graze_mesh_view *view,
                          bool vertices, gz_flat *flat);
void gz_flat_close(gz_flat *flat);

void gz_flat_start(gz_flat *flat, gz_flat_walk *walk);
// The next batch of vertices, at most `capacity`, floats or doubles as flat->precision says.
// *count is 0 at the end. Fails where a matrix takes a vertex out of the range of double.
graze_status gz_flat_vertices(gz_flat *flat, gz_flat_walk *walk, void *positions, uint64_t capacity,
                              uint64_t *count);
// Steps to the next object, which is then walk->object; false at the end.
bool gz_flat_next_object(gz_flat *flat, gz_flat_walk *walk);
// The next triangles of the object, at most `capacity`: 3 vertex numbers each. 0 at its end.
uint64_t gz_flat_corners(gz_flat *flat, gz_flat_walk *walk, uint64_t *corners, uint64_t capacity);

// Corner `corner` of the object, three a triangle, in the world. Fails like gz_flat_vertices.
graze_status gz_flat_corner(gz_flat *flat, const graze_object *object, uint64_t corner,
                            double out[3]);

#endif
