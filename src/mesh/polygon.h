// Polygons cut into triangles, always the same way. All decisions are signs of exact orientations
// in the projection along the largest component of the polygon's normal, so they depend on nothing
// but the corners.
//   - Four corners: from 0 to 2, unless only the cut from 1 to 3 keeps both halves upright.
//   - Strictly convex: a fan from corner 0.
//   - Else: ears are cut off, the one with the shortest new edge first.
//   - What has no ears left (it crosses itself, or has no area): a fan. A fan covers every polygon,
//     and of crooked ones more than the polygon; nothing that touches the polygon is missed.
// Cutting ears takes a bounded number of steps a corner: a polygon that needs more (thousands of
// corners, tangled) has the rest cut as a fan, and is reported as such.
#ifndef GZ_POLYGON_H
#define GZ_POLYGON_H

#include <stdbool.h>

#include "base/memory.h"

#define GZ_POLYGON_CORNERS (UINT32_C(1) << 22) // the most a polygon may have

// Scratch that is kept between polygons. Zero is empty.
typedef struct gz_cutter {
    gz_byte_list bytes;
    bool gave_up; // the last polygon took too many steps
} gz_cutter;
void gz_cutter_free(graze_context *context, gz_cutter *cutter);

// `points`: 4 to GZ_POLYGON_CORNERS of them, finite. `triangles` gets 3 * (count - 2) numbers of
// points. Each triangle keeps the order of the polygon's corners.
// @return GRAZE_OK, or GRAZE_ERROR_MEMORY without a sentence.
graze_status gz_polygon_cut(graze_context *context, gz_cutter *cutter, const double (*points)[3],
                            uint32_t count, uint32_t *triangles);

#endif
