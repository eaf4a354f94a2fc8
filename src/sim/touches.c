// Points at which bodies push each other. See touches.h.
//
// Two triangles that are parallel have many closest points, and one of them holds no box. So of few
// triangles all is taken that holds: each corner over the other's surface, and crossing edges. Of
// many, which are small then, one point of each pair will do, and of these the nearest in each cell
// of a grid.
//
// A corner that is beside a triangle, close above its neighbour, has a closest point on the edge
// between the two, askew. Sliding bodies would catch on such edges of flat floors. That point is no
// nearest one of the whole surface: along the neighbour it gets nearer. What gets nearer along
// another triangle of the list is dropped.
#include "sim/touches.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/vector.h"
#include "sim/close_points.h"

#define FEW_PAIRS 48u  // of triangles: all their corners and edges are looked at
#define SAME      1e-7 // points are one if they differ by this part of the reach
#define NEARER    1e-6 // and gaps, likewise
#define CELLS     3    // of the grid along an axis, finest first
#define FACES     6    // directions of normals

static bool add_touch(gz_asker *asker, const double p[3], const double q[3], double reach)
{
    double apart = gz_point_distance(p, q), gap = apart - asker->offset;
    if (!(gap <= reach) || !(apart > 0))
        return true;
    gz_touch *touch = gz_list_push(asker->sim->context, &asker->found, 1);
    if (touch == NULL)
        return false;
    for (int i = 0; i < 3; ++i) {
        touch->point[0][i] = p[i];
        touch->point[1][i] = q[i];
        touch->normal[i] = (q[i] - p[i]) / apart;
    }
    touch->gap = gap;
    return true;
}

static bool same_triangle(const graze_triangle *t, const graze_triangle *u)
{
    bool same = true;
    for (int i = 0; i < 9; ++i)
        same = same && t->corner[i / 3][i % 3] == u->corner[i / 3][i % 3];
    return same;
}

// True if the point of `side` lies in a triangle along which the other point is nearer.
static bool is_askew(const gz_asker *asker, const gz_touch *touch, int side, double reach)
{
    const graze_triangle *triangles = asker->triangles.items;
    uint64_t count = asker->triangles.count / 2;
    for (uint64_t i = 0; i < count; ++i) {
        const graze_triangle *t = &triangles[2 * i + (uint64_t)side];
        double at[3];
        bool seen = false;
        for (uint64_t k = 0; k < i && !seen; ++k)
            seen = same_triangle(t, &triangles[2 * k + (uint64_t)side]);
        if (seen)
            continue;
        gz_nearest_in_triangle(t, touch->point[side], at);
        if (gz_point_distance(at, touch->point[side]) > SAME * reach)
            continue;
        gz_nearest_in_triangle(t, touch->point[1 - side], at);
        if (gz_point_distance(at, touch->point[1 - side]) <
            gz_point_distance(touch->point[0], touch->point[1]) - NEARER * reach)
            return true;
    }
    return false;
}

static bool is_known(const gz_asker *asker, uint64_t first, const gz_touch *touch, double reach)
{
    for (uint64_t i = first; i < asker->found.count; ++i) {
        const gz_touch *known = &asker->found.items[i];
        if (gz_point_distance(known->point[0], touch->point[0]) <= SAME * reach &&
            gz_point_distance(known->point[1], touch->point[1]) <= SAME * reach)
            return true;
    }
    return false;
}

// Drops what is there twice, or askew, of the touches from `first` on. Those of corners are held
// against the other surface only: that a corner's neighbour is nearer does not make it hold less.
static void sift(gz_asker *asker, uint64_t first, int sides, double reach)
{
    uint64_t kept = first, count = asker->found.count;
    for (uint64_t i = first; i < count; ++i) {
        gz_touch touch = asker->found.items[i];
        asker->found.count = kept;
        if (is_known(asker, 0, &touch, reach) ||
            ((sides & 1) != 0 && is_askew(asker, &touch, 0, reach)) ||
            ((sides & 2) != 0 && is_askew(asker, &touch, 1, reach)))
            continue;
        asker->found.items[kept++] = touch;
    }
    asker->found.count = kept;
}

static bool add_features(gz_asker *asker, double reach)
{
    const graze_triangle *t = asker->triangles.items;
    uint64_t count = asker->triangles.count / 2;
    bool made = true;
    double p[3], q[3];
    for (uint64_t i = 0; i < count && made; ++i)
        for (int k = 0; k < 3 && made; ++k) {
            gz_nearest_in_triangle(&t[2 * i + 1], t[2 * i].corner[k], q);
            made = add_touch(asker, t[2 * i].corner[k], q, reach);
        }
    sift(asker, 0, 2, reach);
    uint64_t first = asker->found.count;
    for (uint64_t i = 0; i < count && made; ++i)
        for (int k = 0; k < 3 && made; ++k) {
            gz_nearest_in_triangle(&t[2 * i], t[2 * i + 1].corner[k], p);
            made = add_touch(asker, p, t[2 * i + 1].corner[k], reach);
        }
    sift(asker, first, 1, reach);
    first = asker->found.count;
    for (uint64_t i = 0; i < count && made; ++i)
        for (int k = 0; k < 9 && made; ++k) {
            const graze_triangle *a = &t[2 * i], *b = &t[2 * i + 1];
            int u = k / 3, v = k % 3;
            if (gz_segments_cross(a->corner[u], a->corner[(u + 1) % 3], b->corner[v],
                                  b->corner[(v + 1) % 3], p, q))
                made = add_touch(asker, p, q, reach);
        }
    sift(asker, first, 3, reach);
    return made;
}

static bool add_nearest(gz_asker *asker, double reach)
{
    const graze_triangle *t = asker->triangles.items;
    double p[3], q[3];
    for (uint64_t i = 0; 2 * i < asker->triangles.count; ++i) {
        gz_triangles_nearest(&t[2 * i], &t[2 * i + 1], p, q);
        if (!add_touch(asker, p, q, reach))
            return false;
    }
    return true;
}

// --- Few of many

static int face_of(const double normal[3])
{
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        axis = fabs(normal[i]) > fabs(normal[axis]) ? i : axis;
    return 2 * axis + (normal[axis] < 0);
}

static uint32_t cell_of(const gz_touch *touch, const double low[3], const double size[3], int cells)
{
    uint32_t cell = (uint32_t)face_of(touch->normal);
    for (int i = 0; i < 3; ++i) {
        double part = size[i] > 0 ? (touch->point[0][i] - low[i]) / size[i] * cells : 0;
        int at = part < 0 ? 0 : part >= cells ? cells - 1 : (int)part;
        cell = cell * (uint32_t)cells + (uint32_t)at;
    }
    return cell;
}

// Keeps the nearest touch of each cell, the first of equal ones, in the order of the list.
static void keep_nearest(gz_asker *asker, int cells)
{
    uint32_t best[FACES * CELLS * CELLS * CELLS];
    double low[3], high[3], size[3];
    gz_touch *found = asker->found.items;
    uint64_t count = asker->found.count, kept = 0;
    for (int i = 0; i < 3; ++i) {
        low[i] = HUGE_VAL;
        high[i] = -HUGE_VAL;
        for (uint64_t k = 0; k < count; ++k) {
            low[i] = fmin(low[i], found[k].point[0][i]);
            high[i] = fmax(high[i], found[k].point[0][i]);
        }
        size[i] = high[i] - low[i];
    }
    memset(best, 0xff, sizeof best);
    for (uint64_t k = 0; k < count; ++k) {
        uint32_t *cell = &best[cell_of(&found[k], low, size, cells)];
        if (*cell == UINT32_MAX || found[k].gap < found[*cell].gap)
            *cell = (uint32_t)k;
    }
    for (uint64_t k = 0; k < count; ++k) {
        gz_touch touch = found[k];
        if (best[cell_of(&touch, low, size, cells)] == k)
            found[kept++] = touch;
    }
    asker->found.count = kept;
}

graze_status gz_touches_thin(gz_asker *asker)
{
    for (int cells = CELLS; cells > 0 && asker->found.count > GZ_TOUCHES_MOST; --cells)
        keep_nearest(asker, cells);
    bool kept = gz_list_append(asker->sim->context, &asker->touches, asker->found.items,
                               asker->found.count);
    asker->found.count = 0;
    return kept ? GRAZE_OK : GRAZE_ERROR_MEMORY;
}

graze_status gz_touches_make(gz_asker *asker, double reach)
{
    asker->found.count = 0;
    bool few = asker->triangles.count / 2 <= FEW_PAIRS;
    bool made = few ? add_features(asker, reach) : add_nearest(asker, reach);
    return made ? gz_touches_thin(asker) : GRAZE_ERROR_MEMORY;
}
