// graze cull: frames of things that deform, one a file, and which of their triangles meet in each.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cull_ask.h"
#include "cull_print.h"
#include "frame_list.h"
#include "scene_files.h"
#include "terminal.h"
#include "units.h"
#include "written_path.h"

#define OWN_PART 8 // of the memory that is allowed: for arrays that no context counts

typedef struct cull_run {
    cmd_session session;
    const cmd_arguments *arguments;
    frame_list list;
    frame_objects objects; // of the frame at hand
    graze_cull *cull;
    graze_cull_frame_def def;
    double metres_per_unit; // of all frames
    bool begun;             // a frame was read: the unit and the tolerance are known
    bool unit_said;
    cull_printer printer;
    cull_totals totals;
} cull_run;

// --- Options

static int check_options(const cmd_arguments *arguments)
{
    int from_input = 0;
    bool csv = is_given(arguments, OPTION_CSV);
    if (is_given(arguments, OPTION_JSON) && csv)
        return usage_error(arguments->command, "--json and --csv cannot go together");
    if (csv && is_given(arguments, OPTION_ALL) && is_given(arguments, OPTION_STATS))
        return usage_error(arguments->command,
                           "--csv has a row a frame with --stats and a row a pair with --all: not "
                           "both");
    if (is_given(arguments, OPTION_LIMIT) && arguments->number[OPTION_LIMIT] == 0)
        return usage_error(arguments->command, "--limit takes a number from 1");
    for (int i = 0; i < arguments->operand_count; ++i)
        from_input += strcmp(arguments->operands[i], "-") == 0;
    if (from_input > 1)
        return usage_error(arguments->command, "standard input can only be read once");
    return check_cull_options(arguments);
}

// --- Frames

static const char *unit_text(double metres_per_unit, char text[TEXT_BYTES])
{
    char number[TEXT_BYTES];
    if (unit_name(metres_per_unit) != NULL)
        return unit_name(metres_per_unit);
    snprintf(text, TEXT_BYTES, "units of %.30s m", print_real(number, metres_per_unit));
    return text;
}

// The first frame says which unit all have.
static int begin(cull_run *run, const char *path)
{
    char unit[TEXT_BYTES];
    double metres = run->objects.metres_per_unit;
    if (run->begun) {
        if (metres != run->metres_per_unit && !run->unit_said) {
            run->unit_said = true;
            if (metres == 0.0 || run->metres_per_unit == 0.0)
                note(&run->session, "warning: %s %s, unlike the first frame; taken for the same",
                     path, metres == 0.0 ? "does not say its unit" : "says its unit");
            else
                note(&run->session, "%s is in %s: brought to the unit of the first frame", path,
                     unit_text(metres, unit));
        }
        return EXIT_NOTHING_FOUND;
    }
    run->begun = true;
    run->metres_per_unit = metres;
    if (run->objects.count <= 1 && run->def.self == 0)
        note(
            &run->session,
            "warning: %s has %s, which can meet no other one; --self asks about each object itself",
            path, run->objects.count == 1 ? "one object" : "no object");
    return take_cull_tolerance(run->arguments, metres, &run->def);
}

static int read_frame(cull_run *run, const char *path)
{
    if (graze_scene_recognise(input_path(path)) != 0 ||
        graze_model_recognise(input_path(path)) != 0) {
        session_error(&run->session,
                      "%s: this is a model or a scene, not a mesh: frames are meshes", path);
        return EXIT_BAD_INPUT;
    }
    graze_status status =
        read_frame_objects(&run->session, run->arguments, path,
                           run->begun ? run->metres_per_unit : 0.0, &run->objects);
    int code = session_result(&run->session, status);
    if (status != GRAZE_OK) // what the command line asked for was checked before
        return code == EXIT_USAGE ? EXIT_BAD_INPUT : code;
    return begin(run, path);
}

static void add_frame(cull_run *run, const cull_frame_result *result)
{
    const graze_cull_answer *answer = result->answer;
    cull_totals *totals = &run->totals;
    ++totals->answered_count;
    totals->contact_count += answer->verdict == GRAZE_CONTACT;
    totals->incomplete_count += answer->complete == 0;
    totals->refused_count += answer->refused_count;
    totals->object_pairs += answer->object_pair_count;
    totals->pairs += answer->pair_count;
    totals->engine = answer->engine;
    totals->read_seconds += result->read_seconds;
    totals->seconds += result->seconds;
    if (result->objects->triangle_count > totals->most_triangles)
        totals->most_triangles = result->objects->triangle_count;
}

// All others were answered: the code says that these were not.
static int name_refused(cull_run *run, const char *path, const graze_cull_answer *answer)
{
    for (uint64_t i = 0; i < answer->refused_count; ++i)
        say("%s: \"%s\" was left out: it has a coordinate that is not finite", path,
            run->objects.names[answer->refused[i]]);
    if (answer->refused_count != 0)
        return EXIT_BAD_INPUT;
    return answer->verdict == GRAZE_APART ? EXIT_NOTHING_FOUND : EXIT_FOUND;
}

static int ask_frame(cull_run *run, uint32_t number, const char *path)
{
    graze_cull_answer answer;
    double begun = now_seconds();
    int code = read_frame(run, path);
    double asked = now_seconds();
    if (code != EXIT_NOTHING_FOUND)
        return code;
    graze_status status =
        graze_cull_frame(run->cull, run->objects.views, run->objects.count, &run->def, &answer);
    cull_frame_result result = {.number = number,
                                .path = path,
                                .objects = &run->objects,
                                .answer = &answer,
                                .read_seconds = asked - begun,
                                .seconds = now_seconds() - asked};
    if (status != GRAZE_OK) {
        int failure = session_result(&run->session, status);
        if (failure != EXIT_STOPPED)
            say("%s: this frame was not answered", path);
        return failure;
    }
    add_frame(run, &result);
    print_cull_frame(&run->printer, &result);
    return name_refused(run, path, &answer);
}

// Whatever is wrong with one frame, the others are answered.
static int ask_all(cull_run *run)
{
    int worst = EXIT_NOTHING_FOUND;
    run->session.own_bar = run->list.count > 1;
    run->totals.frame_count = run->list.count;
    print_cull_names(&run->printer);
    for (uint32_t i = 0; i < run->list.count; ++i) {
        const char *path = run->list.paths[i];
        if (run->session.own_bar)
            bar_update(&(graze_progress){"frames", "frames", i, run->list.count});
        session_forget_error(&run->session);
        int code = is_stopped() ? session_result(&run->session, GRAZE_ERROR_CANCELLED)
                                : ask_frame(run, i + 1, path);
        if (code == EXIT_USAGE)
            return code;
        if (code > EXIT_USAGE && run->session.error_said)
            print_cull_failure(&run->printer, i + 1, path, run->session.last_error);
        free_frame_objects(&run->objects);
        worst = code > worst ? code : worst;
        if (ferror(stdout) != 0)
            return EXIT_RESOURCES; // main says why
        if (code == EXIT_STOPPED)
            break;
    }
    bar_clear();
    print_cull_totals(&run->printer, &run->totals);
    if (run->printer.form == CULL_CSV) {
        char summary[CULL_SUMMARY_BYTES];
        summarize_cull(summary, &run->totals);
        note(&run->session, "%s", summary);
    }
    return worst;
}

int command_cull(const cmd_arguments *arguments)
{
    cull_run run = {.arguments = arguments};
    cmd_arguments within = *arguments;
    uint64_t share = 0;
    int code = check_options(arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = share_memory(arguments, "culling", &share);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    run.objects.most_bytes = share / OWN_PART;
    within.number[OPTION_MEMORY] = share - share / OWN_PART;
    run.printer = (cull_printer){.form = is_given(arguments, OPTION_JSON)  ? CULL_JSON
                                         : is_given(arguments, OPTION_CSV) ? CULL_CSV
                                                                           : CULL_TABLE,
                                 .list_triangles = is_given(arguments, OPTION_ALL),
                                 .stats = is_given(arguments, OPTION_STATS)};
    run.def = cull_question(arguments, is_given(arguments, OPTION_ALL) ? GRAZE_COLLECT_PAIRS
                                                                       : GRAZE_COLLECT_COUNT);
    code = session_open(&run.session, &within);
    run.session.tells_notes = run.printer.stats;
    if (code == EXIT_NOTHING_FOUND)
        code = take_frame_list(&run.session, arguments, &run.list);
    if (code == EXIT_NOTHING_FOUND)
        code = open_culler(&run.session, arguments, &run.cull);
    if (code == EXIT_NOTHING_FOUND)
        code = ask_all(&run);
    free_frame_objects(&run.objects);
    free_frame_list(&run.list);
    graze_cull_free(run.cull);
    session_close(&run.session);
    return code;
}
