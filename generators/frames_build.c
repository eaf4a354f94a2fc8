// Grids, turns and shifts. See frames_build.h.
#include "frames_build.h"

uint64_t frame_grid_vertices(uint64_t rows, uint64_t columns, bool wrap_rows, bool wrap_columns)
{
    return (rows + !wrap_rows) * (columns + !wrap_columns);
}

void frame_grid_corners(uint64_t rows, uint64_t columns, bool wrap_rows, bool wrap_columns,
                        uint32_t *corners)
{
    uint64_t stride = columns + !wrap_columns;
    for (uint64_t row = 0; row < rows; ++row)
        for (uint64_t column = 0; column < columns; ++column) {
            uint64_t below = (wrap_rows && row + 1 == rows ? 0 : row + 1) * stride;
            uint64_t right = wrap_columns && column + 1 == columns ? 0 : column + 1;
            uint32_t quad[4] = {(uint32_t)(row * stride + column), (uint32_t)(row * stride + right),
                                (uint32_t)(below + right), (uint32_t)(below + column)};
            *corners++ = quad[0];
            *corners++ = quad[1];
            *corners++ = quad[2];
            *corners++ = quad[0];
            *corners++ = quad[2];
            *corners++ = quad[3];
        }
}

frame_pose frame_pose_identity(void)
{
    return (frame_pose){.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

// A direction by chance, of length 1: the first of a row of points of a cube that is in its ball.
static void draw_axis(uint64_t seed, double axis[3])
{
    double square = 0.0;
    for (uint64_t i = 0; !(square > 0.01 && square <= 1.0); i += 3) {
        square = 0.0;
        for (uint64_t k = 0; k < 3; ++k) {
            axis[k] = 2.0 * shape_unit(seed, i + k) - 1.0;
            square += axis[k] * axis[k];
        }
    }
    double length = sqrt(square);
    for (int k = 0; k < 3; ++k)
        axis[k] /= length;
}

frame_pose frame_pose_about(uint64_t seed, double turns, const double centre[3],
                            const double shift[3])
{
    double axis[3], sine = 0.0, cosine = 0.0;
    draw_axis(seed, axis);
    frame_sine_cosine(turns, &sine, &cosine);
    frame_pose pose;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            pose.turn[i][k] = (i == k ? cosine : 0.0) + (1.0 - cosine) * axis[i] * axis[k];
    for (int i = 0; i < 3; ++i) { // Rodrigues' formula: and the part across the axis
        pose.turn[(i + 2) % 3][(i + 1) % 3] += sine * axis[i];
        pose.turn[(i + 1) % 3][(i + 2) % 3] -= sine * axis[i];
    }
    for (int i = 0; i < 3; ++i)
        pose.shift[i] =
            (centre[i] + shift[i]) - ((pose.turn[i][0] * centre[0] + pose.turn[i][1] * centre[1]) +
                                      pose.turn[i][2] * centre[2]);
    return pose;
}

frame_pose frame_pose_after(const frame_pose *second, const frame_pose *first)
{
    frame_pose pose;
    for (int i = 0; i < 3; ++i) {
        const double *row = second->turn[i];
        for (int k = 0; k < 3; ++k)
            pose.turn[i][k] = (row[0] * first->turn[0][k] + row[1] * first->turn[1][k]) +
                              row[2] * first->turn[2][k];
        pose.shift[i] =
            ((row[0] * first->shift[0] + row[1] * first->shift[1]) + row[2] * first->shift[2]) +
            second->shift[i];
    }
    return pose;
}

void frame_pose_apply(const frame_pose *pose, const double point[3], float out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = (float)(((pose->turn[i][0] * point[0] + pose->turn[i][1] * point[1]) +
                          pose->turn[i][2] * point[2]) +
                         pose->shift[i]);
}

double frame_time(const generator_frames *frames, uint32_t number)
{
    uint32_t last = frames->def.frame_count - 1;
    if (number >= last)
        return last == 0 ? 0.0 : 1.0;
    return (double)number / (double)last;
}

// Newton's method, from above: each step is nearer until rounding ends it.
double frame_cube_root(double value)
{
    double root = 1.0;
    for (int i = 0; i < 60; ++i)
        root = (2.0 * root + value / (root * root)) / 3.0;
    return root;
}

void frame_sine_cosine(double turns, double *sine, double *cosine)
{
    const uint64_t whole = UINT64_C(1) << 40;
    double part = turns - floor(turns);
    uint64_t k = (uint64_t)(part * (double)whole);
    shape_turn(k < whole ? k : 0, whole, sine, cosine);
}

double frame_sine(double turns)
{
    double sine = 0.0, cosine = 0.0;
    frame_sine_cosine(turns, &sine, &cosine);
    return sine;
}
