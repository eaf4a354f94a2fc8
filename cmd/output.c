// See output.h.
#include "output.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "json_out.h"
#include "losses.h"
#include "terminal.h"
#include "units.h"

// Shows how far the making has come, and asks whether to go on. A reader does so by itself.
static graze_status go_on(cmd_output *output, const char *unit, uint64_t done, uint64_t total)
{
    if (!output->making)
        return GRAZE_OK;
    if (is_stopped())
        return GRAZE_ERROR_CANCELLED;
    bar_update(&(graze_progress){unit, unit, done, total});
    return GRAZE_OK;
}

static graze_status pass_begin(void *user, const graze_mesh_header *header)
{
    cmd_output *output = user;
    output->vertices_to_come = header->vertex_count_hint;
    output->triangles_to_come = header->triangle_count_hint;
    return output->file.begin(output->file.user, header);
}

static graze_status pass_vertices(void *user, const void *positions, uint64_t count)
{
    cmd_output *output = user;
    output->vertex_count += count;
    graze_status status = GRAZE_OK;
    if (output->triangle_count == 0) // else it is a soup, and triangles tell
        status = go_on(output, "vertices", output->vertex_count, output->vertices_to_come);
    if (status == GRAZE_OK)
        status = output->file.vertices(output->file.user, positions, count);
    return status;
}

static graze_status pass_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    cmd_output *output = user;
    output->triangle_count += count;
    graze_status status =
        go_on(output, "triangles", output->triangle_count, output->triangles_to_come);
    if (status == GRAZE_OK)
        status = output->file.triangles(output->file.user, corners, count);
    return status;
}

static graze_status pass_object(void *user, const graze_object *object)
{
    cmd_output *output = user;
    ++output->object_count;
    return output->file.object(output->file.user, object);
}

static graze_status pass_end(void *user, const graze_mesh_losses *losses)
{
    cmd_output *output = user;
    if (!output->making)
        output->losses = *losses;
    return output->file.end(output->file.user, losses);
}

static graze_status pass_position(void *user, uint64_t vertex, double out[3])
{
    cmd_output *output = user;
    return output->file.position(output->file.user, vertex, out);
}

int output_open(cmd_output *output, cmd_session *session, const cmd_arguments *arguments,
                graze_mesh_order order, bool making)
{
    *output =
        (cmd_output){.session = session, .path = arguments->text[OPTION_OUTPUT], .making = making};
    if (output->path == NULL)
        return usage_error(arguments->command, "%s needs a file to write: -o FILE",
                           arguments->command->name);
    graze_mesh_write_def def = graze_mesh_write_def_default();
    def.ascii = is_given(arguments, OPTION_ASCII);
    def.big_endian = is_given(arguments, OPTION_BIG_ENDIAN);
    def.order = order;
    graze_status status = graze_mesh_writer_open(session->context, output->path, &def,
                                                 &output->file, &output->writer);
    output->sink = (graze_mesh_sink){
        .user = output,
        .begin = pass_begin,
        .vertices = pass_vertices,
        .triangles = pass_triangles,
        .object = pass_object,
        .end = pass_end,
        .position = output->file.position != NULL ? pass_position : NULL,
    };
    return session_result(session, status);
}

static void report(const cmd_output *output, bool as_json)
{
    struct stat about = {0};
    uint64_t bytes = stat(output->path, &about) == 0 ? (uint64_t)about.st_size : 0;
    if (as_json) {
        cmd_json json = {.file = stdout};
        json_open(&json, NULL, '{');
        json_text(&json, "file", output->path);
        json_count(&json, "bytes", bytes);
        json_count(&json, "vertices", output->vertex_count);
        json_count(&json, "triangles", output->triangle_count);
        json_count(&json, "object_count", output->object_count);
        if (output->detail != NULL) {
            json_real(&json, "forward", output->detail->forward);
            json_real(&json, "backward", output->detail->backward);
        }
        put_losses(&json, "losses", &output->losses);
        json_close(&json, '}');
        json_end_line(&json);
        return;
    }
    char size[TEXT_BYTES], triangles[TEXT_BYTES], vertices[TEXT_BYTES];
    note(output->session, "wrote %s, %s, %s %s %s and %s %s", output->path,
         print_bytes(size, bytes), output->making ? "with" : "from",
         print_count(triangles, output->triangle_count),
         output->triangle_count == 1 ? "triangle" : "triangles",
         print_count(vertices, output->vertex_count),
         output->vertex_count == 1 ? "vertex" : "vertices");
}

int output_close(cmd_output *output, const cmd_arguments *arguments, graze_status status)
{
    if (status == GRAZE_OK)
        status = graze_mesh_writer_commit(output->writer);
    else
        graze_mesh_writer_abandon(output->writer);
    output->writer = NULL;
    int code = session_result(output->session, status);
    if (code == EXIT_NOTHING_FOUND)
        report(output, is_given(arguments, OPTION_JSON));
    return code;
}
