// Boxes over the parts of a shape: level 0 has those of the parts, in their order, and each box of
// the next level holds eight neighbours of the one below; the last level has one box. Whoever lists
// parts puts neighbours side by side.
#ifndef GZ_PART_BOXES_H
#define GZ_PART_BOXES_H

#include <stdbool.h>

#include "boxtree/tree_frames.h"

#define GZ_PART_WIDE   8u
#define GZ_PART_LEVELS 12 // 8^11 is more than there can be

typedef struct gz_part_span {
    float low[3], high[3]; // from the origin, rounded outward
} gz_part_span;

typedef struct gz_part_boxes {
    double origin[3];
    graze_box whole;      // nothing is outside
    uint32_t level_count; // 0: there is nothing
    uint32_t count[GZ_PART_LEVELS];
    gz_part_span *level[GZ_PART_LEVELS];
    uint64_t span_count; // of all levels, which lie one behind the other
} gz_part_boxes;

// Room for the boxes of so many parts, none of which is outside `whole`. Fill in level 0, then
// join. False when out of memory.
bool gz_part_boxes_make(graze_context *context, const double origin[3], const graze_box *whole,
                        uint32_t part_count, gz_part_boxes *boxes);
void gz_part_boxes_join(gz_part_boxes *boxes); // makes the levels above
void gz_part_boxes_free(graze_context *context, gz_part_boxes *boxes);

// A box in the frame of the mesh; it holds what it should, rounding included.
gz_middle gz_part_boxes_middle(const gz_part_boxes *boxes, uint32_t level, uint32_t index);

#endif
