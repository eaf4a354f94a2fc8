// The walk down the tree of hull pairs. See detail_pairs.h.
//
// A pair whose hulls are proved to be farther apart than the tolerance and what both stray is
// dropped; one whose weighted deviation is small enough is a contact; the others are replaced by
// pairs of the children of one of the two, always of the same one, whatever the poses. Two leaves
// are settled by their triangles.
//
// What a front remembers decides nothing by itself: a pair is apart if an axis, or how far things
// have moved, proves it by a margin that a search from the start would not miss either; it is near
// if a distance that was found is still small enough. All else is computed from the start. So the
// answer does not depend on the front.
#include "clod/detail_pairs.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/heap.h"
#include "base/sort.h"
#include "base/threads.h"
#include "geometry/vector.h"

#define UNKNOWN   UINT32_MAX
#define MARGIN    1e-7   // of the radii: no search ends so far from the true distance
#define LEEWAY    1e-12  // of the radii: more than the rounding of a distance
#define LOOK_EACH 16u    // refinements: at the clock
#define ASK_EACH  65536u // pairs: whether to go on

// The largest ratio first.
GZ_HEAP(pair_heap, gz_waiting_pair, ratio, >)

typedef enum finding { IS_APART, IS_NEAR } finding;

typedef struct walk {
    gz_detail_run *run;
    const gz_detail_wish *wish;
    gz_detail_frames frames;
    const gz_hull_pair *before; // of the front
    double motion;              // of points of b in the frame of a, since then
    bool limited;
} walk;

void gz_detail_front_free(graze_context *context, gz_detail_front *front)
{
    if (front != NULL)
        gz_list_free(context, &front->pairs);
}

void gz_detail_run_free(gz_detail_run *run)
{
    if (run == NULL)
        return;
    gz_list_free(run->context, &run->pairs);
    gz_list_free(run->context, &run->ends);
    gz_list_free(run->context, &run->waiting);
    gz_list_free(run->context, &run->contacts);
    gz_list_free(run->context, &run->order);
    gz_list_free(run->context, &run->order_scratch);
}

static const gz_detail_node *node_of(const walk *w, int side, uint32_t number)
{
    return &w->wish->detail[side]->nodes[number];
}

// --- Looking at a pair

// What is allowed where the two hulls are nearest.
static double allowed(const walk *w, const gz_hull_answer *nearest)
{
    double error = w->wish->error;
    if (w->wish->error_function == NULL)
        return error;
    graze_box box = gz_detail_place(&w->frames, nearest);
    double here = w->wish->error_function(w->wish->error_user, &box);
    here = here >= 0 ? here : 0; // and where it is no number
    return error > 0 && error < here ? error : here;
}

static double ratio_at(const walk *w, const gz_detail_node *a, const gz_detail_node *b,
                       const gz_hull_answer *nearest)
{
    double weight = fmax(a->weight, b->weight), most = allowed(w, nearest);
    if (a->child_count == 0 && b->child_count == 0)
        return 0;
    if (!(most > 0) || weight == HUGE_VAL)
        return HUGE_VAL;
    double area = gz_detail_area(&w->frames, a, b, nearest);
    return weight == 0 ? 0 : weight / area / most;
}

// Is the pair refined wherever the hulls are in contact? Then it does not matter where that is.
static bool surely_refined(const walk *w, const gz_detail_node *a, const gz_detail_node *b)
{
    if (w->limited || (a->child_count == 0 && b->child_count == 0))
        return false;
    double weight = fmax(a->weight, b->weight);
    if (weight == HUGE_VAL)
        return true;
    if (w->wish->error_function != NULL)
        return false;
    return weight > w->wish->error * fmin(a->area, b->area) * (1 + 1e-9) || w->wish->error == 0;
}

static void remember(gz_hull_pair *pair, const gz_hull_answer *found)
{
    for (int i = 0; i < 3; ++i)
        pair->axis[i] = (float)found->axis[i];
    pair->least = found->low;
    pair->most = found->high;
}

// A float axis is not quite of length 1: it is made so before it is used.
static bool still_apart(const walk *w, gz_hull_pair *pair, const gz_hull *a, const gz_hull *b,
                        double reach)
{
    const gz_hull_pair *before = &w->before[pair->before];
    memcpy(pair->axis, before->axis, sizeof pair->axis);
    pair->least = before->least - w->motion;
    if (pair->least > reach)
        return true;
    double axis[3] = {before->axis[0], before->axis[1], before->axis[2]};
    double length = gz_length3(axis);
    if (!(length > 0.5))
        return false;
    for (int i = 0; i < 3; ++i)
        axis[i] /= length;
    pair->least = gz_hull_gap(a, b, &w->frames.map, axis);
    return pair->least > reach;
}

static finding look(walk *w, gz_hull_pair *pair)
{
    const gz_detail_node *a = node_of(w, 0, pair->a), *b = node_of(w, 1, pair->b);
    gz_hull hull_a = gz_detail_hull(w->wish->detail[0], a);
    gz_hull hull_b = gz_detail_hull(w->wish->detail[1], b);
    double reach = gz_detail_reach(&w->frames, a, b), radii = a->radius + b->radius;
    bool refined = surely_refined(w, a, b);
    ++w->run->counters.hull_pairs;
    pair->least = 0;
    pair->most = HUGE_VAL;
    if (pair->before != UNKNOWN && w->before != NULL) {
        const gz_hull_pair *before = &w->before[pair->before];
        double most = before->most + w->motion;
        if (refined && most + LEEWAY * radii < reach) {
            pair->most = most;
            memcpy(pair->axis, before->axis, sizeof pair->axis);
            pair->ratio = HUGE_VAL;
            return IS_NEAR;
        }
        if (still_apart(w, pair, &hull_a, &hull_b, reach + MARGIN * radii))
            return IS_APART;
    }
    gz_hull_answer found;
    ++w->run->counters.hull_distances;
    gz_hull_distance(&hull_a, &hull_b, &w->frames.map, reach, &found);
    remember(pair, &found);
    if (found.low > reach)
        return IS_APART;
    pair->ratio = refined ? HUGE_VAL : ratio_at(w, a, b, &found);
    if (a->child_count != 0 || b->child_count != 0)
        return IS_NEAR;
    pair->exact = gz_detail_leaves_meet(&w->frames, a, b, &w->run->counters.triangle_tests);
    return pair->exact != 0 ? IS_NEAR : IS_APART;
}

// --- Refining

// Which of the two is replaced by its children: always the same one.
static int side_of(const gz_detail_node *a, const gz_detail_node *b)
{
    if (a->child_count == 0 || b->child_count == 0)
        return a->child_count == 0 ? 1 : 0;
    if (a->weight != b->weight)
        return a->weight > b->weight ? 0 : 1;
    return a->radius >= b->radius ? 0 : 1;
}

static graze_status no_memory(const walk *w)
{
    return gz_fail(w->run->context, GRAZE_ERROR_MEMORY,
                   "graze_query_detail: out of memory after %llu pairs of hulls",
                   (unsigned long long)w->run->counters.hull_pairs);
}

static bool push_end(walk *w, uint32_t number)
{
    uint32_t *room = gz_list_push(w->run->context, &w->run->ends, 1);
    if (room != NULL)
        *room = number;
    return room != NULL;
}

// A near pair waits to be refined, or is a contact. With limits, all of them wait: the worst one is
// refined next, and what is left at the end are the contacts.
static bool keep(walk *w, uint32_t number)
{
    double ratio = w->run->pairs.items[number].ratio;
    if (!w->limited && !(ratio > 1))
        return push_end(w, number);
    gz_waiting_pair waiting = {ratio, number};
    if (w->limited)
        return pair_heap_push(w->run->context, GZ_ITEMS(&w->run->waiting), &waiting);
    return gz_list_append(w->run->context, &w->run->waiting, &waiting, 1);
}

static bool look_and_keep(walk *w, uint32_t number)
{
    gz_hull_pair pair = w->run->pairs.items[number];
    finding found = look(w, &pair);
    w->run->pairs.items[number] = pair;
    if (found == IS_NEAR)
        return keep(w, number);
    ++w->run->counters.front;
    return true;
}

static bool refine(walk *w, uint32_t number)
{
    gz_hull_pair parent = w->run->pairs.items[number];
    const gz_detail_node *node[2] = {node_of(w, 0, parent.a), node_of(w, 1, parent.b)};
    int side = side_of(node[0], node[1]);
    uint64_t first = w->run->pairs.count, count = node[side]->child_count;
    uint32_t below =
        parent.before == UNKNOWN || w->before == NULL ? 0 : w->before[parent.before].first_child;
    gz_hull_pair *made = gz_list_push(w->run->context, &w->run->pairs, count);
    if (made == NULL || w->run->pairs.count >= UNKNOWN)
        return false;
    w->run->pairs.items[number].first_child = (uint32_t)first;
    ++w->run->counters.refined;
    for (uint32_t i = 0; i < count; ++i) {
        made[i] = (gz_hull_pair){.a = parent.a, .b = parent.b, .before = UNKNOWN};
        *(side == 0 ? &made[i].a : &made[i].b) = node[side]->first_child + i;
        if (below != 0)
            made[i].before = below + i;
    }
    for (uint64_t i = 0; i < count; ++i)
        if (!look_and_keep(w, (uint32_t)(first + i)))
            return false;
    return true;
}

static bool is_spent(const walk *w)
{
    uint64_t refined = w->run->counters.refined;
    if (w->wish->work_limit != 0 && refined >= w->wish->work_limit)
        return true;
    return w->wish->deadline != 0 && refined % LOOK_EACH == 0 && gz_clock_ns() >= w->wish->deadline;
}

static graze_status walk_limited(walk *w)
{
    gz_list *heap = GZ_ITEMS(&w->run->waiting);
    gz_waiting_pair worst;
    while (w->run->waiting.count != 0 && w->run->waiting.items[0].ratio > 1) {
        if (is_spent(w)) {
            w->run->stopped = true;
            break;
        }
        pair_heap_pop(heap, &worst);
        if (!refine(w, worst.pair))
            return no_memory(w);
    }
    for (uint64_t i = 0; i < w->run->waiting.count; ++i)
        if (!push_end(w, w->run->waiting.items[i].pair))
            return no_memory(w);
    return GRAZE_OK;
}

static graze_status walk_all(walk *w)
{
    uint64_t asked = 0;
    while (w->run->waiting.count != 0) {
        uint32_t number = w->run->waiting.items[--w->run->waiting.count].pair;
        if (!refine(w, number))
            return no_memory(w);
        if (w->run->counters.hull_pairs - asked >= ASK_EACH) {
            asked = w->run->counters.hull_pairs;
            graze_status status =
                gz_checkpoint(w->run->context, "colliding", "pairs of hulls", asked, 0);
            if (status != GRAZE_OK)
                return status;
        }
    }
    return GRAZE_OK;
}

// --- The front

// No point of b has moved farther than this, as seen from a.
static double motion_between(const gz_hull_map *from, const gz_hull_map *to, double radius)
{
    double turn = 0, shift = 0;
    for (int i = 0; i < 9; ++i) {
        double off = to->rotation[i] - from->rotation[i];
        turn += off * off;
    }
    for (int i = 0; i < 3; ++i) {
        double off = to->translation[i] - from->translation[i];
        shift += off * off;
    }
    return (sqrt(turn) * radius + sqrt(shift)) * (1 + 0x1p-40);
}

static void begin_front(walk *w)
{
    gz_detail_front *front = w->wish->front;
    if (front == NULL || front->pairs.count == 0 ||
        front->serial[0] != w->wish->detail[0]->serial ||
        front->serial[1] != w->wish->detail[1]->serial)
        return;
    w->before = front->pairs.items;
    // What the frames round away is in there, too.
    w->motion =
        motion_between(&front->map, &w->frames.map, w->wish->detail[1]->radius) + w->frames.slack;
}

// The lists change places, so that both keep their memory.
static void end_front(walk *w)
{
    gz_detail_front *front = w->wish->front;
    if (front == NULL)
        return;
    gz_hull_pair_list held = front->pairs;
    front->pairs = w->run->pairs;
    w->run->pairs = held;
    front->map = w->frames.map;
    for (int side = 0; side < 2; ++side)
        front->serial[side] = w->wish->detail[side]->serial;
}

// --- The answer

#define ORDER_BYTES 12u

// In the order of the hulls' numbers, whatever the walk was.
static graze_status list_contacts(walk *w)
{
    gz_detail_run *run = w->run;
    uint64_t count = run->ends.count;
    run->order.count = run->contacts.count = 0;
    uint8_t *order = gz_list_push(run->context, &run->order, count * ORDER_BYTES);
    graze_detail_contact *contacts = gz_list_push(run->context, &run->contacts, count);
    if (count != 0 && (order == NULL || contacts == NULL))
        return no_memory(w);
    for (uint64_t i = 0; i < count; ++i) {
        const gz_hull_pair *pair = &run->pairs.items[run->ends.items[i]];
        gz_put_number(order + i * ORDER_BYTES, pair->a, 4);
        gz_put_number(order + i * ORDER_BYTES + 4, pair->b, 4);
        gz_put_number(order + i * ORDER_BYTES + 8, run->ends.items[i], 4);
    }
    if (count > 1)
        gz_sort_records(NULL, order, count, ORDER_BYTES, 0, gz_arena_over(NULL, 0));
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t number = (uint32_t)gz_get_number(order + i * ORDER_BYTES + 8, 4);
        gz_detail_contact(&w->frames, &run->pairs.items[number], &contacts[i]);
        run->proved = run->proved || run->pairs.items[number].exact != 0;
    }
    run->counters.front += count;
    return GRAZE_OK;
}

graze_status gz_detail_walk(gz_detail_run *run, const gz_detail_wish *wish)
{
    walk w = {.run = run, .wish = wish, .limited = wish->work_limit != 0 || wish->deadline != 0};
    run->pairs.count = run->ends.count = run->waiting.count = run->contacts.count = 0;
    run->counters = (graze_detail_counters){0};
    run->stopped = run->proved = false;
    gz_detail_frames_set(&w.frames, wish);
    begin_front(&w);
    gz_hull_pair *root = gz_list_push(run->context, &run->pairs, 1);
    if (root == NULL)
        return no_memory(&w);
    *root = (gz_hull_pair){.before = w.before == NULL ? UNKNOWN : 0};
    graze_status status = look_and_keep(&w, 0) ? GRAZE_OK : no_memory(&w);
    if (status == GRAZE_OK)
        status = w.limited ? walk_limited(&w) : walk_all(&w);
    if (status == GRAZE_OK)
        status = list_contacts(&w);
    if (status == GRAZE_OK)
        end_front(&w);
    run->work = run->counters.refined;
    return status;
}
