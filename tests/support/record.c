// The recording sink. See record.h.
#include "record.h"

#include <stdlib.h>

// Room for powers of two: sanitizers copy at each call, and batches may be of one item.
static uint64_t room_for(uint64_t count)
{
    uint64_t room = count == 0 ? 0 : 1;
    while (room < count)
        room *= 2;
    return room;
}

static void *grow(void *items, uint64_t count, uint64_t more, size_t item_bytes)
{
    uint64_t room = room_for(count + more);
    return room == room_for(count) ? items : realloc(items, (size_t)room * item_bytes);
}

static graze_status record_begin(void *user, const graze_mesh_header *header)
{
    record *r = user;
    assert_int_equal(r->begun++, 0);
    r->header = *header;
    snprintf(r->encoding, sizeof r->encoding, "%s", header->encoding);
    r->header.encoding = r->encoding;
    assert_true(header->precision == GRAZE_FLOAT32 || header->precision == GRAZE_FLOAT64);
    return GRAZE_OK;
}

static graze_status record_vertices(void *user, const void *positions, uint64_t count)
{
    record *r = user;
    assert_int_equal(r->begun, 1);
    assert_int_equal(r->ended, 0);
    assert_true(count > 0);
    r->positions = grow(r->positions, r->vertex_count, count, sizeof(double[3]));
    for (uint64_t i = 0; i < 3 * count; ++i)
        r->positions[3 * r->vertex_count + i] = r->header.precision == GRAZE_FLOAT32
                                                    ? (double)((const float *)positions)[i]
                                                    : ((const double *)positions)[i];
    r->vertex_count += count;
    return GRAZE_OK;
}

static graze_status record_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    record *r = user;
    assert_int_equal(r->begun, 1);
    assert_int_equal(r->ended, 0);
    assert_true(count > 0);
    for (uint64_t i = 0; i < 3 * count; ++i)
        assert_true(corners[i] < r->vertex_count);
    r->corners = grow(r->corners, r->triangle_count, count, sizeof(uint64_t[3]));
    memcpy(r->corners + 3 * r->triangle_count, corners, (size_t)count * sizeof(uint64_t[3]));
    r->triangle_count += count;
    return GRAZE_OK;
}

static graze_status record_object_call(void *user, const graze_object *object)
{
    record *r = user;
    assert_int_equal(r->begun, 1);
    assert_int_equal(r->ended, 0);
    assert_true(object->first_triangle + object->triangle_count <= r->triangle_count);
    r->objects = grow(r->objects, r->object_count, 1, sizeof *r->objects);
    record_object *kept = &r->objects[r->object_count++];
    kept->object = *object;
    kept->object.name = kept->name = strdup(object->name);
    kept->object.group = kept->group = strdup(object->group);
    return GRAZE_OK;
}

static graze_status record_end(void *user, const graze_mesh_losses *losses)
{
    record *r = user;
    assert_int_equal(r->begun, 1);
    assert_int_equal(r->ended++, 0);
    r->losses = *losses;
    return GRAZE_OK;
}

static graze_status record_position(void *user, uint64_t vertex, double out[3])
{
    record *r = user;
    assert_true(vertex < r->vertex_count);
    memcpy(out, r->positions + 3 * vertex, sizeof(double[3]));
    return GRAZE_OK;
}

graze_mesh_sink record_sink(record *r)
{
    return (graze_mesh_sink){
        .user = r,
        .begin = record_begin,
        .vertices = record_vertices,
        .triangles = record_triangles,
        .object = record_object_call,
        .end = record_end,
        .position = r->without_position ? NULL : record_position,
    };
}

void record_free(record *r)
{
    free(r->positions);
    free(r->corners);
    for (uint64_t i = 0; i < r->object_count; ++i) {
        free(r->objects[i].name);
        free(r->objects[i].group);
    }
    free(r->objects);
    *r = (record){0};
}

graze_status record_read(graze_context *context, const char *name, const void *bytes,
                         uint64_t byte_count, graze_format format, record *r)
{
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.format = format;
    graze_mesh_sink sink = record_sink(r);
    graze_status status = graze_mesh_stream_memory(context, name, bytes, byte_count, &def, &sink);
    if (status == GRAZE_OK)
        assert_int_equal(r->ended, 1);
    return status;
}

graze_status record_read_text(graze_context *context, const char *name, const char *text, record *r)
{
    return record_read(context, name, text, strlen(text), GRAZE_FORMAT_UNKNOWN, r);
}

void record_check_vertices(const record *r, uint64_t count, const double *positions)
{
    assert_int_equal(r->vertex_count, count);
    for (uint64_t i = 0; i < 3 * count; ++i)
        if (memcmp(&r->positions[i], &positions[i], sizeof(double)) != 0)
            fail_msg("coordinate %d of vertex %d is %.17g, not %.17g", (int)(i % 3), (int)(i / 3),
                     r->positions[i], positions[i]);
}

void record_check_triangles(const record *r, uint64_t count, const uint64_t *corners)
{
    assert_int_equal(r->triangle_count, count);
    for (uint64_t i = 0; i < 3 * count; ++i)
        if (r->corners[i] != corners[i])
            fail_msg("corner %d of triangle %d is %d, not %d", (int)(i % 3), (int)(i / 3),
                     (int)r->corners[i], (int)corners[i]);
}
