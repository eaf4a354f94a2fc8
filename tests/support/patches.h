// More patches, see coarsen.h: shapes, joined and simplified ones, who owns their triangles, and
// distances of our own, in long double and from one triangle after the other.
#ifndef GZ_PATCHES_H
#define GZ_PATCHES_H

#include <stdbool.h>

#include "coarsen.h"

// A shape of the scenes, whose vertices are one where they are in one place.
patch patch_shape(const char *kind, uint32_t triangle_count);
patch patch_copy(const patch *p);
patch patch_join(const patch *a, const patch *b); // both, with vertices of their own
// What gz_simplify makes of it.
patch patch_simplify(const patch *fine, uint32_t triangle_count);

void patch_transform(patch *p, double scale, const double shift[3]);
void patch_round(patch *p, graze_precision precision);
double patch_largest(const patch *p); // coordinate, without sign

// Owners, `count` of them: cells of a grid by where the middle of a triangle is, or anyone.
uint32_t *patch_own_by_grid(const patch *p, uint32_t count);
uint32_t *patch_own_by_chance(const patch *p, uint32_t count, test_random *random);

// A point of a triangle; n from 0 on: corners, points of edges, and others.
void patch_point(const patch *p, uint32_t t, uint32_t n, test_random *random, long double out[3]);
long double point_distance(const double *const corner[3], const long double point[3]);
long double patch_distance(const patch *p, uint32_t t, const long double point[3]);
long double patch_distance_of_all(const patch *p, const long double point[3]);
// Whether the point is within a distance of a triangle, or of one of an owner's triangles.
bool point_within(const double *const corner[3], const long double point[3], long double most);
bool patch_within(const patch *p, const uint32_t *owners, uint32_t owner,
                  const long double point[3], long double most);
// Marks the owners of triangles of `to` within a distance of a triangle; returns how many are new.
uint32_t patch_see(const patch *p, uint32_t t, const patch *to, const uint32_t *owners,
                   double distance, bool *seen);

#endif
