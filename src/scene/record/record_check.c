// A clash check that goes into a record. See graze/clash_record.h.
//
// The way: the run is written, and the objects are recognised -> each pair whose triangles, poses
// and lengths are proved to be as they were is settled by what is known -> workers look at the
// others, and what they find is written batch by batch -> when all are settled, they become
// clashes, occurrences and statuses, in one transaction, which also makes the run complete.
//
// Until then the run is partial. What it has found stands in the table of pairs, each with its
// proof: going on is nothing else than a check that finds these pairs known. So the record in the
// end is the same, however often a run was interrupted.
#include <string.h>

#include "base/clock.h"
#include "base/def.h"
#include "base/knobs.h"
#include "base/sort.h"
#include "scene/record/record_run.h"
#include "scene/scene_store.h"

static const char who[] = "graze_record_check";

// Part of every proof: to be raised when gz_clash_classify says anything else than it did before.
#define ANSWERS_VERSION UINT64_C(1)

#define BATCH_MOST UINT64_C(4096)
#define BATCH_NS   UINT64_C(250000000)

static graze_status out_of_memory(const gz_record_run *run)
{
    return gz_fail(run->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a run",
                   run->record->sql.path);
}

// --- Beginning

static graze_status insert_run(const gz_record_run *run, const uint8_t digest[16])
{
    const gz_sql *sql = &run->record->sql;
    sqlite3_stmt *insert = NULL;
    graze_status status = gz_sql_prepare(
        sql,
        "INSERT INTO runs(run, complete, digest, files, version, touch, clearance, depth_error, "
        "list_touching, metres_per_unit, objects, pairs, checked) "
        "VALUES(?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)",
        &insert);
    if (status != GRAZE_OK)
        return status;
    gz_sql_set(insert, "ibttdddidi", (int64_t)run->run, (const void *)digest, 16,
               run->def->files == NULL ? "" : run->def->files, graze_version(),
               gz_rules_touch(run->rules), run->clash_def->clearance, run->clash_def->depth_error,
               (int64_t)run->clash_def->list_touching,
               graze_scene_get_info(run->scene).metres_per_unit, (int64_t)run->plan->object_count);
    status = gz_sql_do(sql, insert);
    sqlite3_finalize(insert);
    return status;
}

static graze_status write_moment(const gz_record_run *run, const char *what)
{
    const gz_sql *sql = &run->record->sql;
    sqlite3_stmt *insert = NULL;
    if (run->def->time == 0)
        return GRAZE_OK;
    graze_status status = gz_sql_prepare(
        sql, "INSERT OR REPLACE INTO moments(what, number, time) VALUES(?, ?, ?)", &insert);
    if (status != GRAZE_OK)
        return status;
    gz_sql_set(insert, "tii", what, (int64_t)run->run, run->def->time);
    status = gz_sql_do(sql, insert);
    sqlite3_finalize(insert);
    return status;
}

// The last run, and whether it is partial and the same as this one.
static graze_status look_at_last(gz_record_run *run, const uint8_t digest[16], bool *partial)
{
    const gz_sql *sql = &run->record->sql;
    sqlite3_stmt *last = NULL;
    bool row = false;
    graze_status status = gz_sql_prepare(
        sql, "SELECT run, complete, digest FROM runs ORDER BY run DESC LIMIT 1", &last);
    if (status == GRAZE_OK)
        status = gz_sql_next(sql, last, &row);
    if (status == GRAZE_OK && row) {
        run->run = (uint32_t)sqlite3_column_int64(last, 0);
        *partial = sqlite3_column_int(last, 1) == 0;
        run->resumed = *partial && sqlite3_column_bytes(last, 2) == 16 &&
                       memcmp(sqlite3_column_blob(last, 2), digest, 16) == 0;
    }
    sqlite3_finalize(last);
    return status;
}

static graze_status begin_run(gz_record_run *run)
{
    uint8_t digest[16];
    bool partial = false;
    graze_status status = gz_record_run_digest(run, digest);
    if (status == GRAZE_OK)
        status = look_at_last(run, digest, &partial);
    if (status == GRAZE_OK && partial && !run->resumed)
        status = gz_record_merge_partial(run->record, run->run);
    if (status == GRAZE_OK && !run->resumed) {
        run->run++;
        status = insert_run(run, digest);
    }
    if (status == GRAZE_OK && !run->resumed)
        status = write_moment(run, "run begun");
    if (status == GRAZE_OK)
        status = gz_record_run_rules(run, run->resumed);
    if (status == GRAZE_OK)
        status = gz_record_objects_take(run->record, run->run, run->scene, &run->objects);
    return status;
}

static graze_status begin(void *user, const gz_clash_plan *plan, const gz_rules_applied *rules)
{
    gz_record_run *run = user;
    const gz_sql *sql = &run->record->sql;
    run->plan = plan;
    run->rules = rules;
    run->written_ns = gz_clock_ns();
    graze_status status = gz_sql_begin(sql);
    if (status != GRAZE_OK)
        return status;
    status = gz_sql_end(sql, begin_run(run));
    if (status == GRAZE_OK)
        status = gz_sql_prepare(
            sql, "SELECT proof, run, kind, answer FROM checked WHERE a = ? AND b = ? AND rule = ?",
            &run->find_pair);
    if (status == GRAZE_OK)
        status = gz_sql_prepare(sql,
                                "INSERT OR REPLACE INTO checked(a, b, rule, proof, run, kind, "
                                "answer) VALUES(?, ?, ?, ?, ?, ?, ?)",
                                &run->put_pair);
    run->begun = status == GRAZE_OK;
    return status;
}

// --- Pairs

// A pair as the record has it: the lower number first.
typedef struct pair_key {
    uint32_t a, b, rule;
    bool swapped;
    const gz_scene_slot *slots[2]; // of a and b
} pair_key;

static pair_key key_of(const gz_record_run *run, gz_clash_pair pair, const gz_rule_limits *limits)
{
    uint32_t a = run->objects.numbers[pair.a], b = run->objects.numbers[pair.b];
    uint32_t rule = limits->rule == GZ_RULE_NONE ? run->rule_count : limits->rule;
    pair_key key = {
        .a = a < b ? a : b, .b = a < b ? b : a, .rule = run->rule_numbers[rule], .swapped = b < a};
    const gz_scene_slot *slots = run->scene->slots.items;
    key.slots[key.swapped] = &slots[run->plan->slots[pair.a]];
    key.slots[!key.swapped] = &slots[run->plan->slots[pair.b]];
    GZ_ASSERT(a != b && key.a != 0 && key.rule != 0);
    return key;
}

// All that the answer depends on. False if something of it is not known.
static bool prove(const gz_record_run *run, const pair_key *key, const gz_rule_limits *limits,
                  uint8_t proof[16])
{
    gz_digest digest = {0};
    uint8_t numbers[120];
    bool known = true;
    for (int side = 0; side < 2; ++side) {
        const gz_scene_slot *slot = key->slots[side];
        uint64_t content[4] = {ANSWERS_VERSION, slot->hash, slot->triangle_count, slot->wide};
        known = known && slot->hash != 0;
        gz_digest_add(&digest, content, sizeof content);
        gz_pack_doubles(numbers, slot->pose.rotation, 9);
        gz_pack_doubles(numbers + 72, slot->pose.translation, 3);
        gz_digest_add(&digest, numbers, 96);
    }
    double lengths[3] = {limits->touch, limits->clearance, run->clash_def->depth_error};
    gz_pack_doubles(numbers, lengths, 3);
    gz_digest_add(&digest, numbers, 24);
    gz_digest_end(&digest, proof);
    return known;
}

static graze_status note_settled(gz_record_run *run, const pair_key *key, graze_clash_kind kind,
                                 bool checked)
{
    gz_settled_pair *settled = gz_list_push(run->context, &run->settled, 1);
    if (settled == NULL)
        return out_of_memory(run);
    memset(settled, 0, sizeof *settled);
    gz_put_number(settled->bytes, key->a, 4);
    gz_put_number(settled->bytes + 4, key->b, 4);
    gz_put_number(settled->bytes + 8, key->rule, 4);
    settled->bytes[12] = (uint8_t)kind;
    settled->bytes[13] = checked;
    run->totals.checked_count += checked;
    run->totals.reused_count += !checked;
    return GRAZE_OK;
}

static graze_status settle(void *user, gz_clash_pair pair, const gz_rule_limits *limits,
                           graze_clash *clash, bool *known)
{
    gz_record_run *run = user;
    const gz_sql *sql = &run->record->sql;
    pair_key key = key_of(run, pair, limits);
    uint8_t proof[16];
    bool row = false, checked = false;
    gz_answer answer;
    *known = false;
    run->totals.pair_count++;
    if (!prove(run, &key, limits, proof))
        return GRAZE_OK;
    gz_sql_set(run->find_pair, "iii", (int64_t)key.a, (int64_t)key.b, (int64_t)key.rule);
    graze_status status = gz_sql_next(sql, run->find_pair, &row);
    if (status == GRAZE_OK && row && sqlite3_column_bytes(run->find_pair, 0) == 16 &&
        memcmp(sqlite3_column_blob(run->find_pair, 0), proof, 16) == 0) {
        checked = sqlite3_column_int64(run->find_pair, 1) == run->run;
        *known = true;
        if (!gz_answer_unpack(sqlite3_column_int64(run->find_pair, 2),
                              sqlite3_column_blob(run->find_pair, 3),
                              sqlite3_column_bytes(run->find_pair, 3), &answer))
            status = gz_record_damaged(run->record, "checked", "an answer is none");
    }
    sqlite3_reset(run->find_pair);
    // Of pairs that touch, little more than the kind is known where nobody wanted to.
    if (status == GRAZE_OK && *known && answer.clash.kind == GRAZE_CLASH_TOUCHING &&
        !answer.detailed && run->clash_def->list_touching != 0)
        *known = false;
    if (status != GRAZE_OK || !*known)
        return status;
    *clash = answer.clash;
    if (key.swapped)
        gz_clash_swap(clash);
    return note_settled(run, &key, clash->kind, checked);
}

// --- Batches

static graze_status write_pair(const gz_record_run *run, const gz_fresh_pair *pair)
{
    const void *answer = run->answers.items + pair->answer_at;
    if (pair->answer_bytes == 0)
        gz_sql_set(run->put_pair, "iiibiin", (int64_t)pair->a, (int64_t)pair->b,
                   (int64_t)pair->rule, (const void *)pair->proof, 16, (int64_t)run->run,
                   (int64_t)pair->kind);
    else
        gz_sql_set(run->put_pair, "iiibiib", (int64_t)pair->a, (int64_t)pair->b,
                   (int64_t)pair->rule, (const void *)pair->proof, 16, (int64_t)run->run,
                   (int64_t)pair->kind, answer, (int)pair->answer_bytes);
    return gz_sql_do(&run->record->sql, run->put_pair);
}

// One transaction.
static graze_status write_fresh(gz_record_run *run)
{
    const gz_sql *sql = &run->record->sql;
    if (run->fresh.count == 0)
        return GRAZE_OK;
    graze_status status = gz_sql_begin(sql);
    if (status == GRAZE_OK) {
        for (uint64_t i = 0; i < run->fresh.count && status == GRAZE_OK; ++i)
            status = write_pair(run, &run->fresh.items[i]);
        status = gz_sql_end(sql, status);
    }
    run->write_status = status;
    run->fresh.count = 0;
    run->answers.count = 0;
    run->written_ns = gz_clock_ns();
    return status;
}

static bool is_batch_full(const gz_record_run *run)
{
    uint32_t asked = GZ_KNOB(run->context, record_batch);
    if (asked != 0)
        return run->fresh.count >= asked;
    return run->fresh.count >= BATCH_MOST || gz_clock_ns() - run->written_ns >= BATCH_NS;
}

static graze_status push_fresh(gz_record_run *run, const pair_key *key, const uint8_t proof[16],
                               graze_clash_kind kind, const uint8_t *answer, uint32_t answer_bytes)
{
    gz_fresh_pair *fresh = gz_list_push(run->context, &run->fresh, 1);
    if (fresh == NULL)
        return out_of_memory(run);
    *fresh = (gz_fresh_pair){.a = key->a,
                             .b = key->b,
                             .rule = key->rule,
                             .kind = kind,
                             .answer_bytes = answer_bytes,
                             .answer_at = run->answers.count};
    memcpy(fresh->proof, proof, sizeof fresh->proof);
    if (!gz_list_append(run->context, &run->answers, answer, answer_bytes)) {
        run->fresh.count--;
        return out_of_memory(run);
    }
    graze_status status = note_settled(run, key, kind, true);
    return status == GRAZE_OK && is_batch_full(run) ? write_fresh(run) : status;
}

static graze_status found(void *user, gz_clash_pair pair, const gz_rule_limits *limits,
                          const graze_clash *clash, const gz_places *places)
{
    gz_record_run *run = user;
    pair_key key = key_of(run, pair, limits);
    gz_answer answer = {.clash = *clash, .places = *places};
    uint8_t proof[16], bytes[GZ_ANSWER_MOST];
    uint32_t byte_count = 0;
    answer.detailed = clash->kind != GRAZE_CLASH_TOUCHING || run->clash_def->list_touching != 0;
    if (key.swapped)
        gz_clash_swap(&answer.clash);
    if (clash->kind != GRAZE_CLASH_NONE && answer.detailed)
        byte_count = gz_answer_pack(&answer, bytes);
    prove(run, &key, limits, proof);
    pthread_mutex_lock(&run->lock);
    graze_status status = run->write_status;
    if (status == GRAZE_OK)
        status = push_fresh(run, &key, proof, clash->kind, bytes, byte_count);
    pthread_mutex_unlock(&run->lock);
    return status;
}

// --- The end

static bool asks(void *user, uint32_t a, uint32_t b, uint32_t rule)
{
    const gz_record_run *run = user;
    const gz_known_object *known = run->objects.known.items;
    gz_rule_limits limits =
        gz_rules_pair(run->rules, known[a - 1].scene_number, known[b - 1].scene_number);
    uint32_t number = limits.rule == GZ_RULE_NONE ? run->rule_count : limits.rule;
    return limits.asked && run->rule_numbers[number] == rule;
}

static graze_status complete_run(gz_record_run *run)
{
    const gz_sql *sql = &run->record->sql;
    sqlite3_stmt *update = NULL;
    graze_status status = gz_sql_prepare(
        sql, "UPDATE runs SET complete = 1, pairs = ?, checked = ? WHERE run = ?", &update);
    if (status == GRAZE_OK) {
        gz_sql_set(update, "iii", (int64_t)run->totals.pair_count,
                   (int64_t)run->totals.checked_count, (int64_t)run->run);
        status = gz_sql_do(sql, update);
    }
    sqlite3_finalize(update);
    return status == GRAZE_OK ? write_moment(run, "run ended") : status;
}

static graze_status count_statuses(gz_record_run *run)
{
    const gz_sql *sql = &run->record->sql;
    sqlite3_stmt *rows = NULL;
    bool row = false;
    graze_status status =
        gz_sql_prepare(sql, "SELECT status, count(*) FROM clashes GROUP BY status", &rows);
    while (status == GRAZE_OK) {
        status = gz_sql_next(sql, rows, &row);
        if (status != GRAZE_OK || !row)
            break;
        run->totals.statuses[gz_record_status_of(gz_sql_text(rows, 0))] =
            (uint64_t)sqlite3_column_int64(rows, 1);
    }
    sqlite3_finalize(rows);
    return status;
}

static graze_status end(void *user)
{
    gz_record_run *run = user;
    const gz_sql *sql = &run->record->sql;
    graze_status status = write_fresh(run);
    if (status != GRAZE_OK)
        return status;
    gz_sort_records(run->context, run->settled.items, run->settled.count, sizeof(gz_settled_pair),
                    0, gz_arena_over(NULL, 0));
    gz_merge merge = {.record = run->record,
                      .run = run->run,
                      .pairs = run->settled.items,
                      .pair_count = run->settled.count,
                      .objects = &run->objects,
                      .asks = asks,
                      .user = run,
                      .totals = &run->totals};
    status = gz_sql_begin(sql);
    if (status != GRAZE_OK)
        return status;
    status = gz_record_merge(&merge);
    if (status == GRAZE_OK)
        status = gz_record_find_problems(run->record);
    if (status == GRAZE_OK)
        status = complete_run(run);
    status = gz_sql_end(sql, status);
    run->write_status = status;
    return status == GRAZE_OK ? count_statuses(run) : status;
}

// --- The whole

static void clear_run(gz_record_run *run)
{
    sqlite3_finalize(run->find_pair);
    sqlite3_finalize(run->put_pair);
    gz_record_objects_free(run->record, &run->objects);
    GZ_FREE_ARRAY(run->context, run->rule_numbers, run->rule_count + 1u);
    gz_list_free(run->context, &run->settled);
    gz_list_free(run->context, &run->fresh);
    gz_list_free(run->context, &run->answers);
    pthread_mutex_destroy(&run->lock);
}

static void fill_totals(gz_record_run *run, graze_record_totals *totals)
{
    const gz_record_objects *objects = &run->objects;
    run->totals.run = run->run;
    run->totals.resumed = run->resumed;
    run->totals.objects_same = objects->same;
    run->totals.objects_moved = objects->moved;
    run->totals.objects_changed = objects->changed;
    run->totals.objects_new = objects->made;
    run->totals.objects_gone = objects->gone;
    run->totals.objects_renamed = objects->renamed;
    if (totals != NULL)
        *totals = run->totals;
}

graze_status graze_record_check(graze_record *record, graze_scene *scene,
                                const graze_record_check_def *given, graze_clash_report *report,
                                void *user, graze_clash_totals *totals,
                                graze_record_totals *record_totals)
{
    if (record == NULL || scene == NULL)
        return gz_fail_null(record == NULL ? NULL : record->context, who);
    graze_record_check_def room = graze_record_check_def_default();
    const graze_record_check_def *def =
        gz_def_known(record->context, who, given, &room, sizeof room);
    graze_clash_def clash_room = graze_clash_def_default();
    const graze_clash_def *clash_def = def == NULL ? NULL
                                                   : gz_def_known(record->context, who, def->clash,
                                                                  &clash_room, sizeof clash_room);
    if (clash_def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    if (scene->context != record->context || record->use != GRAZE_RECORD_RUN)
        return gz_fail(record->context, GRAZE_ERROR_ARGUMENT,
                       scene->context != record->context
                           ? "%s: the scene is of another context"
                           : "%s: the record was not opened for a run",
                       who);
    gz_record_run run = {.record = record,
                         .context = record->context,
                         .scene = scene,
                         .def = def,
                         .clash_def = clash_def};
    pthread_mutex_init(&run.lock, NULL);
    gz_clash_watch watch = {&run, begin, settle, found, end};
    graze_status status = gz_scene_clash_watched(scene, clash_def, &watch, report, user, totals);
    // What was found so far is kept, whyever the run has ended.
    if (status != GRAZE_OK && run.begun && run.write_status == GRAZE_OK)
        (void)write_fresh(&run);
    fill_totals(&run, record_totals);
    clear_run(&run);
    return status;
}
