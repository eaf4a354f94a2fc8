// Builds small glTF files for tests. See gltf_text.h.
#include "gltf_text.h"

#include <stdlib.h>

void gltf_put(gltf_bytes *to, const void *bytes, uint64_t count)
{
    if (to->count + count > to->capacity) {
        to->capacity = 2 * (to->count + count);
        to->bytes = realloc(to->bytes, (size_t)to->capacity);
        assert_non_null(to->bytes);
    }
    if (count != 0)
        memcpy(to->bytes + to->count, bytes, (size_t)count);
    to->count += count;
}

static void put_integers(gltf_bytes *to, uint32_t count, const int *values, uint32_t size)
{
    for (uint32_t i = 0; i < count; ++i)
        gltf_put(to, &values[i], size); // little-endian
}

void gltf_put_u8(gltf_bytes *to, uint32_t count, const int *values)
{
    put_integers(to, count, values, 1);
}

void gltf_put_u16(gltf_bytes *to, uint32_t count, const int *values)
{
    put_integers(to, count, values, 2);
}

void gltf_put_u32(gltf_bytes *to, uint32_t count, const int *values)
{
    put_integers(to, count, values, 4);
}

void gltf_put_floats(gltf_bytes *to, uint32_t count, const float *values)
{
    gltf_put(to, values, (uint64_t)count * sizeof *values);
}

void gltf_free(gltf_bytes *bytes)
{
    free(bytes->bytes);
    *bytes = (gltf_bytes){0};
}

static void put_base64(gltf_bytes *to, const gltf_bytes *data)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (uint64_t i = 0; i < data->count; i += 3) {
        uint32_t bits = 0;
        for (uint64_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < data->count ? data->bytes[i + k] : 0u);
        char four[4];
        for (int k = 0; k < 4; ++k)
            four[k] = digits[bits >> (18 - 6 * k) & 63];
        if (data->count - i < 3)
            four[3] = '=';
        if (data->count - i < 2)
            four[2] = '=';
        gltf_put(to, four, 4);
    }
}

static void put_buffers(gltf_bytes *to, gltf_kind kind, const gltf_bytes *data)
{
    char text[200];
    int length = snprintf(text, sizeof text, "\"buffers\":[{\"byteLength\":%llu%s",
                          (unsigned long long)data->count,
                          kind == GLTF_TEXT ? ",\"uri\":\"data:x/y;base64," : "");
    gltf_put(to, text, (uint64_t)length);
    if (kind == GLTF_TEXT) {
        put_base64(to, data);
        gltf_put(to, "\"", 1);
    }
    gltf_put(to, "}]", 2);
}

gltf_bytes gltf_glb(const char *json, uint64_t json_bytes, const void *binary,
                    uint64_t binary_bytes)
{
    gltf_bytes glb = {0};
    uint64_t json_padded = (json_bytes + 3) / 4 * 4, binary_padded = (binary_bytes + 3) / 4 * 4;
    uint64_t total = 12 + 8 + json_padded + (binary_bytes != 0 ? 8 + binary_padded : 0);
    gltf_put(&glb, "glTF", 4);
    gltf_put_u32(&glb, 2, (int[]){2, (int)total});
    gltf_put_u32(&glb, 1, (int[]){(int)json_padded});
    gltf_put(&glb, "JSON", 4);
    gltf_put(&glb, json, json_bytes);
    gltf_put(&glb, "   ", json_padded - json_bytes);
    if (binary_bytes != 0) {
        gltf_put_u32(&glb, 1, (int[]){(int)binary_padded});
        gltf_put(&glb, "BIN", 4);
        gltf_put(&glb, binary, binary_bytes);
        gltf_put(&glb, "\0\0\0", binary_padded - binary_bytes);
    }
    return glb;
}

gltf_bytes gltf_build(gltf_kind kind, const char *json, const gltf_bytes *data)
{
    gltf_bytes text = {0};
    for (; *json != '\0'; ++json)
        if (*json == '$')
            put_buffers(&text, kind, data);
        else
            gltf_put(&text, *json == '\'' ? "\"" : json, 1);
    if (kind == GLTF_TEXT)
        return text;
    gltf_bytes glb = gltf_glb((const char *)text.bytes, text.count, data->bytes, data->count);
    gltf_free(&text);
    return glb;
}

graze_status gltf_read(graze_context *context, gltf_kind kind, const char *json,
                       const gltf_bytes *data, record *r)
{
    gltf_bytes file = gltf_build(kind, json, data);
    // An exact copy, so that the sanitizer sees reads beyond the end.
    uint8_t *exact = malloc((size_t)file.count);
    memcpy(exact, file.bytes, (size_t)file.count);
    graze_status status = record_read(context, kind == GLTF_GLB ? "t.glb" : "t.gltf", exact,
                                      file.count, GRAZE_FORMAT_GLTF, r);
    free(exact);
    gltf_free(&file);
    return status;
}

static graze_status tally_vertices(void *user, const void *positions, uint64_t count)
{
    gltf_tally *tally = user;
    tally->vertex_count += count;
    for (uint64_t i = 0; i < count; ++i)
        tally->sum += (double)((const float *)positions)[3 * i];
    return GRAZE_OK;
}

static graze_status tally_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    gltf_tally *tally = user;
    (void)corners;
    tally->triangle_count += count;
    return GRAZE_OK;
}

graze_mesh_sink gltf_tally_sink(gltf_tally *tally)
{
    return (graze_mesh_sink){
        .user = tally,
        .vertices = tally_vertices,
        .triangles = tally_triangles,
    };
}
