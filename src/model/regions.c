// Dealing a fine surface out to the parts of a coarse one. See regions.h.
//
// Each vertex is asked for its owner: that of the nearest coarse triangle. Where two owners are
// equally near, as they are at each vertex of the coarse mesh that is on the border between them,
// the vertex may go with either of them. A piece whose corners can agree goes to one owner whole.
// Else the borders are looked for on its edges, where the one owner's triangle becomes nearer than
// the other's; all triangles at an edge get the same point. The piece is then cut into triangles
// between one of these points and the others: a fan. All of them together are the piece, whoever
// gets them.
//
// Rounding. Points of a piece are moved by no more than the corners of the triangles of the fan
// are. Those are points of edges of the piece, or its middle, but for the rounding that `rounding`
// below bounds; the extra grows by that.
#include "model/regions.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "model/deviation_query.h"

#define NONE      UINT32_MAX
#define TIE       0x1p-40 // two owners are equally near; in reach
#define SNAP      0x1p-4  // a border this near to a vertex passes through it; in the distance there
#define MOST_LOOK 6       // for the border on an edge

typedef struct vertex {
    double position[3];
    uint32_t near;                    // the coarse triangle, in the target's order
    uint32_t owner[GZ_TARGET_OWNERS]; // whom it may go with, the nearest first; others may be NONE
    uint32_t first;                   // an owner of a piece at it
    uint32_t others;                  // in `meetings`, NONE: there are none
    uint32_t local;                   // its number in a region
    bool split;                       // an edge at it has a split, see below
} vertex;

typedef struct piece {
    uint32_t corner[3];
    uint32_t owner;
    float extra;
} piece;

// Where the border passes an edge whose ends have no owner in common. Or, where they have one, a
// split: a place between them that has another; NONE: there seems to be none.
typedef struct crossing {
    uint32_t low, high; // vertices
    uint32_t at;        // a new vertex, or one of these
    uint32_t next;      // in the same slot
} crossing;

// One more owner of pieces at a vertex.
typedef struct meeting {
    uint32_t owner, next;
} meeting;

typedef struct guest {
    uint32_t owner, piece;
} guest;

struct gz_dealer {
    graze_context *context;
    gz_target target;
    const gz_deal *deal;
    const uint32_t *owner; // of the target's triangles
    gz_list owners;        // uint32_t, what `owner` points to
    gz_list vertices;      // vertex
    gz_list slots;         // uint32_t, vertices by their positions; then crossings by their edges
    gz_list numbers;       // uint32_t, of the vertices of one surface; then lists for regions
    gz_list pieces;        // piece
    gz_list crossings;     // crossing
    gz_list meetings;      // meeting
    gz_list guests;        // guest
    gz_list places;        // uint64_t, where the pieces and the guests of an owner begin
    gz_deal_counts counts;
    uint32_t slot_mask;
};

graze_status gz_dealer_create(graze_context *context, gz_dealer **dealer)
{
    *dealer = gz_allocate(context, sizeof **dealer);
    if (*dealer == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "no memory for dealing regions out");
    memset(*dealer, 0, sizeof **dealer);
    (*dealer)->context = (*dealer)->target.context = context;
    return GRAZE_OK;
}

void gz_dealer_destroy(gz_dealer *dealer)
{
    if (dealer == NULL)
        return;
    graze_context *context = dealer->context;
    gz_target_free(&dealer->target);
    gz_list_free(context, &dealer->owners, sizeof(uint32_t));
    gz_list_free(context, &dealer->vertices, sizeof(vertex));
    gz_list_free(context, &dealer->slots, sizeof(uint32_t));
    gz_list_free(context, &dealer->numbers, sizeof(uint32_t));
    gz_list_free(context, &dealer->pieces, sizeof(piece));
    gz_list_free(context, &dealer->crossings, sizeof(crossing));
    gz_list_free(context, &dealer->meetings, sizeof(meeting));
    gz_list_free(context, &dealer->guests, sizeof(guest));
    gz_list_free(context, &dealer->places, sizeof(uint64_t));
    gz_release(context, dealer, sizeof *dealer);
}

gz_deal_counts gz_deal_counted(const gz_dealer *dealer) { return dealer->counts; }

// --- The fine surface: its vertices by their bits, its pieces

static uint32_t power_above(uint64_t count)
{
    uint32_t power = 16;
    while (power < count && power < UINT32_C(1) << 31)
        power *= 2;
    return power;
}

static bool set_slots(gz_dealer *dealer, uint64_t items)
{
    uint32_t count = power_above(items);
    if (!gz_list_reserve(dealer->context, &dealer->slots, sizeof(uint32_t), count))
        return false;
    memset(dealer->slots.items, 0xff, count * sizeof(uint32_t));
    dealer->slot_mask = count - 1;
    return true;
}

static uint32_t hash_of(const double position[3])
{
    uint64_t bits[3], mix;
    memcpy(bits, position, sizeof bits);
    mix = bits[0] * UINT64_C(0x9e3779b97f4a7c15) ^ (bits[1] << 21 | bits[1] >> 43);
    mix = mix * UINT64_C(0xbf58476d1ce4e5b9) ^ (bits[2] << 42 | bits[2] >> 22);
    mix *= UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(mix >> 32);
}

// The vertex with these bits; there is room for a new one.
static uint32_t weld(gz_dealer *dealer, const double position[3])
{
    uint32_t *slots = dealer->slots.items;
    vertex *vertices = dealer->vertices.items;
    for (uint32_t at = hash_of(position);; ++at) {
        uint32_t *slot = slots + (at & dealer->slot_mask);
        if (*slot == NONE) {
            *slot = (uint32_t)dealer->vertices.count++;
            vertex *new = vertices + *slot;
            memcpy(new->position, position, sizeof new->position);
            new->first = new->others = new->local = NONE;
            new->split = false;
            return *slot;
        }
        if (memcmp(vertices[*slot].position, position, sizeof vertices->position) == 0)
            return *slot;
    }
}

static graze_status no_memory(const gz_dealer *dealer)
{
    return gz_fail(dealer->context, GRAZE_ERROR_MEMORY, "no memory for dealing regions out");
}

static void take_surface(gz_dealer *dealer, const gz_surface *fine)
{
    uint32_t *number = dealer->numbers.items;
    piece *to = (piece *)dealer->pieces.items + dealer->pieces.count;
    memset(number, 0xff, fine->vertex_count * sizeof *number);
    dealer->pieces.count += fine->triangle_count;
    for (uint32_t t = 0; t < fine->triangle_count; ++t, ++to) {
        for (int k = 0; k < 3; ++k) {
            uint32_t v = fine->corner[t][k];
            if (number[v] == NONE)
                number[v] = weld(dealer, fine->position[v]);
            to->corner[k] = number[v];
        }
        to->extra = fine->extra != NULL ? fine->extra[t] : 0;
        to->owner = NONE;
    }
}

// Receives the box of all of it.
static graze_status take_fine(gz_dealer *dealer, const gz_deal *deal, graze_box *box)
{
    uint64_t pieces = 0, vertices = 0, most = 0;
    *box = graze_box_empty();
    for (uint32_t n = 0; n < deal->fine_count; ++n) {
        graze_box part;
        graze_status status = gz_surface_check(dealer->context, deal->fine + n, &part);
        if (status != GRAZE_OK)
            return status;
        pieces += deal->fine[n].triangle_count;
        uint64_t named = 3 * (uint64_t)deal->fine[n].triangle_count;
        vertices += named < deal->fine[n].vertex_count ? named : deal->fine[n].vertex_count;
        most = deal->fine[n].vertex_count > most ? deal->fine[n].vertex_count : most;
        *box = graze_box_join(box, &part);
    }
    if (pieces > GZ_DEVIATION_TRIANGLES)
        return gz_fail(dealer->context, GRAZE_ERROR_ARGUMENT,
                       "a surface of %llu triangles is too large", (unsigned long long)pieces);
    dealer->vertices.count = dealer->pieces.count = 0;
    dealer->counts = (gz_deal_counts){.pieces = pieces};
    if (!gz_list_reserve(dealer->context, &dealer->vertices, sizeof(vertex), vertices) ||
        !gz_list_reserve(dealer->context, &dealer->pieces, sizeof(piece), pieces) ||
        !gz_list_reserve(dealer->context, &dealer->numbers, sizeof(uint32_t), most) ||
        !set_slots(dealer, 2 * vertices))
        return no_memory(dealer);
    for (uint32_t n = 0; n < deal->fine_count; ++n)
        take_surface(dealer, deal->fine + n);
    return GRAZE_OK;
}

// --- Owners of points

// Looks for the owners of a point of the caller; `v` receives what is found.
static void ask_owner(gz_dealer *dealer, const double position[3], vertex *v, uint32_t hint)
{
    double p[3];
    gz_nearby near[GZ_TARGET_OWNERS];
    gz_target_corner(&dealer->target, position, p);
    uint32_t count = gz_target_nearest_owners(&dealer->target, p, hint, dealer->owner,
                                              TIE * dealer->target.reach, near);
    v->near = near[0].triangle;
    for (uint32_t k = 0; k < GZ_TARGET_OWNERS; ++k)
        v->owner[k] = k < count ? dealer->owner[near[k].triangle] : NONE;
}

static void ask_vertices(gz_dealer *dealer)
{
    vertex *vertices = dealer->vertices.items;
    uint32_t hint = 0;
    for (uint64_t v = 0; v < dealer->vertices.count; ++v) {
        ask_owner(dealer, vertices[v].position, vertices + v, hint);
        hint = vertices[v].near;
    }
}

static bool may_have(const vertex *v, uint32_t owner)
{
    for (int k = 0; k < GZ_TARGET_OWNERS && v->owner[k] != NONE; ++k)
        if (v->owner[k] == owner)
            return true;
    return false;
}

static bool on_border(const vertex *v) { return v->owner[1] != NONE; }

// The owner that both (all three) may have; NONE: there is none, or more than one.
static uint32_t agreed_owner(const vertex *a, const vertex *b, const vertex *c)
{
    uint32_t agreed = NONE;
    for (int k = 0; k < GZ_TARGET_OWNERS && a->owner[k] != NONE; ++k)
        if (may_have(b, a->owner[k]) && may_have(c, a->owner[k])) {
            if (agreed != NONE)
                return NONE;
            agreed = a->owner[k];
        }
    return agreed;
}
static uint32_t common_owner(const vertex *a, const vertex *b) { return agreed_owner(a, b, b); }

// Whether one is among those that both may have.
static bool have_common(const vertex *a, const vertex *b)
{
    bool common = false;
    for (int k = 0; k < GZ_TARGET_OWNERS && a->owner[k] != NONE; ++k)
        common = common || may_have(b, a->owner[k]);
    return common;
}

// --- Borders on edges

static uint32_t owner_between(gz_dealer *dealer, const vertex **v, uint32_t count)
{
    double middle[3] = {0, 0, 0};
    vertex found;
    for (uint32_t k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i)
            middle[i] += v[k]->position[i] / count;
    ask_owner(dealer, middle, &found, v[0]->near);
    return found.owner[0];
}

// How much nearer the second triangle is; for two triangles of a plane that share an edge it is how
// far a point, at any height over them, is beyond the edge.
static double lead(const gz_dealer *dealer, const double p[3], uint32_t first, uint32_t second)
{
    const gz_target_triangle *triangles = dealer->target.triangles.items;
    double a = gz_target_distance(triangles + first, p);
    double b = gz_target_distance(triangles + second, p), square = (a - b) * (a + b);
    return square < 0 ? -sqrt(-square) : sqrt(square);
}

static void along(const double a[3], const double b[3], double t, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] * (1 - t) + b[i] * t;
}

// Where, between two fractions of the edge, the second triangle becomes nearer.
static double change_between(const gz_dealer *dealer, const double a[3], const double b[3],
                             const double part[2], const uint32_t near[2])
{
    double from = part[0], to = part[1], p[3];
    along(a, b, from, p);
    double below = lead(dealer, p, near[0], near[1]);
    along(a, b, to, p);
    double above = lead(dealer, p, near[0], near[1]);
    if (!(below < 0))
        return from;
    if (!(above > 0))
        return to;
    for (int step = 0;; ++step) {
        double t = from + (to - from) * (below / (below - above));
        if (step == 3)
            return t;
        along(a, b, t, p);
        double here = lead(dealer, p, near[0], near[1]);
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

// The fraction of the edge at which the owner of its first end ends, and how far it is from there
// to the coarse surface. Each look finds a nearer triangle, or that there is none.
static double border_on(gz_dealer *dealer, const vertex *low, const vertex *high, double *distance)
{
    double a[3], b[3], p[3], part[2] = {0, 1}, t = 0.5;
    uint32_t near[2] = {low->near, high->near};
    const gz_target_triangle *triangles = dealer->target.triangles.items;
    gz_target_corner(&dealer->target, low->position, a);
    gz_target_corner(&dealer->target, high->position, b);
    *distance = 0;
    for (int look = 0; look < MOST_LOOK; ++look) {
        t = change_between(dealer, a, b, part, near);
        along(a, b, t, p);
        double known = fmin(gz_target_distance(triangles + near[0], p),
                            gz_target_distance(triangles + near[1], p));
        gz_nearby found = gz_target_nearest(&dealer->target, p, near[0]);
        *distance = found.distance;
        if (found.distance >= known - TIE * dealer->target.reach)
            break;
        int side = may_have(low, dealer->owner[found.triangle]) ? 0 : 1;
        part[side] = t;
        near[side] = found.triangle;
    }
    return t;
}

// How far a number of this size is moved by rounding, once in double arithmetic and then to the
// precision. Points of edges are made by few operations on numbers that are not larger.
static double rounding(graze_precision precision, double size)
{
    return precision == GRAZE_FLOAT32 ? size * (0x1p-24 + 0x1p-44) + 0x1p-149
                                      : size * 0x1p-50 + 0x1p-1070;
}

static double rounding_at(const gz_dealer *dealer, const double a[3], const double b[3])
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        sum += rounding(dealer->deal->precision, fmax(fabs(a[i]), fabs(b[i])));
    return sum;
}

static double rounded(const gz_dealer *dealer, double x)
{
    return dealer->deal->precision == GRAZE_FLOAT32 ? (double)(float)x : x;
}

// A new vertex; NONE: no memory.
static uint32_t add_vertex(gz_dealer *dealer, const double position[3])
{
    vertex *new = gz_list_push(dealer->context, &dealer->vertices, sizeof(vertex), 1);
    if (new == NULL)
        return NONE;
    memset(new, 0xff, sizeof *new);
    memcpy(new->position, position, sizeof new->position);
    new->split = false;
    return (uint32_t)(dealer->vertices.count - 1);
}

// The point at a fraction of an edge, in the precision, and not beyond the ends in any coordinate.
static void place_on(const gz_dealer *dealer, const vertex *a, const vertex *b, double t,
                     double out[3])
{
    for (int i = 0; i < 3; ++i) {
        double from = a->position[i], to = b->position[i], x = from * (1 - t) + to * t;
        out[i] = fmin(fmax(rounded(dealer, x), fmin(from, to)), fmax(from, to));
    }
}

// The vertex at which the border passes the edge: a new one, unless the border is so near to an end
// that it may as well pass there.
static uint32_t place_border(gz_dealer *dealer, uint32_t low, uint32_t high)
{
    const vertex *vertices = dealer->vertices.items, *a = vertices + low, *b = vertices + high;
    double distance, position[3], square = 0;
    double t = border_on(dealer, a, b, &distance);
    for (int i = 0; i < 3; ++i) {
        double edge = (a->position[i] * 0.5 - b->position[i] * 0.5) * dealer->target.scale;
        square += edge * edge;
    }
    double near = distance * SNAP;
    double least = 2 * (rounding_at(dealer, a->position, b->position) / dealer->target.unit);
    if (fmin(t, 1 - t) * sqrt(square) <= fmax(near, least))
        return t < 0.5 ? low : high;
    place_on(dealer, a, b, t, position);
    return add_vertex(dealer, position);
}

static uint32_t *slot_of_edge(gz_dealer *dealer, uint32_t low, uint32_t high)
{
    uint64_t mix = ((uint64_t)low << 32 | high) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t *)dealer->slots.items + ((uint32_t)(mix >> 32) & dealer->slot_mask);
}

static const crossing *find_crossing(gz_dealer *dealer, uint32_t v, uint32_t w)
{
    uint32_t low = v < w ? v : w, high = v < w ? w : v;
    const crossing *known = dealer->crossings.items;
    for (uint32_t n = *slot_of_edge(dealer, low, high); n != NONE; n = known[n].next)
        if (known[n].low == low && known[n].high == high)
            return known + n;
    return NULL;
}

static bool add_crossing(gz_dealer *dealer, uint32_t v, uint32_t w, uint32_t at)
{
    uint32_t low = v < w ? v : w, high = v < w ? w : v, *slot = slot_of_edge(dealer, low, high);
    crossing *new = gz_list_push(dealer->context, &dealer->crossings, sizeof(crossing), 1);
    if (new == NULL)
        return false;
    *new = (crossing){low, high, at, *slot};
    *slot = (uint32_t)(dealer->crossings.count - 1);
    return true;
}

// The same for all pieces at the edge; NONE: no memory.
static uint32_t border_vertex(gz_dealer *dealer, uint32_t v, uint32_t w)
{
    const crossing *known = find_crossing(dealer, v, w);
    if (known != NULL)
        return known->at;
    uint32_t at = v < w ? place_border(dealer, v, w) : place_border(dealer, w, v);
    return at != NONE && add_crossing(dealer, v, w, at) ? at : NONE;
}

// --- Splits. Where a corner of a piece is on a border, a tip of another owner may reach from there
// across the opposite edge, though both ends have the same owner.

static bool ask_edge(gz_dealer *dealer, uint32_t v, uint32_t w)
{
    vertex *vertices = dealer->vertices.items, *a = vertices + v, *b = vertices + w, found;
    uint32_t owner = common_owner(a, b), at = NONE;
    if (owner == NONE || find_crossing(dealer, v, w) != NULL)
        return true;
    double middle[3];
    place_on(dealer, a, b, 0.5, middle);
    ask_owner(dealer, middle, &found, a->near);
    if (!may_have(&found, owner)) {
        a->split = b->split = true;
        at = add_vertex(dealer, middle);
        if (at == NONE)
            return false;
        vertex *new = (vertex *)dealer->vertices.items + at;
        new->near = found.near;
        memcpy(new->owner, found.owner, sizeof new->owner);
    }
    return add_crossing(dealer, v, w, at);
}

static graze_status ask_edges(gz_dealer *dealer)
{
    for (uint64_t n = 0; n < dealer->pieces.count; ++n) {
        const piece *p = (const piece *)dealer->pieces.items + n;
        for (int k = 0; k < 3; ++k) {
            const vertex *vertices = dealer->vertices.items;
            if (on_border(vertices + p->corner[k]) &&
                !ask_edge(dealer, p->corner[(k + 1) % 3], p->corner[(k + 2) % 3]))
                return no_memory(dealer);
        }
    }
    return GRAZE_OK;
}

// --- Cutting

// The border of a piece: its corners and the vertices between them, and whose the way from each to
// the next is.
typedef struct ring {
    uint32_t vertex[6], owner[6];
    uint32_t count, between, last_between; // how many are between corners, and which is the last
} ring;

static bool add_edge(gz_dealer *dealer, uint32_t v, uint32_t w, ring *r)
{
    const vertex *vertices = dealer->vertices.items, *ends[2] = {vertices + v, vertices + w};
    uint32_t owner = common_owner(ends[0], ends[1]), at = NONE;
    if (owner == NONE && have_common(ends[0], ends[1])) { // several
        owner = owner_between(dealer, ends, 2);
    } else if (owner == NONE) {
        at = border_vertex(dealer, v, w);
        if (at == NONE)
            return false;
        vertices = dealer->vertices.items;
        owner = at == v ? vertices[w].owner[0] : vertices[v].owner[0];
    }
    r->vertex[r->count] = v;
    r->owner[r->count++] = owner;
    if (at != NONE && at != v && at != w) {
        r->between++;
        r->last_between = r->count;
        r->vertex[r->count] = at;
        r->owner[r->count++] = vertices[w].owner[0];
    }
    return true;
}

static float raised(float extra, double by)
{
    double sum = (double)extra + by;
    float out = (float)sum;
    return (double)out > sum && out > extra ? out : nextafterf(out, HUGE_VALF);
}

// The extra of what a piece is cut into.
static float extra_of_parts(const gz_dealer *dealer, const piece *whole)
{
    const vertex *vertices = dealer->vertices.items;
    double size[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            size[i] = fmax(size[i], fabs(vertices[whole->corner[k]].position[i]));
    return raised(whole->extra, rounding_at(dealer, size, size));
}

// Triangles between a vertex and all parts of the ring it is not at. The first of them replaces the
// piece.
static bool cut_fan(gz_dealer *dealer, uint32_t number, const ring *r, uint32_t apex, uint32_t at)
{
    piece *to = (piece *)dealer->pieces.items + number;
    float extra = extra_of_parts(dealer, to);
    for (uint32_t k = 0; k < r->count; ++k) {
        uint32_t next = k + 1 == r->count ? 0 : k + 1;
        if (k == at || next == at)
            continue;
        if (to == NULL)
            to = gz_list_push(dealer->context, &dealer->pieces, sizeof(piece), 1);
        if (to == NULL)
            return false;
        *to = (piece){{apex, r->vertex[k], r->vertex[next]}, r->owner[k], extra};
        to = NULL;
    }
    dealer->counts.cut++;
    return true;
}

static bool cut_piece(gz_dealer *dealer, uint32_t number)
{
    const piece *p = (piece *)dealer->pieces.items + number;
    uint32_t corner[3] = {p->corner[0], p->corner[1], p->corner[2]};
    ring r = {.count = 0};
    for (int k = 0; k < 3; ++k)
        if (!add_edge(dealer, corner[k], corner[(k + 1) % 3], &r))
            return false;
    const vertex *vertices = dealer->vertices.items;
    const vertex *v[3] = {vertices + corner[0], vertices + corner[1], vertices + corner[2]};
    if (r.between == 0) {
        ((piece *)dealer->pieces.items)[number].owner = owner_between(dealer, v, 3);
        return true;
    }
    if (r.between < 3)
        return cut_fan(dealer, number, &r, r.vertex[r.last_between], r.last_between);
    double middle[3];
    for (int i = 0; i < 3; ++i)
        middle[i] =
            rounded(dealer, v[0]->position[i] / 3 + v[1]->position[i] / 3 + v[2]->position[i] / 3);
    uint32_t apex = add_vertex(dealer, middle);
    return apex != NONE && cut_fan(dealer, number, &r, apex, NONE);
}

// Cuts the piece in two where one of its edges has a split; *was says whether there is one.
static bool split_piece(gz_dealer *dealer, uint32_t number, bool *was)
{
    piece *pieces = dealer->pieces.items, whole = pieces[number];
    const vertex *vertices = dealer->vertices.items;
    *was = false;
    for (int k = 0; k < 3; ++k) {
        uint32_t a = whole.corner[k], b = whole.corner[(k + 1) % 3], c = whole.corner[(k + 2) % 3];
        if (!vertices[a].split || !vertices[b].split ||
            common_owner(vertices + a, vertices + b) == NONE)
            continue;
        const crossing *split = find_crossing(dealer, a, b);
        if (split == NULL || split->at == NONE)
            continue;
        uint32_t at = split->at;
        float extra = extra_of_parts(dealer, &whole);
        piece *new = gz_list_push(dealer->context, &dealer->pieces, sizeof(piece), 1);
        if (new == NULL)
            return false;
        *new = (piece){{c, at, b}, NONE, extra};
        ((piece *)dealer->pieces.items)[number] = (piece){{c, a, at}, NONE, extra};
        *was = true;
        return true;
    }
    return true;
}

static bool give_piece(gz_dealer *dealer, uint32_t number)
{
    bool split = true;
    while (split)
        if (!split_piece(dealer, number, &split))
            return false;
    piece *p = (piece *)dealer->pieces.items + number;
    const vertex *vertices = dealer->vertices.items;
    p->owner =
        agreed_owner(vertices + p->corner[0], vertices + p->corner[1], vertices + p->corner[2]);
    return p->owner != NONE || cut_piece(dealer, number);
}

// Parts of pieces that are not given yet are found at the end.
static graze_status give_pieces(gz_dealer *dealer)
{
    for (uint64_t n = 0; n < dealer->pieces.count; ++n)
        if (((const piece *)dealer->pieces.items)[n].owner == NONE &&
            !give_piece(dealer, (uint32_t)n))
            return no_memory(dealer);
    return GRAZE_OK;
}

// --- Guests

// Notes that the owner has a piece at the vertex.
static bool meet(gz_dealer *dealer, vertex *v, uint32_t owner)
{
    if (v->first == NONE)
        v->first = owner;
    if (v->first == owner)
        return true;
    const meeting *meetings = dealer->meetings.items;
    for (uint32_t n = v->others; n != NONE; n = meetings[n].next)
        if (meetings[n].owner == owner)
            return true;
    meeting *new = gz_list_push(dealer->context, &dealer->meetings, sizeof(meeting), 1);
    if (new == NULL)
        return false;
    *new = (meeting){owner, v->others};
    v->others = (uint32_t)(dealer->meetings.count - 1);
    return true;
}

static bool invite(gz_dealer *dealer, uint32_t piece_number, uint32_t own, uint32_t owner,
                   uint64_t first)
{
    const guest *guests = dealer->guests.items;
    if (owner == own)
        return true;
    for (uint64_t n = first; n < dealer->guests.count; ++n)
        if (guests[n].owner == owner)
            return true;
    guest *new = gz_list_push(dealer->context, &dealer->guests, sizeof(guest), 1);
    if (new != NULL)
        *new = (guest){owner, piece_number};
    return new != NULL;
}

// Each piece is the guest of all other owners at its corners.
static bool visit(gz_dealer *dealer, uint32_t number)
{
    const piece *p = (const piece *)dealer->pieces.items + number;
    const vertex *vertices = dealer->vertices.items;
    const meeting *meetings = dealer->meetings.items;
    uint64_t first = dealer->guests.count;
    for (int k = 0; k < 3; ++k) {
        const vertex *v = vertices + p->corner[k];
        if (v->others == NONE)
            continue;
        if (!invite(dealer, number, p->owner, v->first, first))
            return false;
        for (uint32_t n = v->others; n != NONE; n = meetings[n].next)
            if (!invite(dealer, number, p->owner, meetings[n].owner, first))
                return false;
    }
    return true;
}

static graze_status find_guests(gz_dealer *dealer)
{
    const piece *pieces = dealer->pieces.items;
    vertex *vertices = dealer->vertices.items;
    dealer->meetings.count = dealer->guests.count = 0;
    for (uint64_t n = 0; n < dealer->pieces.count; ++n)
        for (int k = 0; k < 3; ++k)
            if (!meet(dealer, vertices + pieces[n].corner[k], pieces[n].owner))
                return no_memory(dealer);
    if (dealer->meetings.count == 0)
        return GRAZE_OK;
    for (uint64_t n = 0; n < dealer->pieces.count; ++n)
        if (!visit(dealer, (uint32_t)n))
            return no_memory(dealer);
    return GRAZE_OK;
}

// --- Regions

// Numbers of pieces by owner, own ones and then guests; places[owner] is where those of an owner
// begin. Before, place by place, the lists are counted.
static bool sort_by_owner(gz_dealer *dealer)
{
    uint64_t own = dealer->pieces.count, all = own + dealer->guests.count;
    uint32_t owners = dealer->deal->owner_count;
    if (!gz_list_reserve(dealer->context, &dealer->numbers, sizeof(uint32_t),
                         all + dealer->vertices.count) ||
        !gz_list_reserve(dealer->context, &dealer->places, sizeof(uint64_t),
                         2 * (uint64_t)owners + 1))
        return false;
    const piece *pieces = dealer->pieces.items;
    const guest *guests = dealer->guests.items;
    uint64_t *places = dealer->places.items;
    uint32_t *numbers = dealer->numbers.items;
    memset(places, 0, (2 * (size_t)owners + 1) * sizeof *places);
    for (uint64_t n = 0; n < own; ++n)
        places[2 * (size_t)pieces[n].owner + 1]++;
    for (uint64_t n = own; n < all; ++n)
        places[2 * (size_t)guests[n - own].owner + 2]++;
    for (size_t k = 0; k < 2 * (size_t)owners; ++k)
        places[k + 1] += places[k];
    // Each place moves to its end, which is where the next began.
    for (uint64_t n = 0; n < own; ++n)
        numbers[places[2 * (size_t)pieces[n].owner]++] = (uint32_t)n;
    for (uint64_t n = own; n < all; ++n)
        numbers[places[2 * (size_t)guests[n - own].owner + 1]++] = guests[n - own].piece;
    return true;
}

static bool fill_region(gz_dealer *dealer, const uint32_t *numbers, uint64_t count, uint32_t *used,
                        gz_region *region)
{
    graze_context *context = dealer->context;
    if (count == 0)
        return true;
    uint32_t(*corner)[3] = gz_list_push(context, &region->corners, sizeof(uint32_t[3]), count);
    float *extra = gz_list_push(context, &region->extras, sizeof(float), count);
    if (corner == NULL || extra == NULL)
        return false;
    const piece *pieces = dealer->pieces.items;
    vertex *vertices = dealer->vertices.items;
    uint32_t vertex_count = 0;
    for (uint64_t n = 0; n < count; ++n) {
        const piece *p = pieces + numbers[n];
        extra[n] = p->extra;
        for (int k = 0; k < 3; ++k) {
            vertex *v = vertices + p->corner[k];
            if (v->local == NONE) {
                v->local = vertex_count;
                used[vertex_count++] = p->corner[k];
            }
            corner[n][k] = v->local;
        }
    }
    double(*position)[3] =
        gz_list_push(context, &region->positions, sizeof(double[3]), vertex_count);
    for (uint32_t k = 0; k < vertex_count; ++k) {
        vertex *v = vertices + used[k];
        v->local = NONE;
        if (position != NULL)
            memcpy(position[k], v->position, sizeof v->position);
    }
    return position != NULL;
}

static graze_status fill_regions(gz_dealer *dealer, gz_region *regions)
{
    if (!sort_by_owner(dealer))
        return no_memory(dealer);
    const uint64_t *places = dealer->places.items;
    uint32_t *numbers = dealer->numbers.items;
    uint32_t *used = numbers + dealer->pieces.count + dealer->guests.count;
    for (uint64_t owner = 0, first = 0; owner < dealer->deal->owner_count; ++owner) {
        uint64_t end = places[2 * owner + 1];
        regions[owner].own_count = (uint32_t)(places[2 * owner] - first);
        if (!fill_region(dealer, numbers + first, end - first, used, regions + owner))
            return no_memory(dealer);
        first = end;
    }
    return GRAZE_OK;
}

// --- The deal

static graze_status check_owners(const gz_dealer *dealer, const gz_deal *deal)
{
    uint64_t pieces = 0;
    for (uint32_t t = 0; t < deal->coarse.triangle_count; ++t)
        if (deal->owner[t] >= deal->owner_count)
            return gz_fail(dealer->context, GRAZE_ERROR_ARGUMENT,
                           "triangle %u of a surface has owner %u of %u", t, deal->owner[t],
                           deal->owner_count);
    for (uint32_t n = 0; n < deal->fine_count; ++n)
        pieces += deal->fine[n].triangle_count;
    if (pieces != 0 && deal->owner_count == 0)
        return gz_fail(dealer->context, GRAZE_ERROR_ARGUMENT, "a surface is dealt out to nobody");
    return GRAZE_OK;
}

// Sets the coarse surface, and the owners of its triangles in the target's order.
static graze_status set_coarse(gz_dealer *dealer, const gz_deal *deal)
{
    uint32_t count = deal->coarse.triangle_count;
    graze_status status = gz_target_set(&dealer->target, &deal->coarse);
    if (status != GRAZE_OK || count == 0)
        return status;
    const uint64_t *keys = gz_target_sort(&dealer->target, &deal->coarse);
    if (keys == NULL || !gz_list_reserve(dealer->context, &dealer->owners, sizeof(uint32_t), count))
        return no_memory(dealer);
    uint32_t *owner = dealer->owners.items;
    for (uint32_t k = 0; k < count; ++k)
        owner[k] = deal->owner[(uint32_t)keys[k]];
    dealer->owner = owner;
    return GRAZE_OK;
}

// Whether there is a choice: several owners have triangles, and these are more than a point as
// seen from the fine surface.
static bool has_choice(gz_dealer *dealer, const graze_box *box)
{
    gz_target *target = &dealer->target;
    bool several = false;
    for (uint32_t t = 1; t < target->triangle_count; ++t)
        several = several || dealer->owner[t] != dealer->owner[0];
    if (!several || dealer->pieces.count == 0)
        return false;
    target->reach = fmax(1, gz_target_reach(target, box));
    target->searches = 0;
    return target->reach < GZ_DEVIATION_HUGE;
}

static void give_all_to_one(gz_dealer *dealer)
{
    uint32_t owner = dealer->target.triangle_count == 0 ? 0 : dealer->owner[0];
    piece *pieces = dealer->pieces.items;
    for (uint64_t n = 0; n < dealer->pieces.count; ++n)
        pieces[n].owner = owner;
}

static graze_status deal_out(gz_dealer *dealer, gz_region *regions)
{
    const gz_deal *deal = dealer->deal;
    graze_box box;
    graze_status status = check_owners(dealer, deal);
    if (status == GRAZE_OK)
        status = set_coarse(dealer, deal);
    if (status == GRAZE_OK)
        status = take_fine(dealer, deal, &box);
    if (status != GRAZE_OK)
        return status;
    if (has_choice(dealer, &box)) {
        ask_vertices(dealer);
        dealer->crossings.count = 0;
        status = set_slots(dealer, dealer->vertices.count) ? ask_edges(dealer) : no_memory(dealer);
        if (status == GRAZE_OK)
            status = give_pieces(dealer);
        dealer->counts.searches = dealer->target.searches;
    } else {
        give_all_to_one(dealer);
    }
    if (status == GRAZE_OK)
        status = find_guests(dealer);
    return status == GRAZE_OK ? fill_regions(dealer, regions) : status;
}

graze_status gz_deal_regions(gz_dealer *dealer, const gz_deal *deal, gz_region *regions)
{
    for (uint32_t owner = 0; owner < deal->owner_count; ++owner)
        gz_region_clear(regions + owner);
    dealer->deal = deal;
    graze_status status = deal_out(dealer, regions);
    for (uint32_t owner = 0; status != GRAZE_OK && owner < deal->owner_count; ++owner)
        gz_region_clear(regions + owner);
    return status;
}
