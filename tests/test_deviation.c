// Deviation of surfaces: cases whose value is known, spikes that no sample would find, random
// surfaces against dense samples and distances of their own, where the value is attained, moved and
// scaled surfaces, all SIMD widths, failing memory, and what is refused.
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "deviations.h"
#include "faults.h"
#include "patches.h"

// --- Known cases

static void lift(patch *p, double height)
{
    for (uint32_t v = 0; v < p->vertex_count; ++v)
        p->position[v][2] += height;
}

static void parallel_planes(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch fine = patch_relief(24, 0, 1), coarse = patch_relief(5, 0, 1);
    lift(&fine, 0.125);
    gz_deviation d = deviation_measure(&b, &fine, &coarse, 1e-9, 0);
    deviation_check_value(&d, 0.125, 1e-9);
    d = deviation_measure(&b, &coarse, &fine, 1e-9, 0);
    deviation_check_value(&d, 0.125, 1e-9);
    lift(&fine, -0.125); // one and the same plane: nothing but rounding is left
    for (int way = 0; way < 2; ++way) {
        d = way == 0 ? deviation_measure(&b, &fine, &coarse, DEVIATION_GAP, 0)
                     : deviation_measure(&b, &coarse, &fine, DEVIATION_GAP, 0);
        assert_true(d.low == 0 && d.high < 1e-13);
        assert_int_equal(gz_deviation_counted(b.query).given_up, 0);
    }
    patch_free(&fine);
    patch_free(&coarse);
    deviation_close(&b);
}

// A needle on a plane, thinner than any spacing of samples, and one that is a triangle of no width.
static void spikes(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch plane = patch_relief(20, 0, 1);
    for (int n = 0; n < 4; ++n) {
        double width = n == 3 ? 0 : pow(10, -4 * n - 3), height = 0.3;
        patch spiked = patch_make(plane.vertex_count + 3, plane.triangle_count + 1);
        memcpy(spiked.position, plane.position, sizeof *plane.position * plane.vertex_count);
        memcpy(spiked.corner, plane.corner, sizeof *plane.corner * plane.triangle_count);
        const double needle[3][3] = {{0.51, 0.52, 0}, {0.51 + width, 0.52, 0}, {0.5, 0.5, height}};
        memcpy(spiked.position[plane.vertex_count], needle, sizeof needle);
        for (uint32_t k = 0; k < 3; ++k)
            spiked.corner[plane.triangle_count][k] = plane.vertex_count + k;
        gz_deviation d = deviation_measure(&b, &spiked, &plane, DEVIATION_GAP, 1e-6);
        deviation_check_value(&d, height, 1e-10);
        d = deviation_measure(&b, &plane, &spiked, DEVIATION_GAP, 1e-6); // the plane is still there
        assert_true(d.high <= 1e-6);
        patch_free(&spiked);
    }
    deviation_close(&b);
    patch_free(&plane);
}

// A hollow that only shows between vertices: all vertices of the chord are on the arc.
static void chord_and_arc(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    enum { STEPS = 256 };
    patch arc = patch_make(2 * (STEPS + 1), 2 * STEPS), chord = patch_make(4, 2);
    double angle = 1.0;
    for (uint32_t s = 0; s <= STEPS; ++s)
        for (uint32_t k = 0; k < 2; ++k) {
            double a = angle * ((double)s / STEPS - 0.5);
            const double p[3] = {sin(a), k, cos(a)};
            memcpy(arc.position[2 * s + k], p, sizeof p);
        }
    for (uint32_t s = 0; s < STEPS; ++s) {
        const uint32_t two[2][3] = {{2 * s, 2 * s + 1, 2 * s + 2},
                                    {2 * s + 1, 2 * s + 3, 2 * s + 2}};
        memcpy(arc.corner[2 * s], two, sizeof two);
    }
    const uint32_t two[2][3] = {{0, 1, 2}, {1, 3, 2}};
    memcpy(chord.corner, two, sizeof two);
    for (int k = 0; k < 2; ++k) {
        memcpy(chord.position[k], arc.position[k], 24);
        memcpy(chord.position[2 + k], arc.position[2 * STEPS + k], 24);
    }
    double truth = 1 - cos(angle / 2); // a vertex of the arc is in its middle
    gz_deviation d = deviation_measure(&b, &arc, &chord, 0.001, 0);
    deviation_check_value(&d, truth, 0.001);
    // The other way it is the same, but for what the arc's own edges cut off.
    d = deviation_measure(&b, &chord, &arc, 0.001, 0);
    assert_true(d.high <= 1.001 * d.low && fabs(d.low - truth) < 0.002 * truth);
    patch_free(&arc);
    patch_free(&chord);
    deviation_close(&b);
}

// The top of a cap of a sphere over the plane of its rim, and the plane's middle below the cap.
static void plane_and_cap(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch cap = patch_relief(40, 0, 1), plane = patch_relief(3, 0, 1);
    double radius = 2, top = radius - sqrt(radius * radius - 0.5);
    for (uint32_t v = 0; v < cap.vertex_count; ++v) {
        double *p = cap.position[v], x = p[0] - 0.5, y = p[1] - 0.5;
        p[2] = sqrt(radius * radius - x * x - y * y) - (radius - top);
    }
    gz_deviation d = deviation_measure(&b, &cap, &plane, 0.001, 0);
    deviation_check_value(&d, top, 0.001);
    // From the plane: a sphere is nearest radially. Its point below the top is `top` away along the
    // axis; the facets are inside the sphere by less than 1e-4.
    d = deviation_measure(&b, &plane, &cap, 0.001, 0);
    assert_true(d.high <= 1.001 * d.low && fabs(d.low - top) < 0.002 * top);
    patch_free(&cap);
    patch_free(&plane);
    deviation_close(&b);
}

static void degenerate_and_empty(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    const double dot_at[3][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    const double needle[3][3] = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}};
    const double plain[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 3, 0}};
    patch p[4] = {patch_of_one(dot_at), patch_of_one(needle), patch_of_one(plain),
                  patch_make(0, 0)};
    gz_deviation d = deviation_measure(&b, &p[0], &p[2], 1e-9, 0); // (1, 2, 0) is in the triangle
    deviation_check_value(&d, 3, 1e-9);
    d = deviation_measure(&b, &p[0], &p[1], 1e-9, 0);
    deviation_check_value(&d, sqrt(13), 1e-9);
    d = deviation_measure(&b, &p[1], &p[0], 1e-9, 0);
    deviation_check_value(&d, sqrt(14), 1e-9);
    d = deviation_measure(&b, &p[2], &p[1], 1e-9, 0);
    deviation_check_value(&d, 3, 1e-9);
    d = deviation_measure(&b, &p[1], &p[2], DEVIATION_GAP, 0);
    assert_true(d.low == 0 && d.high < 1e-12);
    d = deviation_measure(&b, &p[0], &p[0], DEVIATION_GAP, 0);
    assert_true(d.low == 0 && d.high < 1e-12);
    d = deviation_measure(&b, &p[3], &p[2], DEVIATION_GAP, 0);
    assert_true(d.low == 0 && d.high == 0);
    d = deviation_measure(&b, &p[2], &p[3], DEVIATION_GAP, 0);
    assert_true(isinf(d.high));
    d = deviation_measure(&b, &p[3], &p[3], DEVIATION_GAP, 0);
    assert_true(d.low == 0 && d.high == 0);
    for (int i = 0; i < 4; ++i)
        patch_free(&p[i]);
    deviation_close(&b);
}

// Doubled triangles, and parts far from each other: every part of `from` counts, and the nearest of
// `to` does.
static void parts_and_doubles(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch base = patch_relief(12, 0.05, 3),
          two = patch_make(2 * base.vertex_count, 3 * base.triangle_count);
    for (uint32_t v = 0; v < base.vertex_count; ++v)
        for (uint32_t part = 0; part < 2; ++part) {
            double *p = two.position[part * base.vertex_count + v];
            memcpy(p, base.position[v], 24);
            p[0] += 10 * part;
        }
    for (uint32_t t = 0; t < base.triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            two.corner[t][k] = base.corner[t][k];
            two.corner[base.triangle_count + t][k] = base.vertex_count + base.corner[t][k];
            two.corner[2 * base.triangle_count + t][k] = base.corner[t][(k + 1) % 3];
        }
    gz_deviation d = deviation_measure(&b, &two, &base, DEVIATION_GAP, 0);
    assert_true(d.low > 8.99 && d.high < 10.01);
    d = deviation_measure(&b, &base, &two, DEVIATION_GAP, 0);
    assert_true(d.low == 0 && d.high < 1e-13);
    patch_free(&base);
    patch_free(&two);
    deviation_close(&b);
}

// --- Moved and scaled

// Coordinates on a grid of 2^-30, so that moving them is exact.
static void snap(patch *p)
{
    for (uint32_t v = 0; v < p->vertex_count; ++v)
        for (int i = 0; i < 3; ++i)
            p->position[v][i] = floor(p->position[v][i] * 0x1p30) * 0x1p-30;
}

static void moved_and_scaled(void **state)
{
    (void)state;
    static const double shifts[3][3] = {{0, 0, 0}, {1e6, -3e5, 7e5}, {-4e6, 4e6, 2}};
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    gz_deviation first[2] = {{0, 0}};
    for (int n = 0; n < 9; ++n) {
        patch fine = patch_relief(30, 0.02, 7);
        patch coarse = patch_coarsen(&fine, fine.triangle_count / 2);
        double scale = n % 3 == 0 ? 1 : n % 3 == 1 ? 0x1p-400 : 0x1p500, zero[3] = {0, 0, 0};
        snap(&fine);
        snap(&coarse);
        patch_transform(&fine, 1, shifts[n / 3]);
        patch_transform(&coarse, 1, shifts[n / 3]);
        patch_transform(&fine, scale, zero);
        patch_transform(&coarse, scale, zero);
        for (int way = 0; way < 2; ++way) {
            gz_deviation d = way == 0 ? deviation_measure(&b, &fine, &coarse, DEVIATION_GAP, 0)
                                      : deviation_measure(&b, &coarse, &fine, DEVIATION_GAP, 0);
            d.low /= scale;
            d.high /= scale;
            assert_true(deviation_gap_reached(&d, DEVIATION_GAP, 0));
            if (n == 0)
                first[way] = d;
            assert_true(d.low == first[way].low && d.high == first[way].high);
        }
        patch_free(&fine);
        patch_free(&coarse);
    }
    deviation_close(&b);
}

static void huge_beside_tiny(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    for (int n = 0; n < 6; ++n) {
        static const double sizes[6] = {0x1p20, 0x1p59, 0x1p61, 0x1p500, 0x1p1020, 0x1p-1000};
        patch tiny = patch_relief(3, 0.1, 5);
        double far = sizes[n], zero[3] = {0, 0, 0};
        const double v[3][3] = {{far, 0, 0}, {0, far, 0}, {0, 0, -far}};
        if (n == 5)
            patch_transform(&tiny, 0x1p-60 * far, zero);
        patch large = patch_of_one(v);
        gz_deviation d = deviation_measure(&b, &large, &tiny, 1e-7, 0);
        assert_true(d.low > far * (1 - 0x1p-19) && d.low <= far + (n == 5 ? far : 1));
        assert_true(d.high >= far * (1 - 0x1p-19) && d.high <= 1.06 * far);
        deviation_check_samples(&b, &large, &tiny, &d, n < 2 ? 50 : 0, 1);
        d = deviation_measure(&b, &tiny, &large, DEVIATION_GAP, 0);
        assert_true(d.high <= 2 * far && deviation_gap_reached(&d, DEVIATION_GAP, 1e-10 * far));
        patch_free(&tiny);
        patch_free(&large);
    }
    double most = 0x1.fffffffffffffp1023;
    const double v[3][3] = {{most, most, most}, {-most, -most, most}, {most, -most, -most}};
    const double w[3][3] = {{-most, -most, -most}, {-most, -most, -most}, {-most, -most, -most}};
    patch p = patch_of_one(v), q = patch_of_one(w);
    gz_deviation d = deviation_measure(&b, &p, &q, DEVIATION_GAP, 0);
    assert_true(isinf(d.high) && d.low > most / 2);
    d = deviation_measure(&b, &q, &p, DEVIATION_GAP, 0);
    assert_true(d.high > most && d.low > most / 2);
    patch_free(&p);
    patch_free(&q);
    deviation_close(&b);
}

// --- Random surfaces

static void random_soups(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    uint32_t reached = 0, all = TEST_CHANCES(200);
    for (uint64_t seed = 1; seed <= all; ++seed) {
        test_random random = {seed};
        patch from = patch_of_chance(&random, 1 + (uint32_t)(test_next(&random) % 40));
        patch to = patch_of_chance(&random, 1 + (uint32_t)(test_next(&random) % 40));
        const double gaps[4] = {0.05, 0.3, 0.001, 0.05}, floors[4] = {0, 0, 0, 0.1};
        double gap = gaps[seed % 4], floor = floors[seed % 4];
        gz_deviation d = deviation_measure(&b, &from, &to, gap, floor);
        deviation_check_samples(&b, &from, &to, &d, 40, seed);
        reached += deviation_gap_reached(&d, gap, fmax(floor, 1e-13));
        patch_free(&from);
        patch_free(&to);
    }
    if (reached * 100 < all * 99)
        fail_msg("the gap was reached in %u of %u cases", reached, all);
    deviation_close(&b);
}

static void simplified_reliefs(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 12 : 24); ++seed) {
        double height = seed % 3 == 0 ? 0.2 : seed % 3 == 1 ? 0.02 : 0.0005;
        patch fine = patch_relief(10 + (uint32_t)seed % 7, height, seed);
        patch coarse = patch_coarsen(&fine, fine.triangle_count / (seed % 2 == 0 ? 2 : 4));
        assert_true(coarse.triangle_count < fine.triangle_count);
        // A wide gap leaves more to what covers triangles.
        double gap = seed % 2 == 0 ? 0.01 : seed % 3 == 0 ? 3 : 0.3;
        double floor = seed % 4 == 0 ? 0 : 1e-6;
        for (int way = 0; way < 2; ++way) {
            const patch *from = way == 0 ? &fine : &coarse, *to = way == 0 ? &coarse : &fine;
            gz_deviation d = deviation_measure(&b, from, to, gap, floor);
            assert_true(deviation_gap_reached(&d, gap, floor));
            deviation_check_samples(&b, from, to, &d, 6, seed);
        }
        patch_free(&fine);
        patch_free(&coarse);
    }
    deviation_close(&b);
}

// What covers a triangle must not be fooled by holes, by sheets one above the other, by triangles
// that are there twice, or by neighbours that do not share vertices.
static void holes_and_sheets(void **state)
{
    (void)state;
    enum { SIDE = 10 };
    const double inner = (0.2 - sqrt(0.02)) / 2; // the circle in a triangle of legs 0.1
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch whole = patch_relief(SIDE, 0, 1), coarse = patch_relief(1, 0, 1);
    for (int kind = 0; kind < 6; ++kind) {
        patch to = patch_make(3 * 2 * whole.triangle_count, 2 * whole.triangle_count);
        uint32_t count = 0, hole = 2 * (4 * SIDE + 5);
        memcpy(to.position, whole.position, sizeof *whole.position * whole.vertex_count);
        to.vertex_count = whole.vertex_count;
        for (uint32_t t = 0; t < whole.triangle_count; ++t)
            if (t != hole || kind == 3)
                memcpy(to.corner[count++], whole.corner[t], 12);
        const uint32_t around[3] = {hole + 1, hole + 3, hole + 1 - 2 * SIDE};
        for (int n = 0; n < 6 && kind == 1; ++n) // all around the hole is there three times
            memcpy(to.corner[count++], whole.corner[around[n / 2]], 12);
        if (kind == 2 || kind == 3) // a second sheet, with the hole at another place
            for (uint32_t v = 0; v < whole.vertex_count; ++v) {
                memcpy(to.position[to.vertex_count], whole.position[v], 24);
                to.position[to.vertex_count++][2] = 4e-3;
            }
        for (uint32_t t = 0; t < whole.triangle_count && (kind == 2 || kind == 3); ++t)
            for (int k = 0; k < 3 && t != hole + 40; ++k)
                to.corner[count][k] = whole.vertex_count + whole.corner[t][k], count += k == 2;
        to.triangle_count = count;
        if (kind >= 4) { // nothing is shared; in the last case there is no hole
            uint32_t kept = 0;
            for (uint32_t t = 0; t < whole.triangle_count; ++t)
                for (uint32_t k = 0; k < 3 && (t != hole || kind == 5); ++k) {
                    memcpy(to.position[3 * kept + k], whole.position[whole.corner[t][k]], 24);
                    to.corner[kept][k] = 3 * kept + k;
                    kept += k == 2;
                }
            to.triangle_count = kept;
            to.vertex_count = 3 * kept;
        }
        for (int n = 0; n < 2; ++n) {
            const patch *from = n == 0 ? &whole : &coarse;
            gz_deviation d = deviation_measure(&b, from, &to, 0.01, 1e-3);
            if (kind == 3 || kind == 5)
                assert_true(d.high <= 1e-3);
            else if (kind == 2)
                deviation_check_value(&d, 4e-3, 0.01);
            else
                deviation_check_value(&d, inner, 0.01);
        }
        patch_free(&to);
    }
    patch_free(&whole);
    patch_free(&coarse);
    deviation_close(&b);
}

// Rough ground under a plain floor: what covers the floor is high here and low there.
static void ground_under_a_floor(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    for (uint64_t seed = 1; seed <= TEST_CHANCES(60); ++seed) {
        patch floor = patch_relief(1 + (uint32_t)(seed % 4), 0, 1);
        patch ground = patch_relief(3 + (uint32_t)(seed % 9), 0.02 * (double)(1 + seed % 5), seed);
        lift(&ground, 0.03 * (double)(seed % 3));
        double gap = seed % 2 == 0 ? 0.05 : 1, enough = seed % 3 == 0 ? 0.4 : 1e-6;
        gz_deviation d = deviation_measure(&b, &floor, &ground, gap, enough);
        assert_true(deviation_gap_reached(&d, gap, enough));
        deviation_check_samples(&b, &floor, &ground, &d, 100, seed);
        patch_free(&floor);
        patch_free(&ground);
    }
    deviation_close(&b);
}

// A small body under the middle of a triangle covers it twice, or not at all. And a plane that is
// a little aside of the other sticks out, however little that is.
static void islands_and_overhangs(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    const double v[3][3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1.5, 0}};
    const double w[4][3] = {{-0.2, -0.2, 0.01}, {0.2, -0.2, 0.01}, {0, 0.2, 0.01}, {0, 0, 0.02}};
    const uint32_t c[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const double tip[3] = {0, 1.5, 0};
    patch plain = patch_of_one(v), body = patch_make(4, 4);
    memcpy(body.position, w, sizeof w);
    memcpy(body.corner, c, sizeof c);
    gz_deviation d = deviation_measure(&b, &plain, &body, 0.01, 0);
    deviation_check_value(&d, patch_distance_to(&body, tip), 0.01);
    patch_free(&plain);
    patch_free(&body);
    patch larger = patch_relief(3, 0, 1), smaller = patch_relief(5, 0, 1);
    const double aside[3] = {4e-5, 0, 0};
    patch_transform(&larger, 1, aside);
    d = deviation_measure(&b, &larger, &smaller, DEVIATION_GAP, 1e-2);
    assert_true(d.high >= 4e-5 && d.high <= 1e-2);
    patch_free(&larger);
    patch_free(&smaller);
    deviation_close(&b);
}

static void most_are_covered(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch fine = patch_relief(60, 0.02, 5), coarse = patch_coarsen(&fine, fine.triangle_count / 2);
    for (int way = 0; way < 2; ++way) {
        const patch *from = way == 0 ? &fine : &coarse;
        deviation_measure(&b, from, way == 0 ? &coarse : &fine, DEVIATION_GAP, 1e-6);
        gz_deviation_counts counts = gz_deviation_counted(b.query);
        assert_true(counts.covered * 100 > (uint64_t)from->triangle_count * 95);
        assert_true(counts.refined * 50 < from->triangle_count);
    }
    patch_free(&fine);
    patch_free(&coarse);
    deviation_close(&b);
}

static void same_for_all_widths(void **state)
{
    (void)state;
    patch fine = patch_relief(40, 0.03, 11);
    patch coarse = patch_coarsen(&fine, fine.triangle_count / 2);
    gz_deviation first[2] = {{0, 0}};
    for (int simd = GRAZE_SIMD_SCALAR; simd <= (int)GRAZE_SIMD_AVX512; ++simd) {
        graze_context *probe = test_context(NULL);
        bool there = simd <= (int)graze_context_simd(probe);
        test_context_done(probe);
        if (!there)
            continue;
        deviation_bench b = deviation_open((graze_simd)simd);
        for (int round = 0; round < 4; ++round) {
            int way = round % 2;
            gz_deviation d = way == 0 ? deviation_measure(&b, &fine, &coarse, DEVIATION_GAP, 1e-6)
                                      : deviation_measure(&b, &coarse, &fine, DEVIATION_GAP, 1e-6);
            if (simd == GRAZE_SIMD_SCALAR && round < 2)
                first[way] = d;
            assert_true(d.low == first[way].low && d.high == first[way].high);
        }
        deviation_close(&b);
    }
    patch_free(&fine);
    patch_free(&coarse);
}

// --- Memory, limits and what is refused

typedef struct two {
    patch fine, coarse;
} two;

static graze_status whole_question(graze_context *context, void *data)
{
    const two *t = data;
    gz_surface fine = patch_surface(&t->fine), coarse = patch_surface(&t->coarse);
    graze_obb box = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
    gz_deviation d;
    gz_deviation_query *query = NULL;
    graze_status status = gz_deviation_query_create(context, &query);
    if (status == GRAZE_OK)
        status = gz_deviation_set_target(query, &coarse);
    if (status == GRAZE_OK)
        status = gz_deviation_from(query, &fine, DEVIATION_GAP, 0, &d);
    if (status == GRAZE_OK)
        status = gz_deviation_box(query, &box, 1e-3, 0, &d);
    gz_deviation_query_destroy(query);
    return status;
}

static void failing_memory(void **state)
{
    (void)state;
    two t = {.fine = patch_relief(12, 0.05, 2)};
    t.coarse = patch_coarsen(&t.fine, t.fine.triangle_count / 2);
    assert_true(test_all_faults(whole_question, &t, 1) > 4);
    patch_free(&t.fine);
    patch_free(&t.coarse);
}

static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch fine = patch_relief(20, 0.05, 2), coarse = patch_coarsen(&fine, fine.triangle_count / 2);
    graze_obb box = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
    gz_deviation d;
    for (int round = 0; round < 2; ++round) {
        deviation_measure(&b, &coarse, &fine, DEVIATION_GAP, 0);
        deviation_measure(&b, &fine, &coarse, DEVIATION_GAP, 0);
        assert_int_equal(gz_deviation_box(b.query, &box, DEVIATION_GAP, 0, &d), GRAZE_OK);
        atomic_store(&gz_knobs_for(b.context)->allocations_left, 0); // the next one would fail
    }
    patch_free(&fine);
    patch_free(&coarse);
    deviation_close(&b);
}

static void refused(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    patch p = patch_relief(2, 0.1, 1), empty = patch_make(0, 0);
    gz_surface s = patch_surface(&p);
    gz_deviation d;
    assert_int_equal(gz_deviation_set_target(b.query, &s), GRAZE_OK);
    assert_int_equal(gz_deviation_from(b.query, &s, -1, 0, &d), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(gz_deviation_from(b.query, &s, DEVIATION_GAP, NAN, &d), GRAZE_ERROR_ARGUMENT);
    p.corner[3][1] = p.vertex_count;
    assert_int_equal(gz_deviation_from(b.query, &s, DEVIATION_GAP, 0, &d), GRAZE_ERROR_ARGUMENT);
    assert_string_equal(test_last_error, "triangle 3 of a surface names vertex 9 of 9");
    assert_int_equal(gz_deviation_set_target(b.query, &s), GRAZE_ERROR_ARGUMENT);
    gz_surface none = patch_surface(&empty);
    assert_int_equal(gz_deviation_from(b.query, &none, DEVIATION_GAP, 0, &d), GRAZE_OK);
    p.corner[3][1] = 0;
    assert_int_equal(gz_deviation_from(b.query, &s, DEVIATION_GAP, 0, &d), GRAZE_OK);
    assert_true(isinf(d.high)); // the target that was refused is empty
    p.position[4][2] = INFINITY;
    assert_int_equal(gz_deviation_set_target(b.query, &s), GRAZE_ERROR_ARGUMENT);
    for (uint32_t t = 0; t < p.triangle_count; ++t) // no triangle names it any more
        for (int k = 0; k < 3; ++k)
            p.corner[t][k] = p.corner[t][k] == 4 ? 0 : p.corner[t][k];
    assert_int_equal(gz_deviation_set_target(b.query, &s), GRAZE_OK);
    patch_free(&p);
    patch_free(&empty);
    deviation_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_planes),
        cmocka_unit_test(spikes),
        cmocka_unit_test(chord_and_arc),
        cmocka_unit_test(plane_and_cap),
        cmocka_unit_test(degenerate_and_empty),
        cmocka_unit_test(parts_and_doubles),
        cmocka_unit_test(moved_and_scaled),
        cmocka_unit_test(huge_beside_tiny),
        cmocka_unit_test(random_soups),
        cmocka_unit_test(simplified_reliefs),
        cmocka_unit_test(same_for_all_widths),
        cmocka_unit_test(failing_memory),
        cmocka_unit_test(ground_under_a_floor),
        cmocka_unit_test(islands_and_overhangs),
        cmocka_unit_test(holes_and_sheets),
        cmocka_unit_test(most_are_covered),
        cmocka_unit_test(refused),
        cmocka_unit_test(warm_queries_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
