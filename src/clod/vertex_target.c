// Places for vertices of collapsed edges. See vertex_target.h.
#include "clod/vertex_target.h"

#include <math.h>
#include <string.h>

#include "geometry/vector.h"

#define STIFFNESS 1e-3 // of the quadric: pulls towards the middle
#define ROUNDS    25   // of projections
#define STILL     1e-6 // of the way so far: a round that moves less is the last

// --- The least quadric error

// Cramer's rule; the stiffness keeps the determinant away from 0.
void gz_target_of_quadric(const gz_quadric *quadric, const double middle[3], double out[3])
{
    const double *t = quadric->term;
    double stiff = STIFFNESS * (t[0] + t[1] + t[2]);
    double a[3][3] = {
        {t[0] + stiff, t[3], t[4]}, {t[3], t[1] + stiff, t[5]}, {t[4], t[5], t[2] + stiff}};
    double b[3] = {stiff * middle[0] - t[6], stiff * middle[1] - t[7], stiff * middle[2] - t[8]};
    double columns[3][3], cross[3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            columns[j][i] = a[i][j];
    gz_cross3(columns[1], columns[2], cross);
    double determinant = gz_dot3(columns[0], cross);
    memcpy(out, middle, 3 * sizeof *out);
    if (!(fabs(determinant) > 0))
        return;
    for (int i = 0; i < 3; ++i) {
        double other[3][3];
        memcpy(other, columns, sizeof other);
        memcpy(other[i], b, sizeof b);
        gz_cross3(other[1], other[2], cross);
        out[i] = gz_dot3(other[0], cross) / determinant;
    }
}

// --- Smoothness

// An edge with the two triangles beside it, unfolded into a plane: the factors of its four corners
// in the second difference across it. 0 where a triangle has no area.
typedef struct flap {
    double of_from, of_to, of_left, of_right;
} flap;

static flap flap_of(const double from[3], const double to[3], const double left[3],
                    const double right[3])
{
    flap none = {0, 0, 0, 0};
    double along[3], off[3];
    gz_subtract3(to, from, along);
    double length = gz_length3(along);
    if (!(length > 0))
        return none;
    double x[2], y[2];
    for (int i = 0; i < 2; ++i) {
        gz_subtract3(i == 0 ? left : right, from, off);
        x[i] = gz_dot3(off, along) / length;
        double square = gz_dot3(off, off) - x[i] * x[i];
        y[i] = square > 0 ? sqrt(square) : 0;
        if (!(y[i] > 1e-9 * length))
            return none;
    }
    double area_left = length * y[0] / 2, area_right = length * y[1] / 2;
    double at_to = ((length - x[0]) * y[1] + (length - x[1]) * y[0]) / 2;
    double at_from = (x[0] * y[1] + x[1] * y[0]) / 2;
    double scale = length / (area_left * area_right);
    return (flap){-scale * at_to, -scale * at_from, length / area_left, length / area_right};
}

typedef struct smoothing {
    double weight, sum[3];
} smoothing;

static void add_three(smoothing *s, double of_vertex, const double (*others)[3],
                      const double factors[3])
{
    s->weight += of_vertex * of_vertex;
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 3; ++i)
            s->sum[axis] -= of_vertex * factors[i] * others[i][axis];
}

// The corner of a triangle that is not on this edge.
static uint32_t third_corner(const gz_hull_surface *s, uint32_t triangle, uint32_t a, uint32_t b)
{
    for (int k = 0; k < 2; ++k)
        if (s->corner[triangle][k] != a && s->corner[triangle][k] != b)
            return s->corner[triangle][k];
    return s->corner[triangle][2];
}

static int edge_from(const gz_hull_surface *s, uint32_t triangle, uint32_t from)
{
    int k = 0;
    while (k < 2 && s->corner[triangle][k] != from)
        ++k;
    return k;
}

void gz_target_smooth(const gz_hull_surface *s, const gz_vertex_star *star, double out[3])
{
    smoothing sums = {0, {0, 0, 0}};
    const double *at = s->position[star->vertex[0]];
    for (uint64_t i = 0; i < star->triangles.count; ++i) {
        uint32_t t = star->triangles.items[i], next = 0, last = 0;
        gz_star_corners(s, star, t, &next, &last);
        const double *a = s->position[next], *b = s->position[last];
        uint32_t beyond = gz_hull_surface_across(s, t, edge_from(s, t, next));
        if (beyond != UINT32_MAX) { // the edge across, the vertex on its left
            const double *c = s->position[third_corner(s, beyond, next, last)];
            flap f = flap_of(a, b, at, c);
            double others[3][3];
            memcpy(others[0], a, sizeof others[0]);
            memcpy(others[1], b, sizeof others[1]);
            memcpy(others[2], c, sizeof others[2]);
            add_three(&sums, f.of_left, (const double(*)[3])others,
                      (const double[3]){f.of_from, f.of_to, f.of_right});
        }
        for (uint64_t k = 0; k < star->triangles.count; ++k) { // the edge to the next corner
            uint32_t right_next = 0, right_last = 0;
            gz_star_corners(s, star, star->triangles.items[k], &right_next, &right_last);
            if (right_last != next)
                continue;
            const double *c = s->position[right_next];
            flap f = flap_of(at, a, b, c);
            double others[3][3];
            memcpy(others[0], a, sizeof others[0]);
            memcpy(others[1], b, sizeof others[1]);
            memcpy(others[2], c, sizeof others[2]);
            add_three(&sums, f.of_from, (const double(*)[3])others,
                      (const double[3]){f.of_to, f.of_left, f.of_right});
        }
    }
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = sums.weight > 0 ? sums.sum[axis] / sums.weight : at[axis];
}

// --- Convexity

static bool push_space(const gz_patches *p, gz_target_space_list *out, const double normal[3],
                       double limit)
{
    gz_target_space *room = gz_list_push(p->context, out, 1);
    if (room == NULL)
        return false;
    *room = (gz_target_space){.normal = {normal[0], normal[1], normal[2]}, .limit = limit};
    return true;
}

static bool is_vertex(const gz_vertex_star *star, uint32_t v)
{
    return v == star->vertex[0] || v == star->vertex[1];
}

static bool is_in_star(const gz_hull_surface *s, const gz_vertex_star *star, uint32_t t)
{
    const uint32_t *c = s->corner[t];
    return is_vertex(star, c[0]) || is_vertex(star, c[1]) || is_vertex(star, c[2]);
}

// Other triangles have the vertex below them. Those of the star have all other corners x below: the
// vertex is above the plane through the triangle's other two and x.
bool gz_target_constrain(const gz_patches *p, const gz_vertex_star *star, gz_target_space_list *out)
{
    const gz_hull_surface *s = p->surface;
    const gz_outline *o = &p->outline;
    bool touched = false;
    for (uint64_t i = 0; i < o->vertices.count; ++i)
        touched = touched || is_vertex(star, o->vertices.items[i]);
    if (!touched)
        return true;
    for (uint64_t i = 0; i < o->triangles.count; ++i) {
        uint32_t t = o->triangles.items[i], next = 0, last = 0;
        if (!is_in_star(s, star, t)) {
            if (!push_space(p, out, s->normal[t], s->normal[t][3]))
                return false;
            continue;
        }
        gz_star_corners(s, star, t, &next, &last);
        for (uint64_t k = 0; k < o->vertices.count; ++k) {
            uint32_t x = o->vertices.items[k];
            double plane[4];
            if (is_vertex(star, x) || x == next || x == last ||
                !gz_hull_plane(s->position[next], s->position[x], s->position[last], plane))
                continue;
            if (!push_space(p, out, plane, plane[3]))
                return false;
        }
    }
    return true;
}

// After Dykstra: projections in turn, each after undoing what it did the round before.
void gz_target_project(gz_target_space_list *spaces, double place[3])
{
    double begun[3], way[3];
    memcpy(begun, place, sizeof begun);
    for (uint64_t i = 0; i < spaces->count; ++i)
        memset(spaces->items[i].pull, 0, sizeof spaces->items[i].pull);
    for (int round = 0; round < ROUNDS; ++round) {
        double moved = 0;
        for (uint64_t i = 0; i < spaces->count; ++i) {
            gz_target_space *h = &spaces->items[i];
            double back[3], beyond;
            for (int axis = 0; axis < 3; ++axis)
                back[axis] = place[axis] + h->pull[axis];
            beyond = gz_dot3(h->normal, back) - h->limit;
            beyond = beyond > 0 ? beyond : 0;
            for (int axis = 0; axis < 3; ++axis) {
                double next = back[axis] - beyond * h->normal[axis];
                moved = fmax(moved, fabs(next - place[axis]));
                h->pull[axis] = back[axis] - next;
                place[axis] = next;
            }
        }
        gz_subtract3(place, begun, way);
        if (moved <= STILL * gz_length3(way))
            return;
    }
}
