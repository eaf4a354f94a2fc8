// graze convert: a mesh file in, a mesh file out.
#include "output.h"
#include "written_path.h"

int command_convert(const cmd_arguments *arguments)
{
    cmd_session session;
    cmd_output output = {0};
    const char *path = arguments->text[OPTION_OUTPUT], *read = arguments->operands[0];
    int code = path != NULL ? check_not_read(arguments, path, read) : EXIT_NOTHING_FOUND;
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = check_is_no_model(&session, read);
    if (code == EXIT_NOTHING_FOUND)
        code = output_open(&output, &session, arguments, GRAZE_ORDER_ANY, false);
    if (code == EXIT_NOTHING_FOUND) {
        graze_mesh_read_def def = graze_mesh_read_def_default();
        def.metres_per_unit = arguments->metres;
        code =
            output_close(&output, arguments,
                         graze_mesh_stream(session.context, input_path(read), &def, &output.sink));
    }
    session_close(&session);
    return code;
}
