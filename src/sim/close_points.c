// Closest points of parts of triangles. See close_points.h.
#include "sim/close_points.h"

#include <math.h>
#include <string.h>

#include "geometry/vector.h"

static void point_between(const double a[3], const double b[3], double t, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] + t * (b[i] - a[i]);
}

static void nearest_in_segment(const double a[3], const double b[3], const double p[3],
                               double out[3])
{
    double along[3], to[3];
    gz_subtract3(b, a, along);
    gz_subtract3(p, a, to);
    double square = gz_dot3(along, along), t = square > 0 ? gz_dot3(to, along) / square : 0;
    point_between(a, b, t < 0 ? 0 : t > 1 ? 1 : t, out);
}

// Its foot in the plane, if that is inside; else the nearest point of an edge.
void gz_nearest_in_triangle(const graze_triangle *t, const double p[3], double out[3])
{
    double edge[2][3], to[3], normal[3], side[3];
    gz_subtract3(t->corner[1], t->corner[0], edge[0]);
    gz_subtract3(t->corner[2], t->corner[0], edge[1]);
    gz_subtract3(p, t->corner[0], to);
    gz_cross3(edge[0], edge[1], normal);
    double square = gz_dot3(normal, normal);
    if (square > 0) {
        gz_cross3(to, edge[1], side);
        double v = gz_dot3(side, normal) / square;
        gz_cross3(edge[0], to, side);
        double w = gz_dot3(side, normal) / square;
        if (v >= 0 && w >= 0 && v + w <= 1) {
            double height = gz_dot3(to, normal) / square;
            for (int i = 0; i < 3; ++i)
                out[i] = p[i] - height * normal[i];
            return;
        }
    }
    double best = HUGE_VAL, at[3];
    memcpy(out, t->corner[0], sizeof t->corner[0]); // where nothing is a number
    for (int i = 0; i < 3; ++i) {
        nearest_in_segment(t->corner[i], t->corner[(i + 1) % 3], p, at);
        double distance = gz_point_distance(at, p);
        if (distance < best) {
            best = distance;
            memcpy(out, at, sizeof at);
        }
    }
}

bool gz_segments_cross(const double a[3], const double b[3], const double c[3], const double d[3],
                       double on_ab[3], double on_cd[3])
{
    double u[3], v[3], w[3];
    gz_subtract3(b, a, u);
    gz_subtract3(d, c, v);
    gz_subtract3(a, c, w);
    double uu = gz_dot3(u, u), uv = gz_dot3(u, v), vv = gz_dot3(v, v), uw = gz_dot3(u, w),
           vw = gz_dot3(v, w), determinant = uu * vv - uv * uv;
    if (!(determinant > 1e-8 * uu * vv))
        return false;
    double s = (uv * vw - vv * uw) / determinant, t = (uu * vw - uv * uw) / determinant;
    if (!(s > 0 && s < 1 && t > 0 && t < 1))
        return false;
    point_between(a, b, s, on_ab);
    point_between(c, d, t, on_cd);
    return true;
}

static void keep_nearer(double *best, const double p[3], const double q[3], double on_a[3],
                        double on_b[3])
{
    double distance = gz_point_distance(p, q);
    if (distance >= *best)
        return;
    *best = distance;
    memcpy(on_a, p, 3 * sizeof *p);
    memcpy(on_b, q, 3 * sizeof *q);
}

double gz_triangles_nearest(const graze_triangle *a, const graze_triangle *b, double on_a[3],
                            double on_b[3])
{
    double best = HUGE_VAL, p[3], q[3];
    for (int i = 0; i < 3; ++i) {
        gz_nearest_in_triangle(b, a->corner[i], p);
        keep_nearer(&best, a->corner[i], p, on_a, on_b);
        gz_nearest_in_triangle(a, b->corner[i], p);
        keep_nearer(&best, p, b->corner[i], on_a, on_b);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (gz_segments_cross(a->corner[i], a->corner[(i + 1) % 3], b->corner[j],
                                  b->corner[(j + 1) % 3], p, q))
                keep_nearer(&best, p, q, on_a, on_b);
    return best;
}
