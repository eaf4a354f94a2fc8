// Regions: over several levels, joined in ever other groups and dealt out again, they stay what a
// finer surface is: each of its triangles is measured against once, what is near a cluster is
// there, and each of its points belongs to a cluster that is near. Regions survive as bytes, and
// hostile bytes, parts of two corners and failing memory are survived.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "deviations.h"
#include "faults.h"
#include "patches.h"
#include "simplify/regions.h"

enum { MOST_OWNERS = 36 };

typedef struct bench {
    graze_context *context;
    gz_deviation_query *query;
    gz_shares shares;
    gz_welded_mesh places;
    gz_index_list map;
    gz_byte_list bytes;
    gz_region joined, back;
} bench;

static bench open_bench(graze_context *context)
{
    return (bench){.context = context, .places = {.context = context}};
}

static void close_bench(bench *b)
{
    gz_deviation_query_destroy(b->query);
    gz_list_free(b->context, &b->shares.shares);
    gz_list_free(b->context, &b->shares.corners);
    gz_list_free(b->context, &b->shares.sights);
    gz_welded_mesh_free(&b->places);
    gz_list_free(b->context, &b->map);
    gz_list_free(b->context, &b->bytes);
    gz_region_free(b->context, &b->joined);
    gz_region_free(b->context, &b->back);
}

// A mesh, whose triangles belong to owners, and what each of these stands for.
typedef struct level {
    patch mesh;
    uint32_t *owner, owner_count;
    gz_region regions[MOST_OWNERS];
    double most[MOST_OWNERS]; // how far what it stands for may be from it
} level;

static void free_level(graze_context *context, level *l)
{
    for (uint32_t n = 0; n < MOST_OWNERS; ++n)
        gz_region_free(context, l->regions + n);
    patch_free(&l->mesh);
    free(l->owner);
}

static graze_status out_of_memory(const bench *b)
{
    return gz_fail(b->context, GRAZE_ERROR_MEMORY, "out of memory");
}

// The first level: one owner that stands for itself.
static graze_status start(const bench *b, patch mesh, level *l)
{
    *l = (level){.mesh = mesh, .owner_count = 1};
    l->owner = calloc(mesh.triangle_count + 1, sizeof *l->owner);
    assert_non_null(l->owner);
    gz_welded_mesh group = {.positions = {.items = mesh.position, .count = mesh.vertex_count},
                            .corners = {.items = mesh.corner, .count = mesh.triangle_count}};
    return gz_region_set(b->context, &group, l->regions) ? GRAZE_OK : out_of_memory(b);
}

// --- What every region keeps

static void check_region(const gz_region *region, graze_precision precision)
{
    const uint32_t *corner = (const uint32_t *)region->corners.items;
    const double *x = (const double *)region->positions.items;
    const float *extra = region->extras.items;
    uint32_t seen = 0;
    assert_true((uint64_t)region->part_count + region->whole_count <= region->corners.count);
    assert_int_equal(region->extras.count, region->part_count + region->whole_count);
    for (uint64_t i = 0; i < 3 * region->corners.count; ++i) {
        assert_true(corner[i] <= seen); // numbered by first use
        seen += corner[i] == seen;
    }
    assert_int_equal(seen, region->positions.count);
    for (uint64_t i = 0; i < 3 * region->positions.count; ++i) {
        volatile float narrow = (float)x[i];
        assert_true(precision == GRAZE_FLOAT64 ? isfinite(x[i]) : (double)narrow == x[i]);
    }
    for (uint64_t t = 0; t < region->extras.count; ++t)
        assert_true(extra[t] >= 0);
}

static void same_regions(const gz_region *a, const gz_region *b)
{
    assert_int_equal(a->part_count, b->part_count);
    assert_int_equal(a->whole_count, b->whole_count);
    assert_int_equal(a->positions.count, b->positions.count);
    assert_int_equal(a->corners.count, b->corners.count);
    assert_int_equal(a->extras.count, b->extras.count);
    if (a->corners.count != 0) {
        assert_memory_equal(a->positions.items, b->positions.items, 24 * a->positions.count);
        assert_memory_equal(a->corners.items, b->corners.items, 12 * a->corners.count);
    }
    if (a->extras.count != 0)
        assert_memory_equal(a->extras.items, b->extras.items, 4 * a->extras.count);
}

// As bytes and back, into a region that is used for others, too.
static graze_status check_bytes(bench *b, const gz_region *region, graze_precision precision)
{
    uint64_t before = b->bytes.count;
    if (!gz_region_pack(b->context, region, precision, &b->bytes)) {
        assert_int_equal(b->bytes.count, before);
        return out_of_memory(b);
    }
    graze_status status = gz_region_unpack(b->context, (const uint8_t *)b->bytes.items + before,
                                           b->bytes.count - before, precision, &b->back);
    if (status == GRAZE_OK) {
        check_region(&b->back, precision);
        same_regions(region, &b->back);
    } else {
        assert_int_equal(b->back.positions.count + b->back.corners.count + b->back.extras.count, 0);
    }
    return status;
}

static const double *corner_of(const gz_surface *s, uint32_t t, int k)
{
    return s->position[s->corner[t][k]];
}

static double area_of(const gz_surface *s)
{
    double sum = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        double e[3], f[3], square = 0;
        for (int i = 0; i < 3; ++i) {
            e[i] = corner_of(s, t, 1)[i] - corner_of(s, t, 0)[i];
            f[i] = corner_of(s, t, 2)[i] - corner_of(s, t, 0)[i];
        }
        for (int i = 0; i < 3; ++i) {
            double x = e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
            square += x * x;
        }
        sum += sqrt(square) * 0.5;
    }
    return sum;
}

static uint32_t copies_of(const gz_surface *s, uint32_t t, const gz_surface *in)
{
    uint32_t count = 0;
    for (uint32_t other = 0; other < in->triangle_count; ++other) {
        bool same = true;
        for (int k = 0; k < 3 && same; ++k)
            for (int i = 0; i < 3; ++i)
                same = same && corner_of(s, t, k)[i] == corner_of(in, other, k)[i];
        count += same;
    }
    return count;
}

static patch patch_of(const gz_surface *s) // borrowed
{
    return (patch){(double(*)[3])(uintptr_t)s->position, (uint32_t(*)[3])(uintptr_t)s->corner,
                   s->vertex_count, s->triangle_count};
}

// What is in sight of an owner is in its region: points of the owner are as far from what is
// measured against as from the group's whole.
static void check_sight(const level *l, uint32_t owner, const gz_region *region,
                        const gz_region *joined, double sight, uint64_t seed)
{
    test_random random = {seed};
    gz_surface target = gz_region_target(region), whole = gz_region_target(joined);
    patch to = patch_of(&target), all = patch_of(&whole);
    for (uint32_t t = 0; t < l->mesh.triangle_count; ++t)
        for (uint32_t n = 0; n < 2 && l->owner[t] == owner; ++n) {
            long double point[3];
            patch_point(&l->mesh, t, 2 * n + 3 * (t % 2), &random, point);
            long double distance = patch_distance_of_all(&all, point);
            if (distance <= sight && patch_distance_of_all(&to, point) != distance)
                fail_msg("seed %llu: owner %u does not see something at %.3Lg within %.3g",
                         (unsigned long long)seed, owner, distance, sight);
        }
}

// All regions together: each triangle of the finest mesh is measured against once, parts have its
// area, and each of its points is near a part whose owner is near.
static void check_level(bench *b, const level *l, const patch *fine, bool doubles, uint64_t seed)
{
    test_random random = {seed};
    gz_surface first = patch_surface(fine);
    assert_true(gz_regions_join(b->context, l->regions, l->owner_count, &b->places, &b->joined));
    gz_surface all = gz_region_target(&b->joined), own = gz_region_own(&b->joined);
    for (uint32_t t = 0; t < fine->triangle_count; ++t) {
        uint32_t copies = copies_of(&first, t, &all);
        if (doubles ? copies == 0 : copies != 1)
            fail_msg("seed %llu: triangle %u is there %u times", (unsigned long long)seed, t,
                     copies);
    }
    assert_true(doubles || all.triangle_count == fine->triangle_count);
    double area = area_of(&own), truth = area_of(&first);
    if (fabs(area - truth) > 1e-5 * truth)
        fail_msg("seed %llu: area %.9g became %.9g", (unsigned long long)seed, truth, area);
    for (uint32_t t = 0; t < fine->triangle_count; ++t)
        for (uint32_t i = 0; i < 7; ++i) {
            long double point[3], epsilon = 0x1p-58L * patch_largest(fine);
            bool good = false;
            patch_point(fine, t, i, &random, point);
            for (uint32_t n = 0; n < l->owner_count && !good; ++n) {
                own = gz_region_own(l->regions + n);
                bool near = false;
                for (uint32_t s = 0; s < own.triangle_count && !near; ++s) {
                    const double *corner[3] = {corner_of(&own, s, 0), corner_of(&own, s, 1),
                                               corner_of(&own, s, 2)};
                    near = point_within(corner, point, own.extra[s] + epsilon);
                }
                good = near && patch_within(&l->mesh, l->owner, n, point, l->most[n] + epsilon);
            }
            if (!good)
                fail_msg("seed %llu: a point of triangle %u is nobody's", (unsigned long long)seed,
                         t);
        }
}

// --- From level to level

// The triangles of some owners: those that belong to a group.
static patch members_of(const level *l, uint32_t group, uint32_t groups)
{
    patch p = patch_copy(&l->mesh);
    p.triangle_count = 0;
    for (uint32_t t = 0; t < l->mesh.triangle_count; ++t)
        if (l->owner[t] % groups == group)
            memcpy(p.corner[p.triangle_count++], l->mesh.corner[t], sizeof p.corner[0]);
    return p;
}

static graze_status deal(bench *b, const gz_surface *to, const uint32_t *owner,
                         graze_precision precision, uint32_t owner_count, gz_region *regions,
                         double *most, double *sight)
{
    gz_surface own = gz_region_own(&b->joined), around = gz_region_around(&b->joined);
    gz_deviation d;
    graze_status status = gz_deviation_set_target(b->query, to);
    if (status == GRAZE_OK)
        status = gz_deviation_from(b->query, &own, 0.05, 1e-6, &d);
    if (status != GRAZE_OK)
        return status;
    *sight = 2 * d.high;
    gz_deal deal = {to, owner, d.high, *sight, 1e-6, UINT64_MAX, precision};
    status = gz_deviation_deal(b->query, &own, &deal, &b->shares, most);
    if (status == GRAZE_OK)
        status = gz_deviation_see(b->query, &around, &deal, own.triangle_count, &b->shares);
    if (status != GRAZE_OK)
        return status;
    return gz_regions_deal(b->context, &b->joined, &b->shares, &b->map, regions, owner_count)
               ? GRAZE_OK
               : out_of_memory(b);
}

// Groups of owners are simplified, each on its own, and dealt out to `parts` new owners.
static graze_status next_level(bench *b, const level *before, uint32_t groups, uint32_t parts,
                               graze_precision precision, uint64_t seed, level *l)
{
    test_random random = {seed};
    graze_status status = GRAZE_OK;
    *l = (level){.mesh = patch_make(0, 0), .owner = malloc(4), .owner_count = groups * parts};
    assert_true(l->owner != NULL && l->owner_count <= MOST_OWNERS);
    b->bytes.count = 0;
    for (uint32_t g = 0; g < groups && status == GRAZE_OK; ++g) {
        gz_region members[MOST_OWNERS];
        uint32_t count = 0;
        for (uint32_t n = g; n < before->owner_count; n += groups)
            members[count++] = before->regions[n];
        if (!gz_regions_join(b->context, members, count, &b->places, &b->joined))
            return out_of_memory(b);
        patch fine = members_of(before, g, groups);
        patch coarse = patch_simplify(&fine, fine.triangle_count / 2), both;
        if (coarse.triangle_count == 0)
            coarse.triangle_count = fine.triangle_count;
        uint32_t *owner = seed % 4 == 3 ? patch_own_by_chance(&coarse, parts, &random)
                                        : patch_own_by_grid(&coarse, parts);
        uint32_t first = l->mesh.triangle_count;
        double most = 0, sight = 0;
        gz_surface to = patch_surface(&coarse);
        status = deal(b, &to, owner, precision, parts, l->regions + g * parts, &most, &sight);
        both = patch_join(&l->mesh, &coarse);
        l->owner = realloc(l->owner, sizeof *l->owner * (both.triangle_count + 1));
        assert_non_null(l->owner);
        for (uint32_t t = 0; t < coarse.triangle_count; ++t)
            l->owner[first + t] = g * parts + owner[t];
        patch_free(&l->mesh);
        patch_free(&fine);
        patch_free(&coarse);
        free(owner);
        l->mesh = both;
        for (uint32_t n = g * parts; n < (g + 1) * parts && status == GRAZE_OK; ++n) {
            l->most[n] = most;
            check_region(l->regions + n, precision);
            if (seed != 0)
                check_sight(l, n, l->regions + n, &b->joined, sight, seed);
            status = check_bytes(b, l->regions + n, precision);
        }
    }
    return status;
}

// In groups that have nothing to do with those before: first all, then every third owner, then
// every second one, and all again.
static graze_status climb(bench *b, patch mesh, graze_precision precision, bool doubles,
                          uint64_t seed)
{
    static const uint32_t groups[4] = {1, 3, 2, 1}, parts[4] = {9, 2, 4, 3};
    level levels[5];
    int made = 1;
    graze_status status = start(b, mesh, levels);
    for (; made < 5 && status == GRAZE_OK; ++made) {
        status = next_level(b, levels + made - 1, groups[made - 1], parts[made - 1], precision,
                            seed, levels + made);
        if (status == GRAZE_OK && seed != 0)
            check_level(b, levels + made, &levels[0].mesh, doubles, seed);
    }
    while (made-- > 0)
        free_level(b->context, levels + made);
    return status;
}

static void run(patch mesh, graze_precision precision, bool doubles, uint64_t seed)
{
    bench b = open_bench(test_context(NULL));
    patch_round(&mesh, precision);
    assert_int_equal(gz_deviation_query_create(b.context, &b.query), GRAZE_OK);
    assert_int_equal(climb(&b, mesh, precision, doubles, seed), GRAZE_OK);
    close_bench(&b);
    test_context_done(b.context);
}

static void shapes(void **state)
{
    (void)state;
    static const char *const kinds[5] = {"sphere", "terrain", "knot", "torus", "plates"};
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 2 : 6); ++seed)
        run(patch_shape(kinds[seed % 5], 300), seed % 2 ? GRAZE_FLOAT64 : GRAZE_FLOAT32, false,
            seed);
}

// Triangles without area, and the same ones twice.
static void soups(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(30); ++seed) {
        test_random random = {seed};
        run(patch_of_chance(&random, 10 + (uint32_t)(seed * 3)),
            seed % 2 ? GRAZE_FLOAT64 : GRAZE_FLOAT32, true, seed);
    }
}

// Where more is near a triangle than is gathered: those that are cut are not lost.
static void heaps(void **state)
{
    (void)state;
    test_random random = {5};
    patch heap = patch_make(3600, 1200);
    for (uint32_t v = 0; v < heap.vertex_count; ++v) {
        heap.corner[v / 3][v % 3] = v;
        for (int i = 0; i < 3; ++i)
            heap.position[v][i] = test_unit(&random);
    }
    bench b = open_bench(test_context(NULL));
    level l;
    assert_int_equal(gz_deviation_query_create(b.context, &b.query), GRAZE_OK);
    assert_int_equal(start(&b, heap, &l), GRAZE_OK);
    assert_true(gz_regions_join(b.context, l.regions, 1, &b.places, &b.joined));
    gz_surface all_of_it = patch_surface(&heap), to = all_of_it;
    to.triangle_count -= 300;
    uint32_t *owner = patch_own_by_chance(&heap, 4, &random);
    double most, sight;
    assert_int_equal(deal(&b, &to, owner, GRAZE_FLOAT64, 4, l.regions, &most, &sight), GRAZE_OK);
    assert_true(gz_regions_join(b.context, l.regions, 4, &b.places, &b.joined));
    gz_surface all = gz_region_target(&b.joined);
    assert_int_equal(all.triangle_count, heap.triangle_count);
    for (uint32_t t = 0; t < heap.triangle_count; t += 7)
        assert_int_equal(copies_of(&all_of_it, t, &all), 1);
    free(owner);
    free_level(b.context, &l);
    close_bench(&b);
    test_context_done(b.context);
}

// --- Bytes

// Two triangles; of the first, one owner gets a side and a point, and the other all of it.
static void make_small(bench *b, gz_region regions[2])
{
    static double position[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.5}};
    static uint32_t corner[2][3] = {{0, 1, 2}, {1, 3, 2}};
    static gz_share shares[3] = {
        {0, 0, 0, 2, 0.25f}, {0, 1, 2, 5, 0.25f}, {.triangle = 1, .owner = 1, .extra = 0.125f}};
    static double corners[7][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0},   {0.5, 0, 0},
                                   {1, 0, 0}, {0, 1, 0}, {0, 0.25, 0}};
    static gz_sight sights[4] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    gz_welded_mesh mesh = {.positions = {.items = position, .count = 4},
                           .corners = {.items = corner, .count = 2}};
    gz_shares dealt = {.shares = {.items = shares, .count = 3},
                       .corners = {.items = corners, .count = 7},
                       .sights = {.items = sights, .count = 4}};
    assert_true(gz_region_set(b->context, &mesh, &b->joined));
    assert_true(gz_regions_deal(b->context, &b->joined, &dealt, &b->map, regions, 2));
}

static void two_corners(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    gz_region r[2] = {{.part_count = 0}, {.part_count = 0}}, again = {.part_count = 0};
    make_small(&b, r);
    for (int n = 0; n < 2; ++n) {
        check_region(r + n, GRAZE_FLOAT32);
        assert_int_equal(check_bytes(&b, r + n, GRAZE_FLOAT32), GRAZE_OK);
    }
    const uint32_t thin[3] = {0, 1, 1};
    assert_true(r[0].part_count == 1 && r[0].whole_count == 0 && r[0].corners.count == 3);
    assert_memory_equal(r[0].corners.items, thin, sizeof thin);
    assert_true(r[1].part_count == 3 && r[1].whole_count == 1 && r[1].corners.count == 5);
    assert_true(((float *)r[1].extras.items)[2] == 0.25f);
    assert_true(((float *)r[1].extras.items)[3] == 0.125f);
    // Joined: 1 + 3 parts, one whole triangle, and around it the one that was cut, once.
    assert_true(gz_regions_join(b.context, r, 2, &b.places, &b.joined));
    assert_true(b.joined.part_count == 4 && b.joined.whole_count == 1);
    assert_int_equal(b.joined.corners.count, 6);
    const float extras[5] = {0.25f, 0.25f, 0.25f, 0.25f, 0.125f};
    assert_memory_equal(b.joined.extras.items, extras, sizeof extras);
    assert_int_equal(gz_region_around(&b.joined).triangle_count, 1);
    gz_surface target = gz_region_target(&b.joined);
    assert_true(fabs(area_of(&target) - 0.5 - sqrt(1.5) / 2) < 1e-12);
    // A part that is passed on whole stays a part.
    gz_share shares[5];
    for (uint32_t t = 0; t < 5; ++t)
        shares[t] = (gz_share){.triangle = t, .extra = (float)t};
    gz_sight sight[2] = {{5, 0}, {0, 0}};
    gz_shares dealt = {.shares = {.items = shares, .count = 5},
                       .sights = {.items = sight, .count = 2}};
    assert_true(gz_regions_deal(b.context, &b.joined, &dealt, &b.map, &again, 1));
    check_region(&again, GRAZE_FLOAT32);
    assert_true(again.part_count == 4 && again.whole_count == 1 && again.corners.count == 6);
    assert_int_equal(check_bytes(&b, &again, GRAZE_FLOAT64), GRAZE_OK);
    gz_region_clear(&again); // nothing is a region, too
    assert_int_equal(check_bytes(&b, &again, GRAZE_FLOAT64), GRAZE_OK);
    for (int n = 0; n < 2; ++n)
        gz_region_free(b.context, r + n);
    gz_region_free(b.context, &again);
    close_bench(&b);
    test_context_done(b.context);
}

// Cut short, or with some bytes changed: refused, or a region that keeps the rules.
static void damaged_bytes(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    gz_region r[2] = {{.part_count = 0}, {.part_count = 0}};
    make_small(&b, r);
    assert_true(gz_region_pack(b.context, r + 1, GRAZE_FLOAT64, &b.bytes));
    uint32_t refused = 0;
    for (uint64_t size = 0; size < b.bytes.count; ++size) {
        uint8_t *part = malloc(size + (size == 0)); // of its own, so that reading beyond is seen
        assert_non_null(part);
        memcpy(part, b.bytes.items, size);
        assert_int_equal(gz_region_unpack(b.context, part, size, GRAZE_FLOAT64, &b.back),
                         GRAZE_ERROR_FORMAT);
        assert_true(b.back.corners.count + b.back.positions.count + b.back.extras.count == 0 &&
                    b.back.part_count + b.back.whole_count == 0);
        free(part);
    }
    uint8_t *copy = calloc(1, b.bytes.count + 1);
    assert_non_null(copy);
    memcpy(copy, b.bytes.items, b.bytes.count); // and one byte more
    assert_int_equal(gz_region_unpack(b.context, copy, b.bytes.count + 1, GRAZE_FLOAT64, &b.back),
                     GRAZE_ERROR_FORMAT);
    for (uint64_t seed = 1; seed <= 20000; ++seed) {
        test_random random = {seed};
        memcpy(copy, b.bytes.items, b.bytes.count);
        for (uint64_t n = 1 + test_next(&random) % 3; n != 0; --n) {
            uint64_t at = test_next(&random) % (seed % 4 == 0 ? 16 : b.bytes.count);
            copy[at] = test_next(&random) % 3 == 0 ? 0xff : (uint8_t)(test_next(&random) >> 20);
        }
        graze_status status =
            gz_region_unpack(b.context, copy, b.bytes.count, GRAZE_FLOAT64, &b.back);
        assert_true(status == GRAZE_OK || status == GRAZE_ERROR_FORMAT);
        refused += status != GRAZE_OK;
        check_region(&b.back, GRAZE_FLOAT64);
    }
    assert_true(refused > 5000 && refused < 19999);
    free(copy);
    for (int n = 0; n < 2; ++n)
        gz_region_free(b.context, r + n);
    close_bench(&b);
    test_context_done(b.context);
}

// --- Memory

static graze_status whole_climb(graze_context *context, void *data)
{
    bench b = open_bench(context);
    graze_status status = gz_deviation_query_create(context, &b.query);
    if (status == GRAZE_OK)
        status = climb(&b, patch_copy(data), GRAZE_FLOAT64, false, 0);
    close_bench(&b);
    return status;
}

static void failing_memory(void **state)
{
    (void)state;
    patch fine = patch_relief(TEST_SANITIZED ? 4 : 7, 0.1, 2);
    assert_true(test_all_faults(whole_climb, &fine, 1) > 50);
    patch_free(&fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),        cmocka_unit_test(soups),
        cmocka_unit_test(heaps),         cmocka_unit_test(two_corners),
        cmocka_unit_test(damaged_bytes), cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
