// See path_scene.h.
#include "path_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "lay_out.h"
#include "losses.h"
#include "scene_files.h"
#include "terminal.h"
#include "units.h"

// --- Is it a scene?

// A file that cannot be read has no objects here: whoever reads it next says why.
static int count_objects(const cmd_arguments *arguments, const char *path, bool *several)
{
    cmd_session session;
    int code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        *several = has_several_objects(&session, path);
    session_close(&session);
    return code;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), behind = strlen(ending);
    return length >= behind && strcasecmp(path + length - behind, ending) == 0;
}

int find_path_scene(const cmd_arguments *arguments, bool *is_scene)
{
    struct stat status;
    const char *fixed = arguments->operands[arguments->operand_count - 1];
    *is_scene = true;
    if (arguments->operand_count > 2 || is_given(arguments, OPTION_NEAREST) ||
        is_given(arguments, OPTION_KINDS) || graze_scene_recognise(fixed) != 0)
        return EXIT_NOTHING_FOUND;
    if (stat(fixed, &status) == 0 && S_ISDIR(status.st_mode))
        return EXIT_NOTHING_FOUND;
    if (ends_in(fixed, ".json"))
        return EXIT_NOTHING_FOUND;
    *is_scene = false;
    // What has no objects, and what can be read only once.
    if (strcmp(fixed, "-") == 0 || graze_model_recognise(fixed) != 0 || ends_in(fixed, ".ply") ||
        ends_in(fixed, ".stl") || ends_in(fixed, ".off"))
        return EXIT_NOTHING_FOUND;
    if (stat(fixed, &status) != 0 || !S_ISREG(status.st_mode))
        return EXIT_NOTHING_FOUND;
    return count_objects(arguments, fixed, is_scene);
}

static int check_scene_options(const cmd_arguments *arguments)
{
    int from_input = strcmp(arguments->text[OPTION_POSES], "-") == 0;
    for (int i = 0; i < arguments->operand_count; ++i)
        from_input += strcmp(arguments->operands[i], "-") == 0;
    if (from_input > 1)
        return usage_error(arguments->command, "standard input can only be read once");
    if (is_given(arguments, OPTION_ANSWER_ERROR) || is_given(arguments, OPTION_BUDGET))
        return usage_error(arguments->command,
                           "answers about scenes are exact: --error and --budget are for one model "
                           "against another");
    if (is_given(arguments, OPTION_POSE))
        return usage_error(arguments->command, "--pose places one model against another; a "
                                               "manifest places the files of a scene");
    if (is_given(arguments, OPTION_TOUCH) && !is_given(arguments, OPTION_KINDS))
        return usage_error(arguments->command, "--touch is for --kinds");
    return EXIT_NOTHING_FOUND;
}

// --- The scene and the movers

static graze_status add_fixed(path_run *run, const char *operand, uint64_t memory_bytes)
{
    path_scene *scene = run->scene;
    graze_scene_build_def def = graze_scene_build_def_default();
    graze_mesh_read_def read = graze_mesh_read_def_default();
    read.metres_per_unit = run->two.arguments->metres;
    def.read = &read;
    def.memory_bytes = memory_bytes;
    graze_scene_source source = {.path = input_path(operand)};
    graze_status status = graze_scene_create(run->two.session.context, &scene->scene);
    if (status == GRAZE_OK)
        status = graze_scene_add_source(scene->scene, &source, &def);
    if (status != GRAZE_OK)
        return status;
    graze_scene_info info = graze_scene_get_info(scene->scene);
    cmd_side *side = &run->two.sides[1];
    side->path = operand;
    side->triangle_count = info.triangle_count;
    side->losses = info.losses;
    run->two.metres_per_unit =
        info.metres_per_unit != 0.0 ? info.metres_per_unit : run->two.arguments->metres;
    return GRAZE_OK;
}

// What to multiply a mover's coordinates with, to be in the unit of the scene. Where only one of
// the two is known, the other has to be taken for the same, and that is said.
static double choose_scale(path_run *run, const path_mover *mover, double metres_per_unit)
{
    double world = run->two.metres_per_unit;
    if (metres_per_unit == world)
        return 1.0;
    if (metres_per_unit == 0.0 || world == 0.0) {
        note(&run->two.session,
             "warning: %s does not say its unit; taken as that of the other (--unit tells)",
             world == 0.0 ? run->two.sides[1].path : mover->path);
        run->two.metres_per_unit = world == 0.0 ? metres_per_unit : world;
        return 1.0;
    }
    note(&run->two.session, "%s is brought to the unit of %s", mover->path, run->two.sides[1].path);
    return metres_per_unit / world;
}

static graze_status make_model(path_run *run, path_mover *mover)
{
    graze_status status = graze_model_open(run->two.session.context, mover->path, &mover->model);
    if (status != GRAZE_OK)
        return status;
    warn_of_model(&run->two.session, mover->path, mover->model);
    double metres = graze_model_get_info(mover->model).metres_per_unit;
    if (choose_scale(run, mover, metres != 0.0 ? metres : run->two.arguments->metres) != 1.0) {
        session_error(&run->two.session,
                      "%s is a model, whose coordinates stay as they are, and is in another unit "
                      "than %s: build it from a mesh in the same unit",
                      mover->path, run->two.sides[1].path);
        return GRAZE_ERROR_UNSUPPORTED;
    }
    return graze_shape_from_model(mover->model, &mover->shape);
}

static graze_status make_mesh(path_run *run, path_mover *mover)
{
    graze_context *context = run->two.session.context;
    graze_mesh_read_def read = graze_mesh_read_def_default();
    graze_shape_def def = shape_def_of(run->two.arguments);
    read.metres_per_unit = run->two.arguments->metres;
    graze_status status = graze_mesh_read(context, input_path(mover->path), &read, &mover->mesh);
    if (status != GRAZE_OK)
        return status;
    double scale = choose_scale(run, mover, graze_mesh_get(mover->mesh).metres_per_unit);
    status = lay_out(context, &mover->mesh, scale);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(mover->mesh);
    status = graze_shape_create(context, &view, &def, &mover->shape);
    graze_mesh_free(mover->mesh);
    mover->mesh = NULL;
    return status;
}

static graze_status add_mover(path_run *run, path_mover *mover)
{
    graze_object_def def = graze_object_def_default();
    graze_status status = refuse_scene(&run->two.session, mover->path);
    if (status == GRAZE_OK)
        status = graze_model_recognise(mover->path) != 0 ? make_model(run, mover)
                                                         : make_mesh(run, mover);
    if (status != GRAZE_OK)
        return status;
    char *name = file_stem(strcmp(mover->path, "-") == 0 ? "stdin" : mover->path);
    if (name == NULL)
        return GRAZE_ERROR_MEMORY;
    def.name = name;
    def.shape = mover->shape;
    status = graze_scene_add(run->scene->scene, &def, &mover->id);
    free(name);
    run->two.sides[0].triangle_count += graze_shape_get_info(mover->shape).triangle_count;
    return status;
}

static graze_status make_motion(path_run *run)
{
    path_scene *scene = run->scene;
    graze_status status = graze_motion_create(scene->scene, &scene->def, &scene->motion);
    for (int i = 0; i < scene->mover_count && status == GRAZE_OK; ++i)
        status = graze_motion_add(scene->motion, scene->movers[i].id);
    return status;
}

static int take_scene_def(path_run *run)
{
    graze_motion_def *def = &run->scene->def;
    const cmd_arguments *arguments = run->two.arguments;
    *def = graze_motion_def_default();
    def->kinds = is_given(arguments, OPTION_KINDS);
    def->distance = is_given(arguments, OPTION_NEAREST) ? HUGE_VAL : 0.0;
    // The library does not know of --unit where models do not say theirs.
    if (run->two.metres_per_unit != 0.0)
        def->touch = 1e-4 / run->two.metres_per_unit;
    int code = two_shapes_length(&run->two, OPTION_TOLERANCE, &def->tolerance);
    if (code == EXIT_NOTHING_FOUND)
        code = two_shapes_length(&run->two, OPTION_TOUCH, &def->touch);
    run->def.tolerance = def->tolerance; // what the report tells
    return code;
}

int path_scene_open(path_run *run)
{
    const cmd_arguments *arguments = run->two.arguments;
    cmd_arguments within = *arguments;
    path_scene *scene = run->scene = calloc(1, sizeof *scene);
    int count = arguments->operand_count - 1;
    int code = check_scene_options(arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = share_memory(arguments, "a path through a scene", &within.number[OPTION_MEMORY]);
    if (code == EXIT_NOTHING_FOUND)
        code = session_open(&run->two.session, &within);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    if (scene != NULL)
        scene->movers = calloc((size_t)count + 1, sizeof *scene->movers);
    graze_status status =
        scene == NULL || scene->movers == NULL
            ? GRAZE_ERROR_MEMORY
            : add_fixed(run, arguments->operands[count], within.number[OPTION_MEMORY]);
    run->two.sides[0].path = arguments->operands[0];
    for (int i = 0; i < count && status == GRAZE_OK; ++i) {
        scene->movers[i].path = arguments->operands[i];
        scene->mover_count = i + 1;
        status = add_mover(run, &scene->movers[i]);
    }
    if (status != GRAZE_OK)
        return two_shapes_result(&run->two, status);
    session_forget_error(&run->two.session); // of a reader that went on
    warn_of_empty_objects(&run->two.session, scene->scene);
    code = take_scene_def(run);
    return code == EXIT_NOTHING_FOUND ? two_shapes_result(&run->two, make_motion(run)) : code;
}

void path_scene_close(path_run *run)
{
    path_scene *scene = run->scene;
    if (scene == NULL)
        return;
    graze_motion_free(scene->motion);
    graze_scene_free(scene->scene);
    for (int i = 0; i < scene->mover_count; ++i) {
        graze_shape_free(scene->movers[i].shape);
        graze_mesh_free(scene->movers[i].mesh);
        graze_model_free(scene->movers[i].model);
    }
    free(scene->movers);
    free(scene->stretches);
    free(scene->open);
    free(scene);
    run->scene = NULL;
}

// --- Steps

static bool same_object(graze_object_id a, graze_object_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

// How bad a clash of its kind is; more is worse.
static double amount_of(const graze_clash *clash)
{
    switch (clash->kind) {
    case GRAZE_CLASH_OVERLAP:
    case GRAZE_CLASH_CONTAINED: return 0.5 * (clash->depth_low + clash->depth_high);
    case GRAZE_CLASH_CROSSING: return clash->length;
    case GRAZE_CLASH_TOUCHING:
    case GRAZE_CLASH_CLEARANCE: return -clash->gap;
    case GRAZE_CLASH_DUPLICATE:
    case GRAZE_CLASH_NONE: break;
    }
    return 0.0;
}

static bool is_worse(const graze_clash *clash, const graze_clash *than)
{
    return clash->kind < than->kind ||
           (clash->kind == than->kind && amount_of(clash) > amount_of(than));
}

// The stretch that a contact goes on with, or a new one; NULL: out of memory.
static object_stretch *find_stretch(path_scene *scene, const graze_motion_contact *contact,
                                    uint64_t step)
{
    for (uint64_t i = 0; i < scene->open_count; ++i) {
        object_stretch *stretch = &scene->stretches[scene->open[i]];
        if (stretch->last + 1 == step && same_object(stretch->mover, contact->mover) &&
            same_object(stretch->other, contact->other))
            return stretch;
    }
    if (scene->count == scene->room) {
        uint64_t room = scene->room == 0 ? 64 : 2 * scene->room;
        object_stretch *more = realloc(scene->stretches, (size_t)room * sizeof *more);
        if (more == NULL)
            return NULL;
        scene->stretches = more;
        scene->room = room;
    }
    if (scene->open_count == scene->open_room) {
        uint64_t room = scene->open_room == 0 ? 64 : 2 * scene->open_room;
        uint64_t *more = realloc(scene->open, (size_t)room * sizeof *more);
        if (more == NULL)
            return NULL;
        scene->open = more;
        scene->open_room = room;
    }
    scene->open[scene->open_count++] = scene->count;
    object_stretch *made = &scene->stretches[scene->count++];
    *made = (object_stretch){contact->mover, contact->other, step, step, contact->clash};
    return made;
}

static bool keep_stretches(path_scene *scene, uint64_t step)
{
    for (uint64_t i = 0; i < scene->answer.contact_count; ++i) {
        const graze_motion_contact *contact = &scene->answer.contacts[i];
        object_stretch *stretch = find_stretch(scene, contact, step);
        if (stretch == NULL)
            return false;
        stretch->last = step;
        if (is_worse(&contact->clash, &stretch->worst))
            stretch->worst = contact->clash;
    }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < scene->open_count; ++i)
        if (scene->stretches[scene->open[i]].last == step)
            scene->open[kept++] = scene->open[i];
    scene->open_count = kept;
    return true;
}

static double deepest_of(const graze_motion_answer *answer)
{
    double depth = NAN;
    for (uint64_t i = 0; i < answer->contact_count; ++i) {
        const graze_clash *clash = &answer->contacts[i].clash;
        if (clash->kind == GRAZE_CLASH_OVERLAP || clash->kind == GRAZE_CLASH_CONTAINED)
            depth = fmax(depth, amount_of(clash));
    }
    return depth;
}

// Poses of the other movers, on the next lines; then all of them stand there.
static int read_poses(path_run *run, pose_path *path, const path_pose *at, graze_pose *poses)
{
    poses[0] = at->pose;
    for (int i = 1; i < run->scene->mover_count; ++i) {
        path_pose next;
        bool found = false;
        int code = pose_path_next(path, true, &next, &found);
        if (code == EXIT_NOTHING_FOUND && !found) {
            session_error(&run->two.session,
                          "%s: the step that begins on line %llu has poses for %d of %d movers: "
                          "they come in turn",
                          path->name, (unsigned long long)at->line, i, run->scene->mover_count);
            code = EXIT_BAD_INPUT;
        }
        if (code != EXIT_NOTHING_FOUND)
            return code;
        poses[i] = next.pose;
    }
    return EXIT_NOTHING_FOUND;
}

static int add_step(path_run *run, const path_pose *at, double seconds)
{
    path_scene *scene = run->scene;
    graze_answer answer = {.verdict =
                               scene->answer.contact_count != 0 ? GRAZE_CONTACT : GRAZE_APART,
                           .complete = 1,
                           .pair_count = scene->answer.contact_count,
                           .counters = scene->answer.counters};
    if (!keep_stretches(scene, run->steps.count) ||
        !path_steps_add(&run->steps, at, &answer, seconds))
        return two_shapes_result(&run->two, GRAZE_ERROR_MEMORY);
    run->steps.items[run->steps.count - 1].depth = deepest_of(&scene->answer);
    return EXIT_NOTHING_FOUND;
}

static int ask_here(path_run *run, const graze_pose *poses, const path_pose *at)
{
    path_scene *scene = run->scene;
    graze_status status = GRAZE_OK;
    double begun = now_seconds();
    for (int i = 0; i < scene->mover_count && status == GRAZE_OK; ++i)
        status = graze_scene_move(scene->scene, scene->movers[i].id, &poses[i]);
    if (status == GRAZE_OK)
        status = graze_motion_step(scene->motion, &scene->answer);
    double seconds = now_seconds() - begun;
    if (status != GRAZE_OK) // else it would clear the bar
        return two_shapes_result(&run->two, status);
    return add_step(run, at, seconds);
}

int path_scene_ask(path_run *run, pose_path *path, const path_pose *at)
{
    path_pose kept = *at; // its label ends with the next line
    graze_pose *poses = calloc((size_t)run->scene->mover_count, sizeof *poses);
    char *label = at->label != NULL ? strdup(at->label) : NULL;
    int code;
    kept.label = label;
    if (poses == NULL || (at->label != NULL && label == NULL)) {
        code = two_shapes_result(&run->two, GRAZE_ERROR_MEMORY);
    } else {
        code = read_poses(run, path, &kept, poses);
        run->two.failed = code != EXIT_NOTHING_FOUND;
        if (code == EXIT_NOTHING_FOUND)
            code = ask_here(run, poses, &kept);
    }
    free(poses);
    free(label);
    return code;
}

// --- Objects that were hit

static int compare_others(const void *a, const void *b)
{
    const object_stretch *x = a, *y = b;
    if (x->other.index1 != y->other.index1)
        return x->other.index1 < y->other.index1 ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int compare_firsts(const void *a, const void *b)
{
    const object_hits *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->other.index1 > y->other.index1) - (x->other.index1 < y->other.index1);
}

// Steps in which several movers hit it count once: stretches of one object are joined.
object_hits *path_scene_hits(path_scene *scene)
{
    uint64_t count = scene->count, hits = 0, end = 0;
    object_stretch *sorted = count == 0 ? NULL : malloc((size_t)count * sizeof *sorted);
    object_hits *found = count == 0 ? NULL : malloc((size_t)count * sizeof *found);
    if (sorted == NULL || found == NULL) {
        free(sorted);
        free(found);
        return NULL;
    }
    memcpy(sorted, scene->stretches, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_others);
    for (uint64_t i = 0; i < count; ++i) {
        const object_stretch *stretch = &sorted[i];
        if (i == 0 || !same_object(stretch->other, sorted[i - 1].other)) {
            found[hits++] = (object_hits){stretch->other, 0, stretch->first};
            end = stretch->first;
        }
        uint64_t from = stretch->first > end ? stretch->first : end;
        if (stretch->last + 1 > from) {
            found[hits - 1].step_count += stretch->last + 1 - from;
            end = stretch->last + 1;
        }
    }
    free(sorted);
    scene->hit_count = hits;
    qsort(found, (size_t)hits, sizeof *found, compare_firsts);
    return found;
}
