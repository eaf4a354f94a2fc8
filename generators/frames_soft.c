// Cylinders and tori: soft things that wander, turn and bounce in a unit cube, as in the first two
// environments of the CULLIDE paper. Their size follows from how much of the cube they fill.
#include "frames_build.h"

// A number of chance, from -1 to 1, for the property `what` of an object.
static double draw(const generator_frames *frames, uint64_t object, uint64_t what)
{
    return 2.0 * shape_unit(shape_hash(frames->def.seed, object), what) - 1.0;
}

enum {
    DRAW_PLACE = 0, // three each, up to the waves
    DRAW_SPEED = 3,
    DRAW_TURN = 6,
    DRAW_RATE,
    DRAW_AXIS,
    DRAW_WAVE = 9 // three phases, and three speeds of these
};

// Back and forth between `reach` and 1 - `reach`, for ever.
static double bounce(double way, double reach)
{
    double part = way - 2.0 * floor(way / 2.0);
    return reach + (1.0 - 2.0 * reach) * (part <= 1.0 ? part : 2.0 - part);
}

static frame_pose wander(const generator_frames *frames, uint64_t object, uint32_t number,
                         double reach)
{
    const double origin[3] = {0.0, 0.0, 0.0};
    double shift[3];
    for (uint64_t k = 0; k < 3; ++k) {
        double start = 1.0 + draw(frames, object, DRAW_PLACE + k);
        double speed = 0.008 * draw(frames, object, DRAW_SPEED + k);
        shift[k] = bounce(start + speed * (double)number, reach < 0.5 ? reach : 0.5);
    }
    double turns =
        draw(frames, object, DRAW_TURN) + 0.008 * draw(frames, object, DRAW_RATE) * (double)number;
    uint64_t seed = shape_hash(shape_hash(frames->def.seed, object), DRAW_AXIS);
    return frame_pose_about(seed, turns, origin, shift);
}

// Where each of three waves of deformation is, in turns.
static void find_waves(const generator_frames *frames, uint64_t object, uint32_t number,
                       double waves[3])
{
    for (uint64_t k = 0; k < 3; ++k)
        waves[k] = draw(frames, object, DRAW_WAVE + k) +
                   0.02 * draw(frames, object, DRAW_WAVE + 3 + k) * (double)number;
}

// --- Cylinders: four radii high, open at both ends. The wall breathes, and the axis bends.

static graze_status make_cylinder(generator_frames *frames, uint64_t object, uint32_t number,
                                  double radius, uint64_t side)
{
    float *positions = NULL;
    uint32_t *corners = NULL;
    graze_status status =
        frame_add(frames, "cylinder", object + 1, frame_grid_vertices(side, side, false, true),
                  2 * side * side, &positions, &corners);
    if (status != GRAZE_OK)
        return status;
    frame_grid_corners(side, side, false, true, corners);
    double waves[3];
    find_waves(frames, object, number, waves);
    frame_pose pose = wander(frames, object, number, 2.8 * radius);
    for (uint64_t row = 0; row <= side; ++row) {
        double height = (double)row / (double)side - 0.5;
        double bend = 0.6 * radius * frame_sine(waves[0] + 0.5 * height);
        double breath = 1.0 + 0.15 * frame_sine(waves[1] + height);
        for (uint64_t column = 0; column < side; ++column, positions += 3) {
            double sine = 0.0, cosine = 0.0, around = (double)column / (double)side;
            shape_turn(column, side, &sine, &cosine);
            double wall = radius * (breath + 0.2 * frame_sine(2.0 * around + waves[2]));
            frame_pose_apply(&pose,
                             (double[3]){wall * cosine + bend, wall * sine, 4.0 * radius * height},
                             positions);
        }
    }
    return GRAZE_OK;
}

static graze_status make_cylinders(generator_frames *frames, uint32_t number)
{
    uint64_t side = shape_side(frames->def.triangle_count, 2, 3);
    double radius =
        frame_cube_root(frames->def.density / ((double)frames->def.object_count * 4.0 * SHAPE_PI));
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < frames->def.object_count && status == GRAZE_OK; ++i)
        status = make_cylinder(frames, i, number, radius, side);
    return status;
}

const frame_scene frame_scene_cylinders = {
    .object_count = 100, .triangle_count = 200, .density = 0.055, .make = make_cylinders};

// --- Tori: the tube is a third as thick as the ring is wide. The ring becomes oval and warps, and
// swellings run around the tube.

static graze_status make_torus(generator_frames *frames, uint64_t object, uint32_t number,
                               double radius, uint64_t side)
{
    float *positions = NULL;
    uint32_t *corners = NULL;
    graze_status status =
        frame_add(frames, "torus", object + 1, frame_grid_vertices(side, side, true, true),
                  2 * side * side, &positions, &corners);
    if (status != GRAZE_OK)
        return status;
    frame_grid_corners(side, side, true, true, corners);
    double waves[3];
    find_waves(frames, object, number, waves);
    frame_pose pose = wander(frames, object, number, 1.55 * radius);
    for (uint64_t row = 0; row < side; ++row) {
        double sine = 0.0, cosine = 0.0, along = (double)row / (double)side;
        shape_turn(row, side, &sine, &cosine);
        double ring = radius * (1.0 + 0.12 * frame_sine(2.0 * along + waves[0]));
        double lift = 0.2 * radius * frame_sine(3.0 * along + waves[1]);
        for (uint64_t column = 0; column < side; ++column, positions += 3) {
            double up = 0.0, outward = 0.0, around = (double)column / (double)side;
            shape_turn(column, side, &up, &outward);
            double tube = radius / 3.0 * (1.0 + 0.2 * frame_sine(5.0 * along + around + waves[2]));
            double out = ring + tube * outward;
            frame_pose_apply(&pose, (double[3]){out * cosine, out * sine, lift + tube * up},
                             positions);
        }
    }
    return GRAZE_OK;
}

static graze_status make_tori(generator_frames *frames, uint32_t number)
{
    uint64_t side = shape_side(frames->def.triangle_count, 2, 3);
    double volume = 2.0 * SHAPE_PI * SHAPE_PI / 9.0; // of one whose ring has the radius 1
    double radius =
        frame_cube_root(frames->def.density / ((double)frames->def.object_count * volume));
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < frames->def.object_count && status == GRAZE_OK; ++i)
        status = make_torus(frames, i, number, radius, side);
    return status;
}

const frame_scene frame_scene_tori = {
    .object_count = 6, .triangle_count = 20000, .density = 0.07, .make = make_tori};
