// graze picture: a mesh or a model in, a PNG file out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cull_ask.h"
#include "graze/graze.h"
#include "json_out.h"
#include "losses.h"
#include "model_error.h"
#include "picture_clash.h"
#include "picture_clash_manual.h"
#include "picture_levels.h"
#include "picture_pcs.h"
#include "picture_raster.h"
#include "png_file.h"
#include "scene_files.h"
#include "session.h"
#include "units.h"
#include "written_path.h"

// Triangles on their way into the picture.
typedef struct drawing {
    raster raster;
    graze_precision precision;
    float (*place)[3]; // of the vertices so far
    uint64_t count, capacity;
    uint64_t most_bytes; // for all of this
    graze_mesh_losses losses;
} drawing;

// What a picture takes beside the model or mesh.
static uint64_t bytes_of(const raster *r, uint64_t vertices)
{
    return (uint64_t)r->columns * r->rows * (2 * sizeof(float) + 1) + vertices * sizeof(float[3]);
}

static graze_status take_header(void *user, const graze_mesh_header *header)
{
    ((drawing *)user)->precision = header->precision;
    return GRAZE_OK;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    drawing *d = user;
    if (count > d->capacity - d->count) {
        uint64_t capacity = d->capacity + d->capacity / 2 + count;
        float(*place)[3] = bytes_of(&d->raster, capacity) > d->most_bytes
                               ? NULL
                               : realloc(d->place, (size_t)capacity * sizeof *place);
        if (place == NULL)
            return GRAZE_ERROR_MEMORY;
        d->place = place;
        d->capacity = capacity;
    }
    for (uint64_t v = 0; v < count; ++v) {
        double point[3];
        for (uint64_t k = 0; k < 3; ++k)
            point[k] = d->precision == GRAZE_FLOAT32 ? (double)((const float *)positions)[3 * v + k]
                                                     : ((const double *)positions)[3 * v + k];
        raster_place(&d->raster, point, d->place[d->count++]);
    }
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    drawing *d = user;
    for (uint64_t t = 0; t < count; ++t)
        raster_draw(&d->raster, d->place[corners[3 * t]], d->place[corners[3 * t + 1]],
                    d->place[corners[3 * t + 2]]);
    return is_stopped() ? GRAZE_ERROR_CANCELLED : GRAZE_OK;
}

static graze_status take_object(void *user, const graze_object *object)
{
    (void)user;
    (void)object;
    return GRAZE_OK;
}

static graze_status take_end(void *user, const graze_mesh_losses *losses)
{
    (void)user;
    (void)losses;
    return GRAZE_OK;
}

static int draw_model(cmd_session *session, const cmd_arguments *arguments, drawing *d)
{
    graze_model *model = NULL;
    graze_mesh_sink sink = {.user = d,
                            .begin = take_header,
                            .vertices = take_vertices,
                            .triangles = take_triangles,
                            .object = take_object,
                            .end = take_end};
    double error = 0;
    int code =
        session_result(session, graze_model_open(session->context, arguments->operands[0], &model));
    if (code == EXIT_NOTHING_FOUND) {
        graze_model_info info = graze_model_get_info(model);
        d->losses = info.losses;
        warn_of_model(session, arguments->operands[0], model);
        if (info.triangle_count == 0)
            info.box = graze_box_empty();
        code = open_picture_raster(session, arguments, &info.box, &d->raster);
        error = d->raster.pixel / 2;
    }
    if (code == EXIT_NOTHING_FOUND && is_given(arguments, OPTION_ERROR))
        code = find_model_error(arguments, model, &error);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(session, graze_model_stream_coarse(model, error, &sink, NULL));
    graze_model_free(model);
    return code;
}

static graze_box box_of(const graze_mesh_view *view)
{
    graze_box box = graze_box_empty();
    for (uint64_t i = 0; i < 3 * view->triangle_count; ++i)
        for (uint64_t k = 0; k < 3; ++k) {
            uint64_t at = 3 * (uint64_t)view->corners[i] + k;
            double x = view->precision == GRAZE_FLOAT32
                           ? (double)((const float *)view->positions)[at]
                           : ((const double *)view->positions)[at];
            box.min[k] = fmin(box.min[k], x);
            box.max[k] = fmax(box.max[k], x);
        }
    return box;
}

static int draw_view(cmd_session *session, const cmd_arguments *arguments,
                     const graze_mesh_view *view, drawing *d)
{
    graze_box box = box_of(view);
    int code = open_picture_raster(session, arguments, &box, &d->raster);
    d->precision = view->precision;
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(session, take_vertices(d, view->positions, view->vertex_count));
    for (uint64_t t = 0; t < view->triangle_count && code == EXIT_NOTHING_FOUND; ++t) {
        const uint32_t *c = view->corners + 3 * t;
        uint64_t corners[3] = {c[0], c[1], c[2]};
        code = session_result(session, take_triangles(d, corners, 1));
    }
    return code;
}

static int draw_mesh(cmd_session *session, const cmd_arguments *arguments, drawing *d)
{
    graze_mesh *mesh = NULL, *flat = NULL;
    if (is_given(arguments, OPTION_ERROR))
        return usage_error(arguments->command, "--error is for models, and %s is a mesh",
                           arguments->operands[0]);
    graze_status status =
        graze_mesh_read(session->context, input_path(arguments->operands[0]), NULL, &mesh);
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        d->losses = graze_mesh_get_losses(mesh);
        status = graze_mesh_flatten(session->context, &view, &flat);
    }
    int code = session_result(session, status);
    if (code == EXIT_NOTHING_FOUND) {
        graze_mesh_view view = graze_mesh_get(flat);
        code = draw_view(session, arguments, &view, d);
    }
    graze_mesh_free(flat);
    graze_mesh_free(mesh);
    return code;
}

// Of a frame in colours `pcs` says what they are about; else it is NULL.
static void report(const cmd_session *session, const cmd_arguments *arguments, const raster *r,
                   uint64_t triangle_count, const graze_mesh_losses *losses, const pcs_picture *pcs)
{
    const char *path = arguments->text[OPTION_OUTPUT];
    char size[TEXT_BYTES], triangles[TEXT_BYTES], left[TEXT_BYTES], meet[TEXT_BYTES];
    struct stat about = {0};
    uint64_t bytes = stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
    if (is_given(arguments, OPTION_JSON)) {
        cmd_json json = {.file = stdout};
        json_open(&json, NULL, '{');
        json_text(&json, "file", path);
        json_count(&json, "bytes", bytes);
        json_count(&json, "width", r->width);
        json_count(&json, "height", r->height);
        json_count(&json, "triangles", triangle_count);
        if (pcs != NULL) {
            json_count(&json, "triangles_left", pcs->left_count);
            json_count(&json, "triangles_in_contact", pcs->contact_count);
        }
        put_losses(&json, "losses", losses);
        json_close(&json, '}');
        json_end_line(&json);
        return;
    }
    note(session, "wrote %s, %s, %u x %u pixels, from %s %s", path, print_bytes(size, bytes),
         r->width, r->height, print_count(triangles, triangle_count),
         triangle_count == 1 ? "triangle" : "triangles");
    if (pcs != NULL)
        note(session, "%s left after culling, in colours, of them %s in contact, in red",
             print_count(left, pcs->left_count), print_count(meet, pcs->contact_count));
}

static int write_pixels(cmd_session *session, const char *path, uint8_t *pixels, const raster *r)
{
    if (pixels == NULL) {
        session_error(session, "out of memory for a picture");
        return EXIT_RESOURCES;
    }
    int error = png_write(path, pixels, r->width, r->height);
    free(pixels);
    if (error == 0)
        return EXIT_NOTHING_FOUND;
    session_error(session, "%s: %s", path, strerror(error));
    return EXIT_RESOURCES;
}

static int picture_of_pcs(cmd_session *session, const cmd_arguments *arguments)
{
    pcs_picture p = {.left_count = 0};
    const raster *r = &p.layers[0];
    uint64_t triangle_count = 0;
    int code = draw_pcs(session, arguments, &p);
    for (int i = 0; i < PCS_LAYERS; ++i)
        triangle_count += p.layers[i].triangle_count;
    if (code == EXIT_NOTHING_FOUND)
        code = write_pixels(session, arguments->text[OPTION_OUTPUT],
                            raster_pixels_of(p.layers, PCS_LAYERS), r);
    if (code == EXIT_NOTHING_FOUND)
        report(session, arguments, r, triangle_count, &p.losses, &p);
    close_pcs(&p);
    return code;
}

static int picture_of_all(cmd_session *session, const cmd_arguments *arguments)
{
    drawing d = {.most_bytes = is_given(arguments, OPTION_MEMORY) ? arguments->number[OPTION_MEMORY]
                                                                  : UINT64_MAX};
    const raster *r = &d.raster;
    int code = graze_model_recognise(arguments->operands[0]) != 0
                   ? draw_model(session, arguments, &d)
                   : draw_mesh(session, arguments, &d);
    if (code == EXIT_NOTHING_FOUND)
        code = write_pixels(session, arguments->text[OPTION_OUTPUT], raster_pixels(r), r);
    if (code == EXIT_NOTHING_FOUND)
        report(session, arguments, r, r->triangle_count, &d.losses, NULL);
    raster_close(&d.raster);
    free(d.place);
    return code;
}

static int check_options(const cmd_arguments *arguments)
{
    static const option_id of_pcs[] = {OPTION_TOLERANCE, OPTION_SELF,   OPTION_ONLY_SELF,
                                       OPTION_ENGINE,    OPTION_PASSES, OPTION_RESOLUTION};
    if (is_given(arguments, OPTION_PCS) && is_given(arguments, OPTION_ERROR))
        return usage_error(arguments->command, "--pcs and --error cannot go together");
    if (is_given(arguments, OPTION_PCS) && is_given(arguments, OPTION_CLASH))
        return usage_error(arguments->command, "--pcs and --clash cannot go together");
    if (is_given(arguments, OPTION_LEVELS) &&
        (is_given(arguments, OPTION_PCS) || is_given(arguments, OPTION_CLASH)))
        return usage_error(arguments->command, "--levels and --%s cannot go together",
                           is_given(arguments, OPTION_PCS) ? "pcs" : "clash");
    if (is_given(arguments, OPTION_LEVELS) && !is_given(arguments, OPTION_ERROR))
        return usage_error(arguments->command, "--levels takes --error: the levels are those of "
                                               "an answer");
    if (is_given(arguments, OPTION_LEVELS) != (arguments->operand_count == 2))
        return usage_error(arguments->command, "a picture of two files takes --levels, and "
                                               "--levels two files");
    if (is_given(arguments, OPTION_POSE) && !is_given(arguments, OPTION_LEVELS))
        return usage_error(arguments->command, "--pose is for --levels");
    for (size_t i = 0; i < sizeof of_pcs / sizeof *of_pcs; ++i)
        if (is_given(arguments, of_pcs[i]) && !is_given(arguments, OPTION_PCS))
            return usage_error(arguments->command, "--%s goes with --pcs", options[of_pcs[i]].name);
    return check_cull_options(arguments);
}

// Options that say which clashes there are mean nothing where none is drawn; only a unit does.
static int refuse_clash_options(const cmd_arguments *arguments)
{
    static const option_id of_clashes[] = {PICTURE_CLASH_OPTIONS};
    for (size_t i = 0; i < sizeof of_clashes / sizeof of_clashes[0]; ++i)
        if (is_given(arguments, of_clashes[i]) &&
            !(of_clashes[i] == OPTION_UNIT && is_given(arguments, OPTION_LEVELS)))
            return usage_error(arguments->command, "--%s is for --clash",
                               options[of_clashes[i]].name);
    return EXIT_NOTHING_FOUND;
}

static int picture_of_place(const cmd_arguments *arguments,
                            int (*draw)(const cmd_arguments *, const picture_frame *))
{
    picture_frame frame;
    int code = read_picture_frame(arguments, VIEW_CORNER, &frame);
    return code == EXIT_NOTHING_FOUND ? draw(arguments, &frame) : code;
}

int command_picture(const cmd_arguments *arguments)
{
    cmd_session session;
    const char *path = arguments->text[OPTION_OUTPUT];
    if (path == NULL)
        return usage_error(arguments->command, "picture needs a file to write: -o FILE");
    int code = check_options(arguments);
    for (int i = 0; i < arguments->operand_count && code == EXIT_NOTHING_FOUND; ++i)
        code = check_not_read(arguments, path, arguments->operands[i]);
    if (code == EXIT_NOTHING_FOUND)
        code = check_ending(arguments, path, "a PNG file", ".png");
    if (code != EXIT_NOTHING_FOUND)
        return code;
    if (is_given(arguments, OPTION_CLASH))
        return picture_of_place(arguments, draw_clash);
    code = refuse_clash_options(arguments);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    if (is_given(arguments, OPTION_LEVELS))
        return picture_of_place(arguments, draw_levels);
    code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&session, refuse_scene(&session, arguments->operands[0]));
    if (code == EXIT_NOTHING_FOUND)
        code = (is_given(arguments, OPTION_PCS) ? picture_of_pcs : picture_of_all)(&session,
                                                                                   arguments);
    session_close(&session);
    return code;
}
