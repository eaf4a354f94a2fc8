// Quadrics: sums of weighted squared distances to planes and lines, as one polynomial of ten
// numbers. After Garland and Heckbert, "Surface simplification using quadric error metrics".
//
// Positions are those of a patch that was scaled to about 1, and doubles: a distance that should be
// 0 comes out as 1e-8 of the patch at most.
#ifndef GZ_QUADRIC_H
#define GZ_QUADRIC_H

typedef struct gz_quadric {
    double xx, yy, zz, xy, xz, yz; // squares; mixed terms are counted once, so doubled in use
    double x, y, z, one;           // x, y and z likewise
    double weight;                 // what divides the sum to give a mean
} gz_quadric;

static inline void gz_quadric_add(gz_quadric *q, const gz_quadric *other)
{
    q->xx += other->xx;
    q->yy += other->yy;
    q->zz += other->zz;
    q->xy += other->xy;
    q->xz += other->xz;
    q->yz += other->yz;
    q->x += other->x;
    q->y += other->y;
    q->z += other->z;
    q->one += other->one;
    q->weight += other->weight;
}

// The plane through p with this normal; `scale` times the squared length of the normal is the
// factor of the squared distance.
static inline gz_quadric gz_quadric_of_plane(const double normal[3], const double p[3],
                                             double scale, double weight)
{
    double x = normal[0], y = normal[1], z = normal[2];
    double d = -(x * p[0] + y * p[1] + z * p[2]);
    double sx = scale * x, sy = scale * y, sz = scale * z, sd = scale * d;
    return (gz_quadric){sx * x, sy * y, sz * z, sx * y, sx * z, sy * z,
                        sd * x, sd * y, sd * z, sd * d, weight};
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
    return (gz_quadric){xx, yy, zz, xy, xz, yz, x, y, z, one, 0};
}

// Rounding may make it a little less than 0.
static inline double gz_quadric_at(const gz_quadric *q, const double p[3])
{
    double x = p[0], y = p[1], z = p[2];
    double square = q->xx * x * x + q->yy * y * y + q->zz * z * z;
    double mixed = q->xy * x * y + q->xz * x * z + q->yz * y * z;
    return square + 2 * (mixed + (q->x * x + q->y * y + q->z * z)) + q->one;
}

#endif
