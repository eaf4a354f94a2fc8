// graze build: a mesh file in, a model file out.
#include <stdio.h>

#include "graze/model.h"
#include "json_out.h"
#include "losses.h"
#include "session.h"
#include "terminal.h"
#include "units.h"
#include "written_path.h"

static void report(const cmd_session *session, const char *path, const graze_model_info *info,
                   double seconds, bool as_json)
{
    double each = (double)info->file_bytes / (double)info->triangle_count;
    if (as_json) {
        cmd_json json = {.file = stdout};
        json_open(&json, NULL, '{');
        json_text(&json, "file", path);
        json_count(&json, "bytes", info->file_bytes);
        json_count(&json, "triangles", info->triangle_count);
        json_count(&json, "object_count", info->object_count);
        json_count(&json, "clusters", info->cluster_count);
        put_losses(&json, "losses", &info->losses);
        json_real(&json, "bytes_a_triangle", each);
        json_real(&json, "seconds", seconds);
        json_close(&json, '}');
        json_end_line(&json);
        return;
    }
    char size[TEXT_BYTES], triangles[TEXT_BYTES], clusters[TEXT_BYTES], ratio[TEXT_BYTES] = "";
    if (info->triangle_count != 0)
        snprintf(ratio, sizeof ratio, ", %.2f bytes a triangle", each);
    note(session, "wrote %s, %s, from %s %s in %s %s%s; %.1f s", path,
         print_bytes(size, info->file_bytes), print_count(triangles, info->triangle_count),
         info->triangle_count == 1 ? "triangle" : "triangles",
         print_count(clusters, info->cluster_count),
         info->cluster_count == 1 ? "cluster" : "clusters", ratio, seconds);
}

static int build(cmd_session *session, const cmd_arguments *arguments, const char *path)
{
    graze_model_build_def def = graze_model_build_def_default();
    def.memory_bytes = arguments->number[OPTION_MEMORY];
    graze_mesh_read_def read = graze_mesh_read_def_default();
    read.metres_per_unit = arguments->metres;
    def.read = &read;
    def.no_levels = is_given(arguments, OPTION_NO_LEVELS);
    graze_model *model = NULL;
    double begun = now_seconds();
    graze_status status =
        graze_model_build(session->context, input_path(arguments->operands[0]), path, &def);
    double seconds = now_seconds() - begun;
    if (status == GRAZE_OK)
        status = graze_model_open(session->context, path, &model);
    int code = session_result(session, status);
    if (code == EXIT_NOTHING_FOUND) {
        graze_model_info info = graze_model_get_info(model);
        report(session, path, &info, seconds, is_given(arguments, OPTION_JSON));
    }
    graze_model_free(model);
    return code;
}

int command_build(const cmd_arguments *arguments)
{
    cmd_session session;
    const char *path = arguments->text[OPTION_OUTPUT];
    if (path == NULL)
        return usage_error(arguments->command, "build needs a file to write: -o FILE");
    int code = check_not_read(arguments, path, arguments->operands[0]);
    if (code == EXIT_NOTHING_FOUND)
        code = check_ending(arguments, path, "a model", ".graze");
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = check_is_no_model(&session, arguments->operands[0]);
    if (code == EXIT_NOTHING_FOUND)
        code = build(&session, arguments, path);
    session_close(&session);
    return code;
}
