// Which parts of a shape are near a box? For those who look ahead.
#ifndef GZ_PART_PAGES_H
#define GZ_PART_PAGES_H

#include "query/shape_parts.h"

// Lists pages of a shape in a pose that come within a distance of a box of the world, as many as
// there is room for. None where the shape is in memory.
uint32_t gz_part_pages_near(const graze_shape *shape, const graze_pose *pose, const graze_box *box,
                            double distance, gz_page_key *keys, uint32_t most);

// Stretches of neighbouring parts with about so many triangles each, for cutting a large shape into
// pieces: their boxes in the shape's frame.
typedef struct gz_part_stretch {
    graze_box box;
    uint64_t triangle_count;
} gz_part_stretch;
// How many there are: at most one for each part. A shape in memory is one.
uint32_t gz_part_stretches(const graze_shape *shape, uint64_t triangles, gz_part_stretch *out,
                           uint32_t most);

#endif
