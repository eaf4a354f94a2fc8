// Which objects of a frame may meet: boxes along the axes, sorted along x, and swept. What engines
// use that collide two meshes at a time.
#ifndef GRAZE_BENCH_NEAR_BOXES_H
#define GRAZE_BENCH_NEAR_BOXES_H

#include <float.h>
#include <stdlib.h>

#include "collider.h"

typedef struct near_box {
    float low[3], high[3];
    uint32_t number; // of the object
} near_box;

static inline near_box near_box_of(const collider_mesh *mesh, uint32_t number)
{
    near_box box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}, number};
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            float x = mesh->vertices[i][axis];
            box.low[axis] = x < box.low[axis] ? x : box.low[axis];
            box.high[axis] = x > box.high[axis] ? x : box.high[axis];
        }
    return box;
}

static inline int near_boxes_compare(const void *a, const void *b)
{
    float x = ((const near_box *)a)->low[0], y = ((const near_box *)b)->low[0];
    return x < y ? -1 : x > y;
}

// Sorts the boxes, and calls for each two of them that overlap, the smaller number first.
static inline void near_boxes_each(near_box *boxes, uint32_t count,
                                   void (*call)(void *user, uint32_t a, uint32_t b), void *user)
{
    qsort(boxes, count, sizeof *boxes, near_boxes_compare);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = i + 1; k < count && boxes[k].low[0] <= boxes[i].high[0]; ++k) {
            const near_box *p = &boxes[i], *q = &boxes[k];
            if (p->low[1] <= q->high[1] && q->low[1] <= p->high[1] && p->low[2] <= q->high[2] &&
                q->low[2] <= p->high[2])
                call(user, p->number < q->number ? p->number : q->number,
                     p->number < q->number ? q->number : p->number);
        }
}

#endif
