// See html_text.h.
#include "html_text.h"

#include <stdbool.h>

#include "terminal.h"

// Also those that turn the direction of what follows, which could hide what a name is.
static bool is_unfit(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xfffd ||
           (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
           (point & 0xfffe) == 0xfffe;
}

void html_text(FILE *file, const char *text)
{
    while (*text != '\0') {
        const char *from = text;
        uint32_t point = next_code_point(&text);
        if (is_unfit(point))
            fputs("\xef\xbf\xbd", file);
        else if (point == '&' || point == '<' || point == '>' || point == '"' || point == '\'')
            fprintf(file, "&#%u;", (unsigned)point);
        else
            fwrite(from, 1, (size_t)(text - from), file);
    }
}

void script_text(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text != '\0') {
        const char *from = text;
        uint32_t point = next_code_point(&text);
        if (is_unfit(point))
            fputs("\\ufffd", file);
        else if (point == '"' || point == '\\' || point == '<' || point == '>' || point == '&' ||
                 point == 0x2028 || point == 0x2029)
            fprintf(file, "\\u%04x", (unsigned)point);
        else
            fwrite(from, 1, (size_t)(text - from), file);
    }
    fputc('"', file);
}
