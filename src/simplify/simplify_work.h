// What the files of the simplifier share: a patch while it is simplified.
#ifndef GZ_SIMPLIFY_WORK_H
#define GZ_SIMPLIFY_WORK_H

#include "simplify/quadric.h"
#include "simplify/simplify.h"
#include "simplify/stars.h"
#include "simplify/vertex_queue.h"

// Where a vertex would be moved, and what is known about that.
typedef struct gz_collapse_choice {
    uint32_t target; // GZ_NONE: nowhere
    bool checked;    // the cost is the careful one, with the star as it is now
    bool bridged;    // the target is a vertex of another component
} gz_collapse_choice;

typedef struct gz_work {
    gz_stars stars;
    const uint8_t *locked; // or NULL
    double (*position)[3]; // shifted and scaled: the largest extent is between 1 and 2
    int exponent;          // of two: one of these in the patch's own lengths
    gz_quadric *quadric;   // of each vertex: the planes and rims of all that was moved onto it
    gz_collapse_choice *plan;
    gz_vertex_queue queue;
    uint32_t *mark;      // for who looks around a vertex: what he saw has a stamp of his own
    uint32_t stamp;      // the last one
    uint32_t *ring;      // vertices around the one that is moved
    uint32_t *component; // connected components: a forest, roots point to themselves
    uint32_t *bridge;    // a vertex of another component that is near, or GZ_NONE
    uint32_t *merged;    // where a vertex was moved to, or itself
    uint32_t component_count;
    float reach;      // squared: bridges up to this length have been looked for
    int64_t patience; // triangles of large stars that may still be looked at
    bool last_resort; // whole components may vanish
} gz_work;

// The last of `count` stamps that no mark has.
static inline uint32_t gz_next_stamp(gz_work *work, uint32_t count)
{
    if (work->stamp > UINT32_MAX - count) {
        memset(work->mark, 0, work->stars.vertex_count * sizeof *work->mark);
        work->stamp = 0;
    }
    work->stamp += count;
    return work->stamp;
}

#endif
