// Hands out what a record holds: runs, clashes with all that a report needs, and what happened to
// them. See graze/clash_record.h.
#include <string.h>

#include "base/def.h"
#include "scene/record/record_store.h"

// The newest state of an object, and its ten columns in the order of take_object.
#define STATE_COLUMNS(o, s)                                                                        \
    o ".object, " o ".id, " s ".path, " s ".name, " s ".parent, " s ".hash, " s ".triangles, " s   \
      ".pose, " s ".box, " s ".present"
#define STATE_JOIN(o, s, object)                                                                   \
    " JOIN objects " o " ON " o ".object = " object " JOIN states " s " ON " s ".object = " o      \
    ".object AND " s ".run = (SELECT max(run) FROM states t WHERE t.object = " o ".object)"
#define STATE_COUNT 10

static graze_status take_object(const graze_record *record, sqlite3_stmt *row, int column,
                                graze_record_object *object)
{
    double box[6];
    if (sqlite3_column_bytes(row, column + 7) != 96 || sqlite3_column_bytes(row, column + 8) != 48)
        return gz_record_damaged(record, "states", "a place is none");
    *object = (graze_record_object){
        .number = (uint64_t)sqlite3_column_int64(row, column),
        .id = gz_sql_text(row, column + 1),
        .path = gz_sql_text(row, column + 2),
        .name = gz_sql_text(row, column + 3),
        .group = gz_sql_text(row, column + 4),
        .hash = (uint64_t)sqlite3_column_int64(row, column + 5),
        .triangle_count = (uint64_t)sqlite3_column_int64(row, column + 6),
        .present = sqlite3_column_int(row, column + 9) != 0,
    };
    const uint8_t *pose = sqlite3_column_blob(row, column + 7);
    gz_unpack_doubles(pose, object->pose.rotation, 9);
    gz_unpack_doubles(pose + 72, object->pose.translation, 3);
    gz_unpack_doubles(sqlite3_column_blob(row, column + 8), box, 6);
    memcpy(object->box.min, box, sizeof object->box.min);
    memcpy(object->box.max, box + 3, sizeof object->box.max);
    if (object->triangle_count == 0)
        object->box = graze_box_empty();
    return GRAZE_OK;
}

// --- Clashes

#define CLASH_COLUMNS 21
static const char clash_query[] =
    "SELECT c.clash, c.id, c.status, c.before, c.reason, c.x, c.y, c.z, r.a, r.b, c.first_run, "
    "c.last_run, c.checked_run, c.assigned, (SELECT count(*) FROM events e WHERE e.clash = c.clash "
    "AND e.what = 'comment'), coalesce(c.problem, 0), coalesce(p.reason, ''), coalesce(n.count, "
    "0), o.kind, o.answer, 0, " STATE_COLUMNS("oa", "sa") ", " STATE_COLUMNS(
        "ob", "sb") " FROM clashes c JOIN rules r ON r.rule = c.rule JOIN occurrences o ON o.clash "
                    "= c.clash AND "
                    "o.run = (SELECT max(run) FROM occurrences u WHERE u.clash = c.clash) LEFT "
                    "JOIN problems p ON "
                    "p.problem = c.problem LEFT JOIN (SELECT problem, count(*) AS count FROM "
                    "clashes WHERE problem "
                    "IS NOT NULL GROUP BY problem) n ON n.problem = c.problem" STATE_JOIN(
                        "oa", "sa", "c.a") STATE_JOIN("ob", "sb", "c.b");

static graze_status take_clash(const graze_record *record, sqlite3_stmt *row,
                               graze_record_clash *clash)
{
    gz_answer answer;
    *clash = (graze_record_clash){
        .number = (uint64_t)sqlite3_column_int64(row, 0),
        .id = gz_sql_text(row, 1),
        .status = gz_record_status_of(gz_sql_text(row, 2)),
        .before = gz_record_status_of(gz_sql_text(row, 3)),
        .reason = gz_sql_text(row, 4),
        .place = {sqlite3_column_double(row, 5), sqlite3_column_double(row, 6),
                  sqlite3_column_double(row, 7)},
        .rule_a = gz_sql_text(row, 8),
        .rule_b = gz_sql_text(row, 9),
        .first_run = (uint32_t)sqlite3_column_int64(row, 10),
        .last_run = (uint32_t)sqlite3_column_int64(row, 11),
        .checked_run = (uint32_t)sqlite3_column_int64(row, 12),
        .assigned = gz_sql_text(row, 13),
        .comment_count = (uint64_t)sqlite3_column_int64(row, 14),
        .problem = (uint64_t)sqlite3_column_int64(row, 15),
        .problem_reason = gz_sql_text(row, 16),
        .problem_count = (uint64_t)sqlite3_column_int64(row, 17),
    };
    if (clash->status == 0 || clash->before == 0)
        return gz_record_damaged(record, "clashes", "a status is none");
    if (!gz_answer_unpack(sqlite3_column_int64(row, 18), sqlite3_column_blob(row, 19),
                          sqlite3_column_bytes(row, 19), &answer))
        return gz_record_damaged(record, "occurrences", "an answer is none");
    clash->clash = answer.clash;
    clash->clash.rule = UINT32_MAX;
    graze_status status = take_object(record, row, CLASH_COLUMNS, &clash->a);
    return status == GRAZE_OK ? take_object(record, row, CLASH_COLUMNS + STATE_COUNT, &clash->b)
                              : status;
}

graze_status graze_record_each_clash(graze_record *record, const graze_record_filter *given,
                                     graze_status (*receive)(void *user,
                                                             const graze_record_clash *clash),
                                     void *user)
{
    static const char who[] = "graze_record_each_clash";
    if (record == NULL || receive == NULL)
        return gz_fail_null(record == NULL ? NULL : record->context, who);
    graze_record_filter room = graze_record_filter_default();
    const graze_record_filter *filter =
        gz_def_known(record->context, who, given, &room, sizeof room);
    if (filter == NULL)
        return GRAZE_ERROR_ARGUMENT;
    char text[sizeof clash_query + 128];
    snprintf(text, sizeof text, "%s%s ORDER BY %s", clash_query,
             filter->number != 0 ? " WHERE c.clash = ?" : "",
             filter->by_number != 0 ? "c.clash" : "o.kind, o.mildness, c.clash");
    sqlite3_stmt *rows = NULL;
    bool row = false;
    graze_status status = gz_sql_prepare(&record->sql, text, &rows);
    if (status == GRAZE_OK && filter->number != 0)
        gz_sql_set(rows, "i", (int64_t)filter->number);
    while (status == GRAZE_OK) {
        graze_record_clash clash;
        status = gz_sql_next(&record->sql, rows, &row);
        if (status != GRAZE_OK || !row)
            break;
        status = take_clash(record, rows, &clash);
        if (status == GRAZE_OK &&
            (filter->statuses == 0 || (filter->statuses >> clash.status & 1) != 0))
            status = receive(user, &clash);
    }
    sqlite3_finalize(rows);
    return status;
}

// --- What a partial run has found

static const char found_query[] =
    "SELECT h.kind, h.answer, r.a, r.b, h.run, " STATE_COLUMNS("oa", "sa") ", " STATE_COLUMNS(
        "ob", "sb") " FROM checked h JOIN rules r ON r.rule = h.rule JOIN runs n ON n.run "
                    "= h.run JOIN run_rules l ON l.run = h.run AND l.place = (SELECT min(place) "
                    "FROM run_rules k "
                    "WHERE k.run = h.run AND k.rule = h.rule)" STATE_JOIN("oa", "sa", "h.a")
                        STATE_JOIN("ob", "sb",
                                   "h.b") " WHERE h.run = (SELECT max(run) FROM runs) AND "
                                          "n.complete = 0 AND h.kind > 0 AND (h.kind < 6 "
                                          "OR n.list_touching = 1) AND (l.ignored >> h.kind & 1) = "
                                          "0 ORDER BY h.a, h.b, h.rule";

graze_status graze_record_each_found(graze_record *record,
                                     graze_status (*receive)(void *user,
                                                             const graze_record_clash *clash),
                                     void *user)
{
    if (record == NULL || receive == NULL)
        return gz_fail_null(record == NULL ? NULL : record->context, "graze_record_each_found");
    sqlite3_stmt *rows = NULL;
    bool row = false;
    graze_status status = gz_sql_prepare(&record->sql, found_query, &rows);
    while (status == GRAZE_OK) {
        gz_answer answer;
        status = gz_sql_next(&record->sql, rows, &row);
        if (status != GRAZE_OK || !row)
            break;
        graze_record_clash clash = {.id = "",
                                    .status = GRAZE_RECORD_NEW,
                                    .before = GRAZE_RECORD_NEW,
                                    .reason = "found by a run that is partial",
                                    .rule_a = gz_sql_text(rows, 2),
                                    .rule_b = gz_sql_text(rows, 3),
                                    .assigned = "",
                                    .problem_reason = ""};
        clash.first_run = clash.last_run = clash.checked_run =
            (uint32_t)sqlite3_column_int64(rows, 4);
        if (!gz_answer_unpack(sqlite3_column_int64(rows, 0), sqlite3_column_blob(rows, 1),
                              sqlite3_column_bytes(rows, 1), &answer) ||
            answer.places.count == 0)
            status = gz_record_damaged(record, "checked", "an answer is none");
        clash.clash = answer.clash;
        clash.clash.rule = UINT32_MAX;
        for (int i = 0; i < 3; ++i)
            clash.place[i] = answer.clash.region.min[i] / 2 + answer.clash.region.max[i] / 2;
        if (status == GRAZE_OK)
            status = take_object(record, rows, 5, &clash.a);
        if (status == GRAZE_OK)
            status = take_object(record, rows, 5 + STATE_COUNT, &clash.b);
        if (status == GRAZE_OK)
            status = receive(user, &clash);
    }
    sqlite3_finalize(rows);
    return status;
}

// --- Events and runs

graze_status graze_record_each_event(graze_record *record, uint64_t clash,
                                     graze_status (*receive)(void *user,
                                                             const graze_record_event *event),
                                     void *user)
{
    if (record == NULL || receive == NULL)
        return gz_fail_null(record == NULL ? NULL : record->context, "graze_record_each_event");
    sqlite3_stmt *rows = NULL;
    bool row = false;
    graze_status status = gz_sql_prepare(
        &record->sql,
        "SELECT e.what, coalesce(e.run, 0), e.author, coalesce(m.time, n.time, 0), e.was, e.now, "
        "e.reason FROM events e LEFT JOIN moments m ON m.what = 'event' AND m.number = e.event "
        "LEFT JOIN moments n ON n.what = 'run ended' AND n.number = e.run WHERE e.clash = ? ORDER "
        "BY e.event",
        &rows);
    if (status == GRAZE_OK)
        gz_sql_set(rows, "i", (int64_t)clash);
    while (status == GRAZE_OK) {
        status = gz_sql_next(&record->sql, rows, &row);
        if (status != GRAZE_OK || !row)
            break;
        graze_record_event event = {.clash = clash,
                                    .what = gz_sql_text(rows, 0),
                                    .run = (uint32_t)sqlite3_column_int64(rows, 1),
                                    .author = gz_sql_text(rows, 2),
                                    .time = sqlite3_column_int64(rows, 3),
                                    .from = gz_sql_text(rows, 4),
                                    .to = gz_sql_text(rows, 5),
                                    .text = gz_sql_text(rows, 6)};
        status = receive(user, &event);
    }
    sqlite3_finalize(rows);
    return status;
}

graze_status graze_record_each_run(graze_record *record,
                                   graze_status (*receive)(void *user, const graze_record_run *run),
                                   void *user)
{
    if (record == NULL || receive == NULL)
        return gz_fail_null(record == NULL ? NULL : record->context, "graze_record_each_run");
    sqlite3_stmt *rows = NULL;
    bool row = false;
    graze_status status = gz_sql_prepare(
        &record->sql,
        "SELECT r.run, r.complete, r.files, r.version, coalesce(b.time, 0), coalesce(e.time, 0), "
        "r.touch, r.clearance, r.depth_error, r.metres_per_unit, r.objects, r.pairs, CASE "
        "r.complete WHEN 1 THEN r.checked ELSE (SELECT count(*) FROM checked h WHERE h.run = "
        "r.run) END, (SELECT count(*) FROM occurrences o WHERE r.run BETWEEN o.run AND o.until) + "
        "CASE WHEN r.complete = 0 AND r.run = (SELECT max(run) FROM runs) THEN (SELECT count(*) "
        "FROM checked h WHERE h.run = r.run AND h.kind BETWEEN 1 AND 5) ELSE 0 END FROM runs r "
        "LEFT JOIN moments b ON b.what = 'run begun' AND b.number = r.run LEFT JOIN moments e ON "
        "e.what = 'run ended' AND e.number = r.run ORDER BY r.run",
        &rows);
    while (status == GRAZE_OK) {
        status = gz_sql_next(&record->sql, rows, &row);
        if (status != GRAZE_OK || !row)
            break;
        graze_record_run run = {.run = (uint32_t)sqlite3_column_int64(rows, 0),
                                .complete = sqlite3_column_int(rows, 1) != 0,
                                .files = gz_sql_text(rows, 2),
                                .version = gz_sql_text(rows, 3),
                                .begun = sqlite3_column_int64(rows, 4),
                                .ended = sqlite3_column_int64(rows, 5),
                                .touch = sqlite3_column_double(rows, 6),
                                .clearance = sqlite3_column_double(rows, 7),
                                .depth_error = sqlite3_column_double(rows, 8),
                                .metres_per_unit = sqlite3_column_double(rows, 9),
                                .object_count = (uint64_t)sqlite3_column_int64(rows, 10),
                                .pair_count = (uint64_t)sqlite3_column_int64(rows, 11),
                                .checked_count = (uint64_t)sqlite3_column_int64(rows, 12),
                                .clash_count = (uint64_t)sqlite3_column_int64(rows, 13)};
        status = receive(user, &run);
    }
    sqlite3_finalize(rows);
    return status;
}
