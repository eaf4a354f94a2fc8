// The engine that looks, before it is part of a culler: of frames of all kinds, no triangle that is
// in contact with one of another object is ever cleared, and most of the others are.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "cull/cull_engine.h"
#include "soups.h"

enum {
    MOST_OBJECTS = 1000,
    MOST_TRIANGLES = 2400,
    MOST_PLACES = MOST_TRIANGLES + 16 * MOST_OBJECTS
};

typedef struct scene {
    graze_mesh_view views[MOST_OBJECTS];
    gz_cull_object objects[MOST_OBJECTS];
    float positions[9 * MOST_TRIANGLES];
    double wide[9 * MOST_TRIANGLES];
    uint32_t corners[3 * MOST_TRIANGLES];
    graze_triangle triangles[MOST_PLACES]; // by places, as in `keep`
    uint8_t keep[MOST_PLACES], contact[MOST_PLACES];
    uint32_t triangle_count;
    gz_cull_frame frame;
} scene;

typedef enum scene_kind {
    SCATTERED, // small triangles, far below a pixel
    CROWDED,   // large ones, all over each other
    FLAT,      // all in a plane along axes
    SLIVERS,   // points, segments and slivers on a grid: touching only
    ONE_PLACE, // all at one point, or next to it
    FAR_OUT,   // far from the origin, beside it, and very large
    SHELLS,    // sheets above each other, closer than a pixel
    KINDS
} scene_kind;

static double number_of_kind(scene_kind kind, test_random *random, double centre, int axis,
                             int layer)
{
    switch (kind) {
    case SCATTERED: return centre + soup_between(random, -1e-3, 1e-3);
    case CROWDED: return soup_between(random, -1, 1);
    case FLAT: return axis == 1 ? 3 : centre + soup_between(random, -0.1, 0.1);
    case SLIVERS: return floor(centre * 4) + (double)(test_next(random) % 2);
    case ONE_PLACE: return 7 + (test_next(random) % 4 == 0 ? 0x1p-20 : 0);
    case FAR_OUT:
        return test_next(random) % 8 == 0 ? centre * 1e-3
                                          : centre * 1e30 + soup_between(random, -1, 1) * 1e28;
    default: return axis == 2 ? layer * 1e-5 : soup_between(random, -1, 1);
    }
}

// `scale` below 0: doubles, which the frame moves and shrinks.
static void make_scene(scene *s, scene_kind kind, uint64_t seed, uint32_t object_count,
                       uint32_t triangle_count, double tolerance, bool raw)
{
    test_random random = {seed};
    uint32_t place = 0;
    s->triangle_count = 0;
    s->frame = (gz_cull_frame){.objects = s->objects,
                               .object_count = object_count,
                               .keep = s->keep,
                               .tolerance = tolerance,
                               .raw = raw,
                               .scale = raw ? 1 : 0x1p-110};
    for (int axis = 0; axis < 3 && !raw; ++axis)
        s->frame.origin[axis] = 1.25;
    s->frame.grow = gz_step_up(gz_round_up(tolerance / 2 * s->frame.scale));
    memset(s->keep, 0, sizeof s->keep);
    for (uint32_t o = 0; o < object_count; ++o) {
        uint32_t first = s->triangle_count;
        uint32_t count = triangle_count / object_count + (o < triangle_count % object_count);
        double centre[3];
        for (int axis = 0; axis < 3; ++axis)
            centre[axis] = soup_between(&random, -1, 1);
        for (uint32_t i = 9 * first; i < 9 * (first + count); ++i) {
            int axis = (int)(i % 3);
            s->positions[i] =
                (float)number_of_kind(kind, &random, centre[axis], axis, (int)(o % 50));
            s->wide[i] = raw ? (double)s->positions[i] : (double)s->positions[i] * (1 + 0x1p-40);
        }
        for (uint32_t i = 0; i < 3 * count; ++i)
            s->corners[3 * first + i] = i;
        s->views[o] = (graze_mesh_view){.precision = raw ? GRAZE_FLOAT32 : GRAZE_FLOAT64,
                                        .vertex_count = 3 * (uint64_t)count,
                                        .triangle_count = count,
                                        .positions = raw ? (void *)(s->positions + 9 * first)
                                                         : (void *)(s->wide + 9 * first),
                                        .corners = s->corners + 3 * first};
        gz_cull_object *object = &s->objects[o];
        *object = (gz_cull_object){.view = &s->views[o],
                                   .first = place,
                                   .triangle_count = count,
                                   .partner_count = object_count - 1};
        for (uint32_t t = 0; t < count; ++t) {
            gz_cull_box box = gz_cull_triangle_box(&s->frame, object, t);
            for (int axis = 0; axis < 3; ++axis) {
                if (t == 0 || box.low[axis] < object->box.low[axis])
                    object->box.low[axis] = box.low[axis];
                if (t == 0 || box.high[axis] > object->box.high[axis])
                    object->box.high[axis] = box.high[axis];
            }
            s->keep[place + t] = 1;
            for (uint32_t c = 0; c < 3; ++c)
                graze_mesh_view_corner(&s->views[o], t, c, s->triangles[place + t].corner[c]);
        }
        s->triangle_count += count;
        place = (place + count + 15) & ~15u;
    }
    s->frame.place_count = place;
}

static void solve_scene(scene *s)
{
    const gz_cull_object *objects = s->objects;
    memset(s->contact, 0, sizeof s->contact);
    for (uint32_t a = 0; a < s->frame.object_count; ++a)
        for (uint32_t b = a + 1; b < s->frame.object_count; ++b) {
            if (gz_cull_boxes_apart(&objects[a].box, &objects[b].box))
                continue;
            for (uint32_t i = objects[a].first; i < objects[a].first + objects[a].triangle_count;
                 ++i)
                for (uint32_t k = objects[b].first;
                     k < objects[b].first + objects[b].triangle_count; ++k)
                    if ((s->contact[i] == 0 || s->contact[k] == 0) &&
                        graze_triangle_within(&s->triangles[i], &s->triangles[k],
                                              s->frame.tolerance))
                        s->contact[i] = s->contact[k] = 1;
        }
}

static gz_cull_engine *open_engine(graze_context *context, graze_cull_passes passes,
                                   uint32_t resolution)
{
    char why[256] = "";
    gz_cull_engine *engine = NULL;
    graze_cull_def def = graze_cull_def_default();
    def.passes = passes;
    def.resolution = resolution;
    if (gz_cull_opengl_create(context, &def, &engine, why) != GRAZE_OK)
        fail_msg("no OpenGL: %s", why);
    assert_int_equal(engine->kind, GRAZE_CULL_OPENGL);
    return engine;
}

// How many were cleared.
static uint32_t prune_scene(graze_context *context, gz_cull_engine *engine, scene *s)
{
    uint64_t rounds = 0;
    uint32_t cleared = 0;
    s->frame.context = context;
    for (uint32_t o = 0; o < s->frame.object_count; ++o)
        memset(s->keep + s->objects[o].first, 1, s->objects[o].triangle_count);
    assert_int_equal(engine->prune(engine, &s->frame, &rounds), GRAZE_OK);
    assert_true(s->frame.object_count < 2 || rounds > 0);
    for (uint32_t o = 0; o < s->frame.object_count; ++o)
        for (uint32_t t = 0; t < s->objects[o].triangle_count; ++t) {
            uint32_t place = s->objects[o].first + t;
            if (s->keep[place] < s->contact[place])
                fail_msg("triangle %u of object %u is in contact, and was cleared", t, o);
            cleared += s->keep[place] == 0;
        }
    return cleared;
}

static const uint32_t resolutions[] = {16, 64, 800};

static void no_triangle_in_contact_is_cleared(void **state)
{
    scene *s = calloc(1, sizeof *s);
    for (uint32_t r = 0; r < 9; ++r) {
        gz_cull_engine *engine =
            open_engine(*state, (graze_cull_passes)(r % 3), resolutions[r / 3]);
        // A driver of software takes its time with many pixels.
        bool fine = resolutions[r / 3] == 800;
        for (uint64_t seed = 1; seed <= (fine ? KINDS : TEST_CHANCES(21)); ++seed) {
            test_random random = {seed};
            scene_kind kind = (scene_kind)(seed % KINDS);
            static const uint32_t counts[] = {2, 3, 10, 60};
            double tolerance = test_next(&random) % 2 == 0 ? 0
                               : kind == FAR_OUT           ? 1e28
                                                           : soup_between(&random, 0, 0.1);
            make_scene(s, kind, seed, counts[test_next(&random) % 4],
                       60 + (uint32_t)(test_next(&random) % (fine ? 20 : 300)), tolerance,
                       test_next(&random) % 3 != 0);
            solve_scene(s);
            prune_scene(*state, engine, s);
        }
        engine->destroy(engine);
    }
    free(s);
}

// From one object to a thousand, and objects without triangles.
static void any_number_of_objects(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 100, 1000};
    scene *s = calloc(1, sizeof *s);
    for (uint32_t passes = 0; passes < 3; ++passes) {
        gz_cull_engine *engine = open_engine(*state, (graze_cull_passes)passes, 64);
        for (uint32_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
            make_scene(s, SLIVERS, i, counts[i], counts[i] == 0 ? 0 : 600, 0, true);
            solve_scene(s);
            prune_scene(*state, engine, s);
        }
        engine->destroy(engine);
    }
    free(s);
}

// What is far from all others is cleared: nearly all of the scattered ones at a fine resolution,
// and whatever lies in front of all others at any.
static void most_of_the_others_are_cleared(void **state)
{
    scene *s = calloc(1, sizeof *s);
    uint32_t cleared[3];
    for (uint32_t passes = 0; passes < 3; ++passes) {
        gz_cull_engine *engine = open_engine(*state, (graze_cull_passes)passes, 200);
        make_scene(s, SCATTERED, 1, 50, 2000, 0, true);
        solve_scene(s);
        cleared[passes] = prune_scene(*state, engine, s);
        assert_true(cleared[passes] == 2000);
        make_scene(s, SHELLS, 1, 20, 2000, 0, true);
        solve_scene(s);
        assert_true(prune_scene(*state, engine, s) == 2000);
        // The same when each needs more room than there is between the sheets.
        make_scene(s, SHELLS, 1, 20, 2000, 1e-4, true);
        solve_scene(s);
        assert_true(prune_scene(*state, engine, s) < 1000);
        engine->destroy(engine);
    }
    free(s);
}

// A driver that fails, at whichever step: the sentence is in the log, and all triangles are kept.
static void a_driver_that_fails_keeps_all(void **state)
{
    graze_context *context = *state;
    scene *s = calloc(1, sizeof *s);
    make_scene(s, CROWDED, 1, 10, 200, 0, true);
    uint32_t failures = 0;
    for (int64_t step = 3;; step = step * 2 - 1) { // the first three look whether all is well
        gz_cull_engine *engine = open_engine(context, (graze_cull_passes)(failures % 3), 64);
        uint64_t rounds = 0;
        s->frame.context = context;
        memset(s->keep, 0, sizeof s->keep);
        for (uint32_t o = 0; o < s->frame.object_count; ++o)
            memset(s->keep + s->objects[o].first, 1, s->objects[o].triangle_count);
        atomic_store(&gz_knobs_for(context)->draws_left, step - 3);
        graze_status status = engine->prune(engine, &s->frame, &rounds);
        atomic_store(&gz_knobs_for(context)->draws_left, -1);
        engine->destroy(engine);
        if (status == GRAZE_OK)
            break;
        ++failures;
        assert_int_equal(status, GRAZE_ERROR_UNSUPPORTED);
        assert_non_null(strstr(test_last_error, "told to fail"));
        for (uint32_t o = 0; o < s->frame.object_count; ++o)
            for (uint32_t t = 0; t < s->objects[o].triangle_count; ++t)
                assert_int_equal(s->keep[s->objects[o].first + t], 1);
    }
    assert_true(failures >= 4);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_triangle_in_contact_is_cleared, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(any_number_of_objects, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(most_of_the_others_are_cleared, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(a_driver_that_fails_keeps_all, test_context_enter,
                                        test_context_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
