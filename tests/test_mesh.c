// Meshes in memory: read from files, made from views.
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"

static char *write_temporary(const void *bytes, size_t count)
{
    char *path = strdup("/tmp/graze_test_XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes, count), count);
    close(descriptor);
    return path;
}

static void forget_temporary(char *path)
{
    unlink(path);
    free(path);
}

static const char ascii[] = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n"
                            "property float y\nproperty float z\nelement face 3\n"
                            "property list uchar int vertex_indices\nend_header\n"
                            "0 0 0\n1 0 0\n1 1 0\n0 1 nan\n3 0 1 2\n3 1 2 3\n2 0 1\n";

static void a_file_becomes_a_mesh(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char *path = write_temporary(ascii, strlen(ascii));
    graze_mesh *mesh = NULL;
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.metres_per_unit = 0.001;
    assert_int_equal(graze_mesh_read(context, path, &def, &mesh), GRAZE_OK);
    forget_temporary(path);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_int_equal(view.precision, GRAZE_FLOAT32);
    assert_true(view.metres_per_unit == 0.001);
    assert_int_equal(view.vertex_count, 4);
    assert_int_equal(view.triangle_count, 1);
    assert_int_equal(view.object_count, 1);
    assert_string_equal(view.objects[0].name, "");
    assert_int_equal(view.objects[0].triangle_count, 1);
    double corner[3];
    graze_mesh_view_corner(&view, 0, 2, corner);
    assert_true(corner[0] == 1 && corner[1] == 1 && corner[2] == 0);
    graze_mesh_losses losses = graze_mesh_get_losses(mesh);
    assert_int_equal(losses.nonfinite_vertices, 1);
    assert_int_equal(losses.nonfinite_triangles, 1);
    assert_int_equal(losses.empty_polygons, 1);
    graze_mesh_free(mesh);
    test_context_done(context);
}

// A binary file of some size takes its own size and little more, hints or not.
static void memory_is_the_mesh_and_little_more(void **state)
{
    (void)state;
    enum { VERTICES = 400000, FACES = 800000 };
    size_t room = 300 + VERTICES * 12 + FACES * 13;
    uint8_t *bytes = malloc(room);
    size_t header = (size_t)sprintf((char *)bytes,
                                    "ply\nformat binary_little_endian 1.0\nelement vertex %d\n"
                                    "property float x\nproperty float y\nproperty float z\n"
                                    "element face %d\nproperty list uchar int vertex_indices\n"
                                    "end_header\n",
                                    VERTICES, FACES);
    size_t count = header + VERTICES * 12;
    memset(bytes + header, 0, VERTICES * 12);
    for (uint32_t i = 0; i < FACES; ++i) {
        uint32_t corners[3] = {i / 2, i / 2 + 1, (i * 7) % VERTICES};
        corners[1] %= VERTICES;
        bytes[count] = 3;
        memcpy(bytes + count + 1, corners, 12);
        count += 13;
    }
    char *path = write_temporary(bytes, count);
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = NULL;
    assert_int_equal(graze_mesh_read(context, path, NULL, &mesh), GRAZE_OK);
    uint64_t size = VERTICES * 12 + FACES * 12;
    assert_true(graze_context_memory(context).current_bytes < size + 10000);
    assert_true(graze_context_memory(context).peak_bytes < size + (3u << 20));
    graze_mesh_view view = graze_mesh_get(mesh);
    for (uint32_t i = 0; i < FACES; ++i)
        assert_int_equal(view.corners[3 * i + 2], (i * 7) % VERTICES);
    graze_mesh_free(mesh);
    forget_temporary(path);
    test_context_done(context);
    free(bytes);
}

// Where the file does not say how much comes, the arrays grow, and are cut in the end.
static void arrays_are_cut_to_size(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = NULL;
    char *text = malloc(400000);
    size_t count = (size_t)sprintf(text, "OFF\n4 20000 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n");
    for (int i = 0; i < 20000; ++i)
        count += (size_t)sprintf(text + count, "4 0 1 2 3\n");
    char *path = write_temporary(text, count);
    assert_int_equal(graze_mesh_read(context, path, NULL, &mesh), GRAZE_OK);
    assert_int_equal(graze_mesh_get(mesh).triangle_count, 40000);
    assert_true(graze_context_memory(context).current_bytes < 40000 * 12 + 2000);
    graze_mesh_free(mesh);
    forget_temporary(path);
    free(text);
    test_context_done(context);
}

static void claims_are_not_believed(void **state)
{
    (void)state;
    const char *text = "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\n"
                       "property float y\nproperty float z\nelement face 99999999999\n"
                       "property list uchar int vertex_indices\nend_header\n0 0 0\n";
    char *path = write_temporary(text, strlen(text));
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = (graze_mesh *)16;
    assert_int_equal(graze_mesh_read(context, path, NULL, &mesh), GRAZE_ERROR_FORMAT);
    assert_null(mesh);
    assert_true(graze_context_memory(context).peak_bytes < 3 << 20);
    forget_temporary(path);
    test_context_done(context);
}

static void the_memory_limit_holds(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.memory_byte_limit = 1 << 20; // less than a window
    graze_context *context = test_context(&def);
    char *path = write_temporary(ascii, strlen(ascii));
    graze_mesh *mesh = NULL;
    assert_int_equal(graze_mesh_read(context, path, NULL, &mesh), GRAZE_ERROR_MEMORY);
    assert_non_null(strstr(test_last_error, "out of memory"));
    forget_temporary(path);
    test_context_done(context);
}

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = NULL;
    assert_int_equal(graze_mesh_read(context, "/nowhere/x.ply", NULL, &mesh), GRAZE_ERROR_IO);
    assert_string_equal(test_last_error, "/nowhere/x.ply: cannot open: No such file or directory");
    assert_int_equal(graze_mesh_read(context, "/tmp", NULL, &mesh), GRAZE_ERROR_IO);
    assert_string_equal(test_last_error, "/tmp: is a folder, not a file");
    char *path = write_temporary("", 0);
    assert_int_equal(graze_mesh_read(context, path, NULL, &mesh), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, ": byte 0: the file is empty"));
    forget_temporary(path);
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.struct_size = 0;
    assert_int_equal(graze_mesh_read(context, "/tmp/x", &def, &mesh), GRAZE_ERROR_IO);
    path = write_temporary(ascii, strlen(ascii));
    assert_int_equal(graze_mesh_read(context, path, &def, &mesh), GRAZE_ERROR_ARGUMENT);
    def = graze_mesh_read_def_default();
    def.format = (graze_format)99;
    assert_int_equal(graze_mesh_read(context, path, &def, &mesh), GRAZE_ERROR_ARGUMENT);
    forget_temporary(path);
    test_context_done(context);
}

static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const uint32_t corners[] = {0, 1, 2, 2, 1, 0};

static void a_view_becomes_a_mesh(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh_view view = {
        .precision = GRAZE_FLOAT32,
        .vertex_count = 3,
        .triangle_count = 2,
        .positions = positions,
        .corners = corners,
    };
    graze_mesh *mesh = NULL;
    assert_int_equal(graze_mesh_create(context, &view, &mesh), GRAZE_OK);
    graze_mesh_view copy = graze_mesh_get(mesh);
    assert_memory_equal(copy.positions, positions, sizeof positions);
    assert_memory_equal(copy.corners, corners, sizeof corners);
    assert_ptr_not_equal(copy.positions, positions);
    assert_int_equal(copy.object_count, 1);
    assert_int_equal(copy.objects[0].triangle_count, 2);
    graze_mesh_free(mesh);
    graze_object objects[] = {{.name = "a", .group = "g", .triangle_count = 1},
                              {.name = "b", .group = "", .first_triangle = 1, .triangle_count = 1}};
    view.objects = objects;
    view.object_count = 2;
    assert_int_equal(graze_mesh_create(context, &view, &mesh), GRAZE_OK);
    copy = graze_mesh_get(mesh);
    assert_string_equal(copy.objects[1].name, "b");
    assert_ptr_not_equal(copy.objects[1].name, objects[1].name);
    graze_mesh_free(mesh);

    view.vertex_count = 2;
    assert_int_equal(graze_mesh_create(context, &view, &mesh), GRAZE_ERROR_ARGUMENT);
    assert_null(mesh);
    view.vertex_count = 3;
    objects[1].triangle_count = 2;
    assert_int_equal(graze_mesh_create(context, &view, &mesh), GRAZE_ERROR_ARGUMENT);
    graze_mesh_view nothing = {.precision = GRAZE_FLOAT64};
    assert_int_equal(graze_mesh_create(context, &nothing, &mesh), GRAZE_OK);
    graze_mesh_free(mesh);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_becomes_a_mesh),
        cmocka_unit_test(memory_is_the_mesh_and_little_more),
        cmocka_unit_test(arrays_are_cut_to_size),
        cmocka_unit_test(claims_are_not_believed),
        cmocka_unit_test(the_memory_limit_holds),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(a_view_becomes_a_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
