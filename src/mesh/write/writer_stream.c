// Writes a mesh that comes piece by piece. See graze_mesh_writer in graze/mesh.h.
//
// PLY wants all vertices before the first triangle: triangles wait in a spill until the last vertex
// was written, unless the stream promised that there is none to come. STL wants the corners of each
// triangle: vertices are kept in a spill, unless the stream is a soup, which needs none twice: then
// only those wait whose triangle has not come yet.
// Counts in headers are filled in at the end, over place holders of the same length.
// All else is collected in memory and written as a whole.
#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/spill.h"
#include "base/threads.h"
#include "geometry/fpu.h"
#include "mesh/collect.h"
#include "mesh/pages.h"
#include "mesh/stl.h"
#include "mesh/write/writer.h"
#include "mesh/write/writer_items.h"

#define BATCH      1024u
#define ITEM_BYTES 64u // the longest item: a facet of STL
_Static_assert(ITEM_BYTES >= GZ_STL_TRIANGLE_BYTES && ITEM_BYTES >= 3 * sizeof(double), "fits");

typedef enum writer_state {
    STATE_OPEN,  // begin is awaited
    STATE_BEGUN, // vertices, triangles and objects are awaited
    STATE_ENDED, // commit is awaited
    STATE_FAILED // only abandon makes sense
} writer_state;

struct graze_mesh_writer {
    graze_context *context;
    char *path;
    graze_mesh_write_def def;
    writer_state state;
    graze_precision precision;
    graze_mesh *mesh; // NULL where the file is written as the mesh comes
    graze_mesh_sink collector;
    gz_ply_kind ply;
    gz_output *output;
    gz_spill spill;       // PLY: triangles, as they will be written; STL: vertices
    gz_pages pages;       // of the spill, for reading vertices anywhere
    gz_byte_list waiting; // STL from a soup: bytes of vertices from first_waiting on
    uint64_t first_waiting;
    uint64_t vertex_count, triangle_count, object_count;
    uint64_t rounded;   // coordinates that binary STL could not hold
    graze_object first; // the first object, with copies of its texts
    char *first_name, *first_group;
    uint8_t batch[BATCH * ITEM_BYTES];
};

static graze_status out_of_memory(graze_mesh_writer *writer)
{
    return gz_fail(writer->context, GRAZE_ERROR_MEMORY, "%s: out of memory", writer->path);
}

static graze_status broken_rule(graze_mesh_writer *writer, const char *what)
{
    return gz_fail(writer->context, GRAZE_ERROR_ARGUMENT, "%s: the stream broke a rule: %s",
                   writer->path, what);
}

// Triangles are read back once, in order; vertices anywhere and often, so that they get more.
#define TRIANGLE_SHARE (UINT64_C(16) << 20)
#define VERTEX_SHARE   (UINT64_C(256) << 20)

static gz_spill make_spill(const graze_mesh_writer *writer)
{
    uint64_t share = writer->def.format == GRAZE_FORMAT_PLY ? TRIANGLE_SHARE : VERTEX_SHARE;
    uint64_t limit = writer->context->def.memory_byte_limit;
    if (limit != 0 && share > limit / 4)
        share = limit / 4;
    return gz_spill_make(writer->context,
                         share > GZ_SPILL_LEAST_BYTES ? share : GZ_SPILL_LEAST_BYTES);
}

static bool is_ply(const graze_mesh_writer *writer)
{
    return writer->def.format == GRAZE_FORMAT_PLY;
}

// --- Begin

static graze_status write_start(graze_mesh_writer *writer)
{
    if (is_ply(writer)) {
        char text[GZ_PLY_HEADER_BYTES + 1];
        gz_ply_header_text(text, &writer->ply, 0, 0, GZ_PLY_HEADER_BYTES);
        return gz_output_write(writer->output, text, GZ_PLY_HEADER_BYTES);
    }
    uint8_t start[GZ_STL_START_BYTES] = {0};
    return gz_output_write(writer->output, start, sizeof start);
}

static bool can_stream(const graze_mesh_writer *writer, const graze_mesh_header *header)
{
    size_t bare_length = 0;
    bool plain = !writer->def.ascii && gz_packing_of(writer->path, &bare_length) == GZ_PACKING_NONE;
    bool places = header->format == GRAZE_FORMAT_GLTF || header->format == GRAZE_FORMAT_GLB ||
                  header->format == GRAZE_FORMAT_OTHER;
    return plain && !places && (is_ply(writer) || writer->def.format == GRAZE_FORMAT_STL);
}

static graze_status on_begin(graze_mesh_writer *writer, const graze_mesh_header *header)
{
    if (writer->state != STATE_OPEN)
        return broken_rule(writer, "it begins twice");
    writer->state = STATE_BEGUN;
    if (!can_stream(writer, header)) {
        graze_status status =
            gz_mesh_collect(writer->context, writer->path, 0, &writer->mesh, &writer->collector);
        return status == GRAZE_OK ? writer->collector.begin(writer->mesh, header) : status;
    }
    writer->precision = header->precision;
    writer->ply = (gz_ply_kind){.big_endian = writer->def.big_endian != 0,
                                .floats = header->precision == GRAZE_FLOAT32};
    graze_status status = gz_output_create(writer->context, writer->path, &writer->output);
    return status == GRAZE_OK ? write_start(writer) : status;
}

// --- Vertices

static void widen(const graze_mesh_writer *writer, const void *positions, uint64_t index,
                  double out[3])
{
    for (uint64_t axis = 0; axis < 3; ++axis)
        out[axis] = writer->precision == GRAZE_FLOAT32
                        ? (double)((const float *)positions)[3 * index + axis]
                        : ((const double *)positions)[3 * index + axis];
}

static graze_status write_ply_vertices(graze_mesh_writer *writer, const void *positions,
                                       uint64_t count)
{
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < count && status == GRAZE_OK;) {
        uint8_t *out = writer->batch;
        for (uint64_t end = count - i < BATCH ? count : i + BATCH; i < end; ++i) {
            double position[3];
            widen(writer, positions, i, position);
            out = gz_ply_put_vertex(&writer->ply, out, position);
        }
        status = gz_output_write(writer->output, writer->batch, (uint64_t)(out - writer->batch));
    }
    return status;
}

static graze_status on_vertices(graze_mesh_writer *writer, const void *positions, uint64_t count)
{
    if (writer->state != STATE_BEGUN)
        return broken_rule(writer, "vertices come before its begin or after its end");
    if (writer->def.order == GRAZE_ORDER_VERTICES_FIRST && writer->triangle_count != 0)
        return broken_rule(writer, "it promised all vertices before the first triangle");
    writer->vertex_count += count;
    if (writer->mesh != NULL)
        return writer->collector.vertices(writer->mesh, positions, count);
    if (is_ply(writer)) {
        graze_status status =
            gz_ply_check_count(writer->context, writer->path, writer->vertex_count);
        return status == GRAZE_OK ? write_ply_vertices(writer, positions, count) : status;
    }
    uint64_t bytes = count * 3 * (uint64_t)writer->precision;
    if (writer->def.order != GRAZE_ORDER_SOUP)
        return gz_spill_append(&writer->spill, positions, bytes);
    void *room = gz_list_push(writer->context, &writer->waiting, bytes);
    if (room == NULL)
        return out_of_memory(writer);
    memcpy(room, positions, (size_t)bytes);
    return GRAZE_OK;
}

// --- Triangles

static graze_status fetch_vertex(graze_mesh_writer *writer, uint64_t vertex, double out[3])
{
    uint64_t bytes = 3 * (uint64_t)writer->precision;
    double position[3]; // room for floats too
    graze_status status = GRAZE_OK;
    if (writer->def.order == GRAZE_ORDER_SOUP)
        memcpy(position,
               (const uint8_t *)writer->waiting.items + (vertex - writer->first_waiting) * bytes,
               (size_t)bytes);
    else
        status = gz_pages_read(&writer->pages, &writer->spill, vertex * bytes, position, bytes);
    widen(writer, position, 0, out);
    return status;
}

static graze_status put_facet(graze_mesh_writer *writer, const uint64_t corners[3], uint8_t **out)
{
    gz_stl_facet facet;
    for (int i = 0; i < 3; ++i) {
        graze_status status = fetch_vertex(writer, corners[i], facet.corner[i]);
        if (status != GRAZE_OK)
            return status;
    }
    gz_stl_set_normal(&facet);
    *out = gz_stl_put_facet(*out, &facet);
    return gz_stl_check_rounding(writer->context, writer->path, writer->triangle_count, &facet,
                                 &writer->rounded);
}

static graze_status check_corners(graze_mesh_writer *writer, const uint64_t corners[3])
{
    for (uint64_t i = 0; i < 3; ++i) {
        if (corners[i] >= writer->vertex_count)
            return broken_rule(writer, "a triangle names a vertex that did not come yet");
        if (writer->def.order == GRAZE_ORDER_SOUP && corners[i] != 3 * writer->triangle_count + i)
            return broken_rule(writer,
                               "it promised triangles with vertices of their own, in order");
    }
    return GRAZE_OK;
}

static graze_status put_triangle(graze_mesh_writer *writer, const uint64_t corners[3],
                                 uint8_t **out)
{
    graze_status status = check_corners(writer, corners);
    if (status != GRAZE_OK)
        return status;
    if (writer->mesh != NULL)
        status = writer->collector.triangles(writer->mesh, corners, 1);
    else if (is_ply(writer))
        *out = gz_ply_put_face(&writer->ply, *out, corners);
    else
        status = put_facet(writer, corners, out);
    ++writer->triangle_count;
    return status;
}

static graze_status send_batch(graze_mesh_writer *writer, const uint8_t *end)
{
    uint64_t bytes = (uint64_t)(end - writer->batch);
    if (bytes == 0)
        return GRAZE_OK;
    bool wait = is_ply(writer) && writer->def.order != GRAZE_ORDER_VERTICES_FIRST;
    return wait ? gz_spill_append(&writer->spill, writer->batch, bytes)
                : gz_output_write(writer->output, writer->batch, bytes);
}

static graze_status on_triangles(graze_mesh_writer *writer, const uint64_t *corners, uint64_t count)
{
    if (writer->state != STATE_BEGUN)
        return broken_rule(writer, "triangles come before its begin or after its end");
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < count && status == GRAZE_OK;) {
        uint8_t *out = writer->batch;
        for (uint64_t end = count - i < BATCH ? count : i + BATCH; i < end && status == GRAZE_OK;
             ++i)
            status = put_triangle(writer, &corners[3 * i], &out);
        if (status == GRAZE_OK)
            status = send_batch(writer, out);
    }
    if (status == GRAZE_OK && writer->mesh == NULL && !is_ply(writer))
        status = gz_stl_check_count(writer->context, writer->path, writer->triangle_count);
    if (writer->vertex_count == 3 * writer->triangle_count) { // a soup that is used up
        writer->waiting.count = 0;
        writer->first_waiting = writer->vertex_count;
    }
    return status;
}

// --- Objects and end

static graze_status on_object(graze_mesh_writer *writer, const graze_object *object)
{
    if (writer->state != STATE_BEGUN)
        return broken_rule(writer, "an object comes before its begin or after its end");
    if (writer->mesh != NULL)
        return writer->collector.object(writer->mesh, object);
    if (object->placed != 0)
        return broken_rule(writer, "an object is placed, though its format has no placement");
    if (writer->object_count++ != 0)
        return GRAZE_OK;
    writer->first_name = gz_string_copy(writer->context, object->name);
    writer->first_group = gz_string_copy(writer->context, object->group);
    if (writer->first_name == NULL || writer->first_group == NULL)
        return out_of_memory(writer);
    writer->first = *object;
    writer->first.name = writer->first_name;
    writer->first.group = writer->first_group;
    return GRAZE_OK;
}

static graze_status append_spill(graze_mesh_writer *writer)
{
    graze_status status = GRAZE_OK;
    uint64_t total = writer->spill.byte_count;
    for (uint64_t done = 0; done < total && status == GRAZE_OK;) {
        uint64_t bytes = total - done < sizeof writer->batch ? total - done : sizeof writer->batch;
        status = gz_spill_read(&writer->spill, done, writer->batch, bytes);
        if (status == GRAZE_OK)
            status = gz_output_write(writer->output, writer->batch, bytes);
        done += bytes;
        if (status == GRAZE_OK)
            status = gz_checkpoint(writer->context, "writing", "bytes", done, total);
    }
    return status;
}

static graze_status finish_ply(graze_mesh_writer *writer)
{
    char text[GZ_PLY_HEADER_BYTES + 1];
    graze_status status = append_spill(writer);
    if (status != GRAZE_OK)
        return status;
    gz_ply_header_text(text, &writer->ply, writer->vertex_count, writer->triangle_count,
                       GZ_PLY_HEADER_BYTES);
    gz_ply_warn(writer->context, writer->path, writer->object_count, &writer->first);
    return gz_output_patch(writer->output, 0, text, GZ_PLY_HEADER_BYTES);
}

static graze_status finish_stl(graze_mesh_writer *writer)
{
    uint8_t start[GZ_STL_START_BYTES];
    gz_stl_put_start(start, writer->triangle_count, writer->object_count, &writer->first);
    gz_stl_warn(writer->context, writer->path, writer->object_count, &writer->first,
                writer->triangle_count, writer->rounded);
    return gz_output_patch(writer->output, 0, start, sizeof start);
}

static graze_status on_end(graze_mesh_writer *writer)
{
    if (writer->state != STATE_BEGUN)
        return broken_rule(writer, "it ends before its begin, or twice");
    writer->state = STATE_ENDED;
    if (writer->mesh != NULL)
        return GRAZE_OK;
    return is_ply(writer) ? finish_ply(writer) : finish_stl(writer);
}

// --- The sink: rounds to nearest, whatever the caller has set; a call that failed is the last one

static graze_status leave(graze_mesh_writer *writer, gz_fpu_state state, graze_status status)
{
    gz_fpu_leave(state);
    if (status != GRAZE_OK)
        writer->state = STATE_FAILED;
    return status;
}

static graze_status sink_begin(void *user, const graze_mesh_header *header)
{
    gz_fpu_state state = gz_fpu_enter();
    return leave(user, state, on_begin(user, header));
}

static graze_status sink_vertices(void *user, const void *positions, uint64_t count)
{
    gz_fpu_state state = gz_fpu_enter();
    return leave(user, state, on_vertices(user, positions, count));
}

static graze_status sink_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    gz_fpu_state state = gz_fpu_enter();
    return leave(user, state, on_triangles(user, corners, count));
}

static graze_status sink_object(void *user, const graze_object *object)
{
    gz_fpu_state state = gz_fpu_enter();
    return leave(user, state, on_object(user, object));
}

static graze_status sink_end(void *user, const graze_mesh_losses *losses)
{
    gz_fpu_state state = gz_fpu_enter();
    (void)losses;
    return leave(user, state, on_end(user));
}

// --- Lifetime

graze_status graze_mesh_writer_open(graze_context *context, const char *path,
                                    const graze_mesh_write_def *given, graze_mesh_sink *sink,
                                    graze_mesh_writer **writer)
{
    if (context == NULL)
        return gz_fail_null(context, "graze_mesh_writer_open");
    if (path == NULL || sink == NULL || writer == NULL)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "graze_mesh_writer_open: no %s is given",
                       path == NULL ? "path" : "place for the result");
    *writer = NULL;
    graze_mesh_write_def def;
    graze_status status = gz_writer_take_def(context, path, given, &def);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_writer *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = def;
    made->spill = make_spill(made);
    made->path = gz_string_copy(context, path);
    if (made->path == NULL) {
        graze_mesh_writer_abandon(made);
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
    }
    *sink = (graze_mesh_sink){.user = made,
                              .begin = sink_begin,
                              .vertices = sink_vertices,
                              .triangles = sink_triangles,
                              .object = sink_object,
                              .end = sink_end};
    *writer = made;
    return GRAZE_OK;
}

void graze_mesh_writer_abandon(graze_mesh_writer *writer)
{
    if (writer == NULL)
        return;
    gz_output_abandon(writer->output);
    graze_mesh_free(writer->mesh);
    gz_pages_free(writer->context, &writer->pages);
    gz_spill_free(&writer->spill);
    gz_list_free(writer->context, &writer->waiting);
    gz_string_free(writer->context, writer->first_name);
    gz_string_free(writer->context, writer->first_group);
    gz_string_free(writer->context, writer->path);
    gz_release(writer->context, writer, sizeof *writer);
}

graze_status graze_mesh_writer_commit(graze_mesh_writer *writer)
{
    if (writer == NULL)
        return gz_fail_null(NULL, "graze_mesh_writer_commit");
    graze_status status = GRAZE_OK;
    if (writer->state != STATE_ENDED) {
        status = broken_rule(writer, "it did not come to its end");
    } else if (writer->mesh != NULL) {
        graze_mesh_view view = graze_mesh_get(writer->mesh);
        status = graze_mesh_write(writer->context, &view, writer->path, &writer->def);
    } else {
        gz_output *output = writer->output;
        writer->output = NULL;
        status = gz_output_commit(output);
    }
    graze_mesh_writer_abandon(writer);
    return status;
}
