// What a run found becomes clashes, occurrences and statuses. See record_store.h.
//
// A clash is the same as before if it is of the same two objects by the same rule, and at the same
// place: the middle of its region has moved by no more than the region is large, in the world or in
// the frame of one of the two objects. Of several, the nearest are matched first. Clashes that are
// new get their numbers in the end, the worst first.
//
// A clash that was not found is gone only where that is proved; see `judge_rest`.
#include "scene/record/record_merge.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "scene/clash_list.h"

// --- Texts of statements

static const char *const statement_texts[MERGE_STATEMENTS] = {
    [MERGE_ANSWER] = "SELECT kind, answer FROM checked WHERE a = ? AND b = ? AND rule = ?",
    [MERGE_POSE] = "SELECT pose FROM states WHERE object = ? ORDER BY run DESC LIMIT 1",
    [MERGE_OF_PAIR] =
        "SELECT clash, status, before, coalesce(approved_run, 0), size, x, y, z, xa, ya, za, xb, "
        "yb, zb, checked_run FROM clashes WHERE a = ? AND b = ? AND rule = ? ORDER BY clash",
    [MERGE_REST] = "SELECT clash, status, before, a, b, rule FROM clashes WHERE checked_run < ? "
                   "AND status <> 'resolved' ORDER BY clash",
    [MERGE_INSERT] =
        "INSERT INTO clashes(clash, id, rule, a, b, x, y, z, xa, ya, za, xb, yb, zb, "
        "size, status, before, reason, first_run, last_run, checked_run) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'new', 'new', ?, ?, ?, ?)",
    [MERGE_PLACE] = "UPDATE clashes SET x = ?, y = ?, z = ?, xa = ?, ya = ?, za = ?, xb = ?, "
                    "yb = ?, zb = ?, size = ?, last_run = ?, checked_run = ? WHERE clash = ?",
    [MERGE_CHECKED] = "UPDATE clashes SET checked_run = ? WHERE clash = ?",
    [MERGE_STATUS] = "UPDATE clashes SET status = ?, before = ?, reason = ? WHERE clash = ?",
    [MERGE_EVENT] = "INSERT INTO events(clash, what, run, author, was, now, reason) "
                    "VALUES(?, 'status', ?, '', ?, ?, ?)",
    [MERGE_LAST_SEEN] = "SELECT run, until, kind, answer FROM occurrences WHERE clash = ? "
                        "AND run <= ? ORDER BY run DESC LIMIT 1",
    [MERGE_SEE_AGAIN] = "UPDATE occurrences SET until = ? WHERE clash = ? AND run = ?",
    [MERGE_SEE] = "INSERT INTO occurrences(clash, run, until, kind, mildness, answer) "
                  "VALUES(?, ?, ?, ?, ?, ?)",
    [MERGE_TAKEN] = "SELECT 1 FROM clashes WHERE id = ?",
    [MERGE_IDS] = "SELECT (SELECT id FROM objects WHERE object = ?), (SELECT id FROM objects WHERE "
                  "object = ?), a, b FROM rules WHERE rule = ?",
};

static graze_status open_merging(const gz_merge *merge, gz_merging *m)
{
    graze_status status = GRAZE_OK;
    *m = (gz_merging){.merge = merge, .record = merge->record, .sql = &merge->record->sql};
    for (int i = 0; i < MERGE_STATEMENTS && status == GRAZE_OK; ++i)
        status = gz_sql_prepare(m->sql, statement_texts[i], &m->statements[i]);
    return status;
}

static void close_merging(gz_merging *m)
{
    for (int i = 0; i < MERGE_STATEMENTS; ++i)
        sqlite3_finalize(m->statements[i]);
    gz_list_free(m->record->context, &m->rules);
    gz_list_free(m->record->context, &m->made);
    gz_list_free(m->record->context, &m->old);
    gz_list_free(m->record->context, &m->tops);
}

static graze_status out_of_memory(const gz_merging *m)
{
    return gz_fail(m->record->context, GRAZE_ERROR_MEMORY, "%s: out of memory for clashes",
                   m->sql->path);
}

// --- Settings of the run

static graze_status read_rules(gz_merging *m)
{
    sqlite3_stmt *rows = NULL;
    bool row = false;
    int64_t list_touching = 0;
    char text[128];
    snprintf(text, sizeof text, "SELECT list_touching FROM runs WHERE run = %u",
             (unsigned)m->merge->run);
    graze_status status = gz_sql_number(m->sql, text, 0, &list_touching);
    m->list_touching = list_touching != 0;
    snprintf(text, sizeof text,
             "SELECT rule, touch, ignored FROM run_rules WHERE run = %u ORDER BY place",
             (unsigned)m->merge->run);
    if (status == GRAZE_OK)
        status = gz_sql_prepare(m->sql, text, &rows);
    while (status == GRAZE_OK) {
        status = gz_sql_next(m->sql, rows, &row);
        if (status != GRAZE_OK || !row)
            break;
        gz_merge_rule rule = {.rule = (uint32_t)sqlite3_column_int64(rows, 0),
                              .touch = sqlite3_column_double(rows, 1),
                              .ignored = sqlite3_column_int64(rows, 2)};
        if (!gz_list_append(m->record->context, &m->rules, &rule, 1))
            status = out_of_memory(m);
    }
    sqlite3_finalize(rows);
    return status;
}

// Of several of one name the first is the one that decides.
static gz_merge_rule rule_of(const gz_merging *m, uint32_t number)
{
    for (uint64_t i = 0; i < m->rules.count; ++i)
        if (m->rules.items[i].rule == number)
            return m->rules.items[i];
    return (gz_merge_rule){.rule = number};
}

static bool is_ignored(const gz_merge_rule *rule, graze_clash_kind kind)
{
    return rule->ignored > 0 && (rule->ignored >> kind & 1) != 0;
}

// Is a pair told as a clash?
static bool is_told(const gz_merging *m, const gz_merge_rule *rule, const gz_settled_pair *settled)
{
    graze_clash_kind kind = (graze_clash_kind)settled->bytes[12];
    return kind != GRAZE_CLASH_NONE && !is_ignored(rule, kind) &&
           (kind != GRAZE_CLASH_TOUCHING || m->list_touching);
}

static gz_pair_numbers numbers_of(const gz_settled_pair *pair)
{
    return (gz_pair_numbers){(uint32_t)gz_get_number(pair->bytes, 4),
                             (uint32_t)gz_get_number(pair->bytes + 4, 4),
                             (uint32_t)gz_get_number(pair->bytes + 8, 4)};
}

// --- Places

static double distance_of(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static graze_status read_pose(const gz_merging *m, uint32_t object, graze_pose *inverse)
{
    sqlite3_stmt *statement = m->statements[MERGE_POSE];
    bool row = false;
    graze_pose pose = graze_pose_identity();
    gz_sql_set(statement, "i", (int64_t)object);
    graze_status status = gz_sql_next(m->sql, statement, &row);
    if (status == GRAZE_OK && (!row || sqlite3_column_bytes(statement, 0) != 96))
        status = gz_record_damaged(m->record, "states", "a pose is missing");
    if (status == GRAZE_OK) {
        gz_unpack_doubles(sqlite3_column_blob(statement, 0), pose.rotation, 9);
        gz_unpack_doubles((const uint8_t *)sqlite3_column_blob(statement, 0) + 72, pose.translation,
                          3);
    }
    sqlite3_reset(statement);
    *inverse = graze_pose_inverse(&pose);
    return status;
}

static gz_clash_place place_of(const graze_box *box, const graze_pose *into_a,
                               const graze_pose *into_b)
{
    gz_clash_place place;
    for (int i = 0; i < 3; ++i)
        place.at[0][i] = box->min[i] / 2 + box->max[i] / 2;
    place.size = distance_of(box->min, box->max);
    graze_pose_apply(into_a, place.at[0], place.at[1]);
    graze_pose_apply(into_b, place.at[0], place.at[2]);
    return place;
}

static double moved_by(const gz_clash_place *a, const gz_clash_place *b)
{
    double least = HUGE_VAL;
    for (int frame = 0; frame < 3; ++frame)
        least = fmin(least, distance_of(a->at[frame], b->at[frame]));
    return least;
}

static graze_status read_answer(const gz_merging *m, const gz_pair_numbers *pair, gz_answer *answer)
{
    sqlite3_stmt *statement = m->statements[MERGE_ANSWER];
    bool row = false;
    gz_sql_set(statement, "iii", (int64_t)pair->a, (int64_t)pair->b, (int64_t)pair->rule);
    graze_status status = gz_sql_next(m->sql, statement, &row);
    if (status == GRAZE_OK &&
        (!row ||
         !gz_answer_unpack(sqlite3_column_int64(statement, 0), sqlite3_column_blob(statement, 1),
                           sqlite3_column_bytes(statement, 1), answer) ||
         answer->places.count == 0))
        status = gz_record_damaged(m->record, "checked", "an answer is missing");
    sqlite3_reset(statement);
    return status;
}

// What is known of one of several places: the lengths are those of the pair.
static gz_answer answer_at(const gz_answer *whole, uint32_t place)
{
    gz_answer part = *whole;
    if (whole->places.count == 1)
        return part;
    const graze_box *box = &whole->places.box[place];
    part.places.count = 1;
    part.places.box[0] = *box;
    part.clash.region = *box;
    bool here = true;
    for (int i = 0; i < 3; ++i)
        here = here && part.clash.point_a[i] >= box->min[i] && part.clash.point_a[i] <= box->max[i];
    for (int i = 0; i < 3 && !here; ++i)
        part.clash.point_a[i] = part.clash.point_b[i] = box->min[i] / 2 + box->max[i] / 2;
    return part;
}

// --- Writing

static graze_status write_status(const gz_merging *m, int64_t clash, gz_standing was,
                                 gz_standing now, const char *reason)
{
    if (was.status == now.status && was.before == now.before)
        return GRAZE_OK;
    gz_sql_set(m->statements[MERGE_STATUS], "ttti", graze_record_status_text(now.status),
               graze_record_status_text(now.before), reason, clash);
    graze_status status = gz_sql_do(m->sql, m->statements[MERGE_STATUS]);
    if (status != GRAZE_OK)
        return status;
    gz_sql_set(m->statements[MERGE_EVENT], "iittt", clash, (int64_t)m->merge->run,
               graze_record_status_text(was.status), graze_record_status_text(now.status), reason);
    return gz_sql_do(m->sql, m->statements[MERGE_EVENT]);
}

// The newest occurrence up to a run.
static graze_status read_seen(const gz_merging *m, int64_t clash, int64_t run, int64_t *first,
                              int64_t *until, gz_answer *answer, bool *there)
{
    sqlite3_stmt *statement = m->statements[MERGE_LAST_SEEN];
    gz_sql_set(statement, "ii", clash, run);
    graze_status status = gz_sql_next(m->sql, statement, there);
    if (status == GRAZE_OK && *there) {
        *first = sqlite3_column_int64(statement, 0);
        *until = sqlite3_column_int64(statement, 1);
        if (!gz_answer_unpack(sqlite3_column_int64(statement, 2), sqlite3_column_blob(statement, 3),
                              sqlite3_column_bytes(statement, 3), answer))
            status = gz_record_damaged(m->record, "occurrences", "an answer is none");
    }
    sqlite3_reset(statement);
    return status;
}

static graze_status write_seen(const gz_merging *m, int64_t clash, const gz_answer *answer)
{
    uint8_t bytes[GZ_ANSWER_MOST], old_bytes[GZ_ANSWER_MOST];
    uint32_t byte_count = gz_answer_pack(answer, bytes);
    int64_t first = 0, until = 0, run = m->merge->run;
    gz_answer old;
    bool there = false;
    graze_status status = read_seen(m, clash, run, &first, &until, &old, &there);
    if (status != GRAZE_OK)
        return status;
    if (there && until == run - 1 && old.clash.kind == answer->clash.kind &&
        gz_answer_pack(&old, old_bytes) == byte_count &&
        memcmp(bytes, old_bytes, byte_count) == 0) {
        gz_sql_set(m->statements[MERGE_SEE_AGAIN], "iii", run, clash, first);
        return gz_sql_do(m->sql, m->statements[MERGE_SEE_AGAIN]);
    }
    gz_sql_set(m->statements[MERGE_SEE], "iiiiib", clash, run, run, (int64_t)answer->clash.kind,
               (int64_t)gz_clash_mildness(&answer->clash), (const void *)bytes, (int)byte_count);
    return gz_sql_do(m->sql, m->statements[MERGE_SEE]);
}

// --- A clash that is known

static void say_worse(char out[MERGE_REASON_BYTES], const graze_clash *then, const graze_clash *now)
{
    if (then->kind != now->kind)
        snprintf(out, MERGE_REASON_BYTES, "%s now, and %s when it was approved",
                 graze_clash_kind_text(now->kind), graze_clash_kind_text(then->kind));
    else if (now->depth_high > 0)
        snprintf(out, MERGE_REASON_BYTES,
                 "deeper: up to %.6g now, and up to %.6g when it was approved", now->depth_high,
                 then->depth_high);
    else if (now->kind == GRAZE_CLASH_CROSSING)
        snprintf(out, MERGE_REASON_BYTES, "longer: %.6g now, and %.6g when it was approved",
                 now->length, then->length);
    else
        snprintf(out, MERGE_REASON_BYTES, "nearer: %.6g now, and %.6g when it was approved",
                 now->gap, then->gap);
}

static graze_status judge_found(const gz_merging *m, const gz_old_clash *old,
                                const gz_answer *answer, double touch)
{
    char reason[MERGE_REASON_BYTES];
    gz_evidence evidence = GZ_EVIDENCE_FOUND;
    unsigned run = (unsigned)m->merge->run;
    snprintf(reason, sizeof reason, "found again by run %u", run);
    if (old->standing.before == GRAZE_RECORD_RESOLVED) {
        snprintf(reason, sizeof reason, "back: found again by run %u", run);
        m->merge->totals->found_again++;
    }
    if (old->standing.before == GRAZE_RECORD_APPROVED && old->approved_run != 0) {
        gz_answer then;
        int64_t first, until;
        bool there = false;
        graze_status status =
            read_seen(m, old->clash, old->approved_run, &first, &until, &then, &there);
        if (status != GRAZE_OK)
            return status;
        if (there && gz_clash_is_worse(&then.clash, &answer->clash, touch)) {
            evidence = GZ_EVIDENCE_WORSE;
            say_worse(reason, &then.clash, &answer->clash);
            m->merge->totals->worse_count++;
        }
    }
    return write_status(m, old->clash, old->standing, gz_standing_after(old->standing, evidence),
                        reason);
}

static graze_status write_found(const gz_merging *m, const gz_old_clash *old,
                                const gz_clash_place *place, const gz_answer *answer, double touch)
{
    graze_status status = judge_found(m, old, answer, touch); // before it is what it is now
    if (status == GRAZE_OK)
        status = write_seen(m, old->clash, answer);
    if (status != GRAZE_OK)
        return status;
    gz_sql_set(m->statements[MERGE_PLACE], "ddddddddddiii", place->at[0][0], place->at[0][1],
               place->at[0][2], place->at[1][0], place->at[1][1], place->at[1][2], place->at[2][0],
               place->at[2][1], place->at[2][2], place->size, (int64_t)m->merge->run,
               (int64_t)m->merge->run, old->clash);
    return gz_sql_do(m->sql, m->statements[MERGE_PLACE]);
}

static graze_status write_not_found(const gz_merging *m, int64_t clash, gz_standing standing,
                                    gz_evidence evidence, const char *reason)
{
    gz_standing after = gz_standing_after(standing, evidence);
    if (evidence == GZ_EVIDENCE_GONE && standing.status != GRAZE_RECORD_RESOLVED)
        m->merge->totals->resolved_count++;
    graze_status status = write_status(m, clash, standing, after, reason);
    if (status != GRAZE_OK || evidence != GZ_EVIDENCE_GONE)
        return status;
    gz_sql_set(m->statements[MERGE_CHECKED], "ii", (int64_t)m->merge->run, clash);
    return gz_sql_do(m->sql, m->statements[MERGE_CHECKED]);
}

// --- Pairs in which something was found

static bool take_standing(sqlite3_stmt *row, int column, gz_standing *standing)
{
    standing->status = gz_record_status_of(gz_sql_text(row, column));
    standing->before = gz_record_status_of(gz_sql_text(row, column + 1));
    return standing->status != 0 && standing->before != 0;
}

static graze_status read_old(gz_merging *m, const gz_pair_numbers *pair)
{
    sqlite3_stmt *rows = m->statements[MERGE_OF_PAIR];
    bool row = false;
    m->old.count = 0;
    gz_sql_set(rows, "iii", (int64_t)pair->a, (int64_t)pair->b, (int64_t)pair->rule);
    graze_status status;
    while ((status = gz_sql_next(m->sql, rows, &row)) == GRAZE_OK && row) {
        gz_old_clash old = {.clash = sqlite3_column_int64(rows, 0),
                            .approved_run = sqlite3_column_int64(rows, 3),
                            .place.size = sqlite3_column_double(rows, 4)};
        for (int i = 0; i < 9; ++i)
            old.place.at[i / 3][i % 3] = sqlite3_column_double(rows, 5 + i);
        if (!take_standing(rows, 1, &old.standing))
            status = gz_record_damaged(m->record, "clashes", "a status is none");
        else if (!gz_list_append(m->record->context, &m->old, &old, 1))
            status = out_of_memory(m);
        if (status != GRAZE_OK)
            break;
    }
    sqlite3_reset(rows);
    return status;
}

// The nearest two of what is left, if they may be the same.
static bool nearest_match(const gz_merging *m, const gz_clash_place *places,
                          const bool *place_taken, uint32_t place_count, double touch,
                          uint64_t *old, uint32_t *place)
{
    double best = HUGE_VAL;
    for (uint64_t i = 0; i < m->old.count; ++i)
        for (uint32_t k = 0; k < place_count; ++k) {
            const gz_old_clash *at = &m->old.items[i];
            double way = moved_by(&at->place, &places[k]);
            double most = fmax(fmax(at->place.size, places[k].size), 2 * touch);
            if (at->matched || place_taken[k] || !(way <= most) || !(way < best))
                continue;
            best = way;
            *old = i;
            *place = k;
        }
    return best < HUGE_VAL;
}

static graze_status note_new(gz_merging *m, const gz_pair_numbers *pair, const gz_answer *answer,
                             uint32_t place)
{
    gz_made_clash *made = gz_list_push(m->record->context, &m->made, 1);
    if (made == NULL)
        return out_of_memory(m);
    memset(made, 0, sizeof *made);
    made->bytes[0] = (uint8_t)answer->clash.kind;
    gz_put_number(made->bytes + 1, gz_clash_mildness(&answer->clash), 8);
    gz_put_number(made->bytes + 9, pair->a, 4);
    gz_put_number(made->bytes + 13, pair->b, 4);
    gz_put_number(made->bytes + 17, pair->rule, 4);
    made->bytes[21] = (uint8_t)place;
    return GRAZE_OK;
}

static graze_status take_found(gz_merging *m, const gz_pair_numbers *pair,
                               const gz_merge_rule *rule)
{
    gz_answer answer = {0};
    graze_pose into_a, into_b;
    gz_clash_place places[GZ_PLACES_MOST];
    bool taken[GZ_PLACES_MOST] = {false};
    graze_status status = read_answer(m, pair, &answer);
    if (status == GRAZE_OK)
        status = read_old(m, pair);
    if (status == GRAZE_OK)
        status = read_pose(m, pair->a, &into_a);
    if (status == GRAZE_OK)
        status = read_pose(m, pair->b, &into_b);
    if (status != GRAZE_OK)
        return status;
    uint32_t count = answer.places.count, place = 0;
    uint64_t old = 0;
    for (uint32_t i = 0; i < count; ++i)
        places[i] = place_of(&answer.places.box[i], &into_a, &into_b);
    while (status == GRAZE_OK &&
           nearest_match(m, places, taken, count, rule->touch, &old, &place)) {
        gz_answer here = answer_at(&answer, place);
        m->old.items[old].matched = taken[place] = true;
        status = write_found(m, &m->old.items[old], &places[place], &here, rule->touch);
    }
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i)
        if (!taken[i])
            status = note_new(m, pair, &answer, i);
    // Where all of the contact was seen, what is not there any more is gone.
    for (uint64_t i = 0; i < m->old.count && status == GRAZE_OK; ++i) {
        const gz_old_clash *at = &m->old.items[i];
        if (at->matched || at->standing.status == GRAZE_RECORD_RESOLVED)
            continue;
        if (answer.clash.region_whole != 0)
            status = write_not_found(m, at->clash, at->standing, GZ_EVIDENCE_GONE,
                                     "the two meet elsewhere, and not here any more");
        else
            status = write_not_found(m, at->clash, at->standing, GZ_EVIDENCE_NONE,
                                     "the two meet elsewhere, and not all of it was looked at");
    }
    return status;
}

// --- New clashes

static graze_status make_id(const gz_merging *m, const gz_pair_numbers *pair,
                            const gz_clash_place *place, char id[37])
{
    sqlite3_stmt *names = m->statements[MERGE_IDS], *taken = m->statements[MERGE_TAKEN];
    bool row = false;
    gz_digest digest = {0};
    gz_sql_set(names, "iii", (int64_t)pair->a, (int64_t)pair->b, (int64_t)pair->rule);
    graze_status status = gz_sql_next(m->sql, names, &row);
    for (int i = 0; i < 4 && status == GRAZE_OK && row; ++i)
        gz_digest_text(&digest, gz_sql_text(names, i));
    sqlite3_reset(names);
    gz_digest_add(&digest, place->at[0], sizeof place->at[0]);
    for (row = true; status == GRAZE_OK && row;) {
        uint8_t bits[16];
        gz_digest_text(&digest, "clash");
        gz_digest_end(&digest, bits);
        gz_id_long(bits, id);
        gz_sql_set(taken, "t", id);
        status = gz_sql_next(m->sql, taken, &row);
        sqlite3_reset(taken);
    }
    return status;
}

static graze_status write_new(const gz_merging *m, const gz_made_clash *made, int64_t number)
{
    gz_pair_numbers pair = {(uint32_t)gz_get_number(made->bytes + 9, 4),
                            (uint32_t)gz_get_number(made->bytes + 13, 4),
                            (uint32_t)gz_get_number(made->bytes + 17, 4)};
    gz_answer whole = {0};
    graze_pose into_a, into_b;
    char id[37], reason[MERGE_REASON_BYTES];
    graze_status status = read_answer(m, &pair, &whole);
    if (status == GRAZE_OK)
        status = read_pose(m, pair.a, &into_a);
    if (status == GRAZE_OK)
        status = read_pose(m, pair.b, &into_b);
    if (status != GRAZE_OK)
        return status;
    gz_answer answer = answer_at(&whole, made->bytes[21]);
    gz_clash_place place = place_of(&answer.places.box[0], &into_a, &into_b);
    int64_t run = m->merge->run;
    status = make_id(m, &pair, &place, id);
    if (status != GRAZE_OK)
        return status;
    snprintf(reason, sizeof reason, "found by run %u", (unsigned)run);
    gz_sql_set(m->statements[MERGE_INSERT], "itiiiddddddddddtiii", number, id, (int64_t)pair.rule,
               (int64_t)pair.a, (int64_t)pair.b, place.at[0][0], place.at[0][1], place.at[0][2],
               place.at[1][0], place.at[1][1], place.at[1][2], place.at[2][0], place.at[2][1],
               place.at[2][2], place.size, reason, run, run, run);
    status = gz_sql_do(m->sql, m->statements[MERGE_INSERT]);
    if (status == GRAZE_OK)
        status = write_seen(m, number, &answer);
    if (status != GRAZE_OK)
        return status;
    gz_sql_set(m->statements[MERGE_EVENT], "iittt", number, run, "",
               graze_record_status_text(GRAZE_RECORD_NEW), reason);
    return gz_sql_do(m->sql, m->statements[MERGE_EVENT]);
}

static graze_status write_all_new(gz_merging *m)
{
    int64_t last = 0;
    graze_status status =
        gz_sql_number(m->sql, "SELECT coalesce(max(clash), 0) FROM clashes", 0, &last);
    gz_sort_records(m->record->context, m->made.items, m->made.count, sizeof(gz_made_clash), 0,
                    gz_arena_over(NULL, 0));
    for (uint64_t i = 0; i < m->made.count && status == GRAZE_OK; ++i)
        status = write_new(m, &m->made.items[i], last + 1 + (int64_t)i);
    m->merge->totals->found_new += m->made.count;
    return status;
}

// --- Clashes that were not found

static const gz_settled_pair *find_settled(const gz_merging *m, const gz_pair_numbers *pair)
{
    uint8_t key[GZ_SETTLED_KEY];
    uint64_t low = 0, high = m->merge->pair_count;
    gz_put_number(key, pair->a, 4);
    gz_put_number(key + 4, pair->b, 4);
    gz_put_number(key + 8, pair->rule, 4);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = memcmp(m->merge->pairs[middle].bytes, key, sizeof key);
        if (order == 0)
            return &m->merge->pairs[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

// The first of the groups of an object: where none of its objects is there, it was not in the
// files.
static uint64_t top_of(const gz_known_object *object)
{
    gz_digest digest = {0};
    gz_digest_add(&digest, object->group, strcspn(object->group, "/"));
    return digest.low;
}

static graze_status list_tops(gz_merging *m)
{
    const gz_record_objects *objects = m->merge->objects;
    for (uint64_t i = 0; objects != NULL && i < objects->known.count; ++i) {
        uint64_t top = top_of(&objects->known.items[i]);
        bool listed = false;
        if (!objects->known.items[i].present)
            continue;
        for (uint64_t k = m->tops.count; k-- != 0 && !listed;)
            listed = m->tops.items[k] == top;
        if (!listed && !gz_list_append(m->record->context, &m->tops, &top, 1))
            return out_of_memory(m);
    }
    return GRAZE_OK;
}

static gz_evidence judge_absent(const gz_merging *m, const gz_known_object *object,
                                char reason[MERGE_REASON_BYTES])
{
    uint64_t top = top_of(object);
    for (uint64_t i = 0; i < m->tops.count; ++i)
        if (m->tops.items[i] == top) {
            snprintf(reason, MERGE_REASON_BYTES, "\"%.200s\" is not there any more", object->path);
            return GZ_EVIDENCE_GONE;
        }
    snprintf(reason, MERGE_REASON_BYTES, "nothing of \"%.*s\" was in run %u",
             (int)strcspn(object->group, "/"), object->group, (unsigned)m->merge->run);
    return GZ_EVIDENCE_NONE;
}

static gz_evidence judge_unasked(const gz_merging *m, const gz_pair_numbers *pair,
                                 char reason[MERGE_REASON_BYTES])
{
    const gz_known_object *known = m->merge->objects->known.items;
    const gz_known_object *a = &known[pair->a - 1], *b = &known[pair->b - 1];
    gz_evidence evidence;
    if (!a->present || !b->present) {
        // One that is gone settles it, whatever is with the other.
        evidence = judge_absent(m, a->present ? b : a, reason);
        if (evidence != GZ_EVIDENCE_GONE && !a->present && !b->present)
            evidence = judge_absent(m, b, reason);
        return evidence;
    }
    if (m->merge->asks(m->merge->user, pair->a, pair->b, pair->rule)) {
        snprintf(reason, MERGE_REASON_BYTES, "the boxes of the two are apart");
        return GZ_EVIDENCE_GONE;
    }
    snprintf(reason, MERGE_REASON_BYTES, "the rules of run %u do not ask about the two so",
             (unsigned)m->merge->run);
    return GZ_EVIDENCE_NONE;
}

static gz_evidence judge_settled(const gz_merging *m, const gz_settled_pair *settled,
                                 const gz_merge_rule *rule, char reason[MERGE_REASON_BYTES])
{
    graze_clash_kind kind = (graze_clash_kind)settled->bytes[12];
    if (kind == GRAZE_CLASH_NONE) {
        snprintf(reason, MERGE_REASON_BYTES, "the two are as far apart as they should be");
        return GZ_EVIDENCE_GONE;
    }
    if (is_ignored(rule, kind)) {
        snprintf(reason, MERGE_REASON_BYTES, "the rules of run %u do not tell: %s",
                 (unsigned)m->merge->run, graze_clash_kind_text(kind));
        return GZ_EVIDENCE_NONE;
    }
    snprintf(reason, MERGE_REASON_BYTES, "the two only touch");
    return GZ_EVIDENCE_GONE;
}

static bool are_known(const gz_record_objects *objects, const gz_pair_numbers *pair)
{
    return pair->a >= 1 && pair->a <= objects->known.count && pair->b >= 1 &&
           pair->b <= objects->known.count;
}

static graze_status read_rest(gz_merging *m, gz_rest_list *rest)
{
    sqlite3_stmt *rows = m->statements[MERGE_REST];
    bool row = false;
    graze_status status;
    gz_sql_set(rows, "i", (int64_t)m->merge->run);
    while ((status = gz_sql_next(m->sql, rows, &row)) == GRAZE_OK && row) {
        gz_rest_clash at = {.clash = sqlite3_column_int64(rows, 0),
                            .pair = {(uint32_t)sqlite3_column_int64(rows, 3),
                                     (uint32_t)sqlite3_column_int64(rows, 4),
                                     (uint32_t)sqlite3_column_int64(rows, 5)}};
        if (!take_standing(rows, 1, &at.standing))
            status = gz_record_damaged(m->record, "clashes", "a status is none");
        else if (m->merge->objects != NULL && !are_known(m->merge->objects, &at.pair))
            status = gz_record_damaged(m->record, "clashes", "an object is none");
        else if (!gz_list_append(m->record->context, rest, &at, 1))
            status = out_of_memory(m);
        if (status != GRAZE_OK)
            break;
    }
    sqlite3_reset(rows);
    return status;
}

// Clashes that no pair of the run has spoken of. Those of pairs in which something was found have
// been judged, and are skipped, whether that proved anything or not.
static graze_status judge_rest(gz_merging *m)
{
    gz_rest_list rest = {0};
    char reason[MERGE_REASON_BYTES];
    graze_status status = list_tops(m);
    if (status == GRAZE_OK)
        status = read_rest(m, &rest);
    for (uint64_t i = 0; i < rest.count && status == GRAZE_OK; ++i) {
        const gz_rest_clash *at = &rest.items[i];
        const gz_settled_pair *settled = find_settled(m, &at->pair);
        gz_merge_rule rule = rule_of(m, at->pair.rule);
        gz_evidence evidence = GZ_EVIDENCE_NONE;
        if (settled != NULL && is_told(m, &rule, settled))
            continue;
        if (settled != NULL)
            evidence = judge_settled(m, settled, &rule, reason);
        else if (m->merge->objects != NULL)
            evidence = judge_unasked(m, &at->pair, reason);
        else
            continue; // a partial run says nothing of what it has not come to
        status = write_not_found(m, at->clash, at->standing, evidence, reason);
    }
    gz_list_free(m->record->context, &rest);
    return status;
}

// --- The whole

graze_status gz_record_merge(const gz_merge *merge)
{
    gz_merging m;
    graze_status status = open_merging(merge, &m);
    if (status == GRAZE_OK)
        status = read_rules(&m);
    for (uint64_t i = 0; i < merge->pair_count && status == GRAZE_OK; ++i) {
        gz_pair_numbers pair = numbers_of(&merge->pairs[i]);
        gz_merge_rule rule = rule_of(&m, pair.rule);
        if (is_told(&m, &rule, &merge->pairs[i]))
            status = take_found(&m, &pair, &rule);
    }
    if (status == GRAZE_OK)
        status = judge_rest(&m);
    if (status == GRAZE_OK)
        status = write_all_new(&m);
    close_merging(&m);
    return status;
}

static graze_status list_partial(graze_record *record, uint32_t run, gz_settled_list *pairs)
{
    sqlite3_stmt *rows = NULL;
    bool row = false;
    graze_status status = gz_sql_prepare(
        &record->sql, "SELECT a, b, rule, kind FROM checked WHERE run = ? ORDER BY a, b, rule",
        &rows);
    if (status == GRAZE_OK)
        gz_sql_set(rows, "i", (int64_t)run);
    while (status == GRAZE_OK) {
        status = gz_sql_next(&record->sql, rows, &row);
        if (status != GRAZE_OK || !row)
            break;
        gz_settled_pair *pair = gz_list_push(record->context, pairs, 1);
        if (pair == NULL) {
            status = gz_fail(record->context, GRAZE_ERROR_MEMORY, "%s: out of memory for clashes",
                             record->sql.path);
            break;
        }
        memset(pair, 0, sizeof *pair);
        for (int i = 0; i < 3; ++i)
            gz_put_number(pair->bytes + 4 * i, (uint64_t)sqlite3_column_int64(rows, i), 4);
        int64_t kind = sqlite3_column_int64(rows, 3);
        pair->bytes[12] = (uint8_t)kind;
        pair->bytes[13] = 1;
        if (kind < 0 || kind >= GRAZE_CLASH_KINDS)
            status = gz_record_damaged(record, "checked", "a kind is none");
    }
    sqlite3_finalize(rows);
    return status;
}

graze_status gz_record_merge_partial(graze_record *record, uint32_t run)
{
    gz_settled_list pairs = {0};
    graze_record_totals totals = {0};
    graze_status status = list_partial(record, run, &pairs);
    gz_merge merge = {.record = record,
                      .run = run,
                      .pairs = pairs.items,
                      .pair_count = pairs.count,
                      .totals = &totals};
    if (status == GRAZE_OK)
        status = gz_record_merge(&merge);
    if (status == GRAZE_OK)
        status = gz_record_find_problems(record);
    gz_list_free(record->context, &pairs);
    return status;
}
