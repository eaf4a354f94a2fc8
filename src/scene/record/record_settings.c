// The settings of a run: which rules hold, and whether two runs are of the same scene by the same
// rules. See record_run.h.
//
// A rule is known by the names of its two sets: it keeps its number when rules are put in another
// order, and when its lengths change. "*" against "*" is also what holds where there are no rules.
#include <string.h>

#include "scene/clash_rules.h"
#include "scene/record/record_run.h"
#include "scene/scene_store.h"

static const char *set_name(const graze_clash_rules *rules, uint32_t set)
{
    return set == GZ_SET_ALL ? "*" : rules->sets.items[set].name;
}

// --- Digest

static void add_number(gz_digest *digest, uint64_t number)
{
    gz_digest_add(digest, &number, sizeof number);
}

static void add_length(gz_digest *digest, double length)
{
    gz_digest_add(digest, &length, sizeof length);
}

static void add_texts(gz_digest *digest, const graze_clash_rules *rules, gz_text_range range)
{
    add_number(digest, range.count);
    for (uint32_t i = 0; i < range.count; ++i)
        gz_digest_text(digest, rules->texts.items[range.first + i]);
}

static void add_rules(gz_digest *digest, const graze_clash_rules *rules)
{
    add_number(digest, rules->sets.count);
    for (uint64_t i = 0; i < rules->sets.count; ++i) {
        const gz_rule_set *set = &rules->sets.items[i];
        gz_digest_text(digest, set->name);
        add_texts(digest, rules, set->match);
        add_texts(digest, rules, set->except);
        add_texts(digest, rules, set->objects);
    }
    add_number(digest, rules->rules.count);
    for (uint64_t i = 0; i < rules->rules.count; ++i) {
        const gz_clash_rule *rule = &rules->rules.items[i];
        gz_digest_text(digest, set_name(rules, rule->a));
        gz_digest_text(digest, set_name(rules, rule->b));
        add_length(digest, rule->touch);
        add_length(digest, rule->clearance);
        add_number(digest, rule->ignored);
    }
    add_number(digest, rules->has_rules);
    add_length(digest, rules->touch);
    add_length(digest, rules->clearance);
    add_number(digest, rules->ignore_same_group);
    add_texts(digest, rules, rules->ignored_pairs);
    add_number(digest, rules->ignored_kinds);
}

graze_status gz_record_run_digest(const gz_record_run *run, uint8_t bits[16])
{
    gz_digest digest = {0};
    uint8_t pose[96];
    gz_digest_text(&digest, graze_version());
    add_number(&digest, run->plan->object_count);
    for (uint32_t i = 0; i < run->plan->object_count; ++i) {
        const gz_scene_slot *slot = &run->scene->slots.items[run->plan->slots[i]];
        gz_digest_text(&digest, slot->path);
        add_number(&digest, slot->hash);
        add_number(&digest, slot->triangle_count);
        gz_pack_doubles(pose, slot->pose.rotation, 9);
        gz_pack_doubles(pose + 72, slot->pose.translation, 3);
        gz_digest_add(&digest, pose, sizeof pose);
    }
    add_length(&digest, gz_rules_touch(run->rules));
    add_length(&digest, run->clash_def->clearance);
    add_length(&digest, run->clash_def->depth_error);
    add_number(&digest, run->clash_def->list_touching);
    add_number(&digest, run->clash_def->rules != NULL);
    if (run->clash_def->rules != NULL)
        add_rules(&digest, run->clash_def->rules);
    gz_digest_end(&digest, bits);
    return GRAZE_OK;
}

// --- Rules

static graze_status find_rule(const gz_record_run *run, sqlite3_stmt *const statements[3],
                              const char *a, const char *b, uint32_t *number)
{
    const gz_sql *sql = &run->record->sql;
    bool row = false;
    gz_sql_set(statements[0], "tt", a, b);
    graze_status status = gz_sql_next(sql, statements[0], &row);
    if (status == GRAZE_OK && row)
        *number = (uint32_t)sqlite3_column_int64(statements[0], 0);
    sqlite3_reset(statements[0]);
    if (status != GRAZE_OK || row)
        return status;
    gz_sql_set(statements[1], "tt", a, b);
    status = gz_sql_do(sql, statements[1]);
    *number = (uint32_t)sqlite3_last_insert_rowid(sql->db);
    return status;
}

static graze_status take_rule(const gz_record_run *run, sqlite3_stmt *const statements[3],
                              uint32_t rule, bool write)
{
    const graze_clash_rules *rules = run->clash_def->rules;
    bool none = rule == run->rule_count;
    const gz_clash_rule *said = none ? NULL : &rules->rules.items[rule];
    graze_status status =
        find_rule(run, statements, none ? "*" : set_name(rules, said->a),
                  none ? "*" : set_name(rules, said->b), &run->rule_numbers[rule]);
    if (status != GRAZE_OK || !write)
        return status;
    gz_rule_limits limits = gz_rules_limits(run->rules, none ? GZ_RULE_NONE : rule);
    gz_sql_set(statements[2], "iiiddi", (int64_t)run->run, (int64_t)rule,
               (int64_t)run->rule_numbers[rule], limits.touch, limits.clearance,
               limits.asked ? (int64_t)limits.ignored_kinds : INT64_C(-1));
    return gz_sql_do(&run->record->sql, statements[2]);
}

graze_status gz_record_run_rules(gz_record_run *run, bool resumed)
{
    static const char *const texts[3] = {
        "SELECT rule FROM rules WHERE a = ? AND b = ?",
        "INSERT INTO rules(a, b) VALUES(?, ?)",
        ("INSERT INTO run_rules(run, place, rule, touch, clearance, ignored) "
         "VALUES(?, ?, ?, ?, ?, ?)"),
    };
    const graze_clash_rules *rules = run->clash_def->rules;
    bool has_rules = rules != NULL && rules->has_rules;
    sqlite3_stmt *statements[3] = {0};
    graze_status status = GRAZE_OK;
    run->rule_count = has_rules ? (uint32_t)rules->rules.count : 0;
    run->rule_numbers = GZ_NEW_ARRAY(run->context, uint32_t, run->rule_count + 1u);
    if (run->rule_numbers == NULL)
        return gz_fail(run->context, GRAZE_ERROR_MEMORY, "%s: out of memory for rules",
                       run->record->sql.path);
    memset(run->rule_numbers, 0, (run->rule_count + 1u) * sizeof *run->rule_numbers);
    for (int i = 0; i < 3 && status == GRAZE_OK; ++i)
        status = gz_sql_prepare(&run->record->sql, texts[i], &statements[i]);
    // Where there are rules, no pair is asked by none of them.
    for (uint32_t i = 0; i < run->rule_count + !has_rules && status == GRAZE_OK; ++i)
        status = take_rule(run, statements, i, !resumed);
    for (int i = 0; i < 3; ++i)
        sqlite3_finalize(statements[i]);
    return status;
}
