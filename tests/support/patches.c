// See patches.h.
#include "patches.h"

#include <math.h>
#include <stdlib.h>

#include "model/group_mesh.h"
#include "shapes.h"
#include "simplify/simplify.h"

// --- Making them

patch patch_shape(const char *kind, uint32_t triangle_count)
{
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = NULL;
    generator_shape_def def = {.kind = kind, .triangle_count = triangle_count};
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    gz_welded_mesh places = {.context = context};
    assert_true(gz_welded_mesh_begin(&places, 3 * view.triangle_count));
    patch p = patch_make((uint32_t)(3 * view.triangle_count), (uint32_t)view.triangle_count);
    for (uint32_t t = 0; t < p.triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            double position[3];
            graze_mesh_view_corner(&view, t, k, position);
            p.corner[t][k] = gz_welded_mesh_place(&places, position);
            assert_true(p.corner[t][k] != UINT32_MAX);
            memcpy(p.position[p.corner[t][k]], position, sizeof position);
        }
    p.vertex_count = (uint32_t)places.positions.count;
    gz_welded_mesh_free(&places);
    graze_mesh_free(mesh);
    test_context_done(context);
    return p;
}

patch patch_join(const patch *a, const patch *b)
{
    patch p = patch_make(a->vertex_count + b->vertex_count, a->triangle_count + b->triangle_count);
    memcpy(p.position, a->position, sizeof *p.position * a->vertex_count);
    memcpy(p.position + a->vertex_count, b->position, sizeof *p.position * b->vertex_count);
    memcpy(p.corner, a->corner, sizeof *p.corner * a->triangle_count);
    for (uint32_t t = 0; t < b->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            p.corner[a->triangle_count + t][k] = a->vertex_count + b->corner[t][k];
    return p;
}

patch patch_copy(const patch *p)
{
    patch none = patch_make(0, 0), copy = patch_join(p, &none);
    patch_free(&none);
    return copy;
}

patch patch_simplify(const patch *fine, uint32_t triangle_count)
{
    graze_context *context = test_context(NULL);
    gz_simplifier simplifier = {.context = context};
    gz_collapse_list collapses = {0};
    gz_collapse_state_list states = {0};
    gz_patch whole = {(const double(*)[3])fine->position, (const uint32_t(*)[3])fine->corner, NULL,
                      fine->vertex_count, fine->triangle_count};
    assert_int_equal(gz_simplify(&simplifier, &whole, triangle_count, &collapses, &states),
                     GRAZE_OK);
    patch coarse = patch_copy(fine);
    uint32_t *place = malloc(sizeof *place * (fine->vertex_count + 1));
    uint32_t *triangle = malloc(sizeof *triangle * (fine->triangle_count + 1));
    assert_non_null(place);
    assert_non_null(triangle);
    coarse.triangle_count =
        gz_collapse_apply(&whole, collapses.items, collapses.count, place, coarse.corner, triangle);
    free(place);
    free(triangle);
    gz_list_free(context, &collapses);
    gz_list_free(context, &states);
    gz_simplifier_free(&simplifier);
    test_context_done(context);
    return coarse;
}

void patch_transform(patch *p, double scale, const double shift[3])
{
    for (uint32_t v = 0; v < p->vertex_count; ++v)
        for (int i = 0; i < 3; ++i)
            p->position[v][i] = p->position[v][i] * scale + shift[i];
}

void patch_round(patch *p, graze_precision precision)
{
    for (uint32_t v = 0; v < p->vertex_count && precision == GRAZE_FLOAT32; ++v)
        for (int i = 0; i < 3; ++i) {
            volatile float narrow = (float)p->position[v][i]; // gcc 12 forgets plain casts
            p->position[v][i] = (double)narrow;
        }
}

double patch_largest(const patch *p)
{
    double most = 0;
    for (uint32_t t = 0; t < p->triangle_count; ++t)
        for (int k = 0; k < 9; ++k)
            most = fmax(most, fabs(p->position[p->corner[t][k / 3]][k % 3]));
    return most;
}

// --- Owners

uint32_t *patch_own_by_grid(const patch *p, uint32_t count)
{
    uint32_t *owner = malloc(sizeof *owner * (p->triangle_count + 1)),
             across = (uint32_t)sqrt((double)count);
    assert_non_null(owner);
    graze_box box = graze_box_empty();
    for (uint32_t t = 0; t < p->triangle_count; ++t)
        for (int k = 0; k < 9; ++k) {
            double x = p->position[p->corner[t][k / 3]][k % 3];
            box.min[k % 3] = fmin(box.min[k % 3], x);
            box.max[k % 3] = fmax(box.max[k % 3], x);
        }
    for (uint32_t t = 0; t < p->triangle_count; ++t) {
        uint32_t cell[2];
        for (int i = 0; i < 2; ++i) {
            double middle = 0, size = box.max[i] - box.min[i];
            uint32_t cells = i == 0 ? across : count / across;
            for (int k = 0; k < 3; ++k)
                middle += (p->position[p->corner[t][k]][i] - box.min[i]) / 3;
            cell[i] = size > 0 ? (uint32_t)(middle / size * cells) : 0;
            cell[i] = cell[i] < cells ? cell[i] : cells - 1;
        }
        owner[t] = cell[1] * across + cell[0];
    }
    return owner;
}

uint32_t *patch_own_by_chance(const patch *p, uint32_t count, test_random *random)
{
    uint32_t *owner = malloc(sizeof *owner * (p->triangle_count + 1));
    assert_non_null(owner);
    for (uint32_t t = 0; t < p->triangle_count; ++t)
        owner[t] = (uint32_t)(test_next(random) % count);
    return owner;
}

// --- Distances

void patch_point(const patch *p, uint32_t t, uint32_t n, test_random *random, long double out[3])
{
    long double u = (long double)test_unit(random), v = (long double)test_unit(random) * (1 - u);
    if (n < 3)
        u = n == 1, v = n == 2;
    else if (n < 6)
        v = n == 3 ? 0 : n == 4 ? 1 - u : v, u = n == 5 ? 0 : u;
    const uint32_t *c = p->corner[t];
    for (int i = 0; i < 3; ++i)
        out[i] = p->position[c[0]][i] * (1 - u - v) + p->position[c[1]][i] * u +
                 p->position[c[2]][i] * v;
}

static long double dot(const long double u[3], const long double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

// Of the segment from the origin.
static long double square_of(const long double a[3], const long double b[3])
{
    long double e[3], square = 0;
    for (int i = 0; i < 3; ++i)
        e[i] = b[i] - a[i];
    long double length = dot(e, e), t = length > 0 ? -dot(a, e) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int i = 0; i < 3; ++i)
        square += (a[i] + t * e[i]) * (a[i] + t * e[i]);
    return square;
}

// The foot of the origin in the plane of a triangle, by steps of which each takes away what
// rounding left before; needles need that. Returns its distance if it is in the triangle.
static long double distance_over(const long double v[3][3], int first)
{
    const long double *a = v[first], *b = v[(first + 1) % 3], *c = v[(first + 2) % 3];
    long double e[3], f[3], g[3], left[3], along[2] = {0, 0};
    for (int i = 0; i < 3; ++i) {
        e[i] = b[i] - a[i];
        f[i] = c[i] - a[i];
        left[i] = -a[i];
    }
    long double length = dot(e, e), part = dot(f, e) / length;
    for (int i = 0; i < 3; ++i)
        g[i] = f[i] - part * e[i];
    long double width = dot(g, g);
    if (!(width > 0))
        return HUGE_VALL;
    for (int rounds = width > 0x1p-10L * length ? 1 : 3; rounds != 0; --rounds) {
        long double t = dot(left, g) / width, s = dot(left, e) / length - t * part;
        for (int i = 0; i < 3; ++i)
            left[i] -= s * e[i] + t * f[i];
        along[0] += s;
        along[1] += t;
    }
    bool over = along[0] >= 0 && along[1] >= 0 && along[0] + along[1] <= 1;
    return over ? sqrtl(dot(left, left)) : HUGE_VALL;
}

long double point_distance(const double *const corner[3], const long double point[3])
{
    long double v[3][3], least = HUGE_VALL, most = 0;
    int longest = 0;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            v[k][i] = corner[k][i] - point[i];
    for (int k = 0; k < 3; ++k) {
        long double length = 0;
        for (int i = 0; i < 3; ++i)
            length += (v[(k + 1) % 3][i] - v[k][i]) * (v[(k + 1) % 3][i] - v[k][i]);
        longest = length > most ? k : longest;
        most = fmaxl(most, length);
        least = fminl(least, square_of(v[k], v[(k + 1) % 3]));
    }
    return fminl(sqrtl(least), distance_over((const long double(*)[3])v, longest));
}

static void corners_of(const patch *p, uint32_t t, const double *corner[3])
{
    for (int k = 0; k < 3; ++k)
        corner[k] = p->position[p->corner[t][k]];
}

long double patch_distance(const patch *p, uint32_t t, const long double point[3])
{
    const double *corner[3];
    corners_of(p, t, corner);
    return point_distance(corner, point);
}

// Whether the box of a triangle is within a distance along all axes.
static bool box_within(const double *const corner[3], const long double point[3], long double most)
{
    for (int i = 0; i < 3; ++i) {
        double x = corner[0][i], y = corner[1][i], z = corner[2][i];
        if (fmin(x, fmin(y, z)) > point[i] + most || fmax(x, fmax(y, z)) < point[i] - most)
            return false;
    }
    return true;
}

bool point_within(const double *const corner[3], const long double point[3], long double most)
{
    return box_within(corner, point, most) && point_distance(corner, point) <= most;
}

long double patch_distance_of_all(const patch *p, const long double point[3])
{
    const double *corner[3];
    long double least = HUGE_VALL;
    for (uint32_t t = 0; t < p->triangle_count; ++t) {
        corners_of(p, t, corner);
        if (box_within(corner, point, least))
            least = fminl(least, point_distance(corner, point));
    }
    return least;
}

bool patch_within(const patch *p, const uint32_t *owners, uint32_t owner,
                  const long double point[3], long double most)
{
    const double *corner[3];
    for (uint32_t t = 0; t < p->triangle_count; ++t) {
        corners_of(p, t, corner);
        if (owners[t] == owner && point_within(corner, point, most))
            return true;
    }
    return false;
}

static void box_of(const graze_triangle *t, double low[3], double high[3])
{
    for (int i = 0; i < 3; ++i) {
        low[i] = fmin(t->corner[0][i], fmin(t->corner[1][i], t->corner[2][i]));
        high[i] = fmax(t->corner[0][i], fmax(t->corner[1][i], t->corner[2][i]));
    }
}

static graze_triangle triangle_of(const patch *p, uint32_t t)
{
    graze_triangle out;
    for (int k = 0; k < 3; ++k)
        memcpy(out.corner[k], p->position[p->corner[t][k]], sizeof out.corner[k]);
    return out;
}

uint32_t patch_see(const patch *p, uint32_t t, const patch *to, const uint32_t *owners,
                   double distance, bool *seen)
{
    graze_triangle one = triangle_of(p, t);
    double low[2][3], high[2][3];
    uint32_t count = 0;
    box_of(&one, low[0], high[0]);
    for (uint32_t s = 0; s < to->triangle_count; ++s) {
        if (seen[owners[s]])
            continue;
        graze_triangle other = triangle_of(to, s);
        graze_closest closest;
        bool far = false;
        box_of(&other, low[1], high[1]);
        for (int i = 0; i < 3; ++i)
            far = far || low[0][i] - high[1][i] > distance || low[1][i] - high[0][i] > distance;
        if (far)
            continue;
        graze_triangle_closest(&one, &other, &closest);
        seen[owners[s]] = closest.distance <= distance;
        count += seen[owners[s]];
    }
    return count;
}
