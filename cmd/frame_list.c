// See frame_list.h.
#include "frame_list.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static bool add_path(frame_list *list, const char *folder, const char *name)
{
    if (list->count == list->room) {
        uint32_t room = 2 * list->room + 16;
        char **paths = realloc(list->paths, room * sizeof *paths);
        if (paths == NULL)
            return false;
        list->paths = paths;
        list->room = room;
    }
    size_t length = strlen(folder), bytes = length + strlen(name) + 2;
    const char *between = length != 0 && folder[length - 1] != '/' ? "/" : "";
    char *path = malloc(bytes);
    if (path == NULL)
        return false;
    snprintf(path, bytes, "%s%s%s", folder, between, name);
    list->paths[list->count++] = path;
    return true;
}

// By the last ending, or the one before it where the file is packed.
static bool is_mesh_name(const char *name)
{
    static const char *const endings[] = {".ply", ".stl", ".obj", ".off", ".gltf", ".glb"};
    static const char *const packed[] = {"", ".gz", ".zst"};
    size_t length = strlen(name);
    for (size_t i = 0; name[0] != '.' && i < sizeof endings / sizeof *endings; ++i)
        for (size_t k = 0; k < sizeof packed / sizeof *packed; ++k) {
            char ending[16];
            size_t wanted = (size_t)snprintf(ending, sizeof ending, "%s%s", endings[i], packed[k]);
            if (length > wanted && strcasecmp(name + length - wanted, ending) == 0)
                return true;
        }
    return false;
}

// Numbers in names count as numbers; names that differ in zeros before them only, as text.
static int by_name(const void *left, const void *right)
{
    const char *whole_a = *(char *const *)left, *whole_b = *(char *const *)right;
    const char *a = whole_a, *b = whole_b;
    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0");
            b += strspn(b, "0");
            size_t digits_a = strspn(a, "0123456789"), digits_b = strspn(b, "0123456789");
            int order =
                digits_a != digits_b ? (digits_a < digits_b ? -1 : 1) : memcmp(a, b, digits_a);
            if (order != 0)
                return order;
            a += digits_a;
            b += digits_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            ++a;
            ++b;
        }
    }
    if (*a != *b)
        return *a == '\0' ? -1 : 1;
    return strcmp(whole_a, whole_b);
}

static int out_of_memory(cmd_session *session)
{
    session_error(session, "out of memory for the names of files");
    return EXIT_RESOURCES;
}

static int add_folder(cmd_session *session, const char *path, frame_list *list)
{
    uint32_t before = list->count;
    DIR *folder = opendir(path);
    if (folder == NULL) {
        session_error(session, "%s: cannot read this folder: %s", path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    bool added = true;
    for (struct dirent *entry = readdir(folder); entry != NULL && added; entry = readdir(folder))
        if (is_mesh_name(entry->d_name))
            added = add_path(list, path, entry->d_name);
    closedir(folder);
    if (!added)
        return out_of_memory(session);
    if (list->count == before) {
        session_error(session, "%s: there are no mesh files in this folder", path);
        return EXIT_BAD_INPUT;
    }
    qsort(list->paths + before, list->count - before, sizeof *list->paths, by_name);
    return EXIT_NOTHING_FOUND;
}

int take_frame_list(cmd_session *session, const cmd_arguments *arguments, frame_list *list)
{
    int code = EXIT_NOTHING_FOUND;
    for (int i = 0; i < arguments->operand_count && code == EXIT_NOTHING_FOUND; ++i) {
        const char *path = arguments->operands[i];
        struct stat about;
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
            code = add_folder(session, path, list);
        else if (!add_path(list, "", path))
            code = out_of_memory(session);
    }
    return code;
}

void free_frame_list(frame_list *list)
{
    for (uint32_t i = 0; i < list->count; ++i)
        free(list->paths[i]);
    free(list->paths);
    *list = (frame_list){.paths = NULL};
}
