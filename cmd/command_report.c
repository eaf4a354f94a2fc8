// graze report: the clashes of a record go into files that other programs open. A report is a
// function that takes one clash after the other, with all that is known of it: see
// graze_record_each_clash.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aside_file.h"
#include "record_rows.h"
#include "session.h"
#include "written_path.h"

// What all reports are made of.
typedef struct report_run {
    cmd_session session;
    const cmd_arguments *arguments;
    graze_record *record;
    graze_record_run last; // the newest run; its texts are not kept
} report_run;

// One kind of report: how it is written into a file that is open.
typedef struct report_kind {
    option_id option;
    const char *what, *ending;
    graze_status (*write)(report_run *run, FILE *file);
} report_kind;

// --- CSV

static graze_status put_csv_row(void *user, const graze_record_clash *clash)
{
    csv_record_clash(user, clash);
    return GRAZE_OK;
}

// The mark of UTF-8 is for spreadsheets, which take other text for that of an old code page.
static graze_status write_csv(report_run *run, FILE *file)
{
    cmd_csv csv = {.file = file};
    fputs("\xef\xbb\xbf", file);
    csv_record_names(&csv);
    return graze_record_each_clash(run->record, NULL, put_csv_row, &csv);
}

// --- JSON: a list of clash sets, one for each rule, as IfcClash writes them

typedef struct json_report {
    report_run *run;
    cmd_json *json;
    char **sets; // "a" and "b" of rules, two each
    size_t set_count;
    size_t set; // the one whose clashes are written
} json_report;

static bool is_of_set(const json_report *report, size_t set, const graze_record_clash *clash)
{
    return strcmp(report->sets[2 * set], clash->rule_a) == 0 &&
           strcmp(report->sets[2 * set + 1], clash->rule_b) == 0;
}

static graze_status note_set(void *user, const graze_record_clash *clash)
{
    json_report *report = user;
    for (size_t i = 0; i < report->set_count; ++i)
        if (is_of_set(report, i, clash))
            return GRAZE_OK;
    size_t count = 2 * report->set_count;
    char **sets = realloc(report->sets, (count + 2) * sizeof *sets);
    if (sets == NULL)
        return GRAZE_ERROR_MEMORY;
    report->sets = sets;
    sets[count] = strdup(clash->rule_a);
    sets[count + 1] = strdup(clash->rule_b);
    report->set_count++;
    return sets[count] == NULL || sets[count + 1] == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
}

static graze_status put_event(void *user, const graze_record_event *event)
{
    json_record_event(user, event);
    return GRAZE_OK;
}

// IfcClash calls a clash by its two objects; ours may clash at several places.
static graze_status put_json_clash(void *user, const graze_record_clash *clash)
{
    json_report *report = user;
    if (!is_of_set(report, report->set, clash))
        return GRAZE_OK;
    json_open(report->json, clash->id, '{');
    json_record_clash(report->json, clash);
    json_open(report->json, "events", '[');
    graze_status status =
        graze_record_each_event(report->run->record, clash->number, put_event, report->json);
    json_close(report->json, ']');
    json_close(report->json, '}');
    return status;
}

static void put_side(cmd_json *json, const char *key, const char *set)
{
    json_open(json, key, '[');
    json_open(json, NULL, '{');
    json_text(json, "set", set);
    json_close(json, '}');
    json_close(json, ']');
}

static graze_status put_set(json_report *report)
{
    cmd_json *json = report->json;
    const char *const *sides = (const char *const *)report->sets + 2 * report->set;
    size_t bytes = strlen(sides[0]) + strlen(sides[1]) + 16;
    char *name = malloc(bytes);
    if (name == NULL)
        return GRAZE_ERROR_MEMORY;
    snprintf(name, bytes, "%s against %s", sides[0], sides[1]);
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    free(name);
    json_text(json, "mode", report->run->last.clearance > 0 ? "clearance" : "collision");
    json_real(json, "tolerance", report->run->last.touch);
    json_real(json, "clearance", report->run->last.clearance);
    json_real(json, "metres_per_unit",
              report->run->last.metres_per_unit > 0 ? report->run->last.metres_per_unit : NAN);
    put_side(json, "a", sides[0]);
    put_side(json, "b", sides[1]);
    json_open(json, "clashes", '{');
    graze_status status =
        graze_record_each_clash(report->run->record, NULL, put_json_clash, report);
    json_close(json, '}');
    json_close(json, '}');
    return status;
}

static graze_status write_json(report_run *run, FILE *file)
{
    cmd_json json = {.file = file};
    json_report report = {.run = run, .json = &json};
    graze_status status = graze_record_each_clash(run->record, NULL, note_set, &report);
    json_open(&json, NULL, '[');
    for (report.set = 0; report.set < report.set_count && status == GRAZE_OK; ++report.set)
        status = put_set(&report);
    json_close(&json, ']');
    json_end_line(&json);
    for (size_t i = 0; i < 2 * report.set_count; ++i)
        free(report.sets[i]);
    free(report.sets);
    return status;
}

// --- The command

static const report_kind kinds[] = {
    {OPTION_CSV_FILE, "a table", ".csv", write_csv},
    {OPTION_JSON_FILE, "a report as JSON", ".json", write_json},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static int check_paths(const cmd_arguments *arguments)
{
    int given = 0, to_output = 0, code = EXIT_NOTHING_FOUND;
    for (size_t i = 0; i < KINDS && code == EXIT_NOTHING_FOUND; ++i) {
        const char *path = arguments->text[kinds[i].option];
        if (path == NULL)
            continue;
        given++;
        to_output += strcmp(path, "-") == 0;
        if (strcmp(path, "-") != 0) {
            code = check_ending(arguments, path, kinds[i].what, kinds[i].ending);
            if (code == EXIT_NOTHING_FOUND)
                code = check_not_read(arguments, path, arguments->operands[0]);
        }
    }
    if (code == EXIT_NOTHING_FOUND && given == 0)
        return usage_error(arguments->command, "report needs a file to write: --csv or --json");
    if (code == EXIT_NOTHING_FOUND && to_output > 1)
        return usage_error(arguments->command, "only one report can go to standard output");
    return code;
}

static int write_report(report_run *run, const report_kind *kind)
{
    const char *path = run->arguments->text[kind->option];
    aside_file aside;
    bool to_output = strcmp(path, "-") == 0;
    int error = to_output ? 0 : aside_open(&aside, path);
    if (error != 0) {
        session_error(&run->session, "%s: cannot be written: %s", path, strerror(error));
        return EXIT_RESOURCES;
    }
    graze_status status = kind->write(run, to_output ? stdout : aside.file);
    if (to_output)
        return session_result(&run->session, status);
    if (status != GRAZE_OK) {
        aside_abandon(&aside);
        return session_result(&run->session, status);
    }
    error = aside_commit(&aside);
    if (error != 0) {
        session_error(&run->session, "%s: cannot be written: %s", path, strerror(error));
        return EXIT_RESOURCES;
    }
    note(&run->session, "%s: written", path);
    return EXIT_NOTHING_FOUND;
}

static graze_status take_run(void *user, const graze_record_run *last)
{
    report_run *run = user;
    run->last = *last;
    run->last.files = run->last.version = "";
    return GRAZE_OK;
}

int command_report(const cmd_arguments *arguments)
{
    report_run run = {.arguments = arguments};
    int code = check_paths(arguments);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = session_open(&run.session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&run.session,
                              graze_record_open(run.session.context, arguments->operands[0],
                                                GRAZE_RECORD_READ, &run.record));
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&run.session, graze_record_each_run(run.record, take_run, &run));
    if (code == EXIT_NOTHING_FOUND && run.last.run != 0 && run.last.complete == 0)
        note(&run.session, "run %u is partial: the report tells what the runs before it found",
             run.last.run);
    for (size_t i = 0; i < KINDS && code == EXIT_NOTHING_FOUND; ++i)
        if (is_given(arguments, kinds[i].option))
            code = write_report(&run, &kinds[i]);
    graze_record_close(run.record);
    session_close(&run.session);
    return code;
}
