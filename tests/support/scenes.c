// See scenes.h.
#include "scenes.h"

#include <math.h>
#include <stdlib.h>

static void *grow(void *block, uint64_t count, size_t item_bytes)
{
    void *grown = realloc(block, (size_t)(count + 1) * item_bytes);
    assert_non_null(grown);
    return grown;
}

static void add_vertex(scenes_mesh *mesh, const double at[3])
{
    mesh->positions = grow(mesh->positions, mesh->vertex_count, 3 * sizeof(double));
    for (int axis = 0; axis < 3; ++axis)
        mesh->positions[3 * mesh->vertex_count + (uint64_t)axis] = (double)(float)at[axis];
    mesh->vertex_count++;
}

static void add_triangle(scenes_mesh *mesh, uint64_t a, uint64_t b, uint64_t c)
{
    mesh->corners = grow(mesh->corners, mesh->triangle_count, 3 * sizeof(uint32_t));
    uint32_t *corners = mesh->corners + 3 * mesh->triangle_count++;
    corners[0] = (uint32_t)a;
    corners[1] = (uint32_t)b;
    corners[2] = (uint32_t)c;
}

static void set_matrix(graze_object *object, test_random *random, scenes_matrix kind)
{
    double axis[3] = {test_unit(random) - 0.5, test_unit(random) - 0.5, test_unit(random) + 0.1};
    double shift[3] = {20 * test_unit(random), 20 * test_unit(random), 20 * test_unit(random)};
    graze_pose pose;
    double angle = kind == SCENES_SHIFT ? 0 : 1 + 4 * test_unit(random);
    assert_int_equal(graze_pose_from_axis(axis, angle, shift, &pose), GRAZE_OK);
    const double stretch[SCENES_MATRICES][3] = {
        [SCENES_PLAIN] = {1, 1, 1},   [SCENES_SHIFT] = {1, 1, 1},  [SCENES_RIGID] = {1, 1, 1},
        [SCENES_ROUNDED] = {1, 1, 1}, [SCENES_SCALED] = {2, 2, 2}, [SCENES_MIRROR] = {-1, 1, 1},
        [SCENES_SHEAR] = {1, 3, 1}};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double m = pose.rotation[3 * row + column] * stretch[kind][column];
            object->matrix[4 * row + column] = kind == SCENES_ROUNDED ? (double)(float)m : m;
        }
        object->matrix[4 * row + 3] = pose.translation[row];
    }
    object->placed = kind != SCENES_PLAIN;
    if (!object->placed)
        for (int i = 0; i < 12; ++i)
            object->matrix[i] = i % 5 == 0;
}

static void add_object(scenes_mesh *mesh, test_random *random, uint64_t first, uint64_t count,
                       const char *name, scenes_matrix matrix)
{
    mesh->objects = grow(mesh->objects, mesh->object_count, sizeof *mesh->objects);
    graze_object *object = &mesh->objects[mesh->object_count++];
    *object =
        (graze_object){.name = name, .group = "", .first_triangle = first, .triangle_count = count};
    set_matrix(object, random, matrix);
}

void scenes_add_ball(scenes_mesh *mesh, test_random *random, uint64_t triangle_count,
                     const double at[3], bool open, const char *name, scenes_matrix matrix)
{
    uint64_t rings = 2, first = mesh->triangle_count, base = mesh->vertex_count;
    while (2 * (rings + 1) * (rings + 1) <= triangle_count)
        ++rings;
    uint64_t around = triangle_count < 6 ? 3 : rings + 1;
    const double pi = 3.14159265358979;
    for (uint64_t i = 1; i < rings; ++i)
        for (uint64_t k = 0; k < around; ++k) {
            double up = pi * (double)i / (double)rings, turn = 2 * pi * (double)k / (double)around;
            double radius = 1 + 0.05 * test_unit(random);
            add_vertex(mesh, (const double[]){at[0] + radius * sin(up) * cos(turn),
                                              at[1] + radius * sin(up) * sin(turn),
                                              at[2] + radius * cos(up)});
        }
    uint64_t top = mesh->vertex_count, bottom = top + 1;
    add_vertex(mesh, (const double[]){at[0], at[1], at[2] + 1});
    add_vertex(mesh, (const double[]){at[0], at[1], at[2] - 1});
    for (uint64_t k = 0; k < around; ++k) {
        uint64_t next = (k + 1) % around, last = base + (rings - 2) * around;
        add_triangle(mesh, top, base + k, base + next);
        if (!open || k != 0)
            add_triangle(mesh, bottom, last + next, last + k);
        for (uint64_t i = 0; i + 2 < rings; ++i) {
            uint64_t a = base + i * around, b = a + around;
            add_triangle(mesh, a + k, b + k, b + next);
            add_triangle(mesh, a + k, b + next, a + next);
        }
    }
    add_object(mesh, random, first, mesh->triangle_count - first, name, matrix);
}

void scenes_add_instance(scenes_mesh *mesh, test_random *random, uint64_t of, const char *name,
                         scenes_matrix matrix)
{
    add_object(mesh, random, mesh->objects[of].first_triangle, mesh->objects[of].triangle_count,
               name, matrix);
}

void scenes_write(const scenes_mesh *mesh, const char *path)
{
    float *narrow = test_malloc((mesh->vertex_count + 1) * 3 * sizeof *narrow);
    for (uint64_t i = 0; i < 3 * mesh->vertex_count; ++i)
        narrow[i] = (float)mesh->positions[i];
    bool wide = mesh->precision == GRAZE_FLOAT64;
    graze_mesh_view view = {.precision = wide ? GRAZE_FLOAT64 : GRAZE_FLOAT32,
                            .metres_per_unit = 1,
                            .vertex_count = mesh->vertex_count,
                            .triangle_count = mesh->triangle_count,
                            .object_count = mesh->object_count,
                            .positions = wide ? (const void *)mesh->positions : narrow,
                            .corners = mesh->corners,
                            .objects = mesh->objects};
    models_write(&view, path);
    test_free(narrow);
}

void scenes_free(scenes_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->corners);
    free(mesh->objects);
    *mesh = (scenes_mesh){0};
}

void scenes_make(uint64_t seed, uint64_t most_triangles, scenes_mesh *mesh)
{
    static const char *const names[] = {"tank", "pump", "pipe", "pipe", "wall", "hatch", "beam"};
    test_random random = {seed};
    *mesh = (scenes_mesh){.precision = GRAZE_FLOAT32};
    for (uint64_t i = 0; i < 14; ++i) {
        double at[3] = {4 * test_unit(&random), 4 * test_unit(&random), 4 * test_unit(&random)};
        uint64_t count = i == 0 ? most_triangles : 6 + test_next(&random) % most_triangles;
        scenes_add_ball(mesh, &random, count, at, i % 5 == 3, names[i % 7],
                        (scenes_matrix)(i % SCENES_MATRICES));
    }
    for (uint64_t i = 0; i < 10; ++i)
        scenes_add_instance(mesh, &random, test_next(&random) % 14, names[i % 7],
                            (scenes_matrix)(i % SCENES_MATRICES));
    // Two that have the same triangles, each its own.
    for (int i = 0; i < 2; ++i) {
        test_random same = {seed + 1};
        scenes_add_ball(mesh, &same, 50, (const double[]){1, 2, 3}, false, "twin",
                        i == 0 ? SCENES_PLAIN : SCENES_RIGID);
    }
}

graze_status scenes_build(graze_context *context, const char *mesh_path, const char *scene_path,
                          uint64_t memory_bytes, bool no_levels)
{
    graze_scene_build_def def = graze_scene_build_def_default();
    def.memory_bytes = memory_bytes;
    def.no_levels = no_levels;
    graze_scene_source source = {.path = mesh_path};
    return graze_scene_build(context, &source, 1, scene_path, &def);
}

static void compare_object(gz_scene_file *file, uint32_t number, const graze_mesh_view *flat,
                           const graze_object *expected)
{
    gz_file_object object = gz_scene_file_object(file, number);
    gz_body_info body = gz_scene_file_body(file, object.body);
    const graze_shape *shape = NULL;
    record got = {0};
    graze_mesh_sink sink = record_sink(&got);
    assert_string_equal(object.name, expected->name);
    assert_string_equal(object.group, expected->group);
    assert_int_equal(body.triangle_count, expected->triangle_count);
    assert_int_equal(gz_scene_file_pin(file, object.body, &shape), GRAZE_OK);
    assert_int_equal(graze_model_stream(gz_scene_file_model(file, object.body), 0, &sink),
                     GRAZE_OK);
    assert_int_equal(got.triangle_count, expected->triangle_count);
    assert_int_equal(got.header.precision, body.precision);
    for (uint64_t i = 0; i < 3 * got.triangle_count; ++i) {
        double here[3], there[3];
        graze_pose_apply(&object.pose, got.positions + 3 * got.corners[i], here);
        graze_mesh_view_corner(flat, expected->first_triangle + i / 3, (uint32_t)(i % 3), there);
        for (int axis = 0; axis < 3; ++axis) {
            if (here[axis] != there[axis])
                fail_msg("object %d (%s), corner %d: %.17g is %.17g", (int)number, object.name,
                         (int)i, there[axis], here[axis]);
            assert_true(got.positions[3 * got.corners[i] + (uint64_t)axis] >= body.box.min[axis]);
            assert_true(got.positions[3 * got.corners[i] + (uint64_t)axis] <= body.box.max[axis]);
        }
    }
    gz_scene_file_unpin(file, object.body);
    record_free(&got);
}

void scenes_compare(graze_context *context, const char *mesh_path, gz_scene_file *file,
                    uint32_t first)
{
    graze_mesh *mesh = NULL, *flat = NULL;
    assert_int_equal(graze_mesh_read(context, mesh_path, NULL, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_int_equal(graze_mesh_flatten(context, &view, &flat), GRAZE_OK);
    view = graze_mesh_get(flat);
    assert_true(gz_scene_file_get_info(file).object_count >= first + view.object_count);
    for (uint64_t i = 0; i < view.object_count; ++i)
        compare_object(file, first + (uint32_t)i, &view, &view.objects[i]);
    graze_mesh_free(flat);
    graze_mesh_free(mesh);
}
