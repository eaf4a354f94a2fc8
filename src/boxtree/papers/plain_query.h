// What the trees of the papers share: two meshes in poses of their own, the map between their
// frames with its error, the exact test of two triangles, and the list of pairs that meet.
//
// These trees are for comparison and for trying new volumes; users get the tree of tree.h.
#ifndef GZ_PLAIN_QUERY_H
#define GZ_PLAIN_QUERY_H

#include <stdbool.h>

#include "base/memory.h"
#include "boxtree/tree_pairs.h"
#include "geometry/vector.h"
#include "graze/geometry.h"
#include "graze/mesh.h"

typedef struct gz_plain_counters {
    uint64_t box_tests;      // a volume against a volume
    uint64_t triangle_tests; // a triangle against a triangle
    uint64_t exact_tests;    // of these, with a sign that doubles could not tell
    uint64_t contacts;
} gz_plain_counters;

// One half of a question. The mesh stays the caller's and must outlive the query's run.
typedef struct gz_plain_side {
    const graze_mesh_view *view;
    double reach; // no coordinate is larger
    graze_pose pose;
} gz_plain_side;

// The last triangle that was posed: leaves meet several others in a row.
typedef struct gz_plain_posed {
    uint32_t number;
    bool known;
    graze_triangle triangle;
} gz_plain_posed;

typedef struct gz_plain_query {
    graze_context *context;
    gz_plain_side a, b;
    gz_plain_posed posed_a, posed_b;
    // From B's model frame to A's, and back without the shift. Where posed triangles share a point,
    // it comes from points p of A and q of B, exactly as they were read, with
    //   |p - (matrix q + shift)| <= error  and  |q - back (p - shift)| <= 3 error
    // in each coordinate, if the products are computed without rounding.
    double matrix[9], shift[3], back[9];
    double error;
    GZ_LIST(graze_pair) pairs; // in an order that depends on the trees only
    gz_plain_counters counters;
    graze_status status;
} gz_plain_query;

void gz_plain_query_init(gz_plain_query *query, graze_context *context);
void gz_plain_query_free(gz_plain_query *query);
// Forgets the last answer and sets up the map between the frames.
void gz_plain_query_begin(gz_plain_query *query, const gz_plain_side *a, const gz_plain_side *b);
// Two triangles whose leaves overlap: tests and counts them, and keeps the pair if they meet. False
// when out of memory, which the status says.
bool gz_plain_query_triangles(gz_plain_query *query, uint32_t a, uint32_t b);
// Every pair: for meshes of absurd sizes, where the numbers of a walk would overflow.
void gz_plain_query_all(gz_plain_query *query);

// The largest absolute coordinate of a mesh.
double gz_mesh_reach(const graze_mesh_view *view);
// A power of two that brings numbers up to `reach` below 1.
double gz_unit_scale(double reach);

#endif
