// The triangles of an object of a scene come out as they went in, wherever its shape comes from.
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"
#include "models.h"

// --- Triangles, in an order of their own

typedef struct taken {
    double (*corner)[3]; // three a triangle
    uint64_t count, capacity;
    double (*vertex)[3];
    uint64_t vertex_count, vertex_capacity;
    graze_precision precision;
    uint64_t object_count, end_count;
} taken;

static int compare_corners(const void *a, const void *b) { return memcmp(a, b, sizeof(double[3])); }
static int compare_triangles(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(double[9]));
}

static void push_corner(taken *t, const double corner[3])
{
    if (t->count == t->capacity) {
        t->capacity = 2 * t->capacity + 96;
        t->corner = realloc(t->corner, (size_t)t->capacity * sizeof *t->corner);
    }
    memcpy(t->corner[t->count++], corner, sizeof *t->corner);
}

static graze_status take_header(void *user, const graze_mesh_header *header)
{
    ((taken *)user)->precision = header->precision;
    return GRAZE_OK;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    taken *t = user;
    for (uint64_t v = 0; v < count; ++v) {
        if (t->vertex_count == t->vertex_capacity) {
            t->vertex_capacity = 2 * t->vertex_capacity + 64;
            t->vertex = realloc(t->vertex, (size_t)t->vertex_capacity * sizeof *t->vertex);
        }
        for (uint64_t k = 0; k < 3; ++k)
            t->vertex[t->vertex_count][k] = t->precision == GRAZE_FLOAT32
                                                ? (double)((const float *)positions)[3 * v + k]
                                                : ((const double *)positions)[3 * v + k];
        t->vertex_count++;
    }
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    taken *t = user;
    for (uint64_t i = 0; i < 3 * count; ++i) {
        assert_true(corners[i] < t->vertex_count);
        push_corner(t, t->vertex[corners[i]]);
    }
    return GRAZE_OK;
}

static graze_status take_object(void *user, const graze_object *object)
{
    taken *t = user;
    assert_int_equal(3 * object->triangle_count, t->count);
    t->object_count++;
    return GRAZE_OK;
}

static graze_status take_end(void *user, const graze_mesh_losses *losses)
{
    (void)losses;
    ((taken *)user)->end_count++;
    return GRAZE_OK;
}

static graze_mesh_sink sink_of(taken *t)
{
    return (graze_mesh_sink){.user = t,
                             .begin = take_header,
                             .vertices = take_vertices,
                             .triangles = take_triangles,
                             .object = take_object,
                             .end = take_end};
}

static void sort_triangles(taken *t)
{
    for (uint64_t i = 0; i < t->count; i += 3)
        qsort(t->corner + i, 3, sizeof *t->corner, compare_corners);
    qsort(t->corner, (size_t)(t->count / 3), sizeof(double[9]), compare_triangles);
}

static void free_taken(taken *t)
{
    free(t->corner);
    free(t->vertex);
    *t = (taken){0};
}

// --- What the mesh file says

static taken triangles_of(const graze_mesh_view *view, uint64_t object)
{
    taken t = {0};
    uint64_t first = object == UINT64_MAX ? 0 : view->objects[object].first_triangle;
    uint64_t count =
        object == UINT64_MAX ? view->triangle_count : view->objects[object].triangle_count;
    for (uint64_t i = first; i < first + count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            double corner[3];
            graze_mesh_view_corner(view, i, k, corner);
            push_corner(&t, corner);
        }
    sort_triangles(&t);
    return t;
}

static void check_object(graze_scene *scene, graze_object_id id, taken *expected)
{
    taken t = {0};
    graze_mesh_sink sink = sink_of(&t);
    graze_model_detail detail;
    assert_int_equal(graze_scene_stream(scene, id, 0, &sink, &detail), GRAZE_OK);
    assert_int_equal(t.count, expected->count);
    assert_int_equal(3 * detail.triangle_count, expected->count);
    assert_int_equal(t.object_count, 1);
    assert_int_equal(t.end_count, 1);
    sort_triangles(&t);
    assert_memory_equal(t.corner, expected->corner, t.count * sizeof *t.corner);
    free_taken(&t);
    free_taken(expected);
}

static graze_mesh *read_mesh(graze_context *context, const char *path)
{
    graze_mesh *mesh = NULL;
    assert_int_equal(graze_mesh_read(context, path, NULL, &mesh), GRAZE_OK);
    return mesh;
}

static graze_scene *make_scene(graze_context *context, const char *source)
{
    graze_scene *scene = NULL;
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    graze_scene_source from = {.path = source};
    if (source != NULL)
        assert_int_equal(graze_scene_add_source(scene, &from, NULL), GRAZE_OK);
    return scene;
}

static void objects_of_files(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; ++wide) {
        char path[MODEL_PATH_BYTES];
        graze_context *context = test_context(NULL);
        models_make("plates", 3000, wide ? GRAZE_FLOAT64 : GRAZE_FLOAT32,
                    models_path(path, "plates.obj"));
        graze_mesh *mesh = read_mesh(context, path);
        graze_mesh_view view = graze_mesh_get(mesh);
        assert_true(view.object_count > 1);
        graze_scene *scene = make_scene(context, path);
        graze_object_id id = graze_scene_next(scene, (graze_object_id){0});
        for (uint64_t i = 0; i < view.object_count; ++i, id = graze_scene_next(scene, id)) {
            taken expected = triangles_of(&view, i);
            check_object(scene, id, &expected);
        }
        assert_int_equal(id.index1, 0);
        graze_scene_free(scene);
        graze_mesh_free(mesh);
        unlink(path);
        test_context_done(context);
    }
}

// Every way to a shape of one's own, and a model as a source.
static void own_shapes(void **state)
{
    (void)state;
    char path[MODEL_PATH_BYTES], model_path[MODEL_PATH_BYTES];
    graze_context *context = test_context(NULL);
    models_make("knot", 4000, GRAZE_FLOAT32, models_path(path, "knot.ply"));
    models_path(model_path, "knot.graze");
    graze_model_build_def no_levels = graze_model_build_def_default();
    no_levels.no_levels = 1;
    assert_int_equal(graze_model_build(context, path, model_path, &no_levels), GRAZE_OK);
    graze_mesh *mesh = read_mesh(context, path);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_shape *shapes[4] = {NULL};
    graze_shape_def defs[3] = {graze_shape_def_default(), graze_shape_def_default(),
                               graze_shape_def_default()};
    defs[1].layout = GRAZE_LAYOUT_COMPACT;
    defs[2].build = GRAZE_BUILD_LAZY;
    for (int i = 0; i < 3; ++i)
        assert_int_equal(graze_shape_create(context, &view, &defs[i], &shapes[i]), GRAZE_OK);
    assert_int_equal(graze_shape_read(context, model_path, NULL, &shapes[3]), GRAZE_OK);
    graze_scene *scene = make_scene(context, model_path);
    taken expected = triangles_of(&view, UINT64_MAX);
    check_object(scene, graze_scene_next(scene, (graze_object_id){0}), &expected);
    for (int i = 0; i < 4; ++i) {
        graze_object_def def = graze_object_def_default();
        graze_object_id id;
        def.shape = shapes[i];
        assert_int_equal(graze_scene_add(scene, &def, &id), GRAZE_OK);
        expected = triangles_of(&view, UINT64_MAX);
        check_object(scene, id, &expected);
    }
    graze_scene_free(scene);
    for (int i = 0; i < 4; ++i)
        graze_shape_free(shapes[i]);
    graze_mesh_free(mesh);
    unlink(path);
    unlink(model_path);
    test_context_done(context);
}

// With levels of detail there are fewer triangles, and the bounds say how far they are.
static void coarser_objects(void **state)
{
    (void)state;
    char path[2][MODEL_PATH_BYTES], scene_path[MODEL_PATH_BYTES];
    graze_context *context = test_context(NULL);
    models_make("knot", 8000, GRAZE_FLOAT32, models_path(path[0], "knot.ply"));
    models_make("gear", 8000, GRAZE_FLOAT32, models_path(path[1], "gear.ply"));
    models_path(scene_path, "both.graze");
    graze_scene_source sources[2] = {{.path = path[0]}, {.path = path[1]}};
    assert_int_equal(graze_scene_build(context, sources, 2, scene_path, NULL), GRAZE_OK);
    graze_scene *scene = make_scene(context, scene_path);
    graze_mesh_sink none = {0};
    uint64_t coarse_count = 0;
    for (graze_object_id id = graze_scene_next(scene, (graze_object_id){0}); id.index1 != 0;
         id = graze_scene_next(scene, id)) {
        graze_model_detail detail;
        assert_int_equal(graze_scene_stream(scene, id, 0.05, &none, &detail), GRAZE_OK);
        assert_true(detail.forward <= 0.05 && detail.backward <= 0.05);
        coarse_count += detail.triangle_count;
    }
    assert_true(coarse_count < graze_scene_get_info(scene).triangle_count / 2);
    graze_scene_free(scene);
    unlink(path[0]);
    unlink(path[1]);
    unlink(scene_path);
    test_context_done(context);
}

static graze_status stop(void *user, const uint64_t *corners, uint64_t count)
{
    (void)user;
    (void)corners;
    (void)count;
    return GRAZE_ERROR_CANCELLED;
}

static void mistakes_have_sentences(void **state)
{
    (void)state;
    char path[MODEL_PATH_BYTES];
    graze_context *context = test_context(NULL);
    models_make("plates", 500, GRAZE_FLOAT32, models_path(path, "plates.obj"));
    graze_scene *scene = make_scene(context, path);
    graze_object_id id = graze_scene_next(scene, (graze_object_id){0});
    graze_mesh_sink sink = {.triangles = stop};
    assert_int_equal(graze_scene_stream(NULL, id, 0, &sink, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_stream(scene, id, 0, NULL, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_scene_stream(scene, id, -1, &sink, NULL), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "the error is a number from 0 up"));
    assert_int_equal(graze_scene_stream(scene, id, 0, &sink, NULL), GRAZE_ERROR_CANCELLED);
    assert_int_equal(graze_scene_remove(scene, id), GRAZE_OK);
    assert_int_equal(graze_scene_stream(scene, id, 0, &sink, NULL), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "there is no object of this id"));
    graze_scene_free(scene);
    unlink(path);
    test_context_done(context);
}

static graze_status stream_all(graze_context *context, void *data)
{
    graze_scene *scene = NULL;
    graze_scene_source source = {.path = data};
    graze_mesh_sink none = {0};
    graze_status status = graze_scene_create(context, &scene);
    if (status == GRAZE_OK)
        status = graze_scene_add_source(scene, &source, NULL);
    if (status == GRAZE_OK)
        status = graze_scene_stream(scene, graze_scene_next(scene, (graze_object_id){0}), 0.1,
                                    &none, NULL);
    graze_scene_free(scene);
    return status;
}

static void want_of_memory(void **state)
{
    (void)state;
    char path[MODEL_PATH_BYTES], scene_path[MODEL_PATH_BYTES];
    graze_context *context = test_context(NULL);
    models_make("plates", 4000, GRAZE_FLOAT32, models_path(path, "plates.obj"));
    models_path(scene_path, "plates.graze");
    graze_scene_source source = {.path = path};
    assert_int_equal(graze_scene_build(context, &source, 1, scene_path, NULL), GRAZE_OK);
    test_context_done(context);
    assert_true(test_all_faults(stream_all, scene_path, 1) > 10);
    unlink(path);
    unlink(scene_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_of_files),        cmocka_unit_test(own_shapes),
        cmocka_unit_test(coarser_objects),         cmocka_unit_test(want_of_memory),
        cmocka_unit_test(mistakes_have_sentences),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
