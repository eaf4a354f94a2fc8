// Quadrics of a patch, and the careful cost. See collapse_cost.h.
#include "model/collapse_cost.h"

#include <math.h>

#include "model/pieces.h"

// Chosen by the deviation measured on scans at a half, a quarter and a tenth of their triangles.
#define RIM_WEIGHT    1.0    // of a squared distance to the line of a rim
#define HEIGHT_WEIGHT 0.25   // of the largest squared height above a plane, beside the mean one
#define TURN_COSINE   0.0625 // squared: triangles may turn by 75 degrees
#define FOLD_COSINE   0.75   // squared: within 30 degrees of each other
#define NEEDLE        1e-3   // (twice the area / square of the longest edge) squared
#define FOLD_PENALTY  4.0    // what folds costs this many times the squared length of the way

static void difference(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] - b[k];
}

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_triangle(gz_work *work, const uint32_t corner[3])
{
    const double *a = work->position[corner[0]];
    double ab[3], ac[3];
    difference(work->position[corner[1]], a, ab);
    difference(work->position[corner[2]], a, ac);
    double n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2],
                   ab[0] * ac[1] - ab[1] * ac[0]};
    double length = sqrt(dot(n, n));
    if (!(length > 0))
        return;
    gz_quadric plane = gz_quadric_of_plane(n, a, 1 / length, length);
    for (int k = 0; k < 3; ++k)
        gz_quadric_add(work->quadric + corner[k], &plane);
}

// Do the two triangles at the edge from v to u lie nearly on each other? These are rims, too: those
// of sheets with two sides.
static bool is_folded(const gz_work *work, uint32_t v, uint32_t u, uint32_t a, uint32_t b)
{
    double e[3], x[3], y[3];
    difference(work->position[u], work->position[v], e);
    difference(work->position[a], work->position[v], x);
    difference(work->position[b], work->position[v], y);
    double ee = dot(e, e), xe = dot(x, e), ye = dot(y, e);
    double both = dot(x, y) * ee - xe * ye;
    return both > 0 &&
           both * both >= FOLD_COSINE * (dot(x, x) * ee - xe * xe) * (dot(y, y) * ee - ye * ye);
}

static void add_rim(gz_work *work, uint32_t v, uint32_t u)
{
    double e[3];
    difference(work->position[u], work->position[v], e);
    gz_quadric line = gz_quadric_of_line(e, work->position[v], RIM_WEIGHT);
    gz_quadric_add(work->quadric + v, &line);
    gz_quadric_add(work->quadric + u, &line);
}

// Rims are edges with an odd number of triangles, and folded ones. Each edge is looked at from its
// end with the smaller number.
static void add_rims_of(gz_work *work, uint32_t v)
{
    const uint32_t *list = gz_stars_of(&work->stars, v);
    uint32_t stamp = ++work->stamp, count = 0;
    uint32_t *triangles = work->merged, *third = work->bridge, *last = work->piece; // not used yet
    for (uint32_t i = 0; i < work->stars.star[v].live; ++i) {
        uint32_t other[2];
        gz_stars_others(&work->stars, list[i], v, other, other + 1);
        for (int k = 0; k < 2; ++k) {
            uint32_t u = other[k];
            if (u < v)
                continue;
            if (work->mark[u] != stamp) {
                work->mark[u] = stamp;
                work->ring[count++] = u;
                triangles[u] = 0;
                third[u] = other[1 - k];
            }
            triangles[u]++;
            last[u] = other[1 - k];
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t u = work->ring[i];
        if (triangles[u] % 2 != 0 ||
            (triangles[u] == 2 && is_folded(work, v, u, third[u], last[u])))
            add_rim(work, v, u);
    }
}

void gz_costs_make(gz_work *work)
{
    const gz_stars *stars = &work->stars;
    for (uint32_t t = 0; t < stars->triangle_count; ++t)
        if (stars->corner[t][0] != GZ_NONE)
            add_triangle(work, stars->corner[t]);
    for (uint32_t v = 0; v < stars->vertex_count; ++v)
        add_rims_of(work, v);
    for (uint32_t v = 0; v < stars->vertex_count; ++v) {
        double weight = work->quadric[v].weight;
        work->quadric[v].weight = weight > 0 ? weight : 1;
    }
}

// Squared distance from p to the segment.
static double to_segment(const double p[3], const double a[3], const double b[3])
{
    double along[3], ap[3];
    difference(b, a, along);
    difference(p, a, ap);
    double length = dot(along, along), at = dot(ap, along);
    at = !(length > 0) || at <= 0 ? 0 : at >= length ? 1 : at / length;
    for (int k = 0; k < 3; ++k)
        ap[k] -= at * along[k];
    return dot(ap, ap);
}

// What moving v does to the triangles around it.
typedef struct change {
    double inside; // squared way from v to the new triangle above or below it; infinite if none is
    double height; // the largest squared height of the new place above the triangles' planes
    uint32_t left; // triangles that do not vanish
    bool folds;    // one of them turns over, or becomes a needle
} change;

// The triangle (p, a, b) becomes (q, a, b). All that is asked follows from products of three
// vectors: from p and from q to a, and from a to b.
static void look_at(change *c, const double p[3], const double q[3], const double a[3],
                    const double b[3])
{
    double x[3], y[3], e[3];
    difference(a, p, x);
    difference(a, q, y);
    difference(b, a, e);
    double xx = dot(x, x), yy = dot(y, y), ee = dot(e, e);
    double xy = dot(x, y), xe = dot(x, e), ye = dot(y, e);
    double before = xx * ee - xe * xe, after = yy * ee - ye * ye; // squared areas, times four
    double both = xy * ee - xe * ye;  // product of the normals, and q's share of p's projection
    double share = ye * xy - yy * xe; // b's
    c->left++;
    double volume = x[0] * (e[1] * y[2] - e[2] * y[1]) + x[1] * (e[2] * y[0] - e[0] * y[2]) +
                    x[2] * (e[0] * y[1] - e[1] * y[0]);
    if (volume * volume > c->height * before)
        c->height = before > 1e-9 * xx * ee ? volume * volume / before : c->height;
    if (before > 1e-9 * xx * ee && (both <= 0 || both * both < TURN_COSINE * before * after))
        c->folds = true;
    double longest0 = fmax(xx, fmax(ee, xx + 2 * xe + ee));
    double longest = fmax(yy, fmax(ee, yy + 2 * ye + ee));
    if (after < NEEDLE * longest * longest &&
        after * longest0 * longest0 < before * longest * longest)
        c->folds = true;
    if (after > 1e-9 * yy * ee && both >= 0 && share >= 0 && both + share <= after) {
        double square = xx - (both * xy - share * xe) / after;
        if (square < c->inside)
            c->inside = square;
    }
}

// The way from v to the edges of the new triangles, where none of them has its projection.
static double way_to_edges(gz_work *work, uint32_t v, uint32_t w)
{
    const uint32_t *list = gz_stars_of(&work->stars, v);
    const double *p = work->position[v], *q = work->position[w];
    double least = gz_squared_distance(p, q);
    for (uint32_t i = 0; i < work->stars.star[v].live; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], v, &a, &b);
        if (a != w)
            least = fmin(least, to_segment(p, q, work->position[a]));
        if (b != w)
            least = fmin(least, to_segment(p, q, work->position[b]));
        if (a != w && b != w)
            least = fmin(least, to_segment(p, work->position[a], work->position[b]));
    }
    return least;
}

// Marks of vertices around v, by the triangles they share with it: with those that vanish, with
// those that stay, or with both.
typedef struct marks {
    uint32_t vanishing, both, staying;
} marks;

// Would an edge of v and one of w become one, with no triangle between them?
static bool grows_together(const gz_work *work, uint32_t w, marks m)
{
    const gz_star *star = work->stars.star + w;
    if (star->live > GZ_LARGE_STAR)
        return false;
    const uint32_t *list = work->stars.pool + star->first;
    for (uint32_t i = 0; i < star->count; ++i) {
        const uint32_t *c = work->stars.corner[list[i]];
        if (c[0] != GZ_NONE && ((c[0] != w && work->mark[c[0]] == m.staying) ||
                                (c[1] != w && work->mark[c[1]] == m.staying) ||
                                (c[2] != w && work->mark[c[2]] == m.staying)))
            return true;
    }
    return false;
}

// A triangle (v, w, a) that vanishes should leave the edge (w, a) to other triangles. Where it does
// not, a piece of surface is lost, as with a fin. Returns the largest squared length of such edges.
static double longest_lost(gz_work *work, uint32_t v, uint32_t w, marks m)
{
    const uint32_t *list = gz_stars_of(&work->stars, w);
    for (uint32_t i = 0; i < work->stars.star[w].live; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], w, &a, &b);
        if (a == v || b == v)
            continue;
        work->mark[a] = work->mark[a] == m.vanishing ? m.both : work->mark[a];
        work->mark[b] = work->mark[b] == m.vanishing ? m.both : work->mark[b];
    }
    double longest = 0;
    list = gz_stars_of(&work->stars, v);
    for (uint32_t i = 0; i < work->stars.star[v].live; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], v, &a, &b);
        uint32_t third = a == w ? b : b == w ? a : w;
        if (third != w && work->mark[third] == m.vanishing)
            longest = fmax(longest, gz_squared_distance(work->position[w], work->position[third]));
    }
    return longest;
}

float gz_cost_careful(gz_work *work, uint32_t v, uint32_t w)
{
    const uint32_t *list = gz_stars_of(&work->stars, v);
    uint32_t live = work->stars.star[v].live, shared = 0;
    const double *p = work->position[v], *q = work->position[w];
    change c = {.inside = INFINITY};
    work->stamp += 3;
    marks m = {work->stamp - 2, work->stamp - 1, work->stamp};
    int32_t alone = 0; // vertices with m.vanishing
    for (uint32_t i = 0; i < live; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], v, &a, &b);
        if (a == w || b == w) {
            uint32_t *mark = work->mark + (a == w ? b : a);
            alone += *mark < m.vanishing;
            *mark = *mark < m.vanishing ? m.vanishing : *mark == m.staying ? m.both : *mark;
            shared++;
            continue;
        }
        look_at(&c, p, q, work->position[a], work->position[b]);
        alone -= (work->mark[a] == m.vanishing) + (work->mark[b] == m.vanishing);
        work->mark[a] =
            work->mark[a] < m.vanishing || work->mark[a] == m.staying ? m.staying : m.both;
        work->mark[b] =
            work->mark[b] < m.vanishing || work->mark[b] == m.staying ? m.staying : m.both;
    }
    double length = gz_squared_distance(p, q);
    double way = c.inside < INFINITY ? c.inside : way_to_edges(work, v, w);
    double mean = gz_quadric_at(work->quadric + v, q) / work->quadric[v].weight;
    // No point of the surface moves farther than v does, unless it vanishes.
    double cost = fmin(length, fmax(fmax(mean, way), HEIGHT_WEIGHT * c.height));
    if (alone != 0)
        cost = fmax(cost, longest_lost(work, v, w, m));
    if (shared == 0) { // a bridge, or an edge that is gone
        if (gz_piece_of(work->piece, v) == gz_piece_of(work->piece, w))
            return INFINITY;
        cost = fmax(cost, length);
    }
    if (c.folds || grows_together(work, w, m))
        cost = fmax(cost, FOLD_PENALTY * length);
    return (float)(cost + GZ_COMPACTNESS * length);
}
