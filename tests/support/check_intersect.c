// Intersections before the oracle. See check.h.
#include "check.h"

// Each coordinate of the true corner, rounded to nearest.
static void round_corner(const oracle *o, const exact_point *p, double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = exact_round(p->x.c[axis], p->w, o->exponent);
}

static bool same_point(const double *p, const double *q)
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// The corners in the given order, beginning anywhere. Of two corners any order is one around.
static bool same_around(const graze_intersection *said, double (*truth)[3])
{
    uint32_t count = said->point_count;
    for (uint32_t start = 0; start < count; ++start) {
        bool same = true;
        for (uint32_t i = 0; i < count && same; ++i)
            same = same_point(said->point[i], truth[(i + start) % count]);
        if (same)
            return true;
    }
    return count == 0;
}

static const char *compare(check_state *state, const graze_triangle *a, const graze_triangle *b)
{
    oracle *o = state->oracle;
    graze_intersection said;
    memset(&said, 0x55, sizeof said);
    graze_triangle_intersect(a, b, &said);
    if (said.point_count != (uint32_t)o->corner_count)
        return "point_count";
    if (said.coplanar != (uint32_t)oracle_coplanar(o))
        return "coplanar";
    double truth[ORACLE_CORNERS_MAX][3];
    for (int i = 0; i < o->corner_count; ++i)
        round_corner(o, &o->intersection[i], truth[i]);
    return same_around(&said, truth) ? NULL : "a point, or their order,";
}

const char *check_intersect(check_state *state, const nasty_pair *pair)
{
    check_signs before = check_signs_now();
    oracle_intersect(state->oracle);
    if (!state->distance_known)
        state->met += state->oracle->corner_count > 0;
    const char *wrong = compare(state, &pair->a, &pair->b);
    check_note_signs(state, before);
    if (wrong != NULL || state->number % 4 != 0)
        return wrong;
    // The other way round; the normal that gives the order is now that of b.
    graze_triangle a = check_renumbered(&pair->a, state->number / 4);
    graze_triangle b = check_renumbered(&pair->b, state->number / 24);
    oracle_load(state->oracle, &b, &a);
    oracle_intersect(state->oracle);
    wrong = compare(state, &b, &a);
    oracle_load(state->oracle, &pair->a, &pair->b);
    return wrong;
}
