// graze_cull_frame on OpenGL: the pairs of the oracle and of the CPU, at all resolutions and in all
// kinds of passes; who says what where there is no OpenGL, or where it fails on the way.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "frame_soups.h"
#include "frames.h"

static const uint32_t resolutions[] = {16, 64, 800};
enum { RESOLUTIONS = 3, WAYS = 3 * RESOLUTIONS };

static bool built_in(void) { return strstr(graze_build_info(), "OpenGL: yes") != NULL; }

// Ends the test where this build has no OpenGL, and nowhere else: where it has, a driver must be.
static void needs_opengl(void)
{
    if (!built_in()) {
        print_message("this build has no OpenGL: nothing to test\n");
        skip();
    }
}

static graze_cull *make_cull(graze_context *context, graze_cull_engine engine,
                             graze_cull_passes passes, uint32_t resolution)
{
    graze_cull *cull = NULL;
    graze_cull_def def = graze_cull_def_default();
    def.engine = engine;
    def.passes = passes;
    def.resolution = resolution;
    assert_int_equal(graze_cull_create(context, &def, &cull), GRAZE_OK);
    return cull;
}

static graze_cull *make_opengl(graze_context *context, uint32_t way)
{
    return make_cull(context, GRAZE_CULL_OPENGL, (graze_cull_passes)(way % 3),
                     resolutions[way / 3]);
}

// The first case in which objects are all over each other.
static void make_busy_case(frame_case *c)
{
    for (uint64_t seed = 1; seed == 1 || c->contacts[0] < 50; ++seed) {
        frame_case_make(c, seed, FRAME_TRIANGLES);
        frame_case_solve(c);
    }
}

static void answers_are_those_of_the_oracle(void **state)
{
    needs_opengl();
    static frame_case c;
    graze_cull *culls[WAYS];
    graze_cull_answer answer;
    uint64_t contacts = 0;
    for (uint32_t way = 0; way < WAYS; ++way)
        culls[way] = make_opengl(*state, way);
    for (uint64_t seed = 1; seed <= TEST_CHANCES(90); ++seed) {
        frame_case_make(&c, seed, 12);
        frame_case_solve(&c);
        contacts += c.contacts[0];
        // The finest resolution takes a driver of software a while: it has every third case.
        for (uint32_t way = (uint32_t)(seed % 3); way < (seed % 9 < 3 ? WAYS : WAYS - 3);
             way += 3) {
            graze_cull_frame_def def = graze_cull_frame_def_default();
            def.tolerance = c.tolerance;
            assert_int_equal(graze_cull_frame(culls[way], c.views, c.object_count, &def, &answer),
                             GRAZE_OK);
            assert_int_equal(answer.engine, GRAZE_CULL_OPENGL);
            frame_case_check(&c, &answer, false, false);
        }
    }
    assert_true(contacts > 300);
    for (uint32_t way = 0; way < WAYS; ++way)
        graze_cull_free(culls[way]);
}

// ---- Frames of things that move, beside the CPU

static void same_answer(const graze_cull_answer *a, const graze_cull_answer *b)
{
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->object_pair_count, b->object_pair_count);
    assert_int_equal(a->pair_count, b->pair_count);
    for (uint64_t i = 0; i < a->object_pair_count; ++i)
        assert_memory_equal(&a->objects[i], &b->objects[i], sizeof *a->objects);
    for (uint64_t i = 0; i < a->pair_count; ++i)
        assert_memory_equal(&a->pairs[i], &b->pairs[i], sizeof *a->pairs);
}

static uint64_t compare_with_cpu(graze_context *context, const generator_frames_def *scene,
                                 uint32_t step, uint32_t resolution, double tolerance)
{
    generator_frames *frames = NULL;
    generator_frame frame;
    uint64_t pairs = 0;
    graze_cull *cpu = make_cull(context, GRAZE_CULL_CPU, GRAZE_CULL_QUERIES, 0);
    graze_cull *opengl[3];
    for (int passes = 0; passes < 3; ++passes)
        opengl[passes] =
            make_cull(context, GRAZE_CULL_OPENGL, (graze_cull_passes)passes, resolution);
    assert_int_equal(generator_frames_open(scene, &frames), GRAZE_OK);
    for (uint32_t number = 0; number < scene->frame_count; number += step) {
        graze_cull_answer truth, answer;
        graze_cull_frame_def def = graze_cull_frame_def_default();
        def.tolerance = tolerance;
        assert_int_equal(generator_frames_at(frames, number, &frame), GRAZE_OK);
        assert_int_equal(graze_cull_frame(cpu, frame.objects, frame.object_count, &def, &truth),
                         GRAZE_OK);
        pairs += truth.pair_count;
        for (int passes = 0; passes < 3; ++passes) {
            assert_int_equal(
                graze_cull_frame(opengl[passes], frame.objects, frame.object_count, &def, &answer),
                GRAZE_OK);
            assert_int_equal(answer.engine, GRAZE_CULL_OPENGL);
            same_answer(&answer, &truth);
        }
    }
    generator_frames_close(frames);
    graze_cull_free(cpu);
    for (int passes = 0; passes < 3; ++passes)
        graze_cull_free(opengl[passes]);
    return pairs;
}

static void frames_are_those_of_the_cpu(void **state)
{
    needs_opengl();
    generator_frames_def cylinders = {.scene = "cylinders", .frame_count = 4, .object_count = 30};
    generator_frames_def breaking = {.scene = "breaking",
                                     .frame_count = 5,
                                     .object_count = 20,
                                     .triangle_count = TEST_SANITIZED ? 2000 : 6000};
    generator_frames_def tori = {
        .scene = "tori", .frame_count = 2, .triangle_count = TEST_SANITIZED ? 300 : 1500};
    assert_true(compare_with_cpu(*state, &cylinders, 1, 200, 0) > 0);
    compare_with_cpu(*state, &cylinders, 2, 16, 0.01);
    assert_true(compare_with_cpu(*state, &breaking, 1, 128, 0) > 0);
    compare_with_cpu(*state, &tori, 1, 400, 0);
}

// An object hides nothing of itself: who asks for that is answered by the CPU, and so it says.
static void objects_with_themselves_are_for_the_cpu(void **state)
{
    needs_opengl();
    static frame_case c;
    graze_cull *cull = make_opengl(*state, 1);
    graze_cull_answer answer;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        frame_case_make(&c, seed, 12);
        frame_case_solve(&c);
        for (uint32_t only = 0; only < 2; ++only) {
            graze_cull_frame_def def = graze_cull_frame_def_default();
            def.tolerance = c.tolerance;
            def.self = 1;
            def.only_self = only;
            assert_int_equal(graze_cull_frame(cull, c.views, c.object_count, &def, &answer),
                             GRAZE_OK);
            assert_int_equal(answer.engine, GRAZE_CULL_CPU);
            frame_case_check(&c, &answer, true, only != 0);
        }
    }
    graze_cull_free(cull);
}

// ---- Failing

static void a_driver_that_fails_hands_over_to_the_cpu(void **state)
{
    needs_opengl();
    static frame_case c;
    graze_context *context = *state;
    make_busy_case(&c);
    graze_cull_frame_def def = graze_cull_frame_def_default();
    def.tolerance = c.tolerance;
    for (int64_t left = 0; left < 12; left += 1 + left / 2) {
        graze_cull_answer answer;
        graze_cull *cull = make_opengl(context, (uint32_t)left % 3);
        test_last_error[0] = 0;
        atomic_store(&gz_knobs_for(context)->draws_left, left);
        for (int frame = 0; frame < 3; ++frame) {
            assert_int_equal(graze_cull_frame(cull, c.views, c.object_count, &def, &answer),
                             GRAZE_OK);
            frame_case_check(&c, &answer, false, false);
        }
        atomic_store(&gz_knobs_for(context)->draws_left, -1);
        assert_int_equal(answer.engine, GRAZE_CULL_CPU); // once it has failed, for good
        assert_non_null(strstr(test_last_error, "OpenGL culls no more"));
        graze_cull_free(cull);
    }
}

static bool cpu_instead(graze_context *context, const char *sentence)
{
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t corners[] = {0, 1, 2};
    graze_mesh_view views[2] = {{.precision = GRAZE_FLOAT32,
                                 .vertex_count = 3,
                                 .triangle_count = 1,
                                 .positions = positions,
                                 .corners = corners}};
    graze_cull_answer answer = {0};
    graze_cull *cull = make_cull(context, GRAZE_CULL_OPENGL, GRAZE_CULL_QUERIES, 0);
    views[1] = views[0];
    bool right = strstr(test_last_error, sentence) != NULL &&
                 graze_cull_frame(cull, views, 2, NULL, &answer) == GRAZE_OK &&
                 answer.pair_count == 1 && answer.engine == GRAZE_CULL_CPU;
    if (!right)
        fprintf(stderr, "instead of '%s': '%s'\n", sentence, test_last_error);
    graze_cull_free(cull);
    return right;
}

// In a process of its own, since a driver is chosen once in each.
static void expect_cpu(const char *variable, const char *value, const char *sentence)
{
    int result = -1;
    pid_t child = fork();
    if (child == 0) {
        setenv(variable, value, 1);
        graze_context *context = test_context(NULL);
        bool right = cpu_instead(context, sentence);
        graze_context_destroy(context);
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
}

static void without_opengl_the_cpu_does_it(void **state)
{
    (void)state;
    if (!built_in()) {
        expect_cpu("NOTHING", "", "this build of graze has no OpenGL");
        return;
    }
    expect_cpu("__EGL_VENDOR_LIBRARY_DIRS", "/nowhere", "EGL finds no driver");
    expect_cpu("MESA_GL_VERSION_OVERRIDE", "3.3", "OpenGL 4.3");
}

// ---- Left to us

static char last_note[512];
static void take_note(void *user, graze_log_level level, const char *sentence)
{
    (void)user;
    if (level == GRAZE_LOG_NOTE)
        snprintf(last_note, sizeof last_note, "%s", sentence);
}

// A driver of software, tried as if it were a GPU, is found to be slower or not, and says so; the
// answers are the same before, during and after the trial.
static void a_trial_changes_no_answer(void **state)
{
    (void)state;
    needs_opengl();
    static frame_case c;
    graze_context_def context_def = graze_context_def_default();
    context_def.log = take_note;
    for (int software = 0; software < 2; ++software) {
        graze_context *context = NULL;
        graze_cull_answer answer;
        uint32_t by_opengl = 0;
        assert_int_equal(graze_context_create(&context_def, &context), GRAZE_OK);
        gz_knobs_for(context)->try_software = software != 0;
        graze_cull *cull = make_cull(context, GRAZE_CULL_AUTO, GRAZE_CULL_BATCHED, 64);
        make_busy_case(&c);
        graze_cull_frame_def def = graze_cull_frame_def_default();
        def.tolerance = c.tolerance;
        last_note[0] = 0;
        for (int frame = 0; frame < 16; ++frame) {
            assert_int_equal(graze_cull_frame(cull, c.views, c.object_count, &def, &answer),
                             GRAZE_OK);
            frame_case_check(&c, &answer, false, false);
            by_opengl += answer.engine == GRAZE_CULL_OPENGL;
            if (frame < 8)
                assert_int_equal(answer.engine, GRAZE_CULL_CPU);
        }
        if (software) {
            assert_true(by_opengl >= 4);
            assert_non_null(strstr(last_note, "nanoseconds a triangle"));
        } else
            assert_int_equal(by_opengl, 0);
        graze_cull_free(cull);
        graze_context_destroy(context);
    }
}

// ---- Memory

static uint64_t own_memory_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    unsigned long long kib = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "RssAnon: %llu", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib;
}

// Neither ours nor the driver's grows from frame to frame. FRAMES=100000 in the environment makes
// it as long as that.
static void memory_does_not_grow(void **state)
{
    needs_opengl();
    static frame_case c;
    const char *wanted = getenv("FRAMES");
    uint32_t frames =
        wanted != NULL ? (uint32_t)strtoul(wanted, NULL, 10) : (uint32_t)TEST_CHANCES(600);
    graze_context *context = *state;
    graze_cull *culls[3];
    uint64_t memory = 0, kib = 0;
    for (uint32_t passes = 0; passes < 3; ++passes)
        culls[passes] = make_opengl(context, passes);
    for (uint32_t frame = 0; frame < frames; ++frame) {
        graze_cull_answer answer;
        frame_case_make(&c, 1 + frame % 10, 12);
        graze_cull_frame_def def = graze_cull_frame_def_default();
        def.tolerance = c.tolerance;
        assert_int_equal(graze_cull_frame(culls[frame % 3], c.views, c.object_count, &def, &answer),
                         GRAZE_OK);
        assert_int_equal(answer.engine, GRAZE_CULL_OPENGL);
        if (frame == frames / 2) {
            memory = graze_context_memory(context).current_bytes;
            kib = own_memory_kib();
        }
    }
    assert_int_equal(graze_context_memory(context).current_bytes, memory);
    uint64_t grown = own_memory_kib() > kib ? own_memory_kib() - kib : 0;
    if (wanted != NULL)
        print_message("%u frames: the second half took %llu KiB more\n", frames,
                      (unsigned long long)grown);
    if (!TEST_SANITIZED) // a sanitizer keeps what was given back
        assert_true(grown < 4096);
    for (uint32_t passes = 0; passes < 3; ++passes)
        graze_cull_free(culls[passes]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_opengl_the_cpu_does_it),
        cmocka_unit_test_setup_teardown(answers_are_those_of_the_oracle, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(frames_are_those_of_the_cpu, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(objects_with_themselves_are_for_the_cpu, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(a_driver_that_fails_hands_over_to_the_cpu,
                                        test_context_enter, test_context_leave),
        cmocka_unit_test(a_trial_changes_no_answer),
        cmocka_unit_test_setup_teardown(memory_does_not_grow, test_context_enter,
                                        test_context_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
