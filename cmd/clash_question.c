// See clash_question.h.
#include "clash_question.h"

#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "scene_files.h"
#include "terminal.h"
#include "units.h"

// --- Options

int check_clash_options(const cmd_arguments *arguments)
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

static int take_length(const clash_question *q, option_id id, double *length)
{
    bool unit_unknown = false;
    const char *text = q->arguments->text[id];
    if (text == NULL || parse_tolerance(text, q->metres_per_unit, length, &unit_unknown))
        return EXIT_NOTHING_FOUND;
    if (unit_unknown)
        return usage_error(q->arguments->command,
                           "--%s %s: the files do not say their unit of length; --unit does",
                           options[id].name, text);
    return usage_error(q->arguments->command, "--%s %s is too large", options[id].name, text);
}

// --- The scene

static graze_status add_file(clash_question *q, const char *operand, uint64_t memory_bytes)
{
    graze_scene_build_def def = graze_scene_build_def_default();
    graze_mesh_read_def read = graze_mesh_read_def_default();
    read.metres_per_unit = q->arguments->metres;
    def.read = &read;
    def.memory_bytes = memory_bytes;
    char *group = NULL;
    if (q->arguments->operand_count > 1) {
        group = file_stem(strcmp(operand, "-") == 0 ? "stdin" : operand);
        if (group == NULL)
            return GRAZE_ERROR_MEMORY;
    }
    graze_scene_source source = {.path = input_path(operand), .group = group};
    graze_status status = graze_scene_add_source(q->scene, &source, &def);
    free(group);
    return status;
}

static int make_scene(clash_question *q, uint64_t memory_bytes)
{
    double begun = now_seconds();
    graze_status status = graze_scene_create(q->session->context, &q->scene);
    for (int i = 0; i < q->arguments->operand_count && status == GRAZE_OK; ++i)
        status = add_file(q, q->arguments->operands[i], memory_bytes);
    q->read_seconds = now_seconds() - begun;
    if (status == GRAZE_ERROR_ARGUMENT && is_given(q->arguments, OPTION_MEMORY)) {
        (void)session_result(q->session, status); // there is less of it than a build takes
        return EXIT_RESOURCES;
    }
    if (status != GRAZE_OK)
        return session_result(q->session, status);
    session_forget_error(q->session); // of a reader that went on
    q->metres_per_unit = graze_scene_get_info(q->scene).metres_per_unit;
    if (q->metres_per_unit == 0.0)
        q->metres_per_unit = q->arguments->metres;
    warn_of_empty_objects(q->session, q->scene);
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

static int take_rules(clash_question *q)
{
    const cmd_arguments *arguments = q->arguments;
    graze_context *context = q->session->context;
    double metres = q->metres_per_unit;
    graze_status status = GRAZE_OK;
    if (is_given(arguments, OPTION_RULES)) {
        status = graze_clash_rules_read(context, input_path(arguments->text[OPTION_RULES]), metres,
                                        &q->rules);
    } else if (arguments->pattern_count != 0 || is_given(arguments, OPTION_SAME_GROUP)) {
        size_t bytes = 0;
        char *text = print_rules(arguments, &bytes);
        status = text == NULL ? GRAZE_ERROR_MEMORY
                              : graze_clash_rules_parse(context, "the command line", text, bytes,
                                                        metres, &q->rules);
        free(text);
    }
    q->def.rules = q->rules;
    return session_result(q->session, status);
}

static int take_def(clash_question *q)
{
    q->def = graze_clash_def_default();
    q->def.list_touching = is_given(q->arguments, OPTION_LIST_TOUCHING);
    // The library does not know of --unit where models do not say theirs.
    if (q->metres_per_unit != 0.0)
        q->def.touch = 1e-4 / q->metres_per_unit;
    int code = take_length(q, OPTION_TOUCH, &q->def.touch);
    if (code == EXIT_NOTHING_FOUND)
        code = take_length(q, OPTION_CLEARANCE, &q->def.clearance);
    return code == EXIT_NOTHING_FOUND ? take_rules(q) : code;
}

int clash_question_open(clash_question *q, uint64_t memory_bytes)
{
    int code = make_scene(q, memory_bytes);
    return code == EXIT_NOTHING_FOUND ? take_def(q) : code;
}

void clash_question_close(clash_question *q)
{
    graze_clash_rules_free(q->rules);
    graze_scene_free(q->scene);
}
