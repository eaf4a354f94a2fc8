// graze clash: files become one scene, and all its clashes are listed, the worst first.
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "clash_print.h"
#include "clash_question.h"
#include "graze/clash_record.h"
#include "json_out.h"
#include "scene_files.h"
#include "terminal.h"

typedef struct clash_run {
    cmd_session session;
    clash_question question;
    graze_record *record; // NULL: results are not kept
    char *files;          // of the record: what was checked
    clash_printer printer;
    clash_cost cost;
    bool output_failed;
} clash_run;

// --- The record

// First of all: a record that cannot be used is better known before anything is read.
static int open_record(clash_run *run)
{
    const cmd_arguments *arguments = run->question.arguments;
    size_t bytes = 0;
    if (!is_given(arguments, OPTION_RECORD))
        return EXIT_NOTHING_FOUND;
    FILE *files = open_memstream(&run->files, &bytes);
    for (int i = 0; files != NULL && i < arguments->operand_count; ++i)
        fprintf(files, "%s%s", i != 0 ? " " : "", arguments->operands[i]);
    if (files == NULL || fclose(files) != 0)
        return session_result(&run->session, GRAZE_ERROR_MEMORY);
    return session_result(&run->session,
                          graze_record_open(run->session.context, arguments->text[OPTION_RECORD],
                                            GRAZE_RECORD_RUN, &run->record));
}

static graze_status ask(clash_run *run, graze_clash_report *report, graze_clash_totals *totals,
                        graze_record_totals *record)
{
    if (run->record == NULL)
        return graze_scene_clash(run->question.scene, &run->question.def, report, run, totals);
    graze_record_check_def def = graze_record_check_def_default();
    def.clash = &run->question.def;
    def.files = run->files;
    def.time = (int64_t)time(NULL);
    return graze_record_check(run->record, run->question.scene, &def, report, run, totals, record);
}

// --- The check

// Whoever reads the rows may have gone: then there is nobody to go on for.
static graze_status on_clash(void *user, const graze_clash *clash)
{
    clash_run *run = user;
    print_clash(&run->printer, clash);
    run->output_failed = ferror(stdout) != 0;
    return run->output_failed ? GRAZE_ERROR_SPACE : GRAZE_OK;
}

static int check(clash_run *run)
{
    graze_clash_totals totals;
    graze_record_totals record = {0};
    struct rusage usage = {0};
    double begun = now_seconds();
    run->printer.scene = run->question.scene;
    run->printer.metres_per_unit = run->question.metres_per_unit;
    run->cost.read_seconds = run->question.read_seconds;
    print_clash_names(&run->printer);
    graze_status status = ask(run, on_clash, &totals, &record);
    run->cost.check_seconds = now_seconds() - begun;
    if (run->output_failed)
        return EXIT_RESOURCES; // main says why
    if (status != GRAZE_OK && record.run != 0)
        note(&run->session,
             "%s: run %u is partial: what it found is kept, and the same command goes on",
             run->question.arguments->text[OPTION_RECORD], record.run);
    if (status != GRAZE_OK)
        return session_result(&run->session, status);
    bar_clear();
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        run->cost.process_bytes = (uint64_t)usage.ru_maxrss * 1024;
    print_clash_totals(&run->printer, &totals, run->record == NULL ? NULL : &record, &run->cost);
    if (run->printer.form == CLASH_CSV) {
        char summary[CLASH_SUMMARY_BYTES];
        summarize_clashes(summary, &run->printer, &totals, &run->cost);
        note(&run->session, "%s", summary);
        if (run->record != NULL) {
            summarize_record(summary, &record);
            note(&run->session, "%s", summary);
        }
    }
    return count_clashes(&totals) != 0 ? EXIT_FOUND : EXIT_NOTHING_FOUND;
}

static void put_error(const clash_run *run)
{
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "error", run->session.last_error);
    json_close(&json, '}');
    json_end_line(&json);
}

int command_clash(const cmd_arguments *arguments)
{
    clash_run run = {.output_failed = false};
    run.question = (clash_question){.session = &run.session, .arguments = arguments};
    cmd_arguments within = *arguments;
    int code = check_clash_options(arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = share_memory(arguments, "a clash check", &within.number[OPTION_MEMORY]);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    run.printer.form = is_given(arguments, OPTION_JSON)  ? CLASH_JSON
                       : is_given(arguments, OPTION_CSV) ? CLASH_CSV
                                                         : CLASH_TABLE;
    code = session_open(&run.session, &within);
    if (code == EXIT_NOTHING_FOUND)
        code = open_record(&run);
    if (code == EXIT_NOTHING_FOUND)
        code = clash_question_open(&run.question, within.number[OPTION_MEMORY]);
    if (code == EXIT_NOTHING_FOUND)
        code = check(&run);
    if (code > EXIT_USAGE && run.session.error_said && run.printer.form == CLASH_JSON)
        put_error(&run);
    graze_record_close(run.record);
    free(run.files);
    clash_question_close(&run.question);
    session_close(&run.session);
    return code;
}
