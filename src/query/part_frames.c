// Which boxes over parts are near a box of the other side? See part_frames.h.
#include "query/part_frames.h"

#include <math.h>

#include "geometry/rounding.h"
#include "geometry/vector.h"

#define UNIT  0x1p-24f // of floats
#define LARGE 0x1p40   // squares and products with rotations are far from the ends of floats
#define SMALL 0x1p-60

static const double *origin_of(const gz_side *side)
{
    const graze_shape *shape = side->shape;
    return shape->boxes != NULL ? shape->boxes->origin : shape->tree.origin;
}

// How far all boxes of a side reach from their origin along an axis, at most.
static double reach_of(const gz_side *side)
{
    const graze_shape *shape = side->shape;
    if (shape->boxes == NULL)
        return gz_largest3(shape->tree.half);
    const graze_box *whole = &shape->boxes->whole;
    double reach = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double origin = shape->boxes->origin[axis];
        reach = fmax(reach, fmax(fabs(whole->min[axis] - origin), fabs(whole->max[axis] - origin)));
    }
    return reach * (1 + 0x1p-20); // boxes are rounded outward
}

// Where an origin of one side is, seen from that of the other and along the axes of this one: the
// difference of both in the world.
static void set_turn(gz_part_turn *turn, const gz_side *from, const gz_side *to,
                     const double between[3])
{
    const double *rf = from->pose->rotation, *rt = to->pose->rotation;
    for (int i = 0; i < 3; ++i) {
        turn->shift[i] =
            (float)(rt[i] * between[0] + rt[3 + i] * between[1] + rt[6 + i] * between[2]);
        for (int j = 0; j < 3; ++j) {
            double cosine = rt[i] * rf[j] + rt[3 + i] * rf[3 + j] + rt[6 + i] * rf[6 + j];
            turn->matrix[3 * i + j] = (float)cosine;
            turn->size[3 * i + j] = fabsf((float)cosine);
        }
    }
}

// Rounding. Let S be the sum of both reaches and of the shift, all in one frame up to the 1e-9 by
// which rotations are no rotations. A middle and a half size are off by 2 units of their reach, the
// middle in the other frame by 5 more of at most 1.8 of it and 4 of the sums; the sums of half
// sizes by 8. World coordinates are rounded in double, 256 units of theirs are plenty. Together
// less than 48 units of S; 64 are taken.
void gz_part_frames_set(gz_part_frames *frames, const gz_side *a, const gz_side *b,
                        double tolerance)
{
    double at_a[3], at_b[3], between[3], back[3], world = 0, shift = 0;
    *frames = (gz_part_frames){.side = {a, b}, .tolerance = tolerance};
    graze_pose_apply(a->pose, origin_of(a), at_a);
    graze_pose_apply(b->pose, origin_of(b), at_b);
    for (int axis = 0; axis < 3; ++axis) {
        between[axis] = at_a[axis] - at_b[axis];
        back[axis] = -between[axis];
        shift += fabs(between[axis]);
        world += fabs(a->pose->translation[axis]) + fabs(b->pose->translation[axis]) +
                 fabs(origin_of(a)[axis]) + fabs(origin_of(b)[axis]);
    }
    double reach = reach_of(a) + reach_of(b);
    double slack = tolerance * (1 + 1e-6) + 64 * (double)UNIT * (reach + shift) + 0x1p-45 * world;
    frames->sound = reach + shift + slack < LARGE && reach > SMALL;
    if (!frames->sound)
        return;
    frames->slack = gz_round_up(slack);
    set_turn(&frames->turn[0], a, b, between);
    set_turn(&frames->turn[1], b, a, back);
}

// A box as floats from the origin of its side.
static void middle_of(const gz_side *side, gz_part_node node, float middle[3], float half[3])
{
    const graze_shape *shape = side->shape;
    const gz_part_block *block =
        shape->boxes == NULL ? NULL : &shape->boxes->level[node.level][node.index / GZ_PART_WIDE];
    uint32_t lane = node.index % GZ_PART_WIDE;
    for (int axis = 0; axis < 3; ++axis) {
        if (block == NULL) {
            middle[axis] = 0;
            half[axis] = gz_round_up(shape->tree.half[axis]);
            continue;
        }
        middle[axis] = 0.5f * (block->low[axis][lane] + block->high[axis][lane]);
        half[axis] = 0.5f * (block->high[axis][lane] - block->low[axis][lane]);
    }
}

// Along the axes of the other side, eight boxes are turned there. Along their own, the box of the
// other side is: that is the same for all eight. A lane is 1 where a box is far along some axis.
static void find_far(const gz_part_turn *turn, const gz_part_block *block, const float middle[3],
                     const float half[3], float slack, int32_t far[GZ_PART_WIDE])
{
    float at[3][GZ_PART_WIDE], size[3][GZ_PART_WIDE];
    for (int j = 0; j < 3; ++j) {
        float place = 0, reach = slack; // of the other box
        for (int i = 0; i < 3; ++i) {
            place += turn->matrix[3 * i + j] * (middle[i] - turn->shift[i]);
            reach += turn->size[3 * i + j] * half[i];
        }
        for (uint32_t k = 0; k < GZ_PART_WIDE; ++k) {
            at[j][k] = 0.5f * (block->low[j][k] + block->high[j][k]);
            size[j][k] = 0.5f * (block->high[j][k] - block->low[j][k]);
            far[k] |= fabsf(at[j][k] - place) > size[j][k] + reach;
        }
    }
    for (int i = 0; i < 3; ++i) {
        const float *m = &turn->matrix[3 * i], *s = &turn->size[3 * i];
        float place = turn->shift[i] - middle[i], reach = half[i] + slack;
        for (uint32_t k = 0; k < GZ_PART_WIDE; ++k) {
            float along = m[0] * at[0][k] + m[1] * at[1][k] + m[2] * at[2][k] + place;
            far[k] |=
                fabsf(along) > s[0] * size[0][k] + s[1] * size[1][k] + s[2] * size[2][k] + reach;
        }
    }
}

uint32_t gz_parts_near(const gz_part_frames *frames, int side, gz_part_node node,
                       gz_part_node other)
{
    const gz_side *of = frames->side[side], *to = frames->side[1 - side];
    gz_part_node below;
    uint32_t count = gz_parts_below(of->shape, node, &below), bits = 0;
    if (!frames->sound) {
        gz_middle box = gz_parts_box(to->shape, other);
        for (uint32_t k = 0; k < count; ++k, ++below.index) {
            gz_middle child = gz_parts_box(of->shape, below);
            bits |= gz_boxes_far(&child, of->pose, &box, to->pose, frames->tolerance) ? 0 : 1u << k;
        }
        return bits;
    }
    float middle[3], half[3];
    int32_t far[GZ_PART_WIDE] = {0};
    middle_of(to, other, middle, half);
    find_far(&frames->turn[side], &of->shape->boxes->level[below.level][node.index], middle, half,
             frames->slack, far);
    for (uint32_t k = 0; k < count; ++k)
        bits |= (far[k] == 0 ? 1u : 0) << k;
    return bits;
}
