// SQLite as the rest of the record sees it: statements with typed values, failures in sentences.
#ifndef GZ_RECORD_SQL_H
#define GZ_RECORD_SQL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/context.h"

typedef struct gz_sql {
    graze_context *context;
    char *path;
    sqlite3 *db;
} gz_sql;

// Says what went wrong last, and gives its status.
graze_status gz_sql_failed(const gz_sql *sql);

// Runs statements that give no rows.
graze_status gz_sql_script(const gz_sql *sql, const char *script);

// A statement; NULL on failure. sqlite3_finalize accepts NULL.
graze_status gz_sql_prepare(const gz_sql *sql, const char *text, sqlite3_stmt **statement);

// Sets the values of a statement, and starts it over. One letter each: i int64_t, d double (NaN
// gives NULL), t const char * (NULL gives NULL; it lives until the statement is done), b const void
// * and int, n nothing.
void gz_sql_set(sqlite3_stmt *statement, const char *kinds, ...);

// The next row. *row is false behind the last one.
graze_status gz_sql_next(const gz_sql *sql, sqlite3_stmt *statement, bool *row);
// A statement without rows.
graze_status gz_sql_do(const gz_sql *sql, sqlite3_stmt *statement);

// A single number, of a statement without values; `otherwise` where there is no row.
graze_status gz_sql_number(const gz_sql *sql, const char *text, int64_t otherwise, int64_t *value);

// Never NULL.
static inline const char *gz_sql_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text == NULL ? "" : (const char *)text;
}

graze_status gz_sql_begin(const gz_sql *sql);
// Commits if all went well so far, else takes all back. Gives the status that counts.
graze_status gz_sql_end(const gz_sql *sql, graze_status status);

#endif
