// Boxes over parts, eight by eight. See part_boxes.h.
#include "model/part_boxes.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

static uint32_t blocks_of(uint32_t count) { return (count + GZ_PART_WIDE - 1) / GZ_PART_WIDE; }

static uint64_t count_levels(gz_part_boxes *boxes, uint32_t part_count)
{
    uint64_t sum = 0;
    boxes->level_count = 0;
    for (uint32_t count = part_count; count != 0; count = blocks_of(count)) {
        boxes->count[boxes->level_count++] = count;
        sum += blocks_of(count);
        if (count == 1)
            break;
    }
    return sum;
}

bool gz_part_boxes_make(graze_context *context, const double origin[3], const graze_box *whole,
                        uint32_t part_count, gz_part_boxes *boxes)
{
    *boxes = (gz_part_boxes){.origin = {origin[0], origin[1], origin[2]}, .whole = *whole};
    boxes->block_count = count_levels(boxes, part_count);
    if (boxes->block_count == 0)
        return true;
    boxes->level[0] = GZ_NEW_ARRAY(context, gz_part_block, boxes->block_count);
    if (boxes->level[0] == NULL) {
        *boxes = (gz_part_boxes){0};
        return false;
    }
    memset(boxes->level[0], 0, (size_t)boxes->block_count * sizeof(gz_part_block));
    for (uint32_t level = 1; level < boxes->level_count; ++level)
        boxes->level[level] = boxes->level[level - 1] + blocks_of(boxes->count[level - 1]);
    return true;
}

static void join_block(gz_part_boxes *boxes, uint32_t level, uint32_t i)
{
    const gz_part_block *below = &boxes->level[level - 1][i];
    gz_part_block *to = &boxes->level[level][i / GZ_PART_WIDE];
    uint32_t left = boxes->count[level - 1] - i * GZ_PART_WIDE, lane = i % GZ_PART_WIDE;
    for (int axis = 0; axis < 3; ++axis) {
        float low = below->low[axis][0], high = below->high[axis][0];
        for (uint32_t k = 1; k < GZ_PART_WIDE && k < left; ++k) {
            low = fminf(low, below->low[axis][k]);
            high = fmaxf(high, below->high[axis][k]);
        }
        to->low[axis][lane] = low;
        to->high[axis][lane] = high;
    }
}

void gz_part_boxes_join(gz_part_boxes *boxes, uint32_t first, uint32_t end)
{
    for (uint32_t level = 1; level < boxes->level_count; ++level) {
        first = first / GZ_PART_WIDE / GZ_PART_WIDE * GZ_PART_WIDE; // blocks are set as a whole
        end = blocks_of(end);
        for (uint32_t i = first; i < end; ++i)
            join_block(boxes, level, i);
    }
}

uint32_t gz_part_boxes_copy(gz_part_boxes *to, const gz_part_boxes *from, uint32_t part)
{
    uint32_t full = part / GZ_PART_WIDE;
    GZ_ASSERT(part <= from->count[0] || from->level_count == 0);
    for (uint32_t level = 0, blocks = full; blocks != 0; ++level, blocks /= GZ_PART_WIDE) {
        if (level >= from->level_count || level >= to->level_count)
            break;
        memcpy(to->level[level], from->level[level], blocks * sizeof(gz_part_block));
    }
    return full * GZ_PART_WIDE;
}

void gz_part_boxes_free(graze_context *context, gz_part_boxes *boxes)
{
    GZ_FREE_ARRAY(context, boxes->level[0], boxes->block_count);
    *boxes = (gz_part_boxes){0};
}

// The ends of a box from the origin. Floats do not reach everything: where a box has no end, the
// whole has one. So no end is infinite.
static void ends_of(const gz_part_boxes *boxes, const gz_part_block *block, uint32_t lane, int axis,
                    double *low, double *high)
{
    const graze_box *whole = &boxes->whole;
    double origin = boxes->origin[axis];
    float from = block->low[axis][lane], to = block->high[axis][lane];
    *low = isinf(from) ? whole->min[axis] - origin : (double)from;
    *high = isinf(to) ? whole->max[axis] - origin : (double)to;
}

// Ends of the whole are off by half an ulp of themselves. With that, the middle is off by less than
// three halves of an ulp of the largest number in it, and the half size by two.
gz_middle gz_part_boxes_middle(const gz_part_boxes *boxes, uint32_t level, uint32_t index)
{
    const gz_part_block *block = &boxes->level[level][index / GZ_PART_WIDE];
    gz_middle m;
    for (int axis = 0; axis < 3; ++axis) {
        double low, high;
        ends_of(boxes, block, index % GZ_PART_WIDE, axis, &low, &high);
        double middle = 0.5 * low + 0.5 * high, origin = boxes->origin[axis] + middle;
        m.origin[axis] = origin;
        m.half[axis] = (0.5 * high - 0.5 * low) * (1 + 0x1p-50) +
                       0x1p-51 * (fabs(boxes->origin[axis]) + fabs(middle));
    }
    return m;
}
