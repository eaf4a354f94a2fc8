// graze demo: makes data of its own and shows the main jobs on it: frames of things that deform, a
// clash check, answers with an error from models, making, inspecting, converting, the truth about
// triangles that nearly touch, and colliding. Everything it says is checked while it runs.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "demo_clash.h"
#include "demo_cull.h"
#include "demo_errors.h"
#include "demo_meshes.h"
#include "demo_triangles.h"
#include "graze/graze.h"
#include "report.h"
#include "session.h"
#include "shapes.h"
#include "terminal.h"
#include "units.h"

#define PATH_BYTES 4096

typedef struct demo_run {
    cmd_session session;
    char folder[PATH_BYTES];
    bool keep;
    char path[PATH_BYTES]; // of the file at hand
    const char *written[32];
    size_t written_count;
} demo_run;

// --- The folder

static int open_folder(demo_run *demo, const char *keep)
{
    const char *temporary = getenv("TMPDIR");
    demo->keep = keep != NULL;
    if (demo->keep) {
        snprintf(demo->folder, sizeof demo->folder, "%s", keep);
        if (mkdir(keep, 0777) == 0 || errno == EEXIST)
            return EXIT_NOTHING_FOUND;
    } else {
        snprintf(demo->folder, sizeof demo->folder, "%s/graze-demo.XXXXXX",
                 temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
        if (mkdtemp(demo->folder) != NULL)
            return EXIT_NOTHING_FOUND;
    }
    say("%s: cannot make this folder: %s", demo->folder, strerror(errno));
    return EXIT_BAD_INPUT;
}

static const char *path_of(demo_run *demo, const char *name)
{
    snprintf(demo->path, sizeof demo->path, "%.3000s/%s", demo->folder, name);
    return demo->path;
}

static void close_folder(demo_run *demo)
{
    if (demo->keep || demo->folder[0] == '\0')
        return;
    for (size_t i = 0; i < demo->written_count; ++i)
        unlink(path_of(demo, demo->written[i]));
    rmdir(demo->folder);
}

// --- Steps

// Titles are numbered as they come.
static void print_title(const char *title)
{
    static int number;
    printf("\n%s%d. %s%s\n\n", style_on(stdout, STYLE_BOLD), ++number, title,
           style_on(stdout, STYLE_PLAIN));
    fflush(stdout);
}

// Streams from a shape, or from another file if `shape` is NULL, into a file of the folder.
static graze_status write_file(demo_run *demo, const char *name, const generator_shape_def *shape,
                               const char *source)
{
    graze_context *context = demo->session.context;
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    graze_status status =
        graze_mesh_writer_open(context, path_of(demo, name), NULL, &sink, &writer);
    if (status != GRAZE_OK)
        return status;
    demo->written[demo->written_count++] = name;
    status = shape != NULL ? generator_shape_stream(shape, &sink)
                           : graze_mesh_stream(context, path_of(demo, source), NULL, &sink);
    if (status == GRAZE_OK)
        return graze_mesh_writer_commit(writer);
    graze_mesh_writer_abandon(writer);
    return status;
}

// One kind of defect is named, several are counted: the full report comes later.
static void shorten(char summary[SUMMARY_BYTES], uint64_t defects)
{
    static const char mark[] = "defects: ";
    char *list = strstr(summary, mark), count[TEXT_BYTES];
    if (list == NULL)
        return;
    size_t room = SUMMARY_BYTES - (size_t)(list - summary);
    if (strstr(list, ", ") == NULL)
        memmove(list, list + strlen(mark), strlen(list + strlen(mark)) + 1);
    else
        snprintf(list, room, "%s defects", print_count(count, defects));
}

static graze_status show_summary(demo_run *demo, const char *name)
{
    graze_mesh_report *report = NULL;
    graze_status status =
        graze_mesh_inspect(demo->session.context, path_of(demo, name), NULL, &report);
    if (status == GRAZE_OK) {
        char count[TEXT_BYTES], size[TEXT_BYTES], summary[SUMMARY_BYTES];
        uint64_t defects = summarize_report(report, summary);
        shorten(summary, defects);
        bar_clear();
        printf("   %-12s  %9s  %9s   %s\n", name, print_count(count, report->triangle_count),
               print_bytes(size, report->file_bytes), summary);
    }
    graze_mesh_report_free(demo->session.context, report);
    return status;
}

static int show_errors(demo_run *demo, const cmd_arguments *arguments, bool *right)
{
    enum { FILES = 6, MESHES = 2 };
    static const char *const names[FILES] = {"knot_fine.ply", "ring_fine.ply", "knot.graze",
                                             "ring.graze",    "way.txt",       "way.html"};
    static const generator_shape_def shapes[MESHES] = {{.kind = "knot", .triangle_count = 120000},
                                                       {.kind = "torus", .triangle_count = 120000}};
    char *paths[FILES] = {NULL};
    graze_status status = GRAZE_OK;
    print_title("Answers with an error, from models (graze build, collide, distance, path)");
    for (size_t i = 0; i < FILES && status == GRAZE_OK; ++i) {
        if (i < MESHES)
            status = write_file(demo, names[i], &shapes[i], NULL);
        else
            demo->written[demo->written_count++] = names[i];
        if (status == GRAZE_OK && (paths[i] = strdup(path_of(demo, names[i]))) == NULL)
            status = GRAZE_ERROR_MEMORY;
    }
    int code = session_result(&demo->session, status);
    demo_models models = {.session = &demo->session,
                          .arguments = arguments,
                          .mesh = {paths[0], paths[1]},
                          .model = {paths[2], paths[3]},
                          .poses = paths[4],
                          .page = paths[5],
                          .keep = demo->keep};
    if (code == EXIT_NOTHING_FOUND)
        code = demo_errors(&models, right);
    for (size_t i = 0; i < FILES; ++i)
        free(paths[i]);
    return code;
}

static graze_status make_shapes(demo_run *demo)
{
    static const struct {
        const char *name;
        generator_shape_def shape;
    } files[] = {{"knot.ply", {.kind = "knot", .triangle_count = 20000}},
                 {"terrain.stl", {.kind = "terrain", .triangle_count = 200000}},
                 {"plates.glb", {.kind = "plates", .triangle_count = 20000}},
                 {"nasty.obj", {.kind = "nasty"}}};
    print_title("Shapes to work on (graze make), and what they are (graze info)");
    printf("   %-12s  %9s  %9s   %s\n", "file", "triangles", "size", "in short");
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        graze_status status = write_file(demo, files[i].name, &files[i].shape, NULL);
        if (status == GRAZE_OK)
            status = show_summary(demo, files[i].name);
        if (status != GRAZE_OK)
            return status;
    }
    return GRAZE_OK;
}

static graze_status show_defects(demo_run *demo)
{
    print_title("The whole truth about a broken file (graze info --objects)");
    graze_mesh_report *report = NULL;
    graze_status status =
        graze_mesh_inspect(demo->session.context, path_of(demo, "nasty.obj"), NULL, &report);
    if (status == GRAZE_OK)
        print_report("nasty.obj", report, NULL, true);
    graze_mesh_report_free(demo->session.context, report);
    return status;
}

static bool corner_bits_equal(const graze_mesh_view *a, const graze_mesh_view *b, uint64_t triangle,
                              uint32_t corner)
{
    double left[3], right[3];
    uint64_t left_bits[3], right_bits[3];
    graze_mesh_view_corner(a, triangle, corner, left);
    graze_mesh_view_corner(b, triangle, corner, right);
    memcpy(left_bits, left, sizeof left);
    memcpy(right_bits, right, sizeof right);
    return memcmp(left_bits, right_bits, sizeof left_bits) == 0;
}

// The number of triangles whose corners differ in some bit.
static uint64_t count_differences(const graze_mesh_view *a, const graze_mesh_view *b)
{
    uint64_t differences = a->triangle_count != b->triangle_count ? 1 : 0;
    for (uint64_t i = 0; i < a->triangle_count && i < b->triangle_count; ++i) {
        bool same = true;
        for (uint32_t corner = 0; corner < 3; ++corner)
            same = corner_bits_equal(a, b, i, corner) && same;
        differences += !same;
    }
    return differences;
}

static graze_status compare_files(demo_run *demo, const char *source, const char *name, bool *equal)
{
    graze_context *context = demo->session.context;
    graze_mesh *a = NULL, *b = NULL;
    struct stat about = {0};
    graze_status status = graze_mesh_read(context, path_of(demo, source), NULL, &a);
    if (status == GRAZE_OK)
        status = graze_mesh_read(context, path_of(demo, name), NULL, &b);
    if (status == GRAZE_OK && stat(demo->path, &about) == 0) {
        graze_mesh_view left = graze_mesh_get(a), right = graze_mesh_get(b);
        uint64_t differences = count_differences(&left, &right);
        char size[TEXT_BYTES], count[TEXT_BYTES];
        printf("   %-8s -> %-13s %8s  %s triangles, %s\n", source, name,
               print_bytes(size, (uint64_t)about.st_size), print_count(count, right.triangle_count),
               differences == 0 ? "every bit the same" : "NOT THE SAME");
        *equal = *equal && differences == 0;
    }
    graze_mesh_free(a);
    graze_mesh_free(b);
    return status;
}

static graze_status convert_round(demo_run *demo, bool *equal)
{
    static const char *const files[] = {"knot.ply", "knot.obj", "knot.glb", "knot.stl",
                                        "again.ply.zst"};
    print_title("From format to format (graze convert), and every corner compared");
    for (size_t i = 1; i < sizeof files / sizeof *files; ++i) {
        graze_status status = write_file(demo, files[i], NULL, files[i - 1]);
        if (status == GRAZE_OK)
            status = compare_files(demo, files[i - 1], files[i], equal);
        if (status != GRAZE_OK)
            return status;
    }
    return GRAZE_OK;
}

static int show_clashes(demo_run *demo, bool *right)
{
    static const char name[] = "plant.glb";
    print_title("What clashes in a plant? (graze make plant, clash)");
    demo->written[demo->written_count++] = name;
    return session_result(&demo->session,
                          demo_clash(demo->session.context, path_of(demo, name), right));
}

static int show_frames(demo_run *demo, bool *right)
{
    print_title("What meets when things deform and break? (graze make tori, breaking, cull)");
    return session_result(&demo->session, demo_cull(demo->session.context, right));
}

static int run_steps(demo_run *demo, const cmd_arguments *arguments)
{
    bool equal = true, right = true;
    int code = show_frames(demo, &right);
    if (code == EXIT_NOTHING_FOUND)
        code = show_clashes(demo, &right);
    if (code == EXIT_NOTHING_FOUND)
        code = show_errors(demo, arguments, &right);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    graze_status status = make_shapes(demo);
    if (status == GRAZE_OK)
        status = show_defects(demo);
    if (status == GRAZE_OK)
        status = convert_round(demo, &equal);
    code = session_result(&demo->session, is_stopped() ? GRAZE_ERROR_CANCELLED : status);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    print_title("Two triangles that nearly touch, where the truth is known beforehand");
    right = demo_triangles() == 0 && equal && right;
    print_title("Two whole meshes (graze collide)");
    code = session_result(&demo->session, demo_meshes(demo->session.context, &right));
    if (code != EXIT_NOTHING_FOUND || right)
        return code;
    say("the demo found a mistake of graze");
    return EXIT_FOUND;
}

int command_demo(const cmd_arguments *arguments)
{
    demo_run demo = {0};
    int code = session_open(&demo.session, arguments);
    demo.session.quiet = true; // what is wrong with its meshes is what it shows
    if (code == EXIT_NOTHING_FOUND)
        code = open_folder(&demo, arguments->text[OPTION_KEEP]);
    if (code == EXIT_NOTHING_FOUND)
        code = run_steps(&demo, arguments);
    close_folder(&demo);
    if (code == EXIT_NOTHING_FOUND && demo.keep)
        printf("\nThe files are in %s.\n", demo.folder);
    session_close(&demo.session);
    return code;
}
