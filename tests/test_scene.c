// Objects of scenes: added, moved, removed, named; and sources: files, folders, manifests.
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"
#include "models.h"

// --- A box as a shape

static graze_shape *make_box(graze_context *context, double size)
{
    static const uint32_t corners[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                         1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    double positions[24];
    for (int v = 0; v < 8; ++v) {
        positions[3 * v] = (v % 4 == 1 || v % 4 == 2) ? size : 0;
        positions[3 * v + 1] = v % 4 >= 2 ? size : 0;
        positions[3 * v + 2] = v >= 4 ? size : 0;
    }
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = 8,
                            .triangle_count = 12,
                            .positions = positions,
                            .corners = corners};
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    return shape;
}

static graze_object_id add(graze_scene *scene, const graze_shape *shape, const char *group,
                           const char *name, double x)
{
    graze_pose pose = graze_pose_identity();
    graze_object_id id;
    pose.translation[0] = x;
    graze_object_def def = graze_object_def_default();
    def.name = name;
    def.group = group;
    def.shape = shape;
    def.pose = &pose;
    assert_int_equal(graze_scene_add(scene, &def, &id), GRAZE_OK);
    return id;
}

static void check_path(const graze_scene *scene, graze_object_id id, const char *path)
{
    graze_scene_object object;
    assert_int_equal(graze_scene_get(scene, id, &object), GRAZE_OK);
    assert_string_equal(object.path, path);
    graze_object_id found = graze_scene_find(scene, path);
    assert_true(found.index1 == id.index1 && found.generation == id.generation);
}

static void paths_are_unique(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_shape *box = make_box(context, 1);
    graze_scene *scene = NULL;
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    graze_object_id first = add(scene, box, "plant/a", "pipe", 0);
    graze_object_id taken = add(scene, box, "plant/a", "pipe#2", 0);
    graze_object_id third = add(scene, box, "plant/a", "pipe", 0);
    check_path(scene, first, "plant/a/pipe");
    check_path(scene, taken, "plant/a/pipe#2");
    check_path(scene, third, "plant/a/pipe#3");
    check_path(scene, add(scene, box, "", "alone", 0), "alone");
    check_path(scene, add(scene, box, "only/group", "", 0), "only/group");
    check_path(scene, add(scene, box, "", "", 0), "");
    check_path(scene, add(scene, box, "", "", 0), "#2");
    // What was removed leaves its path to the next one.
    assert_int_equal(graze_scene_remove(scene, first), GRAZE_OK);
    assert_int_equal(graze_scene_find(scene, "plant/a/pipe").index1, 0);
    graze_object_id again = add(scene, box, "plant/a", "pipe", 0);
    check_path(scene, again, "plant/a/pipe");
    graze_scene_object object;
    assert_int_equal(graze_scene_get(scene, first, &object), GRAZE_ERROR_ARGUMENT);
    assert_int_not_equal(again.generation, first.generation);
    graze_scene_free(scene);
    graze_shape_free(box);
    test_context_done(context);
}

// Against a plain list: thousands of objects come and go.
#define MOST 600
static void objects_come_and_go(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_shape *box = make_box(context, 1);
    graze_scene *scene = NULL;
    static graze_object_id ids[MOST];
    static double places[MOST];
    uint32_t count = 0;
    test_random random = {7};
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    for (int step = 0; step < TEST_CHANCES(6000); ++step) {
        uint64_t choice = test_next(&random) % 8;
        if ((choice < 4 && count < MOST) || count == 0) {
            char name[16];
            snprintf(name, sizeof name, "n%d", (int)(test_next(&random) % 40));
            places[count] = 100 * test_unit(&random);
            ids[count] = add(scene, box, "g", name, places[count]);
            count++;
        } else if (choice < 6) {
            uint32_t at = (uint32_t)(test_next(&random) % count);
            assert_int_equal(graze_scene_remove(scene, ids[at]), GRAZE_OK);
            assert_int_equal(graze_scene_remove(scene, ids[at]), GRAZE_ERROR_ARGUMENT);
            memmove(ids + at, ids + at + 1, (count - at - 1) * sizeof *ids);
            memmove(places + at, places + at + 1, (count - at - 1) * sizeof *places);
            count--;
        } else {
            uint32_t at = (uint32_t)(test_next(&random) % count);
            graze_pose pose = graze_pose_identity();
            pose.translation[0] = places[at] = 100 * test_unit(&random);
            assert_int_equal(graze_scene_move(scene, ids[at], &pose), GRAZE_OK);
        }
        if (step % 50 != 0)
            continue;
        graze_object_id id = graze_scene_next(scene, (graze_object_id){0, 0});
        for (uint32_t i = 0; i < count; ++i, id = graze_scene_next(scene, id)) {
            graze_scene_object object;
            assert_true(id.index1 == ids[i].index1 && id.generation == ids[i].generation);
            assert_int_equal(graze_scene_get(scene, id, &object), GRAZE_OK);
            assert_true(object.box.min[0] <= places[i] && object.box.max[0] >= places[i] + 1);
            assert_true(object.box.max[0] - object.box.min[0] < 1.0000001);
            assert_true(graze_scene_find(scene, object.path).index1 == id.index1);
        }
        assert_int_equal(id.index1, 0);
        assert_int_equal(graze_scene_get_info(scene).object_count, count);
    }
    graze_scene_free(scene);
    graze_shape_free(box);
    test_context_done(context);
}

static void mistakes_have_sentences(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_shape *box = make_box(context, 1);
    graze_scene *scene = NULL;
    graze_object_def def = graze_object_def_default();
    graze_pose pose = graze_pose_identity();
    graze_object_id id;
    assert_int_equal(graze_scene_create(context, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    assert_int_equal(graze_scene_add(scene, NULL, &id), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_add(scene, &def, &id), GRAZE_ERROR_ARGUMENT); // no shape
    def.shape = box;
    def.pose = &pose;
    pose.rotation[0] = 2;
    assert_int_equal(graze_scene_add(scene, &def, &id), GRAZE_ERROR_ARGUMENT);
    pose = graze_pose_identity();
    pose.translation[1] = __builtin_nan("");
    assert_int_equal(graze_scene_add(scene, &def, &id), GRAZE_ERROR_ARGUMENT);
    assert_int_not_equal(strlen(graze_context_error(context)), 0);
    assert_int_equal(id.index1, 0);
    pose = graze_pose_identity();
    pose.translation[2] = 0x1p1023; // finite, but no question could be asked there
    assert_int_equal(graze_scene_add(scene, &def, &id), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(graze_context_error(context), "beyond the range"));
    pose = graze_pose_identity();
    assert_int_equal(graze_scene_add(scene, &def, &id), GRAZE_OK);
    pose.translation[0] = -0x1p1023;
    assert_int_equal(graze_scene_move(scene, id, &pose), GRAZE_ERROR_ARGUMENT);
    pose.translation[0] = 0;
    pose.rotation[4] = -1;
    assert_int_equal(graze_scene_move(scene, id, &pose), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_move(scene, id, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_move(scene, (graze_object_id){9, 1}, &pose), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_get_info(scene).object_count, 1);
    graze_scene_free(scene);
    graze_scene_free(NULL);
    graze_shape_free(box);
    test_context_done(context);
}

// --- Sources

static const char two_objects[] = "o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                                  "o right\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 4 5 6\n# end\n";

static graze_status read_source(graze_scene *scene, const char *path, const char *group,
                                const graze_pose *pose)
{
    graze_scene_source source = {path, group, pose};
    return graze_scene_add_source(scene, &source, NULL);
}

static void check_paths(const graze_scene *scene, const char *const *paths, uint32_t count)
{
    graze_object_id id = graze_scene_next(scene, (graze_object_id){0, 0});
    for (uint32_t i = 0; i < count; ++i, id = graze_scene_next(scene, id)) {
        graze_scene_object object;
        assert_int_equal(graze_scene_get(scene, id, &object), GRAZE_OK);
        assert_string_equal(object.path, paths[i]);
    }
    assert_int_equal(id.index1, 0);
}

static void files_and_folders(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char folder[MODEL_PATH_BYTES], inner[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    graze_scene *scene = NULL;
    assert_int_equal(mkdir(models_path(folder, "parts"), 0700), 0);
    assert_int_equal(mkdir(models_path(inner, "parts/deep"), 0700), 0);
    models_write_text(models_path(path, "parts/b.obj"), two_objects);
    models_write_text(models_path(path, "parts/a.v1.obj"), two_objects);
    models_write_text(models_path(path, "parts/deep/c.obj"), two_objects);
    models_write_text(models_path(path, "parts/notes.txt"), "hello\n");
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    assert_int_equal(read_source(scene, folder, "all", NULL), GRAZE_OK);
    assert_non_null(strstr(test_last_error, "notes.txt"));
    static const char *const expected[] = {"all/a.v1/left", "all/a.v1/right",  "all/b/left",
                                           "all/b/right",   "all/deep/c/left", "all/deep/c/right"};
    check_paths(scene, expected, 6);
    // A source that fails leaves the scene as it was.
    models_write_text(models_path(path, "parts/x.obj"), "f 1 2 3\n");
    assert_int_not_equal(read_source(scene, folder, "again", NULL), GRAZE_OK);
    check_paths(scene, expected, 6);
    assert_int_not_equal(read_source(scene, models_path(path, "nothing.ply"), "", NULL), GRAZE_OK);
    check_paths(scene, expected, 6);
    graze_scene_free(scene);
    static const char *const names[] = {"parts/a.v1.obj", "parts/b.obj", "parts/x.obj",
                                        "parts/deep/c.obj", "parts/notes.txt"};
    for (int i = 0; i < 5; ++i)
        assert_int_equal(unlink(models_path(path, names[i])), 0);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(read_source(NULL, folder, "", NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(rmdir(folder), 0);
    test_context_done(context);
}

static void manifests(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    graze_scene *scene = NULL;
    models_write_text(models_path(mesh, "m.obj"), two_objects);
    models_write_text(models_path(path, "site.json"),
                      "{\"unit\": \"mm\", \"files\": [{\"path\": \"m.obj\", \"group\": \"one\"},"
                      "{\"path\": \"m.obj\", \"group\": \"two\","
                      " \"pose\": [0,-1,0,10, 1,0,0,0, 0,0,1,0]},"
                      "{\"path\": \"m.obj\", \"pose\": {\"position\": [0, 0, 7]}}]}");
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    assert_int_equal(read_source(scene, path, "site", NULL), GRAZE_OK);
    static const char *const expected[] = {"site/one/left",  "site/one/right", "site/two/left",
                                           "site/two/right", "site/left",      "site/right"};
    check_paths(scene, expected, 6);
    assert_true(graze_scene_get_info(scene).metres_per_unit == 1e-3);
    graze_scene_object object;
    assert_int_equal(graze_scene_get(scene, graze_scene_find(scene, "site/two/right"), &object),
                     GRAZE_OK);
    // (5, 0, 0) goes to (10, 5, 0), (5, 1, 0) to (9, 5, 0).
    assert_true(object.box.min[0] <= 9 && object.box.min[0] > 8.999);
    assert_true(object.box.max[1] >= 6 && object.box.max[1] < 6.001);
    assert_int_equal(graze_scene_get(scene, graze_scene_find(scene, "site/left"), &object),
                     GRAZE_OK);
    assert_true(object.box.min[2] <= 7 && object.box.max[2] >= 7 && object.box.min[2] > 6.999);
    static const char *const wrong[] = {
        "",
        "[]",
        "{}",
        "{\"files\": 3}",
        "{\"files\": [{}]}",
        "{\"files\": [{\"path\": \"\"}]}",
        "{\"files\": [], \"colour\": 1}",
        "{\"files\": [{\"path\": \"m.obj\", \"posse\": []}]}",
        "{\"files\": [{\"path\": \"m.obj\", \"path\": \"m.obj\"}]}",
        "{\"files\": [{\"path\": \"m.obj\", \"pose\": [1, 2]}]}",
        "{\"files\": [{\"path\": \"m.obj\", \"pose\": [2,0,0,0, 0,1,0,0, 0,0,1,0]}]}",
        "{\"files\": [{\"path\": \"m.obj\", \"pose\": {\"quaternion\": [0,0,0,0]}}]}",
        "{\"files\": [{\"path\": \"m.obj\", \"group\": 4}]}",
        "{\"unit\": \"mile\", \"files\": [{\"path\": \"m.obj\"}]}",
        "{\"unit\": -1, \"files\": [{\"path\": \"m.obj\"}]}",
        "{\"unit\": \"m\", \"files\": [{\"path\": \"m.obj\"}]}", // the scene has mm
        "{\"files\": [{\"path\": \"missing.obj\"}]}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        models_write_text(path, wrong[i]);
        assert_int_not_equal(read_source(scene, path, "", NULL), GRAZE_OK);
        assert_int_not_equal(strlen(graze_context_error(context)), 0);
        check_paths(scene, expected, 6);
    }
    graze_scene_free(scene);
    unlink(path);
    unlink(mesh);
    test_context_done(context);
}

static graze_status build_small_scene(graze_context *context, void *data)
{
    const char *path = data;
    graze_scene *scene = NULL;
    graze_status status = graze_scene_create(context, &scene);
    if (status == GRAZE_OK)
        status = read_source(scene, path, "g", NULL);
    graze_scene_free(scene);
    return status;
}

static void want_of_memory(void **state)
{
    (void)state;
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    models_write_text(models_path(mesh, "m.obj"), two_objects);
    models_write_text(models_path(path, "site.json"), "{\"files\": [{\"path\": \"m.obj\"}]}");
    assert_true(test_all_faults(build_small_scene, path, 1) > 20);
    unlink(path);
    unlink(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_unique),
        cmocka_unit_test(objects_come_and_go),
        cmocka_unit_test(mistakes_have_sentences),
        cmocka_unit_test(files_and_folders),
        cmocka_unit_test(manifests),
        cmocka_unit_test(want_of_memory),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
