// See models.h.
#include "models.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shapes.h"

static char folder[] = "/tmp/graze-models-XXXXXX";

int models_enter(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

int models_leave(void **state)
{
    (void)state;
    return rmdir(folder);
}

const char *models_path(char path[MODEL_PATH_BYTES], const char *name)
{
    snprintf(path, MODEL_PATH_BYTES, "%s/%s", folder, name);
    return path;
}

bool models_exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

uint32_t models_file_count(void)
{
    uint32_t count = 0;
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry = readdir(all); entry != NULL; entry = readdir(all))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(all);
    return count;
}

void models_write(const graze_mesh_view *view, const char *path)
{
    graze_context *context = test_context(NULL);
    assert_int_equal(graze_mesh_write(context, view, path, NULL), GRAZE_OK);
    test_context_done(context);
}

void models_write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

void models_make(const char *kind, uint64_t triangle_count, graze_precision precision,
                 const char *path)
{
    graze_context *context = test_context(NULL);
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    assert_int_equal(graze_mesh_writer_open(context, path, NULL, &sink, &writer), GRAZE_OK);
    generator_shape_def shape = {
        .kind = kind, .triangle_count = triangle_count, .precision = precision};
    assert_int_equal(generator_shape_stream(&shape, &sink), GRAZE_OK);
    assert_int_equal(graze_mesh_writer_commit(writer), GRAZE_OK);
    test_context_done(context);
}

uint8_t *models_read_file(const char *path, uint64_t *byte_count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *byte_count = (uint64_t)ftell(file);
    rewind(file);
    uint8_t *bytes = test_malloc(*byte_count + 1);
    assert_int_equal(fread(bytes, 1, *byte_count, file), *byte_count);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

void models_copy(const char *from, const char *to)
{
    uint64_t count = 0;
    uint8_t *bytes = models_read_file(from, &count);
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, (size_t)count, file), count);
    assert_int_equal(fclose(file), 0);
    test_free(bytes);
}

static void compare_triangles(const graze_mesh_view *flat, const record *got)
{
    assert_int_equal(got->triangle_count, flat->triangle_count);
    for (uint64_t t = 0; t < flat->triangle_count; ++t)
        for (uint32_t c = 0; c < 3; ++c) {
            double expected[3];
            graze_mesh_view_corner(flat, t, c, expected);
            assert_true(got->corners[3 * t + c] < got->vertex_count);
            if (memcmp(expected, got->positions + 3 * got->corners[3 * t + c], sizeof expected) !=
                0)
                fail_msg("corner %d of triangle %d is another one", (int)c, (int)t);
        }
}

static void compare_objects(const graze_mesh_view *flat, const record *got)
{
    assert_int_equal(got->object_count, flat->object_count);
    for (uint64_t i = 0; i < flat->object_count; ++i) {
        const graze_object *a = &flat->objects[i], *b = &got->objects[i].object;
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->group, b->group);
        assert_int_equal(a->first_triangle, b->first_triangle);
        assert_int_equal(a->triangle_count, b->triangle_count);
        assert_int_equal(b->placed, 0);
        assert_memory_equal(a->matrix, b->matrix, sizeof a->matrix);
    }
}

static void compare_info(const graze_mesh_view *flat, graze_model *model)
{
    graze_model_info info = graze_model_get_info(model);
    graze_box box = graze_box_empty();
    for (uint64_t i = 0; i < 3 * flat->triangle_count; ++i) {
        double corner[3];
        graze_mesh_view_corner(flat, i / 3, (uint32_t)(i % 3), corner);
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = corner[axis] < box.min[axis] ? corner[axis] : box.min[axis];
            box.max[axis] = corner[axis] > box.max[axis] ? corner[axis] : box.max[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis)
        assert_true(info.box.min[axis] == box.min[axis] && info.box.max[axis] == box.max[axis]);
    assert_int_equal(info.triangle_count, flat->triangle_count);
    assert_int_equal(info.object_count, flat->object_count);
    assert_int_equal(info.precision, flat->precision);
    assert_true(info.metres_per_unit == flat->metres_per_unit);
    assert_true(info.cluster_count >= (flat->triangle_count + 1023) / 1024);
    graze_model_report report;
    assert_int_equal(graze_model_check(model, &report), GRAZE_OK);
    assert_int_equal(report.pages_checked, info.page_count);
    assert_int_equal(report.pages_damaged, 0);
    assert_int_equal(report.triangles_found, info.triangle_count);
}

void models_compare(graze_context *context, const char *mesh_path, const char *model_path)
{
    graze_mesh *mesh = NULL, *flat = NULL;
    graze_model *model = NULL;
    record got = {0};
    assert_int_equal(graze_mesh_read(context, mesh_path, NULL, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_int_equal(graze_mesh_flatten(context, &view, &flat), GRAZE_OK);
    view = graze_mesh_get(flat);
    assert_int_equal(graze_model_open(context, model_path, &model), GRAZE_OK);
    compare_info(&view, model);
    graze_mesh_sink sink = record_sink(&got);
    assert_int_equal(graze_model_stream(model, 0, &sink), GRAZE_OK);
    assert_int_equal(got.ended, 1);
    assert_int_equal(got.header.precision, view.precision);
    assert_true(got.header.metres_per_unit == view.metres_per_unit);
    assert_int_equal(got.header.vertex_count_hint, got.vertex_count);
    assert_int_equal(got.header.triangle_count_hint, got.triangle_count);
    graze_mesh_losses losses = graze_mesh_get_losses(mesh);
    assert_memory_equal(&losses, &got.losses, sizeof losses);
    compare_triangles(&view, &got);
    compare_objects(&view, &got);
    record_free(&got);
    graze_model_free(model);
    graze_mesh_free(flat);
    graze_mesh_free(mesh);
}

void models_round_trip(const char *mesh_path, const graze_model_build_def *def, const char *keep)
{
    graze_context *context = test_context(NULL);
    char path[MODEL_PATH_BYTES];
    if (keep == NULL)
        models_path(path, "round.graze");
    else
        snprintf(path, sizeof path, "%s", keep);
    graze_status status = graze_model_build(context, mesh_path, path, def);
    if (status != GRAZE_OK)
        fail_msg("%s", test_last_error);
    models_compare(context, mesh_path, path);
    if (keep == NULL)
        unlink(path);
    test_context_done(context);
}
