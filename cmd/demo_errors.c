// A knot and a ring as models: asked exactly, with an error, in a millisecond, and along a path.
// What the answers with an error promise is held against the exact ones.
#include "demo_errors.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "graze/model.h"
#include "graze/query.h"
#include "path_steps.h"
#include "terminal.h"
#include "units.h"

#define STEPS    200
#define ROUNDING 1e-12 // of the points of contacts, in shapes of size 1

// Two models that are open, with a query for exact answers and one for the others: the lists of
// both are needed at once.
typedef struct opened {
    graze_model *model[2];
    graze_shape *shape[2];
    graze_query *exact, *rough;
    double width; // of the smaller one
} opened;

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static graze_status build_model(const demo_models *models, int i, opened *o)
{
    graze_context *context = models->session->context;
    graze_model_build_def def = graze_model_build_def_default();
    char count[TEXT_BYTES], size[TEXT_BYTES], seconds[TEXT_BYTES];
    double begun = now_seconds();
    def.memory_bytes = models->arguments->number[OPTION_MEMORY];
    graze_status status = graze_model_build(context, models->mesh[i], models->model[i], &def);
    double taken = now_seconds() - begun;
    if (status == GRAZE_OK)
        status = graze_model_open(context, models->model[i], &o->model[i]);
    if (status == GRAZE_OK)
        status = graze_shape_from_model(o->model[i], &o->shape[i]);
    if (status != GRAZE_OK)
        return status;
    graze_model_info info = graze_model_get_info(o->model[i]);
    double width = 0;
    for (int axis = 0; axis < 3; ++axis)
        width = fmax(width, info.box.max[axis] - info.box.min[axis]);
    o->width = i == 0 ? width : fmin(width, o->width);
    bar_clear();
    printf("   %-11s %s triangles and %" PRIu32 " coarser levels, %s, built in %s\n",
           file_name(models->model[i]), print_count(count, info.triangle_count),
           graze_model_level_count(o->model[i]) - 1, print_bytes(size, info.file_bytes),
           print_seconds(seconds, taken));
    fflush(stdout);
    return GRAZE_OK;
}

static graze_status open_models(const demo_models *models, opened *o)
{
    graze_status status = GRAZE_OK;
    for (int i = 0; i < 2 && status == GRAZE_OK; ++i)
        status = build_model(models, i, o);
    if (status == GRAZE_OK)
        status = graze_query_create(models->session->context, &o->exact);
    if (status == GRAZE_OK)
        status = graze_query_create(models->session->context, &o->rough);
    return status;
}

static void close_models(opened *o)
{
    graze_query_free(o->exact);
    graze_query_free(o->rough);
    for (int i = 0; i < 2; ++i) {
        graze_shape_free(o->shape[i]);
        graze_model_free(o->model[i]);
    }
}

// --- Contacts

// An exact contact is covered if some contact stands for its point, on both sides.
static bool is_covered(const graze_contact *exact, const graze_answer *rough)
{
    for (uint64_t i = 0; i < rough->pair_count; ++i) {
        const graze_contact *c = &rough->contacts[i];
        double far_a = 0, far_b = 0;
        for (int k = 0; k < 3; ++k) {
            double a = exact->point_a[k] - c->point_a[k], b = exact->point_b[k] - c->point_b[k];
            far_a += a * a;
            far_b += b * b;
        }
        if (sqrt(far_a) <= c->cover_a + ROUNDING && sqrt(far_b) <= c->cover_b + ROUNDING)
            return true;
    }
    return false;
}

static uint64_t count_missed(const graze_answer *exact, const graze_answer *rough)
{
    uint64_t missed = 0;
    for (uint64_t i = 0; i < exact->pair_count; ++i)
        missed += !is_covered(&exact->contacts[i], rough);
    return missed;
}

// What is proved at levels of detail is true of the original triangles.
static bool is_true(graze_verdict said, graze_verdict exact)
{
    return said == GRAZE_UNDECIDED || said == GRAZE_WITHIN_ERROR || said == exact;
}

// Asked twice, and the second time counts: pages are in the cache then.
static graze_status ask(const opened *o, graze_query *query, const graze_collide_def *def,
                        graze_answer *answer, double *seconds)
{
    graze_posed knot = graze_at(o->shape[0], NULL), ring = graze_at(o->shape[1], NULL);
    graze_status status = graze_query_prepare(query, knot, ring, def);
    for (int i = 0; i < 2 && status == GRAZE_OK; ++i) {
        double begun = now_seconds();
        status = graze_query_collide(query, knot, ring, def, answer);
        *seconds = now_seconds() - begun;
    }
    return status;
}

static void print_answer(const opened *o, const char *asked, const graze_answer *answer,
                         double seconds)
{
    char reached[TEXT_BYTES] = "-", count[TEXT_BYTES], a[TEXT_BYTES], b[TEXT_BYTES];
    if (answer->error == 0.0)
        snprintf(reached, sizeof reached, "none");
    else if (isfinite(answer->error))
        snprintf(reached, sizeof reached, "%.3g %%", 100 * answer->error / o->width);
    printf("   %-12s  %-12s %7s  %8s %11s %11s %7.2f\n", asked, path_verdict_names[answer->verdict],
           reached, print_count(count, answer->pair_count), print_count(a, answer->cut_a),
           print_count(b, answer->cut_b), 1e3 * seconds);
}

static graze_status show_contacts(const opened *o, bool *right)
{
    static const struct {
        const char *name;
        double part, time_limit;
    } rows[] = {
        {"", 0, 0}, {"--error 0.1%", 0.001, 0}, {"--error 1%", 0.01, 0}, {"--budget 5ms", 0, 5e-3}};
    graze_collide_def def = graze_collide_def_default();
    graze_answer exact = {0}, answer;
    uint64_t missed = 0;
    double seconds = 0;
    char count[TEXT_BYTES];
    def.collect = GRAZE_COLLECT_CONTACTS;
    printf("\n   graze collide knot.graze ring.graze --contacts ...\n");
    printf("   %-12s  %-12s %7s  %8s %11s %11s %7s\n", "", "verdict", "error", "contacts",
           "of the knot", "of the ring", "ms");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        def.error = rows[i].part * o->width;
        def.time_limit = rows[i].time_limit;
        graze_status status = ask(o, i == 0 ? o->exact : o->rough, &def, &answer, &seconds);
        if (status != GRAZE_OK)
            return status;
        print_answer(o, rows[i].name, &answer, seconds);
        if (i == 0)
            exact = answer;
        else if (answer.verdict != GRAZE_UNDECIDED)
            missed += count_missed(&exact, &answer);
        *right = *right && missed == 0 && is_true(answer.verdict, exact.verdict);
    }
    printf("   The others stand for each of the %s exact contacts: %s\n",
           print_count(count, exact.pair_count), missed == 0 ? "none is missed." : "NOT TRUE.");
    return GRAZE_OK;
}

// --- A distance

static graze_status show_distance(const opened *o, bool *right)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance exact, rough;
    graze_pose aside = graze_pose_identity();
    char low[TEXT_BYTES], high[TEXT_BYTES];
    aside.translation[0] = 1.1;
    graze_posed knot = graze_at(o->shape[0], NULL), ring = graze_at(o->shape[1], &aside);
    graze_status status = graze_query_distance(o->exact, knot, ring, &def, &exact);
    def.error = 0.01 * o->width;
    if (status == GRAZE_OK)
        status = graze_query_distance(o->rough, knot, ring, &def, &rough);
    if (status != GRAZE_OK)
        return status;
    bool inside = rough.least <= exact.distance && exact.distance <= rough.distance;
    printf("\n   graze distance knot.graze ring.graze --pose b:\"1.1 0 0\" --error 1%%\n");
    printf("   from %s to %s; it is %.9g%s\n", print_bound(low, rough.least, -1),
           print_bound(high, rough.distance, 1), exact.distance,
           inside ? "" : ", WHICH IS NOT IN THERE");
    *right = *right && inside;
    return GRAZE_OK;
}

// --- A path

// The ring comes from one side, turns, and leaves on the other.
static void set_pose(int step, graze_pose *pose)
{
    double part = (double)step / (STEPS - 1), angle = 3 * part;
    *pose = graze_pose_identity();
    pose->translation[0] = 2.6 * part - 1.3;
    pose->rotation[0] = pose->rotation[8] = cos(angle); // about y
    pose->rotation[2] = sin(angle);
    pose->rotation[6] = -sin(angle);
}

static bool write_poses(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    for (int step = 0; step < STEPS; ++step) {
        graze_pose pose;
        set_pose(step, &pose);
        for (int row = 0; row < 3; ++row)
            fprintf(file, "%.17g %.17g %.17g %.17g%c", pose.rotation[3 * row],
                    pose.rotation[3 * row + 1], pose.rotation[3 * row + 2], pose.translation[row],
                    row < 2 ? ' ' : '\n');
    }
    bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

// The command itself, as it would be typed.
static int run_path(const demo_models *models)
{
    char program[] = "graze", path[] = "path", poses[] = "--poses", error[] = "--error";
    char part[] = "0.1%", report[] = "--report", quiet[] = "--quiet";
    char *words[] = {program, path, models->model[1], models->model[0], poses, models->poses,
                     error,   part, report,           models->page,     quiet};
    cmd_arguments arguments;
    if (!parse_arguments((int)(sizeof words / sizeof *words), words, &arguments))
        return EXIT_USAGE;
    arguments.number[OPTION_MEMORY] = models->arguments->number[OPTION_MEMORY];
    arguments.number[OPTION_THREADS] = models->arguments->number[OPTION_THREADS];
    printf("\n   graze path ring.graze knot.graze --poses %s --error 0.1%% -r %s\n",
           file_name(models->poses), file_name(models->page));
    fflush(stdout);
    int code = command_path(&arguments);
    bar_allow(!is_given(models->arguments, OPTION_QUIET));
    return code;
}

// The verdicts of all steps, exact and with the error: no contact may be told to be none.
static graze_status check_path(const opened *o, bool *right)
{
    graze_pose poses[STEPS];
    graze_answer exact[STEPS], rough[STEPS];
    graze_collide_def def = graze_collide_def_default();
    graze_posed knot = graze_at(o->shape[0], NULL);
    int contacts = 0, wrong = 0;
    for (int step = 0; step < STEPS; ++step)
        set_pose(step, &poses[step]);
    graze_status status =
        graze_query_collide_many(o->exact, knot, o->shape[1], poses, STEPS, &def, exact);
    def.error = 0.001 * o->width;
    if (status == GRAZE_OK)
        status = graze_query_collide_many(o->rough, knot, o->shape[1], poses, STEPS, &def, rough);
    if (status != GRAZE_OK)
        return status;
    for (int step = 0; step < STEPS; ++step) {
        contacts += exact[step].verdict == GRAZE_CONTACT;
        wrong += !is_true(rough[step].verdict, exact[step].verdict);
    }
    bar_clear();
    printf("\n   Asked exactly, %d steps are in contact. %s\n", contacts,
           wrong == 0 ? "None of them was called apart." : "SOME STEPS ARE WRONG.");
    *right = *right && wrong == 0;
    return GRAZE_OK;
}

static int show_path(const demo_models *models, const opened *o, bool *right)
{
    struct stat about = {0};
    char size[TEXT_BYTES];
    if (!write_poses(models->poses)) {
        say("%s: cannot write: %s", models->poses, strerror(errno));
        return EXIT_RESOURCES;
    }
    int code = run_path(models);
    if (code != EXIT_NOTHING_FOUND && code != EXIT_FOUND)
        return code;
    code = session_result(models->session, check_path(o, right));
    if (code != EXIT_NOTHING_FOUND || stat(models->page, &about) != 0)
        return code;
    printf("   The page has charts of all steps, %s: %s\n",
           print_bytes(size, (uint64_t)about.st_size),
           models->keep ? models->page : "--keep DIR leaves it there");
    return EXIT_NOTHING_FOUND;
}

int demo_errors(const demo_models *models, bool *right)
{
    opened o = {.width = 0};
    graze_status status = open_models(models, &o);
    if (status == GRAZE_OK)
        status = show_contacts(&o, right);
    if (status == GRAZE_OK)
        status = show_distance(&o, right);
    int code = session_result(models->session, status);
    if (code == EXIT_NOTHING_FOUND)
        code = show_path(models, &o, right);
    close_models(&o);
    return code;
}
