// Models hold the triangles of a mesh bit for bit, whatever the mesh, and are the same bytes for
// any number of threads and any memory.
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "models.h"

#define MOST 5000
#define MANY (TEST_SANITIZED ? 1100u : 3000u) // several clusters

// Triangles of one's own making, in a PLY file.
typedef struct own_mesh {
    graze_precision precision;
    uint32_t triangle_count;
    uint32_t corners[3 * MOST];
    double wide[9 * MOST];
    float narrow[9 * MOST];
} own_mesh;

static own_mesh own;

// Each triangle has three vertices of its own, from `wide`.
static void try_soup(uint32_t triangle_count, graze_precision precision)
{
    own.triangle_count = triangle_count;
    for (uint32_t i = 0; i < 9 * triangle_count; ++i)
        own.narrow[i] = (float)own.wide[i];
    for (uint32_t i = 0; i < 3 * triangle_count; ++i)
        own.corners[i] = i;
    graze_mesh_view view = {.precision = precision,
                            .vertex_count = 3 * (uint64_t)triangle_count,
                            .triangle_count = triangle_count,
                            .positions = precision == GRAZE_FLOAT32 ? (void *)own.narrow : own.wide,
                            .corners = own.corners};
    char path[MODEL_PATH_BYTES];
    models_write(&view, models_path(path, "own.ply"));
    models_round_trip(path, NULL, NULL);
    unlink(path);
}

static void try_both(uint32_t triangle_count)
{
    try_soup(triangle_count, GRAZE_FLOAT32);
    try_soup(triangle_count, GRAZE_FLOAT64);
}

static void fill_unit(test_random *random, uint32_t triangle_count)
{
    for (uint32_t i = 0; i < 9 * triangle_count; ++i)
        own.wide[i] = test_unit(random);
}

static void few_triangles(void **state)
{
    (void)state;
    test_of_one_thread();
    test_random random = {.state = 1};
    static const uint32_t counts[] = {0, 1, 2, 3, 1023, 1024, 1025, 2048, 2049, 3000, MOST};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        if (TEST_SANITIZED && counts[i] >= 2000)
            continue;
        fill_unit(&random, counts[i]);
        try_both(counts[i]);
    }
}

static void odd_coordinates(void **state)
{
    (void)state;
    test_of_one_thread();
    test_random random = {.state = 2};
    for (uint32_t i = 0; i < 9 * MANY; ++i) // all the same
        own.wide[i] = 0.1 * (i % 9);
    try_both(MANY);
    for (uint32_t i = 0; i < 9 * MANY; ++i) // points
        own.wide[i] = 7;
    try_both(MANY);
    fill_unit(&random, MANY); // far from the origin
    for (uint32_t i = 0; i < 9 * MANY; ++i)
        own.wide[i] = own.wide[i] * 1e-3 + 1e7;
    try_both(MANY);
    fill_unit(&random, MANY);
    for (uint32_t i = 0; i < 9 * MANY; ++i) // zeros of both signs
        own.wide[i] = own.wide[i] < 0.3 ? 0.0 : own.wide[i] < 0.6 ? -0.0 : own.wide[i];
    try_both(MANY);
    fill_unit(&random, MANY); // one huge among tiny ones
    for (uint32_t i = 9; i < 9 * MANY; ++i)
        own.wide[i] *= 1e-6;
    own.wide[0] = -1e9, own.wide[4] = 1e9, own.wide[8] = 3e9;
    try_both(MANY);
    fill_unit(&random, MANY); // as small as numbers get
    for (uint32_t i = 0; i < 9 * MANY; ++i)
        own.wide[i] *= 1e-43;
    try_both(MANY);
}

static void all_of_the_range(void **state)
{
    (void)state;
    test_of_one_thread();
    test_random random = {.state = 3};
    fill_unit(&random, 3000);
    for (uint32_t i = 0; i < 9 * 3000; ++i)
        own.wide[i] = 1e300 * (own.wide[i] - 0.5);
    try_soup(3000, GRAZE_FLOAT64);
    for (uint32_t i = 0; i < 9 * 3000; ++i)
        own.wide[i] = i % 5 == 0   ? DBL_MAX
                      : i % 5 == 1 ? -DBL_MAX
                      : i % 5 == 2 ? DBL_MIN
                                   : 0x1p-1074;
    try_soup(3000, GRAZE_FLOAT64);
    for (uint32_t i = 0; i < 9 * 3000; ++i) { // any finite bits
        uint64_t bits = test_next(&random);
        memcpy(&own.wide[i], &bits, sizeof bits);
        own.wide[i] = isfinite(own.wide[i]) ? own.wide[i] : 1;
    }
    try_soup(3000, GRAZE_FLOAT64);
    for (uint32_t i = 0; i < 9 * 3000; ++i) {
        uint32_t bits = (uint32_t)test_next(&random);
        float narrow;
        memcpy(&narrow, &bits, sizeof bits);
        own.wide[i] = isfinite(narrow) ? (double)narrow : -1;
    }
    try_soup(3000, GRAZE_FLOAT32);
    for (uint32_t i = 0; i < 9 * 3000; ++i)
        own.wide[i] = i % 2 == 0 ? (double)FLT_MAX : -(double)FLT_MAX;
    try_soup(3000, GRAZE_FLOAT32);
}

static void all_formats(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *name;
    } rows[] = {{"knot", "a.ply"},    {"gear", "a.stl"},    {"plates", "a.obj"},
                {"terrain", "c.ply"}, {"turbine", "a.glb"}, {"sphere", "a.ply.gz"},
                {"turbine", "b.obj"}, {"turbine", "a.stl"}, {"soup", "a.ply"},
                {"knot", "a.obj.zst"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += TEST_THREAD_SANITIZER ? 3 : 1) {
        char path[MODEL_PATH_BYTES];
        models_path(path, rows[i].name);
        models_make(rows[i].kind, TEST_SANITIZED ? 4000 : 20000,
                    i % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64, path);
        models_round_trip(path, NULL, NULL);
        unlink(path);
    }
}

// Instances, placed and not, objects out of order, empty ones, groups, polygons, lines.
static void objects_of_all_kinds(void **state)
{
    (void)state;
    models_round_trip(TEST_DATA "/placed.gltf", NULL, NULL);
    char path[MODEL_PATH_BYTES];
    models_write_text(models_path(path, "objects.obj"),
                      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nv nan 0 0\n"
                      "o first\nf 1 2 3 4\ng part\nf 1 2 3\nf 1 2 5\nl 1 2\no empty\n"
                      "o \xc3\xa4nother\nf 4 3 2 1\nf 1 2\n");
    models_round_trip(path, NULL, NULL);
    unlink(path);
    // Two objects that share triangles, between others; one of them is moved.
    own.triangle_count = 30;
    test_random random = {.state = 4};
    fill_unit(&random, 30);
    for (uint32_t i = 0; i < 9 * 30; ++i)
        own.narrow[i] = (float)own.wide[i];
    for (uint32_t i = 0; i < 3 * 30; ++i)
        own.corners[i] = i;
    graze_object objects[] = {
        {.name = "c", .group = "g", .first_triangle = 20, .triangle_count = 10},
        {.name = "a", .group = "", .first_triangle = 0, .triangle_count = 15},
        {.name = "b", .group = "g/h", .first_triangle = 15, .triangle_count = 5},
        {.name = "c2", .group = "", .first_triangle = 20, .triangle_count = 10}};
    for (size_t i = 0; i < 4; ++i)
        for (int axis = 0; axis < 3; ++axis)
            objects[i].matrix[5 * axis] = 1;
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .metres_per_unit = 1,
                            .vertex_count = 90,
                            .triangle_count = 30,
                            .object_count = 4,
                            .positions = own.narrow,
                            .corners = own.corners,
                            .objects = objects};
    for (int placed = 0; placed < 2; ++placed) {
        objects[3].placed = (uint32_t)placed;
        objects[3].matrix[3] = placed == 0 ? 0 : 0.1;
        models_write(&view, models_path(path, "objects.glb"));
        models_round_trip(path, NULL, NULL);
    }
    unlink(path);
}

static void build_with(const char *mesh, const char *model, uint32_t threads, uint64_t memory,
                       bool no_levels)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = threads;
    graze_context *context = test_context(&def);
    graze_model_build_def build = graze_model_build_def_default();
    build.memory_bytes = memory;
    build.no_levels = no_levels;
    assert_int_equal(graze_model_build(context, mesh, model, &build), GRAZE_OK);
    assert_true(graze_context_memory(context).peak_bytes <= (memory == 0 ? 512u << 20 : memory));
    test_context_done(context);
}

static void try_the_same_bytes(uint64_t triangle_count, bool no_levels)
{
    char mesh[MODEL_PATH_BYTES], first[MODEL_PATH_BYTES], second[MODEL_PATH_BYTES];
    models_make("terrain", triangle_count, GRAZE_FLOAT32, models_path(mesh, "big.ply"));
    build_with(mesh, models_path(first, "first.graze"), 1, 0, no_levels);
    uint64_t count = 0, other_count = 0;
    uint8_t *bytes = models_read_file(first, &count);
    const uint32_t fewest = TEST_SANITIZED ? 2 : 1, most = TEST_SANITIZED ? 2 : 4;
    for (uint32_t threads = fewest; threads <= most; ++threads) {
        build_with(mesh, models_path(second, "second.graze"), threads,
                   threads % 2 == 0 ? GRAZE_MODEL_LEAST_MEMORY : UINT64_C(512) << 20, no_levels);
        uint8_t *other = models_read_file(second, &other_count);
        assert_int_equal(count, other_count);
        assert_memory_equal(bytes, other, count);
        test_free(other);
    }
    graze_context *context = test_context(NULL);
    models_compare(context, mesh, second);
    test_context_done(context);
    test_free(bytes);
    unlink(mesh);
    unlink(first);
    unlink(second);
}

// First more triangles than the sorter holds at the least memory.
static void the_same_bytes_always(void **state)
{
    (void)state;
    try_the_same_bytes(TEST_THREAD_SANITIZER ? 40000 : 320000, true);
    try_the_same_bytes(TEST_SANITIZED ? 6000 : 40000, false);
}

static void what_is_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    models_make("knot", 500, GRAZE_FLOAT32, models_path(mesh, "knot.ply"));
    models_path(path, "knot.graze");
    graze_model_build_def def = graze_model_build_def_default();
    def.memory_bytes = GRAZE_MODEL_LEAST_MEMORY - 1;
    assert_int_equal(graze_model_build(context, mesh, path, &def), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "at least 64 MiB"));
    def.struct_size = 0;
    assert_int_equal(graze_model_build(context, mesh, path, &def), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_build(NULL, mesh, path, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_build(context, NULL, path, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_build(context, mesh, NULL, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_build(context, "/nowhere/at.all", path, NULL), GRAZE_ERROR_IO);
    assert_int_equal(graze_model_build(context, mesh, "/nowhere/at.all", NULL), GRAZE_ERROR_IO);
    assert_int_equal(models_file_count(), 1);
    assert_false(graze_model_recognise(mesh) || graze_model_recognise(path));
    assert_false(graze_model_recognise(NULL) || graze_model_recognise("/tmp"));
    assert_int_equal(graze_model_build(context, mesh, path, NULL), GRAZE_OK);
    assert_true(graze_model_recognise(path));
    assert_int_equal(graze_model_build(context, path, mesh, NULL), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "this is a model already, not a mesh"));
    graze_model *model = NULL;
    assert_int_equal(graze_model_open(context, NULL, &model), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_open(NULL, path, &model), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_open(context, path, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_open(context, "/nowhere/at.all", &model), GRAZE_ERROR_IO);
    assert_null(model);
    assert_int_equal(graze_model_open(context, mesh, &model), GRAZE_ERROR_FORMAT);
    assert_int_equal(graze_model_check(NULL, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_open(context, path, &model), GRAZE_OK);
    assert_int_equal(graze_model_stream(model, 0, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_check(model, NULL), GRAZE_OK);
    graze_model_free(model);
    graze_model_free(NULL);
    unlink(mesh);
    unlink(path);
    test_context_done(context);
}

static graze_status count_objects(void *user, const graze_object *object)
{
    *(uint64_t *)user += object->triangle_count;
    return GRAZE_OK;
}

// Few bytes for the order make piles on disk, and what a sink says is handed on.
static void streams_of_all_kinds(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    models_make("soup", TEST_CHANCES(20000), GRAZE_FLOAT64, models_path(mesh, "soup.ply"));
    models_round_trip(mesh, NULL, models_path(path, "soup.graze"));
    graze_model *model = NULL;
    assert_int_equal(graze_model_open(context, path, &model), GRAZE_OK);
    record a = {0}, b = {0};
    graze_mesh_sink sink = record_sink(&a);
    assert_int_equal(graze_model_stream(model, 1, &sink), GRAZE_OK);
    sink = record_sink(&b);
    assert_int_equal(graze_model_stream(model, 0, &sink), GRAZE_OK);
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_int_equal(a.triangle_count, b.triangle_count);
    assert_memory_equal(a.corners, b.corners, a.triangle_count * 24);
    assert_memory_equal(a.positions, b.positions, a.vertex_count * 24);
    record_free(&a);
    record_free(&b);
    uint64_t count = 0;
    sink = (graze_mesh_sink){.user = &count, .object = count_objects};
    assert_int_equal(graze_model_stream(model, 0, &sink), GRAZE_OK);
    assert_int_equal(count, graze_model_get_info(model).triangle_count);
    sink = (graze_mesh_sink){.user = NULL};
    assert_int_equal(graze_model_stream(model, 0, &sink), GRAZE_OK);
    graze_model_free(model);
    unlink(mesh);
    unlink(path);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_triangles),        cmocka_unit_test(odd_coordinates),
        cmocka_unit_test(all_of_the_range),     cmocka_unit_test(all_formats),
        cmocka_unit_test(objects_of_all_kinds), cmocka_unit_test(the_same_bytes_always),
        cmocka_unit_test(what_is_refused),      cmocka_unit_test(streams_of_all_kinds),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
