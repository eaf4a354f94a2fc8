// Where does a fine surface pass from one owner to another? See regions.h.
//
// A border is looked for on edges, where the triangle that is nearest to one end and the one that
// is nearest to the other are equally far. From a vertex on a border, which several owners see
// equally well, it is the owners a little way along the edge that count.
#include "model/region_dealer.h"

#include <math.h>
#include <string.h>

#define TIE       0x1p-40 // two owners are equally near; in reach
#define SNAP      0x1p-4  // a border this near to a vertex passes through it; in the distance there
#define LITTLE    0x1p-4  // of an edge, from a vertex on a border
#define MOST_LOOK 6       // for the border on an edge

// --- Points

gz_sight gz_sight_from(gz_dealer *dealer, const double position[3], uint32_t hint)
{
    double p[3];
    gz_nearby near[GZ_TARGET_OWNERS];
    gz_target_corner(&dealer->target, position, p);
    uint32_t count = gz_target_nearest_owners(&dealer->target, p, hint, dealer->owner,
                                              TIE * dealer->target.reach, near);
    gz_sight sight = {.near = near[0].triangle};
    for (uint32_t k = 0; k < GZ_TARGET_OWNERS; ++k)
        sight.owner[k] = k < count ? dealer->owner[near[k].triangle] : GZ_NOBODY;
    return sight;
}

static bool sees(const gz_sight *sight, uint32_t owner)
{
    for (int k = 0; k < GZ_TARGET_OWNERS && sight->owner[k] != GZ_NOBODY; ++k)
        if (sight->owner[k] == owner)
            return true;
    return false;
}

// How many owners are seen from both, and one of them.
static int common_owners(const gz_sight *a, const gz_sight *b, uint32_t *owner)
{
    int count = 0;
    for (int k = 0; k < GZ_TARGET_OWNERS && a->owner[k] != GZ_NOBODY; ++k)
        if (sees(b, a->owner[k])) {
            *owner = a->owner[k];
            count++;
        }
    return count;
}

uint32_t gz_owner_between(gz_dealer *dealer, const uint32_t *vertices, uint32_t count)
{
    const gz_deal_vertex *all = dealer->vertices.items;
    double middle[3] = {0, 0, 0};
    uint32_t hint = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const gz_deal_vertex *v = all + vertices[k];
        hint = v->sight.near != GZ_NOBODY ? v->sight.near : hint;
        for (int i = 0; i < 3; ++i)
            middle[i] += v->position[i] / count;
    }
    return gz_sight_from(dealer, middle, hint).owner[0];
}

// --- Rounding

double gz_deal_rounded(const gz_dealer *dealer, double x)
{
    if (dealer->deal->precision == GRAZE_FLOAT64)
        return x;
    volatile float narrow = (float)x; // gcc 12 leaves both casts out where it vectorizes them
    return (double)narrow;
}

// Rounding to nearest, and less than eight roundings of double arithmetic before it.
double gz_deal_rounding(const gz_dealer *dealer, const double size[3])
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        sum += dealer->deal->precision == GRAZE_FLOAT32 ? size[i] * (0x1p-24 + 0x1p-44) + 0x1p-149
                                                        : size[i] * 0x1p-50 + 0x1p-1070;
    return sum;
}

uint32_t gz_dealer_add_vertex(gz_dealer *dealer, const double position[3])
{
    gz_deal_vertex *new =
        gz_list_push(dealer->context, &dealer->vertices, sizeof(gz_deal_vertex), 1);
    if (new == NULL)
        return GZ_NOBODY;
    memset(new, 0xff, sizeof *new);
    memcpy(new->position, position, sizeof new->position);
    new->passed = false;
    return (uint32_t)(dealer->vertices.count - 1);
}

void gz_deal_place_on(const gz_dealer *dealer, uint32_t a, uint32_t b, double t, double out[3])
{
    const gz_deal_vertex *vertices = dealer->vertices.items;
    for (int i = 0; i < 3; ++i) {
        double from = vertices[a].position[i], to = vertices[b].position[i];
        double x = gz_deal_rounded(dealer, from * (1 - t) + to * t);
        out[i] = fmin(fmax(x, fmin(from, to)), fmax(from, to));
    }
}

// --- The border on an edge

// An edge in the target's coordinates, and the part of it that has the border.
typedef struct stretch {
    double a[3], b[3];
    double part[2];       // where it begins and ends
    const gz_sight *from; // what is seen where it begins
    uint32_t near[2];     // the nearest triangles there
} stretch;

static void along(const stretch *s, double t, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = s->a[i] * (1 - t) + s->b[i] * t;
}

// How much nearer the second triangle is; for two triangles of a plane that share an edge it is how
// far a point, at any height over them, is beyond the edge.
static double lead(const gz_dealer *dealer, const stretch *s, double t)
{
    const gz_target_triangle *triangles = dealer->target.triangles.items;
    double p[3];
    along(s, t, p);
    double a = gz_target_distance(triangles + s->near[0], p);
    double b = gz_target_distance(triangles + s->near[1], p), square = (a - b) * (a + b);
    return square < 0 ? -sqrt(-square) : sqrt(square);
}

// Where the second triangle becomes nearer.
static double change_on(const gz_dealer *dealer, const stretch *s)
{
    double from = s->part[0], to = s->part[1];
    double below = lead(dealer, s, from), above = lead(dealer, s, to);
    if (!(below < 0))
        return from;
    if (!(above > 0))
        return to;
    for (int step = 0;; ++step) {
        double t = from + (to - from) * (below / (below - above));
        double here = step == 3 ? 0 : lead(dealer, s, t);
        if (fabs(here) <= 0x1p-40 * (above - below))
            return t;
        if (here < 0) {
            from = t;
            below = here;
        } else {
            to = t;
            above = here;
        }
    }
}

// The fraction of the edge at which the border is, and how far it is from there to the coarse
// surface. Each look finds a nearer triangle, or that there is none.
static double border_on(gz_dealer *dealer, stretch *s, double *distance)
{
    const gz_target_triangle *triangles = dealer->target.triangles.items;
    double p[3], t = 0;
    for (int look = 0; look < MOST_LOOK; ++look) {
        t = change_on(dealer, s);
        along(s, t, p);
        double known = fmin(gz_target_distance(triangles + s->near[0], p),
                            gz_target_distance(triangles + s->near[1], p));
        gz_nearby found = gz_target_nearest(&dealer->target, p, s->near[0]);
        *distance = found.distance;
        if (found.distance >= known - TIE * dealer->target.reach)
            break;
        int side = sees(s->from, dealer->owner[found.triangle]) ? 0 : 1;
        s->part[side] = t;
        s->near[side] = found.triangle;
    }
    return t;
}

// The vertex at which the border passes the edge: a new one, unless the border is so near to an end
// that it may as well pass there.
static uint32_t place_border(gz_dealer *dealer, const gz_deal_edge *edge, const gz_sight sight[2],
                             const double part[2])
{
    const gz_deal_vertex *vertices = dealer->vertices.items;
    const double *a = vertices[edge->low].position, *b = vertices[edge->high].position;
    stretch s = {.part = {part[0], part[1]}, .from = sight, .near = {sight[0].near, sight[1].near}};
    double position[3], size[3], distance = 0, square = 0;
    gz_target_corner(&dealer->target, a, s.a);
    gz_target_corner(&dealer->target, b, s.b);
    double t = border_on(dealer, &s, &distance);
    for (int i = 0; i < 3; ++i) {
        square += (s.b[i] - s.a[i]) * (s.b[i] - s.a[i]);
        size[i] = fmax(fabs(a[i]), fabs(b[i]));
    }
    double least = 2 * (gz_deal_rounding(dealer, size) / dealer->target.unit);
    if (fmin(t, 1 - t) * sqrt(square) <= fmax(distance * SNAP, least))
        return t < 0.5 ? edge->low : edge->high;
    gz_deal_place_on(dealer, edge->low, edge->high, t, position);
    return gz_dealer_add_vertex(dealer, position);
}

// --- Edges

// What is seen at an end of an edge, or a little way from there.
static double sight_at_end(gz_dealer *dealer, const gz_deal_edge *edge, int end, gz_sight *sight)
{
    const gz_deal_vertex *vertices = dealer->vertices.items;
    const gz_deal_vertex *v = vertices + (end == 0 ? edge->low : edge->high);
    double t = end == 0 ? LITTLE : 1 - LITTLE, p[3];
    *sight = v->sight;
    if (!gz_sight_on_border(sight))
        return end;
    for (int i = 0; i < 3; ++i)
        p[i] = vertices[edge->low].position[i] * (1 - t) + vertices[edge->high].position[i] * t;
    *sight = gz_sight_from(dealer, p, v->sight.near);
    return t;
}

// Fills in whose the edge is. False: no memory.
static bool look_along(gz_dealer *dealer, gz_deal_edge *edge)
{
    gz_sight sight[2];
    double part[2];
    for (int end = 0; end < 2; ++end)
        part[end] = sight_at_end(dealer, edge, end, sight + end);
    int common = common_owners(sight, sight + 1, edge->owner);
    edge->owner[1] = edge->owner[0];
    if (common == 1)
        return true;
    for (int end = 0; end < 2; ++end)
        edge->owner[end] = common == 0 ? sight[end].owner[0] : GZ_NOBODY;
    if (common != 0)
        return true;
    edge->at = place_border(dealer, edge, sight, part);
    return edge->at != GZ_NOBODY;
}

static uint32_t *slot_of(const gz_dealer *dealer, uint32_t low, uint32_t high)
{
    uint64_t mix = ((uint64_t)low << 32 | high) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t *)dealer->slots.items + ((uint32_t)(mix >> 32) & dealer->slot_mask);
}

static gz_deal_edge *find_edge(const gz_dealer *dealer, uint32_t v, uint32_t w)
{
    uint32_t low = v < w ? v : w, high = v < w ? w : v;
    gz_deal_edge *edges = dealer->edges.items;
    for (uint32_t n = *slot_of(dealer, low, high); n != GZ_NOBODY; n = edges[n].next)
        if (edges[n].low == low && edges[n].high == high)
            return edges + n;
    return NULL;
}

const gz_deal_edge *gz_deal_edge_look(gz_dealer *dealer, uint32_t v, uint32_t w)
{
    gz_deal_edge *edge = find_edge(dealer, v, w);
    if (edge != NULL)
        return edge;
    uint32_t low = v < w ? v : w, high = v < w ? w : v, *slot = slot_of(dealer, low, high);
    edge = gz_list_push(dealer->context, &dealer->edges, sizeof(gz_deal_edge), 1);
    if (edge == NULL)
        return NULL;
    *edge = (gz_deal_edge){.low = low, .high = high, .next = *slot, .at = GZ_NOBODY};
    *slot = (uint32_t)(dealer->edges.count - 1);
    return look_along(dealer, edge) ? edge : NULL;
}
