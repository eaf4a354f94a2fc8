// Sets up the frames of two posed trees. See tree_frames.h.
#include "boxtree/tree_frames.h"
#include "geometry/pose.h"
#include "geometry/vector.h"

#include <math.h>

#define UNIT           0x1p-53
#define FLOAT_UNIT     0x1p-24
#define FLOAT_HIGH     0x1p100
#define ROTATION_SLACK 1e-8 // rotations are orthonormal to 1e-9: lengths change by less than this

// The inverse of a matrix that is a rotation to 1e-9 and therefore well conditioned.
static void invert(const double m[9], double out[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
            out[3 * i + j] = m[3 * r0 + c0] * m[3 * r1 + c1] - m[3 * r0 + c1] * m[3 * r1 + c0];
        }
    double factor = 1 / (m[0] * out[0] + m[1] * out[3] + m[2] * out[6]);
    for (int k = 0; k < 9; ++k)
        out[k] *= factor;
}

static void multiply(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static void apply(const double m[9], const double v[3], double out[3])
{
    double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; ++i)
        out[i] = m[3 * i] * x + m[3 * i + 1] * y + m[3 * i + 2] * z;
}

// A frame's shift with the margin taken off, for low ends and for negated high ends.
static void set_shift(const double shift[3], double margin, float low[3], float high[3])
{
    for (int i = 0; i < 3; ++i) {
        low[i] = (float)(shift[i] - margin);
        high[i] = (float)(-shift[i] - margin);
    }
}

// Sizes whose squares and inverses floats can hold with room to spare. A point has no size.
static bool is_moderate(double size)
{
    return size < FLOAT_HIGH && (size > 1 / FLOAT_HIGH || size == 0);
}

// Rounding. World coordinates are rounded when posed: below 8 units of the world's size each. The
// matrix and shift between the frames are computed from them with fewer than 32 such roundings. The
// tolerance makes all boxes wider: a distance along an axis of either frame.
//
// Rows are turned in float. Let x be the end of a box along an axis of its own frame, and y_j those
// ends of a box of the other tree that are the nearest along it: s + p_0 + p_1 + p_2 is where that
// one begins, where p_j = |m_j| y_j, in units of x. The sum is made from the left. Of what is
// rounded, e = 2^-24 each:
//   s                                e |s|
//   m_j, the products                2 e P, where P = |p_0| + |p_1| + |p_2|
//   sums, if it comes out near x     e (|x| + |p_1| + |p_2|) + e (|x| + |p_2|) + e |x|
// Rows are wider than what they hold, by 2.4 e of themselves or more (GZ_ROW_SLACK): that takes off
// 2.4 e (|x| + P). What is left is below e (|s| + 0.6 |x| + 1.72 |y|), where |y| is the largest of
// the y_j, since the m_j are a row of a rotation. x and y are below the sizes of their trees. In
// A's frame s is a coordinate of the shift; in B's it is at most sqrt(3) of them, and that the way
// back is the transposed matrix, and not the inverse one, is 1e-8 of B's size more. So 2 e (A + B +
// shift) is enough. A search among boxes that touch finds 0.34 of that (tests/test_margins.c). What
// the margin itself adds to s is rounded, too, but not more than four times.
//
// Heights of slabs and boxes along a normal of either tree (tree_slabs.h) have below 32 roundings
// of each of the sizes and the shift, and 4 of the slack itself. World coordinates are off by their
// error along each axis, so less than twice that along a normal, which is no longer than 1.
static void set_up(gz_frames *frames, const graze_pose *pose_a, const graze_pose *pose_b,
                   double tolerance)
{
    const gz_tree *a = frames->a, *b = frames->b;
    double inverse[9], between[3], origin_b[3];
    invert(pose_a->rotation, inverse);
    multiply(inverse, pose_b->rotation, frames->matrix);
    for (int i = 0; i < 3; ++i)
        between[i] = pose_b->translation[i] - pose_a->translation[i];
    apply(inverse, between, frames->shift);
    frames->shift[3] = 0;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i)
            frames->column[j][i] = i < 3 ? frames->matrix[3 * i + j] : 0;
    double world = gz_largest3(pose_a->translation) + gz_largest3(pose_b->translation) +
                   3 * (gz_largest3(a->origin) + gz_largest3(a->half) + gz_largest3(b->origin) +
                        gz_largest3(b->half));
    frames->error = 64 * UNIT * world;
    frames->reach = tolerance * (1 + ROTATION_SLACK);

    double shift[3], back_shift[3];
    apply(frames->matrix, b->origin, origin_b);
    for (int i = 0; i < 3; ++i)
        shift[i] = (origin_b[i] + frames->shift[i] - a->origin[i]) * a->scale;
    double ratio = a->scale / b->scale, back_ratio = b->scale / a->scale;
    for (int j = 0; j < 3; ++j) {
        const double *to_b = frames->column[j]; // a row of the way back
        back_shift[j] =
            (to_b[0] * shift[0] + to_b[1] * shift[1] + to_b[2] * shift[2]) * -back_ratio;
        for (int i = 0; i < 3; ++i) {
            frames->forth[3 * i + j] = (float)(to_b[i] * ratio);
            frames->back[3 * j + i] = (float)(to_b[i] * back_ratio);
        }
    }
    double size_a = 1, size_b = ratio; // rows are below 1 in their own units
    double margin = 2 * FLOAT_UNIT * (size_a + size_b + gz_largest3(shift)) +
                    (frames->error + frames->reach) * a->scale * (1 + 4 * FLOAT_UNIT);
    double slack = 64 * FLOAT_UNIT * (size_a + size_b + gz_largest3(shift)) +
                   (2 * frames->error + frames->reach) * a->scale;
    for (int k = 0; k < 9; ++k)
        frames->turn[k] = (float)(frames->matrix[k] * (double)GZ_SLAB_UNIT);
    frames->ratio = (float)ratio;
    frames->slack = (float)(slack * (1 + 16 * FLOAT_UNIT));
    for (int i = 0; i < 3; ++i)
        frames->origin_b[i] = (float)shift[i];
    set_shift(shift, margin, frames->forth_low, frames->forth_high);
    set_shift(back_shift, margin * back_ratio, frames->back_low, frames->back_high);
    frames->sound = is_moderate(gz_largest3(a->half)) && is_moderate(gz_largest3(b->half)) &&
                    is_moderate(ratio) && gz_largest3(shift) < FLOAT_HIGH &&
                    frames->reach * a->scale < FLOAT_HIGH && world < FLOAT_HIGH * FLOAT_HIGH;
}

// Along the axes of both boxes, which are the columns of the rotations: their lengths are off by
// 1e-9 at most, and heights of posed corners by that and some roundings, for which the slack is
// plenty. With an infinity or a NaN nothing is far.
bool gz_boxes_far(const gz_middle *a, const graze_pose *pose_a, const gz_middle *b,
                  const graze_pose *pose_b, double tolerance)
{
    const double *half_a = a->half, *half_b = b->half;
    const double *ra = pose_a->rotation, *rb = pose_b->rotation;
    double center_a[3], center_b[3], between[3], size = 0, sum = 0;
    gz_pose_apply(pose_a, a->origin, center_a);
    gz_pose_apply(pose_b, b->origin, center_b);
    for (int k = 0; k < 3; ++k) {
        between[k] = center_b[k] - center_a[k];
        size += fabs(a->origin[k]) + fabs(pose_a->translation[k]) + fabs(b->origin[k]) +
                fabs(pose_b->translation[k]);
        sum += half_a[k] + half_b[k];
    }
    double slack = tolerance * (1 + 1e-6) + 1e-6 * sum + 256 * UNIT * size;
    double reach_a[3] = {half_a[0], half_a[1], half_a[2]};
    double reach_b[3] = {half_b[0], half_b[1], half_b[2]};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double cosine = fabs(ra[i] * rb[j] + ra[3 + i] * rb[3 + j] + ra[6 + i] * rb[6 + j]);
            reach_a[i] += cosine * half_b[j];
            reach_b[j] += cosine * half_a[i];
        }
    bool far = false;
    for (int i = 0; i < 3; ++i) {
        far |= fabs(ra[i] * between[0] + ra[3 + i] * between[1] + ra[6 + i] * between[2]) >
               reach_a[i] + slack;
        far |= fabs(rb[i] * between[0] + rb[3 + i] * between[1] + rb[6 + i] * between[2]) >
               reach_b[i] + slack;
    }
    return far && sum + size < 0x1p500;
}

// Along the axes of both boxes, as gz_boxes_far does it: lengths of axes are off by 1e-9 at most,
// and heights by that and some roundings, for which the slack is plenty.
double gz_boxes_gap(const gz_middle *a, const graze_pose *pose_a, const gz_middle *b,
                    const graze_pose *pose_b)
{
    const double *ra = pose_a->rotation, *rb = pose_b->rotation;
    double center_a[3], center_b[3], between[3], size = 0, sum = 0, gap = 0;
    gz_pose_apply(pose_a, a->origin, center_a);
    gz_pose_apply(pose_b, b->origin, center_b);
    for (int k = 0; k < 3; ++k) {
        between[k] = center_b[k] - center_a[k];
        size += fabs(a->origin[k]) + fabs(pose_a->translation[k]) + fabs(b->origin[k]) +
                fabs(pose_b->translation[k]);
        sum += a->half[k] + b->half[k];
    }
    for (int i = 0; i < 3; ++i) {
        double reach_a = a->half[i], reach_b = b->half[i];
        for (int j = 0; j < 3; ++j) {
            reach_a +=
                b->half[j] * fabs(ra[i] * rb[j] + ra[3 + i] * rb[3 + j] + ra[6 + i] * rb[6 + j]);
            reach_b +=
                a->half[j] * fabs(rb[i] * ra[j] + rb[3 + i] * ra[3 + j] + rb[6 + i] * ra[6 + j]);
        }
        double along_a = ra[i] * between[0] + ra[3 + i] * between[1] + ra[6 + i] * between[2];
        double along_b = rb[i] * between[0] + rb[3 + i] * between[1] + rb[6 + i] * between[2];
        gap = fmax(gap, fmax(fabs(along_a) - reach_a, fabs(along_b) - reach_b));
    }
    double sure = (gap - 1e-6 * sum - 0x1p-45 * size) * (1 - 1e-6);
    return sum + size < 0x1p500 && sure > 0 ? sure : 0;
}

void gz_frames_set(gz_frames *frames, const gz_tree *a, const graze_pose *pose_a, const gz_tree *b,
                   const graze_pose *pose_b, double tolerance)
{
    frames->a = a;
    frames->b = b;
    frames->pose_a = *pose_a;
    frames->pose_b = *pose_b;
    frames->bare = true;
    set_up(frames, pose_a, pose_b, tolerance);
}

static void pose_triangle(const graze_pose *pose, graze_triangle *t)
{
    for (int corner = 0; corner < 3; ++corner)
        graze_pose_apply(pose, t->corner[corner], t->corner[corner]);
}

void gz_frames_triangles(const gz_frames *frames, uint32_t leaf_a, uint32_t slot_a, uint32_t leaf_b,
                         uint32_t slot_b, graze_triangle *a, graze_triangle *b)
{
    gz_tree_triangle(frames->a, leaf_a, slot_a, a);
    gz_tree_triangle(frames->b, leaf_b, slot_b, b);
    pose_triangle(&frames->pose_a, a);
    pose_triangle(&frames->pose_b, b);
}
