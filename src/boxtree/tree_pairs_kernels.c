// The walk down two trees at once, and the test of two leaves. Compiled once for each SIMD width.
//
// The walk. The rotation between the frames is fixed during a query, so every candidate axis is a
// fixed slab for each box, and six of them (those of both frames, the "SAT lite" of the restricted
// boxtree paper) reject nearly all that can be rejected. A node of A is visited once, with the list
// of all parts of B that overlap it: each part is brought into A's frame once, and then each child
// of A meets eight boxes of B per comparison. Lists live on one stack of bytes. A first contact is
// sought depth first, with the closest boxes first; within a tolerance, two vertices may prove it.
//
// Two leaves. A's vertices are taken relative to the leaf's center and scaled to about 1; B's are
// brought into that frame, sixteen at once. A triangle counts only if it goes through the slab that
// holds the other leaf along its mean normal, which rejects much of near-parallel surface; boxes of
// triangles leave few candidates, which are packed sixteen to a batch and go through
// triangle_lanes.h. What that leaves unsure is posed in double and decided exactly.
//
// Products and sums are not fused, which would be 2 to 4 % of the time: what floats leave open, and
// so the counters and where a limit of work is reached, would then depend on the machine.
#include <string.h>

#include "boxtree/tree_pairs.h"
#include "boxtree/tree_slabs.h"
#include "boxtree/tree_stage.h"

#define QUEUE 64 // pairs of leaves, on their way from memory
#define STEP  64 // bytes on the stack

// A node of B whose children are looked at.
typedef struct item {
    float row[3][ROWS]; // in A's frame
    float own[3][ROWS]; // in B's
    const gz_links *links;
    const gz_node *node; // of the fast layout, else NULL
} __attribute__((aligned(STEP))) item;

// Some of its children, by a bit each.
typedef struct entry {
    uint32_t item; // where it is on the stack, in steps
    uint32_t lanes;
} entry;

typedef struct walk {
    stage stage;
    leaf_pair queue[QUEUE];
    gz_pair_query *query;
    unsigned char *bytes; // the stack; moves when it grows
    uint64_t used, room;
    uint32_t queued;
} walk;

// Bytes on the stack, by offset, because the stack may move. False when out of memory.
static bool push(walk *w, uint64_t bytes, uint64_t *offset)
{
    uint64_t start = (w->used + STEP - 1) / STEP * STEP;
    if (start + bytes > w->room) {
        uint64_t room = (start + bytes) * 2 + 65536;
        if (!gz_list_reserve(w->query->context, &w->query->scratch, room)) {
            w->query->status = GRAZE_ERROR_MEMORY;
            w->query->stopped = true;
            return false;
        }
        w->bytes = w->query->scratch.items;
        w->room = w->query->scratch.capacity;
    }
    *offset = start;
    w->used = start + bytes;
    return true;
}

// The first triangle that has a vertex as a corner; GZ_LEAF if none has.
static uint32_t triangle_with(const int32_t index[3][GZ_LEAF], int32_t vertex)
{
    uint32_t t = 0;
    while (t < GZ_LEAF && index[0][t] != vertex && index[1][t] != vertex && index[2][t] != vertex)
        ++t;
    return t;
}

// Two triangles with a vertex each that prove them to be within the tolerance. Each vertex is off
// by less than twice the error of a coordinate; a square has 6 roundings, and does not underflow.
static bool find_near_vertices(const ready_leaf *a, const turned_leaf *b, gz_pair_place *out)
{
    double slack = 2 * ((double)a->error + (double)b->error);
    double tolerance = a->tolerance + b->spread;
    float limit = (float)((tolerance - slack) * (1 - ROTATION_SLACK)) * (1 - 8 * EPSILON);
    if (!(limit > 0x1p-50f))
        return false;
    for (uint32_t i = 0; i < GZ_LEAF; ++i) {
        uint32_t near = 0;
        for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
            f square = all(0);
            for (int axis = 0; axis < 3; ++axis) {
                f d = sub(gz_fw_load(&b->vertex[axis][first]), all(a->vertex[axis][i]));
                square = add(square, mul(d, d));
            }
            near |= gz_mw_bits(less(square, all(limit * limit))) << first;
        }
        if (near == 0)
            continue;
        out->slot_a = triangle_with(a->index, (int32_t)i);
        out->slot_b = triangle_with((const int32_t(*)[GZ_LEAF])b->index, __builtin_ctz(near));
        return out->slot_a < GZ_LEAF && out->slot_b < GZ_LEAF;
    }
    return false;
}

// How far boxes of triangles are from touching those of a ready leaf, at most, in its frame.
static inline float reach_of(const ready_leaf *a, const turned_leaf *b)
{
    return (float)((a->tolerance + b->spread) * (1 + ROTATION_SLACK)) * 1.0001f;
}

// Moves all candidates of two leaves to the stage. Where one pair each will do, those before it
// need not be tested any more once there is one.
static inline void stage_all(gz_pair_query *query, stage *s, const ready_leaf *a,
                             const turned_leaf *b, uint32_t leaf_b, const candidates *c)
{
    for (uint32_t from = 0; from < c->count; from += GZ_LEAF) {
        stage_some(query, s, a, b, leaf_b, c, from);
        if (!query->wish.one_each || query->wish.recorded || from + GZ_LEAF >= c->count)
            continue;
        settle_stage(query, s, true);
        if (query->last_a == a->leaf && query->last_b == leaf_b)
            break;
    }
}

// Where one pair of two leaves will do: first those that share a point, which is told sooner, and
// of leaves that have none, those within the tolerance.
static bool is_asked_twice(const gz_pair_query *query)
{
    return query->wish.one_each && query->within && !query->wish.recorded;
}

static void test_both(gz_pair_query *query, stage *s, const ready_leaf *a, const turned_leaf *b,
                      uint32_t leaf_b, const candidates *c)
{
    for (int within = 0; within < 2 && !query->stopped; ++within) {
        s->within = within != 0;
        stage_all(query, s, a, b, leaf_b, c);
        settle_stage(query, s, true);
        if (query->last_a == a->leaf && query->last_b == leaf_b)
            break;
    }
    s->within = true;
}

static void test_leaves(gz_pair_query *query, stage *s, const ready_leaf *a, uint32_t leaf_b)
{
    query->counters.leaf_pairs++;
    open_leaf opened;
    turned_leaf b;
    candidates c;
    bring_leaf(&query->frames, a, leaf_b, &opened, &b);
    if (query->wish.pair_limit == 1 && query->within && !query->wish.one_each) {
        gz_pair_place near = {.leaf_a = a->leaf, .leaf_b = leaf_b};
        if (find_near_vertices(a, &b, &near)) {
            gz_pair_keep(query, &near, 1);
            return;
        }
    }
    query->counters.box_pairs += find_candidates(a, opened.head, reach_of(a, &b), &b, &c);
    if (is_asked_twice(query))
        test_both(query, s, a, &b, leaf_b, &c);
    else
        stage_all(query, s, a, &b, leaf_b, &c);
}

// Some leaves of B with one of A: each step for all of them before the next. About half of the
// pairs have no candidates, which is not to be foreseen and known only after a long chain of
// arithmetic; this way the chains of several leaves overlap. A group is small, so that it stays in
// the nearest cache.
static bool is_done(const stage *s, uint32_t leaf_b)
{
    for (uint32_t i = 0; i < s->done_count && i < GROUP; ++i)
        if (s->done[i] == leaf_b)
            return true;
    return false;
}

static void test_twice(gz_pair_query *query, stage *s, const ready_leaf *a,
                       const turned_leaf *turned, const leaf_pair *pairs, const uint32_t *near,
                       const uint32_t *left, uint32_t left_count)
{
    candidates c[GROUP];
    s->within = false;
    s->done_count = 0;
    for (uint32_t k = 0; k < left_count; ++k) {
        const turned_leaf *b = &turned[left[k]];
        query->counters.box_pairs += list_candidates(a, b, near[left[k]], &c[k]);
        stage_all(query, s, a, b, pairs[left[k]].b, &c[k]);
    }
    settle_stage(query, s, true);
    s->within = true;
    for (uint32_t k = 0; k < left_count && !query->stopped; ++k)
        if (!is_done(s, pairs[left[k]].b))
            stage_all(query, s, a, &turned[left[k]], pairs[left[k]].b, &c[k]);
    settle_stage(query, s, true);
}

static void test_group(gz_pair_query *query, stage *s, const ready_leaf *a, const leaf_pair *pairs,
                       uint32_t count)
{
    turned_leaf turned[GROUP];
    uint32_t near[GROUP], left[GROUP], left_count = 0, open_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        open_leaf opened;
        turned_leaf *b = &turned[i];
        bring_leaf(&query->frames, a, pairs[i].b, &opened, b);
        meet_slabs(a, opened.head, reach_of(a, b), b);
        left[left_count] = i;
        left_count += b->through_a != 0 && b->through_b != 0;
    }
    for (uint32_t k = 0; k < left_count; ++k) {
        uint32_t i = left[k];
        near[i] = meet_boxes(a, reach_of(a, &turned[i]), &turned[i]);
        left[open_count] = i;
        open_count += near[i] != 0;
    }
    query->counters.leaf_pairs += count;
    query->counters.box_pairs += left_count * (uint64_t)GZ_LEAF;
    if (is_asked_twice(query)) {
        test_twice(query, s, a, turned, pairs, near, left, open_count);
        return;
    }
    for (uint32_t k = 0; k < open_count; ++k) {
        candidates c;
        const turned_leaf *b = &turned[left[k]];
        query->counters.box_pairs += list_candidates(a, b, near[left[k]], &c);
        stage_all(query, s, a, b, pairs[left[k]].b, &c);
    }
}

// Tests all pairs of leaves that wait. Those of one leaf of A stand together.
static void empty_queue(walk *w)
{
    ready_leaf ready;
    for (uint32_t i = 0, end; i < w->queued && !w->query->stopped; i = end) {
        for (end = i + 1; end < w->queued && w->queue[end].a == w->queue[i].a; ++end)
            ;
        prepare_leaf(&w->query->frames, w->queue[i].a, &ready);
        for (uint32_t from = i; from < end && !w->query->stopped; from += GROUP)
            test_group(w->query, &w->stage, &ready, &w->queue[from],
                       end - from < GROUP ? end - from : GROUP);
    }
    w->queued = 0;
}

static inline void queue_leaves(walk *w, uint32_t leaf_a, uint32_t leaf_b)
{
    prefetch_leaf(w->query->frames.b, leaf_b);
    w->queue[w->queued++] = (leaf_pair){leaf_a, leaf_b};
    if (w->queued == QUEUE)
        empty_queue(w);
}

// A child of a node of A.
typedef struct child_of_a {
    probe box;
    const float (*row)[ROWS]; // of the node
    const gz_node *node;      // of the fast layout, else NULL
    uint32_t lane;
} child_of_a;

// Children of a node of B, of those that `hits` names, whose slabs do not keep them apart from a
// leaf of A.
static inline uint32_t compare_slabs(const gz_frames *frames, const child_of_a *a,
                                     const slab_probe *slab, const gz_node *node,
                                     const float own[3][ROWS], uint32_t hits)
{
    if (a->node != NULL)
        hits &= boxes_in_slab(slab, own);
    if (node != NULL) {
        turned_slabs slabs;
        turn_slabs(frames, node, &slabs);
        hits &= reached_slabs(&slabs, a->row, a->lane);
    }
    return hits;
}

static inline const gz_node *fast_node(const gz_tree *tree, uint32_t number)
{
    return tree->layout == GRAZE_LAYOUT_FAST ? &((const gz_node *)tree->nodes)[number] : NULL;
}

static void open_item(const gz_frames *frames, uint32_t number, item *out)
{
    const float(*own)[ROWS] = gz_tree_rows(frames->b, number, out->own);
    if (own != (const float(*)[ROWS])out->own)
        memcpy(out->own, own, sizeof out->own);
    transform_rows(own, frames->forth, frames->forth_low, frames->forth_high, out->row);
    out->links = gz_tree_links(frames->b, number);
    out->node = fast_node(frames->b, number);
}

// All leaves of B among some children of a node, and below them, that may touch one leaf of A.
static void gather_leaves(walk *w, const child_of_a *a, const slab_probe *slab, uint32_t leaf_a,
                          const gz_links *links, uint32_t chosen)
{
    gz_pair_query *query = w->query;
    for (; chosen != 0 && !query->stopped; chosen &= chosen - 1) {
        uint32_t child = links->child[__builtin_ctz(chosen)];
        if ((child & GZ_IS_LEAF) != 0) {
            queue_leaves(w, leaf_a, child & ~GZ_IS_LEAF);
            continue;
        }
        item b;
        open_item(&query->frames, child, &b);
        query->counters.node_pairs++;
        uint32_t hits =
            overlaps(&a->box, (const float(*)[ROWS])b.row, (const float(*)[ROWS])b.own) &
            children_of(b.links);
        if (hits != 0)
            hits =
                compare_slabs(&query->frames, a, slab, b.node, (const float(*)[ROWS])b.own, hits);
        if (hits != 0)
            gather_leaves(w, a, slab, leaf_a, b.links, hits);
    }
}

static inline item *item_at(const walk *w, uint32_t step)
{
    return (item *)(w->bytes + (uint64_t)step * STEP);
}

static void visit_leaf(walk *w, const child_of_a *a, uint32_t leaf, uint64_t entries,
                       uint64_t count)
{
    gz_pair_query *query = w->query;
    slab_probe slab = {.high = 0};
    entry *list = (entry *)(w->bytes + entries);
    uint64_t kept = 0;
    if (a->node != NULL)
        slab = make_slab_probe(&query->frames, a->node, a->lane);
    for (uint64_t i = 0; i < count; ++i) { // without a branch that is hard to foresee
        const item *b = item_at(w, list[i].item);
        uint32_t hits = compare_slabs(&query->frames, a, &slab, b->node, b->own, list[i].lanes);
        list[kept] = (entry){list[i].item, hits};
        kept += hits != 0;
    }
    if (kept != 0)
        prefetch_leaf(query->frames.a, leaf);
    for (uint64_t i = 0; i < kept && !query->stopped; ++i) {
        entry e = ((const entry *)(w->bytes + entries))[i];
        gather_leaves(w, a, &slab, leaf, item_at(w, e.item)->links, e.lanes);
    }
}

// What to compare a node of A with, given the parts of B that its box overlaps: leaves as they are,
// nodes opened. All nodes are on their way from memory before the first is looked at.
static bool open_entries(walk *w, uint64_t entries, uint64_t entry_count, uint64_t *parts,
                         uint64_t *part_count)
{
    const gz_tree *tree = w->query->frames.b;
    uint64_t closed, closed_count = 0, count = 0, offset;
    if (!push(w, entry_count * GZ_WIDE * sizeof(entry), parts) ||
        !push(w, entry_count * GZ_WIDE * sizeof(uint32_t), &closed))
        return false;
    for (uint64_t i = 0; i < entry_count; ++i) {
        entry e = ((const entry *)(w->bytes + entries))[i];
        const gz_links *links = item_at(w, e.item)->links;
        uint32_t leaves = links->leaves & e.lanes;
        ((entry *)(w->bytes + *parts))[count] = (entry){e.item, leaves};
        count += leaves != 0;
        for (uint32_t lanes = e.lanes & ~leaves; lanes != 0; lanes &= lanes - 1) {
            uint32_t number = links->child[__builtin_ctz(lanes)];
            ((uint32_t *)(w->bytes + closed))[closed_count++] = number;
            prefetch_node(tree, number);
        }
    }
    if (!push(w, closed_count * sizeof(item), &offset))
        return false;
    for (uint64_t i = 0; i < closed_count; ++i, offset += sizeof(item)) {
        item *made = (item *)(w->bytes + offset);
        open_item(&w->query->frames, ((const uint32_t *)(w->bytes + closed))[i], made);
        ((entry *)(w->bytes + *parts))[count++] =
            (entry){(uint32_t)(offset / STEP), children_of(made->links)};
    }
    w->query->counters.node_pairs += count;
    *part_count = count;
    return true;
}

// Writes entries for those of some parts of B whose boxes overlap a child of A, and returns how
// many there are.
static inline uint64_t list_entries(const walk *w, const entry *parts, uint64_t part_count,
                                    const probe *p, entry *list)
{
    uint64_t count = 0;
    for (uint64_t k = 0; k < part_count; ++k) {
        const item *b = item_at(w, parts[k].item);
        uint32_t hits = overlaps(p, b->row, b->own) & parts[k].lanes;
        list[count] = (entry){parts[k].item, hits};
        count += hits != 0;
    }
    return count;
}

// The children of a node of A that `chosen` names, and parts of B.
static void visit(walk *w, uint32_t number, uint32_t chosen, uint64_t entries, uint64_t entry_count)
{
    gz_pair_query *query = w->query;
    const gz_frames *frames = &query->frames;
    uint64_t bottom = w->used, parts, part_count;
    prefetch_node(frames->a, number);
    if (!open_entries(w, entries, entry_count, &parts, &part_count))
        return;
    float back[3][ROWS] __attribute__((aligned(64))), room[3][ROWS] __attribute__((aligned(64)));
    const gz_links *links = gz_tree_links(frames->a, number);
    child_of_a a = {.row = gz_tree_rows(frames->a, number, room),
                    .node = fast_node(frames->a, number)};
    transform_rows(a.row, frames->back, frames->back_low, frames->back_high, back);
    for (; chosen != 0 && gz_pair_go_on(query); chosen &= chosen - 1) {
        uint64_t top = w->used, list;
        if (!push(w, part_count * sizeof(entry), &list))
            return;
        a.lane = (uint32_t)__builtin_ctz(chosen);
        a.box = make_probe(a.row, (const float(*)[ROWS])back, a.lane);
        uint64_t count = list_entries(w, (const entry *)(w->bytes + parts), part_count, &a.box,
                                      (entry *)(w->bytes + list));
        if (count != 0) {
            uint32_t child = links->child[a.lane];
            if ((child & GZ_IS_LEAF) != 0)
                visit_leaf(w, &a, child & ~GZ_IS_LEAF, list, count);
            else
                visit(w, child, children_of(gz_tree_links(frames->a, child)), list, count);
        }
        w->used = top;
    }
    w->used = bottom;
}

// Children of a node of A and of a node of B whose boxes overlap: couples. They have a key each, of
// how far the middles of the boxes are apart, with the two lanes in its last bits; the closest is
// looked for when it is needed, since a contact is mostly found before the next is.
#define COUPLES       (GZ_WIDE * GZ_WIDE)
#define NO_COUPLE     INT32_MAX
#define PATIENT_STEPS 16
typedef struct couples {
    float turned[3][ROWS]; // B's boxes in A's frame
    int32_t key[COUPLES];  // of lanes of A times eight, and of B
    uint32_t node_a, node_b;
} __attribute__((aligned(STEP))) couples;

// Eight lanes, whatever the machine has.
typedef float eight_floats __attribute__((vector_size(4 * GZ_WIDE)));
typedef int32_t eight_numbers __attribute__((vector_size(4 * GZ_WIDE)));

// Of a child of A and eight of B. Bits of floats that are not negative are in the floats' order.
static inline void set_keys(const float row_a[3][ROWS], uint32_t lane, const eight_floats middle[3],
                            uint32_t hits, int32_t key[GZ_WIDE])
{
    const eight_numbers number = {0, 1, 2, 3, 4, 5, 6, 7}, bit = {1, 2, 4, 8, 16, 32, 64, 128};
    eight_floats apart = {0};
    for (int axis = 0; axis < 3; ++axis) {
        eight_floats d =
            middle[axis] - (row_a[axis][GZ_ROW_LOW(lane)] - row_a[axis][GZ_ROW_HIGH(lane)]);
        apart += d * d;
    }
    eight_numbers keys = ((eight_numbers)apart & 0x7fffffc0) | (number + (int32_t)lane * GZ_WIDE);
    eight_numbers hit = (bit & (int32_t)hits) != 0;
    keys = (keys & hit) | (~hit & NO_COUPLE);
    memcpy(key, &keys, sizeof keys);
}

// Do some children of a node of A overlap some of a node of B, and which? If there is a probe, it
// is what B's node is in, and most of A's children are not near that.
static bool couple_nodes(gz_pair_query *query, const probe *around_b, uint32_t lanes_a,
                         uint32_t lanes_b, couples *out)
{
    const gz_frames *frames = &query->frames;
    const float(*turned)[ROWS] = (const float(*)[ROWS])out->turned;
    float back[3][ROWS] __attribute__((aligned(64)));
    float room_a[3][ROWS] __attribute__((aligned(64))),
        room_b[3][ROWS] __attribute__((aligned(64)));
    eight_floats middle[3];
    uint32_t any = 0;
    const float(*a)[ROWS] = gz_tree_rows(frames->a, out->node_a, room_a);
    const float(*b)[ROWS] = gz_tree_rows(frames->b, out->node_b, room_b);
    transform_rows(b, frames->forth, frames->forth_low, frames->forth_high, out->turned);
    transform_rows(a, frames->back, frames->back_low, frames->back_high, back);
    query->counters.node_pairs++;
    if (around_b != NULL)
        lanes_a &= overlaps(around_b, a, (const float(*)[ROWS])back);
    for (int i = 0; i < COUPLES; ++i)
        out->key[i] = NO_COUPLE;
    for (int axis = 0; axis < 3; ++axis) {
        eight_floats low, high;
        memcpy(&low, &turned[axis][GZ_ROW_LOW(0)], sizeof low);
        memcpy(&high, &turned[axis][GZ_ROW_HIGH(0)], sizeof high);
        middle[axis] = low - high;
    }
    for (; lanes_a != 0; lanes_a &= lanes_a - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(lanes_a);
        probe p = make_probe(a, (const float(*)[ROWS])back, i);
        uint32_t hits = overlaps(&p, turned, b) & lanes_b;
        set_keys(a, i, middle, hits, &out->key[i * GZ_WIDE]);
        any |= hits;
    }
    return any != 0;
}

// Its key, or NO_COUPLE if there is none left.
static inline int32_t take_closest(couples *c)
{
    int32_t best = NO_COUPLE;
    for (int i = 0; i < COUPLES; ++i)
        best = c->key[i] < best ? c->key[i] : best;
    c->key[best % COUPLES] = NO_COUPLE;
    return best;
}

// Couples of children go onto the stack, if there are any.
static bool push_couples(walk *w, const probe *around_b, uint32_t node_a, uint32_t lanes_a,
                         uint32_t node_b, uint32_t lanes_b)
{
    uint64_t offset;
    if (!push(w, sizeof(couples), &offset))
        return false;
    couples *made = (couples *)(w->bytes + offset);
    made->node_a = node_a;
    made->node_b = node_b;
    if (!couple_nodes(w->query, around_b, lanes_a, lanes_b, made))
        w->used = offset;
    return true;
}

// The children of one side, or the side itself where it is a leaf.
static inline uint32_t open_side(const gz_tree *tree, uint32_t child, uint32_t lane, uint32_t *node)
{
    if ((child & GZ_IS_LEAF) != 0)
        return UINT32_C(1) << lane;
    *node = child;
    return children_of(gz_tree_links(tree, child));
}

// May two leaves touch, by the slabs that their parents keep?
static bool slabs_meet(const gz_frames *frames, uint32_t node_a, uint32_t lane_a, uint32_t node_b,
                       uint32_t lane_b)
{
    float room_a[3][ROWS] __attribute__((aligned(64))),
        room_b[3][ROWS] __attribute__((aligned(64)));
    child_of_a a = {.row = gz_tree_rows(frames->a, node_a, room_a),
                    .node = fast_node(frames->a, node_a),
                    .lane = lane_a};
    slab_probe slab = {.high = 0};
    if (a.node != NULL)
        slab = make_slab_probe(frames, a.node, lane_a);
    return compare_slabs(frames, &a, &slab, fast_node(frames->b, node_b),
                         gz_tree_rows(frames->b, node_b, room_b), UINT32_C(1) << lane_b) != 0;
}

// The lowest couples on the stack of which any is left; the top ones if none is.
static couples *lowest_couples(walk *w)
{
    couples *at = (couples *)w->bytes, *top = (couples *)(w->bytes + w->used - sizeof *top);
    for (; at != top; ++at)
        for (int i = 0; i < COUPLES; ++i)
            if (at->key[i] != NO_COUPLE)
                return at;
    return top;
}

// Looks for one contact: depth first, the closest boxes first. A wrong choice near the roots would
// cost a long search: so after some steps the next best one there is tried as well, and again after
// twice as many.
static void seek(walk *w)
{
    gz_pair_query *query = w->query;
    const gz_tree *trees[2] = {query->frames.a, query->frames.b};
    if (!push_couples(w, NULL, 0, query->frames.near.a, 0, query->frames.near.b))
        return;
    uint64_t steps = 0, turn = PATIENT_STEPS;
    while (w->used != 0 && gz_pair_go_on(query)) {
        couples *top = (couples *)(w->bytes + w->used - sizeof *top);
        if (++steps == turn) {
            top = lowest_couples(w);
            turn *= 2;
        }
        int32_t key = take_closest(top);
        if (key == NO_COUPLE) { // only the top ones can have none
            w->used -= sizeof *top;
            continue;
        }
        uint32_t lane_a = (uint32_t)key % COUPLES / GZ_WIDE, lane_b = (uint32_t)key % GZ_WIDE;
        uint32_t node_a = top->node_a, node_b = top->node_b;
        uint32_t a = gz_tree_links(trees[0], node_a)->child[lane_a];
        uint32_t b = gz_tree_links(trees[1], node_b)->child[lane_b];
        if ((a & b & GZ_IS_LEAF) != 0) {
            if (!slabs_meet(&query->frames, node_a, lane_a, node_b, lane_b))
                continue;
            ready_leaf ready;
            prepare_leaf(&query->frames, a & ~GZ_IS_LEAF, &ready);
            test_leaves(query, &w->stage, &ready, b & ~GZ_IS_LEAF);
            settle_stage(query, &w->stage, true);
            continue;
        }
        float room[3][ROWS] __attribute__((aligned(64)));
        probe around_b = make_probe((const float(*)[ROWS])top->turned,
                                    gz_tree_rows(trees[1], node_b, room), lane_b);
        uint32_t lanes_a = open_side(trees[0], a, lane_a, &node_a);
        uint32_t lanes_b = open_side(trees[1], b, lane_b, &node_b);
        if (!push_couples(w, &around_b, node_a, lanes_a, node_b, lanes_b))
            return;
    }
}

gz_pair_kernel KERNEL(gz_pair_kernel);
void KERNEL(gz_pair_kernel)(gz_pair_query *query, uint32_t node_a, uint32_t lanes)
{
    walk w;
    w.query = query;
    w.bytes = query->scratch.items;
    w.used = 0;
    w.room = query->scratch.capacity;
    w.stage.count = w.stage.pair_count = w.queued = 0;
    w.stage.within = query->within;
    w.stage.done_count = 0;
    if (query->wish.pair_limit == 1) {
        seek(&w);
        return;
    }
    uint64_t root, offset;
    if (!push(&w, sizeof(item), &root) || !push(&w, sizeof(entry), &offset))
        return;
    item *made = (item *)(w.bytes + root);
    open_item(&query->frames, 0, made);
    *(entry *)(w.bytes + offset) = (entry){(uint32_t)(root / STEP), query->frames.near.b};
    visit(&w, node_a, lanes, offset, 1);
    empty_queue(&w);
    if (!query->stopped && w.stage.count != 0)
        settle_stage(query, &w.stage, true);
}

// Some pairs of one leaf of A and one of B.
static void test_listed(walk *w, const ready_leaf *a, uint32_t leaf_b, const candidates *c)
{
    gz_pair_query *query = w->query;
    open_leaf opened;
    turned_leaf b;
    bring_leaf(&query->frames, a, leaf_b, &opened, &b);
    query->counters.leaf_pairs++;
    if (!is_asked_twice(query)) {
        stage_all(query, &w->stage, a, &b, leaf_b, c);
        return;
    }
    test_both(query, &w->stage, a, &b, leaf_b, c);
}

gz_pair_list_kernel KERNEL(gz_pair_list_kernel);
void KERNEL(gz_pair_list_kernel)(gz_pair_query *query, const gz_pair_place *places, uint64_t count)
{
    walk w;
    ready_leaf ready;
    uint32_t prepared = UINT32_MAX;
    w.query = query;
    w.stage.count = w.stage.pair_count = 0;
    w.stage.within = query->within;
    w.stage.done_count = 0;
    for (uint64_t i = 0; i < count && gz_pair_go_on(query);) {
        candidates c;
        uint32_t leaf_a = places[i].leaf_a, leaf_b = places[i].leaf_b;
        if (i == 0 || leaf_a != prepared) {
            prepared = leaf_a;
            prepare_leaf(&query->frames, leaf_a, &ready);
        }
        if (i + 2 * GZ_LEAF < count)
            prefetch_leaf(query->frames.b, places[i + 2 * GZ_LEAF].leaf_b);
        for (c.count = 0; i < count && c.count < GZ_LEAF * GZ_LEAF && places[i].leaf_a == leaf_a &&
                          places[i].leaf_b == leaf_b;
             ++i) {
            c.a[c.count] = (uint8_t)places[i].slot_a;
            c.b[c.count++] = (uint8_t)places[i].slot_b;
        }
        memset(&c.a[c.count], 0, GZ_LEAF);
        memset(&c.b[c.count], 0, GZ_LEAF);
        test_listed(&w, &ready, leaf_b, &c);
    }
    if (!query->stopped)
        settle_stage(query, &w.stage, true);
}
