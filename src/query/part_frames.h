// Two shapes in poses of their own, of which one has many parts: which of up to eight boxes below a
// node of one are near a box of the other?
#ifndef GZ_PART_FRAMES_H
#define GZ_PART_FRAMES_H

#include "query/part_pins.h"

// From the frame of one side to that of the other, each around the origin of its boxes.
typedef struct gz_part_turn {
    float matrix[9], size[9]; // and its absolute values
    float shift[3];
} gz_part_turn;

typedef struct gz_part_frames {
    const gz_side *side[2];
    double tolerance;
    gz_part_turn turn[2]; // from the frame of this side to the other's
    float slack;          // the tolerance, and what rounding may hide
    bool sound;           // false: too large or too small for floats; boxes are asked one by one
} gz_part_frames;

void gz_part_frames_set(gz_part_frames *frames, const gz_side *a, const gz_side *b,
                        double tolerance);

// The boxes below a node above level 0 of one side, a bit each, that are not proved to be farther
// than the tolerance from a box of the other side.
uint32_t gz_parts_near(const gz_part_frames *frames, int side, gz_part_node node,
                       gz_part_node other);

#endif
