// Predicates, meeting, and tolerances, before the oracle. See check.h.
#include <float.h>
#include <math.h>

#include "check.h"

static const double *given_corner(const nasty_pair *pair, int i)
{
    return i < 3 ? pair->a.corner[i] : pair->b.corner[i - 3];
}

// Four corners out of six, differing from pair to pair; every choice has its turn.
static void choose(uint64_t number, int chosen[4])
{
    int left[6] = {0, 1, 2, 3, 4, 5};
    for (int i = 0; i < 4; ++i) {
        int pick = (int)(number % (uint64_t)(6 - i));
        number /= (uint64_t)(6 - i);
        chosen[i] = left[pick];
        for (int k = pick; k < 5 - i; ++k)
            left[k] = left[k + 1];
    }
}

static bool orient3d_right(check_state *state, const nasty_pair *pair, const int c[4])
{
    int said = graze_orient3d(given_corner(pair, c[0]), given_corner(pair, c[1]),
                              given_corner(pair, c[2]), given_corner(pair, c[3]));
    return said == oracle_orient3d(state->oracle, c[0], c[1], c[2], c[3]);
}

static bool orient2d_right(check_state *state, const nasty_pair *pair, const int c[4], int x)
{
    int y = (x + 1) % 3;
    double flat[3][2];
    for (int i = 0; i < 3; ++i) {
        flat[i][0] = given_corner(pair, c[i])[x];
        flat[i][1] = given_corner(pair, c[i])[y];
    }
    int said = graze_orient2d(flat[0], flat[1], flat[2]);
    return said == oracle_orient2d(state->oracle, c[0], c[1], c[2], x, y);
}

const char *check_predicates(check_state *state, const nasty_pair *pair)
{
    check_signs before = check_signs_now();
    int chosen[4];
    const int face[4] = {0, 1, 2, 3 + (int)(state->number % 3)};
    choose(state->number, chosen);
    if (!orient3d_right(state, pair, face) || !orient3d_right(state, pair, chosen))
        return "orient3d";
    const int own[2][4] = {{0, 1, 2, 0}, {4, 5, 3, 0}}; // thin triangles are nearly on one line
    for (int x = 0; x < 3; ++x)
        if (!orient2d_right(state, pair, chosen, x) ||
            !orient2d_right(state, pair, own[state->number % 2], x))
            return "orient2d";
    if (graze_triangle_dimension(&pair->a) != oracle_dimension(state->oracle, 0) ||
        graze_triangle_dimension(&pair->b) != oracle_dimension(state->oracle, 1))
        return "dimension";
    check_note_signs(state, before);
    return NULL;
}

static bool within_right(check_state *state, const nasty_pair *pair, double tolerance)
{
    if (!(tolerance >= 0 && tolerance <= DBL_MAX))
        return true;
    bool truth = oracle_within(state->oracle, tolerance);
    if (graze_triangle_within(&pair->a, &pair->b, tolerance) != (int)truth)
        return false;
    // The same the other way round, now and then.
    if (state->number % 5 != 0)
        return true;
    graze_triangle a = check_renumbered(&pair->a, state->number / 5);
    graze_triangle b = check_renumbered(&pair->b, state->number / 30);
    return graze_triangle_within(&b, &a, tolerance) == (int)truth;
}

const char *check_meet(check_state *state, const nasty_pair *pair)
{
    check_know_distance(state);
    bool truth = oracle_meet(state->oracle);
    check_signs before = check_signs_now();
    if (graze_triangle_meet(&pair->a, &pair->b) != (int)truth)
        return "meet";
    check_note_signs(state, before);
    graze_triangle a = check_renumbered(&pair->a, state->number);
    graze_triangle b = check_renumbered(&pair->b, state->number / 6);
    if (graze_triangle_meet(&b, &a) != (int)truth)
        return "meet, swapped and renumbered,";
    // Of the tolerances each pair gets one, for they cost the library more than anything else here.
    // Around the true distance comparing is hardest: on it, just below, just above.
    uint64_t turn = state->number / 2;
    double distance = check_distance_near(state->oracle);
    const double near[] = {distance, nextafter(distance, 0.0), nextafter(distance, INFINITY)};
    const double extremes[] = {0.0, DBL_TRUE_MIN, DBL_MIN, DBL_MAX, 1e-160, 1e160, 1.5 * distance};
    double tolerance = state->number % 2 == 0 ? near[turn % 3]
                       : turn % 4 == 0        ? extremes[turn / 4 % 7]
                                              : pair->tolerance;
    return within_right(state, pair, tolerance) ? NULL : "within";
}
