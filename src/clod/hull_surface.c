// Surfaces that are cut into patches. See hull_surface.h.
#include "clod/hull_surface.h"

#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "geometry/vector.h"
#include "simplify/welded_mesh.h"

#define LEAST_SINE 1e-10 // between the edges of a triangle that has area

void gz_hull_surface_free(gz_hull_surface *surface)
{
    graze_context *context = surface->context;
    if (context == NULL)
        return;
    uint64_t vertices = surface->vertex_count, triangles = surface->triangle_count;
    GZ_FREE_ARRAY(context, surface->position, vertices);
    GZ_FREE_ARRAY(context, surface->first_corner, vertices);
    GZ_FREE_ARRAY(context, surface->border, vertices);
    GZ_FREE_ARRAY(context, surface->normal, triangles);
    GZ_FREE_ARRAY(context, surface->corner, triangles);
    GZ_FREE_ARRAY(context, surface->next_corner, 3 * triangles);
    GZ_FREE_ARRAY(context, surface->patch, triangles);
    GZ_FREE_ARRAY(context, surface->gone, triangles);
    *surface = (gz_hull_surface){0};
}

bool gz_hull_plane(const double a[3], const double b[3], const double c[3], double plane[4])
{
    double u[3], v[3];
    gz_subtract3(b, a, u);
    gz_subtract3(c, a, v);
    gz_cross3(u, v, plane);
    double length = gz_length3(plane), edges = gz_length3(u) * gz_length3(v);
    if (!(length > LEAST_SINE * edges))
        return false;
    for (int i = 0; i < 3; ++i)
        plane[i] /= length;
    // Through the middle: no corner is farther off than rounding makes it.
    plane[3] = (gz_dot3(plane, a) + gz_dot3(plane, b) + gz_dot3(plane, c)) / 3;
    return true;
}

bool gz_hull_surface_aim(gz_hull_surface *surface, uint32_t triangle)
{
    const uint32_t *c = surface->corner[triangle];
    return gz_hull_plane(surface->position[c[0]], surface->position[c[1]], surface->position[c[2]],
                         surface->normal[triangle]);
}

uint32_t gz_hull_surface_across(const gz_hull_surface *surface, uint32_t triangle, int edge)
{
    uint32_t from = surface->corner[triangle][edge], to = surface->corner[triangle][(edge + 1) % 3];
    for (uint32_t c = surface->first_corner[from]; c != GZ_NO_CORNER; c = surface->next_corner[c]) {
        uint32_t t = c / 3;
        if (!surface->gone[t] && surface->corner[t][(c % 3 + 2) % 3] == to)
            return t;
    }
    return UINT32_MAX;
}

// --- Taking a view over

static bool allocate_all(gz_hull_surface *s)
{
    uint64_t vertices = s->vertex_count, triangles = s->triangle_count;
    graze_context *context = s->context;
    s->position = gz_allocate_array(context, vertices, sizeof *s->position);
    s->first_corner = GZ_NEW_ARRAY(context, uint32_t, vertices);
    s->border = GZ_NEW_ARRAY(context, bool, vertices);
    s->normal = gz_allocate_array(context, triangles, sizeof *s->normal);
    s->corner = gz_allocate_array(context, triangles, sizeof *s->corner);
    s->next_corner = GZ_NEW_ARRAY(context, uint32_t, 3 * triangles);
    s->patch = GZ_NEW_ARRAY(context, uint32_t, triangles);
    s->gone = GZ_NEW_ARRAY(context, bool, triangles);
    return s->position != NULL && s->first_corner != NULL && s->border != NULL &&
           s->normal != NULL && s->corner != NULL && s->next_corner != NULL && s->patch != NULL &&
           s->gone != NULL;
}

static graze_status no_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for a contact detail");
}

static graze_status weld(gz_hull_surface *s, const graze_mesh_view *view, const double center[3])
{
    gz_welded_mesh welded = {.context = s->context};
    uint32_t(*corner)[3] = gz_allocate_array(s->context, s->triangle_count, sizeof *corner);
    bool fits = corner != NULL && gz_welded_mesh_begin(&welded, view->vertex_count);
    for (uint32_t t = 0; t < s->triangle_count && fits; ++t)
        for (uint32_t k = 0; k < 3 && fits; ++k) {
            double at[3];
            graze_mesh_view_corner(view, t, k, at);
            corner[t][k] = gz_welded_mesh_place(&welded, at);
            fits = corner[t][k] != UINT32_MAX;
        }
    s->vertex_count = (uint32_t)welded.positions.count;
    fits = fits && allocate_all(s);
    if (fits) {
        memcpy(s->corner, corner, s->triangle_count * sizeof *corner);
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            gz_subtract3(gz_welded_positions(&welded)[v], center, s->position[v]);
            double far = gz_length3(s->position[v]);
            s->radius = far > s->radius ? far : s->radius;
        }
    }
    GZ_FREE_ARRAY(s->context, corner, s->triangle_count);
    gz_welded_mesh_free(&welded);
    return fits ? GRAZE_OK : no_memory(s->context);
}

static void chain_corners(gz_hull_surface *s)
{
    memset(s->border, 0, s->vertex_count * sizeof *s->border);
    memset(s->gone, 0, s->triangle_count * sizeof *s->gone);
    for (uint32_t v = 0; v < s->vertex_count; ++v)
        s->first_corner[v] = GZ_NO_CORNER;
    for (uint32_t c = 3 * s->triangle_count; c-- != 0;) {
        uint32_t v = s->corner[c / 3][c % 3];
        s->next_corner[c] = s->first_corner[v];
        s->first_corner[v] = c;
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        s->patch[t] = GZ_NO_PATCH;
    s->live_triangles = s->triangle_count;
}

static graze_status check_triangles(gz_hull_surface *s)
{
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        if (!gz_hull_surface_aim(s, t))
            return gz_fail(s->context, GRAZE_ERROR_UNSUPPORTED,
                           "no contact detail: triangle %" PRIu32 " has no area", t);
    return GRAZE_OK;
}

// --- Is it an oriented 2-manifold? Edges are sorted by their ends, so that those which are the
// same lie together.

typedef struct edge {
    uint8_t low[4], high[4], corner[4]; // big-endian
    uint8_t backward;                   // from the higher to the lower end
    uint8_t unused[3];
} edge;
_Static_assert(sizeof(edge) == 16, "no gaps");

static void list_edges(const gz_hull_surface *s, edge *edges)
{
    for (uint32_t c = 0; c < 3 * s->triangle_count; ++c) {
        uint32_t from = s->corner[c / 3][c % 3], to = s->corner[c / 3][(c % 3 + 1) % 3];
        edges[c] = (edge){.backward = from > to};
        gz_put_number(edges[c].low, from < to ? from : to, 4);
        gz_put_number(edges[c].high, from < to ? to : from, 4);
        gz_put_number(edges[c].corner, c, 4);
    }
}

static graze_status refuse_edge(const gz_hull_surface *s, const edge *e, const char *what)
{
    const double *at = s->position[gz_get_number(e->low, 4)];
    return gz_fail(s->context, GRAZE_ERROR_UNSUPPORTED,
                   "no contact detail: the surface is no oriented 2-manifold: an edge of triangle "
                   "%" PRIu64 ", which begins %g, %g, %g from the middle of the mesh, %s",
                   gz_get_number(e->corner, 4) / 3, at[0], at[1], at[2], what);
}

// Twins run along the same edge the other way.
static graze_status find_twins(gz_hull_surface *s, const edge *edges, uint32_t *twin)
{
    uint32_t count = 3 * s->triangle_count, end = 0;
    s->closed = true;
    for (uint32_t first = 0; first < count; first = end) {
        for (end = first + 1; end < count && memcmp(&edges[first], &edges[end], 8) == 0;)
            ++end;
        uint32_t c = (uint32_t)gz_get_number(edges[first].corner, 4);
        twin[c] = GZ_NO_CORNER;
        if (end - first > 2)
            return refuse_edge(s, &edges[first], "has more than two triangles");
        if (end - first == 1) {
            s->closed = false;
            s->border[gz_get_number(edges[first].low, 4)] = true;
            s->border[gz_get_number(edges[first].high, 4)] = true;
            continue;
        }
        if (edges[first].backward == edges[first + 1].backward)
            return refuse_edge(s, &edges[first], "has two triangles that face opposite sides");
        uint32_t d = (uint32_t)gz_get_number(edges[first + 1].corner, 4);
        twin[c] = d;
        twin[d] = c;
    }
    return GRAZE_OK;
}

// How many triangles the fan has that a corner is in.
static uint32_t fan_size(const uint32_t *twin, uint32_t corner)
{
    uint32_t size = 0, c = corner;
    do { // the edge that arrives at the vertex leads to the next triangle
        ++size;
        c = twin[c / 3 * 3 + (c % 3 + 2) % 3];
    } while (c != GZ_NO_CORNER && c != corner);
    if (c == corner)
        return size;
    for (c = corner;;) { // a border: from the first one the other way
        uint32_t back = twin[c];
        if (back == GZ_NO_CORNER)
            return size;
        c = back / 3 * 3 + (back % 3 + 1) % 3;
        ++size;
    }
}

static graze_status check_fans(const gz_hull_surface *s, const uint32_t *twin)
{
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        uint32_t count = 0, first = s->first_corner[v];
        for (uint32_t c = first; c != GZ_NO_CORNER; c = s->next_corner[c])
            ++count;
        if (count != 0 && fan_size(twin, first) != count)
            return gz_fail(s->context, GRAZE_ERROR_UNSUPPORTED,
                           "no contact detail: the surface is no 2-manifold: at a corner of "
                           "triangle %" PRIu32 ", %g, %g, %g from the middle of the mesh, parts of "
                           "it touch that share no edge there",
                           first / 3, s->position[v][0], s->position[v][1], s->position[v][2]);
    }
    return GRAZE_OK;
}

static graze_status check_manifold(gz_hull_surface *s)
{
    uint64_t count = 3 * (uint64_t)s->triangle_count;
    edge *edges = GZ_NEW_ARRAY(s->context, edge, count);
    uint32_t *twin = GZ_NEW_ARRAY(s->context, uint32_t, count);
    graze_status status = edges != NULL && twin != NULL ? GRAZE_OK : no_memory(s->context);
    if (status == GRAZE_OK) {
        list_edges(s, edges);
        gz_sort_records(s->context, edges, count, sizeof *edges, 0, gz_arena_over(NULL, 0));
        status = find_twins(s, edges, twin);
    }
    if (status == GRAZE_OK)
        status = check_fans(s, twin);
    GZ_FREE_ARRAY(s->context, edges, count);
    GZ_FREE_ARRAY(s->context, twin, count);
    return status;
}

graze_status gz_hull_surface_make(graze_context *context, const graze_mesh_view *view,
                                  const double center[3], gz_hull_surface *surface)
{
    *surface =
        (gz_hull_surface){.context = context, .triangle_count = (uint32_t)view->triangle_count};
    graze_status status = weld(surface, view, center);
    if (status == GRAZE_OK) {
        chain_corners(surface);
        status = check_triangles(surface);
    }
    if (status == GRAZE_OK)
        status = check_manifold(surface);
    if (status != GRAZE_OK)
        gz_hull_surface_free(surface);
    return status;
}
