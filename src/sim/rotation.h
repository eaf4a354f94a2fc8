// Rotations that bodies make: unit quaternions (x, y, z, w), and what they do to vectors.
#ifndef GZ_ROTATION_H
#define GZ_ROTATION_H

#include <math.h>
#include <string.h>

#include "geometry/vector.h"

// `out` may be an argument.
static inline void gz_turn_multiply(const double p[4], const double q[4], double out[4])
{
    double x = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
    double y = p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0];
    double z = p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3];
    double w = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
}

static inline void gz_turn_normalise(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i)
        q[i] /= length;
}

// What turning about `spin` for some time makes of q.
static inline void gz_turn_by(const double spin[3], double time, const double q[4], double out[4])
{
    double rate = gz_length3(spin), half = 0.5 * rate * time;
    // sin(x) / x, by its series where the quotient has no digits
    double part = fabs(half) < 1e-4 ? 1 - half * half / 6 : sin(half) / half;
    double turn[4] = {0.5 * time * part * spin[0], 0.5 * time * part * spin[1],
                      0.5 * time * part * spin[2], cos(half)};
    gz_turn_multiply(turn, q, out);
    gz_turn_normalise(out);
}

// Three rows.
static inline void gz_turn_matrix(const double q[4], double m[9])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    m[0] = 1 - 2 * (y * y + z * z);
    m[1] = 2 * (x * y - w * z);
    m[2] = 2 * (x * z + w * y);
    m[3] = 2 * (x * y + w * z);
    m[4] = 1 - 2 * (x * x + z * z);
    m[5] = 2 * (y * z - w * x);
    m[6] = 2 * (x * z - w * y);
    m[7] = 2 * (y * z + w * x);
    m[8] = 1 - 2 * (x * x + y * y);
}

// The quaternion of a rotation that is one to rounding: from its largest part, so that nothing is
// divided by what is nearly 0.
static inline void gz_turn_of_matrix(const double m[9], double q[4])
{
    double four[4] = {1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8],
                      1 + m[0] + m[4] + m[8]};
    int best = 0;
    for (int i = 1; i < 4; ++i)
        best = four[i] > four[best] ? i : best;
    double sums[4][4] = {{four[0], m[1] + m[3], m[2] + m[6], m[7] - m[5]},
                         {m[1] + m[3], four[1], m[5] + m[7], m[2] - m[6]},
                         {m[2] + m[6], m[5] + m[7], four[2], m[3] - m[1]},
                         {m[7] - m[5], m[2] - m[6], m[3] - m[1], four[3]}};
    memcpy(q, sums[best], sizeof sums[best]);
    gz_turn_normalise(q);
}

// The spin that turns p into q in one second, by less than half a turn.
static inline void gz_turn_between(const double p[4], const double q[4], double spin[3])
{
    double back[4] = {-p[0], -p[1], -p[2], p[3]}, turn[4];
    gz_turn_multiply(q, back, turn);
    double sign = turn[3] < 0 ? -1 : 1, length = gz_length3(turn);
    double angle = 2 * atan2(length, sign * turn[3]);
    double scale = length > 1e-9 ? angle / length : 2;
    for (int i = 0; i < 3; ++i)
        spin[i] = sign * scale * turn[i];
}

static inline void gz_matrix_times(const double m[9], const double v[3], double out[3])
{
    double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; ++i)
        out[i] = m[3 * i] * x + m[3 * i + 1] * y + m[3 * i + 2] * z;
}

static inline void gz_matrix_times_transposed(const double m[9], const double v[3], double out[3])
{
    double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; ++i)
        out[i] = m[i] * x + m[3 + i] * y + m[6 + i] * z;
}

// R M R^T, for symmetric M.
static inline void gz_matrix_turned(const double r[9], const double m[9], double out[9])
{
    double half[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            half[3 * i + j] = r[3 * i] * m[j] + r[3 * i + 1] * m[3 + j] + r[3 * i + 2] * m[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = half[3 * i] * r[3 * j] + half[3 * i + 1] * r[3 * j + 1] +
                             half[3 * i + 2] * r[3 * j + 2];
}

// Of a matrix that is symmetric and has an inverse.
static inline void gz_matrix_inverse(const double m[9], double out[9])
{
    double c[9] = {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                   m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                   m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    double determinant = m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
    for (int i = 0; i < 9; ++i)
        out[i] = c[i] / determinant;
}

#endif
