// One triangle against sixteen, in float, by the lanes of triangle_lanes.h. This file is compiled
// once for each SIMD width.
#include "geometry/kernels.h"

#include "geometry/triangle_lanes.h"

#define GLUE(name, width)          name##_##width
#define GLUE_EXPANDED(name, width) GLUE(name, width)
#define KERNEL(name)               GLUE_EXPANDED(name, GZ_WIDTH)

static inline vector load(const gz_triangles16 *b, int corner, int first)
{
    return (vector){gz_fw_load(&b->v[corner][0][first]), gz_fw_load(&b->v[corner][1][first]),
                    gz_fw_load(&b->v[corner][2][first])};
}

static gz_lanes meet16(const gz_triangle1 *a, const gz_triangles16 *b)
{
    gz_lanes lanes = {0, 0};
    lane_errors error = {all(a->error), all(a->error_relative), all(a->error_absolute)};
    for (int first = 0; first < 16; first += GZ_LANES) {
        vector corner[3] = {load(b, 0, first), load(b, 1, first), load(b, 2, first)};
        gz_lanes part = meet_lanes(spread(a->corner1), spread(a->corner2), corner, error, NULL);
        lanes.yes |= part.yes << first;
        lanes.no |= part.no << first;
    }
    return lanes;
}

static gz_lanes within16(const gz_triangle1 *a, const gz_triangles16 *b, float tolerance_low,
                         float tolerance_high)
{
    static const float origin[3] = {0, 0, 0};
    gz_lanes lanes = {0, 0};
    for (int first = 0; first < 16; first += GZ_LANES) {
        vector va[3] = {spread(origin), spread(a->corner1), spread(a->corner2)};
        vector vb[3] = {load(b, 0, first), load(b, 1, first), load(b, 2, first)};
        gz_lanes part = within_lanes(va, vb, all(tolerance_low), all(tolerance_high));
        lanes.yes |= part.yes << first;
        lanes.no |= part.no << first;
    }
    return lanes;
}

extern const gz_triangle_kernels KERNEL(gz_triangle_kernels);
const gz_triangle_kernels KERNEL(gz_triangle_kernels) = {meet16, within16};
