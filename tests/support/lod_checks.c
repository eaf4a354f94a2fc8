// What answers with an error promise, held against exact ones. See lod_checks.h.
#include "lod_checks.h"

#include <math.h>

graze_posed lod_side(const lod_scene *s, int which)
{
    const body *of = which == 0 ? s->a : s->b;
    bool paged = s->way == 2 || s->way == which;
    return graze_at(paged ? of->paged : of->exact, which == 0 ? &s->pose_a : &s->pose_b);
}

double lod_apart(const double p[3], const double q[3])
{
    return hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
}

// The distance of a point in the world from all triangles of a body in its pose.
static double from_body(const body *b, const graze_pose *pose, const double point[3])
{
    double local[3], moved[3];
    for (int axis = 0; axis < 3; ++axis)
        moved[axis] = point[axis] - pose->translation[axis];
    for (int axis = 0; axis < 3; ++axis)
        local[axis] = pose->rotation[axis] * moved[0] + pose->rotation[3 + axis] * moved[1] +
                      pose->rotation[6 + axis] * moved[2];
    return triangles_distance(&b->t, local);
}

static bool covers(const graze_contact *c, const double p[3], const double q[3])
{
    return lod_apart(c->point_a, p) <= c->cover_a * LOD_LOOSE + 1e-12 &&
           lod_apart(c->point_b, q) <= c->cover_b * LOD_LOOSE + 1e-12;
}

static bool is_covered(const graze_answer *answer, const double p[3], const double q[3])
{
    for (uint64_t i = 0; i < answer->pair_count; ++i)
        if (covers(&answer->contacts[i], p, q))
            return true;
    return false;
}

static graze_triangle posed_triangle(const body *b, const graze_pose *pose, uint32_t number)
{
    graze_triangle t;
    for (int k = 0; k < 3; ++k)
        graze_pose_apply(pose, b->t.corner[number][k], t.corner[k]);
    return t;
}

static void point_of(const graze_triangle *t, test_random *random, double out[3])
{
    double u = test_unit(random), v = test_unit(random);
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = t->corner[0][axis] + u * (t->corner[1][axis] - t->corner[0][axis]) +
                    v * (t->corner[2][axis] - t->corner[0][axis]);
}

void lod_check_complete(const lod_scene *s, const graze_answer *exact, const graze_answer *got,
                        test_random *random)
{
    uint64_t step = exact->pair_count / 200 + 1;
    for (uint64_t i = test_next(random) % step; i < exact->pair_count; i += step) {
        const graze_contact *c = &exact->contacts[i];
        if (!is_covered(got, c->point_a, c->point_b))
            fail_msg("pair %u, %u is not covered", c->pair.a, c->pair.b);
        graze_triangle t = posed_triangle(s->a, &s->pose_a, c->pair.a);
        graze_triangle u = posed_triangle(s->b, &s->pose_b, c->pair.b);
        for (int turn = 0; turn < 4 && s->tolerance > 0; ++turn) {
            double p[3];
            point_of(&t, random, p);
            graze_triangle dot = {{{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}}};
            graze_closest near;
            graze_triangle_closest(&dot, &u, &near);
            if (near.distance <= s->tolerance && !is_covered(got, p, near.point_b))
                fail_msg("a point of pair %u, %u is not covered", c->pair.a, c->pair.b);
        }
    }
}

void lod_check_bounded(const lod_scene *s, const graze_answer *got, test_random *random)
{
    uint64_t step = got->pair_count / 20 + 1;
    for (uint64_t i = 0; i < got->pair_count; ++i) {
        const graze_contact *c = &got->contacts[i];
        assert_true(c->error >= 0 && c->error <= s->error * LOD_LOOSE + 1e-12);
        assert_true(lod_apart(c->point_a, c->point_b) <=
                    (s->tolerance + c->error) * LOD_LOOSE + 1e-12);
        assert_true(c->cover_a >= 0 && c->cover_b >= 0);
        if ((i + test_next(random)) % step != 0)
            continue;
        double room = s->tolerance + c->error;
        double far_a = from_body(s->a, &s->pose_a, c->point_a);
        double far_b = from_body(s->b, &s->pose_b, c->point_b);
        assert_true(far_a + far_b <= c->error * LOD_LOOSE + 1e-9);
        assert_true(far_a + far_b + lod_apart(c->point_a, c->point_b) <= room * LOD_LOOSE + 1e-9);
    }
}

void lod_check_verdict(const lod_scene *s, graze_verdict got, const graze_answer *exact)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance distance;
    if (exact->pair_count != 0)
        assert_true(got == GRAZE_CONTACT || got == GRAZE_WITHIN_ERROR);
    if (got == GRAZE_CONTACT)
        assert_true(exact->pair_count != 0);
    if (got != GRAZE_WITHIN_ERROR)
        return;
    assert_int_equal(graze_query_distance(s->exact, graze_at(s->a->exact, &s->pose_a),
                                          graze_at(s->b->exact, &s->pose_b), &def, &distance),
                     GRAZE_OK);
    assert_true(distance.distance <= (s->tolerance + s->error) * LOD_LOOSE + 1e-12);
}

double lod_error_at(const lod_place_error *e, const graze_box *box)
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double d = fmax(fmax(box->min[axis] - e->point[axis], e->point[axis] - box->max[axis]), 0);
        sum += d * d;
    }
    return e->slope * sqrt(sum);
}

double lod_error_by_place(void *user, const graze_box *box)
{
    lod_place_error *e = user;
    e->calls++;
    assert_true(box->min[0] <= box->max[0] && box->min[1] <= box->max[1]);
    if (!e->odd)
        return lod_error_at(e, box);
    uint64_t bits;
    memcpy(&bits, &box->min[0], sizeof bits);
    test_random random = {.state = bits};
    double unit = test_unit(&random);
    return unit < 0.1 ? NAN : unit < 0.2 ? -1 : unit < 0.3 ? HUGE_VAL : unit * unit;
}

graze_box lod_box_at(const double p[3])
{
    return (graze_box){{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
}
