// What the reader and the writer of STL agree on.
//
// offset size  binary STL, little-endian
//      0   80  header: anything; here the object's name, or zeros
//     80    4  triangle_count
//     84   50  each triangle: normal, three corners (12 floats), 2 bytes of attributes
#ifndef GZ_STL_H
#define GZ_STL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GZ_STL_HEADER_BYTES   80u
#define GZ_STL_START_BYTES    84u // header and count
#define GZ_STL_TRIANGLE_BYTES 50u
#define GZ_STL_NORMAL_BYTES   12u

// Does the text start with this word, in any case, and does the word end there? `word` is in lower
// case. The text must end in a byte that no word contains.
static inline bool gz_stl_word(const uint8_t *text, const char *word, size_t length)
{
    for (size_t i = 0; i < length; ++i)
        if ((text[i] | 0x20) != (uint8_t)word[i])
            return false;
    return text[length] <= ' ';
}

// A solid's name is the rest of its line, but some files have the first facet there too: the name
// ends where the words "facet normal" begin. Looks at no more than 32 bytes.
static inline bool gz_stl_facet_starts(const uint8_t *text)
{
    if (!gz_stl_word(text, "facet", 5))
        return false;
    size_t blanks = 0;
    while (blanks < 16 && (text[5 + blanks] == ' ' || text[5 + blanks] == '\t'))
        ++blanks;
    return gz_stl_word(text + 5 + blanks, "normal", 6);
}

#endif
