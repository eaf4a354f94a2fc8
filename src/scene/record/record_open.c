// Opening records: is it one, of which version, whole, and free? See graze/clash_record.h.
//
// Whoever opens a record for a run holds SQLite's exclusive lock until it is closed: a process that
// is killed holds none, and leaves nothing behind but a journal, from which the next one to open
// the record takes it back to its last whole transaction. Nothing is written before it is known
// that the file is a record.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/record/record_schema.h"
#include "scene/record/record_store.h"

#define PATIENCE_MS 1000 // for a review that is being written

graze_record_status gz_record_status_of(const char *word)
{
    for (uint32_t i = 1; i < GRAZE_RECORD_STATUSES; ++i)
        if (strcmp(word, graze_record_status_text((graze_record_status)i)) == 0)
            return (graze_record_status)i;
    return (graze_record_status)0;
}

graze_status gz_record_damaged(const graze_record *record, const char *table, const char *what)
{
    return gz_fail(record->context, GRAZE_ERROR_FORMAT,
                   "%s: the record is damaged (table %s: %s); nothing was changed",
                   record->sql.path, table, what);
}

// --- Is it a record?

static graze_status check_kind(const graze_record *record, int64_t *version)
{
    const gz_sql *sql = &record->sql;
    int64_t application = 0, tables = 0;
    graze_status status = gz_sql_number(sql, "PRAGMA application_id", 0, &application);
    if (status == GRAZE_OK)
        status = gz_sql_number(sql, "PRAGMA user_version", 0, version);
    if (status == GRAZE_OK)
        status = gz_sql_number(sql, "SELECT count(*) FROM sqlite_schema", 0, &tables);
    if (status != GRAZE_OK)
        return status;
    bool empty = application == 0 && *version == 0 && tables == 0;
    if (empty && record->use == GRAZE_RECORD_RUN)
        return GRAZE_OK;
    if (empty)
        return gz_fail(record->context, GRAZE_ERROR_FORMAT,
                       "%s: is empty, and no record of clash checks", sql->path);
    if (application != GZ_RECORD_APPLICATION)
        return gz_fail(record->context, GRAZE_ERROR_FORMAT,
                       "%s: is no record of clash checks, but an SQLite database of another "
                       "program; nothing was changed",
                       sql->path);
    if (*version > GZ_RECORD_VERSION)
        return gz_fail(record->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: the record is of version %d, and this graze knows versions up to %d; "
                       "nothing was changed",
                       sql->path, (int)*version, GZ_RECORD_VERSION);
    if (*version < 1)
        return gz_record_damaged(record, "sqlite_schema", "it has no version");
    if (*version < GZ_RECORD_VERSION && record->use == GRAZE_RECORD_READ)
        return gz_fail(record->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: the record is of version %d, and has to be brought to version %d "
                       "first, which the next run or review does",
                       sql->path, (int)*version, GZ_RECORD_VERSION);
    return GRAZE_OK;
}

// Every page is read: what is damaged is better known now than in the middle of a run.
static graze_status check_pages(const graze_record *record)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    graze_status status = gz_sql_prepare(&record->sql, "PRAGMA quick_check(1)", &statement);
    if (status == GRAZE_OK)
        status = gz_sql_next(&record->sql, statement, &row);
    if (status == GRAZE_OK && row && strcmp(gz_sql_text(statement, 0), "ok") != 0) {
        const char *words = gz_sql_text(statement, 0), *line = strrchr(words, '\n');
        const char *code = strstr(words, "error code=");
        bool unread = code != NULL && (strtol(code + 11, NULL, 10) & 0xff) == SQLITE_IOERR;
        status = gz_fail(record->context, unread ? GRAZE_ERROR_IO : GRAZE_ERROR_FORMAT,
                         unread ? "%s: the record cannot be read (%s); nothing was changed"
                                : "%s: the record is damaged (%s); nothing was changed",
                         record->sql.path, line == NULL ? words : line + 1);
    }
    sqlite3_finalize(statement);
    return status;
}

static graze_status migrate(const graze_record *record, int64_t version)
{
    const gz_sql *sql = &record->sql;
    char pragma[64];
    if (version == GZ_RECORD_VERSION || record->use == GRAZE_RECORD_READ)
        return GRAZE_OK;
    graze_status status = gz_sql_begin(sql);
    if (status != GRAZE_OK)
        return status;
    for (int64_t step = version; step < GZ_RECORD_VERSION && status == GRAZE_OK; ++step)
        status = gz_sql_script(sql, gz_record_steps[step]);
    snprintf(pragma, sizeof pragma, "PRAGMA application_id=%d; PRAGMA user_version=%d",
             GZ_RECORD_APPLICATION, GZ_RECORD_VERSION);
    if (status == GRAZE_OK)
        status = gz_sql_script(sql, pragma);
    return gz_sql_end(sql, status);
}

// --- Opening

static graze_status open_file(graze_record *record)
{
    static const int flags[] = {
        // Who reads takes back what a process that was killed had half written, where he may.
        [GRAZE_RECORD_READ] = SQLITE_OPEN_READWRITE,
        [GRAZE_RECORD_REVIEW] = SQLITE_OPEN_READWRITE,
        [GRAZE_RECORD_RUN] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
    };
    gz_sql *sql = &record->sql;
    int code = sqlite3_open_v2(sql->path, &sql->db, flags[record->use] | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        return gz_sql_failed(sql);
    sqlite3_extended_result_codes(sql->db, 1);
    sqlite3_busy_timeout(sql->db, PATIENCE_MS);
    // SQLite falls back to reading where it may not write: that would come out too late.
    if (record->use != GRAZE_RECORD_READ && sqlite3_db_readonly(sql->db, "main") == 1)
        return gz_fail(record->context, GRAZE_ERROR_IO, "%s: the record cannot be written: %s",
                       sql->path, strerror(EACCES));
    graze_status status = gz_sql_script(sql, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"
                                             "PRAGMA mmap_size=0; PRAGMA cache_size=-4096");
    if (status == GRAZE_OK && record->use == GRAZE_RECORD_READ)
        status = gz_sql_script(sql, "PRAGMA query_only=ON");
    return status;
}

// What holds from here on, once it is known that the file is ours.
static graze_status take_over(graze_record *record)
{
    const gz_sql *sql = &record->sql;
    graze_status status = gz_sql_script(sql, "PRAGMA foreign_keys=ON");
    if (status != GRAZE_OK || record->use == GRAZE_RECORD_READ)
        return status;
    if (record->use == GRAZE_RECORD_RUN)
        // In this order: who waits for the lock in the exclusive mode holds up all others.
        status = gz_sql_script(sql, "BEGIN EXCLUSIVE; PRAGMA locking_mode=EXCLUSIVE; COMMIT");
    if (status == GRAZE_OK)
        status = gz_sql_script(sql, "PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL");
    return status;
}

static bool is_regular_or_new(const char *path, bool *is_new)
{
    struct stat at;
    *is_new = stat(path, &at) != 0;
    return *is_new || S_ISREG(at.st_mode);
}

static graze_status open_record(graze_record *record)
{
    int64_t version = 0;
    bool is_new;
    if (!is_regular_or_new(record->sql.path, &is_new))
        return gz_fail(record->context, GRAZE_ERROR_IO, "%s: is not a regular file",
                       record->sql.path);
    graze_status status = open_file(record);
    if (status == GRAZE_OK)
        status = check_kind(record, &version);
    if (status == GRAZE_OK)
        status = check_pages(record);
    if (status == GRAZE_OK)
        status = take_over(record);
    // Another process may have made it meanwhile.
    if (status == GRAZE_OK)
        status = check_kind(record, &version);
    if (status == GRAZE_OK)
        status = migrate(record, version);
    if (status != GRAZE_OK && is_new && sqlite3_close(record->sql.db) == SQLITE_OK) {
        struct stat at; // an empty file that we made is no trace worth leaving
        record->sql.db = NULL;
        if (stat(record->sql.path, &at) == 0 && at.st_size == 0)
            unlink(record->sql.path);
    }
    return status;
}

graze_status graze_record_open(graze_context *context, const char *path, graze_record_use use,
                               graze_record **out)
{
    static const char who[] = "graze_record_open";
    if (out != NULL)
        *out = NULL;
    if (context == NULL || path == NULL || out == NULL)
        return gz_fail_null(context, who);
    if ((uint32_t)use > GRAZE_RECORD_RUN)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: there is no such use", who);
    graze_record *record = gz_allocate(context, sizeof *record);
    if (record == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory for a record", path);
    *record = (graze_record){.context = context, .use = use, .sql.context = context};
    record->sql.path = gz_string_copy(context, path);
    graze_status status = record->sql.path == NULL ? gz_fail(context, GRAZE_ERROR_MEMORY,
                                                             "%s: out of memory for a record", path)
                                                   : open_record(record);
    if (status == GRAZE_OK)
        *out = record;
    else
        graze_record_close(record);
    return status;
}

void graze_record_close(graze_record *record)
{
    if (record == NULL)
        return;
    sqlite3_close(record->sql.db);
    gz_string_free(record->context, record->sql.path);
    gz_release(record->context, record, sizeof *record);
}
