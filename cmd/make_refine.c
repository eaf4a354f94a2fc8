// graze make refine: a mesh file in, a finer one out. See refine.h.
#include "make_scene.h"
#include "output.h"
#include "refine.h"
#include "units.h"
#include "written_path.h"

// From the command line to what is to be made. Returns the exit code.
static int take_def(const cmd_arguments *arguments, generator_refine_def *def)
{
    *def = (generator_refine_def){
        .factor = arguments->number[OPTION_FACTOR],
        .triangle_count = arguments->number[OPTION_TRIANGLES],
        .seed = arguments->number[OPTION_SEED],
        .relief = GENERATOR_REFINE_RELIEF,
        .precision = is_given(arguments, OPTION_DOUBLE) ? GRAZE_FLOAT64 : 0,
    };
    if (arguments->operand_count < 2)
        return usage_error(arguments->command, "refine needs a file to refine");
    if (is_given(arguments, OPTION_FACTOR) && is_given(arguments, OPTION_TRIANGLES))
        return usage_error(arguments->command, "refine takes --factor or --triangles, not both");
    for (int i = 0; i < 2; ++i) {
        option_id id = i == 0 ? OPTION_FACTOR : OPTION_TRIANGLES;
        uint64_t number = arguments->number[id];
        if (is_given(arguments, id) && (number == 0 || number > GENERATOR_REFINE_TRIANGLES))
            return usage_error(arguments->command, "--%s takes a number from 1 to 1099511627776",
                               options[id].name);
    }
    if (is_given(arguments, OPTION_RELIEF))
        parse_share(arguments->text[OPTION_RELIEF], &def->relief);
    return EXIT_NOTHING_FOUND;
}

// The mesh as it stands in the world.
static graze_status read_mesh(cmd_session *session, const cmd_arguments *arguments,
                              graze_mesh **mesh, graze_mesh_losses *losses)
{
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.metres_per_unit = arguments->metres;
    graze_mesh *read = NULL;
    graze_status status =
        graze_mesh_read(session->context, input_path(arguments->operands[1]), &def, &read);
    if (status != GRAZE_OK)
        return status;
    *losses = graze_mesh_get_losses(read);
    graze_mesh_view view = graze_mesh_get(read);
    bool as_it_is = true; // a copy would take its size once more
    for (uint64_t i = 0, next = 0; i < view.object_count && as_it_is; ++i) {
        as_it_is = view.objects[i].placed == 0 && view.objects[i].first_triangle >= next;
        next = view.objects[i].first_triangle + view.objects[i].triangle_count;
    }
    if (as_it_is) {
        *mesh = read;
        return GRAZE_OK;
    }
    status = graze_mesh_flatten(session->context, &view, mesh);
    graze_mesh_free(read);
    return status;
}

// What the memory that was allowed leaves for the tables, beside the mesh and what writing takes.
static int limit_tables(cmd_session *session, const cmd_arguments *arguments,
                        generator_refine_def *def)
{
    if (!is_given(arguments, OPTION_MEMORY))
        return EXIT_NOTHING_FOUND;
    uint64_t limit = arguments->number[OPTION_MEMORY], spare = limit / 4;
    uint64_t used = graze_context_memory(session->context).current_bytes;
    def->memory_byte_limit = limit - spare > used ? limit - spare - used : 1;
    return EXIT_NOTHING_FOUND;
}

// The scenes have no log: what they return becomes a sentence here.
static void explain(cmd_session *session, const cmd_arguments *arguments, graze_status status)
{
    const char *path = arguments->operands[1];
    if (session->error_said)
        return;
    if (status == GRAZE_ERROR_FORMAT)
        session_error(session, "%s: there are no triangles to refine", path);
    else if (status == GRAZE_ERROR_ARGUMENT)
        session_error(session, "%s: more than 1099511627776 triangles would come out", path);
    else if (status == GRAZE_ERROR_MEMORY)
        session_error(session, "%s: the memory is not enough for the tables of its edges", path);
    else if (status == GRAZE_ERROR_UNSUPPORTED)
        session_error(session,
                      "%s: too many triangles, or coordinates too large for their precision", path);
}

static int refine(cmd_session *session, const cmd_arguments *arguments, generator_refine_def *def)
{
    cmd_output output = {0};
    graze_mesh *mesh = NULL;
    graze_mesh_losses losses = {0};
    int code = check_is_no_model(session, arguments->operands[1]);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(session, read_mesh(session, arguments, &mesh, &losses));
    if (code == EXIT_NOTHING_FOUND)
        code = limit_tables(session, arguments, def);
    if (code == EXIT_NOTHING_FOUND)
        code = output_open(&output, session, arguments, GRAZE_ORDER_VERTICES_FIRST, true);
    if (code == EXIT_NOTHING_FOUND) {
        graze_mesh_view view = graze_mesh_get(mesh);
        output.losses = losses;
        graze_status status = generator_refine_stream(&view, def, &output.sink);
        explain(session, arguments, status);
        code = output_close(&output, arguments, status);
    }
    graze_mesh_free(mesh);
    return code;
}

int make_refine(const cmd_arguments *arguments)
{
    generator_refine_def def;
    cmd_session session = {0};
    int code = take_def(arguments, &def);
    if (code == EXIT_NOTHING_FOUND && is_given(arguments, OPTION_OUTPUT))
        code = check_not_read(arguments, arguments->text[OPTION_OUTPUT], arguments->operands[1]);
    if (code == EXIT_NOTHING_FOUND)
        code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = refine(&session, arguments, &def);
    session_close(&session);
    return code;
}
