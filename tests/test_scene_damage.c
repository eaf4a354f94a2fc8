// Scene files that are damaged, cut off, newer or made up, and building and using them for want of
// memory, disk or patience: noticed with a sentence that names the byte, or harmless.
#include "test.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "faults.h"
#include "scene/scene_format.h"
#include "scenes.h"

static char mesh_path[MODEL_PATH_BYTES], scene_path[MODEL_PATH_BYTES];

typedef struct file_bytes {
    uint8_t *bytes;
    uint64_t count;
} file_bytes;

// Some objects, two of which share a body.
static file_bytes make_scene(void)
{
    scenes_mesh mesh = {.precision = GRAZE_FLOAT32};
    test_random random = {3};
    scenes_add_ball(&mesh, &random, 12, (const double[]){0, 0, 0}, false, "a", SCENES_PLAIN);
    scenes_add_ball(&mesh, &random, 20, (const double[]){1, 0, 0}, true, "b", SCENES_RIGID);
    scenes_add_ball(&mesh, &random, 30, (const double[]){1, 5, 0}, false, "c", SCENES_SHEAR);
    scenes_add_instance(&mesh, &random, 1, "d", SCENES_SHIFT);
    graze_context *context = test_context(NULL);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    assert_int_equal(scenes_build(context, mesh_path, models_path(scene_path, "scene.graze"), 0, 0),
                     GRAZE_OK);
    file_bytes file;
    file.bytes = models_read_file(scene_path, &file.count);
    unlink(mesh_path);
    unlink(scene_path);
    test_context_done(context);
    scenes_free(&mesh);
    return file;
}

// A number that stands for all that the file says: texts, poses, and the triangles of all objects.
static uint64_t mix(uint64_t sum, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static graze_status use_bodies(graze_context *context, gz_scene_file *file, uint64_t *sum)
{
    graze_status status = GRAZE_OK;
    gz_scene_file_info info = gz_scene_file_get_info(file);
    for (uint32_t i = 0; i < info.object_count && status == GRAZE_OK; ++i) {
        gz_file_object object = gz_scene_file_object(file, i);
        const graze_shape *shape = NULL;
        status = gz_scene_file_pin(file, object.body, &shape);
        assert_int_equal(shape != NULL, status == GRAZE_OK);
        if (status != GRAZE_OK)
            break;
        graze_query *query = NULL;
        graze_pose beside = graze_pose_identity();
        beside.translation[0] = 0.3;
        beside.translation[1] = 0.1;
        graze_containment in = {0};
        graze_distance distance = {0};
        status = graze_query_create(context, &query);
        if (status == GRAZE_OK)
            status = graze_query_contain(query, graze_at(shape, &object.pose),
                                         graze_at(shape, &beside), &in);
        if (status == GRAZE_OK)
            status = graze_query_distance(query, graze_at(shape, &object.pose),
                                          graze_at(shape, &beside), NULL, &distance);
        *sum = mix(*sum, &in.nesting, sizeof in.nesting);
        *sum = mix(*sum, &distance.distance, sizeof distance.distance);
        *sum = mix(mix(*sum, object.name, strlen(object.name)), object.group, strlen(object.group));
        graze_query_free(query);
        gz_scene_file_unpin(file, object.body);
    }
    return status;
}

// Opens it and asks all that can be asked. The first status that is not good.
static graze_status try_all(graze_context *context, const file_bytes *bytes, uint64_t *sum)
{
    gz_scene_file *file = NULL;
    test_last_error[0] = '\0';
    *sum = 0;
    graze_status status =
        gz_scene_file_open_memory(context, "bad", bytes->bytes, bytes->count, &file);
    assert_int_equal(status == GRAZE_OK, file != NULL);
    if (status == GRAZE_OK)
        status = use_bodies(context, file, sum);
    if (status != GRAZE_OK)
        assert_non_null(strstr(test_last_error, "bad: "));
    gz_scene_file_free(file);
    return status;
}

static graze_status check(graze_context *context, const file_bytes *bytes)
{
    gz_scene_file *file = NULL;
    uint32_t damaged = 0;
    graze_status status =
        gz_scene_file_open_memory(context, "bad", bytes->bytes, bytes->count, &file);
    if (status != GRAZE_OK)
        return status;
    status = gz_scene_file_check(file, &damaged);
    assert_int_equal(status == GRAZE_OK, damaged == 0);
    gz_scene_file_free(file);
    return status;
}

enum { STRIDE = TEST_THREAD_SANITIZER ? 61 : TEST_SANITIZED ? 7 : 1 };

// As it is: all that is not as it was built is noticed, by using or by checking.
static void every_byte_counts(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    file_bytes file = make_scene();
    uint64_t expected = 0, sum = 0;
    assert_int_equal(try_all(context, &file, &expected), GRAZE_OK);
    assert_int_equal(check(context, &file), GRAZE_OK);
    for (uint64_t at = 0; at < file.count; at += STRIDE) {
        int bit = (int)(at % 8);
        file.bytes[at] ^= (uint8_t)(1 << bit);
        graze_status status = try_all(context, &file, &sum);
        if (status == GRAZE_OK && sum != expected)
            fail_msg("byte %d: another answer", (int)at);
        if (status == GRAZE_OK)
            status = check(context, &file);
        file.bytes[at] ^= (uint8_t)(1 << bit);
        bool version = status == GRAZE_ERROR_UNSUPPORTED && // its own, or that of a body
                       strstr(test_last_error, " is of version ") != NULL;
        if (status != GRAZE_ERROR_FORMAT && !version)
            fail_msg("byte %d: status %d", (int)at, (int)status);
    }
    test_free(file.bytes);
    test_context_done(context);
}

// With the checksums that belong to the change: refused, or nothing that crashes; and what the
// directory says of bodies is found to be wrong by opening or checking them.
static void made_up_directories(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    file_bytes file = make_scene(), changed = {test_malloc(file.count), file.count};
    gz_scene_header h;
    memcpy(&h, file.bytes, sizeof h);
    uint64_t objects = h.directory_offset + h.body_count * sizeof(gz_scene_body), sum = 0,
             expected = 0, same = 0;
    assert_int_equal(try_all(context, &file, &expected), GRAZE_OK);
    for (uint64_t at = 0; at < file.count; at += at == sizeof h - 1 ? h.directory_offset - at : 1)
        for (int bit = 0; bit < 8; bit += TEST_SANITIZED ? 3 : 1) {
            memcpy(changed.bytes, file.bytes, file.count);
            changed.bytes[at] ^= (uint8_t)(1 << bit);
            gz_scene_file_seal(changed.bytes, changed.count);
            graze_status status = try_all(context, &changed, &sum);
            bool version = status == GRAZE_ERROR_UNSUPPORTED && at >= 8 && at < 12;
            assert_true(status == GRAZE_OK || status == GRAZE_ERROR_FORMAT || version);
            same += status == GRAZE_OK && sum == expected;
            // What is said of bodies can be checked; poses, names and the unit are what they are.
            if (status == GRAZE_OK && at >= h.directory_offset && at < objects &&
                check(context, &changed) != GRAZE_ERROR_FORMAT)
                fail_msg("byte %d of the table, bit %d", (int)(at - h.directory_offset), bit);
        }
    assert_true(same > 0); // of losses, of hashes
    test_free(changed.bytes);
    test_free(file.bytes);
    test_context_done(context);
}

static void parts_of_files_are_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    file_bytes file = make_scene();
    uint64_t sum = 0;
    for (uint64_t cut = 1; cut < file.count; cut += STRIDE) {
        file_bytes part = {file.bytes, cut};
        assert_int_equal(try_all(context, &part, &sum), GRAZE_ERROR_FORMAT);
        assert_non_null(strstr(test_last_error, "bad: byte "));
    }
    test_free(file.bytes);
    test_context_done(context);
}

// Bytes in messages are those of the whole file.
static void messages_name_the_byte(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    file_bytes file = make_scene();
    gz_scene_header h;
    gz_scene_body body;
    char words[64];
    uint64_t sum = 0;
    memcpy(&h, file.bytes, sizeof h);
    memcpy(&body, file.bytes + h.directory_offset + sizeof body, sizeof body);
    file.bytes[body.offset + 260] ^= 1; // in its first page
    assert_int_equal(try_all(context, &file, &sum), GRAZE_ERROR_FORMAT);
    snprintf(words, sizeof words, "bad: byte %d: page 0: ", (int)body.offset + 256);
    assert_non_null(strstr(test_last_error, words));
    test_free(file.bytes);
    test_context_done(context);
}

// --- Want of memory, disk and patience

static graze_status build(graze_context *context, void *data)
{
    (void)data;
    gz_knobs_for(context)->cluster_limit = 64;
    graze_status status = scenes_build(context, mesh_path, scene_path, 0, 0);
    assert_int_equal(models_exists(scene_path), status == GRAZE_OK);
    unlink(scene_path);
    assert_int_equal(models_file_count(), 1);
    return status;
}

// At the least memory, with a body that is put aside and one that is not few.
static graze_status build_large(graze_context *context, void *data)
{
    (void)data;
    graze_status status =
        scenes_build(context, mesh_path, scene_path, GRAZE_MODEL_LEAST_MEMORY, true);
    assert_int_equal(models_exists(scene_path), status == GRAZE_OK);
    unlink(scene_path);
    assert_int_equal(models_file_count(), 1);
    return status;
}

static void builds_that_fail(void **state)
{
    (void)state;
    scenes_mesh mesh;
    models_path(scene_path, "scene.graze");
    scenes_make(4, 100, &mesh);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    uint64_t step = TEST_SANITIZED ? 101 : 17;
    assert_true(test_all_faults(build, NULL, step) > 400 / step);
    test_random random = {8};
    scenes_add_ball(&mesh, &random, 15000, (const double[]){9, 0, 9}, true, "large", SCENES_RIGID);
    scenes_add_ball(&mesh, &random, 70000, (const double[]){9, 9, 9}, true, "vast", SCENES_SHEAR);
    scenes_write(&mesh, mesh_path);
    assert_true(test_all_faults(build_large, NULL, TEST_SANITIZED ? 1997 : 397) > 15);
    unlink(mesh_path);
    scenes_free(&mesh);
}

static graze_status use(graze_context *context, void *data)
{
    (void)data;
    gz_scene_file *file = NULL;
    uint64_t sum = 0;
    graze_status status = gz_scene_file_open(context, scene_path, &file);
    assert_int_equal(file != NULL, status == GRAZE_OK);
    if (status == GRAZE_OK)
        status = use_bodies(context, file, &sum);
    if (status == GRAZE_OK)
        status = gz_scene_file_check(file, NULL);
    gz_scene_file_free(file);
    return status;
}

static graze_status build_unnamed(graze_context *context, void *data)
{
    (void)data;
    gz_scene_mesh source = {.path = mesh_path};
    gz_scene_file *file = NULL;
    graze_status status = gz_scene_file_build_temporary(context, &source, 1, NULL, &file);
    assert_int_equal(file != NULL, status == GRAZE_OK);
    gz_scene_file_free(file);
    return status;
}

static void uses_that_fail(void **state)
{
    (void)state;
    scenes_mesh mesh;
    graze_context *context = test_context(NULL);
    scenes_make(4, 100, &mesh);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    assert_int_equal(scenes_build(context, mesh_path, models_path(scene_path, "scene.graze"), 0, 1),
                     GRAZE_OK);
    test_context_done(context);
    uint64_t step = TEST_SANITIZED ? 97 : 13;
    assert_true(test_all_faults(use, NULL, step) > 400 / step);
    assert_true(test_all_faults(build_unnamed, NULL, 5 * step) > 10);
    unlink(mesh_path);
    unlink(scene_path);
    scenes_free(&mesh);
}

static int cancel_after(void *user) { return (*(int64_t *)user)-- <= 0; }

static void cancelled_anywhere(void **state)
{
    (void)state;
    scenes_mesh mesh;
    scenes_make(4, 500, &mesh);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    scenes_free(&mesh);
    models_path(scene_path, "scene.graze");
    graze_status status = GRAZE_ERROR_CANCELLED;
    int rounds = 0;
    for (int64_t patience = 0; status == GRAZE_ERROR_CANCELLED; patience += 1 + patience / 8) {
        int64_t left = patience;
        graze_context_def def = graze_context_def_default();
        def.user = &left;
        def.cancel = cancel_after;
        graze_context *context = test_context(&def);
        status = build(context, NULL);
        test_context_done(context);
        rounds++;
    }
    assert_int_equal(status, GRAZE_OK);
    assert_true(rounds > 10);
    unlink(mesh_path);
}

// A mesh that was cut, or that shrinks: a sentence, and nothing is left.
static void cut_sources(void **state)
{
    (void)state;
    scenes_mesh mesh;
    scenes_make(4, 300, &mesh);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    scenes_free(&mesh);
    models_path(scene_path, "scene.graze");
    uint64_t count = 0;
    uint8_t *bytes = models_read_file(mesh_path, &count);
    test_free(bytes);
    for (uint64_t cut = count - 1; cut > 100; cut -= cut / 5) {
        graze_context *context = test_context(NULL);
        assert_int_equal(truncate(mesh_path, (off_t)cut), 0);
        assert_int_equal(scenes_build(context, mesh_path, scene_path, 0, 0), GRAZE_ERROR_FORMAT);
        assert_non_null(strstr(test_last_error, mesh_path));
        assert_false(models_exists(scene_path));
        test_context_done(context);
    }
    unlink(mesh_path);
}

// A process that is killed at any moment leaves the old file or the new one.
static void killed_builds(void **state)
{
    (void)state;
    test_of_one_thread();
    scenes_mesh mesh;
    scenes_make(4, TEST_SANITIZED ? 500 : 3000, &mesh);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    scenes_free(&mesh);
    models_path(scene_path, "scene.graze");
    models_write_text(scene_path, "old");
    for (useconds_t wait = 1000; wait < 500000; wait *= 2) {
        pid_t child = fork();
        if (child == 0) {
            graze_context *context = NULL;
            if (graze_context_create(NULL, &context) != GRAZE_OK)
                _exit(98);
            _exit(scenes_build(context, mesh_path, scene_path, 0, true));
        }
        usleep(wait);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        uint64_t count = 0;
        uint8_t *bytes = models_read_file(scene_path, &count);
        if (count != 3) {
            graze_context *context = test_context(NULL);
            file_bytes file = {bytes, count};
            assert_int_equal(check(context, &file), GRAZE_OK);
            test_context_done(context);
        }
        test_free(bytes);
    }
    graze_context *context = test_context(NULL); // which removes what may be left
    assert_int_equal(scenes_build(context, mesh_path, scene_path, 0, true), GRAZE_OK);
    test_context_done(context);
    unlink(mesh_path);
    unlink(scene_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(made_up_directories),
        cmocka_unit_test(parts_of_files_are_refused),
        cmocka_unit_test(messages_name_the_byte),
        cmocka_unit_test(builds_that_fail),
        cmocka_unit_test(uses_that_fail),
        cmocka_unit_test(cancelled_anywhere),
        cmocka_unit_test(cut_sources),
        cmocka_unit_test(killed_builds),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
