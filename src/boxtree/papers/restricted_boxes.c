// The numbers of one question about two restricted boxtrees. See restricted_boxes.h.
//
// Rounding, in A's units, with u = 2^-53. W = 2 + 6 r + 2 f bounds every end and every gain times a
// plane: A's coordinates are at most 1, B's at most r (the ratio of the units), f is the largest
// coordinate of the shift, and axes have length 1 or less, so that their coordinates add up to at
// most 1.5. Planes are at most 2.
// - Ends of the roots: 8 roundings each: 16 u W for the two.
// - Gains: 4 roundings. The planes on one side of a box add up to at most 2, so over all levels and
//   both trees this makes less than 48 u W.
// - One level: the product and the sum, 2 roundings, and the end of the box itself, which the
//   builder rounded once where the gain takes it as exact: 3 u W. Over GZ_RESTRICTED_DEPTH = 96
//   levels and two trees that is 576 u W.
// - The tables round towards zero, which makes boxes larger. So do planes that are not among their
//   steps; as later planes count from earlier ones, boxes of a tree that was not built with steps
//   grow looser with each level.
// - Coordinates below 2^-1022 of the largest lose digits in scaling: far less than u.
// Together below 640 u W; we take 1024 u W. On top comes the error of the map between the frames:
// at most `error` along A's axes, 1.5 times that along cross products, 3 times along B's; we
// take 4. B's axes are measured in B's units, so all of it is divided by r there.
#include "boxtree/papers/restricted_boxes.h"

#include <math.h>

#include "geometry/rounding.h"

#define UNIT  0x1p-53
#define RANGE 0x1p400

// A direction by what it makes of both trees' coordinates.
typedef struct direction {
    double a[3], a_shift, b[3], b_shift;
} direction;

static void set_moves(gz_moves moves[6], int s, const double along[3])
{
    for (int cut = 0; cut < 6; ++cut) {
        double gain = along[cut / 2];
        moves[cut].gain[s] = fabs(gain);
        moves[cut].end[s] = (uint8_t)(gain > 0 ? cut % 2 : 1 - cut % 2);
    }
}

static void set_ends(const double root[3][2], const double along[3], double shift, double ends[2])
{
    ends[0] = shift;
    ends[1] = -shift;
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end)
            ends[end] += fabs(along[axis]) * root[axis][along[axis] > 0 ? end : 1 - end];
}

static void set_axis(gz_axes *axes, int s, const direction *d, double margin,
                     const gz_restricted *a, const gz_restricted *b)
{
    axes->margin[s] = margin;
    set_moves(axes->a, s, d->a);
    set_moves(axes->b, s, d->b);
    set_ends(a->root, d->a, d->a_shift, axes->root_a[s]);
    set_ends(b->root, d->b, d->b_shift, axes->root_b[s]);
}

// The cross product of A's axis i and B's axis j in A's frame: exact, as its coordinates are 0 and
// entries of the matrix.
static void cross_axis(const double matrix[9], int i, int j, double out[3])
{
    int next = (i + 1) % 3, last = (i + 2) % 3;
    out[i] = 0;
    out[next] = -matrix[3 * last + j];
    out[last] = matrix[3 * next + j];
}

static void set_table(gz_axes *axes)
{
    for (int cut_axis = 0; cut_axis < 3; ++cut_axis)
        for (int s = 0; s < 3; ++s) {
            double gain = axes->b[2 * cut_axis].gain[s];
            for (uint32_t place = 0; place < GZ_STEPS; ++place) {
                double moved = (double)gz_step(place) * gain;
                axes->table[cut_axis][s][place] = gz_round_down(moved);
            }
        }
}

static int axis_count_of(gz_box_test test)
{
    return test == GZ_TEST_SAT ? GZ_AXES : test == GZ_TEST_LITE ? GZ_AXES_LITE : GZ_AXES_ALIGNED;
}

void gz_axes_set(gz_axes *axes, gz_box_test test, const gz_plain_query *query,
                 const gz_restricted *a, const gz_restricted *b)
{
    double ratio = a->scale / b->scale;
    double forth[9], shift[3];
    for (int k = 0; k < 9; ++k)
        forth[k] = query->matrix[k] * ratio;
    for (int i = 0; i < 3; ++i)
        shift[i] = query->shift[i] * a->scale;
    double far = gz_largest3(shift);
    axes->sound = ratio < RANGE && ratio > 1 / RANGE && far < RANGE && a->scale < RANGE * RANGE &&
                  b->scale < RANGE * RANGE && query->error * a->scale < RANGE;
    if (!axes->sound)
        return;
    double margin = 4 * query->error * a->scale + 1024 * UNIT * (2 + 6 * ratio + 2 * far);

    for (int s = 0; s < axis_count_of(test); ++s) {
        direction d = {.a_shift = 0};
        if (s < 3) {
            d.a[s] = 1;
            for (int k = 0; k < 3; ++k)
                d.b[k] = forth[3 * s + k];
            d.b_shift = shift[s];
        } else if (s < 6) {
            const double *row = &query->back[3 * (s - 3)];
            for (int k = 0; k < 3; ++k)
                d.a[k] = row[k] / ratio;
            d.a_shift = -gz_dot3(row, shift) / ratio;
            d.b[s - 3] = 1;
        } else {
            cross_axis(query->matrix, (s - 6) / 3, (s - 6) % 3, d.a);
            for (int k = 0; k < 3; ++k) {
                const double column[3] = {forth[k], forth[3 + k], forth[6 + k]};
                d.b[k] = gz_dot3(d.a, column);
            }
            d.b_shift = gz_dot3(d.a, shift);
        }
        set_axis(axes, s, &d, s >= 3 && s < 6 ? margin / ratio : margin, a, b);
    }
    if (test == GZ_TEST_TABLE)
        set_table(axes);
}
