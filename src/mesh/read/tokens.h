// Text that is one long row of tokens with white space between them, as in PLY and OFF: where a
// line ends does not matter. Builds on text.h.
//
// Rule: after gz_token_next the cursor is at the first byte of a token, and the token is in the
// window as a whole, unless it is longer than GZ_TEXT_AHEAD; the functions below deal with that.
#ifndef GZ_TOKENS_H
#define GZ_TOKENS_H

#include "mesh/read/text.h"

static inline bool gz_is_blank(uint8_t byte)
{
    return byte == ' ' || (uint8_t)(byte - '\t') <= '\r' - '\t';
}

// Moves to the next token, past white space and, if `comments`, past lines that begin with #.
// At the end of the file the cursor is at the limit, and that is no failure.
graze_status gz_token_find(gz_source *source, bool comments);
static inline graze_status gz_token_next(gz_source *source, bool comments)
{
    while (gz_is_blank(*source->cursor))
        ++source->cursor;
    if (gz_source_left(source) >= GZ_TEXT_AHEAD && (*source->cursor != '#' || !comments))
        return GRAZE_OK;
    return gz_token_find(source, comments);
}

// Each takes the token at the cursor. What is no such number fails with a sentence that names
// `what`, such as "a coordinate".
graze_status gz_token_long_float(gz_source *source, const char *what, float *value);
static inline graze_status gz_token_float(gz_source *source, const char *what, float *value)
{
    const uint8_t *end = gz_parse_float(source->cursor, value);
    if (end == NULL || *end > ' ' || end >= source->limit)
        return gz_token_long_float(source, what, value);
    source->cursor = end;
    return GRAZE_OK;
}

graze_status gz_token_long_double(gz_source *source, const char *what, double *value);
static inline graze_status gz_token_double(gz_source *source, const char *what, double *value)
{
    const uint8_t *end = gz_parse_double(source->cursor, value);
    if (end == NULL || *end > ' ' || end >= source->limit)
        return gz_token_long_double(source, what, value);
    source->cursor = end;
    return GRAZE_OK;
}

// Also takes integers that are written with a point or an exponent.
graze_status gz_token_long_integer(gz_source *source, const char *what, int64_t *value);
static inline graze_status gz_token_integer(gz_source *source, const char *what, int64_t *value)
{
    const uint8_t *end = gz_parse_int64(source->cursor, value);
    if (end == NULL || *end > ' ' || end >= source->limit)
        return gz_token_long_integer(source, what, value);
    source->cursor = end;
    return GRAZE_OK;
}

// Moves to the end of the line, or of the file.
graze_status gz_token_skip_line(gz_source *source);

// Passes over the token, however long it is.
graze_status gz_token_skip(gz_source *source, const char *what);

#endif
