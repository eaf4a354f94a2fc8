// What the makers of nasty pairs build with: random numbers, points and triangles of doubles. On
// small whole numbers all of it is exact. Never draw two random numbers in one expression: C leaves
// open which is drawn first, and compilers differ.
#ifndef NASTY_TOOLS_H
#define NASTY_TOOLS_H

#include <math.h>
#include <string.h>

#include "nasty.h"
#include "test.h"

// Makes one pair of a kind.
typedef void nasty_maker(test_random *random, nasty_pair *pair);

nasty_maker coplanar_nested; // nasty.c
nasty_maker segment_and_triangle, segments_cross, segments_on_one_line, point_and_triangle,
    point_and_segment, points, nearly_segment; // nasty_segments.c
nasty_maker known_distance_vertices, known_distance_faces, known_distance_edges,
    known_distance_degenerate; // nasty_distances.c

// ---- numbers ----

static inline int64_t whole(test_random *random, int64_t low, int64_t high) // low <= . <= high
{
    return low + (int64_t)(test_next(random) % (uint64_t)(high - low + 1));
}

static inline double uniform(test_random *random, double low, double high)
{
    return low + (high - low) * test_unit(random);
}

static inline int chance(test_random *random, int one_in) { return whole(random, 1, one_in) == 1; }

static inline double power_of_two(int exponent) { return ldexp(1.0, exponent); }

// Any finite double whose exponent is uniform between the two.
static inline double wild(test_random *random, int low, int high)
{
    int exponent = (int)whole(random, low, high);
    double x = ldexp(1.0 + test_unit(random), exponent);
    return chance(random, 2) ? -x : x;
}

// 10^-places, the same bits everywhere.
static inline double decimal(int64_t places)
{
    static const double table[] = {1e0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8,
                                   1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17};
    return table[places];
}

// ---- points and triangles ----

static inline void set(double *out, double x, double y, double z)
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void copy(double *out, const double *p) { memcpy(out, p, 3 * sizeof(double)); }

// out = p + s * u
static inline void along(double *out, const double *p, double s, const double *u)
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = p[axis] + s * u[axis];
}

static inline void subtract(double *out, const double *p, const double *q)
{
    along(out, p, -1.0, q);
}

static inline void cross(double *out, const double *u, const double *v)
{
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

static inline double dot(const double *u, const double *v)
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static inline void whole_point(test_random *random, int64_t radius, double *out)
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = (double)whole(random, -radius, radius);
}

static inline void whole_direction(test_random *random, int64_t radius, double *out)
{
    do {
        whole_point(random, radius, out);
    } while (out[0] == 0 && out[1] == 0 && out[2] == 0);
}

static inline void uniform_point(test_random *random, double radius, double *out)
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = uniform(random, -radius, radius);
}

static inline void uniform_triangle(test_random *random, double radius, graze_triangle *out)
{
    for (int i = 0; i < 3; ++i)
        uniform_point(random, radius, out->corner[i]);
}

// Coordinates of many sizes, so that even their differences are rounded.
static inline void rough_triangle(test_random *random, graze_triangle *out)
{
    for (int i = 0; i < 9; ++i)
        out->corner[i / 3][i % 3] = wild(random, -12, -1);
}

// One or the other.
static inline void any_triangle(test_random *random, graze_triangle *out)
{
    if (chance(random, 2))
        rough_triangle(random, out);
    else
        uniform_triangle(random, 1.0, out);
}

// Whole corners, with area.
static inline void whole_triangle(test_random *random, int64_t radius, graze_triangle *out)
{
    double u[3], v[3], n[3];
    do {
        for (int i = 0; i < 3; ++i)
            whole_point(random, radius, out->corner[i]);
        subtract(u, out->corner[1], out->corner[0]);
        subtract(v, out->corner[2], out->corner[0]);
        cross(n, u, v);
    } while (n[0] == 0 && n[1] == 0 && n[2] == 0);
}

static inline double *coordinate(nasty_pair *pair, int i) // 0 to 17
{
    graze_triangle *triangle = i < 9 ? &pair->a : &pair->b;
    return &triangle->corner[i / 3 % 3][i % 3];
}

static inline void scale_triangle(graze_triangle *triangle, double factor)
{
    for (int i = 0; i < 9; ++i)
        triangle->corner[i / 3][i % 3] *= factor;
}

static inline void scale_pair(nasty_pair *pair, double factor)
{
    scale_triangle(&pair->a, factor);
    scale_triangle(&pair->b, factor);
    pair->tolerance *= factor;
}

static inline void swap_values(double *x, double *y)
{
    double swapped = *x;
    *x = *y;
    *y = swapped;
}

static inline void shuffle_corners(test_random *random, graze_triangle *triangle)
{
    for (int i = 2; i > 0; --i) {
        int j = (int)whole(random, 0, i);
        for (int axis = 0; axis < 3; ++axis)
            swap_values(&triangle->corner[i][axis], &triangle->corner[j][axis]);
    }
}

#endif
