// See broken_disk.h. A VFS of SQLite that hands everything on to the usual one.
#include "broken_disk.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static sqlite3_vfs *usual;
static sqlite3_vfs broken;
static _Atomic int64_t count, limit = INT64_MAX;
static disk_fault fault;

typedef struct broken_file {
    sqlite3_file base;
    sqlite3_file *real; // behind this one
} broken_file;

static sqlite3_file *real_of(sqlite3_file *file) { return ((broken_file *)file)->real; }

// Whether this operation is to fail.
static bool is_due(bool reads)
{
    if (reads != (fault == DISK_UNREADABLE))
        return false;
    return atomic_fetch_add(&count, 1) >= atomic_load(&limit);
}

static void die(void)
{
    if (fault == DISK_KILLS)
        kill(getpid(), SIGKILL);
}

static int read_at(sqlite3_file *file, void *bytes, int byte_count, sqlite3_int64 offset)
{
    if (is_due(true))
        return SQLITE_IOERR_READ;
    return real_of(file)->pMethods->xRead(real_of(file), bytes, byte_count, offset);
}

// The half of a write that was on its way has arrived.
static int write_at(sqlite3_file *file, const void *bytes, int byte_count, sqlite3_int64 offset)
{
    const sqlite3_io_methods *methods = real_of(file)->pMethods;
    if (is_due(false)) {
        (void)methods->xWrite(real_of(file), bytes, byte_count / 2, offset);
        die();
        return SQLITE_FULL;
    }
    return methods->xWrite(real_of(file), bytes, byte_count, offset);
}

static int truncate_at(sqlite3_file *file, sqlite3_int64 size)
{
    if (is_due(false)) {
        die();
        return SQLITE_IOERR_TRUNCATE;
    }
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int sync_all(sqlite3_file *file, int flags)
{
    if (is_due(false)) {
        die();
        return SQLITE_FULL;
    }
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int close_file(sqlite3_file *file) { return real_of(file)->pMethods->xClose(real_of(file)); }
static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
static int lock_file(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xLock(real_of(file), kind);
}
static int unlock_file(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), kind);
}
static int check_lock(sqlite3_file *file, int *locked)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), locked);
}
static int control(sqlite3_file *file, int what, void *value)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), what, value);
}
static int sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}
static int traits_of(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_at,
    .xWrite = write_at,
    .xTruncate = truncate_at,
    .xSync = sync_all,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = traits_of,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    (void)vfs;
    broken_file *at = (broken_file *)file;
    at->base.pMethods = NULL;
    at->real = (sqlite3_file *)(void *)(at + 1);
    int code = usual->xOpen(usual, name, at->real, flags, out);
    if (code == SQLITE_OK)
        at->base.pMethods = &methods;
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    if (is_due(false)) {
        die();
        return SQLITE_IOERR_DELETE;
    }
    return usual->xDelete(usual, name, sync);
}

void broken_disk_install(void)
{
    sqlite3_initialize();
    usual = sqlite3_vfs_find(NULL);
    broken = *usual;
    broken.zName = "broken";
    broken.szOsFile = (int)sizeof(broken_file) + usual->szOsFile;
    broken.xOpen = open_file;
    broken.xDelete = delete_file;
    broken.pNext = NULL;
    sqlite3_vfs_register(&broken, 1);
}

void broken_disk_break(disk_fault kind, int64_t after)
{
    fault = kind;
    atomic_store(&count, 0);
    atomic_store(&limit, after);
}

int64_t broken_disk_mend(void)
{
    atomic_store(&limit, INT64_MAX);
    return atomic_load(&count);
}
