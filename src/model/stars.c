// Merging stars. See stars.h.
#include "model/stars.h"

#include <string.h>

#include "base/context.h"

#define SMALL_STAR 64u // a longer one gets room to grow, so that merging into it stays cheap

void gz_stars_make(gz_stars *stars)
{
    gz_star *star = stars->star;
    memset(star, 0, stars->vertex_count * sizeof *star);
    stars->live = 0;
    for (uint32_t t = 0; t < stars->triangle_count; ++t) {
        uint32_t *c = stars->corner[t];
        if (c[0] == GZ_NONE)
            continue;
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) {
            c[0] = GZ_NONE;
            continue;
        }
        stars->live++;
        for (int k = 0; k < 3; ++k)
            star[c[k]].live++;
    }
    uint32_t used = 0;
    for (uint32_t v = 0; v < stars->vertex_count; ++v) {
        star[v].first = used;
        star[v].room = star[v].live;
        used += star[v].live;
    }
    stars->pool_used = used;
    for (uint32_t t = 0; t < stars->triangle_count; ++t) {
        const uint32_t *c = stars->corner[t];
        if (c[0] == GZ_NONE)
            continue;
        for (int k = 0; k < 3; ++k)
            stars->pool[star[c[k]].first + star[c[k]].count++] = t;
    }
}

// Makes room for `more` triangles behind those of w. After making all again, three times the live
// triangles are used at most, and no star has more than the live ones: so what is asked for fits.
static void make_room(gz_stars *stars, uint32_t w, uint32_t more)
{
    gz_star *star = stars->star + w;
    gz_stars_of(stars, w);
    uint32_t need = star->count + more;
    if (need <= star->room && (need <= SMALL_STAR || need <= star->room - star->room / 4))
        return;
    uint32_t room = need > SMALL_STAR ? need + need / 2 : need;
    if (room > stars->pool_room - stars->pool_used)
        gz_stars_make(stars);
    GZ_ASSERT(room <= stars->pool_room - stars->pool_used);
    memcpy(stars->pool + stars->pool_used, stars->pool + star->first,
           star->count * sizeof *stars->pool);
    star->first = stars->pool_used;
    star->room = room;
    stars->pool_used += room;
}

static void vanish(gz_stars *stars, uint32_t triangle)
{
    uint32_t *c = stars->corner[triangle];
    for (int k = 0; k < 3; ++k)
        stars->star[c[k]].live--;
    c[0] = GZ_NONE;
    stars->live--;
}

void gz_stars_merge(gz_stars *stars, uint32_t v, uint32_t w)
{
    // Room first: it may move all stars, and what has vanished by then is not moved.
    const uint32_t *list = gz_stars_of(stars, v);
    for (uint32_t i = 0; i < stars->star[v].count; ++i) {
        const uint32_t *c = stars->corner[list[i]];
        if (c[0] == w || c[1] == w || c[2] == w)
            vanish(stars, list[i]);
    }
    uint32_t more = stars->star[v].live;
    if (stars->star[w].count + more > stars->star[w].room)
        make_room(stars, w, more);
    list = gz_stars_of(stars, v);
    gz_star *star = stars->star + w;
    for (uint32_t i = 0; i < more; ++i) {
        uint32_t *c = stars->corner[list[i]];
        c[c[0] == v ? 0 : c[1] == v ? 1 : 2] = w;
        stars->pool[star->first + star->count++] = list[i];
    }
    star->live += more;
    stars->star[v] = (gz_star){0};
}
