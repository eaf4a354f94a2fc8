// A frame of small soups. See frame_soups.h.
#include "frame_soups.h"

#include <math.h>
#include <stdlib.h>

void frame_case_make(frame_case *c, uint64_t seed, uint32_t most)
{
    test_random random = {seed * 77};
    double scale = seed % 5 == 0 ? ldexp(1, (int)(test_next(&random) % 160) - 80) : 1;
    bool absurd = seed % 25 == 0; // beyond what floats can hold
    if (absurd)
        scale = seed % 50 == 0 ? 0x1p600 : 0x1p-600;
    double offset = seed % 7 == 0 ? 1000 * scale : 0;
    uint64_t precisions = absurd ? 0 : test_next(&random) % 3; // doubles, floats, both
    c->seed = seed;
    c->object_count = (uint32_t)(test_next(&random) % (FRAME_OBJECTS + 1));
    for (uint32_t i = 0; i < c->object_count; ++i) {
        bool narrow = precisions == 2 ? test_next(&random) % 2 == 0 : precisions == 1;
        uint32_t count = (uint32_t)(test_next(&random) % (most + 1));
        double part = test_next(&random) % 3 == 0 ? 0.25 : 1;
        double shift = test_next(&random) % 2 == 0 ? scale * soup_between(&random, -2, 2) : 0;
        soup_make(&random, &c->soups[i], count, scale * part, offset + shift, narrow);
        c->views[i] = c->soups[i].view;
    }
    c->tolerance = soup_tolerance(&random, scale);
}

static bool same_place(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// Is this point a corner of a, as it was loaded?
static bool is_corner(oracle *o, const exact_point *p, int corner)
{
    bool same = true;
    for (int axis = 0; axis < 3; ++axis) {
        mpz_mul(o->s0, p->w, o->corner[0][corner].c[axis]);
        same = same && mpz_cmp(o->s0, p->x.c[axis]) == 0;
    }
    return same;
}

bool frame_in_contact(oracle *o, const graze_triangle *a, const graze_triangle *b, bool one_object,
                      double tolerance)
{
    bool common[3] = {false, false, false}, any = false;
    for (int i = 0; i < 3 && one_object; ++i)
        for (int k = 0; k < 3; ++k)
            if (same_place(a->corner[i], b->corner[k]))
                common[i] = any = true;
    oracle_load(o, a, b);
    if (!any) {
        oracle_closest(o);
        return oracle_within(o, tolerance);
    }
    oracle_intersect(o);
    for (int k = 0; k < o->corner_count; ++k) {
        bool known = false;
        for (int i = 0; i < 3; ++i)
            known = known || (common[i] && is_corner(o, &o->intersection[k], i));
        if (!known)
            return true;
    }
    return false;
}

static graze_triangle frame_triangle(const graze_mesh_view *view, uint32_t t)
{
    graze_triangle out;
    for (uint32_t k = 0; k < 3; ++k)
        for (uint32_t i = 0; i < 3; ++i) {
            uint32_t at = 3 * view->corners[3 * t + k] + i;
            out.corner[k][i] = view->precision == GRAZE_FLOAT32
                                   ? (double)((const float *)view->positions)[at]
                                   : ((const double *)view->positions)[at];
        }
    return out;
}

void frame_case_solve(frame_case *c)
{
    oracle *o = oracle_create();
    c->contacts[0] = c->contacts[1] = 0;
    memset(c->contact, 0, sizeof c->contact);
    for (uint32_t a = 0; a < c->object_count; ++a)
        for (uint32_t b = a; b < c->object_count; ++b)
            for (uint32_t t = 0; t < c->views[a].triangle_count; ++t)
                for (uint32_t u = a == b ? t + 1 : 0; u < c->views[b].triangle_count; ++u) {
                    graze_triangle x = frame_triangle(&c->views[a], t);
                    graze_triangle y = frame_triangle(&c->views[b], u);
                    bool yes = frame_in_contact(o, &x, &y, a == b, c->tolerance);
                    c->contact[a][b][t][u] = yes;
                    c->contacts[a == b] += yes;
                }
    oracle_destroy(o);
}

void frame_case_check(const frame_case *c, const graze_cull_answer *answer, bool self,
                      bool only_self)
{
    uint64_t expected = (only_self ? 0 : c->contacts[0]) + (self ? c->contacts[1] : 0), pair = 0;
    if (answer->pair_count != expected)
        fail_msg("seed %llu: %llu pairs instead of %llu", (unsigned long long)c->seed,
                 (unsigned long long)answer->pair_count, (unsigned long long)expected);
    for (uint64_t i = 0; i < answer->object_pair_count; ++i) {
        const graze_cull_objects *met = &answer->objects[i];
        assert_true(met->first_pair == pair && met->pair_count != 0 && met->a <= met->b);
        assert_true(met->a != met->b ? !only_self : self);
        if (i != 0)
            assert_true(met[-1].a < met->a || (met[-1].a == met->a && met[-1].b < met->b));
        for (uint64_t k = 0; k < met->pair_count; ++k, ++pair) {
            graze_pair p = answer->pairs[pair];
            if (!c->contact[met->a][met->b][p.a][p.b])
                fail_msg("seed %llu: triangle %u of object %u, and %u of %u, are not in contact",
                         (unsigned long long)c->seed, p.a, met->a, p.b, met->b);
            if (k != 0) {
                graze_pair before = answer->pairs[pair - 1];
                assert_true(before.a < p.a || (before.a == p.a && before.b < p.b));
            }
        }
    }
    assert_true(pair == answer->pair_count && answer->complete == 1);
    assert_int_equal(answer->verdict, pair != 0 ? GRAZE_CONTACT : GRAZE_APART);
}
