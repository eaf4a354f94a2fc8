// What can be said of records without SQLite: how statuses are called; and, in a build that has
// none, that there are no records. See graze/clash_record.h.
#include "base/context.h"
#include "graze/clash_record.h"

static const char *const status_texts[GRAZE_RECORD_STATUSES] = {
    [0] = "unknown",
    [GRAZE_RECORD_NEW] = "new",
    [GRAZE_RECORD_ACTIVE] = "active",
    [GRAZE_RECORD_REVIEWED] = "reviewed",
    [GRAZE_RECORD_APPROVED] = "approved",
    [GRAZE_RECORD_RESOLVED] = "resolved",
    [GRAZE_RECORD_NOT_RECHECKED] = "not re-checked",
};

const char *graze_record_status_text(graze_record_status status)
{
    return status_texts[(uint32_t)status < GRAZE_RECORD_STATUSES ? (uint32_t)status : 0];
}

#ifndef GZ_HAVE_SQLITE

graze_status graze_record_open(graze_context *context, const char *path, graze_record_use use,
                               graze_record **record)
{
    (void)use;
    if (record != NULL)
        *record = NULL;
    if (context == NULL || path == NULL || record == NULL)
        return gz_fail_null(context, "graze_record_open");
    return gz_fail(
        context, GRAZE_ERROR_UNSUPPORTED,
        "%s: records of clash checks need SQLite, which this build of graze does not have", path);
}

void graze_record_close(graze_record *record) { (void)record; }

// Nobody has a record, so all else is asked without one.
static graze_status no_record(const char *who) { return gz_fail_null(NULL, who); }

graze_status graze_record_check(graze_record *record, graze_scene *scene,
                                const graze_record_check_def *def, graze_clash_report *report,
                                void *user, graze_clash_totals *totals,
                                graze_record_totals *record_totals)
{
    (void)record, (void)scene, (void)def, (void)report, (void)user, (void)totals;
    (void)record_totals;
    return no_record("graze_record_check");
}

graze_status graze_record_each_run(graze_record *record,
                                   graze_status (*receive)(void *user, const graze_record_run *run),
                                   void *user)
{
    (void)record, (void)receive, (void)user;
    return no_record("graze_record_each_run");
}

graze_status graze_record_each_clash(graze_record *record, const graze_record_filter *filter,
                                     graze_status (*receive)(void *user,
                                                             const graze_record_clash *clash),
                                     void *user)
{
    (void)record, (void)filter, (void)receive, (void)user;
    return no_record("graze_record_each_clash");
}

graze_status graze_record_each_event(graze_record *record, uint64_t clash,
                                     graze_status (*receive)(void *user,
                                                             const graze_record_event *event),
                                     void *user)
{
    (void)record, (void)clash, (void)receive, (void)user;
    return no_record("graze_record_each_event");
}

graze_status graze_record_each_found(graze_record *record,
                                     graze_status (*receive)(void *user,
                                                             const graze_record_clash *clash),
                                     void *user)
{
    (void)record, (void)receive, (void)user;
    return no_record("graze_record_each_found");
}

graze_status graze_record_review(graze_record *record, const uint64_t *clashes,
                                 uint64_t clash_count, const graze_record_say *say)
{
    (void)record, (void)clashes, (void)clash_count, (void)say;
    return no_record("graze_record_review");
}

graze_status graze_record_dump(graze_record *record,
                               graze_status (*receive)(void *user, const char *line), void *user)
{
    (void)record, (void)receive, (void)user;
    return no_record("graze_record_dump");
}

#endif
