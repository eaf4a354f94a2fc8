// See json_out.h.
#include "json_out.h"

#include <inttypes.h>
#include <math.h>

#include "terminal.h"
#include "units.h"

// Broken UTF-8 becomes U+FFFD, so that the output is valid whatever a file's names hold.
static void print_string(cmd_json *json, const char *text)
{
    fputc('"', json->file);
    while (*text != '\0') {
        const char *from = text;
        uint32_t point = next_code_point(&text);
        if (point == '"' || point == '\\')
            fprintf(json->file, "\\%c", (int)point);
        else if (point < 0x20 || point == 0x7f || point == 0xfffd)
            fprintf(json->file, "\\u%04x", (unsigned)point);
        else
            fwrite(from, 1, (size_t)(text - from), json->file);
    }
    fputc('"', json->file);
}

static void begin_value(cmd_json *json, const char *key)
{
    if (json->filled)
        fputs(", ", json->file);
    json->filled = true;
    if (key != NULL) {
        print_string(json, key);
        fputs(": ", json->file);
    }
}

void json_open(cmd_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->file);
    json->filled = false;
}

void json_close(cmd_json *json, char bracket)
{
    fputc(bracket, json->file);
    json->filled = true;
}

void json_text(cmd_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text == NULL)
        fputs("null", json->file);
    else
        print_string(json, text);
}

void json_count(cmd_json *json, const char *key, uint64_t count)
{
    begin_value(json, key);
    fprintf(json->file, "%" PRIu64, count);
}

void json_real(cmd_json *json, const char *key, double value)
{
    char text[TEXT_BYTES];
    begin_value(json, key);
    fputs(isfinite(value) ? print_real(text, value) : "null", json->file);
}

void json_reals(cmd_json *json, const char *key, const double *values, int count)
{
    json_open(json, key, '[');
    for (int i = 0; i < count; ++i)
        json_real(json, NULL, values[i]);
    json_close(json, ']');
}

void json_bool(cmd_json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->file);
}

void json_null(cmd_json *json, const char *key) { json_text(json, key, NULL); }

void json_end_line(cmd_json *json)
{
    fputc('\n', json->file);
    json->filled = false;
}

void json_error_line(const char *path, const char *sentence)
{
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", path);
    json_text(&json, "error", sentence);
    json_close(&json, '}');
    json_end_line(&json);
}
