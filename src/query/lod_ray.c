// Where a segment comes near a triangle. See lod_ray.h; docs/guarantees.md has the proof.
//
// The segment is halved, and of the halves always the first one is kept that is near enough, by the
// exact test of triangles: so all that comes before is proved to be too far away. Ends of halves
// are rounded, by less than a margin that the radius is made larger by.
#include "query/lod_ray.h"

#include <math.h>

#include "base/context.h"
#include "geometry/rounding.h"
#include "geometry/triangle.h"
#include "geometry/vector.h"
#include "query/cut_shape.h"

#define HALVES   44      // how often the segment is halved
#define ROUNDING 0x1p-49 // of coordinates, in points of the segment

bool gz_lod_one_set(graze_posed posed, double error, gz_lod_one *one)
{
    *one = (gz_lod_one){.question = {.error = error}};
    one->cut = gz_lod_cut_take(posed.shape->model, error);
    if (one->cut == NULL)
        return false;
    gz_cut_shape_set(posed.shape, one->cut, &one->shape);
    one->question.cut[0] = one->cut;
    one->question.reached = one->cut->error;
    gz_lod_question_set(&one->question, (graze_posed[]){graze_at(&one->shape, posed.pose), posed});
    return true;
}

void gz_lod_one_end(gz_lod_one *one) { gz_lod_cut_give(one->cut); }

double gz_lod_one_rounding(const gz_lod_question *lod, uint32_t part)
{
    return gz_lod_rounding(lod, (const uint32_t[]){part, 0}); // the other side is exact
}

void gz_segment_point(const double start[3], const double end[3], double at, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = at <= 0 ? start[i] : at >= 1 ? end[i] : (1 - at) * start[i] + at * end[i];
}

// Whether the part of the segment between two places is within the radius of the triangle.
static bool is_near(const double start[3], const double end[3], double from, double to,
                    const graze_triangle *t, double radius)
{
    graze_triangle part;
    gz_segment_point(start, end, from, part.corner[0]);
    gz_segment_point(start, end, to, part.corner[1]);
    for (int i = 0; i < 3; ++i)
        part.corner[2][i] = part.corner[1][i];
    return gz_triangle_within(&part, t, radius) != 0;
}

bool gz_segment_near(const double start[3], const double end[3], const graze_triangle *t,
                     double radius, double *at, double *off)
{
    double size = gz_largest3(start) + gz_largest3(end), way = 0;
    for (int i = 0; i < 3; ++i)
        way += fabs(end[i] - start[i]);
    double margin = ROUNDING * size, from = 0, to = 1;
    GZ_ASSERT(radius > 0);
    radius = gz_step_up64(radius + margin);
    if (!is_near(start, end, 0, 1, t, radius))
        return false;
    for (int i = 0; i < HALVES; ++i) {
        double middle = from + (to - from) / 2;
        if (is_near(start, end, from, middle, t, radius))
            to = middle;
        else
            from = middle;
    }
    *at = from;
    *off = (to - from) * way + 4 * margin;
    return true;
}
