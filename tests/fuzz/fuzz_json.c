// Fuzzes the JSON parser: what it takes must hold together.
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/json.h"

// Every token must lie inside the one around it, and every string must decode.
static void check_value(const gz_json *json, uint32_t token, uint32_t limit, char *room)
{
    const gz_json_token *t = &json->tokens[token];
    GZ_ASSERT(t->start <= t->end && t->next > token && t->next <= limit);
    uint64_t value = 0;
    (void)gz_json_uint(json, token, UINT64_MAX, &value);
    if (t->kind == GZ_JSON_STRING) {
        uint32_t length = gz_json_decode(json, token, room);
        GZ_ASSERT(length <= t->end - t->start && strlen(room) == length);
        GZ_ASSERT(gz_json_equals(json, token, room));
    }
    for (uint32_t item = gz_json_first(json, token); item != GZ_JSON_NONE;
         item = gz_json_after(json, token, item))
        check_value(json, item, t->next, room); // as deep as the parser allows
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    graze_context *context = NULL;
    if (graze_context_create(NULL, &context) != GRAZE_OK)
        return 0;
    char *text = malloc(size + 1), *room = malloc(size + 1);
    if (text != NULL && room != NULL) {
        if (size != 0)
            memcpy(text, data, size);
        text[size] = '\0';
        gz_json json;
        if (gz_json_parse(context, "fuzz.json", 0, text, size, &json) == GRAZE_OK) {
            GZ_ASSERT(json.tokens[0].next == json.token_count);
            check_value(&json, 0, json.token_count, room);
            gz_json_free(&json);
        }
    }
    free(text);
    free(room);
    graze_context_destroy(context);
    return 0;
}
