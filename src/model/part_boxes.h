// Boxes over the parts of a shape: level 0 has those of the parts, in their order, and each box of
// the next level holds eight neighbours of the one below; the last level has one box. Whoever lists
// parts puts neighbours side by side.
#ifndef GZ_PART_BOXES_H
#define GZ_PART_BOXES_H

#include <stdbool.h>

#include "boxtree/tree_frames.h"

#define GZ_PART_WIDE   8u
#define GZ_PART_LEVELS 12 // 8^11 is more than there can be

// Eight boxes side by side, from the origin and rounded outward. Lanes behind the last are zero.
typedef struct gz_part_block {
    float low[3][GZ_PART_WIDE], high[3][GZ_PART_WIDE];
} gz_part_block;

typedef struct gz_part_boxes {
    double origin[3];
    graze_box whole;                // nothing is outside
    uint32_t level_count;           // 0: there is nothing
    uint32_t count[GZ_PART_LEVELS]; // boxes
    gz_part_block *level[GZ_PART_LEVELS];
    uint64_t block_count; // of all levels, which lie one behind the other
} gz_part_boxes;

// Room for the boxes of so many parts, none of which is outside `whole`. Set those of level 0, then
// join. False when out of memory.
bool gz_part_boxes_make(graze_context *context, const double origin[3], const graze_box *whole,
                        uint32_t part_count, gz_part_boxes *boxes);
static inline void gz_part_boxes_set(gz_part_boxes *boxes, uint32_t part, const float low[3],
                                     const float high[3])
{
    gz_part_block *block = &boxes->level[0][part / GZ_PART_WIDE];
    for (int axis = 0; axis < 3; ++axis) {
        block->low[axis][part % GZ_PART_WIDE] = low[axis];
        block->high[axis][part % GZ_PART_WIDE] = high[axis];
    }
}
// Makes the levels above some parts, from the first to behind the last.
void gz_part_boxes_join(gz_part_boxes *boxes, uint32_t first, uint32_t end);
// Takes over what stands before a part in others, as far as blocks are full; they may have another
// number of parts. Returns the part from which on boxes are to be set and joined.
uint32_t gz_part_boxes_copy(gz_part_boxes *to, const gz_part_boxes *from, uint32_t part);
void gz_part_boxes_free(graze_context *context, gz_part_boxes *boxes);
static inline uint64_t gz_part_boxes_bytes(const gz_part_boxes *boxes)
{
    return boxes->block_count * sizeof(gz_part_block);
}

// A box in the frame of the mesh; it holds what it should, rounding included.
gz_middle gz_part_boxes_middle(const gz_part_boxes *boxes, uint32_t level, uint32_t index);

#endif
