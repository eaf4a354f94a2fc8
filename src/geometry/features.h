// The intersection of two triangles, feature by feature, by signs of orientations alone.
//
// A triangle is first taken for what it is: a point, a segment or a triangle with area. The common
// part of two such pieces is convex and closed, so it is the hull of its extreme points. At an
// extreme point the smallest features of A and of B around it have no direction in common, which
// leaves five kinds: a vertex of A in B, a vertex of B in A, an edge of A through the inside of the
// face B, an edge of B through the inside of the face A, and two edges that cross inside both. All
// are found by signs, in any position, coplanar and degenerate ones included. No extreme point
// means no common point.
#ifndef GZ_FEATURES_H
#define GZ_FEATURES_H

#include "geometry/branches.h"
#include "graze/geometry.h"

typedef struct gz_simplex {
    int dimension;           // 0 point, 1 segment, 2 triangle
    int vertex_count;        // 1, 2, 3
    int edge_count;          // 0, 1, 3: edge i runs from vertex i to vertex (i + 1) % vertex_count
    const double *vertex[3]; // into the triangle; a segment has its two far corners
    int axis;                // triangle: dropping this coordinate leaves an area ...
    int turn;                // ... of this sign
} gz_simplex;

gz_simplex gz_simplex_of(const graze_triangle *triangle);

// One extreme point: its kind, and the vertex or edge of A and of B that make it.
typedef struct gz_corner {
    gz_branch kind; // GZ_BRANCH_VERTEX_OF_A to GZ_BRANCH_EDGES_CROSS
    int a, b;       // vertex or edge number; for faces 0
    int axis;       // edges that cross: they do so when this coordinate is dropped
} gz_corner;

#define GZ_CORNERS_MOST 6

// Finds up to `limit` extreme points, each once; fewer than `limit` are all there are.
int gz_common_corners(const gz_simplex *a, const gz_simplex *b, int limit,
                      gz_corner corners[GZ_CORNERS_MOST]);

#endif
