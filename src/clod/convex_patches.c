// Convex patches: what is one, and how a surface is cut into them. See convex_patches.h.
#include "clod/convex_patches.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "clod/hull_distance.h"
#include "geometry/vector.h"

#define HOLLOW    1e-5  // of a patch's size: how far corners may be above its planes
#define DRAWN_IN  0.999 // hulls are drawn together by this, so that neighbours do not touch them
#define THIN      0.01  // of a patch's size: thinner ones get a keel, so that there is an inside
#define GRID_FULL 4u    // times as many entries as at the beginning: the grid is filled anew

static bool allocate_all(gz_patches *p)
{
    const gz_hull_surface *s = p->surface;
    p->patch = GZ_NEW_ARRAY(p->context, gz_convex_patch, s->triangle_count);
    p->next_triangle = GZ_NEW_ARRAY(p->context, uint32_t, s->triangle_count);
    p->vertex_stamp = GZ_NEW_ARRAY(p->context, uint32_t, s->vertex_count);
    p->triangle_stamp = GZ_NEW_ARRAY(p->context, uint32_t, s->triangle_count);
    p->patch_stamp = GZ_NEW_ARRAY(p->context, uint32_t, s->triangle_count);
    return p->patch != NULL && p->next_triangle != NULL && p->vertex_stamp != NULL &&
           p->triangle_stamp != NULL && p->patch_stamp != NULL;
}

bool gz_patches_begin(gz_patches *p, gz_hull_surface *surface)
{
    *p = (gz_patches){.context = surface->context, .surface = surface};
    p->triangles.context = p->hulls.context = surface->context;
    p->tolerance = 1e-7 * surface->radius;
    if (!allocate_all(p))
        return false;
    memset(p->vertex_stamp, 0, surface->vertex_count * sizeof *p->vertex_stamp);
    memset(p->triangle_stamp, 0, surface->triangle_count * sizeof *p->triangle_stamp);
    memset(p->patch_stamp, 0, surface->triangle_count * sizeof *p->patch_stamp);
    return true;
}

void gz_patches_free(gz_patches *p)
{
    if (p->surface == NULL)
        return;
    GZ_FREE_ARRAY(p->context, p->patch, p->surface->triangle_count);
    GZ_FREE_ARRAY(p->context, p->next_triangle, p->surface->triangle_count);
    GZ_FREE_ARRAY(p->context, p->vertex_stamp, p->surface->vertex_count);
    GZ_FREE_ARRAY(p->context, p->triangle_stamp, p->surface->triangle_count);
    GZ_FREE_ARRAY(p->context, p->patch_stamp, p->surface->triangle_count);
    gz_patch_grid_free(&p->triangles);
    gz_patch_grid_free(&p->hulls);
    gz_list_free(p->context, &p->outline.triangles);
    gz_list_free(p->context, &p->outline.vertices);
    gz_list_free(p->context, &p->outline.points);
    gz_list_free(p->context, &p->outline.planes);
    gz_list_free(p->context, &p->near);
    gz_list_free(p->context, &p->near_hulls);
    gz_list_free(p->context, &p->neighbours);
    *p = (gz_patches){0};
}

graze_box gz_surface_box(const gz_hull_surface *s, uint32_t triangle)
{
    const double *a = s->position[s->corner[triangle][0]], *b = s->position[s->corner[triangle][1]],
                 *c = s->position[s->corner[triangle][2]];
    graze_box box;
    for (int i = 0; i < 3; ++i) {
        double low = a[i] < b[i] ? a[i] : b[i], high = a[i] < b[i] ? b[i] : a[i];
        box.min[i] = low < c[i] ? low : c[i];
        box.max[i] = high > c[i] ? high : c[i];
    }
    return box;
}

static bool overlap(const graze_box *a, const graze_box *b)
{
    for (int i = 0; i < 3; ++i)
        if (a->min[i] > b->max[i] || b->min[i] > a->max[i])
            return false;
    return true;
}

bool gz_patches_sort(gz_patches *p)
{
    const gz_hull_surface *s = p->surface;
    graze_box all = graze_box_empty();
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        if (!s->gone[t]) {
            graze_box box = gz_surface_box(s, t);
            all = graze_box_join(&all, &box);
        }
    bool fits = gz_patch_grid_begin(&p->triangles, &all, s->live_triangles) &&
                gz_patch_grid_begin(&p->hulls, &all, p->live_count);
    for (uint32_t t = 0; t < s->triangle_count && fits; ++t)
        if (!s->gone[t]) {
            graze_box box = gz_surface_box(s, t);
            fits = gz_patch_grid_add(&p->triangles, &box, t);
        }
    for (uint32_t i = 0; i < p->count && fits; ++i)
        if (p->patch[i].live)
            fits = gz_patch_grid_add(&p->hulls, &p->patch[i].box, i);
    p->out_of_memory = p->out_of_memory || !fits;
    return fits;
}

// --- Laying out

static void push_number(gz_patches *p, gz_index_list *list, uint32_t number)
{
    uint32_t *room = gz_list_push(p->context, list, 1);
    if (room == NULL)
        p->out_of_memory = true;
    else
        *room = number;
}

static void outline_triangle(gz_patches *p, uint32_t t)
{
    gz_hull_surface *s = p->surface;
    gz_outline *o = &p->outline;
    double(*plane)[4] = gz_list_push(p->context, &o->planes, 1);
    push_number(p, &o->triangles, t);
    p->out_of_memory = p->out_of_memory || plane == NULL;
    if (p->out_of_memory)
        return;
    memcpy(*plane, s->normal[t], sizeof *plane);
    for (int k = 0; k < 3; ++k) {
        uint32_t v = s->corner[t][k];
        if (p->vertex_stamp[v] == p->stamp)
            continue;
        p->vertex_stamp[v] = p->stamp;
        double(*point)[3] = gz_list_push(p->context, &o->points, 1);
        push_number(p, &o->vertices, v);
        if (point == NULL) {
            p->out_of_memory = true;
            return;
        }
        memcpy(*point, s->position[v], sizeof *point);
        for (int i = 0; i < 3; ++i) {
            o->box.min[i] = fmin(o->box.min[i], (*point)[i]);
            o->box.max[i] = fmax(o->box.max[i], (*point)[i]);
        }
    }
}

static double size_of(const graze_box *box)
{
    double size[3];
    gz_subtract3(box->max, box->min, size);
    return gz_length3(size);
}

// How far the points reach below the planes: the least of these depths.
static double thickness_of(const gz_outline *o)
{
    double least = HUGE_VAL;
    for (uint64_t k = 0; k < o->planes.count; ++k) {
        double depth = 0;
        for (uint64_t i = 0; i < o->points.count; ++i)
            depth = fmax(depth, -gz_plane_height(o->planes.items[k], o->points.items[i]));
        least = fmin(least, depth);
    }
    return least;
}

// A thin patch gets a keel: a point behind its middle. Its hull has an inside then, and what
// crosses a gap in its outline is found.
void gz_outline_draw(gz_patches *p)
{
    gz_outline *o = &p->outline;
    o->hull_count = 0;
    uint32_t count = (uint32_t)o->points.count;
    if (count == 0 || count > GZ_OUTLINE_POINTS)
        return;
    double middle[3] = {0}, normal[3] = {0}, size = size_of(&o->box);
    for (uint32_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            middle[axis] += o->points.items[i][axis] / count;
    for (uint64_t k = 0; k < o->planes.count; ++k)
        for (int axis = 0; axis < 3; ++axis)
            normal[axis] += o->planes.items[k][axis];
    bool keel = thickness_of(o) < THIN * size;
    double length = gz_length3(normal), keel_depth = length > 0 ? THIN * size / length : 0;
    uint32_t all = count + (keel ? 1 : 0);
    uint32_t padded = (all + GZ_HULL_LANES - 1) / GZ_HULL_LANES * GZ_HULL_LANES;
    for (uint32_t i = 0; i < padded; ++i)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            double at = i < count ? o->points.items[i][axis] : o->points.items[count - 1][axis];
            double drawn = middle[axis] + DRAWN_IN * (at - middle[axis]);
            o->hull[axis * padded + i] =
                i >= count && keel ? middle[axis] - keel_depth * normal[axis] : drawn;
        }
    o->hull_count = padded;
}

void gz_patches_outline(gz_patches *p, uint32_t first, uint32_t second)
{
    gz_outline *o = &p->outline;
    o->triangles.count = o->vertices.count = o->points.count = o->planes.count = 0;
    o->box = graze_box_empty();
    ++p->stamp;
    const uint32_t which[2] = {first, second};
    for (int i = 0; i < 2; ++i)
        if (which[i] != GZ_NO_PATCH)
            for (uint32_t t = p->patch[which[i]].first_triangle; t != UINT32_MAX;
                 t = p->next_triangle[t])
                if (!p->surface->gone[t] && !p->out_of_memory)
                    outline_triangle(p, t);
    o->hull_count = 0;
}

bool gz_outline_convex(const gz_patches *p)
{
    const gz_outline *o = &p->outline;
    double most = p->tolerance + HOLLOW * size_of(&o->box);
    for (uint64_t k = 0; k < o->planes.count; ++k)
        for (uint64_t i = 0; i < o->points.count; ++i)
            if (gz_plane_height(o->planes.items[k], o->points.items[i]) > most)
                return false;
    return true;
}

// A triangle before one of the planes is outside, and most are. The others are asked exactly
// enough.
static bool enters(const gz_patches *p, const double corner[3][3])
{
    const gz_outline *o = &p->outline;
    for (uint64_t k = 0; k < o->planes.count; ++k) {
        const double *plane = o->planes.items[k];
        if (gz_plane_height(plane, corner[0]) > -p->tolerance &&
            gz_plane_height(plane, corner[1]) > -p->tolerance &&
            gz_plane_height(plane, corner[2]) > -p->tolerance)
            return false;
    }
    if (o->hull_count == 0)
        return true; // too large to be asked
    double points[12];
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 4; ++i)
            points[4 * axis + i] = corner[i < 3 ? i : 2][axis];
    static const gz_hull_map same = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    const gz_hull hull = {o->hull, o->hull_count}, lone = {points, 4};
    gz_hull_answer answer;
    gz_hull_distance(&hull, &lone, &same, 0, &answer);
    return !(answer.low > 0);
}

bool gz_outline_is_entered(const gz_patches *p, uint32_t triangle)
{
    const gz_hull_surface *s = p->surface;
    graze_box box = gz_surface_box(s, triangle);
    if (!overlap(&box, &p->outline.box))
        return false;
    double corner[3][3];
    for (int k = 0; k < 3; ++k)
        memcpy(corner[k], s->position[s->corner[triangle][k]], sizeof corner[k]);
    return enters(p, corner);
}

bool gz_outline_behind(gz_patches *p, uint32_t first, uint32_t second)
{
    const gz_hull_surface *s = p->surface;
    gz_outline *o = &p->outline;
    gz_outline_draw(p);
    if (o->hull_count == 0)
        return false;
    p->near.count = 0;
    if (!gz_patch_grid_find(&p->triangles, &o->box, &p->near)) {
        p->out_of_memory = true;
        return false;
    }
    ++p->stamp;
    for (uint64_t i = 0; i < p->near.count; ++i) {
        uint32_t t = p->near.items[i];
        if (p->triangle_stamp[t] == p->stamp || s->gone[t] || s->patch[t] == first ||
            (second != GZ_NO_PATCH && s->patch[t] == second))
            continue;
        p->triangle_stamp[t] = p->stamp;
        if (gz_outline_is_entered(p, t))
            return false;
    }
    return true;
}

// --- Cutting

static void take_triangle(gz_patches *p, uint32_t patch, uint32_t t)
{
    gz_convex_patch *mine = &p->patch[patch];
    p->surface->patch[t] = patch;
    p->next_triangle[t] = mine->first_triangle;
    mine->first_triangle = t;
    ++mine->triangle_count;
}

// Takes the triangle back out, which is the first one.
static void leave_triangle(gz_patches *p, uint32_t patch, uint32_t t)
{
    gz_convex_patch *mine = &p->patch[patch];
    p->surface->patch[t] = GZ_NO_PATCH;
    mine->first_triangle = p->next_triangle[t];
    --mine->triangle_count;
}

static void grow(gz_patches *p, uint32_t patch, uint32_t seed, uint32_t triangle_most)
{
    gz_hull_surface *s = p->surface;
    gz_index_list *queue = &p->neighbours;
    queue->count = 0;
    take_triangle(p, patch, seed);
    push_number(p, queue, seed);
    for (uint64_t next = 0; next < queue->count && !p->out_of_memory; ++next)
        for (int edge = 0; edge < 3 && p->patch[patch].triangle_count < triangle_most; ++edge) {
            uint32_t t = gz_hull_surface_across(s, queue->items[next], edge);
            if (t == UINT32_MAX || s->patch[t] != GZ_NO_PATCH || p->patch_stamp[t] == patch + 1)
                continue;
            p->patch_stamp[t] = patch + 1; // by triangle, here: it is tried once for each patch
            take_triangle(p, patch, t);
            gz_patches_outline(p, patch, GZ_NO_PATCH);
            if (gz_outline_convex(p) && gz_outline_behind(p, patch, GZ_NO_PATCH))
                push_number(p, queue, t);
            else
                leave_triangle(p, patch, t);
        }
    gz_patches_outline(p, patch, GZ_NO_PATCH);
    p->patch[patch].box = p->outline.box;
}

graze_status gz_patches_cut(gz_patches *p, uint32_t triangle_most)
{
    const gz_hull_surface *s = p->surface;
    graze_status status = GRAZE_OK;
    bool fits = gz_patches_sort(p);
    for (uint32_t t = 0; t < s->triangle_count && fits && status == GRAZE_OK; ++t) {
        if (s->patch[t] != GZ_NO_PATCH)
            continue;
        p->patch[p->count] = (gz_convex_patch){.first_triangle = UINT32_MAX,
                                               .first_node = UINT32_MAX,
                                               .last_node = UINT32_MAX,
                                               .live = true,
                                               .changed = true};
        grow(p, p->count++, t, triangle_most);
        fits = !p->out_of_memory;
        if (p->count % 256 == 0)
            status =
                gz_checkpoint(p->context, "cutting patches", "triangles", t, s->triangle_count);
    }
    p->live_count = p->count;
    memset(p->patch_stamp, 0, s->triangle_count * sizeof *p->patch_stamp);
    p->stamp = 1;
    memset(p->vertex_stamp, 0, s->vertex_count * sizeof *p->vertex_stamp);
    memset(p->triangle_stamp, 0, s->triangle_count * sizeof *p->triangle_stamp);
    fits = fits && gz_patches_sort(p);
    return fits || status != GRAZE_OK
               ? status
               : gz_fail(p->context, GRAZE_ERROR_MEMORY, "out of memory for convex patches");
}

// --- Joining

static bool grid_is_full(const gz_patches *p)
{
    return p->triangles.entries.count > 64 + GRID_FULL * 8 * (uint64_t)p->surface->live_triangles ||
           p->hulls.entries.count > 64 + GRID_FULL * 16 * (uint64_t)p->live_count;
}

bool gz_patches_moved(gz_patches *p, uint32_t patch)
{
    gz_patches_outline(p, patch, GZ_NO_PATCH);
    p->patch[patch].box = p->outline.box;
    p->patch[patch].triangle_count = (uint32_t)p->outline.triangles.count;
    p->patch[patch].changed = true;
    if (p->out_of_memory || !gz_patch_grid_add(&p->hulls, &p->outline.box, patch))
        p->out_of_memory = true;
    else if (grid_is_full(p))
        gz_patches_sort(p);
    return !p->out_of_memory;
}

static void chain_nodes(gz_convex_patch *into, const gz_convex_patch *from, uint32_t *next_node)
{
    if (from->first_node == UINT32_MAX)
        return;
    if (into->first_node == UINT32_MAX)
        into->first_node = from->first_node;
    else
        next_node[into->last_node] = from->first_node;
    into->last_node = from->last_node;
}

void gz_patches_give(gz_patches *p, uint32_t from, uint32_t to, uint32_t *next_node)
{
    gz_convex_patch *source = &p->patch[from], *into = &p->patch[to];
    chain_nodes(into, source, next_node);
    uint32_t last = UINT32_MAX;
    for (uint32_t t = source->first_triangle; t != UINT32_MAX; t = p->next_triangle[t]) {
        p->surface->patch[t] = to;
        last = t;
    }
    if (last != UINT32_MAX) {
        p->next_triangle[last] = into->first_triangle;
        into->first_triangle = source->first_triangle;
    }
    *source = (gz_convex_patch){.first_triangle = UINT32_MAX,
                                .first_node = UINT32_MAX,
                                .last_node = UINT32_MAX,
                                .box = graze_box_empty()};
    into->changed = true;
    --p->live_count;
}

// The next neighbour of a patch with a number above the one given; GZ_NO_PATCH: there is none.
static uint32_t next_neighbour(const gz_patches *p, uint32_t patch, uint32_t after)
{
    const gz_hull_surface *s = p->surface;
    uint32_t best = GZ_NO_PATCH;
    for (uint32_t t = p->patch[patch].first_triangle; t != UINT32_MAX; t = p->next_triangle[t])
        for (int edge = 0; edge < 3 && !s->gone[t]; ++edge) {
            uint32_t other = gz_hull_surface_across(s, t, edge);
            uint32_t q = other == UINT32_MAX ? patch : s->patch[other];
            if (q != patch && (after == GZ_NO_PATCH || q > after) && q < best)
                best = q;
        }
    return best;
}

void gz_patches_join_around(gz_patches *p, uint32_t patch, uint32_t triangle_most,
                            uint32_t *next_node)
{
    uint32_t after = GZ_NO_PATCH;
    while (!p->out_of_memory) {
        uint32_t q = next_neighbour(p, patch, after);
        if (q == GZ_NO_PATCH)
            return;
        after = q;
        if (p->patch[patch].triangle_count + p->patch[q].triangle_count > triangle_most)
            continue;
        gz_patches_outline(p, patch, q);
        if (!gz_outline_convex(p) || !gz_outline_behind(p, patch, q))
            continue;
        gz_patches_give(p, q, patch, next_node);
        gz_patches_moved(p, patch);
        after = GZ_NO_PATCH; // there are new neighbours, and the old ones may fit now
    }
}
