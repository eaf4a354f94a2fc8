// graze detail: the contact detail of a mesh file, built, told about, and saved.
#include <stdio.h>

#include "graze/contact_detail.h"
#include "json_out.h"
#include "session.h"
#include "terminal.h"
#include "units.h"
#include "written_path.h"

static void put_detail(const char *path, const graze_contact_detail_info *info)
{
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", path);
    json_count(&json, "triangles", info->triangle_count);
    json_count(&json, "hulls", info->hull_count);
    json_count(&json, "depth", info->depth);
    json_count(&json, "bytes", info->byte_count);
    json_bool(&json, "closed", info->closed != 0);
    json_real(&json, "radius", info->radius);
    json_open(&json, "levels", '[');
    for (uint32_t i = 0; i < info->level_count; ++i) {
        json_open(&json, NULL, '{');
        json_count(&json, "hulls", info->levels[i].hull_count);
        json_count(&json, "triangles", info->levels[i].triangle_count);
        json_real(&json, "deviation", info->levels[i].deviation);
        json_real(&json, "resolution", info->levels[i].resolution);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    json_end_line(&json);
}

static void print_detail(const char *path, const graze_contact_detail_info *info)
{
    char count[TEXT_BYTES], hulls[TEXT_BYTES], bytes[TEXT_BYTES];
    print_clean(stdout, path, 0);
    printf(": %s %s, %s\n", print_count(count, info->triangle_count),
           info->triangle_count == 1 ? "triangle" : "triangles",
           info->closed != 0 ? "closed" : "open");
    printf("  %s %s in %u levels, of which %u are surfaces; %s\n",
           print_count(hulls, info->hull_count), info->hull_count == 1 ? "hull" : "hulls",
           info->depth, info->level_count, print_bytes(bytes, info->byte_count));
    printf("  level    hulls  triangles  deviation\n");
    for (uint32_t i = 0; i < info->level_count; ++i)
        printf("  %5u %8s %10s  %.2g\n", i, print_count(hulls, info->levels[i].hull_count),
               print_count(count, info->levels[i].triangle_count), info->levels[i].deviation);
}

static graze_status read_and_build(const cmd_session *session, const cmd_arguments *arguments,
                                   graze_contact_detail **detail)
{
    graze_mesh *mesh = NULL;
    graze_status status =
        graze_mesh_read(session->context, input_path(arguments->operands[0]), NULL, &mesh);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_contact_detail_def def = graze_contact_detail_def_default();
    def.no_simplify = is_given(arguments, OPTION_NO_LEVELS);
    status = graze_contact_detail_build(session->context, &view, &def, detail);
    graze_mesh_free(mesh);
    return status;
}

int command_detail(const cmd_arguments *arguments)
{
    cmd_session session;
    graze_contact_detail *detail = NULL;
    const char *path = arguments->text[OPTION_OUTPUT];
    int code =
        path != NULL ? check_not_read(arguments, path, arguments->operands[0]) : EXIT_NOTHING_FOUND;
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&session, read_and_build(&session, arguments, &detail));
    if (code == EXIT_NOTHING_FOUND && path != NULL)
        code = session_result(&session, graze_contact_detail_save(detail, path));
    if (code == EXIT_NOTHING_FOUND) {
        graze_contact_detail_info info;
        graze_contact_detail_get_info(detail, &info);
        (is_given(arguments, OPTION_JSON) ? put_detail : print_detail)(arguments->operands[0],
                                                                       &info);
    }
    graze_contact_detail_free(detail);
    session_close(&session);
    return code;
}
