// Walks a path component by component, following no link. See beneath.h.
#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"

static bool has_scheme(const char *name)
{
    size_t length = strcspn(name, ":/");
    return name[length] == ':';
}

static bool names_parent(const char *name)
{
    for (const char *at = name; *at != '\0';) {
        size_t length = strcspn(at, "/");
        if (length == 2 && memcmp(at, "..", 2) == 0)
            return true;
        at += length + (at[length] == '/');
    }
    return false;
}

static const char *refusal(const char *name)
{
    if (name[0] == '\0')
        return "is no file name";
    if (name[0] == '/')
        return "is an absolute path";
    if (has_scheme(name))
        return "is no relative path";
    if (names_parent(name))
        return "leads out of the folder";
    return NULL;
}

static int open_folder(const char *beside)
{
    const char *slash = strrchr(beside, '/');
    size_t length = slash != NULL ? (size_t)(slash - beside) + 1 : 0;
    char folder[PATH_MAX] = ".";
    if (length >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (length != 0) {
        memcpy(folder, beside, length);
        folder[length] = '\0';
    }
    return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

// Opens one component below `folder` and closes `folder`. The last one must not wait: a pipe would
// block until somebody writes to it.
static int step_down(int folder, const char *name, size_t length, bool last)
{
    char component[NAME_MAX + 1];
    int opened = -1;
    if (length >= sizeof component) {
        errno = ENAMETOOLONG;
    } else {
        memcpy(component, name, length);
        component[length] = '\0';
        int flags = last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
        opened = openat(folder, component, flags | O_NOFOLLOW | O_CLOEXEC);
    }
    int code = errno;
    close(folder);
    errno = code;
    return opened;
}

static int walk_down(const char *beside, const char *name)
{
    int at = open_folder(beside);
    while (at >= 0 && *name != '\0') {
        size_t length = strcspn(name, "/");
        const char *next = name + length + strspn(name + length, "/");
        if (length != 1 || name[0] != '.')
            at = step_down(at, name, length, *next == '\0');
        name = next;
    }
    return at;
}

graze_status gz_file_open_beneath(graze_context *context, const char *beside, const char *relative,
                                  const char *path, gz_file *file, const char **problem)
{
    *file = (gz_file){.context = context, .path = path, .descriptor = -1};
    *problem = refusal(relative);
    if (*problem != NULL)
        return GRAZE_ERROR_FORMAT;
    int descriptor = walk_down(beside, relative);
    if (descriptor < 0) {
        // A link on the way is ENOTDIR, since it is not followed; at the end it is ELOOP.
        *problem = errno == ELOOP ? "is a symbolic link" : strerror(errno);
        return GRAZE_ERROR_IO;
    }
    struct stat about;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
        *problem = "is not a regular file";
        close(descriptor);
        return GRAZE_ERROR_IO;
    }
    file->descriptor = descriptor;
    file->seekable = true;
    file->byte_count = (uint64_t)about.st_size;
    (void)posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    return GRAZE_OK;
}
