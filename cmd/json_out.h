// Writes JSON, one value after the other, with commas and escapes in their places.
#ifndef GRAZE_CMD_JSON_OUT_H
#define GRAZE_CMD_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cmd_json {
    FILE *file;
    bool filled; // the innermost list or object has an item already
} cmd_json;

// `key` is NULL inside a list and at the top.
void json_open(cmd_json *json, const char *key, char bracket);     // '{' or '['
void json_close(cmd_json *json, char bracket);                     // '}' or ']'
void json_text(cmd_json *json, const char *key, const char *text); // NULL gives null
void json_count(cmd_json *json, const char *key, uint64_t count);
void json_real(cmd_json *json, const char *key, double value); // not finite gives null
void json_reals(cmd_json *json, const char *key, const double *values, int count);
void json_bool(cmd_json *json, const char *key, bool value);
void json_null(cmd_json *json, const char *key);
void json_end_line(cmd_json *json); // after the outermost bracket

// A whole line: a file, and why it cannot be read.
void json_error_line(const char *path, const char *sentence);

#endif
