// See aside_file.h.
#include "aside_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char *aside_name(const char *path)
{
    static const char end[] = ".graze-part";
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t bytes = strlen(path) + 1 + sizeof end;
    char *aside = malloc(bytes);
    if (aside != NULL)
        snprintf(aside, bytes, "%.*s.%s%s", (int)(name - path), path, name, end);
    return aside;
}

// True if the file still lies at the path: whoever had the lock before may have renamed it.
static bool is_at(int descriptor, const char *path)
{
    struct stat about, named;
    return fstat(descriptor, &about) == 0 && lstat(path, &named) == 0 &&
           about.st_dev == named.st_dev && about.st_ino == named.st_ino;
}

// Waits for others who write the same path. Negative, and errno, if it cannot be had.
static int open_locked(const char *aside)
{
    for (;;) {
        int descriptor = open(aside, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (descriptor < 0)
            return -1;
        if (flock(descriptor, LOCK_EX) == 0) {
            if (is_at(descriptor, aside))
                return descriptor;
        } else if (errno != EINTR) {
            int code = errno;
            close(descriptor);
            errno = code;
            return -1;
        }
        close(descriptor);
    }
}

int aside_open(aside_file *file, const char *path)
{
    *file = (aside_file){.path = path, .aside = aside_name(path)};
    if (file->aside == NULL)
        return ENOMEM;
    int descriptor = open_locked(file->aside), code = errno;
    if (descriptor >= 0 && ftruncate(descriptor, 0) == 0)
        file->file = fdopen(descriptor, "wb");
    if (file->file != NULL)
        return 0;
    if (descriptor >= 0) {
        code = errno;
        unlink(file->aside);
        close(descriptor);
    }
    free(file->aside);
    return code;
}

// While it is locked: others may begin with what has this name and no lock.
int aside_commit(aside_file *file)
{
    mode_t mask = umask(0);
    umask(mask);
    int descriptor = fileno(file->file);
    bool good = ferror(file->file) == 0 && fflush(file->file) == 0 &&
                fchmod(descriptor, 0666 & ~mask) == 0 && fsync(descriptor) == 0 &&
                rename(file->aside, file->path) == 0;
    int code = good ? 0 : errno != 0 ? errno : EIO;
    if (!good)
        unlink(file->aside);
    if (fclose(file->file) != 0 && good)
        code = errno;
    free(file->aside);
    return code;
}

void aside_abandon(aside_file *file)
{
    unlink(file->aside);
    fclose(file->file);
    free(file->aside);
}
