// Borders between owners, drawn on the fine surface. See regions.h.
//
// Where two triangles of the coarse mesh that share an edge have different owners, points over the
// edge are as near to the one as to the other if they are in the plane that halves the angle
// between both. Coarse vertices are fine ones too, so the border is drawn from one end of the edge
// to the other by walking on the fine surface along that plane, from piece to piece. Each piece on
// the way gets a chord, along which it is cut. A walk that gets lost ends: its chords do no harm.
#include "model/region_dealer.h"

#include <math.h>
#include <string.h>

#define NEAR_VERTEX      0x1p-10 // a border this near to a vertex passes through it; of the edge
#define MOST_STEPS       256
#define MOST_AT_A_VERTEX 96

typedef struct walk {
    double start[3], way[3], across[3]; // the edge, and across the plane, in the target's numbers
    double length;                      // square of the way's
    uint32_t goal;                      // the vertex where the edge ends
    uint32_t owner[2];                  // on both sides
    uint32_t steps;
} walk;

static void cross(const double u[3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static void place_of(const gz_dealer *dealer, uint32_t v, double out[3])
{
    const gz_deal_vertex *vertices = dealer->vertices.items;
    gz_target_corner(&dealer->target, vertices[v].position, out);
}

// On which side of the plane.
static double side_of(const gz_dealer *dealer, const walk *w, uint32_t v)
{
    double p[3];
    place_of(dealer, v, p);
    for (int i = 0; i < 3; ++i)
        p[i] -= w->start[i];
    return dot(p, w->across);
}

// --- Pieces at vertices

static bool find_stars(gz_dealer *dealer)
{
    uint64_t vertices = dealer->vertices.count, pieces = dealer->pieces.count;
    if (!gz_list_reserve(dealer->context, &dealer->stars, sizeof(uint32_t), vertices + 2) ||
        !gz_list_reserve(dealer->context, &dealer->star_pieces, sizeof(uint32_t), 3 * pieces))
        return false;
    const gz_deal_piece *p = dealer->pieces.items;
    uint32_t *first = dealer->stars.items, *star = dealer->star_pieces.items;
    memset(first, 0, (size_t)(vertices + 2) * sizeof *first);
    for (uint64_t n = 0; n < pieces; ++n)
        for (int k = 0; k < 3; ++k)
            first[p[n].corner[k] + 2]++;
    for (uint64_t v = 0; v < vertices; ++v)
        first[v + 2] += first[v + 1];
    for (uint64_t n = 0; n < pieces; ++n)
        for (int k = 0; k < 3; ++k)
            star[first[p[n].corner[k] + 1]++] = (uint32_t)n;
    dealer->star_count = (uint32_t)vertices;
    return true;
}

static int corner_of(const gz_deal_piece *p, uint32_t v)
{
    return p->corner[0] == v ? 0 : p->corner[1] == v ? 1 : p->corner[2] == v ? 2 : -1;
}

// The other piece at an edge; GZ_NOBODY: there is none, or more than one.
static uint32_t piece_beyond(const gz_dealer *dealer, uint32_t piece, uint32_t a, uint32_t b)
{
    const gz_deal_piece *pieces = dealer->pieces.items;
    const uint32_t *first = dealer->stars.items, *star = dealer->star_pieces.items;
    uint32_t found = GZ_NOBODY;
    for (uint32_t k = first[a]; k < first[a + 1]; ++k) {
        if (star[k] == piece || corner_of(pieces + star[k], b) < 0)
            continue;
        if (found != GZ_NOBODY)
            return GZ_NOBODY;
        found = star[k];
    }
    return found;
}

// --- Vertices on edges, and chords

static uint32_t *slot_of(const gz_dealer *dealer, uint32_t low, uint32_t high)
{
    uint64_t mix = ((uint64_t)low << 32 | high) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t *)dealer->point_slots.items + ((uint32_t)(mix >> 32) & dealer->point_mask);
}

uint32_t gz_trace_points(const gz_dealer *dealer, uint32_t v, uint32_t w,
                         uint32_t out[GZ_TRACE_POINTS])
{
    uint32_t low = v < w ? v : w, high = v < w ? w : v, count = 0;
    double place[GZ_TRACE_POINTS];
    const gz_trace_point *points = dealer->points.items;
    for (uint32_t n = *slot_of(dealer, low, high); n != GZ_NOBODY; n = points[n].next) {
        if (points[n].low != low || points[n].high != high || count == GZ_TRACE_POINTS)
            continue;
        double t = v < w ? points[n].place : 1 - points[n].place;
        uint32_t k = count++;
        for (; k > 0 && place[k - 1] > t; --k) {
            place[k] = place[k - 1];
            out[k] = out[k - 1];
        }
        place[k] = t;
        out[k] = points[n].vertex;
    }
    return count;
}

static bool add_chord(gz_dealer *dealer, uint32_t piece, uint32_t from, uint32_t to)
{
    gz_deal_piece *p = (gz_deal_piece *)dealer->pieces.items + piece;
    gz_trace_chord *new = gz_list_push(dealer->context, &dealer->chords, sizeof(gz_trace_chord), 1);
    if (new == NULL)
        return false;
    *new = (gz_trace_chord){p->chord, {from, to}};
    p->chord = (uint32_t)(dealer->chords.count - 1);
    return true;
}

// The vertex where the plane passes an edge whose ends are on different sides: one of them, or a
// new one. GZ_NOBODY: no memory.
static uint32_t pass_edge(gz_dealer *dealer, const walk *w, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    double from = side_of(dealer, w, low), to = side_of(dealer, w, high), t = from / (from - to);
    if (!(t > NEAR_VERTEX))
        return low;
    if (!(t < 1 - NEAR_VERTEX))
        return high;
    double position[3];
    gz_deal_place_on(dealer, low, high, t, position);
    const gz_deal_vertex *vertices = dealer->vertices.items;
    for (int end = 0; end < 2; ++end) // the precision may not be enough for another vertex
        if (gz_same_place(position, vertices[end == 0 ? low : high].position))
            return end == 0 ? low : high;
    uint32_t vertex = gz_dealer_add_vertex(dealer, position);
    gz_trace_point *new = gz_list_push(dealer->context, &dealer->points, sizeof(gz_trace_point), 1);
    if (vertex == GZ_NOBODY || new == NULL)
        return GZ_NOBODY;
    uint32_t *slot = slot_of(dealer, low, high);
    *new = (gz_trace_point){low, high, *slot, vertex, t};
    *slot = (uint32_t)(dealer->points.count - 1);
    return vertex;
}

// --- Walking

// How far along the edge a vertex is, as a part of it; and not far beside it.
static bool is_on_the_way(const gz_dealer *dealer, const walk *w, uint32_t v)
{
    double p[3], square = 0;
    place_of(dealer, v, p);
    for (int i = 0; i < 3; ++i)
        p[i] -= w->start[i];
    double t = dot(p, w->way) / w->length;
    for (int i = 0; i < 3; ++i)
        square += (p[i] - t * w->way[i]) * (p[i] - t * w->way[i]);
    return t > -0.5 && t < 1.5 && square < w->length;
}

typedef struct exit_edge {
    uint32_t piece, a, b; // GZ_NOBODY: none
} exit_edge;

// The edge opposite a vertex, among the pieces at it, that the plane passes in the direction of the
// walk.
static exit_edge leave_vertex(const gz_dealer *dealer, const walk *w, uint32_t v)
{
    const gz_deal_piece *pieces = dealer->pieces.items;
    const uint32_t *first = dealer->stars.items, *star = dealer->star_pieces.items;
    exit_edge best = {.piece = GZ_NOBODY};
    double most = 0, at[3], p[3], q[3];
    place_of(dealer, v, at);
    for (uint32_t n = first[v]; n < first[v + 1]; ++n) {
        const gz_deal_piece *piece = pieces + star[n];
        int k = corner_of(piece, v);
        uint32_t a = piece->corner[(k + 1) % 3], b = piece->corner[(k + 2) % 3];
        double here = side_of(dealer, w, a), there = side_of(dealer, w, b);
        if ((here > 0) == (there > 0) || a == v || b == v)
            continue;
        double t = here / (here - there);
        place_of(dealer, a, p);
        place_of(dealer, b, q);
        for (int i = 0; i < 3; ++i)
            p[i] += t * (q[i] - p[i]) - at[i];
        double along = dot(p, w->way), square = dot(p, p);
        along = square > 0 ? along / sqrt(square) : 0;
        if (along > most) {
            most = along;
            best = (exit_edge){star[n], a, b};
        }
    }
    return best;
}

static bool is_neighbour(const gz_dealer *dealer, uint32_t v, uint32_t w)
{
    const gz_deal_piece *pieces = dealer->pieces.items;
    const uint32_t *first = dealer->stars.items, *star = dealer->star_pieces.items;
    for (uint32_t n = first[v]; n < first[v + 1]; ++n)
        if (corner_of(pieces + star[n], w) >= 0)
            return true;
    return false;
}

static bool both_meet(gz_dealer *dealer, const walk *w, uint32_t v)
{
    return gz_dealer_meet(dealer, v, w->owner[0]) && gz_dealer_meet(dealer, v, w->owner[1]);
}

// From a vertex of the fine surface through pieces to the next one, or to the goal. Receives where
// it got; GZ_NOBODY: lost. False: no memory.
static bool walk_on(gz_dealer *dealer, walk *w, uint32_t from, uint32_t *to)
{
    exit_edge e = leave_vertex(dealer, w, from);
    uint32_t last = from;
    *to = GZ_NOBODY;
    while (e.piece != GZ_NOBODY && w->steps++ < MOST_STEPS) {
        uint32_t next = pass_edge(dealer, w, e.a, e.b);
        if (next == GZ_NOBODY || !add_chord(dealer, e.piece, last, next) ||
            !both_meet(dealer, w, next))
            return false;
        if (!is_on_the_way(dealer, w, next))
            return true;
        if (next < dealer->star_count) {
            ((gz_deal_vertex *)dealer->vertices.items)[next].passed = true;
            *to = next;
            return true;
        }
        last = next;
        uint32_t beyond = piece_beyond(dealer, e.piece, e.a, e.b);
        if (beyond == GZ_NOBODY)
            return true;
        const gz_deal_piece *p = (const gz_deal_piece *)dealer->pieces.items + beyond;
        int k = 3 - corner_of(p, e.a) - corner_of(p, e.b);
        uint32_t c = p->corner[k];
        if (c == w->goal) {
            *to = c;
            return add_chord(dealer, beyond, last, c);
        }
        bool same = (side_of(dealer, w, c) > 0) == (side_of(dealer, w, e.a) > 0);
        e = (exit_edge){beyond, same ? e.b : e.a, c};
    }
    return true;
}

static bool walk_edge(gz_dealer *dealer, walk *w, uint32_t from)
{
    while (from != GZ_NOBODY && from != w->goal && !is_neighbour(dealer, from, w->goal) &&
           w->steps++ < MOST_STEPS)
        if (!walk_on(dealer, w, from, &from))
            return false;
    return true;
}

// --- Borders of the coarse mesh

static void unit_normal(const double a[3], const double b[3], const double c[3], double out[3])
{
    double e[3], f[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = b[i] - a[i];
        f[i] = c[i] - a[i];
    }
    cross(e, f, out);
    double length = sqrt(dot(out, out));
    for (int i = 0; i < 3; ++i)
        out[i] = length > 0 ? out[i] / length : 0;
}

// Sets the plane between two coarse triangles that share the edge from p to q. False: there is
// none, since they lie on each other or have no area.
static bool set_walk(const gz_dealer *dealer, uint32_t p, uint32_t q, const uint32_t triangle[2],
                     walk *w)
{
    const gz_surface *coarse = &dealer->deal->coarse;
    double end[3], normal[2][3], middle[3];
    gz_target_corner(&dealer->target, coarse->position[p], w->start);
    gz_target_corner(&dealer->target, coarse->position[q], end);
    for (int n = 0; n < 2; ++n) {
        const uint32_t *c = coarse->corner[triangle[n]];
        uint32_t k = c[0] != p && c[0] != q ? 0 : c[1] != p && c[1] != q ? 1 : 2;
        double opposite[3];
        gz_target_corner(&dealer->target, coarse->position[c[k]], opposite);
        // On different sides of the edge, so that both normals point to the same side.
        if (n == 0)
            unit_normal(w->start, end, opposite, normal[n]);
        else
            unit_normal(end, w->start, opposite, normal[n]);
    }
    for (int i = 0; i < 3; ++i) {
        w->way[i] = end[i] - w->start[i];
        middle[i] = normal[0][i] + normal[1][i];
    }
    cross(w->way, middle, w->across);
    w->length = dot(w->way, w->way);
    w->steps = 0;
    return dot(middle, middle) > 0x1p-10 && w->length > 0 && dot(w->across, w->across) > 0;
}

// The fine vertex in the place of a coarse one.
static uint32_t fine_vertex(const gz_dealer *dealer, uint32_t v)
{
    return gz_dealer_find_vertex(dealer, dealer->deal->coarse.position[v]);
}

static bool trace_edge(gz_dealer *dealer, uint32_t p, uint32_t q, const uint32_t triangle[2])
{
    const uint32_t *owner = dealer->deal->owner;
    walk w = {.owner = {owner[triangle[0]], owner[triangle[1]]}};
    uint32_t from = fine_vertex(dealer, p);
    w.goal = fine_vertex(dealer, q);
    if (from == GZ_NOBODY || w.goal == GZ_NOBODY)
        return true;
    if (!both_meet(dealer, &w, from) || !both_meet(dealer, &w, w.goal))
        return false;
    return !set_walk(dealer, p, q, triangle, &w) || walk_edge(dealer, &w, from);
}

// Edges of one vertex to those of larger number: where two triangles of different owners share one,
// it is traced.
static bool trace_star(gz_dealer *dealer, uint32_t v, const uint64_t *ends, uint32_t count)
{
    const uint32_t *owner = dealer->deal->owner;
    for (uint32_t i = 0; i < count && count <= MOST_AT_A_VERTEX; ++i) {
        uint32_t same = 0, triangle[2] = {0, 0};
        bool first = true;
        for (uint32_t j = 0; j < count; ++j) {
            if ((ends[i] ^ ends[j]) >> 32 != 0)
                continue;
            first = first && (same != 0 || j == i);
            if (same < 2)
                triangle[same] = (uint32_t)ends[j] >> 2;
            same++;
        }
        if (same == 2 && first && owner[triangle[0]] != owner[triangle[1]] &&
            !trace_edge(dealer, v, (uint32_t)(ends[i] >> 32), triangle))
            return false;
    }
    return true;
}

bool gz_trace_borders(gz_dealer *dealer)
{
    dealer->points.count = dealer->chords.count = 0;
    if (!find_stars(dealer) ||
        !gz_dealer_set_slots(dealer, &dealer->point_slots, dealer->vertices.count / 4,
                             &dealer->point_mask))
        return false;
    const uint32_t *first = dealer->target.stars.items;
    const uint64_t *ends = dealer->target.ends.items;
    for (uint32_t v = 0; v < dealer->deal->coarse.vertex_count; ++v)
        if (!trace_star(dealer, v, ends + first[v], first[v + 1] - first[v]))
            return false;
    return true;
}
