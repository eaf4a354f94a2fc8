// Clashes that are one problem: one object that clashes with several of one group, such as a pipe
// that goes through ten beams. See record_store.h.
//
// A clash may belong to either of its objects, and belongs where the larger number of clashes is:
// of a pipe through ten beams, ten are the pipe's, and one is each beam's. A problem keeps its
// number from run to run.
#include <inttypes.h>
#include <string.h>

#include "base/sort.h"
#include "scene/record/record_store.h"

typedef struct problem_side {
    uint32_t object;
    uint64_t key; // of rule, object and the group of the others
} problem_side;

typedef struct open_clash {
    int64_t clash, problem; // the latter as it stands in the record; 0: none
    uint32_t rule;
    problem_side side[2]; // a against the group of b, and the other way round
    uint32_t chosen;
} open_clash;

typedef struct problem_search {
    graze_record *record;
    const gz_sql *sql;
    GZ_LIST(open_clash) clashes;
    uint64_t *keys; // sorted
    uint64_t key_count;
} problem_search;

static graze_status out_of_memory(const problem_search *s)
{
    return gz_fail(s->record->context, GRAZE_ERROR_MEMORY, "%s: out of memory for problems",
                   s->sql->path);
}

static uint64_t key_of(uint32_t rule, uint32_t object, const char *others)
{
    gz_digest digest = {0};
    uint32_t numbers[2] = {rule, object};
    gz_digest_add(&digest, numbers, sizeof numbers);
    gz_digest_text(&digest, others);
    return digest.low;
}

#define NEWEST_STATE(table, object)                                                                \
    " JOIN states " table " ON " table ".object = " object " AND " table                           \
    ".run = (SELECT max(run) FROM states t WHERE t.object = " object ")"

static graze_status read_open(problem_search *s)
{
    sqlite3_stmt *rows = NULL;
    bool row = false;
    graze_status status = gz_sql_prepare(
        s->sql,
        "SELECT c.clash, coalesce(c.problem, 0), c.rule, c.a, c.b, p.parent, q.parent FROM clashes "
        "c" NEWEST_STATE("p", "c.a") NEWEST_STATE("q", "c.b") " WHERE c.status NOT IN ('resolved', "
                                                              "'not re-checked') ORDER BY c.clash",
        &rows);
    while (status == GRAZE_OK) {
        status = gz_sql_next(s->sql, rows, &row);
        if (status != GRAZE_OK || !row)
            break;
        open_clash *clash = gz_list_push(s->record->context, &s->clashes, 1);
        if (clash == NULL) {
            status = out_of_memory(s);
            break;
        }
        *clash = (open_clash){.clash = sqlite3_column_int64(rows, 0),
                              .problem = sqlite3_column_int64(rows, 1),
                              .rule = (uint32_t)sqlite3_column_int64(rows, 2)};
        for (int side = 0; side < 2; ++side) {
            clash->side[side].object = (uint32_t)sqlite3_column_int64(rows, 3 + side);
            clash->side[side].key =
                key_of(clash->rule, clash->side[side].object, gz_sql_text(rows, 6 - side));
        }
    }
    sqlite3_finalize(rows);
    return status;
}

static void put_key(const problem_search *s, uint64_t place, uint64_t key)
{
    gz_put_number((uint8_t *)(s->keys + place), key, 8);
}

static void sort_keys(problem_search *s, uint64_t count)
{
    s->key_count = count;
    gz_sort_records(s->record->context, s->keys, count, 8, 0, gz_arena_over(NULL, 0));
}

static uint64_t first_of(const problem_search *s, uint64_t key)
{
    uint64_t low = 0, high = s->key_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (gz_get_number((const uint8_t *)(s->keys + middle), 8) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t count_of(const problem_search *s, uint64_t key)
{
    uint64_t end = key == UINT64_MAX ? s->key_count : first_of(s, key + 1);
    return end - first_of(s, key);
}

// Where both sides have as many, it is that of the object that came first.
static void choose_sides(problem_search *s)
{
    for (uint64_t i = 0; i < s->clashes.count; ++i)
        for (uint32_t side = 0; side < 2; ++side)
            put_key(s, 2 * i + side, s->clashes.items[i].side[side].key);
    sort_keys(s, 2 * s->clashes.count);
    for (uint64_t i = 0; i < s->clashes.count; ++i) {
        open_clash *clash = &s->clashes.items[i];
        clash->chosen = count_of(s, clash->side[1].key) > count_of(s, clash->side[0].key);
    }
    for (uint64_t i = 0; i < s->clashes.count; ++i) {
        const open_clash *clash = &s->clashes.items[i];
        put_key(s, i, clash->side[clash->chosen].key);
    }
    sort_keys(s, s->clashes.count);
}

// --- Writing

enum { PUT, FIND, TELL, JOIN, STATEMENTS };
static const char *const statement_texts[STATEMENTS] = {
    [PUT] =
        "INSERT OR IGNORE INTO problems(rule, object, others, reason) SELECT ?1, ?2, parent, '' "
        "FROM states WHERE object = ?3 ORDER BY run DESC LIMIT 1",
    [FIND] = "SELECT p.problem, p.others, o.path FROM problems p" NEWEST_STATE(
        "o", "p.object") " WHERE p.rule = ?1 AND p.object = ?2 AND p.others = (SELECT parent FROM "
                         "states WHERE "
                         "object = ?3 ORDER BY run DESC LIMIT 1)",
    [TELL] = "UPDATE problems SET reason = ? WHERE problem = ? AND reason <> ?",
    [JOIN] = "UPDATE clashes SET problem = ? WHERE clash = ?",
};

static graze_status take_problem(const problem_search *s, sqlite3_stmt *const statements[],
                                 const open_clash *clash, uint64_t count, int64_t *problem)
{
    const problem_side *side = &clash->side[clash->chosen];
    int64_t other = clash->side[1 - clash->chosen].object;
    char reason[1024] = "";
    bool row = false;
    for (int i = PUT; i <= FIND; ++i)
        gz_sql_set(statements[i], "iii", (int64_t)clash->rule, (int64_t)side->object, other);
    graze_status status = gz_sql_do(s->sql, statements[PUT]);
    if (status == GRAZE_OK)
        status = gz_sql_next(s->sql, statements[FIND], &row);
    if (status == GRAZE_OK && !row)
        status = gz_record_damaged(s->record, "problems", "one is missing");
    if (status == GRAZE_OK) {
        const char *others = gz_sql_text(statements[FIND], 1);
        *problem = sqlite3_column_int64(statements[FIND], 0);
        snprintf(
            reason, sizeof reason, "\"%.400s\" has %" PRIu64 " clashes with objects %s%.400s%s",
            gz_sql_text(statements[FIND], 2), count,
            others[0] == '\0' ? "without a group" : "of \"", others, others[0] == '\0' ? "" : "\"");
    }
    sqlite3_reset(statements[FIND]);
    if (status != GRAZE_OK)
        return status;
    gz_sql_set(statements[TELL], "tit", reason, *problem, reason);
    return gz_sql_do(s->sql, statements[TELL]);
}

static graze_status write_problems(const problem_search *s)
{
    sqlite3_stmt *statements[STATEMENTS] = {0};
    graze_status status = GRAZE_OK;
    for (int i = 0; i < STATEMENTS && status == GRAZE_OK; ++i)
        status = gz_sql_prepare(s->sql, statement_texts[i], &statements[i]);
    for (uint64_t i = 0; i < s->clashes.count && status == GRAZE_OK; ++i) {
        const open_clash *clash = &s->clashes.items[i];
        uint64_t count = count_of(s, clash->side[clash->chosen].key);
        int64_t problem = 0;
        if (count > 1)
            status = take_problem(s, statements, clash, count, &problem);
        if (status != GRAZE_OK || problem == clash->problem)
            continue;
        if (problem == 0)
            gz_sql_set(statements[JOIN], "ni", clash->clash);
        else
            gz_sql_set(statements[JOIN], "ii", problem, clash->clash);
        status = gz_sql_do(s->sql, statements[JOIN]);
    }
    for (int i = 0; i < STATEMENTS; ++i)
        sqlite3_finalize(statements[i]);
    return status;
}

graze_status gz_record_find_problems(graze_record *record)
{
    problem_search s = {.record = record, .sql = &record->sql};
    graze_status status =
        gz_sql_script(s.sql, "UPDATE clashes SET problem = NULL WHERE problem IS NOT NULL AND "
                             "status IN ('resolved', 'not re-checked')");
    if (status == GRAZE_OK)
        status = read_open(&s);
    uint64_t room = 2 * s.clashes.count;
    s.keys = GZ_NEW_ARRAY(record->context, uint64_t, room);
    if (status == GRAZE_OK && s.keys == NULL && room != 0)
        status = out_of_memory(&s);
    if (status == GRAZE_OK && room != 0) {
        choose_sides(&s);
        status = write_problems(&s);
    }
    GZ_FREE_ARRAY(record->context, s.keys, room);
    gz_list_free(record->context, &s.clashes);
    return status;
}
