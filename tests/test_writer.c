// The writers: exact bytes of small meshes, warnings for what a format cannot hold, matrices and
// instances, packing, and every failure on the way, which must leave no file and no memory behind.
#include "test.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "mesh/write/writer.h"
#include "reading.h"

static char folder[256];
static int make_folder(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/graze-writer.XXXXXX", parent != NULL ? parent : "/tmp");
    return mkdtemp(folder) == NULL;
}

static uint32_t files_in_folder(bool remove)
{
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    uint32_t count = 0;
    for (struct dirent *entry; (entry = readdir(opened)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        ++count;
        if (remove)
            unlinkat(dirfd(opened), entry->d_name, 0);
    }
    closedir(opened);
    return count;
}

static int remove_folder(void **state)
{
    (void)state;
    files_in_folder(true);
    return rmdir(folder);
}

static const char *in_folder(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// Two triangles that share an edge, in two objects.
static const float flat_square[12] = {0, 0, 0, 1, 0, 0, 1, 0.1f, 0, 0, 1, -2.5e-7f};
static const uint32_t square_corners[6] = {0, 1, 2, 0, 2, 3};
static const graze_object square_objects[2] = {
    {.name = "left", .group = "", .first_triangle = 0, .triangle_count = 1},
    {.name = "right half", .group = "", .first_triangle = 1, .triangle_count = 1},
};

static graze_mesh_view square(uint64_t object_count)
{
    return (graze_mesh_view){.precision = GRAZE_FLOAT32,
                             .vertex_count = 4,
                             .triangle_count = 2,
                             .object_count = object_count,
                             .positions = flat_square,
                             .corners = square_corners,
                             .objects = object_count != 0 ? square_objects : NULL};
}

static graze_mesh_write_def ascii(void)
{
    graze_mesh_write_def def = graze_mesh_write_def_default();
    def.ascii = 1;
    return def;
}

static void check_content(const char *path, const void *bytes, size_t byte_count)
{
    static char content[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t got = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    content[got] = '\0';
    if (got != byte_count || memcmp(content, bytes, got) != 0)
        fail_msg("%s has %zu bytes, expected %zu:\n%s", path, got, byte_count, content);
}

static void check_text(const graze_mesh_view *view, const char *name,
                       const graze_mesh_write_def *def, uint32_t warnings, const char *text)
{
    graze_context *context = counting_context();
    assert_int_equal(graze_mesh_write(context, view, in_folder(name), def), GRAZE_OK);
    assert_int_equal(test_warning_count, warnings);
    check_content(in_folder(name), text, strlen(text));
    test_context_done(context);
}

static void ply_is_as_specified(void **state)
{
    (void)state;
    graze_mesh_view view = square(0);
    graze_mesh_write_def def = ascii();
    check_text(&view, "a.ply", &def, 0,
               "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float "
               "y\nproperty float z\nelement face 2\nproperty list uchar int "
               "vertex_indices\nend_header\n"
               "0 0 0\n1 0 0\n1 0.1 0\n0 1 -2.5e-7\n3 0 1 2\n3 0 2 3\n");
    static const char big[] =
        "ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty float x\nproperty float "
        "y\nproperty float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
        "\0\0\0\0\0\0\0\0\0\0\0\0\x3f\x80\0\0\0\0\0\0\0\0\0\0\x3f\x80\0\0\x3d\xcc\xcc\xcd\0\0\0\0"
        "\0\0\0\0\x3f\x80\0\0\xb4\x86\x37\xbd"
        "\3\0\0\0\0\0\0\0\1\0\0\0\2\3\0\0\0\0\0\0\0\2\0\0\0\3";
    def = graze_mesh_write_def_default();
    def.big_endian = 1;
    graze_context *context = counting_context();
    assert_int_equal(graze_mesh_write(context, &view, in_folder("b.ply"), &def), GRAZE_OK);
    check_content(in_folder("b.ply"), big, sizeof big - 1);
    test_context_done(context);
}

static void stl_is_as_specified(void **state)
{
    (void)state;
    graze_mesh_view view = square(2);
    graze_mesh_write_def def = ascii();
    check_text(
        &view, "a.stl", &def, 0,
        "solid left\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 "
        "0.10000000149011612 0\nendloop\nendfacet\nendsolid left\n"
        "solid right half\nfacet normal -2.5e-8 2.5e-7 1\nouter loop\nvertex 0 0 0\nvertex 1 "
        "0.10000000149011612 0\nvertex 0 1 -2.499999993688107e-7\nendloop\nendfacet\n"
        "endsolid right half\n");
    view = square(0);
    graze_context *context = counting_context();
    assert_int_equal(graze_mesh_write(context, &view, in_folder("b.stl"), NULL), GRAZE_OK);
    assert_int_equal(test_warning_count, 0);
    char bytes[184] = {0};
    memcpy(bytes + 80, "\2\0\0\0", 4);
    memcpy(bytes + 84, (float[12]){0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0.1f, 0}, 48);
    memcpy(bytes + 134, (float[12]){-2.5e-8f, 2.5e-7f, 1, 0, 0, 0, 1, 0.1f, 0, 0, 1, -2.5e-7f}, 48);
    check_content(in_folder("b.stl"), bytes, sizeof bytes);
    test_context_done(context);
}

static void obj_is_as_specified(void **state)
{
    (void)state;
    graze_mesh_view view = square(2);
    check_text(&view, "a.obj", NULL, 0,
               "v 0 0 0\nv 1 0 0\nv 1 0.10000000149011612 0\nv 0 1 -2.499999993688107e-7\n"
               "o left\nf 1 2 3\no right half\nf 1 3 4\n# end of file\n");
    graze_object objects[4] = {
        {.name = "", .group = "", .triangle_count = 1},
        {.name = "x", .group = "house", .first_triangle = 1, .triangle_count = 1},
        {.name = "y", .group = "house", .first_triangle = 2},
        {.name = "house", .group = "", .first_triangle = 2},
    };
    view.objects = objects;
    view.object_count = 4;
    check_text(&view, "b.obj", NULL, 0,
               "v 0 0 0\nv 1 0 0\nv 1 0.10000000149011612 0\nv 0 1 -2.499999993688107e-7\n"
               "f 1 2 3\no house\ng x\nf 1 3 4\ng y\no house\n# end of file\n");
}

static void names_are_kept_within_lines(void **state)
{
    (void)state;
    graze_mesh_view view = square(2);
    graze_object objects[2] = {square_objects[0], square_objects[1]};
    objects[0].name = " two\nlines";
    objects[1].name = "ends in \\";
    view.objects = objects;
    check_text(&view, "c.obj", NULL, 1,
               "v 0 0 0\nv 1 0 0\nv 1 0.10000000149011612 0\nv 0 1 -2.499999993688107e-7\n"
               "o _two_lines\nf 1 2 3\no ends in _\nf 1 3 4\n# end of file\n");
    view.triangle_count = 0;
    objects[0].triangle_count = objects[1].triangle_count = objects[1].first_triangle = 0;
    objects[1].name = "a Facet  normal b";
    graze_mesh_write_def def = ascii();
    check_text(&view, "c.stl", &def, 1,
               "solid _two_lines\nendsolid _two_lines\nsolid a Facet_ normal b\nendsolid a Facet_ "
               "normal b\n");
    // A name that is too long is cut between characters.
    char long_name[6001], expected[9000];
    for (int i = 0; i < 6000; i += 3)
        memcpy(long_name + i, "\xe2\x82\xac", 4);
    objects[0].name = long_name;
    view.object_count = 1;
    snprintf(expected, sizeof expected, "solid %.4095s\nendsolid %.4095s\n", long_name, long_name);
    check_text(&view, "d.stl", &def, 1, expected);
}

static void losses_are_warned_of_once(void **state)
{
    (void)state;
    static const double wide[9] = {0.1, 0.2, 0.3, 1, 0, 0, 0, 1, 1e-50};
    graze_object object = {.name = "part", .group = "", .triangle_count = 1};
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = 3,
                            .triangle_count = 1,
                            .object_count = 1,
                            .positions = wide,
                            .corners = square_corners,
                            .objects = &object};
    graze_context *context = counting_context();
    assert_int_equal(graze_mesh_write(context, &view, in_folder("e.stl"), NULL), GRAZE_OK);
    assert_int_equal(test_warning_count, 1);
    assert_non_null(strstr(test_last_warning, "e.stl: binary STL holds floats: 4 of 9"));
    assert_int_equal(graze_mesh_write(context, &view, in_folder("e.ply"), NULL), GRAZE_OK);
    assert_int_equal(test_warning_count, 2);
    assert_non_null(strstr(test_last_warning, "\"part\" is left out"));
    object.name = "Solid part";
    assert_int_equal(graze_mesh_write(context, &view, in_folder("e.stl"), NULL), GRAZE_OK);
    assert_int_equal(test_warning_count, 4);
    object.name = "part";
    object.group = "group";
    graze_mesh_write_def def = ascii();
    assert_int_equal(graze_mesh_write(context, &view, in_folder("e.stl"), &def), GRAZE_OK);
    assert_int_equal(test_warning_count, 5);
    assert_non_null(strstr(test_last_warning, "groups"));
    graze_mesh_view two = square(2);
    assert_int_equal(graze_mesh_write(context, &two, in_folder("e.stl"), NULL), GRAZE_OK);
    assert_int_equal(test_warning_count, 6);
    assert_int_equal(graze_mesh_write(context, &two, in_folder("e.ply"), NULL), GRAZE_OK);
    assert_int_equal(test_warning_count, 7);
    assert_int_equal(test_error_count, 0);

    // Too large for float is no rounding.
    double huge[9] = {0, 0, 0, 1e39, 0, 0, 0, 1, 0};
    view.positions = huge;
    assert_int_equal(graze_mesh_write(context, &view, in_folder("huge.stl"), NULL),
                     GRAZE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(test_last_error, "coordinate 1e39"));
    assert_int_equal(access(in_folder("huge.stl"), F_OK), -1);
    assert_int_equal(graze_mesh_write(context, &view, in_folder("huge.stl"), &def), GRAZE_OK);
    test_context_done(context);
}

static void matrices_are_applied_and_instances_copied(void **state)
{
    (void)state;
    graze_object objects[3] = {square_objects[0], square_objects[1], square_objects[0]};
    objects[2].name = "copy";
    objects[2].placed = 1;
    memcpy(objects[2].matrix, (double[12]){0, -2, 0, 10, 2, 0, 0, 0, 0, 0, 2, 0.5},
           sizeof objects[2].matrix);
    graze_mesh_view view = square(2);
    view.objects = objects;
    view.object_count = 3;
    check_text(&view, "f.obj", NULL, 0,
               "v 0 0 0\nv 1 0 0\nv 1 0.10000000149011612 0\n"
               "v 0 0 0\nv 1 0.10000000149011612 0\nv 0 1 -2.499999993688107e-7\n"
               "v 10 0 0.5\nv 10 2 0.5\nv 9.799999997019768 2 0.5\n"
               "o left\nf 1 2 3\no right half\nf 4 5 6\no copy\nf 7 8 9\n# end of file\n");
    graze_mesh_write_def def = ascii();
    check_text(&view, "f.ply", &def, 1,
               "ply\nformat ascii 1.0\nelement vertex 9\nproperty double x\nproperty double "
               "y\nproperty double z\nelement face 3\nproperty list uchar int "
               "vertex_indices\nend_header\n"
               "0 0 0\n1 0 0\n1 0.10000000149011612 0\n"
               "0 0 0\n1 0.10000000149011612 0\n0 1 -2.499999993688107e-7\n"
               "10 0 0.5\n10 2 0.5\n9.799999997019768 2 0.5\n3 0 1 2\n3 3 4 5\n3 6 7 8\n");
    // Instances that are not placed keep the precision.
    objects[2].placed = 0;
    view.object_count = 3;
    check_text(&view, "g.ply", &def, 1,
               "ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nproperty float "
               "y\nproperty float z\nelement face 3\nproperty list uchar int "
               "vertex_indices\nend_header\n"
               "0 0 0\n1 0 0\n1 0.1 0\n0 0 0\n1 0.1 0\n0 1 -2.5e-7\n"
               "0 0 0\n1 0 0\n1 0.1 0\n3 0 1 2\n3 3 4 5\n3 6 7 8\n");
    // A placement that leaves the doubles is refused, whatever the format.
    objects[2].placed = 1;
    objects[2].matrix[0] = objects[2].matrix[3] = 1.5e308;
    static const char *const names[] = {"h.ply", "h.obj", "h.stl"};
    for (int i = 0; i < 3; ++i) {
        graze_context *context = counting_context();
        assert_int_equal(graze_mesh_write(context, &view, in_folder(names[i]), &def),
                         GRAZE_ERROR_ARGUMENT);
        assert_non_null(strstr(test_last_error, "matrix of object \"copy\""));
        assert_int_equal(test_error_count, 1);
        assert_int_equal(access(in_folder(names[i]), F_OK), -1);
        test_context_done(context);
    }
}

static void check_not_written(const graze_mesh_view *view, graze_status status, const char *path,
                              const graze_mesh_write_def *def, const char *sentence)
{
    graze_context *context = counting_context();
    assert_int_equal(graze_mesh_write(context, view, path, def), status);
    assert_int_equal(test_error_count, 1);
    if (strstr(test_last_error, sentence) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", test_last_error, sentence);
    test_context_done(context);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    graze_mesh_view good = square(2), view = good;
    graze_mesh_write_def def = graze_mesh_write_def_default();
    const graze_status argument = GRAZE_ERROR_ARGUMENT;
    check_not_written(&good, argument, in_folder("x.txt"), NULL, "does not say which format");
    check_not_written(&good, argument, in_folder("x.gz"), NULL, "does not say which format");
    check_not_written(&good, argument, NULL, NULL, "no path");
    check_not_written(NULL, argument, in_folder("x.ply"), NULL, "no mesh");
    def.struct_size = 0;
    check_not_written(&good, argument, in_folder("x.ply"), &def, "struct_size is not set");
    def = graze_mesh_write_def_default();
    def.format = GRAZE_FORMAT_OFF;
    check_not_written(&good, GRAZE_ERROR_UNSUPPORTED, in_folder("x.off"), &def,
                      "cannot be written");
    check_not_written(&good, GRAZE_ERROR_IO, "/nonexistent/folder/x.ply", NULL, "cannot create");

    view.precision = 2;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "2 bytes");
    view = good;
    view.vertex_count = (UINT64_C(1) << 32) + 1;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "4294967297 vertices");
    view = good;
    view.triangle_count = UINT64_MAX / 2;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "triangles are more than");
    view = good;
    view.positions = NULL;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "missing");
    view = good;
    view.vertex_count = 3;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "triangle 1 names vertex 3");

    graze_object objects[2] = {square_objects[0], square_objects[1]};
    view = good;
    view.objects = objects;
    objects[1].triangle_count = 2;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "object 1 ends behind");
    objects[1] = square_objects[1];
    objects[1].first_triangle = 0;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "triangle 1 is in no object");
    objects[0].first_triangle = objects[1].first_triangle = 1;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "triangle 0 is in no object");
    objects[0] = square_objects[0];
    objects[0].triangle_count = 2;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "shares some");
    objects[0] = square_objects[0];
    objects[0].name = NULL;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "object 0 has no name");
    objects[0] = square_objects[0];
    objects[0].placed = 1;
    objects[0].matrix[7] = INFINITY;
    check_not_written(&view, argument, in_folder("x.ply"), NULL, "not finite");
    assert_int_equal(access(in_folder("x.ply"), F_OK), -1);
}

// Unordered objects are as good as ordered ones.
static void objects_may_come_in_any_order(void **state)
{
    (void)state;
    graze_object objects[3] = {square_objects[1], square_objects[0], square_objects[1]};
    graze_mesh_view view = square(2);
    view.objects = objects;
    check_text(&view, "i.obj", NULL, 0,
               "v 0 0 0\nv 1 0 0\nv 1 0.10000000149011612 0\nv 0 1 -2.499999993688107e-7\n"
               "o right half\nf 1 3 4\no left\nf 1 2 3\n# end of file\n");
}

// A mesh of several batches, so that each kind of failure has many places to strike.
static graze_mesh_view make_grid(uint32_t side, double **positions, uint32_t **corners)
{
    uint64_t vertex_count = (uint64_t)(side + 1) * (side + 1), corner = 0;
    *positions = malloc(vertex_count * 3 * sizeof **positions);
    *corners = malloc((uint64_t)side * side * 6 * sizeof **corners);
    assert_true(*positions != NULL && *corners != NULL);
    test_random random = {side};
    for (uint64_t i = 0; i < 3 * vertex_count; ++i)
        (*positions)[i] = (test_unit(&random) - 0.5) * 1000;
    for (uint32_t y = 0; y < side; ++y)
        for (uint32_t x = 0; x < side; ++x) {
            uint32_t a = y * (side + 1) + x, b = a + side + 1;
            uint32_t quad[6] = {a, a + 1, b, a + 1, b + 1, b};
            memcpy(*corners + corner, quad, sizeof quad);
            corner += 6;
        }
    return (graze_mesh_view){.precision = GRAZE_FLOAT64,
                             .vertex_count = vertex_count,
                             .triangle_count = corner / 3,
                             .positions = *positions,
                             .corners = *corners};
}

// Writes, reads back, and compares every corner of every triangle and every name.
static void check_round_trip(const graze_mesh_view *view, const char *name,
                             const graze_mesh_write_def *def, graze_precision precision, bool names)
{
    graze_context *context = counting_context();
    record data = {0};
    graze_mesh_sink sink = record_sink(&data);
    assert_int_equal(graze_mesh_write(context, view, in_folder(name), def), GRAZE_OK);
    if (graze_mesh_stream(context, in_folder(name), NULL, &sink) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    assert_int_equal(data.header.precision, precision);
    assert_int_equal(data.triangle_count, view->triangle_count);
    for (uint64_t triangle = 0; triangle < view->triangle_count; ++triangle)
        for (uint32_t i = 0; i < 3; ++i) {
            double expected[3];
            graze_mesh_view_corner(view, triangle, i, expected);
            if (memcmp(expected, record_corner(&data, triangle, i), sizeof expected) != 0)
                fail_msg("%s: corner %u of triangle %llu differs", name, i,
                         (unsigned long long)triangle);
        }
    assert_int_equal(data.object_count, names ? view->object_count : 1);
    for (uint64_t i = 0; names && i < view->object_count; ++i) {
        assert_string_equal(data.objects[i].name, view->objects[i].name);
        assert_string_equal(data.objects[i].group, view->objects[i].group);
        assert_int_equal(data.objects[i].object.first_triangle, view->objects[i].first_triangle);
        assert_int_equal(data.objects[i].object.triangle_count, view->objects[i].triangle_count);
    }
    record_free(&data);
    test_context_done(context);
    unlink(in_folder(name));
}

// Coordinates of every size, with all their bits in use.
static void fill_wild(test_random *random, void *positions, uint64_t count, bool floats)
{
    for (uint64_t i = 0; i < count;) {
        uint64_t bits = test_next(random);
        double wide;
        float narrow;
        memcpy(&wide, &bits, sizeof wide);
        memcpy(&narrow, &bits, sizeof narrow);
        if (floats && isfinite(narrow))
            ((float *)positions)[i++] = narrow;
        else if (!floats && isfinite(wide))
            ((double *)positions)[i++] = wide;
    }
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    static const char *const extensions[] = {".ply", ".stl", ".obj"};
    static const char *const packings[] = {"", ".gz", ".zst", ".GZ"};
    double *wide = NULL;
    uint32_t *corners = NULL;
    graze_mesh_view grid = make_grid(50, &wide, &corners);
    float *narrow = malloc(grid.vertex_count * 3 * sizeof *narrow);
    assert_non_null(narrow);
    test_random random = {2026};
    fill_wild(&random, wide, 3 * grid.vertex_count, false);
    fill_wild(&random, narrow, 3 * grid.vertex_count, true);
    memcpy(wide, (double[6]){-0.0, 5e-324, 1.7976931348623157e308, 0.1, 1e23, -2.2e-308}, 48);
    graze_object objects[4] = {
        {.name = "two words", .group = "", .triangle_count = 7},
        {.name = "Geh\xc3\xa4use \xe2\x82\xac #1",
         .group = "",
         .first_triangle = 7,
         .triangle_count = 2000},
        {.name = "", .group = "", .first_triangle = 2007, .triangle_count = 1},
        {.name = "two words", .group = "", .first_triangle = 2008, .triangle_count = 2992},
    };
    for (int format = 0; format < 3; ++format)
        for (int kind = 0; kind < 4; ++kind)
            for (uint32_t choice = 0; choice < 8; ++choice) {
                graze_mesh_write_def def = graze_mesh_write_def_default();
                def.ascii = choice & 1;
                def.big_endian = choice >> 1 & 1;
                bool floats = choice >> 2 != 0;
                if (format == 1 && !def.ascii && !floats)
                    continue; // rounds; that is another test
                graze_mesh_view view = grid;
                view.precision = floats ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
                view.positions = floats ? (void *)narrow : (void *)wide;
                view.objects = objects;
                view.object_count = 4;
                objects[3].group = format == 2 ? "house/attic" : "";
                bool names = format == 2 || (format == 1 && def.ascii);
                bool text = format == 2 || (format == 1 && def.ascii);
                char name[32];
                snprintf(name, sizeof name, "r%s%s", extensions[format], packings[kind]);
                check_round_trip(&view, name, &def, floats && !text ? GRAZE_FLOAT32 : GRAZE_FLOAT64,
                                 names);
            }
    free(wide);
    free(narrow);
    free(corners);
}

// One object of binary STL keeps its name if it fits the header.
static void binary_stl_keeps_one_name(void **state)
{
    (void)state;
    graze_mesh_view view = square(1);
    graze_object object = {.name = "Geh\xc3\xa4use 7", .group = "", .triangle_count = 2};
    view.objects = &object;
    check_round_trip(&view, "n.stl", NULL, GRAZE_FLOAT32, true);
    object.name = "";
    check_round_trip(&view, "n.stl", NULL, GRAZE_FLOAT32, true);
}

// The same mesh gives the same bytes: packed files hold no time and no name.
static void packing_is_deterministic(void **state)
{
    (void)state;
    static const char *const names[] = {"p.ply.gz", "q.ply.gz", "p.ply.zst", "q.ply.zst"};
    static uint8_t bytes[4][4096];
    size_t lengths[4];
    graze_mesh_view view = square(0);
    for (int i = 0; i < 4; ++i) {
        graze_context *context = counting_context();
        assert_int_equal(graze_mesh_write(context, &view, in_folder(names[i]), NULL), GRAZE_OK);
        FILE *file = fopen(in_folder(names[i]), "rb");
        assert_non_null(file);
        lengths[i] = fread(bytes[i], 1, sizeof bytes[i], file);
        fclose(file);
        test_context_done(context);
    }
    for (int i = 0; i < 4; i += 2) {
        assert_int_equal(lengths[i], lengths[i + 1]);
        assert_memory_equal(bytes[i], bytes[i + 1], lengths[i]);
    }
    assert_memory_equal(bytes[0], "\x1f\x8b", 2);
    assert_memory_equal(bytes[2], "\x28\xb5\x2f\xfd", 4);
}

// Fails the first, second, ... allocation or write until nothing is left to fail.
static void fail_each(const graze_mesh_view *view, const char *name,
                      const graze_mesh_write_def *def, bool writes)
{
    for (int64_t n = 0;; ++n) {
        graze_context *context = counting_context();
        atomic_store(writes ? &gz_knobs_for(context)->writes_left
                            : &gz_knobs_for(context)->allocations_left,
                     n);
        graze_status status = graze_mesh_write(context, view, in_folder(name), def);
        if (status == GRAZE_OK) {
            assert_true(n >= 1);
            assert_int_equal(test_error_count, 0);
            test_context_done(context);
            unlink(in_folder(name));
            return;
        }
        assert_int_equal(status, writes ? GRAZE_ERROR_SPACE : GRAZE_ERROR_MEMORY);
        assert_int_equal(test_error_count, 1);
        assert_non_null(strstr(test_last_error, name));
        assert_int_equal(files_in_folder(false), 0);
        test_context_done(context);
    }
}

static void every_failure_leaves_nothing(void **state)
{
    (void)state;
    files_in_folder(true);
    double *positions = NULL;
    uint32_t *corners = NULL;
    graze_mesh_view view = make_grid(60, &positions, &corners);
    graze_object objects[3] = {
        {.name = "a", .group = "", .triangle_count = 3600},
        {.name = "b", .group = "g", .first_triangle = 3600, .triangle_count = 3600},
        {.name = "c",
         .group = "",
         .triangle_count = 3600,
         .matrix = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0},
         .placed = 1},
    };
    view.objects = objects;
    view.object_count = 3;
    static const char *const names[] = {"j.ply", "j.stl", "j.obj"};
    static const char *const packings[] = {"", ".gz", ".zst"};
    for (int format = 0; format < 3; ++format)
        for (int packing = 0; packing < 3; ++packing)
            for (uint32_t text = 0; text < 2; ++text) {
                graze_mesh_write_def def = graze_mesh_write_def_default();
                def.ascii = text;
                char name[32];
                snprintf(name, sizeof name, "%s%s", names[format], packings[packing]);
                fail_each(&view, name, &def, false);
                fail_each(&view, name, &def, true);
            }
    free(positions);
    free(corners);
}

// Sizes such that the last of the packed bytes sometimes overflow a buffer, sometimes not.
static void failures_at_the_end_leave_nothing(void **state)
{
    (void)state;
    files_in_folder(true);
    for (uint32_t side = 60; side < 200; side += 7) {
        double *positions = NULL;
        uint32_t *corners = NULL;
        graze_mesh_view view = make_grid(side, &positions, &corners);
        fail_each(&view, "k.ply.gz", NULL, true);
        fail_each(&view, "k.ply.zst", NULL, true);
        free(positions);
        free(corners);
    }
}

static int cancel_at_third(void *user) { return ++*(int *)user >= 3; }

static void cancelling_leaves_nothing(void **state)
{
    (void)state;
    files_in_folder(true);
    double *positions = NULL;
    uint32_t *corners = NULL;
    graze_mesh_view view = make_grid(60, &positions, &corners);
    static const char *const names[] = {"k.ply", "k.stl", "k.obj.gz"};
    for (int i = 0; i < 3; ++i) {
        int asked = 0;
        graze_context_def def = graze_context_def_default();
        def.user = &asked;
        def.cancel = cancel_at_third;
        graze_context *context = test_context(&def);
        assert_int_equal(graze_mesh_write(context, &view, in_folder(names[i]), NULL),
                         GRAZE_ERROR_CANCELLED);
        assert_int_equal(asked, 3);
        assert_int_equal(files_in_folder(false), 0);
        test_context_done(context);
    }
    free(positions);
    free(corners);
}

// What was there stays there until the new file is whole.
static void a_failure_keeps_the_old_file(void **state)
{
    (void)state;
    files_in_folder(true);
    graze_mesh_view view = square(0);
    graze_context *context = counting_context();
    FILE *file = fopen(in_folder("old.ply"), "w");
    assert_non_null(file);
    fputs("old", file);
    fclose(file);
    atomic_store(&gz_knobs_for(context)->writes_left, 0);
    assert_int_equal(graze_mesh_write(context, &view, in_folder("old.ply"), NULL),
                     GRAZE_ERROR_SPACE);
    check_content(in_folder("old.ply"), "old", 3);
    assert_int_equal(files_in_folder(true), 1);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_is_as_specified),
        cmocka_unit_test(stl_is_as_specified),
        cmocka_unit_test(obj_is_as_specified),
        cmocka_unit_test(names_are_kept_within_lines),
        cmocka_unit_test(losses_are_warned_of_once),
        cmocka_unit_test(matrices_are_applied_and_instances_copied),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(objects_may_come_in_any_order),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(binary_stl_keeps_one_name),
        cmocka_unit_test(packing_is_deterministic),
        cmocka_unit_test(every_failure_leaves_nothing),
        cmocka_unit_test(failures_at_the_end_leave_nothing),
        cmocka_unit_test(cancelling_leaves_nothing),
        cmocka_unit_test(a_failure_keeps_the_old_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
