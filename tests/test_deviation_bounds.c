// What bounds of deviations are made of, each in a case that is nothing without it: the rim of a
// triangle that coverage does not look at, edges that are open wherever they stand in their
// triangle, and what corners of pieces are off.
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "deviations.h"
#include "patches.h"
#include "simplify/deviation_pieces.h"

// --- Rims

// A triangle with an angle of so many radians, its legs about 1, anywhere.
static void make_needle(test_random *random, double angle, double v[3][3])
{
    double axis[2][3];
    for (int n = 0; n < 2; ++n) {
        double length = 0, along = 0;
        for (int i = 0; i < 3; ++i)
            axis[n][i] = test_unit(random) - 0.5;
        for (int i = 0; i < 3 && n == 1; ++i)
            along += axis[1][i] * axis[0][i];
        for (int i = 0; i < 3; ++i) {
            axis[n][i] -= n == 1 ? along * axis[0][i] : 0;
            length += axis[n][i] * axis[n][i];
        }
        for (int i = 0; i < 3; ++i)
            axis[n][i] /= sqrt(length);
    }
    double second = 1 - 0.1 * test_unit(random);
    for (int i = 0; i < 3; ++i) {
        v[0][i] = test_unit(random);
        v[1][i] = v[0][i] + axis[0][i];
        v[2][i] = v[0][i] + second * (cos(angle) * axis[0][i] + sin(angle) * axis[1][i]);
    }
}

// Lines across the middle of a triangle meet the target, which ends just where coverage ends to
// look: the corners of the triangle are as far from it as the shrinking that is added says.
static void rims_count(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    uint64_t covered = 0, all = 300;
    double most = 0;
    for (uint64_t seed = 1; seed <= all; ++seed) {
        test_random random = {seed};
        double v[3][3], inner[3][3], floor = 0.05 + 0.5 * test_unit(&random);
        make_needle(&random, seed % 2 == 0 ? 0.04 : 1, v);
        double longest =
            0; // coverage shrinks a triangle by a 128th of the goal, at its longest edge
        for (int k = 0; k < 3; ++k) {
            const double *p = v[k], *q = v[(k + 1) % 3];
            longest =
                fmax(longest, sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                   (p[2] - q[2]) * (p[2] - q[2])));
        }
        double part = 0.99 * floor / (128 * longest), far = 1 - 1.49 * part; // half as much there
        const double at[3][2] = {{part, part}, {far, part}, {part, far}};
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i)
                inner[k][i] =
                    v[0][i] + at[k][0] * (v[1][i] - v[0][i]) + at[k][1] * (v[2][i] - v[0][i]);
        patch from = patch_of_one((const double(*)[3])v),
              to = patch_of_one((const double(*)[3])inner);
        double truth = 0;
        for (int k = 0; k < 3; ++k)
            truth = fmax(truth, patch_distance_to(&to, v[k]));
        gz_surface s = patch_surface(&from), t = patch_surface(&to);
        gz_deviation d = {-1, -1};
        assert_int_equal(gz_deviation_set_target(b.query, &t), GRAZE_OK);
        assert_int_equal(gz_deviation_from(b.query, &s, DEVIATION_GAP, floor, &d), GRAZE_OK);
        covered += gz_deviation_counted(b.query).covered;
        most = fmax(most, truth / (0.99 * floor / 128));
        if (!(d.high >= truth && d.low <= truth * (1 + 1e-12)))
            fail_msg("seed %d: %.17g is not between %.17g and %.17g", (int)seed, truth, d.low,
                     d.high);
        patch_free(&from);
        patch_free(&to);
    }
    // Nearly all are covered, and some need nearly twice the shrinking, which is what is proved.
    assert_true(covered > all * 9 / 10 && most > 1.9 && most < 2.01);
    deviation_close(&b);
}

// --- Open edges

// The edge of a triangle that has the vertices of an edge of the hole becomes its edge k.
static void turn_towards(patch *p, uint32_t t, const uint32_t hole[3], uint32_t k)
{
    for (uint32_t edge = 0; edge < 3; ++edge) {
        uint32_t a = p->corner[t][edge], b = p->corner[t][(edge + 1) % 3], shared = 0;
        for (int i = 0; i < 3; ++i)
            shared += (hole[i] == a) + (hole[i] == b);
        if (shared != 2)
            continue;
        uint32_t turned[3];
        for (uint32_t i = 0; i < 3; ++i)
            turned[(i + k + 3 - edge) % 3] = p->corner[t][i];
        memcpy(p->corner[t], turned, sizeof turned);
        return;
    }
}

// A hole in a plane below a large triangle. Its border is made of first, second or third edges, so
// that each of them must be known as open.
static void holes_with_all_edges(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    static const double large[3][3] = {{0.1, 0.12, 0}, {0.8, 0.14, 0}, {0.12, 0.8, 0}};
    patch from = patch_of_one(large);
    for (uint32_t k = 0; k < 4; ++k) {
        deviation_bench b = deviation_open(k == 3 ? GRAZE_SIMD_SCALAR : GRAZE_SIMD_BEST);
        for (uint32_t hole = 0; hole < 2 * SIDE * SIDE; ++hole) {
            patch to = patch_relief(SIDE, 0, 1);
            uint32_t corner[3];
            double middle[3] = {0}, low = 1, high = 0;
            memcpy(corner, to.corner[hole], sizeof corner);
            for (int n = 0; n < 3; ++n)
                for (int i = 0; i < 2; ++i) {
                    middle[i] += to.position[corner[n]][i] / 3;
                    low = fmin(low, to.position[corner[n]][i]);
                    high = fmax(high, to.position[corner[n]][0] + to.position[corner[n]][1]);
                }
            if (low > 0.15 && high < 0.85) { // within the large one
                memcpy(to.corner[hole], to.corner[--to.triangle_count], sizeof corner);
                for (uint32_t t = 0; t < to.triangle_count; ++t)
                    turn_towards(&to, t, corner, k % 3);
                double truth = patch_distance_to(&to, middle);
                gz_deviation d = deviation_measure(&b, &from, &to, DEVIATION_GAP, 0.5 * truth);
                assert_true(truth > 0.01);
                if (!(d.high >= truth * (1 - 1e-9)))
                    fail_msg("a hole of edges %u: %.17g is beyond %.17g", k, truth, d.high);
            }
            patch_free(&to);
        }
        patch whole = patch_relief(SIDE, 0, 1); // without a hole it is covered
        gz_deviation d = deviation_measure(&b, &from, &whole, DEVIATION_GAP, 0.01);
        assert_true(d.high <= 0.01 && gz_deviation_counted(b.query).covered == 1);
        patch_free(&whole);
        deviation_close(&b);
    }
    patch_free(&from);
}

// --- Pieces

typedef struct taken {
    gz_deviation_query *query;
    patch whole; // the triangle, in the coordinates of the target
    uint64_t pieces, deep, drifted;
} taken;

// What is settled has the distance of its corners, with the margin and what they are off. Pieces
// are off by no more than they say, and some are off.
static void look_at_piece(void *data, const gz_deviation_piece *piece, uint32_t near, double told)
{
    taken *all = data;
    double most = 0, off = gz_piece_off(all->query, piece);
    long double drift = 0;
    for (uint32_t i = 0; i < piece->count; ++i) {
        const double *p = piece->corner[i];
        most = fmax(most, gz_target_distance(gz_deviation_triangle(all->query, near), p));
        drift = fmaxl(drift, patch_distance_to_triangle(&all->whole, 0, p));
    }
    double high = most + gz_target_margin(&all->query->target) + off;
    if (!(all->query->high >= high * (1 - 0x1p-52) && told >= high * (1 - 0x1p-52)))
        fail_msg("a piece after %u cuts is settled at %.17g, not %.17g", piece->depth,
                 all->query->high, high);
    if (!(drift <= (long double)off * (1 + 1e-15L) + 0x1p-62L * all->query->target.reach))
        fail_msg("a piece after %u cuts is %Lg off, not %g", piece->depth, drift, off);
    all->query->high = 0; // so that the next one is seen
    all->pieces++;
    all->deep += piece->depth > 6;
    all->drifted += drift > 0x1p-60L * all->query->target.reach;
}

static void pieces_have_what_they_are_off(void **state)
{
    (void)state;
    deviation_bench b = deviation_open(GRAZE_SIMD_BEST);
    taken all = {.query = b.query};
    static gz_pile pile;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        test_random random = {seed};
        double v[3][3];
        for (int i = 0; i < 9; ++i)
            v[i / 3][i % 3] = i % 3 == 2 ? 0.2 * test_unit(&random) : test_unit(&random);
        patch from = patch_of_one((const double(*)[3])v), to = patch_relief(14, 0.15, seed);
        gz_surface s = patch_surface(&from), t = patch_surface(&to);
        gz_deviation d;
        bool done;
        double corner[3][3];
        assert_int_equal(gz_deviation_set_target(b.query, &t), GRAZE_OK);
        assert_int_equal(gz_deviation_start(b.query, &s, 1e-3, 1e-5, &d, &done), GRAZE_OK);
        assert_true(!done);
        gz_target_corners(&b.query->target, &s, 0, corner);
        all.whole = patch_of_one((const double(*)[3])corner);
        b.query->near.count = 0;
        pile.take = look_at_piece;
        pile.data = &all;
        gz_pile_settle(b.query, &pile, (const double(*)[3])corner, 0, 0);
        patch_free(&all.whole);
        patch_free(&from);
        patch_free(&to);
    }
    assert_true(all.pieces > 300 && all.deep > 100 && all.drifted > 100);
    deviation_close(&b);
}

// A triangle that is dealt out in many parts was cut, somewhere, as often as halving makes so many:
// what its parts are off by after so many cuts is in their extra.
static void parts_have_what_they_are_off(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_deviation_query *query = NULL;
    gz_shares shares = {0};
    assert_int_equal(gz_deviation_query_create(context, &query), GRAZE_OK);
    static const double large[3][3] = {{-0.9, -0.8, 0.01}, {0.95, -0.75, 0.02}, {-0.7, 0.9, 0}};
    for (uint32_t side = 8; side <= 24; side += 4) {
        const double shift[3] = {-1, -1, 0};
        patch from = patch_of_one(large), to = patch_relief(side, 0.02, side);
        patch_transform(&to, 2, shift);
        gz_surface s = patch_surface(&from), t = patch_surface(&to);
        uint32_t *owner = malloc(sizeof *owner * to.triangle_count);
        assert_non_null(owner);
        for (uint32_t i = 0; i < to.triangle_count; ++i)
            owner[i] = i;
        gz_deviation d;
        double most;
        assert_int_equal(gz_deviation_set_target(query, &t), GRAZE_OK);
        assert_int_equal(gz_deviation_from(query, &s, 0.05, 0, &d), GRAZE_OK);
        gz_deal deal = {&t, owner, d.high, 0, 0, UINT64_MAX, GRAZE_FLOAT64};
        assert_int_equal(gz_deviation_deal(query, &s, &deal, &shares, &most), GRAZE_OK);
        const gz_share *share = shares.shares.items;
        double cuts = floor(log2((double)shares.shares.count));
        assert_true(cuts >= 5);
        double off = 2 * cuts * 0x1p-50; // in a target from -1 to 1, twice: there and back
        for (uint64_t i = 0; i < shares.shares.count; ++i)
            if (!((double)share[i].extra >= off))
                fail_msg("%g is the extra of parts after %g cuts, not %g", (double)share[i].extra,
                         cuts, off);
        patch_free(&from);
        patch_free(&to);
        free(owner);
    }
    gz_list_free(context, &shares.shares);
    gz_list_free(context, &shares.corners);
    gz_list_free(context, &shares.sights);
    gz_deviation_query_destroy(query);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rims_count),
        cmocka_unit_test(holes_with_all_edges),
        cmocka_unit_test(pieces_have_what_they_are_off),
        cmocka_unit_test(parts_have_what_they_are_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
