// graze make cylinders, tori, models, breaking, cloth: things that deform, frame by frame, each in
// a file of its own. See frames.h.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame_names.h"
#include "frames.h"
#include "json_out.h"
#include "make_scene.h"
#include "terminal.h"
#include "units.h"

enum { USUAL_FRAMES = 100, MOST_FRAMES = 1000000 };
#define TRIANGLE_BYTES 18 // of a frame in memory, about

typedef struct frames_run {
    cmd_session session;
    const cmd_arguments *arguments;
    generator_frames_def def;
    generator_frames *frames;
    frame_names names;
    uint32_t first, last; // from 1
    bool holds_names;     // of objects: the format does
    graze_mesh_sink file; // of the frame at hand
    uint64_t byte_count, most_triangles, most_vertices;
} frames_run;

// --- Options

static int take_counts(frames_run *run)
{
    const cmd_arguments *arguments = run->arguments;
    const uint64_t *number = arguments->number;
    uint64_t count = is_given(arguments, OPTION_FRAMES) ? number[OPTION_FRAMES] : USUAL_FRAMES;
    uint64_t one = number[OPTION_FRAME];
    if (count == 0 || count > MOST_FRAMES)
        return usage_error(arguments->command, "--frames takes a number from 1 to %d", MOST_FRAMES);
    if (is_given(arguments, OPTION_FRAME) && (one == 0 || one > count))
        return usage_error(arguments->command, "--frame takes a number from 1 to %" PRIu64, count);
    run->def.frame_count = (uint32_t)count;
    run->first = one != 0 ? (uint32_t)one : 1;
    run->last = one != 0 ? (uint32_t)one : (uint32_t)count;
    return EXIT_NOTHING_FOUND;
}

static int take_def(frames_run *run)
{
    const cmd_arguments *arguments = run->arguments;
    const char *scene = arguments->operands[0];
    bool wanders = strcmp(scene, "cylinders") == 0 || strcmp(scene, "tori") == 0;
    run->def = (generator_frames_def){.scene = scene,
                                      .object_count = arguments->number[OPTION_OBJECT_COUNT],
                                      .triangle_count = arguments->number[OPTION_TRIANGLES],
                                      .seed = arguments->number[OPTION_SEED]};
    if (is_given(arguments, OPTION_DENSITY) && !wanders)
        return usage_error(arguments->command, "%s takes no --density", scene);
    if (is_given(arguments, OPTION_OBJECT_COUNT) && !wanders && strcmp(scene, "breaking") != 0)
        return usage_error(arguments->command, "%s takes no --objects", scene);
    if (is_given(arguments, OPTION_OBJECT_COUNT) &&
        (run->def.object_count == 0 || run->def.object_count > GENERATOR_FRAMES_OBJECTS))
        return usage_error(arguments->command, "--objects takes a number from 1 to 1000000");
    if (is_given(arguments, OPTION_TRIANGLES) &&
        (run->def.triangle_count == 0 || run->def.triangle_count > GENERATOR_FRAMES_TRIANGLES))
        return usage_error(arguments->command, "--triangles takes a number from 1 to 1073741824");
    if (is_given(arguments, OPTION_DENSITY) &&
        (!parse_part(arguments->text[OPTION_DENSITY], &run->def.density) ||
         run->def.density >= 1.0))
        return usage_error(arguments->command, "--density takes a part below 1, such as 5%%");
    return take_counts(run);
}

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), wanted = strlen(ending);
    return length > wanted && strcasecmp(path + length - wanted, ending) == 0;
}

// Frames of several objects go where these stay what they are.
static int take_names(frames_run *run)
{
    const cmd_arguments *arguments = run->arguments;
    int code = take_frame_names(arguments, run->last, &run->names);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    if (!run->names.has_numbers) {
        if (is_given(arguments, OPTION_FRAMES) && !is_given(arguments, OPTION_FRAME) &&
            run->last > 1)
            return usage_error(arguments->command,
                               "%" PRIu32 " frames take a folder, -o FRAMES/, or a name with %%d, "
                               "such as frame_%%04d.glb; --frame chooses one",
                               run->last);
        run->last = run->first;
    }
    char path[FRAME_PATH_BYTES], *packed = NULL;
    if (!frame_path(&run->names, run->last, path))
        return usage_error(arguments->command, "--output is too long");
    if (has_ending(path, ".gz") || has_ending(path, ".zst")) {
        packed = strrchr(path, '.');
        *packed = '\0';
    }
    run->holds_names = has_ending(path, ".glb") || has_ending(path, ".obj");
    bool one_object = strcmp(run->def.scene, "cloth") == 0;
    if (!one_object && (has_ending(path, ".ply") ||
                        (has_ending(path, ".stl") && !is_given(arguments, OPTION_ASCII))))
        return usage_error(arguments->command,
                           "%s has several objects, which %s files do not keep apart; .glb and "
                           ".obj do",
                           run->def.scene, strrchr(path, '.'));
    return EXIT_NOTHING_FOUND;
}

// --- What is there already

static int make_folder(frames_run *run, bool *made)
{
    const char *folder = run->names.folder;
    *made = folder[0] != '\0' && mkdir(folder, 0777) == 0;
    if (folder[0] == '\0' || *made || errno == EEXIST)
        return EXIT_NOTHING_FOUND;
    session_error(&run->session, "%s: cannot make this folder: %s", folder, strerror(errno));
    return EXIT_BAD_INPUT;
}

static bool is_there(const frames_run *run, uint32_t number, char path[FRAME_PATH_BYTES])
{
    struct stat about;
    return frame_path(&run->names, number, path) && lstat(path, &about) == 0;
}

// Files of somebody else are not written over unless --replace says so, and a sequence that was
// longer is told: whoever reads *.glb reads its end, too.
static int look_around(frames_run *run)
{
    char path[FRAME_PATH_BYTES];
    bool replace = is_given(run->arguments, OPTION_REPLACE) || !run->names.has_numbers;
    for (uint32_t i = run->first; i <= run->last && !replace; ++i)
        if (is_there(run, i, path)) {
            session_error(&run->session, "%s is there already: --replace writes over it", path);
            return EXIT_BAD_INPUT;
        }
    if (run->names.has_numbers && run->last == run->def.frame_count &&
        is_there(run, run->last + 1, path))
        note(&run->session, "warning: %s is there, and is not of these %" PRIu32 " frames", path,
             run->def.frame_count);
    return EXIT_NOTHING_FOUND;
}

// --- Frames

static graze_status pass_begin(void *user, const graze_mesh_header *header)
{
    frames_run *run = user;
    return run->file.begin(run->file.user, header);
}

static graze_status pass_vertices(void *user, const void *positions, uint64_t count)
{
    frames_run *run = user;
    return run->file.vertices(run->file.user, positions, count);
}

static graze_status pass_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    frames_run *run = user;
    return is_stopped() ? GRAZE_ERROR_CANCELLED
                        : run->file.triangles(run->file.user, corners, count);
}

// A format without names would warn of each file.
static graze_status pass_object(void *user, const graze_object *object)
{
    frames_run *run = user;
    graze_object nameless = *object;
    nameless.name = nameless.group = "";
    bool keeps = run->holds_names || is_given(run->arguments, OPTION_ASCII);
    return run->file.object(run->file.user, keeps ? object : &nameless);
}

static graze_status pass_end(void *user, const graze_mesh_losses *losses)
{
    frames_run *run = user;
    return run->file.end(run->file.user, losses);
}

static graze_status write_frame(frames_run *run, const char *path, const generator_frame *frame)
{
    graze_mesh_sink sink = {.user = run,
                            .begin = pass_begin,
                            .vertices = pass_vertices,
                            .triangles = pass_triangles,
                            .object = pass_object,
                            .end = pass_end};
    graze_mesh_write_def def = graze_mesh_write_def_default();
    graze_mesh_writer *writer = NULL;
    def.ascii = is_given(run->arguments, OPTION_ASCII);
    def.big_endian = is_given(run->arguments, OPTION_BIG_ENDIAN);
    def.order = GRAZE_ORDER_VERTICES_FIRST;
    graze_status status =
        graze_mesh_writer_open(run->session.context, path, &def, &run->file, &writer);
    if (status != GRAZE_OK)
        return status;
    status = generator_frame_stream(frame, &sink);
    if (status == GRAZE_OK)
        return graze_mesh_writer_commit(writer);
    graze_mesh_writer_abandon(writer);
    return status;
}

static void report_frame(frames_run *run, uint32_t number, const char *path,
                         const generator_frame *frame)
{
    struct stat about = {0};
    uint64_t bytes = stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
    run->byte_count += bytes;
    if (frame->triangle_count > run->most_triangles) {
        run->most_triangles = frame->triangle_count;
        run->most_vertices = frame->vertex_count;
    }
    if (!is_given(run->arguments, OPTION_JSON))
        return;
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_count(&json, "frame", number);
    json_text(&json, "file", path);
    json_count(&json, "bytes", bytes);
    json_count(&json, "vertices", frame->vertex_count);
    json_count(&json, "triangles", frame->triangle_count);
    json_count(&json, "object_count", frame->object_count);
    json_close(&json, '}');
    json_end_line(&json);
}

static int make_frame(frames_run *run, uint32_t number, const char *path)
{
    uint64_t limit = run->arguments->number[OPTION_MEMORY];
    generator_frame frame;
    graze_status status = generator_frames_at(run->frames, number - 1, &frame);
    if (status == GRAZE_OK && limit != 0 &&
        frame.triangle_count + frame.vertex_count > limit / sizeof(float[3])) {
        char triangles[TEXT_BYTES];
        session_error(&run->session, "a frame of %s triangles takes more than --memory %s",
                      print_count(triangles, frame.triangle_count),
                      run->arguments->text[OPTION_MEMORY]);
        status = GRAZE_ERROR_MEMORY;
    }
    if (status == GRAZE_OK)
        status = write_frame(run, path, &frame);
    if (status == GRAZE_OK)
        report_frame(run, number, path, &frame);
    return session_result(&run->session, status);
}

static int make_all(frames_run *run, uint32_t *done)
{
    char path[FRAME_PATH_BYTES];
    int code = EXIT_NOTHING_FOUND;
    run->session.own_bar = run->last > run->first;
    for (uint32_t i = run->first; i <= run->last && code == EXIT_NOTHING_FOUND; ++i) {
        if (run->session.own_bar)
            bar_update(&(graze_progress){"frames", "frames", *done, run->last - run->first + 1});
        (void)frame_path(&run->names, i, path);
        code = is_stopped() ? session_result(&run->session, GRAZE_ERROR_CANCELLED)
                            : make_frame(run, i, path);
        *done += code == EXIT_NOTHING_FOUND;
        if (ferror(stdout) != 0)
            code = EXIT_RESOURCES; // main says why
    }
    bar_clear();
    return code;
}

static void report(const frames_run *run, uint32_t done)
{
    char first[FRAME_PATH_BYTES], last[FRAME_PATH_BYTES];
    char size[TEXT_BYTES], triangles[TEXT_BYTES], vertices[TEXT_BYTES], count[TEXT_BYTES];
    uint32_t wanted = run->last - run->first + 1;
    print_bytes(size, run->byte_count);
    print_count(triangles, run->most_triangles);
    print_count(vertices, run->most_vertices);
    (void)frame_path(&run->names, run->first, first);
    (void)frame_path(&run->names, run->first + done - 1, last);
    if (done == 0)
        return;
    if (done < wanted)
        note(&run->session, "%" PRIu32 " of %" PRIu32 " frames were written", done, wanted);
    else if (is_given(run->arguments, OPTION_JSON))
        return;
    else if (wanted == 1)
        note(&run->session, "wrote %s, %s, with %s triangles and %s vertices", first, size,
             triangles, vertices);
    else
        note(&run->session, "wrote %s to %s: %s frames, %s, with up to %s triangles", first, last,
             print_count(count, done), size, triangles);
}

// --- All of it

// The scenes have no log: what they return becomes a sentence here.
static int open_frames(frames_run *run)
{
    uint64_t limit = run->arguments->number[OPTION_MEMORY];
    uint64_t objects = run->def.object_count != 0 ? run->def.object_count : 1;
    if (limit != 0 && run->def.triangle_count > limit / TRIANGLE_BYTES / objects) {
        session_error(&run->session, "so many triangles take more than --memory %s",
                      run->arguments->text[OPTION_MEMORY]);
        return EXIT_RESOURCES;
    }
    graze_status status = generator_frames_open(&run->def, &run->frames);
    if (status == GRAZE_ERROR_ARGUMENT)
        return usage_error(run->arguments->command,
                           "the objects of a frame have at most 1073741824 triangles together");
    return session_result(&run->session, status);
}

int make_frames(const cmd_arguments *arguments)
{
    frames_run run = {.arguments = arguments};
    uint32_t done = 0;
    bool made = false;
    int code = take_def(&run);
    if (code == EXIT_NOTHING_FOUND)
        code = take_names(&run);
    if (code == EXIT_NOTHING_FOUND)
        code = session_open(&run.session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = open_frames(&run);
    if (code == EXIT_NOTHING_FOUND)
        code = make_folder(&run, &made);
    if (code == EXIT_NOTHING_FOUND)
        code = look_around(&run);
    if (code == EXIT_NOTHING_FOUND) {
        code = make_all(&run, &done);
        report(&run, done);
    }
    if (made && done == 0)
        rmdir(run.names.folder);
    generator_frames_close(run.frames);
    session_close(&run.session);
    return code;
}
