// The search for the closest triangles of two trees. Compiled once for each SIMD width.
//
// Pairs of boxes wait in a heap, the closest first. A pair of nodes becomes up to 64 pairs of their
// children; the distance of two boxes is at least the gap along the axes of either frame, or along
// the direction of the closest pair so far, whichever is larger. That direction is nearly the best
// for all that is nearly as close, so its gap is what counts where surfaces face each other. There
// it is taken between what is in the boxes, as tree_heights.h finds it. Two leaves give candidates,
// with bounds in float on their distances; the smallest upper bound ends the search when no box is
// closer. Which of the candidates is the closest is decided exactly, by the caller.
#include "base/heap.h"
#include "boxtree/tree_distance.h"
#include "boxtree/tree_heights.h"
#include "boxtree/tree_lanes.h"

#define LOOSER 1e-6 // more than all relative roundings of a bound, and what a rotation may be off

// Two children, of a node of A and a node of B.
typedef struct gz_waiting_nodes {
    float bound; // in the units of A's rows
    uint32_t node_a, node_b;
    uint16_t lane_a, lane_b;
} waiting;

GZ_HEAP(heap, waiting, bound, <)

static bool wait(gz_distance_query *query, waiting w)
{
    if (heap_push(query->context, GZ_ITEMS(&query->heap), &w))
        return true;
    query->status = GRAZE_ERROR_MEMORY;
    query->stopped = true;
    return false;
}

// Gaps between the probe and eight boxes along three of its axes, squared and summed.
static inline void gaps(const gz_f8 high[3], const gz_f8 low[3], const float row[3][ROWS],
                        float out[GZ_WIDE])
{
    for (int first = 0; first < GZ_WIDE; first += GZ_EIGHT) {
        gz_f8 sum = gz_f8_all(0);
        for (int axis = 0; axis < 3; ++axis) {
            gz_f8 above = gz_f8_sub(gz_f8_load(&row[axis][GZ_ROW_LOW(first)]), high[axis]);
            gz_f8 below = gz_f8_sub(gz_f8_load(&row[axis][GZ_ROW_HIGH(first)]), low[axis]);
            gz_f8 gap = gz_f8_max(gz_f8_max(above, below), gz_f8_all(0));
            sum = gz_f8_add(sum, gz_f8_mul(gap, gap));
        }
        gz_f8_store(&out[first], sum);
    }
}

// Not above the true root, where the sum of squares is infinite.
static inline float root_of(float squares)
{
    float root = sqrtf(squares);
    return root < 0x1p63f ? root : 0x1p63f;
}

// The direction in the frames of both trees, upward in A and downward in B, as floats: of length at
// most 1. Heights in both are in the units of A's rows.
typedef struct ray {
    slope a, b;
    float base;  // height of B's origin
    float slack; // of a gap along it
    bool known;  // false: there is none yet
} ray;

static ray make_ray(gz_distance_query *query)
{
    const gz_frames *frames = &query->frames;
    gz_height_row *rows = query->heights.items;
    slope any = {.number = query->direction_number, .looks = &query->counters.node_pairs};
    ray r = {.a = any, .b = any};
    r.a.tree = frames->a;
    r.b.tree = frames->b;
    r.a.rows = rows;
    r.b.rows = rows + (1u << GZ_HEIGHT_BITS);
    double ratio = frames->a->scale / frames->b->scale, base = 0;
    for (int i = 0; i < 3; ++i) {
        double along = 0;
        for (int k = 0; k < 3; ++k)
            along += frames->matrix[3 * k + i] * query->direction[k];
        r.a.direction[i] = (float)(query->direction[i] * (1 - LOOSER));
        r.b.direction[i] = (float)(-along * (1 - LOOSER) * ratio);
        base += query->direction[i] * (1 - LOOSER) * (double)frames->origin_b[i];
    }
    r.base = (float)base;
    r.slack = frames->slack;
    r.known = query->direction[0] != 0 || query->direction[1] != 0 || query->direction[2] != 0;
    return r;
}

// Between two children, along the ray. Their boxes reach as high and as deep as is told.
static inline float height_gap(const ray *along, uint32_t node_a, uint32_t lane_a, float top,
                               uint32_t node_b, uint32_t lane_b, float depth)
{
    if (!along->known)
        return 0;
    float gap = along->base - along->slack -
                child_height(&along->b, node_b, lane_b, depth, LOOK_AHEAD) -
                child_height(&along->a, node_a, lane_a, top, LOOK_AHEAD);
    return gap * (float)(1 - LOOSER);
}

static void open_nodes(gz_distance_query *query, uint32_t node_a, uint32_t lanes_a, uint32_t node_b,
                       uint32_t lanes_b)
{
    const gz_frames *frames = &query->frames;
    float turned[3][ROWS] __attribute__((aligned(64))), back[3][ROWS] __attribute__((aligned(64)));
    float room_a[3][ROWS] __attribute__((aligned(64))),
        room_b[3][ROWS] __attribute__((aligned(64)));
    const float(*a)[ROWS] = gz_tree_rows(frames->a, node_a, room_a);
    const float(*b)[ROWS] = gz_tree_rows(frames->b, node_b, room_b);
    transform_rows(b, frames->forth, frames->forth_low, frames->forth_high, turned);
    transform_rows(a, frames->back, frames->back_low, frames->back_high, back);
    query->counters.node_pairs++;
    ray along = make_ray(query);
    float depth[GZ_WIDE]; // of B's children, down from its origin
    for (uint32_t j = 0; j < GZ_WIDE; ++j)
        depth[j] = box_height(b, along.b.direction, j);
    float ratio = (float)(frames->a->scale / frames->b->scale);
    for (; lanes_a != 0; lanes_a &= lanes_a - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(lanes_a);
        probe p = make_probe(a, (const float(*)[ROWS])back, i);
        float here[GZ_WIDE] __attribute__((aligned(32))),
            there[GZ_WIDE] __attribute__((aligned(32)));
        gaps(p.high, p.low, (const float(*)[ROWS])turned, here);
        gaps(p.high + 3, p.low + 3, b, there);
        float top = box_height(a, along.a.direction, i);
        double most = query->most * frames->a->scale;
        for (uint32_t lanes = lanes_b; lanes != 0; lanes &= lanes - 1) {
            uint32_t j = (uint32_t)__builtin_ctz(lanes);
            float bound = larger(root_of(there[j]) * ratio, root_of(here[j]));
            bound = larger(bound, along.base - along.slack - depth[j] - top) * (float)(1 - LOOSER);
            if ((double)bound > most)
                continue;
            float gap = height_gap(&along, node_a, i, top, node_b, j, depth[j]);
            bound = larger(bound, gap);
            if ((double)bound <= most &&
                !wait(query, (waiting){bound, node_a, node_b, (uint16_t)i, (uint16_t)j}))
                return;
        }
    }
}

static inline vector pick(const float vertex[3][GZ_LEAF], const int32_t index[3][GZ_LEAF],
                          int corner, gz_iw triangle)
{
    gz_iw i = gz_iw_lookup(index[corner], triangle);
    return (vector){gz_fw_lookup(vertex[0], i), gz_fw_lookup(vertex[1], i),
                    gz_fw_lookup(vertex[2], i)};
}

// Rotations and scales of leaves do not turn it.
static void set_direction(gz_distance_query *query, vector w, uint32_t lane)
{
    float lanes[3][GZ_LANES] __attribute__((aligned(64)));
    gz_fw_store(lanes[0], w.x);
    gz_fw_store(lanes[1], w.y);
    gz_fw_store(lanes[2], w.z);
    double x = (double)lanes[0][lane], y = (double)lanes[1][lane], z = (double)lanes[2][lane];
    double length = sqrt(x * x + y * y + z * z);
    if (!(length > 0x1p-60 && length < 0x1p60))
        return; // any direction is safe, and the old one was good
    query->direction[0] = x / length;
    query->direction[1] = y / length;
    query->direction[2] = z / length;
    query->direction_number++;
}

// Heights of the triangles of a leaf along a direction: the lowest, or the highest, of each.
static inline void triangle_heights(const float vertex[3][GZ_LEAF], const int32_t index[3][GZ_LEAF],
                                    const float direction[3], bool lowest_ones, float out[GZ_LEAF])
{
    float height[GZ_LEAF] __attribute__((aligned(64)));
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_fw h = gz_fw_mul(gz_fw_all(direction[0]), gz_fw_load(&vertex[0][first]));
        h = gz_fw_add(h, gz_fw_mul(gz_fw_all(direction[1]), gz_fw_load(&vertex[1][first])));
        h = gz_fw_add(h, gz_fw_mul(gz_fw_all(direction[2]), gz_fw_load(&vertex[2][first])));
        gz_fw_store(&height[first], h);
    }
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_fw p = gz_fw_lookup(height, gz_iw_load(&index[0][first]));
        gz_fw q = gz_fw_lookup(height, gz_iw_load(&index[1][first]));
        gz_fw r = gz_fw_lookup(height, gz_iw_load(&index[2][first]));
        gz_fw_store(&out[first],
                    lowest_ones ? gz_fw_min(gz_fw_min(p, q), r) : gz_fw_max(gz_fw_max(p, q), r));
    }
}

// Keeps the candidates whose gap along the direction is not above the tolerance.
static void thin_out(const gz_distance_query *query, const ready_leaf *a, const turned_leaf *b,
                     float tolerance, candidates *c)
{
    float direction[3], top[GZ_LEAF] __attribute__((aligned(64))),
        bottom[GZ_LEAF] __attribute__((aligned(64)));
    float largest = 0;
    for (int i = 0; i < 3; ++i) {
        direction[i] = (float)(query->direction[i] * (1 - LOOSER));
        largest = larger(largest, fabsf(b->shift[i]));
    }
    triangle_heights(a->vertex, a->index, direction, false, top);
    triangle_heights((const float(*)[GZ_LEAF])b->vertex, (const int32_t(*)[GZ_LEAF])b->index,
                     direction, true, bottom);
    // Coordinates are off by the errors, and sums of three products by a few roundings of them.
    float limit = tolerance + 3 * (a->error + b->error) + 16 * EPSILON * (2 + largest);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        c->a[kept] = c->a[i];
        c->b[kept] = c->b[i];
        kept += !(bottom[c->b[i]] - top[c->a[i]] > limit);
    }
    c->count = kept;
    memset(&c->a[kept], 0, GZ_LEAF);
    memset(&c->b[kept], 0, GZ_LEAF);
}

static void measure_some(gz_distance_query *query, const ready_leaf *a, const turned_leaf *b,
                         uint32_t leaf_b, const candidates *c, uint32_t from)
{
    uint32_t count = c->count - from < GZ_LANES ? c->count - from : GZ_LANES;
    gz_iw triangle_a = gz_iw_load_bytes(&c->a[from]), triangle_b = gz_iw_load_bytes(&c->b[from]);
    vector va[3], vb[3];
    for (int k = 0; k < 3; ++k) {
        va[k] = pick(a->vertex, a->index, k, triangle_a);
        vb[k] = pick((const float(*)[GZ_LEAF])b->vertex, (const int32_t(*)[GZ_LEAF])b->index, k,
                     triangle_b);
    }
    f low_lanes, high_lanes;
    vector w = distance_lanes(va, vb, &low_lanes, &high_lanes);
    float low[GZ_LANES] __attribute__((aligned(64))), high[GZ_LANES] __attribute__((aligned(64)));
    gz_fw_store(low, low_lanes);
    gz_fw_store(high, high_lanes);
    query->counters.triangle_pairs += count;
    double slack = 2 * ((double)a->error + (double)b->error);
    for (uint32_t i = 0; i < count; ++i) {
        double most = ((double)high[i] + slack) / a->scale * (1 + LOOSER);
        if (most < query->most) {
            query->most = most;
            set_direction(query, w, i);
        }
        double least = ((double)low[i] - slack) / a->scale * (1 - LOOSER);
        if (!(least > query->most) &&
            !gz_distance_keep(
                query, (gz_close_pair){least, a->leaf, leaf_b, c->a[from + i], c->b[from + i]}))
            return;
    }
}

static void measure_leaves(gz_distance_query *query, uint32_t leaf_a, uint32_t leaf_b)
{
    ready_leaf a;
    open_leaf opened;
    turned_leaf b;
    candidates c;
    prepare_leaf(&query->frames, leaf_a, &a);
    bring_leaf(&query->frames, &a, leaf_b, &opened, &b);
    query->counters.leaf_pairs++;
    double most = query->most * a.scale * (1 + LOOSER);
    float tolerance = most < (double)FAR ? (float)(most * 1.0001) : HUGE_VALF;
    query->counters.box_pairs += find_candidates(&a, opened.head, tolerance, &b, &c);
    if (c.count > GZ_LEAF) // whatever the width: counters are the same for all
        thin_out(query, &a, &b, tolerance, &c);
    for (uint32_t from = 0; from < c.count && !query->stopped; from += GZ_LANES)
        measure_some(query, &a, &b, leaf_b, &c, from);
}

// The two children of a waiting pair, opened; leaves stay as they are.
static void open_pair(gz_distance_query *query, waiting w, uint32_t child_a, uint32_t child_b)
{
    uint32_t lanes_a = UINT32_C(1) << w.lane_a, lanes_b = UINT32_C(1) << w.lane_b;
    if ((child_a & GZ_IS_LEAF) == 0) {
        w.node_a = child_a;
        lanes_a = children_of(gz_tree_links(query->frames.a, child_a));
    }
    if ((child_b & GZ_IS_LEAF) == 0) {
        w.node_b = child_b;
        lanes_b = children_of(gz_tree_links(query->frames.b, child_b));
    }
    open_nodes(query, w.node_a, lanes_a, w.node_b, lanes_b);
}

// Takes the closest pair from the heap, and measures or opens it.
static void take_closest(gz_distance_query *query)
{
    const gz_tree *a = query->frames.a, *b = query->frames.b;
    waiting w;
    heap_pop(GZ_ITEMS(&query->heap), &w);
    if ((double)w.bound > query->most * a->scale) {
        query->heap.count = 0;
        return;
    }
    query->least_open = (double)w.bound / a->scale;
    ray along = make_ray(query); // perhaps a better one than when it was pushed
    if ((double)height_gap(&along, w.node_a, w.lane_a, HUGE_VALF, w.node_b, w.lane_b, HUGE_VALF) >
        query->most * a->scale)
        return;
    uint32_t child_a = gz_tree_links(a, w.node_a)->child[w.lane_a];
    uint32_t child_b = gz_tree_links(b, w.node_b)->child[w.lane_b];
    if ((child_a & child_b & GZ_IS_LEAF) != 0)
        measure_leaves(query, child_a & ~GZ_IS_LEAF, child_b & ~GZ_IS_LEAF);
    else
        open_pair(query, w, child_a, child_b);
}

static void open_roots(gz_distance_query *query)
{
    const gz_tree *a = query->frames.a, *b = query->frames.b;
    query->heap.count = 0;
    open_nodes(query, 0, children_of(gz_tree_links(a, 0)), 0, children_of(gz_tree_links(b, 0)));
}

// Straight down to two leaves that are close: a first distance and a first direction. With these it
// goes down again, to closer ones, as long as that helps much.
static void guess(gz_distance_query *query)
{
    double before;
    do {
        uint64_t measured = query->counters.leaf_pairs;
        before = query->most;
        open_roots(query);
        while (query->counters.leaf_pairs == measured && query->heap.count != 0 &&
               !query->stopped) {
            query->heap.count = 1; // the first one is the closest
            take_closest(query);
        }
    } while (query->most < 0.9 * before && !query->stopped);
}

gz_distance_kernel KERNEL(gz_distance_kernel);
void KERNEL(gz_distance_kernel)(gz_distance_query *query)
{
    guess(query);
    open_roots(query);
    while (query->heap.count != 0 && gz_distance_go_on(query))
        take_closest(query);
}
