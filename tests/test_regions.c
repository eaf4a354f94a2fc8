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
            for (int i = 0; i < 3; ++i)
                p->position[v][i] = (double)(float)p->position[v][i];
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
        for (int i = 0; i < 3; ++i)
            assert_true(precision == GRAZE_FLOAT64 ||
                        (double)(float)all.position[v][i] == all.position[v][i]);
}

static bool same_piece(const gz_surface *a, uint32_t s, const gz_surface *b, uint32_t t)
{
    bool same = a->extra[s] == b->extra[t];
    for (int k = 0; k < 3 && same; ++k)
        same = memcmp(a->position[a->corner[s][k]], b->position[b->corner[t][k]], 24) == 0;
    return same;
}

// Guests are own pieces of somebody else, and each piece is a guest once; where owners meet, they
// have guests.
static void check_guests(const bench *b, uint32_t owner_count)
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
            for (uint32_t s = own; s < t; ++s)
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
        check_guests(&b, 9);
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
        check_guests(&b, coarse.owner_count);
        check_near(&b, &s, &coarse, 1, 1.3);
        free_owned(&coarse);
        patch_free(&fine);
    }
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_triangle_stays_whole),
        cmocka_unit_test(same_surface),
        cmocka_unit_test(simplified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
