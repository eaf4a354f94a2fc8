// Reliefs and a plain simplifier. See coarsen.h.
//
// In each round, half-edges are sorted by how far their collapse leads away from the planes around
// the vertex that vanishes, and collapsed where no vertex near has been touched in this round.
#include "coarsen.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

patch patch_make(uint32_t vertex_count, uint32_t triangle_count)
{
    patch p = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    p.position = malloc(sizeof *p.position * (vertex_count + 1));
    p.corner = malloc(sizeof *p.corner * (triangle_count + 1));
    assert_non_null(p.position);
    assert_non_null(p.corner);
    return p;
}

void patch_free(patch *p)
{
    free(p->position);
    free(p->corner);
}

gz_surface patch_surface(const patch *p)
{
    return (gz_surface){(const double(*)[3])p->position, (const uint32_t(*)[3])p->corner,
                        p->vertex_count, p->triangle_count, NULL};
}

patch patch_relief(uint32_t n, double height, uint64_t seed)
{
    patch p = patch_make((n + 1) * (n + 1), 2 * n * n);
    test_random random = {seed};
    double wave[8][4];
    for (int k = 0; k < 8; ++k)
        for (int i = 0; i < 4; ++i)
            wave[k][i] = (test_unit(&random) - 0.5) * (i < 2 ? 8 << k / 2 : 6.28);
    for (uint32_t y = 0; y <= n; ++y)
        for (uint32_t x = 0; x <= n; ++x) {
            double *v = p.position[y * (n + 1) + x];
            v[0] = (double)x / n;
            v[1] = (double)y / n;
            v[2] = 0;
            for (int k = 0; k < 8; ++k)
                v[2] += height / (k + 1) * sin(v[0] * wave[k][0] + v[1] * wave[k][1] + wave[k][2]);
        }
    for (uint32_t y = 0; y < n; ++y)
        for (uint32_t x = 0; x < n; ++x) {
            uint32_t v = y * (n + 1) + x, *t = p.corner[2 * (y * n + x)];
            const uint32_t corners[6] = {v, v + 1, v + n + 2, v, v + n + 2, v + n + 1};
            memcpy(t, corners, sizeof corners);
        }
    return p;
}

typedef struct half_edge {
    double cost;
    uint32_t from, to;
} half_edge;

typedef struct stars {
    uint32_t *first, *triangle; // triangles at each vertex
} stars;

static int by_cost(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    if (p->cost != q->cost)
        return p->cost < q->cost ? -1 : 1;
    if (p->from != q->from)
        return p->from < q->from ? -1 : 1;
    return p->to < q->to ? -1 : p->to > q->to;
}

static void find_stars(const patch *p, stars *s)
{
    memset(s->first, 0, sizeof *s->first * (p->vertex_count + 2));
    for (uint32_t t = 0; t < p->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            s->first[p->corner[t][k] + 2]++;
    for (uint32_t v = 0; v < p->vertex_count; ++v)
        s->first[v + 2] += s->first[v + 1];
    for (uint32_t t = 0; t < p->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            s->triangle[s->first[p->corner[t][k] + 1]++] = t;
}

static void normal_of(const patch *p, uint32_t a, uint32_t b, uint32_t c, double out[3])
{
    double e[3], f[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = p->position[b][i] - p->position[a][i];
        f[i] = p->position[c][i] - p->position[a][i];
    }
    for (int i = 0; i < 3; ++i)
        out[i] = e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
}

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

// Infinite if it is not allowed: at the border, where a triangle would turn over, or where the
// surface would grow together.
static double cost_of(const patch *p, const stars *s, uint32_t from, uint32_t to)
{
    double cost = 0;
    uint32_t ring[128], ring_count = 0, common = 0, removed = 0;
    for (uint32_t k = s->first[from]; k < s->first[from + 1]; ++k) {
        const uint32_t *c = p->corner[s->triangle[k]];
        uint32_t i = c[0] == from ? 0 : c[1] == from ? 1 : 2;
        uint32_t b = c[(i + 1) % 3], d = c[(i + 2) % 3];
        if (ring_count + 2 > 128)
            return HUGE_VAL;
        ring[ring_count++] = b;
        ring[ring_count++] = d;
        double before[3], after[3], way[3];
        normal_of(p, from, b, d, before);
        for (int axis = 0; axis < 3; ++axis)
            way[axis] = p->position[to][axis] - p->position[from][axis];
        double length = sqrt(dot(before, before));
        if (length > 0)
            cost = fmax(cost, fabs(dot(before, way)) / length);
        if (b == to || d == to) {
            removed++;
            continue;
        }
        normal_of(p, to, b, d, after);
        if (dot(before, after) <= 0.3 * length * sqrt(dot(after, after)))
            return HUGE_VAL;
    }
    for (uint32_t i = 0; i < ring_count; ++i) { // closed: each vertex around comes twice
        uint32_t times = 0;
        for (uint32_t j = 0; j < ring_count; ++j)
            times += ring[i] == ring[j];
        if (times != 2)
            return HUGE_VAL;
    }
    for (uint32_t k = s->first[to]; k < s->first[to + 1]; ++k)
        for (int i = 0; i < 3; ++i)
            for (uint32_t j = 0; j < ring_count; ++j)
                common += p->corner[s->triangle[k]][i] == ring[j] && ring[j] != to;
    // The two corners beside the edge: each is twice in the ring and in two triangles at `to`.
    if (removed != 2 || common != 8)
        return HUGE_VAL;
    double way[3];
    for (int axis = 0; axis < 3; ++axis)
        way[axis] = p->position[to][axis] - p->position[from][axis];
    return cost + 0.01 * sqrt(dot(way, way));
}

static uint32_t collapse_some(patch *p, const stars *s, const half_edge *edges, uint32_t count,
                              uint32_t wanted, bool *touched)
{
    uint32_t left = p->triangle_count;
    memset(touched, 0, p->vertex_count);
    for (uint32_t n = 0; n < count && left > wanted; ++n) {
        uint32_t from = edges[n].from, to = edges[n].to;
        if (touched[from] || touched[to])
            continue;
        for (int end = 0; end < 2; ++end) {
            uint32_t v = end == 0 ? from : to;
            for (uint32_t k = s->first[v]; k < s->first[v + 1]; ++k)
                for (int i = 0; i < 3; ++i)
                    touched[p->corner[s->triangle[k]][i]] = true;
        }
        for (uint32_t k = s->first[from]; k < s->first[from + 1]; ++k)
            for (int i = 0; i < 3; ++i)
                if (p->corner[s->triangle[k]][i] == from)
                    p->corner[s->triangle[k]][i] = to;
        left -= 2;
    }
    uint32_t kept = 0;
    for (uint32_t t = 0; t < p->triangle_count; ++t) {
        const uint32_t *c = p->corner[t];
        if (c[0] != c[1] && c[1] != c[2] && c[2] != c[0])
            memmove(p->corner[kept++], c, sizeof p->corner[0]);
    }
    uint32_t gone = p->triangle_count - kept;
    p->triangle_count = kept;
    return gone;
}

patch patch_coarsen(const patch *fine, uint32_t triangle_count)
{
    patch p = patch_make(fine->vertex_count, fine->triangle_count);
    memcpy(p.position, fine->position, sizeof *p.position * p.vertex_count);
    memcpy(p.corner, fine->corner, sizeof *p.corner * p.triangle_count);
    stars s = {malloc(sizeof(uint32_t) * (p.vertex_count + 2)),
               malloc(sizeof(uint32_t) * 3 * (p.triangle_count + 1))};
    half_edge *edges = malloc(sizeof *edges * 6 * (p.triangle_count + 1));
    bool *touched = malloc(p.vertex_count + 1);
    assert_non_null(s.first);
    assert_non_null(s.triangle);
    assert_non_null(edges);
    assert_non_null(touched);
    uint32_t gone = 1;
    while (p.triangle_count > triangle_count && gone != 0) {
        uint32_t count = 0;
        find_stars(&p, &s);
        for (uint32_t t = 0; t < p.triangle_count; ++t)
            for (int k = 0; k < 6; ++k) {
                uint32_t from = p.corner[t][k % 3], to = p.corner[t][(k + 1 + k / 3) % 3];
                double cost = cost_of(&p, &s, from, to);
                if (cost < HUGE_VAL)
                    edges[count++] = (half_edge){cost, from, to};
            }
        qsort(edges, count, sizeof *edges, by_cost);
        gone = collapse_some(&p, &s, edges, count / 4 + 1 < count ? count / 4 + 1 : count,
                             triangle_count, touched);
    }
    free(s.first);
    free(s.triangle);
    free(edges);
    free(touched);
    return p;
}
