// How high the boxes of two roots reach towards each other. See tree_glance.h.
#include <math.h>
#include <string.h>

#include "boxtree/tree_glance.h"
#include "boxtree/tree_lanes.h"
#include "geometry/pose.h"
#include "geometry/vector.h"

#define UNIT       0x1p-53
#define FLOAT_UNIT 0x1p-24

// How high the eight boxes of a root reach from the tree's origin along a direction of its own, in
// the units of rows. High ends are negated. Both ends are looked at, since that takes less time
// than to find out which one it is.
typedef struct heights {
    float of[GZ_WIDE] __attribute__((aligned(32)));
} heights;

static inline void measure_root(const gz_tree *tree, const float direction[3], heights *out)
{
    float room[3][ROWS] __attribute__((aligned(64)));
    const float(*row)[ROWS] = gz_tree_rows(tree, 0, room);
    for (int first = 0; first < GZ_WIDE; first += GZ_EIGHT) {
        gz_f8 sum = gz_f8_all(0);
        for (int axis = 0; axis < 3; ++axis) {
            gz_f8 up =
                gz_f8_mul(gz_f8_all(-direction[axis]), gz_f8_load(&row[axis][GZ_ROW_HIGH(first)]));
            gz_f8 down =
                gz_f8_mul(gz_f8_all(direction[axis]), gz_f8_load(&row[axis][GZ_ROW_LOW(first)]));
            sum = axis == 0 ? gz_f8_max(up, down) : gz_f8_add(sum, gz_f8_max(up, down));
        }
        gz_f8_store(&out->of[first], sum);
    }
}

static inline float highest(const heights *h)
{
    float most[4];
    for (int i = 0; i < 4; ++i)
        most[i] = larger(h->of[i], h->of[4 + i]);
    return larger(larger(most[0], most[1]), larger(most[2], most[3]));
}

// Children that reach a height.
static inline uint32_t reaching(const gz_tree *tree, const heights *h, double height)
{
    uint32_t bits = 0;
    for (int first = 0; first < GZ_WIDE; first += GZ_EIGHT)
        bits |= gz_m8_bits(gz_f8_not_less(gz_m8_all(), gz_f8_load(&h->of[first]),
                                          gz_f8_all((float)height)))
                << first;
    return bits & children_of(gz_tree_links(tree, 0));
}

// A power of two that makes a number about 1, if it is neither tiny nor huge.
static inline double unit_for(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (UINT64_C(2045) << 52) - (bits & UINT64_C(0x7ff0000000000000));
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Let w be the way from middle to middle, and d the same times a power of two that makes its
// largest coordinate about 1. No point of A is higher along d than H_A above A's middle, and none
// of B lower than H_B below B's: so from A to B it is at least w.d - H_A - H_B along d, which is
// |d| times a distance. A child of A that is not as high as w.d - H_B is apart from all of B.
//
// Rounding. d becomes float, is multiplied by ends of rows, and summed up twice; and a limit is
// rounded: 5 roundings of 2^-24 of the half sizes together, times |d|. A rotation that is off does
// not matter, since d is turned by what turns triangles. Middles and triangles in the world have
// below 256 roundings of their coordinates. There is enough room for roundings of twice the size,
// in any direction, for rows on a grid, and for subnormals that are taken as 0: it does not matter
// what floating-point state the caller has set. Rows are wider than what they hold, which takes off
// half of it: a search among boxes that touch finds 0.98 roundings in place of 5
// (tests/test_margins.c).
gz_glance_kernel KERNEL(gz_glance_kernel);
bool KERNEL(gz_glance_kernel)(const gz_tree *a, const graze_pose *pose_a, const gz_tree *b,
                              const graze_pose *pose_b, double tolerance, gz_glance *near)
{
    const double *ra = pose_a->rotation, *rb = pose_b->rotation;
    double middle_a[3], middle_b[3], w[3], size = 0, sum = 0;
    double unit_a = 1 / a->scale, unit_b = 1 / b->scale;
    gz_pose_apply(pose_a, a->origin, middle_a);
    gz_pose_apply(pose_b, b->origin, middle_b);
    for (int k = 0; k < 3; ++k) {
        w[k] = middle_b[k] - middle_a[k];
        size += fabs(a->origin[k]) + fabs(pose_a->translation[k]) + fabs(b->origin[k]) +
                fabs(pose_b->translation[k]);
        sum += a->half[k] + b->half[k];
    }
    double unit = unit_for(gz_largest3(w));
    double square = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * unit;
    float towards_b[3], towards_a[3];
    for (int i = 0; i < 3; ++i) {
        towards_b[i] = (float)((ra[i] * w[0] + ra[3 + i] * w[1] + ra[6 + i] * w[2]) * unit);
        towards_a[i] = (float)((rb[i] * w[0] + rb[3 + i] * w[1] + rb[6 + i] * w[2]) * -unit);
    }
    heights h_a, h_b;
    measure_root(a, towards_b, &h_a);
    measure_root(b, towards_a, &h_b);
    double high_a = (double)highest(&h_a) * unit_a, high_b = (double)highest(&h_b) * unit_b;
    double length = sqrt(square * unit);
    double slack = tolerance * (1 + 1e-6) + 12 * FLOAT_UNIT * sum + 512 * UNIT * size;
    double gap = square - slack * length;
    if (!(sum + size < 0x1p400 && square > 0x1p-400)) // numbers that are not good for squares
        gap = -HUGE_VAL;
    if (high_a + high_b < gap)
        return false;
    near->a = reaching(a, &h_a, (gap - high_b) * a->scale);
    near->b = reaching(b, &h_b, (gap - high_a) * b->scale);
    return true;
}
