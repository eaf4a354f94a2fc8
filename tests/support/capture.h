// Catches what a generator streams, in plain arrays, and checks on its way that the rules of
// streams are kept: counts as announced, vertices before the triangles that use them, objects in
// order.
#ifndef TEST_CAPTURE_H
#define TEST_CAPTURE_H

#include <stdbool.h>

#include "graze/mesh.h"

typedef struct captured_object {
    char name[64], group[64];
    uint64_t first_triangle, triangle_count;
} captured_object;

typedef struct capture {
    graze_mesh_header header;
    double *positions;
    uint64_t *corners;
    captured_object *objects;
    uint64_t vertex_count, triangle_count, object_count, object_triangles;
    uint64_t hash; // of the bytes of vertices, triangles and objects
    bool soup;     // vertices may come after triangles, but each triangle has its own
} capture;

// A sink into a capture that is zero but for `soup`.
graze_mesh_sink capture_sink(capture *c);
void capture_check(const capture *c); // after the stream has ended well
void capture_free(capture *c);

// Every edge of these triangles belongs to two, which run through it in opposite directions.
void capture_check_closed(const capture *c, uint64_t first_triangle, uint64_t triangle_count);
double capture_volume(const capture *c, uint64_t first_triangle, uint64_t triangle_count);

// The mesh of some of the triangles, at least one: `corners` has room for three numbers each, and
// the positions are those of the capture.
graze_mesh_view capture_view(const capture *c, uint64_t first_triangle, uint64_t triangle_count,
                             uint32_t *corners);

#endif
