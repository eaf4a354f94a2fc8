// Breaking objects, as in figure 6 of the CULLIDE paper: the hare falls through the serpent, which
// breaks where it is hit, again and again. Number of objects and triangles of each change from
// frame to frame, and pieces that are new have vertices of their own along their cuts.
//
// All possible pieces form a binary tree, made once: a piece is a block of the serpent's grid, and
// breaks across its longer side. When it does depends on when the hare comes to its height. A part
// goes on with the motion of the piece it was broken from, and has one of its own on top of it:
// so where everything is follows from the time alone.
#include <stdlib.h>

#include "frames_models.h"

typedef struct piece {
    uint64_t row, rows, column, columns; // its quads; all columns: it goes around, uncut
    double centre[3], top;
    double breaks;  // when; above 1: never
    uint32_t parts; // the first of its two; 0: none
} piece;

typedef struct breaking {
    frame_models models;
    piece *pieces; // the first is the whole serpent
    uint32_t piece_count;
    uint32_t depth; // of the tree
} breaking;

// --- The tree

static const double *serpent_vertex(const frame_models *models, uint64_t row, uint64_t column)
{
    return models->serpent + 3 * (row * models->columns + column % models->columns);
}

static void measure(const frame_models *models, piece *p)
{
    double low[3] = {9.0, 9.0, 9.0}, high[3] = {-9.0, -9.0, -9.0};
    for (uint64_t row = p->row; row <= p->row + p->rows; ++row)
        for (uint64_t column = p->column; column <= p->column + p->columns; ++column)
            for (int k = 0; k < 3; ++k) {
                double at = serpent_vertex(models, row, column)[k];
                low[k] = at < low[k] ? at : low[k];
                high[k] = at > high[k] ? at : high[k];
            }
    for (int k = 0; k < 3; ++k)
        p->centre[k] = 0.5 * (low[k] + high[k]);
    p->top = high[1];
}

// A part of a side, between a third and two thirds, and at least one quad.
static uint64_t cut_at(uint64_t side, double chance)
{
    uint64_t cut = (uint64_t)((double)side * (1.0 + chance) / 3.0);
    return cut > 0 ? cut : 1;
}

static void split(const generator_frames *frames, breaking *story, uint32_t index, uint32_t depth,
                  double born)
{
    piece *p = &story->pieces[index];
    measure(&story->models, p);
    uint64_t seed = shape_hash(frames->def.seed, index + 16);
    bool small = p->rows < 2 && p->columns < 2;
    p->breaks = 2.0;
    if (depth == story->depth || small)
        return;
    p->breaks = frame_hare_time(p->top + 0.12 - 0.03 * (double)depth - 0.05 * shape_unit(seed, 0));
    if (p->breaks < born + 0.004)
        p->breaks = born + 0.004;
    double broken = p->breaks;
    p->parts = story->piece_count;
    story->piece_count += 2;
    piece first = *p, second = *p;
    if (p->rows >= p->columns) {
        first.rows = cut_at(p->rows, shape_unit(seed, 1));
        second.row += first.rows;
        second.rows -= first.rows;
    } else {
        first.columns = cut_at(p->columns, shape_unit(seed, 1));
        second.column += first.columns;
        second.columns -= first.columns;
    }
    first.parts = second.parts = 0;
    uint32_t parts = p->parts;
    story->pieces[parts] = first;
    story->pieces[parts + 1] = second;
    split(frames, story, parts, depth + 1, broken);
    split(frames, story, parts + 1, depth + 1, broken);
}

static graze_status open_breaking(generator_frames *frames)
{
    breaking *story = calloc(1, sizeof *story);
    if (story == NULL)
        return GRAZE_ERROR_MEMORY;
    while ((UINT64_C(1) << story->depth) < frames->def.object_count)
        ++story->depth;
    story->pieces = calloc((size_t)2 << story->depth, sizeof *story->pieces);
    graze_status status =
        story->pieces != NULL ? frame_models_make(frames, &story->models) : GRAZE_ERROR_MEMORY;
    if (status != GRAZE_OK) {
        free(story->pieces);
        free(story);
        return status;
    }
    story->pieces[0] = (piece){.rows = story->models.rows, .columns = story->models.columns};
    story->piece_count = 1;
    split(frames, story, 0, 0, 0.0);
    frames->story = story;
    return GRAZE_OK;
}

static void close_breaking(void *story)
{
    frame_models_free(&((breaking *)story)->models);
    free(((breaking *)story)->pieces);
    free(story);
}

// --- Frames

// A part is a little smaller than what it was cut from, so that it does not touch the other one
// along the cut at once. Cuts and motion are in the serpent's own coordinates at rest.
static graze_status add_piece(generator_frames *frames, const breaking *story, const piece *p,
                              const frame_pose *pose)
{
    bool whole = p->columns == story->models.columns;
    uint64_t vertices = frame_grid_vertices(p->rows, p->columns, false, whole);
    float *positions = NULL;
    uint32_t *corners = NULL;
    uint64_t number = (uint64_t)(p - story->pieces);
    graze_status status = frame_add(frames, number == 0 ? "serpent" : "piece", number, vertices,
                                    2 * p->rows * p->columns, &positions, &corners);
    if (status != GRAZE_OK)
        return status;
    frame_grid_corners(p->rows, p->columns, false, whole, corners);
    double size = number == 0 ? 1.0 : 0.996;
    for (uint64_t row = p->row; row <= p->row + p->rows; ++row)
        for (uint64_t column = p->column; column < p->column + p->columns + !whole; ++column) {
            const double *rest = serpent_vertex(&story->models, row, column);
            double point[3];
            for (int k = 0; k < 3; ++k)
                point[k] = number == 0 ? rest[k] : p->centre[k] + size * (rest[k] - p->centre[k]);
            frame_pose_apply(pose, point, positions);
            positions += 3;
        }
    return GRAZE_OK;
}

// What a part does beyond the piece it comes from, at some time after the break: away from the
// other part, outward from the hare's way, tumbling; from the fourth cut on it falls. Large parts
// hardly move, since the rest of the serpent holds them.
static frame_pose own_motion(const generator_frames *frames, const piece *part, const piece *from,
                             uint64_t number, uint32_t depth, double age)
{
    uint64_t seed = shape_hash(frames->def.seed, number + 16);
    double free = (double)depth / 7.0 < 1.0 ? (double)depth / 7.0 : 1.0, shift[3];
    free *= free;
    for (int k = 0; k < 3; ++k) {
        double outward = k == 1 ? 0.0 : 0.5 * part->centre[k];
        double apart = 0.8 * (part->centre[k] - from->centre[k]);
        shift[k] = age * free * (outward + apart);
    }
    if (depth == 4)
        shift[1] -= 0.9 * age * age;
    double rate = 0.5 * free * (0.3 + shape_unit(seed, 3));
    return frame_pose_about(seed, rate * age, part->centre, shift);
}

static graze_status add_pieces(generator_frames *frames, const breaking *story, uint32_t index,
                               uint32_t depth, const frame_pose *pose, double time)
{
    const piece *p = &story->pieces[index];
    if (p->parts == 0 || time < p->breaks)
        return add_piece(frames, story, p, pose);
    graze_status status = GRAZE_OK;
    for (uint32_t i = p->parts; i < p->parts + 2 && status == GRAZE_OK; ++i) {
        frame_pose own = own_motion(frames, &story->pieces[i], p, i, depth + 1, time - p->breaks);
        frame_pose both = frame_pose_after(pose, &own);
        status = add_pieces(frames, story, i, depth + 1, &both, time);
    }
    return status;
}

static graze_status make_breaking(generator_frames *frames, uint32_t number)
{
    const breaking *story = frames->story;
    double time = frame_time(frames, number);
    frame_pose rest = frame_pose_identity();
    graze_status status = add_pieces(frames, story, 0, 0, &rest, time);
    if (status == GRAZE_OK)
        status = frame_add_hare(frames, &story->models, time);
    return status;
}

const frame_scene frame_scene_breaking = {.object_count = 128,
                                          .triangle_count = 250000,
                                          .open = open_breaking,
                                          .make = make_breaking,
                                          .close = close_breaking};
