// Bins of the SAH: how the middles of boxes fall into them along an axis, and where between them a
// cut is best. For what cuts ranges.
#ifndef GZ_TREE_BINS_H
#define GZ_TREE_BINS_H

#include <float.h>

#include "boxtree/tree_builder.h"

#define BINS        32 // at most: for few triangles, half of them
#define STEEP_DEPTH 64 // deeper than this, halves by count: no input makes the tree deep

// What is in a bin, or in some of them.
typedef struct bin {
    gz_f4 low, high;
    uint32_t count;
} bin;

// Twice the middles of what is in a bin.
typedef struct middles {
    gz_f4 least, most;
} middles;

// How the middles of a range fall into bins.
typedef struct binning {
    gz_f4 base, scale;
    int count; // of bins
} binning;

typedef struct split {
    int axis, bin; // the first bin of the upper part; axis -1: there is none
    float cost;
} split;

static const gz_f4 most_of_all = {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX};
static const bin nothing = {.low = {FLT_MAX, FLT_MAX, FLT_MAX, 0},
                            .high = {-FLT_MAX, -FLT_MAX, -FLT_MAX, 0}};

static inline binning make_binning(const gz_range *r)
{
    binning b = {.base = r->least, .count = r->count < GZ_FEW ? BINS / 2 : BINS};
    gz_f4 extent = r->most - r->least;
    for (int axis = 0; axis < 3; ++axis)
        b.scale[axis] = extent[axis] > 0 && extent[axis] < FLT_MAX
                            ? (float)b.count * 0.9999f / extent[axis]
                            : 0;
    return b;
}

static inline int longest_axis(const gz_range *r)
{
    gz_f4 extent = r->most - r->least;
    int longest = extent[1] > extent[0] ? 1 : 0;
    return extent[2] > extent[longest] ? 2 : longest;
}

// The bins along the axes. In the first one also where a coordinate is not a number.
static inline gz_f4 bins_of(gz_f4 middle, const binning *b)
{
    gz_f4 none = {0, 0, 0, 0}, last = none + (float)(b->count - 1);
    return gz_f4_min(gz_f4_max((middle - b->base) * b->scale, none), last);
}

static inline void join_bin(bin *sum, const bin *more)
{
    sum->low = gz_f4_min(sum->low, more->low);
    sum->high = gz_f4_max(sum->high, more->high);
    sum->count += more->count;
}

static inline void put_into(bin *into, const gz_reference *r)
{
    into->low = gz_f4_min(into->low, r->low);
    into->high = gz_f4_max(into->high, r->high);
    into->count++;
}

// What so many triangles cost: themselves, and the room in leaves that they will take. The second
// half makes leaves fuller, 13 triangles on the average rather than 11: fewer of them, and of all
// that lies above them.
static inline float weight_of(uint32_t count)
{
    uint32_t leaves = count / GZ_LEAF + (count % GZ_LEAF != 0);
    return (float)count + (float)(leaves * GZ_LEAF);
}

// The best along one axis, if it is better than `best`.
static inline void try_axis(const bin *bins, int bin_count, int axis, split *best)
{
    float area_above[BINS];
    uint32_t count_above[BINS];
    bin sum = nothing;
    for (int i = bin_count - 1; i > 0; --i) {
        join_bin(&sum, &bins[i]);
        area_above[i] = gz_half_area(sum.low, sum.high);
        count_above[i] = sum.count;
    }
    sum = nothing;
    for (int i = 1; i < bin_count; ++i) {
        join_bin(&sum, &bins[i - 1]);
        if (sum.count == 0 || count_above[i] == 0)
            continue;
        float cost = gz_half_area(sum.low, sum.high) * weight_of(sum.count) +
                     area_above[i] * weight_of(count_above[i]);
        if (cost < best->cost)
            *best = (split){axis, i, cost};
    }
}

static inline void set_boxes(const bin *bins, int bin_count, int first_above, gz_range *lower,
                             gz_range *upper)
{
    bin below = nothing, above = nothing;
    for (int i = 0; i < bin_count; ++i)
        join_bin(i < first_above ? &below : &above, &bins[i]);
    lower->low = below.low;
    lower->high = below.high;
    lower->count = below.count;
    upper->low = above.low;
    upper->high = above.high;
    upper->count = above.count;
}

// All about many of them, along one axis. There are two sets of bins, since what follows each other
// in a mesh mostly falls into the same bin, and would have to wait for it.
typedef struct many_bins {
    bin bins[2][BINS];
    middles between[2][BINS];
} many_bins;

static inline void join_middles(middles *sum, const middles *more)
{
    sum->least = gz_f4_min(sum->least, more->least);
    sum->most = gz_f4_max(sum->most, more->most);
}

static inline void clear_bins(many_bins *m, int bin_count)
{
    for (int i = 0; i < bin_count; ++i) {
        m->bins[0][i] = m->bins[1][i] = nothing;
        m->between[0][i] = m->between[1][i] = (middles){most_of_all, -most_of_all};
    }
}

// The best split, and all of both sides but where they begin.
static inline split split_bins(many_bins *m, int bin_count, int axis, gz_range *lower,
                               gz_range *upper)
{
    split best = {-1, 0, FLT_MAX};
    middles below = {most_of_all, -most_of_all}, above = below;
    for (int i = 0; i < bin_count; ++i) {
        join_bin(&m->bins[0][i], &m->bins[1][i]);
        join_middles(&m->between[0][i], &m->between[1][i]);
    }
    try_axis(m->bins[0], bin_count, axis, &best);
    if (best.axis < 0)
        return best;
    set_boxes(m->bins[0], bin_count, best.bin, lower, upper);
    for (int i = 0; i < bin_count; ++i)
        join_middles(i < best.bin ? &below : &above, &m->between[0][i]);
    lower->least = below.least;
    lower->most = below.most;
    upper->least = above.least;
    upper->most = above.most;
    return best;
}

#endif
