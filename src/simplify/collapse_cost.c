// Quadrics of a patch, and the careful cost. See collapse_cost.h.
#include "simplify/collapse_cost.h"

#include <math.h>

#include "geometry/vector.h"
#include "simplify/union_find.h"

// Chosen by the deviation measured on a scan at half of its triangles.
#define RIM_WEIGHT    1.0    // of a squared distance to the line of a rim
#define HEIGHT_WEIGHT 0.25   // of the largest squared height above a plane, beside the mean one
#define TURN_COSINE   0.0625 // squared: triangles may turn by 75 degrees
#define FOLD_COSINE   0.75   // squared: within 30 degrees of each other
#define SLIVER        1e-9   // the same, where the rounding of areas is too much
#define NEEDLE        1e-3   // (twice the area / square of the longest edge) squared
#define FOLD_PENALTY  4.0    // what folds costs this many times the squared length of the way

// Without the cases of fmax and fmin that numbers which are no numbers would need.
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

static void add_triangle(gz_work *work, const uint32_t corner[3], float normal[3])
{
    const double *a = work->position[corner[0]];
    double ab[3], ac[3];
    gz_subtract3(work->position[corner[1]], a, ab);
    gz_subtract3(work->position[corner[2]], a, ac);
    double n[3];
    gz_cross3(ab, ac, n);
    double length = gz_length3(n);
    if (!(length > 0)) {
        normal[0] = normal[1] = normal[2] = 0;
        return;
    }
    double inverse = 1 / length;
    for (int k = 0; k < 3; ++k)
        normal[k] = (float)(n[k] * inverse);
    gz_quadric plane = gz_quadric_of_plane(n, a, inverse, length);
    for (int k = 0; k < 3; ++k)
        gz_quadric_add(work->quadric + corner[k], &plane);
}

// Do the two triangles at the edge from v to u lie nearly on each other? These are rims, too: those
// of sheets with two sides.
static bool is_folded(const gz_work *work, uint32_t v, uint32_t u, uint32_t a, uint32_t b)
{
    double e[3], x[3], y[3];
    gz_subtract3(work->position[u], work->position[v], e);
    gz_subtract3(work->position[a], work->position[v], x);
    gz_subtract3(work->position[b], work->position[v], y);
    double ee = gz_dot3(e, e), xe = gz_dot3(x, e), ye = gz_dot3(y, e);
    double both = gz_dot3(x, y) * ee - xe * ye;
    return both > 0 && both * both >= FOLD_COSINE * (gz_dot3(x, x) * ee - xe * xe) *
                                          (gz_dot3(y, y) * ee - ye * ye);
}

static void add_rim(gz_work *work, uint32_t v, uint32_t u)
{
    double e[3];
    gz_subtract3(work->position[u], work->position[v], e);
    gz_quadric line = gz_quadric_of_line(e, work->position[v], RIM_WEIGHT);
    gz_quadric_add(work->quadric + v, &line);
    gz_quadric_add(work->quadric + u, &line);
}

// Rims are edges with an odd number of triangles, and folded ones. Each edge is looked at from its
// end with the smaller number.
static void add_rims_of(gz_work *work, uint32_t v)
{
    const uint32_t *list = gz_stars_of(&work->stars, v);
    uint32_t stamp = gz_next_stamp(work, 1), count = 0;
    uint32_t *triangles = work->merged, *third = work->bridge,
             *last = work->component; // not used yet
    for (uint32_t i = 0; i < work->stars.star[v].live; ++i) {
        uint32_t other[2];
        gz_stars_others(&work->stars, list[i], other, other + 1);
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

// Is v surely without rims? That is so where each vertex around it comes once behind v in a
// triangle and once before it, and the two normals do not point away from each other. Nearly all
// vertices of a surface are like that, and it is seen without a branch that could go wrong.
static bool has_no_rims(gz_work *work, uint32_t v, float (*normal)[3])
{
    const uint32_t *list = gz_stars_of(&work->stars, v);
    uint32_t live = work->stars.star[v].live, stamp = gz_next_stamp(work, 1),
             *before = work->merged;
    bool regular = true;
    for (uint32_t i = 0; i < live; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], &a, &b);
        regular &= work->mark[b] != stamp;
        work->mark[b] = stamp;
        before[b] = list[i] >> 2;
    }
    for (uint32_t i = 0; i < live && regular; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], &a, &b);
        if (work->mark[a] != stamp)
            return false;
        const float *m = normal[list[i] >> 2], *n = normal[before[a]];
        regular = m[0] * n[0] + m[1] * n[1] + m[2] * n[2] >= 0;
    }
    return regular;
}

void gz_costs_make(gz_work *work)
{
    const gz_stars *stars = &work->stars;
    // Normals lie where stars will grow.
    float(*normal)[3] = (float(*)[3])(void *)(stars->pool + 3 * (uint64_t)stars->triangle_count);
    for (uint32_t t = 0; t < stars->triangle_count; ++t)
        if (!stars->corner[t][3])
            add_triangle(work, stars->corner[t], normal[t]);
    for (uint32_t v = 0; v < stars->vertex_count; ++v)
        if (!has_no_rims(work, v, normal))
            add_rims_of(work, v);
    for (uint32_t v = 0; v < stars->vertex_count; ++v) {
        double weight = work->quadric[v].term[GZ_QUADRIC_WEIGHT];
        work->quadric[v].term[GZ_QUADRIC_WEIGHT] = weight > 0 ? weight : 1;
    }
}

// Squared distance from p to the segment.
static double to_segment(const double p[3], const double a[3], const double b[3])
{
    double along[3], ap[3];
    gz_subtract3(b, a, along);
    gz_subtract3(p, a, ap);
    double length = gz_dot3(along, along), at = gz_dot3(ap, along);
    at = !(length > 0) || at <= 0 ? 0 : at >= length ? 1 : at / length;
    for (int k = 0; k < 3; ++k)
        ap[k] -= at * along[k];
    return gz_dot3(ap, ap);
}

// What moving v does to the triangles around it.
typedef struct change {
    double inside; // squared way from v to the new triangle above or below it; infinite if none is
    double height; // the largest squared height of the new place above the triangles' planes
    bool folds;    // one of them turns over, or becomes a needle
} change;

// The triangle (p, a, b) becomes (q, a, b). All that is asked follows from products of three
// vectors: from p and from q to a, and from a to b.
static void look_at(change *c, const double p[3], const double q[3], const double a[3],
                    const double b[3])
{
    double x[3], y[3], e[3];
    gz_subtract3(a, p, x);
    gz_subtract3(a, q, y);
    gz_subtract3(b, a, e);
    double xx = gz_dot3(x, x), yy = gz_dot3(y, y), ee = gz_dot3(e, e);
    double xy = gz_dot3(x, y), xe = gz_dot3(x, e), ye = gz_dot3(y, e);
    double before = xx * ee - xe * xe, after = yy * ee - ye * ye; // squared areas, times four
    double both = xy * ee - xe * ye;  // product of the normals, and q's share of p's projection
    double share = ye * xy - yy * xe; // b's
    double volume = x[0] * (e[1] * y[2] - e[2] * y[1]) + x[1] * (e[2] * y[0] - e[0] * y[2]) +
                    x[2] * (e[0] * y[1] - e[1] * y[0]);
    double height = before > SLIVER * xx * ee ? volume * volume / before : 0;
    c->height = larger(c->height, height);
    if (before > SLIVER * xx * ee && (both <= 0 || both * both < TURN_COSINE * before * after))
        c->folds = true;
    double longest0 = larger(xx, larger(ee, xx + 2 * xe + ee));
    double longest = larger(yy, larger(ee, yy + 2 * ye + ee));
    if (after < NEEDLE * longest * longest &&
        after * longest0 * longest0 < before * longest * longest)
        c->folds = true;
    double square = larger(0, xx - (both * xy - share * xe) / after);
    bool inside = (after > SLIVER * yy * ee) & (both >= 0) & (share >= 0) & (both + share <= after);
    c->inside = smaller(c->inside, inside ? square : INFINITY);
}

// The way from v to the edges of the new triangles, where none of them has its projection.
static double way_to_edges(gz_work *work, uint32_t v, uint32_t w)
{
    const uint32_t *list = gz_stars_of(&work->stars, v);
    const double *p = work->position[v], *q = work->position[w];
    double least = gz_squared_distance(p, q);
    for (uint32_t i = 0; i < work->stars.star[v].live; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], &a, &b);
        if (a != w)
            least = smaller(least, to_segment(p, q, work->position[a]));
        if (b != w)
            least = smaller(least, to_segment(p, q, work->position[b]));
        if (a != w && b != w)
            least = smaller(least, to_segment(p, work->position[a], work->position[b]));
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
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], &a, &b);
        if ((work->mark[a] == m.staying || work->mark[b] == m.staying) &&
            !work->stars.corner[list[i] >> 2][3])
            return true;
    }
    return false;
}

// Is there a triangle with w and a, but without v? Looks at the smaller star of the two, if that is
// not large.
static bool edge_stays(gz_work *work, uint32_t v, uint32_t w, uint32_t a)
{
    const gz_star *star = work->stars.star;
    uint32_t of = star[a].live < star[w].live ? a : w, to = of == a ? w : a;
    if (star[of].live > GZ_LARGE_STAR)
        return true;
    const uint32_t *list = gz_stars_of(&work->stars, of);
    for (uint32_t i = 0; i < star[of].live; ++i) {
        uint32_t b = 0, c = 0;
        gz_stars_others(&work->stars, list[i], &b, &c);
        if ((b == to && c != v) || (c == to && b != v))
            return true;
    }
    return false;
}

// A triangle (v, w, a) that vanishes should leave the edge (w, a) to other triangles. Where it does
// not, a component of surface is lost, as with a fin. Returns the largest squared length of such
// edges.
static double longest_lost(gz_work *work, uint32_t v, uint32_t w, marks m)
{
    double longest = 0;
    const uint32_t *list = gz_stars_of(&work->stars, v);
    for (uint32_t i = 0; i < work->stars.star[v].live; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], &a, &b);
        uint32_t third = a == w ? b : b == w ? a : w;
        if (third == w || work->mark[third] != m.vanishing)
            continue;
        double length = gz_squared_distance(work->position[w], work->position[third]);
        if (length > longest && !edge_stays(work, v, w, third))
            longest = length;
    }
    return longest;
}

static void mark_staying(uint32_t *mark, marks m)
{
    *mark = *mark == m.vanishing || *mark == m.both ? m.both : m.staying;
}
static void mark_vanishing(uint32_t *mark, marks m)
{
    *mark = *mark == m.staying || *mark == m.both ? m.both : m.vanishing;
}

// Triangles of a star, some at a time, sorted into those that vanish when v is moved onto w and
// those that stay. Sorting is done without branches, for they could not be foreseen.
#define HANDFUL 32
typedef struct handful {
    uint32_t staying[HANDFUL][2], vanishing[HANDFUL]; // the corners beside v, or beside v and w
    uint32_t staying_count, vanishing_count;
} handful;

static void take_handful(handful *h, const gz_stars *stars, const uint32_t *list, uint32_t count,
                         uint32_t w)
{
    h->staying_count = h->vanishing_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(stars, list[i], &a, &b);
        bool vanishes = (a == w) | (b == w);
        h->staying[h->staying_count][0] = a;
        h->staying[h->staying_count][1] = b;
        h->vanishing[h->vanishing_count] = a ^ b ^ w;
        h->staying_count += !vanishes;
        h->vanishing_count += vanishes;
    }
}

float gz_cost_careful(gz_work *work, uint32_t v, uint32_t w)
{
    const uint32_t *list = gz_stars_of(&work->stars, v);
    uint32_t live = work->stars.star[v].live, shared = 0;
    const double *p = work->position[v], *q = work->position[w];
    change c = {.inside = INFINITY};
    uint32_t stamp = gz_next_stamp(work, 3);
    marks m = {stamp - 2, stamp - 1, stamp};
    handful h;
    bool alone = false; // a vertex may be left with m.vanishing
    for (uint32_t start = 0; start < live; start += HANDFUL) {
        take_handful(&h, &work->stars, list + start,
                     live - start < HANDFUL ? live - start : HANDFUL, w);
        for (uint32_t i = 0; i < h.staying_count; ++i) {
            uint32_t a = h.staying[i][0], b = h.staying[i][1];
            look_at(&c, p, q, work->position[a], work->position[b]);
            mark_staying(work->mark + a, m);
            mark_staying(work->mark + b, m);
        }
        for (uint32_t i = 0; i < h.vanishing_count; ++i) {
            mark_vanishing(work->mark + h.vanishing[i], m);
            alone |= work->mark[h.vanishing[i]] == m.vanishing;
        }
        shared += h.vanishing_count;
    }
    double length = gz_squared_distance(p, q);
    double way = c.inside < INFINITY ? c.inside : way_to_edges(work, v, w);
    double mean = gz_quadric_at(work->quadric + v, q) / work->quadric[v].term[GZ_QUADRIC_WEIGHT];
    // No point of the surface moves farther than v does, unless it vanishes.
    double cost = smaller(length, larger(larger(mean, way), HEIGHT_WEIGHT * c.height));
    if (alone)
        cost = larger(cost, longest_lost(work, v, w, m));
    if (shared == 0) { // a bridge, or an edge that is gone
        if (gz_union_root(work->component, v) == gz_union_root(work->component, w))
            return INFINITY;
        cost = larger(cost, length);
    }
    if (c.folds || grows_together(work, w, m))
        cost = larger(cost, FOLD_PENALTY * length);
    return (float)(cost + GZ_COMPACTNESS * length);
}
