// graze build: a mesh file in, a model file out; files with several objects in, a scene file out.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "json_out.h"
#include "losses.h"
#include "scene_files.h"
#include "terminal.h"
#include "units.h"
#include "written_path.h"

// --- Models

static void report_model(const cmd_session *session, const char *path, const graze_model_info *info,
                         double seconds, bool as_json)
{
    double each = (double)info->file_bytes / (double)info->triangle_count;
    if (as_json) {
        cmd_json json = {.file = stdout};
        json_open(&json, NULL, '{');
        json_text(&json, "file", path);
        json_text(&json, "format", "model");
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

static int build_model(cmd_session *session, const cmd_arguments *arguments, const char *path)
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
        if (info.object_count > 1 && !is_given(arguments, OPTION_ONE))
            note(session, "warning: %s can be read only once, so that all of it is one model",
                 strcmp(arguments->operands[0], "-") == 0 ? "standard input"
                                                          : arguments->operands[0]);
        report_model(session, path, &info, seconds, is_given(arguments, OPTION_JSON));
    }
    graze_model_free(model);
    return code;
}

// --- Scenes

static void report_scene(const cmd_session *session, const char *path, const graze_scene_info *info,
                         double seconds, bool as_json)
{
    double each = (double)info->file_bytes / (double)info->stored_count;
    if (as_json) {
        cmd_json json = {.file = stdout};
        json_open(&json, NULL, '{');
        json_text(&json, "file", path);
        json_text(&json, "format", "scene");
        json_count(&json, "bytes", info->file_bytes);
        json_count(&json, "triangles", info->triangle_count);
        json_count(&json, "stored_triangles", info->stored_count);
        json_count(&json, "object_count", info->object_count);
        json_count(&json, "shapes", info->shape_count);
        put_losses(&json, "losses", &info->losses);
        json_real(&json, "bytes_a_triangle", each);
        json_real(&json, "seconds", seconds);
        json_close(&json, '}');
        json_end_line(&json);
        return;
    }
    char size[TEXT_BYTES], objects[TEXT_BYTES], shapes[TEXT_BYTES], triangles[TEXT_BYTES];
    char stored[TEXT_BYTES], ratio[TEXT_BYTES] = "";
    if (info->stored_count != 0)
        snprintf(ratio, sizeof ratio, ", %.2f bytes a triangle", each);
    note(session, "wrote %s, %s, a scene: %s %s with %s %s, %s %s, %s of them stored%s; %.1f s",
         path, print_bytes(size, info->file_bytes), print_count(objects, info->object_count),
         info->object_count == 1 ? "object" : "objects", print_count(shapes, info->shape_count),
         info->shape_count == 1 ? "shape" : "shapes", print_count(triangles, info->triangle_count),
         info->triangle_count == 1 ? "triangle" : "triangles",
         print_count(stored, info->stored_count), ratio, seconds);
}

// Each of several files is a group, which is called as the file is.
static graze_status list_sources(const cmd_arguments *arguments, graze_scene_source *sources,
                                 char **groups)
{
    for (int i = 0; i < arguments->operand_count; ++i) {
        const char *operand = arguments->operands[i];
        sources[i].path = input_path(operand);
        if (arguments->operand_count == 1)
            continue;
        groups[i] = file_stem(strcmp(operand, "-") == 0 ? "stdin" : operand);
        if (groups[i] == NULL)
            return GRAZE_ERROR_MEMORY;
        sources[i].group = groups[i];
    }
    return GRAZE_OK;
}

static graze_status write_scene(const cmd_session *session, const cmd_arguments *arguments,
                                const char *path)
{
    graze_scene_build_def def = graze_scene_build_def_default();
    graze_mesh_read_def read = graze_mesh_read_def_default();
    size_t count = (size_t)arguments->operand_count;
    graze_scene_source *sources = calloc(count, sizeof *sources);
    char **groups = calloc(count, sizeof *groups);
    read.metres_per_unit = arguments->metres;
    def.memory_bytes = arguments->number[OPTION_MEMORY];
    def.read = &read;
    def.no_levels = is_given(arguments, OPTION_NO_LEVELS);
    graze_status status = sources == NULL || groups == NULL
                              ? GRAZE_ERROR_MEMORY
                              : list_sources(arguments, sources, groups);
    if (status == GRAZE_OK)
        status = graze_scene_build(session->context, sources, (uint32_t)count, path, &def);
    for (size_t i = 0; groups != NULL && i < count; ++i)
        free(groups[i]);
    free(groups);
    free(sources);
    return status;
}

static int build_scene(cmd_session *session, const cmd_arguments *arguments, const char *path)
{
    graze_scene *scene = NULL;
    double begun = now_seconds();
    graze_status status = write_scene(session, arguments, path);
    double seconds = now_seconds() - begun;
    if (status == GRAZE_OK)
        status = open_scene(session->context, path, &scene);
    int code = session_result(session, status);
    if (code == EXIT_NOTHING_FOUND) {
        graze_scene_info info = graze_scene_get_info(scene);
        warn_of_empty_objects(session, scene);
        report_scene(session, path, &info, seconds, is_given(arguments, OPTION_JSON));
    }
    graze_scene_free(scene);
    return code;
}

// --- Which of the two

// A folder, or a manifest by its name.
static bool is_many_files(const char *operand)
{
    struct stat about;
    size_t length = strlen(operand);
    return (stat(operand, &about) == 0 && S_ISDIR(about.st_mode)) ||
           (length > 5 && strcasecmp(operand + length - 5, ".json") == 0);
}

static int check_one(const cmd_arguments *arguments)
{
    int from_input = 0;
    for (int i = 0; i < arguments->operand_count; ++i)
        from_input += strcmp(arguments->operands[i], "-") == 0;
    if (from_input > 1)
        return usage_error(arguments->command, "standard input can only be read once");
    if (is_given(arguments, OPTION_ONE) &&
        (arguments->operand_count > 1 || is_many_files(arguments->operands[0])))
        return usage_error(arguments->command, "--one makes a model of one mesh file");
    return EXIT_NOTHING_FOUND;
}

// What can be read only once is not looked at before.
static bool wants_scene(cmd_session *session, const cmd_arguments *arguments)
{
    struct stat about;
    const char *path = input_path(arguments->operands[0]);
    if (is_given(arguments, OPTION_ONE))
        return false;
    if (arguments->operand_count > 1 || is_many_files(path))
        return true;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && has_several_objects(session, path);
}

int command_build(const cmd_arguments *arguments)
{
    cmd_session session;
    const char *path = arguments->text[OPTION_OUTPUT];
    if (path == NULL)
        return usage_error(arguments->command, "build needs a file to write: -o FILE");
    int code = check_one(arguments);
    for (int i = 0; i < arguments->operand_count && code == EXIT_NOTHING_FOUND; ++i)
        code = check_not_read(arguments, path, arguments->operands[i]);
    if (code == EXIT_NOTHING_FOUND)
        code = check_ending(arguments, path, "a model or a scene", ".graze");
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = session_open(&session, arguments);
    for (int i = 0; i < arguments->operand_count && code == EXIT_NOTHING_FOUND; ++i)
        code = check_is_no_model(&session, arguments->operands[i]);
    if (code == EXIT_NOTHING_FOUND)
        code = (wants_scene(&session, arguments) ? build_scene : build_model)(&session, arguments,
                                                                              path);
    session_close(&session);
    return code;
}
