// graze clash: files become one scene, and all its clashes are listed, the worst first.
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "clash_print.h"
#include "graze/clash_record.h"
#include "json_out.h"
#include "scene_files.h"
#include "terminal.h"

typedef struct clash_run {
    cmd_session session;
    const cmd_arguments *arguments;
    graze_scene *scene;
    graze_clash_rules *rules;
    graze_record *record; // NULL: results are not kept
    char *files;          // of the record: what was checked
    graze_clash_def def;
    clash_printer printer;
    clash_cost cost;
    bool output_failed;
} clash_run;

// --- Options

static int check_options(const cmd_arguments *arguments)
{
    int from_input = 0;
    if (is_given(arguments, OPTION_JSON) && is_given(arguments, OPTION_CSV))
        return usage_error(arguments->command, "--json and --csv cannot go together");
    if (is_given(arguments, OPTION_RULES) &&
        (arguments->pattern_count != 0 || is_given(arguments, OPTION_SAME_GROUP)))
        return usage_error(arguments->command,
                           "--rules has sets of its own: --a, --b and --ignore-same-group cannot "
                           "go with it");
    for (int i = 0; i < arguments->operand_count; ++i)
        from_input += strcmp(arguments->operands[i], "-") == 0;
    if (is_given(arguments, OPTION_RULES))
        from_input += strcmp(arguments->text[OPTION_RULES], "-") == 0;
    if (from_input > 1)
        return usage_error(arguments->command, "standard input can only be read once");
    return EXIT_NOTHING_FOUND;
}

static int take_length(const clash_run *run, option_id id, double *length)
{
    bool unit_unknown = false;
    const char *text = run->arguments->text[id];
    if (text == NULL || parse_tolerance(text, run->printer.metres_per_unit, length, &unit_unknown))
        return EXIT_NOTHING_FOUND;
    if (unit_unknown)
        return usage_error(run->arguments->command,
                           "--%s %s: the files do not say their unit of length; --unit does",
                           options[id].name, text);
    return usage_error(run->arguments->command, "--%s %s is too large", options[id].name, text);
}

// --- The scene

static graze_status add_file(clash_run *run, const char *operand, uint64_t memory_bytes)
{
    graze_scene_build_def def = graze_scene_build_def_default();
    graze_mesh_read_def read = graze_mesh_read_def_default();
    read.metres_per_unit = run->arguments->metres;
    def.read = &read;
    def.memory_bytes = memory_bytes;
    char *group = NULL;
    if (run->arguments->operand_count > 1) {
        group = file_stem(strcmp(operand, "-") == 0 ? "stdin" : operand);
        if (group == NULL)
            return GRAZE_ERROR_MEMORY;
    }
    graze_scene_source source = {.path = input_path(operand), .group = group};
    graze_status status = graze_scene_add_source(run->scene, &source, &def);
    free(group);
    return status;
}

static int make_scene(clash_run *run, uint64_t memory_bytes)
{
    double begun = now_seconds();
    graze_status status = graze_scene_create(run->session.context, &run->scene);
    for (int i = 0; i < run->arguments->operand_count && status == GRAZE_OK; ++i)
        status = add_file(run, run->arguments->operands[i], memory_bytes);
    run->cost.read_seconds = now_seconds() - begun;
    if (status == GRAZE_ERROR_ARGUMENT && is_given(run->arguments, OPTION_MEMORY)) {
        (void)session_result(&run->session, status); // there is less of it than a build takes
        return EXIT_RESOURCES;
    }
    if (status != GRAZE_OK)
        return session_result(&run->session, status);
    session_forget_error(&run->session); // of a reader that went on
    run->printer.scene = run->scene;
    run->printer.metres_per_unit = graze_scene_get_info(run->scene).metres_per_unit;
    if (run->printer.metres_per_unit == 0.0)
        run->printer.metres_per_unit = run->arguments->metres;
    warn_of_empty_objects(&run->session, run->scene);
    return EXIT_NOTHING_FOUND;
}

// --- Rules

static void put_set(cmd_json *json, const cmd_arguments *arguments, const char *name,
                    option_id option)
{
    json_open(json, name, '[');
    for (int i = 0; i < arguments->pattern_count; ++i)
        if (arguments->patterns[i].option == option)
            json_text(json, NULL, arguments->patterns[i].text);
    json_close(json, ']');
}

// --a, --b and --ignore-same-group as a rule file.
static char *print_rules(const cmd_arguments *arguments, size_t *bytes)
{
    char *text = NULL;
    bool a = is_given(arguments, OPTION_SIDE_A), b = is_given(arguments, OPTION_SIDE_B);
    cmd_json out = {.file = open_memstream(&text, bytes)}, *json = &out;
    if (out.file == NULL)
        return NULL;
    json_open(json, NULL, '{');
    if (a || b) {
        json_open(json, "sets", '{');
        if (a)
            put_set(json, arguments, "--a", OPTION_SIDE_A);
        if (b)
            put_set(json, arguments, "--b", OPTION_SIDE_B);
        json_close(json, '}');
        json_open(json, "rules", '[');
        json_open(json, NULL, '{');
        json_text(json, "a", a ? "--a" : "*");
        json_text(json, "b", b ? "--b" : "*");
        json_close(json, '}');
        json_close(json, ']');
    }
    json_open(json, "ignore", '{');
    json_bool(json, "same_group", is_given(arguments, OPTION_SAME_GROUP));
    json_close(json, '}');
    json_close(json, '}');
    if (fclose(out.file) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static int take_rules(clash_run *run)
{
    const cmd_arguments *arguments = run->arguments;
    graze_context *context = run->session.context;
    double metres = run->printer.metres_per_unit;
    graze_status status = GRAZE_OK;
    if (is_given(arguments, OPTION_RULES)) {
        status = graze_clash_rules_read(context, input_path(arguments->text[OPTION_RULES]), metres,
                                        &run->rules);
    } else if (arguments->pattern_count != 0 || is_given(arguments, OPTION_SAME_GROUP)) {
        size_t bytes = 0;
        char *text = print_rules(arguments, &bytes);
        status = text == NULL ? GRAZE_ERROR_MEMORY
                              : graze_clash_rules_parse(context, "the command line", text, bytes,
                                                        metres, &run->rules);
        free(text);
    }
    run->def.rules = run->rules;
    return session_result(&run->session, status);
}

static int take_def(clash_run *run)
{
    run->def = graze_clash_def_default();
    run->def.list_touching = is_given(run->arguments, OPTION_LIST_TOUCHING);
    // The library does not know of --unit where models do not say theirs.
    if (run->printer.metres_per_unit != 0.0)
        run->def.touch = 1e-4 / run->printer.metres_per_unit;
    int code = take_length(run, OPTION_TOUCH, &run->def.touch);
    if (code == EXIT_NOTHING_FOUND)
        code = take_length(run, OPTION_CLEARANCE, &run->def.clearance);
    return code == EXIT_NOTHING_FOUND ? take_rules(run) : code;
}

// --- The record

// First of all: a record that cannot be used is better known before anything is read.
static int open_record(clash_run *run)
{
    const cmd_arguments *arguments = run->arguments;
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
        return graze_scene_clash(run->scene, &run->def, report, run, totals);
    graze_record_check_def def = graze_record_check_def_default();
    def.clash = &run->def;
    def.files = run->files;
    def.time = (int64_t)time(NULL);
    return graze_record_check(run->record, run->scene, &def, report, run, totals, record);
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
    print_clash_names(&run->printer);
    graze_status status = ask(run, on_clash, &totals, &record);
    run->cost.check_seconds = now_seconds() - begun;
    if (run->output_failed)
        return EXIT_RESOURCES; // main says why
    if (status != GRAZE_OK && record.run != 0)
        note(&run->session,
             "%s: run %u is partial: what it found is kept, and the same command goes on",
             run->arguments->text[OPTION_RECORD], record.run);
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
    clash_run run = {.arguments = arguments};
    cmd_arguments within = *arguments;
    int code = check_options(arguments);
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
        code = make_scene(&run, within.number[OPTION_MEMORY]);
    if (code == EXIT_NOTHING_FOUND)
        code = take_def(&run);
    if (code == EXIT_NOTHING_FOUND)
        code = check(&run);
    if (code > EXIT_USAGE && run.session.error_said && run.printer.form == CLASH_JSON)
        put_error(&run);
    graze_record_close(run.record);
    free(run.files);
    graze_clash_rules_free(run.rules);
    graze_scene_free(run.scene);
    session_close(&run.session);
    return code;
}
