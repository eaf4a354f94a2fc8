// System calls, each with its sentence when it fails. See file.h.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "base/memory.h"

#define OUTPUT_BUFFER_BYTES (1u << 18)
#define MOST_ATTEMPTS       2000 // to take a name while others do, a millisecond each
#define RANDOM_END          ".XXXXXX"
#define LARGEST_CALL        (1u << 30) // Linux moves at most 2 GiB a call

static graze_status fail_errno(graze_context *context, const char *path, const char *what)
{
    int code = errno;
    bool space = code == ENOSPC || code == EDQUOT || code == EFBIG;
    return gz_fail(context, space ? GRAZE_ERROR_SPACE : GRAZE_ERROR_IO, "%s: cannot %s: %s", path,
                   what, strerror(code));
}

graze_status gz_file_open(graze_context *context, const char *path, gz_file *file)
{
    *file = (gz_file){.context = context, .path = path, .descriptor = -1};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return fail_errno(context, path, "open");
    struct stat about;
    graze_status status = GRAZE_OK;
    if (fstat(descriptor, &about) != 0)
        status = fail_errno(context, path, "look at");
    else if (S_ISDIR(about.st_mode))
        status = gz_fail(context, GRAZE_ERROR_IO, "%s: is a folder, not a file", path);
    if (status != GRAZE_OK) {
        close(descriptor);
        return status;
    }
    file->descriptor = descriptor;
    file->seekable = S_ISREG(about.st_mode);
    file->byte_count = file->seekable ? (uint64_t)about.st_size : 0;
    if (file->seekable)
        (void)posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    return GRAZE_OK;
}

void gz_file_open_memory(graze_context *context, const char *name, const void *bytes,
                         uint64_t byte_count, gz_file *file)
{
    static const uint8_t nothing[1];
    *file = (gz_file){
        .context = context,
        .path = name,
        .memory = bytes != NULL ? bytes : nothing,
        .descriptor = -1,
        .seekable = true,
        .byte_count = byte_count,
    };
}

gz_file gz_file_window(const gz_file *whole, uint64_t base, uint64_t byte_count)
{
    GZ_ASSERT(whole->seekable && base <= whole->byte_count &&
              byte_count <= whole->byte_count - base);
    gz_file window = *whole;
    window.borrowed = true;
    window.base += base;
    window.byte_count = byte_count;
    if (window.memory != NULL)
        window.memory += base;
    return window;
}

void gz_file_close(gz_file *file)
{
    if (file->descriptor >= 0 && file->memory == NULL && file->context != NULL && !file->borrowed)
        close(file->descriptor);
    *file = (gz_file){.descriptor = -1};
}

graze_status gz_file_make_direct(gz_file *file)
{
#ifdef O_DIRECT
    if (fcntl(file->descriptor, F_SETFL, O_DIRECT) == 0) {
        file->direct = true;
        return GRAZE_OK;
    }
#else
    errno = ENOTSUP;
#endif
    return fail_errno(file->context, file->path, "read past the system's memory");
}

// One read call, retried when a signal interrupts it. A negative offset reads at the cursor.
static graze_status read_some(gz_file *file, int64_t offset, void *out, uint64_t bytes,
                              uint64_t *got)
{
    *got = 0;
    if (GZ_FAULT_DUE(file->context, reads)) {
        errno = EIO;
        return fail_errno(file->context, file->path, "read");
    }
    size_t ask = bytes < LARGEST_CALL ? (size_t)bytes : LARGEST_CALL;
    ssize_t count = 0;
    do {
        count = offset < 0 ? read(file->descriptor, out, ask)
                           : pread(file->descriptor, out, ask, (off_t)offset);
    } while (count < 0 && errno == EINTR);
    if (count < 0)
        return fail_errno(file->context, file->path, "read");
    *got = (uint64_t)count;
    GZ_ASSERT(*got <= ask);
    return GRAZE_OK;
}

static graze_status read_fully(gz_file *file, int64_t offset, void *out, uint64_t bytes,
                               uint64_t *got)
{
    *got = 0;
    while (*got < bytes) {
        uint64_t part = 0;
        graze_status status = read_some(file, offset < 0 ? offset : offset + (int64_t)*got,
                                        (char *)out + *got, bytes - *got, &part);
        if (status != GRAZE_OK)
            return status;
        if (part == 0)
            break;
        *got += part;
    }
    return GRAZE_OK;
}

static graze_status read_memory(gz_file *file, uint64_t offset, void *out, uint64_t bytes,
                                uint64_t *got)
{
    *got = 0;
    if (GZ_FAULT_DUE(file->context, reads)) {
        errno = EIO;
        return fail_errno(file->context, file->path, "read");
    }
    uint64_t left = offset < file->byte_count ? file->byte_count - offset : 0;
    *got = bytes < left ? bytes : left;
    if (*got != 0)
        memcpy(out, file->memory + offset, (size_t)*got);
    return GRAZE_OK;
}

graze_status gz_file_read_next(gz_file *file, void *out, uint64_t bytes, uint64_t *got)
{
    graze_status status = file->memory != NULL ? read_memory(file, file->cursor, out, bytes, got)
                                               : read_fully(file, -1, out, bytes, got);
    file->cursor += *got;
    return status;
}

// By way of a block of its own.
static graze_status read_direct(gz_file *file, uint64_t offset, void *out, uint64_t bytes,
                                uint64_t *got)
{
    uint64_t unit = GZ_DIRECT_BYTES, skip = offset % unit;
    uint64_t whole = (skip + bytes + unit - 1) / unit * unit;
    uint8_t *block = gz_allocate(file->context, whole + unit);
    *got = 0;
    if (block == NULL)
        return gz_fail(file->context, GRAZE_ERROR_MEMORY, "%s: out of memory for reading",
                       file->path);
    uint8_t *start = block + (unit - (uintptr_t)block % unit) % unit;
    uint64_t there = 0;
    graze_status status = GRAZE_OK;
    while (there < skip + bytes) { // ends at the file's end in the middle of a block
        uint64_t part = 0;
        status =
            read_some(file, (int64_t)(offset - skip + there), start + there, whole - there, &part);
        there += part;
        if (status != GRAZE_OK || part % unit != 0 || part == 0)
            break;
    }
    *got = there <= skip ? 0 : there - skip < bytes ? there - skip : bytes;
    memcpy(out, start + skip, (size_t)*got);
    gz_release(file->context, block, whole + unit);
    return status;
}

graze_status gz_file_read_at(gz_file *file, uint64_t offset, void *out, uint64_t bytes)
{
    uint64_t got = 0, most = bytes, place = 0;
    graze_status status = GRAZE_OK;
    if (file->borrowed) { // behind a window the file goes on
        uint64_t left = offset < file->byte_count ? file->byte_count - offset : 0;
        most = bytes < left ? bytes : left;
    }
    if (gz_add(file->base, offset, &place) && place <= INT64_MAX - bytes)
        status = file->memory != NULL ? read_memory(file, offset, out, most, &got)
                 : file->direct       ? read_direct(file, place, out, most, &got)
                                      : read_fully(file, (int64_t)place, out, most, &got);
    if (status == GRAZE_OK && got != bytes)
        status = gz_fail(file->context, GRAZE_ERROR_FORMAT,
                         "%s: byte %" PRIu64 ": the file ends here, but %" PRIu64
                         " more bytes were promised",
                         file->path, place + got, bytes - got);
    return status;
}

struct gz_output {
    graze_context *context;
    char *path, *aside_path; // NULL: there is none
    bool unnamed;            // nothing is at aside_path: the file ends with the process
    bool in_memory;
    gz_byte_list bytes; // in memory
    int descriptor;
    uint64_t written; // bytes in the file
    uint64_t buffered;
    uint8_t buffer[OUTPUT_BUFFER_BYTES];
};

// Of the name of the file beside its target, with room for an end by chance.
static uint64_t aside_bytes(const char *path)
{
    return strlen(path) + sizeof "." GZ_OUTPUT_PART RANDOM_END;
}

static void free_output(gz_output *output)
{
    if (output->path != NULL)
        gz_release(output->context, output->aside_path, aside_bytes(output->path));
    gz_string_free(output->context, output->path);
    gz_list_free(output->context, &output->bytes);
    gz_release(output->context, output, sizeof *output);
}

// Where the target's folder ends in a path.
static uint64_t folder_bytes(const char *path)
{
    uint64_t end = strlen(path);
    while (end > 0 && path[end - 1] != '/')
        --end;
    return end;
}

// The file lies beside its target, because rename works only within one file system. Its name is
// always the same, so that what a killed process left there is found; with room for the end of one
// by chance.
static char *aside_name(graze_context *context, const char *path)
{
    uint64_t folder = folder_bytes(path);
    uint64_t bytes = aside_bytes(path);
    char *name = gz_allocate(context, bytes);
    if (name != NULL) {
        memset(name, 0, (size_t)bytes);
        snprintf(name, (size_t)bytes, "%.*s.%s" GZ_OUTPUT_PART, (int)folder, path, path + folder);
    }
    return name;
}

static graze_status out_of_memory(graze_context *context, const char *path)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
}

static const char *name_in_proc(char name[32], int descriptor)
{
    snprintf(name, 32, "/proc/self/fd/%d", descriptor);
    return name;
}

// A file without a name in the folder of a path; negative where that cannot be had, or could not
// get its name later.
static int open_unnamed(graze_context *context, const char *path)
{
    char *folder = gz_string_copy(context, path), proc[32];
    if (folder == NULL)
        return -1;
    uint64_t length = strlen(path), end = folder_bytes(path);
    folder[end] = '\0';
    int descriptor = open(end == 0 ? "." : folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0 && access(name_in_proc(proc, descriptor), F_OK) != 0) {
        close(descriptor);
        descriptor = -1;
    }
    gz_release(context, folder, length + 1); // as long as it was
    return descriptor;
}

// True if the file lies at the path, and is one of ours.
static bool is_ours_at(int descriptor, const char *path)
{
    struct stat about, named;
    return fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           lstat(path, &named) == 0 && named.st_dev == about.st_dev && named.st_ino == about.st_ino;
}

typedef enum left_over { GONE, IN_USE, NOT_OURS } left_over;

// Everyone who is about to rename a file keeps it locked: one without a lock was left by a process
// that was killed, and is removed.
static left_over remove_left_over(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return errno == ENOENT ? GONE : NOT_OURS;
    left_over found = flock(descriptor, LOCK_EX | LOCK_NB) != 0 ? IN_USE
                      : !is_ours_at(descriptor, path)           ? NOT_OURS
                      : unlink(path) != 0                       ? NOT_OURS
                                                                : GONE;
    struct stat named;
    if (found == NOT_OURS && lstat(path, &named) != 0 && errno == ENOENT)
        found = GONE; // it was renamed just now
    close(descriptor);
    return found;
}

// Puts an end by chance behind a path. False if there can be no such file.
static bool choose_by_chance(char *path)
{
    memcpy(path + strlen(path), RANDOM_END, sizeof RANDOM_END);
    int holder = mkostemp(path, O_CLOEXEC);
    if (holder < 0)
        return false;
    close(holder);
    return unlink(path) == 0;
}

// A link takes no name that is taken, and no call of Linux puts a file without a name in the place
// of one that has it. So it needs another name for a moment, between two calls: a process that is
// killed there leaves it. Whoever finds it taken by somebody who lives waits: it is for a moment.
// Where it is taken by something else, another name is chosen by chance.
static bool name_unnamed(gz_output *output)
{
    char proc[32];
    bool by_chance = false;
    name_in_proc(proc, output->descriptor);
    for (int attempt = 0; attempt < MOST_ATTEMPTS; ++attempt) {
        if (linkat(AT_FDCWD, proc, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST)
            return false;
        if (linkat(AT_FDCWD, proc, AT_FDCWD, output->aside_path, AT_SYMLINK_FOLLOW) == 0) {
            if (rename(output->aside_path, output->path) == 0)
                return true;
            int code = errno;
            unlink(output->aside_path);
            errno = code;
            return false;
        }
        if (errno != EEXIST)
            return false;
        left_over found = remove_left_over(output->aside_path);
        if (found == IN_USE)
            usleep(1000);
        else if (found == NOT_OURS && (by_chance || !choose_by_chance(output->aside_path)))
            return false;
        by_chance = by_chance || found == NOT_OURS;
    }
    errno = EBUSY;
    return false;
}

// A file with a name, locked as long as it is open: one that is not is what a killed process left,
// and is used again. Where it is locked, or not ours, the name gets an end by chance.
static int open_named(char *path)
{
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
        is_ours_at(descriptor, path) && ftruncate(descriptor, 0) == 0)
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    memcpy(path + strlen(path), RANDOM_END, sizeof RANDOM_END);
    return mkostemp(path, O_CLOEXEC);
}

// Without a path and a file.
static gz_output *make_output(graze_context *context)
{
    gz_output *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return NULL;
    made->context = context;
    made->path = made->aside_path = NULL;
    made->unnamed = made->in_memory = false;
    made->bytes = (gz_byte_list){0};
    made->descriptor = -1;
    made->written = made->buffered = 0; // the buffer stays as it is
    return made;
}

graze_status gz_output_create_temporary(graze_context *context, gz_output **output)
{
    *output = make_output(context);
    if (*output == NULL)
        return out_of_memory(context, context->temporary_folder);
    (*output)->unnamed = true;
    graze_status status = gz_temporary_file(context, &(*output)->descriptor);
    if (status != GRAZE_OK) {
        free_output(*output);
        *output = NULL;
    }
    return status;
}

graze_status gz_output_create_memory(graze_context *context, gz_output **output)
{
    *output = make_output(context);
    if (*output == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for what is to be written");
    (*output)->in_memory = true;
    return GRAZE_OK;
}

const uint8_t *gz_output_bytes(const gz_output *output)
{
    GZ_ASSERT(output->in_memory);
    return output->bytes.items;
}

void gz_output_clear(gz_output *output)
{
    GZ_ASSERT(output->in_memory);
    output->bytes.count = 0;
}

// For messages.
static const char *path_of(const gz_output *output)
{
    return output->path != NULL ? output->path : output->context->temporary_folder;
}

graze_status gz_output_create(graze_context *context, const char *path, gz_output **output)
{
    *output = NULL;
    gz_output *made = make_output(context);
    if (made == NULL)
        return out_of_memory(context, path);
    made->path = gz_string_copy(context, path);
    made->aside_path = made->path == NULL ? NULL : aside_name(context, path);
    graze_status status = GRAZE_OK;
    if (made->path == NULL || made->aside_path == NULL) {
        status = out_of_memory(context, path);
    } else {
        made->descriptor = open_unnamed(context, path);
        made->unnamed = made->descriptor >= 0;
        if (made->unnamed) {
            (void)flock(made->descriptor, LOCK_EX | LOCK_NB); // nobody else knows it
            (void)remove_left_over(made->aside_path);
        } else {
            made->descriptor = open_named(made->aside_path);
        }
        if (made->descriptor < 0)
            status = fail_errno(context, path, "create a file beside it");
    }
    if (status != GRAZE_OK) {
        free_output(made);
        return status;
    }
    *output = made;
    return GRAZE_OK;
}

static graze_status write_at(graze_context *context, const char *path, int descriptor,
                             uint64_t offset, const void *bytes, uint64_t byte_count)
{
    const char *next = bytes;
    while (byte_count != 0) {
        if (GZ_FAULT_DUE(context, writes)) {
            errno = ENOSPC;
            return fail_errno(context, path, "write");
        }
        size_t ask = byte_count < LARGEST_CALL ? (size_t)byte_count : LARGEST_CALL;
        ssize_t count = pwrite(descriptor, next, ask, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_errno(context, path, "write");
        next += count;
        offset += (uint64_t)count;
        byte_count -= (uint64_t)count;
    }
    return GRAZE_OK;
}

graze_status gz_output_flush(gz_output *output)
{
    if (output->in_memory)
        return GRAZE_OK;
    GZ_ASSERT(output->descriptor >= 0 && output->buffered <= sizeof output->buffer);
    graze_status status = write_at(output->context, path_of(output), output->descriptor,
                                   output->written, output->buffer, output->buffered);
    output->written += output->buffered;
    output->buffered = 0;
    return status;
}

static graze_status write_memory(gz_output *output, const void *bytes, uint64_t byte_count)
{
    return gz_list_append(output->context, &output->bytes, (const uint8_t *)bytes, byte_count)
               ? GRAZE_OK
               : gz_fail(output->context, GRAZE_ERROR_MEMORY,
                         "out of memory for what is to be written");
}

graze_status gz_output_write(gz_output *output, const void *bytes, uint64_t byte_count)
{
    if (output->in_memory)
        return write_memory(output, bytes, byte_count);
    graze_status status = GRAZE_OK;
    if (output->buffered + byte_count > OUTPUT_BUFFER_BYTES)
        status = gz_output_flush(output);
    if (status != GRAZE_OK)
        return status;
    if (byte_count > OUTPUT_BUFFER_BYTES) {
        status = write_at(output->context, path_of(output), output->descriptor, output->written,
                          bytes, byte_count);
        output->written += byte_count;
        return status;
    }
    memcpy(output->buffer + output->buffered, bytes, (size_t)byte_count);
    output->buffered += byte_count;
    return GRAZE_OK;
}

uint64_t gz_output_tell(const gz_output *output)
{
    return output->in_memory ? output->bytes.count : output->written + output->buffered;
}

gz_file gz_output_file(const gz_output *output)
{
    gz_file file;
    if (output->in_memory) {
        gz_file_open_memory(output->context, path_of(output), output->bytes.items,
                            output->bytes.count, &file);
        return file;
    }
    return (gz_file){.context = output->context,
                     .path = path_of(output),
                     .descriptor = output->descriptor,
                     .seekable = true,
                     .borrowed = true,
                     .byte_count = output->written};
}

gz_file gz_output_take_file(gz_output *output)
{
    GZ_ASSERT(output->path == NULL && !output->in_memory && output->buffered == 0);
    gz_file file = gz_output_file(output);
    file.borrowed = false;
    free_output(output);
    return file;
}

graze_status gz_output_read(const gz_output *output, uint64_t offset, void *out,
                            uint64_t byte_count)
{
    gz_file file = gz_output_file(output);
    return gz_file_read_at(&file, offset, out, byte_count);
}

graze_status gz_output_patch(gz_output *output, uint64_t offset, const void *bytes,
                             uint64_t byte_count)
{
    if (output->in_memory) {
        GZ_ASSERT(offset <= output->bytes.count && byte_count <= output->bytes.count - offset);
        memcpy(output->bytes.items + offset, bytes, (size_t)byte_count);
        return GRAZE_OK;
    }
    graze_status status = gz_output_flush(output);
    if (status == GRAZE_OK)
        status = write_at(output->context, path_of(output), output->descriptor, offset, bytes,
                          byte_count);
    return status;
}

// mkostemp makes files private; the result gets what the user's umask would have given it.
static mode_t default_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

graze_status gz_output_commit(gz_output *output)
{
    GZ_ASSERT(output->path != NULL);
    graze_status status = gz_output_flush(output);
    if (status == GRAZE_OK &&
        (fchmod(output->descriptor, default_mode()) != 0 || fsync(output->descriptor) != 0))
        status = fail_errno(output->context, output->path, "finish");
    if (status == GRAZE_OK && output->unnamed && !name_unnamed(output))
        status = fail_errno(output->context, output->path, "give its name to the finished file");
    // While it is locked: others may begin with what has this name and no lock.
    if (status == GRAZE_OK && !output->unnamed && rename(output->aside_path, output->path) != 0)
        status = fail_errno(output->context, output->path, "rename the finished file to it");
    if (status != GRAZE_OK && !output->unnamed)
        unlink(output->aside_path);
    if (close(output->descriptor) != 0 && status == GRAZE_OK)
        status = fail_errno(output->context, output->path, "close");
    free_output(output);
    return status;
}

void gz_output_abandon(gz_output *output)
{
    if (output == NULL)
        return;
    if (!output->unnamed && !output->in_memory)
        unlink(output->aside_path);
    if (output->descriptor >= 0)
        close(output->descriptor);
    free_output(output);
}

graze_status gz_temporary_file(graze_context *context, int *descriptor)
{
    const char *folder = context->temporary_folder;
    *descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (*descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
        char name[4096];
        if ((size_t)snprintf(name, sizeof name, "%s/graze.XXXXXX", folder) < sizeof name)
            *descriptor = mkostemp(name, O_CLOEXEC);
        if (*descriptor >= 0)
            unlink(name);
    }
    if (*descriptor < 0)
        return fail_errno(context, folder, "make a temporary file in it");
    return GRAZE_OK;
}

graze_status gz_temporary_write(graze_context *context, int descriptor, uint64_t offset,
                                const void *bytes, uint64_t byte_count)
{
    return write_at(context, context->temporary_folder, descriptor, offset, bytes, byte_count);
}

graze_status gz_temporary_read(graze_context *context, int descriptor, uint64_t offset, void *out,
                               uint64_t byte_count)
{
    gz_file file = {
        .context = context, .path = context->temporary_folder, .descriptor = descriptor};
    return gz_file_read_at(&file, offset, out, byte_count);
}

bool gz_file_begins(const char *path, const void *bytes, uint64_t byte_count)
{
    struct stat about;
    char start[64];
    GZ_ASSERT(byte_count <= sizeof start);
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool begins = pread(descriptor, start, (size_t)byte_count, 0) == (ssize_t)byte_count &&
                  memcmp(start, bytes, (size_t)byte_count) == 0;
    close(descriptor);
    return begins;
}
