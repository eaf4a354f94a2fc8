// Edges by the places of their ends, each there while an odd number of triangles has it.
//
// Places are the same if their coordinates are equal, so that -0 is 0.
#ifndef GZ_EDGE_SET_H
#define GZ_EDGE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "graze/base.h"

// Two ends, the smaller first, without -0. In a set, the first number of a free slot is not one.
typedef struct gz_edge {
    double end[2][3];
    uint32_t owner; // the triangle that brought it
    uint32_t unused;
} gz_edge;
_Static_assert(sizeof(gz_edge) == 56, "no gaps");

static inline bool gz_edge_is_free(const gz_edge *slot)
{
    return slot->end[0][0] != slot->end[0][0];
}

typedef struct gz_edge_set {
    graze_context *context;
    gz_edge *slots;
    uint64_t capacity, count;
} gz_edge_set;

// Both false when out of memory. Freeing accepts a zero one.
bool gz_edge_set_make(graze_context *context, gz_edge_set *set);
// Meets the three edges of a triangle, but for those that are points: one that is not there is put
// in, one that is there is taken out, and joins the component of its owner with that of the
// triangle, in a forest of components.h.
bool gz_edge_set_meet(gz_edge_set *set, const double corner[3][3], uint32_t triangle,
                      uint32_t *component);
void gz_edge_set_clear(gz_edge_set *set);
void gz_edge_set_free(gz_edge_set *set);

#endif
