// How far apart are two shapes, where one of them has many parts? See part_pins.h.
//
// First: do they share a point? Then the pair is the first of all that do. If not: pairs of boxes
// wait in a heap, those that may be closest first. A pair of parts is asked for what is not farther
// than the closest so far, and the search ends when all that wait is farther. Which of two pairs of
// triangles is closer is decided exactly, as within one tree.
#include <float.h>
#include <math.h>

#include "base/context.h"
#include "base/heap.h"
#include "base/threads.h"
#include "geometry/fpu.h"
#include "geometry/triangle.h"
#include "query/part_pins.h"

typedef struct gz_waiting_clusters {
    double gap; // the two are at least this far apart
    gz_part_node a, b;
    bool sharp; // the gap is of leaves
} waiting;

typedef struct question {
    graze_query *query;
    gz_side a, b;
    const graze_distance_def *def;
    gz_part_pins pins;
    graze_distance *out;
    graze_triangle best_a, best_b; // if found
    bool found, stopped;
    double least_open; // when stopped: what was not asked is at least this far apart
} question;

static uint64_t work_left(const question *q)
{
    if (q->def->work_limit == 0)
        return UINT64_MAX;
    uint64_t done = q->out->counters.work;
    return q->def->work_limit > done ? q->def->work_limit - done : 1;
}

GZ_HEAP(heap, waiting, gap, <)

static bool push(question *q, waiting w)
{
    return heap_push(q->query->context, GZ_ITEMS(&q->query->heap), &w);
}

// The gap of two parts, if one of them is a whole tree: that of its leaves.
static double sharp_gap(const question *q, const waiting *w)
{
    return fmax(w->gap, gz_parts_leaf_gap(&q->a, w->a, &q->b, w->b));
}

static double reach(const question *q)
{
    return q->found ? fmin(q->out->distance, q->def->limit) : q->def->limit;
}

// Asks a pair of parts, and keeps what is closer; of what is equally close the first by numbers.
static graze_status ask_parts(question *q, const waiting *w)
{
    gz_distance_query *search = &q->query->distance;
    graze_distance got = {0};
    graze_status status = gz_parts_pin_pair(&q->pins, (gz_part_pair){w->a.index, w->b.index});
    if (status != GRAZE_OK)
        return status;
    search->limit = reach(q) * (1 + 1e-12); // the distance so far is rounded
    search->work_limit = work_left(q);
    status =
        gz_distance_query_run(search, q->pins.tree[0], q->a.pose, q->pins.tree[1], q->b.pose, &got);
    graze_counters more = gz_question_counters(&search->counters);
    gz_counters_add(&q->out->counters, &more);
    if (status != GRAZE_OK)
        return status;
    if (search->stopped) {
        q->stopped = true;
        q->least_open = fmin(got.least, w->gap);
    }
    if (!(got.distance < HUGE_VAL))
        return GRAZE_OK;
    int order = !q->found ? -1
                          : gz_triangle_compare(&search->closest_a, &search->closest_b, &q->best_a,
                                                &q->best_b);
    if (order > 0 || (order == 0 && !gz_pair_before(got.pair, q->out->pair)))
        return GRAZE_OK;
    graze_counters counters = q->out->counters;
    *q->out = got;
    q->out->counters = counters;
    q->best_a = search->closest_a;
    q->best_b = search->closest_b;
    q->found = true;
    return GRAZE_OK;
}

static bool open_boxes(question *q, const waiting *w)
{
    bool open_a = w->a.level >= w->b.level;
    gz_part_node below;
    uint32_t count = open_a ? gz_parts_below(q->a.shape, w->a, &below)
                            : gz_parts_below(q->b.shape, w->b, &below);
    for (uint32_t i = 0; i < count; ++i, ++below.index) {
        waiting next = {.a = open_a ? below : w->a, .b = open_a ? w->b : below};
        next.gap = fmax(w->gap, gz_parts_gap(&q->a, next.a, &q->b, next.b));
        if (!(next.gap > reach(q)) && !push(q, next))
            return false;
    }
    return true;
}

static graze_status search_boxes(question *q)
{
    graze_context *context = q->query->context;
    graze_status status = GRAZE_OK;
    q->query->heap.count = 0;
    bool room = push(q, (waiting){.a = gz_parts_root(q->a.shape), .b = gz_parts_root(q->b.shape)});
    while (room && status == GRAZE_OK && !q->stopped && q->query->heap.count != 0) {
        waiting w;
        heap_pop(GZ_ITEMS(&q->query->heap), &w);
        if (w.gap > reach(q))
            break;
        if (w.a.level != 0 || w.b.level != 0) {
            room = open_boxes(q, &w);
        } else if (!w.sharp) {
            w.sharp = true;
            w.gap = sharp_gap(q, &w);
            room = w.gap > reach(q) || push(q, w);
        } else {
            status = ask_parts(q, &w);
            if (status == GRAZE_OK)
                status = gz_checkpoint(context, "measuring", "clusters", 0, 0);
        }
    }
    if (!room)
        return GRAZE_ERROR_MEMORY;
    if (q->stopped && q->query->heap.count != 0)
        q->least_open = fmin(q->least_open, ((const waiting *)q->query->heap.items)[0].gap);
    return status;
}

static void finish(question *q)
{
    graze_distance *out = q->out;
    if (q->stopped) {
        out->verdict = GRAZE_UNDECIDED;
        out->least = q->found ? fmin(q->least_open, out->distance) : q->least_open;
        out->distance = q->found ? out->distance : HUGE_VAL;
        return;
    }
    if (!q->found) {
        out->verdict = GRAZE_APART;
        out->distance = HUGE_VAL;
        out->least = q->def->limit;
        return;
    }
    out->verdict = gz_triangle_within(&q->best_a, &q->best_b, fmin(q->def->limit, DBL_MAX))
                       ? GRAZE_CONTACT
                       : GRAZE_APART;
}

// Whether the two share a point: *touching says so, and the answer is there.
static graze_status ask_contact(question *q, graze_posed a, graze_posed b, bool *touching)
{
    graze_distance *out = q->out;
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    gz_first_pair first = {0};
    def.work_limit = q->def->work_limit;
    graze_status status = gz_parts_collide(q->query, a, b, &def, &answer);
    if (status != GRAZE_OK)
        return status;
    gz_counters_add(&out->counters, &answer.counters);
    *touching = answer.verdict != GRAZE_APART;
    if (answer.verdict == GRAZE_UNDECIDED) { // by the work limit
        *out = (graze_distance){.distance = HUGE_VAL, .counters = out->counters};
        return GRAZE_OK;
    }
    if (answer.verdict == GRAZE_APART || q->def->value_only) {
        out->verdict = answer.verdict;
        return GRAZE_OK;
    }
    status = gz_parts_find_first(q->query, a, b, work_left(q), &first, &answer);
    if (status != GRAZE_OK)
        return status;
    gz_counters_add(&out->counters, &answer.counters);
    out->verdict = answer.complete ? GRAZE_CONTACT : GRAZE_UNDECIDED;
    if (!first.found)
        return GRAZE_OK;
    graze_closest closest;
    gz_triangle_closest(&first.a, &first.b, &closest);
    out->pair = first.pair;
    for (int axis = 0; axis < 3; ++axis) {
        out->point_a[axis] = closest.point_a[axis];
        out->point_b[axis] = closest.point_b[axis];
    }
    return GRAZE_OK;
}

graze_status gz_parts_distance(graze_query *query, graze_posed a, graze_posed b,
                               const graze_distance_def *def, graze_distance *out)
{
    question q = {.query = query, .def = def, .out = out};
    bool touching = false;
    graze_status status = gz_side_set(a, &q.a);
    if (status == GRAZE_OK)
        status = gz_side_set(b, &q.b);
    if (status == GRAZE_OK)
        status = ask_contact(&q, a, b, &touching);
    if (status == GRAZE_OK && !touching) {
        q.pins.side[0] = &q.a;
        q.pins.side[1] = &q.b;
        gz_fpu_state state = gz_fpu_enter();
        status = search_boxes(&q);
        if (status == GRAZE_OK)
            finish(&q);
        gz_fpu_leave(state);
        gz_parts_unpin(&q.pins);
    }
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(query->context, status, "graze_query_distance: out of memory");
    return status;
}

void gz_parts_distance_free(graze_query *query)
{
    gz_list_free(query->context, &query->heap);
    gz_list_free(query->context, &query->lod_heap);
}
