// Rays against brute force with the oracle: which triangle is first, exactly where, how many there
// are, and which of them are pierced cleanly. Segments are aimed at corners, edges and along faces.
#include "test.h"

#include <math.h>

#include "oracle.h"
#include "soups.h"

typedef struct truth {
    bool hit;
    uint32_t triangle;
    double t, point[3];
    uint64_t hit_count, unclean_count;
} truth;

static graze_triangle as_triangle(const double p[3], const double q[3])
{
    graze_triangle t;
    memcpy(t.corner[0], p, sizeof t.corner[0]);
    memcpy(t.corner[1], q, sizeof t.corner[1]);
    memcpy(t.corner[2], q, sizeof t.corner[2]);
    return t;
}

static bool they_meet(oracle *o, const graze_triangle *a, const graze_triangle *b)
{
    oracle_load(o, a, b);
    oracle_closest(o);
    return oracle_meet(o);
}

// Pierced: an inner point of the segment is an inner point of the triangle, and nothing else.
static bool is_clean(oracle *o, const graze_triangle *segment, const graze_triangle *t)
{
    for (int i = 0; i < 2; ++i) {
        graze_triangle end = as_triangle(segment->corner[i], segment->corner[i]);
        if (they_meet(o, &end, t))
            return false;
    }
    for (int i = 0; i < 3; ++i) {
        graze_triangle edge = as_triangle(t->corner[i], t->corner[(i + 1) % 3]);
        if (they_meet(o, segment, &edge))
            return false;
    }
    return true;
}

// Corner i of the oracle's intersection as a part of the way along an axis.
static void part_of_way(const oracle *o, int i, const double start[3], const double end[3],
                        int axis, mpq_t out)
{
    mpq_t from, way;
    mpq_inits(from, way, NULL);
    mpz_set(mpq_numref(out), o->intersection[i].x.c[axis]);
    mpz_set(mpq_denref(out), o->intersection[i].w);
    mpq_canonicalize(out);
    if (o->exponent >= 0)
        mpq_mul_2exp(out, out, (unsigned long)o->exponent);
    else
        mpq_div_2exp(out, out, (unsigned long)-o->exponent);
    mpq_set_d(from, start[axis]);
    mpq_set_d(way, end[axis]);
    mpq_sub(way, way, from);
    mpq_sub(out, out, from);
    if (mpq_sgn(way) != 0)
        mpq_div(out, out, way);
    mpq_clears(from, way, NULL);
}

static truth solve(oracle *o, const soup *s, const graze_pose *pose, const double start[3],
                   const double end[3])
{
    truth out = {0};
    graze_triangle segment = as_triangle(start, end);
    int axis = start[0] != end[0] ? 0 : start[1] != end[1] ? 1 : 2;
    mpq_t least, part;
    mpq_inits(least, part, NULL);
    for (uint32_t k = 0; k < s->view.triangle_count; ++k) {
        graze_triangle t = soup_triangle(s, k, pose);
        if (!they_meet(o, &segment, &t))
            continue;
        out.hit_count++;
        out.unclean_count += !is_clean(o, &segment, &t);
        oracle_load(o, &segment, &t);
        oracle_intersect(o);
        for (int i = 0; i < o->corner_count; ++i) {
            part_of_way(o, i, start, end, axis, part);
            if (out.hit && mpq_cmp(part, least) >= 0)
                continue;
            out.hit = true;
            mpq_set(least, part);
            out.triangle = k;
            out.t = exact_round(mpq_numref(part), mpq_denref(part), 0);
            for (int j = 0; j < 3; ++j)
                out.point[j] =
                    exact_round(o->intersection[i].x.c[j], o->intersection[i].w, o->exponent);
        }
    }
    mpq_clears(least, part, NULL);
    return out;
}

// An end of a segment: anywhere, at a corner, on an edge, in a face, or beyond.
static void choose_end(test_random *random, const soup *s, const graze_pose *pose, double scale,
                       double out[3])
{
    graze_triangle t =
        soup_triangle(s, (uint32_t)(test_next(random) % s->view.triangle_count), pose);
    uint64_t kind = test_next(random) % 6;
    double far = kind == 0 ? 1000 * scale : 3 * scale;
    for (int i = 0; i < 3; ++i) {
        double anywhere = soup_between(random, -far, far);
        double x = t.corner[0][i], y = t.corner[1][i], z = t.corner[2][i];
        out[i] = kind == 2   ? x
                 : kind == 3 ? 0.5 * x + 0.5 * y
                 : kind == 4 ? x + (x - y)
                 : kind == 5 ? 0.5 * x + 0.25 * y + 0.25 * z
                             : x + anywhere;
    }
}

static void check(const graze_ray *got, const truth *want, bool counted, uint64_t seed)
{
    bool same = got->hit == want->hit && got->triangle == want->triangle && got->t == want->t &&
                got->hit_count == (counted ? want->hit_count : 0) &&
                got->unclean_count == (counted ? want->unclean_count : 0);
    for (int i = 0; i < 3; ++i)
        same = same && got->point[i] == want->point[i];
    if (!same)
        fail_msg("seed %llu: hit %u, %u at %.17g, %llu and %llu; not %d, %u at %.17g, %llu, %llu",
                 (unsigned long long)seed, got->hit, got->triangle, got->t,
                 (unsigned long long)got->hit_count, (unsigned long long)got->unclean_count,
                 want->hit, want->triangle, want->t, (unsigned long long)want->hit_count,
                 (unsigned long long)want->unclean_count);
}

static void rays_equal_oracle(void **state)
{
    (void)state;
    static soup_case c;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    oracle *o = oracle_create();
    uint64_t hits = 0, clean = 0, several = 0, misses = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        soup_case_make(&c, seed, 100);
        test_random random = {seed};
        graze_shape_def def = graze_shape_def_default();
        def.layout = seed % 2 == 0 ? GRAZE_LAYOUT_COMPACT : GRAZE_LAYOUT_FAST;
        graze_shape *shape = NULL;
        assert_int_equal(graze_shape_create(context, &c.a.view, &def, &shape), GRAZE_OK);
        graze_box box = graze_shape_get_info(shape).box;
        double scale = fmax(box.max[0] - box.min[0], box.max[1] - box.min[1]) / 4;
        for (int k = 0; k < 12; ++k) {
            double start[3], end[3];
            choose_end(&random, &c.a, &c.pose_a, scale, start);
            choose_end(&random, &c.a, &c.pose_a, scale, end);
            if (k == 0)
                memcpy(end, start, sizeof end);
            truth want = solve(o, &c.a, &c.pose_a, start, end);
            graze_ray got;
            graze_ray_def all = graze_ray_def_default();
            all.count_all = 1;
            assert_int_equal(
                graze_query_ray(query, graze_at(shape, &c.pose_a), start, end, NULL, &got),
                GRAZE_OK);
            check(&got, &want, false, seed);
            assert_int_equal(
                graze_query_ray(query, graze_at(shape, &c.pose_a), start, end, &all, &got),
                GRAZE_OK);
            check(&got, &want, true, seed);
            hits += want.hit;
            misses += !want.hit;
            clean += want.hit_count - want.unclean_count;
            several += want.unclean_count > 1;
        }
        graze_shape_free(shape);
    }
    assert_true(hits > 500 && misses > 200 && clean > 1000 && several > 200);
    oracle_destroy(o);
    graze_query_free(query);
    test_context_done(context);
}

// From outside to the corner that is first on the way, so that the segment meets the shape and its
// boxes with nothing but its end.
static void choose_graze(test_random *random, const soup *s, const graze_pose *pose, double far,
                         double start[3], double end[3])
{
    double way[3], most = -HUGE_VAL;
    for (int i = 0; i < 3; ++i)
        way[i] = test_next(random) % 4 == 0 ? 0 : soup_between(random, -1, 1);
    for (uint32_t k = 0; k < s->view.triangle_count; ++k) {
        graze_triangle t = soup_triangle(s, k, pose);
        for (int c = 0; c < 3; ++c) {
            double height = 0;
            for (int i = 0; i < 3; ++i)
                height += way[i] * (t.corner[c][i] - pose->translation[i]);
            if (height > most) {
                most = height;
                memcpy(end, t.corner[c], sizeof t.corner[c]);
            }
        }
    }
    for (int i = 0; i < 3; ++i)
        start[i] = end[i] + far * way[i];
}

// What boxes are compared with is the segment in the frame of the shape: far from the origin, after
// a rotation that is off, or a long way, that is off by much more than boxes are wide.
static void grazing_rays_far_away(void **state)
{
    (void)state;
    static soup s;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    oracle *o = oracle_create();
    uint64_t tests = TEST_CHANCES(240), several = 0;
    for (uint64_t seed = 1; seed <= tests; ++seed) {
        test_random random = {seed};
        static const double offsets[] = {1e6, 0, -3e9, 1e3}, shifts[] = {0, 1e12, 1, -1e7};
        soup_make(&random, &s, 1 + (uint32_t)(test_next(&random) % 60), 1,
                  offsets[test_next(&random) % 4], false);
        graze_pose pose = soup_pose(&random, 1);
        soup_bend(&pose, seed % 4);
        for (int i = 0; i < 3; ++i)
            pose.translation[i] *= shifts[test_next(&random) % 4];
        graze_shape_def def = graze_shape_def_default();
        def.layout = seed / 4 % 2 == 0 ? GRAZE_LAYOUT_COMPACT : GRAZE_LAYOUT_FAST;
        graze_shape *shape = NULL;
        assert_int_equal(graze_shape_create(context, &s.view, &def, &shape), GRAZE_OK);
        for (int k = 0; k < 6; ++k) {
            double start[3], end[3];
            choose_graze(&random, &s, &pose, k == 0 ? 1e8 : k == 1 ? 1e-3 : 1, start, end);
            truth want = solve(o, &s, &pose, start, end);
            graze_ray_def all = graze_ray_def_default();
            graze_ray got;
            all.count_all = 1;
            assert_true(want.hit);
            several += want.hit_count > 1;
            assert_int_equal(graze_query_ray(query, graze_at(shape, &pose), start, end, NULL, &got),
                             GRAZE_OK);
            check(&got, &want, false, seed);
            assert_int_equal(graze_query_ray(query, graze_at(shape, &pose), end, start, &all, &got),
                             GRAZE_OK);
            assert_int_equal(got.hit_count, want.hit_count);
        }
        graze_shape_free(shape);
    }
    assert_true(several > tests);
    oracle_destroy(o);
    graze_query_free(query);
    test_context_done(context);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static soup s;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    graze_shape *shape = NULL, *nothing = NULL;
    test_random random = {1};
    soup_make(&random, &s, 20, 1, 0, false);
    graze_mesh_view empty = {.precision = GRAZE_FLOAT32};
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_shape_create(context, &s.view, NULL, &shape), GRAZE_OK);
    assert_int_equal(graze_shape_create(context, &empty, NULL, &nothing), GRAZE_OK);
    graze_pose still = graze_pose_identity(), bent = still;
    bent.rotation[0] = 2;
    double here[3] = {0, 0, 0}, there[3] = {1, 2, 3}, lost[3] = {0, (double)NAN, 0};
    double beyond[3] = {0, 0, 0x1p1022};
    graze_ray ray;
    graze_ray_def unset = {0};
    assert_int_equal(graze_query_ray(query, graze_at(shape, &still), here, there, NULL, &ray),
                     GRAZE_OK);
    assert_int_equal(graze_query_ray(query, graze_at(nothing, &still), here, there, NULL, &ray),
                     GRAZE_OK);
    assert_true(!ray.hit);
    const graze_status bad = GRAZE_ERROR_ARGUMENT;
    assert_int_equal(graze_query_ray(query, graze_at(shape, &bent), here, there, NULL, &ray), bad);
    assert_int_equal(graze_query_ray(query, graze_at(shape, &still), here, lost, NULL, &ray), bad);
    assert_int_equal(graze_query_ray(query, graze_at(shape, &still), beyond, here, NULL, &ray),
                     bad);
    assert_int_equal(graze_query_ray(query, graze_at(shape, &still), NULL, there, NULL, &ray), bad);
    assert_int_equal(graze_query_ray(query, graze_at(NULL, &still), here, there, NULL, &ray), bad);
    assert_int_equal(graze_query_ray(query, graze_at(shape, &still), here, there, &unset, &ray),
                     bad);
    assert_int_equal(graze_query_ray(query, graze_at(shape, &still), here, there, NULL, NULL), bad);
    graze_shape_free(nothing);
    graze_shape_free(shape);
    graze_query_free(query);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_equal_oracle),
        cmocka_unit_test(grazing_rays_far_away),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
