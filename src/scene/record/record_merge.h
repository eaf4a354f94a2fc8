// Merging a run into the clashes of a record: what its steps hold on to. See record_merge.c.
#ifndef GZ_RECORD_MERGE_H
#define GZ_RECORD_MERGE_H

#include "scene/record/record_status.h"
#include "scene/record/record_store.h"

#define MERGE_REASON_BYTES 512

typedef enum merge_statement {
    MERGE_ANSWER,
    MERGE_POSE,
    MERGE_OF_PAIR,
    MERGE_REST,
    MERGE_INSERT,
    MERGE_PLACE,
    MERGE_CHECKED,
    MERGE_STATUS,
    MERGE_EVENT,
    MERGE_LAST_SEEN,
    MERGE_SEE_AGAIN,
    MERGE_SEE,
    MERGE_TAKEN,
    MERGE_IDS,
    MERGE_STATEMENTS
} merge_statement;

typedef struct gz_pair_numbers {
    uint32_t a, b, rule; // in the record
} gz_pair_numbers;

// The middle of a region in the world, in the frame of a, and in that of b; and its diagonal.
typedef struct gz_clash_place {
    double at[3][3];
    double size;
} gz_clash_place;

// What a rule says in the run.
typedef struct gz_merge_rule {
    uint32_t rule; // in the record
    double touch;
    int64_t ignored; // a bit for each kind; below 0: it is not asked
} gz_merge_rule;

// A clash of a pair that is known from before.
typedef struct gz_old_clash {
    int64_t clash, approved_run; // 0: was not approved
    gz_standing standing;
    gz_clash_place place;
    bool matched; // with a place of this run
} gz_old_clash;

// A clash that nobody knows: kind, how mild it is, the pair and the place, sorted as bytes.
typedef struct gz_made_clash {
    uint8_t bytes[24];
} gz_made_clash;

typedef struct gz_rest_clash {
    int64_t clash;
    gz_pair_numbers pair;
    gz_standing standing;
} gz_rest_clash;
typedef GZ_LIST(gz_rest_clash) gz_rest_list;

typedef struct gz_merging {
    const gz_merge *merge;
    graze_record *record;
    const gz_sql *sql;
    sqlite3_stmt *statements[MERGE_STATEMENTS];
    GZ_LIST(gz_merge_rule) rules;
    bool list_touching;
    GZ_LIST(gz_old_clash) old; // of the pair at hand
    GZ_LIST(gz_made_clash) made;
    GZ_LIST(uint64_t) tops; // first groups of which something is there
} gz_merging;

#endif
