// SQLite as the rest of the record sees it. See record_sql.h.
#include "scene/record/record_sql.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

// A disk that is full has many names.
static bool is_full(int code, int system_error)
{
    return (code & 0xff) == SQLITE_FULL ||
           ((code & 0xff) == SQLITE_IOERR &&
            (system_error == ENOSPC || system_error == EFBIG || system_error == EDQUOT));
}

graze_status gz_sql_failed(const gz_sql *sql)
{
    int code = sql->db == NULL ? SQLITE_NOMEM : sqlite3_extended_errcode(sql->db);
    int system_error = sql->db == NULL ? 0 : sqlite3_system_errno(sql->db);
    const char *words = sql->db == NULL ? "" : sqlite3_errmsg(sql->db);
    if (is_full(code, system_error))
        return gz_fail(sql->context, GRAZE_ERROR_SPACE,
                       "%s: there is no room left to write it: %s; what it held is kept", sql->path,
                       system_error != 0 ? strerror(system_error) : "disk full");
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return gz_fail(sql->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a record",
                       sql->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return gz_fail(sql->context, GRAZE_ERROR_IO,
                       "%s: another run or review has it: try again when that has ended",
                       sql->path);
    case SQLITE_NOTADB:
        return gz_fail(sql->context, GRAZE_ERROR_FORMAT,
                       "%s: is no record of clash checks: it is not an SQLite database", sql->path);
    case SQLITE_CORRUPT:
        return gz_fail(sql->context, GRAZE_ERROR_FORMAT,
                       "%s: the record is damaged (%s); nothing was changed", sql->path, words);
    case SQLITE_READONLY:
        return gz_fail(sql->context, GRAZE_ERROR_IO, "%s: the record cannot be written: %s",
                       sql->path, words);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return gz_fail(sql->context, GRAZE_ERROR_IO, "%s: the record cannot be opened: %s",
                       sql->path, system_error != 0 ? strerror(system_error) : words);
    case SQLITE_IOERR:
        return gz_fail(sql->context, GRAZE_ERROR_IO, "%s: the record cannot be read or written: %s",
                       sql->path, system_error != 0 ? strerror(system_error) : words);
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        return gz_fail(sql->context, GRAZE_ERROR_FORMAT,
                       "%s: the record breaks its own rules (%s); nothing was changed", sql->path,
                       words);
    default: break;
    }
    return gz_fail(sql->context, GRAZE_ERROR_IO, "%s: SQLite says: %s", sql->path, words);
}

graze_status gz_sql_script(const gz_sql *sql, const char *script)
{
    return sqlite3_exec(sql->db, script, NULL, NULL, NULL) == SQLITE_OK ? GRAZE_OK
                                                                        : gz_sql_failed(sql);
}

graze_status gz_sql_prepare(const gz_sql *sql, const char *text, sqlite3_stmt **statement)
{
    *statement = NULL;
    return sqlite3_prepare_v2(sql->db, text, -1, statement, NULL) == SQLITE_OK ? GRAZE_OK
                                                                               : gz_sql_failed(sql);
}

// What cannot be bound for want of memory fails when the statement runs: a value that is missing
// breaks a NOT NULL, or SQLite remembers.
void gz_sql_set(sqlite3_stmt *statement, const char *kinds, ...)
{
    va_list values;
    sqlite3_reset(statement);
    va_start(values, kinds);
    for (int i = 1; *kinds != '\0'; ++kinds, ++i) {
        switch (*kinds) {
        case 'i': sqlite3_bind_int64(statement, i, va_arg(values, int64_t)); break;
        case 'd': sqlite3_bind_double(statement, i, va_arg(values, double)); break;
        case 't':
            sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, SQLITE_STATIC);
            break;
        case 'b': {
            const void *bytes = va_arg(values, const void *);
            sqlite3_bind_blob(statement, i, bytes, va_arg(values, int), SQLITE_STATIC);
            break;
        }
        default: sqlite3_bind_null(statement, i); break;
        }
    }
    va_end(values);
}

graze_status gz_sql_next(const gz_sql *sql, sqlite3_stmt *statement, bool *row)
{
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return GRAZE_OK;
    graze_status status = gz_sql_failed(sql);
    sqlite3_reset(statement);
    return status;
}

graze_status gz_sql_do(const gz_sql *sql, sqlite3_stmt *statement)
{
    bool row = false;
    graze_status status = gz_sql_next(sql, statement, &row);
    sqlite3_reset(statement);
    return status;
}

graze_status gz_sql_number(const gz_sql *sql, const char *text, int64_t otherwise, int64_t *value)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    *value = otherwise;
    graze_status status = gz_sql_prepare(sql, text, &statement);
    if (status == GRAZE_OK)
        status = gz_sql_next(sql, statement, &row);
    if (status == GRAZE_OK && row)
        *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

graze_status gz_sql_begin(const gz_sql *sql) { return gz_sql_script(sql, "BEGIN IMMEDIATE"); }

graze_status gz_sql_end(const gz_sql *sql, graze_status status)
{
    if (status == GRAZE_OK)
        status = gz_sql_script(sql, "COMMIT");
    // Some failures have taken all back already.
    if (status != GRAZE_OK && sqlite3_get_autocommit(sql->db) == 0)
        sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
