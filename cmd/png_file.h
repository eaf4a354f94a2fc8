// Writes a picture as a PNG file.
#ifndef GRAZE_CMD_PNG_FILE_H
#define GRAZE_CMD_PNG_FILE_H

#include <stdbool.h>
#include <stdint.h>

// `pixels` are red, green and blue, a byte each, row after row from the top. The file is written
// aside and takes its name when it is complete. Returns 0 or what errno says.
int png_write(const char *path, const uint8_t *pixels, uint32_t width, uint32_t height);

#endif
