// Bounds for each part of the target instead of one for all. See deviation.h.
//
// One triangle of the surface after the other is taken, and parts of the target are made to answer
// for all of its points. Where it is covered within a height (deviation_cover.h), that height is
// charged to the parts of all triangles that take part in the cover. Else it is cut into pieces
// (deviation_pieces.h), each near one triangle, whose part is charged. Where neither ends below
// what is known for all, every part near by is charged with that: the triangle that is nearest to a
// point is among them.
#include "simplify/deviation_pieces.h"

#include <math.h>

#include "base/context.h"
#include "geometry/rounding.h"

#define GAP 0.125 // of pieces
// Parts of what the extra leaves of what is known: a cover is sought up to this height, and below
// the lower one heights need not be told apart.
#define HEIGHT 0.5
#define FINE   0x1p-4

typedef struct spreading {
    gz_deviation_query *query;
    const uint32_t *part; // of the target's triangles as it has them
    uint32_t part_count;
    double *most; // of each part, in the target's units
    double known;
    double extra;        // of the triangle at hand
    bool all;            // every part is charged with what is known
    gz_cover_set around; // scratch
} spreading;

static void charge(spreading *s, uint32_t triangle, double high)
{
    double *most = s->most + s->part[triangle];
    *most = high > *most ? high : *most;
}

static void charge_all(spreading *s)
{
    for (uint32_t p = 0; p < s->part_count; ++p)
        s->most[p] = s->known;
    s->all = true;
}

// A point that the piece stands for is within the extra of it, and within what is known of some
// triangle: that one is within the sum of the piece.
static void charge_around(spreading *s, const gz_deviation_piece *piece)
{
    const gz_target *target = &s->query->target;
    graze_box box = graze_box_empty();
    for (uint32_t k = 0; k < piece->count; ++k)
        for (int i = 0; i < 3; ++i) {
            box.min[i] = fmin(box.min[i], piece->corner[k][i]);
            box.max[i] = fmax(box.max[i], piece->corner[k][i]);
        }
    double wide = s->known + s->extra + gz_piece_off(s->query, piece) + gz_target_margin(target);
    if (!gz_cover_gather(target, &box, wide, &s->around)) {
        charge_all(s);
        return;
    }
    for (uint32_t n = 0; n < s->around.count; ++n)
        charge(s, s->around.number[n], s->known);
}

static void take_piece(void *data, const gz_deviation_piece *piece, uint32_t near, double high)
{
    spreading *s = data;
    if (s->all)
        return;
    if (high <= s->known)
        charge(s, near, high);
    else
        charge_around(s, piece);
}

// The parts of what covers a triangle.
static void charge_cover(spreading *s, double more)
{
    const gz_cover_set *near = &s->query->near;
    const gz_cover_result *r = &near->result;
    double low = (double)r->height + more;
    for (uint32_t block = 0; block * GZ_COVER_LANES < near->count; ++block)
        for (uint32_t bits = r->meeting[block]; bits != 0; bits &= bits - 1)
            charge(s, near->number[block * GZ_COVER_LANES + (uint32_t)__builtin_ctz(bits)], low);
    for (uint32_t bits = r->counted; bits != 0; bits &= bits - 1)
        charge(s, near->number[r->lane[__builtin_ctz(bits)]],
               (double)r->high[__builtin_ctz(bits)] + more);
}

static bool cover(spreading *s, const double corner[3][3])
{
    gz_deviation_query *query = s->query;
    double rest = s->known - s->extra, lost;
    if (!(rest > 0) || !gz_cover_heights(&query->target, &query->near, corner, rest * HEIGHT,
                                         FINE / HEIGHT, &lost))
        return false;
    charge_cover(s, lost + s->extra);
    query->counts.covered++;
    return true;
}

static void spread_triangle(spreading *s, const double corner[3][3], gz_pile *pile, uint32_t *hint)
{
    gz_deviation_query *query = s->query;
    double middle[3];
    for (int i = 0; i < 3; ++i)
        middle[i] = (corner[0][i] + corner[1][i] + corner[2][i]) / 3;
    // Each triangle has a goal of its own, which is raised where it proves to be farther.
    query->low = (s->extra + (s->known - s->extra) * FINE) / (1 + GAP);
    double off = 2 * gz_target_margin(&query->target) - s->extra;
    *hint = gz_deviation_look_over(query, middle, *hint, off).triangle;
    query->counts.refined++;
    gz_pile_settle(query, pile, corner, s->extra, *hint);
}

static void spread_groups(spreading *s, const gz_surface *from, const uint64_t *keys)
{
    gz_deviation_query *query = s->query;
    uint32_t count = from->triangle_count, hint = 0;
    gz_deviation_group g;
    gz_pile pile;
    pile.take = take_piece;
    pile.data = s;
    int bits = gz_deviation_group_bits(keys, count);
    for (uint32_t first = 0; first < count && !s->all; first += g.count) {
        query->low = 0;
        gz_deviation_group_next(query, from, keys + first, count - first, bits, s->known * HEIGHT,
                                &g);
        for (uint32_t n = 0; n < g.count; ++n) {
            const double(*corner)[3] = (const double(*)[3])g.corner[n];
            s->extra = g.extra[n];
            if (!g.gathered || !cover(s, corner))
                spread_triangle(s, corner, &pile, &hint);
        }
    }
}

// In the caller's units. Nothing is above what is known; that multiplying rounds does not matter.
static void end(const spreading *s, double known)
{
    for (uint32_t p = 0; p < s->part_count; ++p)
        if (s->most[p] > 0)
            s->most[p] = fmin(known, gz_step_up64(s->most[p] * s->query->target.unit));
}

graze_status gz_deviation_spread(gz_deviation_query *query, const gz_surface *from,
                                 const gz_spread *spread, double *out)
{
    gz_deviation far;
    bool done;
    graze_status status = gz_deviation_start(query, from, GAP, spread->floor, &far, &done);
    if (status != GRAZE_OK)
        return status;
    for (uint32_t p = 0; p < spread->part_count; ++p)
        out[p] = from->triangle_count == 0 ? 0 : spread->known;
    if (done || !(spread->known > spread->floor))
        return GRAZE_OK;
    if (!gz_deviation_sort_owners(query, spread->to, spread->part))
        return gz_deviation_no_memory(query, from);
    const uint64_t *keys = gz_target_sort(&query->target, from);
    if (keys == NULL)
        return gz_deviation_no_memory(query, from);
    spreading s = {.query = query,
                   .part = query->owners.items,
                   .part_count = spread->part_count,
                   .most = out,
                   .known = spread->known / query->target.unit};
    for (uint32_t p = 0; p < spread->part_count; ++p)
        out[p] = 0;
    query->ceiling = fmin(query->ceiling, s.known);
    query->rough = true;
    spread_groups(&s, from, keys);
    end(&s, spread->known);
    return GRAZE_OK;
}
