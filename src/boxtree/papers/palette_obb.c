// Boxes along axes of their own, tested on 15 separating axes (Gottschalk, Lin and Manocha, 1996).
// A volume of the palette; see palette.h.
//
// Rounding. Axes are floats, so that their dot products are off 1 and 0 by up to 2^-23, and by
// 2^-22 once a matrix has turned them. A box is centre + sum of t[i] axis[i] with |t[i]| <=
// half[i], for the axes as they are. The fit finds t by dot products, which is off by three times
// 2^-22 of the distance from the centre; it adds 2^-20 of that. The tests use that axes are
// orthonormal: of a_k . (a_i x b_j) = +-(a_m . b_j) and the like each is off by less than 8 *
// 2^-22, so that taking 2^-18 of all lengths that go into a sum is on the safe side.
#include <math.h>

#include "boxtree/papers/palette.h"

#define FIT_ERROR  0x1p-20
#define TEST_ERROR 0x1p-18

typedef struct obb {
    float center[3], axis[3][3], half[3];
} obb;

static double along(const float axis[3], const double v[3])
{
    return (double)axis[0] * v[0] + (double)axis[1] * v[1] + (double)axis[2] * v[2];
}

static void off_centre(const obb *box, const double p[3], double off[3])
{
    for (int k = 0; k < 3; ++k)
        off[k] = p[k] - (double)box->center[k];
}

static void fit_obb(const double (*points)[3], uint64_t count, void *volume)
{
    obb *box = volume;
    graze_obb tight = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    (void)graze_obb_of_points(points, count, &tight); // points are between -1 and 1: it succeeds
    for (int i = 0; i < 3; ++i) {
        box->center[i] = (float)tight.center[i];
        for (int k = 0; k < 3; ++k)
            box->axis[i][k] = (float)tight.axis[i][k];
    }
    double half[3] = {0}, reach = 0;
    for (uint64_t i = 0; i < count; ++i) {
        double off[3];
        off_centre(box, points[i], off);
        reach = fmax(reach, fabs(off[0]) + fabs(off[1]) + fabs(off[2]));
        for (int k = 0; k < 3; ++k)
            half[k] = fmax(half[k], fabs(along(box->axis[k], off)));
    }
    for (int k = 0; k < 3; ++k)
        box->half[k] = gz_round_up(half[k] + FIT_ERROR * reach);
}

static bool obb_holds(const void *volume, const double p[3])
{
    const obb *box = volume;
    double off[3];
    off_centre(box, p, off);
    for (int k = 0; k < 3; ++k)
        if (!(fabs(along(box->axis[k], off)) <= (double)box->half[k]))
            return false;
    return true;
}

// Turned: the centre, the axes, the half lengths.
static void turn_obb(const gz_palette_frame *frame, const void *b, double *turned)
{
    const obb *box = b;
    for (int i = 0; i < 3; ++i) {
        const double *row = &frame->matrix[3 * i];
        turned[i] = frame->ratio * along(box->center, row) + frame->shift[i];
        for (int k = 0; k < 3; ++k)
            turned[3 + 3 * k + i] = along(box->axis[k], row);
        turned[12 + i] = frame->ratio * (double)box->half[i];
    }
}

static bool obbs_apart(const gz_palette_frame *frame, const void *volume, const double *turned)
{
    const obb *box = volume;
    const double *half_b = turned + 12;
    const double half_a[3] = {(double)box->half[0], (double)box->half[1], (double)box->half[2]};
    double off[3], t[3], r[3][3], size[3][3];
    off_centre(box, turned, off);
    double slack = TEST_ERROR * (fabs(off[0]) + fabs(off[1]) + fabs(off[2]) + half_a[0] +
                                 half_a[1] + half_a[2] + half_b[0] + half_b[1] + half_b[2]) +
                   4 * frame->margin;
    for (int i = 0; i < 3; ++i) {
        t[i] = along(box->axis[i], off);
        for (int j = 0; j < 3; ++j) {
            r[i][j] = along(box->axis[i], turned + 3 + 3 * j);
            size[i][j] = fabs(r[i][j]);
        }
        if (fabs(t[i]) > half_a[i] + gz_dot3(size[i], half_b) + slack)
            return true;
    }
    for (int j = 0; j < 3; ++j) {
        double reach =
            half_b[j] + half_a[0] * size[0][j] + half_a[1] * size[1][j] + half_a[2] * size[2][j];
        if (fabs(gz_dot3(off, turned + 3 + 3 * j)) > reach + slack)
            return true;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double reach = half_a[i1] * size[i2][j] + half_a[i2] * size[i1][j] +
                           half_b[j1] * size[i][j2] + half_b[j2] * size[i][j1];
            if (fabs(t[i2] * r[i1][j] - t[i1] * r[i2][j]) > reach + slack)
                return true;
        }
    return false;
}

const gz_volume_kind gz_volume_obb = {
    .name = "OBB",
    .bytes = sizeof(obb),
    .fit = fit_obb,
    .holds = obb_holds,
    .turn = turn_obb,
    .apart = obbs_apart,
};
