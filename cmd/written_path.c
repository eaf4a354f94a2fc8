// See written_path.h.
#include "written_path.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "graze/model.h"
#include "scene_files.h"

// By device and number, so that links and other ways to write a path make no difference.
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// The folder of a path that need not exist.
static bool look_at_folder(const char *path, struct stat *about)
{
    char folder[4096];
    size_t length = (size_t)(name_of(path) - path);
    if (length >= sizeof folder)
        return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return stat(length == 0 ? "." : folder, about) == 0;
}

static bool are_one_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    bool there_a = stat(a, &of_a) == 0, there_b = stat(b, &of_b) == 0;
    if (there_a || there_b)
        return there_a && there_b && is_same(&of_a, &of_b);
    return strcmp(name_of(a), name_of(b)) == 0 && look_at_folder(a, &of_a) &&
           look_at_folder(b, &of_b) && is_same(&of_a, &of_b);
}

int check_not_read(const cmd_arguments *arguments, const char *path, const char *read)
{
    if (!are_one_file(path, input_path(read)))
        return EXIT_NOTHING_FOUND;
    return usage_error(arguments->command, "%s would write over the file that it reads: %s",
                       arguments->command->name, path);
}

int check_not_both(const cmd_arguments *arguments, const char *path, const char *other)
{
    if (!are_one_file(path, other))
        return EXIT_NOTHING_FOUND;
    return usage_error(arguments->command, "%s cannot write two files as one: %s",
                       arguments->command->name, path);
}

int check_ending(const cmd_arguments *arguments, const char *path, const char *what,
                 const char *ending)
{
    const char *name = name_of(path);
    size_t length = strlen(name), wanted = strlen(ending);
    if (length > wanted && strcasecmp(name + length - wanted, ending) == 0)
        return EXIT_NOTHING_FOUND;
    return usage_error(arguments->command, "%s writes %s, whose name ends in %s, not \"%s\"",
                       arguments->command->name, what, ending, path);
}

int check_is_no_model(cmd_session *session, const char *read)
{
    graze_status status = refuse_scene(session, read);
    if (status != GRAZE_OK || graze_model_recognise(input_path(read)) == 0)
        return session_result(session, status);
    session_error(session, "%s: this is a model, not a mesh: graze export makes a mesh of it",
                  read);
    return EXIT_BAD_INPUT;
}
