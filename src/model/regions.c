// Dealing a fine surface out to the parts of a coarse one. See regions.h.
//
// Each vertex is asked for its owner: that of the nearest coarse triangle. A piece goes to one
// owner whole if all its corners do. Else, and where a corner is on a border, as vertices of the
// coarse mesh often are, its edges are looked at (region_borders.c): all pieces at an edge get the
// same vertices on it. The piece is then cut into triangles between one of these vertices and the
// others: a fan. All of them together are the piece, whoever gets them.
//
// Rounding. Points of a piece are moved by no more than the corners of the triangles of the fan
// are. Those are points of edges of the piece, or its middle, but for the rounding that
// gz_deal_rounding bounds; the extra grows by that.
#include "model/region_dealer.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "model/deviation_query.h"

// One more owner of pieces at a vertex.
typedef struct meeting {
    uint32_t owner, next;
} meeting;

typedef struct guest {
    uint32_t owner, piece;
} guest;

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
    gz_list_free(context, &dealer->vertices, sizeof(gz_deal_vertex));
    gz_list_free(context, &dealer->slots, sizeof(uint32_t));
    gz_list_free(context, &dealer->numbers, sizeof(uint32_t));
    gz_list_free(context, &dealer->pieces, sizeof(gz_deal_piece));
    gz_list_free(context, &dealer->edges, sizeof(gz_deal_edge));
    gz_list_free(context, &dealer->stars, sizeof(uint32_t));
    gz_list_free(context, &dealer->star_pieces, sizeof(uint32_t));
    gz_list_free(context, &dealer->points, sizeof(gz_trace_point));
    gz_list_free(context, &dealer->point_slots, sizeof(uint32_t));
    gz_list_free(context, &dealer->chords, sizeof(gz_trace_chord));
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

bool gz_dealer_set_slots(gz_dealer *dealer, gz_list *slots, uint64_t count, uint32_t *mask)
{
    uint32_t power = power_above(count);
    if (!gz_list_reserve(dealer->context, slots, sizeof(uint32_t), power))
        return false;
    memset(slots->items, 0xff, power * sizeof(uint32_t));
    *mask = power - 1;
    return true;
}

static uint32_t hash_of(const double position[3])
{
    double plain[3] = {position[0] + 0.0, position[1] + 0.0, position[2] + 0.0}; // -0 becomes 0
    uint64_t bits[3], mix;
    memcpy(bits, plain, sizeof bits);
    mix = bits[0] * UINT64_C(0x9e3779b97f4a7c15) ^ (bits[1] << 21 | bits[1] >> 43);
    mix = mix * UINT64_C(0xbf58476d1ce4e5b9) ^ (bits[2] << 42 | bits[2] >> 22);
    mix *= UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(mix >> 32);
}

// The slot of the vertex in this place, or the one where it would be.
static uint32_t *slot_of(const gz_dealer *dealer, const double position[3])
{
    const gz_deal_vertex *vertices = dealer->vertices.items;
    for (uint32_t at = hash_of(position);; ++at) {
        uint32_t *slot = (uint32_t *)dealer->slots.items + (at & dealer->slot_mask);
        if (*slot == GZ_NOBODY || gz_same_place(vertices[*slot].position, position))
            return slot;
    }
}

uint32_t gz_dealer_find_vertex(const gz_dealer *dealer, const double position[3])
{
    return *slot_of(dealer, position);
}

// The vertex in this place; there is room for a new one.
static uint32_t weld(gz_dealer *dealer, const double position[3])
{
    uint32_t *slot = slot_of(dealer, position);
    if (*slot == GZ_NOBODY) {
        *slot = (uint32_t)dealer->vertices.count++;
        gz_deal_vertex *new = (gz_deal_vertex *)dealer->vertices.items + *slot;
        memcpy(new->position, position, sizeof new->position);
        new->first = new->others = new->local = new->sight.near = GZ_NOBODY;
        new->passed = false;
    }
    return *slot;
}

static graze_status no_memory(const gz_dealer *dealer)
{
    return gz_fail(dealer->context, GRAZE_ERROR_MEMORY, "no memory for dealing regions out");
}

static void take_surface(gz_dealer *dealer, const gz_surface *fine)
{
    uint32_t *number = dealer->numbers.items;
    gz_deal_piece *to = (gz_deal_piece *)dealer->pieces.items + dealer->pieces.count;
    if (fine->triangle_count == 0)
        return;
    memset(number, 0xff, fine->vertex_count * sizeof *number);
    dealer->pieces.count += fine->triangle_count;
    for (uint32_t t = 0; t < fine->triangle_count; ++t, ++to) {
        for (int k = 0; k < 3; ++k) {
            uint32_t v = fine->corner[t][k];
            if (number[v] == GZ_NOBODY)
                number[v] = weld(dealer, fine->position[v]);
            to->corner[k] = number[v];
        }
        to->extra = fine->extra != NULL ? fine->extra[t] : 0;
        to->owner = to->chord = GZ_NOBODY;
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
    dealer->vertices.count = dealer->pieces.count = dealer->meetings.count = 0;
    dealer->counts = (gz_deal_counts){.pieces = pieces};
    if (!gz_list_reserve(dealer->context, &dealer->vertices, sizeof(gz_deal_vertex), vertices) ||
        !gz_list_reserve(dealer->context, &dealer->pieces, sizeof(gz_deal_piece), pieces) ||
        !gz_list_reserve(dealer->context, &dealer->numbers, sizeof(uint32_t), most) ||
        !gz_dealer_set_slots(dealer, &dealer->slots, 2 * vertices, &dealer->slot_mask))
        return no_memory(dealer);
    for (uint32_t n = 0; n < deal->fine_count; ++n)
        take_surface(dealer, deal->fine + n);
    return GRAZE_OK;
}

// --- Owners

// Each vertex is looked at once, and what its neighbour in the piece sees is a good guess.
static void ask_vertices(gz_dealer *dealer)
{
    const gz_deal_piece *pieces = dealer->pieces.items;
    gz_deal_vertex *vertices = dealer->vertices.items;
    uint32_t hint = 0;
    for (uint64_t n = 0; n < dealer->pieces.count; ++n)
        for (int k = 0; k < 5; ++k) { // the first two twice, to have a guess for them
            gz_deal_vertex *v = vertices + pieces[n].corner[k % 3];
            if (v->sight.near == GZ_NOBODY && k >= 2)
                v->sight = gz_sight_from(dealer, v->position, hint);
            hint = v->sight.near != GZ_NOBODY ? v->sight.near : hint;
        }
}

// The owner of a vertex that is on no border, else GZ_NOBODY.
static uint32_t sole_owner(const gz_deal_vertex *v)
{
    return v->passed || gz_sight_on_border(&v->sight) ? GZ_NOBODY : v->sight.owner[0];
}

// --- Cutting

// The border of a piece: its corners and the vertices between them, and whose the way from each to
// the next is; GZ_NOBODY: that cannot be told.
typedef struct ring {
    uint32_t vertex[6], owner[6];
    uint32_t count, between, last_between; // how many are between corners, and which is the last
} ring;

static bool add_edge(gz_dealer *dealer, uint32_t v, uint32_t w, ring *r)
{
    const gz_deal_vertex *vertices = dealer->vertices.items;
    uint32_t first = sole_owner(vertices + v), last = sole_owner(vertices + w), at = GZ_NOBODY;
    if (first == GZ_NOBODY || first != last) {
        const gz_deal_edge *edge = gz_deal_edge_look(dealer, v, w);
        if (edge == NULL)
            return false;
        first = edge->owner[v > w];
        last = edge->owner[v < w];
        at = edge->at;
    }
    r->vertex[r->count] = v;
    r->owner[r->count++] = at == v ? last : first;
    if (at != GZ_NOBODY && at != v && at != w) {
        r->between++;
        r->last_between = r->count;
        r->vertex[r->count] = at;
        r->owner[r->count++] = last;
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
static float extra_of_parts(const gz_dealer *dealer, const gz_deal_piece *whole)
{
    const gz_deal_vertex *vertices = dealer->vertices.items;
    double size[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            size[i] = fmax(size[i], fabs(vertices[whole->corner[k]].position[i]));
    return raised(whole->extra, gz_deal_rounding(dealer, size));
}

// Triangles between a vertex and all parts of the ring it is not at. The first of them replaces the
// piece.
static bool cut_fan(gz_dealer *dealer, uint32_t number, const ring *r, uint32_t apex, uint32_t at)
{
    gz_deal_piece *to = (gz_deal_piece *)dealer->pieces.items + number;
    float extra = extra_of_parts(dealer, to);
    for (uint32_t k = 0; k < r->count; ++k) {
        uint32_t next = k + 1 == r->count ? 0 : k + 1;
        if (k == at || next == at)
            continue;
        if (to == NULL)
            to = gz_list_push(dealer->context, &dealer->pieces, sizeof *to, 1);
        if (to == NULL)
            return false;
        *to = (gz_deal_piece){{apex, r->vertex[k], r->vertex[next]}, r->owner[k], GZ_NOBODY, extra};
        if (to->owner == GZ_NOBODY)
            to->owner = gz_owner_between(dealer, to->corner, 3);
        to = NULL;
    }
    dealer->counts.cut++;
    return true;
}

static bool cut_piece(gz_dealer *dealer, uint32_t number)
{
    gz_deal_piece *p = (gz_deal_piece *)dealer->pieces.items + number;
    ring r = {.count = 0};
    for (int k = 0; k < 3; ++k)
        if (!add_edge(dealer, p->corner[k], p->corner[(k + 1) % 3], &r))
            return false;
    if (r.between == 0) {
        bool same = r.owner[0] == r.owner[1] && r.owner[1] == r.owner[2];
        p->owner = same ? r.owner[0] : GZ_NOBODY;
        if (p->owner == GZ_NOBODY)
            p->owner = gz_owner_between(dealer, p->corner, 3);
        return true;
    }
    if (r.between < 3)
        return cut_fan(dealer, number, &r, r.vertex[r.last_between], r.last_between);
    const gz_deal_vertex *vertices = dealer->vertices.items;
    double middle[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            middle[i] += vertices[p->corner[k]].position[i] / 3;
    for (int i = 0; i < 3; ++i)
        middle[i] = gz_deal_rounded(dealer, middle[i]);
    uint32_t apex = gz_dealer_add_vertex(dealer, middle);
    return apex != GZ_NOBODY && cut_fan(dealer, number, &r, apex, GZ_NOBODY);
}

// --- Cutting along chords

enum { MOST_SIDES = 3 + 3 * GZ_TRACE_POINTS, MOST_PARTS = 3 * GZ_TRACE_POINTS + 1 };

typedef struct polygon {
    uint32_t vertex[MOST_SIDES], count;
} polygon;

// The corners of a piece and the vertices on its edges.
static polygon outline(const gz_dealer *dealer, const gz_deal_piece *p)
{
    polygon all = {.count = 0};
    for (int k = 0; k < 3; ++k) {
        all.vertex[all.count++] = p->corner[k];
        all.count +=
            gz_trace_points(dealer, p->corner[k], p->corner[(k + 1) % 3], all.vertex + all.count);
    }
    return all;
}

// Cuts a polygon in two between two of its vertices. False: they are not, or are neighbours.
static bool cut_polygon(polygon *p, const uint32_t end[2], polygon *rest)
{
    uint32_t at[2] = {p->count, p->count};
    for (uint32_t k = 0; k < p->count; ++k)
        for (int n = 0; n < 2; ++n)
            at[n] = p->vertex[k] == end[n] && at[n] == p->count ? k : at[n];
    uint32_t low = at[0] < at[1] ? at[0] : at[1], high = at[0] < at[1] ? at[1] : at[0];
    if (high == p->count || high - low < 2 || high - low == p->count - 1)
        return false;
    rest->count = 0;
    for (uint32_t k = low; k <= high; ++k)
        rest->vertex[rest->count++] = p->vertex[k];
    for (uint32_t k = high; k < p->count; ++k)
        p->vertex[low + 1 + k - high] = p->vertex[k];
    p->count -= high - low - 1;
    return true;
}

// A polygon as a fan of pieces, around a vertex that is not a corner, if there is one. The first
// piece replaces `number`, unless that is taken.
static bool give_polygon(gz_dealer *dealer, const polygon *p, float extra, uint32_t *number)
{
    uint32_t apex = 0, owner = gz_owner_between(dealer, p->vertex, p->count);
    for (uint32_t k = 0; k < p->count; ++k)
        apex = p->vertex[k] >= dealer->star_count ? k : apex;
    for (uint32_t n = 1; n + 1 < p->count; ++n) {
        gz_deal_piece *to = (gz_deal_piece *)dealer->pieces.items + *number;
        if (*number == GZ_NOBODY)
            to = gz_list_push(dealer->context, &dealer->pieces, sizeof *to, 1);
        if (to == NULL)
            return false;
        *to = (gz_deal_piece){{p->vertex[apex], p->vertex[(apex + n) % p->count],
                               p->vertex[(apex + n + 1) % p->count]},
                              owner,
                              GZ_NOBODY,
                              extra};
        *number = GZ_NOBODY;
    }
    return true;
}

static bool cut_along_chords(gz_dealer *dealer, uint32_t number)
{
    const gz_deal_piece *p = (const gz_deal_piece *)dealer->pieces.items + number;
    const gz_trace_chord *chords = dealer->chords.items;
    polygon parts[MOST_PARTS];
    uint32_t count = 1;
    parts[0] = outline(dealer, p);
    for (uint32_t c = p->chord; c != GZ_NOBODY && count < MOST_PARTS; c = chords[c].next)
        for (uint32_t k = 0; k < count; ++k)
            if (cut_polygon(parts + k, chords[c].end, parts + count)) {
                count++;
                break;
            }
    float extra = parts[0].count > 3 || count > 1 ? extra_of_parts(dealer, p) : p->extra;
    dealer->counts.cut += count > 1;
    for (uint32_t k = 0; k < count; ++k)
        if (!give_polygon(dealer, parts + k, extra, &number))
            return false;
    return true;
}

// --- Giving

// A piece that no border passes goes to the owner of its corners, if these agree where they are on
// no border.
static bool give_piece(gz_dealer *dealer, uint32_t number)
{
    gz_deal_piece *p = (gz_deal_piece *)dealer->pieces.items + number;
    const gz_deal_vertex *vertices = dealer->vertices.items;
    uint32_t owner = GZ_NOBODY;
    if (p->chord != GZ_NOBODY)
        return cut_along_chords(dealer, number);
    for (int k = 0; k < 3; ++k) {
        uint32_t other = sole_owner(vertices + p->corner[k]);
        if (owner != GZ_NOBODY && other != GZ_NOBODY && owner != other)
            return cut_piece(dealer, number);
        owner = other != GZ_NOBODY ? other : owner;
    }
    p->owner = owner != GZ_NOBODY ? owner : gz_owner_between(dealer, p->corner, 3);
    return true;
}

static graze_status give_pieces(gz_dealer *dealer)
{
    uint64_t count = dealer->pieces.count;
    ask_vertices(dealer);
    dealer->edges.count = 0;
    if (!gz_trace_borders(dealer) ||
        !gz_dealer_set_slots(dealer, &dealer->slots, dealer->star_count, &dealer->slot_mask))
        return no_memory(dealer);
    for (uint64_t n = 0; n < count; ++n)
        if (!give_piece(dealer, (uint32_t)n))
            return no_memory(dealer);
    return GRAZE_OK;
}

// --- Guests

bool gz_dealer_meet(gz_dealer *dealer, uint32_t v, uint32_t owner)
{
    gz_deal_vertex *at = (gz_deal_vertex *)dealer->vertices.items + v;
    if (at->first == GZ_NOBODY)
        at->first = owner;
    if (at->first == owner)
        return true;
    const meeting *meetings = dealer->meetings.items;
    for (uint32_t n = at->others; n != GZ_NOBODY; n = meetings[n].next)
        if (meetings[n].owner == owner)
            return true;
    meeting *new = gz_list_push(dealer->context, &dealer->meetings, sizeof(meeting), 1);
    if (new == NULL)
        return false;
    *new = (meeting){owner, at->others};
    at->others = (uint32_t)(dealer->meetings.count - 1);
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
    const gz_deal_piece *p = (const gz_deal_piece *)dealer->pieces.items + number;
    const gz_deal_vertex *vertices = dealer->vertices.items;
    const meeting *meetings = dealer->meetings.items;
    uint64_t first = dealer->guests.count;
    for (int k = 0; k < 3; ++k) {
        const gz_deal_vertex *v = vertices + p->corner[k];
        if (v->others == GZ_NOBODY)
            continue;
        if (!invite(dealer, number, p->owner, v->first, first))
            return false;
        for (uint32_t n = v->others; n != GZ_NOBODY; n = meetings[n].next)
            if (!invite(dealer, number, p->owner, meetings[n].owner, first))
                return false;
    }
    return true;
}

static graze_status find_guests(gz_dealer *dealer)
{
    const gz_deal_piece *pieces = dealer->pieces.items;
    dealer->guests.count = 0;
    for (uint64_t n = 0; n < dealer->pieces.count; ++n)
        for (int k = 0; k < 3; ++k)
            if (!gz_dealer_meet(dealer, pieces[n].corner[k], pieces[n].owner))
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
    const gz_deal_piece *pieces = dealer->pieces.items;
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
    const gz_deal_piece *pieces = dealer->pieces.items;
    gz_deal_vertex *vertices = dealer->vertices.items;
    uint32_t vertex_count = 0;
    for (uint64_t n = 0; n < count; ++n) {
        const gz_deal_piece *p = pieces + numbers[n];
        extra[n] = p->extra;
        for (int k = 0; k < 3; ++k) {
            gz_deal_vertex *v = vertices + p->corner[k];
            if (v->local == GZ_NOBODY) {
                v->local = vertex_count;
                used[vertex_count++] = p->corner[k];
            }
            corner[n][k] = v->local;
        }
    }
    double(*position)[3] =
        gz_list_push(context, &region->positions, sizeof(double[3]), vertex_count);
    for (uint32_t k = 0; k < vertex_count; ++k) {
        gz_deal_vertex *v = vertices + used[k];
        v->local = GZ_NOBODY;
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
    gz_deal_piece *pieces = dealer->pieces.items;
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
