// A cloth that folds onto itself: a sheet whose direction swings to and fro along its length, wider
// and wider, as a river meanders. From about 125 degrees on its bends meet. Folds are not the same
// along their width, so that they meet here and there first.
#include "frames_build.h"

#define FOLDS 4.0 // full swings along the sheet

static graze_status make_cloth(generator_frames *frames, uint32_t number)
{
    uint64_t side = shape_side(frames->def.triangle_count, 2, 2);
    float *positions = NULL;
    uint32_t *corners = NULL;
    graze_status status =
        frame_add(frames, "cloth", 0, frame_grid_vertices(side, side, false, false),
                  2 * side * side, &positions, &corners);
    if (status != GRAZE_OK)
        return status;
    frame_grid_corners(side, side, false, false, corners);
    double time = frame_time(frames, number), step = 1.0 / (double)side;
    double phase = shape_unit(frames->def.seed, 0);
    for (uint64_t row = 0; row <= side; ++row) {
        double across = (double)row * step;
        double swing = 0.38 * time * (1.0 + 0.1 * frame_sine(across + phase)); // at most, in turns
        double place[2] = {0.0, 0.0};
        for (uint64_t column = 0; column <= side; ++column, positions += 3) {
            double along = (double)column * step;
            double wrinkle =
                0.004 * time * frame_sine(9.0 * across + 0.5 * phase) * frame_sine(7.0 * along);
            positions[0] = (float)place[0];
            positions[1] = (float)(place[1] + wrinkle);
            positions[2] = (float)across;
            double sine = 0.0, cosine = 0.0;
            frame_sine_cosine(swing * frame_sine(FOLDS * along + 0.1 * across), &sine, &cosine);
            place[0] += step * cosine;
            place[1] += step * sine;
        }
    }
    return GRAZE_OK;
}

const frame_scene frame_scene_cloth = {.triangle_count = 200000, .make = make_cloth};
