// Where the bytes of a glTF lie: in the binary chunk of a GLB, in files beside it, or as base64 in
// the JSON itself. See gltf.h.
//
// Base64 is not unpacked: any byte's place in the text is known, so pieces are decoded as they are
// read. Files beside the glTF are opened when needed, and only a few at a time, however many are
// named.
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/context.h"
#include "mesh/gltf/gltf.h"

#define MOST_OPEN_FILES 16u // more than one accessor needs at a time

graze_status gz_gltf_buffers_open(gz_gltf *gltf)
{
    uint32_t list = gz_json_member(&gltf->json, 0, "buffers");
    uint32_t count = gz_json_count(&gltf->json, list);
    if (count == 0)
        return GRAZE_OK;
    gltf->buffers = GZ_NEW_ARRAY(gltf->context, gz_gltf_buffer, count);
    if (gltf->buffers == NULL)
        return gz_gltf_out_of_memory(gltf);
    gltf->buffer_count = count;
    memset(gltf->buffers, 0, count * sizeof *gltf->buffers);
    uint32_t item = gz_json_first(&gltf->json, list);
    for (uint32_t i = 0; i < count; ++i) {
        if (gz_json_kind_of(&gltf->json, item) != GZ_JSON_OBJECT)
            return gz_json_fail(&gltf->json, item, "buffer %" PRIu32 " is not an object", i);
        gltf->buffers[i].token = item;
        item = gz_json_after(&gltf->json, list, item);
    }
    return GRAZE_OK;
}

static void close_buffer(gz_gltf_buffer *buffer)
{
    if (buffer->file == &buffer->own_file) {
        gz_file_close(&buffer->own_file);
        buffer->open = false;
    }
    buffer->file = NULL;
}

void gz_gltf_buffers_close(gz_gltf *gltf)
{
    for (uint32_t i = 0; i < gltf->buffer_count; ++i) {
        close_buffer(&gltf->buffers[i]);
        gz_string_free(gltf->context, gltf->buffers[i].own_path);
    }
    GZ_FREE_ARRAY(gltf->context, gltf->buffers, gltf->buffer_count);
    gltf->buffers = NULL;
    gltf->buffer_count = 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Replaces %41 and the like in place and returns the new length. A percent sign without two digits
// stands for itself: many programs forget to encode it.
static uint64_t percent_decode(char *text, uint64_t length)
{
    uint64_t out = 0;
    for (uint64_t in = 0; in < length; ++in, ++out) {
        text[out] = text[in];
        if (text[in] != '%' || length - in < 3)
            continue;
        int high = hex_digit(text[in + 1]), low = hex_digit(text[in + 2]);
        if (high < 0 || low < 0)
            continue;
        text[out] = (char)(high * 16 + low);
        in += 2;
    }
    return out;
}

// The value of each base64 character plus 1; 0 for all that are none.
static const uint8_t base64_value[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

// The three bytes of the four characters at `text`; where `left` is less, zeros stand in.
static uint32_t decode_quad(const char *text, uint64_t left)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 4; ++i)
        bits = bits << 6 | (i < left ? (uint32_t)base64_value[(uint8_t)text[i]] - 1u : 0u);
    return bits;
}

static void read_base64(const gz_gltf_buffer *buffer, uint64_t offset, uint8_t *out, uint64_t bytes)
{
    uint64_t at = offset / 3 * 4;
    uint32_t skip = (uint32_t)(offset % 3);
    while (bytes != 0) {
        const char *text = buffer->base64 + at;
        if (skip == 0 && bytes >= 3) { // then all four characters are there
            uint32_t bits = ((uint32_t)base64_value[(uint8_t)text[0]] - 1u) << 18 |
                            ((uint32_t)base64_value[(uint8_t)text[1]] - 1u) << 12 |
                            ((uint32_t)base64_value[(uint8_t)text[2]] - 1u) << 6 |
                            ((uint32_t)base64_value[(uint8_t)text[3]] - 1u);
            out[0] = (uint8_t)(bits >> 16);
            out[1] = (uint8_t)(bits >> 8);
            out[2] = (uint8_t)bits;
            out += 3;
            bytes -= 3;
        } else {
            uint32_t bits = decode_quad(text, buffer->base64_count - at);
            for (; skip < 3 && bytes != 0; ++skip, --bytes)
                *out++ = (uint8_t)(bits >> (16 - 8 * skip));
            skip = 0;
        }
        at += 4;
    }
}

static graze_status fail_short(gz_gltf *gltf, uint32_t index, uint64_t there)
{
    return gz_json_fail(&gltf->json, gltf->buffers[index].token,
                        "buffer %" PRIu32 " should have %" PRIu64
                        " bytes, but there are only %" PRIu64,
                        index, gltf->buffers[index].byte_count, there);
}

// `at` is behind the comma of "data:...;base64,".
static graze_status open_base64(gz_gltf *gltf, uint32_t index, uint32_t uri, char *at, char *end)
{
    gz_gltf_buffer *buffer = &gltf->buffers[index];
    uint64_t count = (uint64_t)(end - at);
    if (memchr(at, '%', (size_t)count) != NULL)
        count = percent_decode(at, count);
    for (int padding = 0; padding < 2 && count != 0 && at[count - 1] == '='; ++padding)
        --count;
    uint8_t worst = 0xff;
    for (uint64_t i = 0; i < count; ++i) {
        uint8_t value = base64_value[(uint8_t)at[i]];
        worst = value < worst ? value : worst;
    }
    for (uint64_t i = 0; worst == 0 && i < count; ++i)
        if (base64_value[(uint8_t)at[i]] == 0)
            return gz_fail(
                gltf->context, GRAZE_ERROR_FORMAT,
                "%s: byte %" PRIu64 ": buffer %" PRIu32 " has a character that is not base64",
                gltf->path, gltf->json.file_offset + (uint64_t)(at + i - gltf->text), index);
    if (count % 4 == 1)
        return gz_json_fail(&gltf->json, uri,
                            "buffer %" PRIu32 " has one base64 character too many", index);
    buffer->base64 = at;
    buffer->base64_count = count;
    buffer->path = gltf->path;
    buffer->start = gltf->json.file_offset + (uint64_t)(at - gltf->text);
    uint64_t there = count / 4 * 3 + (count % 4 != 0 ? count % 4 - 1 : 0);
    return there < buffer->byte_count ? fail_short(gltf, index, there) : GRAZE_OK;
}

static graze_status open_data_uri(gz_gltf *gltf, uint32_t index, uint32_t uri)
{
    // The text is ours, and nobody reads this string again: escapes can be taken out in place.
    const gz_json_token *token = &gltf->json.tokens[uri];
    char *at = gltf->text + token->start, *end = gltf->text + token->end;
    if (token->escaped)
        end = at + gz_json_decode(&gltf->json, uri, at);
    char *comma = memchr(at, ',', (size_t)(end - at));
    static const char mark[] = ";base64";
    size_t mark_length = sizeof mark - 1;
    if (comma == NULL || (size_t)(comma - at) < mark_length ||
        memcmp(comma - mark_length, mark, mark_length) != 0)
        return gz_json_fail(&gltf->json, uri,
                            "buffer %" PRIu32 " is a data URI without \";base64,\"", index);
    return open_base64(gltf, index, uri, comma + 1, end);
}

// The path of a file beside the glTF, for messages.
static char *path_beside(gz_gltf *gltf, const char *relative)
{
    const char *slash = strrchr(gltf->path, '/');
    uint64_t folder = slash != NULL ? (uint64_t)(slash - gltf->path) + 1 : 0;
    uint64_t length = strlen(relative);
    char *path = gz_allocate(gltf->context, folder + length + 1);
    if (path != NULL) {
        memcpy(path, gltf->path, (size_t)folder);
        memcpy(path + folder, relative, (size_t)length + 1);
    }
    return path;
}

static void close_oldest(gz_gltf *gltf)
{
    for (uint32_t i = 0; i < gltf->buffer_count; ++i) {
        gz_gltf_buffer *buffer = &gltf->buffers[i];
        if (buffer->file == &buffer->own_file &&
            gltf->files_opened - buffer->opened_as >= MOST_OPEN_FILES)
            close_buffer(buffer);
    }
}

static graze_status open_beside(gz_gltf *gltf, uint32_t index, uint32_t uri, const char *relative)
{
    gz_gltf_buffer *buffer = &gltf->buffers[index];
    if (gltf->file->memory != NULL)
        return gz_json_fail(&gltf->json, uri,
                            "buffer %" PRIu32 " lies in \"%.200s\", but a glTF that is read from "
                            "memory opens no other files",
                            index, relative);
    if (buffer->own_path == NULL)
        buffer->own_path = path_beside(gltf, relative);
    if (buffer->own_path == NULL)
        return gz_gltf_out_of_memory(gltf);
    const char *problem = NULL;
    graze_status status = gz_file_open_beneath(gltf->context, gltf->path, relative,
                                               buffer->own_path, &buffer->own_file, &problem);
    if (status != GRAZE_OK)
        return gz_fail(gltf->context, status,
                       "%s: byte %" PRIu64 ": buffer %" PRIu32
                       " lies in \"%.200s\", which cannot be opened: %s",
                       gltf->path, gz_json_offset(&gltf->json, uri), index, relative, problem);
    buffer->file = &buffer->own_file;
    buffer->path = buffer->own_path;
    buffer->opened_as = ++gltf->files_opened;
    close_oldest(gltf);
    if (buffer->own_file.byte_count < buffer->byte_count)
        return gz_fail(gltf->context, GRAZE_ERROR_FORMAT,
                       "%s: byte %" PRIu64 ": the file ends here, but buffer %" PRIu32
                       " of %s should have %" PRIu64 " bytes",
                       buffer->path, buffer->own_file.byte_count, index, gltf->path,
                       buffer->byte_count);
    return GRAZE_OK;
}

static graze_status open_uri(gz_gltf *gltf, uint32_t index, uint32_t uri)
{
    const gz_json_token *token = &gltf->json.tokens[uri];
    if (token->end - token->start >= 5 && memcmp(gltf->text + token->start, "data:", 5) == 0)
        return open_data_uri(gltf, index, uri);
    char *relative = gz_json_copy(&gltf->json, uri);
    if (relative == NULL)
        return gz_gltf_out_of_memory(gltf);
    uint64_t room = strlen(relative) + 1;
    uint64_t length = percent_decode(relative, room - 1);
    relative[length] = '\0';
    graze_status status =
        strlen(relative) != length
            ? gz_json_fail(&gltf->json, uri,
                           "buffer %" PRIu32 " has a zero byte in its file's name", index)
            : open_beside(gltf, index, uri, relative);
    gz_release(gltf->context, relative, room);
    return status;
}

// A buffer without a URI: the binary chunk, if this is a GLB and its first buffer.
static graze_status open_binary(gz_gltf *gltf, uint32_t index)
{
    gz_gltf_buffer *buffer = &gltf->buffers[index];
    uint32_t extensions = gz_json_member(&gltf->json, buffer->token, "extensions");
    if (gz_json_member(&gltf->json, extensions, "EXT_meshopt_compression") != GZ_JSON_NONE)
        return gz_fail(
            gltf->context, GRAZE_ERROR_UNSUPPORTED,
            "%s: byte %" PRIu64 ": buffer %" PRIu32
            " is packed by the extension EXT_meshopt_compression, which is not supported",
            gltf->path, gz_json_offset(&gltf->json, buffer->token), index);
    if (index != 0 || !gltf->has_binary)
        return gz_json_fail(&gltf->json, buffer->token,
                            index == 0 && gltf->glb
                                ? "buffer %" PRIu32 " should be the binary chunk, but there is none"
                                : "buffer %" PRIu32 " has no uri",
                            index);
    if (gltf->binary_bytes < buffer->byte_count)
        return fail_short(gltf, index, gltf->binary_bytes);
    if (gltf->spill.context != NULL)
        buffer->spill = &gltf->spill;
    else
        buffer->file = gltf->file;
    buffer->start = gltf->binary_start;
    buffer->path = gltf->path;
    return GRAZE_OK;
}

static graze_status open_buffer(gz_gltf *gltf, uint32_t index)
{
    gz_gltf_buffer *buffer = &gltf->buffers[index];
    uint32_t uri = gz_json_member(&gltf->json, buffer->token, "uri");
    graze_status status = GRAZE_OK;
    if (uri == GZ_JSON_NONE)
        status = open_binary(gltf, index);
    else if (gz_json_kind_of(&gltf->json, uri) != GZ_JSON_STRING)
        status =
            gz_json_fail(&gltf->json, uri, "the uri of buffer %" PRIu32 " is not a string", index);
    else
        status = open_uri(gltf, index, uri);
    buffer->open = status == GRAZE_OK;
    return status;
}

graze_status gz_gltf_buffer_check(gz_gltf *gltf, uint32_t index)
{
    gz_gltf_buffer *buffer = &gltf->buffers[index];
    if (buffer->known)
        return GRAZE_OK;
    graze_status status =
        gz_gltf_require_uint(gltf, buffer->token, "byteLength", INT64_MAX, &buffer->byte_count);
    if (status == GRAZE_OK)
        status = open_buffer(gltf, index);
    if (status != GRAZE_OK)
        return status;
    buffer->known = true;
    gltf->there_bytes += buffer->byte_count;
    return GRAZE_OK;
}

graze_status gz_gltf_buffer_read(gz_gltf *gltf, uint32_t index, uint64_t offset, void *out,
                                 uint64_t bytes)
{
    gz_gltf_buffer *buffer = &gltf->buffers[index];
    GZ_ASSERT(buffer->known && bytes <= buffer->byte_count && offset <= buffer->byte_count - bytes);
    if (!buffer->open) {
        graze_status status = open_buffer(gltf, index);
        if (status != GRAZE_OK)
            return status;
    }
    if (buffer->file != NULL)
        return gz_file_read_at(buffer->file, buffer->start + offset, out, bytes);
    if (buffer->spill != NULL)
        return gz_spill_read(buffer->spill, offset, out, bytes);
    read_base64(buffer, offset, out, bytes);
    return GRAZE_OK;
}

graze_status gz_gltf_buffer_fail(gz_gltf *gltf, uint32_t index, uint64_t offset, const char *format,
                                 ...)
{
    const gz_gltf_buffer *buffer = &gltf->buffers[index];
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (buffer->base64 != NULL)
        offset = offset / 3 * 4;
    return gz_fail(gltf->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s", buffer->path,
                   buffer->start + offset, sentence);
}
