// How far apart are two convex hulls of points? The answer is an interval whose lower end is proved
// by a direction: a plane across it has the hulls on its two sides, so far apart.
//
// Hulls are convex hulls of stored points, exactly: no face of theirs is ever asked. Points lie
// side by side, all x, then all y, then all z, each stretch filled up with its last one to a
// multiple of GZ_HULL_LANES.
#ifndef GZ_HULL_DISTANCE_H
#define GZ_HULL_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#define GZ_HULL_LANES 4u

typedef struct gz_hull {
    const double *points; // 3 * count numbers
    uint32_t count;       // a multiple of GZ_HULL_LANES, not 0
} gz_hull;

static inline void gz_hull_point(const gz_hull *hull, uint32_t index, double out[3])
{
    out[0] = hull->points[index];
    out[1] = hull->points[hull->count + index];
    out[2] = hull->points[2 * hull->count + index];
}

// From the frame of b to that of a.
typedef struct gz_hull_map {
    double rotation[9], translation[3];
} gz_hull_map;

static inline void gz_hull_map_apply(const gz_hull_map *map, const double in[3], double out[3])
{
    double x = in[0], y = in[1], z = in[2];
    for (int i = 0; i < 3; ++i)
        out[i] = ((map->rotation[3 * i] * x + map->rotation[3 * i + 1] * y) +
                  map->rotation[3 * i + 2] * z) +
                 map->translation[i];
}

// All in the frame of a.
typedef struct gz_hull_answer {
    double low;     // along `axis` the hulls are so far apart; not above 0: they may share points
    double high;    // the distance of the two points, 0 where the hulls overlap
    double axis[3]; // of length 1, from a to b; 0 where the hulls overlap
    double point_a[3], point_b[3];
    // The points are these parts of these vertices.
    uint32_t vertex_a[4], vertex_b[4], count;
    double part[4];
} gz_hull_answer;

// The point of a hull that is farthest along a direction, and how far that is.
uint32_t gz_hull_support(const gz_hull *hull, const double direction[3], double *reach);

// How far apart the hulls are along a direction of length 1, from a to b; below 0 if they are not.
// Computed in doubles: off by 2^-48 of the radii and the translation at most.
double gz_hull_gap(const gz_hull *a, const gz_hull *b, const gz_hull_map *map,
                   const double axis[3]);

// The same two hulls give the same answer. It begins with the two points `from` and is done at once
// where the gap along some axis is above `enough`; low is about high otherwise.
void gz_hull_distance(const gz_hull *a, const gz_hull *b, const gz_hull_map *map, double enough,
                      gz_hull_answer *out);

// The distance of a point from a hull, at most so much: it is that to a point of the hull, with all
// rounding. `radius`: no coordinate of either is larger.
double gz_hull_reach(const gz_hull *hull, const double point[3], double radius);

#endif
