// The stream between readers and sinks. See stream.h for what it promises.
//
// Data take the short way as long as they are plain: a batch of triangles costs one pass for its
// largest vertex number, and one copy. What is not plain is dealt with where it first shows:
//   - Vertices that are not finite set bits in a set made for the first of them.
//   - A triangle that names a vertex still to come makes the stream hold back everything but
//     vertices, in order, as records in a spill, until the named vertices have come.
//   - Polygons fetch their corners from the sink or from the stream's own copy, also a spill.
#include "mesh/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "mesh/collect.h"
#include "mesh/pages.h"
#include "mesh/polygon.h"

#define BATCH          4096u
#define DIRECT         512u // so many at once go to the sink without being gathered
#define SENTENCE_BYTES 512u
#define SPILL_MEMORY   (UINT64_C(1) << 24) // what is kept beyond this goes to disk

struct gz_stream {
    graze_context *context;
    const char *path;
    graze_mesh_sink sink;
    graze_mesh *mesh; // the sink, if it is one
    graze_precision precision;
    uint32_t vertex_bytes;
    uint64_t vertex_count;    // that have come, the batch included
    uint64_t triangle_count;  // that went on, the batch included
    uint64_t number_of_first; // vertex in the file's own counting, for messages
    bool vertices_done;
    graze_mesh_losses losses;

    uint64_t *nonfinite; // a bit a vertex, up to the last that is not finite
    uint64_t nonfinite_words;

    bool keep_positions;
    gz_spill positions;
    gz_pages position_pages;
    gz_cutter cutter;
    gz_point_list polygon_points;
    gz_index_list polygon_triangles;
    bool warned_of_tangles;

    bool holding;
    uint64_t held_vertex;    // the largest that is named
    uint64_t held_triangles; // as far as they can be counted before they are cut
    gz_spill held;
    gz_pages held_pages;
    gz_byte_list held_record;

    bool own_objects;        // the reader describes objects itself
    uint64_t object_count;   // that went on
    uint64_t first_triangle; // of the object that is open
    char *object_name, *object_group;

    uint32_t batch_vertices, batch_triangles;
    uint64_t batch_corners[BATCH * 3];
    unsigned char batch_positions[BATCH * 3 * sizeof(double)];
};

static graze_status out_of_memory(gz_stream *stream, const char *what)
{
    return gz_fail(stream->context, GRAZE_ERROR_MEMORY, "%s: out of memory for %s", stream->path,
                   what);
}

static graze_status fail_at(gz_stream *stream, uint64_t offset, graze_status status,
                            const char *sentence)
{
    return gz_fail(stream->context, status, "%s: byte %" PRIu64 ": %s", stream->path, offset,
                   sentence);
}

graze_status gz_stream_open(graze_context *context, const char *path, const graze_mesh_sink *sink,
                            gz_stream **stream)
{
    *stream = NULL;
    gz_stream *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory while opening the file",
                       path);
    memset(made, 0, offsetof(gz_stream, batch_corners));
    made->context = context;
    made->path = path;
    made->sink = *sink;
    made->mesh = gz_mesh_of_sink(sink);
    made->positions = gz_spill_make(context, SPILL_MEMORY);
    made->held = gz_spill_make(context, SPILL_MEMORY);
    made->object_name = gz_string_copy(context, "");
    made->object_group = gz_string_copy(context, "");
    if (made->object_name == NULL || made->object_group == NULL) {
        graze_status status = out_of_memory(made, "names");
        gz_stream_close(made);
        return status;
    }
    *stream = made;
    return GRAZE_OK;
}

void gz_stream_close(gz_stream *stream)
{
    if (stream == NULL)
        return;
    graze_context *context = stream->context;
    GZ_FREE_ARRAY(context, stream->nonfinite, stream->nonfinite_words);
    gz_spill_free(&stream->positions);
    gz_spill_free(&stream->held);
    gz_pages_free(context, &stream->position_pages);
    gz_pages_free(context, &stream->held_pages);
    gz_list_free(context, &stream->held_record);
    gz_list_free(context, &stream->polygon_points);
    gz_list_free(context, &stream->polygon_triangles);
    gz_cutter_free(context, &stream->cutter);
    gz_string_free(context, stream->object_name);
    gz_string_free(context, stream->object_group);
    gz_release(context, stream, sizeof *stream);
}

graze_status gz_stream_begin(gz_stream *stream, const graze_mesh_header *header, bool polygons)
{
    stream->precision = header->precision;
    stream->number_of_first = header->format == GRAZE_FORMAT_OBJ ? 1 : 0;
    stream->vertex_bytes = 3 * (uint32_t)header->precision;
    stream->keep_positions = polygons && stream->sink.position == NULL;
    return stream->sink.begin != NULL ? stream->sink.begin(stream->sink.user, header) : GRAZE_OK;
}

// To the sink.

static graze_status flush_vertices(gz_stream *stream)
{
    uint32_t count = stream->batch_vertices;
    stream->batch_vertices = 0;
    if (count == 0 || stream->sink.vertices == NULL)
        return GRAZE_OK;
    return stream->sink.vertices(stream->sink.user, stream->batch_positions, count);
}

static graze_status flush_triangles(gz_stream *stream)
{
    graze_status status = flush_vertices(stream); // a triangle names only what has arrived
    uint32_t count = stream->batch_triangles;
    stream->batch_triangles = 0;
    if (status != GRAZE_OK || count == 0 || stream->sink.triangles == NULL)
        return status;
    return stream->sink.triangles(stream->sink.user, stream->batch_corners, count);
}

// Triangles whose vertices are all there and finite.
static graze_status pass_triangles(gz_stream *stream, const uint64_t *corners, uint64_t count)
{
    stream->triangle_count += count;
    graze_status status = GRAZE_OK;
    if (count >= DIRECT) {
        status = flush_triangles(stream);
        if (status != GRAZE_OK || stream->sink.triangles == NULL)
            return status;
        return stream->sink.triangles(stream->sink.user, corners, count);
    }
    while (status == GRAZE_OK && count != 0) {
        uint64_t room = BATCH - stream->batch_triangles;
        uint64_t step = count < room ? count : room;
        memcpy(stream->batch_corners + 3 * (size_t)stream->batch_triangles, corners,
               (size_t)step * 3 * sizeof *corners);
        stream->batch_triangles += (uint32_t)step;
        corners += 3 * step;
        count -= step;
        if (stream->batch_triangles == BATCH)
            status = flush_triangles(stream);
    }
    return status;
}

static graze_status pass_object(gz_stream *stream, const graze_object *object)
{
    graze_status status = flush_triangles(stream);
    stream->object_count++;
    if (status == GRAZE_OK && stream->sink.object != NULL)
        status = stream->sink.object(stream->sink.user, object);
    return status;
}

// Vertices that are not finite.

static bool is_nonfinite(const gz_stream *stream, uint64_t vertex)
{
    return vertex / 64 < stream->nonfinite_words &&
           (stream->nonfinite[vertex / 64] >> (vertex % 64) & 1) != 0;
}

static graze_status mark_nonfinite(gz_stream *stream, uint64_t vertex)
{
    uint64_t words = vertex / 64 + 1;
    if (words > stream->nonfinite_words) {
        uint64_t generous = words + stream->nonfinite_words / 2;
        uint64_t *grown = gz_resize_array(stream->context, stream->nonfinite,
                                          stream->nonfinite_words, generous, sizeof *grown);
        if (grown == NULL)
            return out_of_memory(stream, "vertices that are not finite");
        memset(grown + stream->nonfinite_words, 0,
               (size_t)(generous - stream->nonfinite_words) * sizeof *grown);
        stream->nonfinite = grown;
        stream->nonfinite_words = generous;
    }
    stream->nonfinite[vertex / 64] |= UINT64_C(1) << (vertex % 64);
    stream->losses.nonfinite_vertices++;
    return GRAZE_OK;
}

// An exponent of all ones is an infinity or a NaN. In integers, so that compilers may go wide.
static bool all_finite_floats(const uint32_t *bits, uint64_t count)
{
    uint32_t bad = 0;
    for (uint64_t i = 0; i < count; ++i)
        bad |= (bits[i] & 0x7f800000u) == 0x7f800000u;
    return bad == 0;
}

static bool all_finite_doubles(const uint64_t *bits, uint64_t count)
{
    uint64_t bad = 0;
    for (uint64_t i = 0; i < count; ++i)
        bad |= (bits[i] & UINT64_C(0x7ff0000000000000)) == UINT64_C(0x7ff0000000000000);
    return bad == 0;
}

static bool all_finite(const gz_stream *stream, const void *positions, uint64_t vertices)
{
    return stream->precision == GRAZE_FLOAT32 ? all_finite_floats(positions, 3 * vertices)
                                              : all_finite_doubles(positions, 3 * vertices);
}

// The next `count` vertices, aligned.
static graze_status find_nonfinite(gz_stream *stream, const unsigned char *positions,
                                   uint64_t count)
{
    if (all_finite(stream, positions, count))
        return GRAZE_OK;
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < count && status == GRAZE_OK; ++i)
        if (!all_finite(stream, positions + i * stream->vertex_bytes, 1))
            status = mark_nonfinite(stream, stream->vertex_count + i);
    return status;
}

// Triangles whose vertices are all there.
static graze_status sift_triangles(gz_stream *stream, const uint64_t *corners, uint64_t count)
{
    if (stream->nonfinite_words == 0)
        return pass_triangles(stream, corners, count);
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < count && status == GRAZE_OK; ++i) {
        const uint64_t *three = corners + 3 * i;
        if (is_nonfinite(stream, three[0]) || is_nonfinite(stream, three[1]) ||
            is_nonfinite(stream, three[2]))
            stream->losses.nonfinite_triangles++;
        else
            status = pass_triangles(stream, three, 1);
    }
    return status;
}

// Polygons.

static graze_status fetch_point(gz_stream *stream, uint64_t vertex, double out[3])
{
    if (stream->sink.position != NULL)
        return stream->sink.position(stream->sink.user, vertex, out);
    double position[3];
    graze_status status =
        gz_pages_read(&stream->position_pages, &stream->positions, vertex * stream->vertex_bytes,
                      position, stream->vertex_bytes);
    if (status != GRAZE_OK)
        return status;
    float narrow[3];
    memcpy(narrow, position, sizeof narrow);
    for (int k = 0; k < 3; ++k)
        out[k] = stream->precision == GRAZE_FLOAT32 ? (double)narrow[k] : position[k];
    return GRAZE_OK;
}

static graze_status fetch_points(gz_stream *stream, const uint64_t *corners, uint32_t count)
{
    graze_status status = flush_vertices(stream);
    gz_point_list *points = &stream->polygon_points;
    if (!gz_list_reserve(stream->context, points, count))
        return out_of_memory(stream, "a polygon");
    double(*point)[3] = points->items;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i)
        status = fetch_point(stream, corners[i], point[i]);
    return status;
}

static graze_status pass_cut_polygon(gz_stream *stream, const uint64_t *corners, uint32_t count)
{
    const uint32_t *local = stream->polygon_triangles.items;
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < count - 2 && status == GRAZE_OK; ++i, local += 3) {
        uint64_t three[3] = {corners[local[0]], corners[local[1]], corners[local[2]]};
        status = pass_triangles(stream, three, 1);
    }
    return status;
}

// A polygon whose vertices are all there. One that has a corner which is not finite has no shape:
// it is dropped as a whole.
static graze_status cut_polygon(gz_stream *stream, const uint64_t *corners, uint32_t count,
                                uint64_t offset)
{
    stream->losses.polygons++;
    for (uint32_t i = 0; i < count && stream->nonfinite_words != 0; ++i)
        if (is_nonfinite(stream, corners[i])) {
            stream->losses.nonfinite_triangles += count - 2;
            return GRAZE_OK;
        }
    graze_status status = fetch_points(stream, corners, count);
    if (status != GRAZE_OK)
        return status;
    if (!gz_list_reserve(stream->context, &stream->polygon_triangles, 3 * ((uint64_t)count - 2)) ||
        gz_polygon_cut(stream->context, &stream->cutter,
                       (const double(*)[3])stream->polygon_points.items, count,
                       stream->polygon_triangles.items) != GRAZE_OK)
        return out_of_memory(stream, "a polygon");
    if (stream->cutter.gave_up && !stream->warned_of_tangles) {
        stream->warned_of_tangles = true;
        gz_log(stream->context, GRAZE_LOG_WARNING,
               "%s: byte %" PRIu64 ": a polygon of %" PRIu32
               " corners is too tangled to be cut exactly; its triangles cover it and more",
               stream->path, offset, count);
    }
    return pass_cut_polygon(stream, corners, count);
}

// What is held back. Each record is followed by its bytes: corners, or strings.

typedef enum record_kind { HELD_TRIANGLES, HELD_FACE, HELD_START, HELD_OBJECT } record_kind;

typedef struct record {
    uint64_t kind, count, offset, stride, bytes;
} record;

static uint64_t largest_number(const uint64_t *corners, uint64_t count)
{
    uint64_t largest = 0;
    for (uint64_t i = 0; i < count; ++i)
        largest = corners[i] > largest ? corners[i] : largest;
    return largest;
}

// Of `count` corners, each three of which lie `stride` bytes apart, one is out of range.
static graze_status fail_range(gz_stream *stream, const uint64_t *corners, uint64_t count,
                               uint64_t offset, uint64_t stride)
{
    uint64_t i = 0;
    while (i + 1 < count && corners[i] < stream->vertex_count)
        ++i;
    offset += i / 3 * stride;
    return gz_fail(
        stream->context, GRAZE_ERROR_FORMAT,
        "%s: byte %" PRIu64 ": triangle names vertex %" PRIu64 ", but there are only %" PRIu64,
        stream->path, offset, corners[i] + stream->number_of_first, stream->vertex_count);
}

static graze_status hold(gz_stream *stream, const record *head, const void *payload)
{
    graze_status status = gz_spill_append(&stream->held, head, sizeof *head);
    if (status == GRAZE_OK)
        status = gz_spill_append(&stream->held, payload, head->bytes);
    return status;
}

static graze_status hold_corners(gz_stream *stream, record_kind kind, const uint64_t *corners,
                                 uint64_t corner_count, uint64_t offset, uint64_t stride)
{
    uint64_t largest = largest_number(corners, corner_count);
    if (largest > stream->held_vertex || !stream->holding)
        stream->held_vertex = largest;
    stream->holding = true;
    record head = {kind, corner_count, offset, stride, corner_count * sizeof *corners};
    return hold(stream, &head, corners);
}

// Pieces small enough to be read back through a small buffer.
static graze_status hold_triangles(gz_stream *stream, const uint64_t *corners, uint64_t count,
                                   uint64_t offset, uint64_t stride)
{
    graze_status status = GRAZE_OK;
    stream->held_triangles += count;
    while (count != 0 && status == GRAZE_OK) {
        uint64_t step = count < BATCH ? count : BATCH;
        status = hold_corners(stream, HELD_TRIANGLES, corners, 3 * step, offset, stride);
        corners += 3 * step;
        offset += step * stride;
        count -= step;
    }
    return status;
}

// The object in front, with its two strings behind it.
static graze_status hold_object(gz_stream *stream, record_kind kind, const graze_object *object)
{
    uint64_t name_bytes = strlen(object->name) + 1, group_bytes = strlen(object->group) + 1;
    gz_byte_list bytes = {0};
    unsigned char *room =
        gz_list_push(stream->context, &bytes, sizeof *object + name_bytes + group_bytes);
    if (room == NULL)
        return out_of_memory(stream, "names");
    memcpy(room, object, sizeof *object);
    memcpy(room + sizeof *object, object->name, (size_t)name_bytes);
    memcpy(room + sizeof *object + name_bytes, object->group, (size_t)group_bytes);
    record head = {kind, name_bytes, 0, 0, bytes.count};
    graze_status status = hold(stream, &head, room);
    gz_list_free(stream->context, &bytes);
    return status;
}

static graze_status start_object(gz_stream *stream, const char *name, const char *group);

static graze_status replay(gz_stream *stream, const record *head, const void *payload)
{
    const uint64_t *corners = payload;
    if (head->kind == HELD_TRIANGLES)
        return gz_stream_triangle_run(stream, corners, head->count / 3, head->offset, head->stride);
    if (head->kind == HELD_FACE)
        return gz_stream_face(stream, corners, head->count, head->offset);
    graze_object object;
    memcpy(&object, payload, sizeof object);
    object.name = (const char *)payload + sizeof object;
    object.group = object.name + head->count;
    if (head->kind == HELD_OBJECT)
        return pass_object(stream, &object);
    return start_object(stream, object.name, object.group);
}

// All vertices that the records name are there, or never will be.
static graze_status release_held(gz_stream *stream)
{
    stream->holding = false;
    stream->held_triangles = 0;
    graze_status status = GRAZE_OK;
    uint64_t offset = 0;
    while (status == GRAZE_OK && offset < stream->held.byte_count) {
        record head;
        status = gz_pages_read(&stream->held_pages, &stream->held, offset, &head, sizeof head);
        if (status != GRAZE_OK)
            return status;
        if (!gz_list_reserve(stream->context, &stream->held_record, head.bytes))
            return out_of_memory(stream, "triangles that come before their vertices");
        status = gz_pages_read(&stream->held_pages, &stream->held, offset + sizeof head,
                               stream->held_record.items, head.bytes);
        offset += sizeof head + head.bytes;
        if (status == GRAZE_OK)
            status = replay(stream, &head, stream->held_record.items);
    }
    gz_spill_free(&stream->held);
    gz_pages_free(stream->context, &stream->held_pages);
    stream->held = gz_spill_make(stream->context, SPILL_MEMORY);
    return status;
}

// From the reader.

// Checks and keeps the next vertices, which are aligned.
static graze_status take_vertices(gz_stream *stream, const unsigned char *positions, uint64_t count,
                                  bool finite)
{
    graze_status status = finite ? GRAZE_OK : find_nonfinite(stream, positions, count);
    if (status == GRAZE_OK && stream->keep_positions)
        status = gz_spill_append(&stream->positions, positions, count * stream->vertex_bytes);
    stream->vertex_count += count;
    return status;
}

static graze_status gather_vertices(gz_stream *stream, const unsigned char *from, uint64_t count)
{
    graze_status status = GRAZE_OK;
    while (count != 0 && status == GRAZE_OK) {
        uint64_t room = BATCH - stream->batch_vertices;
        uint32_t step = (uint32_t)(count < room ? count : room);
        size_t bytes = (size_t)step * stream->vertex_bytes;
        unsigned char *to =
            stream->batch_positions + (size_t)stream->batch_vertices * stream->vertex_bytes;
        memcpy(to, from, bytes);
        status = take_vertices(stream, to, step, false);
        stream->batch_vertices += step;
        from += bytes;
        count -= step;
        if (status == GRAZE_OK && stream->batch_vertices == BATCH)
            status = flush_vertices(stream);
    }
    return status;
}

static graze_status pass_vertices(gz_stream *stream, const unsigned char *positions, uint64_t count,
                                  bool finite)
{
    graze_status status = flush_vertices(stream);
    if (status == GRAZE_OK)
        status = take_vertices(stream, positions, count, finite);
    if (status == GRAZE_OK && stream->sink.vertices != NULL)
        status = stream->sink.vertices(stream->sink.user, positions, count);
    return status;
}

static graze_status release_if_there(gz_stream *stream)
{
    bool there = stream->holding && stream->held_vertex < stream->vertex_count;
    return there ? release_held(stream) : GRAZE_OK;
}

static graze_status add_vertices(gz_stream *stream, const void *positions, uint64_t count,
                                 bool finite)
{
    GZ_ASSERT(!stream->vertices_done && stream->vertex_bytes != 0);
    bool direct = count >= DIRECT && (uintptr_t)positions % sizeof(double) == 0;
    graze_status status = direct ? pass_vertices(stream, positions, count, finite)
                                 : gather_vertices(stream, positions, count);
    return status == GRAZE_OK ? release_if_there(stream) : status;
}

graze_status gz_stream_vertices(gz_stream *stream, const void *positions, uint64_t count)
{
    return add_vertices(stream, positions, count, false);
}

graze_status gz_stream_finite_vertices(gz_stream *stream, const void *positions, uint64_t count)
{
    return add_vertices(stream, positions, count, true);
}

uint64_t gz_stream_vertex_count(const gz_stream *stream) { return stream->vertex_count; }

graze_status gz_stream_vertices_done(gz_stream *stream)
{
    stream->vertices_done = true;
    return stream->holding ? release_held(stream) : GRAZE_OK;
}

graze_status gz_stream_triangle_run(gz_stream *stream, const uint64_t *corners, uint64_t count,
                                    uint64_t offset, uint64_t stride)
{
    bool there = largest_number(corners, 3 * count) < stream->vertex_count || count == 0;
    if (there && !stream->holding)
        return sift_triangles(stream, corners, count);
    if (stream->vertices_done)
        return fail_range(stream, corners, 3 * count, offset, stride);
    return hold_triangles(stream, corners, count, offset, stride);
}

graze_status gz_stream_triangles(gz_stream *stream, const uint64_t *corners, uint64_t count,
                                 uint64_t offset)
{
    return gz_stream_triangle_run(stream, corners, count, offset, 0);
}

graze_status gz_stream_bounded_triangles(gz_stream *stream, const uint64_t *corners, uint64_t count,
                                         uint64_t bound)
{
    if (bound <= stream->vertex_count && !stream->holding)
        return sift_triangles(stream, corners, count);
    return gz_stream_triangles(stream, corners, count, 0);
}

bool gz_stream_has_rooms(const gz_stream *stream) { return stream->mesh != NULL; }

graze_status gz_stream_room(gz_stream *stream, gz_room *room)
{
    graze_mesh *mesh = stream->mesh;
    room->positions = NULL;
    room->corners = NULL;
    room->first_vertex = stream->vertex_count;
    if (mesh == NULL ||
        (room->triangle_count != 0 && (stream->holding || stream->nonfinite_words != 0 ||
                                       room->bound > stream->vertex_count + room->vertex_count)))
        return GRAZE_OK;
    graze_status status = flush_triangles(stream); // and vertices, so that the order is kept
    if (status != GRAZE_OK)
        return status;
    if (room->vertex_count != 0)
        room->positions = gz_mesh_vertex_room(mesh, room->vertex_count);
    if (room->triangle_count != 0 && (room->vertex_count == 0 || room->positions != NULL))
        room->corners = gz_mesh_triangle_room(mesh, room->triangle_count);
    if (room->triangle_count != 0 && room->corners == NULL && room->positions != NULL) {
        gz_mesh_give_back(mesh, room->vertex_count, 0);
        room->positions = NULL;
    }
    return GRAZE_OK;
}

graze_status gz_stream_room_filled(gz_stream *stream, const gz_room *room, uint64_t vertex_count,
                                   uint64_t triangle_count)
{
    GZ_ASSERT(vertex_count <= room->vertex_count && triangle_count <= room->triangle_count);
    GZ_ASSERT(vertex_count == 0 || !stream->vertices_done);
    gz_mesh_give_back(stream->mesh, room->vertex_count - vertex_count,
                      room->triangle_count - triangle_count);
    stream->vertex_count += vertex_count;
    stream->triangle_count += triangle_count;
    return release_if_there(stream);
}

graze_status gz_stream_face(gz_stream *stream, const uint64_t *corners, uint64_t corner_count,
                            uint64_t offset)
{
    if (corner_count == 3)
        return gz_stream_triangles(stream, corners, 1, offset);
    if (corner_count < 3) {
        stream->losses.empty_polygons++;
        return GRAZE_OK;
    }
    if (corner_count > GZ_POLYGON_CORNERS)
        return fail_at(stream, offset, GRAZE_ERROR_UNSUPPORTED,
                       "a polygon has more than 4194304 corners");
    if (!stream->holding && largest_number(corners, corner_count) < stream->vertex_count)
        return cut_polygon(stream, corners, (uint32_t)corner_count, offset);
    if (stream->vertices_done)
        return fail_range(stream, corners, corner_count, offset, 0);
    stream->held_triangles += corner_count - 2;
    return hold_corners(stream, HELD_FACE, corners, corner_count, offset, 0);
}

uint64_t gz_stream_triangle_count(const gz_stream *stream)
{
    return stream->triangle_count + stream->held_triangles;
}

void gz_stream_count_other(gz_stream *stream, uint64_t count)
{
    stream->losses.other_primitives += count;
}

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static graze_status close_object(gz_stream *stream)
{
    graze_object object = {
        .name = stream->object_name,
        .group = stream->object_group,
        .first_triangle = stream->first_triangle,
        .triangle_count = stream->triangle_count - stream->first_triangle,
    };
    memcpy(object.matrix, identity, sizeof identity);
    return pass_object(stream, &object);
}

static graze_status start_object(gz_stream *stream, const char *name, const char *group)
{
    graze_status status = GRAZE_OK;
    if (stream->triangle_count > stream->first_triangle)
        status = close_object(stream);
    stream->first_triangle = stream->triangle_count;
    char *name_copy = gz_string_copy(stream->context, name);
    char *group_copy = gz_string_copy(stream->context, group);
    if (name_copy == NULL || group_copy == NULL) {
        gz_string_free(stream->context, name_copy);
        gz_string_free(stream->context, group_copy);
        return out_of_memory(stream, "names");
    }
    gz_string_free(stream->context, stream->object_name);
    gz_string_free(stream->context, stream->object_group);
    stream->object_name = name_copy;
    stream->object_group = group_copy;
    return status;
}

graze_status gz_stream_start_object(gz_stream *stream, const char *name, const char *group)
{
    GZ_ASSERT(!stream->own_objects);
    if (!stream->holding)
        return start_object(stream, name, group);
    graze_object object = {.name = name, .group = group};
    return hold_object(stream, HELD_START, &object);
}

graze_status gz_stream_object(gz_stream *stream, const graze_object *object)
{
    stream->own_objects = true;
    return stream->holding ? hold_object(stream, HELD_OBJECT, object) : pass_object(stream, object);
}

// "2 faces with fewer than three corners" and what came before it.
static void list_loss(char list[SENTENCE_BYTES], uint64_t count, const char *one, const char *many)
{
    size_t used = strlen(list);
    if (count != 0)
        snprintf(list + used, SENTENCE_BYTES - used, "%s%" PRIu64 " %s", used != 0 ? ", " : "",
                 count, count == 1 ? one : many);
}

static void warn_of_losses(const gz_stream *stream)
{
    const graze_mesh_losses *losses = &stream->losses;
    char list[SENTENCE_BYTES] = "";
    list_loss(list, losses->nonfinite_triangles, "triangle with a corner that is not finite",
              "triangles with a corner that is not finite");
    list_loss(list, losses->empty_polygons, "face with fewer than three corners",
              "faces with fewer than three corners");
    bool renumbered = list[0] != '\0';
    list_loss(list, losses->other_primitives, "point or line", "points and lines");
    if (list[0] != '\0')
        gz_log(stream->context, GRAZE_LOG_WARNING, "%s: left out: %s%s", stream->path, list,
               renumbered ? "; the others are numbered without a gap" : "");
}

// Questions about nothing have answers that look like any others.
static void warn_of_nothing(const gz_stream *stream)
{
    if (stream->triangle_count != 0)
        return;
    if (stream->vertex_count == 0)
        gz_log(stream->context, GRAZE_LOG_WARNING,
               "%s: the mesh is empty: no vertices, no triangles", stream->path);
    else
        gz_log(stream->context, GRAZE_LOG_WARNING,
               "%s: there are no triangles: this is a cloud of %" PRIu64 " %s", stream->path,
               stream->vertex_count, stream->vertex_count == 1 ? "point" : "points");
}

graze_status gz_stream_end(gz_stream *stream)
{
    graze_status status = gz_stream_vertices_done(stream);
    bool open = stream->triangle_count > stream->first_triangle || stream->object_count == 0;
    if (status == GRAZE_OK && open && !stream->own_objects)
        status = close_object(stream);
    if (status == GRAZE_OK)
        status = flush_triangles(stream);
    if (status == GRAZE_OK) {
        warn_of_losses(stream);
        warn_of_nothing(stream);
    }
    if (status == GRAZE_OK && stream->sink.end != NULL)
        status = stream->sink.end(stream->sink.user, &stream->losses);
    return status;
}
