// See two_shapes.h.
#include "two_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lay_out.h"
#include "losses.h"
#include "pose_text.h"
#include "scene_files.h"
#include "terminal.h"
#include "units.h"

#define NAME_COLUMNS       16
#define MODEL_LEAST_MEMORY (UINT64_C(3) << 20) // three quarters are for clusters, a seat takes 2

int two_shapes_result(two_shapes *two, graze_status status)
{
    int code = session_result(&two->session, status);
    two->failed = status != GRAZE_OK;
    return status == GRAZE_ERROR_ARGUMENT ? EXIT_BAD_INPUT : code;
}

// --- Units

static const char *unit_text(double metres_per_unit, char text[TEXT_BYTES])
{
    char number[TEXT_BYTES];
    if (unit_name(metres_per_unit) != NULL)
        return unit_name(metres_per_unit);
    snprintf(text, TEXT_BYTES, "units of %.30s m", print_real(number, metres_per_unit));
    return text;
}

// The unit of the world is that of a. Where only one of the two is known, the other has to be
// taken for the same, and that is said.
static void choose_unit(two_shapes *two)
{
    const cmd_side *a = &two->sides[0], *b = &two->sides[1];
    char unit_a[TEXT_BYTES], unit_b[TEXT_BYTES];
    two->scale = 1.0;
    two->metres_per_unit = a->metres_per_unit != 0.0 ? a->metres_per_unit : b->metres_per_unit;
    if (a->metres_per_unit == b->metres_per_unit)
        return;
    if (a->metres_per_unit == 0.0 || b->metres_per_unit == 0.0) {
        const cmd_side *silent = a->metres_per_unit == 0.0 ? a : b;
        note(&two->session,
             "warning: %s does not say its unit; taken as %s, like the other (--unit tells)",
             silent->path, unit_text(two->metres_per_unit, unit_a));
        return;
    }
    two->scale = b->metres_per_unit / a->metres_per_unit;
    note(&two->session, "%s is in %s and %s in %s: b is brought to the unit of a", a->path,
         unit_text(a->metres_per_unit, unit_a), b->path, unit_text(b->metres_per_unit, unit_b));
}

static int unit_missing(const two_shapes *two, const char *option, const char *name,
                        const char *text)
{
    return usage_error(two->arguments->command,
                       "--%s %s%s: the files do not say their unit of length; --unit does", option,
                       name, text);
}

int two_shapes_length(const two_shapes *two, option_id id, double *length)
{
    bool unit_unknown = false;
    const char *text = two->arguments->text[id];
    if (text == NULL || parse_tolerance(text, two->metres_per_unit, length, &unit_unknown))
        return EXIT_NOTHING_FOUND;
    if (unit_unknown)
        return unit_missing(two, options[id].name, "", text);
    return usage_error(two->arguments->command, "--%s %s is too large", options[id].name, text);
}

static int take_poses(two_shapes *two)
{
    for (int i = 0; i < 2; ++i) {
        const char *text = two->arguments->poses[i];
        pose_reading reading = {.pose = graze_pose_identity()};
        bool good = text == NULL || parse_pose(text, two->metres_per_unit, &reading);
        if (!good && reading.unit_unknown)
            return unit_missing(two, "pose", i == 0 ? "a:" : "b:", text);
        if (!good)
            return usage_error(two->arguments->command, "--pose %c:%s: %s", "ab"[i], text,
                               reading.reason);
        two->sides[i].pose = reading.pose;
        if (reading.miss > 0)
            note(
                &two->session,
                "warning: --pose %c: the matrix is off a rotation by %.2g; the nearest one is used",
                "ab"[i], reading.miss);
    }
    return EXIT_NOTHING_FOUND;
}

// --- Meshes

// Keeps the objects if they have names.
static void take_objects(cmd_side *side, const graze_object *objects, uint64_t count)
{
    for (uint64_t i = 0; i < count && side->objects == NULL; ++i)
        if (objects[i].name[0] != '\0' || objects[i].group[0] != '\0')
            side->objects = objects;
    side->object_count = count;
}

static graze_status open_model(two_shapes *two, cmd_side *side)
{
    const graze_object *objects = NULL;
    uint64_t count = 0, memory = two->arguments->number[OPTION_MEMORY];
    if (memory != 0 && memory < MODEL_LEAST_MEMORY) {
        session_error(&two->session, "%s is a model: asking it takes --memory 3M at least",
                      side->path);
        return GRAZE_ERROR_MEMORY;
    }
    graze_status status = graze_model_open(two->session.context, side->path, &side->model);
    if (status == GRAZE_OK) {
        graze_model_info info = graze_model_get_info(side->model);
        side->metres_per_unit = info.metres_per_unit;
        side->triangle_count = info.triangle_count;
        side->losses = info.losses;
        warn_of_model(&two->session, side->path, side->model);
    }
    if (status == GRAZE_OK && two->names_wanted)
        status = graze_model_get_objects(side->model, &objects, &count);
    if (status == GRAZE_OK)
        take_objects(side, objects, count);
    if (status == GRAZE_OK && side->metres_per_unit == 0.0)
        side->metres_per_unit = two->arguments->metres;
    return status;
}

static graze_status read_side(two_shapes *two, cmd_side *side)
{
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.metres_per_unit = two->arguments->metres;
    double begun = now_seconds();
    graze_status status = refuse_scene(&two->session, side->path);
    if (status == GRAZE_OK && graze_model_recognise(side->path) != 0)
        status = open_model(two, side);
    else if (status == GRAZE_OK)
        status = graze_mesh_read(two->session.context, input_path(side->path), &def, &side->mesh);
    if (status == GRAZE_OK && side->model == NULL) {
        side->metres_per_unit = graze_mesh_get(side->mesh).metres_per_unit;
        side->losses = graze_mesh_get_losses(side->mesh);
    }
    two->read_seconds += now_seconds() - begun;
    return status;
}

// The shape has a copy of the triangles, so that only names are a reason to keep the mesh.
static graze_status build_mesh(two_shapes *two, cmd_side *side, double scale)
{
    graze_status status = lay_out(two->session.context, &side->mesh, scale);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(side->mesh);
    graze_shape_def def = shape_def_of(two->arguments);
    side->triangle_count = view.triangle_count;
    status = graze_shape_create(two->session.context, &view, &def, &side->shape);
    if (status == GRAZE_OK && two->names_wanted)
        take_objects(side, view.objects, view.object_count);
    if (side->objects == NULL) {
        graze_mesh_free(side->mesh);
        side->mesh = NULL;
    }
    return status;
}

static graze_status build_side(two_shapes *two, cmd_side *side, double scale)
{
    double begun = now_seconds();
    graze_status status = GRAZE_OK;
    if (side->model == NULL) {
        status = build_mesh(two, side, scale);
    } else if (scale != 1.0) {
        session_error(
            &two->session,
            "%s is a model, whose coordinates stay as they are, and is in another unit than "
            "%s: build it from a mesh in the same unit, or let it be the first file",
            side->path, two->sides[0].path);
        status = GRAZE_ERROR_UNSUPPORTED;
    } else {
        status = graze_shape_from_model(side->model, &side->shape);
    }
    two->build_seconds += now_seconds() - begun;
    return status;
}

static graze_status make_shapes(two_shapes *two)
{
    cmd_side *a = &two->sides[0], *b = &two->sides[1];
    graze_status status = read_side(two, a);
    if (status == GRAZE_OK)
        status = build_side(two, a, 1.0);
    if (status == GRAZE_OK && two->same) {
        b->metres_per_unit = a->metres_per_unit;
        b->triangle_count = a->triangle_count;
        b->losses = a->losses;
        b->mesh = a->mesh;
        b->model = a->model;
        b->shape = a->shape;
        b->objects = a->objects;
        b->object_count = a->object_count;
    } else if (status == GRAZE_OK) {
        status = read_side(two, b);
    }
    if (status == GRAZE_OK)
        choose_unit(two);
    if (status == GRAZE_OK && !two->same)
        status = build_side(two, b, two->scale);
    if (status == GRAZE_OK)
        status = graze_query_create(two->session.context, &two->query);
    return status;
}

static int check_arguments(const cmd_arguments *arguments)
{
    const char *path = arguments->text[OPTION_PATH];
    if (path == NULL)
        path = arguments->text[OPTION_POSES];
    int from_input = path != NULL && strcmp(path, "-") == 0;
    for (int i = 0; i < 2; ++i)
        from_input += strcmp(arguments->operands[i], "-") == 0;
    if (from_input > 1)
        return usage_error(arguments->command, "standard input can only be read once");
    if (is_given(arguments, OPTION_PATH) && is_given(arguments, OPTION_POSE))
        return usage_error(arguments->command, "--path has the poses; --pose cannot go with it");
    return EXIT_NOTHING_FOUND;
}

int two_shapes_open(two_shapes *two, const cmd_arguments *arguments, bool names_wanted)
{
    *two = (two_shapes){.arguments = arguments, .names_wanted = names_wanted};
    int code = check_arguments(arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = session_open(&two->session, arguments);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    two->sides[0].path = arguments->operands[0];
    two->sides[1].path = arguments->operands[1];
    two->same = strcmp(two->sides[0].path, two->sides[1].path) == 0;
    code = two_shapes_result(two, make_shapes(two));
    if (code == EXIT_NOTHING_FOUND)
        session_forget_error(&two->session); // of a reader that went on
    return code == EXIT_NOTHING_FOUND ? take_poses(two) : code;
}

static void put_error(const two_shapes *two)
{
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "error", two->session.last_error);
    json_close(&json, '}');
    json_end_line(&json);
}

void two_shapes_close(two_shapes *two, int code)
{
    if (code > EXIT_USAGE && two->session.error_said && is_given(two->arguments, OPTION_JSON))
        put_error(two);
    graze_query_free(two->query);
    for (int i = 0; i < (two->same ? 1 : 2); ++i) {
        graze_shape_free(two->sides[i].shape);
        graze_mesh_free(two->sides[i].mesh);
        graze_model_free(two->sides[i].model);
    }
    session_close(&two->session);
}

// --- Asking

bool two_shapes_ask_many(two_shapes *two, const path_pose *at, uint64_t count, ask_many *ask,
                         void *data, double *seconds)
{
    graze_pose poses[POSE_BATCH];
    double begun = now_seconds();
    for (uint64_t i = 0; i < count; ++i)
        poses[i] = at[i].pose;
    two->session.muted = true;
    graze_status status = ask(two, poses, count, data);
    two->session.muted = false;
    *seconds = (now_seconds() - begun) / (double)count;
    return status == GRAZE_OK;
}

void add_counters(graze_counters *sum, const graze_counters *more)
{
    sum->work += more->work;
    sum->box_tests += more->box_tests;
    sum->triangle_tests += more->triangle_tests;
    sum->exact_tests += more->exact_tests;
    sum->part_pairs += more->part_pairs;
    sum->page_loads += more->page_loads;
    sum->page_misses += more->page_misses;
}

void two_shapes_reached(two_shapes *two, double error)
{
    for (int i = 0; i < 2; ++i)
        two->sides[i].cut_numbers = error != 0.0 && two->sides[i].model != NULL;
}

void two_shapes_spent(two_shapes *two, double seconds, const graze_counters *counters)
{
    two->ask_seconds += seconds;
    two->pose_count += 1;
    add_counters(&two->counters, counters);
}

// As many poses as are there without waiting for more, and at least one unless the file ends.
static int read_batch(pose_path *path, path_pose batch[POSE_BATCH], uint64_t *count)
{
    bool found = true;
    int code = EXIT_NOTHING_FOUND;
    for (*count = 0; found && *count < POSE_BATCH && code == EXIT_NOTHING_FOUND;) {
        code = pose_path_next(path, *count == 0, &batch[*count], &found);
        *count += code == EXIT_NOTHING_FOUND && found;
    }
    return code;
}

// Poses before a line that is none are answered all the same.
static int ask_path(two_shapes *two, pose_path *path, ask_some *ask, void *data)
{
    path_pose batch[POSE_BATCH];
    bool show = !isatty(STDOUT_FILENO);
    int worst = EXIT_NOTHING_FOUND;
    for (;;) {
        uint64_t count = 0;
        int bad = read_batch(path, batch, &count);
        int code = count != 0 ? ask(two, batch, count, data) : EXIT_NOTHING_FOUND;
        if (two->failed || bad != EXIT_NOTHING_FOUND)
            return two->failed ? code : bad;
        worst = code > worst ? code : worst;
        if (count == 0)
            return worst;
        if (is_stopped())
            return session_result(&two->session, GRAZE_ERROR_CANCELLED);
        if (show)
            bar_update(&(graze_progress){"asking", "poses", two->pose_count, 0});
    }
}

int two_shapes_ask(two_shapes *two, ask_some *ask, void *data)
{
    const char *name = two->arguments->text[OPTION_PATH];
    if (name == NULL)
        return ask(two, NULL, 1, data);
    pose_path *path = malloc(sizeof *path);
    if (path == NULL)
        return session_result(&two->session, GRAZE_ERROR_MEMORY);
    int code = pose_path_open(path, &two->session, name);
    if (code == EXIT_NOTHING_FOUND)
        code = ask_path(two, path, ask, data);
    pose_path_close(path);
    free(path);
    return code;
}

// --- Printing

const graze_object *find_object(const cmd_side *side, uint32_t triangle)
{
    if (side->objects == NULL || side->cut_numbers)
        return NULL;
    uint64_t low = 0, high = side->object_count;
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (side->objects[middle].first_triangle <= triangle)
            low = middle;
        else
            high = middle;
    }
    return &side->objects[low];
}

void print_pose_name(const path_pose *at)
{
    char number[TEXT_BYTES];
    snprintf(number, sizeof number, "%llu", (unsigned long long)at->line);
    int printed = print_clean(stdout, at->label != NULL ? at->label : number, 0);
    printf("%*s  ", printed < NAME_COLUMNS ? NAME_COLUMNS - printed : 0, "");
}

void print_object(const graze_object *object)
{
    if (object == NULL) {
        putchar('-');
        return;
    }
    if (object->group[0] != '\0') {
        print_clean(stdout, object->group, 0);
        putchar('/');
    }
    print_clean(stdout, object->name[0] != '\0' ? object->name : "(no name)", 0);
}

const char *path_without_triangles(const two_shapes *two)
{
    for (int i = 0; i < 2; ++i)
        if (two->sides[i].triangle_count == 0)
            return two->sides[i].path;
    return NULL;
}

static void put_both_losses(cmd_json *json, const two_shapes *two)
{
    json_open(json, "losses", '{');
    put_losses(json, "a", &two->sides[0].losses);
    put_losses(json, "b", &two->sides[1].losses);
    json_close(json, '}');
}

void put_question(cmd_json *json, const two_shapes *two, const path_pose *at)
{
    if (at != NULL) {
        json_count(json, "line", at->line);
        json_text(json, "label", at->label);
        if (is_anything_lost(&two->sides[0].losses) || is_anything_lost(&two->sides[1].losses))
            put_both_losses(json, two);
        return;
    }
    json_text(json, "a", two->sides[0].path);
    json_text(json, "b", two->sides[1].path);
    if (two->metres_per_unit != 0.0)
        json_real(json, "metres_per_unit", two->metres_per_unit);
    else
        json_null(json, "metres_per_unit");
    json_real(json, "scale_b", two->scale);
    json_open(json, "triangles", '{');
    json_count(json, "a", two->sides[0].triangle_count);
    json_count(json, "b", two->sides[1].triangle_count);
    json_close(json, '}');
    put_both_losses(json, two);
}

static void put_object(cmd_json *json, const char *key, const cmd_side *side, uint32_t triangle)
{
    const graze_object *object = find_object(side, triangle);
    if (object == NULL)
        return;
    json_open(json, key, '{');
    json_text(json, "name", object->name);
    json_text(json, "group", object->group);
    json_close(json, '}');
}

void put_pair(cmd_json *json, const char *key, const two_shapes *two, const graze_pair *pair)
{
    json_open(json, key, '{');
    json_count(json, "a", pair->a);
    json_count(json, "b", pair->b);
    put_object(json, "object_a", &two->sides[0], pair->a);
    put_object(json, "object_b", &two->sides[1], pair->b);
    json_close(json, '}');
}

void put_stats(cmd_json *json, const two_shapes *two, double seconds,
               const graze_counters *counters)
{
    if (!is_given(two->arguments, OPTION_STATS))
        return;
    json_open(json, "stats", '{');
    json_real(json, "read_seconds", two->read_seconds);
    json_real(json, "build_seconds", two->build_seconds);
    json_real(json, "ask_seconds", seconds);
    json_count(json, "work", counters->work);
    json_count(json, "box_tests", counters->box_tests);
    json_count(json, "triangle_tests", counters->triangle_tests);
    json_count(json, "exact_tests", counters->exact_tests);
    json_count(json, "cluster_pairs", counters->part_pairs);
    json_count(json, "page_loads", counters->page_loads);
    json_count(json, "page_misses", counters->page_misses);
    json_close(json, '}');
}

static void print_shape_row(const char *term, const cmd_side *side)
{
    char count[TEXT_BYTES], bytes[TEXT_BYTES];
    graze_shape_info info = graze_shape_get_info(side->shape);
    printf("  %-16s%15s   in %s", term, print_count(count, info.triangle_count),
           print_bytes(bytes, info.byte_count));
    if (info.triangle_count != 0)
        printf(", %.1f bytes each", (double)info.byte_count / (double)info.triangle_count);
    putchar('\n');
}

void print_stats(const two_shapes *two)
{
    const graze_counters *counters = &two->counters;
    char text[TEXT_BYTES];
    if (!is_given(two->arguments, OPTION_STATS) || is_given(two->arguments, OPTION_JSON) ||
        two->pose_count == 0)
        return;
    putchar('\n');
    print_shape_row("triangles of a", &two->sides[0]);
    print_shape_row("triangles of b", &two->sides[1]);
    printf("  %-16s%15.6f   seconds\n", "reading", two->read_seconds);
    printf("  %-16s%15.6f   seconds\n", "building", two->build_seconds);
    printf("  %-16s%15.6f   seconds\n", "asking", two->ask_seconds);
    if (is_given(two->arguments, OPTION_PATH))
        printf("  %-16s%15s\n", "poses", print_count(text, two->pose_count));
    printf("  %-16s%15s\n", "box tests", print_count(text, counters->box_tests));
    printf("  %-16s%15s\n", "triangle tests", print_count(text, counters->triangle_tests));
    printf("  %-16s%15s\n", "exact tests", print_count(text, counters->exact_tests));
    if (two->sides[0].model != NULL || two->sides[1].model != NULL) {
        printf("  %-16s%15s\n", "cluster pairs", print_count(text, counters->part_pairs));
        printf("  %-16s%15s\n", "page loads", print_count(text, counters->page_loads));
    }
    printf("  %-16s%15s\n", "work", print_count(text, counters->work));
}
