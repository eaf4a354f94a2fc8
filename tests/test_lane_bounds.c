// The bounds of the float test (triangle_lanes.h): triangles that touch, so that a determinant is
// exactly 0, and for which float is off as far as a search finds: by 0.29, 0.12 and 0.17 of the
// bound. With bounds that are much smaller their contact would be missed.
//
// Each search goes uphill from numbers by chance: it changes some digits and keeps what makes the
// determinant of the rounded numbers larger, relative to its bound.
#include "test.h"

#include <math.h>
#include <stdbool.h>

#include "oracle.h"

// Corners 1 and 2 of A, whose corner 0 is the origin, and corners of B. Numbers are whole multiples
// of 2^-40 and below 64, so that sums of two are exact.
typedef struct touch {
    double a[2][3], b[3][3];
} touch;

typedef struct searched {
    const char *name;
    double size[2]; // of the two rows that are free: both of A or of B where the other is 0
    double least;   // share of the bound that is found, for the search to be worth it
    void (*complete)(touch *t);            // sets the other rows, so that they touch
    double (*off)(const touch *t);         // the determinant in float, relative to its bound
    void (*part)(touch *t, double toward); // rows that are not in it, so that nothing else touches
} searched;

static float cross_row(const float x[3], const float y[3], int k)
{
    return x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
}

// x . (y cross z), rounded as lanes are.
static double determinant(const float x[3], const float y[3], const float z[3])
{
    float n[3] = {cross_row(y, z, 0), cross_row(y, z, 1), cross_row(y, z, 2)};
    return (double)((n[0] * x[0] + n[1] * x[1]) + n[2] * x[2]);
}

static void narrow(const double x[3], float out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (float)x[k];
}

static double largest(const double *x, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double on_grid(double x) { return rint(x * 0x1p40) * 0x1p-40; }

// The way across two others, of length 1.
static void across(const double x[3], const double y[3], double out[3])
{
    double length = 0;
    for (int k = 0; k < 3; ++k) {
        out[k] = x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
        length += out[k] * out[k];
    }
    for (int k = 0; k < 3; ++k)
        out[k] /= sqrt(length);
}

// A corner of B in the plane of A, inside.
static void corner_in_a(touch *t)
{
    for (int k = 0; k < 3; ++k)
        t->b[0][k] = (t->a[0][k] + t->a[1][k]) / 4;
}
static double off_plane_a(const touch *t)
{
    float a1[3], a2[3], b[3];
    narrow(t->a[0], a1);
    narrow(t->a[1], a2);
    narrow(t->b[0], b);
    double u = largest(t->a[0], 6), r = largest(t->b[0], 3);
    return determinant(b, a1, a2) / (u * r * (8 + 26 * u));
}
static void part_b(touch *t, double toward)
{
    double way[3], size = largest(t->b[0], 3);
    across(t->a[0], t->a[1], way);
    for (int j = 1; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            t->b[j][k] = on_grid(t->b[0][k] * (j == 1 ? 0.3 : 0.6) + toward * way[k] * size * 0.3);
}

// Corner 0 of A in the middle of B.
static void corner_in_b(touch *t)
{
    for (int k = 0; k < 3; ++k)
        t->b[2][k] = -(t->b[0][k] + t->b[1][k]);
}
static double off_plane_b(const touch *t)
{
    float b[3][3], edge[2][3];
    for (int j = 0; j < 3; ++j)
        narrow(t->b[j], b[j]);
    double v = 0;
    for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 3; ++k) {
            edge[j][k] = b[j + 1][k] - b[j][k];
            v = fmax(v, fmax(fabs((double)edge[j][k]), fabs(t->b[0][k] - t->b[2][k])));
        }
    double r = largest(t->b[0], 9);
    return -determinant(b[0], edge[0], edge[1]) / (v * r * (16 * r + 38 * v));
}
static void part_a(touch *t, double toward)
{
    double way[3];
    double edge[2][3];
    for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 3; ++k)
            edge[j][k] = t->b[j + 1][k] - t->b[j][k];
    across(edge[0], edge[1], way);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
            t->a[i][k] = on_grid(toward * way[k] * 0.6 + t->b[i][k] / largest(t->b[0], 9) * 0.3);
}

// The middle of edge 0 of B is that of edge 0 of A.
static void edges_crossing(touch *t)
{
    for (int k = 0; k < 3; ++k)
        t->b[1][k] = t->a[0][k] - t->b[0][k];
}
static double off_each_other(const touch *t)
{
    float a1[3], b[2][3], edge[3];
    narrow(t->a[0], a1);
    narrow(t->b[0], b[0]);
    narrow(t->b[1], b[1]);
    for (int k = 0; k < 3; ++k)
        edge[k] = b[1][k] - b[0][k];
    double v = fmax(fabs((double)edge[0]), fmax(fabs((double)edge[1]), fabs((double)edge[2])));
    double u = largest(t->a[0], 3), r = largest(t->b[0], 6);
    return determinant(a1, b[0], edge) / (r * (4 * v + 30 * u * v + 8 * u * r));
}
static void part_edges(touch *t, double toward)
{
    double way[3], edge[3];
    for (int k = 0; k < 3; ++k)
        edge[k] = t->b[1][k] - t->b[0][k];
    across(t->a[0], edge, way);
    double u = largest(t->a[0], 3), r = largest(t->b[0], 6);
    for (int k = 0; k < 3; ++k) {
        t->a[1][k] = on_grid(t->a[0][k] / 2 - toward * way[k] * u * 0.4);
        t->b[2][k] = on_grid(t->a[0][k] / 2 + toward * way[k] * r * 0.4);
    }
}

static const searched searches[] = {
    {"a corner of B in A", {1, 0}, 0.25, corner_in_a, off_plane_a, part_b},
    {"a corner of A in B", {0, 16}, 0.1, corner_in_b, off_plane_b, part_a},
    {"an edge on an edge", {1, 1}, 0.15, edges_crossing, off_each_other, part_edges},
};

// Which rows are free: those of A, of B, or one of each.
static double *free_row(const searched *s, touch *t, int row)
{
    if (s->size[1] == 0)
        return t->a[row];
    return s->size[0] == 0 ? t->b[row] : row == 0 ? t->a[0] : t->b[0];
}
static double size_of_row(const searched *s, int row)
{
    return s->size[1] == 0 ? s->size[0] : s->size[0] == 0 ? s->size[1] : s->size[row];
}

static void climb(test_random *random, const searched *s, touch *t)
{
    for (int row = 0; row < 2; ++row)
        for (int k = 0; k < 3; ++k)
            free_row(s, t, row)[k] =
                on_grid((2 * test_unit(random) - 1) * size_of_row(s, row) * 0.99);
    s->complete(t);
    double best = fabs(s->off(t));
    for (int step = 0; step < 20000; ++step) {
        touch next = *t;
        for (int change = 0; change < 2; ++change) {
            int row = (int)(test_next(random) % 2), k = (int)(test_next(random) % 3);
            double size = size_of_row(s, row), *x = &free_row(s, &next, row)[k];
            *x += ldexp(2 * test_unit(random) - 1, -(int)(test_next(random) % 30)) * size;
            *x = on_grid(fmax(fmin(*x, 0.999 * size), -0.999 * size));
        }
        s->complete(&next);
        double off = fabs(s->off(&next));
        if (off >= best) {
            best = off;
            *t = next;
        }
    }
}

static void triangles_of(const touch *t, double scale, graze_triangle *a, graze_triangle *b)
{
    for (int k = 0; k < 3; ++k) {
        a->corner[0][k] = 0;
        for (int i = 0; i < 2; ++i)
            a->corner[i + 1][k] = t->a[i][k] * scale;
        for (int j = 0; j < 3; ++j)
            b->corner[j][k] = t->b[j][k] * scale;
    }
}

enum { WIDTHS = 8 };

static void check_touch(graze_context **contexts, oracle *judge, const touch *t, double scale,
                        const char *name)
{
    graze_triangle a, b;
    triangles_of(t, scale, &a, &b);
    oracle_load(judge, &a, &b);
    oracle_closest(judge);
    assert_true(oracle_meet(judge));
    for (int simd = 0; simd < WIDTHS; ++simd)
        for (int way = 0; way < 2 && contexts[simd] != NULL; ++way) {
            uint32_t bits = 0;
            graze_triangle_meet_many(contexts[simd], way == 0 ? &a : &b, way == 0 ? &b : &a, 1,
                                     &bits);
            if (bits != 1) {
                for (int i = 0; i < 15; ++i)
                    print_error("%a ", i < 6 ? t->a[i / 3][i % 3] : t->b[i / 3 - 2][i % 3]);
                fail_msg("%s: missed by SIMD %d, way %d", name, simd, way);
            }
        }
}

static void the_farthest_off_are_found(void **state)
{
    (void)state;
    graze_context *contexts[WIDTHS] = {NULL};
    oracle *judge = oracle_create();
    test_random random = {3};
    for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd)
        contexts[simd] = test_context_of_width((graze_simd)simd);
    for (size_t i = 0; i < sizeof searches / sizeof *searches; ++i) {
        double most = 0;
        for (int round = 0; round < 100; ++round) {
            touch t = {.a = {{0}}};
            climb(&random, &searches[i], &t);
            most = fmax(most, fabs(searches[i].off(&t)));
            for (int side = -1; side <= 1; side += 2) {
                searches[i].part(&t, side);
                check_touch(contexts, judge, &t, ldexp(1, round % 40 - 20), searches[i].name);
            }
        }
        print_message("%s: %.2f of the bound\n", searches[i].name, most * 0x1p24);
        assert_true(most * 0x1p24 > searches[i].least);
    }
    oracle_destroy(judge);
    for (int simd = 0; simd < WIDTHS; ++simd)
        if (contexts[simd] != NULL)
            test_context_done(contexts[simd]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_farthest_off_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
