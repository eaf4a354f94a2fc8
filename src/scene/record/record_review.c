// What people say of clashes: statuses, comments, who looks after them. See graze/clash_record.h.
#include <inttypes.h>
#include <string.h>

#include "base/def.h"
#include "scene/record/record_store.h"

enum { LOOK, SET_STATUS, SET_ASSIGNED, ADD_EVENT, ADD_MOMENT, STATEMENTS };
static const char *const statement_texts[STATEMENTS] = {
    [LOOK] = "SELECT status, assigned FROM clashes WHERE clash = ?",
    [SET_STATUS] = "UPDATE clashes SET status = ?1, before = ?1, reason = ?2, approved_run = CASE "
                   "?1 WHEN 'approved' THEN last_run END WHERE clash = ?3",
    [SET_ASSIGNED] = "UPDATE clashes SET assigned = ? WHERE clash = ?",
    [ADD_EVENT] = "INSERT INTO events(clash, what, run, author, was, now, reason) "
                  "VALUES(?, ?, NULL, ?, ?, ?, '')",
    [ADD_MOMENT] = "INSERT INTO moments(what, number, time) VALUES('event', ?, ?)",
};

typedef struct reviewing {
    graze_record *record;
    const gz_sql *sql;
    const graze_record_say *say;
    sqlite3_stmt *statements[STATEMENTS];
} reviewing;

static graze_status write_event(const reviewing *r, int64_t clash, const char *what,
                                const char *was, const char *now)
{
    const char *author = r->say->author == NULL ? "" : r->say->author;
    gz_sql_set(r->statements[ADD_EVENT], "itttt", clash, what, author, was, now);
    graze_status status = gz_sql_do(r->sql, r->statements[ADD_EVENT]);
    if (status != GRAZE_OK || r->say->time == 0)
        return status;
    int64_t event = sqlite3_last_insert_rowid(r->sql->db);
    gz_sql_set(r->statements[ADD_MOMENT], "ii", event, r->say->time);
    return gz_sql_do(r->sql, r->statements[ADD_MOMENT]);
}

static graze_status write_status(const reviewing *r, int64_t clash, const char *was)
{
    const char *now = graze_record_status_text(r->say->status);
    char reason[256] = "said in a review";
    if (r->say->author != NULL && r->say->author[0] != '\0')
        snprintf(reason, sizeof reason, "said by %.200s", r->say->author);
    gz_sql_set(r->statements[SET_STATUS], "tti", now, reason, clash);
    graze_status status = gz_sql_do(r->sql, r->statements[SET_STATUS]);
    return status == GRAZE_OK ? write_event(r, clash, "status", was, now) : status;
}

static graze_status write_assigned(const reviewing *r, int64_t clash, const char *was)
{
    if (strcmp(was, r->say->assign) == 0)
        return GRAZE_OK;
    gz_sql_set(r->statements[SET_ASSIGNED], "ti", r->say->assign, clash);
    graze_status status = gz_sql_do(r->sql, r->statements[SET_ASSIGNED]);
    return status == GRAZE_OK ? write_event(r, clash, "assigned", was, r->say->assign) : status;
}

static graze_status review_clash(const reviewing *r, uint64_t number)
{
    sqlite3_stmt *look = r->statements[LOOK];
    int64_t clash = (int64_t)number;
    bool row = false;
    gz_sql_set(look, "i", clash);
    graze_status status = gz_sql_next(r->sql, look, &row);
    if (status == GRAZE_OK && (!row || number > INT64_MAX))
        status =
            gz_fail(r->record->context, GRAZE_ERROR_ARGUMENT,
                    "%s: there is no clash %" PRIu64 "; nothing was changed", r->sql->path, number);
    // The texts live while the row does.
    if (status == GRAZE_OK && r->say->status != 0)
        status = write_status(r, clash, gz_sql_text(look, 0));
    if (status == GRAZE_OK && r->say->assign != NULL)
        status = write_assigned(r, clash, gz_sql_text(look, 1));
    if (status == GRAZE_OK && r->say->comment != NULL)
        status = write_event(r, clash, "comment", "", r->say->comment);
    sqlite3_reset(look);
    return status;
}

static bool can_be_said(graze_record_status status)
{
    return status == 0 || (status >= GRAZE_RECORD_ACTIVE && status <= GRAZE_RECORD_RESOLVED);
}

graze_status graze_record_review(graze_record *record, const uint64_t *clashes,
                                 uint64_t clash_count, const graze_record_say *given)
{
    static const char who[] = "graze_record_review";
    if (record == NULL || given == NULL || (clashes == NULL && clash_count != 0))
        return gz_fail_null(record == NULL ? NULL : record->context, who);
    graze_record_say room = graze_record_say_default();
    const graze_record_say *say = gz_def_known(record->context, who, given, &room, sizeof room);
    if (say == NULL)
        return GRAZE_ERROR_ARGUMENT;
    if (record->use == GRAZE_RECORD_READ)
        return gz_fail(record->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the record was opened for reading only", who);
    if (!can_be_said(say->status))
        return gz_fail(record->context, GRAZE_ERROR_ARGUMENT,
                       "%s: nobody can say that a clash is %s: only a run does", who,
                       graze_record_status_text(say->status));
    reviewing r = {.record = record, .sql = &record->sql, .say = say};
    graze_status status = gz_sql_begin(r.sql);
    if (status != GRAZE_OK)
        return status;
    for (int i = 0; i < STATEMENTS && status == GRAZE_OK; ++i)
        status = gz_sql_prepare(r.sql, statement_texts[i], &r.statements[i]);
    for (uint64_t i = 0; i < clash_count && status == GRAZE_OK; ++i)
        status = review_clash(&r, clashes[i]);
    if (status == GRAZE_OK)
        status = gz_record_find_problems(record);
    for (int i = 0; i < STATEMENTS; ++i)
        sqlite3_finalize(r.statements[i]);
    return gz_sql_end(r.sql, status);
}
