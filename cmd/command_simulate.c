// graze simulate: rigid bodies from a scene, step by step.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "json_out.h"
#include "scene_files.h"
#include "simulate_run.h"
#include "terminal.h"
#include "units.h"
#include "written_path.h"

enum { LEAST_WIDTH = 64, MOST_WIDTH = 16384 };

// --- What the command line says instead of the scene

// METRIC=VALUE.
static int take_metric(simulate_run *run, const char *text)
{
    graze_sim_setting *setting = &run->setting;
    const char *value = strchr(text, '=');
    size_t length = value == NULL ? 0 : (size_t)(value - text);
    bool good = false;
    value = value == NULL ? "" : value + 1;
    if (length == 4 && strncmp(text, "size", length) == 0)
        good = parse_part(value, &setting->def.error_by_size);
    else if ((length == 5 && strncmp(text, "speed", length) == 0) ||
             (length == 8 && strncmp(text, "velocity", length) == 0))
        good = parse_seconds(value, &setting->def.error_by_speed) ||
               (parse_real(value, &setting->def.error_by_speed) && setting->def.error_by_speed > 0);
    else if (length == 5 && strncmp(text, "least", length) == 0)
        good = parse_real(value, &setting->def.least_error) && setting->def.least_error > 0;
    else if (length == 4 && strncmp(text, "view", length) == 0) {
        good = parse_real(value, &setting->camera.pixels) && setting->camera.pixels > 0;
        if (good && !(setting->camera.pixel > 0)) {
            session_error(&run->session, "--metric view: the scene has no \"camera\"");
            return EXIT_BAD_INPUT;
        }
    }
    setting->def.engine = GRAZE_SIM_LOD;
    if (good)
        return EXIT_NOTHING_FOUND;
    return usage_error(run->arguments->command,
                       "--metric takes size=0.1%%, speed=20ms, view=2 or least=0.01, not \"%s\"",
                       text);
}

static int take_setting(simulate_run *run)
{
    const cmd_arguments *arguments = run->arguments;
    graze_sim_def *def = &run->setting.def;
    const char *error = arguments->text[OPTION_SIM_ERROR];
    int code = EXIT_NOTHING_FOUND;
    if (is_given(arguments, OPTION_DURATION))
        (void)parse_seconds(arguments->text[OPTION_DURATION], &run->setting.duration);
    if (error != NULL) {
        bool unknown;
        def->engine = GRAZE_SIM_LOD;
        if (strchr(error, '%') != NULL ? !parse_part(error, &def->error_by_size)
                                       : !parse_tolerance(error, 0, &def->error, &unknown))
            code = usage_error(arguments->command,
                               "--error takes a length in the scene's unit, or a "
                               "part such as 0.04%%, not \"%s\"",
                               error);
    }
    if (is_given(arguments, OPTION_BUDGET)) {
        (void)parse_seconds(arguments->text[OPTION_BUDGET], &def->time_limit);
        def->engine = GRAZE_SIM_LOD;
    }
    for (int i = 0; i < arguments->pattern_count && code == EXIT_NOTHING_FOUND; ++i)
        code = take_metric(run, arguments->patterns[i].text);
    for (int i = 0; is_given(arguments, OPTION_SIM_ENGINE) && i <= GRAZE_SIM_DETAIL; ++i)
        if (strcmp(arguments->text[OPTION_SIM_ENGINE], options[OPTION_SIM_ENGINE].choices[i]) == 0)
            def->engine = (graze_sim_engine)i;
    if (run->setting.camera.pixels > 0) {
        def->error_function = graze_error_by_view;
        def->error_user = &run->setting.camera;
    }
    double steps = def->step > 0 ? ceil(run->setting.duration / def->step - 1e-9) : 0;
    run->step_count = steps < 1e12 ? (uint64_t)steps : 0;
    return code;
}

static int check_options(const cmd_arguments *arguments)
{
    const char *record = arguments->text[OPTION_RUN_RECORD], *sheet = arguments->text[OPTION_SHEET];
    const char *replay = arguments->text[OPTION_REPLAY];
    int code = EXIT_NOTHING_FOUND;
    if (record != NULL && replay != NULL)
        return usage_error(arguments->command, "--replay goes along a record and writes none");
    if (is_given(arguments, OPTION_WIDTH) && (arguments->number[OPTION_WIDTH] < LEAST_WIDTH ||
                                              arguments->number[OPTION_WIDTH] > MOST_WIDTH))
        return usage_error(arguments->command, "pictures are from %d to %d pixels wide",
                           LEAST_WIDTH, MOST_WIDTH);
    if (record != NULL)
        code = check_not_read(arguments, record, arguments->operands[0]);
    if (record != NULL && code == EXIT_NOTHING_FOUND)
        code = check_ending(arguments, record, "a record", ".csv");
    if (sheet != NULL && code == EXIT_NOTHING_FOUND)
        code = check_ending(arguments, sheet, "a picture", ".png");
    return code;
}

// --- Steps

static void add_report(simulate_run *run, const graze_sim_report *report)
{
    run->last = *report;
    run->event_count += report->event_count;
    run->held_steps += report->held_count;
    run->query_count += report->query_count;
    run->query_seconds += report->query_seconds;
    run->contact_steps += report->contact_count != 0;
    run->late_switches += report->late_switch_count;
    run->longest_query = fmax(run->longest_query, report->longest_query);
    run->least_gap = fmin(run->least_gap, report->gap);
}

static int make_steps(simulate_run *run)
{
    graze_sim_report report;
    int code = session_result(&run->session, graze_sim_look(run->sim, &report));
    run->session.own_bar = true;
    run->least_gap = HUGE_VAL;
    if (code != EXIT_NOTHING_FOUND) // bodies in each other, and not a wrong command line
        return code == EXIT_USAGE ? EXIT_BAD_INPUT : code;
    run->begun_energy = graze_sim_energy(run->sim);
    run->step_seconds = calloc((size_t)run->step_count + 1, sizeof *run->step_seconds);
    if (run->step_seconds == NULL)
        return session_result(&run->session, GRAZE_ERROR_MEMORY);
    add_report(run, &report);
    code = record_step(run, &report);
    if (code == EXIT_NOTHING_FOUND)
        code = draw_step(run, 0);
    while (run->steps_done < run->step_count && code == EXIT_NOTHING_FOUND) {
        double begun = now_seconds();
        code = session_result(&run->session, graze_sim_step(run->sim, &report));
        if (code != EXIT_NOTHING_FOUND)
            return code;
        run->step_seconds[run->steps_done++] = now_seconds() - begun;
        add_report(run, &report);
        code = record_step(run, &report);
        if (code == EXIT_NOTHING_FOUND)
            code = draw_step(run, run->steps_done);
        if (is_stopped())
            return session_result(&run->session, GRAZE_ERROR_CANCELLED);
        bar_update(&(graze_progress){"stepping", "steps", run->steps_done, run->step_count});
    }
    bar_clear();
    return code;
}

// --- What is told

static int compare_seconds(const void *left, const void *right)
{
    double p = *(const double *)left, q = *(const double *)right;
    return p < q ? -1 : p > q;
}

static void print_text(const simulate_run *run, double mean, double late, double most)
{
    char text[3][TEXT_BYTES];
    printf("%" PRIu64 " steps, %.6g seconds, %u bodies\n", run->steps_done, run->last.time,
           (unsigned)graze_sim_body_count(run->sim));
    printf("collisions   %" PRIu64 "\n", run->event_count);
    printf("in contact   in %" PRIu64 " steps; at the end at %" PRIu64 " points\n",
           run->contact_steps, run->last.contact_count);
    if (run->least_gap < HUGE_VAL)
        printf("least gap    %s (never below %s, proved)\n", print_real(text[0], run->least_gap),
               print_real(text[1], run->last.wanted_gap));
    printf("energy       %.9g, from %.9g\n", graze_sim_energy(run->sim), run->begun_energy);
    if (run->held_steps != 0)
        printf("held         %" PRIu64 " times: a body met others too often in one step\n",
               run->held_steps);
    if (run->last.passing_count != 0)
        printf("passing      %u pairs are still in each other\n",
               (unsigned)run->last.passing_count);
    printf("a step       mean %s, p99 %s, most %s\n", print_seconds(text[0], mean),
           print_seconds(text[1], late), print_seconds(text[2], most));
    printf("a question   mean %s, most %s, of %s\n",
           print_seconds(text[0],
                         run->query_count == 0 ? 0 : run->query_seconds / (double)run->query_count),
           print_seconds(text[1], run->longest_query), print_count(text[2], run->query_count));
}

static void tell(simulate_run *run)
{
    double mean = 0, late = 0, most = 0;
    uint64_t count = run->steps_done;
    if (count == 0)
        return;
    qsort(run->step_seconds, (size_t)count, sizeof *run->step_seconds, compare_seconds);
    for (uint64_t i = 0; i < count; ++i)
        mean += run->step_seconds[i] / (double)count;
    late = run->step_seconds[(count * 99 - 1) / 100];
    most = run->step_seconds[count - 1];
    if (!is_given(run->arguments, OPTION_JSON)) {
        print_text(run, mean, late, most);
        return;
    }
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_count(&json, "steps", count);
    json_real(&json, "time", run->last.time);
    json_count(&json, "bodies", graze_sim_body_count(run->sim));
    json_count(&json, "collisions", run->event_count);
    json_count(&json, "contacts", run->last.contact_count);
    json_real(&json, "least_gap", run->least_gap);
    json_real(&json, "wanted_gap", run->last.wanted_gap);
    json_real(&json, "slop", run->last.slop);
    json_real(&json, "energy_begun", run->begun_energy);
    json_real(&json, "energy", graze_sim_energy(run->sim));
    json_count(&json, "held", run->held_steps);
    json_count(&json, "late_switches", run->late_switches);
    json_real(&json, "error", run->last.error);
    json_real(&json, "step_seconds_mean", mean);
    json_real(&json, "step_seconds_p99", late);
    json_count(&json, "questions", run->query_count);
    json_real(&json, "question_seconds_mean",
              run->query_count == 0 ? 0 : run->query_seconds / (double)run->query_count);
    json_real(&json, "question_seconds_most", run->longest_query);
    json_count(&json, "process_bytes", (uint64_t)usage.ru_maxrss * 1024);
    json_close(&json, '}');
    json_end_line(&json);
}

static int run_simulation(simulate_run *run)
{
    graze_status status = graze_sim_scene_read(
        run->session.context, input_path(run->arguments->operands[0]), &run->scene);
    int code = session_result(&run->session, status);
    if (code == EXIT_NOTHING_FOUND) {
        run->setting = graze_sim_scene_get(run->scene);
        code = take_setting(run);
    }
    if (code == EXIT_NOTHING_FOUND) {
        code = session_result(&run->session,
                              graze_sim_scene_start(run->scene, &run->setting.def, &run->sim));
        code = code == EXIT_USAGE ? EXIT_BAD_INPUT : code; // it is the scene that is wrong
    }
    if (code == EXIT_NOTHING_FOUND)
        code = open_pictures(run);
    if (code == EXIT_NOTHING_FOUND)
        code = open_record(run);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    if (is_given(run->arguments, OPTION_REPLAY))
        return replay_record(run);
    code = make_steps(run);
    bar_clear();
    tell(run);
    return code;
}

int command_simulate(const cmd_arguments *arguments)
{
    int code = check_options(arguments);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    simulate_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        say("out of memory");
        return EXIT_RESOURCES;
    }
    cmd_arguments within = *arguments; // what the context may use of --memory
    code = share_memory(arguments, "a simulation", &within.number[OPTION_MEMORY]);
    run->arguments = arguments;
    if (code == EXIT_NOTHING_FOUND)
        code = session_open(&run->session, &within);
    if (code == EXIT_NOTHING_FOUND) {
        code = run_simulation(run);
        bool any = run->steps_done != 0; // rows of a run that ended early are worth having
        int closed = close_record(run, any);
        int drawn = close_pictures(run, any);
        code = closed != EXIT_NOTHING_FOUND ? closed : drawn != EXIT_NOTHING_FOUND ? drawn : code;
    }
    free_pictures(run);
    free(run->step_seconds);
    graze_sim_free(run->sim);
    graze_sim_scene_free(run->scene);
    session_close(&run->session);
    free(run);
    return code;
}
