// A run of a clash check into a record: what its steps share. See record_check.c.
#ifndef GZ_RECORD_RUN_H
#define GZ_RECORD_RUN_H

#include <pthread.h>

#include "scene/clash_watch.h"
#include "scene/record/record_store.h"

// A pair that was looked at, and is not written yet.
typedef struct gz_fresh_pair {
    uint32_t a, b, rule;
    uint8_t proof[16];
    uint32_t answer_bytes; // 0: the kind says it all
    uint64_t answer_at;    // in the bytes of all answers
    graze_clash_kind kind;
} gz_fresh_pair;

typedef struct gz_record_run {
    graze_record *record;
    graze_context *context;
    graze_scene *scene;
    const graze_record_check_def *def;
    const graze_clash_def *clash_def;
    const gz_clash_plan *plan;
    const gz_rules_applied *rules;
    uint32_t run;
    bool begun, resumed;
    graze_status write_status; // a failure is every worker's
    gz_record_objects objects;
    uint32_t *rule_numbers; // in the record, by rule; behind them that of no rule
    uint32_t rule_count;    // of the rule file
    gz_settled_list settled;
    pthread_mutex_t lock; // of all below, and of the record
    GZ_LIST(gz_fresh_pair) fresh;
    gz_byte_list answers;
    uint64_t written_ns; // when fresh pairs were written last
    sqlite3_stmt *find_pair, *put_pair;
    graze_record_totals totals;
} gz_record_run;

// What makes two runs the same: objects, rules and lengths.
graze_status gz_record_run_digest(const gz_record_run *run, uint8_t digest[16]);
// Writes the rules of a run, as far as they are new, and learns their numbers. Within a
// transaction.
graze_status gz_record_run_rules(gz_record_run *run, bool resumed);

#endif
