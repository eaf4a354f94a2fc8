// Dealing a surface out to owners of the target's triangles. See deviation.h.
//
// How far no point of the surface is from the target is known before. A triangle goes to an owner
// as a whole if everything within that distance is the owner's: what is nearest to a point of it is
// among that. Else it is cut into pieces, each near enough to one triangle of the target
// (deviation_pieces.h), and the owner of that one gets it. Either way, what is within a distance of
// the box of a triangle is known, which is what sights are made from.
#include "simplify/deviation_pieces.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/rounding.h"

#define SLACK 0x1p-5 // more than the known distance, so that few cuts are enough
#define MIXED UINT32_MAX

typedef struct dealing {
    gz_deviation_query *query;
    const gz_surface *from;
    const uint32_t *owner; // of the target's triangles as it has them
    graze_precision precision;
    gz_shares *shares;
    uint64_t most;
    double sight;      // in the target's units
    uint32_t triangle; // that is cut
    double size[3];    // the largest coordinates of the triangle, without sign
    double off;        // how far pieces of it may be from exact ones, the largest
    bool out_of_memory;
} dealing;

// --- Pieces

static double rounded(const dealing *d, double x)
{
    if (d->precision == GRAZE_FLOAT64)
        return x;
    volatile float narrow = (float)x; // gcc 12 leaves both casts out where it vectorizes them
    return (double)narrow;
}

static void take_piece(void *data, const gz_deviation_piece *piece, uint32_t near, double high)
{
    (void)high;
    dealing *d = data;
    graze_context *context = d->query->context;
    const gz_target *target = &d->query->target;
    d->shares->crowded = d->shares->crowded || d->shares->corners.count >= d->most;
    if (d->shares->crowded)
        return;
    gz_share *share = gz_list_push(context, &d->query->taken, 1);
    double(*corner)[3] = gz_list_push(context, &d->shares->corners, piece->count);
    d->out_of_memory = d->out_of_memory || share == NULL || corner == NULL;
    if (d->out_of_memory)
        return;
    GZ_ASSERT(piece->count >= 2);
    *share = (gz_share){.triangle = d->triangle,
                        .owner = d->owner[near],
                        .first = (uint32_t)(d->shares->corners.count - piece->count),
                        .count = piece->count};
    for (uint32_t k = 0; k < piece->count; ++k)
        for (int i = 0; i < 3; ++i)
            corner[k][i] = rounded(d, piece->corner[k][i] * target->unit + target->center[i]);
    d->off = fmax(d->off, gz_piece_off(d->query, piece));
}

// How far corners may be from those of exact pieces: coordinates are rounded when they become those
// of the target, when they become those of the caller again, and to the precision.
static double moved(const dealing *d)
{
    const gz_target *target = &d->query->target;
    double sum = 2 * (d->off + 0x1p-50 * target->reach) * target->unit;
    for (int i = 0; i < 3; ++i)
        sum += d->precision == GRAZE_FLOAT32 ? d->size[i] * (0x1p-24 + 0x1p-44) + 0x1p-148
                                             : d->size[i] * 0x1p-50 + 0x1p-1070;
    return sum;
}

static float raised(float extra, double by)
{
    double sum = (double)extra + by;
    float out = (float)sum;
    return (double)out > sum && out > extra ? out : gz_step_up(out);
}

static float extra_of(const dealing *d, uint32_t t)
{
    return d->from->extra == NULL ? 0 : d->from->extra[t];
}

// --- Triangles

static bool give(const dealing *d, uint32_t triangle, uint32_t owner)
{
    gz_share *share = gz_list_push(d->query->context, &d->shares->shares, 1);
    if (share != NULL)
        *share = (gz_share){.triangle = triangle, .owner = owner, .extra = extra_of(d, triangle)};
    return share != NULL;
}

// Whose everything is that was gathered.
static uint32_t owner_of_all(const dealing *d, const gz_deviation_group *g)
{
    const gz_cover_set *near = &d->query->near;
    if (!g->gathered || near->count == 0)
        return MIXED;
    uint32_t owner = d->owner[near->number[0]];
    for (uint32_t n = 1; n < near->count; ++n)
        if (d->owner[near->number[n]] != owner)
            return MIXED;
    return owner;
}

// The pieces that were taken become shares, or the whole triangle does if they are of one owner.
static bool give_taken(dealing *d)
{
    const gz_share_list *taken = &d->query->taken;
    const gz_share *piece = taken->items;
    bool same = true;
    for (uint64_t n = 1; n < taken->count; ++n)
        same = same && piece[n].owner == piece[0].owner;
    if (same) {
        d->shares->corners.count = piece[0].first;
        return give(d, piece[0].triangle, piece[0].owner);
    }
    gz_share *to = gz_list_push(d->query->context, &d->shares->shares, taken->count);
    float extra = raised(extra_of(d, piece[0].triangle), moved(d));
    for (uint64_t n = 0; to != NULL && n < taken->count; ++n) {
        to[n] = piece[n];
        to[n].extra = extra;
    }
    return to != NULL;
}

static bool cut_triangle(dealing *d, const gz_deviation_group *g, gz_pile *pile, uint32_t *hint)
{
    uint32_t triangle = g->number[0];
    double middle[3];
    for (int i = 0; i < 3; ++i) {
        middle[i] = (g->corner[0][0][i] + g->corner[0][1][i] + g->corner[0][2][i]) / 3;
        d->size[i] = 0;
        for (int k = 0; k < 3; ++k)
            d->size[i] = fmax(d->size[i], fabs(d->from->position[d->from->corner[triangle][k]][i]));
    }
    d->off = 0;
    d->triangle = triangle;
    d->query->taken.count = 0;
    *hint = gz_deviation_look_over(d->query, middle, *hint, 0).triangle;
    gz_pile_settle(d->query, pile, (const double(*)[3])g->corner[0], g->extra[0], *hint);
    return d->shares->crowded || (!d->out_of_memory && give_taken(d));
}

static bool see(const dealing *d, uint32_t triangle, uint32_t owner)
{
    d->shares->crowded = d->shares->crowded || d->shares->sights.count >= d->most;
    if (d->shares->crowded)
        return true;
    gz_sight *sight = gz_list_push(d->query->context, &d->shares->sights, 1);
    if (sight != NULL)
        *sight = (gz_sight){triangle, owner};
    return sight != NULL;
}

// Unless it is among the sights from `first` on, which are those of the triangle.
static bool see_once(const dealing *d, uint32_t triangle, uint32_t owner, uint64_t first)
{
    const gz_sight_list *sights = &d->shares->sights;
    const gz_sight *seen = sights->items;
    while (first < sights->count && seen[first].owner != owner)
        first++;
    return first < sights->count || see(d, triangle, owner);
}

// The same as below where there was too much to be gathered.
static bool see_without_gathering(const dealing *d, const gz_deviation_group *alone,
                                  uint32_t triangle)
{
    const gz_target *target = &d->query->target;
    const gz_target_node *nodes = target->nodes.items;
    uint64_t first = d->shares->sights.count;
    double wide = fmax(alone->goal - alone->extra[0], d->sight) + 0x1p-20 * target->reach;
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        const double x[3] = {alone->corner[0][0][i], alone->corner[0][1][i],
                             alone->corner[0][2][i]};
        low[i] = fmin(x[0], fmin(x[1], x[2])) - wide;
        high[i] = fmax(x[0], fmax(x[1], x[2])) + wide;
    }
    for (uint32_t t = 0; t < target->triangle_count; ++t) {
        const gz_target_node *node = nodes + t / GZ_TARGET_WIDE;
        uint32_t lane = t % GZ_TARGET_WIDE;
        bool near = true;
        for (int i = 0; i < 3; ++i)
            near = near && (double)node->low[i][lane] <= high[i] &&
                   (double)node->high[i][lane] >= low[i];
        if (near && !see_once(d, triangle, d->owner[t], first))
            return false;
    }
    return true;
}

// The owners of what is near a triangle, each once.
static bool see_gathered(const dealing *d, const gz_deviation_group *alone, uint32_t triangle)
{
    const gz_cover_set *near = &d->query->near;
    uint64_t first = d->shares->sights.count;
    if (!alone->gathered)
        return see_without_gathering(d, alone, triangle);
    for (uint32_t n = 0; n < near->count; ++n)
        if (!see_once(d, triangle, d->owner[near->number[n]], first))
            return false;
    return true;
}

// Gathers for one triangle of a group, as a group of its own.
static void gather_alone(const dealing *d, const gz_deviation_group *g, uint32_t n,
                         gz_deviation_group *alone)
{
    alone->count = 1;
    alone->number[0] = g->number[n];
    alone->extra[0] = g->extra[n];
    memcpy(alone->corner[0], g->corner[n], sizeof alone->corner[0]);
    gz_deviation_gather(d->query, d->sight, alone);
}

static bool deal_group(dealing *d, const gz_deviation_group *g, gz_pile *pile, uint32_t *hint)
{
    uint32_t all = owner_of_all(d, g);
    gz_deviation_group alone;
    for (uint32_t n = 0; n < g->count; ++n) {
        uint32_t owner = all;
        if (all == MIXED) {
            gather_alone(d, g, n, &alone);
            owner = owner_of_all(d, &alone);
        }
        if (owner != MIXED
                ? !give(d, g->number[n], owner)
                : !see_gathered(d, &alone, g->number[n]) || !cut_triangle(d, &alone, pile, hint))
            return false;
    }
    return true;
}

bool gz_deviation_sort_owners(gz_deviation_query *query, const gz_surface *to,
                              const uint32_t *owner)
{
    const uint64_t *keys = gz_target_sort(&query->target, to);
    if (keys == NULL || !gz_list_reserve(query->context, &query->owners, to->triangle_count))
        return false;
    uint32_t *sorted = query->owners.items;
    for (uint32_t k = 0; k < to->triangle_count; ++k)
        sorted[k] = owner[(uint32_t)keys[k]];
    return true;
}

static bool deal_all(dealing *d, uint32_t owner)
{
    for (uint32_t t = 0; t < d->from->triangle_count; ++t)
        if (!give(d, t, owner))
            return false;
    return true;
}

static bool deal_groups(dealing *d)
{
    gz_deviation_query *query = d->query;
    uint32_t count = d->from->triangle_count, hint = 0;
    const uint64_t *keys = gz_target_sort(&query->target, d->from);
    gz_deviation_group g;
    gz_pile pile;
    if (keys == NULL)
        return false;
    pile.take = take_piece;
    pile.data = d;
    int bits = gz_deviation_group_bits(keys, count);
    for (uint32_t first = 0; first < count && !d->shares->crowded; first += g.count) {
        gz_deviation_group_next(query, d->from, keys + first, count - first, bits, d->sight, &g);
        if (!deal_group(d, &g, &pile, &hint))
            return false;
    }
    return true;
}

static dealing begin(gz_deviation_query *query, const gz_surface *from, const gz_deal *deal,
                     gz_shares *shares)
{
    return (dealing){.query = query,
                     .from = from,
                     .owner = query->owners.items,
                     .precision = deal->precision,
                     .most = deal->most,
                     .sight = deal->sight / query->target.unit,
                     .shares = shares};
}

graze_status gz_deviation_deal(gz_deviation_query *query, const gz_surface *from,
                               const gz_deal *deal, gz_shares *shares, double *most)
{
    gz_deviation far;
    bool done, one = true;
    shares->shares.count = shares->corners.count = shares->sights.count = 0;
    shares->crowded = false;
    graze_status status = gz_deviation_start(query, from, SLACK, deal->floor, &far, &done);
    if (status != GRAZE_OK)
        return status;
    *most = deal->known * (1 + 0x1p-40); // from afar, all owners look alike
    if (deal->to->triangle_count == 0)
        return GRAZE_OK;
    if (!gz_deviation_sort_owners(query, deal->to, deal->owner))
        return gz_deviation_no_memory(query, from);
    dealing d = begin(query, from, deal, shares);
    for (uint32_t t = 1; t < deal->to->triangle_count; ++t)
        one = one && d.owner[t] == d.owner[0];
    if (done || one)
        return deal_all(&d, d.owner[0]) ? GRAZE_OK : gz_deviation_no_memory(query, from);
    query->low = fmax(query->low, deal->known / query->target.unit);
    if (!deal_groups(&d))
        return gz_deviation_no_memory(query, from);
    gz_deviation_end(query, &far);
    *most = shares->crowded ? deal->known : fmax(deal->known, far.high);
    return GRAZE_OK;
}

graze_status gz_deviation_see(gz_deviation_query *query, const gz_surface *from,
                              const gz_deal *deal, uint32_t first, gz_shares *shares)
{
    gz_deviation far;
    bool done;
    graze_status status = gz_deviation_start(query, from, SLACK, deal->floor, &far, &done);
    if (status != GRAZE_OK || done)
        return status;
    dealing d = begin(query, from, deal, shares);
    const uint64_t *keys = gz_target_sort(&query->target, from);
    gz_deviation_group g, alone;
    if (keys == NULL)
        return gz_deviation_no_memory(query, from);
    uint32_t count = from->triangle_count;
    int bits = gz_deviation_group_bits(keys, count);
    for (uint32_t k = 0; k < count && !shares->crowded; k += g.count) {
        gz_deviation_group_next(query, from, keys + k, count - k, bits, d.sight, &g);
        uint32_t owner = owner_of_all(&d, &g);
        for (uint32_t n = 0; n < g.count; ++n) {
            if (owner == MIXED)
                gather_alone(&d, &g, n, &alone);
            if (owner != MIXED ? !see(&d, first + g.number[n], owner)
                               : !see_gathered(&d, &alone, first + g.number[n]))
                return gz_deviation_no_memory(query, from);
        }
    }
    return GRAZE_OK;
}
