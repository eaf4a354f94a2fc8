// Settles triangles piece by piece. See deviation_pieces.h.
//
// Why it is a proof. The distance from one triangle of the target is a convex function, since the
// triangle is convex; so on a convex polygon it is largest at a corner, and the distance from the
// whole target is not larger than that from one of its triangles. A triangle is settled when all
// its corners are near enough to one triangle of the target. Else it is cut into two convex
// polygons, which are looked at on their own. Where the cut goes does not matter for the proof: it
// is made where the one of two triangles of the target becomes nearer than the other, which is next
// to their common edge if they are neighbours, so that few cuts do what many halvings would.
//
// Rounding: a corner of a piece that comes from a cut is off from the exact point of the edge by
// less than 2^-50 reach, beyond what the ends of the edge are off. So the corners of a piece that
// was cut n times are within n 2^-50 reach of the corners of an exact one, the same holds for all
// points between them, and the exact pieces cover the triangle. The margin of distances is in
// deviation_target.h.
#include "simplify/deviation_pieces.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

double gz_piece_off(const gz_deviation_query *query, const gz_deviation_piece *p)
{
    return 0x1p-50 * query->target.reach * p->depth;
}

static uint32_t farthest(const double *distance, uint32_t count)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < count; ++i)
        worst = distance[i] > distance[worst] ? i : worst;
    return worst;
}

// A corner of a piece: where it is, and how far from the nearer triangle of both.
static void add_corner(gz_deviation_piece *to, const double corner[3], double distance)
{
    GZ_ASSERT(to->count < GZ_PIECE_CORNERS);
    memcpy(to->corner[to->count], corner, sizeof to->corner[0]);
    to->distance[to->count++] = distance;
}

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static void cross(const double u[3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

static void between(const double a[3], const double b[3], double t, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] + t * (b[i] - a[i]);
}

// Cuts a piece through two places on its border, each on an edge (from a corner to the next) or, if
// the fraction is 0, at its first corner. The first part is from place 0 to place 1. Each part is
// measured from the triangle named for it; `distance` are those of the corners.
typedef struct cut {
    uint32_t edge[2];
    double fraction[2];
    uint32_t near[2];
    const double *distance[2]; // of the corners from `near`
} cut;

static void cut_piece(const gz_deviation_query *query, const gz_deviation_piece *from, const cut *c,
                      gz_deviation_piece part[2])
{
    double place[2][3];
    for (int k = 0; k < 2; ++k)
        between(from->corner[c->edge[k]], from->corner[(c->edge[k] + 1) % from->count],
                c->fraction[k], place[k]);
    for (int side = 0; side < 2; ++side) {
        gz_deviation_piece *to = part + side;
        const gz_target_triangle *near = gz_deviation_triangle(query, c->near[side]);
        to->count = 0;
        to->depth = from->depth + 1;
        to->near = c->near[side];
        uint32_t last = c->edge[!side];
        add_corner(to, place[side], gz_target_distance(near, place[side]));
        for (uint32_t i = c->edge[side]; i != last;) {
            i = (i + 1) % from->count;
            if (i != last || c->fraction[!side] > 0)
                add_corner(to, from->corner[i], c->distance[side][i]);
        }
        add_corner(to, place[!side], gz_target_distance(near, place[!side]));
    }
}

// How much nearer the other triangle is. Of two triangles in one plane that share an edge, this is
// how far a point beside them is from the edge, on the one side or the other.
static double lead(double distance, double other)
{
    double square = (distance - other) * (distance + other);
    return square < 0 ? -sqrt(-square) : sqrt(square);
}

// Where the sign of a number at the corners changes: true if at two edges, so that there is a cut
// between them. The first part is where it is positive.
static bool cut_by_sign(const gz_deviation_piece *p, const double *number, cut *c)
{
    uint32_t changes = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        uint32_t next = i + 1 == p->count ? 0 : i + 1;
        double here = number[i], there = number[next];
        if ((here > 0) == (there > 0))
            continue;
        if (++changes > 2)
            return false;
        int side = here > 0; // leaving the first part is place 1
        c->edge[side] = i;
        c->fraction[side] = here / (here - there);
        if (!(c->fraction[side] < 1)) { // at the next corner
            c->edge[side] = next;
            c->fraction[side] = 0;
        }
    }
    return changes == 2;
}

// Between where the one triangle is nearer and where the other is.
static bool cut_by_difference(const gz_deviation_piece *p, const double *other, cut *c)
{
    double number[GZ_PIECE_CORNERS];
    for (uint32_t i = 0; i < p->count; ++i)
        number[i] = lead(p->distance[i], other[i]);
    return cut_by_sign(p, number, c);
}

// Between what is over a triangle of the target and what is beside it: along the plane through one
// of its edges, across to it. What is over it is as far as its height says, so that a piece that is
// about as large as the triangle needs few of these cuts. Nothing that is narrower than `least` is
// cut off.
static bool cut_by_edge(const gz_deviation_piece *p, const gz_target_triangle *t, double least,
                        cut *c)
{
    double edge[3][3], normal[3], inward[3], number[3][GZ_PIECE_CORNERS], most = least;
    int best = -1;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            edge[k][i] = t->corner[(k + 1) % 3][i] - t->corner[k][i];
    cross(edge[0], edge[1], normal);
    for (int k = 0; k < 3; ++k) {
        cross(normal, edge[k], inward);
        double length = sqrt(dot(inward, inward)), low = 0, high = 0;
        if (!(length > 0))
            return false;
        for (uint32_t n = 0; n < p->count; ++n) {
            double sum = 0;
            for (int i = 0; i < 3; ++i)
                sum += (p->corner[n][i] - t->corner[k][i]) * inward[i];
            number[k][n] = sum / length;
            low = number[k][n] < low ? number[k][n] : low;
            high = number[k][n] > high ? number[k][n] : high;
        }
        if (-low > most && high > least) {
            most = -low;
            best = k;
        }
    }
    return best >= 0 && cut_by_sign(p, number[best], c);
}

static double longest_edge(const gz_target_triangle *t)
{
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        const double *a = t->corner[k], *b = t->corner[(k + 1) % 3];
        double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], square = x * x + y * y + z * z;
        most = square > most ? square : most;
    }
    return sqrt(most);
}

// Halves the longest edge, and cuts to the corner opposite. A piece may have two corners only.
// Returns the length of that edge.
static double cut_in_half(const gz_deviation_piece *p, cut *c)
{
    double most = -1;
    for (uint32_t i = 0; i < p->count; ++i) {
        const double *a = p->corner[i], *b = p->corner[(i + 1) % p->count];
        double square = 0;
        for (int axis = 0; axis < 3; ++axis)
            square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
        if (square > most) {
            most = square;
            c->edge[0] = i;
        }
    }
    c->edge[1] = (c->edge[0] + 1 + (p->count - 1) / 2) % p->count;
    c->fraction[0] = 0.5;
    c->fraction[1] = 0;
    return sqrt(most);
}

// How the piece is cut, where the triangle nearest to its worst corner is c->near[0].
static void choose_cut(const gz_deviation_query *query, const gz_deviation_piece *p, double goal,
                       cut *c)
{
    const gz_target_triangle *near = gz_deviation_triangle(query, c->near[0]);
    cut half = *c;
    double length = cut_in_half(p, &half);
    // Other cuts may leave slivers: now and then a piece is cut in half.
    if (p->count + 2 <= GZ_PIECE_CORNERS && length < 4 * longest_edge(near)) {
        if (p->depth % 16 < 12 && cut_by_edge(p, near, 0.25 * goal, c))
            return;
        if (p->depth % 4 != 3 && cut_by_difference(p, c->distance[0], c))
            return;
    }
    *c = half;
}

// Measures the piece from another triangle, which is better somewhere.
static void measure(const gz_deviation_query *query, const gz_deviation_piece *p, uint32_t near,
                    double distance[GZ_PIECE_CORNERS])
{
    const gz_target_triangle *triangle = gz_deviation_triangle(query, near);
    for (uint32_t i = 0; i < p->count; ++i)
        distance[i] = gz_target_distance(triangle, p->corner[i]);
}

static void settle(gz_deviation_query *query, const gz_pile *pile, const gz_deviation_piece *p,
                   uint32_t near, double high)
{
    gz_deviation_settle(query, high);
    if (pile->take != NULL)
        pile->take(pile->data, p, near, high);
}

// Settles the topmost piece, or puts two in its place. Its distances are those from the triangle
// `near` of the target; where one is too large, the triangle that is nearest there is tried, too.
static void refine(gz_deviation_query *query, gz_pile *pile)
{
    gz_deviation_piece p = query->pieces[--pile->count];
    double other[GZ_PIECE_CORNERS] = {0};
    double margin = gz_target_margin(&query->target), off = gz_piece_off(query, &p),
           extra = pile->extra;
    for (int replaced = 0;; ++replaced) {
        uint32_t worst = farthest(p.distance, p.count);
        double high = p.distance[worst] + margin + off + extra;
        if (high <= gz_deviation_goal(query)) {
            settle(query, pile, &p, p.near, high);
            return;
        }
        if (gz_deviation_tired(query) || p.depth == GZ_PIECE_DEPTH) {
            query->counts.given_up++;
            settle(query, pile, &p, p.near, high);
            return;
        }
        gz_nearby near =
            gz_deviation_look_over(query, p.corner[worst], p.near, margin + off - extra);
        if (near.distance + 2 * margin >= p.distance[worst]) // then the best there is
            near = gz_deviation_look(query, p.corner[worst], near.triangle, margin + off - extra);
        // That corner alone proves that the value is as large as this, but for rounding.
        if (high <= gz_deviation_goal(query) || near.distance + 2 * margin >= p.distance[worst]) {
            settle(query, pile, &p, p.near, high);
            return;
        }
        measure(query, &p, near.triangle, other);
        double other_high = other[farthest(other, p.count)] + margin + off + extra;
        if (other_high <= gz_deviation_goal(query)) {
            settle(query, pile, &p, near.triangle, other_high);
            return;
        }
        if (other_high < high && replaced < 2) {
            bool better = true;
            for (uint32_t i = 0; i < p.count; ++i)
                better = better && other[i] <= p.distance[i];
            if (better) {
                p.near = near.triangle;
                memcpy(p.distance, other, sizeof other);
                continue;
            }
        }
        cut c = {.near = {near.triangle, p.near}, .distance = {other, p.distance}};
        choose_cut(query, &p, gz_deviation_goal(query) - extra, &c);
        cut_piece(query, &p, &c, query->pieces + pile->count);
        pile->count += 2;
        query->counts.pieces += 2;
        return;
    }
}

void gz_pile_settle(gz_deviation_query *query, gz_pile *pile, const double corner[3][3],
                    double extra, uint32_t near)
{
    gz_deviation_piece *whole = query->pieces;
    memcpy(whole->corner, corner, 3 * sizeof corner[0]);
    whole->near = near;
    whole->count = 3;
    whole->depth = 0;
    measure(query, whole, near, whole->distance);
    pile->extra = extra;
    pile->count = 1;
    while (pile->count != 0)
        refine(query, pile);
}
