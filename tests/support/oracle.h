// The referee of the geometry tests: what two triangles have in common, and how far apart they are,
// in whole numbers of any length, straight from the definitions. It shares nothing with the library
// but the struct graze_triangle.
//
// A pair is loaded by multiplying its 18 coordinates by one power of two, so that all are whole.
// Triangles become hulls: the convex hull of one, two or three affinely independent vertices, the
// degenerate ones losing the corners that are not extreme. From there on nothing is special.
//
// The distance is found by guessing and proving. A pair of faces (vertices, edges, the triangle
// itself) is guessed with doubles; the closest points of the two are computed exactly; and they are
// accepted only with a proof that nothing is closer. So the guess can cost time but never
// correctness. See oracle_closest.c.
//
// Concurrency: one oracle a thread.
#ifndef ORACLE_H
#define ORACLE_H

#include "exact_numbers.h"
#include "graze/geometry.h"

// The convex hull of `count` affinely independent vertices.
typedef struct oracle_hull {
    int count;
    int edge_count;                // 0, 1, 3 for 1, 2, 3 vertices
    int corner[3];                 // which corner of the triangle a vertex is
    const exact_vector *vertex[3]; // borrowed
    exact_vector edge[3];          // vertex[i + 1] - vertex[i], cyclically
    exact_vector normal;           // edge[0] x edge[1], of three vertices only
} oracle_hull;

enum { ORACLE_CORNERS_MAX = 6 }; // of the intersection of two triangles

typedef struct oracle {
    graze_triangle given[2];
    exact_vector corner[2][3]; // given * 2^-exponent
    long exponent;
    oracle_hull hull[2];

    // Set by oracle_closest. The squared distance is numerator / denominator * 4^exponent.
    mpz_t numerator, denominator;
    int dimension[2], index[2]; // the faces that hold the closest points
    mpz_t place[2], place_unit; // where on the faces, see oracle_closest.c
    exact_vector direction;     // from a towards b; zero where they meet

    // Set by oracle_points: a closest pair, both with the same w, in units of 2^exponent.
    exact_point closest[2];

    // Set by oracle_intersect and oracle_closest_set: corners, in order around.
    int corner_count;
    exact_point intersection[ORACLE_CORNERS_MAX + 1]; // the last is scratch

    uint64_t guesses, proofs; // how many faces were tried for how many distances

    // Scratch. The parameters are answers of oracle_edges_cross and oracle_edge_pierces.
    mpz_t parameter[2], unit;
    oracle_hull face[2];
    exact_vector moved[2][3];
    exact_vector t0, t1, t2, t3;
    mpz_t s0, s1, s2, s3, s4;
} oracle;

oracle *oracle_create(void);
void oracle_destroy(oracle *o);

void oracle_load(oracle *o, const graze_triangle *a, const graze_triangle *b);

// Signs of determinants of loaded corners, numbered 0 to 2 in a, 3 to 5 in b.
int oracle_orient3d(oracle *o, int i, int j, int k, int l);
// The same in the plane of the axes x and y (0, 1 or 2 each).
int oracle_orient2d(oracle *o, int i, int j, int k, int x, int y);

// 0, 1 or 2, of triangle `side`.
static inline int oracle_dimension(const oracle *o, int side) { return o->hull[side].count - 1; }
// Both have area and one plane holds all.
bool oracle_coplanar(oracle *o);

void oracle_closest(oracle *o);
// These three need oracle_closest first.
static inline bool oracle_meet(const oracle *o) { return mpz_sgn(o->numerator) == 0; }
static inline bool oracle_within(const oracle *o, double tolerance)
{
    return exact_compare_square(tolerance, o->numerator, o->denominator, o->exponent) >= 0;
}
void oracle_points(oracle *o);

// The corners of what the two have in common, counter-clockwise against the normal of a.
void oracle_intersect(oracle *o);
// The corners of the set of points of a that are in some closest pair. The other point of the pair
// is farther by closest[1] - closest[0]. Calls oracle_points.
void oracle_closest_set(oracle *o);

// For the parts of the oracle.
void oracle_hull_finish(oracle_hull *hull, int count); // from the vertices, which are set
void oracle_hulls_intersect(oracle *o, const oracle_hull *a, const oracle_hull *b);
// Where the segments cross: true if the lines p + s u, q + t v (s, t times `unit`) are not parallel
// and s and t are between 0 and 1. Leaves n = u x v in t0, its level difference n . (q - p) in s0.
bool oracle_edges_cross(oracle *o, const oracle_hull *a, int i, const oracle_hull *b, int j);
// Where edge i of a passes through the plane of b: true if it does so in one point, inside of b.
bool oracle_edge_pierces(oracle *o, const oracle_hull *a, int i, const oracle_hull *b);
// Is the foot of the perpendicular from p to the plane of the hull inside?
bool oracle_foot_inside(oracle *o, const exact_vector *p, const oracle_hull *hull);

#endif
