// See png_file.h. The format: https://www.w3.org/TR/png-3/
#include "png_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "aside_file.h"

static void put_u32(uint8_t out[4], uint32_t x)
{
    for (int i = 0; i < 4; ++i)
        out[i] = (uint8_t)(x >> (24 - 8 * i));
}

static bool write_chunk(FILE *file, const char name[4], const uint8_t *bytes, uint32_t count)
{
    uint8_t head[8], sum[4];
    put_u32(head, count);
    memcpy(head + 4, name, 4);
    uLong crc = crc32(crc32(0, head + 4, 4), bytes, count);
    put_u32(sum, (uint32_t)crc);
    return fwrite(head, 1, 8, file) == 8 && fwrite(bytes, 1, count, file) == count &&
           fwrite(sum, 1, 4, file) == 4;
}

// Each row begins with its filter: 2, what is above is taken off.
static uint8_t *filter_rows(const uint8_t *pixels, uint32_t width, uint32_t height, size_t *count)
{
    size_t row = (size_t)width * 3;
    *count = (row + 1) * height;
    uint8_t *filtered = malloc(*count);
    for (uint32_t y = 0; filtered != NULL && y < height; ++y) {
        uint8_t *to = filtered + (row + 1) * y;
        *to++ = 2;
        for (size_t x = 0; x < row; ++x)
            to[x] = (uint8_t)(pixels[row * y + x] - (y == 0 ? 0 : pixels[row * (y - 1) + x]));
    }
    return filtered;
}

static bool write_picture(FILE *file, const uint8_t *pixels, uint32_t width, uint32_t height)
{
    static const uint8_t signature[8] = {137, 'P', 'N', 'G', '\r', '\n', 26, '\n'};
    uint8_t header[13] = {[8] = 8, [9] = 2}; // bits of a colour; red, green and blue
    put_u32(header, width);
    put_u32(header + 4, height);
    size_t count = 0;
    uint8_t *filtered = filter_rows(pixels, width, height, &count);
    uLongf room = compressBound((uLong)count);
    uint8_t *packed = malloc(room);
    bool good = filtered != NULL && packed != NULL;
    if (!good || compress2(packed, &room, filtered, (uLong)count, 9) != Z_OK) {
        good = false;
        errno = ENOMEM;
    }
    good = good && fwrite(signature, 1, 8, file) == 8 && write_chunk(file, "IHDR", header, 13) &&
           write_chunk(file, "IDAT", packed, (uint32_t)room) &&
           write_chunk(file, "IEND", header, 0);
    free(filtered);
    free(packed);
    return good;
}

int png_write(const char *path, const uint8_t *pixels, uint32_t width, uint32_t height)
{
    aside_file file;
    int error = aside_open(&file, path);
    if (error != 0)
        return error;
    errno = 0;
    if (write_picture(file.file, pixels, width, height))
        return aside_commit(&file);
    error = errno != 0 ? errno : EIO;
    aside_abandon(&file);
    return error;
}
