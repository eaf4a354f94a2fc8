// The order of collapses. See simplify.h.
//
// Each vertex that may move has a plan: the target that is cheapest by the rough cost. The queue
// holds vertices by the cost of their plans. When a vertex comes up, its plan is checked by the
// careful cost, goes back if it costs more than the next one, and is carried out otherwise. A
// collapse makes plans anew only for the vertex that was moved onto and for those that wanted to go
// where the moved one was; the others around it are checked again when they come up. So a collapse
// costs a few looks at stars, and the number of looks without one is bounded by the vertices around
// the collapses.
#include "simplify/simplify.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "simplify/bridges.h"
#include "simplify/collapse_cost.h"
#include "simplify/union_find.h"

#define FIRST_REACH 0x1p-10 // of bridges; the patch has a size of 1 to 2
#define LAST_REACH  4.0

// Triangles of large stars that may be looked at, for each triangle of the patch and each bit of
// their number: so time stays below that of sorting many times, whatever the patch is like.
#define PATIENCE 16

void gz_simplifier_free(gz_simplifier *simplifier)
{
    gz_list_free(simplifier->context, &simplifier->bytes);
}

static bool may_move(const gz_work *work, uint32_t v)
{
    return work->stars.star[v].live != 0 && (work->locked == NULL || !work->locked[v]);
}

// Large stars are looked at as long as patience lasts, which is a fixed multiple of the patch.
static bool too_large(gz_work *work, uint32_t v)
{
    uint32_t live = work->stars.star[v].live;
    if (live <= GZ_LARGE_STAR)
        return false;
    work->patience -= live;
    return work->patience < 0;
}

static void set_plan(gz_work *work, uint32_t v, float cost, gz_collapse_choice plan)
{
    if (cost < INFINITY) {
        work->plan[v] = plan;
        gz_queue_set(&work->queue, v, cost);
    } else {
        work->plan[v] = (gz_collapse_choice){.target = GZ_NONE};
        gz_queue_remove(&work->queue, v);
    }
}

// Is this a vertex of another component than v's?
static bool is_apart(gz_work *work, uint32_t v, uint32_t u)
{
    return work->merged[u] == u && work->stars.star[u].live != 0 &&
           gz_union_root(work->component, u) != gz_union_root(work->component, v);
}

// The vertex at the other end of v's bridge, if it still leads to another component.
static uint32_t across(gz_work *work, uint32_t v)
{
    uint32_t u = work->bridge[v];
    if (u == GZ_NONE)
        return GZ_NONE;
    while (work->merged[u] != u)
        u = work->merged[u] = work->merged[work->merged[u]];
    work->bridge[v] = is_apart(work, v, u) ? u : GZ_NONE;
    return work->bridge[v];
}

// The neighbours of v, each once, in work->ring.
static uint32_t find_ring(gz_work *work, uint32_t v)
{
    const uint32_t *list = gz_stars_of(&work->stars, v);
    uint32_t live = work->stars.star[v].live, stamp = gz_next_stamp(work, 1), count = 0;
    for (uint32_t i = 0; i < live; ++i) {
        uint32_t other[2];
        gz_stars_others(&work->stars, list[i], other, other + 1);
        for (int k = 0; k < 2; ++k) { // without a branch: one could not be foreseen
            work->ring[count] = other[k];
            count += work->mark[other[k]] != stamp;
            work->mark[other[k]] = stamp;
        }
    }
    return count;
}

// Squared.
static float bridge_length(const gz_work *work, uint32_t v, uint32_t u)
{
    return (float)gz_squared_distance(work->position[v], work->position[u]);
}

// The cheapest plan by the rough cost, and this cost: infinite for none. Entries of the queue serve
// to compare targets, too: by cost, then by number.
static gz_collapse_choice best_plan(gz_work *work, uint32_t v, float *cost)
{
    *cost = INFINITY;
    if (!may_move(work, v) || too_large(work, v))
        return (gz_collapse_choice){.target = GZ_NONE};
    uint64_t best = gz_queue_entry(INFINITY, GZ_NONE);
    uint32_t ring_count = find_ring(work, v);
    double share = 1 / work->quadric[v].term[GZ_QUADRIC_WEIGHT];
    for (uint32_t i = 0; i < ring_count; ++i) {
        uint32_t w = work->ring[i];
        uint64_t entry = gz_queue_entry(gz_cost_rough(work, v, w, share), w);
        best = entry < best ? entry : best;
    }
    uint32_t u = across(work, v);
    if (u != GZ_NONE && gz_queue_entry(bridge_length(work, v, u), u) < best) {
        *cost = bridge_length(work, v, u);
        return (gz_collapse_choice){.target = u, .bridged = true};
    }
    *cost = gz_queue_cost(best);
    return (gz_collapse_choice){.target = gz_queue_vertex(best)};
}

static void plan(gz_work *work, uint32_t v)
{
    float cost = 0;
    gz_collapse_choice plan = best_plan(work, v, &cost);
    set_plan(work, v, cost, plan);
}

static void plan_all(gz_work *work)
{
    work->queue.count = 0;
    for (uint32_t v = 0; v < work->stars.vertex_count; ++v) {
        float cost = 0;
        work->queue.place[v] = GZ_QUEUE_NOWHERE;
        work->plan[v] = best_plan(work, v, &cost);
        if (cost < INFINITY)
            gz_queue_add(&work->queue, v, cost);
    }
    gz_queue_sort(&work->queue);
}

// Would moving v onto w leave neither of them a triangle? Then a component of the mesh may be gone.
static bool leaves_nothing(gz_work *work, uint32_t v, uint32_t w)
{
    uint32_t live = work->stars.star[v].live;
    if (live != work->stars.star[w].live)
        return false;
    const uint32_t *list = gz_stars_of(&work->stars, v);
    for (uint32_t i = 0; i < live; ++i) {
        uint32_t a = 0, b = 0;
        gz_stars_others(&work->stars, list[i], &a, &b);
        if (a != w && b != w)
            return false;
    }
    return true;
}

// The best plan by the careful cost of all targets.
static void plan_carefully(gz_work *work, uint32_t v)
{
    uint32_t count = find_ring(work, v);
    uint64_t best = gz_queue_entry(INFINITY, GZ_NONE);
    uint32_t u = across(work, v);
    if (u != GZ_NONE)
        work->ring[count++] = u;
    double share = 1 / work->quadric[v].term[GZ_QUADRIC_WEIGHT];
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t w = work->ring[i];
        if (gz_queue_entry(gz_cost_rough(work, v, w, share), w) >= best ||
            (!work->last_resort && leaves_nothing(work, v, w)))
            continue;
        if (too_large(work, v))
            break;
        uint64_t entry = gz_queue_entry(gz_cost_careful(work, v, w), w);
        best = entry < best ? entry : best;
    }
    uint32_t target = gz_queue_vertex(best);
    set_plan(work, v, gz_queue_cost(best),
             (gz_collapse_choice){.target = target, .checked = true, .bridged = target == u});
}

// Returns whether the plan of v, which is the first in the queue, is still the first after a look.
static bool check_plan(gz_work *work, uint32_t v)
{
    uint32_t target = work->plan[v].target;
    bool bridged = work->plan[v].bridged;
    if (too_large(work, v) || (bridged && !is_apart(work, v, target))) {
        plan(work, v);
        return false;
    }
    float rough = gz_queue_cost(work->queue.entry[0]);
    float cost = gz_cost_careful(work, v, target);
    bool large = work->stars.star[v].live > GZ_LARGE_STAR;
    if (large && !(cost < INFINITY))
        plan(work, v);
    else if (!large && cost > 4 * rough)
        plan_carefully(work, v);
    else
        set_plan(work, v, cost > rough ? cost : rough,
                 (gz_collapse_choice){.target = target, .checked = true, .bridged = bridged});
    return work->queue.count != 0 && gz_queue_vertex(work->queue.entry[0]) == v;
}

static void collapse(gz_work *work, uint32_t v, uint32_t w)
{
    gz_queue_remove(&work->queue, v);
    if (work->component_count > 1 && gz_union_join(work->component, v, w))
        work->component_count--;
    uint32_t count = find_ring(work, v);
    gz_stars_merge(&work->stars, v, w);
    gz_quadric_add(work->quadric + w, work->quadric + v);
    work->merged[v] = w;
    // Those that only lost or changed triangles: what was planned is looked at again later.
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t u = work->ring[i];
        if (u == w)
            continue;
        if (work->stars.star[u].live == 0) {
            gz_queue_remove(&work->queue, u);
            continue;
        }
        if (!may_move(work, u))
            continue;
        if (work->plan[u].target == v || work->plan[u].target == GZ_NONE) {
            work->ring[kept++] = u;
            continue;
        }
        work->plan[u].checked = false;
        float cost = gz_cost_rough(work, u, w, 1 / work->quadric[u].term[GZ_QUADRIC_WEIGHT]);
        if (gz_queue_entry(cost, u) < work->queue.entry[work->queue.place[u]])
            set_plan(work, u, cost, (gz_collapse_choice){.target = w});
    }
    // The ring is written over by planning, so those that plan anew are set aside.
    uint32_t *anew = work->ring + work->stars.vertex_count;
    memcpy(anew, work->ring, kept * sizeof *anew);
    for (uint32_t i = 0; i < kept; ++i)
        plan(work, anew[i]);
    bool large = work->stars.star[w].live > GZ_LARGE_STAR && work->plan[w].target != GZ_NONE &&
                 work->plan[w].target != v;
    if (large)
        work->plan[w].checked = false;
    else
        plan(work, w);
}

// Looks for bridges as long as what the next plan costs, and plans anew.
static void reach_farther(gz_work *work, gz_arena scratch)
{
    double wish =
        work->queue.count != 0 ? 2 * sqrt((double)gz_queue_cost(work->queue.entry[0])) : 0;
    double reach = fmax(4 * work->reach, wish);
    work->reach = (float)fmin(reach, LAST_REACH);
    gz_bridges_find(work, work->reach, scratch);
    for (uint32_t v = 0; v < work->stars.vertex_count; ++v)
        if (may_move(work, v) && work->bridge[v] != GZ_NONE) {
            float length = bridge_length(work, v, work->bridge[v]);
            if (work->plan[v].target == GZ_NONE ||
                length < gz_queue_cost(work->queue.entry[work->queue.place[v]]))
                set_plan(work, v, length,
                         (gz_collapse_choice){.target = work->bridge[v], .bridged = true});
        }
}

typedef struct record {
    gz_collapse *collapses;
    gz_collapse_state *states;
    uint32_t count;
    float worst; // squared
} record;

// Returns false when there is nothing more to do.
static bool go_on(gz_work *work, gz_arena scratch, uint32_t collapse_count, uint32_t *last_count)
{
    bool empty = work->queue.count == 0;
    if (work->component_count > 1 &&
        (empty || gz_queue_cost(work->queue.entry[0]) > work->reach * work->reach)) {
        if (work->reach < (float)LAST_REACH || (empty && collapse_count != *last_count)) {
            *last_count = collapse_count;
            reach_farther(work, scratch);
            return true;
        }
    }
    if (!empty)
        return true;
    if (work->last_resort)
        return false;
    work->last_resort = true;
    plan_all(work);
    return true;
}

static void run(gz_work *work, uint32_t target_triangles, gz_arena scratch, record *out)
{
    uint32_t last_count = 0;
    plan_all(work);
    while (work->stars.live > target_triangles && go_on(work, scratch, out->count, &last_count)) {
        if (work->queue.count == 0)
            continue;
        uint32_t v = gz_queue_vertex(work->queue.entry[0]);
        if ((!work->plan[v].checked || work->plan[v].bridged) && !check_plan(work, v))
            continue;
        uint32_t w = work->plan[v].target;
        if (!work->last_resort && leaves_nothing(work, v, w)) {
            plan_carefully(work, v);
            continue;
        }
        out->worst = fmaxf(out->worst, gz_queue_cost(work->queue.entry[0]));
        collapse(work, v, w);
        out->collapses[out->count] = (gz_collapse){v, w};
        out->states[out->count].deviation = ldexp(sqrt((double)out->worst), work->exponent);
        out->states[out->count].triangle_count = work->stars.live;
        out->count++;
    }
}

// Shifts and scales all vertices that are used, so that they lie between 0 and 2.
static graze_status take_positions(gz_work *work, const gz_patch *patch)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < patch->vertex_count; ++v) {
        if (work->stars.star[v].live == 0)
            continue;
        for (int k = 0; k < 3; ++k) {
            double x = patch->position[v][k];
            if (!isfinite(x))
                return GRAZE_ERROR_ARGUMENT;
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    double half = fmax(high[0] * 0.5 - low[0] * 0.5,
                       fmax(high[1] * 0.5 - low[1] * 0.5, high[2] * 0.5 - low[2] * 0.5));
    int exponent = 0;
    (void)frexp(half, &exponent); // half is less than 2^exponent; scaled by 2^-exponent, it is < 1
    exponent = exponent < -1000 ? -1000 : exponent;
    double scale = ldexp(1, -exponent);
    work->exponent = exponent;
    for (uint32_t v = 0; v < patch->vertex_count; ++v)
        if (work->stars.star[v].live != 0)
            for (int k = 0; k < 3; ++k)
                work->position[v][k] = (patch->position[v][k] * 0.5 - low[k] * 0.5) * scale * 2;
    return GRAZE_OK;
}

static void find_components(gz_work *work)
{
    uint32_t used = 0, joined = 0;
    for (uint32_t v = 0; v < work->stars.vertex_count; ++v) {
        work->component[v] = work->merged[v] = v;
        used += work->stars.star[v].live != 0;
    }
    for (uint32_t t = 0; t < work->stars.triangle_count; ++t) {
        const uint32_t *c = work->stars.corner[t];
        if (!c[3]) {
            joined += gz_union_join(work->component, c[0], c[1]);
            joined += gz_union_join(work->component, c[1], c[2]);
        }
    }
    work->component_count = used - joined;
}

// Takes all arrays of the work from the arena. With an arena of no bytes it only counts.
static bool take_arrays(gz_work *work, record *out, gz_arena *arena, const gz_patch *patch)
{
    uint64_t v = patch->vertex_count, t = patch->triangle_count;
    gz_stars *stars = &work->stars;
    stars->vertex_count = patch->vertex_count;
    stars->triangle_count = patch->triangle_count;
    stars->pool_room = (uint32_t)GZ_STARS_POOL(t);
    return (stars->corner = gz_arena_take(arena, t, sizeof *stars->corner)) != NULL &&
           (stars->star = gz_arena_array(arena, gz_star, v)) != NULL &&
           (stars->pool = gz_arena_array(arena, uint32_t, GZ_STARS_POOL(t))) != NULL &&
           (work->position = gz_arena_take(arena, v, sizeof *work->position)) != NULL &&
           (work->quadric = gz_arena_array(arena, gz_quadric, v)) != NULL &&
           (work->plan = gz_arena_array(arena, gz_collapse_choice, v)) != NULL &&
           (work->queue.entry = gz_arena_array(arena, uint64_t, v)) != NULL &&
           (work->queue.place = gz_arena_array(arena, uint32_t, v)) != NULL &&
           (work->mark = gz_arena_array(arena, uint32_t, v)) != NULL &&
           (work->ring = gz_arena_array(arena, uint32_t, 2 * v + 2)) != NULL &&
           (work->component = gz_arena_array(arena, uint32_t, v)) != NULL &&
           (work->bridge = gz_arena_array(arena, uint32_t, v)) != NULL &&
           (work->merged = gz_arena_array(arena, uint32_t, v)) != NULL &&
           (out->collapses = gz_arena_array(arena, gz_collapse, v)) != NULL &&
           (out->states = gz_arena_array(arena, gz_collapse_state, v)) != NULL;
}

static uint64_t bytes_of(const gz_patch *patch)
{
    uint64_t a_vertex = sizeof(gz_star) + 3 * sizeof(double) + sizeof(gz_quadric) +
                        sizeof(gz_collapse_choice) + sizeof(uint64_t) + 7 * sizeof(uint32_t) +
                        sizeof(gz_collapse) + sizeof(gz_collapse_state);
    uint64_t a_triangle = 4 * sizeof(uint32_t) + 6 * sizeof(uint32_t);
    return 16 * 64 + a_vertex * patch->vertex_count + a_triangle * patch->triangle_count +
           gz_bridges_bytes(patch->vertex_count);
}

static graze_status begin(gz_work *work, const gz_patch *patch)
{
    for (uint32_t t = 0; t < patch->triangle_count; ++t) {
        uint32_t *corner = work->stars.corner[t];
        for (int k = 0; k < 3; ++k) {
            corner[k] = patch->corner[t][k];
            if (corner[k] >= patch->vertex_count)
                return GRAZE_ERROR_ARGUMENT;
        }
        corner[3] = 0;
    }
    work->locked = patch->locked;
    gz_stars_make(&work->stars);
    graze_status status = take_positions(work, patch);
    if (status != GRAZE_OK)
        return status;
    size_t bytes = patch->vertex_count * sizeof(uint32_t);
    memset(work->mark, 0, bytes);
    memset(work->quadric, 0, patch->vertex_count * sizeof *work->quadric);
    work->reach = (float)FIRST_REACH; // shorter bridges than that wait
    work->patience = 0;
    for (uint32_t left = patch->triangle_count; left != 0; left /= 2)
        work->patience += PATIENCE * (int64_t)patch->triangle_count;
    gz_costs_make(work);
    find_components(work);
    memset(work->bridge, 0xff, bytes);
    return GRAZE_OK;
}

graze_status gz_simplify(gz_simplifier *simplifier, const gz_patch *patch,
                         uint32_t target_triangles, gz_collapse_list *collapses,
                         gz_collapse_state_list *states)
{
    graze_context *context = simplifier->context;
    gz_byte_list *bytes = &simplifier->bytes;
    if (patch->triangle_count > GZ_STARS_TRIANGLES)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED, "%u triangles are too many to simplify",
                       patch->triangle_count);
    gz_work work = {0};
    record out = {0};
    if (!gz_list_reserve(context, bytes, bytes_of(patch)))
        return gz_fail(context, GRAZE_ERROR_MEMORY, "no memory to simplify %u triangles",
                       patch->triangle_count);
    gz_arena arena = gz_arena_over(bytes->items, bytes->capacity);
    bool fits = take_arrays(&work, &out, &arena, patch);
    GZ_ASSERT(fits);
    graze_status status = begin(&work, patch);
    if (status != GRAZE_OK)
        return gz_fail(context, status, "a patch has numbers that are no vertices or not finite");
    run(&work, target_triangles, arena, &out);
    if (out.count == 0)
        return GRAZE_OK;
    if (!gz_list_reserve(context, collapses, collapses->count + out.count) ||
        !gz_list_reserve(context, states, states->count + out.count))
        return gz_fail(context, GRAZE_ERROR_MEMORY, "no memory for %u collapses", out.count);
    memcpy(gz_list_push(context, collapses, out.count), out.collapses,
           out.count * sizeof(gz_collapse));
    memcpy(gz_list_push(context, states, out.count), out.states,
           out.count * sizeof(gz_collapse_state));
    return GRAZE_OK;
}

uint32_t gz_collapse_apply(const gz_patch *patch, const gz_collapse *collapses, uint64_t count,
                           uint32_t *place, uint32_t (*corner)[3], uint32_t *triangle)
{
    for (uint32_t v = 0; v < patch->vertex_count; ++v)
        place[v] = v;
    // Backwards: where a vertex was moved to, it is known already where that ended.
    while (count-- != 0)
        place[collapses[count].from] = place[collapses[count].to];
    uint32_t left = 0;
    for (uint32_t t = 0; t < patch->triangle_count; ++t) {
        uint32_t a = place[patch->corner[t][0]], b = place[patch->corner[t][1]];
        uint32_t c = place[patch->corner[t][2]];
        if (a == b || b == c || c == a)
            continue;
        corner[left][0] = a;
        corner[left][1] = b;
        corner[left][2] = c;
        triangle[left++] = t;
    }
    return left;
}
