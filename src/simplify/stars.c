// Merging stars. See stars.h.
#include "simplify/stars.h"

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
        c[3] |= c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
        if (c[3])
            continue;
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
        for (uint32_t k = 0; k < 3 && !c[3]; ++k)
            stars->pool[star[c[k]].first + star[c[k]].count++] = gz_star_entry(t, k);
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
    c[3] = 1;
    stars->live--;
}

void gz_stars_merge(gz_stars *stars, uint32_t v, uint32_t w)
{
    // Room first: it may move all stars, and what has vanished by then is not moved.
    gz_stars_of(stars, v);
    uint32_t *list = stars->pool + stars->star[v].first, more = 0;
    for (uint32_t i = 0; i < stars->star[v].count; ++i) {
        uint32_t a = 0, b = 0, entry = list[i];
        gz_stars_others(stars, entry, &a, &b);
        list[more] = entry;
        if (a == w || b == w)
            vanish(stars, entry >> 2);
        else
            more++;
    }
    stars->star[v].count = more;
    if (stars->star[w].count + more > stars->star[w].room)
        make_room(stars, w, more);
    list = stars->pool + stars->star[v].first;
    gz_star *star = stars->star + w;
    for (uint32_t i = 0; i < more; ++i) {
        stars->corner[list[i] >> 2][list[i] & 3] = w;
        stars->pool[star->first + star->count++] = list[i];
    }
    star->live += more;
    stars->star[v] = (gz_star){0};
}
