// Text as STL and OBJ have it: words, numbers and names, read from a source whose window may end
// anywhere, and names written so that they read back.
//
// Rule: a reader that has called gz_text_fill has the next GZ_TEXT_AHEAD bytes before it, or all
// that are left, so that it may look at a word as a whole.
#ifndef GZ_TEXT_H
#define GZ_TEXT_H

#include <stdbool.h>

#include "mesh/number.h"
#include "mesh/read/source.h"

#define GZ_TEXT_MARK  "\xef\xbb\xbf" // byte order mark, as some editors put it in front of UTF-8
#define GZ_TEXT_AHEAD 1024u
#define GZ_NAME_BYTES 4096u // the longest name

static inline graze_status gz_text_fill(gz_source *source)
{
    if (gz_source_left(source) >= GZ_TEXT_AHEAD || source->ended)
        return GRAZE_OK;
    return gz_source_need(source, GZ_TEXT_AHEAD);
}

static inline bool gz_text_ended(const gz_source *source)
{
    return source->cursor == source->limit && source->ended;
}

// Passes over a byte order mark at the start of a file, and refuses that of UTF-16.
graze_status gz_text_start(gz_source *source);

// At the end of the file: warns if its last line has no end, since a number that lost digits there
// is still a number. `blank`: any white space is end enough.
void gz_text_warn_of_open_line(gz_source *source, bool blank);

// Logs `expected <what>, found "<the word at the cursor>"`, or that the file ends here.
graze_status gz_text_expected(gz_source *source, const char *what);

// The number at the cursor, however long, up to the white space (or \ or #) behind it.
graze_status gz_text_long_double(gz_source *source, double *value);
static inline graze_status gz_text_double(gz_source *source, double *value)
{
    const uint8_t *end = gz_parse_double(source->cursor, value);
    if (end == NULL || *end > ' ' || end >= source->limit)
        return gz_text_long_double(source, value);
    source->cursor = end;
    return GRAZE_OK;
}

// Without the blanks at its ends, and as UTF-8: bytes that are not are taken for Latin-1.
void gz_text_clean_name(const uint8_t *bytes, size_t length, char name[GZ_NAME_BYTES + 1]);

// The rest of the line without the blanks at its ends; the cursor stops at the end of the line.
// `continues`: a backslash at the end of a line makes the next one part of it. `stops`, unless
// NULL, says where else the name ends. Fails if the name is longer than GZ_NAME_BYTES.
graze_status gz_text_name(gz_source *source, bool continues, bool (*stops)(const uint8_t *at),
                          char name[GZ_NAME_BYTES + 1]);

// Copies a name into a line of text: control characters and blanks at the ends become '_', and what
// is longer than GZ_NAME_BYTES is cut. True if the name had to change.
bool gz_text_keep_name(const char *name, char held[GZ_NAME_BYTES + 1]);
void gz_text_warn_names(graze_context *context, const char *path); // that names were changed

#endif
