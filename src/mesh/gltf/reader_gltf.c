// Reads glTF 2.0, as JSON with buffers beside it or inside it (.gltf) and as one binary file
// (.glb). This file takes the container apart, checks what the file asks for, and hands on objects;
// the rest is told in gltf.h.
//
// A GLB is a header of 12 bytes and chunks, each 4-byte aligned:
//   offset size  header                          offset size  chunk
//        0    4  magic "glTF"                         0    4  length of its data
//        4    4  version 2                            4    4  type: "JSON", "BIN\0", or to be
//        skipped 8    4  length of all, header included       8       data
// Jumping about in the binary chunk needs a plain file. A packed one is unpacked into memory or,
// from 16 MiB on, into a temporary file.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/context.h"
#include "mesh/gltf/gltf.h"
#include "mesh/matrix.h"
#include "mesh/number.h"
#include "mesh/read/reader.h"

#define GLB_HEADER_BYTES   12u
#define CHUNK_HEADER_BYTES 8u
#define CHUNK_JSON         0x4e4f534au
#define CHUNK_BINARY       0x004e4942u
#define MOST_IN_MEMORY     (UINT64_C(1) << 24) // of an unpacked binary chunk
#define UNCHECKED_BYTES    (UINT64_C(1) << 24) // may be asked for by any file, however small

graze_status gz_gltf_out_of_memory(gz_gltf *gltf)
{
    return gz_fail(gltf->context, GRAZE_ERROR_MEMORY, "%s: out of memory while reading glTF",
                   gltf->path);
}

graze_status gz_gltf_uint(gz_gltf *gltf, uint32_t object, const char *key, uint64_t limit,
                          uint64_t *value)
{
    uint32_t token = gz_json_member(&gltf->json, object, key);
    if (token == GZ_JSON_NONE || gz_json_uint(&gltf->json, token, limit, value))
        return GRAZE_OK;
    return gz_json_fail(&gltf->json, token, "\"%s\" is not a whole number from 0 to %" PRIu64, key,
                        limit);
}

graze_status gz_gltf_require_uint(gz_gltf *gltf, uint32_t object, const char *key, uint64_t limit,
                                  uint64_t *value)
{
    if (gz_json_member(&gltf->json, object, key) == GZ_JSON_NONE)
        return gz_json_fail(&gltf->json, object, "\"%s\" is missing here", key);
    return gz_gltf_uint(gltf, object, key, limit, value);
}

graze_status gz_gltf_index_of(gz_gltf *gltf, uint32_t token, const char *what, uint32_t count,
                              uint32_t *index)
{
    uint64_t value = 0;
    if (!gz_json_uint(&gltf->json, token, UINT64_MAX, &value))
        return gz_json_fail(&gltf->json, token, "the number of the %s is expected here", what);
    if (value >= count)
        return gz_json_fail(&gltf->json, token,
                            "there is no %s %" PRIu64 ", their number is %" PRIu32, what, value,
                            count);
    *index = (uint32_t)value;
    return GRAZE_OK;
}

graze_status gz_gltf_index(gz_gltf *gltf, uint32_t object, const char *key, const char *what,
                           uint32_t count, uint32_t *index)
{
    *index = GZ_GLTF_NONE;
    uint32_t token = gz_json_member(&gltf->json, object, key);
    return token == GZ_JSON_NONE ? GRAZE_OK : gz_gltf_index_of(gltf, token, what, count, index);
}

graze_status gz_gltf_numbers(gz_gltf *gltf, uint32_t token, const char *what, uint32_t count,
                             double *values)
{
    const gz_json *json = &gltf->json;
    if (gz_json_kind_of(json, token) != GZ_JSON_ARRAY || gz_json_count(json, token) != count)
        return gz_json_fail(json, token, "\"%s\" is not a list of %" PRIu32 " numbers", what,
                            count);
    uint32_t item = gz_json_first(json, token);
    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t *text = (const uint8_t *)json->text + json->tokens[item].start;
        if (gz_json_kind_of(json, item) != GZ_JSON_NUMBER ||
            gz_parse_double(text, &values[i]) == NULL || !isfinite(values[i]))
            return gz_json_fail(json, item, "\"%s\" has an item that is not a finite number", what);
        item = gz_json_after(json, token, item);
    }
    return GRAZE_OK;
}

// ---- The container

static bool plain_file(const gz_gltf *gltf)
{
    return gltf->source->packing[0] == '\0' && gltf->file->seekable;
}

// Appends `bytes` bytes of the source to the JSON text, or all that are left if that is fewer.
static graze_status read_text(gz_gltf *gltf, uint64_t bytes)
{
    gz_source *source = gltf->source;
    GZ_LIST(char) text = {0};
    graze_status status = GRAZE_OK;
    // A length that the file has room for is trusted; else memory grows with what arrives.
    if (plain_file(gltf) && bytes <= gltf->file->byte_count &&
        !gz_list_reserve(gltf->context, &text, bytes + 1))
        return gz_gltf_out_of_memory(gltf);
    while (status == GRAZE_OK && text.count < bytes) {
        status = gz_source_need(source, 1);
        uint64_t left = gz_source_left(source), wanted = bytes - text.count;
        uint64_t now = left < wanted ? left : wanted;
        if (status != GRAZE_OK || now == 0)
            break;
        char *room = gz_list_push(gltf->context, &text, now);
        if (room == NULL) {
            status = gz_gltf_out_of_memory(gltf);
            break;
        }
        memcpy(room, source->cursor, (size_t)now);
        source->cursor += now;
    }
    char *end = status == GRAZE_OK ? gz_list_push(gltf->context, &text, 1) : NULL;
    if (end == NULL) {
        gz_list_free(gltf->context, &text);
        return status != GRAZE_OK ? status : gz_gltf_out_of_memory(gltf);
    }
    *end = '\0';
    gltf->text = text.items;
    gltf->text_bytes = text.count - 1;
    gltf->text_capacity = text.capacity;
    return GRAZE_OK;
}

typedef struct chunk {
    uint32_t type;
    uint32_t byte_count;
    uint64_t start; // of its data, in the unpacked file
} chunk;

// Reads the next chunk's header and sees that the chunk ends within the GLB. A type of 0 stands for
// the end.
static graze_status next_chunk(gz_gltf *gltf, uint64_t glb_bytes, chunk *out)
{
    gz_source *source = gltf->source;
    uint64_t offset = gz_source_offset(source, source->cursor);
    *out = (chunk){0};
    if (offset == glb_bytes)
        return GRAZE_OK;
    if (glb_bytes - offset < CHUNK_HEADER_BYTES)
        return gz_source_fail(source, source->cursor,
                              "a chunk begins here, but the GLB ends at byte %" PRIu64, glb_bytes);
    graze_status status = gz_source_need(source, CHUNK_HEADER_BYTES);
    if (status != GRAZE_OK)
        return status;
    if (gz_source_left(source) < CHUNK_HEADER_BYTES)
        return gz_source_fail(source, source->limit, "the file ends in the header of a chunk");
    out->byte_count = gz_get_u32(source->cursor, false);
    out->type = gz_get_u32(source->cursor + 4, false);
    out->start = offset + CHUNK_HEADER_BYTES;
    if (out->byte_count > glb_bytes - out->start)
        return gz_source_fail(source, source->cursor,
                              "a chunk of %" PRIu32 " bytes, but the GLB ends at byte %" PRIu64,
                              out->byte_count, glb_bytes);
    source->cursor += CHUNK_HEADER_BYTES;
    return GRAZE_OK;
}

static graze_status unpack_binary(gz_gltf *gltf)
{
    gz_source *source = gltf->source;
    gltf->spill = gz_spill_make(gltf->context, MOST_IN_MEMORY);
    while (gltf->spill.byte_count < gltf->binary_bytes) {
        uint64_t wanted = gltf->binary_bytes - gltf->spill.byte_count;
        graze_status status = gz_source_need(source, 1);
        uint64_t left = gz_source_left(source), now = left < wanted ? left : wanted;
        if (status == GRAZE_OK && now == 0)
            status = gz_source_fail(source, source->cursor,
                                    "the file ends here, but %" PRIu64
                                    " more bytes of the binary chunk were promised",
                                    wanted);
        if (status == GRAZE_OK)
            status = gz_spill_append(&gltf->spill, source->cursor, now);
        if (status != GRAZE_OK)
            return status;
        source->cursor += now;
    }
    return GRAZE_OK;
}

static graze_status take_binary(gz_gltf *gltf, const chunk *binary)
{
    gltf->has_binary = true;
    gltf->binary_bytes = binary->byte_count;
    gltf->binary_start = binary->start;
    return plain_file(gltf) ? GRAZE_OK : unpack_binary(gltf);
}

// What follows the GLB is no error, but somebody may miss it. (Of a plain file the binary chunk is
// not passed by the source, so there the file's size tells.)
static graze_status warn_of_trailing(gz_gltf *gltf, uint64_t glb_bytes)
{
    gz_source *source = gltf->source;
    bool trailing = gltf->file->byte_count > glb_bytes;
    if (!plain_file(gltf)) {
        uint64_t offset = gz_source_offset(source, source->cursor);
        graze_status status = gz_source_skip(source, glb_bytes - offset);
        if (status == GRAZE_OK)
            status = gz_source_need(source, 1);
        if (status != GRAZE_OK)
            return status;
        trailing = gz_source_left(source) != 0;
    }
    if (trailing)
        gz_log(gltf->context, GRAZE_LOG_WARNING,
               "%s: byte %" PRIu64 ": the GLB ends here, what follows is not read", gltf->path,
               glb_bytes);
    return gz_source_finish(source);
}

static graze_status read_chunks(gz_gltf *gltf, uint64_t glb_bytes)
{
    gz_source *source = gltf->source;
    chunk first = {0}, next = {0};
    graze_status status = next_chunk(gltf, glb_bytes, &first);
    if (status == GRAZE_OK && first.type != CHUNK_JSON)
        status = gz_source_fail(source, source->cursor, "the first chunk of a GLB is not JSON");
    if (status == GRAZE_OK)
        status = read_text(gltf, first.byte_count);
    if (status != GRAZE_OK)
        return status;
    if (gltf->text_bytes < first.byte_count)
        return gz_source_fail(source, source->limit, "the file ends in the JSON chunk");
    gltf->json.file_offset = first.start;
    // Chunks are padded with blanks, but some programs take zeros.
    while (gltf->text_bytes != 0 && gltf->text[gltf->text_bytes - 1] == '\0')
        gltf->text_bytes--;
    do {
        status = next_chunk(gltf, glb_bytes, &next);
        if (status == GRAZE_OK && next.type == CHUNK_BINARY)
            status = take_binary(gltf, &next);
        else if (status == GRAZE_OK)
            status = gz_source_skip(source, next.byte_count);
    } while (status == GRAZE_OK && !gltf->has_binary && next.start != 0);
    return status == GRAZE_OK ? warn_of_trailing(gltf, glb_bytes) : status;
}

static graze_status read_glb(gz_gltf *gltf)
{
    gz_source *source = gltf->source;
    graze_status status = gz_source_need(source, GLB_HEADER_BYTES);
    if (status != GRAZE_OK)
        return status;
    if (gz_source_left(source) < GLB_HEADER_BYTES)
        return gz_source_fail(source, source->limit, "the file ends in the header of a GLB");
    uint32_t version = gz_get_u32(source->cursor + 4, false);
    uint64_t glb_bytes = gz_get_u32(source->cursor + 8, false);
    if (version != 2)
        return gz_fail(gltf->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: byte 4: version %" PRIu32 " of GLB, but only version 2 is supported",
                       gltf->path, version);
    if (glb_bytes < GLB_HEADER_BYTES)
        return gz_source_fail(source, source->cursor + 8,
                              "a GLB of %" PRIu64 " bytes, but its header takes 12", glb_bytes);
    if (plain_file(gltf) && glb_bytes > gltf->file->byte_count)
        return gz_source_fail(source, source->cursor + 8,
                              "a GLB of %" PRIu64 " bytes, but the file has only %" PRIu64,
                              glb_bytes, gltf->file->byte_count);
    source->cursor += GLB_HEADER_BYTES;
    gltf->glb = true;
    return read_chunks(gltf, glb_bytes);
}

// A .gltf is text from its first byte to its last.
static graze_status read_json_file(gz_gltf *gltf)
{
    uint64_t bytes = UINT32_MAX; // more than gz_json_parse takes
    if (plain_file(gltf) && gltf->file->byte_count < bytes)
        bytes = gltf->file->byte_count;
    else if (plain_file(gltf))
        return gz_fail(gltf->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: glTF of 4 GiB and more in one text", gltf->path);
    return read_text(gltf, bytes);
}

static graze_status read_container(gz_gltf *gltf)
{
    gz_source *source = gltf->source;
    graze_status status = gz_source_need(source, 4);
    if (status == GRAZE_OK)
        status = gz_source_left(source) >= 4 && memcmp(source->cursor, "glTF", 4) == 0
                     ? read_glb(gltf)
                     : read_json_file(gltf);
    if (status == GRAZE_OK)
        status = gz_json_parse(gltf->context, gltf->path, gltf->json.file_offset, gltf->text,
                               gltf->text_bytes, &gltf->json);
    gltf->there_bytes = gltf->text_bytes;
    return status;
}

// ---- What the file asks for

static graze_status check_version(gz_gltf *gltf)
{
    const gz_json *json = &gltf->json;
    if (gz_json_kind_of(json, 0) != GZ_JSON_OBJECT)
        return gz_json_fail(json, 0, "glTF is a JSON object, but this is none");
    uint32_t asset = gz_json_member(json, 0, "asset");
    uint32_t version = gz_json_member(json, asset, "version");
    uint32_t needed = gz_json_member(json, asset, "minVersion");
    if (gz_json_kind_of(json, version) != GZ_JSON_STRING)
        return gz_json_fail(json, asset == GZ_JSON_NONE ? 0 : asset,
                            "the version of glTF is missing: this is no glTF 2.0");
    const char *text = json->text + json->tokens[version].start;
    bool newer = needed != GZ_JSON_NONE && !gz_json_equals(json, needed, "2.0");
    if (strncmp(text, "2.", 2) == 0 && !newer)
        return GRAZE_OK;
    const gz_json_token *wrong = &json->tokens[newer ? needed : version];
    return gz_fail(gltf->context, GRAZE_ERROR_UNSUPPORTED,
                   "%s: byte %" PRIu64 ": glTF %.*s, but only glTF 2.0 is supported", gltf->path,
                   gz_json_offset(json, newer ? needed : version),
                   (int)(wrong->end - wrong->start < 20 ? wrong->end - wrong->start : 20),
                   json->text + wrong->start);
}

// Extensions that a reader of triangles must know, and those that only change how things look.
static bool extension_known(const gz_json *json, uint32_t token)
{
    static const char *const known[] = {"KHR_mesh_quantization", "EXT_mesh_gpu_instancing"};
    static const char *const harmless[] = {"KHR_materials_", "KHR_texture_",  "EXT_texture_",
                                           "MSFT_texture_",  "KHR_lights_",   "EXT_lights_",
                                           "KHR_animation_", "KHR_technique", "KHR_xmp"};
    const char *text = json->text + json->tokens[token].start;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (gz_json_equals(json, token, known[i]))
            return true;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; ++i)
        if (strncmp(text, harmless[i], strlen(harmless[i])) == 0)
            return true;
    return false;
}

static graze_status check_extensions(gz_gltf *gltf)
{
    const gz_json *json = &gltf->json;
    uint32_t used = gz_json_member(json, 0, "extensionsUsed");
    for (uint32_t item = gz_json_first(json, used); item != GZ_JSON_NONE;
         item = gz_json_after(json, used, item))
        gltf->quantized = gltf->quantized || gz_json_equals(json, item, "KHR_mesh_quantization");
    uint32_t required = gz_json_member(json, 0, "extensionsRequired");
    for (uint32_t item = gz_json_first(json, required); item != GZ_JSON_NONE;
         item = gz_json_after(json, required, item)) {
        gltf->quantized = gltf->quantized || gz_json_equals(json, item, "KHR_mesh_quantization");
        if (gz_json_kind_of(json, item) != GZ_JSON_STRING)
            return gz_json_fail(json, item, "the name of an extension is expected here");
        const gz_json_token *t = &json->tokens[item];
        if (!extension_known(json, item))
            return gz_fail(gltf->context, GRAZE_ERROR_UNSUPPORTED,
                           "%s: byte %" PRIu64 ": the file requires the extension %.*s, which is "
                           "not supported",
                           gltf->path, gz_json_offset(json, item),
                           (int)(t->end - t->start < 200 ? t->end - t->start : 200),
                           json->text + t->start);
    }
    return GRAZE_OK;
}

static graze_status make_table(gz_gltf *gltf, const char *key, gz_gltf_table *table)
{
    const gz_json *json = &gltf->json;
    uint32_t list = gz_json_member(json, 0, key);
    if (list != GZ_JSON_NONE && gz_json_kind_of(json, list) != GZ_JSON_ARRAY)
        return gz_json_fail(json, list, "\"%s\" is not a list", key);
    uint32_t count = gz_json_count(json, list);
    if (count == 0)
        return GRAZE_OK;
    table->tokens = GZ_NEW_ARRAY(gltf->context, uint32_t, count);
    if (table->tokens == NULL)
        return gz_gltf_out_of_memory(gltf);
    table->count = count;
    uint32_t item = gz_json_first(json, list);
    for (uint32_t i = 0; i < count; ++i) {
        if (gz_json_kind_of(json, item) != GZ_JSON_OBJECT)
            return gz_json_fail(json, item, "item %" PRIu32 " of \"%s\" is not an object", i, key);
        table->tokens[i] = item;
        item = gz_json_after(json, list, item);
    }
    return GRAZE_OK;
}

static uint64_t *new_counts(gz_gltf *gltf, uint32_t count)
{
    uint64_t *counts = GZ_NEW_ARRAY(gltf->context, uint64_t, count);
    if (counts != NULL)
        memset(counts, 0xff, (size_t)count * sizeof *counts);
    return counts;
}

static graze_status make_tables(gz_gltf *gltf)
{
    graze_status status = make_table(gltf, "bufferViews", &gltf->buffer_views);
    if (status == GRAZE_OK)
        status = make_table(gltf, "accessors", &gltf->accessors);
    if (status == GRAZE_OK)
        status = make_table(gltf, "meshes", &gltf->meshes);
    if (status == GRAZE_OK)
        status = make_table(gltf, "nodes", &gltf->nodes);
    if (status == GRAZE_OK)
        status = gz_gltf_buffers_open(gltf);
    if (status != GRAZE_OK)
        return status;
    gltf->first_vertex = new_counts(gltf, gltf->accessors.count);
    gltf->first_triangle = new_counts(gltf, gltf->meshes.count);
    gltf->triangle_count = new_counts(gltf, gltf->meshes.count);
    gltf->piece = gz_allocate(gltf->context, GZ_GLTF_PIECE_BYTES);
    gltf->elements = gz_allocate(gltf->context, GZ_GLTF_BATCH * 16);
    gltf->positions = GZ_NEW_ARRAY(gltf->context, float, GZ_GLTF_BATCH * 3);
    gltf->corners = GZ_NEW_ARRAY(gltf->context, uint64_t, GZ_GLTF_BATCH);
    gltf->faces = GZ_NEW_ARRAY(gltf->context, uint64_t, GZ_GLTF_BATCH);
    bool all = (gltf->first_vertex != NULL || gltf->accessors.count == 0) &&
               (gltf->meshes.count == 0 ||
                (gltf->first_triangle != NULL && gltf->triangle_count != NULL)) &&
               gltf->piece != NULL && gltf->elements != NULL && gltf->positions != NULL &&
               gltf->corners != NULL && gltf->faces != NULL;
    return all ? GRAZE_OK : gz_gltf_out_of_memory(gltf);
}

// ---- Objects

static graze_status plan_visit(gz_gltf *gltf, const gz_gltf_visit *visit)
{
    graze_status status = gz_gltf_mesh_plan(gltf, visit->mesh);
    uint32_t instancing = gz_gltf_instancing(gltf, visit->node_token);
    if (status == GRAZE_OK && instancing != GZ_JSON_NONE)
        status = gz_gltf_instances_plan(gltf, instancing);
    return status;
}

// A mesh of points only has no triangles; its nodes are no objects.
static graze_status stream_visit(gz_gltf *gltf, const gz_gltf_visit *visit)
{
    graze_status status = gz_gltf_mesh_stream(gltf, visit->mesh);
    if (status != GRAZE_OK || gltf->triangle_count[visit->mesh] == 0)
        return status;
    graze_object object = {
        .name = visit->name,
        .group = visit->group,
        .first_triangle = gltf->first_triangle[visit->mesh],
        .triangle_count = gltf->triangle_count[visit->mesh],
    };
    memcpy(object.matrix, visit->matrix, sizeof object.matrix);
    uint32_t instancing = gz_gltf_instancing(gltf, visit->node_token);
    if (instancing != GZ_JSON_NONE)
        return gz_gltf_instances_stream(gltf, instancing, &object);
    gz_matrix_settle(&object);
    return gz_stream_object(gltf->stream, &object);
}

// A few hundred bytes of JSON can name the same data thousands of times, or no data at all where
// zeros are meant. Files that ask for too many times what they have are refused.
static graze_status check_growth(gz_gltf *gltf, uint64_t limit)
{
    uint64_t allowed = 0;
    if (!gz_mul(gltf->there_bytes, limit, &allowed) || !gz_add(allowed, UNCHECKED_BYTES, &allowed))
        allowed = UINT64_MAX;
    if (gltf->planned_bytes <= allowed)
        return GRAZE_OK;
    return gz_fail(gltf->context, GRAZE_ERROR_FORMAT,
                   "%s: byte %" PRIu64 ": the accessors ask for more than %" PRIu64
                   " times the bytes that are there, which is the limit set for reading",
                   gltf->path, gltf->json.file_offset, limit);
}

static graze_status read_all(gz_gltf *gltf, const graze_mesh_read_def *def)
{
    graze_status status = read_container(gltf);
    if (status == GRAZE_OK)
        status = check_version(gltf);
    if (status == GRAZE_OK)
        status = check_extensions(gltf);
    if (status == GRAZE_OK)
        status = make_tables(gltf);
    if (status == GRAZE_OK)
        status = gz_gltf_tree_open(gltf);
    if (status == GRAZE_OK)
        status = gz_gltf_walk(gltf, plan_visit);
    if (status == GRAZE_OK)
        status = check_growth(gltf, def->expansion_limit);
    if (status != GRAZE_OK)
        return status;
    char encoding[GZ_ENCODING_BYTES];
    graze_mesh_header header = {
        .format = gltf->glb ? GRAZE_FORMAT_GLB : GRAZE_FORMAT_GLTF,
        .precision = GRAZE_FLOAT32,
        .metres_per_unit = 1, // by definition of glTF
        .vertex_count_hint = gltf->planned_vertices,
        .triangle_count_hint = gltf->planned_triangles,
        .encoding =
            gz_encoding_text(gltf->source, gltf->glb ? "binary little-endian" : "JSON", encoding),
    };
    status = gz_stream_begin(gltf->stream, &header, false);
    if (status == GRAZE_OK)
        status = gz_gltf_walk(gltf, stream_visit);
    return status == GRAZE_OK ? gz_stream_end(gltf->stream) : status;
}

static void close_gltf(gz_gltf *gltf)
{
    graze_context *context = gltf->context;
    gz_gltf_tree_close(gltf);
    gz_gltf_buffers_close(gltf);
    gz_json_free(&gltf->json);
    gz_release(context, gltf->text, gltf->text_capacity);
    gz_spill_free(&gltf->spill);
    gz_gltf_table *tables[] = {&gltf->buffer_views, &gltf->accessors, &gltf->meshes, &gltf->nodes};
    GZ_FREE_ARRAY(context, gltf->first_vertex, gltf->accessors.count);
    GZ_FREE_ARRAY(context, gltf->first_triangle, gltf->meshes.count);
    GZ_FREE_ARRAY(context, gltf->triangle_count, gltf->meshes.count);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        GZ_FREE_ARRAY(context, tables[i]->tokens, tables[i]->count);
    gz_release(context, gltf->piece, GZ_GLTF_PIECE_BYTES);
    gz_release(context, gltf->elements, GZ_GLTF_BATCH * 16);
    GZ_FREE_ARRAY(context, gltf->positions, GZ_GLTF_BATCH * 3);
    GZ_FREE_ARRAY(context, gltf->corners, GZ_GLTF_BATCH);
    GZ_FREE_ARRAY(context, gltf->faces, GZ_GLTF_BATCH);
    gz_release(context, gltf, sizeof *gltf);
}

graze_status gz_read_gltf(gz_source *source, gz_file *file, const graze_mesh_read_def *def,
                          gz_stream *stream)
{
    gz_gltf *gltf = gz_allocate(source->context, sizeof *gltf);
    if (gltf == NULL)
        return gz_fail(source->context, GRAZE_ERROR_MEMORY, "%s: out of memory while reading glTF",
                       source->path);
    *gltf = (gz_gltf){
        .context = source->context,
        .source = source,
        .file = file,
        .stream = stream,
        .path = source->path,
    };
    graze_status status = read_all(gltf, def);
    close_gltf(gltf);
    return status;
}
