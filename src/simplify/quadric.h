// Quadrics: sums of weighted squared distances to planes and lines, as one polynomial of ten
// numbers. After Garland and Heckbert, "Surface simplification using quadric error metrics".
//
// Positions are those of a patch that was scaled to about 1, and doubles: a distance that should be
// 0 comes out as 1e-8 of the patch at most.
#ifndef GZ_QUADRIC_H
#define GZ_QUADRIC_H

// Ten coefficients, of xx, yy, zz, then half of those of xy, xz, yz, x, y, z, then of 1; the weight
// that divides the sum to give a mean; and nothing. An array, so that compilers add two at a time.
typedef struct gz_quadric {
    double term[12];
} gz_quadric;
#define GZ_QUADRIC_WEIGHT 10

static inline void gz_quadric_add(gz_quadric *restrict q, const gz_quadric *restrict other)
{
    for (int i = 0; i < 12; ++i)
        q->term[i] += other->term[i];
}

// The plane through p with this normal; `scale` times the squared length of the normal is the
// factor of the squared distance.
static inline gz_quadric gz_quadric_of_plane(const double normal[3], const double p[3],
                                             double scale, double weight)
{
    double x = normal[0], y = normal[1], z = normal[2];
    double d = -(x * p[0] + y * p[1] + z * p[2]);
    double sx = scale * x, sy = scale * y, sz = scale * z, sd = scale * d;
    return (gz_quadric){{sx * x, sy * y, sz * z, sx * y, sx * z, sy * z, sd * x, sd * y, sd * z,
                         sd * d, weight, 0}};
}

// The line through p along e; the factor is `scale` times the squared length of e.
static inline gz_quadric gz_quadric_of_line(const double e[3], const double p[3], double scale)
{
    double xx = scale * (e[1] * e[1] + e[2] * e[2]), yy = scale * (e[0] * e[0] + e[2] * e[2]);
    double zz = scale * (e[0] * e[0] + e[1] * e[1]);
    double xy = -scale * e[0] * e[1], xz = -scale * e[0] * e[2], yz = -scale * e[1] * e[2];
    double x = -(xx * p[0] + xy * p[1] + xz * p[2]);
    double y = -(xy * p[0] + yy * p[1] + yz * p[2]);
    double z = -(xz * p[0] + yz * p[1] + zz * p[2]);
    double one = -(x * p[0] + y * p[1] + z * p[2]);
    return (gz_quadric){{xx, yy, zz, xy, xz, yz, x, y, z, one, 0, 0}};
}

// Rounding may make it a little less than 0.
static inline double gz_quadric_at(const gz_quadric *q, const double p[3])
{
    const double *t = q->term;
    double by_x = t[0] * p[0] + 2 * (t[3] * p[1] + t[4] * p[2] + t[6]);
    double by_y = t[1] * p[1] + 2 * (t[5] * p[2] + t[7]);
    double by_z = t[2] * p[2] + 2 * t[8];
    return (by_x * p[0] + by_y * p[1]) + (by_z * p[2] + t[9]);
}

#endif
