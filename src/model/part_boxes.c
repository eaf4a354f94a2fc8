// Boxes over parts, eight by eight. See part_boxes.h.
#include "model/part_boxes.h"

#include <math.h>

#include "base/context.h"
#include "base/memory.h"

static uint64_t count_levels(gz_part_boxes *boxes, uint32_t part_count)
{
    uint64_t sum = 0;
    boxes->level_count = 0;
    for (uint32_t count = part_count; count != 0;
         count = (count + GZ_PART_WIDE - 1) / GZ_PART_WIDE) {
        boxes->count[boxes->level_count++] = count;
        sum += count;
        if (count == 1)
            break;
    }
    return sum;
}

static gz_part_span join(const gz_part_span *spans, uint32_t count)
{
    gz_part_span sum = spans[0];
    for (uint32_t i = 1; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            sum.low[axis] = fminf(sum.low[axis], spans[i].low[axis]);
            sum.high[axis] = fmaxf(sum.high[axis], spans[i].high[axis]);
        }
    return sum;
}

bool gz_part_boxes_make(graze_context *context, const double origin[3], const graze_box *whole,
                        uint32_t part_count, gz_part_boxes *boxes)
{
    *boxes = (gz_part_boxes){.origin = {origin[0], origin[1], origin[2]}, .whole = *whole};
    boxes->span_count = count_levels(boxes, part_count);
    if (boxes->span_count == 0)
        return true;
    boxes->level[0] = GZ_NEW_ARRAY(context, gz_part_span, boxes->span_count);
    if (boxes->level[0] == NULL) {
        *boxes = (gz_part_boxes){0};
        return false;
    }
    for (uint32_t level = 1; level < boxes->level_count; ++level)
        boxes->level[level] = boxes->level[level - 1] + boxes->count[level - 1];
    return true;
}

void gz_part_boxes_join(gz_part_boxes *boxes)
{
    for (uint32_t level = 1; level < boxes->level_count; ++level) {
        uint32_t below = boxes->count[level - 1];
        for (uint32_t i = 0; i < boxes->count[level]; ++i) {
            uint32_t first = i * GZ_PART_WIDE, left = below - first;
            boxes->level[level][i] =
                join(boxes->level[level - 1] + first, left < GZ_PART_WIDE ? left : GZ_PART_WIDE);
        }
    }
}

void gz_part_boxes_free(graze_context *context, gz_part_boxes *boxes)
{
    GZ_FREE_ARRAY(context, boxes->level[0], boxes->span_count);
    *boxes = (gz_part_boxes){0};
}

// The ends of a box from the origin. Floats do not reach everything: where a box has no end, the
// whole has one. So no end is infinite.
static void ends_of(const gz_part_boxes *boxes, const gz_part_span *span, int axis, double *low,
                    double *high)
{
    const graze_box *whole = &boxes->whole;
    double origin = boxes->origin[axis];
    *low = isinf(span->low[axis]) ? whole->min[axis] - origin : (double)span->low[axis];
    *high = isinf(span->high[axis]) ? whole->max[axis] - origin : (double)span->high[axis];
}

// Ends of the whole are off by half an ulp of themselves. With that, the middle is off by less than
// three halves of an ulp of the largest number in it, and the half size by two.
gz_middle gz_part_boxes_middle(const gz_part_boxes *boxes, uint32_t level, uint32_t index)
{
    const gz_part_span *span = &boxes->level[level][index];
    gz_middle m;
    for (int axis = 0; axis < 3; ++axis) {
        double low, high;
        ends_of(boxes, span, axis, &low, &high);
        double middle = 0.5 * low + 0.5 * high, origin = boxes->origin[axis] + middle;
        m.origin[axis] = origin;
        m.half[axis] = (0.5 * high - 0.5 * low) * (1 + 0x1p-50) +
                       0x1p-51 * (fabs(boxes->origin[axis]) + fabs(middle));
    }
    return m;
}
