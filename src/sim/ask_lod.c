// The engine that asks levels of detail of models. See ask.h.
//
// A pair is asked by the triangles of the LOD cuts that its error allows. No original point is
// farther from its cut than the cut's forward bound, so what two cuts keep from each other, less
// both bounds, is proved of the originals. Bodies rest a little higher for it. At one error the
// cuts depend on nothing but the models, so that surfaces stay as they are while bodies move.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/rounding.h"
#include "query/lod_collide.h"
#include "sim/ask.h"
#include "sim/close_points.h"
#include "sim/touches.h"

#define MOST_PAIRS 16384u // of triangles, to find the nearest of
#define NEAR       4      // errors and slops: what is farther need not be known as well
#define ROUNDING   1e-12  // of coordinates, as way.c has it

static double forward_of(const gz_lod_cut *cut)
{
    float most = 0;
    for (uint32_t i = 0; cut != NULL && i < cut->part_count; ++i)
        most = fmaxf(most, cut->parts[i].forward);
    return (double)most;
}

static graze_status lod_triangles(gz_asker *asker, const gz_question *question, double reach,
                                  uint64_t most, bool *complete)
{
    gz_lod_sides sides;
    graze_answer answer = {0};
    gz_collector c = {.asker = asker, .most = most};
    const gz_pair_visitor visitor = {gz_collect_pair, &c};
    const gz_lod_error_def error = {.error = question->error};
    asker->triangles.count = 0;
    graze_status status =
        gz_lod_sides_set(asker->query, question->a, question->b, &error, reach, &sides);
    if (status == GRAZE_OK) {
        double rounding = sides.question.rounding[0] + sides.question.rounding[1];
        c.swapped = sides.question.swapped;
        asker->offset =
            (forward_of(sides.cut[0]) + forward_of(sides.cut[1]) + rounding) * (1 + ROUNDING);
        // All whose distance less the offset is within reach: what a leaf alone stands for may be
        // farther off, but a gap that jumps from leaf to leaf is none to rest on.
        status = gz_parts_show(asker->query, sides.posed[0], sides.posed[1],
                               gz_step_up64(reach + asker->offset), &visitor, &answer);
    }
    gz_lod_sides_end(&sides);
    *complete = answer.complete != 0 && !c.full;
    return c.failed ? GRAZE_ERROR_MEMORY : status;
}

// From afar an interval will do. It is as wide as the error, which is too much for bodies that
// rest: then the triangles tell.
static graze_status lod_separation(gz_asker *asker, const gz_question *question, double limit,
                                   double *least)
{
    double near = NEAR * (question->error + asker->sim->slop), reach = fmin(limit, near);
    graze_distance_def def = graze_distance_def_default();
    graze_distance distance;
    bool complete;
    def.limit = limit;
    def.value_only = 1;
    def.error = question->error;
    *least = 0;
    if (limit > near) {
        graze_status status =
            graze_query_distance(asker->query, question->a, question->b, &def, &distance);
        if (status == GRAZE_OK)
            *least = distance.verdict == GRAZE_APART ? HUGE_VAL : distance.least;
        if (status != GRAZE_OK || *least >= reach)
            return status;
    }
    graze_status status = lod_triangles(asker, question, reach, MOST_PAIRS, &complete);
    if (status != GRAZE_OK || !complete)
        return status;
    double nearest = reach == limit ? HUGE_VAL : reach;
    for (uint64_t i = 0; i < asker->triangles.count; i += 2) {
        double p[3], q[3];
        const graze_triangle *t = &asker->triangles.items[i];
        double gap = gz_triangles_nearest(&t[0], &t[1], p, q) - asker->offset;
        nearest = fmin(nearest, gap);
    }
    *least = fmax(*least, nearest);
    return GRAZE_OK;
}

static graze_status lod_touches(gz_asker *asker, const gz_question *question, double reach)
{
    bool complete;
    graze_status status = lod_triangles(asker, question, reach, UINT64_MAX, &complete);
    return status == GRAZE_OK ? gz_touches_make(asker, reach) : status;
}

const gz_sim_engine gz_lod_engine = {lod_separation, lod_touches, lod_triangles};
