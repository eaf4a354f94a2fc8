// Frame after frame: what graze_cull_frame refuses, where it stops, what it keeps, and what it
// allocates; and scenes that deform, against the library's own exact queries.
#include "test.h"

#include <math.h>

#include "base/context.h"
#include "base/knobs.h"
#include "faults.h"
#include "frame_soups.h"
#include "frames.h"

static graze_cull *make_cull(graze_context *context)
{
    graze_cull *cull = NULL;
    assert_int_equal(graze_cull_create(context, NULL, &cull), GRAZE_OK);
    return cull;
}

static generator_frames *open_frames(const char *scene, uint64_t objects, uint64_t triangles)
{
    generator_frames *frames = NULL;
    generator_frames_def def = {
        .scene = scene, .object_count = objects, .triangle_count = triangles};
    assert_int_equal(generator_frames_open(&def, &frames), GRAZE_OK);
    return frames;
}

static generator_frame frame_at(generator_frames *frames, uint32_t number)
{
    generator_frame frame;
    assert_int_equal(generator_frames_at(frames, number, &frame), GRAZE_OK);
    return frame;
}

static graze_cull_answer ask(graze_cull *cull, const generator_frame *frame,
                             const graze_cull_frame_def *def)
{
    graze_cull_answer answer;
    assert_int_equal(graze_cull_frame(cull, frame->objects, frame->object_count, def, &answer),
                     GRAZE_OK);
    return answer;
}

// --- Scenes

static void check_by_queries(graze_context *context, const generator_frame *frame,
                             const graze_cull_answer *found, double tolerance)
{
    graze_shape *shapes[160];
    graze_query *query = NULL;
    uint64_t next = 0;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    for (uint32_t i = 0; i < frame->object_count; ++i)
        assert_int_equal(graze_shape_create(context, &frame->objects[i], NULL, &shapes[i]),
                         GRAZE_OK);
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.tolerance = tolerance;
    for (uint32_t a = 0; a < frame->object_count; ++a)
        for (uint32_t b = a + 1; b < frame->object_count; ++b) {
            graze_answer answer;
            assert_int_equal(graze_query_collide(query, graze_at(shapes[a], NULL),
                                                 graze_at(shapes[b], NULL), &def, &answer),
                             GRAZE_OK);
            if (answer.pair_count == 0)
                continue;
            assert_true(next < found->object_pair_count);
            const graze_cull_objects *met = &found->objects[next++];
            assert_true(met->a == a && met->b == b && met->pair_count == answer.pair_count);
            assert_memory_equal(found->pairs + met->first_pair, answer.pairs,
                                answer.pair_count * sizeof *answer.pairs);
            assert_memory_equal(found->contacts + met->first_pair, answer.contacts,
                                answer.pair_count * sizeof *answer.contacts);
        }
    assert_int_equal(next, found->object_pair_count);
    for (uint32_t i = 0; i < frame->object_count; ++i)
        graze_shape_free(shapes[i]);
    graze_query_free(query);
}

static void scenes_are_as_queries_have_them(void **state)
{
    static const struct {
        const char *scene;
        uint64_t objects, triangles;
    } rows[] = {
        {"cylinders", 100, 200}, {"tori", 6, 2000}, {"models", 0, 20000}, {"breaking", 32, 20000}};
    graze_context *context = *state;
    graze_cull *cull = make_cull(context);
    uint64_t pairs = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        generator_frames *frames = open_frames(rows[i].scene, rows[i].objects, rows[i].triangles);
        for (uint32_t number = 0; number < 500; number += TEST_SANITIZED ? 250 : 90) {
            generator_frame frame = frame_at(frames, number);
            graze_cull_frame_def def = graze_cull_frame_def_default();
            def.collect = GRAZE_COLLECT_CONTACTS;
            def.tolerance = number % 4 == 0 ? 0 : 0.002;
            graze_cull_answer answer = ask(cull, &frame, &def);
            check_by_queries(context, &frame, &answer, def.tolerance);
            pairs += answer.pair_count;
        }
        generator_frames_close(frames);
    }
    assert_true(pairs > 1000);
    graze_cull_free(cull);
}

// All pairs of a cloth, by the library's tests of two triangles: those with common corners are
// decided by what they share.
static bool cloth_pair_meets(const graze_mesh_view *view, uint32_t t, uint32_t u)
{
    graze_triangle a, b;
    bool common[3] = {false, false, false}, any = false;
    for (uint32_t k = 0; k < 3; ++k) {
        graze_mesh_view_corner(view, t, k, a.corner[k]);
        graze_mesh_view_corner(view, u, k, b.corner[k]);
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (memcmp(a.corner[i], b.corner[k], sizeof a.corner[i]) == 0)
                common[i] = any = true;
    if (!any)
        return graze_triangle_meet(&a, &b) != 0;
    graze_intersection shared;
    graze_triangle_intersect(&a, &b, &shared);
    for (uint32_t p = 0; p < shared.point_count; ++p) {
        bool known = false;
        for (int i = 0; i < 3; ++i)
            known = known ||
                    (common[i] && memcmp(a.corner[i], shared.point[p], sizeof a.corner[i]) == 0);
        if (!known)
            return true;
    }
    return false;
}

static void cloth_is_as_all_its_pairs_are(void **state)
{
    graze_context *context = *state;
    graze_cull *cull = make_cull(context);
    generator_frames *frames = open_frames("cloth", 0, TEST_SANITIZED ? 800 : 3000);
    uint64_t pairs = 0;
    for (uint32_t number = 0; number <= 500; number += number < 350 ? 175 : 50) {
        generator_frame frame = frame_at(frames, number);
        graze_cull_frame_def def = graze_cull_frame_def_default();
        def.self = 1;
        for (int again = 0; again < 3; ++again) { // known triangles make another way of it
            graze_cull_answer answer = ask(cull, &frame, &def);
            uint64_t next = 0;
            const graze_mesh_view *view = frame.objects;
            for (uint32_t t = 0; t < view->triangle_count && again != 1; ++t)
                for (uint32_t u = t + 1; u < view->triangle_count; ++u)
                    if (cloth_pair_meets(view, t, u)) {
                        assert_true(next < answer.pair_count && answer.pairs[next].a == t &&
                                    answer.pairs[next].b == u);
                        ++next;
                    }
            if (again != 1)
                assert_int_equal(next, answer.pair_count);
            pairs += answer.pair_count;
        }
    }
    assert_true(pairs > 100);
    generator_frames_close(frames);
    graze_cull_free(cull);
}

// A cloth that lies flat has all its triangles in one plane: float settles nearly all of its pairs.
static void flat_cloth_is_settled_in_float(void **state)
{
    graze_context *context = *state;
    graze_cull *cull = make_cull(context);
    generator_frames *frames = open_frames("cloth", 0, 20000);
    generator_frame frame = frame_at(frames, 0);
    graze_cull_frame_def def = graze_cull_frame_def_default();
    def.only_self = 1;
    graze_cull_answer answer = ask(cull, &frame, &def);
    assert_int_equal(answer.pair_count, 0);
    assert_true(answer.counters.triangle_tests > 100000 && answer.counters.exact_tests < 1000);
    generator_frames_close(frames);
    graze_cull_free(cull);
}

static uint64_t hash_answer(const graze_cull_answer *answer)
{
    uint64_t hash = answer->pair_count * 31 + answer->object_pair_count;
    for (uint64_t i = 0; i < answer->object_pair_count; ++i)
        hash = hash * 0x100000001b3u ^ answer->objects[i].a ^ (uint64_t)answer->objects[i].b << 32;
    for (uint64_t i = 0; i < answer->pair_count; ++i)
        hash = hash * 0x100000001b3u ^ answer->pairs[i].a ^ (uint64_t)answer->pairs[i].b << 32;
    return hash;
}

static void large_scenes_are_the_same_for_threads_and_widths(void **state)
{
    (void)state;
    static const char *const scenes[] = {"cylinders", "tori", "breaking", "cloth"};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) {
        uint64_t first = 0, tests = 0;
        for (int way = 0; way < 5; ++way) {
            graze_context_def setup = graze_context_def_default();
            setup.thread_count = way < 3 ? (uint32_t)way + 1 : 1;
            graze_context *context =
                way < 3 ? test_context(&setup)
                        : test_context_of_width(way == 3 ? GRAZE_SIMD_SCALAR : GRAZE_SIMD_AVX2);
            if (context == NULL)
                continue;
            graze_cull *cull = make_cull(context);
            generator_frames *frames = open_frames(scenes[s], 0, TEST_SANITIZED ? 3000 : 20000);
            generator_frame frame = frame_at(frames, 460);
            graze_cull_frame_def def = graze_cull_frame_def_default();
            def.self = s != 2;
            graze_cull_answer answer = ask(cull, &frame, &def);
            if (way == 0) {
                first = hash_answer(&answer);
                tests = answer.counters.triangle_tests;
                assert_true(answer.pair_count != 0);
            }
            assert_true(hash_answer(&answer) == first);
            assert_true(answer.counters.triangle_tests == tests);
            generator_frames_close(frames);
            graze_cull_free(cull);
            test_context_done(context);
        }
    }
}

// --- What is refused

static const float tent[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {1, 0, 1}, {0, 1, 1}};
static const uint32_t first_three[3] = {0, 1, 2};

static graze_mesh_view half_tent(const float *positions)
{
    return (graze_mesh_view){.precision = GRAZE_FLOAT32,
                             .vertex_count = 3,
                             .triangle_count = 1,
                             .positions = positions,
                             .corners = first_three};
}

static void unsound_objects_are_left_out(void **state)
{
    graze_context *context = *state;
    graze_cull *cull = make_cull(context);
    graze_cull_answer answer;
    float broken[3][3] = {{0, 0, 0}, {1, NAN, 0}, {0, 1, 0}};
    const double far[3][3] = {{0, 0, 0}, {1, HUGE_VAL, 0}, {0, 1, 0}};
    const uint32_t beyond[3] = {0, 3, 2};
    const graze_object placed = {.name = "", .group = "", .triangle_count = 1, .placed = 1};
    graze_mesh_view views[8];
    for (int i = 0; i < 8; ++i)
        views[i] = half_tent(tent[i % 2 * 3]);
    views[1].positions = broken;
    views[2].positions = far;
    views[2].precision = GRAZE_FLOAT64;
    views[4].corners = beyond;
    views[5].objects = &placed;
    views[5].object_count = 1;
    views[6].positions = NULL;
    assert_int_equal(graze_cull_frame(cull, views, 8, NULL, &answer), GRAZE_OK);
    static const uint32_t refused[] = {1, 2, 4, 5, 6};
    assert_int_equal(answer.refused_count, 5);
    assert_memory_equal(answer.refused, refused, sizeof refused);
    assert_int_equal(answer.object_pair_count, 3); // of 0, 3 and 7
    assert_non_null(strstr(test_last_error, "object 6 is left out: an array is missing") != NULL
                        ? test_last_error
                        : strstr(test_last_error, "is left out"));

    // A number that no triangle names does no harm.
    float unused[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {NAN, INFINITY, 0}};
    graze_mesh_view two[2] = {half_tent(unused[0]), half_tent(tent[3])};
    two[0].vertex_count = 4;
    assert_int_equal(graze_cull_frame(cull, two, 2, NULL, &answer), GRAZE_OK);
    assert_true(answer.refused_count == 0 && answer.pair_count == 1);

    // Sentences name the place.
    test_last_error[0] = 0;
    views[1].positions = tent[0];
    two[0] = views[4];
    assert_int_equal(graze_cull_frame(cull, two, 2, NULL, &answer), GRAZE_OK);
    assert_non_null(strstr(test_last_error, "object 0"));
    assert_non_null(strstr(test_last_error, "triangle 0 names vertex 3, but there are only 3"));
    two[0] = half_tent(broken[0]);
    assert_int_equal(graze_cull_frame(cull, two, 2, NULL, &answer), GRAZE_OK);
    assert_non_null(strstr(test_last_error, "triangle 0 has a coordinate that is not finite"));
    graze_cull_free(cull);
}

static void wrong_questions_are_errors(void **state)
{
    graze_context *context = *state;
    graze_cull *cull = make_cull(context), *none = NULL;
    graze_cull_answer answer;
    graze_mesh_view view = half_tent(tent[0]);
    graze_cull_frame_def def = graze_cull_frame_def_default();
    const double wrong[] = {-1, HUGE_VAL, NAN};
    for (int i = 0; i < 3; ++i) {
        def.tolerance = wrong[i];
        assert_int_equal(graze_cull_frame(cull, &view, 1, &def, &answer), GRAZE_ERROR_ARGUMENT);
    }
    def = graze_cull_frame_def_default();
    def.collect = (graze_collect)9;
    assert_int_equal(graze_cull_frame(cull, &view, 1, &def, &answer), GRAZE_ERROR_ARGUMENT);
    def.struct_size = 0;
    assert_int_equal(graze_cull_frame(cull, &view, 1, &def, &answer), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_cull_frame(cull, NULL, 1, NULL, &answer), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_cull_frame(cull, &view, 1, NULL, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_cull_frame(NULL, &view, 1, NULL, &answer), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_cull_frame(cull, NULL, 0, NULL, &answer), GRAZE_OK);
    assert_true(answer.verdict == GRAZE_APART && answer.complete);
    graze_mesh_view huge = view;
    huge.triangle_count = UINT64_C(1) << 31;
    assert_int_equal(graze_cull_frame(cull, &huge, 1, NULL, &answer), GRAZE_ERROR_UNSUPPORTED);

    graze_cull_def made = graze_cull_def_default();
    made.resolution = 15;
    assert_int_equal(graze_cull_create(context, &made, &none), GRAZE_ERROR_ARGUMENT);
    made.resolution = 0;
    made.engine = (graze_cull_engine)3;
    assert_int_equal(graze_cull_create(context, &made, &none), GRAZE_ERROR_ARGUMENT);
    assert_null(none);
    assert_string_equal(graze_cull_engine_text(GRAZE_CULL_CPU), "cpu");
    assert_non_null(graze_cull_engine_text((graze_cull_engine)77));
    graze_cull_free(NULL);
    graze_cull_free(cull);
}

// --- Where it stops

static void limits_give_the_first_pairs(void **state)
{
    graze_context *context = *state;
    graze_cull *all = make_cull(context), *some = make_cull(context);
    generator_frames *frames = open_frames("cylinders", 60, 200);
    generator_frame frame = frame_at(frames, 7);
    graze_cull_answer full = ask(all, &frame, NULL);
    assert_true(full.pair_count > 100);
    for (uint64_t limit = 1; limit < full.pair_count + 10; limit += 1 + limit / 3) {
        graze_cull_frame_def def = graze_cull_frame_def_default();
        def.pair_limit = limit;
        graze_cull_answer part = ask(some, &frame, &def);
        assert_int_equal(part.complete, limit > full.pair_count);
        assert_int_equal(part.pair_count, limit < full.pair_count ? limit : full.pair_count);
        assert_memory_equal(part.pairs, full.pairs, part.pair_count * sizeof *part.pairs);
        const graze_cull_objects *last = &part.objects[part.object_pair_count - 1];
        assert_int_equal(last->first_pair + last->pair_count, part.pair_count);
        def.collect = GRAZE_COLLECT_COUNT;
        graze_cull_answer counted = ask(some, &frame, &def);
        assert_true(counted.pair_count == part.pair_count && counted.complete == part.complete);
    }
    generator_frames_close(frames);
    graze_cull_free(all);
    graze_cull_free(some);
}

static int cancel_at_once(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

static void cancelled_frames_say_so(void **state)
{
    (void)state;
    int left = 1000000, used = 0;
    graze_context_def setup = graze_context_def_default();
    setup.thread_count = 1;
    setup.user = &left;
    setup.cancel = cancel_at_once;
    graze_context *context = test_context(&setup);
    graze_cull *cull = make_cull(context);
    generator_frames *frames = open_frames("tori", 6, 2000);
    generator_frame frame = frame_at(frames, 100);
    graze_cull_answer answer = ask(cull, &frame, NULL);
    used = 1000000 - left;
    uint64_t pairs = answer.pair_count;
    for (int n = 0; n < used; ++n) {
        left = n;
        assert_int_equal(graze_cull_frame(cull, frame.objects, frame.object_count, NULL, &answer),
                         GRAZE_ERROR_CANCELLED);
    }
    left = 1000000;
    assert_int_equal(ask(cull, &frame, NULL).pair_count, pairs);
    generator_frames_close(frames);
    graze_cull_free(cull);
    test_context_done(context);
}

// --- What it keeps

static void pcs_holds_all_that_meet(void **state)
{
    graze_context *context = *state;
    graze_cull *cull = make_cull(context);
    generator_frames *frames = open_frames("tori", 6, 2000);
    generator_frame frame = frame_at(frames, 100);
    graze_cull_answer answer = ask(cull, &frame, NULL);
    assert_null(answer.pcs);
    graze_cull_keep_pcs(cull, 1);
    answer = ask(cull, &frame, NULL);
    uint64_t left = 0;
    for (uint32_t i = 0; i < frame.object_count; ++i)
        for (uint64_t t = 0; t < frame.objects[i].triangle_count; ++t) {
            assert_true(answer.pcs[i][t] <= 1);
            left += answer.pcs[i][t];
        }
    assert_true(left == answer.counters.triangles_left && left < frame.triangle_count / 2);
    for (uint64_t i = 0; i < answer.object_pair_count; ++i)
        for (uint64_t k = 0; k < answer.objects[i].pair_count; ++k) {
            graze_pair pair = answer.pairs[answer.objects[i].first_pair + k];
            assert_true(answer.pcs[answer.objects[i].a][pair.a] == 1);
            assert_true(answer.pcs[answer.objects[i].b][pair.b] == 1);
        }
    generator_frames_close(frames);
    graze_cull_free(cull);
}

static void warm_frames_allocate_nothing(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        graze_context_def setup = graze_context_def_default();
        setup.thread_count = threads;
        graze_context *context = test_context(&setup);
        graze_cull *cull = make_cull(context);
        generator_frames *frames = open_frames("tori", 6, 2000);
        generator_frame frame = frame_at(frames, 100);
        graze_cull_frame_def def = graze_cull_frame_def_default();
        def.collect = GRAZE_COLLECT_CONTACTS;
        def.self = 1;
        uint64_t pairs = 0;
        for (int i = 0; i < 12; ++i) {
            if (i == 4) // from now on, any would fail
                atomic_store(&gz_knobs_for(context)->allocations_left, 0);
            graze_cull_answer answer = ask(cull, &frame, &def);
            assert_true(i == 0 || answer.pair_count == pairs);
            pairs = answer.pair_count;
        }
        assert_int_equal(atomic_load(&gz_knobs_for(context)->allocations_left), 0);
        atomic_store(&gz_knobs_for(context)->allocations_left, -1);
        generator_frames_close(frames);
        graze_cull_free(cull);
        test_context_done(context);
    }
}

static void many_frames_do_not_grow(void **state)
{
    graze_context *context = *state;
    graze_cull *cull = make_cull(context);
    float moved[3][3];
    graze_mesh_view views[2] = {half_tent(tent[0]), half_tent(moved[0])};
    graze_cull_frame_def def = graze_cull_frame_def_default();
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.self = 1;
    uint64_t bytes = 0, met = 0, frames = TEST_CHANCES(100000);
    for (uint64_t i = 0; i < frames; ++i) {
        memcpy(moved, tent[3], sizeof moved);
        for (int k = 0; k < 3; ++k)
            moved[k][0] += (float)(i % 5) * 0.5f;
        graze_cull_answer answer;
        assert_int_equal(graze_cull_frame(cull, views, 1 + i % 2, &def, &answer), GRAZE_OK);
        met += answer.pair_count;
        if (i == 100)
            bytes = graze_context_memory(context).current_bytes;
    }
    assert_int_equal(graze_context_memory(context).current_bytes, bytes);
    assert_true(met > frames / 8 && met < frames);
    graze_cull_free(cull);
}

static graze_status frames_with_faults(graze_context *context, void *data)
{
    (void)data;
    graze_cull *cull = NULL;
    generator_frames *frames = open_frames("tori", 3, 600);
    graze_status status = graze_cull_create(context, NULL, &cull);
    graze_cull_frame_def def = graze_cull_frame_def_default();
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.self = 1;
    for (uint32_t i = 0; i < 3 && status == GRAZE_OK; ++i) {
        graze_cull_answer answer;
        generator_frame frame = frame_at(frames, i / 2);
        status = graze_cull_frame(cull, frame.objects, frame.object_count, &def, &answer);
    }
    graze_cull_free(cull);
    generator_frames_close(frames);
    return status;
}

static void want_of_memory(void **state)
{
    (void)state;
    assert_true(test_all_faults(frames_with_faults, NULL, 1) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scenes_are_as_queries_have_them, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(cloth_is_as_all_its_pairs_are, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(flat_cloth_is_settled_in_float, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(large_scenes_are_the_same_for_threads_and_widths),
        cmocka_unit_test_setup_teardown(unsound_objects_are_left_out, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(wrong_questions_are_errors, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(limits_give_the_first_pairs, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(cancelled_frames_say_so),
        cmocka_unit_test_setup_teardown(pcs_holds_all_that_meet, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(warm_frames_allocate_nothing),
        cmocka_unit_test_setup_teardown(many_frames_do_not_grow, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(want_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
