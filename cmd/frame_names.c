// See frame_names.h.
#include "frame_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LEAST_DIGITS = 4, MOST_DIGITS = 9 };

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool is_folder(const char *path)
{
    struct stat about;
    const char *name = name_of(path);
    return strchr(name, '.') == NULL || (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

// Finds %d or %04d in a name, and what is behind it. NULL: there is none.
static char *find_number(char *name, int *digits, const char **behind)
{
    for (char *sign = strchr(name, '%'); sign != NULL; sign = strchr(sign + 1, '%')) {
        char *end = NULL;
        unsigned long width = strtoul(sign + 1, &end, 10);
        bool padded = end == sign + 3 && sign[1] == '0' && width <= MOST_DIGITS;
        if (*end != 'd' || !(end == sign + 1 || padded))
            continue;
        *digits = (int)width;
        *behind = end + 1;
        return sign;
    }
    return NULL;
}

static void name_folder(const char *path, const char *format, uint32_t highest, frame_names *names)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        --length;
    snprintf(names->folder, sizeof names->folder, "%.*s", (int)length, path);
    int used = snprintf(names->pattern, sizeof names->pattern, "%s%s", names->folder,
                        strcmp(names->folder, "/") == 0 ? "" : "/");
    names->behind = names->pattern + used + 1;
    snprintf(names->pattern + used + 1, sizeof names->pattern - (size_t)used - 1, ".%s", format);
    names->digits = LEAST_DIGITS;
    for (uint32_t above = 10000; highest >= above && names->digits < MOST_DIGITS; above *= 10)
        ++names->digits;
    names->has_numbers = true;
}

int take_frame_names(const cmd_arguments *arguments, uint32_t highest, frame_names *names)
{
    const char *path = arguments->text[OPTION_OUTPUT], *format = arguments->text[OPTION_FORMAT];
    *names = (frame_names){.digits = 0};
    if (path == NULL)
        return usage_error(arguments->command,
                           "make needs a folder or a file to write: -o FRAMES/");
    if (strlen(path) > FRAME_PATH_BYTES - 64)
        return usage_error(arguments->command, "--output is too long");
    snprintf(names->pattern, sizeof names->pattern, "%s", path);
    names->behind = "";
    char *number =
        find_number(names->pattern + (name_of(path) - path), &names->digits, &names->behind);
    if (number != NULL) {
        names->has_numbers = true;
        *number = '\0';
    } else if (is_folder(path)) {
        name_folder(path, format != NULL ? format : "glb", highest, names);
        return EXIT_NOTHING_FOUND;
    }
    if (format != NULL)
        return usage_error(arguments->command,
                           "--format is for the files of a folder: \"%s\" has its own ending",
                           path);
    return EXIT_NOTHING_FOUND;
}

bool frame_path(const frame_names *names, uint32_t number, char out[FRAME_PATH_BYTES])
{
    if (!names->has_numbers)
        return snprintf(out, FRAME_PATH_BYTES, "%s", names->pattern) < FRAME_PATH_BYTES;
    return snprintf(out, FRAME_PATH_BYTES, "%s%0*" PRIu32 "%s", names->pattern, names->digits,
                    number, names->behind) < FRAME_PATH_BYTES;
}
