// The wide parts of culling. See cull_kernels.h; this file is compiled once for each SIMD width.
#include "cull/cull_kernels.h"

#include <float.h>
#include <string.h>

#include "geometry/triangle_lanes.h"

#define GLUE(name, width)          name##_##width
#define GLUE_EXPANDED(name, width) GLUE(name, width)
#define KERNEL(name)               GLUE_EXPANDED(name, GZ_WIDTH)

// --- Bounds. Coordinates x, y, z, x, ... are taken as they come, three registers at a time, so
// that each lane sees one axis only.

static bool bounds(const float *points, uint64_t count, float low[3], float high[3])
{
    const float far = __builtin_inff();
    float least[3 * GZ_LANES], most[3 * GZ_LANES], zeros[GZ_LANES];
    uint64_t numbers = 3 * count, done = 0;
    gz_fw lows[3], highs[3], finite = gz_fw_all(0);
    for (int k = 0; k < 3; ++k) {
        lows[k] = gz_fw_all(far);
        highs[k] = gz_fw_all(-far);
    }
    for (; numbers - done >= 3 * GZ_LANES; done += 3 * GZ_LANES)
        for (int k = 0; k < 3; ++k) {
            gz_fw x = gz_fw_load_anywhere(points + done + k * GZ_LANES);
            lows[k] = gz_fw_min(lows[k], x);
            highs[k] = gz_fw_max(highs[k], x);
            finite = gz_fw_add(finite, gz_fw_sub(x, x)); // NaN for what is not finite
        }
    for (int k = 0; k < 3; ++k) {
        gz_fw_store_anywhere(least + k * GZ_LANES, lows[k]);
        gz_fw_store_anywhere(most + k * GZ_LANES, highs[k]);
    }
    gz_fw_store_anywhere(zeros, finite);
    float sum = 0;
    for (int lane = 0; lane < GZ_LANES; ++lane)
        sum += zeros[lane];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = far;
        high[axis] = -far;
    }
    for (int i = 0; i < 3 * GZ_LANES; ++i) {
        low[i % 3] = least[i] < low[i % 3] ? least[i] : low[i % 3];
        high[i % 3] = most[i] > high[i % 3] ? most[i] : high[i % 3];
    }
    for (; done < numbers; ++done) {
        float x = points[done];
        low[done % 3] = x < low[done % 3] ? x : low[done % 3];
        high[done % 3] = x > high[done % 3] ? x : high[done % 3];
        sum += x - x;
    }
    return sum == 0;
}

// --- Boxes against boxes

typedef struct wide_box {
    gz_fw low[3], high[3];
} wide_box;

static inline wide_box spread_box(const gz_cull_box *box)
{
    wide_box wide;
    for (int axis = 0; axis < 3; ++axis) {
        wide.low[axis] = gz_fw_all(box->low[axis]);
        wide.high[axis] = gz_fw_all(box->high[axis]);
    }
    return wide;
}

// Which of sixteen boxes overlap one?
static inline uint32_t overlaps(const wide_box *one, const float low[3][16],
                                const float high[3][16])
{
    uint32_t bits = 0;
    for (int first = 0; first < 16; first += GZ_LANES) {
        gz_mw over = gz_mw_all();
        for (int axis = 0; axis < 3; ++axis) {
            over = gz_fw_not_less(over, one->high[axis], gz_fw_load(&low[axis][first]));
            over = gz_fw_not_less(over, gz_fw_load(&high[axis][first]), one->low[axis]);
        }
        bits |= gz_mw_bits(over) << first;
    }
    return bits;
}

static inline gz_cull_box lane_box(const float low[3][16], const float high[3][16], uint32_t lane)
{
    return (gz_cull_box){{low[0][lane], low[1][lane], low[2][lane], 0},
                         {high[0][lane], high[1][lane], high[2][lane], 0}};
}

static uint64_t shrink(const gz_cull_row *rows, uint32_t row_count, const gz_cull_box *region,
                       gz_cull_box *out)
{
    uint64_t count = 0;
    wide_box wide = spread_box(region);
    *out = gz_cull_box_none();
    for (uint32_t r = 0; r < row_count; ++r)
        for (uint32_t bits = overlaps(&wide, rows[r].low, rows[r].high); bits != 0;
             bits &= bits - 1) {
            gz_cull_box box = lane_box(rows[r].low, rows[r].high, (uint32_t)__builtin_ctz(bits));
            gz_cull_boxes_cut(&box, region);
            gz_cull_boxes_join(out, &box);
            ++count;
        }
    return count;
}

// --- Pairs of triangles. A group of A meets tiers, then rows, then groups of B. Of two groups,
// triangles take part that reach into what both boxes have in common.

// A group, and which of its triangles take part: a word of bits a block.
typedef struct chosen {
    const gz_cull_block *blocks;
    uint32_t block_count;
    uint32_t bits[GZ_CULL_GROUP / GZ_CULL_BLOCK];
} chosen;

static inline uint32_t choose(const wide_box *region, const gz_cull_block *blocks,
                              uint32_t triangle_count, chosen *out)
{
    uint32_t any = 0;
    out->blocks = blocks;
    out->block_count = (triangle_count + GZ_CULL_BLOCK - 1) / GZ_CULL_BLOCK;
    for (uint32_t k = 0; k < out->block_count; ++k) {
        out->bits[k] = overlaps(region, blocks[k].low, blocks[k].high);
        any |= out->bits[k];
    }
    return any;
}

static inline void emit(gz_cull_worker *worker, uint32_t a, const gz_cull_block *block,
                        uint32_t bits)
{
    for (; bits != 0; bits &= bits - 1)
        worker->pairs[worker->pair_count++] = (graze_pair){a, block->triangle[__builtin_ctz(bits)]};
}

// Within one group each pair comes once: lanes behind the triangle's own.
static void join_groups(gz_cull_worker *worker, const chosen *a, const chosen *b, bool same)
{
    for (uint32_t k = 0; k < a->block_count && !worker->stop; ++k)
        for (uint32_t lanes = a->bits[k]; lanes != 0; lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            gz_cull_box box = lane_box(a->blocks[k].low, a->blocks[k].high, lane);
            wide_box wide = spread_box(&box);
            for (uint32_t l = same ? k : 0; l < b->block_count; ++l) {
                uint32_t bits = b->bits[l];
                if (bits == 0)
                    continue;
                if (same && l == k)
                    bits &= ~UINT32_C(1) << lane;
                bits &= overlaps(&wide, b->blocks[l].low, b->blocks[l].high);
                emit(worker, a->blocks[k].triangle[lane], &b->blocks[l], bits);
            }
            if (worker->pair_count > GZ_CULL_BUFFER - GZ_CULL_GROUP)
                gz_cull_test(worker);
        }
}

static void join_row(gz_cull_worker *worker, const gz_cull_row *row_a, uint32_t lane_a,
                     const gz_cull_box *box, const wide_box *wide, const gz_cull_row *row_b)
{
    uint32_t lanes = overlaps(wide, row_b->low, row_b->high);
    if (worker->self && row_a == row_b)
        lanes &= ~UINT32_C(0) << lane_a;
    for (; lanes != 0 && !worker->stop; lanes &= lanes - 1) {
        uint32_t lane_b = (uint32_t)__builtin_ctz(lanes);
        gz_cull_box region = lane_box(row_b->low, row_b->high, lane_b);
        gz_cull_boxes_cut(&region, box);
        wide_box wide_region = spread_box(&region);
        chosen a, b;
        if (choose(&wide_region, worker->blocks + row_a->first[lane_a], row_a->count[lane_a], &a) ==
                0 ||
            choose(&wide_region, worker->blocks + row_b->first[lane_b], row_b->count[lane_b], &b) ==
                0)
            continue;
        join_groups(worker, &a, &b, worker->self && row_a == row_b && lane_a == lane_b);
    }
}

static void join(gz_cull_worker *worker)
{
    const gz_cull_side *b = &worker->b;
    wide_box region = spread_box(&worker->region);
    for (uint32_t r = 0; r < worker->task->rows && !worker->stop; ++r) {
        uint32_t number = worker->task->first_row + r;
        const gz_cull_row *row = &worker->a.rows[number];
        for (uint32_t lanes = overlaps(&region, row->low, row->high); lanes != 0;
             lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            gz_cull_box box = lane_box(row->low, row->high, lane);
            gz_cull_boxes_cut(&box, &worker->region);
            wide_box wide = spread_box(&box);
            for (uint32_t t = worker->self ? number / GZ_CULL_ROW : 0; t < b->tier_count; ++t) {
                uint32_t rows = overlaps(&wide, b->tiers[t].low, b->tiers[t].high);
                if (worker->self && t == number / GZ_CULL_ROW)
                    rows &= ~UINT32_C(0) << number % GZ_CULL_ROW;
                for (; rows != 0; rows &= rows - 1)
                    join_row(worker, row, lane, &box, &wide,
                             &b->rows[t * GZ_CULL_ROW + (uint32_t)__builtin_ctz(rows)]);
            }
        }
    }
}

// --- Triangles against triangles. Coordinates are off by ROUNDING of themselves, and FLT_MIN.

#define ROUNDING   (0x1p-24f * 1.001f)
#define CROSS_TINY 0x1p-100f // more than underflow adds to what is certain of a cross product

static inline vector load_corner(const float from[3][16], int first)
{
    return (vector){gz_fw_load(&from[0][first]), gz_fw_load(&from[1][first]),
                    gz_fw_load(&from[2][first])};
}

static inline m equal_numbers(f a, f b)
{
    return gz_fw_not_less(gz_fw_not_less(gz_mw_all(), a, b), b, a);
}
static inline m equal_points(vector a, vector b)
{
    return both(both(equal_numbers(a.x, b.x), equal_numbers(a.y, b.y)), equal_numbers(a.z, b.z));
}

// Triangles in one plane leave all determinants open, however far apart they are. Seen along an
// axis, the line along an edge of one has the other one on its far side, strictly: then they share
// nothing. With M the largest coordinate, coordinates are off by 1.001 e M and FLT_MIN, and
// differences of two, which are at most 2 M, by 4.01 e M, rounding included. A product of two
// differences is off by 20.1 e M^2, and a difference of two products, which is at most 8 M^2,
// by 48.2 e M^2; taken as 64.

#define LINE_ERROR (64 * EPSILON)

// Which lanes have u on the far side of an edge of t?
static m beyond_an_edge(const f t[3][2], const f u[3][2], f bound)
{
    m apart = less(all(0), all(0));
    f minus_bound = negate(bound);
    for (int k = 0; k < 3; ++k) {
        const f *from = t[k], *to = t[(k + 1) % 3], *third = t[(k + 2) % 3];
        f x = sub(to[0], from[0]), y = sub(to[1], from[1]);
        f own = sub(mul(x, sub(third[1], from[1])), mul(y, sub(third[0], from[0])));
        m above = less(own, minus_bound), below = less(bound, own); // where u must be
        for (int i = 0; i < 3; ++i) {
            f side = sub(mul(x, sub(u[i][1], from[1])), mul(y, sub(u[i][0], from[0])));
            above = both(above, less(bound, side));
            below = both(below, less(side, minus_bound));
        }
        apart = either(apart, either(above, below));
    }
    return apart;
}

static uint32_t apart_along_axes(const vector a[3], const vector b[3], f largest)
{
    f bound = add(mul(mul(largest, largest), all(LINE_ERROR)), all(CROSS_TINY));
    uint32_t apart = 0;
    for (int axis = 0; axis < 3; ++axis) {
        f t[3][2], u[3][2];
        for (int i = 0; i < 3; ++i) {
            t[i][0] = axis == 0 ? a[i].y : axis == 1 ? a[i].z : a[i].x;
            t[i][1] = axis == 0 ? a[i].z : axis == 1 ? a[i].x : a[i].y;
            u[i][0] = axis == 0 ? b[i].y : axis == 1 ? b[i].z : b[i].x;
            u[i][1] = axis == 0 ? b[i].z : axis == 1 ? b[i].x : b[i].y;
        }
        apart |= gz_mw_bits(beyond_an_edge(t, u, bound)) | gz_mw_bits(beyond_an_edge(u, t, bound));
    }
    return apart;
}

static gz_lanes meet(const gz_cull_lanes16 *pairs, uint32_t *equal)
{
    const uint32_t every = (UINT32_C(1) << GZ_LANES) - 1;
    gz_lanes lanes = {0, 0};
    vector zero = {all(0), all(0), all(0)};
    uint32_t equals = 0;
    for (int first = 0; first < 16; first += GZ_LANES) {
        vector a1 = load_corner(pairs->a[0], first), a2 = load_corner(pairs->a[1], first);
        vector b[3] = {load_corner(pairs->b[0], first), load_corner(pairs->b[1], first),
                       load_corner(pairs->b[2], first)};
        f largest = largest3(a1, a2, a2);
        lane_errors error = {add(mul(all(ROUNDING), largest), all(FLT_MIN)), all(ROUNDING),
                             all(FLT_MIN)};
        gz_lanes part = meet_lanes(a1, a2, b, error, NULL);
        if (((part.yes | part.no) & every) != every) {
            const vector a[3] = {zero, a1, a2};
            f most = max2(largest, largest3(b[0], b[1], b[2]));
            part.no |= apart_along_axes(a, b, most) & ~part.yes;
        }
        lanes.yes |= part.yes << first;
        lanes.no |= part.no << first;
        if (equal != NULL)
            for (int i = 0; i < 3; ++i)
                equals |= (gz_mw_bits(equal_points(b[i], zero)) |
                           gz_mw_bits(equal_points(b[i], a1)) | gz_mw_bits(equal_points(b[i], a2)))
                          << first;
    }
    if (equal != NULL)
        *equal = equals;
    return lanes;
}

static gz_lanes within(const gz_cull_lanes16 *pairs, float tolerance_low, float tolerance_high)
{
    static const float origin[3] = {0, 0, 0};
    gz_lanes lanes = {0, 0};
    for (int first = 0; first < 16; first += GZ_LANES) {
        vector a[3] = {spread(origin), load_corner(pairs->a[0], first),
                       load_corner(pairs->a[1], first)};
        vector b[3] = {load_corner(pairs->b[0], first), load_corner(pairs->b[1], first),
                       load_corner(pairs->b[2], first)};
        gz_lanes part = within_lanes(a, b, all(tolerance_low), all(tolerance_high));
        lanes.yes |= part.yes << first;
        lanes.no |= part.no << first;
    }
    return lanes;
}

// --- Triangles T and U with a common corner, which is the origin: t0, t1, u0 and u1 are the
// others. They share nothing else if
//   - u0 and u1 are on one side of the plane of T, strictly, or t0 and t1 of that of U; or
//   - seen along an axis, the line along an edge of one, as t0, has u0 and u1 on one side,
//   strictly,
//     and t1 on the other: what they share is on the line, where U has the origin only.
// If t0 and u0 are the same, they share no more than this edge if
//   - u1 is not in the plane of T; or
//   - seen along an axis, t1 and u1 are on different sides of the line along t0, strictly.
// Each coordinate is off by e = 2^-24 of itself, at most 1.001 times, and FLT_MIN. A product of two
// is then off by 3.1 e of itself, and a difference of two by 4.2 e of the sum of their sizes; taken
// as 6. A product with a third, and the sum of three of them: 9 e of the sum of all six sizes;
// taken as 12. What underflow adds is far less than the absolute terms, as coordinates are at most
// 2^18.

#define CROSS_ERROR (6 * EPSILON)
#define DET_ERROR   (12 * EPSILON)
#define DET_TINY    0x1p-80f

// The components of a x b, and the sums of the sizes of the products that they are made of.
typedef struct product {
    f value[3], size[3];
} product;

static inline product multiply(const f a[3], const f b[3])
{
    product out;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        f first = mul(a[j], b[k]), second = mul(a[k], b[j]);
        out.value[i] = sub(first, second);
        out.size[i] = add(gz_fw_abs(first), gz_fw_abs(second));
    }
    return out;
}

typedef struct side {
    m above, below; // certainly
} side;

static inline side side_of(f value, f size, float relative, float tiny)
{
    f bound = add(mul(size, all(relative)), all(tiny));
    return (side){less(bound, value), less(value, negate(bound))};
}

static inline side component(const product *p, int axis)
{
    return side_of(p->value[axis], p->size[axis], CROSS_ERROR, CROSS_TINY);
}

static inline side determinant(const product *p, const f a[3])
{
    f value = all(0), size = all(0);
    for (int i = 0; i < 3; ++i) {
        value = add(value, mul(a[i], p->value[i]));
        size = add(size, mul(gz_fw_abs(a[i]), p->size[i]));
    }
    return side_of(value, size, DET_ERROR, DET_TINY);
}

static inline m same_side(side a, side b)
{
    return either(both(a.above, b.above), both(a.below, b.below));
}
// Of the difference of two components: their errors add up, and it is rounded once more.
static inline side difference(const product *p, const product *q, int axis)
{
    return side_of(sub(p->value[axis], q->value[axis]), add(p->size[axis], q->size[axis]),
                   CROSS_ERROR + 2 * EPSILON, 2 * CROSS_TINY);
}
static inline m other_side(side a, side b)
{
    return either(both(a.above, b.below), both(a.below, b.above));
}

static uint32_t spread_out(const gz_cull_fans16 *fans, uint32_t edges)
{
    uint32_t proved = 0;
    for (int first = 0; first < 16; first += GZ_LANES) {
        f t[2][3], u[2][3];
        for (int k = 0; k < 2; ++k)
            for (int axis = 0; axis < 3; ++axis) {
                t[k][axis] = gz_fw_load(&fans->t[k][axis][first]);
                u[k][axis] = gz_fw_load(&fans->u[k][axis][first]);
            }
        product own_t = multiply(t[0], t[1]), own_u = multiply(u[0], u[1]);
        product t0u0 = multiply(t[0], u[0]), t0u1 = multiply(t[0], u[1]);
        product t1u0 = multiply(t[1], u[0]), t1u1 = multiply(t[1], u[1]);
        side u0 = determinant(&own_t, u[0]), u1 = determinant(&own_t, u[1]);
        m corners = either(same_side(u0, u1),
                           same_side(determinant(&own_u, t[0]), determinant(&own_u, t[1])));
        m along_edge = either(u1.above, u1.below);
        for (int axis = 0; axis < 3; ++axis) {
            side tt = component(&own_t, axis), uu = component(&own_u, axis);
            side p00 = component(&t0u0, axis), p01 = component(&t0u1, axis);
            side p10 = component(&t1u0, axis), p11 = component(&t1u1, axis);
            // Sides are those of the second one, as seen along the first: u's along t0, t1, and
            // with the signs turned t's along u0, u1; t0 along t1 is t1 along t0 with its sign
            // turned.
            m along_t0 = both(same_side(p00, p01), other_side(tt, p00));
            m along_t1 = both(same_side(p10, p11), same_side(tt, p10));
            m along_u0 = both(same_side(p00, p10), same_side(uu, p00));
            m along_u1 = both(same_side(p01, p11), other_side(uu, p01));
            corners =
                either(corners, either(either(along_t0, along_t1), either(along_u0, along_u1)));
            side beyond0 = difference(&t1u0, &t0u0, axis), beyond1 = difference(&t1u1, &t0u1, axis);
            side within0 = difference(&t0u0, &t0u1, axis), within1 = difference(&t1u0, &t1u1, axis);
            corners = either(corners, both(same_side(beyond0, tt), same_side(beyond1, tt)));
            corners = either(corners, both(same_side(within0, uu), same_side(within1, uu)));
            along_edge = either(along_edge, other_side(tt, p01));
        }
        uint32_t lanes = edges >> first;
        proved |= ((gz_mw_bits(corners) & ~lanes) | (gz_mw_bits(along_edge) & lanes)) << first;
    }
    return proved & 0xffffu;
}

extern const gz_cull_kernels KERNEL(gz_cull_kernels);
const gz_cull_kernels KERNEL(gz_cull_kernels) = {bounds, shrink, join, meet, spread_out, within};
