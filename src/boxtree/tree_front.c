// Keeps the front of a query. See tree_front.h.
#include "boxtree/tree_front.h"

#include <math.h>

#include "base/context.h"
#include "boxtree/pair_sort.h"
#include "geometry/vector.h"

#define STEPS   12   // a front is made to last about so many steps like the last one
#define WIDEST  0.2  // times the size of leaves: beyond it the list is too long
#define FASTEST 0.02 // the same, of steps with which a front pays
#define SOME    4096 // pairs that are kept at a time

void gz_front_free(graze_context *context, gz_front *front)
{
    gz_list_free(context, &front->places);
    gz_list_free(context, &front->sure);
    gz_list_free(context, &front->sure_pairs);
    gz_list_free(context, &front->spare);
    front->usable = false;
}

// How far a point of B's box can have moved between two poses, as seen from A: what its middle has,
// and the change of the matrix times the size. The norm of a matrix is at most the root of the sum
// of its squares.
static double motion(const gz_frames *from, const gz_frames *to)
{
    const gz_tree *b = to->b;
    double change[9], middle[3], squares = 0;
    for (int k = 0; k < 9; ++k) {
        change[k] = to->matrix[k] - from->matrix[k];
        squares += change[k] * change[k];
    }
    for (int i = 0; i < 3; ++i)
        middle[i] = change[3 * i] * b->origin[0] + change[3 * i + 1] * b->origin[1] +
                    change[3 * i + 2] * b->origin[2] + (to->shift[i] - from->shift[i]);
    return (gz_length3(middle) + sqrt(squares) * gz_length3(b->half)) * (1 + 1e-9) +
           8 * (from->error + to->error);
}

static bool is_about(const gz_front *front, const gz_pair_wish *wish)
{
    return front->tree_a == wish->a->serial && front->tree_b == wish->b->serial &&
           front->tolerance == wish->tolerance && front->one_each == wish->one_each;
}

// The numbers of the triangles that stay in contact, sorted once for all questions.
static graze_status sort_sure(gz_pair_query *query)
{
    gz_front *front = query->front;
    const gz_pair_place *sure = front->sure.items;
    uint64_t count = front->sure.count; // none where one pair of two leaves will do
    front->sure_pairs.count = front->spare.count = 0;
    graze_pair *pairs = gz_list_push(query->context, &front->sure_pairs, count);
    graze_pair *spare = gz_list_push(query->context, &front->spare, count);
    if (count != 0 && (pairs == NULL || spare == NULL))
        return GRAZE_ERROR_MEMORY;
    for (uint64_t i = 0; i < count; ++i)
        pairs[i] = gz_frames_pair(&query->frames, sure[i].leaf_a, sure[i].slot_a, sure[i].leaf_b,
                                  sure[i].slot_b);
    if (gz_pairs_sort(pairs, spare, count, query->wish.a->triangle_count,
                      query->wish.b->triangle_count) == spare) {
        gz_pair_list sorted = front->spare;
        front->spare = front->sure_pairs;
        front->sure_pairs = sorted;
    }
    return GRAZE_OK;
}

// Lists all pairs that are not proved to be farther apart than the tolerance and the reach.
static graze_status make(gz_pair_query *query, const gz_pair_wish *wish, const gz_frames *now,
                         double reach)
{
    gz_front *front = query->front;
    gz_pair_wish wide = *wish;
    wide.tolerance = wish->tolerance + reach;
    wide.near = NULL;
    wide.recorded = true;
    wide.inner = wish->tolerance;
    wide.reach = reach;
    front->places.count = front->sure.count = 0;
    front->usable = false;
    graze_status status = gz_pair_query_run(query, &wide);
    if (status == GRAZE_OK && !query->stopped)
        status = sort_sure(query);
    if (status != GRAZE_OK || query->stopped)
        return status;
    front->made = *now;
    front->reach = reach;
    front->usable = true;
    return GRAZE_OK;
}

// A reach for things that move by so much from question to question; 0 where a front does not pay:
// at rest there is nothing to learn from, and fast things have left the list when it is made.
static double reach_for(const gz_pair_wish *wish, double step)
{
    double grain = fmin(wish->a->grain, wish->b->grain);
    return step > 0 && step < FASTEST * grain ? fmin(STEPS * step, WIDEST * grain) : 0;
}

// Adds the pairs that need no test to the answer.
static void add_sure(gz_pair_query *query)
{
    const gz_front *front = query->front;
    const gz_pair_place *sure = front->sure.items;
    if (!query->wish.placed) {
        query->counters.contacts += front->sure.count;
        query->with_sure = query->wish.listed;
        return;
    }
    for (uint64_t first = 0; first < front->sure.count; first += SOME) {
        uint64_t left = front->sure.count - first;
        gz_pair_keep(query, sure + first, left < SOME ? (uint32_t)left : SOME);
    }
}

graze_status gz_front_run(gz_pair_query *query, const gz_pair_wish *wish)
{
    gz_front *front = query->front;
    gz_frames now;
    gz_frames_set(&now, wish->a, wish->pose_a, wish->b, wish->pose_b, wish->tolerance);
    bool known = is_about(front, wish) && now.sound;
    gz_pair_counters making = {0};
    gz_pair_wish asked = *wish;
    graze_status status = GRAZE_OK;
    if (!known)
        front->usable = false;
    if (known) {
        double spread = wish->a->spread + wish->b->spread;
        double allowed = front->reach - 4e-8 * (front->reach + wish->tolerance + spread);
        double reach = reach_for(wish, motion(&front->last, &now));
        if (front->usable && !(motion(&front->made, &now) <= allowed))
            front->usable = false;
        if (!front->usable && reach > 0) {
            status = make(query, wish, &now, reach);
            making = query->counters;
        }
    }
    front->tree_a = wish->a->serial;
    front->tree_b = wish->b->serial;
    front->tolerance = wish->tolerance;
    front->one_each = wish->one_each;
    front->last = now;
    if (status != GRAZE_OK)
        return status;
    asked.by_front = front->usable;
    front->uses += front->usable;
    status = gz_pair_query_run(query, &asked);
    gz_pair_counters_add(&query->counters, &making);
    if (status == GRAZE_OK && front->usable && !query->stopped)
        add_sure(query);
    return query->status;
}
