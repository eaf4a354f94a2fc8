// graze check: whether model and scene files are as they were written.
#include <stdio.h>

#include "graze/scene.h"
#include "json_out.h"
#include "session.h"
#include "terminal.h"
#include "units.h"

static void put_result(const char *path, const graze_model_info *info,
                       const graze_model_report *report, bool sound)
{
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", path);
    json_bool(&json, "sound", sound);
    json_count(&json, "pages", info->page_count);
    json_count(&json, "pages_checked", report->pages_checked);
    json_count(&json, "pages_damaged", report->pages_damaged);
    if (report->pages_damaged != 0)
        json_count(&json, "first_damaged", report->first_damaged);
    else
        json_null(&json, "first_damaged");
    json_count(&json, "triangles", info->triangle_count);
    json_count(&json, "triangles_found", report->triangles_found);
    json_close(&json, '}');
    json_end_line(&json);
}

static void print_result(const char *path, const graze_model_info *info,
                         const graze_model_report *report, bool sound)
{
    char pages[TEXT_BYTES], some[TEXT_BYTES], triangles[TEXT_BYTES];
    print_clean(stdout, path, 0);
    if (sound)
        printf(": sound: %s %s, %s %s\n", print_count(pages, info->page_count),
               info->page_count == 1 ? "page" : "pages",
               print_count(triangles, info->triangle_count),
               info->triangle_count == 1 ? "triangle" : "triangles");
    else
        printf(": damaged: %s of %s %s\n", print_count(some, report->pages_damaged),
               print_count(pages, info->page_count), info->page_count == 1 ? "page" : "pages");
}

static int check(cmd_session *session, const cmd_arguments *arguments, const char *path)
{
    bool as_json = is_given(arguments, OPTION_JSON);
    graze_model *model = NULL;
    graze_model_report report = {0};
    session_forget_error(session);
    graze_status opened = graze_model_open(session->context, path, &model);
    graze_status status = opened == GRAZE_OK ? graze_model_check(model, &report) : opened;
    int code = session_result(session, status);
    // What is damaged was looked at to the end; what was stopped was not.
    if (opened == GRAZE_OK && (code == EXIT_NOTHING_FOUND || code == EXIT_BAD_INPUT)) {
        graze_model_info info = graze_model_get_info(model);
        (as_json ? put_result : print_result)(path, &info, &report, code == EXIT_NOTHING_FOUND);
    } else if (as_json) {
        json_error_line(path, session->last_error);
    }
    graze_model_free(model);
    return code;
}

static void put_scene(const char *path, const graze_scene_report *report, bool sound)
{
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", path);
    json_bool(&json, "sound", sound);
    json_count(&json, "objects", report->object_count);
    json_count(&json, "shapes", report->shape_count);
    json_count(&json, "shapes_damaged", report->shapes_damaged);
    json_count(&json, "triangles", report->stored_count);
    json_close(&json, '}');
    json_end_line(&json);
}

static void print_scene(const char *path, const graze_scene_report *report, bool sound)
{
    char objects[TEXT_BYTES], shapes[TEXT_BYTES], triangles[TEXT_BYTES];
    const char *noun = report->shape_count == 1 ? "shape" : "shapes";
    print_clean(stdout, path, 0);
    if (sound)
        printf(": sound: %s %s, %s %s, %s %s\n", print_count(objects, report->object_count),
               report->object_count == 1 ? "object" : "objects",
               print_count(shapes, report->shape_count), noun,
               print_count(triangles, report->stored_count),
               report->stored_count == 1 ? "triangle" : "triangles");
    else
        printf(": damaged: %s of %s %s\n", print_count(objects, report->shapes_damaged),
               print_count(shapes, report->shape_count), noun);
}

static int check_scene(cmd_session *session, const cmd_arguments *arguments, const char *path)
{
    bool as_json = is_given(arguments, OPTION_JSON);
    graze_scene_report report;
    session_forget_error(session);
    int code = session_result(session, graze_scene_check(session->context, path, &report));
    bool sound = code == EXIT_NOTHING_FOUND;
    if (sound || (code == EXIT_BAD_INPUT && report.shapes_damaged != 0))
        (as_json ? put_scene : print_scene)(path, &report, sound);
    else if (as_json)
        json_error_line(path, session->last_error);
    return code;
}

int command_check(const cmd_arguments *arguments)
{
    cmd_session session;
    int worst = session_open(&session, arguments);
    for (int i = 0; session.context != NULL && i < arguments->operand_count && !is_stopped(); ++i) {
        const char *path = arguments->operands[i];
        int code = graze_scene_recognise(path) != 0 ? check_scene(&session, arguments, path)
                                                    : check(&session, arguments, path);
        worst = code > worst ? code : worst;
    }
    session_close(&session);
    return worst;
}
