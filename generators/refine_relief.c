// Noise after Perlin: each point of the integer lattice has a slope, and between them the slopes
// are blended by polynomials. See refine_relief.h.
#include "refine_relief.h"

#define FAR   0x1p40
#define DECAY 0.6 // each octave has waves half as long, and is so many times as high

// One of the twelve slopes from the middle of a cube to its edges, as Perlin chose them; four of
// them come twice.
static double slope(uint64_t hash, double x, double y, double z)
{
    uint64_t pick = hash >> 60;
    double u = pick < 8 ? x : y;
    double v = pick < 4 ? y : pick == 12 || pick == 14 ? x : z;
    return ((pick & 1) == 0 ? u : -u) + ((pick & 2) == 0 ? v : -v);
}

static uint64_t mix(uint64_t hash)
{
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    return (hash ^ hash >> 29) * 0x9e3779b97f4a7c15u;
}

static double blend(double from, double to, double weight) { return from + weight * (to - from); }

double refine_noise(uint64_t seed, const double at[3])
{
    static const uint64_t stride[3] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu,
                                       0x165667b19e3779f9u};
    uint64_t base = seed;
    double rest[3], weight[3];
    for (int axis = 0; axis < 3; ++axis) {
        if (!(at[axis] > -FAR && at[axis] < FAR))
            return 0.0;
        int64_t cell = (int64_t)at[axis];
        cell -= at[axis] < (double)cell;
        double t = at[axis] - (double)cell;
        rest[axis] = t;
        weight[axis] = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        base += (uint64_t)cell * stride[axis];
    }
    double value[2][2];
    for (uint64_t k = 0; k < 2; ++k)
        for (uint64_t j = 0; j < 2; ++j) {
            uint64_t hash = base + j * stride[1] + k * stride[2];
            double y = rest[1] - (double)j, z = rest[2] - (double)k;
            value[k][j] = blend(slope(mix(hash), rest[0], y, z),
                                slope(mix(hash + stride[0]), rest[0] - 1.0, y, z), weight[0]);
        }
    return blend(blend(value[0][0], value[0][1], weight[1]),
                 blend(value[1][0], value[1][1], weight[1]), weight[2]);
}

// A wave comes in smoothly where it is longer than the vertices are apart: one and a half times as
// long is too short to be seen, two and a half is long enough.
double refine_relief_at(const refine_relief *relief, const double at[3], double length)
{
    double wave = 2.0 * relief->mean_length, height = relief->height * length, sum = 0.0;
    for (int octave = 0; octave < relief->octaves; ++octave, wave *= 0.5, height *= DECAY) {
        double seen = wave * relief->cuts / length - 1.5;
        if (!(seen > 0.0))
            break;
        double point[3];
        for (int axis = 0; axis < 3; ++axis)
            point[axis] = (at[axis] - relief->centre[axis]) / wave;
        sum += (seen < 1.0 ? seen : 1.0) * height *
               refine_noise(relief->seed + (uint64_t)octave * 0x632be59bd9b4e019u, point);
    }
    return sum;
}
