// A second opinion on the oracle: the same questions answered in fractions, by other methods, as
// plainly as possible and therefore slowly. Only test_oracle.c asks it, and check_closest.c for
// rare cases. It shares nothing with oracle.c.
#ifndef ORACLE_PLAIN_H
#define ORACLE_PLAIN_H

#include <gmp.h>
#include <stdbool.h>

#include "graze/geometry.h"

typedef struct plain_vector {
    mpq_t c[3];
} plain_vector;

void plain_vector_init(plain_vector *v);
void plain_vector_clear(plain_vector *v);

// A convex polygon in space, of any number of corners including 0, 1 and 2, in order around;
// corners may repeat.
enum { PLAIN_CORNERS_MAX = 32 };
typedef struct plain_polygon {
    int count;
    plain_vector corner[PLAIN_CORNERS_MAX];
} plain_polygon;

void plain_polygon_init(plain_polygon *p);
void plain_polygon_clear(plain_polygon *p);
// Keeps the part where normal . x >= level.
void plain_polygon_clip(plain_polygon *p, const plain_vector *normal, const mpq_t level);

// No direction of a finite list separates them.
bool plain_meet(const graze_triangle *a, const graze_triangle *b);
// The least over all pairs of vertices, edges and faces.
void plain_distance_squared(const graze_triangle *a, const graze_triangle *b, mpq_t out);
// Triangle a cut by the half-spaces whose intersection is b; corners that are not extreme removed.
void plain_intersect(const graze_triangle *a, const graze_triangle *b, plain_polygon *out);

#endif
