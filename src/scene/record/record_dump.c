// All rows of a record as text, for comparing records. See graze_record_dump.
//
// Tables and their rows come in a fixed order. The table of moments is left out: it is the only one
// that has times.
#include <inttypes.h>
#include <string.h>

#include "scene/record/record_store.h"

static const char *const queries[][2] = {
    {"runs", "SELECT * FROM runs ORDER BY run"},
    {"rules", "SELECT * FROM rules ORDER BY rule"},
    {"run_rules", "SELECT * FROM run_rules ORDER BY run, place"},
    {"objects", "SELECT * FROM objects ORDER BY object"},
    {"states", "SELECT * FROM states ORDER BY object, run"},
    {"checked", "SELECT * FROM checked ORDER BY a, b, rule"},
    {"problems", "SELECT * FROM problems ORDER BY problem"},
    {"clashes", "SELECT * FROM clashes ORDER BY clash"},
    {"occurrences", "SELECT * FROM occurrences ORDER BY clash, run"},
    {"events", "SELECT * FROM events ORDER BY event"},
};

typedef struct dumping {
    graze_record *record;
    gz_byte_list line;
} dumping;

static bool put(dumping *d, const char *text, uint64_t byte_count)
{
    return gz_list_append(d->record->context, &d->line, (const uint8_t *)text, byte_count);
}

// A line is a line whatever is in a text.
static bool put_text(dumping *d, const char *text)
{
    bool done = put(d, "\"", 1);
    for (; *text != '\0' && done; ++text) {
        char escaped[8];
        if ((unsigned char)*text >= ' ' && *text != '"' && *text != '\\') {
            done = put(d, text, 1);
            continue;
        }
        snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*text);
        done = put(d, escaped, 4);
    }
    return done && put(d, "\"", 1);
}

static bool put_bytes(dumping *d, const uint8_t *bytes, int count)
{
    char digits[4];
    bool done = put(d, "x", 1);
    for (int i = 0; i < count && done; ++i) {
        snprintf(digits, sizeof digits, "%02x", bytes[i]);
        done = put(d, digits, 2);
    }
    return done;
}

static bool put_value(dumping *d, sqlite3_stmt *row, int column)
{
    char number[40];
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        snprintf(number, sizeof number, "%" PRId64, (int64_t)sqlite3_column_int64(row, column));
        break;
    case SQLITE_FLOAT:
        snprintf(number, sizeof number, "%.17g", sqlite3_column_double(row, column));
        break;
    case SQLITE_TEXT: return put_text(d, gz_sql_text(row, column));
    case SQLITE_BLOB:
        return put_bytes(d, sqlite3_column_blob(row, column), sqlite3_column_bytes(row, column));
    default: snprintf(number, sizeof number, "null"); break;
    }
    return put(d, number, strlen(number));
}

static graze_status put_row(dumping *d, const char *table, sqlite3_stmt *row)
{
    d->line.count = 0;
    bool done = put(d, table, strlen(table));
    for (int i = 0; i < sqlite3_column_count(row) && done; ++i) {
        const char *name = sqlite3_column_name(row, i);
        done = name != NULL && put(d, " ", 1) && put(d, name, strlen(name)) && put(d, "=", 1) &&
               put_value(d, row, i);
    }
    if (done && put(d, "", 1))
        return GRAZE_OK;
    return gz_fail(d->record->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a row",
                   d->record->sql.path);
}

graze_status graze_record_dump(graze_record *record,
                               graze_status (*receive)(void *user, const char *line), void *user)
{
    if (record == NULL || receive == NULL)
        return gz_fail_null(record == NULL ? NULL : record->context, "graze_record_dump");
    dumping d = {.record = record};
    graze_status status = GRAZE_OK;
    for (size_t i = 0; i < sizeof queries / sizeof *queries && status == GRAZE_OK; ++i) {
        sqlite3_stmt *rows = NULL;
        bool row = false;
        status = gz_sql_prepare(&record->sql, queries[i][1], &rows);
        while (status == GRAZE_OK) {
            status = gz_sql_next(&record->sql, rows, &row);
            if (status != GRAZE_OK || !row)
                break;
            status = put_row(&d, queries[i][0], rows);
            if (status == GRAZE_OK)
                status = receive(user, (const char *)d.line.items);
        }
        sqlite3_finalize(rows);
    }
    gz_list_free(record->context, &d.line);
    return status;
}
