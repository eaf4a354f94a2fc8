// The engine that asks levels of detail of models. See ask.h.
//
// Its contacts are of triangles of LOD cuts, whose originals may be nearer by the contact's error:
// this is taken off the gap, so that what is proved of gaps is proved of the originals. Bodies rest
// a little higher for it.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "query/query_scratch.h"
#include "sim/ask.h"
#include "sim/touches.h"

static graze_status lod_separation(gz_asker *asker, const gz_question *question, double limit,
                                   double *least)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance distance;
    def.limit = limit;
    def.value_only = 1;
    def.error = question->error;
    def.time_limit = asker->sim->def.time_limit;
    graze_status status =
        graze_query_distance(asker->query, question->a, question->b, &def, &distance);
    if (status == GRAZE_OK)
        *least = distance.verdict == GRAZE_APART ? HUGE_VAL : distance.least;
    return status;
}

static graze_status lod_touches(gz_asker *asker, const gz_question *question, double reach)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.tolerance = reach;
    def.error = question->error;
    def.time_limit = asker->sim->def.time_limit;
    graze_status status =
        graze_query_collide(asker->query, question->a, question->b, &def, &answer);
    if (status != GRAZE_OK)
        return status;
    asker->found.count = 0;
    uint64_t count = answer.contacts == NULL ? 0 : answer.pair_count;
    gz_touch *touches = gz_list_push(asker->sim->context, &asker->found, count);
    if (touches == NULL && count != 0)
        return GRAZE_ERROR_MEMORY;
    for (uint64_t i = 0; i < count; ++i) {
        const graze_contact *c = &answer.contacts[i];
        memcpy(touches[i].point[0], c->point_a, sizeof c->point_a);
        memcpy(touches[i].point[1], c->point_b, sizeof c->point_b);
        memcpy(touches[i].normal, c->normal, sizeof c->normal);
        touches[i].gap = -c->depth - c->error;
    }
    return gz_touches_thin(asker);
}

const gz_sim_engine gz_lod_engine = {lod_separation, lod_touches, NULL};
