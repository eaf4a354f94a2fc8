// The triangles of a loft, by number. See loft.h.
#include "loft.h"

#include <stdbool.h>
#include <stddef.h>

uint64_t loft_vertex_count(const shape_loft *loft)
{
    return loft->rings * loft->points + (loft->end == LOFT_POLES ? 2 : 0);
}

uint64_t loft_triangle_count(const shape_loft *loft)
{
    uint64_t band = 2 * loft->points;
    if (loft->end == LOFT_FLAT)
        return band * (loft->rings - 1) + 2 * (loft->points - 2);
    return band * loft->rings;
}

// Triangle `index` of the skin between two rings, whose first vertices are given.
static void skin(const shape_loft *loft, uint64_t index, uint64_t from, uint64_t to,
                 uint64_t corners[3])
{
    uint64_t point = index / 2, next = point + 1 == loft->points ? 0 : point + 1;
    corners[0] = from + point;
    corners[1] = index % 2 == 0 ? from + next : to + next;
    corners[2] = index % 2 == 0 ? to + next : to + point;
}

// Triangle `index` of a filled ring, seen from the front if `forward`, else from behind.
static void fill(const shape_loft *loft, uint64_t index, uint64_t ring, bool forward,
                 uint64_t corners[3])
{
    uint64_t corner[3] = {0, index + 1, index + 2};
    for (int i = 0; i < 3 && loft->cap != NULL; ++i)
        corner[i] = loft->cap[index][i];
    corners[0] = ring + corner[0];
    corners[1] = ring + corner[forward ? 1 : 2];
    corners[2] = ring + corner[forward ? 2 : 1];
}

static void around_pole(const shape_loft *loft, uint64_t point, uint64_t pole, uint64_t ring,
                        bool forward, uint64_t corners[3])
{
    uint64_t next = point + 1 == loft->points ? 0 : point + 1;
    corners[0] = pole;
    corners[1] = ring + (forward ? point : next);
    corners[2] = ring + (forward ? next : point);
}

// Poles: the vertex 0 is the first one, so that every ring starts one later.
static void triangle_with_poles(const shape_loft *loft, uint64_t index, uint64_t corners[3])
{
    uint64_t band = 2 * loft->points, last = (loft->rings - 1) * loft->points + 1;
    if (index < loft->points) {
        around_pole(loft, index, 0, 1, false, corners);
        return;
    }
    index -= loft->points;
    if (index < band * (loft->rings - 1)) {
        uint64_t from = 1 + index / band * loft->points;
        skin(loft, index % band, from, from + loft->points, corners);
        return;
    }
    around_pole(loft, index - band * (loft->rings - 1), last + loft->points, last, true, corners);
}

void loft_triangle(const shape_loft *loft, uint64_t index, uint64_t corners[3])
{
    uint64_t band = 2 * loft->points, ring = index / band, last = loft->rings - 1;
    if (loft->end == LOFT_POLES) {
        triangle_with_poles(loft, index, corners);
    } else if (ring < last || loft->end == LOFT_WRAPPED) {
        uint64_t next = ring == last ? 0 : ring + 1;
        skin(loft, index % band, ring * loft->points, next * loft->points, corners);
    } else {
        uint64_t rest = index - band * last;
        bool forward = rest >= loft->points - 2;
        fill(loft, forward ? rest - (loft->points - 2) : rest, forward ? last * loft->points : 0,
             forward, corners);
    }
}
