// Finds the extreme points of the common part of two pieces. See features.h.
#include "geometry/features.h"

#include <stdbool.h>

#include "base/context.h"
#include "geometry/fpu.h"
#include "geometry/predicates.h"

static bool equal(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static bool lexically_less(const double p[3], const double q[3])
{
    for (int axis = 0; axis < 3; ++axis)
        if (p[axis] != q[axis])
            return p[axis] < q[axis];
    return false;
}

// On a line, the far corners are the first and the last in the order of coordinates.
static gz_simplex flat_piece(const graze_triangle *t)
{
    const double *first = t->corner[0], *last = t->corner[0];
    for (int i = 1; i < 3; ++i) {
        if (lexically_less(t->corner[i], first))
            first = t->corner[i];
        if (lexically_less(last, t->corner[i]))
            last = t->corner[i];
    }
    if (equal(first, last))
        return (gz_simplex){.vertex_count = 1, .vertex = {first}};
    return (gz_simplex){
        .dimension = 1, .vertex_count = 2, .edge_count = 1, .vertex = {first, last}};
}

gz_simplex gz_simplex_of(const graze_triangle *t)
{
    for (int axis = 0; axis < 3; ++axis) {
        int turn = gz_orient2d_along(axis, t->corner[0], t->corner[1], t->corner[2]);
        if (turn != 0)
            return (gz_simplex){.dimension = 2,
                                .vertex_count = 3,
                                .edge_count = 3,
                                .vertex = {t->corner[0], t->corner[1], t->corner[2]},
                                .axis = axis,
                                .turn = turn};
    }
    return flat_piece(t);
}

int graze_triangle_dimension(const graze_triangle *a)
{
    gz_fpu_state state = gz_fpu_enter();
    int dimension = gz_simplex_of(a).dimension;
    gz_fpu_leave(state);
    return dimension;
}

static const double *next_vertex(const gz_simplex *piece, int i)
{
    return piece->vertex[i + 1 < piece->vertex_count ? i + 1 : 0];
}

// A point of the line through a segment is on the segment if it is in the segment's box.
static bool between(const double p[3], const double from[3], const double to[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        double low = from[axis] < to[axis] ? from[axis] : to[axis];
        double high = from[axis] < to[axis] ? to[axis] : from[axis];
        if (p[axis] < low || p[axis] > high)
            return false;
    }
    return true;
}

static bool holds(const gz_simplex *piece, const double p[3])
{
    const double *const *v = piece->vertex;
    if (piece->dimension == 0)
        return equal(v[0], p);
    if (piece->dimension == 1)
        return between(p, v[0], v[1]) && gz_collinear(v[0], v[1], p);
    if (gz_orient3d(v[0], v[1], v[2], p) != 0)
        return false;
    for (int i = 0; i < 3; ++i)
        if (gz_orient2d_along(piece->axis, v[i], next_vertex(piece, i), p) == -piece->turn)
            return false;
    return true;
}

// Does the inside of segment pq go through the inside of the triangle, from one side to the other?
static bool pierces(const double p[3], const double q[3], const gz_simplex *face)
{
    const double *const *v = face->vertex;
    int from = gz_orient3d(v[0], v[1], v[2], p);
    if (from == 0 || gz_orient3d(v[0], v[1], v[2], q) != -from)
        return false;
    int side = gz_orient3d(p, q, v[0], v[1]);
    return side != 0 && gz_orient3d(p, q, v[1], v[2]) == side &&
           gz_orient3d(p, q, v[2], v[0]) == side;
}

// Do the insides of segments pq and cd meet in one point? All four signs vanish in a projection
// that looks along the common plane, and in every one if the segments are on one line.
static bool cross(const double p[3], const double q[3], const double c[3], const double d[3],
                  int *axis)
{
    if (gz_orient3d(p, q, c, d) != 0)
        return false;
    for (*axis = 0; *axis < 3; ++*axis) {
        int pqc = gz_orient2d_along(*axis, p, q, c), pqd = gz_orient2d_along(*axis, p, q, d);
        int cdp = gz_orient2d_along(*axis, c, d, p), cdq = gz_orient2d_along(*axis, c, d, q);
        if (pqc != 0 || pqd != 0 || cdp != 0 || cdq != 0)
            return pqc * pqd < 0 && cdp * cdq < 0;
    }
    return false;
}

typedef struct corner_list {
    gz_corner *corners;
    int count, limit;
} corner_list;

// True when the list is full.
static bool add(corner_list *list, gz_branch kind, int a, int b, int axis)
{
    gz_took(kind);
    GZ_ASSERT(list->count < GZ_CORNERS_MOST);
    list->corners[list->count++] = (gz_corner){kind, a, b, axis};
    return list->count == list->limit;
}

static bool is_vertex_of(const gz_simplex *piece, const double p[3])
{
    for (int i = 0; i < piece->vertex_count; ++i)
        if (equal(piece->vertex[i], p))
            return true;
    return false;
}

static bool add_vertices(const gz_simplex *a, const gz_simplex *b, corner_list *list)
{
    for (int i = 0; i < a->vertex_count; ++i)
        if (holds(b, a->vertex[i]) && add(list, GZ_BRANCH_VERTEX_OF_A, i, 0, 0))
            return true;
    for (int j = 0; j < b->vertex_count; ++j) // one that is a vertex of A as well is there already
        if (!is_vertex_of(a, b->vertex[j]) && holds(a, b->vertex[j]) &&
            add(list, GZ_BRANCH_VERTEX_OF_B, 0, j, 0))
            return true;
    return false;
}

static bool add_piercings(const gz_simplex *a, const gz_simplex *b, corner_list *list)
{
    for (int i = 0; b->dimension == 2 && i < a->edge_count; ++i)
        if (pierces(a->vertex[i], next_vertex(a, i), b) &&
            add(list, GZ_BRANCH_EDGE_OF_A_IN_FACE, i, 0, 0))
            return true;
    for (int j = 0; a->dimension == 2 && j < b->edge_count; ++j)
        if (pierces(b->vertex[j], next_vertex(b, j), a) &&
            add(list, GZ_BRANCH_EDGE_OF_B_IN_FACE, 0, j, 0))
            return true;
    return false;
}

static bool add_crossings(const gz_simplex *a, const gz_simplex *b, corner_list *list)
{
    for (int i = 0; i < a->edge_count; ++i)
        for (int j = 0; j < b->edge_count; ++j) {
            int axis = 0;
            if (cross(a->vertex[i], next_vertex(a, i), b->vertex[j], next_vertex(b, j), &axis) &&
                add(list, GZ_BRANCH_EDGES_CROSS, i, j, axis))
                return true;
        }
    return false;
}

int gz_common_corners(const gz_simplex *a, const gz_simplex *b, int limit,
                      gz_corner corners[GZ_CORNERS_MOST])
{
    corner_list list = {corners, 0, limit};
    if (!add_vertices(a, b, &list) && !add_piercings(a, b, &list))
        add_crossings(a, b, &list);
    return list.count;
}
