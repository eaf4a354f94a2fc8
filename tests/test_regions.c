// Regions: what is dealt out is the fine surface, all of it and nothing else; each part is near its
// owner; guests are neighbours; and regions survive as bytes. On spheres, reliefs, soups, surfaces
// without area and far from the origin, in both precisions, with failing memory and hostile bytes.
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/context.h"
#include "coarsen.h"
#include "faults.h"
#include "model/regions.h"

enum { MOST_OWNERS = 64 };

typedef struct bench {
    graze_context *context;
    gz_dealer *dealer;
    gz_deviation_query *query;
    gz_region regions[MOST_OWNERS];
} bench;

static bench open_bench(void)
{
    bench b = {.context = test_context(NULL)};
    assert_int_equal(gz_dealer_create(b.context, &b.dealer), GRAZE_OK);
    assert_int_equal(gz_deviation_query_create(b.context, &b.query), GRAZE_OK);
    return b;
}

static void close_bench(bench *b)
{
    for (int n = 0; n < MOST_OWNERS; ++n)
        gz_region_free(b->context, b->regions + n);
    gz_dealer_destroy(b->dealer);
    gz_deviation_query_destroy(b->query);
    test_context_done(b->context);
}

// --- Surfaces with owners

typedef struct owned {
    patch mesh;
    uint32_t *owner;
    uint32_t owner_count;
} owned;

// Owners are the cells of a grid with `parts` cells along each of two axes, by where the middle of
// a triangle is.
static owned own_by_grid(patch mesh, uint32_t parts)
{
    owned o = {mesh, malloc(sizeof(uint32_t) * (mesh.triangle_count + 1)), parts * parts};
    assert_non_null(o.owner);
    graze_box box = graze_box_empty();
    for (uint32_t t = 0; t < mesh.triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i) {
                double x = mesh.position[mesh.corner[t][k]][i];
                box.min[i] = fmin(box.min[i], x);
                box.max[i] = fmax(box.max[i], x);
            }
    for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
        uint32_t cell[2];
        for (int i = 0; i < 2; ++i) {
            double middle = 0, size = box.max[i] - box.min[i];
            for (int k = 0; k < 3; ++k)
                middle += (mesh.position[mesh.corner[t][k]][i] - box.min[i]) / 3;
            cell[i] = size > 0 ? (uint32_t)(middle / size * parts) : 0;
            cell[i] = cell[i] < parts ? cell[i] : parts - 1;
        }
        o.owner[t] = cell[0] * parts + cell[1];
    }
    return o;
}

static void free_owned(owned *o)
{
    patch_free(&o->mesh);
    free(o->owner);
}

static patch sphere(uint32_t n)
{
    patch p = patch_make((n + 1) * (2 * n), 4 * n * (n - 1));
    uint32_t count = 0;
    for (uint32_t y = 0; y <= n; ++y)
        for (uint32_t x = 0; x < 2 * n; ++x) {
            double a = 3.14159265358979 * y / n, b = 3.14159265358979 * x / n;
            const double v[3] = {sin(a) * cos(b), sin(a) * sin(b), cos(a)};
            memcpy(p.position[y * 2 * n + x], v, sizeof v);
        }
    for (uint32_t y = 0; y < n; ++y)
        for (uint32_t x = 0; x < 2 * n; ++x) {
            uint32_t v = y * 2 * n + x, w = y * 2 * n + (x + 1) % (2 * n);
            const uint32_t two[2][3] = {{v, v + 2 * n, w + 2 * n}, {v, w + 2 * n, w}};
            if (y != n - 1)
                memcpy(p.corner[count++], two[0], sizeof two[0]);
            if (y != 0)
                memcpy(p.corner[count++], two[1], sizeof two[1]);
        }
    // The poles: one vertex for all.
    for (uint32_t t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k)
            p.corner[t][k] = p.corner[t][k] < 2 * n        ? 0
                             : p.corner[t][k] >= n * 2 * n ? n * 2 * n
                                                           : p.corner[t][k];
    assert_int_equal(count, p.triangle_count);
    return p;
}

static void round_positions(patch *p, graze_precision precision)
{
    if (precision == GRAZE_FLOAT32)
        for (uint32_t v = 0; v < p->vertex_count; ++v)
            for (int i = 0; i < 3; ++i) {
                volatile float narrow = (float)p->position[v][i]; // gcc 12 forgets plain casts
                p->position[v][i] = (double)narrow;
            }
}

static void deal(bench *b, const gz_surface *fine, uint32_t fine_count, const owned *coarse,
                 graze_precision precision)
{
    gz_deal d = {.coarse = patch_surface(&coarse->mesh),
                 .owner = coarse->owner,
                 .owner_count = coarse->owner_count,
                 .fine = fine,
                 .fine_count = fine_count,
                 .precision = precision};
    assert_true(coarse->owner_count <= MOST_OWNERS);
    assert_int_equal(gz_deal_regions(b->dealer, &d, b->regions), GRAZE_OK);
}

// --- What every deal keeps

static double area_of(const gz_surface *s, uint32_t t)
{
    const uint32_t *c = s->corner[t];
    double e[3], f[3], square = 0;
    for (int i = 0; i < 3; ++i) {
        e[i] = s->position[c[1]][i] - s->position[c[0]][i];
        f[i] = s->position[c[2]][i] - s->position[c[0]][i];
    }
    for (int i = 0; i < 3; ++i) {
        double x = e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
        square += x * x;
    }
    return sqrt(square) * 0.5;
}

static double area_sum(const gz_surface *s)
{
    double sum = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        sum += area_of(s, t);
    return sum;
}

// All own pieces as one surface.
static patch all_own(const bench *b, uint32_t owner_count)
{
    uint32_t vertices = 0, pieces = 0;
    for (uint32_t n = 0; n < owner_count; ++n) {
        vertices += (uint32_t)b->regions[n].positions.count;
        pieces += b->regions[n].own_count;
    }
    patch p = patch_make(vertices, pieces);
    p.vertex_count = p.triangle_count = 0;
    for (uint32_t n = 0; n < owner_count; ++n) {
        gz_surface own = gz_region_own(b->regions + n);
        for (uint32_t t = 0; t < own.triangle_count; ++t)
            for (int k = 0; k < 3; ++k)
                p.corner[p.triangle_count + t][k] = p.vertex_count + own.corner[t][k];
        if (own.vertex_count != 0)
            memcpy(p.position[p.vertex_count], own.position, 24 * (size_t)own.vertex_count);
        p.vertex_count += own.vertex_count;
        p.triangle_count += own.triangle_count;
    }
    return p;
}

static double largest(const gz_surface *s)
{
    double most = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i)
                most = fmax(most, fabs(s->position[s->corner[t][k]][i]));
    return most;
}

static double stray(bench *b, const gz_surface *from, const gz_surface *to, double floor)
{
    gz_deviation d;
    assert_int_equal(gz_deviation_set_target(b->query, to), GRAZE_OK);
    assert_int_equal(gz_deviation_from(b->query, from, 0.01, floor, &d), GRAZE_OK);
    return d.high;
}

// The region is sound: vertices in order of their first use, all of them used, in the precision.
static void check_region(const gz_region *region, graze_precision precision)
{
    gz_surface all = gz_region_all(region);
    uint32_t seen = 0;
    assert_true(region->own_count <= all.triangle_count);
    for (uint32_t t = 0; t < all.triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            assert_true(all.corner[t][k] <= seen);
            seen += all.corner[t][k] == seen;
        }
        assert_true(all.extra[t] >= 0);
    }
    assert_int_equal(seen, all.vertex_count);
    for (uint32_t v = 0; v < all.vertex_count; ++v)
        for (int i = 0; i < 3; ++i) {
            volatile float narrow = (float)all.position[v][i];
            assert_true(precision == GRAZE_FLOAT64 || (double)narrow == all.position[v][i]);
        }
}

static bool same_piece(const gz_surface *a, uint32_t s, const gz_surface *b, uint32_t t)
{
    bool same = a->extra[s] == b->extra[t];
    for (int k = 0; k < 3 && same; ++k)
        same = memcmp(a->position[a->corner[s][k]], b->position[b->corner[t][k]], 24) == 0;
    return same;
}

// Guests are own pieces of somebody else, each of them once, unless there are doubles.
static void check_guests(const bench *b, uint32_t owner_count, bool doubles)
{
    for (uint32_t n = 0; n < owner_count; ++n) {
        gz_surface all = gz_region_all(b->regions + n);
        uint32_t own = b->regions[n].own_count;
        for (uint32_t t = own; t < all.triangle_count; ++t) {
            uint32_t hosts = 0;
            for (uint32_t m = 0; m < owner_count && hosts == 0; ++m) {
                gz_surface other = gz_region_own(b->regions + m);
                for (uint32_t s = 0; m != n && s < other.triangle_count && hosts == 0; ++s)
                    hosts += same_piece(&all, t, &other, s);
            }
            assert_int_equal(hosts, 1);
            for (uint32_t s = own; s < t && !doubles; ++s)
                assert_false(memcmp(all.corner[s], all.corner[t], sizeof all.corner[s]) == 0);
        }
    }
}

// Every piece that shares a vertex with an own piece is there, as an own piece or as a guest.
static void check_neighbours(const bench *b, uint32_t owner_count)
{
    for (uint32_t n = 0; n < owner_count; ++n) {
        gz_surface all = gz_region_all(b->regions + n);
        uint32_t own_vertices = 0; // vertices are numbered by first use
        for (uint32_t t = 0; t < b->regions[n].own_count; ++t)
            for (int k = 0; k < 3; ++k)
                own_vertices =
                    all.corner[t][k] >= own_vertices ? all.corner[t][k] + 1 : own_vertices;
        for (uint32_t m = 0; m < owner_count; ++m) {
            gz_surface other = gz_region_own(b->regions + m);
            for (uint32_t s = 0; m != n && s < other.triangle_count; ++s) {
                bool touches = false, there = false;
                for (uint32_t v = 0; v < own_vertices && !touches; ++v)
                    for (int k = 0; k < 3; ++k)
                        touches = touches || memcmp(all.position[v],
                                                    other.position[other.corner[s][k]], 24) == 0;
                for (uint32_t t = b->regions[n].own_count; touches && t < all.triangle_count; ++t)
                    there = there || same_piece(&all, t, &other, s);
                assert_true(there || !touches);
            }
        }
    }
}

// Extras say how far pieces are from what they stand for: with the largest one more than was given,
// both surfaces are the same, and their areas are.
static void check_union(bench *b, const gz_surface *fine, uint32_t owner_count,
                        graze_precision precision)
{
    double given = 0, extra = 0, size = largest(fine);
    for (uint32_t t = 0; fine->extra != NULL && t < fine->triangle_count; ++t)
        given = fmax(given, (double)fine->extra[t]);
    for (uint32_t n = 0; n < owner_count; ++n) {
        gz_surface all = gz_region_all(b->regions + n);
        check_region(b->regions + n, precision);
        for (uint32_t t = 0; t < all.triangle_count; ++t)
            extra = fmax(extra, (double)all.extra[t]);
    }
    double moved = extra - given, epsilon = precision == GRAZE_FLOAT32 ? 0x1p-23 : 0x1p-48;
    assert_true(moved <= 3 * epsilon * size + 1e-44 + 0x1p-22 * given);
    patch all = all_own(b, owner_count);
    gz_surface s = patch_surface(&all), bare = *fine;
    bare.extra = NULL;
    double slack = moved + 1e-9 * size, there = stray(b, &bare, &s, slack);
    double back = stray(b, &s, &bare, slack);
    if (!(there <= slack && back <= slack))
        fail_msg("moved by %.3g and %.3g, not %.3g", there, back, slack);
    double before = area_sum(fine), after = area_sum(&s);
    assert_true(fabs(before - after) <= 1e-9 * before + 8 * moved * size * s.triangle_count);
    patch_free(&all);
}

static void same_regions(const gz_region *a, const gz_region *b)
{
    assert_int_equal(a->own_count, b->own_count);
    assert_int_equal(a->positions.count, b->positions.count);
    assert_int_equal(a->corners.count, b->corners.count);
    assert_int_equal(a->extras.count, b->extras.count);
    if (a->corners.count != 0) {
        assert_memory_equal(a->positions.items, b->positions.items, 24 * a->positions.count);
        assert_memory_equal(a->corners.items, b->corners.items, 12 * a->corners.count);
        assert_memory_equal(a->extras.items, b->extras.items, 4 * a->extras.count);
    }
}

// How far a point is from a triangle; 1 where that is more than 1e-3 along an axis.
static double distance_from(const gz_surface *s, uint32_t t, const double p[3])
{
    graze_triangle point, triangle;
    graze_closest closest;
    const uint32_t *c = s->corner[t];
    for (int i = 0; i < 3; ++i) {
        double x = s->position[c[0]][i], y = s->position[c[1]][i], z = s->position[c[2]][i];
        if (fmin(x, fmin(y, z)) > p[i] + 1e-3 || fmax(x, fmax(y, z)) < p[i] - 1e-3)
            return 1;
    }
    for (int k = 0; k < 3; ++k) {
        memcpy(point.corner[k], p, sizeof point.corner[k]);
        memcpy(triangle.corner[k], s->position[s->corner[t][k]], sizeof triangle.corner[k]);
    }
    graze_triangle_closest(&point, &triangle, &closest);
    return closest.distance;
}

// --- Shapes

static void one_triangle_stays_whole(void **state)
{
    (void)state;
    bench b = open_bench();
    patch fine = patch_relief(10, 0.05, 3);
    owned coarse = own_by_grid(patch_relief(10, 0.05, 3), 1);
    gz_surface s = patch_surface(&fine);
    deal(&b, &s, 1, &coarse, GRAZE_FLOAT64);
    assert_int_equal(b.regions[0].own_count, fine.triangle_count);
    assert_int_equal(b.regions[0].corners.count, fine.triangle_count);
    assert_int_equal(gz_deal_counted(b.dealer).searches, 0);
    free_owned(&coarse);
    patch_free(&fine);
    close_bench(&b);
}

// Where nothing was simplified, nothing is cut, and each triangle goes to its own owner.
static void same_surface(void **state)
{
    (void)state;
    bench b = open_bench();
    for (int shape = 0; shape < 3; ++shape) {
        patch fine = shape == 0 ? sphere(16) : patch_relief(24, shape == 1 ? 0 : 0.1, 5);
        owned coarse = own_by_grid(patch_coarsen(&fine, fine.triangle_count), 3);
        gz_surface s = patch_surface(&fine);
        deal(&b, &s, 1, &coarse, GRAZE_FLOAT64);
        assert_int_equal(gz_deal_counted(b.dealer).cut, 0);
        uint32_t given[9] = {0};
        for (uint32_t t = 0; t < fine.triangle_count; ++t)
            given[coarse.owner[t]]++;
        for (uint32_t n = 0; n < 9; ++n)
            assert_int_equal(b.regions[n].own_count, given[n]);
        check_union(&b, &s, 9, GRAZE_FLOAT64);
        check_guests(&b, 9, false);
        check_neighbours(&b, 9);
        free_owned(&coarse);
        patch_free(&fine);
    }
    close_bench(&b);
}

// The part of the coarse mesh that belongs to an owner.
static patch part_of(const owned *o, uint32_t owner)
{
    patch p = patch_make(o->mesh.vertex_count, o->mesh.triangle_count);
    memcpy(p.position, o->mesh.position, sizeof *p.position * p.vertex_count);
    p.triangle_count = 0;
    for (uint32_t t = 0; t < o->mesh.triangle_count; ++t)
        if (o->owner[t] == owner)
            memcpy(p.corner[p.triangle_count++], o->mesh.corner[t], sizeof p.corner[0]);
    return p;
}

// Own pieces are hardly farther from their owner than the fine surface is from the coarse one, and
// the owner is hardly farther from its region.
static void check_near(bench *b, const gz_surface *fine, const owned *coarse, double size,
                       double most)
{
    gz_surface whole = patch_surface(&coarse->mesh);
    double floor = 1e-6 * size;
    double there = fmax(floor, stray(b, fine, &whole, floor));
    double back = fmax(floor, stray(b, &whole, fine, floor));
    for (uint32_t n = 0; n < coarse->owner_count; ++n) {
        patch part = part_of(coarse, n);
        gz_surface s = patch_surface(&part), own = gz_region_own(b->regions + n),
                   all = gz_region_all(b->regions + n);
        if (part.triangle_count != 0) {
            double near = stray(b, &own, &s, floor), far = stray(b, &s, &all, floor);
            if (near > most * there || far > most * back)
                fail_msg("owner %u: %.3g and %.3g, all %.3g and %.3g", n, near, far, there, back);
        }
        patch_free(&part);
    }
}

static void simplified(void **state)
{
    (void)state;
    bench b = open_bench();
    for (int n = 0; n < 10; ++n) {
        graze_precision precision = n % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        patch fine = n < 2   ? sphere(40)
                     : n < 4 ? patch_relief(50, 0, 1)
                             : patch_relief(60, 0.02 * n, (uint64_t)n);
        round_positions(&fine, precision);
        owned coarse = own_by_grid(patch_coarsen(&fine, fine.triangle_count / 4), 4);
        gz_surface s = patch_surface(&fine);
        deal(&b, &s, 1, &coarse, precision);
        check_union(&b, &s, coarse.owner_count, precision);
        check_guests(&b, coarse.owner_count, false);
        check_near(&b, &s, &coarse, 1, 1.3);
        free_owned(&coarse);
        patch_free(&fine);
    }
    close_bench(&b);
}

// Several parts with vertices of their own, and extras; moved far away, where floats have few
// digits left.
static void parts_with_extras(void **state)
{
    (void)state;
    bench b = open_bench();
    for (int n = 0; n < 4; ++n) {
        graze_precision precision = n % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        patch fine = patch_relief(32, 0.1, 9 + (uint64_t)n);
        for (uint32_t v = 0; v < fine.vertex_count; ++v)
            for (int i = 0; i < 3; ++i)
                fine.position[v][i] += n < 2 ? 0 : 300 * i;
        round_positions(&fine, precision);
        owned coarse = own_by_grid(patch_coarsen(&fine, fine.triangle_count / 4), 3);
        float *extra = malloc(fine.triangle_count * sizeof *extra);
        assert_non_null(extra);
        for (uint32_t t = 0; t < fine.triangle_count; ++t)
            extra[t] = (float)(t % 5) * 1e-3f;
        gz_surface whole = patch_surface(&fine), parts[7];
        whole.extra = extra;
        uint32_t first = 0;
        for (uint32_t k = 0; k < 7; ++k) {
            uint32_t end = k == 6 ? fine.triangle_count : fine.triangle_count / 7 * (k + 1);
            parts[k] = whole;
            parts[k].corner += first;
            parts[k].extra += first;
            parts[k].triangle_count = end - first;
            first = end;
        }
        deal(&b, parts, 7, &coarse, precision);
        check_union(&b, &whole, coarse.owner_count, precision);
        check_guests(&b, coarse.owner_count, false);
        // Each piece has the extra of the triangle that its middle is on, or hardly more.
        for (uint32_t m = 0; m < coarse.owner_count; ++m) {
            gz_surface own = gz_region_own(b.regions + m);
            for (uint32_t t = 0; t < own.triangle_count; t += 29) {
                const uint32_t *c = own.corner[t];
                double middle[3], best = 1, least = 1, most = 0;
                for (int i = 0; i < 3; ++i)
                    middle[i] =
                        (own.position[c[0]][i] + own.position[c[1]][i] + own.position[c[2]][i]) / 3;
                for (uint32_t s = 0; s < fine.triangle_count; ++s) {
                    double lie = distance_from(&whole, s, middle);
                    if (lie < 1e-4 && (double)extra[s] < least)
                        least = (double)extra[s];
                    if (lie < 1e-4 && (double)extra[s] > most)
                        most = (double)extra[s];
                    best = fmin(best, lie);
                }
                assert_true(best < 1e-4 && (double)own.extra[t] >= least &&
                            (double)own.extra[t] <= most + 2e-4);
            }
        }
        // The same again, with regions that were used before.
        gz_region copy[9] = {{.own_count = 0}};
        memcpy(copy, b.regions, sizeof copy);
        memset(b.regions, 0, sizeof b.regions);
        deal(&b, parts, 7, &coarse, precision);
        for (uint32_t m = 0; m < 9; ++m) {
            same_regions(copy + m, b.regions + m);
            gz_region_free(b.context, copy + m);
        }
        free(extra);
        free_owned(&coarse);
        patch_free(&fine);
    }
    close_bench(&b);
}

// Regions of regions: what is dealt out twice is still all of it.
static void dealt_twice(void **state)
{
    (void)state;
    bench b = open_bench(), second = open_bench();
    for (int n = 0; n < 4; ++n) {
        graze_precision precision = n % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        patch fine = n < 2 ? sphere(32) : patch_relief(48, 0.1, 4);
        round_positions(&fine, precision);
        owned half = own_by_grid(patch_coarsen(&fine, fine.triangle_count / 2), 4);
        owned coarse = own_by_grid(patch_coarsen(&half.mesh, fine.triangle_count / 4), 3);
        gz_surface whole = patch_surface(&fine), parts[16];
        deal(&b, &whole, 1, &half, precision);
        for (uint32_t m = 0; m < 16; ++m)
            parts[m] = gz_region_own(b.regions + m);
        deal(&second, parts, 16, &coarse, precision);
        check_union(&second, &whole, coarse.owner_count, precision);
        check_near(&second, &whole, &coarse, 1, 1.3);
        free_owned(&half);
        free_owned(&coarse);
        patch_free(&fine);
    }
    close_bench(&b);
    close_bench(&second);
}

// --- Nasty ones

static patch soup_of(test_random *random, uint32_t count)
{
    patch p = patch_make(count + 3, count);
    for (uint32_t v = 0; v < p.vertex_count; ++v)
        for (int i = 0; i < 3; ++i) {
            double x = test_unit(random);
            p.position[v][i] = test_next(random) % 3 == 0 ? floor(x * 4) / 4 : x;
        }
    for (uint32_t t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k)
            p.corner[t][k] = (uint32_t)(test_next(random) % p.vertex_count);
    return p;
}

static void soups(void **state)
{
    (void)state;
    bench b = open_bench();
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = {seed};
        graze_precision precision = seed % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        patch fine = soup_of(&random, 1 + (uint32_t)(test_next(&random) % 60));
        round_positions(&fine, precision);
        owned coarse = {soup_of(&random, 1 + (uint32_t)(test_next(&random) % 30)), NULL, 5};
        if (seed % 3 == 0) { // those of the fine one, and every second triangle
            patch_free(&coarse.mesh);
            coarse.mesh = patch_coarsen(&fine, fine.triangle_count);
            coarse.mesh.triangle_count = (fine.triangle_count + 1) / 2;
        }
        coarse.owner = malloc(sizeof(uint32_t) * (coarse.mesh.triangle_count + 1));
        assert_non_null(coarse.owner);
        for (uint32_t t = 0; t < coarse.mesh.triangle_count; ++t)
            coarse.owner[t] = (uint32_t)(test_next(&random) % 4); // the last has none
        gz_surface s = patch_surface(&fine);
        deal(&b, &s, 1, &coarse, precision);
        check_union(&b, &s, 5, precision);
        check_guests(&b, 5, true);
        check_neighbours(&b, 5);
        assert_int_equal(b.regions[4].own_count, 0);
        free_owned(&coarse);
        patch_free(&fine);
    }
    close_bench(&b);
}

static void scale_patch(patch *p, double scale, double shift)
{
    for (uint32_t v = 0; v < p->vertex_count; ++v)
        for (int i = 0; i < 3; ++i)
            p->position[v][i] = p->position[v][i] * scale + shift;
}

// Sizes that have nothing to do with each other: pieces tiny beside their distance, a coarse
// surface that is as good as a point, numbers next to the largest and the smallest.
static void odd_sizes(void **state)
{
    (void)state;
    static const double scales[6][2] = {{1, 1e-6}, {1e-6, 1},          {1e30, 1e-30},
                                        {1, 0},    {0x1p900, 0x1p900}, {0x1p-1000, 0x1p-1000}};
    bench b = open_bench();
    for (int n = 0; n < 12; ++n) {
        patch fine = patch_relief(8, 0.1, 3), other = patch_relief(5, 0.2, 4);
        owned coarse = own_by_grid(other, 2);
        scale_patch(&fine, scales[n % 6][0], n < 6 ? 0 : scales[n % 6][0]);
        scale_patch(&coarse.mesh, scales[n % 6][1], 0);
        gz_surface s = patch_surface(&fine);
        deal(&b, &s, 1, &coarse, GRAZE_FLOAT64);
        uint32_t own = 0;
        for (uint32_t m = 0; m < 4; ++m) {
            check_region(b.regions + m, GRAZE_FLOAT64);
            own += b.regions[m].own_count;
        }
        assert_true(own >= fine.triangle_count);
        if (n % 6 < 4)
            check_union(&b, &s, 4, GRAZE_FLOAT64);
        free_owned(&coarse);
        patch_free(&fine);
    }
    close_bench(&b);
}

static void nothing_to_deal(void **state)
{
    (void)state;
    bench b = open_bench();
    patch empty = patch_make(0, 0), fine = patch_relief(4, 0.1, 1);
    owned none = {patch_make(0, 0), malloc(4), 3}, nobody = {patch_make(0, 0), malloc(4), 0};
    owned coarse = own_by_grid(patch_relief(4, 0.1, 1), 2);
    gz_surface s = patch_surface(&fine), e = patch_surface(&empty);
    deal(&b, &e, 1, &coarse, GRAZE_FLOAT32); // nothing to owners
    for (int m = 0; m < 4; ++m)
        assert_int_equal(b.regions[m].corners.count, 0);
    deal(&b, NULL, 0, &nobody, GRAZE_FLOAT32);
    deal(&b, &s, 1, &none, GRAZE_FLOAT64); // something to owners of nothing
    assert_int_equal(b.regions[0].own_count, fine.triangle_count);
    assert_int_equal(b.regions[1].own_count + b.regions[2].own_count, 0);
    gz_deal d = {.coarse = patch_surface(&coarse.mesh),
                 .owner = coarse.owner,
                 .owner_count = 4,
                 .fine = &s,
                 .fine_count = 1,
                 .precision = GRAZE_FLOAT64};
    coarse.owner[3] = 4;
    assert_int_equal(gz_deal_regions(b.dealer, &d, b.regions), GRAZE_ERROR_ARGUMENT);
    assert_string_equal(test_last_error, "triangle 3 of a surface has owner 4 of 4");
    assert_int_equal(b.regions[0].corners.count + b.regions[0].own_count, 0);
    coarse.owner[3] = 0;
    fine.position[3][1] = NAN;
    assert_int_equal(gz_deal_regions(b.dealer, &d, b.regions), GRAZE_ERROR_ARGUMENT);
    fine.position[3][1] = 0.5;
    d.coarse.triangle_count = d.owner_count = 0;
    assert_int_equal(gz_deal_regions(b.dealer, &d, b.regions), GRAZE_ERROR_ARGUMENT);
    assert_string_equal(test_last_error, "a surface is dealt out to nobody");
    free_owned(&none);
    free_owned(&nobody);
    free_owned(&coarse);
    patch_free(&empty);
    patch_free(&fine);
    close_bench(&b);
}

// --- Bytes

static void packed_and_back(void **state)
{
    (void)state;
    bench b = open_bench();
    gz_list bytes = {0};
    for (int n = 0; n < 4; ++n) {
        graze_precision precision = n % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        patch fine = patch_relief(30, 0.1, 5);
        round_positions(&fine, precision);
        owned coarse = own_by_grid(patch_coarsen(&fine, fine.triangle_count / 4), 3);
        gz_surface s = patch_surface(&fine);
        deal(&b, &s, n < 2, &coarse, precision); // then nothing
        gz_region back = {.own_count = 0};
        for (uint32_t m = 0; m < 9; ++m) {
            uint64_t start = bytes.count;
            assert_true(gz_region_pack(b.context, b.regions + m, precision, &bytes));
            const uint8_t *from = (const uint8_t *)bytes.items + start;
            assert_int_equal(
                gz_region_unpack(b.context, from, bytes.count - start, precision, &back), GRAZE_OK);
            same_regions(b.regions + m, &back);
            assert_true(bytes.count - start <= 12 + 40 * back.corners.count);
        }
        gz_region_free(b.context, &back);
        free_owned(&coarse);
        patch_free(&fine);
    }
    gz_list_free(b.context, &bytes, 1);
    close_bench(&b);
}

// Cut short, or with some bytes changed: refused, or a region that keeps the rules.
static void damaged_bytes(void **state)
{
    (void)state;
    bench b = open_bench();
    patch fine = patch_relief(6, 0.1, 5);
    owned coarse = own_by_grid(patch_coarsen(&fine, fine.triangle_count / 2), 2);
    gz_surface s = patch_surface(&fine);
    gz_list bytes = {0};
    deal(&b, &s, 1, &coarse, GRAZE_FLOAT64);
    assert_true(gz_region_pack(b.context, b.regions + 1, GRAZE_FLOAT64, &bytes));
    gz_region back = {.own_count = 0};
    uint32_t refused = 0;
    for (uint64_t size = 0; size < bytes.count; ++size) {
        uint8_t *part = malloc(size + 1); // of its own, so that reading beyond is seen
        assert_non_null(part);
        memcpy(part, bytes.items, size);
        assert_int_equal(gz_region_unpack(b.context, part, size, GRAZE_FLOAT64, &back),
                         GRAZE_ERROR_FORMAT);
        assert_true(back.corners.count == 0 && back.positions.count == 0 && back.own_count == 0);
        free(part);
    }
    uint8_t *copy = malloc(bytes.count);
    assert_non_null(copy);
    for (uint64_t seed = 1; seed <= 20000; ++seed) {
        test_random random = {seed};
        memcpy(copy, bytes.items, bytes.count);
        for (uint64_t n = 1 + test_next(&random) % 3; n != 0; --n) {
            uint64_t at = test_next(&random) % (seed % 4 == 0 ? 12 : bytes.count);
            copy[at] = test_next(&random) % 3 == 0 ? 0xff : (uint8_t)test_next(&random);
        }
        graze_status status = gz_region_unpack(b.context, copy, bytes.count, GRAZE_FLOAT64, &back);
        assert_true(status == GRAZE_OK || status == GRAZE_ERROR_FORMAT);
        refused += status != GRAZE_OK;
        check_region(&back, GRAZE_FLOAT64);
        for (uint64_t i = 0; i < 3 * back.positions.count; ++i)
            assert_true(isfinite(((const double *)back.positions.items)[i]));
    }
    assert_true(refused > 5000 && refused < 19999);
    free(copy);
    gz_region_free(b.context, &back);
    gz_list_free(b.context, &bytes, 1);
    free_owned(&coarse);
    patch_free(&fine);
    close_bench(&b);
}

// --- Memory

typedef struct two {
    patch fine;
    owned coarse;
} two;

static graze_status whole_deal(graze_context *context, void *data)
{
    const two *t = data;
    gz_surface fine = patch_surface(&t->fine);
    gz_deal d = {.coarse = patch_surface(&t->coarse.mesh),
                 .owner = t->coarse.owner,
                 .owner_count = t->coarse.owner_count,
                 .fine = &fine,
                 .fine_count = 1,
                 .precision = GRAZE_FLOAT32};
    gz_region regions[9] = {{.own_count = 0}}, back = {.own_count = 0};
    gz_list bytes = {0};
    gz_dealer *dealer = NULL;
    graze_status status = gz_dealer_create(context, &dealer);
    if (status == GRAZE_OK)
        status = gz_deal_regions(dealer, &d, regions);
    for (int n = 0; n < 9 && status != GRAZE_OK; ++n)
        assert_true(regions[n].own_count == 0 && regions[n].corners.count == 0);
    bool packed = status == GRAZE_OK && gz_region_pack(context, regions, GRAZE_FLOAT32, &bytes);
    if (packed)
        status = gz_region_unpack(context, bytes.items, bytes.count, GRAZE_FLOAT32, &back);
    else
        assert_int_equal(bytes.count, 0);
    for (int n = 0; n < 9; ++n)
        gz_region_free(context, regions + n);
    gz_region_free(context, &back);
    gz_list_free(context, &bytes, 1);
    gz_dealer_destroy(dealer);
    return status;
}

static void failing_memory(void **state)
{
    (void)state;
    two t = {.fine = patch_relief(16, 0.1, 2)};
    round_positions(&t.fine, GRAZE_FLOAT32);
    t.coarse = own_by_grid(patch_coarsen(&t.fine, t.fine.triangle_count / 4), 3);
    assert_true(test_all_faults(whole_deal, &t, 1) > 20);
    free_owned(&t.coarse);
    patch_free(&t.fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_triangle_stays_whole),
        cmocka_unit_test(same_surface),
        cmocka_unit_test(simplified),
        cmocka_unit_test(parts_with_extras),
        cmocka_unit_test(dealt_twice),
        cmocka_unit_test(soups),
        cmocka_unit_test(odd_sizes),
        cmocka_unit_test(nothing_to_deal),
        cmocka_unit_test(packed_and_back),
        cmocka_unit_test(damaged_bytes),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
