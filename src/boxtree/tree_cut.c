// Cuts ranges of triangles in two by the binned surface area heuristic (SAH): by the areas of what
// is on either side. See tree_builder.h.
//
// Time is that of two passes over the range: one puts the boxes into bins, one sends the triangles
// to the two sides. Neither has a branch that depends on the data. The bounds of both sides are
// those of their bins, so they are not read again.
#include <string.h>

#include "base/context.h"
#include "boxtree/tree_bins.h"

#define SPREAD 0.7f // of the most along an axis
#define HELD   128  // references that are out of their places while a range is dealt out

static void bound_middles(const gz_reference *references, gz_range *r)
{
    const gz_reference *refs = references + r->first;
    gz_f4 least = refs[0].low + refs[0].high, most = least, other_least = least, other_most = least;
    for (uint32_t i = r->count % 2; i < r->count; i += 2) { // two by two, so that neither waits
        gz_f4 middle = refs[i].low + refs[i].high, other = refs[i + 1].low + refs[i + 1].high;
        least = gz_f4_min(middle, least);
        most = gz_f4_max(middle, most);
        other_least = gz_f4_min(other, other_least);
        other_most = gz_f4_max(other, other_most);
    }
    r->least = gz_f4_min(least, other_least);
    r->most = gz_f4_max(most, other_most);
}

void gz_range_bound(const gz_reference *references, gz_range *r)
{
    const gz_reference *refs = references + r->first;
    r->low = refs[0].low;
    r->high = refs[0].high;
    for (uint32_t i = 1; i < r->count; ++i) {
        r->low = gz_f4_min(r->low, refs[i].low);
        r->high = gz_f4_max(r->high, refs[i].high);
    }
    bound_middles(references, r);
}

static inline void fill_bins(const gz_reference *refs, uint32_t count, const binning *by,
                             const int axis, many_bins *out)
{
    for (uint32_t i = 0; i < count; ++i) {
        gz_f4 middle = refs[i].low + refs[i].high;
        int place = (int)bins_of(middle, by)[axis];
        put_into(&out->bins[i % 2][place], &refs[i]);
        join_middles(&out->between[i % 2][place], &(middles){middle, middle});
    }
}

// Many: along the axis on which they spread most. To look along all three takes three times as
// long, and hardly ever makes a difference.
static split split_many(const gz_reference *refs, const gz_range *whole, const binning *by,
                        int axis, gz_range *lower, gz_range *upper)
{
    many_bins m;
    clear_bins(&m, by->count);
    if (axis == 0) // once for each: a constant axis is a lane that need not be looked for
        fill_bins(refs, whole->count, by, 0, &m);
    else if (axis == 1)
        fill_bins(refs, whole->count, by, 1, &m);
    else
        fill_bins(refs, whole->count, by, 2, &m);
    return split_bins(&m, by->count, axis, lower, upper);
}

// Few: along all axes on which they spread about as much. Others are hardly ever the best.
static split split_few(const gz_reference *refs, const gz_range *whole, const binning *by,
                       gz_range *lower, gz_range *upper)
{
    bin bins[3][BINS / 2];
    split best = {-1, 0, FLT_MAX};
    gz_f4 extent = whole->most - whole->least;
    float enough = SPREAD * extent[longest_axis(whole)];
    int axes[3], axis_count = 0;
    for (int axis = 0; axis < 3; ++axis)
        if (!(extent[axis] < enough))
            axes[axis_count++] = axis;
    for (int k = 0; k < axis_count; ++k)
        for (int i = 0; i < by->count; ++i)
            bins[axes[k]][i] = nothing;
    for (uint32_t i = 0; i < whole->count; ++i) {
        gz_f4 place = bins_of(refs[i].low + refs[i].high, by);
        for (int k = 0; k < axis_count; ++k)
            put_into(&bins[axes[k]][(int)place[axes[k]]], &refs[i]);
    }
    for (int k = 0; k < axis_count; ++k)
        try_axis(bins[axes[k]], by->count, axes[k], &best);
    if (best.axis >= 0)
        set_boxes(bins[best.axis], by->count, best.bin, lower, upper);
    return best;
}

// Two ends of a range, with room between them for what is not dealt out yet.
typedef struct dealer {
    gz_reference *lower, *upper; // where the next one goes to; the upper end grows downwards
    float base, scale, limit;
    int axis;
} dealer;

// Goes to both ends, of which one moves on: no branch to be guessed wrong.
static inline void deal(dealer *d, const gz_reference *from)
{
    gz_reference r = *from;
    float x = (from->low[d->axis] + from->high[d->axis] - d->base) * d->scale;
    int above = x >= d->limit;
    *d->lower = r;
    *d->upper = r;
    d->lower += 1 - above;
    d->upper -= above;
}

// Deals a range out to its two ends. Some at each end are held elsewhere meanwhile; then of the two
// gaps, the next block is read at the smaller one, so that neither gap is ever filled up.
// @return how many are below.
static uint32_t deal_out(gz_reference *refs, uint32_t count, const split *by, const binning *bins)
{
    gz_reference held[2 * HELD];
    dealer d = {.lower = refs,
                .upper = refs + count - 1,
                .base = bins->base[by->axis],
                .scale = bins->scale[by->axis],
                .limit = (float)by->bin,
                .axis = by->axis};
    uint32_t held_count = count < 2 * HELD ? count : 2 * HELD, below = held_count / 2;
    gz_reference *first = refs + below, *end = refs + count - (held_count - below);
    memcpy(held, refs, below * sizeof *held);
    memcpy(held + below, end, (held_count - below) * sizeof *held);
    while (first < end) {
        uint32_t some = end - first < HELD ? (uint32_t)(end - first) : HELD;
        if (first - d.lower <= d.upper + 1 - end)
            for (; some != 0; --some)
                deal(&d, first++);
        else
            for (; some != 0; --some)
                deal(&d, --end);
    }
    for (uint32_t i = 0; i < held_count; ++i)
        deal(&d, &held[i]);
    return (uint32_t)(d.lower - refs);
}

// By count where the middles are all in one place, or where the tree is so deep already that
// something is up to no good.
void gz_cut(const gz_tree_builder *builder, const gz_range *whole, gz_range *lower, gz_range *upper)
{
    gz_reference *refs = builder->references + whole->first;
    bool few = whole->count < GZ_FEW, bounded = false;
    binning by = make_binning(whole);
    split best = {-1, 0, 0};
    int longest = longest_axis(whole);
    if (whole->cut != 0) {
        const gz_grid_cut *known = (const gz_grid_cut *)builder->cuts.items + (whole->cut - 1);
        *lower = known->lower;
        *upper = known->upper;
        return;
    }
    *lower = *upper = (gz_range){.first = whole->first, .depth = whole->depth + 1};
    if (whole->depth < STEEP_DEPTH && builder->quick) {
        best.axis = by.scale[longest] > 0 ? longest : -1;
        best.bin = by.count / 2;
    } else if (whole->depth < STEEP_DEPTH) {
        best = few ? split_few(refs, whole, &by, lower, upper)
                   : split_many(refs, whole, &by, longest, lower, upper);
        bounded = best.axis >= 0;
    }
    uint32_t below = best.axis >= 0 ? deal_out(refs, whole->count, &best, &by) : whole->count / 2;
    GZ_ASSERT(!bounded || below == lower->count);
    lower->count = below;
    upper->count = whole->count - lower->count;
    upper->first += lower->count;
    if (!bounded) {
        gz_range_bound(builder->references, lower);
        gz_range_bound(builder->references, upper);
    } else if (few) {
        bound_middles(builder->references, lower);
        bound_middles(builder->references, upper);
    }
}
