// Where a segment meets a triangle. The extreme points of what they share come from features.c;
// where they are on the way is a fraction of exact integers. See segment.h.
#include "geometry/segment.h"

#include "geometry/exact.h"
#include "geometry/features.h"
#include "geometry/predicates.h"

// Two fractions of degree 3, and what it takes to compute and to compare them.
#define SPACE_LIMBS 16384

static gz_simplex segment_piece(const double start[3], const double end[3])
{
    bool point = start[0] == end[0] && start[1] == end[1] && start[2] == end[2];
    return (gz_simplex){.dimension = point ? 0 : 1,
                        .vertex_count = point ? 1 : 2,
                        .edge_count = point ? 0 : 1,
                        .vertex = {start, end}};
}

gz_segment_meeting gz_segment_meet(const double start[3], const double end[3],
                                   const graze_triangle *triangle)
{
    const double(*c)[3] = triangle->corner;
    int side = gz_orient3d(c[0], c[1], c[2], start);
    if (side != 0 && gz_orient3d(c[0], c[1], c[2], end) == side)
        return GZ_SEGMENT_MISSES;
    gz_simplex segment = segment_piece(start, end), piece = gz_simplex_of(triangle);
    gz_corner corner[GZ_CORNERS_MOST];
    if (gz_common_corners(&segment, &piece, 1, corner) == 0)
        return GZ_SEGMENT_MISSES;
    return corner[0].kind == GZ_BRANCH_EDGE_OF_A_IN_FACE ? GZ_SEGMENT_PIERCES : GZ_SEGMENT_TOUCHES;
}

// numerator / denominator, which is positive.
typedef struct fraction {
    gz_big numerator, denominator;
} fraction;

typedef struct exact_way {
    const double *start, *end;
    gz_big3 from, to;
    int exponent;
} exact_way;

static const uint64_t one_limb[1] = {1};
static const gz_big one = {one_limb, 1, 1};

static gz_big component(gz_big3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// Where a value that is `at_start` and `at_end` is zero: one of them is not, or of the other sign.
static fraction zero_between(gz_space *space, gz_big at_start, gz_big at_end)
{
    gz_big between = gz_big_sub(space, at_start, at_end);
    return between.sign > 0 ? (fraction){at_start, between}
                            : (fraction){gz_big_negate(at_start), gz_big_negate(between)};
}

// Six times the volume that the plane through three points spans with p.
static gz_big height(gz_space *space, const gz_big3 plane[3], gz_big3 p)
{
    gz_big3 u = gz_big3_sub(space, plane[1], plane[0]), v = gz_big3_sub(space, plane[2], plane[0]);
    return gz_big3_dot(space, gz_big3_cross(space, u, v), gz_big3_sub(space, p, plane[0]));
}

// Which side of the line through b and c p is on, after dropping a coordinate.
static gz_big side_of(gz_space *space, int axis, gz_big3 b, gz_big3 c, gz_big3 p)
{
    gz_big3 u = gz_big3_sub(space, c, b), v = gz_big3_sub(space, p, b);
    return component(gz_big3_cross(space, u, v), axis);
}

static fraction place_of(gz_space *space, const exact_way *way, const gz_simplex *piece,
                         gz_corner corner)
{
    gz_big3 vertex[3] = {0};
    for (int i = 0; i < piece->vertex_count; ++i)
        vertex[i] = gz_big3_of_doubles(space, piece->vertex[i], way->exponent);
    if (corner.kind == GZ_BRANCH_VERTEX_OF_A)
        return (fraction){corner.a == 0 ? (gz_big){0} : one, one};
    if (corner.kind == GZ_BRANCH_EDGE_OF_A_IN_FACE)
        return zero_between(space, height(space, vertex, way->from),
                            height(space, vertex, way->to));
    if (corner.kind == GZ_BRANCH_EDGES_CROSS) {
        gz_big3 b = vertex[corner.b], c = vertex[(corner.b + 1) % piece->vertex_count];
        return zero_between(space, side_of(space, corner.axis, b, c, way->from),
                            side_of(space, corner.axis, b, c, way->to));
    }
    int axis = way->start[0] != way->end[0] ? 0 : way->start[1] != way->end[1] ? 1 : 2;
    gz_big at = component(vertex[corner.b], axis); // a vertex on the way
    return zero_between(space, gz_big_sub(space, component(way->from, axis), at),
                        gz_big_sub(space, component(way->to, axis), at));
}

static int compare_fractions(gz_space space, fraction p, fraction q)
{
    return gz_big_compare(gz_big_mul(&space, p.numerator, q.denominator),
                          gz_big_mul(&space, q.numerator, p.denominator));
}

static exact_way make_way(gz_space *space, const double start[3], const double end[3], int exponent)
{
    return (exact_way){start, end, gz_big3_of_doubles(space, start, exponent),
                       gz_big3_of_doubles(space, end, exponent), exponent};
}

static int exponent_of(const double start[3], const double end[3], const graze_triangle *triangle,
                       int so_far)
{
    so_far = gz_common_exponent(start, 3, gz_common_exponent(end, 3, so_far));
    return gz_common_exponent(&triangle->corner[0][0], 9, so_far);
}

static fraction first_place(gz_space *space, const exact_way *way, const graze_triangle *triangle)
{
    gz_simplex segment = segment_piece(way->start, way->end), piece = gz_simplex_of(triangle);
    gz_corner corner[GZ_CORNERS_MOST];
    int count = gz_common_corners(&segment, &piece, GZ_CORNERS_MOST, corner);
    fraction first = place_of(space, way, &piece, corner[0]);
    for (int i = 1; i < count; ++i) {
        fraction next = place_of(space, way, &piece, corner[i]);
        if (compare_fractions(*space, next, first) < 0)
            first = next;
    }
    return first;
}

void gz_segment_first(const double start[3], const double end[3], const graze_triangle *triangle,
                      double *t, double point[3])
{
    GZ_SPACE_ON_STACK(space, SPACE_LIMBS);
    exact_way way = make_way(&space, start, end, exponent_of(start, end, triangle, GZ_NO_EXPONENT));
    fraction first = first_place(&space, &way, triangle);
    gz_big3 back = gz_big3_scale(&space, gz_big3_sub(&space, way.from, way.to), first.numerator);
    gz_big_point at = {
        gz_big3_sub(&space, gz_big3_scale(&space, way.from, first.denominator), back),
        first.denominator};
    *t = gz_big_ratio(space, first.numerator, first.denominator, 0);
    gz_big_point_round(space, &at, way.exponent, point);
}

int gz_segment_compare(const double start[3], const double end[3], const graze_triangle *a,
                       const graze_triangle *b)
{
    GZ_SPACE_ON_STACK(space, SPACE_LIMBS);
    int exponent = exponent_of(start, end, b, exponent_of(start, end, a, GZ_NO_EXPONENT));
    exact_way way = make_way(&space, start, end, exponent);
    fraction of_a = first_place(&space, &way, a), of_b = first_place(&space, &way, b);
    return compare_fractions(space, of_a, of_b);
}
