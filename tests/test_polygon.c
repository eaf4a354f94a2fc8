// Cutting polygons: triangles tile what is simple, cover what is not, and are always the same.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "mesh/polygon.h"

typedef struct outline {
    double (*points)[3];
    uint32_t count;
} outline;

static outline make_outline(uint32_t count)
{
    return (outline){malloc(count * sizeof(double[3])), count};
}

static uint32_t *cut(graze_context *context, outline o, bool *gave_up)
{
    gz_cutter cutter = {0};
    uint32_t *triangles = malloc(3 * sizeof(uint32_t) * o.count);
    assert_int_equal(
        gz_polygon_cut(context, &cutter, (const double(*)[3])o.points, o.count, triangles),
        GRAZE_OK);
    if (gave_up != NULL)
        *gave_up = cutter.gave_up;
    else
        assert_false(cutter.gave_up);
    gz_cutter_free(context, &cutter);
    return triangles;
}

static double area2(const double *a, const double *b, const double *c, int axis)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    return (b[x] - a[x]) * (c[y] - a[y]) - (b[y] - a[y]) * (c[x] - a[x]);
}

// Coordinates are integers, small enough that areas are exact. Triangles that all turn as the
// polygon does, and have its area together, tile it.
static void check_tiling(graze_context *context, outline o, int axis, uint64_t seed)
{
    uint32_t *triangles = cut(context, o, NULL);
    double whole = 0, sum = 0;
    for (uint32_t i = 1; i + 1 < o.count; ++i)
        whole += area2(o.points[0], o.points[i], o.points[i + 1], axis);
    for (uint32_t i = 0; i < o.count - 2; ++i) {
        const uint32_t *t = triangles + 3 * i;
        assert_true(t[0] < o.count && t[1] < o.count && t[2] < o.count);
        double area = area2(o.points[t[0]], o.points[t[1]], o.points[t[2]], axis);
        if (area * whole < 0)
            fail_msg("seed %llu: triangle %u of %u corners is turned over",
                     (unsigned long long)seed, i, o.count);
        sum += area;
    }
    if (sum != whole)
        fail_msg("seed %llu: area %g instead of %g", (unsigned long long)seed, sum, whole);
    free(triangles);
}

// A star around the origin: angles grow, so it is simple; integer coordinates keep it exact.
static outline make_star(test_random *random, uint32_t count, double size)
{
    outline o = make_outline(count);
    for (uint32_t i = 0; i < count; ++i) {
        double angle = 6.283185307179586 * i / count;
        double radius = size * (0.1 + test_unit(random));
        o.points[i][0] = rint(radius * cos(angle));
        o.points[i][1] = rint(radius * sin(angle));
        o.points[i][2] = 0;
    }
    return o;
}

// Moves the plane's coordinates about, tilts it, shifts it, and begins elsewhere.
static int place(outline o, test_random *random)
{
    int axis = (int)(test_next(random) % 3);
    bool mirror = test_next(random) % 2;
    uint32_t start = (uint32_t)(test_next(random) % o.count);
    double(*copy)[3] = malloc(o.count * sizeof *copy);
    memcpy(copy, o.points, o.count * sizeof *copy);
    for (uint32_t i = 0; i < o.count; ++i) {
        uint32_t from = mirror ? (start + o.count - i) % o.count : (start + i) % o.count;
        double x = copy[from][0] + 1000, y = copy[from][1] - 5000;
        o.points[i][(axis + 1) % 3] = x;
        o.points[i][(axis + 2) % 3] = y;
        o.points[i][axis] = floor(x / 4) - floor(y / 4); // not quite a plane
    }
    free(copy);
    return axis;
}

static void stars_are_tiled(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        test_random random = {seed};
        uint32_t count = 4 + (uint32_t)(test_next(&random) % (seed % 100 == 0 ? 3000 : 40));
        outline o = make_star(&random, count, count < 50 ? 1000 : 1e6);
        check_tiling(context, o, place(o, &random), seed);
        free(o.points);
    }
    test_context_done(context);
}

// Combs have many crooked corners, straight ones on their back, and long thin ears.
static void combs_are_tiled(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint32_t teeth = 1; teeth <= 10000; teeth = teeth * 3 + 1) {
        outline o = make_outline(6 * teeth + 2);
        uint32_t n = 0;
        for (uint32_t i = 0; i < teeth; ++i) {
            const int across[4] = {0, 1, 2, 3}, down[4] = {0, 9, 0, 0};
            for (int k = 0; k < 4; ++k, ++n) {
                o.points[n][0] = -(3.0 * i + across[k]);
                o.points[n][1] = down[k];
            }
        }
        for (uint32_t i = 0; i < 2 * teeth + 2; ++i, ++n) { // the straight back
            o.points[n][0] = -3.0 * teeth + 1.5 * i;
            o.points[n][1] = -1;
        }
        // Each tooth ends where the next begins: a corner that comes twice.
        o.count = n;
        for (uint32_t i = 0; i < n; ++i)
            o.points[i][2] = 0;
        test_random random = {teeth};
        check_tiling(context, o, place(o, &random), teeth);
        free(o.points);
    }
    test_context_done(context);
}

// A square spiral: every corner is far from its neighbours' ears.
static void spirals_are_tiled(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint32_t turns = 1; turns <= 300; turns = turns * 2 + 1) {
        outline o = make_outline(8 * turns + 8);
        uint32_t n = 0;
        for (int way = 0; way < 2; ++way)
            for (uint32_t k = 0; k <= 4 * turns; ++k) {
                uint32_t i = way == 0 ? k : 4 * turns - k;
                double r = i + (way == 0 ? 0.0 : 2.0) + 2;
                static const int xs[4] = {1, -1, -1, 1}, ys[4] = {1, 1, -1, -1};
                o.points[n][0] = 4 * r * xs[i % 4];
                o.points[n][1] = 4 * r * ys[i % 4];
                o.points[n++][2] = 0;
            }
        o.count = n;
        test_random random = {turns};
        check_tiling(context, o, place(o, &random), turns);
        free(o.points);
    }
    test_context_done(context);
}

// A slit from a point on the lower edge to a hole, around it (the other way round than the
// outside), and back. Holes are squares, whose corners lie on common lines with others', or stars.
static uint32_t add_hole(outline *o, uint32_t n, double x, test_random *random)
{
    uint32_t corners = 4 + (uint32_t)(test_next(random) % 5);
    const double start[3] = {x, 0, 0};
    memcpy(o->points[n++], start, sizeof start);
    for (uint32_t i = 0; i <= corners; ++i, ++n) { // the first corner comes twice
        double angle = -6.283185307179586 * (i % corners) / corners - 2.356194490192345;
        double radius = corners == 4 ? 28.284271247461902 : 10 + 3.0 * (i % corners);
        o->points[n][0] = x + 50 + rint(radius * cos(angle));
        o->points[n][1] = 50 + rint(radius * sin(angle));
        o->points[n][2] = 0;
    }
    memcpy(o->points[n++], start, sizeof start);
    return n;
}

static void holes_are_tiled(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 500; ++seed) {
        test_random random = {seed};
        uint32_t holes = 1 + (uint32_t)(test_next(&random) % 6);
        double width = 100.0 * holes;
        outline o = make_outline(3 + 11 * holes);
        o.count = 0;
        for (uint32_t i = 0; i < holes; ++i)
            o.count = add_hole(&o, o.count, 100.0 * i, &random);
        const double others[3][3] = {{width, 0, 0}, {width, 100, 0}, {0, 100, 0}};
        memcpy(o.points[o.count], others, sizeof others);
        o.count += 3;
        check_tiling(context, o, place(o, &random), seed);
        free(o.points);
    }
    test_context_done(context);
}

static void quads_are_cut_along_the_right_diagonal(void **state)
{
    (void)state;
    static const struct {
        double points[4][3];
        uint32_t expected[6];
    } cases[] = {
        {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, {0, 1, 2, 0, 2, 3}},             // convex
        {{{0, 0}, {4, 0}, {1, 1}, {0, 4}}, {0, 1, 2, 0, 2, 3}},             // crooked at 2
        {{{1, 1}, {0, 4}, {0, 0}, {4, 0}}, {0, 1, 2, 0, 2, 3}},             // at 0
        {{{0, 4}, {0, 0}, {4, 0}, {1, 1}}, {1, 2, 3, 1, 3, 0}},             // at 3
        {{{4, 0}, {1, 1}, {0, 4}, {0, 0}}, {1, 2, 3, 1, 3, 0}},             // at 1
        {{{0, 0}, {1, 0}, {2, 0}, {1, 5}}, {1, 2, 3, 1, 3, 0}},             // straight at 1
        {{{0, 0}, {2, 0}, {2, 2}, {1, 1}}, {1, 2, 3, 1, 3, 0}},             // straight at 3
        {{{0, 0}, {2, 2}, {2, 0}, {0, 2}}, {0, 1, 2, 0, 2, 3}},             // crosses itself
        {{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, {0, 1, 2, 0, 2, 3}},             // a line
        {{{5, 5, 5}, {5, 5, 5}, {5, 5, 5}, {5, 5, 5}}, {0, 1, 2, 0, 2, 3}}, // a point
        {{{0, 4e300}, {0, 0}, {4e300, 0}, {1e300, 1e300}}, {1, 2, 3, 1, 3, 0}},
        {{{0, 1.7e308}, {-1.7e308, -1.7e308}, {1.7e308, -1.7e308}, {0, -1e308}},
         {1, 2, 3, 1, 3, 0}},
        {{{0, 4e-320}, {0, 0}, {4e-320, 0}, {1e-320, 1e-320}}, {1, 2, 3, 1, 3, 0}},
        {{{1, 0, 4e-200}, {1, 0, 0}, {1, 4e-200, 0}, {1, 1e-200, 1e-200}}, {1, 2, 3, 1, 3, 0}},
        // Straight at 3, then crooked and convex by one unit in the last place.
        {{{1, 0}, {1, 1}, {0, 1}, {0.5, 0.5}}, {1, 2, 3, 1, 3, 0}},
        {{{1, 0}, {1, 1}, {0, 1}, {0.5, 0x1.0000000000001p-1}}, {1, 2, 3, 1, 3, 0}},
        {{{1, 0}, {1, 1}, {0, 1}, {0.5, 0x1.fffffffffffffp-2}}, {0, 1, 2, 0, 2, 3}},
    };
    graze_context *context = test_context(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int rotate = 0; rotate < 3; ++rotate) {
            outline o = make_outline(4);
            for (int k = 0; k < 12; ++k)
                o.points[k / 3][(k + rotate) % 3] = cases[i].points[k / 3][k % 3];
            uint32_t *triangles = cut(context, o, NULL);
            if (memcmp(triangles, cases[i].expected, sizeof cases[i].expected) != 0)
                fail_msg("quad %zu turned %d times is cut from %u to %u", i, rotate, triangles[0],
                         triangles[2]);
            free(triangles);
            free(o.points);
        }
    test_context_done(context);
}

static void convex_ones_are_fans(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    outline o = make_outline(1000);
    for (uint32_t i = 0; i < o.count; ++i) {
        o.points[i][0] = 5;
        o.points[i][1] = cos(6.283185307179586 * i / o.count);
        o.points[i][2] = sin(6.283185307179586 * i / o.count);
    }
    uint32_t *triangles = cut(context, o, NULL);
    for (uint32_t i = 0; i < o.count - 2; ++i) {
        const uint32_t expected[3] = {0, i + 1, i + 2};
        assert_memory_equal(triangles + 3 * i, expected, sizeof expected);
    }
    free(triangles);
    free(o.points);
    test_context_done(context);
}

// Every point that a polygon winds around is in one of its triangles, however tangled it is.
static void tangles_are_covered(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        test_random random = {seed};
        outline o = make_outline(5 + (uint32_t)(test_next(&random) % 20));
        for (uint32_t i = 0; i < o.count; ++i) {
            for (int k = 0; k < 2; ++k)
                o.points[i][k] = (double)(test_next(&random) % 16) * 2;
            o.points[i][2] = 0;
        }
        uint32_t *triangles = cut(context, o, NULL);
        double p[3] = {0, 0, 0};
        for (p[0] = 0.5; p[0] < 32; p[0] += 1.75)
            for (p[1] = 0.3; p[1] < 32; p[1] += 1.85) {
                int winding = 0;
                for (uint32_t i = 0; i < o.count; ++i) {
                    const double *a = o.points[i], *b = o.points[(i + 1) % o.count];
                    double side = area2(a, b, p, 2);
                    winding += a[1] <= p[1] && b[1] > p[1] && side > 0;
                    winding -= a[1] > p[1] && b[1] <= p[1] && side < 0;
                }
                bool covered = false;
                for (uint32_t i = 0; i < o.count - 2 && !covered; ++i) {
                    const double *a = o.points[triangles[3 * i]];
                    const double *b = o.points[triangles[3 * i + 1]];
                    const double *c = o.points[triangles[3 * i + 2]];
                    double x = area2(a, b, p, 2), y = area2(b, c, p, 2), z = area2(c, a, p, 2);
                    covered = (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
                }
                if (winding != 0 && !covered)
                    fail_msg("seed %llu: (%g, %g) is not covered", (unsigned long long)seed, p[0],
                             p[1]);
            }
        free(triangles);
        free(o.points);
    }
    test_context_done(context);
}

// Many corners take a moment, not an hour, simple or not.
static void large_ones_end(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    test_random random = {1};
    outline star = make_star(&random, 50000, 1e9);
    bool gave_up = false;
    free(cut(context, star, &gave_up));
    free(star.points);
    outline tangle = make_outline(20000);
    for (uint32_t i = 0; i < tangle.count; ++i)
        for (int k = 0; k < 3; ++k)
            tangle.points[i][k] = k < 2 ? test_unit(&random) : 0;
    free(cut(context, tangle, &gave_up));
    free(tangle.points);
    test_context_done(context);
}

// The same on every compiler, option and machine.
static void cuts_never_change(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    uint64_t hash = 1469598103934665603u;
    for (uint64_t seed = 1; seed <= 500; ++seed) {
        test_random random = {seed};
        outline o = make_outline(4 + (uint32_t)(test_next(&random) % 30));
        for (uint32_t i = 0; i < o.count; ++i)
            for (int k = 0; k < 3; ++k)
                o.points[i][k] = (double)(test_next(&random) % (seed % 2 == 0 ? 1000 : 5)) * 0.1;
        uint32_t *triangles = cut(context, o, NULL);
        for (uint32_t i = 0; i < 3 * (o.count - 2); ++i)
            hash = (hash ^ triangles[i]) * 1099511628211u;
        free(triangles);
        free(o.points);
    }
    assert_int_equal(hash, UINT64_C(0xba5b1a5693dca9d2));
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_are_tiled),
        cmocka_unit_test(combs_are_tiled),
        cmocka_unit_test(spirals_are_tiled),
        cmocka_unit_test(holes_are_tiled),
        cmocka_unit_test(quads_are_cut_along_the_right_diagonal),
        cmocka_unit_test(convex_ones_are_fans),
        cmocka_unit_test(tangles_are_covered),
        cmocka_unit_test(large_ones_end),
        cmocka_unit_test(cuts_never_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
