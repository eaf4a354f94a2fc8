// Which boxes over parts are near a box of the other side: what is said to be far is far along an
// axis of one of the boxes, in long double; and what is farther than rounding can hide is said to
// be. For both sides, many sizes, places far from the origin, rotations that are off by what is
// allowed, trees, boxes without an end, and tolerances.
#include "test.h"

#include <math.h>

#include "base/context.h"
#include "geometry/rounding.h"
#include "geometry/vector.h"
#include "query/part_frames.h"

typedef struct body {
    gz_part_boxes boxes;
    graze_shape shape;
    graze_pose pose;
    gz_side side;
} body;

static double signed_unit(test_random *random) { return 2 * test_unit(random) - 1; }

static graze_pose some_pose(test_random *random, double place, double off)
{
    graze_pose pose;
    double q[4], length = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = signed_unit(random);
        length += q[i] * q[i];
    }
    if (test_next(random) % 4 == 0) { // no rotation at all
        q[0] = length = 1;
        q[1] = q[2] = q[3] = 0;
    }
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(length);
    double r[9] = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                   2 * (q[1] * q[3] + q[0] * q[2]),     2 * (q[1] * q[2] + q[0] * q[3]),
                   1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1]),
                   2 * (q[1] * q[3] - q[0] * q[2]),     2 * (q[2] * q[3] + q[0] * q[1]),
                   1 - 2 * (q[1] * q[1] + q[2] * q[2])};
    for (int k = 0; k < 9; ++k)
        pose.rotation[k] = r[k] + off * signed_unit(random);
    for (int i = 0; i < 3; ++i)
        pose.translation[i] = place * signed_unit(random);
    return pose;
}

// Parts of a hundredth of the size, or one box for all.
static void make_body(graze_context *context, test_random *random, double size, double origin,
                      bool endless, body *b)
{
    double middle[3];
    graze_box whole;
    for (int axis = 0; axis < 3; ++axis) {
        middle[axis] = origin * signed_unit(random);
        double reach = endless ? 0x1p130 : size;
        whole.min[axis] = middle[axis] - reach;
        whole.max[axis] = middle[axis] + reach;
    }
    uint32_t count = 1 + (uint32_t)(test_next(random) % 70);
    *b = (body){0};
    b->shape.context = context;
    if (test_next(random) % 8 == 0 && !endless) { // a tree
        for (int axis = 0; axis < 3; ++axis) {
            b->shape.tree.origin[axis] = middle[axis];
            b->shape.tree.half[axis] = size;
        }
        return;
    }
    assert_true(gz_part_boxes_make(context, middle, &whole, count, &b->boxes));
    for (uint32_t i = 0; i < count; ++i) {
        float low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            double at = 0.98 * size * signed_unit(random);
            double half = test_next(random) % 9 == 0 ? 0 : 0.02 * size * test_unit(random);
            low[axis] = gz_round_down(at - half);
            high[axis] = gz_round_up(at + half);
            if (endless && test_next(random) % 20 == 0)
                high[axis] = INFINITY;
        }
        gz_part_boxes_set(&b->boxes, i, low, high);
    }
    gz_part_boxes_join(&b->boxes, 0, b->boxes.count[0]);
    b->shape.boxes = &b->boxes;
}

// How far two boxes are apart along the axes of both, at most. The roundings of posed coordinates
// are not in it; who compares knows what they are.
static long double gap_of(const gz_middle *a, const graze_pose *pose_a, const gz_middle *b,
                          const graze_pose *pose_b)
{
    long double best = -HUGE_VALL;
    const graze_pose *pose[2] = {pose_a, pose_b};
    const gz_middle *box[2] = {a, b};
    for (int of = 0; of < 2; ++of)
        for (int axis = 0; axis < 3; ++axis) {
            long double along[2], half[2], way = 0;
            for (int k = 0; k < 3; ++k)
                way += (long double)pose[of]->rotation[3 * k + axis] *
                       (long double)pose[of]->rotation[3 * k + axis];
            for (int s = 0; s < 2; ++s) {
                along[s] = half[s] = 0;
                for (int k = 0; k < 3; ++k)
                    along[s] += (long double)pose[of]->rotation[3 * k + axis] *
                                (long double)pose[s]->translation[k];
                for (int j = 0; j < 3; ++j) {
                    long double cosine = 0;
                    for (int k = 0; k < 3; ++k)
                        cosine += (long double)pose[of]->rotation[3 * k + axis] *
                                  (long double)pose[s]->rotation[3 * k + j];
                    along[s] += cosine * (long double)box[s]->origin[j];
                    half[s] += fabsl(cosine) * (long double)box[s]->half[j];
                }
            }
            best = fmaxl(best, (fabsl(along[0] - along[1]) - half[0] - half[1]) / sqrtl(way));
        }
    return best;
}

typedef struct tally {
    uint64_t far, near, hidden; // the last: near, though farther than the tolerance
} tally;

static void compare(const gz_part_frames *frames, int side, gz_part_node node, gz_part_node other,
                    double size, tally *score)
{
    const gz_side *of = frames->side[side], *to = frames->side[1 - side];
    uint32_t bits = gz_parts_near(frames, side, node, other);
    gz_part_node below;
    uint32_t count = gz_parts_below(of->shape, node, &below);
    gz_middle box = gz_parts_box(to->shape, other);
    assert_true(bits >> count == 0);
    for (uint32_t k = 0; k < count; ++k, ++below.index) {
        gz_middle child = gz_parts_box(of->shape, below);
        long double gap = gap_of(&child, of->pose, &box, to->pose);
        bool near = (bits >> k & 1) != 0;
        if (!near)
            assert_true(gap > (long double)frames->tolerance);
        if (near)
            assert_true(gap < (long double)(frames->tolerance * (1 + 2e-6) + 2e-5 * size));
        score->far += near ? 0 : 1;
        score->near += near ? 1 : 0;
        score->hidden += near && gap > (long double)frames->tolerance ? 1 : 0;
    }
}

static void near_and_far(void **state)
{
    (void)state;
    static const double sizes[] = {1, 1e-3, 1e4, 0x1p-50, 0x1p-200, 0x1p36, 0x1p100, 0x1p300};
    graze_context *context = test_context(NULL);
    tally score = {0};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(6000); ++seed) {
        test_random random = {seed};
        double size = sizes[seed % 8], large = seed % 16 < 8 ? size : size * 300;
        double origin = seed % 3 == 0 ? 1e6 * size : seed % 3 == 1 ? size : 0;
        body a, b;
        make_body(context, &random, size, origin, false, &a);
        make_body(context, &random, large, origin, false, &b);
        a.pose =
            some_pose(&random, seed % 5 == 0 ? 1e7 * size : 0.5 * size, (double)(seed % 2) * 3e-10);
        b.pose = some_pose(&random, 0, (double)(seed % 2) * 3e-10);
        // One of the boxes of a is at one of b's.
        double at[3], to[3];
        gz_middle box_a = gz_parts_box(&a.shape, (gz_part_node){0, 0});
        gz_middle box_b = gz_parts_box(&b.shape, (gz_part_node){0, 0});
        graze_pose_apply(&a.pose, box_a.origin, at);
        graze_pose_apply(&b.pose, box_b.origin, to);
        for (int axis = 0; axis < 3; ++axis)
            b.pose.translation[axis] = at[axis] - to[axis] + 0.05 * size * signed_unit(&random);
        a.side = (gz_side){.shape = &a.shape, .pose = &a.pose};
        b.side = (gz_side){.shape = &b.shape, .pose = &b.pose};
        gz_part_frames frames;
        double tolerance = seed % 4 == 0 ? 0 : size * pow(10, -(double)(seed % 7));
        gz_part_frames_set(&frames, &a.side, &b.side, tolerance);
        assert_true(frames.sound == (size > 0x1p-60 && size < 0x1p25) || fabs(size - 0x1p36) <= 0);
        double around = size + large + fabs(origin) * 1e-5 + gz_largest3(a.pose.translation) * 1e-5;
        for (int side = 0; side < 2; ++side) {
            body *of = side == 0 ? &a : &b, *other = side == 0 ? &b : &a;
            uint32_t levels = of->shape.boxes == NULL ? 1 : of->boxes.level_count;
            uint32_t parts = other->shape.boxes == NULL ? 1 : other->boxes.count[0];
            for (uint32_t level = 1; level < levels; ++level)
                for (uint32_t i = 0; i < of->boxes.count[level]; ++i)
                    compare(&frames, side, (gz_part_node){level, i},
                            (gz_part_node){0, (i * 7 + level) % parts}, around, &score);
        }
        gz_part_boxes_free(context, &a.boxes);
        gz_part_boxes_free(context, &b.boxes);
    }
    assert_true(score.far > score.near / 4 && score.near > score.far / 20);
    assert_true(score.hidden < score.near / 20);
    test_context_done(context);
}

// Boxes that just touch: b is moved until it touches a in long double, and is near then. What is
// rounded would put a hundredth of them apart, or more.
static void touching(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    uint64_t tried = 0;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(20000); ++seed) {
        test_random random = {seed};
        body a, b;
        make_body(context, &random, 1, seed % 3 == 0 ? 1e12 : 0, false, &a);
        make_body(context, &random, 1, seed % 3 == 0 ? 1e12 : 0, false, &b);
        a.pose = some_pose(&random, seed % 5 == 0 ? 1e12 : 1, 0);
        b.pose = some_pose(&random, 0, 0);
        a.side = (gz_side){.shape = &a.shape, .pose = &a.pose};
        b.side = (gz_side){.shape = &b.shape, .pose = &b.pose};
        uint32_t part = a.shape.boxes == NULL ? 0 : (uint32_t)test_next(&random) % a.boxes.count[0];
        gz_part_node at = {0, part}, other = {0, 0};
        gz_middle box_a = gz_parts_box(&a.shape, at), box_b = gz_parts_box(&b.shape, other);
        double in[3], to[3], out[3];
        graze_pose_apply(&a.pose, box_a.origin, in);
        graze_pose_apply(&b.pose, box_b.origin, to);
        for (int axis = 0; axis < 3; ++axis) {
            in[axis] -= to[axis];
            out[axis] = in[axis] + 4 * signed_unit(&random);
        }
        for (int turn = 0; turn < 70; ++turn) {
            for (int axis = 0; axis < 3; ++axis)
                b.pose.translation[axis] = 0.5 * (in[axis] + out[axis]);
            bool meets = gap_of(&box_a, &a.pose, &box_b, &b.pose) <= 0;
            memcpy(meets ? in : out, b.pose.translation, sizeof in);
        }
        memcpy(b.pose.translation, in, sizeof in);
        gz_part_frames frames;
        gz_part_frames_set(&frames, &a.side, &b.side, 0);
        if (a.shape.boxes != NULL && a.boxes.level_count > 1 &&
            gap_of(&box_a, &a.pose, &box_b, &b.pose) <= 0) {
            uint32_t bits = gz_parts_near(&frames, 0, (gz_part_node){1, part / 8}, other);
            assert_true((bits >> part % 8 & 1) != 0);
            ++tried;
        }
        gz_part_boxes_free(context, &a.boxes);
        gz_part_boxes_free(context, &b.boxes);
    }
    assert_true(tried > TEST_CHANCES(20000) / 2);
    test_context_done(context);
}

// Where a box has no end in floats, nothing is said by floats.
static void without_an_end(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        test_random random = {seed};
        body a, b;
        tally score = {0};
        make_body(context, &random, 0x1p120, 0, true, &a);
        make_body(context, &random, 0x1p120, 0, false, &b);
        a.pose = some_pose(&random, 0, 0);
        b.pose = some_pose(&random, 0x1p119, 0);
        a.side = (gz_side){.shape = &a.shape, .pose = &a.pose};
        b.side = (gz_side){.shape = &b.shape, .pose = &b.pose};
        gz_part_frames frames;
        gz_part_frames_set(&frames, &a.side, &b.side, 0);
        assert_false(frames.sound);
        for (uint32_t level = 1; level < a.boxes.level_count; ++level)
            for (uint32_t i = 0; i < a.boxes.count[level]; ++i)
                compare(&frames, 0, (gz_part_node){level, i}, (gz_part_node){0, 0}, 0x1p131,
                        &score);
        gz_part_boxes_free(context, &a.boxes);
        gz_part_boxes_free(context, &b.boxes);
    }
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_and_far), cmocka_unit_test(touching),
                                       cmocka_unit_test(without_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
