// Builds that end early, for want of memory, disk or patience, or because the process is killed:
// nothing is left behind, and what was there before is there still.
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "faults.h"
#include "models.h"

static char mesh[MODEL_PATH_BYTES], model_path[MODEL_PATH_BYTES];

// Of small clusters, so that a small mesh has many of them, in groups and on levels.
static graze_status build_small(graze_context *context, void *data)
{
    (void)data;
    gz_knobs_for(context)->cluster_limit = 128;
    graze_status status = graze_model_build(context, mesh, model_path, NULL);
    assert_int_equal(models_exists(model_path), status == GRAZE_OK);
    unlink(model_path);
    assert_int_equal(models_file_count(), 1);
    return status;
}

// At the least memory, so that triangles go to disk.
static graze_status build_large(graze_context *context, void *data)
{
    (void)data;
    graze_model_build_def def = graze_model_build_def_default();
    def.memory_bytes = GRAZE_MODEL_LEAST_MEMORY;
    def.no_levels = 1;
    graze_status status = graze_model_build(context, mesh, model_path, &def);
    assert_int_equal(models_exists(model_path), status == GRAZE_OK);
    unlink(model_path);
    return status;
}

static void builds_that_fail(void **state)
{
    (void)state;
    models_path(model_path, "model.graze");
    models_make("plates", 600, GRAZE_FLOAT32, models_path(mesh, "mesh.glb"));
    uint64_t step = TEST_SANITIZED ? 4 : 1;
    assert_true(test_all_faults(build_small, NULL, step) > 400 / step);
    unlink(mesh);
    models_make("terrain", 320000, GRAZE_FLOAT32, models_path(mesh, "mesh.ply"));
    assert_true(test_all_faults(build_large, NULL, TEST_SANITIZED ? 797 : 97) > 15);
    unlink(mesh);
}

static graze_status use(graze_context *context, void *data)
{
    (void)data;
    graze_model *model = NULL;
    record got = {0};
    graze_status status = graze_model_open(context, model_path, &model);
    assert_int_equal(model == NULL, status != GRAZE_OK);
    if (status == GRAZE_OK)
        status = graze_model_check(model, NULL);
    if (status == GRAZE_OK) {
        graze_mesh_sink sink = record_sink(&got);
        status = graze_model_stream(model, 1 << 17, &sink); // less than they take
        assert_int_equal(got.ended, status == GRAZE_OK);
    }
    record_free(&got);
    graze_model_free(model);
    return status;
}

static void uses_that_fail(void **state)
{
    (void)state;
    models_path(model_path, "model.graze");
    models_make("plates", 12000, GRAZE_FLOAT32, models_path(mesh, "mesh.glb"));
    models_round_trip(mesh, NULL, model_path);
    uint64_t step = TEST_SANITIZED ? 11 : 3;
    assert_true(test_all_faults(use, NULL, step) > 90 / step);
    unlink(mesh);
    unlink(model_path);
}

static int cancel_after(void *user) { return (*(int64_t *)user)-- <= 0; }

static graze_status build_patiently(graze_context *context, void *data)
{
    (void)data;
    graze_status status = graze_model_build(context, mesh, model_path, NULL);
    assert_int_equal(models_exists(model_path), status == GRAZE_OK);
    assert_int_equal(models_file_count(), status == GRAZE_OK ? 2 : 1);
    return status;
}

// Cancels a call sooner and later, until it ends by itself.
static void cancel_anywhere(test_run *run)
{
    graze_status status = GRAZE_ERROR_CANCELLED;
    int rounds = 0;
    for (int64_t patience = 0; status == GRAZE_ERROR_CANCELLED; patience += 1 + patience / 8) {
        int64_t left = patience;
        graze_context_def def = graze_context_def_default();
        def.user = &left;
        def.cancel = cancel_after;
        graze_context *context = test_context(&def);
        status = run(context, NULL);
        test_context_done(context);
        rounds++;
    }
    assert_int_equal(status, GRAZE_OK);
    assert_true(rounds > 10);
}

static void cancelling_anywhere_leaves_nothing(void **state)
{
    (void)state;
    models_path(model_path, "model.graze");
    models_make("terrain", 30000, GRAZE_FLOAT32, models_path(mesh, "mesh.ply"));
    cancel_anywhere(build_patiently);
    cancel_anywhere(use);
    unlink(mesh);
    unlink(model_path);
}

// In a child, so that the limits of the process can be changed, or its life ended.
static pid_t build_in_child(uint64_t largest_file, uint64_t memory)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    struct rlimit limit = {largest_file, largest_file};
    signal(SIGXFSZ, SIG_IGN);
    if (largest_file != 0 && setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(99);
    graze_context *context = NULL;
    graze_model_build_def def = graze_model_build_def_default();
    def.memory_bytes = memory;
    if (graze_context_create(NULL, &context) != GRAZE_OK)
        _exit(98);
    _exit(graze_model_build(context, mesh, model_path, &def));
}

// A disk without room, at any place in the file: the old one stays.
static void full_disks(void **state)
{
    (void)state;
    models_path(model_path, "model.graze");
    models_make("terrain", 320000, GRAZE_FLOAT32, models_path(mesh, "mesh.ply"));
    models_write_text(model_path, "old");
    static const uint64_t limits[] = {1, 255, 4096, 100000, 700000};
    for (size_t i = 0; i < 2 * sizeof limits / sizeof *limits; i += TEST_SANITIZED ? 3 : 1) {
        int status = 0;
        pid_t child = build_in_child(limits[i / 2], i % 2 == 0 ? 0 : GRAZE_MODEL_LEAST_MEMORY);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) != GRAZE_ERROR_SPACE)
            fail_msg("limit %d: status %d", (int)limits[i / 2], WEXITSTATUS(status));
        assert_int_equal(models_file_count(), 2);
        uint64_t count = 0;
        uint8_t *bytes = models_read_file(model_path, &count);
        assert_int_equal(count, 3);
        assert_memory_equal(bytes, "old", 3);
        test_free(bytes);
    }
    unlink(mesh);
    unlink(model_path);
}

static void killed_builds(void **state)
{
    (void)state;
    if (TEST_SANITIZED) // they report nothing from a process that is killed
        skip();
    char good[MODEL_PATH_BYTES];
    models_path(model_path, "model.graze");
    models_make("terrain", 60000, GRAZE_FLOAT32, models_path(mesh, "mesh.ply"));
    models_round_trip(mesh, NULL, models_path(good, "good.graze"));
    uint64_t count = 0, other = 0;
    uint8_t *bytes = models_read_file(good, &count);
    uint32_t complete = 0, none = 0;
    for (int i = 0; i < 40; ++i) {
        if (i % 2 == 1) // another model is there already
            models_copy(TEST_DATA "/placed.gltf", model_path);
        pid_t child = build_in_child(0, 0);
        usleep((useconds_t)(i * i * 100));
        kill(child, SIGKILL);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (models_exists(model_path)) {
            uint8_t *found = models_read_file(model_path, &other);
            if (other == count && memcmp(found, bytes, count) == 0)
                complete++;
            else
                assert_true(i % 2 == 1 && !graze_model_recognise(model_path)); // the old one
            test_free(found);
        } else {
            assert_int_equal(i % 2, 0);
            none++;
        }
        assert_int_equal(models_file_count(), 2 + models_exists(model_path));
        unlink(model_path);
    }
    print_message("%d complete, %d not begun or gone\n", (int)complete, (int)none);
    test_free(bytes);
    unlink(mesh);
    unlink(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_that_fail),
        cmocka_unit_test(uses_that_fail),
        cmocka_unit_test(cancelling_anywhere_leaves_nothing),
        cmocka_unit_test(full_disks),
        cmocka_unit_test(killed_builds),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
