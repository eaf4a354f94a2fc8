// See picture_levels.h. The two are asked as graze collide asks them with the same error. What is
// drawn is what took part in the answer: the cuts of both, cluster by cluster.
#include "picture_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clash_paint.h"
#include "graze/graze.h"
#include "json_out.h"
#include "losses.h"
#include "png_file.h"
#include "question_error.h"
#include "two_shapes.h"
#include "units.h"

#define MOST_LEVELS 64
#define AROUND      0.3   // of the width of the smaller one: the picture reaches so far
#define CONTACTS    0.55  // of the box of all contacts: so far at least
#define OUTLINE     0.75f // how dark the line is that parts a and b
#define LEAST_LEFT  (UINT64_C(16) << 20) // for the models

static const char *const colour_names[PAINT_LEVELS] = {"violet", "blue",   "teal", "green",
                                                       "yellow", "orange", "red",  "brown"};
static const char *const verdict_names[] = {"undecided", "apart", "contact", "within error"};

// The place of the answer: two points, and a box with them and all other contacts.
typedef struct meeting {
    graze_verdict verdict;
    double error; // reached
    double point[2][3];
    graze_box box;
} meeting;

typedef struct levels_picture {
    two_shapes two;
    const picture_frame *frame;
    raster raster;
    meeting met;
    uint64_t drawn[2][MOST_LEVELS]; // triangles of each level, of a and b
    // Of the cluster that is being drawn:
    int side;
    uint32_t level;
    graze_precision precision;
    float (*place)[3];        // of its vertices
    uint64_t count, capacity; // of them
    uint64_t first;           // the number of the first one
} levels_picture;

// --- Where they meet

static void take_point(graze_box *box, const double point[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        box->min[axis] = fmin(box->min[axis], point[axis]);
        box->max[axis] = fmax(box->max[axis], point[axis]);
    }
}

static double middle_of(const graze_box *box, int axis)
{
    return 0.5 * box->min[axis] + 0.5 * box->max[axis];
}

// Of all contacts the one in the middle has the dot.
static void take_contacts(meeting *met, const graze_answer *answer)
{
    double best = HUGE_VAL;
    for (uint64_t i = 0; i < answer->pair_count; ++i) {
        take_point(&met->box, answer->contacts[i].point_a);
        take_point(&met->box, answer->contacts[i].point_b);
    }
    for (uint64_t i = 0; i < answer->pair_count; ++i) {
        const graze_contact *contact = &answer->contacts[i];
        double off = 0;
        for (int axis = 0; axis < 3; ++axis)
            off = hypot(off, contact->point_a[axis] - middle_of(&met->box, axis));
        if (off < best || i == 0) {
            best = off;
            memcpy(met->point[0], contact->point_a, sizeof met->point[0]);
            memcpy(met->point[1], contact->point_b, sizeof met->point[1]);
        }
    }
}

static graze_status take_distance(two_shapes *two, double error, meeting *met)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance nearest;
    def.error = error;
    graze_status status =
        graze_query_distance(two->query, graze_at(two->sides[0].shape, &two->sides[0].pose),
                             graze_at(two->sides[1].shape, &two->sides[1].pose), &def, &nearest);
    if (status != GRAZE_OK)
        return status;
    take_point(&met->box, nearest.point_a);
    take_point(&met->box, nearest.point_b);
    memcpy(met->point[0], nearest.point_a, sizeof met->point[0]);
    memcpy(met->point[1], nearest.point_b, sizeof met->point[1]);
    return GRAZE_OK;
}

static int find_meeting(levels_picture *p, double error)
{
    two_shapes *two = &p->two;
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.error = error;
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.use_threads = 1;
    p->met.box = graze_box_empty();
    graze_status status =
        graze_query_collide(two->query, graze_at(two->sides[0].shape, &two->sides[0].pose),
                            graze_at(two->sides[1].shape, &two->sides[1].pose), &def, &answer);
    if (status != GRAZE_OK)
        return two_shapes_result(two, status);
    p->met.verdict = answer.verdict;
    p->met.error = answer.error;
    take_contacts(&p->met, &answer);
    if (answer.pair_count == 0)
        status = take_distance(two, error, &p->met);
    return two_shapes_result(two, status);
}

// --- Drawing

static int open_raster(levels_picture *p)
{
    double low[3], high[3], half = AROUND * smaller_width(&p->two);
    for (int axis = 0; axis < 3; ++axis)
        half = fmax(half, CONTACTS * (p->met.box.max[axis] - p->met.box.min[axis]));
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = middle_of(&p->met.box, axis) - half;
        high[axis] = middle_of(&p->met.box, axis) + half;
    }
    if (raster_open(&p->raster, low, high, p->frame->view, p->frame->z_up, p->frame->width))
        return EXIT_NOTHING_FOUND;
    session_error(&p->two.session, "out of memory for a picture");
    return EXIT_RESOURCES;
}

static graze_status take_header(void *user, const graze_mesh_header *header)
{
    levels_picture *p = user;
    p->precision = header->precision;
    p->count = p->first = 0;
    return GRAZE_OK;
}

static graze_status take_level(void *user, uint32_t level)
{
    levels_picture *p = user;
    p->first += p->count;
    p->count = 0;
    p->level = level;
    p->raster.paint =
        (raster_paint)(PAINT_LEVEL + (uint32_t)p->side * PAINT_LEVELS + level % PAINT_LEVELS);
    return GRAZE_OK;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    levels_picture *p = user;
    if (count > p->capacity - p->count) {
        uint64_t capacity = p->count + 2 * count;
        float(*place)[3] = realloc(p->place, (size_t)capacity * sizeof *place);
        if (place == NULL)
            return GRAZE_ERROR_MEMORY;
        p->place = place;
        p->capacity = capacity;
    }
    for (uint64_t v = 0; v < count; ++v) {
        double own[3], world[3];
        for (uint64_t k = 0; k < 3; ++k)
            own[k] = p->precision == GRAZE_FLOAT32 ? (double)((const float *)positions)[3 * v + k]
                                                   : ((const double *)positions)[3 * v + k];
        graze_pose_apply(&p->two.sides[p->side].pose, own, world);
        raster_place(&p->raster, world, p->place[p->count++]);
    }
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    levels_picture *p = user;
    for (uint64_t t = 0; t < count; ++t)
        raster_draw(&p->raster, p->place[corners[3 * t] - p->first],
                    p->place[corners[3 * t + 1] - p->first],
                    p->place[corners[3 * t + 2] - p->first]);
    p->drawn[p->side][p->level % MOST_LEVELS] += count;
    return is_stopped() ? GRAZE_ERROR_CANCELLED : GRAZE_OK;
}

static int draw_cuts(levels_picture *p, double error)
{
    graze_mesh_sink sink = {
        .user = p, .begin = take_header, .vertices = take_vertices, .triangles = take_triangles};
    graze_model_cut_def def = graze_model_cut_def_default();
    graze_status status = GRAZE_OK;
    def.error = error;
    def.level = take_level;
    for (p->side = 0; p->side < 2 && status == GRAZE_OK; ++p->side)
        status = graze_model_stream_cut(p->two.sides[p->side].model, &def, &sink, NULL);
    return two_shapes_result(&p->two, status);
}

// Which of the two is seen there: 1, 2, or 0 for none.
static int owner_at(const raster *r, size_t at)
{
    if (r->depth[at] == -HUGE_VALF)
        return 0;
    return r->paints[at] < PAINT_LEVEL + PAINT_LEVELS ? 1 : 2;
}

// A dark line where one ends and the other begins, since they have the same colours.
static void part_the_two(const raster *r, uint8_t *pixels)
{
    uint32_t finer = r->columns / r->width;
    for (uint32_t row = 0; row + 1 < r->height; ++row)
        for (uint32_t column = 0; column + 1 < r->width; ++column) {
            uint32_t sides = 0;
            uint8_t *pixel = pixels + ((size_t)row * r->width + column) * 3;
            for (uint32_t k = 0; k < 4 * finer * finer; ++k) // of this pixel and the next ones
                sides |= 1u << owner_at(r, ((size_t)row * finer + k / (2 * finer)) * r->columns +
                                               (size_t)column * finer + k % (2 * finer));
            for (int i = 0; i < 3 && (sides & 6u) == 6u; ++i)
                pixel[i] = (uint8_t)((float)pixel[i] * (1 - OUTLINE));
        }
}

static clash_mark mark_of(const levels_picture *p)
{
    clash_mark mark;
    const graze_box *box = &p->met.box;
    double middle[3], reach = 0;
    for (int axis = 0; axis < 3; ++axis) {
        middle[axis] = middle_of(box, axis);
        reach = hypot(reach, 0.5 * (box->max[axis] - box->min[axis]));
    }
    raster_place(&p->raster, p->met.point[0], mark.from);
    raster_place(&p->raster, p->met.point[1], mark.to);
    raster_place(&p->raster, middle, mark.middle);
    mark.reach = (float)(reach * p->raster.scale);
    return mark;
}

// --- The file, and what is said of it

static void put_levels(cmd_json *json, const levels_picture *p, int side)
{
    json_open(json, side == 0 ? "a" : "b", '{');
    json_text(json, "path", p->two.sides[side].path);
    json_open(json, "levels", '[');
    for (uint32_t level = 0; level < MOST_LEVELS; ++level) {
        if (p->drawn[side][level] == 0)
            continue;
        json_open(json, NULL, '{');
        json_count(json, "level", level);
        json_text(json, "colour", colour_names[level % PAINT_LEVELS]);
        json_count(json, "triangles", p->drawn[side][level]);
        json_close(json, '}');
    }
    json_close(json, ']');
    put_losses(json, "losses", &p->two.sides[side].losses);
    json_close(json, '}');
}

static void put_picture(const levels_picture *p, const char *path, uint64_t bytes)
{
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", path);
    json_count(&json, "bytes", bytes);
    json_count(&json, "width", p->raster.width);
    json_count(&json, "height", p->raster.height);
    json_count(&json, "triangles", p->raster.triangle_count);
    json_text(&json, "verdict", verdict_names[p->met.verdict]);
    json_real(&json, "error_reached", p->met.error);
    for (int side = 0; side < 2; ++side)
        put_levels(&json, p, side);
    json_close(&json, '}');
    json_end_line(&json);
}

static void report(const levels_picture *p)
{
    const cmd_session *session = &p->two.session;
    const char *path = p->two.arguments->text[OPTION_OUTPUT];
    char size[TEXT_BYTES], count[2][TEXT_BYTES];
    struct stat about = {0};
    uint64_t bytes = stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
    if (is_given(p->two.arguments, OPTION_JSON)) {
        put_picture(p, path, bytes);
        return;
    }
    note(session, "%s, with an error of %s", verdict_names[p->met.verdict],
         print_bound(size, p->met.error, 1));
    for (uint32_t level = 0; level < MOST_LEVELS; ++level)
        if (p->drawn[0][level] + p->drawn[1][level] != 0)
            note(session, "level %u, %s: %s of a, %s of b", level,
                 colour_names[level % PAINT_LEVELS], print_count(count[0], p->drawn[0][level]),
                 print_count(count[1], p->drawn[1][level]));
    note(session, "wrote %s, %s, %u x %u pixels, from %s triangles", path, print_bytes(size, bytes),
         p->raster.width, p->raster.height, print_count(count[0], p->raster.triangle_count));
}

static int write_picture(levels_picture *p)
{
    const char *path = p->two.arguments->text[OPTION_OUTPUT];
    uint8_t *pixels = raster_pixels(&p->raster);
    if (pixels == NULL) {
        session_error(&p->two.session, "out of memory for a picture");
        return EXIT_RESOURCES;
    }
    clash_mark mark = mark_of(p);
    part_the_two(&p->raster, pixels);
    clash_mark_put(&p->raster, &mark, pixels);
    int error = png_write(path, pixels, p->raster.width, p->raster.height);
    free(pixels);
    if (error == 0) {
        report(p);
        return EXIT_NOTHING_FOUND;
    }
    session_error(&p->two.session, "%s: %s", path, strerror(error));
    return EXIT_RESOURCES;
}

// --- All of it

// The picture is beside what the context counts.
static int share_with_picture(cmd_arguments *within, const picture_frame *frame)
{
    uint64_t *memory = &within->number[OPTION_MEMORY];
    // Each pixel is drawn as four; from a corner a cube is higher than it is wide.
    uint64_t pixels = (uint64_t)frame->width * frame->width * 5 / 4;
    uint64_t bytes = pixels * (4 * (2 * sizeof(float) + 1) + 3);
    if (*memory == 0)
        return EXIT_NOTHING_FOUND;
    if (bytes + LEAST_LEFT > *memory) {
        say("a picture of levels that is %u pixels wide takes --memory %uM at least", frame->width,
            (unsigned)((bytes + LEAST_LEFT) >> 20) + 1);
        return EXIT_RESOURCES;
    }
    *memory -= bytes;
    return EXIT_NOTHING_FOUND;
}

static int check_sides(two_shapes *two)
{
    for (int i = 0; i < 2; ++i)
        if (two->sides[i].model == NULL) {
            session_error(&two->session,
                          "%s is a mesh, which has no levels: graze build makes a model of it",
                          two->sides[i].path);
            return EXIT_BAD_INPUT;
        }
    const char *nothing = path_without_triangles(two);
    if (nothing == NULL)
        return EXIT_NOTHING_FOUND;
    session_error(&two->session, "%s has no triangles", nothing);
    return EXIT_BAD_INPUT;
}

int draw_levels(const cmd_arguments *arguments, const picture_frame *frame)
{
    levels_picture p = {.frame = frame};
    cmd_arguments within = *arguments;
    double error = 0, no_limit;
    within.text[OPTION_ANSWER_ERROR] = arguments->text[OPTION_ERROR]; // as graze collide has it
    int code = share_with_picture(&within, frame);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = two_shapes_open(&p.two, &within, false);
    if (code == EXIT_NOTHING_FOUND)
        code = check_sides(&p.two);
    if (code == EXIT_NOTHING_FOUND)
        code = find_question_error(&p.two, &error, &no_limit);
    if (code == EXIT_NOTHING_FOUND)
        code = find_meeting(&p, error);
    if (code == EXIT_NOTHING_FOUND)
        code = open_raster(&p);
    if (code == EXIT_NOTHING_FOUND)
        code = draw_cuts(&p, error);
    if (code == EXIT_NOTHING_FOUND)
        code = write_picture(&p);
    raster_close(&p.raster);
    free(p.place);
    two_shapes_close(&p.two, code);
    return code;
}
