// UTF-8 from strangers: only well-formed sequences count (no overlong forms, no surrogates, nothing
// above U+10FFFF).
#ifndef GZ_UTF8_H
#define GZ_UTF8_H

#include <stdint.h>

// Bytes of the sequence at `text`, 1 to 4; 0 if none is well-formed within `left` bytes.
static inline uint32_t gz_utf8_length(const uint8_t *text, uint64_t left)
{
    uint8_t first = left != 0 ? text[0] : 0xff;
    if (first < 0x80)
        return 1;
    uint32_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0 || length > left)
        return 0;
    // The second byte's range is narrower where it would allow overlong forms and the rest.
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (text[1] < low || text[1] > high)
        return 0;
    for (uint32_t i = 2; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

// Writes a code point (below 0x110000, no surrogate) and returns the byte behind it.
static inline char *gz_utf8_print(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    uint32_t rest = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; // bytes after the first
    static const uint8_t mark[4] = {0x00, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(mark[rest] | (code >> (6 * rest)));
    while (rest-- != 0)
        *out++ = (char)(0x80 | ((code >> (6 * rest)) & 0x3f));
    return out;
}

#endif
