// Sets up a question about two trees, hands it to the kernel of the right width, and settles what
// the kernel leaves open. See tree_pairs.h.
#include "boxtree/tree_pairs.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "geometry/fpu.h"
#include "geometry/triangle.h"

#define UNIT           0x1p-53
#define FLOAT_UNIT     0x1p-24
#define FLOAT_HIGH     0x1p100
#define ROTATION_SLACK 1e-8 // rotations are orthonormal to 1e-9: lengths change by less than this
#define PATIENCE       2000000 // work between two looks at the context's cancel callback

gz_pair_kernel gz_pair_kernel_scalar;
#if !defined(GZ_SCALAR_ONLY)
gz_pair_kernel gz_pair_kernel_baseline, gz_pair_kernel_avx2, gz_pair_kernel_avx512;
#endif

void gz_pair_query_init(gz_pair_query *query, graze_context *context)
{
    *query = (gz_pair_query){.context = context};
}

void gz_pair_query_free(gz_pair_query *query)
{
    gz_list_free(query->context, &query->scratch, 1);
    gz_list_free(query->context, &query->pairs, sizeof(graze_pair));
}

static void pose_triangle(const graze_pose *pose, graze_triangle *t)
{
    for (int corner = 0; corner < 3; ++corner)
        graze_pose_apply(pose, t->corner[corner], t->corner[corner]);
}

bool gz_pair_touches(const gz_pair_query *query, uint32_t leaf_a, uint32_t slot_a, uint32_t leaf_b,
                     uint32_t slot_b)
{
    graze_triangle a, b;
    gz_tree_triangle(query->a, leaf_a, slot_a, &a);
    gz_tree_triangle(query->b, leaf_b, slot_b, &b);
    pose_triangle(&query->wish.pose_a, &a);
    pose_triangle(&query->wish.pose_b, &b);
    return gz_triangle_within(&a, &b, query->wish.tolerance) != 0;
}

// The inverse of a matrix that is a rotation to 1e-9 and therefore well conditioned.
static void invert(const double m[9], double out[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
            out[3 * i + j] = m[3 * r0 + c0] * m[3 * r1 + c1] - m[3 * r0 + c1] * m[3 * r1 + c0];
        }
    double determinant = m[0] * out[0] + m[1] * out[3] + m[2] * out[6];
    for (int k = 0; k < 9; ++k)
        out[k] /= determinant;
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

static double largest(const double v[3]) { return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))); }

static float below(double x)
{
    float y = (float)x;
    return (double)y > x ? nextafterf(y, -HUGE_VALF) : y;
}

// A frame's shift with the margin taken off, for low ends and for negated high ends.
static void set_shift(const double shift[3], double margin, float low[3], float high[3])
{
    for (int i = 0; i < 3; ++i) {
        low[i] = below(shift[i] - margin);
        high[i] = below(-shift[i] - margin);
    }
}

// Sizes whose squares and inverses floats can hold with room to spare. A point has no size.
static bool is_moderate(double size)
{
    return size < FLOAT_HIGH && (size > 1 / FLOAT_HIGH || size == 0);
}

// Rounding. World coordinates are rounded when posed: below 8 units of the world's size each. The
// matrix and shift between the frames are computed from them with fewer than 32 such roundings.
// Rows are transformed in float, 8 roundings of numbers below the sizes of both trees and the
// shift. The tolerance makes all boxes wider: a distance along an axis of either frame.
static void set_up(gz_pair_query *query)
{
    const gz_tree *a = query->a, *b = query->b;
    const graze_pose *pose_a = &query->wish.pose_a, *pose_b = &query->wish.pose_b;
    double inverse[9], between[3], origin_b[3];
    invert(pose_a->rotation, inverse);
    multiply(inverse, pose_b->rotation, query->matrix);
    for (int i = 0; i < 3; ++i)
        between[i] = pose_b->translation[i] - pose_a->translation[i];
    apply(inverse, between, query->shift);
    double world =
        largest(pose_a->translation) + largest(pose_b->translation) +
        3 * (largest(a->origin) + largest(a->half) + largest(b->origin) + largest(b->half));
    query->error = 64 * UNIT * world;
    query->reach = query->wish.tolerance * (1 + ROTATION_SLACK);

    double shift[3], back[9], back_shift[3];
    apply(query->matrix, b->origin, origin_b);
    for (int i = 0; i < 3; ++i)
        shift[i] = (origin_b[i] + query->shift[i] - a->origin[i]) * a->scale;
    double ratio = a->scale / b->scale;
    invert(query->matrix, back);
    apply(back, shift, back_shift);
    for (int i = 0; i < 3; ++i)
        back_shift[i] *= -1 / ratio;
    for (int k = 0; k < 9; ++k) {
        query->forth[k] = (float)(query->matrix[k] * ratio);
        query->back[k] = (float)(back[k] / ratio);
    }
    double size_a = 1, size_b = ratio; // rows are below 1 in their own units
    double margin = 16 * FLOAT_UNIT * (size_a + 3 * size_b + largest(shift)) +
                    (query->error + query->reach) * a->scale;
    set_shift(shift, margin, query->forth_low, query->forth_high);
    set_shift(back_shift, margin / ratio, query->back_low, query->back_high);
    query->sound = is_moderate(largest(a->half)) && is_moderate(largest(b->half)) &&
                   largest(shift) < FLOAT_HIGH && query->reach * a->scale < FLOAT_HIGH &&
                   world < FLOAT_HIGH * FLOAT_HIGH;
}

// Every pair, exactly: for trees of absurd sizes, where floats overflow.
static void run_plainly(gz_pair_query *query)
{
    const gz_tree *a = query->a, *b = query->b;
    for (uint32_t i = 0; i < a->leaf_count; ++i)
        for (uint32_t j = 0; j < b->leaf_count && gz_pair_go_on(query); ++j) {
            const gz_leaf_head *head_a = gz_tree_leaf(a, i), *head_b = gz_tree_leaf(b, j);
            for (uint32_t k = 0; k < head_a->triangle_count; ++k)
                for (uint32_t l = 0; l < head_b->triangle_count && !query->stopped; ++l) {
                    query->counters.exact_pairs++;
                    if (gz_pair_touches(query, i, k, j, l))
                        gz_pair_keep(query, i, k, j, l);
                }
        }
}

void gz_pair_keep(gz_pair_query *query, uint32_t leaf_a, uint32_t slot_a, uint32_t leaf_b,
                  uint32_t slot_b)
{
    if (query->stopped)
        return;
    if (query->wish.listed) {
        graze_pair *pair = gz_list_push(query->context, &query->pairs, sizeof *pair, 1);
        if (pair == NULL) {
            query->status = GRAZE_ERROR_MEMORY;
            query->stopped = true;
            return;
        }
        *pair = (graze_pair){query->a->order[gz_tree_leaf(query->a, leaf_a)->first + slot_a],
                             query->b->order[gz_tree_leaf(query->b, leaf_b)->first + slot_b]};
    }
    if (++query->counters.contacts == query->wish.pair_limit)
        query->stopped = true;
}

void gz_pair_look_around(gz_pair_query *query)
{
    uint64_t work = gz_pair_work(&query->counters);
    if (work >= query->wish.work_limit) {
        query->stopped = true;
        return;
    }
    if (work >= PATIENCE && gz_checkpoint(query->context, "colliding", "pairs",
                                          query->counters.contacts, 0) != GRAZE_OK) {
        query->status = GRAZE_ERROR_CANCELLED;
        query->stopped = true;
    }
    query->work_due = work + PATIENCE;
    if (query->work_due > query->wish.work_limit)
        query->work_due = query->wish.work_limit;
}

static gz_pair_kernel *kernel_for(graze_simd simd)
{
#if !defined(GZ_SCALAR_ONLY)
    if (simd == GRAZE_SIMD_AVX512)
        return gz_pair_kernel_avx512;
    if (simd == GRAZE_SIMD_AVX2)
        return gz_pair_kernel_avx2;
    if (simd == GRAZE_SIMD_BASELINE)
        return gz_pair_kernel_baseline;
#endif
    (void)simd;
    return gz_pair_kernel_scalar;
}

graze_status gz_pair_query_run(gz_pair_query *query, const gz_pair_wish *wish)
{
    gz_fpu_state state = gz_fpu_enter();
    const gz_tree *a = wish->a, *b = wish->b;
    query->wish = *wish;
    query->a = a;
    query->b = b;
    query->counters = (gz_pair_counters){0};
    query->pairs.count = 0;
    query->scratch.count = 0;
    query->status = GRAZE_OK;
    query->stopped = false;
    query->work_due = 0;
    if (a->triangle_count != 0 && b->triangle_count != 0) {
        set_up(query);
        if (query->sound)
            kernel_for(graze_context_simd(query->context))(
                query, 0, (UINT32_C(1) << a->nodes[0].child_count) - 1);
        else
            run_plainly(query);
    }
    gz_fpu_leave(state);
    return query->status;
}
