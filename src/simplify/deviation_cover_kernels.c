// Which triangles of a set are over a triangle, and which is nearest to a point? See
// deviation_cover.h. This file is compiled once for each SIMD width.
//
// Each triangle of `from` streams through nine rows of the set, which stay in the first cache for
// all triangles of a group. Most lanes are outside and cost the three coordinates of their corners.
#include "simplify/deviation_cover.h"

#include "base/simd.h"

#define GLUE(name, width)          name##_##width
#define GLUE_EXPANDED(name, width) GLUE(name, width)
#define KERNEL(name)               GLUE_EXPANDED(name, GZ_WIDTH)

typedef struct corner {
    gz_fw u, v, w, h; // w is 1 - u - v and more than its rounding
} corner;

static inline gz_fw along(const float row[4], gz_fw x, gz_fw y, gz_fw z)
{
    gz_fw sum = gz_fw_add(gz_fw_mul(gz_fw_all(row[0]), x), gz_fw_mul(gz_fw_all(row[1]), y));
    return gz_fw_add(gz_fw_add(sum, gz_fw_mul(gz_fw_all(row[2]), z)), gz_fw_all(row[3]));
}

static inline corner place(const gz_cover_set *set, const gz_cover_frame *f, int k, uint32_t first)
{
    gz_fw x = gz_fw_load(&set->corner[k][0][first]);
    gz_fw y = gz_fw_load(&set->corner[k][1][first]);
    gz_fw z = gz_fw_load(&set->corner[k][2][first]);
    corner c = {.u = along(f->u, x, y, z), .v = along(f->v, x, y, z), .h = along(f->h, x, y, z)};
    gz_fw size = gz_fw_add(gz_fw_abs(c.u), gz_fw_abs(c.v));
    c.w = gz_fw_add(gz_fw_sub(gz_fw_sub(gz_fw_all(1), c.u), c.v),
                    gz_fw_mul(size, gz_fw_all(0x1p-21f)));
    return c;
}

static inline gz_fw most(gz_fw a, gz_fw b, gz_fw c) { return gz_fw_max(gz_fw_max(a, b), c); }
static inline gz_fw least(gz_fw a, gz_fw b, gz_fw c) { return gz_fw_min(gz_fw_min(a, b), c); }

// Nothing between these corners meets Q. Rounding of w is below half the shrinking.
static inline gz_mw misses(const gz_cover_frame *f, const corner *a, const corner *b,
                           const corner *c)
{
    gz_fw shrink = gz_fw_all(f->shrink), height = gz_fw_all(f->height);
    gz_mw beside = gz_mw_or(gz_fw_less(most(a->u, b->u, c->u), shrink),
                            gz_fw_less(most(a->v, b->v, c->v), shrink));
    beside = gz_mw_or(beside, gz_fw_less(most(a->w, b->w, c->w), gz_fw_all(f->shrink * 0.5f)));
    gz_mw beyond = gz_mw_or(gz_fw_less(height, least(a->h, b->h, c->h)),
                            gz_fw_less(most(a->h, b->h, c->h), gz_fw_all(-f->height)));
    return gz_mw_or(beside, beyond);
}

// On which side of the edge is the point? With s the largest coordinate and 1, products are below
// 2 s^2 and off by three roundings; so the difference is off by less than 2^-20 s^2.
static inline gz_fw side_of(const gz_cover_frame *f, const corner *a, const corner *b)
{
    gz_fw left = gz_fw_mul(gz_fw_sub(b->u, a->u), gz_fw_sub(gz_fw_all(f->at[1]), a->v));
    gz_fw right = gz_fw_mul(gz_fw_sub(b->v, a->v), gz_fw_sub(gz_fw_all(f->at[0]), a->u));
    return gz_fw_sub(left, right);
}

static inline gz_fw size_of(const corner *c) { return gz_fw_max(gz_fw_abs(c->u), gz_fw_abs(c->v)); }

// Lanes that are over the point, and those of which it cannot be told.
static inline uint32_t over_point(const gz_cover_frame *f, const corner c[3], uint32_t *unsure)
{
    gz_fw size = gz_fw_add(most(size_of(c), size_of(c + 1), size_of(c + 2)), gz_fw_all(1));
    gz_fw error = gz_fw_mul(gz_fw_mul(size, size), gz_fw_all(0x1p-19f));
    gz_fw minus = gz_fw_sub(gz_fw_all(0), error);
    uint32_t left[3], right[3];
    for (int k = 0; k < 3; ++k) {
        gz_fw side = side_of(f, c + k, c + (k + 1) % 3);
        left[k] = gz_mw_bits(gz_fw_less(error, side));
        right[k] = gz_mw_bits(gz_fw_less(side, minus));
    }
    uint32_t over = (left[0] & left[1] & left[2]) | (right[0] & right[1] & right[2]);
    uint32_t not_over = (left[0] | left[1] | left[2]) & (right[0] | right[1] | right[2]);
    *unsure = ~over & ~not_over;
    return over;
}

static uint32_t open_edges(const gz_cover_set *set, const gz_cover_frame *f, const corner c[3],
                           uint32_t first, uint32_t lanes)
{
    uint32_t meet = 0;
    for (int k = 0; k < 3; ++k) {
        uint32_t open = (uint32_t)set->open[k][first / GZ_COVER_LANES] >> first % GZ_COVER_LANES;
        if ((open & lanes) != 0)
            meet |= open & lanes & ~gz_mw_bits(misses(f, c + k, c + (k + 1) % 3, c + k));
    }
    return meet;
}

static uint32_t near_blocks(const gz_cover_set *set, const gz_cover_frame *f)
{
    uint32_t near = 0;
    for (uint32_t block = 0; block * GZ_COVER_LANES < set->count; ++block) {
        const float *low = set->low[block], *high = set->high[block];
        uint32_t apart = (low[0] > f->high[0]) | (low[1] > f->high[1]) | (low[2] > f->high[2]) |
                         (high[0] < f->low[0]) | (high[1] < f->low[1]) | (high[2] < f->low[2]);
        near |= (apart ^ 1u) << block;
    }
    return near;
}

// Notes mixed lanes; false: there are too many.
static bool note_mixed(const corner c[3], uint32_t first, uint32_t mixed, uint32_t over,
                       uint32_t unsure, gz_cover_result *out)
{
    float numbers[12][GZ_LANES] __attribute__((aligned(64)));
    if (out->mixed_count + (uint32_t)__builtin_popcount(mixed) > GZ_COVER_MIXED)
        return false;
    for (int k = 0; k < 3; ++k) {
        gz_fw_store(numbers[k], c[k].u);
        gz_fw_store(numbers[3 + k], c[k].v);
        gz_fw_store(numbers[6 + k], c[k].w);
        gz_fw_store(numbers[9 + k], c[k].h);
    }
    for (; mixed != 0; mixed &= mixed - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mixed), n = out->mixed_count++;
        for (int k = 0; k < 3; ++k) {
            out->u[k][n] = numbers[k][lane];
            out->v[k][n] = numbers[3 + k][lane];
            out->w[k][n] = numbers[6 + k][lane];
            out->h[k][n] = numbers[9 + k][lane];
        }
        out->lane[n] = (uint16_t)(first + lane);
        out->inside |= (over >> lane & 1) << n;
        out->doubtful |= (unsure >> lane & 1) << n;
    }
    return true;
}

// How high a triangle is at most where x, given at its corners, is not negative. Where an edge
// passes 0, the fraction is off by three roundings of itself, and heights by five of the largest.
static inline gz_fw highest_beyond(const gz_fw x[3], const gz_fw h[3], gz_fw most_high)
{
    gz_fw zero = gz_fw_all(0), high = zero;
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        gz_mw here = gz_fw_less(x[k], zero), there = gz_fw_less(x[next], zero);
        gz_fw t = gz_fw_div(x[k], gz_fw_sub(x[k], x[next]));
        gz_fw between = gz_fw_add(h[k], gz_fw_mul(t, gz_fw_sub(h[next], h[k])));
        between = gz_fw_abs(gz_fw_select(here, gz_fw_select(there, zero, between),
                                         gz_fw_select(there, between, zero)));
        high = most(high, between, gz_fw_select(here, zero, gz_fw_abs(h[k])));
    }
    return gz_fw_add(high, gz_fw_mul(most_high, gz_fw_all(0x1p-20f)));
}

// All of T is beyond an edge of a triangle, on the side where the triangle is not. The number is
// linear, so the corners of T decide; errors are those of over_point.
static inline gz_mw is_beside(const gz_fw u[3], const gz_fw v[3])
{
    gz_fw zero = gz_fw_all(0), size = gz_fw_all(0);
    for (int k = 0; k < 3; ++k)
        size = most(size, gz_fw_abs(u[k]), gz_fw_abs(v[k]));
    size = gz_fw_add(size, gz_fw_all(1));
    gz_fw error = gz_fw_mul(gz_fw_mul(size, size), gz_fw_all(0x1p-19f));
    gz_fw minus = gz_fw_sub(zero, error);
    gz_mw beside = gz_fw_less(zero, zero);
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        gz_fw du = gz_fw_sub(u[next], u[k]), dv = gz_fw_sub(v[next], v[k]);
        gz_fw area = gz_fw_sub(gz_fw_mul(du, gz_fw_sub(v[last], v[k])),
                               gz_fw_mul(dv, gz_fw_sub(u[last], u[k])));
        gz_fw origin = gz_fw_sub(gz_fw_mul(dv, u[k]), gz_fw_mul(du, v[k]));
        gz_fw first = gz_fw_sub(origin, dv), second = gz_fw_add(origin, du);
        gz_mw left =
            gz_mw_and(gz_fw_less(error, area), gz_fw_less(most(origin, first, second), minus));
        gz_mw right =
            gz_mw_and(gz_fw_less(area, minus), gz_fw_less(error, least(origin, first, second)));
        beside = gz_mw_or(beside, gz_mw_or(left, right));
    }
    return beside;
}

// Which of the mixed triangles are not over T at all, and which of them are within H where they may
// be: on the right side of one edge of T, that which cuts most off.
static void settle_mixed(const gz_cover_frame *frame, gz_cover_result *out)
{
    for (uint32_t first = 0; first < out->mixed_count; first += GZ_LANES) {
        gz_fw u[3], v[3], w[3], h[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = gz_fw_load(&out->u[k][first]);
            v[k] = gz_fw_load(&out->v[k][first]);
            w[k] = gz_fw_load(&out->w[k][first]);
            h[k] = gz_fw_load(&out->h[k][first]);
        }
        gz_fw all = most(gz_fw_abs(h[0]), gz_fw_abs(h[1]), gz_fw_abs(h[2]));
        gz_fw high =
            least(highest_beyond(u, h, all), highest_beyond(v, h, all), highest_beyond(w, h, all));
        gz_fw_store(&out->high[first], high);
        uint32_t settled = gz_mw_bits(gz_fw_less(high, gz_fw_all(frame->height)));
        uint32_t beside = gz_mw_bits(is_beside(u, v)), used = out->mixed_count - first;
        uint32_t lanes = (uint32_t)((UINT64_C(1) << (used < GZ_LANES ? used : GZ_LANES)) - 1);
        out->beside |= (beside & lanes) << first;
        out->settled |= (settled & ~beside & lanes) << first;
    }
}

void KERNEL(gz_cover_kernel)(const gz_cover_set *set, const gz_cover_frame *frame,
                             gz_cover_result *out)
{
    const uint32_t every = (uint32_t)((UINT64_C(1) << GZ_LANES) - 1);
    gz_fw height = gz_fw_all(0);
    float heights[GZ_LANES] __attribute__((aligned(64)));
    out->mixed_count = out->inside = out->doubtful = out->settled = out->beside = out->over = 0;
    out->height = 0;
    out->open = true;
    out->unsure = false;
    for (uint32_t block = 0; block * GZ_COVER_LANES < set->count; ++block)
        out->meeting[block] = 0;
    uint32_t blocks = near_blocks(set, frame);
    for (uint32_t first = 0; first < set->count; first += GZ_LANES) {
        if ((blocks >> first / GZ_COVER_LANES & 1) == 0)
            continue;
        corner c[3] = {place(set, frame, 0, first), place(set, frame, 1, first),
                       place(set, frame, 2, first)};
        gz_mw apart = misses(frame, c, c + 1, c + 2);
        uint32_t lanes = ~gz_mw_bits(apart) & every;
        if (set->count - first < GZ_LANES)
            lanes &= every >> (GZ_LANES - (set->count - first));
        if (lanes == 0)
            continue;
        if (open_edges(set, frame, c, first, lanes) != 0)
            return;
        gz_fw here = most(gz_fw_abs(c[0].h), gz_fw_abs(c[1].h), gz_fw_abs(c[2].h));
        gz_mw high = gz_fw_less(gz_fw_all(frame->fine), here);
        uint32_t unsure, over = over_point(frame, c, &unsure), mixed = lanes & gz_mw_bits(high);
        height = gz_fw_max(height, gz_fw_select(gz_mw_or(high, apart), gz_fw_all(0), here));
        out->over += (uint32_t)__builtin_popcount(over & lanes & ~mixed);
        out->unsure = out->unsure || (unsure & lanes & ~mixed) != 0;
        uint16_t *meeting = &out->meeting[first / GZ_COVER_LANES];
        *meeting = (uint16_t)(*meeting | (lanes & ~mixed) << first % GZ_COVER_LANES);
        if (mixed != 0 && !note_mixed(c, first, mixed, over, unsure, out))
            return;
    }
    out->open = false;
    settle_mixed(frame, out);
    gz_fw_store(heights, height);
    for (int lane = 0; lane < GZ_LANES; ++lane)
        out->height = heights[lane] > out->height ? heights[lane] : out->height;
}

// --- The nearest triangle, in plain float arithmetic: a hint and no proof

typedef struct vector {
    gz_fw x, y, z;
} vector;

static inline vector away(const gz_cover_set *set, int k, uint32_t first, const float p[3])
{
    return (vector){gz_fw_sub(gz_fw_load(&set->corner[k][0][first]), gz_fw_all(p[0])),
                    gz_fw_sub(gz_fw_load(&set->corner[k][1][first]), gz_fw_all(p[1])),
                    gz_fw_sub(gz_fw_load(&set->corner[k][2][first]), gz_fw_all(p[2]))};
}

static inline vector minus(vector a, vector b)
{
    return (vector){gz_fw_sub(a.x, b.x), gz_fw_sub(a.y, b.y), gz_fw_sub(a.z, b.z)};
}

static inline gz_fw times(vector a, vector b)
{
    return gz_fw_add(gz_fw_add(gz_fw_mul(a.x, b.x), gz_fw_mul(a.y, b.y)), gz_fw_mul(a.z, b.z));
}

static inline vector further(vector a, gz_fw t, vector way)
{
    return (vector){gz_fw_add(a.x, gz_fw_mul(t, way.x)), gz_fw_add(a.y, gz_fw_mul(t, way.y)),
                    gz_fw_add(a.z, gz_fw_mul(t, way.z))};
}

// The square of the distance of a segment from the origin. A segment of no length has a fraction of
// NaN, which the comparisons turn into 1.
static inline gz_fw segment_square(vector a, vector way, gz_fw along, gz_fw square)
{
    gz_fw t = gz_fw_min(gz_fw_max(gz_fw_div(along, square), gz_fw_all(0)), gz_fw_all(1));
    vector p = further(a, t, way);
    return times(p, p);
}

uint32_t KERNEL(gz_near_kernel)(const gz_cover_set *set, const float p[3])
{
    float squares[GZ_LANES] __attribute__((aligned(64))), best = -1;
    uint32_t lane = 0;
    gz_fw zero = gz_fw_all(0), bar = gz_fw_all(3e38f);
    for (uint32_t first = 0; first < set->count; first += GZ_LANES) {
        vector a = away(set, 0, first, p), b = away(set, 1, first, p), c = away(set, 2, first, p);
        vector ab = minus(b, a), ac = minus(c, a), bc = minus(c, b);
        gz_fw d1 = gz_fw_sub(zero, times(ab, a)), d2 = gz_fw_sub(zero, times(ac, a));
        gz_fw d3 = gz_fw_sub(zero, times(bc, b));
        gz_fw bb = times(ab, ab), mixed = times(ab, ac), cc = times(ac, ac), ee = times(bc, bc);
        gz_fw v = gz_fw_sub(gz_fw_mul(cc, d1), gz_fw_mul(mixed, d2));
        gz_fw w = gz_fw_sub(gz_fw_mul(bb, d2), gz_fw_mul(mixed, d1));
        gz_fw all = gz_fw_sub(gz_fw_mul(bb, cc), gz_fw_mul(mixed, mixed));
        gz_mw in = gz_mw_and(gz_mw_and(gz_fw_less(zero, v), gz_fw_less(zero, w)),
                             gz_fw_less(gz_fw_add(v, w), all));
        vector inner = further(further(a, gz_fw_div(v, all), ab), gz_fw_div(w, all), ac);
        gz_fw border = least(segment_square(a, ab, d1, bb), segment_square(a, ac, d2, cc),
                             segment_square(b, bc, d3, ee));
        gz_fw square = gz_fw_select(in, times(inner, inner), border);
        uint32_t better = gz_mw_bits(gz_fw_less(square, bar));
        if (better == 0)
            continue;
        gz_fw_store(squares, square);
        for (; better != 0; better &= better - 1) {
            uint32_t k = (uint32_t)__builtin_ctz(better);
            // Lanes beyond the last repeat it, and are not nearer.
            if (best < 0 || squares[k] < best) {
                best = squares[k];
                lane = first + k;
            }
        }
        bar = gz_fw_all(best);
    }
    return lane < set->count ? lane : set->count - 1;
}
