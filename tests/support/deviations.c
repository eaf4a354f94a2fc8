// See deviations.h.
#include "deviations.h"

#include <math.h>
#include <string.h>

#include "patches.h"

deviation_bench deviation_open(graze_simd simd)
{
    graze_context_def def = graze_context_def_default();
    def.simd = simd;
    deviation_bench b = {.context = test_context(&def)};
    assert_int_equal(gz_deviation_query_create(b.context, &b.query), GRAZE_OK);
    return b;
}

void deviation_close(deviation_bench *b)
{
    gz_deviation_query_destroy(b->query);
    test_context_done(b->context);
}

gz_deviation deviation_measure(deviation_bench *b, const patch *from, const patch *to, double gap,
                               double floor)
{
    gz_surface s = patch_surface(from), t = patch_surface(to);
    gz_deviation d = {-1, -1};
    assert_int_equal(gz_deviation_set_target(b->query, &t), GRAZE_OK);
    assert_int_equal(gz_deviation_from(b->query, &s, gap, floor, &d), GRAZE_OK);
    assert_true(d.low >= 0 && d.low <= d.high);
    return d;
}

long double patch_distance_to_triangle(const patch *p, uint32_t t, const double point[3])
{
    const long double wide[3] = {point[0], point[1], point[2]};
    return patch_distance(p, t, wide);
}

double patch_distance_to(const patch *p, const double point[3])
{
    const long double wide[3] = {point[0], point[1], point[2]};
    return (double)patch_distance_of_all(p, wide);
}

void patch_sample(const patch *p, uint32_t t, double u, double v, double out[3])
{
    const uint32_t *c = p->corner[t];
    for (int i = 0; i < 3; ++i)
        out[i] = p->position[c[0]][i] * (1 - u - v) + p->position[c[1]][i] * u +
                 p->position[c[2]][i] * v;
}

double patch_size(const patch *p)
{
    double size = 0;
    for (uint32_t t = 0; t < p->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i)
                size = fmax(
                    size, fabs(p->position[p->corner[t][k]][i] - p->position[p->corner[0][0]][i]));
    return size;
}

// No sample is beyond the bound, and where the lower one is attained it is true.
void deviation_check_samples(deviation_bench *b, const patch *from, const patch *to,
                             const gz_deviation *d, int count, uint64_t seed)
{
    test_random random = {seed};
    double point[3],
        slack = 1e-14 * (fabs(from->position[from->corner[0][0]][0]) + patch_size(from));
    for (uint32_t t = 0; t < from->triangle_count; ++t)
        for (int n = 0; n < count; ++n) {
            double u = test_unit(&random), v = test_unit(&random) * (1 - u);
            if (n < 3)
                u = n == 1, v = n == 2;
            else if (n % 4 == 0)
                v = 0;
            patch_sample(from, t, u, v, point);
            double distance = patch_distance_to(to, point);
            if (distance > d->high + slack)
                fail_msg("seed %llu: triangle %u has a point at %.17g, beyond %.17g",
                         (unsigned long long)seed, t, distance, d->high);
        }
    if (gz_deviation_witness(b->query, point)) {
        double distance = patch_distance_to(to, point), off = patch_distance_to(from, point);
        if (distance < d->low - slack || off > slack)
            fail_msg("seed %llu: the point for %.17g is at %.17g, and %.3g off the surface",
                     (unsigned long long)seed, d->low, distance, off);
    } else {
        assert_true(d->low == 0);
    }
}

bool deviation_gap_reached(const gz_deviation *d, double gap, double floor)
{
    return d->high <= (1 + gap) * d->low || d->high <= floor;
}

patch patch_of_one(const double v[3][3])
{
    patch p = patch_make(3, 1);
    memcpy(p.position, v, 9 * sizeof(double));
    for (uint32_t k = 0; k < 3; ++k)
        p.corner[0][k] = k;
    return p;
}

void deviation_check_value(const gz_deviation *d, double truth, double gap)
{
    if (!(d->low <= truth && truth <= d->high && d->high <= (1 + gap) * d->low))
        fail_msg("%.17g to %.17g is not about %.17g", d->low, d->high, truth);
}

// Any triangles: slivers, points, doubled ones, all sizes, in one plane now and then.
patch patch_of_chance(test_random *random, uint32_t triangle_count)
{
    patch p = patch_make(2 * triangle_count + 3, triangle_count);
    int kind = (int)(test_next(random) % 5);
    for (uint32_t v = 0; v < p.vertex_count; ++v)
        for (int i = 0; i < 3; ++i) {
            double x = test_unit(random) - 0.5;
            if (kind == 1)
                x = floor(x * 4);
            if (kind == 2)
                x *= pow(10, -8 * test_unit(random));
            if (kind == 3 && i == 2)
                x = 0;
            p.position[v][i] = x;
        }
    for (uint32_t t = 0; t < triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            p.corner[t][k] = (uint32_t)(test_next(random) % p.vertex_count);
            if (kind == 4) { // small ones
                p.corner[t][k] = (2 * t + (uint32_t)k) % p.vertex_count;
                for (int i = 0; i < 3 && k > 0; ++i)
                    p.position[p.corner[t][k]][i] =
                        p.position[p.corner[t][0]][i] + (test_unit(random) - 0.5) * 0.05;
            }
        }
    return p;
}
