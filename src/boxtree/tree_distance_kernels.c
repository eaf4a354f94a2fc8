// The search for the closest triangles of two trees. Compiled once for each SIMD width.
//
// Pairs of boxes wait in a heap, the closest first. A pair of nodes becomes up to 64 pairs of their
// children; the distance of two boxes is at least the gap along the axes of either frame, whichever
// is larger. Two leaves give candidates, with bounds in float on their distances; the smallest
// upper bound ends the search when no box is closer. Which of the candidates is the closest is
// decided exactly, by the caller.
#include "boxtree/tree_distance.h"
#include "boxtree/tree_lanes.h"

#define LOOSER 1e-6 // more than all relative roundings of a bound, and what a rotation may be off

// Two children, of a node of A and a node of B.
typedef struct waiting {
    float bound; // in the units of A's rows
    uint32_t node_a, node_b;
    uint16_t lane_a, lane_b;
} waiting;

static bool heap_push(gz_distance_query *query, waiting w)
{
    if (gz_list_push(query->context, &query->heap, sizeof w, 1) == NULL) {
        query->status = GRAZE_ERROR_MEMORY;
        query->stopped = true;
        return false;
    }
    waiting *heap = query->heap.items;
    uint64_t at = query->heap.count - 1;
    while (at > 0 && heap[(at - 1) / 2].bound > w.bound) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = w;
    return true;
}

static waiting heap_pop(gz_distance_query *query)
{
    waiting *heap = query->heap.items, top = heap[0];
    uint64_t count = --query->heap.count, at = 0;
    waiting last = heap[count];
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && heap[child + 1].bound < heap[child].bound)
            ++child;
        if (!(heap[child].bound < last.bound))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

// Gaps between the probe and eight boxes along three axes, squared and summed.
static inline void gaps(const gz_fw probe_row[][PARTS], const float row[3][ROWS], float out[ROWS])
{
    gz_fw sum[PARTS];
    for (int part = 0; part < PARTS; ++part)
        sum[part] = gz_fw_all(0);
    for (int axis = 0; axis < 3; ++axis) {
        gz_fw t[PARTS];
        for (int part = 0; part < PARTS; ++part)
            t[part] = gz_fw_sub(gz_fw_load(&row[axis][part * GZ_LANES]), probe_row[axis][part]);
#if GZ_LANES == 16
        t[0] = gz_fw_max(t[0], gz_fw_swap_halves(t[0]));
#else
        for (int part = 0; part < PARTS / 2; ++part)
            t[part] = gz_fw_max(t[part], t[part + PARTS / 2]);
#endif
        for (int part = 0; part < (PARTS + 1) / 2; ++part) {
            gz_fw gap = gz_fw_max(t[part], gz_fw_all(0));
            sum[part] = gz_fw_add(sum[part], gz_fw_mul(gap, gap));
        }
    }
    for (int part = 0; part < (PARTS + 1) / 2; ++part)
        gz_fw_store(&out[part * GZ_LANES], sum[part]);
}

static void open_nodes(gz_distance_query *query, uint32_t node_a, uint32_t lanes_a, uint32_t node_b,
                       uint32_t lanes_b)
{
    const gz_frames *frames = &query->frames;
    const gz_node *a = &frames->a->nodes[node_a], *b = &frames->b->nodes[node_b];
    float turned[3][ROWS] __attribute__((aligned(64))), back[3][ROWS] __attribute__((aligned(64)));
    transform_rows(b->row, frames->forth, frames->forth_low, frames->forth_high, turned);
    transform_rows(a->row, frames->back, frames->back_low, frames->back_high, back);
    query->counters.node_pairs++;
    double units = frames->a->scale;
    float ratio = (float)(frames->a->scale / frames->b->scale);
    for (; lanes_a != 0; lanes_a &= lanes_a - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(lanes_a);
        probe p = make_probe(a->row, (const float(*)[ROWS])back, i);
        float here[ROWS] __attribute__((aligned(64))), there[ROWS] __attribute__((aligned(64)));
        gaps((const gz_fw(*)[PARTS])p.row, (const float(*)[ROWS])turned, here);
        gaps((const gz_fw(*)[PARTS])(p.row + 3), b->row, there);
        double most = query->most * units;
        for (uint32_t lanes = lanes_b; lanes != 0; lanes &= lanes - 1) {
            uint32_t j = (uint32_t)__builtin_ctz(lanes);
            float bound = larger(sqrtf(here[j]), sqrtf(there[j]) * ratio) * (float)(1 - LOOSER);
            if ((double)bound <= most &&
                !heap_push(query, (waiting){bound, node_a, node_b, (uint16_t)i, (uint16_t)j}))
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
    distance_lanes(va, vb, &low_lanes, &high_lanes);
    float low[GZ_LANES] __attribute__((aligned(64))), high[GZ_LANES] __attribute__((aligned(64)));
    gz_fw_store(low, low_lanes);
    gz_fw_store(high, high_lanes);
    query->counters.triangle_pairs += count;
    double slack = 2 * ((double)a->error + (double)b->error);
    for (uint32_t i = 0; i < count; ++i) {
        double most = ((double)high[i] + slack) / a->scale * (1 + LOOSER);
        query->most = most < query->most ? most : query->most;
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
    turned_leaf b;
    candidates c;
    prepare_leaf(&query->frames, leaf_a, &a);
    query->counters.leaf_pairs++;
    double most = query->most * a.scale * (1 + LOOSER);
    float tolerance = most < (double)FAR ? (float)(most * 1.0001) : FAR;
    query->counters.box_pairs += find_candidates(&query->frames, &a, leaf_b, tolerance, &b, &c);
    for (uint32_t from = 0; from < c.count && !query->stopped; from += GZ_LANES)
        measure_some(query, &a, &b, leaf_b, &c, from);
}

gz_distance_kernel KERNEL(gz_distance_kernel);
void KERNEL(gz_distance_kernel)(gz_distance_query *query)
{
    const gz_tree *a = query->frames.a, *b = query->frames.b;
    open_nodes(query, 0, children_of(&a->nodes[0]), 0, children_of(&b->nodes[0]));
    while (query->heap.count != 0 && gz_distance_go_on(query)) {
        waiting w = heap_pop(query);
        if ((double)w.bound > query->most * a->scale) {
            query->heap.count = 0;
            break;
        }
        query->least_open = (double)w.bound / a->scale;
        uint32_t lanes_a = UINT32_C(1) << w.lane_a, lanes_b = UINT32_C(1) << w.lane_b;
        uint32_t child_a = a->nodes[w.node_a].child[w.lane_a];
        uint32_t child_b = b->nodes[w.node_b].child[w.lane_b];
        if ((child_a & child_b & GZ_IS_LEAF) != 0) {
            measure_leaves(query, child_a & ~GZ_IS_LEAF, child_b & ~GZ_IS_LEAF);
            continue;
        }
        if ((child_a & GZ_IS_LEAF) == 0) {
            w.node_a = child_a;
            lanes_a = children_of(&a->nodes[child_a]);
        }
        if ((child_b & GZ_IS_LEAF) == 0) {
            w.node_b = child_b;
            lanes_b = children_of(&b->nodes[child_b]);
        }
        open_nodes(query, w.node_a, lanes_a, w.node_b, lanes_b);
    }
}
