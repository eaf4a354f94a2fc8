// graze info: what is in mesh files, and what is wrong with them.
#include <stdio.h>

#include "json_out.h"
#include "report.h"
#include "session.h"

static void put_error(const char *path, const char *sentence)
{
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", path);
    json_text(&json, "error", sentence);
    json_close(&json, '}');
    json_end_line(&json);
}

static int inspect(cmd_session *session, const cmd_arguments *arguments, const char *path)
{
    graze_inspect_def def = graze_inspect_def_default();
    def.counts_only = is_given(arguments, OPTION_COUNTS_ONLY);
    def.memory_byte_limit = arguments->number[OPTION_MEMORY];
    def.read.metres_per_unit = arguments->metres;
    graze_mesh_report *report = NULL;
    session_forget_error(session);
    int code = session_result(
        session, graze_mesh_inspect(session->context, input_path(path), &def, &report));
    bool as_json = is_given(arguments, OPTION_JSON), objects = is_given(arguments, OPTION_OBJECTS);
    if (code != EXIT_NOTHING_FOUND && as_json)
        put_error(path, session->last_error);
    else if (code == EXIT_NOTHING_FOUND && as_json)
        print_json_report(path, report, objects);
    else if (code == EXIT_NOTHING_FOUND)
        print_report(path, report, objects);
    graze_mesh_report_free(session->context, report);
    return code;
}

int command_info(const cmd_arguments *arguments)
{
    cmd_session session;
    int worst = session_open(&session, arguments);
    if (worst == EXIT_NOTHING_FOUND) {
        for (int i = 0; i < arguments->operand_count && !is_stopped(); ++i) {
            if (i > 0 && !is_given(arguments, OPTION_JSON))
                puts("");
            int code = inspect(&session, arguments, arguments->operands[i]);
            worst = code > worst ? code : worst;
        }
    }
    session_close(&session);
    return worst;
}
