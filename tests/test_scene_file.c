// Scene files: what is built comes back bit for bit, shared where it is equal, the same bytes
// whatever the memory and the threads, and asked as shapes in memory are.
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "plant.h"
#include "scene/scene_format.h"
#include "scenes.h"

static char mesh_path[MODEL_PATH_BYTES], scene_path[MODEL_PATH_BYTES];

static gz_scene_file *build_and_open(graze_context *context, bool no_levels)
{
    gz_scene_file *file = NULL;
    if (scenes_build(context, mesh_path, scene_path, 0, no_levels) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    assert_true(graze_scene_recognise(scene_path));
    assert_false(graze_model_recognise(scene_path));
    assert_int_equal(gz_scene_file_open(context, scene_path, &file), GRAZE_OK);
    return file;
}

static void objects_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        scenes_mesh mesh;
        graze_context *context = test_context(NULL);
        if (seed == 2)
            gz_knobs_for(context)->cluster_limit = 16;
        scenes_make(seed, seed == 3 ? 5000 : 300, &mesh);
        scenes_write(&mesh, models_path(mesh_path, seed == 4 ? "mesh.obj" : "mesh.glb"));
        models_path(scene_path, "scene.graze");
        gz_scene_file *file = build_and_open(context, seed == 1);
        gz_scene_file_info info = gz_scene_file_get_info(file);
        assert_int_equal(info.object_count, mesh.object_count);
        assert_true(info.metres_per_unit == (seed == 4 ? 0 : 1));
        scenes_compare(context, mesh_path, file, 0);
        gz_scene_file_free(file);
        unlink(mesh_path);
        unlink(scene_path);
        test_context_done(context);
        scenes_free(&mesh);
    }
}

// What is posed is stored in its own frame, and float stays float; what is not rigid is applied.
static void poses_and_precision(void **state)
{
    (void)state;
    scenes_mesh mesh = {.precision = GRAZE_FLOAT32};
    test_random random = {7};
    const double at[3] = {1, 2, 3};
    scenes_add_ball(&mesh, &random, 60, at, false, "ball", SCENES_PLAIN);
    for (int matrix = SCENES_SHIFT; matrix < SCENES_MATRICES; ++matrix)
        scenes_add_instance(&mesh, &random, 0, "ball", (scenes_matrix)matrix);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    graze_context *context = test_context(NULL);
    gz_scene_file *file = build_and_open(context, false);
    scenes_compare(context, mesh_path, file, 0);
    // The plain one, the shifted and the turned one share; each other one has its own.
    assert_int_equal(gz_scene_file_get_info(file).body_count, 5);
    graze_pose identity = graze_pose_identity();
    for (uint32_t i = 0; i < SCENES_MATRICES; ++i) {
        gz_file_object object = gz_scene_file_object(file, i);
        bool posed = i <= SCENES_RIGID;
        assert_int_equal(object.body == gz_scene_file_object(file, 0).body, posed);
        assert_int_equal(gz_scene_file_body(file, object.body).precision,
                         posed ? GRAZE_FLOAT32 : GRAZE_FLOAT64);
        assert_int_equal(memcmp(&object.pose, &identity, sizeof identity) == 0,
                         i == SCENES_PLAIN || i > SCENES_RIGID);
    }
    gz_scene_file_free(file);
    unlink(mesh_path);
    unlink(scene_path);
    test_context_done(context);
    scenes_free(&mesh);
}

// Objects of different ranges, and of different files, with equal triangles.
static void equal_objects_share(void **state)
{
    (void)state;
    char other[MODEL_PATH_BYTES];
    scenes_mesh mesh = {.precision = GRAZE_FLOAT32};
    for (int i = 0; i < 5; ++i) {
        test_random random = {i == 3 ? 12 : 11};
        scenes_add_ball(&mesh, &random, i == 4 ? 90 : 100, (const double[]){0, 0, 0}, false, "a",
                        SCENES_PLAIN);
    }
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    models_copy(mesh_path, models_path(other, "other.glb"));
    graze_context *context = test_context(NULL);
    graze_pose pose;
    const double axis[3] = {1, 2, 3}, shift[3] = {4, 5, 6};
    assert_int_equal(graze_pose_from_axis(axis, 2, shift, &pose), GRAZE_OK);
    graze_scene_source sources[] = {{.path = mesh_path, .group = "one"},
                                    {.path = other, .group = "two", .pose = &pose}};
    assert_int_equal(
        graze_scene_build(context, sources, 2, models_path(scene_path, "scene.graze"), NULL),
        GRAZE_OK);
    gz_scene_file *file = NULL;
    assert_int_equal(gz_scene_file_open(context, scene_path, &file), GRAZE_OK);
    gz_scene_file_info info = gz_scene_file_get_info(file);
    assert_int_equal(info.object_count, 10);
    assert_int_equal(info.body_count, 3);
    for (uint32_t i = 0; i < 10; ++i) {
        gz_file_object object = gz_scene_file_object(file, i);
        assert_string_equal(object.group, i < 5 ? "one" : "two");
        assert_int_equal(object.body, gz_scene_file_object(file, i % 5).body);
        assert_int_equal(object.body == gz_scene_file_object(file, 0).body, i % 5 < 3);
        graze_pose expected = i < 5 ? graze_pose_identity() : pose;
        assert_memory_equal(&object.pose, &expected, sizeof expected);
    }
    gz_scene_file_free(file);
    unlink(mesh_path);
    unlink(other);
    unlink(scene_path);
    test_context_done(context);
    scenes_free(&mesh);
}

// Objects without triangles, in a file that has nothing else, too.
static void empty_objects_stay(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    scenes_mesh mesh = {.precision = GRAZE_FLOAT32};
    test_random random = {5};
    scenes_add_ball(&mesh, &random, 40, (const double[]){0, 0, 0}, false, "ball", SCENES_PLAIN);
    scenes_write(&mesh, models_path(mesh_path, "mesh.ply"));
    scenes_free(&mesh);
    char empty[MODEL_PATH_BYTES];
    models_write_text(models_path(empty, "empty.ply"),
                      "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\n"
                      "property float y\nproperty float z\nelement face 0\n"
                      "property list uchar int vertex_indices\nend_header\n");
    graze_scene_source sources[] = {{.path = empty}, {.path = mesh_path}, {.path = empty}};
    models_path(scene_path, "scene.graze");
    for (uint32_t count = 0; count <= 3; ++count) {
        gz_scene_file *file = NULL;
        assert_int_equal(graze_scene_build(context, sources, count, scene_path, NULL), GRAZE_OK);
        assert_int_equal(gz_scene_file_open(context, scene_path, &file), GRAZE_OK);
        assert_int_equal(gz_scene_file_get_info(file).object_count, count);
        assert_int_equal(gz_scene_file_get_info(file).body_count, count < 2 ? count : 2);
        if (count != 0) {
            const graze_shape *shape = NULL;
            uint32_t body = gz_scene_file_object(file, 0).body, closed = 2;
            assert_int_equal(gz_scene_file_pin(file, body, &shape), GRAZE_OK);
            assert_int_equal(graze_shape_get_info(shape).triangle_count, 0);
            assert_int_equal(graze_shape_closed(shape, &closed), GRAZE_OK);
            assert_true(gz_scene_file_body(file, body).box.min[0] >
                        gz_scene_file_body(file, body).box.max[0]);
            gz_scene_file_unpin(file, body);
        }
        gz_scene_file_free(file);
    }
    unlink(empty);
    unlink(mesh_path);
    unlink(scene_path);
    test_context_done(context);
}

static void make_plant(uint64_t objects, uint64_t triangles, const char *path)
{
    generator_plant *plant = NULL;
    generator_plant_def def = {.object_count = objects, .triangle_count = triangles, .seed = 3};
    assert_int_equal(generator_plant_open(&def, &plant), GRAZE_OK);
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = NULL;
    assert_int_equal(generator_plant_make(context, plant, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    models_write(&view, path);
    graze_mesh_free(mesh);
    generator_plant_close(plant);
    test_context_done(context);
}

static void expect_same_bytes(bool no_levels)
{
    char other[MODEL_PATH_BYTES];
    models_path(scene_path, "scene.graze");
    models_path(other, "other.graze");
    const struct {
        uint32_t threads;
        uint64_t memory;
    } ways[] = {{1, 0},
                {3, 0},
                {1, GRAZE_MODEL_LEAST_MEMORY},
                {4, GRAZE_MODEL_LEAST_MEMORY + 1},
                {2, UINT64_C(200) << 20}};
    uint64_t bytes = 0, other_bytes = 0;
    uint8_t *expected = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        graze_context_def def = graze_context_def_default();
        def.thread_count = ways[i].threads;
        def.cache_byte_limit = i % 2 == 0 ? 0 : UINT64_C(2) << 20;
        graze_context *context = test_context(&def);
        if (scenes_build(context, mesh_path, other, ways[i].memory, no_levels) != GRAZE_OK)
            fail_msg("%s", test_last_error);
        test_context_done(context);
        uint8_t *got = models_read_file(other, &other_bytes);
        if (expected == NULL) {
            expected = got;
            bytes = other_bytes;
            continue;
        }
        assert_int_equal(other_bytes, bytes);
        assert_memory_equal(got, expected, bytes);
        test_free(got);
    }
    test_free(expected);
    unlink(other);
}

// Bodies of few triangles, of so many that little memory puts them aside, and of more than are ever
// few: 65,536.
static void same_bytes_whatever_the_way(void **state)
{
    (void)state;
    scenes_mesh mesh;
    scenes_make(9, TEST_SANITIZED ? 300 : 6000, &mesh);
    test_random random = {10};
    scenes_add_ball(&mesh, &random, 20000, (const double[]){9, 9, 9}, false, "large", SCENES_SHEAR);
    if (!TEST_SANITIZED) {
        scenes_add_ball(&mesh, &random, 70000, (const double[]){9, 0, 9}, true, "vast",
                        SCENES_RIGID);
        scenes_add_instance(&mesh, &random, mesh.object_count - 1, "vaster", SCENES_MIRROR);
    }
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    expect_same_bytes(true);
    graze_context *context = test_context(NULL);
    gz_scene_file *file = build_and_open(context, true);
    scenes_compare(context, mesh_path, file, 0);
    gz_scene_file_free(file);
    test_context_done(context);
    scenes_free(&mesh);
    scenes_make(9, 3000, &mesh);
    scenes_write(&mesh, mesh_path);
    if (!TEST_SANITIZED)
        expect_same_bytes(false);
    scenes_free(&mesh);
    unlink(mesh_path);
    unlink(scene_path);
}

// Bodies stand where their objects do: neighbours in the file are near each other.
static void neighbours_stand_together(void **state)
{
    (void)state;
    scenes_mesh mesh = {.precision = GRAZE_FLOAT32};
    test_random random = {31};
    for (int i = 0; i < 300; ++i) {
        double at[3];
        for (int axis = 0; axis < 3; ++axis)
            at[axis] = 100 * test_unit(&random);
        scenes_add_ball(&mesh, &random, 10, at, false, "ball", SCENES_PLAIN);
    }
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    scenes_free(&mesh);
    graze_context *context = test_context(NULL);
    models_path(scene_path, "scene.graze");
    gz_scene_file *file = build_and_open(context, true);
    scenes_compare(context, mesh_path, file, 0);
    gz_scene_file_info info = gz_scene_file_get_info(file);
    double here = 0, anywhere = 0;
    for (uint32_t i = 1; i < info.body_count; ++i) {
        gz_body_info a = gz_scene_file_body(file, i - 1), b = gz_scene_file_body(file, i),
                     c = gz_scene_file_body(file, (i * 101) % info.body_count);
        double near = 0, far = 0;
        for (int axis = 0; axis < 3; ++axis) {
            near += pow(a.box.min[axis] + a.box.max[axis] - b.box.min[axis] - b.box.max[axis], 2);
            far += pow(a.box.min[axis] + a.box.max[axis] - c.box.min[axis] - c.box.max[axis], 2);
        }
        here += sqrt(near);
        anywhere += sqrt(far);
    }
    assert_true(here < anywhere / 2);
    gz_scene_file_free(file);
    unlink(mesh_path);
    unlink(scene_path);
    test_context_done(context);
}

// --- Questions

typedef struct asked {
    graze_shape *shape; // in memory, in the object's own frame
    graze_mesh *mesh;
} asked;

// The shape of an object in memory: of the triangles that its body has.
static asked make_asked(graze_context *context, gz_scene_file *file, uint32_t body)
{
    record got = {0};
    graze_mesh_sink sink = record_sink(&got);
    asked a = {0};
    assert_int_equal(graze_model_stream(gz_scene_file_model(file, body), 0, &sink), GRAZE_OK);
    uint32_t *corners = test_malloc((3 * got.triangle_count + 1) * sizeof *corners);
    for (uint64_t i = 0; i < 3 * got.triangle_count; ++i)
        corners[i] = (uint32_t)got.corners[i];
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = got.vertex_count,
                            .triangle_count = got.triangle_count,
                            .positions = got.positions,
                            .corners = corners};
    assert_int_equal(graze_mesh_create(context, &view, &a.mesh), GRAZE_OK);
    view = graze_mesh_get(a.mesh);
    assert_int_equal(graze_shape_create(context, &view, NULL, &a.shape), GRAZE_OK);
    test_free(corners);
    record_free(&got);
    return a;
}

static void expect_same_answers(graze_query *query, graze_posed a, graze_posed b, graze_posed c,
                                graze_posed d)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    def.tolerance = 0.1;
    graze_answer answer = {0};
    assert_int_equal(graze_query_collide(query, a, b, &def, &answer), GRAZE_OK);
    uint64_t count = answer.pair_count;
    graze_pair *pairs = test_malloc((count + 1) * sizeof *pairs);
    if (count != 0)
        memcpy(pairs, answer.pairs, count * sizeof *pairs);
    assert_int_equal(graze_query_collide(query, c, d, &def, &answer), GRAZE_OK);
    assert_int_equal(answer.pair_count, count);
    if (count != 0)
        assert_memory_equal(answer.pairs, pairs, count * sizeof *pairs);
    test_free(pairs);
    graze_distance one, other;
    assert_int_equal(graze_query_distance(query, a, b, NULL, &one), GRAZE_OK);
    assert_int_equal(graze_query_distance(query, c, d, NULL, &other), GRAZE_OK);
    assert_true(one.distance == other.distance);
    assert_memory_equal(&one.pair, &other.pair, sizeof one.pair);
    graze_containment in, within;
    assert_int_equal(graze_query_contain(query, a, b, &in), GRAZE_OK);
    assert_int_equal(graze_query_contain(query, c, d, &within), GRAZE_OK);
    assert_int_equal(in.nesting, within.nesting);
}

static void pinned_shapes_answer(void **state)
{
    (void)state;
    scenes_mesh mesh;
    graze_context *context = test_context(NULL);
    gz_knobs_for(context)->cluster_limit = 32;
    scenes_make(21, 400, &mesh);
    // One in another one.
    test_random random = {3};
    uint64_t first = mesh.vertex_count;
    scenes_add_ball(&mesh, &random, 100, (const double[]){40, 40, 40}, false, "in", SCENES_PLAIN);
    for (uint64_t i = 3 * first; i < 3 * mesh.vertex_count; ++i)
        mesh.positions[i] = 40 + (mesh.positions[i] - 40) / 4;
    scenes_add_ball(&mesh, &random, 150, (const double[]){40, 40, 40}, false, "out", SCENES_PLAIN);
    // One of two pieces, of which the second is in it, too.
    scenes_add_ball(&mesh, &random, 60, (const double[]){50, 40, 40}, false, "two", SCENES_PLAIN);
    first = mesh.vertex_count;
    scenes_add_ball(&mesh, &random, 40, (const double[]){40, 40, 40}, false, "", SCENES_PLAIN);
    for (uint64_t i = 3 * first; i < 3 * mesh.vertex_count; ++i)
        mesh.positions[i] = 40 + (mesh.positions[i] - 40) / 2;
    mesh.object_count--;
    mesh.objects[mesh.object_count - 1].triangle_count +=
        mesh.objects[mesh.object_count].triangle_count;
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    gz_scene_file *file = build_and_open(context, false);
    uint32_t count = gz_scene_file_get_info(file).object_count;
    assert_int_equal(
        gz_scene_file_body(file, gz_scene_file_object(file, count - 1).body).component_count, 2);
    asked *all = test_calloc(count, sizeof *all);
    const graze_shape **shapes = test_calloc(count, sizeof *shapes);
    uint32_t closed_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t body = gz_scene_file_object(file, i).body, closed = 2, expected = 2;
        assert_int_equal(gz_scene_file_pin(file, body, &shapes[i]), GRAZE_OK);
        all[i] = make_asked(context, file, body);
        assert_int_not_equal(graze_shape_get_info(shapes[i]).closed, GRAZE_NOT_ASKED);
        assert_int_equal(graze_shape_closed(shapes[i], &closed), GRAZE_OK);
        assert_int_equal(graze_shape_closed(all[i].shape, &expected), GRAZE_OK);
        assert_int_equal(closed, expected);
        assert_int_equal(gz_scene_file_body(file, body).closed, expected);
        closed_count += closed;
    }
    assert_true(closed_count > 0 && closed_count < count);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = i + 1; k < count; k += TEST_SANITIZED ? 5 : 1) {
            graze_pose p = gz_scene_file_object(file, i).pose,
                       q = gz_scene_file_object(file, k).pose;
            expect_same_answers(query, (graze_posed){shapes[i], &p}, (graze_posed){shapes[k], &q},
                                (graze_posed){all[i].shape, &p}, (graze_posed){all[k].shape, &q});
        }
    graze_containment in;
    graze_pose identity = graze_pose_identity();
    assert_int_equal(graze_query_contain(query, (graze_posed){shapes[count - 3], &identity},
                                         (graze_posed){shapes[count - 2], &identity}, &in),
                     GRAZE_OK);
    assert_int_equal(in.nesting, GRAZE_NESTING_A_IN_B);
    assert_int_equal(graze_query_contain(query, (graze_posed){shapes[count - 1], &identity},
                                         (graze_posed){shapes[count - 2], &identity}, &in),
                     GRAZE_OK);
    assert_int_equal(in.nesting, GRAZE_NESTING_PARTLY);
    graze_query_free(query);
    for (uint32_t i = 0; i < count; ++i) {
        graze_shape_free(all[i].shape);
        graze_mesh_free(all[i].mesh);
        gz_scene_file_unpin(file, gz_scene_file_object(file, i).body);
    }
    test_free(all);
    test_free(shapes);
    gz_scene_file_free(file);
    unlink(mesh_path);
    unlink(scene_path);
    test_context_done(context);
    scenes_free(&mesh);
}

// Large bodies are windows of the file, whose pages are read ahead of time; past the system's
// memory, too.
static void large_bodies_answer(void **state)
{
    (void)state;
    scenes_mesh mesh = {.precision = GRAZE_FLOAT32};
    test_random random = {77};
    scenes_add_ball(&mesh, &random, 100, (const double[]){-5, 0, 0}, false, "small", SCENES_PLAIN);
    scenes_add_ball(&mesh, &random, 12000, (const double[]){0, 0, 0}, false, "a", SCENES_PLAIN);
    scenes_add_ball(&mesh, &random, 12000, (const double[]){0.5, 0.2, 0}, false, "b", SCENES_PLAIN);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    scenes_free(&mesh);
    models_path(scene_path, "scene.graze");
    for (int direct = 0; direct < 2; ++direct) {
        graze_context_def def = graze_context_def_default();
        def.cache_byte_limit = UINT64_C(24) << 20;
        graze_context *context = test_context(&def);
        gz_scene_file *file = NULL;
        const graze_shape *shapes[2];
        asked all[2];
        graze_query *query = NULL;
        assert_int_equal(scenes_build(context, mesh_path, scene_path, 0, true), GRAZE_OK);
        gz_knobs_for(context)->direct_reads = direct;
        if (gz_scene_file_open(context, scene_path, &file) != GRAZE_OK) {
            assert_int_equal(direct, 1); // not every file system has it
            test_context_done(context);
            break;
        }
        for (uint32_t i = 0; i < 2; ++i) {
            uint32_t body = gz_scene_file_object(file, i + 1).body;
            assert_true(gz_scene_file_body(file, body).file_bytes >= GZ_BUNDLE_BODY_BYTES);
            assert_int_equal(gz_scene_file_pin(file, body, &shapes[i]), GRAZE_OK);
        }
        gz_scene_file_limit(file, 0);
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        for (uint32_t i = 0; i < 2; ++i)
            all[i] = make_asked(context, file, gz_scene_file_object(file, i + 1).body);
        expect_same_answers(query, graze_at(shapes[0], NULL), graze_at(shapes[1], NULL),
                            graze_at(all[0].shape, NULL), graze_at(all[1].shape, NULL));
        assert_true(
            graze_model_cache_use(gz_scene_file_model(file, gz_scene_file_object(file, 1).body))
                .prefetched > 0);
        graze_query_free(query);
        for (uint32_t i = 0; i < 2; ++i) {
            graze_shape_free(all[i].shape);
            graze_mesh_free(all[i].mesh);
            gz_scene_file_unpin(file, gz_scene_file_object(file, i + 1).body);
        }
        gz_scene_file_free(file);
        test_context_done(context);
    }
    unlink(mesh_path);
    unlink(scene_path);
}

// Boxes of clusters hold all, and are near what they hold.
static void clusters_have_boxes(void **state)
{
    (void)state;
    scenes_mesh mesh;
    graze_context *context = test_context(NULL);
    gz_knobs_for(context)->cluster_limit = 32;
    scenes_make(5, 800, &mesh);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    gz_scene_file *file = build_and_open(context, true);
    for (uint32_t body = 0; body < gz_scene_file_get_info(file).body_count; ++body) {
        const graze_shape *shape = NULL;
        gz_body_info info = gz_scene_file_body(file, body);
        assert_int_equal(gz_scene_file_pin(file, body, &shape), GRAZE_OK);
        assert_int_equal(gz_scene_file_cluster_count(file, body), info.cluster_count);
        graze_box all = graze_box_empty();
        for (uint32_t c = 0; c < info.cluster_count; ++c) {
            graze_box box = gz_scene_file_cluster_box(file, body, c);
            all = graze_box_join(&all, &box);
        }
        assert_memory_equal(&all, &info.box, sizeof all);
        gz_scene_file_unpin(file, body);
    }
    gz_scene_file_free(file);
    unlink(mesh_path);
    unlink(scene_path);
    test_context_done(context);
    scenes_free(&mesh);
}

// --- Memory

static void bodies_are_read_in_bundles_and_close(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    make_plant(2000, 60000, models_path(mesh_path, "plant.glb"));
    models_path(scene_path, "scene.graze");
    gz_scene_file *file = build_and_open(context, true);
    gz_scene_file_info info = gz_scene_file_get_info(file);
    uint64_t directory = info.resident_bytes, expected = info.file_bytes / GZ_BUNDLE_MOST_BYTES + 2;
    for (uint32_t i = 0; i < info.body_count; ++i) {
        const graze_shape *shape = NULL;
        assert_int_equal(gz_scene_file_pin(file, i, &shape), GRAZE_OK);
        gz_scene_file_unpin(file, i);
    }
    assert_true(gz_scene_file_get_info(file).read_count <= expected);
    assert_true(info.body_count > 20 * expected);
    gz_scene_file_limit(file, 600 << 10);
    assert_true(gz_scene_file_get_info(file).resident_bytes <= directory + (600 << 10));
    for (uint32_t i = 0; i < 3000; ++i) {
        const graze_shape *shape = NULL;
        uint32_t body = i * 7919 % info.body_count;
        assert_int_equal(gz_scene_file_pin(file, body, &shape), GRAZE_OK);
        assert_int_equal(graze_shape_get_info(shape).triangle_count,
                         gz_scene_file_body(file, body).triangle_count);
        // One more bundle while it is pinned.
        assert_true(gz_scene_file_get_info(file).resident_bytes <= directory + (900 << 10));
        gz_scene_file_unpin(file, body);
        assert_true(gz_scene_file_get_info(file).resident_bytes <= directory + (600 << 10));
    }
    // The least recently used goes first: what is asked again and again stays.
    gz_scene_file_limit(file, 0);
    gz_scene_file_limit(file, 600 << 10);
    for (uint32_t i = 0; i < 400; ++i) {
        const graze_shape *shape = NULL;
        uint32_t other = info.body_count / 2 + i * 101 % (info.body_count / 2);
        uint64_t before = gz_scene_file_get_info(file).read_count;
        assert_int_equal(gz_scene_file_pin(file, 0, &shape), GRAZE_OK);
        gz_scene_file_unpin(file, 0);
        if (i != 0)
            assert_int_equal(gz_scene_file_get_info(file).read_count, before);
        assert_int_equal(gz_scene_file_pin(file, other, &shape), GRAZE_OK);
        gz_scene_file_unpin(file, other);
    }
    gz_scene_file_limit(file, 0);
    assert_int_equal(gz_scene_file_get_info(file).resident_bytes, directory);
    gz_scene_file_free(file);
    unlink(mesh_path);
    unlink(scene_path);
    test_context_done(context);
}

typedef struct pinner {
    gz_scene_file *file;
    uint64_t seed;
    uint32_t rounds;
    bool failed;
} pinner;

static void *pin_at_random(void *argument)
{
    pinner *p = argument;
    test_random random = {p->seed};
    uint32_t bodies = gz_scene_file_get_info(p->file).body_count, held[4], held_count = 0;
    for (uint32_t i = 0; i < p->rounds; ++i) {
        if (held_count == 4 || (held_count != 0 && test_next(&random) % 2 == 0)) {
            gz_scene_file_unpin(p->file, held[--held_count]);
            continue;
        }
        uint32_t body = (uint32_t)(test_next(&random) % bodies);
        const graze_shape *shape = NULL;
        uint32_t closed = 2;
        p->failed |= gz_scene_file_pin(p->file, body, &shape) != GRAZE_OK;
        p->failed = p->failed || graze_shape_closed(shape, &closed) != GRAZE_OK ||
                    closed != gz_scene_file_body(p->file, body).closed ||
                    graze_shape_get_info(shape).triangle_count !=
                        gz_scene_file_body(p->file, body).triangle_count;
        // A page of it.
        double start[3] = {-1e3, -1e3, -1e3}, end[3];
        graze_query *query = NULL;
        graze_ray ray;
        graze_pose identity = graze_pose_identity();
        gz_body_info info = gz_scene_file_body(p->file, body);
        for (int axis = 0; axis < 3; ++axis)
            end[axis] = 0.5 * info.box.min[axis] + 0.5 * info.box.max[axis];
        if (i % 16 == 0) {
            p->failed |= graze_query_create(p->file->context, &query) != GRAZE_OK;
            p->failed |= graze_query_ray(query, (graze_posed){shape, &identity}, start, end, NULL,
                                         &ray) != GRAZE_OK;
            graze_query_free(query);
        }
        held[held_count++] = body;
    }
    while (held_count != 0)
        gz_scene_file_unpin(p->file, held[--held_count]);
    return NULL;
}

static void threads_pin_at_once(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    make_plant(600, 40000, models_path(mesh_path, "plant.glb"));
    models_path(scene_path, "scene.graze");
    gz_scene_file *file = build_and_open(context, true);
    static const uint64_t limits[] = {0, 300 << 10, UINT64_C(1) << 30};
    for (size_t k = 0; k < sizeof limits / sizeof *limits; ++k) {
        pthread_t threads[4];
        pinner pinners[4];
        gz_scene_file_limit(file, limits[k]);
        for (uint64_t i = 0; i < 4; ++i) {
            pinners[i] = (pinner){file, 17 * i + k, TEST_SANITIZED ? 400 : 3000, false};
            assert_int_equal(pthread_create(&threads[i], NULL, pin_at_random, &pinners[i]), 0);
        }
        for (int i = 0; i < 4; ++i) {
            pthread_join(threads[i], NULL);
            assert_false(pinners[i].failed);
        }
    }
    gz_scene_file_free(file);
    unlink(mesh_path);
    unlink(scene_path);
    test_context_done(context);
}

// --- Other things

static void temporary_scenes_have_no_name(void **state)
{
    (void)state;
    scenes_mesh mesh;
    graze_context *context = test_context(NULL);
    scenes_make(2, 300, &mesh);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    uint32_t files = models_file_count();
    gz_scene_mesh source = {.path = mesh_path};
    gz_scene_file *file = NULL;
    assert_int_equal(gz_scene_file_build_temporary(context, &source, 1, NULL, &file), GRAZE_OK);
    assert_int_equal(models_file_count(), files);
    scenes_compare(context, mesh_path, file, 0);
    gz_scene_file_free(file);
    unlink(mesh_path);
    test_context_done(context);
    scenes_free(&mesh);
}

static void units_are_one(void **state)
{
    (void)state;
    char obj[MODEL_PATH_BYTES], words[3 * MODEL_PATH_BYTES];
    graze_context *context = test_context(NULL);
    scenes_mesh mesh = {.precision = GRAZE_FLOAT32};
    test_random random = {5};
    scenes_add_ball(&mesh, &random, 40, (const double[]){0, 0, 0}, false, "ball", SCENES_PLAIN);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    scenes_write(&mesh, models_path(obj, "mesh.obj"));
    scenes_free(&mesh);
    models_path(scene_path, "scene.graze");
    graze_scene_source sources[] = {{.path = obj}, {.path = mesh_path}};
    graze_scene_build_def def = graze_scene_build_def_default();
    graze_mesh_read_def read = graze_mesh_read_def_default();
    assert_int_equal(graze_scene_build(context, sources, 2, scene_path, &def), GRAZE_OK);
    gz_scene_file *file = NULL;
    assert_int_equal(gz_scene_file_open(context, scene_path, &file), GRAZE_OK);
    assert_true(gz_scene_file_get_info(file).metres_per_unit == 1);
    gz_scene_file_free(file);
    unlink(scene_path);
    read.metres_per_unit = 0.001;
    def.read = &read;
    assert_int_equal(graze_scene_build(context, sources, 2, scene_path, &def), GRAZE_ERROR_FORMAT);
    snprintf(words, sizeof words, "%s has a unit of 0.001 metres, and %s one of 1 metres", obj,
             mesh_path);
    assert_non_null(strstr(test_last_error, words));
    assert_false(models_exists(scene_path));
    unlink(obj);
    unlink(mesh_path);
    test_context_done(context);
}

static void bad_arguments(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    models_path(scene_path, "scene.graze");
    scenes_mesh mesh = {.precision = GRAZE_FLOAT32};
    test_random random = {5};
    scenes_add_ball(&mesh, &random, 40, (const double[]){0, 0, 0}, false, "ball", SCENES_PLAIN);
    scenes_write(&mesh, models_path(mesh_path, "mesh.glb"));
    scenes_free(&mesh);
    graze_pose pose = graze_pose_identity();
    pose.rotation[0] = NAN;
    graze_scene_source source = {.path = mesh_path, .pose = &pose};
    assert_int_equal(graze_scene_build(context, &source, 1, scene_path, NULL),
                     GRAZE_ERROR_ARGUMENT);
    pose = graze_pose_identity();
    pose.translation[1] = 0x1p1023; // no question could be asked there
    assert_int_equal(graze_scene_build(context, &source, 1, scene_path, NULL), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "\"ball\": its place is beyond the range of double"));
    assert_false(models_exists(scene_path));
    source.pose = NULL;
    assert_int_equal(graze_scene_build(NULL, &source, 1, scene_path, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_build(context, NULL, 1, scene_path, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_build(context, &source, 1, NULL, NULL), GRAZE_ERROR_ARGUMENT);
    graze_scene_build_def def = graze_scene_build_def_default();
    def.memory_bytes = GRAZE_MODEL_LEAST_MEMORY - 1;
    assert_int_equal(graze_scene_build(context, &source, 1, scene_path, &def),
                     GRAZE_ERROR_ARGUMENT);
    source.path = "/there/is/no/such.glb";
    assert_int_equal(graze_scene_build(context, &source, 1, scene_path, NULL), GRAZE_ERROR_IO);
    source.path = mesh_path;
    assert_int_equal(graze_scene_build(context, &source, 1, scene_path, NULL), GRAZE_OK);
    source.path = scene_path;
    assert_int_equal(graze_scene_build(context, &source, 1, scene_path, NULL), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "this is a scene already"));
    gz_scene_file *file = NULL;
    assert_int_equal(gz_scene_file_open(context, mesh_path, &file), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "byte 0: this is not a scene"));
    graze_scene_report report = {.file_bytes = 1};
    assert_int_equal(graze_scene_check(context, mesh_path, &report), GRAZE_ERROR_FORMAT);
    assert_true(report.file_bytes == 0);
    assert_int_equal(graze_scene_check(context, scene_path, &report), GRAZE_OK);
    assert_true(report.file_bytes != 0 && report.object_count == 1 && report.shape_count == 1 &&
                report.shapes_damaged == 0 && report.stored_count != 0);
    assert_int_equal(graze_scene_check(context, scene_path, NULL), GRAZE_OK);
    assert_int_equal(graze_scene_check(context, NULL, &report), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_check(NULL, scene_path, &report), GRAZE_ERROR_ARGUMENT);
    // Who wants something else is told what it is.
    graze_model *model = NULL;
    graze_shape *shape = NULL;
    graze_mesh *read = NULL;
    assert_int_equal(graze_model_open(context, scene_path, &model), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "this is a scene, which keeps many objects apart"));
    assert_int_equal(graze_shape_read(context, scene_path, NULL, &shape), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "apart, not a shape"));
    assert_int_equal(graze_mesh_read(context, scene_path, NULL, &read), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "apart, not a mesh"));
    unlink(mesh_path);
    unlink(scene_path);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_come_back),
        cmocka_unit_test(poses_and_precision),
        cmocka_unit_test(equal_objects_share),
        cmocka_unit_test(empty_objects_stay),
        cmocka_unit_test(same_bytes_whatever_the_way),
        cmocka_unit_test(neighbours_stand_together),
        cmocka_unit_test(pinned_shapes_answer),
        cmocka_unit_test(large_bodies_answer),
        cmocka_unit_test(clusters_have_boxes),
        cmocka_unit_test(bodies_are_read_in_bundles_and_close),
        cmocka_unit_test(threads_pin_at_once),
        cmocka_unit_test(temporary_scenes_have_no_name),
        cmocka_unit_test(units_are_one),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
