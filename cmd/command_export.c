// graze export: a model file in, the mesh that it was built from out.
#include "graze/model.h"
#include "output.h"

// What is allowed is for the writer, too, which may hold the whole mesh.
static uint64_t memory_for_order(const cmd_arguments *arguments)
{
    return arguments->number[OPTION_MEMORY] / 4;
}

int command_export(const cmd_arguments *arguments)
{
    cmd_session session;
    cmd_output output = {0};
    graze_model *model = NULL;
    int code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&session,
                              graze_model_open(session.context, arguments->operands[0], &model));
    if (code == EXIT_NOTHING_FOUND)
        code = output_open(&output, &session, arguments, GRAZE_ORDER_VERTICES_FIRST, false);
    if (code == EXIT_NOTHING_FOUND)
        code = output_close(&output, arguments,
                            graze_model_stream(model, memory_for_order(arguments), &output.sink));
    graze_model_free(model);
    session_close(&session);
    return code;
}
