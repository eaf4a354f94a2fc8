// Sets up a question about two trees, hands it to the kernel of the right width, and settles what
// the kernel leaves open. See tree_pairs.h.
#include "boxtree/tree_pairs.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/threads.h"
#include "base/width.h"
#include "boxtree/tree_front.h"
#include "geometry/rounding.h"
#include "geometry/triangle.h"

#define PATIENCE 2000000 // work between two looks at the context's cancel callback
#define HASTE    20000   // the same at the clock, where there is a deadline

gz_pair_kernel gz_pair_kernel_scalar;
#if !defined(GZ_SCALAR_ONLY)
gz_pair_kernel gz_pair_kernel_baseline, gz_pair_kernel_avx2, gz_pair_kernel_avx512;
gz_pair_list_kernel gz_pair_list_kernel_baseline, gz_pair_list_kernel_avx2,
    gz_pair_list_kernel_avx512;
#endif
gz_pair_list_kernel gz_pair_list_kernel_scalar;

void gz_pair_query_init(gz_pair_query *query, graze_context *context)
{
    *query = (gz_pair_query){.context = context};
}

void gz_pair_query_free(gz_pair_query *query)
{
    gz_pair_free_helpers(query);
    gz_list_free(query->context, &query->scratch);
    gz_list_free(query->context, &query->pairs);
    gz_list_free(query->context, &query->places);
}

// The sum is rounded up, and does not depend on which of the two is called a.
double gz_pair_tolerance(const gz_pair_query *query, uint32_t leaf_a, uint32_t leaf_b)
{
    const gz_frames *frames = &query->frames;
    double tolerance = query->wish.tolerance;
    if (frames->bare)
        return tolerance;
    double a = frames->a->spread > 0 ? (double)gz_leaf_spread(gz_tree_head(frames->a, leaf_a)) : 0;
    double b = frames->b->spread > 0 ? (double)gz_leaf_spread(gz_tree_head(frames->b, leaf_b)) : 0;
    return a + b > 0 ? gz_step_up64(tolerance + gz_step_up64(a + b)) : tolerance;
}

bool gz_pair_touches(const gz_pair_query *query, const gz_pair_place *place, bool within)
{
    graze_triangle a, b;
    gz_frames_triangles(&query->frames, place->leaf_a, place->slot_a, place->leaf_b, place->slot_b,
                        &a, &b);
    double tolerance = within ? gz_pair_tolerance(query, place->leaf_a, place->leaf_b) : 0;
    return gz_triangle_within(&a, &b, tolerance) != 0;
}

static void run_leaves(gz_pair_query *query, uint32_t leaf_a, uint32_t leaf_b, bool within)
{
    const gz_tree *a = query->frames.a, *b = query->frames.b;
    for (uint32_t l = 0; l < gz_tree_leaf_count(b, leaf_b); ++l)
        for (uint32_t k = 0; k < gz_tree_leaf_count(a, leaf_a) && !query->stopped; ++k) {
            gz_pair_place place = {leaf_a, leaf_b, k, l};
            query->counters.exact_pairs++;
            if (!gz_pair_touches(query, &place, within))
                continue;
            if (query->wish.recorded)
                gz_pair_record(query, &place, 1, false);
            else if (!query->wish.one_each || gz_pair_is_next(query, &place))
                gz_pair_keep(query, &place, 1);
        }
}

// Every pair, exactly: for trees of absurd sizes, where floats overflow.
static void run_plainly(gz_pair_query *query)
{
    const gz_tree *a = query->frames.a, *b = query->frames.b;
    bool twice = query->wish.one_each && query->within && !query->wish.recorded;
    for (uint32_t i = 0; i < a->leaf_count; ++i)
        for (uint32_t j = 0; j < b->leaf_count && gz_pair_go_on(query); ++j) {
            if (twice)
                run_leaves(query, i, j, false);
            if (!twice || query->last_a != i || query->last_b != j)
                run_leaves(query, i, j, true);
        }
}

// Where the number of a triangle stands.
static inline const uint32_t *number_at(const gz_tree *tree, uint32_t leaf, uint32_t slot)
{
    return &tree->order[gz_tree_leaf_first(tree, leaf) + slot];
}

static bool list_pairs(gz_pair_query *query, const gz_pair_place *places, uint32_t count)
{
    const gz_tree *a = query->frames.a, *b = query->frames.b;
    for (uint32_t i = 0; i < count; ++i) {
        __builtin_prefetch(number_at(a, places[i].leaf_a, places[i].slot_a));
        __builtin_prefetch(number_at(b, places[i].leaf_b, places[i].slot_b));
    }
    graze_pair *pairs = gz_list_push(query->context, &query->pairs, count);
    if (pairs == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        pairs[i] = (graze_pair){*number_at(a, places[i].leaf_a, places[i].slot_a),
                                *number_at(b, places[i].leaf_b, places[i].slot_b)};
    if (!query->wish.placed)
        return true;
    gz_pair_place *room = gz_list_push(query->context, &query->places, count);
    if (room != NULL)
        memcpy(room, places, count * sizeof *places);
    return room != NULL;
}

static void show_pairs(gz_pair_query *query, const gz_pair_place *places, uint32_t count)
{
    const gz_pair_visitor *visitor = query->wish.visitor;
    for (uint32_t i = 0; i < count && !query->stopped; ++i) {
        graze_triangle a, b;
        gz_frames_triangles(&query->frames, places[i].leaf_a, places[i].slot_a, places[i].leaf_b,
                            places[i].slot_b, &a, &b);
        query->stopped = !visitor->visit(visitor->data, &a, &b);
    }
}

void gz_pair_keep(gz_pair_query *query, const gz_pair_place *places, uint32_t count)
{
    uint64_t left = query->wish.pair_limit - query->counters.contacts;
    if (count > left)
        count = (uint32_t)left;
    if (query->stopped || count == 0)
        return;
    if (query->wish.listed && !list_pairs(query, places, count)) {
        query->status = GRAZE_ERROR_MEMORY;
        query->stopped = true;
        return;
    }
    query->counters.contacts += count;
    if (query->wish.visitor != NULL)
        show_pairs(query, places, count);
    if (query->counters.contacts == query->wish.pair_limit)
        query->stopped = true;
}

void gz_pair_record(gz_pair_query *query, const gz_pair_place *places, uint32_t count, bool sure)
{
    if (query->stopped || count == 0)
        return;
    gz_place_list *list = sure ? &query->front->sure : &query->front->places;
    gz_pair_place *room = gz_list_push(query->context, list, count);
    if (room != NULL) {
        memcpy(room, places, count * sizeof *places);
    } else {
        query->status = GRAZE_ERROR_MEMORY;
        query->stopped = true;
    }
}

void gz_pair_look_around(gz_pair_query *query)
{
    uint64_t work = gz_pair_work(&query->counters);
    if (work >= query->wish.work_limit) {
        query->stopped = true;
        return;
    }
    if (work >= PATIENCE && gz_checkpoint(query->context, "colliding", "pairs",
                                          query->counters.contacts, 0) != GRAZE_OK) {
        query->status = GRAZE_ERROR_CANCELLED;
        query->stopped = true;
    }
    if (query->wish.deadline != 0 && gz_clock_ns() >= query->wish.deadline)
        query->stopped = query->late = true;
    query->work_due = work + (query->wish.deadline != 0 ? HASTE : PATIENCE);
    if (query->work_due > query->wish.work_limit)
        query->work_due = query->wish.work_limit;
}

// Looks which parts of the trees are near each other, if that is not known. False: none.
static bool are_near(gz_pair_query *query, const gz_pair_wish *wish)
{
    if (wish->a->triangle_count == 0 || wish->b->triangle_count == 0)
        return false;
    if (wish->near != NULL) {
        query->frames.near = *wish->near;
        return true;
    }
    return gz_trees_near(graze_context_simd(query->context), wish->a, wish->pose_a, wish->b,
                         wish->pose_b, wish->tolerance, &query->frames.near);
}

graze_status gz_pair_query_run(gz_pair_query *query, const gz_pair_wish *wish)
{
    const gz_tree *a = wish->a, *b = wish->b;
    query->wish = *wish;
    query->counters = (gz_pair_counters){0};
    query->pairs.count = query->places.count = 0;
    query->scratch.count = 0;
    query->status = GRAZE_OK;
    query->stopped = query->with_sure = query->late = false;
    query->work_due = 0;
    query->last_a = query->last_b = UINT32_MAX;
    if (are_near(query, wish)) {
        gz_frames_set(&query->frames, a, wish->pose_a, b, wish->pose_b, wish->tolerance);
        query->frames.bare = wish->bare || !(a->spread > 0 || b->spread > 0);
        query->within = (wish->recorded ? wish->inner : wish->tolerance) > 0 || !query->frames.bare;
        graze_simd simd = graze_context_simd(query->context);
        gz_pair_kernel *kernel = GZ_FOR_WIDTH(simd, gz_pair_kernel);
        if (!query->frames.sound)
            run_plainly(query);
        else if (wish->by_front)
            GZ_FOR_WIDTH(simd, gz_pair_list_kernel)
        (query, query->front->places.items, query->front->places.count);
        else if (wish->recorded || !wish->shared || !gz_pair_run_shared(query, kernel))
            kernel(query, 0, query->frames.near.a);
    }
    return query->status;
}
