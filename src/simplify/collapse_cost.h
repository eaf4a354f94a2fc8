// What moving a vertex costs: an estimate of the squared distance by which the surface changes.
//
// The rough cost is the mean squared distance of the new place to the planes that the vertex stands
// for, weighted by area, with the lines of open rims beside them. It only looks at the vertex that
// moves and where to, so a collapse changes few of these. The careful cost adds what planes do not
// see: the way from the vertex to the triangles that will be around it, which is long where a thin
// spike vanishes; triangles that turn over or become needles; and edges that would grow together.
// Both are at most the squared length of the way, unless something is lost or folds: no point of
// the surface moves farther than the vertex.
#ifndef GZ_COLLAPSE_COST_H
#define GZ_COLLAPSE_COST_H

#include "geometry/vector.h"
#include "simplify/simplify_work.h"

#define GZ_LARGE_STAR 64u // triangles; looking at all of them again and again would take too long

// Makes the quadrics, and the components.
void gz_costs_make(gz_work *work);

#define GZ_COMPACTNESS 1e-5 // of the squared length of the way: decides where surfaces are flat

static inline double gz_squared_distance(const double a[3], const double b[3])
{
    double way[3];
    gz_subtract3(a, b, way);
    return gz_dot3(way, way);
}

// `share` is 1 / quadric[v].term[GZ_QUADRIC_WEIGHT].
static inline float gz_cost_rough(const gz_work *work, uint32_t v, uint32_t w, double share)
{
    double length = gz_squared_distance(work->position[v], work->position[w]);
    double cost = gz_quadric_at(work->quadric + v, work->position[w]) * share;
    cost = cost > 0 ? cost : 0;
    return (float)((cost < length ? cost : length) + GZ_COMPACTNESS * length);
}

// Uses the marks.
float gz_cost_careful(gz_work *work, uint32_t v, uint32_t w);

#endif
