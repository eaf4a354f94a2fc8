// Keeps what a reader delivers, and checks the order that sinks are promised. See collect.h.
#include "collect.h"

#include <stdlib.h>

uint32_t collected_errors, collected_warnings;
char collected_warning[2048];

static void take_message(void *user, graze_log_level level, const char *sentence)
{
    (void)user;
    if (level == GRAZE_LOG_WARNING) {
        ++collected_warnings;
        snprintf(collected_warning, sizeof collected_warning, "%s", sentence);
    } else if (level == GRAZE_LOG_ERROR) {
        ++collected_errors;
        snprintf(test_last_error, sizeof test_last_error, "%s", sentence);
    }
}

graze_context *collecting_context(void)
{
    graze_context_def def = graze_context_def_default();
    def.log = take_message;
    collected_errors = collected_warnings = 0;
    collected_warning[0] = '\0';
    return test_context(&def);
}

static void *grow(void *array, uint64_t old_count, uint64_t more, size_t item_bytes)
{
    void *grown = realloc(array, (size_t)(old_count + more) * item_bytes + 1);
    assert_non_null(grown);
    return grown;
}

static graze_status take_header(void *user, const graze_mesh_header *header)
{
    collected *data = user;
    assert_int_equal(data->header.precision, 0); // comes once
    data->header = *header;
    snprintf(data->encoding, sizeof data->encoding, "%s", header->encoding);
    data->header.encoding = data->encoding;
    return GRAZE_OK;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    collected *data = user;
    assert_int_not_equal(data->header.precision, 0);
    data->positions = grow(data->positions, data->vertex_count, count, 3 * sizeof(double));
    for (uint64_t i = 0; i < 3 * count; ++i)
        data->positions[3 * data->vertex_count + i] = data->header.precision == GRAZE_FLOAT32
                                                          ? (double)((const float *)positions)[i]
                                                          : ((const double *)positions)[i];
    data->vertex_count += count;
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    collected *data = user;
    data->corners = grow(data->corners, data->triangle_count, count, 3 * sizeof(uint64_t));
    for (uint64_t i = 0; i < 3 * count; ++i) {
        assert_true(corners[i] < data->vertex_count);
        data->corners[3 * data->triangle_count + i] = corners[i];
    }
    data->triangle_count += count;
    return GRAZE_OK;
}

static graze_status take_object(void *user, const graze_object *object)
{
    collected *data = user;
    data->objects = grow(data->objects, data->object_count, 1, sizeof *data->objects);
    collected_object *kept = &data->objects[data->object_count++];
    snprintf(kept->name, sizeof kept->name, "%s", object->name);
    snprintf(kept->group, sizeof kept->group, "%s", object->group);
    kept->first_triangle = object->first_triangle;
    kept->triangle_count = object->triangle_count;
    assert_true(object->first_triangle + object->triangle_count <= data->triangle_count);
    return GRAZE_OK;
}

static graze_status take_end(void *user, const graze_mesh_losses *losses)
{
    collected *data = user;
    assert_false(data->ended);
    data->losses = *losses;
    data->ended = true;
    return GRAZE_OK;
}

static graze_mesh_sink collecting_sink(collected *out)
{
    *out = (collected){.vertex_count = 0};
    return (graze_mesh_sink){
        .user = out,
        .begin = take_header,
        .vertices = take_vertices,
        .triangles = take_triangles,
        .object = take_object,
        .end = take_end,
    };
}

graze_status collect_memory(graze_context *context, const char *name, const void *bytes,
                            uint64_t byte_count, graze_format format, collected *out)
{
    graze_mesh_sink sink = collecting_sink(out);
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.format = format;
    return graze_mesh_stream_memory(context, name, bytes, byte_count, &def, &sink);
}

graze_status collect_file(graze_context *context, const char *path, collected *out)
{
    graze_mesh_sink sink = collecting_sink(out);
    return graze_mesh_stream(context, path, NULL, &sink);
}

void collected_free(collected *data)
{
    free(data->positions);
    free(data->corners);
    free(data->objects);
    *data = (collected){.vertex_count = 0};
}

const double *collected_corner(const collected *data, uint64_t triangle, uint32_t corner)
{
    assert_true(triangle < data->triangle_count && corner < 3);
    return data->positions + 3 * data->corners[3 * triangle + corner];
}
