// How far apart are two shapes, to an error? See lod_collide.h.
//
// Pairs of boxes over the parts of two LOD cuts wait in a heap, those that may be closest first;
// boxes hold what parts stand for, so their gap is a bound for the originals. Two parts that are d
// apart say that their originals are at least d less both forward bounds, and at most d plus both
// backward bounds apart. The search ends when all that wait is farther than the least of the lower
// bounds: that is then proved, and the upper bound of the same two parts is within the error of it.
// The order of the heap depends on the gaps only, and so does the answer.
#include <math.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/heap.h"
#include "base/threads.h"
#include "geometry/fpu.h"
#include "geometry/rounding.h"
#include "geometry/triangle.h"
#include "query/budget.h"
#include "query/lod_collide.h"

#define SLACK 1e-12 // of a distance that is rounded

typedef struct gz_waiting_parts {
    double gap; // what the two stand for is at least this far apart
    gz_part_node a, b;
} waiting;

typedef struct question {
    graze_query *query;
    const graze_distance_def *def;
    gz_lod_sides sides;
    gz_side side[2];
    gz_part_pins pins;
    graze_distance *out;
    double least; // of the lower bounds so far
    bool stopped;
} question;

GZ_HEAP(heap, waiting, gap, <)

static bool push(question *q, waiting w)
{
    return heap_push(q->query->context, GZ_ITEMS(&q->query->lod_heap), &w);
}

static double bound_of(const question *q, int side, uint32_t part, bool forward)
{
    const gz_lod_cut *cut = q->sides.cut[side];
    if (cut == NULL)
        return 0;
    return (double)(forward ? cut->parts[part].forward : cut->parts[part].backward);
}

// Numbers in the cut; the distance knows those of the page, or of the mesh.
static uint32_t number_of(const question *q, int side, uint32_t part, uint32_t number)
{
    const gz_lod_cut *cut = q->sides.cut[side];
    const gz_tree *tree = q->pins.tree[side];
    for (uint64_t place = 0; cut != NULL && place < tree->triangle_count; ++place)
        if (tree->order[place] == number)
            return cut->parts[part].first + (uint32_t)place;
    return number;
}

static void keep(question *q, const graze_distance *got, const uint32_t part[2], double most)
{
    graze_distance *out = q->out;
    graze_counters counters = out->counters;
    bool swapped = q->sides.question.swapped;
    *out = *got;
    out->counters = counters;
    out->distance = most;
    uint32_t a = number_of(q, 0, part[0], got->pair.a), b = number_of(q, 1, part[1], got->pair.b);
    out->pair = swapped ? (graze_pair){b, a} : (graze_pair){a, b};
    for (int axis = 0; axis < 3 && swapped; ++axis) {
        out->point_a[axis] = got->point_b[axis];
        out->point_b[axis] = got->point_a[axis];
    }
}

static uint64_t work_left(const question *q)
{
    uint64_t done = q->out->counters.work, left = UINT64_MAX;
    if (q->def->work_limit != 0)
        left = q->def->work_limit > done ? q->def->work_limit - done : 1;
    if (q->query->budget != NULL) { // work is about nanoseconds
        uint64_t now = gz_clock_ns(), deadline = q->query->budget->deadline;
        uint64_t time = deadline > now ? deadline - now : 1;
        left = time < left ? time : left;
    }
    return left;
}

// Whether triangles of the pinned parts share a point, which the search for the closest does not
// look for: then these are the closest.
static graze_status ask_contact(question *q, graze_distance *got, bool *found)
{
    gz_pair_query *pairs = &q->query->pairs;
    gz_pair_wish wish =
        gz_pair_wish_all(q->pins.tree[0], q->side[0].pose, q->pins.tree[1], q->side[1].pose);
    wish.bare = wish.placed = true;
    wish.pair_limit = 1;
    wish.work_limit = work_left(q);
    graze_status status = gz_pair_query_run(pairs, &wish);
    graze_counters more = gz_question_counters(&pairs->counters);
    gz_counters_add(&q->out->counters, &more);
    *found = status == GRAZE_OK && pairs->counters.contacts != 0;
    q->stopped = !*found && pairs->stopped;
    if (!*found)
        return status;
    const gz_pair_place *place = pairs->places.items;
    graze_triangle a, b;
    graze_closest closest;
    gz_frames_triangles(&pairs->frames, place->leaf_a, place->slot_a, place->leaf_b, place->slot_b,
                        &a, &b);
    gz_triangle_closest(&a, &b, &closest);
    *got = (graze_distance){.pair = *(const graze_pair *)pairs->pairs.items};
    for (int axis = 0; axis < 3; ++axis) {
        got->point_a[axis] = closest.point_a[axis];
        got->point_b[axis] = closest.point_b[axis];
    }
    return GRAZE_OK;
}

// The closest triangles of the pinned parts, if they are not farther than `limit`.
static graze_status ask_closest(question *q, double limit, graze_distance *got)
{
    gz_distance_query *search = &q->query->distance;
    search->limit = limit;
    search->work_limit = work_left(q);
    graze_status status = gz_distance_query_run(search, q->pins.tree[0], q->side[0].pose,
                                                q->pins.tree[1], q->side[1].pose, got);
    graze_counters more = gz_question_counters(&search->counters);
    gz_counters_add(&q->out->counters, &more);
    q->stopped = search->stopped;
    return status;
}

// Triangles that are farther apart than this say nothing new.
static double limit_for(const question *q, const uint32_t part[2], double forward)
{
    double more = forward + gz_lod_rounding(&q->sides.question, part);
    return (fmin(q->least, q->def->limit) + more) * (1 + SLACK);
}

static graze_status ask_parts(question *q, const waiting *w)
{
    const uint32_t part[2] = {w->a.index, w->b.index};
    double forward = bound_of(q, 0, part[0], true) + bound_of(q, 1, part[1], true);
    double backward = bound_of(q, 0, part[0], false) + bound_of(q, 1, part[1], false);
    graze_status status = gz_parts_pin_pair(&q->pins, (gz_part_pair){part[0], part[1]});
    if (status != GRAZE_OK)
        return status;
    if (q->pins.tree[0] == NULL || q->pins.tree[1] == NULL) { // a page is missing
        q->stopped = true;
        q->least = fmin(q->least, w->gap);
        return GRAZE_OK;
    }
    graze_distance got = {0};
    bool touching = false;
    if (!(w->gap > 0))
        status = ask_contact(q, &got, &touching);
    if (status == GRAZE_OK && !touching && !q->stopped)
        status = ask_closest(q, limit_for(q, part, forward), &got);
    q->out->counters.part_pairs++;
    if (status != GRAZE_OK)
        return status;
    if (q->stopped) {
        q->least = fmin(q->least, w->gap);
        if (q->query->budget != NULL)
            q->query->budget->late = true;
        return GRAZE_OK;
    }
    if (!(got.distance < HUGE_VAL))
        return GRAZE_OK;
    double more = gz_lod_rounding(&q->sides.question, part), low = got.distance, most = low;
    if (more > 0) { // it is right to an ulp
        low = gz_step_down64(gz_step_down64(low) - gz_step_up64(gz_step_up64(forward) + more));
        most = gz_step_up64(gz_step_up64(most) + gz_step_up64(gz_step_up64(backward) + more));
    }
    low = fmax(0, low);
    q->least = fmin(q->least, low);
    if (most < q->out->distance)
        keep(q, &got, part, most);
    return GRAZE_OK;
}

static bool open_boxes(question *q, const waiting *w)
{
    bool open_a = w->a.level >= w->b.level;
    gz_part_node below;
    uint32_t count = open_a ? gz_parts_below(q->side[0].shape, w->a, &below)
                            : gz_parts_below(q->side[1].shape, w->b, &below);
    for (uint32_t i = 0; i < count; ++i, ++below.index) {
        waiting next = {.a = open_a ? below : w->a, .b = open_a ? w->b : below};
        double gap = gz_parts_gap(&q->side[0], next.a, &q->side[1], next.b);
        if (next.a.level == 0 && next.b.level == 0) {
            double sharp = gz_parts_leaf_gap(&q->side[0], next.a, &q->side[1], next.b);
            gap = fmax(gap, sharp);
        }
        next.gap = fmax(w->gap, gap);
        if (next.gap < q->least && !(next.gap > q->def->limit) && !push(q, next))
            return false;
    }
    return true;
}

static graze_status search(question *q)
{
    graze_status status = GRAZE_OK;
    q->query->lod_heap.count = 0;
    q->least = q->out->distance = HUGE_VAL;
    bool room = push(
        q, (waiting){.a = gz_parts_root(q->side[0].shape), .b = gz_parts_root(q->side[1].shape)});
    while (room && status == GRAZE_OK && !q->stopped && q->query->lod_heap.count != 0) {
        waiting w;
        heap_pop(GZ_ITEMS(&q->query->lod_heap), &w);
        if (w.gap >= q->least)
            break;
        if (w.a.level != 0 || w.b.level != 0) {
            room = open_boxes(q, &w);
            continue;
        }
        status = ask_parts(q, &w);
        if (q->stopped && q->query->lod_heap.count != 0)
            q->least = fmin(q->least, ((const waiting *)q->query->lod_heap.items)[0].gap);
        if (status == GRAZE_OK)
            status = gz_checkpoint(q->query->context, "measuring", "clusters", 0, 0);
    }
    return room ? status : GRAZE_ERROR_MEMORY;
}

static void finish(question *q)
{
    graze_distance *out = q->out;
    out->least = fmin(q->least, out->distance);
    if (!(q->least < HUGE_VAL) || q->least > q->def->limit) // nothing within the limit
        out->least = q->def->limit;
    if (q->stopped)
        out->verdict = GRAZE_UNDECIDED;
    else if (out->distance <= q->def->limit)
        out->verdict = GRAZE_CONTACT;
    else
        out->verdict = q->least > q->def->limit ? GRAZE_APART : GRAZE_WITHIN_ERROR;
    if (out->verdict == GRAZE_APART)
        out->distance = HUGE_VAL;
    out->counters.page_loads = q->pins.loads;
}

graze_status gz_lod_distance(graze_query *query, graze_posed a, graze_posed b,
                             const graze_distance_def *def, graze_distance *out)
{
    question q = {.query = query, .def = def, .out = out};
    q.pins.budget = query->budget;
    const gz_lod_error_def error = {.error = def->error};
    graze_status status = gz_lod_sides_set(query, a, b, &error, 0, &q.sides);
    for (int i = 0; i < 2 && status == GRAZE_OK; ++i) {
        status = gz_side_set(q.sides.posed[i], &q.side[i]);
        q.pins.side[i] = &q.side[i];
    }
    if (status == GRAZE_OK) {
        gz_fpu_state state = gz_fpu_enter();
        status = search(&q);
        gz_fpu_leave(state);
    }
    gz_parts_unpin(&q.pins);
    if (status == GRAZE_OK)
        finish(&q);
    gz_lod_sides_end(&q.sides);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(query->context, status, "graze_query_distance: out of memory");
    return status;
}
