// Parses JSON without recursion. See json.h.
#include "base/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/context.h"
#include "base/utf8.h"

typedef struct parser {
    gz_json *json;
    const char *at, *end;         // *end is a zero byte, which no value contains
    uint32_t open[GZ_JSON_DEPTH]; // the containers around `at`
    uint32_t depth;
} parser;

static graze_status fail_at(const gz_json *json, uint64_t offset, const char *sentence)
{
    return gz_fail(json->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s", json->path,
                   json->file_offset + offset, sentence);
}

static graze_status fail_here(const parser *p, const char *sentence)
{
    return fail_at(p->json, (uint64_t)(p->at - p->json->text),
                   p->at == p->end ? "the JSON text ends in the middle" : sentence);
}

static void skip_space(parser *p)
{
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t')
        ++p->at;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static gz_json_token *push_token(parser *p, gz_json_kind kind)
{
    gz_json_token *token = gz_list_push(p->json->context, &p->json->list, 1);
    if (token != NULL)
        *token = (gz_json_token){
            .start = (uint32_t)(p->at - p->json->text),
            .next = (uint32_t)p->json->list.count,
            .kind = (uint16_t)kind,
        };
    return token;
}

static graze_status out_of_memory(const gz_json *json)
{
    return gz_fail(json->context, GRAZE_ERROR_MEMORY,
                   "%s: out of memory for %" PRIu64 " JSON values", json->path, json->list.count);
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Four hex digits; -1 if they are not there. The zero byte at the end stops it.
static int32_t hex4(const char *text)
{
    int32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

// The code point of the escape at `text` (behind its backslash), and the bytes it takes; false if
// it is none.
static bool read_escape(const char *text, uint32_t *code, uint32_t *length)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    if (*text != 'u') {
        const char *found = *text != '\0' ? strchr(names, *text) : NULL;
        if (found == NULL)
            return false;
        *code = (uint8_t)meant[found - names];
        *length = 1;
        return true;
    }
    int32_t high = hex4(text + 1);
    *length = 5;
    *code = (uint32_t)high;
    if (high < 0xd800 || high > 0xdfff)
        return high >= 0;
    if (high > 0xdbff || text[5] != '\\' || text[6] != 'u')
        return false;
    int32_t low = hex4(text + 7);
    if (low < 0xdc00 || low > 0xdfff)
        return false;
    *length = 11;
    *code = 0x10000u + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
    return true;
}

// True if all of the eight bytes are printable ASCII other than quote and backslash. Buffers inside
// the JSON are strings of megabytes, so this is the one loop here that has to be fast.
static bool plain_eight(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t word = 0;
    memcpy(&word, text, sizeof word);
    uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
    // Each subtraction sets a byte's top bit if the byte is too small; borrows only travel from
    // such bytes, so no bad byte is ever overlooked.
    uint64_t bad = (word - ones * 0x20) | (quote - ones) | (slash - ones) | word;
    return (bad & tops) == 0;
}

static graze_status parse_string(parser *p)
{
    gz_json_token *token = push_token(p, GZ_JSON_STRING);
    if (token == NULL)
        return out_of_memory(p->json);
    token->start += 1;
    ++p->at;
    for (;;) {
        while (p->end - p->at >= 8 && plain_eight(p->at))
            p->at += 8;
        uint8_t c = (uint8_t)*p->at;
        uint32_t length = 1, code = 0;
        if (c == '"')
            break;
        if (c < 0x20)
            return fail_here(p, "a control character inside a string");
        if (c == '\\') {
            ++p->at;
            token->escaped = 1;
            if (!read_escape(p->at, &code, &length))
                return fail_here(p, "not an escape that JSON knows");
        } else if (c >= 0x80) {
            length = gz_utf8_length((const uint8_t *)p->at, (uint64_t)(p->end - p->at));
            if (length == 0)
                return fail_here(p, "not UTF-8");
        }
        p->at += length;
    }
    token->end = (uint32_t)(p->at - p->json->text);
    ++p->at;
    return GRAZE_OK;
}

static graze_status parse_number(parser *p)
{
    gz_json_token *token = push_token(p, GZ_JSON_NUMBER);
    if (token == NULL)
        return out_of_memory(p->json);
    if (*p->at == '-')
        ++p->at;
    if (!is_digit(*p->at))
        return fail_here(p, "a digit is missing in a number");
    bool zero = *p->at++ == '0';
    if (zero && is_digit(*p->at))
        return fail_here(p, "a number with a leading zero");
    while (is_digit(*p->at))
        ++p->at;
    if (*p->at == '.') {
        ++p->at;
        if (!is_digit(*p->at))
            return fail_here(p, "a digit is missing behind a decimal point");
        while (is_digit(*p->at))
            ++p->at;
    }
    if (*p->at == 'e' || *p->at == 'E') {
        ++p->at;
        if (*p->at == '+' || *p->at == '-')
            ++p->at;
        if (!is_digit(*p->at))
            return fail_here(p, "a digit is missing in an exponent");
        while (is_digit(*p->at))
            ++p->at;
    }
    token->end = (uint32_t)(p->at - p->json->text);
    return GRAZE_OK;
}

static graze_status parse_word(parser *p)
{
    static const char *const words[] = {"null", "false", "true"}; // by gz_json_kind
    for (uint32_t kind = GZ_JSON_NULL; kind <= GZ_JSON_TRUE; ++kind) {
        size_t length = strlen(words[kind]);
        if (strncmp(p->at, words[kind], length) != 0)
            continue;
        gz_json_token *token = push_token(p, (gz_json_kind)kind);
        if (token == NULL)
            return out_of_memory(p->json);
        p->at += length;
        token->end = (uint32_t)(p->at - p->json->text);
        return GRAZE_OK;
    }
    return fail_here(p, "a JSON value is missing");
}

static graze_status parse_key(parser *p)
{
    skip_space(p);
    if (*p->at != '"')
        return fail_here(p, "a key in quotes is missing");
    graze_status status = parse_string(p);
    if (status != GRAZE_OK)
        return status;
    skip_space(p);
    if (*p->at != ':')
        return fail_here(p, "a colon is missing behind a key");
    ++p->at;
    return GRAZE_OK;
}

static graze_status open_container(parser *p, gz_json_kind kind)
{
    if (p->depth == GZ_JSON_DEPTH)
        return fail_here(p, "more than 64 levels of JSON inside each other");
    if (push_token(p, kind) == NULL)
        return out_of_memory(p->json);
    p->open[p->depth++] = (uint32_t)(p->json->list.count - 1);
    ++p->at;
    return GRAZE_OK;
}

static gz_json_token *innermost(const parser *p)
{
    return (gz_json_token *)p->json->list.items + p->open[p->depth - 1];
}

static void close_container(parser *p)
{
    gz_json_token *token = innermost(p);
    ++p->at;
    token->end = (uint32_t)(p->at - p->json->text);
    token->next = (uint32_t)p->json->list.count;
    --p->depth;
}

// Behind a value: closes the containers that end here. *more says whether another value is due.
static graze_status finish_value(parser *p, bool *more)
{
    *more = false;
    while (p->depth != 0) {
        bool object = innermost(p)->kind == GZ_JSON_OBJECT;
        skip_space(p);
        if (*p->at == (object ? '}' : ']')) {
            close_container(p);
        } else if (*p->at == ',') {
            ++p->at;
            *more = true;
            return object ? parse_key(p) : GRAZE_OK;
        } else {
            return fail_here(p, object ? "a comma or a closing brace is missing"
                                       : "a comma or a closing bracket is missing");
        }
    }
    return GRAZE_OK;
}

// One value; of a container only the opening. *open says that its first item is due.
static graze_status start_value(parser *p, bool *open)
{
    *open = false;
    skip_space(p);
    char c = *p->at;
    if (c == '"')
        return parse_string(p);
    if (c == '-' || is_digit(c))
        return parse_number(p);
    if (c != '{' && c != '[')
        return parse_word(p);
    graze_status status = open_container(p, c == '{' ? GZ_JSON_OBJECT : GZ_JSON_ARRAY);
    if (status != GRAZE_OK)
        return status;
    skip_space(p);
    if (*p->at == (c == '{' ? '}' : ']')) {
        close_container(p);
        return GRAZE_OK;
    }
    *open = true;
    return c == '{' ? parse_key(p) : GRAZE_OK;
}

static graze_status parse_all(parser *p)
{
    bool due = true;
    while (due) {
        bool open = false;
        graze_status status = start_value(p, &open);
        if (status == GRAZE_OK && !open)
            status = finish_value(p, &due);
        if (status != GRAZE_OK)
            return status;
    }
    skip_space(p);
    return p->at == p->end ? GRAZE_OK : fail_here(p, "something follows the end of the JSON text");
}

graze_status gz_json_parse(graze_context *context, const char *path, uint64_t file_offset,
                           const char *text, uint64_t byte_count, gz_json *json)
{
    *json = (gz_json){.context = context, .path = path, .file_offset = file_offset, .text = text};
    if (byte_count >= UINT32_MAX)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED, "%s: JSON text of 4 GiB and more", path);
    GZ_ASSERT(text[byte_count] == '\0');
    parser p = {.json = json, .at = text, .end = text + byte_count};
    if (byte_count >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        p.at += 3;
    graze_status status = parse_all(&p);
    if (status != GRAZE_OK) {
        gz_json_free(json);
        return status;
    }
    json->tokens = json->list.items;
    json->token_count = (uint32_t)json->list.count;
    return GRAZE_OK;
}

void gz_json_free(gz_json *json)
{
    if (json->context != NULL)
        gz_list_free(json->context, &json->list);
    *json = (gz_json){0};
}

uint64_t gz_json_offset(const gz_json *json, uint32_t token)
{
    const gz_json_token *t = &json->tokens[token];
    return json->file_offset + t->start - (t->kind == GZ_JSON_STRING);
}

graze_status(gz_json_fail)(const gz_json *json, uint32_t token, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return gz_fail(json->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s", json->path,
                   gz_json_offset(json, token), sentence);
}

uint32_t gz_json_first(const gz_json *json, uint32_t container)
{
    gz_json_kind kind = gz_json_kind_of(json, container);
    if (kind != GZ_JSON_ARRAY && kind != GZ_JSON_OBJECT)
        return GZ_JSON_NONE;
    return json->tokens[container].next > container + 1 ? container + 1 : GZ_JSON_NONE;
}

uint32_t gz_json_after(const gz_json *json, uint32_t container, uint32_t item)
{
    uint32_t next = json->tokens[item].next;
    return next < json->tokens[container].next ? next : GZ_JSON_NONE;
}

uint32_t gz_json_count(const gz_json *json, uint32_t array)
{
    uint32_t count = 0;
    for (uint32_t item = gz_json_first(json, array); item != GZ_JSON_NONE;
         item = gz_json_after(json, array, item))
        ++count;
    return count;
}

uint32_t gz_json_member(const gz_json *json, uint32_t object, const char *key)
{
    uint32_t found = GZ_JSON_NONE;
    if (gz_json_kind_of(json, object) != GZ_JSON_OBJECT)
        return found;
    for (uint32_t item = gz_json_first(json, object); item != GZ_JSON_NONE;
         item = gz_json_after(json, object, item + 1))
        if (gz_json_equals(json, item, key))
            found = item + 1;
    return found;
}

// Decodes one character of a string that holds escapes. Returns the first byte behind it.
static const char *decode_one(const char *text, uint32_t *code)
{
    *code = (uint8_t)*text++;
    if (*code != '\\')
        return text;
    uint32_t length = 0;
    bool sound = read_escape(text, code, &length);
    GZ_ASSERT(sound); // the parser has looked
    if (*code == 0)
        *code = 0xfffd;
    return text + length;
}

bool gz_json_equals(const gz_json *json, uint32_t token, const char *text)
{
    if (gz_json_kind_of(json, token) != GZ_JSON_STRING)
        return false;
    const gz_json_token *t = &json->tokens[token];
    const char *at = json->text + t->start, *end = json->text + t->end;
    size_t length = strlen(text);
    if (!t->escaped)
        return (size_t)(end - at) == length && memcmp(at, text, length) == 0;
    while (at < end) {
        bool escape = *at == '\\';
        uint32_t code = 0;
        at = decode_one(at, &code);
        char bytes[4] = {(char)code};
        size_t count = escape ? (size_t)(gz_utf8_print(bytes, code) - bytes) : 1;
        if (count > length || memcmp(bytes, text, count) != 0)
            return false;
        text += count;
        length -= count;
    }
    return length == 0;
}

uint32_t gz_json_decode(const gz_json *json, uint32_t token, char *out)
{
    const gz_json_token *t = &json->tokens[token];
    const char *at = json->text + t->start, *end = json->text + t->end;
    char *next = out;
    if (t->escaped) {
        while (at < end) {
            bool escape = *at == '\\';
            uint32_t code = 0;
            at = decode_one(at, &code);
            if (escape)
                next = gz_utf8_print(next, code);
            else
                *next++ = (char)code;
        }
    } else {
        memmove(next, at, (size_t)(end - at));
        next += end - at;
    }
    *next = '\0';
    return (uint32_t)(next - out);
}

char *gz_json_copy(const gz_json *json, uint32_t token)
{
    const gz_json_token *t = &json->tokens[token];
    uint64_t room = (uint64_t)(t->end - t->start) + 1;
    char *raw = gz_allocate(json->context, room);
    if (raw == NULL)
        return NULL;
    gz_json_decode(json, token, raw);
    char *copy = gz_string_copy(json->context, raw); // exactly as long as gz_string_free expects
    gz_release(json->context, raw, room);
    return copy;
}

// The exponent, held within +-100000: far enough to make any number too large or not whole, unless
// it has as many digits, which is then answered as not whole too.
static int64_t read_exponent(const char *at, const char *end)
{
    bool negative = at < end && *at == '-';
    if (at < end && !is_digit(*at))
        ++at;
    int64_t exponent = 0;
    for (; at < end && exponent < 100000; ++at)
        exponent = exponent * 10 + (*at - '0');
    return negative ? -exponent : exponent;
}

bool gz_json_uint(const gz_json *json, uint32_t token, uint64_t limit, uint64_t *value)
{
    if (gz_json_kind_of(json, token) != GZ_JSON_NUMBER)
        return false;
    const char *at = json->text + json->tokens[token].start;
    const char *end = json->text + json->tokens[token].end;
    bool negative = *at == '-';
    at += negative;
    // The number is digits * 10^shift. Zeros are held back, so that trailing ones behind the point
    // cost nothing and only digits that count can overflow.
    uint64_t digits = 0;
    int64_t shift = 0, zeros = 0;
    bool fraction = false;
    for (; at < end && *at != 'e' && *at != 'E'; ++at) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        shift -= fraction;
        if (*at == '0') {
            ++zeros;
            continue;
        }
        for (; zeros != 0 && digits != 0; --zeros)
            if (!gz_mul(digits, 10, &digits))
                return false;
        zeros = 0;
        if (!gz_mul(digits, 10, &digits) || !gz_add(digits, (uint64_t)(*at - '0'), &digits))
            return false;
    }
    shift += zeros;
    if (at < end)
        shift += read_exponent(at + 1, end);
    if (digits == 0)
        shift = 0;
    if (negative && digits != 0)
        return false;
    if (shift < 0) // digits ends in a digit that is not 0
        return false;
    for (; shift > 0; --shift)
        if (!gz_mul(digits, 10, &digits))
            return false;
    *value = digits;
    return digits <= limit;
}
