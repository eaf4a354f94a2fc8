// Words, numbers and names. See text.h.
#include "mesh/read/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/utf8.h"

#define EXCERPT_BYTES 40u

graze_status gz_text_start(gz_source *source)
{
    graze_status status = gz_text_fill(source);
    if (status != GRAZE_OK)
        return status;
    const uint8_t *at = source->cursor;
    if ((at[0] == 0xfe && at[1] == 0xff) || (at[0] == 0xff && at[1] == 0xfe))
        return gz_source_fail(source, at, "the text is UTF-16; only UTF-8 and ASCII are read");
    if (memcmp(at, GZ_TEXT_MARK, strlen(GZ_TEXT_MARK)) == 0)
        source->cursor += strlen(GZ_TEXT_MARK); // slack holds no mark, so that it is all there
    return GRAZE_OK;
}

void gz_text_warn_of_open_line(gz_source *source, bool blank)
{
    uint8_t last = gz_source_last_byte(source);
    bool ended = last == '\n' || last == '\r' || (blank && (last == ' ' || last == '\t'));
    if (gz_text_ended(source) && !ended)
        gz_log(source->context, GRAZE_LOG_WARNING,
               "%s: byte %" PRIu64
               ": the last line has no end: the file may have been cut off here",
               source->path, gz_source_offset(source, source->limit));
}

graze_status gz_text_expected(gz_source *source, const char *what)
{
    if (gz_text_ended(source))
        return gz_source_fail(source, source->cursor, "expected %s, but the file ends here", what);
    char word[EXCERPT_BYTES + 4];
    size_t length = 0;
    const uint8_t *at = source->cursor;
    for (; length < EXCERPT_BYTES && at < source->limit && (*at > ' ' || at == source->cursor);
         ++at)
        word[length++] = *at >= ' ' && *at < 0x7f ? (char)*at : '?';
    memcpy(word + length, length == EXCERPT_BYTES ? "..." : "", 4 - 3 * (length < EXCERPT_BYTES));
    return gz_source_fail(source, source->cursor, "expected %s, found \"%s\"", what, word);
}

graze_status gz_text_long_double(gz_source *source, double *value)
{
    graze_status status = gz_source_need(source, GZ_SOURCE_WINDOW);
    if (status != GRAZE_OK)
        return status;
    const uint8_t *end = gz_parse_double(source->cursor, value);
    if (end == NULL || (*end > ' ' && *end != '\\' && *end != '#') ||
        (end == source->limit && !source->ended))
        return gz_text_expected(source, "a number");
    source->cursor = end;
    return GRAZE_OK;
}

static bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

// The length of the end of line at `at`: 0 if there is none.
static size_t line_end(const uint8_t *at)
{
    if (*at == '\r')
        return at[1] == '\n' ? 2 : 1;
    return *at == '\n';
}

void gz_text_clean_name(const uint8_t *bytes, size_t length, char name[GZ_NAME_BYTES + 1])
{
    while (length != 0 && is_blank(bytes[length - 1]))
        --length;
    const uint8_t *end = bytes + length;
    while (bytes < end && is_blank(*bytes))
        ++bytes;
    char *out = name;
    while (bytes < end && out + 4 <= name + GZ_NAME_BYTES) {
        uint32_t sequence = gz_utf8_length(bytes, (uint64_t)(end - bytes));
        if (sequence == 0) {
            out = gz_utf8_print(out, *bytes++);
        } else {
            memcpy(out, bytes, sequence);
            out += sequence;
            bytes += sequence;
        }
    }
    *out = '\0';
}

graze_status gz_text_name(gz_source *source, bool continues, bool (*stops)(const uint8_t *at),
                          char name[GZ_NAME_BYTES + 1])
{
    uint8_t bytes[GZ_NAME_BYTES];
    size_t length = 0;
    graze_status status = GRAZE_OK;
    while ((status = gz_text_fill(source)) == GRAZE_OK && !gz_text_ended(source)) {
        const uint8_t *at = source->cursor;
        bool word_starts = length == 0 || is_blank(bytes[length - 1]);
        if (line_end(at) != 0 || (word_starts && stops != NULL && stops(at)))
            break;
        size_t joined = continues && *at == '\\' ? line_end(at + 1) : 0;
        source->cursor += 1 + joined;
        uint8_t byte = joined != 0 ? ' ' : *at == 0 ? '_' : *at;
        if (length == 0 && is_blank(byte))
            continue;
        if (length == GZ_NAME_BYTES)
            return gz_source_fail(source, at, "a name is longer than %u bytes", GZ_NAME_BYTES);
        bytes[length++] = byte;
    }
    gz_text_clean_name(bytes, length, name);
    return status;
}

// A cut must not leave half a character: continuation bytes of UTF-8 are 10xxxxxx.
static size_t whole_characters(const char *text, size_t length, size_t limit)
{
    if (length <= limit)
        return length;
    while (limit != 0 && ((uint8_t)text[limit] & 0xc0) == 0x80)
        --limit;
    return limit;
}

bool gz_text_keep_name(const char *name, char held[GZ_NAME_BYTES + 1])
{
    size_t length = strlen(name);
    size_t kept = whole_characters(name, length, GZ_NAME_BYTES);
    bool changed = kept != length;
    for (size_t i = 0; i < kept; ++i) {
        uint8_t byte = (uint8_t)name[i];
        bool at_end = i == 0 || i + 1 == kept;
        bool fits = byte > ' ' ? byte != 0x7f : byte == ' ' && !at_end;
        held[i] = fits ? name[i] : '_';
        changed |= !fits;
    }
    held[kept] = '\0';
    return changed;
}

void gz_text_warn_names(graze_context *context, const char *path)
{
    gz_log(context, GRAZE_LOG_WARNING,
           "%s: names of objects have characters that the format cannot hold: '_' stands for them",
           path);
}
