// Two small soups in poses. See soups.h.
#include "soups.h"

#include <math.h>

#include "oracle.h"

double soup_between(test_random *random, double low, double high)
{
    return low + (high - low) * test_unit(random);
}

void soup_make(test_random *random, soup *s, uint32_t triangle_count, double scale, double offset,
               bool narrow)
{
    uint32_t vertex_count = triangle_count * (test_next(random) % 2 == 0 ? 3 : 1) + 2;
    bool grid = test_next(random) % 2 == 0; // many coincidences
    for (uint32_t i = 0; i < 3 * vertex_count; ++i) {
        double x = grid ? (double)(test_next(random) % 5) - 2 : soup_between(random, -2, 2);
        s->position[i] = offset + scale * x;
        s->narrow[i] = (float)s->position[i];
    }
    for (uint32_t t = 0; t < triangle_count; ++t) {
        uint32_t start = (uint32_t)(test_next(random) % vertex_count);
        for (uint32_t k = 0; k < 3; ++k)
            s->corner[3 * t + k] = test_next(random) % 16 == 0
                                       ? start
                                       : (start + (uint32_t)(test_next(random) % 7)) % vertex_count;
    }
    s->view = (graze_mesh_view){.precision = narrow ? GRAZE_FLOAT32 : GRAZE_FLOAT64,
                                .vertex_count = vertex_count,
                                .triangle_count = triangle_count,
                                .positions = narrow ? (const void *)s->narrow : s->position,
                                .corners = s->corner};
}

graze_pose soup_pose(test_random *random, double reach)
{
    graze_pose pose;
    double turn[4], shift[3];
    for (int i = 0; i < 4; ++i)
        turn[i] = soup_between(random, -1, 1);
    for (int i = 0; i < 3; ++i)
        shift[i] = soup_between(random, -reach, reach);
    const double still[4] = {0, 0, 0, 1}, none[3] = {0, 0, 0};
    bool upright = test_next(random) % 3 == 0;
    graze_pose_from_quaternion(upright ? still : turn, upright ? none : shift, &pose);
    return pose;
}

void soup_bend(graze_pose *pose, uint64_t kind)
{
    double wrong[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, bent[9], off = 4.9e-10;
    for (int i = 0; i < 9 && kind != 0; ++i)
        wrong[i] += i % 4 == 0 ? (kind == 1 ? off : kind == 2 ? -off : 0) : kind == 3 ? off / 2 : 0;
    for (int i = 0; i < 9; ++i) {
        const double *row = pose->rotation + i / 3 * 3;
        bent[i] = row[0] * wrong[i % 3] + row[1] * wrong[3 + i % 3] + row[2] * wrong[6 + i % 3];
    }
    memcpy(pose->rotation, bent, sizeof bent);
    assert_int_equal(graze_pose_check(pose), GRAZE_OK);
}

double soup_tolerance(test_random *random, double scale)
{
    switch (test_next(random) % 4) {
    case 0: return scale;
    case 1: return scale * soup_between(random, 0, 0.3);
    default: return 0;
    }
}

void soup_case_make(soup_case *c, uint64_t seed, uint32_t most)
{
    test_random random = {seed};
    double scale = seed % 5 == 0 ? ldexp(1, (int)(test_next(&random) % 160) - 80) : 1;
    bool absurd = seed % 25 == 0; // beyond what floats can hold
    if (absurd)
        scale = seed % 50 == 0 ? 0x1p600 : 0x1p-600;
    double offset = seed % 7 == 0 ? 1000 * scale : 0;
    most = seed % 3 == 0 ? most / 5 : most;
    c->seed = seed;
    soup_make(&random, &c->a, 1 + (uint32_t)(test_next(&random) % most), scale, offset,
              !absurd && test_next(&random) % 2 == 0);
    soup_make(&random, &c->b, 1 + (uint32_t)(test_next(&random) % most),
              scale * (seed % 4 == 0 ? 0.05 : 1), offset, !absurd && test_next(&random) % 2 == 0);
    c->pose_a = soup_pose(&random, scale);
    c->pose_b = offset != 0 ? c->pose_a : soup_pose(&random, scale);
    c->tolerance = soup_tolerance(&random, scale);
}

graze_triangle soup_triangle(const soup *s, uint32_t t, const graze_pose *pose)
{
    graze_triangle out;
    const double *r = pose->rotation;
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t vertex = s->corner[3 * t + k];
        double p[3];
        for (uint32_t i = 0; i < 3; ++i)
            p[i] = s->view.precision == GRAZE_FLOAT32 ? (double)s->narrow[3 * vertex + i]
                                                      : s->position[3 * vertex + i];
        for (uint32_t i = 0; i < 3; ++i) {
            double sum = r[3 * i] * p[0] + r[3 * i + 1] * p[1];
            sum += r[3 * i + 2] * p[2];
            out.corner[k][i] = sum + pose->translation[i];
        }
    }
    return out;
}

void soup_case_solve(soup_case *c)
{
    oracle *o = oracle_create();
    c->contacts = 0;
    for (uint32_t i = 0; i < c->a.view.triangle_count; ++i) {
        graze_triangle a = soup_triangle(&c->a, i, &c->pose_a);
        for (uint32_t j = 0; j < c->b.view.triangle_count; ++j) {
            graze_triangle b = soup_triangle(&c->b, j, &c->pose_b);
            oracle_load(o, &a, &b);
            oracle_closest(o);
            c->contact[i][j] = oracle_within(o, c->tolerance);
            c->contacts += c->contact[i][j];
        }
    }
    oracle_destroy(o);
}

graze_pair soup_case_closest(const soup_case *c, double distance)
{
    oracle *o = oracle_create();
    graze_pair best = {0, 0};
    mpq_t least, square;
    mpq_inits(least, square, NULL);
    for (uint32_t i = 0; i < c->a.view.triangle_count; ++i) {
        graze_triangle a = soup_triangle(&c->a, i, &c->pose_a);
        for (uint32_t j = 0; j < c->b.view.triangle_count; ++j) {
            graze_triangle b = soup_triangle(&c->b, j, &c->pose_b);
            oracle_load(o, &a, &b);
            oracle_closest(o);
            mpz_set(mpq_numref(square), o->numerator);
            mpz_set(mpq_denref(square), o->denominator);
            mpq_canonicalize(square);
            if (o->exponent >= 0)
                mpq_mul_2exp(square, square, 2 * (unsigned long)o->exponent);
            else
                mpq_div_2exp(square, square, 2 * (unsigned long)-o->exponent);
            if ((i != 0 || j != 0) && mpq_cmp(square, least) >= 0)
                continue;
            mpq_set(least, square);
            best = (graze_pair){i, j};
        }
    }
    for (int side = -1; side <= 1; side += 2) {
        double beside = nextafter(distance, side * HUGE_VAL);
        if (distance == 0 && side < 0)
            continue;
        mpq_set_d(square, beside);
        mpq_mul(square, square, square);
        if (mpq_cmp(square, least) * side < 0)
            fail_msg("seed %llu: the distance %.17g is off by more than an ulp",
                     (unsigned long long)c->seed, distance);
    }
    mpq_clears(least, square, NULL);
    oracle_destroy(o);
    return best;
}

void soup_case_check(const soup_case *c, const graze_pair *pairs, uint64_t count, bool swapped)
{
    static bool seen[SOUP_TRIANGLES][SOUP_TRIANGLES];
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t a = swapped ? pairs[i].b : pairs[i].a, b = swapped ? pairs[i].a : pairs[i].b;
        if (a >= c->a.view.triangle_count || b >= c->b.view.triangle_count || seen[a][b] ||
            !c->contact[a][b])
            fail_msg("seed %llu: triangles %u and %u are listed, wrongly or twice",
                     (unsigned long long)c->seed, a, b);
        seen[a][b] = true;
    }
    if (count == c->contacts)
        return;
    for (uint32_t a = 0; a < c->a.view.triangle_count; ++a)
        for (uint32_t b = 0; b < c->b.view.triangle_count; ++b)
            if (c->contact[a][b] && !seen[a][b])
                fail_msg("seed %llu: the contact of triangles %u and %u was missed",
                         (unsigned long long)c->seed, a, b);
}
