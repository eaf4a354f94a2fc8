// graze path: models go along a path of poses, step by step, each step timed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "aside_file.h"
#include "path_report.h"
#include "path_scene.h"
#include "question_error.h"
#include "terminal.h"
#include "units.h"
#include "written_path.h"

// --- Files that are written

// A file of --output or --report; its path is NULL where it was not asked for, or failed.
typedef struct written {
    aside_file aside;
    const char *path;
    int error; // of the first write that failed, as errno has it; 0: none did
} written;

static int writing_failed(path_run *run, const char *path, int error)
{
    bool full =
        error == ENOSPC || error == EFBIG || error == EDQUOT || error == ENOMEM || error == EIO;
    session_error(&run->two.session, "%s: cannot write: %s", path, strerror(error));
    return full ? EXIT_RESOURCES : EXIT_BAD_INPUT;
}

// Before anything is asked, so that a path that cannot be written is known at once.
static int open_written(path_run *run, option_id id, written *file)
{
    const char *path = run->two.arguments->text[id];
    int error = path != NULL ? aside_open(&file->aside, path) : 0;
    if (error != 0)
        return writing_failed(run, path, error);
    file->path = path;
    return EXIT_NOTHING_FOUND;
}

// Right behind writing, while errno is of that; it was 0 before.
static void look_at_file(written *file)
{
    if (file->error == 0 && ferror(file->aside.file) != 0)
        file->error = errno != 0 ? errno : EIO;
}

// Rows that stand are worth having, also of a run that ended early. Without rows there is no file.
static int close_written(path_run *run, written *file)
{
    if (file->path == NULL)
        return EXIT_NOTHING_FOUND;
    const char *path = file->path;
    int error = file->error;
    file->path = NULL;
    if (run->steps.count == 0 || error != 0)
        aside_abandon(&file->aside);
    else
        error = aside_commit(&file->aside);
    if (error != 0)
        return writing_failed(run, path, error);
    if (run->steps.count != 0)
        note(&run->two.session, "wrote %s", path);
    return EXIT_NOTHING_FOUND;
}

// --- Asking

static void print_names(FILE *file, const path_run *run)
{
    if (run->scene != NULL)
        print_scene_names(file);
    else
        print_step_names(file);
}

static void print_rows(FILE *file, const path_run *run, const path_step *step)
{
    if (run->scene != NULL)
        print_scene_rows(file, run);
    else
        print_step_row(file, run->steps.count, step);
}

static void put_row(const path_run *run, const path_step *step)
{
    if (run->scene != NULL)
        put_scene_step(run);
    else
        put_step(run->steps.count, step);
}

static void show_step(const path_run *run, const path_step *step, written *table)
{
    if (is_given(run->two.arguments, OPTION_JSON))
        put_row(run, step);
    else if (is_given(run->two.arguments, OPTION_CSV))
        print_rows(stdout, run, step);
    if (table->path == NULL)
        return;
    errno = 0;
    print_rows(table->aside.file, run, step);
    look_at_file(table);
}

static int step_code(graze_verdict verdict)
{
    if (verdict == GRAZE_UNDECIDED)
        return EXIT_STOPPED;
    return verdict == GRAZE_APART ? EXIT_NOTHING_FOUND : EXIT_FOUND;
}

static int ask_two(path_run *run, const path_pose *at)
{
    two_shapes *two = &run->two;
    const cmd_side *a = &two->sides[0], *b = &two->sides[1];
    graze_answer answer;
    double begun = now_seconds();
    graze_status status = graze_query_collide(two->query, graze_at(a->shape, &at->pose),
                                              graze_at(b->shape, &b->pose), &run->def, &answer);
    double seconds = now_seconds() - begun;
    if (status != GRAZE_OK) // else it would clear the bar
        return two_shapes_result(two, status);
    if (!path_steps_add(&run->steps, at, &answer, seconds))
        return two_shapes_result(two, GRAZE_ERROR_MEMORY);
    return EXIT_NOTHING_FOUND;
}

static int ask_step(path_run *run, pose_path *path, const path_pose *at, written *table)
{
    int code = run->scene != NULL ? path_scene_ask(run, path, at) : ask_two(run, at);
    if (run->two.failed)
        return code;
    const path_step *step = &run->steps.items[run->steps.count - 1];
    show_step(run, step, table);
    if (table->error != 0) {
        run->two.failed = true; // the sentence comes when the file is closed
        return EXIT_RESOURCES;
    }
    return step_code(step->verdict);
}

static int ask_steps(path_run *run, pose_path *path, written *table)
{
    int worst = EXIT_NOTHING_FOUND;
    const cmd_arguments *arguments = run->two.arguments;
    bool rows = is_given(arguments, OPTION_JSON) || is_given(arguments, OPTION_CSV);
    bool show = !rows || !isatty(STDOUT_FILENO);
    run->two.session.own_bar = true;
    for (;;) {
        path_pose at;
        bool found = false;
        int code = pose_path_next(path, true, &at, &found);
        if (code == EXIT_NOTHING_FOUND && !found)
            return worst;
        run->ended_early = true; // unless this step goes well
        if (code != EXIT_NOTHING_FOUND)
            return code;
        code = ask_step(run, path, &at, table);
        if (run->two.failed)
            return code;
        worst = code > worst ? code : worst;
        if (is_stopped())
            return session_result(&run->two.session, GRAZE_ERROR_CANCELLED);
        run->ended_early = false;
        if (show)
            bar_update(&(graze_progress){"asking", "steps", run->steps.count, 0});
    }
}

static int ask_path(path_run *run, written *table)
{
    two_shapes *two = &run->two;
    pose_path *path = malloc(sizeof *path);
    if (path == NULL)
        return session_result(&two->session, GRAZE_ERROR_MEMORY);
    int code = pose_path_open(path, &two->session, two->arguments->text[OPTION_POSES]);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&two->session,
                              run->scene != NULL
                                  ? GRAZE_OK
                                  : graze_front_create(two->session.context, &run->def.front));
    if (code == EXIT_NOTHING_FOUND)
        code = ask_steps(run, path, table);
    bar_clear();
    run->poses = path->name;
    pose_path_close(path);
    free(path);
    return code;
}

// --- The command

static void measure_memory(path_run *run)
{
    struct rusage usage = {0};
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        run->process_bytes = (uint64_t)usage.ru_maxrss * 1024;
    run->context_bytes = graze_context_memory(run->two.session.context).peak_bytes;
    if (run->scene != NULL) {
        run->cache = graze_scene_cache_use(run->scene->scene);
        run->has_model = true;
    }
    for (int i = 0; i < 2 && !run->has_model; ++i)
        if (run->two.sides[i].model != NULL) { // both tell of the one cache
            run->cache = graze_model_cache_use(run->two.sides[i].model);
            run->has_model = true;
        }
}

static int check_options(const cmd_arguments *arguments)
{
    const char *table = arguments->text[OPTION_TABLE], *page = arguments->text[OPTION_REPORT];
    const char *poses = arguments->text[OPTION_POSES], *files[] = {table, page};
    int code = EXIT_NOTHING_FOUND;
    if (poses == NULL)
        return usage_error(arguments->command, "path needs poses: --poses FILE");
    if (arguments->poses[0] != NULL)
        return usage_error(arguments->command,
                           "--poses says where the first file goes; --pose is for b: only");
    if (is_given(arguments, OPTION_JSON) && is_given(arguments, OPTION_CSV))
        return usage_error(arguments->command, "--json and --csv cannot go together");
    for (int i = 0; i < 2 && code == EXIT_NOTHING_FOUND; ++i) {
        if (files[i] == NULL)
            continue;
        for (int k = 0; k < arguments->operand_count && code == EXIT_NOTHING_FOUND; ++k)
            code = check_not_read(arguments, files[i], arguments->operands[k]);
        if (code == EXIT_NOTHING_FOUND)
            code = check_not_read(arguments, files[i], poses);
        if (code == EXIT_NOTHING_FOUND)
            code = check_ending(arguments, files[i], i == 0 ? "rows" : "a page",
                                i == 0 ? ".csv" : ".html");
    }
    if (code == EXIT_NOTHING_FOUND && table != NULL && page != NULL)
        code = check_not_both(arguments, table, page);
    return code;
}

static int take_def(path_run *run)
{
    graze_collide_def *def = &run->def;
    *def = graze_collide_def_default();
    def->collect = GRAZE_COLLECT_CONTACTS;
    def->use_threads = run->two.arguments->number[OPTION_THREADS] > 1;
    int code = two_shapes_length(&run->two, OPTION_TOLERANCE, &def->tolerance);
    if (code == EXIT_NOTHING_FOUND)
        code = find_question_error(&run->two, &def->error, &def->time_limit);
    return code;
}

static int open_two(path_run *run)
{
    int code = two_shapes_open(&run->two, run->two.arguments, false);
    return code == EXIT_NOTHING_FOUND ? take_def(run) : code;
}

// What is done is told, however the run ended. Returns what went wrong with that.
static int tell(path_run *run, written *table, written *page)
{
    const cmd_arguments *arguments = run->two.arguments;
    bool rows = is_given(arguments, OPTION_JSON) || is_given(arguments, OPTION_CSV);
    if (run->steps.count == 0)
        return EXIT_NOTHING_FOUND;
    if (!path_steps_sum(&run->steps, &run->totals))
        return session_result(&run->two.session, GRAZE_ERROR_MEMORY);
    measure_memory(run);
    if (run->scene != NULL)
        free(path_scene_hits(run->scene)); // how many there are is told
    if (!rows) {
        if (run->scene != NULL)
            print_object_stretches(run);
        else
            print_stretches(run);
        print_totals(run);
    } else {
        note_totals(run);
    }
    errno = 0;
    bool drawn = page->path == NULL || write_path_report(page->aside.file, run);
    if (page->path != NULL)
        look_at_file(page);
    int code = close_written(run, table);
    if (!drawn)
        return session_result(&run->two.session, GRAZE_ERROR_MEMORY);
    int page_code = close_written(run, page);
    return code != EXIT_NOTHING_FOUND ? code : page_code;
}

static int run_path(path_run *run)
{
    const cmd_arguments *arguments = run->two.arguments;
    written table = {.path = NULL}, page = {.path = NULL};
    int code = open_written(run, OPTION_TABLE, &table);
    if (code == EXIT_NOTHING_FOUND)
        code = open_written(run, OPTION_REPORT, &page);
    if (code == EXIT_NOTHING_FOUND) {
        if (table.path != NULL)
            print_names(table.aside.file, run);
        if (is_given(arguments, OPTION_CSV))
            print_names(stdout, run);
        code = ask_path(run, &table);
        if (run->steps.count == 0 && code == EXIT_NOTHING_FOUND)
            note(&run->two.session, "%s: no poses: nothing was asked", run->poses);
        int told = tell(run, &table, &page);
        code = told != EXIT_NOTHING_FOUND ? told : code;
    }
    if (table.path != NULL)
        aside_abandon(&table.aside);
    if (page.path != NULL)
        aside_abandon(&page.aside);
    return code;
}

int command_path(const cmd_arguments *arguments)
{
    int code = check_options(arguments);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    path_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        say("out of memory");
        return EXIT_RESOURCES;
    }
    bool is_scene = false;
    run->two.arguments = arguments;
    code = find_path_scene(arguments, &is_scene);
    if (code == EXIT_NOTHING_FOUND)
        code = is_scene ? path_scene_open(run) : open_two(run);
    if (code == EXIT_NOTHING_FOUND)
        code = run_path(run);
    graze_front_free(run->def.front);
    path_steps_free(&run->steps);
    path_scene_close(run);
    two_shapes_close(&run->two, code);
    free(run);
    return code;
}
