// Primitives to vertices and triangles. See gltf.h.
//
// A POSITION accessor that several primitives share is handed on once, and so is a mesh that
// several nodes show. Vertex numbers are checked against the primitive's own accessor: behind it
// lie the vertices of others.
#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "mesh/gltf/gltf.h"

#define NOT_SEEN UINT64_MAX // in first_vertex and first_triangle
#define PLANNED  (UINT64_MAX - 1)

enum { POINTS = 0, LINES = 1, LINE_LOOP = 2, LINE_STRIP = 3, TRIANGLES = 4, STRIP = 5, FAN = 6 };
enum { UBYTE = 5121, USHORT = 5123, UINT = 5125, FLOAT = 5126 };

typedef struct primitive {
    uint32_t token;
    uint64_t mode;
    bool empty; // nothing to hand on
    bool indexed;
    gz_gltf_accessor positions, indices;
    uint64_t corner_count;
} primitive;

// Where Draco is used but not required there is plain data beside it; where that is missing we
// could only hand on zeros.
static graze_status refuse_draco(gz_gltf *gltf, const primitive *p)
{
    uint32_t extensions = gz_json_member(&gltf->json, p->token, "extensions");
    uint32_t draco = gz_json_member(&gltf->json, extensions, "KHR_draco_mesh_compression");
    bool data = p->positions.span.buffer != GZ_GLTF_NONE &&
                (!p->indexed || p->indices.span.buffer != GZ_GLTF_NONE);
    if (draco == GZ_JSON_NONE || data)
        return GRAZE_OK;
    return gz_fail(gltf->context, GRAZE_ERROR_UNSUPPORTED,
                   "%s: byte %" PRIu64 ": the mesh is packed by the extension "
                   "KHR_draco_mesh_compression, which is not supported",
                   gltf->path, gz_json_offset(&gltf->json, draco));
}

static graze_status open_positions(gz_gltf *gltf, uint32_t index, primitive *p)
{
    graze_status status = gz_gltf_accessor_open(gltf, index, &p->positions);
    if (status != GRAZE_OK)
        return status;
    const gz_gltf_accessor *positions = &p->positions;
    if (positions->components != 3)
        return gz_json_fail(&gltf->json, positions->token,
                            "accessor %" PRIu32 " holds positions, but is not of type VEC3", index);
    if (positions->component_type == UINT ||
        (positions->component_type != FLOAT && !gltf->quantized))
        return gz_json_fail(
            &gltf->json, positions->token,
            "accessor %" PRIu32 " holds positions, but has the componentType %" PRIu32 "%s", index,
            positions->component_type,
            positions->component_type == UINT ? ""
                                              : " without the extension KHR_mesh_quantization");
    return GRAZE_OK;
}

static graze_status open_indices(gz_gltf *gltf, uint32_t index, primitive *p)
{
    graze_status status = gz_gltf_accessor_open(gltf, index, &p->indices);
    if (status != GRAZE_OK)
        return status;
    uint32_t type = p->indices.component_type;
    if (p->indices.components != 1 || (type != UBYTE && type != USHORT && type != UINT))
        return gz_json_fail(&gltf->json, p->indices.token,
                            "accessor %" PRIu32 " holds indices, but is not a SCALAR of "
                            "componentType 5121, 5123 or 5125",
                            index);
    p->indexed = true;
    p->corner_count = p->indices.count;
    return GRAZE_OK;
}

static graze_status open_primitive(gz_gltf *gltf, uint32_t token, primitive *p)
{
    const gz_json *json = &gltf->json;
    *p = (primitive){.token = token, .mode = TRIANGLES};
    uint32_t attributes = gz_json_member(json, token, "attributes");
    if (gz_json_kind_of(json, attributes) != GZ_JSON_OBJECT)
        return gz_json_fail(json, token, "a primitive without attributes");
    uint32_t positions = GZ_GLTF_NONE, indices = GZ_GLTF_NONE;
    uint32_t count = gltf->accessors.count;
    graze_status status = gz_gltf_uint(gltf, token, "mode", FAN, &p->mode);
    if (status == GRAZE_OK)
        status = gz_gltf_index(gltf, attributes, "POSITION", "accessor", count, &positions);
    if (status == GRAZE_OK)
        status = gz_gltf_index(gltf, token, "indices", "accessor", count, &indices);
    if (status != GRAZE_OK)
        return status;
    p->empty = positions == GZ_GLTF_NONE;
    if (p->empty)
        return GRAZE_OK;
    status = open_positions(gltf, positions, p);
    p->corner_count = p->positions.count;
    if (status == GRAZE_OK && indices != GZ_GLTF_NONE)
        status = open_indices(gltf, indices, p);
    return status == GRAZE_OK ? refuse_draco(gltf, p) : status;
}

static uint64_t triangles_of(const primitive *p)
{
    if (p->mode == TRIANGLES)
        return p->corner_count / 3;
    return p->mode > TRIANGLES && p->corner_count >= 3 ? p->corner_count - 2 : 0;
}

// Points and lines, which are only counted.
static uint64_t others_of(const primitive *p)
{
    uint64_t count = p->corner_count;
    switch (p->mode) {
    case POINTS: return count;
    case LINES: return count / 2;
    case LINE_LOOP: return count >= 2 ? count : 0;
    case LINE_STRIP: return count >= 2 ? count - 1 : 0;
    default: return 0;
    }
}

void gz_gltf_layout_bytes(gz_gltf *gltf, uint64_t count, uint32_t element_bytes)
{
    uint64_t bytes = 0;
    if (!gz_mul(count, element_bytes, &bytes) ||
        !gz_add(gltf->planned_bytes, bytes, &gltf->planned_bytes))
        gltf->planned_bytes = UINT64_MAX;
}

void gz_gltf_note_once(gz_gltf *gltf, bool *noted, const char *sentence)
{
    if (!*noted)
        gz_log(gltf->context, GRAZE_LOG_NOTE, "%s: %s", gltf->path, sentence);
    *noted = true;
}

static graze_status plan_primitive(gz_gltf *gltf, uint32_t token)
{
    primitive p;
    graze_status status = open_primitive(gltf, token, &p);
    if (status != GRAZE_OK)
        return status;
    if (p.empty)
        gz_gltf_note_once(gltf, &gltf->noted_no_position,
                          "primitives without positions are left out");
    if (gz_json_member(&gltf->json, token, "targets") != GZ_JSON_NONE)
        gz_gltf_note_once(gltf, &gltf->noted_morph,
                          "morph targets are left out: meshes are read unmorphed");
    if (p.empty || p.mode < TRIANGLES)
        return GRAZE_OK;
    gltf->planned_triangles += triangles_of(&p);
    gz_gltf_layout_bytes(gltf, p.corner_count, p.indexed ? p.indices.element_bytes : 1);
    uint64_t *first_vertex = &gltf->first_vertex[p.positions.index];
    if (*first_vertex == NOT_SEEN) {
        *first_vertex = PLANNED;
        gltf->planned_vertices += p.positions.count;
        gz_gltf_layout_bytes(gltf, p.positions.count, p.positions.element_bytes);
    }
    return GRAZE_OK;
}

// Calls `use` for each primitive.
static graze_status for_primitives(gz_gltf *gltf, uint32_t mesh,
                                   graze_status (*use)(gz_gltf *gltf, uint32_t token))
{
    uint32_t list = gz_json_member(&gltf->json, gltf->meshes.tokens[mesh], "primitives");
    if (gz_json_kind_of(&gltf->json, list) != GZ_JSON_ARRAY)
        return gz_json_fail(&gltf->json, gltf->meshes.tokens[mesh],
                            "mesh %" PRIu32 " has no list of primitives", mesh);
    graze_status status = GRAZE_OK;
    for (uint32_t item = gz_json_first(&gltf->json, list);
         status == GRAZE_OK && item != GZ_JSON_NONE; item = gz_json_after(&gltf->json, list, item))
        status = use(gltf, item);
    return status;
}

graze_status gz_gltf_mesh_plan(gz_gltf *gltf, uint32_t mesh)
{
    if (gltf->first_triangle[mesh] != NOT_SEEN)
        return GRAZE_OK;
    gltf->first_triangle[mesh] = PLANNED;
    return for_primitives(gltf, mesh, plan_primitive);
}

static graze_status stream_positions(gz_gltf *gltf, const gz_gltf_accessor *positions)
{
    if (gltf->first_vertex[positions->index] != PLANNED)
        return GRAZE_OK;
    gltf->first_vertex[positions->index] = gz_stream_vertex_count(gltf->stream);
    bool direct = positions->component_type == FLOAT;
    uint8_t *elements = direct ? (uint8_t *)gltf->positions : gltf->elements;
    gz_gltf_cursor cursor;
    gz_gltf_cursor_start(&cursor, positions);
    while (cursor.next < positions->count) {
        uint64_t left = positions->count - cursor.next;
        uint32_t count = left < GZ_GLTF_BATCH ? (uint32_t)left : GZ_GLTF_BATCH;
        graze_status status = gz_gltf_cursor_read(gltf, &cursor, count, elements);
        if (status != GRAZE_OK)
            return status;
        if (!direct)
            gz_gltf_to_float(positions, elements, count, gltf->positions);
        status = gz_stream_vertices(gltf->stream, gltf->positions, count);
        if (status != GRAZE_OK)
            return status;
    }
    return GRAZE_OK;
}

// The corners of a primitive in order, as vertex numbers of the whole stream.
typedef struct corner_reader {
    const primitive *primitive;
    uint64_t first_vertex;
    uint64_t next;
    gz_gltf_cursor cursor;
} corner_reader;

// Widens indices and returns the largest. One loop a type, so that each is vectorised.
static uint32_t widen_indices(const uint8_t *raw, uint32_t index_bytes, uint32_t count,
                              uint64_t first_vertex, uint64_t *out)
{
    uint32_t largest = 0;
    if (index_bytes == 1) {
        for (uint32_t i = 0; i < count; ++i) {
            largest = raw[i] > largest ? raw[i] : largest;
            out[i] = first_vertex + raw[i];
        }
    } else if (index_bytes == 2) {
        const uint16_t *indices = (const uint16_t *)(const void *)raw;
        for (uint32_t i = 0; i < count; ++i) {
            largest = indices[i] > largest ? indices[i] : largest;
            out[i] = first_vertex + indices[i];
        }
    } else {
        const uint32_t *indices = (const uint32_t *)(const void *)raw;
        for (uint32_t i = 0; i < count; ++i) {
            largest = indices[i] > largest ? indices[i] : largest;
            out[i] = first_vertex + indices[i];
        }
    }
    return largest;
}

static graze_status fail_index(gz_gltf *gltf, const corner_reader *reader, uint32_t count,
                               const uint64_t *corners)
{
    const primitive *p = reader->primitive;
    uint32_t bad = 0;
    while (bad < count && corners[bad] - reader->first_vertex < p->positions.count)
        ++bad;
    uint64_t index = corners[bad] - reader->first_vertex;
    const gz_gltf_span *span = &p->indices.span;
    if (span->buffer == GZ_GLTF_NONE || p->indices.sparse_count != 0)
        return gz_json_fail(&gltf->json, p->indices.token,
                            "index %" PRIu64 " of accessor %" PRIu32 " is %" PRIu64
                            ", but there are only %" PRIu64 " vertices",
                            reader->next + bad, p->indices.index, index, p->positions.count);
    return gz_gltf_buffer_fail(gltf, span->buffer,
                               span->offset + (reader->next + bad) * span->stride,
                               "index %" PRIu64 " of accessor %" PRIu32 " is %" PRIu64
                               ", but there are only %" PRIu64 " vertices",
                               reader->next + bad, p->indices.index, index, p->positions.count);
}

static graze_status read_corners(gz_gltf *gltf, corner_reader *reader, uint32_t count,
                                 uint64_t *corners)
{
    const primitive *p = reader->primitive;
    graze_status status = GRAZE_OK;
    if (p->indexed) {
        status = gz_gltf_cursor_read(gltf, &reader->cursor, count, gltf->elements);
        if (status != GRAZE_OK)
            return status;
        uint32_t largest = widen_indices(gltf->elements, p->indices.element_bytes, count,
                                         reader->first_vertex, corners);
        if (largest >= p->positions.count)
            return fail_index(gltf, reader, count, corners);
    } else {
        status =
            gz_checkpoint(gltf->context, "reading", "bytes", gltf->done_bytes, gltf->planned_bytes);
        gltf->done_bytes += count;
        for (uint32_t i = 0; i < count; ++i)
            corners[i] = reader->first_vertex + reader->next + i;
    }
    reader->next += count;
    return status;
}

// Separate triangles. One or two corners too many are counted as an empty polygon.
static graze_status stream_triangles(gz_gltf *gltf, corner_reader *reader)
{
    uint64_t total = reader->primitive->corner_count;
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && reader->next < total) {
        uint64_t left = total - reader->next;
        uint32_t count = left < GZ_GLTF_BATCH ? (uint32_t)left : GZ_GLTF_BATCH;
        status = read_corners(gltf, reader, count, gltf->corners);
        if (status == GRAZE_OK && count >= 3)
            status = gz_stream_triangles(gltf->stream, gltf->corners, count / 3, 0);
        if (status == GRAZE_OK && count % 3 != 0)
            status =
                gz_stream_face(gltf->stream, gltf->corners + (count - count % 3), count % 3, 0);
    }
    return status;
}

// Strips and fans: each corner from the third on makes a triangle with two before it. `held` keeps
// them between batches; in a fan the first of them stays.
static graze_status stream_chain(gz_gltf *gltf, corner_reader *reader)
{
    uint64_t total = reader->primitive->corner_count;
    bool fan = reader->primitive->mode == FAN;
    uint64_t held[2] = {0, 0}, made = 0;
    if (total != 0 && total < 3)
        return gz_stream_face(gltf->stream, held, total, 0);
    graze_status status = total != 0 ? read_corners(gltf, reader, 2, held) : GRAZE_OK;
    while (status == GRAZE_OK && reader->next < total) {
        uint64_t left = total - reader->next;
        uint32_t count = left < GZ_GLTF_BATCH / 3 ? (uint32_t)left : GZ_GLTF_BATCH / 3;
        status = read_corners(gltf, reader, count, gltf->corners);
        if (status != GRAZE_OK)
            break;
        for (uint32_t i = 0; i < count; ++i, ++made) {
            uint64_t *face = gltf->faces + 3 * (uint64_t)i, corner = gltf->corners[i];
            bool turned = !fan && made % 2 != 0; // every second triangle of a strip is mirrored
            face[0] = held[turned ? 1 : 0];
            face[1] = held[turned ? 0 : 1];
            face[2] = corner;
            if (!fan)
                held[0] = held[1];
            held[1] = corner;
        }
        status = gz_stream_triangles(gltf->stream, gltf->faces, count, 0);
    }
    return status;
}

static graze_status stream_primitive(gz_gltf *gltf, uint32_t token)
{
    primitive p;
    graze_status status = open_primitive(gltf, token, &p);
    if (status != GRAZE_OK || p.empty)
        return status;
    if (p.mode < TRIANGLES) {
        gz_stream_count_other(gltf->stream, others_of(&p));
        return GRAZE_OK;
    }
    status = stream_positions(gltf, &p.positions);
    if (status != GRAZE_OK)
        return status;
    corner_reader reader = {
        .primitive = &p,
        .first_vertex = gltf->first_vertex[p.positions.index],
    };
    if (p.indexed)
        gz_gltf_cursor_start(&reader.cursor, &p.indices);
    return p.mode == TRIANGLES ? stream_triangles(gltf, &reader) : stream_chain(gltf, &reader);
}

graze_status gz_gltf_mesh_stream(gz_gltf *gltf, uint32_t mesh)
{
    if (gltf->first_triangle[mesh] != PLANNED)
        return GRAZE_OK;
    gltf->first_triangle[mesh] = gz_stream_triangle_count(gltf->stream);
    graze_status status = for_primitives(gltf, mesh, stream_primitive);
    gltf->triangle_count[mesh] =
        gz_stream_triangle_count(gltf->stream) - gltf->first_triangle[mesh];
    return status;
}
