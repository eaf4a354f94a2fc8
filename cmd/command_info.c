// graze info: what is in mesh files, and what is wrong with them; what is in model and scene files.
#include <stdio.h>
#include <string.h>

#include "json_out.h"
#include "lay_out.h"
#include "losses.h"
#include "report.h"
#include "scene_files.h"
#include "session.h"
#include "terminal.h"

// Reads the file again, whole, and builds its shape.
static graze_status build_shape(cmd_session *session, const cmd_arguments *arguments,
                                const char *path, shape_report *report)
{
    graze_mesh *mesh = NULL;
    graze_shape *shape = NULL;
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.metres_per_unit = arguments->metres;
    graze_status status = graze_mesh_read(session->context, path, &def, &mesh);
    if (status == GRAZE_OK)
        status = lay_out(session->context, &mesh, 1.0);
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        graze_shape_def shape_def = shape_def_of(arguments);
        double begun = now_seconds();
        status = graze_shape_create(session->context, &view, &shape_def, &shape);
        report->layout = shape_def.layout;
        report->build_seconds = now_seconds() - begun;
        report->mesh_bytes = view.vertex_count * 3 * (uint64_t)view.precision +
                             view.triangle_count * 3 * sizeof *view.corners;
    }
    if (status == GRAZE_OK)
        report->info = graze_shape_get_info(shape);
    graze_shape_free(shape);
    graze_mesh_free(mesh);
    return status;
}

static int inspect(cmd_session *session, const cmd_arguments *arguments, const char *path)
{
    graze_inspect_def def = graze_inspect_def_default();
    def.counts_only = is_given(arguments, OPTION_COUNTS_ONLY);
    def.memory_byte_limit = arguments->number[OPTION_MEMORY];
    graze_mesh_read_def read = graze_mesh_read_def_default();
    read.metres_per_unit = arguments->metres;
    def.read = &read;
    graze_mesh_report *report = NULL;
    session_forget_error(session);
    graze_status status = graze_mesh_inspect(session->context, input_path(path), &def, &report);
    bool as_json = is_given(arguments, OPTION_JSON), objects = is_given(arguments, OPTION_OBJECTS);
    shape_report made = {.build_seconds = 0.0}, *shape = NULL;
    if (status == GRAZE_OK && is_given(arguments, OPTION_SHAPE)) {
        status = build_shape(session, arguments, path, &made);
        shape = &made;
    }
    int code = session_result(session, status);
    if (code != EXIT_NOTHING_FOUND && as_json)
        json_error_line(path, session->last_error);
    else if (code == EXIT_NOTHING_FOUND && as_json)
        print_json_report(path, report, shape, objects);
    else if (code == EXIT_NOTHING_FOUND)
        print_report(path, report, shape, objects);
    graze_mesh_report_free(session->context, report);
    return code;
}

static int describe_model(cmd_session *session, const cmd_arguments *arguments, const char *path)
{
    bool as_json = is_given(arguments, OPTION_JSON);
    graze_model *model = NULL;
    if (is_given(arguments, OPTION_SHAPE))
        return usage_error(arguments->command, "--shape is for meshes, and %s is a model", path);
    session_forget_error(session);
    graze_status status = graze_model_open(session->context, path, &model);
    if (status == GRAZE_OK)
        warn_of_model(session, path, model);
    if (status == GRAZE_OK)
        status = print_model_report(path, model, as_json, is_given(arguments, OPTION_OBJECTS));
    graze_model_free(model);
    int code = session_result(session, status);
    if (code != EXIT_NOTHING_FOUND && as_json)
        json_error_line(path, session->last_error);
    return code;
}

static int describe_scene(cmd_session *session, const cmd_arguments *arguments, const char *path)
{
    bool as_json = is_given(arguments, OPTION_JSON);
    graze_scene *scene = NULL;
    if (is_given(arguments, OPTION_SHAPE))
        return usage_error(arguments->command, "--shape is for meshes, and %s is a scene", path);
    session_forget_error(session);
    int code = session_result(session, open_scene(session->context, path, &scene));
    if (code == EXIT_NOTHING_FOUND)
        print_scene_report(path, scene, as_json, is_given(arguments, OPTION_OBJECTS));
    else if (as_json)
        json_error_line(path, session->last_error);
    graze_scene_free(scene);
    return code;
}

int command_info(const cmd_arguments *arguments)
{
    cmd_session session;
    for (int i = 0; i < arguments->operand_count; ++i)
        if (is_given(arguments, OPTION_SHAPE) && strcmp(arguments->operands[i], "-") == 0)
            return usage_error(arguments->command,
                               "--shape reads a file twice, which standard input cannot be");
    int worst = session_open(&session, arguments);
    if (worst == EXIT_NOTHING_FOUND) {
        for (int i = 0; i < arguments->operand_count && !is_stopped(); ++i) {
            if (i > 0 && !is_given(arguments, OPTION_JSON))
                puts("");
            const char *path = arguments->operands[i];
            int code = graze_scene_recognise(path) != 0 ? describe_scene(&session, arguments, path)
                       : graze_model_recognise(path) != 0
                           ? describe_model(&session, arguments, path)
                           : inspect(&session, arguments, path);
            worst = code > worst ? code : worst;
        }
    }
    session_close(&session);
    return worst;
}
