// Questions about two bodies, counted and timed. See ask.h.
#include "sim/ask.h"

#include <math.h>

#include "base/clock.h"
#include "base/context.h"
#include "query/shape_parts.h"
#include "sim/course.h"

// Two poses that last as long as the question.
typedef struct asked {
    graze_pose pose[2];
    gz_question question;
    uint64_t begun;
} asked;

const gz_sim_engine *gz_engine_of(const graze_sim *sim, const gz_near_pair *pair)
{
    const gz_body *bodies = sim->bodies.items;
    if (sim->def.engine == GRAZE_SIM_DETAIL && bodies[pair->a].detail != NULL &&
        bodies[pair->b].detail != NULL)
        return &gz_detail_engine;
    bool paged =
        gz_shape_is_paged(bodies[pair->a].shape) || gz_shape_is_paged(bodies[pair->b].shape);
    bool coarse = pair->error > 0 || sim->def.time_limit > 0;
    return sim->def.engine == GRAZE_SIM_LOD && paged && coarse ? &gz_lod_engine : &gz_exact_engine;
}

static void begin(gz_asker *asker, const gz_near_pair *pair, double time, asked *q)
{
    const gz_body *bodies = asker->sim->bodies.items;
    q->pose[0] = gz_course_pose(&bodies[pair->a], time);
    q->pose[1] = gz_course_pose(&bodies[pair->b], time);
    q->question = (gz_question){.a = graze_at(bodies[pair->a].shape, &q->pose[0]),
                                .b = graze_at(bodies[pair->b].shape, &q->pose[1]),
                                .detail = {bodies[pair->a].detail, bodies[pair->b].detail},
                                .error = pair->error};
    q->begun = gz_clock_ns();
}

static graze_status end(gz_asker *asker, gz_near_pair *pair, const asked *q, graze_status status)
{
    double seconds = 1e-9 * (double)(gz_clock_ns() - q->begun);
    asker->query_count++;
    asker->seconds += seconds;
    asker->longest = fmax(asker->longest, seconds);
    pair->seconds += seconds;
    pair->slowest = fmax(pair->slowest, seconds);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(asker->sim->context, status, "out of memory for contacts of bodies");
    return status;
}

graze_status gz_ask_separation(gz_asker *asker, gz_near_pair *pair, double time, double limit,
                               double *least)
{
    asked q;
    begin(asker, pair, time, &q);
    graze_status status =
        gz_engine_of(asker->sim, pair)->separation(asker, &q.question, limit, least);
    return end(asker, pair, &q, status);
}

graze_status gz_ask_touches(gz_asker *asker, gz_near_pair *pair, double time)
{
    asked q;
    begin(asker, pair, time, &q);
    pair->list = (uint32_t)(asker - asker->sim->askers);
    pair->first = asker->touches.count;
    graze_status status =
        gz_engine_of(asker->sim, pair)->touches(asker, &q.question, asker->sim->slop);
    pair->count = status == GRAZE_OK ? asker->touches.count - pair->first : 0;
    pair->asked = time;
    pair->gap = HUGE_VAL;
    for (uint64_t i = 0; i < pair->count; ++i)
        pair->gap = fmin(pair->gap, asker->touches.items[pair->first + i].gap);
    return end(asker, pair, &q, status);
}

graze_status gz_ask_triangles(gz_asker *asker, gz_near_pair *pair, double time, double reach,
                              uint64_t most, bool *complete)
{
    asked q;
    const gz_sim_engine *engine = gz_engine_of(asker->sim, pair);
    *complete = false;
    if (engine->triangles == NULL)
        return GRAZE_OK;
    begin(asker, pair, time, &q);
    graze_status status = engine->triangles(asker, &q.question, reach, most, complete);
    return end(asker, pair, &q, status);
}
