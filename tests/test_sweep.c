// Moving boxes: after each step the same overlaps as all pairs give, and what began and ended is
// what differs; whatever is added, removed and moved, and whatever allocation fails.
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "box_soup.h"
#include "scene/node_bvh.h"
#include "scene/sweep.h"

enum { MOST = 400 };

// What a sweep should know, told plainly.
typedef struct world {
    graze_context *context;
    gz_sweep *sweep;
    double margin;
    graze_box box[MOST];                         // by number
    uint8_t state[MOST];                         // 0: none, 1: static, 2: floating
    uint8_t now[MOST][MOST], before[MOST][MOST]; // pairs, both ways, one floating at least
    uint8_t was_floating[MOST];                  // before or now
} world;

static world *make_world(graze_context *context, double margin)
{
    world *w = calloc(1, sizeof *w);
    w->context = context;
    w->margin = margin;
    assert_int_equal(gz_sweep_create(context, margin, &w->sweep), GRAZE_OK);
    return w;
}

static void drop_world(world *w)
{
    gz_sweep_free(w->sweep);
    free(w);
}

static uint32_t add(world *w, const graze_box *box, bool floating)
{
    uint32_t id = UINT32_MAX;
    graze_status status = gz_sweep_add(w->sweep, box, floating, &id);
    if (status != GRAZE_OK) {
        assert_int_equal(status, GRAZE_ERROR_MEMORY);
        return UINT32_MAX;
    }
    assert_true(id < MOST && w->state[id] == 0);
    w->state[id] = floating ? 2 : 1;
    w->box[id] = *box;
    return id;
}

static bool meet(const world *w, uint32_t a, uint32_t b)
{
    if (a == b || w->state[a] == 0 || w->state[b] == 0 || (w->state[a] == 1 && w->state[b] == 1) ||
        gz_box_is_empty(&w->box[a]) || gz_box_is_empty(&w->box[b]))
        return false;
    graze_box p = graze_box_grow(&w->box[a], 0.5 * w->margin);
    graze_box q = graze_box_grow(&w->box[b], 0.5 * w->margin);
    return graze_box_overlap(&p, &q);
}

static void check_lists(const world *w, uint64_t seed)
{
    for (uint32_t i = 0; i < MOST; ++i) {
        if (w->state[i] != 2)
            continue;
        uint32_t count = 0, at = 0;
        const uint32_t *list = gz_sweep_overlaps(w->sweep, i, &count);
        for (uint32_t k = 0; k < MOST; ++k) {
            bool listed = at < count && list[at] == k;
            if (listed != (w->now[i][k] != 0))
                fail_msg("seed %d: box %u and %u: %s", (int)seed, i, k,
                         listed ? "not truly" : "missed");
            at += listed;
        }
        assert_int_equal(at, count);
    }
}

static void check_changes(const world *w, const gz_sweep_changes *changes)
{
    uint64_t began = 0, ended = 0;
    for (uint32_t a = 0; a < MOST; ++a)
        for (uint32_t b = 0; b < MOST; ++b) {
            if (!w->was_floating[a] || (w->was_floating[b] && b < a))
                continue;
            if (w->now[a][b] && !w->before[a][b]) {
                assert_true(began < changes->began_count && changes->began[began].a == a &&
                            changes->began[began].b == b);
                ++began;
            }
            if (!w->now[a][b] && w->before[a][b]) {
                assert_true(ended < changes->ended_count && changes->ended[ended].a == a &&
                            changes->ended[ended].b == b);
                ++ended;
            }
        }
    assert_int_equal(began, changes->began_count);
    assert_int_equal(ended, changes->ended_count);
}

static graze_status step(world *w, uint64_t seed)
{
    gz_sweep_changes changes;
    graze_status status = gz_sweep_step(w->sweep, &changes);
    if (status != GRAZE_OK) {
        assert_true(changes.began_count == 0 && changes.ended_count == 0);
        return status;
    }
    memcpy(w->before, w->now, sizeof w->now);
    for (uint32_t a = 0; a < MOST; ++a)
        for (uint32_t b = 0; b < MOST; ++b)
            w->now[a][b] = meet(w, a, b);
    for (uint32_t i = 0; i < MOST; ++i)
        w->was_floating[i] |= w->state[i] == 2;
    check_lists(w, seed);
    check_changes(w, &changes);
    for (uint32_t i = 0; i < MOST; ++i)
        w->was_floating[i] = w->state[i] == 2;
    return GRAZE_OK;
}

static void move_a_little(graze_box *box, test_random *random, double size)
{
    for (int axis = 0; axis < 3; ++axis) {
        double way = size * (test_unit(random) - 0.5);
        box->min[axis] += way;
        box->max[axis] += way;
    }
}

// Anything may happen between two steps.
static void do_anything(world *w, test_random *random, uint32_t kind, uint32_t most)
{
    for (uint64_t n = test_next(random) % 12; n-- != 0;) {
        uint32_t id = (uint32_t)(test_next(random) % most);
        graze_box box = box_soup_next(random, kind, id);
        uint64_t what = test_next(random) % 8;
        if (w->state[id] == 0) {
            uint32_t count = 0;
            for (uint32_t i = 0; i < MOST; ++i)
                count += w->state[i] != 0;
            if (count < most)
                add(w, &box, test_next(random) % 6 == 0);
        } else if (what == 0) {
            gz_sweep_remove(w->sweep, id);
            w->state[id] = 0;
        } else if (w->state[id] == 2 || what == 1) {
            if (what < 6 && kind != 3 && kind != 7) {
                box = w->box[id];
                move_a_little(&box, random, kind == 1 || kind == 4 ? 2 : 0.1);
            }
            gz_sweep_move(w->sweep, id, &box);
            w->box[id] = box;
        }
    }
}

static void equals_all_pairs(void **state)
{
    graze_context *context = *state;
    static const double margins[] = {0, 0.02, 1, 0};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(100); ++seed) {
        test_random random = {.state = seed};
        uint32_t kind = (uint32_t)(seed % BOX_SOUP_KINDS);
        uint32_t most = seed % 8 == 0 ? 300 : 40;
        world *w = make_world(context, margins[seed % 4]);
        for (uint32_t i = 0; i < most / 2; ++i) {
            graze_box box = box_soup_next(&random, kind, i);
            add(w, &box, i % 9 == 0);
        }
        for (int n = 0; n < 25; ++n) {
            assert_int_equal(step(w, seed), GRAZE_OK);
            do_anything(w, &random, kind, most);
        }
        drop_world(w);
    }
}

// Removed and added again between two steps: another box, so another number.
static void numbers_are_not_used_again_too_early(void **state)
{
    world *w = make_world(*state, 0);
    graze_box box = {{0, 0, 0}, {1, 1, 1}};
    uint32_t mover = add(w, &box, true), still = add(w, &box, false);
    assert_int_equal(step(w, 0), GRAZE_OK);
    gz_sweep_remove(w->sweep, still);
    w->state[still] = 0;
    uint32_t other = add(w, &box, false);
    assert_true(other != still && other != mover);
    assert_int_equal(step(w, 0), GRAZE_OK);
    assert_int_equal(add(w, &box, false), still);
    assert_int_equal(step(w, 0), GRAZE_OK);
    drop_world(w);
}

// Nothing at all, only static boxes, only floating ones.
static void small_worlds(void **state)
{
    graze_box box = {{0, 0, 0}, {1, 1, 1}};
    for (int floating = 0; floating < 2; ++floating) {
        world *w = make_world(*state, 0);
        assert_int_equal(step(w, 0), GRAZE_OK);
        for (int i = 0; i < 100; ++i)
            add(w, &box, floating != 0);
        assert_int_equal(step(w, 0), GRAZE_OK);
        assert_int_equal(step(w, 0), GRAZE_OK);
        drop_world(w);
    }
}

static void check_ahead(world *w, uint32_t id, const double velocity[3], double time)
{
    gz_index_list met = {0};
    uint32_t marker = 12345;
    assert_true(gz_list_append(w->context, &met, &marker, 1));
    assert_int_equal(gz_sweep_ahead(w->sweep, id, velocity, time, &met), GRAZE_OK);
    assert_int_equal(met.items[0], marker);
    graze_box swept = w->box[id], own = w->box[id];
    for (int axis = 0; axis < 3; ++axis) {
        swept.min[axis] = fmin(own.min[axis], own.min[axis] + velocity[axis] * time);
        swept.max[axis] = fmax(own.max[axis], own.max[axis] + velocity[axis] * time);
    }
    uint64_t at = 1;
    for (uint32_t i = 0; i < MOST; ++i) {
        bool listed = at < met.count && met.items[at] == i;
        at += listed;
        if (w->state[i] == 0 || i == id || gz_box_is_empty(&own) || gz_box_is_empty(&w->box[i])) {
            assert_false(listed);
            continue;
        }
        graze_box more = graze_box_grow(&swept, 1e-9);
        assert_true(listed || !graze_box_overlap(&swept, &w->box[i]));
        assert_true(!listed || graze_box_overlap(&more, &w->box[i]));
    }
    assert_int_equal(at, met.count);
    gz_list_free(w->context, &met);
}

static void what_lies_ahead(void **state)
{
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        test_random random = {.state = seed};
        world *w = make_world(*state, 0);
        for (uint32_t i = 0; i < 200; ++i) {
            graze_box box = box_soup_next(&random, seed % 2 == 0 ? 0 : 1, i);
            add(w, &box, i % 40 == 0);
        }
        if (seed % 3 != 0) // else nothing is in the BVH yet
            assert_int_equal(step(w, seed), GRAZE_OK);
        for (uint32_t i = 0; i < 200; i += 20) {
            double velocity[3];
            for (int axis = 0; axis < 3; ++axis)
                velocity[axis] = 2 * test_unit(&random) - 1;
            check_ahead(w, i, velocity, test_unit(&random));
            check_ahead(w, i, velocity, 0);
        }
        drop_world(w);
    }
}

// Any allocation may fail; the sweep goes on where it was.
static void memory_that_fails(void **state)
{
    (void)state;
    bool made = false;
    for (int64_t n = 0; !made; ++n) {
        graze_context *context = test_context(NULL);
        test_random random = {.state = 8};
        world *w = make_world(context, 0);
        atomic_store(&gz_knobs_for(context)->allocations_left, n);
        for (int round = 0; round < 3; ++round) {
            for (uint32_t i = 0; i < 60; ++i) {
                graze_box box = box_soup_next(&random, 1, i);
                add(w, &box, i % 6 == 0);
            }
            while (step(w, (uint64_t)n) != GRAZE_OK)
                assert_non_null(strstr(test_last_error, "no memory to follow"));
            gz_index_list met = {0};
            for (uint32_t i = 0; i < MOST; ++i)
                if (w->state[i] == 2 && i % 2 == 0) {
                    graze_status status =
                        gz_sweep_ahead(w->sweep, i, (double[3]){1, 2, 3}, 1, &met);
                    assert_true(status == GRAZE_OK || status == GRAZE_ERROR_MEMORY);
                }
            gz_list_free(context, &met);
            for (uint32_t i = 0; i < MOST; i += 3)
                if (w->state[i] != 0) {
                    gz_sweep_remove(w->sweep, i);
                    w->state[i] = 0;
                }
        }
        made = atomic_exchange(&gz_knobs_for(context)->allocations_left, -1) >= 0;
        drop_world(w);
        test_context_done(context);
        assert_true(n < 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equals_all_pairs, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(numbers_are_not_used_again_too_early, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(small_worlds, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(what_lies_ahead, test_context_enter, test_context_leave),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
