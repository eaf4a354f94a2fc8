// A mesh that gets coarser: which triangles each vertex has, while vertices are merged.
//
// The triangles of a vertex (its star) are a stretch of one array, the pool. When a vertex is
// merged into another, the longer star is written at the end of the pool; when the pool is full,
// all is written again without gaps. Triangles that have vanished stay in the stars they were in
// until somebody looks: `count` says how many entries there are, `live` how many still count.
#ifndef GZ_STARS_H
#define GZ_STARS_H

#include "base/memory.h"

#define GZ_NONE UINT32_MAX

typedef struct gz_star {
    uint32_t first, count; // in the pool
    uint32_t room;         // entries from `first` on that are its own
    uint32_t live;         // triangles that have not vanished
} gz_star;
_Static_assert(sizeof(gz_star) == 16, "four stars to a line of the cache");

typedef struct gz_stars {
    uint32_t (*corner)[4]; // the fourth is not 0 if the triangle has vanished
    gz_star *star;
    uint32_t *pool;
    uint32_t pool_used, pool_room;
    uint32_t vertex_count, triangle_count;
    uint32_t live; // triangles
} gz_stars;

// An entry of a star says which triangle, and which corner of it the vertex is: nobody who looks
// at a star has to search for that.
static inline uint32_t gz_star_entry(uint32_t triangle, uint32_t corner)
{
    return triangle << 2 | corner;
}

// The pool's room that is always enough, and the triangles a mesh may have.
#define GZ_STARS_POOL(triangle_count) (6 * (uint64_t)(triangle_count))
#define GZ_STARS_TRIANGLES            (UINT32_C(1) << 29)

// Makes the stars of corner[], for which all arrays must be there. Triangles with two equal
// corners vanish.
void gz_stars_make(gz_stars *stars);

// The entries of a vertex, star[v].live of them. They move with every merge.
static inline const uint32_t *gz_stars_of(gz_stars *stars, uint32_t v)
{
    gz_star *star = stars->star + v;
    uint32_t *list = stars->pool + star->first;
    if (star->count != star->live) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < star->count; ++i) { // without a branch: it could not be foreseen
            list[kept] = list[i];
            kept += !stars->corner[list[i] >> 2][3];
        }
        star->count = kept;
    }
    return list;
}

// The other two corners of an entry's triangle.
static inline void gz_stars_others(const gz_stars *stars, uint32_t entry, uint32_t *a, uint32_t *b)
{
    const uint32_t *c = stars->corner[entry >> 2];
    uint32_t twice = 2 * (entry & 3); // tables of two bits: 1, 2, 0 and 2, 0, 1
    *a = c[0x09u >> twice & 3];
    *b = c[0x12u >> twice & 3];
}

// Moves v onto w. Triangles with both vanish.
void gz_stars_merge(gz_stars *stars, uint32_t v, uint32_t w);

#endif
