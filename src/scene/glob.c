// Matches paths with patterns. See graze_glob_match in graze/clash.h.
//
// No recursion. Two places to go back to are enough. Behind "**" everything before it can be left
// as it is: a longer match of that would only leave less to "**", which can take it as well. The
// same holds for a '*' within its stretch without '/'. What comes before the next '/' has a fixed
// number of characters behind its last '*', so that a '*' that runs into a '/' leaves only the last
// "**" to be tried.
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "graze/clash.h"

// Reads a character. Bytes that are no UTF-8 count one each, and equal themselves only.
static uint32_t next_character(const char **text)
{
    const uint8_t *at = (const uint8_t *)*text;
    uint32_t length = gz_utf8_length(at, strnlen(*text, 4)), code = at[0];
    *text += length == 0 ? 1 : length;
    if (length == 0)
        return 0x80000000u | code;
    if (length > 1)
        code &= 0x7fu >> length;
    for (uint32_t i = 1; i < length; ++i)
        code = code << 6 | (at[i] & 0x3fu);
    return code;
}

// One character of a class; a backslash takes the next one as it is.
static uint32_t next_of_class(const char **text)
{
    if (**text == '\\' && (*text)[1] != '\0')
        ++*text;
    return next_character(text);
}

// Is the character in the class whose '[' is at *pattern? Moves behind its ']'. A '[' without ']'
// is a plain character; *closed tells.
static bool in_class(const char **pattern, uint32_t character, bool *closed)
{
    const char *at = *pattern + 1;
    bool inverted = *at == '!' || *at == '^', found = false;
    at += inverted;
    for (const char *first = at; *at != '\0' && (*at != ']' || at == first);) {
        uint32_t low = next_of_class(&at), high = low;
        if (at[0] == '-' && at[1] != ']' && at[1] != '\0') {
            ++at;
            high = next_of_class(&at);
        }
        found |= character >= low && character <= high;
    }
    *closed = *at == ']';
    if (*closed)
        *pattern = at + 1;
    return found != inverted && character != '/';
}

// Does one character of the pattern, which is no star, match one of the path? Moves behind both.
static bool match_one(const char **pattern, const char **path)
{
    if (**pattern == '\0' || **path == '\0')
        return false;
    uint32_t character = next_character(path);
    if (**pattern == '?') {
        ++*pattern;
        return character != '/';
    }
    if (**pattern == '[') {
        bool closed = false, found = in_class(pattern, character, &closed);
        if (closed)
            return found;
    }
    return next_of_class(pattern) == character;
}

int graze_glob_match(const char *pattern, const char *path)
{
    const char *begin = pattern;
    // Where to go on when something does not match, and from where in the path; NULL: nowhere.
    const char *star = NULL, *star_path = NULL;
    const char *any = NULL, *any_path = NULL;
    bool any_folders = false; // it is a "**/" that stands for whole folders
    if (pattern == NULL || path == NULL)
        return 0;
    for (;;) {
        if (pattern[0] == '*' && pattern[1] == '*') {
            bool at_folder = pattern == begin || pattern[-1] == '/';
            while (*pattern == '*')
                ++pattern;
            any_folders = at_folder && *pattern == '/';
            pattern += any_folders;
            any = pattern;
            any_path = path;
            star = NULL;
        } else if (*pattern == '*') {
            star = ++pattern;
            star_path = path;
        } else if (*pattern == '\0' && *path == '\0') {
            return 1;
        } else if (!match_one(&pattern, &path)) {
            if (star != NULL && *star_path != '/' && *star_path != '\0') {
                next_character(&star_path);
                pattern = star;
                path = star_path;
                continue;
            }
            star = NULL;
            if (any == NULL || *any_path == '\0')
                return 0;
            if (any_folders) {
                any_path = strchr(any_path, '/');
                if (any_path == NULL)
                    return 0;
                ++any_path;
            } else {
                next_character(&any_path);
            }
            pattern = any;
            path = any_path;
        }
    }
}
