// What two triangles have in common: the extreme points that features.c finds by signs, made into
// coordinates in exact arithmetic and rounded once.
#include <string.h>

#include "geometry/exact.h"
#include "geometry/features.h"
#include "geometry/fpu.h"
#include "geometry/predicates.h"
#include "geometry/triangle.h"

// The longest numbers are the orientations of three constructed points: degree 8, 270 limbs.
#define SPACE_LIMBS 16384

typedef struct exact_pair {
    const gz_simplex *a, *b;
    gz_big3 vertex_a[3], vertex_b[3];
    int exponent;
} exact_pair;

static exact_pair make_pair(gz_space *space, const gz_simplex *a, const gz_simplex *b)
{
    exact_pair pair = {.a = a, .b = b, .exponent = GZ_NO_EXPONENT};
    for (int i = 0; i < a->vertex_count; ++i)
        pair.exponent = gz_common_exponent(a->vertex[i], 3, pair.exponent);
    for (int j = 0; j < b->vertex_count; ++j)
        pair.exponent = gz_common_exponent(b->vertex[j], 3, pair.exponent);
    for (int i = 0; i < a->vertex_count; ++i)
        pair.vertex_a[i] = gz_big3_of_doubles(space, a->vertex[i], pair.exponent);
    for (int j = 0; j < b->vertex_count; ++j)
        pair.vertex_b[j] = gz_big3_of_doubles(space, b->vertex[j], pair.exponent);
    return pair;
}

static gz_big height(gz_space *space, const gz_big3 plane[3], gz_big3 point)
{
    gz_big3 u = gz_big3_sub(space, plane[1], plane[0]), v = gz_big3_sub(space, plane[2], plane[0]);
    return gz_big3_dot(space, gz_big3_cross(space, u, v), gz_big3_sub(space, point, plane[0]));
}

static gz_big component(gz_big3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// The orientation of a, b, c after dropping a coordinate.
static gz_big area(gz_space *space, int axis, gz_big3 a, gz_big3 b, gz_big3 c)
{
    gz_big3 u = gz_big3_sub(space, b, a), v = gz_big3_sub(space, c, a);
    return component(gz_big3_cross(space, u, v), axis);
}

static gz_big_point through_face(gz_space *space, gz_big3 p, gz_big3 q, const gz_big3 face[3])
{
    return gz_big_point_between(space, p, height(space, face, p), q, height(space, face, q));
}

static gz_big_point constructed_point(gz_space *space, const exact_pair *pair, gz_corner corner)
{
    gz_big3 a0 = pair->vertex_a[corner.a],
            a1 = pair->vertex_a[(corner.a + 1) % pair->a->vertex_count];
    gz_big3 b0 = pair->vertex_b[corner.b],
            b1 = pair->vertex_b[(corner.b + 1) % pair->b->vertex_count];
    if (corner.kind == GZ_BRANCH_EDGE_OF_A_IN_FACE)
        return through_face(space, a0, a1, pair->vertex_b);
    if (corner.kind == GZ_BRANCH_EDGE_OF_B_IN_FACE)
        return through_face(space, b0, b1, pair->vertex_a);
    return gz_big_point_between(space, a0, area(space, corner.axis, b0, b1, a0), a1,
                                area(space, corner.axis, b0, b1, a1));
}

// Homogeneous: a vertex is its integer coordinates over 1.
static gz_big_point corner_point(gz_space *space, const exact_pair *pair, gz_corner corner)
{
    static const uint64_t one[1] = {1};
    if (corner.kind == GZ_BRANCH_VERTEX_OF_A)
        return (gz_big_point){pair->vertex_a[corner.a], {one, 1, 1}};
    if (corner.kind == GZ_BRANCH_VERTEX_OF_B)
        return (gz_big_point){pair->vertex_b[corner.b], {one, 1, 1}};
    return constructed_point(space, pair, corner);
}

// The turn of three homogeneous points after dropping a coordinate.
static int turn_of(gz_space space, int axis, const gz_big_point *p, const gz_big_point *q,
                   const gz_big_point *r)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    gz_big3 row[3];
    const gz_big_point *points[3] = {p, q, r};
    for (int i = 0; i < 3; ++i)
        row[i] = (gz_big3){component(points[i]->numerator, x), component(points[i]->numerator, y),
                           points[i]->denominator};
    return gz_big3_dot(&space, row[0], gz_big3_cross(&space, row[1], row[2])).sign;
}

// Around a convex polygon, seen from one of its corners, the others come in order of angle.
static void sort_around(gz_space space, const gz_simplex *a, gz_big_point *points, int count)
{
    for (int i = 2; i < count; ++i)
        for (int j = i; j > 1; --j) {
            if (turn_of(space, a->axis, &points[0], &points[j - 1], &points[j]) == a->turn)
                break;
            gz_big_point swap = points[j];
            points[j] = points[j - 1];
            points[j - 1] = swap;
        }
}

static uint32_t share_plane(const gz_simplex *a, const gz_simplex *b)
{
    if (a->dimension != 2 || b->dimension != 2)
        return 0;
    for (int j = 0; j < 3; ++j)
        if (gz_orient3d(a->vertex[0], a->vertex[1], a->vertex[2], b->vertex[j]) != 0)
            return 0;
    return 1;
}

void gz_triangle_intersect(const graze_triangle *a, const graze_triangle *b,
                           graze_intersection *out)
{
    memset(out, 0, sizeof *out);
    gz_simplex piece_a = gz_simplex_of(a), piece_b = gz_simplex_of(b);
    out->coplanar = share_plane(&piece_a, &piece_b);
    gz_corner corners[GZ_CORNERS_MOST];
    int count = gz_common_corners(&piece_a, &piece_b, GZ_CORNERS_MOST, corners);
    out->point_count = (uint32_t)count;
    if (count == 0)
        return;

    GZ_SPACE_ON_STACK(space, SPACE_LIMBS);
    exact_pair pair = make_pair(&space, &piece_a, &piece_b);
    gz_big_point points[GZ_CORNERS_MOST];
    for (int i = 0; i < count; ++i)
        points[i] = corner_point(&space, &pair, corners[i]);
    sort_around(space, &piece_a, points, count);
    for (int i = 0; i < count; ++i)
        gz_big_point_round(space, &points[i], pair.exponent, out->point[i]);
}

void graze_triangle_intersect(const graze_triangle *a, const graze_triangle *b,
                              graze_intersection *out)
{
    gz_fpu_state state = gz_fpu_enter();
    gz_triangle_intersect(a, b, out);
    gz_fpu_leave(state);
}
