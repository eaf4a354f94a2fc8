// Chooses the reader for a file: by what the caller says, else by content, else by name; what
// nobody of ours knows goes to assimp. Then lets it fill a stream, and looks at the rest of a
// packed file for damage.
#include "mesh/read/reader.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/context.h"
#include "base/def.h"
#include "geometry/fpu.h"
#include "mesh/number.h"

#define LOOK_BYTES 4096 // as much of the file decides

const char *graze_format_text(graze_format format)
{
    switch (format) {
    case GRAZE_FORMAT_PLY: return "PLY";
    case GRAZE_FORMAT_STL: return "STL";
    case GRAZE_FORMAT_OBJ: return "OBJ";
    case GRAZE_FORMAT_OFF: return "OFF";
    case GRAZE_FORMAT_GLTF: return "glTF";
    case GRAZE_FORMAT_GLB: return "GLB";
    case GRAZE_FORMAT_OTHER: return "other";
    case GRAZE_FORMAT_UNKNOWN: break;
    }
    return "unknown";
}

const char *gz_encoding_text(const gz_source *source, const char *plain,
                             char out[GZ_ENCODING_BYTES])
{
    bool packed = source->packing[0] != '\0';
    snprintf(out, GZ_ENCODING_BYTES, "%s%s%s", plain, packed ? ", " : "", source->packing);
    return out;
}

static bool is_blank(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool begins_with(const uint8_t *text, const char *word)
{
    return strncmp((const char *)text, word, strlen(word)) == 0; // text ends in zeros
}

// The first word behind blanks and lines of comment.
static const uint8_t *skip_comments(const uint8_t *text)
{
    for (;;) {
        while (is_blank(*text))
            ++text;
        if (*text != '#')
            return text;
        while (*text != '\n' && *text != '\r' && *text != '\0')
            ++text;
    }
}

// OFF with any of its prefixes, and nothing else in the word.
static bool is_off_word(const uint8_t *text)
{
    text += begins_with(text, "ST") ? 2 : 0;
    for (const char *prefix = "CN4n"; *prefix != '\0'; ++prefix)
        text += *text == (uint8_t)*prefix;
    return begins_with(text, "OFF") && (is_blank(text[3]) || text[3] == '\0' || text[3] == '#');
}

// A line "v x y z" within the part looked at, and only lines that OBJ has before it.
static bool looks_like_obj(const uint8_t *text)
{
    static const char *const words[] = {"v", "vn",     "vt",     "vp", "o", "g",
                                        "s", "mtllib", "usemtl", "l",  "p", "f"};
    for (;;) {
        text = skip_comments(text);
        size_t length = 0;
        while (text[length] != '\0' && !is_blank(text[length]))
            ++length;
        bool known = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
            known = known || (strlen(words[i]) == length && begins_with(text, words[i]));
        if (!known)
            return false;
        double value = 0;
        if (length == 1 && text[0] == 'v') {
            while (*++text == ' ' || *text == '\t') {
            }
            return gz_parse_double(text, &value) != NULL;
        }
        while (*text != '\n' && *text != '\r' && *text != '\0')
            ++text;
    }
}

// Only a plain file says how long it is; its size must fit the count of triangles to the byte.
static bool looks_like_binary_stl(const gz_source *source)
{
    return gz_source_left(source) >= 84 && source->byte_count != 0 &&
           source->byte_count == 84 + UINT64_C(50) * gz_get_u32(source->cursor + 80, false);
}

static graze_format format_by_content(const gz_source *source)
{
    // A copy that surely ends in zeros, so that the scanners below need no limit.
    uint8_t text[LOOK_BYTES + GZ_SOURCE_SLACK] = {0};
    uint64_t left = gz_source_left(source);
    memcpy(text, source->cursor, (size_t)(left < LOOK_BYTES ? left : LOOK_BYTES));
    const uint8_t *start = text + (begins_with(text, "\xef\xbb\xbf") ? 3 : 0);
    if (begins_with(start, "ply") && (is_blank(start[3]) || start[3] == '\0'))
        return GRAZE_FORMAT_PLY;
    if (begins_with(start, "glTF"))
        return GRAZE_FORMAT_GLB;
    if (looks_like_binary_stl(source))
        return GRAZE_FORMAT_STL;
    start = skip_comments(start);
    if (is_off_word(start))
        return GRAZE_FORMAT_OFF;
    if (strncasecmp((const char *)start, "solid", 5) == 0 && (is_blank(start[5]) || start[5] == 0))
        return GRAZE_FORMAT_STL;
    if (*start == '{' && strstr((const char *)start, "\"asset\"") != NULL)
        return GRAZE_FORMAT_GLTF;
    if (looks_like_obj(start))
        return GRAZE_FORMAT_OBJ;
    return GRAZE_FORMAT_UNKNOWN;
}

// True if the name ends in the extension, a packer's own extension aside.
static bool has_extension(const char *name, const char *extension)
{
    size_t length = strlen(name);
    static const char *const packers[] = {".gz", ".zst"};
    for (size_t i = 0; i < 2; ++i) {
        size_t packer = strlen(packers[i]);
        if (length > packer && strcasecmp(name + length - packer, packers[i]) == 0) {
            length -= packer;
            break;
        }
    }
    size_t wanted = strlen(extension);
    return length >= wanted && strncasecmp(name + length - wanted, extension, wanted) == 0;
}

static graze_format format_by_name(const char *name)
{
    static const struct {
        const char *extension;
        graze_format format;
    } known[] = {
        {".ply", GRAZE_FORMAT_PLY}, {".stl", GRAZE_FORMAT_STL},   {".obj", GRAZE_FORMAT_OBJ},
        {".off", GRAZE_FORMAT_OFF}, {".gltf", GRAZE_FORMAT_GLTF}, {".glb", GRAZE_FORMAT_GLB},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (has_extension(name, known[i].extension))
            return known[i].format;
    return GRAZE_FORMAT_OTHER;
}

static graze_status read_format(graze_format format, gz_source *source, gz_file *file,
                                const graze_mesh_read_def *def, gz_stream *stream)
{
    switch (format) {
    case GRAZE_FORMAT_PLY: return gz_read_ply(source, def, stream);
    case GRAZE_FORMAT_STL: return gz_read_stl(source, def, stream);
    case GRAZE_FORMAT_OBJ: return gz_read_obj(source, def, stream);
    case GRAZE_FORMAT_OFF: return gz_read_off(source, def, stream);
    case GRAZE_FORMAT_GLTF:
    case GRAZE_FORMAT_GLB: return gz_read_gltf(source, file, def, stream);
    case GRAZE_FORMAT_OTHER:
    case GRAZE_FORMAT_UNKNOWN: break;
    }
    return gz_read_assimp(file, def, stream);
}

static graze_status read_source(gz_source *source, gz_file *file, const graze_mesh_read_def *def,
                                const graze_mesh_sink *sink)
{
    graze_status status = gz_source_need(source, LOOK_BYTES);
    if (status == GRAZE_OK && source->ended && gz_source_left(source) == 0)
        status = gz_source_fail(source, source->cursor, "the file is empty");
    if (status == GRAZE_OK && gz_source_left(source) >= strlen(GZ_OWN_MARK) &&
        begins_with(source->cursor, GZ_OWN_MARK))
        status = gz_source_fail(source, source->cursor,
                                begins_with(source->cursor, GZ_SCENE_MAGIC)
                                    ? "this is a scene, which keeps many objects apart, not a mesh"
                                    : "this is a file that graze made for itself, not a mesh");
    if (status != GRAZE_OK)
        return status;
    graze_format format = def->format;
    if (format == GRAZE_FORMAT_UNKNOWN)
        format = format_by_content(source);
    if (format == GRAZE_FORMAT_UNKNOWN)
        format = format_by_name(file->path);
    gz_stream *stream = NULL;
    status = gz_stream_open(source->context, file->path, sink, &stream);
    if (status == GRAZE_OK)
        status = read_format(format, source, file, def, stream);
    gz_stream_close(stream);
    if (status == GRAZE_OK && format != GRAZE_FORMAT_OTHER)
        status = gz_source_finish(source);
    return status;
}

static graze_status take_def(graze_context *context, const graze_mesh_read_def *given,
                             graze_mesh_read_def *def)
{
    graze_mesh_read_def room = graze_mesh_read_def_default();
    const graze_mesh_read_def *known =
        gz_def_known(context, "graze_mesh_read", given, &room, sizeof room);
    if (known == NULL)
        return GRAZE_ERROR_ARGUMENT;
    *def = *known;
    if ((int)def->format < GRAZE_FORMAT_UNKNOWN || def->format > GRAZE_FORMAT_OTHER ||
        !(def->metres_per_unit >= 0 && def->metres_per_unit <= 1e300))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "graze_mesh_read_def has an unknown format or an impossible unit");
    return GRAZE_OK;
}

graze_status gz_mesh_stream_file(gz_file *file, const graze_mesh_read_def *given,
                                 const graze_mesh_sink *sink)
{
    graze_mesh_read_def def;
    graze_status status = take_def(file->context, given, &def);
    if (status != GRAZE_OK)
        return status;
    // Reading numbers and cutting polygons rounds to nearest, whatever the caller has set.
    gz_fpu_state state = gz_fpu_enter();
    gz_source *source = NULL;
    status = gz_source_open(file, def.expansion_limit, &source);
    if (status == GRAZE_OK)
        status = read_source(source, file, &def, sink);
    gz_source_close(source);
    gz_fpu_leave(state);
    return status;
}

graze_status graze_mesh_stream(graze_context *context, const char *path,
                               const graze_mesh_read_def *def, const graze_mesh_sink *sink)
{
    if (context == NULL || path == NULL || sink == NULL)
        return gz_fail_null(context, "graze_mesh_stream");
    gz_file file;
    graze_status status = gz_file_open(context, path, &file);
    if (status != GRAZE_OK)
        return status;
    status = gz_mesh_stream_file(&file, def, sink);
    gz_file_close(&file);
    return status;
}

graze_status graze_mesh_stream_memory(graze_context *context, const char *name, const void *bytes,
                                      uint64_t byte_count, const graze_mesh_read_def *def,
                                      const graze_mesh_sink *sink)
{
    if (context == NULL || name == NULL || sink == NULL || (bytes == NULL && byte_count != 0))
        return gz_fail_null(context, "graze_mesh_stream_memory");
    gz_file file;
    gz_file_open_memory(context, name, bytes, byte_count, &file);
    graze_status status = gz_mesh_stream_file(&file, def, sink);
    gz_file_close(&file);
    return status;
}
