// A hare and a serpent, for the third environment of the CULLIDE paper and its breaking objects:
// one of 35 thousand triangles falls through one of 250 thousand. See frames_models.h.
#include "frames_models.h"

#include <stdlib.h>

#include "shapes_plan.h"

// --- The hare: a ball with a head, ears and a tail, each a hump about a direction

static const struct {
    double direction[3]; // of length 1
    double height, width;
} humps[] = {
    {{0.0, 0.6, 0.8}, 0.45, 0.55},                                      // head
    {{0.32, 0.9, 0.296}, 0.75, 0.20},                                   // ears
    {{-0.32, 0.9, 0.296}, 0.75, 0.20}, {{0.0, -0.28, -0.96}, 0.2, 0.3}, // tail
    {{0.6, -0.64, 0.48}, 0.3, 0.35},                                    // feet
    {{-0.6, -0.64, 0.48}, 0.3, 0.35},
};

// How high a direction stands out: smooth, and 0 beyond the hump's width.
static double rise(const double direction[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < sizeof humps / sizeof *humps; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double gap = direction[k] - humps[i].direction[k];
            square += gap * gap;
        }
        double part = 1.0 - square / (humps[i].width * humps[i].width);
        if (part > 0.0)
            sum += humps[i].height * part * part * (3.0 - 2.0 * part);
    }
    return sum;
}

static graze_status make_hare(uint64_t triangle_count, frame_models *models)
{
    shape_plan plan = {.triangle_count = triangle_count};
    shape_plan_sphere(&plan);
    models->hare_vertices = plan.vertex_count;
    models->hare_triangles = plan.triangle_count;
    models->hare = calloc((size_t)plan.vertex_count, 3 * sizeof *models->hare);
    models->hare_corners = calloc((size_t)plan.triangle_count, 3 * sizeof *models->hare_corners);
    if (models->hare == NULL || models->hare_corners == NULL)
        return GRAZE_ERROR_MEMORY;
    for (uint64_t i = 0; i < plan.vertex_count; ++i) {
        double *at = models->hare + 3 * i;
        plan.vertex(&plan, i, at); // of a ball with the radius 1/2
        double direction[3] = {2.0 * at[0], 2.0 * at[1], 2.0 * at[2]};
        double fur = 0.006 * frame_sine(9.0 * at[0]) * frame_sine(9.0 * at[1] + 7.0 * at[2]);
        double radius = 0.2 * (1.0 + rise(direction) + fur);
        for (int k = 0; k < 3; ++k)
            at[k] = direction[k] * radius;
    }
    for (uint64_t i = 0; i < plan.triangle_count; ++i) {
        uint64_t corners[3];
        plan.triangle(&plan, i, corners);
        for (int k = 0; k < 3; ++k)
            models->hare_corners[3 * i + (uint64_t)k] = (uint32_t)corners[k];
    }
    return GRAZE_OK;
}

// --- The serpent: a coil of three and a half turns, thin at the tail, with a head and scales

#define COILS 3.5

// Half as thick as it is, at a part of its length from the tail on.
static double girth(double along)
{
    double tail = along < 0.4 ? along / 0.4 : 1.0;
    double head = along > 0.9 ? (along - 0.9) / 0.1 : 0.0;
    double swell = head * (1.0 - head) * 4.0;
    double body = 0.018 + 0.062 * tail * (2.0 - tail);
    return (body + 0.03 * swell) * (1.0 - 0.85 * head * head * head);
}

static void serpent_ring(const frame_models *models, uint64_t row, double phase, double *out)
{
    double along = (double)row / (double)models->rows, sine = 0.0, cosine = 0.0;
    double turns = COILS * along + phase;
    frame_sine_cosine(turns, &sine, &cosine);
    double coil = 0.27 + 0.05 * frame_sine(2.3 * turns);
    double height = 0.9 * along - 0.45 + 0.03 * frame_sine(1.7 * turns);
    double thick = girth(along), around = (double)models->columns;
    for (uint64_t column = 0; column < models->columns; ++column, out += 3) {
        double up = 0.0, outward = 0.0;
        shape_turn(column, models->columns, &up, &outward);
        double scale = frame_sine(120.0 * along + 0.5 * frame_sine(8.0 * (double)column / around));
        double radius = thick * (1.0 + 0.03 * scale);
        double out_there = coil + radius * outward;
        out[0] = out_there * cosine;
        out[1] = height + radius * up;
        out[2] = out_there * sine;
    }
}

// Quads are about as long as wide: it is about 70 times as long as its girth is half of.
static graze_status make_serpent(uint64_t triangle_count, double phase, frame_models *models)
{
    models->columns = shape_side(triangle_count, 26, 3);
    models->rows = triangle_count / (2 * models->columns);
    if (models->rows < 4)
        models->rows = 4;
    models->serpent =
        calloc((size_t)((models->rows + 1) * models->columns), 3 * sizeof *models->serpent);
    if (models->serpent == NULL)
        return GRAZE_ERROR_MEMORY;
    for (uint64_t row = 0; row <= models->rows; ++row)
        serpent_ring(models, row, phase, models->serpent + 3 * row * models->columns);
    return GRAZE_OK;
}

graze_status frame_models_make(const generator_frames *frames, frame_models *models)
{
    *models = (frame_models){0};
    uint64_t triangles = frames->def.triangle_count;
    graze_status status = make_hare(triangles * 7 / 50, models);
    if (status == GRAZE_OK)
        status = make_serpent(triangles, shape_unit(frames->def.seed, 0), models);
    if (status != GRAZE_OK)
        frame_models_free(models);
    return status;
}

void frame_models_free(frame_models *models)
{
    free(models->hare);
    free(models->hare_corners);
    free(models->serpent);
    *models = (frame_models){0};
}

// --- The fall: faster and faster

#define FALL_START 1.0
#define FALL_SPEED 0.8
#define FALL_PULL  1.2

double frame_hare_height(double time)
{
    return FALL_START - (FALL_SPEED + FALL_PULL * time) * time;
}

double frame_hare_time(double height)
{
    if (height >= FALL_START)
        return 0.0;
    double square = FALL_SPEED * FALL_SPEED + 4.0 * FALL_PULL * (FALL_START - height);
    return (sqrt(square) - FALL_SPEED) / (2.0 * FALL_PULL);
}

graze_status frame_add_hare(generator_frames *frames, const frame_models *models, double time)
{
    float *positions = NULL;
    uint32_t *corners = NULL;
    graze_status status = frame_add(frames, "hare", 0, models->hare_vertices,
                                    models->hare_triangles, &positions, &corners);
    if (status != GRAZE_OK)
        return status;
    const double origin[3] = {0.0, 0.0, 0.0};
    const double shift[3] = {0.04 - 0.08 * time, frame_hare_height(time), 0.03};
    frame_pose pose = frame_pose_about(shape_hash(frames->def.seed, 1), 0.7 * time, origin, shift);
    for (uint64_t i = 0; i < models->hare_vertices; ++i)
        frame_pose_apply(&pose, models->hare + 3 * i, positions + 3 * i);
    for (uint64_t i = 0; i < 3 * models->hare_triangles; ++i)
        corners[i] = models->hare_corners[i];
    return GRAZE_OK;
}

// --- The scene: the hare passes through the serpent, and nothing breaks

static graze_status open_models(generator_frames *frames)
{
    frame_models *models = malloc(sizeof *models);
    if (models == NULL)
        return GRAZE_ERROR_MEMORY;
    graze_status status = frame_models_make(frames, models);
    if (status == GRAZE_OK)
        frames->story = models;
    else
        free(models);
    return status;
}

static void close_models(void *story)
{
    frame_models_free(story);
    free(story);
}

static graze_status make_models(generator_frames *frames, uint32_t number)
{
    const frame_models *models = frames->story;
    double time = frame_time(frames, number);
    float *positions = NULL;
    uint32_t *corners = NULL;
    uint64_t vertices = frame_grid_vertices(models->rows, models->columns, false, true);
    graze_status status = frame_add(frames, "serpent", 0, vertices,
                                    2 * models->rows * models->columns, &positions, &corners);
    if (status != GRAZE_OK)
        return status;
    for (uint64_t i = 0; i < 3 * vertices; ++i)
        positions[i] = (float)models->serpent[i];
    frame_grid_corners(models->rows, models->columns, false, true, corners);
    return frame_add_hare(frames, models, time);
}

const frame_scene frame_scene_models = {
    .triangle_count = 250000, .open = open_models, .make = make_models, .close = close_models};
