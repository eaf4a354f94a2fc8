// The rare cases of reading tokens: at the window's end, long, or wrong. See tokens.h.
#include "mesh/read/tokens.h"

#define LONGEST_INTEGER 9007199254740992.0 // doubles below are exact integers

graze_status gz_token_skip_line(gz_source *source)
{
    for (;;) {
        while (source->cursor < source->limit && *source->cursor != '\n' && *source->cursor != '\r')
            ++source->cursor;
        if (source->cursor < source->limit || source->ended)
            return GRAZE_OK;
        graze_status status = gz_source_need(source, 1);
        if (status != GRAZE_OK)
            return status;
    }
}

graze_status gz_token_find(gz_source *source, bool comments)
{
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK) {
        while (gz_is_blank(*source->cursor))
            ++source->cursor; // stops at the limit at the latest: slack is not blank
        if (source->cursor == source->limit) {
            if (source->ended)
                break;
            status = gz_text_fill(source);
        } else if (comments && *source->cursor == '#') {
            status = gz_token_skip_line(source);
        } else {
            return gz_text_fill(source);
        }
    }
    return status;
}

// True if the token ends at `end`, as far as can be seen.
static bool is_whole(const gz_source *source, const uint8_t *end)
{
    return end != NULL && (end < source->limit ? *end <= ' ' || *end == '#'
                                               : end == source->limit && source->ended);
}

static graze_status refuse(gz_source *source, const uint8_t *end, const char *what)
{
    if (end != NULL && end >= source->limit && !source->ended)
        return gz_source_fail(source, source->cursor, "%s is longer than %u bytes", what,
                              GZ_SOURCE_WINDOW);
    return gz_text_expected(source, what);
}

graze_status gz_token_long_float(gz_source *source, const char *what, float *value)
{
    graze_status status = gz_source_need(source, GZ_SOURCE_WINDOW);
    if (status != GRAZE_OK)
        return status;
    const uint8_t *end = gz_parse_float(source->cursor, value);
    if (!is_whole(source, end))
        return refuse(source, end, what);
    source->cursor = end;
    return GRAZE_OK;
}

graze_status gz_token_long_double(gz_source *source, const char *what, double *value)
{
    graze_status status = gz_source_need(source, GZ_SOURCE_WINDOW);
    if (status != GRAZE_OK)
        return status;
    const uint8_t *end = gz_parse_double(source->cursor, value);
    if (!is_whole(source, end))
        return refuse(source, end, what);
    source->cursor = end;
    return GRAZE_OK;
}

graze_status gz_token_long_integer(gz_source *source, const char *what, int64_t *value)
{
    graze_status status = gz_source_need(source, GZ_SOURCE_WINDOW);
    if (status != GRAZE_OK)
        return status;
    const uint8_t *end = gz_parse_int64(source->cursor, value);
    if (!is_whole(source, end)) {
        double wide = 0;
        end = gz_parse_double(source->cursor, &wide);
        if (!is_whole(source, end))
            return refuse(source, end, what);
        if (!(wide >= -LONGEST_INTEGER && wide <= LONGEST_INTEGER) || wide != (double)(int64_t)wide)
            return gz_text_expected(source, what);
        *value = (int64_t)wide;
    }
    source->cursor = end;
    return GRAZE_OK;
}

graze_status gz_token_skip(gz_source *source, const char *what)
{
    if (source->cursor == source->limit)
        return gz_text_expected(source, what); // the file has ended
    for (;;) {
        while (*source->cursor > ' ')
            ++source->cursor;
        if (source->cursor < source->limit) // another control character is no part of a text
            return gz_is_blank(*source->cursor) ? GRAZE_OK : gz_text_expected(source, what);
        if (source->ended)
            return GRAZE_OK;
        graze_status status = gz_source_need(source, 1);
        if (status != GRAZE_OK)
            return status;
    }
}
