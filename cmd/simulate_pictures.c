// Pictures of a simulation: frames of a film, and a sheet of twelve.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "png_file.h"
#include "simulate_run.h"
#include "terminal.h"

enum { FRAMES_A_SECOND = 25, CELLS = 12, COLUMNS = 4, USUAL_WIDTH = 640, SHEET_WIDTH = 1280 };
#define AROUND 0.6 // what stands still is seen so far around what moves, in parts of its size

static bool wants_pictures(const simulate_run *run)
{
    return is_given(run->arguments, OPTION_VIDEO_FRAMES) || is_given(run->arguments, OPTION_SHEET);
}

static int no_memory(simulate_run *run)
{
    session_error(&run->session, "out of memory for pictures");
    return EXIT_RESOURCES;
}

// --- Triangles of files

static bool add_point(drawn_file *f, const double p[3])
{
    if (f->count == f->capacity) {
        uint64_t capacity = f->capacity + f->capacity / 2 + 3072;
        float *points = realloc(f->points, (size_t)capacity * 3 * sizeof *points);
        if (points == NULL)
            return false;
        f->points = points;
        f->capacity = capacity;
    }
    for (int i = 0; i < 3; ++i)
        f->points[3 * f->count + (uint64_t)i] = (float)p[i];
    f->count++;
    return true;
}

static graze_status take_header(void *user, const graze_mesh_header *header)
{
    ((drawn_file *)user)->precision = header->precision;
    return GRAZE_OK;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    drawn_file *f = user;
    if (f->vertex_count + count > f->vertex_capacity) {
        uint64_t capacity = f->vertex_capacity + f->vertex_capacity / 2 + count;
        double *vertices = realloc(f->vertices, (size_t)capacity * 3 * sizeof *vertices);
        if (vertices == NULL)
            return GRAZE_ERROR_MEMORY;
        f->vertices = vertices;
        f->vertex_capacity = capacity;
    }
    for (uint64_t i = 0; i < 3 * count; ++i)
        f->vertices[3 * f->vertex_count + i] = f->precision == GRAZE_FLOAT32
                                                   ? (double)((const float *)positions)[i]
                                                   : ((const double *)positions)[i];
    f->vertex_count += count;
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    drawn_file *f = user;
    for (uint64_t i = 0; i < 3 * count; ++i)
        if (!add_point(f, &f->vertices[3 * corners[i]]))
            return GRAZE_ERROR_MEMORY;
    return GRAZE_OK;
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

static graze_status read_model(graze_context *context, drawn_file *f, double error)
{
    graze_model *model = NULL;
    graze_mesh_sink sink = {.user = f,
                            .begin = take_header,
                            .vertices = take_vertices,
                            .triangles = take_triangles,
                            .object = take_object,
                            .end = take_end};
    graze_status status = graze_model_open(context, f->path, &model);
    if (status == GRAZE_OK)
        status = graze_model_stream_coarse(model, error, &sink, NULL);
    graze_model_free(model);
    return status;
}

static graze_status read_mesh(graze_context *context, drawn_file *f)
{
    graze_mesh *mesh = NULL, *flat = NULL;
    graze_status status = graze_mesh_read(context, f->path, NULL, &mesh);
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        status = graze_mesh_flatten(context, &view, &flat);
    }
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(flat);
        for (uint64_t i = 0; i < 3 * view.triangle_count && status == GRAZE_OK; ++i) {
            double p[3];
            graze_mesh_view_corner(&view, i / 3, (uint32_t)(i % 3), p);
            if (!add_point(f, p))
                status = GRAZE_ERROR_MEMORY;
        }
    }
    graze_mesh_free(flat);
    graze_mesh_free(mesh);
    return status;
}

static int read_files(simulate_run *run)
{
    uint32_t count = graze_sim_body_count(run->sim);
    double size = 0;
    run->files = calloc(count + 1u, sizeof *run->files);
    run->file_of = calloc(count + 1u, sizeof *run->file_of);
    if (run->files == NULL || run->file_of == NULL)
        return no_memory(run);
    for (int i = 0; i < 3; ++i)
        size = fmax(size, run->high[i] - run->low[i]);
    for (uint32_t body = 0; body < count; ++body) {
        const char *path = graze_sim_scene_file(run->scene, body);
        uint32_t known = 0;
        while (known < run->file_count && run->files[known].path != path)
            ++known;
        run->file_of[body] = known;
        if (known < run->file_count)
            continue;
        drawn_file *f = &run->files[run->file_count++];
        f->path = path;
        graze_status status = graze_model_recognise(path) != 0
                                  ? read_model(run->session.context, f, 1e-3 * size)
                                  : read_mesh(run->session.context, f);
        free(f->vertices);
        f->vertices = NULL;
        if (status != GRAZE_OK)
            return session_result(&run->session, status);
    }
    return EXIT_NOTHING_FOUND;
}

// --- What is seen

static graze_box box_of(const simulate_run *run, uint32_t body)
{
    graze_body_state s;
    graze_box box = graze_shape_get_info(graze_sim_body_shape(run->sim, body)).box;
    if (graze_sim_get_body(run->sim, body, &s) != GRAZE_OK)
        return graze_box_empty();
    return graze_box_posed(&box, &s.pose);
}

// What moves, where it is at the start, and what stands still around it.
static void choose_box(simulate_run *run)
{
    graze_box seen = graze_box_empty(), all = graze_box_empty();
    for (uint32_t i = 0; i < graze_sim_body_count(run->sim); ++i) {
        graze_box box = box_of(run, i);
        all = graze_box_join(&all, &box);
        if (graze_sim_body_kind(run->sim, i) != GRAZE_BODY_STATIC)
            seen = graze_box_join(&seen, &box);
    }
    double size = 0;
    for (int i = 0; i < 3; ++i)
        size = fmax(size, seen.max[i] - seen.min[i]);
    if (!(seen.min[0] <= seen.max[0])) {
        seen = all;
        size = 0;
    }
    for (int i = 0; i < 3; ++i) {
        run->low[i] = fmax(all.min[i], seen.min[i] - AROUND * size);
        run->high[i] = fmin(all.max[i], seen.max[i] + AROUND * size);
    }
    if (run->setting.has_view != 0 && run->setting.sees.min[0] <= run->setting.sees.max[0]) {
        memcpy(run->low, run->setting.sees.min, sizeof run->low);
        memcpy(run->high, run->setting.sees.max, sizeof run->high);
    }
}

static raster_view view_of(const simulate_run *run)
{
    const char *const *choices = options[OPTION_VIEW].choices;
    const char *name = is_given(run->arguments, OPTION_VIEW) ? run->arguments->text[OPTION_VIEW]
                                                             : run->setting.view;
    int view = 0;
    while (choices[view + 1] != NULL && strcmp(choices[view], name) != 0)
        view++;
    return (raster_view)view;
}

// A scene has z up, unless it is said.
static bool z_is_up(const simulate_run *run)
{
    const char *up = run->arguments->text[OPTION_UP];
    return up == NULL || strcmp(up, "z") == 0;
}

static bool open_raster(const simulate_run *run, uint32_t width, raster *r)
{
    return raster_open(r, run->low, run->high, view_of(run), z_is_up(run), width);
}

static void draw_bodies(const simulate_run *run, raster *r)
{
    for (uint32_t body = 0; body < graze_sim_body_count(run->sim); ++body) {
        const drawn_file *f = &run->files[run->file_of[body]];
        graze_body_state s;
        if (graze_sim_get_body(run->sim, body, &s) != GRAZE_OK)
            continue;
        for (uint64_t i = 0; i + 2 < f->count; i += 3) {
            float corner[3][3];
            for (uint64_t k = 0; k < 3; ++k) {
                const float *p = &f->points[3 * (i + k)];
                double local[3] = {p[0], p[1], p[2]}, world[3];
                graze_pose_apply(&s.pose, local, world);
                raster_place(r, world, corner[k]);
            }
            raster_draw(r, corner[0], corner[1], corner[2]);
        }
    }
}

static uint8_t *picture(const simulate_run *run, uint32_t width, uint32_t *height)
{
    raster r;
    uint8_t *pixels = NULL;
    if (open_raster(run, width, &r)) {
        draw_bodies(run, &r);
        pixels = raster_pixels(&r);
        *height = r.height;
    }
    raster_close(&r);
    return pixels;
}

// --- Frames and the sheet

static int check_folder(simulate_run *run, const char *folder)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return EXIT_NOTHING_FOUND;
    session_error(&run->session, "%s: %s", folder, strerror(errno));
    return EXIT_BAD_INPUT;
}

int open_pictures(simulate_run *run)
{
    const cmd_arguments *arguments = run->arguments;
    raster r;
    if (!wants_pictures(run))
        return EXIT_NOTHING_FOUND;
    choose_box(run);
    int code = read_files(run);
    if (code == EXIT_NOTHING_FOUND && is_given(arguments, OPTION_VIDEO_FRAMES))
        code = check_folder(run, arguments->text[OPTION_VIDEO_FRAMES]);
    if (code != EXIT_NOTHING_FOUND || !is_given(arguments, OPTION_SHEET))
        return code;
    uint64_t width =
        is_given(arguments, OPTION_WIDTH) ? arguments->number[OPTION_WIDTH] : SHEET_WIDTH;
    run->cell_width = (uint32_t)(width / COLUMNS);
    bool made = open_raster(run, run->cell_width, &r);
    run->cell_height = r.height;
    raster_close(&r);
    run->sheet_width = run->cell_width * COLUMNS;
    run->sheet_height = run->cell_height * (CELLS / COLUMNS);
    run->sheet = malloc((size_t)run->sheet_width * run->sheet_height * 3);
    if (run->sheet == NULL || !made)
        return no_memory(run);
    memset(run->sheet, 255, (size_t)run->sheet_width * run->sheet_height * 3);
    return EXIT_NOTHING_FOUND;
}

static int draw_frame(simulate_run *run)
{
    char path[4096];
    const cmd_arguments *arguments = run->arguments;
    uint32_t height = 0, width = is_given(arguments, OPTION_WIDTH)
                                     ? (uint32_t)arguments->number[OPTION_WIDTH]
                                     : USUAL_WIDTH;
    uint8_t *pixels = picture(run, width, &height);
    if (pixels == NULL)
        return no_memory(run);
    snprintf(path, sizeof path, "%s/frame_%05u.png", arguments->text[OPTION_VIDEO_FRAMES],
             (unsigned)run->frame_count);
    int error = png_write(path, pixels, width, height);
    free(pixels);
    run->frame_count++;
    if (error == 0)
        return EXIT_NOTHING_FOUND;
    session_error(&run->session, "%s: %s", path, strerror(error));
    return EXIT_RESOURCES;
}

static int draw_cell(simulate_run *run)
{
    uint32_t height = 0, column = run->cell_count % COLUMNS, row = run->cell_count / COLUMNS;
    uint8_t *pixels = picture(run, run->cell_width, &height);
    if (pixels == NULL)
        return no_memory(run);
    for (uint32_t y = 0; y < height; ++y)
        memcpy(run->sheet + (((size_t)row * run->cell_height + y) * run->sheet_width +
                             (size_t)column * run->cell_width) *
                                3,
               pixels + (size_t)y * run->cell_width * 3, (size_t)run->cell_width * 3);
    free(pixels);
    run->cell_count++;
    return EXIT_NOTHING_FOUND;
}

int draw_step(simulate_run *run, uint64_t step)
{
    double time = (double)step * run->setting.def.step;
    int code = EXIT_NOTHING_FOUND;
    // A frame is due from its time on, rounding aside.
    if (is_given(run->arguments, OPTION_VIDEO_FRAMES) &&
        time * FRAMES_A_SECOND >= (double)run->frame_count - 1e-6)
        code = draw_frame(run);
    if (code == EXIT_NOTHING_FOUND && run->sheet != NULL && run->cell_count < CELLS &&
        (double)step * (CELLS - 1) >= (double)run->cell_count * (double)run->step_count)
        code = draw_cell(run);
    return code;
}

int close_pictures(simulate_run *run, bool keep)
{
    const char *path = run->arguments->text[OPTION_SHEET];
    if (keep && run->frame_count != 0)
        note(&run->session, "wrote %u frames into %s", (unsigned)run->frame_count,
             run->arguments->text[OPTION_VIDEO_FRAMES]);
    if (!keep || run->sheet == NULL)
        return EXIT_NOTHING_FOUND;
    int error = png_write(path, run->sheet, run->sheet_width, run->sheet_height);
    if (error != 0) {
        session_error(&run->session, "%s: %s", path, strerror(error));
        return EXIT_RESOURCES;
    }
    note(&run->session, "wrote %s", path);
    return EXIT_NOTHING_FOUND;
}

void free_pictures(simulate_run *run)
{
    for (uint32_t i = 0; i < run->file_count; ++i)
        free(run->files[i].points);
    free(run->files);
    free(run->file_of);
    free(run->sheet);
}
