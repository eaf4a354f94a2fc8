// The kinds of pairs. Most nasty ones are built from small whole numbers, so that contact is exact,
// and are then moved, scaled by powers of two, mirrored and renumbered in ways that lose no bit.
// Degenerate ones are in nasty_segments.c, those of known distance in nasty_distances.c. See
// nasty.h.
#include "nasty.h"

#include <float.h>

#include "nasty_tools.h"

// Renumbers the corners, the axes and the triangles, and mirrors axes. No number changes but by its
// sign.
static void shuffle(test_random *random, nasty_pair *pair)
{
    shuffle_corners(random, &pair->a);
    shuffle_corners(random, &pair->b);
    if (chance(random, 2)) {
        graze_triangle swapped = pair->a;
        pair->a = pair->b;
        pair->b = swapped;
    }
    int turned = (int)whole(random, 0, 2);
    uint64_t mirrored = test_next(random);
    for (int i = 0; i < 6; ++i) {
        double *p = coordinate(pair, 3 * i);
        double old[3];
        copy(old, p);
        for (int axis = 0; axis < 3; ++axis) {
            p[axis] = old[(axis + turned) % 3];
            if (mirrored >> axis & 1u)
                p[axis] = -p[axis];
        }
    }
}

// ---- random kinds ----

static void random_pair(test_random *random, double size_a, double size_b, double spread,
                        nasty_pair *pair)
{
    double center[3];
    uniform_triangle(random, size_a, &pair->a);
    uniform_triangle(random, size_b, &pair->b);
    uniform_point(random, spread, center);
    for (int i = 0; i < 3; ++i)
        along(pair->b.corner[i], pair->b.corner[i], 1.0, center);
    pair->tolerance = uniform(random, 0.0, 0.5);
}

static void random_equal(test_random *random, nasty_pair *pair)
{
    random_pair(random, 1.0, 1.0, 0.1, pair);
}
static void random_large_small(test_random *random, nasty_pair *pair)
{
    random_pair(random, 2.0, 0.5, 0.2, pair);
}
static void random_through_center(test_random *random, nasty_pair *pair)
{
    random_pair(random, 1.0, 1.0, 0.0, pair);
    double center[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
        along(center, center, 1.0 / 3, pair->b.corner[i]);
    for (int i = 0; i < 3; ++i) {
        along(pair->a.corner[i], pair->a.corner[i], 1.0, center);
        along(pair->b.corner[i], pair->b.corner[i], -0.9, center);
    }
}
static void random_neighbours(test_random *random, nasty_pair *pair)
{
    random_pair(random, 1.0, 1.0, 1.0, pair);
}
static void round_to_float(nasty_pair *pair)
{
    for (int i = 0; i < 18; ++i)
        *coordinate(pair, i) = (double)(float)*coordinate(pair, i);
}
static void random_floats(test_random *random, nasty_pair *pair)
{
    random_pair(random, 1.0, 1.0, 0.1, pair);
    round_to_float(pair);
}
// One edge is made to pass through the other triangle.
static void random_crossing(test_random *random, nasty_pair *pair)
{
    random_pair(random, 1.0, 1.0, 0.0, pair);
    double s = test_unit(random), t = test_unit(random) * (1 - s), x[3], u[3];
    for (int axis = 0; axis < 3; ++axis)
        x[axis] = pair->a.corner[0][axis] * (1 - s - t) + pair->a.corner[1][axis] * s +
                  pair->a.corner[2][axis] * t;
    uniform_point(random, 1.0, u);
    along(pair->b.corner[0], x, test_unit(random), u);
    along(pair->b.corner[1], x, -test_unit(random), u);
}

static void random_crossing_floats(test_random *random, nasty_pair *pair)
{
    random_crossing(random, pair);
    round_to_float(pair);
}

// ---- shared corners and edges ----

static void shared_vertex(test_random *random, nasty_pair *pair)
{
    uniform_triangle(random, 1.0, &pair->a);
    uniform_triangle(random, 1.0, &pair->b);
    copy(pair->b.corner[0], pair->a.corner[0]);
}
static void shared_edge(test_random *random, nasty_pair *pair)
{
    shared_vertex(random, pair);
    copy(pair->b.corner[1], pair->a.corner[1]);
}
// Two edges of b run along two edges of a, from the shared corner.
static void shared_two_edges(test_random *random, nasty_pair *pair)
{
    whole_triangle(random, 100, &pair->a);
    copy(pair->b.corner[0], pair->a.corner[0]);
    for (int i = 1; i < 3; ++i) {
        double u[3];
        subtract(u, pair->a.corner[i], pair->a.corner[0]);
        along(pair->b.corner[i], pair->a.corner[0], (double)whole(random, -2, 8) / 4, u);
    }
}
static void identical(test_random *random, nasty_pair *pair)
{
    uniform_triangle(random, 1.0, &pair->a);
    pair->b = pair->a;
}
static void identical_but_one_ulp(test_random *random, nasty_pair *pair)
{
    identical(random, pair);
    double *x = coordinate(pair, (int)whole(random, 0, 17));
    *x = nextafter(*x, chance(random, 2) ? 2.0 : -2.0);
}

// ---- in one plane ----

// A plane through whole points: (x, y) means origin + x u + y v, exact.
typedef struct lattice {
    double origin[3], u[3], v[3];
} lattice;

static void make_lattice(test_random *random, lattice *plane)
{
    double n[3];
    whole_point(random, 1000, plane->origin);
    do {
        whole_direction(random, 20, plane->u);
        whole_direction(random, 20, plane->v);
        cross(n, plane->u, plane->v);
    } while (n[0] == 0 && n[1] == 0 && n[2] == 0);
}

static void place(const lattice *plane, double x, double y, double *out)
{
    along(out, plane->origin, x, plane->u);
    along(out, out, y, plane->v);
}

// Somewhere between the whole x and the whole y given.
static void place_between(test_random *random, const lattice *plane, int64_t x_low, int64_t x_high,
                          int64_t y_low, int64_t y_high, double *out)
{
    double x = (double)whole(random, x_low, x_high);
    double y = (double)whole(random, y_low, y_high);
    place(plane, x, y, out);
}

static void whole_in_plane(test_random *random, int64_t radius, nasty_pair *pair)
{
    lattice plane;
    make_lattice(random, &plane);
    for (int i = 0; i < 6; ++i)
        place_between(random, &plane, -radius, radius, -radius, radius, coordinate(pair, 3 * i));
}
static void coplanar_coarse(test_random *random, nasty_pair *pair)
{
    whole_in_plane(random, 4, pair);
}
static void coplanar_fine(test_random *random, nasty_pair *pair)
{
    whole_in_plane(random, 10000, pair);
}
// In a plane along two axes, where corners may be any doubles.
static void coplanar_axes(test_random *random, nasty_pair *pair)
{
    random_pair(random, 1.0, 1.0, 0.5, pair);
    double z = uniform(random, -1.0, 1.0);
    for (int i = 0; i < 6; ++i)
        coordinate(pair, 3 * i)[2] = z;
}
// In the plane z = x.
static void coplanar_diagonal(test_random *random, nasty_pair *pair)
{
    coplanar_axes(random, pair);
    for (int i = 0; i < 6; ++i)
        coordinate(pair, 3 * i)[2] = coordinate(pair, 3 * i)[0];
}
void coplanar_nested(test_random *random, nasty_pair *pair)
{
    whole_triangle(random, 100, &pair->a);
    scale_triangle(&pair->a, 64.0);
    for (int i = 0; i < 3; ++i) {
        int64_t s = whole(random, 0, 64), t = whole(random, 0, 64 - s);
        for (int axis = 0; axis < 3; ++axis)
            pair->b.corner[i][axis] =
                (pair->a.corner[0][axis] * (double)(64 - s - t) +
                 pair->a.corner[1][axis] * (double)s + pair->a.corner[2][axis] * (double)t) /
                64.0;
    }
}
// Edges on the line y = 0, the triangles on different sides of it.
static void coplanar_edges_touch(test_random *random, nasty_pair *pair)
{
    lattice plane;
    make_lattice(random, &plane);
    for (int i = 0; i < 6; ++i) {
        int64_t low = i == 2 ? 1 : i == 5 ? -9 : 0, high = i == 2 ? 9 : i == 5 ? -1 : 0;
        place_between(random, &plane, -6, 6, low, high, coordinate(pair, 3 * i));
    }
}
// A corner of b on the line of an edge of a, b beyond it.
static void coplanar_vertex_on_edge(test_random *random, nasty_pair *pair)
{
    lattice plane;
    make_lattice(random, &plane);
    place(&plane, (double)whole(random, -6, 0), 0, pair->a.corner[0]);
    place(&plane, (double)whole(random, 0, 6), 0, pair->a.corner[1]);
    place_between(random, &plane, -6, 6, 1, 9, pair->a.corner[2]);
    place(&plane, (double)whole(random, -7, 7), 0, pair->b.corner[0]);
    for (int i = 1; i < 3; ++i)
        place_between(random, &plane, -9, 9, -9, -1, pair->b.corner[i]);
}
// An edge of a along an axis, and b ends on it, or one unit in the last place beyond or before.
static void coplanar_one_ulp(test_random *random, nasty_pair *pair)
{
    double y = uniform(random, 1.0, 2.0), z = uniform(random, -1.0, 1.0);
    int64_t step = whole(random, -1, 1);
    double touch = step == 0 ? y : nextafter(y, step < 0 ? 0.0 : 4.0);
    for (int i = 0; i < 6; ++i) { // a below y, b above
        double x = uniform(random, -1.0, 1.0), away = uniform(random, 0.1, 1.0);
        set(coordinate(pair, 3 * i), x, i < 3 ? y - away : y + away, z);
    }
    set(pair->a.corner[0], pair->a.corner[0][0] - 1.5, y, z);
    set(pair->a.corner[1], pair->a.corner[1][0] + 1.5, y, z);
    pair->b.corner[0][1] = touch;
    if (chance(random, 3))
        pair->b.corner[1][1] = touch;
    pair->tolerance = fabs(touch - y);
}

// ---- touching in space ----

// The corner x of b lies on a; the other two are both above the plane, or one of them in it or
// below.
static void rise_from(test_random *random, nasty_pair *pair, const double *x)
{
    double u[3], v[3], n[3];
    subtract(u, pair->a.corner[1], pair->a.corner[0]);
    subtract(v, pair->a.corner[2], pair->a.corner[0]);
    cross(n, u, v);
    copy(pair->b.corner[0], x);
    int64_t least = whole(random, -1, 1);
    for (int i = 1; i < 3; ++i) {
        double w[3];
        do {
            whole_direction(random, 100, w);
            if (dot(w, n) < 0)
                along(w, (double[3]){0, 0, 0}, -1.0, w);
        } while (i == 1 && dot(w, n) == 0);
        along(pair->b.corner[i], x, 1.0, w);
        if (i == 2 && least < 1) { // in the plane, or below
            double s = (double)whole(random, -2, 2), t = (double)whole(random, -2, 2);
            along(pair->b.corner[2], x, s, u);
            along(pair->b.corner[2], pair->b.corner[2], t, v);
            if (least < 0)
                along(pair->b.corner[2], pair->b.corner[2], -1.0, w);
        }
    }
}
static void vertex_on_face(test_random *random, nasty_pair *pair)
{
    coplanar_nested(random, pair);
    double x[3];
    copy(x, pair->b.corner[0]);
    rise_from(random, pair, x);
}
static void vertex_on_edge(test_random *random, nasty_pair *pair)
{
    whole_triangle(random, 100, &pair->a);
    scale_triangle(&pair->a, 8.0);
    double u[3], x[3];
    subtract(u, pair->a.corner[1], pair->a.corner[0]);
    along(x, pair->a.corner[0], (double)whole(random, -1, 9) / 8, u);
    rise_from(random, pair, x);
}
static void vertex_on_vertex(test_random *random, nasty_pair *pair)
{
    whole_triangle(random, 100, &pair->a);
    double x[3];
    copy(x, pair->a.corner[0]);
    rise_from(random, pair, x);
}
// Two edges cross in x, and the triangles lie on different sides of the plane of the two edges, or
// one in it.
static void edges_touch(test_random *random, nasty_pair *pair)
{
    lattice plane;
    make_lattice(random, &plane);
    double n[3], up[3];
    cross(n, plane.u, plane.v);
    place(&plane, -(double)whole(random, 0, 5), 0, pair->a.corner[0]);
    place(&plane, (double)whole(random, 0, 5), 0, pair->a.corner[1]);
    place(&plane, 0, -(double)whole(random, 0, 5), pair->b.corner[0]);
    place(&plane, 0, (double)whole(random, 0, 5), pair->b.corner[1]);
    for (int side = 0; side < 2; ++side) {
        do {
            whole_direction(random, 30, up);
        } while (dot(up, n) < 0);
        along(coordinate(pair, 9 * side + 6), plane.origin, side == 0 ? 1.0 : -1.0, up);
    }
}
// An edge of b lies in the plane of a, the third corner above.
static void edge_on_face(test_random *random, nasty_pair *pair)
{
    lattice plane;
    make_lattice(random, &plane);
    double n[3], up[3];
    for (int i = 0; i < 5; ++i)
        place_between(random, &plane, -5, 5, -5, 5, coordinate(pair, 3 * i));
    cross(n, plane.u, plane.v);
    do {
        whole_direction(random, 100, up);
    } while (dot(up, n) <= 0);
    along(pair->b.corner[2], plane.origin, 1.0, up);
}
// Edges on one line, the triangles around it.
static void edges_on_one_line(test_random *random, nasty_pair *pair)
{
    double origin[3], u[3];
    whole_point(random, 1000, origin);
    whole_direction(random, 50, u);
    for (int i = 0; i < 6; ++i) {
        if (i % 3 == 2) {
            double w[3];
            whole_direction(random, 100, w);
            along(coordinate(pair, 3 * i), origin, 1.0, w);
        } else {
            along(coordinate(pair, 3 * i), origin, (double)whole(random, -6, 6), u);
        }
    }
}
// An edge of b passes through a point of a: inside, on an edge, or at a corner of it.
static void edge_through_point(test_random *random, nasty_pair *pair)
{
    coplanar_nested(random, pair);
    double x[3], w[3];
    copy(x, pair->b.corner[0]);
    whole_direction(random, 50, w);
    along(pair->b.corner[0], x, (double)whole(random, 0, 5), w);
    along(pair->b.corner[1], x, -(double)whole(random, 0, 5), w);
    whole_direction(random, 50, w);
    along(pair->b.corner[2], x, (double)whole(random, 1, 5), w);
}

// ---- slivers, and planes that are nearly one ----

// From p along u, as thin as `width` of its length.
static void make_sliver(test_random *random, const double *p, const double *u, double width,
                        graze_triangle *out)
{
    double w[3];
    uniform_point(random, width, w);
    copy(out->corner[0], p);
    along(out->corner[1], p, 1.0, u);
    along(out->corner[2], p, test_unit(random), u);
    along(out->corner[2], out->corner[2], 1.0, w);
}
static void slivers_cross(test_random *random, nasty_pair *pair)
{
    double x[3], u[3], v[3], p[3];
    uniform_point(random, 1.0, x);
    uniform_point(random, 1.0, u);
    uniform_point(random, 1.0, v);
    along(p, x, -test_unit(random), u);
    make_sliver(random, p, u, 1e-12, &pair->a);
    along(p, x, -test_unit(random), v);
    make_sliver(random, p, v, decimal(whole(random, 0, 15)), &pair->b);
}
static void slivers_along(test_random *random, nasty_pair *pair)
{
    double p[3], u[3], q[3];
    uniform_point(random, 1.0, p);
    uniform_point(random, 1.0, u);
    make_sliver(random, p, u, 1e-12, &pair->a);
    uniform_point(random, 1e-12, q);
    along(p, p, 1.0, q);
    uniform_point(random, 1e-12, q);
    along(u, u, 1.0, q);
    make_sliver(random, p, u, 1e-12, &pair->b);
}
static void nearly_parallel(test_random *random, nasty_pair *pair)
{
    uniform_triangle(random, 1.0, &pair->a);
    double size = decimal(whole(random, 8, 17));
    for (int i = 0; i < 3; ++i) {
        int64_t s = whole(random, 0, 16), t = whole(random, 0, 16);
        for (int axis = 0; axis < 3; ++axis)
            pair->b.corner[i][axis] =
                (pair->a.corner[0][axis] * (double)(16 - s - t) +
                 pair->a.corner[1][axis] * (double)s + pair->a.corner[2][axis] * (double)t) /
                    16.0 +
                uniform(random, -size, size);
    }
}
// A point of the triangle that only rounding keeps from lying on it: on its face or on an edge.
static void rounded_point_of(test_random *random, const graze_triangle *triangle, double *out)
{
    double s = test_unit(random), t = (1 - s) * test_unit(random);
    if (chance(random, 3))
        t = 0;
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = triangle->corner[0][axis] * (1 - s - t) + triangle->corner[1][axis] * s +
                    triangle->corner[2][axis] * t;
}
static void vertex_nearly_on(test_random *random, nasty_pair *pair)
{
    any_triangle(random, &pair->a);
    any_triangle(random, &pair->b);
    rounded_point_of(random, &pair->a, pair->b.corner[0]);
    if (chance(random, 2))
        rounded_point_of(random, &pair->a, pair->b.corner[1]);
}
static void edge_nearly_through(test_random *random, nasty_pair *pair)
{
    double x[3], w[3];
    any_triangle(random, &pair->a);
    any_triangle(random, &pair->b);
    rounded_point_of(random, &pair->a, x);
    uniform_point(random, 1.0, w);
    along(pair->b.corner[0], x, test_unit(random), w);
    along(pair->b.corner[1], x, -test_unit(random), w);
}
// A corner of b hovers over a, by any small part of its size, and the others are farther off.
static void small_gap(test_random *random, nasty_pair *pair)
{
    double u[3], v[3], n[3];
    any_triangle(random, &pair->a);
    rounded_point_of(random, &pair->a, pair->b.corner[0]);
    subtract(u, pair->a.corner[1], pair->a.corner[0]);
    subtract(v, pair->a.corner[2], pair->a.corner[0]);
    cross(n, u, v);
    double size = fmax(fmax(fabs(n[0]), fabs(n[1])), fabs(n[2]));
    double gap = ldexp(size > 0 ? 1 / size : 0, -(int)whole(random, 4, 50));
    along(pair->b.corner[0], pair->b.corner[0], gap, n);
    for (int i = 1; i < 3; ++i) {
        uniform_point(random, 1.0, u);
        along(pair->b.corner[i], pair->b.corner[0], dot(u, n) < 0 ? -1.0 : 1.0, u);
    }
    pair->tolerance = gap * sqrt(dot(n, n));
}
// The same with the shorter numbers of most meshes, which batches look at first.
static void nearly_touching_floats(test_random *random, nasty_pair *pair)
{
    switch (whole(random, 0, 2)) {
    case 0: vertex_nearly_on(random, pair); break;
    case 1: edge_nearly_through(random, pair); break;
    default: small_gap(random, pair); break;
    }
    round_to_float(pair);
}

// The same triangle, or another in its plane, moved off by one unit in the last place.
static void parallel_one_ulp(test_random *random, nasty_pair *pair)
{
    double z = uniform(random, 1.0, 2.0);
    random_pair(random, 1.0, 1.0, 0.2, pair);
    for (int i = 0; i < 6; ++i)
        coordinate(pair, 3 * i)[2] = i < 3 ? z : nextafter(z, 4.0);
    pair->tolerance = nextafter(z, 4.0) - z;
}

// ---- grids ----

static void grid(test_random *random, int64_t radius, nasty_pair *pair)
{
    for (int i = 0; i < 18; ++i)
        *coordinate(pair, i) = (double)whole(random, 0, radius);
    pair->tolerance = (double)whole(random, 0, 2 * radius) / 2;
}
static void grid_2(test_random *random, nasty_pair *pair) { grid(random, 2, pair); }
static void grid_4(test_random *random, nasty_pair *pair) { grid(random, 4, pair); }
static void grid_9(test_random *random, nasty_pair *pair) { grid(random, 9, pair); }
static void grid_signed_zero(test_random *random, nasty_pair *pair)
{
    for (int i = 0; i < 18; ++i) {
        *coordinate(pair, i) = (double)whole(random, -1, 1);
        if (*coordinate(pair, i) == 0 && chance(random, 2))
            *coordinate(pair, i) = -0.0;
    }
}

// ---- sizes ----

static void subnormal_grid(test_random *random, nasty_pair *pair)
{
    grid(random, whole(random, 1, 6), pair);
    scale_pair(pair, DBL_TRUE_MIN);
}
static void subnormal_any(test_random *random, nasty_pair *pair)
{
    random_pair(random, 1.0, 1.0, 0.2, pair);
    scale_pair(pair, power_of_two((int)whole(random, -1070, -1015)));
}
static void far_decimal(test_random *random, nasty_pair *pair)
{
    double far = 1.0 / decimal(whole(random, 3, 12)), center[3];
    random_pair(random, 1.0, 1.0, 0.1, pair);
    uniform_point(random, far, center);
    for (int i = 0; i < 6; ++i)
        along(coordinate(pair, 3 * i), coordinate(pair, 3 * i), 1.0, center);
}
static void far_whole(test_random *random, nasty_pair *pair)
{
    grid(random, whole(random, 2, 9), pair);
    for (int i = 0; i < 18; ++i)
        *coordinate(pair, i) += power_of_two(52) + (double)(i % 3);
}
// Where a and b differ in size so much that one hardly is anything to the other.
static void wide_triangles(test_random *random, nasty_pair *pair)
{
    random_pair(random, 1.0, 1.0, 0.1, pair);
    scale_triangle(&pair->a, power_of_two((int)whole(random, -1000, 1000)));
    scale_triangle(&pair->b, power_of_two((int)whole(random, -1000, 1000)));
    pair->tolerance = fabs(wild(random, -1000, 1000));
}
static void wide_coordinates(test_random *random, nasty_pair *pair)
{
    int span = chance(random, 4) ? 1000 : 100;
    for (int i = 0; i < 18; ++i)
        *coordinate(pair, i) = chance(random, 8) ? 0.0 : wild(random, -span, span);
    pair->tolerance = fabs(wild(random, -span, span));
}
static void wide_one_coordinate(test_random *random, nasty_pair *pair)
{
    edge_through_point(random, pair);
    double *x = coordinate(pair, (int)whole(random, 0, 17));
    *x = wild(random, 900, 1022);
    pair->tolerance = 1.0;
}
// The ends of what a double can hold.
static void wide_limits(test_random *random, nasty_pair *pair)
{
    static const double limits[] = {0.0,     -0.0,         DBL_MAX,       -DBL_MAX, DBL_MIN,
                                    DBL_MIN, DBL_TRUE_MIN, -DBL_TRUE_MIN, 1.0,      -1.0};
    for (int i = 0; i < 18; ++i)
        *coordinate(pair, i) = limits[whole(random, 0, 9)];
    pair->tolerance = fabs(limits[whole(random, 0, 9)]);
}
static void wide_planes(test_random *random, nasty_pair *pair) // a huge one, and a point upon it
{
    vertex_on_face(random, pair);
    double *p = pair->a.corner[1], *q = pair->a.corner[2], u[3];
    subtract(u, p, pair->a.corner[0]);
    along(p, pair->a.corner[0], power_of_two((int)whole(random, 0, 30)), u);
    subtract(u, q, pair->a.corner[0]);
    along(q, pair->a.corner[0], power_of_two((int)whole(random, 0, 30)), u);
}
// One is tiny beside the other, and at a corner of it.
static void tiny_at_corner(test_random *random, nasty_pair *pair)
{
    double shared[3];
    for (int side = 0; side < 2; ++side) {
        graze_triangle *triangle = side == 0 ? &pair->a : &pair->b;
        whole_triangle(random, 8, triangle);
        copy(shared, triangle->corner[0]);
        for (int i = 0; i < 3; ++i)
            subtract(triangle->corner[i], triangle->corner[i], shared);
    }
    if (chance(random, 2))
        whole_point(random, 2, pair->b.corner[0]);
    scale_triangle(&pair->b, power_of_two(-(int)whole(random, 5, 160)));
}
// Numbers of 2000 bits cost the oracle much, so they share one kind.
static void wide(test_random *random, nasty_pair *pair)
{
    switch (whole(random, 0, 3)) {
    case 0: wide_triangles(random, pair); break;
    case 1: wide_coordinates(random, pair); break;
    case 2: wide_one_coordinate(random, pair); break;
    default: wide_limits(random, pair); break;
    }
}

// ---- the table ----

enum {
    SHUFFLED = 1, // may be renumbered and mirrored
    SCALED = 2,   // may be scaled by a moderate power of two, or each axis by one of its own
    TOUCHING = 4, // contact, or a known distance, is exact: worth a nudge
};

typedef struct pair_kind {
    const char *name;
    nasty_maker *make;
    unsigned flags;
} pair_kind;

#define KIND(name, flags)                                                                          \
    {                                                                                              \
#name, name, flags                                                                         \
    }

// About half of these meet.
static const pair_kind random_kinds[] = {
    KIND(random_equal, SHUFFLED),
    KIND(random_large_small, SHUFFLED),
    KIND(random_through_center, SHUFFLED | SCALED),
    KIND(random_neighbours, SHUFFLED),
    KIND(random_floats, SHUFFLED),
    KIND(random_crossing, SHUFFLED),
    KIND(random_crossing, SHUFFLED | SCALED),
    KIND(random_crossing_floats, SHUFFLED),
};

static const pair_kind plain_kinds[] = {
    KIND(shared_vertex, SHUFFLED | TOUCHING),
    KIND(shared_edge, SHUFFLED | TOUCHING),
    KIND(shared_two_edges, SHUFFLED | SCALED | TOUCHING),
    KIND(identical, SHUFFLED | TOUCHING),
    KIND(identical_but_one_ulp, SHUFFLED | SCALED),
    KIND(coplanar_coarse, SHUFFLED | SCALED | TOUCHING),
    KIND(coplanar_fine, SHUFFLED | SCALED | TOUCHING),
    KIND(coplanar_axes, SHUFFLED | SCALED),
    KIND(coplanar_diagonal, SHUFFLED | SCALED),
    KIND(coplanar_nested, SHUFFLED | SCALED | TOUCHING),
    KIND(coplanar_edges_touch, SHUFFLED | SCALED | TOUCHING),
    KIND(coplanar_vertex_on_edge, SHUFFLED | SCALED | TOUCHING),
    KIND(coplanar_one_ulp, SHUFFLED),
    KIND(vertex_on_face, SHUFFLED | SCALED | TOUCHING),
    KIND(vertex_on_edge, SHUFFLED | SCALED | TOUCHING),
    KIND(vertex_on_vertex, SHUFFLED | SCALED | TOUCHING),
    KIND(edges_touch, SHUFFLED | SCALED | TOUCHING),
    KIND(edge_on_face, SHUFFLED | SCALED | TOUCHING),
    KIND(edges_on_one_line, SHUFFLED | SCALED | TOUCHING),
    KIND(edge_through_point, SHUFFLED | SCALED | TOUCHING),
    KIND(slivers_cross, SHUFFLED),
    KIND(slivers_along, SHUFFLED),
    KIND(nearly_parallel, SHUFFLED),
    KIND(vertex_nearly_on, SHUFFLED | SCALED),
    KIND(edge_nearly_through, SHUFFLED | SCALED),
    KIND(small_gap, SHUFFLED | SCALED),
    KIND(nearly_touching_floats, SHUFFLED | SCALED),
    KIND(parallel_one_ulp, SHUFFLED),
    KIND(segment_and_triangle, SHUFFLED | SCALED | TOUCHING),
    KIND(segments_cross, SHUFFLED | SCALED | TOUCHING),
    KIND(segments_on_one_line, SHUFFLED | SCALED | TOUCHING),
    KIND(point_and_triangle, SHUFFLED | SCALED | TOUCHING),
    KIND(point_and_segment, SHUFFLED | SCALED | TOUCHING),
    KIND(points, SHUFFLED),
    KIND(nearly_segment, SHUFFLED),
    KIND(grid_2, SHUFFLED | SCALED | TOUCHING),
    KIND(grid_4, SHUFFLED | SCALED | TOUCHING),
    KIND(grid_9, SHUFFLED | SCALED | TOUCHING),
    KIND(grid_signed_zero, SHUFFLED | SCALED),
    KIND(subnormal_grid, SHUFFLED),
    KIND(subnormal_any, SHUFFLED),
    KIND(far_decimal, 0),
    KIND(far_whole, SHUFFLED | SCALED | TOUCHING),
    KIND(wide_planes, SHUFFLED | SCALED | TOUCHING),
    KIND(tiny_at_corner, SHUFFLED | SCALED),
    KIND(known_distance_vertices, SHUFFLED | SCALED | TOUCHING),
    KIND(known_distance_faces, SHUFFLED | SCALED | TOUCHING),
    KIND(known_distance_edges, SHUFFLED | SCALED | TOUCHING),
    KIND(known_distance_degenerate, SHUFFLED | SCALED | TOUCHING),
};

enum {
    RANDOM_KINDS = sizeof random_kinds / sizeof random_kinds[0],
    PLAIN_KINDS = sizeof plain_kinds / sizeof plain_kinds[0]
};

// Each axis by a power of two of its own. What lay on a line, in a plane or on each other still
// does, but the numbers are too far apart for short integers. Distances change.
static void stretch_axes(test_random *random, nasty_pair *pair)
{
    for (int axis = 0; axis < 3; ++axis) {
        double factor = power_of_two((int)whole(random, -60, 60));
        for (int i = axis; i < 18; i += 3)
            *coordinate(pair, i) *= factor;
    }
}

static void make_kind(test_random *random, const pair_kind *chosen, nasty_pair *pair)
{
    pair->tolerance = uniform(random, 0.0, 1.0);
    chosen->make(random, pair);
    if (chosen->flags & SHUFFLED)
        shuffle(random, pair);
    if (!(chosen->flags & SCALED))
        return;
    if (chance(random, 3))
        scale_pair(pair, power_of_two((int)whole(random, -40, 40)));
    else
        stretch_axes(random, pair);
}

static void make_touching(test_random *random, nasty_pair *pair)
{
    const pair_kind *chosen = NULL;
    do {
        chosen = &plain_kinds[whole(random, 0, PLAIN_KINDS - 1)];
    } while (!(chosen->flags & TOUCHING));
    make_kind(random, chosen, pair);
}

static double nudged(double x, int up) { return nextafter(x, up ? DBL_MAX : -DBL_MAX); }

// ---- kinds made of other kinds ----

static void nudged_coordinate(test_random *random, nasty_pair *pair)
{
    make_touching(random, pair);
    double *x = coordinate(pair, (int)whole(random, 0, 17));
    *x = nudged(*x, chance(random, 2));
}
static void nudged_triangle(test_random *random, nasty_pair *pair)
{
    make_touching(random, pair);
    int axis = (int)whole(random, 0, 2), up = chance(random, 2);
    for (int i = 0; i < 3; ++i)
        pair->b.corner[i][axis] = nudged(pair->b.corner[i][axis], up);
}
static double largest_coordinate(nasty_pair *pair)
{
    double most = 0;
    for (int i = 0; i < 18; ++i)
        most = fmax(most, fabs(*coordinate(pair, i)));
    return most;
}
// By more than a unit in the last place: what float can just see or just not.
static void nudged_farther(test_random *random, nasty_pair *pair)
{
    make_touching(random, pair);
    double step = ldexp(largest_coordinate(pair), -(int)whole(random, 18, 40));
    double *x = coordinate(pair, (int)whole(random, 0, 17));
    *x += uniform(random, -step, step);
}
static void nudged_everywhere(test_random *random, nasty_pair *pair)
{
    make_touching(random, pair);
    for (int i = 0; i < 18; ++i)
        *coordinate(pair, i) = nudged(*coordinate(pair, i), chance(random, 2));
}
static void scaled_huge(test_random *random, nasty_pair *pair)
{
    make_kind(random, &plain_kinds[whole(random, 0, PLAIN_KINDS - 1)], pair);
    double most = largest_coordinate(pair);
    int room = most > 0 ? 1022 - ilogb(most) : 0;
    scale_pair(pair, power_of_two((int)whole(random, room / 2, room < 1000 ? room : 1000)));
}
static void scaled_tiny(test_random *random, nasty_pair *pair)
{
    make_kind(random, &plain_kinds[whole(random, 0, PLAIN_KINDS - 1)], pair);
    scale_pair(pair, power_of_two((int)whole(random, -1000, -300)));
}
// So that products of two, three, four or six coordinates are just about to overflow, to lose bits
// to underflow, or to vanish.
static void scaled_to_limits(test_random *random, nasty_pair *pair)
{
    static const int factors[] = {2, 3, 4, 6};
    make_touching(random, pair);
    double most = largest_coordinate(pair);
    int limit = chance(random, 3) ? 1024 : (int)whole(random, -1090, -960);
    int wanted = limit / factors[whole(random, 0, 3)];
    wanted += (int)whole(random, -4, 4);
    scale_pair(pair, power_of_two(wanted - (most > 0 ? ilogb(most) : 0)));
    if (chance(random, 2)) { // no longer touching, for signs that are hard to tell from zero
        double *x = coordinate(pair, (int)whole(random, 0, 17));
        int places = (int)whole(random, 4, 52);
        *x *= 1.0 + ldexp(uniform(random, -1.0, 1.0), -places);
    }
}
// Touching far from the origin: moved by whole numbers that leave no bit behind.
static void far_touching(test_random *random, nasty_pair *pair)
{
    const pair_kind *chosen = NULL;
    do {
        chosen = &plain_kinds[whole(random, 5, PLAIN_KINDS - 1)];
    } while (chosen->flags != (SHUFFLED | SCALED | TOUCHING));
    chosen->make(random, pair);
    shuffle(random, pair);
    double center[3];
    whole_point(random, INT64_C(1) << whole(random, 20, 50), center);
    for (int i = 0; i < 6; ++i)
        along(coordinate(pair, 3 * i), coordinate(pair, 3 * i), 1.0, center);
}

static const pair_kind made_kinds[] = {
    KIND(nudged_coordinate, 0),
    KIND(nudged_triangle, 0),
    KIND(nudged_everywhere, 0),
    KIND(nudged_farther, 0),
    KIND(nudged_farther, 0),
    KIND(scaled_huge, 0),
    KIND(scaled_tiny, 0),
    KIND(scaled_to_limits, 0),
    KIND(scaled_to_limits, 0),
    KIND(far_touching, 0),
    KIND(wide, 0),
};

enum { MADE_KINDS = sizeof made_kinds / sizeof made_kinds[0] };

static const pair_kind *kind_of(int number)
{
    if (number < RANDOM_KINDS)
        return &random_kinds[number];
    number -= RANDOM_KINDS;
    return number < PLAIN_KINDS ? &plain_kinds[number] : &made_kinds[number - PLAIN_KINDS];
}

int nasty_random_count(void) { return RANDOM_KINDS; }

int nasty_kind_count(void) { return RANDOM_KINDS + PLAIN_KINDS + MADE_KINDS; }

const char *nasty_kind_name(int kind) { return kind_of(kind)->name; }

void nasty_make(uint64_t seed, int kind, uint64_t index, nasty_pair *out)
{
    test_random random = {seed};
    random.state = test_next(&random) ^ (uint64_t)kind;
    random.state = test_next(&random) ^ index;
    make_kind(&random, kind_of(kind), out);
    for (int i = 0; i < 18; ++i) // sizes may have been driven too far
        if (!isfinite(*coordinate(out, i)))
            *coordinate(out, i) = copysign(DBL_MAX, *coordinate(out, i));
    if (!isfinite(out->tolerance))
        out->tolerance = DBL_MAX;
}
