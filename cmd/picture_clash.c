// See picture_clash.h. The clash is found as graze clash finds it. Then all objects that are in the
// picture are drawn, each as coarse as half a pixel allows, into a layer of their own kind.
#include "picture_clash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clash_paint.h"
#include "clash_question.h"
#include "json_out.h"
#include "losses.h"
#include "png_file.h"
#include "scene_files.h"
#include "units.h"

#define SENTENCE_BYTES 1024
#define LEAST_LEFT     (UINT64_C(32) << 20) // for the check
#define AROUND         0.6 // of the smaller object's longest side: the picture reaches so far

typedef struct clash_picture {
    cmd_session session;
    const cmd_arguments *arguments;
    const picture_frame *frame;
    clash_question question;
    uint64_t wanted, met; // number of the clash; how many have come
    graze_clash clash;
    graze_scene_object object[2]; // of the clash
    raster layers[LAYER_COUNT];
    // Of the object that is being drawn:
    raster *layer;
    graze_pose pose;
    graze_precision precision;
    float (*place)[3]; // of its vertices
    uint64_t count, capacity;
} clash_picture;

// --- Which clash

static graze_status take_clash(void *user, const graze_clash *clash)
{
    clash_picture *p = user;
    if (++p->met != p->wanted)
        return GRAZE_OK;
    p->clash = *clash;
    return GRAZE_ERROR_CANCELLED; // the others do not matter
}

static int find_clash(clash_picture *p)
{
    char count[TEXT_BYTES];
    graze_scene *scene = p->question.scene;
    graze_status status = graze_scene_clash(scene, &p->question.def, take_clash, p, NULL);
    if (p->met < p->wanted) {
        if (status != GRAZE_OK)
            return session_result(&p->session, status);
        if (p->met == 0)
            session_error(&p->session, "%s: there is no clash", p->arguments->operands[0]);
        else
            session_error(&p->session, "%s: there %s only %s %s", p->arguments->operands[0],
                          p->met == 1 ? "is" : "are", print_count(count, p->met),
                          p->met == 1 ? "clash" : "clashes");
        return EXIT_BAD_INPUT;
    }
    session_forget_error(&p->session);
    status = graze_scene_get(scene, p->clash.a, &p->object[0]);
    if (status == GRAZE_OK)
        status = graze_scene_get(scene, p->clash.b, &p->object[1]);
    return session_result(&p->session, status);
}

// --- Layers

static double longest_side(const graze_box *box)
{
    double longest = 0;
    for (int axis = 0; axis < 3; ++axis)
        longest = fmax(longest, box->max[axis] - box->min[axis]);
    return longest;
}

// Where the two are in contact, or close, and both points of the clash.
static graze_box place_of(const graze_clash *clash)
{
    graze_box box = clash->region;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = fmin(box.min[axis], fmin(clash->point_a[axis], clash->point_b[axis]));
        box.max[axis] = fmax(box.max[axis], fmax(clash->point_a[axis], clash->point_b[axis]));
    }
    return box;
}

static double middle_of(const graze_box *box, int axis)
{
    return 0.5 * box->min[axis] + 0.5 * box->max[axis];
}

// A cube around that.
static int open_layers(clash_picture *p)
{
    graze_box place = place_of(&p->clash);
    double low[3], high[3];
    double half = AROUND * fmin(longest_side(&p->object[0].box), longest_side(&p->object[1].box));
    half = fmax(half, longest_side(&place));
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = middle_of(&place, axis) - half;
        high[axis] = middle_of(&place, axis) + half;
    }
    bool good = true;
    for (int i = 0; i < LAYER_COUNT && good; ++i)
        good =
            raster_open(&p->layers[i], low, high, p->frame->view, p->frame->z_up, p->frame->width);
    if (good)
        return EXIT_NOTHING_FOUND;
    session_error(&p->session, "out of memory for a picture");
    return EXIT_RESOURCES;
}

// Whether a box of the world may be in the picture.
static bool is_in_view(const raster *r, const graze_box *box)
{
    float least[2] = {HUGE_VALF, HUGE_VALF}, most[2] = {-HUGE_VALF, -HUGE_VALF};
    for (int corner = 0; corner < 8; ++corner) {
        double point[3];
        float at[3];
        for (int axis = 0; axis < 3; ++axis)
            point[axis] = corner >> axis & 1 ? box->max[axis] : box->min[axis];
        raster_place(r, point, at);
        for (int k = 0; k < 2; ++k) {
            least[k] = fminf(least[k], at[k]);
            most[k] = fmaxf(most[k], at[k]);
        }
    }
    return most[0] >= 0 && most[1] >= 0 && least[0] <= (float)r->columns &&
           least[1] <= (float)r->rows;
}

static graze_status take_header(void *user, const graze_mesh_header *header)
{
    clash_picture *p = user;
    p->precision = header->precision;
    p->count = 0;
    return GRAZE_OK;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    clash_picture *p = user;
    if (count > p->capacity - p->count) {
        uint64_t capacity = p->capacity + p->capacity / 2 + count;
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
        graze_pose_apply(&p->pose, own, world);
        raster_place(p->layer, world, p->place[p->count++]);
    }
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    clash_picture *p = user;
    for (uint64_t t = 0; t < count; ++t)
        raster_draw(p->layer, p->place[corners[3 * t]], p->place[corners[3 * t + 1]],
                    p->place[corners[3 * t + 2]]);
    return is_stopped() ? GRAZE_ERROR_CANCELLED : GRAZE_OK;
}

static bool is_same(graze_object_id a, graze_object_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

static int draw_objects(clash_picture *p)
{
    graze_scene *scene = p->question.scene;
    graze_scene_object object;
    graze_status status = GRAZE_OK;
    graze_mesh_sink sink = {
        .user = p, .begin = take_header, .vertices = take_vertices, .triangles = take_triangles};
    for (graze_object_id id = graze_scene_next(scene, (graze_object_id){0});
         id.index1 != 0 && status == GRAZE_OK; id = graze_scene_next(scene, id)) {
        status = graze_scene_get(scene, id, &object);
        if (status != GRAZE_OK || object.triangle_count == 0 ||
            !is_in_view(&p->layers[LAYER_A], &object.box))
            continue;
        p->layer = &p->layers[is_same(id, p->clash.a)   ? LAYER_A
                              : is_same(id, p->clash.b) ? LAYER_B
                                                        : LAYER_REST];
        p->pose = object.pose;
        status = graze_scene_stream(scene, id, p->layer->pixel / 2, &sink, NULL);
    }
    return session_result(&p->session, status);
}

// --- The file

static uint64_t triangles_drawn(const clash_picture *p)
{
    uint64_t count = 0;
    for (int i = 0; i < LAYER_COUNT; ++i)
        count += p->layers[i].triangle_count;
    return count;
}

static void put_object(cmd_json *json, const clash_picture *p, const char *key, int number)
{
    json_open(json, key, '{');
    json_text(json, "path", p->object[number].path);
    json_text(json, "colour", layer_colours[number]);
    json_close(json, '}');
}

static void report(const clash_picture *p)
{
    const raster *r = &p->layers[LAYER_A];
    const char *path = p->arguments->text[OPTION_OUTPUT];
    char size[TEXT_BYTES], triangles[TEXT_BYTES], sentence[SENTENCE_BYTES];
    struct stat about = {0};
    uint64_t bytes = stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
    graze_clash_sentence(p->question.scene, &p->clash, sentence, sizeof sentence);
    if (!is_given(p->arguments, OPTION_JSON)) {
        note(&p->session, "%s", sentence);
        for (int i = 0; i < 2; ++i)
            note(&p->session, "%s: \"%s\"", layer_colours[i], p->object[i].path);
        note(&p->session, "wrote %s, %s, %u x %u pixels, from %s triangles", path,
             print_bytes(size, bytes), r->width, r->height,
             print_count(triangles, triangles_drawn(p)));
        return;
    }
    cmd_json json = {.file = stdout};
    graze_mesh_losses losses = graze_scene_get_info(p->question.scene).losses;
    json_open(&json, NULL, '{');
    json_text(&json, "file", path);
    json_count(&json, "bytes", bytes);
    json_count(&json, "width", r->width);
    json_count(&json, "height", r->height);
    json_count(&json, "triangles", triangles_drawn(p));
    put_losses(&json, "losses", &losses);
    json_open(&json, "clash", '{');
    json_count(&json, "number", p->wanted);
    json_text(&json, "kind", graze_clash_kind_text(p->clash.kind));
    put_object(&json, p, "a", 0);
    put_object(&json, p, "b", 1);
    json_text(&json, "sentence", sentence);
    json_close(&json, '}');
    json_close(&json, '}');
    json_end_line(&json);
}

static int write_picture(clash_picture *p)
{
    const raster *r = &p->layers[LAYER_A];
    const char *path = p->arguments->text[OPTION_OUTPUT];
    clash_mark mark;
    graze_box place = place_of(&p->clash);
    double middle[3], reach = 0;
    for (int axis = 0; axis < 3; ++axis) {
        middle[axis] = middle_of(&place, axis);
        reach = hypot(reach, 0.5 * (place.max[axis] - place.min[axis]));
    }
    raster_place(r, p->clash.point_a, mark.from);
    raster_place(r, p->clash.point_b, mark.to);
    raster_place(r, middle, mark.middle);
    mark.reach = (float)(reach * r->scale);
    uint8_t *pixels = clash_paint(p->layers, &mark);
    if (pixels == NULL) {
        session_error(&p->session, "out of memory for a picture");
        return EXIT_RESOURCES;
    }
    int error = png_write(path, pixels, r->width, r->height);
    free(pixels);
    if (error == 0) {
        report(p);
        return EXIT_NOTHING_FOUND;
    }
    session_error(&p->session, "%s: %s", path, strerror(error));
    return EXIT_RESOURCES;
}

// The layers are beside what the context counts.
static int share_with_layers(const cmd_arguments *arguments, const picture_frame *frame,
                             uint64_t *share)
{
    int code = share_memory(arguments, "a picture of a clash", share);
    uint64_t layers = clash_paint_bytes(frame->width);
    if (code != EXIT_NOTHING_FOUND || *share == 0)
        return code;
    if (layers + LEAST_LEFT > *share) {
        uint64_t least = (layers + 2 * LEAST_LEFT) / 15 * 16; // share_memory keeps some back
        say("a picture of a clash that is %u pixels wide takes --memory %uM at least", frame->width,
            (unsigned)(least >> 20) + 1);
        return EXIT_RESOURCES;
    }
    *share -= layers;
    return EXIT_NOTHING_FOUND;
}

int draw_clash(const cmd_arguments *arguments, const picture_frame *frame)
{
    clash_picture p = {
        .arguments = arguments, .frame = frame, .wanted = arguments->number[OPTION_CLASH]};
    cmd_arguments within = *arguments;
    p.question = (clash_question){.session = &p.session, .arguments = arguments};
    if (p.wanted == 0)
        return usage_error(arguments->command, "clashes are counted from 1");
    if (is_given(arguments, OPTION_ERROR))
        return usage_error(arguments->command, "--error and --clash cannot go together");
    int code = check_clash_options(arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = share_with_layers(arguments, frame, &within.number[OPTION_MEMORY]);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = session_open(&p.session, &within);
    if (code == EXIT_NOTHING_FOUND)
        code = clash_question_open(&p.question, within.number[OPTION_MEMORY]);
    if (code == EXIT_NOTHING_FOUND)
        code = find_clash(&p);
    if (code == EXIT_NOTHING_FOUND)
        code = open_layers(&p);
    if (code == EXIT_NOTHING_FOUND)
        code = draw_objects(&p);
    if (code == EXIT_NOTHING_FOUND)
        code = write_picture(&p);
    for (int i = 0; i < LAYER_COUNT; ++i)
        raster_close(&p.layers[i]);
    free(p.place);
    clash_question_close(&p.question);
    session_close(&p.session);
    return code;
}
