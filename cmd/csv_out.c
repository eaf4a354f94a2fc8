// See csv_out.h.
#include "csv_out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "terminal.h"
#include "units.h"

static void begin_value(cmd_csv *csv)
{
    if (csv->filled)
        fputc(',', csv->file);
    csv->filled = true;
}

// Broken UTF-8 becomes U+FFFD, as in JSON.
static void put_text(cmd_csv *csv, const char *before, const char *text)
{
    begin_value(csv);
    if (text == NULL)
        return;
    bool quoted = strpbrk(text, "\",\r\n") != NULL;
    if (quoted)
        fputc('"', csv->file);
    fputs(before, csv->file);
    while (*text != '\0') {
        const char *from = text;
        uint32_t point = next_code_point(&text);
        if (point == '"')
            fputs("\"\"", csv->file);
        else if (point == 0xfffd)
            fputs("\xef\xbf\xbd", csv->file);
        else
            fwrite(from, 1, (size_t)(text - from), csv->file);
    }
    if (quoted)
        fputc('"', csv->file);
}

void csv_text(cmd_csv *csv, const char *text) { put_text(csv, "", text); }

void csv_cell(cmd_csv *csv, const char *text)
{
    bool formula = text != NULL && text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL;
    put_text(csv, formula ? "'" : "", text);
}

void csv_count(cmd_csv *csv, uint64_t count)
{
    begin_value(csv);
    fprintf(csv->file, "%" PRIu64, count);
}

void csv_reals(cmd_csv *csv, const double *values, int count)
{
    char text[TEXT_BYTES];
    for (int i = 0; i < count; ++i) {
        begin_value(csv);
        if (isfinite(values[i]))
            fputs(print_real(text, values[i]), csv->file);
    }
}

void csv_end_row(cmd_csv *csv)
{
    fputc('\n', csv->file);
    csv->filled = false;
}
