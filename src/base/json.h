// A strict JSON parser for text from strangers (RFC 8259). The text stays where it is; parsing
// makes one array of 16-byte tokens, one a value and one a key, in the order of the text.
//
// Rules: token 0 is the whole. A container's items follow it directly, each with all that is in
// it; `next` jumps over them. An object's items are keys (strings), each followed by its value.
// Strings are well-formed UTF-8, and their escapes are sound, surrogate pairs included. Numbers
// follow the grammar but are kept as text: who needs one converts it. Nesting ends at
// GZ_JSON_DEPTH. Memory: at most 16 bytes a token, hence 8 times the text for "[0,0,0,...".
#ifndef GZ_JSON_H
#define GZ_JSON_H

#include <stdbool.h>

#include "base/memory.h"

#define GZ_JSON_DEPTH 64u
#define GZ_JSON_NONE  UINT32_MAX // no such token

typedef enum gz_json_kind {
    GZ_JSON_NULL,
    GZ_JSON_FALSE,
    GZ_JSON_TRUE,
    GZ_JSON_NUMBER,
    GZ_JSON_STRING,
    GZ_JSON_ARRAY,
    GZ_JSON_OBJECT
} gz_json_kind;

typedef struct gz_json_token {
    uint32_t start; // of the value in the text; of a string, behind its opening quote
    uint32_t end;   // behind the value; of a string, at its closing quote
    uint32_t next;  // the token behind this value and all that is in it
    uint16_t kind;
    uint16_t escaped; // a string with a backslash in it
} gz_json_token;
_Static_assert(sizeof(gz_json_token) == 16, "a token is small");

typedef struct gz_json {
    graze_context *context;
    const char *path;     // for messages
    uint64_t file_offset; // of the text in that file, for messages
    const char *text;
    const gz_json_token *tokens;
    uint32_t token_count;
    GZ_LIST(gz_json_token) list; // owns the tokens
} gz_json;

// The text stays the caller's and outlives the result; text[byte_count] must be a zero byte. A
// byte order mark in front is skipped. On failure the result is empty and needs no gz_json_free.
// @return GRAZE_OK, GRAZE_ERROR_FORMAT, GRAZE_ERROR_UNSUPPORTED (4 GiB and more),
//         GRAZE_ERROR_MEMORY.
graze_status gz_json_parse(graze_context *context, const char *path, uint64_t file_offset,
                           const char *text, uint64_t byte_count, gz_json *json);
void gz_json_free(gz_json *json);

// Logs "<path>: byte <offset of the value>: <sentence>" and returns GRAZE_ERROR_FORMAT.
graze_status gz_json_fail(const gz_json *json, uint32_t token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__
#define gz_json_fail(...) (gz_json_fail(__VA_ARGS__), GRAZE_ERROR_FORMAT)
#endif
// Where the value lies in the file; for a string its opening quote.
uint64_t gz_json_offset(const gz_json *json, uint32_t token);

static inline gz_json_kind gz_json_kind_of(const gz_json *json, uint32_t token)
{
    return token == GZ_JSON_NONE ? GZ_JSON_NULL : (gz_json_kind)json->tokens[token].kind;
}

// A container's first item, and the item behind one; GZ_JSON_NONE at the end. For objects these
// are keys: use gz_json_member. What is no container has no items.
uint32_t gz_json_first(const gz_json *json, uint32_t container);
uint32_t gz_json_after(const gz_json *json, uint32_t container, uint32_t item);
uint32_t gz_json_count(const gz_json *json, uint32_t array); // costs a walk over the items

// The value of a key; of several equal keys the last counts. GZ_JSON_NONE if there is none, or if
// `object` is no object. Costs a walk over the members.
uint32_t gz_json_member(const gz_json *json, uint32_t object, const char *key);

// A string compared with plain text; false for all other kinds.
bool gz_json_equals(const gz_json *json, uint32_t token, const char *text);
// Writes a string without its escapes and a zero byte; needs room for end - start + 1 bytes, and
// `out` may be the string's own place in the text. U+0000 comes out as U+FFFD, so that the result
// is a C string. Returns its length.
uint32_t gz_json_decode(const gz_json *json, uint32_t token, char *out);
// The same in memory of its own, to be given back with gz_string_free; NULL when out of memory.
char *gz_json_copy(const gz_json *json, uint32_t token);

// True if the value is a number and a whole one from 0 to `limit`; 1.0 and 1e2 are whole.
bool gz_json_uint(const gz_json *json, uint32_t token, uint64_t limit, uint64_t *value);

#endif
