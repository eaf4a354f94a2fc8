// The stage: candidates from any two leaves wait there until they fill whole batches, and are then
// tested. For *_kernels.c files, which are compiled once for each SIMD width.
#ifndef GZ_TREE_STAGE_H
#define GZ_TREE_STAGE_H

#include <string.h>

#include "boxtree/tree_lanes.h"
#include "boxtree/tree_pairs.h"

// Two leaves whose boxes overlap.
typedef struct leaf_pair {
    uint32_t a, b;
} leaf_pair;

// Candidates from any leaves, waiting until there are many. Each lane is in a frame of its own,
// with corner 0 of A in the middle.
#define GROUP  8 // leaves of B that are asked with one of A together
#define DEEP   128
#define STAGED (DEEP + GZ_LEAF)
typedef struct stage {
    float corner[5][3][STAGED]; // two of A, three of B; axis; lane
    float bound[2][STAGED];  // errors of A and B, to meet; or the least and the most to be within
    float motion[STAGED];    // how far B may move, if a front is made
    uint8_t slot[2][STAGED]; // triangles in leaves of A and B
    uint8_t pair[STAGED];    // which of these leaves
    leaf_pair leaves[STAGED];
    uint32_t count, pair_count;
    bool within;          // whether they are tested for a distance
    uint32_t done[GROUP]; // leaves of B that have their pair, of those asked together
    uint32_t done_count;
} __attribute__((aligned(64))) stage;

static inline gz_pair_place stage_place(const stage *s, uint32_t lane)
{
    leaf_pair leaves = s->leaves[s->pair[lane]];
    return (gz_pair_place){leaves.a, leaves.b, s->slot[0][lane], s->slot[1][lane]};
}

static inline vector stage_corner(const stage *s, int corner, int first)
{
    return (vector){gz_fw_load(&s->corner[corner][0][first]),
                    gz_fw_load(&s->corner[corner][1][first]),
                    gz_fw_load(&s->corner[corner][2][first])};
}

// Do they share a point, or will they whatever moves? Differences to corner 0 of A carry both
// errors, and a rounding of their own.
static gz_lanes meet_staged(const stage *s, int first, const f *reach)
{
    vector corner[3];
    for (int k = 0; k < 3; ++k)
        corner[k] = stage_corner(s, 2 + k, first);
    lane_errors errors = {gz_fw_load(&s->bound[0][first]), all(EPSILON),
                          gz_fw_load(&s->bound[1][first])};
    return meet_lanes(stage_corner(s, 0, first), stage_corner(s, 1, first), corner, errors, reach);
}

// Differences are off by a rounding of their own, which within_lanes allows for.
static gz_lanes within_staged(const stage *s, int first)
{
    vector va[3] = {{all(0), all(0), all(0)}, stage_corner(s, 0, first), stage_corner(s, 1, first)};
    vector vb[3];
    for (int k = 0; k < 3; ++k)
        vb[k] = stage_corner(s, 2 + k, first);
    return within_lanes(va, vb, gz_fw_load(&s->bound[0][first]), gz_fw_load(&s->bound[1][first]));
}

// Whether a candidate comes after one of the same leaves that is known to touch.
static bool is_settled(const gz_pair_query *query, const stage *s, uint32_t from, uint32_t lane,
                       uint32_t yes)
{
    leaf_pair leaves = s->leaves[s->pair[from + lane]];
    if (leaves.a == query->last_a && leaves.b == query->last_b)
        return true;
    for (yes &= (UINT32_C(1) << lane) - 1; yes != 0; yes &= yes - 1) {
        leaf_pair before = s->leaves[s->pair[from + (uint32_t)__builtin_ctz(yes)]];
        if (before.a == leaves.a && before.b == leaves.b)
            return true;
    }
    return false;
}

// Which of up to sixteen candidates touch? Where one of two leaves will do, those after it are not
// looked at closely.
static uint32_t settle_batch(gz_pair_query *query, const stage *s, uint32_t from, uint32_t count)
{
    gz_lanes lanes = {0, 0};
    for (uint32_t first = 0; first < count; first += GZ_LANES) {
        gz_lanes part = s->within ? within_staged(s, (int)(from + first))
                                  : meet_staged(s, (int)(from + first), NULL);
        lanes.yes |= part.yes << first;
        lanes.no |= part.no << first;
    }
    uint32_t valid = (UINT32_C(1) << count) - 1;
    for (uint32_t open = ~(lanes.yes | lanes.no) & valid; open != 0; open &= open - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(open);
        gz_pair_place place = stage_place(s, from + i);
        if (query->wish.one_each && is_settled(query, s, from, i, lanes.yes))
            continue;
        query->counters.exact_pairs++;
        if (gz_pair_touches(query, &place, s->within))
            lanes.yes |= UINT32_C(1) << i;
    }
    return lanes.yes & valid;
}

// For a front: which of up to sixteen candidates touch whatever moves, and which may?
static void record_batch(gz_pair_query *query, const stage *s, uint32_t from, uint32_t count)
{
    gz_lanes lanes = {0, 0};
    for (uint32_t first = 0; first < count; first += GZ_LANES) {
        int at = (int)(from + first);
        f reach = gz_fw_load(&s->motion[at]);
        gz_lanes part = s->within ? within_staged(s, at) : meet_staged(s, at, &reach);
        lanes.yes |= part.yes << first;
        lanes.no |= part.no << first;
    }
    gz_pair_place found[2][GZ_LEAF];
    uint32_t found_count[2] = {0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t sure = query->wish.one_each ? 0 : lanes.yes >> i & 1;
        found[sure][found_count[sure]] = stage_place(s, from + i);
        found_count[sure] += ~lanes.no >> i & 1;
    }
    gz_pair_record(query, found[0], found_count[0], false);
    gz_pair_record(query, found[1], found_count[1], true);
}

// Those from a lane on, fewer than sixteen, become the first.
static void keep_last(stage *s, uint32_t from)
{
    s->count -= from;
    if (s->count == 0) {
        s->pair_count = 0;
        return;
    }
    uint8_t first_pair = s->pair[from];
    s->pair_count -= first_pair;
    memmove(s->leaves, s->leaves + first_pair, s->pair_count * sizeof *s->leaves);
    for (uint32_t i = 0; i < GZ_LEAF; ++i)
        s->pair[i] = (uint8_t)(s->pair[from + i] - first_pair);
    memcpy(s->motion, &s->motion[from], GZ_LEAF * sizeof(float));
    for (int k = 0; k < 15; ++k)
        memcpy(s->corner[k / 3][k % 3], &s->corner[k / 3][k % 3][from], GZ_LEAF * sizeof(float));
    for (int k = 0; k < 2; ++k) {
        memcpy(s->bound[k], &s->bound[k][from], GZ_LEAF * sizeof(float));
        memcpy(s->slot[k], &s->slot[k][from], GZ_LEAF);
    }
}

// Tests all candidates in batches of sixteen; what is left over waits for more, unless these are
// the last.
static void settle_stage(gz_pair_query *query, stage *s, bool last)
{
    gz_pair_place found[STAGED];
    uint64_t wanted = query->wish.pair_limit - query->counters.contacts;
    uint32_t found_count = 0, from = 0;
    while (found_count < wanted && (s->count - from >= GZ_LEAF || (last && s->count > from))) {
        uint32_t count = s->count - from < GZ_LEAF ? s->count - from : GZ_LEAF, yes = 0;
        if (query->wish.recorded)
            record_batch(query, s, from, count);
        else
            yes = settle_batch(query, s, from, count);
        for (; yes != 0; yes &= yes - 1) {
            found[found_count] = stage_place(s, from + (uint32_t)__builtin_ctz(yes));
            if (query->wish.one_each) {
                if (!gz_pair_is_next(query, &found[found_count]))
                    continue;
                s->done[s->done_count++ % GROUP] = found[found_count].leaf_b;
            }
            ++found_count;
        }
        from += count;
    }
    query->counters.triangle_pairs += from;
    gz_pair_keep(query, found, found_count);
    keep_last(s, query->stopped ? s->count : from);
}

// What the test of candidates needs to know. Points of A are off by sqrt(3) times the error of a
// coordinate, and so are those of B. If a front is made, B may move: what stays within a tolerance
// is that much closer, and what stays beyond it that much farther away.
typedef struct stage_bounds {
    float bound[2], motion;
} stage_bounds;

static inline stage_bounds bounds_for(const gz_pair_query *query, const ready_leaf *a,
                                      const turned_leaf *b, bool within)
{
    const gz_pair_wish *wish = &query->wish;
    double slack = 2 * ((double)a->error + (double)b->error), tolerance = a->tolerance;
    stage_bounds out = {{2 * a->error + EPSILON, a->error + b->error}, 0};
    if (wish->recorded) {
        double reach = wish->reach * a->scale * (1 + ROTATION_SLACK);
        tolerance = wish->inner * a->scale;
        slack += reach;
        out.motion = (float)reach * (1 + 2 * EPSILON);
    }
    if (within) {
        tolerance += b->spread;
        out.bound[0] = (float)((tolerance - slack) * (1 - ROTATION_SLACK));
        out.bound[1] = (float)((tolerance + slack) * (1 + ROTATION_SLACK));
    }
    return out;
}

// Moves up to sixteen candidates to the stage.
static inline void stage_some(gz_pair_query *query, stage *s, const ready_leaf *a,
                              const turned_leaf *b, uint32_t leaf_b, const candidates *c,
                              uint32_t from)
{
    uint32_t count = c->count - from < GZ_LEAF ? c->count - from : GZ_LEAF;
    stage_bounds bounds = bounds_for(query, a, b, s->within);
    for (uint32_t first = 0; first < count; first += GZ_LANES) {
        uint32_t to = s->count + first;
        gz_iw triangle_a = gz_iw_load_bytes(&c->a[from + first]);
        gz_iw triangle_b = gz_iw_load_bytes(&c->b[from + first]);
        gz_iw i0 = gz_iw_lookup(a->index[0], triangle_a);
        for (int axis = 0; axis < 3; ++axis) {
            f origin = gz_fw_lookup(a->vertex[axis], i0);
            for (int k = 0; k < 5; ++k) {
                gz_iw i = k < 2 ? gz_iw_lookup(a->index[1 + k], triangle_a)
                                : gz_iw_lookup(b->index[k - 2], triangle_b);
                f x = gz_fw_lookup(k < 2 ? a->vertex[axis] : b->vertex[axis], i);
                gz_fw_store_anywhere(&s->corner[k][axis][to], sub(x, origin));
            }
        }
        gz_fw_store_anywhere(&s->bound[0][to], all(bounds.bound[0]));
        gz_fw_store_anywhere(&s->bound[1][to], all(bounds.bound[1]));
        if (query->wish.recorded)
            gz_fw_store_anywhere(&s->motion[to], all(bounds.motion));
    }
    memcpy(&s->slot[0][s->count], &c->a[from], GZ_LEAF);
    memcpy(&s->slot[1][s->count], &c->b[from], GZ_LEAF);
    memset(&s->pair[s->count], (int)s->pair_count, GZ_LEAF);
    s->leaves[s->pair_count++] = (leaf_pair){a->leaf, leaf_b};
    s->count += count;
    if (s->count >= DEEP)
        settle_stage(query, s, false);
}

#endif
