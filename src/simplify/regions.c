// Joins regions, and deals them out. See regions.h.
#include "simplify/regions.h"

#include <string.h>

#include "base/context.h"

#define NONE UINT32_MAX

void gz_region_free(graze_context *context, gz_region *region)
{
    gz_list_free(context, &region->positions);
    gz_list_free(context, &region->corners);
    gz_list_free(context, &region->extras);
    region->part_count = region->whole_count = 0;
}

void gz_region_clear(gz_region *region)
{
    region->positions.count = region->corners.count = region->extras.count = 0;
    region->part_count = region->whole_count = 0;
}

gz_surface gz_region_own(const gz_region *region)
{
    return (gz_surface){.position = region->positions.items,
                        .corner = region->corners.items,
                        .vertex_count = (uint32_t)region->positions.count,
                        .triangle_count = region->part_count + region->whole_count,
                        .extra = region->extras.items};
}

gz_surface gz_region_target(const gz_region *region)
{
    gz_surface target = gz_region_own(region);
    target.extra = NULL;
    target.triangle_count = (uint32_t)region->corners.count - region->part_count;
    if (region->part_count != 0)
        target.corner += region->part_count;
    return target;
}

gz_surface gz_region_around(const gz_region *region)
{
    gz_surface around = gz_region_target(region);
    around.triangle_count -= region->whole_count;
    if (region->whole_count != 0)
        around.corner += region->whole_count;
    return around;
}

static const uint32_t *corner_of(const gz_region *region, uint32_t triangle)
{
    return ((const uint32_t(*)[3])region->corners.items)[triangle];
}

bool gz_region_set(graze_context *context, const gz_welded_mesh *mesh, gz_region *region)
{
    uint64_t count = mesh->corners.count;
    gz_region_clear(region);
    region->whole_count = (uint32_t)count;
    if (!gz_list_append(context, &region->positions, mesh->positions.items,
                        mesh->positions.count) ||
        !gz_list_append(context, &region->corners, mesh->corners.items, count) ||
        (count != 0 && gz_list_push(context, &region->extras, count) == NULL))
        return false;
    for (uint64_t t = 0; t < count; ++t)
        ((float *)region->extras.items)[t] = 0;
    return true;
}

// --- Joining

// Some triangles of a region, with vertices as they are numbered now.
static bool add_corners(graze_context *context, const gz_region *from, uint32_t first,
                        uint32_t count, const uint32_t *place, gz_region *to)
{
    if (count == 0)
        return true;
    uint32_t(*added)[3] = gz_list_push(context, &to->corners, count);
    for (uint32_t t = 0; added != NULL && t < count; ++t)
        for (int k = 0; k < 3; ++k)
            added[t][k] = place[corner_of(from, first + t)[k]];
    return added != NULL;
}

typedef struct joining {
    uint32_t *place; // of all vertices, region by region, those of the joined one
    uint32_t *slot;  // whole triangles and those around by the hash of their corners
    uint32_t mask;
} joining;

static bool prepare(gz_welded_mesh *places, const gz_region *from, uint32_t count, joining *j)
{
    uint64_t vertices = 0, triangles = 0, slots = 16;
    for (uint32_t i = 0; i < count; ++i) {
        vertices += from[i].positions.count;
        triangles += from[i].corners.count;
    }
    while (slots < 2 * triangles)
        slots *= 2;
    if (!gz_welded_mesh_begin(places, vertices) ||
        !gz_list_reserve(places->context, &places->corners, (vertices + slots) / 3 + 1))
        return false;
    j->place = (uint32_t *)places->corners.items; // nobody else needs them
    j->slot = j->place + vertices;
    j->mask = (uint32_t)slots - 1;
    memset(j->slot, 0xff, (size_t)slots * sizeof *j->slot);
    return true;
}

// Where a triangle is noted that has the same corners, or NONE, where it would be.
static uint32_t *find_triangle(const joining *j, const uint32_t corner[3], const gz_region *to)
{
    uint32_t at = corner[0] * 0x9e3779b1u ^ corner[1] * 0x85ebca77u ^ corner[2] * 0xc2b2ae3du;
    for (at ^= at >> 15;; ++at) {
        uint32_t *slot = j->slot + (at & j->mask);
        if (*slot == NONE || memcmp(corner_of(to, *slot), corner, sizeof(uint32_t[3])) == 0)
            return slot;
    }
}

static bool join_vertices(gz_welded_mesh *places, const gz_region *from, uint32_t count,
                          const joining *j, gz_region *to)
{
    uint32_t *place = j->place;
    for (uint32_t i = 0; i < count; ++i) {
        const double(*position)[3] = from[i].positions.items;
        for (uint64_t v = 0; v < from[i].positions.count; ++v, ++place) {
            *place = gz_welded_mesh_place(places, position[v]);
            if (*place == NONE)
                return false;
        }
    }
    return gz_list_append(places->context, &to->positions, places->positions.items,
                          places->positions.count);
}

static bool join_own(graze_context *context, const gz_region *from, uint32_t count, bool whole,
                     const uint32_t *place, gz_region *to)
{
    for (uint32_t i = 0; i < count; place += from[i++].positions.count) {
        uint32_t first = whole ? from[i].part_count : 0;
        uint32_t some = whole ? from[i].whole_count : from[i].part_count;
        if (some != 0 &&
            (!add_corners(context, from + i, first, some, place, to) ||
             !gz_list_append(context, &to->extras, from[i].extras.items + first, some)))
            return false;
        *(whole ? &to->whole_count : &to->part_count) += some;
    }
    return true;
}

static bool join_around(graze_context *context, const gz_region *from, uint32_t count,
                        const joining *j, gz_region *to)
{
    const uint32_t *place = j->place;
    for (uint32_t t = to->part_count; t < to->corners.count; ++t)
        *find_triangle(j, corner_of(to, t), to) = t;
    for (uint32_t i = 0; i < count; place += from[i++].positions.count)
        for (uint32_t t = from[i].part_count + from[i].whole_count; t < from[i].corners.count;
             ++t) {
            const uint32_t *old = corner_of(from + i, t);
            uint32_t corner[3] = {place[old[0]], place[old[1]], place[old[2]]};
            uint32_t *slot = find_triangle(j, corner, to);
            if (*slot != NONE)
                continue;
            *slot = (uint32_t)to->corners.count;
            if (!gz_list_append(context, &to->corners, &corner, 1))
                return false;
        }
    return true;
}

bool gz_regions_join(graze_context *context, const gz_region *from, uint32_t count,
                     gz_welded_mesh *places, gz_region *to)
{
    joining j;
    gz_region_clear(to);
    return prepare(places, from, count, &j) && join_vertices(places, from, count, &j, to) &&
           join_own(context, from, count, false, j.place, to) &&
           join_own(context, from, count, true, j.place, to) &&
           join_around(context, from, count, &j, to);
}

// --- Dealing

typedef struct dealing {
    graze_context *context;
    const gz_region *from;
    const gz_shares *shares;
    uint32_t owner;
    uint32_t *place; // of each vertex, in the owner's region
    uint32_t *whose; // of each own triangle: who got it as a whole
    gz_region *to;
} dealing;

static bool add_position(const dealing *d, const double position[3], uint32_t *place)
{
    *place = (uint32_t)d->to->positions.count;
    double(*added)[3] = gz_list_push(d->context, &d->to->positions, 1);
    if (added != NULL)
        memcpy(*added, position, sizeof *added);
    return added != NULL;
}

static bool add_triangle(const dealing *d, uint32_t triangle)
{
    const double(*position)[3] = d->from->positions.items;
    const uint32_t *old = corner_of(d->from, triangle);
    uint32_t corner[3];
    for (int k = 0; k < 3; ++k) {
        if (d->place[old[k]] == NONE && !add_position(d, position[old[k]], d->place + old[k]))
            return false;
        corner[k] = d->place[old[k]];
    }
    return gz_list_append(d->context, &d->to->corners, &corner, 1);
}

// A polygon as triangles around its first corner; one of two corners is a triangle without area.
static bool add_fan(const dealing *d, const gz_share *share)
{
    const double(*corner)[3] = (const double(*)[3])d->shares->corners.items + share->first;
    uint32_t triangle[3], k = 2;
    if (!add_position(d, corner[0], triangle) || !add_position(d, corner[1], triangle + 1))
        return false;
    do {
        triangle[2] = triangle[1];
        if ((k < share->count && !add_position(d, corner[k], triangle + 2)) ||
            !gz_list_append(d->context, &d->to->corners, &triangle, 1))
            return false;
        triangle[1] = triangle[2];
    } while (++k < share->count);
    return true;
}

// Adds the owner's shares that are parts, or those that are whole triangles.
static bool add_shares(const dealing *d, bool whole)
{
    const gz_share *share = d->shares->shares.items;
    for (uint64_t n = 0; n < d->shares->shares.count; ++n) {
        bool part = share[n].count != 0 || share[n].triangle < d->from->part_count;
        if (share[n].owner != d->owner || part == whole)
            continue;
        uint64_t before = d->to->corners.count;
        if (share[n].count == 0 ? !add_triangle(d, share[n].triangle) : !add_fan(d, share + n))
            return false;
        for (; before < d->to->corners.count; ++before)
            if (!gz_list_append(d->context, &d->to->extras, &share[n].extra, 1))
                return false;
    }
    return true;
}

// What is around an owner: what sees it, but for its own whole triangles, and parts.
static bool add_around(const dealing *d)
{
    const gz_sight *sight = d->shares->sights.items;
    uint32_t own = d->from->part_count + d->from->whole_count;
    for (uint64_t n = 0; n < d->shares->sights.count; ++n) {
        uint32_t t = sight[n].triangle;
        if (sight[n].owner != d->owner || t < d->from->part_count ||
            (t < own && d->whose[t] == d->owner))
            continue;
        if (!add_triangle(d, t))
            return false;
    }
    return true;
}

static bool deal_to_owner(const dealing *d)
{
    gz_region_clear(d->to);
    if (!add_shares(d, false))
        return false;
    d->to->part_count = (uint32_t)d->to->corners.count;
    if (!add_shares(d, true))
        return false;
    d->to->whole_count = (uint32_t)d->to->corners.count - d->to->part_count;
    return add_around(d);
}

bool gz_regions_deal(graze_context *context, const gz_region *from, const gz_shares *shares,
                     gz_index_list *map, gz_region *to, uint32_t owner_count)
{
    uint64_t vertices = from->positions.count, own = from->part_count + from->whole_count;
    const gz_share *share = shares->shares.items;
    if (!gz_list_reserve(context, map, vertices + own + 1))
        return false;
    dealing d = {.context = context, .from = from, .shares = shares, .place = map->items};
    d.whose = d.place + vertices;
    memset(d.whose, 0xff, (size_t)own * sizeof *d.whose);
    for (uint64_t n = 0; n < shares->shares.count; ++n)
        if (share[n].count == 0)
            d.whose[share[n].triangle] = share[n].owner;
    for (d.owner = 0; d.owner < owner_count; ++d.owner) {
        d.to = to + d.owner;
        memset(d.place, 0xff, (size_t)vertices * sizeof *d.place);
        if (!deal_to_owner(&d))
            return false;
    }
    return true;
}
