/// @file clash_record.h  Records: clash results that live on while the model changes.
///
/// A record is one SQLite file. It has the runs of a clash check, one for each revision of a scene
/// that was checked; the objects, which it recognises from run to run; the clashes, each with a
/// number of its own, what was found of it in each run, a status, and what people said of it. A
/// run asks only about pairs that are not as they were: what is known of the others is proved by
/// hashes of their triangles, their poses and the lengths of their rule.
///
/// A run that ends early is partial. All that it found is kept, and the same check goes on where
/// it stopped; the record is then the same as if nothing had happened.
///
/// Lifetime:    graze_record_open -> calls -> graze_record_close. The context outlives the record.
///              Texts handed out end with the call that received them.
/// Concurrency: one thread at a time uses a record. While one process has a record open for a run,
///              no other one can open it; any number may read it or review it.
/// Units:       lengths are those of the scene; times are seconds since 1970, UTC.
/// Needs SQLite: without it, see graze_build_info, opening fails with GRAZE_ERROR_UNSUPPORTED.
#ifndef GRAZE_CLASH_RECORD_H
#define GRAZE_CLASH_RECORD_H

#include "graze/clash.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct graze_record graze_record;

/// What a record is opened for.
typedef enum graze_record_use {
    GRAZE_RECORD_READ = 0,   ///< nothing is changed, not even an old schema
    GRAZE_RECORD_REVIEW = 1, ///< statuses and comments are written
    GRAZE_RECORD_RUN = 2     ///< a check writes it; where there is no file, one is made
} graze_record_use;

/// @param record  receives the record, NULL on failure.
/// @return GRAZE_OK; GRAZE_ERROR_IO (it cannot be opened, or another process has it for a run),
///         GRAZE_ERROR_FORMAT (no record, or damaged), GRAZE_ERROR_UNSUPPORTED (of a newer version;
///         this build has no SQLite), GRAZE_ERROR_SPACE, GRAZE_ERROR_MEMORY.
GRAZE_API graze_status graze_record_open(graze_context *context, const char *path,
                                         graze_record_use use, graze_record **record);
GRAZE_API void graze_record_close(graze_record *record); ///< Accepts NULL.

// --- Runs

/// How a clash stands. Runs change statuses by what they prove, and by nothing else.
typedef enum graze_record_status {
    GRAZE_RECORD_NEW = 1,          ///< found by the last run, and never before
    GRAZE_RECORD_ACTIVE = 2,       ///< found again; or back; or worse than what was approved
    GRAZE_RECORD_REVIEWED = 3,     ///< somebody has seen it
    GRAZE_RECORD_APPROVED = 4,     ///< somebody says that it may stay, as deep as it was then
    GRAZE_RECORD_RESOLVED = 5,     ///< proved to be gone, or said to be
    GRAZE_RECORD_NOT_RECHECKED = 6 ///< the last run did not look at it: nothing is known
} graze_record_status;
#define GRAZE_RECORD_STATUSES 7

/// Such as "not re-checked". Never NULL.
GRAZE_API const char *graze_record_status_text(graze_record_status status);

typedef struct graze_record_check_def {
    uint32_t struct_size;         ///< set by graze_record_check_def_default; leave alone
    const graze_clash_def *clash; ///< NULL for the defaults
    const char *files;            ///< what was checked, for people; NULL: not said
    int64_t time;                 ///< when; 0: not said
} graze_record_check_def;

static inline graze_record_check_def graze_record_check_def_default(void)
{
    graze_record_check_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// What a run did.
typedef struct graze_record_totals {
    uint32_t run;           ///< its number, from 1
    uint32_t resumed;       ///< 1: it went on with a partial run
    uint64_t pair_count;    ///< that the rules ask for, and whose boxes are near
    uint64_t checked_count; ///< of them, those that this run looked at
    uint64_t reused_count;  ///< of them, those that are proved to be as they were
    uint64_t objects_same, objects_moved, objects_changed, objects_new, objects_gone;
    uint64_t objects_renamed;                 ///< of all kinds but new and gone
    uint64_t statuses[GRAZE_RECORD_STATUSES]; ///< of all clashes of the record, by status
    uint64_t found_new, found_again, worse_count, resolved_count; ///< what this run changed
} graze_record_totals;

/// Checks a scene as graze_scene_clash does, with the same clashes and totals, and writes a run.
/// Where the last run is partial and was of the same scene with the same settings, goes on with it.
/// @param def     NULL for the defaults.
/// @param report  as in graze_scene_clash, called when the run is complete; NULL if not wanted.
/// @param totals  of the check; NULL if not wanted.
/// @param record_totals  of the run; NULL if not wanted.
/// @return as graze_scene_clash and graze_record_open. On failure the run is partial, or was not
///         begun.
GRAZE_API graze_status graze_record_check(graze_record *record, graze_scene *scene,
                                          const graze_record_check_def *def,
                                          graze_clash_report *report, void *user,
                                          graze_clash_totals *totals,
                                          graze_record_totals *record_totals);

typedef struct graze_record_run {
    uint32_t run; ///< its number
    uint32_t complete;
    const char *files;    ///< as they were said; ""
    const char *version;  ///< of graze
    int64_t begun, ended; ///< 0: not said
    double touch, clearance, depth_error;
    double metres_per_unit; ///< 0: unknown
    uint64_t object_count, pair_count, checked_count;
    uint64_t clash_count; ///< that it found; of a partial one so far
} graze_record_run;

/// Runs from the first to the last. Anything but GRAZE_OK from `receive` ends the call with it.
GRAZE_API graze_status graze_record_each_run(graze_record *record,
                                             graze_status (*receive)(void *user,
                                                                     const graze_record_run *run),
                                             void *user);

// --- Clashes, with all that a report needs

/// An object of the record, as it was when it was there last.
typedef struct graze_record_object {
    uint64_t number;
    const char *id; ///< 22 characters, for ever: the GlobalId of IFC, or made of path and content
    const char *path, *name, *group;
    uint64_t hash; ///< of its triangles in its own frame; 0: not known
    uint64_t triangle_count;
    graze_pose pose;
    graze_box box;
    uint32_t present; ///< 1: the last run had it
} graze_record_object;

/// A clash of a pair at a place. A pair that clashes at several places apart has several.
typedef struct graze_record_clash {
    uint64_t number; ///< from 1; a clash keeps it
    const char *id;  ///< a GUID of 36 characters, for ever
    graze_record_status status;
    graze_record_status
        before;         ///< of one that was not re-checked: its status before; else `status`
    const char *reason; ///< why the status is what it is, in a sentence
    graze_record_object a, b;
    graze_clash clash;            ///< as found last; its objects and rule are not set
    double place[3];              ///< the middle of its region
    const char *rule_a, *rule_b;  ///< sets of the rule; "*": all objects
    uint32_t first_run, last_run; ///< that found it
    uint32_t checked_run;         ///< the last one that looked at it
    const char *assigned;         ///< to whom; ""
    uint64_t comment_count;
    uint64_t problem; ///< clashes of one number are one problem; 0: it is alone
    const char *problem_reason;
    uint64_t problem_count; ///< clashes of the problem
} graze_record_clash;

typedef struct graze_record_filter {
    uint32_t struct_size; ///< set by graze_record_filter_default; leave alone
    uint32_t statuses;    ///< a bit for each graze_record_status; 0: all
    uint64_t number;      ///< of one clash; 0: all
    uint32_t by_number;   ///< 1: in the order of numbers; 0: the worst first
} graze_record_filter;

static inline graze_record_filter graze_record_filter_default(void)
{
    graze_record_filter filter = GRAZE_ZERO;
    filter.struct_size = (uint32_t)sizeof filter;
    return filter;
}

/// @param filter  NULL: all, the worst first.
GRAZE_API graze_status graze_record_each_clash(
    graze_record *record, const graze_record_filter *filter,
    graze_status (*receive)(void *user, const graze_record_clash *clash), void *user);

/// What happened to a clash: a comment, or a change of its status or of whom it is assigned to.
typedef struct graze_record_event {
    uint64_t clash;
    const char *what; ///< "comment", "status" or "assigned"
    uint32_t run;     ///< that changed it; 0: somebody did
    const char *author;
    int64_t time;     ///< 0: not said
    const char *from; ///< before; ""
    const char *to;   ///< after; of a comment its text
    const char *text; ///< the reason; ""
} graze_record_event;

/// In the order in which they happened. Takes another call's clash, so that it can be called from
/// `receive` of graze_record_each_clash.
GRAZE_API graze_status graze_record_each_event(graze_record *record, uint64_t clash,
                                               graze_status (*receive)(void *user,
                                                                       const graze_record_event *e),
                                               void *user);

/// What a partial run has found so far, in the order of objects. It has no numbers and statuses
/// yet.
GRAZE_API graze_status graze_record_each_found(
    graze_record *record, graze_status (*receive)(void *user, const graze_record_clash *clash),
    void *user);

// --- Review

/// What somebody says of a clash: any of the three may be left out.
typedef struct graze_record_say {
    uint32_t struct_size;       ///< set by graze_record_say_default; leave alone
    graze_record_status status; ///< 0: as it is. New and not re-checked cannot be said
    const char *assign;         ///< to whom; "": to nobody; NULL: as it is
    const char *comment;        ///< NULL: none
    const char *author;         ///< NULL: ""
    int64_t time;               ///< 0: not said
} graze_record_say;

static inline graze_record_say graze_record_say_default(void)
{
    graze_record_say say = GRAZE_ZERO;
    say.struct_size = (uint32_t)sizeof say;
    return say;
}

/// All of it, or nothing.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (no such clash, such a status cannot be said), as
///         graze_record_open.
GRAZE_API graze_status graze_record_review(graze_record *record, const uint64_t *clashes,
                                           uint64_t clash_count, const graze_record_say *say);

/// All of the record as text, a line a row, in a fixed order, without times: records of the same
/// runs and reviews give the same lines, whatever happened on the way.
GRAZE_API graze_status graze_record_dump(graze_record *record,
                                         graze_status (*receive)(void *user, const char *line),
                                         void *user);

#ifdef __cplusplus
}
#endif
#endif
