// graze export: a model file in, the mesh that it was built from out, or a coarser one.
#include <stdio.h>

#include "losses.h"
#include "model_error.h"
#include "output.h"
#include "scene_files.h"
#include "terminal.h"
#include "units.h"
#include "written_path.h"

// What is allowed is for the writer, too, which may hold the whole mesh.
static uint64_t memory_for_order(const cmd_arguments *arguments)
{
    return arguments->number[OPTION_MEMORY] / 4;
}

static int export_coarse(const cmd_session *session, const cmd_arguments *arguments,
                         graze_model *model, double error, cmd_output *output)
{
    graze_model_detail detail = {0};
    char triangles[TEXT_BYTES], forward[TEXT_BYTES], backward[TEXT_BYTES];
    graze_status status = graze_model_stream_coarse(model, error, &output->sink, &detail);
    output->detail = &detail;
    int code = output_close(output, arguments, status);
    if (code == EXIT_NOTHING_FOUND)
        note(session, "%s %s; the original is within %s of them, and they of it within %s",
             print_count(triangles, detail.triangle_count),
             detail.triangle_count == 1 ? "triangle" : "triangles",
             print_real(forward, detail.forward), print_real(backward, detail.backward));
    return code;
}

// All triangles, bit for bit.
static int export_all(const cmd_arguments *arguments, graze_model *model, cmd_output *output)
{
    static const graze_model_detail same = {0};
    output->detail = &same;
    return output_close(output, arguments,
                        graze_model_stream(model, memory_for_order(arguments), &output->sink));
}

int command_export(const cmd_arguments *arguments)
{
    cmd_session session;
    cmd_output output = {0};
    graze_model *model = NULL;
    double error = 0;
    bool coarse = is_given(arguments, OPTION_ERROR);
    const char *path = arguments->text[OPTION_OUTPUT];
    int code =
        path != NULL ? check_not_read(arguments, path, arguments->operands[0]) : EXIT_NOTHING_FOUND;
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&session, refuse_scene(&session, arguments->operands[0]));
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&session,
                              graze_model_open(session.context, arguments->operands[0], &model));
    if (code == EXIT_NOTHING_FOUND)
        warn_of_model(&session, arguments->operands[0], model);
    if (code == EXIT_NOTHING_FOUND && coarse)
        code = find_model_error(arguments, model, &error);
    if (code == EXIT_NOTHING_FOUND)
        code = output_open(&output, &session, arguments,
                           coarse ? GRAZE_ORDER_ANY : GRAZE_ORDER_VERTICES_FIRST, false);
    if (code == EXIT_NOTHING_FOUND && coarse)
        code = export_coarse(&session, arguments, model, error, &output);
    else if (code == EXIT_NOTHING_FOUND)
        code = export_all(arguments, model, &output);
    graze_model_free(model);
    session_close(&session);
    return code;
}
