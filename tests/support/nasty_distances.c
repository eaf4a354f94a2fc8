// Pairs whose distance is known and whole, so that a tolerance can be exactly it: the closest
// points differ by a whole vector of whole length. See nasty.h.
#include "nasty_tools.h"

// Whole vectors of whole length.
static const double triples[][4] = {{3, 4, 0, 5},    {5, 12, 0, 13}, {8, 15, 0, 17}, {1, 2, 2, 3},
                                    {2, 3, 6, 7},    {1, 4, 8, 9},   {2, 6, 9, 11},  {6, 6, 7, 11},
                                    {4, 13, 16, 21}, {1, 0, 0, 1}};

static double whole_length(test_random *random, double *out)
{
    const double *triple = triples[whole(random, 0, 9)];
    double times = (double)whole(random, 1, 100);
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = times * triple[axis];
    return times * triple[3];
}
// A whole vector perpendicular to n.
static void across(test_random *random, const double *n, double *out)
{
    double w[3];
    do {
        whole_direction(random, 10, w);
        cross(out, n, w);
    } while (out[0] == 0 && out[1] == 0 && out[2] == 0);
}
// Adds a corner that is not nearer in the direction n than p: perpendicular to it and some more.
static void add_beyond(test_random *random, const double *p, const double *n, int64_t more,
                       double *out)
{
    double w[3];
    across(random, n, w);
    along(out, p, 1.0, w);
    along(out, out, (double)whole(random, 0, more), n);
}
// The corners x and x + n are nearest, or their whole neighbourhoods.
static void known_distance(test_random *random, int64_t more, nasty_pair *pair)
{
    double x[3], n[3], back[3];
    whole_point(random, 1000, x);
    pair->tolerance = whole_length(random, n);
    along(back, (double[3]){0, 0, 0}, -1.0, n);
    copy(pair->a.corner[0], x);
    along(pair->b.corner[0], x, 1.0, n);
    for (int i = 1; i < 3; ++i) {
        add_beyond(random, pair->a.corner[0], back, more, pair->a.corner[i]);
        add_beyond(random, pair->b.corner[0], n, more, pair->b.corner[i]);
    }
}
void known_distance_vertices(test_random *random, nasty_pair *pair)
{
    known_distance(random, 3, pair);
}
void known_distance_faces(test_random *random, nasty_pair *pair)
{
    known_distance(random, 0, pair);
}
// Two edges that cross at a known distance.
void known_distance_edges(test_random *random, nasty_pair *pair)
{
    known_distance(random, 3, pair);
    double u[3];
    const double x[3] = {pair->a.corner[0][0], pair->a.corner[0][1], pair->a.corner[0][2]};
    const double y[3] = {pair->b.corner[0][0], pair->b.corner[0][1], pair->b.corner[0][2]};
    double n[3];
    subtract(n, y, x);
    across(random, n, u);
    along(pair->a.corner[0], x, (double)whole(random, 0, 3), u);
    along(pair->a.corner[1], x, -(double)whole(random, 0, 3), u);
    if (!chance(random, 4)) // else parallel
        across(random, n, u);
    along(pair->b.corner[0], y, (double)whole(random, 0, 3), u);
    along(pair->b.corner[1], y, -(double)whole(random, 0, 3), u);
}
void known_distance_degenerate(test_random *random, nasty_pair *pair)
{
    known_distance(random, 2, pair);
    copy(pair->a.corner[1], pair->a.corner[chance(random, 2) ? 0 : 2]);
    if (chance(random, 2))
        copy(pair->b.corner[1], pair->b.corner[0]);
    if (chance(random, 2))
        copy(pair->b.corner[2], pair->b.corner[0]);
}
